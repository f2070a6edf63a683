"""Uses of constants, enumerations and classes in rules, as texts for `constructs.source_of`.

`COMPILED` compile to what Python computes; `REFUSED` run interpreted, for the reason given.
"""

__all__ = ["COMPILED", "REFUSED"]

LISTS = """
WEIGHTS = [3, 1, 4, 1, 5, 9]
TABLE = [[1, 2, 3], [4], [], [5, 6, 7, 8, 9]]
ROWS = ((1,), (0, 2), (1, 3, 4), (2,), (2, 0, 1, 3, 4))
MIXED = [1, 2.5, -3]
FLAGS = [True, False, True, True, False]
MAYBE = [None, 3, None, 5, 7]
WORDS = ["pawn", "rook", "", "knight", "ж"]
PAIRS = [("a", 1), ("b", 2), ("c", 3), ("a", 5), ("", 0)]
NAMED = [("up", (0, 1)), ("none", ()), ("all", (1, 2, 3)), ("x", (7,)), ("y", (8, 9))]
LONG = tuple(range(0, 2000, 3))
---
"""
DICTS = """
WORTH = {"pawn": 1, "rook": 5, "": 9, "жук": 3}
BY_INT = {5: 50, -1: 10, 2**40: 40, 0: 0, 3: 33}
BY_PAIR = {(1, 1): 5, (2, 1): 7, (4, 2): 11, (-1, 0): 13}
BY_BOOL = {True: 4, False: 6}
BY_FLOAT = {0.5: 1, 2: 3, -0.0: 7}
GRAPH = {1: [2], 2: [1, 3], 3: [2, 4], 4: []}
DEEP = {1: {"a": (1, 2)}, 2: {"b": (3, 4), "c": (5, 6)}, 3: {}, 4: {"a": (9, 9)}}
TUPLES = {1: (2,), 2: (1, 3), 4: ()}
EMPTY = {}
STARS = {2, 3, 64, -5, 1}
POINTS = frozenset({(1, 1), (4, 2), (0, 0)})
NAMES = {"a", "b", "pawn"}
FRACTIONS = {0.5, 2.0, 4.0}
---
"""
ENUMS = """
from enum import Enum, Flag, IntEnum, IntFlag, StrEnum, auto


class Color(Enum):
    WHITE = "w"
    BLACK = "b"
    SNOW = "w"

    @property
    def is_black(self):
        return self is Color.BLACK

    def other(self):
        return Color.BLACK if self is Color.WHITE else Color.WHITE

    def times(self, number, factor=2):
        return number * factor + (1 if self.is_black else 0)

    @classmethod
    def first(cls):
        return cls.WHITE

    @staticmethod
    def half(number):
        return number // 2


class Piece(IntEnum):
    EMPTY = 0
    PAWN = 1
    ROOK = 5
    KING = -4


class Kind(Enum):
    A = auto()
    B = auto()
    C = auto()


class Side(IntFlag):
    KING = 1
    QUEEN = 2
    BOTH = 3


class Way(Flag):
    UP = auto()
    DOWN = auto()
    LEFT = auto()


class Mark(StrEnum):
    CROSS = "X"
    NOUGHT = "O"


class Planet(Enum):
    EARTH = (3, 0.5)
    MARS = (4, 0.25)

    def __init__(self, place, mass):
        self.place = place
        self.mass = mass


WORTHS = {Color.WHITE: 3, Color.BLACK: 8}
PIECES = [Piece.PAWN, Piece.ROOK, Piece.KING, Piece.EMPTY, Piece.ROOK]
KINDS = (Kind.A, Kind.C, Kind.B, Kind.B, Kind.A)
MOVES = {Kind.A: [(0, 1)], Kind.B: [(1, 0), (1, 1)], Kind.C: []}
---
"""
CLASSES = """
from typing import NamedTuple


class Board:
    SIZE = 5
    LINES = [[1, 2], [3, 4, 5], [], [6], [7]]

    class Inner:
        DEPTH = 3

    @staticmethod
    def doubled(number):
        return 2 * number

    @classmethod
    def area(cls, number=1):
        return cls.SIZE * cls.SIZE * number


class Point(NamedTuple):
    x: int
    y: int = 7

    ORIGIN_X = 40

    def plus(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def scaled(self, factor=2, *, bonus=0):
        return self._replace(x=self.x * factor + bonus)

    @property
    def norm(self):
        return abs(self.x) + abs(self.y)

    @staticmethod
    def start(number):
        return Point(number)

    @classmethod
    def on_axis(cls, number):
        return cls(number, 0)


UP = Point(0, 1)
POINTS = [Point(1), Point(2, 3), Point(5, 5), Point(0, 0), Point(4, 4)]
---
"""


