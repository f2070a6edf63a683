"""The meaning of Python in compiled rules: where Numba computes something else, what Python says is done instead.

Numba's numbers differ from Python's and NumPy's at the edges: a shift by 64 or more, a small integer out of an array,
`math.sqrt(-1)`, a local that was never assigned. In users' rules each operator and some functions are replaced by
twins of our own. Once types are known, a twin is one of four things:

- the plain operator again, so that the machine code is what it was: nearly always;
- code of our own, which gives what Python gives or raises where Python raises;
- refused, if the two speeds could differ and the types alone show it: the rules then run interpreted;
- in checked mode, code that also raises where a result does not fit its bits and where an index lies outside.

Start at `Twins`, the pass before types are known, and `Settle`, the one after. `plan` decides.
"""

import builtins
import copy
import functools
import math
import operator
import os
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir as llvm
from numba import njit, types
from numba.core import cgutils, errors, ir
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.imputils import lower_builtin
from numba.core.ir_utils import convert_code_obj_to_function, get_definition, guard, mk_unique_var
from numba.core.registry import cpu_target
from numba.core.typing.templates import AbstractTemplate, Signature, builtin_registry
from numba.extending import models, register_model
from numba.np.numpy_support import as_dtype, from_dtype

from outplay import bits
from outplay.compile import stack
from outplay.compile.game_type import PASSES_OF_RULES, pipeline_of_rules
from outplay.compile.sorting import stable_sort, stable_sorted, sum_of_cells
from outplay.errors import RulesError

BITS = 64
INT64, UINT64, FLOAT64, FLOAT32, BOOL = types.int64, types.uint64, types.float64, types.float32, types.boolean
EXACT = 2**53
"""Up to here every int is a float."""

Emit = Callable[[Any, Any, "Placed", Any], Any]  # (context, builder, signature, values) -> value


@dataclass(frozen=True)
class Plan:
    """What a twin does for arguments of certain types: the type of its result, and how that is computed."""

    result: types.Type
    args: tuple[types.Type, ...]
    emit: Emit


class Placed(Signature):
    """A signature that knows how it is computed, and where in the rules that is."""

    __slots__ = ("place", "plan")

    def __init__(self, plan: Plan, place: str) -> None:
        super().__init__(plan.result, plan.args, None)
        self.plan, self.place = plan, place


def _refuse(reason: str) -> errors.TypingError:
    return errors.TypingError(f"NotNative: {reason}")


def fail(context: Any, builder: Any, signature: Placed, what: str) -> None:
    """Raise `RulesError` with the rule and the file, in checked mode with the line."""
    if ", line " not in signature.place:
        what += "; with OUTPLAY_CHECKED=1 this message names the line"
    context.call_conv.return_user_exc(builder, RulesError, (f"{signature.place}: {what}",))


def fail_if(context: Any, builder: Any, signature: Placed, condition: Any, what: str) -> None:
    """The same where `condition` holds, which is rare."""
    with cgutils.if_unlikely(builder, condition):
        fail(context, builder, signature, what)


# -- integers ---------------------------------------------------------------------------------------------------------


SYMBOLS: dict[Any, str] = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.floordiv: "//",
    operator.mod: "%",
    operator.pow: "**",
    operator.lshift: "<<",
    operator.rshift: ">>",
    operator.and_: "&",
    operator.or_: "|",
    operator.xor: "^",
}
COMPARISONS: dict[Any, str] = {
    operator.eq: "==",
    operator.ne: "!=",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
}
UNARY = {operator.neg: "-", operator.pos: "+", operator.invert: "~"}
INPLACE = {
    operator.iadd: operator.add,
    operator.isub: operator.sub,
    operator.imul: operator.mul,
    operator.itruediv: operator.truediv,
    operator.ifloordiv: operator.floordiv,
    operator.imod: operator.mod,
    operator.ipow: operator.pow,
    operator.ilshift: operator.lshift,
    operator.irshift: operator.rshift,
    operator.iand: operator.and_,
    operator.ior: operator.or_,
    operator.ixor: operator.xor,
}
BITWISE = (operator.and_, operator.or_, operator.xor)
SHIFTS = (operator.lshift, operator.rshift)
DIVISIONS = (operator.truediv, operator.floordiv, operator.mod)


def _is_small(typ: types.Type) -> bool:
    """Whether NumPy computes with such a cell in fewer than 64 bits."""
    return isinstance(typ, types.Integer) and typ.bitwidth < BITS


def _fits(value: int, typ: types.Integer) -> bool:
    return bool(typ.minval <= value <= typ.maxval)


def _literal(typ: types.Type) -> int | None:
    return typ.literal_value if isinstance(typ, types.IntegerLiteral) else None


def _delegate(plain: Any, *given: types.Type) -> Emit:
    """The code of the plain operator, for arguments cast to these types."""

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        found = context.typing_context.resolve_function_type(plain, given, {})
        values = [
            context.cast(builder, value, have, want)
            for value, have, want in zip(values, signature.args, found.args, strict=True)
        ]
        function = context.typing_context.resolve_value_type(plain)
        return context.cast(
            builder,
            context.get_function(function, found)(builder, values),
            found.return_type,
            signature.return_type,
        )

    return emit


def _in_range(builder: Any, value: Any, typ: types.Integer) -> Any:
    """Whether an int64 fits a smaller type."""
    if typ == UINT64:
        return builder.icmp_signed(">=", value, value.type(0))
    low = builder.icmp_signed(">=", value, value.type(typ.minval))
    return builder.and_(low, builder.icmp_signed("<=", value, value.type(typ.maxval)))


def _cast(context: Any, builder: Any, signature: Placed, values: Any, typ: types.Type) -> list[Any]:
    """The arguments as values of this type."""
    return [context.cast(builder, value, have, typ) for value, have in zip(values, signature.args, strict=True)]


def _wrapping(op: Any, typ: types.Integer) -> Emit:
    """What NumPy computes in the bits of `typ`, where results wrap around."""
    wide = UINT64 if typ == UINT64 else INT64

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        a, b = _cast(context, builder, signature, values, typ)
        simple = {
            operator.add: builder.add,
            operator.sub: builder.sub,
            operator.mul: builder.mul,
            operator.and_: builder.and_,
            operator.or_: builder.or_,
            operator.xor: builder.xor,
        }
        if op in simple:
            return simple[op](a, b)
        if op in SHIFTS:
            return _shifted(builder, op, a, b, typ)
        inner = copy.copy(signature)
        inner._args = (typ, typ)
        if op is not operator.pow:
            fail_if(context, builder, signature, builder.icmp_signed("==", b, b.type(0)), "division by zero")
        elif typ.signed:
            negative = builder.icmp_signed("<", b, b.type(0))
            fail_if(context, builder, signature, negative, "an integer to a negative power")
        inner._return_type = typ
        return _delegate(op, wide, wide)(context, builder, inner, (a, b))

    return emit


