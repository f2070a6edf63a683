"""Rules and parameters in compiled code: the meaning of `game.result(…)` and `game.width` for Numba.

Every rule, and every helper function that it calls, is compiled from a copy in which the names of other helpers refer
to compiled copies too. So users' ordinary functions work in compiled code unchanged.
"""

import importlib
import inspect
import types as python
from typing import Any

import numba
from numba import njit, types
from numba.extending import NativeValue, lower_getattr_generic, unbox

from outplay.compile.fingerprint import hash_of_value
from outplay.compile.kernels import kernel
from outplay.compile.native.class_type import Called, Class, constant_attributes, constant_object
from outplay.compile.native.frozen import lookup, sequences  # noqa: F401 - importing registers them
from outplay.compile.native.frozen.kinds import frozen
from outplay.compile.native.game_type import (
    INTERNAL,
    SELF,
    GameType,
    compiled_only,
    function_from_source,
    general,
    load_extensions,
    pipeline_of_rules,
)
from outplay.compile.native.internals.code_on_disk import written_by
from outplay.compile.native.internals.numba_names import errors, refused
from outplay.compile.native.internals.registration import attributes_of, has_overload, opaque, value_or_error
from outplay.compile.native.semantics.attribute_lookups import NATIVE
from outplay.compile.native.semantics.lost_cells import is_small, returned
from outplay.compile.native.states import to_state
from outplay.compile.references import (
    MISSING,
    defined_in,
    is_class_of_users,
    is_foreign,
    is_object_of_users,
    member_function,
    member_of,
    names_in,
    plain_function,
    reached,
    references,
)
from outplay.rules.base import Rules
from outplay.rules.game import legal_actions
from outplay.rules.keys import canonical, information_key, state_key


class ClassOfGame(types.Opaque):
    """The Numba type of the class of a game: `type(self)`."""

    def __init__(self, game: GameType) -> None:
        self.game = game
        super().__init__(f"class of {game.name}")

    def part(self, name: str) -> Any:
        """An attribute: its type, if it is a function, or its value."""
        member = self.game.ask("class", name)
        function = member_function(member)
        if function is None or isinstance(member, property):
            return MISSING if hasattr(type(member), "__get__") else native_constant(member)
        if isinstance(member, (staticmethod, classmethod)):
            return Method(self.game, name)
        return types.Dispatcher(
            native_function(function, self.game.natives, self.game.name, pipeline_of_rules(self.game.checked))
        )


class Method(Called, types.Opaque):
    """The Numba type of a method of a game, such as `game.result`; a call compiles the rule."""

    def __init__(self, game: GameType, name: str) -> None:
        self.game = game
        self.name_in_class = name
        self.static = isinstance(game.ask("member", name), staticmethod)
        super().__init__(f"{game.name}.{name}")

    key = property(lambda self: (self.game.key, self.name_in_class))  # two of these types are equal if their keys are

    def get_call_type(self, context: Any, args: Any, keywords: Any) -> Any:
        """The signature of a call with arguments of these types; array cells keep their NumPy types."""
        whole = (types.IntegerLiteral, types.Boolean)
        args = tuple(types.int64 if isinstance(arg, whole) else arg for arg in args)
        args = args if self.static else (self.game, *args)
        signature = types.Dispatcher(native_rule(self.game, self.name_in_class)).get_call_type(context, args, keywords)
        return_type = returned_by(self.game, self.name_in_class)
        if return_type is not None and signature.return_type != return_type:
            wrapped = types.Dispatcher(wrapped_rule(self.game, self.name_in_class))
            signature = wrapped.get_call_type(context, args, keywords)
        test_cells(self.game, self.name_in_class, args)
        return signature if self.static else signature.as_method()

    def get_impl_key(self, signature: Any) -> Any:
        """The key by which Numba's lowering finds the machine code."""
        signature = signature.as_function()
        compiled = native_rule(self.game, self.name_in_class).overloads.get(signature.args)
        if compiled is None or compiled.signature.return_type != signature.return_type:
            compiled = wrapped_rule(self.game, self.name_in_class).overloads[signature.args]
        return compiled.entry_point


opaque(GameType, ClassOfGame, Method)


