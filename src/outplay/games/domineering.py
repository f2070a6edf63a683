"""Domineering: the player who cannot lay another domino loses.

Two players in turn lay a domino on two empty squares of the board: player 0 vertically, player 1 horizontally. Göran
Andersson invented the game around 1973; Dennis Breuker, Jos Uiterwijk and Jaap van den Herik solved it on 8 x 8
squares, a win for the first player ("Solving 8 x 8 Domineering", Theoretical Computer Science 230, 2000).

The empty squares are two ints with a bit for each square, row by row from the bottom left corner: the lower half of the
board and the upper half, which has one row less if the number of rows is odd. With 4 columns and 5 rows:

    5   4  5  6  7    upper
    4   0  1  2  3
    3   8  9 10 11    lower
    2   4  5  6  7
    1   0  1  2  3
        a  b  c  d

A domino is identified by its lower or left square; action n lays it on square n of the board, counted from the bottom
left.
"""

from collections.abc import Iterator
from string import ascii_lowercase
from typing import NamedTuple

from outplay.games._parameters import whole_number
from outplay.games._pictures import from_below, grid, on_cells, outcome
from outplay.games._texts import read_board, write_board
from outplay.rules.bits import count, squares
from outplay.rules.board import Picture, Piece, square_board
from outplay.rules.errors import RulesError
from outplay.rules.game import Game

TURNS = "vh"
NAMES = ("vertical", "horizontal")


class Position(NamedTuple):
    """The empty squares, and whose turn it is."""

    lower: int  # set of squares of the lower half
    upper: int  # set of squares of the upper half
    turn: int


