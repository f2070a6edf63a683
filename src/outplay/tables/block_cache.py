"""The blocks of files that kernels have in memory, and which makes way: kernels call `fetch`, which runs in Python."""

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from outplay.compile.kernels import CALLBACK
from outplay.compile.records import Record


class BlockCache:
    """What one thread needs to look states up: the arrays that kernels read.

    If a block cannot be read, `fetch` returns -1, so that the kernel stops; the error is in `error` and must be raised.

    Args:
        blocks: the number of all blocks.
        room: the number of those for which there is room.
    """

    arrays: Sequence[str] = ()
    """Those whose addresses are in the memory of a kernel."""

    def __init__(self, blocks: int, room: int) -> None:
        self.error: BaseException | None = None
        self.callback = CALLBACK(self.fetch)
        self.clear(blocks, room)

    def clear(self, blocks: int, room: int) -> None:
        """Begin with an empty cache."""
        self.held, self.hand = np.full(room, -1), 0
        self.used = np.zeros(blocks + 1, np.uint16)  # the last one is for places of the cache that are free

    def fill(self, memory: Record) -> None:
        """Fill in the addresses in the memory of a kernel."""
        memory.fetch = ctypes.cast(self.callback, ctypes.c_void_p).value
        for name in ("used", *self.arrays):
            setattr(memory, name, getattr(self, name).ctypes.data)

    def fetch(self, block: int) -> int:
        """Put a block into the cache and return its place; -1 if it cannot be read. Kernels call it."""
        try:
            content = self.read(block)
            slot = self._free()
            if self.held[slot] >= 0:
                self.remove(int(self.held[slot]))
            self.held[slot] = block
            self.put(block, slot, content)
        except BaseException as error:  # no error can pass through compiled code
            self.error = error
            return -1
        return slot

    def check(self) -> None:
        """Raise the error that reading a block has raised."""
        if self.error is not None:
            raise self.error

    def read(self, block: int) -> Any:
        """A block of the file."""
        raise NotImplementedError

    def put(self, block: int, slot: int, content: Any) -> None:
        """Put a block at this place in the cache."""
        raise NotImplementedError

    def remove(self, block: int) -> None:
        """Remove a block from the cache."""
        raise NotImplementedError

    def _free(self) -> int:
        """A place for a block: the next one that has not been used since the clock passed (second chance)."""
        for _ in range(2):
            free = np.flatnonzero(self.used[self.held[self.hand :]] == 0)
            if len(free):
                slot = self.hand + int(free[0])
                self.used[self.held[self.hand : slot]] = 0
                self.hand = (slot + 1) % len(self.held)
                return slot
            self.used[self.held[self.hand :]] = 0
            self.hand = 0
        return 0
