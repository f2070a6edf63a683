"""What the games of a ladder say: the Elo of each rung, the gain on the rung below, and what a step is worth.

All games are rated together by `rate`; Elo counts from the first rung.
"""

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from outplay.arena.contest import Round
from outplay.arena.elo import elo_text, finite, interval_text
from outplay.arena.ladder import Ladder
from outplay.arena.ratings import Ratings, rate
from outplay.arena.vary import Vary
from outplay.rules.errors import OutplayError
from outplay.rules.game import CHANCE


class Gain(NamedTuple):
    """By how much one rung is stronger than another one, in Elo, with its interval of 95%."""

    elo: float
    low: float
    high: float

    def span(self, between: str = " to ") -> str:
        """The interval."""
        return interval_text(self.low, self.high, between)


@dataclass
class Rung:
    """What the games of a rung add up to.

    Attributes:
        name: its player.
        label: its short name.
        games, points: against the rung below.
        moves, seconds, nodes: of all its moves; `nodes` of those for which the player told them.
    """

    name: str
    label: str
    games: int = 0
    points: float = 0.0
    moves: int = 0
    seconds: float = 0.0
    nodes: int = 0
    faults: int = 0

    @property
    def seconds_a_move(self) -> float:
        """The mean time of a move."""
        return self.seconds / self.moves if self.moves else 0.0

    @property
    def nodes_a_move(self) -> float | None:
        """The mean number of nodes of a move, if the player tells it."""
        return self.nodes / self.moves if self.nodes else None


class LadderScore:
    """What the rounds of a ladder add up to.

    Attributes:
        rungs: what each rung did.
        games: all games, for `rate`: the first player, the second one, the points of the first.
    """

    def __init__(self, ladder: Ladder) -> None:
        self.ladder = ladder
        labels = ladder.labels or ladder.names
        self.rungs = [Rung(name, label) for name, label in zip(ladder.names, labels, strict=True)]
        self.games: list[tuple[str, str, float]] = []

    def add(self, round_: Round) -> None:
        """Count a round."""
        for order, record in zip(round_.orders, round_.records, strict=True):
            first, second = (self.rungs[place] for place in order)
            one, other = record.utilities
            points = 0.5 + 0.5 * ((one > other) - (one < other))
            self.games.append((first.name, second.name, points))
            upper, share = (first, points) if order[0] > order[1] else (second, 1 - points)
            upper.games += 1
            upper.points += share
            if record.guilty is not None:
                self.rungs[order[record.guilty]].faults += 1
            for ply in record.plies:
                if ply.player != CHANCE:
                    rung = self.rungs[order[ply.player]]
                    rung.moves += 1
                    rung.seconds += ply.seconds
                    rung.nodes += ply.nodes or 0

    @property
    def played(self) -> list[int]:
        """The numbers of the rungs that have played, from the first one up to the first that has not."""
        count = 1
        while count < len(self.rungs) and self.rungs[count].games:
            count += 1
        return list(range(count)) if count > 1 else []

    def result(self) -> "LadderResult":
        """What the games say. Raises `OutplayError` if there is none of the two lowest rungs."""
        played = {self.rungs[number].name for number in self.played}
        if not played:
            raise OutplayError("no game of the ladder is over")
        games = [game for game in self.games if game[0] in played and game[1] in played]
        return LadderResult(self.ladder, tuple(self.rungs[: len(played)]), rate(games))


