"""Compiled forms of the functions that rewritten rules call."""

import functools
from random import Random
from typing import Any

from numba import types
from numba.extending import intrinsic, lower_cast

from outplay.compile.native.frozen.enums import EnumMember
from outplay.compile.native.frozen.kinds import Frozen
from outplay.compile.native.frozen.sequences import kind_of
from outplay.compile.native.frozenset_type import UNORDERED, Frozenset, set_in
from outplay.compile.native.game_type import as_it_is, compile_for, overload
from outplay.compile.native.internals.numba_names import AbstractTemplate, Signature, builtin_registry, refused
from outplay.compile.native.internals.registration import list_of_equals, opaque, value_in, value_or_error
from outplay.compile.native.semantics.lost_cells import leaves
from outplay.compile.native.semantics.nan_comparisons import KEYED, different, has_floats
from outplay.compile.native.sorting import order_of
from outplay.compile.native.state_type import plain
from outplay.compile.rewriting import iterables, ordered
from outplay.compile.rewriting.iterables import LISTED, backwards
from outplay.compile.rewriting.narrowing import known_present, present, still_present
from outplay.compile.rewriting.nested import by_name

for _name, _function in LISTED.items():
    if _name not in ("cycled", "endless", "backwards"):
        as_it_is(_function)


@overload(iterables.cycled)
def _implement_cycled(a: types.Type) -> Any:
    if not isinstance(a, types.UniTuple | types.RangeType):
        raise refused("cycle of anything but a tuple or a range: write a loop with %")
    return iterables.cycled


@overload(iterables.endless)
def _implement_endless(x: types.Type) -> Any:
    if not isinstance(x, types.Number | types.Boolean):
        raise refused("repeat without a number of times of anything but a number")
    return iterables.endless


@overload(backwards)
def _implement_backwards(a: types.Type) -> Any:
    if isinstance(a, types.RangeType):

        def backwards_range(a: Any) -> Any:
            n = len(a)
            return range(a.start + (n - 1) * a.step, a.start - a.step, -a.step)

        return backwards_range
    if isinstance(a, types.BaseTuple | types.UnicodeType | types.Array):
        return lambda a: a[::-1]
    if isinstance(a, types.List):
        return lambda a: [a[i] for i in range(len(a) - 1, -1, -1)]
    return None


class Never(types.Type):
    """The type of what is None where rules say that it is not: as long as no more is known, any other type."""

    def unify(self, context: Any, other: types.Type) -> types.Type:
        """The type of what may be this or another."""
        return other


opaque(Never)


@intrinsic
def _never(typing: Any, value: types.Type) -> Any:
    return Never("never")(value), lambda context, builder, signature, args: context.get_dummy_value()


@lower_cast(Never, types.Any)
def _cast_never_to_any(context: Any, builder: Any, source: Never, target: types.Type, value: Any) -> Any:
    return context.get_constant_null(target)


@overload(present)
def _implement_present(value: types.Type) -> Any:
    if isinstance(value, types.NoneType):
        return lambda value: _never(value)
    return lambda value: known_present(value)


@overload(known_present)
def _implement_known_present(value: types.Type) -> Any:
    if isinstance(value, types.Optional):
        return lambda value: value_in(value)
    return lambda value: value


@overload(still_present)
def _implement_still_present(value: types.Type) -> Any:
    return value_or_error(value, "a value is None where one is needed")


@builtin_registry.register
class _IteratorOfOptional(AbstractTemplate):
    """A loop over what may be None reads the value, or raises `TypeError`, as in Python."""

    key = "getiter"

    def generic(self, args: Any, keywords: Any) -> Any:
        if isinstance(args[0], types.Optional) and isinstance(args[0].type, types.IterableType):
            return Signature(args[0].type.iterator_type, (args[0].type,), None)
        return None


def _emptiness(function: Any, kind: str) -> None:
    """Whether a value is an empty list, or an empty tuple."""

    @overload(function)
    def _implement_function(value: types.Type) -> Any:
        if kind_of(value) == kind:
            return lambda value: len(value) == 0
        return (lambda value: False) if kind_of(value) or isinstance(value, NO_LISTS) else None


NO_LISTS = (types.Number, types.Boolean, types.NoneType, Frozen)
_emptiness(iterables.is_empty_list, "list")
_emptiness(iterables.is_empty_tuple, "tuple")


