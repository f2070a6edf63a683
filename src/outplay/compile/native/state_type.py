"""The Numba type shared by all states of a game, from its initial state and the annotations of its fields."""

from typing import Any, get_type_hints

import numba
import numpy as np
from numba import types

from outplay.compile.native.frozen.kinds import operator_of
from outplay.rules.base import Rules
from outplay.rules.errors import RulesError


class NotNative(Exception):
    """A state or parameter has no native form; the message names it and the remedy."""


def native_state(game: Rules) -> types.Type:
    """The Numba type of every state of `game`, from its initial state and the annotations of its fields."""
    if type(game).__getattribute__ is not object.__getattribute__:
        raise NotNative(f"{type(game).__name__}.__getattribute__ may give different values each time")
    try:
        state = game.initial_state()
    except Exception as error:
        raise RulesError(f"{type(game).__name__}.initial_state() failed: {type(error).__name__}: {error}") from error
    return _native_field(state, None, "the state")


def _annotations(cls: type) -> dict[str, Any]:
    """The annotations of the fields, including those written as strings."""
    try:
        return get_type_hints(cls)
    except Exception:  # a name that does not exist at run time
        return getattr(cls, "__annotations__", {})


def _native_field(value: Any, note: Any, where: str) -> types.Type:
    if isinstance(value, tuple):
        if hasattr(value, "_fields") and (name := operator_of(type(value))):
            raise NotNative(f"{where} is a {type(value).__name__}, which defines {name}: give it an ordinary name")
        notes = _annotations(type(value))
        names = getattr(value, "_fields", [f"[{i}]" for i in range(len(value))])
        parts = [
            _native_field(part, notes.get(name), f"field {name} of {where}")
            for part, name in zip(value, names, strict=True)
        ]
        return types.BaseTuple.from_types(parts, type(value) if hasattr(value, "_fields") else None)
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf":
            raise NotNative(f"{where} is an array of {value.dtype}; use an array of numbers")
        return types.Array(numba.typeof(value).dtype, value.ndim, "C")
    if isinstance(value, np.number) and value.itemsize < 8:
        remedy = "float" if isinstance(value, np.floating) else "int"
        raise NotNative(
            f"{where} is a numpy.{type(value).__name__}, and NumPy would compute in that type; use {remedy}()"
        )
    if isinstance(value, np.uint64) or note is np.uint64:
        return types.uint64
    if isinstance(value, (float, np.floating)) or (note is float and isinstance(value, (int, np.integer))):
        return types.float64
    if (isinstance(value, (bool, np.bool_)) and note is not int) or note is bool:
        return types.boolean
    if isinstance(value, (int, np.integer)):
        if not -(2**63) <= value < 2**63:
            raise NotNative(f"{where} is {value}, more than 63 bits; use numpy.uint64 or two ints")
        return types.int64
    raise NotNative(f"{where} is {'None' if value is None else f'a {type(value).__name__}'}")
