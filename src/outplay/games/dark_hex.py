"""Dark Hex: Hex where neither player sees the stones of the other, on boards of at most 20 cells.

Player 0 (X) wants a chain of stones from the top to the bottom, player 1 (O) from the left to the right. A player who
tries an occupied cell learns that it is occupied and tries another; with `abrupt` the turn is lost instead. The rules
are those of OpenSpiel's `dark_hex` (Bedir Tapkan, 2021), whose versions are called `cdh` and `adh`. The common part of
phantom games is in `_phantom.py`. Cells are numbered and named as in `hex.py`, here on 4 columns and 3 rows:

      a b c d
    1  0 1 2 3
     2  4 5 6 7
      3  8 9 10 11
"""

from string import ascii_lowercase

from outplay.games._parameters import whole_number
from outplay.games._phantom import MAX_CELLS, Board, PhantomGame
from outplay.games._pictures import ROUND, hex_picture
from outplay.rules.board import Picture
from outplay.rules.errors import RulesError


class DarkHex(PhantomGame):
    """Dark Hex; an action is a cell to try, such as `b3`.

    `reveal`: what players are told about the opponent, "nothing" or the number of "attempts", turn by turn. With
    `abrupt`, a player who tries an occupied cell loses the turn.

    >>> game = DarkHex(3, 3)
    >>> board = game.initial_state()
    >>> for cell in "b2", "b2", "a3", "b1":
    ...     board = game.result(board, game.parse_action(board, cell))
    >>> print(game.render(board))
      a b c
    1 . X .
     2 . X .
      3 O . .
    X has tried b2 b1
    O has tried b2! a3
    O to move
    >>> game.information_text(board, 1)
    '.../.X./O.. O: b2! a3'
    """

    top_first = True

    def __init__(self, columns: int = 3, rows: int = 3, reveal: str = "nothing", abrupt: bool = False) -> None:
        self.columns = whole_number("columns", columns, 1, MAX_CELLS)
        self.rows = whole_number("rows", rows, 1, MAX_CELLS)
        cells = columns * rows
        if cells > MAX_CELLS:
            raise RulesError(f"columns={columns}, rows={rows}: a board has at most {MAX_CELLS} cells")
        super().__init__(cells, reveal, abrupt)
        left = sum(1 << row * columns for row in range(rows))
        top = (1 << columns) - 1
        self.sides = ((top, top << (rows - 1) * columns), (left, left << columns - 1))  # the sides each player connects
        self.not_left, self.not_right = self.all & ~left, self.all & ~(left << columns - 1)

    def has_won(self, stones: int, player: int) -> bool:
        """Whether a chain connects both sides: finds all stones connected with the first side, step by step."""
        start, goal = self.sides[player]
        reached, before = stones & start, 0
        while reached != before:
            if reached & goal:
                return True
            before = reached
            down, up = reached << self.columns, reached >> self.columns
            right = (reached << 1 | up << 1) & self.not_left  # and up to the right
            left = (reached >> 1 | down >> 1) & self.not_right  # and down to the left
            reached |= stones & (down | up | right | left)
        return False

    def picture(self, board: Board) -> Picture:
        """The stones of both players, although neither sees those of the other."""
        return hex_picture(self.rows, self.columns, *self.stones_and_text(board, ROUND))

    def drawn_board(self, board: Board) -> list[str]:
        width = len(str(self.rows))
        rows = [f"{' ' * i}{i + 1:>{width}} {' '.join(row)}" for i, row in enumerate(self.drawn_rows(*board.stones))]
        return [" " * (width + 1) + " ".join(ascii_lowercase[: self.columns]), *rows]
