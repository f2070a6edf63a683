"""Rows of numbers that grow in place, in memory or in a file.

Much more is mapped than is ever used: only the pages that are touched take memory, or space on the disk. A row in a
file can be evicted: its pages leave the memory, and come back from the file when they are read.
"""

import mmap
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from outplay.rules.errors import OutplayError

if TYPE_CHECKING:
    from numpy.typing import NDArray

PAGE = mmap.PAGESIZE
NORESERVE = 0x4000 if sys.platform == "linux" else 0
"""The flag for a mapping that may be larger than the memory; Python 3.11 has no name for it."""
STAGGER = 64
"""Rows begin this many bytes apart, modulo the size of a page: their ends compete for other lines of the cache then."""


class Rows:
    """A matrix of which each row is used from its begin on.

    Args:
        kind: the type of the numbers.
        rows: the number of rows.
        room: the numbers that a row has room for.
        path: the file; by default the rows are in memory. What it holds is kept.

    Raises `OutplayError` if the file cannot be mapped.
    """

    def __init__(self, kind: Any, rows: int, room: int, path: Path | None = None) -> None:
        self.kind, self.room, self.path = np.dtype(kind), room, path
        pages = -(-room * self.kind.itemsize // PAGE) | 1  # odd: else ends of rows compete for a few entries of the TLB
        self._pitch = pages * PAGE + STAGGER
        size = rows * self._pitch
        try:
            self._map = in_memory(size) if path is None else in_file(path, size)
        except (OSError, ValueError, OverflowError, MemoryError) as error:
            raise OutplayError(f"{path or 'memory'}: {size:,} bytes cannot be mapped: {error}") from error
        self.numbers: NDArray[Any] = np.frombuffer(self._map, self.kind).reshape(rows, -1)

    @property
    def name(self) -> str:
        """The name of the file."""
        assert self.path is not None, "it is in a file"
        return self.path.name

    def evict(self, row: int, count: int) -> None:
        """Take the pages of the first `count` numbers of a row out of memory. Without a file, the numbers are lost."""
        self._advise("MADV_DONTNEED", row, count)

    def fetch(self, row: int, count: int) -> None:
        """Read the first `count` numbers of a row from the file ahead of their use."""
        if self.path is not None and count:
            self._advise("MADV_WILLNEED", row, count)

    def _advise(self, advice: str, row: int, count: int) -> None:
        """Give advice on the pages that only the first `count` numbers of a row are on."""
        begin = row * self._pitch
        end = -(-(begin + count * self.kind.itemsize) // PAGE) * PAGE
        begin, end = -(-begin // PAGE) * PAGE, min(end, (begin + self._pitch) // PAGE * PAGE)
        if end > begin and hasattr(mmap, advice):  # Windows has none
            self._map.madvise(getattr(mmap, advice), begin, end - begin)

    def sync(self) -> None:
        """Wait until the file is on the disk. Raises `OSError`, such as for a full disk."""
        if self.path is not None:
            self._map.flush()

    def copied_to(self, path: Path, counts: list[int], room: int) -> "Rows":
        """A copy in a new file, of the first `counts[i]` numbers of row i. They leave the memory, here and there; if
        they have no file, they are lost here.
        """
        if max(counts) > room:
            raise OutplayError(f"{path}: {max(counts):,} numbers do not fit into a row for {room:,}")
        new = Rows(self.kind, len(self.numbers), room, path)
        with open(path, "r+b", buffering=0) as file:  # much faster than page by page
            for row, count in enumerate(counts):
                file.seek(row * new._pitch)
                part = self.numbers[row, :count].data.cast("B")
                while len(part):
                    part = part[file.write(part) :]
                self.evict(row, count)
        return new


def in_memory(size: int) -> mmap.mmap:
    """A mapping of zeros."""
    if not hasattr(mmap, "MAP_PRIVATE"):
        return mmap.mmap(-1, size)
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        memory.madvise(mmap.MADV_NOHUGEPAGE)  # a huge page for the begin of each row would be a lot
    return memory


def in_file(path: Path, size: int) -> mmap.mmap:
    """A mapping of a file of which only the parts that are written take space."""
    with open(path, "a+b") as file:
        file.truncate(size)
        memory = mmap.mmap(file.fileno(), size)
    if hasattr(mmap, "MADV_RANDOM"):
        memory.madvise(
            mmap.MADV_RANDOM
        )  # else each write beyond the end of a row reads ahead, which takes 20 times as long
    return memory
