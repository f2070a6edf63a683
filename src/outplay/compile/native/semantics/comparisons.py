"""Comparisons of numbers of different types, exactly as in Python."""

import operator
from typing import Any

from numba import types

from outplay.compile.native.internals.numba_names import cgutils, refused
from outplay.compile.native.semantics.plans import (
    BOOL,
    COMPARISONS,
    FLOAT32,
    FLOAT64,
    INT64,
    UINT64,
    Emit,
    Placed,
    Plan,
)


def comparison(op: Any, a: types.Type, b: types.Type) -> Plan | None:
    """The plan of a comparison; None if Numba's is right."""
    kinds = types.unliteral(a), types.unliteral(b)
    if not all(isinstance(typ, (types.Number, types.Boolean)) for typ in kinds):
        return None
    if FLOAT32 in kinds and kinds != (FLOAT32, FLOAT32):
        raise refused(f"{COMPARISONS[op]} of a numpy.float32 and {kinds[kinds[0] == FLOAT32]}: write float(cell)")
    if FLOAT64 in kinds:
        real_at = int(kinds[0] == FLOAT64)
        return Plan(BOOL, kinds, _int_and_float(op, real_at)) if kinds[real_at] in (INT64, UINT64) else None
    signed = [isinstance(typ, types.Integer) and typ.signed for typ in kinds]
    if UINT64 in kinds and any(signed):
        return Plan(BOOL, kinds, _signed_and_unsigned(op, signed.index(True)))
    return None


def _int_and_float(op: Any, which: int) -> Emit:
    """A 64-bit int compared exactly with a float; `which` is the index of the int."""
    symbol = COMPARISONS[op]

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        typ, number, real = signature.args[which], values[which], values[1 - which]
        rounded = context.cast(builder, number, typ, FLOAT64)
        pair = (rounded, real) if which == 0 else (real, rounded)
        compare = builder.fcmp_unordered if op is operator.ne else builder.fcmp_ordered
        rough = compare(symbol, *pair)
        # Rounded to a float, the int may become equal to `real` but never pass it; if equal, compare as ints.
        top = real.type(2.0 ** (63 if typ.signed else 64))
        is_top = builder.fcmp_ordered(">=", real, top)
        safe = builder.select(is_top, real.type(0.0), real)
        convert = builder.fptosi if typ.signed else builder.fptoui
        equal = builder.fcmp_ordered("==", rounded, real)
        digits = convert(builder.select(equal, safe, real.type(0.0)), number.type)
        order = builder.icmp_signed if typ.signed else builder.icmp_unsigned
        exact = order(symbol, *((number, digits) if which == 0 else (digits, number)))
        is_less = op in ((operator.lt, operator.le, operator.ne), (operator.gt, operator.ge, operator.ne))[which]
        exact = builder.select(is_top, cgutils.bool_t(is_less), exact)
        return builder.select(equal, exact, rough)

    return emit


def _signed_and_unsigned(op: Any, which: int) -> Emit:
    """A signed int compared exactly with a uint64; `which` is the index of the signed one."""

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        number = context.cast(builder, values[which], signature.args[which], INT64)
        unsigned = context.cast(builder, values[1 - which], signature.args[1 - which], UINT64)
        is_negative = builder.icmp_signed("<", number, number.type(0))
        pair = (number, unsigned) if which == 0 else (unsigned, number)
        is_less = op in ((operator.lt, operator.le, operator.ne), (operator.gt, operator.ge, operator.ne))[which]
        return builder.select(is_negative, cgutils.bool_t(is_less), builder.icmp_unsigned(COMPARISONS[op], *pair))

    return emit
