"""The Numba type shared by all states of a game, from states that play shows and the annotations of their fields.

The initial state is enough for numbers, arrays, strings and full containers. Where it has an empty container or None,
random play shows what else may be there.
"""

from collections.abc import Iterator
from enum import Enum, Flag
from functools import reduce
from random import Random
from typing import Any, get_type_hints

import numba
import numpy as np
from numba import types

from outplay.compile.fingerprint import Fingerprint
from outplay.compile.native.frozen.enums import EnumMember, member_type
from outplay.compile.native.frozen.kinds import operator_of
from outplay.compile.native.frozenset_type import Frozenset
from outplay.compile.native.internals import errors
from outplay.compile.native.object_type import ObjectType, fields_of, types_of, why_not
from outplay.rules.base import Rules, is_checked
from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, Game

GAMES, PLIES = 20, 300
"""The numbers of random games, and of plies in each, that are played where the initial state does not show all."""


CONTAINERS = (
    types.List, types.Set, types.DictType, types.Optional, types.UnicodeType, types.NoneType, ObjectType,
    EnumMember, Frozenset,
)  # fmt: skip


class NotNative(Exception):
    """A state or parameter has no native form; the message names it and the remedy."""


class Unknown(types.Dummy, types.Hashable):
    """The type of what is in an empty container: anything."""


UNKNOWN = Unknown("unknown")


def native_state(game: Rules) -> types.Type:
    """The Numba type of every state of `game`."""
    if type(game).__getattribute__ is not object.__getattribute__:
        raise NotNative(f"{type(game).__name__}.__getattribute__ may give different values each time")
    try:
        state = game.initial_state()
    except Exception as error:
        raise RulesError(f"{type(game).__name__}.initial_state() failed: {type(error).__name__}: {error}") from error
    found = _of_state(state)
    if isinstance(game, Game) and is_open(found):
        shown = map(_of_state, _seen_in_play(game, state))
        found = reduce(lambda one, other: _joined(one, other, "the state"), shown, found)
    return _closed(found, _mark(found, is_checked(type(game))))


def _of_state(state: Any) -> types.Type:
    try:
        found = _native_field(state, None, "the state")
    except RecursionError:
        raise NotNative("the state contains itself, or is nested too deeply") from None
    shared = shared_in(state)
    if shared is not None and has_container(found):
        raise NotNative(f"the same {type(shared).__name__} is in two places of the state: put a copy in one of them")
    return found


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
    found = _native_field(value, None, "the value")
    if is_open(found):
        raise NotNative("the value does not show its type")
    return _closed(found, "")


def _mark(typ: types.Type, checked: bool) -> str:
    """A text that is equal for equal types of states whose classes have the same content."""
    content = Fingerprint()
    content.text(described(typ), str(checked))
    for each in objects_in(typ):
        content.add(each.cls)
    return str(content)


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


def objects_in(typ: types.Type) -> Iterator[ObjectType]:
    """The types of objects in a type."""
    if isinstance(typ, ObjectType):
        yield typ
    for part in parts(typ):
        yield from objects_in(part)


def described(typ: types.Type) -> str:
    """A text that is equal for equal types, in every process."""
    if isinstance(typ, ObjectType):
        fields = ", ".join(f"{name}: {described(part)}" for name, part in typ.field_dict.items())
        return f"{typ.cls.__qualname__}({fields})"
    if isinstance(typ, EnumMember):
        return typ.cls.__qualname__
    return f"{type(typ).__name__}({', '.join(map(described, parts(typ)))})" if has_container(typ) else str(typ)


def has_container(typ: types.Type) -> bool:
    """Whether a state of this type has containers, strings or None, which are passed to kernels as numbers."""
    return isinstance(typ, CONTAINERS) or any(map(has_container, parts(typ)))


def _seen_in_play(game: Game, state: Any) -> Iterator[Any]:
    """States of random games; none after an error, which a search will show."""
    random = Random(0)  # noqa: S311 - not for secrets
    first = state
    try:
        for _ in range(GAMES):
            state = first
            for _ in range(PLIES):
                if game.is_terminal(state):
                    break
                actions = list(game.actions(state))
                if game.has_chance and game.to_move(state) == CHANCE:
                    actions = [action for action in actions if game.probability(state, action) > 0]
                state = game.result(state, random.choice(actions))
                yield state
    except NotNative:
        raise
    except Exception:  # the rules may raise anything
        return


