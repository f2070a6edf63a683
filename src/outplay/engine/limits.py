"""How long a search may go on, and how it is stopped.

The search runs in a thread of its own, which holds no Python lock where it is compiled. The calling thread keeps the
clock, shows progress and takes Ctrl-C; it speaks to the search through one cell of shared memory.
"""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from outplay.engine.clock import Clock
from outplay.engine.stopping import StopReason
from outplay.rules.arguments import check_number, check_type
from outplay.rules.errors import WrongType
from outplay.system.threads import deep_recursion, start_with_stack

LATE = 0.1
"""By so many seconds a search may be late so that `progress` is called."""


@dataclass(frozen=True, kw_only=True)
class Limit:
    """When a search must stop, whichever comes first.

    No limit means: until the answer is exact. With `search_many` each state has the limit to itself.

    Args:
        seconds: the time for this search.
        depth: how many plies to look ahead.
        nodes: how many states to look at.
        simulations: how many simulations to make, for Monte Carlo tree search.
        clock: the time for the rest of a game. The search takes of it what the move is worth, see `Clock`.

    Raises `ValueError` for a limit that is negative or not a number.

    >>> Limit(seconds=1, depth=8)
    Limit(seconds=1, depth=8)
    """

    seconds: float | None = None
    depth: int | None = None
    nodes: int | None = None
    simulations: int | None = None
    clock: Clock | None = None

    def __post_init__(self) -> None:
        for name, least in (("seconds", 0), ("depth", 1), ("nodes", 1), ("simulations", 1)):
            if getattr(self, name) is not None:
                check_number(self, name, least, whole=name != "seconds", optional=True)
        if not isinstance(self.clock, Clock | None):
            raise ValueError(f"Limit(clock={self.clock!r}): clock is a Clock or None, such as Clock(seconds=300)")

    def __repr__(self) -> str:
        given = {name: value for name, value in vars(self).items() if value is not None}
        return f"Limit({', '.join(f'{name}={value!r}' for name, value in given.items())})"


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


def check_is_limit(limit: Any, function: str) -> None:
    """Raise `WrongType` unless `limit` is a `Limit` or None."""
    if limit is not None:
        check_type(limit, Limit, f"{function}(limit={{}})", "Limit(seconds=5)")


def check_is_state(state: Any, function: str) -> None:
    """Raise `WrongType` for a `Limit` in place of a state."""
    if isinstance(state, Limit):
        raise WrongType(f"{function}({state!r}): the state comes first; write {function}(limit={state!r})")
