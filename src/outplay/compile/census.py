"""The census of a game: what random games show of its states, and of the other objects that its rules make.

A `Place` is a place in a state, such as `state.board.cells[*].owner`, with the kinds of all values that were there.
From places the compiler makes types, and messages their paths. One run of random games fills all of them.
"""

import copy
import io
import pickle
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from enum import Enum, Flag
from functools import cache
from pathlib import Path
from random import Random
from types import CodeType, FrameType, FunctionType, NoneType
from typing import Any, NamedTuple, get_type_hints
from weakref import WeakKeyDictionary

import numpy as np

from outplay.compile import cache as disk
from outplay.compile.fingerprint import Fingerprint, alone, whole
from outplay.compile.references import (
    all_members,
    fields_of,
    is_class_of_users,
    is_foreign,
    is_object_of_users,
    member_function,
    member_of,
    reached,
    references,
    why_not,
)
from outplay.rules.base import Rules, attributes
from outplay.rules.board import Picture
from outplay.rules.game import CHANCE, Game, listed

GAMES, LENGTH = 20, 300
"""The numbers of random games, and of plies in each, that are played at most."""
WATCHED = 300
"""The number of plies, from the first, in which all calls of the rules are seen."""
QUIET = 600
"""The number of plies that show nothing new, after which random play ends."""
SECONDS = 1.0
"""The seconds of processor time after which random play ends, or when one ply has taken so long."""
OFTEN, SELDOM = 64, 32
"""A function's variables are looked at each of so many times that it returns, and then once in so many."""


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
        return not self.main or any(part.is_open for part in self.parts.values()) or self._lacks_items

    @property
    def _lacks_items(self) -> bool:
        return any(kind.cls in _CONTAINERS for kind in self.kinds) and not self.parts

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
        seen = place.ints
        if seen is None or low < seen[0] or high > seen[1]:
            place.ints = (low, high) if seen is None else (min(low, seen[0]), max(high, seen[1]))
            for value in (low, high):
                self._add(place, _kind_of_leaf(value, None))

    def _note_length(self, place: Place, length: int) -> None:
        seen = place.lengths or (length, length)
        place.lengths = min(seen[0], length), max(seen[1], length)

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
        _annotations[cls] = _read_annotations(cls)
    return _annotations[cls]


_annotations: "WeakKeyDictionary[type, dict[str, Any]]" = WeakKeyDictionary()


def _read_annotations(cls: type) -> dict[str, Any]:
    try:
        return get_type_hints(cls)
    except Exception:  # a name that does not exist at run time
        return dict(getattr(cls, "__annotations__", {}))


# -- random games -----------------------------------------------------------------------------------------------------


class Census:
    """What random games show of a game.

    Attributes:
        states: all states.
        shared: the containers and objects that were in two places of a state, by these.
        shared_in_copies: the names of the classes of the same in what rules gave to `deepcopy`.
        objects: the objects other than states and their parts, by class.
        new_objects: the same objects when their constructor ended.
        records: the named tuples other than in states, by class.
        arguments: the arguments of the first call of each function, by its qualified name.
        has_failed: whether rules raised an error, which a search or a check will show.
        changes_a_class: whether rules changed a class, or the default value of an argument.
        is_complete: whether the compiler looked for what rules assign to attributes that are None in random games.
    """

    def __init__(self) -> None:
        self.states = Place()
        self.shared: dict[tuple[Place, Place], Shared] = {}
        self.shared_in_copies: set[str] = set()
        self.objects: dict[type, Place] = {}
        self.new_objects: dict[type, Place] = {}
        self.records: dict[type, Place] = {}
        self.arguments: dict[str, dict[str, Place]] = {}
        self.has_failed = False
        self.changes_a_class = False
        self.is_complete = False

    def is_of(self, named: "Classes") -> bool:
        """Whether its classes are those of these names, not older ones."""
        places = self.states, *self.objects.values(), *self.new_objects.values(), *self.records.values()
        kinds = (kind for place in places for each in place.inside() for kind in each.kinds)
        return all(named.get(full_name(kind.cls), kind.cls) is kind.cls for kind in kinds)

    def add(self, state: Any) -> bool:
        """Note a state; return whether it showed anything new."""
        walk = Walk()
        walk.note(self.states, state)
        self.shared = walk.shared | self.shared
        return walk.has_news

    def add_to(self, cls: type, name: str, values: list[Any]) -> bool:
        """Note what an attribute may be, beside what random games show; return whether that is new."""
        walk = Walk()
        for place in [each for top in (self.states, *self.objects.values()) for each in top.inside()]:
            if any(kind.cls is cls for kind in place.kinds) and name in place.parts:
                for value in values:
                    walk.note(place.parts[name], value)
        return walk.has_news

    @classmethod
    def of(cls, game: Rules) -> "Census":
        """Play random games, and note what they show."""
        found = cls()
        found.add(game.initial_state())
        if isinstance(game, Game):
            known = set(found.states.classes())
            classes = classes_named_by(game) - known
            before = content_of(classes)
            _Play(game, found, classes).run()
            found.changes_a_class = content_of(classes) != before
        return found


