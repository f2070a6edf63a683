"""The Numba types of states, and of other objects that rules make: what the initial state and random games show.

The initial state is enough for numbers, arrays, strings and full containers. Where it has an empty container or None,
random play shows what else may be there. The attributes of objects are those of all that rules make.
"""

import copy
import sys
import time
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import reduce
from itertools import islice
from random import Random
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
from numba import types

from outplay.compile.fingerprint import Fingerprint
from outplay.compile.native.class_type import is_class_of_users
from outplay.compile.native.object_type import ObjectType, types_of, why_not
from outplay.compile.native.state_type import (
    UNKNOWN,
    NotNative,
    closed,
    described,
    has_container,
    is_open,
    joined,
    objects_in,
    parts,
    rebuilt,
    shared_in,
    type_of,
)
from outplay.compile.references import (
    all_members,
    fields_of,
    is_object_of_users,
    member_function,
    member_of,
    reached,
    references,
)
from outplay.rules.base import Rules, attributes, is_checked
from outplay.rules.board import Picture
from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, Game, listed
from outplay.rules.numbered import Numbered

GAMES, LENGTH = 20, 300
"""The numbers of random games, and of plies in each, that are played where the initial state does not show all."""
COPY = "put a copy in one of them"
PLIES = 300
"""The number of plies of random games whose calls are seen."""
SLOWEST = 1.0
"""The seconds for a ply after which random play ends: with ints that grow, each may take longer than all before."""


def native_state(game: Rules) -> types.Type:
    """The Numba type of every state of `game`."""
    found, seen = _open_types(game)
    return closed(found, _mark(found, seen.types, is_checked(type(game))))


class Made(NamedTuple):
    """What rules make besides states, as random games show it."""

    objects: tuple[types.Type, ...]
    """The Numba types of objects."""
    new: tuple[types.Type, ...]
    """The types of those that have other attributes when their constructor ends."""
    failures: tuple[tuple[type, str], ...]
    """Why objects of other classes have no type."""
    records: tuple[types.Type, ...] = ()
    """The types of named tuples, not in states, of which a field may be None."""


def native_objects(game: Rules) -> Made:
    """The Numba types of the objects that rules make besides states, and why other classes have none."""
    found, seen = _open_types(game)
    mark = _mark(found, seen.types, is_checked(type(game)))
    return Made(
        tuple(closed(each, mark) for each in seen.types),
        tuple(closed(each, mark) for each in seen.new_types),
        tuple(seen.failures.items()),
        tuple(closed(each, mark) for each in seen.record_types),
    )


def _open_types(game: Rules) -> "tuple[types.Type, Seen]":
    if type(game).__getattribute__ is not object.__getattribute__:
        raise NotNative(f"{type(game).__name__}.__getattribute__ may give different values each time")
    try:
        state = game.initial_state()
    except Exception as error:
        raise RulesError(f"{type(game).__name__}.initial_state() failed: {type(error).__name__}: {error}") from error
    found = _of_state(state)
    if not isinstance(game, Game):
        return found, Seen(set())
    if is_open(found):
        shown = map(_of_state, _seen_in_play(game, state))
        found = reduce(lambda one, other: joined(one, other, "the state"), shown, found)
    return found, objects_made(game, {each.cls for each in objects_in(found)} | set(_records_in(found)))


def _records_in(typ: types.Type) -> Iterator[type]:
    """The classes of named tuples in a type."""
    if isinstance(typ, types.BaseNamedTuple):
        yield typ.instance_class
    for part in parts(typ):
        yield from _records_in(part)


def _of_state(state: Any) -> types.Type:
    try:
        found = type_of(state, "the state")
    except RecursionError:
        raise NotNative("the state contains itself, or is nested too deeply") from None
    shared = shared_in(state)
    if shared is not None and has_container(found):
        raise NotNative(f"the same {type(shared).__name__} is in two places of the state: {COPY}")
    return found


def _mark(state: types.Type, others: list[ObjectType], checked: bool) -> str:
    """A text that is equal for equal types of states and objects whose classes have the same content."""
    content = Fingerprint()
    for typ in (state, *others):
        content.text(described(typ), str(checked))
        for each in objects_in(typ):
            content.add(each.cls)
    return str(content)


def _seen_in_play(game: Game, state: Any) -> Iterator[Any]:
    """States of random games; none after an error, which a search will show."""
    random = Random(0)  # noqa: S311 - not for secrets
    first = state
    try:
        for _ in range(GAMES):
            state = first
            for _ in range(LENGTH):
                if game.is_terminal(state):
                    break
                began = time.monotonic()
                actions = list(game.actions(state))
                if game.has_chance and game.to_move(state) == CHANCE:
                    actions = [action for action in actions if game.probability(state, action) > 0]
                state = game.result(state, random.choice(actions))
                yield state
                if time.monotonic() - began > SLOWEST:
                    return
    except NotNative:
        raise
    except Exception:  # the rules may raise anything
        return


