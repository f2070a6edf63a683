"""Columns: the numbers in the states of any game, found by looking, read by one text, and kept in files."""

import json
from dataclasses import dataclass
from enum import Enum, IntEnum, StrEnum
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outplay import EvaluationError
from outplay.evaluation.columns import (
    MAX_COLUMNS,
    MAX_ITEMS,
    MAX_STEPS,
    MAX_SYMBOLS,
    Column,
    columns_of,
    read_columns,
    reader_of,
)


class Piece(Enum):
    EMPTY = 0
    MAN = 3
    KING = 7


class Side(IntEnum):
    WHITE = 1
    BLACK = 2


class Mark(StrEnum):
    X = "x"
    O = "o"  # noqa: E741 - as people write it


class Pair(NamedTuple):
    left: int
    right: object


@dataclass(frozen=True, slots=True)
class Slotted:
    stones: tuple
    turn: int


@dataclass
class Plain:
    stones: list
    turn: int


class Base:
    __slots__ = ("_left",)


class Derived(Base):
    __slots__ = ("__hidden", "turn")

    def __init__(self, left, hidden, turn):
        self._left, self.__hidden, self.turn = left, hidden, turn


class Mixed(Base):
    def __init__(self, left, turn):
        self._left, self.turn = left, turn


class Ordinary:
    def __init__(self, rows, best):
        self.rows, self.best = rows, best


def names_and_rows(states):
    """The columns of states, and what they read."""
    columns = columns_of(states)
    return list(map(str, columns)), read_columns(columns, states).tolist()


