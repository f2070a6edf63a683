"""A table in numbers: how many states are won, drawn and lost, and the longest way to each value."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from outplay.tables.file import States


@dataclass(frozen=True)
class TableStats:
    """A table in numbers.

    Attributes:
        states: the number of states; images of each other count as one.
        counts: for each utility of player 0 (in tables by max^n: for the utilities of all sides), the number of states
            with this value; empty in games with chance.
        longest: for each utility but that of a draw, the maximum number of plies, 0 if there is no state; empty for a
            table without distances.
        range: in games with chance, the least and the greatest value for player 0; else None.
    """

    states: int
    counts: dict[Any, int]
    longest: dict[Any, int]
    range: tuple[float, float] | None = None

    def as_dict(self) -> dict[str, Any]:
        """The numbers as plain values, for JSON."""
        if self.range is not None:
            return {"states": self.states, "least": self.range[0], "greatest": self.range[1]}
        return {
            "states": self.states,
            "values": [
                {"value": value, "states": count, "longest": self.longest.get(value)}
                for value, count in self.counts.items()
            ],
        }


def stats_of(utilities: Sequence[Any], draw: float, parts: Iterable[States]) -> TableStats:
    """The numbers of a table that consists of these parts."""
    utilities = [tuple(utility) if isinstance(utility, list) else utility for utility in utilities]
    counts, longest = np.zeros(len(utilities), np.int64), np.zeros(len(utilities), np.int64)
    states, least, greatest = 0, np.inf, -np.inf
    for part in parts:
        states += len(part.codes)
        if part.levels.dtype == np.float64:
            least, greatest = min(least, part.levels.min()), max(greatest, part.levels.max())
            continue
        counts += np.bincount(part.levels, minlength=len(counts))
        np.maximum.at(longest, part.levels, part.plies.astype(np.int64))
    if least <= greatest:
        return TableStats(states, {}, {}, (float(least), float(greatest)))
    return TableStats(
        states=states,
        counts={value: int(count) for value, count in zip(utilities, counts, strict=True)},
        longest={value: int(most) for value, most in zip(utilities, longest, strict=True) if value != draw},
    )


def stats_of_values(header: dict[str, Any]) -> TableStats:
    """The numbers of a table without distances, from the header of its file."""
    counts = dict(zip(header["utilities"], header["counts"], strict=True))
    return TableStats(states=header["states"], counts=counts, longest={})
