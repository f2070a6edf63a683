"""The ways in: whether a game compiles, and kernels compiled for it, as a whole and with a look on disk first."""

import contextlib
import functools
import gc
import inspect
import os
import sys
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

import llvmlite.binding
from numba import njit, types
from numba._dispatcher import compute_fingerprint
from numba.core import codegen, event
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.registry import cpu_target
from numba.core.transforms import canonicalize_cfg
from numba.core.typeinfer import TypeInferer
from numba.core.typing.npydecl import NumpyRulesArrayOperator

from outplay.compile.native.disk import Disk
from outplay.compile.native.game_type import PIPELINE, function_from_source, general
from outplay.compile.native.refusal import first_problem, reason_of, refuse
from outplay.compile.native.rules import note_extensions, part
from outplay.compile.native.sharing import native_type, to_the_end
from outplay.rules.base import Rules
from outplay.rules.errors import RulesError

TRIES = 4
"""How often rules may change while they are compiled before that is an error."""


_ready: set[Any] = set()
"""Dispatchers with the kinds of arguments for which they are compiled."""


def compile_kernel(kernel: Any, args: tuple[Any, ...]) -> Any:
    """The dispatcher of `kernel`, compiled for these arguments; None if the game runs interpreted."""
    game = args[0]
    for _ in range(TRIES):
        typ = native_type(game)
        if typ is None:
            return None
        dispatcher = kernel.dispatcher
        ready = dispatcher, *(_kind(dispatcher, arg) for arg in args)
        if ready in _ready:
            return dispatcher
        to_the_end(lambda: _compile(kernel, dispatcher, args, game))  # noqa: B023 - called here
        if native_type(game) is typ and not typ.refusal:  # what was compiled is what the rules are now
            _ready.add(ready)
    raise RulesError(f"the rules of {game!r} are not the same each time they are read: make its attributes constants")


def _kind(dispatcher: Any, arg: Any) -> Any:
    """What tells values of different types apart, as Numba's own calls do; its types take a hundred times as long."""
    try:
        return compute_fingerprint(arg)
    except NotImplementedError:  # games, and what is a constant to compiled code
        return dispatcher.typeof_pyval(arg)


@global_compiler_lock
def _compile(kernel: Any, dispatcher: Any, args: tuple[Any, ...], game: Rules) -> None:
    signature = tuple(dispatcher.typeof_pyval(arg) for arg in args)
    typ: Any = signature[0]
    if signature in dispatcher.overloads:
        return
    typ.game = game
    try:
        _build(kernel, dispatcher, signature)
    except Exception as error:  # Numba raises many kinds
        if os.environ.get("OUTPLAY_DEBUG"):
            print(error, file=sys.stderr)
        has_changed = native_type(game) is not typ
        if has_changed:  # meanwhile: try again
            return
        problem = first_problem(typ)
        if problem is None:
            reason = reason_of(error)
            raise RulesError(
                f"{kernel.__name__} does not compile for {game!r} and these arguments: {reason}"
            ) from error
        refuse(typ, *problem)


def compile_without_game(kernel: Any, args: tuple[Any, ...]) -> Any:
    """The dispatcher of `kernel`, which takes no game, compiled for these arguments."""
    dispatcher = kernel.dispatcher
    signature = tuple(dispatcher.typeof_pyval(arg) for arg in args)
    if signature not in dispatcher.overloads:
        to_the_end(lambda: _build(kernel, dispatcher, signature))
    return dispatcher


@global_compiler_lock
def _build(kernel: Any, dispatcher: Any, signature: tuple[Any, ...]) -> None:
    if signature in dispatcher.overloads:
        return
    dispatcher._cache = Disk(kernel)
    with _whole(dispatcher):
        dispatcher.compile(signature)


_entries: dict[Any, Any] = {}


def dispatcher_of(kernel: Any) -> Any:
    """The Numba dispatcher through which Python calls a kernel."""
    key = kernel.function, kernel.fingerprint()
    if key not in _entries:
        to_the_end(lambda: _make_dispatcher(kernel, key))
    return _entries[key]


@global_compiler_lock
def _make_dispatcher(kernel: Any, key: Any) -> None:
    mark = f"kernel[{key[1]}]"
    parameters = ", ".join(inspect.signature(kernel.function).parameters)
    entry = function_from_source(f"def rule({parameters}): return part({parameters})", part=part(kernel))
    entry.__defaults__ = kernel.function.__defaults__
    entry.__qualname__ = f"{kernel.function.__qualname__}_entry_{mark}"
    _entries.setdefault(key, general(njit(entry, nogil=True, **PIPELINE)))


_CONTEXT, _LIBRARY = type(cpu_target.target_context), codegen.CPUCodeLibrary
_FINALIZE, _GET_EXECUTABLE = _LIBRARY.finalize, _CONTEXT.get_executable
_SHARED = _LIBRARY._get_module_for_linking
_OPERATOR = NumpyRulesArrayOperator.generic
_RETURN_TYPES = TypeInferer.return_types_from_partial
_CALL_TYPE = types.Function.get_call_type
_POST_PROCESS = PostProcessor.run
_NATIVE = {int: types.int64, float: types.float64, bool: types.boolean}

_parts: Any = weakref.WeakValueDictionary()
"""The code of every part, by the name of its function."""


