"""Chinese Checkers: step and hop across the star, until the far camp is full.

Two, three, four or six players sit at the points of a star. Each fills a camp with stones and wants to fill the camp
opposite. In turn they move a stone: a step to an empty neighbouring hole, or any number of hops, each in a straight
line over a stone of any player to the empty hole directly behind it. Nothing is captured, and every hole of the star is
open to all. A player without a move passes. Two players sit opposite each other, three at every other point, four at
two pairs of opposite points; turns go clockwise in the picture.

A player wins who, after moving, finds every hole of the far camp occupied with at least one stone of their own in it,
so nobody can prevent a win by leaving stones at home. After `longest` moves of all players together the game is a draw.
With n players the winner gets n - 1, one from each of the others.

Holes are numbered row by row from the bottom left, and named by the letter of the row and the place in it. A camp of 3
stones makes a star of 37 holes; with six players the camps are as on the right:

    i              36                             3
    h            34  35                          3 3
    g   27  28  29  30  31  32  33          2 2 . . . 4 4
    f     21  22  23  24  25  26             2 . . . . 4
    e       16  17  18  19  20                . . . . .
    d     10  11  12  13  14  15             1 . . . . 5
    c    3   4   5   6   7   8   9          1 1 . . . 5 5
    b             1   2                          0 0
    a               0                             0

A set of holes is two ints: `low` for the first 61 holes, the lower half of the largest star with its middle row, `high`
for the rest. An action is `start * holes + end`, by whatever hops the stone gets there; the last action is to pass.
Start reading at `ChineseCheckers.ends`.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.random_numbers import random_below
from outplay.games._parameters import whole_number
from outplay.games._pictures import from_below, on_cells, outcome, turn_line
from outplay.games._texts import read_board, write_board
from outplay.rules.bits import lowest, squares
from outplay.rules.board import Picture, Piece, hexagon_board
from outplay.rules.errors import RulesError
from outplay.rules.game import Game

HALF = 61
"""The number of holes in `low`."""
WAYS = ((1, 0, -1), (0, 1, -1), (-1, 1, 0), (-1, 0, 1), (0, -1, 1), (1, -1, 0))
"""From a hole to its neighbours, in three coordinates of sum 0; the second one is the row."""
TIPS = ((1, -2, 1), (-1, -1, 2), (-2, 1, 1), (-1, 2, -1), (1, 1, -2), (2, -1, -1))
"""The points of a star with camps of one row, clockwise from the bottom."""
SEATS = {2: (0, 3), 3: (0, 2, 4), 4: (0, 1, 3, 4), 6: (0, 1, 2, 3, 4, 5)}
"""The points at which players sit, by the number of players."""


class Position(NamedTuple):
    """The stones of all players, with the player to move first and the others in turn order."""

    lows: tuple[int, ...]  # for each player the set of stones on holes 0 to 60
    highs: tuple[int, ...]  # and on holes 61 and up
    turn: int
    moves: int  # the number of moves that all players have made
    winner: int  # -1 for nobody


class ChineseCheckers(Game):
    """Chinese Checkers for 2, 3, 4 or 6 players with camps of 1, 3, 6 or 10 stones; `d1-e5` moves a stone.

    >>> game = ChineseCheckers(players=3, camp=3)
    >>> position = game.initial_state()
    >>> for move in "b1-c4", "g2-g3", "g7-e5":
    ...     position = game.result(position, game.parse_action(position, move))
    >>> print(game.render(position))
    i        .
    h       . .
    g  B . B . . C .
    f   B . . . . C
    e    . . . . C
    d   . . . . . .
    c  . . . A . . .
    b       . A
    a        A
    A to move
    >>> game.state_text(position)
    '1/2/B1B2C1/B4C/4C/6/3A3/1A/A A 3'
    """

    player_marks = ("A", "B", "C", "D", "E", "F")

    def __init__(self, players: int = 2, camp: int = 10, longest: int = 1000) -> None:
        if players not in SEATS:
            raise RulesError(f"players={players!r}: Chinese Checkers is for 2, 3, 4 or 6 players")
        if camp not in (1, 3, 6, 10):
            raise RulesError(f"camp={camp!r}: a camp has 1, 3, 6 or 10 stones")
        self.players = int(players)
        self.camp = int(camp)
        self.longest = whole_number("longest", longest, 1, 1_000_000)
        self.utilities = (-1, players - 1)
        side = (1, 3, 6, 10).index(camp) + 1  # rows of a camp
        places = [p for p in product(range(-2 * side, 2 * side + 1), repeat=3) if sum(p) == 0]
        places = [p for p in places if max(p) <= side or min(p) >= -side]
        places.sort(key=lambda p: (p[1], p[0] - p[2]))
        numbers = {place: hole for hole, place in enumerate(places)}
        self.holes = len(places)
        self.widths = tuple(sum(p[1] == row for p in places) for row in range(-2 * side, 2 * side + 1))  # of the rows
        self.near = self._table(places, numbers, 1)  # int64 [holes, 6]: the neighbours, -1 outside of the star
        self.far = self._table(places, numbers, 2)  # int64 [holes, 6]: where a hop ends
        self.steps = np.array([pair([n for n in near.tolist() if n >= 0]) for near in self.near])  # int64 [holes, 2]
        tips = [tuple(side * part for part in tip) for tip in TIPS]
        distances = [[max(abs(a - b) for a, b in zip(p, tip, strict=True)) for p in places] for tip in tips]
        camps = [[hole for hole in range(self.holes) if distance[hole] < side] for distance in distances]
        seats = SEATS[players]
        self.home_lows, self.home_highs = zip(*(pair(camps[seat]) for seat in seats), strict=True)
        self.goals = tuple(pair(camps[(seat + 3) % 6]) for seat in seats)
        self.distances = np.array(
            [distances[(seat + 3) % 6] for seat in seats]
        )  # int64 [players, holes]: steps to the far tip
        self.start_distance = sum(distances[0][hole] for hole in camps[3])  # the sum over all stones of a player
        self.goal_distance = sum(distances[0][hole] for hole in camps[0])
        self.mirrored = np.array([numbers[p[::-1]] for p in places])  # int64 [holes]: left and right exchanged

    def initial_state(self) -> Position:
        return Position(self.home_lows, self.home_highs, 0, 0, -1)

    def to_move(self, position: Position) -> int:
        return position.turn

    def action_limit(self) -> int:
        return self.holes * self.holes

    def actions(self, position: Position) -> Iterator[int]:
        if self.is_terminal(position):
            return
        low, high = self.taken(position)
        is_stuck = True
        for half in range(2):
            for bit in squares(position.lows[0] if half == 0 else position.highs[0]):
                start = bit + half * HALF
                end_low, end_high = self.ends(start, low, high)
                for end_half in range(2):
                    for end in squares(end_low if end_half == 0 else end_high):
                        is_stuck = False
                        yield start * self.holes + end + end_half * HALF
        if is_stuck:
            yield self.holes * self.holes

    def taken(self, position: Position) -> tuple[int, int]:
        """All stones."""
        low, high = 0, 0
        for player in range(self.players):
            low |= position.lows[player]
            high |= position.highs[player]
        return low, high

    def ends(self, start: int, low: int, high: int) -> tuple[int, int]:
        """The holes to which the stone on `start` can move; `low` and `high` are all stones on the board."""
        # 1. Take the stone off: its hole can be hopped to, and it cannot be hopped over.
        if start < HALF:
            low &= ~(1 << start)
        else:
            high &= ~(1 << start - HALF)
        # 2. All holes that hops reach, one after the other; `next_` are those to continue from.
        end_low, end_high = single(start)
        next_low, next_high = end_low, end_high
        while next_low | next_high:
            if next_low:
                hole = lowest(next_low)
                next_low &= next_low - 1
            else:
                hole = lowest(next_high) + HALF
                next_high &= next_high - 1
            if self.steps[hole, 0] & low | self.steps[hole, 1] & high:
                for way in range(6):
                    end = self.far[hole, way]
                    if (
                        end >= 0
                        and has(low, high, self.near[hole, way])
                        and not has(low | end_low, high | end_high, end)
                    ):
                        new_low, new_high = single(end)
                        end_low, end_high = end_low | new_low, end_high | new_high
                        next_low, next_high = next_low | new_low, next_high | new_high
        # 3. Steps; staying is not a move.
        start_low, start_high = single(start)
        end_low |= self.steps[start, 0] & ~low
        end_high |= self.steps[start, 1] & ~high
        return end_low & ~start_low, end_high & ~start_high

    def result(self, position: Position, action: int) -> Position:
        low, high, turn = position.lows[0], position.highs[0], position.turn
        if action < self.holes * self.holes:
            start_low, start_high = single(action // self.holes)
            end_low, end_high = single(action % self.holes)
            low, high = low & ~start_low | end_low, high & ~start_high | end_high
        lows, highs = position.lows[1:] + (low,), position.highs[1:] + (high,)  # noqa: RUF005 - `*` does not compile
        after = Position(lows, highs, (turn + 1) % self.players, position.moves + 1, -1)
        return Position(lows, highs, after.turn, after.moves, turn) if self.has_arrived(after) else after

    def has_arrived(self, position: Position) -> bool:
        """Whether the player who has just moved has won."""
        goal_low, goal_high = self.goals[(position.turn - 1) % self.players]
        low, high = self.taken(position)
        is_full = low & goal_low == goal_low and high & goal_high == goal_high
        return (
            is_full and position.lows[self.players - 1] & goal_low | position.highs[self.players - 1] & goal_high != 0
        )

    def is_terminal(self, position: Position) -> bool:
        return position.winner >= 0 or position.moves >= self.longest

    def utility(self, position: Position, player: int) -> int:
        if position.winner < 0:
            return 0
        return self.players - 1 if position.winner == player else -1

    # -- hints ------------------------------------------------------------------------------------------------------

    def evaluate(self, position: Position, player: int) -> float:
        """The fraction of the way that `player` has gone, minus that of the others on average."""
        mine, all_ = 0, 0
        for other in range(self.players):
            gone = self.gone(position, other)
            all_ += gone
            if other == player:
                mine = gone
        whole = (self.players - 1) * (self.start_distance - self.goal_distance)
        return (self.players * mine - all_) / whole

    def gone(self, position: Position, player: int) -> int:
        """The number of steps by which all stones of `player` together have come nearer to the far tip."""
        place, left = (player - position.turn) % self.players, 0
        for hole in squares(position.lows[place]):
            left += int(self.distances[player, hole])
        for hole in squares(position.highs[place]):
            left += int(self.distances[player, hole + HALF])
        return self.start_distance - left

    def order(self, position: Position, action: int) -> int:
        """The number of steps by which the stone comes nearer to the far tip."""
        if action == self.holes * self.holes:
            return 0
        distances = self.distances[position.turn]
        return int(distances[action // self.holes] - distances[action % self.holes])

    def playout_action(self, position: Position, last: int, random: Any) -> int:
        """A move that goes nearly as far as any; with all moves equally likely, hardly any game would end."""
        chosen, most = -1, -1_000_000
        for action in self.actions(position):
            worth = 64 * self.order(position, action) + random_below(random, 192)
            if worth > most:
                chosen, most = action, worth
        return chosen

    def symmetries(self, position: Position) -> tuple[Position, Position]:
        """The star with left and right exchanged, for two players; with more, players would change places."""
        if self.players > 2:
            return (position, position)
        lows, highs = position.lows, position.highs
        for place in range(self.players):
            low, high = self.mirror(position, place)
            lows, highs = lows[1:] + (low,), highs[1:] + (high,)  # noqa: RUF005 - `*` does not compile
        return (position, Position(lows, highs, position.turn, position.moves, position.winner))

    def mirror(self, position: Position, place: int) -> tuple[int, int]:
        """The stones of one player with left and right exchanged."""
        low, high = 0, 0
        for half in range(2):
            for bit in squares(position.lows[place] if half == 0 else position.highs[place]):
                more_low, more_high = single(self.mirrored[bit + half * HALF])
                low, high = low | more_low, high | more_high
        return low, high

    # -- for people -------------------------------------------------------------------------------------------------

    def rows(self, position: Position) -> list[list[str]]:
        """The marks of the holes, the top row first."""
        marks = ["."] * self.holes
        for place, (low, high) in enumerate(zip(position.lows, position.highs, strict=True)):
            for hole in (*squares(low), *(bit + HALF for bit in squares(high))):
                marks[hole] = self.player_marks[(position.turn + place) % self.players]
        ends = np.cumsum(self.widths).tolist()
        return [marks[end - width : end] for end, width in zip(ends, self.widths, strict=True)][::-1]

    def render(self, position: Position) -> str:
        rows, widest = self.rows(position), max(self.widths)
        letters = reversed(ascii_lowercase[: len(rows)])
        lines = [f"{name}  {' ' * (widest - len(row))}{' '.join(row)}" for name, row in zip(letters, rows, strict=True)]
        return "\n".join([*lines, outcome(self, position, self.player_marks)])

    def hole_name(self, hole: int) -> str:
        """The letter of the row and the place in it, from 1."""
        row = 0
        while hole >= self.widths[row]:
            hole -= self.widths[row]
            row += 1
        return f"{ascii_lowercase[row]}{hole + 1}"

    def picture(self, position: Position) -> Picture:
        discs = tuple(Piece(player=player, shape="disc") for player in range(self.players))
        pieces = on_cells(from_below(self.rows(position)), dict(zip(self.player_marks, discs, strict=False)))
        last, ends = len(self.widths) - 1, np.cumsum(self.widths).tolist()
        spots: dict[Any, tuple[float, float]] = {}
        for row, (end, width) in enumerate(zip(ends, self.widths, strict=True)):
            line = last - row
            spots |= {end - width + place: (line, place - (width - 1 + line) / 2) for place in range(width)}
        widest = max(self.widths) / 2
        letters = [
            (letter, last - row, -widest - 0.5 - (last - row) / 2)
            for row, letter in enumerate(ascii_lowercase[: last + 1])
        ]
        board = hexagon_board(
            spots, pieces, [turn_line(self, position, self.player_marks, discs)], labels=letters, shape="round"
        )
        at = {place.cell: (place.x, place.y) for place in board.places}
        pairs = [(hole, other) for hole in range(self.holes) for other in self.near[hole].tolist() if other > hole]
        return replace(board.named(self.hole_name), lines=[(*at[hole], *at[other]) for hole, other in pairs])

    def action_cells(self, position: Position, action: int) -> tuple[int, ...]:
        return () if action == self.holes * self.holes else (int(action) // self.holes, int(action) % self.holes)

    def action_name(self, position: Position, action: int) -> str:
        if action == self.holes * self.holes:
            return "pass"
        return f"{self.hole_name(action // self.holes)}-{self.hole_name(action % self.holes)}"

    def parse_action(self, position: Position, text: str) -> int:
        """The action that `text` names, in lower or upper case."""
        return super().parse_action(position, text.strip().lower())

    def state_text(self, position: Position) -> str:
        """The rows from the top, a letter for each stone and numbers for empty holes; the turn; the moves made."""
        return f"{write_board(self.rows(position), self.player_marks[position.turn])} {position.moves}"

    def parse_state(self, text: str) -> Position:
        text = text.strip()
        board, _, moves = text.rpartition(" ")
        if not moves.isdecimal() or int(moves) > self.longest:
            raise RulesError(
                f"{text!r}: must end with the number of moves made, at most {self.longest};"
                f" such as {self.state_text(self.initial_state())}"
            )
        marks = "".join(self.player_marks[: self.players])
        rows, turn = read_board(board, len(self.widths), self.widths[::-1], marks, marks)
        holes = "".join(reversed(rows))
        for mark in marks:
            if holes.count(mark) != self.camp:
                raise RulesError(f"{text!r}: {holes.count(mark)} stones {mark}, but each player has {self.camp}")
        players = [(turn + place) % self.players for place in range(self.players)]
        stones = [pair([hole for hole in range(self.holes) if holes[hole] == marks[player]]) for player in players]
        lows, highs = tuple(low for low, _ in stones), tuple(high for _, high in stones)
        position = Position(lows, highs, turn, int(moves), -1)
        return position._replace(winner=players[-1]) if self.has_arrived(position) else position

    def _table(
        self, places: list[tuple[int, ...]], numbers: dict[tuple[int, ...], int], steps: int
    ) -> NDArray[np.int64]:
        """For every hole, the holes that are `steps` steps away in all six directions; -1 outside of the star."""
        ends = [[tuple(a + steps * b for a, b in zip(place, way, strict=True)) for way in WAYS] for place in places]
        return np.array([[numbers.get(end, -1) for end in row] for row in ends], np.int64)


def single(hole: int) -> tuple[int, int]:
    """The set with only this hole."""
    return (1 << hole, 0) if hole < HALF else (0, 1 << hole - HALF)


def has(low: int, high: int, hole: int) -> bool:
    """Whether a hole is in a set."""
    return (low >> hole if hole < HALF else high >> hole - HALF) & 1 == 1


def pair(holes: list[int]) -> tuple[int, int]:
    """A set of these holes."""
    return sum(1 << hole for hole in holes if hole < HALF), sum(1 << hole - HALF for hole in holes if hole >= HALF)
