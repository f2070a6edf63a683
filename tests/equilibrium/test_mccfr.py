"""Monte Carlo CFR: unbiased, the same compiled and interpreted, with a tree and without, and within its memory."""

import random
import re
from math import isnan
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import ctrl_c, rows

from outplay import CHANCE, Game, legal_actions
from outplay.equilibrium import CFR, MCCFR, Strategy, TreelessMCCFR, exploitability, unroll, values
from outplay.equilibrium.compact import alias_table, compact
from outplay.equilibrium.files import save_arrays
from outplay.equilibrium.mccfr import (
    ExternalWalk,
    OutcomeWalk,
    external,
    new_stream,
    outcome,
    random_float,
    walk_external,
    walk_outcome,
)
from outplay.games import KuhnPoker, LeducPoker, LiarsDice
from outplay.rules.errors import OutplayError, RulesError, StrategyError, UnsuitableGame
from outplay.rules.keys import mix

KUHN, LEDUC = KuhnPoker(), LeducPoker()
EPSILON = 0.6


class Drawn(Game):
    """A game drawn at random: at each step somebody, maybe chance, takes one of 1 to 3 actions; some steps are seen.

    A state is the tuple of all actions so far. A play that begins with action 1 is one step shorter, which all see.
    """

    compiled = False
    zero_sum = False
    has_chance = True

    def __init__(self, seed, players=2, steps=5):
        draw = random.Random(seed)
        self.players = players
        self.movers = [draw.randrange(-1, players) for _ in range(steps)]
        self.choices = [draw.choice((1, 2, 2, 3)) for _ in range(steps)]
        self.seen = [[True if step == 0 else draw.random() < 0.4 for _ in range(players)] for step in range(steps)]
        self.weights = [[draw.choice((1, 1, 2, 5)) for _ in range(number)] for number in self.choices]
        self.pay = draw.randrange(1 << 30)

    def initial_state(self):
        return ()

    def to_move(self, state):
        return self.movers[len(state)]

    def actions(self, state):
        return list(range(self.choices[len(state)]))

    def result(self, state, action):
        return (*state, action)

    def is_terminal(self, state):
        return len(state) == len(self.movers) - (state[:1] == (1,))

    def utility(self, state, player):
        return float(random.Random(f"{self.pay} {player} {state}").randrange(-5, 6))

    def probability(self, state, action):
        weights = self.weights[len(state)]
        return weights[action] / sum(weights)

    def information(self, state, player):
        return tuple(
            action if self.movers[step] == player or self.seen[step][player] else -1
            for step, action in enumerate(state)
        )


class SlowKuhn(KuhnPoker):
    """The same, interpreted."""

    compiled = False


# -- what the twins say -----------------------------------------------------------------------------------------------


def exact(game, learner, sigma):
    """By going through the game: regrets of the learner, and chance's part of the reach of each set times his plan.

    `sigma(state, player)` is how likely each action is. Both are dicts by information and action.
    """
    regrets, plans = {}, {}

    def worth(state, others, chance, own):
        if game.is_terminal(state):
            return game.utility(state, learner)
        mover, actions = game.to_move(state), list(legal_actions(game, state))
        if mover == CHANCE:
            odds = [game.probability(state, action) for action in actions]
            below = [
                worth(game.result(state, a), others * p, chance * p, own) for a, p in zip(actions, odds, strict=True)
            ]
            return sum(p * v for p, v in zip(odds, below, strict=True))
        odds = sigma(state, mover)
        if mover != learner:
            below = [worth(game.result(state, a), others * p, chance, own) for a, p in zip(actions, odds, strict=True)]
            return sum(p * v for p, v in zip(odds, below, strict=True))
        below = [worth(game.result(state, a), others, chance, own * p) for a, p in zip(actions, odds, strict=True)]
        mean = sum(p * v for p, v in zip(odds, below, strict=True))
        for action, p, value in zip(actions, odds, below, strict=True):
            key = game.information(state, learner), action
            regrets[key] = regrets.get(key, 0) + others * (value - mean)
            plans[key] = plans.get(key, 0) + chance * own * p
        return mean

    worth(game.initial_state(), 1.0, 1.0, 1.0)
    return regrets, plans


