"""Self-play: what is known of it from the papers, a slow twin that follows them, and what was planted in games."""

import math
import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from evaluation.test_layout import Fill, FillDict
from evaluation.test_patterns import Collect, Duel, Weighed, entries_of, looked_at, random_evaluation, whose_turn
from shared.countdown import Countdown

from outplay import Game, legal_actions, new_random, random_below
from outplay.compile.kernels import runs_compiled
from outplay.evaluation.columns import Column, reader_of
from outplay.evaluation.layout import Layout, Location, Part
from outplay.evaluation.patterns import Tables
from outplay.games import Breakthrough, Hex, ManyPlayerMNK, Pig, TicTacToe, TwentyFortyEight
from outplay.learning import self_play
from outplay.learning.self_play import OPENING, QUIET_DEPTH, STEP, Learner, Snapshot
from outplay.montecarlo.playouts import random_outcome
from outplay.rules.base import Rules
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import CHANCE, defines, noisy_actions


def table_of(size, **options):
    """One table of a state whose first item, or which itself, is a number below `size`."""
    location = Location((Part(0, low=0, high=size - 1),), size, "number")
    return Tables(Layout((Column(options.pop("path", ())),), (location,), ((0,),)), ((0,),), **options)


# -- the random walk of Sutton (1988) ----------------------------------------------------------------------------------


class Walk(Game):
    """A walk from the middle of A, B, C, D, E, one step to the left or right; off to the right is worth 1."""

    players, zero_sum, utilities = 1, False, (0, 1)

    def initial_state(self):
        return 3

    def to_move(self, state):
        return CHANCE

    def actions(self, state):
        return [0, 1]

    def result(self, state, action):
        return state + 2 * action - 1

    def probability(self, state, action):
        return 0.5

    def is_terminal(self, state):
        return state in (0, 6)

    def utility(self, state, player):
        return state // 6


class WaitingWalk(Walk):
    """The same with a player who must say: go on."""

    def initial_state(self):
        return 3, False

    def to_move(self, state):
        return CHANCE if state[1] else 0

    def actions(self, state):
        return [0, 1] if state[1] else [0]

    def result(self, state, action):
        return (state[0] + 2 * action - 1, False) if state[1] else (state[0], True)

    def is_terminal(self, state):
        return state[0] in (0, 6)

    def utility(self, state, player):
        return state[0] // 6


def test_the_values_of_a_walk_of_chance():
    learner = Learner(Walk(), table_of(7, sides="equal"), 1.0, bounded=True)
    learner.play(1500)
    assert np.tanh(learner.weights[1:6]) == pytest.approx(np.arange(1, 6) / 6, abs=0.1)


@pytest.mark.parametrize("decay", [0.0, 0.7, 1.0])
def test_the_values_of_a_walk_with_a_player(decay):
    learner = Learner(WaitingWalk(), table_of(7, path=((0,),)), 1.0, bounded=True, decay=decay)
    learner.play(2500)
    of_player, of_chance = learner.weights[: 2 * 7].reshape(2, 7)[:, 1:6]
    assert np.tanh(of_player) == pytest.approx(np.arange(1, 6) / 6, abs=0.1)
    assert np.tanh(of_chance) == pytest.approx(np.arange(1, 6) / 6, abs=0.1)


# -- exact values ------------------------------------------------------------------------------------------------------


class Won(Countdown):
    utilities = (-1, 1)


@pytest.mark.parametrize(("sides", "number"), [("equal", 1), ("apart", 2)])
def test_who_wins_a_small_game_is_learned(sides, number):
    learner = Learner(Won(13), table_of(14, path=("left",), sides=sides), 1.0, bounded=True)
    learner.play(250)
    for values in learner.weights[: 14 * number].reshape(-1, 14):
        assert [value > 0 for value in values[1:13]] == [left % 3 != 0 for left in range(1, 13)]


class Three(Game):
    """Three players take one or two; who takes the last one gets 2, the others lose 1."""

    players, utilities = 3, (-1, 2)

    def initial_state(self):
        return 8, 0

    def to_move(self, state):
        return state[1]

    def actions(self, state):
        return range(1, min(2, state[0]) + 1)

    def result(self, state, action):
        return state[0] - action, (state[1] + 1) % 3

    def is_terminal(self, state):
        return state[0] == 0

    def utility(self, state, player):
        return 2 if (player + 1) % 3 == state[1] else -1


