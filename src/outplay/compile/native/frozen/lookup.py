"""Constant dicts and sets in rules: items are found by their hash."""

import operator
from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from outplay.compile.native.frozen.data import (
    MULTIPLIER,
    hash_of,
    item_at,
    mask_of,
    slot_at,
    value_at,
    value_or_nothing,
)
from outplay.compile.native.frozen.enums import EnumMember
from outplay.compile.native.frozen.kinds import FrozenDict, FrozenSequence, FrozenSet, FrozenView, plain_name
from outplay.compile.native.game_type import (
    AS_RULES,
    INTERNAL,
    as_it_is,
    compile_for,
    compiled_only,
    function_from_source,
    overload,
    overload_method,
)
from outplay.compile.native.internals.numba_names import refused
from outplay.compile.native.internals.registration import value_in, wrapping


def scrambled_bits(number: int) -> int:
    """`scrambled`, in compiled code."""
    return np.int64((np.uint64(number) * np.uint64(MULTIPLIER)) >> np.uint64(32))  # type: ignore[return-value]


as_it_is(scrambled_bits)


@intrinsic
def number(typing: Any, value: types.Type) -> Any:
    """An int, a bool, or the number of a member of an enumeration, as an int."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return args[0] if isinstance(value, EnumMember) else context.cast(builder, args[0], value, types.int64)

    return types.int64(value), lower


@overload(hash_of)
def _implement_hash_of(value: types.Type, typ: types.Type) -> Any:
    if isinstance(value, (types.Integer, types.Boolean, EnumMember)):
        return lambda value, typ: scrambled_bits(number(value))
    if isinstance(value, types.Float):
        return lambda value, typ: 0
    if isinstance(value, types.UnicodeType):

        def of_text(value: Any, typ: Any) -> Any:
            bits = 0
            for char in value:
                bits = scrambled_bits(31 * bits + ord(char))
            return bits

        return of_text
    if isinstance(value, types.BaseTuple):
        parts = [f"hash_of(value[{place}], None)" for place in range(len(value))]
        return function_from_source(f"def rule(value, typ): return {_combined(parts)}", **NAMES)
    if isinstance(value, FrozenSequence):

        def of_sequence(value: Any, typ: Any) -> Any:
            bits = 0
            for item in value:
                bits = scrambled_bits(31 * bits + hash_of(item, None))
            return bits

        return of_sequence
    return None


NAMES: dict[str, Any] = {"scrambled_bits": scrambled_bits, "hash_of": hash_of, "number": number}


def _combined(parts: list[str]) -> str:
    text = "0"
    for part in parts:
        text = f"scrambled_bits(31 * {text} + {part})"
    return text


def _hash(text: str, key: types.Type, typ: types.Type) -> str:
    """Source of the hash that `text`, of type `typ`, has as a key of type `key`."""
    typ = types.unliteral(typ)
    if key == typ:
        return f"hash_of({text}, None)"
    if isinstance(key, types.Float) and isinstance(typ, types.Number):
        return "0"
    if is_whole(key) and is_whole(typ):
        return f"scrambled_bits(number({text}))"
    if isinstance(typ, types.BaseTuple):
        keys: Any = None
        if isinstance(key, types.BaseTuple) and len(key) == len(typ):
            keys = key.types
        elif isinstance(key, FrozenSequence) and key.kind == "tuple":
            keys = [key.dtype] * len(typ)
        if keys is not None:
            pairs = zip(keys, typ.types, strict=True)
            return _combined([_hash(f"{text}[{i}]", *pair) for i, pair in enumerate(pairs)])
    raise refused(f"{plain_name(typ)} is looked for among {plain_name(key)}, which are all the keys of a constant")


def is_whole(typ: types.Type) -> bool:
    """Whether this is a type of ints, bools or members that are ints."""
    typ = types.unliteral(typ)
    is_int = isinstance(typ, EnumMember) and typ.is_int
    return is_int or (isinstance(typ, (types.Integer, types.Boolean)) and typ != types.uint64)


@compiled_only(jit_options=AS_RULES)
def place_of(container: types.Type, key: types.Type) -> Any:
    """The place of a key in a constant dict or set; -1 if it is not there."""
    if isinstance(key, types.Optional) and not isinstance(container.dtype, types.Optional):
        return lambda container, key: -1 if key is None else place_of(container, value_in(key))
    text = _hash("key", container.dtype, key)
    hash_of_key = njit(function_from_source(f"def rule(key): return {text}", **NAMES), **INTERNAL)

    def place(container: Any, key: Any) -> Any:
        mask = mask_of(container)
        slot = hash_of_key(key) & mask
        while True:
            index = slot_at(container, slot)
            if index < 0 or item_at(container, index) == key:
                return index
            slot = (slot + 1) & mask

    return place


@overload(operator.contains)
def _implement_contains(container: types.Type, key: types.Type) -> Any:
    if isinstance(container, FrozenView) and container.part == "keys":
        raise refused("`in` keys() of a constant dict: write `in` the dict")
    if isinstance(container, FrozenSet | FrozenDict):
        return lambda container, key: place_of(container, key) >= 0
    return None


def _look_up(container: Any, key: Any) -> Any:
    place = place_of(container, key)
    if place < 0:
        raise KeyError("a constant dict does not have the key that is looked up")
    return value_at(container, place)


compile_for(FrozenDict, {operator.getitem: _look_up})


@overload_method(FrozenDict, "get")
def _implement_get_of_frozen_dict(container: FrozenDict, key: types.Type, default: Any = None) -> Any:
    value = container.value
    if isinstance(default, types.BaseTuple) and len(default) == 0 and isinstance(value, FrozenSequence):
        kind = value.kind if value.kind == "tuple" else "sequence"
        return lambda container, key, default=None: sequence_at(container, place_of(container, key), kind)

    def get(container: Any, key: Any, default: Any = None) -> Any:
        place = place_of(container, key)
        return value_at(container, place) if place >= 0 else default

    return get


@intrinsic(prefer_literal=True)
def sequence_at(typing: Any, container: types.Type, place: types.Type, kind: types.Type) -> Any:
    """The sequence that is the value at a place of a dict; an empty one for the place -1."""
    typ = FrozenSequence(container.value.dtype, kind.literal_value)

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return value_or_nothing(context, builder, container, *args[:2])

    return typ(container, types.intp, kind), lower


def _view(part: str) -> None:
    view, _ = wrapping(FrozenView, "source", lambda source: FrozenView(source, part))
    overload_method(FrozenDict, part)(lambda container: lambda container: view(container))


for _part in ("keys", "values", "items"):
    _view(_part)
