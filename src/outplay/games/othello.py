"""Othello, or Reversi: whoever has more discs in the end wins.

Black, player 0, and white in turn put a disc of theirs on an empty square so that one or more rows of the other's
discs, upright, level or slanting, lie between it and another disc of theirs; all discs in these rows are turned over. A
player who cannot do so passes, and whoever can do so must; the game ends when neither can. The utility is the margin,
one's own discs less those of the other player, where the squares left empty count for the winner: the convention of
endgame solvers and of tournaments.

A set of squares is one int, a bit for each square, row by row from the top left corner. On the board of 8 x 8 squares
that is all 64 bits, so the int is negative where h8 is in the set, and `shift` moves the bits. With size 4:

         a  b  c  d
     1   0  1  2  3
     2   4  5  6  7
     3   8  9 10 11
     4  12 13 14 15

A step to the next square is a shift by 1, by size, or by size - 1 or size + 1 on a slant, forwards or back. All discs
of a player look for rows in one direction at once, and each of four operations looks further (Kogge-Stone fill): see
`run`. A row that is not upright cannot go on beyond the first and the last column, so discs there are left out.
"""

from collections.abc import Iterator
from string import ascii_lowercase
from typing import NamedTuple

from outplay.bits import count, shift, single, squares
from outplay.errors import RulesError
from outplay.game import Game
from outplay.games._parameters import whole_number
from outplay.games._pictures import DISCS, grid, outcome


class Position(NamedTuple):
    """The discs on the board, and whose turn it is."""

    own: int  # set of squares: discs of the player to move
    other: int  # set of squares: discs of the other player
    turn: int


class Othello(Game):
    """Othello on a board of 4 x 4, 6 x 6 or 8 x 8 squares; an action is a square, or size * size, a pass.

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

    def __init__(self, size: int = 8) -> None:
        self.size = n = whole_number("size", size, 4, 8)
        if n % 2:
            raise RulesError(f"size={size!r}: size must be even: 4, 6 or 8")
        self.utilities = (-n * n, n * n)
        everywhere = range(n * n)
        self.full = self._set(everywhere)
        self.inner = self._set(square for square in everywhere if 0 < square % n < n - 1)

    def _set(self, chosen: Iterator[int]) -> int:
        return sum(map(single, chosen))

    def initial_state(self) -> Position:
        corner = (self.size // 2 - 1) * (self.size + 1)  # the top left one of the four squares in the centre
        black = single(corner + 1) | single(corner + self.size)
        return Position(black, single(corner) | single(corner + self.size + 1), 0)

    def to_move(self, position: Position) -> int:
        return position.turn

    def actions(self, position: Position) -> Iterator[int]:
        moves = self.moves(position.own, position.other)
        if moves == 0 and self.moves(position.other, position.own) != 0:
            yield self.size * self.size
        for square in squares(moves):
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
        n, inner = self.size, other & self.inner
        ends = self.beyond(own, inner, 1) | self.beyond(own, inner, -1)
        ends |= self.beyond(own, other, n) | self.beyond(own, other, -n)
        ends |= self.beyond(own, inner, n - 1) | self.beyond(own, inner, 1 - n)
        ends |= self.beyond(own, inner, n + 1) | self.beyond(own, inner, -1 - n)
        return ends & (self.full ^ (own | other))

    def turned(self, disc: int, own: int, other: int) -> int:
        """The discs of `other` that a new `disc` of `own` turns over."""
        n, inner = self.size, other & self.inner
        turned = self.between(disc, inner, own, 1) | self.between(disc, inner, own, -1)
        turned |= self.between(disc, other, own, n) | self.between(disc, other, own, -n)
        turned |= self.between(disc, inner, own, n - 1) | self.between(disc, inner, own, 1 - n)
        turned |= self.between(disc, inner, own, n + 1) | self.between(disc, inner, own, -1 - n)
        return turned

    def run(self, start: int, row: int, step: int) -> int:
        """The squares of `row` that follow a square of `start` without a gap, in one direction; six at most."""
        run = row & shift(start, step)
        run |= row & shift(run, step)
        pairs = row & shift(row, step)
        run |= pairs & shift(run, 2 * step)
        run |= pairs & shift(run, 2 * step)
        return run

    def beyond(self, start: int, row: int, step: int) -> int:
        """The squares just beyond each `run`."""
        return shift(self.run(start, row, step), step)

    def between(self, disc: int, row: int, end: int, step: int) -> int:
        """The `run` from `disc`, if a square of `end` is just beyond."""
        run = self.run(disc, row, step)
        return run if shift(run, step) & end else 0
