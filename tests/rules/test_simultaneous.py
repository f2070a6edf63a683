"""Choices made at the same time: the int that holds them against a list, and a game for six written with it."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outplay import Game, check_game, kernel
from outplay.rules.simultaneous import NOBODY, choice, choose, next_chooser


@given(st.lists(st.integers(0, 1022), max_size=6))
def test_choices_are_kept_as_in_a_list(actions):
    chosen = NOBODY
    for player, action in enumerate(actions):
        assert next_chooser(chosen) == player
        chosen = choose(chosen, player, action)
    assert [choice(chosen, player) for player in range(6)] == actions + [-1] * (6 - len(actions))
    assert next_chooser(chosen) == len(actions)
    assert chosen < 2**60


@given(st.permutations(range(6)), st.integers(0, 6))
def test_who_chooses_next_is_the_first_who_has_not(order, number):
    chosen = NOBODY
    for player in order[:number]:
        chosen = choose(chosen, player, player)
    assert next_chooser(chosen) == min(set(range(7)) - set(order[:number]))


@pytest.mark.parametrize(("player", "action"), [(6, 0), (-1, 0), (0, 1023), (0, -1)])
def test_what_has_no_place_is_refused(player, action):
    with pytest.raises(ValueError, match="a player is a number from 0 to 5, an action one from 0 to 1022"):
        choose(NOBODY, player, action)


class Crowd(NamedTuple):
    seen: int  # how many chose 1 in the first round, or -1
    mine: int  # the choices of the first round
    chosen: int


class Minority(Game):
    """Twice all choose 0 or 1 at the same time; then it is told how many chose 1. Who was with fewer gets a point."""

    zero_sum = False

    def __init__(self, players=6, most=2):
        self.players, self.most = players, most

    def initial_state(self):
        return Crowd(-1, NOBODY, NOBODY)

    def to_move(self, crowd):
        return next_chooser(crowd.chosen)

    def actions(self, crowd):
        return range(self.most)

    def result(self, crowd, action):
        chosen = choose(crowd.chosen, next_chooser(crowd.chosen), action)
        if crowd.seen >= 0 or next_chooser(chosen) < self.players:
            return Crowd(crowd.seen, crowd.mine, chosen)
        return Crowd(self.ones(chosen), chosen, NOBODY)

    def ones(self, chosen):
        ones = 0
        for player in range(self.players):
            ones += choice(chosen, player) == 1
        return ones

    def is_terminal(self, crowd):
        return next_chooser(crowd.chosen) == self.players

    def utility(self, crowd, player):
        points = 0
        for chosen in (crowd.mine, crowd.chosen):
            ones = self.ones(chosen)
            points += (ones if choice(chosen, player) == 1 else self.players - ones) * 2 < self.players
        return points

    def information(self, crowd, player):
        return crowd.seen, choice(crowd.mine, player), choice(crowd.chosen, player), next_chooser(crowd.chosen)


@kernel
def played(game, state, action):
    return game.result(state, action)


@pytest.mark.compiled
def test_a_game_for_six_keeps_every_law():
    game = Minority()
    report = check_game(game, playouts=30)
    assert report.ok, report
    assert report.compiled
    state = game.initial_state()
    for action in (0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0):
        state = played(game, state, action)
    assert [game.utility(state, player) for player in range(6)] == [1, 0, 0, 1, 1, 1]
    assert state == Crowd(2, 0b10_0000000010_0000000001_0000000001_0000000001_0000000001, state.chosen)


def test_compiled_rules_are_refused_the_same():
    with pytest.raises(ValueError, match="an action one from 0 to 1022"):
        played(Minority(2, 2000), Minority(2, 2000).initial_state(), 1500)


def test_a_choice_that_is_not_hidden_is_found():
    class Open(Minority):
        compiled = False

        def information(self, crowd, player):
            return crowd

    report = check_game(Open(2), playouts=30)
    assert [failure.law for failure in report.failures] == ["Something is hidden from some player."]
    states = {report.failures[0].state, report.failures[0].other}
    assert states == {f"Crowd(seen=-1, mine=0, chosen={chosen})" for chosen in (1, 2)}
