"""Functions that read an iterator: `any`, `all`, `sum`, `min`, `max`, `next`, `sorted`, `reduce` and others.

Those that read an iterator to its end may get a list. Those that stop early, or need no list, become loops.
"""

import ast
import builtins
import copy
import dataclasses
import functools
import itertools
import sys
from collections.abc import Callable
from types import BuiltinFunctionType
from typing import Any

from outplay.compile.rewriting import dicts, fields
from outplay.compile.rewriting.callables import is_stable
from outplay.compile.rewriting.iterables import distinct, in_any_order, like, ordered_by, unlike, varying
from outplay.compile.rewriting.itertools_functions import LISTS
from outplay.compile.rewriting.lazy import generator_of, is_endless
from outplay.compile.rewriting.reading import Reading, is_lazy, is_list, keywords_of
from outplay.compile.rewriting.scope import append, assign, load, negated, store
from outplay.compile.rewriting.shared_rewriting import Work
from outplay.compile.rewriting.source import parsed

ADDS_EXACTLY = sys.version_info >= (3, 12)
"""Whether `sum` of floats keeps the lost digits: then only the function that does this adds."""


def _any_or_all(is_any: bool) -> "Rewriting":
    def rewrite(work: Work, node: ast.Call) -> ast.expr | None:
        if len(node.args) != 1 or keywords_of(node) is None:
            return None
        reads_list = is_list(node.args[0])
        reading = Reading(work, node, node.args[0], is_ordered=False, is_whole=reads_list, is_partly=not reads_list)
        test = reading.item if is_any else negated(reading.item)
        if reads_list:  # all values are computed before one is looked at
            answer = reading.variable("found")
            inside = ast.If(test, [assign(answer, ast.Constant(is_any))], [])
            return reading.result([assign(answer, ast.Constant(not is_any))], [inside], [ast.Return(load(answer))])
        inside = ast.If(test, [ast.Return(ast.Constant(is_any))], [])
        return reading.result([], [inside], [ast.Return(ast.Constant(not is_any))])

    return rewrite


def _sum(work: Work, node: ast.Call) -> ast.expr | None:
    keywords = keywords_of(node, "start")
    if keywords is None or not 1 <= len(node.args) + len(keywords) <= 2:
        return None
    if not (is_lazy(work, node.args[0]) or is_list(node.args[0])) or ADDS_EXACTLY:
        return _of_list(work, node)
    start = [*node.args[1:], *keywords.values(), ast.Constant(0)][0]
    item = getattr(node.args[0], "elt", None)
    is_whole = isinstance(item, ast.Compare) or (isinstance(item, ast.Constant) and type(item.value) is int)
    reading = Reading(work, node, node.args[0], is_ordered=not is_whole, is_whole=True)
    total = reading.parameter("total", start)
    added = ast.BinOp(load(total), ast.Add(), reading.item)
    return reading.result([], [assign(total, added)], [ast.Return(load(total))])


def _least_or_most(is_better: type[ast.cmpop], name: str) -> "Rewriting":
    def rewrite(work: Work, node: ast.Call) -> ast.expr | None:
        keywords = keywords_of(node, "key", "default")
        if keywords is None or not node.args:
            return None
        if len(node.args) > 1:
            if "key" not in keywords or "default" in keywords:
                return None
            values: ast.expr = ast.Tuple(node.args, ast.Load())
        else:
            values = node.args[0]
            if not keywords and not (is_lazy(work, values) or is_list(values)):
                return _of_list(work, node)
        reading = Reading(work, node, values, is_ordered="key" in keywords, is_whole=not keywords)
        arguments = reading.given_by_name(keywords)
        key = arguments.get("key")
        if isinstance(key, ast.Constant) and key.value is None:
            key = None
        item, best, flag = reading.variable("value"), reading.variable("best"), reading.variable("found")
        rank, best_rank = (item, best) if key is None else (reading.variable("rank"), reading.variable("best_rank"))
        take: list[ast.stmt] = [assign(best, load(item))]
        inside: list[ast.stmt] = [assign(item, reading.item)]
        if key is not None:
            inside.append(assign(rank, reading.called(key, item)))
            take.append(assign(best_rank, load(rank)))
        better = ast.Compare(load(rank), [is_better()], [load(best_rank)])
        first: list[ast.stmt] = [*copy.deepcopy(take), assign(flag, ast.Constant(True))]
        inside.append(_unless(flag, first, [ast.If(better, take, [])]))
        last: ast.stmt = parsed(f"raise ValueError('{name}() iterable argument is empty')")
        if "default" in arguments:
            last = ast.Return(arguments["default"])
        start = assign(flag, ast.Constant(False))
        return reading.result([start], inside, [ast.If(load(flag), [ast.Return(load(best))], []), last])

    return rewrite


