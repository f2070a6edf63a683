"""The maximum of a concave function by Newton's method, and intervals by likelihood."""

from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

Floats = NDArray[np.float64]
Function = Callable[[Floats], tuple[float, Floats, Floats]]
"""From a point to the value of a function, its gradient and its matrix of second derivatives there."""
DROP = NormalDist().inv_cdf(0.975) ** 2 / 2
"""How far the logarithm of a likelihood falls at the ends of an interval of 95%: half the quantile of χ²."""
ROUNDS, MAX_STEP = 200, 2.0
TOLERANCE = 1e-10
FAR = 20.0
"""The ends of an interval are looked for up to this far from its middle."""


class Maximum(NamedTuple):
    """Where a function has its maximum, and what it is there."""

    at: Floats
    value: float


def maximum(function: Function, start: Floats, row: Floats | None = None) -> Maximum:
    """The maximum of a concave function.

    Args:
        function: the function.
        start: where to begin.
        row: only points at which `row · point` is what it is at the start.
    """
    at = start.copy()
    value, gradient, curvature = function(at)
    for _ in range(ROUNDS):
        step = _newton_step(gradient, curvature, row)
        step *= min(1.0, MAX_STEP / max(1e-300, np.abs(step).max()))
        gain = float(gradient @ step)
        if not gain > TOLERANCE:
            break
        share = 1.0
        while not (after := function(at + share * step))[0] > value + 1e-4 * share * gain and share > 1e-12:
            share /= 2
        at += share * step
        value, gradient, curvature = after
    return Maximum(at, value)


def _newton_step(gradient: Floats, curvature: Floats, row: Floats | None) -> Floats:
    """The step to the maximum of the quadratic approximation, the shortest one if there are several."""
    count = len(gradient)
    if row is None:
        return np.linalg.lstsq(-curvature, gradient, rcond=1e-12)[0].astype(np.float64)
    system = np.zeros((count + 1, count + 1))
    system[:count, :count], system[count, :count], system[:count, count] = -curvature, row, row
    step: Floats = np.linalg.lstsq(system, np.append(gradient, 0.0), rcond=1e-12)[0][:count]
    return step


def interval(function: Function, best: Maximum, row: Floats) -> tuple[float, float]:
    """The interval of 95% of `row · point` by likelihood: how far it can be from its best value, if all else is chosen
    anew, before the logarithm of the likelihood falls by `DROP`. Infinite where it does not.
    """
    middle, along = float(row @ best.at), row / (row @ row)

    def fall(distance: float) -> float:
        return best.value - maximum(function, best.at + distance * along, row).value - DROP

    ends = []
    for sign in (-1.0, 1.0):
        far = sign * 0.25
        while fall(far) < 0 and abs(far) < FAR:
            far *= 2
        ends.append(middle + (brentq(fall, 0.0, far, xtol=1e-6) if fall(far) >= 0 else sign * np.inf))
    return ends[0], ends[1]


def chance_above(function: Function, best: Maximum, row: Floats) -> float:
    """The probability that `row · point` is above 0, by the signed root of the likelihood ratio."""
    middle = float(row @ best.at)
    at_zero = maximum(function, best.at - middle * row / (row @ row), row)
    return NormalDist().cdf(float(np.sign(middle) * np.sqrt(2 * max(0.0, best.value - at_zero.value))))
