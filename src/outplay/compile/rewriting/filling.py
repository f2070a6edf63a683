"""Lists that are filled in a loop: `rows = [None] * n` and `rows[i] = […]` for each `i` become appends.

So the list never holds anything but its items, which have one type. Only where nobody can see it before it is full.
"""

import ast
import copy
from typing import NamedTuple

from outplay.compile.rewriting.scope import append, assign, bound, load, names_of
from outplay.compile.rewriting.shared_rewriting import Work


class Filled(NamedTuple):
    """A list that a loop fills: where it is kept, the loop, and the statement that stores an item."""

    place: ast.expr
    loop: ast.For
    number: int
    """The place of that statement in the body of the loop."""


def fill_lists(work: Work, definition: ast.FunctionDef) -> None:
    """Rewrite such loops in a function."""
    definition.body = _block(work, definition, definition.body)


def _block(
    work: Work, definition: ast.FunctionDef, body: list[ast.stmt], lists: frozenset[str] = frozenset()
) -> list[ast.stmt]:
    """Statements, rewritten; `lists` are the places of lists that loops around fill."""
    statements: list[ast.stmt] = []
    waiting = list(body)
    while waiting:
        first = waiting.pop(0)
        filled = _filled(work, definition, first, waiting[0], lists) if waiting else None
        if filled is not None:
            loop = filled.loop
            loop.body = _block(work, definition, loop.body, lists | {_text(filled.place)})
            filled = _filled(work, definition, first, waiting.pop(0), lists)
            statements += [first, loop] if filled is None else _with_appends(work, first, filled)
            continue
        if isinstance(first, ast.If | ast.For | ast.While):
            first.body = _block(work, definition, first.body, lists)
            first.orelse = _block(work, definition, first.orelse, lists)
        statements.append(first)
    return statements


def _text(place: ast.expr) -> str:
    return ast.dump(_loaded(place))


def _loaded(place: ast.expr) -> ast.expr:
    """A place that is read."""
    copied = copy.deepcopy(place)
    for part in ast.walk(copied):
        if isinstance(part, ast.Name | ast.Attribute | ast.Subscript):
            part.ctx = ast.Load()
    return copied


def _filled(
    work: Work, definition: ast.FunctionDef, first: ast.stmt, second: ast.stmt, lists: frozenset[str]
) -> Filled | None:
    match first, second:
        case ast.Assign([place], value), ast.For(ast.Name(index), ast.Call(function, [number], []), body, []):
            length = _length(work, value) if work.scope.value_of(function) is range else None
        case _:
            return None
    if length is None or ast.dump(length) != ast.dump(number):
        return None
    if not _is_alone(place, definition, lists) or not _is_fixed(number) or index in set(_rebound(body)):
        return None
    if set(_rebound(body)) & {*names_of(place), *names_of(number)} or index in names_of(place):
        return None
    item = ast.dump(_item(place, index))
    stores = [at for at, part in enumerate(body) if _stored(part) == item]
    if len(stores) != 1 or any(isinstance(part, _LEAVES) for one in body for part in ast.walk(one)):
        return None
    store_ = body[stores[0]]
    assert isinstance(store_, ast.Assign)
    has_none = any(isinstance(part, ast.Constant) and part.value is None for part in ast.walk(value))
    if not has_none and not _is_container(store_.value):
        return None
    own = _attributes_assigned(definition)
    if any(_mentions(part, place, own) for part in (number, *body[: stores[0]], store_.value)):
        return None
    later = [_Items(item).visit(copy.deepcopy(part)) for part in body[stores[0] + 1 :]]
    if any(_mentions(part, place, own) for part in later):
        return None
    assert isinstance(second, ast.For)
    return Filled(place, second, stores[0])


_LEAVES = (ast.Break, ast.Continue, ast.Return, ast.Try, ast.FunctionDef, ast.Lambda, ast.Yield, ast.YieldFrom)


def _length(work: Work, value: ast.expr) -> ast.expr | None:
    """The length of a list of equal constants; None for other values."""
    match value:
        case ast.BinOp(ast.List([ast.Constant()]), ast.Mult(), number):
            return number
        case ast.BinOp(number, ast.Mult(), ast.List([ast.Constant()])):
            return number
        case ast.ListComp(ast.Constant(), [ast.comprehension(ast.Name(), ast.Call(function, [number], []), [], 0)]):
            return number if work.scope.value_of(function) is range else None
    return None