def test_three_players_learn_a_value_each():
    learner = Learner(Three(), table_of(9, path=((0,),), players=3, movers=3), 2.0, bounded=True)
    learner.play(600)
    values = 2 * np.tanh(learner.weights[: 3 * 3 * 9].reshape(3, 3, 9))  # [view, mover, left]
    for mover in range(3):
        others = [player for player in range(3) if player != mover]
        for left in 1, 2:
            assert values[mover, mover, left] == pytest.approx(2, abs=0.3)
            assert values[others, mover, left] == pytest.approx([-1, -1], abs=0.3)
        after = (mover + 1) % 3
        assert values[mover, mover, 3] == pytest.approx(-1, abs=0.4)
        assert values[after, mover, 3] == pytest.approx(2, abs=0.4)
        assert values[mover, mover, 4] == pytest.approx(-1, abs=0.4)


class Planted(Game):
    """Chance fills three cells; then the game is over, and its result is a sum of two patterns."""

    players, zero_sum = 1, False
    first = np.random.default_rng(1).normal(0, 3, (3, 3)).round(3)
    second = np.random.default_rng(2).normal(0, 3, (3, 3)).round(3)

    def initial_state(self):
        return 0, 0, 0, -1

    def to_move(self, state):
        return CHANCE if state[3] < 0 else 0

    def actions(self, state):
        return range(27) if state[3] < 0 else [0]

    def probability(self, state, action):
        return 1 / 27

    def result(self, state, action):
        return (action // 9, action // 3 % 3, action % 3, 0) if state[3] < 0 else (*state[:3], 1)

    def is_terminal(self, state):
        return state[3] == 1

    def planted(self, cells):
        return float(self.first[cells[0], cells[1]] + self.second[cells[1], cells[2]])

    def utility(self, state, player):
        return self.planted(state)


def test_planted_weights_are_found():
    game = Planted()
    columns = tuple(Column(((place,),)) for place in range(3))
    cells = tuple(Location((Part(place, low=0, high=2),), 3, str(place)) for place in range(3))
    tables = Tables(Layout(columns, cells, ((0, 1, 2),)), ((0, 1), (1, 2)), movers=2)
    learner = Learner(game, tables, most=3.0, bounded=False)
    learner.play(1500)
    evaluation = learner.evaluation({})
    for place in range(27):
        state = game.result(game.initial_state(), place)
        assert evaluation(game, state, 0) == pytest.approx(game.planted(state), abs=0.02)


# -- the slow twin -----------------------------------------------------------------------------------------------------


class SlowLearner:
    """Plain Python: TD(λ) backward (Sutton 1988) with temporal coherence (Beal and Smith 1999), in dicts."""

    def __init__(self, game, tables, most, bounded, seed, plies, explore, decay):
        self.game, self.tables, self.most, self.bounded = game, tables, most, bounded
        self.plies, self.explore, self.decay = plies, explore, decay
        self.random = new_random(seed * 1000)
        self.weights, self.sums, self.sizes = {}, {}, {}
        if tables.own:  # it begins with what the game says itself: `own` times the share of a win, in units of `own`
            blocks = range(0, tables.weights, tables.size)
            self.weights = {block + sum(tables.lengths): tables.own for block in blocks}
        self.views = game.players if tables.players > 1 else 1
        self.errors = []
        self.played = 0
        self.rounded = False  # whether the order of a sum decided what was played

    def entries(self, state, view):
        return entries_of(self.tables, self.game, state, view, self.most, self.bounded)

    def score(self, state):
        """What the player to move has got for certain."""
        if self.tables.score is None:
            return 0.0
        score = (reader_of([self.tables.score])(state)[0] - draw_utility(self.game)) / self.most
        return score if whose_turn(self.tables, self.game, state) == 0 else -score

    def estimate(self, state, view):
        """What the tables say, from the side of the player to move if there is one view."""
        total = 0.0
        for index, factor in self.entries(state, view):
            total += self.weights.get(index, 0.0) * factor  # not sum(), which rounds less from Python 3.12 on
        return math.tanh(total) if self.bounded else total + self.score(state)

    def value(self, state, player):
        game = self.game
        if game.is_terminal(state):
            return (game.utility(state, player) - draw_utility(game)) / self.most
        value = self.estimate(state, player)
        return value if self.views > 1 or whose_turn(self.tables, game, state) == player else -value

    def after_captures(self, state, player, depth=QUIET_DEPTH):
        """The value when each player may take back, or not."""
        game, value = self.game, self.value(state, player)
        if not defines(game, "noisy") or depth == 0 or game.is_terminal(state) or self.views > 1:
            return value
        mover = game.to_move(state)
        if (defines(game, "is_quiet") and game.is_quiet(state)) or mover == CHANCE:
            return value
        others = [self.after_captures(game.result(state, action), player, depth - 1)
                  for action in noisy_actions(game, state)]  # fmt: skip
        return (max if mover == player else min)([value, *others])

    def play(self, games):
        for _ in range(games):
            self.play_one()

    def play_one(self):
        game, random = self.game, self.random
        opening, decisions, state, path = random_below(random, OPENING), 0, game.initial_state(), []
        while len(path) < self.plies and not game.is_terminal(state):
            mover, step = game.to_move(state), {"state": state, "strayed": False, "backup": None}
            path.append(step)
            if mover == CHANCE:
                state = game.result(state, random_outcome(game, state, random))
                continue
            actions = list(legal_actions(game, state))
            values = []
            for number, action in enumerate(actions, 1):
                other = action if random_below(random, number) == 0 else other  # noqa: F821 - the first draw is 0
                values.append(self.after_captures(game.result(state, action), mover))
            best = max(values)
            self.rounded |= any(0 < best - value < 1e-12 for value in values)
            next_state = game.result(state, actions[values.index(best)])
            step["backup"] = self.backup(next_state, best if mover == 0 else -best)
            if decisions < opening or random_below(random, 1000) < self.explore:
                step["strayed"], next_state = True, game.result(state, other)
            state, decisions = next_state, decisions + 1
        self.learn(path, state)

    def backup(self, state, value):
        """What is learned of the state before this one, which is worth so much for player 0."""
        return [self.value(state, view) for view in range(self.views)] if self.views > 1 else [value]

    def unfinished(self, last):
        """What is learned from a game that is not over, but long."""
        return [0.0 if self.bounded else self.value(last, view) for view in range(self.views)]

    def find_goals(self, path, last):
        over = self.game.is_terminal(last)
        self.played += len(path)
        final = self.backup(last, self.value(last, 0)) if over else self.unfinished(last)
        following = final
        for step in reversed(path):  # a state of chance has the value of the decision after it
            step["backup"] = following = step["backup"] or following
        goals = final
        for step in reversed(path):
            goals = step["goals"] = [
                backup if step["strayed"] else self.decay * goal + (1 - self.decay) * backup
                for goal, backup in zip(goals, step["backup"], strict=True)
            ]

    def learn(self, path, last):
        game = self.game
        self.find_goals(path, last)
        for step in reversed(path):
            state = step["state"]
            quiet = not defines(game, "is_quiet") or game.is_quiet(state)
            for view in range(self.views):
                goal = step["goals"][view]
                if self.views == 1 and game.players > 1 and whose_turn(self.tables, game, state) == 1:
                    goal = -goal
                entries = self.entries(state, view)
                error = goal - self.estimate(state, view)
                self.errors.append(error)
                norm = max(self.tables.copies, 1) + sum(factor**2 for _, factor in entries[self.tables.copies :])
                for index, factor in entries if quiet else ():
                    change, size = error * factor, self.sizes.get(index, 0.0)
                    trust = abs(self.sums[index]) / size if size else 1.0
                    self.weights[index] = self.weights.get(index, 0.0) + STEP * trust * change / norm
                    self.sums[index] = self.sums.get(index, 0.0) + change
                    self.sizes[index] = size + abs(change)


class Taking(Fill):
    """Numbers on a row; a player takes the left or the right one. Large ones are captures."""

    def initial_state(self):
        return (3, 9, 4, 8, 2, 7), 0, 0

    def board(self, state):
        return state[0]

    def actions(self, state):
        return [0, 1]

    def noisy(self, state):
        return [side for side in (0, 1) if state[0][-side] > 6]

    def is_quiet(self, state):
        return max(state[0][0], state[0][-1]) <= 6

    def result(self, state, action):
        row, turn, score = state
        taken = row[-1] if action else row[0]
        return row[:-1] if action else row[1:], 1 - turn, score + (taken if turn == 0 else -taken)

    def is_terminal(self, state):
        return len(state[0]) == 0

    def utility(self, state, player):
        sign = (state[2] > 0) - (state[2] < 0)
        return sign if player == 0 else -sign

    def symmetries(self, state):
        return (state,)


SMALL = [Fill(), FillDict(), Weighed(), Collect(), Duel(), Pig(6), ManyPlayerMNK(), Breakthrough(4, 4), TicTacToe(),
         Taking(), TwentyFortyEight(), Hex(3)]  # fmt: skip


@pytest.mark.parametrize("game", SMALL, ids=lambda game: type(game).__name__)
@pytest.mark.parametrize("seed", [*range(2), *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(2, 20))])
def test_learning_is_that_of_the_papers(game, seed, monkeypatch):
    monkeypatch.setattr(Rules, "compiled", False)
    dice = random.Random(seed)
    explore, decay = dice.choice([0, 100, 600]), dice.choice([0.0, 0.3, 0.7, 1.0])
    plies = 40 if seed % 2 else dice.choice([3, 4, 7])
    form = random_evaluation(game, random.Random(seed))
    arguments = game, form.tables, form.most, form.bounded, seed
    learner = Learner(*arguments, plies=plies, explore=explore, decay=decay)
    twin = SlowLearner(*arguments, plies, explore, decay)
    games = 3 if plies == 40 else 8
    report = learner.play(games)
    twin.play(games)
    expected_report = pytest.approx([twin.played, sum(error**2 for error in twin.errors), len(twin.errors)])
    if twin.rounded and report != expected_report:
        pytest.skip("actions are worth the same, but for the order in which weights are added")
    expected = np.zeros(len(learner.weights))
    for mine, others in ((learner.weights, twin.weights), (learner.sums, twin.sums), (learner.sizes, twin.sizes)):
        expected[:] = 0
        for index, number in others.items():
            expected[index] = number
        np.testing.assert_allclose(mine, expected, rtol=1e-6, atol=1e-9)
    assert report == expected_report
    assert twin.weights


