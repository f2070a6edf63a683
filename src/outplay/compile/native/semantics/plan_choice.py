"""The choice of a plan for an operator or function, given the types of its arguments."""

import math
import operator
from collections.abc import Callable
from typing import Any

from numba import types

from outplay.compile.native.class_type import ClassType
from outplay.compile.native.frozen.enums import EnumMember
from outplay.compile.native.internals.numba_names import cgutils, refused
from outplay.compile.native.object_type import ObjectType
from outplay.compile.native.semantics import integers
from outplay.compile.native.semantics.comparisons import comparison
from outplay.compile.native.semantics.floats import of_math
from outplay.compile.native.semantics.lost_cells import is_small
from outplay.compile.native.semantics.nan_comparisons import comparison_of_containers, membership
from outplay.compile.native.semantics.numbers_in_texts import text_of_number
from outplay.compile.native.semantics.optionals import equality, failing, may_be_none, opposite, value_of
from outplay.compile.native.semantics.plans import (
    BITWISE,
    BOOL,
    COMPARISONS,
    FLOAT32,
    INPLACE,
    SYMBOLS,
    UINT64,
    UNARY,
    Emit,
    Plan,
    delegate,
    fits,
    literal_of,
)
from outplay.compile.native.semantics.sets import of_sets
from outplay.compile.references import member_function, member_of


def _of_arrays(context: Any, plain: Any, op: Any, a: types.Type, b: types.Type) -> Plan | None:
    """An operator on an array of small cells, computed for each cell in its own bits, one operation at a time."""
    symbol = SYMBOLS.get(op)
    arrays = [isinstance(typ, types.Array) for typ in (a, b)]
    if symbol is None or not any(arrays):
        return None
    cells = [typ.dtype for typ in (a, b) if isinstance(typ, types.Array)]
    if not any(is_small(cell) or cell in (UINT64, FLOAT32) for cell in cells):
        return None
    operands = [types.unliteral(a), types.unliteral(b)]
    if not all(arrays):
        place = arrays.index(False)
        number, cell = (a, b)[place], cells[0]
        literal = literal_of(number)
        if literal is not None and isinstance(cell, types.Integer) and fits(literal, cell):
            operands[place] = cell
        elif operands[place] != cell and operands[place] != BOOL and isinstance(operands[place], types.Number):
            raise refused(f"{symbol} of an array of {cell} and {operands[place]}: write numpy.{cell}(number)")
    signature = context.resolve_function_type(plain, tuple(operands), {})
    if signature is None:
        return None
    return Plan(signature.return_type, signature.args, delegate(plain, *signature.args))


MATH = [
    *(math.sqrt, math.exp, math.expm1, math.log, math.log2, math.log10, math.log1p, math.pow),
    *(math.sin, math.cos, math.tan, math.asin, math.acos, math.atan, math.atan2),
    *(math.sinh, math.cosh, math.tanh, math.asinh, math.acosh, math.atanh, math.floor, math.ceil, math.trunc),
]


def numbers_of(op: Any, args: tuple[types.Type, ...]) -> tuple[types.Type, ...]:
    """The types with ints in place of members that are ints."""
    if op is operator.not_ or op is bool:
        return args
    return tuple(types.int64 if isinstance(arg, EnumMember) and arg.is_int else arg for arg in args)


def combined(op: Any, *operands: types.Type) -> Emit:
    """The code of an operator that combines flags."""
    if op is operator.invert:
        return delegate(opposite_flags, *operands)
    return lambda context, builder, signature, values: getattr(builder, op.__name__)(*values)


def opposite_flags(flags: Any) -> Any:
    """`~flags`."""


def identity(context: Any, plain: Any, args: tuple[types.Type, ...], checked: bool) -> Plan | None:
    """The plan of `is` for members of enumerations."""
    if types.none in args:
        return None
    if not all(isinstance(value_of(arg), EnumMember) for arg in args):
        raise refused("`is` of a member of an enumeration and something else: write ==")
    op = operator.eq if plain is operator.is_ else operator.ne
    if any(map(may_be_none, args)):
        return equality(context, op, args, checked, plan)
    if args[0] != args[1]:
        return Plan(BOOL, args, lambda context, builder, signature, values: cgutils.bool_t(plain is operator.is_not))
    symbol = COMPARISONS[op]
    return Plan(BOOL, args, lambda context, builder, signature, values: builder.icmp_signed(symbol, *values))


