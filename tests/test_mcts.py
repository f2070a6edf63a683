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


# -- exact values -----------------------------------------------------------------------------------------------------

OPPOSED = GAMES + CHANCY
FEW = {"exploration": 1.0, "memory_mb": 0.2}


def is_true(game, state, analysis, found):
    """Nothing is called proved that is not, of the state and of every action, for any player."""
    checks = [(state, found.bounds)] + [(game.result(state, row.action), row.bounds) for row in found.rows]
    for place, bounds in checks:
        values = possible(game, place) if game.players > 2 or not game.zero_sum else {exact(game, place)}
        for each in values or ():
            for value, (low, high) in zip(each, bounds, strict=True):
                assert low - 1e-9 <= value <= high + 1e-9
    for item in analysis.actions:
        assert item.interval[0] <= item.value + 1e-9
        assert item.value <= item.interval[1] + 1e-9
    assert analysis.exact == (found.bounds[analysis.player][0] == found.bounds[analysis.player][1])


@pytest.mark.parametrize("game", OPPOSED + CROWDS, ids=lambda game: f"{type(game).__name__}{game.players}")
def test_what_is_proved_is_true(game):
    proved = 0
    for seed in range(200):
        found, analysis = rows_of(game, start(seed), 3 + seed % 90, {"seed": seed, "clamp": seed % 2 == 0}, 0.2)
        is_true(game, start(seed), analysis, found)
        proved += analysis.exact
    assert proved > (20 if game.players > 2 else 80)


@pytest.mark.parametrize("game", OPPOSED, ids=lambda game: type(game).__name__)
@pytest.mark.parametrize("selection", ["ucb1", "ucb1-tuned", "puct"])
def test_without_a_limit_a_small_game_is_solved(game, selection):
    searcher = MCTS(game, selection=selection, **FEW)
    for seed in range(40):
        analysis = searcher.search(start(seed))
        best = exact(game, start(seed))[analysis.player]
        assert analysis.exact
        assert not analysis.stopped
        assert math.isclose(analysis.value, best, abs_tol=1e-9)
        assert math.isclose(exact(game, game.result(start(seed), analysis.action))[analysis.player], best, abs_tol=1e-9)
        assert analysis.line[0] == analysis.action


@pytest.mark.parametrize("game", MAZES, ids=lambda game: f"{type(game).__name__}-{game.repetition}")
def test_repetition_is_what_following_every_line_shows(game):
    searcher, proved = MCTS(game, playout_depth=8, **FEW), 0
    for seed in range(60):
        analysis = searcher.search(start(seed), Limit(simulations=3000))
        value, _ = path_twin(game, start(seed), analysis.player)
        if analysis.exact:
            proved += 1
            assert math.isclose(analysis.value, value, abs_tol=1e-9)
            if game.repetition == "draw":
                assert value == endless_twin(game, start(seed), analysis.player)[0]
    assert proved > 30


MEANS = [
    interpreted(Chancy),
    interpreted(WinLossChancy),
    interpreted(WinLossHashed),
    interpreted(Lonely),
    interpreted(Crowd),
    interpreted(Crowd, chances=0),
]


@pytest.mark.parametrize("game", MEANS, ids=lambda game: f"{type(game).__name__}{game.chances if game.players > 2 else ''}")
def test_means_come_to_the_value_without_a_solver(game):
    """Of every player, and not only of the one to move: a wrong sign or player is off by much more."""
    searcher, errors = MCTS(game, solver=False, exploration=0.5, memory_mb=2), []
    seeds = [seed for seed in range(60) if possible(game, start(seed)) and len(possible(game, start(seed))) == 1][:12]
    for seed in seeds:
        analysis = searcher.analyse(start(seed), Limit(simulations=3000))
        width = 5 if game.utilities is None else game.utilities[1] - game.utilities[0]
        best = analysis.actions[0]
        errors.append(abs(best.value - exact(game, start(seed))[analysis.player]) / width)
        for value, truth in zip(analysis.values, exact(game, start(seed)), strict=True):
            errors.append(abs(value - truth) / width)
    assert len(seeds) > 5
    assert max(errors) < 0.35  # a formula that explores little is slow where a good line is well hidden
    assert sum(errors) / len(errors) < 0.06
