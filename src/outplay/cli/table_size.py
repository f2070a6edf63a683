"""How `outplay table estimate` shows the size of a table that is not made yet."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outplay.cli.output import say, short, stdout
from outplay.session.solver import in_words

if TYPE_CHECKING:
    from outplay.rules.game import Game
    from outplay.tables.estimation import Estimate

PATIENCE = 3.0
"""The seconds before it is estimated how much there is to do."""
SHOWN = 9
"""The number of layers that are shown."""


def show_estimate(size: "Estimate") -> None:
    """Print an estimate."""
    from rich.table import Table  # noqa: PLC0415 - heavy

    rows = Table(box=None, show_header=False, pad_edge=False, padding=(0, 3, 0, 0))
    layers = " ".join(f"{layer:,}" for layer in size.layers[:SHOWN]) + (" …" if len(size.layers) > SHOWN else "")
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


class LateEstimate:
    """The estimate of a table that is being made, for which there is one if it takes more than `PATIENCE` and has more
    states than an estimate finds one by one.
    """

    def __init__(
        self, game: "Game", start: Any, memory_mb: float, disk_mb: float | None, file: Path, *, wanted: bool
    ) -> None:
        self.game, self.start, self.memory_mb, self.disk_mb, self.file = game, start, memory_mb, disk_mb, file
        self.wanted, self.is_refused = wanted, False
        self.size: Estimate | None = None

    def after(self, seconds: float, states: int) -> "Estimate | None":
        """The estimate, when so many states are found. Raises `OutplayError` if the table certainly does not fit into
        the memory and the disk.
        """
        from outplay.rules.constant_sum import is_opposed  # noqa: PLC0415 - heavy
        from outplay.tables.estimation import WALKED, check_fits, estimate  # noqa: PLC0415 - heavy

        if self.wanted and self.size is None and seconds > PATIENCE and states > WALKED:
            self.size = estimate(self.game, [self.start], check=False)
            free = shutil.disk_usage(self.file.resolve().parent).free / 1e6
            can_use_disk = is_opposed(self.game) and not self.game.has_chance
            self.is_refused = True
            check_fits(self.size, self.memory_mb, min(free, self.disk_mb or free) if can_use_disk else 0)
            self.is_refused = False
        return self.size


def progress_line(stage: str, done: int, states: int, seconds: float, size: "Estimate | None") -> str:
    """What is shown while a table is made.

    >>> progress_line("solving", 500_000, 2_000_000, 10, None)
    'solving: 25% of 2,000,000 states  10 s'
    """
    if stage != "finding":
        return f"{stage}: {done / max(states, 1):.0%} of {states:,} states  {seconds:.0f} s"
    size_text = ""
    if size is not None and size.guess is not None and size.guess > states > 0:
        left = in_words(seconds * (size.guess - states) / states)
        size_text = f" of about {size.guess:,.0f}, {left} left"
    return f"finding: {states:,} states{size_text}  {seconds:.0f} s  {short(states / seconds)} states/s"


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
