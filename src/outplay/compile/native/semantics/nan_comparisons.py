"""Comparisons of values that contain floats or None: where two NaN meet, Python asks whether they are one object.

Compiled code has no objects, so it raises there. `==`, `in`, `count` and the like come here if floats, or what may be
None, are compared.
Sets and dicts with floats as keys are refused, since NaN and -0.0 would be keys of their own.
"""

import math
import operator
from typing import Any

from numba import types

from outplay.compile.native.frozenset_type import Frozenset
from outplay.compile.native.game_type import AS_RULES, compiled_only, function_from_source, function_of_lines, overload
from outplay.compile.native.internals.numba_names import refused
from outplay.compile.native.internals.registration import value_in
from outplay.compile.native.semantics.optionals import value_of
from outplay.compile.native.semantics.plans import BOOL, COMPARISONS, INT64, UINT64, Plan, delegate
from outplay.compile.native.semantics.sets import refuse_other_items
from outplay.compile.native.varying_tuple_type import Varying, items_in
from outplay.rules.errors import RulesError

SEQUENCES = (types.BaseTuple, types.List, Varying)
KEYED = "floats are keys of a dict or items of a set, where NaN and -0.0 are special: use ints, or a list"
TWO_NANS = "two NaN are compared within containers, where Python asks if they are one object: test x != x before"


def compared(typ: types.Type) -> set[types.Type]:
    """The types of what is compared if values of this type are compared; with that of None, if one may be None."""
    if isinstance(typ, types.BaseTuple):
        return set().union(*map(compared, typ.types))
    if isinstance(typ, types.List | Varying):
        return compared(typ.dtype)
    return compared(typ.type) | {types.none} if isinstance(typ, types.Optional) else {types.unliteral(typ)}


def has_floats(*values: types.Type) -> bool:
    """Whether floats are compared if values of these types are compared."""
    return any(isinstance(typ, types.Float) for typ in set().union(*map(compared, values)))


def is_delicate(one: types.Type, other: types.Type) -> bool:
    """Whether Numba's comparison of the items of these types is not that of Python."""
    kinds = compared(one) | compared(other)
    return has_floats(one, other) or (UINT64 in kinds and len(kinds) > 1) or types.none in kinds


def refuse_float_keys(typemap: dict[str, types.Type]) -> None:
    """Refuse sets and dicts with floats as keys."""
    for typ in set(typemap.values()):
        keys = typ.key_type if isinstance(typ, types.DictType) else getattr(typ, "dtype", None)
        if isinstance(typ, types.DictType | types.Set | Frozenset) and has_floats(keys):
            raise refused(KEYED)


@compiled_only
def items(values: types.Type) -> Any:
    """In compiled code: a sequence that can be indexed as fast as a list."""
    return (lambda values: items_in(values)) if isinstance(values, Varying) else lambda values: values


def _pairs(one: types.BaseTuple, other: types.BaseTuple) -> list[str]:
    return [f"same(one[{place}], other[{place}])" for place in range(min(len(one), len(other)))]


@compiled_only(jit_options=AS_RULES)
def same(one: types.Type, other: types.Type) -> Any:
    """In compiled code: whether Python takes two items for equal: they are one object, or `==`."""
    if isinstance(one, types.Float) and isinstance(other, types.Float):

        def same_floats(one: Any, other: Any) -> Any:
            if math.isnan(one) and math.isnan(other):
                raise RulesError(TWO_NANS)
            return one == other

        return same_floats
    if isinstance(one, types.BaseTuple) and isinstance(other, types.BaseTuple):
        text = " and ".join(["True", *_pairs(one, other)]) if len(one) == len(other) else "False"
        return function_from_source(f"def rule(one, other): return {text}", same=same)
    if isinstance(one, types.NoneType):
        return lambda one, other: other is None
    if isinstance(other, types.NoneType):
        return lambda one, other: one is None
    if isinstance(one, types.Optional):
        return lambda one, other: other is None if one is None else same(value_in(one), other)
    if isinstance(other, types.Optional):
        return lambda one, other: other is not None and same(one, value_in(other))
    if not (isinstance(one, SEQUENCES) and isinstance(other, SEQUENCES) and is_delicate(one, other)):
        return lambda one, other: one == other
    if isinstance(one, types.List) != isinstance(other, types.List):
        return lambda one, other: False
    if isinstance(one, types.BaseTuple) or isinstance(other, types.BaseTuple):
        raise refused("a tuple with floats, of any length, is compared with another: compare the items in a loop")

    def same_sequences(one: Any, other: Any) -> bool:
        first, second = items(one), items(other)
        if len(first) != len(second):
            return False
        for place in range(len(first)):  # noqa: SIM110 - compiled
            if not same(first[place], second[place]):
                return False
        return True

    return same_sequences


def _ordering(op: Any) -> Any:
    """The function in compiled code for `<`, `<=`, `>` or `>=` of two tuples."""

    @compiled_only(jit_options=AS_RULES)
    def order(one: types.Type, other: types.Type) -> Any:
        symbol = COMPARISONS[op]
        pairs = enumerate(_pairs(one, other))
        lines = [f"if not {pair}: return one[{place}] {symbol} other[{place}]" for place, pair in pairs]
        return function_of_lines("one, other", [*lines, f"return {len(one)} {symbol} {len(other)}"], same=same)

    return order


