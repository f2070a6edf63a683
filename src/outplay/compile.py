"""From rules in Python to native code: the only file that knows Numba.

**To Numba, an instance of a `Game` is a compile-time constant.** Each instance gets a type of its own, whose name holds
a fingerprint of all that its rules depend on. A method call on it compiles the rule; an attribute of it is a literal.
So one kernel, an ordinary function that takes the game first, becomes one native function for each game.

Reading order: `kernel` (what a search is written with), `native_type` (whether a game compiles), `GameType` and the
rules on it, states (`gate`, `pack`), functions known to compiled code, what is kept on disk, and what is said when
rules do not compile.
"""

import contextlib
import functools
import gc
import inspect
import io
import linecache
import os
import pickle
import re
import sys
import types as python
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import njit, types
from numba.core import cgutils, codegen, compiler, errors, serialize
from numba.core.caching import NullCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.imputils import lower_constant
from numba.core.registry import cpu_target
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    models,
    overload_attribute,
    overload_method,
    register_model,
    typeof_impl,
    unbox,
)

import outplay
import outplay.kernels
from outplay import bits, cache, keys
from outplay.errors import RulesError
from outplay.fingerprint import RULES, Fingerprint, Unknown, is_foreign, member_function, names_in, references
from outplay.game import Game, defines, legal_actions

_INTERNAL = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # called from compiled code alone
# Not strict: ours have annotations, rules have names of their own.
overload = functools.partial(numba.extending.overload, strict=False, jit_options=_INTERNAL)
_SELF = "outplay.compile"  # the module of everything made here: a file of the user's need not be importable

# -- whether a game compiles ------------------------------------------------------------------------------------------


class RunsInterpretedWarning(UserWarning):
    """The rules of a game do not compile, so it is searched at the speed of Python."""


class NotNative(Exception):
    """A state or parameter has no native form; the message says which and what would."""


class GameType(types.Opaque):
    """The Numba type of one game instance; its name holds all that the machine code depends on."""

    game: Game
    state: types.Type
    keepable: bool

    def __init__(self, name: str, game: Game, fingerprint: Fingerprint) -> None:
        self.game = game
        self.fingerprint = fingerprint
        self.natives: dict[Any, Any] = {}
        super().__init__(name=name)

    @property
    def key(self) -> Any:
        """A class defined anew in a notebook is another type, even with the same source."""
        return self.name, type(self.game)


_game_types: dict[tuple[str, type], GameType] = {}
_failures: dict[tuple[str, type], str] = {}
_warned: set[type] = set()


def native_type(game: Game) -> GameType | None:
    """The compile-time constant that `game` is, or None if it runs interpreted.

    Raises `RulesError` where the class says `compiled = True` and its rules do not compile.
    """
    known: tuple[Fingerprint, GameType | None] | None = getattr(game, "_native", None)
    if known is not None and known[0].is_current():
        return known[1]
    keepable = True
    fingerprint = Fingerprint()
    try:
        fingerprint = Fingerprint.of_game(game)
        mark = str(fingerprint)
    except Unknown:
        keepable = False
        mark = f"unknown {id(game):x}"
    name = f"{type(game).__qualname__}[{mark}]"
    key = name, type(game)
    typ = _game_types.get(key)
    if key in _failures:
        if type(game).compiled:
            raise RulesError(_failures[key])
    elif typ is None:
        typ = _game_type_class(type(game))(name, game, fingerprint)
        typ.keepable = keepable
        try:
            typ.state = _native_state(game)
        except NotNative as problem:
            code = member_function(inspect.getattr_static(type(game), "initial_state"))
            assert code is not None
            _refuse(game, key, "initial_state", (code.__code__.co_filename, code.__code__.co_firstlineno), str(problem))
            typ = None
        else:
            _game_types[key] = typ
    game._native = fingerprint, typ  # type: ignore[attr-defined]
    return typ


