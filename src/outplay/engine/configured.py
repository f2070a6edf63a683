"""Searchers are values: their options are checked, compared and printed, and they can be pickled."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any, ClassVar, Self

from outplay.engine.limits import LIMITS
from outplay.rules.base import frozen
from outplay.rules.errors import WrongType
from outplay.rules.game import Game
from outplay.rules.options import check_options


class Configured:
    """A dataclass with a game and options. Instances of one class with the same game and options are equal."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    game: Game

    def __new__(cls, *_: Any, **options: Any) -> Self:
        """Raise `WrongType` for options that are limits, as in `AlphaBeta(game, depth=3)`."""
        own = {field.name for field in fields(cls)}
        if misplaced := {name: value for name, value in options.items() if name in LIMITS and name not in own}:
            text = ", ".join(f"{name}={value!r}" for name, value in misplaced.items())
            name = cls.__name__
            raise WrongType(
                f"{name}(…, {text}): limits are for each search; write {name}(…).search(limit=Limit({text}))"
            )
        return super().__new__(cls)

    def _check_options(self) -> None:
        """Raise `ValueError` for an option that is invalid for every game."""
        check_options(self)

    def _options(self) -> dict[str, Any]:
        """The options that differ from their defaults."""
        values = [(field, getattr(self, field.name)) for field in fields(self) if field.name != "game"]
        return {field.name: value for field, value in values if value != field.default}

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self._options().items())
        return f"{type(self).__name__}({self.game!r}{options})"

    def _value(self) -> Any:
        return frozen((type(self), self.game, self._options()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Configured) and self._value() == other._value()

    def __hash__(self) -> int:
        return hash(self._value())

    def __reduce__(self) -> Any:
        return _make, (type(self), self.game, self._options())


def _make(kind: Callable[..., Any], game: Game, options: dict[str, Any]) -> Any:
    """Recreate an instance from a pickle."""
    return kind(game, **options)
