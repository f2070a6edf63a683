"""`bisect`, items of a range, and `pow` with a modulus, in compiled code."""

import bisect
import operator
from typing import Any

from numba import types

from outplay.compile.native.frozen.kinds import FrozenSequence
from outplay.compile.native.game_type import compile_for, compiled_only, overload
from outplay.compile.native.internals.numba_names import refused

SMALL = 3_037_000_499
"""The largest int whose square fits 64 bits."""


@compiled_only
def _place(values: types.Type, item: types.Type, low: types.Type, high: types.Type, right: types.Type) -> Any:
    """In compiled code: where `bisect` puts an item."""
    if not isinstance(values, types.List | types.UniTuple | FrozenSequence | types.Array):
        return None
    if types.unliteral(values.dtype) != types.unliteral(item):
        raise refused("bisect of items of one type, for one of another: convert it first")

    def place(values: Any, item: Any, low: Any, high: Any, right: Any) -> Any:
        if low < 0:
            raise ValueError("lo must be non-negative")
        first, last = low, (len(values) if high is None else high)
        while first < last:
            middle = (first + last) // 2
            if middle >= len(values):
                raise IndexError("hi is beyond the end")
            if (item < values[middle]) if right else not (values[middle] < item):
                last = middle
            else:
                first = middle + 1
        return first

    return place


compile_for(
    types.Type,
    {
        bisect.bisect_left: lambda a, x, lo=0, hi=None: _place(a, x, lo, hi, False),
        bisect.bisect_right: lambda a, x, lo=0, hi=None: _place(a, x, lo, hi, True),
    },
)
compile_for(
    types.List,
    {
        bisect.insort_left: lambda a, x, lo=0, hi=None: a.insert(_place(a, x, lo, hi, False), x),
        bisect.insort_right: lambda a, x, lo=0, hi=None: a.insert(_place(a, x, lo, hi, True), x),
    },
)


@overload(operator.getitem)
def _implement_getitem(values: types.Type, place: types.Type) -> Any:
    if not isinstance(values, types.RangeType) or not isinstance(place, types.Integer):
        return None

    def item(values: Any, place: Any) -> Any:
        number = len(values)
        index = place + number if place < 0 else place
        if index < 0 or index >= number:
            raise IndexError("range object index out of range")
        return values.start + index * values.step

    return item


@compiled_only
def _times(a: types.Type, b: types.Type, modulus: types.Type) -> Any:
    """In compiled code: `a * b % modulus`, for ints from 0 to below `modulus`."""
    small = SMALL

    def product(a: Any, b: Any, modulus: Any) -> Any:
        if modulus <= small:
            return a * b % modulus
        total, power, rest = 0, a, b
        while rest > 0:  # sums below `modulus`, which do not overflow
            if rest & 1:
                total = total - (modulus - power) if total >= modulus - power else total + power
            power = power - (modulus - power) if power >= modulus - power else power + power
            rest >>= 1
        return total

    return product


@compiled_only
def _inverse(number: types.Type, modulus: types.Type) -> Any:
    """In compiled code: what gives 1 when it is multiplied by `number`, by Euclid's algorithm."""

    def inverse(number: Any, modulus: Any) -> Any:
        rest, before, factor, factor_before = modulus, number, 0, 1
        while rest != 0:
            times = before // rest
            before, rest = rest, before - times * rest
            factor_before, factor = factor, factor_before - times * factor
        if before != 1:
            raise ValueError("base is not invertible for the given modulus")
        return factor_before % modulus

    return inverse


@overload(pow)
def _implement_pow(base: types.Type, exp: types.Type, mod: types.Type) -> Any:
    whole = (types.int64, types.boolean)
    if not all(types.unliteral(argument) in whole for argument in (base, exp, mod)):
        return None

    def power(base: Any, exp: Any, mod: Any) -> Any:
        if mod == 0:
            raise ValueError("pow() 3rd argument cannot be 0")
        modulus = mod if mod > 0 else -mod
        power_so_far, square, rest = 1 % modulus, base % modulus, abs(exp)
        if exp < 0:
            square = _inverse(square, modulus)
        while rest > 0:
            if rest & 1:
                power_so_far = _times(power_so_far, square, modulus)
            square = _times(square, square, modulus)
            rest >>= 1
        return power_so_far + mod if mod < 0 and power_so_far != 0 else power_so_far

    return power
