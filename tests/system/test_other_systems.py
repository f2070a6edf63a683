"""What differs on Windows and macOS, tried here by taking away or replacing what only this system has."""

import mmap
import os
import signal
import subprocess
import sys
import types

import numpy as np
import pytest

from outplay.arena.waiting import seconds_ready
from outplay.cli import signals
from outplay.rules.errors import OutplayError
from outplay.system import files
from outplay.system.files import in_use, read_file, write_file
from outplay.system.rows import Rows
from outplay.system.threads import cores


class Windows:
    """`msvcrt.locking`: a part of a file that is locked for one handle is refused to all others."""

    LK_NBLCK = 2

    def __init__(self):
        self.locked, self.parts = {}, []

    def locking(self, handle, mode, size):
        assert (mode, size) == (self.LK_NBLCK, 1)
        status = os.fstat(handle)
        self.parts.append(os.lseek(handle, 0, os.SEEK_CUR))
        held = self.locked.setdefault((status.st_dev, status.st_ino), handle)
        if held != handle:
            raise PermissionError(13, "Permission denied")


@pytest.fixture
def windows(monkeypatch):
    """Windows, as far as locks of files go."""
    locks = Windows()
    module = types.ModuleType("msvcrt")
    module.LK_NBLCK, module.locking = locks.LK_NBLCK, locks.locking
    monkeypatch.setitem(sys.modules, "msvcrt", module)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(files, "PATIENCE", 0.05)
    return locks


def test_locks_of_windows(tmp_path, windows):
    """A part far behind the end is locked: a locked part cannot be read, and the number of the process is to be."""
    with in_use(tmp_path / "a"):
        with pytest.raises(OutplayError, match=f"process {os.getpid()} is writing it"):
            in_use(tmp_path / "a").__enter__()
        assert set(windows.parts) == {1 << 30}
    windows.locked.clear()  # closing does that
    write_file(tmp_path / "a", b"one")
    assert read_file(tmp_path / "a") == b"one"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("in_a_file", [False, True])
def test_rows_where_maps_take_no_flags_and_no_advice(tmp_path, monkeypatch, in_a_file):
    """Windows has neither `MAP_PRIVATE` nor `madvise`: nothing is evicted then, and the numbers stay."""
    for name in ("MAP_PRIVATE", "MADV_DONTNEED", "MADV_WILLNEED", "MADV_RANDOM", "MADV_NOHUGEPAGE"):
        monkeypatch.delattr(mmap, name, raising=False)
    rows = Rows(np.int64, 3, 1000, tmp_path / "rows" if in_a_file else None)
    rows.numbers[1, :1000] = np.arange(1000)
    rows.evict(1, 1000)
    rows.fetch(1, 1000)
    rows.sync()
    assert rows.numbers[1, :1000].tolist() == list(range(1000))
    copy = rows.copied_to(tmp_path / "copy", [0, 1000, 0], 1000)
    assert copy.numbers[1, :1000].tolist() == list(range(1000))


def test_cores_where_the_system_gives_all(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert cores() == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores() == 1


def test_waiting_where_nobody_counts_it(monkeypatch):
    def missing(_):
        raise FileNotFoundError

    monkeypatch.setattr(os, "listdir", missing)
    assert seconds_ready(os.getpid()) == 0


def test_signals_of_windows(monkeypatch):
    """There is no SIGHUP."""
    monkeypatch.delattr(signal, "SIGHUP", raising=False)
    with signals.stop_signals():
        assert signal.getsignal(signal.SIGTERM) is signals._stop
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


WITHOUT_FORK = """
import os, signal, sys
for name in ("fork", "register_at_fork", "sched_getaffinity", "geteuid", "setsid", "killpg", "chown"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGHUP", "SIGCHLD", "SIGKILL"):
    if hasattr(signal, name):
        delattr(signal, name)
for name in ("fcntl", "resource", "grp", "pwd", "termios", "tty"):
    sys.modules[name] = None
import outplay
from outplay import AlphaBeta, MCTS, Limit
from outplay.games import TicTacToe, ConnectFour
from outplay.arena import Match, Score
from outplay.cli.commands import app
from outplay.tables import census
print(AlphaBeta(TicTacToe()).search().verdict, MCTS(ConnectFour(), seed=1).search(limit=Limit(simulations=50)).action)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="it is what it is there")
def test_outplay_without_what_only_posix_has(tmp_path):
    """It is imported and searches without forks, their signals, and the modules that Windows lacks."""
    words = [sys.executable, "-c", WITHOUT_FORK]
    environment = os.environ | {"OUTPLAY_CACHE": "off", "NUMBA_DISABLE_JIT": "0"}
    told = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith("draw ")
