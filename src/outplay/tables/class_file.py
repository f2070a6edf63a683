"""Solved classes by number, in memory and in files; writes and reads the file of a table by class.

    outplay class 1        and a line feed, 16 bytes
    length, CRC-32         of the header, two uint32
    header                 JSON: the game, a hash of its rules, for each class its number, name, utilities, counts, and
                           for each of its blocks of levels and of plies the length and the CRC-32
    blocks                 compressed with zstd, in the order of the header

A block has `BLOCK` numbers of one or two bytes. Holes, and the plies of draws, repeat the number before: that is
smallest. Blocks are read when they are needed, and checked then, so that a file may be larger than the memory.
"""

import os
import zlib
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.rules.errors import TableError
from outplay.tables.block_file import CLASSES_MAGIC, MAKE_AGAIN, BlockFile, begins_with, write_blocks
from outplay.tables.class_blocks import BLOCK
from outplay.tables.class_expansion import UNKNOWN
from outplay.tables.compression import LEVEL, zstd

CACHED = 64
"""The number of blocks that are kept for look-ups."""
KEPT_MB = 1024.0
"""The megabytes of classes of a file that are kept in memory once they were read whole."""
PARTS = ("levels", "plies")


class Solved(NamedTuple):
    """A class of states with values and distances."""

    number: int
    """The number of the class."""
    utilities: tuple[float, ...]
    """The utilities of `index_player` that occur, those of the other side, and that of a draw, in ascending order."""
    levels: NDArray[np.uint8]
    """The place of the value of each index in `utilities`; `UNKNOWN` for holes."""
    plies: NDArray[np.uint16]
    """The plies to the end of the game, or to the next conversion; 0 in draws, at ends and for holes."""


class Stored(NamedTuple):
    """A class in a file."""

    file: BlockFile | None
    """None while it is on its way to another process."""
    about: dict[str, Any]
    """What the header says of it, without blocks."""
    at: int
    """Where its first block begins."""
    blocks: tuple[list[list[int]], list[list[int]]]
    """The length and the CRC-32 of each block of levels, and of plies."""


