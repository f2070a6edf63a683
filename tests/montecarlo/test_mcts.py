"""Monte Carlo tree search against an obvious twin, exact values, and the laws of its tree and its answers."""

import json
import math
import pickle
import time
from itertools import pairwise, product
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import ctrl_c
from shared.hashed_game import (
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
)
from twins.exact import exact, possible
from twins.mcts import Twin

from outplay import (
    CHANCE,
    AlphaBeta,
    EvaluationError,
    Game,
    LearnedEvaluation,
    Limit,
    LinearEvaluation,
    RulesError,
    UnsuitableGame,
    legal_actions,
)
from outplay.arena import player_named
from outplay.cli.searchers import searcher_for
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import new_random, random_below
from outplay.compile.records import new_record
from outplay.evaluation.variant import with_evaluation
from outplay.games import Breakthrough, ConnectFour, Hex, Nim, Othello, TicTacToe
from outplay.montecarlo import run
from outplay.montecarlo.answer import Answer, Row
from outplay.montecarlo.mcts import MCTS
from outplay.montecarlo.simulation import is_settled
from outplay.montecarlo.tree import LOOKED_UP, ROOT, keep, memory_layout, new_tree, numbers_layout
from outplay.session.searchers import learned_file

SEEDS = st.integers(0, 10**6)


def own(self, state, last, random):
    """A rule for playouts: the better by order of two actions drawn at random, and as soon the answer to `last`."""
    actions = list(self.actions(state))
    first, second = random_below(random, len(actions)), random_below(random, len(actions))
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
    "priors": st.sampled_from([None, "evaluation"]),
    "temperature": st.sampled_from([0.02, 0.2, 3.0]),
    "solver": st.booleans(),
    "clamp": st.booleans(),
    "hints": st.booleans(),
    "seed": st.integers(0, 1000),
}


def start(seed):
    return Seeded(seed, 0, 0)


def rows_of(game, state, simulations, options, memory_mb=1, **more):
    """What the searcher kept of each root action, and the whole answer of it."""
    kept = []

    class Watched(MCTS):
        def _answered(self, state, player, results, index, *rest):
            kept.append(results.answers[index])
            return super()._answered(state, player, results, index, *rest)

    analysis = Watched(game, **options, memory_mb=memory_mb, **more).analyse(state, Limit(simulations=simulations))
    return kept[-1], analysis


def agrees(game, state, simulations, options, **more):
    """The searcher and the twin have come to the same root, number for number."""
    playouts = {} if "evaluator" in options else {"playouts": "random"}
    options = {"selection": "ucb1", "exploration": 0.7} | playouts | options
    found, analysis = rows_of(game, state, simulations, options, **more)
    root, done = Twin(game, **options).run(state, simulations)
    assert analysis.simulations == done
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
@settings(max_examples=80)
def test_any_combination_does_what_the_twin_does(options, game, seed, simulations):
    if game.repetition and options["playout_depth"] is None:
        options |= {"playout_depth": 12}  # at random a maze may go on for ever
    agrees(game, start(seed), simulations, options)


TECHNIQUES = {
    "ucb1": {},
    "ucb1-tuned": {"selection": "ucb1-tuned"},
    "puct": {"selection": "puct"},
    "own": {"playouts": "own"},
    "greedy": {"playouts": "greedy", "epsilon": 0.3},
    "mast": {"playouts": "mast"},
    "replies": {"playouts": "replies"},
    "depth": {"playout_depth": 1},
    "first play": {"first_play": 0.3},
    "rave": {"rave": True, "exploration": 0.1},
    "grave": {"rave": True, "rave_reference": 5},
    "bias": {"bias": 0.5},
    "widening": {"widening": (0.5, 0.5)},
    "priors": {"selection": "puct", "priors": "evaluation"},
    "priors that widen": {"selection": "ucb1", "priors": "evaluation", "widening": (1.0, 0.5), "temperature": 0.05},
    "no solver": {"solver": False},
    "no clamp": {"clamp": False},
    "no hints": {"hints": False},
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", TECHNIQUES)
def test_each_technique_does_what_the_twin_does(name):
    for seed in range(4):
        for number, game in enumerate(GAMES + CHANCY + CROWDS + MAZES):
            options = {"playout_depth": 12} if game.repetition else {}
            agrees(game, start(100 * seed + number), 100, options | TECHNIQUES[name] | {"seed": seed})


def test_a_variance_is_not_negative():
    """Of rewards and of their squares the same ones are counted, those within what is proved."""
    agrees(CHANCY[0], start(918419), 136, {"selection": "ucb1-tuned", "exploration": 0.1, "seed": 308})


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


@pytest.mark.sample(1)
@pytest.mark.parametrize("game", OPPOSED + CROWDS, ids=lambda game: f"{type(game).__name__}{game.players}")
def test_what_is_proved_is_true(game):
    proved = 0
    for seed in range(200):
        found, analysis = rows_of(game, start(seed), 3 + seed % 90, {"seed": seed, "clamp": seed % 2 == 0}, 0.2)
        is_true(game, start(seed), analysis, found)
        proved += analysis.exact
    assert proved > (20 if game.players > 2 else 80)


@pytest.mark.sample(3)
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


@pytest.mark.parametrize("game", [*CHANCY, CROWDS[0]], ids=lambda game: type(game).__name__)
def test_where_chance_is_to_move_the_value_is_the_mean_of_the_outcomes(game):
    """At the root too, and the exact one if it is proved; nobody chooses an outcome."""
    searcher, seen, proved = MCTS(game, **FEW), 0, 0
    for seed, x in product(range(60), range(3)):
        state = Seeded(seed, 1, x)
        if game.is_terminal(state) or game.to_move(state) != CHANCE:
            continue
        analysis = searcher.search(state, Limit(simulations=3000))
        outcomes, seen, proved = list(game.actions(state)), seen + 1, proved + analysis.exact
        assert (analysis.player, analysis.action, analysis.line) == (CHANCE, None, ())
        assert [item.action for item in analysis.actions] == outcomes
        odds = [game.probability(state, action) for action in outcomes]
        mean = sum(share * item.value for share, item in zip(odds, analysis.actions, strict=True))
        assert math.isclose(analysis.value, mean, abs_tol=1e-9)
        assert analysis.value == analysis.values[0]
        if analysis.exact:  # that is the value of player 0
            assert any(math.isclose(analysis.value, values[0], abs_tol=1e-9) for values in possible(game, state))
    assert seen > 20
    assert proved > seen / 2


def test_where_chance_is_to_move_a_search_never_ends_early():
    """The most probable outcome is far ahead in visits, but nobody chooses it: the others need theirs."""
    game = interpreted(
        Plain,
        tree={"start": (CHANCE, {0: "often", 1: "rare"})}
        | {name: (0, {action: f"{name}{action}" for action in range(9)}) for name in ("often", "rare")}
        | {
            f"{name}{one}": (1, {two: f"end{two}" for two in range(9)})
            for name in ("often", "rare")
            for one in range(9)
        },
        ends={f"end{two}": two / 100 for two in range(9)},
        probability=lambda self, state, action: (0.9, 0.1)[action],
    )
    analysis = MCTS(game, memory_mb=1, solver=False).search(limit=Limit(simulations=2000))
    assert analysis.simulations == sum(item.visits for item in analysis.actions) == 2000
    for player, name in (CHANCE, "start"), (0, "often"):
        assert MCTS(game, memory_mb=1).search(name, Limit(simulations=5000)).player == player


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


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "game", MEANS, ids=lambda game: f"{type(game).__name__}{game.chances if game.players > 2 else ''}"
)
def test_means_come_to_the_value_without_a_solver(game):
    """Of every player, and not only of the one to move: a wrong sign or player is off by much more."""
    searcher, errors = MCTS(game, selection="ucb1", solver=False, exploration=0.5, memory_mb=2), []
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