def difference_in_play(game: Game) -> str:
    """What random games show that compiled code cannot keep; empty if there is nothing.

    These are tuples of several lengths in one place of the states, and containers in two places of a state, or of what
    is copied.
    """
    found = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code is copy.deepcopy.__code__ and frame.f_locals["memo"] is None:
            found.append(shared_in(frame.f_locals["x"]))

    rules = game.rules if isinstance(game, Numbered) else game
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        state = rules.initial_state()
        states = [state, *islice(_seen_in_play(rules, state), PLIES)]
    finally:
        sys.setprofile(before)
    try:
        reduce(
            lambda one, other: joined(one, other, "the state"), (_without_leaves(_of_state(each)) for each in states)
        )
    except NotNative as problem:
        return str(problem)
    shared = next((each for each in found if each is not None), None)
    return "" if shared is None else f"deepcopy of what has the same {type(shared).__name__} in two places: {COPY}"


def _without_leaves(typ: types.Type) -> types.Type:
    """`typ` with ints in place of all numbers, texts and arrays."""
    if typ in (UNKNOWN, types.none):
        return typ
    return rebuilt(typ, [_without_leaves(part) for part in parts(typ)]) if parts(typ) else types.int64


def play(game: Rules) -> None:
    """Ask the rules in random games."""
    if not isinstance(game, Game):
        return
    random = Random(0)  # noqa: S311 - not for secrets
    state = game.initial_state()
    for _ in range(PLIES):
        began = time.monotonic()
        over = game.is_terminal(state)
        for rule in ("utility", "evaluate"):
            if over or rule == "evaluate":
                getattr(game, rule)(state, 0)
        if over:
            state = game.initial_state()
            continue
        game.to_move(state)
        actions = list(listed(game.actions(state)))
        action = random.choice(actions)
        game.order(state, action)
        state = game.result(state, action)
        if time.monotonic() - began > SLOWEST:
            return


def objects_made(game: Game, known: set[type]) -> "Seen":
    """The objects, other than of `known` classes, that rules make in random games."""
    seen = Seen(classes_named_by(game) - known)
    if seen.classes or seen.records:
        content = _content(seen.classes)
        before = sys.getprofile()
        sys.setprofile(seen.note)
        try:
            play(game)
        except Exception:  # noqa: S110 - rules may raise anything; a check says it better
            pass
        finally:
            sys.setprofile(before)
        if _content(seen.classes) != content:
            raise NotNative(
                "rules change a class, or the default value of an argument: put what changes into the state"
            )
    return seen


def _content(classes: set[type]) -> list[str]:
    found = []
    for cls in sorted(classes, key=lambda each: each.__qualname__):
        content = Fingerprint()
        content.add(cls)
        found.append(str(content))
    return found


_LEAVES = frozenset((int, str, float, bool, type(None)))
"""Types whose values have no parts."""
_DEEPEST = 20
"""Values that lie deeper in others are not looked at: an object may hold itself."""