def _joined(one: types.Type, other: types.Type, where: str) -> types.Type:
    """The type of values that are of one of two types."""
    if other in (one, UNKNOWN):
        return one
    if one == UNKNOWN:
        return other
    if types.none in (one, other):
        value = one if other == types.none else other
        return value if isinstance(value, types.Optional) else types.Optional(value)
    if isinstance(one, types.Optional) or isinstance(other, types.Optional):
        return _joined(types.none, _joined(getattr(one, "type", one), getattr(other, "type", other), where), where)
    alike = type(one) is type(other) or (isinstance(one, types.BaseTuple) and isinstance(other, types.BaseTuple))
    if isinstance(one, ObjectType) and isinstance(other, ObjectType):
        if one.cls is not other.cls or one.field_dict.keys() != other.field_dict.keys():
            raise NotNative(f"objects at {where} differ in class or attributes: give each all attributes in __init__")
        other = other.with_types([other.field_dict[name] for name in one.field_dict])
        if described(one) == described(other):
            return one
    if alike and len(parts(one)) == len(parts(other)) > 0:
        joined = [_joined(*pair, where) for pair in zip(parts(one), parts(other), strict=True)]
        if isinstance(one, types.DictType):
            return _dict(joined[0], joined[1], where)
        return _set(type(one), joined[0], where) if isinstance(one, (types.Set, Frozenset)) else _rebuilt(one, joined)
    raise NotNative(f"{where} is or has {plain(one)} in one place, and {plain(other)} in another")


def _rebuilt(typ: types.Type, parts: list[types.Type], mark: str = "") -> types.Type:
    """A type like `typ` with other parts."""
    if isinstance(typ, types.BaseTuple):
        return types.BaseTuple.from_types(parts, getattr(typ, "instance_class", None))
    if isinstance(typ, types.DictType):
        return types.DictType(*parts)
    if isinstance(typ, ObjectType):
        return typ.with_types(parts, mark)
    return types.Optional(parts[0]) if isinstance(typ, types.Optional) else type(typ)(parts[0])


def _closed(typ: types.Type, mark: str) -> types.Type:
    """`typ`, with ints in containers that were never seen with anything inside, and marked objects."""
    if typ == UNKNOWN:
        return types.int64
    return _rebuilt(typ, [_closed(part, mark) for part in parts(typ)], mark) if parts(typ) else typ


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
    if isinstance(typ, (types.List, types.Set, Frozenset)):
        return f"a {type(typ).__name__.lower()} of {plain(typ.dtype).partition(' ')[2]}s"
    if isinstance(typ, types.DictType):
        return "a dict"
    if isinstance(typ, types.BaseTuple):
        return f"a tuple of {len(typ)}"
    if isinstance(typ, types.Optional):
        return f"{plain(typ.type)} or None"
    if isinstance(typ, types.Array):
        return f"an array of {typ.dtype}"
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


def _native_field(value: Any, note: Any, where: str) -> types.Type:
    if isinstance(value, tuple):
        if type(value) is not tuple and not hasattr(value, "_fields"):
            raise NotNative(f"{where} is a {type(value).__name__}, a kind of tuple")
        if hasattr(value, "_fields") and (name := operator_of(type(value))):
            raise NotNative(f"{where} is a {type(value).__name__}, which defines {name}: give it an ordinary name")
        notes = _annotations(type(value))
        names = getattr(value, "_fields", [f"[{i}]" for i in range(len(value))])
        parts = [
            _native_field(part, notes.get(name), f"field {name} of {where}")
            for part, name in zip(value, names, strict=True)
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
        if value.dtype.kind not in "biuf":
            raise NotNative(f"{where} is an array of {value.dtype}; use an array of numbers")
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
    found = [
        (name, _native_field(part, notes.get(name), f"attribute {name} of {where}")) for name, part in fields.items()
    ]
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
    return "None" if typ == types.none else f"{plain(typ).partition(' ')[2]}s"


def _native_items(items: Any, where: str) -> types.Type:
    """The type of the items of a container."""
    found = (_native_field(item, None, f"an item of {where}") for item in items)
    return reduce(lambda one, other: _joined(one, other, where), found, UNKNOWN)