# -- what was found wrong ---------------------------------------------------------------------------------------------


class Plain(Game):
    """A tree written out: {name: (player to move or CHANCE, {action: name})}, and utilities where it ends."""

    compiled = False
    utilities = (-1, 1)
    tree: ClassVar = {}
    ends: ClassVar = {}

    def initial_state(self):
        return "start"

    def to_move(self, state):
        return self.tree[state][0]

    def actions(self, state):
        return list(self.tree[state][1])

    def result(self, state, action):
        return self.tree[state][1][action]

    def is_terminal(self, state):
        return state in self.ends

    def utility(self, state, player):
        return self.ends[state] if player == 0 else -self.ends[state]


def test_probabilities_that_do_not_quite_sum_to_one_are_no_hindrance():
    odds = [6 / 20, 2 / 20, 9 / 20, 1 / 20, 1 / 20, 1 / 20]
    total = 0.0
    for share in odds:
        total += share
    assert total > 1

    tree = {"start": (0, {0: "wheel", 1: "draw"}), "wheel": (CHANCE, dict.fromkeys(range(6), "won"))}
    for sign in 1, -1:
        ends = {"won": 1.0 * sign, "draw": 0.0}
        game = interpreted(Plain, tree=tree, ends=ends, probability=lambda self, state, action: odds[action])
        analysis = MCTS(game, memory_mb=1).search(limit=Limit(simulations=2000))
        assert analysis.exact
        assert analysis.value == pytest.approx(max(sign, 0))


@pytest.mark.parametrize("options", [{}, {"playouts": "mast"}, {"playouts": "replies", "rave": True}])
def test_many_searches_are_what_each_is_alone(options):
    states = [start(seed) for seed in (1, 2, 4)]
    for game in interpreted(Hashed), interpreted(Crowd, utilities=None):
        searcher, limit = MCTS(game, **options, solver=False, memory_mb=1), Limit(simulations=100)
        for analysis, state in zip(searcher.search_many(states, limit), states, strict=True):
            assert analysis == searcher.search(state, limit)


@pytest.mark.parametrize("solver", [True, False])
def test_going_round_in_circles_for_ever_ends_with_transpositions_too(solver):
    tree = {"start": (0, {0: "left"}), "left": (1, {0: "right"}), "right": (0, {0: "left"})}
    searcher = MCTS(interpreted(Plain, tree=tree), transpositions=True, solver=solver, playout_depth=None, memory_mb=1)
    analysis = searcher.search(limit=Limit(simulations=3))
    assert analysis.simulations == 3
    assert analysis.value == 0


@pytest.mark.parametrize("deep", [0, 1, 2, 3])
def test_a_state_without_actions_that_is_no_end_is_told(deep):
    names = ["start", "next", "third", "last"]
    stuck = {name: (0, {0: after}) for name, after in pairwise(names)}
    stuck[names[deep]] = (0, {})
    with pytest.raises(RulesError, match="no legal action"):
        MCTS(interpreted(Plain, tree=stuck), memory_mb=1, check=False).search(limit=Limit(simulations=100))


def test_what_is_remembered_is_of_the_state_last_searched():
    game = interpreted(WinLossHashed)
    ended = next(state for seed in range(50) for state in [game.result(start(seed), 0)] if game.is_terminal(state))
    searcher = MCTS(game, reuse_tree=True, solver=False, memory_mb=1)
    first = next(seed for seed in range(50) if len(list(game.actions(start(seed)))) > 2)
    searcher.search_many([start(first), ended], Limit(simulations=60))
    assert sum(item.visits for item in searcher.analyse(start(first), Limit(simulations=40)).actions) == 100


@pytest.mark.sample(1)
@pytest.mark.parametrize("rule", ["draw", "loss", "forbidden"])
def test_what_repetition_has_proved_is_not_remembered(rule):
    """After other states than those of the search a state may come that the search has taken for a repetition."""
    game = interpreted(WinLossMaze, repetition=rule)
    for seed in range(150):
        searcher = MCTS(game, reuse_tree=True, playout_depth=5, memory_mb=0.2)
        searcher.search(start(seed), Limit(simulations=60))
        for action in game.actions(start(seed)):
            child = game.result(start(seed), action)
            if not game.is_terminal(child):
                analysis = searcher.search(child, Limit(simulations=300))
                assert not analysis.exact or analysis.value == path_twin(game, child, analysis.player)[0]


# -- what makes no sense ----------------------------------------------------------------------------------------------


