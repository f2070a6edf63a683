"""A 64-bit key for any state, the same in compiled and in interpreted code; states that contain themselves are refused.

Each field is mixed into the hash by an exclusive or, a multiplication by an odd constant and a shift. All of these can
be undone, so two states that differ in one field never collide; others collide once in about 2**64 pairs.

Only the content of a state counts: numbers, text, containers, and the class and attributes of objects. Addresses do not
count, since another object may be there later, nor does `__hash__`, which may be the address. Values without readable
content, such as functions and open files, are refused. As in compiled code, numbers and tuples are told apart only by
their places, so a place should not hold a number in one state and a tuple in another. Start at `state_key` and `mix`.
"""

import datetime
import struct
import sys
import types
from collections import OrderedDict, deque
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cached_property, lru_cache
from hashlib import blake2b
from os import PathLike, fspath
from typing import Any, NamedTuple

from outplay.rules.base import Rules
from outplay.rules.errors import RulesError
from outplay.rules.game import Game

MULTIPLIER = 0x2545F4914F6CDD1D
"""Odd, with well-spread bits. From Steele & Vigna, "Computationally easy, spectrally good multipliers" (2022)."""

SEED = 0x1F83D9ABFB41BD6B  # any constant but 0, so that a state of zeros does not have key 0
DEEP = 200
"""The most values inside each other among which one is searched that contains itself."""
WHOLE = 2.0**53  # below it a float without a fraction is an int


def state_key(game: Game, state: Any) -> int:
    """The key of `state`, a signed 64-bit int made from `game.key(state)`. Equal states have equal keys.

    >>> from outplay.games import TicTacToe
    >>> game = TicTacToe()
    >>> state_key(game, game.initial_state()) == state_key(game, game.initial_state())
    True
    """
    return mix(content_key(game.key(state)), 0)


def information_key(game: Game, state: Any, player: int) -> int:
    """The key of what `player` knows in `state`, made from `game.information`. Equal information has equal keys."""
    return key_of(game.information(state, player), player)


def key_of(information: Any, player: int) -> int:
    """The key of `information` that `player` has."""
    return mix(mix(content_key(information), player), 0)


def content_key(value: Any) -> int:
    """The hash of a value. Raises `RulesError` if it has no content to hash or contains itself."""
    try:
        return mix(SEED, value)
    except RecursionError:
        attribute = _leading_back(value, "", set(), set())
        how = f", as {attribute} leads back to what it is part of" if attribute else ", or is nested too deeply"
        raise RulesError(
            f"a {type(value).__name__} contains itself{how}: define key(state) on the game, for instance as a tuple of"
            " what makes two states equal"
        ) from None


def _leading_back(value: Any, attribute: str, above: set[int], done: set[int]) -> str:
    """The attribute through which a value contains itself, such as "Piece.board"; "" if there is none.

    `attribute` led to the value, the values in `above` contain it, and those in `done` are known.
    """
    if id(value) in above:
        return attribute
    if id(value) in done or len(above) > DEEP:
        return ""
    done.add(id(value))
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        parts = [(attribute, part) for part in value]
    elif isinstance(value, dict):
        parts = [(attribute, part) for part in value.values()]
    else:
        parts = [(f"{type(value).__name__}.{name}", part) for name, part in getattr(value, "__dict__", {}).items()]
    return next(filter(None, (_leading_back(part, name, above | {id(value)}, done) for name, part in parts)), "")


def canonical(game: Game, state: Any) -> Any:
    """The state with the lowest key among `state` and its images under the `symmetries` of the game.

    >>> from outplay.games import ConnectFour
    >>> game = ConnectFour()
    >>> left, right = (game.result(game.initial_state(), column) for column in (0, 6))
    >>> canonical(game, left) == canonical(game, right)
    True
    """
    return min(game.symmetries(state), key=lambda image: state_key(game, image))


def mix(h: int, field: Any) -> int:
    """The hash `h` with one more field mixed in. Raises `RulesError` for a field that has no content to hash."""
    if hasattr(field, "tolist"):  # a NumPy array or scalar, or an array.array
        for length in getattr(field, "shape", ()):
            h = mix_int(h, length)
        if not hasattr(field, "dtype"):
            return _mix_attributes(mix(h, field.tolist()), field)
        if field.shape:
            return _mix_attributes(_mix_each(h, field.ravel().tolist()), field)
        field = field.tolist()
    match field:
        case bool() | int():
            is_short = -(1 << 63) <= field < 1 << 64  # compiled code has no others
            h = mix_int(h, int(field)) if is_short else mix_name(h, hex(field), 1)
        case float():
            if abs(field) < WHOLE and field == int(field):  # 1.0 equals 1
                h = mix_int(h, int(field))
            else:
                pattern = struct.unpack("q", struct.pack("d", field))[0]
                h = mix_int(h, pattern ^ pattern >> 32)  # short fractions differ in the upper half alone
        case None:
            return mix_int(h, SEED)
        case str():
            h = _mix_each(mix_name(h, "str", len(field)), map(ord, field))
        case OrderedDict():
            h = _mix_each(mix_name(h, "OrderedDict", len(field)), field.items())
        case tuple():
            h = _mix_each(mix_int(h, len(field)), field)
        case list():
            h = _mix_each(mix_name(h, "list", len(field)), field)
        case dict():
            h = _mix_all(mix_name(h, "dict", len(field)), field.items())
        case set() | frozenset():
            h = _mix_all(mix_name(h, "set", len(field)), field)
        case _:
            return _mix_object(h, field)
    return h if type(field) in BUILT_IN or isinstance(field, Enum) else _mix_attributes(h, field)


def _mix_each(h: int, items: Any) -> int:
    for item in items:
        h = mix(h, item)
    return h


