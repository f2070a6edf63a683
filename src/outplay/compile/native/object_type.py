"""The Numba type of objects of users' classes; see `objects`."""

import functools
import secrets
from typing import Any

from numba import types
from numba.extending import models, register_model

from outplay.compile.native.internals.numba_names import (
    StructUtils,
    impl_ret_borrowed,
    lower_getattr_generic,
    lower_setattr_generic,
)
from outplay.compile.native.internals.registration import attributes_of
from outplay.compile.references import member_of


class ObjectType(types.StructRef):
    """The Numba type of the objects of a class in one game. Each class has a class of types of its own."""

    cls: type

    def __init__(self, fields: tuple[tuple[str, types.Type], ...], mark: str = "") -> None:
        self.mark = mark
        """Stands for the types of all objects in the states, and for the content of their classes."""
        self.natives: Any = None
        """The compiled methods of all these objects."""
        super().__init__(fields)
        self.name = f"{self.cls.__qualname__}[{secrets.token_hex(8)}]"  # machine code from disk is linked by name

    key = property(lambda self: (tuple(self._fields), self.mark))  # two of these types are equal if their keys are

    def with_types(self, parts: list[types.Type], mark: str = "") -> "ObjectType":
        """The type of objects of the same class whose fields have other types."""
        return type(self)(tuple(zip(self.field_dict, parts, strict=True)), mark)


@functools.cache
def types_of(cls: type) -> type[ObjectType]:
    """The types of the objects of a class."""
    kind = type(f"ObjectOf{cls.__name__}", (ObjectType,), {"cls": cls})
    register_model(kind)(models.StructRefModel)
    _register_fields(kind)
    return kind


def _register_fields(types_of_class: type[ObjectType]) -> None:
    """Let compiled code read and assign the attributes, by their places: Numba's own code fails on `_name`."""

    def type_of(context: Any, typ: ObjectType, name: str) -> types.Type | None:
        return typ.field_dict[name] if name in typ.field_dict else OTHERS["type"](context, typ, name)

    attributes_of(types_of_class, type_of)

    @lower_getattr_generic(types_of_class)
    def _read_attribute_of_types_of_class(context: Any, builder: Any, typ: ObjectType, value: Any, name: str) -> Any:
        if name not in typ.field_dict:
            return OTHERS["lowered"](context, builder, typ, value, name)
        fields = StructUtils(context, builder, typ).get_data_struct(value)
        return impl_ret_borrowed(context, builder, typ.field_dict[name], fields[_place(typ, name)])

    @lower_setattr_generic(types_of_class)
    def _set_attribute_of_types_of_class(context: Any, builder: Any, signature: Any, values: Any, name: str) -> None:
        typ, value_type = signature.args
        if setter_of(typ.cls, name) is not None and name not in typ.field_dict:
            setter = types.Dispatcher(SETTERS[0](typ, name))
            call = setter.get_call_type(context.typing_context, (typ, value_type), {})
            context.get_function(setter, call)(builder, values)
            return
        kind, place = typ.field_dict[name], _place(typ, name)
        fields = StructUtils(context, builder, typ).get_data_struct(values[0])
        value, before = context.cast(builder, values[1], value_type, kind), fields[place]
        context.nrt.incref(builder, kind, value)
        fields[place] = value
        context.nrt.decref(builder, kind, before)


def setter_of(cls: type, name: str) -> Any:
    """The function that an assignment to a property calls; None if this is no property, or has none."""
    member = member_of(cls, name)
    return member.fset if isinstance(member, property) else None


OTHERS: dict[str, Any] = {}
"""The type and the machine code of attributes that are no fields: methods, and others of classes; see `objects`."""
SETTERS: list[Any] = []
"""Gives the dispatcher of such a function for a type; filled by `operators`."""


def _place(typ: ObjectType, name: str) -> int:
    return list(typ.field_dict).index(name)
