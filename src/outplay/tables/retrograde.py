"""The value of every state of a graph, and the distance to the end: backward induction, and retrograde analysis.

Backward induction: where every edge leads to a state that was found later, the states are valued from the last one to
the first, each by its successors.

Retrograde analysis, where play can go in circles (Thompson 1986, "Retrograde analysis of certain endgames"; with the
counters of Gasser 1996): a side can force a utility of at least u in

    ends with at least u,    its own states with one such successor,    the other side's with such successors only.

For player 0 the utilities above that of a draw are tried from the greatest down, and for the other side those below it
from the least up. A queue holds the states of a utility in the order of their distances; each one visits its
predecessors, and a counter says how many successors of a state of the other side are not known yet. What neither side
can force is a draw by endless play.

The distance is the number of plies to the end: the side that gets more than in a draw takes the shortest way that keeps
the utility, the other one the longest. A draw has none.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel
from outplay.tables.discovery import END, MAX, MIN, UNKNOWN, StateGraph
from outplay.tables.edges import predecessors

MAX_PLIES = 0xFFFE
"""The maximum distance."""


class Values(NamedTuple):
    """The values of all states of a graph."""

    utilities: NDArray[np.float64]
    """The utilities of player 0 that occur, in ascending order, with that of a draw."""
    levels: NDArray[np.uint16]
    """Of each state, the index of its value in `utilities`."""
    plies: NDArray[np.uint16]
    """The plies to the end of the game; 0 in draws and at the end."""


def solve(graph: StateGraph, draw: float) -> Values:
    """The values of all states, where endless play is worth `draw` to player 0."""
    utilities = np.unique(np.append(graph.utilities, draw))
    rank = np.full(UNKNOWN + 1, UNKNOWN, np.uint16)
    rank[: len(graph.utilities)] = np.searchsorted(utilities, graph.utilities)
    levels, middle = rank[graph.levels], int(np.searchsorted(utilities, draw))
    plies = np.zeros(len(levels), np.uint16)
    if graph.forward:
        back_up(graph.kinds, graph.degrees, graph.targets, middle, levels, plies)
    else:
        first, sources = predecessors(graph.degrees, graph.targets)
        ends = np.flatnonzero(graph.kinds == END).astype(np.uint32)
        for side in MAX, MIN:
            force(graph.kinds, graph.degrees, first, sources, ends, side, middle, len(utilities), levels, plies)
        levels[levels == UNKNOWN] = middle
    return Values(utilities, levels, plies)


@kernel
def is_better(side: int, level: int, than: int) -> bool:
    """Whether a side prefers one level to another."""
    return bool(level > than if side == MAX else level < than)


@kernel
def back_up(kinds: Any, degrees: Any, targets: Any, draw: int, levels: Any, plies: Any) -> None:
    """Backward induction: value all states, from the last to the first."""
    edge = len(targets)
    for state in range(len(kinds) - 1, -1, -1):
        edge -= degrees[state]
        if kinds[state] == END:
            continue
        side, best, longest, shortest = int(kinds[state]), -1, 0, 0
        for i in range(edge, edge + degrees[state]):
            level, away = int(levels[targets[i]]), int(plies[targets[i]])
            if best < 0 or is_better(side, level, best):
                best, shortest, longest = level, away, away
            elif level == best:
                shortest, longest = min(shortest, away), max(longest, away)
        levels[state] = best
        if best != draw:
            plies[state] = 1 + (shortest if is_better(side, best, draw) else longest)


@kernel
def force(
    kinds: Any, degrees: Any, first: Any, sources: Any, ends: Any, side: int, draw: int, count: int, levels: Any,
    plies: Any,
) -> None:  # fmt: skip
    """Retrograde analysis: value all states in which `side` can force more than a draw."""
    left = degrees.copy()
    queue = np.zeros(len(kinds), np.uint32)
    level = count - 1 if side == MAX else 0
    while is_better(side, level, draw):
        head = tail = 0
        for i in range(len(ends)):
            if levels[ends[i]] == level:
                queue[tail] = ends[i]
                tail += 1
        while head < tail:
            state = int(queue[head])
            head += 1
            for i in range(first[state], first[state + 1]):
                before = int(sources[i])
                if levels[before] != UNKNOWN:
                    continue
                left[before] -= 1
                if kinds[before] == side or left[before] == 0:
                    levels[before], plies[before] = level, plies[state] + 1
                    queue[tail] = before
                    tail += 1
        level += -1 if side == MAX else 1
