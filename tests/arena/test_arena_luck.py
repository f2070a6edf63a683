"""Luck-adjusted results: their mean is that of the results, exactly, and their spread is smaller."""

import json
import math
from collections import namedtuple
from itertools import product

import numpy as np
import pytest
from typer.testing import CliRunner

from outplay import CHANCE, Game, legal_actions
from outplay.arena.luck import LuckMeter
from outplay.arena.match import Match, Score, play_round
from outplay.arena.referee import Terms, play_game
from outplay.arena.strengths import mean_of
from outplay.cli.commands import app
from outplay.games import Pig
from outplay.rules.errors import OutplayError
from outplay.session import Session

Race = namedtuple("Race", "mine theirs turn die throws")


class DiceRace(Game):
    """Each player throws a die of three sides twice, and keeps it or takes a 2; the higher sum wins."""

    players = 2
    has_chance = True
    utilities = (-1, 1)

    def initial_state(self):
        return Race(0, 0, 0, 0, 0)

    def to_move(self, state):
        return state.turn if state.die else CHANCE

    def actions(self, state):
        return [0, 1] if state.die else [1, 2, 3]

    def probability(self, state, action):
        return (0.5, 0.3, 0.2)[action - 1]

    def result(self, state, action):
        if not state.die:
            return Race(state.mine, state.theirs, state.turn, action, state.throws)
        gain = state.die if action == 0 else 2
        mine, theirs = (state.mine + gain, state.theirs) if state.turn == 0 else (state.mine, state.theirs + gain)
        return Race(mine, theirs, 1 - state.turn, 0, state.throws + 1)

    def is_terminal(self, state):
        return state.throws == 4

    def utility(self, state, player):
        better = (state.mine > state.theirs) - (state.mine < state.theirs)
        return better if player == 0 else -better


class Evaluated(DiceRace):
    """The same with an evaluation."""

    def evaluate(self, state, player):
        ahead = (state.mine - state.theirs) / 4
        return ahead if player == 0 else -ahead


class Keeps:
    """Always keeps the die."""

    def choose(self, view, clock):
        return 0


class Takes:
    """Takes a 2 instead of a 1."""

    def choose(self, view, clock):
        return int(view.state.die == 1)


def states_of(game):
    waiting, found = [game.initial_state()], set()
    while waiting:
        state = waiting.pop()
        if state not in found and not game.is_terminal(state):
            found.add(state)
            waiting += [game.result(state, action) for action in legal_actions(game, state)]
    return sorted(found)


@pytest.mark.parametrize("game", [DiceRace(), Evaluated()])
def test_the_mean_luck_of_each_throw_is_nothing(game):
    meter, sizes = LuckMeter(game), []
    throws = [state for state in states_of(game) if game.to_move(state) == CHANCE]
    for state in throws[:: len(throws) // 8]:
        lucks = np.array([meter.of(state, action) for action in game.actions(state)])
        chances = [game.probability(state, action) for action in game.actions(state)]
        assert np.allclose(chances @ lucks, 0, atol=1e-12)
        assert np.allclose(lucks.sum(axis=1), 0)  # what one side gains, the other loses
        sizes.append(np.abs(lucks).max())
    assert max(sizes) > 0.1


def test_the_mean_of_adjusted_results_is_that_of_the_results(monkeypatch):
    """All 81 games of two players without choice, each with its probability."""
    game, totals = Evaluated(), np.zeros(4)
    for throws in product((1, 2, 3), repeat=4):
        left = list(throws)
        monkeypatch.setattr(Session, "roll", lambda self, left=left: left.pop(0))
        record = play_game(game, [Keeps(), Takes()], ["one", "two"], terms=Terms(adjusts_luck=True))
        weight = math.prod((0.5, 0.3, 0.2)[throw - 1] for throw in throws)
        raw, adjusted = record.utilities[0], record.utilities[0] - record.luck[0]
        totals += weight * np.array([raw, adjusted, raw**2, adjusted**2])
    mean, mean_adjusted, square, square_adjusted = totals
    assert mean == pytest.approx(mean_adjusted, abs=1e-12)
    assert mean < -0.1  # who takes a 2 instead of a 1 is better
    assert square_adjusted - mean**2 < 0.6 * (square - mean**2)  # so 60 games say as much as 100


def test_luck_is_in_the_score_and_in_the_record():
    match = Match(Pig(goal=20), ("random", "random"), games=8, terms=Terms(adjusts_luck=True), seed=2)
    score = Score()
    for found in match.run():
        score.add(found)
        again = play_round((match, found.number))
        assert [record.luck for record in again.records] == [record.luck for record in found.records]
        gains = [record.luck[order.index(0)] for order, record in zip(found.orders, found.records, strict=True)]
        assert score.adjusted[-1] == pytest.approx(score.utilities[-1] - sum(gains) / 2)
        assert any(gains)
    assert len(score.adjusted) == 4
    plain = Score()
    plain.add(play_round((Match(Pig(goal=20), ("random", "random")), 0)))
    assert len(plain.utilities) == 1
    assert not plain.adjusted


def test_a_mean_and_its_interval():
    """Student's interval: the numbers of his own example of sleep, extra hours with two drugs (Student 1908)."""
    extra = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
    found = mean_of(extra)
    assert found.mean == pytest.approx(1.58)
    assert found.error == pytest.approx(0.88, abs=0.005)
    assert mean_of([1.0]).error == math.inf
    with pytest.raises(OutplayError, match="no game"):
        mean_of([])


def test_the_command():
    run = lambda *arguments: CliRunner().invoke(app, ["match", *arguments])  # noqa: E731
    shown = run("pig(goal=20)", "random", "random", "--games", "4", "--luck")
    assert shown.exit_code == 0
    assert "mean utility of random #1: " in shown.output
    assert "less its luck" in shown.output
    data = json.loads(run("pig(goal=20)", "random", "random", "--games", "4", "--luck", "--json").output)
    assert data["adjusted_utility"].keys() == {"mean", "error"}
    assert data["utility"]["mean"] == pytest.approx(0, abs=1)
    refused = run("tic-tac-toe", "random", "random", "--luck")
    assert refused.exit_code == 2
    assert "no chance" in refused.output


class Named(DiceRace):
    """The same with actions that are no numbers."""

    def actions(self, state):
        return [("keep",), ("two",)] if state.die else [("die", throw) for throw in (1, 2, 3)]

    def probability(self, state, action):
        return super().probability(state, action[1])

    def result(self, state, action):
        return super().result(state, action[1] if not state.die else int(action == ("two",)))


def test_luck_in_a_game_whose_actions_are_no_numbers():
    plain, named = LuckMeter(DiceRace()), LuckMeter(Named())
    start = DiceRace().initial_state()
    assert [named.of(start, ("die", throw)) for throw in (1, 2, 3)] == [plain.of(start, throw) for throw in (1, 2, 3)]
