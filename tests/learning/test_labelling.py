"""Games between searches: what is kept of a position, and what is left out."""

import numpy as np
import pytest
from evaluation.test_patterns import Collect, Duel, Weighed, entries_of

from outplay import AlphaBeta, Limit, legal_actions
from outplay.games import Breakthrough, EnglishDraughts, Pig, TicTacToe
from outplay.learning import labelling
from outplay.learning.labelling import RESULT, Labeller
from outplay.learning.plan import Plan
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import CHANCE, noisy_actions


class Recorded(Labeller):
    """Keeps the states of each game, their values, and how it ended."""

    def _positions(self, seen, ended, number):
        self.seen, self.ended = seen, ended
        return super()._positions(seen, ended, number)


def labeller_of(game, seed=1, nodes=12):
    plan = Plan.of(game, positions=200)
    return Recorded(plan, plan.tables(8, "mixed"), nodes, seed)


@pytest.mark.parametrize("game", [Breakthrough(4, 4), Weighed(), Collect(), Duel(), Pig(12), TicTacToe()], ids=repr)
def test_positions_are_what_the_tables_read(game):
    labeller = labeller_of(game)
    tables, plan = labeller.tables, labeller.plan
    seen = 0
    for number in range(6):
        positions = labeller.play(number)
        assert len(positions.games) == len(labeller.seen)
        seen += len(labeller.seen)
        assert set(positions.games) <= {number}
        places = positions.places(tables)
        for one, (state, value, aside) in enumerate(labeller.seen):
            entries = entries_of(tables, game, state, 0, plan.most, plan.bounded)
            assert places[one].tolist() == [place for place, _ in entries[: tables.copies]]
            assert positions.terms[one] == pytest.approx([factor for _, factor in entries[tables.copies :]], rel=1e-5)
            mover = game.to_move(state)
            assert positions.movers[one] == mover != CHANCE
            result = 0.0 if labeller.ended is None else (labeller.ended[mover] - draw_utility(game)) / plan.most
            goal = value if aside else RESULT * result + (1 - RESULT) * value
            if tables.score is not None:
                first = float(eval(tables.score.source, {"state": state})) - draw_utility(game)
                goal -= (first if mover == 0 else -first) / plan.most
            assert positions.goals[one] == pytest.approx(goal, abs=1e-5)
    assert seen > 1


def test_values_are_those_of_the_search_for_the_player_to_move():
    game = Breakthrough(4, 4)
    labeller = labeller_of(game, nodes=50)
    for number in range(3):
        labeller.play(number)
        for state, value, _ in labeller.seen:
            expected = AlphaBeta(game).search(state, Limit(nodes=50)).value
            assert value == pytest.approx(min(max(expected, -labelling.SURE), labelling.SURE), abs=1e-9)


def test_a_game_that_a_search_sees_won_ends_there():
    game = Breakthrough(4, 4)
    labeller = labeller_of(game, nodes=3000)
    for number in range(5):
        labeller.play(number)
        assert sorted(labeller.ended) == [-1, 1]
        assert not any(game.is_terminal(one.state) for one in labeller.seen)


def test_positions_with_captures_to_make_are_left_out():
    game = EnglishDraughts()
    labeller, plays = labeller_of(game, nodes=100), 0
    for number in range(3):
        labeller.play(number)
        plays += len(labeller.seen)
        assert all(game.is_quiet(one.state) for one in labeller.seen)
    assert plays > 30
    game = Breakthrough(5, 5)
    labeller = labeller_of(game, nodes=100)
    for number in range(3):
        labeller.play(number)
        for state, *_ in labeller.seen:
            assert AlphaBeta(game).search(state, Limit(nodes=100)).action not in list(noisy_actions(game, state))


def test_a_seed_gives_the_same_games():
    first, again, other = (labeller_of(Collect(), seed).play(0) for seed in (1, 1, 2))
    assert all(np.array_equal(*pair) for pair in zip(first, again, strict=True))
    assert not all(np.array_equal(*pair) for pair in zip(first, other, strict=True))


@pytest.mark.parametrize("game", [Breakthrough(5, 4), Pig(12), Collect()], ids=repr)
def test_positions_aside_are_a_few_random_actions_away(game):
    labeller, aside, along = labeller_of(game), 0, 0
    for number in range(10):
        labeller.play(number)
        before = None
        for one in labeller.seen:
            assert game.to_move(one.state) != CHANCE
            if not one.aside:
                before, along = one.state, along + 1
            elif before is not None and not game.has_chance:
                after_one = {repr(game.result(before, action)) for action in legal_actions(game, before)}
                states = [game.result(before, action) for action in legal_actions(game, before)]
                after_two = {
                    repr(game.result(state, action))
                    for state in states
                    if not game.is_terminal(state)
                    for action in legal_actions(game, state)
                }
                aside += repr(one.state) in after_one | after_two
            else:
                aside += 1
    assert along > 3
    assert aside > 3
