"""All equilibria of a two-player game by the vertices of its best-response polytopes, and degeneracy.

With all payoffs made positive, A [m, n] those of the row player and B [m, n] those of the column player,

    P = {x in R^m:  x ≥ 0,  x B ≤ 1}        Q = {y in R^n:  A y ≤ 1,  y ≥ 0}

A point has a label for each inequality that holds with equality: label i < m where x_i = 0 or row i is a best
response to y, label m + j where column j is a best response to x or y_j = 0. Two points other than 0 that have all
m + n labels between them are, scaled to sum to 1, an equilibrium. Pairs of vertices are the extreme equilibria, and
all others are mixtures of these (Mangasarian 1964; von Stengel 2007, "Equilibrium computation for two-player games").
The game is degenerate exactly when some vertex of P has more than m labels, or one of Q more than n.

In games of up to `EXACT` choices of tight inequalities, such as 6 × 6, each choice is a system of equations, solved in
exact numbers. For larger games Qhull (Barber, Dobkin & Huhdanpaa 1996) finds the vertices, through SciPy. Their number
grows exponentially: 10 × 10 games are fast, 20 × 20 games are not.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.equilibrium.matrix_game import MatrixGame
from outplay.equilibrium.mixed_equilibrium import INFINITELY_MANY, MixedEquilibria, MixedEquilibrium, is_infinite
from outplay.equilibrium.nfg import Numbers
from outplay.equilibrium.payoff_tables import fraction, probabilities_from
from outplay.rules.errors import OutplayError, UnsuitableGame

TIGHT = 1e-9
"""An inequality between numbers of about 1 holds with equality within this tolerance."""
EXACT = 1000
"""The maximum number of choices of m out of m + n inequalities for exact numbers."""

Vertices = tuple[Any, NDArray[np.bool_]]
"""Points, float64 [vertices, m] or a list of tuples of fractions, and their labels, bool [vertices, m + n]."""


def vertex_enumeration(game: MatrixGame) -> MixedEquilibria:
    """Return all equilibria of a two-player game; if these are infinitely many, the extreme ones.

    All others are then mixtures of these. Small games, such as 6 × 6, are solved in exact numbers, see `fractions`;
    payoffs are read as the simplest fractions that round to them: 0.1 is 1/10.

    Raises `UnsuitableGame` if there are not two players.

    >>> battle = MatrixGame([[(3, 2), (0, 0)], [(0, 0), (2, 3)]], actions=[["opera", "football"]] * 2)
    >>> print(vertex_enumeration(battle))
    3 equilibria, by vertex enumeration in exact numbers; these are all
    <BLANKLINE>
    player 0: opera 1; expects 3
    player 1: opera 1; expects 2
    regret 0; by vertex enumeration in exact numbers
    <BLANKLINE>
    player 0: opera 3/5, football 2/5; expects 6/5
    player 1: opera 2/5, football 3/5; expects 6/5
    regret 0; by vertex enumeration in exact numbers
    <BLANKLINE>
    player 0: football 1; expects 2
    player 1: football 1; expects 3
    regret 0; by vertex enumeration in exact numbers
    """
    (xs, x_labels), (ys, y_labels) = _both(game)
    degenerate = _too_many(xs, x_labels) or _too_many(ys, y_labels)
    missing = (~x_labels).astype(np.float32) @ (~y_labels).astype(
        np.float32
    ).T  # [of P, of Q]: the number of labels that neither has
    profiles = [(xs[i], ys[j]) for i, j in np.argwhere(missing == 0)]
    profiles.sort(key=lambda profile: [-round(float(chance), 9) for mixed in profile for chance in mixed])
    exact = _is_small(game)
    method = "vertex enumeration in exact numbers" if exact else "vertex enumeration (Qhull)"
    items = tuple(
        MixedEquilibrium(
            game,
            tuple(map(probabilities_from, profile)),
            method=method,
            degenerate=degenerate,
            fractions=profile if exact else None,
        )
        for profile in profiles
    )
    infinite = is_infinite(items)
    complete = INFINITELY_MANY if infinite else "these are all"
    return MixedEquilibria(items, method=method, degenerate=degenerate, infinite=infinite, complete=complete)


def is_degenerate(game: MatrixGame) -> bool:
    """Whether some mixed strategy of a player has more best responses than it mixes actions.

    Then equilibria may form segments, and methods for one or all equilibria guarantee less. Takes as long as
    `vertex_enumeration`, and raises the same errors.

    >>> is_degenerate(MatrixGame([[1, -1], [-1, 1]])), is_degenerate(MatrixGame([[1, 1], [0, 2]]))
    (False, True)
    """
    return any(_too_many(*vertices) for vertices in _both(game))


def _is_small(game: MatrixGame) -> bool:
    return comb(sum(game.shape), game.shape[0]) <= EXACT


def _both(game: MatrixGame) -> list[Vertices]:
    """Return the vertices of P and of Q, with their labels."""
    if game.number_of_players != 2:
        raise UnsuitableGame(f"vertex enumeration is for games of two players, not of {game.number_of_players}")
    if _is_small(game):
        a, b = (np.vectorize(fraction, otypes=[object])(table) for table in game.payoffs)
        a, b = (table - table.min() + 1 for table in (a, b))
        find: Any = _exact_vertices
    else:
        a, b = (table - table.min() + 1.0 * (np.ptp(table) or 1.0) for table in game.payoffs)
        a, b = a / a.max(), b / b.max()
        find = _vertices
    xs, x_labels = find(b)
    ys, y_labels = find(a.T)
    rows = game.shape[0]
    return [(xs, x_labels), (ys, np.roll(y_labels, rows, axis=1))]


def _exact_vertices(table: NDArray[Any]) -> Vertices:
    """Return the vertices but 0 of {x ≥ 0: x table ≤ 1} and their labels. The table is positive, of fractions [m, n].

    The x of a vertex that is not 0 on `rows` solves x table[rows, columns] = 1 for as many tight columns.
    """
    m, n = table.shape
    vertices: dict[tuple[Fraction, ...], list[bool]] = {}
    for size in range(1, min(m, n) + 1):
        for rows in combinations(range(m), size):
            for columns in combinations(range(n), size):
                solved = solution(table[np.ix_(rows, columns)].T.tolist(), [Fraction(1)] * size)
                if solved is None or min(solved) < 0:
                    continue
                x = [Fraction(0)] * m
                for row, share in zip(rows, solved, strict=True):
                    x[row] = share
                sums = [sum(x[row] * table[row, column] for row in rows) for column in range(n)]
                if max(sums) <= 1:
                    total = sum(x)
                    vertices[tuple(share / total for share in x)] = [share == 0 for share in x] + [
                        label == 1 for label in sums
                    ]
    return list(vertices), np.array(list(vertices.values()), np.bool_)


def solution(matrix: list[list[Fraction]], right: Sequence[Fraction]) -> list[Fraction] | None:
    """Return the x with `matrix @ x = right`, by elimination; None if there is not exactly one.

    >>> solution([[Fraction(1), Fraction(1)], [Fraction(1), Fraction(-1)]], [Fraction(3), Fraction(1)])
    [Fraction(2, 1), Fraction(1, 1)]
    """
    lines = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for column in range(len(lines)):
        pivot = next((row for row in range(column, len(lines)) if lines[row][column]), None)
        if pivot is None:
            return None
        lines[column], lines[pivot] = lines[pivot], lines[column]
        top = lines[column] = [value / lines[column][column] for value in lines[column]]
        for row, line in enumerate(lines):
            if row != column and line[column]:
                lines[row] = [value - line[column] * above for value, above in zip(line, top, strict=True)]
    return [line[-1] for line in lines]


def _vertices(table: Numbers) -> Vertices:
    """Return the vertices but 0 of {x ≥ 0: x table ≤ 1}, float64 [vertices, m], and labels, bool [vertices, m + n]."""
    from scipy.spatial import HalfspaceIntersection, QhullError  # noqa: PLC0415 - SciPy is imported when first needed

    m, n = table.shape
    if m == 1:
        points = np.array([[1 / table.max()]])
    else:
        halfspaces = np.block([[-np.eye(m), np.zeros((m, 1))], [table.T, -np.ones((n, 1))]])
        try:
            points = HalfspaceIntersection(halfspaces, np.full(m, 0.5 / m)).intersections
        except QhullError as error:
            raise OutplayError(f"Qhull did not find the vertices: {str(error).splitlines()[0]}") from error
    points = points[points.max(axis=1) > TIGHT]
    labels = np.hstack([points, 1 - points @ table]) <= TIGHT
    _, first = np.unique(
        labels, axis=0, return_index=True
    )  # without repetition: a vertex with many labels is found repeatedly
    return points[first], labels[first]


def _too_many(points: Any, labels: NDArray[np.bool_]) -> bool:
    return bool((labels.sum(axis=1) > len(points[0])).any())
