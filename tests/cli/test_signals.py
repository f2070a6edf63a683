"""SIGTERM and SIGHUP end every command as Ctrl-C does."""

import signal
import subprocess
import sys

import pytest

from outplay.cli.signals import stop_signals, terminated

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")

SENDING = """
import os, signal, threading
import outplay.cli.main
import outplay.cli.signals
from outplay.engine.runner import SearchRunner

def send():
    threading.Timer(0.5, os.kill, (os.getpid(), signal.NAME)).start()

def run(watch, work, usual=SearchRunner.run, sent=[]):
    if not sent:  # a command may search several times
        sent.append(True)
        send()
    return usual(watch, work)

def stop_signals(usual=outplay.cli.signals.stop_signals):
    SEND_FIRST and send()
    return usual()

SearchRunner.run, outplay.cli.signals.stop_signals = run, stop_signals
outplay.cli.main.main()
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("name", "at_once", "command", "told"),
    [
        ("SIGTERM", False, ["solve", "connect-four"], "Player 0 to move"),
        ("SIGHUP", False, ["analyse", "connect-four", "--seconds", "600"], "Player 0 to move"),
        ("SIGTERM", False, ["play", "connect-four", "--player", "1", "--seconds", "600"], "You leave the game"),
        ("SIGTERM", True, ["play", "tic-tac-toe"], ""),
        ("SIGHUP", True, ["play", "tic-tac-toe"], ""),
        ("SIGTERM", True, ["gtp", "tic-tac-toe"], ""),
    ],
)
def test_every_command_ends(name, at_once, command, told):
    program = SENDING.replace("NAME", name).replace("SEND_FIRST", str(at_once))
    with subprocess.Popen(
        [sys.executable, "-c", program, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.wait(120) == 128 + getattr(signal, name)  # its input is still open
        answer, error = running.communicate()
    assert told in answer
    assert "Traceback" not in error


def raise_and_exit(numbers, code):
    with stop_signals():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(numbers[0])
        assert terminated()
        for number in numbers[1:]:
            signal.raise_signal(number)
        raise SystemExit(code)


def test_signals_that_follow_each_other_are_one():
    with pytest.raises(SystemExit, match="143"):
        raise_and_exit([signal.SIGTERM, signal.SIGHUP, signal.SIGTERM], 130)
    assert not terminated()
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    for code, expected in ((None, "129"), (1, "1"), (2, "2")):  # what went wrong is told all the same
        with pytest.raises(SystemExit, match=expected):
            raise_and_exit([signal.SIGHUP], code)


def test_a_later_signal_interrupts_again(monkeypatch):
    monkeypatch.setattr("outplay.cli.signals.PAUSE", 0.0)
    with stop_signals():
        for name in (signal.SIGTERM, signal.SIGHUP, signal.SIGTERM):
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(name)
