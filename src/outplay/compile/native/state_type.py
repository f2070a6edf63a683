"""The Numba types of values in states and objects, and the type that values of two types have in common."""

from collections.abc import Collection, Iterator, Sequence
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from outplay.compile.native.frozen.enums import EnumMember, member_type
from outplay.compile.native.frozen.kinds import operator_of
from outplay.compile.native.frozenset_type import Frozenset
from outplay.compile.native.internals.numba_names import errors, refused
from outplay.compile.native.object_type import ObjectType, setter_of, types_of
from outplay.compile.native.text_array_type import TextArray, text_array_of
from outplay.compile.references import fields_of
from outplay.compile.value_kinds import Fields, Kind, Place

CONTAINERS = (
    types.List, types.Set, types.DictType, types.Optional, types.UnicodeType, types.NoneType, ObjectType,
    EnumMember, Frozenset, TextArray,
)  # fmt: skip


class NotNative(Exception):
    """A state or parameter has no native form; the message names it and the remedy.

    The arguments are the message, or all conflicts, the first of which is the message.
    """

    def __str__(self) -> str:
        more = len(self.args) - 1
        return str(self.args[0]) + f" ({more} more)" * bool(more)

    @property
    def conflicts(self) -> "tuple[Conflict, ...]":
        """The places that have no type."""
        return tuple(argument for argument in self.args if isinstance(argument, Conflict))


class Unknown(types.Dummy, types.Hashable):
    """The type of what is in an empty container: anything."""


UNKNOWN = Unknown("unknown")


def shared_in(state: Any, free: Collection[type]) -> Any:
    """A container or object that is in two places of a state, but of no class in `free`; None if there is none."""
    seen_ids: set[int] = set()
    waiting = [state]
    while waiting:
        value = waiting.pop()
        if value is None or isinstance(value, (int, float, str, np.generic, Enum)):
            continue
        if not isinstance(value, (tuple, frozenset)) and type(value) not in free:
            if id(value) in seen_ids:
                return value
            seen_ids.add(id(value))
        if isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, (tuple, list, set, frozenset)):
            waiting += value
        elif not isinstance(value, np.ndarray):
            waiting += fields_of(value).values()
    return None


class Conflict(NamedTuple):
    """Why a place in the states, or in other objects, has no type."""

    where: str
    """The place, such as `Board.cells[*]`."""
    what: str
    """What is wrong with it."""
    remedy: str = ""
    kinds: tuple[Kind, ...] = ()
    """The kinds of values that no type holds together."""
    owner: tuple[type, str] | None = None
    """The class and the attribute that the place is, or is in."""
    rule: str = "initial_state"
    """The rule that makes it."""

    def __str__(self) -> str:
        return f"{self.where} is {self.what}" + f": {self.remedy}" * bool(self.remedy)


def value_type(place: Place, where: str) -> types.Type:
    """The Numba type of what was seen in a place; raises `NotNative` if it has none, or is not known."""
    if place.is_open:
        raise NotNative(f"{where} does not show its type")
    return closed(type_of(place, where), "")


def type_of(place: Place, where: str, later: Place | None = None, earlier: Sequence[Conflict] = ()) -> types.Type:
    """The Numba type of what was seen in a place, with `UNKNOWN` where that does not show one.

    `later`: what else was seen there, for what is open, and for None. Raises `NotNative` with all conflicts, and those
    found earlier.
    """
    conflicts = list(earlier)
    typ = _Typing(conflicts).of(place, where, later)
    if conflicts:
        raise NotNative(*conflicts)
    return typ


Owner = tuple[type, str] | None


