"""Functions and methods of NumPy arrays with arguments that Numba does not know, or for which its code is slow."""

import ast
from typing import Any

import numpy as np

from outplay.compile.references import MISSING
from outplay.compile.rewriting.scope import is_literal
from outplay.compile.rewriting.shared_rewriting import Work


def all_along(array: Any, axis: int) -> Any:
    """`array.all(axis)`."""
    return array.all(axis)


def any_along(array: Any, axis: int) -> Any:
    """`array.any(axis)`."""
    return array.any(axis)


def summed_along(array: Any, axis: int) -> Any:
    """`array.sum(axis)`."""
    return array.sum(axis)


def rolled(array: Any, shift: int, axis: int) -> Any:
    """`numpy.roll(array, shift, axis)`."""
    return np.roll(array, shift, axis)


def flattened(array: Any) -> Any:
    """`array.flatten()`."""
    return array.flatten()


def crossed(array: Any, rows: Any, columns: Any) -> Any:
    """`array[numpy.ix_(rows, columns)]`."""
    return array[np.ix_(rows, columns)]


METHODS = {"all": all_along, "any": any_along, "sum": summed_along}
FUNCTIONS: list[tuple[Any, Any, tuple[str, ...]]] = [
    (np.all, all_along, ("axis",)), (np.any, any_along, ("axis",)), (np.sum, summed_along, ("axis",)),
    (np.roll, rolled, ("shift", "axis")),
]  # fmt: skip
"""The functions of NumPy, what takes their place, and the names of the arguments after the array: all are given."""


def called(work: Work, node: ast.Call) -> ast.expr | None:
    """A call with an axis, or of `flatten`; None for others."""
    match node:
        case ast.Call(ast.Attribute(array, "flatten"), [], []) if work.scope.value_of(node.func) is MISSING:
            return work.changed(work.call(flattened, array), node, again=True)
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    value = work.scope.value_of(node.func)
    if value is MISSING and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
        arguments = _arguments(node.args, node, ("axis",))
        if arguments is None or not is_literal(arguments[-1], int):
            return None
        call = ast.Call(work.helper(METHODS[node.func.attr]), [node.func.value, *arguments], [])
        return work.changed(call, node, again=True)
    for function, helper, names in FUNCTIONS:
        if value is function and node.args:
            arguments = _arguments(node.args[1:], node, names)
            if arguments is not None and is_literal(arguments[-1], int):
                return work.changed(ast.Call(work.helper(helper), [node.args[0], *arguments], []), node, again=True)
    return None


def _arguments(positional: list[ast.expr], node: ast.Call, names: tuple[str, ...]) -> list[ast.expr] | None:
    """All arguments with these names, in this order, if they are given so."""
    words = [keyword.arg for keyword in node.keywords]
    if len(positional) + len(words) != len(names) or tuple(words) != names[len(positional) :]:
        return None
    return [*positional, *(keyword.value for keyword in node.keywords)]


def item(work: Work, node: ast.Subscript) -> ast.expr | None:
    """`array[numpy.ix_(rows, columns)]`."""
    match node:
        case ast.Subscript(array, ast.Call(function, [rows, columns], []), ast.Load()):
            if work.scope.value_of(function) is np.ix_ and not isinstance(rows, ast.Starred):
                call = work.call(crossed, array, rows, columns)
                return work.changed(call, node, again=True)
    return None
