"""The kinds of the values that random games show: a `Place` is one in a state, such as `state.board.cells[*].owner`.

A `Walk` goes through a value, and notes in each place the kind of what is there. From places the compiler makes types,
and messages their paths.
"""

from collections.abc import Iterator
from enum import Enum, Flag
from types import NoneType
from typing import Any, NamedTuple, get_type_hints
from weakref import WeakKeyDictionary

import numpy as np

from outplay.compile.references import fields_of, is_foreign, why_not
from outplay.rules.game import Game


class Kind(NamedTuple):
    """The kind of a value: its class, and what else its type needs. `problem`: why no type holds the value."""

    cls: Any
    detail: Any = None
    problem: str = ""

    @property
    def without_problem(self) -> "Kind":
        """The same kind, as if a type held the value."""
        return self._replace(problem="")


class Place:
    """The values that were seen in one place.

    Attributes:
        kinds: their kinds, in the order in which they were seen.
        parts: the places in them: `"*"` for the items of a container, `"keys"` and `"values"` of a dict, the numbers
            of a tuple, the names of fields and attributes.
        ints: the least and the greatest int.
        lengths: the least and the greatest length of a container or text.
    """

    __slots__ = ("ints", "kinds", "lengths", "parts")

    def __init__(self) -> None:
        self.kinds: dict[Kind, None] = {}
        self.parts: dict[str, Place] = {}
        self.ints: tuple[int, int] | None = None
        self.lengths: tuple[int, int] | None = None

    def part(self, name: str) -> "Place":
        """The place of this name in it."""
        if name not in self.parts:
            self.parts[name] = Place()
        return self.parts[name]

    @property
    def main(self) -> list[Kind]:
        """The kinds other than that of None."""
        return [kind for kind in self.kinds if kind.cls is not NoneType]

    @property
    def is_open(self) -> bool:
        """Whether other values may show more: there was only None or nothing, or an empty container."""
        lacks_items = any(kind.cls in _CONTAINERS for kind in self.kinds) and not self.parts
        return not self.main or lacks_items or any(part.is_open for part in self.parts.values())

    def inside(self) -> "Iterator[Place]":
        """This place, and all that are in it."""
        yield self
        for part in self.parts.values():
            yield from part.inside()

    def classes(self) -> Iterator[type]:
        """The classes of the objects and named tuples here."""
        return (kind.cls for place in self.inside() for kind in place.kinds if kind.detail.__class__ is Fields)


class Fields(tuple[str, ...]):
    """The names of the attributes of an object, or of the fields of a named tuple."""


IS_THE_GAME = Kind(Game)
"""The kind of an argument that is the game itself."""


_CONTAINERS = (list, set, frozenset, dict)


_NAMES = {cls: Kind(cls) for cls in (int, bool, float, str, NoneType, list, set, frozenset, dict)}


class Shared(NamedTuple):
    """A container or an object of a class that is in two places. `inside`: one of these is within the other."""

    name: str
    inside: bool