ORDERINGS = {op: _ordering(op) for op in (operator.lt, operator.le, operator.gt, operator.ge)}


def comparison_of_containers(op: Any, one: types.Type, other: types.Type) -> Plan | None:
    """The plan of a comparison of two tuples or lists, where Numba's is not that of Python."""
    operands = one, other
    if not all(isinstance(typ, SEQUENCES) for typ in operands) or not is_delicate(one, other):
        return None
    if op in (operator.eq, operator.ne):
        function = same if op is operator.eq else different
    elif all(isinstance(typ, types.BaseTuple) for typ in operands):
        function = ORDERINGS[op]
    else:
        raise refused(f"{COMPARISONS[op]} of lists with floats: compare the items in a loop")
    return Plan(BOOL, operands, delegate(function, *operands))


@compiled_only
def different(one: types.Type, other: types.Type) -> Any:
    """In compiled code: the opposite of `same`."""
    return lambda one, other: not same(one, other)


@compiled_only
def place_of_item(values: types.Type, item: types.Type) -> Any:
    """In compiled code: the first place of an item; -1 if there is none."""
    if isinstance(values, types.BaseTuple):
        lines = [f"if same(values[{place}], item): return {place}" for place in range(len(values))]
        return function_of_lines("values, item", [*lines, "return -1"], same=same)

    def place_in_list(values: Any, item: Any) -> int:
        inner = items(values)
        for place in range(len(inner)):
            if same(inner[place], item):
                return place
        return -1

    return place_in_list


@compiled_only(jit_options=AS_RULES)
def contains(values: types.Type, item: types.Type) -> Any:
    """In compiled code: `item in values`."""
    if isinstance(values, SEQUENCES):
        return lambda values, item: place_of_item(values, item) >= 0
    if isinstance(item, types.NoneType):
        return lambda values, item: False
    return lambda values, item: item is not None and value_in(item) in values


@compiled_only
def index(values: types.Type, item: types.Type) -> Any:
    """In compiled code: `values.index(item)`."""

    def first(values: Any, item: Any) -> Any:
        place = place_of_item(values, item)
        if place < 0:
            raise ValueError("index() of what is not there")
        return place

    return first


@compiled_only
def count(values: types.Type, item: types.Type) -> Any:
    """In compiled code: `values.count(item)`."""
    if isinstance(values, types.BaseTuple):
        tests = " + ".join(["0", *(f"same(values[{place}], item)" for place in range(len(values)))])
        return function_from_source(f"def rule(values, item): return {tests}", same=same)

    def times(values: Any, item: Any) -> int:
        number, inner = 0, items(values)
        for place in range(len(inner)):
            number += same(inner[place], item)
        return number

    return times


SEARCHES = {"index": index, "count": count}
"""The functions that take the place of methods of sequences with floats or None."""


def search(name: str, values: types.Type, item: types.Type) -> Plan | None:
    """The plan of a method that looks for an item, where Numba's is not that of Python."""
    if not isinstance(values, SEQUENCES) or not is_delicate(values, item):
        return None
    return Plan(INT64, (values, item), delegate(SEARCHES[name], values, item))


def membership(context: Any, values: types.Type, item: types.Type) -> Plan | None:
    """The plan of `item in values`, where Numba's is not that of Python; a container that is None raises."""
    inner, item = value_of(values), types.unliteral(item)
    refuse_other_items(inner, value_of(item))
    is_special = isinstance(item, types.Optional | types.NoneType)
    is_special |= isinstance(inner, SEQUENCES) and is_delicate(inner, item)
    if not is_special and inner == values:
        return None
    function = contains if is_special else operator.contains
    signature = context.resolve_function_type(function, (inner, item), {})
    return None if signature is None else Plan(BOOL, (inner, item), delegate(function, inner, item))


def _extreme(function: Any, sign: str) -> None:
    """Compile `max` or `min` of a list of tuples with floats, compared as Python compares them."""

    @overload(function, jit_options=AS_RULES)
    def _implement_function(values: types.Type) -> Any:
        is_list = isinstance(values, types.List) and isinstance(values.dtype, types.BaseTuple)
        if not is_list or not has_floats(values.dtype):
            return None
        return function_of_lines("values", [
            "if len(values) == 0: raise ValueError('the greatest or least of an empty list is asked for')",
            "best = values[0]", "for item in values:", f"    if item {sign} best: best = item", "return best",
        ])  # fmt: skip


_extreme(max, ">")
_extreme(min, "<")


@compiled_only
def is_number(value: types.Type) -> Any:
    """In compiled code: whether no float in this value is NaN."""
    if isinstance(value, types.Float):
        return lambda value: not math.isnan(value)
    if isinstance(value, types.BaseTuple):
        tests = " and ".join(["True", *(f"is_number(value[{place}])" for place in range(len(value)))])
        return function_from_source(f"def rule(value): return {tests}", is_number=is_number)
    if has_floats(value):
        raise refused("lists with floats are put in order: write tuples")
    return lambda value: True
