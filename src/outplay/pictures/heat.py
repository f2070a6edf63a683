"""Numbers for the cells of a board, such as what a learned evaluation makes of each: as tints, and as lines of text."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from math import floor, log10
from typing import Any

from outplay.pictures.board import Marks
from outplay.rules.actions import name_of
from outplay.rules.board import Picture, Place

LISTED = 20
"""The most numbers that are listed."""


@dataclass(frozen=True)
class Heat:
    """Numbers for cells, and for what is not on the board.

    Attributes:
        numbers: by cells, or by the names of cells as people use them.
        text: lines that say what the numbers are.
        counts: whether the numbers are counts, which are written without a sign.

    >>> heat = Heat({"a1": 0.31, "b1": -0.024, "idle": 0.0})
    >>> [heat.written(number) for number in heat.numbers.values()]
    ['+0.31', '-0.02', '0']
    """

    numbers: Mapping[Any, float] = field(default_factory=dict)
    text: tuple[str, ...] = ()
    counts: bool = False

    @property
    def most(self) -> float:
        """The greatest of the numbers, without their signs."""
        return max(map(abs, self.numbers.values()), default=0.0)

    def written(self, number: float) -> str:
        """A count, or a number with its sign and so many digits that the greatest one has at least two."""
        if self.counts:
            return f"{number:.0f}"
        digits = min(max(1 - floor(log10(self.most)), 0), 9) if self.most else 0
        text = f"{number:+.{digits}f}"
        return text if text.strip("+-0.") else "0"

    def on(self, board: Picture) -> dict[Hashable, float]:
        """The numbers of the cells of a board."""
        cells = {_name(place): place.cell for place in board.places if place.cell is not None}
        cells |= {cell: cell for cell in board.cells}  # type: ignore[misc]
        return {cells[name]: number for name, number in self.numbers.items() if name in cells}

    def listed(self, board: Picture | None) -> str:
        """The names and the numbers that are not on the board, and not 0, the greatest first."""
        cells = set() if board is None else {*board.cells, *map(_name, board.places)}
        left = [name for name, number in self.numbers.items() if name not in cells and number]
        left.sort(key=lambda name: -abs(self.numbers[name]))
        more = [f"{len(left) - LISTED} more"] if len(left) > LISTED else []
        return ", ".join([*(f"{name}: {self.written(self.numbers[name])}" for name in left[:LISTED]), *more])

    def below(self, board: Picture | None) -> list[str]:
        """Lines of text below a board."""
        others = self.listed(board)
        return [*self.text, *[others] * bool(others)]

    def marks(self, board: Picture) -> Marks:
        """The tints and numbers on the cells of a board."""
        numbers, most = self.on(board), self.most or 1.0
        least = self.written(-most) if min(numbers.values(), default=0.0) < 0 else "0"
        return Marks(
            values={cell: self.written(number) for cell, number in numbers.items()},
            text=self.below(board),
            heat={cell: number / most for cell, number in numbers.items()},
            scale=(least, self.written(most)) if self.most and numbers else (),
        )

    def lines(self, board: Picture) -> Iterator[list[tuple[str, float]]]:
        """The cells that have numbers, line by line from the top, each as spaces and the number, and its share."""
        numbers = self.on(board)
        places = [place for place in board.places if place.cell in numbers]
        texts = {place.cell: self.written(numbers[place.cell]) for place in places}
        wide = max(map(len, texts.values()), default=0) + 1
        left = min((place.x for place in places), default=0.0)
        for y in sorted({place.y for place in places}):
            line: list[tuple[str, float]] = []
            used = 0
            for place in sorted((place for place in places if place.y == y), key=lambda place: place.x):
                start = round((place.x - left) * wide)
                text = texts[place.cell].rjust(max(start - used, 0) + wide)
                used += len(text)
                line.append((text, numbers[place.cell] / (self.most or 1.0)))
            yield line


def _name(place: Place) -> str:
    return place.name or name_of(place.cell)
