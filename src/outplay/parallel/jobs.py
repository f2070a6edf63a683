"""Pure jobs, begun again where a worker dies: `function(argument)`, here, in local processes or on a Ray cluster.

Start at `run_jobs`; `finished_jobs` gives the results as they come. A worker has one job at a time, so a worker that
dies costs at most that job, which another one does again.
"""

import pickle
import reprlib
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeVar

import numpy as np

from outplay.parallel.code_transport import packed
from outplay.parallel.processes import Pool
from outplay.rules.errors import OutplayError
from outplay.rules.user_code import describe_error

R = TypeVar("R")
LIVES = 3
"""A job that has ended this many workers is an error."""
LATER: Any = object()
"""What the iterator of arguments for `finished_jobs` gives while the next ones depend on results to come."""
_repr = reprlib.Repr()
_repr.maxother = 100


class JobError(OutplayError):
    """A job that raised an error or ended its worker; the message names the job and its argument.

    The error itself, if it can be sent, is the `__cause__`. An `OutplayError` of a job keeps its own class.
    """


@dataclass(frozen=True)
class JobResult(Generic[R]):
    """A finished job.

    Attributes:
        number: the place of the argument among the arguments, from 0.
        argument: the argument.
        value: what the function returned.
    """

    number: int
    argument: Any
    value: R


def job_seed(seed: int, number: int) -> int:
    """The seed of a job: from the seed of the call and the number of the job alone.

    >>> job_seed(7, 0) == job_seed(7, 0), job_seed(7, 0) == job_seed(7, 1)
    (True, False)
    """
    if seed < 0:
        raise OutplayError(f"seed={seed}: give a seed from 0 up")
    return int(np.random.SeedSequence(seed, spawn_key=(number,)).generate_state(1, np.uint64)[0] >> np.uint64(1))


def run_jobs(
    function: Callable[..., R],
    arguments: Iterable[Any],
    *,
    seed: int | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    timeout: float | None = None,
    progress: Callable[[int, int], object] | None = None,
    done: MutableMapping[int, R] | None = None,
) -> list[R]:
    """`function(argument)` for each argument; the results, in the order of the arguments.

    The results are the same for any number of workers. With a `seed`, each job is called as
    `function(argument, seed=job_seed(seed, number))`.

    Args:
        function: a function that depends only on its arguments.
        arguments: the arguments.
        seed: the seed of all jobs.
        workers: the number of processes; 1, the default, runs the jobs in this one. On a cluster, the default is one
            for each of its cores.
        cluster: the address of a Ray cluster, or "auto" for the one that runs on this machine.
        timeout: the seconds that a job may take; then its worker is ended, and `JobError` raised.
        progress: called with the number of finished jobs and of all jobs, after each.
        done: results by job number. These jobs are not run; the results of others are added when they come. So after
            Ctrl-C or an error, the same call continues.

    Raises `JobError` if a job fails, or an `OutplayError` of the same class as the job's. Other jobs are ended then.

    >>> import math
    >>> run_jobs(math.factorial, [3, 4, 5], workers=2)
    [6, 24, 120]
    """
    inputs = list(arguments)
    results = {} if done is None else done
    left = [(number, argument) for number, argument in enumerate(inputs) if number not in results]
    finished = len(inputs) - len(left)
    for result in _results(function, left, seed, workers, cluster, timeout):
        results[result.number] = result.value
        finished += 1
        if progress is not None:
            progress(finished, len(inputs))
    return [results[number] for number in range(len(inputs))]


def finished_jobs(
    function: Callable[..., R],
    arguments: Iterable[Any],
    *,
    seed: int | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    timeout: float | None = None,
) -> Iterator[JobResult[R]]:
    """The results as they come, in any order. The arguments are as for `run_jobs`, and are taken when they are needed.

    Workers end when the iterator is closed, or when a loop over it ends. Arguments may depend on earlier results: while
    there is none yet, their iterator gives `LATER`, and is asked again after the next result.

    >>> import math
    >>> sorted(result.value for result in finished_jobs(math.factorial, [3, 4, 5], workers=2))
    [6, 24, 120]
    """
    return _results(function, _numbered(arguments), seed, workers, cluster, timeout)