def census_of(game: Rules) -> Census:
    """The census of a game, made once for all games of the same rules and parameters, and kept on disk."""
    content = str(whole(game))
    named = {full_name(cls): cls for cls in classes_of(game)}
    known = _known.setdefault(type(game), {})
    found = known.get(content)
    if found is None or not found.is_of(named):
        stored = disk.load(_key(content), lambda _: "") if whole(game).complete else None
        found = _unpickled(stored[0], named) if stored else None
        if found is None:
            found = known[content] = Census.of(game)
            keep(game)
        known[content] = found
    return found


def keep(game: Rules) -> None:
    """Keep the census of a game on disk."""
    named = {full_name(cls): cls for cls in classes_of(game)}
    payload = _pickled(census_of(game), named) if whole(game).complete else None
    if payload is not None:
        disk.save(_key(str(whole(game))), "census", repr(game), payload)


def _key(content: str) -> str:
    return f"census {content} {_version()} {sys.version} {np.__version__}"


_known: "WeakKeyDictionary[type, dict[str, Census]]" = WeakKeyDictionary()
"""The censuses of the games of a class, by the fingerprint of the whole game."""
Classes = dict[tuple[str, str], type]
"""Classes by the names of their module and their own."""


def full_name(cls: type) -> tuple[str, str]:
    """The name of a class and of its module."""
    return cls.__module__, cls.__qualname__


def classes_of(game: Rules) -> Iterator[type]:
    """The classes in the first state, and all that rules refer to."""
    for place in place_of(game.initial_state()).inside():
        yield from (kind.cls for kind in place.kinds)
    for function in functions_of(game):
        yield from (value for value in references(function).values() if isinstance(value, type))
    yield from classes_named_by(game)


@cache
def _version() -> str:
    """A text that is another one when a census is made otherwise."""
    content = Fingerprint()
    for module in (Path(__file__), Path(references.__code__.co_filename)):
        content.add(module.read_bytes())
    return str(content)


def _pickled(census: Census, named: Classes) -> bytes | None:
    """A census as bytes; None if another process could not find one of its classes."""
    file = io.BytesIO()
    try:
        _Pickler(file, named).dump(census)
    except Exception:  # such as two classes of one name
        return None
    return file.getvalue()


def _unpickled(payload: bytes, named: Classes) -> Census | None:
    try:
        found: Census = Unpickler(io.BytesIO(payload), named).load()
    except Exception:  # whatever is wrong with it, make it again
        return None
    return found


class _Pickler(pickle.Pickler):
    """Writes the classes that a game names by name, as a file of rules is no module that can be imported."""

    def __init__(self, file: Any, named: Classes) -> None:
        super().__init__(file)
        self.named = named

    def persistent_id(self, value: Any) -> Any:
        if not isinstance(value, type) or value.__module__.startswith("outplay.") or is_foreign(value):
            return None
        if self.named.get(full_name(value)) is not value:
            raise pickle.PicklingError("a class that another process does not find")
        return full_name(value)


class Unpickler(pickle.Unpickler):
    """Reads what was written with names in place of some objects."""

    def __init__(self, file: Any, named: Mapping[Any, Any]) -> None:
        super().__init__(file)
        self.named = named

    def persistent_load(self, name: Any) -> Any:
        """The object of this name."""
        return self.named[name]


_in_play: ContextVar[tuple[Rules, ...]] = ContextVar("_in_play", default=())


def is_in_play(game: Rules) -> bool:
    """Whether this thread plays `game` for its census: kernels that its rules call run interpreted meanwhile."""
    return any(game is each for each in _in_play.get())


