"""Another program that is spoken to line by line."""

import contextlib
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
START = 20.0
"""The seconds that a program may take to begin."""
PATIENCE = 600.0
"""The seconds after which a program without a clock hangs."""
GRACE = 1.0
"""The seconds beyond its clock after which a program hangs."""
LAST_WORDS = 0.5
"""The seconds that a program has to end by itself."""


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
        path = (shutil.which(words[0]) or shutil.which(words[0], path=GAMES)) if words else None
        if path is None:
            raise OutplayError(f"there is no program {words[0] if words else command!r}: install it, or give its path")
        self.name, words[0] = words[0], path
        try:
            self.process = subprocess.Popen(  # noqa: S603 - the user's own choice
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                errors="replace",
                bufsize=1,
                start_new_session=True,  # Ctrl-C reaches the arena alone
            )
        except OSError as error:
            raise OutplayError(f"{self.name} cannot be started: {error.strerror}") from error
        self.lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None, "it is a pipe"
        with contextlib.suppress(ValueError, OSError):
            for line in self.process.stdout:
                self.lines.put(line.rstrip("\r\n"))
        self.lines.put(None)

    def send(self, line: str) -> None:
        """Send a line; whether the program is still there shows when it is read."""
        assert self.process.stdin is not None, "it is a pipe"
        with contextlib.suppress(OSError, ValueError):
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()

    def read(self, until: float) -> str:
        """The next line. Raises `Fault` if there is none by then (`time.monotonic`), or the program has ended."""
        try:
            line = self.lines.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise Fault("hang: no answer in time") from None
        if line is None:
            raise Fault(f"crash: {self.name} ended with exit code {self.process.wait()}")
        return line

    def close(self, goodbye: str = "quit") -> None:
        """End the program, and whatever it has started."""
        self.send(goodbye)
        with contextlib.suppress(OSError):
            if self.process.stdin is not None:
                self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(LAST_WORDS)
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
