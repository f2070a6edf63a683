"""The file of a table: the codes of all states in ascending order, with their values, in compressed blocks.

    outplay table 1        and a line feed, 16 bytes
    length, CRC-32         of the header, two uint32
    header                 JSON: the game, a hash of its rules, the form of codes, the utilities, …
    CRC-32                 of the index, one uint32
    index                  for each block: the code that it begins with, int64 [words]; then where each block begins,
                           uint64 [blocks + 1], from the end of the index on; then the CRC-32 of each block, uint32
    blocks                 compressed with zstd

All numbers are little-endian. A block has `BLOCK` states (the last one may have fewer). It holds, for each word of the
code, the differences from state to state, uint64, by significance of their bytes: all lowest bytes, then all next ones,
and so on; then the levels, and the plies, both of the width that the header gives. The first differences are those from
the code in the index, 0.
"""

import json
import os
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.rules.errors import TableError
from outplay.system.files import write_file

MAGIC = b"outplay table 1\n"
BLOCK = 4096
"""The number of states of a block."""
LEVEL = 9
"""The level of compression."""
CACHED = 256
"""The number of blocks that are kept uncompressed."""
MAKE_AGAIN = "make it again, with: outplay table make"


class States(NamedTuple):
    """States in ascending order of their codes."""

    codes: NDArray[np.int64]
    """Shape (states, words)."""
    levels: NDArray[Any]
    """The index of each state's value in the utilities."""
    plies: NDArray[Any]
    """The plies to the end of the game; 0 in draws."""

    def find(self, code: tuple[int, ...]) -> int:
        """The index of a code; -1 if it is not there."""
        at = place_of(self.codes, code)
        return at if at >= 0 and tuple(self.codes[at].tolist()) == code else -1


def place_of(codes: NDArray[np.int64], code: tuple[int, ...]) -> int:
    """The index of the last of the ascending `codes` that is not above `code`; -1 if all are."""
    begin, end = 0, len(codes)
    for word, wanted in enumerate(code):
        column = codes[begin:end, word]
        first = begin + int(np.searchsorted(column, wanted))
        after = begin + int(np.searchsorted(column, wanted, side="right"))
        if first == after or word == len(code) - 1:
            return after - 1
        begin, end = first, after
    return end - 1


def write_table(path: str | os.PathLike[str], header: dict[str, Any], states: States) -> None:
    """Write a table to a file, whole or not at all. Raises `TableError` if it cannot be written."""
    compress = _zstd()[0]
    count, words = states.codes.shape
    levels, plies = (each.astype(_narrowest(each)) for each in (states.levels, states.plies))
    header = header | {
        "states": count,
        "words": words,
        "level_bytes": levels.itemsize,
        "plies_bytes": plies.itemsize,
    }
    blocks, starts = [], list(range(0, count, BLOCK))
    for start in starts:
        end = start + BLOCK
        codes = states.codes[start:end]
        steps = np.diff(codes, axis=0, prepend=codes[:1]).astype("<u8")
        by_byte = [np.ascontiguousarray(steps[:, word].copy().view(np.uint8).reshape(-1, 8).T) for word in range(words)]
        content = b"".join(each.tobytes() for each in (*by_byte, levels[start:end], plies[start:end]))
        blocks.append(compress(content, LEVEL))
    offsets = np.cumsum([0, *map(len, blocks)]).astype("<u8")
    checks = np.array([zlib.crc32(block) for block in blocks], "<u4")
    index = states.codes[starts].astype("<i8").tobytes() + offsets.tobytes() + checks.tobytes()
    text = json.dumps(header, separators=(",", ":")).encode()
    parts = (MAGIC, _numbers(len(text), zlib.crc32(text)), text, _numbers(zlib.crc32(index)), index, *blocks)
    write_file(path, lambda: b"".join(parts), TableError)


def is_table(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as tables do."""
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise `TableError` if a table could not be written there: better now than after hours."""
    target = Path(os.path.realpath(path))
    reason = (
        "it is a folder"
        if target.is_dir()
        else f"there is no folder {target.parent}"
        if not target.parent.is_dir()
        else ""
        if os.access(target if target.exists() else target.parent, os.W_OK)
        else "it is write-protected"
    )
    if reason:
        raise TableError(f"{path} cannot be written: {reason}")
    _zstd()


def _numbers(*numbers: int) -> bytes:
    return np.array(numbers, "<u4").tobytes()


def _narrowest(numbers: NDArray[Any]) -> str:
    return "u1" if numbers.max(initial=0) < 256 else "<u2"


def _zstd() -> tuple[Any, Any]:
    """The functions that compress and decompress."""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore] # noqa: PLC0415 - Python 3.14
    except ImportError:
        try:
            from backports import zstd  # noqa: PLC0415
        except ImportError as error:
            raise TableError(
                f"files of tables need the extra tables ({error}): pip install 'outplay[tables]', or Python 3.14"
            ) from None
    return zstd.compress, zstd.decompress


