"""Drawing by trial: a random action of rules that go through a range, without going through all of it.

    for cell in range(9):
        if not board.taken >> cell & 1:
            yield cell

Any cell may be tried here, in any order: draw one, and if it is yielded, it is as likely as every other that would be.
Drawn again and again until one is, that takes two or three tries where a list of all takes nine, and no list. What is
tried is made from the source of the rule, in which the loop gives way to a draw and the `yield` to a `return`; a rule
of any other form, or one in which what is yielded may depend on the cells before, is left as it is.

Start at `by_trial`; `playout.random_action` is what draws. A game with `by_trial = False` is not drawn from so.
"""

import ast
import dis
import inspect
import warnings
from collections.abc import Iterator
from functools import lru_cache
from tokenize import TokenError
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from outplay.compile.random_numbers import NONE, random_below
from outplay.rules import bits

HELPERS = {"_draw": random_below, "_count": bits.count, "_nth": bits.nth, "_whole": np.int64}
LOOPS = 20  # Python allows no more in one another
OURS = {"range", "len", "int", "_random", "_try", *HELPERS, *(f"_values{depth}" for depth in range(LOOPS))}
"""Names that a trial uses; a rule that gives them a meaning of its own is left alone."""
TRIES, SHARE = 4, 4
"""So often is drawn, and once more for each so many values of the loop; then the actions are listed."""


def by_trial(rule: Any) -> FunctionType | None:
    """`rule(self, state)`, which gives actions, as `rule(self, state, random)`, which gives a random one or `NONE`.

    None for a rule of which that cannot be made: it must go through a range, the `squares` of a board or a tuple, or
    one of these in another, yield or append at one place in the innermost loop, and do nothing there that the next
    time round could see.

    >>> from outplay.games import Chess, ConnectFour
    >>> by_trial(ConnectFour.actions) is None, by_trial(Chess.actions) is None
    (False, True)
    """
    if not isinstance(rule, FunctionType) or not OURS.isdisjoint(rule.__globals__):
        return None
    names = rule.__code__.co_names  # of these, what stands for `squares` now: a notebook may define it anew
    return _by_trial(
        rule, rule.__code__, frozenset(name for name in names if rule.__globals__.get(name) is bits.squares)
    )


@lru_cache(maxsize=1024)
def _by_trial(rule: FunctionType, code: CodeType, squares: frozenset[str]) -> FunctionType | None:
    try:
        definition = _definition(rule)
        _Trial(rule, squares, definition).rewrite()
        return _compiled(rule, definition)
    except _Otherwise:
        return None


def warn_without_source(game: Any) -> None:
    """Warn, once, if random actions are drawn from lists only because a rule's source is not at hand.

    They are as right, but other ones than with the source: the same seed plays another game.
    """
    rule = type(game).actions
    if game.by_trial and isinstance(rule, FunctionType):
        _warn_without_source(rule)


@lru_cache(maxsize=1024)
def _warn_without_source(rule: FunctionType) -> None:
    if not any(each.opname == "FOR_ITER" for each in dis.get_instructions(rule)):
        return
    try:
        _definition(rule)
    except _NoSource:
        warnings.warn(
            f"the source of {rule.__qualname__} is not at hand: random actions may be drawn in another way than where"
            " it is, so the same seed may give another answer there; by_trial = False in the class lists them"
            " everywhere",
            RuntimeWarning,
            stacklevel=3,
        )
    except _Otherwise:
        return


class _Otherwise(Exception):
    """The rule is of another form."""


class _NoSource(_Otherwise):
    """There is no source of the rule."""


# -- from a function to its source, and back --------------------------------------------------------------------------


def _definition(rule: FunctionType) -> ast.FunctionDef:
    """The source of `rule`, but only if it is what `rule` was compiled from."""
    try:
        source = inspect.getsource(rule)
        inside = source[:1].isspace()  # of a class or a function
        tree = ast.parse(f"if 1:\n{source}" if inside else source)
    except (OSError, TypeError, SyntaxError, TokenError):
        raise _NoSource from None
    match tree.body:
        case [ast.FunctionDef() as definition] | [ast.If(body=[ast.FunctionDef() as definition])]:
            ast.increment_lineno(definition, rule.__code__.co_firstlineno - 1 - inside)
            definition.decorator_list = []
            if _is_same(_compiled(rule, definition).__code__, rule.__code__):
                return definition
    raise _Otherwise


