"""All equilibria of a two-player game by the vertices of its best-response polytopes, and degeneracy.

With all payoffs made positive, A [m, n] those of the row player and B [m, n] those of the column player,

    P = {x in R^m:  x ≥ 0,  x B ≤ 1}        Q = {y in R^n:  A y ≤ 1,  y ≥ 0}

A point has a label for each inequality that holds with equality: label i < m where x_i = 0 or row i is a best
response to y, label m + j where column j is a best response to x or y_j = 0. Two points other than 0 that have all
m + n labels between them are, scaled to sum to 1, an equilibrium. Pairs of vertices are the extreme equilibria, and
all others are mixtures of these (Mangasarian 1964; von Stengel 2007, "Equilibrium computation for two-player games").
The game is degenerate exactly when some vertex of P has more than m labels, or one of Q more than n. Qhull (Barber,
Dobkin & Huhdanpaa 1996) finds the vertices, through SciPy. Their number grows exponentially: 10 × 10 games are fast,
20 × 20 games are not.
"""

import numpy as np
from numpy.typing import NDArray

from outplay.equilibrium.matrix_game import MatrixGame
from outplay.equilibrium.mixed_equilibrium import MixedEquilibria, MixedEquilibrium
from outplay.equilibrium.nfg import Numbers
from outplay.equilibrium.payoff_tables import cleaned
from outplay.rules.errors import OutplayError, UnsuitableGame

TIGHT = 1e-9
"""An inequality between numbers of about 1 holds with equality within this tolerance."""
METHOD = "vertex enumeration (Qhull)"


def vertex_enumeration(game: MatrixGame) -> MixedEquilibria:
    """Return all equilibria of a two-player game; if it is degenerate, the extreme ones, whose mixtures are the others.

    Raises `UnsuitableGame` if there are not two players.

    >>> battle = MatrixGame([[(3, 2), (0, 0)], [(0, 0), (2, 3)]], actions=[["opera", "football"]] * 2)
    >>> print(vertex_enumeration(battle))
    3 equilibria, by vertex enumeration (Qhull); these are all
    <BLANKLINE>
    player 0: opera 1; expects 3
    player 1: opera 1; expects 2
    regret 0; by vertex enumeration (Qhull)
    <BLANKLINE>
    player 0: opera 0.6, football 0.4; expects 1.2
    player 1: opera 0.4, football 0.6; expects 1.2
    regret 0; by vertex enumeration (Qhull)
    <BLANKLINE>
    player 0: football 1; expects 2
    player 1: football 1; expects 3
    regret 0; by vertex enumeration (Qhull)
    """
    (xs, x_labels), (ys, y_labels) = _both(game)
    degenerate = _too_many(xs, x_labels) or _too_many(ys, y_labels)
    missing = (~x_labels).astype(np.float32) @ (~y_labels).astype(
        np.float32
    ).T  # [of P, of Q]: the number of labels that neither has
    pairs = [(xs[i], ys[j]) for i, j in np.argwhere(missing == 0)]
    profiles = [(cleaned(x), cleaned(y)) for x, y in pairs]
    profiles.sort(key=lambda profile: [-round(float(chance), 9) for mixed in profile for chance in mixed])
    complete = "these are the extreme ones, all others are mixtures of them" if degenerate else "these are all"
    items = tuple(MixedEquilibrium(game, profile, method=METHOD, degenerate=degenerate) for profile in profiles)
    return MixedEquilibria(items, method=METHOD, degenerate=degenerate, complete=complete)


def is_degenerate(game: MatrixGame) -> bool:
    """Whether some mixed strategy of a player has more best responses than it mixes actions.

    Then equilibria may form segments, and methods for one or all equilibria guarantee less. Takes as long as
    `vertex_enumeration`, and raises the same errors.

    >>> is_degenerate(MatrixGame([[1, -1], [-1, 1]])), is_degenerate(MatrixGame([[1, 1], [0, 2]]))
    (False, True)
    """
    return any(_too_many(*vertices) for vertices in _both(game))


def _both(game: MatrixGame) -> list[tuple[Numbers, NDArray[np.bool_]]]:
    """Return the vertices of P and of Q, each with its labels."""
    if game.number_of_players != 2:
        raise UnsuitableGame(f"vertex enumeration is for games of two players, not of {game.number_of_players}")
    a, b = (table - table.min() + 1.0 * (np.ptp(table) or 1.0) for table in game.payoffs)
    a, b = a / a.max(), b / b.max()
    xs, x_labels = _vertices(b)
    ys, y_labels = _vertices(a.T)
    rows = game.shape[0]
    return [(xs, x_labels), (ys, np.roll(y_labels, rows, axis=1))]


def _vertices(table: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
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


def _too_many(points: Numbers, labels: NDArray[np.bool_]) -> bool:
    return bool((labels.sum(axis=1) > points.shape[1]).any())
