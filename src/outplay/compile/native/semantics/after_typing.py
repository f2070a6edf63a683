"""After type inference: each twin becomes the plain operator again, or a call of its plan."""

import operator
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numba import types
from numba.extending import models, register_model

from outplay.compile.native.class_type import ConstantObjectType
from outplay.compile.native.frozenset_type import UNORDERED
from outplay.compile.native.generators import refuse_lists
from outplay.compile.native.internals.numba_names import (
    AbstractTemplate,
    builtin_registry,
    errors,
    ir,
    lower_builtin,
    mk_unique_var,
    refused,
)
from outplay.compile.native.internals.statements import is_argument
from outplay.compile.native.lists import shares_memory
from outplay.compile.native.object_type import ObjectType
from outplay.compile.native.semantics import checks
from outplay.compile.native.semantics.before_typing import RulesPass, assigned
from outplay.compile.native.semantics.bit_boards import PARTIAL, is_of_bits, masked, operation, partial, wrapped
from outplay.compile.native.semantics.large_ints import refuse_large_ints, refuse_mixtures
from outplay.compile.native.semantics.left_to_numba import refuse_unknown
from outplay.compile.native.semantics.lost_cells import Kinds, is_small, leaves
from outplay.compile.native.semantics.nan_comparisons import SEARCHES, refuse_float_keys, search
from outplay.compile.native.semantics.narrow_cells import COMPUTING, Narrow, operands_of
from outplay.compile.native.semantics.optionals import may_be_none, truth, value_of
from outplay.compile.native.semantics.plan_choice import plan
from outplay.compile.native.semantics.plans import FLOAT64, INPLACE, INT64, UINT64, Placed, Plan, delegate
from outplay.compile.native.semantics.sets import refuse_other_items
from outplay.compile.native.semantics.widened_lists import widened
from outplay.compile.native.sorting import sum_of_cells
from outplay.compile.native.state_type import holds, misfit, plain, refuse_others
from outplay.compile.native.states import returned_as
from outplay.compile.references import is_frozen, member_function, member_of


def planned(*args: Any) -> Any:
    """Every operator and function with a plan becomes a call of this function; its signature holds the plan."""


ORDERED = (list, tuple, enumerate, zip, iter, map, filter, reversed, sum)
"""Functions whose result depends on the order of their arguments' items."""
TEXTUAL = (types.Integer, types.Boolean, types.UnicodeType)
"""The types whose `str` is that of Python; for others, Numba gives a text of its own."""
HASHED = (types.Integer, types.Boolean, types.Float, types.UnicodeType)
"""The types with the hash of Python."""


class _Planned(AbstractTemplate):
    key = planned

    def generic(self, args: Any, keywords: Any) -> None:
        return None


class _PlannedFunction(types.Function):
    def get_impl_key(self, signature: Any) -> Any:
        return planned


register_model(_PlannedFunction)(models.OpaqueModel)
PLANNED = _PlannedFunction(_Planned)
builtin_registry.register_global(planned, PLANNED)