FORMS = {
    "an int": ([3, 5], ["state"], [[3], [5]]),
    "a bool": ([(True, 1), (False, 2)], ["[0]", "[1]"], [[1, 1], [0, 2]]),
    "numbers of NumPy": ([(np.int8(-3), np.bool_(True)), (np.int8(4), np.bool_(False))], ["[0]", "[1]"],
                         [[-3, 1], [4, 0]]),
    "a named tuple": ([Pair(1, (2, 3)), Pair(4, (5, 6))], ["left", "right[0]", "right[1]"], [[1, 2, 3], [4, 5, 6]]),
    "nested tuples": ([((0, 7), True), ((1, 7), False)], ["[0][0]", "[0][1]", "[1]"], [[0, 7, 1], [1, 7, 0]]),
    "a list of fixed length": ([[1, 2], [3, 4]], ["[0]", "[1]"], [[1, 2], [3, 4]]),
    "a list of lists": ([[[1], [2]], [[3], [4]]], ["[0][0]", "[1][0]"], [[1, 2], [3, 4]]),
    "a list of varying length": ([[5, 9], [5, 5, 7]], ["len(state)", "5 in state", "7 in state", "9 in state"],
                                 [[2, 1, 0, 1], [3, 1, 1, 0]]),
    "an empty list or not": ([[], [(1, 2)]], ["len(state)", "(1, 2) in state"], [[0, 0], [1, 1]]),
    "a set": ([{1, 2}, {2, 4}], ["1 in state", "2 in state", "4 in state"], [[1, 1, 0], [0, 1, 1]]),
    "a frozen set of pairs": ([frozenset({(0, 1)}), frozenset()], ["(0, 1) in state"], [[1], [0]]),
    "a dict with all keys": ([{"a": 3, (0, 1): 4}, {"a": 5, (0, 1): 6}], ["['a']", "[(0, 1)]"], [[3, 4], [5, 6]]),
    "a dict whose keys come and go": ([{1: "x", 2: "o"}, {2: "x"}, {}], ["state[1]", "state[2]"],
                                      [[1, 1], [0, 2], [0, 0]]),
    "a dict whose keys come and go, with objects": ([{1: Piece.MAN}, {}], ["1 in state"], [[1], [0]]),
    "None in a dict": ([{1: None, 2: 7}, {2: None}], ["1 in state", "[2]"], [[1, 1], [0, 2]]),
    "text": ([("red",), ("blue",), ("red",)], ["[0]"], [[2], [1], [2]]),
    "members of Enum": ([(Piece.MAN,), (Piece.KING,)], ["[0].value"], [[3], [7]]),
    "members of IntEnum": ([(Side.WHITE,), (Side.BLACK,)], ["[0]"], [[1], [2]]),
    "members of StrEnum": ([(Mark.X,), (Mark.O,)], ["[0]"], [[2], [1]]),
    "members as keys": ([{Side.WHITE: 1, Mark.X: 2}, {Side.WHITE: 3, Mark.X: 4}], ["['x']", "[1]"], [[2, 1], [4, 3]]),
    "members in a set": ([{Mark.X, (Side.BLACK, 1)}, set()], ["'x' in state", "(2, 1) in state"], [[1, 1], [0, 0]]),
    "members in a dict whose keys come and go": ([{1: Mark.X}, {1: Mark.O}, {}], ["state[1]"], [[2], [1], [0]]),
    "NumPy's text": ([(np.str_("b"),), (np.str_("a"),)], ["[0]"], [[2], [1]]),
    "None or a number": ([(None,), (4,), (2,)], ["[0]"], [[3], [2], [1]]),
    "None or text": ([(None,), ("e3",)], ["[0]"], [[2], [1]]),
    "a dataclass": ([Plain([1, 2], 0), Plain([3, 4], 1)], ["stones[0]", "stones[1]", "turn"], [[1, 2, 0], [3, 4, 1]]),
    "a dataclass with slots": ([Slotted((1, 2), 0), Slotted((3, 4), 1)], ["stones[0]", "stones[1]", "turn"],
                               [[1, 2, 0], [3, 4, 1]]),
    "slots": ([Derived(1, 2, 3), Derived(4, 5, 6)], ["_Derived__hidden", "turn", "_left"], [[2, 3, 1], [5, 6, 4]]),
    "slots and attributes": ([Mixed(1, 2), Mixed(3, 4)], ["_left", "turn"], [[1, 2], [3, 4]]),
    "an object": ([Ordinary([[1], [2]], 3), Ordinary([[4], [5]], 6)], ["rows[0][0]", "rows[1][0]", "best"],
                  [[1, 2, 3], [4, 5, 6]]),
    "a vector": ([np.array([1, -2], np.int8), np.array([3, 4], np.int8)], ["[0]", "[1]"], [[1, -2], [3, 4]]),
    "a matrix": ([np.array([[1, 2]]), np.array([[3, 4]])], ["[(0, 0)]", "[(0, 1)]"], [[1, 2], [3, 4]]),
    "an array without an axis": ([np.array(3), np.array(4)], ["[()]"], [[3], [4]]),
    "an array of bools": ([np.array([True, False]), np.array([False, False])], ["[0]", "[1]"], [[1, 0], [0, 0]]),
    "64 bits": ([(1 << 63, np.uint64(2**64 - 1)), (5, np.uint64(0))], ["[0]", "[1]"], [[-(1 << 63), -1], [5, 0]]),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_state_has_its_columns(form):
    states, names, rows = FORMS[form]
    assert names_and_rows(states) == (names, rows)


@pytest.mark.parametrize("form", FORMS)
def test_a_column_is_the_same_after_a_way_through_a_file(form):
    states, _, rows = FORMS[form]
    columns = [Column.from_list(json.loads(json.dumps(column.as_list()))) for column in columns_of(states)]
    assert columns == columns_of(states)
    assert [column.source for column in columns] == [column.source for column in columns_of(states)]
    assert read_columns(columns, states).tolist() == rows


NOTHING = {
    "floats": [(0.5,), (1.5,)],
    "what is always the same text": [("a",), ("a",)],
    "a number or a float": [(1,), (0.5,)],
    "arrays of floats": [np.array([0.5]), np.array([1.5])],
    "arrays of several shapes": [np.array([1]), np.array([1, 2])],
    "a class": [(Piece,), (Side,)],
    "a function": [(len,), (print,)],
    "None or an object": [(None,), (Piece.MAN,)],
    "no state has anything": [(), ()],
    "too many keys": [{i: 1} for i in range(MAX_ITEMS + 1)],
    "too many members": [{i} for i in range(MAX_ITEMS + 1)],
    "too many words of several lengths": ["x" * i for i in range(MAX_SYMBOLS + 1)],
}


@pytest.mark.parametrize("form", NOTHING)
def test_what_has_no_column(form):
    assert columns_of(NOTHING[form]) == []


def test_a_board_written_as_text_is_read_character_by_character():
    boards = [f"{number:08b}".replace("0", ".").replace("1", "x") for number in range(MAX_SYMBOLS + 1)]
    columns = columns_of(boards)
    assert [str(column) for column in columns] == [f"[{place}]" for place in range(1, 8)]  # the first never changes
    expected = [[".x".index(letter) + 1 for letter in board[1:]] for board in boards]
    assert read_columns(columns, boards).tolist() == expected


def test_a_few_texts_are_symbols_as_a_whole():
    assert names_and_rows(["ab", "ba", "ab"]) == (["state"], [[1], [2], [1]])


def test_a_missing_key_and_another_symbol_are_zero():
    [column] = columns_of([{1: "x"}, {1: "o"}, {}])
    assert read_columns([column], [{1: "new"}, {}, {2: "x"}, {1: "x"}]).tolist() == [[0], [0], [0], [2]]


def test_sizes_are_limited():
    assert len(columns_of([[0] * (MAX_ITEMS + 5)])) == MAX_ITEMS
    assert len(columns_of([[[0] * 100 for _ in range(100)]])) == MAX_COLUMNS


def test_objects_that_contain_themselves_have_an_end():
    first, second = Ordinary([], 1), Ordinary([], 2)
    first.rows, second.rows = first, second
    columns = columns_of([first, second])
    assert {column.path[-1] for column in columns} == {"best"}
    assert max(len(column.path) for column in columns) <= MAX_STEPS


def test_names_that_python_has_for_itself_are_left_out():
    states = [Ordinary(1, 2), Ordinary(3, 4)]
    for state in states:
        vars(state).update({"two words": 1, "class": 2, "__doc": 3})
    assert names_and_rows(states) == (["rows", "best"], [[1, 2], [3, 4]])


# -- states of any form, read in another way ---------------------------------------------------------------------------

ATOMS = st.integers(-(2**40), 2**40) | st.booleans()


def shapes(depth=2):
    """A strategy for states of one shape: a function from numbers to a state, and how many it takes."""
    leaf = st.just(1)
    return st.recursive(leaf, lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=6)


def built(shape, numbers, kinds):
    if shape == 1:
        return next(numbers)
    parts = [built(each, numbers, kinds) for each in shape]
    kind = kinds[len(parts) % len(kinds)]
    return {f"k{place}": part for place, part in enumerate(parts)} if kind is dict else kind(parts)


def leaves(shape):
    return 1 if shape == 1 else sum(map(leaves, shape))


@given(st.data())
def test_the_columns_of_nested_states_are_their_numbers(data):
    shape = data.draw(shapes())
    kinds = data.draw(st.lists(st.sampled_from([tuple, list, dict]), min_size=1, max_size=3))
    rows = data.draw(st.lists(st.lists(ATOMS, min_size=leaves(shape), max_size=leaves(shape)), min_size=1, max_size=4))
    states = [built(shape, iter(row), kinds) for row in rows]
    columns = columns_of(states)
    assert read_columns(columns, states).tolist() == [list(map(int, row)) for row in rows]
    assert [Column.from_list(json.loads(json.dumps(column.as_list()))) for column in columns] == columns


KEYS = st.recursive(st.integers() | st.text(max_size=3) | st.booleans() | st.none(), lambda key: st.tuples(key, key),
                    max_leaves=3)  # fmt: skip


@given(st.lists(st.dictionaries(KEYS, st.sampled_from(["a", "b", 3, True]), max_size=4), min_size=1, max_size=5))
def test_the_columns_of_dicts_tell_their_items_apart(states):
    columns = columns_of(states)
    read = reader_of(columns)
    for one in states:
        for other in states:
            assert (read(one) == read(other)) == (one == other)


@given(st.lists(st.frozensets(KEYS, max_size=4), min_size=1, max_size=5))
def test_the_columns_of_sets_are_their_members(states):
    columns = columns_of(states)
    members = frozenset().union(*states)
    assert len(columns) == len(members)
    assert read_columns(columns, states).tolist() == [
        [int(column.values[0] in state) for column in columns] for state in states
    ]


# -- files that are not ours -------------------------------------------------------------------------------------------

HOSTILE = {
    "a call": [["left()"], "number", []],
    "an operator": [["left + 1"], "number", []],
    "another attribute of an attribute": [["left.right"], "number", []],
    "an empty name": [[""], "number", []],
    "a word of Python": [["lambda"], "number", []],
    "a name that Python has for itself": [["__class__"], "number", []],
    "the same in other letters": [["__ｃlass__"], "number", []],
    "the same in other lines": [["\uff3f_class__"], "number", []],
    "a float as a key": [[[0.5]], "number", []],
    "no key": [[[]], "number", []],
    "two keys": [[[0, 1]], "number", []],
    "a dict as a key": [[[{}]], "number", []],
    "a dict as a step": [[{"0": 1}], "number", []],
    "a number as a step": [[3], "number", []],
    "a path that is none": [3, "number", []],
    "an unknown kind": [["left"], "call", []],
    "a list as a kind": [["left"], [], []],
    "a number with a value": [["left"], "number", [1]],
    "a length with a value": [["left"], "length", [1]],
    "a symbol without values": [["left"], "symbol", []],
    "a container without a member": [["left"], "contains", []],
    "a container with two members": [["left"], "contains", [1, 2]],
    "a dict without a key": [["left"], "get", []],
    "a dict without symbols": [["left"], "get", [1]],
    "too many symbols": [["left"], "symbol", list(range(MAX_SYMBOLS + 1))],
    "a float as a value": [["left"], "symbol", [0.5]],
    "values that are none": [["left"], "symbol", 5],
    "too few parts": [["left"], "number"],
    "nothing": None,
    "a text": "abc",
}


@pytest.mark.parametrize("parts", HOSTILE.values(), ids=HOSTILE)
def test_a_column_from_a_file_is_refused_unless_it_only_reads(parts):
    with pytest.raises(EvaluationError) as found:
        Column.from_list(parts)
    assert len(str(found.value)) < 200


def test_a_key_as_deep_as_can_be_is_refused():
    key = 0
    for _ in range(100_000):
        key = [key]
    with pytest.raises(EvaluationError):
        Column.from_list([[], "contains", [key]])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)
