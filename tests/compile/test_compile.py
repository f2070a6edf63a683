"""One source, two speeds: whatever compiles gives the interpreted answer, and whatever does not says why."""

import importlib
import math
import os
import pickle
import re
import subprocess
import sys
import threading
import time
import warnings
from collections import namedtuple
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import rows
from shared.countdown import Countdown, State

from outplay import CHANCE, Game, IllegalAction, Minimax, OutplayError, RulesError, defines, kernel, legal_actions
from outplay.compile.kernels import cast_state, pack, runs_compiled, unpack
from outplay.compile.native import RunsInterpretedWarning, memory
from outplay.compile.native.reasons import FORBIDDEN

pytestmark = [pytest.mark.compiled, pytest.mark.filterwarnings("error::outplay.compile.native.RunsInterpretedWarning")]


@kernel
def total(game, state):
    """A number that depends on every rule and on the order of the actions."""
    if game.is_terminal(state):
        return game.utility(state, 0) + 0.25 * game.utility(state, 1)
    sum_ = 0.125 * game.to_move(state)
    for action in legal_actions(game, state):
        sum_ = 0.75 * sum_ + action * 0.5 + total(game, game.result(state, action))
    return sum_


@kernel
def child(game, state, action):
    return game.result(state, action)


@kernel
def count_over(game, states):
    return sum([int(game.is_terminal(state)) for state in states])


@kernel
def length(numbers):
    return len(numbers)


def test_a_list_is_no_argument():
    game = Countdown(5)
    with pytest.raises(OutplayError, match=r"count_over: states is a list, .* pack\(game, states\)"):
        count_over(game, [cast_state(game, game.initial_state())])
    with pytest.raises(OutplayError, match="length: numbers is a list"):
        length([1, 2])
    with pytest.raises(OutplayError, match="length: numbers is a set"):
        length({1, 2})


def agree(game, search=total, *args):
    """The answer of `search` from the initial state, the same at both speeds."""
    assert runs_compiled(game)
    before = len(search.dispatcher.overloads)
    compiled = search(game, cast_state(game, game.initial_state()), *args)
    assert len(search.dispatcher.overloads) <= before + 1
    interpreted = search.interpreted(game, game.initial_state(), *args)
    assert compiled == interpreted
    return compiled


COUNTDOWN = total.interpreted(Countdown(), Countdown().initial_state())


# -- actions ----------------------------------------------------------------------------------------------------------


class AsList(Countdown):
    def actions(self, state):
        return [taken for taken in (1, 2) if taken <= state.left]


class AsArray(Countdown):
    def actions(self, state):
        return np.arange(1, min(2, state.left) + 1)


class AsNarrowArray(Countdown):
    def actions(self, state):
        return np.arange(1, min(2, state.left) + 1).astype(np.int8)


class AsArrayOfTheClass(Countdown):
    TAKEN = np.array([1, 2])

    def actions(self, state):
        return self.TAKEN[: state.left]


class AsRange(Countdown):
    def actions(self, state):
        return range(1, min(2, state.left) + 1)


class AsMask(Countdown):
    def actions(self, state):
        return 0b110 if state.left >= 2 else 0b10


class AsUnsignedMask(Countdown):
    def actions(self, state):
        return np.uint64(0b110) if state.left >= 2 else np.uint64(0b10)


class AsMethodThatYields(Countdown):
    def actions(self, state):
        for taken in self.up_to(state.left):
            yield 3 - taken if state.left > 1 else taken

    def up_to(self, left):
        for taken in (2, 1):
            if taken <= left:
                yield taken


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "form", [AsList, AsArray, AsNarrowArray, AsArrayOfTheClass, AsRange, AsMask, AsUnsignedMask, AsMethodThatYields]
)
def test_every_form_of_actions_gives_the_same(form):
    assert agree(form()) == COUNTDOWN


class AsTuple(Countdown):
    """A tuple has the same length everywhere."""

    def actions(self, state):
        return (2, 1)

    def is_terminal(self, state):
        return state.left <= 0


def test_a_tuple_of_actions():
    agree(AsTuple())


class TopBit(Countdown):
    """The action is remembered, so that a wrong one is seen."""

    def __init__(self, mask=0):
        super().__init__(3)
        self.mask = mask

    def result(self, state, action):
        return State(state.left - 1, action)

    def to_move(self, state):
        return 0

    def utility(self, state, player):
        return state.turn


class IntMask(TopBit):
    def actions(self, state):
        return 1 << 63 | 1 << 31 | 1


class UnsignedMask(TopBit):
    def actions(self, state):
        return np.uint64(1 << 63) | np.uint64(1 << 31 | 1)


class MaskParameter(TopBit):
    def actions(self, state):
        return self.mask


def test_a_mask_has_64_bits():
    top = 1 << 63 | 1 << 31 | 1
    expected = agree(IntMask())
    assert expected == agree(UnsignedMask()) == agree(MaskParameter(np.uint64(top)))
    assert expected == agree(MaskParameter(top)) == agree(MaskParameter(top - (1 << 64)))


class WideActions(Countdown):
    """Arithmetic with an action needs all 64 bits, whatever the array."""

    def __init__(self, kind):
        super().__init__(2)
        self.numbers = np.array([40, 41], kind)

    def actions(self, state):
        return self.numbers

    def to_move(self, state):
        return 0

    def result(self, state, action):
        return State(state.left - 1, state.turn + (1 << action) + action * action * action)

    def utility(self, state, player):
        return state.turn


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int32", "int64", "uint64"])
def test_actions_are_whole_ints_whatever_the_array(kind):
    assert agree(WideActions(kind)) == agree(WideActions("int64"))


# -- states -----------------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    number: int
    share: float
    flag: bool
    pair: tuple[int, tuple[bool, float]]
    inner: State
    cells: np.ndarray
    grid: np.ndarray


class Rich(Countdown):
    """Fields of every kind."""

    def initial_state(self):
        return Row(self.start, 0.5, True, (1, (False, 2.5)), State(3, 4), np.arange(4, dtype=np.int8), np.zeros((2, 3)))

    def to_move(self, state):
        return int(state.flag)

    def actions(self, state):
        for taken in (1, 2):
            if taken <= state.number:
                yield taken

    def result(self, state, action):
        grid = state.grid.copy()
        grid[action % 2, state.number % 3] += state.share
        cells = state.cells.copy()
        cells[action] += 1
        inner = State(state.inner.turn, state.inner.left + action)
        return Row(
            state.number - action,
            state.share / 2 + action,
            not state.flag,
            (state.pair[0] * 3 % 7, (state.number > 2, state.pair[1][1] + 1)),
            inner,
            cells,
            grid,
        )

    def is_terminal(self, state):
        return state.number == 0

    def utility(self, state, player):
        sign = 1 if state.flag == (player == 0) else -1
        weight = 0.0
        for i in range(len(state.cells)):
            weight = 2 * weight + state.cells[i]
        return sign * (weight + np.sum(state.grid) + state.share + state.pair[0] + state.pair[1][1] + state.inner.left)


