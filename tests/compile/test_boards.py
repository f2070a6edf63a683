"""Rules with classes of boards: attributes that change type, lists filled in loops, the order of sets, None."""

from random import Random

import numpy as np
import pytest
from programs.board_programs import program
from programs.try_constructs import attempt
from unchanged.base_board import Drop, Dropping
from unchanged.board_class import Board, Spreading

from outplay import MCTS, Game, Limit, check_game, kernel, perft
from outplay.compile.fingerprint import Fingerprint
from outplay.compile.kernels import runs_compiled
from outplay.compile.rewriting.ordered import in_order

pytestmark = pytest.mark.compiled


def interpreted(game):
    cls = type(game)
    slow = type(cls.__name__, (cls,), {"compiled": False, "__module__": cls.__module__})
    return slow(*game._arguments.values())


# -- whole games -------------------------------------------------------------------------------------------------------


GAMES = [Spreading(3), Spreading(4), Dropping(), Dropping(4, 4)]


@pytest.mark.nightly
@pytest.mark.sample(1)
@pytest.mark.parametrize("game", [Dropping(), Spreading(3)], ids=repr)
def test_whole_games_compile_and_agree(game):
    assert perft(game, 4).divided == perft(interpreted(game), 4).divided
    assert runs_compiled(game)


@pytest.mark.nightly
@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_searches_agree(game):
    fast, same = (MCTS(each, seed=3).search(limit=Limit(simulations=60)) for each in (game, interpreted(game)))
    assert (fast.action, fast.value, fast.line) == (same.action, same.value, same.line)
    assert runs_compiled(game)


@pytest.mark.nightly
@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_the_laws_hold(game):
    report = check_game(game, playouts=20, seconds=60)
    assert report.ok, report
    assert report.compiled


# -- the order of sets -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_the_order_of_a_set_is_known_from_what_was_added(seed):
    random = Random(seed)
    bits = random.choice([3, 8, 30, 62, 90])
    ints = [random.randrange(-(1 << bits), 1 << bits) for _ in range(random.choice([0, 1, 5, 6, 40, 700]))]
    for added in (ints, [(one, one % 7) for one in ints], [bool(one % 2) for one in ints], [(one,) for one in ints]):
        found = set()
        for item in added:
            found.add(item)
        assert list(found) == in_order(added) == list(set(added))


ORDER = """
def rule(self, left, taken):
    number, found, pairs = left * 1000 + taken, set(), set()
    total = 0
    for _ in range(60 * taken):
        number = (number * 6364136223846793005 % (1 << 61) + 1442695040888963407) % (1 << {bits}) - (1 << {bits} - 1)
        found.add(number)
        pairs.add((number % 5 - 2, number, left))
    for place, item in enumerate(found):
        total = (total * 31 + item % 1009 + place) % 10007
    for x, y, z in list(pairs):
        total = (total * 31 + x + y % 1009 + z) % 10007
    return total
"""


@pytest.mark.sample(2)
@pytest.mark.parametrize("bits", [2, 4, 7, 12, 33, 57])
def test_compiled_sets_have_the_order_of_python(bits, tmp_path):
    text = ORDER.format(bits=bits).replace("* 6364136223846793005 % (1 << 61)", "* 6364136 % (1 << 31)")
    assert attempt(f"order {bits}", text, tmp_path) == ("compiles", "")


# -- single cases ------------------------------------------------------------------------------------------------------

BOARD = """
import numpy as np
KEPT = [0]
class Board:
    def __init__(self, n):
        self.n = n
        self.cells = [0] * n
        EXTRA
    def total(self):
        return sum(int(cell) for cell in self.cells) + self.n
    def same(self):
        return self
    MORE
def keep(board):
    return board
---
def rule(self, left, taken):
    BODY
"""


def board(body, extra="pass", more=""):
    body = "\n    ".join(body.strip("\n").splitlines())
    return BOARD.replace("BODY", body).replace("EXTRA", extra).replace("MORE", more)


