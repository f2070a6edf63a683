"""New records and objects with some attributes replaced, in compiled code."""

import dataclasses
import inspect
from typing import Any

from numba import types

from outplay.compile.native.game_type import function_from_source, function_of_lines, overload
from outplay.compile.native.internals.numba_names import new_struct, refused
from outplay.compile.native.object_type import ObjectType, types_of
from outplay.compile.native.objects import maker
from outplay.compile.native.state_type import holds, misfit
from outplay.compile.native.states import caster
from outplay.compile.rewriting.fields import item_of_dict, record_of, replaced
from outplay.compile.rewriting.remaking import remade


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
