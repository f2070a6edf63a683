"""Tables that are made in files: the same ones, with little memory, on several threads, and from any checkpoint on."""

import errno
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from outplay import Tablebase
from outplay.cli.commands import app
from outplay.games import ConnectFour, ManyPlayerMNK, Nim, Pig, TicTacToe
from outplay.rules.errors import OutplayError, TableError
from outplay.tables import exchange, writing
from outplay.tables.checkpoint import CHECKPOINT
from outplay.tables.exchange import Exchange
from outplay.tables.file import States
from outplay.tables.making import Making
from outplay.tables.partitions import COLUMNS, LEAST_ROOM, PARTITIONS, STATES, Column, Partitions
from outplay.tables.teams import spans
from outplay.tables.writing import Blocks, Writing
from tables.test_tables import Circles, Node, twin

pytestmark = pytest.mark.compiled

GAME = ConnectFour(width=4, height=3)


def content_of(game, states, path, **options):
    """The bytes of a table that is made in a file."""
    table = Tablebase.make(game, states, file=path, **options)
    assert table is not None
    return path.read_bytes()


def steps_of(monkeypatch, each):
    """Call `each(making)` after each step of the work."""
    finish = Making.move_if_full

    def moved(self):
        finish(self)
        each(self)

    monkeypatch.setattr(Making, "move_if_full", moved)


class Killed(BaseException):
    """Ends the work at once, as kill -9 does."""


def killed_and_resumed(monkeypatch, rng, make):
    """The result of `make()`, which is killed now and then, and how often."""
    left = [0]

    def step(_):
        left[0] -= 1
        if left[0] == 0:
            raise Killed

    steps_of(monkeypatch, step)
    for times in itertools.count():
        left[0] = int(rng.integers(2, 5))
        try:
            return make(), times
        except Killed:
            continue
    raise AssertionError


@pytest.fixture
def folder():
    """A folder in memory, where there is one: a disk can take 0.2 s to remove a file with gaps."""
    shared = "/dev/shm"
    with tempfile.TemporaryDirectory(dir=shared if os.path.isdir(shared) else None) as path:
        yield Path(path)


@pytest.fixture
def in_files(monkeypatch):
    """All work is done in files from the first step on, and a checkpoint is written after every seventh one."""
    begin, save, steps = Making.__init__, Making.save, itertools.count()
    monkeypatch.setattr(Making, "save", lambda self: None if next(steps) % 7 else save(self))
    monkeypatch.setattr(
        Making, "__init__", lambda self, *args, **more: begin(self, *args, **{**more, "save_every": -1})
    )


@pytest.mark.nightly
def test_files_hold_the_same_table_as_memory(in_files, folder):
    Tablebase.make(TicTacToe(), threads=1).save(folder / "memory.table")
    found = content_of(TicTacToe(), [], folder / "files.table", threads=2, memory_mb=1, disk_mb=1000)
    assert found == (folder / "memory.table").read_bytes()
    assert sorted(path.name for path in folder.iterdir()) == ["files.table", "memory.table"]


@pytest.mark.nightly
def test_rounds_that_end_early_and_threads_make_no_difference(monkeypatch):
    rounds, next_round = list[int](), Exchange.next_round

    def counted(self):
        rounds.append(self.outgoing.senders)
        next_round(self)

    monkeypatch.setattr(Exchange, "next_round", counted)
    wanted = Tablebase.make(GAME, threads=1).states()
    few = len(rounds)
    monkeypatch.setattr(exchange, "BUDGET", 300)
    monkeypatch.setattr(exchange, "ROOM", (4200, 4200))
    for threads in (1, 2, 3):
        rounds.clear()
        found = Tablebase.make(GAME, threads=threads).states()
        assert all(np.array_equal(one, other) for one, other in zip(found, wanted, strict=True))
        assert len(rounds) > few
        assert set(rounds) == {threads}


@given(st.sets(st.integers(0, PARTITIONS - 1)), st.lists(st.integers(0, 9), min_size=PARTITIONS, max_size=PARTITIONS))
def test_spans_of_partitions(numbers, sizes):
    """They are the same partitions in the same order, and a span could not be longer."""
    wanted = sorted(numbers)
    found = list(spans(wanted, np.array(sizes), 20))
    assert [number for span in found for number in span] == wanted
    for span, after in itertools.pairwise([*found, range(0)]):
        total = sum(sizes[number] for number in span)
        assert total <= 20 or len(span) == 1
        if after:
            is_in_step = len(span) == 1 or after[0] - span[-1] == span.step
            assert total + sizes[after[0]] > 20 or not is_in_step


