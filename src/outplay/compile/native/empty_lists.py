"""A new empty list of ints, whose type Numba knows at once."""

from typing import Any

from numba import types
from numba.extending import intrinsic

from outplay.compile.native.game_type import overload
from outplay.compile.native.internals import new_list


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
