"""Before type inference: calls of NumPy as people write them become calls that Numba knows.

`np.zeros([n, n], dtype=int)` becomes `np.zeros((n, n), dtype=np.int64)`, and `np.hstack((row, False))` becomes
`np.hstack((row, np.array([False])))`; `np.array(board)` copies an array. Numba alone would take
`dtype=int` of `np.full` for a float.
"""

from typing import Any

import numpy as np
from numba import types

from outplay.compile.native.game_type import compiled_only
from outplay.compile.native.internals.numba_names import get_definition, guard, ir
from outplay.compile.native.internals.statements import new_variable

KINDS = {int: np.dtype(int).type, float: np.float64, bool: np.bool_}
"""The types of NumPy that stand for those of Python."""
SHAPED = (np.zeros, np.ones, np.empty, np.full)
"""Functions whose first argument is a shape."""
JOINING = (np.hstack, np.vstack, np.concatenate, np.stack, np.column_stack)
"""Functions whose first argument is a sequence of arrays."""


@compiled_only
def at_least_one_row(value: types.Type) -> Any:
    """`np.atleast_1d(value)`, in compiled rules."""
    if isinstance(value, types.Number | types.Boolean):
        return lambda value: np.array([value])
    return (lambda value: value) if isinstance(value, types.Array) and value.ndim > 0 else None


@compiled_only
def array_of(value: types.Type) -> Any:
    """`np.array(value)`, in compiled rules."""
    if isinstance(value, types.Array):
        return lambda value: value.copy()
    return lambda value: np.array(value)


def prepare_numpy(code: Any) -> None:
    """Rewrite the calls in a function."""
    for block in code.blocks.values():
        body: list[Any] = []
        for statement in block.body:
            call: Any = statement.value if isinstance(statement, ir.Assign) else None
            if getattr(call, "op", "") == "call":
                _prepare(code, block, body, call)
            body.append(statement)
        block.body = body


def _prepare(code: Any, block: Any, body: list[Any], call: Any) -> None:
    function = _called(code, call.func)
    if function is None:
        return
    call.args = [_with_kind(code, block, body, argument) for argument in call.args]
    call.kws = tuple((name, _with_kind(code, block, body, argument)) for name, argument in call.kws)
    if function is np.array and len(call.args) == 1 and not call.kws:
        call.func = new_variable(code, block, body, ir.Global("array_of", array_of, call.loc))
    elif call.args and any(function is other for other in (*SHAPED, *JOINING)):
        row = _row_in(code, call.args[0])
        if row is None:
            return
        items = list(row.items)
        if function is np.hstack:
            wrap = new_variable(code, block, body, ir.Global("at_least_one_row", at_least_one_row, call.loc))
            items = [new_variable(code, block, body, ir.Expr.call(wrap, [item], (), call.loc)) for item in items]
        if row.op == "build_list" or function is np.hstack:
            call.args[0] = new_variable(code, block, body, ir.Expr.build_tuple(items, call.loc))


def _row_in(code: Any, variable: Any) -> Any:
    """The list or tuple that is written as an argument."""
    row = guard(get_definition, code, variable) if variable.name.startswith("$") else None
    return row if isinstance(row, ir.Expr) and row.op in ("build_list", "build_tuple") else None


def _called(code: Any, variable: Any) -> Any:
    """The function of NumPy that is called, or "astype" for the method; None for others."""
    definition = guard(get_definition, code, variable)
    if isinstance(definition, ir.Expr) and definition.op == "getattr":
        if definition.attr == "astype":
            return "astype"
        module = guard(get_definition, code, definition.value)
        is_numpy = isinstance(module, ir.Global | ir.FreeVar) and module.value is np
        return getattr(np, definition.attr, None) if is_numpy else None
    value = definition.value if isinstance(definition, ir.Global | ir.FreeVar) else None
    return value if (getattr(value, "__module__", None) or "").partition(".")[0] == "numpy" else None


def _with_kind(code: Any, block: Any, body: list[Any], variable: Any) -> Any:
    """The argument, or the type of NumPy that it stands for."""
    definition = guard(get_definition, code, variable)
    value = definition.value if isinstance(definition, ir.Global | ir.FreeVar) else None
    if isinstance(value, type) and value in KINDS:
        kind = KINDS[value]
        return new_variable(code, block, body, ir.Global(kind.__name__, kind, definition.loc))
    return variable
