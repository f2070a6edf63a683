"""The transposition table: what is known about states that were searched before, in bounded memory.

It is an int64 array of buckets, each with two entries of two cells. The low bits of a state's 64-bit key choose the
bucket:

    cell 0    bits 63-26  the same bits of the key, to distinguish states that share a bucket
              bits 25-16  the number of the best action, in the order in which the rules list them; 1023: none
              bits 15-6   the depth to which the state was searched
              bits  5-3   the search that wrote it, modulo 8
              bit     2   1: solved, so that the entry is valid at any depth
              bits  1-0   the bound: NONE, UPPER, LOWER or EXACT
    cell 1    the score, for the player to move; its distance counts from this state, so it is valid at any ply

Cell 0 is stored as its exclusive or with cell 1 (see `sealed`), so that an entry that another thread has written only
half looks like the entry of another state (Hyatt & Mann 2002).

The first entry of a bucket is replaced only by a search that is at least as deep or by a later search, so that states
near the root stay in the table. The second is always replaced (Breuker, Uiterwijk & van den Herik 1994, "TwoDeep").
Two states with the same bucket and the same 38 bits occur once in 10**11 visits.
"""

import math

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import inlined, kernel, prefetch
from outplay.engine.clock import MAX_DELAY
from outplay.engine.limits import Limit
from outplay.engine.score import encode

NONE, UPPER, LOWER, EXACT = 0, 1, 2, 3
SOLVED = 4
NO_ACTION = 1023
BUSY = 1 << 12
"""The number of cells after the buckets that hold the keys of states being searched now, for threads that share the
table."""
MISSING = NO_ACTION << 16
"""Cell 0 of a state without an entry: no bound, depth 0, no action."""
MAX_TABLE_DEPTH = 1023
_KEY_BITS = -1 << 26
_LOW_BITS, _TO_KEY = (1 << 26) - 1, 37
_ENTRY = 2
_BUCKET = 4
CACHE_LINE = 64
"""Bytes."""
MORE_ACTIONS = 8
NODES_A_SECOND = 5e6
"""How many states a search makes in a second, at most, or little less."""
ROOM = 4
"""Buckets for each state: with fewer, entries would replace each other before the table is full."""

Table = NDArray[np.int64]