class Bare(Hashed):
    compiled = False
    order, evaluate = Game.order, Game.evaluate


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"selection": "ucb"}, r"selection='ucb'.*did you mean 'ucb1'"),
        ({"selection": 1}, r"selection=1.*'ucb1', 'ucb1-tuned', 'puct'"),
        ({"playouts": "randm"}, r"playouts='randm'.*did you mean 'random'"),
        ({"choice": "visit"}, r"choice='visit'.*did you mean 'visits'"),
        ({"parallel": "leaf"}, r"parallel='leaf'.*must be 'tree' or 'root'"),
        ({"exploration": -0.1}, r"exploration=-0.1.*number from 0 on, or None"),
        ({"exploration": math.nan}, r"exploration=nan"),
        ({"exploration": math.inf}, r"exploration=inf"),
        ({"exploration": "1"}, r"exploration='1'"),
        ({"playout_depth": -1}, r"playout_depth=-1.*whole number from 0 on, or None"),
        ({"playout_depth": 1.5}, r"playout_depth=1.5.*whole number"),
        ({"playout_depth": 3}, r"playout_depth=3.*evaluate\(\) on Bare"),
        ({"epsilon": 1.1}, r"epsilon=1.1.*from 0 to 1"),
        ({"first_play": math.inf}, r"first_play=inf.*a number, or None"),
        ({"rave_bias": -1}, r"rave_bias=-1"),
        ({"rave_reference": 0.5}, r"rave_reference=0.5"),
        ({"bias": None}, r"bias=None"),
        ({"memory_mb": 0}, r"memory_mb=0"),
        ({"threads": 0}, r"threads=0.*whole number from 1 to"),
        ({"seed": 0.5}, r"seed=0.5"),
        ({"widening": 2}, r"widening=2.*two numbers"),
        ({"widening": (1, 2)}, r"widening=\(1, 2\).*0 <= b <= 1"),
        ({"widening": (-1, 0.5)}, r"widening=\(-1, 0.5\)"),
        ({"widening": (1, 0.5, 1)}, r"widening="),
        ({"playouts": "own"}, r"playouts='own'.*Bare does not define playout_action\(\)"),
        ({"playouts": "greedy"}, r"playouts='greedy'.*Bare does not define order\(\)"),
        ({"priors": "evaluate"}, r"priors='evaluate'.*did you mean 'evaluation'"),
        ({"priors": "order"}, r"priors='order'.*Bare does not define order\(\)$"),
        ({"priors": "evaluation"}, r"priors='evaluation'.*Bare does not define evaluate\(\), or give evaluate="),
        ({"temperature": 0}, r"temperature=0.*from 1e-06 on"),
        ({"books": [3]}, r"MCTS\(books="),
        ({"solver": "false"}, r"MCTS\(solver='false'\): solver must be True or False$"),
        ({"rave": "maybe"}, r"MCTS\(rave='maybe'\): rave must be True, False or None"),
        ({"reuse_tree": None}, r"reuse_tree=None\): reuse_tree must be True or False"),
    ],
    ids=lambda item: str(item)[:30] if isinstance(item, dict) else "",
)
def test_an_option_that_makes_no_sense_is_told(options, words):
    with pytest.raises(ValueError, match=words):
        MCTS(Bare(), **options)


def test_transpositions_and_repetition_do_not_go_together():
    with pytest.raises(ValueError, match=r"transpositions=True.*Maze has a rule of repetition"):
        MCTS(MAZES[0], transpositions=True)


def test_limits_that_make_no_sense_are_told():
    with pytest.raises(ValueError, match=r"Limit\(depth=3\).*cannot be limited by depth"):
        MCTS(Bare()).search(start(1), Limit(depth=3))
    with pytest.raises(ValueError, match=r"solver=False.*never end"):
        MCTS(Bare(), solver=False).search(start(1))


def test_games_that_do_not_suit_are_told():
    class Secret(Bare):
        hidden_information = True

    class Many(Bare):
        players = 17

    with pytest.raises(UnsuitableGame, match="Secret: its players see only a part"):
        MCTS(Secret())
    with pytest.raises(UnsuitableGame, match="up to 16 players"):
        MCTS(Many())


def test_who_has_no_action_but_forbidden_ones_has_lost():
    stuck = interpreted(Plain, tree={"start": (0, {0: "start"})}, repetition="forbidden")
    analysis = MCTS(stuck, memory_mb=1).search(limit=Limit(simulations=100))
    assert (analysis.action, analysis.value, analysis.exact) == (None, -1, True)


# -- the tree ---------------------------------------------------------------------------------------------------------


class Wide(WinLossHashed):
    """A game whose tree does not end soon: it fills small memories."""

    compiled = False

    def to_move(self, state):
        return state.ply % 2

    def actions(self, state):
        return range(5)

    def result(self, state, action):
        return Seeded(state.seed, state.ply + 1, scramble(state.seed, state.ply, state.x, 10 + action) % 50)

    def is_terminal(self, state):
        return state.ply >= 9

    def utility(self, state, player):
        value = float(scramble(state.seed, state.ply, state.x, 4) % 3 - 1)
        return value if player == 0 else -value


def below(tree, node, shares, seen=None):
    """All that a tree holds of `node` and below, as nested tuples; with every field."""
    fields = tuple(
        tuple(array[shares * node : shares * (node + 1)].tolist())
        if name in ("value_sum", "low", "high")
        else array[node]
        for name, array in zip(tree._fields, tree, strict=True)
        if name not in ("first_child", "num_children", "table") and len(array) > 1
    )
    first = int(tree.first_child[node])
    children = range(first, first + int(tree.num_children[node]) if first else first)
    if seen is not None:
        seen.update(children)
    return fields, tuple(below(tree, child, shares, seen) for child in children)


KEEPERS = {
    "plain": (Wide, {}),
    "all": (Crowd, {"selection": "ucb1-tuned", "rave": True, "bias": 0.5, "transpositions": True, "utilities": None}),
    "no solver": (Wide, {"solver": False, "transpositions": True}),
}


def test_half_an_entry_of_another_thread_is_not_believed():
    game, mixed = interpreted(WinLossHashed), 0
    for seed in range(40):
        searcher = MCTS(game, transpositions=True, reuse_tree=True, memory_mb=1)
        searcher.search(start(seed), Limit(simulations=20))
        table = searcher.reusable.trees[0].table
        places = np.flatnonzero(table[1::2])
        table[1::2][places] = np.roll(table[1::2][places], 1)  # each key with the children of another state
        mixed += len(places) > 1
        assert (
            searcher.search(start(seed)).value == exact(game, start(seed))[0 if game.to_move(start(seed)) == 0 else 1]
        )
    assert mixed > 5


@pytest.mark.parametrize("name", KEEPERS)
def test_what_is_kept_is_what_can_be_reached(name):
    cls, options = KEEPERS[name]
    options = dict(options)
    game = interpreted(cls, utilities=options.pop("utilities", cls.utilities))
    for seed in (1, 2, 6, 7):
        searcher = MCTS(game, **options, reuse_tree=True, memory_mb=4, seed=seed)
        searcher.analyse(start(seed), Limit(simulations=300))
        kept = searcher.reusable
        techniques, tree, used = kept.kind[0], kept.trees[0], kept.used[0]
        spare = new_tree(techniques, len(tree.first_child))
        root = max(
            range(int(tree.first_child[1]), int(tree.first_child[1]) + int(tree.num_children[1])),
            key=lambda at: tree.visits[at],
        )
        reached = set()
        before = below(tree, root, techniques.shares, reached)
        assert keep(techniques, tree, spare, root, used) == 2 + len(reached)
        assert below(tree, 1, techniques.shares) == before
        if options.get("transpositions"):  # the table knows where the children have gone
            starts = {int(first) for first in tree.first_child[1 : 2 + len(reached)] if first}
            entries = {int(cell) >> 16 for cell in tree.table[1::2] if cell}
            assert entries <= starts
            assert len(entries) > 0.8 * len(starts - {int(tree.first_child[1])})
    assert len(reached) > 10


def is_consistent(tree, node, game, state, shares, depth=6):
    """Visits of children do not outnumber those of their node; what is proved is true."""
    if depth == 0 or not tree.first_child[node]:
        return
    children = range(int(tree.first_child[node]), int(tree.first_child[node]) + int(tree.num_children[node]))
    assert sum(int(tree.visits[child]) for child in children) <= tree.visits[node]
    for child in children:
        after = game.result(state, int(tree.action[child]))
        if depth < 3:
            assert tree.low[child] <= exact(game, after)[0] <= tree.high[child]
        is_consistent(tree, child, game, after, shares, depth - 1)


