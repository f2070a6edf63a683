"""Sets that are read in their order: local variables that hold a set which only grows also note what was added.

The order of a set in Python follows from the items that were added, one after another. `in_order` computes it.
"""

import ast
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compile.rewriting.containers import Parents, is_change_within_loop, is_only_assigned, take_apart
from outplay.compile.rewriting.scope import append, assign, load, names_of, reads_of, store
from outplay.compile.rewriting.shared_rewriting import Work, placed

LINEAR_PROBES, SMALLEST, MANY = 9, 8, 50_000
"""Constants of Python's sets: the cells tried next to a cell, the smallest table, and when growth slows down."""


def in_order(added: list[Any]) -> list[Any]:
    """The items of a set in its order, given everything that was added to it while it was never made smaller.

    >>> in_order([9, 1, 8, 1]) == list({9} | {1} | {8})
    True
    """
    number = len(added)
    start, size = number, SMALLEST  # where the table is: after the hashes
    end = number + size
    while grows(number, size):
        size = larger(-(-(size - 1) * 3 // 5))
        end += size
    cells = np.full(end, -1)  # the hashes, and the tables one after another
    used, size = 0, SMALLEST
    for place in range(number):
        cells[place] = hash(added[place])
        cell = start + (cells[place] & (size - 1))
        if cells[cell] >= 0:
            cell = free_cell(cells, start, size, added, place)
        if cell < 0:
            continue
        cells[cell] = place
        used += 1
        if grows(used, size):
            before, start, size = start, start + size, larger(used)
            for old in cells[before:start]:
                if old >= 0:
                    cell = start + (cells[old] & (size - 1))
                    cells[cell if cells[cell] < 0 else free_cell(cells, start, size, added, old)] = old
    items, place = added[:used], 0
    for old in cells[start : start + size]:
        if old >= 0:
            items[place] = added[old]
            place += 1
    return items


def grows(used: int, size: int) -> bool:
    """Whether a table with so many items becomes larger."""
    return used * 5 >= (size - 1) * 3


def larger(used: int) -> int:
    """The size of the table that so many items get then."""
    size, wanted = SMALLEST, used * 2 if used > MANY else used * 4
    while size <= wanted:
        size *= 2
    return size


def free_cell(cells: NDArray[np.int64], start: int, size: int, added: list[Any], number: int) -> int:
    """The cell for an item in the table of a set; -1 if it has an equal item already."""
    mask, perturbed = size - 1, cells[number]
    place = perturbed & mask
    is_first = True
    while True:
        last = place + LINEAR_PROBES if place + LINEAR_PROBES <= mask else place
        for cell in range(start + place, start + last + 1):
            other = cells[cell]
            if other < 0:
                return cell
            if cells[other] == cells[number] and added[other] == added[number]:
                return -1
        perturbed = (perturbed >> 5) & ((1 << 59) - 1) if is_first else perturbed >> 5  # as an unsigned number
        is_first = False
        place = (place * 5 + 1 + perturbed) & mask


def listed(values: Any) -> list[Any]:
    """What `set(values)` adds, one after another."""
    return list(values)


ALIKE = (len, bool, sorted, sum, min, max, any, all, set, frozenset)
"""Functions that read a set in any order."""
IN_ORDER = (list, tuple, enumerate)
"""Functions that read a set in its order."""


def order_sets(work: Work, definition: ast.FunctionDef) -> None:
    """Rewrite local variables that hold such sets."""
    take_apart(definition, lambda value: _is_new_set(work, value))
    starts: dict[str, None] = {}
    for node in ast.walk(definition):
        match node:
            case ast.Assign([ast.Name(name)], value) if _is_new_set(work, value):
                starts[name] = None
    if not starts:
        return
    parents = {child: parent for parent in ast.walk(definition) for child in ast.iter_child_nodes(parent)}
    names_known = [name for name in starts if _is_known(work, definition, name, parents)]
    if names_known:
        names = {name: work.scope.variable(f"{name}_added") for name in names_known}
        work.changes += 1
        asked_for = {name for name in names if any(_is_asked(work, use, parents) for use in reads_of(definition, name))}
        _Ordering(work, names, asked_for).visit(definition)
        ast.fix_missing_locations(definition)


def _is_new_set(work: Work, value: ast.expr) -> bool:
    match value:
        case ast.Call(function, [] | [_], []) if work.scope.value_of(function) is set:
            return not any(isinstance(argument, ast.Starred) for argument in value.args)
        case ast.SetComp():
            return True
        case ast.Set(items):
            return not all(isinstance(item, ast.Constant | ast.UnaryOp | ast.Starred | ast.Tuple) for item in items)
    return False


def _is_known(work: Work, definition: ast.FunctionDef, name: str, parents: Parents) -> bool:
    """Whether everything that is done with a set is known, and it is read in its order somewhere."""
    uses = reads_of(definition, name)
    if not is_only_assigned(definition, name, lambda value: _is_new_set(work, value)):
        return False
    for node in ast.walk(definition):
        match node:
            case ast.FunctionDef() | ast.Lambda() | ast.GeneratorExp() if node is not definition:
                is_argument = isinstance(node, ast.GeneratorExp) and isinstance(parents[node], ast.Call)
                if name in names_of(node) and not is_argument:
                    return False
    others = [use for use in uses if not _is_read_in_order(work, use, parents)]
    if len(others) == len(uses) or not all(_is_known_use(work, use, parents) for use in others):
        return False
    changes = [use for use in uses if isinstance(parents[use], ast.Attribute)]
    return not is_change_within_loop(uses, changes, parents, definition)


def _is_asked(work: Work, use: ast.Name, parents: Parents) -> bool:
    """Whether a set is used here for more than to add items, and to read them in order."""
    return not isinstance(parents[use], ast.Attribute) and not _is_read_in_order(work, use, parents)


def _is_read_in_order(work: Work, node: ast.Name, parents: Parents) -> bool:
    around = parents[node]
    match around:
        case ast.Call(function, [only, *_]) if only is node:
            return any(work.scope.value_of(function) is reader for reader in IN_ORDER)
        case ast.For(iter=values):
            return values is node
        case ast.comprehension(iter=values):
            return values is node and isinstance(parents[around], ast.ListComp)
        case ast.Starred():
            return isinstance(parents[around], ast.List | ast.Tuple)
    return False


def _is_known_use(work: Work, node: ast.Name, parents: Parents) -> bool:
    around = parents[node]
    match around:
        case ast.Attribute(_, "add" | "update"):
            call = parents[around]
            is_alone = isinstance(parents[call], ast.Expr)
            match call:
                case ast.Call(function, [value], []) if function is around and not isinstance(value, ast.Starred):
                    is_at_once = around.attr == "add" or isinstance(value, ast.ListComp)
                    return is_alone and (is_at_once or node.id not in names_of(value))
            return False
        case ast.Call(function, [only]) if only is node and not around.keywords:
            return any(work.scope.value_of(function) is reader for reader in ALIKE)
        case ast.Compare(left, [ast.In() | ast.NotIn()], [_]):
            return left is not node
        case ast.UnaryOp(ast.Not()) | ast.Return():
            return True
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            return test is node
        case ast.comprehension(iter=values):
            whole = parents[around]
            if isinstance(whole, ast.GeneratorExp):
                call = parents[whole]
                return isinstance(call, ast.Call) and any(work.scope.value_of(call.func) is reader for reader in ALIKE)
            return values is node and isinstance(whole, ast.SetComp)
    return False


class _Ordering(ast.NodeTransformer):
    """Notes what is added to sets, and reads that where a set is read in its order. Only `real_sets` are made."""

    def __init__(self, work: Work, names: dict[str, str], asked_for: set[str]) -> None:
        self.work, self.names, self.real_sets = work, names, asked_for

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        match node:
            case ast.Assign([ast.Name(name)], value) if name in self.names:
                self.generic_visit(value)
                return self.started(node, name, value)
        self.generic_visit(node)
        return node

    def started(self, node: ast.Assign, name: str, value: ast.expr) -> list[ast.stmt]:
        added = self.names[name]
        match value:
            case ast.Call(_, []):
                first: ast.expr = ast.List([], ast.Load())
            case ast.Call(_, [values]):
                first = self.work.call(listed, values)
                if isinstance(values, ast.GeneratorExp):
                    first = ast.ListComp(values.elt, values.generators)
            case ast.SetComp(item, generators):
                first = ast.ListComp(item, generators)
            case ast.Set(items):
                first = ast.List(items, ast.Load())
        steps: list[ast.stmt] = [assign(added, first)]
        if name in self.real_sets:
            whole = value if isinstance(value, ast.Call) and not value.args else self.work.call(set, load(added))
            steps.append(assign(name, whole))
        return placed(steps, node)

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        match node.value:
            case ast.Call(ast.Attribute(ast.Name(name) as owner, method), [value], []) if name in self.names:
                item = self.work.scope.variable()
                steps = [append(self.names[name], load(item))]
                if owner.id in self.real_sets:
                    add = ast.Attribute(owner, "add", ast.Load())
                    steps.insert(0, ast.Expr(ast.Call(add, [load(item)], [])))
                if method == "add":
                    return placed([assign(item, value), *steps], node)
                if isinstance(value, ast.GeneratorExp):
                    values: ast.expr = ast.ListComp(value.elt, value.generators)
                else:
                    values = self.work.call(listed, value)
                return placed([ast.For(store(item), values, steps, [])], node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(function, [ast.Name(name), *_]) if name in self.names:
                reader = self.work.scope.value_of(function)
                if any(reader is other for other in IN_ORDER):
                    node.args[0] = self.ordered(node.args[0])
                    if reader is list:
                        return ast.copy_location(node.args[0], node)
        return node

    def visit_For(self, node: ast.For) -> ast.stmt:
        self.generic_visit(node)
        node.iter = self.ordered(node.iter)
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        self.generic_visit(node)
        for generator in node.generators:
            generator.iter = self.ordered(generator.iter)
        return node

    def visit_Starred(self, node: ast.Starred) -> ast.expr:
        node.value = self.ordered(node.value)
        return node

    def ordered(self, values: ast.expr) -> ast.expr:
        """The items in their order, if this is such a set; any other values as they are."""
        name = self.names.get(values.id) if isinstance(values, ast.Name) else None
        return values if name is None else self.work.call(in_order, load(name))
