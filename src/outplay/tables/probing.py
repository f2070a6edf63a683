"""Probing: compiled searches look states up in a table, inside the tree.

A search has a record with the fields `PROBE` in its memory, one for each thread, that a `Prober` has filled. The states
of a table are in blocks; of a table in memory all blocks are there, of a table in a file those in a cache. The kernel
(`probe.py`) finds the block by its first code, or by class and index. If it cannot be read, the kernel gets BROKEN and
must stop.
"""

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from outplay.compile.kernels import runs_compiled
from outplay.compile.records import Record
from outplay.engine.score import encode as score_of
from outplay.rules.constant_sum import draw_utility, friends_of
from outplay.rules.game import Game, defines
from outplay.tables.block_cache import BlockCache
from outplay.tables.class_blocks import ClassCache
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


class CodeProber(BlockCache):
    """What one thread needs to look states up in a table with codes."""

    arrays = ("firsts", "slots", "codes", "levels", "distances")

    def __init__(self, table: Tablebase) -> None:
        self.table, self.source = table, table.check_has_blocks("used in a tree")
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
                np.ascontiguousarray(column, np.uint16) for column in (self.source.levels, self.source.plies)
            )
        super().__init__(blocks, room)

    def fill(self, memory: Record) -> None:
        """Fill in the fields of a search."""
        super().fill(memory)
        self.table.codec.fill(memory)
        memory.states, memory.blocks = len(self.table), len(self.slots)
        for level, value in enumerate(self.table.utilities):
            memory.values[level] = value - draw_utility(self.table.game)
            memory.scores[level] = score_of(value - draw_utility(self.table.game))

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


class ClassProber(ClassCache):
    """The same for a table by class. Classes in memory are not copied, and not in the cache."""

    arrays = (*ClassCache.arrays, "beyond")

    def __init__(self, classes: Classes) -> None:
        game, facts, solved = classes.game, classes.about, classes.solved
        self.friends = friends_of(game)
        super().__init__(solved, CACHE_BYTES / 1e6, facts)
        gains, has_points = np.abs(self.utilities - draw_utility(game)).tolist(), defines(game, "index_points")
        rows = list(facts.values())
        beyond = {gain: 0 if has_points else plies_beyond(rows, draw_utility(game), gain) for gain in {*gains}}
        self.beyond = np.array([beyond[gain] for gain in gains], np.int64)
        for place, number in enumerate(self.numbers.tolist()):
            if solved.is_kept(number):
                for block in range(int(self.starts[place]), int(self.starts[place + 1])):
                    self.put(block, -1, self.view(block))

    def fill(self, memory: Record) -> None:
        """Fill in the fields of a search."""
        super().fill(memory)
        memory.friends = self.friends


Prober = CodeProber | ClassProber


def prober_of(table: Tablebase) -> Prober:
    """A prober for this kind of table."""
    return CodeProber(table) if table.classes is None else ClassProber(table.classes)


_idle: "WeakKeyDictionary[Tablebase, list[Prober]]" = WeakKeyDictionary()
"""Probers that no search is using, whose caches the next search finds filled."""


def take(table: Tablebase, count: int) -> list[Prober]:
    """A prober for each of `count` threads, until `give_back`."""
    idle = _idle.setdefault(table, [])
    probers: list[Prober] = []
    while len(probers) < count:
        try:
            probers.append(idle.pop())
        except IndexError:
            probers.append(prober_of(table))
    return probers


def give_back(table: Tablebase, probers: Sequence[Prober]) -> None:
    """Keep the probers for later searches. Raises the error that one of them has met, if there is one."""
    for prober in probers:
        prober.check()
    _idle.setdefault(table, []).extend(probers)
