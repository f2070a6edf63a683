"""Compiled code is never stale: whatever is edited, compiled rules answer as the interpreted ones do.

The truth is `child.interpreted`, which reads everything anew. `ACROSS` are edits between two runs of a program, which
share a cache folder; `WITHIN` are changes inside one process.
"""

import copy
import warnings

import pytest
from shared import EDITED, kept_code, rows

from outplay import AlphaBeta
from outplay.compile.native.disk import NotKeptWarning

pytestmark = pytest.mark.compiled


def rule(value, before="", inside="pass"):
    """A module with a game `G` whose method `more(x)` gives `value`."""
    return f"{EDITED}{before}\nclass G(Base):\n    {inside}\n    def more(self, x): return {value}\n"


def attribute(value, given, before=""):
    """The same, with an attribute `given`."""
    return rule(value, before, f"def __init__(self): self.given = {given}")


INNER = "class Inner(Base):\n    def __init__(self, by): self.by = by\n    def more(self, x): return x + self.by\n"
FIELDS = "np.array([(10, 20)], dtype=[(name, 'i8') for name in 'HOLE'])"
GETATTR = "def __getattr__(self, name):\n        if name != 'by': raise AttributeError(name)\n        return {}"

RANDOM = f"""{EDITED}from outplay.compile.playout import random_action
from outplay.compile.random_numbers import new_random
Base.by_trial = HOLE
class G(Base):
    def actions(self, state):
        for action in range(100):
            if action > 60:
                yield action

@kernel
def drawn(game, state, random): return random_action(game, state, random)

def child(game, state): return drawn(game, state, new_random(1))
child.interpreted = lambda game, state: drawn.interpreted(game, state, new_random(1))
child.fingerprint = drawn.fingerprint
"""

