"""Drawing by trial: draw a random action of rules that loop over a range, without running the whole loop.

    for cell in range(9):
        if not board.taken >> cell & 1:
            yield cell

Here any cell can be tried, in any order: draw cells until one is yielded, and all yielded cells are equally likely.
This takes two or three tries, where a list of all cells takes nine steps, and needs no list. The function that tries a
cell is made from the source of the rule: the loop becomes a draw, and the `yield` a `return`. Rules of any other form
are left alone, and so are rules whose actions may depend on the previous cells.

Start at `by_trial`; `playout.random_action` draws with it. `by_trial = False` in a game turns this off.
"""

import ast
import dis
import warnings
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from outplay.compile.random_numbers import NONE, random_below
from outplay.compile.rewriting.scope import names_of
from outplay.compile.rewriting.source import NoSource, OtherSource, definition_of, function_of, parsed
from outplay.rules import bits

HELPERS = {"_draw": random_below, "_count": bits.count, "_nth": bits.nth, "_whole": np.int64}
LOOPS = 20  # Python allows no more nested loops
OURS = {"range", "len", "int", "_random", "_try", *HELPERS, *(f"_values{depth}" for depth in range(LOOPS))}
"""Names that a trial uses; rules that redefine one of them are left alone."""
TRIES, SHARE = 4, 4
"""For a loop over n values, the number of tries is `TRIES + n // SHARE`; after that, the actions are listed."""


def by_trial(rule: Any) -> FunctionType | None:
    """Turn `rule(self, state)`, which gives actions, into `rule(self, state, random)`: a random action or `NONE`.

    Returns None if the rule does not have the right form. It must loop over a range, the `squares` of a board or a
    tuple, or consist of such loops nested; yield or append at one place in the innermost loop; and do nothing in the
    loop that a later iteration could notice.

    >>> from outplay.games import Chess, ConnectFour
    >>> by_trial(ConnectFour.actions) is None, by_trial(Chess.actions) is None
    (False, True)
    """
    if not isinstance(rule, FunctionType) or not OURS.isdisjoint(rule.__globals__):
        return None
    names = rule.__code__.co_names  # those that are `squares` now: a notebook may redefine them
    squares = frozenset(name for name in names if rule.__globals__.get(name) is bits.squares)
    return _by_trial(rule, rule.__code__, squares)


@lru_cache(maxsize=1024)
def _by_trial(rule: FunctionType, code: CodeType, squares: frozenset[str]) -> FunctionType | None:
    try:
        definition = definition_of(rule)
        _Trial(rule, squares, definition).rewrite()
        trial = function_of(definition, rule, HELPERS)
    except (OtherSource, _Otherwise):
        return None
    trial.__qualname__ = f"{rule.__qualname__}_by_trial"
    return trial


def warn_without_source(game: Any) -> None:
    """Warn, once, if random actions are drawn from lists only because the source of a rule is not available.

    They are equally correct, but differ from those drawn with the source: the same seed plays another game.
    """
    rule = type(game).actions
    if game.by_trial and isinstance(rule, FunctionType):
        _warn_without_source(rule)


@lru_cache(maxsize=1024)
def _warn_without_source(rule: FunctionType) -> None:
    if not any(instruction.opname == "FOR_ITER" for instruction in dis.get_instructions(rule)):
        return
    try:
        definition_of(rule)
    except NoSource:
        warnings.warn(
            f"the source of {rule.__qualname__} is not available: random actions may be drawn differently than with"
            " the source, so the same seed may give another result; with by_trial = False in the class, they are drawn"
            " from lists everywhere",
            RuntimeWarning,
            stacklevel=3,
        )
    except OtherSource:
        return


class _Otherwise(Exception):
    """The rule does not have the right form."""


# -- from the rule to its trial ---------------------------------------------------------------------------------------