NEW = "b = Board(left)\nb.cells = np.array([taken, 2])\n"
SAME = {
    "assigned twice": board(NEW + "b.cells = (1, 2, left)\nreturn b.total()"),
    "a method makes the value": board("b = Board(left)\nb.cells = np.arange(b.total() + 2)\nreturn b.total()"),
    "in a loop": board("t = 0\nfor i in range(left):\n    b = Board(i)\n    "
        "b.cells = np.arange(i)\n    t += b.total()\nreturn t"),
    "in a branch": board("t = 0\nif left > taken:\n    b = Board(1)\n    "
        "b.cells = np.ones(taken)\n    t = b.total()\nreturn t"),
    "both kinds of objects": board("a = Board(3)\n" + NEW + "a.cells[0] = b.total()\nreturn a.total() * 3 + b.total()"),
    "a statement between": board("b = Board(left)\nrow = np.arange(3)\nb.cells = row\nrow[0] = 5\nreturn b.total()"),
    "a value that depends on the old one": board(
        "b = Board(left)\nb.cells[0] = 3\nb.cells = np.array(b.cells)\nb.cells[0] += taken\nreturn b.total()"
    ),
    "methods in the constructor": board(NEW + "return b.total()", extra="self.fill()", more=(
        "def fill(self):\n        for i in range(self.n):\n            self.cells[i] = i")),
    "an array and a class constant": board(NEW + "return b.total() + b.SIZE + Board.SIZE", more="SIZE = 3"),
    "a number of another kind": board("b = Board(left)\nb.n = left > taken\nreturn b.total()"),
}  # fmt: skip
"""Rules that compile."""
LEFT = {
    "another name": board("b = Board(left)\nc = b\nb.cells = np.array([taken, 2])\nreturn b.total() + c.total()"),
    "passed on before": board("b = Board(left)\nc = keep(b)\nb.cells = np.array([1])\nreturn c.total()"),
    "returned by a method": board("b = Board(left)\nc = b.same()\nb.cells = np.array([1])\nreturn c.total()"),
    "the value holds it": board(
        "b = Board(left)\nb.cells = [keep(b).n]\nb.cells = np.array([keep(b).n])\nreturn b.total()"
    ),
    "kept by the constructor": board(NEW + "return b.total() + KEPT[0].total()", extra="KEPT[0] = self"),
    "kept by a method of the constructor": board(
        NEW + "return b.total() + KEPT[0].total()", extra="self.tell()", more="def tell(self): KEPT[0] = self"
    ),
    "kept by a function within": board(NEW + "return b.total() + b.get()", extra="self.get = lambda: self.cells[0]"),
    "a setter": board(
        "b = Board(left)\nb.size = np.array([1])\nreturn b.total()",
        more=(
            "@property\n    def size(self): return 1\n    "
            "@size.setter\n    def size(self, value): self.n = len(value) + 7"
        ),
    ),
    "in a lambda": board("f = lambda: b.total()\nb = Board(left)\nt = f()\nb.cells = np.array([1])\nreturn t + f()"),
    "a number that does not fit": board("b = Board(left)\nb.n = 2.5\nreturn int(b.total() * 2)"),
    "two types at the end": board(
        "b = Board(left)\nif left > taken:\n    b = Board(1)\n    b.cells = np.ones(2)\nreturn b.total()"
    ),
}
"""Rules that run interpreted, since a compiled object could not be the same."""
FILLED = {
    "no items": "rows = [None] * (left - 4)\nfor i in range(left - 4):\n    rows[i] = [i]\nreturn len(rows)",
    "the item is read again": (
        "rows = [None] * left\nfor i in range(left):\n    rows[i] = [i] * taken\n    rows[i][0] += 5\n"
        "    x = rows[i]\n    x.append(1)\nreturn sum(map(sum, rows)) + i"
    ),
    "statements before": (
        "rows = [0] * left\nfor i in range(left):\n    x = i * i\n    rows[i] = (x, i)\nreturn rows[-1][0]"
    ),
}
FILLED_LEFT = {
    "read while it is filled": (
        "rows = [None] * left\nfor i in range(left):\n    rows[i] = [len(rows), i]\nreturn sum(map(sum, rows))"
    ),
    "the item before": (
        "rows = [None] * left\nfor i in range(left):\n    "
        "rows[i] = [i if i == 0 else rows[i - 1][0] + 2]\nreturn rows[-1][0]"
    ),
    "a break": (
        "rows = [None] * 4\nfor i in range(4):\n    if i == left:\n        break\n    rows[i] = [i]\n"
        "return sum(row is None for row in rows)"
    ),
    "another length": (
        "rows = [None] * 4\nfor i in range(left):\n    rows[i] = [i]\nreturn sum(row is None for row in rows)"
    ),
    "the number changes": (
        "n = left\nrows = [None] * n\nfor i in range(n):\n    n = 1\n    rows[i] = [n]\nreturn len(rows) + n"
    ),
    "another range": (
        "range = lambda n: (0, 0)\nrows = [None] * 2\nfor i in range(2):\n    "
        "rows[i] = [i]\nreturn sum(r is None for r in rows)"
    ),
    "in a try": (
        "rows = [None] * 2\ntry:\n    for i in range(2):\n        rows[i] = [1 // (left - 2 - i)]\n"
        "except ZeroDivisionError:\n    pass\nreturn sum(row is None for row in rows)"
    ),
}
SETS = {
    "a set of a loop variable": "s = {left}\nfor i in range(30):\n    s.add(i * 37 % 64)\nreturn [x for x in s][taken]",
    "two sets": ("a = set()\nt = 0\nb = set([left, 40, taken])\nfor x in list(b):\n    "
        "a.add(x * 9)\nfor x in a:\n    t = t * 9 + x\nreturn t"),
    "a set made anew": (
        "t = 0\nfor i in range(4):\n    s = set()\n    for j in range(i * 3):\n        s.add(j * 5 % 32)\n"
        "    for x in s:\n        t = (t * 7 + x) % 1009\nreturn t"
    ),
    "generators that look at the set": (
        "s = set()\ns.update([x for x in range(40, 0, -taken) if x not in s])\n"
            "return list(s)[left] + (left in s) + len(s)"
    ),
    "a test in another order": ("s = set(x * 11 % 32 for x in range(9) if x != left)\n"
        "return any(x > 20 for x in s) + [*s][0]"),
}  # fmt: skip
SETS_LEFT = {
    "smaller": "s = {left, 9, 1}\ns.discard(9)\ns.add(17)\nreturn [x for x in s][0]",
    "another name": "s = {left, 9, 1}\nt = s\nt.add(17)\nreturn [x for x in s][0]",
    "constants": "s = {33, 9, 1, 65, 17}\nreturn [x for x in s][left]",
    "another set": "s = set()\ns.update({left, 33, 65})\nreturn list(s)[0]",
    "strings": "s = set()\nfor i in range(left):\n    s.add(str(i))\nreturn len(list(s)[0])",
    "changed in its own loop": (
        "s = {left}\ntry:\n    for x in s:\n        s.add(x + 1)\nexcept RuntimeError:\n    return 5\nreturn 6"
    ),
    "a lazy look at itself": "s = {left}\ns.update(x for x in range(9) if x - 1 not in s)\nreturn list(s)[-1]",
    "passed on": "s = {left, 9}\n(lambda t: t.add(41))(s)\nreturn list(s)[0]",
    "another function called set": "set = sorted\ns = set([3, left])\nreturn list(s)[0]",
}
FIND = (
    "def find(self, x):\n    if x % 3 == 0:\n        return None\n    "
    "return (x, x * 2)\ndef some(self, x):\n    return None if x % 2 else x - 4\n"
)
NONE = {
    "a loop that goes on": (
        "m, t = self.find(left), 0\nwhile m is not None:\n    t += m[1]\n    m = self.find(m[0] - 1)\nreturn t"
    ),
    "assigned within": (
        "t = []\nfor i in range(5):\n    m = self.find(i)\n    "
        "if m is not None:\n        t.append(m)\n        m = None\n"
        "    if m is not None:\n        t.append(m)\nreturn sum(x for x, y in t)"
    ),
    "zero and None": (
        "t = 0\nfor i in range(8):\n    m = self.some(i)\n    "
        "if m:\n        t = t * 3 + m\n    elif m is None:\n        t += 1\n"
        "    else:\n        t += 100\nreturn t"
    ),
    "the best of all": (
        "best = None\nfor i in range(left + 1):\n    m = self.find(i)\n    if m is None:\n        continue\n"
        "    if best is None or m[1] > best[1]:\n        best = m\nif best is None:\n    return 7\nfound = [best]\n"
        "return found[0][0]"
    ),
    "not none, or": "m = self.find(left)\nif m is None or m[0] == taken:\n    return 1\nk = [m]\nreturn k[0][1]",
}
OBJECTS = {
    "an attribute assigned by rules": ("self.shape.n = 3\nreturn self.shape.n", "interpreted"),
    "an item assigned by rules": ("self.shape.rows[0] = left\nreturn self.shape.rows[0]", "interpreted"),
    "a cell assigned by rules": ("self.shape.cells[0] = left\nreturn int(self.shape.cells[0])", "interpreted"),
    "a method with defaults": ("return self.shape.plus(left) + self.shape.plus(left, b=taken)", "compiles"),
    "an object within": ("return self.shape.inner.n + self.shape.inner.plus(left, taken)", "compiles"),
    "its class": ("return isinstance(self.shape, Shape) + Shape(left).plus(1) + self.shape.NAME[0]", "compiles"),
    "None within": ("return 1 if self.shape.nothing is None else 2", "compiles"),
}
SHAPE = """
import numpy as np
class Shape:
    NAME = (5, 6)
    def __init__(self, n, inner=None):
        self.n, self.rows, self.cells, self.nothing = n, [1, n], np.arange(n), None
        if inner is not None:
            self.inner = inner
    def plus(self, a, b=10):
        return self.n + a * 2 + b + self.rows[1] + int(self.cells.sum())
    def grow(self):
        self.n += 1
---
def __init__(self):
    self.shape = Shape(4, Shape(2))
"""


