"""Variables that are not None any more: in `if move is not None:` and after `assert move`, `move` has one type.

`present` tells the compiler. Only for variables that the result of a call, or None, is assigned to.
"""

import ast
from typing import Any

from outplay.compile.rewriting.scope import bound, load, store
from outplay.compile.rewriting.work import Work


def present(value: Any) -> Any:
    """The value, which is not None."""
    return value


def narrow_variables(work: Work, definition: ast.FunctionDef) -> None:
    """Say where variables of a function are not None."""
    names = _doubtful(work, definition)
    if names:
        definition.body = _Narrowing(work, names).block(definition.body)
        ast.fix_missing_locations(definition)


def _doubtful(work: Work, definition: ast.FunctionDef) -> set[str]:
    """The local variables that may be None."""
    found: set[str] = set()
    others: set[str] = set()
    for node in ast.walk(definition):
        match node:
            case ast.Assign([ast.Name(name)], value) if _may_be_none(work, value):
                found.add(name)
            case ast.arg(name):
                others.add(name)
            case ast.Global(names) | ast.Nonlocal(names):
                others |= set(names)
            case ast.FunctionDef() | ast.Lambda() | ast.GeneratorExp() if node is not definition:
                others |= {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return found - others


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
    def __init__(self, work: Work, names: set[str]) -> None:
        self.work, self.names = work, names

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for place, each in enumerate(body):
            match each:
                case ast.If(test, inside, orelse):
                    each.body = [*self.said(_true_if(test), inside), *self.block(inside)]
                    each.orelse = [*self.said(_true_unless(test), orelse), *self.block(orelse)]
                    found.append(each)
                    if _leaves(inside):
                        found += self.said(_true_unless(test), body[place + 1 :])
                    elif orelse and _leaves(orelse):
                        found += self.said(_true_if(test), body[place + 1 :])
                case ast.While(test, inside, orelse):
                    each.body = [*self.said(_true_if(test), inside), *self.block(inside)]
                    each.orelse = self.block(orelse)
                    found.append(each)
                case ast.For(_, _, inside, orelse):
                    each.body, each.orelse = self.block(inside), self.block(orelse)
                    found.append(each)
                case ast.Assert(test):
                    found += [each, *self.said(_true_if(test), body[place + 1 :])]
                case _:
                    found.append(each)
        return found

    def said(self, names: set[str], body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements that say which of these variables are not None, where `body` reads them."""
        read = {each.id for one in body for each in ast.walk(one) if isinstance(each, ast.Name)}
        made: list[ast.stmt] = []
        for name in sorted(names & self.names & read):
            call = ast.Call(self.work.helper(present), [load(name)], [])
            made.append(ast.copy_location(ast.Assign([store(name)], call), body[0]))
            self.work.changes += 1
        return made


def _true_if(test: ast.expr) -> set[str]:
    """The variables that are not None if the test succeeds."""
    match test:
        case ast.Name(name) | ast.Compare(ast.Name(name), [ast.IsNot()], [ast.Constant(None)]):
            return {name} - _bound_in(test)
        case ast.BoolOp(ast.And(), values):
            return set[str]().union(*map(_true_if, values)) - _bound_in(test)
        case ast.UnaryOp(ast.Not(), inner):
            return _true_unless(inner)
    return set()


def _true_unless(test: ast.expr) -> set[str]:
    """The variables that are not None if the test fails."""
    match test:
        case ast.Compare(ast.Name(name), [ast.Is()], [ast.Constant(None)]):
            return {name} - _bound_in(test)
        case ast.BoolOp(ast.Or(), values):
            return set[str]().union(*map(_true_unless, values)) - _bound_in(test)
        case ast.UnaryOp(ast.Not(), inner):
            return _true_if(inner)
    return set()


def _bound_in(test: ast.expr) -> set[str]:
    """The variables that the test itself assigns."""
    return set(bound(test))


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether what follows does not run after these statements."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)
