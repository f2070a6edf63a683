"""Ratings of players from games of any number of players, by the order in which they come in.

In the model of Plackett (1975) and Luce (1959), a player takes the first place with a probability proportional to its
worth, one of the others the next place in the same way, and so on. Several players share a place with a probability
proportional to the geometric mean of their worths and to a number for their count (Turner, van Etten, Firth & Kosmidis,
"Modelling rankings in R: the PlackettLuce package", 2020). A seat multiplies the worth of whoever has it. For two
players this is Bradley and Terry's model with Davidson's draws (1970).
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.special import logsumexp

from outplay.arena.concave import Floats, chance_above, interval, maximum
from outplay.arena.ratings import ELO, Rating
from outplay.rules.errors import OutplayError


@dataclass(frozen=True)
class OrderRatings:
    """Ratings from games of many players.

    Attributes:
        players: the ratings, the best first. The points of a player are the share of its opponents that it came in
            before, summed over its games; those at the same place count half.
        seats: what each seat is worth, in Elo above the mean seat, with its interval of 95%.
        superior: by pairs of players in this order, the probability that the first is stronger.
    """

    players: tuple[Rating, ...]
    seats: tuple[tuple[float, float, float], ...]
    superior: dict[tuple[str, str], float]


def rate_orders(games: Iterable[tuple[Sequence[str], Sequence[float]]], *, prior: float = 2.0) -> OrderRatings:
    """The likeliest ratings.

    Args:
        games: the players of each game, by seat, and their utilities, which tell the order alone.
        prior: in how many games each player is supposed to have come in level with an average player. It bounds the
            rating of a player who has won all games.

    Raises `OutplayError` if there is no game, if games have different numbers of players, or if some players have met
    none of the others, not even by way of third ones.

    >>> found = rate_orders([("abc", (2, 1, 0)), ("bca", (1, 1, 2)), ("cab", (0, 2, 1)), ("bac", (2, 3, 0))])
    >>> [each.name for each in found.players]
    ['a', 'b', 'c']
    """
    games_listed = [(tuple(names), tuple(utilities)) for names, utilities in games]
    if not games_listed:
        raise OutplayError("there is no game, so there are no ratings")
    seats = len(games_listed[0][0])
    for names, utilities in games_listed:
        if not len(names) == len(utilities) == len(set(names)) == seats:
            raise OutplayError(
                f"{names} with {utilities}: each game needs {seats} players, each once, and a utility each"
            )
        if not all(map(math.isfinite, utilities)):
            raise OutplayError(f"{names} with {utilities}: give finite utilities")
    everyone = sorted({name for names, _ in games_listed for name in names})
    places = {name: place for place, name in enumerate(everyone)}
    are_linked = np.zeros((len(everyone), len(everyone)))
    for names, _ in games_listed:
        for one, other in combinations(names, 2):
            are_linked[places[one], places[other]] = 1
    groups, group_of = connected_components(are_linked)
    if groups > 1:
        one, other = (everyone[list(group_of).index(group)] for group in (0, 1))
        raise OutplayError(
            f"{one} and {other} cannot be compared: neither they nor players whom they have met have met each other"
        )

    model, count = _Model(games_listed, places, seats, prior), len(everyone)
    best = maximum(model, np.zeros(model.size))

    def rated(first: int, number: int, place: int) -> tuple[float, float, float]:
        row = np.zeros(model.size)
        row[first : first + number] = -1 / number
        row[first + place] += 1
        low, high = interval(model, best, row)
        return ELO * float(row @ best.at), ELO * low, ELO * high

    played, points = Counter[str](), Counter[str]()
    for names, utilities in games_listed:
        played.update(names)
        for name, own in zip(names, utilities, strict=True):
            points[name] += sum((own > utility) + (own == utility) / 2 for utility in utilities) - 0.5  # type: ignore[assignment]
    players = [
        Rating(name, *rated(0, count, place), played[name], points[name] / (seats - 1))
        for place, name in enumerate(everyone)
    ]
    players.sort(key=lambda player: -player.elo)
    rows = np.eye(model.size)
    superior = {
        (one.name, other.name): chance_above(model, best, rows[places[one.name]] - rows[places[other.name]])
        for one, other in combinations(players, 2)
    }
    return OrderRatings(tuple(players), tuple(rated(count, seats, seat) for seat in range(seats)), superior)


class _Model:
    """The logarithm of the likelihood of ratings, seats, and the sizes of sets that share a place, in this order.

    Each place is a choice among sets: of one player, or of as many as have shared a place in some game.
    """

    def __init__(
        self, games: Sequence[tuple[Sequence[str], Sequence[float]]], places: dict[str, int], seats: int, prior: float
    ) -> None:
        self.players, self.prior = len(places), prior
        shared = sorted({size for _, utilities in games for size in Counter(utilities).values() if size > 1})
        self.sizes = [1, *shared]
        self.size = self.players + seats + len(shared)
        choices = Counter[tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]]()
        for names, utilities in games:
            left = [(places[name], seat) for seat, name in enumerate(names)]
            for utility in sorted(set(utilities), reverse=True):
                chosen = tuple(seated for seated in left if utilities[seated[1]] == utility)
                if len(left) > 1:
                    choices[chosen, tuple(left)] += 1
                left = [seated for seated in left if seated not in chosen]
        self.numbers = np.array(list(choices.values()), float)
        self.chosen = np.array([self.row(chosen) for chosen, _ in choices])
        sets = [
            [self.row(combination) for size in self.sizes for combination in combinations(left, size)]
            for _, left in choices
        ]
        most = max(map(len, sets))
        self.rows = np.array([rows + [np.zeros(self.size)] * (most - len(rows)) for rows in sets])
        self.padding = np.array([[0.0] * len(rows) + [-np.inf] * (most - len(rows)) for rows in sets])

    def row(self, chosen: Sequence[tuple[int, int]]) -> Floats:
        """What multiplies each number in the logarithm of the worth of some players in their seats."""
        row = np.zeros(self.size)
        for player, seat in chosen:
            row[player] += 1 / len(chosen)
            row[self.players + seat] += 1 / len(chosen)
        if len(chosen) > 1:
            row[self.size - len(self.sizes) + self.sizes.index(len(chosen))] = 1
        return row

    def __call__(self, at: Floats) -> tuple[float, Floats, Floats]:
        """The value, its gradient and its second derivatives."""
        scores = self.rows @ at + self.padding
        totals = logsumexp(scores, axis=1)
        shares = np.exp(scores - totals[:, None])
        means = np.einsum("ck,ckp->cp", shares, self.rows)
        value = float(self.numbers @ (self.chosen @ at - totals))
        gradient = self.numbers @ (self.chosen - means)
        weighted = self.rows * (self.numbers[:, None] * shares)[:, :, None]
        curvature = (means.T * self.numbers) @ means - np.tensordot(weighted, self.rows, ((0, 1), (0, 1)))
        own = at[: self.players] - at[: self.players].mean()
        value += self.prior * float(-np.logaddexp(own / 2, -own / 2).sum())
        pull, bend = np.tanh(own / 2) / 2, 1 / (4 * np.cosh(own / 2) ** 2)
        centred = np.eye(self.players) - 1 / self.players
        gradient[: self.players] -= self.prior * centred @ pull
        curvature[: self.players, : self.players] -= self.prior * (centred * bend) @ centred
        return value, gradient, curvature
