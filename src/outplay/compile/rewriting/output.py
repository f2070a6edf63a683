"""What rules print and log: compiled rules do neither, but compute the arguments as Python does."""

import ast
import logging
from collections.abc import Iterable
from typing import Any

from outplay.compile.rewriting.shared_rewriting import Work, placed

LEVELS = ("debug", "info", "warning", "error", "critical", "exception", "log")
OUTPUT = (print, *(getattr(logging, level) for level in LEVELS))
LOGGERS = (logging.Logger, logging.RootLogger, logging.LoggerAdapter)


class OutputRemover(ast.NodeTransformer):
    """Replaces statements that only print or log by what they compute, apart from the text itself."""

    def __init__(self, work: Work) -> None:
        self.work = work

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | list[ast.stmt]:
        """A call of `print`, of a function of `logging`, or of a method of a logger of the module."""
        call = node.value
        if not isinstance(call, ast.Call) or not self._is_output(call.func):
            return node
        self.work.changes += 1
        values = self._computed([*call.args, *(keyword.value for keyword in call.keywords)])
        return placed([*map(ast.Expr, values)] or [ast.Pass()], node)

    def _is_output(self, called: ast.expr) -> bool:
        is_method = isinstance(called, ast.Attribute) and called.attr in LEVELS
        return self._is_one(called, OUTPUT) or (
            is_method and type(self.work.scope.value_of(called.value)) in LOGGERS  # type: ignore[attr-defined]
        )

    def _is_one(self, node: ast.expr, values: Iterable[Any]) -> bool:
        value = self.work.scope.value_of(node)
        return any(value is other for other in values)

    def _computed(self, expressions: list[ast.expr]) -> list[ast.expr]:
        """The parts of what is shown that are more than names and constants."""
        terms: list[ast.expr] = []
        for expression in expressions:
            match expression:
                case ast.Constant() | ast.Name():
                    pass
                case ast.JoinedStr(parts) | ast.Tuple(parts) | ast.List(parts) | ast.Set(parts):
                    terms += self._computed(parts)
                case ast.Dict(keys, values):
                    terms += self._computed([part for pair in zip(keys, values, strict=True) for part in pair if part])
                case ast.FormattedValue(value, format_spec=spec):
                    terms += self._computed([value, *([spec] if spec else [])])
                case ast.Starred(value) | ast.BinOp(ast.Constant(str()), ast.Mod(), value):
                    terms += self._computed([value])
                case ast.Call(function, [value], []) if self._is_one(function, (str, repr)):
                    terms += self._computed([value])
                case _:
                    terms.append(expression)
        return terms
