"""Breakthrough: the first man to reach the far side of the board wins.

Each player fills the nearest rows with men: two rows, or one on a board with fewer than six. In turn they move a man
one square forwards, straight or diagonally. A man captures by a diagonal move only, and a straight move needs an empty
square. A player wins by reaching the far side with a man or by capturing all men of the opponent. There is no draw, and
there is always a move. Dan Troyka invented the game in 2000.

A set of men is one int with a bit for each square, row by row from a player's left. The far side needs no bits, since
the game ends there. Bit i of player 1 is the square *ahead* of bit i of player 0, so that the square ahead of a man has
the same number. With 4 columns and 5 rows:

    5  12 13 14 15      player 1, moving down
    4   8  9 10 11      12 13 14 15
    3   4  5  6  7       8  9 10 11
    2   0  1  2  3       4  5  6  7
    1                    0  1  2  3      player 0, moving up
        a  b  c  d       a  b  c  d

8 x 8 squares take 56 bits in this way, and a plain int holds them.
"""

from collections.abc import Iterator
from string import ascii_lowercase
from typing import NamedTuple

from outplay.games._parameters import whole_number
from outplay.games._pictures import ROUND, from_below, grid, on_cells, outcome, turn_line
from outplay.games._texts import read_board, write_board
from outplay.rules.bits import count, squares
from outplay.rules.board import Picture, square_board
from outplay.rules.errors import RulesError
from outplay.rules.game import Game

MEN = "wb"
"""The marks of the men of player 0 and of player 1."""
NAMES = ("white", "black")


class Position(NamedTuple):
    """The men on the board, and whose turn it is."""

    white: int  # set of squares: the men of player 0
    black: int  # set of squares, one row further up: the men of player 1
    turn: int
    arrived: int  # the column in which a man has reached the far side, or -1


