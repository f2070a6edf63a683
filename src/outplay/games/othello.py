"""Othello, or Reversi: the player with more discs at the end wins.

Black, player 0, and white in turn put a disc on an empty square so that one or more rows of the opponent's discs,
vertical, horizontal or diagonal, lie between it and another disc of the player; all discs in these rows are turned
over. A player who cannot do so passes, and a player who can must; the game ends when neither can. The utility is the
margin, the player's discs minus the opponent's, where empty squares count for the winner: the convention of endgame
solvers and of tournaments.

A set of squares is one int with a bit for each square, row by row from the top left corner. On the board of 8 x 8
squares it uses all 64 bits, so the int is negative if h8 is in the set, and `shift` moves the bits. With size 4:

         a  b  c  d
     1   0  1  2  3
     2   4  5  6  7
     3   8  9 10 11
     4  12 13 14 15

A step to the next square is a shift by 1, by size, or diagonally by size - 1 or size + 1, forwards or back. All discs
of a player look for rows in one direction at once, and each of four operations looks further (Kogge-Stone fill): see
`run`. A row that is not vertical cannot go on beyond the first and the last column, so discs there are left out.
"""

from collections.abc import Iterable, Iterator, Sequence
from string import ascii_lowercase
from typing import NamedTuple

from outplay.games._parameters import whole_number
from outplay.games._pictures import DISCS, STONES, grid, on_cells, outcome, turn_line
from outplay.rules.bits import count, shift, single, squares
from outplay.rules.board import Picture, square_board
from outplay.rules.errors import RulesError
from outplay.rules.game import Game

MOVES, OPEN, CORNERS, BESIDE = 3, 1, 30, -6
"""The weights of the first four features in `evaluate`: the best of seven tried in games between depth-5 searches."""
BLACK, WHITE, EMPTY = "x*b", "ow", "-."
"""The marks in texts of the discs of player 0, of player 1 and an empty square, in lower case."""
PASSES = ("pa", "ps", "--")
"""Other texts for a pass than its name."""


class Position(NamedTuple):
    """The discs on the board, and whose turn it is."""

    own: int  # set of squares: discs of the player to move
    other: int  # set of squares: discs of the other player
    turn: int


def board_of(chosen: Iterable[int]) -> int:
    """The set of these squares."""
    return sum(map(single, chosen))


