"""New objects with an attribute of another type, in compiled code; see `rewriting.remaking`."""

from typing import Any

from numba import types

from outplay.compile.native.game_type import function_of_lines, overload
from outplay.compile.native.internals.numba_names import new_struct, refused
from outplay.compile.native.object_type import ObjectType, types_of
from outplay.compile.native.state_type import holds, misfit
from outplay.compile.native.states import caster
from outplay.compile.rewriting.remaking import remade


@overload(remade, prefer_literal=True)
def _implement_remade(made: types.Type, name: types.Type, value: types.Type) -> Any:
    if not isinstance(made, ObjectType) or not isinstance(name, types.StringLiteral):
        return None
    attribute = name.literal_value
    typ = _with(made, attribute, types.unliteral(value))
    cast = caster(typ.field_dict[attribute])
    if typ == made:
        return function_of_lines("made, name, value", [f"made.{attribute} = cast(value)", "return made"], cast=cast)
    kept = [f"other.{each} = made.{each}" for each in made.field_dict if each != attribute]
    lines = ["other = new(typ)", *kept, f"other.{attribute} = cast(value)", "return other"]
    return function_of_lines("made, name, value", lines, new=new_struct, typ=typ, cast=cast)


def _with(made: ObjectType, name: str, value: types.Type) -> ObjectType:
    """The type of the object with a value of this type as an attribute."""
    natives = made.natives
    usual = next((each for each in natives.objects if each.cls is made.cls), made)
    fields = dict(made.field_dict)
    wanted = usual.field_dict.get(name, fields.get(name))
    if wanted is not None and not (holds(wanted, value) and not misfit(usual, name, value, natives.checked)):
        if isinstance(value, types.Number | types.Boolean | types.NoneType):
            raise refused(misfit(usual, name, value, natives.checked))
        wanted = None
    fields[name] = wanted or value
    names = usual.field_dict if usual.field_dict.keys() == fields.keys() else fields
    typ = types_of(made.cls)(tuple((each, fields[each]) for each in names), made.mark)
    typ.natives = natives
    return typ
