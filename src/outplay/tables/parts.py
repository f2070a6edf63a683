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


def check_parts(
    workers: Sequence[W],
    parts: Iterable[Part],
    check: Callable[[W, Part], Fault | None],
    progress: Callable[[int], None] | None = None,
) -> Outcome[Fault]:
    """What `check(worker, part)` finds in the first of some parts in which it finds anything; raises what it raises.

    Each worker is a thread that takes one part after the other, in order, until one has found something. All parts
    before that one have been taken by then, and are checked to their ends, so that the same fault is the first with any
    number of workers. `progress` is called with the number of states that are checked.
    """
    waiting, lock = enumerate(parts), threading.Lock()
    found: dict[int, Fault | BaseException] = {}

    def check_next(worker: W) -> bool:
        with lock:
            taken = None if found else next(waiting, None)
        if taken is not None:
            number, part = taken
            try:
                fault = check(worker, part)
            except BaseException as error:
                found[number] = error
            else:
                if fault is not None:
                    found[number] = fault
        return taken is not None

    def check_all(worker: W) -> None:
        while check_next(worker):
            pass

    def work() -> None:
        check_next(workers[0])  # alone, as this compiles what all need
        with ThreadPoolExecutor(len(workers), initializer=begin) as pool:
            list(pool.map(check_all, workers))

    def stop(_: int) -> None:
        for worker in workers:
            worker.memory.stop = -1

    report = (lambda: progress(states_checked(workers))) if progress else None
    runner = SearchRunner(None, lambda: 1, stop, report)
    runner.run(work)
    first = found[min(found)] if found else None
    if isinstance(first, BaseException):
        raise first
    return Outcome(first, runner.stopped == StopReason.INTERRUPTED)


def states_checked(workers: Sequence[Worker]) -> int:
    """The number of states that all workers have checked."""
    return sum(int(worker.memory.done) for worker in workers)
