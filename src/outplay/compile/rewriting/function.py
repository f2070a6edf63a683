"""The rewritten form of a function of the rules."""

import ast
from collections.abc import Iterator
from types import CellType, FunctionType

from outplay.compile.rewriting import faults
from outplay.compile.rewriting.nested import definition_of_lifted
from outplay.compile.rewriting.rewriter import Rewriter
from outplay.compile.rewriting.scope import OURS
from outplay.compile.rewriting.shared_rewriting import results_of
from outplay.compile.rewriting.source import OtherSource, definition_of, function_of


def rewritten(function: FunctionType) -> FunctionType:
    """`function` in a form that Numba knows; the function itself if there is nothing to rewrite, or no source."""
    if any(name.startswith(OURS) for name in (*function.__code__.co_varnames, *function.__code__.co_cellvars)):
        return function
    try:
        definition = definition_of(function)
        work = Rewriter(function, definition)
        if not work.rewrite():
            return function
        cells = {name: CellType(value) for name, value in work.helpers.items()}
        cells |= {lifted.name: CellType() for lifted in work.lifted.values()}
        for lifted in work.lifted.values():
            own = function_of(definition_of_lifted(lifted), function, cells)
            own.__qualname__ = f"{function.__qualname__}.<locals>.{lifted.definition.name}"
            own.is_lazy = lifted.is_lazy  # type: ignore[attr-defined]
            cells[lifted.name].cell_contents = own
        new = function_of(definition, function, cells)
    except (OtherSource, SyntaxError):
        return function
    new.__defaults__, new.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    new.__annotations__ = function.__annotations__
    new.__dict__.update(function.__dict__)
    hints = {name: work.scope.evaluated(hint) for name, hint in work.annotations.items()}
    new.annotated = hints  # type: ignore[attr-defined]
    return new


NAMES = {str: "a string", bool: "a bool"}


def problems_in(function: FunctionType) -> Iterator[tuple[int, str]]:
    """What the source alone shows that does not compile: the line, and why."""
    try:
        definition = definition_of(function)
        constants = [value for value in results_of(definition) if isinstance(value, ast.Constant)]
        results = [constant for constant in constants if constant.value is not None]
        work = Rewriter(function, definition)
        work.rewrite()
    except (OtherSource, SyntaxError):
        return
    lines = {type(result.value): result.lineno for result in reversed(results)}
    if str in lines and len(lines) > 1:
        kinds = " and ".join(f"{NAMES.get(cls, 'a number')} in line {line}" for cls, line in reversed(lines.items()))
        yield min(lines.values()), f"the function returns {kinds}: return one type everywhere"
    attempts = []
    for node in ast.walk(definition):
        match node:
            case ast.Call(ast.Name(name), [ast.Constant(why)]) if work.helpers.get(name) is faults.unknown:
                attempts.append((node.lineno, faults.IN_TRY.format(why)))
            case ast.Call(ast.Name(name), [_, ast.Constant(str(called)), *_]) if (
                work.helpers.get(name) is faults.of_method
            ):
                if work.scope.is_method_of_users(called):
                    attempts.append((node.lineno, faults.CALL_IN_TRY.format(called)))
    yield from sorted(attempts)[:1]
