"""Workers on the machines of a Ray cluster: an actor on each core, which runs a local worker and passes messages on.

The jobs run in a process of outplay's own there too, not in Ray's, so that all is as on one machine.
"""

import queue
from contextlib import suppress
from typing import Any

from outplay import __version__
from outplay.parallel.processes import Event, LocalWorker
from outplay.parallel.worker import Message
from outplay.rules.errors import OutplayError


class Bridge:
    """An actor: a local worker on its machine."""

    def __init__(self) -> None:
        self.answers: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self.worker = LocalWorker(lambda *message: self.answers.put(message))

    def ready(self, version: str) -> Message:
        """Wait for the first message of the worker."""
        if version != __version__:
            return "failed", -1, f"a machine of the cluster has outplay {__version__}, this one {version}".encode()
        return self.answers.get()

    def do(self, messages: list[Message]) -> Message:
        """Pass messages on; the answer."""
        for message in messages:
            self.worker.send(message)
        return self.answers.get()


class RayPool:
    """Workers on a Ray cluster, with the methods of `Pool`."""

    grace = 5.0

    def __init__(self, address: str) -> None:
        try:
            import ray  # type: ignore[import-not-found, unused-ignore] # noqa: PLC0415 - an extra
        except ImportError:
            raise OutplayError("a cluster needs Ray: pip install 'outplay[ray]'") from None
        self.ray: Any = ray
        self.is_ours = not ray.is_initialized()
        if self.is_ours:
            try:
                ray.init(address=address, logging_level="ERROR")
            except Exception as error:  # Ray raises many kinds
                raise OutplayError(
                    f"there is no Ray cluster at {address} ({error}): start one with ray start --head, or give its"
                    " address"
                ) from error
        self.actor = ray.remote(num_cpus=1, max_restarts=0)(Bridge)
        self.actors: dict[int, Any] = {}
        self.worker_of: dict[Any, int] = {}  # the worker of each answer that is expected
        self.code: dict[int, Message] = {}
        self.started = 0

    def cores(self) -> int:
        """The number of cores of the cluster."""
        return max(1, int(self.ray.cluster_resources().get("CPU", 1)))

    def start(self) -> int:
        """Start a worker, as soon as the cluster has a free core."""
        number = self.started
        self.started += 1
        self.actors[number] = self.actor.remote()
        self.worker_of[self.actors[number].ready.remote(__version__)] = number
        return number

    def send(self, worker: int, message: Message) -> None:
        """Give a worker a job, with the function that came before it."""
        if message[0] == "function":
            self.code[worker] = message
        else:
            self.worker_of[self.actors[worker].do.remote([self.code[worker], message])] = worker

    def wait(self, seconds: float | None) -> Event | None:
        """The next event; None if none comes in time."""
        finished, _ = self.ray.wait(list(self.worker_of), num_returns=1, timeout=seconds)
        if not finished:
            return None
        worker = self.worker_of.pop(finished[0])
        try:
            kind, number, data = self.ray.get(finished[0])
        except self.ray.exceptions.RayError as error:  # its machine or its actor has died
            return worker, "lost", -1, type(error).__name__.encode()
        if kind == "failed" and number == -1 and data.startswith(b"a machine"):
            raise OutplayError(data.decode())
        return worker, kind, number, data

    def kill(self, worker: int) -> None:
        """End a worker."""
        with suppress(Exception):  # it is dead already
            self.ray.kill(self.actors.pop(worker))

    def close(self) -> None:
        """End all workers, and leave the cluster if this call joined it."""
        for worker in tuple(self.actors):
            self.kill(worker)
        if self.is_ours:
            self.ray.shutdown()