def test_a_full_memory_forgets_what_was_visited_least_and_goes_on(monkeypatch):
    times = []
    original = run.Run._make_room
    monkeypatch.setattr(run.Run, "_make_room", lambda self: (times.append(1), original(self))[1])
    game = interpreted(Wide, is_terminal=lambda self, state: state.ply >= 6)
    for seed in range(3):
        searcher = MCTS(game, memory_mb=0.02, reuse_tree=True, seed=seed)
        analysis = searcher.analyse(start(seed), Limit(simulations=2500))
        tree = searcher.reusable.trees[0]
        assert analysis.simulations == 2500 or analysis.exact
        assert sum(item.visits for item in analysis.actions) == analysis.simulations
        is_consistent(tree, 1, game, start(seed), 1)
        found = exact(game, start(seed))[0]
        assert tree.low[1] <= found <= tree.high[1]
    assert len(times) > 10


@pytest.mark.nightly
def test_a_memory_that_is_always_full_is_no_hindrance():
    analysis = MCTS(FOUR, memory_mb=0.02, solver=False).analyse(limit=Limit(simulations=300_000))
    assert analysis.simulations == 300_000


@pytest.mark.parametrize(
    "options", [{}, {"rave": True, "selection": "ucb1-tuned", "bias": 1.0}, {"transpositions": True}]
)
def test_trees_stay_within_the_memory_given(options, monkeypatch):
    made = []
    monkeypatch.setattr(run, "new_tree", lambda *given: made.append(new_tree(*given)) or made[-1])
    for megabytes in (0.5, 3, 7.7):
        made.clear()
        MCTS(interpreted(Wide), memory_mb=megabytes, **options).search(start(1), Limit(simulations=10))
        size = sum(array.nbytes for tree in made for array in tree) / 2**20
        assert 0.7 * megabytes < size <= megabytes * 1.001


def test_a_search_goes_on_where_the_last_one_was():
    game = interpreted(Wide)
    searcher = MCTS(game, reuse_tree=True, memory_mb=4)
    first = searcher.analyse(start(3), Limit(simulations=400))
    assert [item.visits for item in first.actions] == sorted((item.visits for item in first.actions), reverse=True)
    state = game.result(start(3), first.action)
    second = searcher.analyse(state, Limit(simulations=1))
    assert sum(item.visits for item in second.actions) == first.actions[0].visits  # the first visit was a playout
    reply = second.actions[0]
    state = game.result(game.result(state, reply.action), 0)  # two plies on
    third = searcher.analyse(state, Limit(simulations=1))
    assert 1 <= sum(item.visits for item in third.actions) < reply.visits
    searcher.forget()
    assert sum(item.visits for item in searcher.analyse(state, Limit(simulations=1)).actions) == 1
    assert sum(item.visits for item in searcher.analyse(start(4), Limit(simulations=5)).actions) == 5  # another game


def test_transpositions_prove_the_same_with_fewer_nodes():
    game = interpreted(Wide, is_terminal=lambda self, state: state.ply >= 5)
    made = []
    for transpositions in (False, True):
        nodes = 0
        for seed in range(4):
            searcher = MCTS(game, transpositions=transpositions, reuse_tree=True, memory_mb=4)
            analysis = searcher.search(start(seed))
            nodes += searcher.reusable.used[0]
            assert analysis.exact
            assert analysis.value == exact(game, start(seed))[analysis.player]
        made.append(nodes)
    assert made[1] < 0.9 * made[0]


def test_the_seed_alone_decides():
    game, limit = interpreted(Wide), Limit(simulations=200)
    answers = [MCTS(game, seed=seed, memory_mb=1).search(start(2), limit) for seed in (5, 5, 6)]
    assert [item.visits for item in answers[0].actions] == [item.visits for item in answers[1].actions]
    assert answers[0].actions == answers[1].actions
    assert answers[0].actions != answers[2].actions


# -- the answer -------------------------------------------------------------------------------------------------------


def row(action, visits, mean, low=-1.0, high=1.0):
    return Row(action, visits, (visits * mean, -visits * mean), ((low, high), (-high, -low)))


@pytest.mark.parametrize(
    ("rows", "choice", "ranking"),
    [
        ([row(0, 10, 0.9), row(1, 50, 0.2), row(2, 30, 0.3)], "visits", [1, 2, 0]),
        ([row(0, 10, 0.9), row(1, 50, 0.2), row(2, 30, 0.3)], "value", [0, 2, 1]),
        ([row(0, 2, 0.9), row(1, 500, 0.6), row(2, 30, 0.65)], "lower-bound", [1, 2, 0]),
        ([row(0, 10, 1.0, 1.0, 1.0), row(1, 50, 0.2)], "visits", [0, 1]),  # a sure win
        ([row(0, 90, 0.0, 0.0, 0.0), row(1, 50, 0.2)], "visits", [1, 0]),  # a sure draw, but there may be more
        ([row(0, 9, 0.0, 0.0, 0.0), row(1, 50, -0.2)], "visits", [0, 1]),
        ([row(0, 90, -1.0, -1.0, -1.0), row(1, 5, -0.9)], "visits", [1, 0]),  # a sure loss
        ([row(0, 90, 0.5, 0.4, 1.0), row(1, 95, 0.3, -1.0, 0.3)], "visits", [0, 1]),  # no better than 0.3, at least 0.4
    ],
)
def test_the_choice(rows, choice, ranking):
    sure = max(each.bounds[0][0] for each in rows)
    answer = Answer(rows=tuple(rows), bounds=((sure, 1.0), (-1.0, -sure)), ranges=((-1, 1), (-1, 1)))
    assert [each.action for each in answer.ranked(0, choice)] == ranking
    turned = [Row(each.action, each.visits, each.totals[::-1], each.bounds[::-1]) for each in rows]
    other = Answer(rows=tuple(turned), bounds=((-1.0, -sure), (sure, 1.0)), ranges=((-1, 1), (-1, 1)))
    assert [each.action for each in other.ranked(1, choice)] == ranking


@pytest.mark.parametrize(("wins", "n"), [(0, 10), (3, 10), (50, 100), (999, 1000)])
def test_the_interval_is_that_of_wilson(wins, n):
    """Its ends are where the share of wins lies 1.96 standard deviations of a share p from p."""
    found = Row(0, n, (2.0 * wins - n,), ((-math.inf, math.inf),))
    for end in found.interval(0, -1, 1):
        p = (end + 1) / 2
        assert abs(wins / n - p) == pytest.approx(1.959964 * math.sqrt(p * (1 - p) / n), abs=1e-9)