EQUALITIES = (operator.eq, operator.ne)
IDENTIFIED = (types.Boolean, types.List, types.Set, ObjectType, ClassType)
"""Types of values that are the same in compiled code where they are in Python; others are copied, or shared."""


OWN_OPERATORS: dict[Any, tuple[str, Any]] = {}
"""The special method of each operator, and a function that calls that of a named tuple; filled by `classes`."""


def of_named_tuple(context: Any, op: Any, args: tuple[types.Type, ...]) -> Plan | None:
    """The plan of an operator that the class of a named tuple defines."""
    (name, call), own = OWN_OPERATORS.get(op, ("", None)), value_of(args[0])
    if not isinstance(own, types.BaseNamedTuple) or member_function(member_of(own.instance_class, name)) is None:
        return None
    signature = context.resolve_function_type(call, (own, *map(types.unliteral, args[1:])), {})
    return None if signature is None else Plan(signature.return_type, signature.args, delegate(call, *signature.args))


OF_ONE: dict[Any, Callable[[types.Type], Plan | None]] = {
    int: integers.to_int,
    str: text_of_number,
    float: integers.to_float,
}


def plan(context: Any, plain: Any, args: tuple[types.Type, ...], checked: bool) -> Plan | None:
    """The plan of the twin of `plain` for arguments of these types; None if it is the same as `plain`.

    Raises `TypingError` if the types show that compiled and interpreted rules could differ.
    """
    if plain is operator.contains:
        return membership(context, *args)
    op = INPLACE.get(plain, plain)
    if (own := of_named_tuple(context, op, args)) is not None:
        return own
    if any(isinstance(arg, EnumMember) for arg in args):
        if plain in (operator.is_, operator.is_not):
            return identity(context, plain, args, checked)
        if op in (*BITWISE, operator.invert) and isinstance(args[0], EnumMember) and args[0].is_flag:
            if all(arg == args[0] for arg in args):
                return Plan(args[0], args, combined(op, *args))
            raise refused("flags are combined with something else: use members of the flag alone")
        args = numbers_of(op, args)
    if plain is operator.not_:
        return opposite(args[0])
    if any(isinstance(arg, types.Optional) for arg in args) and plain not in (operator.is_, operator.is_not):
        if op in EQUALITIES:
            return equality(context, op, args, checked, plan)
        args = tuple(map(value_of, args))
    if types.none in args and len(args) == 2 and (op in SYMBOLS or (op in COMPARISONS and op not in EQUALITIES)):
        return failing(op, args)
    if (combined_sets := of_sets(context, plain, args)) is not None:
        return combined_sets
    if op in SYMBOLS and len(args) == 2:
        return integers.arithmetic(op, *args, checked) or _of_arrays(context, plain, op, *args)
    if op in COMPARISONS and len(args) == 2:
        return comparison(op, *args) or comparison_of_containers(op, *args)
    if op in UNARY:
        return integers.unary(op, args[0], checked)
    if plain in MATH:
        return of_math(plain, args)
    if plain is abs and len(args) == 1:
        return integers.absolute(*args, checked)
    if plain in OF_ONE and len(args) == 1:
        return OF_ONE[plain](*args)
    if plain is pow and len(args) == 2:
        return integers.arithmetic(operator.pow, *args, checked)
    if plain is round:
        return integers.to_rounded(args)
    if plain is operator.is_ or plain is operator.is_not:
        if types.none not in args and not any(all(isinstance(typ, kind) for typ in args) for kind in IDENTIFIED):
            raise refused("`is` of anything but None, bools, lists, sets, objects and classes: write ==")
        if all(isinstance(typ, ObjectType) and typ.cls in typ.natives.others.unchanging for typ in map(value_of, args)):
            raise refused("`is` of objects of which one is in several places of a state: write ==")
        return None
    if plain is divmod and len(args) == 2:
        return integers.quotient_and_rest(types.unliteral(args[0]), types.unliteral(args[1]), checked)
    return None
