"""Nine Men's Morris: three men in a line, a mill, remove a man of the opponent.

Two players in turn place their nine men on the 24 points of the board, then move one man at a time along a line to
the next point. A player with only three men left may move a man to any empty point, unless `flying=False`. Closing a
mill, three men on one of the 16 lines, removes a man of the opponent: one that is not in a mill or, if all are, any.
Two mills closed at once remove one man. A player with two men left, or without a move, has lost.

The game is a draw when a state occurs for the third time, and after `longest_idle` plies in a row without a placing and
without a mill, 50 moves of each player by default. It is a draw with best play: Ralph Gasser, "Solving Nine Men's
Morris", in Games of No Chance (1996). In OpenSpiel a removal is an action of its own, and after 200 turns the game is a
draw.

A set of men is one int with a bit for each point. The points of a ring, eight bits, are numbered clockwise, from the
outer ring to the inner one. So a step along a ring rotates eight bits, and one to another ring is a shift by eight. The
corners have even numbers:

    7   0--------1--------2
    6   |  8-----9----10  |
    5   |  |  16-17-18 |  |
    4   7-15-23     19-11-3
    3   |  |  22-21-20 |  |
    2   |  14---13----12  |
    1   6--------5--------4
        a  b  c  d  e  f  g

An action holds where the man starts, where it ends and which man is removed. A man that is placed starts where it ends:

    bits 0-4     the point where it ends
    bits 5-9     the point where it starts
    bits 10-14   one more than the point from which a man is removed; 0 if none is
"""

from collections.abc import Iterator
from functools import cache
from re import fullmatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.games._parameters import switch, whole_number
from outplay.games._pictures import STONES, outcome, turn_line
from outplay.rules.bits import count, squares
from outplay.rules.board import Picture, Piece, Place
from outplay.rules.errors import IllegalAction, RulesError
from outplay.rules.game import Game, legal_actions
from outplay.rules.indexing import spread, subset, subset_count, subset_index

MEN = 9
POINT = 31
"""The bits of one point in an action."""
BOARD = 0xFFFFFF
FIRST = 0x010101
"""Point 0 of each ring."""
ODD = 0xAAAAAA
"""The points between corners: the middle of a line of a ring, and on a line from ring to ring."""
COLOURS = ("white", "black")
NAMES = (
    "a7", "d7", "g7", "g4", "g1", "d1", "a1", "a4",
    "b6", "d6", "f6", "f4", "f2", "d2", "b2", "b4",
    "c5", "d5", "e5", "e4", "e3", "d3", "c3", "c4",
)  # fmt: skip
PICTURE = """\
7 {a7}------------{d7}------------{g7}
  |            |            |
6 |   {b6}--------{d6}--------{f6}   |
  |   |        |        |   |
5 |   |   {c5}----{d5}----{e5}   |   |
  |   |   |         |   |   |
4 {a4}---{b4}---{c4}         {e4}---{f4}---{g4}
  |   |   |         |   |   |
3 |   |   {c3}----{d3}----{e3}   |   |
  |   |        |        |   |
2 |   {b2}--------{d2}--------{f2}   |
  |            |            |
1 {a1}------------{d1}------------{g1}
  a   b   c    d    e   f   g"""


class Position(NamedTuple):
    """The men on the board and in hand, and whose turn it is."""

    mine: int  # set of points: men of the player to move
    theirs: int  # set of points: men of the other player
    left: int  # the number of men that both players together still have to place
    turn: int
    idle: int  # plies since the last placing or mill


