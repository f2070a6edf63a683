"""The kernels that record simulations; `recording.py` reads the records.

`techniques.trace` is a constant of compiled code: a search without a trace contains none of this code.
"""

from typing import Any

from outplay.compile.kernels import kernel
from outplay.compile.random_numbers import LISTED


@kernel
def begin_record(memory: Any, random: Any) -> None:
    """Record the state of the random number generator at the start of a simulation."""
    if memory.recorded < memory.max_records:
        memory.records.random[memory.recorded] = random[LISTED]


@kernel
def end_record(techniques: Any, memory: Any, numbers: Any) -> None:
    """Record the leaf and the rewards of the simulation; the recording ends where the tree is full."""
    number = memory.recorded
    if memory.full == 1:
        memory.max_records = min(memory.max_records, number)
    if number < memory.max_records and memory.why == 0:
        memory.records.leaf[number] = memory.visited[memory.ply]
        for share in range(techniques.shares):
            memory.records.rewards[number, share] = numbers.rewards[share]
        memory.recorded += 1
