"""Functions within a function that yield or call themselves: they become functions of their own.

The variables that they read become their first parameters, with the values that these variables have at the call.
"""

import ast
import copy
from dataclasses import dataclass

from outplay.compile.rewriting.scope import bound, load
from outplay.compile.rewriting.work import Work


@dataclass
class Lifted:
    """A function that is taken out of another one."""

    name: str
    captured: list[str]
    definition: ast.FunctionDef


def lifted(work: Work, node: ast.FunctionDef) -> Lifted | None:
    """The function that replaces this one; None if it stays where it is."""
    inside = list(ast.walk(node))
    calls_itself = any(isinstance(each, ast.Name) and each.id == node.name for each in inside)
    yields = any(isinstance(each, ast.Yield | ast.YieldFrom) for each in inside)
    odd = any(isinstance(each, ast.Nonlocal | ast.Global | ast.Await) for each in inside)
    if not (calls_itself or yields) or odd or node.decorator_list or not _is_only_called(work.definition, node.name):
        return None
    arguments = node.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
        return None
    if arguments.defaults:
        return None  # Numba wants all arguments of a function that calls itself
    captured = [name for name in work.scope.captured(node) if name != node.name]
    if yields and not all(_is_settled(work.definition, node, name) for name in captured):
        return None
    return Lifted(work.scope.new(node.name), captured, node)


def _is_only_called(around: ast.FunctionDef, name: str) -> bool:
    """Whether a function is defined once, and only called by its name."""
    if list(bound(around)).count(name) != 1:
        return False
    called = {
        id(each.func)
        for each in ast.walk(around)
        if isinstance(each, ast.Call) and not any(isinstance(arg, ast.Starred) for arg in each.args)
    }
    return all(id(each) in called for each in ast.walk(around) if isinstance(each, ast.Name) and each.id == name)


def _is_settled(around: ast.FunctionDef, node: ast.FunctionDef, name: str) -> bool:
    """Whether a variable is no longer assigned after this definition."""
    loops = [each for each in ast.walk(around) if isinstance(each, ast.For | ast.While)]
    if any(node is each for one in loops for each in ast.walk(one)):
        return False
    own = {id(each) for each in ast.walk(node)}
    return all(
        each.lineno < node.lineno
        for each in ast.walk(around)
        if isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store) and id(each) not in own
    )


def call(work: Work, found: Lifted, node: ast.Call) -> ast.expr:
    """A call of the function, with the variables that it reads."""
    name = ast.copy_location(load(found.name), node.func)
    given: list[ast.expr] = [ast.copy_location(load(each), node) for each in found.captured]
    node.func, node.args = name, [*given, *node.args]
    work.generic_visit(node)
    return node


def definition_of_lifted(found: Lifted) -> ast.FunctionDef:
    """Its definition, with the parameters that it has now."""
    made = copy.copy(found.definition)
    made.args = copy.copy(made.args)
    made.args.args = [*map(ast.arg, found.captured), *made.args.args]
    return ast.fix_missing_locations(made)
