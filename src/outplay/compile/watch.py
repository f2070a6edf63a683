"""Whether what compiled code depends on has changed: a `Watch` compares it in microseconds, before each search."""

import marshal
import threading
from collections.abc import Callable, Mapping
from itertools import count
from operator import attrgetter, eq, is_, itemgetter
from typing import Any

from outplay.compile.references import MISSING, content_of

_Namespace = tuple[Mapping[str, Any], Callable[[Any], tuple[Any, ...]], tuple[Any, ...], frozenset[str]]
"""A namespace, a getter of its watched names, their values, and the names that must be missing from it."""


class _Looks(threading.local):
    """The look that this thread is taking."""

    number = 0


_looks, _look_numbers = _Looks(), count(1)


class one_look:  # noqa: N801 - for `with`
    """Compare what each fingerprint watches at most once in here: for work that is over before anything can change.

    A look within a look is the same one. `with` gives its number, with which another thread can share it.
    """

    def __init__(self, number: int = 0) -> None:
        self.number = number

    def __enter__(self) -> int:
        self.before = _looks.number
        _looks.number = self.number or self.before or next(_look_numbers)
        return _looks.number

    def __exit__(self, *_: object) -> None:
        _looks.number = self.before


def look_again() -> None:
    """Compare everything again from here on: time has passed."""
    if _looks.number:
        _looks.number = next(_look_numbers)