def _refuse(game: Game, key: tuple[str, type], rule: str, place: tuple[str, int], reason: str) -> None:
    """Note that `game` runs interpreted, and say so as its class wishes: an error, or a warning, once."""
    name = type(game).__name__
    filename, line = place
    remedy = "use ints, floats, tuples and NumPy arrays"
    _game_types.pop(key, None)
    _failures[key] = (
        f"{name}.{rule} does not compile, and {name} says compiled = True\n"
        f"  {filename}:{line}: {linecache.getline(filename, line).strip()}\n  {reason}; {remedy}"
    )
    if type(game).compiled:
        raise RulesError(_failures[key])
    if type(game) in _warned:
        return
    _warned.add(type(game))
    warnings.warn_explicit(
        f"{name} runs interpreted, 100 to 600 times slower than compiled: {rule}() does not compile here: {reason}\n"
        f"  {remedy}, or set compiled = False on {name} to silence this",
        RunsInterpretedWarning,
        filename,
        line,
    )


def compile_kernel(kernel: Any, args: tuple[Any, ...]) -> bool:
    """Make sure that `kernel` is compiled for these arguments; False if the game runs interpreted."""
    game = args[0]
    if native_type(game) is None:
        return False
    dispatcher = kernel.dispatcher
    signature = tuple(dispatcher.typeof_pyval(arg) for arg in args)
    if signature in dispatcher.overloads:
        return True
    try:
        dispatcher._cache = _Disk(kernel) if _fingerprint(kernel) else NullCache()
        with _whole(dispatcher):
            dispatcher.compile(signature)
    except Exception as error:  # Numba raises many kinds
        typ = signature[0]
        if os.environ.get("OUTPLAY_DEBUG"):
            print(error, file=sys.stderr)
        problem = _first_problem(typ)
        if problem is None:
            raise RulesError(f"{kernel.__name__} does not compile for {game!r}: {error}") from error
        _refuse(game, typ.key, *problem)
        game._native = typ.fingerprint, None
        return False
    return True


def _first_problem(typ: GameType) -> tuple[str, tuple[str, int], str] | None:
    """The first rule that does not compile by itself: its name, file and line, and why."""
    for rule in RULES:
        if not defines(typ.game, rule):
            continue
        function = member_function(inspect.getattr_static(type(typ.game), rule))
        assert function is not None
        wanted = [typ, typ.state, types.int64, types.int64][: len(inspect.signature(function).parameters)]
        try:
            _native(function, typ.natives, typ.name).compile(tuple(wanted))
            wrapped = _WRAPPERS.get(rule)
            if wrapped:
                njit(_rule(typ, rule)).compile(tuple(wanted))
        except Exception as error:
            return rule, _place(error, function.__code__), _reason(error)
    return None


def _place(error: Exception, code: python.CodeType) -> tuple[str, int]:
    """File and line of the user's code that a Numba error is about: the last that it names."""
    places = re.findall(r'File "([^"]+)", line (\d+)', str(error))
    location = getattr(error, "loc", None)
    if location is not None:
        places.insert(0, (location.filename, location.line))
    own = [(os.path.abspath(file), int(line)) for file, line in places if _is_users(file)]
    return own[-1] if own else (code.co_filename, code.co_firstlineno)


def _is_users(filename: str) -> bool:
    library = (os.path.dirname(numba.__file__), os.path.dirname(np.__file__), __file__)
    return not filename.startswith("<str") and not os.path.abspath(filename).startswith(library)


def _reason(error: Exception) -> str:
    """One line out of Numba's fifty: the one that says what is wrong."""
    lines = [line.strip(" >-\x1b[0m") for line in str(error).splitlines()]
    lines = [re.sub(r"\x1b\[\d+m", "", line) for line in lines]
    telling = re.compile(
        r"Untyped global|Unknown attribute|No implementation|Cannot unify|not supported|unsupported|"
        r"Cannot determine|Undecided type|NotNative|use of unsupported|Invalid use|cannot",
        re.I,
    )
    found = [line for line in lines if telling.search(line) and "Enable logging" not in line]
    text = found[-1] if found else next((line for line in lines[1:] if line), str(error))
    text = re.sub(r"^.*NotNative: ", "", text).rstrip(".:")
    return text if len(text) <= 160 else text[:157] + "…"


# -- rules and parameters in compiled code ----------------------------------------------------------------------------


