"""`Recording`: what a search has recorded, whatever its kind. A `Trace` holds one and shows it."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from outplay.rules.game import Game

if TYPE_CHECKING:
    from outplay.pictures.page import StepByStep
    from outplay.pictures.tree import TreePicture


class Recording(Sequence[Any]):
    """The records of a search, in order.

    Attributes:
        game: the game that was searched.
        method: the search, in words.
        search: the searcher or solver, as `repr` writes it.
        unit: what a record is, in the plural.
        dropped: the number of records for which there was no room.
    """

    game: Game
    method: str
    search: str = ""
    unit: str
    dropped: int

    @abstractmethod
    def text(self, number: int | None, plies: int | None) -> str:
        """The tree after the given iteration or simulation as text; the arguments are those of `Trace.tree`."""

    def picture(self, number: int | None, plies: int | None, boards: bool) -> "TreePicture":
        """The same as a picture; the arguments are those of `Trace.picture`. Raises `ValueError` if there is none."""
        raise ValueError(f"Trace.picture(): a trace of {self.unit} has no picture; print it")

    def steps(self, plies: int | None) -> "StepByStep":
        """The search step by step. Raises `ValueError` if that cannot be shown."""
        raise ValueError(f"a trace of {self.unit} has no steps: outplay tree and Trace.tree() show it as a whole")

    @abstractmethod
    def numbers(self) -> dict[str, Any]:
        """What a file needs to make this again, as plain values; the searcher's `_recorded` reads it."""

    def plot(self, ax: Any) -> Any:
        """Draw the value of the root at each depth, and return the axes."""
        raise ValueError(f"Trace.plot(): {self.method} does not search depth after depth; there is no curve")

    @abstractmethod
    def as_dict(self, plies: int | None) -> dict[str, Any]:
        """The records as plain values, for JSON."""


class GrowingTree(Recording):
    """A recording of a tree that grows with each record; records are read one after the other, when they are needed."""

    _read: list[Any]

    @abstractmethod
    def _next(self, number: int) -> Any:
        """Read the record with this number, from 0 on, after those before it."""

    @abstractmethod
    def _tree(self, number: int | None, method: str) -> Any:
        """The tree after `number` records; errors name the `method` of `Trace`."""

    def __getitem__(self, index: Any) -> Any:
        place = range(len(self))[index]  # raises IndexError
        if isinstance(index, slice):
            return [self[position] for position in place]
        while len(self._read) <= place:
            self._read.append(self._next(len(self._read)))
        return self._read[place]

    def text(self, number: int | None, plies: int | None) -> str:
        """The tree after `number` records as text."""
        text: str = self._tree(number, "tree").text(plies)
        return text

    def picture(self, number: int | None, plies: int | None, boards: bool) -> "TreePicture":
        """The tree after `number` records as a picture."""
        picture: TreePicture = self._tree(number, "picture").picture(plies, boards)
        return picture
