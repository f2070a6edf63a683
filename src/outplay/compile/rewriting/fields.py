"""`State(**fields)`: a dict whose keys are constants becomes keyword arguments, or a variable for each key.

Only where every use of the dict is known: an item with a constant key, an update, and `**fields`. At the end are
`dataclasses.replace` and an item of `_asdict()`.
"""

import ast
import copy
import dataclasses
import operator
from typing import Any

from outplay.compile.rewriting.scope import assign, bound, load, only_compiled
from outplay.compile.rewriting.shared_rewriting import Work

PLAIN = (int, float, bool, str, type(None))
record_of = only_compiled("record_of")
"""The record, whose fields have these names."""


# -- in a call ---------------------------------------------------------------------------------------------------------


def spread(work: Work, node: ast.Call) -> None:
    """`f(**{"left": 3})` becomes `f(left=3)`; so does a dict of the module."""
    keywords: list[ast.keyword] = []
    for keyword in node.keywords:
        pairs = None if keyword.arg is not None else _pairs(work, keyword.value)
        keywords += [keyword] if pairs is None else [ast.keyword(name, value) for name, value in pairs]
    if all(map(operator.is_, keywords, node.keywords)):
        return
    names = [keyword.arg for keyword in keywords]
    if len({*names}) == len(names):
        node.keywords = keywords
        work.changes += 1
        ast.fix_missing_locations(node)


def _pairs(work: Work, node: ast.expr) -> list[tuple[str, ast.expr]] | None:
    """The names and values of a dict whose keys are constants."""
    pairs = _of_display(work, node)
    if pairs is not None:
        return pairs
    value = work.scope.value_of(node)
    if type(value) is not dict or not all(type(key) is str and key.isidentifier() for key in value):
        return None
    if not all(map(_is_plain, value.values())):
        return None
    return [(key, ast.Constant(item)) for key, item in value.items()]


def _is_plain(value: Any) -> bool:
    return type(value) in PLAIN or (type(value) is tuple and all(map(_is_plain, value)))


def _of_display(work: Work, node: ast.expr) -> list[tuple[str, ast.expr]] | None:
    """The names and values of `{"left": 3, "turn": 0}` and `dict(left=3, turn=0)`."""
    match node:
        case ast.Dict([_, *_] as keys, values):
            names = [key.value for key in keys if isinstance(key, ast.Constant) and type(key.value) is str]
        case ast.Call(function, [], [_, *_] as named) if work.scope.value_of(function) is dict:
            names, values = [item.arg for item in named if item.arg is not None], [item.value for item in named]
        case _:
            return None
    is_plain = len({*names}) == len(values) and all(name.isidentifier() for name in names)
    return list(zip(names, values, strict=True)) if is_plain else None


# -- in a variable -----------------------------------------------------------------------------------------------------


def replace_fields(work: Work, definition: ast.FunctionDef) -> None:
    """Replace variables that hold the fields of a record."""
    spread_names: dict[str, list[Any]] = {}
    for call in (node for node in ast.walk(definition) if isinstance(node, ast.Call)):
        for keyword in call.keywords:
            if keyword.arg is None and isinstance(keyword.value, ast.Name):
                spread_names.setdefault(keyword.value.id, []).append(work.scope.value_of(call.func))
    for name, classes in spread_names.items():
        keys = _keys(work, definition, name, classes)
        if keys is not None and all(_is_known(work, around, keys) for around in _uses(definition, name)):
            variables = {key: work.scope.like(f"{name}_{key}") for key in keys}
            _Fields(work, name, variables).visit(definition)
            ast.fix_missing_locations(definition)
            work.changes += 1


def _keys(work: Work, definition: ast.FunctionDef, name: str, classes: list[Any]) -> tuple[str, ...] | None:
    """The keys of the dict in a variable; None if they are not the same wherever it is assigned."""
    all_keys: list[tuple[str, ...]] = []
    values = []
    for node in ast.walk(definition):
        match node:
            case ast.Assign([ast.Name(target) as place], value) if target == name:
                values.append(place)
                pairs = _of_display(work, value)
                if pairs is not None:
                    all_keys.append(tuple(key for key, _ in pairs))
                elif _record_in(value) is not None:
                    fields = {getattr(cls, "_fields", None) for cls in classes}
                    [only, *others] = fields
                    if others or only is None:
                        return None
                    all_keys.append(tuple(only))
                else:
                    return None
    if list(bound(definition)).count(name) != len(values) or len(set(map(frozenset, all_keys))) != 1:
        return None
    return all_keys[0]


