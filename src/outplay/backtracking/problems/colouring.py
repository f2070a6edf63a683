"""Graph colouring: a colour for each vertex, neighbours in different colours (Francis Guthrie 1852, for maps).

The variables are the vertices, the values are the colours. Colours are interchangeable, so a vertex is tried only with
the colours in use and one more, which stands for all colours that are not in use yet. A clique comes first, since its
vertices have different colours in any case; then always the vertex with the fewest colours left (DSATUR, Brélaz 1979).
The number of colourings as a function of the number of colours is the chromatic polynomial (Birkhoff 1912).
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.backtracking.problems._graphs import MAX_VERTICES, NAME, read_text
from outplay.games._parameters import whole_number
from outplay.rules.bits import single
from outplay.rules.errors import RulesError
from outplay.rules.problem import MAX_VALUES, Problem, Solution
from outplay.rules.wording import shown

Edge = tuple[Any, Any]

GRAPHS: dict[str, str] = {
    # Mainland states and territories that share a border, and Tasmania: Russell & Norvig, figure 6.1.
    "australia": "WA-NT WA-SA NT-SA NT-Q SA-Q SA-NSW SA-V Q-NSW NSW-V T",
    # An outer pentagon, an inner pentagram, and the edges between them (Julius Petersen 1898).
    "petersen": "0-1 1-2 2-3 3-4 4-0 0-5 1-6 2-7 3-8 4-9 5-7 7-9 9-6 6-8 8-5",
}
"""Graphs by name; a vertex without neighbours stands alone."""


class Coloured(NamedTuple):
    """The possible colours of each vertex, and the number of colours in use, which are 0 … used - 1."""

    masks: NDArray[np.int64]  # int64 [vertices]: bit c set: colour c is possible
    used: int


class Colouring(Problem):
    """Colour the vertices of a graph so that neighbours have different colours.

    `graph` is a name ("australia", "petersen"), a text such as "A-B B-C D" or that of a file with edges, neighbours or
    in DIMACS format, or a list of edges, which are pairs of any values. `colours` is the number of colours, up to 63.
    Raises `RulesError` for what is not for certain a graph.

    >>> from outplay import Backtracking
    >>> search = Backtracking(Colouring("australia", colours=3))
    >>> print(search.problem.render(search.first().solution))
    WA: 1
    NT: 2
    SA: 3
    Q: 1
    NSW: 2
    V: 1
    T: 1
    >>> [Backtracking(Colouring("petersen", k)).count().count for k in (2, 3, 4)]
    [0, 120, 12960]
    """

    usual_order = "most-constrained"

    def __init__(self, graph: str | Sequence[Edge] = "australia", colours: int = 3) -> None:
        self.colours = self.values = whole_number("colours", colours, 1, MAX_VALUES - 1)
        names, edges = read_graph(graph)
        if len(names) > MAX_VERTICES:
            raise RulesError(f"a graph of {len(names):,} vertices: at most {MAX_VERTICES} can be coloured")
        self.names = tuple(str(name) for name in names)
        self.variables = len(names)
        neighbours: list[set[int]] = [set() for _ in names]
        for one, other in edges:
            neighbours[one].add(other)
            neighbours[other].add(one)
        most = max(map(len, neighbours), default=0)
        self.neighbours = np.array(  # int64 [vertices, most + 1]: the neighbours of each vertex, then -1
            [sorted(others) + [-1] * (most + 1 - len(others)) for others in neighbours], np.int64
        )

    def initial_state(self) -> Coloured:
        return Coloured(np.full(self.variables, (1 << self.colours) - 1, np.int64), 0)

    def assign(self, state: Coloured, vertex: int, colour: int) -> Coloured:
        masks = state.masks.copy()
        masks[vertex] = single(colour)
        for other in self.neighbours[vertex]:
            if other < 0:
                break
            masks[other] &= ~single(colour)
        return Coloured(masks, max(state.used, colour + 1))

    def weight(self, state: Coloured, vertex: int, colour: int) -> int:
        """The first colour that is not in use yet stands for all of these."""
        if colour < state.used:
            return 1
        return self.colours - state.used if colour == state.used else 0

    def images(self, solution: Solution) -> Iterable[Solution]:
        for colours in permutations(range(self.colours), len(set(solution))):
            yield tuple(colours[colour] for colour in solution)

    def sequence(self) -> list[int]:
        """A clique first, as its vertices differ in any case; then the vertices with the most neighbours."""
        masks = [sum(1 << other for other in others[others >= 0].tolist()) for others in self.neighbours]
        clique = large_clique(masks)
        others = [vertex for vertex in range(self.variables) if vertex not in clique]
        return clique + sorted(others, key=lambda vertex: -masks[vertex].bit_count())

    def variable_name(self, vertex: int) -> str:
        return self.names[vertex]

    def value_name(self, vertex: int, colour: int) -> str:
        return str(colour + 1)

    def instances(self, text: str) -> Iterator[tuple[Problem, None]]:
        """The graph in a file, with the same number of colours as this one."""
        yield type(self)(text, self.colours), None

    def summary(self, cases: Sequence[tuple[Problem, Any]]) -> str:
        graphs = [graph for graph, _ in cases if isinstance(graph, Colouring)]
        return ", ".join(
            f"{graph.variables:,} vertices, {(graph.neighbours >= 0).sum() // 2:,} edges" for graph in graphs
        )


def read_graph(graph: str | Sequence[Edge]) -> tuple[list[Any], list[tuple[int, int]]]:
    """The vertices of a graph, and its edges as pairs of vertex numbers. Raises `RulesError` for an invalid graph.

    >>> read_graph("A-B B-C D")
    (['A', 'B', 'C', 'D'], [(0, 1), (1, 2)])
    >>> read_graph([(5, 7), (9,)])
    ([5, 7, 9], [(0, 1)])
    """
    if isinstance(graph, str):
        text = GRAPHS.get(graph.strip().lower(), graph)
        if NAME.fullmatch(text.strip()) and "-" not in text and " " not in text.strip():
            raise RulesError(f"unknown graph {graph!r}: use {', '.join(GRAPHS)}, or edges such as 'A-B B-C'")
        vertices, edges = read_text(text)
    else:
        vertices, edges = _from_pairs(graph)
    numbers = {name: number for number, name in enumerate(vertices)}
    return vertices, [(numbers[one], numbers[other]) for one, other in edges]


def _from_pairs(graph: Iterable[Any]) -> tuple[list[Any], list[Edge]]:
    """The vertices and edges of a list of pairs, and of vertices without neighbours."""
    groups = [tuple(edge) if isinstance(edge, (tuple, list)) else (edge,) for edge in graph]
    if not groups:
        raise RulesError("a graph without vertices: there is nothing to colour")
    for group in groups:
        if not 1 <= len(group) <= 2:
            raise RulesError(f"{shown(group)} is not an edge: use two vertices, such as ('A', 'B'), or one alone")
        if len(group) == 2 and group[0] == group[1]:
            raise RulesError(f"vertex {group[0]} is its own neighbour, so it cannot have a colour")
    vertices = list(dict.fromkeys(vertex for group in groups for vertex in group))
    return vertices, [(group[0], group[1]) for group in groups if len(group) == 2]


def large_clique(masks: list[int]) -> list[int]:
    """Vertices that are all neighbours of each other: a large set of them, perhaps not the largest.

    `masks` has the neighbours of each vertex as a bit mask. Greedy from every vertex: the next one always leaves the
    most vertices that are neighbours of all.

    >>> large_clique([0b0110, 0b1101, 0b1011, 0b0110])
    [0, 1, 2]
    """
    largest: list[int] = []
    for vertex in range(len(masks)):
        clique, common = [vertex], masks[vertex]
        while common and len(clique) + common.bit_count() > len(largest):
            best = max(_vertices(common), key=lambda other: (masks[other] & common).bit_count())
            clique.append(best)
            common &= masks[best]
        largest = max(largest, clique, key=len)
    return largest


def _vertices(mask: int) -> Iterator[int]:
    """The vertices of a bit mask, lowest first."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1