class Domineering(Game):
    """Domineering on boards with at most 62 squares in each half; `b1b2` lays a vertical domino on b1 and b2.

    >>> game = Domineering(4, 4)
    >>> position = game.initial_state()
    >>> for move in "b1b2", "c3d3":
    ...     position = game.result(position, game.parse_action(position, move))
    >>> print(game.render(position))
    4 . . . .
    3 . . # #
    2 . # . .
    1 . # . .
      a b c d
    vertical to move
    >>> game.state_text(position)
    '4/2##/1#2/1#2 v'
    """

    utilities = (-1, 1)
    feature_names = ("moves", "safe")

    def __init__(self, rows: int = 8, columns: int = 8) -> None:
        self.rows = whole_number("rows", rows, 1, 26)
        self.columns = whole_number("columns", columns, 1, 26)
        self.low = (rows + 1) // 2  # rows of the lower half
        if self.low * columns > 62:
            raise RulesError(f"rows={rows}, columns={columns}: half of the board, {self.low} rows, has over 62 squares")
        self.split = self.low * columns  # the first square of the upper half
        self.all = (1 << self.split) - 1
        self.row = (1 << columns) - 1
        self.left = sum(1 << row * columns for row in range(self.low))
        self.right = self.left << columns - 1

    def initial_state(self) -> Position:
        return Position(self.all, (1 << (self.rows - self.low) * self.columns) - 1, 0)

    def to_move(self, position: Position) -> int:
        return position.turn

    def places(self, position: Position, player: int) -> tuple[int, int]:
        """The squares of the lower and of the upper half where a domino of `player` can begin."""
        lower, upper = position.lower, position.upper
        if player == 1:
            return lower & lower >> 1 & ~self.right, upper & upper >> 1 & ~self.right
        above = (upper & self.row) << self.split - self.columns  # next to the top row of the lower half
        return lower & (lower >> self.columns | above), upper & upper >> self.columns

    def actions(self, position: Position) -> Iterator[int]:
        lower, upper = self.places(position, position.turn)
        for square in squares(lower):
            yield square
        for square in squares(upper):
            yield self.split + square

    def result(self, position: Position, action: int) -> Position:
        lower, upper = position.lower, position.upper
        for square in (action, action + (self.columns if position.turn == 0 else 1)):
            if square < self.split:
                lower &= ~(1 << square)
            else:
                upper &= ~(1 << square - self.split)
        return Position(lower, upper, 1 - position.turn)

    def is_terminal(self, position: Position) -> bool:
        lower, upper = self.places(position, position.turn)
        return lower | upper == 0

    def utility(self, position: Position, player: int) -> int:
        return -1 if position.turn == player else 1

    def moves(self, position: Position, player: int) -> int:
        """The number of ways in which `player` can lay a domino."""
        lower, upper = self.places(position, player)
        return count(lower) + count(upper)

    def covered(self, position: Position, player: int) -> tuple[int, int]:
        """The squares of the lower and of the upper half that dominoes of `player` can cover."""
        lower, upper = self.places(position, player)
        if player == 1:
            return lower | lower << 1, upper | upper << 1
        below = lower >> self.split - self.columns  # vertical dominoes on both halves
        return (lower | lower << self.columns) & self.all, upper | upper << self.columns & self.all | below

    def safe(self, position: Position, player: int) -> int:
        """The number of ways in which `player` can lay a domino where the opponent can lay none."""
        lower, upper = self.covered(position, 1 - player)
        return self.moves(Position(position.lower & ~lower, position.upper & ~upper, player), player)

    def evaluate(self, position: Position, player: int) -> float:
        """Compares the moves; moves that the opponent cannot prevent count three times."""
        upright = self.moves(position, 0) + 2 * self.safe(position, 0)
        level = self.moves(position, 1) + 2 * self.safe(position, 1)
        estimate = (upright - level) / (upright + level + 1)
        return estimate if player == 0 else -estimate

    def order(self, position: Position, action: int) -> int:
        """Prefers moves after which the player has many moves and the opponent few."""
        after = self.result(position, action)
        mine = self.moves(after, position.turn) + 2 * self.safe(after, position.turn)
        return mine - self.moves(after, after.turn) - 2 * self.safe(after, after.turn)

    def features(self, position: Position) -> tuple[int, int]:
        """Moves, and moves that cannot be prevented: the player to move's minus the opponent's."""
        me, other = position.turn, 1 - position.turn
        return (
            self.moves(position, me) - self.moves(position, other),
            self.safe(position, me) - self.safe(position, other),
        )

    def key(self, position: Position) -> Position:
        """The position, with the squares filled that no domino can cover any more."""
        lower, upper = self.covered(position, 0)
        more_lower, more_upper = self.covered(position, 1)
        return Position(lower | more_lower, upper | more_upper, position.turn)

    def symmetries(self, position: Position) -> tuple[Position, Position, Position, Position]:
        mirrored = Position(self.mirror(position.lower), self.mirror(position.upper), position.turn)
        return (position, mirrored, self.upside_down(position), self.upside_down(mirrored))

    def mirror(self, half: int) -> int:
        """`half` of the board with left and right exchanged."""
        mirrored = 0
        for column in range(self.columns):
            mirrored |= (half >> column & self.left) << self.columns - 1 - column
        return mirrored

    def upside_down(self, position: Position) -> Position:
        """The position with top and bottom exchanged."""
        lower = upper = 0
        for row in range(self.rows):
            half, place = (position.lower, row) if row < self.low else (position.upper, row - self.low)
            squares_ = half >> place * self.columns & self.row
            new_row = self.rows - 1 - row
            if new_row < self.low:
                lower |= squares_ << new_row * self.columns
            else:
                upper |= squares_ << (new_row - self.low) * self.columns
        return Position(lower, upper, position.turn)

    def board(self, position: Position) -> list[list[str]]:
        """The rows of the board, the top one first."""
        free = position.lower | position.upper << self.split  # an int of any size: this is never compiled
        marks = ["." if free >> square & 1 else "#" for square in range(self.rows * self.columns)]
        return [marks[row * self.columns : (row + 1) * self.columns] for row in reversed(range(self.rows))]

    def render(self, position: Position) -> str:
        rows: list[list[object]] = [[self.rows - i, *row] for i, row in enumerate(self.board(position))]
        return f"{grid([*rows, ['', *ascii_lowercase[: self.columns]]])}\n{outcome(self, position, NAMES)}"

    def picture(self, position: Position) -> Picture:
        """The board; a position does not say which of the covered squares belong to one domino."""
        pieces = on_cells(from_below(self.board(position)), {"#": Piece(shape="tile")})
        return square_board(
            self.rows, self.columns, pieces, [outcome(self, position, NAMES)], bottom_first=True,
            row_names=range(1, self.rows + 1), column_names=ascii_lowercase[: self.columns],
        )  # fmt: skip

    def action_cells(self, position: Position, action: int) -> tuple[int, int]:
        return action, action + (self.columns if position.turn == 0 else 1)

    def action_name(self, position: Position, action: int) -> str:
        column, row = action % self.columns, action // self.columns + 1
        right, up = (0, 1) if position.turn == 0 else (1, 0)
        return f"{ascii_lowercase[column]}{row}{ascii_lowercase[column + right]}{row + up}"

    def parse_action(self, position: Position, text: str) -> int:
        """The action that `text` names, in lower or upper case."""
        return super().parse_action(position, text.strip().lower())

    def state_text(self, position: Position) -> str:
        """The rows from the top, `#` for covered squares and numbers for runs of empty ones; the turn is `v` or `h`."""
        return write_board(self.board(position), TURNS[position.turn])

    def parse_state(self, text: str) -> Position:
        rows, turn = read_board(text, self.rows, self.columns, "#", TURNS)
        free = sum(1 << square for square, mark in enumerate("".join(reversed(rows))) if mark == ".")
        return Position(free & self.all, free >> self.split, turn)
