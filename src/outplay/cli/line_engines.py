"""What the commands of engines share: their options, and the loop on standard input and output."""

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Annotated

import typer

from outplay.cli.gtp import suited
from outplay.cli.options import searches_beginning
from outplay.cli.searchers import read_algorithm, read_settings
from outplay.cli.start import load_checked
from outplay.session.algorithms import SEARCHES, searcher_class

if TYPE_CHECKING:
    from collections.abc import Callable

    from outplay.protocols.line_engine import LineEngine

EngineAlgorithm = Annotated[
    str | None,
    typer.Option(
        "--algorithm",
        metavar="NAME",
        parser=read_algorithm,
        autocompletion=searches_beginning,
        help=f"{', '.join(SEARCHES)}.  [default: what suits the game]",
    ),
]


def run_engine(
    kind: "type[LineEngine]", game: str, algorithm: str | None, settings: list[str] | None, seed: int = 0
) -> None:
    """Let an engine of this protocol play a game."""
    rules = load_checked(game)
    name = algorithm or suited(rules)
    options = read_settings(searcher_class(name), settings or ())
    serve(lambda write: kind(rules, write, name, options=options, seed=seed))


def serve(make: "Callable[[Callable[[str], None]], LineEngine]") -> None:
    """Let an engine answer the lines of standard input, until it quits or the input ends.

    `make` gets what writes a line.
    """
    answers = sys.stdout

    def write(line: str) -> None:
        answers.write(f"{line}\n")
        answers.flush()

    lines = typer.get_text_stream("stdin", encoding="utf-8", errors="replace")
    with redirect_stdout(sys.stderr):  # output of the rules must not mix with the answers
        make(write).run(iter(lines.readline, ""))
