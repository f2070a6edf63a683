"""Threads for searches: with a stack for deep recursion, and no more of them than are useful."""

import os
import queue
import sys
import threading
import warnings
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from outplay.rules.errors import OutplayError

L = TypeVar("L")

STACK = 512 * 2**20
"""Bytes of stack of a searching thread. The system provides only what a search really uses."""
MAX_PLIES = 4000
"""The maximum number of plies that a search follows; longer games need a depth limit."""
MAX_THREADS_PER_CORE = 4
"""More threads per core only slow each other down."""
MAX_THREADS = 1024
"""The maximum number of threads that you can ask for."""

_locks: "weakref.WeakSet[Any]" = weakref.WeakSet()


def free_in_child(lock: L) -> L:
    """`lock`, which is free in each forked child: the threads that hold it do not exist there."""
    _locks.add(lock)
    return lock


def _free_all() -> None:
    for lock in _locks:
        lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_all)
_settings = free_in_child(threading.Lock())
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


class deep_recursion:  # noqa: N801 - for `with`
    """Raise Python's recursion limit to what a search needs, until the last of several searches has ended.

    A limit that other code sets in the meantime is kept.
    """

    def __enter__(self) -> None:
        global _deep, _limits  # noqa: PLW0603 - the limit is shared by all threads as well
        with _settings:
            _deep += 1
            if _deep == 1:
                before = sys.getrecursionlimit()
                _limits = before, max(before, 3 * MAX_PLIES + 1000)
                sys.setrecursionlimit(_limits[1])

    def __exit__(self, *_: object) -> None:
        global _deep  # noqa: PLW0603
        with _settings:
            _deep -= 1
            if _deep == 0 and sys.getrecursionlimit() == _limits[1]:
                sys.setrecursionlimit(_limits[0])


class Latch:
    """Is set once, and one thread may wait for it. A `threading.Event` would take ten times as long."""

    def __init__(self) -> None:
        self.is_set, self._lock = False, threading.Lock()
        self._lock.acquire()

    def set(self) -> None:
        """Let `wait` return from now on."""
        self.is_set = True
        self._lock.release()

    def wait(self, seconds: float = -1) -> bool:
        """Wait until it is set, or for some seconds; returns whether it is set. Ctrl-C ends the waiting."""
        return self.is_set or self._lock.acquire(timeout=seconds)


class Call:
    """The call of a function in a thread with a stack for deep recursion."""

    def __init__(self, body: Callable[[], None]) -> None:
        self.body, self._ended = body, Latch()

    def run(self) -> None:
        """Call the function; an error is reported as that of a thread."""
        try:
            begin()
            self.body()
        except BaseException:
            threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
        finally:
            del self.body

    def end(self) -> None:
        """Let `join` return."""
        self._ended.set()

    def join(self) -> None:
        """Wait for the end of the call."""
        self._ended.wait()


KEPT_THREADS = 4
"""The maximum number of threads that wait for the next call: starting one costs as much as a search of a small game."""
_idle: list["queue.SimpleQueue[Call]"] = []
"""For each of them, where it takes its next call from."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # they are not in the child


def _serve(calls: "queue.SimpleQueue[Call]") -> None:
    """Run one call after the other, in a thread of its own."""
    stays = True
    while stays:
        call = calls.get()
        call.run()
        stays = len(_idle) < KEPT_THREADS
        if stays:
            _idle.append(calls)
        call.end()
        del call  # and what its function holds


def start_with_stack(body: Callable[[], None]) -> Call:
    """Call `body` in another thread, which has a stack for deep recursion in native code."""
    call = Call(body)
    try:
        calls = _idle.pop()
    except IndexError:
        calls = queue.SimpleQueue()
        _start(calls)
    calls.put(call)
    return call


def _start(calls: "queue.SimpleQueue[Call]") -> None:
    """Start a thread."""
    thread = threading.Thread(target=_serve, args=(calls,), daemon=True, name="outplay search")
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


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def useful_threads(threads: int | None) -> int:
    """`threads`, or the number that is useful on this machine if that is less, with a warning; None: one per core."""
    if threads is None:
        return cores()
    most = MAX_THREADS_PER_CORE * cores()
    if threads <= most:
        return threads
    warnings.warn(
        f"threads={threads}: this machine has {cores()} cores, so {most} threads search; more would only slow it down",
        RuntimeWarning,
        stacklevel=2,
    )
    return most
