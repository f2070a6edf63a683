"""The transposition table: what is known of states met before, in bounded memory.

An int64 array, two cells an entry; the entry of a state is chosen by the low bits of its 64-bit key:

    cell 0    bits 63-22  the same bits of the key, to tell states apart that share the entry
              bits 21-12  the number of the best action in the order that the rules list them; 1023: none
              bits 11-2   the depth to which the state was searched; SOLVED: to the ends of the game
              bits  1-0   the bound: NONE, UPPER, LOWER or EXACT
    cell 1    the score, for the player to move; its distance counts from this state, so it holds at any ply

A new entry replaces the old one. That two states share an entry and 42 bits besides happens once in 4 * 10**12 visits.
"""

import numpy as np
from numpy.typing import NDArray

from outplay.kernels import kernel

NONE, UPPER, LOWER, EXACT = 0, 1, 2, 3
SOLVED = 1023
NO_ACTION = 1023
_KEY_BITS = -1 << 22

Table = NDArray[np.int64]


def new_table(megabytes: float) -> Table:
    """An empty table of at most so many megabytes (10**6 bytes): shape (2 * 2**k,), int64; 0 makes one entry."""
    entries = 1
    while entries * 32 <= megabytes * 1e6:
        entries *= 2
    return np.zeros(2 * entries, np.int64)


@kernel
def find(table: Table, mask: int, key: int) -> int:
    """Where in `table`, of `mask` + 1 entries, the entry of `key` is, or -1."""
    place = (key & mask) << 1
    return place if (int(table[place]) ^ key) & _KEY_BITS == 0 and table[place] & 3 != NONE else -1


@kernel
def store(table: Table, mask: int, key: int, action: int, depth: int, bound: int, score: int) -> None:
    """Put an entry into `table`; `action` is a number in the listing of the rules."""
    place = (key & mask) << 1
    table[place] = key & _KEY_BITS | min(action, NO_ACTION) << 12 | depth << 2 | bound
    table[place + 1] = score


def action_of(word: int) -> int:
    """The number of the best action in cell 0 of an entry."""
    return word >> 12 & 1023


def depth_of(word: int) -> int:
    """The depth in cell 0 of an entry."""
    return word >> 2 & 1023


def bound_of(word: int) -> int:
    """The bound in cell 0 of an entry."""
    return word & 3
