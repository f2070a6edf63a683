"""Keys of states: the same from compiled and interpreted code, equal for equal states, different for others."""

import array
import collections
import copy
import dataclasses
import datetime
import enum
import functools
import pathlib
import re
import sys
import threading
import types
import uuid
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from shared import rows

from outplay import Game, RulesError, kernel, state_key
from outplay.compile.kernels import cast_state, runs_compiled

pytestmark = pytest.mark.compiled


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
    compiled = key(game, cast_state(game, state))
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
@settings(max_examples=30)
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


@pytest.mark.sample(2)
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


def test_every_process_finds_the_same_key(python):
    source = """if True:
        from outplay.rules.keys import SEED, mix
        print(mix(SEED, (1, -2, "text", 0.5, None, frozenset("abcdef"), {"a": 1, "b": (2,)})))
    """
    assert len({python("-c", source, PYTHONHASHSEED=seed) for seed in range(3)}) == 1


# -- objects ----------------------------------------------------------------------------------------------------------


class Plain:
    def __init__(self, **attributes):
        vars(self).update(attributes)


class Other(Plain):
    pass


class Slotted:
    __slots__ = ("x", "y")

    def __init__(self, **attributes):
        for name, value in attributes.items():
            setattr(self, name, value)


class MoreSlots(Slotted):
    __slots__ = ("__weakref__", "z")


class OpenSlots(Slotted):
    """With a `__dict__` as well."""


