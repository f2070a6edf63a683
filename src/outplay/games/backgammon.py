"""Backgammon: bring fifteen men home by the dice and bear them off first.

The rules are those of the World Backgammon Federation. Each player throws one die, and the player with the higher
number begins with both. In a turn each die moves one man towards home, a double four times. A point held by two or more
of the opponent's men is closed. A single man, a blot, is hit and put on the bar, from where it must enter before
anything else moves. Men may be borne off when all fifteen are in the home board. As many dice must be played as
possible, and the greater one if either can be played but not both. The player who has borne off all men wins: 1 point,
2 (gammon) if the opponent has borne off none, 3 (backgammon) if in addition one of those men is still on the bar or in
the winner's home board.

With the cube, players may offer to double the stakes before a throw. A player who drops loses the old stakes; a player
who takes owns the cube and alone may double next. This is money play, without beavers; with the Jacoby rule, an option,
gammons and backgammons count only after a double.

Each player counts the points from their own home board, where their men go; point 1 of one is point 24 of the other.
The program counts from 0, with the bar as 24:

    own points   13 14 15 16 17 18   19 20 21 22 23 24   bar 25
                 12 11 10  9  8  7    6  5  4  3  2  1   off

The men of a player are two ints with four bits for each point: `near` holds points 1 to 12, `far` 13 to 24 and the bar.

An action of a player is a whole turn, one for each position that can be reached:

    bit 0          whether the smaller die is played first
    bits 1-5       where the first man starts, counted from 1, so that 25 is the bar; 0: no man is moved
    bits 6-10 …    where the second, third and fourth man starts

Of the turns that lead to one position, the first is used: greater die first, then by the starting points from 1 up, the
first man's first; the men of a double move in the order of their points, the farthest first. Dice are chance nodes with
21 outcomes: 1-1, 2-1, 2-2, 3-1 … 6-6. At the start of the game there are 30, of which the first 15 let player 0 begin.

The text of a position is that of GNU Backgammon, Position ID and Match ID with a colon between. It describes both in
its manual, "A technical description of the Position ID" and "of the Match ID".

`evaluate` asks a neural network for the chances of a plain win, a gammon and a backgammon, and of losing each, as
TD-Gammon did (Tesauro, "Temporal Difference Learning and TD-Gammon", Communications of the ACM 38, 1995). `outplay
learn` learned it from these rules and `features`; see docs/learning.md.

Start reading at `Backgammon.pairs`.
"""

from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from re import fullmatch
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.evaluation.learned import LearnedEvaluation
from outplay.games._parameters import switch, whole_number
from outplay.games._pictures import DISCS, ROUND, outcome
from outplay.rules.bits import count, squares
from outplay.rules.board import Picture, Piece, Place, in_row
from outplay.rules.errors import IllegalAction, RulesError
from outplay.rules.game import CHANCE, Game

BAR, MEN, HALF = 24, 15, 12
ROLLING, OPENING, DOUBLING, OFFERED, DROPPED = -1, -2, -3, -4, -5
"""The values of `Position.dice` without dice: they are to be thrown; to be thrown for the first time; the player to
move may double first; has doubled, so the opponent takes or drops; has doubled, and the opponent has dropped."""
ROLLS = tuple((great, small) for great in range(1, 7) for small in range(1, great + 1))
OPENINGS = tuple(number for number, (great, small) in enumerate(ROLLS) if great > small)
SHADES = "light", "dark"
"""The shades of points on a board."""
MAX_TURNS = 512
"""More turns than two dice allow: at most 15 men move first, at most 15 next, in either order."""
ROLL, DOUBLE = 0, 1
TAKE, DROP = 0, 1
EFFICIENCY = 0.68
"""The fraction of its theoretical worth that a cube has: Janowski, "Take-Points in Money Games", 1993."""


class Position(NamedTuple):
    """The men, whose turn it is, and the dice."""

    near: tuple[int, int]  # each player's men on their own points 1 to 12, four bits per point
    far: tuple[int, int]  # on 13 to 24 and on the bar
    turn: int
    dice: int  # an index of `ROLLS`, or one of the constants above
    cube: int  # its value
    owner: int  # the only player who may double; -1: both may


# -- men as bits ------------------------------------------------------------------------------------------------------


def men_on(near: int, far: int, point: int) -> int:
    """The number of men on a point, counted from 0, or on the bar."""
    return near >> 4 * point & 15 if point < HALF else far >> 4 * (point - HALF) & 15


def with_men(near: int, far: int, point: int, number: int) -> tuple[int, int]:
    """`near` and `far` with `number` men more on a point."""
    if point < HALF:
        return near + (number << 4 * point), far
    return near, far + (number << 4 * (point - HALF))


def occupied(near: int, far: int, least: int) -> int:
    """The points with at least `least` men, as bits; the bar is bit 24."""
    points = 0
    for point in range(HALF + 1):
        if near >> 4 * point & 15 >= least:
            points |= 1 << point
        if far >> 4 * point & 15 >= least:
            points |= 1 << HALF + point
    return points