STATE, INT, FLOAT, BOOL = "to_state(self, {})", "int(some({}))", "float(some({}))", "bool({})"
KNOWN, BOTH = "known({})", "both({})"
RESULTS = {
    name: result
    for result, names in (
        (STATE, "initial_state result determinize null_move_state passed_state indexed_state assign"),
        (INT, "to_move playout_action state_class state_index index_player index_plies index_stage weight"),
        (FLOAT, "utility probability evaluate order index_points"),
        (BOOL, "is_terminal is_quiet needs_extension"),
        (KNOWN, "forced_result"),
        (BOTH, "utility_bounds"),
    )
    for name in names.split()
}
"""How the results of the rules that searches use are converted to fixed types, so that no kernel mixes types."""
USES = {
    "key": "def rule(self, state): state_key(self, state)",
    "information": "def rule(self, state, player): information_key(self, state, player)",
    "symmetries": "def rule(self, state): canonical(self, state)",
    "actions": "def rule(self, state):\n    for action in legal_actions(self, state): pass",
}
"""What kernels do with the results of rules that may return values of several types."""
INLINED = frozenset({"result", "state_class", "state_index", "index_player"})
"""Rules that a table by class asks one after the other, of each successor. As one piece of code, they compute what they
have in common only once: checking chess endings takes half of the time. To searches it makes no difference.
"""


@compiled_only
def some(value: types.Type) -> Any:
    """In compiled code: `value`, which may not be None."""
    return value_or_error(value, "a rule returns None, not a number")


@njit
def _value_plies(pair: Any) -> Any:
    return float(pair[0]), int(pair[1])


@njit
def _both(pair: Any) -> Any:
    return float(pair[0]), float(pair[1])


def returned_by(typ: GameType, name: str) -> types.Type | None:
    """The type that a rule must return; None if any type is allowed."""
    result = RESULTS.get(name, "")
    return typ.state if result == STATE else NUMBERS.get(result)


NUMBERS = {
    INT: types.int64, FLOAT: types.float64, BOOL: types.boolean,
    KNOWN: types.Tuple((types.float64, types.int64)), BOTH: types.UniTuple(types.float64, 2),
}  # fmt: skip


def test_cells(typ: GameType, name: str, args: tuple[types.Type, ...]) -> None:
    """In checked mode, refuse a rule that may put a narrow cell into a field of the state where states have an int.

    Interpreted rules would keep the cell, and NumPy would compute in its bits.
    """
    if typ.checked and RESULTS.get(name) == STATE:
        for cell in filter(is_small, returned(native_rule(typ, name), args, typ.state)):
            reason = f"a field of the state that {name} returns is or may be an {cell} cell: write int(cell)"
            raise refused(reason)


def native_rule(typ: GameType, name: str) -> Any:
    """The dispatcher of a method of the game."""
    member = typ.ask("member", name)
    function = member_function(member)
    if function is None:
        raise refused(f"self.{name} is not a method defined in the class")
    names = sorted(names_in(function.__code__)) if isinstance(member, classmethod) else ()
    if any(typ.ask("stored", attribute) for attribute in names):
        raise refused(f"{name}() is a class method, but reads a name that is also an attribute of the game")
    is_inlined = name in INLINED and typ.ask("defines", "state_index")
    dispatcher = native_function(function, typ.natives, typ.name, pipeline_of_rules(typ.checked), is_inlined=is_inlined)
    if RESULTS.get(name) == STATE:
        dispatcher.py_func.returned_state = typ.state
    return dispatcher


def wrapped_rule(typ: GameType, name: str) -> Any:
    """The dispatcher of a rule with its result converted to the type that it must return."""
    key = "wrapped", name
    if key not in typ.natives:
        native = native_rule(typ, name)
        parameters = ", ".join(inspect.signature(getattr(typ.cls._contract, name)).parameters)
        source = f"def rule({parameters}): return {RESULTS[name].format(f'native({parameters})')}"
        rule = function_from_source(source, native=native, to_state=to_state, known=_value_plies, both=_both, some=some)
        rule.__qualname__ = f"{name}_{typ.name}"
        typ.natives[key] = general(njit(rule, **INTERNAL))
    return typ.natives[key]


def use_of(rule: str) -> Any:
    """The dispatcher of a kernel that does with the result of a rule what kernels do with it."""
    names = {function.__name__: function for function in (canonical, information_key, legal_actions, state_key)}
    return njit(function_from_source(USES[rule], **names), **INTERNAL)