@pytest.mark.nightly
def test_the_interval_holds_the_mean_in_95_of_100_searches():
    coin = interpreted(
        Plain,
        players=1,
        tree={"start": (0, {0: "coin"}), "coin": (CHANCE, {0: "heads", 1: "tails"})},
        ends={"heads": 1.0, "tails": -1.0},
        probability=lambda self, state, action: 0.3 if action == 0 else 0.7,
    )
    held = 0
    for seed in range(1000):
        searcher = MCTS(coin, solver=False, seed=seed, memory_mb=0.01)
        interval = searcher.analyse(limit=Limit(simulations=60)).actions[0].interval
        held += interval[0] <= -0.4 <= interval[1]
    assert 925 < held < 975


@pytest.mark.nightly
def test_a_search_stops_early_only_when_no_other_action_can_catch_up():
    game, limit = interpreted(Wide), Limit(simulations=3000)
    settled = 0
    for seed in range(6):
        searcher = MCTS(game, seed=seed, solver=False, memory_mb=4, exploration=0.2)
        early, full = searcher.search(start(seed), limit), searcher.analyse(start(seed), limit)
        assert full.simulations == 3000
        assert full.stopped == "simulations"
        if early.stopped == "settled":
            settled += 1
            visits = [item.visits for item in early.actions]
            assert visits[0] - visits[1] > 3000 - early.simulations
        assert early.action == full.action
        assert MCTS(game, early=False, solver=False, memory_mb=4).search(start(seed), limit).simulations == 3000
    assert settled > 1


def test_a_search_stops_early_when_no_other_action_can_catch_up():
    searcher, limit = MCTS(Nim((1,)), solver=False), Limit(simulations=600)
    assert searcher.search(limit=limit).stopped == "settled"  # there is one action
    assert searcher.analyse(limit=limit).simulations == 600


def test_more_visits_than_tables_of_roots_and_inverses_have():
    searcher = MCTS(interpreted(Wide), solver=False, memory_mb=4, exploration=0.01)
    analysis = searcher.analyse(start(1), Limit(simulations=2 * LOOKED_UP))
    assert analysis.actions[0].visits > LOOKED_UP


def test_limits():
    searcher = MCTS(interpreted(Wide), solver=False, memory_mb=2)
    analysis = searcher.analyse(start(1), Limit(simulations=77))
    assert (analysis.simulations, analysis.stopped) == (77, "simulations")
    analysis = searcher.analyse(start(1), Limit(nodes=500))
    assert analysis.stopped == "nodes"
    assert 500 <= analysis.nodes < 510  # the last simulation is made to its end
    analysis = searcher.analyse(start(1), Limit(seconds=0.05))
    assert analysis.stopped == "seconds"
    assert analysis.action is not None


def test_progress_and_plain_values():
    seen = []
    searcher = MCTS(interpreted(Wide), solver=False, memory_mb=2)

    def until_two_have_simulations(analysis):
        seen.append(analysis)
        if len({analysis.simulations for analysis in seen} - {0}) == 2:
            raise KeyboardInterrupt

    searcher.analyse(start(1), Limit(seconds=600), progress=until_two_have_simulations)
    simulations = [analysis.simulations for analysis in seen]
    assert simulations == sorted(simulations)
    assert simulations[-1] > 0
    assert all(analysis.actions for analysis in seen if analysis.simulations)
    plain = json.loads(json.dumps(searcher.analyse(start(1), Limit(simulations=40)).as_dict()))
    assert plain["simulations"] == 40 == sum(item["visits"] for item in plain["actions"])
    assert all(item["interval"][0] <= item["value"] <= item["interval"][1] for item in plain["actions"])
    assert plain["stopped"] == "simulations"


# -- leaves in batches ------------------------------------------------------------------------------------------------


class Knowing:
    """An evaluator: exact values where they are quickly known, else estimates; priors by a hash, or none."""

    def __init__(self, game, priors=True):
        self.game, self.priors = game, priors
        self.batches = []

    def __call__(self, states):
        self.batches.append(list(states))
        players = range(self.game.players)
        known = not self.game.repetition and self.game.players < 3
        values = [
            exact(self.game, state) if known else [float(self.game.evaluate(state, player)) for player in players]
            for state in states
        ]
        priors = [
            [scramble(state.seed, state.ply, state.x, 90 + number) % 4 for number in range(10)] for state in states
        ]
        return values, priors if self.priors else None


BATCHED = {
    name: OPTIONS[name] for name in ("selection", "exploration", "first_play", "bias", "solver", "clamp", "seed")
}


@pytest.mark.nightly
@given(
    st.fixed_dictionaries(BATCHED), st.sampled_from(GAMES + CHANCY + CROWDS + MAZES), SEEDS, st.integers(1, 100),
    st.booleans(),
)  # fmt: skip
@settings(max_examples=300)
def test_leaves_one_by_one_are_what_the_twin_does(options, game, seed, simulations, priors):
    agrees(game, start(seed), simulations, options | {"evaluator": Knowing(game, priors)}, batch=1)


