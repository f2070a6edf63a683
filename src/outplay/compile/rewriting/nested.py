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
    yields = any(isinstance(part, ast.Yield | ast.YieldFrom) for part in inside)
    odd = any(isinstance(part, ast.Nonlocal | ast.Global | ast.Await) for part in inside)
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
    called_ids = {
        id(part.func)
        for part in ast.walk(around)
        if isinstance(part, ast.Call) and not any(isinstance(arg, ast.Starred) for arg in part.args)
    }
    return all(id(part) in called_ids for part in ast.walk(around) if isinstance(part, ast.Name) and part.id == name)


def _is_settled(around: ast.FunctionDef, node: ast.FunctionDef, name: str) -> bool:
    """Whether a variable is no longer assigned after this definition."""
    loops = [part for part in ast.walk(around) if isinstance(part, ast.For | ast.While)]
    if any(node is part for one in loops for part in ast.walk(one)):
        return False
    own = {id(part) for part in ast.walk(node)}
    return all(
        part.lineno < node.lineno
        for part in ast.walk(around)
        if isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Store) and id(part) not in own
    )


def call(work: Work, function: Lifted, node: ast.Call) -> ast.expr:
    """A call of the function, with the variables that it reads."""
    name = ast.copy_location(load(function.name), node.func)
    values: list[ast.expr] = [ast.copy_location(load(variable), node) for variable in function.captured]
    node.func, node.args = name, [*values, *node.args]
    work.generic_visit(node)
    return node


def definition_of_lifted(function: Lifted) -> ast.FunctionDef:
    """Its definition, with the parameters that it has now."""
    definition = copy.copy(function.definition)
    definition.args = copy.copy(definition.args)
    definition.args.args = [*map(ast.arg, function.captured), *definition.args.args]
    return ast.fix_missing_locations(definition)


def by_name() -> None:
    """A call with arguments by name that cannot be put in order: does not compile."""


def in_order(work: Work, node: ast.Call) -> None:
    """Write out all arguments of a call of a function within the function: Numba overlooks names and some defaults."""
    if not isinstance(node.func, ast.Name) or node.func.id not in work.scope.local:
        return
    name = node.func.id
    inside = [part for part in ast.walk(work.definition) if part is not work.definition]
    definitions = [arguments for part in inside if (arguments := _defined(part, name)) is not None]
    if not (definitions if node.keywords else any(_is_partly_given(part, node) for part in definitions)):
        return
    work.changes += 1
    is_clear = len(definitions) == list(bound(work.definition)).count(name) == 1
    in_full = _in_order(definitions[0], node) if is_clear else None
    if in_full is None:
        node.func = ast.copy_location(work.helper(by_name), node.func)
    else:
        node.args, node.keywords = in_full, []


def _defined(node: ast.AST, name: str) -> ast.arguments | None:
    """The parameters of the function of this name, if it is defined here."""
    match node:
        case ast.FunctionDef(own_name, arguments) if own_name == name:
            return arguments
        case ast.Assign([ast.Name(own_name)], ast.Lambda(arguments)) if own_name == name:
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
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    places = [names.index(name) for name in keywords if name in names]
    is_plain = all(isinstance(value, ast.Constant | ast.Name) for value in keywords.values())
    is_known = len(places) == len(node.keywords) and not any(
        isinstance(argument, ast.Starred) for argument in node.args
    )
    if not is_known or min(places, default=len(names)) < len(node.args) or not (is_plain or places == sorted(places)):
        return None
    ordered = [*node.args]
    for name in names[len(ordered) :]:
        value = keywords.get(name, defaults.get(name))
        if value is None or (name not in keywords and not _is_constant(value)):
            return None
        ordered.append(copy.deepcopy(value))
    return ordered


def _is_constant(node: ast.expr) -> bool:
    """Whether a default is written out, so that it has the same value wherever it is written."""
    if isinstance(node, ast.Tuple):
        return all(map(_is_constant, node.elts))
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)
