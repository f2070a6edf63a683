"""Scores: a utility and the distance to it in one int, so that a search compares both at once.

A score is the 64-bit pattern of the utility as a float, read as an int with the sign in front, which keeps the order of
floats. Its last 12 bits hold the distance: every ply moves a score one step towards zero. So a win in 5 plies beats a
win in 7, a loss in 8 beats a loss in 6, and any greater utility beats both. Draws (0) have no distance.

    utility  +1, in 3 plies:   pattern(1.0) - 3         later(s)    the score one ply further from the end
    utility  -1, in 2 plies:  -pattern(1.0) + 2         sooner(s)   the bound that `later` turns into s

The 12 bits come out of the 52 of the fraction: utilities that differ by less than a part in 10**12 count as equal.
Evaluations are scored in the same way. Scores are negated with `-`, so one score serves both players.

Searches for which distances mean nothing, as with dice, score a value by its whole pattern: `to_score`, `to_value`.
"""

import numpy as np

DISTANCES = 1 << 12
INFINITE = 0x7FF8_0000_0000_0000
"""Above every score, that of an infinite utility included, with room left for `sooner`."""


def encode(utility: float) -> int:
    """The score of `utility` at distance 0.

    >>> encode(1.0) > later(encode(1.0)) > encode(0.0) > later(encode(-1.0)) > encode(-1.0)
    True
    """
    pattern = int(np.float64(abs(utility)).view(np.int64))
    pattern = (pattern + DISTANCES // 2) & -DISTANCES
    return pattern if utility >= 0 else -pattern


def decode(score: int) -> float:
    """The utility of `score`.

    >>> decode(later(later(encode(-2.5))))
    -2.5
    """
    pattern = (abs(score) + DISTANCES - 1) & -DISTANCES
    utility = float(np.int64(pattern).view(np.float64))
    return utility if score >= 0 else -utility


def distance(score: int) -> int:
    """How many plies from the end `score` is; 0 for a draw.

    >>> distance(later(later(encode(-2.5))))
    2
    """
    return -abs(score) & (DISTANCES - 1)


def later(score: int) -> int:
    """The score of a state from which an action leads to one with `score`."""
    return score - (score > 0) + (score < 0)


def sooner(bound: int) -> int:
    """The bound that a child's score has to pass so that `later` of it passes `bound`."""
    return bound + (bound > 0) - (bound < 0)


def in_plies(score: int, plies: int) -> int:
    """The score of a state `plies` before one with `score`, which is not nearer to 0 than that.

    >>> in_plies(encode(1.0), 2) == later(later(encode(1.0)))
    True
    """
    return score - plies if score > 0 else score + plies if score < 0 else 0


def to_score(value: float) -> int:
    """A score that is the whole pattern of `value`: it sorts as values do, and nothing is rounded.

    >>> to_score(-2.5) < to_score(-0.1) < to_score(0.0) < to_score(0.25)
    True
    """
    pattern = int(np.float64(abs(value)).view(np.int64))
    return pattern if value >= 0 else -pattern


def to_value(score: int) -> float:
    """The value of such a score.

    >>> to_value(to_score(-0.1))
    -0.1
    """
    value = float(np.int64(abs(score)).view(np.float64))
    return value if score >= 0 else -value
