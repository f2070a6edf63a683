"""Games between searches: a plain twin plays the same ones; what is kept of a position, and what is left out."""

from dataclasses import replace

import numpy as np
import pytest
from evaluation.test_patterns import Collect, Duel, Weighed, entries_of

from outplay import Game, random_below
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import NONE, new_random
from outplay.engine.table import useful_megabytes
from outplay.games import Breakthrough, EnglishDraughts, TicTacToe
from outplay.learning import labelling
from outplay.learning.labelling import ASIDE, DECAY, STRAY, SURE, Labeller, with_sides
from outplay.learning.plan import Plan
from outplay.learning.rivals import searcher_of
from outplay.learning.self_play import OPENING
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import defines, noisy_actions
from outplay.rules.numbered import Numbered, numbered
from outplay.rules.repetition import final, playable


class Corridor(Game):
    """Two players move one token, and lose if they let it fall off the left end. States repeat."""

    utilities = (-1, 1)
    repetition = "draw"

    def initial_state(self):
        return 12, 0

    def to_move(self, state):
        return state[1]

    def actions(self, state):
        return ["left", "right"] if state[0] < 20 else ["left"]

    def result(self, state, action):
        return state[0] + (1 if action == "right" else -1), 1 - state[1]

    def is_terminal(self, state):
        return state[0] == 0

    def utility(self, state, player):
        return 1 if state[1] == player else -1

    def evaluate(self, state, player):
        return state[0] / 40 if state[1] == player else -state[0] / 40


class LostByRepetition(Corridor):
    repetition = "loss"


class WithoutRepetition(Corridor):
    repetition = "forbidden"


class Looked:
    """A position of the twin: a state, its value, and whether it is not on the way of the game."""

    def __init__(self, state, value, aside):
        self.state, self.value, self.aside = state, value, aside


class Twin:
    """Plays the games of a `Labeller`, one search and one step at a time."""

    def __init__(self, labeller, seed):
        self.plan, self.game, self.random = labeller.plan, numbered(labeller.plan.game), new_random(seed)
        self.limit = labeller.limit
        self.search = searcher_of(self.game, None)
        self.search.table_mb = useful_megabytes(0, labeller.limit, deepens=False)

    def searched(self, state):
        """The best action and the value, or nothing."""
        analysis = self.search.search_many([state, state], self.limit)[0]
        if not analysis.actions:
            return NONE, None
        action = self.game.encode(analysis.action) if isinstance(self.game, Numbered) else analysis.action
        return action, (analysis.value - draw_utility(self.game)) / self.plan.most

    def keep(self, state, value, best, aside):
        game = self.game
        noisy = (not game.is_quiet(state)) if defines(game, "is_quiet") else (
            defines(game, "noisy") and best in list(noisy_actions(game, state))
        )  # fmt: skip
        if not noisy:
            self.looked.append(Looked(state, min(max(value, -SURE), SURE) if self.plan.bounded else value, aside))

    def play(self):
        """The positions of the next game, and what player 0 gets, in units of a win."""
        game, random, plan = self.game, self.random, self.plan
        history, self.looked = [game.initial_state()], []
        opening = random_below(random, OPENING)
        while (ended := final(game, history)) is None and len(history) <= plan.plies:
            state, mover = history[-1], game.to_move(history[-1])
            action = NONE
            if len(history) > opening and random_below(random, 1000) >= STRAY:
                action, value = self.searched(state)
                if value is not None:
                    if plan.bounded and abs(value) > SURE:
                        return self.looked, 1.0 if (value > 0) == (mover == 0) else -1.0
                    self.keep(state, value, action, aside=False)
                    other = state
                    for _ in range(1 + random_below(random, ASIDE)):
                        if not game.is_terminal(other):
                            other = game.result(other, random_action(game, other, random))
                    if not game.is_terminal(other):
                        best, value = self.searched(other)
                        if value is not None:
                            self.keep(other, value, best, aside=True)
            if game.repetition == "forbidden":
                action = self.allowed(playable(game, history), action)
            elif action == NONE:
                action = random_action(game, state, random)
            history.append(game.result(state, action))
        return self.looked, 0.0 if ended is None else (ended[0] - draw_utility(game)) / plan.most

    def allowed(self, actions, wanted):
        chosen = NONE
        for count, action in enumerate(actions, 1):
            if action == wanted:
                return wanted
            if random_below(self.random, count) == 0:
                chosen = action
        return chosen


def labeller_of(game, seed=1, nodes=12):
    plan = Plan.of(game, positions=200)
    return Labeller(plan, plan.tables(8, "mixed"), nodes, seed)


GAMES = [
    Breakthrough(4, 4), Weighed(), Collect(), Duel(), TicTacToe(), Corridor(), LostByRepetition(),
    WithoutRepetition(), EnglishDraughts(),
]  # fmt: skip