def _mix_all(h: int, items: Any) -> int:
    """Mix in items so that their order does not count."""
    sum_ = 0
    for item in items:  # not sum(): a value that contains itself would overflow the stack there
        sum_ += mix(SEED, item)
    return mix_int(h, sum_)


def mix_name(h: int, name: str, length: int = 0) -> int:
    """Mix in the kind of value that follows, and its length."""
    return mix_int(mix_int(h, name_key(name)), length)


@lru_cache(maxsize=1024)
def name_key(name: str) -> int:
    """The number that is mixed in for a name."""
    return _mix_bytes(0, name.encode(errors="surrogatepass"))


def _mix_bytes(h: int, content: bytes | bytearray) -> int:
    return mix_int(h, int.from_bytes(blake2b(content, digest_size=8).digest(), "little"))


def mix_int(h: int, x: int) -> int:
    """The hash `h` with an int mixed in."""
    h = ((h ^ x) * MULTIPLIER) & 0xFFFF_FFFF_FFFF_FFFF
    h ^= h >> 32
    return h - (1 << 64) if h >> 63 else h


# -- objects ----------------------------------------------------------------------------------------------------------


def _mix_object(h: int, field: Any) -> int:
    """Mix in an object that is not a number, text or one of Python's basic containers."""
    cls: Any = type(field)
    match field:
        case bytes() | bytearray():
            h = _mix_bytes(_mix_bytes(h, b"bytes"), field)
        case Enum():
            value = field.value if field._name_ is None or "|" in field._name_ else field._name_
            h = mix_name(h, cls.__qualname__)
            return mix_int(h, name_key(value)) if isinstance(value, str) else mix(h, value)
        case complex():
            h = mix(h, field.real) if field.imag == 0 else _mix_each(mix_name(h, "complex"), (field.real, field.imag))
        case Fraction() | Decimal():
            if isinstance(field, Decimal) and not field.is_finite():
                return mix_name(h, str(field))
            above, below = field.as_integer_ratio()
            return mix(h, above) if below == 1 else _mix_each(mix_name(h, "fraction"), (above, below))
        case deque():
            h = _mix_each(mix_name(h, "deque", len(field)), field)
        case range():
            return _mix_each(mix_name(h, "range", len(field)), (*field[:1], *field[1:2]))
        case datetime.date() | datetime.time() | datetime.timedelta() | datetime.timezone():
            return mix_name(mix_name(h, cls.__qualname__), repr(field))
        case PathLike():
            return mix_name(mix_name(h, cls.__qualname__), repr(fspath(field)))
        case Rules():
            return mix(mix_name(h, cls.__qualname__), field._arguments)
        case type():
            return _mix_class(h, field)
        case _:
            if cls is object or not form_of(cls).is_plain:
                raise _no_content(cls)
            h = mix_name(mix_name(h, "object"), cls.__qualname__)
    return h if cls in BUILT_IN else _mix_attributes(h, field)


def _mix_attributes(h: int, field: Any) -> int:
    """Mix in the attributes of an object, by name."""
    cls: Any = type(field)
    form = form_of(cls)
    values = {name: value for name, value in getattr(field, "__dict__", {}).items() if name not in form.left_out}
    for name, slot in form.slots:
        try:
            values[name] = slot.__get__(field)
        except AttributeError:  # it has no value
            continue
    return _mix_all(mix_int(h, len(values)), values.items()) if values else h


def _mix_class(h: int, cls: type) -> int:
    """Mix in a class by its name, if it can be found by that name."""
    module = sys.modules.get(cls.__module__)
    member: Any = module
    for part in cls.__qualname__.split("."):
        member = getattr(member, part, None)
    if member is not cls:
        raise _no_content(cls, f"the class {cls.__qualname__}, which is not at the top of a module,")
    return mix_name(mix_name(h, "class"), f"{cls.__module__}.{cls.__qualname__}")


class Form(NamedTuple):
    """What the objects of a class consist of."""

    slots: tuple[tuple[str, Any], ...]
    left_out: frozenset[str]
    """The attributes that do not count: cached properties, and fields of a data class with `compare=False`."""
    is_plain: bool
    """Whether there is nothing else. An object of an extension may have more, which cannot be read."""


@lru_cache(maxsize=1024)
def form_of(cls: Any) -> Form:
    """What the objects of a class consist of."""
    members = {name: member for base in reversed(cls.__mro__) for name, member in vars(base).items()}
    slots = [
        (f"{base.__qualname__}.{name}", member)
        for base in cls.__mro__
        for name, member in vars(base).items()
        if isinstance(member, types.MemberDescriptorType) and not name.startswith("__")
    ]
    left_out = {name for name, member in members.items() if isinstance(member, cached_property)}
    if is_dataclass(cls) and members["__dataclass_params__"].eq:
        left_out |= {part.name for part in fields(cls) if not part.compare}
    pointers = len(slots) + (cls.__dictoffset__ > 0) + (cls.__weakrefoffset__ > 0)
    is_plain = cls.__itemsize__ == 0 and cls.__basicsize__ <= object.__basicsize__ + pointers * struct.calcsize("P")
    own_slots = tuple((name, slot) for name, slot in slots if slot.__name__ not in left_out | {"default_factory"})
    return Form(own_slots, frozenset(left_out), is_plain)


def _no_content(cls: type, subject: str = "") -> RulesError:
    return RulesError(
        f"{subject or f'a {cls.__name__}'} in a state cannot be hashed: define key(state) on the game,"
        " for instance as a tuple of what makes two states equal"
    )


BUILT_IN = frozenset(
    {bool, int, float, str, tuple, list, dict, set, frozenset, OrderedDict, complex, bytes, bytearray, deque}
)
"""Types whose objects have no attributes apart from their content."""
