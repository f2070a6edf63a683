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


def state_key(game: Game, state: Any) -> int:
    """The key of `state` as a signed 64-bit int: equal states have equal keys. Mixes `game.key(state)`.

    >>> from outplay.games import TicTacToe
    >>> game = TicTacToe()
    >>> state_key(game, game.initial_state()) == state_key(game, game.initial_state())
    True
    """
    return mix(mix(SEED, game.key(state)), 0)


def mix(h: int, field: Any) -> int:
    """The hash `h` with one more field mixed in. Raises `RulesError` for a field that has no content to hash."""
    if hasattr(field, "tolist"):  # a NumPy array or scalar
        field = field.tolist() if not getattr(field, "ndim", 0) else field.ravel().tolist()
        if isinstance(field, list):
            for item in field:
                h = mix(h, item)
            return h
    match field:
        case bool() | int():
            return _mix_int(h, int(field))
        case float():
            return _mix_int(h, struct.unpack("q", struct.pack("d", field + 0.0))[0])  # + 0.0: no negative zero
        case None:
            return _mix_int(h, 0)
        case str():
            return mix(h, field.encode())
        case bytes():
            return _mix_int(h, int.from_bytes(blake2b(field, digest_size=8).digest(), "little"))
        case tuple() | list():
            for item in field:
                h = mix(h, item)
            return h
        case dict():
            return mix(h, frozenset(field.items()))
        case set() | frozenset():
            return _mix_int(h, sum(mix(1, item) for item in field))  # in whatever order they come
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


def _mix_int(h: int, x: int) -> int:
    h = ((h ^ x) * MULTIPLIER) & 0xFFFF_FFFF_FFFF_FFFF
    h ^= h >> 32
    return h - (1 << 64) if h >> 63 else h
