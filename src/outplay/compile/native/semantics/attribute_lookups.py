"""Before type inference: what Python looks up in an object or class, where Numba cannot, becomes a call of a function.

`super().result(…)` becomes a call of the next `result`; so does a method that calls itself through `self`, since Numba
infers the types of functions that call each other only by name. `state._replace(…)` becomes a call of a function for
the fields that change.
"""

import functools
import inspect
import types as python
from collections.abc import Callable
from typing import Any

from numba import types

from outplay.compile.native.game_type import GameType, function_from_source, home, overload
from outplay.compile.native.internals.numba_names import (
    Signature,
    cpu_target,
    get_definition,
    guard,
    ir,
    lower_builtin,
    refused,
)
from outplay.compile.native.internals.registration import typed
from outplay.compile.native.internals.statements import new_variable, put
from outplay.compile.native.object_type import ObjectType
from outplay.compile.references import MISSING, after, member_function, names_in

NATIVE: list[Callable[..., Any]] = []
"""`native_function`, which makes the dispatcher of a function; filled by `rules`."""


def look_up(state: Any) -> None:
    """Rewrite the look-ups of a function."""
    code = state.func_ir
    game = state.args[0] if state.args and isinstance(state.args[0], GameType | ObjectType) else None
    owner = getattr(state.func_id.func, "defined_in", None)
    methods: dict[str, tuple[python.FunctionType, Any]] = {}
    unused: set[str] = set()
    for block in code.blocks.values():
        body: list[Any] = []
        for statement in block.body:
            value: Any = statement.value if isinstance(statement, ir.Assign) else None
            op = getattr(value, "op", "")
            if op == "getattr" and game is not None:
                method = _method(state, game, owner, value)
                if method is not None:
                    if not _is_self(code, value.value):  # it is `super()`
                        call = get_definition(code, value.value)
                        unused |= {value.value.name, call.func.name}
                    dispatcher = NATIVE[0](method[0], *home())
                    methods[statement.target.name] = method
                    put(code, statement, ir.Global(value.attr, dispatcher, value.loc))
            elif op == "call":
                if value.func.name in methods:
                    _bind(code, block, body, value, *methods[value.func.name])
                elif not value.args and value.kws:
                    unused |= _replace(code, block, body, value)
            body.append(statement)
        block.body = body
    for block in code.blocks.values() if unused else ():
        for assignment in block.find_insts(ir.Assign):
            if assignment.target.name in unused:
                put(code, assignment, ir.Const(None, assignment.loc))


def _is_self(code: Any, variable: Any) -> bool:
    definition = guard(get_definition, code, variable)
    return isinstance(definition, ir.Arg) and definition.index == 0


def _method(state: Any, game: GameType | ObjectType, owner: Any, value: Any) -> tuple[python.FunctionType, Any] | None:
    """The function that an attribute stands for, and its first argument (None if it is static), if it is known now."""
    code = state.func_ir
    if _is_self(code, value.value):
        return _recursive(state, game, value) if isinstance(game, GameType) else None
    call: Any = guard(get_definition, code, value.value)
    if not isinstance(call, ir.Expr) or call.op != "call":
        return None
    callee = guard(get_definition, code, call.func)
    if not isinstance(callee, ir.Global) or callee.value is not super:
        return None
    if owner is None or not code.arg_names or (call.args and len(call.args) != 2):
        raise refused("super() outside a method: name the class")
    if isinstance(game, GameType):
        member = game.ask("super", f"{game.cls.__mro__.index(owner)} {value.attr}")
    else:
        member = after(game.cls, owner, value.attr)
        if member is object.__init__:
            member = _nothing
    function = member_function(member)
    if function is None or isinstance(member, (property, classmethod)):
        raise refused(f"super().{value.attr} is not an ordinary method: name the class")
    return function, None if isinstance(member, staticmethod) else _argument(code)


def _nothing(self: Any) -> None:
    """What `object.__init__` does."""


def _argument(code: Any) -> Any:
    """The variable of the first argument."""
    for block in code.blocks.values():
        for assignment in block.find_insts(ir.Assign):
            if isinstance(assignment.value, ir.Arg) and assignment.value.index == 0:
                return assignment.target
    return None


