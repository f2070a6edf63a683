"""Tables of payoffs and mixed strategies as arrays: what counts as equal, and what is best in each cell."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.equilibrium.nfg import Numbers

TOLERANCE = 1e-9
"""Payoffs that differ by at most this count as equal, in units of the player's `spreads`."""


def spreads_of(payoffs: Numbers) -> tuple[float, ...]:
    """Return each player's greatest payoff minus the least; if these are equal, their size, or 1 if they are 0.

    `payoffs` are those of all players, float64 [players, actions of player 0, …].
    """
    return tuple(float(np.ptp(table) or abs(table.flat[0]) or 1.0) for table in payoffs)


def best_cells(payoffs: Numbers) -> NDArray[np.bool_]:
    """Return whether each player's action is a best response to the others' in each cell: bool, of the same shape.

    >>> best_cells(np.array([[[3.0, 0.0], [5.0, 1.0]], [[3.0, 5.0], [0.0, 1.0]]])).tolist()
    [[[False, False], [True, True]], [[False, True], [False, True]]]
    """
    spreads = spreads_of(payoffs)
    best = [
        table >= table.max(axis=player, keepdims=True) - TOLERANCE * spreads[player]
        for player, table in enumerate(payoffs)
    ]
    return np.array(best)


def probabilities_from(mixed: Any) -> Numbers:
    """Return probabilities corrected for a solver's rounding: none below 0, with a sum of 1."""
    positive: Numbers = np.maximum(np.asarray(mixed, np.float64), 0.0)
    positive /= positive.sum()
    return positive


def fraction(payoff: float) -> Fraction:
    """Return the simplest fraction that rounds to `payoff`, or its decimal if the denominator would be large.

    >>> fraction(0.1), fraction(1 / 3), fraction(-2.0)
    (Fraction(1, 10), Fraction(1, 3), Fraction(-2, 1))
    """
    simple = Fraction(payoff).limit_denominator(1_000_000)
    return simple if float(simple) == payoff else Fraction(Decimal(repr(float(payoff))))