@pytest.mark.parametrize("game", [Fill(), Pig(6), ManyPlayerMNK(), Taking()], ids=lambda game: type(game).__name__)
def test_without_learning_only_errors_are_measured(game):
    form = random_evaluation(game, random.Random(3))
    learner = Learner(game, form.tables, form.most, form.bounded)
    learner.play(20)
    before = [array.copy() for array in (learner.weights, learner.sums, learner.sizes)]
    report = learner.play(20, learns=False)
    assert report[0] > 0
    assert report[1] > 0
    for array, old in zip((learner.weights, learner.sums, learner.sizes), before, strict=True):
        assert np.array_equal(array, old)


def test_a_value_that_is_no_number_ends_no_game_early():
    """It is told by the error; the actions are legal all the same."""

    class Wrong(Fill):
        def utility(self, state, player):
            return math.nan

    form = random_evaluation(Fill(), random.Random(3))
    learner = Learner(Wrong(), form.tables, 1.0, bounded=True)
    report = learner.play(5)
    assert report[0] == 30
    assert math.isnan(report[1])


def test_a_seed_gives_the_same_weights():
    form = random_evaluation(Pig(6), random.Random(3))
    learners = [Learner(Pig(6), form.tables, 1.0, bounded=True, seed=seed) for seed in (4, 4, 5)]
    for learner in learners:
        learner.play(10)
    first, same, other = learners
    assert np.array_equal(first.weights, same.weights)
    assert not np.array_equal(first.weights, other.weights)


