"""The names of a function that is rewritten: which are local, what the others stand for, and names that are free."""

import ast
import builtins
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any, TypeVar

from outplay.compile.references import MISSING, content_of, is_foreign

OURS = "_outplay_"
"""The beginning of the names of all new variables and functions."""

Node = TypeVar("Node", bound=ast.AST)


class Scope:
    """The names in a function."""

    def __init__(self, function: FunctionType, definition: ast.FunctionDef) -> None:
        self.enclosing = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        self._globals = function.__globals__
        self.local = set(bound(definition))
        """Every name that is bound anywhere in the function, in nested scopes too."""
        self._used = {*self.local, *self.enclosing, *self._globals, *dir(builtins)}
        self._used |= names_of(definition)

    def new(self, stem: str) -> str:
        """A name that nobody uses."""
        number = 1
        while (name := f"{OURS}{stem}_{number}") in self._used:
            number += 1
        self._used.add(name)
        return name

    def variable(self, stem: str = "item") -> str:
        """A new local variable."""
        name = self.new(stem)
        self.local.add(name)
        return name

    def like(self, stem: str) -> str:
        """A new local variable, whose name shows what it is; reading it before it is assigned is an error."""
        name = stem
        while name in self._used:
            name += "_"
        self._used.add(name)
        self.local.add(name)
        return name

    def value_of(self, node: ast.expr) -> Any:
        """What a name or `module.name` stands for when the rules are compiled; `MISSING` if it is a variable."""
        if isinstance(node, ast.Name):
            if node.id in self.local:
                return MISSING
            if node.id in self.enclosing:
                return content_of(self.enclosing[node.id])
            return self._globals.get(node.id, getattr(builtins, node.id, MISSING))
        if isinstance(node, ast.Attribute):
            owner = self.value_of(node.value)
            if isinstance(owner, ModuleType | type) and is_foreign(owner):
                return getattr(owner, node.attr, MISSING)
        return MISSING

    def is_method_of_users(self, name: str) -> bool:
        """Whether a class of the module of the function defines a method of this name."""
        return any(
            isinstance(item, type) and not is_foreign(item) and name in vars(item) for item in self._globals.values()
        )

    def evaluated(self, annotation: ast.expr) -> Any:
        """What an annotation stands for; None if that is not known."""
        text = annotation.value if isinstance(annotation, ast.Constant) else ast.unparse(annotation)
        names = {name: content_of(cell) for name, cell in self.enclosing.items()}
        try:
            return eval(str(text), self._globals, names)  # noqa: S307 - as Python does for annotations of the module
        except Exception:  # of names that are known only to type checkers
            return None

    def captured(self, definition: ast.FunctionDef) -> list[str]:
        """The variables of enclosing functions that a definition reads."""
        return sorted(names_of(definition) & (self.local | self.enclosing.keys()) - set(bound(definition)))


def names_of(*nodes: ast.AST) -> set[str]:
    """The variables in syntax trees."""
    return {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}


def bound(node: ast.AST) -> Iterator[str]:
    """The names that are bound anywhere in a function or an expression."""
    for part in ast.walk(node):
        match part:
            case ast.Name(name, ast.Store() | ast.Del()) | ast.arg(name):
                yield name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(str(name)) | ast.MatchMapping(rest=str(name)):
                yield name
            case ast.ExceptHandler(name=str(name)):
                yield name
            case ast.Global(names) | ast.Nonlocal(names):
                yield from names
            case ast.alias(name, other):
                yield other or name.partition(".")[0]
            case ast.FunctionDef(name) | ast.ClassDef(name) if part is not node:
                yield name


def reads_of(node: ast.AST, name: str) -> list[ast.Name]:
    """Where a variable is read."""
    names = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return [part for part in names if part.id == name and isinstance(part.ctx, ast.Load)]


def free(node: ast.AST) -> set[str]:
    """The variables of enclosing scopes that an expression reads."""
    match node:
        case ast.Name(name):
            return {name}
        case ast.Lambda(arguments, body):
            defaults = [part for part in (*arguments.defaults, *arguments.kw_defaults) if part is not None]
            return (free(body) - set(bound(arguments))).union(*map(free, defaults))
        case ast.GeneratorExp(item, [first, *rest]) | ast.ListComp(item, [first, *rest]):
            own = {name for loop in node.generators for name in bound(loop.target)}
            inside = [item, *first.ifs, *(part for loop in rest for part in (loop.iter, *loop.ifs))]
            return free(first.iter) | (set[str]().union(*map(free, inside)) - own)
    return set[str]().union(*map(free, ast.iter_child_nodes(node)))


def read_later(node: ast.AST) -> set[str]:
    """The variables that an iterator may read after it was made."""
    if isinstance(node, ast.Lambda | ast.GeneratorExp):
        return free(node)
    return set[str]().union(*map(read_later, ast.iter_child_nodes(node)))


class _Renaming(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(self.names.get(node.id, node.id), node.ctx), node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.copy_location(ast.arg(self.names.get(node.arg, node.arg)), node)


def renamed(node: Node, names: dict[str, str]) -> Node:
    """A syntax tree with other names of variables."""
    new_tree: Node = _Renaming(names).visit(node)
    return new_tree


def only_compiled(name: str) -> Callable[..., Any]:
    """A function of this name that only compiled rules call; the folder `native` has its compiled form."""

    def function(*_: Any) -> Any:
        raise NotImplementedError

    function.__name__ = function.__qualname__ = name
    return function


def is_literal(node: ast.expr, *classes: type) -> bool:
    """Whether this is a constant of one of these classes, maybe with a minus."""
    match node:
        case ast.UnaryOp(ast.USub(), ast.Constant(value)) | ast.Constant(value):
            return type(value) in classes
    return False


def load(name: str) -> ast.Name:
    """A variable that is read."""
    return ast.Name(name, ast.Load())


def store(name: str) -> ast.Name:
    """A variable that is assigned."""
    return ast.Name(name, ast.Store())


def assign(name: str, value: ast.expr) -> ast.stmt:
    """An assignment to a variable."""
    return ast.Assign([store(name)], value)


def equals(name: str, value: int) -> ast.expr:
    """`name == value`."""
    return ast.Compare(load(name), [ast.Eq()], [ast.Constant(value)])


def append(name: str, value: ast.expr) -> ast.stmt:
    """`name.append(value)`."""
    return ast.Expr(ast.Call(ast.Attribute(load(name), "append", ast.Load()), [value], []))


def negated(test: ast.expr) -> ast.expr:
    """`not test`."""
    return ast.UnaryOp(ast.Not(), test)
