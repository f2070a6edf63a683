"""Graph colouring: the nodes that refute a number of colours, with each technique and without it.

The clique first is the `sequence` of `Colouring`, the most constrained vertex next is its usual order (DSATUR, Brélaz
1979), and symmetry tries one new colour at each vertex.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

from benchmarks.common import Plan, Row, best_of, same
from outplay import Backtracking
from outplay.backtracking.problems import Colouring

Edges = list[tuple[int, int]]


class InOrder(Colouring):
    """Without the clique first."""

    def sequence(self) -> list[int]:
        """The vertices in the order of their numbers."""
        return list(range(self.variables))


def rows(plan: Plan) -> Iterator[Row]:
    """Two rows for each graph and technique: nodes, and seconds."""
    for name, edges, colours in graphs(plan.quick):
        search = Backtracking(Colouring(edges, colours))
        for peer, reduced_search in {
            "no clique first": Backtracking(InOrder(edges, colours)),
            "no symmetry": replace(search, symmetry=False),
            "the given order": replace(search, order="given"),
        }.items():
            for searcher in search, reduced_search:
                searcher.first()  # compiles
            ours, theirs = best_of(plan, search.first, reduced_search.first)
            agree = same(ours.outcome.count, theirs.outcome.count, f"{ours.outcome.count} colourings")
            row = Row(what=f"{name} in {colours} colours", peer=peer, agree=agree)
            yield replace(row, unit="nodes", ours=ours.outcome.nodes, theirs=theirs.outcome.nodes)
            yield replace(row, ours=ours.seconds, theirs=theirs.seconds)


def graphs(quick: bool) -> Iterator[tuple[str, Edges, int]]:
    """Graphs, and one colour fewer than they need."""
    if quick:
        yield "Mycielski's graph of 11 vertices", mycielski(2), 3
    else:
        yield "Mycielski's graph of 23 vertices", mycielski(3), 4
        yield "queens on 6 × 6 squares", queens(6), 6


def mycielski(times: int) -> Edges:
    """An edge after so many steps of Mycielski (1955), each of which needs one more colour, without any triangle."""
    vertices, edges = 2, [(0, 1)]
    for _ in range(times):
        edges += [(vertices + u, v) for u, v in edges] + [(u, vertices + v) for u, v in edges]
        edges += [(vertices + vertex, 2 * vertices) for vertex in range(vertices)]
        vertices = 2 * vertices + 1
    return edges


def queens(n: int) -> Edges:
    """An edge between any two squares between which a queen moves."""
    squares = list(product(range(n), repeat=2))
    return [
        (first, second)
        for (first, (x, y)), (second, (u, v)) in combinations(enumerate(squares), 2)
        if x == u or y == v or abs(x - u) == abs(y - v)
    ]
