"""Pig against an obvious twin, against value iteration by equations, and against published values."""

import random
from functools import cache
from math import isclose

import numpy as np
import pytest

from outplay import CHANCE, RulesError, kernel, legal_actions, random_below
from outplay.compile.random_numbers import new_random
from outplay.games import Pig
from outplay.games.pig import HOLD, ROLL

GAMES = [Pig(), Pig(10, 4, 3), Pig(7, 2), Pig(30, 20, 5)]
each_game = pytest.mark.parametrize("game", GAMES, ids=repr)


class Twin:
    """A list of scores."""

    def __init__(self, goal, sides, players):
        self.goal, self.sides, self.scores, self.total, self.turn, self.rolls = goal, sides, [0] * players, 0, 0, False

    def options(self):
        if self.rolls:
            return [str(face) for face in range(1, self.sides + 1)]
        wins = self.scores[self.turn] + self.total >= self.goal
        return ["roll"] * (self.total == 0 or not wins) + ["hold"] * (self.total > 0)

    def play(self, option):
        if option == "roll":
            self.rolls = True
        elif option in ("hold", "1"):
            if option == "hold":
                self.scores[self.turn] += self.total
            self.rolls, self.total, self.turn = False, 0, (self.turn + 1) % len(self.scores)
        else:
            self.rolls, self.total = False, self.total + int(option)

    def text(self):
        scores = "-".join(map(str, self.scores))
        return f"{scores} {self.turn}+{self.total}" + " roll" * self.rolls


@each_game
def test_random_games_of_the_twin(game):
    dice = random.Random(1)
    for _ in range(30):
        twin, position = Twin(game.goal, game.sides, game.players), game.initial_state()
        while max(twin.scores) < game.goal:
            assert not game.is_terminal(position)
            assert game.to_move(position) == (CHANCE if twin.rolls else twin.turn)
            assert game.state_text(position) == twin.text()
            assert game.parse_state(twin.text()) == position
            actions = list(legal_actions(game, position))
            assert sorted(game.action_name(position, action) for action in actions) == sorted(twin.options())
            if twin.rolls:
                assert [game.probability(position, action) for action in actions] == [1 / game.sides] * game.sides
            option = dice.choice(twin.options())
            position = game.result(position, game.parse_action(position, option))
            twin.play(option)
        assert game.is_terminal(position)
        winner = int(np.argmax(twin.scores))
        for player in range(game.players):
            assert game.utility(position, player) == (1 if player == winner else -1 / (game.players - 1))


# -- values -----------------------------------------------------------------------------------------------------------


def chances(goal, sides, holds=None):
    """How likely who has the turn wins: float [own score, other score, points of the turn].

    Value iteration by the equations of Neller & Presser (2004), which know nothing of `Pig`. Both play best, or hold
    where `holds(total)` says so.
    """
    own = np.arange(goal)[:, None]
    win = np.ones((goal, goal, goal + sides))
    win[:, :, 0] = 0
    change = 1.0
    while change > 1e-9:
        before = win[:, :, 0].copy()
        other = 1 - before.T  # after the turn, for who has held or rolled a 1
        for total in reversed(range(goal)):
            roll = (other + sum(win[:, :, total + face] for face in range(2, sides + 1))) / sides
            hold = np.zeros((goal, goal))
            if total > 0:
                hold[: goal - total] = other[total:]
            best = np.maximum(roll, hold) if holds is None else np.where(total > 0 and holds(total), hold, roll)
            win[:, :, total] = np.where(own + total >= goal, 1.0, best)
        change = np.abs(win[:, :, 0] - before).max()
    return win


def values_by_rules(game):
    """The value of each position for player 0, by sweeps over all that can be reached; slow, by the rules alone."""
    known = {game.initial_state(): 0.0}
    for position in (found := list(known)):
        if not game.is_terminal(position):
            for action in legal_actions(game, position):
                after = game.result(position, action)
                if after not in known:
                    known[after] = 0.0
                    found.append(after)
    change = 1.0
    while change > 1e-9:
        change = 0.0
        for position in found:
            if game.is_terminal(position):
                value = game.utility(position, 0)
            else:
                mover = game.to_move(position)
                after = {action: known[game.result(position, action)] for action in legal_actions(game, position)}
                if mover == CHANCE:
                    value = sum(game.probability(position, action) * value for action, value in after.items())
                else:
                    value = max(after.values()) if mover == 0 else min(after.values())
            change = max(change, abs(value - known[position]))
            known[position] = value
    return known


