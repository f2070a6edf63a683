"""Monte Carlo tree search against an obvious twin, exact values, and the laws of its tree and its answers."""

import math

import pytest
from exact import exact, possible
from hashed_game import (
    Chancy,
    Crowd,
    Hashed,
    Hinted,
    Lonely,
    Maze,
    Noisy,
    Seeded,
    WinLossChancy,
    WinLossHashed,
    WinLossMaze,
    endless_twin,
    interpreted,
    path_twin,
    scramble,
    twin,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from mcts_twin import Twin

from outplay import CHANCE, Game, Limit
from outplay.montecarlo.mcts import MCTS
from outplay.playout import draw

SEEDS = st.integers(0, 10**6)


def own(self, state, last, random):
    """A rule for playouts: the better by order of two actions drawn at random, and as soon the answer to `last`."""
    actions = list(self.actions(state))
    first, second = draw(random, len(actions)), draw(random, len(actions))
    return actions[max(first, second) if last % 2 else min(first, second)]


GAMES = [interpreted(cls, playout_action=own) for cls in (Hashed, WinLossHashed, Hinted, Lonely, Noisy)]
CHANCY = [interpreted(cls, playout_action=own) for cls in (Chancy, WinLossChancy)]
CROWDS = [
    interpreted(Crowd, playout_action=own),
    interpreted(Crowd, playout_action=own, utilities=None, players=4),
    interpreted(Crowd, playout_action=own, players=2, chances=0),
    interpreted(Crowd, playout_action=own, chances=0),
]
MAZES = [
    interpreted(cls, repetition=rule, playout_action=own)
    for cls in (Maze, WinLossMaze)
    for rule in ("draw", "loss", "forbidden")
]
OPTIONS = {
    "selection": st.sampled_from(["ucb1", "ucb1-tuned", "puct"]),
    "exploration": st.sampled_from([0.1, 0.7, 1.5]),
    "playouts": st.sampled_from(["random", "own", "greedy", "mast", "replies"]),
    "playout_depth": st.sampled_from([None, None, 0, 1, 3]),
    "epsilon": st.sampled_from([0.0, 0.1, 0.5]),
    "first_play": st.sampled_from([None, None, 0.3, -1.0]),
    "rave": st.booleans(),
    "rave_bias": st.sampled_from([0.0, 0.001, 0.5]),
    "rave_reference": st.sampled_from([0, 1, 5, 20]),
    "bias": st.sampled_from([0.0, 0.0, 0.5]),
    "widening": st.sampled_from([None, None, (0.0, 0.5), (1.0, 0.3), (0.5, 0.5)]),
    "patience": st.sampled_from([0, 1, 1, 4]),
    "solver": st.booleans(),
    "clamp": st.booleans(),
    "hints": st.booleans(),
    "seed": st.integers(0, 1000),
}


def start(seed):
    return Seeded(seed, 0, 0)


def playable(game, seed):
    """A state near the start in which a player is to move."""
    return start(seed)


def rows_of(game, state, simulations, options, memory_mb=1, **more):
    """What the searcher kept of each root action, and the whole answer of it."""
    from outplay.montecarlo import mcts

    kept = []
    original = mcts.MCTS._answered

    class Watched(mcts.MCTS):
        def _answered(self, state, player, results, index, changing, by_caller, common):
            kept.append(results.answers[index])
            return original(self, state, player, results, index, changing, by_caller, common)

    analysis = Watched(game, **options, memory_mb=memory_mb, **more).analyse(state, Limit(simulations=simulations))
    return kept[-1], analysis


def agrees(game, state, simulations, options):
    """The searcher and the twin have come to the same root, number for number."""
    found, analysis = rows_of(game, state, simulations, options)
    root, done = Twin(game, **options).run(state, simulations)
    assert analysis.simulations == found.simulations == done
    rows = {row.action: row for row in found.rows}
    children = [child for child in root.children if child.visits]
    assert rows.keys() == {child.action for child in children}
    for child in children:
        row = rows[child.action]
        assert row.visits == child.visits
        assert row.totals == tuple(child.totals)
        if options.get("solver", True):
            assert row.bounds == tuple(zip(child.low, child.high, strict=True))
    if options.get("solver", True):
        assert found.bounds == tuple(zip(root.low, root.high, strict=True))
    return root, analysis


@given(st.fixed_dictionaries(OPTIONS), st.sampled_from(GAMES + CHANCY + CROWDS + MAZES), SEEDS, st.integers(1, 150))
@settings(max_examples=300)
def test_any_combination_does_what_the_twin_does(options, game, seed, simulations):
    agrees(game, start(seed), simulations, options)
