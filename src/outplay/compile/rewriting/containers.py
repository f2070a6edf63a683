"""Local variables that hold a `deque`, a `defaultdict` or a `Counter` become lists and dicts.

Only where every use of the variable is known, so that nobody can tell the difference: a container that is passed on,
returned or compared stays as it is, and does not compile.
"""

import ast
import collections
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from outplay.compile.references import MISSING
from outplay.compile.rewriting import dicts
from outplay.compile.rewriting.scope import assign, bound, load, reads_of, store
from outplay.compile.rewriting.work import Work

READERS = (len, bool, list, tuple, set, frozenset, sorted, sum, min, max, any, all, enumerate, reversed, zip)
"""Functions that read a container and keep nothing of it."""
DEQUE = {
    "append": {1}, "appendleft": {1}, "pop": {0}, "popleft": {0}, "extend": {1}, "clear": {0}, "rotate": {0, 1},
    "insert": {2}, "remove": {1}, "reverse": {0}, "count": {1}, "index": {1},
}  # fmt: skip
DEFAULT = {"get": {1, 2}, "pop": {1, 2}, "setdefault": {2}, "items": {0}, "keys": {0}, "values": {0}, "clear": {0}}
ROWS = {"items": {0}, "keys": {0}, "values": {0}}
ROWS_OF_DICT = {**ROWS, "setdefault": {2}, "get": {2}}
COUNTER = {**DEFAULT, "most_common": {0, 1}, "update": {1}, "total": {0}}
"""Methods, and with how many arguments they are known."""
KEEPING = ("get", "count", "index", "items", "keys", "values", "most_common", "total")
"""Methods that change nothing."""
FACTORIES: dict[Any, Any] = {int: 0, float: 0.0, bool: False}


@dataclass
class Container:
    """A variable that holds a container, or an expression that makes one."""

    kind: Any
    methods: dict[str, set[int]]
    default: ast.expr | None = None
    """The value of a key that is missing."""
    row: str = ""
    """Of a `defaultdict` of lists or sets: the method that puts an item into one."""
    rows: str = ""
    """The variable with these lists or sets."""


def _dicts_of_rows(work: Work, definition: ast.FunctionDef) -> dict[str, Container]:
    """The variables of `values.setdefault(key, []).append(item)`: dicts of lists or sets."""
    found: dict[str, Container] = {}
    for node in ast.walk(definition):
        match node:
            case ast.Expr(
                ast.Call(
                    ast.Attribute(ast.Call(ast.Attribute(ast.Name(name), "setdefault"), [_, empty], []), method),
                    [_],
                    [],
                )
            ):
                if method == _row_of_empty(work, empty):
                    found[name] = Container(dict, ROWS_OF_DICT, row=method)
    return found


def _row_of_empty(work: Work, node: ast.expr) -> str:
    """The method that puts an item into `[]` or `set()`; "" for others."""
    match node:
        case ast.List([]):
            return "append"
        case ast.Call(function, [], []):
            value = work.scope.value_of(function)
            return "append" if value is list else "add" if value is set else ""
    return ""


def _is_empty_dict(work: Work, node: ast.expr) -> bool:
    match node:
        case ast.Dict([], []):
            return True
        case ast.Call(function, [], []):
            return work.scope.value_of(function) is dict
    return False


def take_apart(definition: ast.FunctionDef, is_wanted: Callable[[ast.expr], bool]) -> None:
    """`queue, total = deque(), 0` becomes two assignments, if one of the values is wanted and nobody can tell."""
    if not any(isinstance(node, ast.FunctionDef | ast.Lambda) for each in definition.body for node in ast.walk(each)):
        _Apart(is_wanted).visit(definition)


class _Apart(ast.NodeTransformer):
    def __init__(self, is_wanted: Callable[[ast.expr], bool]) -> None:
        self.is_wanted = is_wanted

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        match node:
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
                names = [each.id for each in targets if isinstance(each, ast.Name)]
                read = {each.id for value in values for each in ast.walk(value) if isinstance(each, ast.Name)}
                is_plain = len(set(names)) == len(targets) and not read & set(names)
                if is_plain and any(map(self.is_wanted, values)):
                    made: list[ast.stmt] = [
                        ast.Assign([target], value) for target, value in zip(targets, values, strict=True)
                    ]
                    return [ast.fix_missing_locations(ast.copy_location(each, node)) for each in made]
        return [node]


