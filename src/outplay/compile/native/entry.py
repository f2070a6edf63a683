"""Entry points: compile a kernel for a game as a whole, or load it from disk."""

import inspect
import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from numba import njit, types

from outplay.compile.fingerprint import Fingerprint
from outplay.compile.native import losses, memory
from outplay.compile.native.disk import (
    Disk,
    classes_of_arguments,
    game_types,
    keep_refusal,
    manifest_of,
    refused_before,
)
from outplay.compile.native.game_type import PIPELINE, GameType, function_from_source, general, load_extensions
from outplay.compile.native.internals.code_on_disk import keep_code_on, noting_functions
from outplay.compile.native.internals.linking import parts_of
from outplay.compile.native.internals.numba_names import errors, global_compiler_lock, kind_of, number_of
from outplay.compile.native.internals.quick_compilation import compiled_as_whole
from outplay.compile.native.inventory import missing
from outplay.compile.native.known_rules import known_rules
from outplay.compile.native.questions import Question, unasked
from outplay.compile.native.reasons import reason, telling
from outplay.compile.native.refusal import first_problem, refuse
from outplay.compile.native.rules import forget_parts, note_extensions, part
from outplay.compile.native.sharing import native_type, to_the_end
from outplay.compile.native.states import closed, form, opened, with_cells, without_cells
from outplay.compile.watch import look_again
from outplay.rules.base import Rules
from outplay.rules.errors import OutplayError, RulesError
from outplay.system import threads

Listen = Callable[[Any, list[Any]], None]

TRIES = 4
"""The number of attempts to compile rules that change meanwhile; after that, it is an error."""


threads.at_start.append(memory.free_at_end)
_ready: set[Any] = set()
"""Dispatchers with the kinds of arguments that they are compiled for."""


def compile_kernel(kernel: Any, args: tuple[Any, ...]) -> Any:
    """The dispatcher of `kernel`, compiled for these arguments; None if the game runs interpreted."""
    game = args[0]
    memory.free_at_end()
    for _ in range(TRIES):
        typ = native_type(game)
        if typ is None:
            return None
        has_cells = form(typ).has_cells
        if has_cells:
            args = with_cells(typ, args)
        dispatcher = dispatcher_of(kernel, has_cells)
        callable_ = partial(_call, dispatcher, typ) if has_cells else dispatcher
        ready = dispatcher, number_of(typ), *(kind_of(dispatcher, arg) for arg in args[1:])
        if ready in _ready:
            return callable_
        done = to_the_end(lambda: _compile(kernel, dispatcher, args, game))  # noqa: B023 - called here
        look_again()
        if done and native_type(game) is typ and not typ.refusal:  # the rules did not change meanwhile
            _ready.add(ready)
    raise RulesError(f"the rules of {game!r} change each time they are read: make its attributes constant")


def direct(prepared: Any, args: tuple[Any, ...]) -> Any:
    """What `compile_kernel` has returned, without a look at the types of its arguments: they must stay as in `args`."""
    if isinstance(prepared, partial):
        return prepared
    return prepared.overloads[tuple(prepared.typeof_pyval(arg) for arg in args)].entry_point


def _call(dispatcher: Any, typ: GameType, *args: Any) -> Any:
    """Call a kernel with states as cells."""
    return without_cells(typ, dispatcher(*with_cells(typ, args)))


@global_compiler_lock
def _compile(kernel: Any, dispatcher: Any, args: tuple[Any, ...], game: Rules) -> bool:
    """Compile the kernel; False if something changed meanwhile and the caller must try again."""
    signature = tuple(dispatcher.typeof_pyval(arg) for arg in args)
    typ: Any = signature[0]
    if signature in dispatcher.overloads:
        return True
    _check_arguments(kernel, signature)
    typ.game = game
    refusal = refused_before(kernel, game)
    if refusal is not None and not os.environ.get("OUTPLAY_DEBUG"):
        refuse(typ, refusal)
        return True
    try:
        _build(kernel, dispatcher, signature)
    except Exception as error:  # Numba raises many kinds of errors
        if os.environ.get("OUTPLAY_DEBUG"):
            print(error, file=sys.stderr)
        has_changed = native_type(game) is not typ
        if has_changed:
            return False
        if _numba_fails():
            typ.forget_natives()
            return False
        problem = first_problem(typ)
        if problem is None:
            what, remedy, _ = reason(str(error))
            raise RulesError(
                f"{kernel.__name__} does not compile for {game!r} and these arguments: {what}: {remedy}"
            ) from error
        refuse(typ, problem)
        if isinstance(error, errors.NumbaError):  # not for want of memory
            keep_refusal(kernel, game, problem)
    return True


