"""Before type inference: operators and functions are replaced by twins, distinct from the plain ones later."""

import builtins
import functools
import math
import operator
import re
from collections import defaultdict
from collections.abc import Hashable
from typing import Any

from numba import njit, types

from outplay.compile.native.arrays import ARRAY_METHODS
from outplay.compile.native.dicts import item_or
from outplay.compile.native.frozen.kinds import Constant
from outplay.compile.native.game_type import pipeline_of_rules
from outplay.compile.native.internals.compiler_passes import Pass
from outplay.compile.native.internals.numba_names import (
    AbstractTemplate,
    Signature,
    builtin_registry,
    compute_cfg_from_blocks,
    convert_code_obj_to_function,
    cpu_target,
    errors,
    get_definition,
    guard,
    ir,
    mk_unique_var,
)
from outplay.compile.native.internals.registration import typed
from outplay.compile.native.internals.statements import definitions_of, is_argument, new_variable, put, read_by
from outplay.compile.native.lists import LIST_METHODS
from outplay.compile.native.semantics.attribute_lookups import look_up
from outplay.compile.native.semantics.missing_attributes import cut_off
from outplay.compile.native.semantics.numpy_calls import prepare_numpy
from outplay.compile.native.semantics.plan_choice import MATH, plan
from outplay.compile.native.semantics.plans import BOOL, COMPARISONS, INPLACE, SYMBOLS, UNARY
from outplay.compile.native.semantics.sets import SET_METHODS
from outplay.compile.native.semantics.whole_numbers import bit_count, bit_length, comb, gcd, isqrt, prod
from outplay.compile.native.sorting import stable_sort, stable_sorted, sum_of_cells
from outplay.compile.native.texts import TEXT_METHODS
from outplay.compile.native.tuples import tuple_of
from outplay.compile.rewriting.iterables import backwards
from outplay.compile.rewriting.scope import OURS


@functools.cache
def _twin(plain: Any, checked: bool) -> Any:
    """A function that replaces `plain` in rules while they compile."""

    def twin(*args: Any) -> Any:
        if plain is operator.contains:
            raise NotImplementedError  # Numba asks to decide a branch, with types in place of None
        return plain(*args)

    twin.plain = plain  # type: ignore[attr-defined]

    class Template(AbstractTemplate):
        key = twin
        prefer_literal = True

        def generic(self, args: Any, keywords: Any) -> Any:
            if not keywords and not any(isinstance(arg, types.Omitted) for arg in args):
                own = plan(self.context, plain, args, checked)
                if own is not None:
                    return Signature(own.result, own.args, None)
            return self.context.resolve_function_type(plain, args, keywords)

    builtin_registry.register_global(twin, types.Function(Template))

    cpu_target.typing_context.refresh()
    return twin


PLAIN = {
    *(*SYMBOLS, *INPLACE, *COMPARISONS, *UNARY, *MATH),
    *(operator.is_, operator.is_not, operator.not_, operator.contains),
    *(abs, int, float, str, round, divmod, pow),
}
"""The operators and functions that have a twin."""
REPLACED: dict[Any, Any] = {
    math.isqrt: isqrt,
    math.comb: comb,
    math.gcd: gcd,
    math.prod: prod,
    builtins.sorted: stable_sorted,
    builtins.sum: sum_of_cells,
    builtins.tuple: tuple_of,
    builtins.reversed: backwards,
}
"""Python functions whose versions in Numba give different results."""


def assigned(flag: bool) -> None:
    """In compiled rules: raise unless the local variable with this flag was assigned."""


typed(assigned, lambda args: Signature(types.none, (BOOL,), None))


class RulesPass(Pass):
    """A pass over a function of the rules, with checks or without."""

    checked = False