@dataclasses.dataclass
class Card:
    rank: int
    suit: str
    label: str = dataclasses.field(default="", compare=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    rank: int
    suit: str


@dataclasses.dataclass
class Tile:
    rank: int
    suit: str


class AddressHash(Plain):
    """Equal as its content says, but hashed by its address."""

    def __eq__(self, other):
        return vars(self) == vars(other)

    def __hash__(self):
        return id(self)


class ConstantHash(AddressHash):
    def __hash__(self):
        return 1


class Mark(enum.Enum):
    EMPTY = 0
    CROSS = 1


class Stone(enum.Enum):
    EMPTY = 0
    CROSS = 1


class Sides(enum.Flag):
    NORTH = 1
    EAST = 2


class Level(enum.IntEnum):
    LOW = 1


class Rows(list):
    pass


class Counted(int):
    pass


class Lazy:
    def __init__(self, cells):
        self.cells = cells

    @functools.cached_property
    def total(self):
        return sum(self.cells)


class Unhashable(Plain):
    __hash__ = None


def with_attribute(value, **attributes):
    vars(value).update(attributes)
    return value


def looked_at(lazy):
    lazy.total  # noqa: B018 - it stays in the object
    return lazy


class OfWidth(Still):
    def __init__(self, width):
        self.width = width

    def initial_state(self):
        return 0


ANY_OBJECT = {
    "attributes": lambda n: Plain(board=[0, n], turn=1),
    "slots": lambda n: Slotted(x=n, y=(1, 2)),
    "slots of a base class": lambda n: MoreSlots(x=n, y=1, z=2),
    "slots of its own": lambda n: MoreSlots(x=1, y=1, z=n),
    "slots and attributes": lambda n: with_attribute(OpenSlots(x=1, y=2), z=n),
    "a slot without a value": lambda n: Slotted(x=n),
    "objects in objects": lambda n: Plain(hands=[Plain(cards={n: Slotted(x=1, y=n)})]),
    "a data class": lambda n: Card(n, "hearts"),
    "a frozen data class with slots": lambda n: Frozen(n, "hearts"),
    "an object hashed by its address": lambda n: AddressHash(pile=n),
    "an object with a constant hash": lambda n: ConstantHash(pile=n),
    "an object without a hash": lambda n: Unhashable(pile=n),
    "a simple namespace": lambda n: types.SimpleNamespace(pile=n),
    "an attribute of a list": lambda n: with_attribute(Rows([1, 2]), turn=n),
    "the items of a list with attributes": lambda n: with_attribute(Rows([1, n]), turn=1),
    "an attribute of an int": lambda n: with_attribute(Counted(3), turn=n),
    "a set of objects": lambda n: {Plain(x=1), Plain(x=n + 5)},
    "a dict of objects": lambda n: {Plain(x=n): Plain(x=1)},
    "a set of sets": lambda n: {frozenset({n, 9}), frozenset({1})},
    "a deque": lambda n: collections.deque([1, n]),
    "an ordered dict": lambda n: collections.OrderedDict([(1, 2), (n + 5, 4)]),
    "a default dict": lambda n: collections.defaultdict(lambda: 0, {1: n}),
    "a counter": lambda n: collections.Counter({"a": n + 1}),
    "bytes": lambda n: bytes([n]),
    "a byte array": lambda n: bytearray([n]),
    "an array of the standard library": lambda n: array.array("i", [1, n]),
    "a fraction": lambda n: Fraction(1, n + 3),
    "a decimal": lambda n: Decimal(n) / 8,
    "a complex number": lambda n: complex(n, 1),
    "a range": lambda n: range(n, 7),
    "a slice": lambda n: slice(n, 7),
    "a date": lambda n: datetime.date(2020, 1, n + 1),
    "a time": lambda n: datetime.datetime(2020, 1, 1, n, tzinfo=datetime.UTC),
    "a duration": datetime.timedelta,
    "a path": lambda n: pathlib.PurePosixPath(str(n)),
    "an identifier": lambda n: uuid.UUID(int=n),
    "a member of an enum": lambda n: list(Mark)[n],
    "flags": lambda n: Sides.NORTH if n else Sides.NORTH | Sides.EAST,
    "a class": lambda n: (Plain, Slotted)[n],
    "a game": OfWidth,
    "an object array": lambda n: np.array([Plain(x=n), None], object),
    "an array of records": lambda n: np.array([(1, n)], [("a", "i4"), ("b", "i8")]),
    "long ints": lambda n: 10**30 + n,
    "a cached property": lambda n: Lazy([1, n]),
}


@pytest.mark.parametrize("make", rows(ANY_OBJECT))
def test_an_object_counts_by_its_content(make):
    assert key_of(make(0)) == key_of(make(0)) == key_of(copy.deepcopy(make(0))) != key_of(make(1))
    assert key_of([1, (make(0),)]) == key_of([1, (make(0),)]) != key_of([1, (make(1),)])


@pytest.mark.parametrize("make", rows(ANY_OBJECT))
def test_the_key_of_an_object_is_the_same_in_every_process_and_place(make):
    """Objects that live for a moment only get the same address again and again."""
    keys = [key_of(make(number % 2)) for number in range(40)]
    assert len(set(keys[::2])) == len(set(keys[1::2])) == 1
    assert keys[0] != keys[1]


DIFFERENT_KINDS = {
    "objects of two classes": (Plain(x=1), Other(x=1)),
    "data classes": (Card(1, "a"), Tile(1, "a")),
    "an object and its attributes": (Plain(x=1), {"x": 1}),
    "enums": (Mark.EMPTY, Stone.EMPTY),
    "a member and its value": (Mark.EMPTY, 0),
    "a text and bytes": ("ab", b"ab"),
    "a dict and a set of pairs": ({1: 2}, {(1, 2)}),
    "a list and a tuple": ([1, 2], (1, 2)),
    "an empty list and 0": ([[]], [0]),
    "a list and a deque": ([1, 2], collections.deque([1, 2])),
    "a range and a tuple": (range(2), (0, 1)),
    "a list with and without an attribute": (Rows([1]), with_attribute(Rows([1]), turn=0)),
    "a slot and none": (Slotted(x=1), Slotted(y=1)),
    "a long int and its text": (10**30, hex(10**30)),
    "orders of an ordered dict": (
        collections.OrderedDict([(1, 2), (3, 4)]),
        collections.OrderedDict([(3, 4), (1, 2)]),
    ),
}
SAME_CONTENT = {
    "a list of a class without attributes": (Rows([1]), [1]),
    "attributes in any order": (Plain(x=1, y=2), Plain(y=2, x=1)),
    "a field that does not count": (Card(1, "a", "red"), Card(1, "a", "black")),
    "a cached property, asked or not": (Lazy([1, 2]), looked_at(Lazy([1, 2]))),
    "a member of an enum that is an int": (Level.LOW, 1),
    "bytes and a byte array": (b"ab", bytearray(b"ab")),
    "a whole fraction": ((Fraction(4, 2), Decimal("2.0"), 2.0, 2 + 0j), (2, 2, 2, 2)),
    "decimals": (Decimal("1.50"), Decimal("1.5")),
    "ranges": (range(0, 6, 2), range(0, 5, 2)),
    "a path, looked at or not": (pathlib.PurePosixPath("a/b"), pathlib.PurePosixPath("a") / "b"),
}


@pytest.mark.parametrize(("one", "other"), rows(DIFFERENT_KINDS))
def test_things_of_different_kinds_have_different_keys(one, other):
    assert key_of(one) != key_of(other)


@pytest.mark.parametrize(("one", "other"), rows(SAME_CONTENT))
def test_what_is_equal_in_content_has_one_key(one, other):
    assert key_of(one) == key_of(other)


def test_random_values_have_equal_keys_exactly_when_their_content_is_equal():
    """Values of all kinds, nested at random; `repr` of what they are made of tells which are equal."""
    random = Random(3)

    def value(depth):
        kind = random.randrange(9 if depth else 3)
        few = [value(depth - 1) for _ in range(random.randrange(3))] if kind > 2 else []
        match kind:
            case 0:
                return random.randrange(3), str
            case 1:
                return random.choice("ab"), str
            case 2:
                return random.choice([None, Mark.CROSS, Stone.CROSS, b"a"]), str
        made, told = [one for one, _ in few], [repr(one) if text is str else text for one, text in few]
        match kind:
            case 3 | 4:
                return made, f"[{','.join(told)}]"
            case 5:
                return Plain(items=made), f"Plain({','.join(told)})"
            case 6:
                return Other(items=made), f"Other({','.join(told)})"
            case 7:
                return collections.deque(made), f"deque({','.join(told)})"
            case _:
                return dict(enumerate(made)), f"dict({','.join(told)})"

    found, keys = {}, {}
    for _ in range(6000):
        made, text = value(3)
        text = repr(made) if text is str else text
        key = key_of(made)
        assert found.setdefault(text, key) == key
        assert keys.setdefault(key, text) == text
    assert len(found) > 1000


# -- what has no key --------------------------------------------------------------------------------------------------


def in_a_circle():
    circle = [1]
    circle.append(circle)
    return circle


def in_a_circle_of_objects():
    parent = Plain(name="parent")
    parent.children = {1: Plain(parent=parent)}
    return parent


class Local:
    class Inner:
        pass


NO_CONTENT = {
    "a function": lambda: len,
    "a lambda": lambda: lambda: 0,
    "a method": lambda: Plain().__init__,
    "a generator": lambda: (x for x in ()),
    "an iterator": lambda: iter([1]),
    "a file": lambda: sys.stdout,
    "random numbers": lambda: Random(1),
    "random numbers of NumPy": lambda: np.random.default_rng(1),
    "a regular expression": lambda: re.compile("a"),
    "a lock": threading.Lock,
    "a module": lambda: sys,
    "an object of no class": object,
    "a class made in a function": lambda: type("Local", (), {}),
    "an attribute of an object": lambda: Plain(move=len),
    "in a dict": lambda: {1: Plain(f=len)},
    "in a slot": lambda: Slotted(x=iter(())),
    "in a set": lambda: {len},
    "a list in itself": in_a_circle,
    "an object in itself": in_a_circle_of_objects,
}


@pytest.mark.parametrize("make", rows(NO_CONTENT))
def test_what_has_no_content_is_refused_with_a_remedy(make):
    with pytest.raises(RulesError, match=r"(cannot be hashed|contains itself).*: define key\(state\)"):
        key_of((1, make()))


def test_what_a_subclass_of_an_extension_hides_is_refused():
    class Dice(Random):
        pass

    with pytest.raises(RulesError, match="a Dice in a state cannot be hashed"):
        key_of(Plain(dice=Dice(1)))


class Board:
    def __init__(self):
        self.pieces = {(0, 0): Piece(self)}


class Piece:
    def __init__(self, board):
        self.board = board


def test_the_attribute_that_leads_back_is_named():
    with pytest.raises(
        RulesError, match=r"a Board contains itself, as Piece.board leads back to what it is part of: def"
    ):
        key_of(Board())
    deep = []
    for _ in range(10_000):
        deep = [deep]
    with pytest.raises(RulesError, match="a list contains itself, or is nested too deeply: define key"):
        key_of(deep)
