"""`@kernel`: one source, two speeds.

A kernel is a function of a game that searches, counts or plays. If the rules of the game compile, it runs as native
code made for that game; otherwise the same source runs interpreted. Kernels may call each other and themselves.

Numba is imported when the first compiled kernel runs, not before; the code that uses it is in the folder `native`.
"""

import ctypes
import functools
import importlib
import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

from outplay.compile.fingerprint import Fingerprint, fingerprint_of_game
from outplay.compile.records import view
from outplay.compile.references import references
from outplay.rules.arguments import check_type
from outplay.rules.base import Rules
from outplay.rules.game import Game
from outplay.rules.problem import Problem
from outplay.system.uninterrupted import uninterrupted

P = ParamSpec("P")
R = TypeVar("R")


class kernel(Generic[P, R]):  # noqa: N801 - a decorator
    """Decorate a function `(game, …)` so that it runs at native speed if the game's rules compile.

    All arguments after the game must be numbers, states or NumPy arrays. A compiled kernel releases Python's global
    lock.

    >>> from outplay.games import ConnectFour
    >>> @kernel
    ... def count_leaves(game, state, depth):
    ...     if depth == 0 or game.is_terminal(state):
    ...         return 1
    ...     leaves = 0
    ...     for action in legal_actions(game, state):
    ...         leaves += count_leaves(game, game.result(state, action), depth - 1)
    ...     return leaves
    >>> from outplay import legal_actions
    >>> game = ConnectFour()
    >>> count_leaves(game, game.initial_state(), 6)
    117649
    """

    def __init__(self, function: Callable[P, R]) -> None:
        functools.update_wrapper(self, function)
        self.function: Any = function
        self._content: Fingerprint | None = None
        self._mark = ""

    def __call__(self, *args: P.args, **keywords: P.kwargs) -> R:
        """Run the kernel on a game or, if it takes no game, on numbers and arrays."""
        values: tuple[Any, ...] = args
        if keywords or len(args) < len(self._signature.parameters):
            bound = self._signature.bind(*args, **keywords)
            bound.apply_defaults()
            values = bound.args
        return self.prepare(*values)(*values)

    def __reduce__(self) -> str:
        return str(self.function.__qualname__)  # a kernel pickles by name, as a function does

    def prepare_calls(self, *args: Any) -> Callable[..., R]:
        """As `prepare`, for many short calls with arguments of exactly the same types, which are not looked at again.

        A call takes about 1 µs instead of 10 to 50.
        """
        prepared = self.prepare(*args)
        return prepared if prepared is self.interpreted else compiler().direct(prepared, args)

    def prepare(self, *args: Any) -> Callable[..., R]:
        """Compile the kernel for arguments like these, or load it from disk; return the function that will run.

        Raises `RulesError` if the rules do not compile and the class sets `compiled = True`.
        """
        if args and isinstance(args[0], Rules):
            compiled = None
            if args[0].compiled is not False:
                compiled = compiler().compile_kernel(self, args)
            if compiled is None:
                self.fingerprint()  # interpreted functions may have been redefined
                return self.interpreted
            return compiled  # type: ignore[no-any-return]
        first = next(iter(self._signature.parameters), "")
        if args and first == "game" and not isinstance(args[0], Rules):
            check_type(args[0], (Game, Problem), f"{self.function.__name__}({{}}, …)", "TicTacToe()")
        return compiler().compile_without_game(self, args) or self.interpreted

    @functools.cached_property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self.function)

    def fingerprint(self) -> str:
        """The fingerprint of the kernel and everything it calls, as they are now: a notebook may redefine them."""
        if self._content is None or not self._content.is_current():
            self.__dict__.pop("interpreted", None)
            content = Fingerprint(_mark_of_game)
            content.add(self.function)
            self._mark = str(content)
            self._content = content
        return self._mark

    @property
    def content(self) -> Fingerprint:
        """What the kernel and everything it calls consist of now. If it has gaps, compiled code is not kept on disk."""
        self.fingerprint()
        assert self._content is not None
        return self._content

    @property
    def dispatcher(self) -> Any:
        """The compiled form, a Numba dispatcher."""
        return compiler().dispatcher_of(self)

    @functools.cached_property
    def interpreted(self) -> Callable[..., R]:
        """The interpreted form: the function itself, with the kernels that it calls interpreted too."""
        function: Callable[..., R] = _interpreted(self.function, {})
        return function


def _mark_of_game(game: Rules, fingerprint: Fingerprint) -> str:
    """The text that is hashed for a game that a kernel refers to."""
    typ = native_type(game)
    fingerprint.watch_that(lambda: native_type(game) is typ)
    fingerprint.add_gap(game)
    return typ.name if typ else "interpreted"


