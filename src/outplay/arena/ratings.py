"""Ratings of many players from games of two: Bradley and Terry's model (1952) with draws and a first move.

If the first player is stronger than the second by d, it wins with probability σ(d + a - w) and loses with
σ(-d - a - w), where σ is the logistic function, a the advantage of the first move, and w the width of draws (Rao &
Kupper 1967; so does Coulom's BayesElo, 2005). The likeliest ratings are found by Newton's method; the logarithm of the
likelihood is concave. They are given in Elo on the scale on which small differences are worth as much as without draws:
10 Elo are 1.44% of the points.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, log_expit

from outplay.arena.concave import Floats, chance_above, interval, maximum
from outplay.rules.errors import OutplayError

ELO = 400 / float(np.log(10))
"""The Elo of a difference of 1 on the natural scale."""
WIDEST = 8.0
"""A width of draws beyond this has no bound: nobody has lost to a weaker player, so all but wins could be draws."""
POINTS = {1.0: 0, 0.5: 1, 0.0: 2}
"""Where games with these points of the first player are counted."""


class Rating(NamedTuple):
    """The rating of a player.

    Attributes:
        name: the player.
        elo: its likeliest rating, in Elo above the mean of all players.
        low, high: the interval of 95%, by likelihood with all other ratings free.
        games: the number of games.
        points: the wins, and half of the draws.
    """

    name: str
    elo: float
    low: float
    high: float
    games: int
    points: float


@dataclass(frozen=True)
class Ratings:
    """The ratings of all players.

    Attributes:
        players: the ratings, the best first.
        advantage: what the first move is worth, in Elo, with its interval of 95%.
        drawn: the share of draws between equal players, without the first move.
        superior: by pairs of players in this order, the probability that the first is stronger.
    """

    players: tuple[Rating, ...]
    advantage: tuple[float, float, float]
    drawn: float
    superior: dict[tuple[str, str], float]
    _difference: Callable[[str, str], tuple[float, float, float]] = field(repr=False, compare=False)

    def difference(self, one: str, other: str) -> tuple[float, float, float]:
        """By how many Elo one player is stronger than another one, and the interval of 95%, by likelihood.

        It is narrower than the intervals of both ratings together if they have played each other.
        """
        return self._difference(one, other)


def rate(games: Iterable[tuple[str, str, float]], *, prior: float = 2.0) -> Ratings:
    """The likeliest ratings.

    Args:
        games: the first player, the second one, and the points of the first: 1, 0.5 or 0.
        prior: about how many draws each player is supposed to have played besides, against those that it has met, as
            in BayesElo. They bound the rating of a player who has won all games. Where nobody ever lost to a weaker
            player, half of them count as won and half as lost, since the width of draws would have no bound.

    Raises `OutplayError` if there is no game; if a game has other points, or one player alone; if some players have met
    none of the others, not even by way of third ones; or if without a `prior` some have always won against all others.

    >>> found = rate([("ada", "bob", 1), ("bob", "ada", 0.5), ("ada", "bob", 0), ("bob", "ada", 0)], prior=0)
    >>> [(each.name, round(each.elo, 1), each.points) for each in found.players]
    [('ada', 37.6, 2.5), ('bob', -37.6, 1.5)]
    """
    names, counts = _counted(games)
    total = counts.sum(axis=0)
    meetings = total + total.T
    _check_met(names, counts, prior)
    draws = prior / 4 * meetings / meetings.sum(axis=1, keepdims=True).clip(1)
    count = len(names)
    for ways in ((1,), (0, 2)):  # without a bound of the width, what is supposed counts as half a win and half a loss
        supposed = counts.copy()
        supposed[list(ways)] += (draws + draws.T) / len(ways)
        model = _Model(supposed)
        best = maximum(model, model.start)
        if best.at[-1] < WIDEST:
            break
    mean = np.full(count, 1 / count)
    rows = np.zeros((count + 2, count + 2))
    rows[:count, :count] = np.eye(count) - mean
    rows[count:, count:] = np.eye(2)
    scale = ELO * 4 * float(expit(best.at[-1]) * expit(-best.at[-1]))
    elos = scale * rows @ best.at
    played, points = _played(total, counts[1], counts[0])

    def ends(row: Floats) -> tuple[float, float]:
        low, high = interval(model, best, row)
        return scale * low, scale * high

    def difference(one: str, other: str) -> tuple[float, float, float]:
        row = rows[names.index(one)] - rows[names.index(other)]
        return scale * float(row @ best.at), *ends(row)

    order = np.argsort(-elos[:count], kind="stable")
    players = tuple(Rating(names[i], float(elos[i]), *ends(rows[i]), int(played[i]), float(points[i])) for i in order)
    advantage = float(elos[count]), *ends(rows[count])
    superior = {
        (names[i], names[j]): chance_above(model, best, rows[i] - rows[j])
        for place, i in enumerate(order)
        for j in order[place + 1 :]
    }
    return Ratings(players, advantage, float(1 - 2 * expit(-best.at[-1])), superior, difference)


def _counted(games: Iterable[tuple[str, str, float]]) -> tuple[list[str], Floats]:
    """The players, and how many games of the one (a row) as first player against the other (a column) it won, drew and
    lost.
    """
    games_listed = list(games)
    if not games_listed:
        raise OutplayError("there is no game, so there are no ratings")
    names = sorted({name for first, second, _ in games_listed for name in (first, second)})
    numbers = {name: number for number, name in enumerate(names)}
    counts = np.zeros((3, len(names), len(names)))
    for first, second, points in games_listed:
        if points not in POINTS:
            raise OutplayError(f"a game of {first} and {second} has {points!r} points: give 1, 0.5 or 0")
        if first == second:
            raise OutplayError(f"{first} has played against itself")
        counts[POINTS[points], numbers[first], numbers[second]] += 1
    return names, counts


def _played(total: Floats, drawn: Floats, won: Floats) -> tuple[Floats, Floats]:
    """The games and the points of each player."""
    lost = total - drawn - won
    return total.sum(axis=0) + total.sum(axis=1), (won + drawn / 2).sum(axis=1) + (lost + drawn / 2).sum(axis=0)


def _check_met(names: list[str], counts: Floats, prior: float) -> None:
    """Raise `OutplayError` if ratings would not be bounded, or could not be compared."""
    scored = counts[0] + counts[1] + counts[1].T + counts[2].T  # who has got points from whom
    groups, group_of = connected_components(scored, connection="weak")
    if groups > 1:
        one, other = (names[list(group_of).index(group)] for group in (0, 1))
        raise OutplayError(
            f"{one} and {other} cannot be compared: neither they nor players whom they have met have met each other"
        )
    groups, group_of = connected_components(scored, connection="strong")
    if groups > 1 and not prior > 0:
        best = next(group for group in range(groups) if not scored[np.ix_(group_of != group, group_of == group)].any())
        unbounded = ", ".join(name for name, group in zip(names, group_of, strict=True) if group == best)
        raise OutplayError(
            f"the rating of {unbounded} has no bound: no other player has got a point against them; give a prior"
        )


class _Model:
    """The logarithm of the likelihood of ratings, advantage and width, in this order.

    With u and v the probabilities of a win and of a loss, that of a draw is (e^2w - 1) u v. So wins and draws are one
    term each of log u, losses and draws of log v.
    """

    def __init__(self, counts: Floats) -> None:
        size = counts.shape[1]
        firsts, seconds = np.nonzero(counts.sum(axis=0))
        places, self.draws = np.arange(len(firsts)), float(counts[1].sum())
        gaps = np.zeros((len(firsts), size + 2))
        gaps[places, firsts], gaps[places, seconds], gaps[:, size] = 1.0, -1.0, 1.0
        self.terms = np.concatenate([gaps, -gaps])
        self.terms[:, -1] = -1.0 if self.draws else 0.0
        self.numbers = np.concatenate([(counts[result] + counts[1])[firsts, seconds] for result in (0, 2)])
        self.start = np.zeros(size + 2)
        self.start[-1] = 0.5 if self.draws else 0.0

    def __call__(self, at: Floats) -> tuple[float, Floats, Floats]:
        """The value, its gradient and its second derivatives."""
        score, width = self.terms @ at, float(at[-1])
        share = expit(score)
        value = float(self.numbers @ log_expit(score))
        gradient = self.terms.T @ (self.numbers * (1 - share))
        curvature = -(self.terms.T * (self.numbers * share * (1 - share))) @ self.terms
        if self.draws:
            if width <= 0:
                return -np.inf, gradient, curvature
            value += self.draws * float(np.log(np.expm1(2 * width)))
            gradient[-1] -= 2 * self.draws / np.expm1(-2 * width)
            curvature[-1, -1] -= self.draws / np.sinh(width) ** 2
        return value, gradient, curvature