@functools.cache
def _game_type_class(game_class: type[Game]) -> type[GameType]:
    """A class of Numba types for one class of games, which knows the names of its methods."""
    made = type(f"{game_class.__name__}Type", (GameType,), {})
    register_model(made)(models.OpaqueModel)
    for name in {name for cls in game_class.__mro__ for name in vars(cls)}:
        member = inspect.getattr_static(game_class, name)
        if name.startswith("__") or member_function(member) is None:
            continue
        choose = _chooser(name, member)
        if isinstance(member, property):
            overload_attribute(made, name, strict=False, jit_options=_INTERNAL)(choose)
        else:
            overload_method(made, name, strict=False, jit_options=_INTERNAL)(choose)
    return made


def _chooser(name: str, member: Any) -> Callable[..., Any]:
    """What Numba calls with argument types to learn what to compile for a method; its signature is the method's own."""
    function = member_function(member)
    assert function is not None
    parameters = list(inspect.signature(function).parameters)
    if isinstance(member, staticmethod):
        parameters.insert(0, "game_")
    choose = _made(f"def rule({', '.join(parameters)}): return choose({parameters[0]}, {name!r})", choose=_rule)
    choose.__defaults__ = function.__defaults__
    return choose  # type: ignore[no-any-return]


_WRAPPERS = {
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


def _rule(typ: GameType, name: str) -> Any:
    """The Python function to compile for a method of the game, once for each game."""
    key = "rule", name
    if key not in typ.natives:
        member = inspect.getattr_static(type(typ.game), name)
        function = member_function(member)
        assert function is not None
        native = _native(function, typ.natives, typ.name)
        if isinstance(member, staticmethod):
            typ.natives[key] = _made("def rule(self, *args): return native(*args)", native=native)
        elif name in _WRAPPERS:
            typ.natives[key] = _made(_WRAPPERS[name], native=native, to_state=to_state)
        else:
            typ.natives[key] = native.py_func
    return typ.natives[key]


def _made(source: str, **namespace: Any) -> Any:
    """The function that a line of source defines."""
    names = {"__name__": _SELF, **namespace}
    exec(source, names)  # noqa: S102 - the source is ours
    return names["rule"]


def _native(function: python.FunctionType, made: dict[Any, Any], owner: str) -> Any:
    """`function` for compiled code: a dispatcher of a copy in which helper functions are dispatchers too.

    The copy's name holds its owner, since machine code from disk is linked by name.
    """
    if function not in made:
        namespace: dict[str, Any] = {"__name__": _SELF, "__builtins__": __builtins__}
        closure = tuple(python.CellType() for _ in function.__code__.co_freevars)
        copy = python.FunctionType(function.__code__, namespace, function.__name__, function.__defaults__, closure)
        copy.__module__ = _SELF
        copy.__qualname__ = f"{function.__qualname__}_{owner}"
        made[function] = _general(njit(copy, **_INTERNAL))  # before its names are resolved: it may call itself
        cells = dict(zip(function.__code__.co_freevars, closure, strict=True))
        for name, value in references(function).items():
            native = _native_value(value, function, made, owner)
            if name in cells:
                cells[name].cell_contents = native
            else:
                namespace[name] = native
    return made[function]


def _general(dispatcher: Any) -> Any:
    """`dispatcher`, made to compile `f(5)` as `f(int)`: Numba would compile it anew for every literal."""
    choose = dispatcher.get_call_template

    def get_call_template(args: Any, keywords: Any) -> Any:
        return choose(
            tuple(types.unliteral(arg) for arg in args), {name: types.unliteral(arg) for name, arg in keywords.items()}
        )

    dispatcher.get_call_template = get_call_template
    return dispatcher


def _native_value(value: Any, user: python.FunctionType, made: dict[Any, Any], owner: str) -> Any:
    """What a global name of `user` stands for in compiled code."""
    if isinstance(value, outplay.kernels.kernel):
        return _part(value)
    if isinstance(value, python.FunctionType) and not is_foreign(value):
        return value if _is_known(value) else _native(value, made, owner)
    members: dict[str, Any] = {}
    if isinstance(value, python.ModuleType) and not is_foreign(value):
        members = {name: vars(value)[name] for name in names_in(user.__code__) if name in vars(value)}
    elif isinstance(value, type) and issubclass(value, Game):  # ConnectFour.result(self, state, action) in a variant
        for name in names_in(user.__code__):
            function = member_function(inspect.getattr_static(value, name, None))
            if function is not None:
                members[name] = function
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


@typeof_impl.register(Game)
def _(game: Game, context: Any) -> GameType:
    typ = native_type(game)
    if typ is None:
        raise RulesError(f"the rules of {game!r} do not compile")
    return typ


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
        except (ValueError, errors.NumbaError):
            found = None
        if found is None or isinstance(found, (types.List, types.Set)):
            raise errors.TypingError(f"NotNative: self.{name} is a {type(value).__name__}, which is not a constant")
        return found.copy(readonly=True) if isinstance(found, types.Array) else found


@lower_getattr_generic(GameType)
def _(context: Any, builder: Any, typ: GameType, value: Any, name: str) -> Any:
    constant = getattr(typ.game, name)
    found = numba.typeof(constant)
    if isinstance(found, types.Array):
        found = found.copy(readonly=True)
    return context.get_constant_generic(builder, found, constant)


# -- states -----------------------------------------------------------------------------------------------------------


def _native_state(game: Game) -> types.Type:
    """The Numba type of every state of `game`, from its initial state and the annotations of its fields."""
    try:
        state = game.initial_state()
    except Exception as error:
        raise RulesError(f"{type(game).__name__}.initial_state() failed: {type(error).__name__}: {error}") from error
    return _native_field(state, None, "the state")


def _native_field(value: Any, note: Any, where: str) -> types.Type:
    if isinstance(value, tuple):
        notes = getattr(type(value), "__annotations__", {})
        names = getattr(value, "_fields", [f"[{i}]" for i in range(len(value))])
        parts = [
            _native_field(part, notes.get(name), f"field {name} of {where}")
            for part, name in zip(value, names, strict=True)
        ]
        return types.BaseTuple.from_types(parts, type(value) if hasattr(value, "_fields") else None)
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf":
            raise NotNative(f"{where} is an array of {value.dtype}; use an array of numbers")
        return types.Array(numba.typeof(value).dtype, value.ndim, "C")
    if isinstance(value, np.uint64) or note is np.uint64:
        return types.uint64
    if isinstance(value, (float, np.floating)) or (note is float and isinstance(value, (int, np.integer))):
        return types.float64
    if (isinstance(value, (bool, np.bool_)) and note is not int) or note is bool:
        return types.boolean
    if isinstance(value, (int, np.integer)):
        if not -(2**63) <= value < 2**63:
            raise NotNative(f"{where} is {value}, more than 63 bits; use numpy.uint64 or two ints")
        return types.int64
    raise NotNative(f"{where} is a {type(value).__name__}")


def gate(game: Game, state: Any) -> Any:
    """`state` with every field of exactly the type that compiled rules expect."""
    typ = native_type(game)
    assert typ is not None
    try:
        return _gate(state, typ.state)
    except (TypeError, ValueError, OverflowError):
        raise RulesError(f"{state!r} is not a state of {game!r}: it is not like {game.initial_state()!r}") from None


def _gate(value: Any, typ: types.Type) -> Any:
    if isinstance(typ, types.BaseTuple):
        parts = [_gate(part, kind) for part, kind in zip(value, typ.types, strict=True)]
        return typ.instance_class(*parts) if hasattr(typ, "instance_class") else tuple(parts)
    if isinstance(typ, types.Array):
        array = np.ascontiguousarray(value, dtype=numba.np.numpy_support.as_dtype(typ.dtype))
        if array.ndim != typ.ndim:
            raise ValueError
        return array if array.flags.writeable else array.copy()
    if isinstance(value, (float, np.floating)) and typ is not types.float64:
        raise TypeError
    if typ is types.int64:
        value = int(value)
        if not -(2**63) <= value < 2**63:
            raise OverflowError
        return value
    return {types.uint64: np.uint64, types.float64: float, types.boolean: bool}[typ](value)


def to_state(game: Game, state: Any) -> Any:
    """In compiled code: `state` with every field of the type that the game's states have."""
    return state


@overload(to_state)
def _(game: GameType, state: types.Type) -> Any:
    names: dict[str, Any] = {"np": np, "int64": np.int64, "uint64": np.uint64}
    text = _cast("state", state, game.state, "the state", names)
    return _made(f"def rule(game, state): return {text}", **names)


def _cast(text: str, found: types.Type, wanted: types.Type, where: str, names: dict[str, Any]) -> str:
    """Source that turns the expression `text` from one type into another; an error where that could lose something."""
    if isinstance(found, types.Omitted):
        found = numba.typeof(found.value)
    if found == wanted:
        return text
    if isinstance(wanted, types.BaseTuple) and isinstance(found, types.BaseTuple) and len(found) == len(wanted):
        fields = getattr(wanted, "fields", [str(i) for i in range(len(wanted))])
        parts = [
            _cast(f"{text}[{i}]", found[i], wanted[i], f"field {fields[i]} of {where}", names)
            for i in range(len(wanted))
        ]
        if not hasattr(wanted, "instance_class"):
            return f"({', '.join(parts)},)"
        maker = f"make{len(names)}"
        names[maker] = wanted.instance_class
        return f"{maker}({', '.join(parts)})"
    if isinstance(wanted, types.Array) and isinstance(found, types.Array) and found.ndim == wanted.ndim:
        if found.dtype != wanted.dtype:
            source, target = (numba.np.numpy_support.as_dtype(array.dtype) for array in (found, wanted))
            if not np.can_cast(source, target, "same_kind"):
                raise errors.TypingError(
                    f"NotNative: {where} is an array of {source} here, of {target} in the initial state"
                )
            names[f"d{target.name}"] = target.type
            return f"{text}.astype(d{target.name})"
        return f"np.ascontiguousarray({text})" if found.layout != "C" and found.mutable else f"{text}.copy()"
    whole = isinstance(found, (types.Integer, types.Boolean))
    if whole and wanted in (types.int64, types.uint64):
        return f"{wanted.name}({text})"
    if wanted == types.float64 and (whole or isinstance(found, types.Float)):
        return f"float({text})"
    if wanted == types.boolean and whole:
        return f"bool({text})"
    raise errors.TypingError(f"NotNative: {where} is {_plain(found)} here, but {_plain(wanted)} in the initial state")


def _plain(typ: types.Type) -> str:
    """A Numba type in the words of Python."""
    if isinstance(typ, types.Integer):
        return "an int"
    if isinstance(typ, types.Float):
        return "a float"
    return str(typ)


def pack(game: Game, states: Sequence[Any]) -> Any:
    """`states` as a tuple of arrays, one for each number or array in a state; `RulesError` if shapes differ."""
    typ = native_type(game)
    assert typ is not None
    rows = [list(_leaves(gate(game, state))) for state in states]
    kinds = list(_leaf_types(typ.state))
    try:
        return tuple(
            np.ascontiguousarray(
                [row[i] for row in rows], dtype=numba.np.numpy_support.as_dtype(getattr(kind, "dtype", kind))
            )
            for i, kind in enumerate(kinds)
        )
    except ValueError:
        raise RulesError(f"states of {game!r} have arrays of different shapes: search them one by one") from None


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from _leaves(part)
    else:
        yield value


def _leaf_types(typ: types.Type) -> Iterator[types.Type]:
    if isinstance(typ, types.BaseTuple):
        for part in typ.types:
            yield from _leaf_types(part)
    else:
        yield typ


@intrinsic
def _pointer(typing: Any, array: types.Array) -> Any:
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), lower