def _next(work: Work, node: ast.Call) -> ast.expr | None:
    if keywords_of(node) is None or not 1 <= len(node.args) <= 2:
        return None
    values, *default = node.args
    match values:
        case ast.Call(function, [inner], []) if work.scope.value_of(function) is builtins.iter:
            values = inner
    if not isinstance(values, ast.Call | ast.GeneratorExp) and values is node.args[0]:
        return None  # an iterator in a variable goes on where it was
    if isinstance(values, ast.Call) and work.scope.value_of(values.func) in (list, tuple, sorted, range):
        return None
    reading = Reading(work, node, values, is_partly=True)
    last: ast.stmt = parsed("raise StopIteration")
    if default:
        last = ast.Return(load(reading.parameter("default", default[0])))
    return reading.result([], [ast.Return(reading.item)], [last])


def _of_list(work: Work, node: ast.Call) -> ast.expr | None:
    """A function that reads all values of its first argument."""
    if not node.args or isinstance(node.args[0], ast.Starred):
        return None
    node.args[0] = work.iterable(node.args[0])
    work.generic_visit(node)
    return node


def _len(work: Work, node: ast.Call) -> ast.expr | None:
    """`len([… for …])` counts, and `len({… for …})` and `len(set(… for …))` count what is different."""
    if len(node.args) != 1 or node.keywords:
        return None
    match node.args[0]:
        case ast.SetComp() as values:
            return _distinct(work, node, values)
        case ast.Call(function, [ast.GeneratorExp() | ast.ListComp() as values], []):
            if work.scope.value_of(function) is set:
                return _distinct(work, node, values)
    if not is_list(node.args[0]):
        return None
    reading = Reading(work, node, node.args[0], is_whole=True)
    number = reading.variable("number")
    start = assign(number, ast.Constant(0))
    more = ast.AugAssign(store(number), ast.Add(), ast.Constant(1))
    return reading.result([start], [assign(reading.variable("value"), reading.item), more], [ast.Return(load(number))])


def _distinct(work: Work, node: ast.Call, values: ast.GeneratorExp | ast.ListComp | ast.SetComp) -> ast.expr:
    unordered(work, values)
    items = ast.ListComp(values.elt, values.generators)
    return work.changed(work.call(distinct, items), node, again=True)


def differing(work: Work, node: ast.expr) -> ast.expr | None:
    """`len(set(values))`, for a comparison with 0 or 1: 2 if there are more; None for other expressions."""
    match node:
        case ast.Call(length, [ast.Call(constructor, [values], []) as inner], []):
            is_set = work.scope.value_of(length) is len and work.scope.value_of(constructor) is set
        case ast.Call(length, [ast.SetComp(item, generators) as inner], []):
            is_set = work.scope.value_of(length) is len
            values = ast.copy_location(ast.GeneratorExp(item, generators), inner)
        case _:
            return None
    if not is_set or isinstance(values, ast.Starred):
        return None
    reading = Reading(work, inner if isinstance(inner, ast.Call) else node, values, is_ordered=False, is_whole=True)
    value, first, number = reading.variable("value"), reading.variable("one"), reading.variable("number")
    start = assign(number, ast.Constant(0))
    take_first = [assign(first, load(value)), assign(number, ast.Constant(1))]
    other = work.call(unlike, load(value), load(first))
    inside: list[ast.stmt] = [
        assign(value, reading.item),
        _unless(number, take_first, [ast.If(other, [assign(number, ast.Constant(2))], [])]),
    ]
    return reading.result([start], inside, [ast.Return(load(number))])


