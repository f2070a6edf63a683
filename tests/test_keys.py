"""Keys of states: the same from compiled and interpreted code, equal for equal states, different for others."""

import dataclasses
import os
import subprocess
import sys
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from conftest import rows
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from outplay import Game, RulesError, kernel, state_key
from outplay.kernels import gate, runs_compiled


class Inner(NamedTuple):
    small: int
    flag: bool


class Whole(NamedTuple):
    number: int
    inner: Inner
    pair: tuple[int, tuple[bool, int]]
    bytes_: np.ndarray
    words: np.ndarray
    flags: np.ndarray
    board: np.ndarray


class Real(NamedTuple):
    number: float
    pair: tuple[int, float]
    weights: np.ndarray
    halves: np.ndarray


class Still(Game):
    """A state and nothing else: the rules do not matter here."""

    def to_move(self, state):
        return 0

    def actions(self, state):
        yield 0

    def result(self, state, action):
        return state

    def is_terminal(self, state):
        return False

    def utility(self, state, player):
        return 0.0


class OfInts(Still):
    def initial_state(self):
        zeros = np.zeros(3, np.int8), np.zeros(3, np.int64), np.zeros(2, np.bool_), np.zeros((2, 2), np.int16)
        return Whole(0, Inner(0, False), (0, (False, 0)), *zeros)


class OfFloats(Still):
    def initial_state(self):
        return Real(0.0, (0, 0.0), np.zeros(2), np.zeros(2, np.float32))


class OfOneInt(Still):
    def initial_state(self):
        return 0


class OfOneArray(Still):
    def initial_state(self):
        return np.zeros(9, np.int8)


class OfUnsigned(Still):
    def initial_state(self):
        return (np.uint64(0), np.zeros(2, np.uint64))


@kernel
def key(game, state):
    return state_key(game, state)


def both(game, state):
    """The key at both speeds, which is the same."""
    assert runs_compiled(game)
    compiled = key(game, gate(game, state))
    assert compiled == state_key(game, state) == key.interpreted(game, state)
    assert type(state_key(game, state)) is int
    return compiled


ints = st.integers(-(2**63), 2**63 - 1)
floats = st.floats(allow_nan=False)
whole_states = st.builds(
    Whole,
    ints,
    st.builds(Inner, ints, st.booleans()),
    st.tuples(ints, st.tuples(st.booleans(), ints)),
    arrays(np.int8, array_shapes(max_dims=1)),
    arrays(np.int64, array_shapes(max_dims=1)),
    arrays(np.bool_, array_shapes(max_dims=1)),
    arrays(np.int16, array_shapes(min_dims=2, max_dims=2)),
)
real_states = st.builds(
    Real,
    floats,
    st.tuples(ints, floats),
    arrays(np.float64, 2, elements=floats),
    arrays(np.float32, 2, elements=st.floats(width=32, allow_nan=False)),
)


# -- compiled and interpreted -----------------------------------------------------------------------------------------


@given(whole_states)
def test_a_state_of_ints_bools_and_arrays_has_one_key(state):
    both(OfInts(), state)


@given(real_states)
@example(Real(-0.0, (0, 0.0), np.array([-0.0, 1e308]), np.array([0.1, -0.0], np.float32)))
@example(Real(float("inf"), (0, float("-inf")), np.array([5e-324, 1.0]), np.zeros(2, np.float32)))
@settings(max_examples=60)
def test_a_state_of_floats_has_one_key(state):
    both(OfFloats(), state)


@given(ints)
def test_a_state_that_is_an_int_has_one_key(state):
    both(OfOneInt(), state)


@given(arrays(np.int8, 9))
def test_a_state_that_is_an_array_has_one_key(state):
    both(OfOneArray(), state)


@given(st.integers(0, 2**64 - 1), arrays(np.uint64, 2))
@example(2**64 - 1, np.array([2**63, 2**64 - 1], np.uint64))
@settings(max_examples=40)
def test_unsigned_boards_have_one_key(board, boards):
    both(OfUnsigned(), (np.uint64(board), boards))


def test_the_layout_of_an_array_does_not_matter():
    board = np.arange(12, dtype=np.int16).reshape(3, 4)
    state = OfInts().initial_state()
    expected = both(OfInts(), state._replace(board=board))
    assert both(OfInts(), state._replace(board=np.asfortranarray(board))) == expected
    assert both(OfInts(), state._replace(board=np.repeat(board, 2, axis=1)[:, ::2])) == expected