def _cases(prefix, text):
    """The cases of lines `name: expression`, or of blocks after `name:`."""
    found, name = {}, ""
    for line in text.strip("\n").splitlines():
        if line.startswith((" ", "\t")):
            found[name] += line + "\n"
        elif line.strip():
            name, _, expression = line.partition(": ")
            name = name.rstrip(":")
            found[name] = f"return {expression}\n" if expression else ""
    return {name: prefix + case for name, case in found.items()}


COMPILED = {
    **_cases(
        LISTS,
        """
negative index: WEIGHTS[-left] * 10 + WEIGHTS[left]
bool index: WEIGHTS[left > 2]
empty row: len(TABLE[2]) + sum(TABLE[2]) + sum(TABLE[3])
ragged loop: sum([number * taken for number in ROWS[left]])
min and max: min(WEIGHTS) + 10 * max(ROWS[left]) + max(MIXED)
mixed numbers: MIXED[taken] * 2 + MIXED[0]
mixed division: MIXED[0] // 2 + MIXED[2] % 2
bools: FLAGS[left] + FLAGS[0] * 10 + sum(FLAGS)
any and all: any(FLAGS) * 2 + all(FLAGS) + any(TABLE[2]) * 4 + all(TABLE[2]) * 8
index: WEIGHTS.index(1) * 10 + WEIGHTS.count(1) + ROWS[left].count(2)
membership: (left in WEIGHTS) + 2 * (left in ROWS[taken]) + 4 * (2.5 in MIXED) + 8 * ((left, taken) in [(1, 1)])
membership of words: ("rook" in WORDS) + 2 * ("ro" in WORDS)
equality: (TABLE[left - 1] == [4]) + 2 * (ROWS[left] == (2,)) + 4 * (TABLE[0] == TABLE[0]) + 8 * (ROWS[0] != ROWS[1])
list is no tuple: (TABLE[1] == (4,)) + 2 * (ROWS[0] == [1]) + 4 * (ROWS[0] == (1.0,))
equality of unequal lengths: (ROWS[2] == (1, 3)) + 2 * (ROWS[1] == (0, 2)) + 4 * (() == ROWS[0])
slices: sum(WEIGHTS[taken:]) + 10 * sum(WEIGHTS[:-left]) + 100 * WEIGHTS[::-1][0] + WEIGHTS[5:1:-2][1]
slices of rows: sum(ROWS[4][taken:left]) + len(ROWS[4][3:1]) + 10 * len(ROWS[4][-9:])
length and truth: len(TABLE[left - 1]) + (10 if TABLE[left - 1] else 20) + (not TABLE[2]) * 100
words: len(WORDS[left]) + (WORDS[left] == "knight") * 10 + ("ж" == WORDS[4]) * 100
char of word: (WORDS[1][taken] == "o") + 2 * ("XO"[taken - 1] == "O")
pairs: PAIRS[left][1] + (PAIRS[left][0] == "a") * 10
sorted: sorted(WEIGHTS)[left] * 10 + sorted(TABLE[0], reverse=True)[taken]
sorted by key: sorted(WEIGHTS, key=lambda number: -number)[left]
concatenation: sum(WEIGHTS + [left]) + sum([taken] + WEIGHTS) + len(WEIGHTS + TABLE[0]) + ([0] + TABLE[0])[taken]
repetition: len(WEIGHTS * taken)
long tuple: LONG[left * 100] + len(LONG) + LONG[-1]
range of constant: sum([WEIGHTS[place] for place in range(len(WEIGHTS))])
zip and enumerate:
    total = 0
    for place, (first, second) in enumerate(zip(WEIGHTS, ROWS[4])):
        total += place * first - second
    for place, row in enumerate(TABLE, left):
        total += place * len(row)
    for back in reversed(WEIGHTS):
        total = total * 2 + back
    return total
nested loops:
    total = 0
    for row in TABLE:
        for number in row:
            if number == left:
                continue
            total = 3 * total + number
    return total
unpacking:
    first, second, third = TABLE[0]
    (a, b), c = ROWS[1], taken
    return first * 100 + second * 10 + third + a + b + c
copies may change:
    mine = WEIGHTS.copy()
    mine.append(left)
    other = WEIGHTS[:]
    other[0] = 100
    third = list(WEIGHTS)
    third.pop()
    return sum(mine) + sum(other) + len(third) + WEIGHTS[0] + len(WEIGHTS)
rows in variables:
    best = TABLE[0]
    for row in TABLE:
        if len(row) > len(best):
            best = row
    return best[-1] + len(best)
rows as arguments:
    def add(row, number):
        return sum(row) + number
    return add(TABLE[0], left) + add(TABLE[3], taken)
rows in a list:
    rows = [TABLE[0], TABLE[3]]
    return rows[taken - 1][2] + len(rows)
maybe none:
    found = MAYBE[left]
    return 10 if found is None else found * 2
maybe none, equal: (MAYBE[left] == 3) + 2 * (MAYBE[left] != None)
named rows:
    total = 0
    for name, places in NAMED:
        if name == "all" or name == "up":
            for place in places:
                total += place * left
    return total
a pair that may be none:
    found = None
    for pair in PAIRS:
        if pair[1] == left:
            found = pair
    if found is None:
        return 40
    return found[1] * 2 + len(found[0])
a user's own any:
    def any(row):
        return 7
    return any(TABLE[0])
loop with else:
    for number in TABLE[left - 1]:
        if number == 5:
            break
    else:
        return 3
    return number
""",
    ),
    **_cases(
        DICTS,
        """
string keys: WORTH["pawn" if taken == 1 else "rook"] + WORTH[""] + WORTH["жук"]
int keys: BY_INT[3] + BY_INT[-1] + BY_INT[2**40] + BY_INT.get(left, 7)
int key that is a bool: BY_INT[left > 9] + BY_BOOL[1] * 10 + BY_BOOL[left > 2]
float keys: BY_FLOAT[0.5] + BY_FLOAT[2.0] * 10 + BY_FLOAT[0] * 100 + (left in BY_FLOAT)
tuple keys: BY_PAIR.get((left, taken), 1) + ((left, taken) in BY_PAIR) * 100
get of floats: BY_INT.get(left, 0.5) * 2
get without default:
    found = BY_INT.get(left)
    return 3 if found is None else found
nested dicts: DEEP[taken]["a" if taken == 1 else "c"][1] + len(DEEP[3]) + ("b" in DEEP[left]) * 100
dict of lists: sum(GRAPH[left]) * 10 + len(GRAPH[4]) + sum(GRAPH.get(left, ()))
dict of tuples: sum(TUPLES.get(left, ())) + (TUPLES.get(3, ()) == ()) * 10 + (TUPLES[1] == (2,)) * 100
empty dict: len(EMPTY) + (left in EMPTY) + EMPTY.get(left, 3)
keys and values: sum(BY_INT.values()) + sum(BY_INT.keys()) + max(BY_INT) + min(BY_INT.values())
truth: (1 if WORTH else 2) + (4 if EMPTY else 8)
list of keys: list(BY_INT)[left] + sorted(BY_INT)[0] + list(BY_INT.values())[1]
items in order:
    total = 0
    for key, worth in BY_INT.items():
        total = (total * 3 + key * worth) % 10007
    for key in BY_INT:
        total = (total * 3 + key) % 10007
    for number in BY_INT.values():
        total = (total * 3 + number) % 10007
    return total
items of nested:
    total = 0
    for square, squares in GRAPH.items():
        for other in squares:
            total += square * other * left
    return total
sets: (left in STARS) + 2 * (64 in STARS) + 4 * (-5 in STARS) + 8 * (-left not in STARS) + len(STARS) * 16
sets of pairs: ((left, taken) in POINTS) + 2 * ((0, 0) in POINTS) + 4 * ((left > 9, 0) in POINTS)
sets of strings: ("pawn" in NAMES) + 2 * ("rook" in NAMES) + (sorted(NAMES)[1] == "b") * 4 + len(NAMES) * 8
sets of floats: (left in FRACTIONS) + 2 * (0.5 in FRACTIONS)
sum of set: sum(STARS) + max(STARS) * 10 + min(STARS) + sorted(STARS)[taken]
order of a set of ints:
    total = 0
    for number in STARS:
        total = (total * 7 + number) % 10007
    return total
""",
    ),
    **_cases(
        ENUMS,
        """
identity:
    color = Color.WHITE if left % 2 else Color.BLACK
    same = (color is Color.BLACK) + 2 * (color is not Color.WHITE)
    return same + 4 * (color == Color.SNOW) + 8 * (color != Color.BLACK)
properties and methods:
    one = Color.BLACK.is_black + 2 * Color.WHITE.other().is_black
    return one + Color.BLACK.times(left) + Color.WHITE.times(left, factor=taken)
functions of the class: Color.half(left) + 10 * (Color.first() is Color.WHITE)
value of string: (Color.WHITE.value == "w") + 2 * (Color.BLACK.name == "BLACK") + 4 * (Color.SNOW.name == "WHITE")
look-ups: (Color("w") is Color.WHITE) + 2 * (Color["SNOW"] is Color.WHITE) + 4 * (Kind(taken) is Kind.B)
loop: sum([color.times(left) for color in Color]) + len(Color) * 100
list of members: (list(Kind)[taken] is Kind.C) + 2 * len(list(Piece))
not an int: (Kind.A == 1) + 2 * (Kind.A != 1) + 4 * (Color.WHITE == "w") + 8 * (Color.WHITE == Kind.A)
truth of members: (1 if Kind.A else 2) + (4 if Piece.EMPTY else 8) + (16 if Way.UP & Way.DOWN else 32)
int enumeration: Piece.ROOK * left + Piece.KING + (Piece.PAWN == taken) * 100 + (Piece.ROOK > left) + abs(Piece.KING)
int of member: int(Piece.KING) + Piece.ROOK.value * 10 + Piece.ROOK // 2 + Piece.ROOK % 3 - (-Piece.KING)
int enumeration by value: (Piece(taken * 4 - 3) == Piece.ROOK) + 2 * (Piece(1) is Piece.PAWN) + (Piece["KING"] + 10)
name of int enumeration: (Piece(5).name == "ROOK") + 2 * (PIECES[left].name == "EMPTY")
float of member: Piece.ROOK / 2 + float(Piece.KING)
shift by member: (1 << Piece.ROOK) + (left ** Piece.PAWN)
index by member: [1, 2, 3, 4, 5, 6][Piece.ROOK] + PIECES[Piece.PAWN] + (7, 8, 9)[Piece.PAWN]
constants of members: WORTHS[Color.BLACK if left > 2 else Color.WHITE] + PIECES[left] + len(MOVES[KINDS[left]])
membership of members:
    one = (KINDS[left] in (Kind.A, Kind.C)) + 2 * (Piece.ROOK in PIECES)
    return one + 4 * (5 in PIECES) + 8 * (Color.BLACK in WORTHS)
flags: int(Side.KING | Side.QUEEN) + (3 if Side.BOTH & Side.QUEEN else 1) + (Side.QUEEN in Side.BOTH) * 10
flags without: (Side.BOTH & ~Side.KING) * 10 + (Way.UP | Way.LEFT).value + (~Way.UP).value + (Way.UP ^ Way.UP).value
flags in a variable:
    rights = Side.BOTH
    if left > 2:
        rights &= ~Side.KING
    rights |= Side.QUEEN
    return rights * 10 + (rights == Side.QUEEN) + (rights == 2)
plain flags: (Way(3) == Way.UP | Way.DOWN) + 2 * (Way.UP in Way.UP | Way.LEFT) + 4 * bool(Way.UP & Way.DOWN)
string enumeration:
    one = (Mark.CROSS == "X") + 2 * ("O" == Mark.NOUGHT)
    return one + 4 * (Mark("X") is Mark.CROSS) + 8 * (Mark.CROSS.value == "X")
attributes of members: Planet.EARTH.place * left + Planet.MARS.mass + Planet.MARS.value[0]
members in a list:
    seen = [Kind.A]
    seen.append(Kind.B if taken == 1 else Kind.C)
    return len([kind for kind in seen if kind is Kind.B]) + seen[-1].value
maybe a member:
    found = None
    for kind in Kind:
        if kind.value == left:
            found = kind
    return 7 if found is None else (found is Kind.B) + 2 * (found == Kind.C)
loop over constants of members:
    total = 0
    for color, worth in WORTHS.items():
        total = 10 * total + worth + color.is_black
    for kind in MOVES:
        for row, column in MOVES[kind]:
            total += row * 10 + column
    return total
""",
    ),
    **_cases(
        CLASSES,
        """
constants of a class: Board.SIZE * left + sum(Board.LINES[left]) + Board.Inner.DEPTH
functions of a class: Board.doubled(left) + Board.area() + Board.area(number=taken)
default of a field: Point(left).y + Point(x=left, y=taken).y
methods: Point(left, taken).plus(UP).norm + Point(1, 2).scaled().x + Point(1, 2).scaled(left, bonus=taken).x
replace: Point(left, taken)._replace(y=3).y + UP._replace(x=left, y=4).x + Point(1, 2)._replace(x=3).y
constants of a named tuple: Point.ORIGIN_X + UP.ORIGIN_X + Point.start(left).y + Point.on_axis(taken).y
points in a list: POINTS[left].norm + (Point(2, 3) in POINTS) + POINTS.index(UP._replace(y=0)) + (POINTS[1] == (2, 3))
fields: len(Point._fields) + (Point._fields[1] == "y")
""",
    ),
    "mutual recursion, the call first": """
        def rule(self, left, taken):
            return self.even(left) + 2 * self.odd(taken) + self.depth(3)

        def even(self, number):
            if number > 0:
                return self.odd(number - 1)
            return True

        def odd(self, number):
            if number > 0:
                return self.even(number - 1)
            return False

        def depth(self, number, step=1):
            if number > 0:
                return 1 + self.depth(number - step)
            return 0
    """,
    "recursion with keywords and a list": """
        def rule(self, left, taken):
            return self.count(left, seen=[0] * 9) + self.count(number=taken, seen=[1] * 9)

        def count(self, number, seen, *, step=1):
            if number < 0 or number > 8 or seen[number]:
                return 0
            seen[number] = 1
            return 1 + self.count(number + step, seen) + self.count(seen=seen, number=number - 2, step=2)
    """,
    "super through a mixin": """
        class Doubling:
            def rule(self, left, taken):
                return 2 * super().rule(left, taken)


        class Adding(Base):
            bonus = 4

            def rule(self, left, taken):
                return super().rule(left, taken) + self.bonus


        class Both(Doubling, Adding):
            pass


        Base = Both
        ---
        bonus = 9

        def rule(self, left, taken):
            total = super().rule(left, taken)
            return total + super().rule(taken, left)

        def utility(self, state, player):
            return super().utility(state, player) + 1
    """,
    "class of the game": """
        SIZE = 3
        TABLE = [[1, 2], [3]]

        @staticmethod
        def doubled(number):
            return 2 * number

        @classmethod
        def area(cls):
            return cls.SIZE ** 2

        def helper(self, number):
            return number + self.SIZE

        def __init__(self):
            self.lines = {number: [number] * number for number in range(5)}

        def rule(self, left, taken):
            one = type(self).SIZE + self.__class__.SIZE + type(self).doubled(left) + type(self).area()
            return one + type(self).TABLE[0][taken - 1] + Small.helper(self, left) + sum(self.lines[left])
    """,
    "cached property": """
        from functools import cached_property
        ---
        @cached_property
        def table(self):
            return [[row * column for column in range(row)] for row in range(6)]

        @property
        def area(self):
            return len(self.table)

        def rule(self, left, taken):
            return sum(self.table[left]) + self.area
    """,
    "a closure over a list": """
        def made(weights):
            def weigh(number):
                return weights[number]

            return staticmethod(weigh)
        ---
        weigh = made([3, 1, 4, 1, 5])

        def rule(self, left, taken):
            return self.weigh(left) + 10 * self.weigh(taken)
    """,
    "defaults that are constants": """
        class Kind:
            A = 3


        def weigh(number, weights=[5, 6, 7, 8, 9], factor=Kind.A):
            return weights[number] * factor
        ---
        return weigh(left) + weigh(taken, factor=2)
    """,
}
"""What compiles, by name."""


