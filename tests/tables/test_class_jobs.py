"""Tables by class by several processes: the same bytes, whoever does what, in whatever order, and whoever dies."""

import pickle
import random

import numpy as np
import pytest

from outplay import Tablebase
from outplay.parallel.jobs import LATER, JobResult
from outplay.rules.errors import OutplayError, UnsuitableGame
from outplay.tables import class_jobs
from outplay.tables.class_jobs import Plan, leads_to, solve_by_workers
from outplay.tables.class_making import ClassFolder
from outplay.tables.classes import solve_classes
from outplay.tables.making import Making
from outplay.tables.numbering import DISTANCES
from tables.test_class_making import Killed, content_of, folder, small_parts  # noqa: F401 - fixtures
from tables.test_endgames import Race

pytestmark = pytest.mark.compiled


def workers_here(rng, deaths):
    """In place of `finished_jobs`: three workers in this process, who end in any order. Some die within a job or after
    it, and the job is done again.
    """

    def finished_jobs(function, arguments, **_):
        arguments, running, number = iter(arguments), [], 0
        while True:
            while len(running) < 3 and (argument := next(arguments, None)) not in (None, LATER):
                running.append((number, argument))
                number += 1
            if not running:
                return
            job = running[rng.integers(len(running))]
            try:
                value = function(pickle.loads(pickle.dumps(job[1])))
            except Killed:
                deaths.append("within")
                continue
            if rng.random() < 0.2:
                deaths.append("after")
                continue
            running.remove(job)
            yield JobResult(*job, value)

    return finished_jobs


@pytest.mark.sample(1)
@pytest.mark.parametrize("distance_to", DISTANCES)
@pytest.mark.usefixtures("small_parts")
def test_whoever_does_what_the_table_is_the_same(monkeypatch, folder, distance_to):  # noqa: F811
    rng, deaths = np.random.default_rng(5), []
    wanted = content_of(solve_classes(Race(), ["3"], 100, distance_to=distance_to), folder)

    def clean(self, clean=Making.remove_other_files):
        if rng.random() < 0.02:
            raise Killed
        clean(self)

    monkeypatch.setattr(Making, "remove_other_files", clean)
    monkeypatch.setattr(class_jobs, "finished_jobs", workers_here(rng, deaths))
    for attempt in range(4):
        parts = ClassFolder(folder / f"making {attempt}", "mark", 1e9, 0.01)
        found = solve_by_workers(Race(), ["3"], 100, None, 3, None, None, parts, distance_to)
        assert content_of(found, folder) == wanted
    assert {"within", "after"} <= set(deaths)


def test_what_is_solved_already_is_not_solved_again(monkeypatch, folder):  # noqa: F811
    before, done = solve_classes(Race(), ["1"], 100), []
    solve = class_jobs.solve_class
    monkeypatch.setattr(class_jobs, "solve_class", lambda job: done.append(job.number) or solve(job))
    reports = []
    progress = lambda found, done: reports.append((found, done))  # noqa: E731
    found = solve_by_workers(
        Race(), ["2"], 100, progress, 1, None, before, ClassFolder(folder / "making", "mark", 1e9), "end"
    )
    assert set(done) == {2}
    assert list(found.about) == [0, 1, 2]
    assert content_of(found, folder) == content_of(solve_classes(Race(), ["2"], 100), folder)
    assert reports[-1] == (Race().index_count(2),) * 2


def test_a_guess_of_what_is_needed_finds_classes_to_solve_meanwhile():
    assert leads_to(Race(), 2) <= {0, 1}
    assert 1 in leads_to(Race(), 2)


def test_a_plan_solves_each_class_once_and_after_those_it_needs():
    needs = {each: {other for other in range(each) if (each * 7 + other) % 3} for each in range(30)}
    for seed in range(20):
        rng, plan, solved, running = random.Random(seed), Plan(Race(), set()), [], []
        plan.want(29)
        numbers = plan.numbers()
        while (number := next(numbers, None)) is not None:
            if number is not LATER:
                running.append(number)
            if number is LATER or rng.random() < 0.5:
                each = running.pop(rng.randrange(len(running)))
                if needs[each] <= set(solved):
                    solved.append(each)
                    plan.finish(each, set())
                else:  # it knows only some of what it needs
                    missing = needs[each] - set(solved)
                    plan.finish(each, set(rng.sample(sorted(missing), rng.randint(1, len(missing)))))
        assert len(solved) == len(set(solved))
        assert 29 in solved


def test_classes_in_a_circle():
    plan = Plan(Race(), set())
    plan.want(2)
    plan.finish(2, {1})
    with pytest.raises(OutplayError, match="class 2 leads to class 1 and back"):
        plan.finish(1, {0, 2})


def test_a_game_without_classes(folder):  # noqa: F811
    from outplay.games import Nim

    with pytest.raises(UnsuitableGame, match="by class"):
        solve_by_workers(Nim(), ["1"], 100, None, 2, None, None, ClassFolder(folder / "making", "mark", 1e9), "end")


@pytest.mark.nightly
def test_two_processes(folder):  # noqa: F811
    """Real ones, from `make`; the game travels to them."""
    one, two = folder / "one.table", folder / "two.table"
    Tablebase.make(Race(), classes=["3"], file=one, threads=1)
    Tablebase.make(Race(), classes=["3"], file=two, workers=2)
    assert one.read_bytes() == two.read_bytes()
    assert sorted(folder.iterdir()) == [one, two]