def test_the_key_that_a_game_defines_is_the_one_that_counts():
    class Halved(OfOneInt):
        def key(self, state):
            return state // 2

    class Named(OfOneInt):
        def key(self, state):
            return (state % 3, np.array([state // 2, 1]))

    assert both(Halved(), 4) == both(Halved(), 5) != both(Halved(), 6)
    assert both(Named(), 4) != both(Named(), 5) != both(Named(), 10)


# -- equal states -----------------------------------------------------------------------------------------------------


class Anything(Still):
    compiled = False

    def initial_state(self):
        return None


def key_of(state):
    """The key of any value, interpreted."""
    return state_key(Anything(), state)


EQUAL = {
    "zeros": (0.0, -0.0),
    "zeros of NumPy": (np.float64(-0.0), 0.0),
    "arrays of zeros": (np.array([0.0, -0.0]), np.array([-0.0, 0.0])),
    "bool and int": ((True, 2), (1, 2)),
    "NumPy bool and bool": ((np.bool_(True),), (True,)),
    "NumPy int and int": ((np.int8(-5),), (-5,)),
    "a named tuple and a tuple": (Inner(1, True), (1, True)),
    "arrays of other widths": (np.array([1, -2], np.int8), np.array([1, -2], np.int64)),
    "dicts in any order": ({1: "a", 2: "b"}, {2: "b", 1: "a"}),
    "sets in any order": (frozenset(["x", "y", "z", 8, 16]), frozenset([16, "z", 8, "y", "x"])),
    "dicts of lists": ({1: [1, 2], 2: []}, {2: [], 1: [1, 2]}),
    "dicts of sets": ({1: {1, 2}}, {1: {2, 1}}),
    "strings": ("ab" + str(1), "a" + "b1"),
    "int and float": ((1, 2), (1.0, 2.0)),
    "fractions": (Fraction(1, 2), Fraction(2, 4)),
}
DIFFERENT = {
    "None and 0": ((None, 1), (0, 1)),
    "None, 0 and 1 on a board": ((None, 0, 1), (0, 0, 1)),
    "-1 and -2": ((-1,), (-2,)),
    "0 and nothing": ((0,), ()),
    "zeros": ((0, 0), (0, 0, 0)),
    "piles": (((1, 2), (3,)), ((1,), (2, 3))),
    "piles, one empty": (((), (1,)), ((1,), ())),
    "piles in lists": ([[1], [2]], [[1, 2], []]),
    "arrays of other lengths": ((np.array([1, 2]), np.array([3])), (np.array([1]), np.array([2, 3]))),
    "arrays of other shapes": (np.zeros((2, 3)), np.zeros((3, 2))),
    "a set and its sum": (frozenset({1, 4}), frozenset({2, 3})),
    "an empty set and 0": ((frozenset(), 1), (0, 1)),
    "values of dicts": ({1: 2, 3: 4}, {1: 4, 3: 2}),
    "strings": (("ab", "c"), ("a", "bc")),
    "a string and none": (("", 1), (1,)),
    "fields in another order": ((1, 2), (2, 1)),
    "the last bit": ((0.1 + 0.2,), (0.3,)),
}


@pytest.mark.parametrize(("one", "other"), rows(EQUAL))
def test_equal_states_have_equal_keys(one, other):
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize(("one", "other"), rows(DIFFERENT))
def test_different_states_have_different_keys(one, other):
    assert key_of(one) != key_of(other)


@kernel
def fill(game, rows, found):
    """The key of each row."""
    for i in range(len(rows)):
        found[i] = state_key(game, rows[i])


grid = np.indices((448, 448)).reshape(2, -1).T - 223
boards = np.indices((3,) * 11, np.int8).reshape(11, -1).T
lone_bits = 1 << np.indices((58, 58, 58)).reshape(3, -1).T


@pytest.mark.parametrize(
    "rows",
    [grid, boards[: 3**9, 2:], boards, boards - 1, lone_bits, grid * 0.5],
    ids=["two ints", "nine cells", "eleven cells", "eleven cells from -1", "lone bits", "two floats"],
)
def test_small_states_do_not_collide_and_fill_a_table_as_chance_would(rows):
    found = np.zeros(len(rows), np.int64)
    fill(OfOneArray(), np.ascontiguousarray(rows), found)
    assert list(found[::997]) == [key_of(row) for row in rows[::997]]
    assert len(np.unique(rows, axis=0)) == len(np.unique(found)) == len(rows)
    for shift in (0, 13, 44):  # a table takes some bits of a key as the slot
        slots = len(np.unique(found >> shift & 0xFFFFF))
        expected = (1 << 20) * -np.expm1(-len(rows) / (1 << 20))
        assert abs(slots - expected) < 0.01 * expected


def test_every_process_finds_the_same_key():
    source = """if True:
        from outplay.keys import SEED, mix
        print(mix(SEED, (1, -2, "text", 0.5, None, frozenset("abcdef"), {"a": 1, "b": (2,)})))
    """
    found = {
        subprocess.check_output([sys.executable, "-c", source], env={**os.environ, "PYTHONHASHSEED": str(seed)})
        for seed in range(3)
    }
    assert len(found) == 1


# -- what has no key --------------------------------------------------------------------------------------------------


class Unhashable:
    __hash__ = None


@pytest.mark.parametrize(
    "field",
    [Unhashable(), bytearray(b"x"), {1: Unhashable()}, [Unhashable()], {(1,): bytearray()}],
    ids=["an object", "bytes", "in a dict", "in a list", "by a tuple"],
)
def test_a_field_without_a_hash_is_refused_with_a_remedy(field):
    with pytest.raises(RulesError, match=r"cannot be hashed: define key\(state\)"):
        key_of((1, field))


def test_a_data_class_counts_by_its_fields():
    @dataclasses.dataclass
    class Card:
        rank: int
        suit: str

    assert key_of(Card(1, "hearts")) == key_of(Card(1, "hearts")) != key_of(Card(1, "spades"))