class Chunks:
    """Sorted states in 8 chunks, in place of a `Sorting`."""

    def __init__(self, sizes):
        self.ends = np.cumsum([0, *sizes])
        self.graph = SimpleNamespace(words=1, states=self.ends[-1])
        codes = np.arange(self.ends[-1])
        self.all = States(codes.reshape(-1, 1) ** 2, (codes % 7).astype(np.uint16), (codes % 11).astype(np.uint16))

    def begins(self):
        return self.ends

    def chunk(self, number):
        return States(*(part[self.ends[number] : self.ends[number + 1]] for part in self.all))

    def evict(self, number):
        pass


@given(st.lists(st.integers(0, 25), min_size=8, max_size=8), st.integers(0, 100))
def test_chunks_that_are_compressed_together_give_the_same_blocks(sizes, states):
    """Blocks of 10 states: a chunk may have none, or only a part of one that began before."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ("BLOCK", 10), ("CHUNKS", 8), ("LEAST_PIECES", 1), ("PIECE_STATES", states):
            patch.setattr(writing, name, value)
        chunks, found, wanted = Chunks(sizes), list[bytes](), list[bytes]()
        pieces = Writing(chunks, 1, 1)
        whole, blocks = Blocks(1, 1, 1, wanted.append), Blocks(1, 1, 1, found.append)
        whole.add_piece(whole.piece(chunks.all, 0))
        for first in range(0, len(sizes), pieces.together):
            blocks.add_piece(pieces.piece(first))
        whole.end()
        blocks.end()
    assert found == wanted
    assert blocks.firsts.tolist() == whole.firsts.tolist() == [[(at * 10) ** 2] for at in range(len(wanted))]


def test_threads_compress_the_same_file(monkeypatch, tmp_path):
    monkeypatch.setattr(writing, "PIECE_BLOCKS", 1)
    monkeypatch.setattr(writing, "BLOCK", 500)
    table = Tablebase.make(GAME, threads=1)
    for threads in (1, 3):
        table.save(tmp_path / f"{threads}.table", threads=threads)
    assert (tmp_path / "1.table").read_bytes() == (tmp_path / "3.table").read_bytes()
    with pytest.raises(OutplayError, match="threads=0"):
        table.save(tmp_path / "0.table", threads=0)


@pytest.mark.nightly
def test_a_table_that_is_killed_again_and_again(in_files, monkeypatch, folder):
    game, rng, threads, kills = Circles(), np.random.default_rng(1), itertools.cycle([1, 2, 3]), 0
    path = folder / "circles.table"
    for seed in range(3):
        root = Node(seed, 0)

        def make(root=root):
            return Tablebase.make(game, [root], file=path, resume=True, threads=next(threads), check=False)

        with monkeypatch.context() as patch:
            table, times = killed_and_resumed(patch, rng, make)
        assert {entry.state: (entry.value, entry.plies) for entry in table.entries()} == twin(game, root, 0)
        assert list(folder.iterdir()) == [path]
        kills += times
    assert kills > 3


@pytest.mark.parametrize("game", [Pig(goal=5), ManyPlayerMNK(2, 2, 2)], ids=repr)
def test_chance_and_many_players_killed_again_and_again(in_files, monkeypatch, folder, game):
    path, rng = folder / "some.table", np.random.default_rng(2)
    Tablebase.make(game, threads=1).save(folder / "wanted.table")
    with monkeypatch.context() as patch:
        _, times = killed_and_resumed(patch, rng, lambda: Tablebase.make(game, file=path, resume=True, threads=2))
    assert times > 1
    assert path.read_bytes() == (folder / "wanted.table").read_bytes()


# -- what cannot be done ----------------------------------------------------------------------------------------------


@pytest.fixture
def begun(in_files, monkeypatch, folder):
    """The path of a table that Ctrl-C has stopped."""
    with monkeypatch.context() as patch:
        steps = itertools.count()
        steps_of(patch, lambda self: self.stop() if next(steps) == 9 else None)
        assert Tablebase.make(TicTacToe(), file=folder / "x.table", threads=1) is None
    return folder / "x.table"


@pytest.mark.nightly
def test_ctrl_c_and_then_resume(begun):
    assert not begun.exists()
    with pytest.raises(TableError, match=r"not finished: resume it \(resume=True, --resume\), or delete the folder"):
        Tablebase.make(TicTacToe(), file=begun)
    table = Tablebase.make(TicTacToe(), file=begun, resume=True)
    assert table.stats() == Tablebase.make(TicTacToe()).stats()
    assert list(begun.parent.iterdir()) == [begun]


@pytest.mark.nightly
def test_a_folder_of_another_table(begun):
    game = TicTacToe()
    with pytest.raises(TableError, match="is of another table"):
        Tablebase.make(GAME, file=begun, resume=True)
    with pytest.raises(TableError, match="is of another table"):
        Tablebase.make(game, [game.result(game.initial_state(), 0)], file=begun, resume=True)
    with pytest.raises(TableError, match="is of another table"):
        Tablebase.make(game, file=begun, resume=True, distances=False)
    assert Tablebase.make(game, file=begun, resume=True) is not None


def test_a_damaged_checkpoint(begun):
    path = begun.with_name("x.table.making") / CHECKPOINT
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 255
    path.write_bytes(content)
    with pytest.raises(TableError, match="has no checkpoint to go on from"):
        Tablebase.make(TicTacToe(), file=begun, resume=True)


def test_files_of_the_folder_are_missing(begun):
    for path in begun.with_name("x.table.making").glob("*-*"):
        path.unlink()
    with pytest.raises(TableError, match=r"-\d+ is missing: delete .*x\.table\.making, and begin anew"):
        Tablebase.make(TicTacToe(), file=begun, resume=True)


@pytest.mark.nightly
def test_a_folder_without_a_checkpoint_has_just_begun(folder):
    parts = folder / "x.table.making"
    parts.mkdir()
    (parts / "codes-1").write_bytes(b"something")
    assert Tablebase.make(TicTacToe(), file=folder / "x.table") is not None
    assert list(folder.iterdir()) == [folder / "x.table"]


def test_files_of_others_are_kept(folder):
    parts = folder / "x.table.making"
    parts.mkdir()
    (parts / "notes.txt").write_text("mine")
    with pytest.raises(TableError, match="not finished"):
        Tablebase.make(TicTacToe(), file=folder / "x.table")
    assert (parts / "notes.txt").read_text() == "mine"


@pytest.mark.nightly
def test_a_disk_that_does_not_suffice(folder):
    with pytest.raises(OutplayError, match=r"fit into 1 megabytes of .*x\.table\.making.*increase disk_mb"):
        Tablebase.make(ConnectFour(width=5, height=4), file=folder / "x.table", memory_mb=1, disk_mb=1)


@pytest.mark.nightly
def test_a_disk_that_is_full(begun, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("outplay.system.rows.Rows.sync", full)
        with pytest.raises(TableError, match=r"x\.table\.making cannot be written: No space left on device; when that"):
            Tablebase.make(TicTacToe(), file=begun, resume=True)
    assert Tablebase.make(TicTacToe(), file=begun, resume=True) is not None


@pytest.mark.nightly
def test_a_disk_that_is_full_at_last(begun, monkeypatch):
    """The values are in the folder: only the file is missing."""

    def full(*_):
        raise TableError("x.table cannot be written: full") from OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patch:
        patch.setattr("outplay.tables.tablebase.write_blocks", full)
        with pytest.raises(TableError, match=r"full; when that is mended, resume \(resume=True, --resume\)"):
            Tablebase.make(TicTacToe(), file=begun, resume=True)
    assert Tablebase.make(TicTacToe(), file=begun, resume=True) is not None
    assert list(begun.parent.iterdir()) == [begun]


def test_what_needs_a_file():
    with pytest.raises(ValueError, match="nothing to go on with unless you give a file"):
        Tablebase.make(TicTacToe(), resume=True)
    with pytest.raises(OutplayError, match="or give a file, so that the disk is used"):
        Tablebase.make(ConnectFour(width=5, height=4), memory_mb=1)


def test_more_starts_than_fit(monkeypatch):
    monkeypatch.setattr(exchange, "ROOM", (1, 1))
    game = TicTacToe()
    with pytest.raises(OutplayError, match="9 states to start from are too many"):
        Tablebase.make(game, [game.result(game.initial_state(), action) for action in range(9)])


@pytest.mark.nightly
def test_commands(begun):
    runner = CliRunner()
    result = runner.invoke(app, ["table", "make", "tic-tac-toe", str(begun)])
    assert result.exit_code == 2
    assert "--resume" in result.stderr
    result = runner.invoke(app, ["table", "make", "tic-tac-toe", str(begun), "--resume", "--threads", "2", "--json"])
    assert json.loads(result.stdout)["states"] == 2097
    assert Tablebase.load(begun, TicTacToe()).distances


@pytest.mark.nightly
def test_a_values_only_table_in_files(in_files, folder):
    made = Tablebase.make(TicTacToe(), file=folder / "x.table", distances=False)
    assert not made.distances
    assert made.stats().counts == Tablebase.make(TicTacToe()).stats().counts


# -- the real thing ---------------------------------------------------------------------------------------------------

CODE = """
import sys
from outplay import Tablebase
from outplay.games import ConnectFour
from outplay.tables import making, teams