def test_a_learner_plays_the_games_of_a_seed_again():
    form = random_evaluation(TicTacToe(), random.Random(3))
    learner = Learner(TicTacToe(), form.tables, 1.0, bounded=True, seed=4, explore=1000)
    first = learner.play(10)[0]
    other = learner.play(10)[0]
    learner.reseed(4)
    assert [learner.play(10)[0], learner.play(10)[0]] == [first, other]


def test_terms_alone_are_learned_where_all_of_them_are_0():
    game = Weighed()
    layout = replace(looked_at(game)[1], clock=(), edges=())
    tables = Tables(layout, (), features=(1.0, 1.0, 0.0))
    learner = Learner(game, tables, 0.5, bounded=True)
    learner.play(50)
    assert learner.weights.any()
    assert np.isfinite(learner.weights).all()


def test_two_workers_play_twice_as_many_games():
    form = random_evaluation(Fill(), random.Random(3))
    learner = Learner(Fill(), form.tables, 1.0, bounded=True, workers=2)
    report = learner.play(10)
    assert report[0] == 2 * 10 * 6
    assert learner.weights.any()


# -- what is made of it ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", SMALL, ids=lambda game: type(game).__name__)
def test_games_against_itself_follow_the_rules(game):
    form = random_evaluation(game, random.Random(3))
    learner = Learner(game, form.tables, form.most, form.bounded, plies=50)
    learner.play(3)
    games = learner.games()
    for _ in range(3):
        states = next(games)
        assert repr(states[0]) == repr(game.initial_state())
        assert len(states) == 51 or game.is_terminal(states[-1])
        for state, after in pairwise(states):
            following = [repr(game.result(state, action)) for action in legal_actions(game, state)]
            assert repr(after) in following


