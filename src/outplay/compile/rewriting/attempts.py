"""`try` and `except` with errors by name: what may fail is tested before, and the tests choose the handler.

The body is taken apart into single steps, in the order in which Python runs them. Before a step that may fail, a
function of `faults` tells the error that it would raise. The steps are in a loop that runs once, so that `break`
leaves them. A body with anything else than known steps, such as a call of a function of users, is refused.
"""

import ast
import builtins
import copy
from collections.abc import Callable
from functools import partial
from typing import Any

from outplay.compile.references import MISSING
from outplay.compile.rewriting import faults
from outplay.compile.rewriting.endings import ends
from outplay.compile.rewriting.scope import assign, equals, load, negated
from outplay.compile.rewriting.shared_rewriting import Work, placed

SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip
UNSEEN = {faults.of_item: faults.INDEX, faults.of_store: faults.INDEX, faults.of_operator: faults.VALUE}
"""Errors that compiled rules do not raise by themselves: of the index of an array, and of a negative shift."""
JUMPS = ast.Return | ast.Break | ast.Continue


class _Unknown(Exception):
    """The body of a `try` has a step that is not known; the message says which."""


def rewritten(work: Work, node: ast.Try) -> list[ast.stmt]:
    """The statements in place of a `try`; what does not compile, but says why, if not all of it is known."""
    for part in ast.walk(node):
        if isinstance(part, ast.Raise) and isinstance(part.cause, ast.Name | ast.Constant):
            part.cause = None  # compiled rules do not show it
    try:
        return _taken_apart(work, copy.deepcopy(node))
    except _Unknown as reason:
        work.changes += 1
        refusal = ast.Expr(ast.Call(work.helper(faults.unknown), [ast.Constant(str(reason))], []))
        return [ast.fix_missing_locations(ast.copy_location(refusal, node)), *node.body]


def _taken_apart(work: Work, node: ast.Try) -> list[ast.stmt]:
    attempt = _Attempt(work, [_classes(work, handler.type) for handler in node.handlers])
    if any(map(_reads_error, node.handlers)):
        raise _Unknown("the error itself is used after except, or raised again,")
    if node.finalbody and has_jumps(node):
        raise _Unknown("return, break or continue beside finally")
    steps = attempt.inside(node.body)
    chosen = attempt.chosen
    handlers: list[ast.stmt] = node.orelse
    for number, handler in reversed(list(enumerate(node.handlers))):
        is_last = number == len(node.handlers) - 1 and ends(node.body)
        handlers = handler.body if is_last else [ast.If(equals(chosen, number), handler.body, handlers)]
    once = ast.While(ast.Constant(True), [*steps, ast.Break()], [])
    statements: list[ast.stmt] = [assign(chosen, ast.Constant(-1)), once, *handlers, *node.finalbody]
    work.changes += 1
    return [
        ast.fix_missing_locations(ast.copy_location(statement, node) if not hasattr(statement, "lineno") else statement)
        for statement in statements
    ]


def has_jumps(node: ast.Try) -> bool:
    """Whether a `try` has a statement that may leave it."""
    return any(isinstance(part, JUMPS) for part in ast.walk(node))


def _classes(work: Work, node: ast.expr | None) -> tuple[type, ...]:
    """The classes of errors that `except` names."""
    if node is None:
        return (BaseException,)
    classes = [work.scope.value_of(cls) for cls in (node.elts if isinstance(node, ast.Tuple) else [node])]
    if not all(isinstance(cls, type) and issubclass(cls, BaseException) for cls in classes):
        raise _Unknown("except of a class that is not known")
    return tuple(classes)


def _reads_error(handler: ast.ExceptHandler) -> bool:
    """Whether a handler reads the error, or raises it again."""
    inside = [part for statement in handler.body for part in ast.walk(statement)]
    return any(
        (isinstance(part, ast.Name) and part.id == handler.name) or (isinstance(part, ast.Raise) and part.exc is None)
        for part in inside
    )


