"""A kernel and everything that it calls, linked as one module of LLVM code, which is optimized once.

Numba fully optimizes every function together with those that it calls, and makes it callable from Python; so functions
are optimized again for each caller. Here only the kernel becomes machine code; the functions that it calls stay LLVM
code.
"""

import contextlib
import functools
import importlib
import secrets
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import llvmlite.binding
import numba.extending
from numba import types

from outplay.compile.native import memory
from outplay.compile.native.allocation_code import COUNTS, MODULE, SHARED
from outplay.compile.native.internals import numba_names
from outplay.compile.native.internals.numba_names import TARGET, Dispatcher, Replacement, replaced
from outplay.compile.native.losses import POOLS, is_on
from outplay.compile.native.thread_flag import ThreadFlag

llvmlite.binding.add_symbol("outplay_pow", llvmlite.binding.address_of_symbol("pow"))
"""The C library's `pow` under a name that LLVM does not know, and so does not replace by `x * x` or `1 / x`."""
if memory.are_supported():
    llvmlite.binding.add_symbol("outplay_pools", memory.address())

_parts: Any = weakref.WeakValueDictionary()
"""The code of each part, by the name of its function."""


is_ours = ThreadFlag()
"""Whether the function being compiled is ours, or one of Numba's that ours calls: `compiled_as_whole` applies to it."""


def _link(module: Any, libraries: Iterable[Any]) -> None:
    """Link `libraries`, which come callees first, into `module`; callers first, else LLVM drops the callees.

    Functions that call each other in a circle use a pointer, which Numba fills in when all functions exist. Here they
    do, except functions that were first part of another kernel and are called only from there.
    """
    for library in reversed(list(libraries)):
        module.link_in(numba_names.module_for_linking(library), preserve=True)
    closed: set[str] = set()
    while pointers := {p.name for p in module.global_variables if numba_names.pointer_prefix in p.name} - closed:
        for name in pointers:
            function = name.removeprefix(numba_names.pointer_prefix)
            link = f'@"{name}" = linkonce_odr constant ptr @"{function}"\ndeclare void @"{function}"()\n'
            module.link_in(llvmlite.binding.parse_assembly(link))
            if module.get_function(function).is_declaration:
                _link(module, parts_of([_parts[function]]))
        closed |= pointers


def _use_pools(library: Any, parts: list[Any]) -> None:
    """Link `parts` into a library, with the functions of `memory` in place of Numba's.

    Those that count references are inlined after Numba has optimized the code: by their names, it finds calls that
    cancel out.

    Code is linked by name, even what is internal: so that no other code gets a function that uses our memory, nor ours
    one that uses Numba's, all but the entry get names of their own at the end.
    """
    module = library._final_module
    module.link_in(llvmlite.binding.parse_assembly(MODULE))  # first, so Numba's are not
    _link(module, parts)
    for function in list(module.functions):
        is_own = function.name.startswith(("NRT_", "outplay_")) and function.name not in SHARED
        if is_own and not function.is_declaration:
            function.linkage = "internal"
    optimize, mark = library._optimize_final_module, secrets.token_hex(8)

    def optimize_count_and_name() -> None:
        optimize()
        module.link_in(llvmlite.binding.parse_assembly(COUNTS))
        for name in SHARED:
            module.get_function(name).linkage = "internal"
        inline, builder = _inliner()
        inline.run(module, builder)
        for function in module.functions:
            if not function.is_declaration and function.linkage.name != "external":
                function.name = f"{mark}_{function.name}"

    library._optimize_final_module = optimize_count_and_name


@functools.cache
def _inliner() -> tuple[Any, Any]:
    """The pass that puts functions marked so in place of their calls."""
    machine = llvmlite.binding.Target.from_default_triple().create_target_machine()
    builder = llvmlite.binding.create_pass_builder(machine, llvmlite.binding.create_pipeline_tuning_options())
    passes = llvmlite.binding.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    return passes, builder


def parts_of(libraries: Iterable[Any]) -> list[Any]:
    """These libraries and everything they call, callees first."""
    callees_first: dict[Any, None] = {}

    def visit(library: Any) -> None:
        for callee in library._linking_libraries:
            if callee not in callees_first:
                visit(callee)
        callees_first[library] = None

    for library in libraries:
        visit(library)
    return list(callees_first)


