"""Look-ups of solved classes in kernels, with a few blocks in memory at a time, so that classes may be of any size."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import call_at, float64_at, int64_at, kernel, uint8_at, uint16_at
from outplay.compile.records import Record
from outplay.tables.block_cache import BlockCache

BLOCK_BITS = 18
BLOCK = 1 << BLOCK_BITS
"""The number of indices of a block."""
BLOCK_MB = BLOCK * 3 / 1e6
"""The megabytes of a block in memory."""
LEAST_ROOM = 8
"""The blocks for which there is always room: those that the successors of one state are in, as a rule."""
NOWHERE, BROKEN = -1, -2
"""What `level_at` returns for an index that is not in its class, and if its block cannot be read."""
CLASS_FIELDS = (
    ("classes", int),
    ("numbers", int),  # the addresses of the number of each class, in ascending order,
    ("sizes", int),  # of its indices,
    ("starts", int),  # of its first block,
    ("kinds", int),  # of its first utility
    ("utilities", int),  # among those of all classes,
    ("levels_of", int),  # and for each block of the address of its levels, 0 if it is not in the cache,
    ("plies_of", int),  # and of its plies
    ("used", int),  # the addresses of a mark for each block, 1: used since the clock passed,
    ("fetch", int),  # and of the function that puts a block into the cache
    ("at_block", int),  # where the index found last is
    ("at_place", int),
)
"""The fields of a kernel's memory for looking classes up."""


class Source(Protocol):
    """Solved classes by number."""

    def shape(self, number: int) -> tuple[int, tuple[float, ...]]:
        """The number of indices of a class, and its utilities."""

    def block(self, number: int, block: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """The levels and the plies of a block of a class."""


class ClassCache(BlockCache):
    """Blocks of classes in memory, as many as fit into `memory_mb`."""

    arrays: Sequence[str] = ("numbers", "sizes", "starts", "kinds", "utilities", "levels_of", "plies_of")

    def __init__(self, source: Source, memory_mb: float, numbers: Iterable[int] = ()) -> None:
        self.source, self.room = source, max(LEAST_ROOM, int(memory_mb / BLOCK_MB))
        super().__init__(0, self.room)
        self.know(numbers)

    def know(self, numbers: Iterable[int]) -> None:
        """Know these classes, with none of their blocks in memory."""
        class_numbers = sorted(numbers)
        shapes = [self.source.shape(number) for number in class_numbers]
        self.numbers = np.array(class_numbers, np.int64)
        self.sizes = np.array([size for size, _ in shapes], np.int64)
        self.starts = starts_of(-(-size // BLOCK) for size, _ in shapes)
        self.kinds = starts_of(len(utilities) for _, utilities in shapes)
        self.utilities = np.array([value for _, utilities in shapes for value in utilities], np.float64)
        blocks = int(self.starts[-1])
        self.levels_of, self.plies_of = np.zeros(blocks, np.int64), np.zeros(blocks, np.int64)
        self.contents: dict[int, tuple[NDArray[Any], NDArray[Any]]] = {}
        """The arrays at these addresses."""
        self.clear(blocks, self.room)

    def add(self, number: int, memory: Record) -> None:
        """Make a class known to a kernel."""
        self.know([*self.numbers.tolist(), number])
        self.fill(memory)

    def fill(self, memory: Record) -> None:
        """Fill in the fields of a kernel's memory."""
        super().fill(memory)
        memory.classes = len(self.numbers)

    def view(self, block: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """The levels and the plies of a block."""
        place = int(np.searchsorted(self.starts, block, side="right")) - 1
        return self.source.block(int(self.numbers[place]), block - int(self.starts[place]))

    def read(self, block: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """A copy of them: no more of a class is kept in memory by it."""
        levels, plies = self.view(block)
        return np.array(levels, np.uint8), np.array(plies, np.uint16)

    def put(self, block: int, slot: int, content: tuple[NDArray[Any], NDArray[Any]]) -> None:
        """Put a block into the cache."""
        self.contents[block] = content
        self.levels_of[block], self.plies_of[block] = (part.ctypes.data for part in content)

    def remove(self, block: int) -> None:
        """Remove a block from the cache."""
        self.levels_of[block] = 0
        del self.contents[block]


def starts_of(counts: Iterable[int]) -> NDArray[np.int64]:
    """Where each part begins if they follow each other, and where the last one ends."""
    return np.array([*accumulate(counts, initial=0)], np.int64)


@kernel
def place_of(number: int, classes: Any) -> int:
    """The place of a class among the known ones; -1 if it is not there."""
    numbers, low, high = int64_at(classes.numbers), 0, int(classes.classes)
    while low < high:
        middle = low + high >> 1
        if numbers[middle] < number:
            low = middle + 1
        else:
            high = middle
    return low if low < classes.classes and numbers[low] == number else -1


@kernel
def level_at(place: int, index: int, classes: Any) -> int:
    """The level of an index of the class at this place, not below 0; `NOWHERE` or `BROKEN`."""
    if index < 0 or index >= int64_at(classes.sizes)[place]:
        return NOWHERE
    block = int64_at(classes.starts)[place] + (index >> BLOCK_BITS)
    if int64_at(classes.levels_of)[block] == 0 and call_at(classes.fetch, block) < 0:
        return BROKEN
    uint16_at(classes.used)[block] = 1
    classes.at_block, classes.at_place = block, index & BLOCK - 1
    return int(uint8_at(int64_at(classes.levels_of)[block])[classes.at_place])


@kernel
def plies_here(classes: Any) -> int:
    """The plies of the index found last."""
    return int(uint16_at(int64_at(classes.plies_of)[classes.at_block])[classes.at_place])


@kernel
def kind_of(place: int, level: int, classes: Any) -> int:
    """The place of a utility of the class at this place among those of all classes."""
    return int(int64_at(classes.kinds)[place]) + level


@kernel
def utility_of(place: int, level: int, classes: Any) -> float:
    """A utility of the class at this place."""
    return float(float64_at(classes.utilities)[kind_of(place, level, classes)])
