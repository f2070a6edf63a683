"""`outplay gtp`: an engine for programs that show or play Go.

The protocol is in `outplay.protocols.gtp`. Here are the options and the loop.
"""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Annotated

import typer

from outplay.cli.options import BookFile, EvaluationName, GameName, SearchOptions, TableMb, Threads
from outplay.cli.output import progress_line, stderr
from outplay.cli.searchers import read_algorithm, searcher_for
from outplay.cli.start import load_checked
from outplay.engine.limits import Limit
from outplay.rules.game import Game
from outplay.session.algorithms import SEARCHES

if TYPE_CHECKING:
    from outplay.engine.analysis import Analysis
    from outplay.engine.searcher import Searcher
    from outplay.protocols import Engine

EXAMPLES = (
    "Examples:",
    "  outplay gtp go",
    "  outplay gtp go --seconds 10 --resign -0.95",
    "  printf 'genmove black\\nshowboard\\n' | outplay gtp go",
    "outplay gtp go is the command to enter in GoGui (Program, New Program) and",
    "Sabaki (Engines, Manage Engines). For an absolute path: which outplay.",
    "A match with GNU Go, by gogui-twogtp:",
    "  gogui-twogtp -auto -games 10 -size 9 -komi 7.5 -sgffile match \\",
    '    -black "outplay gtp go" -white "gnugo --mode gtp --chinese-rules"',
    "Answers go to standard output; warnings and analyses to standard error.",
)


def gtp(
    game: GameName,
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            min=0,
            help="The maximum time for each move.  [default: 5, unless the controller sets a clock]",
        ),
    ] = None,
    nodes: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The maximum number of states to search for each move.")
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            parser=read_algorithm,
            help=f"{', '.join(SEARCHES)}.  [default: what suits the game]",
        ),
    ] = None,
    table_mb: TableMb = None,
    threads: Threads = 1,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="The same seed makes the same choices, for randomized algorithms."),
    ] = None,
    resign: Annotated[
        float | None,
        typer.Option(
            metavar="V",
            help="Resign when the value of the best move is at most V. In Go values are from -1 to 1."
            "  [default: never]",
        ),
    ] = None,
    book: BookFile = None,
    evaluation: EvaluationName = None,
    settings: SearchOptions = None,
) -> None:
    """Play by the Go Text Protocol, for GUIs and matches."""
    from outplay.protocols import engine_for

    rules = load_checked(game)
    name = algorithm or suited(rules)

    def searcher(game: Game) -> "Searcher":
        return searcher_for(
            game, name, table_mb, book, threads, True, evaluation=evaluation, seed=seed, settings=settings
        )

    limit = None if seconds is None and nodes is None else Limit(seconds=seconds, nodes=nodes)
    serve(engine_for(rules, searcher, limit, resign=resign, report=report))


def suited(game: Game) -> str:
    """The algorithm for a game if none is named: Monte Carlo tree search for Go, alpha-beta for others."""
    from outplay.games import Go

    return "mcts" if isinstance(game, Go) else "alpha-beta"


def serve(engine: "Engine") -> None:
    """Answer lines until the controller quits or closes the input."""
    answers = sys.stdout
    lines = typer.get_text_stream("stdin", encoding="utf-8", errors="replace")
    with redirect_stdout(sys.stderr):  # output of the rules must not mix with the answers
        while not engine.ended and (line := lines.readline()):
            answers.write(engine.answer(line))
            answers.flush()


def report(analysis: "Analysis") -> None:
    """Print an analysis."""
    stderr().print(progress_line(analysis), soft_wrap=True)
