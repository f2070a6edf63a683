"""Runs a search in a separate thread, and stops it in time.

If the search is compiled, its thread does not hold Python's lock. The calling thread watches the clock, shows progress
and handles Ctrl-C; it stops the search through a field of shared memory.
"""

import math
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from outplay.engine.stop import Stop
from outplay.engine.stopping import StopReason
from outplay.system.threads import Latch, deep_recursion, start_with_stack

START_SECONDS = 5.0
"""The maximum time that a thread takes to start, also on a busy machine."""
MAX_PROGRESS_DELAY = 0.1
"""The maximum number of seconds that a search may be late because `progress` is called."""


@dataclass
class SearchRunner:
    """Runs a function in a thread and stops it in time.

    Attributes:
        seconds: the maximum time for each search; None for no limit.
        current: returns the number of the running search, so that each search has its own time.
        stop: `stop(n)` ends search n, and `stop(-1)` all searches.
        progress: called ten times a second. It is not called if, taking as long as the last time, it would make the
            search more than `MAX_PROGRESS_DELAY` seconds late.
        until: `until(s)` returns, s seconds after the start, the time at which to stop. It is called often enough to
            notice a change at most s / 20 late.
        button: ends the work when another thread sets it.
        stopped: why the work was stopped.
    """

    seconds: float | None
    current: Callable[[], int]
    stop: Callable[[int], None]
    progress: Callable[[], None] | None = None
    until: Callable[[float], float] | None = None
    button: Stop | None = None
    stopped: StopReason = StopReason.COMPLETE

    def run(self, work: Callable[[], Any]) -> Any:
        """Return the result of `work()`. Ctrl-C stops the search, not the program; a second Ctrl-C raises."""
        outcome: list[Any] = []
        failure: list[BaseException] = []
        begun, done = Latch(), Latch()  # not Thread.join: Ctrl-C during a join can leave the thread's state broken

        def body() -> None:
            begun.set()
            try:
                outcome.append(work())
            except BaseException as error:  # raised again in the calling thread
                failure.append(error)
            finally:
                done.set()

        with deep_recursion(), nullcontext() if self.button is None else self.button.ends(self._stop_all):
            try:
                start_with_stack(body)
                self._wait(done)
            except KeyboardInterrupt:
                self.stopped = StopReason.INTERRUPTED
                self.stop(-1)
                if not begun.wait(START_SECONDS):
                    raise  # it came before there was a thread
                done.wait()
            except BaseException:
                self.stop(-1)
                if begun.is_set:
                    done.wait()
                raise
        if failure:
            raise failure[0]
        return outcome[0]

    def _stop_all(self) -> None:
        self.stopped = StopReason.STOPPED
        self.stop(-1)

    def reason(self, own: StopReason) -> StopReason:
        """Why the work ended: `own`, its own reason, unless Ctrl-C was pressed, which must not be lost."""
        return self.stopped if self.stopped == StopReason.INTERRUPTED else own

    def _wait(self, done: Latch) -> None:
        number, started = self.current(), time.perf_counter()
        reported, cost = started, 0.0
        while not done.is_set:
            now = time.perf_counter()
            if self.current() != number:
                number, started = self.current(), now
            pause, elapsed = 0.1, now - started
            until, reason = math.inf if self.seconds is None else self.seconds, StopReason.SECONDS
            if self.until is not None:
                pause = min(pause, max(elapsed / 20, 0.002))
                until, reason = min((until, reason), (self.until(elapsed), StopReason.CLOCK))
            if elapsed >= until:
                self.stop(number)
                self.stopped = reason
            pause = min(pause, max(until - elapsed, 0.002))
            if self.seconds is not None and until - elapsed > 0.01 and number != 1:
                pause = min(pause, 0.01)  # the next state may start meanwhile
            if self.progress and now - reported >= 0.1 and cost < until - elapsed + MAX_PROGRESS_DELAY:
                self.progress()
                reported, cost = now, time.perf_counter() - now
                continue
            done.wait(pause)
