"""Probing: compiled searches look states up in a table, inside the tree.

A search has a record with the fields `PROBE` in its memory, one for each thread, that a `Prober` has filled. The states
of a table are in blocks; of a table in memory all blocks are there, of a table in a file those in a cache. The kernel
(`probe.py`) finds the block by its first code, or by class and index. If it is not there, it calls `Prober.fetch`,
which runs in Python.

If a block cannot be read, the kernel gets BROKEN and must stop; the error is in `Prober.error` and must be raised.
"""

import ctypes
from collections.abc import Sequence
from itertools import accumulate
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import CALLBACK, runs_compiled
from outplay.compile.records import Record
from outplay.engine.score import encode as score_of
from outplay.rules.constant_sum import balance
from outplay.rules.game import Game, defines, friends_of
from outplay.tables.class_blocks import BLOCK as CLASS_BLOCK
from outplay.tables.class_blocks import BLOCK_MB as CLASS_BLOCK_MB
from outplay.tables.classes import Classes, plies_beyond
from outplay.tables.file import TableFile
from outplay.tables.sizes import BLOCK
from outplay.tables.tablebase import Tablebase

CACHE_BYTES = 256e6
"""The memory for blocks of a file, for each thread. It is taken when blocks are read."""
MIN_ROOM = 2
"""The blocks for which there is always room."""


def table_in(books: Sequence[Any], game: Game) -> Tablebase | None:
    """The first table among `books` that compiled searches of `game` can read. Raises `TableError` if it is of other
    rules.
    """
    table = next((book for book in books if isinstance(book, Tablebase) and book.probed_in_tree), None)
    if table is None or not runs_compiled(game):
        return None
    table.check(game)
    return table


class Prober:
    """What one thread needs to look states up in a table: the arrays that kernels read."""

    arrays: Sequence[str] = ()
    """Those whose addresses are in the memory of a search."""

    def __init__(self, blocks: int, room: int) -> None:
        self.error: BaseException | None = None
        self.held, self.hand = np.full(room, -1), 0
        self.used = np.zeros(blocks + 1, np.uint16)  # the last one is for places of the cache that are free
        self.callback = CALLBACK(self.fetch)

    def fill(self, table: Tablebase, memory: Record, least_depth: int) -> None:
        """Fill in the fields of a search."""
        memory.least_depth = least_depth
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


