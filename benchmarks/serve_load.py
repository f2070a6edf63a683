"""Many people at once on one server: how long the first values take, whether a session is lost, and the memory.

    python benchmarks/serve_load.py --people 50 --minutes 5

Each simulated person opens Connect Four against a computer, explores each position, and plays a move every few seconds.
The server runs in a process of its own on this computer.
"""

import argparse
import asyncio
import json
import random
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

PORT = 8790
PAUSE = 2.0, 6.0
"""The shortest and the longest time between two moves of a person, in seconds."""


@dataclass
class Measured:
    """What all people have seen."""

    first_values: list[float] = field(default_factory=list)
    moves: int = 0
    lost: int = 0


class Person:
    """Somebody who plays and explores."""

    def __init__(self, socket: ClientConnection, measured: Measured, seed: int) -> None:
        self.socket, self.measured, self.random, self.number = socket, measured, random.Random(seed), 0
        self.position: dict[str, Any] = {}
        self.wait_start = 0.0

    async def send(self, kind: str, **fields: Any) -> None:
        """Send a request."""
        self.number += 1
        await self.socket.send(json.dumps({"type": kind, "id": self.number, **fields}))

    async def listen(self) -> None:
        """Read what comes, and take the time from a new position to its first values."""
        async for data in self.socket:
            message = json.loads(data)
            if message["type"] == "position" and message["node"] != self.position.get("node"):
                self.position, self.wait_start = message, time.perf_counter()
            elif message["type"] == "values" and message["rows"] and message["node"] == self.position.get("node"):
                if self.wait_start:
                    self.measured.first_values.append(time.perf_counter() - self.wait_start)
                self.wait_start = 0.0

    async def play(self, until: float) -> None:
        """Play games until the time is over."""
        listening = asyncio.create_task(self.listen())
        await self.send("open", game="connect-four", seats=["person", "alpha-beta(level=3)"])
        await asyncio.sleep(self.random.uniform(0.5, 5))
        await self.send("explore", on=True)  # also in the games to come
        self.wait_start = time.perf_counter()  # not when the position came: no values were wanted then
        while time.monotonic() < until:
            await asyncio.sleep(self.random.uniform(*PAUSE))
            if listening.done():
                self.measured.lost += 1
                return
            if self.position.get("turn") == "over":
                await self.send("open", game="connect-four", seats=["person", "alpha-beta(level=3)"])
                await asyncio.sleep(1)
            elif self.position.get("turn") == "you":
                action = self.random.choice(self.position["actions"])
                await self.send("play", action=action["id"], node=self.position["node"])
                self.measured.moves += 1
        listening.cancel()


async def person(address: str, measured: Measured, seed: int, until: float) -> None:
    """One person from the first to the last move."""
    try:
        async with connect(address + "ws", origin=address.rstrip("/").replace("ws", "http"), max_size=None) as socket:  # type: ignore[arg-type]
            await Person(socket, measured, seed).play(until)
    except Exception as error:
        measured.lost += 1
        print(f"lost: {error!r}")


def memory_mb(process: int) -> float:
    """The memory of a process in use."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * 4096 / 2**20


async def measure(people: int, seconds: float, process: int, address: str) -> None:
    """Let people play, and print what they saw."""
    measured = Measured()
    await person(address, Measured(), 0, time.monotonic() + 30)  # compiles
    until = time.monotonic() + seconds
    everybody = [asyncio.create_task(person(address, measured, seed, until)) for seed in range(1, people + 1)]
    await asyncio.sleep(min(30, seconds / 3))
    early = memory_mb(process)
    await asyncio.gather(*everybody)
    times = sorted(measured.first_values)
    percentiles = [
        f"{share:.0%} {1000 * times[min(int(share * len(times)), len(times) - 1)]:.0f} ms" for share in (0.5, 0.9, 0.99)
    ]
    print(
        f"{people} people, {seconds:.0f} s: {measured.moves} moves, {len(times)} first values: {', '.join(percentiles)}"
    )
    print(f"lost: {measured.lost}; memory {early:.0f} MB early, {memory_mb(process):.0f} MB at the end")


def main() -> None:
    """Start the server and measure it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=5.0)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "outplay", "serve", "--no-open", "--port", str(PORT), "--keep", folder]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[4].replace("http", "ws")
            asyncio.run(measure(options.people, 60 * options.minutes, server.pid, address))
        finally:
            server.kill()


if __name__ == "__main__":
    main()
