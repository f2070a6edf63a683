"""Python's ints, which have 64 bits here, and cells of NumPy's arrays, which wrap in their own bits."""

import operator
from typing import Any

import numpy as np
from llvmlite import ir as llvm
from numba import types

from outplay.compile.native.internals.numba_names import as_dtype, cgutils, from_dtype, refused
from outplay.compile.native.semantics.floats import power_of_floats, test_whole
from outplay.compile.native.semantics.lost_cells import is_small
from outplay.compile.native.semantics.numbers_in_texts import int_of_text
from outplay.compile.native.semantics.plans import (
    BITS,
    BITWISE,
    BOOL,
    DIVISIONS,
    EXACT,
    FLOAT32,
    FLOAT64,
    INT64,
    OVERFLOWING,
    SHIFTS,
    SIMPLE,
    SYMBOLS,
    UINT64,
    Emit,
    Placed,
    Plan,
    cast_all,
    converted,
    delegate,
    fail_if,
    fits,
    in_range,
    literal_of,
)


def _wrapping(op: Any, typ: types.Integer) -> Emit:
    """An operator as NumPy computes it in the bits of `typ`, where results wrap around."""
    wide = UINT64 if typ == UINT64 else INT64

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        a, b = cast_all(context, builder, signature, values, typ)
        if op in SIMPLE:
            return getattr(builder, op.__name__)(a, b)
        if op in SHIFTS:
            return shifted(builder, op, a, b, typ)
        if op is not operator.pow:
            fail_if(context, builder, signature, builder.icmp_signed("==", b, b.type(0)), "division by zero")
        elif typ.signed:
            negative = builder.icmp_signed("<", b, b.type(0))
            fail_if(context, builder, signature, negative, "an integer to a negative power")
        return delegate(op, wide, wide)(context, builder, typ(typ, typ), (a, b))

    return emit


def shifted(builder: Any, op: Any, a: Any, b: Any, typ: types.Integer) -> Any:
    """`a` shifted by `b`, of the same width; a shift by the width or more leaves only the sign."""
    width = a.type.width
    if op is operator.rshift and typ.signed:
        return builder.ashr(a, _minimum(builder, b, b.type(width - 1)))
    is_within = builder.icmp_unsigned("<", b, b.type(width))
    within = builder.select(is_within, b, b.type(0))
    shift = builder.shl if op is operator.lshift else builder.lshr
    return builder.select(is_within, shift(a, within), a.type(0))


def _minimum(builder: Any, a: Any, b: Any) -> Any:
    """The smaller of two ints read as unsigned. Compared to a `select`, a test of one bit (`a >> b & 1`) is shorter."""
    form = llvm.FunctionType(a.type, (a.type, b.type))
    return builder.call(cgutils.get_or_insert_function(builder.module, form, f"llvm.umin.i{a.type.width}"), (a, b))


def _shift(op: Any, checked: bool) -> Emit:
    """A shift of Python ints."""

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        a, b = cast_all(context, builder, signature, values, INT64)
        result = shifted(builder, op, a, b, INT64)
        if checked:
            fail_if(context, builder, signature, builder.icmp_signed("<", b, b.type(0)), "negative shift count")
            if op is operator.lshift:
                back = shifted(builder, operator.rshift, result, b, INT64)
                is_lost = builder.icmp_signed("!=", back, a)
                fail_if(context, builder, signature, is_lost, "the result of << does not fit 64 bits")
        return result

    return emit


def _overflowing(op: Any) -> Emit:
    """`+`, `-` and `*` of Python ints, which raise if the result does not fit."""

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        a, b = cast_all(context, builder, signature, values, INT64)
        pair = getattr(builder, OVERFLOWING[op])(a, b)
        fault = f"the result of {SYMBOLS[op]} does not fit 64 bits"
        fail_if(context, builder, signature, builder.extract_value(pair, 1), fault)
        return builder.extract_value(pair, 0)

    return emit


def is_least(builder: Any, value: Any) -> Any:
    """Whether this is -2**63, which has no opposite in 64 bits."""
    return builder.icmp_signed("==", value, value.type(-(2**63)))


