"""Local variables that hold a `deque`, a `defaultdict` or a `Counter` become lists and dicts.

Only where every use of the variable is known, so that nobody can tell the difference: a container that is passed on
or returned stays as it is, and does not compile; `dict(values)` may be passed on. Only a `defaultdict` is compared.
"""

import ast
import collections
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from outplay.compile.references import MISSING
from outplay.compile.rewriting import dicts
from outplay.compile.rewriting.scope import assign, bound, is_literal, load, names_of, reads_of, store
from outplay.compile.rewriting.shared_rewriting import Work, placed

READERS = (len, bool, list, tuple, set, frozenset, sorted, sum, min, max, any, all, enumerate, reversed, zip)
"""Functions that read a container and keep nothing of it."""
DEQUE = {
    "append": {1}, "appendleft": {1}, "pop": {0}, "popleft": {0}, "extend": {1}, "clear": {0}, "rotate": {0, 1},
    "insert": {2}, "remove": {1}, "reverse": {0}, "count": {1}, "index": {1},
}  # fmt: skip
DEFAULT = {"get": {1, 2}, "pop": {1, 2}, "setdefault": {2}, "items": {0}, "keys": {0}, "values": {0}, "clear": {0}}
COUNTER = {**DEFAULT, "most_common": {0, 1}, "update": {1}, "total": {0}}
"""Methods, and with how many arguments they are known."""
FACTORIES: dict[Any, str] = {int: "0", float: "0.0", bool: "False", str: "''", list: "[]", dict: "{}"}


@dataclass
class Container:
    """A variable that holds a container, or an expression that makes one."""

    kind: Any
    methods: dict[str, set[int]]
    default: ast.expr | None = None
    """The value of a key that is missing."""


def take_apart(definition: ast.FunctionDef, is_wanted: Callable[[ast.expr], bool]) -> None:
    """`queue, total = deque(), 0` becomes two assignments, if one of the values is wanted and nobody can tell."""
    if not any(isinstance(node, ast.FunctionDef | ast.Lambda) for step in definition.body for node in ast.walk(step)):
        _Apart(is_wanted).visit(definition)


class _Apart(ast.NodeTransformer):
    def __init__(self, is_wanted: Callable[[ast.expr], bool]) -> None:
        self.is_wanted = is_wanted

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        match node:
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
                names = [name.id for name in targets if isinstance(name, ast.Name)]
                names_read = names_of(node.value)
                is_plain = len(set(names)) == len(targets) and not names_read & set(names)
                if is_plain and any(map(self.is_wanted, values)):
                    pairs = zip(targets, values, strict=True)
                    return placed([ast.Assign([target], value) for target, value in pairs], node)
        return [node]


def replace_containers(work: Work, definition: ast.FunctionDef) -> None:
    """Replace local containers in a function."""
    containers: dict[str, Container] = {}
    if not any(_kind(work, node) is not None for node in ast.walk(definition)):
        return
    take_apart(definition, lambda value: _kind(work, value) is not None)
    parents = {child: parent for parent in ast.walk(definition) for child in ast.iter_child_nodes(parent)}
    calls = [node for node in ast.walk(definition) if isinstance(node, ast.Call) and _kind(work, node) is not None]
    inside: dict[ast.expr, Container] = {}
    for call in calls:
        container = _container(work, call)
        if container is None:
            continue
        match parents[call]:
            case ast.Assign([ast.Name(name)]):
                containers.setdefault(name, container)
            case _ if container.kind is collections.Counter and _is_known(work, call, container, parents):
                inside[call] = container
    local = {name: one for name, one in containers.items() if _is_local(work, name, one, definition, parents)}
    if local or inside:
        work.changes += 1
        _Replacing(work, local, inside).visit(definition)
        ast.fix_missing_locations(definition)


def _kind(work: Work, node: ast.AST) -> Any:
    value = work.scope.value_of(node.func) if isinstance(node, ast.Call) else None
    kinds = (collections.deque, collections.defaultdict, collections.Counter)
    return next((kind for kind in kinds if kind is value), None)


