"""The Numba types of values in states and objects, and the type that values of two types have in common."""

from collections.abc import Iterator
from enum import Enum, Flag
from functools import lru_cache, reduce
from typing import Any, get_type_hints

import numba
import numpy as np
from numba import types

from outplay.compile.native.frozen.enums import EnumMember, member_type
from outplay.compile.native.frozen.kinds import operator_of
from outplay.compile.native.frozenset_type import Frozenset
from outplay.compile.native.internals import errors
from outplay.compile.native.object_type import ObjectType, setter_of, types_of, why_not
from outplay.compile.native.text_array_type import TextArray, text_array_of
from outplay.compile.references import fields_of

CONTAINERS = (
    types.List, types.Set, types.DictType, types.Optional, types.UnicodeType, types.NoneType, ObjectType,
    EnumMember, Frozenset, TextArray,
)  # fmt: skip


class NotNative(Exception):
    """A state or parameter has no native form; the message names it and the remedy."""


class Unknown(types.Dummy, types.Hashable):
    """The type of what is in an empty container: anything."""


UNKNOWN = Unknown("unknown")


def shared_in(state: Any) -> Any:
    """A container or object that is in two places of a state; None if there is none."""
    seen: set[int] = set()
    waiting = [state]
    while waiting:
        value = waiting.pop()
        if value is None or isinstance(value, (int, float, str, np.generic, Enum)):
            continue
        if not isinstance(value, (tuple, frozenset)):
            if id(value) in seen:
                return value
            seen.add(id(value))
        if isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, (tuple, list, set, frozenset)):
            waiting += value
        elif not isinstance(value, np.ndarray):
            waiting += fields_of(value).values()
    return None


def native_value(value: Any) -> types.Type:
    """The Numba type of a value in Python; raises `NotNative` if it has none, or if it does not show all of it."""
    found = type_of(value, "the value")
    if is_open(found):
        raise NotNative("the value does not show its type")
    return closed(found, "")


def is_open(typ: types.Type) -> bool:
    """Whether other states may show more: there is an empty container, or None."""
    return typ in (UNKNOWN, types.none) or any(map(is_open, parts(typ)))


def parts(typ: types.Type) -> tuple[types.Type, ...]:
    """The types that a type consists of."""
    if isinstance(typ, types.BaseTuple):
        return tuple(typ.types)
    if isinstance(typ, (types.List, types.Set, Frozenset)):
        return (typ.dtype,)
    if isinstance(typ, types.DictType):
        return typ.key_type, typ.value_type
    if isinstance(typ, ObjectType):
        return tuple(typ.field_dict.values())
    return (typ.type,) if isinstance(typ, types.Optional) else ()


def parts_within(typ: types.Type) -> Iterator[types.Type]:
    """A type, and all that it consists of."""
    yield typ
    for part in parts(typ):
        yield from parts_within(part)


def objects_in(typ: types.Type) -> Iterator[ObjectType]:
    """The types of objects in a type."""
    return (part for part in parts_within(typ) if isinstance(part, ObjectType))


def described(typ: types.Type) -> str:
    """A text that is equal for equal types, in every process."""
    if isinstance(typ, ObjectType):
        fields = ", ".join(f"{name}: {described(part)}" for name, part in typ.field_dict.items())
        return f"{typ.cls.__qualname__}({fields})"
    if isinstance(typ, EnumMember):
        return typ.cls.__qualname__
    if isinstance(typ, TextArray):
        return str(typ)
    return f"{type(typ).__name__}({', '.join(map(described, parts(typ)))})" if has_container(typ) else str(typ)


@lru_cache(maxsize=1024)
def has_container(typ: types.Type) -> bool:
    """Whether a state of this type has containers, strings or None, which are passed to kernels as numbers."""
    return isinstance(typ, CONTAINERS) or any(map(has_container, parts(typ)))


def joined(one: types.Type, other: types.Type, where: str) -> types.Type:
    """The type of values that are of one of two types."""
    if other in (one, UNKNOWN):
        return one
    if one == UNKNOWN:
        return other
    if types.none in (one, other):
        value = one if other == types.none else other
        return value if isinstance(value, types.Optional) else types.Optional(value)
    if isinstance(one, types.Optional) or isinstance(other, types.Optional):
        return joined(types.none, joined(getattr(one, "type", one), getattr(other, "type", other), where), where)
    alike = type(one) is type(other) or (isinstance(one, types.BaseTuple) and isinstance(other, types.BaseTuple))
    if isinstance(one, ObjectType) and isinstance(other, ObjectType):
        if one.cls is not other.cls or one.field_dict.keys() != other.field_dict.keys():
            raise NotNative(f"objects at {where} differ in class or attributes: give each all attributes in __init__")
        other = other.with_types([other.field_dict[name] for name in one.field_dict])
        if described(one) == described(other):
            return one
    if alike and len(parts(one)) == len(parts(other)) > 0:
        both = [joined(*pair, where) for pair in zip(parts(one), parts(other), strict=True)]
        if isinstance(one, types.DictType):
            return _dict(both[0], both[1], where)
        return _set(type(one), both[0], where) if isinstance(one, (types.Set, Frozenset)) else rebuilt(one, both)
    raise NotNative(f"{where} is or has {plain(one)} in one place, and {plain(other)} in another")