@pytest.mark.nightly
@pytest.mark.parametrize("batch", [1, 3, 8, 64])
def test_batches_have_their_size_and_hold_no_terminal_states(batch):
    for game in [interpreted(Wide), *CHANCY, *CROWDS, *MAZES]:
        evaluator = Knowing(game)
        evaluator.game = interpreted(Wide, repetition="draw") if isinstance(game, Wide) else game  # estimates will do
        searcher = MCTS(game, selection="puct", evaluator=evaluator, batch=batch, solver=False, memory_mb=2)
        for seed in range(5):
            evaluator.batches.clear()
            first = searcher.analyse(start(seed), Limit(simulations=100))
            assert first.simulations == 100
            assert sum(item.visits for item in first.actions) == 99  # the first one evaluates the root
            assert not any(game.is_terminal(state) for states in evaluator.batches for state in states)
            sizes = [len(states) for states in evaluator.batches]
            assert max(sizes) <= batch
            assert evaluator.batches[0][0] == start(seed)
            if isinstance(game, Wide) and batch <= 8:  # the end is far: nearly every simulation has a leaf
                assert sizes == [batch] * (100 // batch) + ([100 % batch] if 100 % batch else [])
            assert searcher.analyse(start(seed), Limit(simulations=100)) == first


def test_a_slow_evaluator_gets_whole_batches_too():
    def slow(states):
        sizes.append(len(states))
        time.sleep(0.1)
        return np.zeros((len(states), 2)), None

    sizes = []
    searcher = MCTS(interpreted(Wide), selection="puct", evaluator=slow, batch=20, memory_mb=1)
    searcher.search(start(1), Limit(simulations=100))
    assert sizes == [20] * 5


@pytest.mark.nightly
@pytest.mark.parametrize("batch", [1, 16])
def test_an_exact_evaluator_leads_to_the_best_action_in_a_few_simulations(batch):
    missed = 0
    for game in [*GAMES, *CHANCY]:
        searcher = MCTS(
            game, selection="puct", evaluator=Knowing(game, priors=False), batch=batch, solver=False, memory_mb=0.2
        )
        for seed in range(30):
            analysis = searcher.search(start(seed), Limit(simulations=300))
            best = exact(game, start(seed))[analysis.player]
            missed += exact(game, game.result(start(seed), analysis.action))[analysis.player] < best - 0.1
    assert missed <= 10  # of 210


@pytest.mark.nightly
def test_batches_prove_what_is_true():
    proved = 0
    for game in OPPOSED + CROWDS:
        options = {"selection": "puct", "evaluator": Knowing(game), "batch": 8}
        for seed in range(40):
            found, analysis = rows_of(game, start(seed), 60, options, 0.2)
            is_true(game, start(seed), analysis, found)
            proved += analysis.exact
    assert proved > 100


def test_priors_steer_the_search():
    game = interpreted(Wide)

    def certain(states):
        return np.zeros((len(states), 2)), np.eye(5)[[3] * len(states)]

    analysis = MCTS(game, selection="puct", evaluator=certain, batch=4, solver=False, memory_mb=1).analyse(
        start(1), Limit(simulations=60)
    )
    assert analysis.action == 3
    assert analysis.actions[0].visits > 50
    assert set(analysis.line) == {3}
    even = MCTS(
        game, selection="puct", evaluator=lambda states: (np.zeros((len(states), 2)), np.zeros((len(states), 5))),
        batch=4, solver=False, memory_mb=1,
    ).analyse(start(1), Limit(simulations=61))  # fmt: skip
    assert max(item.visits for item in even.actions) <= 16  # priors that are all 0 are all the same


def test_chance_keeps_its_probabilities_whatever_the_priors():
    """An evaluator is asked about states in which chance is to move, but not how it falls."""
    coin = interpreted(
        Plain,
        players=1,
        tree={"start": (0, {0: "coin"}), "coin": (CHANCE, {0: "heads", 1: "tails"})},
        ends={"heads": 1.0, "tails": -1.0},
        probability=lambda self, state, action: 0.25 if action == 0 else 0.75,
    )
    asked = []

    def heads(states):
        asked.extend(states)
        return np.zeros((len(states), 1)), np.array([[1.0, 0.0]] * len(states))

    options = {"selection": "puct", "evaluator": heads, "batch": 1, "memory_mb": 1}
    analysis = MCTS(coin, **options, solver=False).search(limit=Limit(simulations=4000))
    assert asked == ["start", "coin"]
    assert analysis.value == pytest.approx(-0.5, abs=0.05)
    assert MCTS(coin, **options).search().value == -0.5


def shaped(values, priors=None):
    """An evaluator that answers `values`, and as many `priors` as there are states."""
    return lambda states: (values, None if priors is None else [priors] * len(states))


def fails(states):
    return {}["no such key"]


@pytest.mark.parametrize(
    ("evaluator", "words"),
    [
        (lambda states: None, r"failed on 1 states: TypeError"),
        (lambda states: [0.0], r"failed on 1 states: ValueError"),
        (fails, r"failed on 1 states: KeyError: 'no such key' at .*test_mcts.py.*must return values of shape \(1, 2\)"),
        (shaped([["a", "b"]]), r"failed on 1 states: ValueError: could not convert string to float"),
        (shaped([[0.0, 0.0], [0.0]]), r"failed on 1 states: ValueError"),
        (shaped([0.0, 0.0]), r"values of shape \(2,\) for 1 states: expected \(1, 2\)"),
        (shaped([[0.0]]), r"values of shape \(1, 1\) for 1 states"),
        (shaped([[0.0, 0.0]] * 2), r"values of shape \(2, 2\) for 1 states"),
        (shaped([[math.nan, 0.0]]), r"a finite utility for each player"),
        (shaped([[math.inf, 0.0]]), r"a finite utility for each player"),
        (shaped([[0.0, 0.0]], 1.0), r"priors of shape \(1,\) for 1 states: expected \(1, actions\)"),
        (shaped([[0.0, 0.0]], [1.0, -0.1, 0, 0, 0]), r"numbers of 0 or more, or None"),
        (shaped([[0.0, 0.0]], [1.0, math.nan, 0, 0, 0]), r"numbers of 0 or more, or None"),
        (shaped([[0.0, 0.0]], [1.0, 0, 0, 0]), r"priors for 4 actions, but action 4 is legal"),
    ],
)
def test_a_wrong_answer_of_an_evaluator_is_told(evaluator, words):
    searcher = MCTS(interpreted(Wide), selection="puct", evaluator=evaluator, batch=1, memory_mb=1)
    for _ in range(2):  # as before
        with pytest.raises(EvaluationError, match=words):
            searcher.search(start(1), Limit(simulations=100))


def no_estimate(states):
    return np.zeros((len(states), 2)), None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"evaluator": 3}, r"evaluator=3\): a function from states to values and priors, or None"),
        ({"evaluator": no_estimate, "batch": 0}, r"batch=0\): batch must be a whole number from 1 to"),
        ({"evaluator": no_estimate, "batch": 1.5}, r"batch=1.5"),
        ({"evaluator": no_estimate, "playouts": "mast"}, r"playouts='mast'\) cannot be combined with an evaluator"),
        ({"evaluator": no_estimate, "playout_depth": 0}, r"playout_depth=0\) cannot be combined with an evaluator"),
        ({"evaluator": no_estimate, "rave": True}, r"rave=True\) cannot be combined with an evaluator; set rave=None"),
        ({"evaluator": no_estimate, "widening": (1, 0.5)}, r"widening=\(1, 0.5\)\) cannot be combined"),
        ({"evaluator": no_estimate, "threads": 2}, r"threads=2\) cannot be combined with an evaluator; set threads=1"),
        ({"evaluator": no_estimate, "evaluate": Wide.evaluate}, r"evaluate=.*\) cannot be combined"),
    ],
)
def test_what_cannot_be_combined_with_an_evaluator_is_told(options, words):
    with pytest.raises(ValueError, match=words):
        MCTS(interpreted(Wide), selection="puct", **options)


def test_a_searcher_with_an_evaluator_is_a_value():
    searcher = MCTS(TicTacToe(), selection="puct", evaluator=no_estimate, batch=7)
    assert pickle.loads(pickle.dumps(searcher)) == searcher
    assert searcher == MCTS(TicTacToe(), selection="puct", evaluator=no_estimate, batch=7)
    assert searcher != MCTS(TicTacToe(), selection="puct", evaluator=no_estimate)
    assert searcher != MCTS(TicTacToe(), selection="puct", batch=7)
    assert "evaluator=<function no_estimate" in repr(searcher)
    assert repr(searcher).endswith("batch=7)")


