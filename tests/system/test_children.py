"""However outplay ends, nothing that it has started lives on, not even programs that ignore signals."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest
from shared import OUTPLAY, PATIENCE

from outplay.protocols.program import Program, words_of
from outplay.rules.errors import OutplayError
from outplay.system import children
from outplay.system.children import Child

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")

STUBBORN = """
import os, signal, sys, time
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
folder = sys.argv[1]
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:  # nobody waits for it
        open(os.path.join(folder, f"{os.getpid()}"), "w").close()
        time.sleep(600)
    os._exit(0)
os.wait()
open(os.path.join(folder, f"{os.getpid()}"), "w").close()
"""
"""A program that ignores signals, and so does its daemon; each leaves a file with its number."""
LIVES_ON = "time.sleep(600)\n"
PLAYS = """
moves = []
for line in sys.stdin:
    words = line.split()
    if words[0] == "clear_board":
        moves = "a1 b1 c1 a2 b2 c2 a3 b3 c3".split()
    if words[0] == "play":
        moves.remove(words[2])
    print("=", moves.pop(0) if words[0] == "genmove" else "", "\\n", flush=True)
time.sleep(600)
"""


@pytest.fixture
def stubborn(tmp_path):
    """The command of a stubborn program, by what it does after it has started its daemon."""

    def command(does):
        (tmp_path / "started").mkdir(exist_ok=True)
        (tmp_path / "program.py").write_text(STUBBORN + does)
        return [sys.executable, "-S", str(tmp_path / "program.py"), str(tmp_path / "started")]

    yield command
    for process in started(tmp_path):
        if runs(process):
            os.kill(process, signal.SIGKILL)


def started(folder):
    """The numbers of the programs and daemons that have started."""
    return [int(name) for name in os.listdir(folder / "started")]


def wait_until(condition):
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def runs(process):
    """Whether there is such a process."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def none_runs(folder):
    return not any(map(runs, started(folder)))


def test_a_stubborn_program_and_its_daemon_are_ended(stubborn, tmp_path, monkeypatch):
    monkeypatch.setattr(children, "GRACE", 0.05)
    child = Child(stubborn(LIVES_ON))
    wait_until(lambda: len(started(tmp_path)) == 2)
    assert child.pid in started(tmp_path)
    assert child.poll() is None
    child.stdin.close()
    assert child.end() == -signal.SIGKILL
    assert none_runs(tmp_path)
    child.stdout.close()


def test_a_program_has_time_to_end_by_itself():
    """It reads the end of its input, and then says goodbye; SIGTERM would kill it."""
    child = Child(
        [sys.executable, "-S", "-c", "input(); print(0, flush=True)\ntry: input()\nexcept EOFError: print(1)"]
    )
    child.stdin.write(b"\n")
    assert child.stdout.readline() == b"0\n"
    child.stdin.close()
    assert child.end() == 0
    assert child.stdout.read() == b"1\n"
    child.stdout.close()


@pytest.mark.parametrize(("does", "code"), [("sys.exit(7)", 7), ("os.kill(os.getpid(), signal.SIGKILL)", -9)])
def test_a_daemon_ends_with_its_program(stubborn, tmp_path, monkeypatch, does, code):
    monkeypatch.setattr(children, "GRACE", 0.05)
    child = Child(stubborn(does))
    assert child.wait(60) == code
    assert len(started(tmp_path)) == 2
    assert none_runs(tmp_path)
    child.stdin.close()
    child.stdout.close()
    assert child.end() == code


def test_a_program_that_cannot_be_started(tmp_path):
    (tmp_path / "program").write_text("no program")
    with pytest.raises(PermissionError):
        Child([str(tmp_path / "program")])
    (tmp_path / "program").chmod(0o755)
    with pytest.raises(OutplayError, match="cannot be started: Exec format error"):
        Program(str(tmp_path / "program"))


