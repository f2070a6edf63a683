"""Objects of users' classes in compiled code: records with named fields, passed by reference as in Python.

The fields and their types are those of the objects in the states that play shows. Methods and properties compile from
the functions of the class; a call of the class makes an object. At the end are new objects, and named tuples, with some
attributes replaced.
"""

import dataclasses
import enum
import inspect
from typing import Any

import numba
import numpy as np
from numba import njit, types

from outplay.compile.native.cells import empty_of
from outplay.compile.native.class_type import MethodOf
from outplay.compile.native.classes import lowered_attribute, type_of_attribute
from outplay.compile.native.construction import unassigned
from outplay.compile.native.game_type import (
    INTERNAL,
    compiled_only,
    function_from_source,
    function_of_lines,
    general,
    overload,
)
from outplay.compile.native.internals.numba_names import new_struct, refused
from outplay.compile.native.object_type import OTHERS, ObjectType, types_of
from outplay.compile.native.rules import native_constant, native_member
from outplay.compile.native.state_type import holds, misfit
from outplay.compile.native.states import caster
from outplay.compile.references import MISSING, member_function, member_of, plain_function
from outplay.compile.rewriting.fields import item_of_dict, record_of, replaced
from outplay.compile.rewriting.remaking import remade
from outplay.rules import keys


def _attribute(typ: ObjectType, name: str) -> Any:
    """A method, or the dispatcher that computes a property or a constant of the class; None if there is none."""
    member = member_of(typ.cls, name)
    native = _native(typ, name)
    if native is not None:
        if isinstance(member, staticmethod):
            return types.Dispatcher(native)
        return native if isinstance(member, property) else MethodOf(typ, name, native)
    if member is MISSING or name.startswith("__") or hasattr(type(member), "__get__"):
        return None
    key = "constant", typ.cls, name
    if key not in typ.natives:
        source = function_from_source("def rule(value): return found", found=native_constant(member))
        typ.natives[key] = njit(source, **INTERNAL)
    return typ.natives[key]


OTHERS["type"] = lambda context, typ, name: type_of_attribute(context, typ, _attribute(typ, name))
OTHERS["lowered"] = lambda context, builder, typ, value, name: lowered_attribute(
    context, builder, typ, value, _attribute(typ, name)
)


def _native(typ: ObjectType, name: str) -> Any:
    """The compiled function of a method or property."""
    return native_member(typ, member_function(member_of(typ.cls, name)))


def maker(typ: ObjectType) -> Any:
    """The compiled function that a call of the class becomes."""
    natives = typ.natives
    if ("maker", typ) not in natives:
        natives["maker", typ] = _new_maker(typ)
    return natives["maker", typ]


def _new_maker(typ: ObjectType) -> Any:
    cls = typ.cls
    init = member_function(member_of(cls, "__init__"))
    parameters = [] if init is None else list(inspect.signature(init).parameters.values())[1:]
    if any(parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) for parameter in parameters):
        raise refused(f"{cls.__name__}() takes any number of arguments: name them")
    defaults = tuple(parameter.default for parameter in parameters if parameter.default is not parameter.empty)
    if defaults and any(parameter.default is parameter.empty for parameter in parameters[-len(defaults) :]):
        raise refused(f"{cls.__name__}() has a default before a parameter without one")
    if init is not None and _is_generated(cls, init):
        return _maker_of_data(typ, [parameter.name for parameter in parameters], defaults)
    problem = unassigned(typ, init)
    if problem:
        raise refused(problem)
    names = [parameter.name for parameter in parameters]
    steps = [] if init is None else [f"init({', '.join(['made', *names])})"]
    return _maker(typ, names, defaults, steps, init=init and _native(typ, "__init__"))


def _maker(typ: ObjectType, names: list[str], defaults: tuple[Any, ...], steps: list[str], **values: Any) -> Any:
    """The compiled function with these parameters that makes an object, which is prepared in these steps."""
    lines = ["made = new(typ)", *steps, "return made"]
    function = function_of_lines(", ".join(names), lines, new=new_struct, typ=typ, **values)
    function.__defaults__ = defaults
    return general(njit(function, **INTERNAL))