class _Trial:
    """Rewrites the definition of a rule in place, or raises `_Otherwise`."""

    def __init__(self, rule: FunctionType, squares: frozenset[str], definition: ast.FunctionDef) -> None:
        self.rule = rule
        self.squares = squares
        self.definition = definition
        self.shared: set[str] = set()
        """Names assigned before the loop; they may hold arrays or iterators, which the loop must not change."""
        self.changing: set[str] = set()
        """Names assigned in the loop; their values from earlier iterations must not be read."""

    def rewrite(self) -> None:
        """Rewrite the whole definition."""
        code, arguments = self.rule.__code__, self.definition.args
        own = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
        if own & (OURS | self.squares) or any(isinstance(node, STRANGE) for node in _inside(*self.definition.body)):
            raise _Otherwise
        if len(arguments.args) != 2 or arguments.kwonlyargs or arguments.vararg or arguments.kwarg:
            raise _Otherwise
        body = self.definition.body
        self.definition.body = [*self.last(body if _yields(*body) else _yielding(body)), _no_action()]
        arguments.args.append(ast.arg("_random"))

    def last(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Rewrite statements of which only the last yields: a loop, a single action, or an `if` with such branches."""
        *before, last = statements
        if _yields(*before):
            raise _Otherwise
        self.shared |= _names_assigned(*before)
        before = [_Ending().visit(statement) for statement in before]
        match last:
            case ast.If(test, body, otherwise):
                return [*before, ast.If(test, self.last(body), self.last(otherwise) if otherwise else [])]
            case ast.Expr(ast.Yield(ast.expr() as action)):
                return [*before, _answer(action)]
            case ast.For() if _yields(last) == 1:
                self.changing = _names_assigned(last)
                return [*before, *self.loop(last, set(), 0)]
            case _ if not _yields(last):
                return [*before, _Ending().visit(last)]
        raise _Otherwise

    def loop(self, loop: ast.For, own: set[str], depth: int) -> list[ast.stmt]:
        """Replace the outermost loop by tries, and a nested loop by its part of a try.

        `own` are the names that were assigned in this iteration.
        """
        match loop:
            case ast.For(ast.Name(name), values, body, []):
                number, one, parts = self.drawn_from(values, f"_values{depth}")
            case _:
                raise _Otherwise
        for part in parts:  # if outer loops change its values, actions are not equally likely
            self.read(part, set(), is_operand=not isinstance(values, ast.Tuple))
        start: list[ast.stmt] = [
            ast.Assign([ast.Name(f"_values{depth}", ast.Store())], values),
            parsed(f"if {number} == 0: return {NONE}"),
        ]
        draw: ast.stmt = parsed(f"{name} = {one.format(f'_draw(_random, {number})')}")
        own = own - _names_assigned(loop) | {name}  # names that this loop changes no longer count
        statements = [draw, *self.once(body, own, depth)]
        if depth > 0:
            return [*start, *statements]
        tries = parsed(f"for _try in range({TRIES} + {number} // {SHARE}): pass")
        tries.body = statements
        return [*start, tries]

    def once(self, statements: list[ast.stmt], own: set[str], depth: int) -> list[ast.stmt]:
        """The statements for one value of a loop."""
        *before, last = statements
        own = self.check(before, own)
        match last:
            case ast.For() if _yields(last):
                return [*before, *self.loop(last, own, depth + 1)]
            case ast.If(test, [*_, ast.For() as inner] as body, []) if _yields(inner):
                self.read(test, own, is_operand=True)
                return [*before, ast.If(test, self.once(body, own, depth), [])]
        self.check([last], own)
        return [_Found().visit(statement) for statement in statements]

    def drawn_from(self, values: ast.expr, name: str) -> tuple[str, str, list[ast.expr]]:
        """For the values of a loop, called `name`: their number, value number `{}`, and the expressions in them."""
        match values:
            case ast.Call(ast.Name("range"), ends, []):
                return f"len({name})", f"{name}.start + {name}.step * {{}}", ends
            case ast.Call(ast.Name(called), [board], []) if called in self.squares:
                values.func = ast.Name("int", ast.Load())
                return f"_count({name})", f"_nth({name}, {{}})", [board]
            case ast.Tuple(parts):
                return f"{len(parts)}", f"{name}[{{}}]", parts
        raise _Otherwise

    def check(self, statements: list[ast.stmt], own: set[str], inner: bool = False) -> set[str]:
        """Check that statements do not depend on earlier iterations; return `own` after them."""
        for statement in statements:
            match statement:
                case ast.Pass() | ast.Continue():
                    pass
                case ast.Break() if inner:
                    pass
                case ast.Expr(ast.Yield(ast.expr() as action)) if not inner:
                    self.read(action, own, is_operand=True)
                case ast.Assign([target], value) | ast.AnnAssign(target, _, ast.expr() as value):
                    self.read(value, own)
                    own = own | self.names(target)
                case ast.AugAssign(ast.Name(name), _, value) if name in own:
                    self.read(value, own)
                case ast.If(test, body, otherwise):
                    self.read(test, own, is_operand=True)
                    own = self.check(body, own, inner) & self.check(otherwise, own, inner)
                case ast.While(test, body, otherwise):
                    self.read(test, own, is_operand=True)
                    self.check(body, own, inner=True)
                    self.check(otherwise, own, inner)
                case ast.For(target, values, body, otherwise):
                    self.read(values, own)
                    self.check(body, own | self.names(target), inner=True)
                    self.check(otherwise, own, inner)
                case _:
                    raise _Otherwise
        return own

    def names(self, target: ast.expr) -> set[str]:
        """The names that are assigned."""
        match target:
            case ast.Name(name):
                return {name}
            case ast.Tuple(parts):
                return set().union(*map(self.names, parts))
        raise _Otherwise

    def read(self, value: ast.expr, own: set[str], is_operand: bool = False) -> None:
        """Refuse values that an earlier iteration may have changed; shared values may only be operands."""
        match value:
            case ast.Constant():
                return
            case ast.Name(name):
                if (name in self.changing and name not in own) or (name in self.shared - own and not is_operand):
                    raise _Otherwise
                return
            case ast.Subscript(array, index):
                parts, inside = [array], [index]
            case ast.Attribute(owner):
                parts, inside = [owner], []
            case ast.BinOp(left, _, right):
                parts, inside = [], [left, right]
            case ast.UnaryOp(_, operand):
                parts, inside = [], [operand]
            case ast.Compare(left, how, others) if not any(isinstance(part, ast.In | ast.NotIn) for part in how):
                parts, inside = [], [left, *others]
            case ast.Compare(left, _, others):
                parts, inside = others, [left]
                is_operand = False
            case ast.BoolOp(_, parts):
                inside = []
            case ast.IfExp(test, body, otherwise):
                parts, inside = [body, otherwise], [test]
            case ast.Tuple(parts):
                inside = []
            case ast.Slice(lower, upper, step):
                parts, inside = [], [part for part in (lower, upper, step) if part]
            case ast.Call(function, arguments, keywords):
                parts, inside = [function, *arguments, *(keyword.value for keyword in keywords)], []
                is_operand = False
            case _:
                raise _Otherwise
        for part in parts:
            self.read(part, own, is_operand)
        for part in inside:
            self.read(part, own, is_operand=True)


STRANGE = (
    ast.NamedExpr, ast.Match, ast.Global, ast.Nonlocal, ast.Try, ast.TryStar, ast.Import, ast.ImportFrom, ast.Delete,
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda,
)  # fmt: skip
"""Syntax that assigns names in ways not handled here."""


class _Ending(ast.NodeTransformer):
    """Before the loop: `return` becomes `return NONE`."""

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        match node.value:
            case None | ast.List([]) | ast.Tuple([]):
                return _no_action()
        raise _Otherwise


class _Found(ast.NodeTransformer):
    """In the loop: `yield` becomes `return`."""

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        assert isinstance(node.value, ast.Yield)
        return _answer(node.value.value)


def _yields(*nodes: ast.AST) -> int:
    """The number of `yield` expressions."""
    return sum(isinstance(node, ast.Yield | ast.YieldFrom) for node in _inside(*nodes))


def _names_assigned(*nodes: ast.AST) -> set[str]:
    """The names that are assigned."""
    return {node.id for node in _inside(*nodes) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _inside(*nodes: ast.AST) -> Iterator[ast.AST]:
    """All syntax nodes in these nodes."""
    for node in nodes:
        yield from ast.walk(node)


def _answer(action: ast.expr | None) -> ast.stmt:
    """Return an action as a 64-bit int of the same type as `NONE`."""
    assert action is not None
    return ast.Return(ast.Call(ast.Name("_whole", ast.Load()), [action], []))


def _no_action() -> ast.stmt:
    statement: ast.stmt = parsed(f"return {NONE}")
    return statement


def _yielding(body: list[ast.stmt]) -> list[ast.stmt]:
    """The body of a rule that returns a list, rewritten to yield the elements."""
    match body:
        case [*before, ast.Return(ast.ListComp(action, loops))]:
            if _names_assigned(*loops) & names_of(*before):  # a comprehension has variables of its own
                raise _Otherwise
            last: ast.stmt = ast.Expr(ast.Yield(action))
            for loop in reversed(loops):
                for test in reversed(loop.ifs):
                    last = ast.If(test, [last], [])
                last = ast.For(loop.target, loop.iter, [last], [])
            return [*before, last]
        case [*before, ast.Return(ast.Name(name))]:
            appending = _Appending(name)
            statements = [appending.visit(statement) for statement in before if not appending.is_start(statement)]
            if statements and name not in names_of(*statements):
                return statements
    raise _Otherwise


class _Appending(ast.NodeTransformer):
    """`name.append(action)` becomes `yield action`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def is_start(self, statement: ast.stmt) -> bool:
        """Whether this is `name = []`."""
        match statement:
            case ast.Assign([ast.Name(name)], ast.List([])) | ast.AnnAssign(ast.Name(name), _, ast.List([])):
                return name == self.name
        return False

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        match node.value:
            case ast.Call(ast.Attribute(ast.Name(name), "append"), [action], []) if name == self.name:
                return ast.Expr(ast.Yield(action))
        return node
