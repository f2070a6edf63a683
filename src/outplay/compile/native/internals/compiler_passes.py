"""The list of passes by which Numba compiles a function: passes of ours, and those that most functions do not need.

Closures are inlined without losing the errors of what nothing reads, and types are inferred also of empty containers.
"""

import functools
import importlib
from collections.abc import Callable
from typing import Any

from numba import types
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.typed_passes import NopythonTypeInference
from numba.core.untyped_passes import InlineClosureLikes

from outplay.compile.native.internals.numba_names import ir, replaced
from outplay.compile.native.internals.statements import read_by, values_assigned
from outplay.compile.native.losses import QUICK, is_on


class Pass(FunctionPass):
    """A pass over a function."""

    def __init__(self) -> None:
        FunctionPass.__init__(self)


OF_INLINING = "dead_code_elimination"


@functools.cache
def _inlining() -> Any:
    """Numba's module that inlines closures; code from disk does not need it."""
    module = importlib.import_module("numba.core.inline_closurecall")
    getattr(module, OF_INLINING)  # where Numba lacks it, nothing compiles
    return module


def _remove_closures(code: Any) -> None:
    """Remove the functions, lists and tuples that nothing reads after closures were inlined.

    Numba removes everything that nothing reads, and assignments to its items, with the errors that they would raise.
    """
    statements = [step for block in code.blocks.values() for step in block.body if not isinstance(step, ir.Del)]
    functions = _functions(code.blocks)
    size = -1
    while size != (size := len(statements)):
        reads = {variable.name for statement in statements for variable in read_by(statement)}
        statements = [step for step in statements if not _is_harmless(step, functions) or step.target.name in reads]
    left = {id(statement) for statement in statements}
    for block in code.blocks.values():
        block.body = [statement for statement in block.body if id(statement) in left]


def _functions(blocks: Any) -> set[str]:
    """The variables that are set to inner functions alone, and to the tuples of what these capture."""
    assigned = values_assigned(blocks)
    functions = [value for values in assigned.values() for value in values if _is_function(value, set())]
    names = {value.closure.name for value in functions if isinstance(value.closure, ir.Var)}
    size = -1
    while size != (size := len(names)):
        names |= {name for name, values in assigned.items() if all(_is_function(value, names) for value in values)}
    return names


def _is_function(value: Any, functions: set[str]) -> bool:
    if isinstance(value, ir.Var):
        return value.name in functions
    return isinstance(value, ir.Expr) and value.op == "make_function"


def _is_harmless(statement: Any, functions: set[str]) -> bool:
    """Whether a statement only sets a variable, to something that cannot raise an error."""
    value = statement.value if isinstance(statement, ir.Assign) else None
    if isinstance(value, ir.Expr) and value.op == "getattr":
        return bool(value.attr == "append")  # of a list that became an array
    if isinstance(value, ir.Expr) and value.op not in ("make_function", "build_list", "build_tuple"):
        return False
    if isinstance(value, ir.Expr | ir.Var) and statement.target.name not in functions:
        return all(variable.name.startswith("$") for variable in read_by(statement))  # others may be unassigned
    return value is not None and not isinstance(value, ir.Yield)


@register_pass(mutates_CFG=True, analysis_only=False)
class _InlineClosures(InlineClosureLikes):
    """Inlines closures, and leaves in place what nothing reads."""

    _name = "outplay_inline_closures"

    def run_pass(self, state: Any) -> bool:
        with replaced([(_inlining(), OF_INLINING, _remove_closures)]):
            changed: bool = super().run_pass(state)
            return changed


INFERERS: list[Any] = []
"""The class that infers the types of rules; filled by `semantics.passes`."""


@register_pass(mutates_CFG=True, analysis_only=False)
class _InferTypes(NopythonTypeInference):
    """Infers types, also those of empty containers."""

    _name = "outplay_infer_types"

    def run_pass(self, state: Any) -> bool:
        module = importlib.import_module("numba.core.typed_passes").typeinfer
        with replaced([(module, "TypeInferer", inferer) for inferer in INFERERS]):
            changed: bool = super().run_pass(state)
            return changed


def add_passes(manager: Any, *pairs: tuple[Any, Any]) -> None:
    """Add passes to a list: for each (new, old), `new` after `old`.

    Closures are inlined without losing errors, and types are inferred also of empty containers.
    """
    for new, old in pairs:
        manager.add_pass_after(new, old)
    _inlining()
    ours = {InlineClosureLikes: _InlineClosures, NopythonTypeInference: _InferTypes}
    manager.passes = [(ours.get(old, old), text) for old, text in manager.passes]
    manager._finalized = False
    manager.finalize()


def _has_closures(state: Any) -> bool:
    """Whether there may be something to inline: a closure, a stencil, a call of `reduce`, or an array of a list."""
    for block in state.func_ir.blocks.values():
        for assignment in block.find_insts(ir.Assign):
            value = assignment.value
            if isinstance(value, ir.Expr):
                operation = value.attr if value.op == "getattr" else value.op
            elif isinstance(value, ir.Global | ir.FreeVar):
                operation = "stencil" if type(value.value).__name__ == "StencilFunc" else value.name
            else:
                continue
            if operation in ("make_function", "build_list", "reduce", "stencil"):
                return True
    return False


def _computes_arrays(state: Any) -> bool:
    """Whether there may be something to rewrite: an operation that makes an array, or an index that is a string."""
    kinds = state.typemap
    if any(isinstance(kind, types.StringLiteral) for kind in kinds.values()):
        return True
    return any(
        isinstance(assignment.value, ir.Expr)
        and assignment.value.op in ("unary", "binop", "inplace_binop", "call")
        and isinstance(kinds.get(assignment.target.name), types.Array)
        for block in state.func_ir.blocks.values()
        for assignment in block.find_insts(ir.Assign)
    )


_CONDITIONS: dict[str, Callable[[Any], bool]] = {"_InlineClosures": _has_closures, "NopythonRewrites": _computes_arrays}
"""Passes that most functions do not need, and whether one may. Saves 5 % of the time to compile."""


class _Passes(PassManager):
    """Numba's list of passes, run without announcing each pass to listeners, and without those that do nothing.

    Saves 4 % of the function calls of a compilation.
    """

    def _runPass(self, index: int, compiler_pass: Any, state: Any) -> None:  # noqa: N802 - Numba's name
        is_needed = _CONDITIONS.get(type(compiler_pass).__name__)
        if is_needed is not None and not is_needed(state):
            return
        compiler_pass.analysis = self._analysis
        compiler_pass.run_initialization(state)
        compiler_pass.run_pass(state)
        compiler_pass.run_finalizer(state)


def run_quietly(manager: Any) -> None:
    """Run these passes without announcements."""
    if is_on(QUICK):
        manager.__class__ = _Passes