class PlainTuple(Countdown):
    def initial_state(self):
        return (self.start, (0, True))

    def to_move(self, state):
        return state[1][0]

    def actions(self, state):
        for taken in (1, 2):
            if taken <= state[0]:
                yield taken

    def result(self, state, action):
        return (state[0] - action, (1 - state[1][0], not state[1][1]))

    def is_terminal(self, state):
        return state[0] == 0

    def utility(self, state, player):
        return -1 if state[1][0] == player else 1


class OneInt(Countdown):
    def initial_state(self):
        return 2 * self.start

    def to_move(self, state):
        return state % 2

    def actions(self, state):
        for taken in (1, 2):
            if 2 * taken <= state:
                yield taken

    def result(self, state, action):
        return (state - 2 * action) ^ 1

    def is_terminal(self, state):
        return state < 2

    def utility(self, state, player):
        return -1 if state == player else 1


class OneArray(PlainTuple):
    def initial_state(self):
        return np.array([self.start, 0], np.int8)

    def to_move(self, state):
        return state[1]

    def result(self, state, action):
        after = state.copy()
        after[0] -= action
        after[1] = 1 - after[1]
        return after

    def utility(self, state, player):
        return -1 if state[1] == player else 1


class WiderArray(OneArray):
    """Arithmetic made the array wider, and the next state is a view that steps through it."""

    def result(self, state, action):
        return np.array([1 - state[1], 0, state[0] - action, 0])[2::-2]


class ArrayOfTheClass(OneArray):
    """A state that is a row of a constant, which nobody may change."""

    ROWS = np.array([[[left, turn] for turn in range(2)] for left in range(6)], np.int8)

    def result(self, state, action):
        return self.ROWS[state[0] - action, 1 - state[1]]


@pytest.mark.parametrize("game", [PlainTuple(), OneInt(), OneArray(), WiderArray(), ArrayOfTheClass()], ids=repr)
def test_every_kind_of_state_gives_the_same(game):
    assert agree(game) == COUNTDOWN


def test_a_state_with_fields_of_every_kind():
    agree(Rich())
    after = agree_on_child(Rich(), 2)
    assert type(after) is Row
    assert type(after.inner) is State
    assert after.cells.dtype == np.int8


def agree_on_child(game, action):
    """The state that `action` leads to, the same at both speeds to the bit."""
    compiled = child(game, cast_state(game, game.initial_state()), action)
    interpreted = cast_state(game, child.interpreted(game, game.initial_state(), action))
    assert repr(compiled) == repr(interpreted)
    return compiled


def test_a_compiled_rule_does_not_change_or_share_the_given_array():
    game = OneArray()
    state = cast_state(game, game.initial_state())
    after = child(game, state, 1)
    assert list(state) == [5, 0]
    after[0] = 99
    assert list(state) == [5, 0]
    row = child(ArrayOfTheClass(), state, 1)
    row[0] = 99
    assert list(child(ArrayOfTheClass(), state, 1)) == [4, 1]


class Widths(Countdown):
    """Each result gives its ints another type."""

    def result(self, state, action):
        return State(np.int8(state.left - action), state.turn == 0)


class Unsigned(Countdown):
    def result(self, state, action):
        return State(np.uint64(state.left - action), np.int32(1) - np.int32(state.turn))


class Flagged(NamedTuple):
    left: int
    turn: bool


class FromBool(Countdown):
    """A bool field made of an int, in a state that begins with NumPy's own numbers."""

    def initial_state(self):
        return Flagged(np.int64(self.start), np.bool_(False))

    def result(self, state, action):
        return Flagged(state.left - action, 1 - state.turn)


@pytest.mark.parametrize("game", [Widths(), Unsigned(), FromBool()], ids=repr)
def test_ints_of_any_width_are_cast_at_the_gate(game):
    assert agree(game) == COUNTDOWN
    assert type(agree_on_child(game, 1).left) is int


@pytest.mark.parametrize(
    "state",
    [
        State(5, False),
        State(np.int8(5), np.uint8(0)),
        (5, 0),
        [5, 0],
        np.array([5, 0]),
        State(np.uint64(5), np.bool_(0)),
    ],
    ids=repr,
)
def test_the_gate_makes_one_type_of_states_of_any_width(state):
    game = Countdown()
    agree(game)
    kernels = len(total.dispatcher.overloads)
    gated = cast_state(game, state)
    assert gated == State(5, 0)
    assert [type(gated), type(gated.left), type(gated.turn)] == [State, int, int]
    assert total(game, gated) == COUNTDOWN
    assert len(total.dispatcher.overloads) == kernels


def test_a_state_that_did_not_pass_the_gate_gives_the_same():
    game = Countdown()
    for state in (State(5, False), State(np.int8(5), np.uint8(0))):
        assert total(game, state) == COUNTDOWN


@pytest.mark.nightly
def test_a_recursion_that_goes_on_with_states_of_another_type_is_linked_whole(python):
    """In a process of its own, where neither form of the kernel has been compiled before."""
    source = f"import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r}); from compile.test_compile import *\n"
    source += "print(total(Countdown(), State(5, False)), total(Countdown(), State(5, 0)))"
    assert python("-c", source) == f"{COUNTDOWN} {COUNTDOWN}"


class Scored(NamedTuple):
    left: int
    score: float


class FloatFromInt(Countdown):
    """The field is annotated float; the initial state has an int there."""

    def initial_state(self):
        return Scored(self.start, 0)

    def to_move(self, state):
        return 0

    def result(self, state, action):
        return Scored(state.left - action, state.score + action / 4)

    def utility(self, state, player):
        return state.score


def test_a_float_field_that_begins_as_an_int():
    agree(FloatFromInt())
    assert total(FloatFromInt(), Scored(5, 0)) == total(FloatFromInt(), Scored(5, 0.0))
    assert type(cast_state(FloatFromInt(), Scored(5, 1)).score) is float


def test_annotations_may_be_strings(fresh):
    text = """
from __future__ import annotations
from typing import NamedTuple
from compile.test_compile import FloatFromInt
class Scored(NamedTuple):
    left: int
    score: float
class Late(FloatFromInt):
    def initial_state(self): return Scored(self.start, 0)
    def result(self, state, action): return Scored(state.left - action, state.score + action / 4)
"""
    agree(fresh(late=text).Late())


class OfCollections(Countdown):
    Pair = namedtuple("Pair", "left turn")

    def initial_state(self):
        return PAIR(self.start, 0)

    def result(self, state, action):
        return PAIR(state.left - action, 1 - state.turn)


PAIR = OfCollections.Pair


def test_a_named_tuple_without_annotations():
    assert agree(OfCollections()) == COUNTDOWN