class _Play:
    """Random games, in which every rule is asked as a search may ask it."""

    def __init__(self, game: Game, census: Census, classes: set[type]) -> None:
        self.game, self.census = game, census
        self._constructors = {cls: code_of(member_of(cls, "__init__")) for cls in classes if not is_record(cls)}
        self._records = {cls for cls in classes if is_record(cls)}
        self._codes = {function.__code__: function.__qualname__ for function in functions_of(game)}
        self._returns: dict[CodeType, int] = {}
        self._has_news = False

    def run(self) -> None:
        """Play until nothing new comes, or an error."""
        before = _in_play.set((*_in_play.get(), self.game))
        try:
            self._run()
        except Exception:  # the rules may raise anything
            self.census.has_failed = True
        finally:
            _in_play.reset(before)

    def _run(self) -> None:
        quiet, began = 0, time.thread_time()
        plies = self._plies()
        for number in range(GAMES * LENGTH):
            start, self._has_news = time.thread_time(), False
            with watched(self._see) if number < WATCHED else nullcontext():
                state = next(plies, None)
            if state is None:
                return
            self._has_news |= self.census.add(state)
            quiet = 0 if self._has_news else quiet + 1
            now = time.thread_time()
            if quiet >= QUIET or now - began > SECONDS or now - start > SECONDS:
                return

    def _plies(self) -> Iterator[Any]:
        game = self.game
        random = Random(0)  # noqa: S311 - not for secrets
        for _ in range(GAMES):
            state = game.initial_state()
            for _ in range(LENGTH):
                is_over = game.is_terminal(state)
                for player in range(game.players):
                    with suppress(Exception):
                        game.evaluate(state, player)
                        if is_over:
                            game.utility(state, player)
                if is_over:
                    break
                player, actions = game.to_move(state), list(listed(game.actions(state)))
                if player == CHANCE:
                    actions = [action for action in actions if game.probability(state, action) > 0]
                action = random.choice(actions)
                with suppress(Exception):
                    game.order(state, action)
                state = game.result(state, action)
                yield state

    def _see(self, frame: FrameType, event: str, given: Any) -> None:
        """Look at the arguments of a function that is called, and the variables of one that returns."""
        code = frame.f_code
        if event == "call":
            if code is copy.deepcopy.__code__ and frame.f_locals["memo"] is None:
                walk = Walk()
                walk.note(Place(), frame.f_locals["x"])
                self.census.shared_in_copies |= {each.name for each in walk.shared.values()}
            elif (name := self._codes.get(code)) is not None and name not in self.census.arguments:
                self.census.arguments[name] = dict(self._arguments(frame))
        elif event == "return" and (self._constructors or self._records):
            times = self._returns[code] = self._returns.get(code, 0) + 1
            if times <= OFTEN or times % SELDOM == 0:
                self._look(frame, given)

    def _arguments(self, frame: FrameType) -> Iterator[tuple[str, Place]]:
        code = frame.f_code
        for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
            place, value = Place(), frame.f_locals[name]
            if value is self.game:
                place.kinds[IS_THE_GAME] = None
            else:
                Walk().note(place, value)
            yield name, place

    def _look(self, frame: FrameType, given: Any) -> None:
        first = frame.f_code.co_varnames[:1]
        for name, value in (*frame.f_locals.items(), ("", given)):
            cls = type(value)
            if cls in self._constructors:
                if name in first and frame.f_code is self._constructors[cls]:
                    self._note(self.census.new_objects, value)
                self._note(self.census.objects, value)
            elif cls in self._records:
                self._note(self.census.records, value)

    def _note(self, places: dict[type, Place], value: Any) -> None:
        walk = Walk()
        walk.note(places.setdefault(type(value), Place()), value)
        self._has_news |= walk.has_news


@contextmanager
def watched(see: Callable[[FrameType, str, Any], None]) -> Iterator[None]:
    """In this context, `see` is called with each call and return of this thread."""
    before = sys.getprofile()

    def both(frame: FrameType, event: str, given: Any) -> None:
        before(frame, event, given)  # type: ignore[misc, arg-type]
        see(frame, event, given)

    sys.setprofile(both if before else see)
    try:
        yield
    finally:
        sys.setprofile(before)


# -- what rules refer to ----------------------------------------------------------------------------------------------


def functions_of(game: Rules) -> Iterator[FunctionType]:
    """The rules, and all functions and methods of classes that they refer to."""
    for _, functions in _walk_of(game):
        yield from functions


def classes_named_by(game: Rules) -> set[type]:
    """The classes that rules, and the methods of these classes, refer to, and whose objects may be compiled."""
    return {cls for cls, _ in _walk_of(game)} - {type(game)}


def _walk_of(game: Rules) -> Iterator[tuple[type, list[FunctionType]]]:
    """The class of the game and those that it refers to, each with its methods and what they call."""
    found: set[type] = set()
    waiting: list[tuple[type, Iterable[str]]] = [(type(game), all_members(type(game)))]

    def add(value: Any) -> None:
        cls = type(value) if is_object_of_users(value) else value
        if _may_be_made(cls) and cls not in found:
            found.add(cls)
            waiting.append((cls, {name for owner in cls.__mro__[:-1] for name in vars(owner)}))

    for value in attributes(game).values():
        add(value)
    while waiting:
        own, names = waiting.pop()
        members = (member_function(member_of(own, name)) for name in names)
        functions = list(reached(member for member in members if member is not None))
        for function in functions:
            for value in references(function).values():
                add(value)
        yield own, functions


def _may_be_made(value: Any) -> bool:
    if not is_class_of_users(value) or issubclass(value, Enum) or value.__module__ == Picture.__module__:
        return False  # pictures are for people: no rule makes one
    return is_record(value) if issubclass(value, tuple) else not why_not(value)


def is_record(cls: type) -> bool:
    """Whether this is a class of named tuples."""
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def code_of(member: Any) -> CodeType | None:
    """The code of a member of a class, if it is a function."""
    function = member_function(member)
    return None if function is None else function.__code__


def content_of(classes: set[type]) -> list[str]:
    """Fingerprints of the classes."""
    return [alone(cls) for cls in sorted(classes, key=lambda each: each.__qualname__)]
