"""Workers as local processes, and what happens to them: `Pool` starts them, gives them messages and tells events."""

import contextlib
import io
import math
import os
import pickle
import queue
import sys
import threading
from typing import Any

from outplay.parallel.worker import BOOT, Flood, Message, environment, read, write
from outplay.system.children import Child

Event = tuple[int, str, int, bytes]
"""The worker, "ready", "done", "failed", "flood" or "lost", the job, and bytes."""


class LocalWorker:
    """A process that runs `worker.main`; `tell` gets its answers from another thread, at last ("lost", …).

    Args:
        tell: called with each message; it may raise `Flood`.
        longest: the maximum length of a message, in bytes. A longer one is not read, but is a flood.

    After a flood, ("flood", …, the reason) is told, and the worker is ended.
    """

    def __init__(self, tell: Any, longest: float = math.inf) -> None:
        self.tell, self.longest = tell, longest
        self.process = Child([sys.executable, "-c", BOOT], environment=environment())
        self._messages: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._search_path = [path or os.getcwd() for path in sys.path]
        for task in self._listen, self._write:
            threading.Thread(target=task, daemon=True).start()

    def _listen(self) -> None:
        with contextlib.suppress(Exception), io.BufferedReader(self.process.stdout) as answers:  # type: ignore[type-var]
            try:
                while (message := read(answers, self.longest)) is not None:
                    self.tell(*message)
            except Flood as error:
                self.tell("flood", -1, str(error).encode())
        self.tell("lost", -1, str(self.kill()).encode())

    def _write(self) -> None:
        """Write the messages: the process may not read them, and nobody waits for that."""
        with contextlib.suppress(OSError), io.BufferedWriter(self.process.stdin) as tasks:
            pickle.dump(self._search_path, tasks)
            tasks.flush()
            while (message := self._messages.get()) is not None:
                write(tasks, message)

    def send(self, message: Message) -> None:
        """Give the worker a message; if it has died, "lost" comes."""
        self._messages.put(message)

    def begin_end(self) -> None:
        """Have the process end, without waiting for it."""
        self._messages.put(None)
        self.process.begin_end()

    def kill(self) -> int:
        """End the process and what its jobs started; its exit code."""
        self.begin_end()
        return self.process.end()


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
        for worker in self.workers.values():
            worker.begin_end()
        while self.workers:
            self.workers.popitem()[1].kill()
