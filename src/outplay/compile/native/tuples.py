"""Tuples of any length in compiled code: `tuple(…)` of a list, and slices of a tuple from a variable place.

The type of a tuple in compiled code has its length in it. Where the length is only known at run time, the value is a
`Varying`: a list that nobody can change. It becomes an ordinary tuple where a state needs one, if the length is right.
"""

import operator
from typing import Any

from numba import types
from numba.extending import intrinsic, models, overload_method, register_model

from outplay.compile.native.game_type import INTERNAL, function_from_source, overload
from outplay.compile.native.internals import cgutils, errors, lower_builtin
from outplay.compile.rewriting import iterables


class Varying(types.IterableType):
    """The Numba type of a tuple of any length, whose items have the same type."""

    def __init__(self, items: types.List) -> None:
        self.items = items
        super().__init__(f"tuple of any number of {items.dtype}")

    @property
    def key(self) -> Any:
        """Two of these types are equal if their keys are."""
        return self.items

    @property
    def dtype(self) -> types.Type:
        """The type of the items."""
        return self.items.dtype

    @property
    def iterator_type(self) -> Any:
        """The type of an iterator over the items."""
        return self.items.iterator_type


@register_model(Varying)
class _Model(models.StructModel):
    def __init__(self, manager: Any, typ: Varying) -> None:
        super().__init__(manager, typ, [("items", typ.items)])


@intrinsic
def _freeze(typing: Any, items: types.Type) -> Any:
    """A tuple of the items of a list that nobody changes from now on."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        made = cgutils.create_struct_proxy(signature.return_type)(context, builder)
        made.items = args[0]
        context.nrt.incref(builder, signature.args[0], args[0])
        return made._getvalue()

    return Varying(items)(items), lower


@intrinsic
def items_in(typing: Any, values: types.Type) -> Any:
    """The list in a tuple of any length."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        items = cgutils.create_struct_proxy(signature.args[0])(context, builder, args[0]).items
        context.nrt.incref(builder, signature.return_type, items)
        return items

    return (values.items(values), lower) if isinstance(values, Varying) else None


@lower_builtin("getiter", Varying)
def _(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    typ = signature.args[0]
    made = cgutils.create_struct_proxy(typ)(context, builder, args[0])
    inner = context.get_function("getiter", signature.return_type(typ.items))
    return inner(builder, (made.items,))


def tuple_of(values: Any = ()) -> Any:
    """`tuple`."""
    return tuple(values)


@overload(tuple_of)
def _(values: Any = ()) -> Any:
    if isinstance(values, types.BaseTuple | Varying):
        return lambda values=(): values
    if isinstance(values, tuple | types.Omitted):
        return lambda values=(): ()
    if isinstance(values, types.Set):
        raise errors.TypingError("NotNative: the order of a set: write tuple(sorted(values))")
    return lambda values=(): _freeze([item for item in values])  # noqa: C416


@overload(iterables.varying)
def _(items: types.Type) -> Any:
    return lambda items: _freeze(items)


@overload(iterables.like)
def _(values: types.Type, items: types.Type) -> Any:
    """A tuple of the items of a new list, as long as `values`."""
    number = _length(values)
    if number is None:
        return lambda values, items: _freeze(items)
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
    return isinstance(typ, types.BaseTuple) and all(types.unliteral(each) == dtype for each in typ.types)


def items_of(values: Any) -> Any:
    """The items of a tuple as a list."""
    return list(values)


@overload(items_of)
def _(values: types.Type) -> Any:
    if isinstance(values, Varying):
        return lambda values: items_in(values)
    return lambda values: [item for item in values]  # noqa: C416


@overload(len)
def _(values: types.Type) -> Any:
    return (lambda values: len(items_in(values))) if isinstance(values, Varying) else None


@overload(bool)
def _(values: types.Type) -> Any:
    return (lambda values: len(items_in(values)) > 0) if isinstance(values, Varying) else None


@overload(operator.getitem)
def _(values: types.Type, place: types.Type) -> Any:
    if isinstance(values, Varying):
        if isinstance(place, types.Integer):

            def item(values: Any, place: Any) -> Any:
                number = len(items_in(values))
                if not -number <= place < number:
                    raise IndexError("tuple index out of range")
                return items_in(values)[place]

            return item
        if isinstance(place, types.SliceType):
            return lambda values, place: _freeze(items_in(values)[place])
    if isinstance(values, types.UniTuple) and isinstance(place, types.SliceType):
        return lambda values, place: _freeze([item for item in values][place])  # noqa: C416
    return None


@overload(operator.contains)
def _(values: types.Type, item: types.Type) -> Any:
    return (lambda values, item: item in items_in(values)) if isinstance(values, Varying) else None


@overload(operator.add)
def _(one: types.Type, other: types.Type) -> Any:
    if not isinstance(one, Varying) and not isinstance(other, Varying):
        return None
    for each, partner in ((one, other), (other, one)):
        if not isinstance(each, Varying) and not (
            isinstance(each, types.BaseTuple) and _is_tuple(each, partner.dtype)
        ):
            return None
    if one == other or not (isinstance(one, Varying) and isinstance(other, Varying)):
        return lambda one, other: _freeze(items_of(one) + items_of(other))
    return None


@overload(operator.mul)
def _(one: types.Type, other: types.Type) -> Any:
    if isinstance(one, Varying) and isinstance(other, types.Integer):
        return lambda one, other: _freeze(items_in(one) * other)
    return None


def _equality(op: Any, is_equal: bool) -> None:
    @overload(op)
    def _(one: types.Type, other: types.Type) -> Any:
        pair = one, other
        if not any(isinstance(each, Varying) for each in pair):
            return None
        if not all(isinstance(each, Varying | types.BaseTuple) for each in pair):
            return (lambda one, other: not is_equal) if any(isinstance(each, types.List) for each in pair) else None
        dtype = next(each.dtype for each in pair if isinstance(each, Varying))
        if not all(isinstance(each, Varying) or _is_tuple(each, dtype) for each in pair):
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


@overload_method(Varying, "count", jit_options=INTERNAL)
def _(values: types.Type, item: types.Type) -> Any:
    return lambda values, item: items_in(values).count(item)


@overload_method(Varying, "index", jit_options=INTERNAL)
def _(values: types.Type, item: types.Type) -> Any:
    return lambda values, item: items_in(values).index(item)


@overload_method(types.BaseTuple, "count", jit_options=INTERNAL)
def _(values: types.Type, item: types.Type) -> Any:
    if not isinstance(values, types.BaseTuple) or not _is_tuple(values, types.unliteral(item)):
        return None

    def count(values: Any, item: Any) -> int:
        number = 0
        for each in values:
            if each == item:
                number += 1
        return number

    return count


@overload(iterables.is_empty_tuple)
def _(value: types.Type) -> Any:
    return (lambda value: len(items_in(value)) == 0) if isinstance(value, Varying) else None


@overload(iterables.is_empty_list)
def _(value: types.Type) -> Any:
    return (lambda value: False) if isinstance(value, Varying) else None


@overload(iterables.sequence_length)
def _(value: types.Type) -> Any:
    return (lambda value: len(items_in(value))) if isinstance(value, Varying) else None
