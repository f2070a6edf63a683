"""What is not None any more: in `if move is not None:` and after `assert move`, `move` has one type.

`present` tells the compiler. Only for variables that the result of a call, an attribute, or None is assigned to, and
for attributes such as `self.last`, as long as nothing that is called or assigned may change them.
"""

import ast
from typing import Any

from outplay.compile.rewriting.scope import assign, bound, load
from outplay.compile.rewriting.work import Work


def present(value: Any) -> Any:
    """The value, which is not None."""
    return value


def known_present(value: Any) -> Any:
    """The value of an attribute, which is not None, unless it always is and this is never reached."""
    return value


def narrow_variables(work: Work, definition: ast.FunctionDef) -> None:
    """Say where variables of a function are not None."""
    names = _doubtful(work, definition)
    if names or any(isinstance(node, ast.Attribute) for node in ast.walk(definition)):
        definition.body = _Narrowing(work, names).block(definition.body)
        ast.fix_missing_locations(definition)


def _doubtful(work: Work, definition: ast.FunctionDef) -> dict[str, Any]:
    """The local variables that may be None, each with the function that says that it is not."""
    found: dict[str, Any] = {}
    others: set[str] = set()
    for node in ast.walk(definition):
        match node:
            case ast.Assign([ast.Name(name)], ast.Attribute()):
                found.setdefault(name, known_present)
            case ast.Assign([ast.Name(name)], value) if _may_be_none(work, value):
                found[name] = present
            case ast.arg(name):
                others.add(name)
            case ast.Global(names) | ast.Nonlocal(names):
                others |= set(names)
            case ast.FunctionDef() | ast.Lambda() | ast.GeneratorExp() if node is not definition:
                others |= {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return {name: says for name, says in found.items() if name not in others}


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
        found: list[ast.stmt] = []
        for place, each in enumerate(body):
            match each:
                case ast.If(test, inside, orelse):
                    each.body = [*self.said(_present(test), inside), *self.block(inside)]
                    each.orelse = [*self.said(_present(test, False), orelse), *self.block(orelse)]
                    found.append(each)
                    if _leaves(inside):
                        found += self.said(_present(test, False), body[place + 1 :])
                    elif orelse and _leaves(orelse):
                        found += self.said(_present(test), body[place + 1 :])
                case ast.While(test, inside, orelse):
                    each.body = [*self.said(_present(test), inside), *self.block(inside)]
                    each.orelse = self.block(orelse)
                    found.append(each)
                case ast.For(_, _, inside, orelse):
                    each.body, each.orelse = self.block(inside), self.block(orelse)
                    found.append(each)
                case ast.Assert(test):
                    found += [each, *self.said(_present(test), body[place + 1 :])]
                case _:
                    found.append(each)
        return found

    def said(self, names: set[str], body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements that say which of these variables are not None, where `body` reads them."""
        read = {_path(each) for one in body for each in ast.walk(one)}
        made: list[ast.stmt] = []
        for name in sorted(names & read):
            if "." in name:
                variable = self.work.scope.new(name.rpartition(".")[2])
                if not _Replacing(self.work, name, variable).all_in(body):
                    continue
            elif name in self.names:
                variable = name
            else:
                continue
            says = self.names.get(name, known_present)
            call = self.work.call(says, ast.parse(name, mode="eval").body)
            made.append(ast.copy_location(assign(variable, call), body[0]))
            self.work.changes += 1
        return made


class _Replacing(ast.NodeTransformer):
    """Replaces the reads of an attribute by those of a variable, up to where its value may change."""

    def __init__(self, work: Work, path: str, variable: str) -> None:
        self.work, self.path, self.variable = work, path, variable
        self.parts = set(path.split("."))
        self.called: list[tuple[int, int]] = []
        """Where the calls of a statement end, if other functions than Python's own are called."""
        self.number = 0

    def all_in(self, body: list[ast.stmt]) -> int:
        """Replace in these statements; return the number of reads."""
        for each in body:
            calls = [node for node in ast.walk(each) if isinstance(node, ast.Call) and _may_change(self.work, node)]
            self.called = [(node.end_lineno or 0, node.end_col_offset or 0) for node in calls]
            is_set = any(self._is_set(node) for node in ast.walk(each))
            if is_set and not isinstance(each, ast.Assign):
                break
            if calls and isinstance(each, ast.If):
                each.test = self.visit(each.test)
            elif calls and isinstance(each, ast.For):
                each.iter = self.visit(each.iter)
            elif not calls or isinstance(each, ast.Return | ast.Expr | ast.Assign):
                self.visit(each)
            if calls or is_set:
                break
        return self.number

    def _is_set(self, node: ast.AST) -> bool:
        name = getattr(node, "attr", getattr(node, "id", None))
        return name in self.parts and not isinstance(getattr(node, "ctx", None), ast.Load)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        place = node.lineno, node.col_offset
        if _path(node) == self.path and isinstance(node.ctx, ast.Load) and all(end > place for end in self.called):
            self.number += 1
            return ast.copy_location(load(self.variable), node)
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


def _may_change(work: Work, call: ast.Call) -> bool:
    """Whether a call may assign attributes: not that of a function of Python."""
    function = work.scope.value_of(call.func)
    return not (isinstance(function, type(len)) or (isinstance(function, type) and function.__module__ == "builtins"))


def _present(test: ast.expr, holds: bool = True) -> set[str]:
    """The variables that are not None if the test succeeds, or if it fails."""
    match test:
        case ast.Compare(asked, [ast.Is() | ast.IsNot() as how], [ast.Constant(None)]):
            return {_path(asked)} - set(bound(test)) if isinstance(how, ast.IsNot) == holds else set()
        case ast.Name() | ast.Attribute():
            return {_path(test)} if holds else set()
        case ast.BoolOp(op, values) if isinstance(op, ast.And) == holds:
            return _lasting(set[str]().union(*(_present(each, holds) for each in values)), test)
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