def _compiled(rule: FunctionType, definition: ast.FunctionDef) -> FunctionType:
    """What `definition` defines, where `rule` is: with the same global and enclosing names, and the helpers."""
    cells = dict(zip(rule.__code__.co_freevars, rule.__closure__ or (), strict=True))
    cells.update((name, CellType(helper)) for name, helper in HELPERS.items())
    around = _statement(f"def around({', '.join(cells)}): pass")
    around.body = [definition]
    # Of what is imported, `name.f()` has another bytecode.
    imports = [_statement(f"import {name}") for name in rule.__code__.co_names if _is_imported(rule, name)]
    module = ast.fix_missing_locations(ast.Module([*imports, around], []))
    code = compile(module, rule.__code__.co_filename, "exec", dont_inherit=True)
    for name in ("around", definition.name):
        inner = [each for each in code.co_consts if isinstance(each, CodeType) and each.co_name == name]
        if not inner:
            raise _Otherwise
        code = inner[0]
    closure = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(code, rule.__globals__, rule.__name__, None, closure)
    made.__qualname__ = f"{rule.__qualname__}_by_trial"
    return made


def _is_imported(rule: FunctionType, name: str) -> bool:
    """Whether a global name that `rule` reads seems to come from another module."""
    value = rule.__globals__.get(name)
    return isinstance(value, ModuleType) or getattr(value, "__module__", rule.__module__) != rule.__module__


def _is_same(one: Any, other: Any) -> bool:
    """Whether two constants are the same, or two pieces of bytecode do the same."""
    if isinstance(one, CodeType) and isinstance(other, CodeType):
        return (
            one.co_code == other.co_code
            and one.co_names == other.co_names
            and one.co_varnames == other.co_varnames
            and one.co_freevars == other.co_freevars
            and len(one.co_consts) == len(other.co_consts)
            and all(map(_is_same, one.co_consts, other.co_consts))
        )
    return type(one) is type(other) and repr(one) == repr(other)


# -- from the rule to its trial ---------------------------------------------------------------------------------------


