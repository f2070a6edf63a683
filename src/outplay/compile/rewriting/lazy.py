"""Iterators as generator expressions: `map`, `filter`, `starmap` and the like are loops that yield.

`generator_of` gives the generator expression that an expression means. `loops` writes it out.
"""

import ast
import builtins
import copy
import itertools
from collections.abc import Collection
from types import BuiltinFunctionType
from typing import Any

from outplay.compile.rewriting.callables import called, is_stable
from outplay.compile.rewriting.scope import bound, load, negated, renamed, store
from outplay.compile.rewriting.shared_rewriting import Work

ENDLESS: tuple[Any, ...] = (itertools.count, itertools.cycle, itertools.repeat, builtins.iter)


def generator_of(work: Work, node: ast.expr) -> ast.GeneratorExp | None:
    """`node` as a generator expression whose first loop is over an ordinary value; None if it is no iterator."""
    expression: ast.GeneratorExp | None = None
    if isinstance(node, ast.GeneratorExp):
        expression = node
    elif isinstance(node, ast.Call) and not any(isinstance(argument, ast.Starred) for argument in node.args):
        expression = _written(work, work.scope.value_of(node.func), node)
    if expression is None or any(generator.is_async for generator in expression.generators):
        return None
    return _flat(work, ast.copy_location(expression, node))


def _written(work: Work, value: Any, node: ast.Call) -> ast.GeneratorExp | None:
    """The generator expression for a call of `map` and the like."""
    if value is builtins.map and len(node.args) > 1 and not node.keywords:
        function, *values = node.args
        if not is_stable(work.scope, function):
            return None
        names = [work.scope.variable() for _ in values]
        together = values[0] if len(values) == 1 else ast.Call(work.helper(zip), values, [])
        return _over(names, together, called(work.scope, function, names))
    if node.keywords:
        return None
    if callable(value) and value == itertools.chain.from_iterable and len(node.args) == 1:
        outer, inner = work.scope.variable(), work.scope.variable()
        expression = _over([outer], node.args[0], load(inner))
        expression.generators.append(ast.comprehension(store(inner), load(outer), [], 0))
        return expression
    if len(node.args) != 2 or not is_stable(work.scope, node.args[0]):
        return None
    function, values_of = node.args
    if value in (builtins.filter, itertools.filterfalse):
        name = work.scope.variable()
        is_none = isinstance(function, ast.Constant) and function.value is None
        test = load(name) if is_none else called(work.scope, function, [name])
        if value is itertools.filterfalse:
            test = negated(test)
        expression = _over([name], values_of, load(name))
        expression.generators[0].ifs.append(test)
        return expression
    if value is itertools.starmap:
        match function:
            case ast.Lambda(ast.arguments(args=args)):
                names = [work.scope.variable() for _ in args]
                return _over(names, values_of, called(work.scope, function, names), always_pairs=True)
        name = work.scope.variable()
        call = ast.Call(copy.deepcopy(function), [ast.Starred(load(name), ast.Load())], [])
        return _over([name], values_of, call)
    return None


def _over(names: list[str], values: ast.expr, item: ast.expr, always_pairs: bool = False) -> ast.GeneratorExp:
    targets: list[ast.expr] = [store(name) for name in names]
    is_pair = len(names) > 1 or always_pairs
    target = ast.Tuple(targets, ast.Store()) if is_pair else targets[0]
    return ast.GeneratorExp(item, [ast.comprehension(target, values, [], 0)])


def _flat(work: Work, expression: ast.GeneratorExp) -> ast.GeneratorExp:
    """The same with no iterator as its first iterable, so that nothing is computed before it is asked for."""
    first, *rest = expression.generators
    inner = generator_of(work, first.iter)
    if inner is None:
        return expression
    inner = with_new_names(work, inner)
    once = ast.comprehension(first.target, ast.Tuple([inner.elt], ast.Load()), first.ifs, 0)
    return ast.copy_location(ast.GeneratorExp(expression.elt, [*inner.generators, once, *rest]), expression)


def with_new_names(work: Work, expression: ast.GeneratorExp) -> ast.GeneratorExp:
    """A copy whose own variables have new names, so that other expressions can stand in its loops."""
    expression = copy.deepcopy(expression)
    own = {part.id for one in expression.generators for part in ast.walk(one.target) if isinstance(part, ast.Name)}
    start = expression.generators[0].iter  # evaluated outside
    expression.generators[0].iter = ast.Constant(None)
    expression = renamed(expression, {name: work.scope.variable() for name in own})
    expression.generators[0].iter = start
    return expression