class PutTwins(RulesPass):
    """Before type inference: add twins of operators and functions, and flags for locals that may be unassigned."""

    _name = "outplay_twins"

    def run_pass(self, state: Any) -> bool:
        """Rewrite the function."""
        code, checked = state.func_ir, self.checked
        cut_off(state)
        look_up(state)
        prepare_numpy(code)
        for block in code.blocks.values():
            _forget_undefined(code, block)
            for statement in block.find_insts(ir.Assign):
                value = statement.value
                if isinstance(value, ir.Global | ir.FreeVar):
                    if isinstance(value.value, Constant):
                        value.infer_constant = _no_constant
                    value.value = _replaced(value.value, checked)
                elif not isinstance(value, ir.Expr):
                    continue
                elif value.op in ("binop", "unary"):
                    value.fn = _replaced(value.fn, checked)
                elif value.op == "inplace_binop":
                    value.fn = _replaced(value.fn, checked)
                    value.immutable_fn = _replaced(value.immutable_fn, checked)
                elif value.op == "getattr":
                    module = guard(get_definition, code, value.value)
                    if isinstance(module, ir.Global | ir.FreeVar) and module.value is math:
                        plain = getattr(math, value.attr, None)
                        replacement = _replaced(plain, checked)
                        if replacement is not plain:
                            put(code, statement, ir.Global(value.attr, replacement, value.loc))
                elif value.op == "make_function":
                    self._closure(code, statement)
            _methods(code, block)
        _flag_locals(code)
        return True

    def _closure(self, code: Any, statement: Any) -> None:
        """Compile a function inside a rule, such as the key of a sort, in the same way as the rule."""
        node = statement.value
        if node.defaults is None and guard(convert_code_obj_to_function, node, code) is not None:
            function = convert_code_obj_to_function(node, code)
            function.rule = node.code.co_name
            dispatcher = njit(function, pipeline_class=pipeline_of_rules(self.checked))
            put(code, statement, ir.Global(node.code.co_name, dispatcher, node.loc))


def _no_constant() -> None:
    """Keep Numba from computing with a `Constant` itself, to decide a branch, instead of what it stands for."""
    raise errors.ConstantInferenceError("a constant of ours")


def _replaced(value: Any, checked: bool) -> Any:
    """The replacement of this value in rules: itself, a twin, or our own function."""
    if not callable(value) or not isinstance(value, Hashable):
        return value
    return _twin(value, checked) if value in PLAIN else REPLACED.get(value, value)


def _forget_undefined(code: Any, block: Any) -> None:
    """Remove what Numba assigns to a local of ours that has no value yet in an inlined function: it has no type."""
    for instruction in list(block.find_insts(ir.Assign)):
        if _is_ours(instruction.target.name) and getattr(instruction.value, "op", None) == "null":
            block.body.remove(instruction)
            definitions_of(code)[instruction.target.name].remove(instruction.value)


def _is_ours(name: str) -> bool:
    """Whether this is a local that rewriting has added, maybe in an inlined function."""
    return re.split(r"_v\d+_", name)[-1].startswith(OURS)


WITHOUT_ARGUMENTS = {"sort": stable_sort, "bit_count": bit_count, "bit_length": bit_length}
METHODS = WITHOUT_ARGUMENTS | SET_METHODS
"""Functions that take the place of methods, of lists, ints and sets; for values of other types they call the method."""
FEW_ARGUMENTS = LIST_METHODS | ARRAY_METHODS | TEXT_METHODS | {("get", 2): item_or}
"""The same for methods with so many arguments."""


def _methods(code: Any, block: Any) -> None:
    """Turn methods into calls of our own functions: the stable sort, which leaves arrays to NumPy's, and others."""
    body: list[Any] = []
    for statement in block.body:
        call: Any = statement.value if isinstance(statement, ir.Assign) else None
        method = guard(get_definition, code, call.func) if isinstance(call, ir.Expr) and call.op == "call" else None
        if isinstance(method, ir.Expr) and method.op == "getattr":
            plain, arguments = METHODS.get(method.attr), [method.value, *call.args]
            if call.kws or call.vararg is not None:
                is_of_users = method.attr in SET_METHODS
            else:
                plain = FEW_ARGUMENTS.get((method.attr, len(call.args)), plain)
                is_of_users = bool(call.args) and method.attr in WITHOUT_ARGUMENTS
            if is_of_users:
                plain = None
            if _counts_ones(code, method, call):
                text = get_definition(code, method.value)
                plain, arguments = bit_count, list(text.args)
                _drop(code, text)
                _drop(code, get_definition(code, text.func))
            if plain is not None:
                _drop(code, method)
                call.func = new_variable(code, block, body, ir.Global(method.attr, plain, statement.loc))
                call.args = arguments
        body.append(statement)
    block.body = body


