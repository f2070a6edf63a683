"""`Thinker`: a search in a thread of its own, while the engine goes on to read what its controller says."""

import threading
from collections.abc import Callable
from typing import TypeVar

from outplay.engine.stop import Stop

R = TypeVar("R")


class Thinker:
    """Runs one search at a time, and gives its answer when it is done, or when it may.

    >>> thinker = Thinker()
    >>> thinker.start(lambda stop: 42, print); thinker.wait()
    42
    """

    def __init__(self) -> None:
        self.is_thinking = False
        """Whether there is an answer to come."""
        self._thread: threading.Thread | None = None
        self._stop, self._may_answer = Stop(), threading.Event()
        self._lock, self._afterwards = threading.Lock(), list[Callable[[], None]]()

    def start(self, search: Callable[[Stop], R], answer: Callable[[R], None], *, holds: bool = False) -> None:
        """Begin `answer(search(stop))` in a thread. With `holds`, the answer waits for `stop` or `release`."""
        self.finish()
        stop, may_answer = self._stop, self._may_answer = Stop(), threading.Event()
        if not holds:
            may_answer.set()

        def run() -> None:
            try:
                result = search(stop)
                may_answer.wait()
                answer(result)
            finally:
                with self._lock:
                    self.is_thinking, afterwards, self._afterwards = False, self._afterwards, []
            for action in afterwards:
                action()

        self.is_thinking = True
        self._thread = threading.Thread(target=run, daemon=True, name="outplay engine")
        self._thread.start()

    def stop(self) -> None:
        """End the search at once; its answer follows."""
        self._stop.set()
        self._may_answer.set()

    def release(self, seconds: float | None) -> None:
        """Give the answer when the search is done; end it after so many seconds if it is not."""
        self._may_answer.set()
        if seconds is not None:
            timer = threading.Timer(seconds, self._stop.set)
            timer.daemon = True
            timer.start()

    def then(self, action: Callable[[], None]) -> None:
        """Call `action` after the answer; now, if there is none to come."""
        with self._lock:
            if self.is_thinking:
                self._afterwards.append(action)
                return
        action()

    def wait(self) -> None:
        """Wait for the answer."""
        if self._thread is not None:
            self._thread.join()

    def finish(self) -> None:
        """End the search, and wait for its answer."""
        self.stop()
        self.wait()