def facing(points: int) -> int:
    """Points 1 to 24 as the opponent counts them."""
    turned = (points & 0xFFF) << 12 | points >> 12 & 0xFFF
    turned = (turned & 0x03F03F) << 6 | turned >> 6 & 0x03F03F
    turned = (turned & 0x1C71C7) << 3 | turned >> 3 & 0x1C71C7
    return (turned & 0x249249) << 2 | turned & 0x492492 | turned >> 2 & 0x249249


def starts(men: int, closed: int, die: int) -> int:
    """The points of `men` from which a man can move by `die` without entering the points `closed`."""
    if men >> BAR:
        return 1 << BAR & ~(closed << die)
    moving = men & ~(closed << die) & -1 << die
    if men < 1 << 6:
        if men >> die - 1 & 1:
            return moving | 1 << die - 1
        if men < 1 << die - 1:
            return highest(men)
    return moving


def highest(men: int) -> int:
    """The highest of the bits 0 to 5 in `men`, as a set of one bit."""
    bit = 1 << 5
    while bit > men:
        bit >>= 1
    return bit


def men_moved(near: int, far: int, start: int, die: int) -> tuple[int, int]:
    """`near` and `far` after a man from `start` has moved by `die`, or been borne off."""
    near, far = with_men(near, far, start, -1)
    return with_men(near, far, start - die, 1) if start >= die else (near, far)


def number_of(near: int, far: int) -> int:
    """The number of men on the board and the bar."""
    number = 0
    for point in range(HALF + 1):
        number += (near >> 4 * point & 15) + (far >> 4 * point & 15)
    return number


