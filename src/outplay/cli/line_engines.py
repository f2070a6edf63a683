"""The loop of engines that speak on standard input and output."""

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from outplay.protocols.line_engine import LineEngine


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
