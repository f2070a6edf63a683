"""Go: surround more of the board than the other player.

Two players in turn put a stone on an empty point, or pass; black begins. Stones of one colour that are connected along
the lines are a chain, and the empty points next to it are its liberties. Chains without liberties are captured and
taken off the board, the opponent's first. A move that would leave the player's own chain without liberties is suicide,
which is allowed only with `suicide`. Two passes in a row end the game. A player's area consists of the stones and of
the empty points from which only that colour can be reached along empty points (area scoring, by the rules of Tromp and
Taylor). White gets komi in addition, since black begins. With a handicap black has stones on the board at first, and
white begins.

- `Go`: a single stone that has captured a single stone cannot be recaptured at once (ko). If a position is repeated in
  another way the game is a draw, like the "no result" of Japanese rules. A state does not contain its past and is fast.
  In OpenSpiel the game is a draw as soon as a board is repeated, no matter who is to move.
- `SuperkoGo`: no move may repeat an earlier board, no matter who is to move (positional superko, the rule of Tromp and
  Taylor). A state contains hashes of all earlier boards.

Action `row * size + column` is a stone on that point, and `size * size` is to pass. Points are named as in GTP, without
a column I. On a board of size 9:

    9  72 73 74 75 76 77 78 79 80
    .  ..
    2   9 10 11 12 13 14 15 16 17
    1   0  1  2  3  4  5  6  7  8
        A  B  C  D  E  F  G  H  J

A set of points is `Points`, a few ints. Each holds as many whole rows as fit into 63 bits, and each row ends with a bit
that is always 0. So a step in one direction is the same shift for all points, and what leaves the board falls on a bit
that is cleared. On a board of size 9 the first int holds rows 1 to 6, in 10 bits each, and the second rows 7 to 9.

A state also holds the chains that have a single liberty. They are enough to know where a stone may be put: where a
neighbour is empty, or belongs to a chain of the same player with another liberty, or to an opponent's chain without.

Start reading at `Go.result`; the knowledge of playouts begins at `Go.playout_action`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from outplay.compile.random_numbers import random_below
from outplay.games._parameters import switch, whole_number
from outplay.games._pictures import STONES as DRAWN_STONES
from outplay.games._pictures import from_below, grid, on_cells, outcome, turn_line
from outplay.games._sgf import SgfError, main_lines
from outplay.games._sgf_go import go_game
from outplay.games._texts import read_board, write_board
from outplay.rules.bits import count, lowest, squares
from outplay.rules.board import Picture, Place, point_board
from outplay.rules.errors import RulesError
from outplay.rules.game import Game, legal_actions
from outplay.rules.keys import SEED, mix

LETTERS = "ABCDEFGHJKLMNOPQRST"
"""The columns."""
STONES = "XO"
"""The marks of the stones of black, player 0, and of white."""
NAMES = ("black", "white")
TURNS = "bw"


class Points(NamedTuple):
    """A set of points: some rows in each int; ints that the board does not need are 0."""

    a: int
    b: int
    c: int
    d: int
    e: int
    f: int
    g: int


class Board(NamedTuple):
    """The stones on the board, and whose turn it is."""

    mine: Points  # the stones of the player to move
    theirs: Points  # the stones of the other player
    weak: Points  # the stones of both in chains with a single liberty
    turn: int
    ko: int  # the point where the player to move may not play because of ko; -1 if there is none
    passes: int  # the number of passes just made in a row; two end the game


class PastBoard(NamedTuple):
    """A `Board` with all boards so far."""

    mine: Points
    theirs: Points
    weak: Points
    turn: int
    ko: int
    passes: int
    past: NDArray[np.int64]  # int64 [boards], ascending: the hashes of the boards so far, including this one


NONE = Points(0, 0, 0, 0, 0, 0, 0)

SAVE, CAPTURE, SHAPE, CAPTURE_AFAR = 90, 90, 90, 50
"""How often, in 100, a playout looks for each kind of answer; never always, or three kos might cycle for ever."""

GOOD_SHAPES = (
    # A hane: around the head of a stone, with support.
    "XOX/.../???",
    "XO./.../?.?",
    "XO?/X../x.?",
    ".O./X../...",
    # A cut, and shapes that prevent one.
    "XO?/O.o/?o?",
    "XO?/O.X/???",
    "?X?/O.O/ooo",
    "OX?/o.O/???",
    # At the edge of the board.
    "X.?/O.?/---",
    "OX?/X.O/---",
    "?X?/x.O/---",
    "?XO/x.x/---",
    "?OX/X.O/---",
)
"""Shapes in which a stone in the middle is good for either player, as in MoGo (Gelly et al. 2006) and michi (Baudis
2015).

