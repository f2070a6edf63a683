"""Scores: a utility and the distance to it in one int, so that one comparison compares both.

A score is the 64-bit pattern of the utility as a float, read as an int and given the sign of the utility, which keeps
the order of floats. Its last 12 bits hold the distance: each ply moves a score one step towards zero. So a win in 5
plies beats a win in 7, a loss in 8 beats a loss in 6, and any greater utility beats both. Draws (0) have no distance.

    utility  +1, in 3 plies:   pattern(1.0) - 3         later(s)    the score one ply further from the end
    utility  -1, in 2 plies:  -pattern(1.0) + 2         sooner(s)   the bound that `later` turns into s

The 12 bits are taken from the 52 bits of the fraction, so utilities that differ by less than a part in 10**12 count as
equal. Evaluations are scored in the same way. The score for the opponent is the negated score.

Searches without distances, such as those with dice, use the whole pattern of a value: `to_score`, `to_value`.

The four conversions have caches for Python, where they take as long as all else that is done with a score; compiled
code does without.
"""

from functools import lru_cache

import numpy as np

DISTANCES = 1 << 12
"""The number of distances that a score can hold: 0 to 4095."""
INFINITE = 0x7FF8_0000_0000_0000
"""Greater than every score, including that of an infinite utility, with room for `sooner`."""


@lru_cache
def encode(utility: float) -> int:
    """The score of `utility` at distance 0.

    >>> encode(1.0) > later(encode(1.0)) > encode(0.0) > later(encode(-1.0)) > encode(-1.0)
    True
    """
    pattern = int(np.float64(abs(utility)).view(np.int64))
    pattern = (pattern + DISTANCES // 2) & -DISTANCES
    return pattern if utility >= 0 else -pattern


@lru_cache
def decode(score: int) -> float:
    """The utility of `score`.

    >>> decode(later(later(encode(-2.5))))
    -2.5
    """
    pattern = (abs(score) + DISTANCES - 1) & -DISTANCES
    utility = float(np.int64(pattern).view(np.float64))
    return utility if score >= 0 else -utility


def distance(score: int) -> int:
    """The plies to the end that `score` holds; 0 for a draw.

    >>> distance(later(later(encode(-2.5))))
    2
    """
    return -abs(score) & (DISTANCES - 1)


def later(score: int) -> int:
    """The score of a state if the best action leads to a state with `score`, one ply later."""
    return score - (score > 0) + (score < 0)


def sooner(bound: int) -> int:
    """The bound for a child's score that corresponds to `bound` for `later` of that score."""
    return bound + (bound > 0) - (bound < 0)


def in_plies(score: int, plies: int) -> int:
    """The score of a state that is `plies` plies before a state with `score`: `later` applied `plies` times.

    >>> in_plies(encode(1.0), 2) == later(later(encode(1.0)))
    True
    """
    return score - plies if score > 0 else score + plies if score < 0 else 0


def at_least(utility: float) -> int:
    """The least score of a state that is worth at least `utility`: a win as late, or a loss as soon, as can be.

    >>> at_least(1.0) < in_plies(encode(1.0), 100) and at_least(0.0) == 0 and at_least(-1.0) == encode(-1.0)
    True
    """
    return encode(utility) - (DISTANCES - 1) * (utility > 0)


def at_most(utility: float) -> int:
    """The greatest score of a state that is worth at most `utility`.

    >>> at_most(-1.0) == -at_least(1.0)
    True
    """
    return -at_least(-utility)


@lru_cache
def to_score(value: float) -> int:
    """A score without a distance: the whole pattern of `value`, not rounded. It sorts as values do.

    >>> to_score(-2.5) < to_score(-0.1) < to_score(0.0) < to_score(0.25)
    True
    """
    pattern = int(np.float64(abs(value)).view(np.int64))
    return pattern if value >= 0 else -pattern


@lru_cache
def to_value(score: int) -> float:
    """The value of a score made by `to_score`.

    >>> to_value(to_score(-0.1))
    -0.1
    """
    value = float(np.int64(abs(score)).view(np.float64))
    return value if score >= 0 else -value
