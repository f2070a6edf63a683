"""Constants as read-only data in machine code, and how compiled code reads an item.

A sequence is a pointer to its items and their number. Sets and dicts also have a hash table: the places
of items, and -1 for none, in a list whose length is a power of two. A key is looked for from the slot of its hash on.
"""

import enum
import hashlib
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_cast

from outplay.compile.native.frozen.enums import EnumMember, number_of
from outplay.compile.native.frozen.kinds import (
    Constant,
    Frozen,
    FrozenDict,
    FrozenIterator,
    FrozenSequence,
    FrozenSet,
    FrozenView,
    is_ordered,
)
from outplay.compile.native.internals.numba_names import (
    RefType,
    cgutils,
    iternext_impl,
    lower_builtin,
    lower_constant,
    refused,
)
from outplay.compile.native.internals.registration import fields_of_type

EXACT = 2**53
"""Floats represent all ints up to this one exactly."""
BITS = (1 << 64) - 1
MULTIPLIER = 0x9E3779B97F4A7C15
"""Spreads ints over 64 bits: 2**64 divided by the golden ratio."""
WORD, BYTE = ir.IntType(64), ir.IntType(8)
BYTES = BYTE.as_pointer()


_SEQUENCE = {"items": types.voidptr, "length": types.intp}
_TABLE = {**_SEQUENCE, "values": types.voidptr, "slots": types.voidptr, "mask": types.intp}
fields_of_type(FrozenSequence, **_SEQUENCE)
fields_of_type(FrozenSet, **_TABLE)
fields_of_type(FrozenDict, **_TABLE)
fields_of_type(FrozenView, source=attrgetter("source"))
fields_of_type(FrozenIterator, container=attrgetter("container"), place=types.EphemeralPointer(types.intp))


# -- hashes ------------------------------------------------------------------------------------------------------------


def hash_of(value: Any, typ: types.Type) -> int:
    """The hash of a key, which compiled code computes too; equal keys have equal hashes."""
    if isinstance(value, enum.Enum):
        return scrambled(number_of(value))
    if isinstance(typ, (types.Integer, types.Boolean)):
        return scrambled(int(value))
    parts: Any = ()
    if isinstance(typ, types.UnicodeType):
        parts = map(ord, value)
    elif isinstance(typ, types.BaseTuple):
        parts = map(hash_of, value, typ.types)
    elif isinstance(typ, FrozenSequence) and typ.kind == "tuple":
        parts = (hash_of(item, typ.dtype) for item in value)
    elif not isinstance(typ, types.Float):
        raise refused("a key of a constant dict or set may be None: give it a number of its own")
    mixed = 0
    for part in parts:
        mixed = scrambled(31 * mixed + part)
    return mixed


def scrambled(number: int) -> int:
    """An int below 2**32 that depends on all bits of a 64-bit int."""
    return ((number * MULTIPLIER) & BITS) >> 32


def _slots(keys: list[Any], typ: types.Type) -> list[int]:
    """The hash table of these keys."""
    mask = _mask(len(keys))
    slots = [-1] * (mask + 1)
    for place, key in enumerate(keys):
        slot = hash_of(key, typ) & mask
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = place
    return slots


def _mask(count: int) -> int:
    size: int = 1 << (2 * count).bit_length()
    return size - 1


# -- data in machine code ----------------------------------------------------------------------------------------------


@lower_constant(Frozen)
@lower_constant(EnumMember)
def _constant_of_frozen(context: Any, builder: Any, typ: types.Type, constant: Constant) -> Any:
    return _data(context, builder.module, typ, constant.value)


def _data(context: Any, module: Any, typ: types.Type, value: Any) -> ir.Constant:
    """A value of this type as data."""
    layout = context.get_data_type(typ)
    if isinstance(typ, types.Integer | types.Boolean):
        return layout(int(value))
    if isinstance(typ, types.Float):
        if isinstance(value, int) and abs(value) > EXACT:
            raise refused(f"a constant mixes floats and {value}, which no float represents exactly")
        return layout(float(value))
    if isinstance(typ, EnumMember):
        return layout(number_of(value))
    if typ == types.none:
        return layout(None)
    if isinstance(typ, types.Optional):
        value, inner = (value, 1) if value is not None else (None, 0)
        data = layout.elements[0](ir.Undefined) if value is None else _data(context, module, typ.type, value)
        return layout((data, layout.elements[1](inner)))
    if isinstance(typ, types.UnicodeType):
        return _text(context, module, layout, value)
    if isinstance(typ, types.Array):
        return _numbers(context, module, typ, value)
    if isinstance(typ, types.BaseTuple):
        return layout([_data(context, module, part, item) for part, item in zip(typ.types, value, strict=True)])
    return _container(context, module, typ, value)


