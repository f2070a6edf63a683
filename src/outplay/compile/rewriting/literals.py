"""Lists written out in the rules that nobody can change become constants, which are made once.

`for dx, dy in [(0, 1), (1, 0)]` makes a list at each run. If all its items are numbers, or tuples or lists of numbers,
and the loop only reads them, the same list can be used each time.
"""

import ast
from typing import Any

from outplay.compile.rewriting.shared_rewriting import Work

READERS = (len, any, all, sum, min, max, sorted, set, enumerate, zip)
"""Functions that read a list and do not keep it."""


def constant_lists(work: Work, definition: ast.FunctionDef) -> None:
    """Replace lists that loops and `in` read."""
    parents = {id(child): node for node in ast.walk(definition) for child in ast.iter_child_nodes(node)}
    for node in list(ast.walk(definition)):
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.List):
            rows = _value(node.iter)
            if (
                rows
                and _are_alike(rows)
                and (type(rows[0]) is not list or _is_only_read(work, definition, node, parents))
            ):
                node.iter = _constant(work, rows, node.iter)
        elif isinstance(node, ast.Compare) and isinstance(node.ops[-1], ast.In | ast.NotIn):
            last = node.comparators[-1]
            if isinstance(last, ast.List) and all(type(item) in (int, str) for item in _value(last) or [None]):
                node.comparators[-1] = ast.copy_location(ast.Tuple(last.elts, ast.Load()), last)
                work.changes += 1


def _value(node: ast.List) -> list[Any] | None:
    """The list, if it is made of constants."""
    try:
        items: list[Any] = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return items


def _are_alike(rows: list[Any]) -> bool:
    """Whether all items are ints, or all are tuples or lists of ints."""
    kind = type(rows[0])
    if kind is int:
        return all(type(row) is int for row in rows)
    width = len(rows[0]) if kind is tuple else None
    return kind in (tuple, list) and all(
        type(row) is kind and row and width in (None, len(row)) and all(type(item) is int for item in row)
        for row in rows
    )


def _is_only_read(work: Work, definition: ast.FunctionDef, loop: Any, parents: dict[int, ast.AST]) -> bool:
    """Whether the rules only read the items of the list that a loop runs over."""
    if isinstance(loop.target, ast.Tuple):
        return all(isinstance(element, ast.Name) for element in loop.target.elts)
    if not isinstance(loop.target, ast.Name):
        return False
    uses = [part for part in ast.walk(definition) if isinstance(part, ast.Name) and part.id == loop.target.id]
    return all(isinstance(use.ctx, ast.Store) or _reads(work, use, parents[id(use)]) for use in uses)


def _reads(work: Work, use: ast.Name, parent: ast.AST) -> bool:
    match parent:
        case ast.For(iter=read) | ast.comprehension(iter=read):
            return read is use
        case ast.Subscript(read, ctx=ast.Load()) if not isinstance(parent.slice, ast.Slice):
            return read is use
        case ast.Compare(_, [ast.In() | ast.NotIn()], [read]):
            return read is use
        case ast.Call(function, [_], []):  # with others, `min` and `max` return one of them
            return any(work.scope.value_of(function) is reader for reader in READERS)
        case ast.Assign([ast.Tuple(names)], read):
            return read is use and all(isinstance(name, ast.Name) for name in names)
    return False


def _constant(work: Work, rows: list[Any], node: ast.List) -> ast.expr:
    name = work.scope.new("rows")
    work.helpers[name] = rows
    work.changes += 1
    return ast.copy_location(ast.Name(name, ast.Load()), node)
