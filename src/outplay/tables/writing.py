"""Writes the file of a table, whose form `file.py` explains."""

import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.system.rows import Rows
from outplay.tables.block_file import MAGIC, bytes_of, write_blocks
from outplay.tables.compression import LEVEL, zstd
from outplay.tables.file import DIAGRAM, VALUE_BYTES, States
from outplay.tables.packed_values import PackedValues
from outplay.tables.sizes import BLOCK
from outplay.tables.sorting import CHUNKS, Sorting

PIECE = 1 << 24
"""The bytes that are copied at a time."""
PIECE_BLOCKS = 16
"""The blocks that a thread compresses at a time."""
PIECE_STATES, LEAST_PIECES = 1 << 19, 32
"""In files, a thread or process compresses chunks of about so many states at a time, and there are at least so many of
these pieces.
"""


class Piece(NamedTuple):
    """The blocks of some states that follow each other."""

    head: States
    """The first states: they belong to the block before."""
    firsts: NDArray[np.int64]
    """The code that each block begins with."""
    blocks: list[bytes]
    tail: States
    """The last states: they are not enough for a block."""


class Blocks:
    """Compresses states, given in order and in parts of any size, to blocks.

    Args:
        words: the words of a code.
        level_bytes: the bytes of a level.
        plies_bytes: those of plies; 0 for none.
        keep: what to do with each block.

    Attributes:
        firsts: the code that each block begins with, int64 [blocks, words].
        sizes: the bytes of each block.
        checks: the CRC-32 of each block.
        rest: states that are not yet enough for a block.
    """

    def __init__(self, words: int, level_bytes: int, plies_bytes: int, keep: Callable[[bytes], Any]) -> None:
        self.level_bytes, self.plies_bytes, self.keep = level_bytes, plies_bytes, keep
        self.firsts = np.zeros((0, words), np.int64)
        self.sizes: list[int] = []
        self.checks: list[int] = []
        self.rest = States(self.firsts, np.zeros(0, np.uint16), np.zeros(0, np.uint16))

    def piece(self, states: States, head: int) -> Piece:
        """Compress states, of which the first ones, `head` of them, belong to a block that has begun before."""
        whole = head + max(0, len(states.codes) - head) // BLOCK * BLOCK
        packed = [self.pack(part_of(states, start, start + BLOCK)) for start in range(head, whole, BLOCK)]
        firsts = states.codes[head:whole:BLOCK].copy()
        return Piece(part_of(states, 0, head), firsts, packed, part_of(states, whole, None))

    def add_piece(self, piece: Piece) -> None:
        """Add the blocks of states that follow those so far."""
        self.wait(piece.head)
        if len(self.rest.codes) == BLOCK:
            self.end()
        for block in piece.blocks:
            self.add_block(block)
        self.firsts = np.concatenate([self.firsts, piece.firsts])
        self.wait(piece.tail)

    def wait(self, states: States) -> None:
        """Let states wait for more."""
        self.rest = joined([self.rest, states])

    def end(self) -> None:
        """Make a block of the states that wait, if there are any."""
        if len(self.rest.codes):
            self.add_block(self.pack(self.rest))
            self.firsts = np.concatenate([self.firsts, self.rest.codes[:1]])
            self.rest = part_of(self.rest, 0, 0)

    def add_block(self, block: bytes) -> None:
        """Add a block."""
        self.sizes.append(len(block))
        self.checks.append(zlib.crc32(block))
        self.keep(block)

    def pack(self, states: States) -> bytes:
        """A block of states."""
        steps = np.diff(states.codes, axis=0, prepend=states.codes[:1]).astype("<u8")
        parts: list[NDArray[Any]] = [_by_bytes(steps[:, word]) for word in range(steps.shape[1])]
        if self.level_bytes == VALUE_BYTES:
            parts.append(_by_bytes(states.levels.astype("<f8")))
        else:
            parts.append(states.levels.astype(f"<u{self.level_bytes}"))
        if self.plies_bytes:
            parts.append(states.plies.astype(f"<u{self.plies_bytes}"))
        block: bytes = zstd()[0](b"".join(part.tobytes() for part in parts), LEVEL)
        return block

    def index(self) -> bytes:
        """The index, with its checksum before it."""
        offsets = np.cumsum([0, *self.sizes]).astype("<u8")
        checks = np.array(self.checks, "<u4")
        index = self.firsts.astype("<i8").tobytes() + offsets.tobytes() + checks.tobytes()
        return bytes_of(zlib.crc32(index)) + index

    def about(self) -> dict[str, Any]:
        """What the header says of the blocks."""
        words = self.firsts.shape[1]
        return {"words": words, "level_bytes": self.level_bytes, "plies_bytes": self.plies_bytes}