def _record_in(node: ast.expr) -> ast.expr | None:
    """What `_asdict` is called of."""
    match node:
        case ast.Call(ast.Attribute(record, "_asdict"), [], []):
            return record
    return None


def _uses(definition: ast.FunctionDef, name: str) -> list[ast.AST | None]:
    """What is around each use of a variable; None where that is not known."""
    parents = {child: parent for parent in ast.walk(definition) for child in ast.iter_child_nodes(parent)}
    uses: list[ast.AST | None] = []
    for node in ast.walk(definition):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            around = parents[node]
            if isinstance(around, ast.Attribute):
                call = parents[around]
                is_alone = isinstance(call, ast.Call) and call.func is around and isinstance(parents[call], ast.Expr)
                around = call if is_alone else around
            elif isinstance(around, ast.Subscript) and around.value is not node:
                uses.append(None)
                continue
            uses.append(around)
    return uses


def _is_known(work: Work, around: ast.AST | None, keys: tuple[str, ...]) -> bool:
    """Whether a use of the variable is one of those that are replaced."""
    match around:
        case ast.keyword(None):
            return True
        case ast.Subscript(_, ast.Constant(key), ast.Load() | ast.Store()):
            return key in keys
        case ast.Call(ast.Attribute(_, "update"), [], [_, *_] as named):
            return all(keyword.arg in keys for keyword in named)
        case ast.Call(ast.Attribute(_, "update"), [others], []):
            pairs = _of_display(work, others)
            return pairs is not None and all(key in keys for key, _ in pairs)
    return False


class _Fields(ast.NodeTransformer):
    """Replaces the uses of one variable."""

    def __init__(self, work: Work, name: str, variables: dict[str, str]) -> None:
        self.work, self.name, self.variables = work, name, variables

    def visit_Assign(self, node: ast.Assign) -> Any:
        match node.targets:
            case [ast.Name(name)] if name == self.name:
                return self.assigned(node, node.value)
        self.generic_visit(node)
        return node

    def assigned(self, node: ast.stmt, value: ast.expr) -> list[ast.stmt]:
        """`fields = {…}`: the values are computed before any variable changes."""
        record = _record_in(value)
        new: list[ast.stmt] = []
        if record is not None:
            whole = self.work.scope.variable("record")
            names = ast.Constant(" ".join(self.variables))
            new.append(assign(whole, self.work.call(record_of, self.visit(record), names)))
            pairs: list[tuple[str, ast.expr]] = [
                (key, ast.Attribute(load(whole), key, ast.Load())) for key in self.variables
            ]
        else:
            pairs = [(key, self.visit(statement)) for key, statement in _of_display(self.work, value) or []]
        return [ast.copy_location(statement, node) for statement in [*new, *self.put(pairs)]]

    def put(self, pairs: list[tuple[str, ast.expr]]) -> list[ast.stmt]:
        new = {key: self.work.scope.variable(key) for key, _ in pairs}
        first: list[ast.stmt] = [assign(new[key], value) for key, value in pairs]
        return [*first, *(assign(self.variables[key], load(new[key])) for key, _ in pairs)]

    def visit_Expr(self, node: ast.Expr) -> Any:
        match node.value:
            case ast.Call(ast.Attribute(ast.Name(name), "update"), others, named) if name == self.name:
                pairs = _of_display(self.work, others[0]) if others else [(item.arg, item.value) for item in named]
                values = [(str(key), self.visit(value)) for key, value in pairs or []]
                return [ast.copy_location(statement, node) for statement in self.put(values)]
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        keywords: list[ast.keyword] = []
        for keyword in node.keywords:
            if keyword.arg is None and isinstance(keyword.value, ast.Name) and keyword.value.id == self.name:
                keywords += [ast.keyword(key, load(variable)) for key, variable in self.variables.items()]
            else:
                keywords.append(keyword)
        node.keywords = keywords
        return node

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        match node:
            case ast.Subscript(ast.Name(name), ast.Constant(str(key)), context) if name == self.name:
                return ast.copy_location(ast.Name(self.variables[key], copy.copy(context)), node)
        self.generic_visit(node)
        return node


# -- in a record -------------------------------------------------------------------------------------------------------


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
    arguments = [node.args[0], ast.Constant(" ".join(names)), *values]
    return work.changed(work.call(replaced, *map(work.visit, arguments)), node)


def item_of_record(work: Work, node: ast.Subscript) -> ast.expr | None:
    """`record._asdict()["name"]`."""
    match node:
        case ast.Subscript(ast.Call(ast.Attribute(record, "_asdict"), [], []), ast.Constant(str(name)), ast.Load()):
            call = work.call(item_of_dict, work.visit(record), ast.Constant(name))
            return work.changed(call, node)
    return None
