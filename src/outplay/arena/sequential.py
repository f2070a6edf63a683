"""A sequential test of two strengths, which stops a match as soon as its results decide (generalized SPRT).

The logarithm of the likelihood ratio (LLR) of two Elo differences is followed from result to result. Between two bounds
the match goes on; above the upper one the greater difference is accepted, below the lower one the smaller (Wald 1945).
With bounds log(β / (1 - α)) and log((1 - β) / α) the errors are at most about α and β.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from outplay.arena.elo import Scale
from outplay.arena.likelihood import UNSEEN, ratio
from outplay.arena.strengths import FAR, check_counts
from outplay.rules.errors import OutplayError

Verdict = Literal["", "accepted", "rejected"]
"""What a test says: nothing yet, that `elo1` is accepted, or that it is rejected in favour of `elo0`."""


@dataclass(frozen=True)
class SequentialTest:
    """A test of an Elo difference `elo1` against `elo0`.

    Args:
        elo0: the difference that is accepted if there is no gain, often 0.
        elo1: the difference that is looked for.
        alpha: the probability to accept `elo1` if the true difference is `elo0`.
        beta: the probability to accept `elo0` if the true difference is `elo1`.
        scale: "logistic" or "normalized" Elo, see `outplay.arena.elo`.

    Raises `OutplayError` if `elo0` is not below `elo1`, if one is beyond 2000, or if a probability is not between 0 and
    1/2.

    >>> test = SequentialTest(0, 10)
    >>> round(test.lower, 2), round(test.upper, 2)
    (-2.94, 2.94)
    >>> results = [10, 80, 200, 100, 18]
    >>> round(test.llr(results), 2), test.verdict(results)
    (1.96, '')
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    scale: Scale = "logistic"

    def __post_init__(self) -> None:
        if not -math.inf < self.elo0 < self.elo1 < math.inf:
            raise OutplayError(f"elo0={self.elo0:g}, elo1={self.elo1:g}: elo0 must be below elo1")
        if max(-self.elo0, self.elo1) > FAR:
            raise OutplayError(f"elo0={self.elo0:g}, elo1={self.elo1:g}: give differences of at most {FAR:g} Elo")
        for name in "alpha", "beta":
            if not 0 < getattr(self, name) < 0.5:
                raise OutplayError(f"{name}={getattr(self, name):g}: give a probability between 0 and 0.5")
        if self.scale not in get_args(Scale):
            raise OutplayError(f"scale={self.scale!r}: give one of {', '.join(get_args(Scale))}")

    @property
    def lower(self) -> float:
        """The bound below which `elo1` is rejected."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The bound above which `elo1` is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[int]) -> float:
        """The logarithm of the likelihood ratio; 0 before the first game. `counts` are as for `strength`."""
        check_counts(counts)
        return float(ratio(counts, self.elo0, self.elo1, self.scale)) if sum(counts) else 0.0

    def verdict(self, counts: Sequence[int]) -> Verdict:
        """What the results say."""
        llr = self.llr(counts)
        return "accepted" if llr >= self.upper else "rejected" if llr <= self.lower else ""

    def games_left(self, counts: Sequence[int]) -> float:
        """How many more games the test is expected to take, if the next results are like those so far.

        The LLR is taken for a Brownian motion with the drift and the variance of the results so far.
        """
        llr, results, length = self.llr(counts), sum(counts), (len(counts) - 1) // 2
        if not self.lower < llr < self.upper:
            return 0.0
        if not results:
            return math.inf
        numbers = np.maximum(np.asarray(counts, float), UNSEEN)
        steps = np.array([ratio(numbers + one, self.elo0, self.elo1, self.scale) for one in np.eye(len(counts))]) - llr
        shares = numbers / numbers.sum()
        drift = float(shares @ steps)
        variance = float(shares @ (steps - drift) ** 2)
        return length * exit_time(llr - self.lower, self.upper - self.lower, drift, variance)


def exit_time(at: float, width: float, drift: float, variance: float) -> float:
    """The expected time until a Brownian motion that starts at `at` leaves the interval from 0 to `width`.

    >>> exit_time(1, 3, 0, 1), round(exit_time(1, 3, 1e-9, 1), 6), round(exit_time(1, 3, 10, 1), 6)
    (2.0, 2.0, 0.2)
    """
    pull = 2 * drift / variance * width
    if abs(pull) < 1e-6:
        return at * (width - at) / variance
    share = at / width
    above = -math.expm1(-pull * share) / -math.expm1(-pull) if pull > 0 else _mirrored(pull, share)
    return (above * width - at) / drift


def _mirrored(pull: float, share: float) -> float:
    """The probability to leave above, with a drift downwards: no exponential overflows."""
    return (math.exp(pull * (1 - share)) - math.exp(pull)) / -math.expm1(pull)
