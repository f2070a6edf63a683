"""What the results of a match say about the difference in strength of two players."""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import stdtrit

from outplay.arena.concave import DROP
from outplay.arena.elo import NORMALIZED, elo_of, mean_and_variance
from outplay.arena.likelihood import UNSEEN, log_likelihood_drop
from outplay.rules.errors import OutplayError

FAR = 2000.0
"""Beyond this many Elo, an interval counts as unbounded."""


class Strength(NamedTuple):
    """By how much the first of two players is the stronger one.

    Attributes:
        elo: the Elo difference that fits the score; infinite if all games were won or lost.
        low, high: its interval of 95%, by likelihood.
        normalized: the same as `elo` in normalized Elo; NaN if all results were the same.
        superior: the probability that the first player is stronger at all (LOS), as fishtest has it; if all results
            were the same, which leaves that no spread, by the likelihood ratio, like the interval.
        score: the share of the points.
        games: the number of games.
    """

    elo: float
    low: float
    high: float
    normalized: float
    superior: float
    score: float
    games: int


def strength(counts: Sequence[int]) -> Strength:
    """The difference in strength, from the results of a match with a length fixed beforehand.

    Args:
        counts: the numbers of games lost, drawn and won; or of pairs of games from one opening, by their points: 0, ½,
            1, 1½, 2. Pairs say more: what the opening gives to both is not taken for chance.

    Raises `OutplayError` for other numbers, or if there is no game.

    >>> found = strength([20, 40, 40])
    >>> round(found.elo, 1), round(found.low, 1), round(found.high, 1), round(found.superior, 4)
    (70.4, 17.5, 124.2, 0.9962)
    """
    check_counts(counts)
    results, length = sum(counts), (len(counts) - 1) // 2
    if not results:
        raise OutplayError("no game has been played")
    mean, variance = (float(moment) for moment in mean_and_variance(counts))
    if variance:
        regular = mean_and_variance(np.maximum(np.asarray(counts, float), UNSEEN))
        lead = (mean - 0.5) / math.sqrt(float(regular[1]) / results)
    else:
        lead = math.copysign(math.sqrt(2 * max(0.0, float(log_likelihood_drop(counts, 0)))), mean - 0.5)
    low, high = (_end(counts, mean, sign) for sign in (-1.0, 1.0))
    deviation = math.sqrt(variance * length)
    return Strength(
        elo=elo_of(mean),
        low=low,
        high=high,
        normalized=NORMALIZED * (mean - 0.5) / deviation if deviation else math.nan,
        superior=NormalDist().cdf(lead),
        score=mean,
        games=results * length,
    )


class Mean(NamedTuple):
    """The mean of some numbers, with the half width of its interval of 95% (Student); infinite for a single number."""

    mean: float
    error: float


def mean_of(numbers: Sequence[float]) -> Mean:
    """The mean utility of a player, from that of each pair of games.

    >>> found = mean_of([1.0, 0.0, 0.5, 0.5])
    >>> round(found.mean, 2), round(found.error, 2)
    (0.5, 0.65)
    """
    if not numbers:
        raise OutplayError("no game has been played")
    count = len(numbers)
    spread = float(np.std(numbers, ddof=1)) if count > 1 else math.inf
    return Mean(float(np.mean(numbers)), float(stdtrit(max(1, count - 1), 0.975)) * spread / math.sqrt(count))


def check_counts(counts: Sequence[int]) -> None:
    """Raise `OutplayError` unless they are 3 or 5 counts."""
    if len(counts) not in (3, 5) or not all(0 <= count < math.inf for count in counts):
        raise OutplayError(f"{list(counts)!r}: give 3 counts (lost, drawn, won) or 5 (pairs by their points)")


def _end(counts: Sequence[int], mean: float, sign: float) -> float:
    """The end of the interval below or above the likeliest Elo difference."""
    best, end = min(max(elo_of(mean), -FAR), FAR), sign * FAR

    def beyond(elo: float) -> float:
        return float(log_likelihood_drop(counts, elo)) - DROP

    if best == end or beyond(end) < 0:
        return sign * math.inf
    if beyond(best) >= 0:  # what fits best is farther still
        return best
    return float(brentq(beyond, best, end, xtol=1e-6))