def _division(op: Any, wide: types.Type, checked: bool) -> Emit:
    """Division, which raises for zero; `/` of ints is Python's if floats represent both exactly."""

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        a, b = cast_all(context, builder, signature, values, wide)
        if isinstance(wide, types.Float):
            is_zero = builder.fcmp_ordered("==", b, b.type(0.0))
        else:
            is_zero = builder.icmp_signed("==", b, b.type(0))
        fail_if(context, builder, signature, is_zero, "division by zero")
        if checked and wide == INT64:
            if op is operator.truediv:
                for value in (a, b):
                    size = builder.select(builder.icmp_signed("<", value, value.type(0)), builder.neg(value), value)
                    is_huge = builder.icmp_unsigned(">", size, value.type(EXACT))
                    fail_if(context, builder, signature, is_huge, "/ of ints above 2**53 is not exact")
            elif op is operator.floordiv:
                is_lost = builder.and_(is_least(builder, a), builder.icmp_signed("==", b, b.type(-1)))
                fail_if(context, builder, signature, is_lost, "the result of // does not fit 64 bits")
        return delegate(op, wide, wide)(context, builder, signature.return_type(wide, wide), (a, b))

    return emit


def quotient_and_rest(a: types.Type, b: types.Type, checked: bool) -> Plan | None:
    """`divmod` as `//` and `%`."""
    quotient, rest = (arithmetic(op, a, b, checked) for op in (operator.floordiv, operator.mod))
    if quotient is None or rest is None:
        return None

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        parts = [part.emit(context, builder, Placed(part, signature.place), values) for part in (quotient, rest)]
        return context.make_tuple(builder, signature.return_type, parts)

    return Plan(types.UniTuple(quotient.result, 2), quotient.args, emit)


def _power_of_ints(checked: bool, exponent: int | None) -> Emit:
    """`a ** b` of Python ints as an int; a negative `b` raises, since Python's result is a float."""

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        a, b = cast_all(context, builder, signature, values, INT64)
        if exponent is None:
            fault = "an int to a negative power is a float: write float(a) ** b"
            fail_if(context, builder, signature, builder.icmp_signed("<", b, b.type(0)), fault)
        if checked:
            real = FLOAT64(INT64, INT64)
            size = delegate(operator.pow, FLOAT64, FLOAT64)(context, builder, real, (a, b))
            limit = size.type(2.0**63)
            is_out = builder.or_(
                builder.fcmp_unordered(">=", size, limit), builder.fcmp_unordered("<", size, size.type(-(2.0**63)))
            )
            is_out = builder.and_(is_out, builder.icmp_signed(">", b, b.type(1)))
            fail_if(context, builder, signature, is_out, "the result of ** does not fit 64 bits")
        if exponent is not None:  # a chain of multiplications
            result, square, rest = a.type(1), a, exponent
            while rest:
                if rest & 1:
                    result = builder.mul(result, square)
                rest >>= 1
                square = builder.mul(square, square) if rest else square
            return result
        return delegate(operator.pow, INT64, INT64)(context, builder, INT64(INT64, INT64), (a, b))

    return emit


def _fitting(op: Any, small: types.Integer, wide: Emit, which: int) -> Emit:
    """In checked mode: a cell and an int; NumPy's result has the bits of the cell if the int is Python's."""

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        number = context.cast(builder, values[1 - which], signature.args[1 - which], INT64)
        remedy = f"NumPy computes {SYMBOLS[op]} of an {small} cell and an int in {small}: write int(cell)"
        if op not in SHIFTS or which == 1:
            is_out = builder.not_(in_range(builder, number, small))
            fail_if(context, builder, signature, is_out, f"the int does not fit {small}; {remedy}")
        result = wide(context, builder, signature, values)
        is_out = builder.not_(in_range(builder, result, small))
        fail_if(context, builder, signature, is_out, f"the result does not fit {small}; {remedy}")
        return result

    return emit


def _nonnegative(op: Any, wrapping: Emit) -> Emit:
    """In checked mode: numpy.uint64 and an int, which must not be negative."""

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        for value, typ in zip(values, signature.args, strict=True):
            if typ == INT64:
                is_negative = builder.icmp_signed("<", value, value.type(0))
                fail_if(context, builder, signature, is_negative, f"numpy.uint64 {SYMBOLS[op]} a negative int")
        return wrapping(context, builder, signature, values)

    return emit


