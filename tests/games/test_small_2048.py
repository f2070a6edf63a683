"""2048 on small boards, exactly: tables by a plain program with fractions, and by a published probability."""

from fractions import Fraction
from functools import cache
from typing import NamedTuple

import pytest

from outplay import CHANCE, Game, Tablebase, check_game
from outplay.tables import verify


class Board(NamedTuple):
    tiles: int  # four bits for each square: 0 for empty, r for the tile 2^r
    score: int
    coming: int  # the tiles that chance has to put down before the player moves


class Small2048(Game):
    """2048 on any board of at most 15 squares; with a goal, the player tries to make that tile, and wins 1.

    Squares are numbered row by row; the ways are up, right, down and left. An action of chance is the rank of the tile
    plus 4 times the square.
    """

    players = 1
    zero_sum = False

    def __init__(self, rows, columns, goal=0):
        self.rows, self.columns, self.goal = rows, columns, goal

    def initial_state(self):
        return Board(0, 0, 2)

    def to_move(self, board):
        return CHANCE if board.coming else 0

    def actions(self, board):
        if board.coming:
            for square in range(self.rows * self.columns):
                if board.tiles >> 4 * square & 15 == 0:
                    yield 4 * square + 1
                    yield 4 * square + 2
        else:
            for way in range(4):
                if self.slid(board.tiles, way)[0] != board.tiles:
                    yield way

    def probability(self, board, action):
        empty = 0
        for square in range(self.rows * self.columns):
            empty += board.tiles >> 4 * square & 15 == 0
        return (0.9 if action % 4 == 1 else 0.1) / empty

    def result(self, board, action):
        if board.coming:
            return Board(board.tiles | action % 4 << 4 * (action // 4), board.score, board.coming - 1)
        tiles, points = self.slid(board.tiles, action)
        return Board(tiles, board.score + (0 if self.goal else points), 1)

    def slid(self, tiles, way):
        """The tiles after a move, and its points."""
        lines, length, step = (self.columns, self.rows, self.columns) if way % 2 == 0 else (self.rows, self.columns, 1)
        found, points = 0, 0
        for line in range(lines):
            first = line if way % 2 == 0 else line * self.columns
            if way in (1, 2):
                first += step * (length - 1)
            along = -step if way in (1, 2) else step
            free, last = first, 0
            for place in range(length):
                rank = tiles >> 4 * (first + place * along) & 15
                if rank == 0:
                    continue
                if rank == last:
                    found += 1 << 4 * (free - along)
                    points += 2 << rank
                    last = 0
                else:
                    found += rank << 4 * free
                    free += along
                    last = rank
        return found, points

    def reached(self, board):
        """Whether the tile that is wanted is there."""
        for square in range(self.rows * self.columns):
            if self.goal > 0 and 1 << (board.tiles >> 4 * square & 15) == self.goal:
                return True
        return False

    def is_terminal(self, board):
        if board.coming:
            return False
        if self.reached(board):
            return True
        return all(self.slid(board.tiles, way)[0] == board.tiles for way in range(4))

    def utility(self, board, player):
        return self.reached(board) if self.goal else board.score


# -- a plain program --------------------------------------------------------------------------------------------------


def to_the_left(row):
    """A row of numbers after a move to the left, and the points."""
    numbers, points = [number for number in row if number], 0
    for place in range(len(numbers) - 1):
        if place + 1 < len(numbers) and numbers[place] == numbers[place + 1]:
            numbers[place] *= 2
            points += numbers[place]
            del numbers[place + 1]
    return (*numbers, *[0] * (len(row) - len(numbers))), points


def moves(rows):
    """All boards after a move, with the points."""
    for is_upright in (False, True):
        lines = tuple(zip(*rows, strict=True)) if is_upright else rows
        for is_backward in (False, True):
            slid = [to_the_left(line[::-1] if is_backward else line) for line in lines]
            after = tuple(line[::-1] if is_backward else line for line, _ in slid)
            after = tuple(zip(*after, strict=True)) if is_upright else after
            if after != rows:
                yield after, sum(points for _, points in slid)


@cache
def with_a_tile(rows, goal, tiles=1):
    """The expected value before chance puts down tiles."""
    empty = [(y, x) for y, row in enumerate(rows) for x, number in enumerate(row) if not number]
    total = Fraction(0)
    for y, x in empty:
        for number, chance in ((2, Fraction(9, 10)), (4, Fraction(1, 10))):
            row = (*rows[y][:x], number, *rows[y][x + 1 :])
            after = (*rows[:y], row, *rows[y + 1 :])
            total += chance * (with_a_tile(after, goal, tiles - 1) if tiles > 1 else to_play(after, goal))
    return total / len(empty)


@cache
def to_play(rows, goal):
    """The most points that are still to be won on average; with a goal, the probability to reach it."""
    if goal and max(map(max, rows)) >= goal:
        return Fraction(1)
    return max(
        (with_a_tile(after, goal) + (0 if goal else points) for after, points in moves(rows)), default=Fraction(0)
    )


def empty(rows, columns):
    return ((0,) * columns,) * rows


def test_the_plain_program_finds_what_is_published():
    """The player makes the tile 32 on 2 x 2 squares "only about 8% of the time": John Lees-Miller, The Mathematics of
    2048: Optimal Play with Markov Decision Processes (2018).
    """
    assert round(with_a_tile(empty(2, 2), 32, 2), 2) == Fraction(8, 100)
    assert to_the_left((2, 2, 2, 0)) == ((4, 2, 0, 0), 4)
    assert to_the_left((2, 2, 4, 4)) == ((4, 8, 0, 0), 12)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("rows", "columns", "goal", "value"),
    [(2, 2, 32, 0.0829), (2, 2, 0, 66.964), (2, 3, 64, 0.9393), (2, 3, 0, 480.258)],
)
def test_tables_are_exact(rows, columns, goal, value):
    """The value at the start, and on 2 x 2 squares of each board, up to the error that the table states."""
    game = Small2048(rows, columns, goal)
    assert check_game(game, playouts=20).ok
    table = Tablebase.make(game, check=False)
    wanted = with_a_tile(empty(rows, columns), goal, 2)
    assert abs(wanted - Fraction(value)) < Fraction(1, 1000)
    assert abs(Fraction(table.probe(game.initial_state()).value) - wanted) <= Fraction(table.error) < Fraction(1, 10**9)
    assert verify(table).fault == ""
    for entry in table.entries() if rows == columns else ():
        tiles, score, coming = entry.state
        numbers = [(1 << rank) * (rank > 0) for rank in (tiles >> 4 * square & 15 for square in range(rows * columns))]
        board = tuple(tuple(numbers[first : first + columns]) for first in range(0, rows * columns, columns))
        exact = with_a_tile(board, goal, coming) if coming else to_play(board, goal)
        assert abs(Fraction(entry.value) - exact - score) <= Fraction(table.error)
