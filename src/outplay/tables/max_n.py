"""The values of games for many players, or two whose interests are not opposed: max^n by backward induction.

Each player takes what gives them the most, the first such action in the listing of the rules, as in the search
(`chance/max_n.py`). So a state has the utilities of one end of the game: its value is the index of these utilities in
the list of all different ones, and its distance is that of this end.

Where play can go in circles, max^n has no value in general, and where images of a state count as one, the first of
equal actions is not that of the rules; hence the graph is without circles and images.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel
from outplay.rules.errors import OutplayError, UnsuitableGame
from outplay.rules.game import Game
from outplay.tables.components import Components
from outplay.tables.partitions import END, UNKNOWN
from outplay.tables.whole_graph import StateGraph


class Vectors(NamedTuple):
    """The values of all states of a graph."""

    utilities: NDArray[np.float64]
    """The different utilities at ends of the game, one for each side, shape (levels, sides), in ascending order."""
    levels: NDArray[np.uint16]
    """Of each state, the index of its value in `utilities`."""
    plies: NDArray[np.uint32]
    """The plies to this end."""


def solve_vectors(game: Game, graph: StateGraph) -> Vectors:
    """The values of all states by max^n. Raises `UnsuitableGame` if play can go in circles."""
    components = Components(graph)
    if components.circular:
        raise UnsuitableGame(
            f"there is no table of {game!r}: play can go in circles, and the interests of its players are not opposed"
        )
    ends = np.flatnonzero(graph.kinds == END)
    utilities, ranks = distinct_rows(graph.payoffs[ends] + 0.0)  # + 0.0: no -0.0
    if len(utilities) >= UNKNOWN:
        raise OutplayError(f"{game!r} has more than {UNKNOWN - 1:,} different utilities: too many for a table")
    levels, plies = np.zeros(len(graph.kinds), np.uint16), np.zeros(len(graph.kinds), np.uint32)
    levels[ends] = ranks
    back_up_vectors(graph.kinds, components.first, graph.targets, components.order, utilities, levels, plies)
    return Vectors(utilities, levels, plies)


def distinct_rows(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The different rows in ascending order, and the place of each row among them: as `np.unique` does, but sooner."""
    keys = np.zeros(len(rows), np.int64)
    for column in rows.T:
        values = np.unique(column)
        keys = keys * len(values) + np.searchsorted(values, column)
        keys = np.searchsorted(np.unique(keys), keys)
    rows_of_keys = np.empty(int(keys.max(initial=-1)) + 1, np.int64)
    rows_of_keys[keys] = np.arange(len(keys))
    return rows[rows_of_keys], keys


@kernel
def back_up_vectors(kinds: Any, first: Any, targets: Any, order: Any, utilities: Any, levels: Any, plies: Any) -> None:
    """Value all states, each after its successors."""
    for i in range(len(order)):
        state = int(order[i])
        if kinds[state] == END:
            continue
        side = int(kinds[state]) - 1
        best = int(targets[first[state]])
        for edge in range(first[state] + 1, first[state + 1]):
            if utilities[levels[targets[edge]], side] > utilities[levels[best], side]:
                best = int(targets[edge])
        levels[state], plies[state] = levels[best], plies[best] + 1