def arithmetic(op: Any, a: types.Type, b: types.Type, checked: bool) -> Plan | None:
    """The plan of an operator on two numbers; None if Numba's is right."""
    symbol = SYMBOLS[op]
    literals = literal_of(a), literal_of(b)
    operands = types.unliteral(a), types.unliteral(b)
    if types.float32 in operands or any(isinstance(typ, types.Float) and typ.bitwidth == 16 for typ in operands):
        if operands == (FLOAT32, FLOAT32) and op in (operator.add, operator.sub, operator.mul, operator.truediv):
            return None
        raise refused(f"{symbol} of a numpy.float32 and {operands[operands[0] == FLOAT32]}: write float(cell)")
    if FLOAT64 in operands:
        if not all(isinstance(typ, (types.Integer, types.Boolean)) or typ == FLOAT64 for typ in operands):
            return None
        if op in DIVISIONS:
            return Plan(FLOAT64, operands, _division(op, FLOAT64, checked))
        return Plan(FLOAT64, operands, power_of_floats) if op is operator.pow else None
    if not all(isinstance(typ, (types.Integer, types.Boolean)) for typ in operands):
        return None
    if operands == (BOOL, BOOL):
        if op in BITWISE:
            return None
        if op is operator.truediv:
            return Plan(FLOAT64, operands, _division(op, FLOAT64, checked))
        if op is operator.add:
            raise refused("+ of two bools, up to 2 in Python and 1 in NumPy: write int(a) + int(b)")
        return _of_ints(op, operands, literals, checked)
    for literal, other in zip(literals, reversed(operands), strict=True):
        if literal is not None and not fits(literal, INT64) and other != UINT64:
            raise refused(f"{symbol} with {literal}, which does not fit 64 bits with a sign")
    sizes = [typ for typ in operands if is_small(typ) or typ == UINT64]
    if not sizes:
        return _of_ints(op, operands, literals, checked)
    if op is operator.truediv:
        return Plan(FLOAT64, operands, _division(op, FLOAT64, False))
    if all(typ in sizes or typ == BOOL for typ in operands):  # both are NumPy's
        is_literal = literals != (None, None)  # a 64-bit literal and a uint64
        typ = sizes[0] if is_literal else from_dtype(np.result_type(*map(as_dtype, operands)))
        if not isinstance(typ, types.Integer):
            raise refused(f"{symbol} of {operands[0]} and {operands[1]}, a float in NumPy: write int(cell)")
        return Plan(typ, operands, _wrapping(op, typ))
    which = int(operands[1] in sizes)
    cell, literal = sizes[0], literals[1 - which]
    if literal is not None:
        if not fits(literal, cell):
            raise refused(f"{symbol} of {cell} and {literal}, which does not fit {cell}: write int(cell)")
        return Plan(cell, operands, _wrapping(op, cell))
    if cell == UINT64:
        if op not in BITWISE and op not in SHIFTS:
            raise refused(f"{symbol} of an int and a numpy.uint64 or an int above 2**63: write numpy.uint64(number)")
        wrapping = _wrapping(op, UINT64)
        return Plan(UINT64, operands, _nonnegative(op, wrapping) if checked else wrapping)
    plan = _of_ints(op, (INT64, INT64), (None, None), checked)
    emit = plan.emit if plan is not None else delegate(op, INT64, INT64)
    return Plan(INT64, operands, _fitting(op, cell, emit, which) if checked else emit)


