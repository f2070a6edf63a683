"""The circles of a graph: its strongly connected components, those that others lead to first (Tarjan 1972)."""

from typing import Any

import numpy as np

from outplay.compile.kernels import kernel
from outplay.tables.partitions import DICE, END
from outplay.tables.whole_graph import StateGraph


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


@kernel
def find_components(first: Any, targets: Any) -> Any:
    """The order of all states, and where the components begin in it."""
    states = len(first) - 1
    done = states + 1  # the number of a state whose component is complete, above all others
    numbers, least = np.zeros(states, np.uint32), np.zeros(states, np.uint32)  # 0: not yet met
    waiting, path = np.zeros(states, np.uint32), np.zeros(states, np.uint32)
    order, starts, edges = np.zeros(states, np.uint32), np.zeros(states + 1, np.int64), first[:-1].copy()
    met = left = placed = components = 0
    for root in range(states):
        depth = 0
        if numbers[root] == 0:
            met += 1
            numbers[root] = least[root] = met
            waiting[left], path[0] = root, root
            left, depth = left + 1, 1
        while depth > 0:
            state = int(path[depth - 1])
            if edges[state] < first[state + 1]:
                after = int(targets[edges[state]])
                edges[state] += 1
                if numbers[after] == 0:
                    met += 1
                    numbers[after] = least[after] = met
                    waiting[left], path[depth] = after, after
                    left, depth = left + 1, depth + 1
                elif numbers[after] < least[state]:
                    least[state] = numbers[after]
                continue
            depth -= 1
            if depth > 0 and least[state] < least[path[depth - 1]]:
                least[path[depth - 1]] = least[state]
            if least[state] == numbers[state]:
                while numbers[state] != done:
                    left -= 1
                    order[placed] = waiting[left]
                    numbers[waiting[left]] = done
                    placed += 1
                components += 1
                starts[components] = placed
    return order, starts[: components + 1]


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
