"""Constant sets, arrays of texts, `try` by name, fields of records, objects with operators: both speeds are equal."""

# ruff: noqa: E501 - programs are written as they are

import contextvars
import re
import sys
import warnings

import numpy as np
import pytest
from programs import plain_cases
from programs.ordinary_cases import AWKWARD, COMPILED, IDENTICAL, INTERPRETED
from programs.random_programs import (
    INPUTS,
    TemplateWriter,
    compare,
    compiled,
    function_text,
    functions_of,
    try_programs,
)
from programs.two_speeds import both, load
from shared import rows

from outplay import MCTS, Game, Limit, check_game, perft
from outplay.compile.kernels import runs_compiled
from outplay.compile.native import RunsInterpretedWarning
from outplay.compile.native.refusal import first_problem, refuse, without_warnings
from outplay.compile.report import compile_report
from outplay.rules.errors import RulesError

pytestmark = pytest.mark.compiled

HEAD = """\
import logging
from enum import Enum
from typing import NamedTuple

import numpy as np

LOG = logging.getLogger("rules")


class Pos(NamedTuple):
    x: int
    y: int

    def __add__(self, other):
        return Pos((self.x + other.x) % 1000, self.y - other[1])

    def __mul__(self, factor):
        return Pos(self.x * factor % 1000, self.y)

    def __neg__(self):
        return Pos(-self.x, self.y)


class Level(Enum):
    LOW = 1
    HIGH = 5


CORNERS = {1, 4, 9}
DECK = frozenset(range(6))
LETTERS = frozenset("abcx")
WORTH = {1: 3, 2: 5, -1: 8}
TEXTS = ("12", "x", " -7", "")
ROWS = ((1, 2, 3), (4, 5), (6,))
"""


@pytest.mark.sample(2)
@pytest.mark.parametrize(("name", "text"), rows({name: (name, text) for name, text in COMPILED.items()}))
def test_both_speeds_are_equal(name, text, tmp_path):
    compiled, found, expected = both(load(name, text, tmp_path))
    assert compiled
    assert found == expected


@pytest.mark.nightly
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("name", "text", "reason"), rows({name: (name, text, reason) for name, (text, reason) in INTERPRETED.items()})
)
def test_what_would_differ_runs_interpreted_and_says_why(name, text, reason, tmp_path):
    small = load(name, text, tmp_path)
    compiled, found, expected = both(small)
    assert not compiled
    assert found == expected
    assert re.search(reason, str(compile_report(small())))


def test_the_order_of_a_set_is_blamed_on_the_loop(tmp_path):
    text = """
        def near(x):
            return {1, x, 7}

        def total(x):
            n = 0
            for y in near(x):
                n = n * 3 + y
            return n
        ---
        def initial_state(self):
            return (5, 0)

        def result(self, state, action):
            return (state[0] - action, total(state[0]) % 5)

        def value(self, state):
            return state[1]
        """
    [obstacle] = compile_report(load("blamed", text, tmp_path)()).obstacles
    assert obstacle.source == "for y in near(x):"
    assert obstacle.function == "total"


@pytest.mark.nightly
def test_what_searches_do_with_symmetries_is_tried_too(tmp_path):
    text = "def initial_state(self):\n    return (1, 1)\n\ndef result(self, state, action):\n    return (0, 1)\n\n"
    small = load("symmetric", text + "def symmetries(self, state):\n    return [state]", tmp_path)
    assert "symmetries() returns a list of tuples of 2" in str(compile_report(small()))


# -- functions of ints -------------------------------------------------------------------------------------------------