GENERATED = {"__dataclass_builtins_object__"}
"""A name in the constructors of frozen data classes, which assign in their own way."""


def _is_generated(cls: Any, init: Any) -> bool:
    """Whether this is the constructor of a data class that is frozen, or makes new containers as defaults."""
    if not dataclasses.is_dataclass(cls) or init.__code__.co_filename != "<string>":
        return False
    is_frozen = bool(GENERATED & {*init.__code__.co_freevars, *init.__code__.co_names})
    return is_frozen or any(field.default_factory is not dataclasses.MISSING for field in dataclasses.fields(cls))


def _maker_of_data(typ: ObjectType, names: list[str], defaults: tuple[Any, ...]) -> Any:
    """The same for a data class."""
    fields = dataclasses.fields(typ.cls)
    made_new = {
        field.name: field.default_factory for field in fields if field.default_factory is not dataclasses.MISSING
    }
    for field in fields:
        if not field.init and field.default is dataclasses.MISSING and field.name not in made_new:
            raise refused(f"{typ.cls.__name__}.{field.name} has no constant default")
    if {field.name for field in fields} != typ.field_dict.keys() or not set(names) <= typ.field_dict.keys():
        raise refused(f"{typ.cls.__name__} has attributes that are not fields")
    steps = [f"made.{name} = fit_{name}({name})" for name in names]
    for field in fields:
        if not field.init:
            value = f"new_{field.name}()" if field.name in made_new else f"default_{field.name}"
            steps.append(f"made.{field.name} = {value}")
    after = _native(typ, "__post_init__")
    steps += ["after(made)"] if after else []
    news = {name: _new_default(typ, name, make) for name, make in made_new.items()}
    fits = {f"fit_{name}": _fit(typ, name, news.get(name)) for name in names}
    constants = {f"default_{field.name}": field.default for field in fields if field.name not in made_new}
    constants |= {f"new_{name}": new for name, new in news.items()}
    defaults = tuple(int(default) if isinstance(default, enum.IntEnum) else default for default in defaults)
    defaults = tuple(b"" if default is _FACTORY else default for default in defaults)  # no attribute is bytes
    return _maker(typ, names, defaults, steps, after=after, **fits, **constants)


_WITH_LIST: Any = dataclasses.make_dataclass("_", [("x", list, dataclasses.field(default_factory=list))])
_FACTORY = inspect.signature(_WITH_LIST).parameters["x"].default
"""What stands for a new container in the signature of a data class."""


def _new_default(typ: ObjectType, name: str, make: Any) -> Any:
    """The compiled function that makes the default of a field, by the function that the data class has for it."""
    if make in (list, dict, set):
        return empty_of(typ.field_dict[name])
    function = plain_function(make)
    if function is None:
        raise refused(f"the default of {typ.cls.__name__}.{name} is made by {make!r}: write a function or a lambda")
    native = native_member(typ, function)
    rule = function_from_source("def rule(): return fit(native())", fit=_fit(typ, name, None), native=native)
    return general(njit(rule, **INTERNAL))


def _fit(typ: ObjectType, name: str, new: Any) -> Any:
    """A compiled function that casts its argument to the type of an attribute; `new` makes it where there is none."""
    cast = caster(typ.field_dict[name])

    @compiled_only
    def fit(value: types.Type) -> Any:
        if new is not None and (isinstance(value, types.Bytes) or getattr(value, "value", None) == b""):
            return lambda value: new()
        value = numba.typeof(value.value) if isinstance(value, types.Omitted) else types.unliteral(value)
        problem = misfit(typ, name, value, typ.natives.checked)
        if problem:
            raise refused(problem)
        return lambda value: cast(value)

    return fit


