"""Attributes that no object of a class has: reading one raises, as in Python, so what follows is never reached.

Such is a method of a base class that calls what only some of its subclasses define.
"""

import types as python
from typing import Any

from outplay.compile.native.internals.numba_names import compute_cfg_from_blocks, ir, run_frontend
from outplay.compile.native.internals.statements import rebuild_definitions, self_variables, values_assigned
from outplay.compile.native.object_type import ObjectType
from outplay.compile.references import MISSING, member_function, member_of


def cut_off(state: Any) -> None:
    """Replace what follows such a read in a method by the error that it raises."""
    typ = state.args[0] if state.args else None
    code = state.func_ir
    if not isinstance(typ, ObjectType) or not code.arg_names or state.func_id.func.__code__.co_exceptiontable:
        return
    own = self_variables(values_assigned(code.blocks))
    changed = False
    for block in code.blocks.values():
        place_and_name = _first_error(typ, block, own, ())
        if place_and_name is not None:
            place, name = place_and_name
            loc = block.body[place].loc
            reason = f"{typ.cls.__name__} has no attribute {name}"
            block.body[place:] = [ir.StaticRaise(AttributeError, (reason,), loc)]
            changed = True
    if changed:
        for label in compute_cfg_from_blocks(code.blocks).dead_nodes():
            del code.blocks[label]
        rebuild_definitions(code)


def _first_error(typ: ObjectType, block: Any, selves: set[str], callers: tuple[Any, ...]) -> tuple[int, str] | None:
    """The place in a block where an error is sure, and the name of the attribute that is missing."""
    methods: dict[str, str] = {}
    for place, statement in enumerate(block.body):
        value: Any = statement.value if isinstance(statement, ir.Assign) else None
        op = getattr(value, "op", "")
        if op == "getattr" and value.value.name in selves:
            name = value.attr
            if name not in typ.field_dict and member_of(typ.cls, name) is MISSING and not hasattr(object, name):
                return place, name
            methods[statement.target.name] = name
        elif op == "call" and value.func.name in methods:
            name = _always_missing(typ, methods[value.func.name], callers)
            if name:
                return place, name
    return None


def _always_missing(typ: ObjectType, method: str, callers: tuple[Any, ...]) -> str:
    """The missing attribute that a method reads before it does anything else that matters; "" if there is none."""
    member = member_of(typ.cls, method)
    if method in typ.field_dict or not isinstance(member, python.FunctionType) or member in callers:
        return ""
    function = member_function(member)
    if function is None or function.__code__.co_exceptiontable or function.__code__.co_flags & GENERATOR:
        return ""
    try:
        blocks = run_frontend(function).blocks
    except Exception:  # Numba raises many kinds of errors
        return ""
    place_and_name = _first_error(typ, blocks[min(blocks)], self_variables(values_assigned(blocks)), (*callers, member))
    return place_and_name[1] if place_and_name is not None else ""


GENERATOR = 0x20
"""The flag of a function that yields: a call runs nothing of it."""
