"""Whatever the answer of compiled code depends on is part of its fingerprint: an edit is never answered from yesterday.

Each case is a game with a HOLE in it or in what it reaches. With 1 in the hole the answer is 4, and with 2 it is 5.
"""

import argparse
import copyreg
import dataclasses
import dis
import importlib
import inspect
import pkgutil
import sys
import types
from threading import Thread

import numpy as np
import pytest
from shared import EDITED, kept_code

from outplay.compile.fingerprint import Fingerprint, fingerprint_of_game
from outplay.compile.kernels import kernel
from outplay.compile.references import globals_in, names_in, references
from outplay.compile.watch import look_again, one_look
from outplay.games import BUILT_IN, ConnectFour, Kalah, Nim, TicTacToe
from outplay.session.load import load_game

pytestmark = pytest.mark.compiled


def game(left, before="", inside="", **modules):
    """A module whose game `G` makes states with so many left; what stands before it, in it, and in other modules."""
    rule = f"    def result(self, state, action): return State({left}, 1)\n"
    return {"g": f"{EDITED}{before}\nclass G(Base):\n    {inside or 'pass'}\n{rule}", **modules}


def of_kernel(value, before="", inside="", **modules):
    """A module whose kernel answers `value`; the game has its ordinary rules."""
    source = f"@kernel\ndef child(game, state): return {value}\n"
    return {"g": f"{EDITED}class G(Base):\n    {inside or 'pass'}\n{before}\n{source}", **modules}


MIDDLE = "class Middle(Base):\n    def result(self, state, action): return State(state.left + HOLE, 1)\n"