def test_a_program_whose_guard_is_killed():
    child = Child([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
    os.kill(child._process.pid, signal.SIGKILL)
    wait_until(lambda: not runs(child.pid))
    child.stdin.close()
    child.stdout.close()
    assert child.end() == -signal.SIGKILL


MATCHES = {
    "the end": (None, "--games 4"),
    "Ctrl-C": (signal.SIGINT, "--games 1000000"),
    "SIGTERM": (signal.SIGTERM, "--games 1000000"),
    "SIGHUP": (signal.SIGHUP, "--games 1000000"),
    "SIGKILL": (signal.SIGKILL, "--games 1000000 --workers 2"),
    "SIGTERM with workers": (signal.SIGTERM, "--games 1000000 --workers 2"),
    "the end with workers": (None, "--games 4 --workers 2"),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize(("number", "options"), MATCHES.values(), ids=MATCHES)
def test_no_engine_outlives_a_match(stubborn, tmp_path, number, options):
    command = [*OUTPLAY, "match", "tic-tac-toe", f"gtp:{' '.join(stubborn(PLAYS))}", "random", *options.split()]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as match:
        wait_until(lambda: len(started(tmp_path)) >= 2 or match.poll() is not None)
        if number is not None:
            match.send_signal(number)
        assert match.wait(60) in (0, -signal.SIGKILL, *(128 + each for each in (1, 2, 15)))
    assert len(started(tmp_path)) >= 2
    wait_until(lambda: none_runs(tmp_path))


@pytest.mark.nightly
def test_an_engine_whose_worker_is_killed(stubborn, tmp_path):
    """The worker that replaces it starts an engine of its own."""
    command = [*OUTPLAY, "match", "tic-tac-toe", f"gtp:{' '.join(stubborn(PLAYS))}", "random", "--games", "1000000"]
    with subprocess.Popen([*command, "--workers", "2"], stdout=subprocess.DEVNULL) as match:
        try:
            wait_until(lambda: len(workers_below(match.pid)) == 2 and len(started(tmp_path)) >= 6)
            first, engines = workers_below(match.pid)[0], started(tmp_path)
            below = [process for process in engines if first in ancestors(process)]
            os.kill(first, signal.SIGKILL)
            wait_until(lambda: not any(map(runs, below)))
        finally:
            match.send_signal(signal.SIGTERM)
            match.wait(60)
    wait_until(lambda: none_runs(tmp_path))


def stat(process):
    """What the system says of a process after its name: its state, its parent …"""
    with open(f"/proc/{process}/stat") as file:
        return file.read().rpartition(")")[2].split()


def ancestors(process):
    """The processes above a process, if it runs."""
    above = []
    while process > 1 and runs(process):
        process = int(stat(process)[1])
        above.append(process)
    return above


def workers_below(process):
    """The workers of a process: below its guards, and not those themselves."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
            if words[1:2] == [b"-c"] and b"parallel.worker" in words[2] and process in ancestors(int(name)):
                found.append(int(name))
    return found


@pytest.mark.parametrize("command", ["'unfinished", '"'])
def test_a_command_that_is_none(command):
    with pytest.raises(OutplayError, match="is not a command"):
        words_of(command)


def test_the_words_of_a_command():
    windows = r'"C:\Program Files\x.exe" -d C:\tables\ it\'s'
    assert words_of(windows, has_backslashes=True) == ["C:\\Program Files\\x.exe", "-d", "C:\\tables\\", "it\\'s"]
    assert words_of(r"my\ engine '#1'", has_backslashes=False) == ["my engine", "#1"]


def test_without_signals_a_program_is_terminated(monkeypatch):
    """As on Windows, where there is no guard."""
    monkeypatch.setattr(children, "HAS_GUARD", False)
    monkeypatch.setattr(children, "GRACE", 0.05)
    child = Child([sys.executable, "-S", "-c", "import time; print(1, flush=True); time.sleep(600)"])
    assert child.stdout.readline() == b"1\n"
    child.stdin.close()
    assert child.end() == -signal.SIGTERM
    assert not runs(child.pid)
    child.stdout.close()
