"""The rewritten form of a function of the rules."""

from types import FunctionType

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
        made = function_of(definition, function, work.helpers)
    except (OtherSource, SyntaxError):
        return function
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    made.__annotations__ = function.__annotations__
    made.__dict__.update(function.__dict__)
    return made
