"""Pointers to records in compiled code: named fields, and arrays in them without index checks.

Numba supports records and arrays in them, but checks whether each index is negative; in a search that costs a fifth of
the time.
"""

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

from outplay.compile.native.internals.numba_names import (
    AbstractTemplate,
    Signature,
    cgutils,
    infer_global,
    lower_builtin,
    lower_getattr_generic,
    lower_setattr_generic,
)
from outplay.compile.native.internals.registration import attributes_of

BYTES = ir.IntType(8).as_pointer()


class RecordPointer(types.Type):
    """A pointer to a record; Numba's type of the record holds the offset of each field."""

    def __init__(self, record: types.Record) -> None:
        self.record = record
        super().__init__(name=f"pointer to {record.name}")


class ArrayPointer(types.Type):
    """A pointer to an array in a record; its shape is known."""

    def __init__(self, array: types.NestedArray) -> None:
        self.dtype, self.shape = array.dtype, array.shape
        super().__init__(name=f"pointer to {array.name}")


for _kind in (RecordPointer, ArrayPointer):
    register_model(_kind)(lambda manager, typ: models.PrimitiveModel(manager, typ, BYTES))


@intrinsic
def pointer_to_record(typing: Any, record: types.Type) -> Any:
    """`pointer` for a record, or for the first of an array of records."""
    is_array = isinstance(record, types.Array)

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = context.make_array(record)(context, builder, args[0]).data if is_array else args[0]
        return builder.bitcast(place, BYTES)

    return RecordPointer(record.dtype if is_array else record)(record), lower


def _type_of(field: types.Type) -> types.Type:
    if isinstance(field, types.NestedArray):
        return ArrayPointer(field)
    return RecordPointer(field) if isinstance(field, types.Record) else field


attributes_of(
    RecordPointer, lambda _, typ, name: _type_of(typ.record.typeof(name)) if name in typ.record.fields else None
)


def _index_type(array: types.Type, index: types.Type) -> types.Type | None:
    """The type that `index` is cast to; None if it is not a valid index of this array."""
    if not isinstance(array, ArrayPointer):
        return None
    several = isinstance(index, types.BaseTuple)
    if (len(index) if several else 1) != len(array.shape):
        return None
    if not all(isinstance(part, types.Integer) for part in (index if several else (index,))):
        return None
    return types.UniTuple(types.int64, len(index)) if several else types.int64


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):
    def generic(self, args: Any, keywords: Any) -> Signature | None:
        index = _index_type(*args)
        return None if index is None else args[0].dtype(args[0], index)


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):
    def generic(self, args: Any, keywords: Any) -> Signature | None:
        index = _index_type(*args[:2])
        return None if index is None else types.void(args[0], index, args[0].dtype)


def _place(context: Any, builder: Any, typ: RecordPointer, record: Any, name: str) -> Any:
    """The address of a field, as a pointer to its value."""
    address = builder.gep(record, [ir.Constant(ir.IntType(64), typ.record.offset(name))], inbounds=True)
    field = _type_of(typ.record.typeof(name))
    return address if field is not typ.record.typeof(name) else builder.bitcast(address, _to(context, field))


def _to(context: Any, number: types.Type) -> Any:
    return context.get_data_type(number).as_pointer()


@lower_getattr_generic(RecordPointer)
def _read_attribute_of_record_pointer(context: Any, builder: Any, typ: Any, record: Any, name: str) -> Any:
    field, place = typ.record.typeof(name), _place(context, builder, typ, record, name)
    return context.unpack_value(builder, field, place) if isinstance(field, types.Number) else place


@lower_setattr_generic(RecordPointer)
def _set_attribute_of_record_pointer(context: Any, builder: Any, signature: Any, args: Any, name: str) -> None:
    typ, value_type = signature.args
    field = typ.record.typeof(name)
    number = context.cast(builder, args[1], value_type, field)
    context.pack_value(builder, field, number, _place(context, builder, typ, args[0], name))


def _item(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """The address of an element."""
    array, index = signature.args[:2]
    first, *others = cgutils.unpack_tuple(builder, args[1]) if isinstance(index, types.BaseTuple) else [args[1]]
    place = first
    for size, value in zip(array.shape[1:], others, strict=True):
        place = builder.add(builder.mul(place, ir.Constant(place.type, size), flags=["nsw"]), value, flags=["nsw"])
    return builder.gep(builder.bitcast(args[0], _to(context, array.dtype)), [place], inbounds=True)


@lower_builtin(operator.getitem, ArrayPointer, types.Any)
def _lower_getitem(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return context.unpack_value(builder, signature.return_type, _item(context, builder, signature, args))


@lower_builtin(operator.setitem, ArrayPointer, types.Any, types.Any)
def _lower_setitem(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    place = _item(context, builder, signature, args)
    context.pack_value(builder, signature.args[0].dtype, args[2], place)
    return context.get_dummy_value()
