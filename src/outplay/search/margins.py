"""Measures the margins of futility pruning and ProbCut: how far an estimate is from the result of a search.

Futility pruning (Schaeffer 1986) leaves out an action near the end of the look-ahead if `evaluate` plus a margin does
not reach alpha. ProbCut (Buro 1995) gives up a state if a search to much less depth is beyond the window by a margin.
How large the margins must be depends on the game and its `evaluate`, so they are measured in positions of random games:

    futility, depth d    search to depth d, minus evaluate      for the player to move, d = 1, 2
    probcut              search to depth 5, minus depth 1       in absolute value

The margin is the difference that is not exceeded in, by default, 95 of 100 positions. Positions whose value is proved
by a search are left out, because they need no estimate.
"""

import functools
import math
import random
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from outplay.check.quick import check_rules
from outplay.engine.analysis import Analysis
from outplay.engine.limits import Limit
from outplay.rules.game import Game, legal_actions
from outplay.search.forward_pruning import FUTILITY_DEPTH, PROBCUT_DEPTH, PROBCUT_REDUCTION

POSITIONS, FEW_POSITIONS = 200, 20
"""The number of positions in which margins are measured, if the game is compiled and if it is interpreted."""
CONFIDENCE = 0.95
"""The fraction of the positions in which a margin is large enough."""
POSITIONS_OF_A_GAME = 4
PLIES_APART = 8
"""The average number of plies between two positions of a long game, from which more positions are taken."""
MAX_GAME_PLIES = 400
"""The number of plies after which a random game is stopped."""
MAX_NODES = 5_000
"""The maximum number of nodes for a position; a position that needs more is left out."""
MIN_POSITIONS = 8
"""The minimum number of positions for a margin; with fewer, the margin is infinite."""


@dataclass(frozen=True)
class Margins:
    """The margins of futility pruning and ProbCut, in units of utility. Greater margins are safer and prune less.

    Args:
        futility: two numbers, for depth 1 and 2: an action that would have to gain more than this over `evaluate` is
            left out.
        probcut: a state is given up if the result of a search to less depth is beyond the window by this much.

    Raises `ValueError` for anything other than numbers of at least 0. They may be infinite.

    >>> Margins(futility=(0.5, 1), probcut=1.5)
    Margins(futility=(0.5, 1), probcut=1.5)
    """

    _: KW_ONLY
    futility: tuple[float, float]
    probcut: float

    def __post_init__(self) -> None:
        futility = self.futility
        if not isinstance(futility, tuple) or len(futility) != FUTILITY_DEPTH or not all(map(_is_margin, futility)):
            raise ValueError(f"Margins(futility={futility!r}): two numbers, 0 or greater, as in (0.5, 1)")
        if not _is_margin(self.probcut):
            raise ValueError(f"Margins(probcut={self.probcut!r}): a number, 0 or greater")


def _is_margin(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


@functools.lru_cache(maxsize=64)
def measured(searcher_class: Any, game: Game, rules: Any, positions: int, seed: int, confidence: float) -> Margins:
    """The margins measured in random positions of `game`, searched by `AlphaBeta`; see `measure_margins`."""
    searcher = searcher_class(game, table_mb=1)
    check_rules(game)
    states = sample(game, positions, seed)

    def search(depth: int) -> list[Analysis]:
        analyses: list[Analysis] = searcher.search_many(states, Limit(depth=depth, nodes=MAX_NODES))
        return analyses

    def margin(differences: Iterable[float]) -> float:
        values = list(differences)
        return (
            max(0.0, float(np.quantile(values, confidence, method="higher")))
            if len(values) >= MIN_POSITIONS
            else math.inf
        )

    least, greatest = game.utilities or (-math.inf, math.inf)  # estimates are cut to this range
    static = [min(max(float(game.evaluate(state, game.to_move(state))), least), greatest) for state in states]
    shallow, *others = (search(depth) for depth in range(1, FUTILITY_DEPTH + 1))
    deep = search(PROBCUT_DEPTH)
    assert PROBCUT_DEPTH - PROBCUT_REDUCTION == 1
    first, second = (
        margin(
            more.value - still for more, still in zip(analyses, static, strict=True) if not more.exact and _done(more)
        )
        for analyses in (shallow, *others)
    )
    return Margins(
        futility=(first, second),
        probcut=margin(
            abs(more.value - less.value)
            for more, less in zip(deep, shallow, strict=True)
            if not more.exact and _done(more) and _done(less)
        ),
    )


def _done(analysis: Analysis) -> bool:
    """Whether the search reached its depth limit."""
    return analysis.stopped == "depth"


def sample(game: Game, positions: int, seed: int) -> list[Any]:
    """States that are not terminal: a few from each of several random games."""
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    states: list[Any] = []
    while len(states) < positions:
        state, line = game.initial_state(), list[Any]()
        while not game.is_terminal(state) and len(line) < MAX_GAME_PLIES:
            line.append(state)
            state = game.result(state, rng.choice(list(legal_actions(game, state))))
        if not line:
            break  # the game is over at once
        states += rng.sample(line, min(max(POSITIONS_OF_A_GAME, len(line) // PLIES_APART), len(line)))
    return states[:positions]
