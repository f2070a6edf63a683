"""Bit boards: if a mask keeps only the lowest bits, intermediate results need not fit 64 bits."""

import operator
from typing import Any

from numba import types

from outplay.compile.native.internals.numba_names import cgutils, ir
from outplay.compile.native.semantics.integers import is_least, shifted
from outplay.compile.native.semantics.narrow_cells import Narrow
from outplay.compile.native.semantics.plans import (
    BITWISE,
    BOOL,
    INPLACE,
    INT64,
    OVERFLOWING,
    SYMBOLS,
    UNARY,
    Placed,
    Plan,
    cast_all,
    fail_if,
)
from outplay.rules import bits

PARTIAL = types.Tuple((INT64, BOOL))
"""In checked mode: the lowest 64 bits of an int, and whether it needs more."""
MODULAR = (operator.add, operator.sub, operator.mul, operator.lshift, *BITWISE, operator.invert, operator.neg)
"""Operators whose lowest 64 result bits depend only on the lowest 64 bits of the operands."""


def partial(op: Any, operands: tuple[types.Type, ...], is_final: bool) -> Plan:
    """An operator on the lowest 64 bits; if `is_final`, the result must fit them."""

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
        if op in OVERFLOWING:
            pair = getattr(builder, OVERFLOWING[op])(a, b)
            result, more = builder.extract_value(pair, 0), builder.or_(more, builder.extract_value(pair, 1))
        elif op is operator.lshift:
            fail_if(context, builder, signature, builder.icmp_signed("<", b, b.type(0)), "negative shift count")
            result = shifted(builder, op, a, b, INT64)
            back = shifted(builder, operator.rshift, result, b, INT64)
            more = builder.or_(more, builder.icmp_signed("!=", back, a))
        elif op is operator.and_:
            result = builder.and_(a, b)
            a_kept = builder.or_(b_more, builder.icmp_signed("<", b, b.type(0)))
            b_kept = builder.or_(a_more, builder.icmp_signed("<", a, a.type(0)))
            more = builder.or_(builder.and_(a_more, a_kept), builder.and_(b_more, b_kept))
        elif op is operator.neg:
            result, more = builder.neg(a), builder.or_(more, is_least(builder, a))
        elif op is operator.invert:
            result = builder.not_(a)
        else:
            result = getattr(builder, op.__name__)(a, b)
        if is_final:
            symbol = SYMBOLS.get(op) or UNARY[op]
            fail_if(context, builder, signature, more, f"the result of {symbol} does not fit 64 bits")
            return result
        return cgutils.pack_struct(builder, [result, context.cast(builder, more, BOOL, BOOL)])

    return Plan(INT64 if is_final else PARTIAL, operands, emit)


def wrapped(op: Any, operands: tuple[types.Type, ...]) -> Plan:
    """`+`, `-` and `*` if only the lowest bits of the result matter."""

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        return getattr(builder, op.__name__)(*cast_all(context, builder, signature, values, INT64))

    return Plan(INT64, operands, emit)


def operation(value: Any) -> tuple[Any, tuple[ir.Var, ...]] | None:
    """The operator, without its twin, and the operands."""
    if not isinstance(value, ir.Expr) or value.op not in ("binop", "inplace_binop", "unary"):
        return None
    plain = getattr(value.fn, "plain", value.fn)
    return INPLACE.get(plain, plain), (value.value,) if value.op == "unary" else (value.lhs, value.rhs)


def masked(blocks: Any, typ: Any, narrow: Narrow | None) -> set[str]:
    """The temporaries whose lowest 64 bits alone are used, by a mask at the end or by a function of `bits`."""
    names: set[str] = set()
    homes: dict[str, set[int]] = {}  # the blocks in which a variable occurs
    for number, block in enumerate(blocks.values()):
        for statement in block.body:
            for variable in statement.list_vars():
                homes.setdefault(variable.name, set()).add(number)
    for block in blocks.values():
        assigned: dict[str, Any] = {}
        statements_of: dict[str, list[Any]] = {}
        for statement in block.body:
            for variable in statement.list_vars():
                statements_of.setdefault(variable.name, []).append(statement)
            if isinstance(statement, ir.Assign):
                assigned[statement.target.name] = statement
        for name, statement in assigned.items():
            symbol, _ = operation(statement.value) or (None, ())
            if symbol not in MODULAR or not name.startswith("$") or len(homes[name]) > 1:
                continue
            uses = [use for use in statements_of[name] if use is not statement and not isinstance(use, ir.Del)]
            if len(uses) != 1 or not isinstance(uses[0], ir.Assign) or not _of_whole(statement, typ, narrow):
                continue
            symbol, operands = operation(uses[0].value) or (None, ())
            if symbol is not None:
                is_count = symbol is operator.lshift and operands[1].name == name
                if symbol in MODULAR and not is_count and _of_whole(uses[0], typ, narrow):
                    names.add(name)
            elif getattr(uses[0].value, "op", "") == "call" and is_of_bits(typ(uses[0].value.func)):
                names.add(name)
    return names


def is_of_bits(function: types.Type) -> bool:
    """Whether this is a function of `bits`, which reads only 64 bits."""
    return getattr(function, "typing_key", None) in OF_BITS


def _of_whole(statement: Any, typ: Any, narrow: Narrow | None) -> bool:
    """Whether this is an operation on Python ints."""
    operands = (statement.target, *operation(statement.value)[1])  # type: ignore[index]
    if narrow is not None and narrow.of(operands):
        return False
    kinds = [types.unliteral(typ(variable)) for variable in operands]
    return kinds[0] == INT64 and INT64 in kinds[1:] and all(kind in (INT64, BOOL) for kind in kinds)


OF_BITS = (bits.count, bits.lowest, bits.nth, bits.squares, bits.shift)