TEXTS = st.sampled_from(['") or print("', "'", "\\", "\n", "__import__('os')", "]", "a", "\ud800"]) | st.text(
    max_size=5
)


@given(st.lists(JSON | TEXTS, max_size=3), st.sampled_from(["number", "symbol", "contains", "length", "get"]) | JSON,
       st.lists(JSON | TEXTS, max_size=3))  # fmt: skip
def test_any_column_from_a_file_reads_or_is_refused(path, kind, values):
    """Its source is one expression of names, constants and comparisons; the only call besides is `get`."""
    import ast

    try:
        column = Column.from_list([path, kind, values])
    except EvaluationError:
        return
    tree = ast.parse(column.source, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            named = isinstance(node.func, ast.Name) and node.func.id in ("int", "len")
            assert named or (isinstance(node.func, ast.Attribute) and node.func.attr == "get" and kind == "get")
        assert not isinstance(node, ast.Lambda | ast.NamedExpr | ast.GeneratorExp | ast.JoinedStr)
        if isinstance(node, ast.Attribute):
            assert not node.attr.startswith("__")
    assert {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} <= {"state", "int", "len"}


# -- states of another form --------------------------------------------------------------------------------------------


@given(st.sampled_from(list(FORMS)), st.sampled_from(list(FORMS)))
def test_a_state_of_another_form_is_an_error_or_a_number(form, other):
    """Never something else."""
    states, _, _ = FORMS[form]
    for column in columns_of(states):
        for state in FORMS[other][0]:
            try:
                [number] = reader_of([column])(state)
            except (TypeError, IndexError, KeyError, AttributeError, ValueError):
                continue
            assert type(number) is int
