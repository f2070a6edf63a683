"""A generator of edits: random games, edited at random, between runs and inside a process.

A game has a few features, each a piece of program that takes one of several forms and changes what the rule `more`
gives. An edit changes the form of one feature. After each, compiled rules, from a cache on disk that has seen all edits
before, must give what the interpreted rules give.
"""

import random
import sys
import types
import warnings
from dataclasses import dataclass

import pytest

from outplay.compile.native import RunsInterpretedWarning
from torture import SCALE, SEED

HEAD = """
from typing import NamedTuple
from enum import Enum, IntEnum
import functools, math, operator
import numpy as np
import outplay
from outplay import Game, kernel

class Base(Game):
    def initial_state(self): return (3, 0)
    def to_move(self, state): return state[1]
    def actions(self, state): return (1, 2)
    def result(self, state, action): return (self.more(state[0]) + action, 1 - state[1])
    def is_terminal(self, state): return state[0] <= 0
    def utility(self, state, player): return 1.0
"""
TAIL = """
@kernel
def child(game, state):
    return game.result(state, 1)[0] + SHIFT
SHIFT = 0
"""


@dataclass
class Feature:
    """What stands before the class, in it and in its constructor; the value that is added; the forms of `HOLE`.

    `live` changes a feature inside a process.
    """

    value: str
    forms: tuple
    before: str = ""
    inside: str = ""
    start: str = ""
    live: str = ""


