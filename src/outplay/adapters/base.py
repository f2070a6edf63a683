"""What the adapters share: a game that is made of an object of another library."""

import io
import pickle
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from typing import Any, Self

from outplay.rules.base import frozen
from outplay.rules.errors import WrongType
from outplay.rules.game import Game
from outplay.rules.keys import content_key
from outplay.rules.picture import picture


class Adapter(Game):
    """A game made of an object of another library. It runs interpreted, by the methods of that object.

    Two such games are equal if they are of the same library, and their objects have the same content.
    """

    compiled = False
    why_interpreted = "an adapter calls the object of another library: rules that derive from Game compile"
    source: Any
    """The object of the other library."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({object_text(self.source)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Adapter) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __deepcopy__(self, memory: Any) -> Self:
        return self  # it never changes, and an object of the other library may not be equal to its copy

    def _identity(self) -> Any:
        others = {name: value for name, value in self._arguments.items() if name != "game"}
        return type(self), type(self.source), self._content(), frozen(others)

    def _content(self) -> Any:
        """What tells the object from others of its class: its content, its pickled form or its address."""
        ways: tuple[Callable[[Any], Any], ...] = content_key, pickle.dumps, id
        for content in ways:
            try:
                return content(self.source)
            except Exception:  # noqa: S112 - it cannot be read, or not be pickled
                continue
        return None


def require(source: Any, module: str, library: str, methods: Iterable[str]) -> None:
    """Raise `WrongType` unless `source` is an object with these methods, as a game of this library has them."""
    if lacking := missing(source, methods):
        call = f"{module}.Adapted({object_text(source)})"
        raise WrongType(f"{call}: this is not a game of {library}; it has no {' and no '.join(lacking)}")
    if isinstance(source, type):
        raise WrongType(f"{module}.Adapted({source.__name__}): a class; give a game, such as {source.__name__}(…)")


def missing(source: Any, methods: Iterable[str]) -> list[str]:
    """Those of the methods that an object does not have. "a|b" is either of two."""
    return [
        " or ".join(f"{name}()" for name in names.split("|"))
        for names in methods
        if not any(callable(getattr(source, name, None)) for name in names.split("|"))
    ]


def object_text(source: Any) -> str:
    """An object as text, without an address."""
    if isinstance(source, type):
        return source.__name__
    cls: Any = type(source)
    return f"<{cls.__name__}>" if cls.__repr__ is object.__repr__ else repr(source)


def moves_of(moves: Any) -> list[Any]:
    """Moves as a list, each once, with tuples in place of lists. A set is sorted, for the same order each time."""
    order = sorted(moves, key=repr) if isinstance(moves, (set, frozenset)) else moves
    return list(dict.fromkeys(map(hashable, order)))


def hashable(move: Any) -> Any:
    """A move with tuples in place of lists."""
    return tuple(map(hashable, move)) if type(move) in (list, tuple) else move


def printed(show: Callable[..., Any] | None, *arguments: Any, state: Any) -> str:
    """What `show` prints or returns; without it, or if that is nothing, outplay's own picture of `state`."""
    if show is None:
        return picture(state)
    output = io.StringIO()
    with redirect_stdout(output):
        returned = show(*arguments)
    text = output.getvalue().strip("\n") or (returned if isinstance(returned, str) else "")
    return text or picture(state)
