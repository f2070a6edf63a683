"""Values that may be None: whether they are true, and whether they are equal to others, as in Python.

Numba takes a value out of its `Optional` for every operation and raises `TypeError` for None. So does Python, except
where None has an answer: truth, `==`, `!=`, `is` and `in`.
"""

import operator
from collections.abc import Callable
from typing import Any

from numba import types

from outplay.compile.native.frozenset_type import Frozenset
from outplay.compile.native.game_type import as_it_is, compile_for
from outplay.compile.native.internals.numba_names import cgutils, lower_builtin, refused
from outplay.compile.native.internals.registration import value_in
from outplay.compile.native.semantics.plans import BOOL, COMPARISONS, INT64, Placed, Plan, delegate


def may_be_none(typ: types.Type) -> bool:
    """Whether values of this type may be None, or contain None."""
    return isinstance(typ, types.Optional) or (isinstance(typ, types.BaseTuple) and any(map(may_be_none, typ.types)))


def value_of(typ: types.Type) -> types.Type:
    """The type of a value that is not None."""
    return typ.type if isinstance(typ, types.Optional) else typ


def require(number: int) -> int:
    """Raise `TypeError` if the number is 0, which stands for None."""
    if not number:
        raise TypeError("an operand is None")
    return number


as_it_is(require)


def failing(op: Any, args: tuple[types.Type, ...]) -> Plan:
    """The plan of an operator for None: it raises, as in Python. It may stand where None is tested before."""
    others = [types.unliteral(arg) for arg in args if arg != types.none]
    result = BOOL if op in COMPARISONS or not others else others[0]

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        placed = Placed(Plan(INT64, (INT64,), delegate(require, INT64)), signature.place)
        placed.plan.emit(context, builder, placed, [context.get_constant(INT64, 0)])
        return context.get_constant_null(result)

    return Plan(result, args, emit)


def equality(
    context: Any, op: Any, args: tuple[types.Type, ...], checked: bool, plan: Callable[..., Plan | None]
) -> Plan | None:
    """The plan of `==` or `!=` where a value may be None; `plan` finds that for values that are not None."""
    if types.none in args:
        return None
    inner = tuple(map(value_of, args))
    if context.resolve_function_type(operator.eq, inner, {}) is None:
        raise refused(f"== of what may be None and may be an {inner[0]}, and an {inner[1]}: test `is not None` first")
    inner_plan = plan(context, operator.eq, inner, checked) or Plan(BOOL, inner, delegate(operator.eq, *inner))

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        parts = [_parts(context, builder, typ, value) for typ, value in zip(signature.args, values, strict=True)]
        (first, one), (second, other) = parts
        equal = cgutils.alloca_once_value(builder, cgutils.false_bit)
        with builder.if_then(builder.and_(first, second)):
            triples = zip((one, other), inner, inner_plan.args, strict=True)
            numbers = [context.cast(builder, value, have, want) for value, have, want in triples]
            builder.store(inner_plan.emit(context, builder, Placed(inner_plan, signature.place), numbers), equal)
        neither = builder.not_(builder.or_(first, second))
        result = builder.or_(neither, builder.load(equal))
        return builder.not_(result) if op is operator.ne else result

    return Plan(BOOL, args, emit)


def truth(typ: types.Type) -> Plan:
    """The plan of `bool` for a value that may be None."""
    return Plan(BOOL, (typ,), _truth)


def opposite(typ: types.Type) -> Plan | None:
    """The plan of `not` for a value that may be None, and for tuples, lists and strings, for which Numba has none."""
    if not isinstance(typ, (types.Optional, types.BaseTuple, types.Sequence, types.Set, types.DictType, Frozenset)):
        return None

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        return builder.not_(_truth(context, builder, signature, values))

    return Plan(BOOL, (typ,), emit)


def _truth(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
    typ = signature.args[0]
    inner = value_of(typ)
    exists, value = _parts(context, builder, typ, values[0])
    answer = cgutils.alloca_once_value(builder, cgutils.false_bit)
    with builder.if_then(exists):
        placed = Placed(Plan(BOOL, (inner,), delegate(bool, inner)), signature.place)
        builder.store(placed.plan.emit(context, builder, placed, [value]), answer)
    return builder.load(answer)


compile_for(types.Optional, {bool: lambda value: False if value is None else bool(value_in(value))})


@lower_builtin("static_getitem", types.Optional, types.Any)
def _lower_static_getitem(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """An item of a tuple that may be None; `TypeError` if it is, as in Python."""
    typ, index = signature.args
    function = context.get_function("static_getitem", signature.return_type(typ.type, index))
    return function(builder, (context.cast(builder, values[0], typ, typ.type), values[1]))


def _parts(context: Any, builder: Any, typ: types.Type, value: Any) -> tuple[Any, Any]:
    """Whether there is a value, as a bit, and the value."""
    if not isinstance(typ, types.Optional):
        return cgutils.true_bit, value
    optional = context.make_helper(builder, typ, value)
    return cgutils.as_bool_bit(builder, optional.valid), optional.data