def rebuilt(typ: types.Type, parts: list[types.Type], mark: str = "") -> types.Type:
    """A type like `typ` with other parts."""
    if isinstance(typ, types.BaseTuple):
        return types.BaseTuple.from_types(parts, getattr(typ, "instance_class", None))
    if isinstance(typ, types.DictType):
        return types.DictType(*parts)
    if isinstance(typ, ObjectType):
        return typ.with_types(parts, mark)
    return types.Optional(parts[0]) if isinstance(typ, types.Optional) else type(typ)(parts[0])


def closed(typ: types.Type, mark: str) -> types.Type:
    """`typ`, with ints in containers that were never seen with anything inside, and marked objects."""
    if typ == UNKNOWN:
        return types.int64
    return rebuilt(typ, [closed(part, mark) for part in parts(typ)], mark) if parts(typ) else typ


def plain(typ: types.Type) -> str:
    """A Numba type in Python's terms."""
    if isinstance(typ, types.Boolean):
        return "a bool"
    if isinstance(typ, types.Integer):
        return "an int"
    if isinstance(typ, types.Float):
        return "a float"
    if isinstance(typ, types.UnicodeType):
        return "a string"
    if isinstance(typ, types.Bytes):
        return "a bytes"
    if isinstance(typ, (types.List, types.Set, Frozenset)):
        return f"a {type(typ).__name__.lower()} of {_many(typ.dtype)}"
    if isinstance(typ, types.DictType):
        return "a dict"
    if isinstance(typ, types.BaseTuple):
        return f"a tuple of {len(typ)}"
    if isinstance(typ, types.Optional):
        return f"{plain(typ.type)} or None"
    if isinstance(typ, types.Array):
        return f"an array of {typ.dtype}"
    if isinstance(typ, TextArray):
        return f"an array of texts of {typ.width}"
    if isinstance(typ, ObjectType | EnumMember):
        return f"a {typ.cls.__name__}"
    return "None" if typ == types.none else str(typ)


def holds(typ: types.Type, value: types.Type) -> bool:
    """Whether a place of type `typ` holds every value of another type unchanged."""
    if typ == value or (isinstance(typ, types.Optional) and (value == types.none or holds(typ.type, value))):
        return True
    if isinstance(typ, types.Optional) and isinstance(value, types.Optional):
        return holds(typ.type, value.type)
    if isinstance(typ, types.BaseTuple) and isinstance(value, types.BaseTuple) and len(typ) == len(value):
        is_alike = getattr(typ, "instance_class", None) is getattr(value, "instance_class", None)
        return is_alike and all(map(holds, typ.types, map(types.unliteral, value.types)))
    whole = isinstance(value, types.Integer | types.Boolean)
    return (typ == types.int64 and whole and value != types.uint64) or (typ == types.float64 and whole)


def misfit(owner: ObjectType, name: str, value: types.Type, checked: bool) -> str:
    """Why a value of this type cannot be assigned to an attribute; empty if it can."""
    cls, wanted = owner.cls.__name__, owner.field_dict.get(name)
    if wanted is None and setter_of(owner.cls, name) is not None:
        return ""
    if wanted is None:
        return f"attribute {name} of {cls} is new here: assign it in __init__"
    if checked and isinstance(value, types.Integer) and value.bitwidth < 64:
        return f"attribute {name} of {cls} is an {value} cell here: write int(cell)"
    if not holds(wanted, value):
        return f"attribute {name} of {cls} is {plain(value)} here, but {plain(wanted)} in other states"
    return ""


def _annotations(cls: type) -> dict[str, Any]:
    """The annotations of the fields, including those written as strings."""
    try:
        return get_type_hints(cls)
    except Exception:  # a name that does not exist at run time
        return getattr(cls, "__annotations__", {})


