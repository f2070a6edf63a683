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
        self._thread: threading.Thread | None = None
        self._stop, self._may_answer = Stop(), threading.Event()

    @property
    def is_thinking(self) -> bool:
        """Whether there is an answer to come."""
        return self._thread is not None and self._thread.is_alive()

    def start(self, search: Callable[[Stop], R], answer: Callable[[R], None], *, holds: bool = False) -> None:
        """Begin `answer(search(stop))` in a thread. With `holds`, the answer waits for `stop` or `release`."""
        self.finish()
        stop, may_answer = self._stop, self._may_answer = Stop(), threading.Event()
        if not holds:
            may_answer.set()

        def run() -> None:
            result = search(stop)
            may_answer.wait()
            answer(result)

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

    def wait(self) -> None:
        """Wait for the answer."""
        if self._thread is not None:
            self._thread.join()

    def finish(self) -> None:
        """End the search, and wait for its answer."""
        self.stop()
        self.wait()
