"""Phantom tic-tac-toe: three in a row on a board where neither player sees the marks of the other.

A player who tries an occupied square learns that it is occupied and tries another; with `abrupt` the turn is lost
instead. The rules are those of OpenSpiel's `phantom_ttt` (Lanctot et al., "OpenSpiel: A Framework for Reinforcement
Learning in Games", 2019). The common part of phantom games is in `_phantom.py`. Squares are numbered and named as on a
chess board:

    3  6 7 8
    2  3 4 5
    1  0 1 2
       a b c
"""

from outplay.games._phantom import Board, PhantomGame
from outplay.games._pictures import grid
from outplay.rules.board import Picture, Piece, square_board

LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
"""The squares of the eight rows, an octal digit for each row of the board."""


class PhantomTicTacToe(PhantomGame):
    """Phantom tic-tac-toe; an action is a square to try, such as `b2`.

    `reveal`: what players are told about the opponent, "nothing" or the number of "attempts", turn by turn. With
    `abrupt`, a player who tries an occupied square loses the turn.

    >>> game = PhantomTicTacToe()
    >>> board = game.initial_state()
    >>> for square in "b2", "b2", "a1", "a3":
    ...     board = game.result(board, game.parse_action(board, square))
    >>> print(game.render(board))
    3 X . .
    2 . X .
    1 O . .
      a b c
    X has tried b2 a3
    O has tried b2! a1
    O to move
    >>> game.information_text(board, 1)
    '.../.X./O.. O: b2! a1'
    """

    rows = columns = 3
    top_first = False

    def __init__(self, reveal: str = "nothing", abrupt: bool = False) -> None:
        super().__init__(9, reveal, abrupt)

    def has_won(self, stones: int, player: int) -> bool:
        for line in LINES:  # noqa: SIM110 - generator expressions do not compile
            if stones & line == line:
                return True
        return False

    def picture(self, board: Board) -> Picture:
        """The marks of both players, although neither sees those of the other."""
        stones, text = self.stones_and_text(board, (Piece("X", 0), Piece("O", 1)))
        return square_board(3, 3, stones, text, bottom_first=True, row_names="123", column_names="abc")

    def drawn_board(self, board: Board) -> list[str]:
        rows = self.drawn_rows(*board.stones)
        return grid([[3 - i, *row] for i, row in enumerate(rows)] + [["", *"abc"]]).splitlines()