ACROSS = {
    "which function a rule is": (
        rule("x", inside="def one(self, x): return x + 1\n    def two(self, x): return x + 2").replace(
            "    def more(self, x): return x\n", "    more = HOLE\n"
        ),
        ("one", "two"),
    ),
    "a cached property": (
        rule("x + self.by", inside="@functools.cached_property\n    def by(self): return HOLE"),
        (1, 2),
    ),
    "a helper called images": (rule("images(x)", "def images(x): return x + HOLE"), (1, 2)),
    "a helper called instances": (rule("instances(x)", "def instances(x): return x + HOLE"), (1, 2)),
    "a method called images": (rule("self.images(x)", inside="def images(self, x): return x + HOLE"), (1, 2)),
    "a constant called images": (rule("x + images", "images = HOLE"), (1, 2)),
    "the order of its fields": (
        attribute("x + self.given.a", "Pair(10, 20)", "class Pair(NamedTuple):\n    HOLE\n"),
        ("a: int; b: int", "b: int; a: int"),
    ),
    "the order of the fields of a global": (
        rule("x + PAIR.a", "class Pair(NamedTuple):\n    HOLE\nPAIR = Pair(10, 20)"),
        ("a: int; b: int", "b: int; a: int"),
    ),
    "the order of the fields of a class": (
        rule("x + Pair(10, 20).a", "class Pair(NamedTuple):\n    HOLE\n"),
        ("a: int; b: int", "b: int; a: int"),
    ),
    "a default of a named tuple": (rule("x + Pair().a", "class Pair(NamedTuple):\n    a: int = HOLE\n"), (1, 2)),
    "an Enum in an attribute": (
        attribute("x + (1 if self.given == End.A else 2)", "End.HOLE", "class End(Enum):\n    A = 1\n    B = 2\n"),
        ("A", "B"),
    ),
    "the value of an Enum in an attribute": (
        attribute("x + self.given.value", "End.A", "class End(Enum):\n    A = HOLE\n"),
        (1, 2),
    ),
    "the value of an IntEnum": (rule("x + End.A", "class End(IntEnum):\n    A = HOLE\n"), (1, 2)),
    "the names of an Enum": (rule("x + End.A.value", "class End(Enum):\n    HOLE\n"), ("A = 1; B = 2", "B = 1; A = 2")),
    "a property by another name": (
        rule("x + self.by", inside="one = property(lambda self: 1)\n    two = property(lambda self: 2)\n    by = HOLE"),
        ("one", "two"),
    ),
    "a property made a constant": (rule("x + self.by", inside="by = HOLE"), ("property(lambda self: 1)", "5")),
    "a descriptor": (
        rule("x + self.by", "class By:\n    def __get__(self, owner, kind=None): return HOLE\n", "by = By()"),
        (1, 2),
    ),
    "a descriptor that reads an attribute": (
        rule(
            "x + self.by",
            "class By:\n    def __get__(self, owner, kind=None): return owner.source\n",
            "by = By()\n    def __init__(self): self.source = HOLE",
        ),
        (1, 2),
    ),
    "__getattr__": (rule("x + self.by", inside=GETATTR.format("HOLE")), (1, 2)),
    "an attribute that is another game": (
        attribute("self.given.more(x)", "HOLE", INNER + "one, two = Inner(1), Inner(2)"),
        ("one", "two"),
    ),
    "which of two games an attribute is": (
        rule(
            "self.c.more(x)",
            INNER,
            "def __init__(self):\n        self.a, self.b = Inner(1), Inner(2)\n        self.c = self.HOLE",
        ),
        ("a", "b"),
    ),
    "a game in a game in a game": (
        attribute(
            "self.given.more(x)",
            "Outer(Inner(HOLE))",
            INNER + "class Outer(Base):\n    def __init__(self, inner): self.inner = inner\n"
            "    def more(self, x): return self.inner.more(x)\n",
        ),
        (1, 2),
    ),
    "a game that a rule names": (rule("INNER.more(x)", INNER + "INNER = Inner(HOLE)"), (1, 2)),
    "the module of a function": (rule("int(pow(x, 39)) % 1000", "from HOLE import pow"), ("math", "operator")),
    "which function of a library": (rule("int(f(x + 0.5))", "from math import HOLE as f"), ("floor", "ceil")),
    "the fields of a structured array": (attribute("x + self.given[0]['a']", FIELDS), ("ab", "ba")),
    "the fields of a structured array of the module": (rule("x + A[0]['a']", f"A = {FIELDS}"), ("ab", "ba")),
    "the kind of numbers in an array": (
        attribute("x + int(float(self.given[0]) * 10.0**9)", "np.array([0.1], dtype=np.HOLE)"),
        ("float64", "float32"),
    ),
    "the bytes of a view": (attribute("x + self.given[1]", "np.arange(10)[::HOLE]"), (1, 2)),
    "the order of an array": (
        attribute("x + self.given.ravel()[1]", "np.array(np.arange(4).reshape(2, 2).HOLE)"),
        ("T", "copy()"),
    ),
    "one for True": (rule("x + (10 if T[0] is True else 20)", "T = (HOLE,)"), ("True", "1")),
    "a float for an int": (rule("int(x * T / 2 * 2)", "T = HOLE"), ("3", "3.5")),
    "a default value": (rule("f(x)", "def f(x, by=HOLE): return x + by"), (1, 2)),
    "a default value that must be named": (rule("f(x)", "def f(x, *, by=HOLE): return x + by"), (1, 2)),
    "a constant in a lambda": (rule("(lambda y: y + HOLE)(x)"), (1, 2)),
    "a closure": (rule("f(x)", "def make(by):\n    return lambda x: x + by\nf = make(HOLE)"), (1, 2)),
    "a closure in a closure": (
        rule("f(x)", "def make(by):\n    g = lambda x: x + by\n    return lambda x: g(x)\nf = make(HOLE)"),
        (1, 2),
    ),
    "what a name stands for": (
        rule("f(x)", "def one(x): return x + 1\ndef two(x): return x + 2\nf = HOLE"),
        ("one", "two"),
    ),
    "two names exchanged": (
        rule("2 * one(x) + two(x)", "def a(x): return x + 1\ndef b(x): return x + 2\none, two = HOLE"),
        ("a, b", "b, a"),
    ),
    "a name of Python's": (rule("abs(x - 10)", "HOLE"), ("", "def abs(x): return x")),
    "a base class": (
        f"{EDITED}class One(Base):\n    def more(self, x): return x + 1\nclass Two(Base):\n"
        "    def more(self, x): return x + 2\nclass G(HOLE): pass\n",
        ("One", "Two"),
    ),
    "the order of base classes": (
        f"{EDITED}class One:\n    def more(self, x): return x + 1\nclass Two:\n"
        "    def more(self, x): return x + 2\nclass G(HOLE, Base): pass\n",
        ("One, Two", "Two, One"),
    ),
    "a class by name": (
        rule(
            "HOLE.more(self, x)",
            "class One(Base):\n    def more(self, x): return x + 1\n"
            "class Two(Base):\n    def more(self, x): return x + 2",
        ),
        ("One", "Two"),
    ),
    "a method that becomes static": (
        rule("self.f(x)", inside="HOLE").replace("return self.f(x)", "return x + self.f(x)"),
        ("def f(self, x): return x", "f = staticmethod(lambda x: 2 * x)"),
    ),
    "a class method": (
        rule("x + self.f()", inside="BY = HOLE\n    @classmethod\n    def f(cls): return cls.BY"),
        (1, 2),
    ),
    "an attribute over a constant": (
        rule("x + self.BY", inside="BY = 1\n    def __init__(self): HOLE"),
        ("pass", "self.BY = 2"),
    ),
    "an attribute in a slot": (
        rule("x + self.by", inside="__slots__ = ('by',)\n    def __init__(self): self.by = HOLE"),
        (1, 2),
    ),
    "what a decorator adds": (
        rule(
            "f(x)", "def add(g):\n    def wrapped(x): return g(x) + HOLE\n    return wrapped\n@add\ndef f(x): return x"
        ),
        (1, 2),
    ),
    "what a wrapper pretends to be": (
        rule("int(f(x))", "@functools.wraps(math.sqrt)\ndef f(x): return x + HOLE"),
        (1, 2),
    ),
    "a vectorized function": (
        rule("int(f(x))", "import numba\n@numba.vectorize\ndef f(x): return x + HOLE"),
        (1, 2),
    ),
    "a compiled function": (rule("f(x)", "import numba\n@numba.njit\ndef f(x): return x + HOLE"), (1, 2)),
    "a text": (rule("x + (1 if T == 'one' else 2)", "T = 'HOLE'"), ("one", "two")),
    "a tuple of tuples": (rule("x + T[1][0]", "T = ((0, 1), (HOLE, 1))"), (1, 2)),
    "the length of a tuple": (rule("x + len(T)", "T = HOLE"), ("(1, 2)", "(1, 2, 3)")),
    "an optional rule": (
        f"{EDITED}from outplay.rules.game import defines\nclass G(Base):\n    HOLE\n    def more(self, x): return x\n"
        "@kernel\ndef child(game, state):\n    return 1 if defines(game, 'order') else 2\n",
        ("pass", "def order(self, state, action): return 1.0"),
    ),
    "the form of the actions": (
        f"{EDITED}from outplay import legal_actions\nclass G(Base):\n    def actions(self, state): return HOLE\n"
        "@kernel\ndef child(game, state):\n    n = 0\n    for a in legal_actions(game, state): n += a\n    return n\n",
        ("6", "(6,)"),
    ),
    "the form of the actions, by an attribute": (
        f"{EDITED}from outplay import legal_actions\nclass G(Base):\n    def __init__(self): self.listed = HOLE\n"
        "    def actions(self, state): return self.listed\n"
        "@kernel\ndef child(game, state):\n    n = 0\n    for a in legal_actions(game, state): n += a\n    return n\n",
        ("6", "(6,)"),
    ),
    "how random actions are drawn": (RANDOM, ("True", "False")),
    "what a try covers": (
        rule("f(x)", "def f(x):\nHOLE\n"),
        (
            "    y = x + 1\n    try: y = y // (x - 3)\n    except Exception: y = 7\n    return y",
            "    try:\n        y = x + 1\n        y = y // (x - 3)\n    except Exception: y = 8\n    return y",
        ),
    ),
}


