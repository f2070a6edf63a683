"""A new empty list of ints, whose type Numba knows at once."""

from typing import Any

from numba import types
from numba.extending import intrinsic

from outplay.compile.native.game_type import compiled_only
from outplay.compile.native.internals import new_list


@intrinsic
def _no_ints(typing: Any) -> Any:
    typ = types.List(types.int64)
    return typ(), lambda context, builder, signature, args: new_list(context, builder, typ)


@compiled_only
def no_ints() -> Any:
    """An empty list of ints."""
    return lambda: _no_ints()
