"""Tables that are made by processes: the same file as by threads, whoever does what, and whoever dies."""

import os
import pickle
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import PATIENCE
from shared.ray_nodes import two_nodes

from outplay import Game, Tablebase
from outplay.games import ConnectFour, ManyPlayerMNK, Pig
from outplay.parallel import crew
from outplay.rules.errors import OutplayError, TableError
from outplay.tables import checkpoint, exchange, processes, retrograde, writing
from outplay.tables.making import Making
from outplay.tables.sizes import MAX_DEGREE
from outplay.tables.sorting import CHUNKS
from outplay.tables.writing import Writing
from tables.test_tables import Circles, Node, twin

pytestmark = pytest.mark.compiled

GAME = ConnectFour(width=4, height=3)


@pytest.fixture
def folder():
    """A folder in memory, where there is one: a disk can take 0.2 s to remove a file with gaps."""
    shared = "/dev/shm"
    with tempfile.TemporaryDirectory(dir=shared if os.path.isdir(shared) else None) as path:
        yield Path(path)


class Here:
    """In place of a `Crew`: its workers are objects of this process. One is chosen at random for each job, and now and
    then it dies after it has done some of it.
    """

    def __init__(self, rng, deaths):
        self.rng, self.deaths, self.size = rng, deaths, 3
        self.alive = {0, 1, 2}
        self.lost = 0

    def keep(self, make, argument):
        self.recipe, self.workers = (make, argument), []

    def spread(self, _, next_job, take, check):
        check()
        make, argument = self.recipe
        while len(self.workers) < self.size:
            self.workers.append(make(pickle.loads(pickle.dumps(argument))))
        waiting, left = [], True
        while left or waiting:
            worker = sorted(self.alive)[self.rng.integers(len(self.alive))]
            if worker not in (each for each, _ in waiting):
                job = next_job(worker)
                left = job is not None
                if left:
                    method, arguments = pickle.loads(pickle.dumps(job))
                    waiting.append((worker, getattr(self.workers[worker], method)(*arguments)))
                    if len(self.alive) > 1 and self.rng.random() < self.deaths:
                        self.alive.remove(worker)
                        self.lost += 1
                        raise crew.WorkerLost
            if waiting and (not left or self.rng.random() < 0.5 or len(waiting) == len(self.alive)):
                take(*pickle.loads(pickle.dumps(waiting.pop(self.rng.integers(len(waiting))))))

    def close(self):
        pass


@pytest.fixture
def workers_here(monkeypatch):
    """Workers that are objects of this process, and jobs of one partition or some; the latest ones are returned."""
    rng, crews = np.random.default_rng(3), []

    def new(deaths):
        def crew_here(*_):
            crews.append(Here(rng, deaths))
            return crews[-1]

        monkeypatch.setattr(processes, "Crew", crew_here)
        monkeypatch.setattr(processes, "JOB_SECONDS", 0.01)
        monkeypatch.setattr(processes, "LEAST_SECONDS", 1e-4)
        monkeypatch.setattr(writing, "LEAST_PIECES", 36)  # of 7 chunks, but the last one
        return crews

    return new


def test_whoever_does_what_the_table_is_the_same(workers_here, monkeypatch, folder):
    workers_here(0)
    Tablebase.make(GAME, threads=1).save(folder / "one.table")
    full, next_round = list[int](), exchange.Exchange.next_round

    def counted(self):
        if self.outgoing.width > retrograde.WIDTH:  # codes of successors
            full.append(self.outgoing.counts.max())
        next_round(self)

    monkeypatch.setattr(exchange.Exchange, "next_round", counted)
    monkeypatch.setattr(exchange, "ROOM", (MAX_DEGREE + 5, MAX_DEGREE + 5))  # full mailboxes, too,
    monkeypatch.setattr(processes, "JOB_SECONDS", 0.001)  # and many jobs that go on with them
    made = Tablebase.make(GAME, file=folder / "some.table", workers=3)
    assert 5 < max(full) <= 5 + 4  # a state with 4 successors may still be expanded
    assert (folder / "some.table").read_bytes() == (folder / "one.table").read_bytes()
    assert made.probe(GAME.initial_state()).value == 0


@pytest.mark.parametrize("game", [Pig(goal=6), ManyPlayerMNK(3, 2, 2)], ids=repr)
def test_chance_and_many_players(workers_here, folder, game):
    workers_here(0.05)
    Tablebase.make(game, threads=1).save(folder / "one.table")
    Tablebase.make(game, file=folder / "two.table", threads=2)
    Tablebase.make(game, file=folder / "some.table", workers=3)
    assert len({path.read_bytes() for path in folder.iterdir()}) == 1
    assert len(list(folder.iterdir())) == 3