def board(method="score", low="", high="", call="State(x, 0).score()", **names):
    """A module whose states are objects of a class with a base: `low` and `high` are members of the two."""
    more = "".join(f"{name} = {value}\n" for name, value in names.items())
    low = low or f"def {method}(self): return self.left + BONUS"
    high = high or f"def {method}(self): return super().{method}()"
    init = "def __init__(self, left, turn): self.left, self.turn = left, turn"
    return rule(call, f"class Board:\n    {init}\n    {low}\nclass State(Board):\n    {high}\nBONUS = HOLE\n{more}")


POINT = "class Point:\n    HOLE\n    def __init__(self, a, b): self.a, self.b = a, b\n"
CAUGHT = "def f(x):\n    try:\n        if x > 0: raise Bad('no')\n        return x\n"
CAUGHT += "    except IndexError: return 5\n    except KeyError: return 7\n"
REGISTERED = "from abc import ABC\nclass One(ABC): pass\nclass Two: pass\nclass Other: pass\nOne.register(HOLE)\n"
OF_CLASSES = {
    "a global in a method that super() finds": board(),
    "a method that super() finds": board(low="def score(self): return self.left + HOLE"),
    "a constructor that super() finds": board(
        low="more = 0\n    def __init__(self, left, turn): self.left, self.turn, self.more = left, turn, BONUS",
        high="def __init__(self, left, turn): super().__init__(left, turn)",
        call="State(x, 0).more",
    ),
    "an operator that super() finds": board("__neg__", call="(-State(x, 0))"),
    "a static method that super() finds": board(
        low="@staticmethod\n    def f(x): return x + BONUS",
        high="@staticmethod\n    def f(x): return x\n    def score(self): return super().f(self.left)",
    ),
    "a method of a base that is named": board(high="def score(self): return Board.score(self)"),
    "a constant of a base": board(low="BY = HOLE", high="def score(self): return self.left + self.BY"),
    "what __init_subclass__ sets": board(
        low="def __init_subclass__(cls): cls.BY = HOLE", high="def score(self): return self.left + self.BY"
    ),
    "a property of a base": board(
        low="@property\n    def score(self): return self.left + BONUS", high="pass", call="State(x, 0).score"
    ),
    "what __post_init__ of a base reads": rule(
        "State(x, 0).more",
        "import dataclasses\n@dataclasses.dataclass\nclass Board:\n    left: int\n    turn: int\n    more: int = 0\n"
        "    def __post_init__(self): self.more = BONUS\n@dataclasses.dataclass\nclass State(Board):\n"
        "    def __post_init__(self): super().__post_init__()\nBONUS = HOLE\n",
    ),
    "what super() finds for a game": rule(
        "super().f(x)", "class Low(Base):\n    def f(self, x): return x + BONUS\nBONUS = HOLE\n"
    ).replace("class G(Base)", "class G(Low)"),
    "what a descriptor of a class reads": rule(
        "x + H.by",
        "class D:\n    def __get__(self, o, kind=None): return BONUS\nclass H:\n    by = D()\nBONUS = HOLE\n",
    ),
    "what a metaclass computes": rule(
        "x + H.by", "class M(type):\n    by = property(lambda cls: BONUS)\nclass H(metaclass=M): pass\nBONUS = HOLE\n"
    ),
    "a base of an enumeration": rule(
        "End.A.f(x)",
        "class Low:\n    def f(self, x): return x + BONUS\nclass End(Low, Enum):\n    A = 1\nBONUS = HOLE\n",
    ),
}
"""What compiled code reaches only through the bases of a class. The edit is of a number."""
ACROSS |= {name: (text, (1, 2)) for name, text in OF_CLASSES.items()}
ACROSS |= {
    "the base of an error": (rule("f(x)", "class Bad(HOLE): pass\n" + CAUGHT), ("IndexError", "KeyError")),
    "the base of a base of an error": (
        rule("f(x)", "class Worse(HOLE): pass\nclass Bad(Worse): pass\n" + CAUGHT),
        ("IndexError", "KeyError"),
    ),
    "the errors of a tuple": (
        rule("f(x)", "class Bad(HOLE): pass\n" + CAUGHT.replace("except IndexError", "except (OSError, IndexError)")),
        ("IndexError", "KeyError"),
    ),
    "the base of a class that isinstance asks for": (
        rule(
            "(1 if isinstance(Special(x), One) else 2)",
            "class One:\n    def __init__(self, x): self.x = x\nclass Two(One): pass\nclass Other:\n"
            "    def __init__(self, x): self.x = x\nclass Special(HOLE): pass\n",
        ),
        ("Two", "Other"),
    ),
    "a class that is registered": (rule("(1 if isinstance(Two(), One) else 2)", REGISTERED), ("Two", "Other")),
    "an operator of a named tuple": (
        rule("(1 if Pair(x, 1) < Pair(9, 9) else 2)", "class Pair(NamedTuple):\n    a: int\n    b: int\n    HOLE\n"),
        ("pass", "def __lt__(self, other): return False"),
    ),
    "how a named tuple is made": (
        rule(
            "P(x, 2).a",
            "from collections import namedtuple\nclass P(namedtuple('P', 'a b')):\n"
            "    def __new__(cls, a, b): return super().__new__(cls, a * HOLE, b)\n",
        ),
        (10, 20),
    ),
    "an operator of an enumeration": (
        rule("(1 if End.A == End.B else 2)", "class End(Enum):\n    A = 1\n    B = 2\n    HOLE\n"),
        ("pass", "def __eq__(self, other): return True"),
    ),
    "the order of what a pattern matches": (
        rule(
            "f(x)",
            f"{POINT}def f(x):\n    match Point(x, 9):\n        case Point(a, b): return a * 10 + b\n    return 0\n",
        ),
        ("__match_args__ = ('a', 'b')", "__match_args__ = ('b', 'a')"),
    ),
    "a method of a class between": (
        board(low="def score(self): return self.left + 1", high="HOLE", call="Low(x, 0).score()").replace(
            "BONUS = HOLE", "class Low(State):\n    def score(self): return super().score()\n"
        ),
        ("pass", "def score(self): return self.left + 2"),
    ),
}