class NineMensMorris(Game):
    """Nine Men's Morris; `d6` places, `a1-a4` moves, `a1-a4xg7` moves, closes a mill and removes the man on g7.

    >>> game = NineMensMorris()
    >>> position = game.initial_state()
    >>> for name in "a7", "d6", "a4", "f4", "a1xd6":
    ...     position = game.result(position, game.parse_action(position, name))
    >>> print(game.render(position))
    7 w------------.------------.
      |            |            |
    6 |   .--------.--------.   |
      |   |        |        |   |
    5 |   |   .----.----.   |   |
      |   |   |         |   |   |
    4 w---.---.         .---b---.
      |   |   |         |   |   |
    3 |   |   .----.----.   |   |
      |   |        |        |   |
    2 |   .--------.--------.   |
      |            |            |
    1 w------------.------------.
      a   b   c    d    e   f   g
    in hand: white 6, black 7
    black to move
    >>> game.state_text(position)
    'B:Wa1,a4,a7:Bf4:P13'
    """

    player_marks = ("w", "b")
    utilities = (-1, 1)
    repetition = "draw"
    repetitions = 3
    feature_names = ("men", "mills", "blocked", "mobility")

    def __init__(self, flying: bool = True, longest_idle: int = 100) -> None:
        self.flying = switch("flying", flying)
        self.longest_idle = whole_number("longest_idle", longest_idle, 1, 10_000)
        self.ways, self.sets, self.first_set = numbering()

    # -- the rules --------------------------------------------------------------------------------------------------

    def initial_state(self) -> Position:
        return Position(0, 0, 2 * MEN, 0, 0)

    def to_move(self, position: Position) -> int:
        return position.turn

    def action_limit(self) -> int:
        return 25 << 10

    def actions(self, position: Position) -> Iterator[int]:
        if self.is_terminal(position):
            return
        mine, removable = position.mine, self.removable(position.theirs)
        empty = BOARD & ~(mine | position.theirs)
        if position.left > 0:
            closing = closing_points(mine) if removable else 0
            for end in squares(empty & ~closing):
                yield end << 5 | end
            for end in squares(empty & closing):
                for removed in squares(removable):
                    yield removed + 1 << 10 | end << 5 | end
        else:
            flies = self.flies(position)
            for start in squares(mine):
                ends = empty if flies else neighbours(1 << start) & empty
                closing = closing_points(mine & ~(1 << start)) if removable else 0
                for end in squares(ends & ~closing):
                    yield start << 5 | end
                for end in squares(ends & closing):
                    for removed in squares(removable):
                        yield removed + 1 << 10 | start << 5 | end

    def result(self, position: Position, action: int) -> Position:
        end, start, removed = 1 << (action & POINT), 1 << (action >> 5 & POINT), 1 << (action >> 10) >> 1
        mine, theirs = position.mine & ~start | end, position.theirs & ~removed
        if position.left > 0:
            return Position(theirs, mine, position.left - 1, 1 - position.turn, 0)
        return Position(theirs, mine, 0, 1 - position.turn, 0 if removed else position.idle + 1)

    def is_terminal(self, position: Position) -> bool:
        return self.has_lost(position) or position.idle >= self.longest_idle

    def utility(self, position: Position, player: int) -> int:
        if not self.has_lost(position):
            return 0
        return -1 if position.turn == player else 1

    def key(self, position: Position) -> tuple[int, int, int, int, int]:
        """The position, with `idle` only in the last 20 plies before it makes a draw.

        With the count, a state could never occur again, and the rule of repetition would have no effect.
        """
        return (*position[:4], max(0, position.idle - self.longest_idle + 20))

    def has_lost(self, position: Position) -> bool:
        """Whether the player to move has only two men left, or no move."""
        mine = position.mine
        if count(mine) + self.in_hand(position, position.turn) < 3:
            return True
        if position.left > 0 or self.flies(position):
            return False
        return neighbours(mine) & ~(mine | position.theirs) == 0

    def in_hand(self, position: Position, player: int) -> int:
        """The number of men that `player` still has to place."""
        return (position.left + (player == position.turn)) // 2

    def flies(self, position: Position) -> bool:
        """Whether the player to move, with no men in hand, may move a man to any empty point."""
        return self.flying and count(position.mine) == 3

    def removable(self, men: int) -> int:
        """The members of `men` that the opponent can remove by a mill."""
        free = men & ~in_mills(men)
        return free if free else men

    # -- tables by the number of men --------------------------------------------------------------------------------

    def state_class(self, position: Position) -> int:
        """The men of the side that has more of them, and of the other one, 4 bits each, once all are placed."""
        mine, theirs = count(position.mine), count(position.theirs)
        if position.left > 0 or mine < 2 or theirs < 3 or mine > MEN or theirs > MEN:
            return -1
        return max(mine, theirs) << 4 | min(mine, theirs)

    def passed_state(self, position: Position) -> Position:
        return Position(position.theirs, position.mine, position.left, 1 - position.turn, position.idle)

    def index_player(self, position: Position) -> int:
        """The side with more men; if both have as many, the player to move."""
        return position.turn if count(position.mine) >= count(position.theirs) else 1 - position.turn

    def index_count(self, number: int) -> int:
        """One of the sets of the stronger side that are no images of each other, and any set of the other points.

        For both sides to move, unless they have as many men. A side with two men has lost, however they stand.
        """
        men, others = number >> 4, number & 15
        if others == 2:
            return 1
        sets = int(self.first_set[men + 1] - self.first_set[men])
        return sets * subset_count(24 - men, others) * (1 if men == others else 2)

    def state_index(self, position: Position) -> int:
        """That of the first of all images, in the order of the sets of the stronger side, then of the other one."""
        number = self.state_class(position)
        men, others = number >> 4, number & 15
        if number < 0 or others == 2:
            return min(number, 0)
        is_weaker = self.index_player(position) != position.turn
        own, theirs = (position.theirs, position.mine) if is_weaker else (position.mine, position.theirs)
        first, second = 1 << 24, 1 << 24
        for way in range(16):
            image = self.image(own, way)
            if image <= first:
                other = self.image(theirs, way)
                second = other if image < first else min(second, other)
                first = image
        place = int(np.searchsorted(self.sets[self.first_set[men] : self.first_set[men + 1]], first))
        index = place * subset_count(24 - men, others) + subset_index(second, first)
        return index + self.index_count(number) // 2 if is_weaker else index

    def image(self, men: int, way: int) -> int:
        """One of 16 images of a set: the rings turned and mirrored, from 8 on with inner and outer ring exchanged."""
        turn = way & 7
        outer, middle, inner = self.ways[turn, men & 255], self.ways[turn, men >> 8 & 255], self.ways[turn, men >> 16]
        image = int(outer) | int(middle) << 8 | int(inner) << 16
        return exchange(image) if way >= 8 else image

    def indexed_state(self, number: int, index: int) -> Position:
        """White is the stronger side."""
        men, others, turn = number >> 4, number & 15, 0
        if others == 2:
            return Position(3 << men, (1 << men) - 1, 0, 1, 0)
        if men != others and index >= self.index_count(number) // 2:
            turn, index = 1, index - self.index_count(number) // 2
        ways = subset_count(24 - men, others)
        own = int(self.sets[self.first_set[men] + index // ways])
        theirs = spread(subset(index % ways, others), own)
        if turn == 1:
            own, theirs = theirs, own
        return Position(own, theirs, 0, turn, 0)

    def index_plies(self, position: Position) -> int:
        """The plies until the game may be drawn for want of mills."""
        return max(0, self.longest_idle - position.idle)

    def class_name(self, number: int) -> str:
        """The numbers of men, such as 4-3."""
        return f"{number >> 4}-{number & 15}"

    def parse_class(self, text: str) -> int:
        """The class that a text such as 4-3 names."""
        form = fullmatch(r"([2-9])-([2-9])", text.strip())
        if not form or max(form.groups()) == "2":
            raise RulesError(
                f"{text!r}: a class is the men of both sides, all of them placed, such as 4-3, at most 9-9"
            )
        one, other = map(int, form.groups())
        return max(one, other) << 4 | min(one, other)

    # -- hints ------------------------------------------------------------------------------------------------------

    def evaluate(self, position: Position, player: int) -> float:
        """The points of `player` minus those of the opponent, as a fraction of all points plus one.

        A man on the board or in hand counts 10, an empty point next to the player's men 1, and a point that would
        complete one of the player's lines 2.
        """
        mine = self.points(position, position.mine, position.theirs, position.turn)
        theirs = self.points(position, position.theirs, position.mine, 1 - position.turn)
        estimate = (mine - theirs) / (mine + theirs + 1.0)
        return estimate if position.turn == player else -estimate

    def points(self, position: Position, men: int, others: int, player: int) -> int:
        """The points of `men`, those of `player`, against the `others`."""
        empty = BOARD & ~(men | others)
        material = count(men) + self.in_hand(position, player)
        return 10 * material + count(neighbours(men) & empty) + 2 * count(closing_points(men) & empty)

    def order(self, position: Position, action: int) -> int:
        """Mills first, then points where the opponent would close one, then points where many lines meet."""
        end = 1 << (action & POINT)
        order = count(neighbours(end))
        if action >> 10:
            order += 100
            removed = 1 << (action >> 10) >> 1
            if closing_points(position.theirs) & ~closing_points(position.theirs & ~removed) & ~position.mine:
                order += 10
        if closing_points(position.theirs) & end:
            order += 20
        return order

    def is_quiet(self, position: Position) -> bool:
        """Whether the player to move cannot close a mill."""
        empty = BOARD & ~(position.mine | position.theirs)
        closing = closing_points(position.mine) & empty
        if position.left > 0 or closing == 0:
            return closing == 0
        flies = self.flies(position)
        for start in squares(position.mine):
            ends = closing if flies else closing & neighbours(1 << start)
            if ends & closing_points(position.mine & ~(1 << start)):
                return False
        return True

    def noisy(self, position: Position) -> Iterator[int]:
        """The moves that close a mill."""
        for action in self.actions(position):
            if action >> 10:
                yield action

    def features(self, position: Position) -> tuple[int, int, int, int]:
        """Men with those in hand, mills, blocked men, mobility: the player to move's numbers minus the opponent's.

        A man is blocked if no point next to it is empty; mobility is the number of empty points next to the men.
        """
        mine, theirs, turn = position.mine, position.theirs, position.turn
        empty = BOARD & ~(mine | theirs)
        blocked = ~neighbours(empty)
        return (
            count(mine) + self.in_hand(position, turn) - count(theirs) - self.in_hand(position, 1 - turn),
            mills(mine) - mills(theirs),
            count(mine & blocked) - count(theirs & blocked),
            count(neighbours(mine) & empty) - count(neighbours(theirs) & empty),
        )

    def symmetries(self, position: Position) -> tuple[Position, ...]:
        """The board turned and mirrored in all eight ways, each also with the inner ring exchanged for the outer."""
        turned1 = self.quarter(position)
        turned2 = self.quarter(turned1)
        turned3 = self.quarter(turned2)
        return (
            position,
            turned1,
            turned2,
            turned3,
            self.mirrored(position),
            self.mirrored(turned1),
            self.mirrored(turned2),
            self.mirrored(turned3),
            self.inside_out(position),
            self.inside_out(turned1),
            self.inside_out(turned2),
            self.inside_out(turned3),
            self.inside_out(self.mirrored(position)),
            self.inside_out(self.mirrored(turned1)),
            self.inside_out(self.mirrored(turned2)),
            self.inside_out(self.mirrored(turned3)),
        )

    def quarter(self, position: Position) -> Position:
        """The board turned by a quarter."""
        mine, theirs = turned(turned(position.mine)), turned(turned(position.theirs))
        return Position(mine, theirs, position.left, position.turn, position.idle)

    def mirrored(self, position: Position) -> Position:
        """The board with left and right exchanged."""
        mine, theirs = mirror(position.mine), mirror(position.theirs)
        return Position(mine, theirs, position.left, position.turn, position.idle)

    def inside_out(self, position: Position) -> Position:
        """The board with the inner and the outer ring exchanged."""
        mine, theirs = exchange(position.mine), exchange(position.theirs)
        return Position(mine, theirs, position.left, position.turn, position.idle)

    # -- pictures and texts -----------------------------------------------------------------------------------------

    def white_and_black(self, position: Position) -> tuple[int, int]:
        """The men of white and of black."""
        men = position.mine, position.theirs
        return men if position.turn == 0 else men[::-1]

    def render(self, position: Position) -> str:
        white, black = self.white_and_black(position)
        marks = {name: "w" if white >> i & 1 else "b" if black >> i & 1 else "." for i, name in enumerate(NAMES)}
        picture = PICTURE.format(**marks)
        if position.left:
            hands = (f"{colour} {self.in_hand(position, player)}" for player, colour in enumerate(COLOURS))
            picture += f"\nin hand: {', '.join(hands)}"
        return f"{picture}\n{outcome(self, position, COLOURS)}"

    def picture(self, position: Position) -> Picture:
        spots = [("abcdefg".index(name[0]), 7 - int(name[1])) for name in NAMES]
        places = [Place(point, x, y, "point", name=NAMES[point]) for point, (x, y) in enumerate(spots)]
        places += [Place(None, x, y, "round", "line", 0.2, 0.2) for x, y in spots]
        ends = [(point, point - point % 8 + (point + 1) % 8) for point in range(24)]
        ends += [(point, point + 8) for point in range(16) if point % 2]
        lines = [(*spots[start], *spots[end]) for start, end in ends]
        pieces: dict[Any, Piece] = {}
        for player, men in enumerate(self.white_and_black(position)):
            pieces |= dict.fromkeys(squares(men), STONES[player])
        text = [turn_line(self, position, COLOURS, STONES)]
        if position.left:
            hands = (f"{colour} {self.in_hand(position, player)}" for player, colour in enumerate(COLOURS))
            text.append(f"in hand: {', '.join(hands)}")
        labels: list[tuple[str, float, float]] = [(letter, x, 6.9) for x, letter in enumerate("abcdefg")]
        labels += [(str(7 - y), -0.9, y) for y in range(7)]
        return Picture(places, pieces, text, labels, lines, "wood", COLOURS)

    def action_cells(self, position: Position, action: int) -> tuple[int, ...]:
        """From and to, or only to; and the man that is removed."""
        end, start = action & POINT, action >> 5 & POINT
        return (*((end,) if start == end else (start, end)), *((action >> 10) - 1 for _ in range(action >> 10 > 0)))

    def action_name(self, position: Position, action: int) -> str:
        end, start = action & POINT, action >> 5 & POINT
        name = NAMES[end] if start == end else f"{NAMES[start]}-{NAMES[end]}"
        return f"{name}x{NAMES[(action >> 10) - 1]}" if action >> 10 else name

    def parse_action(self, position: Position, text: str) -> int:
        """The action that `text` names, in lower or upper case."""
        text = text.strip().lower()
        if fullmatch("([a-g][1-7]-)?[a-g][1-7]", text):
            longer = [self.action_name(position, action) for action in legal_actions(self, position)]
            removed = [name[-2:] for name in longer if name.startswith(f"{text}x")]
            if removed:
                raise IllegalAction(
                    f"{text!r} is not a legal action here; it closes a mill: say which man it removes,"
                    f" {' or '.join(f'{text}x{point}' for point in removed)}"
                )
        return super().parse_action(position, text)

    def state_text(self, position: Position) -> str:
        """Who is to move, the points of white and of black; `:P` and the men both still have to place; `:H` and `idle`.

        A part is omitted if its number is 0.
        """
        parts = [COLOURS[position.turn][0].upper()]
        for letter, men in zip("WB", self.white_and_black(position), strict=True):
            parts.append(letter + ",".join(sorted(NAMES[point] for point in squares(men))))
        parts += [f"{letter}{n}" for letter, n in (("P", position.left), ("H", position.idle)) if n]
        return ":".join(parts)

    def parse_state(self, text: str) -> Position:
        form = fullmatch(r"([WB]):W([^:]*):B([^:]*)(?::P([0-9]{1,5}))?(?::H([0-9]{1,5}))?", text.strip())
        if not form:
            raise RulesError(
                f"{text!r}: expected the colour to move, W's points, B's, P and the men left to place, H and the plies"
                " without a mill, such as W:Wd6,g4:Ba1,f2:P14"
            )
        turn, left, idle = "WB".index(form[1]), int(form[4] or 0), int(form[5] or 0)
        both = [0, 0]
        for player, names in enumerate((form[2], form[3])):
            for name in names.split(",") if names else ():
                if name not in NAMES:
                    raise RulesError(f"{text!r}: {name!r} is not a point; points: {', '.join(sorted(NAMES))}")
                if (both[0] | both[1]) >> NAMES.index(name) & 1:
                    raise RulesError(f"{text!r}: there is a man on {name} already")
                both[player] |= 1 << NAMES.index(name)
        if left > 2 * MEN or (left and left % 2 != turn):
            raise RulesError(f"{text!r}: P{left}: at most 18, an even number if white is to move, else an odd one")
        if idle > self.longest_idle or (idle and left):
            raise RulesError(f"{text!r}: H{idle}: at most {self.longest_idle}, and 0 while men are placed")
        position = Position(both[turn], both[1 - turn], left, turn, idle)
        for player, men in enumerate(both):
            men_left = count(men) + self.in_hand(position, player)
            least = 2 if player == turn else 3
            if not least <= men_left <= MEN:
                raise RulesError(
                    f"{text!r}: {COLOURS[player]} has {men_left} men on the board and in hand; from {least} to {MEN}"
                    " are possible"
                )
        return position


# -- sets of points ---------------------------------------------------------------------------------------------------


def turned(men: int) -> int:
    """`men` moved one point along their rings."""
    return men << 1 & ~FIRST & BOARD | men >> 7 & FIRST


def turned_back(men: int) -> int:
    """`men` moved one point back along their rings."""
    return men >> 1 & ~(FIRST << 7) | men << 7 & FIRST << 7


def neighbours(men: int) -> int:
    """The points one step from `men`."""
    spokes = men & ODD
    return turned(men) | turned_back(men) | spokes << 8 & BOARD | spokes >> 8


def closing_points(men: int) -> int:
    """The points that would complete a mill with two of `men`."""
    one, back = turned(men), turned_back(men)
    sides = one & back & ODD | (one & turned(one) | back & turned_back(back)) & ~ODD
    return sides | (men << 8 | men >> 16) & (men << 16 | men >> 8) & ODD


def middles(men: int) -> int:
    """The points in the middle of a mill along a ring."""
    return men & turned(men) & turned_back(men) & ODD


def spokes(men: int) -> int:
    """The inner points of the mills from ring to ring, as points of the outer ring."""
    return men & men >> 8 & men >> 16 & ODD


def in_mills(men: int) -> int:
    """The members of `men` that are in a mill."""
    middle = middles(men)
    return middle | turned(middle) | turned_back(middle) | spokes(men) * FIRST


def mills(men: int) -> int:
    """The number of mills of `men`."""
    return count(middles(men)) + count(spokes(men))


def mirror(men: int) -> int:
    """`men` with left and right exchanged: point i of a ring goes to 2 - i."""
    men = men << 1 & ODD | men >> 1 & ODD >> 1
    men = men << 2 & 0xCCCCCC | men >> 2 & 0x333333
    men = men << 4 & 0xF0F0F0 | men >> 4 & 0x0F0F0F  # i is at 7 - i
    return men << 3 & 0xF8F8F8 | men >> 5 & 0x070707


def exchange(men: int) -> int:
    """`men` with the inner and the outer ring exchanged."""
    return men >> 16 | men & 0xFF00 | (men & 0xFF) << 16


@cache
def numbering() -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """What a numbering of states by symmetry needs.

    The images of the 256 sets of points of a ring, turned and mirrored, [8, 256]; the sets of 3 to 9 points of the
    board that no image precedes, by size; and where those of each size begin, [11].
    """
    turns = [list(range(256))]
    for _ in range(3):
        turns.append([turned(turned(ring)) for ring in turns[-1]])
    ways = np.array(turns + [[mirror(ring) for ring in way] for way in turns], np.int32)
    numbers = np.array([count(ring) for ring in range(256)])
    placements = []
    for inner in np.flatnonzero(ways.min(axis=0) == np.arange(256)):
        sets = inner << 16 | np.arange(1 << 16)
        size = numbers[inner] + numbers[sets >> 8 & 255] + numbers[sets & 255]
        sets = sets[(size >= 3) & (size <= MEN)]
        for way in ways:
            one, two, three = way[inner], way[sets >> 8 & 255], way[sets & 255]
            image, exchanged = one << 16 | two << 8 | three, three << 16 | two << 8 | one
            sets = sets[(sets <= image) & (sets <= exchanged)]
        placements.append(sets)
    together = np.concatenate(placements)
    size = numbers[together >> 16] + numbers[together >> 8 & 255] + numbers[together & 255]
    order = np.argsort(size, kind="stable")
    return ways, together[order].astype(np.int32), np.searchsorted(size[order], np.arange(MEN + 2))
