"""How `outplay table estimate` shows the size of a table that is not made yet."""

from typing import TYPE_CHECKING

from outplay.cli.output import say, stdout

if TYPE_CHECKING:
    from outplay.tables.estimation import Estimate

SHOWN = 9
"""The number of layers that are shown."""


def show_estimate(size: "Estimate") -> None:
    """Print an estimate."""
    from rich.table import Table  # noqa: PLC0415 - heavy

    rows = Table(box=None, show_header=False, pad_edge=False, padding=(0, 3, 0, 0))
    layers = " ".join(f"{each:,}" for each in size.layers[:SHOWN]) + (" …" if len(size.layers) > SHOWN else "")
    for row in (
        ("states in order of distance", layers),
        ("actions of a state", f"{size.branching:.1f} on average"),
        ("longest game seen", f"{size.longest:,} plies"),
        ("a state needs", _bits(size)),
        ("memory to make the table", _needed(size)),
        ("file", f"{_megabytes(size.file_megabytes)}{' or so' if size.guess else ' or more'}"),
    ):
        rows.add_row(*row)
    say(f"{size.game}: {size}", "bold")
    say()
    stdout().print(rows)
    if not size.complete:
        say()
        say("The lower bound is too high once in a million times; it may be several times too low.", "dim")


def _bits(size: "Estimate") -> str:
    from outplay.tables.codec import WORD, WORDS  # noqa: PLC0415 - heavy

    bits = f"{size.bits} bits" if size.complete else f"{size.bits} bits or more"
    return bits if size.bits <= WORD * WORDS else f"{bits}, and a table has {WORD * WORDS}"


def _needed(size: "Estimate") -> str:
    least = f"{_megabytes(size.least_megabytes)} or more"
    return least if size.complete or size.megabytes is None else f"{least}, likely {_megabytes(size.megabytes)}"


def _megabytes(number: float) -> str:
    if number < 1:
        return "less than 1 MB"
    return f"{number:,.0f} MB" if number < 1e4 else f"{number / 1e3:,.0f} GB"