@pytest.mark.sample(4)
@pytest.mark.filterwarnings("ignore::outplay.compile.native.RunsInterpretedWarning")
@pytest.mark.parametrize(("text", "edits"), rows(ACROSS))
def test_an_edited_program_answers_anew(text, edits, fresh, tmp_path, monkeypatch):
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "cache"))
    answers = []
    for edit in (*edits, edits[0]):
        module = fresh(g=text.replace("HOLE", str(edit)))
        game, state = module.G(), module.State(3, 0)
        truth = module.child.interpreted(game, state)
        assert module.child(game, state) == truth
        answers.append(truth)
    assert answers[0] == answers[2] != answers[1]  # else the edit changes nothing


WITHIN = {
    "the code of a function": (rule("f(x)", "def f(x): return x + 1"), "f.__code__ = (lambda x: x + 2).__code__"),
    "the code of a method": (rule("x + 1"), "G.more.__code__ = (lambda self, x: x + 2).__code__"),
    "the code of a kernel's function": (
        rule("x") + "@kernel\ndef child(game, state): return f(state.left)\ndef f(x): return x",
        "f.__code__ = (lambda x: x + 2).__code__",
    ),
    "default values": (rule("f(x)", "def f(x, by=1): return x + by"), "f.__defaults__ = (2,)"),
    "default values that must be named": (
        rule("f(x)", "def f(x, *, by=1): return x + by"),
        "f.__kwdefaults__['by'] = 2",
    ),
    "a cell": (
        rule(
            "f(x)",
            "def make():\n    by = 1\n    def f(x): return x + by\n"
            "    def change():\n        nonlocal by\n        by = 2\n"
            "    return f, change\nf, change = make()",
        ),
        "change()",
    ),
    "a slot": (
        rule("x + self.by", inside="__slots__ = ('by',)\n    def __init__(self): self.by = 1"),
        "game.by = 2",
    ),
    "a name over one of Python's": (rule("abs(x - 10)"), "abs = lambda x: x"),
    "a name of Python's again": (rule("abs(x - 10)", "abs = lambda x: x"), "del abs"),
    "an array of the game": (attribute("x + self.given[0]", "np.array([1, 2])"), "game.given[0] = 2"),
    "an array in a tuple": (attribute("x + self.given[1][0]", "(0, np.array([1, 2]))"), "game.given[1][0] = 2"),
    "an array of the module": (rule("x + A[0]", "A = np.array([1, 2])"), "A[0] = 2"),
    "an array under a read-only view": (
        attribute("x + self.given[0]", "B[:]", "B = np.array([1, 2])"),
        "B[0] = 2",
    ),
    "an array of a function": (
        rule("f(x)", "def f(x, a=np.array([1, 2])): return x + a[0]"),
        "f.__defaults__[0][0] = 2",
    ),
    "an attribute": (attribute("x + self.given", "1"), "game.given = 2"),
    "a new attribute over a constant": (rule("x + self.BY", inside="BY = 1"), "game.BY = 2"),
    "an attribute over a method": (
        rule("x + self.f", inside="@property\n    def g(self): return 1\n    f = 1"),
        "game.f = 2",
    ),
    "an attribute removed": (
        rule("x + self.BY", inside="BY = 1\n    def __init__(self): self.BY = 2"),
        "del game.BY",
    ),
    "a class constant": (rule("x + self.BY", inside="BY = 1"), "G.BY = 2"),
    "a method": (rule("x + 1"), "G.more = lambda self, x: x + 2"),
    "a method of a base class": (
        rule("self.f(x)") + "Base.f = lambda self, x: x + 1",
        "Base.f = lambda self, x: x + 2",
    ),
    "a method over that of a base class": (
        rule("self.f(x)") + "Base.f = lambda self, x: x + 1",
        "G.f = lambda self, x: x + 2",
    ),
    "a base class": (
        rule(
            "self.f(x)",
            "class A(Base):\n    def f(self, x): return x + 1\nclass B(Base):\n    def f(self, x): return x + 2",
        ).replace("class G(Base)", "class G(A)"),
        "G.__bases__ = (B,)",
    ),
    "the class of the game": (
        rule("x + 1") + "class H(G):\n    def more(self, x): return x + 2\n",
        "game.__class__ = H",
    ),
    "a game in the game": (attribute("self.given.more(x)", "Inner(1)", INNER), "game.given.by = 2"),
    "what a descriptor reads": (
        rule("x + self.by", "by = 1\nclass By:\n    def __get__(self, owner, kind=None): return by\n", "by = By()"),
        "by = 2",
    ),
    "what __getattr__ reads": (rule("x + self.by", "by = 1", GETATTR.format("by")), "by = 2"),
    "a cached property": (
        rule("x + self.by", inside="@functools.cached_property\n    def by(self): return 1"),
        "game.by = 2",
    ),
    "a property": (rule("x + self.by", inside="by = property(lambda self: 1)"), "G.by = property(lambda self: 2)"),
    "an optional rule": (
        f"{EDITED}from outplay.rules.game import defines\nclass G(Base):\n    def more(self, x): return x\n"
        "@kernel\ndef child(game, state):\n    return 1 if defines(game, 'order') else 2\n",
        "G.order = lambda self, state, action: 1.0",
    ),
    "how random actions are drawn": (RANDOM.replace("HOLE", "True"), "G.by_trial = False"),
    "how random actions are drawn, by a base class": (RANDOM.replace("HOLE", "True"), "Base.by_trial = False"),
    "the form of the actions": (
        f"{EDITED}from outplay import legal_actions\nclass G(Base):\n    listed = 6\n"
        "    def actions(self, state): return self.listed\n"
        "@kernel\ndef child(game, state):\n    n = 0\n    for a in legal_actions(game, state): n += a\n    return n\n",
        "game.listed = (6,)",
    ),
}
WITHIN |= {
    name: (text.replace("HOLE", "1"), "BONUS = 2") for name, text in OF_CLASSES.items() if "BONUS = HOLE" in text
}
for name in ("a method that super() finds", "a constant of a base", "what __init_subclass__ sets"):
    del WITHIN[name]  # nothing reads BONUS