@dataclass(frozen=True)
class LadderResult:
    """What a ladder shows.

    Attributes:
        ladder: its settings.
        rungs: the rungs that have played.
        ratings: the ratings of all of them.
        elos: the strength of each rung above the first one.
        gains: the gain of each rung over the one below; the first one has none.
    """

    ladder: Ladder
    rungs: tuple[Rung, ...]
    ratings: Ratings
    elos: tuple[Gain, ...] = field(init=False)
    gains: tuple[Gain, ...] = field(init=False)

    def __post_init__(self) -> None:
        names = [rung.name for rung in self.rungs]
        elos = [Gain(0.0, 0.0, 0.0), *(self.gap(name, names[0]) for name in names[1:])]
        gains = [self.gap(upper, lower) for lower, upper in pairwise(names)]
        object.__setattr__(self, "elos", tuple(elos))
        object.__setattr__(self, "gains", tuple(gains))

    def gap(self, upper: str, lower: str) -> Gain:
        """The difference of two rungs."""
        return Gain(*self.ratings.difference(upper, lower))

    def worth(self) -> list[str]:
        """What a step is worth, as lines of text."""
        vary, rungs, lines = self.ladder.vary, list(self.rungs), list[str]()
        names = [rung.name for rung in rungs]
        own = rungs[len(self.ladder.players) - len(vary.values) :] if vary else rungs
        if vary is None or len(own) < 2:
            return lines
        whole = self.gap(own[-1].name, own[0].name)
        first = names.index(own[0].name)
        if not vary.numbers:
            gains = zip(own[1:], self.gains[first:], strict=True)
            return [f"{vary.option}={upper.label} is worth {in_words(gain)}" for upper, gain in gains]
        varied = Vary(vary.option, vary.values[: len(own)], vary.numbers[: len(own)], vary.doubles)
        steps = varied.steps or 1.0
        gain_a_step = Gain(*(part / steps for part in whole))
        lines.append(f"{vary.step} is worth {in_words(gain_a_step)} on average")
        unit, least, most = "nodes", own[0].nodes_a_move, own[-1].nodes_a_move
        if not (least and most):  # the player does not tell them
            unit, least, most = "time", own[0].seconds_a_move, own[-1].seconds_a_move
        if least and most > 1.2 * least and vary.option not in ("nodes", "seconds"):
            doublings = math.log2(most / least)
            double = Gain(*(part / doublings for part in whole))
            factor = 2 ** (doublings / steps)
            costs = f"{vary.step} takes {factor:.2g} times the {unit}; " if not vary.doubles else ""
            lines.append(f"{costs}a doubling of {unit} is worth {in_words(double)}")
        return lines

    def as_dict(self) -> dict[str, Any]:
        """The result as plain values, for JSON."""
        rungs = []
        for place, rung in enumerate(self.rungs):
            elo, gain = self.elos[place], self.gains[place - 1] if place else None
            rungs.append(
                {
                    "player": rung.name,
                    "label": rung.label,
                    "elo": elo.elo,
                    "low": finite(elo.low),
                    "high": finite(elo.high),
                    "gain": None if gain is None else gain.elo,
                    "gain_low": None if gain is None else finite(gain.low),
                    "gain_high": None if gain is None else finite(gain.high),
                    "games": rung.games,
                    "points": rung.points,
                    "moves": rung.moves,
                    "seconds_a_move": rung.seconds_a_move,
                    "nodes_a_move": rung.nodes_a_move,
                    "faults": rung.faults,
                }
            )
        return {
            "game": repr(self.ladder.game),
            "rungs": rungs,
            "worth": self.worth(),
            "first_move": self.ratings.advantage[0],
            "drawn": self.ratings.drawn,
        }

    def plot(self, ax: object = None) -> object:
        """Draw the Elo of each rung with its interval; needs matplotlib. Returns the axes."""
        from outplay.pictures.plot import axes, dressed  # noqa: PLC0415 - an extra

        plot_axes = axes(ax, "LadderResult.plot")
        places = list(range(len(self.rungs)))
        elos = [rating.elo for rating in self.elos]
        spread = [
            [elo - bounded(rating.low, elo) for elo, rating in zip(elos, self.elos, strict=True)],
            [bounded(rating.high, elo) - elo for elo, rating in zip(elos, self.elos, strict=True)],
        ]
        plot_axes.errorbar(places, elos, spread, marker="o", capsize=3, label="Elo, 95%")
        texts = [rung.label for rung in self.rungs]
        plot_axes.set_xticks(places, texts, rotation=30 if max(map(len, texts)) > 6 else 0)
        return dressed(plot_axes, repr(self.ladder.game), self.ladder.unit, f"Elo above {self.rungs[0].name}")


def in_words(gain: Gain) -> str:
    """A gain as text.

    >>> in_words(Gain(12.3, -1, 26))
    '+12 Elo (-1 to +26)'
    """
    return f"{elo_text(gain.elo)} Elo ({gain.span()})"


def bounded(number: float, instead: float) -> float:
    """A number, or another one if it is infinite."""
    return number if math.isfinite(number) else instead