def _is_container(value: ast.expr) -> bool:
    match value:
        case ast.List() | ast.ListComp() | ast.Tuple() | ast.Set() | ast.Dict() | ast.SetComp():
            return True
        case ast.BinOp(left, _, right):
            return _is_container(left) or _is_container(right)
    return False


def _is_alone(place: ast.expr, definition: ast.FunctionDef, lists: frozenset[str]) -> bool:
    """Whether a list is seen only where its name is: of a local variable, a new object, or a list that is filled."""
    match place:
        case ast.Name(name):
            inner = [part for part in ast.walk(definition) if isinstance(part, ast.Lambda | ast.FunctionDef)]
            return not any(name in names_of(part) for part in inner if part is not definition)
        case ast.Subscript(owner, ast.Name()):
            return _text(owner) in lists
        case ast.Attribute(ast.Name(name)):
            whole = [part.value for part in ast.walk(definition) if isinstance(part, ast.Attribute)]
            own = [part for part in ast.walk(definition) if isinstance(part, ast.Name) and part.id == name]
            first = [argument.arg for argument in definition.args.args[:1]]
            return definition.name == "__init__" and first == [name] and all(part in whole for part in own)
    return False


def _is_fixed(node: ast.expr) -> bool:
    """Whether the expression has the same value when it is computed again."""
    match node:
        case ast.Constant() | ast.Name() | ast.Attribute(ast.Name()):
            return True
        case ast.BinOp(left, _, right):
            return _is_fixed(left) and _is_fixed(right)
    return False


def _item(place: ast.expr, index: str) -> ast.expr:
    return ast.Subscript(_loaded(place), load(index), ast.Store())


def _stored(statement: ast.stmt) -> str:
    """The item that a statement assigns; "" for others."""
    match statement:
        case ast.Assign([ast.Subscript() as target], _):
            return ast.dump(target)
    return ""


def _rebound(body: list[ast.stmt]) -> list[str]:
    return [name for statement in body for name in bound(statement)]


def _attributes_assigned(definition: ast.FunctionDef) -> set[tuple[str, str]]:
    """The attributes that a function assigns, with the names of their owners: these are no methods or properties."""
    attributes = set()
    for part in ast.walk(definition):
        match part:
            case ast.Attribute(ast.Name(owner), name, ast.Store()):
                attributes.add((owner, name))
    return attributes


def _mentions(node: ast.AST, place: ast.expr, own: set[tuple[str, str]]) -> bool:
    """Whether evaluating `node` may read the list at `place`."""
    match place:
        case ast.Attribute(ast.Name(owner), name):
            owners = [
                part.value
                for part in ast.walk(node)
                if isinstance(part, ast.Attribute)
                and isinstance(part.value, ast.Name)
                and part.attr != name
                and (part.value.id, part.attr) in own
            ]
            names = [part for part in ast.walk(node) if isinstance(part, ast.Name) and part.id == owner]
            return any(part not in owners for part in names)
        case ast.Subscript(owner_):
            return _mentions(node, owner_, own)
        case ast.Name(owner):
            return owner in names_of(node)
    return True


class _Items(ast.NodeTransformer):
    """Replaces the item that was stored last."""

    def __init__(self, item: str, name: str = "") -> None:
        self.item, self.name = item, name

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        stored = copy.copy(node)
        stored.ctx = ast.Store()
        if ast.dump(stored) != self.item:
            self.generic_visit(node)
            return node
        index = ast.Constant(0) if not self.name else copy.deepcopy(node.slice)
        return ast.copy_location(ast.Subscript(load(self.name), index, node.ctx), node)


def _with_appends(work: Work, first: ast.stmt, filled: Filled) -> list[ast.stmt]:
    name = work.scope.variable("filled")
    loop = filled.loop
    target = loop.target
    assert isinstance(target, ast.Name)
    item = ast.dump(_item(filled.place, target.id))
    stored = loop.body[filled.number]
    assert isinstance(stored, ast.Assign)
    loop.body[filled.number] = ast.copy_location(append(name, stored.value), stored)
    loop.body[filled.number + 1 :] = [_Items(item, name).visit(step) for step in loop.body[filled.number + 1 :]]
    start = ast.copy_location(assign(name, ast.List([], ast.Load())), first)
    end = ast.copy_location(ast.Assign([filled.place], load(name)), first)
    for step in (start, loop, end):
        ast.fix_missing_locations(step)
    work.changes += 1
    return [start, loop, end]
