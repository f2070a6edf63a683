"""The types of classes that rules refer to, and of methods of values."""

import enum
import secrets
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numba
from numba import types
from numba.extending import register_model, typeof_impl

from outplay.compile.fingerprint import fingerprint_of_class, hash_of_value
from outplay.compile.native.frozen.enums import member_type
from outplay.compile.native.frozen.kinds import FrozenIterator, FrozenSequence
from outplay.compile.native.internals.numba_names import lower_getattr_generic
from outplay.compile.native.internals.registration import attributes_of, opaque
from outplay.compile.references import MISSING, fields_of


class Class:
    """A class that rules refer to, for Numba."""

    def __init__(self, cls: type) -> None:
        self.cls = cls


class Called(types.Callable):
    """The base class of types of what rules call."""

    def get_call_signatures(self) -> Any:
        """The signatures that Numba lists in error messages: none."""
        return [], True


class ClassType(Called, types.Opaque):
    """The type of a class; a call makes a named tuple. A class that was changed has another type."""

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.mark = str(fingerprint_of_class(cls))
        super().__init__(f"class {cls.__qualname__}[{secrets.token_hex(8)}]")  # classes may have equal names

    key = property(attrgetter("cls", "mark"))  # two of these types are equal if their keys are

    def get_call_type(self, context: Any, args: Any, keywords: Any) -> Any:
        """The signature of a call."""
        return types.Dispatcher(self.maker()).get_call_type(context, args, keywords)

    def get_impl_key(self, signature: Any) -> Any:
        """The key by which Numba's lowering finds the machine code."""
        return types.Dispatcher(self.maker()).get_impl_key(signature)

    def maker(self) -> Any:
        """The dispatcher of a call of the class."""
        return MAKERS[0](self)


def constant_attributes(kind: Any, find: Callable[[Any, str], Any]) -> None:
    """Let compiled code read the attributes of a class that `find` gives: constants, and types of what is called."""

    def type_of(context: Any, typ: types.Type, name: str) -> types.Type | None:
        value = find(typ, name)
        return None if value is MISSING else value if isinstance(value, types.Type) else numba.typeof(value)

    attributes_of(kind, type_of)

    @lower_getattr_generic(kind)
    def _read_attribute_of_kind(context: Any, builder: Any, typ: types.Type, value: Any, name: str) -> Any:
        constant = find(typ, name)
        if isinstance(constant, types.Type):
            return value
        return context.get_constant_generic(builder, numba.typeof(constant), constant)


class EnumClassType(ClassType, types.IterableType):
    """The type of an enumeration; a call finds a member by its value."""

    def __init__(self, cls: type[enum.Enum]) -> None:
        self.member = member_type(cls)
        super().__init__(cls)

    members = property(lambda self: FrozenSequence(self.member, "tuple"))
    """The type of all members."""

    iterator_type = property(lambda self: FrozenIterator(self.members))


class MethodOf(Called):
    """The type of a method of a value; it is represented as the value is."""

    def __init__(self, receiver: types.Type, name: str, dispatcher: Any) -> None:
        self.receiver, self.dispatcher = receiver, dispatcher
        super().__init__(f"{receiver}.{name} of {id(dispatcher)}")

    def get_call_type(self, context: Any, args: Any, keywords: Any) -> Any:
        """The signature of a call."""
        signature = types.Dispatcher(self.dispatcher).get_call_type(context, (self.receiver, *args), keywords)
        return signature.as_method()

    def get_impl_key(self, signature: Any) -> Any:
        """The key by which Numba's lowering finds the machine code."""
        return types.Dispatcher(self.dispatcher).get_impl_key(signature.as_function())


MAKERS: list[Any] = []
"""Gives the dispatcher of a call of a class; filled by `classes`, which compiles it."""

register_model(MethodOf)(lambda manager, typ: manager.lookup(typ.receiver))
_types: dict[tuple[type, str], ClassType] = {}


@typeof_impl.register(Class)
def _type_of_class(constant: Class, context: Any) -> ClassType:
    cls = constant.cls
    key = cls, str(fingerprint_of_class(cls))
    if key not in _types:
        _types[key] = EnumClassType(cls) if issubclass(cls, enum.Enum) else ClassType(cls)
    return _types[key]


class ConstantObject:
    """An object of a class of users that rules refer to, as it was when the compiler read it."""

    def __init__(self, value: Any) -> None:
        self.cls = type(value)
        self.fields = fields_of(value)
        self.typ = ConstantObjectType(self)


class ConstantObjectType(types.Opaque):
    """The type of such an object: its attributes are constants."""

    def __init__(self, constant: ConstantObject) -> None:
        self.constant, self.cls = constant, constant.cls
        super().__init__(f"constant {self.cls.__qualname__}[{secrets.token_hex(8)}]")


opaque(ClassType, EnumClassType, ConstantObjectType)
_objects: dict[tuple[int, str], tuple[Any, ConstantObject]] = {}


def constant_object(value: Any) -> ConstantObject:
    """The constant for an object of users; the same one as long as nothing about the object changes."""
    key = id(value), hash_of_value(value)
    if key not in _objects:
        _objects[key] = value, ConstantObject(value)
    return _objects[key][1]


@typeof_impl.register(ConstantObject)
def _type_of_constant_object(constant: ConstantObject, context: Any) -> ConstantObjectType:
    return constant.typ
