"""The successors within a class that is being solved, in memory or in temporary files."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile, gettempdir
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.rules.errors import OutplayError


class Edges:
    """The successors of all parts, in memory, or in a temporary file if they are more than `most`."""

    def __init__(self, parts: int, most: int) -> None:
        self.most, self.count = most, 0
        self.missing = set(range(parts))
        """The parts that are not there yet."""
        self.done = set[int]()
        """The parts that are there."""
        self._parts: dict[int, NDArray[np.uint32]] = {}
        self._file: Any = None
        self._places: dict[int, tuple[int, int]] = {}

    def add(self, part: int, targets: NDArray[np.uint32]) -> None:
        """Take the successors of a part."""
        self._parts[part] = targets
        self.count += len(targets)
        self.missing.remove(part)
        self.done.add(part)
        if self.count > self.most:
            with room_on_disk():
                if self._file is None:
                    self._file = TemporaryFile()  # noqa: SIM115 - kept open
                for each in list(self._parts):
                    numbers = self._parts.pop(each)
                    self._places[each] = self._file.seek(0, os.SEEK_END), len(numbers)
                    self._file.write(numbers)

    def clear(self) -> None:
        """Free the memory and the file."""
        self._parts.clear()
        self._places.clear()
        if self._file is not None:
            self._file.close()

    def read(self) -> Iterator[NDArray[np.uint32]]:
        """The successors of each part in order."""
        return map(self.of, range(len(self._parts) + len(self._places)))

    def of(self, part: int) -> NDArray[np.uint32]:
        """The successors of a part."""
        if part in self._parts:
            return self._parts[part]
        start, count = self._places[part]
        self._file.seek(start)
        found = np.empty(count, np.uint32)
        self._file.readinto(found)
        return found


@contextmanager
def room_on_disk() -> Iterator[None]:
    """Raise `OutplayError` if a temporary file cannot be written."""
    try:
        yield
    except OSError as error:
        raise OutplayError(
            f"no room for a temporary file in {gettempdir()} ({error.strerror or error}): increase memory_mb, or set"
            " the environment variable TMPDIR to a folder with more room"
        ) from error


def numbers_in_file(count: int) -> NDArray[np.uint32]:
    """An array in a temporary file."""
    with room_on_disk(), TemporaryFile() as file:
        try:
            if hasattr(os, "posix_fallocate"):  # a full disk would end the process later
                os.posix_fallocate(file.fileno(), 0, 4 * count)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):  # not every file system can do that
                raise
        return np.asarray(np.memmap(file, np.uint32, "w+", shape=count))
