"""A 64-bit key for any state, the same from compiled and from interpreted code.

Each field is mixed into the hash by an exclusive or, a multiplication by an odd constant and a shift, all of which
can be undone: two states that differ in one field never collide, others once in 2**64 pairs.
"""

import struct
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import Any

from outplay.errors import RulesError
from outplay.game import Game

MULTIPLIER = 0x2545F4914F6CDD1D
"""Odd, with well spread bits: from Steele & Vigna, "Computationally easy, spectrally good multipliers" (2022)."""

SEED = 0x1F83D9ABFB41BD6B  # any constant but 0, so that a state of zeros does not have key 0
WHOLE = 2.0**53  # below it a float without a fraction is an int


def state_key(game: Game, state: Any) -> int:
    """The key of `state` as a signed 64-bit int: equal states have equal keys. Mixes `game.key(state)`.

    >>> from outplay.games import TicTacToe
    >>> game = TicTacToe()
    >>> state_key(game, game.initial_state()) == state_key(game, game.initial_state())
    True
    """
    return mix(mix(SEED, game.key(state)), 0)


def information_key(game: Game, state: Any, player: int) -> int:
    """A key of `player` and what he knows in `state`: equal information has equal keys. Mixes `game.information`."""
    return key_of(game.information(state, player), player)


def key_of(information: Any, player: int) -> int:
    """The key of `information` that `player` has."""
    return mix(mix(mix(SEED, information), player), 0)


def canonical(game: Game, state: Any) -> Any:
    """Of `state` and its images under the game's `symmetries`, the one with the least key.

    >>> from outplay.games import ConnectFour
    >>> game = ConnectFour()
    >>> left, right = (game.result(game.initial_state(), column) for column in (0, 6))
    >>> canonical(game, left) == canonical(game, right)
    True
    """
    return min(game.symmetries(state), key=lambda image: state_key(game, image))


def mix(h: int, field: Any) -> int:
    """The hash `h` with one more field mixed in. Raises `RulesError` for a field that has no content to hash."""
    if hasattr(field, "tolist"):  # a NumPy array or scalar
        for length in field.shape:
            h = _mix_int(h, length)
        if field.shape:
            return _mix_each(h, field.ravel().tolist())
        field = field.tolist()
    match field:
        case bool() | int():
            if -(1 << 63) <= field < 1 << 64:
                return _mix_int(h, int(field))
            return mix(h, hex(field))  # more than 64 bits, which compiled code does not have
        case float():
            if abs(field) < WHOLE and field == int(field):  # 1.0 equals 1
                return _mix_int(h, int(field))
            pattern = struct.unpack("q", struct.pack("d", field))[0]
            return _mix_int(h, pattern ^ pattern >> 32)  # short fractions differ in the upper half alone
        case None:
            return _mix_int(h, SEED)
        case str():
            return mix(h, field.encode())
        case bytes():
            return _mix_int(h, int.from_bytes(blake2b(field, digest_size=8).digest(), "little"))
        case tuple() | list():
            return _mix_each(_mix_int(h, len(field)), field)
        case dict() | set() | frozenset():  # in whatever order they come
            items = field.items() if isinstance(field, dict) else field
            return _mix_int(_mix_int(h, len(field)), sum(mix(SEED, item) for item in items))
    if is_dataclass(field):
        return mix(h, [getattr(field, part.name) for part in fields(field)])
    try:
        return _mix_int(h, hash(field))
    except TypeError:
        kind = type(field).__name__
        raise RulesError(
            f"a {kind} in a state cannot be hashed: define key(state) on the game,"
            " for instance as a tuple of what makes two states equal"
        ) from None


def _mix_each(h: int, items: Any) -> int:
    for item in items:
        h = mix(h, item)
    return h


def _mix_int(h: int, x: int) -> int:
    h = ((h ^ x) * MULTIPLIER) & 0xFFFF_FFFF_FFFF_FFFF
    h ^= h >> 32
    return h - (1 << 64) if h >> 63 else h
