"""The look-up of states in a table, in compiled searches; `probing.py` fills the memory for it.

A table has codes of states, or classes with indices (`Tablebase.probed_in_tree`). What it says is certain for the state
that was asked, whatever came before it; in a class, of two states with one index it may be so for one alone
(`Classes.holds`). Where it is not certain, the state is searched.
"""

from typing import Any

from outplay.compile.kernels import call_at, int64_at, kernel, uint16_at
from outplay.engine.score import encode as score_of
from outplay.engine.score import in_plies
from outplay.engine.workspace import PLIES
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import defines
from outplay.tables.class_blocks import BROKEN as BROKEN_BLOCK
from outplay.tables.class_blocks import CLASS_FIELDS, kind_of, level_at, place_of, plies_here, utility_of
from outplay.tables.class_expansion import UNKNOWN, begins_anew, plies_left, points_of, viewer
from outplay.tables.codec import FIELDS, encode
from outplay.tables.sizes import BLOCK, MAX_LEVELS

MISS, HIT, BROKEN, UNSURE = range(4)
"""What is known of a state: nothing, its value, an error, or (UNSURE) a value that its past may change."""
MAX_DISTANCE = 2048
"""Greater distances do not fit into the scores of a search; such states are searched."""
PROBE = (
    *FIELDS,  # of the codec
    ("least_depth", int),  # the least depth left at which states are looked up
    ("hits", int),  # the states found in the present search
    ("score", int),  # of the state found last: the score for player 0,
    ("value", float),  # the utility, less the utility of a draw,
    ("always", int),  # and 1 if all states with its code or its index are worth the same, whatever came before
    # With codes:
    ("states", int),  # the number of all states
    ("blocks", int),
    ("firsts", int),  # the addresses of the first code of each block,
    ("slots", int),  # of its place in the cache, -1 if it is not there,
    ("codes", int),  # and of the cache: codes,
    ("levels", int),
    ("distances", int),
    ("scores", int, MAX_LEVELS),  # of player 0, for each level,
    ("values", float, MAX_LEVELS),  # and the utilities, less the utility of a draw
    # By class:
    *CLASS_FIELDS,
    ("friends", int),  # the players on the side of player 0, a bit each
    ("index", int),  # of the state found last; its class is the code
    ("unsure", int, PLIES),  # of the state at each ply: 1: UNSURE
    ("beyond", int),  # the address of the plies that may come on top of a distance, for each utility of all classes
)
"""The fields for looking states up."""


@kernel
def probe_table(game: Any, techniques: Any, state: Any, probe: Any) -> int:
    """Look `state` up: HIT if it is in the table, with `probe.score` and `probe.value`; else MISS, UNSURE or BROKEN."""
    if techniques.tablebase == "classes":
        return probe_classes(game, state, probe)
    return probe_codes(game, state, probe)


@kernel
def probe_codes(game: Any, state: Any, probe: Any) -> int:
    """The same in a table with codes."""
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
    uint16_at(probe.used)[first] = 1
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
    level = int(uint16_at(probe.levels)[at])
    probe.score, probe.value, probe.always = in_plies(probe.scores[level], plies), probe.values[level], 1
    probe.hits += 1
    return HIT


@kernel
def probe_classes(game: Any, state: Any, probe: Any) -> int:
    """The same in a table by class."""
    probe.code[0] = game.state_class(state)
    place = place_of(probe.code[0], probe)
    if place < 0:
        return MISS
    index = int(game.state_index(state))
    level = level_at(place, index, probe)
    if level < 0 or level == UNKNOWN:
        return BROKEN if level == BROKEN_BLOCK else MISS
    value, draw, plies = utility_of(place, level, probe), draw_utility(game), 0
    probe.index, probe.always = index, value == draw or not defines(game, "index_plies")
    if value != draw:
        plies = plies_here(probe)
        if plies + int64_at(probe.beyond)[kind_of(place, level, probe)] > plies_left(game, state):
            return UNSURE
        if plies > MAX_DISTANCE:
            return MISS
    if probe.friends >> viewer(game, state) & 1 == 0:
        value = 2 * draw - value
    probe.value = value + points_of(game, state, 0) - draw
    probe.score = in_plies(score_of(probe.value), plies)
    probe.hits += 1
    return HIT


@kernel
def is_fresh(game: Any, state: Any, probe: Any) -> bool:
    """Whether the index of the state found last leaves out no past, such as a count of plies that had to restart."""
    return begins_anew(game, state, probe.code[0], probe.index)


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