class Breakthrough(Game):
    """Breakthrough on a board of any size with (rows - 1) * columns <= 62; `e2e3` moves a man from e2 to e3.

    >>> game = Breakthrough(5, 4)
    >>> position = game.initial_state()
    >>> for move in "b1b2", "d5c4":
    ...     position = game.result(position, game.parse_action(position, move))
    >>> print(game.render(position))
    5 b b b .
    4 . . b .
    3 . . . .
    2 . w . .
    1 w . w w
      a b c d
    white to move
    >>> game.state_text(position)
    'bbb1/2b1/4/1w2/w1ww w'
    """

    player_marks = ("w", "b")
    utilities = (-1, 1)
    forced_result_depth = (1, 0)
    feature_names = ("men", "rows")

    def __init__(self, rows: int = 8, columns: int = 8) -> None:
        self.rows = whole_number("rows", rows, 3, 32)
        self.columns = whole_number("columns", columns, 2, 26)
        self.size = (rows - 1) * columns  # the bits used
        if self.size > 62:
            raise RulesError(f"rows={rows}, columns={columns}: (rows - 1) * columns, the bits used, must be at most 62")
        self.row = (1 << columns) - 1
        self.left = sum(1 << row * columns for row in range(rows - 1))
        self.right = self.left << columns - 1
        self.last = self.row << self.size - columns  # white men that can reach the far side
        self.filled = columns * (2 if rows >= 6 else 1)

    def initial_state(self) -> Position:
        men = (1 << self.filled) - 1
        return Position(men, men << self.size - self.filled, 0, -1)

    def to_move(self, position: Position) -> int:
        return position.turn

    def action_limit(self) -> int:
        return 3 * self.rows * self.columns

    def actions(self, position: Position) -> Iterator[int]:
        """Man i moves towards a by action 3 * i, straight by 3 * i + 1, away from a by 3 * i + 2."""
        if self.is_terminal(position):
            return
        for way, men in enumerate(self.movers(position)):  # one `yield` is faster than three
            for man in squares(men):
                yield 3 * man + way

    def movers(self, position: Position) -> tuple[int, int, int]:
        """The men that can move towards a, straight ahead, and away from a."""
        white, black, columns = position.white, position.black, self.columns
        if position.turn == 0:
            left = white & ~self.left & ~(white >> columns - 1)
            ahead = white & ~(white >> columns) & ~black
            right = white & ~self.right & ~(white >> columns + 1)
        else:  # `black` removes what a shift moves off the board
            left = black & ~self.left & ~(black << columns + 1)
            ahead = black & ~(black << columns) & ~white
            right = black & ~self.right & ~(black << columns - 1)
        return left, ahead, right

    def result(self, position: Position, action: int) -> Position:
        man, ahead = action // 3, action // 3 + action % 3 - 1  # `ahead` in the opponent's numbering of squares
        white, black = position.white, position.black
        if position.turn == 0:
            white ^= 1 << man
            black &= ~(1 << ahead)
            if ahead >= self.size - self.columns:
                return Position(white, black, 1, ahead - self.size + self.columns)
            return Position(white | 1 << ahead + self.columns, black, 1, -1)
        black ^= 1 << man
        white &= ~(1 << ahead)
        if ahead < self.columns:
            return Position(white, black, 0, ahead)
        return Position(white, black | 1 << ahead - self.columns, 0, -1)

    def is_terminal(self, position: Position) -> bool:
        return position.arrived >= 0 or (position.white if position.turn == 0 else position.black) == 0

    def utility(self, position: Position, player: int) -> int:
        """The player who has made the last move has won."""
        return -1 if position.turn == player else 1

    def evaluate(self, position: Position, player: int) -> float:
        """Compares the men; the further a man has advanced, the more it is worth."""
        white, black = float(self.strength(position.white, 0)), float(self.strength(position.black, 1))
        estimate = (white - black) / (white + black + 1)
        return estimate if player == 0 else -estimate

    def strength(self, men: int, player: int) -> int:
        """The sum over `men` of the number of rows, plus the number of rows between the man and its own side."""
        sum_ = 0
        for row in range(self.rows - 1):
            rows_gone = row if player == 0 else self.rows - 2 - row
            sum_ += (self.rows + rows_gone) * count(men >> row * self.columns & self.row)
        return sum_

    def order(self, position: Position, action: int) -> int:
        """Captures first, then the men that get furthest."""
        row = action // 3 // self.columns
        rows_gone = row if position.turn == 0 else self.rows - 2 - row
        captures = action % 3 != 1 and self.is_capture(position, action)
        return rows_gone + (self.rows if captures else 0) + (3 * self.rows if rows_gone == self.rows - 2 else 0)

    def is_capture(self, position: Position, action: int) -> bool:
        """Whether the diagonal move `action` goes to a man of the opponent."""
        others = position.black if position.turn == 0 else position.white
        return others >> action // 3 + action % 3 - 1 & 1 == 1

    def attackers(self, men: int, others: int) -> tuple[int, int]:
        """The members of `men` that can capture one of `others` to their left, and those that can to their right."""
        return men & ~self.left & others << 1, men & ~self.right & others >> 1

    def noisy(self, position: Position) -> Iterator[int]:
        """The captures."""
        men, others = position.white, position.black
        if position.turn == 1:
            men, others = others, men
        left, right = self.attackers(men, others)
        for man in squares(left):
            yield 3 * man
        for man in squares(right):
            yield 3 * man + 2

    def is_quiet(self, position: Position) -> bool:
        """Whether nothing can be captured."""
        left, right = self.attackers(position.white, position.black)
        if position.turn == 1:
            left, right = self.attackers(position.black, position.white)
        return left | right == 0

    def needs_extension(self, position: Position) -> bool:
        """Whether a man of the opponent is one move from the far side."""
        return self.threats(position, 1 - position.turn) != 0

    def threats(self, position: Position, player: int) -> int:
        """The men of `player` that are one move from the far side; only a capture can stop them."""
        return position.white & self.last if player == 0 else position.black & self.row

    def forced_result(self, position: Position) -> tuple[int, int]:
        """A win now; or a loss in two, if no capture stops the opponent."""
        men, others = position.white, position.black
        if position.turn == 1:
            men, others = others, men
        left, right = self.attackers(men, others)
        if self.threats(position, position.turn) or (others & others - 1 == 0 and left | right):
            return 1, 1
        threats = self.threats(position, 1 - position.turn)
        if threats:
            left, right = self.attackers(men, threats)
            if threats & threats - 1 or left | right == 0:
                return -1, 2
        return 0, 0

    def candidates(self, position: Position) -> Iterator[int]:
        """The captures of a man that would win next; if there is no such man, all moves."""
        left, ahead, right = self.movers(position)
        threats = self.threats(position, 1 - position.turn)
        if threats:
            ahead = 0
            left, right = self.attackers(position.white if position.turn == 0 else position.black, threats)
        for way, men in enumerate((left, ahead, right)):
            for man in squares(men):
                yield 3 * man + way

    def features(self, position: Position) -> tuple[int, int]:
        """Men, and rows advanced in total: the player to move's numbers minus the opponent's."""
        white, black = count(position.white), count(position.black)
        gone = self.strength(position.white, 0) - self.rows * white
        come = self.strength(position.black, 1) - self.rows * black
        sign = 1 - 2 * position.turn
        return sign * (white - black), sign * (gone - come)

    def symmetries(self, position: Position) -> tuple[Position, Position]:
        arrived = self.columns - 1 - position.arrived if position.arrived >= 0 else -1
        mirrored = Position(self.mirror(position.white), self.mirror(position.black), position.turn, arrived)
        return (position, mirrored)

    def mirror(self, men: int) -> int:
        """`men` with left and right exchanged."""
        mirrored = 0
        for column in range(self.columns):
            mirrored |= (men >> column & self.left) << self.columns - 1 - column
        return mirrored

    def board(self, position: Position) -> list[list[str]]:
        """The rows of the board, the top one first."""
        marks = [["."] * self.columns for _ in range(self.rows)]  # from the bottom
        for row in range(self.rows - 1):
            for column in range(self.columns):
                square = row * self.columns + column
                if position.white >> square & 1:
                    marks[row][column] = MEN[0]
                if position.black >> square & 1:
                    marks[row + 1][column] = MEN[1]
        if position.arrived >= 0:
            winner = 1 - position.turn
            marks[-1 if winner == 0 else 0][position.arrived] = MEN[winner]
        return marks[::-1]

    def render(self, position: Position) -> str:
        rows: list[list[object]] = [[self.rows - i, *row] for i, row in enumerate(self.board(position))]
        return f"{grid([*rows, ['', *ascii_lowercase[: self.columns]]])}\n{outcome(self, position, NAMES)}"

    def picture(self, position: Position) -> Picture:
        pieces = on_cells(from_below(self.board(position)), dict(zip(MEN, ROUND, strict=True)))
        return square_board(
            self.rows, self.columns, pieces, [turn_line(self, position, NAMES, ROUND)], shade="checkered",
            bottom_first=True, row_names=range(1, self.rows + 1), column_names=ascii_lowercase[: self.columns],
            colours=NAMES,
        )  # fmt: skip

    def action_cells(self, position: Position, action: int) -> tuple[int, int]:
        start = action // 3 + position.turn * self.columns
        return start, start + (1 - 2 * position.turn) * self.columns + action % 3 - 1

    def action_name(self, position: Position, action: int) -> str:
        square, way = action // 3, action % 3 - 1
        column, row = square % self.columns, square // self.columns + 1 + position.turn
        after = row + 1 if position.turn == 0 else row - 1
        return f"{ascii_lowercase[column]}{row}{ascii_lowercase[column + way]}{after}"

    def parse_action(self, position: Position, text: str) -> int:
        """The action that `text` names, in lower or upper case, with or without the `x` of a capture."""
        text = text.strip().lower()
        return super().parse_action(position, text.replace("x", "", 1) if "x" in text[2:4] else text)

    def state_text(self, position: Position) -> str:
        """The rows from the top, with `w`, `b` and numbers for runs of empty squares, and the player to move."""
        return write_board(self.board(position), MEN[position.turn])

    def parse_state(self, text: str) -> Position:
        rows, turn = read_board(text, self.rows, self.columns, MEN, MEN)
        white = black = 0
        arrived = -1
        for number, row in enumerate(reversed(rows)):
            for column, mark in enumerate(row):
                square = number * self.columns + column
                over = (mark == "w" and number == self.rows - 1) or (mark == "b" and number == 0)
                if over and (arrived >= 0 or mark == MEN[turn]):
                    raise RulesError(
                        f"{text!r}: {mark} on {ascii_lowercase[column]}{number + 1}: the far side holds at"
                        " most one man, of the player who has just moved"
                    )
                if over:
                    arrived = column
                elif mark == "w":
                    white |= 1 << square
                elif mark == "b":
                    black |= 1 << square - self.columns
        if not (white if turn else black) and arrived < 0:
            raise RulesError(f"{text!r}: {NAMES[1 - turn]} has just moved, but has no men")
        return Position(white, black, turn, arrived)
