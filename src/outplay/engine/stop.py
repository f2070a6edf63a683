"""`Stop`: ends searches from another thread, or when a task is cancelled."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TypeVar

from outplay.system.threads import free_in_child

R = TypeVar("R")


class Stop:
    """Ends the searches with it in their `Limit`, at once and from any thread; each returns its best answer so far.

    >>> from outplay import AlphaBeta, Limit
    >>> from outplay.games import ConnectFour
    >>> stop = Stop()
    >>> stop.set()                                  # another thread may do so at any time
    >>> AlphaBeta(ConnectFour()).search(limit=Limit(stop=stop)).stopped
    'stopped'
    >>> stop.clear()                                # now searches run again
    """

    def __init__(self) -> None:
        self._lock = free_in_child(threading.Lock())
        self._is_set = False
        self._actions: list[Callable[[], None]] = []

    def __repr__(self) -> str:
        return "Stop()"

    def __reduce__(self) -> tuple[type["Stop"], tuple[()]]:
        return Stop, ()  # another process has its own

    @property
    def is_set(self) -> bool:
        """Whether searches with this stop end at once."""
        return self._is_set

    def set(self) -> None:
        """End all searches that have this stop, and those to come until `clear`."""
        with self._lock:  # held, so that nothing is stopped after `ends` has returned
            self._is_set = True
            for action in self._actions:
                action()

    def clear(self) -> None:
        """Let searches run again."""
        self._is_set = False

    @contextmanager
    def ends(self, action: Callable[[], None]) -> Iterator[None]:
        """In this context, call `action` when it is set, also if it was set before."""
        with self._lock:
            self._actions.append(action)
            if self._is_set:
                action()
        try:
            yield
        finally:
            with self._lock:
                self._actions.remove(action)


async def run_async(search: Callable[[Stop], R], stop: Stop | None = None) -> R:
    """The result of `search` with a `Stop`, in another thread. Cancelling sets it and waits; `stop` sets it too."""
    import asyncio  # noqa: PLC0415 - only programs with an event loop need it

    own = Stop()
    with nullcontext() if stop is None else stop.ends(own.set):
        work = asyncio.get_running_loop().run_in_executor(None, search, own)
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            own.set()
            await asyncio.wait([work])  # then the searcher is free for the next search
            raise
