"""m,n,k-games: k of one's own in a row win, as in tic-tac-toe and five in a row.

The board has m columns and n rows. Two players in turn mark an empty square; the first to have k marks in a row,
upright, level or slanting, wins, and a full board without such a row is a draw. More than k in a row win too. With
`gravity` a player chooses a column and the mark falls to the lowest empty square in it, as in Connect Four.

Squares are numbered row by row from the bottom left corner, and named as on a chess board. With m = 4 and n = 3:

    3   8  9 10 11
    2   4  5  6  7
    1   0  1  2  3
        a  b  c  d
"""

from string import ascii_lowercase
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.game import Game
from outplay.games._parameters import whole_number
from outplay.games._pictures import DISCS, grid, outcome

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
"""Right and up to the next square of a level, an upright and the two slanting rows."""


class Board(NamedTuple):
    """The marks on the board, and the last of them, the only one that can have completed a row."""

    marks: NDArray[np.int8]  # int8 [m * n]: 0 empty, 1 player 0, 2 player 1
    filled: int  # how many marks there are
    last: int  # the square of the last mark; -1 before the first


class MNK(Game):
    """The m,n,k-game on a board of m columns and n rows, with or without gravity.

    >>> game = MNK(4, 3, 3)
    >>> board = game.initial_state()
    >>> for square in "b2", "c1", "a1":
    ...     board = game.result(board, game.parse_action(board, square))
    >>> print(game.render(board))
    3 . . . .
    2 . X . .
    1 X . O .
      a b c d
    O to move
    """

    utilities = (-1, 1)

    def __init__(self, m: int = 3, n: int = 3, k: int = 3, gravity: bool = False) -> None:
        self.m = whole_number("m", m, 1, 26)
        self.n = whole_number("n", n, 1, 26)
        self.k = whole_number("k", k, 1, max(m, n))
        self.gravity = bool(gravity)
        self.rows = self._rows()  # int64 [rows, k]: the squares of every row of k
        self.images = self._images()  # int64 [8, m * n]: the square that each square becomes

    def initial_state(self) -> Board:
        return Board(np.zeros(self.m * self.n, np.int8), 0, -1)

    def to_move(self, board: Board) -> int:
        return board.filled % 2

    def actions(self, board: Board) -> NDArray[np.int64]:
        top = board.marks[-self.m :]
        free = np.flatnonzero((top if self.gravity else board.marks) == 0)
        return free[:0] if self.has_row(board) else free

    def result(self, board: Board, action: int) -> Board:
        square = int(action)
        if self.gravity:
            while board.marks[square] != 0:
                square += self.m
        marks = board.marks.copy()
        marks[square] = 1 + board.filled % 2
        return Board(marks, board.filled + 1, square)

    def is_terminal(self, board: Board) -> bool:
        return board.filled == self.m * self.n or self.has_row(board)

    def utility(self, board: Board, player: int) -> int:
        if not self.has_row(board):
            return 0
        return -1 if self.to_move(board) == player else 1

    def has_row(self, board: Board) -> bool:
        """Whether the last mark is one of k in a row."""
        if board.last < 0:
            return False
        for right, up in DIRECTIONS:
            in_row = 1
            for way in (-1, 1):
                column, row = board.last % self.m + way * right, board.last // self.m + way * up
                while 0 <= column < self.m and 0 <= row < self.n:
                    if board.marks[row * self.m + column] != board.marks[board.last]:
                        break
                    in_row += 1
                    column, row = column + way * right, row + way * up
            if in_row >= self.k:
                return True
        return False

    def evaluate(self, board: Board, player: int) -> float:
        """Compares the rows that each player can still complete; every mark in a row makes it worth four times more."""
        mine = theirs = 0.0
        for row in self.rows:
            own = other = 0
            for square in row:
                own += board.marks[square] == 1 + player
                other += board.marks[square] == 2 - player
            if other == 0:
                mine += 4.0**own
            if own == 0:
                theirs += 4.0**other
        return (mine - theirs) / (mine + theirs + 1)

    def order(self, board: Board, action: int) -> float:
        """The nearer to the centre the better."""
        sideways = abs(2 * (action % self.m) - self.m + 1)
        upwards = 0 if self.gravity else abs(2 * (action // self.m) - self.n + 1)
        return -float(sideways + upwards)

    def key(self, board: Board) -> NDArray[np.int8]:
        return board.marks

    def symmetries(self, board: Board) -> tuple[Board, ...]:
        """The board turned and mirrored in all eight ways; one that is not square, or has gravity, repeats itself."""
        return (
            board,
            self.image(board, 1),
            self.image(board, 2),
            self.image(board, 3),
            self.image(board, 4),
            self.image(board, 5),
            self.image(board, 6),
            self.image(board, 7),
        )

    def image(self, board: Board, number: int) -> Board:
        """The board under one of its symmetries."""
        becomes = self.images[number]
        marks = np.empty_like(board.marks)
        marks[becomes] = board.marks
        return Board(marks, board.filled, int(becomes[board.last]) if board.last >= 0 else -1)

    def render(self, board: Board) -> str:
        symbols = ["." if mark == 0 else DISCS[mark - 1] for mark in board.marks]
        rows = [[row + 1, *symbols[row * self.m : (row + 1) * self.m]] for row in reversed(range(self.n))]
        names: list[object] = ["", *ascii_lowercase[: self.m]]
        if self.gravity:
            rows, names = [row[1:] for row in rows], [*range(1, self.m + 1)]
        return f"{grid([*rows, names])}\n{outcome(self, board, DISCS)}"

    def action_name(self, board: Board, action: int) -> str:
        if self.gravity:
            return str(action + 1)
        return f"{ascii_lowercase[action % self.m]}{action // self.m + 1}"

    def parse_action(self, board: Board, text: str) -> int:
        """The action that `text` names, in small or capital letters."""
        return super().parse_action(board, text.strip().lower())

    def _rows(self) -> NDArray[np.int64]:
        rows = []
        for right, up in DIRECTIONS:
            for first in range(self.m * self.n):
                column, row = first % self.m + (self.k - 1) * right, first // self.m + (self.k - 1) * up
                if 0 <= column < self.m and 0 <= row < self.n:
                    rows.append([first + i * (up * self.m + right) for i in range(self.k)])
        return np.array(rows, np.int64)

    def _images(self) -> NDArray[np.int64]:
        board = np.arange(self.m * self.n, dtype=np.int64).reshape(self.n, self.m)
        images = [board, board[:, ::-1]]
        if not self.gravity:
            images += [image[::-1] for image in images]
            if self.m == self.n:
                images += [image.T for image in images]
        return np.array([image.ravel() for image in images] * (8 // len(images)))


class TicTacToe(MNK):
    """Tic-tac-toe, or noughts and crosses: three in a row on a board of 3 x 3 squares.

    >>> print(TicTacToe().render(TicTacToe().initial_state()))
    3 . . .
    2 . . .
    1 . . .
      a b c
    X to move
    """

    def __init__(self) -> None:
        super().__init__(3, 3, 3)
