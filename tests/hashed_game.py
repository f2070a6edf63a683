"""Random games without end: the rules are a hash of the state, so one compiled class is as many games as seeds.

Different actions may lead to the same state, players may move twice in a row, trees end early or late, and utilities
are win, draw and loss, margins, or any floats, as the seed has it.
"""

from typing import NamedTuple

from outplay import Game


class Seeded(NamedTuple):
    seed: int
    ply: int
    x: int


def scramble(seed: int, ply: int, x: int, salt: int) -> int:
    h = (seed * 26544357 + ply * 40503 + x * 73244475 + salt * 83492791) & 0xFFFFFFFF
    h = ((h ^ h >> 15) * 73244475) & 0xFFFFFFFF
    h = ((h ^ h >> 13) * 83492791) & 0xFFFFFFFF
    return h ^ h >> 16


class Hashed(Game):
    def initial_state(self):
        return Seeded(1, 0, 0)

    def to_move(self, state):
        if state.seed % 5 == 0:
            return 0  # a game for one
        if state.seed % 5 == 1:
            return state.ply % 2
        return scramble(state.seed, state.ply, state.x, 1) % 2

    def actions(self, state):
        count = 1 + scramble(state.seed, state.ply, state.x, 2) % 4
        for action in range(count):
            yield action * 3

    def result(self, state, action):
        return Seeded(state.seed, state.ply + 1, scramble(state.seed, state.ply, state.x, 10 + action) % 5)

    def is_terminal(self, state):
        if state.ply == 0:
            return False
        return state.ply >= 3 + state.seed % 4 or scramble(state.seed, state.ply, state.x, 3) % 6 == 0

    def utility(self, state, player):
        h = scramble(state.seed, state.ply, state.x, 4)
        kind = state.seed % 3
        value = float(h % 3 - 1) if kind == 0 else (h % 13 - 6) / 2 if kind == 1 else (h - 2147483648.0) / 1e9
        return value if player == 0 else -value

    def evaluate(self, state, player):
        value = (scramble(state.seed, state.ply, state.x, 5) % 1000 - 500) / 1000
        return value if player == 0 else -value

    def order(self, state, action):
        return scramble(state.seed, state.ply, state.x, 20 + action) % 7


class WinLossHashed(Hashed):
    """Only wins and losses (and draws), and says so: a search may stop at a sure win."""

    utilities = (-1, 1)

    def utility(self, state, player):
        value = float(scramble(state.seed, state.ply, state.x, 4) % 3 - 1)
        return value if player == 0 else -value


class Hinted(WinLossHashed):
    """Sees a ply ahead, and leaves out actions that lose at once."""

    foresight = 1

    def foresee(self, state):
        lost = True
        for action in self.actions(state):
            child = self.result(state, action)
            if not self.is_terminal(child):
                lost = False
            elif self.utility(child, self.to_move(state)) > 0:
                return 1, 1
            elif self.utility(child, self.to_move(state)) == 0:
                lost = False
        return (-1, 1) if lost else (0, 0)

    def candidates(self, state):
        for action in self.actions(state):
            child = self.result(state, action)
            if not self.is_terminal(child) or self.utility(child, self.to_move(state)) >= 0:
                yield action


class Lonely(Hashed):
    """For one player, who has more to lose than to win."""

    players = 1
    utilities = (-3, 1)

    def to_move(self, state):
        return 0

    def utility(self, state, player):
        return scramble(state.seed, state.ply, state.x, 4) % 5 - 3

    def evaluate(self, state, player):
        return (scramble(state.seed, state.ply, state.x, 5) % 1000) / 1000 * 3.5 - 2.8


def better(a, b):
    """Whether (value, plies to the end) a is better than b for the player whose value it is."""
    if a[0] != b[0]:
        return a[0] > b[0]
    return a[1] < b[1] if a[0] > 0 else a[1] > b[1] if a[0] < 0 else False


def twin(game, state, player, depth=99):
    """Minimax as obvious as can be: the (value, plies to the end) of `state` for `player`."""
    if game.is_terminal(state):
        return game.utility(state, player), 0
    if depth == 0:
        return game.evaluate(state, player), 0
    mover = game.to_move(state)
    best = None
    for action in game.actions(state):
        value, plies = twin(game, game.result(state, action), mover, depth - 1)
        if best is None or better((value, plies + 1), best):
            best = value, plies + 1
    return best if mover == player else (-best[0], best[1])