def empty_table(megabytes: float, bucket: int, extra: int = 0) -> Table:
    """Zeros: 2**k buckets of `bucket` cells, at most `megabytes` * 10**6 bytes but at least one; then `extra` more.

    The first cell is at the start of a cache line, so that no bucket is in two lines.
    """
    buckets = 1
    while buckets * 2 * 8 * bucket <= megabytes * 1e6:
        buckets *= 2
    count = bucket * buckets + extra
    cells = np.zeros(count + CACHE_LINE // 8, np.int64)
    first = -cells.ctypes.data % CACHE_LINE // 8
    return cells[first : first + count]


def new_table(megabytes: float) -> Table:
    """An empty table: shape (4 * 2**k + BUSY,), int64; 0 megabytes make one bucket."""
    return empty_table(megabytes, _BUCKET, BUSY)


def useful_megabytes(actions: int, limit: Limit, *, deepens: bool) -> float:
    """The size of table that a search with this limit can use; infinity if it does not say.

    The zeros of a large table take 20 ms, which is a hundred times as long as a search of two plies, and more than a
    player has whose clock has almost run out.

    Args:
        actions: the number of root actions; later states are taken to have up to `MORE_ACTIONS` more.
        limit: the limit.
        deepens: whether searches look beyond their depth, for quiet states or by extensions.
    """
    most = math.inf if limit.nodes is None else limit.nodes
    if limit.depth is not None:
        most = min(most, (actions + MORE_ACTIONS) ** min(limit.depth, 12) * (8 if deepens else 1))
    if limit.seconds is not None:
        most = min(most, NODES_A_SECOND * limit.seconds)
    if limit.clock is not None:
        most = min(most, NODES_A_SECOND * max(limit.clock.most, MAX_DELAY / 2))
    return most * ROOM * 8 * _BUCKET / 1e6


def without_nonsense(table: Table) -> Table | None:
    """A table from a file without entries whose score is none; None if `new_table` makes no table of this size.

    A search would follow whatever a forged file says.
    """
    if not is_size(len(table) - BUSY, _BUCKET):
        return None
    entries = table[:-BUSY].reshape(-1, _ENTRY)
    entries[~are_scores(entries[:, 1])] = 0
    return table


def is_size(cells: int, bucket: int) -> bool:
    """Whether `empty_table` makes so many cells in buckets."""
    return cells >= bucket and cells % bucket == 0 and (cells // bucket).bit_count() == 1


def are_scores(numbers: Table) -> NDArray[np.bool_]:
    """Whether each of these numbers is the score of a utility, infinity included."""
    most = encode(math.inf)
    return (-most <= numbers) & (numbers <= most)


def mask_of(table: Table) -> int:
    """The number of buckets minus 1."""
    return (len(table) - BUSY) // _BUCKET - 1


def full_permille(table: Table) -> int:
    """How many thousandths of the entries are in use: of the first thousand, since keys are spread evenly."""
    entries = table[: min(len(table) - BUSY, 1000 * _ENTRY)].reshape(-1, _ENTRY)
    return int(1000 * np.count_nonzero(entries.any(axis=1)) // len(entries))


@kernel
def fetch(table: Table, mask: int, key: int) -> None:
    """Start to load the bucket of `key` into the cache, while the search goes on."""
    prefetch(table, (key & mask) * _BUCKET)


def sealed(word: int, score: int) -> int:
    """Cell 0 of an entry as it is stored; of what is stored, cell 0.

    Scores often differ in their low bits alone, which hold the distance, and would change no bit of the key there. So
    these are added once more, at the bits of the key.
    """
    return word ^ score ^ (score & _LOW_BITS) << _TO_KEY


@kernel
@inlined
def probe(table: Table, mask: int, key: int) -> tuple[int, int]:
    """Cell 0 of the entry of `key`, and its score; (MISSING, 0) if there is none."""
    place = (key & mask) * _BUCKET
    for entry in (place, place + _ENTRY):
        score = table[entry + 1]  # read once: another thread may be writing
        word = sealed(table[entry], score)
        if (word ^ key) & _KEY_BITS == 0 and word & EXACT != NONE:
            return word, score
    return MISSING, 0


@kernel
@inlined
def store(
    table: Table, mask: int, key: int, action: int, depth: int, age: int, solved_and_bound: int, score: int
) -> None:
    """Store an entry; `action` is the number of the action in the order of the rules."""
    word = key & _KEY_BITS | min(action, NO_ACTION) << 16 | depth << 6 | (age & 7) << 3 | solved_and_bound
    place = (key & mask) * _BUCKET
    first = sealed(table[place], table[place + 1])
    if (first ^ key) & _KEY_BITS != 0:
        if first >> 3 & 7 != age & 7 or depth >= depth_of(first):
            table[place + _ENTRY] = table[place]
            table[place + _ENTRY + 1] = table[place + 1]
        else:
            place += _ENTRY
    table[place] = sealed(word, score)
    table[place + 1] = score


@kernel
def is_busy(table: Table, mask: int, key: int) -> bool:
    """Whether a thread is known to be searching the state with `key`."""
    return bool(table[busy_cell(mask, key)] == key)


@kernel
def set_busy(table: Table, mask: int, key: int, busy: bool) -> None:
    """Record that a thread starts or ends searching the state with `key`."""
    table[busy_cell(mask, key)] = key if busy else 0


def clear_busy(table: Table) -> None:
    """Forget the states that a stopped search was searching."""
    table[-BUSY:] = 0


def busy_cell(mask: int, key: int) -> int:
    """The index of the cell that records whether the state with `key` is being searched."""
    return (mask + 1) * _BUCKET + (key & BUSY - 1)


def action_of(word: int) -> int:
    """The number of the best action in cell 0 of an entry."""
    return word >> 16 & 1023


def depth_of(word: int) -> int:
    """The depth in cell 0 of an entry."""
    return word >> 6 & 1023


def bound_of(word: int) -> int:
    """The bound in cell 0 of an entry."""
    return word & 3
