"""The functions that compile, if Numba has everything that they need."""

import outplay.compile.native.arrays
import outplay.compile.native.classes
import outplay.compile.native.copies
import outplay.compile.native.dicts
import outplay.compile.native.empty_lists
import outplay.compile.native.enumerations
import outplay.compile.native.faults
import outplay.compile.native.functions
import outplay.compile.native.operators
import outplay.compile.native.ordering
import outplay.compile.native.remaking
import outplay.compile.native.replacing
import outplay.compile.native.searching
import outplay.compile.native.stack
import outplay.compile.native.text_arrays  # noqa: F401 - importing registers them
from outplay.compile.native.entry import compile_kernel, compile_without_game, dispatcher_of, llvm_ir, llvm_parts
from outplay.compile.native.refusal import unrefused
from outplay.compile.native.sharing import native_type
from outplay.compile.native.states import cast_state, pack
from outplay.compile.native.survey import obstacles

__all__ = [
    "cast_state",
    "compile_kernel",
    "compile_without_game",
    "dispatcher_of",
    "llvm_ir",
    "llvm_parts",
    "native_type",
    "obstacles",
    "pack",
    "unrefused",
]