def type_of(value: Any, where: str, note: Any = None) -> types.Type:
    """The Numba type of a value, with `UNKNOWN` where it does not show one; `note` is its annotation."""
    if isinstance(value, tuple):
        if type(value) is not tuple and not hasattr(value, "_fields"):
            raise NotNative(f"{where} is a {type(value).__name__}, a kind of tuple")
        if hasattr(value, "_fields") and (name := operator_of(type(value))):
            raise NotNative(f"{where} is a {type(value).__name__}, which defines {name}: give it an ordinary name")
        notes = _annotations(type(value))
        names = getattr(value, "_fields", [f"[{i}]" for i in range(len(value))])
        parts = [
            type_of(part, f"field {name} of {where}", notes.get(name)) for part, name in zip(value, names, strict=True)
        ]
        return types.BaseTuple.from_types(parts, type(value) if hasattr(value, "_fields") else None)
    if type(value) is list:
        return types.List(_native_items(value, where))
    if type(value) in (set, frozenset):
        return _set(types.Set if type(value) is set else Frozenset, _native_items(value, where), where)
    if type(value) is dict:
        keys = _native_items(value, f"the keys of {where}")
        return _dict(keys, _native_items(value.values(), f"the values of {where}"), where)
    if type(value) is str:
        return types.unicode_type
    if value is None:
        return types.none
    if isinstance(value, Flag):
        raise NotNative(f"{where} is a {type(value).__name__}, a set of flags: use its value, an int")
    if isinstance(value, Enum) and not isinstance(value, int):
        try:
            return member_type(type(value))
        except errors.TypingError as error:
            raise NotNative(f"{where}: {str(error).removeprefix('NotNative: ')}") from None
    if isinstance(value, np.ndarray):
        texts = text_array_of(value)
        if texts is not None:
            return texts
        if value.dtype.kind not in "biuf":
            raise NotNative(f"{where} is an array of {value.dtype}; use an array of numbers, or of texts")
        return types.Array(numba.typeof(value).dtype, value.ndim, "C")
    if isinstance(value, np.number) and value.itemsize < 8:
        remedy = "float" if isinstance(value, np.floating) else "int"
        raise NotNative(
            f"{where} is a numpy.{type(value).__name__}, and NumPy would compute in that type; use {remedy}()"
        )
    if isinstance(value, np.uint64) or note is np.uint64:
        return types.uint64
    if isinstance(value, (float, np.floating)) or (note is float and isinstance(value, (int, np.integer))):
        return types.float64
    if (isinstance(value, (bool, np.bool_)) and note is not int) or note is bool:
        return types.boolean
    if isinstance(value, (int, np.integer)):
        if not -(2**63) <= value < 2**63:
            raise NotNative(f"{where} is {value}, more than 63 bits; use numpy.uint64 or two ints")
        return types.int64
    problem = why_not(type(value))
    if problem:
        raise NotNative(f"{where} is {problem}")
    fields = fields_of(value)
    names = [name for name in fields if not name.isidentifier()]
    if names:
        raise NotNative(f"{where} is a {type(value).__name__} with an attribute called {names[0]!r}")
    notes = _annotations(type(value))
    found = [(name, type_of(part, f"attribute {name} of {where}", notes.get(name))) for name, part in fields.items()]
    cls: Any = type(value)
    return types_of(cls)(tuple(found))


def _set(kind: Any, item: types.Type, where: str) -> types.Type:
    if item != UNKNOWN and (not isinstance(item, types.Hashable) or has_container(item)):
        raise NotNative(f"{where} is a set of {_many(item)}: use ints or tuples of ints")
    found: types.Type = kind(item)
    return found


def _dict(key: types.Type, value: types.Type, where: str) -> types.Type:
    if isinstance(key, (types.Optional, types.Boolean, types.NoneType, ObjectType)):
        raise NotNative(f"{where} is a dict with keys that are {_many(key)}: use ints, strings or tuples")
    if isinstance(value, (types.Optional, types.NoneType, types.List, types.Set, Frozenset)):
        raise NotNative(f"{where} is a dict of {_many(value)}: use numbers, strings, tuples or arrays")
    return types.DictType(key, value)


def _many(typ: types.Type) -> str:
    """A type in the plural."""
    kind, of, items = plain(typ).partition(" ")[2].partition(" of ")
    return "None" if typ == types.none else f"{kind}s{of}{items}"


def _native_items(items: Any, where: str) -> types.Type:
    """The type of the items of a container."""
    match set(map(type, items)):
        case kinds if kinds == {str}:
            return types.unicode_type
        case kinds if kinds == {int} and min(items) >= -(2**63) and max(items) < 2**63:
            return types.int64
    found = (type_of(item, f"an item of {where}") for item in items)
    return reduce(lambda one, other: joined(one, other, where), found, UNKNOWN)
