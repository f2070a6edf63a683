"""Pure jobs: the same results for any number of workers, killed or not; errors, Ctrl-C, code that travels."""

import os
import pickle
import signal
import subprocess
import sys
import time
from collections import Counter, deque
from pathlib import Path

import pytest
from shared import PATIENCE
from shared.ray_nodes import two_nodes

from outplay import OutplayError, RulesError
from outplay.parallel import JobError, crew, finished_jobs, job_seed, run_jobs
from outplay.parallel.code_transport import unpacked
from outplay.session.load import load_game


def drawn(argument, *, seed):
    import numpy as np

    return argument, seed, np.random.default_rng(seed).random(3).tolist()


def square(number):
    return number * number


def killed_once(path):
    """Kill the worker the first time."""
    if not Path(path).exists():
        Path(path).write_text("killed")
        os.kill(os.getpid(), signal.SIGKILL)
    return Path(path).name


def deadly(number):
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def failing(number):
    if number == 1:
        raise RulesError("the rules are wrong")
    return 1 // (number - 2)


def sleep(seconds):
    time.sleep(seconds)
    return seconds


def size_of(game):
    return game.initial_state(), repr(game), [os.environ[name] for name in ("OMP_NUM_THREADS",)]


def test_the_results_do_not_depend_on_the_number_of_workers():
    one = run_jobs(drawn, "abcdef", seed=5)
    assert [row[0] for row in one] == list("abcdef")
    assert one == run_jobs(drawn, "abcdef", seed=5, workers=2) == run_jobs(drawn, "abcdef", seed=5, workers=3)
    assert one != run_jobs(drawn, "abcdef", seed=6)
    assert len({job_seed(5, number) for number in range(1000)}) == 1000


def test_results_as_they_come_have_their_numbers():
    found = list(finished_jobs(square, [3, 4, 5], workers=2))
    assert sorted((each.number, each.argument, each.value) for each in found) == [(0, 3, 9), (1, 4, 16), (2, 5, 25)]


def test_arguments_are_taken_when_they_are_needed():
    def endless():
        number = 0
        while True:
            yield number
            number += 1

    for count, _ in enumerate(finished_jobs(square, endless(), workers=2)):
        if count == 5:
            break


def test_a_killed_worker_costs_its_job_only(tmp_path):
    paths = [str(tmp_path / str(number)) for number in range(4)]
    assert run_jobs(killed_once, paths, workers=2) == ["0", "1", "2", "3"]


def test_a_job_that_kills_its_workers_is_named():
    with pytest.raises(JobError, match=r"job 2, deadly\(2\): its worker died 3 times \(exit code -9"):
        run_jobs(deadly, range(4), workers=2)


@pytest.mark.parametrize("workers", [1, 2])
def test_errors_name_the_job_and_keep_their_class(workers):
    with pytest.raises(RulesError, match=r"job 0, failing\(1\): the rules are wrong"):
        run_jobs(failing, [1], workers=workers)
    with pytest.raises(
        JobError, match=r"job 0, failing\(2\): ZeroDivisionError: .* at .*test_parallel.py:\d+"
    ) as found:
        run_jobs(failing, [2], workers=workers)
    assert isinstance(found.value.__cause__, ZeroDivisionError)


def test_a_late_job_is_named():
    with pytest.raises(JobError, match=r"job [01], sleep\(1000\): not finished after 2 s"):
        run_jobs(sleep, [1000, 1000], workers=2, timeout=2)


def test_what_is_done_is_kept_and_not_done_again():
    done = {}
    with pytest.raises(JobError):
        run_jobs(deadly, range(3), workers=2, done=done)
    assert done.items() <= {0: 0, 1: 1}.items()
    done[2] = 7
    seen = []
    assert run_jobs(deadly, range(3), workers=2, done=done, progress=lambda *now: seen.append(now)) == [0, 1, 7]
    assert not seen or seen[-1] == (3, 3)


def test_no_jobs_need_no_worker():
    assert run_jobs(square, [], workers=2) == []


def test_wrong_arguments_and_functions_that_cannot_be_sent():
    with pytest.raises(OutplayError, match="workers=0"):
        run_jobs(square, [1], workers=0)
    with pytest.raises(OutplayError, match="seed=-1"):
        run_jobs(drawn, [1], seed=-1)
    with pytest.raises(OutplayError, match="define it by def"):
        run_jobs(lambda x: x, [1], workers=2)
    with pytest.raises(OutplayError, match=r"job 0, square\(.*lambda"):
        run_jobs(square, [lambda x: x], workers=2)


def test_a_game_from_a_file_travels_with_what_it_imports(tmp_path):
    (tmp_path / "neighbour.py").write_text("SIZE = 6\n")
    file = tmp_path / "travelling.py"
    file.write_text(
        "from neighbour import SIZE\nfrom outplay import Game\nclass Far(Game):\n    compiled = False\n"
        "    def initial_state(self): return SIZE\n    def to_move(self, s): return 0\n"
        "    def actions(self, s): return [0]\n    def result(self, s, a): return s\n"
        "    def is_terminal(self, s): return True\n    def utility(self, s, p): return 0\n"
    )
    game = load_game(str(file))
    assert run_jobs(size_of, [game] * 2, workers=2) == [(6, "Far()", ["1"])] * 2


