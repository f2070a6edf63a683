"""`FairQueue`: a few searches at a time, of which everybody gets the same share.

Who has used the least time goes first. A search that runs is stopped as soon as somebody waits who has used less; it
comes back to the queue and goes on later. So first values come at once, however long others have been searching.
"""

import asyncio
import heapq
import itertools
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from outplay.engine.stop import Stop


class FairQueue:
    """At most `most` searches at a time.

    >>> async def example():
    ...     async with FairQueue(most=1).slot(used=0.0) as stop:
    ...         return stop.is_set
    >>> asyncio.run(example())
    False
    """

    def __init__(self, most: int) -> None:
        self.free = most
        self._numbers = itertools.count()
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._running: dict[Stop, tuple[float, float]] = {}  # the time used before, and when it began

    @asynccontextmanager
    async def slot(self, used: float) -> AsyncIterator[Stop]:
        """Wait for a turn; within it, one search may run, which ends when the `Stop` is set."""
        await self._turn(used)
        stop = Stop()
        self._running[stop] = used, time.perf_counter()
        try:
            yield stop
        finally:
            del self._running[stop]
            self._release()

    async def _turn(self, used: float) -> None:
        if self.free:
            self.free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (used, next(self._numbers), turn))
        self._make_room(used)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._release()
            raise

    def _make_room(self, used: float) -> None:
        """Stop the search that has used the most time, if that is more than this."""
        now = time.perf_counter()
        totals = {stop: before + now - began for stop, (before, began) in self._running.items() if not stop.is_set}
        if totals and max(totals.values()) > used:
            max(totals, key=lambda stop: totals[stop]).set()

    def _release(self) -> None:
        """Give the turn to who has used the least."""
        while self._waiting:
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self.free += 1
