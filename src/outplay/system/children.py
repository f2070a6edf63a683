"""Programs that outplay starts. None outlives it: where there are signals, each has a guard, see `guard.py`."""

import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

GRACE = 0.5
"""The seconds that a program has to end by itself, and then again when it is told to."""
PATIENCE = 10.0
"""The seconds after which nobody waits any more for a program that was killed: the system cannot end it now."""
HAS_GUARD = os.name == "posix"


class Child:
    """A running program, which ends with this process, together with whatever it has started.

    Args:
        command: the path of the program, and its arguments.
        environment: its environment, if not that of this process.
        has_complaints: whether its standard error is a pipe, and not that of this process.

    Attributes:
        pid: the number of its process.
        stdin, stdout, stderr: unbuffered pipes. Close `stdin` before `end`: programs end when their input does.

    Raises `OSError` if it cannot be started.
    """

    def __init__(
        self, command: Sequence[str], *, environment: Mapping[str, str] | None = None, has_complaints: bool = False
    ) -> None:
        self._line, guards_line = socket.socketpair()
        guard = [sys.executable, "-I", "-S", str(Path(__file__).with_name("guard.py"))]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the user's own choice
                [*guard, str(guards_line.fileno()), str(GRACE), *command] if HAS_GUARD else command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if has_complaints else None,
                bufsize=0,
                env=environment,
                start_new_session=True,  # Ctrl-C reaches this process alone
                pass_fds=[guards_line.fileno()] if HAS_GUARD else (),
            )
        except BaseException:
            self._line.close()
            raise
        finally:
            guards_line.close()
        assert self._process.stdin is not None, "it is a pipe"
        assert self._process.stdout is not None, "it is a pipe"
        self.stdin, self.stdout, self.stderr = self._process.stdin, self._process.stdout, self._process.stderr
        self.pid = self._process.pid
        try:
            if HAS_GUARD:
                self._learn_pid()
        except BaseException:
            self.end()
            for pipe in filter(None, (self.stdin, self.stdout, self.stderr)):
                pipe.close()
            raise

    def _learn_pid(self) -> None:
        answer = b""
        while not answer.endswith(b"\n"):
            part = self._line.recv(32)
            if not part:
                raise OSError(0, "its guard has ended")
            answer += part
        self.pid = int(answer)
        if self.pid < 0:
            raise OSError(-self.pid, os.strerror(-self.pid))

    def poll(self) -> int | None:
        """The exit code; None as long as the program or something that it has started is running."""
        return self._process.poll()

    def wait(self, seconds: float) -> int | None:
        """The exit code; None if it has not ended by then."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def begin_end(self) -> None:
        """Have the program end, without waiting for it."""
        with suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)  # `close` is not enough if a fork has the socket too
        self._line.close()

    def end(self) -> int:
        """End the program: wait a little for it to end by itself, then terminate it, then kill it; the exit code."""
        self.begin_end()
        if not HAS_GUARD and self.wait(GRACE) is None:
            self._process.terminate()
        code = self.wait(2 * GRACE + PATIENCE)
        if code is None:
            self._process.kill()
            code = self._process.wait()
        return code
