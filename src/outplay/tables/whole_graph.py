"""All states as one graph in memory, for values that need all of it at once: those with chance, and of many players.

The states are in the ascending order of their codes, so that nothing depends on who found them.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pointer
from outplay.rules.errors import OutplayError
from outplay.tables.codec import Codec, order_of
from outplay.tables.exploration import CodeExploration
from outplay.tables.partitions import (
    CHANCES,
    DEGREE,
    DEGREE_MASK,
    EDGES,
    KIND,
    KIND_MASK,
    NUMBER_BITS,
    PARTITIONS,
    STATES,
)


class StateGraph(NamedTuple):
    """All states, and their successors, which come one after the other, state by state, in the order of the rules."""

    codec: Codec
    codes: NDArray[np.int64]
    """The codes, shape (states, words), in ascending order."""
    kinds: NDArray[np.uint8]
    """END, MAX, MIN or DICE; or, of several sides, END or 1 + the side of the player to move."""
    degrees: NDArray[np.uint16]
    """The numbers of successors."""
    targets: NDArray[np.uint32]
    """The successors."""
    payoffs: NDArray[np.float64]
    """At ends, the utility of each side, shape (states, sides)."""
    chances: NDArray[np.float64]
    """The probability of each edge where chance is to move; empty in games without chance."""


def whole_graph(exploration: CodeExploration) -> StateGraph:
    """The graph that was explored. Raises `OutplayError` if it does not fit into memory."""
    graph, values, sides = exploration.graph, exploration.values, len(exploration.speakers)
    states, edges, words = graph.states, int(graph.counts[EDGES].sum()), graph.words
    edge_bytes = 12 if values.chance else 4
    size = states * (2 * 8 * words + 4 + 3 + 8 * sides) + edges * edge_bytes
    if size > graph.memory:
        raise OutplayError(
            f"the graph of the {states:,} states of {exploration.game!r} does not fit into {graph.memory / 1e6:,.0f}"
            f" megabytes, and it has to be in memory to be solved: increase memory_mb to {size / 1e6:,.0f}"
        )
    counts = graph.counts[STATES]
    begins = np.cumsum(counts) - counts
    codes = graph.codes()
    team, order, rank = exploration.team, order_of(codes, exploration.team), np.empty(states, np.uint32)
    rank[order] = np.arange(states, dtype=np.uint32)
    kinds, degrees = np.empty(states, np.uint8), np.empty(states, np.uint16)
    payoffs = np.empty((states, sides))
    ranks = [rank[begin : begin + count] for begin, count in zip(begins, counts, strict=True)]

    def place_states(part: int) -> None:
        team.check()
        own = ranks[part]
        entries = graph["found"][part, : len(own)]
        kinds[own], degrees[own] = entries >> KIND & KIND_MASK, entries >> DEGREE & DEGREE_MASK
        payoffs[own] = graph["payoffs"][part, : len(own) * sides].reshape(-1, sides)

    list(team.map(place_states, range(PARTITIONS)))
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum(degrees, dtype=np.int64)])
    targets, chances = np.empty(edges, np.uint32), np.empty(edges if values.chance else 0)

    def place_edges_of(part: int) -> None:
        team.check()
        own, edge_count = ranks[part], int(graph.counts[EDGES, part])
        to, sources, ordinals = (graph[name][part] for name in ("targets", "sources", "ordinals"))
        place_edges(to, sources, ordinals, edge_count, own, rank, begins, first, targets)
        if values.chance:
            place_chances(graph["chances"][part, : graph.counts[CHANCES, part]], own, first, chances)
        if not graph.is_split:
            for rows, count in graph.used_in(part):  # nobody needs them any more
                rows.evict(part, count)

    place_edges_of(0)  # alone, as this compiles what all need
    list(team.map(place_edges_of, range(1, PARTITIONS)))
    return StateGraph(exploration.codec, codes[order], kinds, degrees, targets, payoffs, chances)


@kernel
def place_edges(
    targets: Any, sources: Any, ordinals: Any, edges: int, own: Any, rank: Any, begins: Any, first: Any,
    predecessors: Any,
) -> None:  # fmt: skip
    """Put the edges to a partition, whose states have the ranks `own`, among those from their sources."""
    ranks, firsts = pointer(rank), pointer(first)
    for edge in range(edges):
        source = int(sources[edge])
        part, number = source >> NUMBER_BITS & PARTITIONS - 1, source & (1 << NUMBER_BITS) - 1
        predecessors[firsts[int(ranks[begins[part] + number])] + int(ordinals[edge])] = own[targets[edge]]


@kernel
def place_chances(chances: Any, own: Any, first: Any, edge_chances: Any) -> None:
    """Put the probabilities of the edges from a partition where these edges are."""
    edge = 0
    for state in range(len(own)):
        for place in range(first[own[state]], first[int(own[state]) + 1]):
            edge_chances[place] = chances[edge]
            edge += 1