def replace_containers(work: Work, definition: ast.FunctionDef) -> None:
    """Replace local containers in a function."""
    found = _dicts_of_rows(work, definition)
    if not found and not any(_kind(work, node) is not None for node in ast.walk(definition)):
        return
    take_apart(definition, lambda value: _kind(work, value) is not None)
    parents = {child: parent for parent in ast.walk(definition) for child in ast.iter_child_nodes(parent)}
    calls = [node for node in ast.walk(definition) if isinstance(node, ast.Call) and _kind(work, node) is not None]
    inside: dict[ast.expr, Container] = {}
    for call in calls:
        container = _made(work, call)
        if container is None:
            continue
        match parents[call]:
            case ast.Assign([ast.Name(name)]):
                found.setdefault(name, container)
            case _ if container.kind is collections.Counter and _is_known(work, call, container, parents):
                inside[call] = container
    for name in [
        name for name, container in found.items() if not _is_local(work, name, container, definition, parents)
    ]:
        del found[name]
    for name, container in found.items():
        if container.row:
            container.rows = work.scope.variable(f"{name}_rows")
    if found or inside:
        work.changes += 1
        definition.body = _Replacing(work, found, inside).block(definition.body)
        ast.fix_missing_locations(definition)


def _kind(work: Work, node: ast.AST) -> Any:
    if not isinstance(node, ast.Call):
        return None
    value = work.scope.value_of(node.func)
    known = (collections.deque, collections.defaultdict, collections.Counter)
    return None if value is MISSING else next((each for each in known if each is value), None)


def _made(work: Work, node: ast.expr) -> Container | None:
    """The container that a call makes; None if it is not known."""
    kind = _kind(work, node)
    if kind is None or not isinstance(node, ast.Call) or node.keywords:
        return None
    if any(isinstance(each, ast.Starred) for each in node.args):
        return None
    match kind, node.args:
        case collections.deque, [] | [_]:
            return Container(kind, DEQUE)
        case collections.Counter, [] | [_]:
            return Container(kind, COUNTER, ast.Constant(0))
        case collections.defaultdict, [ast.Lambda(ast.arguments([], [], None, [], [], None, []), body), *rest]:
            if len(rest) < 2 and _is_number(body):
                return Container(kind, DEFAULT, body)
        case collections.defaultdict, [factory, *rest] if len(rest) < 2:
            value = work.scope.value_of(factory)
            if value in (list, set) and not rest:
                return Container(kind, ROWS, row="append" if value is list else "add")
            if any(value is each for each in FACTORIES):
                return Container(kind, DEFAULT, ast.Constant(FACTORIES[value]))
    return None


def _is_number(node: ast.expr) -> bool:
    match node:
        case ast.UnaryOp(ast.USub(), ast.Constant(value)) | ast.Constant(value):
            return type(value) in (int, float, bool)
    return False


Parents = dict[ast.AST, ast.AST]


def _is_local(work: Work, name: str, container: Container, definition: ast.FunctionDef, parents: Parents) -> bool:
    """Whether everything that is done with this variable is known."""
    uses = reads_of(definition, name)
    if not is_only_assigned(definition, name, lambda value: _is_alike(work, value, container)):
        return False
    if not all(_is_known(work, each, container, parents) for each in uses):
        return False
    changes = [each for each in uses if _is_change(each, parents)]
    return not is_change_within_loop(uses, changes, parents, definition)


