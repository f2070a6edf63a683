"""Look-ups of solved classes in kernels, with a few blocks in memory at a time, so that classes may be of any size.

A kernel that needs a block that is not there says so and ends (`place_in`); after `BlockCache.fetch` it goes on.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel

BLOCK_BITS = 18
BLOCK = 1 << BLOCK_BITS
"""The number of indices of a block."""
BLOCK_MB = BLOCK * 3 / 1e6
"""The megabytes of a block in memory."""
NOWHERE = -1
"""What `place_in` returns for an index that is not in its class; a block that is not in memory is below."""


class Source(Protocol):
    """Solved classes by number."""

    def shape(self, number: int) -> tuple[int, tuple[float, ...]]:
        """The number of indices of a class, and its utilities."""

    def block(self, number: int, block: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """The levels and the plies of a block of a class."""


class View(NamedTuple):
    """What kernels take to look into classes."""

    numbers: NDArray[np.int64]  # [classes]
    sizes: NDArray[np.int64]  # [classes]: the number of indices
    blocks: NDArray[np.int64]  # [classes]: the number of the first block among those of all classes
    first: NDArray[np.int64]  # [classes]: where the utilities of a class begin in
    utilities: NDArray[np.float64]
    slots: NDArray[np.int64]  # [blocks]: where a block is in memory, in blocks; -1 if it is not there
    levels: NDArray[np.uint8]
    plies: NDArray[np.uint16]


class BlockCache:
    """Blocks of classes in memory, as many as fit into `memory_mb`; more only where one index asks for more at once."""

    def __init__(self, source: Source, memory_mb: float) -> None:
        self.source = source
        self.most = max(1, int(memory_mb / BLOCK_MB))
        none = np.zeros(0, np.int64)
        self.view = View(
            none, none, none, none, np.zeros(0), none, np.zeros(BLOCK, np.uint8), np.zeros(BLOCK, np.uint16)
        )
        self._held: list[int] = []
        self._next = 0  # the slot whose block leaves next
        self._asked = -1, 0  # the index that asked last, and how often

    def add(self, number: int) -> None:
        """Make a class known."""
        view, (size, utilities) = self.view, self.source.shape(number)
        self.view = view._replace(
            numbers=np.append(view.numbers, number),
            sizes=np.append(view.sizes, size),
            blocks=np.append(view.blocks, len(view.slots)),
            first=np.append(view.first, len(view.utilities)),
            utilities=np.append(view.utilities, utilities),
            slots=np.append(view.slots, np.full(-(-size // BLOCK), -1, np.int64)),
        )

    def fetch(self, block: int, index: int) -> None:
        """Put a block into memory, for an index that the kernel is at."""
        times = self._asked[1] + 1 if self._asked[0] == index else 1
        self._asked = index, times
        view, room = self.view, len(self.view.levels) // BLOCK
        if len(self._held) == room and (room < self.most or times > room):
            view = self.view = view._replace(
                levels=np.concatenate([view.levels, np.zeros_like(view.levels)]),
                plies=np.concatenate([view.plies, np.zeros_like(view.plies)]),
            )
            room *= 2
        if len(self._held) < room:
            slot = len(self._held)
            self._held.append(block)
        else:
            slot, self._next = self._next, (self._next + 1) % room
            view.slots[self._held[slot]] = -1
            self._held[slot] = block
        place = int(np.searchsorted(view.blocks, block, side="right")) - 1
        levels, plies = self.source.block(int(view.numbers[place]), block - int(view.blocks[place]))
        start = slot * BLOCK
        view.levels[start : start + len(levels)], view.plies[start : start + len(plies)] = levels, plies
        view.slots[block] = slot


@kernel
def place_of(numbers: Any, number: int) -> int:
    """The place of a class among the known ones; -1 if it is not there."""
    for i in range(len(numbers)):
        if numbers[i] == number:
            return i
    return -1


@kernel
def place_in(place: int, index: int, sizes: Any, blocks: Any, slots: Any) -> int:
    """Where an index of a known class is among `levels` and `plies`; `NOWHERE`, or `NOWHERE - 1 -` its block."""
    if index >= sizes[place]:
        return NOWHERE
    block = int(blocks[place]) + (index >> BLOCK_BITS)
    slot = int(slots[block])
    return slot << BLOCK_BITS | (index & BLOCK - 1) if slot >= 0 else NOWHERE - 1 - block