def _numbered(arguments: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    number = 0
    for argument in arguments:
        yield number, argument
        number += argument is not LATER


def _results(
    function: Callable[..., R],
    jobs: Iterable[tuple[int, Any]],
    seed: int | None,
    workers: int | None,
    cluster: str | None,
    timeout: float | None,
) -> Iterator[JobResult[R]]:
    if workers is not None and workers < 1:
        raise OutplayError(f"workers={workers}: give a number from 1 up")
    if timeout is not None and not timeout > 0:
        raise OutplayError(f"timeout={timeout}: give a number of seconds above 0")

    def options(number: int) -> dict[str, Any]:
        return {} if seed is None else {"seed": job_seed(seed, number)}

    if seed is not None:
        options(0)  # refuses a wrong one
    if cluster is None and timeout is None and workers in (None, 1):
        return _run_here(function, jobs, options)
    return _Run(function, iter(jobs), options, workers, cluster, timeout).results()


def _run_here(function: Callable[..., R], jobs: Iterable[tuple[int, Any]], options: Any) -> Iterator[JobResult[R]]:
    for number, argument in jobs:
        if argument is LATER:
            continue
        try:
            value = function(argument, **options(number))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            name = _name(function, number, argument)
            if isinstance(error, OutplayError):
                error.args = (f"{name}: {error}", *error.args[1:])
                raise
            raise JobError(f"{name}: {describe_error(error)}") from error
        yield JobResult(number, argument, value)


def _name(function: Any, number: int, argument: Any) -> str:
    """A job in words: job 3, play(17)."""
    function_name = getattr(function, "__name__", None) or getattr(getattr(function, "func", None), "__name__", "job")
    try:
        argument_text = _repr.repr(argument)
    except Exception:  # of the user's __repr__
        argument_text = type(argument).__name__
    return f"job {number}, {function_name}({argument_text})"


class _Run:
    """The jobs of one call on workers."""

    def __init__(
        self,
        function: Any,
        jobs: Iterator[tuple[int, Any]],
        options: Any,
        workers: int | None,
        cluster: str | None,
        timeout: float | None,
    ) -> None:
        self.function, self.jobs, self.options, self.timeout = function, jobs, options, timeout
        self.cluster, self.count = cluster, workers
        self.again: deque[tuple[int, Any]] = deque()  # jobs whose worker has died
        self.running: dict[int, tuple[int, Any, float]] = {}  # by worker: the job, its argument, when it must end
        self.idle: list[int] = []
        self.deaths: dict[int, int] = {}
        self.unready = 0  # workers that ended before they were ready, since one was
        self.is_over = False

    def results(self) -> Iterator[JobResult[Any]]:
        """Give out jobs and yield results; end the workers whatever happens."""
        code = packed(self.function)
        self.pool = pool_of(self.cluster)
        try:
            count = self.count or self.pool.cores()
            for _ in range(count):
                if self.next_job(peek=True) is None and self.is_over:
                    break
                self.pool.start()
            while self.running or self.again or not self.is_over:
                self.give(code)
                if not self.running and not self.again and self.is_over:
                    break
                event = self.pool.wait(self.patience())
                self.end_late()
                if event is not None and (result := self.handle(event)) is not None:
                    yield result
        finally:
            self.pool.close()

    def next_job(self, peek: bool = False) -> tuple[int, Any] | None:
        """The next job; None if there is none, for now or for good."""
        if self.again and not peek:
            return self.again.popleft()
        job = next(self.jobs, None)
        if job is not None and job[1] is LATER and not self.running and not self.again:
            job = next(self.jobs, None)  # there is nothing that it could wait for
            if job is not None and job[1] is LATER:
                raise OutplayError("jobs depend on results that no job will give: LATER, although none is running")
        self.is_over = job is None
        if job is None or job[1] is LATER:
            return None
        if peek:
            self.again.append(job)
        return job

    def give(self, code: bytes) -> None:
        """Give jobs to workers without one."""
        while self.idle and (job := self.next_job()) is not None:
            number, argument = job
            worker = self.idle.pop(0)
            try:
                data = packed((argument, self.options(number)))
            except OutplayError as error:
                raise type(error)(f"{_name(self.function, number, argument)}: {error}") from error
            self.running[worker] = number, argument, time.monotonic() + (self.timeout or 0.0)
            self.pool.send(worker, ("function", number, code))
            self.pool.send(worker, ("job", number, data))

    def patience(self) -> float | None:
        """Seconds until the first job is late."""
        if self.timeout is None or not self.running:
            return None
        return max(0.0, min(end for _, _, end in self.running.values()) - time.monotonic())

    def end_late(self) -> None:
        """Raise an error for a job that takes too long."""
        if self.timeout is None:
            return
        for number, argument, end in self.running.values():
            if time.monotonic() > end:
                name = _name(self.function, number, argument)
                raise JobError(f"{name}: not finished after {self.timeout:g} s, its timeout")

    def handle(self, event: tuple[int, str, int, bytes]) -> JobResult[Any] | None:
        """React to what a worker tells."""
        worker, kind, _, data = event
        if kind == "ready":
            self.unready = 0
            self.idle.append(worker)
            return None
        if kind == "lost":
            self.lose(worker, data.decode())
            return None
        number, argument, _ = self.running.pop(worker)
        self.idle.append(worker)
        if kind == "done":
            return JobResult(number, argument, pickle.loads(data))  # noqa: S301 - from our own processes
        return raise_failure(_name(self.function, number, argument), data)

    def lose(self, worker: int, code: str) -> None:
        """Take back the job of a worker that has died, and start another worker."""
        if worker in self.idle:
            self.idle.remove(worker)
        elif worker in self.running:
            number, argument, _ = self.running.pop(worker)
            self.deaths[number] = self.deaths.get(number, 0) + 1
            if self.deaths[number] >= LIVES:
                raise JobError(
                    f"{_name(self.function, number, argument)}: its worker died {LIVES} times (exit code {code}; -9 is"
                    " kill, often for lack of memory)"
                )
            self.again.appendleft((number, argument))
        else:
            self.unready += 1
            if self.unready >= LIVES:
                raise OutplayError(f"workers cannot be started: they end at once, with exit code {code}")
        self.pool.kill(worker)
        self.pool.start()


def pool_of(cluster: str | None) -> Any:
    """Where workers are: on this machine, or on a cluster."""
    if cluster is None:
        return Pool()
    from outplay.parallel.ray_workers import RayPool  # noqa: PLC0415 - imports Ray

    return RayPool(cluster)


def raise_failure(name: str, data: bytes) -> NoReturn:
    """Raise the error of a job, with its name, if it has one, before the message."""
    words, trace, is_own, pickled = pickle.loads(data)  # noqa: S301 - from our own processes
    before, error = name and f"{name}: ", None
    if pickled:
        try:
            error = pickle.loads(pickled)  # noqa: S301
        except Exception:  # its class is known only to the worker
            error = None
    if isinstance(error, OutplayError):
        error.args = (f"{before}{error}", *error.args[1:])
        error.add_note(f"In the worker:\n{trace}")
        raise error
    failure = (OutplayError if is_own else JobError)(f"{before}{words}")
    failure.add_note(f"In the worker:\n{trace}")
    raise failure from error