class Twin:
    """Both samplings on the rules, in the plainest words, with the same random numbers as `TreelessMCCFR`.

    There is room for `most` sets with two actions or more, which have `room` actions together.
    """

    def __init__(self, game, seed, most=10**9, room=10**9):
        self.game, self.stream, self.most, self.room = game, int(new_stream(seed)[0]), most, room
        self.regret, self.total = {}, {}

    def sigma(self, key, number):
        sizes = [len(regret) for regret in self.regret.values() if len(regret) > 1]
        if key not in self.regret and number > 1 and (len(sizes) == self.most or sum(sizes) + number > self.room):
            return [1 / number] * number
        above = [max(regret, 0.0) for regret in self.regret.setdefault(key, [0.0] * number)]
        self.total.setdefault(key, [0.0] * number)
        return [share / sum(above) for share in above] if sum(above) > 0 else [1 / number] * number

    def walk(self, state, learner):
        game = self.game
        if game.is_terminal(state):
            return game.utility(state, learner)
        self.stream = mix(self.stream, 1)
        drawn, mover, actions = random_float(self.stream), game.to_move(state), list(legal_actions(game, state))
        if mover == CHANCE:
            odds = [game.probability(state, action) for action in actions]
        else:
            key = mover, game.information(state, mover)
            odds = self.sigma(key, len(actions))
        if mover == learner:
            below = [self.walk(game.result(state, action), learner) for action in actions]
            mean = sum(p * v for p, v in zip(odds, below, strict=True))
            if key in self.regret:
                self.regret[key] = [has + v - mean for has, v in zip(self.regret[key], below, strict=True)]
            return mean
        if mover == (learner + 1) % game.players and key in self.regret:
            self.total[key] = [has + p for has, p in zip(self.total[key], odds, strict=True)]
        index = 0
        while index < len(actions) - 1 and drawn >= odds[index]:
            drawn -= odds[index]
            index += 1
        return self.walk(game.result(state, actions[index]), learner)

    def play(self, state, learner, plays=1.0, chooses=1.0, others=1.0):
        game = self.game
        if game.is_terminal(state):
            return game.utility(state, learner)
        self.stream = mix(self.stream, 1)
        drawn = random_float(self.stream)
        mover, actions = game.to_move(state), list(legal_actions(game, state))
        if mover == CHANCE:
            odds = [game.probability(state, action) for action in actions]
        else:
            key = mover, game.information(state, mover)
            odds = self.sigma(key, len(actions))
        tries = odds
        if mover == learner:
            tries = [EPSILON / len(actions) + (1 - EPSILON) * p for p in odds]
            if drawn < EPSILON:
                drawn, odds_now = drawn / EPSILON, [1 / len(actions)] * len(actions)
            else:
                drawn, odds_now = (drawn - EPSILON) / (1 - EPSILON), odds
        else:
            odds_now = odds
        index = 0
        while index < len(actions) - 1 and drawn >= odds_now[index]:
            drawn -= odds_now[index]
            index += 1
        below = game.result(state, actions[index])
        if mover != learner:
            return self.play(below, learner, plays, chooses, others * (1 if mover == CHANCE else odds[index]))
        worth = self.play(below, learner, plays * odds[index], chooses * tries[index], others) / tries[index]
        mean = odds[index] * worth
        for action in range(len(actions) if key in self.regret else 0):
            self.total[key][action] += plays * odds[action] / (chooses * others)
            self.regret[key][action] += ((worth if action == index else 0.0) - mean) / chooses
        return mean

    def iterate(self, iterations, sampling="external"):
        way = self.walk if sampling == "external" else self.play
        for _ in range(iterations):
            for learner in range(self.game.players):
                way(self.game.initial_state(), learner)


# -- layout -----------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(1, 50), min_size=1, max_size=40))
def test_alias_table_has_the_probabilities_that_went_in(weights):
    likely = np.array(weights) / sum(weights)
    cut, other = alias_table(likely)
    drawn = cut / len(likely)
    np.add.at(drawn, other, (1 - cut) / len(likely))
    assert drawn == pytest.approx(likely)
    assert (cut >= 0).all()
    assert (cut <= 1).all()