WITHIN |= {
    "a method that super() finds": (board().replace("HOLE", "1"), "Board.score = lambda self: self.left + 2"),
    "a method under one that super() finds": (
        board().replace("HOLE", "1") + "class Low(State):\n    def score(self): return super().score()\nState = Low\n",
        "Low.__bases__[0].score = lambda self: self.left + 2",
    ),
    "a constant of a base": (
        board(low="BY = 1", high="def score(self): return self.left + self.BY").replace("HOLE", "1"),
        "Board.BY = 2",
    ),
    "a constant over that of a base": (
        board(low="BY = 1", high="def score(self): return self.left + self.BY").replace("HOLE", "1"),
        "State.BY = 2",
    ),
    "a class that is registered": (
        rule("(1 if isinstance(Two(), One) else 2)", REGISTERED.replace("HOLE", "Other")),
        "One.register(Two)",
    ),
    "the base of an error": (
        rule("f(x)", "class Bad(IndexError): pass\n" + CAUGHT),
        "Bad.__bases__ = (KeyError,)",
    ),
    "an operator of an enumeration": (
        rule("(1 if End.A == End.B else 2)", "class End(Enum):\n    A = 1\n    B = 2\n"),
        "End.__eq__ = lambda self, other: True",
    ),
    "a method of an enumeration": (
        rule("End.A.f(x)", "class End(Enum):\n    A = 1\n    def f(self, x): return x + 1\n"),
        "End.f = lambda self, x: x + 2",
    ),
    "an operator of a named tuple": (
        rule("(1 if Pair(x, 1) < Pair(9, 9) else 2)", "class Pair(NamedTuple):\n    a: int\n    b: int\n"),
        "Pair.__lt__ = lambda self, other: False",
    ),
}