class Watch:
    """The names, attributes, functions, closure cells, classes, arrays and containers that something depends on.

    Args:
        digest: gives a text that is another one when the content of a value is another one.
    """

    def __init__(self, digest: Callable[[Any], str]) -> None:
        self._digest = digest
        self._objects: list[Any] = []  # kept alive, so that their ids stay unique
        self._names: dict[tuple[int, str], tuple[Mapping[str, Any], str, Any]] = {}
        self._grouped: tuple[int, list[_Namespace]] = 0, []
        self._attributes: dict[tuple[int, str], tuple[Any, str, Any]] = {}
        self._functions: dict[int, tuple[Any, Any, Any, Any]] = {}
        self._function_columns: tuple[tuple[Any, ...], ...] = (), (), (), ()
        self._cells: dict[int, tuple[Any, Any]] = {}
        self._arrays: dict[int, tuple[Any, Any, tuple[int, ...], bytes]] = {}
        self._containers: dict[int, tuple[Any, Any]] = {}
        self._classes: dict[int, tuple[type, Any]] = {}
        self._checks: list[Callable[[], bool]] = []
        self._parts: list[Watch] = []
        self._seen = 0  # the look at which everything had the same value

    def is_current(self) -> bool:
        """Whether every name, attribute and array that was read still has the same value."""
        if _looks.number and self._seen == _looks.number:
            return True
        is_same = self._is_same()
        self._seen = _looks.number * is_same
        return is_same

    def _is_same(self) -> bool:
        try:
            for namespace, values_of, values, missing in self._namespaces():
                if not all(map(is_, values_of(namespace), values)) or not namespace.keys().isdisjoint(missing):
                    return False
            for owner, name, value in self._attributes.values():
                if getattr(owner, name, MISSING) is not value:
                    return False
            functions, codes, defaults, keyword_defaults = self._columns()
            if not all(map(is_, map(attrgetter("__code__"), functions), codes)):
                return False
            if not all(map(is_, map(attrgetter("__defaults__"), functions), defaults)):
                return False
            if not all(map(eq, map(attrgetter("__kwdefaults__"), functions), keyword_defaults)):
                return False
            for cell, value in self._cells.values():
                if content_of(cell) is not value:
                    return False
            for cls, bases in self._classes.values():
                if cls.__mro__ is not bases:
                    return False
            for container, content in self._containers.values():
                if self._content(container) != content:
                    return False
            for array, dtype, shape, numbers in self._arrays.values():
                if array.dtype != dtype or array.shape != shape or array.tobytes() != numbers:
                    return False
            for check in self._checks:
                if not check():
                    return False
            return all(part.is_current() for part in self._parts)
        except Exception:  # a computed attribute may fail
            return False

    def _content(self, container: Any) -> Any:
        """Something that is equal for containers with the same content; fast for numbers and strings."""
        try:
            return marshal.dumps(container, 2)  # version 2 writes equal content alike
        except ValueError:
            return self._digest(container)

    def _namespaces(self) -> list[_Namespace]:
        """The watched names by namespace; comparing many at once is faster."""
        if self._grouped[0] != len(self._names):
            groups: dict[int, list[tuple[Mapping[str, Any], str, Any]]] = {}
            for (place, _), watched in self._names.items():
                groups.setdefault(place, []).append(watched)
            self._grouped = len(self._names), [_namespace(group) for group in groups.values()]
        return self._grouped[1]

    def _columns(self) -> tuple[tuple[Any, ...], ...]:
        """The watched functions, their code, and their defaults; comparing all at once is faster."""
        if len(self._function_columns[0]) != len(self._functions):
            self._function_columns = tuple(zip(*self._functions.values(), strict=True))
        return self._function_columns

    def watch_name(self, namespace: Mapping[str, Any], name: str) -> None:
        """Let `is_current` also compare the value of `name` in a namespace."""
        self._names.setdefault((id(namespace), name), (namespace, name, namespace.get(name, MISSING)))

    def watch_member(self, cls: type, name: str) -> None:
        """Let `is_current` also compare the member `name` of `cls`."""
        self._classes[id(cls)] = cls, cls.__mro__
        for owner in cls.__mro__:
            self.watch_own_member(owner, name)
            if name in vars(owner):
                break

    def watch_own_member(self, cls: type, name: str) -> None:
        """Let `is_current` also compare the member `name` that `cls` itself defines, or does not define."""
        own = vars(cls)
        self._names.setdefault((id(cls), name), (own, name, own.get(name, MISSING)))

    def watch_attribute(self, owner: Any, name: str, value: Any) -> None:
        """Let `is_current` also compare the attribute `name` of `owner`; by content if each access makes it anew."""
        if getattr(owner, name, MISSING) is value:
            self._attributes.setdefault((id(owner), name), (owner, name, value))
        else:
            content = self._digest(value)
            self.watch_that(lambda: self._digest(getattr(owner, name, MISSING)) == content)

    def watch_cell(self, cell: Any) -> None:
        """Let `is_current` also compare the content of a closure cell."""
        self._cells[id(cell)] = cell, content_of(cell)

    def watch_that(self, check: Callable[[], bool]) -> None:
        """Let `is_current` also call `check`, which returns whether something is unchanged."""
        self._checks.append(check)

    def watches(self, owner: Any, name: str = "") -> bool:
        """Whether `is_current` compares what has this name in a namespace, class or object; or a function or cell."""
        if not name:
            return id(owner) in self._functions or id(owner) in self._cells
        return (id(owner), name) in self._names or (id(owner), name) in self._attributes

    def watch(self, other: "Watch") -> None:
        """Let `is_current` also compare everything that `other` watches; the hash does not change."""
        for name in ("_names", "_attributes", "_functions", "_cells", "_arrays", "_containers", "_classes"):
            for key, watched in getattr(other, name).items():
                getattr(self, name).setdefault(key, watched)
        self._objects += other._objects
        self._checks += other._checks
        self._parts += other._parts


def _namespace(watched: list[tuple[Mapping[str, Any], str, Any]]) -> _Namespace:
    """The data that `is_current` compares for one namespace."""
    present = {name: value for _, name, value in watched if value is not MISSING}
    missing = frozenset(name for _, name, value in watched if value is MISSING)
    some = next(iter(present), None)
    get: Any = (lambda _: ()) if some is None else itemgetter(some, *present)  # one name would give no tuple
    return watched[0][0], get, () if some is None else (present[some], *present.values()), missing
