"""Tables by class go on from any checkpoint, and are the same then."""

import itertools
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from shared import is_searching

from outplay import Tablebase, TableError
from outplay.games import Chess
from outplay.tables import making
from outplay.tables.checkpoint import remove_parts
from outplay.tables.class_expansion import TO_STAGE
from outplay.tables.class_file import write_classes
from outplay.tables.class_making import ClassFolder
from outplay.tables.classes import solve_classes
from outplay.tables.making import Making
from outplay.tables.retrograde import Retrograde
from tables.test_endgames import Race

pytestmark = pytest.mark.compiled


class Killed(BaseException):
    """Ends the work at once, as kill -9 does."""


class Fewer(Race):
    """Other rules."""

    def actions(self, state):
        return super().actions(state)[:2]


class Slope(Race):
    """The first player goes down, which is a conversion, or stays; going up costs a man."""

    compiled = False

    def actions(self, state):
        zero, _, men, turn = state
        if turn == 1:
            return super().actions(state)
        return [step for step in (0, 1, 2) if 0 <= zero + step - 1 < 6 and (step < 2 or men > 0)]

    def result(self, state, step):
        zero, one, men, turn = state
        return (zero + step - 1, one, men - (step == 2), 1) if turn == 0 else super().result(state, step)

    def index_stage(self, state):
        return state[0]


@pytest.fixture
def folder():
    """A folder in memory, where there is one."""
    shared = "/dev/shm"
    with tempfile.TemporaryDirectory(dir=shared if os.path.isdir(shared) else None) as path:
        yield Path(path)


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr("outplay.tables.class_exploration.LEAST_BITS", 2)
    monkeypatch.setattr("outplay.tables.teams.SPAN_BYTES", 2000)
    monkeypatch.setattr("outplay.tables.exchange.BUDGET", 50)


@pytest.fixture
def in_files(small_parts, monkeypatch):
    """All classes are solved in files, with a checkpoint after each step."""
    begin = ClassFolder.__init__
    monkeypatch.setattr(ClassFolder, "__init__", lambda self, path, mark, disk, _=0: begin(self, path, mark, disk, -1))
    monkeypatch.setattr("outplay.tables.teams.SEGMENT_SECONDS", 0)


def made(path, game=None, **options):
    """The table of a race with two men left, and those it leads to."""
    return Tablebase.make(game or Race(), classes=["2"], file=path, **{"check": False} | options)


def content_of(classes, folder):
    """The bytes of a file with these classes."""
    write_classes(folder / "table", {}, classes.solved, classes.about)
    content = (folder / "table").read_bytes()
    (folder / "table").unlink()
    return content


@pytest.mark.parametrize("distance_to", ["end", "conversion"])
def test_a_table_that_is_killed_again_and_again(in_files, monkeypatch, folder, distance_to):
    """At any step of the work, and while a checkpoint is written."""
    game = Slope() if distance_to == "conversion" else Race()
    rng, left, restored = np.random.default_rng(1), [0], set()
    wanted = content_of(solve_classes(game, ["2"], 100, distance_to=distance_to), folder)

    def step():
        left[0] -= 1
        if left[0] == 0:
            raise Killed

    def clean(self, clean=Making.remove_other_files):
        step()
        clean(self)

    def record(*args, record=making.record):
        for part in record(*args):
            step()
            yield part

    def restore(self, path, restore=Making.restore):
        restore(self, path)
        restored.add((self.counts == TO_STAGE, type(self.stage).__name__))

    monkeypatch.setattr(Making, "remove_other_files", clean)
    monkeypatch.setattr(Making, "restore", restore)
    monkeypatch.setattr("outplay.tables.making.record", record)
    monkeypatch.setattr("outplay.tables.class_making.record", record)
    kills = 0
    for _, threads in zip(range(4), itertools.cycle([1, 2, 3])):
        found = None
        while not found:
            left[0] = int(rng.integers(1, 60))
            try:
                parts = ClassFolder(folder / "making", "mark", 1e9)
                found = solve_classes(game, ["2"], 100, threads=threads, folder=parts, distance_to=distance_to)
            except Killed:
                kills += 1
        assert content_of(found, folder) == wanted
        remove_parts(folder / "making")
    assert kills > 15
    agains = {False, distance_to == "conversion"}
    assert restored == set(itertools.product(agains, ["ClassExploration", "Retrograde"]))
    assert not list(folder.iterdir())


@pytest.fixture
def begun(in_files, monkeypatch, folder):
    """The path of a table that Ctrl-C has stopped while values were found."""
    main, sent = threading.get_ident(), []

    def step(self, step=Retrograde.step):
        if not sent and self.spans.any():
            sent.append(True)
            while not is_searching(main):
                time.sleep(0.001)
            signal.pthread_kill(main, signal.SIGINT)
            while not self.team.stopped:
                time.sleep(0.001)
        return step(self)

    with monkeypatch.context() as patch:
        patch.setattr(Retrograde, "step", step)
        assert made(folder / "table", threads=1) is None
    return folder / "table"


def test_ctrl_c_and_then_resume(begun):
    assert (begun.with_name("table.making") / "making-0-0" / "checkpoint").exists()
    with pytest.raises(TableError, match=r"not finished: resume it \(resume=True, --resume\), or delete the folder"):
        made(begun)
    assert made(begun, resume=True).stats() == Tablebase.make(Race(), classes=["2"]).stats()
    assert list(begun.parent.iterdir()) == [begun]


def test_a_folder_of_another_table(begun):
    with pytest.raises(TableError, match=r"table\.making is of another table: of another game, rules, classes"):
        made(begun, Fewer(), resume=True)
    with pytest.raises(TableError, match="is of another table"):
        Tablebase.make(Race(), classes=["1"], file=begun, resume=True, check=False)
    with pytest.raises(TableError, match="is of another table"):
        made(begun, solved=Tablebase.make(Race(), classes=["1"], check=False), resume=True)
    with pytest.raises(TableError, match="is of another table"):
        Tablebase.make(Race(), file=begun, resume=True, check=False)
    assert made(begun, resume=True) is not None


def test_a_damaged_checkpoint(begun):
    path = begun.with_name("table.making") / "making-0-0" / "checkpoint"
    content = bytearray(path.read_bytes())
    content[-10] ^= 1
    path.write_bytes(content)
    with pytest.raises(TableError, match="it is damaged: delete it, and begin anew"):
        made(begun, resume=True)


CODE = """
import sys
from outplay import Tablebase
from outplay.games import Chess
from outplay.tables import class_making, teams

begin = class_making.ClassFolder.__init__
class_making.ClassFolder.__init__ = lambda self, path, mark, disk, _=0: begin(self, path, mark, disk, 0.1)
teams.SEGMENT_SECONDS = 0.1
Tablebase.make(Chess(), classes=["KBNK", "KPK"], file=sys.argv[1], memory_mb=600, threads=2, resume=True, check=False)
"""


@pytest.mark.nightly
def test_thirty_kills(tmp_path):
    """A class of millions of indices, so that work goes on for some seconds."""
    path, rng, kills, finished = tmp_path / "table", np.random.default_rng(1), 0, 0
    Tablebase.make(Chess(), classes=["KBNK", "KPK"], file=path)
    wanted = path.read_bytes()
    path.unlink()
    while kills < 30 or not finished:
        process = subprocess.Popen([sys.executable, "-c", CODE, path])
        try:
            assert process.wait(timeout=2 + rng.random() * 4) == 0
            assert path.read_bytes() == wanted
            path.unlink()
            finished += 1
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