@given(st.integers(1, 256), st.floats(1e-6, 1))
def test_jobs_become_smaller_but_not_too_small(count, pace):
    left, least = list(range(count)), processes.LEAST_SECONDS
    while left:
        some = processes.some_of(left, pace)
        assert some == left[: len(some)]
        assert len(some) * pace >= least or some == left
        assert (len(some) - 1) * pace <= least or len(some) <= 0.75 * len(left)
        left = left[len(some) :]


def test_short_rounds_are_one_job(workers_here, monkeypatch, folder):
    workers_here(0)
    jobs, spread = dict[str, list[int]](), Here.spread

    def counted(self, kind, next_job, *rest):
        jobs.setdefault(kind, []).append(0)

        def noted(worker):
            job = next_job(worker)
            jobs[kind][-1] += job is not None
            return job

        spread(self, kind, noted, *rest)

    monkeypatch.setattr(Here, "spread", counted)
    monkeypatch.setattr(processes, "JOB_SECONDS", 1e9)
    for least in (1e9, 1e-9):
        monkeypatch.setattr(processes, "LEAST_SECONDS", least)
        Tablebase.make(GAME, file=folder / "x.table", workers=3)
        rounds = jobs.pop("explore")[1:] + jobs.pop("pass_on")[1:]  # in the first ones, a job says how long it takes
        assert len(rounds) > 10
        assert set(rounds) == {1} if least > 1 else min(rounds) > 10


def test_workers_that_die_make_no_difference(workers_here, monkeypatch, folder):
    crews, game, path, begin = workers_here(0.1), Circles(), folder / "circles.table", Making.__init__
    monkeypatch.setattr(
        Making, "__init__", lambda self, *args, **more: begin(self, *args, **{**more, "save_every": 0.1})
    )
    for seed in (2, 3):
        table = Tablebase.make(game, [Node(seed, 0)], file=path, workers=3, check=False)
        assert {entry.state: (entry.value, entry.plies) for entry in table.entries()} == twin(game, Node(seed, 0), 0)
        assert list(folder.iterdir()) == [path]
    assert sum(each.lost for each in crews) > 1


class Margins(Game):
    """Many utilities, which the workers find at the same time; cells that grow."""

    def initial_state(self):
        return 1, 0

    def to_move(self, state):
        return state[1] % 2

    def actions(self, state):
        return [0, 1, 2]

    def result(self, state, action):
        return state[0] * (3 if state[1] % 2 else 2) + action, state[1] + 1

    def is_terminal(self, state):
        return state[1] == 6

    def utility(self, state, player):
        return (state[0] % 97) * (1 if player == 0 else -1)


@pytest.mark.nightly
def test_utilities_and_ranges_that_workers_find(workers_here, folder):
    workers_here(0)
    Tablebase.make(Margins(), threads=1).save(folder / "one.table")
    Tablebase.make(Margins(), file=folder / "some.table", workers=3)
    assert (folder / "some.table").read_bytes() == (folder / "one.table").read_bytes()


@pytest.mark.nightly
def test_a_process_that_is_killed_in_the_middle(folder, monkeypatch):
    """It takes some seconds: processes start, and import what they need."""
    seen, pids = [], []
    Tablebase.make(GAME, threads=1).save(folder / "one.table")
    start = crew.Crew.__init__

    def started(self, *args):
        start(self, *args)
        pids.extend(worker.process.pid for worker in self.pool.workers.values())

    def killed(self, worker, answer, take=processes.ProcessTeam.take):
        take(self, worker, answer)
        seen.append(type(self.making.stage).__name__)
        if seen.count("Retrograde") == 3 and len(pids) == 2:
            os.kill(pids.pop(), signal.SIGKILL)

    monkeypatch.setattr(processes, "LEAST_SECONDS", 1e-4)  # both have jobs in each round
    monkeypatch.setattr(crew.Crew, "__init__", started)
    monkeypatch.setattr(processes.ProcessTeam, "take", killed)
    Tablebase.make(GAME, file=folder / "two.table", workers=2)
    assert (folder / "two.table").read_bytes() == (folder / "one.table").read_bytes()
    assert len(pids) == 1


def test_all_workers_die(workers_here, monkeypatch, folder):
    def nobody(*_):
        raise OutplayError("no worker is left: the last one died")

    with monkeypatch.context() as patch:
        workers_here(0)
        patch.setattr(Here, "spread", nobody)
        with pytest.raises(OutplayError, match="no worker is left"):
            Tablebase.make(GAME, file=folder / "x.table", workers=3)
    assert (folder / "x.table.making" / checkpoint.CHECKPOINT).exists()
    assert len(Tablebase.make(GAME, file=folder / "x.table", resume=True, threads=1)) == 6027


