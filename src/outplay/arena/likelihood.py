"""How likely counted results are if the true strength is a given one, whatever their distribution otherwise.

The *generalized* likelihood ratio of two strengths compares the likelihoods of the most likely distributions with the
one and with the other (Van den Bergh: "Comments on normalized Elo", "A practical introduction to normalized Elo", and
"The GSPRT", 2019 to 2021; fishtest computes it this way). Results are counts of games (lost, drawn, won) or of pairs of
games (by their points: 0, ½, 1, 1½, 2): pairs from one opening, with seats exchanged, depend on each other.

All functions take one row of counts, or an array of rows.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.arena.elo import NORMALIZED, Scale, mean_and_variance, score_of

Floats = NDArray[np.float64]
UNSEEN = 1e-3
"""A result that has not occurred counts as this many."""
STEPS, ROUNDS = 200, 60
TOLERANCE = 1e-12


def ratio(counts: Any, low: float, high: float, scale: Scale = "logistic") -> Any:
    """The logarithm of the likelihood ratio of strength `high` to strength `low`.

    Args:
        counts: counts of results, in the last axis.
        low: an Elo difference.
        high: the other one.
        scale: what kind of Elo they are.

    >>> round(float(ratio([1187, 7410, 13475, 7378, 1164], -3, 1)), 4)
    2.8615
    """
    return log_likelihood_drop(counts, low, scale) - log_likelihood_drop(counts, high, scale)


def log_likelihood_drop(counts: Any, elo: float, scale: Scale = "logistic") -> Any:
    """How much lower the logarithm of the likelihood is if the strength is `elo` than if it is what fits best."""
    numbers = np.maximum(np.asarray(counts, float), UNSEEN)
    shares = numbers / numbers.sum(axis=-1, keepdims=True)
    return (numbers * np.log(shares / likeliest(shares, elo, scale))).sum(axis=-1)


def likeliest(shares: Floats, elo: float, scale: Scale) -> Floats:
    """The most likely distribution of results with a true strength of `elo`, where results have these shares."""
    scores = np.linspace(0, 1, shares.shape[-1])
    if scale == "logistic":
        return tilted(shares, np.broadcast_to(scores - score_of(elo), shares.shape))
    games = (shares.shape[-1] - 1) / 2  # in a result
    target = elo / NORMALIZED * games**0.5
    lean = target / (2 * (1 + target**2) ** 0.5)
    distribution = np.zeros_like(shares)  # of this strength itself, or the first gradient may have one sign everywhere
    distribution[..., 0], distribution[..., -1] = 0.5 - lean, 0.5 + lean
    for _ in range(ROUNDS):  # the gradient of mean - 1/2 - target · deviation, at the last distribution
        before = distribution
        mean, variance = (np.expand_dims(moment, -1) for moment in mean_and_variance(distribution))
        deviation = variance**0.5
        distribution = tilted(shares, scores - 0.5 - target * deviation * (1 + ((mean - scores) / deviation) ** 2) / 2)
        if np.abs(distribution - before).max() < TOLERANCE:
            break
    return distribution


def tilted(shares: Floats, gradient: Floats) -> Floats:
    """The distribution closest to `shares` in which `gradient` has the mean 0: shares / (1 + x · gradient).

    The right x, between those at which a denominator is 0, is found by Newton's method within a bracket.
    """
    low, high = (-1 / gradient.max(axis=-1, keepdims=True), -1 / gradient.min(axis=-1, keepdims=True))
    x = np.zeros_like(low)
    for _ in range(STEPS):
        terms = gradient / (1 + x * gradient)
        value, slope = ((shares * summands).sum(axis=-1, keepdims=True) for summands in (terms, -(terms**2)))
        low, high = np.where(value > 0, x, low), np.where(value > 0, high, x)  # it falls from +inf to -inf
        step = x - value / slope
        after = np.where((low < step) & (step < high), step, (low + high) / 2)
        done = np.abs(after - x) <= TOLERANCE * (1 + np.abs(x))
        x = after
        if done.all():
            break
    distribution: Floats = shares / (1 + x * gradient)
    return distribution