def _recursive(state: Any, game: GameType, value: Any) -> tuple[python.FunctionType, Any] | None:
    """The function of `self.name`, if it calls the rule that reads it."""
    member = game.ask("member", value.attr) if value.attr in _names(game.cls) else MISSING
    function = member_function(member)
    if function is None or isinstance(member, (property, classmethod, staticmethod)):
        return None
    current = getattr(state.func_id.func, "original", None)
    waiting, visited = [function], set()
    while waiting:
        method = waiting.pop()
        if method in visited:
            continue
        visited.add(method)
        if method is current:
            state.func_id.func.calls_itself = True
            return function, value.value
        for name in names_in(method.__code__):
            inherited = member_function(inspect.getattr_static(game.cls, name, None))
            waiting += [inherited] if inherited is not None else []
    return None


@functools.lru_cache(maxsize=64)
def _names(cls: type) -> frozenset[str]:
    return frozenset(dir(cls))


def _bind(code: Any, block: Any, body: list[Any], call: Any, function: python.FunctionType, me: Any) -> None:
    """Give the first argument to a call, and defaults: Numba fails on a recursive call without them."""
    if getattr(call, "vararg", None) is not None:
        raise refused("a method that calls itself, with *arguments: list the arguments")
    keywords = dict(call.kws)
    arguments = [me, *call.args] if me is not None else list(call.args)
    parameters = list(inspect.signature(function).parameters.values())
    if any(parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) for parameter in parameters):
        call.args = arguments
        return
    for parameter in parameters[len(arguments) :]:
        if parameter.name in keywords:
            arguments.append(keywords.pop(parameter.name))
        elif parameter.default is parameter.empty:
            return  # an error in Python too
        else:
            arguments.append(new_variable(code, block, body, ir.Global(parameter.name, parameter.default, call.loc)))
    if not keywords:
        call.args, call.kws = [_plain(code, block, body, variable) for variable in arguments], ()


def _plain(code: Any, block: Any, body: list[Any], variable: Any) -> Any:
    """The same value, whose type is not that of one constant: a recursive call has the types of the first call."""
    function = new_variable(code, block, body, ir.Global("as_argument", as_argument, variable.loc))
    return new_variable(code, block, body, ir.Expr.call(function, [variable], (), variable.loc))


def as_argument(value: Any) -> Any:
    """In compiled rules: `value`, as an argument of a call."""


typed(as_argument, lambda args: Signature(types.unliteral(args[0]), (types.unliteral(args[0]),), None))


@lower_builtin(as_argument, types.Any)
def _lower_as_argument(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    context.nrt.incref(builder, signature.return_type, values[0])
    return values[0]


def _replace(code: Any, block: Any, body: list[Any], call: Any) -> set[str]:
    """Turn `state._replace(left=3)` into a call of a function; return the variables that are unused then."""
    method: Any = guard(get_definition, code, call.func)
    if isinstance(method, ir.Expr) and method.op == "getattr" and method.attr == "_replace":
        names = tuple(name for name, _ in call.kws)
        unused = call.func.name
        call.func = new_variable(code, block, body, ir.Global("replacing", replacing(names), call.loc))
        call.args, call.kws = [method.value, *(variable for _, variable in call.kws)], ()
        return {unused}
    return set()


@functools.cache
def replacing(names: tuple[str, ...]) -> Any:
    """The function `state._replace` with these fields."""
    parameters = ", ".join(("record", *names))
    plain = function_from_source(f"def rule({parameters}): pass")

    def choose(*arg_types: types.Type) -> Any:
        record: Any = arg_types[0]
        if not isinstance(record, types.BaseNamedTuple) or not set(names) <= set(record.fields):
            return None
        parts = [name if name in names else f"record.{name}" for name in record.fields]
        source = f"def rule({parameters}): return make({', '.join(parts)})"
        return function_from_source(source, make=record.instance_class)

    overload(plain)(function_from_source(f"def rule({parameters}): return choose({parameters})", choose=choose))
    cpu_target.typing_context.refresh()
    return plain
