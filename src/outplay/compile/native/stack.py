"""Recursion in rules: compiled code that is about to run out of stack raises an error, as Python does.

A compiled function that calls itself compares its frame with the end of the thread's stack at each call. The end is
found once per thread and kept in thread-local storage, which compiled code reads through Python's C API.
"""

import ctypes
import os
import sys
from typing import Any

import llvmlite.binding
from llvmlite import ir

from outplay.compile.native.internals.numba_names import cgutils

RESERVE = 256 * 1024
"""The bytes of stack reserved for functions called from there."""

_KEY, _FIND = "outplay_stack_key", "outplay_find_stack_end"
_api = ctypes.pythonapi
_api.PyThread_tss_alloc.restype = ctypes.c_void_p
_key = ctypes.c_void_p(_api.PyThread_tss_alloc())
_api.PyThread_tss_create(_key)


def _stack() -> tuple[int, int]:
    """The lowest address of this thread's stack and its size."""
    low, size = ctypes.c_void_p(), ctypes.c_size_t()
    if os.name == "nt":
        high = ctypes.c_void_p()
        ctypes.windll.kernel32.GetCurrentThreadStackLimits(ctypes.byref(low), ctypes.byref(high))  # type: ignore[attr-defined]
        return low.value or 0, (high.value or 0) - (low.value or 0)
    library = ctypes.CDLL(None)
    library.pthread_self.restype = ctypes.c_void_p
    thread = ctypes.c_void_p(library.pthread_self())
    if sys.platform == "darwin":
        library.pthread_get_stackaddr_np.restype = ctypes.c_void_p
        library.pthread_get_stacksize_np.restype = ctypes.c_size_t
        bytes_of_stack = library.pthread_get_stacksize_np(thread)
        return library.pthread_get_stackaddr_np(thread) - bytes_of_stack, bytes_of_stack
    attributes = ctypes.create_string_buffer(256)
    if library.pthread_getattr_np(thread, attributes):
        return 0, 0
    library.pthread_attr_getstack(attributes, ctypes.byref(low), ctypes.byref(size))
    library.pthread_attr_destroy(attributes)
    return low.value or 0, size.value


@ctypes.CFUNCTYPE(ctypes.c_size_t)
def _find_end() -> int:
    """Find the address below which no frame may lie, and keep it for this thread; 1 if it is unknown."""
    end = 1
    try:
        low, size = _stack()
        if size:
            end = low + min(RESERVE, size // 4)
    except (AttributeError, OSError):  # a system without these functions
        pass
    _api.PyThread_tss_set(_key, ctypes.c_void_p(end))
    return end


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


llvmlite.binding.add_symbol(_KEY, _key.value or 0)
llvmlite.binding.add_symbol(_FIND, _address(_find_end))
llvmlite.binding.add_symbol("PyThread_tss_get", _address(_api.PyThread_tss_get))


def is_out(builder: Any) -> Any:
    """In compiled code: whether the stack of this thread is used up."""
    word, pointer = ir.IntType(64), cgutils.voidptr_t
    module = builder.module
    frame_kind = ir.FunctionType(pointer, [ir.IntType(32)])
    frame_of = cgutils.get_or_insert_function(module, frame_kind, "llvm.frameaddress.p0")
    frame = builder.ptrtoint(builder.call(frame_of, [ir.IntType(32)(0)]), word)
    get = cgutils.get_or_insert_function(module, ir.FunctionType(pointer, [pointer]), "PyThread_tss_get")
    find = cgutils.get_or_insert_function(module, ir.FunctionType(word, []), _FIND)
    key = module.globals.get(_KEY) or ir.GlobalVariable(module, ir.IntType(8), _KEY)
    end = cgutils.alloca_once_value(builder, builder.ptrtoint(builder.call(get, [key]), word))
    with cgutils.if_unlikely(builder, builder.icmp_unsigned("==", builder.load(end), word(0))):
        builder.store(builder.call(find, []), end)
    return builder.icmp_unsigned("<", frame, builder.load(end))