EDITS = {
    "a rule": game("state.left + HOLE"),
    "a rule inherited": {"g": f"{EDITED}{MIDDLE}class G(Middle): pass\n"},
    "a rule inherited from another module": {
        "g": "from other import *\nclass G(Middle): pass\n",
        "other": EDITED + MIDDLE,
    },
    "a rule inherited from a mixin": {"g": EDITED + MIDDLE.replace("(Base)", "") + "class G(Middle, Base): pass\n"},
    "a rule that a variant calls by name": game("Middle.result(self, state, action).left", MIDDLE),
    "a rule that a variant inherits and calls by name": {
        "g": f"{EDITED}{MIDDLE}class G(Middle):\n"
        "    def result(self, state, action): return State(Middle.result(self, state, action).left, 0)\n"
    },
    "the initial state": of_kernel(
        "game.initial_state().left", inside="def initial_state(self): return State(3 + HOLE, 0)"
    ),
    "a method": game("self.more(state)", inside="def more(self, state): return state.left + HOLE"),
    "a default value of a method": game(
        "self.more(state)", inside="def more(self, state, by=HOLE): return state.left + by"
    ),
    "a static method": game("self.more(state.left)", inside="more = staticmethod(lambda x: x + HOLE)"),
    "a property": game("state.left + self.more", inside="more = property(lambda self: HOLE)"),
    "a class constant": game("state.left + self.MORE", inside="MORE = HOLE"),
    "a class constant, named with the class": game("state.left + G.MORE", inside="MORE = HOLE"),
    "a class constant inherited": game("state.left + self.MORE", "Base.MORE = HOLE"),
    "an array in the class": game("state.left + self.MORE[1]", inside="MORE = np.array([0, HOLE])"),
    "a nested tuple in the class": game("state.left + self.MORE[1][0]", inside="MORE = ((0, 1), (HOLE, 1))"),
    "a parameter": game("state.left + self.more", inside="def __init__(self, more=HOLE): self.more = more"),
    "an attribute": game("state.left + self.more[1]", inside="def __init__(self): self.more = np.arange(2) * HOLE"),
    "a function": game("more(state.left)", "def more(x): return x + HOLE"),
    "a function of a function": game("more(state.left)", "def most(x): return x + HOLE\ndef more(x): return most(x)"),
    "a default value of a function": game("more(state.left)", "def more(x, by=HOLE): return x + by"),
    "a recursive function": game("more(state.left)", "def more(x): return more(x - 1) + 1 if x > 0 else HOLE"),
    "a function compiled by Numba": game("more(state.left)", "import numba\n@numba.njit\ndef more(x): return x + HOLE"),
    "a decorated rule": {
        "g": f"{EDITED}def decorated(rule):\n    def more(self, state, action): return rule(self, state, action)\n"
        "    return more\nclass G(Base):\n    @decorated\n"
        "    def result(self, state, action): return State(state.left + HOLE, 1)\n"
    },
    "a function in a rule": game("(lambda x: [x + HOLE for _ in range(1)])(state.left)[0]"),
    "a function compiled by Numba for arrays": game(
        "int(more(state.left))", "import numba\n@numba.vectorize\ndef more(x): return x + HOLE"
    ),
    "a constant beside what has no fingerprint": game(
        "state.left + self.more", inside="class Log: pass\n    also, more, other = Log(), HOLE, Log()"
    ),
    "an attribute beside what has no fingerprint": game(
        "state.left + self.more",
        "class Log: pass",
        "def __init__(self): self.also, self.more, self.other = Log(), HOLE, Log()",
    ),
    "an attribute in a slot": game(
        "state.left + self.more", inside="__slots__ = ('more',)\n    def __init__(self): self.more = HOLE"
    ),
    "a field of a data class": {
        "g": f"{EDITED}from dataclasses import dataclass\n@dataclass\nclass G(Base):\n    more: int = HOLE\n"
        "    def result(self, state, action): return State(state.left + self.more, 1)\n"
    },
    "a method that a function calls": game(
        "more(self, state.left)", "def more(game, x): return game.most(x)", "def most(self, x): return x + HOLE"
    ),
    "a class constant that a function reads": game(
        "more(self, state.left)", "def more(game, x): return x + game.MORE", "MORE = HOLE"
    ),
    "a constant of the module": game("state.left + MORE", "MORE = HOLE"),
    "a constant that a function reads": game("more(state.left)", "MORE = HOLE\ndef more(x): return x + MORE"),
    "an array of the module": game("state.left + MORE[1]", "MORE = np.array([0, HOLE])"),
    "an IntEnum": game("state.left + Cell.X", "from enum import IntEnum\nclass Cell(IntEnum):\n    X = HOLE"),
    "an Enum": game("state.left + Cell.X.value", "from enum import Enum\nclass Cell(Enum):\n    X = HOLE"),
    "a variable of the enclosing function": {
        "g": f"{EDITED}def make(more):\n    class G(Base):\n"
        "        def result(self, state, action): return State(state.left + more, 1)\n    return G\nG = make(HOLE)\n"
    },
    "a closure": game("more(state.left)", "def make(by):\n    return lambda x: x + by\nmore = make(HOLE)"),
    "a function imported from a module": game(
        "more(state.left)", "from other import more", other="def more(x): return x + HOLE"
    ),
    "a function read from a module": game(
        "other.more(state.left)", "import other", other="def more(x): return x + HOLE"
    ),
    "a function read from a module by a function read from a module": game(
        "other.more(state.left)",
        "import other",
        other="import third\ndef more(x): return third.most(x)",
        third="def most(x): return x + HOLE",
    ),
    "a function read from a module in a package": game(
        "pack.age.more(state.left)",
        "import pack.age",
        **{"pack.__init__": "", "pack.age": "def more(x): return x + HOLE"},
    ),
    "a constant read from a module": game("state.left + other.MORE", "import other", other="MORE = HOLE"),
    "a constant of a module that its function reads": game(
        "more(state.left)", "from other import more", other="MORE = HOLE\ndef more(x): return x + MORE"
    ),
    "a function from a module named as one of Python's": game(
        "more(state.left)", "from sched import more", sched="def more(x): return x + HOLE"
    ),
    "a kernel": of_kernel("state.left + HOLE"),
    "a kernel of a kernel": of_kernel(
        "inner(game, state)", "@kernel\ndef inner(game, state): return state.left + HOLE"
    ),
    "a kernel of another module": of_kernel(
        "inner(game, state)",
        "from other import inner",
        other="from outplay import kernel\n@kernel\ndef inner(game, state): return state.left + HOLE",
    ),
    "a function that a kernel calls": of_kernel("more(state.left)", "def more(x): return x + HOLE"),
    "a constant that a kernel reads": of_kernel("state.left + MORE", "MORE = HOLE"),
    "a method that only a kernel calls": of_kernel(
        "game.more(state.left)", inside="def more(self, x): return x + HOLE"
    ),
    "a class constant that only a kernel reads": of_kernel("state.left + game.MORE", inside="MORE = HOLE"),
    "a declaration that only a kernel reads": of_kernel("state.left + game.players", inside="players = HOLE"),
}


@pytest.mark.filterwarnings("error::outplay.compile.native.RunsInterpretedWarning")
@pytest.mark.sample(5)
@pytest.mark.parametrize("texts", EDITS.values(), ids=EDITS)
def test_an_edit_gives_the_new_answer_and_undoing_it_the_old_one_from_disk(texts, fresh, tmp_path, monkeypatch):
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "cache"))

    def run(hole):
        module = fresh(**{name: text.replace("HOLE", str(hole)) for name, text in texts.items()})
        return module.child(module.G(), module.State(3, 0)), sum(module.child.dispatcher.stats.cache_hits.values())

    assert run(1) == (4, 0)
    assert run(2) == (5, 0)
    assert run(1) == (4, 1)
    assert len(kept_code()) == 2


