"""Hex: connect your two sides of a rhombus of hexagons.

Two players in turn put a stone on an empty cell. Player 0 (X) wants a chain of stones from the top to the bottom,
player 1 (O) from the left to the right. Exactly one of them always gets it, so there is no draw; by Nash's argument the
first player wins if there is no swap. With `swap`, the second player may answer the first stone by taking it over: it
becomes their stone, mirrored in the long diagonal, since their sides are the other two. Piet Hein invented the game in
1942, John Nash in 1948.

Cells are numbered row by row from the top left corner; each has up to six neighbours, here those of 4:

      a b c
    1  0 1 2
     2  3 4 5       1, 2, 3, 5, 6, 7
      3  6 7 8

A stone stores which of its player's sides it is connected with, so that a win is detected when a stone connects both:
1 + player + 4 (the top or left side) + 8 (the bottom or right side). An empty cell stores who would win there: 0 + 4
(player 0) + 8 (player 1).
"""

from string import ascii_lowercase
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.games._parameters import switch, whole_number
from outplay.games._pictures import DISCS, ROUND, hex_picture, on_cells, outcome, turn_line
from outplay.games._texts import read_board, write_board
from outplay.rules.board import Picture
from outplay.rules.errors import RulesError
from outplay.rules.game import Game

BOTH = 3
"""Connected with both sides, 1 and 2."""
AROUND = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))
"""Down and right to each neighbour of a cell."""


class Board(NamedTuple):
    """The stones, whose turn it is, and who has won."""

    stones: NDArray[
        np.int8
    ]  # int8 [n * n]: 1 + player + 4 * sides; empty: 4 * a set of the players who would win there
    filled: int  # the number of stones
    turn: int
    winner: int  # -1 as long as nobody has won
    winning: tuple[int, int]  # for each player, the number of cells that would win