def ends_of(laid, reference, likely, chosen, found):
    """Every end below, with how likely chance leads there and what was chosen on the way: places of actions."""
    if reference < 0:
        found.setdefault(~reference, []).append((likely, chosen))
        return
    steps = laid.steps
    if reference < laid.borders[0]:
        number, first = steps[reference : reference + 2]
        for index in range(number):
            cut = laid.cuts[first + index]
            one, other = steps[reference + 2 + 2 * index : reference + 4 + 2 * index]
            ends_of(laid, one, likely * cut / number, chosen, found)
            if cut < 1:
                ends_of(laid, other, likely * (1 - cut) / number, chosen, found)
        return
    place, number = steps[reference : reference + 2]
    leads = steps[reference + 2 : reference + 3 + number]
    assert leads[-1] == leads[-2]
    for action in range(number):
        ends_of(laid, leads[action], likely, chosen | {place + action}, found)


LAID_OUT = {
    "kuhn": KUHN,
    "leduc-ranks": LeducPoker(suits=False),
    "kuhn-3": KuhnPoker(3),
    **{f"drawn-{seed}": Drawn(seed, players=1 + seed % 4, steps=6) for seed in range(12)},
}


@pytest.mark.parametrize("game", rows(LAID_OUT))
def test_layout_leads_to_every_end_as_often_and_by_the_same_choices(game):
    tree = unroll(game)
    laid, found = compact(tree), {}
    ends_of(laid, laid.root, 1.0, frozenset(), found)
    assert len(found) == len(tree.end_node)
    for end, ways in found.items():
        assert sum(likely for likely, _ in ways) == pytest.approx(tree.end_chance[end])
        wanted = set()
        for player, last in enumerate(tree.end_sequences[end]):
            sequence = last
            while tree.set_of[sequence] >= 0:
                number = tree.set_of[sequence]
                if tree.number[number] > 1:
                    wanted.add(3 * tree.first[number] + sequence - tree.first[number])
                sequence = tree.before[number]
            assert laid.utilities[player * len(tree.end_node) + end] == tree.utilities[end, player]
        assert {chosen for _, chosen in ways} == {frozenset(wanted)}


def test_layout_is_made_once():
    tree = unroll(KUHN)
    assert compact(tree) is compact(tree)
    assert compact(tree).nbytes < tree.nbytes


# -- unbiased ---------------------------------------------------------------------------------------------------------

WALKS = 20_000
DRAWN = {"two": Drawn(3), "two-more": Drawn(8, steps=6), "three": Drawn(5, players=3, steps=6), "kuhn": SlowKuhn()}
SLOW = ("two-more", "three")


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "game",
    [pytest.param(game, id=name, marks=[pytest.mark.nightly] * (name in SLOW)) for name, game in DRAWN.items()],
)
@pytest.mark.parametrize("sampling", ["external", "outcome"])
def test_the_mean_of_many_walks_is_the_regret_of_cfr(game, sampling):
    tree = unroll(game)
    laid, solver = compact(tree), MCCFR(tree, sampling=sampling)
    draw = np.random.default_rng(1)
    behaviour = np.ones(tree.sequences)
    start = np.zeros(3 * tree.sequences)
    for first, number in zip(tree.first, tree.number, strict=True):
        behaviour[first : first + number] = draw.dirichlet(np.ones(number))
        start[3 * first + number : 3 * first + 2 * number] = behaviour[first : first + number]
    strategy = Strategy.on(tree, behaviour)

    def sigma(state, _):
        return [strategy.probabilities(state)[action] for action in legal_actions(game, state)]

    choices = np.flatnonzero((tree.set_of >= 0) & (tree.number[tree.set_of] > 1))
    regrets, totals = solver._places(choices, 0), solver._places(choices, 2)
    owners = tree.player[tree.set_node[tree.set_of[choices]]]
    known = [
        (game.information(tree.state(int(tree.set_node[number])), int(owner)), int(tree.sequence_action[sequence]))
        for sequence, number, owner in zip(choices, tree.set_of[choices], owners, strict=True)
    ]
    stream, room = int(new_stream(7)[0]), np.zeros(tree.sequences, np.int32)
    for learner in range(game.players):
        other = (learner + 1) % game.players
        seen = np.zeros((WALKS, len(choices), 2))
        for walk in range(WALKS):
            sets = start.copy()
            common, space = (laid, sets, learner), np.zeros(3 * tree.sequences)
            if sampling == "external":
                stream = walk_external(*common, ExternalWalk(room, room.copy(), space), stream)
            else:
                stream = walk_outcome(*common, OutcomeWalk(room, room.copy(), space), 0.6, stream)
            seen[walk, :, 0], seen[walk, :, 1] = sets[regrets], sets[totals]
        mean, error = seen.mean(axis=0), seen.std(axis=0) / WALKS**0.5
        wanted, plans = exact(game, learner, sigma)
        for index, (owner, key) in enumerate(zip(owners, known, strict=True)):
            right = wanted[key] if owner == learner else 0.0
            assert mean[index, 0] == pytest.approx(right, abs=5 * error[index, 0] + 1e-9)
        averages = learner if sampling == "outcome" else other
        if sampling == "outcome" or game.players == 2:
            _, plans = exact(game, averages, sigma)
            for index, (owner, key) in enumerate(zip(owners, known, strict=True)):
                right = plans[key] if owner == averages else 0.0
                assert mean[index, 1] == pytest.approx(right, abs=5 * error[index, 1] + 1e-9)


