"""Generators over arrays, compiled as functions that list what they yield.

A generator compiled by Numba holds a reference to each array among its arguments and never releases it: every call
would leak memory. So in a function with such arguments each `yield` appends its value to a list, and the list is
returned. The caller iterates over the list instead. The same holds for a generator that keeps a list in a variable.
"""

from typing import Any

from numba import types

from outplay.compile.native.internals.compiler_passes import Pass
from outplay.compile.native.internals.numba_names import (
    compute_cfg_from_blocks,
    cpu_target,
    ir,
    mk_unique_var,
    refused,
    register_pass,
)
from outplay.compile.native.internals.statements import is_argument, rebuild_definitions


@register_pass(mutates_CFG=False, analysis_only=False)
class ListYields(Pass):
    """Turn a generator over arrays into a function that returns a list."""

    _name = "outplay_list_yields"

    def run_pass(self, state: Any) -> bool:
        """Rewrite the function if it is such a generator."""
        code = state.func_ir
        is_listed = any(map(_is_counted, state.args)) or getattr(state.func_id.func, "is_listed", False)
        if not code.is_generator or not is_listed:
            return False
        _may_be_listed(state)
        if not _ends(code):
            raise refused("a generator with arrays or lists never ends: write its loop where it is read")
        code.is_generator = code.func_id.is_generator = False
        code.generator_info = None
        first = min(code.blocks)
        place = code.blocks[first]
        yields = ir.Var(place.scope, mk_unique_var("$yielded"), code.loc)
        for block in code.blocks.values():
            block.body = [step for old in block.body for step in _listing(old, yields, block.scope)]
        number = next(i for i, step in enumerate(place.body) if not is_argument(step))
        place.body.insert(number, ir.Assign(ir.Expr.build_list([], code.loc), yields, code.loc))
        rebuild_definitions(code)
        return True


class ListsInstead(Exception):
    """A generator holds lists while it waits, so that a loop which ends early would never release them."""


def refuse_lists(state: Any) -> None:
    """Raise `ListsInstead` in a generator that holds lists while it waits, once types are known.

    Not in one that goes on for ever.
    """
    code = state.func_ir
    if not code.is_generator or not _ends(code):
        return
    held = {name for place in code.generator_info.get_yield_points() for name in place.live_vars | place.weak_live_vars}
    if any(_is_counted(state.typemap[name]) for name in held if name in state.typemap):
        _may_be_listed(state)
        raise ListsInstead


def _may_be_listed(state: Any) -> None:
    """Raise if what is left when a loop ends early could be an error: see `rewriting.lazy.may_be_listed`."""
    if getattr(state.func_id.func, "is_lazy", False):
        raise refused("an iterator over lists that may not be read to its end: use square brackets, [… for …]")


def _ends(code: Any) -> bool:
    """Whether a way leads from each `yield` to the end of the function."""
    graph = compute_cfg_from_blocks(code.blocks)
    ends = {place for place, block in code.blocks.items() if isinstance(block.terminator, ir.Return)}
    size = 0
    while size != (size := len(ends)):
        ends |= {source for place in ends for source, _ in graph.predecessors(place)}
    return all(
        place in ends
        for place, block in code.blocks.items()
        if any(isinstance(instruction.value, ir.Yield) for instruction in block.find_insts(ir.Assign))
    )


def _is_counted(typ: types.Type) -> bool:
    """Whether values of this type hold references to arrays."""
    return bool(cpu_target.target_context.data_model_manager[typ].contains_nrt_meminfo())


def _listing(step: Any, yields: ir.Var, scope: Any) -> list[Any]:
    """The statements that replace `step`, a statement of the generator."""
    if isinstance(step, ir.Return):
        return [ir.Return(yields, step.loc)]
    if not (isinstance(step, ir.Assign) and isinstance(step.value, ir.Yield)):
        return [step]
    append, nothing = (ir.Var(scope, mk_unique_var(name), step.loc) for name in ("$append", "$nothing"))
    return [
        ir.Assign(ir.Expr.getattr(yields, "append", step.loc), append, step.loc),
        ir.Assign(ir.Expr.call(append, [step.value.value], (), step.loc), nothing, step.loc),
        ir.Assign(ir.Const(None, step.loc), step.target, step.loc),
    ]
