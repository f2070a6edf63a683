"""Connect Four: discs fall into the columns of an upright grid; four of your own in a line win.

Two players in turn choose a column that is not full, and a disc of theirs falls to the lowest free square of it. Who first
has `length` discs in a row, upright, level or slanting, wins; a full grid without such a line is a draw.

A set of squares is one int, a bit for each square, column after column. Above each column lies a bit that is always 0, so
that a line never runs from the top of one column into the bottom of the next. The bits of the 7 x 6 board:

     6 13 20 27 34 41 48      always 0
    --------------------
     5 12 19 26 33 40 47      the top row
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42      the bottom row

To the next square of a line it is then 1 bit upwards, `height + 1` to the right, and `height`, `height + 2` slanting: a shift
of the whole board compares each square with its neighbour at once. The representation is John Tromp's, the use of squares
that would complete a line is Pascal Pons' (blog.gamesolver.org).
"""

from collections.abc import Iterator
from typing import NamedTuple

from outplay.bits import count
from outplay.errors import RulesError
from outplay.game import Game
from outplay.games._parameters import whole_number
from outplay.games._pictures import DISCS, grid, outcome


class Position(NamedTuple):
    """The discs on the board."""

    mine: int  # set of squares: discs of the player to move
    both: int  # set of squares: discs of both players


class ConnectFour(Game):
    """Connect Four on any board of at most 62 bits, for lines of any length.

    >>> game = ConnectFour()
    >>> position = game.initial_state()
    >>> for column in 3, 3, 4:
    ...     position = game.result(position, column)
    >>> print(game.render(position))
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . O . . .
    . . . X X . .
    1 2 3 4 5 6 7
    O to move
    """

    utilities = (-1, 1)

    def __init__(self, width: int = 7, height: int = 6, length: int = 4) -> None:
        self.width = whole_number("width", width, 1, 31)
        self.height = whole_number("height", height, 1, 61)
        if width * (height + 1) > 62:
            raise RulesError(f"width={width}, height={height}: width * (height + 1) must be at most 62, the bits of an int")
        self.length = whole_number("length", length, 2, max(width, height))
        self.bottom = sum(1 << column * (height + 1) for column in range(width))
        self.full = self.bottom * ((1 << height) - 1)
        upright, level, slanting = height >= length, width >= length, min(width, height) >= length
        # Only the directions in which a line fits: in the others a shift could exceed the 64 bits of an int.
        self.steps = (1,) * upright + (height + 1,) * level + (height, height + 2) * slanting

    def initial_state(self) -> Position:
        return Position(0, 0)

    def to_move(self, position: Position) -> int:
        return count(position.both) & 1

    def actions(self, position: Position) -> Iterator[int]:
        for column in range(self.width):
            if not position.both >> (column * (self.height + 1) + self.height - 1) & 1:
                yield column

    def result(self, position: Position, column: int) -> Position:
        both = position.both | position.both + (1 << column * (self.height + 1))
        return Position(position.mine ^ position.both, both)

    def is_terminal(self, position: Position) -> bool:
        return position.both == self.full or self.has_line(position.mine ^ position.both)

    def utility(self, position: Position, player: int) -> int:
        if not self.has_line(position.mine ^ position.both):
            return 0
        return -1 if self.to_move(position) == player else 1

    def has_line(self, discs: int) -> bool:
        """Whether `length` of `discs` are in a row."""
        for step in self.steps:
            runs, run = discs, 1  # the first squares of all rows of `run` discs
            while run < self.length:
                more = min(run, self.length - run)
                runs &= runs >> more * step
                run += more
            if runs:
                return True
        return False
