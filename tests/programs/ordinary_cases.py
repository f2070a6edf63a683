"""Games that compile, games that run interpreted and why, and functions of ints: the cases of `test_ordinary_python`."""

# ruff: noqa: E501 - programs are written as they are

import textwrap

POINT = """
class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def __radd__(self, number):
        return number + self.x

    def __mul__(self, factor):
        return Point(self.x * factor, self.y * factor)

    def __neg__(self):
        return Point(-self.x, -self.y)

    def __eq__(self, other):
        if not isinstance(other, Point):
            return NotImplemented
        return self.x == other.x and self.y == other.y

    def __lt__(self, other):
        return (self.x, self.y) < (other.x, other.y)

    def __bool__(self):
        return self.x > 2

    def __len__(self):
        return abs(self.y)

    def __iter__(self):
        yield self.x
        yield self.y

    def __contains__(self, value):
        return value == self.x

"""
VALUE = """
def initial_state(self):
    return (5, 1)

def value(self, state):
    return state[1]

def result(self, state, action):
    return (state[0] - action, self.number(state[0], state[1], action) % 997)

"""


def game(module, number):
    """A game with a method `number` of this body."""
    body = textwrap.indent(textwrap.dedent(number).strip("\n"), "    ")
    return f"{module}---\n{VALUE}\ndef number(self, left, total, action):\n{body}\n"


MEMBERS = """
from dataclasses import dataclass, field
from enum import IntEnum


class Dir(IntEnum):
    N = 0
    E = 1
    S = 2
    W = 3


@dataclass
class Board:
    left: int
    facing: Dir = Dir.N
    trail: list[Dir] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
---
"""
"""A module with members of an enumeration in objects."""