@overload(outplay.kernels.raw)
def _(array: types.Type) -> Any:
    checked = numba.config.BOUNDSCHECK  # which only arrays can be
    return (lambda array: array) if checked else (lambda array: _pointer(array))


@overload(outplay.kernels.unpack)
def _(game: GameType, packed: types.Type, index: types.Type) -> Any:
    names: dict[str, Any] = {}
    columns = iter(range(len(packed)))

    def build(typ: types.Type) -> str:
        if not isinstance(typ, types.BaseTuple):
            column = f"packed[{next(columns)}][index]"
            return f"bool({column})" if typ == types.boolean else column
        maker = f"make{len(names)}"
        names[maker] = getattr(typ, "instance_class", None)
        parts = ", ".join(build(part) for part in typ.types)
        return f"{maker}({parts})" if names[maker] else f"({parts},)"

    return _made(f"def rule(game, packed, index): return {build(game.state)}", **names)


# -- functions that compiled code knows -------------------------------------------------------------------------------


@overload(legal_actions)
def _(game: GameType, state: types.Type) -> Any:
    actions = game.game.actions(game.game.initial_state())
    if hasattr(actions, "__index__") and not hasattr(actions, "__len__"):
        return lambda game, state: bits.squares(game.actions(state))
    return _rule(game, "actions")