class TableFile:
    """The file of a table, open for reading. Blocks are read when they are needed, and checked then.

    Raises `TableError` if it is not a table or is damaged.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = path
        self._decompress = _zstd()[1]
        self._cache: OrderedDict[int, States] = OrderedDict()
        try:
            self._bytes = np.memmap(path, np.uint8, mode="r")
        except ValueError:
            raise TableError(f"{path} is not a table: the file is empty") from None
        except OSError as error:
            raise TableError(f"{path} cannot be read: {error.strerror or error}") from error
        if bytes(self._bytes[: len(MAGIC)]) != MAGIC:
            raise TableError(f"{path} is not a table: it does not begin with {MAGIC.decode().strip()!r}")
        self._at = len(MAGIC)
        length, check = self._take("header", "<u4", 2).tolist()
        text = self._take("header", "u1", length).tobytes()
        if zlib.crc32(text) != check:
            raise self._damaged("header")
        self.header: dict[str, Any] = json.loads(text)
        count, words = self.header["states"], self.header["words"]
        blocks = -(-count // BLOCK)
        check, start = int(self._take("index", "<u4", 1)[0]), self._at
        self.firsts = self._take("index", "<i8", blocks * words).reshape(-1, words).astype(np.int64)
        self._offsets = self._take("index", "<u8", blocks + 1).tolist()
        self._checks = self._take("index", "<u4", blocks).tolist()
        if zlib.crc32(self._bytes[start : self._at].tobytes()) != check:
            raise self._damaged("index")
        if self._at + self._offsets[-1] != len(self._bytes):
            raise TableError(
                f"{path} has {len(self._bytes):,} bytes, not {self._at + self._offsets[-1]:,}: {MAKE_AGAIN}"
            )

    def _take(self, what: str, kind: str, count: int) -> NDArray[Any]:
        """The next numbers of the file."""
        end = self._at + np.dtype(kind).itemsize * count
        if end > len(self._bytes):
            raise TableError(f"{self.path} is cut off in its {what}: {MAKE_AGAIN}")
        found = np.frombuffer(self._bytes[self._at : end].tobytes(), kind)
        self._at = end
        return found

    def _damaged(self, what: str) -> TableError:
        return TableError(f"{self.path} is damaged in its {what}: {MAKE_AGAIN}")

    def __len__(self) -> int:
        """The number of states."""
        return int(self.header["states"])

    @property
    def size(self) -> int:
        """The size of the file, in bytes."""
        return len(self._bytes)

    def block(self, number: int) -> States:
        """The states of a block. Raises `TableError` if it is damaged."""
        known = self._cache.get(number)
        if known is None:
            known = self._read(number)
            self._cache[number] = known
            if len(self._cache) > CACHED:
                self._cache.popitem(last=False)
        return known

    def _read(self, number: int) -> States:
        start, end = (self._at + self._offsets[number + i] for i in (0, 1))
        content = self._bytes[start:end].tobytes()
        if zlib.crc32(content) != self._checks[number]:
            raise self._damaged(f"block {number + 1:,} of {len(self.firsts):,}")
        try:
            content = self._decompress(content)
        except Exception as error:
            raise TableError(
                f"{self.path}: block {number + 1:,} cannot be decompressed ({error}): {MAKE_AGAIN}"
            ) from None
        header, words = self.header, self.header["words"]
        count = min(BLOCK, len(self) - number * BLOCK)
        codes = np.empty((count, words), np.int64)
        for word in range(words):
            by_byte = np.frombuffer(content, np.uint8, 8 * count, 8 * count * word).reshape(8, count)
            steps = np.ascontiguousarray(by_byte.T).view("<u8")[:, 0].astype(np.int64)
            codes[:, word] = np.cumsum(steps) + self.firsts[number, word]
        at = 8 * count * words
        levels = np.frombuffer(content, f"<u{header['level_bytes']}", count, at)
        plies = np.frombuffer(content, f"<u{header['plies_bytes']}", count, at + levels.nbytes)
        return States(codes, levels, plies)

    def find(self, code: tuple[int, ...]) -> tuple[int, int] | None:
        """The level and the plies of the state with this code; None if it is not there."""
        number = place_of(self.firsts, code)
        if number < 0:
            return None
        states = self.block(number)
        at = states.find(code)
        return None if at < 0 else (int(states.levels[at]), int(states.plies[at]))

    def blocks(self) -> Iterator[States]:
        """All states, block by block."""
        return map(self._read, range(len(self.firsts)))

    def states(self) -> States:
        """All states, in memory."""
        parts = list(self.blocks())
        return States(*(np.concatenate([part[i] for part in parts]) for i in range(3)))