class _Typing:
    """Makes types of places, and gathers the conflicts."""

    def __init__(self, conflicts: list[Conflict]) -> None:
        self.conflicts = conflicts
        self.owner: Owner = None

    def of(self, place: Place, where: str, later: Place | None = None, owner: Owner = None) -> types.Type:
        kinds = place.main or (later.main if later else [])
        if not kinds:
            return types.none if place.kinds or (later and later.kinds) else UNKNOWN
        before, self.owner = self.owner, owner or self.owner
        typ = self._of_kind(kinds[0], place if place.main else later or place, where, later)
        others = kinds[1:]
        if place.main and later:
            others += [kind for kind in later.main if kind not in kinds and not self._holds(typ, kind)]
        if others:
            self._tell_conflict(where, kinds[0], others[0])
        self.owner = before
        is_none = _NONE in place.kinds or (later is not None and _NONE in later.kinds)
        return types.Optional(typ) if is_none and typ != UNKNOWN else typ

    def _of_kind(self, kind: Kind, place: Place, where: str, later: Place | None) -> types.Type:
        cls, detail, problem = kind
        if problem:
            self._tell_problem(where, problem)
        if cls in _LEAF_TYPES:
            return _LEAF_TYPES[cls]
        if issubclass(cls, Enum) and not problem:
            try:
                return member_type(cls)
            except errors.TypingError as error:
                what, _, remedy = str(error).removeprefix("NotNative: ").partition(": ")
                return self._tell(where, f"a {cls.__name__}, but {what}", remedy)
        if cls is np.ndarray:
            return self._array(np.empty((0,) * detail[1], detail[0]), where)

        def part(name: str, inner: str, owner: Owner = None) -> types.Type:
            return self.of(place.parts.get(name, _NOTHING), inner, later.parts.get(name) if later else None, owner)

        inside = where.removeprefix("the ")
        if problem:
            for name in place.parts:
                part(name, f"{cls.__name__}.{name}" if detail else f"{inside}[*]", (cls, name) if detail else None)
            return UNKNOWN
        if cls is dict:
            return self._dict(part("keys", f"a key of {where}"), part("values", f"{inside}[*]"), where)
        if cls in (list, set, frozenset):
            item = part("*", f"{inside}[*]")
            return types.List(item) if cls is list else self._set(types.Set if cls is set else Frozenset, item, where)
        if isinstance(detail, int):
            return types.BaseTuple.from_types([part(str(i), f"{inside}[{i}]") for i in range(detail)])
        parts = [part(name, f"{cls.__name__}.{name}", (cls, name)) for name in detail]
        if not issubclass(cls, tuple):
            return types_of(cls)(tuple(zip(detail, parts, strict=True)))
        if name := operator_of(cls):
            return self._tell(where, f"a {cls.__name__}, which defines {name}", "give it an ordinary name")
        return types.BaseTuple.from_types(parts, cls)

    def _array(self, array: Any, where: str) -> types.Type:
        texts = text_array_of(array)
        if texts is not None:
            return texts
        if array.dtype.kind not in "biuf":
            return self._tell(where, f"an array of {array.dtype}", "use an array of numbers, or of texts")
        return types.Array(numba.typeof(array).dtype, array.ndim, "C")

    def _set(self, kind: Any, item: types.Type, where: str) -> types.Type:
        if item != UNKNOWN and (not isinstance(item, types.Hashable) or has_container(item)):
            return self._tell(where, f"a set of {_many(item)}", "use ints or tuples of ints")
        typ: types.Type = kind(item)
        return typ

    def _dict(self, key: types.Type, value: types.Type, where: str) -> types.Type:
        if isinstance(key, (types.Optional, types.Boolean, types.NoneType, ObjectType)):
            return self._tell(where, f"a dict with keys that are {_many(key)}", "use ints, strings or tuples")
        if isinstance(value, (types.Optional, types.NoneType)):
            return self._tell(where, f"a dict of {_many(value)}", 'write 0 or "" for None, or leave the key out')
        return types.DictType(key, value)

    def _holds(self, typ: types.Type, kind: Kind) -> bool:
        """Whether a place of this type holds later values of a kind too."""
        is_leaf = kind.cls in _LEAF_TYPES and not kind.problem
        return typ == UNKNOWN or (is_leaf and holds(typ, _LEAF_TYPES[kind.cls]))

    def _tell_problem(self, where: str, problem: str) -> None:
        what, _, remedy = problem.partition(": ") if ": " in problem else problem.partition("; ")
        self._tell(where, what, remedy)

    def _tell_conflict(self, where: str, one: Kind, other: Kind) -> None:
        if other.problem:
            self._tell_problem(where, other.problem)
        elif is_object(one) and is_object(other) and one.cls is other.cls:
            names = sorted(set(one.detail) ^ set(other.detail))
            what = f"a {one.cls.__name__} that only sometimes has {names[0]}" if names else "in several orders"
            self._tell(where, what, "give it all attributes in __init__", one, other)
        else:
            what = f"{named(one)} in one place and {named(other)} in another"
            both_objects = is_object(one) and is_object(other)
            remedy = "write one class, with an attribute for what differs" if both_objects else ""
            self._tell(where, what, remedy, one, other)

    def _tell(self, where: str, what: str, remedy: str = "", *kinds: Kind) -> types.Type:
        self.conflicts.append(Conflict(where, what, remedy, kinds, self.owner))
        return UNKNOWN


_NOTHING = Place()
_NONE = Kind(type(None))
_LEAF_TYPES: dict[type, types.Type] = {
    int: types.int64,
    bool: types.boolean,
    float: types.float64,
    str: types.unicode_type,
    np.uint64: types.uint64,
}


def is_object(kind: Kind) -> bool:
    """Whether this is the kind of objects of a class of users."""
    return kind.detail.__class__ is Fields and not issubclass(kind.cls, tuple)


def is_leaf(kind: Kind) -> bool:
    """Whether this is the kind of numbers, texts, arrays and members of enumerations, which have no parts."""
    return (kind.detail is None and kind.cls not in (list, set, frozenset, dict)) or kind.cls is np.ndarray


