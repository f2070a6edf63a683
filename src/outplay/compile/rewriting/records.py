"""`dataclasses.replace`, and an item of `_asdict()`: calls in which the names of fields are constants."""

import ast
import dataclasses
from typing import Any

from outplay.compile.rewriting.shared_rewriting import Work


def replaced(record: Any, names: str, *values: Any) -> Any:
    """`dataclasses.replace(record, …)`; `names` has the names of the fields that get these values."""
    return dataclasses.replace(record, **dict(zip(names.split(), values, strict=True)))


def item_of_dict(record: Any, name: str) -> Any:
    """`record._asdict()[name]`."""
    return record._asdict()[name]


def replacing(work: Work, node: ast.Call) -> ast.expr | None:
    """A call of `dataclasses.replace`."""
    names = [keyword.arg for keyword in node.keywords if keyword.arg is not None]
    if len(node.args) != 1 or isinstance(node.args[0], ast.Starred) or len(names) != len(node.keywords):
        return None
    values = [keyword.value for keyword in node.keywords]
    given = [node.args[0], ast.Constant(" ".join(names)), *values]
    return work.changed(work.call(replaced, *map(work.visit, given)), node)


def item(work: Work, node: ast.Subscript) -> ast.expr | None:
    """`record._asdict()["name"]`."""
    match node:
        case ast.Subscript(ast.Call(ast.Attribute(record, "_asdict"), [], []), ast.Constant(str(name)), ast.Load()):
            called = work.call(item_of_dict, work.visit(record), ast.Constant(name))
            return work.changed(called, node)
    return None