class Walk:
    """A walk through a value that notes what is in its places."""

    def __init__(self) -> None:
        self.has_news = False
        """Whether something was seen that was not noted before."""
        self.shared: dict[tuple[Place, Place], Shared] = {}
        self._owners: dict[int, Place] = {}
        self._open: set[int] = set()
        self._again = 0
        """The number of values around the one at hand that were noted in another place before."""

    def note(self, place: Place, value: Any, annotation: Any = None) -> None:
        """Note a value in its place, and all that is in it."""
        cls = type(value)
        if cls is int and annotation is None:
            self._note_ints(place, value, value)
        elif cls in (bool, float, NoneType, str) and annotation is None:
            self._add(place, _NAMES[cls])
            if cls is str:
                self._note_length(place, len(value))
        elif isinstance(value, tuple):
            self._note_tuple(place, value)
        elif isinstance(value, (int, float, str, np.generic, Enum)) or value is None:
            self._add(place, _kind_of_leaf(value, annotation))
        else:
            self._note_mutable(place, value)

    def _note_mutable(self, place: Place, value: Any) -> None:
        cls, number = type(value), id(value)
        is_again = number in self._owners and cls is not frozenset
        if is_again and not self._again:
            places = self._owners[number], place
            self.shared.setdefault(places, Shared(cls.__name__, number in self._open))
        if number in self._open:
            return
        self._owners.setdefault(number, place)
        self._open.add(number)
        self._again += is_again
        problem = "" if cls in _NAMES or cls is np.ndarray else why_not(cls)
        if cls is np.ndarray:
            self._add(place, Kind(np.ndarray, (value.dtype.str, value.ndim)))
        elif isinstance(value, (list, set, frozenset, dict)):
            self._add(place, _NAMES.get(cls) or Kind(cls, problem=problem))
            self._note_length(place, len(value))
            if isinstance(value, dict):
                self._note_items(place, "keys", value)
                self._note_items(place, "values", value.values())
            else:
                self._note_items(place, "*", value)
        elif not problem or not is_foreign(cls):
            self._note_object(place, value, problem)
        else:
            self._add(place, Kind(cls, problem=problem))
        self._open.discard(number)
        self._again -= is_again

    def _note_object(self, place: Place, value: Any, problem: str) -> None:
        cls, fields = type(value), fields_of(value)
        unusual = [name for name in fields if not name.isidentifier()]
        if unusual:
            problem = f"a {cls.__name__} with an attribute called {unusual[0]!r}"
        self._add(place, Kind(cls, Fields(fields), problem))
        notes = annotations(cls)
        for name, part in fields.items():
            self.note(place.part(name), part, notes.get(name))

    def _note_tuple(self, place: Place, value: Any) -> None:
        cls = type(value)
        names = getattr(cls, "_fields", None)
        if cls is not tuple and names is None:
            self._add(place, Kind(cls, problem=f"a {cls.__name__}, a kind of tuple"))
            return
        self._add(place, Kind(cls, len(value) if names is None else Fields(names)))
        notes = annotations(cls) if names else {}
        for name, part in zip(names or map(str, range(len(value))), value, strict=True):
            self.note(place.part(name), part, notes.get(name))

    def _note_items(self, place: Place, name: str, items: Any) -> None:
        if not items:
            return
        kinds = set(map(type, items))
        if kinds == {int}:
            self._note_ints(place.part(name), min(items), max(items))
        elif kinds <= {bool, float, NoneType}:
            for cls in map(type, items) if len(kinds) > 1 else kinds:
                self._add(place.part(name), _NAMES[cls])
        else:
            for item in items:
                self.note(place.part(name), item)

    def _note_ints(self, place: Place, low: int, high: int) -> None:
        bounds = place.ints
        if bounds is None or low < bounds[0] or high > bounds[1]:
            place.ints = (low, high) if bounds is None else (min(low, bounds[0]), max(high, bounds[1]))
            for value in (low, high):
                self._add(place, _kind_of_leaf(value, None))

    def _note_length(self, place: Place, length: int) -> None:
        bounds = place.lengths or (length, length)
        place.lengths = min(bounds[0], length), max(bounds[1], length)

    def _add(self, place: Place, kind: Kind) -> None:
        if kind not in place.kinds:
            place.kinds[kind] = None
            self.has_news = True


def place_of(value: Any) -> Place:
    """A place in which this value alone was seen."""
    place = Place()
    Walk().note(place, value)
    return place


def _kind_of_leaf(value: Any, annotation: Any) -> Kind:
    cls = type(value)
    if isinstance(value, str):
        return _NAMES[str] if cls is str else Kind(cls, problem=why_not(cls))
    if value is None:
        return _NAMES[NoneType]
    if isinstance(value, Flag):
        return Kind(cls, problem=f"a {cls.__name__}, a set of flags: use its value, an int")
    if isinstance(value, Enum) and not isinstance(value, int):
        return Kind(cls)
    if isinstance(value, np.number) and value.itemsize < 8:
        remedy = "float" if isinstance(value, np.floating) else "int"
        return Kind(cls, problem=f"a numpy.{cls.__name__}, and NumPy would compute in that type; use {remedy}()")
    if isinstance(value, np.uint64) or annotation is np.uint64:
        return Kind(np.uint64)
    if isinstance(value, (float, np.floating)) or (annotation is float and isinstance(value, (int, np.integer))):
        return _NAMES[float]
    if (isinstance(value, (bool, np.bool_)) and annotation is not int) or annotation is bool:
        return _NAMES[bool]
    if isinstance(value, (int, np.integer)):
        if not -(2**63) <= value < 2**63:
            return Kind(int, problem=f"{value}, more than 63 bits; use numpy.uint64 or two ints")
        return _NAMES[int]
    return Kind(cls, problem=f"a {cls.__name__}")


def annotations(cls: type) -> dict[str, Any]:
    """The annotations of the fields, including those written as strings."""
    if cls not in _annotations:
        try:
            _annotations[cls] = get_type_hints(cls)
        except Exception:  # a name that does not exist at run time
            _annotations[cls] = dict(getattr(cls, "__annotations__", {}))
    return _annotations[cls]


_annotations: "WeakKeyDictionary[type, dict[str, Any]]" = WeakKeyDictionary()
