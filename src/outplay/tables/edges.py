"""The edges of a graph of states, from its successors to its predecessors."""

from typing import Any

import numpy as np

from outplay.compile.kernels import kernel, pointer
from outplay.compile.records import layout, new_record
from outplay.engine.workspace import COUNTERS, must_stop

LAYOUT = layout(*COUNTERS)


def predecessors(degrees: Any, targets: Any) -> Any:
    """Where the predecessors of each state begin, int64 [states + 1], and the predecessors, uint32 [edges].

    `targets` are the successors of all states one after the other, and `degrees` how many each state has.
    """
    return _predecessors(degrees, targets, new_record(LAYOUT))


@kernel
def _predecessors(degrees: Any, targets: Any, work: Any) -> Any:
    return reversed_edges(degrees, targets, 0, pointer(work))


@kernel
def reversed_edges(degrees: Any, targets: Any, bits: int, memory: Any) -> Any:
    """The same where each target has so many bits below the number of the state, which go with the edge.

    They are not complete if `memory.stop` ended it.
    """
    count = len(degrees)
    first = np.zeros(count + 2, np.int64)
    for edge in range(len(targets)):
        first[(int(targets[edge]) >> bits) + 2] += 1
    for state in range(count):
        first[state + 2] += first[state + 1]
    sources, edge, mask = np.zeros(len(targets), np.uint32), 0, (1 << bits) - 1
    for state in range(count):
        if must_stop(memory):
            break
        for _ in range(degrees[state]):
            target = int(targets[edge])
            place = (target >> bits) + 1
            sources[first[place]] = state << bits | target & mask
            first[place] += 1
            edge += 1
    return first[:-1], sources