def body(text, before=""):
    lines = "\n".join("    " + line for line in text.splitlines())
    return f"import numpy as np\n---\n{before}def rule(self, left, taken):\n{lines}\n"


CASES = [
    *(("compiles", name, text) for name, text in SAME.items()),
    *(("interpreted", name, text) for name, text in LEFT.items()),
    *(("compiles", name, body(text)) for name, text in FILLED.items()),
    *((None, name, body(text)) for name, text in FILLED_LEFT.items()),
    *(("compiles", name, body(text)) for name, text in SETS.items()),
    *((None, name, body(text)) for name, text in SETS_LEFT.items()),
    *(("compiles", name, body(text, FIND)) for name, text in NONE.items()),
    *((expected, name, SHAPE + body(text).partition("---\n")[2]) for name, (text, expected) in OBJECTS.items()),
]


@pytest.mark.sample(6)
@pytest.mark.parametrize(("expected", "name", "text"), [pytest.param(*case, id=case[1]) for case in CASES])
def test_both_speeds_are_equal(expected, name, text, tmp_path):
    outcome, reason = attempt(name, text, tmp_path)
    assert outcome in ("compiles", "interpreted"), reason
    assert expected in (None, outcome), reason


@pytest.mark.nightly
@pytest.mark.parametrize(("expected", "name", "text"), [pytest.param(*case, id=case[1]) for case in CASES])
def test_both_speeds_are_equal_if_checked(expected, name, text, tmp_path):
    assert attempt(name, text, tmp_path, is_checked=True)[0] in ("compiles", "interpreted")


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(200))
def test_random_programs_are_equal_at_both_speeds(seed, tmp_path):
    outcome, reason = attempt(f"program {seed}", program(seed), tmp_path)
    assert outcome != "DIFFERS", reason


