"""Connect Four: discs fall into the columns of an upright grid; four in a row win.

Two players in turn choose a column that is not full, and their disc falls to the lowest free square in it. The first to
have `length` discs in a row, vertically, horizontally or diagonally, wins; a full grid without such a row is a draw.

A set of squares is one int with a bit for each square, column by column. Above each column is a bit that is always 0,
so that no row runs from the top of one column into the bottom of the next. The bits of the board of 7 columns and 6
rows:

     6 13 20 27 34 41 48    always 0
     5 12 19 26 33 40 47    top row
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42    bottom row

The next square is 1 bit further upwards, height + 1 bits to the right, and height or height + 2 bits diagonally, so one
shift of the whole set compares every square with its neighbour. The representation is John Tromp's; ordering moves by
the squares that would complete a row is Pascal Pons' (blog.gamesolver.org).
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from outplay.games._parameters import whole_number
from outplay.games._pictures import DISCS, ROUND, grid, outcome, turn_line
from outplay.rules.bits import count, squares
from outplay.rules.board import Picture, Piece, square_board
from outplay.rules.errors import RulesError
from outplay.rules.game import Game


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
    forced_result_depth = (2, 3)
    feature_names = ("winning_squares", "middle")

    def __init__(self, width: int = 7, height: int = 6, length: int = 4) -> None:
        self.width = whole_number("width", width, 1, 31)
        self.height = whole_number("height", height, 1, 61)
        if width * (height + 1) > 62:
            raise RulesError(f"width={width}, height={height}: width * (height + 1), the bits used, must be at most 62")
        self.length = whole_number("length", length, 2, max(width, height))
        self.bottom = sum(1 << column * (height + 1) for column in range(width))
        self.full = self.bottom * ((1 << height) - 1)
        middle = {(width - 1) // 2, width // 2}
        self.middle = sum((1 << height) - 1 << column * (height + 1) for column in middle)
        self.answers = sum(self.bottom << row for row in range(height - 1, -1, -2))  # at an even distance from the top
        upright, level, slanting = height >= length, width >= length, min(width, height) >= length
        # Only the directions in which a line fits; in others a shift could exceed the 64 bits of a compiled int.
        self.steps = (1,) * upright + (height + 1,) * level + (height, height + 2) * slanting

    def initial_state(self) -> Position:
        return Position(0, 0)

    def to_move(self, position: Position) -> int:
        return count(position.both) & 1

    def actions(self, position: Position) -> Iterator[int]:
        for column in range(self.width):
            if not position.both >> column * (self.height + 1) + self.height - 1 & 1:
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

    def winning_squares(self, discs: int, both: int) -> int:
        """The empty squares that would complete a line of `discs`, whether or not a disc can fall there yet."""
        winning = 0
        for step in self.steps:
            left = self.full  # squares with a run of `gap` discs on one side
            for gap in range(self.length):
                right = -1  # squares with the rest of the line on the other side
                for place in range(1, self.length - gap):
                    right &= discs >> place * step
                winning |= left & right
                left &= discs << (gap + 1) * step
        return winning & (self.full ^ both)

    def evaluate(self, position: Position, player: int) -> float:
        """The winning squares of `player` minus those of the opponent, as a fraction of all squares."""
        mine = count(self.winning_squares(position.mine, position.both))
        theirs = count(self.winning_squares(position.mine ^ position.both, position.both))
        estimate = (mine - theirs) / (self.width * self.height)
        return estimate if self.to_move(position) == player else -estimate

    def features(self, position: Position) -> tuple[int, int]:
        """Winning squares, and discs in the middle column or columns: the player to move's minus the opponent's."""
        mine, theirs = position.mine, position.mine ^ position.both
        winning = count(self.winning_squares(mine, position.both)) - count(self.winning_squares(theirs, position.both))
        return winning, count(mine & self.middle) - count(theirs & self.middle)

    def order(self, position: Position, column: int) -> int:
        """The move that leaves the most winning squares, then the one nearest to the centre."""
        after = self.result(position, column)
        winning = count(self.winning_squares(after.mine ^ after.both, after.both))
        return self.width * winning - abs(2 * column - self.width + 1)  # twice the distance, which is less than width

    def forced_result(self, position: Position) -> tuple[int, int]:
        """A win now; or a loss in two, if one move cannot answer all threats; or a draw if the board is soon full."""
        next_ = self.next_squares(position.both)
        if self.winning_squares(position.mine, position.both) & next_:
            return 1, 1
        if not self.safe_squares(position):
            return -1, 2
        left = self.width * self.height - count(position.both)
        return (0, left) if left <= 2 else (0, 0)

    def utility_bounds(self, position: Position) -> tuple[int, int]:
        """What the opponent keeps by playing above each disc of the player to move, if every column can be paired so.

        If the number of empty squares is even, so is the number of columns with an odd number of them. The opponent
        answers a disc in such a column with one in another, and any other disc with one above it (James Allen's
        *claimeven* and *baseinverse*). So the player gets no empty square at an even distance from the top, except
        that it can be the next one of its column.
        """
        if self.width * self.height - count(position.both) & 1:
            return -1, 1
        empty, next_ = self.full ^ position.both, self.next_squares(position.both)
        answers = empty & self.answers & ~next_
        if self.has_line(position.mine | empty & ~answers):
            return -1, 1
        return -1, -1 if self.has_line(position.mine ^ position.both | answers) else 0

    def candidates(self, position: Position) -> int:
        """The columns that do not lose at once, as a bit mask; assumes that the player cannot win at once."""
        safe = self.safe_squares(position)
        columns = 0
        for column in range(self.width):
            if safe >> column * (self.height + 1) & (1 << self.height) - 1:
                columns |= 1 << column
        return columns

    def next_squares(self, both: int) -> int:
        """The squares on which a disc can land now."""
        return (both + self.bottom) & self.full

    def safe_squares(self, position: Position) -> int:
        """The next squares after which the opponent cannot win at once."""
        threats = self.winning_squares(position.mine ^ position.both, position.both)
        squares = self.next_squares(position.both)
        forced = squares & threats
        if forced:
            if forced & forced - 1:
                return 0
            squares = forced
        return squares & ~(threats >> 1)

    def key(self, position: Position) -> int:
        """One int for each position: adding `bottom` puts a 1 on the lowest free square of each column, 0s above it."""
        return position.mine + position.both + self.bottom

    def symmetries(self, position: Position) -> tuple[Position, Position]:
        return (position, Position(self.mirror(position.mine), self.mirror(position.both)))

    def mirror(self, discs: int) -> int:
        """`discs` with left and right exchanged."""
        mirrored = 0
        for column in range(self.width):
            bits = discs >> column * (self.height + 1) & (1 << self.height) - 1
            mirrored = mirrored << self.height + 1 | bits
        return mirrored

    def render(self, position: Position) -> str:
        player = self.to_move(position)
        rows = []
        for row in reversed(range(self.height)):
            squares = [column * (self.height + 1) + row for column in range(self.width)]
            marks = [(position.mine >> square & 1, position.both >> square & 1) for square in squares]
            rows.append([DISCS[player if mine else 1 - player] if both else "." for mine, both in marks])
        return f"{grid([*rows, range(1, self.width + 1)])}\n{outcome(self, position, DISCS)}"

    def picture(self, position: Position) -> Picture:
        mover, theirs = self.to_move(position), position.mine ^ position.both
        pieces: dict[Any, Piece] = dict.fromkeys(squares(position.mine), ROUND[mover])
        pieces |= dict.fromkeys(squares(theirs), ROUND[1 - mover])
        return square_board(
            self.height, self.width, pieces, [turn_line(self, position, DISCS, ROUND)], bottom_first=True,
            names=lambda row, column: column * (self.height + 1) + row, column_names=range(1, self.width + 1),
            shape="round", ground="blue", colours=("red", "yellow"),
        )  # fmt: skip

    def action_cells(self, position: Position, column: int) -> tuple[int]:
        """The square where the disc comes to rest."""
        first = int(column) * (self.height + 1)
        return (first + count(position.both >> first & (1 << self.height) - 1),)

    def action_name(self, position: Position, column: int) -> str:
        return str(column + 1)
