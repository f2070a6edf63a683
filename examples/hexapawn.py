"""Hexapawn, the smallest chess: an example of your own game, from its rules to its solution.

Two rows of pawns face each other. A pawn moves one square straight ahead if that is empty, or captures a pawn of the
opponent one square diagonally ahead. You win by bringing a pawn to the other side, or by leaving your opponent without
a move; in either case the player who moved last wins. (Martin Gardner, Scientific American, March 1962.)

    3  b b b        3  6 7 8
    2  . . .        2  3 4 5    Squares are numbered row by row. A set of squares is one int, in which bit 4 stands
    1  w w w        1  0 1 2    for square 4, so that `pawns >> 4 & 1` says whether there is a pawn on it.
       a b c           a b c

Try it:  python examples/hexapawn.py 4 5   (columns and rows)
"""

# ruff: noqa: D102 - the rules of every game are documented on `Game`

import sys
from collections.abc import Iterator
from string import ascii_lowercase as letters
from typing import NamedTuple

from outplay import AlphaBeta, Game, check_game
from outplay.rules.bits import squares


class Board(NamedTuple):
    """A state of the game: everything that matters for the rest of it."""

    mine: int  # set of squares: pawns of the player to move
    theirs: int  # set of squares: pawns of the opponent
    turn: int  # the player to move: 0 is White, 1 is Black


class Hexapawn(Game):
    """Hexapawn on a board of any size up to 63 squares."""

    utilities = (-1, 1)  # nothing is better than a win, so a search may stop at the first one

    def __init__(self, columns: int = 3, rows: int = 3) -> None:
        self.columns, self.rows, self.size = columns, rows, columns * rows
        first_row = (1 << columns) - 1
        self.homes = (first_row, first_row << self.size - columns)

    def initial_state(self) -> Board:
        return Board(self.homes[0], self.homes[1], 0)

    def to_move(self, board: Board) -> int:
        return board.turn

    def actions(self, board: Board) -> Iterator[int]:
        if board.theirs & self.homes[board.turn]:
            return  # a pawn has reached the other side: the game is over
        ahead = self.columns if board.turn == 0 else -self.columns
        for square in squares(board.mine):
            for aside in (-1, 0, 1):
                to = square + ahead + aside
                allowed = board.theirs if aside else ~(board.mine | board.theirs)
                if 0 <= square % self.columns + aside < self.columns and allowed >> to & 1:
                    yield square * self.size + to  # an action is a number: here it encodes two squares

    def result(self, board: Board, action: int) -> Board:
        square, to = divmod(action, self.size)
        moved = board.mine ^ (1 << square | 1 << to)
        return Board(board.theirs & ~(1 << to), moved, 1 - board.turn)  # the opponent's pawns are "mine" now

    def is_terminal(self, board: Board) -> bool:
        for _ in self.actions(board):
            return False
        return True

    def utility(self, board: Board, player: int) -> int:
        return -1 if player == board.turn else 1  # the player who moved last has won

    # Only for people; the methods above are enough to solve and play the game.

    def render(self, board: Board) -> str:
        white, black = (board.mine, board.theirs) if board.turn == 0 else (board.theirs, board.mine)
        marks = ["w" if white >> square & 1 else "b" if black >> square & 1 else "." for square in range(self.size)]
        rows = [f"{row + 1}  {' '.join(marks[row * self.columns :][: self.columns])}" for row in range(self.rows)]
        return "\n".join([*reversed(rows), f"   {' '.join(letters[: self.columns])}"])

    def action_name(self, board: Board, action: int) -> str:
        return "".join(f"{letters[at % self.columns]}{at // self.columns + 1}" for at in divmod(action, self.size))


if __name__ == "__main__":
    game = Hexapawn(*map(int, sys.argv[1:]))
    print(check_game(game, seconds=1))
    print(game.render(game.initial_state()))
    print(AlphaBeta(game).search())