def _list(work: Work, node: ast.Call) -> ast.expr | None:
    if len(node.args) != 1 or node.keywords:
        return None
    if is_lazy(work, node.args[0]):
        values = work.iterable(node.args[0])
        return values if isinstance(values, ast.ListComp) else None
    return _of_list(work, node)


def _tuple(work: Work, node: ast.Call) -> ast.expr | None:
    """`tuple(…)`: of the length of its only loop, if that has no condition; else of any length."""
    if len(node.args) != 1 or keywords_of(node) is None:
        return None
    values = node.args[0]
    if isinstance(values, ast.ListComp):
        values = ast.GeneratorExp(values.elt, values.generators)
    if not is_lazy(work, values):
        function = work.scope.value_of(values.func) if isinstance(values, ast.Call) else None
        if any(function is listing for listing in (*LISTS, *LISTING) if listing not in (zip, reversed)):
            return work.changed(work.call(varying, work.iterable(values)), node)
        return None  # by its type
    generator = generator_of(work, copy.deepcopy(values))
    assert generator is not None
    if is_endless(work, generator):
        return None
    if len(generator.generators) > 1 or generator.generators[0].ifs:
        return work.changed(work.call(varying, work.iterable(values)), node)
    name = work.scope.variable("values")
    start = work.iterable(generator.generators[0].iter)
    generator.generators[0].iter = load(name)
    whole = ast.ListComp(generator.elt, generator.generators)
    body: list[ast.stmt] = [ast.Return(work.call(like, load(name), whole))]
    return work.inner("tuple", [name], body, [start], node)


def _set(work: Work, node: ast.Call) -> ast.expr | None:
    if not node.args and work.scope.value_of(node.func) is frozenset:  # of what, follows from how it is used
        return work.changed(ast.Call(work.helper(frozenset), [work.call(set)], []), node)
    if len(node.args) != 1 or node.keywords:
        return None
    if isinstance(node.args[0], ast.GeneratorExp | ast.ListComp):
        unordered(work, node.args[0])
    return _of_list(work, node)


def unordered(work: Work, node: ast.GeneratorExp | ast.ListComp | ast.SetComp) -> None:
    """Allow the values of a comprehension to come in any order: its loop may read a set."""
    first = node.generators[0]
    if may_be_set(work, first.iter):
        first.iter = work.changed(work.call(in_any_order, first.iter), first.iter)


def may_be_set(work: Work, node: ast.expr) -> bool:
    """Whether an expression may be a set: also what a function of users returns."""
    if isinstance(node, ast.Call):
        value = work.value_of(node.func)
        is_view = isinstance(node.func, ast.Attribute) and node.func.attr in ("items", "keys", "values")
        may_return_set = value in (set, frozenset) or not isinstance(value, type | BuiltinFunctionType)
        return may_return_set and not is_view and not is_lazy(work, node)
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Set | ast.SetComp | ast.BinOp)


