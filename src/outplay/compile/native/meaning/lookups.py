"""`d.get(key, default)` of a dict that rules made: never None, where Numba gives what may be None."""

from typing import Any

from numba import types

from outplay.compile.native.game_type import compiled_only
from outplay.compile.native.state_type import refuse_others


@compiled_only
def item_or(owner: types.Type, key: types.Type, default: types.Type) -> Any:
    """`owner.get(key, default)`; for values of other types it calls the method."""
    value = types.unliteral(default)
    if not isinstance(owner, types.DictType) or value == types.none or isinstance(value, types.Optional):
        return lambda owner, key, default: owner.get(key, default)
    refuse_others(owner.key_type, key, "a key of a dict")
    refuse_others(owner.value_type, default, "a value of a dict")
    return lambda owner, key, default: owner[key] if key in owner else default  # noqa: SIM401
