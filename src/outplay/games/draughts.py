"""Draughts: capture by jumping; the player who cannot move loses.

Two players move men diagonally forwards on the dark squares of a board, and capture by jumping over a piece of the
opponent onto an empty square behind it. A player who can capture must, and continues as long as the same piece can
capture; all of that is one move. A man that ends its move on the last row becomes a king, which moves backwards too.

- English draughts, or checkers, on 8 x 8 squares: a king steps one square, men do not capture backwards, and a man that
  reaches the last row stops there. Any of the captures may be chosen. Black, at the top, begins.
- International draughts on 10 x 10: kings fly any distance, men capture backwards too, and the move must be one that
  captures the most pieces. Captured pieces stay in the way until the end of the move and cannot be jumped twice, and a
  man that passes over the last row in a capture remains a man. White, at the bottom, begins.

The rules are those of the World Checkers/Draughts Federation and of the World Draughts Federation (FMJD). The game is a
draw when a state occurs for the third time, and after 40 or 25 moves of each player without a capture or a man's move.
The international rules that shorten endings with few kings are left out. OpenSpiel's checkers are the English game, but
each jump is an action of its own, and 40 plies without a capture are a draw.

Squares are numbered from 1, row by row. A set of squares is one int, with an unused bit, always 0, after every two
rows. So a step in one direction is the same shift from every square: 4 or 5 bits down, and the same up. The numbers
every two rows, so that a step from any square is one and the same shift: 4 or 5 bits down, and the same up. The numbers
of the squares and their bits in English draughts:

       1   2   3   4          0   1   2   3
     5   6   7   8          4   5   6   7      8 unused
       9  10  11  12          9  10  11  12
    13  14  15  16         13  14  15  16     17 unused
      17  18  19  20         18  19  20  21
    21  22  23  24         22  23  24  25     26 unused
      25  26  27  28         27  28  29  30
    29  30  31  32         31  32  33  34

An action holds where the piece starts, where it ends and what it captures; nothing depends on the route it takes:

    bits 0-5     the bit of the first square
    bits 6-11    the bit of the last square
    bits 12-     the set of captured pieces without the bits of the top row, where nothing can be captured

Start reading at `Draughts.captures`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from math import prod
from re import fullmatch, sub
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.games._pictures import ROUND, grid, outcome, turn_line
from outplay.rules.bits import count, lowest, squares
from outplay.rules.board import Picture, Piece, square_board
from outplay.rules.errors import RulesError
from outplay.rules.game import Game
from outplay.rules.indexing import spread, subset, subset_count, subset_index

MAX_TABLE_PIECES = 6
"""The maximum number of pieces for tables by material."""
SQUARE = 63
"""The bits of one square in an action."""
PIECES = "wWbB"
"""The marks of men and kings: white ones, then black ones."""


SIGNS = str.maketrans(":×–", "xx-")
"""Other signs that people write between squares."""


class Position(NamedTuple):
    """The pieces on the board, and whose turn it is."""

    mine: int  # set of squares: pieces of the player to move
    theirs: int  # set of squares: pieces of the other player
    kings: int  # set of squares: kings of both players
    turn: int
    idle: int  # plies since the last capture or man's move


class Draughts(Game):
    """The common part of the games of draughts; a variant sets the attributes below."""

    utilities = (-1, 1)
    repetition = "draw"
    repetitions = 3
    feature_names = ("men", "kings", "guards", "rows")
    feature_weights: ClassVar[Mapping[str, Mapping[str, float]]] = {"material": {"men": 1, "kings": 2}}

    size: int
    """The number of rows and of columns."""
    colours: tuple[str, str]
    """White plays upwards, black downwards."""
    flying_kings: bool
    """Whether kings move any distance."""
    backward_captures: bool
    """Whether men capture backwards."""
    majority: bool
    """Whether the most pieces must be captured, and a man on the last row continues if it can."""
    longest_idle: int
    """The number of plies without a capture or a man's move after which the game is a draw."""
    row_counts: float
    """The worth in `evaluate` of each row that a man has advanced."""
    guard_counts: float
    """The worth of a man on the first row."""

    def __init__(self) -> None:
        self.width = self.size // 2  # squares in a row
        self.rows = tuple((1 << self.width) - 1 << self.bit(row * self.width + 1) for row in range(self.size))
        self.board = sum(self.rows)
        self.inside = self.board & ~(self.rows[0] | self.rows[-1])
        self.last = self.bit(self.size * self.width)
        self.upper = sum(self.rows[: self.size // 2 - 1])  # where black's men start
        self.lower = sum(self.rows[self.size // 2 + 1 :])
        self.steps = (-self.width - 1, -self.width, self.width, self.width + 1)
        self.reach = 2 * (self.size - 1) if self.flying_kings else 4  # the maximum number of squares a king can step to
        self.downwards = self.colours.index("black")  # the player whose men move downwards
        self.first = self.first_indices()

    def bit(self, number: int) -> int:
        """The bit of the square with this number."""
        return (number - 1) // self.size * (self.size + 1) + (number - 1) % self.size

    def number(self, bit: int) -> int:
        """The number of the square with this bit."""
        return bit // (self.size + 1) * self.size + bit % (self.size + 1) + 1

    # -- the rules --------------------------------------------------------------------------------------------------

    def initial_state(self) -> Position:
        mine, theirs = (self.upper, self.lower) if self.downwards == 0 else (self.lower, self.upper)
        return Position(mine, theirs, 0, 0, 0)

    def to_move(self, position: Position) -> int:
        return position.turn

    def actions(self, position: Position) -> NDArray[np.int64]:
        if position.idle >= self.longest_idle:
            return np.empty(0, np.int64)
        capturing = self.capturing(position)
        return self.captures(position, capturing) if capturing else self.steps_aside(position)

    def result(self, position: Position, action: int) -> Position:
        start, end, captured = 1 << (action & SQUARE), 1 << (action >> 6 & SQUARE), self.captured(action)
        mine = position.mine & ~start | end
        kings = position.kings & ~(start | captured)
        was_king = position.kings & start != 0
        if was_king or end & self.last_row(position.turn):
            kings |= end
        idle = position.idle + 1 if was_king and not captured else 0
        return Position(position.theirs & ~captured, mine, kings, 1 - position.turn, idle)

    def is_terminal(self, position: Position) -> bool:
        return position.idle >= self.longest_idle or not self.can_move(position)

    def utility(self, position: Position, player: int) -> int:
        if self.can_move(position):
            return 0
        return -1 if position.turn == player else 1

    def key(self, position: Position) -> tuple[int, int, int, int, int]:
        """The position, with `idle` only in the last 20 plies before it makes a draw.

        With the count, a state could never occur again, and the rule of repetition would have no effect.
        """
        return (*position[:4], max(0, position.idle - self.longest_idle + 20))

    def captured(self, action: int) -> int:
        """The pieces that `action` captures."""
        return action >> 12 << self.width

    def last_row(self, player: int) -> int:
        """The row where the men of `player` become kings."""
        return self.rows[-1] if player == self.downwards else self.rows[0]

    def can_move(self, position: Position) -> bool:
        """Whether the player to move has a piece that can move."""
        empty = self.board & ~(position.mine | position.theirs)
        for step in self.steps:
            if self.stepping(position, step) & shifted(empty, -step):
                return True
        return self.capturing(position) != 0

    def stepping(self, position: Position, step: int) -> int:
        """The pieces of the player to move that could step in this direction if there were room."""
        is_forward = (step > 0) == (position.turn == self.downwards)
        return position.mine if is_forward else position.mine & position.kings

    def steps_aside(self, position: Position) -> NDArray[np.int64]:
        """The moves that capture nothing."""
        kings = count(position.mine & position.kings)
        moves, number = np.empty(2 * count(position.mine) + self.reach * kings, np.int64), 0
        empty = self.board & ~(position.mine | position.theirs)
        for step in self.steps:
            for square in squares(self.stepping(position, step) & shifted(empty, -step)):
                end = square + step
                moves[number] = end << 6 | square
                number += 1
                if self.flying_kings and position.kings >> square & 1:
                    end += step
                    while end >= 0 and empty >> end & 1:
                        moves[number] = end << 6 | square
                        number += 1
                        end += step
        return moves[:number]

    def capturing(self, position: Position) -> int:
        """The pieces of the player to move that can capture."""
        kings = position.mine & position.kings
        empty = self.board & ~(position.mine | position.theirs)
        capturers = 0
        for step in self.steps:
            near = shifted(position.theirs & shifted(empty, -step), -step)  # squares from which one jumps
            capturers |= near & (position.mine if self.backward_captures else self.stepping(position, step))
            if self.flying_kings and kings:
                near &= empty
                while near:
                    near = shifted(near, -step)
                    capturers |= near & kings
                    near &= empty
        return capturers

    def captures(self, position: Position, capturing: int) -> NDArray[np.int64]:
        """The moves in which the pieces `capturing` capture; one for each start, end and set of captures.

        All captures grow by one jump at a time. `found[:kept]` are complete, `found[first:last]` have as many jumps as
        rounds have passed, and those with one more jump follow. If the most pieces must be captured, captures that
        cannot grow are dropped as soon as others can.
        """
        longest, kept, first, last = np.empty(64, np.int64), 0, 0, 0
        for square in squares(capturing):
            longest[last] = square << 6 | square
            last += 1
        while first < last:
            if self.majority:
                kept = 0
            end = last
            for place in range(first, last):
                action = longest[place]
                start, here, captured = action & SQUARE, action >> 6 & SQUARE, self.captured(action)
                is_king = position.kings >> start & 1 == 1
                flies = self.flying_kings and is_king
                is_done = not self.majority and not is_king and 1 << here & self.last_row(position.turn) != 0
                empty = self.board & ~(position.mine & ~(1 << start) | position.theirs)
                grows = False
                for step in self.steps:
                    is_forward = (step > 0) == (position.turn == self.downwards)
                    if is_done or not (is_king or self.backward_captures or is_forward):
                        continue
                    # 1. The nearest piece.
                    over = shifted(1 << here, step)
                    while flies and over & empty:
                        over = shifted(over, step)
                    if not over & position.theirs & ~captured:
                        continue
                    # 2. The squares behind it.
                    behind = shifted(over, step)
                    while behind & empty:
                        longer = (captured | over) >> self.width << 12 | lowest(behind) << 6 | start
                        grows = True
                        if not contains(longest, last, end, longer):
                            if end == len(longest):
                                longest = np.concatenate((longest, longest))
                            longest[end] = longer
                            end += 1
                        behind = shifted(behind, step) if flies else 0
                if not grows:
                    longest[kept] = action
                    kept += 1
            first, last = last, end
        return longest[:kept]

    # -- tables by material -----------------------------------------------------------------------------------------

    def state_class(self, position: Position) -> int:
        """The material: 5 bits for each number of kings and of men; the stronger side is in the higher 10 bits."""
        if count(position.mine | position.theirs) > MAX_TABLE_PIECES:
            return -1
        mine, theirs = self.material(position, position.mine), self.material(position, position.theirs)
        return max(mine, theirs) << 10 | min(mine, theirs)

    def material(self, position: Position, own: int) -> int:
        """The numbers of kings and of men among `own`, 5 bits each."""
        return count(own & position.kings) << 5 | count(own & ~position.kings)

    def passed_state(self, position: Position) -> Position:
        return Position(position.theirs, position.mine, position.kings, 1 - position.turn, position.idle)

    def index_player(self, position: Position) -> int:
        """The side with more kings, or as many and more men; if both have the same, the player to move."""
        mine, theirs = self.material(position, position.mine), self.material(position, position.theirs)
        return position.turn if mine >= theirs else 1 - position.turn

    def first_indices(self) -> NDArray[np.int64]:
        """`first_index` of all classes: [kings, men, other kings, other men, home]."""
        numbers = range(MAX_TABLE_PIECES + 1)
        first = np.zeros((*[len(numbers)] * 4, self.width + 2), np.int64)
        for kings, men, other_kings, others in product(numbers, repeat=4):
            if kings + men + other_kings + others <= MAX_TABLE_PIECES:
                number = (kings << 5 | men) << 10 | other_kings << 5 | others
                ways = [prod(self.arrangements(number, home)) for home in range(self.width + 1)]
                first[kings, men, other_kings, others, 1:] = np.cumsum(ways)
        return first

    def arrangements(self, number: int, home: int) -> tuple[int, int, int, int]:
        """The ways to place each kind of pieces, one after the other, on the squares that are left for it: the men of
        the stronger side, `home` of them on their first row; those of the weaker one, which has its last row there;
        and the kings of both.
        """
        men, others = number >> 10 & 31, number & 31
        free = self.size * self.width - men - others
        return (
            subset_count(self.width, home) * subset_count(self.size * self.width - 2 * self.width, men - home),
            subset_count(self.size * self.width - self.width - (men - home), others),
            subset_count(free, number >> 15),
            subset_count(free - (number >> 15), number >> 5 & 31),
        )

    def first_index(self, number: int, home: int) -> int:
        """The number of arrangements with fewer than `home` men of the stronger side on their first row."""
        return int(self.first[number >> 15, number >> 10 & 31, number >> 5 & 31, number & 31, home])

    def index_count(self, number: int) -> int:
        """The arrangements of the pieces, for both sides to move unless their material is the same."""
        positions = self.first_index(number, self.width + 1)
        return positions if number >> 10 == number & 1023 else 2 * positions

    def state_index(self, position: Position) -> int:
        """The stronger side plays upwards."""
        number, strong = self.state_class(position), self.index_player(position)
        if number < 0:
            return -1
        own, theirs = (position.mine, position.theirs) if position.turn == strong else (position.theirs, position.mine)
        kings = position.kings
        if strong == self.downwards:
            own, theirs, kings = self.turned(own), self.turned(theirs), self.turned(kings)
        men, others, outside = own & ~kings, theirs & ~kings, ~self.board
        first, taken = men & self.rows[-1], men | others | outside
        home = count(first)
        _, other_ways, king_ways, other_king_ways = self.arrangements(number, home)
        index = subset_index(first, ~self.rows[-1])
        index *= subset_count(self.size * self.width - 2 * self.width, (number >> 10 & 31) - home)
        index += subset_index(men & self.inside, ~self.inside)
        index = index * other_ways + subset_index(others, men | self.rows[-1] | outside)
        index = index * king_ways + subset_index(own & kings, taken)
        index = index * other_king_ways + subset_index(theirs & kings, taken | own)
        index += self.first_index(number, home)
        return index if position.turn == strong else index + self.first_index(number, self.width + 1)

    def indexed_state(self, number: int, index: int) -> Position:
        """The side that plays upwards is the stronger one."""
        turn, home, half = 1 - self.downwards, 0, self.first_index(number, self.width + 1)
        if index >= half:
            turn, index = self.downwards, index - half
        while index >= self.first_index(number, home + 1):
            home += 1
        index -= self.first_index(number, home)
        men, outside = number >> 10 & 31, ~self.board
        _, other_ways, king_ways, other_king_ways = self.arrangements(number, home)
        index, other_kings = index // other_king_ways, subset(index % other_king_ways, number >> 5 & 31)
        index, kings = index // king_ways, subset(index % king_ways, number >> 15)
        index, others = index // other_ways, subset(index % other_ways, number & 31)
        inner_ways = subset_count(self.size * self.width - 2 * self.width, men - home)
        own = spread(subset(index // inner_ways, home), ~self.rows[-1])
        own |= spread(subset(index % inner_ways, men - home), ~self.inside)
        theirs = spread(others, own | self.rows[-1] | outside)
        kings = spread(kings, own | theirs | outside)
        own |= kings
        other_kings = spread(other_kings, own | theirs | outside)
        theirs |= other_kings
        if turn == self.downwards:
            own, theirs = theirs, own
        return Position(own, theirs, kings | other_kings, turn, 0)

    def turned(self, board: int) -> int:
        """`board` as the player on the other side sees it."""
        mirrored = 0
        for square in squares(board):
            mirrored |= 1 << self.last - square
        return mirrored

    def index_plies(self, position: Position) -> int:
        """The plies until the game may be drawn for want of captures and of men's moves."""
        return max(0, self.longest_idle - position.idle)

    def index_stage(self, position: Position) -> int:
        """The rows that men still have to go."""
        rows, downwards = 0, position.mine if position.turn == self.downwards else position.theirs
        for square in squares((position.mine | position.theirs) & ~position.kings):
            row = (self.number(square) - 1) // self.width
            rows += self.size - 1 - row if downwards >> square & 1 else row
        return rows

    def class_name(self, number: int) -> str:
        """The kings and the men of both sides, such as KKvKM."""
        return "v".join("K" * (side >> 5) + "M" * (side & 31) for side in (number >> 10, number & 1023))

    def parse_class(self, text: str) -> int:
        """The class that a text such as KKvK or KvMM names."""
        form = fullmatch(r"([KM]*)V([KM]*)", text.strip().upper())
        if not form or not 1 <= len(form[1] + form[2]) <= MAX_TABLE_PIECES:
            raise RulesError(
                f"{text!r}: a class is the kings and the men of both sides, such as KKvKM, at most {MAX_TABLE_PIECES}"
            )
        one, other = (side.count("K") << 5 | side.count("M") for side in form.groups())
        return max(one, other) << 10 | min(one, other)

    # -- hints ------------------------------------------------------------------------------------------------------

    def evaluate(self, position: Position, player: int) -> float:
        """The points of `player` minus those of the opponent, as a fraction of all points plus one.

        A man counts 1 and a king 2. In English draughts a man also counts 0.02 for each row that it has advanced, and
        0.1 on the first row, where it keeps others from becoming kings. So exchanges help the player who is ahead.
        """
        mine = self.points(position.mine, position.kings, position.turn)
        theirs = self.points(position.theirs, position.kings, 1 - position.turn)
        estimate = (mine - theirs) / (mine + theirs + 1)
        return estimate if position.turn == player else -estimate

    def points(self, pieces: int, kings: int, player: int) -> float:
        """The points of the pieces of one player."""
        men = pieces & ~kings
        material = count(men) + 2.0 * count(pieces & kings)
        guards = count(men & self.last_row(1 - player))
        return material + self.row_counts * self.advanced(men, player) + self.guard_counts * guards

    def advanced(self, men: int, player: int) -> int:
        """The number of rows that the men of `player` have advanced in total."""
        rows = 0
        for row in range(self.size):
            rows += row * count(men & self.rows[row])
        return rows if player == self.downwards else (self.size - 1) * count(men) - rows

    def order(self, position: Position, action: int) -> int:
        """Captures of the most pieces first, kings counted twice, then promotions, men far ahead, and kings."""
        start, end, captured = action & SQUARE, action >> 6 & SQUARE, self.captured(action)
        order = 100 * (count(captured) + count(captured & position.kings))
        if position.kings >> start & 1:
            return order
        if 1 << end & self.last_row(position.turn):
            return order + 50
        return order + 1 + self.advanced(1 << end, position.turn)

    def is_quiet(self, position: Position) -> bool:
        """Whether there is nothing to capture; otherwise every action is a capture."""
        return self.capturing(position) == 0

    def features(self, position: Position) -> tuple[int, int, int, int]:
        """Men, kings, men on their own first row, rows advanced: the player to move's minus the opponent's."""
        mine, theirs = position.mine & ~position.kings, position.theirs & ~position.kings
        me, other = position.turn, 1 - position.turn
        return (
            count(mine) - count(theirs),
            count(position.mine & position.kings) - count(position.theirs & position.kings),
            count(mine & self.last_row(other)) - count(theirs & self.last_row(me)),
            self.advanced(mine, me) - self.advanced(theirs, other),
        )

    # -- pictures and texts -----------------------------------------------------------------------------------------

    def white_and_black(self, position: Position) -> tuple[int, int]:
        """The pieces of white and of black."""
        pieces = position.mine, position.theirs
        return pieces if self.colours[position.turn] == "white" else pieces[::-1]

    def render(self, position: Position) -> str:
        """The board between the numbers of the first and the last square of each row; kings are capital letters."""
        white, black = self.white_and_black(position)
        rows = []
        for row in range(self.size):
            first = row * self.width + 1
            line = [" "] * self.size
            for place in range(self.width):
                bit = self.bit(first + place)
                is_king = position.kings >> bit & 1
                mark = PIECES[is_king] if white >> bit & 1 else PIECES[2 + is_king] if black >> bit & 1 else "."
                line[2 * place + (row + 1) % 2] = mark
            rows.append([first, *line, first + self.width - 1])
        return f"{grid(rows)}\n{outcome(self, position, self.colours)}"

    def picture(self, position: Position) -> Picture:
        """The board with the numbers of the first and the last dark square of each row beside it."""
        pieces: dict[Any, Piece] = {}
        for player, men in enumerate((position.mine, position.theirs)):
            for bit in squares(men):
                shape = "king" if position.kings >> bit & 1 else "disc"
                pieces[bit] = Piece("", position.turn ^ player, shape)
        size = self.size

        def name(row: int, column: int) -> int | None:
            return self.bit(row * self.width + column // 2 + 1) if (row + column) % 2 else None

        board = square_board(
            size, size, pieces, [turn_line(self, position, self.colours, ROUND)], shade="checkered", names=name,
            row_names=range(1, size * self.width, self.width), colours=self.colours,
        )  # fmt: skip
        ends = [(str((row + 1) * self.width), size - 0.2, float(row)) for row in range(size)]
        return replace(board.named(lambda bit: str(self.number(bit))), labels=[*board.labels, *ends])

    def action_cells(self, position: Position, action: int) -> tuple[int, ...]:
        """The squares on which the piece stands; of several ways to capture the same pieces, the first."""
        if self.captured(action):
            return next(self.paths(position, int(action)))
        return int(action) & SQUARE, int(action) >> 6 & SQUARE

    def action_name(self, position: Position, action: int) -> str:
        """The first and the last square, such as 11-15 or 22x15; with all squares between if needed to be unique."""
        ends = action & SQUARE, action >> 6 & SQUARE
        if not self.captured(action):
            return "-".join(str(self.number(bit)) for bit in ends)
        alike = [other for other in self.actions(position) if (other ^ action) & 0xFFF == 0]
        path = ends if len(alike) == 1 else next(self.paths(position, action))
        return "x".join(str(self.number(bit)) for bit in path)

    def paths(self, position: Position, action: int) -> Iterator[tuple[int, ...]]:
        """The ways to make a capture, each as the squares on which the piece stands."""
        start, end, captured = action & SQUARE, action >> 6 & SQUARE, self.captured(action)
        empty = self.board & ~(position.mine & ~(1 << start) | position.theirs)
        flies = self.flying_kings and position.kings >> start & 1

        def extended(path: tuple[int, ...], rest: int) -> Iterator[tuple[int, ...]]:
            if not rest and path[-1] == end:
                yield path
            for step in self.steps if rest else ():
                over = path[-1] + step
                while flies and over >= 0 and empty >> over & 1:
                    over += step
                behind = over + step
                while over >= 0 and rest >> over & 1 and behind >= 0 and empty >> behind & 1:
                    yield from extended((*path, behind), rest & ~(1 << over))
                    behind += step
                    if not flies:
                        break

        return extended((start,), captured)

    def parse_action(self, position: Position, text: str) -> int:
        """The action that `text` names; a capture may be written with or without the squares between.

        There may be blanks and `:` between the squares, and marks such as `!` behind them.
        """
        text = sub(r"\s*([-x])\s*", r"\1", text.strip().lower().translate(SIGNS)).rstrip("!?*")
        if fullmatch(r"[0-9]+(x[0-9]+){2,}", text):
            path = tuple(self.bit(int(number)) for number in text.split("x"))
            for action in self.actions(position):
                if path[0] == action & SQUARE and path in self.paths(position, action):
                    return int(action)
        return super().parse_action(position, text)

    def state_text(self, position: Position) -> str:
        """The position as in PDN: the colour to move, then the squares of white and of black, with K before kings.

        `:H` and a number are added if plies have passed without a capture or a man's move.
        """
        parts = [self.colours[position.turn][0].upper()]
        for letter, pieces in zip("WB", self.white_and_black(position), strict=True):
            marks = ["K" if position.kings >> bit & 1 else "" for bit in squares(pieces)]
            parts.append(
                letter + ",".join(f"{m}{self.number(bit)}" for m, bit in zip(marks, squares(pieces), strict=True))
            )
        return ":".join([*parts, f"H{position.idle}"] if position.idle else parts)

    def parse_state(self, text: str) -> Position:
        """The position that a PDN text such as `W:W21,22,K31:B1,2,K30` describes; `B1-12` is a range of squares."""
        parts = "".join(text.split()).removesuffix(".").upper().split(":")
        if (
            len(parts) not in (3, 4)
            or parts[0] not in ("W", "B")
            or sorted(part[:1] for part in parts[1:3]) != ["B", "W"]
        ):
            raise RulesError(
                f"{text!r}: expected the colour to move, W's squares and B's, such as W:W21,22,K31:B1,2,K30"
            )
        pieces, kings = {"W": 0, "B": 0}, 0
        for part in parts[1:3]:
            for item in part[1:].split(",") if part[1:] else ():
                match = fullmatch(r"(K?)([0-9]{1,3})(?:-([0-9]{1,3}))?", item)
                if not match:
                    raise RulesError(f"{text!r}: {item!r} in {part!r} is not a square, such as 21 or K31, nor a range")
                numbers = range(int(match[2]), int(match[3] or match[2]) + 1)
                if not numbers:
                    raise RulesError(f"{text!r}: {item!r}: a range goes upwards")
                for number in numbers:
                    if not 1 <= number <= self.size * self.width:
                        raise RulesError(f"{text!r}: {item!r}: squares go from 1 to {self.size * self.width}")
                    square = 1 << self.bit(number)
                    if square & (pieces["W"] | pieces["B"]):
                        raise RulesError(f"{text!r}: {item!r}: there is a piece on square {number} already")
                    pieces[part[0]] |= square
                    if match[1]:
                        kings |= square
                    elif square & self.last_row(self.colours.index("white" if part[0] == "W" else "black")):
                        raise RulesError(f"{text!r}: {item!r}: a man on its last row would be a king, K{number}")
        idle = fullmatch(r"H([0-9]{1,3})", parts[3]) if len(parts) == 4 else None
        if len(parts) == 4 and (idle is None or int(idle[1]) > self.longest_idle):
            raise RulesError(f"{text!r}: {parts[3]!r}: expected H and the idle plies, at most {self.longest_idle}")
        turn = self.colours.index("white" if parts[0] == "W" else "black")
        mine, theirs = (pieces["W"], pieces["B"]) if parts[0] == "W" else (pieces["B"], pieces["W"])
        return Position(mine, theirs, kings, turn, int(idle[1]) if idle else 0)


class EnglishDraughts(Draughts):
    """English draughts, known as checkers in America, on 8 x 8 squares; black, at the top, begins.

    >>> game = EnglishDraughts()
    >>> position = game.initial_state()
    >>> for name in "11-15", "22-18", "15x22":
    ...     position = game.result(position, game.parse_action(position, name))
    >>> print(game.render(position))
     1   b   b   b   b  4
     5 b   b   b   b    8
     9   b   b   .   b 12
    13 .   .   .   .   16
    17   .   .   .   . 20
    21 w   b   w   w   24
    25   w   w   w   w 28
    29 w   w   w   w   32
    white to move
    >>> [game.action_name(position, action) for action in game.actions(position)]
    ['25x18', '26x17']
    >>> game.state_text(position)
    'W:W21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,22'
    """

    size = 8
    colours = ("black", "white")
    player_marks = ("bB", "wW")
    flying_kings = False
    backward_captures = False
    majority = False
    longest_idle = 80
    row_counts = 0.02
    guard_counts = 0.1


class InternationalDraughts(Draughts):
    """International draughts on 10 x 10 squares; white, at the bottom, begins.

    >>> game = InternationalDraughts()
    >>> position = game.initial_state()
    >>> for name in "32-28", "19-23", "28x19":
    ...     position = game.result(position, game.parse_action(position, name))
    >>> print(game.render(position))
     1   b   b   b   b   b  5
     6 b   b   b   b   b   10
    11   b   b   b   b   b 15
    16 b   b   b   w   b   20
    21   .   .   .   .   . 25
    26 .   .   .   .   .   30
    31   w   .   w   w   w 35
    36 w   w   w   w   w   40
    41   w   w   w   w   w 45
    46 w   w   w   w   w   50
    black to move
    >>> [game.action_name(position, action) for action in game.actions(position)]
    ['13x24', '14x23']
    """

    size = 10
    colours = ("white", "black")
    player_marks = ("wW", "bB")
    flying_kings = True
    backward_captures = True
    majority = True
    longest_idle = 50
    row_counts = 0.0  # both lost games to an evaluation without them
    guard_counts = 0.0


def shifted(board: int, step: int) -> int:
    """`board` with every square moved by `step` bits."""
    return board << step if step > 0 else board >> -step


def contains(actions: NDArray[np.int64], first: int, last: int, action: int) -> bool:
    """Whether `action` is in `found[first:last]`."""
    for place in range(first, last):  # noqa: SIM110 - compiled code has no any()
        if actions[place] == action:
            return True
    return False