@pytest.mark.parametrize("nodes", [1, 12])
@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_games_are_those_of_the_twin(game, nodes):
    labeller = labeller_of(game, seed=3, nodes=nodes)
    tables, plan, twin, kept = labeller.tables, labeller.plan, Twin(labeller, 3), 0
    for number in range(2 if game == EnglishDraughts() else 6):
        positions = labeller.play([number])
        looked, result = twin.play()
        assert len(positions.games) == len(looked)
        assert set(positions.games.tolist()) <= {number}
        following = result
        for one in reversed(range(len(looked))):
            state, value = looked[one].state, looked[one].value
            entries = entries_of(tables, game, state, 0, plan.most, plan.bounded)
            assert positions.places[one].tolist() == [place for place, _ in entries[: tables.copies]]
            assert positions.terms[one] == pytest.approx([factor for _, factor in entries[tables.copies :]], rel=1e-5)
            sign = 1 if game.to_move(state) == 0 else -1
            goal = value
            if not looked[one].aside:
                following = DECAY * following + (1 - DECAY) * sign * value
                goal = sign * following
            if tables.score is not None:
                first = float(eval(tables.score.source, {"state": state})) - draw_utility(game)
                goal -= sign * first / plan.most
            assert positions.goals[one] == pytest.approx(goal, abs=1e-5)
        kept += len(looked)
    assert kept > 1 or nodes == 1


@pytest.mark.parametrize("kind", [Corridor, LostByRepetition, WithoutRepetition, Weighed])
def test_interpreted_rules_play_the_same_games(kind):
    class Interpreted(kind):
        compiled = False

    compiled, interpreted = (labeller_of(game).play(range(20)) for game in (kind(), Interpreted()))
    assert len(compiled.games) > 10
    assert all(np.array_equal(*pair) for pair in zip(compiled, interpreted, strict=True))


def test_a_game_that_a_search_sees_won_ends_there():
    game = Breakthrough(4, 4)
    labeller = labeller_of(game, nodes=3000)
    for number in range(5):
        goals = labeller.play([number]).goals
        assert abs(float(labeller.space.result[0])) == 1
        assert len(goals) < 20


def test_positions_with_captures_to_make_are_left_out():
    for game in EnglishDraughts(), Breakthrough(5, 5):
        labeller = labeller_of(game, nodes=100)
        twin = Twin(labeller, 1)
        looked = [one for _ in range(3) for one in twin.play()[0]]
        assert len(looked) == len(labeller.play(range(3)).games) > 10
        for one in looked:
            if game == EnglishDraughts():
                assert game.is_quiet(one.state)
            else:
                assert twin.searched(one.state)[0] not in list(noisy_actions(game, one.state))


def test_a_seed_gives_the_same_games():
    first, again, other = (labeller_of(Collect(), seed).play([0]) for seed in (1, 1, 2))
    assert all(np.array_equal(*pair) for pair in zip(first, again, strict=True))
    assert not all(np.array_equal(*pair) for pair in zip(first, other, strict=True))


def test_games_are_the_same_in_any_parts():
    """A search knows nothing of those before."""
    together, labeller = labeller_of(Breakthrough(4, 4)).play(range(4)), labeller_of(Breakthrough(4, 4))
    parts = [labeller.play([number]) for number in range(4)]
    assert all(np.array_equal(*pair) for pair in zip(together, labelling.join(parts), strict=True))
    assert labelling.join(parts, 5).goals.tolist() == together.goals[-5:].tolist()


@pytest.mark.parametrize("game", [Breakthrough(4, 4), Weighed(), Duel()], ids=repr)
def test_positions_for_one_table_for_both_players(game):
    labeller = labeller_of(game, seed=3)
    tables, plan, twin, movers = labeller.tables, labeller.plan, Twin(labeller, 3), set()
    for number in range(3):
        positions, (looked, _) = labeller.play([number]), twin.play()
        equal, opposite = (with_sides(positions, tables, sides) for sides in ("equal", "opposite"))
        for one, state in enumerate(one.state for one in looked):
            entries = entries_of(replace(tables, sides="equal"), game, state, 0, plan.most, plan.bounded)
            assert equal.places[one].tolist() == [place for place, _ in entries[: tables.copies]]
            assert (equal.terms[one].tolist(), equal.goals[one]) == (
                positions.terms[one].tolist(),
                positions.goals[one],
            )
            entries = entries_of(replace(tables, sides="opposite"), game, state, 0, plan.most, plan.bounded)
            sign = entries[0][1]  # the view is that of player 0
            movers.add(sign)
            assert opposite.places[one].tolist() == [place for place, _ in entries[: tables.copies]]
            terms = [sign * factor for _, factor in entries[tables.copies :]]
            assert opposite.terms[one] == pytest.approx(terms, rel=1e-5)
            assert opposite.goals[one] == sign * positions.goals[one]
        assert with_sides(positions, tables, "apart") is positions
    assert movers == {1, -1}