class Hex(Game):
    """Hex on n x n cells, with or without the swap rule; an action is a cell, such as `b3`, or `swap`.

    >>> game = Hex(4)
    >>> board = game.initial_state()
    >>> for move in "b3", "swap", "b2":
    ...     board = game.result(board, game.parse_action(board, move))
    >>> print(game.render(board))
      a b c d
    1 . . . .
     2 . X O .
      3 . . . .
       4 . . . .
    O to move
    >>> game.state_text(board)
    '4/1XO1/4/4 O'
    """

    utilities = (-1, 1)
    amaf_friendly = True
    feature_names = ("stones_needed",)
    forced_result_depth = (2, 3)

    def __init__(self, n: int = 11, swap: bool = True) -> None:
        self.n = whole_number("n", n, 2, 26)
        self.swap = switch("swap", swap)
        self.cells = n * n
        self.neighbours = self._neighbours()  # int64 [n * n, 6]; -1 beyond the board
        self.sides = self._sides()  # int8 [2, n * n]: for each player the sides next to each cell

    def initial_state(self) -> Board:
        return Board(np.zeros(self.cells, np.int8), 0, 0, -1, (0, 0))

    def to_move(self, board: Board) -> int:
        return board.turn

    def actions(self, board: Board) -> NDArray[np.int64]:
        """The empty cells, and `n * n` for the swap."""
        return self.cells_with(board, 3, 0 if board.winner < 0 else 3)

    def cells_with(self, board: Board, bits: int, wanted: int) -> NDArray[np.int64]:
        """The cells whose `bits` are as `wanted`, and `n * n` for the swap."""
        chosen, number = np.empty(self.cells + 1, np.int64), 0  # a loop is faster than `np.flatnonzero`
        for cell in range(self.cells):
            if board.stones[cell] & bits == wanted:
                chosen[number] = cell
                number += 1
        if self.can_swap(board):
            chosen[number] = self.cells
            number += 1
        return chosen[:number]

    def can_swap(self, board: Board) -> bool:
        """Whether the player to move may take over the only stone."""
        return self.swap and board.filled == 1 and board.turn == 1

    def result(self, board: Board, action: int) -> Board:
        stones, player = board.stones.copy(), board.turn
        cell, filled, winning = int(action), board.filled + 1, board.winning
        if cell == self.cells:
            first = int(np.argmax(stones & 3))
            stones[:] = 0
            cell, filled, winning = first % self.n * self.n + first // self.n, 1, (0, 0)
        here = int(stones[cell]) >> 2
        new = self.put(stones, cell, player)
        first, second = winning[0] - (here & 1), winning[1] - (here >> 1)
        winning = (first + new, second) if player == 0 else (first, second + new)
        return Board(stones, filled, 1 - player, player if stones[cell] >> 2 == BOTH else -1, winning)

    def put(self, stones: NDArray[np.int8], cell: int, player: int) -> int:
        """Put a stone on an empty cell and update the sides of its chain; returns how many more cells would win now."""
        sides = self.connected(stones, cell, player)
        stones[cell] = 1 + player + 4 * sides
        if sides == 0:
            return 0
        stack = np.empty(self.cells, np.int64)  # a stack of stones whose neighbours are to be updated
        stack[0], top, new_wins = cell, 1, 0
        while top > 0:
            top -= 1
            for other in self.neighbours[stack[top]]:
                if other < 0:
                    continue
                if stones[other] & 3 == 0:
                    if stones[other] >> 2 + player & 1 == 0 and self.connected(stones, other, player) == BOTH:
                        stones[other] += 4 << player
                        new_wins += 1
                elif stones[other] & 3 == 1 + player and stones[other] >> 2 != sides:
                    stones[other] = 1 + player + 4 * sides
                    stack[top] = other
                    top += 1
        return new_wins

    def connected(self, stones: NDArray[np.int8], cell: int, player: int) -> int:
        """The sides of `player` that a stone of theirs on `cell` would be connected with: 0 to 3."""
        sides = int(self.sides[player, cell])
        for other in self.neighbours[cell]:
            if other >= 0 and stones[other] & 3 == 1 + player:
                sides |= int(stones[other]) >> 2
        return sides

    def is_terminal(self, board: Board) -> bool:
        return board.winner >= 0

    def utility(self, board: Board, player: int) -> int:
        return 1 if board.winner == player else -1

    def forced_result(self, board: Board) -> tuple[int, int]:
        """A win now; or a loss in two, if one stone cannot stop the opponent."""
        if board.winning[board.turn] > 0:
            return 1, 1
        if board.winning[1 - board.turn] > 1 and not self.can_swap(board):
            return -1, 2
        return 0, 0

    def candidates(self, board: Board) -> NDArray[np.int64]:
        """The cells that the opponent must not get; if there is none, all actions."""
        losing = 4 << 1 - board.turn if self.needs_extension(board) and not self.can_swap(board) else 0
        return self.cells_with(board, 3 | losing, losing)

    def needs_extension(self, board: Board) -> bool:
        """Whether the opponent could win at once."""
        return board.winning[1 - board.turn] > 0

    def evaluate(self, board: Board, player: int) -> float:
        """Compares the minimum numbers of stones that the players still need."""
        mine, theirs = self.distance(board.stones, player), self.distance(board.stones, 1 - player)
        return (theirs - mine) / (theirs + mine + 1)

    def distance(self, stones: NDArray[np.int8], player: int) -> int:
        """The minimum number of stones that connect the sides of `player` if the opponent does nothing.

        Dijkstra's shortest path, where an empty cell is a step of 1 and a stone of `player` a step of 0. `n * n` if
        the opponent has won.
        """
        far = self.cells
        steps = np.full(self.cells, far, np.int64)  # int64 [n * n]: to the first side
        queue = np.empty(self.cells, np.int64)  # reached by this number of steps; a stack in which chains are followed
        nexts = np.empty(self.cells, np.int64)  # reached by one more step
        reached, later = 0, 0
        for cell in range(self.cells):
            if self.sides[player, cell] & 1 and stones[cell] & 3 != 2 - player:
                steps[cell] = 1 if stones[cell] & 3 == 0 else 0
                if steps[cell] == 0:
                    queue[reached] = cell
                    reached += 1
                else:
                    nexts[later] = cell
                    later += 1
        while reached + later > 0:
            if reached == 0:
                queue, nexts = nexts, queue
                reached, later = later, 0
            reached -= 1
            cell = queue[reached]
            if self.sides[player, cell] & 2:
                return int(steps[cell])
            for other in self.neighbours[cell]:
                if other < 0 or steps[other] < far or stones[other] & 3 == 2 - player:
                    continue
                if stones[other] & 3 == 0:
                    steps[other] = steps[cell] + 1
                    nexts[later] = other
                    later += 1
                else:
                    steps[other] = steps[cell]
                    queue[reached] = other
                    reached += 1
        return far

    def order(self, board: Board, action: int) -> int:
        """The swap first, then cells by their distance to the centre."""
        if action == self.cells:
            return 1
        down, right = 2 * (action // self.n) - self.n + 1, 2 * (action % self.n) - self.n + 1
        return -max(abs(down), abs(right), abs(down + right))

    def features(self, board: Board) -> tuple[int]:
        """The minimum number of stones that the player to move still needs, minus that of the opponent."""
        return (self.distance(board.stones, board.turn) - self.distance(board.stones, 1 - board.turn),)

    def key(self, board: Board) -> tuple[NDArray[np.int8], int]:
        return board.stones, board.turn

    def symmetries(self, board: Board) -> tuple[Board, Board]:
        """The board, and the board turned by half a circle."""
        turned = board.stones[::-1].copy()
        for cell in range(self.cells):
            stone = turned[cell]
            if stone & 3:  # the sides are exchanged
                turned[cell] = stone & 3 | (stone & 4) << 1 | (stone & 8) >> 1
        return (board, Board(turned, board.filled, board.turn, board.winner, board.winning))

    def board(self, board: Board) -> list[list[str]]:
        """The rows of the board, the top one first."""
        marks = [f".{DISCS}"[stone & 3] for stone in board.stones.tolist()]
        return [marks[row * self.n : (row + 1) * self.n] for row in range(self.n)]

    def render(self, board: Board) -> str:
        width = len(str(self.n))
        lines = [" " * (width + 1) + " ".join(ascii_lowercase[: self.n])]
        for number, row in enumerate(self.board(board)):
            lines.append(" " * number + f"{number + 1:>{width}} " + " ".join(row))
        return "\n".join([*lines, outcome(self, board, DISCS)])

    def picture(self, board: Board) -> Picture:
        marks = (mark for row in self.board(board) for mark in row)
        pieces = on_cells(marks, dict(zip(DISCS, ROUND, strict=True)))
        return hex_picture(self.n, self.n, pieces, [turn_line(self, board, DISCS, ROUND)])

    def observation(self, board: Board, player: int) -> NDArray[np.float32]:
        """The stones of the player and of the opponent, the seat and whether the player is to move, as planes."""
        planes = np.zeros((4, self.n, self.n), np.float32)
        for cell in range(self.cells):
            owner = int(board.stones[cell] & 3) - 1
            if owner >= 0:
                planes[0 if owner == player else 1, cell // self.n, cell % self.n] = 1
        planes[2], planes[3] = player, 1 if board.turn == player else 0
        return planes

    def action_name(self, board: Board, action: int) -> str:
        return "swap" if action == self.cells else f"{ascii_lowercase[action % self.n]}{action // self.n + 1}"

    def parse_action(self, board: Board, text: str) -> int:
        """The action that `text` names, in lower or upper case."""
        return super().parse_action(board, text.strip().lower())

    def state_text(self, board: Board) -> str:
        """The rows from the top, with `X`, `O` and numbers for runs of empty cells, and the player to move."""
        return write_board(self.board(board), DISCS[board.turn])

    def parse_state(self, text: str) -> Board:
        rows, turn = read_board(text, self.n, self.n, DISCS, DISCS, from_top=True)
        stones = self.initial_state().stones
        winner = -1
        for cell, mark in enumerate("".join(rows)):
            if mark != ".":
                self.put(stones, cell, DISCS.index(mark))
                if stones[cell] >> 2 == BOTH:
                    winner = DISCS.index(mark)
        if winner == turn:
            raise RulesError(f"{text!r}: {DISCS[turn]} is to move, but has won")
        empty = stones[stones & 3 == 0]
        winning = int((empty >> 2 & 1).sum()), int((empty >> 3).sum())
        return Board(stones, len(stones) - len(empty), turn, winner, winning)

    def _neighbours(self) -> NDArray[np.int64]:
        neighbours = np.full((self.cells, len(AROUND)), -1, np.int64)
        for cell in range(self.cells):
            for place, (down, right) in enumerate(AROUND):
                row, column = cell // self.n + down, cell % self.n + right
                if 0 <= row < self.n and 0 <= column < self.n:
                    neighbours[cell, place] = row * self.n + column
        return neighbours

    def _sides(self) -> NDArray[np.int8]:
        rows = np.repeat(np.arange(self.n), self.n)
        upright = (rows == 0) + 2 * (rows == self.n - 1)
        return np.array([upright, upright.reshape(self.n, self.n).T.ravel()], np.int8)