@pytest.mark.sample(2)
@pytest.mark.parametrize(("goal", "sides"), [(2, 6), (5, 6), (8, 4), (11, 6), (6, 2)])
def test_small_goals_by_the_equations(goal, sides):
    game, win = Pig(goal, sides), chances(goal, sides)
    for position, value in values_by_rules(game).items():
        if game.to_move(position) == 0 and not game.is_terminal(position):
            own, other = game.score(position, 0), game.score(position, 1)
            assert isclose(value, 2 * win[own, other, position.total] - 1, abs_tol=1e-7)


def test_who_needs_two_points_has_a_simple_value():
    """Every roll but a 1 wins: w = 5/6 + 1/6 * (1 - w)."""
    game = Pig(2)
    assert isclose(values_by_rules(game)[game.initial_state()], 2 * 6 / 7 - 1, abs_tol=1e-8)


@cache
def best():
    return chances(100, 6)


def test_the_published_value():
    """Neller & Presser (2004): the first player wins with probability 0.5306."""
    assert isclose(best()[0, 0, 0], 0.5306, abs_tol=1e-4)


def test_the_estimate_is_near_best_play():
    game, errors = Pig(), []
    for own in range(0, 100, 9):
        for other in range(0, 100, 9):
            for total in range(2, min(25, 100 - own), 3):
                position = game.parse_state(f"{own}-{other} 0+{total}")
                errors.append((1 + game.evaluate(position, 0)) / 2 - best()[own, other, total])
    assert np.sqrt(np.mean(np.square(errors))) < 0.06
    game = Pig(players=3)
    estimates = [game.evaluate(game.parse_state("50-20-20 1+0"), player) for player in range(3)]
    assert estimates[0] > estimates[1] > estimates[2]
    assert isclose(sum(estimates), 0, abs_tol=1e-12)


@kernel
def wins_of_the_first(game, state, random, games):
    """How many of so many games the first player wins if all play as in playouts."""
    wins = 0
    for _ in range(games):
        now = state
        while not game.is_terminal(now):
            if game.to_move(now) == CHANCE:
                now = game.result(now, 1 + random_below(random, game.sides))
            else:
                now = game.result(now, game.playout_action(now, -1, random))
        wins += game.utility(now, 0) > 0
    return wins


@pytest.mark.compiled
def test_playouts_and_order_hold_at_twenty():
    game = Pig()
    start = game.initial_state()
    rates = chances(100, 6, lambda total: total >= 20)
    games = 20_000
    share = wins_of_the_first(game, start, new_random(1), games) / games
    assert abs(share - rates[0, 0, 0]) < 4 * 0.5 / games**0.5
    for total in range(2, 40):
        position = game.parse_state(f"30-50 0+{total}")
        first = max(legal_actions(game, position), key=lambda action: game.order(position, action))
        assert first == game.playout_action(position, -1, None) == (HOLD if total >= 20 else ROLL)
    assert game.playout_action(game.parse_state("95-50 0+6"), -1, None) == HOLD


# -- texts and refusals -----------------------------------------------------------------------------------------------


def test_pictures():
    game = Pig(players=3)
    assert game.render(game.parse_state("7-0-12 1+3 roll")) == (
        "player 0    7\nplayer 1    0 + 3\nplayer 2   12\nplayer 1 rolls the die"
    )
    assert game.render(game.parse_state("7-0-101 0+0")).splitlines()[-1] == "player 2 wins"
    assert game.parse_action(game.parse_state("7-0-12 1+3"), " H") == HOLD


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "not scores, turn and, while the die rolls, `roll`; such as 0-0 0\\+0"),
        ("0-0 0+0 rolls", "while the die rolls, `roll`"),
        ("0-0-0 0+0", "not a score for each of 2 players"),
        ("0-x 0+0", "not a score for each of 2 players"),
        ("0-0 2+0", "player 2 cannot have the turn; the last player is 1"),
        ("100-0 0+0", "only a player who has just held, and wins, can have 100 or more, at most 105"),
        ("106-0 1+0", "only a player who has just held"),
        ("100-0 1+3", "only a player who has just held"),
        ("0-0 0+1", "no turn of Pig\\(\\) has come to 1 points here"),
        ("50-0 0+60", "no turn"),
        ("50-0 0+50 roll", "no turn"),
    ],
)
def test_bad_texts(text, wrong):
    with pytest.raises(RulesError, match=wrong):
        Pig().parse_state(text)


@pytest.mark.parametrize("arguments", [(1,), (1001,), (100, 1), (100, 61), (100, 6, 1), (100, 6, 6)])
def test_parameters_out_of_range(arguments):
    with pytest.raises(RulesError, match="must be a whole number from"):
        Pig(*arguments)