def _text(context: Any, module: Any, layout: Any, value: str) -> ir.Constant:
    """A string, as Numba represents it."""
    width = next(size for size in (1, 2, 4) if ord(max(value, default="a")) < 1 << 8 * size)
    encoding = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}[width]
    content = bytearray(value.encode(encoding, "surrogatepass") + bytes(width))
    place = _global(module, ir.ArrayType(BYTE, len(content))(content)).bitcast(layout.elements[0])
    numbers = (len(value), width, int(value.isascii()), -1)  # the hash is computed when needed
    parts = [kind(number) for kind, number in zip(layout.elements[1:5], numbers, strict=True)]
    return layout([place, *parts, *(kind(None) for kind in layout.elements[5:])])


def _numbers(context: Any, module: Any, typ: types.Array, value: Any) -> ir.Constant:
    """An array, as Numba represents it."""
    layout = context.get_data_type(typ)
    content = bytearray(value.tobytes() or b"\0")
    place = _global(module, ir.ArrayType(BYTE, len(content))(content)).bitcast(layout.elements[4])
    numbers = (WORD(value.size), WORD(value.itemsize))
    fields = zip(layout.elements[5:], (value.shape, value.strides), strict=True)
    sizes = [kind([WORD(size) for size in part]) for kind, part in fields]
    return layout([layout.elements[0](None), layout.elements[1](None), *numbers, place, *sizes])


def _container(context: Any, module: Any, typ: Frozen, value: Any) -> ir.Constant:
    items = list(value)
    if isinstance(typ, FrozenSet) and not is_ordered(typ.dtype):
        items = sorted(items, key=lambda item: (hash_of(item, typ.dtype), repr(item)))  # the same in every run
    parts: list[Any] = [_array(context, module, typ.dtype, items), WORD(len(items))]
    if isinstance(typ, FrozenSet | FrozenDict):
        values = list(value.values()) if isinstance(value, dict) else []
        parts.append(_array(context, module, typ.value, values) if isinstance(typ, FrozenDict) else BYTES(None))
        parts += [_array(context, module, types.int64, _slots(items, typ.dtype)), WORD(_mask(len(items)))]
    return context.get_data_type(typ)(parts)


def _array(context: Any, module: Any, item: types.Type, values: list[Any]) -> ir.Constant:
    """A pointer to these items."""
    layout = ir.ArrayType(context.get_data_type(item), len(values))
    return _global(module, layout([_data(context, module, item, value) for value in values])).bitcast(BYTES)


def _global(module: Any, content: ir.Constant) -> ir.GlobalVariable:
    """Read-only data; equal data is stored once."""
    name = f".frozen.{hashlib.sha256(str(content).encode()).hexdigest()[:32]}"
    if name in module.globals:
        return module.globals[name]
    variable = ir.GlobalVariable(module, content.type, name)
    variable.linkage, variable.global_constant, variable.initializer, variable.align = "linkonce_odr", True, content, 8
    return variable


# -- reading -----------------------------------------------------------------------------------------------------------


def _load(context: Any, builder: Any, typ: types.Type, items: Any, place: Any) -> Any:
    """The item at a place of an array."""
    pointer = builder.bitcast(items, context.get_data_type(typ).as_pointer())
    return context.unpack_value(builder, typ, builder.gep(pointer, [place], inbounds=True))


def _parts(context: Any, builder: Any, typ: types.Type, value: Any) -> Any:
    return cgutils.create_struct_proxy(typ)(context, builder, value=value)


def _source(context: Any, builder: Any, typ: Frozen, value: Any) -> Any:
    """The fields of a container, or of the dict behind a view."""
    if isinstance(typ, FrozenView):
        return _parts(context, builder, typ.source, _parts(context, builder, typ, value).source)
    return _parts(context, builder, typ, value)


