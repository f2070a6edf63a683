"""A plan: how compiled rules compute an operator or a function for arguments of certain types."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numba import types

from outplay.compile.native.internals.numba_names import Signature, cgutils
from outplay.rules.errors import RulesError

BITS = 64
INT64, UINT64, FLOAT64, FLOAT32, BOOL = types.int64, types.uint64, types.float64, types.float32, types.boolean
EXACT = 2**53
"""Floats represent all ints up to this one exactly."""

Emit = Callable[[Any, Any, "Placed", Any], Any]  # (context, builder, signature, values) -> value


@dataclass(frozen=True)
class Plan:
    """How a twin computes its result for arguments of certain types, and the type of the result."""

    result: types.Type
    args: tuple[types.Type, ...]
    emit: Emit


class Placed(Signature):
    """A signature with its plan and its place in the rules."""

    __slots__ = ("place", "plan")

    def __init__(self, plan: Plan, place: str) -> None:
        super().__init__(plan.result, plan.args, None)
        self.plan, self.place = plan, place


def fail_if(context: Any, builder: Any, signature: Placed, condition: Any, fault: str) -> None:
    """Raise `RulesError` with the rule and file, in checked mode also the line, if `condition` holds, which is rare."""
    if ", line " not in signature.place:
        fault += "; with OUTPLAY_CHECKED=1 this message names the line"
    with cgutils.if_unlikely(builder, condition):
        context.call_conv.return_user_exc(builder, RulesError, (f"{signature.place}: {fault}",))


SYMBOLS: dict[Any, str] = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/", operator.floordiv: "//",
    operator.mod: "%", operator.pow: "**", operator.lshift: "<<", operator.rshift: ">>",
    operator.and_: "&", operator.or_: "|", operator.xor: "^",
}  # fmt: skip
COMPARISONS: dict[Any, str] = {
    operator.eq: "==", operator.ne: "!=",
    operator.lt: "<", operator.le: "<=", operator.gt: ">", operator.ge: ">=",
}  # fmt: skip
OVERFLOWING = {symbol: f"s{symbol.__name__}_with_overflow" for symbol in (operator.add, operator.sub, operator.mul)}
"""The instructions that compute, and tell whether the result does not fit."""
UNARY = {operator.neg: "-", operator.pos: "+", operator.invert: "~"}
INPLACE = {getattr(operator, f"__i{symbol.__name__.rstrip('_')}__"): symbol for symbol in SYMBOLS}
BITWISE = (operator.and_, operator.or_, operator.xor)
SIMPLE = (*OVERFLOWING, *BITWISE)
"""The operators that are one instruction, which LLVM's builder calls by the name of the operator."""
SHIFTS = (operator.lshift, operator.rshift)
DIVISIONS = (operator.truediv, operator.floordiv, operator.mod)


def fits(value: int, typ: types.Integer) -> bool:
    """Whether `value` fits this type."""
    return bool(typ.minval <= value <= typ.maxval)


def literal_of(typ: types.Type) -> int | None:
    """The int value of a constant, or None."""
    return typ.literal_value if isinstance(typ, types.IntegerLiteral) else None


def delegate(plain: Any, *arguments: types.Type) -> Emit:
    """The code of the plain operator, for arguments cast to these types."""

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        resolved = context.typing_context.resolve_function_type(plain, arguments, {})
        values = [
            context.cast(builder, value, have, want)
            for value, have, want in zip(values, signature.args, resolved.args, strict=True)
        ]
        function = context.typing_context.resolve_value_type(plain)
        result = context.get_function(function, resolved)(builder, values)
        return context.cast(builder, result, resolved.return_type, signature.return_type)

    return emit


def converted(source: types.Type, target: types.Type) -> Plan:
    """The plan of a conversion, as Numba's own."""
    return Plan(target, (source,), lambda context, builder, _, values: context.cast(builder, *values, source, target))


def in_range(builder: Any, value: Any, typ: types.Integer) -> Any:
    """Whether an int64 fits a smaller type."""
    if typ == UINT64:
        return builder.icmp_signed(">=", value, value.type(0))
    low = builder.icmp_signed(">=", value, value.type(typ.minval))
    return builder.and_(low, builder.icmp_signed("<=", value, value.type(typ.maxval)))


def cast_all(context: Any, builder: Any, signature: Placed, values: Any, typ: types.Type) -> list[Any]:
    """The arguments as values of this type."""
    return [context.cast(builder, value, have, typ) for value, have in zip(values, signature.args, strict=True)]


def is_finite(builder: Any, value: Any) -> Any:
    """Whether a float is neither infinite nor NaN."""
    return builder.fcmp_ordered("==", builder.fsub(value, value), value.type(0.0))
