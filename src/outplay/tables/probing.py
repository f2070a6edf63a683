"""Probing: compiled searches look states up in a table, inside the tree.

A search has a record with the fields `PROBE` in its memory, one for each thread, that a `Prober` has filled. The states
of a table are in blocks; of a table in memory all blocks are there, of a table in a file those in a cache. The kernel
(`probe.py`) finds the block by its first code. If it is not there, it calls `Prober.fetch`, which runs in Python.

If a block cannot be read, the kernel gets BROKEN and must stop; the error is in `Prober.error` and must be raised.
"""

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from outplay.compile.kernels import CALLBACK, runs_compiled
from outplay.compile.records import Record
from outplay.engine.score import encode as score_of
from outplay.rules.constant_sum import balance
from outplay.rules.game import Game
from outplay.tables.file import TableFile
from outplay.tables.sizes import BLOCK
from outplay.tables.tablebase import Tablebase

CACHE_BYTES = 256e6
"""The memory for blocks of a file, for each thread. It is taken when blocks are read."""


def table_in(books: Sequence[Any], game: Game) -> Tablebase | None:
    """The first table among `books` that compiled searches of `game` can read. Raises `TableError` if it is of other
    rules.
    """
    table = next((book for book in books if isinstance(book, Tablebase) and book.has_blocks), None)
    if table is None or not runs_compiled(game):
        return None
    table.check(game)
    return table


class Prober:
    """What one thread needs to look states up in a table: the arrays that kernels read."""

    def __init__(self, table: Tablebase, cached: int | None = None) -> None:
        self.source = table.check_has_blocks("used in a tree")
        self.error: BaseException | None = None
        words, states = table.codec.words, len(table)
        blocks = -(-states // BLOCK)
        if isinstance(self.source, TableFile):
            self.firsts = np.ascontiguousarray(self.source.firsts).reshape(-1)
            room = cached or max(2, int(CACHE_BYTES / BLOCK / (8 * words + 4)))
            room = min(room, blocks)
            self.slots = np.full(blocks, -1, np.int64)
            self.codes = np.empty(room * BLOCK * words, np.int64)
            self.levels, self.distances = (np.empty(room * BLOCK, np.uint16) for _ in range(2))
        else:
            room = blocks
            self.codes = np.ascontiguousarray(self.source.codes).reshape(-1)
            self.firsts = np.ascontiguousarray(self.source.codes[::BLOCK]).reshape(-1)
            self.slots = np.arange(blocks)
            self.levels, self.distances = (
                np.ascontiguousarray(each, np.uint16) for each in (self.source.levels, self.source.plies)
            )
        self.held, self.used, self.hand = np.full(room, -1), np.zeros(room, np.uint16), 0
        self.callback = CALLBACK(self.fetch)

    def fill(self, table: Tablebase, memory: Record, least_depth: int) -> None:
        """Fill in the fields of a search."""
        table.codec.fill(memory)
        memory.least_depth, memory.states, memory.blocks = least_depth, len(table), len(self.slots)
        for name in ("firsts", "slots", "codes", "levels", "distances", "used"):
            setattr(memory, name, getattr(self, name).ctypes.data)
        address = np.zeros(1, np.int64)
        address[0] = _address(self.callback)
        memory.fetch = address[0]
        for level, value in enumerate(table.utilities):
            memory.value[level] = value - balance(table.game)
            memory.score[level] = score_of(value - balance(table.game))

    def fetch(self, block: int) -> int:
        """Put a block into the cache and return its place; -1 if it cannot be read. Kernels call it."""
        try:
            assert isinstance(self.source, TableFile)
            states = self.source.block(block)
            slot, words = self._free(), states.codes.shape[1]
            if self.held[slot] >= 0:
                self.slots[self.held[slot]] = -1
            start, end = slot * BLOCK, slot * BLOCK + len(states.codes)
            self.codes[start * words : end * words] = states.codes.reshape(-1)
            self.levels[start:end], self.distances[start:end] = states.levels, states.plies
            self.held[slot], self.slots[block] = block, slot
        except BaseException as error:  # no error can pass through compiled code
            self.error = error
            return -1
        return slot

    def _free(self) -> int:
        """A place for a block: the next one that has not been used since the clock passed (second chance)."""
        for _ in range(2):
            free = np.flatnonzero(self.used[self.hand :] == 0)
            if len(free):
                slot = self.hand + int(free[0])
                self.used[self.hand : slot] = 0
                self.hand = (slot + 1) % len(self.used)
                return slot
            self.used[self.hand :] = 0
            self.hand = 0
        return 0


def _address(callback: Any) -> int:
    import ctypes  # noqa: PLC0415 - only searches with a table need it

    return ctypes.cast(callback, ctypes.c_void_p).value or 0


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
            found.append(Prober(table))
    return found


def give_back(table: Tablebase, probers: Sequence[Prober]) -> None:
    """Keep the probers for later searches. Raises the error that one of them has met, if there is one."""
    for prober in probers:
        if prober.error is not None:
            raise prober.error
    _idle.setdefault(table, []).extend(probers)