# -- objects that are constants ----------------------------------------------------------------------------------------


class Part:
    def __init__(self, number):
        self.number, self.cells, self.rows = number, np.array([number, 2]), [1, number]

    def value(self, left):
        return self.number * 100 + int(self.cells.sum()) * 10 + self.rows[1] + left


class Holder(Game):
    def __init__(self, part):
        self.part = part

    def initial_state(self):
        return 3

    def to_move(self, state):
        return 0

    def actions(self, state):
        return (1,)

    def result(self, state, action):
        return state - action

    def is_terminal(self, state):
        return state == 0

    def utility(self, state, player):
        return self.part.value(state)


@kernel
def worth(game, state):
    return game.utility(state, 0)


def test_a_change_of_an_object_is_noticed():
    part = Part(3)
    game, other = Holder(part), Holder(Part(3))
    for change in ("pass", "part.number = 4", "part.cells[0] = 9", "part.rows[1] = 8", "part.cells = part.cells * 2"):
        exec(change, {"part": part})
        assert worth(game, 3) == part.value(3)
        assert runs_compiled(game)
        assert worth(other, 3) == Part(3).value(3)
    game.part = Part(7)
    assert worth(game, 3) == Part(7).value(3)


def test_a_change_of_a_method_of_an_object_is_noticed(monkeypatch):
    game = Holder(Part(5))
    assert worth(game, 3) == Part(5).value(3)
    monkeypatch.setattr(Part, "value", lambda self, left: self.number - left)
    assert worth(game, 3) == 2
    assert runs_compiled(game)


def marked(value):
    fingerprint = Fingerprint()
    fingerprint.add(value)
    return str(fingerprint), fingerprint


def test_equal_objects_have_equal_fingerprints_and_changes_are_seen():
    one, other = Part(3), Part(3)
    assert marked(one)[0] == marked(other)[0] != marked(Part(4))[0]
    for change in ("one.number = 5", "one.new = 1", "one.rows.append(2)", "one.cells[1] = 7", "del one.number"):
        mark, found = marked(one)
        assert found.is_current()
        exec(change, {"one": one})
        assert not found.is_current()
        assert marked(one)[0] != mark


def test_objects_that_hold_each_other_have_a_fingerprint():
    one, other = Part(1), Part(2)
    one.other, other.other = other, one
    assert marked(one)[1].complete
    for _ in range(2000):
        one = Part(one)
    assert not marked(one)[1].complete


def test_source_is_not_needed_where_types_stay_the_same():
    names = {"Game": Game, "__name__": "made_by_exec"}
    exec(
        "class G(Game):\n    def initial_state(self): return 3\n    def to_move(self, state): return 0\n"
        "    def actions(self, state): return (1,)\n    def result(self, state, action): return state - action\n"
        "    def is_terminal(self, state): return state == 0\n"
        "    def utility(self, state, player):\n        s = set()\n        s.add(33)\n        s.add(1)\n"
        "        return len(s) + state\n",
        names,
    )
    assert worth(names["G"](), 3) == 5


def test_boards_of_interpreted_rules_are_those_of_the_author():
    b = Board(3)
    assert type(b.cells) is list
    assert b.cells[0] == [1, 0, 0]
    assert Drop().cells.dtype == np.dtype(int)
