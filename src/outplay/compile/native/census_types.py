"""The Numba types of states, and of other objects that rules make: what the initial state and the census show.

The initial state is enough for numbers, arrays, strings and full containers. Where it has an empty container or None,
the census shows what else may be there. The attributes of objects are those of all that rules make.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import types

from outplay.compile.census import Census, census_of
from outplay.compile.fingerprint import Fingerprint
from outplay.compile.native.immutable_classes import unchanging
from outplay.compile.native.object_type import types_of
from outplay.compile.native.state_type import (
    Conflict,
    NotNative,
    closed,
    described,
    is_leaf,
    is_object,
    named,
    objects_in,
    parts_within,
    type_of,
)
from outplay.compile.references import classes_named_by, member_function, member_of
from outplay.compile.value_kinds import Fields, Place, Shared, Walk
from outplay.rules.base import Rules, is_checked
from outplay.rules.errors import RulesError
from outplay.rules.game import Game
from outplay.rules.numbered import Numbered

COPY = "put a copy in one of them"


class Made(NamedTuple):
    """What rules make besides states, as the census shows it."""

    objects: tuple[types.Type, ...] = ()
    """The Numba types of objects."""
    new: tuple[types.Type, ...] = ()
    """The types of those that have other attributes when their constructor ends."""
    failures: tuple[tuple[type, str], ...] = ()
    """Why objects of other classes have no type."""
    records: tuple[types.Type, ...] = ()
    """The types of named tuples, not in states, of which a field may be None."""
    unchanging: tuple[type, ...] = ()
    """The classes of objects that may be in two places of a state, as they never change."""


def native_types(game: Rules) -> tuple[types.Type, Made]:
    """The Numba type of every state of `game`, and those of the other objects that its rules make."""
    game = game.rules if isinstance(game, Numbered) else game
    if type(game).__getattribute__ is not object.__getattribute__:
        raise NotNative(f"{type(game).__name__}.__getattribute__ may give different values each time")
    first, shared = _first_state(game)
    is_known = not isinstance(game, Game) or not first.is_open
    census = None if is_known else census_of(game)
    later = census.states if census else None
    constant = unchanging(game, later or first) if shared or (census and census.shared) else {}
    conflicts = list(_shared(first, shared, "initial_state", constant))
    if census and not conflicts:
        conflicts += _shared(census.states, census.shared, "result", constant)
    state = type_of(first, "the state", later, conflicts)
    others = Made()
    if isinstance(game, Game) and classes_named_by(game) - set((census.states if census else first).classes()):
        census = census or census_of(game)
        if census.changes_a_class:
            raise NotNative(
                "rules change a class, or the default value of an argument: put what changes into the state"
            )
        others = _types_beside_states(census)
    mark = _mark([state, *others.objects], is_checked(type(game)))
    records = *_records_in(state), *others.records
    return closed(state, mark), Made(
        _closed(others.objects, mark),
        _closed(others.new, mark),
        others.failures,
        _closed(records, mark),
        tuple(filter(constant.get, constant)),
    )


def _records_in(state: types.Type) -> Iterator[types.Type]:
    """The types of named tuples in states of which a field may be None; none of a class of several types."""
    tuples = [typ for typ in parts_within(state) if isinstance(typ, types.BaseNamedTuple)]
    for cls in dict.fromkeys(typ.instance_class for typ in tuples):
        typ, *others = {typ for typ in tuples if typ.instance_class is cls}
        if not others and _may_have_none(typ):
            yield typ


def _first_state(game: Rules) -> tuple[Place, dict[tuple[Place, Place], Shared]]:
    try:
        state = game.initial_state()
    except Exception as error:
        raise RulesError(f"{type(game).__name__}.initial_state() failed: {type(error).__name__}: {error}") from error
    first, walk = Place(), Walk()
    try:
        walk.note(first, state)
    except RecursionError:
        raise NotNative("the state is nested too deeply") from None
    return first, walk.shared


def _shared(
    states: Place, shared: dict[tuple[Place, Place], Shared], rule: str, constant: dict[type, bool]
) -> Iterator[Conflict]:
    """What is in two places of a state, which compiled code would copy; `constant` says which objects never change."""
    if not shared or _is_flat(states):
        return
    paths, names_told = paths_in(states), set[str]()
    for (one, other), (name, is_inside) in shared.items():
        classes = [kind.cls for kind in one.main if is_object(kind)]
        if not is_inside and classes and all(map(constant.get, classes)):
            continue
        (here, list_), (there, owner) = paths[one], paths[other]
        if not is_inside and there.endswith("[*]") and not here.endswith("[*]"):
            (here, list_), (there, owner) = paths[other], paths[one]
        what, remedy = f"the same {name} as {here if here != there else 'another one'}", COPY
        if is_inside:
            what = f"the {name} that it is part of"
        if is_inside or any(cls not in constant for cls in classes):
            remedy = f"keep an index in place of the {name}, which changes, so that a copy would be another one"
            if name not in names_told and owner:
                is_list = list_ is not None and here.endswith("[*]") and here.count("[") == 1
                remedy += _example(name, there, owner[1], list_[1] if list_ and is_list else f"all_{name.lower()}s")
            names_told.add(name)
        elif not classes:
            remedy += "; if both are to change, keep it in one place, and read it there"
        yield Conflict(there, what, remedy, (), owner, rule)


def _example(name: str, where: str, attribute: str, all_: str) -> str:
    """The lines that keep an index in place of an object."""
    is_list = where.endswith("[*]")
    index = f"self.{attribute} = {'[0]' if is_list else '0'}"
    expression = f"[state.{all_}[i] for i in self.{attribute}]" if is_list else f"state.{all_}[self.{attribute}]"
    return (
        f":\n    state.{all_} = […]  # each {name}, here alone"
        f"\n    {index}  # in place of {'each' if is_list else 'the'} {name}: its index"
        f"\n    {expression}  # where the {name} was read"
    )


def paths_in(
    place: Place, where: str = "the state", owner: tuple[type, str] | None = None
) -> dict[Place, tuple[str, tuple[type, str] | None]]:
    """The path of each place in a place, and the class and attribute that it is, or is in."""
    paths = {place: (where, owner)}
    inside = where.removeprefix("the ")
    for name, part in place.parts.items():
        cls = next((kind.cls for kind in place.kinds if kind.detail.__class__ is Fields and name in kind.detail), None)
        if cls is not None:
            paths |= paths_in(part, f"{cls.__name__}.{name}", (cls, name))
        elif name == "keys":
            paths |= paths_in(part, f"a key of {where}", owner)
        else:
            paths |= paths_in(part, f"{inside}[{'*' if name == 'values' else name}]", owner)
    return paths


def _is_flat(place: Place) -> bool:
    """Whether values here are numbers, tuples and arrays alone, which are passed to kernels as they are."""
    flat = (int, bool, float, np.uint64)
    return all(
        kind.cls in flat or issubclass(kind.cls, tuple) or (kind.cls is np.ndarray and "U" not in kind.detail[0])
        for kind in place.kinds
    ) and all(map(_is_flat, place.parts.values()))


def difference_in_play(game: Game) -> str:
    """What the census shows that compiled code cannot keep; empty if there is nothing.

    These are values of several shapes in one place of the states, and containers in two places of a state, or of what
    is copied.
    """
    game = game.rules if isinstance(game, Numbered) else game
    census = census_of(game)
    for place, (where, _) in paths_in(census.states).items():
        shapes = {None if is_leaf(kind) else kind: kind for kind in place.main}
        if len(shapes) > 1:
            one, other, *_ = shapes.values()
            return f"{where} is {named(one)} in one place and {named(other)} in another"
    constant = unchanging(game, census.states)
    for conflict in _shared(census.states, census.shared, "result", constant):
        return str(conflict)
    names = sorted(census.shared_in_copies - {cls.__name__ for cls in filter(constant.get, constant)})
    return f"deepcopy of what has the same {names[0]} in two places: {COPY}" if names else ""


def _mark(typs: list[types.Type], checked: bool) -> str:
    """A text that is equal for equal types of states and objects whose classes have the same content."""
    content = Fingerprint()
    for typ in typs:
        content.text(described(typ), str(checked))
        for object_type in objects_in(typ):
            content.add(object_type.cls)
    return str(content)


def _closed(open_types: tuple[types.Type, ...], mark: str) -> tuple[types.Type, ...]:
    return tuple(closed(typ, mark) for typ in open_types)


def _types_beside_states(census: Census) -> Made:
    """The types of objects that are not in states."""
    objects: list[types.Type] = []
    new: list[types.Type] = []
    failures: list[tuple[type, str]] = []
    for cls in sorted(census.objects, key=lambda cls: cls.__qualname__):
        try:
            fields, fields_of_new = _fields(cls, census.objects[cls], census.new_objects.get(cls))
        except NotNative as problem:
            failures.append((cls, str(problem)))
            continue
        objects.append(types_of(cls)(tuple(fields.items())))
        if fields_of_new.keys() != fields.keys():
            new.append(types_of(cls)(tuple(fields_of_new.items())))
    records = [_record(cls, census.records[cls]) for cls in sorted(census.records, key=lambda cls: cls.__qualname__)]
    return Made(tuple(objects), tuple(new), tuple(failures), tuple(record for record in records if record is not None))


def _fields(cls: type, place: Place, new: Place | None) -> tuple[dict[str, types.Type], dict[str, types.Type]]:
    """The types of the attributes of objects of a class, and of new ones.

    An attribute of several types has that which it has in new objects.
    """
    problem = next((kind.problem for kind in place.kinds if kind.problem), "")
    if problem:
        raise NotNative(f"it is {problem}")
    fields: dict[str, types.Type] = {}
    for name, part in place.parts.items():
        where = f"{cls.__name__}.{name}"
        try:
            fields[name] = type_of(part, where)
        except NotNative:
            if new is None or name not in new.parts:
                raise
            fields[name] = type_of(new.parts[name], where)
    if new is not None:
        return fields, {name: fields[name] for name in new.parts}
    return fields, fields if member_function(member_of(cls, "__init__")) else {}


def _record(cls: type, place: Place) -> types.Type | None:
    """The type of named tuples of which a field may be None; None for others."""
    try:
        typ = type_of(place, f"a {cls.__name__}")
    except NotNative:  # each has a type of its own
        return None
    return typ if _may_have_none(typ) else None


def _may_have_none(record: types.Type) -> bool:
    return any(isinstance(part, types.Optional) for part in record.types)
