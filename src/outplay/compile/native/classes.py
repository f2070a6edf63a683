"""Classes in compiled rules: their constants and functions, named tuples and enumerations with methods."""

import abc
import enum
import importlib
import operator
import types as python
from collections.abc import Callable
from typing import Any

import numba
from numba import njit, types
from numba.extending import lower_getattr_generic

from outplay.compile.native.class_type import (
    MAKERS,
    ClassType,
    ConstantObjectType,
    EnumClassType,
    MethodOf,
    constant_attributes,
)
from outplay.compile.native.frozen.data import item_at, value_at
from outplay.compile.native.frozen.enums import EnumMember
from outplay.compile.native.frozen.kinds import ARITHMETIC, Constant, refuse_operators
from outplay.compile.native.frozen.lookup import number, place_of
from outplay.compile.native.game_type import (
    INTERNAL,
    compiled_only,
    function_from_source,
    general,
    home,
    made_by_rules,
    new_object_of,
    overload,
    record_of,
)
from outplay.compile.native.internals.numba_names import refused
from outplay.compile.native.internals.registration import attributes_of
from outplay.compile.native.object_type import ObjectType
from outplay.compile.native.rules import native_constant, native_function
from outplay.compile.native.semantics.plan_choice import OWN_OPERATORS
from outplay.compile.native.states import caster
from outplay.compile.native.tuples import tuple_of
from outplay.compile.native.varying_tuple_type import Varying
from outplay.compile.references import MISSING, member_function, member_of

NAMES: dict[str, Any] = {"item_at": item_at, "value_at": value_at, "number": number, "place_of": place_of}


def _function(key: Any, source: str, **names: Any) -> Any:
    """The dispatcher of a function with this source, made once for the rules that are being compiled."""
    natives, owner, _ = home()
    if key not in natives:
        rule = function_from_source(source, **NAMES, **names)
        rule.__qualname__ = f"{'_'.join(map(str, key[0:1]))}_{len(natives)}_{owner}"
        natives[key] = general(njit(rule, **INTERNAL))
    return natives[key]


def _native(function: python.FunctionType) -> Any:
    """The dispatcher of a function of a class."""
    return native_function(function, *home())


@overload(isinstance)
def _implement_isinstance(value: types.Type, cls: types.Type) -> Any:
    if getattr(cls, "typing_key", None) is tuple_of and not isinstance(value, types.Optional):
        is_tuple = isinstance(value, types.BaseTuple | Varying) or getattr(value, "kind", "") == "tuple"
        return lambda value, cls: is_tuple
    if isinstance(value, types.Optional):
        return None
    if getattr(getattr(cls, "typing_key", None), "plain", None) is str:
        is_text = isinstance(value, types.UnicodeType)
        return lambda value, cls: is_text
    if not isinstance(cls, ClassType):
        return None
    if defines_checks(type(cls.cls)):
        raise refused(f"isinstance of {cls.cls.__name__}, whose metaclass decides: compare an attribute")
    if issubclass(cls.cls, int) and isinstance(value, types.Integer | types.Boolean):
        raise refused(f"isinstance of {cls.cls.__name__}: an int of a state may be a member; compare it")
    has_class = isinstance(value, EnumMember | ObjectType | ConstantObjectType)
    own = value.cls if has_class else getattr(value, "instance_class", object)
    answer = issubclass(own, cls.cls)
    return lambda value, cls: answer


def defines_checks(metaclass: type) -> bool:
    """Whether a metaclass of users decides what `isinstance` and `issubclass` say."""
    checks = ("__instancecheck__", "__subclasscheck__")
    return any(member_of(metaclass, name) not in (vars(type)[name], vars(abc.ABCMeta)[name]) for name in checks)


# -- calls of classes --------------------------------------------------------------------------------------------------


