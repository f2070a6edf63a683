"""Xiangqi, or Chinese chess: a player who cannot move, in check or not, has lost.

Red, player 0, and black move pieces along the lines of a board of 9 files and 10 ranks, divided by a river:

- The king (k) steps along a line and stays in the palace, 3 x 3 points in the middle of its side. It attacks the
  other king along an open file, so that the two never face each other.
- The advisor (a) steps diagonally and stays in the palace too.
- The elephant (b) goes two points diagonally, if the one between is empty, and does not cross the river.
- The horse (n) goes one point along a line and then one diagonally outwards, if the first one is empty.
- The rook (r) goes any distance along a line, as in chess.
- The cannon (c) moves like the rook, but captures by jumping over exactly one piece of either colour, the screen.
- The soldier (p) steps forwards, and sideways too once it is over the river.

A move that leaves the player's king where it can be captured is illegal. The game is a draw after 120 plies without a
capture, or another number, and when a state occurs for the third time. This is simpler than the rules of tournaments,
where a player who gives check again and again, or chases a piece, has to stop or loses; here perpetual check is a draw.
In OpenSpiel states may be repeated, and the game is a draw after 500 plies.

Points are numbered rank by rank from a0, red's left corner. The river parts the board into two halves of 45 points, and
a set of points in a half is one int:

    9  81 82 83 84 85 86 87 88 89      north: bits 36-44
    8  72 73 74 75 76 77 78 79 80
    7  63 64 65 66 67 68 69 70 71
    6  54 55 56 57 58 59 60 61 62
    5  45 46 47 48 49 50 51 52 53      north: bits 0-8
    4  36 37 38 39 40 41 42 43 44      south: bits 36-44
    3  27 28 29 30 31 32 33 34 35
    2  18 19 20 21 22 23 24 25 26
    1   9 10 11 12 13 14 15 16 17
    0   0  1  2  3  4  5  6  7  8      south: bits 0-8
        a  b  c  d  e  f  g  h  i

The kind of a piece is a number from 1 to 7, and each of its binary digits has such a set. The move from one point to
another is the action 90 * start + end. Start reading at `Xiangqi.actions`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from re import fullmatch, sub
from string import ascii_lowercase
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.games._parameters import whole_number
from outplay.games._pictures import grid, on_cells, outcome, turn_line
from outplay.games._texts import read_board, write_board
from outplay.rules.bits import count, lowest
from outplay.rules.board import Picture, Piece, point_board
from outplay.rules.errors import RulesError
from outplay.rules.game import Game

POINTS, HALF = 90, 45
SOLDIER, ADVISOR, ELEPHANT, HORSE, CANNON, ROOK, KING = range(1, 8)
BLACK = 8
"""Kind + 8 is a black piece."""
LETTERS = ".PABNCRK.pabncrk"
"""The marks of pieces, by their numbers."""
FIGURES = ".兵仕相傌炮俥帥.卒士象馬砲車將"
"""What is written on the pieces, by their numbers."""
SPELLINGS = str.maketrans("heHEgGsS", "nbNBkKpP")
"""Other letters for them: horse, elephant, general, soldier."""
WXF = str.maketrans("hegs.", "nbkp=")
"""Other letters and signs in moves."""
MAX_PIECES = {SOLDIER: 5, ADVISOR: 2, ELEPHANT: 2, HORSE: 2, CANNON: 2, ROOK: 2, KING: 1}
"""The maximum number of pieces of a kind that a player has."""
START = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
NAMES = ("red", "black")
STRAIGHT = ((0, 1), (1, 0), (0, -1), (-1, 0))
SLANTING = ((1, 1), (1, -1), (-1, -1), (-1, 1))
FILES = ascii_lowercase[:9]
ALL = (1 << HALF) - 1
"""All points of a half."""
FIRST_FILE = 0x1008040201
"""The points of the a-file in a half."""
RANK = 511
"""The points of one rank."""
CLOSE = 60
"""Pieces whose worths differ by at most this are considered equal."""
MAX_MOVES = 128
"""An upper bound of the number of moves in a position: 34 of the rooks, 34 of the cannons, 51 of all others."""


class Half(NamedTuple):
    """The pieces in one half of the board, as sets of points."""

    ones: int  # pieces whose kind has the binary digit 1: soldiers, elephants, cannons, kings
    twos: int  # advisors, elephants, rooks, kings
    fours: int  # horses, cannons, rooks, kings
    black: int  # pieces of player 1


class Position(NamedTuple):
    """The pieces on the board, and whose turn it is."""

    south: Half  # ranks 0 to 4, red's side
    north: Half  # ranks 5 to 9
    turn: int
    idle: int  # plies since the last capture
    score: int  # the worth of red's pieces minus that of black's: for `evaluate`


def pieces(half: Half) -> int:
    """The points with a piece."""
    return half.ones | half.twos | half.fours


def of(half: Half, player: int) -> int:
    """The pieces of `player`."""
    return half.black if player else pieces(half) & ~half.black


def of_kind(half: Half, kind: int, player: int) -> int:
    """The pieces of a kind that `player` has."""
    ones = half.ones if kind & 1 else ~half.ones
    twos = half.twos if kind & 2 else ~half.twos
    fours = half.fours if kind & 4 else ~half.fours
    return ones & twos & fours & of(half, player)


def piece_at(position: Position, point: int) -> int:
    """The number of the piece on a point: its kind, and 8 more if it is black; 0: none."""
    half, bit = (position.south, point) if point < HALF else (position.north, point - HALF)
    return (
        (half.ones >> bit & 1) + (half.twos >> bit & 1) * 2 + (half.fours >> bit & 1) * 4 + (half.black >> bit & 1) * 8
    )


def put(half: Half, start: int, end: int, piece: int) -> Half:
    """`half` with the points `start` and `end` cleared, and then `piece` on `end`; either set may be empty."""
    keep = ~(start | end)
    return Half(
        half.ones & keep | end & -(piece & 1),
        half.twos & keep | end & -(piece >> 1 & 1),
        half.fours & keep | end & -(piece >> 2 & 1),
        half.black & keep | end & -(piece >> 3),
    )


def moved(position: Position, start: int, end: int) -> tuple[Half, Half]:
    """The two halves after the piece on `start` has gone to `end`."""
    piece = piece_at(position, start)
    south_start, north_start = (1 << start, 0) if start < HALF else (0, 1 << start - HALF)
    south_end, north_end = (1 << end, 0) if end < HALF else (0, 1 << end - HALF)
    return put(position.south, south_start, south_end, piece), put(position.north, north_start, north_end, piece)


def mirrored(half: Half) -> Half:
    """`half` with left and right exchanged."""
    return Half(turned(half.ones), turned(half.twos), turned(half.fours), turned(half.black))


def turned(board: int) -> int:
    """A set of points with left and right exchanged."""
    sum_ = 0
    for file in range(9):
        sum_ |= (board >> file & FIRST_FILE) << 8 - file
    return sum_


def column(points: int, file: int) -> int:
    """The points in a file of one half, as 5 bits: modulo 255, 2 ** 9 is 2 ** 1, and so on."""
    return (points >> file & FIRST_FILE) % 255


BOARD = [(file, rank) for rank in range(10) for file in range(9)]
"""All points, by their numbers."""


def name_of(point: int) -> str:
    """The name of a point, such as e0."""
    return f"{FILES[point % 9]}{point // 9}"


def points(south: int, north: int) -> Iterator[int]:
    """The numbers of the points of a set."""
    while south:
        yield lowest(south)
        south &= south - 1
    while north:
        yield HALF + lowest(north)
        north &= north - 1


def inside(file: int, rank: int) -> bool:
    """Whether this point exists."""
    return 0 <= file < 9 and 0 <= rank < 10


def may_stand(piece: int, file: int, rank: int) -> bool:
    """Whether a piece can ever reach this point."""
    rank = 9 - rank if piece & BLACK else rank
    kind = piece & 7
    if kind == KING:
        return 3 <= file <= 5 and rank <= 2
    if kind == ADVISOR:
        return (file in (3, 5) and rank in (0, 2)) or (file, rank) == (4, 1)
    if kind == ELEPHANT:
        return (file in (2, 6) and rank in (0, 4)) or (file in (0, 4, 8) and rank == 2)
    if kind == SOLDIER:
        return rank >= 5 or (rank >= 3 and file % 2 == 0)
    return True


def worth(piece: int, file: int, rank: int) -> int:
    """The worth of a piece on a point, in hundredths of a soldier; negative if it is black.

    A soldier is worth more over the river, especially in the middle and further ahead, but little on the last rank. A
    horse is worth more where it has more moves; rooks and cannons in the middle, rooks also off the first rank. A king
    should stay at home, an elephant in the middle.
    """
    ahead, middle = 9 - rank if piece & BLACK else rank, 4 - abs(file - 4)
    kind = piece & 7
    value = 0
    if kind == SOLDIER:
        value = 100 if ahead < 5 else 130 if ahead == 9 else 170 + 15 * middle + 10 * (ahead - 5)
    elif kind == ADVISOR:
        value = 200
    elif kind == ELEPHANT:
        value = 200 + (10 if middle == 4 else 0)
    elif kind == HORSE:
        value = 390 + 10 * sum(
            inside(file + x, rank + y) for x, y in product((-2, -1, 1, 2), repeat=2) if x * x != y * y
        )
    elif kind == CANNON:
        value = 460 + 5 * middle
    elif kind == ROOK:
        value = 930 + 5 * middle + (20 if ahead else 0) + (10 if ahead >= 5 else 0)
    elif kind == KING:
        value = -15 * ahead
    return -value if piece & BLACK else value


# -- tables, made once ------------------------------------------------------------------------------------------------


def table(targets: Callable[..., Iterable[tuple[int, int]]], *more: int) -> NDArray[np.int64]:
    """int64[90, 2]: for each point, the set of points `chosen(file, rank, *more)`, its south and its north."""
    rows = []
    for file, rank in BOARD:
        numbers = {9 * y + x for x, y in targets(file, rank, *more) if inside(x, y)}
        rows.append([sum(1 << n for n in numbers if n < HALF), sum(1 << n - HALF for n in numbers if n >= HALF)])
    return np.array(rows)


def seen(place: int, line: int) -> list[int]:
    """From a place on a line with pieces, the places to go to with no piece between, with one and with two."""
    masks = [0, 0, 0]
    for step in (1, -1):
        between, there = 0, place + step
        while 0 <= there < 10 and between < 3:
            is_piece = line >> there & 1
            if is_piece or between == 0:
                masks[between] |= 1 << there
            between += is_piece
            there += step
    return masks


def neighbour(file: int, rank: int, right: int, up: int) -> int:
    """The number of a neighbour; the point itself if that is off the board."""
    return 9 * (rank + up) + file + right if inside(file + right, rank + up) else 9 * rank + file


def stepped(file: int, rank: int, piece: int) -> list[tuple[int, int]]:
    """The points where a king, an advisor or a soldier steps to; none for other pieces."""
    kind, ahead = piece & 7, -1 if piece & BLACK else 1
    ways: tuple[tuple[int, int], ...] = STRAIGHT if kind == KING else SLANTING if kind == ADVISOR else ()
    if kind == SOLDIER:
        is_over = rank <= 4 if piece & BLACK else rank >= 5
        ways = ((0, ahead), (1, 0), (-1, 0)) if is_over else ((0, ahead),)
    targets = [(file + right, rank + up) for right, up in ways if inside(file + right, rank + up)]
    return targets if kind == SOLDIER else [point for point in targets if may_stand(piece, *point)]


def soldiers_that_attack(file: int, rank: int, soldier: int) -> list[tuple[int, int]]:
    """The points from which soldiers attack this point."""
    return [point for point in BOARD if abs(point[1] - rank) < 2 and (file, rank) in stepped(*point, soldier)]


def horse_leaps(file: int, rank: int, taken: int) -> list[tuple[int, int]]:
    """The points where a horse goes if the bits of `taken` are the occupied neighbours along lines."""
    free = [way for number, way in enumerate(STRAIGHT) if not taken >> number & 1]
    return [(file + right + x, rank + up + y) for right, up in free for x, y in SLANTING if x == right or y == up]


def horses_that_attack(file: int, rank: int, taken: int) -> list[tuple[int, int]]:
    """The points from which a horse attacks this point, if the bits of `taken` are the occupied diagonal neighbours."""
    free = [way for number, way in enumerate(SLANTING) if not taken >> number & 1]
    return [point for x, y in free for point in ((file + 2 * x, rank + y), (file + x, rank + 2 * y))]


def elephant_leaps(file: int, rank: int, taken: int) -> list[tuple[int, int]]:
    """The points where an elephant goes if the bits of `taken` are the occupied diagonal neighbours."""
    free = [way for number, way in enumerate(SLANTING) if not taken >> number & 1]
    return [(file + 2 * x, rank + 2 * y) for x, y in free if (rank + 2 * y < 5) == (rank < 5)]


class Xiangqi(Game):
    """Xiangqi; `h2e2` moves the piece on h2 to e2, and C2=5 says the same.

    After `longest_idle` plies without a capture the game is a draw.

    >>> game = Xiangqi()
    >>> position = game.initial_state()
    >>> for move in "h2e2", "h9g7":
    ...     position = game.result(position, game.parse_action(position, move))
    >>> print(game.render(position))
    9 r n b a k a b . r
    8 . . . . . . . . .
    7 . c . . . . n c .
    6 p . p . p . p . p
    5 . . . . . . . . .
    4 . . . . . . . . .
    3 P . P . P . P . P
    2 . C . . C . . . .
    1 . . . . . . . . .
    0 R N B A K A B N R
      a b c d e f g h i
    red to move
    >>> game.state_text(position)
    'rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - - 2 1'
    """

    player_marks = ("PACNRBK", "pacnrbk")
    utilities = (-1, 1)
    repetition = "draw"
    repetitions = 3
    feature_names = (
        "rooks",
        "cannons",
        "horses",
        "elephants",
        "advisors",
        "soldiers",
        "over_river",
        "mobility",
        "worth",
    )
    # As in books for beginners: a soldier is worth 1, and 2 over the river.
    feature_weights: ClassVar[Mapping[str, Mapping[str, float]]] = {
        "material": {
            "rooks": 9,
            "cannons": 4.5,
            "horses": 4,
            "elephants": 2,
            "advisors": 2,
            "soldiers": 1,
            "over_river": 1,
        }
    }

    def __init__(self, longest_idle: int = 120) -> None:
        self.longest_idle = whole_number("longest_idle", longest_idle, 1, 1000)
        # int64[32]: five bits as the points of the a-file in a half.
        self.spread = np.array([sum(1 << 9 * bit for bit in range(5) if bits >> bit & 1) for bits in range(32)])
        # int16[3, 10, 1024]: by the place on a line and the pieces on it, the places to go to with no piece between,
        # with one, with two; the last two are at most one place in each direction.
        self.lines = np.array([[seen(place, line) for line in range(1024)] for place in range(10)], np.int16)
        self.lines = np.ascontiguousarray(self.lines.transpose(2, 0, 1))
        # int64[90, 2], here and below with sets of points south and north: the points on a line with a point.
        self.cross = table(lambda x, y: [(a, b) for a, b in BOARD if (a == x) != (b == y)])
        # int64[2, 90, 4]: the neighbours along lines and diagonals, the point itself for those off the board.
        ways = (STRAIGHT, SLANTING)
        self.neighbours = np.array([[[neighbour(x, y, *way) for way in four] for x, y in BOARD] for four in ways])
        # int64[90, 2]: the neighbours along diagonals.
        self.slanting = table(lambda x, y: [(x + a, y + b) for a, b in SLANTING])
        # int64[16, 90, 2]: where kings, advisors and soldiers step to.
        self.steps = np.array([table(stepped, piece) for piece in range(16)])
        # int64[2, 90, 2]: from where soldiers of a player attack a point.
        self.soldiers = np.array([table(soldiers_that_attack, soldier) for soldier in (SOLDIER, SOLDIER + BLACK)])
        # int64[16, 90, 2]: where a horse goes, by the occupied neighbours along lines.
        self.horse_leaps = np.array([table(horse_leaps, taken) for taken in range(16)])
        # int64[16, 90, 2]: where an elephant goes, and from where horses attack, by the occupied diagonal neighbours.
        self.elephant_leaps = np.array([table(elephant_leaps, taken) for taken in range(16)])
        self.horses = np.array([table(horses_that_attack, taken) for taken in range(16)])
        # int64[16, 90]: the worth of a piece on a point.
        self.worths = np.array([[worth(piece, x, y) for x, y in BOARD] for piece in range(16)])
        # More than the worth of all pieces of a player.
        self.most = 100 + sum(int(self.worths[kind].max()) * number for kind, number in MAX_PIECES.items())

        self.start = self.parse_state(START)

    # -- the rules --------------------------------------------------------------------------------------------------

    def initial_state(self) -> Position:
        return self.start

    def to_move(self, position: Position) -> int:
        return position.turn

    def action_limit(self) -> int:
        return POINTS * POINTS

    def actions(self, position: Position) -> NDArray[np.int64]:
        if position.idle >= self.longest_idle:
            return np.empty(0, np.int64)
        return self.moves_to(position, ALL, ALL)

    def result(self, position: Position, action: int) -> Position:
        start, end = int(action) // POINTS, int(action) % POINTS
        south, north = moved(position, start, end)
        piece, captured = piece_at(position, start), piece_at(position, end)
        gained = self.worths[piece, end] - self.worths[piece, start] - self.worths[captured, end]
        return Position(
            south, north, 1 - position.turn, 0 if captured else position.idle + 1, position.score + int(gained)
        )

    def is_terminal(self, position: Position) -> bool:
        return position.idle >= self.longest_idle or not self.can_move(position)

    def utility(self, position: Position, player: int) -> int:
        if self.can_move(position):
            return 0
        return -1 if position.turn == player else 1

    def key(self, position: Position) -> tuple[Half, Half, int, int]:
        """The pieces and the turn, with `idle` only in the last 20 plies before it makes a draw.

        With the count, a state could never occur again, and the rule of repetition would have no effect.
        """
        return position.south, position.north, position.turn, max(0, position.idle - self.longest_idle + 20)

    def moves_to(self, position: Position, south: int, north: int) -> NDArray[np.int64]:
        """The legal moves to points of the given set."""
        moves, number = np.empty(MAX_MOVES, np.int64), 0
        in_check, tense_south, tense_north = self.danger(position.south, position.north, position.turn)
        for start in points(of(position.south, position.turn), of(position.north, position.turn)):
            low, high = self.targets(position, start)
            low, high = self.legal(position, start, low & south, high & north, in_check, tense_south, tense_north)
            while low:
                moves[number] = start * POINTS + lowest(low)
                number += 1
                low &= low - 1
            while high:
                moves[number] = start * POINTS + HALF + lowest(high)
                number += 1
                high &= high - 1
        return moves[:number]

    def can_move(self, position: Position) -> bool:
        """Whether the player to move has a legal move."""
        in_check, tense_south, tense_north = self.danger(position.south, position.north, position.turn)
        for start in points(of(position.south, position.turn), of(position.north, position.turn)):
            south, north = self.targets(position, start)
            south, north = self.legal(position, start, south, north, in_check, tense_south, tense_north)
            if south | north:
                return True
        return False

    def targets(self, position: Position, start: int) -> tuple[int, int]:
        """The points where the piece on `start` can go, whether or not its king can be captured then."""
        piece = piece_at(position, start)
        kind = piece & 7
        own_south, own_north = of(position.south, position.turn), of(position.north, position.turn)
        all_south, all_north = pieces(position.south), pieces(position.north)
        if kind >= CANNON and kind != KING:
            south, north = self.in_sight(0, start, all_south, all_north)
            if kind == CANNON:
                over_south, over_north = self.in_sight(1, start, all_south, all_north)
                south, north = south & ~all_south | over_south, north & ~all_north | over_north
        elif kind == HORSE:
            taken = self.taken(0, start, all_south, all_north)
            south, north = self.horse_leaps[taken, start, 0], self.horse_leaps[taken, start, 1]
        elif kind == ELEPHANT:
            taken = self.taken(1, start, all_south, all_north)
            south, north = self.elephant_leaps[taken, start, 0], self.elephant_leaps[taken, start, 1]
        else:
            south, north = self.steps[piece, start, 0], self.steps[piece, start, 1]
        return south & ~own_south, north & ~own_north

    def in_sight(self, between: int, point: int, south: int, north: int) -> tuple[int, int]:
        """The points on lines from `point` with 0, 1 or 2 (`between`) of the pieces `south` and `north` in between.

        With 0, empty points and pieces; with more, only pieces.
        """
        rank, file = point // 9, point % 9
        along = int(self.lines[between, rank, column(south, file) | column(north, file) << 5])
        south_line, north_line = self.spread[along & 31] << file, self.spread[along >> 5] << file
        if rank < 5:
            shift = 9 * rank
            south_line |= (int(self.lines[between, file, south >> shift & RANK]) & RANK) << shift
        else:
            shift = 9 * rank - HALF
            north_line |= (int(self.lines[between, file, north >> shift & RANK]) & RANK) << shift
        return south_line, north_line

    def taken(self, slanting: int, point: int, south: int, north: int) -> int:
        """The occupied ones of the four neighbours of `point`, as bits: along lines, or along diagonals."""
        captured = 0
        for number in range(4):
            place = self.neighbours[slanting, point, number]
            captured |= ((south >> place if place < HALF else north >> place - HALF) & 1) << number
        return captured

    def king(self, south: Half, north: Half, player: int) -> int:
        """The point of the king of `player`."""
        home = north if player else south
        return lowest(home.ones & home.twos & home.fours) + (HALF if player else 0)

    def danger(self, south: Half, north: Half, player: int) -> tuple[bool, int, int]:
        """Whether `player` is in check; and the points, south and north, where a move that starts or ends there may
        expose the king. If not in check, all other moves of pieces except the king are safe.
        """
        king = self.king(south, north, player)
        all_south, all_north = pieces(south), pieces(north)
        other = 1 - player
        # 1. Along lines: rooks and the other king attack if nothing is between, cannons if one piece is.
        heavy_south = of_kind(south, ROOK, other) | of_kind(south, KING, other)
        heavy_north = of_kind(north, ROOK, other) | of_kind(north, KING, other)
        cannons_south, cannons_north = of_kind(south, CANNON, other), of_kind(north, CANNON, other)
        first_south, first_north = self.in_sight(0, king, all_south, all_north)
        next_south, next_north = self.in_sight(1, king, all_south, all_north)
        third_south, third_north = self.in_sight(2, king, all_south, all_north)
        checks = first_south & heavy_south | first_north & heavy_north
        checks |= next_south & cannons_south | next_north & cannons_north
        lurking = next_south & heavy_south | next_north & heavy_north
        lurking |= (first_south | third_south) & cannons_south | (first_north | third_north) & cannons_north
        tense_south = self.cross[king, 0] if lurking else 0
        tense_north = self.cross[king, 1] if lurking else 0
        # 2. Horses, which are stopped by the king's neighbours.
        horses_south, horses_north = of_kind(south, HORSE, other), of_kind(north, HORSE, other)
        if self.horses[0, king, 0] & horses_south | self.horses[0, king, 1] & horses_north:
            taken = self.taken(1, king, all_south, all_north)
            checks |= self.horses[taken, king, 0] & horses_south | self.horses[taken, king, 1] & horses_north
            tense_south |= self.slanting[king, 0]
            tense_north |= self.slanting[king, 1]
        # 3. Soldiers.
        checks |= self.soldiers[other, king, 0] & of_kind(south, SOLDIER, other)
        checks |= self.soldiers[other, king, 1] & of_kind(north, SOLDIER, other)
        return checks != 0, tense_south, tense_north

    def legal(
        self, position: Position, start: int, south: int, north: int, in_check: bool, tense_south: int, tense_north: int
    ) -> tuple[int, int]:
        """The points to which the piece on `start` can go that leave the king safe."""
        starts_tense = (tense_south >> start if start < HALF else tense_north >> start - HALF) & 1
        try_south, try_north = south & tense_south, north & tense_north
        if in_check or starts_tense or piece_at(position, start) & 7 == KING:
            try_south, try_north = south, north
        while try_south | try_north:
            end = lowest(try_south) if try_south else HALF + lowest(try_north)
            after_south, after_north = moved(position, start, end)
            in_danger, _, _ = self.danger(after_south, after_north, position.turn)
            if try_south:
                south ^= (1 << end) if in_danger else 0
                try_south &= try_south - 1
            else:
                north ^= (1 << end - HALF) if in_danger else 0
                try_north &= try_north - 1
        return south, north

    def in_check(self, position: Position, player: int) -> bool:
        """Whether the king of `player` is attacked."""
        return self.danger(position.south, position.north, player)[0]

    # -- hints ------------------------------------------------------------------------------------------------------

    def evaluate(self, position: Position, player: int) -> float:
        """The worth of the pieces of `player` minus those of the opponent, as a fraction of the maximum.

        `result` keeps the sum of `worth`.
        """
        estimate = position.score / self.most
        return estimate if player == 0 else -estimate

    def order(self, position: Position, action: int) -> int:
        """Captures first, of the most valuable pieces, by the least valuable; then moves to better points.

        Trying checks before other moves saved at most 1 % of the nodes, and cost more time than that.
        """
        start, end = action // POINTS, action % POINTS
        piece, captured = piece_at(position, start), piece_at(position, end)
        before, after, won = self.worths[piece, start], self.worths[piece, end], self.worths[captured, end]
        return int(10_000 + 10 * abs(won) - abs(before)) if captured else int(abs(after) - abs(before))

    def noisy(self, position: Position) -> NDArray[np.int64]:
        """The captures that may gain something."""
        legal_captures, index = self.captures(position), 0
        for action in legal_captures:
            if self.may_gain(position, action):
                legal_captures[index] = action
                index += 1
        return legal_captures[:index]

    def captures(self, position: Position) -> NDArray[np.int64]:
        """All captures."""
        return self.moves_to(position, of(position.south, 1 - position.turn), of(position.north, 1 - position.turn))

    def may_gain(self, position: Position, action: int) -> bool:
        """Whether a capture takes a piece worth as much as the one that takes it, or one that is not protected."""
        start, end = action // POINTS, action % POINTS
        gain = abs(self.worths[piece_at(position, end), end])
        return gain + CLOSE >= abs(self.worths[piece_at(position, start), start]) or not self.protected(
            position, action
        )

    def protected(self, position: Position, action: int) -> bool:
        """Whether the opponent could capture the piece moved by `action`, regardless of danger to the king."""
        after, end = self.result(position, action), action % POINTS
        for start in points(of(after.south, after.turn), of(after.north, after.turn)):
            south, north = self.targets(after, start)
            if (south >> end if end < HALF else north >> end - HALF) & 1:
                return True
        return False

    def is_quiet(self, position: Position) -> bool:
        """Whether there is no check, and no capture that may gain something."""
        if self.needs_extension(position):
            return False
        for action in self.captures(position):  # noqa: SIM110 - compiled code knows no `all(… for …)`
            if self.may_gain(position, action):
                return False
        return True

    def needs_extension(self, position: Position) -> bool:
        """Whether the player to move is in check."""
        return self.in_check(position, position.turn)

    def null_move_state(self, position: Position) -> Position:
        """The position after a pass, which is seldom worse than moving; used by searches if there is no check.

        With few pieces left, having to move can lose, and a search with null moves may miss that.
        """
        return Position(position.south, position.north, 1 - position.turn, position.idle, position.score)

    def features(self, position: Position) -> tuple[int, int, int, int, int, int, int, int, int]:
        """The numbers of the player to move minus the opponent's, see `feature_names`.

        Soldiers over the river, points to which pieces can go, and the worth by piece and point, as in `evaluate`.
        """
        me, other = position.turn, 1 - position.turn
        return (
            self.number(position, ROOK, me) - self.number(position, ROOK, other),
            self.number(position, CANNON, me) - self.number(position, CANNON, other),
            self.number(position, HORSE, me) - self.number(position, HORSE, other),
            self.number(position, ELEPHANT, me) - self.number(position, ELEPHANT, other),
            self.number(position, ADVISOR, me) - self.number(position, ADVISOR, other),
            self.number(position, SOLDIER, me) - self.number(position, SOLDIER, other),
            self.over_river(position, me) - self.over_river(position, other),
            self.mobility(position) - self.mobility(self.null_move_state(position)),
            position.score if position.turn == 0 else -position.score,
        )

    def number(self, position: Position, kind: int, player: int) -> int:
        """The number of pieces of a kind that `player` has."""
        return count(of_kind(position.south, kind, player)) + count(of_kind(position.north, kind, player))

    def over_river(self, position: Position, player: int) -> int:
        """The number of soldiers of `player` over the river."""
        return count(of_kind(position.south if player else position.north, SOLDIER, player))

    def mobility(self, position: Position) -> int:
        """The number of points to which the pieces of the player to move can go, regardless of danger to the king."""
        sum_ = 0
        for start in points(of(position.south, position.turn), of(position.north, position.turn)):
            south, north = self.targets(position, start)
            sum_ += count(south) + count(north)
        return sum_

    def symmetries(self, position: Position) -> tuple[Position, Position]:
        south, north = mirrored(position.south), mirrored(position.north)
        return position, Position(south, north, position.turn, position.idle, position.score)

    # -- pictures and texts -----------------------------------------------------------------------------------------

    def board(self, position: Position) -> list[str]:
        """The ranks of the board, the last one first."""
        marks = "".join(LETTERS[piece_at(position, point)] for point in range(POINTS))
        return [marks[9 * rank : 9 * rank + 9] for rank in reversed(range(10))]

    def render(self, position: Position) -> str:
        rows: list[list[object]] = [[9 - i, *row] for i, row in enumerate(self.board(position))]
        return f"{grid([*rows, ['', *FILES]])}\n{outcome(self, position, NAMES)}"

    def picture(self, position: Position) -> Picture:
        kinds = {letter: Piece(FIGURES[number], number // 8, "disc") for number, letter in enumerate(LETTERS)}
        del kinds["."]
        marks = "".join(reversed(self.board(position)))
        board = point_board(
            10, 9, on_cells(marks, kinds), [turn_line(self, position, NAMES, (kinds["K"], kinds["k"]))],
            bottom_first=True, row_names=range(10), column_names=FILES, colours=NAMES,
        )  # fmt: skip
        files = [(x, first, x, first + 4) for x in range(9) for first in (0, 5)] + [(x, 4, x, 5) for x in (0, 8)]
        palaces = [(x, y, 8 - x, y + 2) for y in (0, 7) for x in (3, 5)]
        ranks = [(0, y, 8, y) for y in range(10)]
        river = [("楚  河", 2.0, 4.5), ("漢  界", 6.0, 4.5)]
        return replace(board, lines=[*ranks, *files, *palaces], labels=[*board.labels, *river])

    def action_cells(self, position: Position, action: int) -> tuple[int, int]:
        return int(action) // POINTS, int(action) % POINTS

    def action_name(self, position: Position, action: int) -> str:
        return name_of(action // POINTS) + name_of(action % POINTS)

    def parse_action(self, position: Position, text: str) -> int:
        """The action that `text` names: h2e2, H2-E2, or, in the World Xiangqi Federation's notation, C2=5 or +R-1."""
        name = text.strip().lower()
        wxf = sub(r"^([+-])(.)", r"\2\1", name).translate(WXF)
        matching = [action for action in self.actions(position) if wxf in self.wxf_names(position, action)]
        return int(matching[0]) if len(matching) == 1 else super().parse_action(position, sub("(?<=[0-9])-", "", name))

    def wxf_names(self, position: Position, action: int) -> list[str]:
        """The piece, its file, the direction, and the distance, or the new file if it leaves its own.

        Files are numbered from the player's right. The first and the last of pieces in a file may be marked + and -
        instead of the number.
        """
        (file, rank), (to_file, to_rank) = BOARD[action // POINTS], BOARD[action % POINTS]
        piece, ahead = piece_at(position, action // POINTS), -1 if position.turn else 1
        files = range(1, 10) if position.turn else range(9, 0, -1)
        forwards = (to_rank - rank) * ahead
        sign = "=" if forwards == 0 else "+" if forwards > 0 else "-"
        target = f"{sign}{abs(forwards) if file == to_file else files[to_file]}"
        letter = LETTERS[piece & 7].lower()
        others = [y * ahead for y in range(10) if y != rank and piece_at(position, 9 * y + file) == piece]
        marks = [str(files[file])]
        if others and rank * ahead > max(others):
            marks.append("+")
        if others and rank * ahead < min(others):
            marks.append("-")
        return [letter + mark + target for mark in marks]

    def state_text(self, position: Position) -> str:
        """The position in FEN, with the plies since the last capture; the number of the move is unknown, so 1."""
        return f"{write_board(self.board(position), 'wb'[position.turn])} - - {position.idle} 1"

    def parse_state(self, text: str) -> Position:
        """The position that a FEN describes; horses, elephants, generals and soldiers may also be H, E, G and S."""
        board, turn, *rest = text.split() if " " in text.strip() else (text, "")
        turn = "w" if turn == "r" else turn
        rows, player = read_board(f"{board.translate(SPELLINGS)} {turn}", 10, 9, LETTERS.replace(".", ""), "wb")
        halves, score = [Half(0, 0, 0, 0), Half(0, 0, 0, 0)], 0
        marks = "".join(reversed(rows))
        for point, mark in enumerate(marks):
            piece = LETTERS.index(mark)
            if piece and not may_stand(piece, *BOARD[point]):
                raise RulesError(f"{text!r}: {mark} on {name_of(point)}: it cannot come there")
            north, bit = divmod(point, HALF)
            halves[north] = put(halves[north], 0, 1 << bit, piece) if piece else halves[north]
            score += int(self.worths[piece, point])
        for kind, most in MAX_PIECES.items():
            for letter in LETTERS[kind], LETTERS[kind + BLACK]:
                if marks.count(letter) > most:
                    raise RulesError(
                        f"{text!r}: {marks.count(letter)} pieces {letter}, but a player has at most {most}"
                    )
                if kind == KING and letter not in marks:
                    raise RulesError(f"{text!r}: there is no king {letter}")
        if rest not in ([], ["-", "-"]) and not (
            len(rest) == 4 and rest[:2] == ["-", "-"] and all(fullmatch("[0-9]{1,4}", number) for number in rest[2:])
        ):
            raise RulesError(
                f"{text!r}: after the turn, expected nothing or - -, the idle plies and a number of the move"
            )
        idle = int(rest[2]) if rest[2:] else 0
        if idle > self.longest_idle:
            raise RulesError(f"{text!r}: {idle} idle plies: the game is a draw after {self.longest_idle}")
        position = Position(halves[0], halves[1], player, idle, score)
        if self.in_check(position, 1 - player):
            raise RulesError(f"{text!r}: {NAMES[player]} is to move and can capture the king")
        return position