TEMPLATES = {
    "int": (
        "(<int> + <int>)", "(<int> - <int>)", "<int> % 5", "<int> * 3 % 11", "len(<set>)", "sum(sorted(<set>))", "int(<test>)",
        "d.get(<int>, <int>)", "len(l)", "sum(l)", "len(g)", "sum(g.get(<int>, []))", "np.count_nonzero(board == <text>)",
        "(Pos(<int>, 2) + Pos(<int>, <int>)).x", "(-Pos(<int>, 1) * <int>)[0]", "sum(Pos(1, <int>) + Pos(2, 3) * 2)", "len(Level.__members__)",
        "Level.__members__['LOW' if <test> else 'HIGH'].value", "sum(each.value for each in Level.__members__.values())",
        "sum(len(key) for key in Level.__members__)", "int('HIGH' in Level.__members__)", "len('.'.join(board[<int> % 3]))", "ord(board[<int> % 3, <int> % 4] + '.')", "(1 if <test> else <int>)", "fields['x']",
        "int('x' in board)", "board.shape[<int> % 2]", "len(<letters>)",
    ),
    "set": (
        "s", "f", "DECK", "CORNERS", "{<int>, 4}", "set(t)", "(<set> | <set>)", "(<set> & <set>)", "(<set> - <set>)", "(<set> ^ <set>)",
        "(DECK - <set>)", "(CORNERS ^ <set>)", "DECK.union(<set>, t)", "CORNERS.difference(<set>)", "DECK.intersection(l)", "DECK.copy()",
    ),
    "letters": ("LETTERS", "(LETTERS - {<text>})", "(LETTERS & {<text>, 'a'})", "LETTERS.union('xyz')", "set(board[<int> % 3])"),
    "text": ("'x'", "'o'", "'.'", "'xo'[<int> % 2]", "board[<int> % 3, <int> % 4]"),
    "test": (
        "<set> == <set>", "DECK != <set>", "CORNERS <= <set>", "<set> < DECK", "DECK >= <set>", "CORNERS.isdisjoint(<set>)",
        "DECK.issuperset(t)", "<int> < <int>", "<int> in <set>", "all(board[<int> % 3] == <text>)", "(board == <text>).any()",
        "board[0, <int> % 4] == <text>", "np.array_equal(board, other)", "<text> in <letters>", "any(board.diagonal() != <text>)",
        "all(np.fliplr(board).diagonal() == <text>)", "all(board.ravel() != <text>)",
    ),
    "statement": (
        "s = set(<set>)", "f = DECK & <set>", "f |= <set>", "s -= <set>", "s ^= CORNERS", "s.add(<int>)", "total += <int>",
        "board[<int> % 3, <int> % 4] = <text>", "board[<int> % 3] = <text>", "board[:, <int> % 4] = <text>", "board[1:, :2] = <text>",
        "board[board == <text>] = <text>", "other = board.copy()", "board, other = other.copy(), board", "board[0] = other[<int> % 3]",
        "g.setdefault(<int> % 4, []).append(<int>)", "d[<int>] = d.get(<int>, <int>)", "l.append(<int>)", "fields['x'] += <int>",
        "fields.update(y=<int>)", "for word in board[<int> % 3]: total = total * 3 + ord(word)", "l = l[-4:]",
        "print(<int>, s, board, sep=<text>)", "LOG.debug('%d of %s', <int>, f)", "logging.info(f\"{total:>5} {l!r} {<int>}\")",
        "print('%d, %s' % (total, g))", "if <test>:\n    LOG.warning(str(d))\nelse:\n    print()",
    ),
    "step": (
        "print(l[<num>])", "LOG.error(f\"{100 // <num>} {total}\")", "logging.critical('%s', d[<num>])", "print(l.pop(<num>), end='')",
        "total += Level.__members__['LOWER'[:<num>]].value", "total += l[<num>]", "total += 100 // <num>", "total += d[<num>]", "total += int(TEXTS[<num> % 4])", "l.remove(<num>)", "total += l.pop(<num>)",
        "total += l.index(<num>)", "x, y = l[:<num> % 4]\ntotal += x - y", "d[<num>] += <num>", "l[<num>] = <num>", "total += ROWS[<num>][<num>]",
        "total += WORTH[<num>]", "total += cells[<num>, <num>]", "total += len(board[<num>, <num>])", "total += min(l)", "s.remove(<num>)",
        "total += d.pop(<num>)", "total += 7 << <num>", "total += (<num> and 60 // <num>) + (<num> or l[<num>])", "total += 5 if 9 // <num> > 1 else l[<num>]",
        "if 3 < l[<num>] < d[<num>]:\n    total += 1", "if <num> > 2:\n    raise ValueError", "if <num> > 2:\n    raise KeyError('x')", "total += <num>",
        "for x in l:\n    if x == 2:\n        continue\n    total += 12 // x", "while total < 50:\n    total += l[total % 5] + 9", "total += 'abc'.index('xbca'[<num> % 4])",
        "assert <num> != 3", "total %= <num>", "total += -l[<num>] ** 2", "return total + 100 // <num>",
    ),
    "num": ("(<num> + <num>)", "(<num> - <num>)", "<num> % 5", "len(l)", "len(s)", "min(<num>, 4)", "int('3')", "(<num> if <num> > 1 else 2)", "fields['y'] % 4"),
}  # fmt: skip
NUMBERS = ("a", "b", "c", "total % 9", "t[1]", "0", "1", "2", "3", "-1")
PLAIN = {
    "int": NUMBERS,
    "num": NUMBERS,
    "set": "sf",
    "text": ("'x'", "'.'"),
    "test": ("a > b", "b"),
    "letters": ("LETTERS",),
}
"""Written where the texts would be too deep."""
ERRORS = (
    "IndexError", "KeyError", "ValueError", "ZeroDivisionError", "(IndexError, KeyError)", "LookupError", "ArithmeticError",
    "Exception", "AssertionError", "(ValueError, ZeroDivisionError) as error",
)  # fmt: skip