@lower_builtin(planned, types.VarArg(types.Any))
def _lower_planned(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
    return signature.plan.emit(context, builder, signature, values)


class ReplaceTwins(RulesPass):
    """After type inference: replace twins that do the same by the plain operator, and add checks of indices."""

    _name = "outplay_replace_twins"

    def run_pass(self, state: Any) -> bool:
        """Rewrite the function."""
        blocks = state.func_ir.blocks
        first = blocks[min(blocks)]
        start = next((i for i, step in enumerate(first.body) if not is_argument(step)), 0)
        guarded = first.body[start] if getattr(state.func_id.func, "calls_itself", False) else None
        refuse_lists(state)
        refuse_mixtures(blocks, state.typemap)
        refuse_large_ints(blocks, state.typemap)
        refuse_float_keys(state.typemap)
        narrow = None
        if self.checked:
            narrow = Narrow(state.func_ir, state.typemap, state.calltypes, state.return_type)
            function = state.func_id.func
            function.narrow_results = getattr(function, "narrow_results", {}) | {tuple(state.args): narrow.returned}
        cut_off = masked(blocks, lambda variable: state.typemap[variable.name], narrow)
        for block in blocks.values():
            body: list[Any] = []
            for statement in block.body:
                rewriting = _Statement(state, block, body, statement, self.checked, cut_off, narrow)
                if guarded is not None and statement is guarded:
                    rewriting.check(checks.DEPTH, (), statement.loc)
                try:
                    rewriting.rewrite()
                except errors.TypingError as error:  # name the line, also to those that call this function
                    if getattr(error, "loc", None) is not None:
                        raise
                    raise refused(str(error).removeprefix("NotNative: "), statement.loc) from None
                body.append(statement)
            block.body = body
        if hasattr(state.func_id.func, "rule"):  # not one of our own functions
            refuse_unknown(state)
        return True


@dataclass(frozen=True)
class _Statement:
    """One statement on its way into the new body of its block."""

    state: Any
    block: Any
    body: list[Any]
    statement: Any
    checked: bool
    masked: set[str]
    narrow: Narrow | None
    """In checked mode: the kinds of cells that variables may hold."""

    def typ(self, variable: ir.Var) -> types.Type:
        return self.state.typemap[variable.name]

    def rewrite(self) -> None:
        """Put the statement into its final form."""
        statement = self.statement
        if self.checked and isinstance(statement, ir.Assign | ir.Return):
            self.exact_floats()
        if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Expr):
            self.expression(statement.value)
        elif isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Var):
            self.copy(statement.value)
        elif isinstance(statement, ir.SetAttr):
            self.attribute()
        elif isinstance(statement, ir.SetItem | ir.StaticSetItem):
            self.within(statement.target, statement)
            self.item()
            self.storable()
        elif isinstance(statement, ir.DelItem):
            self.slice(statement)

    def expression(self, value: Any) -> None:
        if value.op in ("binop", "inplace_binop", "unary"):
            operands = (value.value,) if value.op == "unary" else (value.lhs, value.rhs)
            if value.fn is assigned:
                self.use(value, checks.assigned(value.local), operands)
            elif hasattr(value.fn, "plain"):
                self.operator(value, operands)
        elif value.op == "call":
            twin: Any = getattr(self.typ(value.func), "typing_key", None)
            if hasattr(twin, "plain"):
                self.call(value, twin.plain)
            elif twin is bool and isinstance(self.typ(value.args[0]), types.Optional):
                self.use(value, truth(self.typ(value.args[0])), tuple(value.args))
            elif is_of_bits(self.typ(value.func)):
                value.args = [self.lowest_bits(variable) for variable in value.args]
            elif twin is range:
                self.range(value)
            elif twin is sum_of_cells and self.narrow is not None:
                self.sum(value, self.narrow.of(value.args))
            elif isinstance(self.typ(value.func), types.BoundFunction):
                self.method(value)
            if twin in ORDERED and any(isinstance(self.typ(argument), types.Set) for argument in value.args):
                raise refused(UNORDERED)
            if twin is hash and not all(isinstance(leaf, HASHED) for leaf in leaves(self.typ(value.args[0]))):
                raise refused(f"hash() of {plain(self.typ(value.args[0]))}: write an int, or a tuple of ints")
            is_shown = getattr(twin, "plain", twin) in (str, repr)
            if is_shown and not isinstance(types.unliteral(self.typ(value.args[0])), TEXTUAL):
                raise refused(f"the text of {plain(self.typ(value.args[0]))}: make texts of ints, bools and strings")
        elif value.op in ("getiter", "exhaust_iter") and isinstance(self.typ(value.value), types.Set):
            raise refused(UNORDERED)
        elif value.op in ("getitem", "static_getitem"):
            self.within(value.value, value)
        elif value.op == "cast":
            self.copy(value.value)

    def range(self, value: Any) -> None:
        """Check the step of a range, and in checked mode the length."""
        kinds = list(map(self.typ, value.args))
        if UINT64 in kinds:
            raise refused("range of a numpy.uint64: write range(int(number))")
        if any(map(is_small, kinds)):
            raise refused("range of a cell of an array: write range(int(cell))")
        if self.checked and len(kinds) > 1:
            self.check(checks.RANGE, value.args[:2], value.loc)
        if len(kinds) > 2 and not getattr(kinds[2], "literal_value", 0):
            self.check(checks.STEP, value.args[2:], value.loc)

    def copy(self, source: ir.Var) -> None:
        """Make a list of another type where a variable, or what is returned, has one; and a state of another form."""
        source_type, target_type = self.typ(source), self.typ(self.statement.target)
        is_state = target_type == getattr(self.state.func_id.func, "returned_state", None)
        if is_state and self.state.typingctx.can_convert(source_type, target_type) is None:
            conversion = delegate(returned_as(target_type), source_type)
            self.use(self.statement, Plan(target_type, (source_type,), conversion), (source,))
            return
        is_returned = isinstance(self.statement.value, ir.Expr)  # else the variable is assigned as it is
        self.use(self.statement, widened(self.state, source, target_type, is_returned), (source,))

    def identity(self, operands: tuple[ir.Var, ...]) -> None:
        """Refuse `is` where an int may stand for the bool of the same value."""
        kinds = {type(types.unliteral(value_of(self.typ(operand)))) for operand in operands}
        if kinds == {types.Integer, types.Boolean}:
            raise refused("`is` between an int and a bool: write ==")

    def lowest_bits(self, variable: ir.Var) -> ir.Var:
        if self.typ(variable) != PARTIAL:
            return variable
        first = Plan(INT64, (PARTIAL,), lambda context, builder, signature, values: builder.extract_value(values[0], 0))
        return self.new(self.planned(first, (variable,), self.statement.loc), INT64)

    def modular(self, operands: tuple[ir.Var, ...]) -> Plan | None:
        """The plan if only the lowest bits of the result, or of an operand, matter."""
        op, _ = operation(self.statement.value)  # type: ignore[misc]
        kinds, target = tuple(types.unliteral(self.typ(operand)) for operand in operands), self.statement.target
        is_masked = target.name in self.masked
        if not self.checked:
            return wrapped(op, kinds) if is_masked and op in (operator.add, operator.sub, operator.mul) else None
        if not is_masked and PARTIAL not in kinds:
            return None
        if is_masked:
            self.state.typemap.pop(target.name)
            self.state.typemap[target.name] = PARTIAL
        return partial(op, kinds, not is_masked)

    def operator(self, value: Any, operands: tuple[ir.Var, ...]) -> None:
        kinds = [types.unliteral(self.typ(operand)) for operand in operands]
        if value.fn.plain in (operator.is_, operator.is_not):
            self.identity(operands)
        elif value.fn.plain in (operator.eq, operator.ne):
            for kind in map(value_of, kinds):
                own = isinstance(kind, ObjectType) and member_function(member_of(kind.cls, "__eq__")) is not None
                if own and (types.none in kinds or any(map(may_be_none, kinds))):
                    raise refused(f"{kind.cls.__name__} has its own __eq__: compare attributes, or write `is None`")
        if value.fn.plain is operator.iadd and isinstance(kinds[0], types.List):
            if hasattr(kinds[1], "dtype"):
                refuse_others(kinds[0].dtype, kinds[1].dtype, "an item of a list")
            if isinstance(kinds[1], types.Set):
                raise refused(UNORDERED)
        twin_plan = self.modular(operands)
        if twin_plan is None:
            twin_plan = plan(self.state.typingctx, value.fn.plain, tuple(map(self.typ, operands)), self.checked)
            twin_plan = self.fitting(value.fn.plain, operands, twin_plan)
        if twin_plan is not None:
            self.use(value, twin_plan, operands)
            return
        value.fn = value.fn.plain
        if value.op == "inplace_binop":
            value.immutable_fn = value.immutable_fn.plain

    def call(self, value: Any, plain: Any) -> None:
        kinds = tuple(map(self.typ, value.args))
        twin_plan = None if value.kws else plan(self.state.typingctx, plain, kinds, self.checked)
        if plain in COMPUTING:
            twin_plan = self.fitting(plain, tuple(value.args), twin_plan)
        if twin_plan is not None:
            self.use(value, twin_plan, tuple(value.args))
        else:
            value.func = self.new(
                ir.Global(plain.__name__, plain, value.loc), self.state.typingctx.resolve_value_type(plain)
            )

    def fitting(self, plain: Any, operands: tuple[ir.Var, ...], twin_plan: Plan | None) -> Plan | None:
        """The plan, with a check that its result fits the cells that the operands may be."""
        result = self.typ(self.statement.target)
        if self.narrow is None or not self.narrow.tested(self.statement.value, result):
            return twin_plan
        kinds = tuple(types.unliteral(self.typ(operand)) for operand in operands)
        if UINT64 in kinds and any(kind.signed and is_small(kind) for kind in self.narrow.of(operands)):
            raise refused("a numpy.uint64 is combined with what may be a signed cell: write int(cell)")
        plain = INPLACE.get(plain, plain)
        return checks.fitting_cells(
            twin_plan or Plan(result, kinds, delegate(plain, *kinds)), tuple(map(self.narrow.__getitem__, operands))
        )

    def sum(self, value: ir.Expr, kinds: Kinds) -> None:
        """Check that the sum of ints fits 64 bits, or the cells that they may be."""
        numbers = value.args[0]
        typ = self.typ(numbers)
        if isinstance(typ, types.Container) and getattr(typ, "dtype", None) == INT64:
            self.check(checks.summable(typ, kinds), (numbers,), value.loc)

    def exact_floats(self) -> None:
        """In checked mode: check that an int sharing a variable or list with floats is exact as a float."""
        value = self.statement.value
        is_result = isinstance(self.statement, ir.Return)
        target = self.state.return_type if is_result else self.typ(self.statement.target)
        if getattr(target, "dtype", target) != FLOAT64:
            return
        callee = getattr(self.typ(value.func), "typing_key", None) if getattr(value, "op", "") == "call" else None
        sources: list[ir.Var] = []
        if isinstance(value, ir.Var):
            sources = [value]
        elif callee in (min, max):
            sources = list(value.args)
        elif getattr(value, "op", "") in ("build_list", "cast"):
            sources = operands_of(value)
        for source in sources:
            number = types.unliteral(self.typ(source))
            if number in (INT64, UINT64):
                self.check(checks.exact_float(number), (source,), self.statement.loc)

    def new(self, value: Any, typ: types.Type) -> ir.Var:
        """A new variable with this value."""
        variable = ir.Var(self.block.scope, mk_unique_var("$planned"), value.loc)
        self.state.typemap[variable.name] = typ
        self.body.append(ir.Assign(value, variable, value.loc))
        return variable

    def check(self, plan: Plan | None, operands: Sequence[ir.Var], loc: Any) -> None:
        """Run this plan, if there is one, which only raises, before the statement."""
        if plan is not None:
            self.new(self.planned(plan, operands, loc), types.none)

    def planned(self, plan: Plan, operands: Sequence[ir.Var], loc: Any) -> ir.Expr:
        """A call of the plan."""
        call = ir.Expr.call(self.new(ir.Global("planned", planned, loc), PLANNED), operands, (), loc)
        rule = getattr(self.state.func_id.func, "rule", self.state.func_id.func_name)
        place = f"{rule}, line {loc.line} of {os.path.basename(loc.filename)}"
        if not self.checked:  # stored code stays valid when only line numbers change
            place = f"{rule} in {os.path.basename(loc.filename)}"
        self.state.calltypes[call] = Placed(plan, place)
        return call

    def use(self, value: Any, plan: Plan | None, operands: tuple[ir.Var, ...]) -> None:
        """Let the statement assign what this plan computes, if there is one."""
        if plan is not None:
            self.statement.value = self.planned(plan, operands, value.loc)

    def within(self, array: ir.Var, node: Any) -> None:
        """Check an index before it is used: always for tuples, in checked mode for arrays."""
        typ = self.typ(array)
        is_dynamic = isinstance(typ, types.BaseTuple) and not node_is_static(node)
        if not is_dynamic and not (self.checked and isinstance(typ, types.Array)):
            return
        index = getattr(node, "index_var", None) if node_is_static(node) else node.index
        if index is None and type(node.index) is int:
            index = self.new(ir.Const(node.index, node.loc), INT64)
        if index is not None:
            self.check(checks.within(typ, types.unliteral(self.typ(index))), (array, index), node.loc)

    def attribute(self) -> None:
        """Refuse to assign a value that an attribute cannot hold as it is."""
        owner, value = self.typ(self.statement.target), types.unliteral(self.typ(self.statement.value))
        if isinstance(owner, ConstantObjectType):
            name = f"attribute {self.statement.attr} of a {owner.cls.__name__}"
            raise refused(f"{name} is assigned to, but it is a constant: make a new object, or put it into the state")
        if not isinstance(owner, ObjectType):
            return
        if is_frozen(owner.cls):
            raise refused(f"{self.statement.attr} is assigned to, but {owner.cls.__name__} is frozen")
        problem = misfit(owner, self.statement.attr, value, self.checked)
        if problem:
            raise refused(problem)
        if self.statement.attr not in owner.field_dict:  # a property
            field_type = self.state.calltypes[self.statement].args[1]
            if not holds(types.unliteral(field_type), value):
                name = f"{owner.cls.__name__}.{self.statement.attr}"
                raise refused(f"{name} is set to {plain(value)}, but gives {plain(field_type)}: write both of one type")

    def item(self) -> None:
        """Refuse to store in a list or dict what its items cannot hold as it is: Numba would cut it off."""
        owner, index = self.typ(self.statement.target), getattr(self.statement, "index", None)
        place = self.typ(index) if isinstance(index, ir.Var) else None
        if isinstance(owner, types.DictType):
            self.stored(owner.value_type, self.statement.value, "a value of a dict")
            if isinstance(index, ir.Var):
                self.stored(owner.key_type, index, "a key of a dict")
        elif isinstance(owner, types.List) and not isinstance(place, types.SliceType) and not isinstance(index, slice):
            self.stored(owner.dtype, self.statement.value, "an item of a list")
        else:
            self.slice(self.statement)

    def slice(self, statement: Any) -> None:
        """Refuse to delete or assign part of a list whose items have memory of their own: see `lists`."""
        index = getattr(statement, "index", None)
        kind = self.typ(index) if isinstance(index, ir.Var) else index
        if isinstance(kind, types.SliceType | slice) and shares_memory(self.typ(statement.target)):
            container = plain(self.typ(statement.target))
            raise refused(f"part of {container} is changed: write a new list, such as values[:a] + values[b:]")

    def stored(self, place: types.Type, value: ir.Var, where: str) -> None:
        """Refuse a value that a place cannot hold; if it may be None and the place never is, compiled code raises."""
        typ = types.unliteral(self.typ(value))
        if isinstance(typ, types.Optional) and holds(place, typ.type) and not holds(place, typ):
            self.check(checks.present(typ, where), (value,), self.statement.loc)
        else:
            refuse_others(place, typ, where)

    def method(self, value: Any) -> None:
        """Refuse calls of methods of containers that would cut off an argument, or depend on the order of a set."""
        method = self.state.func_ir.get_definition(value.func)
        owner, name = self.typ(value.func).this, str(method.attr)
        kinds = [self.typ(argument) for argument in value.args]
        if name in SEARCHES and len(kinds) == 1:
            self.use(value, search(name, owner, *kinds), (method.value, *value.args))
        if isinstance(owner, types.DictType) and name in ("get", "setdefault", "pop"):
            for key in kinds[:1]:
                refuse_others(owner.key_type, key, "a key of a dict")
            for default in kinds[1:]:
                refuse_others(owner.value_type, default, "a value of a dict")
        if isinstance(owner, types.Set):
            if name == "pop":
                raise refused(UNORDERED)
            if name in ("remove", "discard"):
                refuse_other_items(owner, *kinds)
        elif name in ("extend", "join") and any(isinstance(kind, types.Set) for kind in kinds):
            raise refused(UNORDERED)

    def storable(self) -> None:
        """In checked mode: check that a cell can hold the value stored in it."""
        array, value = self.statement.target, self.statement.value
        if self.checked:
            self.check(checks.storable(self.typ(array), self.typ(value)), (array, value), self.statement.loc)


def node_is_static(node: Any) -> bool:
    """Whether the index is a constant."""
    return isinstance(node, ir.StaticSetItem) or getattr(node, "op", "") == "static_getitem"
