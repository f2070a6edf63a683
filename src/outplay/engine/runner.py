"""Runs a search in a thread of its own, and stops it in time.

The thread holds no Python lock where the search is compiled. The calling thread keeps the clock, shows progress and
takes Ctrl-C; it speaks to the search through one field of shared memory.
"""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from outplay.engine.stopping import StopReason
from outplay.system.threads import deep_recursion, start_with_stack

LATE = 0.1
"""The maximum number of seconds that a search may be late because `progress` is called."""


@dataclass
class SearchRunner:
    """Runs one piece of work in a thread and stops it in time.

    `current()` numbers the search going on, so that each has `seconds` to itself; `stop(n)` ends search n and
    `stop(-1)` all of them. `progress()` is called ten times a second, but not where
    it would make the search late, if it takes as long as the last time. `until(s)` says, s seconds after the start,
    when to stop; it is asked often enough to notice anything a twentieth of s late. `stopped` says why the work was
    stopped.
    """

    seconds: float | None
    current: Callable[[], int]
    stop: Callable[[int], None]
    progress: Callable[[], None] | None = None
    until: Callable[[float], float] | None = None
    stopped: StopReason = StopReason.COMPLETE

    def run(self, work: Callable[[], Any]) -> Any:
        """The result of `work()`. Ctrl-C stops the search, not the program; a second one raises."""
        outcome: list[Any] = []
        failure: list[BaseException] = []

        done = threading.Event()  # Thread.join would not do: Ctrl-C in the midst of it can leave it confused

        def body() -> None:
            try:
                outcome.append(work())
            except BaseException as error:  # raised again in the calling thread
                failure.append(error)
            finally:
                done.set()

        with deep_recursion():
            start_with_stack(body)
            try:
                self._wait(done)
            except KeyboardInterrupt:
                self.stopped = StopReason.INTERRUPTED
                self.stop(-1)
                done.wait()
            except BaseException:
                self.stop(-1)
                done.wait()
                raise
        if failure:
            raise failure[0]
        return outcome[0]

    def _wait(self, done: threading.Event) -> None:
        number, started = self.current(), time.perf_counter()
        shown, cost = started, 0.0
        while not done.is_set():
            now = time.perf_counter()
            if self.current() != number:
                number, started = self.current(), now
            pause, elapsed = 0.1, now - started
            until, why = math.inf if self.seconds is None else self.seconds, StopReason.SECONDS
            if self.until is not None:
                pause = min(pause, max(elapsed / 20, 0.002))
                until, why = min((until, why), (self.until(elapsed), StopReason.CLOCK))
            if elapsed >= until:
                self.stop(number)
                self.stopped = why
            pause = min(pause, max(until - elapsed, 0.002))
            if self.seconds is not None and until - elapsed > 0.01 and number != 1:
                pause = min(pause, 0.01)  # the next state may start meanwhile
            if self.progress and now - shown >= 0.1 and cost < until - elapsed + LATE:
                self.progress()
                shown, cost = now, time.perf_counter() - now
                continue
            done.wait(pause)
