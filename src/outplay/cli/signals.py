"""SIGTERM and SIGHUP are as Ctrl-C: what was found so far is kept and printed. The exit code tells them apart."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from outplay.cli.common import INTERRUPTED

NAMES = ("SIGTERM", "SIGHUP")


@contextmanager
def stop_signals() -> Iterator[None]:
    """Take SIGTERM and SIGHUP as Ctrl-C, unless they are ignored, as `nohup` has it.

    Another one of these signals changes nothing: a terminal that is closed sends several. Exits with 143 and 129.
    """
    received = 0

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal received
        if not received:
            received = number
            raise KeyboardInterrupt

    numbers = [number for name in NAMES if (number := getattr(signal, name, None)) is not None]
    usual = [number for number in numbers if signal.getsignal(number) == signal.SIG_DFL]
    for number in usual:
        signal.signal(number, stop)
    try:
        yield
    except SystemExit as end:
        if received and end.code == INTERRUPTED:
            raise SystemExit(128 + received) from None
        raise
    finally:
        for number in usual:
            signal.signal(number, signal.SIG_DFL)