NUMBERS = (1, 2, 3)
FEATURES = [
    Feature("HOLE", NUMBERS),
    Feature("A0", NUMBERS, before="A0 = HOLE", live="A0 = HOLE"),
    Feature("f1(x)", NUMBERS, before="def f1(x): return x * HOLE", live="def f1(x): return x * HOLE"),
    Feature("f2(x)", NUMBERS, before="def f2(x, by=HOLE): return x * by", live="f2.__defaults__ = (HOLE,)"),
    Feature("f3(x)", NUMBERS, before="def f3(x, *, by=HOLE): return x * by", live="f3.__kwdefaults__ = {'by': HOLE}"),
    Feature("f4(x)", NUMBERS, before="def f4(x): return x * HOLE", live="f4.__code__ = (lambda x: x * HOLE).__code__"),
    Feature(
        "f5(x)",
        NUMBERS,
        before="def make5(by):\n    def f(x): return x + by\n    def change(y):\n        nonlocal by\n        by = y\n"
        "    return f, change\nf5, change5 = make5(HOLE)",
        live="change5(HOLE)",
    ),
    Feature(
        "f6(x)", ("one6", "two6"), before="def one6(x): return 5\ndef two6(x): return 6\nf6 = HOLE", live="f6 = HOLE"
    ),
    Feature("images(x)", NUMBERS, before="def images(x): return x + HOLE", live="def images(x): return x + HOLE"),
    Feature("instances", NUMBERS, before="instances = HOLE", live="instances = HOLE"),
    Feature("self.rendered", NUMBERS, inside="rendered = HOLE", live="G.rendered = HOLE"),
    Feature("self.k1", NUMBERS, inside="k1 = HOLE", live="G.k1 = HOLE"),
    Feature("self.a1", NUMBERS, start="self.a1 = HOLE", live="game.a1 = HOLE"),
    Feature("self.a2[0]", NUMBERS, start="self.a2 = np.array([HOLE, 0])", live="game.a2[0] = HOLE"),
    Feature("self.a3[1][0]", NUMBERS, start="self.a3 = (0, (HOLE, 1))", live="game.a3 = (0, (HOLE, 1))"),
    Feature("len(self.a4)", ("(1, 2)", "(1, 2, 3)", "(1, 2, 3, 4)"), start="self.a4 = HOLE", live="game.a4 = HOLE"),
    Feature("A5[0]", NUMBERS, before="A5 = np.array([HOLE])", live="A5[0] = HOLE"),
    Feature(
        "self.a6.value",
        ("A", "B", "C"),
        before="class E6(Enum):\n    A = 1\n    B = 2\n    C = 3",
        start="self.a6 = E6.HOLE",
        live="game.a6 = E6.HOLE",
    ),
    Feature("E7.A.value", ("A = 1; B = 2", "B = 1; A = 2"), before="class E7(Enum):\n    HOLE"),
    Feature("E8.A", NUMBERS, before="class E8(IntEnum):\n    A = HOLE"),
    Feature(
        "self.a9.a",
        ("a: int; b: int", "b: int; a: int"),
        before="class P9(NamedTuple):\n    HOLE",
        start="self.a9 = P9(1, 2)",
    ),
    Feature("P10(1, 2).a", ("a: int; b: int", "b: int; a: int"), before="class P10(NamedTuple):\n    HOLE"),
    Feature("A11[0]['a']", ("ab", "ba"), before="A11 = np.array([(1, 2)], dtype=[(n, 'i8') for n in 'HOLE'])"),
    Feature("self.p1", NUMBERS, inside="p1 = property(lambda self: HOLE)", live="G.p1 = property(lambda self: HOLE)"),
    Feature(
        "self.p2",
        ("one2", "two2"),
        inside="one2 = property(lambda self: 5)\n    two2 = property(lambda self: 6)\n    p2 = HOLE",
        live="G.p2 = G.__dict__['HOLE']",
    ),
    Feature(
        "self.p3", NUMBERS, inside="@functools.cached_property\n    def p3(self): return HOLE", live="game.p3 = HOLE"
    ),
    Feature(
        "self.d1",
        NUMBERS,
        before="K1 = HOLE\nclass D1:\n    def __get__(self, owner, kind=None): return K1",
        inside="d1 = D1()",
        live="K1 = HOLE",
    ),
    Feature("self.m1(x)", NUMBERS, inside="def m1(self, x): return x * HOLE", live="G.m1 = lambda self, x: x * HOLE"),
    Feature("self.m2(x)", NUMBERS, inside="m2 = staticmethod(lambda x: x * HOLE)"),
    Feature(
        "self.m3()", NUMBERS, inside="k3 = HOLE\n    @classmethod\n    def m3(cls): return cls.k3", live="G.k3 = HOLE"
    ),
    Feature(
        "self.m4(x)",
        ("one4", "two4"),
        inside="def one4(self, x): return x + 5\n    def two4(self, x): return x + 6\n    m4 = HOLE",
        live="G.m4 = G.HOLE",
    ),
    Feature("self.g1.more(x)", NUMBERS, before="INNER", start="self.g1 = Inner(HOLE)", live="game.g1 = Inner(HOLE)"),
    Feature("self.g2.more(x)", NUMBERS, before="INNER", start="self.g2 = Inner(HOLE)", live="game.g2.by = HOLE"),
    Feature(
        "self.g3.more(x)",
        ("u", "v"),
        before="INNER",
        start="self.u, self.v = Inner(5), Inner(6)\n        self.g3 = self.HOLE",
        live="game.g3 = game.HOLE",
    ),
    Feature("G4.more(x)", NUMBERS, before="INNER\nG4 = Inner(HOLE)", live="G4.by = HOLE"),
    Feature("int(w1(x))", NUMBERS, before="@functools.wraps(math.sqrt)\ndef w1(x): return x * HOLE"),
    Feature("int(pow(x, 39) % 1000)", ("math", "operator"), before="from HOLE import pow"),
    Feature("int(f20(x + 0.5))", ("floor", "ceil"), before="from math import HOLE as f20"),
    Feature("Mix.m5(self, x)", NUMBERS, before="class Mix(Base):\n    def m5(self, x): return x * HOLE"),
    Feature("abs(x - 9)", ("", "def abs(x): return x", "def abs(x): return 2 * x"), before="HOLE"),
    Feature(
        "f21(x)",
        ("y + 1", "y - 1", "y * y"),
        before="def f21(x):\n    y = x\n    try: y = HOLE\n    except Exception: y = 3\n    return y",
    ),
    Feature("(2 if T22 == 'a' else 3)", ("a", "b"), before="T22 = 'HOLE'", live="T22 = 'HOLE'"),
    Feature("sum([i for i in range(N23)])", NUMBERS, before="N23 = HOLE", live="N23 = HOLE"),
    Feature("(lambda y: y * HOLE)(x)", NUMBERS),
    Feature("near.f(x)", NUMBERS, before="near = outplay_near\nnear.K = HOLE", live="near.K = HOLE"),
    Feature("int(v24(x))", NUMBERS, before="import numba\n@numba.njit\ndef v24(x): return x * HOLE"),
    *(
        Feature(
            f"High{i}(x).score()",
            NUMBERS,
            before=f"class Low{i}:\n    def __init__(self, x): self.x = x\n    def score(self): return self.x * BY{i}\n"
            f"class Middle{i}(Low{i}): pass\nclass High{i}(Middle{i}):\n    {high}\nBY{i} = HOLE",
            live=live.format(i=i),
        )
        for i, (high, live) in enumerate(
            [
                ("def score(self): return super().score()", "BY{i} = HOLE"),
                ("def score(self): return super().score()", "Low{i}.score = lambda self: self.x * HOLE"),
                ("def score(self): return super().score()", "Middle{i}.score = lambda self: self.x * HOLE"),
                ("def score(self): return Low3.score(self)", "BY{i} = HOLE"),
                ("pass", "High{i}.score = lambda self: self.x * HOLE"),
                ("def __init__(self, x): super().__init__(x)", "BY{i} = HOLE"),
            ]
        )
    ),
    Feature(
        "High30(x).more",
        NUMBERS,
        before="class Low30:\n    def __init__(self, x): self.x, self.more = x, x * BY30\n"
        "class High30(Low30):\n    def __init__(self, x): super().__init__(x)\nBY30 = HOLE",
        live="BY30 = HOLE",
    ),
    Feature(
        "Mixed31(x).score()",
        ("One31, Two31", "Two31, One31", "Two31"),
        before="class Root31:\n    def __init__(self, x): self.x = x\n    def score(self): return self.x\n"
        "class One31(Root31):\n    def score(self): return super().score() * 2\n"
        "class Two31(Root31):\n    def score(self): return super().score() + 3\n"
        "class Mixed31(HOLE):\n    def score(self): return super().score() + 1",
    ),
    Feature(
        "(-High32(x))",
        NUMBERS,
        before="class Low32:\n    def __init__(self, x): self.x = x\n    def __neg__(self): return self.x * BY32\n"
        "class High32(Low32):\n    def __neg__(self): return super().__neg__()\nBY32 = HOLE",
        live="BY32 = HOLE",
    ),
    Feature(
        "High33(x).score",
        NUMBERS,
        before="class Low33:\n    def __init__(self, x): self.x = x\n    @property\n"
        "    def score(self): return self.x * BY33\nclass High33(Low33): pass\nBY33 = HOLE",
        live="BY33 = HOLE",
    ),
    Feature(
        "High34(x).BY",
        NUMBERS,
        before="class Low34:\n    def __init_subclass__(cls): cls.BY = HOLE\n    def __init__(self, x): self.x = x\n"
        "class High34(Low34): pass",
        live="High34.BY = HOLE",
    ),
    Feature(
        "H35.by",
        NUMBERS,
        before="class D35:\n    def __get__(self, owner, kind=None): return BY35\n"
        "class H35:\n    by = D35()\nBY35 = HOLE",
        live="BY35 = HOLE",
    ),
    Feature(
        "H36.by",
        NUMBERS,
        before="class M36(type):\n    by = property(lambda cls: BY36)\nclass H36(metaclass=M36): pass\nBY36 = HOLE",
        live="BY36 = HOLE",
    ),
    Feature(
        "f37(x)",
        ("IndexError", "KeyError"),
        before="class Worse37(HOLE): pass\nclass Bad37(Worse37): pass\ndef f37(x):\n    try:\n"
        "        if x > 0: raise Bad37('no')\n        return x\n    except IndexError: return 5\n"
        "    except (OSError, KeyError): return 7",
        live="Worse37.__bases__ = (HOLE,)",
    ),
    Feature(
        "(1 if isinstance(Special38(x), One38) else 2)",
        ("Two38", "Other38"),
        before="class One38:\n    def __init__(self, x): self.x = x\nclass Two38(One38): pass\nclass Other38:\n"
        "    def __init__(self, x): self.x = x\nclass Special38(HOLE): pass",
        live="Special38.__bases__ = (HOLE,)",
    ),
    Feature(
        "E39.A.f(x)",
        NUMBERS,
        before="class Low39:\n    def f(self, x): return x * BY39\nclass E39(Low39, Enum): A = 1\nBY39 = HOLE",
        live="BY39 = HOLE",
    ),
    Feature(
        "P40(x, 2).f()",
        NUMBERS,
        before="class P40(NamedTuple):\n    a: int\n    b: int\n    def f(self): return self.a * BY40\nBY40 = HOLE",
        live="BY40 = HOLE",
    ),
    Feature(
        "self.m41(x)",
        NUMBERS,
        inside="def f41(self, by, x): return x * by\n    m41 = functools.partialmethod(f41, HOLE)",
    ),
    Feature(
        "super().m42(x)",
        NUMBERS,
        before="class Mix42:\n    def m42(self, x): return x * BY42\nBase.m42 = Mix42.m42\nBY42 = HOLE",
        live="BY42 = HOLE",
    ),
    Feature(
        "H43.f(x)",
        NUMBERS,
        before="class Low43:\n    BY = HOLE\n    @classmethod\n    def f(cls, x): return x * cls.BY\n"
        "class H43(Low43): pass",
        live="Low43.BY = HOLE",
    ),
]
INNER = "class Inner(Base):\n    def __init__(self, by): self.by = by\n    def more(self, x): return x + self.by"