def native_member(typ: Any, function: Any) -> Any:
    """The dispatcher of a function of the class of objects of this type; None if there is none."""
    natives = typ.natives
    return function and native_function(function, natives, natives.name, pipeline_of_rules(natives.checked))


def native_function(
    function: python.FunctionType, forms: dict[Any, Any], owner: str, pipeline: Any = None, *, is_inlined: bool = False
) -> Any:
    """`function` for compiled code: a dispatcher of a copy in which helper functions are dispatchers too.

    The copy's name contains `owner`, since machine code from disk is linked by name. `pipeline` is the compiler for
    users' rules; None for kernels.
    """
    if function in forms:
        return forms[function]
    before = set(forms)
    try:
        _make(function, forms, owner, pipeline, is_inlined=is_inlined)
    except BaseException:  # the next search must not find half-made functions
        for new in set(forms) - before:
            del forms[new]
        raise
    return forms[function]


NATIVE.append(native_function)


def _make(function: python.FunctionType, forms: dict[Any, Any], owner: str, pipeline: Any, *, is_inlined: bool) -> None:
    load_extensions()
    source: python.FunctionType = function
    if pipeline is not None:  # a function of the rules; code loaded from disk does not need the folder `rewriting`
        source = importlib.import_module("outplay.compile.rewriting.function").rewritten(function)
    namespace: dict[str, Any] = {"__name__": SELF, "__builtins__": __builtins__}
    closure = tuple(python.CellType() for _ in source.__code__.co_freevars)
    code = source.__code__  # Numba needs keyword-only parameters to be positional
    code = code.replace(co_argcount=code.co_argcount + code.co_kwonlyargcount, co_kwonlyargcount=0)
    calls_itself = any(plain_function(value) is function for value in references(function).values())
    # Numba crashes if a function that calls itself is called without all of its arguments.
    defaults = () if calls_itself else tuple(map(native_constant, _defaults(function)))
    copy = python.FunctionType(code, namespace, function.__name__, defaults, closure)
    copy.__annotations__ = function.__annotations__ if owner.startswith("kernel") else {}
    copy.__module__ = SELF
    copy.__qualname__ = f"{function.__qualname__}_{owner}"
    options = {**INTERNAL, "forceinline": is_inlined or getattr(function, "inlined", False)}
    copy.original = function  # type: ignore[attr-defined]
    if pipeline is not None:
        options["pipeline_class"] = pipeline
        copy.defined_in = defined_in(function)  # type: ignore[attr-defined]
        copy.home = forms, owner, pipeline  # type: ignore[attr-defined]
        copy.annotated = getattr(source, "annotated", {})  # type: ignore[attr-defined]
        copy.is_lazy = getattr(function, "is_lazy", False)  # type: ignore[attr-defined]
        copy.calls_itself = function in reached(filter(None, map(plain_function, references(function).values())))  # type: ignore[attr-defined]
        copy.rule = function.__qualname__.rpartition("<locals>.")[2]  # type: ignore[attr-defined]
    forms[function] = general(njit(copy, **options))  # before its names are resolved: it may call itself
    cells = dict(zip(source.__code__.co_freevars, closure, strict=True))
    shadows: dict[int, Any] = {}
    for name, value in references(source).items():
        native = _native_value(value, source, forms, owner, pipeline, shadows)
        if name in cells:
            cells[name].cell_contents = native
        else:
            namespace[name] = native


extensions_used: list[str] = []
"""Other packages' extensions of Numba that compiled code of this process uses; such code is not kept on disk."""
_looked_at: dict[int, Any] = {}


def note_extensions(function: types.Function) -> None:
    """Note calls that an extension compiles, since the dependencies of an extension are unknown."""
    if _looked_at.get(id(function)) is function:
        return
    _looked_at[id(function)] = function
    for template in function.templates:
        for own in (function for function in written_by(template) if isinstance(function, python.FunctionType)):
            module = getattr(own, "__module__", None) or "numba"
            if module.partition(".")[0] not in ("numba", "outplay", "numpy", "scipy"):
                extensions_used.append(f"{module}.{own.__qualname__}, an extension of Numba")


_parts: dict[str, dict[Any, Any]] = {}


def forget_parts() -> None:
    """Compile kernels again, since what has failed would fail again."""
    _parts.clear()


def part(kernel: Any) -> Any:
    """The dispatcher through which compiled code calls a kernel."""
    mark = f"kernel[{kernel.fingerprint()}]"
    return native_function(kernel.function, _parts.setdefault(mark, {}), mark)


