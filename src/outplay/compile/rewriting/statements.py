"""Statements: loops over iterators, `yield from`, `sort`, unpacking, empty lists, and what a function returns."""

import ast
import copy

from outplay.compile.rewriting.callables import called, is_stable
from outplay.compile.rewriting.consumers import LISTING
from outplay.compile.rewriting.iterables import changing, is_empty_list, is_empty_tuple, put_in_order, varying
from outplay.compile.rewriting.itertools_functions import LISTS
from outplay.compile.rewriting.lazy import generator_of, loops, with_new_names
from outplay.compile.rewriting.reading import is_lazy
from outplay.compile.rewriting.scope import assign, bound, load, negated, read_later, store
from outplay.compile.rewriting.shared_rewriting import Work, placed
from outplay.compile.rewriting.source import parsed
from outplay.compile.rewriting.walrus import hoisted, replaced

# -- annotations ------------------------------------------------------------------------------------------------------


def without_annotations(work: Work, definition: ast.FunctionDef) -> None:
    """`found: set[int] = set()` becomes an assignment; the annotation is kept, for a container that stays empty."""
    _WithoutAnnotations(work).visit(definition)


class _WithoutAnnotations(ast.NodeTransformer):
    def __init__(self, work: Work) -> None:
        self.work = work

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is None:
            return node
        if isinstance(node.target, ast.Name):
            self.work.annotations.setdefault(node.target.id, node.annotation)
        self.work.changes += 1
        return ast.copy_location(ast.Assign([node.target], node.value), node)


# -- loops ------------------------------------------------------------------------------------------------------------


def loop(work: Work, node: ast.For) -> list[ast.stmt]:
    """A loop over an iterator becomes a loop over what the iterator reads, if it means the same."""
    stops = _stops(node.body)
    generator = generator_of(work, node.iter)
    if generator is not None and not (len(generator.generators) > 1 and (stops or node.orelse)):
        return _over_generator(work, node, generator)
    before, names_read = work.listed, read_later(node.iter)
    values = copy.deepcopy(node.iter)
    assigned_names = {name for part in (node.target, *node.body) for name in bound(part)}
    node.iter = work.iterable(node.iter, is_partly=bool(stops))
    if work.listed > before and (names_read & assigned_names or _changes(node.body, values)):
        node.iter = work.changed(work.call(changing, node.iter), node.iter)
    node.target = work.visit(node.target)
    node.body, node.orelse = work.block(node.body), work.block(node.orelse)
    return [node]


def _over_generator(work: Work, node: ast.For, generator: ast.GeneratorExp) -> list[ast.stmt]:
    generator = copy.deepcopy(generator)
    work.without_walrus(generator)
    generator = with_new_names(work, generator)
    if len(generator.generators) > 1 and (_stops(node.body) or node.orelse):
        node.iter = work.iterable(node.iter, is_partly=True)
        node.body, node.orelse = work.block(node.body), work.block(node.orelse)
        return [node]
    inside: list[ast.stmt] = [ast.Assign([node.target], generator.elt), *node.body]
    new_loops = loops(generator.generators, inside)
    if node.orelse and isinstance(new_loops[0], ast.For):
        new_loops[0].orelse = node.orelse
    return work.instead(new_loops, node)