def near():
    """A module of the user's, with a constant that is set by the program."""
    module = types.ModuleType("outplay_near")
    exec("K = 0\ndef f(x): return x + K", vars(module))
    return module


class Program:
    """A game with a few features, each in one of its forms."""

    def __init__(self, dice):
        self.features = dice.sample(FEATURES, dice.randint(1, 4))
        self.forms = [dice.choice(feature.forms) for feature in self.features]

    def text(self):
        def filled(part):
            return [
                getattr(f, part).replace("HOLE", str(form)) for f, form in zip(self.features, self.forms, strict=True)
            ]

        before = "\n".join(filled("before"))
        if "INNER" in before:
            before = INNER + "\n" + before.replace("INNER", "")
        start = "\n        ".join(["pass", *filter(None, filled("start"))])
        inside = "\n    ".join(filter(None, filled("inside"))) or "pass"
        value = " + ".join(f"{7**i} * ({each})" for i, each in enumerate(filled("value")))
        game = f"class G(Base):\n    {inside}\n    def __init__(self):\n        {start}\n"
        return f"{HEAD}{before}\n{game}    def more(self, x): return {value}\n{TAIL}"

    def run(self):
        """A new module of this text."""
        module = types.ModuleType("edited")
        sys.modules["edited"] = module
        module.outplay_near = near()
        exec(compile(self.text(), "<edited>", "exec"), vars(module))
        module.game, module.twin = module.G(), module.G()
        return module

    def edit(self, dice):
        """Give one feature another form; the statement that does it inside a process, if there is one."""
        at = dice.randrange(len(self.features))
        feature = self.features[at]
        self.forms[at] = dice.choice([form for form in feature.forms if form != self.forms[at]])
        return feature.live.replace("HOLE", str(self.forms[at]))


