"""Elo: differences of strength as expected scores.

A score is between 0, all games lost, and 1, all won; a draw is half a win. On the *logistic* scale, a player who is
stronger by d Elo scores 1 / (1 + 10^(-d / 400)). The *normalized* Elo of Van den Bergh ("Normalized Elo", 2020) is
(score - 1/2) / σ times 800 / ln 10, where σ is the standard deviation of the score of a single game. It says how many
games tell two players apart, however many of them are draws. For small differences without draws, both scales agree.
"""

import math
from typing import Any, Literal

import numpy as np

Scale = Literal["logistic", "normalized"]
"""The scale of Elo differences."""
NORMALIZED = 800 / math.log(10)
"""The normalized Elo of a score of one standard deviation above 1/2."""


def score_of(elo: Any) -> Any:
    """The expected score at a logistic Elo difference, or at each of an array.

    >>> round(score_of(100), 3)
    0.64
    """
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """The logistic Elo difference of an expected score: infinite at 0 and 1.

    >>> round(elo_of(0.75), 1), elo_of(1)
    (190.8, inf)
    """
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def elo_text(elo: float) -> str:
    """A difference in Elo, with its sign.

    >>> elo_text(3.2), elo_text(-math.inf)
    ('+3', '-∞')
    """
    return f"{round(elo):+d}" if math.isfinite(elo) else ("+∞" if elo > 0 else "-∞")


def interval_text(low: float, high: float, between: str = " to ") -> str:
    """An interval of Elo."""
    return f"{elo_text(low)}{between}{elo_text(high)}"


def finite(value: Any) -> Any:
    """A value for JSON, which has no infinity: None instead."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def mean_and_variance(counts: Any) -> tuple[Any, Any]:
    """The mean score and its variance, of results counted from the worst to the best, in the last axis.

    Args:
        counts: 3 counts of games (lost, drawn, won), or 5 of pairs of games (by their points: 0, ½, 1, 1½, 2).

    >>> mean, variance = mean_and_variance([20, 40, 40])
    >>> round(float(mean), 3), round(float(variance), 3)
    (0.6, 0.14)
    """
    numbers = np.asarray(counts, float)
    scores = np.linspace(0, 1, numbers.shape[-1])
    shares = numbers / numbers.sum(axis=-1, keepdims=True)
    mean = shares @ scores
    return mean, (shares * (scores - np.expand_dims(mean, -1)) ** 2).sum(axis=-1)