CHANGING = {"append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "add", "discard", "update"}
"""Methods that change a list or set."""


def _changes(body: list[ast.stmt], values: ast.expr) -> bool:
    """Whether a loop with this body may change what it reads."""
    calls = [part for part in ast.walk(values) if isinstance(part, ast.Call)]
    lengths = [call for call in calls if getattr(call.func, "id", "") in ("len", "range")]
    fixed = {id(part) for length in lengths for part in ast.walk(length)}
    names_read = {part.id for part in ast.walk(values) if isinstance(part, ast.Name) and id(part) not in fixed}
    for part in (part for one in body for part in ast.walk(one)):
        match part:
            case ast.Call(ast.Attribute(ast.Name(name), method)) if name in names_read and method in CHANGING:
                return True
            case ast.Subscript(ast.Name(name), ctx=ast.Store() | ast.Del()) if name in names_read:
                return True
    return False


def _stops(body: list[ast.stmt]) -> bool:
    """Whether a loop with this body may end early."""
    return any(isinstance(part, ast.Break | ast.Return | ast.Raise) for one in body for part in ast.walk(one))


def expression(work: Work, node: ast.Expr) -> ast.stmt | list[ast.stmt]:
    """`yield from values` and `found.sort(key=…)`."""
    match node.value:
        case ast.YieldFrom(values):
            name = work.scope.variable()
            new_loop: ast.stmt = ast.For(store(name), values, [ast.Expr(ast.Yield(load(name)))], [])
            return work.instead([new_loop], node)
        case ast.Call(ast.Attribute(ast.Name(name), "sort"), [], keywords):
            return _sort(work, node, name, {keyword.arg or "": keyword.value for keyword in keywords})
    work.generic_visit(node)
    return node


def _sort(work: Work, node: ast.Expr, values: str, keywords: dict[str, ast.expr]) -> ast.stmt | list[ast.stmt]:
    key = keywords.get("key")
    if key is None or not keywords.keys() <= {"key", "reverse"} or not is_stable(work.scope, key):
        work.generic_visit(node)
        return node
    item = work.scope.variable()
    keys = ast.ListComp(called(work.scope, key, [item]), [ast.comprehension(store(item), load(values), [], 0)])
    reverse = keywords.get("reverse", ast.Constant(False))
    call = work.call(put_in_order, load(values), keys, reverse)
    return work.instead([ast.Expr(call)], node)


# -- conditions -------------------------------------------------------------------------------------------------------


def condition(work: Work, node: ast.If) -> list[ast.stmt]:
    """`if (y := f(x)) > 2:` assigns before it tests."""
    return _hoisting(work, node, "test")


def repeated(work: Work, node: ast.While) -> ast.stmt:
    """`while (y := f(x)) > 2:` assigns in each iteration, before it tests."""
    before, test = ([], node.test) if node.orelse else hoisted(work.scope, node.test)
    if before:
        stop = ast.If(negated(test), [ast.Break()], [])
        new_loop = ast.While(ast.Constant(True), [*before, stop, *node.body], [])
        node = ast.fix_missing_locations(ast.copy_location(new_loop, node))
        work.changes += 1
    work.generic_visit(node)
    return node


def assigned(work: Work, node: ast.Assign | ast.Return) -> list[ast.stmt]:
    """A walrus in the value, or `first, *rest = values`."""
    match node:
        case ast.Assign([ast.Tuple(targets) | ast.List(targets)], value):
            if sum(isinstance(target, ast.Starred) for target in targets) == 1:
                return _starred(work, node, targets, value)
    if isinstance(node, ast.Assign) and any(node is other for other in work.read_once):
        node.value = work.iterable(node.value, is_partly=True)
        return [node]
    return _hoisting(work, node)


def augmented(work: Work, node: ast.AugAssign) -> list[ast.stmt]:
    """`total += (y := f(x)) * y` assigns `y` before: nothing but a walrus could change `total` meanwhile."""
    names = {part.target.id for part in ast.walk(node.value) if isinstance(part, ast.NamedExpr)}
    if not isinstance(node.target, ast.Name) or node.target.id in names:
        work.generic_visit(node)
        return [node]
    return _hoisting(work, node)


def _hoisting(work: Work, node: ast.stmt, field: str = "value") -> list[ast.stmt]:
    before, value = hoisted(work.scope, getattr(node, field)) if getattr(node, field) else ([], None)
    setattr(node, field, value)
    before = placed(before, node)
    ast.fix_missing_locations(node)
    work.changes += len(before)
    before = work.block(before)
    work.generic_visit(node)
    return [*before, node]


def _starred(work: Work, node: ast.stmt, targets: list[ast.expr], value: ast.expr) -> list[ast.stmt]:
    values = work.scope.variable("values")
    place = next(number for number, target in enumerate(targets) if isinstance(target, ast.Starred))
    after = len(targets) - place - 1
    few = ast.Compare(work.call(len, load(values)), [ast.Lt()], [ast.Constant(len(targets) - 1)])
    statements: list[ast.stmt] = [
        assign(values, value),
        ast.If(few, [parsed("raise ValueError('not enough values to unpack')")], []),
    ]
    for number, target in enumerate(targets):
        if isinstance(target, ast.Starred):
            bounds = ast.Slice(ast.Constant(place), ast.Constant(-after) if after else None)
            item = work.scope.variable()
            slice_ = ast.Subscript(load(values), bounds, ast.Load())
            items: ast.expr = ast.ListComp(load(item), [ast.comprehension(store(item), slice_, [], 0)])
            statements.append(ast.Assign([target.value], items))
        else:
            index = ast.Constant(number if number < place else number - len(targets))
            statements.append(ast.Assign([target], ast.Subscript(load(values), index, ast.Load())))
    return work.instead(statements, node)


# -- empty lists ------------------------------------------------------------------------------------------------------


def compared(work: Work, node: ast.Compare) -> ast.expr:
    """`values == []` asks whether it is an empty list."""
    is_equality = len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq | ast.NotEq)
    if is_equality and _is_empty(node.left) and not _is_empty(node.comparators[0]):
        node.left, node.comparators = node.comparators[0], [node.left]
    match node:
        case ast.Compare(value, [ast.Eq() | ast.NotEq() as how], [ast.List([]) | ast.Tuple([]) as empty]):
            helper = is_empty_list if isinstance(empty, ast.List) else is_empty_tuple
            test: ast.expr = work.call(helper, value)
            if isinstance(how, ast.NotEq):
                test = negated(test)
            return work.changed(test, node)
    return node


