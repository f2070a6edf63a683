"""`Guarded`: calls of rules in threads, so that the event loop never waits, with an end for those that take too long.

A rule of a user's game may run for ever. After its time, an exception is raised in its thread, whose traceback says
where the rule was. A call that not even this ends, because it is in a function of C, is given up; its thread remains.
"""

import asyncio
import ctypes
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from outplay.rules.errors import OutplayError
from outplay.rules.user_code import place

R = TypeVar("R")

SECONDS = 5.0
"""The time for a call."""
GRACE = 2.0
"""The time for it to end after that."""


class TooLong(BaseException):
    """Raised in a thread whose call takes too long; rules do not catch it by mistake."""


class Call:
    """A call in a thread of its own."""

    def __init__(self, function: Callable[[], Any], loop: asyncio.AbstractEventLoop) -> None:
        self.function, self.loop, self.result = function, loop, loop.create_future()
        self._lock, self._thread, self._is_interrupted = threading.Lock(), 0, False

    def run(self) -> None:
        """Make the call, and tell the event loop what came of it."""
        value, error = None, None
        try:
            try:
                with self._lock:
                    self._thread = threading.get_ident()
                value = self.function()
            finally:
                with self._lock:
                    self._thread = 0
                for _ in range(100 if self._is_interrupted else 0):
                    pass  # a jump back in the code: here an exception that is on its way arrives
        except BaseException as caught:  # also TooLong, between any two lines
            error = caught
        with_loop = partial(self._tell, value, error)
        try:
            self.loop.call_soon_threadsafe(with_loop)
        except RuntimeError:  # the server has ended
            return

    def _tell(self, value: Any, error: BaseException | None) -> None:
        if self.result.done():
            return
        if error is None:
            self.result.set_result(value)
        elif isinstance(error, TooLong):
            where = place(error)
            self.result.set_exception(
                OutplayError(f"a rule runs too long, perhaps for ever{f': {where}' if where else ''}")
            )
        else:
            self.result.set_exception(error if isinstance(error, Exception) else OutplayError(repr(error)))

    def interrupt(self) -> None:
        """Raise `TooLong` in the thread, if the call still runs."""
        with self._lock:
            if self._thread:
                self._is_interrupted = True
                _raise_in(self._thread, TooLong)


def _raise_in(thread: int, error: type[BaseException]) -> None:
    """Raise an exception in a thread of Python. It is never taken back: Python 3.11 would then stop in loops."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


class Guarded:
    """Makes calls in threads, at most `most` at a time.

    >>> guarded = Guarded()
    >>> asyncio.run(guarded.run(lambda: 42))
    42
    """

    def __init__(self, most: int = 16, seconds: float | None = None) -> None:
        self.most, self.seconds = most, SECONDS if seconds is None else seconds
        self._free: asyncio.Semaphore | None = None

    async def run(self, function: Callable[..., R], *arguments: Any) -> R:
        """What the function returns. Raises its errors, and `OutplayError` if it takes too long."""
        if self._free is None:
            self._free = asyncio.Semaphore(self.most)
        async with self._free:
            call = Call(partial(function, *arguments), asyncio.get_running_loop())
            threading.Thread(target=call.run, daemon=True, name="outplay rules").start()
            alarm = call.loop.call_later(self.seconds, call.interrupt)  # also if nobody waits for it any more
            call.result.add_done_callback(partial(at_end, alarm))
            done, _ = await asyncio.wait([call.result], timeout=self.seconds + GRACE)
            if not done:
                call.result.cancel()
                raise OutplayError("a rule runs too long, and nothing can end it: restart the server")
            result: R = call.result.result()
            return result


def at_end(alarm: asyncio.TimerHandle, result: "asyncio.Future[Any]") -> None:
    """A call has ended; its error has perhaps nobody who waits for it, which is no reason to complain."""
    alarm.cancel()
    if not result.cancelled():
        result.exception()
