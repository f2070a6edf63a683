"""What is in compiled code, by the compiler's own result, and whether the manifest covers all of it.

A manifest is complete only if each look-up of the compiler has recorded its question. This check does not rely on that.
It starts from the functions that were linked into the machine code, and from the types of their variables. It lists
each function, each class with its bases, and each global, cell, default and attribute that their code names. What no
fingerprint watches is missing from the manifest. `entry` then adds it, and does not keep the code on disk.
"""

import builtins
import types as python
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import methodcaller
from typing import Any, NamedTuple

from numba import types

from outplay.compile.fingerprint import PLAIN, Fingerprint, fingerprint_of_game, own_members
from outplay.compile.native.class_type import ClassType, ConstantObjectType, MethodOf
from outplay.compile.native.game_type import GameType, parts
from outplay.compile.native.questions import classes_in
from outplay.compile.native.rules import ClassOfGame, Method
from outplay.compile.references import (
    MISSING,
    content_of,
    defined_in,
    fields_of,
    globals_in,
    is_foreign,
    is_object_of_users,
    library_name,
    names_in,
    parts_of_member,
    plain_function,
)
from outplay.rules.base import Rules, attributes


class Ingredient(NamedTuple):
    """Something that compiled code depends on."""

    name: str
    """What it is, for people."""
    is_watched: Callable[[Fingerprint], bool]
    """Whether a fingerprint notices its change."""
    add: Callable[[Fingerprint], None]
    """Adds it to a fingerprint."""


def missing(libraries: Iterable[Any], games: Sequence[Rules], manifest: Sequence[Fingerprint]) -> list[Ingredient]:
    """The ingredients of linked code that no fingerprint of the manifest watches.

    `games` are those that the code was compiled for, in place of the games of the types.
    """
    return [ingredient for ingredient in ingredients(libraries, games) if not any(map(ingredient.is_watched, manifest))]


def ingredients(libraries: Iterable[Any], games: Sequence[Rules]) -> Iterator[Ingredient]:
    """Everything that compiled code depends on, in the order of the functions that name it; some of it repeatedly."""
    functions: dict[int, python.FunctionType] = {}
    classes: dict[type, None] = {}
    game_types: dict[GameType, Rules] = {}
    for library in libraries:
        part = parts.get(library)
        if part is None:  # compiled by Numba for itself
            continue
        function = getattr(part.function, "original", part.function)
        if not is_of_outplay(function):
            functions[id(function)] = function
        for typ in part.types:
            classes.update(dict.fromkeys(_classes_of(typ)))
            owner = _game_type_of(typ)
            if owner is not None:
                game_types[owner] = next((game for game in games if game._native.typ is owner), owner.game)
        for typ, name in part.attributes:
            owner = _game_type_of(typ)
            if owner is not None:
                yield from _attribute_of_game(game_types.get(owner, owner.game), name)
    for owner, game in game_types.items():
        if owner.is_read_unasked:
            yield _whole_game(game)
    for function in functions.values():
        yield from _of_function(function)
        for game in game_types.values():
            yield from _super_of_game(function, type(game))
    for cls in classes:
        yield from _of_class(cls)


def is_of_outplay(function: Any) -> bool:
    """Whether this function is a part of the compiler, or of a library: their versions stand for it."""
    module = getattr(function, "__module__", None) or ""
    return module.startswith(("outplay.compile.", "outplay.rules.")) or is_foreign(function) or not module


def _game_type_of(typ: types.Type) -> GameType | None:
    if isinstance(typ, Method | ClassOfGame):
        return typ.game
    return typ if isinstance(typ, GameType) else None


def _classes_of(typ: types.Type) -> Iterator[type]:
    """The classes of users that a value of this type shows to compiled code."""
    if isinstance(typ, ClassType | ConstantObjectType):
        yield typ.cls
    elif isinstance(typ, MethodOf):
        yield from _classes_of(typ.receiver)
    else:
        yield from classes_in(typ)


def _of_function(function: python.FunctionType) -> Iterator[Ingredient]:
    """A function, its defaults, and what it names."""
    place, names = function.__qualname__, names_in(function.__code__)
    yield Ingredient(f"the function {place}", lambda f: f.watches(function), lambda f: f.add(function))
    for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        yield from _of_value(f"a default of {place}", default, names)
    namespace = function.__globals__
    for name in sorted(globals_in(function.__code__)):
        value = namespace.get(name, getattr(builtins, name, MISSING))
        yield _name(f"{name}, which {place} reads", namespace, name)
        yield from _of_value(f"{name}, which {place} reads", value, names)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if name != "__class__":
            label = f"{name}, an enclosing variable of {place}"
            yield _place(label, cell, "", content_of(cell), methodcaller("watch_cell", cell))
            yield from _of_value(label, content_of(cell), names)


