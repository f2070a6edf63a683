"""Another program that is spoken to line by line."""

import contextlib
import io
import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
import time

from outplay.arena.referee import Fault
from outplay.rules.errors import OutplayError

GAMES = os.pathsep.join(("/usr/games", "/usr/local/games"))
"""Where else programs are that play."""
LAST_WORDS = 0.5
"""The seconds that a program has to end by itself."""
FLOOD = 100_000
"""A program with more unread lines than this talks without end."""
LONGEST = 1 << 16
"""Longer lines are cut, so that a line without end takes no memory without end."""


class Silence(Fault):
    """A program has not said anything in time."""


def located(name: str) -> str | None:
    """The path of a program; None if it is not installed."""
    return shutil.which(name) or shutil.which(name, path=GAMES)


class Program:
    """A running program.

    Args:
        command: how to start it, as in a shell, but without one.

    Raises `OutplayError` if it is not there or cannot be started.
    """

    def __init__(self, command: str) -> None:
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise OutplayError(f"{command!r} is not a command: {error}") from None
        path = located(words[0]) if words else None
        if path is None:
            raise OutplayError(f"there is no program {words[0] if words else command!r}: install it, or give its path")
        self.name, words[0] = words[0], path
        try:
            self.process = subprocess.Popen(  # noqa: S603 - the user's own choice
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # Ctrl-C reaches the arena alone
            )
        except OSError as error:
            raise OutplayError(f"{self.name} cannot be started: {error.strerror}") from error
        assert self.process.stdin is not None, "it is a pipe"
        if os.name == "posix":
            os.set_blocking(self.process.stdin.fileno(), False)  # it may never read
        self.lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.flooded, self.complaint = False, ""
        self.listeners = [threading.Thread(target=task, daemon=True) for task in (self._listen, self._hear_complaints)]
        for listener in self.listeners:
            listener.start()

    def _listen(self) -> None:
        """Put what the program says into the queue; None at the end."""
        with contextlib.suppress(OSError), io.BufferedReader(self.process.stdout) as said:  # type: ignore[type-var]
            while line := said.readline(LONGEST):
                self.lines.put(line.decode("utf-8", "replace").rstrip("\r\n"))
                if self.lines.qsize() > FLOOD:
                    self.flooded = True
                    self._kill()
                    break
        self.lines.put(None)

    def _hear_complaints(self) -> None:
        """Keep the last line on standard error, which often says why a program ends."""
        with contextlib.suppress(OSError), io.BufferedReader(self.process.stderr) as said:  # type: ignore[type-var]
            while line := said.readline(LONGEST):
                self.complaint = line.decode("utf-8", "replace").strip() or self.complaint

    def send(self, line: str) -> None:
        """Send a line. Raises `Fault` if the program reads nothing; whether it has ended shows when it is read."""
        assert self.process.stdin is not None, "it is a pipe"
        data = f"{line}\n".encode()
        with contextlib.suppress(OSError, ValueError):
            if self.process.stdin.write(data) != len(data):
                raise Fault(f"hang: {self.name} does not read what it is told")

    def read(self, until: float) -> str:
        """The next line. Raises `Silence` if none comes by then (`time.monotonic`), `Fault` if none will."""
        left = until - time.monotonic()
        try:
            if left < 0:
                raise queue.Empty  # it may be talking, but does not come to the point
            line = self.lines.get(timeout=left)
        except queue.Empty:
            raise Silence("hang: no answer in time") from None
        if self.flooded:
            raise Fault(f"error: {self.name} talks without end: over {FLOOD:,} unread lines")
        if line is None:
            try:
                what = f"ended with exit code {self.process.wait(LAST_WORDS)}"
            except subprocess.TimeoutExpired:
                what = "has closed its output"
            self.listeners[1].join(LAST_WORDS)
            raise Fault(f"crash: {self.name} {what}{f': {self.complaint}' if self.complaint else ''}")
        return line

    def skip(self) -> None:
        """Forget what the program has said so far."""
        with contextlib.suppress(queue.Empty):
            while (line := self.lines.get_nowait()) is not None:
                pass
            self.lines.put(line)  # it has ended, which the next reader must know

    def close(self, goodbye: str = "quit") -> None:
        """End the program, and whatever it has started."""
        with contextlib.suppress(Fault):
            self.send(goodbye)
        with contextlib.suppress(OSError):
            if self.process.stdin is not None:
                self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(LAST_WORDS)
        self._kill()
        self.process.wait()
        for listener in self.listeners:
            listener.join(LAST_WORDS)

    def _kill(self) -> None:
        """Kill the program, and whatever it has started."""
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