def compile_without_game(kernel: Any, args: tuple[Any, ...]) -> Any:
    """The dispatcher of a kernel without a game, compiled for these arguments; None if everything runs interpreted."""
    while losses.is_on(losses.NATIVE):
        dispatcher = kernel.dispatcher
        signature = tuple(dispatcher.typeof_pyval(arg) for arg in args)
        if signature in dispatcher.overloads:
            return dispatcher
        _check_arguments(kernel, signature)
        try:
            to_the_end(lambda: _build(kernel, dispatcher, signature))  # noqa: B023 - called here
        except Exception:
            if not _numba_fails():
                raise
    return None


def _check_arguments(kernel: Any, signature: tuple[Any, ...]) -> None:
    """Raise `OutplayError` for an argument that compiled code would read as something else, and crash."""
    for name, typ in zip(inspect.signature(kernel.function).parameters, signature, strict=False):
        if isinstance(typ, types.List | types.Set):
            kind = "list" if isinstance(typ, types.List) else "set"
            raise OutplayError(
                f"{kernel.__name__}: {name} is a {kind}, which no kernel takes: make it a NumPy array or, of states,"
                " pack(game, states)"
            )


@global_compiler_lock
def _build(kernel: Any, dispatcher: Any, signature: tuple[Any, ...], listen: Listen | None = None) -> None:
    if signature in dispatcher.overloads:
        return
    names = dispatcher.py_func.__globals__

    def make_part() -> None:
        """Make the function that the entry calls; code from disk needs none, which saves 0.1 s per start."""
        load_extensions()
        names["part"] = part(kernel)

    linked: list[Any] = []

    def hear(module: Any, libraries: list[Any]) -> None:
        linked.extend(libraries)
        if listen is not None:
            listen(module, libraries)

    disk = Disk(kernel, make_part)
    is_kept = listen is None and keep_code_on(dispatcher, disk)
    if not is_kept:
        make_part()
    with noting_functions(note_extensions), compiled_as_whole(dispatcher, hear):
        dispatcher.compile(signature)
    if disk.has_loaded:
        return
    _compiled.add(losses.is_on(losses.QUICK))
    compiled = dispatcher.overloads[signature]
    if all(native_type(typ.game) is typ for typ in game_types(signature)):  # the rules did not change meanwhile
        questions, content = _whole_manifest(kernel, signature, linked or parts_of([compiled.library]))
        if is_kept:
            disk.save(signature, compiled, questions, content)


def _whole_manifest(kernel: Any, signature: Any, libraries: list[Any]) -> tuple[list[list[Question]], Fingerprint]:
    """The manifest of code, with what the compiler has used without a question: then the code is not kept on disk."""
    typs = game_types(signature)
    games, questions, content = manifest_of(signature)
    covered = content, kernel.content, classes_of_arguments(signature)
    unnamed = missing(libraries, games, covered)
    for ingredient in unnamed if typs else ():
        unasked.append((ingredient.name, ingredient.add))
        typs[0].ask("unasked", str(len(unasked) - 1))
    if not typs:
        kernel.content.gaps.extend(ingredient.name for ingredient in unnamed)
    return manifest_of(signature)[1:] if unnamed else (questions, content)


_compiled: set[bool] = set()
"""The values of `losses.is_on(QUICK)` with which something was compiled in this process."""


