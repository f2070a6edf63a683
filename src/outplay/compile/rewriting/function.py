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
        cells |= {each.name: CellType() for each in work.lifted.values()}
        for each in work.lifted.values():
            own = function_of(definition_of_lifted(each), function, cells)
            own.__qualname__ = f"{function.__qualname__}.<locals>.{each.definition.name}"
            own.is_lazy = each.is_lazy  # type: ignore[attr-defined]
            cells[each.name].cell_contents = own
        made = function_of(definition, function, cells)
    except (OtherSource, SyntaxError):
        return function
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    made.__annotations__ = function.__annotations__
    made.__dict__.update(function.__dict__)
    hints = {name: work.scope.evaluated(each) for name, each in work.annotations.items()}
    made.annotated = hints  # type: ignore[attr-defined]
    return made


NAMES = {str: "a string", bool: "a bool"}


def problems_in(function: FunctionType) -> Iterator[tuple[int, str]]:
    """What the source alone shows that does not compile: the line, and why."""
    try:
        definition = definition_of(function)
        results = [each for each in results_of(definition) if isinstance(each, ast.Constant) and each.value is not None]
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
