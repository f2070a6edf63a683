"""Calls of functions that are given as arguments, such as a key: the call is written out where it is known."""

import ast
import copy
import operator
from collections.abc import Sequence
from typing import Any

from outplay.compile.references import MISSING
from outplay.compile.rewriting.scope import Scope, renamed

BINARY: dict[Any, type[ast.operator]] = {
    operator.add: ast.Add, operator.sub: ast.Sub, operator.mul: ast.Mult, operator.truediv: ast.Div,
    operator.floordiv: ast.FloorDiv, operator.mod: ast.Mod, operator.pow: ast.Pow, operator.and_: ast.BitAnd,
    operator.or_: ast.BitOr, operator.xor: ast.BitXor, operator.lshift: ast.LShift, operator.rshift: ast.RShift,
}  # fmt: skip
COMPARED: dict[Any, type[ast.cmpop]] = {
    operator.eq: ast.Eq, operator.ne: ast.NotEq, operator.lt: ast.Lt, operator.le: ast.LtE,
    operator.gt: ast.Gt, operator.ge: ast.GtE, operator.is_: ast.Is, operator.is_not: ast.IsNot,
}  # fmt: skip
UNARY: dict[Any, type[ast.unaryop]] = {
    operator.neg: ast.USub, operator.pos: ast.UAdd, operator.invert: ast.Invert, operator.not_: ast.Not,
}  # fmt: skip


def called(scope: Scope, function: ast.expr, names: Sequence[str]) -> ast.expr:
    """The expression that calls `function` with these variables, which nobody else assigns."""
    variables: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names]
    match function:
        case ast.Lambda(ast.arguments([], args, None, [], [], None, []), body) if len(args) == len(names):
            names_of_parameters = dict(zip((argument.arg for argument in args), names, strict=True))
            return renamed(copy.deepcopy(body), names_of_parameters)
        case ast.Call(getter, [ast.Constant() as key], []) if len(names) == 1:
            if scope.value_of(getter) is operator.itemgetter:
                return ast.Subscript(variables[0], key, ast.Load())
            if scope.value_of(getter) is operator.attrgetter and isinstance(key.value, str) and "." not in key.value:
                return ast.Attribute(variables[0], key.value, ast.Load())
    written = written_out(scope.value_of(function), variables)
    return ast.Call(copy.deepcopy(function), variables, []) if written is None else written


def written_out(value: Any, arguments: Sequence[ast.expr]) -> ast.expr | None:
    """The operator for a call of a function of the module `operator`; None for others."""
    if value is MISSING or getattr(value, "__module__", None) != "_operator":
        return None
    match arguments:
        case [left, right] if value in BINARY:
            return ast.BinOp(left, BINARY[value](), right)
        case [left, right] if value in COMPARED:
            return ast.Compare(left, [COMPARED[value]()], [right])
        case [left, right] if value is operator.getitem:
            return ast.Subscript(left, right, ast.Load())
        case [left, right] if value is operator.contains:
            return ast.Compare(right, [ast.In()], [left])
        case [operand] if value in UNARY:
            return ast.UnaryOp(UNARY[value](), operand)
    return None


def is_stable(scope: Scope, function: ast.expr) -> bool:
    """Whether the expression means the same function each time it is evaluated."""
    match function:
        case ast.Name() | ast.Lambda():
            return True
        case ast.Attribute(owner):
            return is_stable(scope, owner)
        case ast.Call(getter, [ast.Constant()], []):
            return scope.value_of(getter) in (operator.itemgetter, operator.attrgetter)
    return False
