"""Lists that are returned or assigned beside lists with items of another type: one list of items of the wider type.

Members that are ints become ints, and what is always or never None becomes what may be None. That is right for a list
that nobody else holds: else something could be put into it that it has no place for.
"""

import ast
import functools
from typing import Any

from numba import types

from outplay.compile.native.class_type import MethodOf
from outplay.compile.native.game_type import compiled_only
from outplay.compile.native.internals.numba_names import cpu_target, ir, refused
from outplay.compile.native.semantics.plans import Plan, delegate
from outplay.compile.native.state_type import holds
from outplay.compile.native.states import caster
from outplay.compile.references import member_function
from outplay.compile.rewriting.shared_rewriting import results_of
from outplay.compile.rewriting.source import OtherSource, definition_of


def widened(state: Any, variable: Any, target: types.Type, is_returned: bool) -> Plan | None:
    """The plan of making a list that is returned or assigned one of a wider type; None if it already is."""
    source = state.typemap[variable.name]
    if not _differ(source, target):
        return None
    is_list = isinstance(source, types.List) and holds(target.dtype, types.unliteral(source.dtype))
    if not is_list or not _is_own(state, variable, is_returned):
        container = "set" if isinstance(source, types.Set) else "list"
        fault = f"items of several types meet in one {container}"
        raise refused(f"{fault}: give them one type, with int() or float()", variable.loc)
    return Plan(target, (source,), delegate(_widened(target), source))


def _differ(one: types.Type, other: types.Type) -> bool:
    """Whether a list or set in a value of the first type would be one of another type in the second."""
    if isinstance(one, types.List | types.Set) and isinstance(other, types.List | types.Set):
        return bool(one.dtype != other.dtype)
    if isinstance(one, types.BaseTuple) and isinstance(other, types.BaseTuple):
        return any(map(_differ, one.types, other.types))
    return False


@functools.cache
def _widened(target: types.List) -> Any:
    """The function in compiled code that makes a list of this type of another."""
    cast = caster(target.dtype)
    widen = compiled_only(lambda items: lambda items: [cast(item) for item in items])
    cpu_target.typing_context.refresh()
    return widen


def _is_own(state: Any, variable: Any, is_returned: bool) -> bool:
    """Whether nobody else holds this list: one that is assigned must be made in the same block, for loops."""
    source = variable
    while isinstance(source, ir.Var):
        uses = [
            (step, label)
            for label, block in state.func_ir.blocks.items()
            for step in block.body
            if not isinstance(step, ir.Del) and source.name in {variable.name for variable in step.list_vars()}
        ]
        values = [step.value for step, _ in uses if isinstance(step, ir.Assign) and step.target.name == source.name]
        if len(uses) != 2 or len(values) != 1:  # where it is assigned, and where it is passed on
            return False
        if not is_returned and uses[0][1] != uses[1][1]:
            return False
        source = values[0]
    if not isinstance(source, ir.Expr):
        return False
    return source.op == "build_list" or (source.op == "call" and _returns_its_own(_called(state, source)))


def _called(state: Any, call: Any) -> Any:
    """The function of users that is called; None if it is not known."""
    typ = state.typemap[call.func.name]
    if hasattr(typ, "name_in_class"):  # a method of the game
        return member_function(typ.game.ask("member", typ.name_in_class))
    if not isinstance(typ, types.Dispatcher | MethodOf):
        return None
    return getattr(typ.dispatcher.py_func, "original", None)


def _returns_its_own(function: Any) -> bool:
    """Whether a function returns nothing but new lists."""
    try:
        definition = definition_of(function) if function is not None else None
    except OtherSource:
        return False
    results = [] if definition is None else results_of(definition)
    return bool(results) and all(_is_new(definition, result) for result in results)


NEW = ast.List | ast.ListComp
METHODS = {"append", "clear", "extend", "index", "insert", "pop", "remove", "reverse", "sort"}


def _is_new(definition: Any, result: ast.expr | None) -> bool:
    """Whether this is a new list: a list that is written there, or a variable that holds one and is never passed on."""
    if not isinstance(result, ast.Name):
        return isinstance(result, NEW)
    owners = {child: node for node in ast.walk(definition) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(definition):
        name = getattr(node, "id", getattr(node, "arg", getattr(node, "name", None)))
        if name != result.id:
            continue
        match owners[node]:
            case ast.Assign([target], value) | ast.AnnAssign(target, value=value) if target is node:
                if not isinstance(value, NEW):
                    return False
            case ast.Return() | ast.AugAssign(op=ast.Add()) | ast.Call(ast.Name("len"), [_], []):
                pass
            case ast.Attribute(attr=method) if method in METHODS:
                pass
            case ast.For(target, source) if source is node and target is not node:
                pass
            case ast.Subscript(owner, _, ast.Load()) if owner is node:
                pass
            case _:
                return False
    return True
