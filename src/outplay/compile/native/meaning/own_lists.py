"""Lists of members that are ints, returned where lists of ints are returned too: the same list, as one of ints.

That is right for a list that nobody else holds: else an int that is no member could be put into it.
"""

import ast
from typing import Any

from numba import types

from outplay.compile.native.frozen.enums import EnumMember
from outplay.compile.native.internals import definitions_of, get_definition, guard, ir
from outplay.compile.native.meaning.plans import Placed, Plan, refused
from outplay.compile.native.object_type import ObjectType
from outplay.compile.references import member_function, member_of
from outplay.compile.rewriting.source import OtherSource, definition_of
from outplay.compile.rewriting.work import results_of


def as_ints(state: Any, value: Any, target: types.Type) -> Plan | None:
    """The plan of a cast of a returned list; None if it is another cast."""
    source = state.typemap[value.value.name]
    if not isinstance(source, types.List) or not isinstance(target, types.List) or source.dtype == target.dtype:
        return None
    is_number = isinstance(source.dtype, EnumMember) and source.dtype.is_int and target.dtype == types.int64
    if not is_number or not _is_own(state, value.value):
        raise refused("a function returns a list of members in one place and of ints in another: write int(…)")
    return Plan(target, (source,), _same)


def _same(context: Any, builder: Any, signature: Placed, values: Any) -> Any:
    context.nrt.incref(builder, signature.return_type, values[0])
    return values[0]


def _is_own(state: Any, variable: Any) -> bool:
    """Whether nobody else holds this list."""
    made: Any = guard(get_definition, state.func_ir, variable)
    if not isinstance(made, ir.Expr) or len(definitions_of(state.func_ir)[variable.name]) != 1:
        return False
    uses = [
        statement
        for block in state.func_ir.blocks.values()
        for statement in block.body
        if not isinstance(statement, ir.Del) and variable.name in {each.name for each in statement.list_vars()}
    ]
    if len(uses) != 2:  # where it is assigned, and the cast
        return False
    return made.op == "build_list" or (made.op == "call" and _returns_its_own(_called(state, made)))


def _called(state: Any, call: Any) -> Any:
    """The function of users that is called; None if it is not known."""
    typ = state.typemap[call.func.name]
    if hasattr(typ, "name_in_class"):  # a method of the game
        return member_function(typ.game.ask("member", typ.name_in_class))
    if isinstance(typ, types.BoundFunction) and isinstance(typ.this, ObjectType):
        read = guard(get_definition, state.func_ir, call.func)
        return member_function(member_of(typ.this.cls, read.attr)) if isinstance(read, ir.Expr) else None
    return getattr(typ.dispatcher.py_func, "original", None) if isinstance(typ, types.Dispatcher) else None


def _returns_its_own(function: Any) -> bool:
    """Whether a function returns nothing but new lists."""
    try:
        results = results_of(definition_of(function)) if function is not None else []
    except OtherSource:
        return False
    return bool(results) and all(isinstance(each, ast.List | ast.ListComp) for each in results)
