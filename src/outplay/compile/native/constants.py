"""Constants when a kernel is compiled: settings, which optional rules a game defines, and its `draw_utility`.

`if settings.killers:` and `if defines(game, "order"):` are decided before Numba compiles their branches, so disabled
code takes neither time to run nor time to compile. So are `if has_field(memory, "records"):` and `if board is None:`,
by the type of the argument.
"""

import operator
from functools import lru_cache
from typing import Any

from numba import types
from numba.extending import NativeValue, typeof_impl, unbox

from outplay.compile.kernels import has_field
from outplay.compile.native.internals.compiler_passes import Pass
from outplay.compile.native.internals.numba_names import (
    compute_cfg_from_blocks,
    get_definition,
    guard,
    ir,
    register_pass,
)
from outplay.compile.native.internals.registration import opaque
from outplay.compile.native.internals.statements import definitions_of, put
from outplay.compile.native.records import RecordPointer
from outplay.compile.options import CompileTimeOptions
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import defines


class SettingsType(types.Opaque):
    """The Numba type of one combination of settings."""

    def __init__(self, settings: CompileTimeOptions) -> None:
        self.settings = settings
        super().__init__(repr(settings))


opaque(SettingsType)
_type_of = lru_cache(maxsize=1024)(SettingsType)
"""The type of settings; to make it anew for each call would take as long as to run a short kernel."""


@typeof_impl.register(CompileTimeOptions)
def _type_of_compile_time_options(settings: CompileTimeOptions, context: Any) -> SettingsType:
    return _type_of(settings)


@unbox(SettingsType)
def _unbox_settings_type(typ: SettingsType, settings: Any, c: Any) -> NativeValue:
    return NativeValue(c.context.get_dummy_value())


@register_pass(mutates_CFG=False, analysis_only=False)
class FoldConstants(Pass):
    """Replace settings, and calls of `defines`, `draw_utility` and `has_field`, by their values."""

    _name = "outplay_fold_constants"

    def run_pass(self, state: Any) -> bool:
        """Replace calls and attributes that are constants."""
        code = state.func_ir
        for label, block in code.blocks.items():
            for assignment in block.find_insts(ir.Assign):
                expression = assignment.value
                if isinstance(expression, ir.Expr):
                    value = _constant(code, expression, state.args) or _none_or_not(code, label, assignment, state.args)
                    if value is not None:
                        put(code, assignment, ir.Const(value[0], assignment.loc))
        return True


def _constant(code: Any, expression: Any, args: Any) -> tuple[Any] | None:
    """The value of `expression` as a tuple of one, if it is known before type inference; else None."""

    def type_of(variable: Any) -> Any:
        definition = guard(get_definition, code, variable)
        return args[definition.index] if isinstance(definition, ir.Arg) else None

    if expression.op == "getattr":
        typ = type_of(expression.value)
        return (getattr(typ.settings, expression.attr),) if isinstance(typ, SettingsType) else None
    function = guard(get_definition, code, expression.func) if expression.op == "call" else None
    callee = function.value if isinstance(function, (ir.Global, ir.FreeVar)) else None
    if callee is defines or callee is draw_utility:
        typ, names = type_of(expression.args[0]), [guard(get_definition, code, name) for name in expression.args[1:]]
        if hasattr(typ, "ask") and all(isinstance(name, ir.Const) for name in names):
            return (typ.ask(callee.__name__, *(name.value for name in names)),)
    if callee is has_field:
        typ, name = type_of(expression.args[0]), guard(get_definition, code, expression.args[1])
        if isinstance(typ, RecordPointer) and isinstance(name, ir.Const):
            return (name.value in typ.record.fields,)
    return None


def _none_or_not(code: Any, label: int, assignment: Any, args: Any) -> tuple[bool] | None:
    """The value of `x is None` or `x is not None` as a tuple of one, if the type of the argument `x` decides it."""
    test = assignment.value
    if test.op != "binop" or test.fn not in (operator.is_, operator.is_not):
        return None
    for one, other in ((test.lhs, test.rhs), (test.rhs, test.lhs)):
        none = guard(get_definition, code, one)
        if isinstance(none, ir.Const) and none.value is None:
            place = _argument_in(code, label, assignment, other)
            typ = None if place is None else args[place]
            value = typ.value if isinstance(typ, types.Omitted) else ...
            if typ is None or isinstance(typ, types.Optional):
                return None
            is_none = value is None or typ == types.none
            return (is_none == (test.fn is operator.is_),)
    return None


def _argument_in(code: Any, label: int, before: Any, variable: Any) -> int | None:
    """The place of the argument that is still in a variable at this statement; None if it may hold something else."""
    definitions = definitions_of(code)
    while variable.name.startswith("$") and len(definitions[variable.name]) == 1:
        if not isinstance(definitions[variable.name][0], ir.Var):
            return None
        variable = definitions[variable.name][0]
    arguments = [definition for definition in definitions[variable.name] if isinstance(definition, ir.Arg)]
    if len(arguments) != 1:
        return None
    others = [
        (place, assignment)
        for place, block in code.blocks.items()
        for assignment in block.find_insts(ir.Assign)
        if assignment.target.name == variable.name and assignment.value is not arguments[0]
    ]
    index: int = arguments[0].index
    if not others:
        return index
    graph = compute_cfg_from_blocks(code.blocks)
    labels_reached = {successor for place, _ in others for successor, _ in graph.successors(place)}
    waiting = list(labels_reached)
    while waiting:
        for successor, _ in graph.successors(waiting.pop()):
            if successor not in labels_reached:
                labels_reached.add(successor)
                waiting.append(successor)
    body = code.blocks[label].body
    earlier = body[: body.index(before)]
    is_assigned_here = any(statement is other for statement in earlier for _, other in others)
    return None if label in labels_reached or is_assigned_here else index
