"""Processes that work on the partitions of a table, and how many each is given; on this machine or in a cluster.

All of them map the files of the folder, so it must be one that all machines share. This process says how far the work
is, and gives a worker some partitions at a time. The worker does what a thread would do, and answers how far these
partitions are then. What lies beyond has not happened: when a worker dies, the work goes on from the last checkpoint.
"""

import contextlib
import math
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.engine.runner import SearchRunner
from outplay.parallel.crew import Crew
from outplay.rules.errors import TableError
from outplay.rules.game import Game
from outplay.tables.checkpoint import CHECKPOINT
from outplay.tables.making import Making, State
from outplay.tables.partitions import PARTITIONS
from outplay.tables.teams import SEGMENT_SECONDS, Team, prepare

JOB_SECONDS = 0.2
"""A worker ends its job after this time, between two partitions."""
LEAST_SECONDS = 0.005
"""What takes less time than this is one job, although another worker may wait for its end: a job costs about 2 ms."""
Job = tuple[str, tuple[Any, ...]]
"""A method of `Replica`, and its arguments."""
MAIL = "exchange.incoming", "exchange.outgoing"


class About(NamedTuple):
    """What a worker has to know of a table."""

    game: Game
    states: list[Any]
    size: int
    """The number of workers."""
    memory: float
    folder: Path
    disk: float
    distances: bool


class Answer(NamedTuple):
    """What a worker has done."""

    finished: list[int]
    """The partitions in which it has done all."""
    touched: NDArray[np.int64]
    """Those in which it has done something."""
    columns: dict[str, NDArray[Any]]
    """How far these are."""
    sent: NDArray[np.int64]
    """The number of messages from this worker to each partition."""
    utilities: list[float]
    """All utilities that it knows."""
    wide: list[list[int]]
    """The cells of states that the codec cannot encode."""
    pace: float
    """The seconds for each of the partitions."""


class ProcessTeam(Team):
    """Processes that work on partitions at the same time. Close it when the work is done.

    Args:
        workers: the number of processes; on a cluster, by default, one for each core.
        cluster: the address of a Ray cluster, or "auto" for the one that runs on this machine.
    """

    needs_files = True

    def __init__(self, workers: int | None, cluster: str | None = None) -> None:
        super().__init__(1)
        self.crew = Crew(workers, cluster)
        self.size = self.crew.size
        self.paces: dict[str, float] = {}
        """For each method that some worker has called, the seconds for a partition, as it was last."""

    def begin(self, making: Making) -> None:
        """Have the workers make their part of a table anew."""
        self.making = making
        assert making.folder is not None, "it needs files"
        setup = About(
            making.game, making.states, self.size, making.graph.memory / self.size, making.folder, making.disk,
            making.distances,
        )  # fmt: skip
        self.crew.keep(Replica, setup)

    def over_partitions(self, stage: Any, method: str, done: NDArray[np.uint8]) -> bool:
        """Let the workers work on all partitions that are not done; whether all are done then."""
        self.check()
        self.making.graph.check_disk()
        left = {number for number in range(PARTITIONS) if not done[number]}
        partitions_of: dict[int, list[int]] = {}
        end = time.monotonic() + SEGMENT_SECONDS

        def next_job(worker: int) -> Job | None:
            if not left or self.stopped or time.monotonic() > end or getattr(stage, "wide", None):
                return None
            workers = sorted(self.crew.alive)
            place, pace = workers.index(worker), self.paces.get(method)
            own = sorted(number for number in left if number % len(workers) == place)  # maybe in its memory
            if pace is None:
                partitions_of[worker] = (own or sorted(left))[:1]  # the others wait for the code
            elif pace * len(left) < LEAST_SECONDS:
                partitions_of[worker] = sorted(left)
            else:
                partitions_of[worker] = some_of(own or sorted(left), pace)
            left.difference_update(partitions_of[worker])
            return "work", (method, self.making.state(), worker, partitions_of[worker])

        def take(worker: int, answer: Answer) -> None:
            left.update(set(partitions_of[worker]).difference(answer.finished))
            self.paces[method] = answer.pace
            self.take(worker, answer)

        self.crew.spread(method, next_job, take, self.check)
        return bool(done.all())

    def take(self, worker: int, answer: Answer) -> None:
        """Note what a worker has done."""
        exploration = self.making.exploration
        _, arrays = self.making.state()
        for name, column in answer.columns.items():
            arrays[name][..., answer.touched] = column
        self.making.exchange.outgoing.counts[worker] = answer.sent
        for utility in answer.utilities:
            exploration.add_utility(utility)
        exploration.wide += answer.wide

    def for_each(self, stage: Any, method: str, numbers: range, take: Callable[[Any], None]) -> None:
        """Call `take(stage.method(number))` for each number, in order, until `SEGMENT_SECONDS` have passed."""
        end, state = time.monotonic() + SEGMENT_SECONDS, self.making.state("writing")
        left, awaited, results, informed = deque(numbers), deque(numbers), dict[int, Any](), set[int]()

        def next_job(worker: int) -> Job | None:
            if not left or self.stopped or time.monotonic() > end:
                return None
            news = None if worker in informed else state
            informed.add(worker)
            return "one", (method, news, left.popleft())

        def keep(_: int, result: tuple[int, Any]) -> None:
            results.update([result])
            while awaited and awaited[0] in results:
                take(results.pop(awaited.popleft()))

        self.crew.spread("", next_job, keep, self.check)
        self.check()

    def close(self) -> None:
        """End the processes."""
        self.crew.close()