def _container(work: Work, node: ast.expr) -> Container | None:
    """The container that a call makes; None if it is not known."""
    kind = _kind(work, node)
    if kind is None or not isinstance(node, ast.Call) or node.keywords:
        return None
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    match kind, node.args:
        case collections.deque, [] | [_]:
            return Container(kind, DEQUE)
        case collections.Counter, [] | [_]:
            return Container(kind, COUNTER, ast.Constant(0))
        case collections.defaultdict, [ast.Lambda(ast.arguments([], [], None, [], [], None, []), body), *rest]:
            if len(rest) < 2 and _is_made_alone(body):
                return Container(kind, DEFAULT, body)
        case collections.defaultdict, [factory, *rest] if len(rest) < 2:
            value = work.scope.value_of(factory)
            if value is set:
                return Container(kind, DEFAULT, work.call(set))
            if any(value is factory for factory in FACTORIES):
                return Container(kind, DEFAULT, ast.parse(FACTORIES[value], mode="eval").body)
    return None


def _is_made_alone(node: ast.expr) -> bool:
    """Whether this expression reads nothing, so that nobody can tell when it is computed."""
    match node:
        case ast.List(items) | ast.Tuple(items):
            return all(map(_is_made_alone, items))
        case ast.BinOp(ast.List() as items, ast.Mult(), number):
            return _is_made_alone(items) and _is_made_alone(number)
    return is_literal(node, int, float, bool, str)


Parents = dict[ast.AST, ast.AST]


def _is_local(work: Work, name: str, container: Container, definition: ast.FunctionDef, parents: Parents) -> bool:
    """Whether everything that is done with this variable is known."""
    uses = reads_of(definition, name)
    if not is_only_assigned(definition, name, lambda value: _is_alike(work, value, container)):
        return False
    if not all(_is_known(work, use, container, parents) for use in uses):
        return False
    if container.kind is not collections.deque:  # compiled dicts notice themselves that a loop changes them
        return True
    calls = [(use, around.attr) for use in uses if isinstance(around := parents[use], ast.Attribute)]
    changes = [use for use, method in calls if method not in ("count", "index")]
    return not is_change_within_loop(uses, changes, parents, definition)


def is_change_within_loop(
    uses: Sequence[ast.AST], changes: Sequence[ast.AST], parents: Parents, definition: ast.FunctionDef
) -> bool:
    """Whether one of these changes may be made while a loop over one of these uses runs."""
    loops = [loop for use in uses for loop in _loops_over(use, parents)]
    return any(
        around in loops or (isinstance(around, ast.Lambda | ast.FunctionDef) and around is not definition)
        for change in (changes if loops else ())
        for around in _around(change, parents)
    )


def is_only_assigned(definition: ast.FunctionDef, name: str, is_known: Callable[[ast.expr], bool]) -> bool:
    """Whether all that binds a variable are assignments of values that are known."""
    values = []
    for node in ast.walk(definition):
        match node:
            case ast.Assign([ast.Name(id)], value) if id == name:
                values.append(value)
    return list(bound(definition)).count(name) == len(values) and all(map(is_known, values))


def _is_alike(work: Work, value: ast.expr, container: Container) -> bool:
    """Whether this makes a container like this one."""
    other = _container(work, value)
    return other is not None and (other.kind, _default_text(other)) == (container.kind, _default_text(container))


def _default_text(container: Container) -> str:
    return "" if container.default is None else ast.dump(container.default)


def _around(node: ast.AST, parents: Parents) -> Iterator[ast.AST]:
    while node in parents:
        node = parents[node]
        yield node


def _loops_over(node: ast.AST, parents: Parents) -> Iterator[ast.AST]:
    """The loops that read a container while their body runs."""
    child = node
    for around in _around(node, parents):
        if isinstance(around, ast.For) and child is around.iter:
            yield around
        if isinstance(around, ast.comprehension):
            yield parents[around]
        if isinstance(around, ast.stmt):
            return
        child = around