def check(module, why):
    """Compiled rules give what interpreted rules give, of the game that is edited and of others of its class."""
    module.child.fingerprint()
    for game in (module.game, module.twin, module.G()):
        truth = module.child.interpreted(game, (3, 0))
        assert module.child(game, (3, 0)) == truth, why
    return module.child.interpreted(module.game, (3, 0))


def edits(number, seed):
    """So many edits, each compared; how many changed the answer."""
    dice = random.Random(seed)
    done = changed = 0
    while done < number:
        program = Program(dice)
        module = program.run()
        before = check(module, f"seed {seed}, edit {done}\n{program.text()}")
        for _ in range(6):
            statement = program.edit(dice)
            if statement and dice.random() < 0.5:
                exec(statement, vars(module))
            else:
                statement = ""
                module = program.run()
            after = check(module, f"seed {seed}, edit {done}, {statement or 'a new run'}\n{program.text()}")
            changed += after != before
            before = after
            done += 1
    return changed / done


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunsInterpretedWarning)
        yield
    sys.modules.pop("edited", None)


@pytest.mark.sample(8)
@pytest.mark.filterwarnings("ignore::outplay.compile.native.RunsInterpretedWarning")
@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.value)
def test_each_feature_compiles_and_its_forms_differ(feature):
    """Else the generator would try less than it seems to."""
    program = Program(random.Random(0))
    program.features = [feature]
    answers = []
    for form in (*feature.forms, feature.forms[0]):
        program.forms = [form]
        answers.append(check(program.run(), program.text()))
    assert len(set(answers)) == len(feature.forms)
    assert answers[0] == answers[-1]


@pytest.mark.nightly
def test_a_few_edits():
    assert edits(30, SEED) > 0.9


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(10))
def test_ten_thousand_edits(part):
    assert edits(max(30, int(1000 * SCALE)), 1000 * SEED + part + 1) > 0.9