def loops(generators: list[ast.comprehension], inside: list[ast.stmt]) -> list[ast.stmt]:
    """The loops of a generator expression around these statements."""
    for loop in reversed(generators):
        for test in reversed(loop.ifs):
            inside = [ast.If(test, inside, [])]
        match loop.iter:
            case ast.Tuple([value]) if not isinstance(value, ast.Starred):
                inside = [ast.Assign([loop.target], value), *inside]
            case _:
                inside = [ast.For(loop.target, loop.iter, inside, [])]
    return inside


def may_be_listed(work: Work, expression: ast.GeneratorExp) -> bool:
    """Whether all values may be computed although some may never be asked for: it ends, and none is an error.

    It surely ends if no loop is over what a function of users yields.
    """
    calls = [node for loop in expression.generators for node in ast.walk(loop.iter) if isinstance(node, ast.Call)]
    are_pythons = all(isinstance(work.value_of(call.func), type | BuiltinFunctionType) for call in calls)
    if not are_pythons or is_endless(work, expression):
        return False
    first, *rest = expression.generators
    later = [expression.elt, *first.ifs, *(part for loop in rest for part in (loop.iter, *loop.ifs))]
    names = {name for loop in expression.generators for name in bound(loop.target)}
    return all(is_no_error(work, part, names) for part in later)


SAFE = (
    *(ast.Constant, ast.Name, ast.Tuple, ast.List, ast.Set, ast.BoolOp, ast.Compare, ast.IfExp),
    *(ast.UnaryOp, ast.Lambda, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.comprehension, ast.Starred, ast.Slice),
    *(ast.expr_context, ast.boolop, ast.cmpop, ast.unaryop, ast.operator, ast.arguments, ast.arg, ast.keyword),
)
"""What raises no error if its parts raise none."""
SAFE_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)
SAFE_FUNCTIONS: tuple[Any, ...] = (
    *(abs, bool, len, isinstance, enumerate, zip, map, filter, reversed, sum, any, all, sorted, list, tuple, set),
    *(itertools.chain, itertools.pairwise, itertools.takewhile, itertools.dropwhile, itertools.accumulate),
    *(itertools.product, itertools.combinations, itertools.permutations, itertools.groupby),
)
"""The same, of functions."""
CALLING: tuple[tuple[Any, int], ...] = (
    *((map, 0), (filter, 0), (itertools.takewhile, 0), (itertools.dropwhile, 0)),
    *((itertools.accumulate, 1), (itertools.groupby, 1)),
)
"""Those that call a function, and the place of this argument."""


def is_no_error(work: Work, node: ast.expr, names: Collection[str] = ()) -> bool:
    """Whether an expression surely raises no error; if it is a lambda, whether its calls raise none.

    `names` are variables whose values may be None, which has no attributes.
    """
    names = {*names, *bound(node)}
    return all(_is_safe(work, part, names) for part in ast.walk(node))


def _is_safe(work: Work, node: ast.AST, names: Collection[str]) -> bool:
    match node:
        case ast.Attribute(ast.Name(name)):
            return name not in names
        case ast.BinOp(_, ast.Mod() | ast.FloorDiv() | ast.Div() | ast.LShift() | ast.RShift(), by):
            return _is_positive(by)
        case ast.BinOp(_, operator, _):
            return isinstance(operator, SAFE_OPERATORS)
        case ast.Subscript(_, ast.Slice(_, _, step)):
            return step is None or _is_step(step)
        case ast.Call(function, args, keywords):
            value = work.value_of(function)
            callables = [keyword.value for keyword in keywords if keyword.arg in ("key", "func")]
            callables += [part for reader, place in CALLING if reader is value for part in args[place : place + 1]]
            if not all(isinstance(part, ast.Lambda | ast.Constant) or _is_known(work, part) for part in callables):
                return False
            if value is min or value is max:
                return len(args) > 1 or any(keyword.arg == "default" for keyword in keywords)
            if value is range:
                return len(args) < 3 or _is_step(args[2])
            if value is itertools.islice:
                are_constant = all(isinstance(part, ast.Constant) for part in args[1:])  # so none is negative
                return are_constant and (len(args) < 4 or _is_positive(args[3]))
            return _is_known(work, function)
    return isinstance(node, SAFE)


def _is_known(work: Work, function: ast.expr) -> bool:
    value = work.value_of(function)
    return any(value is other for other in (*SAFE_FUNCTIONS, min, max))


def _is_step(node: ast.expr) -> bool:
    return _is_positive(node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node)


def _is_positive(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value > 0


def is_endless(work: Work, node: ast.AST) -> bool:
    """Whether a loop is over an iterator without an end."""
    return any(
        isinstance(part, ast.Call) and any(work.value_of(part.func) is endless for endless in ENDLESS)
        for part in ast.walk(node)
    )
