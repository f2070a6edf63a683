"""Files of a header and compressed blocks: how those of all tables begin, and how they are read and written."""

import json
import os
import threading
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from outplay.rules.errors import TableError
from outplay.system.files import write_file
from outplay.system.threads import free_in_child
from outplay.tables.compression import zstd

MAGIC = b"outplay table 1\n"
CLASSES_MAGIC = b"outplay class 1\n"
"""How the files of tables by class begin (`class_file.py`)."""
MAKE_AGAIN = "make it again, with: outplay table make"
SPOOLED = 1 << 26
"""The bytes of a temporary file from which on it is not in memory."""


class BlockFile:
    """A file of blocks that is open for reading; without a path, a temporary one that blocks are added to.

    Raises `TableError` if it cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = path
        self.name = "a temporary file" if path is None else str(path)
        self._lock = free_in_child(threading.Lock())
        self._file: IO[bytes]
        self.at = 0
        """Where `take` goes on."""
        try:
            if path is None:
                self._file = SpooledTemporaryFile(SPOOLED)  # noqa: SIM115 - kept open
                self.size = 0
            else:
                self._file = open(path, "rb", buffering=0)  # noqa: SIM115 - kept open
                self.size = os.fstat(self._file.fileno()).st_size
        except OSError as error:
            raise TableError(f"{self.name} cannot be read: {error.strerror or error}") from error
        weakref.finalize(self, self._file.close)

    def read(self, start: int, count: int) -> bytes:
        """So many bytes from `start` on; fewer if the file ends before."""
        parts = []
        try:
            while count and (part := self._part(start, count)):
                parts.append(part)
                start, count = start + len(part), count - len(part)
        except OSError as error:
            raise TableError(f"{self.name} cannot be read: {error.strerror or error}") from error
        return b"".join(parts)

    def _part(self, start: int, count: int) -> bytes:
        if self.path is not None and hasattr(os, "pread"):  # a forked child has the same file, with the same position
            return os.pread(self._file.fileno(), count, start)
        with self._lock:
            self._file.seek(start)
            return self._file.read(count)

    def take(self, section: str, kind: str, count: int) -> NDArray[Any]:
        """The next numbers of the file. Raises `TableError` if it is cut off there."""
        size = np.dtype(kind).itemsize * count
        if self.at + size > self.size:
            raise TableError(f"{self.name} is cut off in its {section}: {MAKE_AGAIN}")
        numbers = np.frombuffer(self.read(self.at, size), kind)
        self.at += size
        return numbers

    def take_header(self, magic: bytes) -> dict[str, Any]:
        """The header of a file that begins with these bytes; `at` is where it ends then. Raises `TableError` if it is
        damaged.
        """
        self.at = len(magic)
        length, check = self.take("header", "<u4", 2).tolist()
        text = self.take("header", "u1", length).tobytes()
        if zlib.crc32(text) != check:
            raise self.damaged("its header")
        try:
            header: dict[str, Any] = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise TableError(f"{self.name} has a header that is not one of a table ({error!r}): {MAKE_AGAIN}") from None
        return header

    def damaged(self, where: str) -> TableError:
        """An error that says where it is damaged."""
        return TableError(f"{self.name} is damaged in {where}: {MAKE_AGAIN}")

    def packed(self, start: int, size: int, check: int, where: str) -> bytes:
        """The bytes of a compressed block. Raises `TableError` if they do not have this checksum."""
        content = self.read(start, size)
        if len(content) != size or zlib.crc32(content) != check:
            raise self.damaged(where)
        return content

    def unpacked(self, packed: bytes, size: int, where: str) -> bytes:
        """`size` bytes that were compressed. Raises `TableError` if there are more or fewer, or they are damaged."""
        try:
            content: bytes = zstd()[1]().decompress(packed, size + 1)
        except Exception as error:  # the module of its errors differs between versions of Python
            raise self.damaged(f"{where} ({error})") from None
        if len(content) != size:
            raise self.damaged(f"{where}, which is too {'long' if len(content) > size else 'short'}")
        return content

    def add(self, content: bytes) -> None:
        """Write bytes at the end."""
        try:
            with self._lock:
                self._file.seek(self.size)
                self._file.write(content)
        except OSError as error:
            raise TableError(f"{self.name} cannot be written: {error.strerror or error}") from error
        self.size += len(content)


def begins_with(path: str | os.PathLike[str], magic: bytes) -> bool:
    """Whether `path` is a file that begins with these bytes."""
    if not os.path.isfile(path):
        return False  # such as a pipe, which can be read only once
    try:
        with open(path, "rb") as file:
            return file.read(len(magic)) == magic
    except OSError:
        return False


def bytes_of(*numbers: int) -> bytes:
    """The bytes of uint32 numbers."""
    return np.array(numbers, "<u4").tobytes()


def write_blocks(
    path: str | os.PathLike[str],
    magic: bytes,
    header: dict[str, Any],
    content: Iterable[bytes],
    check: Callable[[Path], None] | None = None,
) -> None:
    """Write a file of a header and what follows it, and check it. Raises `TableError` if it cannot be written."""
    text = json.dumps(header, separators=(",", ":")).encode()

    def parts() -> Iterator[bytes]:
        yield from (magic, bytes_of(len(text), zlib.crc32(text)), text)
        yield from content

    write_file(path, parts(), TableError, check=check)