@pytest.mark.filterwarnings("error::outplay.compile.native.RunsInterpretedWarning")
def test_what_reads_something_without_a_fingerprint_is_not_kept(fresh, tmp_path, monkeypatch):
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "cache"))
    texts = game(
        "more(state.left) if DEBUG is None else LOG.write(state)",  # which is left out when DEBUG is None
        "DEBUG, LOG = None, iter(())\ndef more(x): return x + HOLE",
    )
    for hole in (1, 2, 1):
        module = fresh(g=texts["g"].replace("HOLE", str(hole)))
        assert module.child(module.G(), module.State(3, 0)) == 3 + hole
    assert kept_code() == []


INNER = """
class Inner(Base):
    def __init__(self, more=HOLE): self.more = more
    def result(self, state, action): return State(state.left + self.more, 1)
BEFORE
class G(Base):
    INSIDE
    def result(self, state, action): return WHICH.result(state, action)
"""
OUTER = {
    "an attribute": {"WHICH": "self.inner", "INSIDE": "def __init__(self): self.inner = Inner()"},
    "a class constant": {"WHICH": "self.INNER", "INSIDE": "INNER = Inner()"},
    "a constant of the module": {"WHICH": "INNER", "BEFORE": "INNER = Inner()"},
}


@pytest.mark.filterwarnings("error::outplay.compile.native.RunsInterpretedWarning")
@pytest.mark.parametrize("inner_first", [False, True], ids=["the outer alone", "the inner first"])
@pytest.mark.parametrize("place", OUTER)
def test_a_game_in_a_game_counts(place, inner_first, fresh, tmp_path, monkeypatch):
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "cache"))
    text = INNER
    for name, filling in {"BEFORE": "", "INSIDE": "pass", **OUTER[place]}.items():
        text = text.replace(name, filling)
    for hole in (1, 2, 1):
        module = fresh(g=EDITED + text.replace("HOLE", str(hole)))
        if inner_first:
            assert module.child(module.Inner(7), module.State(3, 0)) == 10
        assert module.child(module.G(), module.State(3, 0)) == 3 + hole


def test_the_fields_of_a_tuple_that_is_an_argument_count(fresh, tmp_path, monkeypatch):
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "cache"))
    text = "class G(Base): pass\nclass Pair(NamedTuple):\n    HOLE\n@kernel\ndef first(game, pair): return pair.a\n"
    for fields, answer in (("a: int; b: int", 4), ("b: int; a: int", 5)):
        module = fresh(g=EDITED + text.replace("HOLE", fields))
        assert module.first(module.G(), module.Pair(4, 5)) == answer


def test_a_comment_costs_nothing(fresh):
    texts = game("state.left + 1")
    before = str(Fingerprint.of_game(fresh(**texts).G()))
    texts["g"] = "# a comment\n\n" + texts["g"].replace(
        "return State(3, 0)", "\n        # why\n        return State(3, 0)  # so"
    )
    assert str(Fingerprint.of_game(fresh(**texts).G())) == before


def test_games_of_one_name_and_sizes_of_one_game_differ():
    games = [
        Nim((1, 2)),
        Nim((2, 1)),
        Nim((1, 2), misere=True),
        Kalah(),
        Kalah(5),
        TicTacToe(),
        *map(ConnectFour, range(4, 8)),
    ]
    assert len({str(Fingerprint.of_game(game)) for game in games}) == len(games)
    assert str(Fingerprint.of_game(Nim([1, 2]))) == str(Fingerprint.of_game(Nim((1, 2))))


def test_the_order_and_the_names_of_the_fields_of_a_state_count(fresh):
    texts = game("state.left + 1")
    swapped = {"g": texts["g"].replace("    left: int\n    turn: int", "    turn: int\n    left: int")}
    assert swapped != texts
    assert len({str(Fingerprint.of_game(fresh(**version).G())) for version in (texts, swapped)}) == 2


