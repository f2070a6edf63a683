"""Threads that work on the partitions of a table."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from outplay.system.threads import begin
from outplay.tables.partitions import PARTITIONS, Partitions

T = TypeVar("T")
R = TypeVar("R")

SEGMENT_SECONDS = 20.0
"""The time between two moments at which a checkpoint is possible, in files."""
SPAN_BYTES, SPAN_SHARE = 1 << 25, 1 / 32
"""Partitions in files are worked on together as long as they have at most this many bytes, and this share of the memory
for all threads: each call takes about 0.2 ms besides.
"""
KEPT_SHARE = 0.5
"""The share of the memory for partitions in files that stay there; the rest is for messages and what is worked on."""


class Team:
    """Threads that work on partitions at the same time. Close it when the work is done.

    A stage of the work (`making.py`) gives the name of its method that works on some partitions, so that it could be
    called elsewhere, too: see `processes.py`.

    Args:
        size: the number of threads.
    """

    needs_files = False
    """Whether all work has to be done in files."""

    def __init__(self, size: int) -> None:
        self.size = self.here = size
        """How many send messages, and how many of them are threads of this process."""
        self.stop_flag = np.zeros(1, np.bool_)
        """Whether the next task raises `KeyboardInterrupt`; kernels that take long look at it, too."""
        self.lock = threading.Lock()
        self._pool = ThreadPoolExecutor(size, "outplay table", begin) if size > 1 else None

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> Iterable[R]:
        """`function(item)` for all items, in order, on the threads of this process."""
        return map(function, items) if self._pool is None else self._pool.map(function, items)

    def for_each(self, stage: Any, method: str, numbers: range, take: Callable[[Any], None]) -> None:
        """Call `take(stage.method(number))` for each number, in order, until `SEGMENT_SECONDS` have passed."""
        end = time.monotonic() + SEGMENT_SECONDS
        for first in range(0, len(numbers), self.size):
            self.check()
            if time.monotonic() > end:
                return
            for result in self.map(getattr(stage, method), numbers[first : first + self.size]):
                take(result)

    def begin(self, making: Any) -> None:
        """Called before a table is begun."""

    def agree(self) -> None:
        """Called after a new utility is found: it has its number, as all threads see it."""

    def stop(self) -> None:
        """End the work soon."""
        self.stop_flag[0] = True

    @property
    def stopped(self) -> bool:
        """Whether it is to end."""
        return bool(self.stop_flag[0])

    def check(self) -> None:
        """Raise `KeyboardInterrupt` if it is stopped."""
        if self.stopped:
            raise KeyboardInterrupt

    def over_partitions(self, stage: Any, method: str, done: NDArray[np.uint8]) -> bool:
        """Let the threads work on all partitions that are not done; whether all are done then.

        `stage.method(thread, first, end, step)` works on partitions from `first` on, to below `end`, and marks what it
        has done; `stage.prepare_method()`, if there is one, is called before. In files, the method is called for a
        few partitions at a time, until `SEGMENT_SECONDS` have passed, for a checkpoint. What `is_little` is done by one
        thread.
        """
        self.check()
        prepare(stage, method)
        end, graph, work = time.monotonic() + SEGMENT_SECONDS, stage.graph, getattr(stage, method)

        def task(thread: int) -> None:
            if graph.is_split:
                left = [number for number in range(thread, PARTITIONS, self.size) if not done[number]]
                self.work_on_spans(graph, work, thread, left, end)
            else:
                work(thread, thread, PARTITIONS, self.size)

        if getattr(stage, "is_little", False) and not graph.is_split:
            work(0, 0, PARTITIONS, 1)
        else:
            list(self.map(task, range(self.size)))
        return bool(done.all())

    def work_on_spans(
        self, graph: Partitions, work: Callable[..., None], thread: int, numbers: list[int], end: float
    ) -> None:
        """Work on partitions in files, a few at a time, until it is over."""
        most = min(SPAN_BYTES, graph.memory * SPAN_SHARE / self.here)
        for span in spans(numbers, graph.sizes, most):
            if self.stopped:
                return
            graph.open(span)
            work(thread, span.start, span.stop, span.step)
            graph.close(span, KEPT_SHARE * graph.memory)
            if time.monotonic() > end:
                return

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def spans(numbers: list[int], sizes: NDArray[np.int64], most: float) -> Iterator[range]:
    """Numbers in ascending order, as ranges whose sizes are at most `most` together, or of one number each."""
    steps, ends, begin = np.diff(numbers), np.cumsum(sizes[numbers]), 0
    turns = np.flatnonzero(np.diff(steps)) + 2  # where another step begins
    while begin < len(numbers):
        turn = turns[np.searchsorted(turns, begin + 1, "right") :]
        fits = int(np.searchsorted(ends, ends[begin] - sizes[numbers[begin]] + most, "right"))
        end = max(begin + 1, min(fits, *turn[:1].tolist(), len(numbers)))
        yield range(numbers[begin], numbers[end - 1] + 1, int(steps[begin]) if end > begin + 1 else 1)
        begin = end


def prepare(stage: Any, method: str) -> None:
    """Do what a stage has to do before a method."""
    first = getattr(stage, f"prepare_{method}", None)
    if first is not None:
        first()
