"""Whether play can come back to a state: where it cannot, whoever keeps the value of a win wins in the end."""

from typing import Any

import numpy as np

from outplay.compile.kernels import kernel
from outplay.tables.discovery import StateGraph

MAX_SWEEPS = 64
"""The maximum number of times that all states are gone through."""


def is_acyclic(graph: StateGraph) -> bool:
    """Whether play is sure never to come back to a state; False too if that takes too long to find out."""
    return graph.forward or bool(all_end(graph.degrees, graph.targets, np.zeros(len(graph.degrees), np.uint8)))


@kernel
def all_end(degrees: Any, targets: Any, ends: Any) -> bool:
    """Whether play ends from every state, whatever is played; `ends` marks those known.

    Play ends where it does from all successors. States come in the order in which they were found, so that most
    successors come later: from the last state to the first, few sweeps suffice.
    """
    for _ in range(MAX_SWEEPS):
        edge, open_, found = len(targets), False, False
        for state in range(len(degrees) - 1, -1, -1):
            edge -= int(degrees[state])
            if ends[state] == 0:
                known = True
                for i in range(edge, edge + int(degrees[state])):
                    known = known and ends[targets[i]] != 0
                if known:
                    ends[state], found = 1, True
                else:
                    open_ = True
        if not open_:
            return True
        if not found:
            return False
    return False