# -- the same everywhere ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sampling", ["external", "outcome"])
def test_compiled_is_interpreted(sampling, monkeypatch):
    tree = unroll(KuhnPoker(3))
    compiled = MCCFR(tree, sampling=sampling, seed=5)
    compiled.solve(iterations=300)
    for kernel in (external, outcome):
        monkeypatch.setattr(type(kernel), "prepare", lambda self, *_: self.interpreted)
    interpreted = MCCFR(tree, sampling=sampling, seed=5)
    interpreted.solve(iterations=300)
    assert interpreted.arrays["random"] == compiled.arrays["random"]
    assert interpreted.arrays["sets"] == pytest.approx(compiled.arrays["sets"], rel=1e-9)


TREELESS = {
    "kuhn": KUHN,
    "kuhn-slow": SlowKuhn(),
    "kuhn-3": KuhnPoker(3),
    "leduc": LEDUC,
    "drawn": Drawn(4, players=3, steps=6),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("game", rows(TREELESS))
@pytest.mark.parametrize("sampling", ["external", "outcome"])
def test_without_a_tree_as_the_plainest_twin(game, sampling):
    solver, twin = TreelessMCCFR(game, sampling=sampling, memory_mb=1, seed=3), Twin(game, 3)
    strategy = solver.solve(iterations=100).strategy
    twin.iterate(100, sampling)
    assert solver.arrays["random"][0] == twin.stream
    chosen = {key: total for key, total in twin.total.items() if len(total) > 1}
    assert solver.information_sets == len(chosen)
    assert sorted(solver.arrays["regret"][: len(strategy.action)]) == pytest.approx(
        sorted(regret for key in chosen for regret in twin.regret[key])
    )
    tree = unroll(game)
    for number in range(tree.information_sets):
        state = tree.state(int(tree.set_node[number]))
        total = chosen.get((tree.owner(number), game.information(state, tree.owner(number))), [])
        if sum(total) > 0:
            mine = list(strategy.probabilities(state).values())
            assert mine == pytest.approx([share / sum(total) for share in total])
        else:
            mine = list(strategy.probabilities(state).values())
            assert mine == [1 / len(mine)] * len(mine)


@pytest.mark.parametrize("sampling", ["external", "outcome"])
def test_without_a_tree_and_room_as_the_plainest_twin(sampling):
    solver = TreelessMCCFR(LEDUC, sampling=sampling, memory_mb=0.01, seed=3)
    twin = Twin(LEDUC, 3, most=len(solver.arrays["key"]), room=len(solver.arrays["action"]))
    with pytest.warns(UserWarning, match="memory is full"):
        solution = solver.solve(iterations=150)
    twin.iterate(150, sampling)
    assert solver.information_sets == len(twin.regret)
    assert solver.arrays["random"][0] == twin.stream
    assert sorted(solver.arrays["regret"][: len(solution.strategy.action)]) == pytest.approx(
        sorted(regret for regrets in twin.regret.values() for regret in regrets)
    )


SOLVERS = {
    "external": lambda seed=0: MCCFR(KUHN, seed=seed),
    "outcome": lambda seed=0: MCCFR(KUHN, sampling="outcome", seed=seed),
    "treeless": lambda seed=0: TreelessMCCFR(KUHN, memory_mb=1, seed=seed),
    "treeless outcome": lambda seed=0: TreelessMCCFR(KUHN, sampling="outcome", memory_mb=1, seed=seed),
}
each_solver = pytest.mark.parametrize("make", rows(SOLVERS))


@each_solver
def test_the_same_seed_gives_the_same_answer_and_another_one_another(make):
    one, same, other = (make(seed).solve(iterations=500) for seed in (4, 4, 5))
    assert one.strategy.probability.tolist() == same.strategy.probability.tolist()
    assert one.strategy.probability.tolist() != other.strategy.probability.tolist()
    assert one.curve[-1].exploitability == same.curve[-1].exploitability or isnan(one.exploitability)


@each_solver
def test_going_on_is_going_straight(make, tmp_path):
    straight = make()
    straight.solve(iterations=700)
    parts = make()
    parts.solve(iterations=300)
    parts.save(tmp_path / "solver.npz")
    loaded = make().load(tmp_path / "solver.npz")
    assert loaded.iterations == 300
    for solver in parts, loaded:
        assert solver.solve(iterations=400).iterations == 700
        for name, array in straight.arrays.items():
            assert (solver.arrays[name] == array).all(), name


def test_a_saved_solver_without_a_tree_takes_what_it_knows(tmp_path):
    solver = TreelessMCCFR(KUHN, memory_mb=10)
    solver.solve(iterations=10)
    solver.save(tmp_path / "solver.npz")
    assert (tmp_path / "solver.npz").stat().st_size < 10_000
    content = dict(np.load(tmp_path / "solver.npz"))
    for wrong in (
        {"key": content["key"][:-1]},
        {"regret": content["total"].astype(np.float32)},
        {"first": None},
        {"got": np.zeros(())},
    ):
        changed = {name: array for name, array in (content | wrong).items() if array is not None}
        save_arrays(tmp_path / "wrong.npz", str(changed.pop("format")), changed)
        fresh = TreelessMCCFR(KUHN, memory_mb=10)
        with pytest.raises(StrategyError, match=r"wrong\.npz: damaged"):
            fresh.load(tmp_path / "wrong.npz")
        assert (fresh.iterations, fresh.information_sets) == (0, 0)


def test_information_sets_with_one_place_in_the_table_are_found_again(tmp_path):
    solver = TreelessMCCFR(LEDUC, memory_mb=0.01, seed=3)
    with pytest.warns(UserWarning, match="memory is full"):
        solver.solve(iterations=100)
    table, key = solver.arrays["table"], solver.arrays["key"][: solver.information_sets]
    assert len({*(key & len(table) - 1).tolist()}) < len(key)
    solver.save(tmp_path / "solver.npz")
    loaded = TreelessMCCFR(LEDUC, memory_mb=0.01, seed=3).load(tmp_path / "solver.npz")
    assert (loaded.arrays["table"] == table).all()


# -- convergence ------------------------------------------------------------------------------------------------------

CONVERGES = {
    "kuhn, external": (lambda: MCCFR(KUHN), 200_000, 0.006),
    "kuhn, outcome": (lambda: MCCFR(KUHN, sampling="outcome"), 500_000, 0.01),
    "kuhn, treeless": (lambda: TreelessMCCFR(KUHN, memory_mb=1), 200_000, 0.006),
    "kuhn, treeless outcome": (lambda: TreelessMCCFR(KUHN, sampling="outcome", memory_mb=1), 200_000, 0.02),
    "leduc, external": (lambda: MCCFR(LEDUC), 1_000_000, 0.03),
    "leduc, outcome": (lambda: MCCFR(LEDUC, sampling="outcome"), 1_000_000, 0.25),
    "leduc, treeless": (lambda: TreelessMCCFR(LEDUC, memory_mb=1), 200_000, 0.07),
}


@pytest.mark.sample(3)
@pytest.mark.compiled
@pytest.mark.parametrize(("make", "iterations", "far"), rows(CONVERGES))
def test_converges(make, iterations, far):
    solver = make()
    solution = solver.solve(iterations=iterations)
    value = -1 / 18 if "Kuhn" in repr(solver.game) else -0.085606424078
    assert exploitability(solution.strategy) < far
    assert values(solution.strategy)[0] == pytest.approx(value, abs=far)
    assert solution.values[0] == pytest.approx(value, abs=far)


def test_three_players_by_outcome_sampling_reach_what_cfr_does():
    tree = unroll(KuhnPoker(3))
    assert MCCFR(tree, sampling="outcome").solve(iterations=500_000).exploitability < 0.01
    assert CFR(tree, variant="cfr").solve(iterations=1000).exploitability < 0.01


def test_values_lie_within_the_utilities():
    solution = TreelessMCCFR(LiarsDice(), sampling="outcome", memory_mb=10).solve(iterations=3000)
    assert all(-1 <= value <= 1 for value in solution.values)


def test_until_an_exploitability():
    solution = MCCFR(KUHN).solve(exploitability=0.01)
    assert solution.exploitability <= 0.01
    assert solution.stopped == "exploitability"


# -- memory, limits, errors -------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_memory_is_kept_to_and_what_finds_no_room_is_played_at_random():
    solver = TreelessMCCFR(LEDUC, memory_mb=0.01)
    assert solver.nbytes <= 10_000
    with pytest.warns(UserWarning, match="memory is full: 0.01 megabytes hold .* information sets"):
        solver.solve(iterations=2000)
    sets = solver.information_sets
    assert solver.full
    assert 50 < sets < 936
    assert solver.nbytes <= 10_000
    solution = solver.solve(iterations=2000)  # no second warning: they are errors in these tests
    assert solver.information_sets == sets == len(solution.strategy.key)
    sums = np.add.reduceat(solution.strategy.probability, solution.strategy.first[:-1])
    assert sums == pytest.approx(1)
    assert exploitability(solution.strategy) < exploitability(Strategy.uniform(LEDUC))


@pytest.mark.parametrize("memory_mb", [0.01, 0.5, 1, 3, 7.7, 100])
def test_every_memory_is_kept_to(memory_mb):
    solver = TreelessMCCFR(LiarsDice(), memory_mb=memory_mb)
    assert 0.7 * memory_mb * 1e6 < solver.nbytes <= memory_mb * 1e6
    assert len(solver.arrays["key"]) < 0.75 * len(solver.arrays["table"])


def test_a_solution_says_that_exploitability_is_not_known():
    solution = TreelessMCCFR(KUHN, memory_mb=1).solve(iterations=5)
    assert isnan(solution.exploitability)
    assert "exploitability not known" in str(solution)
    assert solution.as_dict()["exploitability"] is None
    assert solution.as_dict()["curve"][-1]["exploitability"] is None
    assert isinstance(MCCFR(KUHN).solve(iterations=5).as_dict()["curve"][-1]["exploitability"], float)


@pytest.mark.compiled
@pytest.mark.parametrize("make", rows({"external": lambda: MCCFR(LEDUC), "treeless": lambda: TreelessMCCFR(LEDUC)}))
def test_ctrl_c_and_seconds(make):
    solver = make()
    solver.solve(iterations=1)  # compiles
    with ctrl_c(0.01, lambda: solver.iterations > 1):
        solution = solver.solve(seconds=60)
    assert solution.stopped == "interrupted"
    assert solution.iterations > 1
    solution = solver.solve(seconds=0.1)
    assert solution.stopped == "seconds"


WRONG = {
    "sampling": (lambda: MCCFR(KUHN, sampling="chance"), "sampling must be 'external' or 'outcome'"),
    "epsilon": (lambda: MCCFR(KUHN, epsilon=0), "epsilon must be a number from 1e-06 to 1"),
    "epsilon above": (lambda: MCCFR(KUHN, epsilon=1.5), "from 1e-06 to 1"),
    "epsilon text": (lambda: MCCFR(KUHN, epsilon="x"), "epsilon must be a number"),
    "seed": (lambda: MCCFR(KUHN, seed=-1), "seed must be a whole number from 0 on"),
    "seed float": (lambda: TreelessMCCFR(KUHN, seed=0.5), "seed must be a whole number"),
    "memory": (lambda: TreelessMCCFR(KUHN, memory_mb=0), "memory_mb must be a number from 0.01 to 1000000"),
    "memory above": (lambda: TreelessMCCFR(KUHN, memory_mb=1e12), "from 0.01 to 1000000"),
    "tree": (lambda: TreelessMCCFR(unroll(KUHN)), "use MCCFR for a GameTree"),
    "exploitability": (
        lambda: TreelessMCCFR(KUHN, memory_mb=1).solve(exploitability=0.1),
        "does not measure it: give iterations",
    ),
    "no limit": (lambda: TreelessMCCFR(KUHN, memory_mb=1).solve(), "without a limit"),
}


@pytest.mark.parametrize(("make", "message"), rows(WRONG))
def test_bad_options(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


def test_a_tree_that_is_too_large_for_its_numbers(monkeypatch):
    monkeypatch.setattr("outplay.equilibrium.compact.MAX_REFERENCE", 133)
    with pytest.raises(OutplayError, match="too large for MCCFR"):
        MCCFR(KuhnPoker()).solve(iterations=1)


def test_one_player_has_nobody_to_sample():
    game = Drawn(2, players=1)
    for make in MCCFR, TreelessMCCFR:
        with pytest.raises(UnsuitableGame, match="one player"):
            make(game)
    for make in MCCFR, TreelessMCCFR:
        best = make(game, sampling="outcome").solve(iterations=5000)
        assert exploitability(best.strategy) < 0.1


class Repeating(KuhnPoker):
    repetition = "draw"


def test_a_rule_of_repetition_is_refused():
    with pytest.raises(UnsuitableGame, match="rule of repetition"):
        TreelessMCCFR(Repeating())


class Endless(NamedTuple):
    turn: int


class Broken(Game):
    """What is wrong with it is its argument."""

    compiled = False
    hidden_information = True

    def __init__(self, wrong):
        self.wrong = wrong

    def initial_state(self):
        return Endless(0)

    def to_move(self, state):
        return 2 if self.wrong == "player" and state.turn == 1 else state.turn % 2

    def actions(self, state):
        if self.wrong == "none":
            return []
        return [0, 1, 2] if self.wrong == "other" and state.turn == 2 else [0, 1]

    def result(self, state, action):
        return Endless(state.turn + 1)

    def is_terminal(self, state):
        return self.wrong != "endless" and state.turn == 4

    def utility(self, state, player):
        return 0.0

    def information(self, state, player):
        return 0


class Drawing(Game):
    """One draw of three cards with these probabilities; player 0 may then take what it pays, or pass."""

    compiled = False
    hidden_information = True

    def __init__(self, probabilities, pays=1.0):
        self.probabilities, self.pays = probabilities, pays

    def initial_state(self):
        return Endless(0)

    def to_move(self, state):
        return CHANCE if state.turn == 0 else 0

    def actions(self, state):
        return [0, 1, 2] if state.turn == 0 else [0, 1]

    def probability(self, state, action):
        return self.probabilities[action]

    def result(self, state, action):
        return Endless(state.turn + 1)

    def is_terminal(self, state):
        return state.turn == 2

    def utility(self, state, player):
        return self.pays if player == 0 else -self.pays

    def information(self, state, player):
        return state.turn


@pytest.mark.parametrize("sampling", ["external", "outcome"])
def test_probabilities_and_utilities_that_are_none(sampling):
    def solved(game):
        return TreelessMCCFR(game, sampling=sampling, memory_mb=1, check=False).solve(iterations=20)

    assert solved(Drawing((0.5, 0.0, 0.5))).values == pytest.approx((1, -1))
    for probabilities in (0.25, 0.25, 0.25), (1.5, -0.5, 0.0), (0.5, 0.5, float("nan")):
        with pytest.raises(RulesError, match="the probabilities of a chance node are below 0, or do not sum to 1"):
            solved(Drawing(probabilities))
    for pays in float("nan"), float("inf"):
        with pytest.raises(RulesError, match="a utility is not a finite number"):
            solved(Drawing((0.5, 0.0, 0.5), pays))


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    rows({
        "none": ("none", RulesError, "has no legal action"),
        "other": ("other", RulesError, "do not list the same legal actions"),
        "player": ("player", RulesError, r"to_move\(\) returned 2, but must return a player from 0 to 1"),
    }),
)  # fmt: skip
def test_broken_rules_are_told(wrong, kind, message):
    for sampling in "external", "outcome":
        with pytest.raises(kind, match=message):
            TreelessMCCFR(Broken(wrong), sampling=sampling, memory_mb=1, check=False).solve(iterations=10)


class Long(Game):
    """It never ends; only player 0 moves, who has no choice."""

    def initial_state(self):
        return Endless(0)

    def to_move(self, state):
        return 0

    def actions(self, state):
        return (0,)

    def result(self, state, action):
        return Endless(1 - state.turn)

    def is_terminal(self, state):
        return False

    def utility(self, state, player):
        return 0.0

    def information(self, state, player):
        return 0


def test_a_game_without_end_is_told():
    for sampling in "external", "outcome":
        with pytest.raises(OutplayError, match="too long for TreelessMCCFR"):
            TreelessMCCFR(Long(), sampling=sampling, memory_mb=1).solve(iterations=1)
