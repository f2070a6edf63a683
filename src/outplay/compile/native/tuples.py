"""Tuples of any length in compiled code: `tuple(…)` of a list, and slices of a tuple from a variable place.

Such a tuple becomes an ordinary one where a state needs it, if the length is right; see `states`.
"""

import operator
from typing import Any

from numba import types

from outplay.compile.native.game_type import (
    AS_RULES,
    compile_for,
    compiled_only,
    function_from_source,
    overload,
    overload_method,
)
from outplay.compile.native.internals.numba_names import refused
from outplay.compile.native.semantics.optionals import require
from outplay.compile.native.varying_tuple_type import Varying, frozen, items_in
from outplay.compile.rewriting import iterables
from outplay.compile.rewriting.narrowing import still_present


@compiled_only
def tuple_of(values: Any = ()) -> Any:
    """`tuple`."""
    if isinstance(values, types.BaseTuple | Varying):
        return lambda values=(): values
    if isinstance(values, tuple | types.Omitted):
        return lambda values=(): ()
    if isinstance(values, types.Set):
        raise refused("the order of a set: write tuple(sorted(values))")
    if isinstance(values, types.Optional):
        return lambda values=(): tuple_of(still_present(values))
    return lambda values=(): frozen([item for item in values])  # noqa: C416


@overload(iterables.like)
def _implement_like(values: types.Type, items: types.Type) -> Any:
    """A tuple of the items of a new list, as long as `values`."""
    number = _length(values)
    if number is None:
        return lambda values, items: frozen(items)
    parts = "".join(f"items[{place}], " for place in range(number))
    return function_from_source(f"def rule(values, items): return ({parts})")


def _length(typ: types.Type) -> int | None:
    """The number of values that a loop over this type reads, if the type tells."""
    if isinstance(typ, types.BaseTuple):
        return len(typ)
    if isinstance(typ, types.EnumerateType):
        return _length(getattr(typ.source_type, "container", typ.source_type))
    return None


def _is_tuple(typ: types.Type, dtype: types.Type) -> bool:
    """Whether this is a tuple whose items have this type."""
    return isinstance(typ, types.BaseTuple) and all(types.unliteral(item_type) == dtype for item_type in typ.types)


@compiled_only
def items_of(values: types.Type) -> Any:
    """The items of a tuple as a list."""
    if isinstance(values, Varying):
        return lambda values: items_in(values)
    return lambda values: [item for item in values]  # noqa: C416


overload(iterables.varying)(lambda items: lambda items: frozen(items))
overload_method(Varying, "count")(lambda values, item: lambda values, item: items_in(values).count(item))
overload_method(Varying, "index")(lambda values, item: lambda values, item: items_in(values).index(item))
compile_for(
    Varying,
    {
        len: lambda values: len(items_in(values)),
        bool: lambda values: len(items_in(values)) > 0,
        operator.contains: lambda values, item: item in items_in(values),
    },
)


@overload(operator.getitem)
def _implement_getitem(values: types.Type, place: types.Type) -> Any:
    if isinstance(values, Varying):
        if isinstance(place, types.Integer):

            def item(values: Any, place: Any) -> Any:
                number = len(items_in(values))
                if not -number <= place < number:
                    raise IndexError("tuple index out of range")
                return items_in(values)[place]

            return item
        if isinstance(place, types.SliceType):
            return lambda values, place: frozen(items_in(values)[place])
    if isinstance(values, types.UniTuple) and isinstance(place, types.SliceType):
        return lambda values, place: frozen([item for item in values][place])  # noqa: C416
    return None


@overload(operator.add)
def _implement_add(one: types.Type, other: types.Type) -> Any:
    if not isinstance(one, Varying) and not isinstance(other, Varying):
        return None
    for part, partner in ((one, other), (other, one)):
        if not isinstance(part, Varying) and not (isinstance(part, types.BaseTuple) and _is_tuple(part, partner.dtype)):
            return None
    if one == other or not (isinstance(one, Varying) and isinstance(other, Varying)):
        return lambda one, other: frozen(items_of(one) + items_of(other))
    return None


@overload(operator.mul)
def _implement_mul(one: types.Type, other: types.Type) -> Any:
    if isinstance(one, Varying) and isinstance(other, types.Integer):
        return lambda one, other: frozen(items_in(one) * other)
    return None


def _equality(op: Any, is_equal: bool) -> None:
    @overload(op)
    def _implement_op(one: types.Type, other: types.Type) -> Any:
        pair = one, other
        if not any(isinstance(typ, Varying) for typ in pair):
            return None
        if not all(isinstance(typ, Varying | types.BaseTuple) for typ in pair):
            return (lambda one, other: not is_equal) if any(isinstance(typ, types.List) for typ in pair) else None
        dtype = next(typ.dtype for typ in pair if isinstance(typ, Varying))
        if not all(isinstance(typ, Varying) or _is_tuple(typ, dtype) for typ in pair):
            return None

        def compare(one: Any, other: Any) -> Any:
            first, second = items_of(one), items_of(other)
            if len(first) != len(second):
                return not is_equal
            for place in range(len(first)):
                if first[place] != second[place]:
                    return not is_equal
            return is_equal

        return compare


_equality(operator.eq, True)
_equality(operator.ne, False)


@overload_method(types.BaseTuple, "count")
def _implement_count_of_base_tuple(values: types.Type, item: types.Type) -> Any:
    if not isinstance(values, types.BaseTuple) or not _is_tuple(values, types.unliteral(item)):
        return None

    tests = " + ".join(["0", *(f"(values[{place}] == item)" for place in range(len(values)))])
    return function_from_source(f"def rule(values, item): return {tests}")


def _extreme(function: Any, sign: str) -> None:
    """Compile `max` or `min` of two tuples, or of None and a value."""

    @overload(function, jit_options=AS_RULES)
    def _implement_function(one: types.Type, other: types.Type) -> Any:
        if isinstance(one, types.BaseTuple) and one == other:
            return function_from_source(f"def rule(one, other): return other if other {sign} one else one")
        if types.none in (one, other) and one != other:  # it stands where None is tested before
            value = "other" if one == types.none else "one"
            source = f"def rule(one, other):\n    require(0)\n    return {value}"
            return function_from_source(source, require=require)
        return None


_extreme(max, ">")
_extreme(min, "<")