def helper(function: python.FunctionType) -> Any:
    """The dispatcher of a function that kernels call, shared by all kernels."""
    mark = f"kernel[{hash_of_value(function)}]"
    return native_function(function, _parts.setdefault(mark, {}), mark)


def _defaults(function: python.FunctionType) -> tuple[Any, ...]:
    """All defaults of a function, in the order of the parameters: those by name alone come last."""
    by_name = function.__kwdefaults__ or {}
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return (function.__defaults__ or ()) + tuple(by_name[name] for name in names if name in by_name)


def _native_value(
    value: Any, user: python.FunctionType, forms: dict[Any, Any], owner: str, pipeline: Any, shadows: dict[int, Any]
) -> Any:
    """The value, in compiled code, of a global name that `user` reads; `shadows` holds the copies of modules."""
    if isinstance(value, kernel):
        return part(value)
    function = plain_function(value)  # also behind a user's dispatcher, so that it stays unchanged
    if function is not None and not is_foreign(function):
        if value is function and has_overload(function):
            return value
        return helper(function) if owner.startswith("kernel") else native_function(function, forms, owner, pipeline)
    members: dict[str, Any] = {}
    if isinstance(value, python.ModuleType) and not is_foreign(value):
        members = {name: vars(value)[name] for name in names_in(user.__code__) if name in vars(value)}
    elif isinstance(value, type) and issubclass(value, Rules):  # ConnectFour.result(self, state, action) in a variant
        for name in names_in(user.__code__):
            member = member_of(value, name)
            if member is not MISSING and not name.startswith("__"):
                members[name] = member_function(member) or member
    else:
        return frozen(value) if owner.startswith("kernel") else native_constant(value)
    if id(value) not in shadows:
        shadow = shadows[id(value)] = python.ModuleType(value.__name__)
        for name, member in members.items():
            setattr(shadow, name, _native_value(member, user, forms, owner, pipeline, shadows))
    return shadows[id(value)]


def native_constant(value: Any) -> Any:
    """A constant, a class or an object that rules refer to, for Numba."""
    if is_object_of_users(value) and plain_function(value) is None:
        return constant_object(value)
    return Class(value) if is_class_of_users(value) else frozen(value)


@unbox(GameType)
def _unbox_game_type(typ: GameType, game: Any, c: Any) -> NativeValue:
    return NativeValue(c.context.get_dummy_value())


def _member(context: Any, typ: GameType, name: str) -> types.Type | None:
    """`game.width` in compiled code is a constant, so that LLVM folds it; `game.result` is a `Method`."""
    if name == "__class__":
        return ClassOfGame(typ)
    member = typ.ask("member", name)
    if member_function(member) is not None:
        if not isinstance(member, property):
            return Method(typ, name)
        return types.Dispatcher(native_rule(typ, name)).get_call_type(context, (typ,), {}).return_type
    value = typ.ask("value", name)
    if value is MISSING:
        return None
    try:
        typ_of_value = numba.typeof(native_constant(value))
    except errors.TypingError as error:
        raise refused(f"self.{name}: {str(error).partition('NotNative: ')[2]}") from None
    except Exception:  # Numba raises many kinds of errors
        typ_of_value = None
    objects = isinstance(typ_of_value, types.Array) and typ_of_value.dtype == types.pyobject
    if typ_of_value is None or objects or isinstance(typ_of_value, (types.List, types.Set)):
        kind = "n array of objects" if objects else f" {type(value).__name__}"
        raise refused(f"self.{name} is a{kind}, which is not a constant")
    return typ_of_value


attributes_of(GameType, _member)
constant_attributes(ClassOfGame, ClassOfGame.part)


@lower_getattr_generic(GameType)
def _read_attribute_of_game_type(context: Any, builder: Any, typ: GameType, value: Any, name: str) -> Any:
    if name == "__class__":
        return value
    member = typ.ask("member", name)
    if isinstance(member, property) and member_function(member) is not None:
        dispatcher = types.Dispatcher(native_rule(typ, name))
        signature = dispatcher.get_call_type(context.typing_context, (typ,), {})
        return context.get_function(dispatcher, signature)(builder, (value,))
    if member_function(member) is not None:
        return context.get_dummy_value()
    constant = native_constant(typ.ask("value", name))
    return context.get_constant_generic(builder, numba.typeof(constant), constant)