class _Trial:
    """Rewrites the definition of a rule in place, or raises `_Otherwise`."""

    def __init__(self, rule: FunctionType, squares: frozenset[str], definition: ast.FunctionDef) -> None:
        self.rule = rule
        self.squares = squares
        self.definition = definition
        self.shared: set[str] = set()
        """Names given a value before the loop, which may be of an array or an iterator: the loop must not change it."""
        self.changing: set[str] = set()
        """Names given a value in the loop: a value of the time before must not be read."""

    def rewrite(self) -> None:
        """The whole definition."""
        code, arguments = self.rule.__code__, self.definition.args
        own = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
        if own & (OURS | self.squares) or any(isinstance(each, STRANGE) for each in _inside(*self.definition.body)):
            raise _Otherwise
        if len(arguments.args) != 2 or arguments.kwonlyargs or arguments.vararg or arguments.kwarg:
            raise _Otherwise
        body = self.definition.body
        self.definition.body = [*self.last(body if _yields(*body) else _yielding(body)), _no_action()]
        arguments.args.append(ast.arg("_random"))

    def last(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Statements of which none but the last yields: a loop, or a single action, or a choice between such."""
        *before, last = statements
        if _yields(*before):
            raise _Otherwise
        self.shared |= _given(*before)
        before = [_Ending().visit(each) for each in before]
        match last:
            case ast.If(test, body, otherwise):
                return [*before, ast.If(test, self.last(body), self.last(otherwise) if otherwise else [])]
            case ast.Expr(ast.Yield(ast.expr() as action)):
                return [*before, _answer(action)]
            case ast.For() if _yields(last) == 1:
                self.changing = _given(last)
                return [*before, *self.loop(last, set(), 0)]
            case _ if not _yields(last):
                return [*before, _Ending().visit(last)]
        raise _Otherwise

    def loop(self, loop: ast.For, own: set[str], depth: int) -> list[ast.stmt]:
        """Tries in place of a loop, and in place of one in another its part of a try.

        `own` are names that have their value of this time round.
        """
        match loop:
            case ast.For(ast.Name(name), values, body, []):
                number, one, parts = self.drawn_from(values, f"_values{depth}")
            case _:
                raise _Otherwise
        for part in parts:  # not of what the loops around this one change: what they tried would be unequally likely
            self.read(part, set(), is_operand=not isinstance(values, ast.Tuple))
        start: list[ast.stmt] = [
            ast.Assign([ast.Name(f"_values{depth}", ast.Store())], values),
            _statement(f"if {number} == 0: return {NONE}"),
        ]
        draw: ast.stmt = _statement(f"{name} = {one.format(f'_draw(_random, {number})')}")
        own = own - _given(loop) | {name}  # what changes in here has its value of this time round no more
        rest = [draw, *self.once(body, own, depth)]
        if depth > 0:
            return [*start, *rest]
        tries = _statement(f"for _try in range({TRIES} + {number} // {SHARE}): pass")
        tries.body = rest
        return [*start, tries]

    def once(self, statements: list[ast.stmt], own: set[str], depth: int) -> list[ast.stmt]:
        """What is done for one value of a loop."""
        *before, last = statements
        own = self.check(before, own)
        match last:
            case ast.For() if _yields(last):
                return [*before, *self.loop(last, own, depth + 1)]
            case ast.If(test, [*_, ast.For() as inner] as body, []) if _yields(inner):
                self.read(test, own, is_operand=True)
                return [*before, ast.If(test, self.once(body, own, depth), [])]
        self.check([last], own)
        return [_Found().visit(each) for each in statements]

    def drawn_from(self, values: ast.expr, name: str) -> tuple[str, str, list[ast.expr]]:
        """Of what a loop goes through, called `name`: how many there are, number `{}`, and what they are made of."""
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
        """Statements of one time round, which must not see what those before did; `own` after them."""
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
        """The names that are given a value."""
        match target:
            case ast.Name(name):
                return {name}
            case ast.Tuple(parts):
                return set().union(*map(self.names, parts))
        raise _Otherwise

    def read(self, value: ast.expr, own: set[str], is_operand: bool = False) -> None:
        """Refuse what a time before may have changed; what is shared may be an operand, but not go anywhere else."""
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
            case ast.Compare(left, how, others) if not any(isinstance(each, ast.In | ast.NotIn) for each in how):
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
                parts, inside = [], [each for each in (lower, upper, step) if each]
            case ast.Call(function, arguments, keywords):
                parts, inside = [function, *arguments, *(each.value for each in keywords)], []
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
"""What gives names values in other ways than those looked at here."""


class _Ending(ast.NodeTransformer):
    """Before the loop: `return` becomes the answer that there is no action."""

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        match node.value:
            case None | ast.List([]) | ast.Tuple([]):
                return _no_action()
        raise _Otherwise


class _Found(ast.NodeTransformer):
    """In the loop: what is yielded becomes the answer."""

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        assert isinstance(node.value, ast.Yield)
        return _answer(node.value.value)


def _yields(*nodes: ast.AST) -> int:
    """How many `yield` there are."""
    return sum(isinstance(each, ast.Yield | ast.YieldFrom) for each in _inside(*nodes))


def _given(*nodes: ast.AST) -> set[str]:
    """The names that are given a value."""
    return {each.id for each in _inside(*nodes) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


def _named(*nodes: ast.AST) -> set[str]:
    """The names that occur."""
    return {each.id for each in _inside(*nodes) if isinstance(each, ast.Name)}


def _inside(*nodes: ast.AST) -> Iterator[ast.AST]:
    """All that there is in these."""
    for node in nodes:
        yield from ast.walk(node)


def _statement(source: str) -> Any:
    return ast.parse(source).body[0]


def _answer(action: ast.expr | None) -> ast.stmt:
    """Return an action as an int of 64 bits, whatever it is: `NONE` is one."""
    assert action is not None
    return ast.Return(ast.Call(ast.Name("_whole", ast.Load()), [action], []))


def _no_action() -> ast.stmt:
    made: ast.stmt = _statement(f"return {NONE}")
    return made


def _yielding(body: list[ast.stmt]) -> list[ast.stmt]:
    """The body of a rule that returns a list, as one that yields what would be in it."""
    match body:
        case [*before, ast.Return(ast.ListComp(action, loops))]:
            if _given(*loops) & _named(*before):  # there it would be another variable
                raise _Otherwise
            last: ast.stmt = ast.Expr(ast.Yield(action))
            for loop in reversed(loops):
                for test in reversed(loop.ifs):
                    last = ast.If(test, [last], [])
                last = ast.For(loop.target, loop.iter, [last], [])
            return [*before, last]
        case [*before, ast.Return(ast.Name(name))]:
            found = _Appending(name)
            kept = [found.visit(each) for each in before if not found.is_start(each)]
            if kept and name not in _named(*kept):
                return kept
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
