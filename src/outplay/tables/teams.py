"""Who works on the partitions of a table: threads."""

import threading
import time
from collections.abc import Callable, Iterable
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
        self.chunks = 1
        """How many of the chunks of `sorting.py` are worked on at a time."""
        self.stopped = False
        """Set to raise `KeyboardInterrupt` in the next task."""
        self.lock = threading.Lock()
        self._pool = ThreadPoolExecutor(size, "outplay table", begin) if size > 1 else None

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> Iterable[R]:
        """`function(item)` for all items, in order, on the threads of this process."""
        return map(function, items) if self._pool is None else self._pool.map(function, items)

    def each(self, stage: Any, method: str, numbers: Iterable[int]) -> Iterable[Any]:
        """`stage.method(number)` for each number, in order, one after the other: threads share the work of each."""
        for number in numbers:
            self.check()
            yield getattr(stage, method)(number)

    def begin(self, making: Any) -> None:
        """Called before a table is begun."""

    def agree(self) -> None:
        """Called after a new utility is found: it has its number, as all threads see it."""

    def check(self) -> None:
        """Raise `KeyboardInterrupt` if it is stopped."""
        if self.stopped:
            raise KeyboardInterrupt

    def over_partitions(self, stage: Any, method: str, done: NDArray[np.uint8]) -> bool:
        """Let the threads work on all partitions that are not done; whether all are done then.

        `stage.method(thread, first, end, step)` works on partitions from `first` on, to below `end`, and marks what it
        has done; `stage.prepare_method()`, if there is one, is called before. In files, the method is called for one
        partition at a time, until `SEGMENT_SECONDS` have passed, for a checkpoint.
        """
        self.check()
        prepare(stage, method)
        end, graph, work = time.monotonic() + SEGMENT_SECONDS, stage.graph, getattr(stage, method)

        def task(thread: int) -> None:
            if graph.is_split:
                left = (number for number in range(thread, PARTITIONS, self.size) if not done[number])
                self.one_by_one(graph, work, thread, left, end)
            else:
                work(thread, thread, PARTITIONS, self.size)

        list(self.map(task, range(self.size)))
        return bool(done.all())

    def one_by_one(
        self, graph: Partitions, work: Callable[..., None], thread: int, numbers: Iterable[int], end: float
    ) -> None:
        """Work on partitions in files, until it is over."""
        for number in numbers:
            if self.stopped:
                return
            graph.check_disk(number)
            if not graph.kept[number]:
                graph.fetch(number)
            work(thread, number, number + 1, 1)
            graph.kept[number] = 0
            size = graph.bytes_of(number)
            if int(graph.kept.sum()) + size < KEPT_SHARE * graph.memory:
                graph.kept[number] = size
            else:
                graph.evict(number)
            if time.monotonic() > end:
                return

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def prepare(stage: Any, method: str) -> None:
    """Do what a stage has to do before a method."""
    first = getattr(stage, f"prepare_{method}", None)
    if first is not None:
        first()
