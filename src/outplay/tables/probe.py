"""The look-up of states in a table, in compiled searches; `probing.py` fills the memory for it."""

from typing import Any

from outplay.compile.kernels import call_at, int64_at, kernel, uint16_at
from outplay.tables.codec import FIELDS, encode
from outplay.tables.sizes import BLOCK, MAX_LEVELS

MISS, HIT, BROKEN = range(3)
MAX_DISTANCE = 2048
"""Greater distances do not fit into the scores of a search; such states are searched."""
PROBE = (
    *FIELDS,  # of the codec
    ("least_depth", int),  # the least depth left at which states are looked up
    ("hits", int),  # the states found in the present search
    ("level", int),  # of the state found last: the index of its value,
    ("plies", int),  # and its distance
    ("states", int),  # the number of all states
    ("blocks", int),
    ("firsts", int),  # the addresses of the first code of each block,
    ("slots", int),  # of the place of each block in the cache, -1 if it is not there,
    ("codes", int),  # of the cache: codes,
    ("levels", int),
    ("distances", int),
    ("used", int),  # 1: used since the clock passed
    ("fetch", int),  # and of the function that puts a block into the cache
    ("score", int, MAX_LEVELS),  # of player 0, for each level,
    ("value", float, MAX_LEVELS),  # and the utility, less the balance
)
"""The fields for looking states up."""


@kernel
def probe_table(game: Any, state: Any, probe: Any) -> int:
    """Look `state` up: HIT if it is in the table, with `probe.level` and `probe.plies`; MISS, or BROKEN."""
    if not encode(game, state, probe):
        return MISS
    words = probe.words
    first = place_in(int64_at(probe.firsts), 0, probe.blocks, probe.code, words)
    if first < 0:
        return MISS
    slot = int64_at(probe.slots)[first]
    if slot < 0:
        slot = call_at(probe.fetch, first)
        if slot < 0:
            return BROKEN
    uint16_at(probe.used)[slot] = 1
    start, codes = slot * BLOCK, int64_at(probe.codes)
    at = place_in(codes, start, min(BLOCK, probe.states - first * BLOCK), probe.code, words)
    if at < start:
        return MISS
    for word in range(words):
        if codes[at * words + word] != probe.code[word]:
            return MISS
    plies = int(uint16_at(probe.distances)[at])
    if plies > MAX_DISTANCE:
        return MISS
    probe.level, probe.plies = int(uint16_at(probe.levels)[at]), plies
    probe.hits += 1
    return HIT


@kernel
def place_in(codes: Any, start: int, count: int, code: Any, words: int) -> int:
    """The index of the last of the ascending codes from `start` on that is not above `code`; start - 1 if all are."""
    low, high = start, start + count
    while low < high:
        middle, word = (low + high) >> 1, 0
        while word < words - 1 and codes[middle * words + word] == code[word]:
            word += 1
        if codes[middle * words + word] > code[word]:
            high = middle
        else:
            low = middle + 1
    return low - 1
