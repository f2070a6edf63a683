"""The census of a game: what random games show of its states, and of the other objects that its rules make.

One run of random games fills all places with the kinds of the values that were there, see `value_kinds`.
"""

import copy
import io
import pickle
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from random import Random
from types import CodeType, FrameType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from outplay.compile import cache as disk
from outplay.compile.fingerprint import Fingerprint, fingerprint_of_game, hash_of_value
from outplay.compile.references import (
    classes_named_by,
    code_of,
    functions_of,
    is_foreign,
    is_record,
    member_of,
    references,
)
from outplay.compile.value_kinds import IS_THE_GAME, Place, Shared, Walk, place_of
from outplay.rules.actions import listed
from outplay.rules.base import Rules
from outplay.rules.game import CHANCE, Game

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

    def is_of(self, classes: "Classes") -> bool:
        """Whether its classes are those of these names, not older ones."""
        places = self.states, *self.objects.values(), *self.new_objects.values(), *self.records.values()
        kinds = (kind for top in places for place in top.inside() for kind in place.kinds)
        return all(classes.get(full_name(kind.cls), kind.cls) is kind.cls for kind in kinds)

    def add(self, state: Any) -> bool:
        """Note a state; return whether it showed anything new."""
        walk = Walk()
        walk.note(self.states, state)
        self.shared = walk.shared | self.shared
        return walk.has_news

    def add_to(self, cls: type, name: str, values: list[Any]) -> bool:
        """Note what an attribute may be, beside what random games show; return whether that is new."""
        walk = Walk()
        for place in [place for top in (self.states, *self.objects.values()) for place in top.inside()]:
            if any(kind.cls is cls for kind in place.kinds) and name in place.parts:
                for value in values:
                    walk.note(place.parts[name], value)
        return walk.has_news

    @classmethod
    def of(cls, game: Rules) -> "Census":
        """Play random games, and note what they show."""
        census = cls()
        census.add(game.initial_state())
        if isinstance(game, Game):
            classes = classes_named_by(game) - set(census.states.classes())
            before = content_of(classes)
            _Play(game, census, classes).run()
            census.changes_a_class = content_of(classes) != before
        return census


def census_of(game: Rules) -> Census:
    """The census of a game, made once for all games of the same rules and parameters, and kept on disk."""
    content = str(fingerprint_of_game(game))
    classes = {full_name(cls): cls for cls in classes_of(game)}
    of_class = _censuses.setdefault(type(game), {})
    census = of_class.get(content)
    if census is None or not census.is_of(classes):
        stored = disk.load(_key(content), lambda _: "") if fingerprint_of_game(game).complete else None
        census = _unpickled(stored[0], classes) if stored else None
        if census is None:
            census = of_class[content] = Census.of(game)
            keep(game)
        of_class[content] = census
    return census


def keep(game: Rules) -> None:
    """Keep the census of a game on disk."""
    classes = {full_name(cls): cls for cls in classes_of(game)}
    payload = _pickled(census_of(game), classes) if fingerprint_of_game(game).complete else None
    if payload is not None:
        disk.save(_key(str(fingerprint_of_game(game))), "census", repr(game), payload)


def _key(content: str) -> str:
    return f"census {content} {_version()} {sys.version} {np.__version__}"


_censuses: "WeakKeyDictionary[type, dict[str, Census]]" = WeakKeyDictionary()
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
    for module in ("census.py", "value_kinds.py", "references.py"):
        content.add(Path(__file__).with_name(module).read_bytes())
    return str(content)


def _pickled(census: Census, classes: Classes) -> bytes | None:
    """A census as bytes; None if another process could not find one of its classes."""
    file = io.BytesIO()
    try:
        _Pickler(file, classes).dump(census)
    except Exception:  # such as two classes of one name
        return None
    return file.getvalue()


def _unpickled(payload: bytes, classes: Classes) -> Census | None:
    try:
        census: Census = Unpickler(io.BytesIO(payload), classes).load()
    except Exception:  # whatever is wrong with it, make it again
        return None
    return census


class _Pickler(pickle.Pickler):
    """Writes the classes that a game names by name, as a file of rules is no module that can be imported."""

    def __init__(self, file: Any, classes: Classes) -> None:
        super().__init__(file)
        self.named = classes

    def persistent_id(self, value: Any) -> Any:
        if not isinstance(value, type) or value.__module__.startswith("outplay.") or is_foreign(value):
            return None
        if self.named.get(full_name(value)) is not value:
            raise pickle.PicklingError("a class that another process does not find")
        return full_name(value)


class Unpickler(pickle.Unpickler):
    """Reads what was written with names in place of some objects."""

    def __init__(self, file: Any, classes: Mapping[Any, Any]) -> None:
        super().__init__(file)
        self.named = classes

    def persistent_load(self, name: Any) -> Any:
        """The object of this name."""
        return self.named[name]


_in_play: ContextVar[tuple[Rules, ...]] = ContextVar("_in_play", default=())


def is_in_play(game: Rules) -> bool:
    """Whether this thread plays `game` for its census: kernels that its rules call run interpreted meanwhile."""
    return any(game is other for other in _in_play.get())


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

    def _see(self, frame: FrameType, event: str, argument: Any) -> None:
        """Look at the arguments of a function that is called, and the variables of one that returns."""
        code = frame.f_code
        if event == "call":
            if code is copy.deepcopy.__code__ and frame.f_locals["memo"] is None:
                walk = Walk()
                walk.note(Place(), frame.f_locals["x"])
                self.census.shared_in_copies |= {shared.name for shared in walk.shared.values()}
            elif (name := self._codes.get(code)) is not None and name not in self.census.arguments:
                self.census.arguments[name] = dict(self._arguments(frame))
        elif event == "return" and (self._constructors or self._records):
            times = self._returns[code] = self._returns.get(code, 0) + 1
            if times <= OFTEN or times % SELDOM == 0:
                self._look(frame, argument)

    def _arguments(self, frame: FrameType) -> Iterator[tuple[str, Place]]:
        code = frame.f_code
        for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
            place, value = Place(), frame.f_locals[name]
            if value is self.game:
                place.kinds[IS_THE_GAME] = None
            else:
                Walk().note(place, value)
            yield name, place

    def _look(self, frame: FrameType, returned: Any) -> None:
        first = frame.f_code.co_varnames[:1]
        for name, value in (*frame.f_locals.items(), ("", returned)):
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

    def both(frame: FrameType, event: str, argument: Any) -> None:
        before(frame, event, argument)  # type: ignore[misc, arg-type]
        see(frame, event, argument)

    sys.setprofile(both if before else see)
    try:
        yield
    finally:
        sys.setprofile(before)


def content_of(classes: set[type]) -> list[str]:
    """Fingerprints of the classes."""
    return [hash_of_value(cls) for cls in sorted(classes, key=lambda cls: cls.__qualname__)]