def some_of(left: list[int], pace: float) -> list[int]:
    """The next partitions for a worker: fewer and fewer, so that all workers end at about the same time."""
    return left[: max(math.ceil(LEAST_SECONDS / pace), len(left) * 3 // 4)]


class Unfinished(Exception):
    """A worker has to hear from the others before it can go on."""


class Share(Team):
    """What a worker is of a team."""

    def __init__(self, size: int) -> None:
        super().__init__(1)
        self.size = size

    def agree(self) -> None:
        """The number of a new utility has to be agreed on."""
        raise Unfinished


class Replica:
    """The table in a worker, which is as far as it is told before each job."""

    def __init__(self, setup: About) -> None:
        if not (setup.folder / CHECKPOINT).is_file():
            raise TableError(
                f"{setup.folder} is not there for a worker: name a file in a folder that all machines share"
            )
        self.team = Share(setup.size)
        self.making = Making(setup.game, setup.states, self.team, setup.memory, setup.folder, distances=setup.distances)
        self.making.graph.folder, self.making.graph.disk = setup.folder, setup.disk

    def work(self, method: str, state: State, worker: int, numbers: list[int]) -> Answer:
        """Work on some partitions, until the time is over."""
        answer: Answer = deep(lambda: self._work(method, state, worker, numbers))
        return answer

    def _work(self, method: str, state: State, worker: int, numbers: list[int]) -> Answer:
        making, finished, touched, end = self.making, list[int](), list[int](), time.monotonic() + JOB_SECONDS
        making.use(*state)  # it may be this process that frees the memory of a file that has been removed
        making.exploration.wide = []
        stage: Any = making.stage
        run = getattr(stage, method)

        def some(thread: int, *span: int) -> None:
            touched.extend(range(*span))
            run(thread, *span)
            finished.extend(range(*span))

        prepare(stage, method)
        begin = time.monotonic()
        with contextlib.suppress(Unfinished):
            self.team.work_on_spans(making.graph, some, worker, numbers, end)
        pace = (time.monotonic() - begin) / max(1, len(finished))
        _, arrays = making.state()
        places = np.array(touched, np.int64)
        columns = {name: array[..., places] for name, array in arrays.items() if name not in MAIL}
        mail_counts = making.exchange.outgoing.counts[worker]
        exploration = making.exploration
        return Answer(finished, places, columns, mail_counts, exploration.utilities, exploration.wide, pace)

    def one(self, method: str, state: State | None, number: int) -> tuple[int, Any]:
        """`stage.method(number)`, with the number; without a state, it is as far as it was."""
        if state is not None:
            self.making.use(*state)
        return number, getattr(self.making.stage, method)(number)


def deep(work: Any) -> Any:
    """The result of `work()`, with a stack on which all rules can be compiled."""
    return SearchRunner(None, lambda: 1, lambda _: None).run(work)
