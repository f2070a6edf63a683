"""A position that makes and unmakes moves in place: Domineering on a board of any size.

Player 0 puts vertical dominoes, player 1 horizontal ones; who cannot move loses.
"""

import copy

import numpy as np

from outplay import Game


class Position:
    def __init__(self, rows, columns):
        self.rows = rows
        self.columns = columns
        self.board = np.zeros((rows, columns), dtype=np.int8)
        self.side = 0
        self.history = []

    def cells(self, move):
        row, column, side = move
        if side == 0:
            return (row, column), (row + 1, column)
        return (row, column), (row, column + 1)

    def make(self, move):
        for row, column in self.cells(move):
            self.board[row, column] = self.side + 1
        self.history.append(move)
        self.side = 1 - self.side

    def unmake(self):
        move = self.history.pop()
        for row, column in self.cells(move):
            self.board[row, column] = 0
        self.side = 1 - self.side

    def moves(self):
        found = []
        down, right = (1, 0) if self.side == 0 else (0, 1)
        for row in range(self.rows - down):
            for column in range(self.columns - right):
                if self.board[row, column] == 0 and self.board[row + down, column + right] == 0:
                    found.append((row, column, self.side))
        return found


class Dominoes(Game):
    utilities = (-1, 1)

    def __init__(self, rows=4, columns=4):
        self.rows = rows
        self.columns = columns

    def initial_state(self):
        return Position(self.rows, self.columns)

    def to_move(self, position):
        return position.side

    def actions(self, position):
        return position.moves()

    def result(self, position, move):
        position = copy.deepcopy(position)
        position.make(move)
        return position

    def is_terminal(self, position):
        return not position.moves()

    def utility(self, position, player):
        return -1 if player == position.side else 1

    def order(self, position, move):
        position = copy.deepcopy(position)
        before = len(position.moves())
        position.make(move)
        replies = len(position.moves())
        position.unmake()
        assert len(position.moves()) == before
        return -replies

    def key(self, position):
        return position.side, position.board
