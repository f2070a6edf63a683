"""Refusals of ints that do not fit 64 bits with a sign, which Numba would treat as another type."""

from typing import Any

from numba import types

from outplay.compile.native.game_type import GameType
from outplay.compile.native.internals.numba_names import ir, refused
from outplay.compile.native.semantics.bit_boards import operation
from outplay.compile.native.semantics.plans import COMPARISONS, INT64, UINT64, fits


def refuse_mixtures(blocks: Any, typemap: Any) -> None:
    """Refuse ints that become floats in a variable, list, set, `min` or `max`: beside a `numpy.uint64`, or a float."""
    sources: dict[str, list[ir.Var]] = {}
    for block in blocks.values():
        for statement in block.find_insts(ir.Assign):
            value, name = statement.value, statement.target.name
            if isinstance(value, ir.Var):
                sources.setdefault(name, []).append(value)
            elif isinstance(value, ir.Expr) and value.op in ("build_list", "build_set"):
                sources.setdefault(name, []).extend(value.items)
            elif isinstance(value, ir.Expr) and value.op == "call":
                callee = getattr(typemap[value.func.name], "typing_key", None)
                if getattr(callee, "plain", callee) in (min, max):
                    sources.setdefault(name, []).extend(value.args)
    for name, variables in sources.items():
        typ = typemap[name]
        kinds = [types.unliteral(typemap[variable.name]) for variable in variables]
        is_float = isinstance(getattr(typ, "dtype", typ), types.Float)
        if is_float and kinds and all(isinstance(kind, (types.Integer, types.Boolean)) for kind in kinds):
            if types.uint64 in kinds:
                raise refused("an int and a numpy.uint64 share a variable: write numpy.uint64(number) for the int")
            raise refused("ints become floats here: write float(number), or 1.0 instead of 1")


def refuse_large_ints(blocks: Any, typemap: Any) -> None:
    """Refuse Python ints of 2**63 or more, which Numba treats as `numpy.uint64`, except where that is meant.

    They may meet or become a `numpy.uint64`, be compared with anything, and be returned by a rule as a mask.
    """
    statements = [statement for block in blocks.values() for statement in block.body]
    values = [(statement.target.name, statement.value) for statement in statements if isinstance(statement, ir.Assign)]
    large = {name for name, value in values if _is_large(value, typemap)}
    size = 0
    while size != (size := len(large)):
        large |= {name for name, value in values if _copied(value) in large}
    for statement in statements if large else ():
        value: Any = getattr(statement, "value", None)
        if isinstance(statement, ir.Del | ir.Return) or _copied(value) or _is_large(value, typemap):
            continue
        used = {variable.name for variable in statement.list_vars()} & large
        symbol, operands = operation(value) or (None, ())
        if len(operands) == 2:
            other = [types.unliteral(typemap[operand.name]) for operand in operands if operand.name not in large]
            if symbol in COMPARISONS or other == [UINT64]:
                continue
        elif getattr(value, "op", "") == "call" and typemap[value.func.name] == types.NumberClass(UINT64):
            continue
        if used:
            raise refused("an int of 2**63 or more: write numpy.uint64(number)")


def _copied(value: Any) -> str:
    """The name of the variable that this is a copy of."""
    if isinstance(value, ir.Expr) and value.op == "cast":
        value = value.value
    return value.name if isinstance(value, ir.Var) else ""


def _is_large(value: Any, typemap: Any) -> bool:
    constant = value.value if isinstance(value, ir.Const | ir.Global | ir.FreeVar) else 0
    if getattr(value, "op", "") == "getattr" and isinstance(game := typemap[value.value.name], GameType):
        constant = game.ask("value", value.attr) if ("value", value.attr) in game.answers else 0
    return type(constant) is int and not fits(constant, INT64)
