"""Work that Ctrl-C must not cut short, because half-finished results would be used later.

Compiling and importing change tables that the whole process shares. So when the main thread, which receives Ctrl-C,
needs them, they run in a thread of their own: Ctrl-C raises `KeyboardInterrupt` in the main thread at once, and the
work goes on to its end. The program ends when the work is done, or at a second Ctrl-C.

A fork waits for the end of the work, too: the child would have its half-finished results and its locks, but not the
thread that finishes and releases them.
"""

import _thread
import atexit
import contextlib
import contextvars
import math
import os
import sys
import threading
from collections.abc import Callable, Iterator
from time import perf_counter
from types import FunctionType
from typing import Any, TypeVar

from outplay.system.threads import start_with_stack

R = TypeVar("R")

ROOM = 300_000
"""The number of references in a frame, for which Python allocates 4 MB. Unused memory costs nothing."""
_going_on: set[Any] = set()
"""A lock for each piece of work that has not ended. It is released at the end of the work."""
_working = threading.RLock()
"""Held by the thread that works."""
locks_at_fork: list[Any] = [_working]
"""Locks that a fork waits for, in the order in which threads acquire them."""


def _call(work: Callable[[], R]) -> R:
    return work()


_with_room = FunctionType(_call.__code__.replace(co_stacksize=ROOM), globals(), "_with_room")
"""Calls a function from a frame so large that the frames of its callees fit into the same chunk of memory.

Python allocates frames in chunks of 16 KB and frees each chunk when it is empty. Calls back and forth across the end of
a chunk cost a system call each. Without this, compiling takes 15 % longer.
"""


class Late(BaseException):
    """The time for something is over."""


_until: contextvars.ContextVar[float] = contextvars.ContextVar("_until", default=math.inf)


@contextlib.contextmanager
def waiting_until(moment: float) -> Iterator[None]:
    """In this context the main thread waits for `uninterrupted` work no longer than this, by `perf_counter`.

    Then `Late` is raised, as Ctrl-C would raise `KeyboardInterrupt`.
    """
    token = _until.set(moment)
    try:
        yield
    finally:
        _until.reset(token)


def uninterrupted(work: Callable[[], R]) -> R:
    """The result of `work()`, which runs to its end even if the caller is interrupted.

    >>> uninterrupted(lambda: 6 * 7)
    42
    """
    outcome: list[R] = []
    failure: list[BaseException] = []
    ended = threading.Lock()
    context = contextvars.copy_context()

    def body() -> None:
        try:
            with _working:
                outcome.append(context.run(_with_room, work))
        except BaseException as error:  # raised again in the calling thread
            failure.append(error)
        finally:
            _going_on.discard(ended)
            ended.release()

    ended.acquire()
    _going_on.add(ended)
    is_at_work = _working._is_owned()  # type: ignore[attr-defined]  # a fork makes any thread the main one
    if threading.current_thread() is threading.main_thread() and not is_at_work:
        start_with_stack(body)
        left = _until.get() - perf_counter()
        if not ended.acquire(
            timeout=-1 if left == math.inf else max(left, 0.0)
        ):  # Ctrl-C ends the waiting, not the work
            raise Late
    else:
        body()
    if failure:
        raise failure.pop()
    return outcome[0]


def is_busy() -> bool:
    """Whether any work is still going on."""
    return bool(_going_on)


def leave(status: int) -> None:
    """End the process at once if work is still going on; otherwise do nothing."""
    if is_busy():
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(status)


SOON = 0.1
"""Seconds after which the fork has ended, so that Ctrl-C is no longer ignored."""
_held_back: list[bool] = []
"""Not empty if Ctrl-C came while a fork waited."""


def _before_fork() -> None:
    for lock in locks_at_fork:
        while True:
            try:
                lock.acquire()
                break
            except KeyboardInterrupt:  # Python would ignore it here
                _held_back.append(True)


def _after_fork() -> None:
    for lock in reversed(locks_at_fork):
        lock.release()
    if _held_back:
        _held_back.clear()
        threading.Timer(SOON, _thread.interrupt_main).start()


def _in_child() -> None:
    _held_back.clear()  # Ctrl-C was for the parent
    _going_on.clear()  # the threads do not exist here
    _after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child)


@atexit.register
def _wait() -> None:
    """A thread inside the compiler must not outlive the interpreter: that would crash."""
    try:
        for ended in tuple(_going_on):
            ended.acquire()
    except KeyboardInterrupt:
        leave(130)
