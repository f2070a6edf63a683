"""Arguments of a wrong type: one way to say what was given, and what to write."""

from numbers import Integral, Real
from typing import Any

from outplay.rules.errors import RulesError, WrongType
from outplay.rules.game import Game

LONGEST = 80
"""So many characters of a value are shown."""
MOST_PLAYERS = 1000


def check_type(value: Any, kinds: type | tuple[type, ...], call: str, example: str) -> None:
    """Raise `WrongType` unless `value` is of one of these kinds.

    `call` is the call with {} for the value, such as "AlphaBeta({})", and `example` a value that would do.

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
    names = " or ".join(f"a {kind.__name__}" for kind in kinds)
    shown = repr(value) if len(repr(value)) <= LONGEST else f"{repr(value)[:LONGEST]}…"
    given = "None" if value is None else f"a {type(value).__name__}"
    raise WrongType(f"{call.format(shown)}: {names} is wanted, not {given}; write {call.format(example)}")


def check_is_game(game: Any, function: str) -> None:
    """Raise `WrongType` unless `game` is a `Game`, given to a function or class of this name.

    Raises `RulesError` for a number of players that is none, without which nothing can be said of the game.
    """
    check_type(game, Game, f"{function}({{}})", "TicTacToe()")
    if not is_whole(game.players) or not 1 <= game.players <= MOST_PLAYERS:
        name = type(game).__name__
        raise RulesError(f"{name}.players = {game.players!r}: players is a whole number from 1 to {MOST_PLAYERS}")


def is_number(value: Any) -> bool:
    """Whether this is a number, NumPy's among them, and not True or False."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Whether this is a whole number, NumPy's among them, and not True or False."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def check_number(owner: Any, name: str, least: int, *, whole: bool = False, optional: bool = False) -> None:
    """Raise `ValueError` if the field `name` of `owner` is not a number, or less than `least`."""
    value, kind = getattr(owner, name), type(owner).__name__
    if not (is_whole(value) if whole else is_number(value)):
        wanted = f"{'a whole number' if whole else 'a number'}{' or None' if optional else ''}"
        raise ValueError(f"{kind}({name}={value!r}): {name} is {wanted}")
    if not least <= value < 2**63:
        raise ValueError(f"{kind}({name}={value!r}): {name} must be at least {least} and less than 2**63")