class _Attempt:
    """The steps of the body of one `try`."""

    def __init__(self, work: Work, caught: list[tuple[type, ...]]) -> None:
        self.work, self.caught = work, caught
        self.chosen = work.scope.variable("handler")
        self.steps: list[ast.stmt] = []
        self.loops = 0
        """The number of loops of the body around a step."""

    # -- steps ---------------------------------------------------------------------------------------------------------

    def new(self, value: ast.expr) -> ast.Name:
        """A new variable with this value."""
        name = self.work.scope.variable("step")
        self.steps.append(assign(name, value))
        return load(name)

    def handler_of(self, error: type) -> int:
        """The number of the handler of an error; -1 if there is none."""
        return next((number for number, classes in enumerate(self.caught) if issubclass(error, classes)), -1)

    def leave(self, number: int) -> list[ast.stmt]:
        """Go to a handler."""
        return [assign(self.chosen, ast.Constant(number)), ast.Break()]

    def test(self, function: Any, *operands: ast.expr) -> None:
        """Go to a handler if the next step fails."""
        fault = self.new(self.work.call(function, *map(copy.deepcopy, operands))).id
        for number in range(len(self.caught)):
            tests = [equals(fault, code) for code, error in faults.RAISED.items() if self.handler_of(error) == number]
            if tests:
                whole = tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)
                self.steps.append(ast.If(whole, self.leave(number), []))
        unseen = UNSEEN.get(function, faults.NONE)
        if unseen and self.handler_of(faults.RAISED[unseen]) < 0:
            error = ast.Raise(self.work.call(faults.RAISED[unseen], ast.Constant("out of range")), None)
            self.steps.append(ast.If(equals(fault, unseen), [error], []))

    def inside(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The steps of statements within another one."""
        before, self.steps = self.steps, []
        for statement in body:
            self.statement(statement)
        steps, self.steps = self.steps, before
        return steps or [ast.Pass()]

    # -- statements ----------------------------------------------------------------------------------------------------

    def statement(self, node: ast.stmt) -> None:
        """The steps of a statement."""
        start = len(self.steps)
        match node:
            case ast.Pass():
                self.steps.append(node)
            case ast.Expr(value):
                self.steps.append(ast.Expr(self.value(value)))
            case ast.Assign([target], value):
                self.assign(target, value)
            case ast.AugAssign(target, op, value):
                self.change(target, op, value)
            case ast.Return(value):
                self.steps.append(ast.Return(None if value is None else self.value(value)))
            case ast.If(test, body, orelse):
                self.steps.append(ast.If(self.truth(test), self.inside(body), self.inside(orelse) if orelse else []))
            case ast.Raise(ast.expr() as error, None):
                self.raised(error)
            case ast.Assert(test, None | ast.Constant()):
                self.steps.append(ast.If(self.truth(test), [ast.Pass()], self.failing(AssertionError, node)))
            case ast.For(ast.Name(), values, body, []):
                iterated = self.value(values)
                self.test(faults.of_loop, iterated)
                self.loop(ast.For(node.target, iterated, body, []))
            case ast.While(test, body, []):
                stop: ast.stmt = ast.If(negated(test), [ast.Break()], [])
                self.loop(ast.While(ast.Constant(True), [stop, *body], []))
            case ast.Break() | ast.Continue() if self.loops:
                self.steps.append(node)
            case _:
                raise _Unknown(f"a statement with {type(node).__name__.lower()}")
        placed(self.steps[start:], node)

    def failing(self, error: type, node: ast.stmt) -> list[ast.stmt]:
        """What runs where an error is sure."""
        number = self.handler_of(error)
        return [node] if number < 0 else self.leave(number)

    def raised(self, node: ast.expr) -> None:
        """`raise ValueError("text")`."""
        cls, arguments = (node.func, [*node.args, *node.keywords]) if isinstance(node, ast.Call) else (node, [])
        error = self.work.scope.value_of(cls)
        is_plain = all(isinstance(argument, ast.Constant) for argument in arguments)
        if not isinstance(error, type) or not issubclass(error, BaseException) or not is_plain:
            raise _Unknown("raise with more than a text")
        has_own_init = getattr(error, "__init__", None) is not getattr(error.__mro__[1], "__init__", None)
        if has_own_init and error.__module__ != "builtins":
            raise _Unknown("raise of an error with its own __init__")
        self.steps += self.failing(error, ast.Raise(node, None))

    def loop(self, node: ast.For | ast.While) -> None:
        self.loops += 1
        node.body = self.inside(node.body)
        self.loops -= 1
        failed = ast.Compare(load(self.chosen), [ast.GtE()], [ast.Constant(0)])
        self.steps += [node, ast.If(failed, [ast.Break()], [])]

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        """`target = value`."""
        match target, value:
            case ast.Tuple(targets), ast.Tuple(values) if len(targets) == len(values):
                for one, other in zip(targets, list(map(self.value, values)), strict=True):
                    if not isinstance(one, ast.Name):
                        raise _Unknown("an assignment to several things but variables")
                    self.steps.append(ast.Assign([one], self.new(other) if isinstance(other, ast.Name) else other))
                return
        computed = self.value(value)
        match target:
            case ast.Name():
                self.steps.append(ast.Assign([target], computed))
            case ast.Tuple(targets) if all(isinstance(part, ast.Name) for part in targets):
                self.test(faults.of_unpacking, computed, ast.Constant(len(targets)))
                self.steps.append(ast.Assign([target], computed))
            case _:
                self.steps.append(ast.Assign([self.part(target, faults.of_store)], computed))

    def change(self, target: ast.expr, op: ast.operator, value: ast.expr) -> None:
        """`target += value`."""
        place = target if isinstance(target, ast.Name) else self.part(target)
        old_value = copy.deepcopy(place)
        old_value.ctx = ast.Load()
        before = self.new(old_value)
        computed = self.value(value)
        if type(op) not in SYMBOLS:
            raise _Unknown("@ is used")
        self.test(faults.of_operator, ast.Constant(SYMBOLS[type(op)]), before, computed)
        self.steps.append(ast.AugAssign(place, op, computed))

    def part(self, node: ast.expr, of_item: Any = faults.of_item) -> ast.Attribute | ast.Subscript:
        """An attribute or item of a variable that has its owner, after the steps that compute and test it."""
        match node:
            case ast.Attribute(owner, name):
                holder = self.value(owner)
                self.test(faults.of_attribute, holder, ast.Constant(name))
                return ast.Attribute(holder, name, node.ctx)
            case ast.Subscript(owner, index) if not isinstance(index, ast.Slice):
                holder, place = self.value(owner), self.value(index)
                self.test(of_item, holder, place)
                return ast.Subscript(holder, place, node.ctx)
        raise _Unknown("such an assignment")

    # -- expressions ---------------------------------------------------------------------------------------------------

    def truth(self, node: ast.expr) -> ast.expr:
        """A condition."""
        condition = self.value(node)
        self.test(faults.of_truth, condition)
        return condition

    def value(self, node: ast.expr) -> ast.expr:
        """A constant or a variable that has the value of an expression, after the steps that compute it."""
        match node:
            case ast.Constant() | ast.Name():
                return node
            case ast.Attribute():
                return self.new(self.part(node)) if self.work.scope.value_of(node) is MISSING else node
            case ast.Subscript(owner, ast.Slice(start, stop, None)):
                holder = self.value(owner)
                ends = [part and self.value(part) for part in (start, stop)]
                self.test(faults.of_slice, holder)
                return self.new(ast.Subscript(holder, ast.Slice(ends[0], ends[1]), ast.Load()))
            case ast.Subscript(_, index) if not isinstance(index, ast.Slice):
                return self.new(self.part(node))
            case ast.BinOp(left, op, right) if type(op) in SYMBOLS:
                one, other = self.value(left), self.value(right)
                self.test(faults.of_operator, ast.Constant(SYMBOLS[type(op)]), one, other)
                return self.new(ast.BinOp(one, op, other))
            case ast.UnaryOp(ast.Not(), operand):
                return self.new(negated(self.truth(operand)))
            case ast.UnaryOp(ast.USub(), ast.Constant()):
                return node
            case ast.UnaryOp(op, operand):
                one = self.value(operand)
                self.test(faults.of_sign, one)
                return self.new(ast.UnaryOp(op, one))
            case ast.BoolOp(op, values):
                return self.chosen_of(op, values)
            case ast.Compare(left, ops, rights):
                return self.compared(self.value(left), ops, rights)
            case ast.IfExp(test, one, other):
                name = self.work.scope.variable("step")
                condition = self.truth(test)
                chosen = (self.stored(name, partial(self.value, part)) for part in (one, other))
                self.steps.append(ast.If(condition, *chosen))
                return load(name)
            case ast.Tuple(items, ast.Load()):
                return self.new(ast.Tuple(list(map(self.value, items)), ast.Load()))
            case ast.List([_, *_] as items, ast.Load()):
                return self.new(ast.List(list(map(self.value, items)), ast.Load()))
            case ast.Call(function, args, []) if not any(isinstance(argument, ast.Starred) for argument in args):
                return self.call(function, args)
        raise _Unknown(_kind_of(node))

    def stored(self, name: str, compute: Callable[[], ast.expr]) -> list[ast.stmt]:
        """Steps that put what `compute` gives into a variable, after the steps that it needs."""
        before, self.steps = self.steps, []
        value = compute()
        steps, self.steps = [*self.steps, assign(name, value)], before
        return steps

    def chosen_of(self, op: ast.boolop, values: list[ast.expr]) -> ast.expr:
        """`a and b`, `a or b`."""
        name = self.work.scope.variable("step")
        first, *rest = values
        self.steps += self.stored(name, lambda: self.value(first))
        if rest:
            self.test(faults.of_truth, load(name))
            test: ast.expr = load(name) if isinstance(op, ast.And) else negated(load(name))
            self.steps.append(ast.If(test, self.stored(name, lambda: self.chosen_of(op, rest)), []))
        return load(name)

    def compared(self, left: ast.expr, ops: list[ast.cmpop], rights: list[ast.expr]) -> ast.expr:
        """`a < b`, `a < b < c`."""
        op, right = ops[0], self.value(rights[0])
        if isinstance(op, ast.In | ast.NotIn):
            self.test(faults.of_membership, left, right)
        elif not isinstance(op, ast.Is | ast.IsNot):
            self.test(faults.of_comparison, left, right)
        if len(ops) == 1:
            return self.new(ast.Compare(left, [op], [right]))
        name = self.work.scope.variable("step")
        self.steps.append(assign(name, ast.Compare(left, [op], [right])))
        inside = self.stored(name, lambda: self.compared(copy.deepcopy(right), ops[1:], rights[1:]))
        self.steps.append(ast.If(load(name), inside, []))
        return load(name)

    def call(self, function: ast.expr, args: list[ast.expr]) -> ast.expr:
        """A call of a function of Python, or of a method of a container or text."""
        callee = self.work.scope.value_of(function)
        if isinstance(function, ast.Attribute) and callee is MISSING:
            owner = self.value(function.value)
            arguments = list(map(self.value, args))
            self.test(faults.of_method, owner, ast.Constant(function.attr), *arguments)
            return self.new(ast.Call(ast.Attribute(owner, function.attr, ast.Load()), arguments, []))
        arguments = list(map(self.value, args))
        match callee, arguments:
            case (builtins.len, [one]):
                self.test(faults.of_loop, one)
            case (builtins.bool, [one]):
                self.test(faults.of_truth, one)
            case ((builtins.int | builtins.abs), [one]):
                self.test(faults.of_number, one)
            case ((builtins.min | builtins.max), [one]):
                self.test(faults.of_extreme, one)
            case ((builtins.min | builtins.max), [one, *more]):
                for other in more:
                    self.test(faults.of_comparison, one, other)
            case (builtins.range, [one] | [one, _]):
                for argument in arguments:
                    self.test(faults.of_sign, argument)
            case _:
                raise _Unknown(f"{_name_of(function)}() is called")
        return self.new(ast.Call(function, arguments, []))


def _name_of(function: ast.expr) -> str:
    return getattr(function, "id", "") or getattr(function, "attr", "") or "what a value holds"


def _kind_of(node: ast.expr) -> str:
    """What an expression is, in the words of Python."""
    match node:
        case ast.Call(function):
            return f"{_name_of(function)}() is called"
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return "an expression (… for …)"
        case ast.Lambda():
            return "lambda"
        case ast.JoinedStr():
            return "an f-string"
        case ast.List() | ast.Dict() | ast.Set():
            return "a new dict, a new set or an empty list"
    return "such an expression"