NOT_STATES = [(5,), (5, 0, 0), 5, None, "ab", "50", (5.0, 0), (5.5, 0), (None, 0), ("5", 0), (2**63, 0), ([1], 0)]
NOT_STATES += [{"left": 1, "turn": 2}, (5, "x"), (5, b"0"), np.zeros((2, 2)), (np.zeros(2), 0)]
NOT_ARRAYS = [np.zeros((2, 2), np.int8), np.zeros(2), [1.5, 2], [300, 1], np.array([300, 1]), None, "ab", [[1], [2, 3]]]
NOT_FLAGS = [(5, 2), (5, "x"), (5, None), (5, 0.5), (5, [])]


def gate_cases():
    wrong = [*((Countdown(), s) for s in NOT_STATES), *((OneArray(), s) for s in NOT_ARRAYS)]
    wrong += [(FromBool(), state) for state in NOT_FLAGS]
    return [pytest.param(game, state, id=f"{type(game).__name__} {state!r}") for game, state in wrong]


@pytest.mark.parametrize(("game", "state"), gate_cases())
def test_the_gate_refuses_what_is_not_a_state(game, state):
    with pytest.raises(RulesError, match="is not a state of") as caught:
        cast_state(game, state)
    assert repr(game) in str(caught.value)


# -- inheritance, helpers, constants ----------------------------------------------------------------------------------


class TakeThree(Countdown):
    """Overrides one rule."""

    def actions(self, state):
        for taken in (1, 2, 3):
            if taken <= state.left:
                yield taken


class Misere(TakeThree):
    """Calls the rule of the class above by name."""

    def utility(self, state, player):
        return -TakeThree.utility(self, state, player)


class Twice(Misere):
    """Calls two classes up, and by the name of each."""

    def utility(self, state, player):
        return 3 * Countdown.utility(self, state, player) + Misere.utility(self, state, player) / 2

    def result(self, state, action):
        return Countdown.result(self, Misere.result(self, state, 0), action)


class Doubled:
    """A mixin that is no game."""

    factor = 2

    def utility(self, state, player):
        return self.factor * (-1 if state.turn == player else 1)


class Mixed(Doubled, TakeThree):
    factor = 4


@pytest.mark.parametrize("variant", [TakeThree, Misere, Twice, Mixed])
def test_variants(variant):
    game = variant()
    assert agree(game) != agree(TakeThree() if variant is not TakeThree else Countdown())


def half(number):
    return number / 2