@functools.cache
def compiler() -> Any:
    """The folder `native`, which imports Numba; Ctrl-C must not leave it half imported."""
    importlib.import_module("logging")  # it says what forks do, which must not be news to one that waits
    return uninterrupted(lambda: importlib.import_module("outplay.compile.native"))


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Inline the compiled form of a kernel's function into its callers, although it is long.

    Meant for functions that are called often and nearly always return after a short part.
    """
    function.inlined = True  # type: ignore[attr-defined]
    return function


def _interpreted(function: Any, copies: dict[Any, Any]) -> Any:
    """A copy of `function` that calls interpreted forms directly, without dispatch or extra C stack at each ply."""
    if function not in copies:
        namespace = dict(function.__globals__)
        copies[function] = types.FunctionType(
            function.__code__, namespace, function.__name__, function.__defaults__, function.__closure__
        )
        for name, value in references(function).items():
            if isinstance(value, kernel):
                namespace[name] = _interpreted(value.function, copies)
    return copies[function]


def runs_compiled(game: Rules) -> bool:
    """Whether searches of `game` run as native code; if not, a warning says why, once."""
    return native_type(game) is not None


def native_type(game: Rules) -> Any:
    """The type of the game in compiled code, the same while the rules are; None if searches run interpreted."""
    if game.compiled is False:
        return None
    return compiler().native_type(game)


def rules_key(game: Rules) -> Any:
    """A key that is equal for equal rules, for data that is kept between searches.

    If the rules run interpreted and read something whose content cannot be read, the key is equal only to itself.
    """
    typ = native_type(game)
    if typ is not None:
        return typ
    fingerprint = fingerprint_of_game(game)
    return str(fingerprint) if fingerprint.complete else object()


def cast_state(game: Rules, state: Any) -> Any:
    """`state` with every field of exactly the type that compiled rules expect. Interpreted: unchanged.

    Raises `RulesError` for a state that is not like `game.initial_state()`.
    """
    return cast_states(game, [state])[0]


def cast_states(game: Rules, states: Sequence[Any]) -> list[Any]:
    """`cast_state` for several states."""
    typ = native_type(game)
    return list(states) if typ is None else [compiler().cast_state(typ, state) for state in states]


def pack(game: Rules, states: Sequence[Any]) -> Any:
    """Several states as one kernel argument, read with `unpack`; compiled: a tuple of arrays, one per field."""
    return _packed(native_type(game), states)


def _packed(typ: Any, states: Sequence[Any]) -> Any:
    return list(states) if typ is None else compiler().pack(typ, states)


def prepare_packed(game: Rules, states: Sequence[Any], prepare: Callable[[Any], R]) -> R:
    """`prepare(pack(game, states))`, repeated if this call shows that the rules do not compile."""
    typ = native_type(game)
    prepared = prepare(_packed(typ, states))
    if typ is not None and not compiler().still_compiles(typ):
        prepared = prepare(pack(game, states))
    return prepared


def replaced(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a function that compiled code replaces, in `native/functions.py`; its body is not hashed."""
    function.replaced = True  # type: ignore[attr-defined]
    return function


@replaced
def pointer(array: Any) -> Any:
    """In compiled code, a bare pointer to the numbers of `array`, which must outlive it.

    A pointer can be read and written like a one-dimensional array, but has no reference count: passing an array down a
    recursion costs four atomic operations per call. Interpreted, it is a view whose numbers are Python's own. The
    pointer to a record (see `records`), or to an array of one record, has the fields of the record.
    """
    return view(array) if array.dtype.names else memoryview(array).cast("B").cast(array.dtype.char)


@replaced
def pointers(bundle: Any) -> Any:
    """`bundle`, a named tuple, with a `pointer` in place of each array and record, for hot loops."""
    return type(bundle)(*(pointer(field) if isinstance(field, (np.ndarray, np.record)) else field for field in bundle))


@replaced
def has_field(record: Any, name: str) -> bool:
    """Whether a `pointer` to a record has a field. In compiled code it is a constant, of an argument of the function.

    So `if has_field(memory, "records"):` is decided before its branch is compiled, as with `CompileTimeOptions`, and
    takes no argument.
    """
    return hasattr(record, name)


def _replaced_as(name: str, function: Callable[[int], Any]) -> Callable[[int], Any]:
    function.__name__ = function.__qualname__ = name
    return replaced(function)


def _pointer_of(name: str, kind: Any) -> Callable[[int], Any]:
    return _replaced_as(name, lambda address: ctypes.cast(address, ctypes.POINTER(kind)))


int64_at, uint16_at = _pointer_of("int64_at", ctypes.c_int64), _pointer_of("uint16_at", ctypes.c_uint16)
uint8_at, float64_at = _pointer_of("uint8_at", ctypes.c_uint8), _pointer_of("float64_at", ctypes.c_double)
int16_at = _pointer_of("int16_at", ctypes.c_int16)
"""A `pointer` to the numbers of this type at an address in memory, which must stay there."""


def _space_for(name: str, kind: Any) -> Callable[[int], Any]:
    return _replaced_as(name, lambda number: (kind * number)())


local_int64, local_int16 = _space_for("local_int64", ctypes.c_int64), _space_for("local_int16", ctypes.c_int16)
local_float32 = _space_for("local_float32", ctypes.c_float)
"""A `pointer` to space for so many numbers of this type, a constant, until the function returns."""

CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
"""The type of a Python function, from int64 to int64, that kernels can call by its address (`call_at`).

It must not raise. It takes Python's lock while it runs.
"""


@replaced
def call_at(address: int, number: int) -> int:
    """Call the `CALLBACK` at an address in memory."""
    return int(CALLBACK(address)(number))


def prefetch(numbers: Any, place: int) -> None:
    """In compiled code: tell the processor that `numbers[place]` of a `pointer` will be read soon."""


def unpack(game: Rules, packed: Any, index: int) -> Any:
    """State number `index` of what `pack` made."""
    return packed[index]
