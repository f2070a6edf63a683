"""The edges of a graph of states, from its successors to its predecessors."""

from typing import Any

import numpy as np

from outplay.compile.kernels import kernel


@kernel
def predecessors(degrees: Any, targets: Any) -> Any:
    """Where the predecessors of each state begin, int64 [states + 1], and the predecessors, uint32 [edges].

    `targets` are the successors of all states one after the other, and `degrees` how many each state has.
    """
    first = np.zeros(len(degrees) + 2, np.int64)
    for edge in range(len(targets)):
        first[targets[edge] + 2] += 1
    for state in range(len(degrees)):
        first[state + 2] += first[state + 1]
    sources, edge = np.zeros(len(targets), np.uint32), 0
    for state in range(len(degrees)):
        for _ in range(degrees[state]):
            place = int(targets[edge]) + 1
            sources[first[place]] = state
            first[place] += 1
            edge += 1
    return first[:-1], sources
