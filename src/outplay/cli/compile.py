"""`outplay compile`: compile games ahead of time, so that the first search of a container or a new machine is warm."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from typing import TYPE_CHECKING, Annotated

import typer

from outplay.cli.options import EvaluationName, Json, SearchOptions, Threads
from outplay.cli.output import live, print_json, say
from outplay.cli.searchers import read_algorithm, searcher_for
from outplay.cli.start import load_checked
from outplay.rules.errors import OutplayError
from outplay.session.algorithms import SEARCHES, suited, takes

if TYPE_CHECKING:
    from outplay.rules.game import Game

EXAMPLES = (
    "Examples:",
    "  outplay compile connect-four chess",
    "  outplay compile my_game.py --algorithm mcts --algorithm alpha-beta",
    "  OUTPLAY_CACHE=/app/cache outplay compile my_game.py     in a Dockerfile",
    "What is compiled is that of analyse, play, match and the engines, with these options.",
    "outplay cache lists it. The folder can be copied to other machines of the same type.",
)


def compile(  # noqa: A001 - the name of the command
    games: Annotated[
        list[str],
        typer.Argument(metavar="GAME...", help='Names, "name(parameter=value)", my_game.py or my_game.py:MyGame.'),
    ],
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            parser=read_algorithm,
            help=f"{', '.join(SEARCHES)}; can be repeated.  [default: what suits the game]",
        ),
    ] = None,
    threads: Threads = 1,
    evaluation: EvaluationName = None,
    settings: SearchOptions = None,
    json: Json = False,
) -> None:
    """Compile games ahead of time."""
    from outplay.compile.cache import folder

    cache_folder = folder()
    if cache_folder is None:
        raise OutplayError("the cache is off, so nothing can be kept: set OUTPLAY_CACHE to a folder of your own")
    loaded = [load_checked(text) for text in games]
    rows = [
        compiled(game, name, threads, evaluation, settings) for game in loaded for name in algorithm or [suited(game)]
    ]
    if json:
        print_json({"folder": str(cache_folder), "compiled": rows})
        return
    for row in rows:
        outcome = "compiled" if row["compiled"] else "runs interpreted; outplay check --compile says why"
        say(f"{row['game']}, {row['algorithm']}: {outcome}")
    say(f"in {cache_folder}", "dim")


def compiled(
    game: "Game", algorithm: str, threads: int, evaluation: str | None, settings: list[str] | None
) -> dict[str, str | bool]:
    """Compile the searches of a game, and say which."""
    from outplay.compile.kernels import runs_compiled
    from outplay.rules.numbered import numbered
    from outplay.session.players import SearchPlayer

    with live(f"compiling {game!r}…"):
        for selective in (False, None) if takes(algorithm, "selective") else (False,):  # as in analyse, as in play
            searcher = searcher_for(
                game, algorithm, threads=threads, reuse=selective is None, selective=selective, evaluation=evaluation,
                settings=settings,
            )  # fmt: skip
            for share in (0.0, 0.5):  # a value for the best action, and for all
                SearchPlayer(searcher, share=share).compile(game)
    return {"game": repr(game), "algorithm": algorithm, "compiled": runs_compiled(numbered(game))}
