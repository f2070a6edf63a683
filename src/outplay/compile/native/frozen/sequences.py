"""What rules may do with constant lists, tuples, ranges and sets: what Python does, short of changing them."""

import operator
from typing import Any

from numba import types

from outplay.compile.native.frozen.data import item_at, length_of, part_of
from outplay.compile.native.frozen.kinds import Frozen, FrozenSequence, FrozenSet, is_ordered
from outplay.compile.native.frozen.lookup import is_whole
from outplay.compile.native.game_type import (
    AS_RULES,
    as_it_is,
    compile_for,
    function_from_source,
    overload,
    overload_attribute,
    overload_method,
)
from outplay.compile.native.internals.numba_names import refused
from outplay.compile.native.sorting import stable_sorted, sum_of_cells
from outplay.compile.native.varying_tuple_type import Varying
from outplay.compile.rewriting import iterables


def kind_of(typ: types.Type) -> str:
    """Whether this is a list or a tuple, in Python."""
    if isinstance(typ, FrozenSequence):
        return typ.kind
    return "list" if isinstance(typ, types.List) else "tuple" if isinstance(typ, types.BaseTuple | Varying) else ""


compile_for(
    Frozen,
    {
        len: lambda container: length_of(container),
        bool: lambda container: length_of(container) > 0,
        operator.not_: lambda container: length_of(container) == 0,
    },
)


def place_in(sequence: Any, index: Any) -> int:
    """The place that an index means; `IndexError` if there is none."""
    length = length_of(sequence)
    place = int(index)
    if place < 0:
        place += length
    if place < 0 or place >= length:
        raise IndexError("an index is outside a constant")
    return place


as_it_is(place_in)


@overload(operator.getitem)
def _implement_getitem(sequence: types.Type, index: types.Type) -> Any:
    if not isinstance(sequence, FrozenSequence):
        return None
    index = types.unliteral(index)
    if isinstance(index, types.SliceType):
        if sequence.kind not in ("list", "tuple"):
            raise refused(f"a slice of a constant {sequence.kind}: write list(…) around it")
        if sequence.kind == "list":
            return _slice_of_list
        if index.has_step:
            raise refused("a slice with a step of a constant tuple: write list(…) around the tuple")
        return _slice_of_tuple
    return (lambda sequence, index: item_at(sequence, place_in(sequence, index))) if is_whole(index) else None


def _slice_of_list(sequence: Any, index: Any) -> Any:
    start, stop, step = index.indices(length_of(sequence))
    return [item_at(sequence, place) for place in range(start, stop, step)]


def _slice_of_tuple(sequence: Any, index: Any) -> Any:
    start, stop, _ = index.indices(length_of(sequence))
    return part_of(sequence, start, max(start, stop))


@overload_method(FrozenSequence, "copy")
def _implement_copy_of_frozen_sequence(sequence: FrozenSequence) -> Any:
    return (lambda sequence: list(sequence)) if sequence.kind == "list" else None


def _backwards(a: Any) -> Any:
    length = length_of(a)
    return [item_at(a, length - 1 - place) for place in range(length)]


compile_for(FrozenSequence, {iterables.backwards: _backwards})


@overload(stable_sorted)
def _implement_stable_sorted(iterable: Any, key: Any = None, reverse: Any = False) -> Any:
    if not isinstance(iterable, FrozenSet) or is_ordered(iterable.dtype):
        return None

    def of_set(iterable: Any, key: Any = None, reverse: Any = False) -> Any:
        return stable_sorted([item_at(iterable, place) for place in range(length_of(iterable))], reverse=reverse)

    return of_set if key is None or isinstance(key, types.NoneType | types.Omitted) else None


def _some(iterable: Any) -> Any:
    for item in iterable:  # noqa: SIM110 - this is what `any` means
        if item:
            return True
    return False


def _every(iterable: Any) -> Any:
    for item in iterable:  # noqa: SIM110 - this is what `all` means
        if not item:
            return False
    return True


compile_for(Frozen, {any: _some, all: _every})


@overload(sum_of_cells)
def _implement_sum_of_cells(iterable: types.Type, start: Any = 0) -> Any:
    if not isinstance(iterable, Frozen) or not isinstance(iterable.dtype, (types.Number, types.Boolean)):
        return None
    zero = 0.0 if isinstance(iterable.dtype, types.Float) else 0

    def total(iterable: Any, start: Any = 0) -> Any:
        sum_ = start + zero
        for place in range(length_of(iterable)):
            sum_ += item_at(iterable, place)
        return sum_

    return total


