"""New objects whose attributes are assigned at once: `board = Board(n)` and then `board.pieces = np.copy(pieces)`.

The attribute may be of another type than the constructor gives it. Compiled objects have attributes of fixed types, so
`remade` makes the object anew with this one: nobody else holds the object yet, so nobody can tell the difference.
"""

import ast
import dataclasses
import inspect
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from outplay.compile.references import MISSING, after, defined_in, is_foreign, is_frozen, member_function, member_of
from outplay.compile.rewriting.scope import bound, load, names_of, renamed, store
from outplay.compile.rewriting.shared_rewriting import Work
from outplay.compile.rewriting.source import OtherSource, definition_of

Known = frozenset[FunctionType]
"""The methods that are being looked at."""


def remade(made: Any, name: str, value: Any) -> Any:
    """`made`, a new object, with another value of an attribute."""
    setattr(made, name, value)
    return made


def remake_objects(work: Work, definition: ast.FunctionDef) -> None:
    """Rewrite such assignments in a function."""
    definition.body = _block(work, definition, definition.body)


def _block(work: Work, definition: ast.FunctionDef, body: list[ast.stmt]) -> list[ast.stmt]:
    steps: list[ast.stmt] = []
    for place, step in enumerate(body):
        if isinstance(step, ast.If | ast.For | ast.While):
            step.body, step.orelse = _block(work, definition, step.body), _block(work, definition, step.orelse)
        match step:
            case ast.Assign([ast.Name(name)], ast.Call(function)):
                cls = _class_of(work, function)
                if cls is not None and not _is_captured(definition, name):
                    _follow(work, cls, name, step, body[place + 1 :])
        steps.append(step)
    return steps


def _follow(work: Work, cls: type, name: str, start: ast.Assign, rest: list[ast.stmt]) -> None:
    """Rewrite the assignments of attributes that follow a call of a class."""
    steps: list[ast.stmt] = []
    length = 0
    for statement in rest:
        if not isinstance(statement, SIMPLE) or not _keeps(cls, name, statement, frozenset()):
            break
        steps.append(statement)
        length = len(steps) if _attribute(statement, name) else length
    if length == 0:
        return
    held = work.scope.variable("made")
    start.targets = [ast.copy_location(store(held), start.targets[0])]
    for place, step in enumerate(steps[:length]):
        attribute = _attribute(step, name)
        renamed(step, {name: held})
        if attribute and isinstance(step, ast.Assign):
            call = work.call(remade, load(held), ast.Constant(attribute), step.value)
            held = name if place == length - 1 else work.scope.variable("made")
            step.targets, step.value = [store(held)], call
            ast.fix_missing_locations(step)
    work.changes += 1


SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Assert, ast.Pass)
"""Statements that may come between."""


def _attribute(statement: ast.stmt, name: str) -> str:
    """The attribute of this variable that a statement assigns; "" if none."""
    match statement:
        case ast.Assign([ast.Attribute(ast.Name(owner), attribute)]) if owner == name:
            return attribute
    return ""


def _class_of(work: Work, function: ast.expr) -> type | None:
    """The class of users whose new objects nobody else holds; None if a call is of anything else."""
    value = work.scope.value_of(function)
    if value is MISSING and isinstance(function, ast.Attribute):
        owner = work.scope.value_of(function.value)
        value = vars(owner).get(function.attr, MISSING) if isinstance(owner, ModuleType) else MISSING
    if not isinstance(value, type) or is_foreign(value) or issubclass(value, (tuple, BaseException)):
        return None
    init = member_function(member_of(value, "__init__"))
    is_safe = not is_frozen(value) and (init is None or _is_safe(value, init, frozenset()))
    return value if is_safe else None


def is_field(cls: type, name: str) -> bool:
    """Whether assigning to an attribute only stores the value."""
    member = member_of(cls, name)
    return (inspect.ismemberdescriptor(member) or not hasattr(type(member), "__set__")) and not name.startswith("__")


def _is_captured(definition: ast.FunctionDef, name: str) -> bool:
    """Whether a variable is read by a function within the function, or is not its own."""
    calls = {id(argument) for node in ast.walk(definition) if isinstance(node, ast.Call) for argument in node.args}
    for node in ast.walk(definition):
        match node:
            case ast.Global(names) | ast.Nonlocal(names) if name in names:
                return True
            case ast.FunctionDef() | ast.Lambda() | ast.GeneratorExp() | ast.ClassDef() if node is not definition:
                is_read_now = isinstance(node, ast.GeneratorExp) and id(node) in calls
                if not is_read_now and name in names_of(node):
                    return True
    return False


def _is_safe(cls: type, method: FunctionType, safe: Known) -> bool:
    """Whether a method lets its object out nowhere: it reads and assigns attributes, and calls such methods."""
    if method in safe:
        return True
    if dataclasses.is_dataclass(cls) and method.__code__.co_filename == "<string>" and method.__name__ == "__init__":
        then = member_function(member_of(cls, "__post_init__"))
        return then is None or _is_safe(cls, then, safe | {method})
    try:
        definition = definition_of(method)
    except (OtherSource, SyntaxError):
        return False
    first = [argument.arg for argument in definition.args.args[:1]]
    if not first or any(first[0] in bound(step) for step in definition.body) or _is_captured(definition, first[0]):
        return False
    return all(
        _keeps(cls, first[0], step, safe | {method}, lambda name: after(cls, defined_in(method), name))
        for step in definition.body
    )


def _keeps(
    cls: type, name: str, tree: ast.AST, safe: Known, of_super: Callable[[str], Any] = lambda name: MISSING
) -> bool:
    """Whether nothing in `tree` keeps the object in this variable, or passes it on."""
    match tree:
        case ast.Call(ast.Attribute(ast.Name(owner), attribute), args, keywords) if owner == name:
            member = member_of(cls, attribute)
            function = member_function(member)
            if function is None or isinstance(member, property):
                return False
            is_safe = isinstance(member, staticmethod | classmethod) or _is_safe(cls, function, safe)
            return is_safe and all(_keeps(cls, name, argument, safe, of_super) for argument in (*args, *keywords))
        case ast.Call(ast.Attribute(ast.Call(ast.Name("super"), []), attribute), args, keywords):
            member = of_super(attribute)
            function = member_function(member)
            is_safe = member is vars(object).get(attribute) or (function is not None and _is_safe(cls, function, safe))
            return is_safe and all(_keeps(cls, name, argument, safe, of_super) for argument in (*args, *keywords))
        case ast.Attribute(ast.Name(owner), attribute) if owner == name:
            if isinstance(tree.ctx, ast.Load):
                return member_function(member_of(cls, attribute)) is None and not attribute.startswith("__")
            return is_field(cls, attribute)
        case ast.Name(owner):
            return owner not in (name, "super", "locals", "vars", "eval", "exec")
    return all(_keeps(cls, name, child, safe, of_super) for child in ast.iter_child_nodes(tree))
