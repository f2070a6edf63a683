"""Functions of ints that Numba does not know: `n.bit_count()`, `math.isqrt(n)` and the like."""

import math
from typing import Any

import numpy as np
from numba import types

from outplay.compile.native.game_type import overload
from outplay.compile.native.meaning.plans import INT64, UINT64
from outplay.rules import bits

WHOLE = (INT64, types.boolean)
LEAST = -(2**63)
LARGEST_ROOT = 3_037_000_499
"""The largest int whose square fits 64 bits."""


def bit_count(number: int) -> int:
    """`number.bit_count()`: the bits of its absolute value."""
    return number.bit_count()


def bit_length(number: int) -> int:
    """`number.bit_length()`."""
    return number.bit_length()


@overload(bit_count)
def _(number: types.Type) -> Any:
    if types.unliteral(number) not in WHOLE:
        return lambda number: number.bit_count()
    return lambda number: bits.count(number if number >= 0 else -number)


@overload(bit_length)
def _(number: types.Type) -> Any:
    if types.unliteral(number) not in WHOLE:
        return lambda number: number.bit_length()

    def length(number: Any) -> int:
        rest, found = (number if number >= 0 else -number), 0
        while rest != 0:
            rest = (rest >> 1) & 0x7FFF_FFFF_FFFF_FFFF  # -2**63 is its own opposite
            found += 1
        return found

    return length


def isqrt(number: int) -> int:
    """`math.isqrt(number)`."""
    return math.isqrt(number)


@overload(isqrt)
def _(number: types.Type) -> Any:
    if types.unliteral(number) not in WHOLE:
        return None
    largest = LARGEST_ROOT

    def root(number: Any) -> int:
        if number < 0:
            raise ValueError("isqrt() of a negative number")
        found = min(int(math.sqrt(number)), largest)
        while found * found > number:
            found -= 1
        while found < largest and (found + 1) * (found + 1) <= number:
            found += 1
        return found

    return root


def gcd(one: int, other: int) -> int:
    """`math.gcd(one, other)`."""
    return math.gcd(one, other)


@overload(gcd)
def gcd_of_ints(one: types.Type, other: types.Type) -> Any:
    """`math.gcd(one, other)`."""
    if not all(isinstance(typ, types.Integer | types.Boolean) and typ != UINT64 for typ in (one, other)):
        return None

    def divide(one: Any, other: Any) -> Any:
        first: Any = np.int64(one)
        second: Any = np.int64(other)
        while second != 0:
            first, second = second, first % second if second != -1 else 0
        if first == LEAST:
            raise OverflowError("gcd() of ints that is 2**63")
        return abs(first)

    return divide


def comb(number: int, chosen: int) -> int:
    """`math.comb(number, chosen)`."""
    return math.comb(number, chosen)


@overload(comb)
def _(number: types.Type, chosen: types.Type) -> Any:
    if not {types.unliteral(number), types.unliteral(chosen)} <= set(WHOLE):
        return None

    def ways(number: Any, chosen: Any) -> int:
        if number < 0 or chosen < 0:
            raise ValueError("comb() of a negative number")
        if chosen > number:
            return 0
        found, fewer = 1, min(chosen, number - chosen)
        for step in range(1, fewer + 1):
            found = found * (number - fewer + step) // step
        return found

    return ways


def prod(values: Any) -> Any:
    """`math.prod(values)`."""
    return math.prod(values)


@overload(prod)
def _(values: types.Type) -> Any:
    item = getattr(values, "dtype", None)
    if isinstance(values, types.Set | types.Array) or item not in (INT64, types.float64):
        return None

    def product(values: Any) -> Any:
        found = 1
        for each in values:
            found = found * each
        return found

    return product