def _of_ints(op: Any, operands: Any, literals: Any, checked: bool) -> Plan | None:
    """The plan of an operator on two Python ints, one of which may be a bool."""
    if op is operator.truediv:
        return Plan(FLOAT64, operands, _division(op, INT64, checked))
    if op in DIVISIONS:
        return Plan(INT64, operands, _division(op, INT64, checked))
    if op is operator.pow:
        exponent = literals[1]
        if exponent is not None and exponent < 0:
            return Plan(FLOAT64, operands, power_of_floats)
        is_short = exponent is not None and exponent <= BITS
        return Plan(INT64, operands, _power_of_ints(checked, exponent if is_short else None))
    if op in SHIFTS:
        if literals[1] is not None and literals[1] < 0:
            raise refused("negative shift count")
        if literals[1] is not None and literals[1] < BITS and not checked and BOOL not in operands:
            return None
        return Plan(INT64, operands, _shift(op, checked))
    if op in BITWISE or not checked:
        return Plan(INT64, operands, delegate(op, INT64, INT64)) if operands == (BOOL, BOOL) else None
    return Plan(INT64, operands, _overflowing(op))


def unary(op: Any, a: types.Type, checked: bool) -> Plan | None:
    """The plan of `-`, `+` or `~`; None if Numba's is right."""
    operand = types.unliteral(a)
    if isinstance(operand, types.Boolean):
        if op is operator.invert:
            raise refused("~ of a bool: write `not x`, or ~int(x)")
        return Plan(INT64, (operand,), _negated(op, INT64, False))
    if isinstance(operand, types.Integer) and (operand != INT64 or (checked and op is operator.neg)):
        return Plan(operand, (operand,), _negated(op, operand, checked and operand == INT64))
    return None


def _negated(op: Any, typ: types.Integer, checked: bool) -> Emit:
    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        value = context.cast(builder, values[0], signature.args[0], typ)
        if checked:
            fail_if(context, builder, signature, is_least(builder, value), "the result of - does not fit 64 bits")
        return {operator.neg: builder.neg, operator.invert: builder.not_, operator.pos: lambda x: x}[op](value)

    return emit


def absolute(number: types.Type, checked: bool) -> Plan | None:
    """The plan of `abs` of an int."""
    number = types.unliteral(number)
    if not isinstance(number, (types.Integer, types.Boolean)):
        return None
    typ = INT64 if isinstance(number, types.Boolean) else number

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        value = context.cast(builder, values[0], signature.args[0], typ)
        if not typ.signed:
            return value
        if checked and typ == INT64:
            fail_if(context, builder, signature, is_least(builder, value), "the result of abs does not fit 64 bits")
        return builder.select(builder.icmp_signed("<", value, value.type(0)), builder.neg(value), value)

    return Plan(typ, (number,), emit)


def to_int(value_type: types.Type) -> Plan | None:
    """The plan of `int(x)`: of a float that fits 64 bits, or of a cell, whose bits no longer limit results."""
    value_type = types.unliteral(value_type)
    if isinstance(value_type, types.UnicodeType):
        return int_of_text(value_type)
    if value_type == UINT64:

        def unsigned(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
            is_out = builder.icmp_signed("<", values[0], values[0].type(0))
            fail_if(context, builder, signature, is_out, "int() of a numpy.uint64 of 2**63 or more")
            return values[0]

        return Plan(INT64, (UINT64,), unsigned)
    if isinstance(value_type, types.Float):

        def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
            value = context.cast(builder, values[0], signature.args[0], FLOAT64)
            test_whole(context, builder, signature, value)
            return builder.fptosi(value, llvm.IntType(BITS))

        return Plan(INT64, (value_type,), emit)
    if isinstance(value_type, types.Boolean) or is_small(value_type):
        return converted(value_type, INT64)
    return None


def to_float(value_type: types.Type) -> Plan | None:
    """The plan of `float(x)` of a bool or of a cell with fewer bits: a float of Python, with 64."""
    return converted(value_type, FLOAT64) if value_type in (FLOAT32, BOOL) else None


def to_rounded(args: tuple[types.Type, ...]) -> Plan | None:
    """The plan of `round` of a number."""
    if len(args) == 1 and isinstance(args[0], types.Integer | types.Boolean):
        return to_int(args[0]) or Plan(INT64, (INT64,), lambda context, builder, signature, values: values[0])
    if len(args) != 1 or not isinstance(args[0], types.Float):
        return None
    plain = delegate(round, FLOAT64)

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        value = context.cast(builder, values[0], signature.args[0], FLOAT64)
        test_whole(context, builder, signature, value)
        return plain(context, builder, signature.return_type(FLOAT64), (value,))

    return Plan(INT64, args, emit)