class Writing:
    """Writes the blocks of a table, chunk by chunk, to a file of its own.

    Args:
        sorting: the states in order.
        level_bytes: the bytes of a level.
        plies_bytes: those of plies; 0 for none.
    """

    def __init__(self, sorting: Sorting, level_bytes: int, plies_bytes: int) -> None:
        self.sorting, self.begins, self.done, self.at = sorting, sorting.begins(), 0, 0
        self.new_blocks = partial(Blocks, sorting.graph.words, level_bytes, plies_bytes)
        self.blocks = self.new_blocks(self._keep)
        self.together = max(1, min(PIECE_STATES * CHUNKS // max(1, sorting.graph.states), CHUNKS // LEAST_PIECES))
        """The chunks of a piece."""
        self.rows: Rows | None = None

    def start(self) -> None:
        """Add the file."""
        graph = self.sorting.graph
        state_bytes = 8 * graph.words + self.blocks.level_bytes + self.blocks.plies_bytes
        room = graph.states * state_bytes * 5 // 4 + (1 << 20)  # more than the blocks could take
        self.rows = Rows(np.uint8, 1, room, graph.new_path("blocks"))

    def _keep(self, block: bytes) -> None:
        assert self.rows is not None, "it has started"
        self.rows.numbers[0, self.at : self.at + len(block)] = np.frombuffer(block, np.uint8)
        self.at += len(block)

    @property
    def progress(self) -> tuple[str, int, int]:
        """What is being done, how much of it is done, and of how much."""
        states = self.sorting.graph.states
        return "writing", int(self.begins[self.done]), states

    def step(self) -> bool:
        """Write some chunks; whether there are more."""
        sorting = self.sorting
        sorting.team.check()
        if self.done == CHUNKS:
            return False  # a checkpoint may come after the last chunk
        sorting.graph.check_disk()
        sorting.team.for_each(self, "piece", range(self.done, CHUNKS, self.together), self.add)
        return self.done < CHUNKS

    def add(self, piece: Piece) -> None:
        """Write the blocks of the next chunks."""
        assert self.rows is not None, "it has started"
        self.blocks.add_piece(piece)
        self.done = min(self.done + self.together, CHUNKS)
        if self.done == CHUNKS:
            self.blocks.end()
        self.rows.evict(0, self.at)

    def piece(self, first: int) -> Piece:
        """The blocks of some chunks, from one on."""
        begin, heads, packed = int(self.begins[first]), list[States](), list[bytes]()
        start = begin + -begin % BLOCK
        blocks = self.new_blocks(packed.append)
        for number in range(first, min(first + self.together, CHUNKS)):
            states, at = self.sorting.chunk(number), int(self.begins[number])
            head = min(max(0, start - at), len(states.codes))
            heads.append(part_of(states, 0, head))
            others = States(*(part[head:] for part in states))
            blocks.add_piece(blocks.piece(others, -(at + head) % BLOCK))
            self.sorting.evict(number)
        return Piece(joined(heads), blocks.firsts, packed, blocks.rest)

    def content(self) -> Iterator[bytes]:
        """What follows the header."""
        assert self.rows is not None, "it has started"
        yield self.blocks.index()
        for begin in range(0, self.at, PIECE):
            yield self.rows.numbers[0, begin : min(begin + PIECE, self.at)].tobytes()
            self.rows.evict(0, begin + PIECE)

    def saved(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a checkpoint needs, as JSON and as arrays."""
        assert self.rows is not None, "it has started"
        facts = {"done": self.done, "at": self.at, "room": self.rows.room, "file": self.rows.name}
        blocks = self.blocks
        arrays = {
            "firsts": blocks.firsts,
            "sizes": np.array(blocks.sizes, np.int64),
            "checks": np.array(blocks.checks, np.int64),
        }
        return facts, arrays | {f"rest{i}": part for i, part in enumerate(blocks.rest)}

    def needed(self) -> list[Rows]:
        """What a checkpoint needs of the files."""
        assert self.rows is not None, "it has started"
        return [self.rows]

    def restore(self, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Go back to a checkpoint."""
        folder, blocks = self.sorting.graph.folder, self.blocks
        assert folder is not None, "it is in files"
        self.done, self.at = facts["done"], facts["at"]
        self.rows = Rows(np.uint8, 1, facts["room"], folder / facts["file"])
        blocks.firsts, blocks.sizes, blocks.checks = (
            arrays["firsts"],
            arrays["sizes"].tolist(),
            arrays["checks"].tolist(),
        )
        blocks.rest = States(*(arrays[f"rest{i}"] for i in range(3)))


def write_table(
    path: str | os.PathLike[str],
    header: dict[str, Any],
    states: States,
    values: PackedValues | None = None,
    threads: int = 1,
) -> None:
    """Write a table to a file, whole or not at all. Raises `TableError` if it cannot be written.

    If the header has a form, it is written without distances; as the diagram `values` if that is smaller.
    """
    has_values = states.levels.dtype == np.float64
    level_bytes = VALUE_BYTES if has_values else narrowest(int(states.levels.max(initial=0)))
    plies_bytes = 0 if "form" in header else narrowest(int(states.plies.max(initial=0)))
    packed_blocks: list[bytes] = []
    blocks = Blocks(states.codes.shape[1], level_bytes, plies_bytes, packed_blocks.append)
    begins = range(0, len(states.codes), PIECE_BLOCKS * BLOCK)
    pool = ThreadPoolExecutor(threads, "outplay table")
    try:
        for piece in pool.map(lambda begin: blocks.piece(part_of(states, begin, begin + begins.step), 0), begins):
            blocks.add_piece(piece)
    finally:
        pool.shutdown(cancel_futures=True)
    blocks.end()
    content = [blocks.index(), *packed_blocks]
    header = header | {"states": len(states.codes), **blocks.about()}
    if values and len(diagram := values.pack()) < sum(map(len, content)):
        header |= {"form": DIAGRAM, "bits": values.bits, "base": values.base}
        content = [diagram]
    write_blocks(path, MAGIC, header, content)


def narrowest(most: int) -> int:
    """The bytes of a number of up to `most`: 1 or 2."""
    return 1 if most < 256 else 2


def part_of(states: States, begin: int, end: int | None) -> States:
    """A copy of some states."""
    return States(*(part[begin:end].copy() for part in states))


def joined(parts: Iterable[States]) -> States:
    """States one after the other."""
    return States(*map(np.concatenate, zip(*parts, strict=True)))


def _by_bytes(column: NDArray[Any]) -> NDArray[np.uint8]:
    """The bytes of numbers of 64 bits: all lowest ones, then all next ones, and so on."""
    return np.ascontiguousarray(column.copy().view(np.uint8).reshape(-1, 8).T)
