"""SIGTERM and SIGHUP are as Ctrl-C: what was found so far is kept and printed. The exit code tells them apart."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

NAMES = ("SIGTERM", "SIGHUP")
PAUSE = 1.0
"""Signals that follow each other within so many seconds are one: a terminal that is closed sends several."""

_received: list[tuple[int, float]] = []  # the signals, and when they came


@contextmanager
def stop_signals() -> Iterator[None]:
    """Take SIGTERM and SIGHUP as Ctrl-C, unless they are ignored, as `nohup` has it.

    What then ends as after Ctrl-C, or as if nothing had been, exits with 143 or 129: 128 and the number of the signal.
    """
    numbers = [number for name in NAMES if (number := getattr(signal, name, None)) is not None]
    usual = [number for number in numbers if signal.getsignal(number) == signal.SIG_DFL]
    for number in usual:
        signal.signal(number, _stop)
    try:
        yield
    except SystemExit as end:
        if terminated() and end.code in (None, 0, 128 + signal.SIGINT):
            raise SystemExit(128 + _received[0][0]) from None
        raise
    finally:
        _received.clear()
        for number in usual:
            signal.signal(number, signal.SIG_DFL)


def terminated() -> bool:
    """Whether such a signal has come: whoever goes on after Ctrl-C, as a game does, must not."""
    return bool(_received)


def _stop(number: int, frame: FrameType | None) -> None:
    now = time.monotonic()
    is_same = bool(_received) and now - _received[-1][1] < PAUSE
    _received.append((number, now))
    if not is_same:
        raise KeyboardInterrupt
