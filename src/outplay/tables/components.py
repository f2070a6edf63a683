"""The circles of a graph: its strongly connected components, those that others lead to first (Tarjan 1972)."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel
from outplay.tables.partitions import DICE, END
from outplay.tables.whole_graph import StateGraph

SWEEPS = 50
"""About how often states are looked at that lead to each other."""
MIN_WORK, PARTS = 100_000, 4
"""The number of edges to look at from which on several threads do it, and the number of parts for each of them."""


class Components:
    """The components of a graph, in an order in which each comes after all that it leads to.

    Attributes:
        first: where the edges of each state begin, int64 [states + 1].
        order: the states, component by component, uint32 [states].
        starts: where each component begins in `order`, int64 [components + 1].
        circular: whether play can go in circles.
    """

    def __init__(self, graph: StateGraph) -> None:
        count = len(graph.kinds)
        self.first = np.concatenate([np.zeros(1, np.int64), np.cumsum(graph.degrees, dtype=np.int64)])
        self.order, self.starts = find_components(self.first, graph.targets)
        self.circular = len(self.starts) <= count or any_leads_to_itself(self.first, graph.targets)
        self.targets = graph.targets

    def in_turns(self, threads: int) -> Iterator[list[NDArray[np.int64]]]:
        """All components, by their numbers, in lists of parts that threads can work on at the same time, each after the
        components that it leads to.

        What is too little for all threads is one part. So is a graph without circles, which takes less time than this.
        """
        if threads == 1 or not self.circular:
            yield [np.arange(len(self.starts) - 1)]
            return
        levels, work = find_levels(self.first, self.targets, self.order, self.starts)
        turns = np.argsort(levels, kind="stable")
        counts, work_so_far = np.bincount(levels), np.concatenate([[0], np.cumsum(work[turns])])
        ends = np.cumsum(counts)
        wide = work_so_far[ends] - work_so_far[ends - counts] >= MIN_WORK
        waiting = 0
        for begin, end in zip((ends - counts)[wide], ends[wide], strict=True):
            if waiting < begin:
                yield [turns[waiting:begin]]
            shares = np.linspace(work_so_far[begin], work_so_far[end], PARTS * threads + 1)[1:-1]
            cuts = np.searchsorted(work_so_far[begin:end], shares)
            yield [part for part in np.split(turns[begin:end], cuts) if len(part)]
            waiting = end
        if waiting < len(turns):
            yield [turns[waiting:]]


@kernel
def find_components(first: Any, targets: Any) -> Any:
    """The order of all states, and where the components begin in it."""
    states = len(first) - 1
    complete = states + 1  # the number of a state whose component is complete, above all others
    numbers, least = np.zeros(states, np.uint32), np.zeros(states, np.uint32)  # 0: not yet met
    waiting, path = np.zeros(states, np.uint32), np.zeros(states, np.uint32)
    order, starts, edges = np.zeros(states, np.uint32), np.zeros(states + 1, np.int64), first[:-1].copy()
    met = height = placed = components = 0
    for root in range(states):
        depth = 0
        if numbers[root] == 0:
            met += 1
            numbers[root] = least[root] = met
            waiting[height], path[0] = root, root
            height, depth = height + 1, 1
        while depth > 0:
            state = int(path[depth - 1])
            if edges[state] < first[state + 1]:
                after = int(targets[edges[state]])
                edges[state] += 1
                if numbers[after] == 0:
                    met += 1
                    numbers[after] = least[after] = met
                    waiting[height], path[depth] = after, after
                    height, depth = height + 1, depth + 1
                elif numbers[after] < least[state]:
                    least[state] = numbers[after]
                continue
            depth -= 1
            if depth > 0 and least[state] < least[path[depth - 1]]:
                least[path[depth - 1]] = least[state]
            if least[state] == numbers[state]:
                while numbers[state] != complete:
                    height -= 1
                    order[placed] = waiting[height]
                    numbers[waiting[height]] = complete
                    placed += 1
                components += 1
                starts[components] = placed
    return order, starts[: components + 1]


@kernel
def find_levels(first: Any, targets: Any, order: Any, starts: Any) -> Any:
    """The level of each component, above those of all that it leads to, and about how much work it is."""
    levels, work = np.zeros(len(starts) - 1, np.int64), np.zeros(len(starts) - 1, np.int64)
    level_of = np.zeros(len(order), np.uint32)  # one more than that of its component; 0: not yet found
    for component in range(len(levels)):
        level = edges = 0
        for i in range(starts[component], starts[component + 1]):
            for edge in range(first[order[i]], first[order[i] + 1]):
                level = max(level, int(level_of[targets[edge]]))
                edges += 1
        for i in range(starts[component], starts[component + 1]):
            level_of[order[i]] = level + 1
        levels[component] = level
        work[component] = 1 + edges * (SWEEPS if starts[component + 1] - starts[component] > 1 else 1)
    return levels, work


@kernel
def any_leads_to_itself(first: Any, targets: Any) -> bool:
    """Whether there is a state with an edge to itself."""
    is_any = False
    for state in range(len(first) - 1):
        is_any |= leads_to_itself(state, first, targets)
    return is_any


@kernel
def leads_to_itself(state: int, first: Any, targets: Any) -> bool:
    """Whether a state has an edge to itself."""
    is_any = False
    for edge in range(first[state], first[state + 1]):
        is_any |= bool(targets[edge] == state)
    return is_any


def can_be_endless(graph: StateGraph) -> bool:
    """Whether all players together can keep the game going for ever, whatever chance does.

    If not, play ends with probability 1, whoever plays how: from each state, within as many plies as there are states,
    with a probability that is not 0.
    """
    first, sources = predecessors(graph.degrees, graph.targets)
    return bool(endless(graph.kinds, graph.degrees, first, sources) > 0)


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


@kernel
def endless(kinds: Any, degrees: Any, first: Any, sources: Any) -> int:
    """The number of states in the largest set that players need not leave, and that chance cannot leave."""
    left, inside = degrees.copy(), np.ones(len(kinds), np.bool_)
    queue, tail = np.zeros(len(kinds), np.uint32), 0
    for state in range(len(kinds)):
        if kinds[state] == END:
            inside[state] = False
            queue[tail] = state
            tail += 1
    head = 0
    while head < tail:
        state = int(queue[head])
        head += 1
        for i in range(first[state], first[state + 1]):
            before = int(sources[i])
            left[before] -= 1
            if inside[before] and (kinds[before] == DICE or left[before] == 0):
                inside[before] = False
                queue[tail] = before
                tail += 1
    return len(kinds) - tail
