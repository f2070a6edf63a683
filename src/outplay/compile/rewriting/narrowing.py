"""What is not None any more: in `if move is not None:` and after `assert move`, `move` has one type.

`present` tells the compiler. Only for parameters, variables that the result of a call, an attribute, an item or None is
assigned to, and for attributes such as `self.last`, as long as nothing that is called or assigned may change them.
"""

import ast
from collections import deque
from typing import Any

from outplay.compile.rewriting.scope import assign, bound, load, names_of
from outplay.compile.rewriting.shared_rewriting import Work

METHODS = {name for kind in (list, set, dict, str, deque) for name in dir(kind) if not name.startswith("_")}
"""The methods of Python's containers."""


def present(value: Any) -> Any:
    """The value, which is not None."""
    return value


def known_present(value: Any) -> Any:
    """The value of an attribute, which is not None, unless it always is and this is never reached."""
    return value


def still_present(value: Any) -> Any:
    """The value of an attribute that was not None when it was tested; `TypeError` if it is None now."""
    return value


def narrow_variables(work: Work, definition: ast.FunctionDef) -> None:
    """Say where variables of a function are not None."""
    names = _doubtful(work, definition)
    if names or any(isinstance(node, ast.Attribute) for node in ast.walk(definition)):
        definition.body = _Narrowing(work, names).block(definition.body)
        ast.fix_missing_locations(definition)


def _doubtful(work: Work, definition: ast.FunctionDef) -> dict[str, Any]:
    """The local variables that may be None, each with the function that says that it is not."""
    doubtful: dict[str, Any] = {}
    others: set[str] = set()
    for node in ast.walk(definition):
        match node:
            case ast.Assign([ast.Name(name)], ast.Attribute() | ast.Subscript() | ast.Name()):
                doubtful.setdefault(name, known_present)
            case ast.Assign([ast.Tuple(targets)]) | ast.For(ast.Tuple(targets)):
                doubtful |= {
                    target.id: known_present
                    for target in targets
                    if isinstance(target, ast.Name) and target.id not in doubtful
                }
            case ast.Assign([ast.Name(name)], value) if _may_be_none(work, value):
                doubtful[name] = present
            case ast.arg(name):
                doubtful.setdefault(name, known_present)
            case ast.Global(names) | ast.Nonlocal(names):
                others |= set(names)
            case ast.FunctionDef() | ast.Lambda() | ast.GeneratorExp() if node is not definition:
                others |= names_of(node)
    return {name: says for name, says in doubtful.items() if name not in others}


def _may_be_none(work: Work, value: ast.expr) -> bool:
    match value:
        case ast.Constant(None):
            return True
        case ast.IfExp(_, body, orelse):
            return _may_be_none(work, body) or _may_be_none(work, orelse)
        case ast.Call(function):
            return not isinstance(work.scope.value_of(function), type | type(len))
    return False