def returned(work: Work, node: ast.Return) -> list[ast.stmt]:
    """`return NotImplemented` raises, and `return [] if test else values` becomes two."""
    match node.value:
        case ast.Name("NotImplemented") as value if work.scope.value_of(value) is NotImplemented:
            work.changes += 1
            error = parsed("raise NotImplementedError('a method returns NotImplemented, which compiled rules cannot')")
            return placed([error], node)
        case ast.IfExp(test, one, other) if isinstance(one, ast.List) or isinstance(other, ast.List):
            choice = ast.If(test, [ast.Return(one)], [ast.Return(other)])
            return work.instead([choice], node)
    return assigned(work, node)


# -- the whole body of a function -------------------------------------------------------------------------------------


def prepared(work: Work, node: ast.FunctionDef, is_outer: bool) -> list[ast.stmt]:
    """The body of a function with iterators in variables and in `return` where they can be rewritten."""
    body = _without_variables(work, node, [*node.body])
    own = list(_nodes_outside_functions(body))
    if is_outer and not any(isinstance(part, ast.Yield | ast.YieldFrom) for part in own):
        results = [part for part in own if isinstance(part, ast.Return)]
        values = [result.value for result in results]
        if any(_is_iterator(work, part) for part in values) and all(
            _is_iterator(work, part) or _is_empty(part) for part in values
        ):
            work.changes += 1
            visited = [_Yielding(work).visit(part) for part in body]
            return [one for part in visited for one in (part if isinstance(part, list) else [part])]
        if all(isinstance(value, ast.Tuple | ast.IfExp) for value in values):
            _vary(work, results)
    return body


def _nodes_outside_functions(body: list[ast.stmt]) -> list[ast.AST]:
    """All nodes but those of nested functions."""
    nodes: list[ast.AST] = []
    waiting: list[ast.AST] = [*body]
    while waiting:
        part = waiting.pop()
        nodes.append(part)
        if not isinstance(part, ast.FunctionDef | ast.Lambda | ast.ClassDef | ast.GeneratorExp):
            waiting += ast.iter_child_nodes(part)
    return nodes


def _is_iterator(work: Work, node: ast.expr | None) -> bool:
    if node is None:
        return False
    if is_lazy(work, node):
        return True
    if not isinstance(node, ast.Call):
        return False
    value = work.scope.value_of(node.func)
    return (value is iter and len(node.args) == 1) or any(value is function for function in (*LISTS, *LISTING))


