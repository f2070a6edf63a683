"""Quixo, a game in which play goes in circles, with the rules of GamesmanOne, to make the same table with both.

Two players in turn take a tile from the edge of n x n, blank or their own, and push it, as their own, into its row or
column from an end, not where it was; the tiles between move up by one. Who has a row, column or diagonal of their own
tiles wins; who makes one for the opponent loses, even if they make their own too. On 4 x 4 the first player wins
(Satoshi Tanaka, François Bonnet, Sébastien Tixeuil and Yasumasa Tamura, "Quixo is solved", 2020).

Square (row, column) is bit n * row + column of a board.
"""

# ruff: noqa: D102 - the rules of a game

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from outplay import Game
from outplay.rules.bits import count, squares
from outplay.rules.indexing import spread, subset, subset_count, subset_index


class Tiles(NamedTuple):
    """The tiles of the player to move, those of the other, and whose turn it is."""

    mine: int
    theirs: int
    turn: int


class Quixo(Game):
    """Quixo; an action is the index of a tile and a direction in `pushes`."""

    utilities = (-1, 1)
    repetition = "draw"

    def __init__(self, n: int = 4) -> None:
        self.n = n
        pushes = [push for square in range(n * n) for push in self._pushes(*divmod(square, n))]
        self.tile = np.array([push[0] for push in pushes])  # int64 [pushes]: the tile, as a bit,
        self.path = np.array([push[1] for push in pushes])  # those that move, with it and where it is put,
        self.target = np.array([push[2] for push in pushes])  # where it is put,
        self.step = np.array([push[3] for push in pushes])  # and how far the others move, up if positive
        rows = [[(row, column) for column in range(n)] for row in range(n)]
        columns = [[(row, column) for row in range(n)] for column in range(n)]
        diagonals = [[(i, i) for i in range(n)], [(i, n - 1 - i) for i in range(n)]]
        self.lines = np.array([self._bits(line) for line in [*rows, *columns, *diagonals]])  # int64 [2 * n + 2]
        self.images = np.array(
            [self._images(way) for way in range(8)], np.uint16
        )  # uint16 [8, 2, 256]: images of bytes
        boards = np.arange(1 << n * n)
        images = np.array([self.images[way, 0, boards & 255] | self.images[way, 1, boards >> 8] for way in range(8)])
        self.first = images.min(axis=0)  # uint16 [2**(n*n)]: the least image of each board,
        self.ways = np.packbits(images == self.first, axis=0, bitorder="little")[
            0
        ]  # uint8 [2**(n*n)]: which ones are it,
        size = np.array([count(board) for board in range(1 << n * n)])
        sets = np.flatnonzero(self.first == boards)
        self.sets = sets[
            np.argsort(size[sets], kind="stable")
        ]  # int64: the boards that are their least image, by size,
        self.begin = np.searchsorted(size[self.sets], np.arange(n * n + 2))  # int64 [n*n + 2]: where each size begins,
        place = np.zeros(1 << n * n, np.uint16)
        place[self.sets] = np.arange(len(self.sets)) - self.begin[size[self.sets]]
        self.place = place[self.first]  # uint16 [2**(n*n)]: and the place of the least image among those of its size

    def _bits(self, squares: list[tuple[int, int]]) -> int:
        return sum(1 << self.n * row + column for row, column in squares)

    def _pushes(self, row: int, column: int) -> Iterator[tuple[int, int, int, int]]:
        last = self.n - 1
        if not {row, column} & {0, last}:
            return
        for end_row, end_column in ((row, 0), (row, last), (0, column), (last, column)):
            if (end_row, end_column) == (row, column):
                continue
            between = [
                (i, j)
                for i in range(min(row, end_row), max(row, end_row) + 1)
                for j in range(min(column, end_column), max(column, end_column) + 1)
            ]
            step = (1 if row == end_row else self.n) * (1 if (end_row, end_column) < (row, column) else -1)
            yield self._bits([(row, column)]), self._bits(between), self._bits([(end_row, end_column)]), step

    def _images(self, way: int) -> list[list[int]]:
        """The images of sets of the first eight squares, and of others, in one of eight ways to look at a board."""
        by_byte = []
        for start in (0, 8):
            images = [0]
            for square in range(start, start + 8):
                row, column = divmod(square % (self.n * self.n), self.n)
                row, column = (column, row) if way & 4 else (row, column)
                row = self.n - 1 - row if way & 2 else row
                column = self.n - 1 - column if way & 1 else column
                images += [image | 1 << self.n * row + column for image in images]
            by_byte.append(images)
        return by_byte

    def initial_state(self) -> Tiles:
        return Tiles(0, 0, 0)

    def to_move(self, tiles: Tiles) -> int:
        return tiles.turn

    def has_line(self, board: int) -> bool:
        return any(board & line == line for line in self.lines)

    def is_terminal(self, tiles: Tiles) -> bool:
        return self.has_line(tiles.mine) or self.has_line(tiles.theirs)

    def utility(self, tiles: Tiles, player: int) -> int:
        return 1 if self.has_line(tiles.mine) == (player == tiles.turn) else -1

    def actions(self, tiles: Tiles) -> Iterator[int]:
        for push in range(len(self.tile)):
            if tiles.theirs & self.tile[push] == 0:
                yield push

    def result(self, tiles: Tiles, push: int) -> Tiles:
        mine = self.after_push(tiles.mine, push) | self.target[push]
        return Tiles(self.after_push(tiles.theirs, push), mine, 1 - tiles.turn)

    def after_push(self, board: int, push: int) -> int:
        step, others = self.step[push], board & self.path[push] & ~self.tile[push]
        return int(board & ~self.path[push] | (others << step if step > 0 else others >> -step))

    def symmetries(self, tiles: Tiles) -> tuple[Tiles, ...]:
        return (
            tiles, self.image_of(tiles, 1), self.image_of(tiles, 2), self.image_of(tiles, 3),
            self.image_of(tiles, 4), self.image_of(tiles, 5), self.image_of(tiles, 6), self.image_of(tiles, 7),
        )  # fmt: skip

    def image_of(self, tiles: Tiles, way: int) -> Tiles:
        return Tiles(self.image(tiles.mine, way), self.image(tiles.theirs, way), tiles.turn)

    def image(self, board: int, way: int) -> int:
        return int(self.images[way, 0, board & 255] | self.images[way, 1, board >> 8])

    # -- tables by the number of tiles of both sides ------------------------------------------------------------------

    def state_class(self, tiles: Tiles) -> int:
        mine, theirs = count(tiles.mine), count(tiles.theirs)
        return max(mine, theirs) << 5 | min(mine, theirs)

    def index_player(self, tiles: Tiles) -> int:
        return tiles.turn if count(tiles.mine) >= count(tiles.theirs) else 1 - tiles.turn

    def index_count(self, number: int) -> int:
        more, fewer = number >> 5, number & 31
        ways = int(self.begin[more + 1] - self.begin[more]) * subset_count(self.n * self.n - more, fewer)
        return ways if more == fewer else 2 * ways

    def state_index(self, tiles: Tiles) -> int:
        number, turn = self.state_class(tiles), self.index_player(tiles) != tiles.turn
        own, others = (tiles.theirs, tiles.mine) if turn else (tiles.mine, tiles.theirs)
        least = 1 << self.n * self.n
        for way in squares(self.ways[own]):
            least = min(least, self.image(others, way))
        first = self.first[own]
        index = int(self.place[own]) * subset_count(self.n * self.n - (number >> 5), number & 31)
        index += subset_index(least, first)
        return 2 * index + turn if number >> 5 != number & 31 else index

    def indexed_state(self, number: int, index: int) -> Tiles:
        more, fewer, turn = number >> 5, number & 31, 0
        if more != fewer:
            index, turn = index >> 1, index & 1
        ways = subset_count(self.n * self.n - more, fewer)
        own = int(self.sets[self.begin[more] + index // ways])
        others = spread(subset(index % ways, fewer), own)
        return Tiles(others, own, 1) if turn else Tiles(own, others, 0)