def named(kind: Kind) -> str:
    """A kind of values in Python's terms."""
    if kind.cls is tuple:
        return f"a tuple of {kind.detail}"
    if kind.cls is np.ndarray:
        return f"an array of {np.dtype(kind.detail[0])} with {kind.detail[1]} dimensions"
    return {int: "an int", str: "a string"}.get(kind.cls, f"a {kind.cls.__name__}")


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
    for kinds, text in NAMES.items():
        if isinstance(typ, kinds):
            return text
    if isinstance(typ, (types.List, types.Set, Frozenset)):
        return f"a {type(typ).__name__.lower()} of {_many(typ.dtype)}"
    if isinstance(typ, types.BaseTuple):
        return f"a tuple of {len(typ)}"
    if isinstance(typ, types.Optional):
        return f"{plain(typ.type)} or None"
    if isinstance(typ, types.Array):
        return f"an array of {typ.dtype}"
    if isinstance(typ, TextArray):
        return f"an array of texts of {typ.width}"
    return f"a {typ.cls.__name__}" if isinstance(typ, ObjectType | EnumMember) else str(typ)


NAMES = {
    types.Boolean: "a bool", types.Integer: "an int", types.Float: "a float", types.UnicodeType: "a string",
    types.Bytes: "a bytes", types.DictType: "a dict", types.NoneType: "None",
}  # fmt: skip


def holds(typ: types.Type, value: types.Type) -> bool:
    """Whether a place of type `typ` holds every value of another type unchanged."""
    if typ == value or (isinstance(typ, types.Optional) and (value == types.none or holds(typ.type, value))):
        return True
    if isinstance(typ, types.Optional) and isinstance(value, types.Optional):
        return holds(typ.type, value.type)
    if isinstance(typ, types.BaseTuple) and isinstance(value, types.BaseTuple) and len(typ) == len(value):
        is_alike = getattr(typ, "instance_class", None) is getattr(value, "instance_class", None)
        return is_alike and all(map(holds, typ.types, map(types.unliteral, value.types)))
    whole = isinstance(value, types.Integer | types.Boolean) or (isinstance(value, EnumMember) and value.is_int)
    return (typ == types.int64 and whole and value != types.uint64) or (typ == types.float64 and whole)


def refuse_others(place: types.Type, value: types.Type, where: str) -> None:
    """Refuse to keep a value of another type in a place."""
    value = types.unliteral(value)
    if not holds(place, value):
        raise refused(_differing(where, value, place, "places"))


def _differing(where: str, value: types.Type, place: types.Type, others: str) -> str:
    """What is different between the type of a value and that of its place."""
    one, other = plain(value), plain(place)
    if one == other and isinstance(place, types.BaseTuple):
        pairs = enumerate(zip(map(types.unliteral, value.types), place.types, strict=True))
        return next(_differing(f"item {at} of {where}", *pair, others) for at, pair in pairs if not holds(*pair[::-1]))
    return f"{where} is {one} here, but {other} in other {others}"


def misfit(owner: ObjectType, name: str, value: types.Type, checked: bool) -> str:
    """Why a value of this type cannot be assigned to an attribute; empty if it can."""
    cls, field_type = owner.cls.__name__, owner.field_dict.get(name)
    if field_type is None and setter_of(owner.cls, name) is not None:
        return ""
    if field_type is None:
        return f"attribute {name} of {cls} is new here: assign it in __init__"
    if checked and isinstance(value, types.Integer) and value.bitwidth < 64:
        return f"attribute {name} of {cls} is an {value} cell here: write int(cell)"
    if not holds(field_type, value):
        if _is_beyond(field_type, value) and owner.natives is not None:
            owner.natives.beyond[owner.cls, name] = _samples(value)
        return _differing(f"attribute {name} of {cls}", value, field_type, "states")
    return ""


def _is_beyond(place: types.Type, value: types.Type) -> bool:
    """Whether values of a type have numbers, texts or tuples of them where a place was only seen with None."""
    if isinstance(place, types.BaseTuple) and isinstance(value, types.BaseTuple) and len(place) == len(value):
        pairs = zip(place.types, map(types.unliteral, value.types), strict=True)
        return all(holds(*pair) or _is_beyond(*pair) for pair in pairs)
    return place == types.none and bool(_samples(value))


def _samples(typ: types.Type) -> list[Any]:
    """Values of a type that show all that it may be; empty for other types than those of numbers, texts and tuples."""
    if isinstance(typ, types.Optional):
        return [None, *_samples(typ.type)]
    if isinstance(typ, types.BaseTuple) and not hasattr(typ, "instance_class"):
        columns = [_samples(part) for part in typ.types]
        longest = max(map(len, columns), default=0) if all(columns) else 0
        return [tuple(column[min(row, len(column) - 1)] for column in columns) for row in range(longest)]
    return [cls() for cls, leaf in _LEAF_TYPES.items() if leaf == types.unliteral(typ)]


def _many(typ: types.Type) -> str:
    """A type in the plural."""
    kind, of, items = plain(typ).partition(" ")[2].partition(" of ")
    return "None" if typ == types.none else f"{kind}s{of}{items}"