@pytest.mark.sample(2)
@pytest.mark.filterwarnings("ignore::outplay.compile.native.RunsInterpretedWarning")
@pytest.mark.parametrize(("text", "change"), rows(WITHIN))
def test_a_change_in_the_process_counts_at_once(text, change, fresh):
    module = fresh(g=text)
    state = module.State(3, 0)
    module.game, other = module.G(), module.G()
    before = module.child(module.game, state)
    assert before == module.child.interpreted(module.game, state) == module.child(other, state)
    exec(change, vars(module))
    module.child.fingerprint()  # what is interpreted is made anew where it has changed
    truth = module.child.interpreted(module.game, state)
    assert module.child(module.game, state) == truth != before
    for game in (other, module.G(), copy.copy(module.game)):
        assert module.child(game, state) == module.child.interpreted(game, state)


@pytest.mark.parametrize("asked", [0, 1], ids=["the one that is named", "the other one"])
def test_a_game_that_a_function_names_is_told_from_others_of_its_class(asked, fresh):
    """All games of a class share what its functions reach; but the game that one of these names may change alone."""
    text = attribute("named(x) + self.given", "1", "def named(x): return x + NAMED.given") + "NAMED = G()\n"
    module = fresh(g=text)
    state = module.State(3, 0)
    games = [module.NAMED, module.G()]
    ask = [*games[asked:], *games[:asked], module.G()]
    for given in (1, 2, 1, 3):
        module.NAMED.given = given
        assert [module.child(game, state) for game in ask] == [module.child.interpreted(game, state) for game in ask]


