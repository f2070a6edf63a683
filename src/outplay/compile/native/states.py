"""States in compiled code: conversions to the Numba type shared by all states of a game.

`cast_state` converts a state from Python, `to_state` one that a rule has made; `pack` turns several states into arrays,
so that a kernel can loop over them without Python.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numba
import numpy as np
from numba import njit, types

from outplay.compile.kernels import unpack
from outplay.compile.native.game_type import INTERNAL, GameType, function_from_source, overload
from outplay.compile.native.internals import as_dtype, errors
from outplay.compile.native.varying import Varying, items_in
from outplay.rules.base import Rules
from outplay.rules.errors import RulesError


def cast_state(typ: GameType, state: Any) -> Any:
    """`state` with every field of exactly the type that compiled rules expect."""
    try:
        return _gate(state, typ.state)
    except (TypeError, ValueError, OverflowError):
        raise RulesError(
            f"{state!r} is not a state of {typ.game!r}: it is not like {typ.game.initial_state()!r}"
        ) from None


def _gate(value: Any, typ: types.Type) -> Any:
    if isinstance(typ, types.BaseTuple):
        parts = [_gate(part, kind) for part, kind in zip(value, typ.types, strict=True)]
        return typ.instance_class(*parts) if hasattr(typ, "instance_class") else tuple(parts)
    if isinstance(typ, types.Array):
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and isinstance(typ.dtype, types.Integer):
            raise TypeError
        array = np.ascontiguousarray(value, dtype=as_dtype(typ.dtype))
        if array.ndim != typ.ndim or not np.array_equal(array, np.asarray(value)):
            raise ValueError
        return array if array.flags.writeable else array.copy()
    number = (bool, np.bool_, int, np.integer, float, np.floating)
    fraction = isinstance(value, (float, np.floating)) and typ is not types.float64
    if not isinstance(value, number) or fraction or (typ is types.boolean and value not in (0, 1)):
        raise TypeError
    if typ is types.int64:
        value = int(value)
        if not -(2**63) <= value < 2**63:
            raise OverflowError
        return value
    cast: Any = {types.uint64: np.uint64, types.float64: float, types.boolean: bool}[typ]
    return cast(value)


def to_state(game: Rules, state: Any) -> Any:
    """In compiled code: `state` with every field of the type that the game's states have."""
    return state


@overload(to_state)
def _(game: GameType, state: types.Type) -> Any:
    names: dict[str, Any] = {"np": np, "int64": np.int64, "uint64": np.uint64}
    text = _cast("state", state, game.state, "the state", names)
    return function_from_source(f"def rule(game, state): return {text}", **names)


def _cast(text: str, found: types.Type, wanted: types.Type, where: str, names: dict[str, Any]) -> str:
    """Source that converts the expression `text` to another type; an error if that could lose information."""
    if isinstance(found, types.Omitted):
        found = numba.typeof(found.value)
    if found == wanted:
        return text
    if isinstance(wanted, types.BaseTuple) and isinstance(found, Varying):
        return f"{_fixing(found, wanted, where, names)}({text})"
    if isinstance(wanted, types.BaseTuple) and isinstance(found, types.BaseTuple) and len(found) == len(wanted):
        fields = getattr(wanted, "fields", [str(i) for i in range(len(wanted))])
        parts = [
            _cast(f"{text}[{i}]", found[i], wanted[i], f"field {fields[i]} of {where}", names)
            for i in range(len(wanted))
        ]
        if not hasattr(wanted, "instance_class"):
            return f"({', '.join(parts)},)"
        maker = f"make{len(names)}"
        names[maker] = wanted.instance_class
        return f"{maker}({', '.join(parts)})"
    if isinstance(wanted, types.Array) and isinstance(found, types.Array) and found.ndim == wanted.ndim:
        if found.dtype != wanted.dtype:
            source, target = (as_dtype(array.dtype) for array in (found, wanted))
            if not np.can_cast(source, target, "same_kind"):
                raise errors.TypingError(
                    f"NotNative: {where} is an array of {source} here, of {target} in the initial state"
                )
            names[f"d{target.name}"] = target.type
            return f"{text}.astype(d{target.name})"
        return f"np.ascontiguousarray({text})" if found.layout != "C" and found.mutable else f"{text}.copy()"
    whole = isinstance(found, (types.Integer, types.Boolean))
    if whole and wanted in (types.int64, types.uint64):
        return f"{wanted.name}({text})"
    if wanted == types.float64 and (whole or isinstance(found, types.Float)):
        return f"float({text})"
    if wanted == types.boolean and whole:
        return f"bool({text})"
    raise errors.TypingError(f"NotNative: {where} is {_plain(found)} here, but {_plain(wanted)} in the initial state")


def _fixing(found: Varying, wanted: types.BaseTuple, where: str, names: dict[str, Any]) -> str:
    """The name of a function that turns a tuple of any length into one of this type."""
    number = len(wanted)
    inner: dict[str, Any] = {"np": np, "int64": np.int64, "uint64": np.uint64}
    inner |= {"items_in": items_in, "RulesError": RulesError}
    items = ", ".join(f"items[{place}]" for place in range(number))
    pool = types.UniTuple(found.dtype, number)
    whole = _cast(f"({items}{',' * (number > 0)})", pool, wanted, where, inner)
    reason = f"{where} is a tuple of another length than in the initial state, where it has {number}"
    body = f"    items = items_in(values)\n    if len(items) != {number}:\n        raise RulesError({reason!r})\n"
    fixed = function_from_source(f"def rule(values):\n{body}    return {whole}", **inner)
    name = f"fixed{len(names)}"
    names[name] = njit(fixed, **INTERNAL)
    return name


def _plain(typ: types.Type) -> str:
    """A Numba type in Python's terms."""
    if isinstance(typ, types.Integer):
        return "an int"
    if isinstance(typ, types.Float):
        return "a float"
    return "None" if typ == types.none else str(typ)


def pack(typ: GameType, states: Sequence[Any]) -> Any:
    """`states` as a tuple of arrays, one per number or array in a state; `RulesError` if shapes differ."""
    rows = [list(_leaves(cast_state(typ, state))) for state in states]
    kinds = list(_leaf_types(typ.state))
    try:
        return tuple(
            np.ascontiguousarray([row[i] for row in rows], dtype=as_dtype(getattr(kind, "dtype", kind)))
            for i, kind in enumerate(kinds)
        )
    except ValueError:
        raise RulesError(f"states of {typ.game!r} have arrays of different shapes: search them one by one") from None


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from _leaves(part)
    else:
        yield value


def _leaf_types(typ: types.Type) -> Iterator[types.Type]:
    if isinstance(typ, types.BaseTuple):
        for part in typ.types:
            yield from _leaf_types(part)
    else:
        yield typ


@overload(unpack)
def _(game: GameType, packed: types.Type, index: types.Type) -> Any:
    names: dict[str, Any] = {}
    columns = iter(range(len(packed)))

    def build(typ: types.Type) -> str:
        if not isinstance(typ, types.BaseTuple):
            column = f"packed[{next(columns)}][index]"
            return f"bool({column})" if typ == types.boolean else column
        maker = f"make{len(names)}"
        names[maker] = getattr(typ, "instance_class", None)
        parts = ", ".join(build(part) for part in typ.types)
        return f"{maker}({parts})" if names[maker] else f"({parts},)"

    return function_from_source(f"def rule(game, packed, index): return {build(game.state)}", **names)