def _complete(library: Any) -> Any:
    """A part together with everything it calls in one module, as Numba's own linking requires."""
    del library._get_module_for_linking
    _link(library._final_module, parts_of(library._linking_libraries))
    library._shared_module = None
    return numba_names.module_for_linking(library)


def _raise_without_shapes(source: Any, target: Any) -> None:
    """Raise, in compiled code, for an assignment between arrays of different shapes.

    Numba puts the shapes into the message, which takes 40 functions. This saves a fifth of the time to compile rules
    with `array[indices] = values`, such as those of tic-tac-toe.
    """


@numba.extending.overload(_raise_without_shapes, strict=False)
def _implement_raise_without_shapes(source: types.Type, target: types.Type) -> Any:
    def refuse(source: Any, target: Any) -> None:
        raise ValueError("cannot assign an array of a different shape to part of an array")

    return refuse


def has_pools() -> bool:
    """Whether compiled code gets its memory from the pools of `memory`."""
    return memory.are_supported() and is_on(POOLS)


def linking_at_once(
    entry: Any, listen: Callable[[Any, list[Any]], None] | None, until_the_end: contextlib.ExitStack
) -> list[Replacement]:
    """What replaces the functions of Numba that enter the compiler and link code.

    `entry` and `listen` are those of `compiled_as_whole`; `until_the_end` is closed when the replacements end.
    """
    name_of_whole = entry.py_func.__qualname__
    late: list[Replacement] = []

    def compile_extra(typing_context: Any, target_context: Any, function: Any, *args: Any, **keywords: Any) -> Any:
        """Enter the compiler: note whose function is next."""
        if not late:  # only now: code loaded from disk does not need it
            with contextlib.suppress(ImportError):  # then compiling is only slower
                arrays = importlib.import_module("numba.np.arrayobj")
                late.append((arrays, "raise_with_shape_context", _raise_without_shapes))
                until_the_end.enter_context(replaced(late))
        module = getattr(function, "__module__", None) or ""  # ours for what we compile: see `native_function`
        with is_ours.set_to(bool(is_ours) and module.partition(".")[0] in ("numba", "outplay")):
            return numba_names.compile_extra(typing_context, target_context, function, *args, **keywords)

    def compile_for_args(self: Any, *args: Any, **keywords: Any) -> Any:
        """Compile for a call from Python, which needs machine code."""
        with is_ours.set_to(False):
            return numba_names.compile_for_args(self, *args, **keywords)

    def optimize_functions(self: Any, module: Any) -> None:
        if not is_ours:
            numba_names.optimize_functions(self, module)
            return
        module.data_layout = self._codegen._data_layout

    def finalize(self: Any) -> None:
        if not is_ours:
            numba_names.finalize(self)
            return
        self._raise_if_finalized()
        for library in self._linking_libraries:
            self._reload_init.update(library._reload_init)
        if name_of_whole in self.name:
            parts = parts_of(self._linking_libraries)
            if has_pools():
                _use_pools(self, parts)
            else:
                _link(self._final_module, parts)
            self._linking_libraries.clear()
            if listen is not None:
                listen(self._final_module, parts)
            numba_names.finalize(self)
            return
        self._finalize_dynamic_globals()
        self._finalized = True
        self._get_module_for_linking = functools.partial(_complete, self)

    def get_executable(self: Any, library: Any, fndesc: Any, env: Any) -> Any:
        if is_ours and name_of_whole not in library.name:
            _parts[fndesc.mangled_name] = library
            return [].append  # any unique object
        executable = numba_names.get_executable(self, library, fndesc, env)
        if is_ours:
            for pointer in library._final_module.global_variables:  # those of the parts too: exceptions need them
                environment = numba_names.environment(pointer.name) if "NumbaEnv" in pointer.name else None
                if environment is not None:
                    library.codegen.set_env(pointer.name, environment)
        return executable

    return [
        (numba_names.compiler, "compile_extra", compile_extra),
        (Dispatcher, "_compile_for_args", compile_for_args),
        (numba_names.library_class, "_optimize_functions", optimize_functions),
        (numba_names.library_class, "finalize", finalize),
        (type(TARGET), "get_executable", get_executable),
    ]
