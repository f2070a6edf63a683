"""A data class with a list of lists of an Enum: checkers, with captures that go on as long as they can."""

import copy
from dataclasses import dataclass
from enum import Enum

from outplay import Game


class Piece(Enum):
    NONE = "."
    RED = "r"
    RED_KING = "R"
    WHITE = "w"
    WHITE_KING = "W"

    @property
    def colour(self):
        return self.name.split("_")[0]

    @property
    def is_king(self):
        return self.name.endswith("KING")


@dataclass
class Board:
    rows: list[list[Piece]]
    red_to_move: bool = True

    def at(self, square):
        row, column = square
        return self.rows[row][column]

    def put(self, square, piece):
        row, column = square
        self.rows[row][column] = piece

    def is_inside(self, square):
        row, column = square
        return 0 <= row < len(self.rows) and 0 <= column < len(self.rows[0])

    def is_mine(self, square):
        colour = "RED" if self.red_to_move else "WHITE"
        return self.at(square).colour == colour

    def is_theirs(self, square):
        return self.at(square) != Piece.NONE and not self.is_mine(square)

    def directions(self, piece):
        if piece.is_king:
            return [(-1, -1), (-1, 1), (1, -1), (1, 1)]
        step = 1 if self.red_to_move else -1
        return [(step, -1), (step, 1)]

    def jumps(self, path):
        """All ways on from the end of a path, as far as they go."""
        row, column = path[-1]
        found = []
        for down, right in self.directions(self.at(path[-1])):
            over, end = (row + down, column + right), (row + 2 * down, column + 2 * right)
            if self.is_inside(end) and self.is_theirs(over) and self.at(end) == Piece.NONE:
                after = copy.deepcopy(self)
                after.move([path[-1], end])
                found.extend(after.jumps([*path, end]))
        if not found and len(path) > 1:
            found.append(path)
        return found

    def squares(self):
        return [(row, column) for row in range(len(self.rows)) for column in range(len(self.rows[0]))]

    def moves(self):
        mine = [square for square in self.squares() if self.is_mine(square)]
        captures = [path for square in mine for path in self.jumps([square])]
        if captures:
            return captures
        steps = []
        for row, column in mine:
            for down, right in self.directions(self.at((row, column))):
                end = (row + down, column + right)
                if self.is_inside(end) and self.at(end) == Piece.NONE:
                    steps.append([(row, column), end])
        return steps

    def move(self, path):
        """Move a piece along a path, and take what it jumps over."""
        piece = self.at(path[0])
        self.put(path[0], Piece.NONE)
        for (row, column), (to_row, to_column) in zip(path, path[1:]):
            if abs(to_row - row) == 2:
                self.put(((row + to_row) // 2, (column + to_column) // 2), Piece.NONE)
        self.put(path[-1], piece)

    def make(self, path):
        self.move(path)
        last = len(self.rows) - 1 if self.red_to_move else 0
        if path[-1][0] == last:
            self.put(path[-1], Piece.RED_KING if self.red_to_move else Piece.WHITE_KING)
        self.red_to_move = not self.red_to_move


class Checkers(Game):
    utilities = (-1, 1)
    repetition = "draw"

    def __init__(self, size=8, filled=3):
        self.size = size
        self.filled = filled

    def initial_state(self):
        rows = [[Piece.NONE] * self.size for _ in range(self.size)]
        for row in range(self.size):
            for column in range(self.size):
                if (row + column) % 2 == 1 and row < self.filled:
                    rows[row][column] = Piece.RED
                elif (row + column) % 2 == 1 and row >= self.size - self.filled:
                    rows[row][column] = Piece.WHITE
        return Board(rows)

    def to_move(self, board):
        return 0 if board.red_to_move else 1

    def actions(self, board):
        return list(range(len(board.moves())))

    def result(self, board, action):
        path = board.moves()[action]
        board = copy.deepcopy(board)
        board.make(path)
        return board

    def is_terminal(self, board):
        return not board.moves()

    def utility(self, board, player):
        return -1 if player == self.to_move(board) else 1

    def action_name(self, board, action):
        path = board.moves()[action]
        return "x".join("abcdefgh"[column] + str(row + 1) for row, column in path)

    def render(self, board):
        return "\n".join(" ".join(piece.value for piece in row) for row in board.rows)
