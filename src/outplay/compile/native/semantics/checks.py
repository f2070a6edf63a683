"""Checks added to rules: of indices, local variables, and numbers that do not fit cells or floats."""

from collections.abc import Callable
from typing import Any

from llvmlite import ir as llvm
from numba import types

from outplay.compile.native import stack
from outplay.compile.native.internals.numba_names import Signature, cgutils
from outplay.compile.native.semantics.lost_cells import Kinds, is_small
from outplay.compile.native.semantics.plans import BITS, BOOL, EXACT, INT64, Placed, Plan, fail_if, in_range, is_finite
from outplay.compile.native.sorting import has_sum


def _numbers_in(typ: types.Type) -> list[types.Type]:
    return list(typ.types) if isinstance(typ, types.BaseTuple) else [typ]


def within(array: types.Type, index: types.Type) -> Plan | None:
    """Raise for an index outside an array or tuple."""
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
        places = cgutils.unpack_tuple(builder, values[1]) if isinstance(index, types.BaseTuple) else [values[1]]
        for typ, value, length in zip(indices, places, lengths, strict=False):
            if not isinstance(typ, types.Integer):
                continue
            number = context.cast(builder, value, typ, INT64)
            low = builder.icmp_signed("<", number, builder.neg(length))
            high = builder.icmp_signed(">=", number, length)
            fault = f"an index is outside the {'array' if isinstance(array, types.Array) else 'tuple'}"
            fail_if(context, builder, signature, builder.or_(low, high), fault)
        return context.get_dummy_value()

    return Plan(types.none, (array, index), emit)


def _raising(args: tuple[types.Type, ...], is_wrong: Callable[[Any, Any, Any], Any], fault: str) -> Plan:
    """A plan that raises with this message if `is_wrong(context, builder, values)`, and computes nothing."""

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        fail_if(context, builder, signature, is_wrong(context, builder, values), fault)
        return context.get_dummy_value()

    return Plan(types.none, args, emit)


def storable(array: types.Type, value: types.Type) -> Plan | None:
    """Raise for an int that a cell cannot hold."""
    cell, number = getattr(array, "dtype", None), types.unliteral(value)
    if not isinstance(array, types.Array) or not isinstance(number, types.Integer) or number != INT64:
        return None
    if not isinstance(cell, types.Integer) or cell == INT64:
        return None
    fault = f"an int that does not fit {cell} is stored in an array"
    return _raising((array, number), lambda _, builder, values: builder.not_(in_range(builder, values[1], cell)), fault)


def present(typ: types.Optional, where: str) -> Plan:
    """Raise for None in a place whose type has no None."""

    def is_none(context: Any, builder: Any, values: Any) -> Any:
        return builder.not_(cgutils.as_bool_bit(builder, context.make_helper(builder, typ, values[0]).valid))

    return _raising((typ,), is_none, f"{where} is None, where no other one is: set compiled = False")


def fitting_cells(plan: Plan, kinds: tuple[Kinds, ...]) -> Plan:
    """The plan, with an error if an operand may be a cell and the result does not fit that cell."""

    def emit(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
        result = plan.emit(context, builder, signature, values)
        results = [(result, plan.result)]
        if isinstance(plan.result, types.BaseTuple):
            results = list(zip(cgutils.unpack_tuple(builder, result), plan.result, strict=True))
        pairs = list(zip(values, plan.args, strict=True))
        for place, (value, typ) in enumerate(pairs):
            whole = [pair for other, pair in enumerate(pairs) if other != place and pair[1] == INT64]
            for kind in kinds[place]:
                is_out = cgutils.false_bit
                for pair in (*results, *whole):
                    is_out = builder.or_(is_out, builder.not_(_holds(context, builder, *pair, kind)))
                is_cell = _holds(context, builder, value, typ, kind)
                fault = "this may be an int, and ints above 2**53 would be rounded to floats"
                if kind != INT64:
                    fault = f"NumPy computes in {kind} if this is a cell, and the result does not fit: write int(cell)"
                fail_if(context, builder, signature, builder.and_(is_cell, is_out), fault)
        return result

    return Plan(plan.result, plan.args, emit)


def _holds(context: Any, builder: Any, value: Any, typ: types.Type, kind: types.Integer) -> Any:
    """Whether a cell can hold this number; for int64, False for floats that may be rounded ints."""
    if not isinstance(typ, types.Float):
        return in_range(builder, context.cast(builder, value, typ, INT64), kind)
    least, most = (max(kind.minval, -EXACT), min(kind.maxval, EXACT))
    low = builder.fcmp_ordered(">=", value, value.type(float(least)))
    is_within = builder.and_(low, builder.fcmp_ordered("<=", value, value.type(float(most))))
    if not is_small(kind):
        return builder.or_(is_within, builder.not_(is_finite(builder, value)))
    whole = builder.fptosi(builder.select(is_within, value, value.type(0.0)), llvm.IntType(BITS))
    return builder.and_(is_within, builder.fcmp_ordered("==", builder.sitofp(whole, value.type), value))


def summable(numbers: types.Type, kinds: Kinds) -> Plan:
    """Raise if the sum of these ints does not fit 64 bits, or the cells that they may be."""
    low = max([kind.minval for kind in kinds], default=INT64.minval)
    high = min([kind.maxval for kind in kinds], default=INT64.maxval)

    def has_no_sum(context: Any, builder: Any, values: Any) -> Any:
        bounds = [llvm.IntType(BITS)(bound) for bound in (low, high)]
        fits = Signature(BOOL, (numbers, INT64, INT64), None)
        return builder.not_(context.compile_internal(builder, has_sum, fits, (*values, *bounds)))

    return _raising((numbers,), has_no_sum, "the sum does not fit the bits in which it is computed")


def exact_float(number: types.Integer) -> Plan:
    """Raise for a 64-bit int that a float cannot represent exactly."""

    def is_rounded(context: Any, builder: Any, values: Any) -> Any:
        [value] = values
        if number.signed:
            return builder.icmp_unsigned(">", builder.add(value, value.type(EXACT)), value.type(2 * EXACT))
        return builder.icmp_unsigned(">", value, value.type(EXACT))

    fault = "an int above 2**53 shares a variable with floats, and would be rounded to one"
    return _raising((number,), is_rounded, fault)


RANGE = _raising(
    (INT64, INT64),
    lambda context, builder, values: builder.extract_value(builder.ssub_with_overflow(*reversed(values)), 1),
    "the length of a range does not fit 64 bits",
)
"""Raise for a range that is too long, which Numba would treat as empty."""


def _step(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
    [step] = values
    with cgutils.if_unlikely(builder, builder.icmp_signed("==", step, step.type(0))):
        context.call_conv.return_user_exc(builder, ValueError, ("range() arg 3 must not be zero",))
    return context.get_dummy_value()


STEP = Plan(types.none, (INT64,), _step)
"""Raise for a range whose step is 0; Numba does only once the range is read."""


def assigned(name: str) -> Plan:
    """Raise if a local variable was not assigned, according to its flag."""
    fault = f"local {name} is read before it is assigned"
    return _raising((BOOL,), lambda _, builder, values: builder.not_(*values), fault)


DEPTH = _raising(
    (), lambda _, builder, values: stack.is_out(builder), "the rules call themselves too deeply: the stack is full"
)
"""Raise if the stack is full."""
