"""Graph colouring: a colour for each vertex, neighbours in different colours (Francis Guthrie 1852, for maps).

The variables are the vertices, the values are the colours. Colours are interchangeable, so a vertex is tried only with
the colours in use and one more, which stands for all colours that are not in use yet. The number of colourings as a
function of the number of colours is the chromatic polynomial (Birkhoff 1912).
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.games._parameters import whole_number
from outplay.rules.bits import single
from outplay.rules.errors import RulesError
from outplay.rules.problem import MAX_VALUES, Problem, Solution

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

    `graph` is a name ("australia", "petersen"), a text such as "A-B B-C D" or in DIMACS format ("p edge 3 2" and lines
    such as "e 1 2"), or a list of edges, which are pairs of any values. `colours` is the number of colours.

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

    def __init__(self, graph: str | Sequence[Edge] = "australia", colours: int = 3) -> None:
        self.colours = self.values = whole_number("colours", colours, 1, MAX_VALUES - 1)
        names, edges = read_graph(graph)
        self.names = tuple(str(name) for name in names)
        self.variables = len(names)
        near: list[set[int]] = [set() for _ in names]
        for one, other in edges:
            near[one].add(other)
            near[other].add(one)
        most = max(map(len, near), default=0)
        self.neighbours = np.array(  # int64 [vertices, most + 1]: the neighbours of each vertex, then -1
            [sorted(others) + [-1] * (most + 1 - len(others)) for others in near], np.int64
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

    def variable_name(self, vertex: int) -> str:
        return self.names[vertex]

    def value_name(self, vertex: int, colour: int) -> str:
        return str(colour + 1)

    def instances(self, text: str) -> Iterator[tuple[Problem, None]]:
        """The graph in a file, with the same number of colours as this one."""
        yield type(self)(text, self.colours), None


def read_graph(graph: str | Sequence[Edge]) -> tuple[list[Any], list[tuple[int, int]]]:
    r"""The vertices of a graph, and its edges as pairs of vertex numbers. Raises `RulesError` for an invalid graph.

    >>> read_graph("A-B B-C D")
    (['A', 'B', 'C', 'D'], [(0, 1), (1, 2)])
    >>> read_graph("p edge 3 1\ne 3 1")
    (['1', '2', '3'], [(2, 0)])
    """
    names: dict[Any, int] = {}
    pairs: list[tuple[Any, ...]] = []
    if isinstance(graph, str):
        text = GRAPHS.get(graph.strip().lower(), graph)
        lines = [line.split() for line in text.splitlines() if line.split()]
        if any(line[0] == "p" for line in lines):
            return _dimacs(lines)
        pairs = [tuple(word.split("-")) for line in lines for word in line]
        if len(pairs) == 1 and len(pairs[0]) == 1:
            raise RulesError(f"unknown graph {graph!r}: use {', '.join(GRAPHS)}, or edges such as 'A-B B-C'")
    else:
        pairs = [tuple(edge) if isinstance(edge, (tuple, list)) else (edge,) for edge in graph]
    edges = []
    for pair in pairs:
        if len(pair) > 2 or "" in pair:
            raise RulesError(
                f"{'-'.join(map(str, pair))!r} is not an edge: use two vertices, such as 'A-B', or one alone"
            )
        numbers = [names.setdefault(name, len(names)) for name in pair]
        if len(numbers) == 2:
            edges.append((numbers[0], numbers[1]))
    _check(list(names), edges)
    return list(names), edges


def _dimacs(lines: list[list[str]]) -> tuple[list[str], list[tuple[int, int]]]:
    """A graph in DIMACS format: `c` a comment, `p edge VERTICES EDGES`, `e ONE OTHER`; vertices count from 1."""
    vertices, edges = 0, []
    for number, line in enumerate(lines, 1):
        kind, *words = line
        wanted = {"p": 3, "e": 2}.get(kind)
        figures = words[1:] if kind == "p" else words
        if kind == "c" or kind in "nvdx":  # a comment, or a line for other problems
            continue
        if wanted != len(words) or not all(word.isdecimal() for word in figures):
            raise RulesError(f"line {number}, {' '.join(line)!r}: DIMACS has 'p edge VERTICES EDGES' or 'e ONE OTHER'")
        if kind == "p":
            vertices = int(figures[0])
            continue
        one, other = (int(word) for word in figures)
        if not (1 <= one <= vertices and 1 <= other <= vertices):
            raise RulesError(f"line {number}, {' '.join(line)!r}: the vertices are 1 to {vertices}")
        edges.append((one - 1, other - 1))
    names = [str(vertex + 1) for vertex in range(vertices)]
    _check(names, edges)
    return names, edges


def _check(names: list[Any], edges: list[tuple[int, int]]) -> None:
    if not names:
        raise RulesError("a graph without vertices: there is nothing to colour")
    for one, other in edges:
        if one == other:
            raise RulesError(f"vertex {names[one]} is its own neighbour, so it cannot have a colour")
