"""The rewritten form of a function of the rules."""

from types import CellType, FunctionType

from outplay.compile.rewriting.nested import definition_of_lifted
from outplay.compile.rewriting.rewriter import Rewriter
from outplay.compile.rewriting.scope import OURS
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