def _sorted(work: Work, node: ast.Call) -> ast.expr | None:
    keywords = keywords_of(node, "key", "reverse")
    if keywords is None or len(node.args) != 1:
        return None
    match node.args[0]:
        case ast.Call(function, [values], []) if work.scope.value_of(function) in (list, tuple):
            node.args[0] = values
            work.changes += 1
    key = keywords.get("key", ast.Constant(None))
    is_ordered = not isinstance(key, ast.Constant) and not _tells_apart(key)
    if not is_ordered and isinstance(node.args[0], ast.GeneratorExp | ast.ListComp):
        unordered(work, node.args[0])
    if isinstance(key, ast.Constant):
        return _of_list(work, node)
    reading = Reading(work, node, node.args[0], is_ordered)
    arguments = {"reverse": ast.Constant(False), **reading.given_by_name(keywords)}
    items, keys, item = reading.variable("items"), reading.variable("keys"), reading.variable("value")
    inside = [
        assign(item, reading.item),
        append(items, load(item)),
        append(keys, reading.called(arguments["key"], item)),
    ]
    result = ast.Call(work.helper(ordered_by), [load(items), load(keys), arguments["reverse"]], [])
    return reading.result([_empty(items), _empty(keys)], inside, [ast.Return(result)])


def _tells_apart(key: ast.expr) -> bool:
    """Whether a key differs for different items, since it holds the item."""
    match key:
        case ast.Lambda(ast.arguments(args=[ast.arg(name)]), ast.Tuple(parts)):
            return any(isinstance(part, ast.Name) and part.id == name for part in parts)
    return False


def _unless(flag: str, first: list[ast.stmt], others: list[ast.stmt]) -> ast.stmt:
    """The first value, and others; Numba wants the statements first that assign variables."""
    return ast.If(negated(load(flag)), first, others)


def _empty(name: str) -> ast.stmt:
    return assign(name, ast.List([], ast.Load()))


def _reduce(work: Work, node: ast.Call) -> ast.expr | None:
    if keywords_of(node) is None or not 2 <= len(node.args) <= 3 or not is_stable(work.scope, node.args[0]):
        return None
    function, values, *start = node.args
    reading = Reading(work, node, values)
    total = reading.parameter("total", start[0]) if start else reading.variable("total")
    item, flag = reading.variable("value"), reading.variable("found")
    next_value = assign(item, reading.item)
    joined = assign(total, reading.called(function, total, item))
    if start:
        return reading.result([], [next_value, joined], [ast.Return(load(total))])
    first = [assign(total, load(item)), assign(flag, ast.Constant(True))]
    empty = parsed("raise TypeError('reduce() of empty iterable with no initial value')")
    return reading.result(
        [assign(flag, ast.Constant(False))],
        [next_value, _unless(flag, first, [joined])],
        [ast.If(load(flag), [ast.Return(load(total))], []), empty],
    )


def _accumulate(work: Work, node: ast.Call) -> ast.expr | None:
    keywords = keywords_of(node, "func", "initial")
    if keywords is None or not 1 <= len(node.args) <= 2 or list(keywords) not in ([], ["func"], ["initial"]):
        return None
    function = [*node.args[1:], *([keywords["func"]] if "func" in keywords else [])]
    if len(function) > 1 or (function and not is_stable(work.scope, function[0])):
        return None
    reading = Reading(work, node, node.args[0])
    item, total = reading.variable("value"), reading.variable("total")
    sums, flag = reading.variable("sums"), reading.variable("found")
    before: list[ast.stmt] = [_empty(sums), assign(flag, ast.Constant("initial" in keywords))]
    if "initial" in keywords:
        total = reading.parameter("total", keywords["initial"])
        before.append(append(sums, load(total)))
    joined = ast.BinOp(load(total), ast.Add(), load(item))
    value = reading.called(function[0], total, item) if function else joined
    first = [assign(total, load(item)), assign(flag, ast.Constant(True))]
    inside = [assign(item, reading.item), _unless(flag, first, [assign(total, value)]), append(sums, load(total))]
    return reading.result(before, inside, [ast.Return(load(sums))])