def _place(label: str, owner: Any, name: str, value: Any, watch: Callable[[Fingerprint], None]) -> Ingredient:
    """A name of a namespace, class or object, or a cell, with the value there, which `watch` lets be compared."""

    def add(fingerprint: Fingerprint) -> None:
        watch(fingerprint)
        fingerprint.add(value)

    return Ingredient(label, lambda f: f.watches(owner, name), add)


def _name(label: str, names: dict[str, Any], name: str) -> Ingredient:
    return _place(label, names, name, names.get(name, MISSING), lambda f: f.watch_name(names, name))


def _of_value(label: str, value: Any, names: frozenset[str]) -> Iterator[Ingredient]:
    """What a function that uses these names can read from a value."""
    if value is None or value is MISSING or type(value) in PLAIN:
        return
    if type(value) is tuple:
        for item in value:
            yield from _of_value(label, item, names)
    elif is_foreign(value) or library_name(value) is not None:
        return
    elif isinstance(value, python.ModuleType):
        for name in sorted(names & vars(value).keys()):
            yield _name(f"{name} of {value.__name__}", vars(value), name)
    elif isinstance(value, type) and issubclass(value, Rules):
        for name in sorted(names):
            yield from _look_up(value.__mro__, name)
    elif isinstance(value, type):
        yield from _of_class(value)
    elif (callee := plain_function(value)) is not None:
        yield Ingredient(label, lambda f: f.watches(callee), lambda f: f.add(callee))
    else:
        yield _object(label, value)
        if is_object_of_users(value):
            yield from _of_class(type(value))
            for name, part in fields_of(value).items():
                yield _attribute(value, name, part)


def _object(label: str, value: Any) -> Ingredient:
    return Ingredient(label, lambda f: f.has_added(value), lambda f: f.add(value))


def _attribute(owner: Any, name: str, value: Any) -> Ingredient:
    label = f"the attribute {name} of a {type(owner).__name__}"
    return _place(label, owner, name, value, lambda f: f.watch_attribute(owner, name, value))


def _of_class(cls: type) -> Iterator[Ingredient]:
    """A class and its bases, with all of their members: `super()` reaches those that other classes hide."""
    for owner in cls.__mro__:
        if library_name(owner) is None and not issubclass(owner, Rules) and not is_of_outplay(owner):
            yield _object(f"the class {owner.__qualname__}", owner)
            for name in own_members(owner):
                yield _member(owner, name)


def _member(owner: type, name: str) -> Ingredient:
    parts = parts_of_member(vars(owner).get(name, MISSING))
    return _place(f"{owner.__qualname__}.{name}", owner, name, parts, lambda f: f.watch_own_member(owner, name))


def _look_up(classes: Iterable[type], name: str) -> Iterator[Ingredient]:
    """The classes that are asked for a member, up to the first that defines it."""
    owners = [owner for owner in classes if library_name(owner) is None]
    if any(name in vars(owner) for owner in owners):
        for owner in owners:
            yield _member(owner, name)
            if name in vars(owner):
                return


def _whole_game(game: Rules) -> Ingredient:
    """Everything about a game that the compiler has read without a question."""
    content = fingerprint_of_game(game)

    def add(fingerprint: Fingerprint) -> None:
        fingerprint.text(str(content))
        fingerprint.watch_that(content.is_current)

    return Ingredient(f"something of {game!r}", lambda _: False, add)


def _attribute_of_game(game: Rules, name: str) -> Iterator[Ingredient]:
    """An attribute that compiled code reads of a game, or of its class."""
    if name.startswith("__"):
        return
    yield from _look_up(type(game).__mro__, name)
    own = attributes(game)
    if name in own:
        yield _attribute(game, name, own[name])
        yield from _of_value(f"the attribute {name} of {game!r}", own[name], frozenset())


def _super_of_game(function: python.FunctionType, cls: type) -> Iterator[Ingredient]:
    """What `super()` may find in the bases of the class of a game."""
    owner = defined_in(function)
    if owner in cls.__mro__:
        bases = cls.__mro__[cls.__mro__.index(owner) + 1 :]
        for name in sorted(names_in(function.__code__)):
            yield from _look_up(bases, name)
