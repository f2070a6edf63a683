"""How much of the time for a move the player did not get: it was ready to run, but something else had the processor.

A player in this process does not get what its move takes on the clock beyond the processor time of the process. For
another program, Linux counts for each of its threads how long it was ready to run; elsewhere this is taken to be 0.
"""

import os
import time
from contextlib import suppress
from typing import Any


class Waiting:
    """Measures, from now on, how long a player waits; `process_id` of the player says that it is another program."""

    def __init__(self, player: Any) -> None:
        self.process = getattr(player, "process_id", None)
        self.before = self._now()

    def _now(self) -> float:
        return -time.process_time() if self.process is None else seconds_ready(self.process)

    def among(self, seconds: float) -> float:
        """How many of the seconds since the start were waiting."""
        waited = self._now() - self.before
        return min(max(0.0, waited + (seconds if self.process is None else 0.0)), seconds)


def seconds_ready(process: int) -> float:
    """The seconds in which the threads of a process have been ready to run, but did not; 0 where nobody counts."""
    nanoseconds = 0
    folder = f"/proc/{process}/task"
    with suppress(OSError):  # no Linux, or it has ended
        for thread in os.listdir(folder):
            with suppress(OSError, ValueError, IndexError), open(f"{folder}/{thread}/schedstat", "rb") as file:
                nanoseconds += int(file.read().split()[1])
    return nanoseconds / 1e9
