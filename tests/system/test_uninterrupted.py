"""Work that Ctrl-C does not cut short: it ends, the caller hears of Ctrl-C at once, and the process ends well."""

import os
import subprocess
import sys
import threading
import time

import pytest
from shared import PATIENCE, at_once, ctrl_c

from outplay.system.uninterrupted import Late, is_busy, uninterrupted, waiting_until


def test_what_work_gives_and_raises_comes_back():
    assert uninterrupted(lambda: 5) == 5
    with pytest.raises(KeyError, match="missing"):
        uninterrupted(lambda: {}["missing"])
    assert uninterrupted(lambda: uninterrupted(threading.current_thread)) is not threading.main_thread()
    assert not is_busy()


def test_ctrl_c_is_heard_at_once_and_the_work_goes_on():
    released, done = threading.Event(), []

    def work():
        released.wait(60)
        done.append(1)

    with pytest.raises(KeyboardInterrupt), ctrl_c(0.2, at_once):
        uninterrupted(work)
    assert is_busy()
    assert not done
    released.set()
    while is_busy():
        time.sleep(0.01)
    assert done == [1]


PROGRAM = """
import signal, threading, time
from outplay.system.uninterrupted import leave, uninterrupted

signal.signal(signal.SIGINT, signal.default_int_handler)

def press(after):
    timer = threading.Timer(after, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
    timer.daemon = True
    timer.start()

def work():
    time.sleep({seconds})
    print("ended", flush=True)

press(0.2)
try:
    uninterrupted(work)
except KeyboardInterrupt:
    print("interrupted", flush=True)
{then}
"""


def run(seconds, then):
    program = PROGRAM.format(seconds=seconds, then=then)
    done = subprocess.run(
        [sys.executable, "-c", program], text=True, capture_output=True, timeout=PATIENCE, check=False
    )
    return done.returncode, done.stdout.split(), done.stderr


def test_a_program_waits_at_its_end_for_what_goes_on():
    assert run(1, "") == (0, ["interrupted", "ended"], "")


def test_a_second_ctrl_c_ends_the_waiting():
    assert run(50, "press(0.5)") == (130, ["interrupted"], "")


@pytest.mark.nightly
def test_a_command_leaves_at_once():
    assert run(50, "leave(130)") == (130, ["interrupted"], "")
    assert run(0.5, "time.sleep(2); leave(130)") == (0, ["interrupted", "ended"], "")


FORKS = """
import importlib, os, signal, sys, threading, time
from outplay.compile.native.internals.numba_names import global_compiler_lock
from outplay.system.uninterrupted import uninterrupted

inside, done = threading.Event(), []

def at_work(lock):
    with lock:
        inside.set()
        time.sleep(0.5)
        done.append(1)

def forked(body, starts_with=None):
    "The exit code of a child that runs `body`; that of SIGALRM if it hangs."
    if starts_with is not None:
        threading.Thread(target=starts_with).start()
        inside.wait()
    if not (pid := os.fork()):
        signal.alarm(20)
        os._exit(body())
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

def held():
    with global_compiler_lock:
        return 40 + len(done)

def imported():
    return uninterrupted(lambda: importlib.import_module("slow").value)

{body}
"""


@pytest.mark.sample(2)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("print(forked(held, lambda: at_work(global_compiler_lock)))", "41"),
        ("sys.path.insert(0, '.')\nprint(forked(imported, lambda: (inside.set(), imported())))", "3"),
        ("with global_compiler_lock: print(forked(held))", "40"),
        ("print(uninterrupted(lambda: forked(imported) if sys.path.insert(0, '.') is None else 0))", "3"),
        (
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
            "try: forked(held, lambda: at_work(global_compiler_lock)), time.sleep(9)\n"
            "except KeyboardInterrupt: print('interrupted', len(done))",
            "interrupted 1",
        ),
    ],
    ids=["while another thread compiles", "while it imports", "in what compiles", "in the work", "with Ctrl-C"],
)
def test_a_fork_waits_for_work_that_its_child_could_not_end(body, told, tmp_path):
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(0.5)\nvalue = 3\n")
    source = FORKS.replace("{body}", body)
    found = subprocess.run(
        [sys.executable, "-c", source], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert found.stdout.split("\n")[0] == told, found.stderr
    assert found.stderr == ""


def test_waiting_has_an_end_and_the_work_goes_on():
    go_on, results = threading.Event(), []
    with waiting_until(time.perf_counter() + 0.01), pytest.raises(Late):
        uninterrupted(lambda: results.append(go_on.wait()))
    assert is_busy()
    assert not results
    go_on.set()
    assert uninterrupted(lambda: 6 * 7) == 42  # after the other, and without a limit
    assert results == [True]