@overload(defines, prefer_literal=True)
def _(game: GameType, rule: types.Type) -> Any:
    answer = defines(game.game, rule.literal_value)
    return lambda game, rule: answer


@overload(keys.state_key)
def _(game: GameType, state: types.Type) -> Any:
    if defines(game.game, "key"):
        return lambda game, state: keys.mix(keys.mix(keys.SEED, game.key(state)), 0)
    return lambda game, state: keys.mix(keys.mix(keys.SEED, state), 0)


@overload(keys.mix)
def _(h: types.Type, field: types.Type) -> Any:
    if isinstance(field, types.Array):

        def over_array(h: int, field: Any) -> int:
            for x in field.flat:
                h = keys.mix(h, x)
            return h

        return over_array
    if isinstance(field, types.BaseTuple):
        steps = "".join(f"    h = mix(h, field[{i}])\n" for i in range(len(field)))
        return _made(f"def rule(h, field):\n{steps}    return h\n", mix=keys.mix)
    if isinstance(field, types.Float):
        return lambda h, field: keys.mix(h, (np.float64(field) + 0.0).view(np.int64))
    if isinstance(field, (types.Integer, types.Boolean)):
        # Unsigned, since LLVM takes it that an int64 product never overflows.
        multiplier, half = np.uint64(keys.MULTIPLIER), np.uint64(32)

        def over_int(h: Any, field: Any) -> Any:
            mixed = (np.uint64(h) ^ np.uint64(field)) * multiplier
            return np.int64(mixed ^ (mixed >> half))

        return over_int
    raise errors.TypingError(f"NotNative: a {field} cannot be hashed to a key")