class Othello(Game):
    """Othello on a board of 4 x 4, 6 x 6 or 8 x 8 squares; the action after the last square is a pass.

    >>> game = Othello()
    >>> position = game.result(game.initial_state(), game.parse_action(game.initial_state(), "d3"))
    >>> print(game.render(position))
      a b c d e f g h
    1 . . . . . . . .
    2 . . . . . . . .
    3 . . + X + . . .
    4 . . . X X . . .
    5 . . + X O . . .
    6 . . . . . . . .
    7 . . . . . . . .
    8 . . . . . . . .
    O to move
    """

    perft_past_end = True
    feature_names = ("moves", "open", "corners", "beside", "discs")

    def __init__(self, size: int = 8) -> None:
        self.size = n = whole_number("size", size, 4, 8)
        if n % 2:
            raise RulesError(f"size={size!r}: size must be even: 4, 6 or 8")
        self.utilities = (-n * n, n * n)
        self.upright = (n, -n)
        self.sideways = (1, -1, n - 1, 1 - n, n + 1, -1 - n)
        everywhere = range(n * n)
        self.full = board_of(everywhere)
        self.first = board_of(square for square in everywhere if square % n == 0)
        self.last = board_of(square for square in everywhere if square % n == n - 1)
        self.inner = self.full ^ (self.first | self.last)
        self.corners = board_of((0, n - 1, n * n - n, n * n - 1))
        # Int tuple [2 * n - 1]: the squares at each distance to the right of the main diagonal, from 1 - n on.
        self.diagonals = tuple(
            board_of(square for square in everywhere if square % n - square // n == right) for right in range(1 - n, n)
        )

    def initial_state(self) -> Position:
        corner = (self.size // 2 - 1) * (self.size + 1)  # the top left one of the four squares in the centre
        black = single(corner + 1) | single(corner + self.size)
        return Position(black, single(corner) | single(corner + self.size + 1), 0)

    def to_move(self, position: Position) -> int:
        return position.turn

    def actions(self, position: Position) -> Iterator[int]:
        """The discs to place; a pass if there is none, also at the end, as others do when they count lines."""
        moves = self.moves(position.own, position.other)
        if moves == 0:
            yield self.size * self.size
        else:
            for square in squares(moves):  # noqa: UP028 - compiled code knows no `yield from`
                yield square

    def result(self, position: Position, action: int) -> Position:
        if action == self.size * self.size:
            return Position(position.other, position.own, 1 - position.turn)
        disc = single(action)
        turned = self.turned(disc, position.own, position.other)
        return Position(position.other ^ turned, position.own | turned | disc, 1 - position.turn)

    def is_terminal(self, position: Position) -> bool:
        return self.moves(position.own, position.other) == 0 and self.moves(position.other, position.own) == 0

    def utility(self, position: Position, player: int) -> int:
        margin = count(position.own) - count(position.other)
        empty = self.size * self.size - count(position.own | position.other)
        if margin != 0:
            margin += empty if margin > 0 else -empty
        return margin if player == position.turn else -margin

    def moves(self, own: int, other: int) -> int:
        """The squares where a disc of `own` would turn others over."""
        inner, ends = other & self.inner, 0
        for step in self.sideways:
            ends |= shift(self.run(own, inner, step), step)
        for step in self.upright:
            ends |= shift(self.run(own, other, step), step)
        return ends & (self.full ^ (own | other))

    def turned(self, disc: int, own: int, other: int) -> int:
        """The discs of `other` that a new `disc` of `own` turns over."""
        inner, turned = other & self.inner, 0
        for step in self.sideways:
            turned |= self.between(disc, inner, own, step)
        for step in self.upright:
            turned |= self.between(disc, other, own, step)
        return turned

    def run(self, start: int, row: int, step: int) -> int:
        """The squares of `row` that follow a square of `start` without a gap, in one direction; at most six."""
        run = row & shift(start, step)
        run |= row & shift(run, step)
        pairs = row & shift(row, step)
        run |= pairs & shift(run, 2 * step)
        run |= pairs & shift(run, 2 * step)
        return run

    def between(self, disc: int, row: int, end: int, step: int) -> int:
        """The `run` from `disc`, if the square just beyond is in `end`."""
        run = self.run(disc, row, step)
        return run if shift(run, step) & end else 0

    def evaluate(self, position: Position, player: int) -> float:
        """A margin from the weighted `features`, always less than that of a win."""
        moves, open_, corners, beside, _ = self.features(position)
        advantage = MOVES * moves + OPEN * open_ + CORNERS * corners + BESIDE * beside
        estimate = self.size**2 * advantage / (self.size**2 + abs(advantage))
        return estimate if player == position.turn else -estimate

    def features(self, position: Position) -> tuple[int, int, int, int, int]:
        """The numbers of the player to move minus the opponent's.

        - the moves,
        - the empty squares beside discs of the *other* player, where moves may arise,
        - the corners,
        - the discs beside an empty corner,
        - the discs.
        """
        own, other = position.own, position.other
        empty = self.full ^ (own | other)
        risky = self.around(empty & self.corners)
        return (
            count(self.moves(own, other)) - count(self.moves(other, own)),
            count(self.around(other) & empty) - count(self.around(own) & empty),
            count(own & self.corners) - count(other & self.corners),
            count(own & risky) - count(other & risky),
            count(own) - count(other),
        )

    def order(self, position: Position, action: int) -> int:
        """Moves that leave the opponent the fewest moves first, with moves to corners counted twice (fastest first).

        Of the orders tried, this visits the fewest positions. Corners first and squares beside an empty corner last,
        as textbooks recommend, takes 1.5 times as many with 14 empty squares, 1.1 times in the middle of the game.
        """
        after = self.result(position, action)
        moves = self.moves(after.own, after.other)
        return -count(moves) - count(moves & self.corners)

    def forced_result(self, position: Position) -> tuple[int, int]:
        """The end of the game if one square is left: a disc there, or a pass and a disc of the opponent."""
        own, other = position.own, position.other
        empty = self.full ^ (own | other)
        if count(empty) > 1:
            return 0, 0
        turned = count(self.turned(empty, own, other))
        if turned:
            return count(own) - count(other) + 2 * turned + 1, 1
        turned = count(self.turned(empty, other, own))
        return count(own) - count(other) - 2 * turned - 1, 2

    def around(self, board: int) -> int:
        """The squares of `board` and all that touch them, also diagonally."""
        board |= shift(board, 1) & (self.full ^ self.first) | shift(board, -1) & (self.full ^ self.last)
        return (board | shift(board, self.size) | shift(board, -self.size)) & self.full

    def symmetries(self, position: Position) -> tuple[Position, ...]:
        """The position turned and mirrored in all eight ways."""
        a = position
        b = self.transposed(a)
        c = self.upside_down(b)
        d = self.transposed(c)
        e = self.upside_down(d)
        f = self.transposed(e)
        g = self.upside_down(f)
        return a, b, c, d, e, f, g, self.transposed(g)

    def transposed(self, position: Position) -> Position:
        """Rows as columns."""
        own = other = 0
        for i in range(2 * self.size - 1):
            by = (i - self.size + 1) * (self.size - 1)  # this number of columns to the left and rows down
            own |= shift(position.own & self.diagonals[i], by)
            other |= shift(position.other & self.diagonals[i], by)
        return Position(own, other, position.turn)

    def upside_down(self, position: Position) -> Position:
        """The last row as the first one."""
        own = other = 0
        top = (1 << self.size) - 1
        for row in range(self.size):
            down, up = -row * self.size, (self.size - 1 - row) * self.size
            own |= shift(shift(position.own, down) & top, up)
            other |= shift(shift(position.other, down) & top, up)
        return Position(own, other, position.turn)

    def render(self, position: Position) -> str:
        """The board with a + where the player to move can put a disc."""
        marks = self._marks(position)
        for square in squares(self.moves(position.own, position.other)):
            marks[square] = "+"
        n = self.size
        rows = [[row + 1, *marks[row * n : row * n + n]] for row in range(n)]
        return f"{grid([['', *ascii_lowercase[:n]], *rows])}\n{outcome(self, position, DISCS)}"

    def picture(self, position: Position) -> Picture:
        marks, n = self._marks(position), self.size
        names = "black", "white"
        text = [
            turn_line(self, position, names, STONES),
            ", ".join(f"{name} {marks.count(mark)}" for name, mark in zip(names, DISCS, strict=True)),
        ]
        return square_board(
            n, n, on_cells(marks, dict(zip(DISCS, STONES, strict=True))), text, shade="green",
            row_names=range(1, n + 1), column_names=ascii_lowercase[:n], colours=names,
        )  # fmt: skip

    def value_text(self, value: float, exact: bool = False, distance: int | None = None) -> str:
        """The margin in discs, such as +12 discs."""
        discs = f"{value:+.3g}" if value else "0"
        return f"{discs} disc{'s' * (discs not in ('+1', '-1'))}"

    def result_text(self, utilities: Sequence[float]) -> str:
        if not utilities[0]:
            return "draw"
        return f"{'white' if utilities[0] < 0 else 'black'} wins by {self.value_text(abs(utilities[0]))[1:]}"

    def action_name(self, position: Position, action: int) -> str:
        return "pass" if action == self.size * self.size else self._name(action)

    def parse_action(self, position: Position, text: str) -> int:
        """The action that `text` names, in lower or upper case; a pass may also be written pa, ps or --."""
        name = text.strip().lower()
        return super().parse_action(position, "pass" if name in PASSES else name)

    def state_text(self, position: Position) -> str:
        """The squares row by row, X for black, O for white and - for an empty one, then who is to move.

        >>> Othello(4).state_text(Othello(4).initial_state())
        '-----OX--XO----- X'
        """
        marks = "".join(self._marks(position)).replace(".", "-")
        return f"{marks} {DISCS[position.turn]}"

    def parse_state(self, text: str) -> Position:
        """The position that `text` describes; `.` is an empty square too, `*` and `b` are black, `w` is white.

        Letters may be lower or upper case, and there may be spaces between rows. Everything after a semicolon is
        ignored: in a file of exercises, the values of the moves.

        >>> Othello(4).parse_state("---- -OX- -XO- ---- X; a2:+8") == Othello(4).initial_state()
        True
        """
        *rows, turn = text.lower().partition(";")[0].split() or [""]
        marks, size = "".join(rows), self.size * self.size
        for square, mark in enumerate(marks[:size]):
            if mark not in BLACK + WHITE + EMPTY:
                raise RulesError(f"{mark!r} on {self._name(square)}: X for black, O for white or - for an empty square")
        if len(marks) != size:
            raise RulesError(
                f"{len(marks)} squares: {size} are expected, from a1, then a space and who is to move, X or O"
            )
        if turn not in [*BLACK, *WHITE]:
            raise RulesError(f"{turn!r} to move, after the squares: X for black or O for white")
        black = board_of(square for square, mark in enumerate(marks) if mark in BLACK)
        white = board_of(square for square, mark in enumerate(marks) if mark in WHITE)
        return Position(black, white, 0) if turn in BLACK else Position(white, black, 1)

    def _name(self, square: int) -> str:
        return f"{ascii_lowercase[square % self.size]}{square // self.size + 1}"

    def _marks(self, position: Position) -> list[str]:
        marks = ["."] * self.size**2
        for board, player in ((position.own, position.turn), (position.other, 1 - position.turn)):
            for square in squares(board):
                marks[square] = DISCS[player]
        return marks
