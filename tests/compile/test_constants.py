"""Constants of any kind, enumerations and classes in rules: compiled, they mean what Python means."""

import sys

import numpy as np
import pytest
from programs.constant_cases import COMPILED, REFUSED
from programs.random_constants import program
from programs.try_constructs import attempt, load, total

from outplay import RulesError
from outplay.compile.kernels import cast_state, kernel, runs_compiled
from outplay.games import Nim

pytestmark = pytest.mark.compiled


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", COMPILED)
def test_it_compiles_to_what_python_computes(name, tmp_path):
    assert attempt(name, COMPILED[name], tmp_path) == ("compiles", "")


@pytest.mark.nightly
@pytest.mark.parametrize("name", COMPILED)
def test_checked_rules_compute_the_same(name, tmp_path):
    assert attempt(name, COMPILED[name], tmp_path, is_checked=True) == ("compiles", "")


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_why(name, tmp_path):
    text, part = REFUSED[name]
    outcome, reason = attempt(name, text, tmp_path)
    assert outcome == "interpreted"
    assert part in reason


def are_equal(seeds, folder):
    """Try random programs; return how many compile."""
    found = [attempt(f"random {seed}", program(seed), folder) for seed in seeds]
    wrong = [
        (seed, *each) for seed, each in zip(seeds, found, strict=True) if each[0] not in ("compiles", "interpreted")
    ]
    assert wrong == []
    return sum(outcome == "compiles" for outcome, _ in found)


def test_random_constants(tmp_path):
    assert are_equal(range(4), tmp_path) >= 2


@pytest.mark.nightly
def test_many_random_constants(tmp_path):
    assert are_equal(range(100, 500), tmp_path) >= 240


CHANGING = """
from enum import Enum
from typing import NamedTuple

TABLE = [[1, 2, 3], [4, 5, 6]]
WORTH = {"a": [1, 2], "b": [3]}
STARS = {1, 2, 3}


class Box:
    LINES = [1, 2, 3, 4, 5]

    @staticmethod
    def next(number):
        return number + 1


class Color(Enum):
    A = 1
    B = 2

    def worth(self):
        return 3 if self is Color.A else 4


class Point(NamedTuple):
    x: int

    def shifted(self):
        return self.x + 10
---
def __init__(self):
    self.lines = {1: [5, 6], 2: [7]}

def rule(self, left, taken):
    one = TABLE[taken - 1][0] + sum(WORTH["a"]) + len(WORTH) + (left in STARS) + Box.LINES[left] + Box.next(left)
    return one + self.lines[taken][0] + Color.A.worth() + Point(left).shifted()
"""
CHANGES = {
    "an item of a nested list": lambda module, game: module.TABLE[0].__setitem__(0, 50),
    "a list in a dict": lambda module, game: module.WORTH["a"].append(9),
    "a key": lambda module, game: module.WORTH.update(c=[1]),
    "a set": lambda module, game: module.STARS.discard(1),
    "a list of another class": lambda module, game: module.Box.LINES.__setitem__(1, 77),
    "a function of another class": lambda module, game: setattr(module.Box, "next", staticmethod(lambda x: x * 3)),
    "a list in an attribute": lambda module, game: game.lines[1].__setitem__(0, 99),
    "a method of an enumeration": lambda module, game: setattr(module.Color, "worth", lambda self: 100),
    "a method of a named tuple": lambda module, game: setattr(module.Point, "shifted", lambda self: 1000),
}


@pytest.mark.nightly
@pytest.mark.sample(1)
@pytest.mark.parametrize("part", range(3))
def test_a_change_in_place_is_noticed_before_the_next_search(part, tmp_path):
    small = load(f"changing_{part}", CHANGING, tmp_path)
    game, module = small(), sys.modules[small.__module__]
    last = total(game, cast_state(game, game.initial_state()))
    for name, change in list(CHANGES.items())[part::3]:
        change(module, game)
        found = total(game, cast_state(game, game.initial_state()))
        assert runs_compiled(game), name
        assert found == total.interpreted(game, game.initial_state()) != last, name
        last = found


@pytest.mark.nightly
def test_games_with_unequal_lists_do_not_share_code(tmp_path):
    small = load("sharing", CHANGING, tmp_path)
    one, other = small(), small()
    other.lines[1][0] = 70
    values = [total(game, cast_state(game, game.initial_state())) for game in (one, other)]
    assert values == [total.interpreted(game, game.initial_state()) for game in (one, other)]
    assert values[0] != values[1]
    assert runs_compiled(one)
    assert runs_compiled(other)


BIG = """
TABLE = [list(range(start, start + 50)) for start in range(200)]
SQUARES = {7 * number: number * number for number in range(3000)}
PAIRS = {(row, column) for row in range(60) for column in range(60)}
---
return TABLE[left * 40][taken] + SQUARES[left * 70] + ((left, taken) in PAIRS)
"""


def test_big_constants_are_data(tmp_path):
    assert attempt("big", BIG, tmp_path) == ("compiles", "")


ARRAYS = """
import numpy as np


class Box:
    LARGE = np.arange(200_000)
---
def __init__(self):
    self.large, self.both = 7 * np.arange(200_000), (np.arange(9), 5 * np.arange(200_000))
    self.turned = np.arange(30).reshape(5, 3, 2).transpose(0, 2, 1)

def rule(self, left, taken):
    return self.large[left] + self.both[1][left] + self.turned[left, taken - 1, taken] + Box.LARGE[taken]
"""


def test_arrays_to_which_machine_code_refers_by_address_are_not_freed(tmp_path):
    """Numba does so with more than a megabyte, and with an order of axes that is neither C's nor Fortran's."""
    assert attempt("arrays", ARRAYS, tmp_path) == ("compiles", "")


class Hidden(Nim):
    def __init__(self, order):
        self.order = order


class ByTable(Nim):
    """A game with an array of more than a megabyte, to which Numba refers by its address."""

    def __init__(self):
        super().__init__()
        self.table = np.arange(150_000).reshape(2, 75_000)


@kernel
def differences(game, first):
    found = 0
    for row in range(2):
        for column in range(75_000):
            if game.table[row, column] != first + 75_000 * row + column:
                found += 1
    return found


def test_a_large_array_stays_while_compiled_code_reads_it():
    game = ByTable()
    assert runs_compiled(game)
    differences.prepare(game, 0)
    others = [np.full((2, 75_000), -1) for _ in range(8)]  # in the place of what was freed
    assert differences(game, 0) == 0
    assert len(others) == 8


def test_an_attribute_with_the_name_of_a_rule_is_refused():
    with pytest.raises(RulesError, match=r"Hidden\.order is set to a tuple, but order is the name of a rule"):
        Hidden((0, 2, 1))
    with pytest.raises(RulesError, match=r"Of\.order is set to a list"):
        type("Of", (Nim,), {"order": [1, 2]})
