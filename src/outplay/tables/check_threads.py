"""Threads that check the parts of a table."""

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, NamedTuple, Protocol, TypeVar

from outplay.compile.records import Record
from outplay.engine.runner import SearchRunner
from outplay.engine.stopping import StopReason
from outplay.system.threads import begin

Part = TypeVar("Part")
Fault = TypeVar("Fault")


class Worker(Protocol):
    """What a thread needs."""

    memory: Record
    """With the field `stop`, and `done`, the number of states that are checked."""


W = TypeVar("W", bound=Worker)


class Outcome(NamedTuple, Generic[Fault]):
    """How a check has ended."""

    fault: Fault | None
    stopped: bool
    """Whether Ctrl-C ended it."""


class Threads(Generic[W]):
    """Threads that check the parts of a table, one for each worker."""

    def __init__(self, workers: Sequence[W], pool: ThreadPoolExecutor) -> None:
        self.workers, self.pool = workers, pool

    def first_fault(self, parts: Iterable[Part], check: Callable[[W, Part], Fault | None]) -> Fault | None:
        """What `check(worker, part)` finds in the first part in which it finds anything; raises what it raises.

        Each worker takes one part after the other, in order, until one has found something. All parts before that one
        have been taken by then, and are checked to their ends, so that the same fault is the first with any number of
        workers.
        """
        waiting, lock = enumerate(parts), threading.Lock()
        faults: dict[int, Fault | BaseException] = {}

        def check_next(worker: W) -> bool:
            with lock:
                numbered_part = None if faults else next(waiting, None)
            if numbered_part is not None:
                number, part = numbered_part
                try:
                    fault = check(worker, part)
                except BaseException as error:
                    faults[number] = error
                else:
                    if fault is not None:
                        faults[number] = fault
            return numbered_part is not None

        def check_all(worker: W) -> None:
            while check_next(worker):
                pass

        check_next(self.workers[0])  # alone, as this compiles what all need
        list(self.pool.map(check_all, self.workers))
        first = faults[min(faults)] if faults else None
        if isinstance(first, BaseException):
            raise first
        return first


def run_check(
    workers: Sequence[W],
    check: Callable[[Threads[W]], Fault | None],
    progress: Callable[[int], None] | None = None,
) -> Outcome[Fault]:
    """What `check(threads)` finds; `progress` is called with the number of states that are checked."""

    def work() -> Fault | None:
        with ThreadPoolExecutor(len(workers), initializer=begin) as pool:
            return check(Threads(workers, pool))

    def stop(_: int) -> None:
        for worker in workers:
            worker.memory.stop = -1

    report = (lambda: progress(states_checked(workers))) if progress else None
    runner = SearchRunner(None, lambda: 1, stop, report)
    return Outcome(runner.run(work), runner.stopped == StopReason.INTERRUPTED)


def states_checked(workers: Sequence[Worker]) -> int:
    """The number of states that all workers have checked."""
    return sum(int(worker.memory.done) for worker in workers)
