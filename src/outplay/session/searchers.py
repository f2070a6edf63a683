"""What people can give to a searcher by name: options that are plain values, and books in files."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import re
from collections.abc import Iterable
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outplay import games
from outplay.rules.errors import EvaluationError, OutplayError
from outplay.rules.game import Game, defines
from outplay.rules.wording import enumerated
from outplay.session.algorithms import searcher_class
from outplay.session.load import is_there

if TYPE_CHECKING:
    from outplay.engine.book import LookUp
    from outplay.engine.searcher import Searcher
    from outplay.evaluation.learned import LearnedEvaluation
    from outplay.evaluation.linear import LinearEvaluation

LEARNED, OWN = "learned", "own"
"""The names of what was learned and comes with outplay, also its folder, and of the game's own evaluation."""
PLAY_BY_LEARNED = ("AlphaBeta", "MTDf")
"""The searches that use it if nothing else is asked for."""
NOT_SETTABLE = ("game", "books", "check", "evaluate", "margins", "evaluator", "batch", "searcher")
"""The options that are not plain values."""


def settable(kind: type[Any]) -> list[str]:
    """The options of a searcher that are plain values.

    >>> from outplay import Minimax
    >>> settable(Minimax)
    ['textbook']
    """
    names = [field.name for field in fields(kind) if field.name not in NOT_SETTABLE]
    return [name for name in names if name != "textbook" or kind.textbook_form]


def memory_option(kind: type[Any]) -> str | None:
    """The option of a searcher that bounds its table or tree, in megabytes; None if it has none.

    >>> from outplay import MCTS, AlphaBeta
    >>> memory_option(AlphaBeta), memory_option(MCTS)
    ('table_mb', 'memory_mb')
    """
    option_names = {field.name for field in fields(kind)}
    return next((name for name in ("table_mb", "memory_mb") if name in option_names), None)


def options_of_play(kind: type[Any], game: Game) -> dict[str, Any]:
    """The options with which a searcher plays a game move by move: it keeps its table or tree, and is selective where
    the rules have a null move.

    >>> from outplay import AlphaBeta
    >>> from outplay.games import Chess
    >>> options_of_play(AlphaBeta, Chess())
    {'reuse_table': True, 'selective': True}
    """
    option_names = {field.name for field in fields(kind)}
    options: dict[str, Any] = {name: True for name in ("reuse_table", "reuse_tree") if name in option_names}
    return options | ({"selective": defines(game, "null_move_state")} if "selective" in option_names else {})


def new_searcher(
    game: Game, algorithm: str, *, book: str | None = None, evaluation: str | None = None, **options: Any
) -> "Searcher":
    """The searcher with this name. `book` names a file, and `evaluation` too, see `use_of_evaluation`.

    Raises `OutplayError` for an option that it does not have or whose value is wrong.

    >>> from outplay.games import TicTacToe
    >>> new_searcher(TicTacToe(), "mcts", rave=True)
    MCTS(TicTacToe(), rave=True)
    """
    kind = searcher_class(algorithm)
    check_options_of(kind, options, algorithm)
    if book is not None:
        options["books"] = [load_book(book, game)]
    if "evaluate" in kind.__dataclass_fields__:
        options = {**use_of_evaluation(kind, game, evaluation), **options}
    elif evaluation not in (None, OWN):
        raise OutplayError(f"{algorithm} makes no estimates, so it has no evaluation")
    return kind(game, **options)


def check_options_of(kind: type[Any], options: Iterable[str], name: str, *more: str) -> None:
    """Raise `OutplayError` if a class of searchers or solvers has no such option; `more` are others that it takes."""
    option_names = [*(getattr(kind, "options", None) or settable(kind)), *more]
    for option in options:
        if option not in option_names:
            similar = get_close_matches(option, option_names, n=1)
            hint = f"did you mean {similar[0]}?" if similar else f"choose {', '.join(option_names)}"
            raise OutplayError(f"{name} has no option {option!r}; {hint}")


def load_book(path: str, game: Game) -> "LookUp":
    """A book or a table. Raises `OutplayError` if the file is not one of this game."""
    from outplay.engine.book import Book
    from outplay.tables.file import is_table
    from outplay.tables.tablebase import Tablebase

    return (Tablebase if is_table(path) else Book).load(path, game)


def load_evaluation(name: str, game: Game) -> "LearnedEvaluation | LinearEvaluation":
    """What was learned or the weights in the file `name`, or the game's weights of that name.

    Raises `EvaluationError` if there is neither.
    """
    from outplay.evaluation.learned import LearnedEvaluation, is_learned
    from outplay.evaluation.linear import LinearEvaluation

    if is_there(Path(name)):
        return (LearnedEvaluation if is_learned(name) else LinearEvaluation).load(name, game)
    if name in game.feature_weights:
        return LinearEvaluation.named(game, name)
    if name == LEARNED and comes_with_outplay(game):
        return LearnedEvaluation.load(learned_file(game), game)
    others = [*[LEARNED] * comes_with_outplay(game), *[OWN] * defines(game, "evaluate")]
    choices = enumerated([*game.feature_weights, *others]) or "none"
    raise EvaluationError(f"there is no file {name!r}; evaluations of {game!r}: {choices}")


def use_of_evaluation(kind: type[Any], game: Game, evaluation: str | None) -> dict[str, Any]:
    """The options of a searcher that is to use an evaluation that a person named; None: the best one.

    "own" is the game's own, if it has one. For alpha-beta search, the best one is what was learned and comes with
    outplay, if there is such a file. Monte Carlo tree search evaluates leaves at once instead of playing on. It takes
    priors from the evaluation if the game has no `order`, or would use RAVE, which lives on playouts. It alone takes
    networks in ONNX files.

    >>> from outplay import MCTS
    >>> from outplay.games import Othello
    >>> use_of_evaluation(MCTS, Othello(), "learned")
    {'evaluate': <LearnedEvaluation of Othello(): 64 patterns, 209,976 weights>, 'playout_depth': 0}
    >>> use_of_evaluation(MCTS, Othello(), None)
    {}
    """
    if evaluation is None and kind.__name__ in PLAY_BY_LEARNED and comes_with_outplay(game):
        evaluation = LEARNED
    if evaluation in (None, OWN):
        return {}
    is_mcts = kind.__name__ == "MCTS"
    if evaluation.endswith(".onnx"):
        from outplay.evaluation.onnx_file import OnnxEvaluator

        if not is_mcts:
            raise EvaluationError(f"{evaluation}: only mcts evaluates by an ONNX file; {kind.__name__} cannot")
        return {"evaluator": OnnxEvaluator(evaluation, game)}
    options: dict[str, Any] = {"evaluate": load_evaluation(evaluation, game)}
    if is_mcts:
        options["playout_depth"] = 0
        if not defines(game, "order") or game.amaf_friendly:
            options["priors"] = "evaluation"
    return options


def comes_with_outplay(game: Game) -> bool:
    """Whether there is a file of what was learned of this built-in game.

    >>> from outplay.games import Nim, Othello
    >>> comes_with_outplay(Othello()), comes_with_outplay(Nim())
    (True, False)
    """
    return getattr(games, type(game).__name__, None) is type(game) and learned_file(game).is_file()


def learned_file(game: Game) -> Path:
    """Where what was learned of a built-in game is, if it comes with outplay.

    >>> from outplay.games import Othello
    >>> learned_file(Othello(6)).name
    'Othello-size-6.learned'
    """
    return Path(games.__file__).with_name(LEARNED) / (re.sub(r"\W+", "-", repr(game)).strip("-") + ".learned")
