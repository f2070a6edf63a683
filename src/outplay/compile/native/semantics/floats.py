"""Floats: undefined and too large results raise, as in Python."""

import math
from typing import Any

from llvmlite import ir as llvm
from numba import types

from outplay.compile.native.internals.numba_names import cgutils
from outplay.compile.native.semantics.plans import (
    FLOAT64,
    INT64,
    Placed,
    Plan,
    cast_all,
    converted,
    delegate,
    fail_if,
    is_finite,
)


def _defined(context: Any, builder: Any, signature: Placed, result: Any, values: Any, fault: str) -> None:
    """Raise, as Python does, if the result is NaN without a NaN argument, or infinite for finite arguments."""
    is_number = builder.fcmp_ordered("ord", result, result)
    were_numbers, were_finite = cgutils.true_bit, cgutils.true_bit
    with cgutils.if_unlikely(builder, builder.not_(is_finite(builder, result))):
        for value in values:
            were_numbers = builder.and_(were_numbers, builder.fcmp_ordered("ord", value, value))
            were_finite = builder.and_(were_finite, is_finite(builder, value))
        is_undefined = builder.or_(builder.and_(builder.not_(is_number), were_numbers), were_finite)
        fail_if(context, builder, signature, is_undefined, fault)


def power_of_floats(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
    """`a ** b`, as the C library computes it; it raises if the result is not a float."""
    a, b = cast_all(context, builder, signature, values, FLOAT64)
    power = cgutils.get_or_insert_function(builder.module, llvm.FunctionType(a.type, (a.type, a.type)), "outplay_pow")
    result = builder.call(power, (a, b))
    _defined(context, builder, signature, result, (a, b), "the result of **, or math.pow, is not a float")
    return result


def of_math(function: Any, arg_types: tuple[types.Type, ...]) -> Plan | None:
    """A function of `math`, which raises if its result is undefined or too large."""
    if not all(isinstance(typ, (types.Integer, types.Boolean, types.Float)) for typ in arg_types):
        return None
    arg_types = tuple(map(types.unliteral, arg_types))
    if function is math.pow:
        return Plan(FLOAT64, arg_types, power_of_floats) if len(arg_types) == 2 else None
    whole = function in (math.floor, math.ceil, math.trunc)
    if whole and not any(isinstance(typ, types.Float) for typ in arg_types):
        return converted(arg_types[0], INT64)
    wide = (FLOAT64,) * len(arg_types)
    plain = delegate(function, *wide)

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        values = cast_all(context, builder, signature, values, FLOAT64)
        if whole:
            test_whole(context, builder, signature, values[0])
        result = plain(context, builder, signature.return_type(*wide), values)
        if signature.return_type == FLOAT64:
            fault = f"math.{function.__name__} of this is undefined or too large"
            _defined(context, builder, signature, result, values, fault)
        return result

    return Plan(INT64 if whole else FLOAT64, arg_types, emit)


def test_whole(context: Any, builder: Any, signature: Placed, value: Any) -> None:
    """Raise for a float that does not fit a 64-bit int."""
    is_below = builder.fcmp_ordered("<", value, value.type(2.0**63))
    is_in = builder.and_(is_below, builder.fcmp_ordered(">=", value, value.type(-(2.0**63))))
    fail_if(context, builder, signature, builder.not_(is_in), "this float is not an int of 64 bits")