def test_every_process_finds_the_same_fingerprint(python, tmp_path):
    """Whatever the seed of Python's hashes: a set of names comes in another order each time."""
    (tmp_path / "near.py").write_text("A, B, C, D = 1, 2, 3, 4\ndef f(x): return x + D\ndef g(x): return f(x)\n")
    source = """if True:
        import near
        from outplay import Game, kernel
        from outplay.compile.fingerprint import Fingerprint
        class G(Game):
            names, ONE, TWO, THREE = frozenset("abcdefgh"), 1, 2, 3
            def one(self): return self.ONE + self.TWO
            def two(self): return self.TWO + self.THREE
            def initial_state(self): return near.A + near.B + near.C + near.f(1) + near.g(2)
            def to_move(self, state): return 0 if state in {"one", "two", "three", 4, None} else self.one() + self.two()
            actions = result = is_terminal = utility = to_move
        @kernel
        def search(game): return near.A + near.B + near.C + near.f(1) + near.g(2) + len(G.names)
        of_kernel = Fingerprint()
        of_kernel.add(search)
        print(Fingerprint.of_game(G()), of_kernel)
    """
    assert len({python("-c", source, PYTHONHASHSEED=seed) for seed in range(4)}) == 1


def text_of(value):
    fingerprint = Fingerprint()
    fingerprint.add(value)
    return str(fingerprint)


DIFFERENT = [
    *(None, False, True, 0, 1, -1, -2, 0.0, -0.0, 1.0, 1j, "", "1", b"1", "None"),
    *((), (1,), (1, 2), [1, 2], ((1,), 2), ((1, 2),), (1, (2,)), ("12",), ("1", "2"), {1: 2}, {2: 1}, {1}, {1, 2}),
    *(
        np.array([1, 2]),
        np.array([1, 2], np.int8),
        np.array([[1, 2]]),
        np.array([1.0, 2]),
        np.array([2, 1]),
        np.zeros(0),
    ),
    *(np.int64(1), np.int8(1), np.float64(1), len, abs, int, float, np.zeros, np.ones, np, sys),
    *((lambda x: x + 1), (lambda x: x + 2), (lambda x, y=1: x), (lambda x, y=2: x), (lambda x, *, y=1: x)),
]


def test_different_values_have_different_fingerprints():
    marks = [text_of(value) for value in DIFFERENT]
    assert len(set(marks)) == len(marks)


def test_equal_values_have_equal_fingerprints():
    assert text_of({1, "a", None}) == text_of({None, "a", 1})
    assert text_of(np.arange(6).reshape(2, 3)) == text_of(np.arange(6).reshape(2, 3))


@pytest.mark.parametrize(
    ("inside", "change"),
    [
        ("def f(self): return super().f()", "BONUS = 2"),
        ("def f(self): return super().f()", "Middle.f = lambda self: 3"),
        ("def __getitem__(self, place): return place + BONUS", "BONUS = 2"),
        ("@property\n    def p(self): return 1\n    @p.setter\n    def p(self, value): print(BONUS)", "BONUS = 2"),
    ],
    ids=["what super() reads", "what super() finds", "an operator", "a setter"],
)
def test_the_fingerprint_of_a_whole_game_covers(inside, change, fresh):
    text = f"{EDITED}BONUS = 1\nclass Middle(Base):\n    def f(self): return BONUS\nclass G(Middle):\n    {inside}\n"
    module = fresh(g=text)
    game = module.G()
    before = fingerprint_of_game(game)
    assert fingerprint_of_game(game) is before
    exec(change, vars(module))
    assert str(fingerprint_of_game(game)) != str(before)


def test_what_python_adds_to_a_class_later_changes_nothing(fresh):
    module = fresh(g=f"{EDITED}class G(Base):\n    PLACE = State(1, 0)\n    def more(self, x): return x\n")
    game = module.G()
    before = fingerprint_of_game(game)
    copyreg._slotnames(module.State)
    assert "__slotnames__" in vars(module.State)
    assert fingerprint_of_game(game) is before
    assert str(Fingerprint.of_game(game)) == str(before)


def test_what_has_no_content_to_read_makes_a_fingerprint_incomplete():
    class Thing:
        def __init__(self, number):
            self.number = number

    for value, complete in (((1, [2]), True), ((1, [iter(())]), False), (Thing(2), True), (Thing(iter(())), False)):
        fingerprint = Fingerprint()
        fingerprint.add(value)
        assert fingerprint.complete is complete


def helper(x):
    return x + SHIFT


def caller(x):
    return [helper(item) for item in np.abs(x)]


SHIFT = 1


def test_references_and_names_reach_into_comprehensions_and_nested_functions():
    def outer():
        def inner():
            return helper, outer

        return inner

    assert references(caller) == {"helper": helper, "np": np}
    assert references(outer) == {"helper": helper, "outer": outer}
    assert {"helper", "np", "abs"} <= names_in(caller.__code__)