def _is_empty(node: ast.expr | None) -> bool:
    match node:
        case ast.List([]) | ast.Tuple([]):
            return True
    return False


class _Yielding(ast.NodeTransformer):
    """`return iterator` becomes `yield from iterator`."""

    def __init__(self, work: Work) -> None:
        self.work = work

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        return node

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        value = node.value
        end: list[ast.stmt] = [ast.Return(None)]
        if not _is_empty(value):
            assert value is not None
            if isinstance(value, ast.Call) and self.work.scope.value_of(value.func) is iter:
                value = value.args[0]
            end = [ast.Expr(ast.YieldFrom(value)), *end]
        return placed(end, node)


def _vary(work: Work, results: list[ast.Return]) -> None:
    """Tuples of several lengths that a function returns are tuples of any length."""
    places: list[ast.Tuple] = []
    for result in results:
        waiting = [result.value]
        while waiting:
            value = waiting.pop()
            if isinstance(value, ast.IfExp):
                waiting += [value.body, value.orelse]
            elif isinstance(value, ast.Tuple) and not any(isinstance(part, ast.Starred) for part in value.elts):
                places.append(value)
            else:
                return
    if len({len(place.elts) for place in places}) < 2:
        return

    class Varying(ast.NodeTransformer):
        def visit_Tuple(self, node: ast.Tuple) -> ast.expr:
            if not any(node is place for place in places):
                return node
            items: ast.expr = ast.List(node.elts, ast.Load())
            if not node.elts:
                nothing = work.call(range, ast.Constant(0))
                loop = ast.comprehension(store(work.scope.variable()), nothing, [], 0)
                items = ast.ListComp(ast.Constant(0), [loop])
            return work.changed(work.call(varying, items), node)

    for result in results:
        result.value = result.value and Varying().visit(result.value)


def _without_variables(work: Work, node: ast.FunctionDef, body: list[ast.stmt]) -> list[ast.stmt]:
    """An iterator in a variable that is read once, later in the same block, is read there."""
    for place, statement in enumerate(body):
        for name in ("body", "orelse"):
            inside = getattr(statement, name, None)
            if isinstance(statement, ast.If | ast.For | ast.While) and inside:
                setattr(statement, name, _without_variables(work, node, inside))
        match statement:
            case ast.Assign([ast.Name(name)], value) if is_lazy(work, value):
                pass
            case _:
                continue
        uses = [one for one in ast.walk(node) if isinstance(one, ast.Name) and one.id == name]
        later = [
            one for rest in body[place + 1 :] for one in _once(rest) if isinstance(one, ast.Name) and one.id == name
        ]
        if len(uses) != 2 or len(later) != 1:
            continue
        generator = generator_of(work, copy.deepcopy(value))
        assert generator is not None
        if read_later(generator.generators[0].iter) or _is_iterator(work, generator.generators[0].iter):
            continue  # it would read variables now that may have other values later
        start = work.scope.variable("first")
        work.read_once.append(statement)
        statement.value, statement.targets = generator.generators[0].iter, [ast.copy_location(store(start), statement)]
        generator.generators[0].iter = load(start)
        ast.fix_missing_locations(ast.copy_location(generator, later[0]))
        body[place + 1 :] = [replaced(rest, later[0], generator) for rest in body[place + 1 :]]
        work.changes += 1
    return body


def _once(node: ast.AST) -> list[ast.AST]:
    """The nodes that are evaluated at most once when a statement runs, in the order of the source."""
    match node:
        case ast.For(_, values):
            return _once(values)
        case ast.While() | ast.FunctionDef() | ast.Lambda() | ast.ClassDef() | ast.Try():
            return []
        case ast.ListComp(_, [first, *_]) | ast.SetComp(_, [first, *_]) | ast.GeneratorExp(_, [first, *_]):
            return _once(first.iter)
    return [node, *(one for child in ast.iter_child_nodes(node) for one in _once(child))]