@pytest.mark.parametrize("game", SMALL, ids=lambda game: type(game).__name__)
def test_an_evaluation_says_what_the_learner_does(game):
    form = random_evaluation(game, random.Random(3))
    learner = Learner(game, form.tables, form.most, form.bounded)
    learner.weights[: form.tables.weights] = np.random.default_rng(1).normal(0, 0.2, form.tables.weights)
    learner.mean[:] = learner.weights
    evaluation = learner.evaluation({"games": 4})
    snapshot = Snapshot(learner)
    snapshot.set(learner.weights)
    twin = SlowLearner(game, form.tables, form.most, form.bounded, 1, 0, 0, 0)
    twin.weights = dict(enumerate(learner.weights.tolist()))
    assert evaluation.made == {"games": 4}
    assert np.abs(evaluation.weights).max() == 32767
    rule = snapshot.rule(game)
    states, _ = looked_at(game) if not isinstance(game, Taking) else ([game.initial_state()], None)
    least, greatest = game.utilities or (-math.inf, math.inf)
    for state in states[:20]:
        for player in range(game.players):
            expected = min(max(form.most * twin.value(state, player) + draw_utility(game), least), greatest)
            assert rule(game, state, player) == pytest.approx(expected, abs=1e-5)
            assert evaluation(game, state, player) == pytest.approx(expected, abs=0.003 * form.most)


def test_an_evaluation_is_the_mean_of_recent_weights(monkeypatch):
    monkeypatch.setattr(self_play, "RECENT", 1)
    game = Breakthrough(4, 4)
    form = random_evaluation(game, random.Random(3))
    learner, seen = Learner(game, form.tables, form.most, form.bounded), []
    for _ in range(4):
        learner.play(2)
        seen.append(learner.weights.copy())
        learner.play(2, learns=False)
        recent = np.average(seen, axis=0, weights=range(1, 1 + len(seen)))  # the last ones count more
        assert learner.mean == pytest.approx(recent)
    evaluation = learner.evaluation()
    assert evaluation.weights * evaluation.scale == pytest.approx(recent[: form.tables.weights], abs=evaluation.scale)
    assert Snapshot(learner).weights == pytest.approx(recent)


def test_large_tables_are_averaged_less_often(monkeypatch):
    game = Breakthrough(4, 4)
    form = random_evaluation(game, random.Random(3))
    learner = Learner(game, form.tables, form.most, form.bounded)
    monkeypatch.setattr(self_play, "AVERAGED", len(learner.weights) // 2)  # each third time
    means = []
    for _ in range(6):
        learner.play(2)
        means.append(learner.mean.tolist())
    assert means[0] == means[1] == means[2] != means[3] == means[4] == means[5]


def test_learning_begins_with_what_the_game_says_itself():
    game = Weighed()
    states, layout = looked_at(game)
    tables = Tables(layout, ((0,), (1, 2)), own=0.7, features=(1.0, 0.0, 2.0))
    evaluation = Learner(game, tables, 0.5, bounded=True).evaluation({})
    for state in states:
        for player in range(2):
            assert evaluation(game, state, player) == pytest.approx(game.evaluate(state, player), abs=0.003)


def test_other_weights_change_a_rule_that_was_made():
    game = Fill()
    form = random_evaluation(game, random.Random(3))
    learner = Learner(game, form.tables, 1.0, bounded=True)
    snapshot = Snapshot(learner)
    rule, state = snapshot.rule(game), game.initial_state()
    assert rule(game, state, 0) == 0
    learner.weights[:] = 0.1
    assert rule(game, state, 0) == 0
    snapshot.set(learner.weights)
    assert rule(game, state, 0) != 0
    assert snapshot.rule(game) is rule


# -- compiled ----------------------------------------------------------------------------------------------------------


def check_compiled(game, monkeypatch, games=40):
    form = random_evaluation(game, random.Random(3))
    learned = []
    for compiled in (True, False):
        with monkeypatch.context() as patch:
            patch.setattr(Rules, "compiled", compiled)
            learner = Learner(game, form.tables, form.most, form.bounded, seed=7)
            assert runs_compiled(learner.game) is compiled
            report = learner.play(games)
            learned.append((learner.weights, learner.sums, learner.sizes, report))
    for mine, others in zip(*learned, strict=True):
        np.testing.assert_allclose(mine, others, rtol=1e-6, atol=1e-9)


@pytest.mark.compiled
def test_compiled_code_learns_the_same(monkeypatch):
    check_compiled(Breakthrough(4, 4), monkeypatch)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "game", [game for game in SMALL if not isinstance(game, Taking)], ids=lambda game: type(game).__name__
)
def test_compiled_code_of_all_games_learns_the_same(game, monkeypatch):
    check_compiled(game, monkeypatch, 4)