def _while(is_taken: bool) -> "Rewriting":
    """`takewhile` and `dropwhile`, listed."""

    def rewrite(work: Work, node: ast.Call) -> ast.expr | None:
        if keywords_of(node) is None or len(node.args) != 2 or not is_stable(work.scope, node.args[0]):
            return None
        reading = Reading(work, node, node.args[1], is_partly=is_taken)
        if len(reading.generators) > 1:
            return None
        item, items, flag = reading.variable("value"), reading.variable("kept"), reading.variable("found")
        test = reading.called(node.args[0], item)
        inside: list[ast.stmt] = [assign(item, reading.item)]
        before = [_empty(items), assign(flag, ast.Constant(False))]
        if is_taken:
            inside += [ast.If(negated(test), [ast.Break()], []), append(items, load(item))]
        else:
            unless = ast.If(negated(test), [assign(flag, ast.Constant(True))], [])
            inside.append(ast.If(negated(load(flag)), [unless], []))
            inside.append(ast.If(load(flag), [append(items, load(item))], []))
        return reading.result(before, inside, [ast.Return(load(items))])

    return rewrite


def _groupby(work: Work, node: ast.Call) -> ast.expr | None:
    keywords = keywords_of(node, "key")
    if keywords is None or not 1 <= len(node.args) + len(keywords) <= 2 or not node.args:
        return None
    function = [*node.args[1:], *keywords.values()]
    if function and not is_stable(work.scope, function[0]):
        return None
    reading = Reading(work, node, node.args[0])
    item, mark, last = reading.variable("value"), reading.variable("mark"), reading.variable("last")
    group, groups, flag = reading.variable("group"), reading.variable("groups"), reading.variable("found")
    starts = negated(ast.Compare(load(last), [ast.Eq()], [load(mark)]))
    new: list[ast.stmt] = [
        assign(last, load(mark)),
        assign(group, ast.List([load(item)], ast.Load())),
        append(groups, ast.Tuple([load(mark), load(group)], ast.Load())),
        assign(flag, ast.Constant(True)),
    ]
    inside: list[ast.stmt] = [
        assign(item, reading.item),
        assign(mark, reading.called(function[0], item) if function else load(item)),
        _unless(flag, copy.deepcopy(new), [ast.If(starts, new, [append(group, load(item))])]),
    ]
    before = [_empty(groups), assign(flag, ast.Constant(False))]
    return reading.result(before, inside, [ast.Return(load(groups))])


def _enumerate(work: Work, node: ast.Call) -> ast.expr | None:
    keywords = keywords_of(node, "start")
    if keywords is None or not 1 <= len(node.args) + len(keywords) <= 2 or not node.args:
        return None
    if keywords:
        work.changes += 1
    is_partly = not any(node is other for other in work.read_whole)
    node.args = [work.iterable(node.args[0], is_partly), *map(work.visit, [*node.args[1:], *keywords.values()])]
    node.keywords = []
    return node


def _zip(work: Work, node: ast.Call) -> ast.expr | None:
    if node.keywords:
        return None
    node.args = [
        argument if isinstance(argument, ast.Starred) else work.iterable(argument, is_partly=len(node.args) > 1)
        for argument in node.args
    ]
    return node


Rewriting = Callable[[Work, ast.Call], ast.expr | None]
CONSUMERS: dict[Any, Rewriting] = {
    any: _any_or_all(True),
    all: _any_or_all(False),
    sum: _sum,
    len: _len,
    min: _least_or_most(ast.Lt, "min"),
    max: _least_or_most(ast.Gt, "max"),
    next: _next,
    list: _list,
    tuple: _tuple,
    set: _set,
    frozenset: _set,
    sorted: _sorted,
    functools.reduce: _reduce,
    enumerate: _enumerate,
    zip: _zip,
    dict: dicts.called,
    dict.fromkeys: dicts.keys_given,
    dataclasses.replace: fields.replacing,
}
"""For each function that reads an iterator: what its call becomes; None if it stays."""
LISTING: dict[Any, Rewriting] = {
    itertools.accumulate: _accumulate,
    itertools.takewhile: _while(True),
    itertools.dropwhile: _while(False),
    itertools.groupby: _groupby,
}
"""The same for functions whose iterator is read once."""
