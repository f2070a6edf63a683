"""The first ranges of the cells of states, as random games show them.

A codec can be widened at any time, but then all codes so far are translated; with these ranges that is rare.
"""

from typing import Any

import numpy as np

from outplay.compile.kernels import kernel, pointer, unpack
from outplay.compile.state_cells import MAX_CELLS
from outplay.rules.game import Game, legal_actions
from outplay.rules.keys import SEED, mix
from outplay.tables.codec import Codec, Range, write_least

GAMES = 200
"""The number of random games."""
PLIES = 300
"""The maximum number of plies of a game."""


def seen_codec(game: Game, packed: Any, count: int) -> Codec:
    """A codec for the states of random games that begin with packed states; the same ones each time."""
    low, high = np.full(MAX_CELLS + 1, np.iinfo(np.int64).max), np.full(MAX_CELLS + 1, np.iinfo(np.int64).min)
    observe(game, packed, count, Codec([], Range(0, 0)).record(), low, high)
    lengths = Range(int(low[MAX_CELLS]), int(high[MAX_CELLS]))
    cells = [Range(int(low[i]), int(low[i])).widened(int(high[i])) for i in range(min(lengths.high, MAX_CELLS))]
    return Codec([*cells, *[Range(0, 0)] * (lengths.high - len(cells))], lengths)  # too many are refused there


@kernel
def observe(game: Any, packed: Any, count: int, memory: Any, low: Any, high: Any) -> None:
    """Play random games; the last element of `low` and `high` is for the number of cells."""
    codec, random = pointer(memory), SEED
    for number in range(max(GAMES, count)):
        state = unpack(game, packed, number % count)
        for _ in range(PLIES):
            size = write_least(game, state, codec)
            for i in range(min(size, MAX_CELLS)):
                low[i], high[i] = min(low[i], codec.cells[i]), max(high[i], codec.cells[i])
            low[MAX_CELLS], high[MAX_CELLS] = min(low[MAX_CELLS], size), max(high[MAX_CELLS], size)
            if game.is_terminal(state):
                break
            choices = 0
            for _ in legal_actions(game, state):
                choices += 1
            if choices == 0:
                break  # a fault, which the walk through all states reports
            random = mix(random, choices)
            left = (random >> 32) % choices
            for action in legal_actions(game, state):
                if left == 0:
                    state = game.result(state, action)
                    break
                left -= 1
