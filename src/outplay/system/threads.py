"""Threads that search: with room for deep recursion, and no more of them than are of use."""

import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from outplay.rules.errors import OutplayError

STACK = 512 * 2**20
"""Bytes of stack for the searching thread; only what a deep search touches is ever used."""
DEEPEST = 4000
"""The most plies that a search follows; longer games need a depth limit."""
THREADS_A_CORE = 4
"""More threads than this for each core only get in one another's way."""
MOST_THREADS = 1024
"""More than these are surely a mistake."""

_settings = threading.Lock()
"""Held while a setting of the whole process is changed."""
_deep = 0
"""How many searches need deep recursion right now."""
_limits = (0, 0)
"""Python's limit of recursion before the first of them, and while they last."""


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Let Python recurse as deeply as a search does; after the last of several searches at once the limit is as before.

    A limit that somebody else sets meanwhile stays.
    """
    global _deep, _limits  # noqa: PLW0603 - the limit too is one for all threads
    with _settings:
        _deep += 1
        if _deep == 1:
            before = sys.getrecursionlimit()
            _limits = before, max(before, 3 * DEEPEST + 1000)
            sys.setrecursionlimit(_limits[1])
    try:
        yield
    finally:
        with _settings:
            _deep -= 1
            if _deep == 0 and sys.getrecursionlimit() == _limits[1]:
                sys.setrecursionlimit(_limits[0])


def start_with_stack(body: Callable[[], None]) -> threading.Thread:
    """Start a thread with room for deep recursion in native code."""
    thread = threading.Thread(target=body, daemon=True, name="outplay search")
    with _settings:
        before: int | None = threading.stack_size()
        try:
            threading.stack_size(STACK)
        except (ValueError, RuntimeError):  # a system that does not let us choose
            before = None
        try:
            thread.start()
        except (RuntimeError, MemoryError) as error:
            raise OutplayError(
                f"the system starts no thread with a stack of {STACK // 2**20} MB ({error}): allow more memory or"
                " more threads (ulimit), or search with fewer threads"
            ) from error
        finally:
            if before is not None:
                threading.stack_size(before)
    return thread


def cores() -> int:
    """How many cores of the machine this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def useful_threads(threads: int) -> int:
    """So many threads, or as many as are of use on this machine; that they are fewer is said in a warning."""
    most = THREADS_A_CORE * cores()
    if threads <= most:
        return threads
    warnings.warn(
        f"threads={threads}: this machine has {cores()} cores, so {most} threads search; more would only slow it down",
        RuntimeWarning,
        stacklevel=2,
    )
    return most