def mixed(typ: ObjectType) -> Any:
    """The compiled form of `keys.mix` for objects of this type."""
    form = keys.form_of(typ.cls)
    own = {name: name for name in typ.field_dict if name not in form.left_out}
    own |= {slot.__name__: name for name, slot in form.slots if slot.__name__ in own}
    names: dict[str, Any] = {"mix": keys.mix, "np": np, "kind": keys.name_key("object")}
    names["cls"] = keys.name_key(typ.cls.__qualname__)
    lines = ["h = mix(mix(h, kind), 0)", "h = mix(mix(h, cls), 0)"]
    if own:
        lines += [f"h = mix(h, {len(own)})", "total = np.uint64(0)"]
        for number, (name, label) in enumerate(own.items()):
            names[f"start{number}"] = keys.mix(keys.mix_int(keys.SEED, 2), label)
            lines.append(f"total += np.uint64(mix(start{number}, field.{name}))")
        lines.append("h = mix(h, np.int64(total))")
    return function_of_lines("h, field", [*lines, "return h"], **names)


# -- attributes replaced -----------------------------------------------------------------------------------------------


@overload(replaced, prefer_literal=True)
def _implement_replaced(record: types.Type, names: types.Type, *values: types.Type) -> Any:
    if not isinstance(record, ObjectType) or not isinstance(names, types.StringLiteral):
        return None
    cls = record.cls
    if not dataclasses.is_dataclass(cls):
        return None
    fields = [field.name for field in dataclasses.fields(cls) if field.init]
    parameters = list(inspect.signature(cls).parameters)
    changed = names.literal_value.split()
    if set(parameters) != set(fields) or not set(changed) <= set(fields):
        raise refused(f"replace() of a {cls.__name__}: write {cls.__name__}(…) in full")
    arguments = ", ".join(f"x{changed.index(name)}" if name in changed else f"record.{name}" for name in parameters)
    head = ", ".join(["record", "names", *(f"x{place}" for place in range(len(changed)))])
    return function_from_source(f"def rule({head}): return make({arguments})", make=maker(record))


@overload(record_of, prefer_literal=True)
def _implement_record_of(record: types.Type, names: types.Type) -> Any:
    if not isinstance(record, types.BaseNamedTuple) or not isinstance(names, types.StringLiteral):
        return None
    if _has_own_dict(record) or {*names.literal_value.split()} != {*record.fields}:
        raise refused("the dict of a record has other keys here: write the fields by name")
    return lambda record, names: record


@overload(item_of_dict, prefer_literal=True)
def _implement_item_of_dict(record: types.Type, name: types.Type) -> Any:
    if not isinstance(record, types.BaseNamedTuple) or not isinstance(name, types.StringLiteral):
        return None
    if _has_own_dict(record) or name.literal_value not in record.fields:
        return None
    return function_from_source(f"def rule(record, name): return record.{name.literal_value}")


def _has_own_dict(record: types.BaseNamedTuple) -> bool:
    return getattr(getattr(record.instance_class, "_asdict", None), "__module__", "") != "collections"


@overload(remade, prefer_literal=True)
def _implement_remade(made: types.Type, name: types.Type, value: types.Type) -> Any:
    if not isinstance(made, ObjectType) or not isinstance(name, types.StringLiteral):
        return None
    attribute = name.literal_value
    typ = _with(made, attribute, types.unliteral(value))
    cast = caster(typ.field_dict[attribute])
    if typ == made:
        return function_of_lines("made, name, value", [f"made.{attribute} = cast(value)", "return made"], cast=cast)
    copies = [f"other.{other_name} = made.{other_name}" for other_name in made.field_dict if other_name != attribute]
    lines = ["other = new(typ)", *copies, f"other.{attribute} = cast(value)", "return other"]
    return function_of_lines("made, name, value", lines, new=new_struct, typ=typ, cast=cast)


def _with(old: ObjectType, name: str, value: types.Type) -> ObjectType:
    """The type of the object with a value of this type as an attribute."""
    natives = old.natives
    usual = next((typ for typ in natives.objects if typ.cls is old.cls), old)
    fields = dict(old.field_dict)
    field_type = usual.field_dict.get(name, fields.get(name))
    if field_type is not None and not (holds(field_type, value) and not misfit(usual, name, value, natives.checked)):
        if isinstance(value, types.Number | types.Boolean | types.NoneType):
            raise refused(misfit(usual, name, value, natives.checked))
        field_type = None
    fields[name] = field_type or value
    names = usual.field_dict if usual.field_dict.keys() == fields.keys() else fields
    typ = types_of(old.cls)(tuple((name, fields[name]) for name in names), old.mark)
    typ.natives = natives
    return typ
