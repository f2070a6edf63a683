"""Functions within a function that yield or call themselves: they become functions of their own.

The variables that they read become their first parameters, with the values that these variables have at the call.
"""

import ast
import copy
from dataclasses import dataclass

from outplay.compile.rewriting.scope import bound, load, names_of
from outplay.compile.rewriting.shared_rewriting import Work


@dataclass
class Lifted:
    """A function that is taken out of another one."""

    name: str
    captured: list[str]
    definition: ast.FunctionDef
    is_lazy: bool = False  # whether it must not yield more values than are asked for


def lifted(work: Work, node: ast.FunctionDef) -> Lifted | None:
    """The function that replaces this one; None if it stays where it is."""
    inside = list(ast.walk(node))
    calls_itself = node.name in names_of(node)
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


def by_name() -> None:
    """A call with arguments by name that cannot be put in order: does not compile."""


def in_order(work: Work, node: ast.Call) -> None:
    """Write out all arguments of a call of a function within the function: Numba overlooks names and some defaults."""
    if not isinstance(node.func, ast.Name) or node.func.id not in work.scope.local:
        return
    name = node.func.id
    inside = [each for each in ast.walk(work.definition) if each is not work.definition]
    found = [arguments for each in inside if (arguments := _defined(each, name)) is not None]
    if not (found if node.keywords else any(_is_partly_given(each, node) for each in found)):
        return
    work.changes += 1
    given = _in_order(found[0], node) if len(found) == list(bound(work.definition)).count(name) == 1 else None
    if given is None:
        node.func = ast.copy_location(work.helper(by_name), node.func)
    else:
        node.args, node.keywords = given, []


def _defined(node: ast.AST, name: str) -> ast.arguments | None:
    """The parameters of the function of this name, if it is defined here."""
    match node:
        case ast.FunctionDef(known, arguments) if known == name:
            return arguments
        case ast.Assign([ast.Name(known)], ast.Lambda(arguments)) if known == name:
            return arguments
    return None


def _is_partly_given(parameters: ast.arguments, node: ast.Call) -> bool:
    """Whether a call leaves out some of the parameters that have defaults, but not all: Numba then mixes them up."""
    return 0 < len(parameters.args) - len(node.args) < len(parameters.defaults)


def _in_order(parameters: ast.arguments, node: ast.Call) -> list[ast.expr] | None:
    """All arguments, with defaults between them; None if that is not possible."""
    if parameters.vararg or parameters.kwarg or parameters.kwonlyargs or parameters.posonlyargs:
        return None
    names = [argument.arg for argument in parameters.args]
    defaults = dict(zip(reversed(names), reversed(parameters.defaults), strict=False))
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    places = [names.index(each) for each in named if each in names]
    is_plain = all(isinstance(each, ast.Constant | ast.Name) for each in named.values())
    is_known = len(places) == len(node.keywords) and not any(
        isinstance(argument, ast.Starred) for argument in node.args
    )
    if not is_known or min(places, default=len(names)) < len(node.args) or not (is_plain or places == sorted(places)):
        return None
    given = [*node.args]
    for name in names[len(given) :]:
        value = named.get(name, defaults.get(name))
        if value is None or (name not in named and not _is_constant(value)):
            return None
        given.append(copy.deepcopy(value))
    return given


def _is_constant(node: ast.expr) -> bool:
    """Whether a default is written out, so that it has the same value wherever it is written."""
    if isinstance(node, ast.Tuple):
        return all(map(_is_constant, node.elts))
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)