ENDINGS = """
from enum import Enum
class Ending(Enum):
    NORMAL = 1
    MISERE = -1
"""


def test_games_that_differ_in_an_enum_alone_do_not_share_code(fresh):
    text = attribute("x + self.given.value", "ending", ENDINGS).replace(
        "def __init__(self)", "def __init__(self, ending)"
    )
    module = fresh(g=text)
    state = module.State(3, 0)
    answers = [module.child(module.G(module.Ending[name]), state) for name in ("NORMAL", "MISERE", "NORMAL")]
    assert answers == [4, 2, 4]


PILE = """
from outplay import Game
class Pile(Game):
    utilities = (-1, 1)
    def initial_state(self): return (5, 0)
    def to_move(self, state): return state[1]
    def actions(self, state): return range(1, min(3, state[0]) + 1)
    def result(self, state, taken): return (state[0] - taken, 1 - state[1])
    def is_terminal(self, state): return state[0] == 0
    def normal(self, state, player): return -1 if state[1] == player else 1
    def misere(self, state, player): return 1 if state[1] == player else -1
    utility = normal
"""


@pytest.mark.nightly
@pytest.mark.parametrize("compiled", [None, False], ids=["compiled", "interpreted"])
def test_a_table_of_other_rules_is_not_asked(compiled, fresh):
    module = fresh(g=PILE)
    module.Pile.compiled = compiled
    searcher = AlphaBeta(module.Pile(), reuse_table=True)
    assert searcher.search().verdict == "win in 3"
    module.Pile.utility = module.Pile.misere
    assert searcher.search().verdict == AlphaBeta(module.Pile()).search().verdict == "loss in 3"