@overload(iterables.sequence_length)
def _implement_sequence_length(value: types.Type) -> Any:
    if kind_of(value):
        return lambda value: len(value)
    return (lambda value: -1) if isinstance(value, types.Number | types.Boolean | types.NoneType) else None


@overload(iterables.ordered_by)
def _implement_ordered_by(items: types.Type, keys: types.Type, reverse: types.Type) -> Any:
    return lambda items, keys, reverse: [items[place] for place in order_of(keys, bool(reverse))]


@intrinsic
def _equal(typing: Any, item: types.Type, number: types.Type) -> Any:
    typ = types.List(types.unliteral(item))

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return list_of_equals(context, builder, typ, *args)

    return typ(typ.dtype, types.intp), lower


@overload(iterables.equal_items)
def _implement_equal_items(item: types.Type, number: types.Type) -> Any:
    if types.unliteral(number) == types.int64:
        return lambda item, number: _equal(item, number)
    return lambda item, number: [item] * number


compile_for(types.List, {iterables.put_in_order: iterables.put_in_order})


@overload(iterables.in_any_order)
def _implement_in_any_order(values: types.Type) -> Any:
    if isinstance(values, types.Set):
        return lambda values: list(values)
    if isinstance(values, Frozenset):
        return lambda values: list(set_in(values))
    return lambda values: values


SMALL = 12
"""The number of items up to which comparing them with each other is faster than a set of them."""


@overload(iterables.distinct)
def _implement_distinct(values: types.Type) -> Any:
    if has_floats(getattr(values, "dtype", types.none)):
        raise refused(KEYED)
    if not isinstance(values, types.List) or not _are_all(values.dtype):
        return lambda values: len(set(values))

    def count(values: Any) -> Any:
        if len(values) > SMALL:
            return len(set(values))
        number = 0
        for place in range(len(values)):
            is_new = True
            for other in range(place):
                if values[other] == values[place]:
                    is_new = False
                    break
            number += is_new
        return number

    return count


@overload(iterables.unlike)
def _implement_unlike(one: types.Type, other: types.Type) -> Any:
    if one == other and (_are_all(one) or isinstance(one, EnumMember)):
        return lambda one, other: one != other
    if has_floats(one, other):
        return lambda one, other: different(one, other)
    if not _are_all(one, types.Number, EnumMember):
        raise refused(f"a set of {plain(one)}: compare the items in a loop")
    return lambda one, other: len({one, other}) == 2


def _are_all(typ: types.Type, *kinds: Any) -> bool:
    """Whether values of this type, or all that is in these tuples, are ints, bools, texts, or of further kinds."""
    kinds_known = (types.Integer, types.Boolean, types.UnicodeType, *kinds)
    return all(isinstance(leaf, kinds_known) for leaf in leaves(typ))


@overload(by_name)
def _implement_by_name(*args: types.Type, **named: types.Type) -> Any:
    raise refused("a function within a rule is called with arguments by name: write them in order")


@overload(iterables.changing)
def _implement_changing(values: types.Type) -> Any:
    raise refused("a loop changes what it reads: loop over a list of its own")


# -- the order of sets -------------------------------------------------------------------------------------------------


@functools.cache
def _is_as_in_python() -> bool:
    """Whether sets of this Python have the order that we compute."""
    random = Random(0)  # noqa: S311 - not for secrets
    for number in range(0, 300, 7):
        ints = [random.randrange(-(2 ** random.randrange(1, 62)), 2 ** random.randrange(1, 62)) for _ in range(number)]
        pairs = [(random.randrange(9), one) for one in ints]
        for added in (ints, pairs):
            items = set()
            for item in added:
                items.add(item)
            if list(items) != ordered.in_order(added):
                return False
    return True


@overload(ordered.in_order)
def _implement_in_order(added: types.Type) -> Any:
    if not isinstance(added, types.List):
        return None
    is_hashed_alike = all(isinstance(leaf, types.Integer | types.Boolean) for leaf in leaves(added.dtype))
    if not is_hashed_alike or not _is_as_in_python():
        raise refused(UNORDERED)
    return ordered.in_order


for _function in (ordered.grows, ordered.larger, ordered.free_cell):
    as_it_is(_function)


@overload(ordered.listed)
def _implement_listed(values: types.Type) -> Any:
    if isinstance(values, types.Set | types.DictType | types.DictKeysIterableType):
        raise refused(UNORDERED)
    return lambda values: [item for item in values]  # noqa: C416 - compiled