def _link(module: Any, libraries: Iterable[Any]) -> None:
    """Bring `libraries` and all that they call into `module`, each once; callers first, else LLVM drops what they call.

    Functions that call each other in a circle do it through a pointer, which Numba fills in when everything is there.
    Here everything is, but for what was part of another kernel first and is called from there alone.
    """
    callees_first: dict[Any, None] = {}

    def visit(library: Any) -> None:
        for called in library._linking_libraries:
            if called not in callees_first:
                visit(called)
        callees_first[library] = None

    for library in libraries:
        visit(library)
    for library in reversed(callees_first):
        module.link_in(_SHARED(library), preserve=True)
    closed: set[str] = set()
    while pointers := {p.name for p in module.global_variables if codegen.RuntimeLinker.PREFIX in p.name} - closed:
        for name in pointers:
            function = name.removeprefix(codegen.RuntimeLinker.PREFIX)
            link = f'@"{name}" = linkonce_odr constant ptr @"{function}"\ndeclare void @"{function}"()\n'
            module.link_in(llvmlite.binding.parse_assembly(link))
            if module.get_function(function).is_declaration:
                _link(module, [_parts[function]])
        closed |= pointers


def _complete(library: Any) -> Any:
    """A part for Numba's own way of linking, which wants all that it calls in one module."""
    del library._get_module_for_linking
    _link(library._final_module, library._linking_libraries)
    library._shared_module = None
    return _SHARED(library)


@contextlib.contextmanager
def _whole(entry: Any) -> Iterator[None]:
    """While this lasts, only `entry` becomes machine code; what it calls stays in LLVM's language and is linked in.

    Numba optimizes every function to the end and makes it callable from Python, those that it calls included, again
    and again on the way up. Doing that once, and without pauses for garbage, halves the time to compile a search.
    """
    whole = entry.py_func.__qualname__

    def no_optimization(self: Any, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def finalize_part(self: Any) -> None:
        self._raise_if_finalized()
        for library in self._linking_libraries:
            self._reload_init.update(library._reload_init)
        if whole in self.name:
            _link(self._final_module, self._linking_libraries)
            self._linking_libraries.clear()
            _FINALIZE(self)
            return
        self._finalize_dynamic_globals()
        self._finalized = True
        self._get_module_for_linking = functools.partial(_complete, self)

    def get_executable_of_whole(self: Any, library: Any, fndesc: Any, env: Any) -> Any:
        if whole not in library.name:
            _parts[fndesc.mangled_name] = library
            return [].append  # any object that is like no other
        executable = _GET_EXECUTABLE(self, library, fndesc, env)
        for pointer in library._final_module.global_variables:  # the parts' too: exceptions are made with them
            environment = lookup_environment(pointer.name) if "NumbaEnv" in pointer.name else None
            if environment is not None:
                library.codegen.set_env(pointer.name, environment)
        return executable

    def return_types_once(self: Any) -> Any:
        """What a function that calls itself returns: Numba infers it anew, from scratch, at each such call."""
        declared = self.func_id.func.__annotations__.get("return")
        if declared in _NATIVE:
            return _NATIVE[declared]
        if id(self) not in returned:
            returned[id(self)] = self, _RETURN_TYPES(self)
        return returned[id(self)][1]

    def call_type_once(self: Any, context: Any, args: Any, keywords: Any) -> Any:
        """What an operator does with numbers: Numba rates all that it could mean, each time anew."""
        note_extensions(self)
        if keywords or not all(isinstance(arg, (types.Number, types.Boolean)) for arg in args):
            return _CALL_TYPE(self, context, args, keywords)
        if (self, args) not in call_types:
            call_types[self, args] = _CALL_TYPE(self, context, args, keywords)
        return call_types[self, args]

    def post_process_when_needed(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        """How long variables live: Numba computes it nine times for each function, and needs it once."""
        code = self.func_ir
        if emit_dels or code.is_generator:
            _POST_PROCESS(self, emit_dels, extend_lifetimes)
        else:
            code.blocks = canonicalize_cfg(code.blocks)
            code.variable_lifetime, code.generator_info = VariableLifetime(code.blocks), None

    returned: dict[int, Any] = {}
    call_types: dict[Any, Any] = {}
    changes = [
        (_LIBRARY, "finalize", finalize_part),
        (_LIBRARY, "_optimize_functions", no_optimization),
        (_CONTEXT, "get_executable", get_executable_of_whole),
        (TypeInferer, "return_types_from_partial", return_types_once),
        (NumpyRulesArrayOperator, "generic", _for_arrays),
        (types.Function, "get_call_type", call_type_once),
        (PostProcessor, "run", post_process_when_needed),
        (event, "start_event", _nothing),  # nobody listens
        (event, "end_event", _nothing),
    ]
    with global_compiler_lock, contextlib.ExitStack() as stack:
        for owner, name, replacement in changes:
            stack.callback(setattr, owner, name, getattr(owner, name))
            setattr(owner, name, replacement)
        if gc.isenabled():
            stack.callback(gc.enable)
            gc.disable()
        yield


def _for_arrays(self: Any, args: Any, keywords: Any) -> Any:
    """What NumPy would do for an operator; Numba looks that up for plain numbers too, and then does not use it."""
    return _OPERATOR(self, args, keywords) if any(isinstance(arg, types.ArrayCompatible) for arg in args) else None


def _nothing(*_: Any, **__: Any) -> None:
    """Takes the place of what need not be done."""
