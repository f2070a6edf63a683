"""An empty list that a function returns beside other lists: it becomes one of their type.

A function that returns lists of ints and lists of members that are ints returns lists of ints, if the list is its own.
"""

from typing import Any

from numba import types
from numba.extending import intrinsic, lower_cast, models, register_model

from outplay.compile.native.game_type import overload
from outplay.compile.native.internals import new_list
from outplay.compile.rewriting.iterables import empty_list


class EmptyList(types.IterableType):
    """The Numba type of `[]` where nothing shows of what type its items would be."""

    def __init__(self) -> None:
        super().__init__("empty list")

    @property
    def iterator_type(self) -> Any:
        """The type of an iterator over it, which yields nothing."""
        return types.List(types.int64).iterator_type

    def unify(self, context: Any, other: types.Type) -> types.Type | None:
        """The type of what may be this or another list."""
        return other if isinstance(other, types.List) else None


EMPTY = EmptyList()
register_model(EmptyList)(models.OpaqueModel)


@intrinsic
def nothing(typing: Any) -> Any:
    """The empty list."""
    return EMPTY(), lambda context, builder, signature, args: context.get_dummy_value()


@overload(empty_list)
def _() -> Any:
    return lambda: nothing()  # noqa: PLW0108 - Numba wants a function


def no_ints() -> list[int]:
    """An empty list of ints."""
    return []


@intrinsic
def _no_ints(typing: Any) -> Any:
    typ = types.List(types.int64)
    return typ(), lambda context, builder, signature, args: new_list(context, builder, typ)


@overload(no_ints)
def _() -> Any:
    return lambda: _no_ints()  # noqa: PLW0108 - Numba wants a function


@lower_cast(EmptyList, types.List)
def _(context: Any, builder: Any, source: EmptyList, target: types.List, value: Any) -> Any:
    return new_list(context, builder, target)