REFUSED = {
    name: (text, reason)
    for cases, reason in [
        (_cases(LISTS, "append:\n    WEIGHTS.append(3)\n    return WEIGHTS[0]"), "must not change"),
        (_cases(LISTS, "item assignment:\n    WEIGHTS[0] += 0\n    return WEIGHTS[0]"), "must not change"),
        (_cases("BAD = [1, 'a']\n---\n", "a mixture: int(BAD[0]) * left"), "mixes ints and strings"),
        (_cases("BAD = [True, 2]\n---\n", "bools and ints: BAD[0] * left"), "mixes bools and ints"),
        (_cases("BAD = [2**60 + 1, 0.5]\n---\n", "an inexact int: BAD[0] > left"), "no float represents exactly"),
        (_cases("BAD = [2**70]\n---\n", "a large int: BAD[0] > left"), "more than 63 bits"),
        (
            _cases(
                DICTS, "order of a set of strings:\n    for name in NAMES:\n        left += len(name)\n    return left"
            ),
            "order",
        ),
        (_cases(DICTS, "a float among ints: (left + 0.5) in BY_INT"), "is looked for among ints"),
        (_cases(DICTS, "a string among ints: 'a' in BY_INT"), "is looked for among ints"),
        (_cases(LISTS, "number is number: WEIGHTS[0] is WEIGHTS[2]"), "`is` of anything but"),
        (_cases(ENUMS, "an enumeration is an int: Kind.A is taken"), "`is` of a member"),
        (_cases(ENUMS, "int flag of int: Side(taken) == Side.KING"), "combine its members"),
    ]
    for name, text in cases.items()
}
"""What is refused: its text, and a part of the reason."""
