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
            return _first_of_two(first, rest)
        case ast.BoolOp(values=[first, *_]) | ast.Tuple([first, *_]) | ast.List([first, *_]) | ast.IfExp(test=first):
            return first_walrus(first)
        case ast.Subscript(value=first) | ast.Attribute(value=first) | ast.Call(ast.Attribute(first), []):
            return first_walrus(first)
        case ast.Call(ast.Name(name) | ast.Attribute(ast.Name(name)), [first, *_]):
            walrus = first_walrus(first)
            return None if walrus is None or walrus.target.id == name else walrus
    return None


def _first_of_two(first: ast.expr, second: ast.expr | None) -> ast.NamedExpr | None:
    """The first walrus in the first operand; or in the second, if the first is a constant or another variable."""
    if second is not None and isinstance(first, ast.Constant | ast.Name):
        walrus = first_walrus(second)
        return None if walrus is None or walrus.target.id == getattr(first, "id", None) else walrus
    return first_walrus(first)


class _Replacing(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        part: ast.AST = self.new if node is self.old else self.generic_visit(node)
        return part


def replaced(node: Node, old: ast.expr, new: ast.expr) -> Node:
    """A syntax tree with another part in the place of `old`."""
    result: Node = _Replacing(old, new).visit(node)  # type: ignore[assignment]
    return result


def hoisted(scope: Scope, test: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
    """Statements that assign what a walrus in `test` assigns, and the condition that is left."""
    if not any(isinstance(part, ast.NamedExpr) for part in ast.walk(test)):
        return [], test
    walrus = first_walrus(test)
    if walrus is not None:
        target = copy.deepcopy(walrus.target)
        before, value = hoisted(scope, walrus.value)
        later, test = hoisted(scope, replaced(test, walrus, load(walrus.target.id)))
        return [*before, ast.Assign([target], value), *later], test
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