def _numba_fails() -> bool:
    """Whether Numba fails, not the rules; if so, the failing technique is turned off and the caller must try again.

    If anything has compiled in this process, Numba works. Before that, this compiles rules that are known to compile.
    """
    before = dict(losses.lost)
    while losses.is_on(losses.NATIVE) and losses.is_on(losses.QUICK) not in _compiled:
        kernel, game = known_rules()
        try:
            dispatcher = kernel.dispatcher
            signature = tuple(map(dispatcher.typeof_pyval, (game, game.initial_state())))
            _build(kernel, dispatcher, signature, lambda *_: None)  # with a listener, code is not kept on disk
        except Exception as error:  # Numba raises many kinds of errors
            technique = losses.QUICK if losses.is_on(losses.QUICK) else losses.NATIVE
            losses.lose(technique, f"something that raises {type(error).__name__} ({telling(str(error))})")
            _entries.clear()
            forget_parts()
    losses.tell()
    return losses.lost != before


_entries: dict[Any, Any] = {}


def dispatcher_of(kernel: Any, has_cells: bool = False) -> Any:
    """The Numba dispatcher through which Python calls a kernel, with states as cells if these have containers."""
    key = kernel.function, kernel.fingerprint(), has_cells
    if key not in _entries:
        to_the_end(lambda: _make_dispatcher(kernel, key))
    return _entries[key]


@global_compiler_lock
def _make_dispatcher(kernel: Any, key: Any) -> None:
    _entries.setdefault(key, _new_dispatcher(kernel, key[1], key[2]))


def _new_dispatcher(kernel: Any, fingerprint: str, has_cells: bool) -> Any:
    mark = f"kernel[{fingerprint}]"
    names = list(inspect.signature(kernel.function).parameters)
    parameters = ", ".join(names)
    call = f"part({parameters})"
    if has_cells:
        game, *others = names
        call = f"closed({game}, part({', '.join([game, *(f'opened({game}, {name})' for name in others)])}))"
    entry = function_from_source(
        f"def rule({parameters}): return {call}", opened=opened, closed=closed
    )  # `_build` sets `part`
    entry.__defaults__ = kernel.function.__defaults__
    entry.__qualname__ = f"{kernel.function.__qualname__}_entry_{mark}"
    return general(njit(entry, nogil=True, no_cfunc_wrapper=True, **PIPELINE))


def llvm_ir(kernel: Any, *args: Any) -> str:
    """The LLVM code of a kernel and everything it calls, for these arguments, before optimization.

    >>> from outplay.compile.kernels import kernel
    >>> from outplay.games import Nim
    >>> @kernel
    ... def is_over(game, state):
    ...     return game.is_terminal(state)
    >>> game = Nim()
    >>> "define" in llvm_ir(is_over, game, game.initial_state())
    True
    """
    return _listened(kernel, args)[0]


def llvm_parts(kernel: Any, *args: Any) -> dict[str, str]:
    """The same in parts: the LLVM code of each function that the kernel calls, by name, callees first."""
    return _listened(kernel, args)[1]


def _listened(kernel: Any, args: tuple[Any, ...]) -> tuple[str, dict[str, str]]:
    """Compile the kernel again; return the code that is linked."""
    heard: list[tuple[str, dict[str, str]]] = []

    def listen(module: Any, parts: list[Any]) -> None:
        heard.append((str(module), {part.name: part.get_llvm_str() for part in parts}))

    if kernel.prepare(*args) is kernel.interpreted:
        raise RulesError(f"{kernel.__name__} runs interpreted for these arguments: it has no LLVM code")
    if not losses.is_on(losses.QUICK):
        raise OutplayError(f"LLVM code is not available with this version of Numba; it is with Numba {losses.KNOWN}")
    dispatcher = _new_dispatcher(kernel, kernel.fingerprint(), form(args[0]._native.typ).has_cells)
    signature = tuple(dispatcher.typeof_pyval(arg) for arg in args)
    to_the_end(lambda: _build(kernel, dispatcher, signature, listen))
    return heard[0]