def _maker(typ: ClassType) -> Any:
    """The dispatcher of a call of the class."""
    cls = typ.cls
    if isinstance(typ, EnumClassType):
        return _finder(cls)
    new_object = new_object_of(cls)
    if new_object is not None:
        return importlib.import_module("outplay.compile.native.objects").maker(new_object)
    if not (issubclass(cls, tuple) and hasattr(cls, "_fields")):
        failures = dict(made_by_rules().failures)
        raise refused(failures.get(cls, f"an object of {cls.__name__}: use a NamedTuple, or a tuple"))
    refuse_operators(cls)
    defaults: dict[str, Any] = getattr(cls, "_field_defaults")  # noqa: B009 - a name of Python
    parameters = [f"{name}=default_{name}" if name in defaults else name for name in cls._fields]
    names = {f"default_{name}": native_constant(value) for name, value in defaults.items()}
    typ = record_of(cls)
    optional = {} if typ is None else dict(zip(cls._fields, typ.types, strict=True))
    optional = {name: field for name, field in optional.items() if isinstance(field, types.Optional)}
    names |= {f"fit_{name}": _fitting(field) for name, field in optional.items()}
    values = [f"fit_{name}({name})" if name in optional else name for name in cls._fields]
    source = f"def rule({', '.join(parameters)}): return record({', '.join(values)})"
    return _function(("make", cls), source, record=cls, **names)


def _fitting(typ: types.Optional) -> Any:
    """A compiled function that turns None, or a value of this type, into what may be None."""
    cast = caster(typ)

    @compiled_only
    def fit(value: types.Type) -> Any:
        value_type = numba.typeof(value.value) if isinstance(value, types.Omitted) else types.unliteral(value)
        return (lambda value: cast(value)) if value_type in (types.none, typ.type) else (lambda value: value)

    return fit


def _finder(cls: type[enum.Enum]) -> Any:
    """The dispatcher of `Color(value)`."""
    if issubclass(cls, enum.IntFlag):
        raise refused(f"{cls.__name__}(…): combine its members with | instead")
    if issubclass(cls, enum.Flag):
        table: dict[Any, Any] = {}
        for value in range(max(member.value for member in cls.__members__.values()) * 2):
            try:
                table[value] = cls(value)
            except ValueError:
                continue
    else:
        table = {member.value: member for member in cls}
    source = (
        "def rule(value):\n"
        "    place = place_of(table, value)\n"
        "    if place < 0:\n"
        f"        raise ValueError('a value is not a valid {cls.__name__}')\n"
        "    return value_at(table, place)"
    )
    return _function(("find", cls), source, table=Constant(table))


MAKERS.append(_maker)


# -- attributes of classes ---------------------------------------------------------------------------------------------


def _of_class(typ: ClassType, name: str) -> Any:
    """The attribute of a class in compiled code; `MISSING` if there is none."""
    member = member_of(typ.cls, name)
    function = member_function(member)
    if issubclass(typ.cls, enum.Enum) and name in typ.cls.__members__:
        return native_constant(typ.cls.__members__[name])
    if name.startswith("__") or member is MISSING or isinstance(member, property):
        return MISSING
    if function is not None:
        dispatcher = _native(function)
        return MethodOf(typ, name, dispatcher) if isinstance(member, classmethod) else dispatcher
    return MISSING if hasattr(type(member), "__get__") else native_constant(member)


constant_attributes(ClassType, _of_class)


# -- attributes of values ----------------------------------------------------------------------------------------------


def _of_value(typ: types.Type, cls: type, name: str) -> MethodOf | Any:
    """A method, or the dispatcher that computes an attribute of a value of class `cls`; None if there is none."""
    member = member_of(cls, name)
    function = member_function(member)
    if function is not None and not name.startswith("__") and name not in ("_asdict", "_replace", "_make"):
        if isinstance(member, property):
            return _native(function)
        if isinstance(member, staticmethod):
            return types.Dispatcher(_native(function))
        if isinstance(member, classmethod):
            return None
        return MethodOf(typ, name, _native(function))
    if member is not MISSING and not hasattr(type(member), "__get__") and not name.startswith("__"):
        return _function(("constant", cls, name), "def rule(value): return found", found=native_constant(member))
    return None