@intrinsic
def _trailing_zeros(typing: Any, x: types.Type) -> Any:
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], cgutils.false_bit)

    return types.int64(types.int64), lower


@intrinsic
def _population_count(typing: Any, x: types.Type) -> Any:
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), lower


@overload(bits.count)
def _(board: types.Type) -> Any:
    return lambda board: _population_count(np.int64(board))


@overload(bits.lowest)
def _(board: types.Type) -> Any:
    return lambda board: _trailing_zeros(np.int64(board))


@overload(bits.squares)
def _(board: types.Type) -> Any:
    one, none = np.uint64(1), np.uint64(0)

    def squares(board: Any) -> Any:
        rest = np.uint64(board)
        while rest != none:
            yield _trailing_zeros(np.int64(rest))
            rest &= rest - one

    return squares


# -- kernels, and what is kept of them on disk ------------------------------------------------------------------------


_parts: dict[Any, Any] = {}
_entries: dict[Any, Any] = {}


def dispatcher_of(kernel: Any) -> Any:
    """The Numba dispatcher through which Python calls a kernel."""
    if kernel not in _entries:
        mark = f"kernel[{_fingerprint(kernel)}]"
        parameters = ", ".join(inspect.signature(kernel.function).parameters)
        entry = _made(f"def rule({parameters}): return part({parameters})", part=_part(kernel))
        entry.__defaults__ = kernel.function.__defaults__
        entry.__qualname__ = f"{kernel.function.__qualname__}_entry_{mark}"
        _entries[kernel] = _general(njit(entry, nogil=True))
    return _entries[kernel]


def _part(kernel: Any) -> Any:
    """The dispatcher through which compiled code calls a kernel."""
    return _native(kernel.function, _parts, f"kernel[{_fingerprint(kernel)}]")


