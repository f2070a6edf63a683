"""Functions of ints that Numba does not know: `n.bit_count()`, `math.isqrt(n)` and the like."""

import math
from typing import Any

import numpy as np
from numba import types

from outplay.compile.native.game_type import compiled_only
from outplay.compile.native.semantics.plans import INT64, UINT64
from outplay.rules import bits

WHOLE = (INT64, types.boolean)
LEAST = -(2**63)
LARGEST_ROOT = 3_037_000_499
"""The largest int whose square fits 64 bits."""


@compiled_only
def bit_count(number: types.Type) -> Any:
    """`number.bit_count()`: the bits of its absolute value."""
    if types.unliteral(number) not in WHOLE:
        return lambda number: number.bit_count()
    return lambda number: bits.count(number if number >= 0 else -number)


@compiled_only
def bit_length(number: types.Type) -> Any:
    """`number.bit_length()`."""
    if types.unliteral(number) not in WHOLE:
        return lambda number: number.bit_length()

    def length(number: Any) -> int:
        rest, bits = (number if number >= 0 else -number), 0
        while rest != 0:
            rest = (rest >> 1) & 0x7FFF_FFFF_FFFF_FFFF  # -2**63 is its own opposite
            bits += 1
        return bits

    return length


@compiled_only
def isqrt(number: types.Type) -> Any:
    """`math.isqrt(number)`."""
    if types.unliteral(number) not in WHOLE:
        return None
    largest = LARGEST_ROOT

    def root(number: Any) -> int:
        if number < 0:
            raise ValueError("isqrt() of a negative number")
        candidate = min(int(math.sqrt(number)), largest)
        while candidate * candidate > number:
            candidate -= 1
        while candidate < largest and (candidate + 1) * (candidate + 1) <= number:
            candidate += 1
        return candidate

    return root


@compiled_only
def gcd(one: types.Type, other: types.Type) -> Any:
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


@compiled_only
def comb(number: types.Type, chosen: types.Type) -> Any:
    """`math.comb(number, chosen)`."""
    if not {types.unliteral(number), types.unliteral(chosen)} <= set(WHOLE):
        return None

    def ways(number: Any, chosen: Any) -> int:
        if number < 0 or chosen < 0:
            raise ValueError("comb() of a negative number")
        if chosen > number:
            return 0
        product, fewer = 1, min(chosen, number - chosen)
        for step in range(1, fewer + 1):
            product = product * (number - fewer + step) // step
        return product

    return ways


@compiled_only
def prod(values: types.Type) -> Any:
    """`math.prod(values)`."""
    item = getattr(values, "dtype", None)
    if isinstance(values, types.Set | types.Array) or item not in (INT64, types.float64):
        return None

    def product(values: Any) -> Any:
        total = 1
        for value in values:
            total = total * value
        return total

    return product