def _counts_ones(code: Any, method: Any, call: Any) -> bool:
    """Whether this is `bin(number).count("1")`."""
    if method.attr != "count" or len(call.args) != 1:
        return False
    text, mark = guard(get_definition, code, method.value), guard(get_definition, code, call.args[0])
    if not (isinstance(text, ir.Expr) and text.op == "call" and isinstance(mark, ir.Const) and mark.value == "1"):
        return False
    function = guard(get_definition, code, text.func)
    return isinstance(function, ir.Global | ir.FreeVar) and function.value is bin


def _drop(code: Any, value: Any) -> None:
    """Remove a value that is not needed."""
    for block in code.blocks.values():
        for statement in block.find_insts(ir.Assign):
            if statement.value is value:
                put(code, statement, ir.Const(0, statement.loc))


def _flag_locals(code: Any) -> None:
    """Add flags to locals that are read where they may be unassigned, and check the flags there."""
    blocks = code.blocks
    local = {
        name
        for block in blocks.values()
        for assignment in block.find_insts(ir.Assign)
        if not (name := assignment.target.name).startswith("$") and not _is_ours(name)  # ours are always assigned
    }
    if not local:
        return
    graph = compute_cfg_from_blocks(blocks)
    first = graph.entry_point()
    after: dict[Any, set[str]] = {label: set(local) for label in blocks}

    def before(label: Any) -> set[str]:
        if label == first:
            return set()
        sets = [after[source] for source, _ in graph.predecessors(label) if source in after]
        return set.intersection(*sets) if sets else set(local)

    changed = True
    while changed:
        changed = False
        for label, block in blocks.items():
            flags = before(label) | {assignment.target.name for assignment in block.find_insts(ir.Assign)}
            if flags != after[label]:
                after[label], changed = flags, True
    doubtful: dict[str, ir.Var] = {}
    tests: defaultdict[tuple[Any, int], dict[str, None]] = defaultdict(dict)
    for label, block in blocks.items():
        assigned_before = before(label)
        for place, statement in enumerate(block.body):
            if isinstance(statement, ir.Del):
                continue
            for variable in read_by(statement):
                if variable.name in local and variable.name not in assigned_before:
                    doubtful.setdefault(variable.name, block.scope.define(mk_unique_var("$flag"), statement.loc))
                    tests[label, place][variable.name] = None
            if isinstance(statement, ir.Assign):
                assigned_before.add(statement.target.name)
    if not doubtful:
        return
    for label, block in blocks.items():
        body: list[Any] = []
        for place, statement in enumerate(block.body):
            for name in tests.get((label, place), ()):
                target = ir.Var(block.scope, mk_unique_var("$tested"), statement.loc)
                test = ir.Expr.unary(assigned, doubtful[name], statement.loc)
                test.local = name.partition(".")[0]
                body.append(ir.Assign(test, target, statement.loc))
                definitions_of(code)[target.name].append(test)
            body.append(statement)
            if isinstance(statement, ir.Assign) and statement.target.name in doubtful:
                body.append(_flag(code, doubtful[statement.target.name], True, statement.loc))
        block.body = body
    start = blocks[first]
    number = next(i for i, step in enumerate(start.body) if not is_argument(step))
    start.body[number:number] = [_flag(code, flag, False, code.loc) for flag in doubtful.values()]


def _flag(code: Any, flag: ir.Var, value: bool, loc: Any) -> ir.Assign:
    assignment = ir.Assign(ir.Const(value, loc), flag, loc)
    definitions_of(code)[flag.name].append(assignment.value)
    return assignment
