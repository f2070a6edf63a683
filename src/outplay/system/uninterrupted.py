"""Work that Ctrl-C must not cut short, because what it leaves half done would be used later.

Compiling and importing change tables that the whole process shares. So in the main thread, where Ctrl-C arrives, they
run in a thread of their own: Ctrl-C raises `KeyboardInterrupt` at once in the main thread, and the work goes on to its
end. The program ends when it is done, or with a second Ctrl-C.
"""

import atexit
import contextlib
import contextvars
import os
import sys
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

from outplay.system.threads import start_with_stack

R = TypeVar("R")

ROOM = 300_000
"""References in a frame, so that Python takes 4 MB for it; memory that is not used costs nothing."""
_going_on: set[Any] = set()
"""A lock for each piece of work that has not ended; whoever can take it knows that it has."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_going_on.clear)  # threads do not go on there


def _call(work: Callable[[], R]) -> R:
    return work()


_with_room = FunctionType(_call.__code__.replace(co_stacksize=ROOM), globals(), "_with_room")
"""Calls a function from a frame so large that there is room in the same piece of memory for those of its callees.

Python takes memory for frames in pieces of 16 KB and gives each back when it is empty. Calls to and fro over the end of
a piece cost a system call each: without this, compiling takes 15 % longer.
"""


def uninterrupted(work: Callable[[], R]) -> R:
    """The result of `work()`, which runs to its end whatever happens to the caller.

    >>> uninterrupted(lambda: 6 * 7)
    42
    """
    outcome: list[R] = []
    failure: list[BaseException] = []
    ended = threading.Lock()
    context = contextvars.copy_context()

    def body() -> None:
        try:
            outcome.append(context.run(_with_room, work))
        except BaseException as error:  # raised again in the calling thread
            failure.append(error)
        finally:
            _going_on.discard(ended)
            ended.release()

    ended.acquire()
    _going_on.add(ended)
    if threading.current_thread() is threading.main_thread():
        start_with_stack(body)
        ended.acquire()  # Ctrl-C ends the waiting, not the work
    else:
        body()
    if failure:
        raise failure.pop()
    return outcome[0]


def is_busy() -> bool:
    """Whether work goes on whose caller was interrupted."""
    return bool(_going_on)


def leave(status: int) -> None:
    """End the process now, also if work goes on; return if none does."""
    if is_busy():
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(status)


@atexit.register
def _wait() -> None:
    """A thread inside the compiler must not outlive the interpreter: that would crash."""
    try:
        for ended in tuple(_going_on):
            ended.acquire()
    except KeyboardInterrupt:
        leave(130)