class Here:
    """In place of a pool: workers that do a job when its end is waited for; one of them dies in its second job."""

    grace = 0

    def __init__(self, deadly):
        self.deadly, self.events, self.jobs, self.log = deadly, deque(), Counter(), []

    def start(self):
        self.events.append((len(self.events), "ready", -1, b""))
        return len(self.events) - 1

    def send(self, worker, message):
        if message[0] == "job":
            self.jobs[worker] += 1
            self.log.append(f"give {worker}")
            job, _ = unpacked(message[2])
            event = worker, "done", 0, pickle.dumps(crew.perform(job))
            self.events.append(
                event if (worker, self.jobs[worker]) != (self.deadly, 3) else (worker, "lost", -1, b"-9")
            )

    def wait(self, _):
        return self.events.popleft()

    def kill(self, worker):
        self.log.append(f"lost {worker}")


@pytest.mark.parametrize("deadly", [None, 1])
def test_a_crew_compiles_once_and_tells_of_the_dead(monkeypatch, deadly):
    monkeypatch.setattr(crew, "pool_of", lambda _: Here(deadly))
    team, left, taken = crew.Crew(3, None), list(range(9)), []
    team.keep(str, "aabbb")

    def spread():
        def next_job(_):
            return ("count", ("ab"[left.pop() % 2],)) if left else None

        team.spread("kind", next_job, lambda worker, found: taken.append((worker, found)), lambda: None)

    if deadly is None:
        spread()
        assert sorted(found for _, found in taken) == [2] * 5 + [3] * 4
    else:
        with pytest.raises(crew.WorkerLost):
            spread()
        assert team.alive == {0, 2}
        done = len(taken)
        spread()  # what was given to others when it died is lost, too
        assert {worker for worker, _ in taken[done:]} <= {0, 2}
        assert not left
    log = team.pool.log
    assert log[:3] == ["give 0", "give 1", "give 2"]  # to make their objects
    assert len(taken) > 2
    first, second = (taken[0][0], log[3])
    assert second == f"give {first}"
    assert log[4] == "give 0"  # after the first job of this kind, which one worker did alone


def test_a_crew_with_nothing_to_compile_begins_at_once(monkeypatch):
    monkeypatch.setattr(crew, "pool_of", lambda _: Here(None))
    team, left = crew.Crew(3, None), list(range(9))
    team.keep(str, "aabbb")
    team.spread("", lambda _: ("count", ("ab"[left.pop() % 2],)) if left else None, print, print)
    assert team.pool.log[3:6] == ["give 0", "give 1", "give 2"]


SCRIPT = """
import sys, time
from typing import NamedTuple
from outplay.parallel import run_jobs
print("once")
TABLE = {"a": 1}
twice = lambda n: 2 * n
class Point(NamedTuple):
    x: int
def job(n):
    return Point(twice(n) + TABLE["a"])
def wait(n):
    open(f"started{n}", "w").close()
    time.sleep(n)
done = {}
try:
    if sys.argv[1] == "job":
        print(run_jobs(job, [1, 2], workers=2))
    else:
        run_jobs(wait, [0, 600, 601], workers=2, done=done)
except KeyboardInterrupt:
    print("kept", done)
"""


def test_the_code_of_a_script_travels_without_running_it_again(python, tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    assert python("script.py", "job") == "once\n[Point(x=3), Point(x=5)]"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_all_workers_and_keeps_results(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    process = subprocess.Popen([sys.executable, "script.py", "wait"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    while not all((tmp_path / f"started{n}").exists() for n in (600, 601)):
        assert process.poll() is None
        time.sleep(0.02)
    listed = ["ps", "-o", "pid=", "--ppid", str(process.pid)]
    children = subprocess.run(listed, capture_output=True, text=True, check=True).stdout
    assert len(children.split()) >= 2
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=PATIENCE)[0].split("\n")[1] == "kept {0: None}"
    for child in children.split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(child), 0)


CLUSTER = """
import os, signal, sys, time
from outplay.parallel import job_seed, run_jobs
def work(n, *, seed):
    time.sleep(1.5)
    return n, seed
def progress(done, of):
    if done == 2:
        os.kill(int(sys.argv[2]), signal.SIGKILL)
found = run_jobs(work, range(6), seed=3, cluster=sys.argv[1], progress=progress)
print("same", found == [(n, job_seed(3, n)) for n in range(6)])
"""


@pytest.mark.nightly
def test_a_node_of_a_cluster_is_killed_in_the_middle(tmp_path):
    pytest.importorskip("ray")
    (tmp_path / "script.py").write_text(CLUSTER)
    with two_nodes(6427) as raylet:
        done = subprocess.run(
            [sys.executable, "script.py", "127.0.0.1:6427", raylet],
            cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=True,
        )  # fmt: skip
        assert "same True" in done.stdout