def _is_known(work: Work, node: ast.expr, container: Container, parents: Parents) -> bool:
    """Whether this use of a container means the same for the list or dict in its place."""
    around = parents[node]
    match around:
        case ast.Attribute(_, name):
            call = parents[around]
            if name == "get" and isinstance(call, ast.keyword) and call.arg == "key":
                return _is_own_key(work, parents[call], node)
            if not isinstance(call, ast.Call) or call.func is not around or call.keywords:
                return False
            if name in ("update", "clear", "append", "extend", "rotate") and not isinstance(parents[call], ast.Expr):
                return False
            is_plain = not any(isinstance(argument, ast.Starred) for argument in call.args)
            return is_plain and len(call.args) in container.methods.get(name, ())
        case ast.Subscript(value, index) if value is node:
            if isinstance(index, ast.Tuple) and container.kind is collections.deque:
                return False
            parts = index.elts if isinstance(index, ast.Tuple) else [index]
            is_plain = not any(isinstance(part, ast.Starred | ast.Slice) for part in parts)
            return is_plain and _is_known_item(around, container, parents)
        case ast.Call(function, args) if function is not node:
            value = work.scope.value_of(function)
            if value is dict and container.kind is not collections.deque:
                return len(args) == 1 and not around.keywords
            is_alone = len(args) == 1 or not any(value is extreme for extreme in (min, max))
            return node in args and is_alone and value is not MISSING and any(value is reader for reader in READERS)
        case ast.For(iter=values) | ast.comprehension(iter=values):
            return values is node
        case ast.Compare(left, [ast.In() | ast.NotIn()], _):
            return left is not node
        case ast.Compare(_, [ast.Eq() | ast.NotEq()], _):
            return container.kind is collections.defaultdict
        case ast.Starred():
            return isinstance(parents[around], ast.List | ast.Tuple)
    return _is_test(node, parents)


def _is_known_item(item: ast.Subscript, container: Container, parents: Parents) -> bool:
    around = parents[item]
    if container.kind is not collections.deque:
        return not isinstance(around, ast.Delete) or len(around.targets) == 1
    match around:
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target) if target is item:
            return True
    return isinstance(item.ctx, ast.Load)


def _count_of(counts: ast.expr, key: ast.expr) -> ast.expr:
    """`counts[key]` of a `Counter`."""
    return ast.Call(ast.Attribute(counts, "get", ast.Load()), [key, ast.Constant(0)], [])


def _is_own_key(work: Work, call: ast.AST, node: ast.expr) -> bool:
    """Whether this is `max(counts, key=counts.get)`."""
    match call:
        case ast.Call(function, [ast.Name(name)], _) if isinstance(node, ast.Name) and name == node.id:
            return any(work.scope.value_of(function) is reader for reader in (min, max, sorted))
    return False


def _is_test(node: ast.AST, parents: Parents) -> bool:
    """Whether only the truth of an expression matters."""
    match parents[node]:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            return test is node
        case ast.UnaryOp(ast.Not()):
            return True
        case ast.BoolOp() as around:
            return _is_test(around, parents)
    return False


