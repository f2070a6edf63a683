"""Ataxx-like flipping on a small board, with a class `Board` that holds lists at first and an array later."""

# ruff: noqa: C417, RET503, RUF012

import numpy as np

from outplay import Game


class Board:
    __directions = [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1)]

    def __init__(self, n):
        self.n = n
        self.cells = [None] * self.n
        for i in range(self.n):
            self.cells[i] = [0] * self.n
        self.cells[0][0] = 1
        self.cells[int(self.n / 2)][self.n - 1] = -1

    def __getitem__(self, index):
        return self.cells[index]

    def legal(self, colour):
        moves = set()
        for y in range(self.n):
            for x in range(self.n):
                if self[x][y] == colour:
                    more = self.from_square((x, y))
                    moves.update(more)
        return list(moves)

    def has_legal(self, colour):
        for y in range(self.n):
            for x in range(self.n):
                if self[x][y] == colour:
                    more = self.from_square((x, y))
                    if len(more) > 0:
                        return True
        return False

    def from_square(self, square):
        (x, y) = square
        colour = self[x][y]
        if colour == 0:
            return None
        moves = []
        for direction in self.__directions:
            move = self._end(square, direction, -colour)
            if move:
                moves.append(move)
        return moves

    def _end(self, origin, direction, other):
        passed = []
        for x, y in Board._line(origin, direction, self.n):
            if self[x][y] == 0:
                return (x, y)
            if passed:
                return None
            if self[x][y] == other:
                passed.append((x, y))

    def _flips(self, move, direction, colour):
        flips = [move]
        for x, y in Board._line(move, direction, self.n):
            if self[x][y] == 0:
                return []
            if self[x][y] == -colour:
                flips.append((x, y))
            elif self[x][y] == colour:
                return flips
        return []

    def put(self, move, colour):
        (x, y) = move
        assert self[x][y] == 0
        flips = [flip for direction in self.__directions for flip in self._flips(move, direction, colour)]
        self[x][y] = colour
        for x, y in flips:
            self[x][y] = colour

    def difference(self, colour):
        return sum(int(cell == colour) - int(cell == -colour) for row in self.cells for cell in row)

    @staticmethod
    def _line(move, direction, n):
        move = list(map(sum, zip(move, direction)))
        while all(map(lambda x: 0 <= x < n, move)):
            yield move
            move = list(map(sum, zip(move, direction)))


class Spreading(Game):
    def __init__(self, n=3):
        self.n = n

    def board(self, cells):
        b = Board(self.n)
        b.cells = np.copy(cells)
        return b

    def initial_state(self):
        b = Board(self.n)
        return (np.array(b.cells), 1)

    def to_move(self, state):
        return 0 if state[1] == 1 else 1

    def valid(self, cells, player):
        valid = [0] * (self.n * self.n + 1)
        b = self.board(cells)
        moves = b.legal(player)
        if len(moves) == 0:
            valid[-1] = 1
            return np.array(valid)
        for x, y in moves:
            valid[self.n * x + y] = 1
        return np.array(valid)

    def actions(self, state):
        cells, player = state
        return np.flatnonzero(self.valid(cells, player))

    def result(self, state, action):
        cells, player = state
        if action == self.n * self.n:
            return (cells, -player)
        b = Board(self.n)
        b.cells = np.copy(cells)
        b.put((int(action / self.n), action % self.n), player)
        return (b.cells, -player)

    def ended(self, cells, player):
        b = self.board(cells)
        if b.has_legal(player) or b.has_legal(-player):
            return 0
        if b.difference(player) > 0:
            return 1
        return -1 if b.difference(player) < 0 else 1e-4

    def is_terminal(self, state):
        return self.ended(*state) != 0

    def utility(self, state, player):
        ended = self.ended(state[0], 1)
        return ended if player == 0 else -ended
