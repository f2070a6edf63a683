"""Games of hidden cards and dice against OpenSpiel: the same trees, chances, payoffs and information sets."""

import random
from math import isclose

import pytest
from conftest import rows

from outplay import CHANCE, legal_actions
from outplay.games import KuhnPoker, LeducPoker, LiarsDice

GAMES = {
    "kuhn": KuhnPoker(),
    "kuhn-3": KuhnPoker(3),
    "kuhn-4": KuhnPoker(4),
    "leduc": LeducPoker(),
    "leduc-ranks": LeducPoker(suits=False),
    "liars-dice": LiarsDice(),
    "liars-dice-2x3": LiarsDice(2, 3),
    "liars-dice-5x6": LiarsDice(5, 6),
}
each_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


class Comparison:
    """A walk through a game and OpenSpiel's game `name` side by side.

    `number(state)`: our numbers of what can be played in OpenSpiel's state, each with its action there.
    """

    def __init__(self, game, name, number=lambda state: {action: action for action in state.legal_actions()}):
        self.game, self.number = game, number
        self.theirs = pytest.importorskip("pyspiel").load_game(name)
        self.histories = 0
        self.sets = {}  # OpenSpiel's text by (player, information)

    def step(self, state, position):
        """Compare two states that are the same; our actions and theirs."""
        game = self.game
        self.histories += 1
        assert game.is_terminal(position) == state.is_terminal()
        if state.is_terminal():
            assert state.returns() == pytest.approx([game.utility(position, each) for each in range(game.players)])
            return {}
        mover, found = game.to_move(position), self.number(state)
        assert mover == state.current_player()
        assert sorted(legal_actions(game, position)) == sorted(found)
        if mover == CHANCE:
            odds = dict(state.chance_outcomes())
            assert all(isclose(game.probability(position, ours), odds[its]) for ours, its in found.items())
        else:
            text = state.information_state_string(mover)
            assert self.sets.setdefault((mover, game.information(position, mover)), text) == text
        return found

    def walk(self, state, position):
        """The whole tree below."""
        for ours, its in self.step(state, position).items():
            self.walk(state.child(its), self.game.result(position, ours))

    def play(self, games):
        """So many random games."""
        dice = random.Random(1)
        for _ in range(games):
            state, position = self.theirs.new_initial_state(), self.game.initial_state()
            while found := self.step(state, position):
                ours, its = dice.choice(list(found.items()))
                state.apply_action(its)
                position = self.game.result(position, ours)

    def whole(self):
        """Histories and information sets, after the whole tree has been compared."""
        self.walk(self.theirs.new_initial_state(), self.game.initial_state())
        self.is_one_to_one()
        return self.histories, len(self.sets)

    def is_one_to_one(self):
        """No two of our information sets are one there; `step` has seen to the other way round."""
        assert len({(mover, text) for (mover, _), text in self.sets.items()}) == len(self.sets)


WHOLE = {
    "kuhn": (KuhnPoker(), "kuhn_poker", 58, 12),
    "kuhn-3": (KuhnPoker(3), "kuhn_poker(players=3)", 617, 48),
    "kuhn-4": (KuhnPoker(4), "kuhn_poker(players=4)", 7926, 160),
    "leduc": (LeducPoker(), "leduc_poker", 9457, 936),
    "leduc-ranks": (LeducPoker(suits=False), "leduc_poker(suit_isomorphism=true)", 1939, 288),
    "liars-dice-1x2": (LiarsDice(1, 2), "liars_dice(dice_sides=2)", 127, 32),
    "liars-dice-1x3": (LiarsDice(1, 3), "liars_dice(dice_sides=3)", 1147, 192),
    "liars-dice-2x2": (LiarsDice(2, 2), "liars_dice(numdice=2,dice_sides=2)", 8191, 768),
}


@pytest.mark.parametrize(("game", "name", "histories", "sets"), rows(WHOLE))
def test_the_whole_tree_is_that_of_openspiel(game, name, histories, sets):
    assert Comparison(game, name).whole() == (histories, sets)


def test_random_games_of_liars_dice():
    for dice, sides in (1, 6), (2, 6), (5, 6):
        comparison = Comparison(LiarsDice(dice, sides), f"liars_dice(numdice={dice},dice_sides={sides})")
        comparison.play(300)
        comparison.is_one_to_one()
