"""Checks of arguments, with messages that say what was given and what to write."""

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, TypeVar

from outplay.rules.errors import OutplayError, RulesError, WrongType
from outplay.rules.game import Game
from outplay.rules.wording import shown

T = TypeVar("T")
Progress = Callable[[T], None]
"""What is called ten times a second while long work goes on, with what is known so far."""
MAX_PLAYERS = 1000
"""The maximum number of players of a game."""


def check_type(value: Any, kinds: type | tuple[type, ...], call: str, example: str) -> None:
    """Raise `WrongType` unless `value` is of one of these kinds.

    `call` is the call with {} for the value, such as "AlphaBeta({})". `example` is a value to put there.

    >>> check_type("nim", Game, "AlphaBeta({})", "Nim()")
    Traceback (most recent call last):
    ...
    outplay.rules.errors.WrongType: AlphaBeta('nim'): a Game is wanted, not a str; write AlphaBeta(Nim())
    """
    if isinstance(value, kinds):
        return
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    if isinstance(value, type) and issubclass(value, kinds):
        name = value.__name__
        raise WrongType(f"{call.format(name)}: a class; did you mean {name}()?")
    names = " or ".join(_class_with_article(kind) for kind in kinds)
    if isinstance(value, type):
        raise WrongType(f"{call.format(value.__name__)}: {names} is wanted, not a class; write {call.format(example)}")
    actual = "None" if value is None else _class_with_article(type(value))
    raise WrongType(f"{call.format(shown(value))}: {names} is wanted, not {actual}; write {call.format(example)}")


def _class_with_article(kind: type) -> str:
    """The name of a class with its article: a Game, an int."""
    name = kind.__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def check_is_game(game: Any, function: str) -> None:
    """Raise `WrongType` unless `game` is a `Game`. `function` is the name of the function or class that was called.

    Raises `RulesError` if the number of players is invalid.
    """
    check_type(game, Game, f"{function}({{}})", "TicTacToe()")
    if not is_whole(game.players) or not 1 <= game.players <= MAX_PLAYERS:
        name = type(game).__name__
        raise RulesError(f"{name}.players = {game.players!r}: players is a whole number from 1 to {MAX_PLAYERS}")


def check_threads(threads: Any, function: str) -> None:
    """Raise `OutplayError` unless `threads` is a number of threads, or None for one per core."""
    if threads is not None and (not is_whole(threads) or threads < 1):
        raise OutplayError(f"{function}(threads={threads!r}): a whole number from 1, or None for one per core")


def is_number(value: Any) -> bool:
    """Whether this is a real number, Python's or NumPy's, and not True or False."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Whether this is a whole number, Python's or NumPy's, and not True or False."""
    return isinstance(value, Integral) and not isinstance(value, bool)