@pytest.mark.matrix
def test_globals_are_those_that_the_disassembler_finds():
    def found(code):
        names = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
        return names.union(*(found(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)))

    codes = [value.__code__ for module in (argparse, dis, inspect, types) for value in vars(module).values()
             if isinstance(value, types.FunctionType)]  # fmt: skip
    many = "def f():\n" + "".join(f"    name_{i}()\n" for i in range(300))  # more than an argument of one byte tells
    codes.append(compile(many, "<test>", "exec"))
    assert len(codes) > 100
    assert all(globals_in(code) == found(code) for code in codes)


def test_a_fingerprint_is_current_until_a_name_it_used_stands_for_something_else(fresh):
    module = fresh(**game("more(state.left) + other.MORE", "import other\ndef more(x): return x", other="MORE = 1"))
    fingerprint = Fingerprint.of_game(module.G())
    assert fingerprint.is_current()
    for place, name in ((module, "more"), (module.other, "MORE"), (module.G, "result"), (module.Base, "actions")):
        before = getattr(place, name)
        setattr(place, name, lambda *_: 5)
        assert not fingerprint.is_current()
        setattr(place, name, before)
        assert fingerprint.is_current()
    module.unused = 5
    assert fingerprint.is_current()


def test_code_with_containers_that_data_classes_make_can_be_kept():
    @dataclasses.dataclass
    class Board:
        seen: set = dataclasses.field(default_factory=set)
        moves: list = dataclasses.field(default_factory=list)

    content = Fingerprint()
    content.add(Board)
    content.add(Board())
    assert content.gaps == []


@pytest.mark.nightly
def test_all_that_outplay_compiles_can_be_kept():
    """No kernel and no game of outplay's own depends on what has no content to be read."""
    import outplay

    found = 0
    for module in pkgutil.walk_packages(outplay.__path__, "outplay."):
        if ".cli" in module.name:
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, kernel):
                assert value.content.gaps == [], value
                found += 1
    assert found > 200
    for name in BUILT_IN:
        if name != "explicit-tree":
            assert Fingerprint.of_game(load_game(name)).gaps == [], name


def test_what_games_of_a_class_have_in_common_is_read_anew_where_the_class_changes(fresh):
    module = fresh(**game("state.left + self.more()", "by = 1", "def more(self): return by"))
    old, found = module.G(), set()
    for change in ("pass", "by = 2", "G.more.__code__ = (lambda self: 3).__code__", "G.other = 4", "G.other = 5"):
        exec(change, vars(module))
        texts = {str(fingerprint_of_game(game)) for game in (old, module.G(), module.G())}
        assert len(texts) == 1, change
        assert texts.isdisjoint(found), change
        found |= texts


class Slotted(ConnectFour):
    __slots__ = ("slot",)
    by = 1


@pytest.mark.parametrize("change", ["by = 7", "slot = 7", "width = 8", "other = 1"])
def test_a_game_is_another_one_when_it_gets_an_attribute(change):
    game = Slotted()
    before = str(fingerprint_of_game(game))
    assert str(fingerprint_of_game(game)) == before
    name, _, value = change.partition(" = ")
    setattr(game, name, int(value))
    after = str(fingerprint_of_game(game))
    assert after != before
    delattr(game, name)
    assert str(fingerprint_of_game(game)) != after


def test_one_look_compares_once():
    """Within it a change is not seen, until it looks again or is over."""
    namespace = {"rate": 1}
    fingerprint = Fingerprint()
    fingerprint.watch_name(namespace, "rate")
    with one_look():
        assert fingerprint.is_current()
        namespace["rate"] = 2
        assert fingerprint.is_current()
        look_again()
        assert not fingerprint.is_current()
        namespace["rate"] = 1
        assert fingerprint.is_current()  # that it was not is never kept
        namespace["rate"] = 2
    assert not fingerprint.is_current()
    with one_look():
        assert not fingerprint.is_current()


def test_a_look_within_a_look_and_in_another_thread_is_the_same():
    """A match looks once a game, and its searches run in threads of their own."""
    namespace = {"rate": 1}
    fingerprint = Fingerprint()
    fingerprint.watch_name(namespace, "rate")
    heard = []

    def ask(number):
        with one_look(number):
            heard.append(fingerprint.is_current())

    with one_look() as look:
        assert fingerprint.is_current()
        namespace["rate"] = 2
        with one_look() as inner:
            assert inner == look
            assert fingerprint.is_current()
        for number in (look, 0):
            thread = Thread(target=ask, args=(number,))
            thread.start()
            thread.join()
    assert heard == [True, False]
