"""Threads for searches: with a stack for deep recursion, and no more of them than are useful."""

import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from outplay.rules.errors import OutplayError

STACK = 512 * 2**20
"""Bytes of stack of a searching thread. The system provides only what a search really uses."""
MAX_PLIES = 4000
"""The maximum number of plies that a search follows; longer games need a depth limit."""
MAX_THREADS_PER_CORE = 4
"""More threads per core only slow each other down."""
MAX_THREADS = 1024
"""The maximum number of threads that you can ask for."""

_settings = threading.Lock()
"""Held while a setting of the whole process changes."""
_deep = 0
"""The number of running searches that need deep recursion."""
_limits = (0, 0)
"""Python's recursion limit before the first of them, and while they run."""


at_start: list[Callable[[], None]] = []
"""Functions that each thread of a search calls first, from packages that may not be imported here."""


def begin() -> None:
    """Call this first in each thread of a search."""
    for prepare in at_start:
        prepare()


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Raise Python's recursion limit to what a search needs, until the last of several searches has ended.

    A limit that other code sets in the meantime is kept.
    """
    global _deep, _limits  # noqa: PLW0603 - the limit is shared by all threads as well
    with _settings:
        _deep += 1
        if _deep == 1:
            before = sys.getrecursionlimit()
            _limits = before, max(before, 3 * MAX_PLIES + 1000)
            sys.setrecursionlimit(_limits[1])
    try:
        yield
    finally:
        with _settings:
            _deep -= 1
            if _deep == 0 and sys.getrecursionlimit() == _limits[1]:
                sys.setrecursionlimit(_limits[0])


def start_with_stack(body: Callable[[], None]) -> threading.Thread:
    """Start a thread with a stack for deep recursion in native code."""

    def whole() -> None:
        begin()
        body()

    thread = threading.Thread(target=whole, daemon=True, name="outplay search")
    with _settings:
        before: int | None = threading.stack_size()
        try:
            threading.stack_size(STACK)
        except (ValueError, RuntimeError):  # the system does not allow it
            before = None
        try:
            thread.start()
        except (RuntimeError, MemoryError) as error:
            raise OutplayError(
                f"the system cannot start a thread with a stack of {STACK // 2**20} MB ({error}): allow more memory or"
                " more threads (ulimit), or search with fewer threads"
            ) from error
        finally:
            if before is not None:
                threading.stack_size(before)
    return thread


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def useful_threads(threads: int) -> int:
    """`threads`, or the number that is useful on this machine if that is less, with a warning."""
    most = MAX_THREADS_PER_CORE * cores()
    if threads <= most:
        return threads
    warnings.warn(
        f"threads={threads}: this machine has {cores()} cores, so {most} threads search; more would only slow it down",
        RuntimeWarning,
        stacklevel=2,
    )
    return most
