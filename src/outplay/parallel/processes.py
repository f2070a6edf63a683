"""Workers as local processes, and what happens to them: `Pool` starts them, gives them messages and tells events."""

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from typing import Any

from outplay.parallel.worker import BOOT, Message, environment, read, write

Event = tuple[int, str, int, bytes]
"""The worker, "ready", "done", "failed" or "lost", the job, and bytes."""


class LocalWorker:
    """A process that runs `worker.main`; `tell` gets its answers from another thread, at last ("lost", …)."""

    def __init__(self, tell: Any) -> None:
        self.tell = tell
        self.process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-c", BOOT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(),
            start_new_session=True,  # Ctrl-C reaches the caller alone, and a worker ends with what its jobs started
        )
        with contextlib.suppress(OSError):
            pickle.dump([path or os.getcwd() for path in sys.path], self.process.stdin)  # type: ignore[arg-type]
            self.process.stdin.flush()  # type: ignore[union-attr]
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with contextlib.suppress(Exception):
            while (message := read(self.process.stdout)) is not None:  # type: ignore[arg-type]
                self.tell(*message)
        self.tell("lost", -1, str(self.kill()).encode())

    def send(self, message: Message) -> None:
        """Give the worker a message; if it has died, "lost" comes."""
        with contextlib.suppress(OSError, ValueError):
            write(self.process.stdin, message)  # type: ignore[arg-type]

    def kill(self) -> int:
        """End the process and what its jobs started; its exit code."""
        if self.process.poll() is None or hasattr(os, "killpg"):
            with contextlib.suppress(OSError):
                if hasattr(os, "killpg"):
                    os.killpg(self.process.pid, signal.SIGKILL)
                else:
                    self.process.kill()
        return self.process.wait()


class Pool:
    """Local workers. A place keeps its number when its worker is replaced."""

    grace = 0.0
    """The seconds in which a worker that is told to have died may still work."""

    def __init__(self) -> None:
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.workers: dict[int, LocalWorker] = {}
        self.started = 0

    def cores(self) -> int:
        """The number of workers if none is asked for, such as with a timeout alone."""
        return 1

    def start(self) -> int:
        """Start a worker; its number."""
        number = self.started
        self.started += 1
        self.workers[number] = LocalWorker(lambda *message: self.events.put((number, *message)))
        return number

    def send(self, worker: int, message: Message) -> None:
        """Give a worker a message."""
        self.workers[worker].send(message)

    def wait(self, seconds: float | None) -> Event | None:
        """The next event; None if none comes in time."""
        with contextlib.suppress(queue.Empty):
            return self.events.get(timeout=seconds)
        return None

    def kill(self, worker: int) -> None:
        """End a worker."""
        self.workers.pop(worker).kill()

    def close(self) -> None:
        """End all workers."""
        while self.workers:
            self.workers.popitem()[1].kill()
