"""Choices made at the same time: Morra. Both show one or more fingers; player 0 wins the sum if it is odd."""

from dataclasses import dataclass

from outplay import Game
from outplay.rules.simultaneous import NOBODY, choice, choose, next_chooser


@dataclass(frozen=True)
class Hands:
    chosen: int
    shown: list
    gain: int


class Morra(Game):
    def __init__(self, fingers=2, rounds=1):
        self.fingers = fingers
        self.rounds = rounds
        self.utilities = (-2 * fingers * rounds, 2 * fingers * rounds)

    def initial_state(self):
        return Hands(NOBODY, [], 0)

    def to_move(self, hands):
        return next_chooser(hands.chosen)

    def actions(self, hands):
        return list(range(1, self.fingers + 1))

    def result(self, hands, fingers):
        chosen = choose(hands.chosen, next_chooser(hands.chosen), fingers)
        if next_chooser(chosen) < 2:
            return Hands(chosen, hands.shown, hands.gain)
        both = choice(chosen, 0), choice(chosen, 1)
        total = sum(both)
        return Hands(chosen=NOBODY, shown=[*hands.shown, both], gain=hands.gain + (total if total % 2 else -total))

    def is_terminal(self, hands):
        return len(hands.shown) == self.rounds

    def utility(self, hands, player):
        return hands.gain if player == 0 else -hands.gain

    def information(self, hands, player):
        return tuple(hands.shown), choice(hands.chosen, player), next_chooser(hands.chosen)