teams.SEGMENT_SECONDS = 0.1
begin, save = making.Making.__init__, making.Making.save
making.Making.__init__ = lambda self, *args, **more: begin(self, *args, **{**more, "save_every": 0.3})
making.Making.save = lambda self: (save(self), print("saved", flush=True))
Tablebase.make(ConnectFour(width=5, height=4), file=sys.argv[1], memory_mb=30, threads=2, resume=True, check=False)
"""


@pytest.mark.nightly
def test_fifty_kills(tmp_path):
    """Each kill is a moment after the start or after one of the next saves, so that a slow machine gets on, too."""
    wanted = content_of(ConnectFour(width=5, height=4), [], tmp_path / "memory.table")
    path, rng, kills, finished = tmp_path / "files.table", np.random.default_rng(1), 0, 0
    while kills < 50 or not finished:
        process = subprocess.Popen([sys.executable, "-c", CODE, path], stdout=subprocess.PIPE)
        for _ in range(rng.integers(4)):
            process.stdout.readline()
        time.sleep(rng.random() / 2)
        process.kill()
        process.communicate()
        kills += process.returncode == -signal.SIGKILL
        if process.returncode != -signal.SIGKILL:
            assert process.returncode == 0
            assert path.read_bytes() == wanted
            path.unlink()
            finished += 1


WATCH = """
import sys, threading, time
from outplay import Tablebase
from outplay.games import ConnectFour

