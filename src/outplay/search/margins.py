"""How far a static evaluation is from what a search finds: the margins of futility pruning and of ProbCut.

Futility pruning (Schaeffer 1986) leaves out an action near the cutoff if even `evaluate` and a margin do not come up to
alpha; ProbCut (Buro 1995) gives a state up if a search of much less depth is beyond the window by a margin. How large a
margin has to be depends on the game and on its `evaluate`, so it is measured: in positions of games played at random,

    futility, depth d    search to depth d, less evaluate       for the player to move, d = 1, 2
    probcut              search to depth 5, less depth 1        in absolute value

and the margin is what the difference stays below in, by default, 95 of 100 positions. Positions of which a search
proves the value are left out: there is nothing to estimate.
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
"""In how many positions margins are measured: of a game that is compiled, and of one that is interpreted."""
CONFIDENCE = 0.95
"""The part of the positions in which a margin suffices."""
POSITIONS_OF_A_GAME = 4
APART = 8
"""In a long game, so many plies from one position to the next on average: its positions differ, and it takes long."""
LONGEST_GAME = 400
"""Plies after which a random game is given up."""
MOST_NODES = 5_000
"""A position that takes more nodes is left out."""
FEWEST = 8
"""From less positions than these nothing is concluded: the margin is infinite."""


@dataclass(frozen=True)
class Margins:
    """How much is too much to hope for: numbers in the units of utility, 0 or greater. The greater, the safer.

    Args:
        futility: what an action would have to gain over `evaluate` to be left out, one and two plies before the cutoff.
        probcut: how far beyond the window a search of less depth has to be for a state to be given up.

    Raises `ValueError` for what is not such a number; infinity is one.

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
    """The margins that hold in random positions of `game`, searched by `AlphaBeta`; see `measure_margins`."""
    searcher = searcher_class(game, table_mb=1)
    check_rules(game)
    states = sample(game, positions, seed)

    def search(depth: int) -> list[Analysis]:
        found: list[Analysis] = searcher.search_many(states, Limit(depth=depth, nodes=MOST_NODES))
        return found

    def margin(differences: Iterable[float]) -> float:
        found = list(differences)
        return max(0.0, float(np.quantile(found, confidence, method="higher"))) if len(found) >= FEWEST else math.inf

    least, greatest = game.utilities or (-math.inf, math.inf)  # no estimate counts for more
    static = [min(max(float(game.evaluate(state, game.to_move(state))), least), greatest) for state in states]
    shallow, *others = (search(depth) for depth in range(1, FUTILITY_DEPTH + 1))
    deep = search(PROBCUT_DEPTH)
    assert PROBCUT_DEPTH - PROBCUT_REDUCTION == 1
    first, second = (
        margin(each.value - still for each, still in zip(found, static, strict=True) if not each.exact and _done(each))
        for found in (shallow, *others)
    )
    return Margins(
        futility=(first, second),
        probcut=margin(
            abs(each.value - less.value)
            for each, less in zip(deep, shallow, strict=True)
            if not each.exact and _done(each) and _done(less)
        ),
    )


def _done(analysis: Analysis) -> bool:
    """Whether the search came to its depth."""
    return analysis.stopped == "depth"


def sample(game: Game, positions: int, seed: int) -> list[Any]:
    """States that are not terminal, a few from each of as many random games as it takes."""
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    states: list[Any] = []
    while len(states) < positions:
        state, line = game.initial_state(), list[Any]()
        while not game.is_terminal(state) and len(line) < LONGEST_GAME:
            line.append(state)
            state = game.result(state, rng.choice(list(legal_actions(game, state))))
        if not line:
            break  # the game is over at once
        states += rng.sample(line, min(max(POSITIONS_OF_A_GAME, len(line) // APART), len(line)))
    return states[:positions]
