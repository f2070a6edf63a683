"""What the tests of the benchmarks share."""

from benchmarks.common import Plan
from outplay.games import Nim

QUICK = Plan(quick=True, repeat=1)

COUNTDOWN = '''
from outplay import Game

class Countdown(Game):
    """Take 1 or 2; who takes the last one wins."""
    compiled = False
    utilities = (-1, 1)
    def __init__(self, start=5):
        self.start = start
    def initial_state(self):
        return (self.start, 0)
    def to_move(self, state):
        return state[1]
    def actions(self, state):
        for taken in (1, 2):
            if taken <= state[0]:
                yield taken
    def result(self, state, taken):
        return (state[0] - taken, 1 - state[1])
    def is_terminal(self, state):
        return state[0] == 0
    def utility(self, state, player):
        return -1 if state[1] == player else 1
'''


class Heaps(Nim):
    """Interpreted, so that no variant of a search is compiled."""

    compiled = False