@contextlib.contextmanager
def _whole(entry: Any) -> Iterator[None]:
    """While this lasts, only `entry` becomes machine code; what it calls stays in LLVM's language and is linked in.

    Numba optimizes every function to the end and makes it callable from Python, those that it calls included, again
    and again on the way up. Doing that once, and without pauses for garbage, halves the time to compile a search.
    """
    context, library = type(cpu_target.target_context), codegen.CPUCodeLibrary
    finalize, optimize_functions, get_executable = library.finalize, library._optimize_functions, context.get_executable
    whole = entry.py_func.__qualname__

    def no_optimization(self: Any, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def finalize_part(self: Any) -> None:
        if whole in self.name:
            finalize(self)
            return
        self._raise_if_finalized()
        for part in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(part._reload_init)
            self._final_module.link_in(part._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_executable_of_whole(self: Any, library: Any, fndesc: Any, env: Any) -> Any:
        return get_executable(self, library, fndesc, env) if whole in library.name else [].append

    with global_compiler_lock:
        library.finalize, library._optimize_functions = finalize_part, no_optimization
        context.get_executable = get_executable_of_whole
        collecting = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            library.finalize, library._optimize_functions = finalize, optimize_functions
            context.get_executable = get_executable
            if collecting:
                gc.enable()


@functools.cache
def _fingerprint(kernel: Any) -> str:
    """The fingerprint of a kernel and of all that it calls; "" if there is none."""
    fingerprint = Fingerprint()
    try:
        fingerprint.add(kernel.function)
    except Unknown:
        return ""
    return str(fingerprint)


class _Disk:
    """What Numba's dispatcher asks for compiled code, and hands it to."""

    cache_path = property(lambda self: str(cache.folder()))

    def __init__(self, kernel: Any) -> None:
        self.name = f"{kernel.__module__}.{kernel.__qualname__}"
        self.fingerprint = _fingerprint(kernel)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled code for these argument types, or None."""
        context.refresh()
        data = cache.load(self._key(signature, context)) if self._keepable(signature) else None
        if data is None:
            return None
        try:
            parts = _Unpickler(io.BytesIO(data), _names(signature)).load()
            return compiler.CompileResult._rebuild(context, *parts)
        except Exception:  # whatever is wrong with the file, compiling anew is right
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep the compiled code, if it can be kept."""
        if not self._keepable(signature) or compiled.library.has_dynamic_globals or compiled.lifted:
            return
        # Functions that call each other in a circle do it through pointers that are not there when loaded again.
        if any(".numba.unresolved$" in name.name for name in compiled.library._final_module.global_variables):
            return
        file = io.BytesIO()
        _Pickler(file, _names(signature)).dump(compiled._reduce())
        games = [repr(typ.game) for typ in signature if isinstance(typ, GameType)]
        cache.save(self._key(signature, compiled.target_context), self.name, ", ".join(games), file.getvalue())

    def _keepable(self, signature: Any) -> bool:
        return all(typ.keepable for typ in signature if isinstance(typ, GameType))

    def _key(self, signature: Any, context: Any) -> str:
        settings = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
        machine = context.codegen().magic_tuple()
        return f"{self.name} {self.fingerprint} {signature} {_versions()} {machine} {settings}"


@functools.lru_cache(maxsize=1)
def _versions() -> str:
    own = Fingerprint()
    own.add(Path(__file__).read_bytes())
    return f"{outplay.__version__} {own} {numba.__version__} {np.__version__} {python.__name__} {sys.version}"


def _names(signature: Any) -> dict[Any, Any]:
    """The games and state classes in a signature, by name.

    Files hold the names, since a class of a notebook or of `__main__` is another object in each process.
    """
    found: dict[Any, Any] = {}

    def visit(typ: types.Type) -> None:
        if isinstance(typ, GameType):
            found["game", typ.name] = typ
            visit(typ.state)
        elif isinstance(typ, types.BaseTuple):
            if hasattr(typ, "instance_class"):
                found["class", typ.instance_class.__qualname__] = typ.instance_class
            for part in typ.types:
                visit(part)

    for typ in signature:
        visit(typ)
    return found


class _Pickler(serialize.NumbaPickler):
    def __init__(self, file: Any, names: dict[Any, Any]) -> None:
        super().__init__(file)
        self.names = {id(thing): name for name, thing in names.items()}

    def persistent_id(self, thing: Any) -> Any:
        return self.names.get(id(thing))


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: Any, names: dict[Any, Any]) -> None:
        super().__init__(file)
        self.names = names

    def persistent_load(self, name: Any) -> Any:
        return self.names[name]