def collatz(number):
    return 0 if number == 1 else 1 + collatz(number // 2 if number % 2 == 0 else 3 * number + 1)


def factorial(number, so_far=1):
    return so_far if number <= 1 else factorial(number - 1, number * so_far)


def power(number, exponent=2):
    return number**exponent


class Cell(IntEnum):
    EMPTY = 0
    FULL = 7


TABLE = ((1, 2, 3), (4, 5, 6))
WEIGHTS = np.array([0.5, 0.25])
NUMBER = 3


def enclosed(number, table):
    def inner(x):
        return x * number + table[1]

    class Enclosed(Countdown):
        def utility(self, state, player):
            return inner(state.turn) + number

    return Enclosed


class Helpful(Countdown):
    """Helpers and constants of every kind."""

    SIZE = 6
    PAIRS = ((1, 2), (3, 4))
    MATRIX = np.arange(6.0).reshape(2, 3)
    name = "helpful"

    def __init__(self, start=5, *, weights=(0.5, 1.5), table=None):
        super().__init__(start)
        self.weights = weights
        self.table = np.arange(4)[::-1] if table is None else table
        self.missing = None

    def scaled(self, number, by=3):
        return number * by

    def shifted(self, number, *, shift=1):
        return number + shift

    @staticmethod
    def plus(a, b=10):
        return a + b

    @classmethod
    def size(cls):
        return cls.SIZE

    @property
    def area(self):
        return self.SIZE * self.start


def helpful(body):
    """A game whose utility is what `body` says."""
    return type("Helpful", (Helpful,), {"utility": body})()


class Own(Helpful):
    SIZE = 8

    def utility(self, state, player):
        return Own.SIZE + Helpful.SIZE


def applied(function, number):
    return function(number)


def numbered(number):
    return number + NUMBER


HELP = {
    "a method": lambda self, state, player: self.scaled(state.turn),
    "a method with a default given": lambda self, state, player: self.scaled(state.turn, 5),
    "a method with a default named": lambda self, state, player: self.scaled(state.turn, by=5),
    "a method with a keyword": lambda self, state, player: self.shifted(state.turn, shift=2),
    "a method with a keyword left out": lambda self, state, player: self.shifted(state.turn),
    "a method called by keywords": lambda self, state, player: self.scaled(number=state.turn, by=2),
    "a static method": lambda self, state, player: self.plus(state.turn, 1),
    "a static method with its default": lambda self, state, player: self.plus(state.turn),
    "a static method by the class": lambda self, state, player: Helpful.plus(state.turn, 1),
    "a class method": lambda self, state, player: self.size() + state.turn,
    "a property": lambda self, state, player: self.area + state.turn,
    "a rule called by another": lambda self, state, player: self.to_move(self.result(state, 1)),
    "a class constant": lambda self, state, player: self.SIZE + self.PAIRS[1][state.turn] + self.MATRIX[1, state.turn],
    "a parameter": lambda self, state, player: self.weights[state.turn] * self.start,
    "an array that steps": lambda self, state, player: self.table[state.turn],
    "a parameter that is None": lambda self, state, player: 1 if self.missing is None else 2,
    "a text": lambda self, state, player: len(self.name) + (self.name == "helpful"),
    "a function": lambda self, state, player: half(state.turn),
    "a function that recurs": lambda self, state, player: collatz(9 + state.turn),
    "a function that recurs with a default": lambda self, state, player: factorial(4 + state.turn, 1),
    "a function with a default": lambda self, state, player: power(3 + state.turn),
    "a function that reads a constant": lambda self, state, player: numbered(state.turn),
    "a function given a keyword": lambda self, state, player: power(3, exponent=state.turn),
    "a function of Python's math": lambda self, state, player: math.sqrt(state.turn + 2),
    "an enumeration": lambda self, state, player: Cell.FULL + state.turn if state.turn != Cell.EMPTY else 0,
    "constants of the module": lambda self, state, player: TABLE[1][state.turn] * WEIGHTS[state.turn],
    "a function in a function": lambda self, state, player: applied(lambda x: x + 1, state.turn),
    "a list": lambda self, state, player: sum([i * state.turn for i in range(4)]),
}


@kernel
def payoff(game, state):
    return game.utility(state, 0) + 10 * game.utility(game.result(state, 1), 1)


@pytest.mark.sample(10)
@pytest.mark.parametrize("body", rows(HELP))
def test_helpers_and_constants(body):
    agree(helpful(body), payoff)


def test_constants_named_with_their_class():
    assert agree(Own(), payoff) == 14 * 11


def test_variables_of_an_enclosing_function():
    first, second = enclosed(2, (3, 4))(), enclosed(5, (6, 7))()
    assert agree(first, payoff) == 6 + 10 * 8
    assert agree(second, payoff) == 12 + 10 * 17


def test_helpers_in_other_modules(fresh):
    module = fresh(
        far="""
import near
from near import twice
from compile.test_compile import Countdown, State
class Far(Countdown):
    def utility(self, state, player):
        return near.more(state.turn) + twice(state.turn) + near.TABLE[state.turn] + near.deep.most(1)
""",
        near="import deep\nTABLE = (5, 6)\ndef more(x, by=1): return x + by\ndef twice(x): return 2 * more(x, 3)\n",
        deep="def most(x): return x + 100\n",
    )
    assert agree(module.Far(), payoff) == (1 + 6 + 5 + 101) + 10 * (2 + 8 + 6 + 101)


@numba.njit
def squared(x):
    return x * x


@numba.njit
def summed(n):
    return np.arange(n).sum() + np.zeros(2).max() + squared(n)


class WithNumba(Countdown):
    """Calls functions that the user compiled with Numba, which nobody has called before."""

    def utility(self, state, player):
        return squared(state.turn + 3) + summed(4)


def test_functions_that_the_user_compiled_with_numba_work_before_and_after():
    game = WithNumba()
    compiled = payoff(game, game.initial_state())
    assert (squared(5), squared(2.5), summed(3)) == (25, 6.25, 12)
    assert payoff.interpreted(game, game.initial_state()) == compiled


@pytest.mark.nightly
def test_other_code_compiled_with_numba_after_a_kernel_works():
    agree(Countdown(4))

    @numba.njit
    def sorted_sum(n):
        return np.sort(np.arange(n)[::-1])[:2].sum() + np.ones((2, 2)).sum()

    assert sorted_sum(5) == 5


class Optional(Countdown):
    """Rules that need not be there."""

    def probability(self, state, action):
        return 0.25 * action

    def information(self, state, player):
        return (state.left, player)

    def evaluate(self, state, player):
        return state.left - player

    def order(self, state, action):
        return -action

    def is_quiet(self, state):
        return state.left

    def key(self, state):
        return state.left

    def symmetries(self, state):
        return (state, State(state.left, 1 - state.turn))

    def features(self, state):
        return np.array([state.left, state.turn, 1])


@kernel
def optional(game, state):
    found = game.evaluate(state, 1) + 2.0 * game.order(state, 1) + 4.0 * game.probability(state, 2)
    found += 8.0 * game.information(state, 1)[0]
    for same in game.symmetries(state):
        found = 3 * found + same.turn
    for feature in game.features(state):
        found = 3 * found + feature
    if game.is_quiet(state):
        found += 0.5
    if defines(game, "probability") and not defines(game, "evaluate"):
        found = -found
    return found + game.key(state)


def test_the_optional_rules_compile():
    agree(Optional(), optional)


class Tossed(Countdown):
    """Chance moves in turn with player 0."""

    def to_move(self, state):
        return 0 if state.turn == 0 else CHANCE

    def probability(self, state, action):
        return 1 / 3 if action == 1 else 2 / 3


@kernel
def expected(game, state):
    if game.is_terminal(state):
        return game.utility(state, 0)
    value = 0.0 if game.to_move(state) == CHANCE else -1e9
    for action in legal_actions(game, state):
        below = expected(game, game.result(state, action))
        if game.to_move(state) == CHANCE:
            value += game.probability(state, action) * below
        else:
            value = max(value, below)
    return value


def test_chance_and_probability():
    assert -1 < agree(Tossed(6), expected) < 1


# -- kernels ----------------------------------------------------------------------------------------------------------


@kernel
def is_even(game, n):
    return True if n == 0 else is_odd(game, n - 1)


@kernel
def is_odd(game, n):
    return False if n == 0 else is_even(game, n - 1)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


@kernel
def through_functions(game, n):
    return 10 * collatz(n) + even(n)


@kernel
def through_kernels(game, state, depth):
    return total(game, state) * depth + child(game, state, 1).left


@kernel
def with_defaults(game, state, depth=3, scale=0.5):
    return state.left * depth + scale


def test_kernels_call_kernels_and_functions():
    agree(Countdown(), through_kernels, 3)


def test_kernels_that_call_each_other():
    for n in (0, 7, 10):
        assert is_even(Countdown(), n) == (n % 2 == 0)
        assert is_odd(Countdown(), n) == (n % 2 == 1)


def test_functions_that_call_each_other():
    for n in (1, 7, 10):
        assert through_functions(Countdown(), n) == through_functions.interpreted(Countdown(), n)


@pytest.mark.parametrize(
    ("args", "keywords"), [((), {}), ((4,), {}), ((), {"depth": 4}), ((), {"scale": 2.0}), ((4, 2.0), {})]
)
def test_a_kernel_has_defaults_and_keywords(args, keywords):
    game = Countdown()
    state = game.initial_state()
    assert with_defaults(game, state, *args, **keywords) == with_defaults.interpreted(game, state, *args, **keywords)


def test_kernels_pack_and_unpack_states():
    for game in (Rich(), Countdown(), OneInt(), OneArray()):
        states = [game.initial_state()]
        states += [game.result(states[0], action) for action in (1, 2)]
        expected_totals = [total.interpreted(game, state) for state in states]
        assert [from_pack(game, pack(game, states), i) for i in range(3)] == expected_totals


@kernel
def from_pack(game, packed, index):
    return total(game, unpack(game, packed, index))


def test_states_with_arrays_of_several_shapes_are_not_packed():
    with pytest.raises(RulesError, match="different shapes"):
        pack(OneArray(), [np.zeros(2, np.int8), np.zeros(3, np.int8)])


@pytest.mark.nightly
def test_threads_that_compile_and_run_at_once_agree(python):
    """In a process of their own: what goes wrong there would spoil every later compilation."""
    source = """if True:
        import sys, threading
        sys.path.insert(0, FOLDER)
        sys.setswitchinterval(1e-5)
        from compile.test_compile import Countdown, Misere, Rich, child, cast_state, payoff, total
        calls = [(total, game) for game in (Countdown(14), Countdown(15), Misere(9), Rich(6))] * 2
        calls += [(payoff, game) for game in (Countdown(14), Misere(9))]
        found = [None] * len(calls)
        def run(i):
            kernel, game = calls[i]
            found[i] = kernel(game, cast_state(game, game.initial_state()))
        threads = [threading.Thread(target=run, args=[i]) for i in range(len(calls))]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(found == [kernel.interpreted(game, game.initial_state()) for kernel, game in calls])
    """
    assert python("-c", source.replace("FOLDER", repr(str(Path(__file__).parents[1])))) == "True"


SPINS = 4_000_000_000


@kernel
def wait(game, stop, spins):
    """Spin until another thread writes to `stop`."""
    while stop[0] == 0 and spins[0] < SPINS:
        spins[0] += 1
    return stop[0]


def test_a_running_kernel_lets_other_threads_run():
    game, stop, spins = Countdown(), np.zeros(1, np.int64), np.zeros(1, np.int64)
    run = wait.prepare(game, stop, spins)
    thread = threading.Thread(target=run, args=(game, stop, spins))
    thread.start()
    time.sleep(0.05)
    stop[0] = 1  # without the lock released, this is not reached until the kernel gives up
    thread.join()
    assert 0 < spins[0] < SPINS


class Raises(Countdown):
    def result(self, state, action):
        if state.left == 3:
            raise ValueError("three left")
        if state.left == 2:
            raise IllegalAction("not with two left")
        if state.left == 1:
            raise KeyError("left", state.left)
        if state.left == 7:
            raise AssertionError("seven left")
        return State(state.left - action, 10 // (state.left - 6))


@pytest.mark.parametrize(
    ("left", "error", "args"),
    [
        (3, ValueError, ("three left",)),
        (2, IllegalAction, ("not with two left",)),
        (1, KeyError, ("left", 1)),
        (7, AssertionError, ("seven left",)),
    ],
)
def test_an_exception_in_compiled_rules_is_that_exception(left, error, args):
    game = Raises()
    for run in (child, child.interpreted):
        with pytest.raises(error) as caught:
            run(game, cast_state(game, State(left, 0)), 1)
        assert args is None or caught.value.args == args
    assert child(game, cast_state(game, State(8, 0)), 1) == State(7, 5)  # and the next call is well


def test_an_operator_that_fails_in_compiled_rules_names_the_rule():
    with pytest.raises(RulesError, match=r"Raises.result in test_compile.py: division by zero"):
        child(Raises(), cast_state(Raises(), State(6, 0)), 1)


def test_nothing_of_numba_is_imported_before_it_is_needed():
    source = """if True:
        import sys
        def new(): return sorted({"numba", "numpy", "llvmlite"} & set(sys.modules))
        import outplay
        print(new())
        from outplay import Game, kernel, legal_actions, AlphaBeta, Limit
        import outplay.games, outplay.search
        game = outplay.games.ConnectFour()
        game.result(game.initial_state(), 3)
        class Text(outplay.games.TicTacToe):
            compiled = False
        @kernel
        def leaves(game, state, depth):
            total = int(depth == 0)
            if depth:
                for action in legal_actions(game, state):
                    total += leaves(game, game.result(state, action), depth - 1)
            return total
        assert leaves(Text(), Text().initial_state(), 2) == 72
        assert AlphaBeta(Text()).search(limit=Limit(depth=2)).nodes
        print(new())
        assert leaves(game, game.initial_state(), 2) == 49
        print(new(), "numba.np.arrayobj" in sys.modules, "scipy.linalg" in sys.modules)
    """
    command, environment = [sys.executable, "-W", "error", "-c", source], {**os.environ, "OUTPLAY_CACHE": "off"}
    lines = subprocess.check_output(command, text=True, env=environment).splitlines()
    assert lines == ["[]", "['numpy']", "['llvmlite', 'numba', 'numpy'] True False"]


# -- rules that do not compile ----------------------------------------------------------------------------------------

OFFENCES = """
import json
from typing import NamedTuple
import numpy as np
from outplay import Game
import wrong
from compile.test_compile import Countdown, State

class Thing:
    def value(self): return 1
    def __getattr__(self, name): raise AttributeError(name)

THING, LISTS, WEIGHTS = Thing(), [[0, 1], "b"], {0: 1, "b": 2}

class Named(NamedTuple):
    left: int
    name: object

class Offence(Countdown):
    colours = [1, "b"]
    def __init__(self):
        super().__init__(2)
        self.heaps, self.thing, self.mixed = [3, "b"], Thing(), ((1, 2), ("a", "b", "c"))
        self.objects = np.array([{}, 1], object)
    def colour(self, x):
        y = x + 1
        return y * len(json.dumps(y))  # <- through colour
"""


OF_RESULT = (
    "def result(self, state, action):\n    left = state.left - action\n    {}\n    return State(left, 1 - state.turn)"
)
OF_UTILITY = "def utility(self, state, player):\n    one = 1\n    {}\n    return one"


def result(line):
    return OF_RESULT.format(line.replace("\n", "\n    "))


def utility(line):
    return OF_UTILITY.format(line.replace("\n", "\n    "))


OFFENCE = {
    "a dict of several types": (utility('one = len({1: state.left, 2: "b"})  # <-'), ""),
    "an f-string in an exception": (
        result('if left < 0:\n    raise ValueError(f"{state!r:>3}")  # <-'),
        "f-string|FORMAT",
    ),
    "_asdict": (result("left = sum(state._asdict().values()) - state.turn - action  # <-"), "_asdict"),
    "bytes in the state": (
        'def initial_state(self):\n    two = 2\n    return Named(two, b"hello")  # <-\n'
        "def to_move(self, state): return 0\n"
        "def result(self, state, action): return Named(state.left - action, state.name)\n"
        "def utility(self, state, player): return 1",
        "name is a bytes",
    ),
    "a set with None in the state": (
        "def initial_state(self):\n    two = 2\n    return Named(two, {None})  # <-\n"
        "def to_move(self, state): return 0\ndef result(self, state, action): return Named(state.left - action, 1)\n"
        "def utility(self, state, player): return 1",
        "name is a set of None",
    ),
    "a dict for a state": (
        "def initial_state(self):\n    two = 2\n    return {True: two}  # <-\n"
        "def to_move(self, state): return 0\ndef actions(self, state): return [1] if state[True] else []\n"
        "def is_terminal(self, state): return not state[True]\n"
        "def result(self, state, action): return {True: state[True] - action}\n"
        "def utility(self, state, player): return 1",
        "the state is a dict with keys that are bools",
    ),
    "a big int in the state": (
        "def initial_state(self):\n    two = 2\n    return State(1 << 70, two)  # <-\n"
        "def is_terminal(self, state): return True\n",
        "more than 63 bits",
    ),
    "None in a later state": (
        "def initial_state(self): return Named(2, 1)\ndef to_move(self, state): return 0\n"
        "def result(self, state, action):\n    left = state.left - action\n    return Named(left, None)  # <-\n"
        "def utility(self, state, player): return 1",
        "field name of the state is None here, but an int",
    ),
    "a float in a field of ints": (
        "def to_move(self, state): return 0\ndef result(self, state, action):\n"
        "    half = state.turn / 2\n    return State(state.left - action, half)  # <-",
        "field turn of the state is a float here, but an int",
    ),
    "a state of another length": (
        "def result(self, state, action):\n    left = state.left - action\n    return (left, 1, 2)  # <-\n"
        "def is_terminal(self, state): return state[0] <= 1\ndef to_move(self, state): return 0\n"
        "def utility(self, state, player): return 1",
        "the state",
    ),
    "states of two types": (
        "def result(self, state, action):\n    left = state.left - action\n    if left > 0:\n"
        "        return State(left, 0.5)  # <-\n    return State(left, 0)  # <-\ndef to_move(self, state): return 0",
        "field turn of the state is a float here, but an int",
    ),
    "with": (utility('with np.errstate(all="ignore"):  # <-\n    one = 1'), "with cannot"),
    "a missing function of NumPy": (utility('one = np.einsum("i,i", np.ones(3), np.ones(3))  # <-'), "einsum"),
    "a method of any object": (utility("one = THING.value()  # <-"), "THING"),
    "an attribute that is any object": (utility("one = self.thing.value()  # <-"), "self.thing is a Thing"),
    "a list of ints and strings": (
        utility("one = self.heaps[0]  # <-"),
        "self.heaps: a constant mixes ints and strings",
    ),
    "a list in the class": (utility("one = self.colours[0]  # <-"), "self.colours: a constant mixes"),
    "an array of objects": (utility("one = len(self.objects)  # <-"), "self.objects is"),
    "a list of the module": (utility("one = LISTS[0][1]  # <-"), "a constant mixes lists of ints and strings"),
    "a dict of the module": (utility("one = WEIGHTS[0]  # <-"), "a constant mixes ints and strings"),
    "a set of several types": (utility('one = len({state.left, "b"})  # <-'), "set"),
    "a list of several types": (utility('cells = [one]\ncells.append("b")  # <-\none = len(cells) - 1'), ""),
    "an attribute that does not exist": (utility("if state.left > 99:\n    one = self.kolour  # <-"), "kolour"),
    "a field that does not exist": (utility("if state.left > 99:\n    one = state.lefft  # <-"), "lefft"),
    "a name that does not exist": (utility("if state.left > 99:\n    one = nowhere  # <-"), "nowhere"),
    "a method that fails": (utility("one = self.colour(state.turn)  # through colour"), "dumps"),
    "a function of another module that fails": (utility("one = wrong.text(state.turn)  # through text"), "dumps"),
    "a tuple of several lengths": (utility("one = len(self.mixed[state.turn])  # <-"), "tuple"),
    "a value of two types": (utility('value = 1 if state.turn else "a"  # <-\none = len(str(value))'), "str"),
    "an assignment to an attribute": (utility("self.start = 2  # <-"), "start"),
    "a big int": (utility("one = 1 if state.left < (1 << 80) else 2  # <-"), "64 bits"),
}
WRONG = """
import json
def text(x):
    y = x + 1
    return len(json.dumps(y))  # <- through text
"""


@pytest.fixture
def offend(fresh):
    """A game with one offence, the file and the lines at fault."""

    def make(rule, declared=""):
        body = "\n".join("    " + line for line in (declared + rule).splitlines())
        module = fresh(offences=f"{OFFENCES}\nclass Offends(Offence):\n{body}\n", wrong=WRONG)
        called = re.search("# (through .*)", rule)
        through = f"# <- {called[1]}" if called else "# <-"
        places = []
        for file in (module.__file__, module.wrong.__file__):
            with open(file, encoding="utf-8") as lines:
                places += [(file, n, line.strip()) for n, line in enumerate(lines, 1) if through in line]
        if "# <-" in rule:
            places = [place for place in places if "through" not in place[2]]
        return module.Offends(), places

    return make


@pytest.mark.sample(2)
@pytest.mark.parametrize(("rule", "words"), rows(OFFENCE))
def test_rules_that_do_not_compile_run_interpreted_with_one_warning_of_three_lines(rule, words, offend):
    game, places = offend(rule)
    interpreted = total.interpreted(game, game.initial_state())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert total(game, cast_state(game, game.initial_state())) == interpreted
        assert total(game, cast_state(game, game.initial_state())) == interpreted
        assert total(type(game)(), game.initial_state()) == interpreted
    assert [warning.category for warning in caught] == [RunsInterpretedWarning]
    warning = caught[0]
    text = warnings.formatwarning(warning.message, warning.category, warning.filename, warning.lineno)
    assert text.count("\n") <= 3, text
    assert max(map(len, text.splitlines())) < 300 + len(warning.filename), text
    assert "outplay check --compile GAME shows all, compiled = False silences this" in text
    assert not FORBIDDEN.search(text.replace(warning.filename, "")), text
    assert re.search(words, text)
    assert "0x" not in text, text
    assert "Literal[" not in text, text
    assert (warning.filename, warning.lineno) in [place[:2] for place in places], text
    assert any(source in text for _, _, source in places), text


AS_DICT = OFFENCE["_asdict"][0]


def test_compiled_true_makes_it_an_error_each_time(offend):
    game, [(file, line, source)] = offend(AS_DICT, "compiled = True\n")
    for again in (game, game, type(game)()):
        with pytest.raises(RulesError) as caught:
            total(again, again.initial_state())
        text = str(caught.value)
        assert text.count("\n") <= 2
        assert text.startswith("Offends.result does not compile, and Offends says compiled = True")
        assert f"{file.rpartition('/')[2]}:{line}" in text
        assert source in text
        assert "_asdict" in text


def test_compiled_true_is_an_error_for_a_state_without_a_native_form(offend):
    game, _ = offend(OFFENCE["a set with None in the state"][0], "compiled = True\n")
    for again in (game, game, type(game)()):
        with pytest.raises(RulesError, match="says compiled = True"):
            cast_state(again, again.initial_state())


def test_compiled_true_says_nothing_where_rules_compile():
    class Insists(Countdown):
        compiled = True

    assert agree(Insists()) == COUNTDOWN


def test_compiled_false_is_silent(offend):
    game, _ = offend(AS_DICT, "compiled = False\n")
    assert not runs_compiled(game)
    state = game.initial_state()
    assert cast_state(game, state) is state
    assert unpack(game, pack(game, [state, state]), 1) is state
    assert total(game, state) == total.interpreted(game, state)

    class Chooses(Countdown):
        compiled = False

        def initial_state(self):
            return State("any", "thing")

        def is_terminal(self, state):
            return True

    assert child(Chooses(), State(5, 0), 1) == State(4, 1)


def warned(*calls):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for call in calls:
            call()
    return [warning.category.__name__ for warning in caught]


class Slow(Countdown):
    def __init__(self, start=5, thing=None):
        super().__init__(start)
        self.thing = thing

    def result(self, state, action):
        return State(sum(state._asdict().values()) - state.turn - action, 1 - state.turn)


def test_a_class_warns_once_whatever_its_size_and_kernel():
    class Warns(Slow):
        pass

    first, second = Warns(4), Warns(5)
    state = (
        cast_state(first, first.initial_state()),
        cast_state(second, second.initial_state()),
    )  # both believed to compile
    calls = [
        lambda: total(first, state[0]),
        lambda: total(second, state[1]),
        lambda: child(first, state[0], 1),
        lambda: total(Warns(6), State(6, 0)),
        lambda: runs_compiled(Warns(7)),
    ]
    assert warned(*calls) == ["RunsInterpretedWarning"]


def test_a_class_of_any_objects_warns_once():
    class Warns(Slow):
        pass

    games = [Warns(5, thing=object()) for _ in range(3)]
    assert warned(*[lambda game=game: total(game, State(5, 0)) for game in games]) == ["RunsInterpretedWarning"]


def test_another_class_of_the_same_name_warns_for_itself():
    def make():
        class Warns(Slow):
            pass

        return Warns()

    assert warned(*[lambda: total(make(), State(5, 0))] * 2) == ["RunsInterpretedWarning"] * 2


def test_a_search_of_a_game_that_turns_out_not_to_compile_runs_interpreted():
    class Warns(Slow):
        pass

    found = []
    assert warned(lambda: found.append(Minimax(Warns()).search())) == ["RunsInterpretedWarning"]
    assert found[0].value == Minimax(Countdown()).search().value
    assert warned(lambda: found.append(Minimax(Warns()).search())) == []
    assert found[0] == found[1]


def test_any_python_object_may_be_a_state():
    class Words(Game):
        """Take letters off a word; the state is a dict, a set and a text."""

        compiled = False

        def initial_state(self):
            return {"word": "abc", "seen": frozenset()}

        def to_move(self, state):
            return len(state["seen"]) % 2

        def actions(self, state):
            return range(len(state["word"]))

        def result(self, state, action):
            word = state["word"]
            return {"word": word[:action] + word[action + 1 :], "seen": state["seen"] | {word[action]}}

        def is_terminal(self, state):
            return not state["word"]

        def utility(self, state, player):
            return 1 if (len(state["seen"]) % 2 == 0) == (player == 0) else -1

    game = Words()
    assert total(game, game.initial_state()) == total.interpreted(game, game.initial_state())
    assert Minimax(game).search().value == -1


def test_an_error_in_the_rules_themselves_is_named():
    class Fails(Countdown):
        def initial_state(self):
            return State(self.begin, 0)

    with pytest.raises(RulesError, match=r"Fails.initial_state\(\) failed: AttributeError: .*begin"):
        cast_state(Fails(), State(1, 0))


def test_a_wrong_argument_of_a_kernel_is_named_in_few_lines():
    for wrong in ((5, 0, 0), 5, "text"):
        with pytest.raises(RulesError, match="total") as caught:
            total(Countdown(), wrong)
        assert str(caught.value).count("\n") <= 3


# -- changes while it runs --------------------------------------------------------------------------------------------

CELL = """
from typing import NamedTuple
from outplay import Game, kernel
class State(NamedTuple):
    left: int
    turn: int
def more(x): return x + 1
EXTRA = 0
def seen(x): return x
SHIFT = 0
class G(Game):
    BONUS = 0
    def __init__(self, start=3): self.start = start
    def initial_state(self): return State(self.start, 0)
    def to_move(self, state): return state.turn
    def actions(self, state):
        yield 1
    def result(self, state, action): return State(more(state.left) + EXTRA + self.BONUS + self.start - 3, 0)
    def is_terminal(self, state): return state.left <= 0
    def utility(self, state, player): return 1.0
@kernel
def inner(game, state): return seen(game.result(state, 1).left)
@kernel
def child(game, state): return inner(game, state) + SHIFT
g = G()
"""
CHANGES = {
    "nothing": ("", 4),
    "a function": ("def more(x): return x + 2", 5),
    "a function, twice": ("def more(x): return x + 2\nchild(g, State(3, 0))\ndef more(x): return x + 3", 6),
    "a constant": ("EXTRA = 10", 14),
    "a class constant": ("G.BONUS = 100", 104),
    "a method": ("G.result = lambda self, state, action: State(50, 0)", 50),
    "a parameter": ("g.start = 4", 5),
    "an attribute over a class constant": ("g.BONUS = 1000", 1004),
    "the class": (CELL.replace("x + 1", "x + 7"), 10),
    "the class, as it was": (CELL.replace("x + 1", "x + 7") + "child(g, State(3, 0))" + CELL, 4),
    "a function of the kernel": ("def seen(x): return -x", -4),
    "a constant of the kernel": ("SHIFT = 0.5", 4.5),
    "a kernel of the kernel": ("@kernel\ndef inner(game, state): return 77", 77),
    "the kernel": ("@kernel\ndef child(game, state): return 78", 78),
}


@pytest.mark.parametrize("compiled", [None, False], ids=["compiled", "interpreted"])
@pytest.mark.parametrize(("cell", "answer"), rows(CHANGES))
def test_what_a_notebook_defines_anew_counts_at_once(cell, answer, compiled, fresh):
    notebook = vars(fresh(notebook=CELL))
    notebook["G"].compiled = compiled

    def run(text):
        exec(compile(text, "<cell>", "exec"), notebook)
        return notebook["child"](notebook["g"], notebook["State"](3, 0))

    assert run("") == 4
    assert run(cell) == answer


def test_what_is_defined_anew_counts_beside_what_has_no_fingerprint(fresh):
    text = CELL.replace("class G", "import numba\n@numba.vectorize\ndef also(x): return x\nclass G")
    text = text.replace("more(state.left)", "also(0) + more(state.left)").replace(
        "return inner", "return also(0) + inner"
    )
    notebook = vars(fresh(notebook=text))
    for cell, answer in (("", 4), ("def more(x): return x + 2", 5), ("def seen(x): return -x", -5)):
        exec(cell, notebook)
        assert notebook["child"](notebook["g"], notebook["State"](3, 0)) == answer


def test_a_module_loaded_anew_counts_at_once(fresh):
    text = CELL.replace("def more(x): return x + 1", "import near").replace("more(state.left)", "near.more(state.left)")
    module = fresh(notebook=text, near="def more(x): return x + 1\n")
    state = module.State(3, 0)
    assert module.child(module.g, state) == 4
    near = sys.modules["near"]
    with open(near.__file__, "w", encoding="utf-8") as file:
        file.write("def more(x): return x + 2\n# longer\n")
    importlib.invalidate_caches()
    importlib.reload(near)
    assert module.child(module.g, state) == 5


# -- random programs --------------------------------------------------------------------------------------------------


class Edges(NamedTuple):
    """A walk on a graph, the graph in the state."""

    node: int
    ply: int
    targets: np.ndarray  # int64 [nodes, degree]; below 0: no edge
    payoffs: np.ndarray  # float64 [nodes]


class Walk(Game):
    def initial_state(self):
        return Edges(0, 0, np.zeros((1, 1), np.int64), np.zeros(1))

    def to_move(self, state):
        return (state.node + state.ply) % 2

    def actions(self, state):
        for action in range(state.targets.shape[1]):
            if state.targets[state.node, action] >= 0:
                yield action

    def result(self, state, action):
        return Edges(state.targets[state.node, action], state.ply + 1, state.targets, state.payoffs)

    def is_terminal(self, state):
        return state.ply == 5 or state.targets[state.node].max() < 0

    def utility(self, state, player):
        return state.payoffs[state.node] * (1 - 2 * player)


class FixedWalk(Game):
    """The same, the graph a parameter: an array, or nested tuples."""

    def __init__(self, targets, payoffs, nested):
        self.targets = tuple(map(tuple, targets)) if nested else np.array(targets)
        self.payoffs = tuple(payoffs) if nested else np.array(payoffs)
        self.degree = len(targets[0])

    def initial_state(self):
        return (0, 0)

    def to_move(self, state):
        return (state[0] + state[1]) % 2

    def actions(self, state):
        for action in range(self.degree):
            if self.targets[state[0]][action] >= 0:
                yield action

    def result(self, state, action):
        return (self.targets[state[0]][action], state[1] + 1)

    def is_terminal(self, state):
        for target in self.targets[state[0]]:
            if target >= 0:
                return state[1] == 5
        return True

    def utility(self, state, player):
        return self.payoffs[state[0]] * (1 - 2 * player)


@st.composite
def graphs(draw):
    nodes, degree = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    row = st.lists(st.integers(-2, nodes - 1), min_size=degree, max_size=degree)
    targets = draw(st.lists(row, min_size=nodes, max_size=nodes))
    payoffs = st.integers(-3, 3).map(float) | st.floats(-9, 9)
    return targets, draw(st.lists(payoffs, min_size=nodes, max_size=nodes))


@given(graphs())
def test_walks_on_random_graphs_agree(graph):
    state = Edges(0, 0, np.array(graph[0], np.int64), np.array(graph[1]))
    assert total(Walk(), cast_state(Walk(), state)) == total.interpreted(Walk(), state)


@pytest.mark.nightly
@given(graphs(), st.booleans())
@settings(max_examples=12)
def test_walks_on_random_graphs_that_are_parameters_agree(graph, nested):
    agree(FixedWalk(*graph, nested=nested))


NAMES = st.sampled_from(["state.left", "state.turn", "action", "self.a", "self.T[state.left % 3]", "A[action % 2]"])
EXPRESSIONS = st.recursive(
    NAMES | st.integers(-9, 9).map(str),
    lambda inner: (
        st.tuples(inner, st.sampled_from("+-*&|^"), inner).map(" ".join).map("({})".format)
        | st.tuples(inner, st.sampled_from(["//", "%"]), st.sampled_from("3579")).map(" ".join).map("({})".format)
        | st.tuples(inner, inner, inner).map(lambda parts: "({} if {} > {} else {})".format(*parts, parts[1]))
        | st.tuples(inner, inner).map(lambda parts: "max({}, {})".format(*parts))
        | inner.map("abs({})".format)
        | inner.map("-{}".format)
        | inner.map("mixed(self, {})".format)
        | inner.map("self.doubled({})".format)
    ),
    max_leaves=8,
)
PROGRAM = """
from compile.test_compile import Countdown, State
import numpy as np
A = np.array([5, -3])
def mixed(game, x, y=7): return (x ^ y) % 1000 + game.a
class Random(Countdown):
    T = (2, -1, 4)
    def __init__(self, a):
        super().__init__(4)
        self.a = a
    def doubled(self, x): return 2 * x % 10007
    def actions(self, state):
        for action in range(3):
            if (state.left + {}) % 3 != 0: yield action
    def result(self, state, action):
        found = 1
        for i in range(action + 2):
            found += ({}) % 1001
            if found % 5 == i: break
        return State(state.left - 1, found)
    def to_move(self, state): return state.turn % 2
    def is_terminal(self, state): return state.left == 0
    def utility(self, state, player):
        action = player
        return {} / 8
"""


@given(EXPRESSIONS, EXPRESSIONS, EXPRESSIONS, st.integers(-5, 5))
@settings(max_examples=6)
def test_random_programs_agree(actions, result, utility, a):
    namespace = {"__name__": "random_program"}
    exec(PROGRAM.format(actions, result, utility), namespace)
    agree(namespace["Random"](a))


def test_this_module_pickles_its_kernels():
    assert pickle.loads(pickle.dumps(total)) is total


class Heaps(NamedTuple):
    left: np.ndarray


class Piles(Game):
    """Nim over an array, with generators over it: one inside another, and one that is left early."""

    def initial_state(self):
        return Heaps(np.array([1, 2, 2]))

    def to_move(self, state):
        return int(state.left.sum()) & 1

    def heaps(self, state):
        for heap in range(len(state.left)):
            if state.left[heap] > 0:
                yield heap

    def actions(self, state):
        for heap in self.heaps(state):  # noqa: UP028 - `yield from` does not compile
            yield heap

    def result(self, state, action):
        left = state.left.copy()
        left[action] -= 1
        return Heaps(left)

    def is_terminal(self, state):
        for _ in self.actions(state):
            return False
        return True

    def utility(self, state, player):
        return 1 if player == 0 else -1


@kernel
def count_lines(game, state):
    """How many games there are."""
    if game.is_terminal(state):
        return 1
    lines = 0
    for action in legal_actions(game, state):
        lines += count_lines(game, game.result(state, action))
    return lines


def test_generators_over_arrays_give_back_their_memory():
    from numba.core.runtime import _nrt_python, rtsys

    _nrt_python.memsys_enable_stats()
    game = Piles()
    state = cast_state(game, game.initial_state())
    for _ in range(3):  # until there is a pool, with all that is needed
        assert count_lines(game, state) == 30  # 5! / (1! 2! 2!)
    before = rtsys.get_allocation_stats()
    assert count_lines(game, state) == 30
    after = rtsys.get_allocation_stats()
    made, freed = after.alloc - before.alloc, after.free - before.free
    if memory.are_supported():  # then there is no need to ask for more
        assert made == freed < 5
    else:
        assert 100 < made == freed


class NotReady(Countdown):
    """A game whose actions fail in the initial state."""

    def actions(self, state):
        if state.turn >= 0:
            raise ValueError("not ready")
        return [1]


@kernel
def first_action(game, state):
    for action in legal_actions(game, state):
        return action
    return 0


def test_a_rule_that_fails_in_the_initial_state_raises_its_own_error():
    with pytest.raises(ValueError, match="not ready"):
        first_action(NotReady(), NotReady().initial_state())