class _Replacing(ast.NodeTransformer):
    """Replaces the uses of known containers."""

    def __init__(self, work: Work, names: dict[str, Container], inside: dict[ast.expr, Container]) -> None:
        self.work, self.names, self.inside = work, names, inside

    def container(self, node: ast.expr) -> Container | None:
        """What an expression is."""
        return self.names.get(node.id) if isinstance(node, ast.Name) else self.inside.get(node)

    def new(self, container: Container, node: ast.Call) -> ast.expr:
        """What takes the place of `deque(…)` and the like."""
        args = list(map(self.visit, node.args))
        if container.kind is collections.deque:
            match args:
                case []:
                    return ast.List([], ast.Load())
                case [ast.List(items) | ast.Tuple(items)]:
                    return ast.List(items, ast.Load())
            item = self.work.scope.variable()
            return ast.ListComp(load(item), [ast.comprehension(store(item), args[0], [], 0)])
        if container.kind is collections.Counter:
            return self.work.call(dicts.counted, self.work.iterable(args[0])) if args else ast.Dict([], [])
        return self.work.call(dicts.dict_of, args[1]) if len(args) > 1 else ast.Dict([], [])

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        match node:
            case ast.Assign([ast.Name(name)], ast.Call() as value) if name in self.names:
                return placed([assign(name, self.new(self.names[name], value))], node)
            case ast.Assign([ast.Subscript(owner, key) as target], value) if self.container(owner) is not None:
                node.value = self.visit(value)
                target.slice = self.visit(key)
                return [node]
        self.generic_visit(node)
        return [node]

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        match node.target:
            case ast.Subscript(ast.Name(name) as owner, key) if name in self.names:
                container = self.names[name]
                if container.kind is collections.deque:
                    self.generic_visit(node)
                    return [node]
                word = self.work.scope.variable("key")
                before = assign(word, self.visit(key))
                item = ast.Subscript(owner, load(word), ast.Store())
                value = self.visit(node.value)
                if container.kind is collections.Counter:
                    count = ast.BinOp(_count_of(load(name), load(word)), node.op, value)
                    return placed([before, ast.Assign([item], count)], node)
                assert container.default is not None
                first = ast.Assign([copy.deepcopy(item)], copy.deepcopy(container.default))
                missing = ast.Compare(load(word), [ast.NotIn()], [load(name)])
                return placed([before, ast.If(missing, [first], []), ast.AugAssign(item, node.op, value)], node)
        self.generic_visit(node)
        return [node]

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        container = self.container(node.value)
        if container is None or container.kind is collections.deque:
            self.generic_visit(node)
            return node
        owner = self.visit(node.value)
        key = self.visit(node.slice)
        if not isinstance(node.ctx, ast.Load):
            node.value, node.slice = owner, key
            return node
        if container.kind is collections.Counter:
            return _count_of(owner, key)
        assert container.default is not None
        return self.work.call(dicts.defaulted, owner, key, copy.deepcopy(container.default))

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        match node.value:
            case ast.Call(ast.Attribute(ast.Name(name), "update"), [values], []) if name in self.names:
                item = self.work.scope.variable()
                counter = ast.Subscript(load(name), load(item), ast.Store())
                one_more = ast.copy_location(ast.AugAssign(counter, ast.Add(), ast.Constant(1)), node)
                counted = self.work.call(dicts.countable, self.visit(values))
                return placed([ast.For(store(item), counted, self.visit(one_more), [])], node)
        self.generic_visit(node)
        return [node]

    def visit_Delete(self, node: ast.Delete) -> ast.stmt:
        match node.targets:
            case [ast.Subscript(ast.Name(name), key)] if name in self.names:
                container = self.names[name]
                if container.kind is collections.Counter:  # of a missing key: nothing happens
                    pop = ast.Attribute(load(name), "pop", ast.Load())
                    return ast.copy_location(ast.Expr(ast.Call(pop, [self.visit(key), ast.Constant(0)], [])), node)
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if node in self.inside:
            return self.new(self.inside[node], node)
        match node:
            case ast.Call(function, [ast.Name(name) as only], [*_]) if name in self.names:
                for word in node.keywords:
                    match word.value:
                        case ast.Attribute(ast.Name(owner), "get") if owner == name:
                            key = self.work.scope.variable("key")
                            item = ast.Subscript(load(name), load(key), ast.Load())
                            arguments = ast.arguments([], [ast.arg(key)], None, [], [], None, [])
                            word.value = ast.Lambda(arguments, item)
                            return node
                if self.work.scope.value_of(function) is dict:
                    return self.work.call(dicts.dict_of, only)
            case ast.Call(ast.Attribute(owner) as function, args):
                container = self.container(owner)
                if container is not None:
                    return self.method(container, node, function, self.visit(owner), list(map(self.visit, args)))
        self.generic_visit(node)
        return node

    def method(
        self, container: Container, node: ast.Call, function: ast.Attribute, owner: ast.expr, args: list[ast.expr]
    ) -> ast.expr:
        """A call of a method of a container."""
        node.args, function.value = args, owner
        match function.attr:
            case "popleft":
                function.attr = "pop"
                node.args = [ast.Constant(0)]
            case "appendleft":
                function.attr = "insert"
                node.args = [ast.Constant(0), *args]
            case "rotate":
                return self.work.call(dicts.rotated, owner, *(args or [ast.Constant(1)]))
            case "most_common":
                return self.work.call(dicts.most_common, owner, *(args or [ast.Constant(1 << 60)]))
            case "total":
                values = ast.Call(ast.Attribute(owner, "values", ast.Load()), [], [])
                return self.work.call(sum, values)
        return node
