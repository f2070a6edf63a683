"""`Numbering`: how a table numbers the states of its game, by codes or by class and index, and what it says of each.

`Tablebase` knows no more of its states than this. In compiled code, `probe.py` and `laws.py` choose between codes and
classes, in one function each.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import Game
from outplay.tables.stats import TableStats

if TYPE_CHECKING:
    from outplay.tables.file import States, TableFile

END, CONVERSION = DISTANCES = ("end", "conversion")
"""What distances count to: the end of the game, or the next conversion (`Game.index_stage`)."""


class Numbering(ABC):
    """The states of a table, each with its value and its plies; values are those of player 0, or of each side.

    Plies are 0 in draws, with chance, and in a table without distances.
    """

    game: Game
    distances: bool = True
    """Whether the table has distances."""
    distance_to: str = END
    """What distances count to."""
    coded: "States | TableFile | None" = None
    """The codes, values and distances of all states; None by class."""

    @abstractmethod
    def __len__(self) -> int:
        """The number of states."""

    @abstractmethod
    def find(self, state: Any) -> tuple[Any, int] | None:
        """The value of a state, and the plies; None if it is not there.

        Raises `RulesError` if it is not a state of the game.
        """

    @abstractmethod
    def entries(self) -> Iterator[tuple[Any, Any, int]]:
        """Each state, with its value and the plies."""

    @abstractmethod
    def stats(self) -> TableStats:
        """The states in numbers."""

    def draw_of(self, state: Any) -> float:
        """What player 0 gets if play from `state` never ends."""
        return draw_utility(self.game)

    def holds(self, state: Any, value: Any, plies: int) -> bool:
        """Whether the value is certain even if the state has a past that its number leaves out, such as idle plies."""
        return True

    def counted(self, state: Any, child: Any, plies: int) -> int:
        """The plies that count after an action from `state` to `child`: none after a conversion."""
        return plies