def _shifted(builder: Any, op: Any, a: Any, b: Any, typ: types.Integer) -> Any:
    """`a` shifted by `b`, of the same width; by all its bits and more, nothing but the sign is left."""
    width = a.type.width
    is_within = builder.icmp_unsigned("<", b, b.type(width))
    if op is operator.lshift:
        within = builder.select(is_within, b, b.type(0))
        return builder.select(is_within, builder.shl(a, within), a.type(0))
    if typ.signed:
        return builder.ashr(a, builder.select(is_within, b, b.type(width - 1)))
    within = builder.select(is_within, b, b.type(0))
    return builder.select(is_within, builder.lshr(a, within), a.type(0))


def _as_int64(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
    return [context.cast(builder, value, have, INT64) for value, have in zip(values, signature.args, strict=True)]


def _shift(op: Any, checked: bool) -> Emit:
    """A shift of Python ints."""

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        a, b = _as_int64(context, builder, signature, values)
        result = _shifted(builder, op, a, b, INT64)
        if checked:
            fail_if(context, builder, signature, builder.icmp_signed("<", b, b.type(0)), "negative shift count")
            if op is operator.lshift:
                back = _shifted(builder, operator.rshift, result, b, INT64)
                is_lost = builder.icmp_signed("!=", back, a)
                fail_if(context, builder, signature, is_lost, "the result of << does not fit 64 bits")
        return result

    return emit


def _overflowing(op: Any) -> Emit:
    """`+`, `-` and `*` of Python ints, which raise where the result does not fit."""
    name = {operator.add: "sadd", operator.sub: "ssub", operator.mul: "smul"}[op]

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        a, b = _as_int64(context, builder, signature, values)
        pair = getattr(builder, f"{name}_with_overflow")(a, b)
        what = f"the result of {SYMBOLS[op]} does not fit 64 bits"
        fail_if(context, builder, signature, builder.extract_value(pair, 1), what)
        return builder.extract_value(pair, 0)

    return emit


def _least(builder: Any, value: Any) -> Any:
    return builder.icmp_signed("==", value, value.type(-(2**63)))


def _division(op: Any, wide: types.Type, checked: bool) -> Emit:
    """Division, which raises for zero; a quotient of ints is that of Python where both are floats too."""

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        a, b = (context.cast(builder, value, have, wide) for value, have in zip(values, signature.args, strict=True))
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
                is_lost = builder.and_(_least(builder, a), builder.icmp_signed("==", b, b.type(-1)))
                fail_if(context, builder, signature, is_lost, "the result of // does not fit 64 bits")
        inner = copy.copy(signature)
        inner._args = (wide, wide)
        return _delegate(op, wide, wide)(context, builder, inner, (a, b))

    return emit


def _quotient_and_rest(a: types.Type, b: types.Type, checked: bool) -> Plan | None:
    """`divmod` as `//` and `%`."""
    quotient, rest = (_arithmetic(op, a, b, checked) for op in (operator.floordiv, operator.mod))
    if quotient is None or rest is None:
        return None

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        parts = [part.emit(context, builder, Placed(part, signature.place), values) for part in (quotient, rest)]
        return context.make_tuple(builder, signature.return_type, parts)

    return Plan(types.UniTuple(quotient.result, 2), quotient.args, emit)


def _power_of_ints(checked: bool, exponent: int | None) -> Emit:
    """`a ** b` of Python ints as an int; for a negative `b` Python's result is a float, so that raises."""

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        a, b = _as_int64(context, builder, signature, values)
        if exponent is None:
            what = "an int to a negative power is a float: write float(a) ** b"
            fail_if(context, builder, signature, builder.icmp_signed("<", b, b.type(0)), what)
        inner = copy.copy(signature)
        inner._args, inner._return_type = (INT64, INT64), INT64
        if checked:
            real = copy.copy(inner)
            real._return_type = FLOAT64
            size = _delegate(operator.pow, FLOAT64, FLOAT64)(context, builder, real, (a, b))
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
        return _delegate(operator.pow, INT64, INT64)(context, builder, inner, (a, b))

    return emit


def _fitting(op: Any, small: types.Integer, wide: Emit, which: int) -> Emit:
    """In checked mode: a cell and an int, where NumPy's result has the bits of the cell if the int is Python's."""

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        number = context.cast(builder, values[1 - which], signature.args[1 - which], INT64)
        remedy = f"NumPy computes {SYMBOLS[op]} of an {small} cell and an int in {small}: write int(cell)"
        if op not in SHIFTS or which == 1:
            is_out = builder.not_(_in_range(builder, number, small))
            fail_if(context, builder, signature, is_out, f"the int does not fit {small}; {remedy}")
        result = wide(context, builder, signature, values)
        is_out = builder.not_(_in_range(builder, result, small))
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


def _arithmetic(op: Any, a: types.Type, b: types.Type, checked: bool) -> Plan | None:
    """What an operator does with two numbers; None: what Numba does."""
    symbol = SYMBOLS[op]
    literals = _literal(a), _literal(b)
    given = types.unliteral(a), types.unliteral(b)
    if types.float32 in given or any(isinstance(typ, types.Float) and typ.bitwidth == 16 for typ in given):
        if given == (FLOAT32, FLOAT32) and op in (operator.add, operator.sub, operator.mul, operator.truediv):
            return None
        raise _refuse(f"{symbol} of a numpy.float32 and {given[given[0] == FLOAT32]}: write float(cell)")
    if FLOAT64 in given:
        if not all(isinstance(typ, (types.Integer, types.Boolean)) or typ == FLOAT64 for typ in given):
            return None
        if op in DIVISIONS:
            return Plan(FLOAT64, given, _division(op, FLOAT64, checked))
        return Plan(FLOAT64, given, _power_of_floats) if op is operator.pow else None
    if not all(isinstance(typ, (types.Integer, types.Boolean)) for typ in given):
        return None
    if given == (BOOL, BOOL):
        if op in BITWISE:
            return None
        if op is operator.truediv:
            return Plan(FLOAT64, given, _division(op, FLOAT64, checked))
        if op is operator.add:
            raise _refuse("+ of two bools, 2 at most to Python and 1 to NumPy: write int(a) + int(b)")
        return _of_ints(op, given, literals, checked)
    for literal, other in zip(literals, reversed(given), strict=True):
        if literal is not None and not _fits(literal, INT64) and other != UINT64:
            raise _refuse(f"{symbol} with {literal}, which does not fit 64 bits with a sign")
    sizes = [typ for typ in given if _is_small(typ) or typ == UINT64]
    if not sizes:
        return _of_ints(op, given, literals, checked)
    if op is operator.truediv:
        return Plan(FLOAT64, given, _division(op, FLOAT64, False))
    if all(typ in sizes or typ == BOOL for typ in given):  # two of NumPy's
        if None not in literals or any(literal is not None for literal in literals):
            typ = sizes[0]  # a literal of 64 bits beside a uint64
        else:
            typ = from_dtype(np.result_type(*map(as_dtype, given)))
        if not isinstance(typ, types.Integer):
            raise _refuse(f"{symbol} of {given[0]} and {given[1]}, a float to NumPy: write int(cell)")
        return Plan(typ, given, _wrapping(op, typ))
    which = int(given[1] in sizes)
    cell, literal = sizes[0], literals[1 - which]
    if literal is not None:
        if not _fits(literal, cell):
            raise _refuse(f"{symbol} of {cell} and {literal}, which does not fit {cell}: write int(cell)")
        return Plan(cell, given, _wrapping(op, cell))
    if cell == UINT64:
        if op not in BITWISE and op not in SHIFTS:
            raise _refuse(f"{symbol} of an int and a numpy.uint64 or an int above 2**63: write numpy.uint64(number)")
        wrapping = _wrapping(op, UINT64)
        return Plan(UINT64, given, _nonnegative(op, wrapping) if checked else wrapping)
    plan = _of_ints(op, (INT64, INT64), (None, None), checked)
    emit = plan.emit if plan is not None else _delegate(op, INT64, INT64)
    return Plan(INT64, given, _fitting(op, cell, emit, which) if checked else emit)


def _of_ints(op: Any, given: Any, literals: Any, checked: bool) -> Plan | None:
    """What an operator does with two Python ints, one of which may be a bool."""
    if op is operator.truediv:
        return Plan(FLOAT64, given, _division(op, INT64, checked))
    if op in DIVISIONS:
        return Plan(INT64, given, _division(op, INT64, checked))
    if op is operator.pow:
        exponent = literals[1]
        if exponent is not None and exponent < 0:
            return Plan(FLOAT64, given, _power_of_floats)
        if exponent is not None and exponent > BITS:
            exponent = None
        return Plan(INT64, given, _power_of_ints(checked, exponent))
    if op in SHIFTS:
        if literals[1] is not None and literals[1] < 0:
            raise _refuse("negative shift count")
        if literals[1] is not None and literals[1] < BITS and not checked and BOOL not in given:
            return None
        return Plan(INT64, given, _shift(op, checked))
    if op in BITWISE or not checked:
        return Plan(INT64, given, _delegate(op, INT64, INT64)) if given == (BOOL, BOOL) else None
    return Plan(INT64, given, _overflowing(op))


# -- bit boards: what is cut off by a mask need not fit ---------------------------------------------------------------


PARTIAL = types.Tuple((INT64, BOOL))
"""In checked mode: the lowest 64 bits of an int, and whether it has more."""
MODULAR = (operator.add, operator.sub, operator.mul, operator.lshift, *BITWISE, operator.invert, operator.neg)
"""The lowest 64 bits of the result depend on those of the operands alone."""


def _partial(op: Any, given: tuple[types.Type, ...], is_final: bool) -> Plan:
    """An operator on the lowest 64 bits; the result must fit them where `is_final`."""

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        parts = [
            cgutils.unpack_tuple(builder, value)
            if typ == PARTIAL
            else [context.cast(builder, value, typ, INT64), cgutils.false_bit]
            for value, typ in zip(values, signature.args, strict=True)
        ]
        (a, a_more), (b, b_more) = parts[0], parts[-1]
        a_more, b_more = (builder.trunc(more, cgutils.bool_t) for more in (a_more, b_more))
        more = builder.or_(a_more, b_more)
        if op in (operator.add, operator.sub, operator.mul):
            name = {operator.add: "sadd", operator.sub: "ssub", operator.mul: "smul"}[op]
            pair = getattr(builder, f"{name}_with_overflow")(a, b)
            result, more = builder.extract_value(pair, 0), builder.or_(more, builder.extract_value(pair, 1))
        elif op is operator.lshift:
            fail_if(context, builder, signature, builder.icmp_signed("<", b, b.type(0)), "negative shift count")
            result = _shifted(builder, op, a, b, INT64)
            back = _shifted(builder, operator.rshift, result, b, INT64)
            more = builder.or_(more, builder.icmp_signed("!=", back, a))
        elif op is operator.and_:
            result = builder.and_(a, b)
            a_kept = builder.or_(b_more, builder.icmp_signed("<", b, b.type(0)))
            b_kept = builder.or_(a_more, builder.icmp_signed("<", a, a.type(0)))
            more = builder.or_(builder.and_(a_more, a_kept), builder.and_(b_more, b_kept))
        elif op is operator.neg:
            result, more = builder.neg(a), builder.or_(more, _least(builder, a))
        elif op is operator.invert:
            result = builder.not_(a)
        else:
            result = (builder.or_ if op is operator.or_ else builder.xor)(a, b)
        if is_final:
            symbol = SYMBOLS.get(op) or UNARY[op]
            fail_if(context, builder, signature, more, f"the result of {symbol} does not fit 64 bits")
            return result
        return cgutils.pack_struct(builder, [result, context.cast(builder, more, BOOL, BOOL)])

    return Plan(INT64 if is_final else PARTIAL, given, emit)


def _wrapped(op: Any, given: tuple[types.Type, ...]) -> Plan:
    """`+`, `-` and `*` of which only the lowest bits count."""

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        a, b = _cast(context, builder, signature, values, INT64)
        return {operator.add: builder.add, operator.sub: builder.sub, operator.mul: builder.mul}[op](a, b)

    return Plan(INT64, given, emit)


def _operation(value: Any) -> tuple[Any, tuple[ir.Var, ...]] | None:
    """The operator, without its twin, and the operands."""
    if not isinstance(value, ir.Expr) or value.op not in ("binop", "inplace_binop", "unary"):
        return None
    plain = getattr(value.fn, "plain", value.fn)
    return INPLACE.get(plain, plain), (value.value,) if value.op == "unary" else (value.lhs, value.rhs)


def _masked(blocks: Any, typ: Any) -> set[str]:
    """The temporaries of which only the lowest 64 bits are used: by a mask in the end, or by a function of `bits`."""
    found: set[str] = set()
    homes: dict[str, set[int]] = {}  # the blocks that a variable occurs in
    for number, block in enumerate(blocks.values()):
        for statement in block.body:
            for variable in statement.list_vars():
                homes.setdefault(variable.name, set()).add(number)
    for block in blocks.values():
        made: dict[str, Any] = {}
        used: dict[str, list[Any]] = {}
        for statement in block.body:
            for variable in statement.list_vars():
                used.setdefault(variable.name, []).append(statement)
            if isinstance(statement, ir.Assign):
                made[statement.target.name] = statement
        for name, statement in made.items():
            operation = _operation(statement.value)
            if operation is None or operation[0] not in MODULAR or not name.startswith("$") or len(homes[name]) > 1:
                continue
            uses = [use for use in used[name] if use is not statement and not isinstance(use, ir.Del)]
            if len(uses) != 1 or not isinstance(uses[0], ir.Assign) or not _of_whole(statement, typ):
                continue
            next_one = _operation(uses[0].value)
            if next_one is not None:
                is_count = next_one[0] is operator.lshift and next_one[1][1].name == name
                if next_one[0] in MODULAR and not is_count and _of_whole(uses[0], typ):
                    found.add(name)
            elif getattr(uses[0].value, "op", "") == "call" and _is_of_bits(typ(uses[0].value.func)):
                found.add(name)
    return found


def _is_of_bits(function: types.Type) -> bool:
    return getattr(function, "typing_key", None) in OF_BITS


def _of_whole(statement: Any, typ: Any) -> bool:
    """Whether this is an operation on Python ints."""
    operands = (statement.target, *_operation(statement.value)[1])  # type: ignore[index]
    kinds = [types.unliteral(typ(variable)) for variable in operands]
    return kinds[0] == INT64 and INT64 in kinds[1:] and all(kind in (INT64, BOOL) for kind in kinds)


OF_BITS = (bits.count, bits.lowest, bits.nth, bits.squares, bits.shift)


# -- floats -----------------------------------------------------------------------------------------------------------


def _is_finite(builder: Any, value: Any) -> Any:
    return builder.fcmp_ordered("==", builder.fsub(value, value), value.type(0.0))


def _defined(context: Any, builder: Any, signature: Placed, result: Any, values: Any, what: str) -> None:
    """Raise where floats that are numbers have given none, as Python does."""
    is_number = builder.fcmp_ordered("ord", result, result)
    were_numbers, were_finite = cgutils.true_bit, cgutils.true_bit
    with cgutils.if_unlikely(builder, builder.not_(_is_finite(builder, result))):
        for value in values:
            were_numbers = builder.and_(were_numbers, builder.fcmp_ordered("ord", value, value))
            were_finite = builder.and_(were_finite, _is_finite(builder, value))
        is_undefined = builder.or_(builder.and_(builder.not_(is_number), were_numbers), were_finite)
        fail_if(context, builder, signature, is_undefined, what)


def _power_of_floats(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
    a, b = (context.cast(builder, value, have, FLOAT64) for value, have in zip(values, signature.args, strict=True))
    inner = copy.copy(signature)
    inner._args = (FLOAT64, FLOAT64)
    result = _delegate(operator.pow, FLOAT64, FLOAT64)(context, builder, inner, (a, b))
    _defined(context, builder, signature, result, (a, b), "the result of ** is no float")
    return result


def _of_math(function: Any, given: tuple[types.Type, ...]) -> Plan | None:
    """A function of `math`: what is undefined or too large raises."""
    if not all(isinstance(typ, (types.Integer, types.Boolean, types.Float)) for typ in given):
        return None
    given = tuple(map(types.unliteral, given))
    whole = function in (math.floor, math.ceil, math.trunc)
    if whole and not any(isinstance(typ, types.Float) for typ in given):
        return Plan(INT64, given, lambda c, b, signature, values: c.cast(b, values[0], signature.args[0], INT64))
    wide = (FLOAT64,) * len(given)
    plain = _delegate(function, *wide)

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        values = [
            context.cast(builder, value, have, FLOAT64) for value, have in zip(values, signature.args, strict=True)
        ]
        inner = copy.copy(signature)
        inner._args = wide
        if whole:
            _whole(context, builder, signature, values[0])
        result = plain(context, builder, inner, values)
        if signature.return_type == FLOAT64:
            what = f"math.{function.__name__} of this is undefined or too large"
            _defined(context, builder, signature, result, values, what)
        return result

    return Plan(INT64 if whole else FLOAT64, given, emit)


def _whole(context: Any, builder: Any, signature: Placed, value: Any) -> None:
    """Raise for a float that is no int of 64 bits."""
    limit = value.type(2.0**63)
    is_in = builder.and_(
        builder.fcmp_ordered("<", value, limit), builder.fcmp_ordered(">=", value, value.type(-(2.0**63)))
    )
    fail_if(context, builder, signature, builder.not_(is_in), "this float is not an int of 64 bits")


# -- comparisons ------------------------------------------------------------------------------------------------------


def _comparison(op: Any, a: types.Type, b: types.Type) -> Plan | None:
    given = types.unliteral(a), types.unliteral(b)
    if not all(isinstance(typ, (types.Number, types.Boolean)) for typ in given):
        return None
    if FLOAT32 in given and given != (FLOAT32, FLOAT32):
        raise _refuse(f"{COMPARISONS[op]} of a numpy.float32 and {given[given[0] == FLOAT32]}: write float(cell)")
    if FLOAT64 in given:
        which = int(given[0] == FLOAT64)
        return Plan(BOOL, given, _int_and_float(op, which)) if given[which] in (INT64, UINT64) else None
    signed = [isinstance(typ, types.Integer) and typ.signed for typ in given]
    if UINT64 in given and any(signed):
        return Plan(BOOL, given, _signed_and_unsigned(op, signed.index(True)))
    return None


def _int_and_float(op: Any, which: int) -> Emit:
    """An int of 64 bits against a float, exactly; `which` is the int."""
    symbol = COMPARISONS[op]

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        typ, number, real = signature.args[which], values[which], values[1 - which]
        near = context.cast(builder, number, typ, FLOAT64)
        pair = (near, real) if which == 0 else (real, near)
        compare = builder.fcmp_unordered if op is operator.ne else builder.fcmp_ordered
        rough = compare(symbol, *pair)
        # Rounded to a float the int may fall on `real`, never past it: only then the float's digits decide.
        top = real.type(2.0 ** (63 if typ.signed else 64))
        is_top = builder.fcmp_ordered(">=", real, top)
        safe = builder.select(is_top, real.type(0.0), real)
        convert = builder.fptosi if typ.signed else builder.fptoui
        equal = builder.fcmp_ordered("==", near, real)
        digits = convert(builder.select(equal, safe, real.type(0.0)), number.type)
        order = builder.icmp_signed if typ.signed else builder.icmp_unsigned
        exact = order(symbol, *((number, digits) if which == 0 else (digits, number)))
        is_less = op in ((operator.lt, operator.le, operator.ne), (operator.gt, operator.ge, operator.ne))[which]
        exact = builder.select(is_top, cgutils.bool_t(is_less), exact)
        return builder.select(equal, exact, rough)

    return emit


def _signed_and_unsigned(op: Any, which: int) -> Emit:
    """An int with a sign against a uint64, exactly; `which` has the sign."""

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        number = context.cast(builder, values[which], signature.args[which], INT64)
        unsigned = context.cast(builder, values[1 - which], signature.args[1 - which], UINT64)
        is_negative = builder.icmp_signed("<", number, number.type(0))
        pair = (number, unsigned) if which == 0 else (unsigned, number)
        is_less = op in ((operator.lt, operator.le, operator.ne), (operator.gt, operator.ge, operator.ne))[which]
        return builder.select(is_negative, cgutils.bool_t(is_less), builder.icmp_unsigned(COMPARISONS[op], *pair))

    return emit


# -- one operand ------------------------------------------------------------------------------------------------------


def _unary(op: Any, a: types.Type, checked: bool) -> Plan | None:
    given = types.unliteral(a)
    if isinstance(given, types.Boolean):
        if op is operator.invert:
            raise _refuse("~ of a bool: write `not x`, or ~int(x)")
        return Plan(INT64, (given,), _negated(op, INT64, False))
    if isinstance(given, types.Integer) and (given != INT64 or (checked and op is operator.neg)):
        return Plan(given, (given,), _negated(op, given, checked and given == INT64))
    return None


def _negated(op: Any, typ: types.Integer, checked: bool) -> Emit:
    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        value = context.cast(builder, values[0], signature.args[0], typ)
        if checked:
            fail_if(context, builder, signature, _least(builder, value), "the result of - does not fit 64 bits")
        return {operator.neg: builder.neg, operator.invert: builder.not_, operator.pos: lambda x: x}[op](value)

    return emit


def _absolute(given: types.Type, checked: bool) -> Plan | None:
    given = types.unliteral(given)
    if not isinstance(given, (types.Integer, types.Boolean)):
        return None
    typ = INT64 if isinstance(given, types.Boolean) else given

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        value = context.cast(builder, values[0], signature.args[0], typ)
        if not typ.signed:
            return value
        if checked and typ == INT64:
            fail_if(context, builder, signature, _least(builder, value), "the result of abs does not fit 64 bits")
        return builder.select(builder.icmp_signed("<", value, value.type(0)), builder.neg(value), value)

    return Plan(typ, (given,), emit)


def _to_int(given: types.Type) -> Plan | None:
    """`int(x)`: of a float within 64 bits; of a cell, so that nothing wraps any more."""
    given = types.unliteral(given)
    if isinstance(given, types.Float):

        def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
            value = context.cast(builder, values[0], signature.args[0], FLOAT64)
            _whole(context, builder, signature, value)
            return builder.fptosi(value, llvm.IntType(BITS))

        return Plan(INT64, (given,), emit)
    if isinstance(given, types.Boolean) or _is_small(given):
        return Plan(INT64, (given,), lambda c, b, signature, values: c.cast(b, values[0], signature.args[0], INT64))
    return None


def _rounded(given: tuple[types.Type, ...]) -> Plan | None:
    if len(given) != 1 or not isinstance(given[0], types.Float):
        return None
    plain = _delegate(round, FLOAT64)

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        value = context.cast(builder, values[0], signature.args[0], FLOAT64)
        _whole(context, builder, signature, value)
        inner = copy.copy(signature)
        inner._args = (FLOAT64,)
        return plain(context, builder, inner, (value,))

    return Plan(INT64, given, emit)


# -- what is looked up, and what was assigned -------------------------------------------------------------------------


def _numbers_in(typ: types.Type) -> list[types.Type]:
    return list(typ.types) if isinstance(typ, types.BaseTuple) else [typ]


def _within(array: types.Type, index: types.Type) -> Plan | None:
    """Raise for an index that lies outside an array or tuple."""
    indices = [types.unliteral(typ) for typ in _numbers_in(index)]
    if isinstance(array, types.Array):
        ellipsis = types.ellipsis in indices
        if ellipsis or len(indices) > array.ndim or not any(isinstance(typ, types.Integer) for typ in indices):
            return None
    elif not isinstance(array, types.BaseTuple) or not isinstance(index, types.Integer):
        return None

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        if isinstance(array, types.Array):
            lengths = cgutils.unpack_tuple(builder, context.make_array(array)(context, builder, values[0]).shape)
        else:
            lengths = [llvm.IntType(BITS)(len(array))]
        found = cgutils.unpack_tuple(builder, values[1]) if isinstance(index, types.BaseTuple) else [values[1]]
        for typ, value, length in zip(indices, found, lengths, strict=False):
            if not isinstance(typ, types.Integer):
                continue
            number = context.cast(builder, value, typ, INT64)
            low = builder.icmp_signed("<", number, builder.neg(length))
            high = builder.icmp_signed(">=", number, length)
            what = f"an index is outside the {'array' if isinstance(array, types.Array) else 'tuple'}"
            fail_if(context, builder, signature, builder.or_(low, high), what)
        return context.get_dummy_value()

    return Plan(types.none, (array, index), emit)


def _storable(array: types.Type, value: types.Type) -> Plan | None:
    """Raise for an int that a cell cannot hold."""
    cell, given = getattr(array, "dtype", None), types.unliteral(value)
    if not isinstance(array, types.Array) or not isinstance(given, types.Integer) or given != INT64:
        return None
    if not isinstance(cell, types.Integer) or cell == INT64:
        return None

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        is_out = builder.not_(_in_range(builder, values[1], cell))
        fail_if(context, builder, signature, is_out, f"an int is stored that does not fit {cell}")
        return context.get_dummy_value()

    return Plan(types.none, (array, given), emit)


def _is_assigned(name: str) -> Emit:
    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        is_assigned = context.cast(builder, values[0], signature.args[0], BOOL)
        fail_if(context, builder, signature, builder.not_(is_assigned), f"local {name} is read before it is assigned")
        return context.get_dummy_value()

    return emit


def _is_deep(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
    what = "the rules call themselves too deeply: the stack is full"
    fail_if(context, builder, signature, stack.is_out(builder), what)
    return context.get_dummy_value()


# -- arrays -----------------------------------------------------------------------------------------------------------


def _of_arrays(context: Any, plain: Any, op: Any, a: types.Type, b: types.Type) -> Plan | None:
    """An operator of an array of small cells: of each cell in its bits, one operation at a time."""
    symbol = SYMBOLS.get(op)
    arrays = [isinstance(typ, types.Array) for typ in (a, b)]
    if symbol is None or not any(arrays):
        return None
    cells = [typ.dtype for typ in (a, b) if isinstance(typ, types.Array)]
    if not any(_is_small(cell) or cell in (UINT64, FLOAT32) for cell in cells):
        return None
    given = [types.unliteral(a), types.unliteral(b)]
    if not all(arrays):
        which = arrays.index(False)
        number, cell = (a, b)[which], cells[0]
        literal = _literal(number)
        if literal is not None and isinstance(cell, types.Integer) and _fits(literal, cell):
            given[which] = cell
        elif given[which] != cell and given[which] != BOOL and isinstance(given[which], types.Number):
            raise _refuse(f"{symbol} of an array of {cell} and {given[which]}: write numpy.{cell}(number)")
    found = context.resolve_function_type(plain, tuple(given), {})
    if found is None:
        return None
    return Plan(found.return_type, found.args, _delegate(plain, *found.args))


# -- the twins --------------------------------------------------------------------------------------------------------


MATH = [
    *(math.sqrt, math.exp, math.expm1, math.log, math.log2, math.log10, math.log1p, math.pow, math.hypot, math.fmod),
    *(math.sin, math.cos, math.tan, math.asin, math.acos, math.atan, math.atan2, math.gamma, math.lgamma),
    *(math.sinh, math.cosh, math.tanh, math.asinh, math.acosh, math.atanh, math.floor, math.ceil, math.trunc),
]


def plan(context: Any, plain: Any, args: tuple[types.Type, ...], checked: bool) -> Plan | None:
    """What the twin of `plain` does for arguments of these types; None: the same as `plain`.

    Raises a `TypingError` where the types show that compiled and interpreted could differ.
    """
    op = INPLACE.get(plain, plain)
    if op in SYMBOLS and len(args) == 2:
        return _arithmetic(op, *args, checked) or _of_arrays(context, plain, op, *args)
    if op in COMPARISONS and len(args) == 2:
        return _comparison(op, *args)
    if op in UNARY:
        return _unary(op, args[0], checked)
    if plain in MATH:
        return _of_math(plain, args)
    if plain is abs and len(args) == 1:
        return _absolute(*args, checked)
    if plain is int and len(args) == 1:
        return _to_int(*args)
    if plain is round:
        return _rounded(args)
    if plain is operator.is_ or plain is operator.is_not:
        if all(isinstance(typ, types.Number) for typ in args):
            raise _refuse("`is` of two numbers: write ==")
        return None
    if plain is divmod and len(args) == 2:
        return _quotient_and_rest(types.unliteral(args[0]), types.unliteral(args[1]), checked)
    return None


@functools.cache
def _twin(plain: Any, checked: bool) -> Any:
    """A function that stands for `plain` in rules while they compile."""

    def twin(*args: Any) -> Any:
        return plain(*args)

    twin.plain = plain  # type: ignore[attr-defined]

    class Template(AbstractTemplate):
        key = twin
        prefer_literal = True

        def generic(self, args: Any, keywords: Any) -> Any:
            if not keywords and not any(isinstance(arg, types.Omitted) for arg in args):
                found = plan(self.context, plain, args, checked)
                if found is not None:
                    return Signature(found.result, found.args, None)
            return self.context.resolve_function_type(plain, args, keywords)

    builtin_registry.register_global(twin, types.Function(Template))

    cpu_target.typing_context.refresh()
    return twin


PLAIN = {*SYMBOLS, *INPLACE, *COMPARISONS, *UNARY, *MATH, operator.is_, operator.is_not, abs, int, round, divmod}
"""What has a twin."""
REPLACED: dict[Any, Any] = {builtins.sorted: stable_sorted, builtins.sum: sum_of_cells}
"""Functions of Python for which Numba's own give something else."""


def planned(*args: Any) -> Any:
    """What every operator and function with a plan becomes once types are known; its signature holds the plan."""


class _Planned(AbstractTemplate):
    key = planned

    def generic(self, args: Any, keywords: Any) -> None:
        return None


class _PlannedFunction(types.Function):
    def get_impl_key(self, signature: Any) -> Any:
        return planned


register_model(_PlannedFunction)(models.OpaqueModel)
PLANNED = _PlannedFunction(_Planned)
builtin_registry.register_global(planned, PLANNED)


@lower_builtin(planned, types.VarArg(types.Any))
def _(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
    return signature.plan.emit(context, builder, signature, values)


def assigned(flag: bool) -> None:
    """In compiled rules: raise unless the local of which this is the flag was assigned."""


class _Assigned(AbstractTemplate):
    key = assigned

    def generic(self, args: Any, keywords: Any) -> Any:
        return Signature(types.none, (BOOL,), None)


builtin_registry.register_global(assigned, types.Function(_Assigned))


# -- the passes -------------------------------------------------------------------------------------------------------


class _Pass(FunctionPass):
    checked = False

    def __init__(self) -> None:
        FunctionPass.__init__(self)


class Twins(_Pass):
    """Before types are known: twins for operators and functions, and flags for locals that may not be assigned."""

    _name = "outplay_twins"

    def run_pass(self, state: Any) -> bool:
        """Rewrite the function."""
        code, checked = state.func_ir, self.checked
        for block in code.blocks.values():
            for statement in block.find_insts(ir.Assign):
                value = statement.value
                if isinstance(value, ir.Global | ir.FreeVar):
                    value.value = _replaced(value.value, checked)
                elif not isinstance(value, ir.Expr):
                    continue
                elif value.op in ("binop", "unary"):
                    value.fn = _replaced(value.fn, checked)
                elif value.op == "inplace_binop":
                    value.fn = _replaced(value.fn, checked)
                    value.immutable_fn = _replaced(value.immutable_fn, checked)
                elif value.op == "getattr":
                    module = guard(get_definition, code, value.value)
                    if isinstance(module, ir.Global | ir.FreeVar) and module.value is math:
                        plain = getattr(math, value.attr, None)
                        found = _replaced(plain, checked)
                        if found is not plain:
                            statement.value = ir.Global(value.attr, found, value.loc)
                            definitions = code._definitions[statement.target.name]
                            definitions[definitions.index(value)] = statement.value
                elif value.op == "make_function":
                    self._closure(code, statement)
            _sorts(code, block)
        _flag_locals(code)
        return True

    def _closure(self, code: Any, statement: Any) -> None:
        """A function within a rule, such as the key of a sort, is compiled as the rule is."""
        node = statement.value
        if node.defaults is None and guard(convert_code_obj_to_function, node, code) is not None:
            function = convert_code_obj_to_function(node, code)
            found = ir.Global(
                node.code.co_name, njit(function, pipeline_class=pipeline_of_rules(self.checked)), node.loc
            )
            definitions = code._definitions[statement.target.name]
            definitions[definitions.index(node)] = statement.value = found


def _replaced(value: Any, checked: bool) -> Any:
    """What stands for this value in rules: itself, a twin, or a function of our own."""
    if not callable(value) or not isinstance(value, Hashable):
        return value
    return _twin(value, checked) if value in PLAIN else REPLACED.get(value, value)


def _sorts(code: Any, block: Any) -> None:
    """`found.sort(key=…)` becomes a call of the stable sort, which leaves arrays to NumPy's."""
    body = []
    for statement in block.body:
        call: Any = statement.value if isinstance(statement, ir.Assign) else None
        method = guard(get_definition, code, call.func) if isinstance(call, ir.Expr) and call.op == "call" else None
        if isinstance(method, ir.Expr) and method.op == "getattr" and method.attr == "sort":
            function = ir.Var(block.scope, mk_unique_var("$sort"), statement.loc)
            body.append(ir.Assign(ir.Global("sort", stable_sort, statement.loc), function, statement.loc))
            code._definitions[function.name].append(body[-1].value)
            call.func, call.args = function, [method.value, *call.args]
        body.append(statement)
    block.body = body


def _flag_locals(code: Any) -> None:
    """Locals that are read where they may not be assigned get a flag, which is tested there."""
    blocks = code.blocks
    local = {
        name
        for block in blocks.values()
        for assignment in block.find_insts(ir.Assign)
        if not (name := assignment.target.name).startswith("$")
    }
    if not local:
        return
    graph = compute_cfg_from_blocks(blocks)
    first = graph.entry_point()
    after: dict[Any, set[str]] = {label: set(local) for label in blocks}

    def before(label: Any) -> set[str]:
        if label == first:
            return set()
        sets = [after[source] for source, _ in graph.predecessors(label) if source in after]
        return set.intersection(*sets) if sets else set(local)

    changed = True
    while changed:
        changed = False
        for label, block in blocks.items():
            now = before(label) | {assignment.target.name for assignment in block.find_insts(ir.Assign)}
            if now != after[label]:
                after[label], changed = now, True
    doubtful: dict[str, ir.Var] = {}
    tests: dict[Any, list[tuple[int, str]]] = {}
    for label, block in blocks.items():
        known = before(label)
        for place, statement in enumerate(block.body):
            if isinstance(statement, ir.Del):
                continue
            target = statement.target.name if isinstance(statement, ir.Assign) else None
            read = (
                statement.value.list_vars()
                if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Inst)
                else (
                    [statement.value]
                    if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Var)
                    else []
                )
            )
            if not isinstance(statement, ir.Assign):
                read = statement.list_vars()
            for variable in read:
                if variable.name in local and variable.name not in known:
                    doubtful.setdefault(variable.name, block.scope.define(mk_unique_var("$flag"), statement.loc))
                    tests.setdefault(label, []).append((place, variable.name))
            if target is not None:
                known.add(target)
    if not doubtful:
        return
    for label, block in blocks.items():
        body: list[Any] = []
        wanted: dict[int, list[str]] = {}
        for place, name in tests.get(label, ()):
            wanted.setdefault(place, []).append(name)
        for place, statement in enumerate(block.body):
            for name in dict.fromkeys(wanted.get(place, ())):
                done = ir.Var(block.scope, mk_unique_var("$tested"), statement.loc)
                test = ir.Expr.unary(assigned, doubtful[name], statement.loc)
                test.local = name.partition(".")[0]
                body.append(ir.Assign(test, done, statement.loc))
                code._definitions[done.name].append(test)
            body.append(statement)
            if isinstance(statement, ir.Assign) and statement.target.name in doubtful:
                body.append(_flag(code, doubtful[statement.target.name], True, statement.loc))
        block.body = body
    start = blocks[first]
    number = next(i for i, step in enumerate(start.body) if not _is_argument(step))
    start.body[number:number] = [_flag(code, flag, False, code.loc) for flag in doubtful.values()]


def _is_argument(step: Any) -> bool:
    return isinstance(step, ir.Assign) and isinstance(step.value, ir.Arg)


def _flag(code: Any, flag: ir.Var, value: bool, loc: Any) -> ir.Assign:
    assignment = ir.Assign(ir.Const(value, loc), flag, loc)
    code._definitions[flag.name].append(assignment.value)
    return assignment


class Settle(_Pass):
    """When types are known: the plain operator where a twin would do the same, and checks of indices."""

    _name = "outplay_settle"

    def run_pass(self, state: Any) -> bool:
        """Rewrite the function."""
        blocks = state.func_ir.blocks
        first = blocks[min(blocks)]
        start = next((i for i, step in enumerate(first.body) if not _is_argument(step)), 0)
        guarded = first.body[start] if getattr(state.func_id.func, "calls_itself", False) else None
        masked = _masked(blocks, lambda variable: state.typemap[variable.name])
        _refuse_mixtures(blocks, state.typemap)
        for block in blocks.values():
            body: list[Any] = []
            for statement in block.body:
                work = _Statement(state, block, body, statement, self.checked, masked)
                if guarded is not None and statement is guarded:
                    work.new(work.planned(Plan(types.none, (), _is_deep), (), statement.loc), types.none)
                if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Expr):
                    work.expression(statement.value)
                elif isinstance(statement, ir.SetItem | ir.StaticSetItem):
                    work.within(statement.target, statement)
                    work.storable()
                body.append(statement)
            block.body = body
        return True


def _refuse_mixtures(blocks: Any, typemap: Any) -> None:
    """Refuse an int and a `numpy.uint64` in one variable, list, `min` or `max`: Numba makes a float of them."""
    sources: dict[str, list[ir.Var]] = {}
    for block in blocks.values():
        for statement in block.find_insts(ir.Assign):
            value, name = statement.value, statement.target.name
            if isinstance(value, ir.Var):
                sources.setdefault(name, []).append(value)
            elif isinstance(value, ir.Expr) and value.op == "build_list":
                sources.setdefault(name, []).extend(value.items)
            elif isinstance(value, ir.Expr) and value.op == "call":
                called = getattr(typemap[value.func.name], "typing_key", None)
                if getattr(called, "plain", called) in (min, max):
                    sources.setdefault(name, []).extend(value.args)
    for name, found in sources.items():
        typ = typemap[name]
        kinds = [types.unliteral(typemap[variable.name]) for variable in found]
        is_float = isinstance(getattr(typ, "dtype", typ), types.Float)
        if is_float and kinds and all(isinstance(kind, (types.Integer, types.Boolean)) for kind in kinds):
            raise _refuse("an int and a numpy.uint64 meet in one variable: write numpy.uint64(number) for the int")


@dataclass(frozen=True)
class _Statement:
    """One statement on its way into the new body of its block."""

    state: Any
    block: Any
    body: list[Any]
    statement: Any
    checked: bool
    masked: set[str]

    def typ(self, variable: ir.Var) -> types.Type:
        return self.state.typemap[variable.name]

    def expression(self, value: Any) -> None:
        if value.op in ("binop", "inplace_binop", "unary"):
            operands = (value.value,) if value.op == "unary" else (value.lhs, value.rhs)
            if value.fn is assigned:
                self.settle(value, Plan(types.none, (BOOL,), _is_assigned(value.local)), operands)
            elif hasattr(value.fn, "plain"):
                self.operator(value, operands)
        elif value.op == "call":
            twin: Any = getattr(self.typ(value.func), "typing_key", None)
            if hasattr(twin, "plain"):
                self.call(value, twin.plain)
            elif _is_of_bits(self.typ(value.func)):
                value.args = [self.lowest_bits(variable) for variable in value.args]
        elif value.op in ("getitem", "static_getitem"):
            self.within(value.value, value)

    def lowest_bits(self, variable: ir.Var) -> ir.Var:
        if self.typ(variable) != PARTIAL:
            return variable
        first = Plan(INT64, (PARTIAL,), lambda context, builder, signature, values: builder.extract_value(values[0], 0))
        return self.new(self.planned(first, (variable,), self.statement.loc), INT64)

    def modular(self, operands: tuple[ir.Var, ...]) -> Plan | None:
        """The plan where only the lowest bits of the result, or of an operand, count."""
        op, _ = _operation(self.statement.value)  # type: ignore[misc]
        given, target = tuple(types.unliteral(self.typ(operand)) for operand in operands), self.statement.target
        is_masked = target.name in self.masked
        if not self.checked:
            return _wrapped(op, given) if is_masked and op in (operator.add, operator.sub, operator.mul) else None
        if not is_masked and PARTIAL not in given:
            return None
        if is_masked:
            self.state.typemap.pop(target.name)
            self.state.typemap[target.name] = PARTIAL
        return _partial(op, given, not is_masked)

    def operator(self, value: Any, operands: tuple[ir.Var, ...]) -> None:
        modular = self.modular(operands)
        if modular is not None:
            self.settle(value, modular, operands)
            return
        found = plan(self.state.typingctx, value.fn.plain, tuple(map(self.typ, operands)), self.checked)
        if found is not None:
            self.settle(value, found, operands)
            return
        value.fn = value.fn.plain
        if value.op == "inplace_binop":
            value.immutable_fn = value.immutable_fn.plain

    def call(self, value: Any, plain: Any) -> None:
        given = tuple(map(self.typ, value.args))
        found = None if value.kws else plan(self.state.typingctx, plain, given, self.checked)
        if found is not None:
            self.settle(value, found, tuple(value.args))
        else:
            value.func = self.new(
                ir.Global(plain.__name__, plain, value.loc), self.state.typingctx.resolve_value_type(plain)
            )

    def new(self, value: Any, typ: types.Type) -> ir.Var:
        """A new variable with this value."""
        variable = ir.Var(self.block.scope, mk_unique_var("$settled"), value.loc)
        self.state.typemap[variable.name] = typ
        self.body.append(ir.Assign(value, variable, value.loc))
        return variable

    def planned(self, found: Plan, operands: tuple[ir.Var, ...], loc: Any) -> ir.Expr:
        """The call that does what is planned."""
        call = ir.Expr.call(self.new(ir.Global("planned", planned, loc), PLANNED), operands, (), loc)
        rule = getattr(self.state.func_id.func, "rule", self.state.func_id.func_name)
        place = f"{rule}, line {loc.line} of {os.path.basename(loc.filename)}"
        if not self.checked:  # kept code outlives an edit that moves lines alone
            place = f"{rule} in {os.path.basename(loc.filename)}"
        self.state.calltypes[call] = Placed(found, place)
        return call

    def settle(self, value: Any, found: Plan, operands: tuple[ir.Var, ...]) -> None:
        self.statement.value = self.planned(found, operands, value.loc)

    def within(self, array: ir.Var, node: Any) -> None:
        """Test the index before it is used: always for tuples, in checked mode for arrays."""
        typ = self.typ(array)
        is_dynamic = isinstance(typ, types.BaseTuple) and not node_is_static(node)
        if not is_dynamic and not (self.checked and isinstance(typ, types.Array)):
            return
        index = getattr(node, "index_var", None) if node_is_static(node) else node.index
        if index is None and type(node.index) is int:
            index = self.new(ir.Const(node.index, node.loc), INT64)
        found = None if index is None else _within(typ, types.unliteral(self.typ(index)))
        if found is not None:
            self.new(self.planned(found, (array, index), node.loc), types.none)

    def storable(self) -> None:
        """In checked mode: test whether a cell can hold what is stored there."""
        array, value = self.statement.target, self.statement.value
        found = _storable(self.typ(array), self.typ(value)) if self.checked else None
        if found is not None:
            self.new(self.planned(found, (array, value), self.statement.loc), types.none)


def node_is_static(node: Any) -> bool:
    """Whether the index is a constant."""
    return isinstance(node, ir.StaticSetItem) or getattr(node, "op", "") == "static_getitem"


@register_pass(mutates_CFG=False, analysis_only=False)
class PlainTwins(Twins):
    """For a search."""

    _name = "outplay_plain_twins"


@register_pass(mutates_CFG=False, analysis_only=False)
class CheckedTwins(Twins):
    """For checked mode."""

    _name, checked = "outplay_checked_twins", True


@register_pass(mutates_CFG=False, analysis_only=False)
class PlainSettle(Settle):
    """For a search."""

    _name = "outplay_plain_settle"


@register_pass(mutates_CFG=False, analysis_only=False)
class CheckedSettle(Settle):
    """For checked mode."""

    _name, checked = "outplay_checked_settle", True


PASSES_OF_RULES.update({False: (PlainTwins, PlainSettle), True: (CheckedTwins, CheckedSettle)})