X and O are the stones of the two players, . is an empty point, - is off the board; x is anything but O, o anything but
X, and ? anything. Shapes may be turned and mirrored."""


def _good_codes() -> NDArray[np.int64]:
    """65,536 bits, 32 in each number: whether a code of the 8 points around a point is a good shape.

    A code holds 8 bits for the stones of a player and 8 for those of the opponent; off the board both are 1.
    """
    meaning = {"X": "X", "O": "O", ".": ".", "-": "-", "x": "X.-", "o": "O.-", "?": "XO.-"}
    table = np.zeros(2048, np.int64)
    whole = set()
    for shape in GOOD_SHAPES:
        square = np.array([list(row) for row in shape.split("/")])
        for turned in (np.rot90(form, turns) for form in (square, square.T) for turns in range(4)):
            letters = "".join(turned.ravel())
            whole.add(letters[:4] + letters[5:])
    for shape in whole:
        codes = [0]
        for place, letter in enumerate(shape):
            codes = [
                code | ((mark in "X-") << 8 | (mark in "O-")) << place for code in codes for mark in meaning[letter]
            ]
        for code in codes:
            for code_seen in (code, code >> 8 | (code & 255) << 8):
                table[code_seen >> 5] |= 1 << (code_seen & 31)
    return table


GOOD_CODES = _good_codes()


class Go(Game):
    """Go on a board of size 2 to 19, with simple ko; `E5` plays there, and `pass` passes.

    The utility is 1 for a win and -1 for a loss, regardless of the margin: this is the aim of Go, and makes a player
    choose the safe way. With `margin` it is the difference of the areas, less komi.

    >>> game = Go(5, komi=0.5)
    >>> board = game.initial_state()
    >>> for move in "C3", "C4", "D4", "pass":
    ...     board = game.result(board, game.parse_action(board, move))
    >>> print(game.render(board))
    5 . . . . .
    4 . . O X .
    3 . . X . .
    2 . . . . .
    1 . . . . .
      A B C D E
    black to move
    >>> game.state_text(board)
    '5/2OX1/2X2/5/5 b - 1'
    >>> game.area(board)
    (2, 1)
    """

    repetition: ClassVar[str | None] = "draw"
    amaf_friendly = True
    feature_names = ("stones", "weak", "points", "komi")

    def __init__(
        self,
        size: int = 9,
        komi: float = 7.5,
        handicap: int = 0,
        *,
        suicide: bool = False,
        margin: bool = False,
    ) -> None:
        self.size = n = whole_number("size", size, 2, 19)
        if not isinstance(komi, (int, float)) or not -361 <= komi <= 361 or 2 * komi != int(2 * komi):
            raise RulesError(f"komi={komi!r}: komi must be a whole or half number from -361 to 361")
        self.komi = float(komi)
        self.suicide = switch("suicide", suicide)
        self.margin = switch("margin", margin)
        most = n * n + abs(self.komi)
        self.utilities = (-most, most) if margin else (-1, 1)
        self.passing = n * n  # the action
        self.stride = n + 1  # the number of bits of a row
        self.height = 63 // self.stride  # the number of rows in an int
        self.words = -(-n // self.height)  # the number of ints used
        self.seam = (self.height - 1) * self.stride  # the shift from the first row of an int to its last one
        self.board = self.points_of(range(n * n))
        self.edge = self.points_of([point for point in range(n * n) if {0, n - 1} & set(divmod(point, n))])
        self.outside = self._outside()  # int64 [n * n]: the points off the board among the 5 by 5 around each point
        self.images = self._images()  # int64 [8, words * 64]: the bit that each bit becomes
        self.stars = self._stars()
        self.handicap = whole_number("handicap", handicap, 0, len(self.stars))
        if handicap == 1:
            raise RulesError("handicap=1: one stone is no handicap, since black begins; use 0 and a lower komi")
        self.placed = self.points_of(self.handicap_points())

    def initial_state(self) -> Any:
        return Board(NONE, self.placed, NONE, 1 if self.handicap else 0, -1, 0)

    # -- the rules --------------------------------------------------------------------------------------------------

    def to_move(self, board: Any) -> int:
        return int(board.turn)

    def actions(self, board: Any) -> Iterator[int]:
        if board.passes == 2:
            return
        points = self.playable(board)
        for word in range(self.words):
            rest, first = points[word], word * self.height * self.size
            while rest:  # `squares`, a generator in a generator, takes 10 times as long
                bit = lowest(rest)
                rest &= rest - 1
                yield first + bit - bit // self.stride
        yield self.passing

    def playable(self, board: Any) -> Points:
        """The points on which the player to move may put a stone."""
        if not self.suicide:
            return self.breathing(board)
        empty = self.empty(board)
        return without(empty, self.point(board.ko)) if board.ko >= 0 else empty

    def breathing(self, board: Any) -> Points:
        """The points on which the player to move may put a stone without suicide."""
        empty = self.empty(board)
        safe = exclusive(board.mine, board.weak)  # my chains with more than one liberty, and theirs with one
        empty = both(empty, self.around(either(empty, safe)))
        return without(empty, self.point(board.ko)) if board.ko >= 0 else empty

    def repeats(self, board: Any, action: int) -> bool:
        """Whether a stone there would repeat an earlier board, apart from ko."""
        return False

    def result(self, board: Any, action: int) -> Any:
        if action == self.passing:
            return Board(board.theirs, board.mine, board.weak, 1 - board.turn, -1, board.passes + 1)
        stone = self.point(action)
        near = self.around(stone)
        mine, theirs, weak = self.stones(board)
        mine, ko = either(mine, stone), -1

        # 1. Their chains that had their only liberty here are captured.
        captured = both(both(near, theirs), weak)
        if is_any(captured):
            captured = self.flood(captured, both(theirs, weak))
            theirs = without(theirs, captured)
            weak = without(weak, captured)
        empty = without(self.board, either(mine, theirs))

        # 2. My weak chains next to these have more liberties now, and chains next to the stone are part of its chain.
        freed = both(both(either(near, self.around(captured)), mine), weak)
        if is_any(freed):
            weak = without(weak, self.flood(freed, both(mine, weak)))

        # 3. The chain of the stone.
        chain, liberties = self.chain(stone, mine, empty)
        if liberties == 1:
            weak = either(weak, chain)
            if size(captured) == 1 and size(chain) == 1:
                ko = self.only(captured)
        elif liberties == 0:  # suicide: their chains beside it have more liberties now
            mine = without(mine, chain)
            freed = both(both(self.around(chain), theirs), weak)
            weak = without(weak, self.flood(freed, both(theirs, weak)))
            return Board(theirs, mine, weak, 1 - board.turn, ko, 0)

        # 4. Their other chains next to the stone have lost a liberty.
        rest = both(near, theirs)
        while is_any(rest):
            chain, liberties = self.chain(first(rest), theirs, empty)
            if liberties == 1:
                weak = either(weak, chain)
            rest = without(rest, chain)
        return Board(theirs, mine, weak, 1 - board.turn, ko, 0)

    def is_terminal(self, board: Any) -> bool:
        return bool(board.passes == 2)

    def resumed(self, board: Any) -> Any:
        """The state in which a game goes on: after two passes, players may play on; a third pass ends it as well.

        So people settle which stones are dead, and some servers write three passes. All readers of games use it, and
        the engine of the Go Text Protocol; a search ends with two passes.
        """
        return board._replace(passes=1) if board.passes == 2 else board

    def utility(self, board: Any, player: int) -> float:
        black, white = self.area(board)
        lead = black - white - self.komi
        if not self.margin:
            lead = float(np.sign(lead))
        return lead if player == 0 else 0.0 - lead

    def key(self, board: Any) -> Any:
        """The board without the weak chains, which follow from the stones."""
        return board.mine, board.theirs, board.turn, board.ko, board.passes

    def area(self, board: Any) -> tuple[int, int]:
        """The points of black and of white: the stones, and the empty points that reach only that colour."""
        black, white = self.colours(board)
        empty = self.empty(board)
        from_black = self.flood(black, either(black, empty))
        from_white = self.flood(white, either(white, empty))
        return size(without(from_black, from_white)), size(without(from_white, from_black))

    def colours(self, board: Any) -> tuple[Points, Points]:
        """The stones of black and of white."""
        if board.turn == 0:
            return board.mine, board.theirs
        return board.theirs, board.mine

    def empty(self, board: Any) -> Points:
        """The points without a stone."""
        return without(self.board, either(board.mine, board.theirs))

    def stones(self, board: Any) -> tuple[Points, Points, Points]:
        """`mine`, `theirs` and `weak`, cut to the board, so that the compiler knows which of their ints are 0."""
        return both(board.mine, self.board), both(board.theirs, self.board), both(board.weak, self.board)

    # -- sets of points ---------------------------------------------------------------------------------------------

    def point(self, action: int) -> Points:
        """The set of one point."""
        row = action // self.size
        word = row // self.height
        bit = 1 << action - word * self.height * self.size + row - word * self.height
        return Points(
            bit if word == 0 else 0,
            bit if word == 1 and self.words > 1 else 0,
            bit if word == 2 and self.words > 2 else 0,
            bit if word == 3 and self.words > 3 else 0,
            bit if word == 4 and self.words > 4 else 0,
            bit if word == 5 and self.words > 5 else 0,
            bit if word == 6 and self.words > 6 else 0,
        )

    def only(self, points: Points) -> int:
        """The number of the first of `points`."""
        for word in range(self.words):
            if points[word]:
                return self.number(word, lowest(points[word]))
        return -1

    def number(self, word: int, bit: int) -> int:
        """The point of this bit of an int; the inverse of `place`."""
        return word * self.height * self.size + bit - bit // self.stride

    def around(self, points: Points) -> Points:
        """The neighbours of `points`; members of `points` may be among them."""
        a, b, c, d, e, f, g = points
        stride, seam, board = self.stride, self.seam, self.board
        return Points(
            (a << 1 | a >> 1 | a << stride | a >> stride | b << seam) & board.a,
            (b << 1 | b >> 1 | b << stride | b >> stride | c << seam | a >> seam) & board.b,
            (c << 1 | c >> 1 | c << stride | c >> stride | d << seam | b >> seam) & board.c,
            (d << 1 | d >> 1 | d << stride | d >> stride | e << seam | c >> seam) & board.d,
            (e << 1 | e >> 1 | e << stride | e >> stride | f << seam | d >> seam) & board.e,
            (f << 1 | f >> 1 | f << stride | f >> stride | g << seam | e >> seam) & board.f,
            (g << 1 | g >> 1 | g << stride | g >> stride | f >> seam) & board.g,
        )

    def above(self, points: Points) -> Points:
        """Each point moved up by a row, the last one off the board."""
        a, b, c, d, e, f, g = points
        stride, seam, board = self.stride, self.seam, self.board
        return Points(
            a << stride & board.a,
            (b << stride | a >> seam) & board.b,
            (c << stride | b >> seam) & board.c,
            (d << stride | c >> seam) & board.d,
            (e << stride | d >> seam) & board.e,
            (f << stride | e >> seam) & board.f,
            (g << stride | f >> seam) & board.g,
        )

    def below(self, points: Points) -> Points:
        """Each point moved down by a row, the first one off the board."""
        a, b, c, d, e, f, g = points
        stride, seam, board = self.stride, self.seam, self.board
        return Points(
            (a >> stride | b << seam) & board.a,
            (b >> stride | c << seam) & board.b,
            (c >> stride | d << seam) & board.c,
            (d >> stride | e << seam) & board.d,
            (e >> stride | f << seam) & board.e,
            (f >> stride | g << seam) & board.f,
            g >> stride & board.g,
        )

    def flood(self, points: Points, within: Points) -> Points:
        """`points` and everything connected with them within a set that contains them."""
        while True:
            more = both(self.around(points), within)
            if not is_any(without(more, points)):
                return points
            points = either(points, more)

    def chain(self, points: Points, stones: Points, empty: Points) -> tuple[Points, int]:
        """The chain of `points` among `stones`, and its number of liberties, at most 2; with 2, perhaps only a part."""
        while True:
            near = self.around(points)
            liberties = size(both(near, empty))
            more = without(both(near, stones), points)
            if liberties >= 2 or not is_any(more):
                return points, min(liberties, 2)
            points = either(points, more)

    # -- hints ------------------------------------------------------------------------------------------------------

    def evaluate(self, board: Any, player: int) -> float:
        """The lead if each empty point belongs to the nearer colour, as a fraction of the maximum."""
        black, white = self.influence(board)
        estimate = (black - white - self.komi) / (self.size * self.size + abs(self.komi) + 1)
        if self.margin:
            estimate *= self.size * self.size
        return estimate if player == 0 else 0.0 - estimate

    def influence(self, board: Any) -> tuple[int, int]:
        """The points of black and of white: the stones, and the empty points nearer to them along empty points."""
        black, white = self.colours(board)
        free = self.empty(board)
        while True:
            to_black, to_white = both(self.around(black), free), both(self.around(white), free)
            if not is_any(either(to_black, to_white)):
                return size(without(black, white)), size(without(white, black))
            free = without(free, either(to_black, to_white))
            black, white = either(black, to_black), either(white, to_white)

    def order(self, board: Any, action: int) -> int:
        """Captures first, by the number of stones, then moves that save a weak chain, then shape; own eyes come last.

        Passing comes last except for own eyes, but first if it ends a game that is won.
        """
        if action == self.passing:
            return 10_000 if board.passes == 1 and self.utility(board, board.turn) > 0 else -20
        mine, theirs, weak = self.stones(board)
        stone = self.point(action)
        near = self.around(stone)
        if not is_any(without(near, mine)) and is_any(both(stone, self.true_eyes(board))):
            return -21
        prey = both(near, both(theirs, weak))
        if is_any(prey):
            return 40 + 8 * size(self.flood(prey, both(theirs, weak))) + 4 * size(both(near, both(mine, weak)))
        if self.puts_in_atari(board, stone):
            return -10
        value = 8 * size(both(near, both(mine, weak))) + size(both(near, theirs))
        if self.has_good_shape(board, action):
            value += 4
        elif is_any(both(stone, self.edge)) and not is_any(both(near, either(mine, theirs))):
            value -= 4
        return value

    def null_move_state(self, board: Any) -> Any:
        return Board(board.theirs, board.mine, board.weak, 1 - board.turn, -1, 0)

    def features(self, board: Any) -> tuple[int, int, int, float]:
        """Stones, stones in weak chains, points of influence, komi: the player to move's minus the opponent's."""
        black, white = self.influence(board)
        sign = 1 if board.turn == 0 else -1
        return (
            size(board.mine) - size(board.theirs),
            size(both(board.mine, board.weak)) - size(both(board.theirs, board.weak)),
            sign * (black - white),
            -sign * self.komi,
        )

    def symmetries(self, board: Any) -> Any:
        """The board turned and mirrored in all eight ways."""
        return (
            board,
            self.image(board, 1),
            self.image(board, 2),
            self.image(board, 3),
            self.image(board, 4),
            self.image(board, 5),
            self.image(board, 6),
            self.image(board, 7),
        )

    def image(self, board: Any, number: int) -> Any:
        """The board under one of its symmetries."""
        ko = self.only(self.mirrored(self.point(board.ko), number)) if board.ko >= 0 else -1
        mine, theirs = self.mirrored(board.mine, number), self.mirrored(board.theirs, number)
        return Board(mine, theirs, self.mirrored(board.weak, number), board.turn, ko, board.passes)

    def mirrored(self, points: Points, number: int) -> Points:
        """`points` under one of the symmetries."""
        words = np.zeros(7, np.int64)
        for word in range(self.words):
            for bit in squares(points[word]):
                becomes = self.images[number, word * 64 + bit]
                words[becomes >> 6] |= 1 << (becomes & 63)
        return Points(words[0], words[1], words[2], words[3], words[4], words[5], words[6])

    # -- playouts ---------------------------------------------------------------------------------------------------

    def playout_action(self, board: Any, last: int, random: Any) -> int:
        """An answer to the last move if there is one that looks good; otherwise a random point.

        Players never fill their own true eyes, so that playouts end: they pass when nothing else is left.
        """
        if 0 <= last < self.passing:
            action = self.answer(board, last, random)
            if action >= 0 and not self.repeats(board, action):
                return action
        return self.any_point(board, random)

    def any_point(self, board: Any, random: Any) -> int:
        """A random point that is not a true eye of the player to move, or a pass if there is none."""
        points = without(self.breathing(board), self.true_eyes(board))
        number = size(points)
        while number:
            action = self.drawn(points, number, random)
            if not self.repeats(board, action):
                return action
            points = without(points, self.point(action))
            number -= 1
        return self.passing

    def drawn(self, points: Points, number: int, random: Any) -> int:
        """A random one of `points`; `number` is how many there are."""
        index = random_below(random, number)
        for word in range(self.words):
            here = count(points[word])
            if index < here:
                return self.number(word, nth(points[word], index))
            index -= here
        return -1

    def true_eyes(self, board: Any) -> Points:
        """The empty points with only stones of the player to move beside them, except false eyes.

        An eye is false with two stones of the opponent at its corners, or one at the edge of the board.
        """
        eyes = without(self.empty(board), self.around(without(self.board, board.mine)))
        if not is_any(eyes):
            return eyes
        theirs = both(board.theirs, self.board)
        left, right = both(moved(theirs, -1), self.board), both(moved(theirs, 1), self.board)
        a, b, c, d = self.above(left), self.above(right), self.below(left), self.below(right)
        one = either(either(a, b), either(c, d))
        two = either(either(both(a, b), both(c, d)), both(either(a, b), either(c, d)))
        return without(eyes, either(two, both(one, self.edge)))

    def puts_in_atari(self, board: Any, stone: Points) -> int:
        """The stones of the player to move that would have at most one liberty after a stone there; 0 if it has more.

        A stone that captures counts as having more.
        """
        near = self.around(stone)
        empty = without(self.empty(board), stone)
        if size(both(near, empty)) >= 2 or is_any(both(near, both(board.theirs, board.weak))):
            return 0
        chain, liberties = self.chain(stone, both(board.mine, self.board), empty)
        return size(chain) if liberties < 2 else 0

    def answer(self, board: Any, last: int, random: Any) -> int:
        """A move that answers the last one, or -1: it saves a chain, captures, or makes good shape beside that move.

        After Gelly, Wang, Munos & Teytaud, "Modification of UCT with Patterns in Monte-Carlo Go" (2006), section 3.2.
        """
        mine, theirs, weak = self.stones(board)
        stone = self.point(last)

        # 1. My chains that the last move has put in atari.
        attacked = both(self.around(stone), both(mine, weak))
        if is_any(attacked) and random_below(random, 100) < SAVE:
            points = self.rescues(board, attacked)
            if is_any(points):
                return self.drawn(points, size(points), random)

        # 2. The chain of the last move, if it is in atari itself.
        prey = both(stone, both(theirs, weak))
        if is_any(prey) and random_below(random, 100) < CAPTURE:
            points = self.captures(board, prey)
            if is_any(points):
                return self.only(points)

        # 3. Shapes beside the last move.
        if random_below(random, 100) < SHAPE:
            action = self.shape(board, last, random)
            if action >= 0:
                return action

        # 4. Any of their chains in atari. Before shapes, this makes a search much weaker.
        prey = both(theirs, weak)
        if is_any(prey) and random_below(random, 100) < CAPTURE_AFAR:
            points = self.captures(board, prey)
            if is_any(points):
                return self.drawn(points, size(points), random)
        return -1

    def captures(self, board: Any, prey: Points) -> Points:
        """The points where a stone captures one of the chains of these stones, all of them in atari."""
        _, theirs, weak = self.stones(board)
        points = both(self.around(self.flood(prey, both(theirs, weak))), self.empty(board))
        return without(points, self.point(board.ko)) if board.ko >= 0 else points

    def rescues(self, board: Any, attacked: Points) -> Points:
        """The points where a stone saves one of the chains of these stones, by a capture or by an extension."""
        mine, theirs, weak = self.stones(board)
        near = self.around(self.flood(attacked, both(mine, weak)))
        points = self.captures(board, both(near, both(theirs, weak)))
        rest = without(both(near, self.empty(board)), either(points, self.true_eyes(board)))
        while is_any(rest):
            stone = first(rest)
            rest = without(rest, stone)
            if self.puts_in_atari(board, stone) == 0:
                points = either(points, stone)
        return points

    def shape(self, board: Any, last: int, random: Any) -> int:
        """A random point around the last move where a stone makes a good shape; -1 if there is none."""
        shapes = self.good_shapes(board, last)
        number = count(shapes)
        while number:
            bit = nth(shapes, random_below(random, number))
            action = last + (bit // 5 - 2) * self.size + bit % 5 - 2
            stone = self.point(action)
            is_bad = self.puts_in_atari(board, stone) or is_any(both(stone, self.true_eyes(board)))
            if action != board.ko and not is_bad:
                return action
            shapes ^= 1 << bit
            number -= 1
        return -1

    def good_shapes(self, board: Any, last: int) -> int:
        """The points around a point that are good shapes for either player: some of 5 by 5 bits, as in `window`."""
        outside = self.outside[last]
        mine, theirs = self.window(board.mine, last) | outside, self.window(board.theirs, last) | outside
        points, rest = 0, RING & ~(mine | theirs)
        while rest:
            bit = lowest(rest)
            rest &= rest - 1
            points |= is_shape(mine, theirs, bit) << bit
        return points

    def has_good_shape(self, board: Any, action: int) -> bool:
        """Whether a stone on an empty point is good shape for either player."""
        outside = self.outside[action]
        return is_shape(self.window(board.mine, action) | outside, self.window(board.theirs, action) | outside, 12) > 0

    def window(self, points: Points, action: int) -> int:
        """The part of a set in the 5 by 5 points around a point: bit 12 is the point itself, and 5 bits are a row."""
        row, column = action // self.size, action % self.size
        whole = (1 << self.size) - 1
        pattern = 0
        for step in range(5):
            line = row + step - 2
            if 0 <= line < self.size:
                bits = points[line // self.height] >> line % self.height * self.stride & whole
                pattern |= (bits << 2 >> column & 31) << 5 * step
        return pattern

    # -- what the constructor makes -----------------------------------------------------------------------------------

    def place(self, action: int) -> tuple[int, int]:
        """The int and the bit of a point."""
        row, column = divmod(action, self.size)
        return row // self.height, row % self.height * self.stride + column

    def points_of(self, actions: Sequence[int]) -> Points:
        """The set of these points."""
        words = [0] * 7
        for word, bit in map(self.place, actions):
            words[word] |= 1 << bit
        return Points(*words)

    def listed(self, points: Points) -> list[int]:
        """The numbers of `points`."""
        return [action for action in range(self.size**2) if both(self.point(action), points) != NONE]

    def _images(self) -> NDArray[np.int64]:
        n = self.size
        turned = np.arange(n * n).reshape(n, n)
        images = [turned, turned[:, ::-1]]
        images += [image[::-1] for image in images]
        images += [image.T for image in images]
        table = np.zeros((8, self.words * 64), np.int64)
        for number, image in enumerate(images):
            for action, becomes in enumerate(image.ravel().tolist()):
                (word, bit), (to_word, to_bit) = self.place(action), self.place(becomes)
                table[number, word * 64 + bit] = to_word * 64 + to_bit
        return table

    def _outside(self) -> NDArray[np.int64]:
        n = self.size
        board = np.pad(np.zeros((n, n), np.int64), 2, constant_values=1)
        weights = 1 << np.arange(25).reshape(5, 5)
        windows = np.lib.stride_tricks.sliding_window_view(board, (5, 5))
        return np.asarray((windows * weights).sum((2, 3)).ravel(), np.int64)

    def _stars(self) -> tuple[int, ...]:
        """The points for handicap stones, in the order of GTP; none on boards smaller than 7."""
        n = self.size
        if n < 7:
            return ()
        low = 3 if n > 12 else 2
        high, middle = n - 1 - low, n // 2
        corners = [(low, low), (high, high), (high, low), (low, high)]
        if n > 7 and n % 2:
            corners += [(middle, low), (middle, high), (low, middle), (high, middle), (middle, middle)]
        return tuple(row * n + column for row, column in corners)

    def handicap_points(self) -> tuple[int, ...]:
        """The points of the handicap stones; with 5, 7 and 9 one is in the centre."""
        if self.handicap in (5, 7):
            return (*self.stars[: self.handicap - 1], self.stars[8])
        return self.stars[: self.handicap]

    # -- pictures and texts -----------------------------------------------------------------------------------------

    def action_limit(self) -> int:
        return self.passing + 1

    def observation(self, board: Any, player: int) -> NDArray[np.float32]:
        """Planes from the top row down: the stones of the player and of the opponent, the point of a ko, the seat,
        whether the player is to move, and how many passes were just made.
        """
        n = self.size
        planes = np.zeros((6, n, n), np.float32)
        first = 0 if board.turn == player else 1
        for action in range(n * n):
            point, row, column = self.point(action), n - 1 - action // n, action % n
            if both(point, board.mine) != NONE:
                planes[first, row, column] = 1
            elif both(point, board.theirs) != NONE:
                planes[1 - first, row, column] = 1
        if board.ko >= 0:
            planes[2, n - 1 - board.ko // n, board.ko % n] = 1
        planes[3], planes[4], planes[5] = player, 1 - first, board.passes / 2
        return planes

    def rows(self, board: Any) -> list[list[str]]:
        """The rows of the board, the top one first."""
        marks = ["."] * self.size**2
        for stones, mark in zip(self.colours(board), STONES, strict=True):
            for action in self.listed(stones):
                marks[action] = mark
        return [marks[row * self.size : (row + 1) * self.size] for row in reversed(range(self.size))]

    def render(self, board: Any) -> str:
        rows: list[list[object]] = [[self.size - i, *row] for i, row in enumerate(self.rows(board))]
        return f"{grid([*rows, ['', *LETTERS[: self.size]]])}\n{outcome(self, board, NAMES)}"

    def picture(self, board: Any) -> Picture:
        n = self.size
        pieces = on_cells(from_below(self.rows(board)), dict(zip(STONES, DRAWN_STONES, strict=True)))
        text: list[Any] = [turn_line(self, board, NAMES, DRAWN_STONES), f"komi {self.komi:g}"]
        if board.passes == 2:
            text.append("area: black {}, white {}".format(*self.area(board)))
        elif board.passes:
            text.append(f"{NAMES[1 - board.turn]} has passed")
        whole = point_board(
            n, n, pieces, text, bottom_first=True, row_names=range(1, n + 1), column_names=LETTERS[:n], colours=NAMES
        )
        stars = [Place(None, star % n, n - 1 - star // n, "round", "line", 0.2, 0.2) for star in self._stars()]
        return replace(whole, places=[*whole.places, *stars])

    def value_text(self, value: float, exact: bool = False, distance: int | None = None) -> str:
        """The lead in points, such as +3.5 points, unless only a win or a loss is known."""
        if not self.margin and exact:
            return super().value_text(value, exact, distance)
        if type(self).evaluate is not Go.evaluate and not self.margin:
            return super().value_text(value, exact, distance)
        most = 1.0 if self.margin else self.size * self.size + abs(self.komi) + 1  # as in `evaluate`
        points = f"{value * most:+.3g}" if value else "0"
        return f"{points} point{'s' * (points not in ('+1', '-1'))}"

    def result_text(self, utilities: Sequence[float]) -> str:
        """As in records: B+3.5 if black wins by 3.5 points, and only who wins if margins do not count."""
        if not utilities[0]:
            return "draw"
        winner = NAMES[utilities[0] < 0]
        return f"{winner[0].upper()}+{abs(utilities[0]):g}" if self.margin else f"{winner} wins"

    def action_name(self, board: Any, action: int) -> str:
        """The point as in GTP, such as `E5`, or `pass`."""
        if action == self.passing:
            return "pass"
        return f"{LETTERS[action % self.size]}{action // self.size + 1}"

    def parse_action(self, board: Any, text: str) -> int:
        """The action that `text` names, in lower or upper case."""
        text = text.strip().upper()
        return super().parse_action(board, "pass" if text == "PASS" else text)

    def state_text(self, board: Any) -> str:
        """The rows from the top, `X` and `O` and numbers for runs of empty points; who is to move; the ko; the passes.

        The ko is the point where the player to move may not recapture, or `-`; the passes just made are 0, 1 or 2.
        """
        ko = self.action_name(board, board.ko) if board.ko >= 0 else "-"
        return f"{write_board(self.rows(board), TURNS[board.turn])} {ko} {board.passes}"

    def parse_state(self, text: str) -> Any:
        """The state that such a text describes; ko and passes may be missing."""
        parts = text.split()
        if len(parts) not in (2, 4):
            example = "/".join([str(self.size)] * self.size)
            raise RulesError(
                f"{text!r}: expected the board, who is to move, the ko and the passes; such as {example} b - 0"
            )
        rows, turn = read_board(" ".join(parts[:2]), self.size, self.size, STONES, TURNS)
        marks = "".join(reversed(["".join(row) for row in rows]))
        black, white = (self.points_of([i for i, mark in enumerate(marks) if mark == stone]) for stone in STONES)
        mine, theirs = (black, white) if turn == 0 else (white, black)
        ko, passes = parts[2:] if len(parts) == 4 else ("-", "0")
        if passes not in ("0", "1", "2"):
            raise RulesError(f"{text!r}: {passes!r}: expected the passes just made: 0, 1 or 2")
        weak, empty = NONE, without(self.board, either(black, white))
        for stones in (black, white):
            rest = stones
            while is_any(rest):
                chain = self.flood(first(rest), stones)
                rest = without(rest, chain)
                liberties = size(both(self.around(chain), empty))
                if liberties == 0:
                    name = self.action_name(None, self.only(chain))
                    raise RulesError(f"{text!r}: the chain of {name} has no liberty and would have been captured")
                if liberties == 1:
                    weak = either(weak, chain)
        board = Board(mine, theirs, weak, turn, -1, int(passes))
        return board if ko == "-" else self._with_ko(board, ko.upper(), text)

    def _with_ko(self, board: Board, ko: str, text: str) -> Board:
        """`board` with this ko; refuses a ko where no single stone can just have captured another one."""
        names = {self.action_name(board, action): action for action in self.listed(self.empty(board))}
        point = names.get(ko, -1)
        if point >= 0 and board.passes == 0:
            near = self.around(self.point(point))
            taker = both(both(near, board.theirs), board.weak)
            alone = size(taker) == 1 and not is_any(both(self.around(taker), board.theirs))
            if alone and not is_any(without(near, board.theirs)):
                return Board(board.mine, board.theirs, board.weak, board.turn, point, 0)
        raise RulesError(f"{text!r}: {ko!r} is not a ko: no single stone can just have captured another one there")

    def to_sgf(self, moves: Sequence[int]) -> str:
        """The game with these actions from the start, as SGF.

        >>> Go(9).to_sgf([40, 81])
        '(;GM[1]FF[4]SZ[9]KM[7.5];B[ee];W[])'
        """
        board = self.initial_state()
        nodes: list[str] = []
        for move in moves:
            if move not in list(legal_actions(self, board)):
                raise RulesError(f"move {len(nodes) + 1}, {move!r}, is not legal")
            nodes.append(f";{'BW'[board.turn]}[{self.sgf_point(move)}]")
            board = self.result(board, move)
        stones = "".join(f"[{self.sgf_point(action)}]" for action in self.handicap_points())
        handicap = f"HA[{self.handicap}]AB{stones}" if stones else ""
        return f"(;GM[1]FF[4]SZ[{self.size}]KM[{self.komi:g}]{handicap}{''.join(nodes)})"

    @classmethod
    def from_sgf(cls, text: str | bytes) -> tuple[Self, list[int]]:
        """The game in an SGF text, with its size, komi and handicap, and the actions of its main line.

        The first game of the text counts. Its moves may go on after two passes, see `resumed`. Raises `RulesError` for
        a text that is not SGF, another game, a move that is not legal, other stones at the beginning than a handicap
        on the usual points, and for all that `outplay.arena.read_records` reads and calls odd.

        >>> Go.from_sgf("(;GM[1]SZ[5]KM[0.5];B[cc];W[](;B[cd])(;B[dd]))")
        (Go(size=5, komi=0.5), [12, 25, 7])
        """
        line = next(main_lines(text))
        if isinstance(line, SgfError):
            raise line
        record = go_game(line, cls)
        if record.odd:
            raise RulesError(f"SGF: {record.odd[0]}")
        if record.start is not None:
            raise RulesError(f"SGF: the game begins in another state, {record.start}: use outplay.arena.read_records")
        game: Any = record.game
        board = game.initial_state()
        for number, move in enumerate(record.moves, 1):
            board = game.resumed(board)
            if move.action not in list(legal_actions(game, board)):
                raise RulesError(f"SGF: move {number}, {move.written}: it is not legal")
            board = game.result(board, move.action)
        return game, [move.action for move in record.moves]

    def sgf_setup(self, board: Any) -> str:
        """The properties of SGF that set up the stones of a state, and who is to move."""
        parts = ""
        for name, stones in zip(("AB", "AW"), self.colours(board), strict=True):
            points = "".join(f"[{self.sgf_point(action)}]" for action in self.listed(stones))
            parts += f"{name}{points}" if points else ""
        return f"{parts}PL[{'BW'[board.turn]}]"

    def sgf_point(self, action: int) -> str:
        """Column and row, from the top left corner, as letters from a on; empty for a pass."""
        row, column = divmod(action, self.size)
        return "" if action == self.passing else chr(97 + column) + chr(96 + self.size - row)

    def sgf_action(self, point: str) -> int:
        """The inverse of `sgf_point`; `tt` is a pass too, as in old files. -1 if there is no such point."""
        if point in ("", "tt"):
            return self.passing
        column, row = (ord(letter) - 97 for letter in point) if len(point) == 2 else (-1, -1)
        is_on = 0 <= column < self.size and 0 <= row < self.size
        return (self.size - 1 - row) * self.size + column if is_on else -1


class SuperkoGo(Go):
    """Go with positional superko: no move may repeat an earlier board, no matter who is to move.

    Passing is always allowed. Boards are told apart by hashes of 64 bits. Much slower than `Go`, since each move is
    tried out; meant for exactly the rules of Tromp and Taylor, also on boards small enough to be solved.

    >>> game = SuperkoGo(2, komi=0)
    >>> board = game.initial_state()
    >>> for move in "A1", "B1", "B2":
    ...     board = game.result(board, game.parse_action(board, move))
    >>> print(game.render(board))
    2 . X
    1 X .
      A B
    white to move
    """

    repetition = None
    state_text = Game.state_text  # type: ignore[assignment]  # a board alone is not the state
    parse_state = Game.parse_state

    def initial_state(self) -> PastBoard:
        board = Go.initial_state(self)
        return PastBoard(
            board.mine,
            board.theirs,
            board.weak,
            board.turn,
            board.ko,
            board.passes,
            np.full(1, self.hash_of(board), np.int64),
        )

    def actions(self, board: PastBoard) -> Iterator[int]:
        for action in Go.actions(self, board):
            if action == self.passing or not self.repeats(board, action):
                yield action

    def repeats(self, board: PastBoard, action: int) -> bool:
        """Whether a stone there would repeat an earlier board."""
        hash_after = self.hash_of(Go.result(self, board, action))
        index = np.searchsorted(board.past, hash_after)
        return bool(index < len(board.past) and board.past[index] == hash_after)

    def result(self, board: PastBoard, action: int) -> PastBoard:
        after = Go.result(self, board, action)
        past = board.past
        if action != self.passing:
            hash_after = self.hash_of(after)
            index = np.searchsorted(past, hash_after)
            past = np.empty(len(board.past) + 1, np.int64)
            past[:index] = board.past[:index]
            past[index] = hash_after
            past[index + 1 :] = board.past[index:]
        return PastBoard(after.mine, after.theirs, after.weak, after.turn, after.ko, after.passes, past)

    def hash_of(self, board: Any) -> int:
        """A hash of the stones alone."""
        return mix(SEED, self.colours(board))

    def key(self, board: PastBoard) -> Any:
        return board.mine, board.theirs, board.turn, board.passes, board.past

    def null_move_state(self, board: PastBoard) -> PastBoard:
        return PastBoard(board.theirs, board.mine, board.weak, 1 - board.turn, -1, 0, board.past)

    def symmetries(self, board: PastBoard) -> tuple[PastBoard]:
        """Only the board itself: the past consists of hashes, which cannot be mirrored."""
        return (board,)


def either(x: Points, y: Points) -> Points:
    """The points in `x` or in `y`."""
    return Points(x.a | y.a, x.b | y.b, x.c | y.c, x.d | y.d, x.e | y.e, x.f | y.f, x.g | y.g)


def both(x: Points, y: Points) -> Points:
    """The points in `x` and in `y`."""
    return Points(x.a & y.a, x.b & y.b, x.c & y.c, x.d & y.d, x.e & y.e, x.f & y.f, x.g & y.g)


def without(x: Points, y: Points) -> Points:
    """The points in `x` and not in `y`."""
    return Points(x.a & ~y.a, x.b & ~y.b, x.c & ~y.c, x.d & ~y.d, x.e & ~y.e, x.f & ~y.f, x.g & ~y.g)


def exclusive(x: Points, y: Points) -> Points:
    """The points in either `x` or `y`, not in both."""
    return Points(x.a ^ y.a, x.b ^ y.b, x.c ^ y.c, x.d ^ y.d, x.e ^ y.e, x.f ^ y.f, x.g ^ y.g)


def is_any(x: Points) -> bool:
    """Whether `x` has a point."""
    return x.a | x.b | x.c | x.d | x.e | x.f | x.g != 0


def size(x: Points) -> int:
    """The number of points in `x`."""
    return count(x.a) + count(x.b) + count(x.c) + count(x.d) + count(x.e) + count(x.f) + count(x.g)


def first(x: Points) -> Points:
    """The first point of `x`, as a set."""
    if x.a:
        return Points(x.a & -x.a, 0, 0, 0, 0, 0, 0)
    if x.b:
        return Points(0, x.b & -x.b, 0, 0, 0, 0, 0)
    if x.c:
        return Points(0, 0, x.c & -x.c, 0, 0, 0, 0)
    if x.d:
        return Points(0, 0, 0, x.d & -x.d, 0, 0, 0)
    if x.e:
        return Points(0, 0, 0, 0, x.e & -x.e, 0, 0)
    if x.f:
        return Points(0, 0, 0, 0, 0, x.f & -x.f, 0)
    return Points(0, 0, 0, 0, 0, 0, x.g & -x.g)


def moved(x: Points, by: int) -> Points:
    """The points of `x` one to the right, or with -1 one to the left; what leaves the board is on a bit beside it."""
    if by > 0:
        return Points(x.a << 1, x.b << 1, x.c << 1, x.d << 1, x.e << 1, x.f << 1, x.g << 1)
    return Points(x.a >> 1, x.b >> 1, x.c >> 1, x.d >> 1, x.e >> 1, x.f >> 1, x.g >> 1)


def nth(board: int, index: int) -> int:
    """The square of `board` with this index, counted from 0 from the lowest; there must be one."""
    square, width = 0, 32
    while width:
        here = count(board & ((1 << width) - 1))
        if index >= here:
            index -= here
            square += width
            board >>= width
        width >>= 1
    return square


RING = 0b00000_01110_01010_01110_00000
"""The 8 points around the middle of 5 by 5 points."""


def is_shape(mine: int, theirs: int, bit: int) -> int:
    """1 if the 8 points around one of 5 by 5 points make it a good shape, else 0."""
    code = ring(mine, bit) << 8 | ring(theirs, bit)
    return int(GOOD_CODES[code >> 5] >> (code & 31) & 1)


def ring(window: int, bit: int) -> int:
    """The 8 points around one of 5 by 5 points as 8 bits, row by row."""
    w = window >> bit - 6
    return w & 7 | w >> 2 & 8 | w >> 3 & 16 | w >> 5 & 224
