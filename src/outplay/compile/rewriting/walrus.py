"""Assignments in expressions, such as `if (y := f(x)) > 2`: the variable is assigned before, where that is the same."""

import ast
import copy

from outplay.compile.rewriting.scope import Node, Scope, assign, load, negated


def first_walrus(node: ast.expr) -> ast.NamedExpr | None:
    """The walrus that is evaluated before everything else in an expression that could matter to it."""
    match node:
        case ast.NamedExpr():
            return node
        case ast.Compare(left=first) | ast.BinOp(left=first) | ast.UnaryOp(operand=first):
            rest = node.comparators[0] if isinstance(node, ast.Compare) else getattr(node, "right", None)
            return _after(first, rest)
        case ast.BoolOp(values=[first, *_]) | ast.Tuple([first, *_]) | ast.List([first, *_]) | ast.IfExp(test=first):
            return first_walrus(first)
        case ast.Subscript(value=first) | ast.Attribute(value=first) | ast.Call(ast.Attribute(first), []):
            return first_walrus(first)
        case ast.Call(ast.Name(name) | ast.Attribute(ast.Name(name)), [first, *_]):
            found = first_walrus(first)
            return None if found is None or found.target.id == name else found
    return None


def _after(first: ast.expr, second: ast.expr | None) -> ast.NamedExpr | None:
    """The first walrus in the first operand; or in the second, if the first is a constant or another variable."""
    if second is not None and isinstance(first, ast.Constant | ast.Name):
        found = first_walrus(second)
        return None if found is None or found.target.id == getattr(first, "id", None) else found
    return first_walrus(first)


class _Replacing(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        found: ast.AST = self.new if node is self.old else self.generic_visit(node)
        return found


def replaced(node: Node, old: ast.expr, new: ast.expr) -> Node:
    """A syntax tree with another part in the place of `old`."""
    found: Node = _Replacing(old, new).visit(node)  # type: ignore[assignment]
    return found


def hoisted(scope: Scope, test: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
    """Statements that assign what a walrus in `test` assigns, and the condition that is left."""
    if not any(isinstance(each, ast.NamedExpr) for each in ast.walk(test)):
        return [], test
    found = first_walrus(test)
    if found is not None:
        target = copy.deepcopy(found.target)
        before, value = hoisted(scope, found.value)
        rest, test = hoisted(scope, replaced(test, found, load(found.target.id)))
        return [*before, ast.Assign([target], value), *rest], test
    match test:
        case ast.UnaryOp(ast.Not(), inside):
            before, inside = hoisted(scope, inside)
            return before, negated(inside)
        case ast.BoolOp(op, [first, *others]):
            flag, is_and = scope.variable("flag"), isinstance(op, ast.And)
            start, first = hoisted(scope, first)
            before, last = hoisted(scope, others[0] if len(others) == 1 else ast.BoolOp(op, others))
            final: ast.stmt = ast.If(last, [assign(flag, ast.Constant(True))], [])
            if is_and:
                begin = ast.Constant(False)
                decide: ast.stmt = ast.If(first, [*before, final], [])
            else:
                begin = ast.Constant(True)
                no = ast.If(negated(last), [assign(flag, ast.Constant(False))], [])
                decide = ast.If(negated(first), [*before, no], [])
            return [*start, assign(flag, begin), decide], load(flag)
    return [], test
