"""Three in a row by dropping stones, with an object that makes boards as attribute of the game."""

# ruff: noqa: UP031

from collections import namedtuple

import numpy as np

from outplay import Game

WIDTH, HEIGHT = 4, 3
End = namedtuple("End", "is_over winner")


class Drop:
    def __init__(self, height=None, width=None, line=None, cells=None):
        self.height = height or HEIGHT
        self.width = width or WIDTH
        self.line = line or 3
        if cells is None:
            self.cells = np.zeros([self.height, self.width], dtype=int)
        else:
            self.cells = cells
            assert self.cells.shape == (self.height, self.width)

    def add(self, column, player):
        (free,) = np.where(self.cells[:, column] == 0)
        if len(free) == 0:
            raise ValueError("column %s of %s is full" % (column, self))
        self.cells[free[-1]][column] = player

    def valid(self):
        return self.cells[0] == 0

    def end(self):
        for player in [-1, 1]:
            own = self.cells == -player
            if self._straight(own) or self._straight(own.transpose()) or self._diagonal(own):
                return End(True, -player)
        if not self.valid().any():
            return End(True, None)
        return End(False, None)

    def with_cells(self, cells):
        if cells is None:
            cells = self.cells
        return Drop(self.height, self.width, self.line, cells)

    def _diagonal(self, own):
        n = self.line
        for i in range(len(own) - n + 1):
            for j in range(len(own[0]) - n + 1):
                if all(own[i + x][j + x] for x in range(n)):
                    return True
            for j in range(n - 1, len(own[0])):
                if all(own[i + x][j - x] for x in range(n)):
                    return True
        return False

    def _straight(self, own):
        lengths = [own[:, i : i + self.line].sum(axis=1) for i in range(len(own) - self.line + 2)]
        return max([x.max() for x in lengths]) >= self.line


class Dropping(Game):
    def __init__(self, height=None, width=None):
        Game.__init__(self)
        self._base = Drop(height, width)

    def initial_state(self):
        return (self._base.cells, 1)

    def to_move(self, state):
        return 0 if state[1] == 1 else 1

    def actions(self, state):
        return np.flatnonzero(self._base.with_cells(cells=state[0]).valid())

    def result(self, state, action):
        cells, player = state
        b = self._base.with_cells(cells=np.copy(cells))
        b.add(action, player)
        return (b.cells, -player)

    def ended(self, cells, player):
        end = self._base.with_cells(cells=cells).end()
        if end.is_over:
            if end.winner is None:
                return 1e-4
            if end.winner == player:
                return +1
            if end.winner == -player:
                return -1
            raise ValueError("unexpected: ", end)
        return 0

    def is_terminal(self, state):
        return self.ended(*state) != 0

    def utility(self, state, player):
        ended = self.ended(state[0], 1)
        return ended if player == 0 else -ended