def test_limits_and_ctrl_c_hold_between_leaves():
    def slow(states):
        time.sleep(0.002)
        return no_estimate(states)

    searcher = MCTS(
        interpreted(Wide), selection="puct", evaluator=slow, batch=16, solver=False, memory_mb=2, early=False
    )
    analysis = searcher.search(start(1), Limit(nodes=200))
    assert analysis.stopped == "nodes"
    assert 200 <= analysis.nodes < 210
    assert sum(item.visits for item in analysis.actions) == analysis.simulations - 1
    assert searcher.search(start(1), Limit(seconds=0.05)).stopped == "seconds"
    with ctrl_c(0.3):
        analysis = searcher.search(start(1), Limit(seconds=600))
    assert analysis.stopped == "interrupted"
    assert analysis.action is not None


def test_batches_with_a_full_memory_and_with_one_that_is_kept():
    game = interpreted(Wide)
    searcher = MCTS(game, selection="puct", evaluator=no_estimate, batch=8, solver=False, memory_mb=0.02)
    analysis = searcher.analyse(start(1), Limit(simulations=2000))
    assert sum(item.visits for item in analysis.actions) == 1999
    searcher = MCTS(game, selection="puct", evaluator=no_estimate, batch=8, solver=False, memory_mb=4, reuse_tree=True)
    first = searcher.analyse(start(1), Limit(simulations=200))
    after = searcher.analyse(game.result(start(1), first.action), Limit(simulations=100))
    assert sum(item.visits for item in after.actions) == first.actions[0].visits - 1 + 100


@pytest.mark.nightly
def test_batches_compiled_are_batches_interpreted():
    fast, slow = Crowd(), interpreted(Crowd)
    options = {"selection": "puct", "batch": 8, "memory_mb": 1}
    for seed in range(20):
        answers = [
            MCTS(game, evaluator=Knowing(slow), **options).analyse(start(seed), Limit(simulations=100))
            for game in (fast, slow)
        ]
        assert answers[0].actions == answers[1].actions
        assert answers[0].values == answers[1].values


# -- priors from evaluations -------------------------------------------------------------------------------------------


def priors_at_the_root(game, state, **options):
    """The prior of each action, as the search left it in its tree."""
    searcher = MCTS(game, reuse_tree=True, priors="evaluation", playout_depth=0, memory_mb=1, early=False, **options)
    searcher.search(state, Limit(simulations=20))
    tree = searcher.reusable.trees[0]
    children = range(tree.first_child[ROOT], tree.first_child[ROOT] + tree.num_children[ROOT])
    return {int(tree.action[child]): float(tree.prior[child]) for child in children}


@pytest.mark.parametrize("evaluation", [None, "weights", "learned", "function"])
@pytest.mark.parametrize("temperature", [0.2, 0.05])
def test_priors_are_the_softmax_of_the_evaluations_of_the_children(evaluation, temperature):
    game = Breakthrough(6, 6)
    rule = {
        None: None,
        "weights": LinearEvaluation({"men": 0.5, "rows": 0.1}),
        "learned": LearnedEvaluation.load(learned_file(game), game),
        "function": lambda game, state, player: 0.01 * (state[0] % 7) * (1 if player == 0 else -1),
    }[evaluation]
    random = new_random(3)
    for plies in (0, 1, 9, 20):
        state = game.initial_state()
        for _ in range(plies):
            state = game.result(state, random_action(game, state, random))
        mover, judged = game.to_move(state), with_evaluation(game, rule)
        children = {action: game.result(state, action) for action in legal_actions(game, state)}
        values = {
            action: game.utility(child, mover) if game.is_terminal(child) else judged.evaluate(child, mover)
            for action, child in children.items()
        }
        weights = {action: math.exp(value / (2 * temperature)) for action, value in values.items()}
        whole = sum(weights.values())
        found = priors_at_the_root(game, state, evaluate=rule, temperature=temperature)
        assert found == pytest.approx({action: weight / whole for action, weight in weights.items()})


def test_an_estimate_that_is_no_number_leaves_priors_that_are():
    for odd in (math.nan, math.inf, -math.inf):
        game = TicTacToe()

        def estimate(game, state, player, odd=odd):
            return odd if game.key(state) % 3 == 0 else 0.5

        found = priors_at_the_root(game, game.initial_state(), evaluate=estimate)
        assert all(0 <= prior <= 1 for prior in found.values())
        assert sum(found.values()) == pytest.approx(1)


def test_priors_from_the_evaluation_find_an_immediate_win_first():
    """Untried actions with the best prior come first, so that the second simulation wins at once."""
    game = TicTacToe()
    state = game.initial_state()
    for action in (0, 3, 1, 4):
        state = game.result(state, action)

    def nothing(game, state, player):
        return 0.0

    search = MCTS(game, evaluate=nothing, priors="evaluation", playout_depth=0, hints=False, seed=5)
    analysis = search.search(state, Limit(simulations=1))
    assert (analysis.action, analysis.exact) == (2, True)


class Unordered(Breakthrough):
    order = Game.order


class Friendly(Breakthrough):
    amaf_friendly = True


def test_who_names_an_evaluation_gets_it_used(tmp_path):
    """Leaves are evaluated, and priors come from the evaluation if there is no order; options say otherwise."""
    (tmp_path / "weights").write_text("men 0.5\nrows 0.1\n")
    name = f"{tmp_path}/weights"
    for game, priors in (
        (Breakthrough(4, 4), None),
        (Unordered(4, 4), "evaluation"),
        (Friendly(4, 4), "evaluation"),
    ):
        player = player_named(f"mcts(evaluation={name}, simulations=10)", game).searcher
        for searcher in (player, searcher_for(game, "mcts", evaluation=name)):
            assert (searcher.playout_depth, searcher.priors) == (0, priors)
            assert searcher.search(limit=Limit(simulations=10)).action is not None
        player = player_named(f"mcts(evaluation={name}, playout_depth=none, priors=none)", game).searcher
        settings = ["playout-depth=none", "priors=none"]
        for searcher in (player, searcher_for(game, "mcts", evaluation=name, settings=settings)):
            assert (searcher.playout_depth, searcher.priors) == (None, None)


# -- compiled ---------------------------------------------------------------------------------------------------------