def is_change_within_loop(
    uses: Sequence[ast.AST], changes: Sequence[ast.AST], parents: Parents, definition: ast.FunctionDef
) -> bool:
    """Whether one of these changes may be made while a loop over one of these uses runs."""
    loops = [loop for each in uses for loop in _loops_over(each, parents)]
    return any(
        around in loops or (isinstance(around, ast.Lambda | ast.FunctionDef) and around is not definition)
        for each in (changes if loops else ())
        for around in _around(each, parents)
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
    if container.kind is dict:
        return _is_empty_dict(work, value)
    other = _made(work, value)
    if other is None:
        return False
    return (other.kind, other.row, _shown(other)) == (container.kind, container.row, _shown(container))


def _shown(container: Container) -> str:
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


def _is_change(node: ast.AST, parents: Parents) -> bool:
    """Whether this use changes the container."""
    match parents[node]:
        case ast.Attribute(_, name):
            return name not in KEEPING
        case ast.Subscript(ctx=context):  # compiled dicts notice themselves that a loop adds a key
            return isinstance(context, ast.Del)
    return False


def _is_known(work: Work, node: ast.expr, container: Container, parents: Parents) -> bool:
    """Whether this use of a container means the same for the list or dict in its place."""
    around = parents[node]
    match around:
        case ast.Attribute(_, "get"):
            match parents[around]:
                case ast.keyword("key") as word:
                    return not container.row and _is_own_key(work, parents[word], node)
    match around:
        case ast.Attribute(_, name):
            call = parents[around]
            if not isinstance(call, ast.Call) or call.func is not around or call.keywords:
                return False
            if name in ("update", "clear", "append", "extend", "rotate") and not isinstance(parents[call], ast.Expr):
                return False
            is_plain = not any(isinstance(each, ast.Starred) for each in call.args)
            if container.kind is dict and name in ("setdefault", "get"):
                is_plain &= len(call.args) == 2 and _row_of_empty(work, call.args[1]) == container.row
                is_plain &= name == "get" or _puts_item(call, container, parents)
            return is_plain and len(call.args) in container.methods.get(name, ())
        case ast.Subscript(value, index, context) if value is node and not isinstance(index, ast.Slice | ast.Tuple):
            return _is_known_item(around, context, container, parents)
        case ast.Subscript(value, ast.Tuple() as index, context) if value is node:
            plain = container.kind is not collections.deque and not any(
                isinstance(each, ast.Starred | ast.Slice) for each in index.elts
            )
            return plain and _is_known_item(around, context, container, parents)
        case ast.Call(function, args) if function is not node:
            value = work.scope.value_of(function)
            if value is dict and not container.row and container.kind is not collections.deque:
                return len(args) == 1 and not around.keywords
            is_alone = len(args) == 1 or not any(value is each for each in (min, max))
            return node in args and is_alone and value is not MISSING and any(value is each for each in READERS)
        case ast.For(iter=values) | ast.comprehension(iter=values):
            return values is node
        case ast.Compare(left, [ast.In() | ast.NotIn()], _):
            return left is not node
        case ast.UnaryOp(ast.Not()):
            return True
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) if test is node:
            return True
        case ast.BoolOp():
            return _is_test(around, parents)
        case ast.Starred():
            return isinstance(parents[around], ast.List | ast.Tuple)
    return False


def _puts_item(call: ast.Call, container: Container, parents: Parents) -> bool:
    """Whether this is `values.setdefault(key, [])` in `values.setdefault(key, []).append(item)`."""
    match parents[call]:
        case ast.Attribute(_, name) as method if name == container.row:
            match parents[method]:
                case ast.Call(function, [_], []) as put if function is method:
                    return isinstance(parents[put], ast.Expr)
    return False


def _is_known_item(item: ast.Subscript, context: Any, container: Container, parents: Parents) -> bool:
    if container.row:  # `groups[key].append(item)`, or reading the list or set
        return isinstance(context, ast.Load)
    if isinstance(context, ast.Load) and container.kind is not collections.deque:
        return True
    around = parents[item]
    match around:
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target) if target is item:
            return True
        case ast.Delete([_]):
            return container.kind is not collections.deque
    return isinstance(context, ast.Load)


def _count_of(counts: ast.expr, key: ast.expr) -> ast.expr:
    """`counts[key]` of a `Counter`."""
    return ast.Call(ast.Attribute(counts, "get", ast.Load()), [key, ast.Constant(0)], [])


def _is_own_key(work: Work, call: ast.AST, node: ast.expr) -> bool:
    """Whether this is `max(counts, key=counts.get)`."""
    match call:
        case ast.Call(function, [ast.Name(name)], _) if isinstance(node, ast.Name) and name == node.id:
            return any(work.scope.value_of(function) is each for each in (min, max, sorted))
    return False