def test_ctrl_c_keeps_what_workers_have_done(workers_here, monkeypatch, folder):
    def stopped(self, worker, answer, take=processes.ProcessTeam.take):
        take(self, worker, answer)
        if type(self.making.stage).__name__ == "Retrograde":
            self.making.stop()

    workers_here(0)
    with monkeypatch.context() as patch:
        patch.setattr(processes.ProcessTeam, "take", stopped)
        assert Tablebase.make(GAME, file=folder / "x.table", workers=3) is None
    facts, arrays = checkpoint.read_checkpoint(folder / "x.table.making")
    assert arrays[facts["names"].index("valued.linked")].any()
    Tablebase.make(GAME, threads=1).save(folder / "one.table")
    Tablebase.make(GAME, file=folder / "x.table", resume=True, workers=3)
    assert (folder / "x.table").read_bytes() == (folder / "one.table").read_bytes()


def test_files_are_removed_as_soon_as_neither_the_work_nor_the_checkpoint_needs_them(workers_here, monkeypatch, folder):
    """The only checkpoint is that before the first state."""
    workers_here(0)
    Tablebase.make(GAME, threads=1).save(folder / "one.table")
    names, clean, path = {}, Making.remove_other_files, folder / "x.table"

    def noted(self):
        clean(self)
        names[type(self.stage).__name__] = {path.name.partition("-")[0] for path in self.folder.iterdir()}
        if "Sorting" in names:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Making, "remove_other_files", noted)
        patch.setattr(Making, "save", lambda self, save=Making.save: "Sorting" in names or save(self))
        assert Tablebase.make(GAME, file=path, workers=3) is None
    found = {stage: " ".join(sorted(each - {"checkpoint", "mail"})) for stage, each in names.items()}
    assert found == {
        "CodeExploration": "codes found places sources targets",
        "Retrograde": "codes first found predecessors queue",
        "Sorting": "codes found",
    }
    Tablebase.make(GAME, file=path, resume=True, threads=1)
    assert path.read_bytes() == (folder / "one.table").read_bytes()


def test_ctrl_c_after_the_last_chunk(workers_here, monkeypatch, folder):
    def stopped(self, piece, add=Writing.add):
        add(self, piece)
        if self.done == CHUNKS:
            self.sorting.team.stop()

    workers_here(0)
    path = folder / "x.table"
    with monkeypatch.context() as patch:
        patch.setattr(Writing, "add", stopped)
        assert Tablebase.make(GAME, file=path, workers=3) is None
    Tablebase.make(GAME, threads=1).save(folder / "one.table")
    Tablebase.make(GAME, file=path, resume=True, workers=3)
    assert path.read_bytes() == (folder / "one.table").read_bytes()


def test_a_folder_that_a_worker_does_not_see(workers_here, monkeypatch, folder):
    crews = workers_here(0)
    monkeypatch.setattr(processes, "CHECKPOINT", "elsewhere")
    with pytest.raises(TableError, match=r"x\.table\.making is not there for a worker: .* all machines share"):
        Tablebase.make(GAME, file=folder / "x.table", workers=3)
    assert crews


def test_what_workers_cannot_do(folder):
    with pytest.raises(TableError, match="need a file"):
        Tablebase.make(GAME, workers=2)
    with pytest.raises(TableError, match="threads=2, workers=2: give one of them"):
        Tablebase.make(GAME, workers=2, threads=2, file=folder / "x.table")
    with pytest.raises(OutplayError, match="workers=0: give a number from 1 up"):
        Tablebase.make(GAME, workers=0, file=folder / "x.table")
    assert not list(folder.iterdir())


CLUSTER = """
import os, signal, sys
from outplay import Tablebase
from outplay.games import ConnectFour
from outplay.tables import processes

take, seen = processes.ProcessTeam.take, []

def killing(self, worker, answer):
    take(self, worker, answer)
    seen.append((type(self.making.stage).__name__, worker))
    if len({worker for stage, worker in seen if stage == "Retrograde"}) == 2 and sys.argv[2]:
        os.kill(int(sys.argv[2]), signal.SIGKILL)
        sys.argv[2] = ""

processes.ProcessTeam.take, processes.LEAST_SECONDS = killing, 1e-4
Tablebase.make(ConnectFour(width=5, height=4), file=sys.argv[3], cluster=sys.argv[1])
print("killed", not sys.argv[2], "left", len({worker for _, worker in seen[-10:]}))
"""


@pytest.mark.nightly
def test_a_node_of_a_cluster_is_killed_in_the_middle(tmp_path):
    """It takes a minute to start and to end two nodes of Ray."""
    pytest.importorskip("ray")
    (tmp_path / "script.py").write_text(CLUSTER)
    with two_nodes(6437) as raylet:
        done = subprocess.run(
            [sys.executable, "script.py", "127.0.0.1:6437", raylet, "ray.table"],
            cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
    assert "killed True left 1" in done.stdout, done.stderr
    Tablebase.make(ConnectFour(width=5, height=4), threads=1).save(tmp_path / "one.table")
    assert (tmp_path / "ray.table").read_bytes() == (tmp_path / "one.table").read_bytes()