class Seen:
    """The attributes of the objects of some classes, with the types of all that was seen in them."""

    def __init__(self, classes: set[type]) -> None:
        self.classes = {cls for cls in classes if not issubclass(cls, tuple)}
        self.records: dict[type, types.Type | None] = dict.fromkeys(classes - self.classes)
        """The types of named tuples that were seen, and None for those that were not."""
        self.fields: dict[type, dict[str, types.Type]] = {}
        self.new: dict[type, dict[str, types.Type]] = {}
        """The same for objects whose constructor has just ended."""
        self.mixed: dict[type, dict[str, str]] = {}
        """The attributes whose types have nothing in common, and what they are."""
        self.failures: dict[type, str] = {}
        self._shapes: set[Any] = set()
        self._ordinary: dict[type, bool] = {}
        self._constructors = {cls: member_function(member_of(cls, "__init__")) for cls in self.classes}

    def note(self, frame: FrameType, event: str, given: Any) -> None:
        """Look at the variables of a function that returns."""
        if event == "return":
            names = frame.f_code.co_varnames[:1]
            for name, value in (*frame.f_locals.items(), ("", given)):
                if type(value) in self.classes and type(value) not in self.failures:
                    constructor = self._constructors[type(value)]
                    is_new = name in names and constructor is not None and frame.f_code is constructor.__code__
                    shape = is_new, self._shape(value)
                    if shape not in self._shapes:
                        self._shapes.add(shape)
                        self._add(value, is_new)
                elif type(value) in self.records:
                    self._add_record(value)

    def _shape(self, value: Any, depth: int = 0) -> Any:
        """What is equal for values to which `type_of` gives the same type, and is found faster."""
        kind = type(value)
        if kind is int:
            return kind if -(2**63) <= value < 2**63 else "large"
        if kind in _LEAVES:
            return kind
        if depth > _DEEPEST:
            return object()  # like no other
        depth += 1
        if kind in (list, set, frozenset):
            kinds = frozenset(map(type, value))
            if kinds <= _LEAVES and (int not in kinds or kinds == {int}):
                is_large = int in kinds and not -(2**63) <= min(value) <= max(value) < 2**63
                return kind, is_large, kinds
            return kind, frozenset(self._shape(item, depth) for item in value)
        if isinstance(value, tuple):
            return kind, tuple([self._shape(item, depth) for item in value])
        if kind is dict:
            return kind, frozenset((self._shape(key, depth), self._shape(item, depth)) for key, item in value.items())
        if kind is np.ndarray and value.dtype.kind in "biuf":
            return kind, value.dtype, value.ndim
        if kind not in self._ordinary:
            self._ordinary[kind] = is_object_of_users(value) and not isinstance(value, Enum)
        if self._ordinary[kind]:
            return kind, tuple([(name, self._shape(part, depth)) for name, part in fields_of(value).items()])
        return object()

    def _add_record(self, value: Any) -> None:
        cls, where = type(value), f"a {type(value).__name__}"
        before = self.records[cls]
        try:
            found = type_of(value, where)
            self.records[cls] = found if before is None else joined(before, found, where)
        except (NotNative, RecursionError):  # each has a type of its own
            del self.records[cls]

    def _add(self, value: Any, is_new: bool) -> None:
        cls = type(value)
        fields, mixed = self.fields.setdefault(cls, {}), self.mixed.setdefault(cls, {})
        new = self.new.setdefault(cls, {}) if is_new or self._constructors[cls] is None else None
        try:
            for name, part in fields_of(value).items():
                where = f"attribute {name} of {cls.__name__}"
                found = type_of(part, where)
                try:
                    fields[name] = joined(fields[name], found, where) if name in fields else found
                except NotNative as problem:
                    mixed[name] = str(problem)
                if is_new and new is not None:
                    new[name] = joined(new[name], found, where) if name in new else found
        except NotNative as problem:
            self.failures[cls] = str(problem)
        except RecursionError:
            self.failures[cls] = f"a {cls.__name__} contains itself, or is nested too deeply"
        for name in mixed.keys() - self.new.get(cls, {}).keys():
            self.failures.setdefault(cls, mixed[name])

    def _field(self, cls: type, name: str) -> types.Type:
        return self.new[cls][name] if name in self.mixed[cls] else self.fields[cls][name]

    def _type(self, cls: type, fields: dict[str, types.Type]) -> ObjectType:
        return types_of(cls)(tuple(fields.items()))

    def _whole(self) -> list[type]:
        return sorted((cls for cls in self.fields if cls not in self.failures), key=lambda each: each.__qualname__)

    @property
    def record_types(self) -> list[Any]:
        """The types of named tuples of which a field may be None."""
        found: list[Any] = [each for each in self.records.values() if each is not None]
        known = [each for each in found if any(hasattr(part, "type") for part in each.types)]
        return sorted(known, key=lambda each: str(each.instance_class.__qualname__))

    @property
    def types(self) -> list[ObjectType]:
        """Their types; an attribute of several types has that which it has in new objects."""
        return [self._type(cls, {name: self._field(cls, name) for name in self.fields[cls]}) for cls in self._whole()]

    @property
    def new_types(self) -> list[ObjectType]:
        """The types of new objects that lack attributes which others have."""
        return [
            self._type(cls, {name: self._field(cls, name) for name in self.new[cls]})
            for cls in self._whole()
            if self.new.get(cls, self.fields[cls]).keys() != self.fields[cls].keys()
        ]


def classes_named_by(game: Rules) -> set[type]:
    """The classes that rules, and the methods of these classes, refer to, and whose objects may be compiled."""
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
        for function in reached(each for each in members if each is not None):
            for value in references(function).values():
                add(value)
    return found


def _may_be_made(value: Any) -> bool:
    if not is_class_of_users(value) or issubclass(value, Enum) or value.__module__ == Picture.__module__:
        return False  # pictures are for people: no rule makes one
    return hasattr(value, "_fields") if issubclass(value, tuple) else not why_not(value)
