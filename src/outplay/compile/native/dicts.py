"""Compiled forms of what rewritten rules do with dicts, and `|` of two dicts."""

import operator
from typing import Any

from llvmlite import ir
from numba import types

from outplay.compile.native.frozen.kinds import FrozenDict
from outplay.compile.native.frozenset_type import UNORDERED, Frozenset
from outplay.compile.native.game_type import compile_for, compiled_only, is_in_rules, overload
from outplay.compile.native.internals.numba_names import impl_iterator_iternext, lower_builtin, refused
from outplay.compile.native.semantics.lost_cells import is_small
from outplay.compile.native.sorting import order_of
from outplay.compile.native.state_type import refuse_others
from outplay.compile.rewriting import dicts

VALUES = (types.Number, types.Boolean, types.BaseTuple, types.UnicodeType)
"""The types of values that nobody can change."""


def fits(place: types.Type, value: types.Type, where: str) -> None:
    """Refuse to keep a value of another type."""
    value = types.unliteral(value)
    if is_small(value):
        raise refused(f"{where} is an {value} cell here: write int(cell)")
    refuse_others(place, value, where)


def _fit(values: types.DictType, key: types.Type, value: types.Type) -> None:
    fits(values.key_type, key, "a key of a dict")
    fits(values.value_type, value, "a value of a dict")


def _refuse_order(values: types.Type) -> None:
    if isinstance(values, types.Set | Frozenset):
        raise refused(UNORDERED)


@compiled_only
def item_or(owner: types.Type, key: types.Type, default: types.Type) -> Any:
    """`owner.get(key, default)`: never None, where Numba gives what may be None; other types call their method."""
    value = types.unliteral(default)
    if not isinstance(owner, types.DictType) or value == types.none or isinstance(value, types.Optional):
        return lambda owner, key, default: owner.get(key, default)
    refuse_others(owner.key_type, key, "a key of a dict")
    refuse_others(owner.value_type, default, "a value of a dict")
    return lambda owner, key, default: owner[key] if key in owner else default  # noqa: SIM401


@overload(dicts.unpacked)
def _implement_unpacked(values: types.Type) -> Any:
    if isinstance(values, types.DictType):
        return lambda values: values.copy()
    return (lambda values: dicts.dict_of(values.items())) if isinstance(values, FrozenDict) else None


@overload(dicts.dict_of)
def _implement_dict_of(values: types.Type) -> Any:
    if isinstance(values, types.DictType | FrozenDict):
        return lambda values: dicts.unpacked(values)
    _refuse_order(values)

    def of_pairs(values: Any) -> Any:
        items = dict()  # noqa: C408 - its type follows from the items
        for key, value in values:
            items[key] = value  # noqa: PERF403
        return items

    return of_pairs


def _storing(function: Any) -> None:
    """Compile a function that stores a value in a dict from the function itself."""

    @overload(function)
    def _implement_function(values: types.Type, key: types.Type, value: types.Type) -> Any:
        if not isinstance(values, types.DictType):
            return None
        _fit(values, key, value)
        return function


_storing(dicts.with_item)
_storing(dicts.defaulted)


def _put_all(values: types.Type, others: types.Type) -> Any:
    if not isinstance(values, types.DictType):
        return None
    if isinstance(others, FrozenDict):
        _fit(values, others.dtype, others.value)
    elif isinstance(others, types.DictType):
        _fit(values, others.key_type, others.value_type)
    else:
        return None

    def put_all(values: Any, others: Any) -> Any:
        for key, value in others.items():
            values[key] = value
        return values

    return put_all


overload(dicts.with_items)(_put_all)
overload(operator.ior)(_put_all)


@overload(operator.or_)
def _implement_or(values: types.Type, others: types.Type) -> Any:
    if _put_all(values, others) is None:
        return None
    return lambda values, others: dicts.with_items(values.copy(), others)


@overload(dicts.from_keys)
def _implement_from_keys(keys: types.Type, value: types.Type) -> Any:
    _refuse_order(keys)
    return dicts.from_keys if isinstance(value, VALUES) else None


@overload(operator.eq)
def _implement_eq(one: types.Type, other: types.Type) -> Any:
    if not isinstance(one, types.DictType) or one != other or isinstance(one.value_type, types.Number | types.Boolean):
        return None  # Numba compares numbers, but calls texts and dicts different from what may be None

    def are_equal(one: Any, other: Any) -> bool:
        alike = [key for key, value in one.items() if key in other and other[key] == value]
        return len(alike) == len(one) == len(other)

    return are_equal


# -- loops -------------------------------------------------------------------------------------------------------------


@lower_builtin("iternext", types.DictIteratorType)
def _lower_iternext(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Numba's next item; where Numba ends a loop over a dict that has changed in size, rules raise Python's error."""
    pair = impl_iterator_iternext(context, builder, signature, args)
    if is_in_rules():
        with builder.if_then(builder.not_(builder.extract_value(pair, 1))):
            state = context.make_helper(builder, signature.args[0], args[0]).state
            word = ir.IntType(64)
            parent, keys, size, _ = (_word(builder, state, place) for place in range(4))
            used, now = (_word(builder, builder.inttoptr(parent, word.as_pointer()), place) for place in range(2))
            has_changed = builder.or_(builder.icmp_signed("!=", used, size), builder.icmp_signed("!=", now, keys))
            with builder.if_then(has_changed, likely=False):
                message = ("dictionary changed size during iteration",)
                context.call_conv.return_user_exc(builder, RuntimeError, message)
    return pair


def _word(builder: Any, pointer: Any, place: int) -> Any:
    """A word of a structure of Numba's: of an iterator its dict, the keys, the size and the position; of a dict its
    size and keys.
    """
    words = builder.bitcast(pointer, ir.IntType(64).as_pointer())
    return builder.load(builder.gep(words, [ir.Constant(ir.IntType(64), place)]))


# -- Counter, deque ----------------------------------------------------------------------------------------------------


def _counting(function: Any) -> None:
    """Compile a function of what a `Counter` counts from the function itself."""

    @overload(function)
    def _implement_function(values: types.Type) -> Any:
        _refuse_order(values)
        if isinstance(values, types.DictType | FrozenDict):
            raise refused("a Counter of the values of a dict: write a loop over its items")
        return function


_counting(dicts.countable)
_counting(dicts.counted)


@overload(dicts.most_common)
def _implement_most_common(counts: types.Type, number: types.Type) -> Any:
    if isinstance(number, types.NoneType):
        return lambda counts, number: dicts.most_common(counts, len(counts))

    def ordered(counts: Any, number: Any) -> Any:
        pairs = [(key, counts[key]) for key in counts]
        order = order_of([pair[1] for pair in pairs], True)
        return [pairs[place] for place in order[: max(number, 0)]]

    return ordered


compile_for(types.List, {dicts.rotated: dicts.rotated})