def _of_member(typ: EnumMember, name: str) -> Any:
    """The dispatcher of an attribute of a member of an enumeration, or a method; None if there is none."""
    cls = typ.cls
    if name in ("value", "_value_") and typ.is_value:
        return _function(("value", cls), "def rule(member): return number(member)")
    if name in ("value", "_value_", "name", "_name_") or all(name in vars(member) for member in cls):
        if typ.is_flag:
            raise refused(f"{name} of a member of {cls.__name__}, which may be a combination")
        if typ.is_value:
            table = Constant({member.value: getattr(member, name) for member in cls})
            text = "value_at(table, place_of(table, number(member)))"
        else:
            table = Constant([getattr(member, name) for member in cls])
            text = "item_at(table, number(member))"
        return _function((name, cls), f"def rule(member): return {text}", table=table)
    return _of_value(typ, cls, name) if name not in cls.__members__ else None


def _of_object(typ: ConstantObjectType, name: str) -> Any:
    """A method, or the dispatcher that computes an attribute of a constant object; None if there is none."""
    if name in typ.constant.fields and not isinstance(member_of(typ.cls, name), property):
        value = native_constant(typ.constant.fields[name])
        return _function((name, typ), "def rule(value): return found", found=value)
    return _of_value(typ, typ.cls, name)


def _operator_of_record(op: Any, name: str) -> None:
    """Let an operator whose left operand is a named tuple call the method of its class."""

    @compiled_only
    def call(one: types.BaseNamedTuple, *others: types.Type) -> Any:
        function: Any = member_function(member_of(one.instance_class, name))
        native = _native(function)
        return (lambda one, other: native(one, other)) if others else (lambda one: native(one))

    OWN_OPERATORS[op] = name, call


for _name in ARITHMETIC:
    _operator_of_record(getattr(operator, _name), _name)


def type_of_attribute(context: Any, typ: types.Type, attribute: Any) -> types.Type | None:
    """The type of an attribute of a value: of a method, or of what a dispatcher computes."""
    if attribute is None or isinstance(attribute, types.Type):
        return attribute
    return types.Dispatcher(attribute).get_call_type(context, (typ,), {}).return_type


def _borrowed(context: Any, builder: Any, typ: types.Type, value: Any) -> Any:
    """A part of a value that stays in use, with its arrays counted as used once more."""
    context.nrt.incref(builder, typ, value)
    return value


def lowered_attribute(context: Any, builder: Any, typ: types.Type, value: Any, attribute: Any) -> Any:
    """The machine code of such an attribute."""
    if isinstance(attribute, MethodOf):
        return _borrowed(context, builder, typ, value)
    if isinstance(attribute, types.Type):
        return context.get_dummy_value()
    dispatcher = types.Dispatcher(attribute)
    signature = dispatcher.get_call_type(context.typing_context, (typ,), {})
    return context.get_function(dispatcher, signature)(builder, (value,))


def _attributes(kind: Any, find: Callable[[Any, str], Any]) -> None:
    """Let compiled code read the attributes of values that `find` gives: methods, and dispatchers that compute them."""
    attributes_of(kind, lambda context, typ, name: type_of_attribute(context, typ, find(typ, name)))

    @lower_getattr_generic(kind)
    def _read_attribute_of_kind(context: Any, builder: Any, typ: types.Type, value: Any, name: str) -> Any:
        return lowered_attribute(context, builder, typ, value, find(typ, name))


_attributes(EnumMember, _of_member)
_attributes(ConstantObjectType, _of_object)


def _of_record(context: Any, typ: Any, name: str) -> types.Type | None:
    """The type of a field, or of another attribute, of a named tuple."""
    if name in typ.fields:
        return typ[typ.fields.index(name)]
    return type_of_attribute(context, typ, _of_value(typ, typ.instance_class, name))


attributes_of(types.BaseNamedTuple, _of_record)


@lower_getattr_generic(types.NamedTuple)
@lower_getattr_generic(types.NamedUniTuple)
def _read_attribute_of_named_tuple(context: Any, builder: Any, typ: Any, value: Any, name: str) -> Any:
    if name in typ.fields:
        place = typ.fields.index(name)
        return _borrowed(context, builder, typ[place], builder.extract_value(value, place))
    return lowered_attribute(context, builder, typ, value, _of_value(typ, typ.instance_class, name))
