"""Random games with hidden information and perfect recall: the rules are a hash of a seed, and small enough to unroll.

What happened is known in full to the state alone. A player knows his own actions and, ply by ply, a signal of one bit;
what he may do follows from what he knows. Chance moves here and there, and the game may end early.
"""

from typing import NamedTuple

from outplay import CHANCE, Game, legal_actions
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import random_below
from shared.hashed_game import scramble


class Secretive(NamedTuple):
    ply: int
    x: int
    views: tuple[int, int, int]


class Secret(Game):
    compiled = False

    def __init__(self, seed=1, players=2):
        self.seed, self.players = seed, players
        self.zero_sum = players == 2

    def initial_state(self):
        return Secretive(0, 0, (0, 0, 0))

    def to_move(self, state):
        mover = scramble(self.seed, state.ply, 0, 1) % (self.players + 1)
        return CHANCE if state.ply == 0 or mover == self.players else mover

    def actions(self, state):
        mover = self.to_move(state)
        known = 0 if mover == CHANCE else state.views[mover]
        for action in range(1 + (mover == CHANCE) + scramble(self.seed, state.ply, known, 2) % 3):
            yield action * 3

    def probability(self, state, action):
        return (action + 1) / sum(other + 1 for other in self.actions(state))

    def result(self, state, action):
        mover, x = self.to_move(state), scramble(self.seed, state.ply, state.x, 10 + action) % 1000
        views = []
        for player in range(3):
            seen = 10 + action if player == mover else scramble(self.seed, state.ply, x, 30 + player) % 4 == 0
            views.append(scramble(self.seed, state.ply, state.views[player], 50 + seen))
        return Secretive(state.ply + 1, x, (views[0], views[1], views[2]))

    def is_terminal(self, state):
        if state.ply < 2:
            return False
        return state.ply >= 4 + self.seed % 3 or scramble(self.seed, state.ply, state.x, 3) % 7 == 0

    def utility(self, state, player):
        if self.players > 2:
            return (scramble(self.seed, state.ply, state.x, 60 + player) % 13 - 6) / 2
        value = float(scramble(self.seed, state.ply, state.x, 4) % 13 - 6) / 2
        return value if player == 0 else -value

    def information(self, state, player):
        return (state.ply, state.views[player])

    def evaluate(self, state, player):
        value = (scramble(self.seed, state.ply, state.x, 5) % 1000 - 500) / 1000
        return value if player == 0 or self.players > 2 else -value

    def playout_action(self, state, last, random):
        actions = list(self.actions(state))
        first, second = random_below(random, len(actions)), random_below(random, len(actions))
        return actions[max(first, second) if last % 2 else min(first, second)]


class Bounded(Secret):
    """Says within what its utilities lie."""

    utilities = (-3, 3)


class Dealt(Secret):
    """Draws states that look the same by itself."""

    def determinize(self, state, player, random):
        while True:
            other = self.initial_state()
            while other.ply < state.ply and not self.is_terminal(other):
                other = self.result(other, random_action(self, other, random))
            if self.information(other, player) == self.information(state, player) and not self.is_terminal(other):
                return other


def states_of(game):
    """Every state that is not terminal and in which a player is to move, with the states before it."""
    found, waiting = [], [(game.initial_state(), ())]
    while waiting:
        state, history = waiting.pop()
        if game.is_terminal(state):
            continue
        if game.to_move(state) != CHANCE:
            found.append((state, history))
        waiting += [(game.result(state, action), (*history, state)) for action in legal_actions(game, state)]
    return found