class _Narrowing(ast.NodeTransformer):
    def __init__(self, work: Work, names: dict[str, Any]) -> None:
        self.work, self.names = work, names

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        statements: list[ast.stmt] = []
        for place, statement in enumerate(body):
            match statement:
                case ast.If(test, inside, orelse):
                    statement.body = [*self.said(_present(test), inside), *self.block(inside)]
                    statement.orelse = [*self.said(_present(test, False), orelse), *self.block(orelse)]
                    statements.append(statement)
                    if _leaves(inside):
                        statements += self.said(_present(test, False), body[place + 1 :])
                    elif orelse and _leaves(orelse):
                        statements += self.said(_present(test), body[place + 1 :])
                case ast.While(test, inside, orelse):
                    statement.body = [*self.said(_present(test), inside), *self.block(inside)]
                    statement.orelse = self.block(orelse)
                    statements.append(statement)
                case ast.For(_, _, inside, orelse):
                    statement.body, statement.orelse = self.block(inside), self.block(orelse)
                    statements.append(statement)
                case ast.Assert(test):
                    statements += [statement, *self.said(_present(test), body[place + 1 :])]
                case _:
                    statements.append(statement)
        return statements

    def said(self, names: set[str], body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements that say which of these variables are not None, where `body` reads them."""
        paths_read = {_path(part) for one in body for part in ast.walk(one)}
        says: list[ast.stmt] = []
        for name in sorted(names & paths_read):
            if "." in name:
                _Attributes(self.work, name).all_in(body)
            elif name in self.names:
                says.append(ast.copy_location(assign(name, self.work.call(self.names[name], load(name))), body[0]))
                self.work.changes += 1
        return says


class _Attributes(ast.NodeTransformer):
    """Says that the reads of an attribute are not None, up to where it may be assigned."""

    def __init__(self, work: Work, path: str) -> None:
        self.work, self.path = work, path
        self.parts = set(path.split("."))
        self.called: list[tuple[int, int]] = []
        """Where the calls of a statement end, if other functions than Python's own are called."""

    def all_in(self, body: list[ast.stmt]) -> None:
        """Say it in these statements."""
        for statement in body:
            calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call) and self._may_change(node)]
            self.called = [(node.end_lineno or 0, node.end_col_offset or 0) for node in calls]
            is_set = any(self._is_set(node) for node in ast.walk(statement))
            if is_set and not isinstance(statement, ast.Assign):
                break
            if calls and isinstance(statement, ast.If):
                statement.test = self.visit(statement.test)
            elif calls and isinstance(statement, ast.For):
                statement.iter = self.visit(statement.iter)
            elif not calls or isinstance(statement, ast.Return | ast.Expr | ast.Assign):
                self.visit(statement)
            if calls or is_set:
                break

    def _is_set(self, node: ast.AST) -> bool:
        name = getattr(node, "attr", getattr(node, "id", None))
        return name in self.parts and not isinstance(getattr(node, "ctx", None), ast.Load)

    def _may_change(self, call: ast.Call) -> bool:
        """Whether a call may assign the attribute: not that of a function of Python, or of a method of a container."""
        match call.func:
            case ast.Attribute(owner, name) if name in METHODS and not self.path.startswith(f"{_path(owner)}."):
                return self.work.scope.is_method_of_users(name)
        function = self.work.scope.value_of(call.func)
        is_builtin = isinstance(function, type) and function.__module__ == "builtins"
        return not (isinstance(function, type(len)) or is_builtin)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        place = node.lineno, node.col_offset
        if _path(node) == self.path and isinstance(node.ctx, ast.Load) and all(end > place for end in self.called):
            self.work.changes += 1
            return ast.copy_location(self.work.call(still_present, node), node)
        self.generic_visit(node)
        return node

    def visit(self, node: ast.AST) -> Any:
        """Replace in a node, unless it runs later, or again after a call."""
        is_again = isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp) and self.called
        if is_again or isinstance(node, ast.Lambda | ast.FunctionDef | ast.GeneratorExp):
            return node
        return super().visit(node)


def _path(node: ast.AST) -> str:
    """The name of a variable, or of an attribute of one such as `self.board.last`; "" of anything else."""
    if isinstance(node, ast.Attribute) and (owner := _path(node.value)):
        return f"{owner}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _present(test: ast.expr, holds: bool = True) -> set[str]:
    """The variables that are not None if the test succeeds, or if it fails."""
    match test:
        case ast.Compare(operand, [ast.Is() | ast.IsNot() as how], [ast.Constant(None)]):
            return {_path(operand)} - set(bound(test)) if isinstance(how, ast.IsNot) == holds else set()
        case ast.Name() | ast.Attribute():
            return {_path(test)} if holds else set()
        case ast.BoolOp(op, values) if isinstance(op, ast.And) == holds:
            return _lasting(set[str]().union(*(_present(value, holds) for value in values)), test)
        case ast.UnaryOp(ast.Not(), inner):
            return _present(inner, not holds)
    return set()


def _lasting(names: set[str], test: ast.expr) -> set[str]:
    """Those of the names that a test does not change, which may call functions."""
    calls = any(isinstance(node, ast.Call) for node in ast.walk(test))
    return {name for name in names if not (calls and "." in name)} - set(bound(test))


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether what follows does not run after these statements."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)