def used():
    with open("/proc/self/status") as file:
        lines = dict(line.split(":", 1) for line in file)
    return sum(int(lines[name].split()[0]) for name in ("RssAnon", "RssFile", "RssShmem")) / 1000

def watch():
    while True:
        most[0] = max(most[0], used())
        time.sleep(0.01)

Tablebase.make(ConnectFour(width=4, height=3))  # compiles, too
before, most = used(), [0]
threading.Thread(target=watch, daemon=True).start()
Tablebase.make(ConnectFour(width=5, height=5), file=sys.argv[1], memory_mb=400, check=False)
print(most[0] - before)
"""


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_memory_stays_within_what_was_asked(tmp_path):
    found = subprocess.run(
        [sys.executable, "-c", WATCH, tmp_path / "x.table"], capture_output=True, text=True, check=True
    )
    assert float(found.stdout) < 440


@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
def test_a_pipe_is_refused(folder):
    """It would wait for a reader, and no table can be read from there."""
    os.mkfifo(folder / "pipe")
    with pytest.raises(TableError, match="not a regular file"):
        Tablebase.make(Nim((1, 2)), file=folder / "pipe", threads=1)


def test_the_number_of_a_state_fits_into_its_bits():
    """However much memory there is: a place of the hash table has 24 bits for the number, from 1 on."""
    graph = Partitions(1, 1e15)
    assert graph.room(COLUMNS["found"]) == 2**24 - 1
    assert Partitions(1, 1e6).room(COLUMNS["found"]) > LEAST_ROOM


def test_the_bytes_of_partitions_are_those_of_all_columns():
    graph = Partitions(3, 1e6)
    graph.begin({"codes": Column(np.int64, STATES, 3)})
    graph.add("first", Column(np.uint32, STATES, extra=2))
    graph.counts[:] = np.random.default_rng(1).integers(0, 100, graph.counts.shape)
    wanted = sum(graph.used(name) * rows.kind.itemsize for name, rows in graph.rows.items())
    assert graph.sizes.tolist() == wanted.tolist()
