"""Compiled code as bytes and back, for the cache on disk, and what such code depends on."""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import llvmlite.binding
from numba import types

from outplay.compile.native.internals import numba_names
from outplay.compile.native.internals.numba_names import global_compiler_lock, replaced, start_quickly
from outplay.compile.native.losses import DISK, is_on, lose, tell


def keep_code_on(dispatcher: Any, disk: Any) -> bool:
    """Let `disk` save and load the code of this dispatcher; False if that is not possible."""
    if not is_on(DISK):
        return False
    if hasattr(dispatcher, "_cache"):
        dispatcher._cache = disk
        return True
    lose(DISK, "numba.core.dispatcher.Dispatcher._cache")
    tell()
    return False


def packed(compiled: Any) -> Any:
    """Compiled code for a pickler; None if its parts call each other through pointers.

    Functions that call each other in a circle use pointers that do not exist when the code is loaded again.
    """
    module = compiled.library._final_module
    if any(".numba.unresolved$" in global_variable.name for global_variable in module.global_variables):
        return None
    declared = [symbol.name for symbol in (*module.functions, *module.global_variables) if symbol.is_declaration]
    return [name for name in declared if not name.startswith("llvm.")], numba_names.reduce(compiled)


def unpacked(context: Any, packed: Any) -> Any:
    """The inverse of `packed`."""
    names, parts = packed
    _supply(context, names)
    return numba_names.rebuild(context, *parts)


def _supply(context: Any, names: Iterable[str]) -> None:
    """Make sure that this process has everything that machine code uses by these names.

    Before it loads anything, Numba imports everything that it can compile; machine code needs hardly any of it. Saves
    0.08 s per start.
    """
    if numba_names.start_runtime is not None:
        numba_names.start_runtime(context)
    if numba_names.start_runtime is None or not all(map(llvmlite.binding.address_of_symbol, names)):
        start_quickly()
        context.refresh()


def pickler(file: Any, name_of: Callable[[Any], Any]) -> Any:
    """Numba's pickler; `name_of(thing)` is the name that replaces an object in the file, or None."""
    return type("Pickler", (numba_names.pickler,), {"persistent_id": lambda _, thing: name_of(thing)})(file)


def written_by(template: Any) -> list[Any]:
    """The objects that define how a call compiles."""
    functions = [getattr(template, name, None) for name in ("_overload_func", "_definition_func")]
    cells = getattr(getattr(template, "generic", None), "__closure__", None) or ()
    return [*functions, *(cell.cell_contents for cell in cells)]


@contextlib.contextmanager
def noting_functions(note: Callable[[Any], None]) -> Iterator[None]:
    """In this context, call `note(function)` with the Numba type of each function that compiled code calls."""
    if not is_on(DISK):  # not needed
        yield
        return

    def get_call_type(self: Any, context: Any, args: Any, keywords: Any) -> Any:
        note(self)
        return numba_names.call_type(self, context, args, keywords)

    with global_compiler_lock, replaced([(types.Function, "get_call_type", get_call_type)]):
        yield
