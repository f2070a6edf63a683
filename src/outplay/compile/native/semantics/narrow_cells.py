"""Narrow values: cells of small integers that share a variable with wider numbers.

    best = -1
    for cell in board:  # int8
        best = max(best, cell)
    return best * 100

Numba gives `best` 64 bits. In Python it is an int or a cell, and NumPy computes with a cell in its 8 bits. Types do not
show which it is, so checked rules track where such values go, and raise if a result would not fit a cell. The same
holds for an int that shares a variable with floats: it becomes a float, which is exact up to 2**53.
"""

import operator
from collections.abc import Iterable, Iterator
from typing import Any

from numba import types

from outplay.compile.native.internals.numba_names import Signature, ir, refused
from outplay.compile.native.rules import Method, native_rule
from outplay.compile.native.semantics.lost_cells import NONE, Kinds, is_small, returned, widened
from outplay.compile.native.sorting import stable_sort, stable_sorted

OPERATORS = ("binop", "inplace_binop", "unary")
TAKING = ("getitem", "static_getitem", "getiter", "iternext", "pair_first", "exhaust_iter", "getattr", "cast")
"""Operations that take a value out of another one, by Numba's names."""
COMPUTING = (abs, divmod, pow)
"""Functions that compute with cells like operators."""
CLEARING = (int, float, bool, len, range, round)
"""Functions that return a Python int or float for any argument."""
ADDING = ("append", "insert", "extend")
"""Methods that put a value into a list."""


class Narrow:
    """Which variables of a function may hold narrow values, found from the types of all variables and calls."""

    def __init__(self, code: Any, typemap: dict[str, types.Type], calls: dict[Any, Signature], returns: Any) -> None:
        self.typemap, self.calls, self.returns = typemap, calls, types.unliteral(returns)
        self.kinds: dict[str, Kinds] = {}
        self.returned = NONE
        self.receivers = dict(_receivers(code))
        statements = [statement for block in code.blocks.values() for statement in block.body]
        self.grew = True
        while self.grew:
            self.grew = False
            for statement in statements:
                self._follow(statement)

    def __getitem__(self, variable: ir.Var) -> Kinds:
        """The kinds of cells that this variable may hold; for a container, those of its elements."""
        return self.kinds.get(variable.name, NONE)

    def of(self, variables: Iterable[ir.Var]) -> Kinds:
        """The kinds of cells that these variables may hold."""
        return NONE.union(*(self[variable] for variable in variables))

    def _type(self, variable: ir.Var) -> types.Type:
        return types.unliteral(self.typemap[variable.name])

    def _within(self, variables: Iterable[ir.Var], target: types.Type) -> Kinds:
        """The kinds of cells that these variables may be once they become values of type `target`."""
        return NONE.union(*(self[variable] | widened(self._type(variable), target) for variable in variables))

    def _add(self, variable: ir.Var, kinds: Kinds) -> None:
        if not kinds <= self[variable]:
            self.kinds[variable.name] = self[variable] | kinds
            self.grew = True

    def _follow(self, statement: Any) -> None:
        """Add the information from one statement."""
        if isinstance(statement, ir.Return):
            self.returned |= self._within([statement.value], self.returns)
        elif isinstance(statement, ir.SetItem | ir.StaticSetItem):
            self._put(statement.target, [statement.value])
        elif isinstance(statement, ir.Assign):
            target, value = statement.target, statement.value
            if isinstance(value, ir.Var):
                self._add(target, self._within([value], self._type(target)))
                if isinstance(self._type(value), types.List):  # one list under two names
                    self._add(value, self[target])
            elif isinstance(value, ir.Expr):
                self._add(target, self._of_expression(value, self._type(target)))
                if value.op == "call" and value.func.name in self.receivers:
                    self._put(self.receivers[value.func.name], value.args)

    def _put(self, container: ir.Var, values: Iterable[ir.Var]) -> None:
        """Note values put into a list; an array has a fixed cell type."""
        typ = self._type(container)
        if isinstance(typ, types.List):
            for value in values:
                is_many = isinstance(self._type(value), types.List)  # extend
                self._add(container, self._within([value], typ if is_many else typ.dtype))

    def _of_expression(self, value: ir.Expr, result: types.Type) -> Kinds:
        """The kinds of cells that the value of an expression may be."""
        operands = operands_of(value)
        if value.op in OPERATORS or (value.op == "call" and self.called(value) in COMPUTING):
            return self._of_operator(value, operands, result)
        if value.op == "call":
            return self._of_call(value, result)
        if value.op in ("build_list", "build_set"):
            return self._within(operands, result.dtype)
        if value.op == "cast":
            return self._within(operands, result)
        return self.of(operands)

    def _of_operator(self, value: ir.Expr, operands: list[ir.Var], result: types.Type) -> Kinds:
        """The kinds of cells that the result of an operator may be."""
        operand_types = [self._type(operand) for operand in operands]
        narrow = self.tested(value, result)
        if types.int64 in operand_types and not isinstance(result, types.Boolean | types.Float):
            narrow |= frozenset(filter(is_small, operand_types))  # NumPy computes in these bits
        return narrow

    def tested(self, value: ir.Expr, result: types.Type) -> Kinds:
        """The kinds of cells that the result of an operator must fit, if its operands may be such cells."""
        operands = operands_of(value)
        floats = [operand for operand in operands if isinstance(self._type(operand), types.Float)]
        is_quotient = value.op in OPERATORS and plain(value.fn) in (operator.truediv, operator.itruediv)
        if isinstance(result, types.Boolean) or is_quotient or not all(self[operand] for operand in floats):
            return NONE
        return self.of(operands)

    def _of_call(self, value: ir.Expr, result: types.Type) -> Kinds:
        """The kinds of cells that a function may return."""
        callee, function = self.called(value), self._type(value.func)
        if callee in CLEARING:
            return NONE
        if callee in (min, max):
            return self._within(value.args, result)
        narrow = self.of(value.args)
        if isinstance(function, types.Dispatcher | Method) or (callee in (stable_sort, stable_sorted) and value.kws):
            cells = sorted(str(kind) for kind in narrow if is_small(kind))
            if cells:
                raise refused(f"an {cells[0]} cell or an int is passed on: write int(cell)")
        if isinstance(function, types.Dispatcher):
            return returned(function.dispatcher, self.calls[value].args, result)
        if isinstance(function, Method):
            args = self.calls[value].args if function.static else (function.game, *self.calls[value].args)
            return returned(native_rule(function.game, function.name_in_class), args, result)
        return narrow

    def called(self, value: ir.Expr) -> Any:
        """The Python function that an expression calls."""
        return plain(getattr(self._type(value.func), "typing_key", None))


def plain(function: Any) -> Any:
    """The function that a twin stands for; anything else unchanged."""
    return getattr(function, "plain", function)


def operands_of(value: ir.Expr) -> list[ir.Var]:
    """The variables that an expression computes with."""
    if value.op == "call":
        return list(value.args)
    if value.op in ("binop", "inplace_binop"):
        return [value.lhs, value.rhs]
    if value.op in ("build_list", "build_set", "build_tuple"):
        return list(value.items)
    return [value.value] if value.op in (*OPERATORS, *TAKING) else []


def _receivers(code: Any) -> Iterator[tuple[str, ir.Var]]:
    """The lists that methods add to, by the variable that holds the method."""
    for block in code.blocks.values():
        for statement in block.find_insts(ir.Assign):
            value = statement.value
            if isinstance(value, ir.Expr) and value.op == "getattr" and value.attr in ADDING:
                yield statement.target.name, value.value