class Writer(TemplateWriter):
    """Writes random functions of three ints and a tuple."""

    def write(self, kind, depth=0):
        if depth > 2 or (kind in ("int", "num") and self.rng.random() < 0.5):
            return self.rng.choice(PLAIN[kind])
        return self.filled(self.rng.choice(TEMPLATES[kind]), depth + 1)

    def steps(self):
        chosen = [self.write("step", 1) for _ in range(self.rng.randint(1, 3))]
        return [f"    {line}" for each in chosen for line in each.split("\n")]

    def attempt(self):
        """A `try`."""
        rng = self.rng
        found = ["try:", *self.steps()]
        for error in rng.sample(ERRORS, rng.randint(1, 3)):
            found += [
                f"except {error}:",
                f"    total = total * 2 + {rng.randint(1, 99)}",
                *(["    s.add(total % 7)"] if rng.random() < 0.3 else []),
            ]
        if rng.random() < 0.3:
            found += ["else:", "    total += 1000"]
        if rng.random() < 0.3 and "return" not in "".join(found):
            found += ["finally:", "    total += 3"]
        return found

    def program(self, name):
        """Its source: it changes many things, and makes a number of all of them."""
        before = [
            "total = 0", "l = [a, b, 2]", "d = {a: 1, b: c}", "g = {}", "g.setdefault(b, []).append(c)", "s = {a, 3}", "f = frozenset(t)",
            "cells = np.arange(6).reshape(2, 3)", 'board = np.full((3, 4), ".")', "other = board.copy()", "fields = {'x': a, 'y': b}",
        ]  # fmt: skip
        body = []
        for _ in range(self.rng.randint(3, 7)):
            body += self.attempt() if self.rng.random() < 0.6 else self.write("statement").split("\n")
            body.append("total %= 1000")
        after = [
            "for x in l: total = (total * 3 + x) % 10007",
            "for x, y in d.items(): total = (total * 5 + x * y + x) % 10007",
            "for x, y in g.items(): total = (total * 3 + x * sum(y) + len(y)) % 10007",
            "for row in board:",
            "    for cell in row: total = (total * 3 + ord(cell)) % 10007",
            "def made(x=0, y=0): return x * 3 + y",
            "total += made(**fields)",
            "return total + 10007 * (sum(x * x for x in sorted(s)) % 101 + len(f) * 101)",
        ]
        return function_text(name, before, body, after)


def test_random_programs_are_equal_at_both_speeds(tmp_path):
    reasons, equal = try_programs(Writer, HEAD, "ordinary", 9, 1, tmp_path)
    assert not reasons
    assert equal > 0


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 120))
def test_many_random_programs_are_equal_at_both_speeds(seed, tmp_path):
    reasons, equal = try_programs(Writer, HEAD, "ordinary", seed, 8, tmp_path, bool(seed % 2))
    assert len(reasons) < 8
    assert equal > 3


@pytest.mark.nightly
@pytest.mark.sample(1)
@pytest.mark.parametrize("part", range(6))
def test_awkward_functions_are_equal_at_both_speeds(part, tmp_path):
    names = list(AWKWARD)[part::6]
    lines = [AWKWARD[name].replace("\n", "\n    ") for name in names]
    sources = [f"def program{at}(a, b, c, t):\n    {line}" for at, line in enumerate(lines)]
    refused, equal = compare(sources, tmp_path, f"ordinary_awkward_{part}", HEAD)
    assert {names[at]: reason for at, reason in refused.items()} == {}
    assert equal > len(INPUTS)


@pytest.mark.nightly
@pytest.mark.sample(1)
@pytest.mark.parametrize("part", range(8))
def test_plain_functions_are_equal_at_both_speeds(part, tmp_path):
    cases = plain_cases.EMPTY | plain_cases.UNORDERED | plain_cases.NONE
    names = list(cases)[part::8]
    lines = [cases[name].replace("\n", "\n    ") for name in names]
    sources = [f"def program{at}(a, b, c, t):\n    {line}" for at, line in enumerate(lines)]
    refused, equal = compare(sources, tmp_path, f"plain_{part}", HEAD + plain_cases.HEAD)
    assert {names[at]: reason for at, reason in refused.items()} == {}
    assert equal > 2 * len(names)


def test_the_identity_of_what_may_be_copied_is_refused(tmp_path):
    sources = [
        f"def program{at}(a, b, c, t):\n    " + text.replace("\n", "\n    ")
        for at, text in enumerate(IDENTICAL.values())
    ]
    refused, _ = compare(sources, tmp_path, "ordinary_identity", HEAD)
    assert set(refused) == set(range(len(IDENTICAL)))
    assert all("`is`" in reason for reason in refused.values())


