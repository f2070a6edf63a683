"""The smallest game with all that rules need, from which tests derive variants."""

from typing import NamedTuple

from outplay import Game


class State(NamedTuple):
    left: int
    turn: int


class Countdown(Game):
    """Take 1 or 2; who takes the last one wins."""

    def __init__(self, start=5):
        self.start = start

    def initial_state(self):
        return State(self.start, 0)

    def to_move(self, state):
        return state.turn

    def actions(self, state):
        for taken in (1, 2):
            if taken <= state.left:
                yield taken

    def result(self, state, action):
        return State(state.left - action, 1 - state.turn)

    def is_terminal(self, state):
        return state.left == 0

    def utility(self, state, player):
        return -1 if state.turn == player else 1