class SolvedClasses(Mapping[int, Solved]):
    """Solved classes by number, in order. Those that exceed `memory_mb` are compressed in a file, and read from there.

    From a file, holes and the plies of draws have any value.
    """

    def __init__(self, memory_mb: float = KEPT_MB, stored: Mapping[int, Stored] | None = None) -> None:
        self.memory_mb = memory_mb
        self._stored: dict[int, Stored] = dict(stored or {})
        self._added: BlockFile | None = None
        """A temporary file for classes that are not in another one."""
        self._order = dict.fromkeys(self._stored)
        self._in_memory: OrderedDict[int, Solved] = OrderedDict()
        self._blocks: OrderedDict[tuple[int, int], tuple[NDArray[Any], NDArray[Any]]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[int]:
        return iter(self._order)

    def __contains__(self, number: object) -> bool:
        return number in self._order

    def __getitem__(self, number: int) -> Solved:
        if number not in self._in_memory:
            stored = self._stored[number]
            levels, plies = (np.concatenate(list(self._read(stored, part))) for part in (0, 1))
            self._keep(Solved(number, tuple(stored.about["utilities"]), levels, plies.astype(np.uint16)))
        self._in_memory.move_to_end(number)
        return self._in_memory[number]

    def __setitem__(self, number: int, solved: Solved) -> None:
        self._stored.pop(number, None)
        self._blocks.clear()
        self._order[number] = None
        self._keep(solved)

    def __reduce__(self) -> Any:
        paths = {stored_class.file.path for stored_class in self._stored.values() if stored_class.file}
        if len(paths) == 1 and None not in paths and len(self._stored) == len(self._order):
            stored = {number: stored_class._replace(file=None) for number, stored_class in self._stored.items()}
            return SolvedClasses, (self.memory_mb,), (paths.pop(), stored)
        return SolvedClasses, (self.memory_mb,), (None, dict(self))

    def __setstate__(self, state: Any) -> None:
        path, content = state
        if path is None:
            for number, solved in content.items():
                self[number] = solved
        else:
            file = BlockFile(path)
            self._stored = {number: stored_class._replace(file=file) for number, stored_class in content.items()}
            self._order = dict.fromkeys(self._stored)

    def copy(self, memory_mb: float) -> "SolvedClasses":
        """The same classes, to which others can be added; those in a file are read from there."""
        classes = SolvedClasses(memory_mb, self._stored)
        classes._order = dict.fromkeys(self._order)
        for number in self._order:
            if number not in self._stored:
                classes._keep(self._in_memory[number])
        return classes

    def include(self, other: "SolvedClasses") -> None:
        """Add the classes of another file, without decompressing them."""
        file = self._own_file()
        for number in other:
            at = file.size
            for packed in other.blocks(number):
                file.add(packed)
            self._stored[number] = other.stored(number)._replace(file=file, at=at)
            self._order[number] = None

    def _own_file(self) -> BlockFile:
        self._added = self._added or BlockFile()
        return self._added

    def _keep(self, solved: Solved) -> None:
        """Keep a class in memory, and store others if it is too much for all."""
        self._in_memory[solved.number] = solved
        self._in_memory.move_to_end(solved.number)
        while sum(one.levels.nbytes + one.plies.nbytes for one in self._in_memory.values()) > self.memory_mb * 1e6:
            oldest = next(iter(self._in_memory))
            if oldest == solved.number:
                break
            self.stored(oldest)
            del self._in_memory[oldest]

    def is_kept(self, number: int) -> bool:
        """Whether a class is in memory."""
        return number in self._in_memory

    def shape(self, number: int) -> tuple[int, tuple[float, ...]]:
        """The number of indices of a class, and its utilities."""
        if number in self._in_memory:
            return len(self._in_memory[number].levels), self._in_memory[number].utilities
        facts = self._stored[number].about
        return int(facts["indices"]), tuple(facts["utilities"])

    def block(self, number: int, block: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """The levels and the plies of a block of a class."""
        if number in self._in_memory:
            part = slice(block * BLOCK, (block + 1) * BLOCK)
            return self._in_memory[number].levels[part], self._in_memory[number].plies[part]
        stored = self._stored[number]
        return next(self._read(stored, 0, block)), next(self._read(stored, 1, block))

    def find(self, number: int, index: int) -> tuple[int, int]:
        """The level and the plies of an index, of which only the blocks are read."""
        if number in self._in_memory:
            solved = self._in_memory[number]
            return int(solved.levels[index]), int(solved.plies[index])
        block, place = divmod(index, BLOCK)
        block_arrays = self._blocks.get((number, block))
        if block_arrays is None:
            block_arrays = self._blocks[number, block] = self.block(number, block)
            while len(self._blocks) > CACHED:
                self._blocks.popitem(last=False)
        return int(block_arrays[0][place]), int(block_arrays[1][place])

    def _read(self, stored: Stored, part: int, first: int = 0) -> Iterator[NDArray[Any]]:
        """The numbers of the blocks of a class from block `first` on. Raises `TableError` if one is damaged."""
        count, most = int(stored.about["indices"]), len(stored.about["utilities"])
        file = stored.file
        assert file is not None
        kind = np.dtype("u1" if part == 0 else f"<u{stored.about['plies_bytes']}")
        for block, packed in enumerate(self._packed(stored, part, first), first):
            place = _place(stored, part, block)
            size = min(BLOCK, count - block * BLOCK) * kind.itemsize
            numbers = np.frombuffer(file.unpacked(packed, size, place), kind)
            if part == 0 and numbers.max() >= most:
                raise file.damaged(place)
            yield numbers

    def _packed(self, stored: Stored, part: int, first: int = 0) -> Iterator[bytes]:
        """The compressed blocks of a class, checked."""
        assert stored.file is not None
        before = stored.blocks[0] if part else []
        sizes = [size for size, _ in (*before, *stored.blocks[part])]
        starts = list(accumulate(sizes, initial=stored.at))[len(before) :]
        for block in range(first, len(stored.blocks[part])):
            size, check = stored.blocks[part][block]
            yield stored.file.packed(starts[block], size, check, _place(stored, part, block))

    def stored(self, number: int) -> Stored:
        """Where a class is in the file, after it was compressed if it is not there yet."""
        if number not in self._stored:
            self._stored[number] = self._store(self._in_memory[number])
        return self._stored[number]

    def _store(self, solved: Solved) -> Stored:
        file, compress = self._own_file(), zstd()[0]
        at = file.size
        free = solved.levels == UNKNOWN
        levels = filled(solved.levels, free) if free.any() else solved.levels
        plies = filled(solved.plies, free | (solved.levels == len(solved.utilities) // 2))
        plies = plies.astype("u1" if plies.max(initial=0) < 256 else "<u2")
        blocks: tuple[list[list[int]], list[list[int]]] = ([], [])
        for part, numbers in enumerate((levels, plies)):
            for start in range(0, len(numbers), BLOCK):
                packed = compress(numbers[start : start + BLOCK].tobytes(), LEVEL)
                file.add(packed)
                blocks[part].append([len(packed), zlib.crc32(packed)])
        facts = {"utilities": list(solved.utilities), "indices": len(levels), "plies_bytes": plies.itemsize}
        return Stored(file, facts | {"name": str(solved.number)}, at, blocks)

    def blocks(self, number: int) -> Iterator[bytes]:
        """The compressed blocks of a class, as they are in files."""
        stored = self.stored(number)
        for part in (0, 1):
            yield from self._packed(stored, part)


def _place(stored: Stored, part: int, block: int) -> str:
    return f"block {block + 1:,} of the {PARTS[part]} of class {stored.about['name']}"


def filled(numbers: NDArray[Any], free: NDArray[np.bool_]) -> NDArray[Any]:
    """`numbers` with those at `free` places replaced by the one before, or by the first of the others."""
    if free.all():
        return np.zeros_like(numbers)
    numbered = np.flatnonzero(~free)
    repeated = np.repeat(numbers[numbered], np.diff(numbered, append=len(numbers)))
    return np.concatenate([np.full(int(numbered[0]), numbers[numbered[0]]), repeated])


def write_classes(
    path: str | os.PathLike[str], header: dict[str, Any], solved: SolvedClasses, facts: Mapping[int, dict[str, Any]]
) -> None:
    """Write the classes of `facts` to a file, whole or not at all. Raises `TableError` if it cannot be written."""
    entries = []
    for number in facts:
        stored = solved.stored(number)
        entry = {name: value for name, value in facts[number].items() if name != "plies_bytes"}
        entries.append(
            entry | dict(zip(PARTS, stored.blocks, strict=True)) | {"plies_bytes": stored.about["plies_bytes"]}
        )
    blocks = (block for number in facts for block in solved.blocks(number))
    write_blocks(path, CLASSES_MAGIC, header | {"classes": entries}, blocks)


def is_classes(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as those of tables by class do."""
    return begins_with(path, CLASSES_MAGIC)


def read_classes(path: str | os.PathLike[str]) -> tuple[dict[str, Any], SolvedClasses, dict[int, dict[str, Any]]]:
    """The header, the classes, and what the header says of each. Raises `TableError` if the header is damaged.

    Blocks are checked when they are read.
    """
    file = BlockFile(path)
    if file.read(0, len(CLASSES_MAGIC)) != CLASSES_MAGIC:
        raise TableError(f"{path} is not a table by class: {MAKE_AGAIN}")
    header, damaged = file.take_header(CLASSES_MAGIC), file.damaged("its header")
    stored: dict[int, Stored] = {}
    at = file.at
    try:
        for entry in header["classes"]:
            blocks = entry.pop("levels"), entry.pop("plies")
            sizes = [int(size) for size, _ in (*blocks[0], *blocks[1])]
            count = -(-int(entry["indices"]) // BLOCK)
            if not len(blocks[0]) == len(blocks[1]) == count or min(sizes) < 0 or entry["plies_bytes"] not in (1, 2):
                raise damaged
            stored[int(entry["number"])] = Stored(file, entry, at, blocks)
            at += sum(sizes)
    except TableError:  # which is a ValueError
        raise
    except (ValueError, TypeError, KeyError, RecursionError):
        raise damaged from None
    if at != file.size:
        raise TableError(f"{path} has {file.size:,} bytes, not {at:,}: {MAKE_AGAIN}")
    return header, SolvedClasses(KEPT_MB, stored), {number: entry.about for number, entry in stored.items()}
