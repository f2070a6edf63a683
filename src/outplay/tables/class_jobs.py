"""Tables by class by several processes: to solve a class is a job, as soon as those that it needs are solved.

The processes share the folder of the table that is being made (class_making.py): a job finds the solved classes there,
and leaves its own. It may find out that it needs a class that is not solved yet; then it leaves what it has done so
far, says so, and is begun again later. A worker that dies costs what its job did since its last checkpoint.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from outplay.parallel.jobs import LATER, finished_jobs
from outplay.rules.game import Game, legal_actions
from outplay.tables.class_file import SolvedClasses
from outplay.tables.class_making import SOLVED_SHARE, ClassFolder
from outplay.tables.classes import Classes, check_has_classes, in_a_circle, solve_classes
from outplay.tables.exploration import Needs

SAMPLES = 200
"""The number of indices from which a job guesses what else it needs, so that all of this can be solved meanwhile."""


class Job(NamedTuple):
    """A class to be solved. `before` has the classes that were solved in another table."""

    game: Game
    number: int
    before: Classes | None
    folder: ClassFolder
    memory_mb: float
    distance_to: str


def solve_class(job: Job) -> set[int]:
    """Solve a class, and leave it in the folder; the classes that it needs first, if there are any."""
    if job.number in job.folder.solved_numbers():  # a worker died after it had been written
        return set()
    args = job.game, [job.number], job.memory_mb, None, 1, job.before, job.folder, job.distance_to
    try:
        classes = solve_classes(*args, alone=True)
    except Needs as needs:
        return leads_to(job.game, job.number) | {needs.args[0]}
    if classes is None:
        raise KeyboardInterrupt
    job.folder.save(classes.solved, {job.number: classes.about[job.number]})
    return set()


def leads_to(game: Game, number: int) -> set[int]:
    """The classes that actions from some states of a class lead to."""
    random, count, numbers = Random(number), int(game.index_count(number)), set[int]()  # noqa: S311 - not for secrets
    for _ in range(SAMPLES):
        index = random.randrange(count)
        state = game.indexed_state(number, index)
        is_hole = game.state_class(state) != number or game.state_index(state) != index
        if not is_hole and not game.is_terminal(state):
            numbers |= {int(game.state_class(game.result(state, action))) for action in legal_actions(game, state)}
    return {other for other in numbers if other >= 0} - {number}


class Plan:
    """What is to be solved, and in which order."""

    def __init__(self, game: Game, done: set[int]) -> None:
        self.game, self.done = game, done
        self.ready, self.begun = deque[int](), set[int]()
        self.waiting: dict[int, set[int]] = {}
        """What each class still needs."""

    def want(self, number: int) -> None:
        """Solve this class too."""
        if number not in self.done | self.begun:
            self.begun.add(number)
            self.ready.append(number)

    def finish(self, number: int, needs: set[int]) -> None:
        """A job is over: its class is solved, or needs others first."""
        left = needs - self.done
        if left:
            self.waiting[number] = left
            for other_class in sorted(left):
                self._check_circle(other_class, number)
                self.want(other_class)
        elif needs:  # which were solved meanwhile
            self.ready.append(number)
        else:
            self.done.add(number)
            for job_number, awaited in list(self.waiting.items()):
                awaited.discard(number)
                if not awaited:
                    del self.waiting[job_number]
                    self.ready.append(job_number)

    def _check_circle(self, start: int, end: int) -> None:
        """Raise `OutplayError` if `start` waits for `end`, in one step or more."""
        open_, visited = [start], set[int]()
        while open_:
            number = open_.pop()
            if number == end:
                raise in_a_circle(self.game, start, end)
            if number not in visited:
                visited.add(number)
                open_ += self.waiting.get(number, ())

    def numbers(self) -> Iterator[Any]:
        """The classes to be solved, one after the other; `LATER` while others must be solved first."""
        while self.begun - self.done:
            yield self.ready.popleft() if self.ready else LATER


def solve_by_workers(
    game: Game,
    wanted: Sequence[str | int],
    memory_mb: float,
    progress: Callable[[int, int], None] | None,
    workers: int | None,
    cluster: str | None,
    before: Classes | None,
    folder: ClassFolder,
    distance_to: str,
) -> Classes:
    """As `solve_classes`, by so many processes, each of which has its share of the memory."""
    check_has_classes(game)
    facts = dict(before.about) if before else {}
    solved = before.solved.copy(memory_mb * SOLVED_SHARE) if before else SolvedClasses(memory_mb * SOLVED_SHARE)
    folder.save(solved, {})  # which makes the folder
    plan = Plan(game, {*facts, *folder.solved_numbers()})
    for class_name in wanted:
        plan.want(game.parse_class(class_name) if isinstance(class_name, str) else class_name)
    share = memory_mb / (workers or 1)

    def jobs() -> Iterator[Any]:
        for number in plan.numbers():
            is_later = number is LATER
            yield number if is_later else Job(game, number, before, folder, share, distance_to)

    for result in finished_jobs(solve_class, jobs(), workers=workers, cluster=cluster):
        plan.finish(result.argument.number, result.value)
        if progress:
            size = {number: int(game.index_count(number)) for number in plan.begun}
            progress(sum(size.values()), sum(size[number] for number in plan.done & plan.begun))
    folder.restore(solved, facts)
    return Classes(game, solved, dict(sorted(facts.items())), distance_to)