@pytest.mark.nightly
@pytest.mark.parametrize("compiled", [None, False], ids=["compiled", "interpreted"])
def test_a_table_is_not_asked_when_an_attribute_hides_a_constant(compiled, fresh):
    module = fresh(
        g=PILE.replace(
            "utility = normal", "sign = 1\n    def utility(self, s, p): return self.sign * self.normal(s, p)"
        )
    )
    module.Pile.compiled = compiled
    game = module.Pile()
    searcher = AlphaBeta(game, reuse_table=True)
    assert searcher.search().verdict == "win in 3"
    game.sign = -1
    assert searcher.search().verdict == "loss in 3"


SPECIAL = """
from outplay import Game
SIGN = 1
class Board:
    def __init__(self, left, turn): self.left, self.turn = left, turn
    def score(self, player): return SIGN * (-1 if self.turn == player else 1)
class Special(Board):
    def score(self, player): return super().score(player)
class Pile(Game):
    utilities = (-1, 1)
    def initial_state(self): return Special(5, 0)
    def to_move(self, state): return state.turn
    def actions(self, state): return range(1, min(3, state.left) + 1)
    def result(self, state, taken): return Special(state.left - taken, 1 - state.turn)
    def is_terminal(self, state): return state.left == 0
    def utility(self, state, player): return state.score(player)
"""


@pytest.mark.nightly
@pytest.mark.parametrize("compiled", [None, False], ids=["compiled", "interpreted"])
def test_a_table_is_not_asked_when_what_super_finds_changes(compiled, fresh, tmp_path, monkeypatch):
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "cache"))
    module = fresh(g=SPECIAL)
    module.Pile.compiled = compiled
    game = module.Pile()
    searcher = AlphaBeta(game, reuse_table=True)
    assert searcher.search().verdict == "win in 3"
    module.SIGN = -1
    assert searcher.search().verdict == "loss in 3"
    assert AlphaBeta(game).search().verdict == AlphaBeta(module.Pile()).search().verdict == "loss in 3"
    again = fresh(g=SPECIAL.replace("SIGN = 1", "SIGN = -1"))
    again.Pile.compiled = compiled
    assert AlphaBeta(again.Pile()).search().verdict == "loss in 3"


@pytest.mark.nightly
def test_misere_is_not_normal(fresh, tmp_path, monkeypatch):
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "cache"))
    for which, verdict in (("normal", "win in 3"), ("misere", "loss in 3"), ("normal", "win in 3")):
        module = fresh(g=PILE.replace("utility = normal", f"utility = {which}"))
        assert AlphaBeta(module.Pile()).search().verdict == verdict


EXTENSION = """
import numba
from numba.extending import overload
def f(x): return x + HOLE
@overload(f)
def _(x): return lambda x: x + HOLE
"""


def test_what_an_extension_of_numba_compiles_is_not_kept_and_says_so(fresh, tmp_path, monkeypatch):
    from outplay.compile.native import disk, rules

    used = []
    monkeypatch.setattr(rules, "extensions_used", used)
    monkeypatch.setattr(disk, "extensions_used", used)
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "cache"))
    for number in (1, 2):
        disk._warnings.clear()
        module = fresh(g=rule("f(x)", EXTENSION).replace("HOLE", str(number)))
        with pytest.warns(NotKeptWarning, match="is not kept on disk"):
            answer = module.child(module.G(), module.State(3, 0))
        assert answer == 3 + number
    assert kept_code() == []


def test_what_is_not_read_does_not_count(fresh, tmp_path, monkeypatch):
    """An attribute whose content cannot be read, or that changes in each run, costs nothing if no rule reads it."""
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "cache"))
    text = rule("x + 1", "class Log: pass", "def __init__(self): self.log, self.run = Log(), HOLE")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in (1, 2):
            module = fresh(g=text.replace("HOLE", str(number)))
            assert module.child(module.G(), module.State(3, 0)) == 4
    assert len(kept_code()) == 1
