"""Searchers made from the options of a command: --algorithm, --set, --book, --evaluation and others."""

from collections.abc import Sequence
from dataclasses import fields
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import typer

from outplay.rules.errors import OutplayError
from outplay.rules.game import Game, defines
from outplay.session.algorithms import SEARCHES, searcher_class
from outplay.session.calls import option_of, read_arguments
from outplay.session.searchers import OWN, check_options_of, memory_option, new_searcher, settable

if TYPE_CHECKING:
    from outplay.engine.searcher import Searcher


def read_algorithm(text: str) -> str:
    """The name of an algorithm; letter case does not matter."""
    return one_of(text, list(SEARCHES))


def one_of(text: str, algorithms: list[str]) -> str:
    """The name of one of `algorithms`; letter case does not matter."""
    name = text.lower().replace("_", "-")
    if name in algorithms:
        return name
    similar = get_close_matches(name, algorithms, n=1)
    hint = f"did you mean {similar[0]}?" if similar else f"choose {', '.join(algorithms)}"
    raise typer.BadParameter(f"there is no algorithm {text!r}; {hint}")


def searcher_for(
    game: Game,
    algorithm: str,
    table_mb: float | None = None,
    book: str | None = None,
    threads: int = 1,
    reuse: bool = False,
    selective: bool | None = False,
    evaluation: str | None = None,
    seed: int | None = None,
    settings: Sequence[str] | None = None,
) -> "Searcher":
    """A searcher of `game`.

    `book` names a file, and `evaluation` too, see `use_of_evaluation`. `reuse` (of the table or tree) and `selective`
    apply to searchers that support them. With `selective=None`, a search is selective if the game defines
    `null_move_state`. `settings` are options of the searcher as text, such as "rave=true".
    """
    kind = searcher_class(algorithm)
    option_names = {field.name for field in fields(kind)}
    options: dict[str, Any] = {}
    if selective and "selective" not in option_names:
        raise typer.BadParameter(f"--selective is for alpha-beta and mtdf: {algorithm} cannot be selective")
    if "selective" in option_names:
        options["selective"] = defines(game, "null_move_state") if selective is None else selective
    if threads > 1 and "threads" not in option_names:
        raise typer.BadParameter(f"--threads is for alpha-beta, mtdf and mcts: {algorithm} searches with one thread")
    if threads > 1:
        options["threads"] = threads
    if evaluation not in (None, OWN) and "evaluate" not in option_names:
        raise typer.BadParameter(f"--evaluation is for the other algorithms: {algorithm} makes no estimates")
    if table_mb is not None:
        memory = memory_option(kind)
        if memory is None:
            raise typer.BadParameter(f"--table-mb is for the other algorithms: {algorithm} has no table")
        options[memory] = table_mb
    if seed is not None and "seed" not in option_names:
        raise typer.BadParameter(f"--seed: {algorithm} uses no random numbers")
    if seed is not None:
        options["seed"] = seed
    if reuse:
        options.update(dict.fromkeys(option_names & {"reuse_table", "reuse_tree"}, True))
    options |= read_settings(kind, settings or ())
    return new_searcher(game, algorithm, book=book, evaluation=evaluation, **options)


def of_an_algorithm(name: str) -> bool:
    """Whether some search or solver has an option of this name that `--set` accepts.

    >>> of_an_algorithm("beam"), of_an_algorithm("bean")
    (True, False)
    """
    return any(name in settable(search.load()) for search in SEARCHES.values())


def read_settings(kind: type[Any], texts: Sequence[str]) -> dict[str, Any]:
    """Parse options of a searcher or solver, such as "rave=true", "rave-bias=0.01" and "widening=(1, 0.5)".

    >>> from outplay import MCTS
    >>> read_settings(MCTS, ["rave=true", "selection=puct", "widening=(1, 0.5)", "playout-depth=4"])
    {'rave': True, 'selection': 'puct', 'widening': (1, 0.5), 'playout_depth': 4}
    """
    settings: dict[str, Any] = {}
    for text in texts:
        if not option_of(text):
            raise typer.BadParameter(f"--set {text!r}: write NAME=VALUE, as in --set rave=true")
        try:
            check_options_of(kind, [option_of(text)], kind.__name__)
            settings |= read_arguments([text], words=True)[1]
        except OutplayError as error:
            raise typer.BadParameter(f"--set {text!r}: {error}") from None
    return settings