def test_an_error_before_finally_stays_what_it_is(tmp_path):
    source = "def program0(a, b, c, t):\n    try:\n        c = t[a]\n    finally:\n        b = 3\n    return b + c"
    functions = functions_of([source], tmp_path, "ordinary_finally", HEAD)
    entry, _ = compiled(functions, INPUTS[0], "ordinary_finally")
    with pytest.raises(RulesError, match="index is outside the tuple"):
        entry(0, np.zeros(1), 9, 0, 0, (1, 2, 3, 4))


@pytest.mark.parametrize("checked", [False, True])
def test_an_index_outside_an_array_of_texts_is_an_error(checked, tmp_path):
    source = "def program0(a, b, c, t):\n    return ord(np.full((2, 2), '.')[a % 2, b])"
    refused, equal = compare([source], tmp_path, "ordinary_outside", HEAD, checked)
    assert (refused, equal) == ({}, 2)


# -- games -------------------------------------------------------------------------------------------------------------


class Promoting(Game):
    """Take from a heap; only a 2 may be promoted, which is worth more."""

    utilities = (-3, 3)

    def initial_state(self):
        return (6, 0, 0)

    def to_move(self, state):
        return state[1] % 2

    def actions(self, state):
        if state[0] < 2:
            return [(1, None)]
        return [(1, None), (2, None), (2, 5)]

    def result(self, state, action):
        taken, extra = action
        return (state[0] - taken, state[1] + 1, (3 * state[2] + (1 if extra is None else extra)) % 7)

    def is_terminal(self, state):
        return state[0] == 0

    def utility(self, state, player):
        return (state[2] - 3) * (1 if player == 0 else -1)


@pytest.mark.nightly
def test_a_part_of_an_action_may_be_none():
    game, plain = Promoting(), type("Promoting", (Promoting,), {"compiled": False})()
    report = check_game(game, playouts=20, seconds=60)
    assert report.ok, report
    assert report.compiled
    assert perft(game, 6).lines == perft(plain, 6).lines
    found, wanted = (MCTS(each, seed=4).search(limit=Limit(simulations=200)) for each in (game, plain))
    assert (found.action, found.value) == (wanted.action, wanted.value)
    assert found.action in game.actions(game.initial_state())


@pytest.mark.nightly
def test_a_constant_set_that_changes_is_noticed(tmp_path):
    small = load(
        "noticed",
        COMPILED["cards that are left"].replace("DECK = frozenset(range(6))", "DECK = set(range(6))"),
        tmp_path,
    )
    compiled, found, expected = both(small)
    assert compiled
    assert found == expected
    sys.modules[small.__module__].DECK.add(9)
    assert both(small) != (compiled, found, expected)
    compiled, found, expected = both(small)
    assert compiled
    assert found == expected


def test_a_setter_that_changes_is_noticed(tmp_path):
    small = load("setter", COMPILED["a property that is set"], tmp_path)
    both(small)
    clock = sys.modules[small.__module__].Clock

    def hour(self, hour):
        self._hour = hour % 2
        self.set += 2

    clock.hour = clock.hour.setter(hour)
    compiled, found, expected = both(small)
    assert compiled
    assert found == expected


def test_a_method_that_comes_later_is_noticed(tmp_path):
    small = load("later", COMPILED["what only a subclass has"].replace("> 90", "> 4"), tmp_path)
    plain = sys.modules[small.__module__].Plain
    plain.outcomes = lambda self: [self.number]
    _, found, expected = both(small)
    assert found == expected
    del plain.outcomes
    with pytest.raises(Exception, match="outcomes"):
        both(small)


def test_a_member_that_is_an_int_is_understood_by_its_name_and_number():
    from enum import IntEnum

    act = IntEnum("act", ["PASS", "BET"])

    class Betting(Promoting):
        def actions(self, state):
            return [act.PASS, act.BET] if state[0] > 1 else [act.PASS]

        def result(self, state, action):
            return (state[0] - action, state[1] + 1, state[2])

    game = Betting()
    state = game.initial_state()
    assert game.parse_action(state, "BET") == game.parse_action(state, "2") == act.BET


def test_nobody_is_told_of_rules_that_are_still_compiled_after_a_quiet_trial(tmp_path):
    text, _ = INTERPRETED["a key of bytes"]
    game = load("quiet", text, tmp_path)()
    runs_compiled(game)
    problem = first_problem(game._native.typ)
    with without_warnings():
        context = contextvars.copy_context()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        context.run(refuse, game._native.typ, problem)  # as a thread does that goes on when the trial has ended
    with pytest.warns(RunsInterpretedWarning, match=r"key\(\) does not compile"):
        refuse(game._native.typ, problem)