# -- comparisons -------------------------------------------------------------------------------------------------------


@overload(operator.contains, jit_options=AS_RULES)
def _implement_contains(sequence: types.Type, wanted: types.Type) -> Any:
    if not isinstance(sequence, Frozen) or isinstance(sequence, FrozenSet) or hasattr(sequence, "value"):
        return None

    def contains(sequence: Any, wanted: Any) -> Any:
        for place in range(length_of(sequence)):  # noqa: SIM110 - a generator would not compile
            if item_at(sequence, place) == wanted:
                return True
        return False

    return contains


@overload_method(FrozenSequence, "index", jit_options=AS_RULES)
def _implement_index_of_frozen_sequence(sequence: types.Type, wanted: types.Type) -> Any:
    def index(sequence: Any, wanted: Any) -> Any:
        for place in range(length_of(sequence)):
            if item_at(sequence, place) == wanted:
                return place
        raise ValueError("a constant does not contain the item whose index is asked for")

    return index


@overload_method(FrozenSequence, "count", jit_options=AS_RULES)
def _implement_count_of_frozen_sequence(sequence: types.Type, wanted: types.Type) -> Any:
    def count(sequence: Any, wanted: Any) -> Any:
        number = 0
        for place in range(length_of(sequence)):
            if item_at(sequence, place) == wanted:
                number += 1
        return number

    return count


def _equality(one: types.Type, other: types.Type) -> Any:
    """The function for `==` of two sequences; None if Numba has one, or if they cannot be compared."""
    kinds = kind_of(one), kind_of(other)
    if not isinstance(one, FrozenSequence) and not isinstance(other, FrozenSequence):
        return None
    if "" in kinds or "sequence" in kinds or "range" in kinds:
        return None
    if kinds[0] != kinds[1]:
        return lambda one, other: False
    if isinstance(one, types.BaseTuple) or isinstance(other, types.BaseTuple):
        items, name, number = ("one", "other", other) if isinstance(other, types.BaseTuple) else ("other", "one", one)
        tests = [f"item_at({items}, {place}) == {name}[{place}]" for place in range(len(number))]
        text = " and ".join([f"length_of({items}) == {len(number)}", *tests])
        return function_from_source(f"def rule(one, other): return {text}", item_at=item_at, length_of=length_of)

    def equal(one: Any, other: Any) -> Any:
        if len(one) != len(other):
            return False
        for place in range(len(one)):  # noqa: SIM110 - a generator would not compile
            if not one[place] == other[place]:  # noqa: SIM201
                return False
        return True

    return equal


overload(operator.eq, jit_options=AS_RULES)(_equality)


@overload(operator.ne, jit_options=AS_RULES)
def _implement_ne(one: types.Type, other: types.Type) -> Any:
    if _equality(one, other) is None:
        return None
    return lambda one, other: not (one == other)  # noqa: SIM201 - `!=` is what is being defined


# -- changes are refused -----------------------------------------------------------------------------------------------


def _refuse_changes(method: str) -> None:
    @overload_attribute(Frozen, method)
    def _implement_method_of_frozen(container: Frozen) -> Any:
        raise refused(f"{method}() of a constant, which must not change: change a copy, such as list(…)")


CHANGES = ("append", "extend", "insert", "pop", "remove", "sort", "reverse", "clear", "add", "discard", "update")
for _change in (*CHANGES, "setdefault", "popitem"):
    _refuse_changes(_change)


@overload(operator.setitem)
def _implement_setitem(container: types.Type, index: types.Type, value: types.Type) -> Any:
    if isinstance(container, Frozen):
        raise refused("an item of a constant is assigned to, which must not change: change a copy, such as list(…)")
    return None


# -- new lists ---------------------------------------------------------------------------------------------------------


@overload(operator.add)
def _implement_add(one: types.Type, other: types.Type) -> Any:
    both = (one, other)
    if not any(isinstance(typ, FrozenSequence) for typ in both) or {kind_of(typ) for typ in both} != {"list"}:
        return None

    def joined(one: Any, other: Any) -> Any:
        items = list(one)
        items.extend(other)
        return items

    return joined


@overload(operator.mul)
def _implement_mul(one: types.Type, other: types.Type) -> Any:
    if isinstance(one, FrozenSequence) and one.kind == "list" and isinstance(other, types.Integer):
        return lambda one, other: list(one) * other
    return None
