"""How long a search may go on, and how it is stopped.

The search runs in a thread of its own, which holds no Python lock where it is compiled. The calling thread keeps the
clock, shows progress and takes Ctrl-C; it speaks to the search through one cell of shared memory.
"""

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

STACK = 512 * 2**20
"""Bytes of stack for the searching thread; only what a deep search touches is ever used."""
DEEPEST = 4000
"""The most plies that a search follows; longer games need a depth limit."""


@dataclass(frozen=True, kw_only=True)
class Limit:
    """When a search must stop: after `seconds`, at `depth` plies, or after `nodes` states; whichever comes first.

    No limit means: until the answer is exact. With `search_many` each state has the limit to itself.
    Raises `ValueError` for a limit that is negative or not a number.

    >>> Limit(seconds=1, depth=8)
    Limit(seconds=1, depth=8)
    """

    seconds: float | None = None
    depth: int | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("seconds", 0), ("depth", 1), ("nodes", 1)):
            value = getattr(self, name)
            if value is None:
                continue
            whole = name != "seconds"
            if isinstance(value, bool) or not isinstance(value, (int,) if whole else (int, float)):
                raise ValueError(
                    f"Limit({name}={value!r}): {name} is {'a whole number' if whole else 'a number'} or None"
                )
            if not least <= value < 2**63:
                raise ValueError(f"Limit({name}={value!r}): {name} must be at least {least} and less than 2**63")

    def __repr__(self) -> str:
        given = {name: getattr(self, name) for name in ("seconds", "depth", "nodes")}
        return f"Limit({', '.join(f'{name}={value!r}' for name, value in given.items() if value is not None)})"


@dataclass
class Stopwatch:
    """Runs one piece of work in a thread and stops it in time.

    `current()` numbers the search going on, so that each has `seconds` to itself; `stop(n)` ends search n and
    `stop(-1)` all of them. `progress()` is called ten times a second.
    """

    seconds: float | None
    current: Callable[[], int]
    stop: Callable[[int], None]
    progress: Callable[[], None] | None = None
    interrupted: bool = False

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

        _start_with_stack(body)
        try:
            self._wait(done)
        except KeyboardInterrupt:
            self.interrupted = True
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
        shown = started
        while not done.is_set():
            now = time.perf_counter()
            if self.current() != number:
                number, started = self.current(), now
            pause = 0.1
            if self.seconds is not None:
                left = self.seconds - (now - started)
                if left <= 0:
                    self.stop(number)
                pause = min(pause, max(left, 0.002))
                if left > 0.01 and number != 1:
                    pause = min(pause, 0.01)  # the next state may start meanwhile
            if self.progress and now - shown >= 0.1:
                shown = now
                self.progress()
            done.wait(pause)


def _start_with_stack(body: Callable[[], None]) -> None:
    """Start a thread with room for deep recursion, in native code and in Python."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 3 * DEEPEST + 1000))
    thread = threading.Thread(target=body, daemon=True, name="outplay search")
    before = threading.stack_size()
    try:
        threading.stack_size(STACK)
    except (ValueError, RuntimeError):  # a system that does not let us choose
        thread.start()
        return
    try:
        thread.start()
    finally:
        threading.stack_size(before)