def longer(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same numbers, with twice the room."""
    return np.concatenate((numbers, numbers))


# -- what an evaluation reads ------------------------------------------------------------------------------------------


def highest_point(men: int) -> int:
    """The highest point with men; `men` is a set of points, as bits."""
    point = 0
    for step in (16, 8, 4, 2, 1):
        if men >> point + step:
            point += step
    return point


def longest(points: int) -> int:
    """The maximum number of consecutive points."""
    length = 0
    while points:
        points &= points >> 1
        length += 1
    return length


def moving(start: int, closed: int) -> int:
    """The number of throws of 36 with which a man on `start` can move both dice."""
    throws = 0
    for great, small in ROLLS:
        end = start - great - small
        if end < 0 or not closed >> end & 1:
            first, second = max(0, start - great), max(0, start - small)
            if not closed >> first & 1 or not closed >> second & 1:
                throws += 1 if great == small else 2
    return throws


def hitting(men: int, blots: int, closed: int) -> int:
    """The number of throws of 36 with which `men` can hit one of `blots`; all as the thrower counts points.

    With men on the bar this is not exact: doubles count for two steps, and a second man there is ignored.
    """
    throws = 0
    if blots == 0:
        return throws
    if men >> BAR:
        for great, small in ROLLS:
            first, second = 1 << BAR - great, 1 << BAR - small
            hits = blots & (first | second)
            if not first & closed:
                hits |= (men & 0xFFFFFF | first) >> small & blots
            if not second & closed:
                hits |= (men & 0xFFFFFF | second) >> great & blots
            if hits:
                throws += 1 if great == small else 2
        return throws
    for great, small in ROLLS:
        if great == small:
            reached, steps = men, 4
            while reached and steps and not reached >> great & blots:
                reached = reached >> great & ~closed
                steps -= 1
            if reached and steps:
                throws += 1
        else:
            first, second = men >> great, men >> small
            hits = (first | second | (first & ~closed) >> small | (second & ~closed) >> great) & blots
            if hits:
                throws += 2
    return throws


# -- the game ---------------------------------------------------------------------------------------------------------


class Backgammon(Game):
    """Backgammon for points; with `cube`, for money.

    Utilities are in points: those of one game, or with the cube up to three times `largest_cube`, the maximum of the
    cube. They are from the view of the given player: +2 for a gammon won, -2 for one lost.

    >>> game = Backgammon()
    >>> position = game.result(game.initial_state(), game.parse_action(game.initial_state(), "3-1"))
    >>> position = game.result(position, game.parse_action(position, "8/5 6/5"))
    >>> print(game.render(position))
     +12-11-10--9--8--7-+---+-6--5--4--3--2--1-+
     | X           O    |   | O              X |  O: 167 pips
     | X           O    |   | O              X |
     | X           O    |   | O                |
     | X                |   | O                |
     | X                |   | O                |
     |                  |BAR|                  |
     | O                |   |                  |
     | O                |   | X                |
     | O                |   | X                |
     | O           X    |   | X  X           O |
     | O           X    |   | X  X           O |  X: 163 pips
     +13-14-15-16-17-18-+---+19-20-21-22-23-24-+
    O to throw
    >>> game.state_text(position)
    'sGfwATDgc/ABMA:cAkAAAAAAAAE'
    """

    feature_names = (
        "pips", "off", "bar", "blots", "home", "prime", "shots", "shots_there", "mobility", "mobility_there",
    )  # fmt: skip
    chances: ClassVar[Any]
    """A function of a position: the chances of -3, -2, -1, 1, 2 and 3 points for the player whose turn it is."""

    def __init__(self, cube: bool = False, *, largest_cube: int = 64, jacoby: bool = False) -> None:
        self.cube = switch("cube", cube)
        self.largest_cube = whole_number("largest_cube", largest_cube, 1, 1 << 14)
        if self.largest_cube & self.largest_cube - 1:
            raise RulesError(f"largest_cube={largest_cube}: largest_cube must be a power of two")
        self.jacoby = switch("jacoby", jacoby)
        most = 3 * self.largest_cube if self.cube else 3
        self.utilities = (-most, most)
        self.greater = np.array([great for great, _ in ROLLS])  # int64 [21]
        self.smaller = np.array([small for _, small in ROLLS])  # int64 [21]
        self.openings = np.array(OPENINGS)  # int64 [15]

    # -- the rules --------------------------------------------------------------------------------------------------

    def initial_state(self) -> Position:
        near, far = 0, 0
        for point, number in (6, 5), (8, 3), (13, 5), (24, 2):
            near, far = with_men(near, far, point - 1, number)
        return Position((near, near), (far, far), 0, OPENING, 1, -1)

    def to_move(self, position: Position) -> int:
        if position.dice in (ROLLING, OPENING):
            return CHANCE
        return 1 - position.turn if position.dice == OFFERED else position.turn

    def actions(self, position: Position) -> NDArray[np.int64]:
        if self.is_terminal(position):
            return np.empty(0, np.int64)
        if position.dice == ROLLING:
            return np.arange(len(self.greater))
        if position.dice == OPENING:
            return np.arange(2 * len(self.openings))
        if position.dice < 0:
            return np.arange(2)
        great, small = self.greater[position.dice], self.smaller[position.dice]
        return self.doubles(position, great) if great == small else self.pairs(position, great, small)

    def probability(self, position: Position, action: int) -> float:
        if position.dice == OPENING:
            return 1 / 30
        return 1 / 36 if self.greater[action] == self.smaller[action] else 2 / 36

    def result(self, position: Position, action: int) -> Position:
        near, far, turn, dice, cube, owner = position
        if dice == ROLLING:
            return Position(near, far, turn, action, cube, owner)
        if dice == OPENING:
            second = action >= len(self.openings)
            dice = int(self.openings[action - len(self.openings) if second else action])
            return Position(near, far, 1 if second else 0, dice, cube, owner)
        if dice == DOUBLING:
            return Position(near, far, turn, OFFERED if action == DOUBLE else ROLLING, cube, owner)
        if dice == OFFERED:
            if action == DROP:
                return Position(near, far, turn, DROPPED, cube, owner)
            return Position(near, far, turn, ROLLING, 2 * cube, 1 - turn)

        action = int(action)
        near_there, far_there = near[1 - turn], far[1 - turn]
        near_here, far_here = near[turn], far[turn]
        die, other = int(self.greater[dice]), int(self.smaller[dice])
        if action & 1:
            die, other = other, die
        steps = action >> 1
        while steps:
            start = (steps & 31) - 1
            near_here, far_here = with_men(near_here, far_here, start, -1)
            end = start - die
            if end >= 0:
                near_here, far_here = with_men(near_here, far_here, end, 1)
                if men_on(near_there, far_there, BAR - 1 - end) == 1:
                    near_there, far_there = with_men(near_there, far_there, BAR - 1 - end, -1)
                    far_there += 1 << 4 * (BAR - HALF)
            steps >>= 5
            die, other = other, die
        if turn == 0:
            near, far = (near_here, near_there), (far_here, far_there)
        else:
            near, far = (near_there, near_here), (far_there, far_here)
        return Position(near, far, 1 - turn, self.before_throw(1 - turn, cube, owner), cube, owner)

    def before_throw(self, turn: int, cube: int, owner: int) -> int:
        """The value of `dice` when `turn` comes to move."""
        may_double = self.cube and owner != 1 - turn and 2 * cube <= self.largest_cube
        return DOUBLING if may_double else ROLLING

    def is_terminal(self, position: Position) -> bool:
        gone = position.near[0] | position.far[0] == 0 or position.near[1] | position.far[1] == 0
        return gone or position.dice == DROPPED

    def utility(self, position: Position, player: int) -> int:
        if position.dice == DROPPED:
            return position.cube if position.turn == player else -position.cube
        winner = 0 if position.near[0] | position.far[0] == 0 else 1
        near, far = position.near[1 - winner], position.far[1 - winner]
        points = 1
        if not (self.cube and self.jacoby and position.owner < 0) and number_of(near, far) == MEN:
            points = 3 if far >> 4 * (BAR - 6 - HALF) else 2  # men on the bar or the last six points
        points *= position.cube
        return points if winner == player else -points

    def pairs(self, position: Position, great: int, small: int) -> NDArray[np.int64]:
        """The turns with two different dice.

        Two turns lead to the same position if the player's men end on the same points and the same points were hit.
        """
        turn = position.turn
        near, far = position.near[turn], position.far[turn]
        men = occupied(near, far, 1)
        there = facing(occupied(position.near[1 - turn], position.far[1 - turn], 1) & 0xFFFFFF)
        closed = facing(occupied(position.near[1 - turn], position.far[1 - turn], 2) & 0xFFFFFF)
        blots = there & ~closed
        turns, number = np.empty(MAX_TURNS, np.int64), 0
        nears, fars = np.empty(MAX_TURNS, np.int64), np.empty(MAX_TURNS, np.int64)  # men, and above them the points hit

        # 1. Both dice.
        for order in range(2):
            die, other = (great, small) if order == 0 else (small, great)
            for start in squares(starts(men, closed, die)):
                near_once, far_once = men_moved(near, far, start, die)
                men_once = men & ~(1 << start) if men_on(near, far, start) == 1 else men
                if start >= die:
                    men_once |= 1 << start - die
                hit_once = 1 << start - die & blots if start >= die else 0
                for following in squares(starts(men_once, closed, other)):
                    near_twice, far_twice = men_moved(near_once, far_once, following, other)
                    hit = hit_once | (1 << following - other & blots if following >= other else 0)
                    near_twice |= (hit & 0xFFF) << 48
                    far_twice = far_twice & 0xFFFFFFFFFFFF | hit >> 12 << 48
                    place = 0
                    while place < number and (nears[place] != near_twice or fars[place] != far_twice):
                        place += 1
                    if place == number:
                        nears[number], fars[number] = near_twice, far_twice
                        turns[number] = following + 1 << 6 | start + 1 << 1 | order
                        number += 1
        if number:
            return turns[:number]

        # 2. One die, the greater one if possible; or none.
        for order in range(2):
            for start in squares(starts(men, closed, great if order == 0 else small)):
                turns[number] = start + 1 << 1 | order
                number += 1
            if number:
                return turns[:number]
        turns[0] = 0
        return turns[:1]

    def doubles(self, position: Position, die: int) -> NDArray[np.int64]:
        """The turns with a double: all grow by one step of one man at a time, from the same point or a nearer one.

        If some steps are legal in any order, they are legal in this one, and steps from other points lead to another
        position. So `found[first:last]` contains every turn with as many steps as rounds have passed exactly once.
        """
        turn = position.turn
        closed = facing(occupied(position.near[1 - turn], position.far[1 - turn], 2) & 0xFFFFFF)
        turns, nears, fars = np.empty(MAX_TURNS, np.int64), np.empty(MAX_TURNS, np.int64), np.empty(MAX_TURNS, np.int64)
        turns[0], nears[0], fars[0] = 0, position.near[turn], position.far[turn]
        first, last = 0, 1
        for step in range(4):
            end = last
            for place in range(first, last):
                action, near, far = turns[place], nears[place], fars[place]
                latest = (action >> 5 * step - 4 & 31) - 1 if step else BAR
                from_here = starts(occupied(near, far, 1), closed, die) & (2 << latest) - 1
                for start in squares(from_here):
                    if end == len(turns):
                        turns, nears, fars = longer(turns), longer(nears), longer(fars)
                    turns[end] = action | start + 1 << 5 * step + 1
                    nears[end], fars[end] = men_moved(near, far, start, die)
                    end += 1
            if end == last:
                break
            first, last = last, end
        return turns[first:last]

    # -- hints ------------------------------------------------------------------------------------------------------

    def evaluate(self, position: Position, player: int) -> float:
        """The points that `player` wins on average, as if the dice were still to be thrown.

        They are the mean of what the network says of the position and of the same with the players exchanged: it
        learned both for itself. With the cube, this uses the formulas of Janowski (see `EFFICIENCY`).
        """
        turn, cube, owner = position.turn, position.cube, position.owner
        (near, near_there), (far, far_there) = position.near, position.far
        first = self.chances(Position((near, near_there), (far, far_there), turn, ROLLING, 1, -1))
        second = self.chances(Position((near_there, near), (far_there, far), 1 - turn, ROLLING, 1, -1))
        won_once, won_twice, won_thrice = first[3] + second[3], first[4] + second[4], first[5] + second[5]
        win, won = (won_once + won_twice + won_thrice) / 2, won_twice / 2 + won_thrice
        given = (first[1] + second[1]) / 2 + (first[0] + second[0])
        if self.cube and self.jacoby and owner < 0 and position.dice != OFFERED:
            won = given = 0.0
        if not self.cube:
            equity = 2 * win - 1 + won - given
        elif position.dice == OFFERED:
            equity = min(1.0, 2 * live(win, won, given, False, 4 * cube <= self.largest_cube)) * cube
        elif position.dice == DROPPED:
            equity = 1.0 * cube
        else:
            mine, theirs = owner != 1 - turn, owner != turn
            if 2 * cube > self.largest_cube:
                mine = theirs = False
            equity = live(win, won, given, mine, theirs) * cube
        return float(equity if player == turn else -equity)

    def order(self, position: Position, action: int) -> float:
        """The estimate of the position after it."""
        after, player = self.result(position, action), self.to_move(position)
        return float(self.utility(after, player) if self.is_terminal(after) else self.evaluate(after, player))

    def features(self, position: Position) -> tuple[int, int, int, int, int, int, int, int, int, int]:
        """The advantage of the player whose turn it is in pips, men off, and so on; of pips, bar and blots, fewer are
        better. Then how many throws of 36 hit a blot, for that player and for the opponent, and how many let the last
        man move by both dice; these are 0 if men can no longer meet.
        """
        turn = position.turn
        near, far = position.near[turn], position.far[turn]
        near_there, far_there = position.near[1 - turn], position.far[1 - turn]
        mine, theirs = counts(near, far), counts(near_there, far_there)
        shots, shots_there, mobility, mobility_there = 0, 0, 0, 0
        men, men_there = occupied(near, far, 1), occupied(near_there, far_there, 1)
        if men and men_there and highest_point(men) + highest_point(men_there) >= BAR:
            firm, firm_there = occupied(near, far, 2) & 0xFFFFFF, occupied(near_there, far_there, 2) & 0xFFFFFF
            blots, blots_there = men & 0xFFFFFF & ~firm, men_there & 0xFFFFFF & ~firm_there
            shots = hitting(men, facing(blots_there), facing(firm_there))
            shots_there = hitting(men_there, facing(blots), facing(firm))
            mobility = moving(highest_point(men), facing(firm_there))
            mobility_there = moving(highest_point(men_there), facing(firm))
        return (
            theirs[0] - mine[0],
            mine[1] - theirs[1],
            theirs[2] - mine[2],
            theirs[3] - mine[3],
            mine[4] - theirs[4],
            mine[5] - theirs[5],
            shots,
            shots_there,
            mobility,
            mobility_there,
        )

    # -- pictures and texts -----------------------------------------------------------------------------------------

    def render(self, position: Position) -> str:
        """The board as player 0 sees it; the points are numbered for the player to move or to throw."""
        turn = position.turn
        men = [[men_on(position.near[player], position.far[player], point) for point in range(25)] for player in (0, 1)]
        off = [MEN - sum(man) for man in men]

        def column(point: int) -> list[str]:
            """The five places of a point, from the edge of the board; a number if there are more men."""
            player = 0 if men[0][point] else 1
            number = men[0][point] or men[1][BAR - 1 - point]
            cells = [f" {DISCS[player]} "] * min(number, 5) + ["   "] * (5 - number)
            return cells if number <= 5 else [*cells[:4], f"{number:^3}"]

        def middle(player: int) -> list[str]:
            """The bar with its men, from the edge."""
            number = men[player][BAR]
            cells = [f" {DISCS[player]} "] * min(number, 5) + ["   "] * (5 - number)
            return cells if number <= 5 else [*cells[:4], f"{number:^3}"]

        def half(points: Sequence[int], player: int) -> list[str]:
            """The rows of the upper or the lower half, from the edge; the men on the bar are those of `player`."""
            columns = [column(point) for point in points]
            sides = zip(zip(*columns[:6], strict=True), middle(player), zip(*columns[6:], strict=True), strict=True)
            return [f" |{''.join(left)}|{bar}|{''.join(right)}|" for left, bar, right in sides]

        def numbers(points: Sequence[int]) -> str:
            numbers_text = [f"{point + 1 if turn == 0 else BAR - point:-^3}" for point in points]
            return f" +{''.join(numbers_text[:6])}+---+{''.join(numbers_text[6:])}+"

        upper, lower = range(12, 24), range(11, -1, -1)
        top, bottom = half(upper, 1), half(lower, 0)[::-1]
        for player, rows, row in (1, top, 0), (0, bottom, 4):
            pips = sum(number * (point + 1) for point, number in enumerate(men[player]))
            rows[row] += f"  {DISCS[player]}: {pips} pips" + (f", {off[player]} off" if off[player] else "")
        between = f" |{'':18}|BAR|{'':18}|"
        if self.cube:
            owner = f", {DISCS[position.owner]}'s" if position.owner >= 0 else ""
            between += f"  cube: {position.cube}{owner}"
        picture = [numbers(upper), *top, between, *bottom, numbers(lower), self.situation(position)]
        return "\n".join(line.rstrip() for line in picture)

    def situation(self, position: Position, names: Sequence[str] = DISCS) -> str:
        """The line below the picture."""
        if self.is_terminal(position):
            return outcome(self, position, names)
        mover, other = names[position.turn], names[1 - position.turn]
        if position.dice == OPENING:
            return "each throws a die"
        if position.dice == ROLLING:
            return f"{mover} to throw"
        if position.dice == DOUBLING:
            return f"{mover} to throw or to double"
        if position.dice == OFFERED:
            return f"{mover} doubles, {other} to take or drop"
        great, small = ROLLS[position.dice]
        return f"{mover} to move {great}-{small}"

    def picture(self, position: Position) -> Picture:
        """The board as player 0 sees it, who brings men home to the lower right. Cells are the points of player 0 from
        0, and "bar 0", "bar 1", "off 0", "off 1"; player 0 is white.
        """
        men = [[men_on(position.near[player], position.far[player], point) for point in range(25)] for player in (0, 1)]
        pieces: dict[Any, Piece | list[Piece]] = {}
        for point in range(BAR):
            owner = 0 if men[0][point] else 1
            if number := men[0][point] or men[1][BAR - 1 - point]:
                pieces[point] = [ROUND[owner]] * number
        for player in (0, 1):
            pieces[f"bar {player}"] = [ROUND[player]] * men[player][BAR]
            pieces[f"off {player}"] = [ROUND[player]] * (MEN - sum(men[player]))
        x_of = {**{point: float(11 - point + (point < 6)) for point in range(12)}}
        x_of |= {point: float(point - 12 + (point >= 18)) for point in range(12, 24)}
        places = [
            Place(
                point,
                x,
                8.5 if point < 12 else 2.0,
                "up" if point < 12 else "down",
                SHADES[point % 2],
                1.0,
                5.0,
                str(point + 1),
            )
            for point, x in x_of.items()
        ]
        places += [
            Place("bar 1", 6.0, 2.0, "square", "line", 0.9, 5.0),
            Place("bar 0", 6.0, 8.5, "square", "line", 0.9, 5.0),
        ]
        places += [
            Place("off 1", 13.2, 2.0, "square", "dark", 1.1, 5.0),
            Place("off 0", 13.2, 8.5, "square", "dark", 1.1, 5.0),
        ]
        places += in_row(["die 0", "die 1"], 9.0, 5.25, shape="none")
        if position.dice >= 0:
            pieces |= {f"die {place}": Piece(str(die), None, "die") for place, die in enumerate(ROLLS[position.dice])}
        if self.cube:
            places.append(Place("cube", 3.0, 5.25, "none"))
            pieces["cube"] = Piece(str(position.cube), None if position.owner < 0 else position.owner, "die")
        labels = [
            (str(point + 1 if position.turn == 0 else BAR - point), x, 11.4 if point < 12 else -0.9)
            for point, x in x_of.items()
        ]
        pips = [sum(number * (point + 1) for point, number in enumerate(man)) for man in men]
        names = "white", "black"
        situation = self.situation(position, names)
        text = [
            situation if self.is_terminal(position) or position.dice == OPENING else (ROUND[position.turn], situation),
            f"pips: white {pips[0]}, black {pips[1]}",
        ]
        return Picture(places, pieces, text, labels, ground="wood", colours=names)

    def action_cells(self, position: Position, action: int) -> list[Any]:
        """Where each man starts and ends, one after the other; none for dice, the cube and a pass."""
        if position.dice < 0:
            return []
        turn = position.turn
        ends = [point for step in self.steps(position, int(action)) for point in step]
        return [
            f"off {turn}" if point < 0 else f"bar {turn}" if point == BAR else BAR - 1 - point if turn else point
            for point in ends
        ]

    def action_name(self, position: Position, action: int) -> str:
        """`3-1` for dice; `8/5 6/5`, `bar/22*`, `6/off(2)` or `pass`; `roll`, `double`, `take`, `drop`.

        In the first throw the first die is that of player 0, so the greater die decides who begins.
        """
        if position.dice == ROLLING:
            return f"{ROLLS[action][0]}-{ROLLS[action][1]}"
        if position.dice == OPENING:
            great, small = ROLLS[OPENINGS[action % len(OPENINGS)]]
            return f"{great}-{small}" if action < len(OPENINGS) else f"{small}-{great}"
        if position.dice < 0:
            return (("roll", "double") if position.dice == DOUBLING else ("take", "drop"))[action]
        paths: list[list[int]] = []
        for start, end in sorted(self.steps(position, action), reverse=True):
            path = next((path for path in paths if path[-1] == start), None)
            if path is None:
                paths.append([start, end])
            else:
                path.append(end)
        hits = self.hits(position, action)
        names = Counter(
            "/".join(
                f"{point_name(point)}{'*' if point in hits else ''}"
                for number, point in enumerate(path)
                if number in (0, len(path) - 1) or point in hits
            )
            for path in paths
        )
        return " ".join(name + (f"({number})" if number > 1 else "") for name, number in names.items()) or "pass"

    def steps(self, position: Position, action: int) -> list[tuple[int, int]]:
        """The moves of men in the turn `action` as pairs of points, one die after the other; -1 is off."""
        dice, steps = ROLLS[position.dice], []
        for number in range(4):
            start = (action >> 5 * number + 1 & 31) - 1
            if start >= 0:
                steps.append((start, max(-1, start - dice[number + action & 1])))
        return steps

    def hits(self, position: Position, action: int) -> set[int]:
        """The points on which the turn `action` hits."""
        other = 1 - position.turn
        ends = {end for _, end in self.steps(position, action) if end >= 0}
        return {end for end in ends if men_on(position.near[other], position.far[other], BAR - 1 - end) == 1}

    def parse_action(self, position: Position, text: str) -> int:
        """The action that `text` names: steps in any order, joined or not, with `25` for `bar` and `0` for `off`.

        The asterisks of hits may be left out if this is not ambiguous.
        """
        words = text.lower().replace(",", " ").split()
        if position.dice in (ROLLING, OPENING):
            dice = fullmatch(r"([1-6])[- ]?([1-6])", " ".join(words))
            if dice:
                first, second = dice.groups()
                swapped = position.dice == ROLLING and first < second
                return super().parse_action(position, f"{second}-{first}" if swapped else f"{first}-{second}")
        if position.dice < 0:
            return super().parse_action(position, " ".join(words))
        expected, marked = Counter[int](), set[int]()
        for word in words:
            match = fullmatch(r"(?:bar|\d\d?)\*?(?:/(?:off|\d\d?)\*?)+(?:\((\d)\))?", word)
            if match is None:
                return super().parse_action(position, " ".join(words))
            path = [part.removesuffix("*") for part in word.partition("(")[0].split("/")]
            points = [{"bar": BAR, "off": -1}.get(part) or int(part) - 1 for part in path]
            marked |= {
                point for point, part in zip(points, word.partition("(")[0].split("/"), strict=True) if "*" in part
            }
            expected[points[0]] -= int(match[1] or 1)
            expected[points[-1]] += int(match[1] or 1)
        matching = []
        for action in self.actions(position).tolist():
            change = Counter[int]()
            for start, end in self.steps(position, action):
                change[start] -= 1
                change[end] += 1
            if words and nonzero(change) == nonzero(expected):
                matching.append(action)
        exact = [action for action in matching if self.hits(position, action) == marked]
        if len(exact or matching) == 1:
            return int((exact or matching)[0])
        if len(matching) > 1:
            names = ", ".join(self.action_name(position, action) for action in matching)
            raise IllegalAction(f"{text!r} may be any of {names}")
        return super().parse_action(position, " ".join(words))

    def state_text(self, position: Position) -> str:
        """GNU Backgammon's Position ID and Match ID, such as `4HPwATDgc/ABMA:cAkAAAAAAAAA`.

        They are followed by `:roll` if the player to move has just decided not to double.
        """
        turn, dice, cube, owner = position.turn, position.dice, position.cube, position.owner
        men, place = 0, 0
        for player in 1 - turn, turn:
            for point in range(BAR + 1):
                number = men_on(position.near[player], position.far[player], point)
                men |= (1 << number) - 1 << place
                place += number + 1
        stage = {DROPPED: 4, OPENING: 0}.get(dice, 2 if self.is_terminal(position) else 1)
        thrown = ROLLS[dice] if dice >= 0 else (0, 0)
        decides = 1 - turn if dice in (OFFERED, DROPPED) else turn
        values = cube.bit_length() - 1, owner & 3, turn, 0, stage, decides, int(dice == OFFERED), 0, *thrown
        match, place = 0, 0
        for value, width in zip(values, WIDTHS, strict=True):
            match |= value << place
            place += width
        match |= (not self.jacoby) << 66
        text = f"{coded(men, 10)}:{coded(match, 9)}"
        return f"{text}:roll" if dice == ROLLING and self.before_throw(turn, cube, owner) == DOUBLING else text

    def parse_state(self, text: str) -> Position:
        """The position of a Position ID and a Match ID of money play; without a Match ID player 0 is to throw."""
        parts = text.strip().split(":")
        if len(parts) > 3 or (len(parts) == 3 and parts[2] != "roll"):
            raise RulesError(f"{text!r}: a Position ID, a Match ID after a colon, and perhaps :roll; {EXAMPLE}")
        men = decoded(text, "Position ID", parts[0], 10)
        # 1. Men: for each a 1, and a 0 after each point.
        boards = []
        for _ in range(2):
            near, far = 0, 0
            for point in range(BAR + 1):
                number = 0
                while men & 1:
                    number += 1
                    men >>= 1
                men >>= 1
                if number > MEN:
                    raise RulesError(
                        f"{text!r}: {number} men on {point_name(point)}, but a player has {MEN}; {EXAMPLE}"
                    )
                near, far = with_men(near, far, point, number)
            if number_of(near, far) > MEN:
                raise RulesError(f"{text!r}: {number_of(near, far)} men, but a player has {MEN}; {EXAMPLE}")
            boards.append((near, far))
        if men:
            raise RulesError(f"{text!r}: after the men the Position ID goes on; {EXAMPLE}")
        (near_there, far_there), (near, far) = boards
        both = occupied(near, far, 1) & facing(occupied(near_there, far_there, 1) & 0xFFFFFF)
        if both:
            raise RulesError(f"{text!r}: on point {next(squares(both)) + 1} are men of both players")
        if not near | far and not near_there | far_there:
            raise RulesError(f"{text!r}: there are no men; {EXAMPLE}")

        # 2. The rest.
        match = decoded(text, "Match ID", parts[1], 9) if len(parts) > 1 else 1 << 8 | 3 << 4
        values = []
        for width in WIDTHS:
            values.append(match & (1 << width) - 1)
            match >>= width
        power, owner, turn, _, stage, decides, doubled, resigned, first, second = values
        score = match & (1 << 45) - 1
        cube, owner = 1 << power, -1 if owner == 3 else owner
        faults = {
            "it is a match to a number of points, but this is money play": score & (1 << 15) - 1,
            "resignations are not supported": resigned,
            f"there is no player {owner}": owner == 2,
            "the game has no cube": not self.cube and (cube > 1 or owner >= 0 or doubled or stage == 4),
            f"the cube goes to {self.largest_cube}": self.cube and cube > self.largest_cube,
            "dice are two numbers from 1 to 6, or 0 and 0": not (0 < first < 7 and 0 < second < 7) and first + second,
            "there cannot be dice": first and (stage != 1 or doubled),
            f"there is no state of the game {stage}": stage in (3, 5, 6, 7),
        }
        for fault, is_wrong in faults.items():
            if is_wrong:
                raise RulesError(f"{text!r}: Match ID: {fault}; {EXAMPLE}")
        over = not (near | far and near_there | far_there)
        dice = self.before_throw(turn, cube, owner)
        if over != (stage == 2) and len(parts) > 1:
            raise RulesError(f"{text!r}: the Match ID says the game is {'not ' * over}over, but the men do not")
        if (doubled or stage == 4) and dice != DOUBLING:
            raise RulesError(f"{text!r}: Match ID: this player may not double")
        if decides != (1 - turn if doubled or stage == 4 else turn):
            raise RulesError(f"{text!r}: Match ID: it is the other player who decides")
        if stage == 4:
            dice = DROPPED
        elif doubled:
            dice = OFFERED
        elif stage == 0:
            dice = OPENING
        elif first:
            dice = ROLLS.index((max(first, second), min(first, second)))
        elif parts[2:]:
            dice = ROLLING
        if turn == 0:
            return Position((near, near_there), (far, far_there), turn, dice, cube, owner)
        return Position((near_there, near), (far_there, far), turn, dice, cube, owner)


WIDTHS = (4, 2, 1, 1, 3, 1, 1, 2, 3, 3)
"""The bits of a Match ID for: the cube as a power of two, its owner, who moves, Crawford game, state of the game, who
decides, doubled, resigned, two dice. Then 15 bits for the length of the match and each score, and one for no Jacoby."""
EXAMPLE = "such as 4HPwATDgc/ABMA:cAkAAAAAAAAA"


def coded(number: int, size: int) -> str:
    """`size` bytes, the lowest first, in base 64."""
    return b64encode(number.to_bytes(size, "little")).decode().rstrip("=")


def decoded(text: str, subject: str, code: str, size: int) -> int:
    """The number that `coded` encoded as `code`."""
    length = -(-size * 4 // 3)
    if not fullmatch(f"[A-Za-z0-9+/]{{{length}}}", code):
        raise RulesError(f"{text!r}: a {subject} has {length} letters, digits, + and /, not {code!r}; {EXAMPLE}")
    return int.from_bytes(b64decode(code + "=" * (-length % 4)), "little")


def point_name(point: int) -> str:
    """The name of a point for the player to move."""
    return "bar" if point == BAR else "off" if point < 0 else str(point + 1)


def nonzero(counter: Counter[int]) -> dict[int, int]:
    """The counts other than 0."""
    return {key: number for key, number in counter.items() if number}


def live(win: float, won: float, given: float, mine: bool, theirs: bool) -> float:
    """The equity with a cube of 1 that I, the opponent, or both may turn.

    `won` and `given` are what gammons add to wins and to losses, on average over all games.
    """
    rate = (1 + won / max(win, 1e-9)), (1 + given / max(1 - win, 1e-9))
    spread = win * (min(rate[0], 3.0) + min(rate[1], 3.0))
    least = -min(rate[1], 3.0)
    if mine and theirs:
        equity = 4 / (4 - EFFICIENCY) * (spread + win * EFFICIENCY / 2 + least - EFFICIENCY / 4)
    elif mine:
        equity = spread + win * EFFICIENCY / 2 + least
    elif theirs:
        equity = spread + win * EFFICIENCY / 2 + least - EFFICIENCY / 2
    else:
        equity = spread + least
    return max(-2.999, min(2.999, equity))


def counts(near: int, far: int) -> tuple[int, int, int, int, int, int]:
    """For one player: pips, men off, men on the bar, blots, points held at home, the longest prime."""
    pips, left, blots = 0, 0, 0
    for point in range(BAR + 1):
        number = men_on(near, far, point)
        pips += number * (point + 1)
        left += number
        if number == 1 and point < BAR:
            blots += 1
    firm = occupied(near, far, 2) & 0xFFFFFF
    return pips, MEN - left, far >> 4 * (BAR - HALF), blots, count(firm & 63), longest(firm)


LEARNED = Path(__file__).with_name("learned") / "Backgammon.learned"
Backgammon.chances = LearnedEvaluation.load(LEARNED).chances_rule(Backgammon())
