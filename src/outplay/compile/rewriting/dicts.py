"""Functions that rewritten rules call for dicts, and for containers that become dicts or lists.

They run interpreted too; `native.dicts` has their compiled forms.
"""

import ast
import collections
from collections.abc import Iterable
from typing import Any

from outplay.compile.rewriting.shared_rewriting import Work


def dict_of(values: Any) -> dict[Any, Any]:
    """`dict(values)`."""
    return dict(values)


def unpacked(values: Any) -> dict[Any, Any]:
    """`{**values}`."""
    return {**values}


def with_item(values: dict[Any, Any], key: Any, value: Any) -> dict[Any, Any]:
    """A new dict, with one more item."""
    values[key] = value
    return values


def with_items(values: dict[Any, Any], others: Any) -> dict[Any, Any]:
    """A new dict, with the items of another."""
    values.update(others)
    return values


def from_keys(keys: Iterable[Any], value: Any) -> dict[Any, Any]:
    """`dict.fromkeys(keys, value)`."""
    values = dict()  # noqa: C408 - compiled too: its type follows from the items
    for key in keys:
        values[key] = value
    return values


def countable(values: Iterable[Any]) -> Iterable[Any]:
    """Values that a `Counter` counts one by one."""
    return values


def counted(values: Iterable[Any]) -> dict[Any, int]:
    """`Counter(values)`."""
    counts = dict()  # noqa: C408
    for value in values:
        if value not in counts:
            counts[value] = 0
        counts[value] += 1
    return counts


def most_common(counts: dict[Any, int], number: int) -> list[tuple[Any, int]]:
    """`counts.most_common(number)`."""
    return collections.Counter(counts).most_common(number)


def defaulted(values: dict[Any, Any], key: Any, default: Any) -> Any:
    """`values[key]` of a `defaultdict`."""
    if key not in values:
        values[key] = default
    return values[key]


def rotated(values: list[Any], number: int) -> None:
    """`values.rotate(number)` of a `deque`."""
    before = values[:]
    for place in range(len(values)):
        values[(place + number) % len(values)] = before[place]


def called(work: Work, node: ast.Call) -> ast.expr | None:
    """`dict(…)`; None if Numba knows it."""
    if any(isinstance(argument, ast.Starred) for argument in node.args) or len(node.args) > 1:
        return None
    if any(keyword.arg is None for keyword in node.keywords):
        return None
    pairs = [(ast.Constant(keyword.arg), keyword.value) for keyword in node.keywords]
    if not node.args:
        return work.changed(ast.Dict([key for key, _ in pairs], [value for _, value in pairs]), node, again=True)
    if any(isinstance(part, ast.Call | ast.NamedExpr) for _, value in pairs for part in ast.walk(value)):
        return None  # Python evaluates these first
    result: ast.expr = ast.Call(work.helper(dict_of), [work.iterable(node.args[0])], [])
    for key, value in pairs:
        result = work.call(with_item, result, key, work.visit(value))
    return work.changed(result, node)


def keys_given(work: Work, node: ast.Call) -> ast.expr | None:
    """`dict.fromkeys(…)`."""
    if len(node.args) != 2 or node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    keys, value = node.args
    return work.changed(work.call(from_keys, work.iterable(keys), work.visit(value)), node)


def display(work: Work, node: ast.Dict) -> ast.expr:
    """`{**values, key: value}`, put together in the order in which it is written."""
    if None not in node.keys:
        work.generic_visit(node)
        return node
    first = node.keys.index(None)
    result: ast.expr | None = None
    if first > 0:
        keys: list[ast.expr | None] = [work.visit(key) for key in node.keys[:first] if key is not None]
        result = ast.Dict(keys, list(map(work.visit, node.values[:first])))
    for key, written in zip(node.keys[first:], node.values[first:], strict=True):
        value = work.visit(written)
        if key is not None:
            assert result is not None
            result = work.call(with_item, result, work.visit(key), value)
        else:
            result = work.call(unpacked, value) if result is None else work.call(with_items, result, value)
    assert result is not None
    return work.changed(result, node)
