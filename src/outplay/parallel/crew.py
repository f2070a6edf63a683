"""Workers that stay: each keeps an object, whose methods are called there, such as a part of a large computation.

Unlike pure jobs (`jobs.py`), a job of theirs may change what they share, such as files. So whoever gives the jobs says
what is done when a worker dies: `WorkerLost` is raised when no job is running any more.
"""

import pickle
import platform
import time
from collections.abc import Callable
from typing import Any

from outplay.parallel.code_transport import packed
from outplay.parallel.jobs import pool_of, raise_failure
from outplay.rules.errors import OutplayError

MAKE = "make"
"""In place of a method: make the object anew."""
_objects: list[Any] = []
"""The object, in a worker."""


class WorkerLost(Exception):
    """A worker has died in the middle of a job; others are left."""


class Crew:
    """Workers that keep an object each. Close it when the work is done.

    Args:
        workers: the number of processes; by default 1, and on a cluster one for each core.
        cluster: the address of a Ray cluster, or "auto" for the one that runs on this machine.

    Attributes:
        size: the number of workers at the beginning.
        alive: the numbers of those that are left, from 0 on; some may not have started yet.
    """

    def __init__(self, workers: int | None, cluster: str | None) -> None:
        if workers is not None and workers < 1:
            raise OutplayError(f"workers={workers}: give a number from 1 up")
        self.pool = pool_of(cluster)
        self.size = workers or self.pool.cores()
        self.alive = {self.pool.start() for _ in range(self.size)}
        self._idle: set[int] = set()
        self._busy: dict[int, tuple[str, str]] = {}  # the kind of job, and the machine
        self._machines: dict[int, str] = {}  # of workers that have made their object
        self._compiled: set[tuple[str, str]] = set()  # kinds of jobs, by machine
        self._code = packed(perform)
        self._recipe = b""

    def keep(self, make: Callable[[Any], Any], argument: Any) -> None:
        """Have each worker keep the object `make(argument)` from its next job on."""
        self._recipe = packed(((MAKE, (make, argument)), {}))
        self._machines.clear()

    def spread(
        self,
        kind: str,
        next_job: Callable[[int], tuple[str, tuple[Any, ...]] | None],
        take: Callable[[int, Any], None],
        check: Callable[[], None],
    ) -> None:
        """Call methods of the objects, as long as there are jobs, and wait until all are done.

        When a machine has its first job of a kind, one of its workers does it alone: it compiles what the others then
        load.

        Args:
            kind: what the jobs do; empty if nothing has to be compiled for them.
            next_job: the method to call next, and its arguments, for this worker; None if there is nothing to do now.
            take: called with the worker and the result.
            check: called while no worker has a job yet; it may raise an error to give up.

        Raises `WorkerLost` if a worker died in a job, and `OutplayError` if none is left. An error in a job is raised.
        """
        while True:
            self._give(kind, next_job)
            if not self._busy:
                if self._idle:
                    return
                check()
            self._wait(take)

    def _give(self, kind: str, next_job: Callable[[int], tuple[str, tuple[Any, ...]] | None]) -> None:
        for worker in sorted(self._idle):
            if worker not in self._machines:
                self._send(worker, (MAKE, ""), self._recipe)
                continue
            task = kind, self._machines[worker]
            if kind and task not in self._compiled and task in self._busy.values():
                continue
            job = next_job(worker)
            if job is not None:
                self._send(worker, task, packed((job, {})))

    def _send(self, worker: int, task: tuple[str, str], data: bytes) -> None:
        self._idle.remove(worker)
        self._busy[worker] = task
        self.pool.send(worker, ("function", worker, self._code))
        self.pool.send(worker, ("job", worker, data))

    def _wait(self, take: Callable[[int, Any], None] | None) -> None:
        """Wait for an event; results are lost without `take`."""
        event = self.pool.wait(0.2)
        if event is None:
            return
        worker, kind, _, data = event
        if kind == "lost":
            self._lose(worker, data.decode())
            return
        task = self._busy.pop(worker, None)
        self._idle.add(worker)
        if kind == "failed":
            raise_failure("", data)
        if task is None:
            return  # it is ready
        result = pickle.loads(data)  # noqa: S301 - from our own processes
        if task[0] == MAKE:
            self._machines[worker] = result
            return
        self._compiled.add(task)
        if take is not None:
            take(worker, result)

    def _lose(self, worker: int, code: str) -> None:
        """Go on without a worker that has died."""
        self.pool.kill(worker)
        self.alive.discard(worker)
        self._idle.discard(worker)
        was_busy = self._busy.pop(worker, None)
        if not self.alive:
            raise OutplayError(
                f"no worker is left: the last one died (exit code {code}; -9 is kill, often for lack of memory)"
            )
        if was_busy is not None:
            while self._busy:
                self._wait(None)
            time.sleep(self.pool.grace)
            raise WorkerLost

    def close(self) -> None:
        """End all workers."""
        self.pool.close()


def perform(job: tuple[str, Any]) -> Any:
    """Do a job, in a worker."""
    method, arguments = job
    if method == MAKE:
        make, argument = arguments
        _objects.clear()
        _objects.append(make(argument))
        return platform.node()
    return getattr(_objects[0], method)(*arguments)