def _is_test(node: ast.AST, parents: Parents) -> bool:
    """Whether only the truth of `a and b` matters."""
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

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements, with what takes their place."""
        found: list[ast.stmt] = []
        for each in body:
            result = self.visit(each)
            found += result if isinstance(result, list) else [result]
            for one in found:
                ast.fix_missing_locations(ast.copy_location(one, each) if not hasattr(one, "lineno") else one)
        return found

    def container(self, node: ast.expr) -> Container | None:
        """What an expression is."""
        return self.names.get(node.id) if isinstance(node, ast.Name) else self.inside.get(node)

    def new(self, container: Container, node: ast.Call | ast.Dict) -> ast.expr:
        """What takes the place of `deque(…)` and the like."""
        args = list(map(self.visit, node.args)) if isinstance(node, ast.Call) else []
        if container.kind is collections.deque:
            match args:
                case []:
                    return ast.List([], ast.Load())
                case [ast.List(items) | ast.Tuple(items)]:
                    return ast.List(items, ast.Load())
            item = self.work.scope.variable()
            return ast.ListComp(load(item), [ast.comprehension(store(item), args[0], [], 0)])
        if container.kind is dict:
            return ast.Dict([], [])
        if container.kind is collections.Counter:
            return self.work.call(dicts.counted, self.work.iterable(args[0])) if args else ast.Dict([], [])
        return self.work.call(dicts.dict_of, args[1]) if len(args) > 1 else ast.Dict([], [])

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        match node:
            case ast.Assign([ast.Name(name)], ast.Call() | ast.Dict() as value) if name in self.names:
                return self.made(name, value)
            case ast.Assign([ast.Subscript(owner, key) as target], value) if self.container(owner) is not None:
                node.value = self.visit(value)
                target.slice = self.visit(key)
                return [node]
        self.generic_visit(node)
        return [node]

    def made(self, name: str, value: ast.Call | ast.Dict) -> list[ast.stmt]:
        container = self.names[name]
        found: list[ast.stmt] = [assign(name, self.new(container, value))]
        if container.rows:
            one = ast.List([], ast.Load()) if container.row == "append" else self.work.call(set)
            clear = ast.Call(ast.Attribute(load(container.rows), "clear", ast.Load()), [], [])  # it shows what they are
            found += [assign(container.rows, ast.List([one], ast.Load())), ast.Expr(clear)]
        return found

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
                default = container.default
                assert default is not None
                value = self.visit(node.value)
                first = ast.Assign([copy.deepcopy(item)], copy.deepcopy(default))
                if container.kind is collections.defaultdict:
                    missing = ast.Compare(load(word), [ast.NotIn()], [load(name)])
                    return [before, ast.If(missing, [first], []), ast.AugAssign(item, node.op, value)]
                return [before, ast.Assign([item], ast.BinOp(_count_of(load(name), load(word)), node.op, value))]
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
        if container.rows:
            return self.work.call(
                dicts.row_at if container.kind is dict else dicts.row_of, owner, load(container.rows), key
            )
        default = copy.deepcopy(container.default)
        assert default is not None
        if container.kind is collections.defaultdict:
            return self.work.call(dicts.defaulted, owner, key, default)
        return _count_of(owner, key)

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        match node.value:
            case ast.Call(
                ast.Attribute(ast.Call(ast.Attribute(ast.Name(name), "setdefault"), [key, _], []), method), [item], []
            ) if name in self.names:
                container = self.names[name]
                row = self.work.call(dicts.row_of, load(name), load(container.rows), self.visit(key))
                put = ast.Call(ast.Attribute(row, method, ast.Load()), [self.visit(item)], [])
                return [ast.Expr(put)]
            case ast.Call(ast.Attribute(ast.Name(name), "update"), [values], []) if name in self.names:
                item_ = self.work.scope.variable()
                one_more = ast.AugAssign(
                    ast.Subscript(load(name), load(item_), ast.Store()), ast.Add(), ast.Constant(1)
                )
                given = self.work.call(dicts.countable, self.visit(values))
                loop = ast.For(store(item_), given, self.visit_AugAssign(one_more), [])
                return [loop]
        self.generic_visit(node)
        return [node]

    def visit_Delete(self, node: ast.Delete) -> ast.stmt:
        match node.targets:
            case [ast.Subscript(ast.Name(name), key)] if name in self.names:
                container = self.names[name]
                if container.kind is collections.Counter:  # of a missing key: nothing happens
                    pop = ast.Attribute(load(name), "pop", ast.Load())
                    return ast.Expr(ast.Call(pop, [self.visit(key), ast.Constant(0)], []))
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
                            found = ast.Subscript(load(name), load(key), ast.Load())
                            arguments = ast.arguments([], [ast.arg(key)], None, [], [], None, [])
                            word.value = ast.Lambda(arguments, found)
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
            case "get" if container.rows:
                return self.work.call(dicts.row_or_empty, owner, load(container.rows), args[0])
            case "values" if container.rows:
                return load(container.rows)
            case "items" if container.rows:
                key = self.work.scope.variable("key")
                pair = ast.Tuple(
                    [load(key), self.work.call(dicts.row_of, owner, load(container.rows), load(key))], ast.Load()
                )
                return ast.ListComp(pair, [ast.comprehension(store(key), copy.deepcopy(owner), [], 0)])
        return node