def _item(context: Any, builder: Any, typ: Frozen, value: Any, place: Any) -> Any:
    """The item of a container that iteration meets at this place."""
    source = _source(context, builder, typ, value)
    if not isinstance(typ, FrozenView) or typ.part == "keys":
        return _load(context, builder, typ.dtype, source.items, place)
    item = _value(context, builder, typ, value, place)
    if typ.part == "values":
        return item
    key = _load(context, builder, typ.source.dtype, source.items, place)
    return context.make_tuple(builder, typ.dtype, [key, item])


def _value(context: Any, builder: Any, typ: Frozen, container: Any, place: Any) -> Any:
    """The value at a place of a dict, or of the dict behind a view."""
    values = _source(context, builder, typ, container).values
    return _load(context, builder, typ.source.value if isinstance(typ, FrozenView) else typ.value, values, place)


def _slot(context: Any, builder: Any, typ: Frozen, container: Any, place: Any) -> Any:
    return _load(context, builder, types.int64, _source(context, builder, typ, container).slots, place)


def _field(name: str) -> Any:
    """The intrinsic that gives a field of a constant, or of the dict behind a view."""

    @intrinsic
    def read(typing: Any, container: types.Type) -> Any:
        def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(_source(context, builder, container, args[0]), name)

        return types.intp(container), lower

    return read


length_of, mask_of = _field("length"), _field("mask")
"""The number of items of a constant, and that of the slots of its hash table, less one."""


def _at(typ_of: Callable[[Any], types.Type], load: Any) -> Any:
    """The intrinsic that gives what `load` finds at a place that exists; `typ_of` gives its type."""

    @intrinsic
    def at(typing: Any, container: types.Type, place: types.Type) -> Any:
        def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return load(context, builder, container, *args)

        return typ_of(container)(container, types.intp), lower

    return at


item_at = _at(attrgetter("dtype"), _item)
"""The item of a constant."""
value_at = _at(attrgetter("value"), _value)
"""The value of a dict."""
slot_at = _at(lambda _: types.int64, _slot)
"""The content of a slot of the hash table."""


@intrinsic
def part_of(typing: Any, container: types.Type, start: types.Type, stop: types.Type) -> Any:
    """The items of a sequence from `start` to `stop`, which exist, as a sequence."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole = _parts(context, builder, container, args[0])
        layout = context.get_data_type(container.dtype).as_pointer()
        first = builder.gep(builder.bitcast(whole.items, layout), [args[1]], inbounds=True)
        part = cgutils.create_struct_proxy(container)(context, builder)
        part.items, part.length = builder.bitcast(first, BYTES), builder.sub(args[2], args[1])
        return part._getvalue()

    return container(container, types.intp, types.intp), lower


def value_or_nothing(context: Any, builder: Any, typ: FrozenDict, container: Any, place: Any) -> Any:
    """The sequence at a place of a dict; an empty one for the place -1."""
    slot = cgutils.alloca_once_value(builder, context.get_value_type(typ.value)(None))
    with builder.if_then(builder.icmp_signed(">=", place, WORD(0))):
        builder.store(_value(context, builder, typ, container, place), slot)
    return builder.load(slot)


@lower_builtin("getiter", Frozen)
def _lower_getiter(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    iterator = cgutils.create_struct_proxy(signature.return_type)(context, builder)
    iterator.container = args[0]
    iterator.place = cgutils.alloca_once_value(builder, WORD(0))
    return iterator._getvalue()


@lower_builtin("iternext", FrozenIterator)
@iternext_impl(RefType.UNTRACKED)
def _lower_iternext(context: Any, builder: Any, signature: Any, args: Any, result: Any) -> None:
    typ = signature.args[0]
    iterator = _parts(context, builder, typ, args[0])
    place = builder.load(iterator.place)
    length = _source(context, builder, typ.container, iterator.container).length
    exists = builder.icmp_signed("<", place, length)
    result.set_valid(exists)
    with builder.if_then(exists):
        result.yield_(_item(context, builder, typ.container, iterator.container, place))
        builder.store(builder.add(place, WORD(1)), iterator.place)


lower_cast(FrozenSequence, FrozenSequence)(lambda context, builder, source, target, value: value)


@lower_cast(EnumMember, types.Number)
def _cast_enum_member_to_number(context: Any, builder: Any, source: types.Type, target: types.Type, value: Any) -> Any:
    return context.cast(builder, value, types.int64, target)
