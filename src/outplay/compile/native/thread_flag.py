"""Flags that contexts set, each for its own thread."""

import contextlib
import threading
from collections.abc import Iterator


class ThreadFlag(threading.local):
    """A flag of each thread: what the innermost context says, and False outside of all."""

    def __init__(self) -> None:
        self._said = [False]

    def __bool__(self) -> bool:
        return self._said[-1]

    @contextlib.contextmanager
    def set_to(self, value: bool) -> Iterator[None]:
        """The context in which the flag of this thread has this value."""
        self._said.append(value)
        try:
            yield
        finally:
            self._said.pop()
