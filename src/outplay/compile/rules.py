"""Rules and parameters in compiled code: what `game.result(…)` and `game.width` mean to Numba.

Every rule, and every helper function that it reaches, is compiled from a copy of its own in which the names of other
helpers stand for compiled copies too. So an ordinary function of the user's works in compiled code as it is.
"""

import functools
import inspect
import types as python
from collections.abc import Callable
from typing import Any

import numba
from numba import njit, types
from numba.core import errors
from numba.core.imputils import lower_constant
from numba.core.registry import cpu_target
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    overload_attribute,
    overload_method,
    register_model,
    unbox,
)

from outplay.compile.game_type import INTERNAL, SELF, GameType, general, made
from outplay.compile.states import to_state
from outplay.fingerprint import is_foreign, member_function, names_in, plain_function, references
from outplay.game import Game
from outplay.kernels import kernel


@functools.cache
def game_type_class(game_class: type[Game]) -> type[GameType]:
    """A class of Numba types for one class of games, which knows the names of its methods."""
    made = type(f"{game_class.__name__}Type", (GameType,), {})
    register_model(made)(models.OpaqueModel)
    for name in {name for cls in game_class.__mro__ for name in vars(cls)}:
        member = inspect.getattr_static(game_class, name)
        if name.startswith("__") or member_function(member) is None:
            continue
        choose = _chooser(name, member)
        if isinstance(member, property):
            overload_attribute(made, name, strict=False, jit_options=INTERNAL)(choose)
        else:
            overload_method(made, name, strict=False, jit_options=INTERNAL)(choose)
    return made


def _chooser(name: str, member: Any) -> Callable[..., Any]:
    """What Numba calls with argument types to learn what to compile for a method; its signature is the method's own."""
    function = member_function(member)
    assert function is not None
    parameters = _parameters(function)
    if isinstance(member, staticmethod):
        parameters.insert(0, "game_")
    choose = made(f"def rule({', '.join(parameters)}): return choose({parameters[0]}, {name!r})", choose=rule_of)
    choose.__defaults__ = _defaults(function)
    return choose  # type: ignore[no-any-return]


WRAPPERS = {
    "initial_state": "def rule(self): return to_state(self, native(self))",
    "to_move": "def rule(self, state): return int(native(self, state))",
    "result": "def rule(self, state, action): return to_state(self, native(self, state, int(action)))",
    "is_terminal": "def rule(self, state): return bool(native(self, state))",
    "utility": "def rule(self, state, player): return float(native(self, state, player))",
    "probability": "def rule(self, state, action): return float(native(self, state, int(action)))",
    "evaluate": "def rule(self, state, player): return float(native(self, state, player))",
    "order": "def rule(self, state, action): return float(native(self, state, int(action)))",
    "is_quiet": "def rule(self, state): return bool(native(self, state))",
}
"""The rules that searches rely on give exactly these types, so that no kernel is compiled twice or mixes types."""


def rule_of(typ: GameType, name: str) -> Any:
    """The Python function to compile for a method of the game, once for each game."""
    key = "rule", name
    if key not in typ.natives:
        member = inspect.getattr_static(type(typ.game), name)
        function = member_function(member)
        assert function is not None
        native = native_function(function, typ.natives, typ.name)
        if isinstance(member, staticmethod):
            names = ", ".join(_parameters(function))
            typ.natives[key] = made(f"def rule(game_, {names}): return native({names})", native=native)
            typ.natives[key].__defaults__ = _defaults(function)
        elif name in WRAPPERS:
            typ.natives[key] = made(WRAPPERS[name], native=native, to_state=to_state)
        else:
            typ.natives[key] = native.py_func
    return typ.natives[key]


