"""Rules: what outplay compiles. `Game` and `Problem` are the two contracts.

Rules are a value: printed, compared, hashed and pickled by class and arguments, and to compiled code a constant.
"""

import copy
import functools
import inspect
import os
from abc import ABC
from difflib import get_close_matches
from hashlib import blake2b
from types import FunctionType, MemberDescriptorType
from typing import Any, ClassVar, Self, TypeVar

from outplay.rules.errors import RulesError
from outplay.rules.user_code import short_path

R = TypeVar("R", bound="Rules")
ALIKE = 0.8
"""How alike the names of a method and of a rule are at least, from 0 to 1, if the one may be the other, misspelt."""
MAX_SHOWN_NUMBERS = 100
"""Longer arrays are not written out."""


class Rules(ABC):
    """What games and problems have in common. Derive from `Game` or `Problem` instead of this.

    >>> from outplay.games import Nim
    >>> Nim((1, 2)) == Nim((1, 2)), Nim((1, 2))
    (True, Nim(heaps=(1, 2)))
    """

    __slots__ = ("__weakref__", "_arguments", "_native", "_numbered", "_trusted", "_whole")

    compiled: bool | None = None
    """None: compile if possible, else warn once and run interpreted. True: raise an error if the rules do not compile.
    False: always run interpreted."""

    checked: ClassVar[bool] = False
    """Whether compiled rules raise `RulesError` where Python raises, or where an int outgrows 64 bits; slower."""

    _contract: ClassVar[type]  # `Game` or `Problem`, the class that declares the rules
    _arguments: dict[str, Any]
    _native: Any  # what stands for the game in compiled code
    _numbered: Any  # the game with actions that are ints
    _whole: Any  # the fingerprint of the game
    _trusted: str  # that fingerprint as text, if the laws are not to be checked

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if Rules in cls.__bases__:
            cls._contract = cls

        for name, value in vars(cls).items():
            _refuse_shadow(cls, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        _refuse_shadow(type(self), name, value)
        super().__setattr__(name, value)

    def initial_state(self) -> Any:
        """The first state."""
        raise NotImplementedError

    def __new__(cls, *args: Any, **keywords: Any) -> Self:
        """Remember the arguments, for `repr`, `==` and pickling. Raises `TypeError` if the class lacks a rule."""
        if inspect.isabstract(cls):
            raise TypeError(incomplete(cls))
        game = super().__new__(cls)
        try:
            bound = _signature(cls).bind(*args, **keywords)
        except TypeError:  # the constructor will raise a better error
            arguments = {}
        else:
            bound.apply_defaults()
            arguments = dict(bound.arguments)
        object.__setattr__(game, "_arguments", arguments)  # the class may be a frozen data class
        object.__setattr__(game, "_native", None)
        object.__setattr__(game, "_numbered", None)
        object.__setattr__(game, "_whole", None)
        object.__setattr__(game, "_trusted", "")
        return game

    def __repr__(self) -> str:
        parts: list[str] = []
        parameters = _signature(type(self)).parameters
        extra = any(self._arguments.get(name) for name, p in parameters.items() if p.kind is p.VAR_POSITIONAL)
        for name, parameter in parameters.items():
            value = self._arguments.get(name, parameter.default)
            if parameter.kind is parameter.VAR_POSITIONAL:
                parts += map(_value_text, value or ())
            elif parameter.kind is parameter.VAR_KEYWORD:
                parts += [f"{key}={_value_text(item)}" for key, item in (value or {}).items()]
            elif parameter.kind is parameter.POSITIONAL_ONLY or (
                extra and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
            ):
                parts.append(_value_text(value))  # what follows cannot be given by name
            elif frozen(value) != frozen(parameter.default):
                parts.append(f"{name}={_value_text(value)}")
        return f"{type(self).__name__}({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rules):
            return NotImplemented
        return type(self) is type(other) and frozen(self._arguments) == frozen(other._arguments)

    def __hash__(self) -> int:
        return hash((type(self), frozen(self._arguments)))

    def __getstate__(self) -> dict[str, Any]:
        return {"_arguments": self._arguments, **attributes(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)


def _refuse_shadow(cls: type[Rules], name: str, value: Any) -> None:
    """Refuse a number, tuple or the like under the name of a rule, which would hide the rule."""
    contract = getattr(cls, "_contract", cls)
    is_rule = not name.startswith("_") and isinstance(vars(contract).get(name), FunctionType)
    if is_rule and contract is not cls and not callable(value) and not hasattr(value, "__get__"):
        raise RulesError(
            f"{cls.__name__}.{name} is set to a {type(value).__name__}, but {name} is the name of a rule:"
            " give the attribute another name"
        )


def misspelt(cls: type[Rules]) -> dict[str, str]:
    """Methods whose names look like that of a rule which the class does not define, by this rule, each with its place.

    >>> from outplay.games import Nim
    >>> misspelt(Nim)
    {}
    """
    contract: Any = cls._contract
    methods = {
        name: value
        for base in cls.__mro__
        for name, value in vars(base).items()
        if isinstance(value, FunctionType) and not name.startswith("_") and not hasattr(contract, name)
    }
    rules = [name for name, value in vars(contract).items() if isinstance(value, FunctionType)]
    correct = {}
    for rule in rules:
        similar = get_close_matches(rule, methods, n=1, cutoff=ALIKE)
        if similar and getattr(cls, rule) is getattr(contract, rule):
            code = methods[similar[0]].__code__
            correct[rule] = f"{similar[0]} ({short_path(code.co_filename)}:{code.co_firstlineno})"
    return correct


def incomplete(cls: type[Rules]) -> str:
    """Which rules a class lacks that it must define."""
    misspellings, missing = misspelt(cls), sorted(cls.__abstractmethods__)
    hints = [f"; {misspellings[rule]}: did you mean {rule}?" for rule in missing if rule in misspellings]
    return f"{cls.__name__} is not complete: it does not define {', '.join(missing)}{''.join(hints)}"


def is_checked(cls: type[Rules]) -> bool:
    """Whether games of this class are compiled with checks, because of `checked` or OUTPLAY_CHECKED=1."""
    return cls.checked or os.environ.get("OUTPLAY_CHECKED", "") not in ("", "0")


def checked(game: R) -> R:
    """A copy of `game` whose compiled rules are checked; `game` itself if they are already, or it cannot be copied.

    >>> from outplay.games import Nim
    >>> checked(Nim((1, 2))).checked, checked(Nim((1, 2)))
    (True, Nim(heaps=(1, 2)))
    """
    if is_checked(type(game)):
        return game
    try:
        twin = copy.copy(game)
        object.__setattr__(twin, "__class__", _checked_class(type(game)))
    except Exception:  # the user's class may forbid any of this
        return game
    return twin


@functools.cache
def _checked_class(cls: type) -> type:
    members = {"checked": True, "__slots__": (), "__module__": cls.__module__, "__qualname__": cls.__qualname__}
    return type(cls.__name__, (cls,), members)


def attributes(game: Rules) -> dict[str, Any]:
    """The attributes of `game` by name, including those in slots.

    >>> from outplay.games import TicTacToe
    >>> attributes(TicTacToe())["k"]
    3
    """
    values = dict(getattr(game, "__dict__", {}))
    values.update((name, getattr(game, name)) for name in slots(type(game)) if hasattr(game, name))
    return values


def slots(game_class: type) -> list[str]:
    """The names of the slots of a class of games, without outplay's own."""
    return [
        name
        for cls in game_class.__mro__
        if cls is not Rules
        for name, member in vars(cls).items()
        if isinstance(member, MemberDescriptorType)
    ]


def _signature(cls: type) -> inspect.Signature:
    parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]  # type: ignore[misc]
    return inspect.Signature(parameters if cls.__init__ is not object.__init__ else ())  # type: ignore[misc]


def _value_text(value: Any) -> str:
    """The `repr` of a value; for a long array, its shape and a digest."""
    if isinstance(value, (tuple, list)) and any(hasattr(item, "tobytes") for item in value):
        return f"({', '.join(map(_value_text, value))}{',' if len(value) == 1 else ''})"
    if hasattr(value, "tobytes") and value.size > MAX_SHOWN_NUMBERS:
        return f"<array {value.shape} {digest(value.tobytes())}>"
    return repr(value)


def digest(content: bytes) -> str:
    """A hash of eight hexadecimal digits."""
    return blake2b(content, digest_size=4).hexdigest()


def frozen(value: Any) -> Any:
    """`value` as something hashable: lists, dicts and arrays become tuples.

    Raises `RulesError` for a value that contains itself or is nested too deeply.
    """
    try:
        return _frozen(value)
    except RecursionError:
        raise RulesError(
            f"a {type(value).__name__} among the parameters of a game contains itself, or is nested too deeply: such"
            " a game cannot be compared, printed or kept"
        ) from None


def _frozen(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return ("dict", *((key, _frozen(item)) for key, item in value.items()))
    if isinstance(value, (set, frozenset)):
        return frozenset(map(_frozen, value))
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *map(_frozen, value))
    return value