EVERYTHING = {
    "plain": (WinLossHashed, {}),
    "many": (
        Crowd,
        {"selection": "ucb1-tuned", "rave": True, "rave_reference": 5, "bias": 0.5, "widening": (1.0, 0.5)},
    ),
    "replies": (Hashed, {"selection": "puct", "playouts": "replies", "transpositions": True}),
    "priors": (WinLossHashed, {"priors": "evaluation", "playout_depth": 0}),
    "priors of many": (Crowd, {"priors": "evaluation", "playout_depth": 0}),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", EVERYTHING)
def test_compiled_is_interpreted(name):
    cls, options = EVERYTHING[name]
    fast, slow = MCTS(cls(), **options, memory_mb=1), MCTS(interpreted(cls), **options, memory_mb=1)
    for seed in range(0, 40, 3):
        for limit in Limit(simulations=5 + seed), Limit(simulations=400):
            compiled, plain = (searcher.analyse(start(seed), limit) for searcher in (fast, slow))
            assert compiled.actions == plain.actions
            assert (compiled.value, compiled.nodes, compiled.exact) == (plain.value, plain.nodes, plain.exact)


FOUR = ConnectFour(5, 4)


def positions(game, plies, number, seed):
    """So many states as many plies from the start, by play at random."""
    random, found = new_random(seed), []
    while len(found) < number:
        state = game.initial_state()
        for _ in range(plies):
            if not game.is_terminal(state):
                state = game.result(state, random_action(game, state, random))
        if not game.is_terminal(state) and len(list(legal_actions(game, state))) > 1:
            found.append(state)
    return found


def value_of(solver, state, action):
    """What `action` is worth to the player to move in `state`."""
    game, after = solver.game, solver.game.result(state, action)
    if game.is_terminal(after):
        return game.utility(after, game.to_move(state))
    analysis = solver.search(after)
    return analysis.value if analysis.player == game.to_move(state) else -analysis.value


def finds_a_best_action(game, plies, simulations, **options):
    """On 10 solved positions; some of them have actions that are not the best."""
    solver, searcher = AlphaBeta(game), MCTS(game, **{"memory_mb": 64, **options})
    hard = 0
    for state in positions(game, plies, 10, seed=plies):
        solved = solver.analyse(state)
        assert solved.exact
        hard += any(item.value < solved.value for item in solved.actions)
        analysis = searcher.search(state, Limit(simulations=simulations))
        assert value_of(solver, state, analysis.action) == solved.value
        if analysis.exact:
            assert analysis.value == solved.value
        for item in analysis.actions:
            if item.exact:
                assert item.value == value_of(solver, state, item.action)
    assert hard >= 4


@pytest.mark.nightly
def test_connect_four_is_played_as_solved():
    finds_a_best_action(FOUR, plies=6, simulations=20_000)
    finds_a_best_action(FOUR, plies=6, simulations=60_000, solver=False)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("game", "plies", "simulations"),
    [(TicTacToe(), 2, 20_000), (Nim(), 2, 100_000), (Breakthrough(5, 5), 24, 200_000), (Othello(4), 3, 200_000),
     (Hex(4), 3, 50_000)],
    ids=str,
)  # fmt: skip
def test_games_are_played_as_solved(game, plies, simulations):
    finds_a_best_action(game, plies, simulations)


@pytest.mark.compiled
@pytest.mark.parametrize("parallel", ["tree", "root"])
def test_the_visits_and_rewards_of_two_threads_are_added(parallel):
    analysis = MCTS(Nim((1,)), threads=2, parallel=parallel, solver=False).search(limit=Limit(simulations=400))
    [only] = analysis.actions
    assert only.value == 1  # of each simulation
    assert 0.9 * analysis.simulations < only.visits <= analysis.simulations


@pytest.mark.nightly
@pytest.mark.parametrize("parallel", ["tree", "root"])
def test_two_threads_count_every_simulation_and_prove_what_is_true(parallel):
    searcher = MCTS(FOUR, threads=2, parallel=parallel, solver=False, memory_mb=16)
    analysis = searcher.analyse(limit=Limit(simulations=20_000))
    assert 20_000 <= analysis.simulations <= 20_100  # each slice is shared out evenly
    visits = sum(item.visits for item in analysis.actions)
    assert 0.95 * analysis.simulations < visits <= analysis.simulations
    searcher = MCTS(FOUR, threads=2, parallel=parallel, memory_mb=16)
    for state in positions(FOUR, 8, 8, seed=1):
        analysis = searcher.search(state)
        assert analysis.exact
        assert analysis.value == AlphaBeta(FOUR).search(state).value


@pytest.mark.parametrize("game", [FOUR, interpreted(ConnectFour)], ids=["compiled", "interpreted"])
def test_ctrl_c_keeps_the_best_answer(game):
    searcher = MCTS(game, solver=False, memory_mb=16)
    searcher.search(limit=Limit(simulations=10))
    shown = []
    with ctrl_c(0, lambda: shown and shown[-1].simulations > 10):
        analysis = searcher.search(limit=Limit(seconds=600), progress=shown.append)
    assert analysis.stopped == "interrupted"
    assert analysis.action is not None
    assert analysis.simulations > 10


# -- when a search is settled -----------------------------------------------------------------------------------------


def root_with(children):
    """A tree whose root has these children: visits, low and high of each, for player 0."""
    techniques = MCTS(GAMES[0])._techniques(GAMES[0])
    tree = new_tree(techniques, 64)
    tree.first_child[ROOT], tree.num_children[ROOT] = 2, len(children)
    for child, (visits, low, high) in enumerate(children, start=2):
        tree.visits[child], tree.low[child], tree.high[child] = visits, low, high
    return techniques, tree


@pytest.mark.parametrize(
    ("children", "mover", "left", "is_over"),
    [
        ([(90, -1, 1), (10, -1, 1)], 0, 79, True),
        ([(90, -1, 1), (10, -1, 1)], 0, 80, False),  # the second may come to as many
        ([(90, -1, -1), (10, -1, 1), (9, -1, 1)], 0, 50, False),  # the first is lost, and two are left
        ([(90, -1, -1), (10, -1, 1)], 0, 5, True),  # the only one that is not lost
        ([(90, 1, 1), (10, -1, 1), (1, -1, 1)], 1, 8, True),  # the same for player 1
        ([(90, -1, 1), (10, 0, 0)], 0, 5, False),  # a draw is sure: is the other one better?
    ],
)
def test_a_search_is_settled_by_what_can_still_be_chosen(children, mover, left, is_over):
    techniques, tree = root_with(children)
    memory, numbers = new_record(memory_layout(False)), new_record(numbers_layout(0))
    memory.movers[0] = mover
    numbers.least, numbers.greatest = -1, 1
    assert is_settled.interpreted(techniques, tree, memory, numbers, left) == is_over


STEPS = (1, 2)


class Stairs(Nim):
    """Nim of one heap; what may be taken is a name that may change."""

    def actions(self, state):
        for steps in STEPS:
            if steps <= state.heaps[0]:
                yield steps - 1


@pytest.mark.nightly
def test_what_is_kept_is_of_the_same_rules(monkeypatch):
    searcher = MCTS(Stairs((12,)), reuse_tree=True, solver=False, playouts="mast")
    searcher.search(limit=Limit(simulations=50))
    kept = searcher.reusable
    searcher.search(limit=Limit(simulations=50))
    assert searcher.reusable is kept
    monkeypatch.setitem(globals(), "STEPS", (1, 3))
    analysis = searcher.search(limit=Limit(simulations=50))
    assert {action.action for action in analysis.actions} == {0, 2}
    assert sum(action.visits for action in analysis.actions) == 50
    assert searcher.reusable is not kept
    monkeypatch.setattr(searcher.game, "players", 1)
    searcher.search(limit=Limit(simulations=50))
    ((_, numbers),) = searcher.reusable.numbers
    assert numbers.sums.shape < kept.numbers[0][1].sums.shape
