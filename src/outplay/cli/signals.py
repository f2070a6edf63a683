"""SIGTERM and SIGHUP act like Ctrl-C: results so far are kept and printed. Only the exit code differs."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

NAMES = ("SIGTERM", "SIGHUP")
PAUSE = 1.0
"""Signals at most this many seconds apart count as one: a closed terminal sends several."""

_received: list[tuple[int, float]] = []  # the signals, and the times they came at


@contextmanager
def stop_signals() -> Iterator[None]:
    """Handle SIGTERM and SIGHUP like Ctrl-C, unless they are ignored, as by `nohup`.

    If the code within then exits as after Ctrl-C, or with success, the exit code is 128 plus the number of the signal:
    143 or 129.
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
    """Whether such a signal has come. Code that continues after Ctrl-C, such as a game, must then stop."""
    return bool(_received)


def _stop(number: int, frame: FrameType | None) -> None:
    now = time.monotonic()
    is_same = bool(_received) and now - _received[-1][1] < PAUSE
    _received.append((number, now))
    if not is_same:
        raise KeyboardInterrupt