def native_function(function: python.FunctionType, made: dict[Any, Any], owner: str) -> Any:
    """`function` for compiled code: a dispatcher of a copy in which helper functions are dispatchers too.

    The copy's name holds its owner, since machine code from disk is linked by name.
    """
    if function not in made:
        namespace: dict[str, Any] = {"__name__": SELF, "__builtins__": __builtins__}
        closure = tuple(python.CellType() for _ in function.__code__.co_freevars)
        code = function.__code__  # parameters that must be named may come by place too: Numba wants it so
        code = code.replace(co_argcount=code.co_argcount + code.co_kwonlyargcount, co_kwonlyargcount=0)
        calls_itself = any(plain_function(value) is function for value in references(function).values())
        # Numba crashes where a function that calls itself is called without all of its arguments.
        defaults = () if calls_itself else _defaults(function)
        copy = python.FunctionType(code, namespace, function.__name__, defaults, closure)
        copy.__module__ = SELF
        copy.__qualname__ = f"{function.__qualname__}_{owner}"
        made[function] = general(njit(copy, **INTERNAL))  # before its names are resolved: it may call itself
        cells = dict(zip(function.__code__.co_freevars, closure, strict=True))
        for name, value in references(function).items():
            native = _native_value(value, function, made, owner)
            if name in cells:
                cells[name].cell_contents = native
            else:
                namespace[name] = native
    return made[function]


_parts: dict[str, dict[Any, Any]] = {}


def part(kernel: Any) -> Any:
    """The dispatcher through which compiled code calls a kernel."""
    mark = f"kernel[{kernel.fingerprint()}]"
    return native_function(kernel.function, _parts.setdefault(mark, {}), mark)


def _parameters(function: python.FunctionType) -> list[str]:
    code = function.__code__
    return list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def _defaults(function: python.FunctionType) -> tuple[Any, ...]:
    named = function.__kwdefaults__ or {}
    return (function.__defaults__ or ()) + tuple(named[name] for name in _parameters(function) if name in named)


def _native_value(value: Any, user: python.FunctionType, made: dict[Any, Any], owner: str) -> Any:
    """What a global name of `user` stands for in compiled code."""
    if isinstance(value, kernel):
        return part(value)
    function = plain_function(value)  # behind a dispatcher of the user's too, so that theirs stays as it is
    if function is not None and not is_foreign(function):
        return value if value is function and _is_known(function) else native_function(function, made, owner)
    members: dict[str, Any] = {}
    if isinstance(value, python.ModuleType) and not is_foreign(value):
        members = {name: vars(value)[name] for name in names_in(user.__code__) if name in vars(value)}
    elif isinstance(value, type) and issubclass(value, Game):  # ConnectFour.result(self, state, action) in a variant
        for name in names_in(user.__code__):
            member = inspect.getattr_static(value, name, None)
            if member is not None and not name.startswith("__"):
                members[name] = member_function(member) or member
    else:
        return value
    shadow = python.ModuleType(value.__name__)
    for name, member in members.items():
        setattr(shadow, name, _native_value(member, user, made, owner))
    return shadow


def _is_known(function: python.FunctionType) -> bool:
    """Whether Numba compiles calls of `function` already, through an overload."""
    context = cpu_target.typing_context
    context.refresh()
    try:
        context.resolve_value_type(function)
    except (errors.NumbaError, ValueError):
        return False
    return True


@unbox(GameType)
def _(typ: GameType, game: Any, c: Any) -> NativeValue:
    return NativeValue(c.context.get_dummy_value())


@lower_constant(GameType)
def _(context: Any, builder: Any, typ: GameType, game: Any) -> Any:
    return context.get_dummy_value()


@infer_getattr
class _Parameter(AttributeTemplate):
    """`game.width` in compiled code is a constant, so that LLVM folds it."""

    key = GameType

    def generic_resolve(self, typ: GameType, name: str) -> types.Type | None:
        if member_function(inspect.getattr_static(type(typ.game), name, None)) is not None:
            return None
        if not hasattr(typ.game, name):
            return None
        value = getattr(typ.game, name)
        try:
            found = numba.typeof(value)
        except Exception:  # Numba raises many kinds
            found = None
        objects = isinstance(found, types.Array) and found.dtype == types.pyobject
        if found is None or objects or isinstance(found, (types.List, types.Set)):
            kind = "n array of objects" if objects else f" {type(value).__name__}"
            raise errors.TypingError(f"NotNative: self.{name} is a{kind}, which is not a constant")
        return found.copy(readonly=True) if isinstance(found, types.Array) else found


@lower_getattr_generic(GameType)
def _(context: Any, builder: Any, typ: GameType, value: Any, name: str) -> Any:
    constant = getattr(typ.game, name)
    found = numba.typeof(constant)
    if isinstance(found, types.Array):
        found = found.copy(readonly=True)
    return context.get_constant_generic(builder, found, constant)