COMPILED = {
    "operators of named tuples": """
        from typing import NamedTuple


        class Step(NamedTuple):
            x: int
            y: int

            def __add__(self, other):
                return Step(self.x + other[0], self.y + other[1])

            def __sub__(self, other):
                return self + (-other)

            def __neg__(self):
                return Step(-self.x, -self.y)

            def __mul__(self, factor):
                return Step(self.x * factor, self.y * factor)


        STEPS = (Step(1, 0), Step(0, 2))
        ---
        def initial_state(self):
            return (5, Step(3, 1), None)

        def value(self, state):
            return state[1].x + 7 * state[1].y + (state[2].x if state[2] is not None else 50)

        def result(self, state, action):
            here, before = state[1], state[2]
            there = here + STEPS[action - 1] * 2 - Step(action, 1)
            there += (1, -action)
            if before is not None:
                there = before + -there
            return (state[0] - action, there, here * action)
    """,
    "a dict of lists and a dict of sets in the state": """
        def initial_state(self):
            return (5, {0: [1, 2], 1: [3]}, {0: set(), 1: {2}})

        def value(self, state):
            found = sum(sum(row) * (key + 1) for key, row in state[1].items())
            return found + 7 * len(state[2][0]) + sum(state[2][1]) + (state[1] == {0: [1, 2], 1: [3]})

        def result(self, state, action):
            rows = {key: list(row) for key, row in state[1].items()}
            rows[action - 1].append(action)
            rows.setdefault(action + state[0], []).append(state[0])
            rows[0], rows[1] = rows[1], rows[0]
            seen = copy.deepcopy(state[2])
            seen[action - 1].add(state[0] % 3)
            return (state[0] - action, rows, seen)
    """,
    "dicts of lists that helpers make and get": """
        from collections import defaultdict
        ---
        def initial_state(self):
            return (5, (1, 2, 0, 3))

        def groups(self, state):
            found = defaultdict(list)
            for place, item in enumerate(state[1]):
                found[item % 3].append(place)
            further: dict[tuple[int, int], set[int]] = {}
            self.put(further, state)
            return dict(found), further

        def put(self, values, state):
            for item in state[1]:
                values.setdefault((item, state[0] % 2), set()).add(item * state[0])

        def value(self, state):
            groups, further = self.groups(state)
            largest = max(groups, key=lambda item: (len(groups[item]), item))
            return largest + 10 * sum(groups.get(1, [])) + sum(sum(row) * key[0] for key, row in further.items())

        def result(self, state, action):
            groups, _ = self.groups(state)
            row = groups.pop(action, [7])
            row.append(len(groups))
            return (state[0] - action, (*state[1][1:], sum(row) % 5))
    """,
    "a named tuple and a tuple of any length in the state": """
        from typing import NamedTuple


        class State(NamedTuple):
            left: int
            board: tuple
            last: object
        ---
        def initial_state(self):
            return State(5, (0, 0, 0), None)

        def value(self, state):
            return sum(state.board) * 3 + (7 if state.last is None else state.last)

        def result(self, state, action):
            if state.left % 2:
                return State(state.left - action, state.board, action)
            board = list(state.board)
            board[action] += 1
            return State(state.left - action, tuple(board), None)
    """,
    "a named tuple of several forms in a variable": """
        from typing import NamedTuple


        class State(NamedTuple):
            left: int
            last: object
        ---
        def initial_state(self):
            return State(5, None)

        def value(self, state):
            return 7 if state.last is None else state.last

        def result(self, state, action):
            new = State(state.left - action, action) if state.left % 2 else State(state.left - action, None)
            if new.left == 1:
                new = State(1, 9)
            return new
    """,
    "tuples of several forms returned as a state": """
        def initial_state(self):
            return (5, (0, 0, 0), None, [1])

        def value(self, state):
            return sum(state[1]) * 3 + (7 if state[2] is None else state[2]) + sum(state[3])

        def result(self, state, action):
            if state[0] % 2:
                return (state[0] - action, state[1], action, state[3][:])
            if action == 2:
                return (state[0] - action, (1, 2, state[0]), None, [])
            board = list(state[1])
            board[action] += 1
            return (state[0] - action, tuple(board), None, [x + 1 for x in state[3]])
    """,
    "fields of data classes with a default that a function makes": """
        from dataclasses import dataclass, field


        def rows():
            return [[0] * 3 for _ in range(2)]


        @dataclass
        class Board:
            left: int
            rows: list[list[int]] = field(default_factory=rows)
            seen: list[int] = field(default_factory=lambda: [7, 8])
        ---
        def left(self, state):
            return state.left

        def initial_state(self):
            return Board(5)

        def value(self, state):
            return sum(sum(row) for row in state.rows) + state.seen[0] + len(state.seen)

        def result(self, state, action):
            new = Board(state.left - action) if action == 2 else Board(state.left - action, seen=state.seen[1:] + [action])
            new.rows[action - 1][1] += sum(state.rows[0]) + 1
            return new
    """,
    "an attribute that is not None after a test, also after calls of methods of containers": """
        from dataclasses import dataclass, field


        @dataclass
        class Board:
            left: int
            free: list[int]
            marks: set[int]
            last: int = None

            def update(self, action):
                self.last = None if action == 2 else action
        ---
        def left(self, state):
            return state.left

        def initial_state(self):
            return Board(5, [0, 1, 2, 3, 4, 5], {1, 2, 3})

        def value(self, state):
            return sum(state.free) * 100 + sum(state.marks) * 10 + (3 if state.last is None else state.last)

        def result(self, state, action):
            state = copy.deepcopy(state)
            if state.last is not None:
                state.marks.discard(state.last)
                state.free.append(state.last)
                state.marks.add(state.last + 7)
                state.free.remove(state.last)
                state.update(action)
                if state.last is None:
                    state.free.insert(0, 9)
            state.last = None if state.left == 2 else action
            state.left -= action
            return state
    """,
    "what may be None: in tuple(), as the key of a constant, and tested in the function that gets it": """
        WORTH = {"Tax": 3, "Steal": 2}


        class Board:
            def __init__(self, left):
                self.left, self.last, self.claim, self.cells = left, None, None, {}

            def where(self):
                for key in self.cells:
                    if self.cells[key] == 7:
                        return key

            def put(self, key, number):
                assert key is not None
                self.cells[key] = number
        ---
        def left(self, state):
            return state.left

        def initial_state(self):
            return Board(5)

        def value(self, state):
            last = (0, 0) if state.last is None else tuple(state.last)
            return last[0] * 3 + last[1] + 10 * sum(state.cells.values()) + 100 * (state.claim in WORTH)

        def result(self, state, action):
            new = Board(state.left - action)
            new.last = None if state.last is None else tuple(state.last)
            new.cells = dict(state.cells)
            if new.left == 3:
                new.last = (action, new.left)
            new.claim = "Tax" if action == 1 else None
            worth = 1 if new.claim is None else WORTH[new.claim]
            new.cells[(action, 1)] = 7
            new.put(new.where(), worth)
            return new
    """,
    "a key with an array in it": """
        import numpy as np
        ---
        def initial_state(self):
            return (5, np.arange(3))

        def value(self, state):
            return int(state[1][0])

        def result(self, state, action):
            return (state[0] - action, state[1] + action)

        def key(self, state):
            return (state[1], state[0])
    """,
    "an attribute that is always None, and annotated with what it may be": """
        class Board:
            pair: "tuple[int, int] | None"
            mark: "str | None" = None

            def __init__(self, left):
                self.left, self.pair = left, None
                self.mark = None
        ---
        def left(self, state):
            return state.left

        def initial_state(self):
            return Board(5)

        def value(self, state):
            return state.left * 3 + (1 if state.pair is None else state.pair[0]) + (state.mark is None)

        def result(self, state, action):
            new = Board(state.left - action)
            if new.left > 100:
                new.pair = (action, 3)
                new.mark = "x"
            return new
    """,
    "an item of a tuple that may be None, tested and then the key of a dict": """
        def initial_state(self):
            return (5, (None, 3), {"A": 0, "B": 0})

        def value(self, state):
            return state[2]["A"] * 100 + state[2]["B"] * 10 + state[1][1]

        def result(self, state, action):
            left, claim, coins = state
            coins = dict(coins)
            who, number = claim
            if who is not None:
                coins[who] += number
            for name, more in [claim, claim]:
                if name is not None:
                    coins[name] += more
            first = claim[0]
            if first is None:
                return (left - action, ("A" if action == 1 else None, action), coins)
            coins[first] *= 2
            return (left - action, ("B", action), coins)
    """,
    "what rules print and log": game(
        """
        import logging
        from logging import debug

        logger = logging.getLogger(__name__)
        """,
        """
        seen = [left, total]
        print("moves:", left, action, seen, sep=" ", end="")
        print()
        logger.debug("%d of %s", left, {left: [total]})
        logger.log(10, f"{total:>4} {seen!r} {seen[0] + action}")
        logging.info("%s" % seen)
        for each in seen:
            if each > action:
                print(f"{each} {seen.pop()}")
        try:
            print(seen[action])
            found = 1
        except IndexError:
            found = 2
        debug(str(logger))
        print(self.left((left, total)), *seen)
        return len(seen) * 10 + found + total
        """,
    ),
    "members of an enumeration by name": game(
        """
        from enum import Enum


        class Space(Enum):
            FREE = 2
            WALL = 5
            STONE = 5
        """,
        """
        number = total + len(Space.__members__)
        for name, space in Space.__members__.items():
            number = number * 3 + len(name) * space.value
        number += sum(space.value for space in Space.__members__.values())
        number += Space.__members__["WALL" if action > 1 else "FREE"].value
        return number + sum(1 for name in Space.__members__ if name > "G") + ("STONE" in Space.__members__) + ("NO" in Space.__members__)
        """,
    ),
    "member in object": MEMBERS
    + """
def left(self, state):
    return state.left
def initial_state(self):
    return Board(5)
def result(self, state, action):
    made = Board(state.left - action)
    made.facing = Dir((state.facing + action) % 4)
    made.trail = state.trail + [made.facing]
    made.seen = state.seen | {state.left}
    return made
def value(self, state):
    n = 0
    for d in Dir:
        if d in state.trail:
            n = n * 3 + d
    return n + len(state.seen) * 7
""",
    "members in best direction": MEMBERS
    + """
def initial_state(self):
    return (5, 0)
def result(self, state, action):
    best = None
    for d in Dir:
        if best is None or (d * state[0]) % 3 > (best * state[0]) % 3:
            best = d
    assert best is not None
    other = best
    return (state[0] - action, other)
def value(self, state):
    return state[1]
""",
    "empty set in object": MEMBERS
    + """
def left(self, state):
    return state.left
def initial_state(self):
    return Board(5, Dir.N, [], set())
def result(self, state, action):
    return Board(state.left - action, Dir.E, [], set() if action == 1 else state.seen | {state.left})
def value(self, state):
    return len(state.seen)
""",
    "returned empties": MEMBERS
    + """
def initial_state(self):
    return (5, [], set())
def result(self, state, action):
    if action == 2:
        return (state[0] - action, [], set())
    return (state[0] - action, state[1] + [(action, state[0])], state[2] | {(action, 3)})
def value(self, state):
    return len(state[1]) * 7 + len(state[2])
""",
    "cards that are left": """
        DECK = frozenset(range(6))
        ---
        def initial_state(self):
            return (5, frozenset())

        def value(self, state):
            return sum(sorted(DECK - state[1]))

        def result(self, state, action):
            free = DECK - set(state[1])
            return (state[0] - action, state[1] | {sorted(free)[action - 1]})
    """,
    "a constant set in a state": """
        ALL = {1, 2, 3}
        ---
        def initial_state(self):
            return (5, ALL - {9})

        def value(self, state):
            return len(ALL & state[1])

        def result(self, state, action):
            made = ALL - {action}
            made.add(state[0])
            return (state[0] - action, made)
    """,
    "a board of texts": """
        import numpy as np
        ---
        def initial_state(self):
            return (5, np.full((2, 3), "."))

        def value(self, state):
            return np.count_nonzero(state[1] == "x") + len("".join(state[1].ravel()).strip("."))

        def result(self, state, action):
            board = np.copy(state[1])
            board[action - 1, state[0] % 3] = "x" if state[0] % 2 else "o"
            if all(board[:, 0] == "x") or "o" in board[1]:
                board[board == "."] = "#"
            return (state[0] - action, board)
    """,
    "texts of two characters": """
        import numpy as np

        NAMES = np.array(["ab", "c", ""])
        ---
        def initial_state(self):
            return (5, np.array([["ab", "c"], ["", "de"]]))

        def value(self, state):
            return sum(len(cell) for row in state[1] for cell in row) + int((state[1] == "c").sum())

        def result(self, state, action):
            board = state[1].copy()
            board[0] = board[action - 1]
            board[1, 1] = NAMES[state[0] % 3] + "xyz"
            board[0, 0] = board.T[1, 0]
            return (state[0] - action, board)
    """,
    "the state is an array of texts": """
        import numpy as np
        ---
        def left(self, state):
            return np.count_nonzero(state == ".")

        def initial_state(self):
            return np.full(4, ".")

        def value(self, state):
            return ord(state[1])

        def result(self, state, action):
            row = state.copy()
            for place in range(len(row)):
                if row[place] == "." and action > 0:
                    row[place], action = "x" if action == 1 else "y", action - 1
            return row
    """,
    "attributes that are not None": """
        class Board:
            def __init__(self):
                self.left, self.last, self.where = 5, None, None

            def take(self, taken):
                self.left -= taken
                self.last = taken if taken % 2 else None
                self.where = (taken, self.left)
                return 7

            def double(self, number):
                return 2 * number

            def far(self, place):
                return place[0] + 10 * place[1]

            def value(self):
                if self.last is not None and self.where:
                    return self.double(self.last) + self.far(self.where)
                place = self.where
                if place is not None:
                    return self.far(place)
                return 1

            def changing(self):
                if self.last is None:
                    return 0
                found = self.double(self.last)
                found += self.take(2) * (3 if self.last is None else 5)
                if self.last is not None:
                    found += self.double(self.last)
                    self.last = None
                    found += 1000 * (self.last is None)
                return found + sum([self.double(self.where[0]) for _ in range(2) if self.where is not None])
        ---
        def left(self, state):
            return state.left

        def initial_state(self):
            return Board()

        def value(self, state):
            return state.value() + copy.deepcopy(state).changing()

        def result(self, state, action):
            board = copy.deepcopy(state)
            board.take(action)
            return board
    """,
    "attributes of the game that are None or constants": """
        LINES = ((1, 2), (3, 4), (5,))
        ---
        bonus = None
        limit = 3
        lines = LINES
        table = {1: 4, 2: 5}

        def initial_state(self):
            return (5, 1)

        def value(self, state):
            total = state[1]
            if self.bonus is not None:
                total += self.bonus
            bonus, limit = self.bonus, self.limit
            extra = self.bonus
            if extra is not None:
                total += extra * 2
            if self.limit is not None and self.table:
                total += self.limit + self.table.get(1, 0)
            if self.lines:
                for line in self.lines:
                    for number in line:
                        total += number
                total += self.lines[state[0] % 2][0]
            return total + (limit if bonus is None else bonus)

        def result(self, state, action):
            return (state[0] - action, (state[1] * 3 + action) % 101)
    """,
    "an object with a board of texts": """
        import numpy as np

        class Board:
            def __init__(self):
                self.cells, self.left = np.full((2, 2), "."), 5

            def put(self, taken):
                self.cells[self.left % 2, taken - 1] = "xo"[taken - 1]
                self.left -= taken

            def text(self):
                return "/".join("".join(row) for row in self.cells)
        ---
        def left(self, state):
            return state.left

        def initial_state(self):
            return Board()

        def value(self, state):
            return sum(ord(char) for char in state.text())

        def result(self, state, action):
            board = copy.deepcopy(state)
            board.put(action)
            return board
    """,
    "operators of objects": game(
        POINT,
        """
        p = Point(left, total % 3)
        q = p + Point(1, 2) * 3
        found = q.x + 10 * q.y + (-p).x + (5 + p) + 3 * len(p) + (left in p)
        found += 100 * (p == Point(2, 1)) + 50 * (p != q) + 7 * (p < q) + 9 * (p > q) + (3 if p else 4) + (not q)
        for value in p:
            found = 2 * found + value
        p += q
        return found + sum(p) + max(q) + len(list(p)) + sum(place * each for place, each in enumerate(q))
        """,
    ),
    "an object that may be None": game(
        "class Piece:\n    def __init__(self, worth):\n        self.worth = worth\n\n",
        "piece = Piece(left) if left > 2 else None\nreturn total + (piece.worth if piece else 7) + (5 if not piece else 2)",
    ),
    "a member that may be None": game(
        "import enum\n\n\nclass Color(enum.Enum):\n    RED = 1\n    BLUE = 2\n\n\n",
        "color = Color.RED if left > 2 else None\nreturn total + (5 if color else 7)",
    ),
    "equality of data classes": game(
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Point:\n    x: int\n    y: int = 3\n\n\n",
        """
        p = Point(left, action)
        places = [Point(1, 1), Point(2, 2), p]
        return (p == Point(2, 1)) + 2 * (Point(2, 2) in places) + 4 * (p != Point(3, 1)) + 8 * places.index(p) + total
        """,
    ),
    "a property that is set": game(
        """
class Clock:
    def __init__(self, hour):
        self.set = 0
        self.hour = hour

    @property
    def hour(self):
        return self._hour

    @hour.setter
    def hour(self, hour):
        self._hour = hour % 3
        self.set += 1

""",
        "clock = Clock(left)\nclock.hour = clock.hour + action + 4\nclock.hour += 1\nreturn clock.hour * 10 + clock.set + total",
    ),
    "what only a subclass has": game(
        """
class Root:
    def chances(self):
        return [chance for chance in self.outcomes()]

    def all(self):
        return self.chances() if self.number > 90 else [self.number, 2]


class Plain(Root):
    def __init__(self, number):
        self.number = number


class Chance(Root):
    def __init__(self, number):
        self.number = number + 90

    def outcomes(self):
        return [self.number, 7]

""",
        "return sum(Plain(left).all()) + sum(Chance(left).all()) + total",
    ),
    "empty lists beside others": """
        def pairs(self, left):
            return [] if left > 3 else [(left, 2)]

        def rows(self, left):
            if left > 3:
                return []
            return [[left], [2, left]]

        def initial_state(self):
            return (5, 1)

        def value(self, state):
            return state[1]

        def result(self, state, action):
            found = sum(a * b for a, b in self.pairs(state[0])) + sum(map(sum, self.rows(state[0])))
            return (state[0] - action, (3 * state[1] + found) % 997)
    """,
    "members and ints in lists": """
        import enum

        class Act(enum.IntEnum):
            PASS = 0
            BET = 1

        ---
        def some(self):
            return [Act.PASS, Act.BET]

        def acts(self, left):
            if left > 3:
                return [left, 5]
            return [] if left == 1 else self.some()

        def initial_state(self):
            return (5, 1)

        def value(self, state):
            return state[1]

        def result(self, state, action):
            return (state[0] - action, 3 * state[1] + sum(each * 2 + (each == Act.BET) for each in self.acts(state[0])))
    """,
    "members and ints in lists that are assigned": """
        import enum

        class Act(enum.IntEnum):
            PASS = 0
            BET = 1

        class Card(enum.IntEnum):
            JACK = 2
            QUEEN = 3

        ---
        def acts(self, left):
            found = [Act.PASS, Act.BET] if left > 3 else [left, 5]
            one = Act.BET if left > 1 else Card.QUEEN
            cards = [Act.BET] if left > 2 else [Card.JACK, one]
            found += [one, *cards]
            if left > 2:
                more = [Act.BET]
            else:
                more = [left]
            found.append(left)
            pairs = [(left, 2)] if left > 1 else [(Act.BET, 3)]
            return found + more + [x * y for x, y in pairs]

        def initial_state(self):
            return (5, 1)

        def value(self, state):
            return state[1]

        def result(self, state, action):
            return (state[0] - action, 3 * state[1] + sum(each * 2 + (each == Act.BET) for each in self.acts(state[0])))
    """,
    "fields of a record": game(
        """
from typing import NamedTuple


class State(NamedTuple):
    left: int
    total: int = 3
    odd: bool = False


DEFAULTS = {"total": 7, "odd": True}

""",
        """
        first = State(**{"left": left, "total": action})
        second = State(left, **DEFAULTS)
        fields = first._asdict()
        fields["total"] += 4
        if left > 2:
            fields["odd"] = fields["left"] % 2 == 1
        fields.update(left=fields["total"], total=fields["left"])
        third = State(**fields)
        return third.left + 10 * third.total + 100 * third.odd + second.total + second.odd + first.left + total
        """,
    ),
}
MEETING = "items of several types meet in one list"
INTERPRETED = {
    "an item of a tuple that is None here": (
        """
        ALL = [("A", "Tax", 1), ("B", None, 2)]
        ---
        def initial_state(self):
            return (5, [("A", "", 0)])

        def value(self, state):
            return state[1][0][2]

        def result(self, state, action):
            claims = state[1][:]
            claims[0] = ALL[0]
            return (state[0] - action, claims)
        """,
        r"item 1 of an item of a list is a string or None here, but a string in other places\s+test it first",
    ),
    "a named tuple with a reflected operator": (
        """
        from typing import NamedTuple


        class Step(NamedTuple):
            x: int

            def __radd__(self, other):
                return Step(self.x + 1)
        ---
        def initial_state(self):
            return (5, Step(3))

        def value(self, state):
            return state[1].x

        def result(self, state, action):
            return (state[0] - action, (1,) + state[1])
        """,
        r"a Step, which defines __radd__\s+give it an ordinary name",
    ),
    "a logger of the game": (
        """
        import logging
        ---
        log = logging.getLogger("rules")

        def initial_state(self):
            return (5, 1)

        def value(self, state):
            return state[1]

        def result(self, state, action):
            self.log.debug("%d", action)
            return (state[0] - action, state[1] + action)
        """,
        r"self.log is a Logger, which is not a constant\s+make it a variable of the module: logger = logging.getLogger",
    ),
    "a tuple that becomes shorter": (
        """
        def left(self, state):
            return len(state[0])

        def initial_state(self):
            return ((3, 1, 4, 1, 5), 1)

        def value(self, state):
            return state[1]

        def result(self, state, action):
            row = state[0]
            return (row[: action - 1] + row[action:], (3 * state[1] + row[action - 1]) % 997)
        """,
        r"tuple of 5 in one place and a tuple of 4 in another\s+keep a list",
    ),
    "constant tuples of several lengths": (
        """
        ROWS = [(1,), (2, 3), (4, 5, 6), (7, 8, 9, 1), (2, 3, 4, 5, 6)]
        ---
        def left(self, state):
            return len(state[0]) - 1

        def initial_state(self):
            return (ROWS[4], 1)

        def value(self, state):
            return state[1]

        def result(self, state, action):
            return (ROWS[max(0, len(state[0]) - action - 1)], (3 * state[1] + state[0][0]) % 997)
        """,
        r"tuple of 5 in one place and a tuple of \d in another",
    ),
    "a deep copy of what holds a list twice": (
        """
        def initial_state(self):
            return (5, [1, 2])

        def value(self, state):
            return sum(state[1])

        def result(self, state, action):
            rows = copy.deepcopy([state[1], state[1]])
            rows[0].append(action)
            return (state[0] - action, rows[1])
        """,
        r"deepcopy of what has the same list in two places",
    ),
    "states that hold a list twice": (
        """
        def initial_state(self):
            return (5, [1, 2], [3])

        def value(self, state):
            return sum(state[2])

        def result(self, state, action):
            left, one, other = copy.deepcopy(state)
            one.append(action)
            return (left - action, one, one)
        """,
        r"is the same list as",
    ),
    "a key of bytes": (
        COMPILED["a key with an array in it"].replace("(state[1], state[0])", "(state[1].tobytes(), state[0])"),
        r"tobytes\(\) of an array may not .*\s+return the array itself",
    ),
    "a key that is a range": (
        VALUE + "def number(self, *given):\n    return sum(given)\n\ndef key(self, state):\n    return range(*state)",
        r"key",
    ),
    "a rule that is a partial method": (
        """
        import functools
        ---
        def some(self, state, most):
            return range(1, min(most, state[0]) + 1)

        actions = functools.partialmethod(some, most=2)

        def initial_state(self):
            return (5, 1)

        def value(self, state):
            return state[1]

        def result(self, state, action):
            return (state[0] - action, 3 * state[1] + action)
        """,
        r"self.actions is not a method",
    ),
    "a partial method that is called": (
        """
        import functools
        ---
        def sum(self, one, other):
            return one + other

        more = functools.partialmethod(sum, 2)

        def initial_state(self):
            return (5, 1)

        def value(self, state):
            return state[1]

        def result(self, state, action):
            return (state[0] - action, self.more(state[1]) % 997)
        """,
        r"self.more is a partial",
    ),
    "a list that changes through a name of a wider type": (
        game(
            "from enum import IntEnum\n\n\nclass Act(IntEnum):\n    PASS = 0\n    BET = 1\n",
            """
kept = [Act.BET]
for place in range(3):
    both = kept if place < 2 else [1]
    both.append(2)
return len(kept) + total
""",
        ),
        MEETING,
    ),
    "a list with two names that becomes a wider one": (
        game("", "one = [left]\nother = one\nboth = other if total > 2 else [0.5]\nboth.append(1)\nreturn len(one)"),
        MEETING,
    ),
    "a tuple with lists of two types": (
        game("", "both = ([1], 2) if total > 2 else ([0.5], 3)\nreturn len(both[0]) + total"),
        MEETING,
    ),
    "a constant set that changes": (
        game("CORNERS = {1, 2}\n", "found = CORNERS\nfound |= {1}\nreturn len(found) + total"),
        r"a constant set changes",
    ),
    "a call within a try": (
        """
        def initial_state(self):
            return (5, 1)

        def value(self, state):
            return state[1]

        def worth(self, left):
            return [1, 2][left]

        def result(self, state, action):
            try:
                worth = self.worth(state[0])
            except Exception:
                worth = 4
            return (state[0] - action, state[1] + worth)
        """,
        r"worth\(\) is called within a try",
    ),
    "the error itself": (
        game("", "try:\n    return [1, 2][left]\nexcept IndexError as error:\n    return len(str(error)) + total"),
        r"the error itself is used",
    ),
    "a list that others hold": (
        """
        import enum

        class Act(enum.IntEnum):
            PASS = 0
            BET = 1

        ---
        def some(self, kept):
            return kept

        def acts(self, left):
            return [left, 5] if left > 3 else self.some([Act.PASS, Act.BET])

        def initial_state(self):
            return (5, 1)

        def value(self, state):
            return state[1]

        def result(self, state, action):
            return (state[0] - action, 3 * state[1] + sum(self.acts(state[0])))
        """,
        MEETING,
    ),
    "objects of two classes compared": (
        game(
            POINT + "class Other:\n    def __init__(self, x):\n        self.x = x\n\n\n",
            "return (Point(left, 1) == Other(left)) + total",
        ),
        r"compare attributes",
    ),
    "an array of texts by a list": (
        """
        import numpy as np
        ---
        def initial_state(self):
            return (5, np.full(3, "."))

        def value(self, state):
            return len("".join(state[1][[0, 1]]))

        def result(self, state, action):
            return (state[0] - action, state[1].copy())
        """,
        r"write a loop",
    ),
    "a number in an array of texts": (
        """
        import numpy as np
        ---
        def initial_state(self):
            return (5, np.full(3, "."))

        def value(self, state):
            return ord(state[1][0])

        def result(self, state, action):
            row = state[1].copy()
            row[0] = action
            return (state[0] - action, row)
        """,
        r"write str",
    ),
    "arguments by name out of order": (
        game("", "log = []\ndef note(x):\n    log.append(x)\n    return x\ndef g(x, y):\n    return x - y + len(log)\nreturn g(y=note(left), x=note(2)) + total"),
        r"called with arguments by name",
    ),
}  # fmt: skip
IDENTICAL = {
    "an array": "x = np.zeros(3)\nreturn int(x is x[:])",
    "a tuple": "x = (a, b)\nreturn int(x is (a, b))",
    "a text": "x = str(a)\ny = x\nreturn int(x is y)",
    "a dict": "x = {a: 1}\ny = x\nreturn int(x is y)",
    "a frozenset": "x = frozenset(t)\ny = x\nreturn int(x is y)",
    "a function": "return int(program0 is program0)",
    "a module": "return int(np is np)",
    "a type": "return int(type(a) is int)",
    "a bool that may be None": "x = (a > 2) if a else None\nreturn int(x is True)",
    "a list that may be None": "x = [a] if a > 2 else None\ny = x\nreturn int(x is y)",
}
"""Functions of ints that compare what is one value in Python and may be two in compiled code, or the reverse."""
AWKWARD = {
    "slices of lists that are deleted": "x = [a, b, c, 4, 5, 6]\ndel x[4:a:-2], x[::3], x[1::b]\nreturn sum(i * each for i, each in enumerate(x, 3))",
    "slices of lists deleted by a step of 0": "x = [a, b, c]\ndel x[::b]\nreturn len(x)",
    "a list that is assigned to its slice": "x = [a, b, c]\nx[1:2] = x\nx[::-1] = x\nx[a:] = x\nreturn sum(i * each for i, each in enumerate(x, 3))",
    "slices of lists that are assigned": "x = [a, b, c, 4, 5]\nx[3:1] = [7, 8]\nx[::a] = [b] * len(x[::a])\nx[-1:0:-3] = x[:2]\nreturn sum(i * each for i, each in enumerate(x, 3))",
    "finally alone": "x = 1\ntry:\n    x += t[b]\nfinally:\n    x *= 2\nreturn x",
    "finally after a loop": "x = 1\nfor i in t:\n    try:\n        if i == a:\n            continue\n        x += i\n    finally:\n        x *= 2\nreturn x",
    "frozenset or set": "x = DECK - {a}\ny = CORNERS - {a}\ny.add(b)\nz = DECK | y\nreturn len(x) + 10 * len(y) + 100 * len(z) + 7 * (x < DECK)",
    "constant sets alone": "return len(DECK - CORNERS) + 10 * len(CORNERS ^ DECK) + 100 * (DECK == CORNERS) + len(DECK | CORNERS) * a",
    "frozenset in place": "x = DECK\nx |= {a, 77}\nreturn len(x) + 10 * len(DECK)",
    "sets of texts": "x = LETTERS - {'abcx'[a % 4]}\nreturn len(x | {'z'}) + 10 * ('a' in x) + 50 * (LETTERS >= x) + 100 * LETTERS.isdisjoint({'q'})",
    "lists of ints and floats": "x = [a, b] if a > b else [0.5]\nx.append(c)\nreturn sum(x) * 2 + len(x)",
    "error after a change": "x = [a, b]\ntry:\n    x[0] += 5\n    x[a] += 7\nexcept IndexError:\n    x.append(1)\nreturn sum(x) + len(x)",
    "order within a try": "x = [0]\ntry:\n    x[len(x) - 1] = x.pop() + [5, 6][a]\nexcept IndexError:\n    x.append(9)\nreturn sum(x) + len(x)",
    "short circuit within a try": "try:\n    return int(a > 2 and t[a] > 1 or b > 0 and t[b] > 0)\nexcept IndexError:\n    return 8",
    "chain within a try": "try:\n    return int(0 < a < t[a] < t[b])\nexcept IndexError:\n    return 8",
    "first handler that fits": "try:\n    return WORTH[a] // b\nexcept LookupError:\n    return 5\nexcept (KeyError, ZeroDivisionError):\n    return 6",
    "error that is not caught": "try:\n    return WORTH[a]\nexcept IndexError:\n    return 5",
    "index outside an array, not caught": "x = np.arange(3)\ntry:\n    return int(x[a])\nexcept KeyError:\n    return 5",
    "continue in a handler": "x = 0\nfor y in t:\n    try:\n        x += 12 // y\n    except ZeroDivisionError:\n        continue\n    x += 1\nreturn x",
    "loops within a try": "x = 0\ntry:\n    for y in t:\n        for z in (2, 1, 0):\n            if z == y:\n                break\n            x += y // z\nexcept ZeroDivisionError:\n    x += 100\nreturn x",
    "else and finally": "x = 1\ntry:\n    x += 10 // b\nexcept ZeroDivisionError:\n    x = 7\nelse:\n    x += 50\nfinally:\n    x *= 2\nreturn x",
    "counting": "x = {5: 1}\nfor y in (a, b, a, 5):\n    try:\n        x[y] += 1\n    except KeyError:\n        x[y] = 1\nreturn sum([y * x[y] * (k + 1) for k, y in enumerate(sorted(x))])",
    "raised by name": "try:\n    if a > 1:\n        raise KeyError('x')\n    if b > 2:\n        raise ValueError\n    return 3\nexcept LookupError:\n    return 4\nexcept ValueError:\n    return 5",
    "local that may be unassigned": "try:\n    x = t[a]\nexcept IndexError:\n    pass\nreturn x",
    "ints in texts": "x = 0\nfor y in ('12', ' -7', 'x', '', '1_0', '+5', '--1', '_1'):\n    try:\n        x = x * 3 + int(y)\n    except ValueError:\n        x += 1\nreturn x",
    "None within a try": "x = None\nfor y in t:\n    if y > a:\n        x = y\ntry:\n    if x is None or not x:\n        return t[b]\n    return 7\nexcept IndexError:\n    return 3",
    "dict of lists": "x = {}\nfor y in (a, b, c, 5):\n    x.setdefault(y % 3, []).append(y + len(x))\nif 2 in x:\n    x[2].append(7)\nreturn sum([k * sum(v) + len(v) for k, v in x.items()]) + len(x.get(1, [])) + len(x.get(8, []))",
    "dict of sets": "x: dict[int, set[int]] = dict()\nfor y in t:\n    x.setdefault(y % 2, set()).add(y % 4)\nreturn sum(len(x[k]) * (k + 2) for k in x)",
    "key of a dict of lists that is missing": "x = {}\nx.setdefault(a, []).append(b)\nreturn len(x[b])",
    "get of a dict": "x = {1: 5, 3: 7}\ny = {}\nfor z in t:\n    y[z] = y.get(z, 0) + 2\nreturn x.get(a, 0) + 3 * x.get(b, a) + y.get(c, 9) + sum(y.values())",
    "truth of what may be None": "x = None\nfor y in (3, 0, a):\n    if y > b:\n        x = y - 3\nreturn (5 if x else 3) + (x or 2)",
    "arguments by name": "def f(x, y=2, z=4):\n    return x * 3 + y * 50 + z\ng = lambda x, y: x - y\nreturn f(a, z=b) + f(x=b) + g(y=a, x=b) + 1000 * g(a, y=c)",
    "along an axis": "x = np.arange(6).reshape(2, 3) > a\nreturn int(x.all(axis=1).sum()) + 10 * int(np.any(x, axis=0).sum()) + 100 * int(x.any(axis=-1)[0])",
    "sums along an axis": "x = np.array(t).reshape(2, 2)\nx[0, 1] += a * 10\ny = x[:0].sum(axis=0)\nz = (x > 1).sum(axis=0)\nw = np.sum((x * 100).astype(np.int8), axis=-1)\nreturn int(x.sum(axis=0)[1]) + 50 * int(x.T.sum(axis=1)[0]) + int(y[1]) + 9 * int(z[1]) + int(w.max()) + len(np.arange(24).reshape(2, 3, 4).sum(axis=1))",
    "sum of floats along an axis": "x = np.array([0.1, 1e16, -1e16, 0.3 + a]).reshape(2, 2)\nreturn float(x.sum(axis=0)[0] + x.sum(axis=1)[1])",
    "sets that are only read in order": "x = set()\nfor y in t:\n    x.add(y * 37 % 101)\n    x.add(-y)\n    x.update([y * k for k in range(9)])\nz = {y * b for y in t}\ntotal = 0\nfor y in x:\n    total = (total * 7 + y) % 10007\nreturn total * 100 + [*z][0]",
    "sets that are only counted": "x = [a, b, c, a]\ny = [(u % 3, u > 1) for u in t]\ntotal = 0\nfor z in [len(set(x)) == 1, len(set(u % a for u in t if a)) > 1, len({u % 2 for u in t}) == 1, len(set(x[:0])) <= 0, len(set(x)) < 1, len(set('abca'[a % 4:])) != 1, len(set([u * 0.5 for u in t])) >= 1, len(set(y)) > 1, len(set((u % 3, u) for u in t)) == len(t)]:\n    total = total * 2 + z\nreturn total * 1000 + len({u % 4 for u in t}) * 100 + len(set(u * k % 101 for u in t for k in range(20)))",
    "sets that are only counted, with an error": "return len(set(7 // u for u in t)) == 1",
    "texts of ints": "total = 0\nfor x in (0, 9, 10, 99, 100, -1, -10, 10**15 - 1, 1 - 10**15, 10**17 - 1, 10**18 - 1, -2**63, 2**63 - 1, a * 10**9 - 1, a, b, c):\n    for y in str(x) + f'{x},' + '%d' % x + f'{x:>4}' + '{}'.format(x):\n        total = (total * 7 + ord(y)) % 10007\n    total += int(str(x % 10**12)) % 101 + isinstance(str(x), str)\nreturn total",
    "lists of equal items": "x = [0] * (a * 3)\nx += [5] * (b - 2)\nx.append(7)\ny = [1.5] * c\nz = [True] * len(t)\nz[1] = False\nfor u in range(9):\n    x.append(u)\nreturn sum(x) * 100 + len(x) * 10 + sum(y) + sum(z)",
    "lists that grow and shrink": "x = []\nfor u in range(40):\n    x.append([u, a])\nwhile len(x) > 2:\n    x.pop()\nfor u in range(50):\n    x.append([b] * (u % 4))\nx.insert(1, [7])\nx.extend([[1, 2], [a]])\nreturn sum(sum(y) * (u % 7) for u, y in enumerate(x)) + len(x)",
    "flat copies of arrays": "x = np.arange(12).reshape(3, 4)\ny = x[:2, 1:].flatten()\nz = x.T.flatten()\ny[0] = 50\nreturn int(y.sum() * 100 + z[1] * 10 + x[0, 1] + x[1].flatten()[a % 4] + (x > 5).flatten().sum())",
    "empty set in order": "x = set()\nfor y in t:\n    if y > 100:\n        x.add((y, 1))\nfor y, z in list(x):\n    a += y\nreturn a",
    "rolled": "x = np.roll(np.arange(6).reshape(2, 3), a, axis=1)\nreturn int(x[0, 2]) + 10 * int(np.roll(x, shift=b, axis=0)[1, 0])",
    "diagonals of numbers": "x = np.arange(12).reshape(3, 4)\ny = x.diagonal(1)\nx[0, 1] = 50\nreturn int(y.sum()) + int(x.trace()) + int(np.diagonal(x, -1).sum()) + int(np.trace(x, 2))",
    "lists and arrays": "x = np.arange(6)\nreturn int(x[[a % 3, 1, 5]].sum()) + sum(x.tolist()) + x.reshape(2, 3).tolist()[1][b % 3] + int(np.clip(a, 1, 3))",
    "rows and columns": "x = np.arange(12).reshape(3, 4)\nreturn int(x[np.ix_([0, a % 3], [1, b % 4])].sum())",
    "views of texts": "x = np.full((3, 3), '.')\ny = x.ravel()\nd = x.diagonal()\ny[4] = 'q'\nx[0] = 'r'\nreturn ord(d[1]) + 3 * ord(d[0]) + 5 * ord(y[2]) + len(x.flatten()) + x.size",
    "texts that are cut off": "x = np.full(2, '..', dtype='<U2')\nx[0] = 'xyz'\nx[1] = ''\nreturn (x[0] == 'xy') + 2 * len(x[1]) + 4 * int((x == '').sum()) + 8 * int((x == 'xyz').sum())",
}
"""Functions of three ints and a tuple."""