class CodeProber(Prober):
    """The same for a table with codes."""

    arrays = ("firsts", "slots", "codes", "levels", "distances")

    def __init__(self, table: Tablebase) -> None:
        self.source = table.check_has_blocks("used in a tree")
        words, states = table.codec.words, len(table)
        blocks = room = -(-states // BLOCK)
        if isinstance(self.source, TableFile):
            room = min(max(MIN_ROOM, int(CACHE_BYTES / BLOCK / (8 * words + 4))), blocks)
            self.firsts = np.ascontiguousarray(self.source.firsts).reshape(-1)
            self.slots = np.full(blocks, -1, np.int64)
            self.codes = np.empty(room * BLOCK * words, np.int64)
            self.levels, self.distances = (np.empty(room * BLOCK, np.uint16) for _ in range(2))
        else:
            self.codes = np.ascontiguousarray(self.source.codes).reshape(-1)
            self.firsts = np.ascontiguousarray(self.source.codes[::BLOCK]).reshape(-1)
            self.slots = np.arange(blocks)
            self.levels, self.distances = (
                np.ascontiguousarray(each, np.uint16) for each in (self.source.levels, self.source.plies)
            )
        super().__init__(blocks, room)

    def fill(self, table: Tablebase, memory: Record, least_depth: int) -> None:
        """Fill in the fields of a search."""
        super().fill(table, memory, least_depth)
        table.codec.fill(memory)
        memory.states, memory.blocks = len(table), len(self.slots)
        for level, value in enumerate(table.utilities):
            memory.values[level] = value - balance(table.game)
            memory.scores[level] = score_of(value - balance(table.game))

    def read(self, block: int) -> Any:
        """A block of the file."""
        assert isinstance(self.source, TableFile)
        return self.source.block(block)

    def put(self, block: int, slot: int, content: Any) -> None:
        """Put a block at this place in the cache."""
        words = content.codes.shape[1]
        start, end = slot * BLOCK, slot * BLOCK + len(content.codes)
        self.codes[start * words : end * words] = content.codes.reshape(-1)
        self.levels[start:end], self.distances[start:end] = content.levels, content.plies
        self.slots[block] = slot

    def remove(self, block: int) -> None:
        """Remove a block from the cache."""
        self.slots[block] = -1


class ClassProber(Prober):
    """The same for a table by class. Classes in memory are not copied, and not in the cache."""

    arrays = ("numbers", "sizes", "starts", "kinds", "utilities", "beyond", "levels_of", "plies_of")

    def __init__(self, classes: Classes) -> None:
        game, about, self.solved = classes.game, classes.about, classes.solved
        self.friends = friends_of(game)
        numbers = sorted(about)
        each = [about[number] for number in numbers]
        self.numbers = np.array(numbers, np.int64)
        self.sizes = np.array([one["indices"] for one in each], np.int64)
        self.starts = _starts(-(-one["indices"] // CLASS_BLOCK) for one in each)
        self.kinds = _starts(len(one["utilities"]) for one in each)
        self.utilities = np.array([value for one in each for value in one["utilities"]], np.float64)
        gains = np.abs(self.utilities - balance(game)).tolist()
        has_points = defines(game, "index_points")
        beyond = {gain: 0 if has_points else plies_beyond(each, balance(game), gain) for gain in {*gains}}
        self.beyond = np.array([beyond[gain] for gain in gains], np.int64)
        blocks = int(self.starts[-1])
        self.levels_of, self.plies_of = np.zeros(blocks, np.int64), np.zeros(blocks, np.int64)
        self.kept: dict[int, tuple[NDArray[Any], ...]] = {}
        """The arrays at these addresses."""
        super().__init__(blocks, max(MIN_ROOM, int(CACHE_BYTES / 1e6 / CLASS_BLOCK_MB)))
        for place, number in enumerate(numbers):
            if self.solved.is_kept(number):
                for block in range(int(self.starts[place]), int(self.starts[place + 1])):
                    self.put(block, -1, self.read(block))

    def fill(self, table: Tablebase, memory: Record, least_depth: int) -> None:
        """Fill in the fields of a search."""
        super().fill(table, memory, least_depth)
        memory.classes, memory.friends = len(self.numbers), self.friends

    def read(self, block: int) -> tuple[NDArray[Any], ...]:
        """The levels and the plies of a block."""
        place = int(np.searchsorted(self.starts, block, side="right")) - 1
        levels, plies = self.solved.block(int(self.numbers[place]), block - int(self.starts[place]))
        return np.ascontiguousarray(levels, np.uint8), np.ascontiguousarray(plies, np.uint16)

    def put(self, block: int, slot: int, content: tuple[NDArray[Any], ...]) -> None:
        """Put a block into the cache."""
        self.kept[block] = content
        self.levels_of[block], self.plies_of[block] = (part.ctypes.data for part in content)

    def remove(self, block: int) -> None:
        """Remove a block from the cache."""
        self.levels_of[block] = 0
        del self.kept[block]


def _starts(counts: Any) -> NDArray[np.int64]:
    """Where each part begins if they follow each other, and where the last one ends."""
    return np.array([*accumulate(counts, initial=0)], np.int64)


def prober_of(table: Tablebase) -> Prober:
    """A prober for this kind of table."""
    return CodeProber(table) if table.classes is None else ClassProber(table.classes)


_idle: "WeakKeyDictionary[Tablebase, list[Prober]]" = WeakKeyDictionary()
"""Probers that no search is using, whose caches the next search finds filled."""


def take(table: Tablebase, count: int) -> list[Prober]:
    """A prober for each of `count` threads, until `give_back`."""
    idle = _idle.setdefault(table, [])
    found: list[Prober] = []
    while len(found) < count:
        try:
            found.append(idle.pop())
        except IndexError:
            found.append(prober_of(table))
    return found


def give_back(table: Tablebase, probers: Sequence[Prober]) -> None:
    """Keep the probers for later searches. Raises the error that one of them has met, if there is one."""
    for prober in probers:
        if prober.error is not None:
            raise prober.error
    _idle.setdefault(table, []).extend(probers)
