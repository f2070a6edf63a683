"""Another program, which is spoken to line by line and may hang, crash or print without end."""

import contextlib
import io
import os
import queue
import shlex
import shutil
import sys
import threading
import time

from outplay.arena.referee import Fault
from outplay.rules.errors import OutplayError
from outplay.system.children import Child

GAMES = os.pathsep.join(("/usr/games", "/usr/local/games"))
"""Where else programs are that play."""
LAST_WORDS = 0.5
"""The seconds in which a program that has closed its output may say why it ends."""
FLOOD = 16_000_000
"""A program with more unread text than this, in bytes, talks without end."""
LONGEST = 1_000_000
"""So does a program with a longer line, in bytes."""
UNREAD = 1_000_000
"""A program that leaves more unread than this, in bytes, does not read."""


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
        words = words_of(command)
        path = located(words[0]) if words else None
        if path is None:
            raise OutplayError(f"there is no program {words[0] if words else command!r}: install it, or give its path")
        self.name, words[0] = words[0], path
        try:
            self.process = Child(words, has_complaints=True)
        except OSError as error:
            raise OutplayError(f"{self.name} cannot be started: {error.strerror}") from error
        self.lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.messages: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.said, self.heard = 0, 0  # the bytes that it has said, and that were read here; each counted by one thread
        self.sent, self.written = 0, 0  # the bytes for it, and those that it has taken
        self.flooded, self.complaint = False, ""
        tasks = self._listen, self._hear_complaints, self._write
        self.threads = [threading.Thread(target=task, daemon=True) for task in tasks]
        for thread in self.threads:
            thread.start()

    def _listen(self) -> None:
        """Put what the program says into the queue; None at the end."""
        with contextlib.suppress(OSError), io.BufferedReader(self.process.stdout) as stream:  # type: ignore[type-var]
            while line := stream.readline(LONGEST):
                text = line.decode("utf-8", "replace").rstrip("\r\n")
                self.said += sys.getsizeof(text)
                if len(line) == LONGEST or self.said - self.heard > FLOOD:
                    self.flooded = True
                    self.process.begin_end()
                    break
                self.lines.put(text)
        self.lines.put(None)

    def _hear_complaints(self) -> None:
        """Keep the last line on standard error, which often says why a program ends."""
        with contextlib.suppress(OSError), io.BufferedReader(self.process.stderr) as stream:  # type: ignore[type-var]
            while line := stream.readline(LONGEST):
                self.complaint = line.decode("utf-8", "replace").strip() or self.complaint

    def _write(self) -> None:
        """Write the messages: the program may never read them, and nobody waits for that."""
        with contextlib.suppress(OSError), io.BufferedWriter(self.process.stdin) as stream:
            while (message := self.messages.get()) is not None:
                stream.write(message)
                stream.flush()
                self.written += len(message)

    def send(self, line: str) -> None:
        """Send a line. Raises `Fault` if the program reads nothing; whether it has ended shows when it is read."""
        data = f"{line}\n".encode()
        if self.sent - self.written + len(data) > UNREAD and self.process.poll() is None:
            raise Fault(f"hang: {self.name} does not read what it is told")
        self.sent += len(data)
        self.messages.put(data)

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
            raise Fault(f"error: {self.name} talks without end: over {FLOOD:,} bytes unread, or {LONGEST:,} in a line")
        if line is None:
            code = self.process.wait(LAST_WORDS)
            end = "has closed its output" if code is None else f"ended with exit code {code}"
            self.threads[1].join(LAST_WORDS)
            raise Fault(f"crash: {self.name} {end}{f': {self.complaint}' if self.complaint else ''}")
        self.heard += sys.getsizeof(line)
        return line

    def skip(self) -> None:
        """Forget what the program has said so far."""
        with contextlib.suppress(queue.Empty):
            while (line := self.lines.get_nowait()) is not None:
                self.heard += sys.getsizeof(line)
            self.lines.put(line)  # it has ended, which the next reader must know

    def close(self, goodbye: str = "quit") -> None:
        """End the program, and whatever it has started."""
        with contextlib.suppress(Fault):
            self.send(goodbye)
        self.messages.put(None)
        self.process.end()
        for thread in self.threads:
            thread.join(LAST_WORDS)


def words_of(command: str, has_backslashes: bool = os.name == "nt") -> list[str]:
    r"""The words of a command. Raises `OutplayError` if a quotation does not end.

    Args:
        command: the command, as a shell reads it.
        has_backslashes: whether paths have them, as on Windows, where they do not quote and only `"` does.

    >>> words_of(r"C:\engines\x.exe -level 3", has_backslashes=True)
    ['C:\\engines\\x.exe', '-level', '3']
    >>> words_of("'my engine' -level 3", has_backslashes=False)
    ['my engine', '-level', '3']
    """
    lexer = shlex.shlex(command, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    if has_backslashes:
        lexer.escape, lexer.quotes = "", '"'
    try:
        return list(lexer)
    except ValueError as error:
        raise OutplayError(f"{command!r} is not a command: {error}") from None
