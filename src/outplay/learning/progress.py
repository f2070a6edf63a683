"""How long to learn, what goes on meanwhile, and what was learned in the end."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from outplay.evaluation.learned import LearnedEvaluation
from outplay.learning.plan import Plan
from outplay.learning.rivals import Comparison

SLICE = 0.5
"""About so many seconds pass between two looks at the clock."""


@dataclass
class Budget:
    """How long to learn.

    Attributes:
        total: the seconds, or the games.
        in_games: whether games are counted, so that all is the same every time.
        began: when the time began.
    """

    total: float
    in_games: bool = False
    began: float = field(default_factory=time.monotonic)

    def used(self, games: int) -> float:
        """How much is used after so many games."""
        return games if self.in_games else time.monotonic() - self.began

    @property
    def look(self) -> float:
        """For how many seconds games are looked at."""
        return math.inf if self.in_games else min(10.0, 0.1 * self.total)

    @property
    def allows_a_second_look(self) -> bool:
        """Whether better games are looked at, besides random ones."""
        return self.total >= (1000 if self.in_games else 60)

    @property
    def allows_trials(self) -> bool:
        """Whether several forms are tried."""
        return self.total >= (200_000 if self.in_games else 600)

    @property
    def allows_large_tables(self) -> bool:
        """Whether there is time to fill tables of half a million entries, in games that are long."""
        return self.total >= (300_000 if self.in_games else 1800)

    @property
    def allows_deep_searches(self) -> bool:
        """Whether there is time for some ten thousand positions with the values of deep searches."""
        return not self.in_games and self.total >= 600

    def end_of_match(self, share: float) -> float:
        """When a match that may take this share of the time must end."""
        return math.inf if self.in_games else time.monotonic() + share * self.total

    def next_batch(self, batch: int, took: float) -> int:
        """How many games a worker plays without a look at the clock, if so many took so long."""
        if self.in_games:
            return max(1, min(100, int(self.total / 100)))
        return max(1, int(batch * min(4.0, SLICE / took)))


@dataclass(frozen=True)
class Check:
    """How strong the player was at some time.

    Attributes:
        seconds: the time learned until then.
        games: the games played until then.
        error: the root of the mean squared error of values in games that it did not learn from, in units of a win.
        rivals: how it did against each other player.
        accepted: whether it became the best player so far.
    """

    seconds: float
    games: int
    error: float
    rivals: dict[str, Comparison]
    accepted: bool

    def as_dict(self) -> dict[str, Any]:
        """The check as plain values, for JSON."""
        return {**vars(self), "rivals": {name: rival.as_dict() for name, rival in self.rivals.items()}}


@dataclass
class Progress:
    """What goes on, for a display.

    Attributes:
        stage: what is done now.
        seconds: the time used so far.
        done: the share of the time, or of the games, that is over.
        games: the games played so far.
        games_a_second: how many a second, lately.
        error: the root of the mean squared error of values, lately, in units of a win.
        checks: how strong the player was at times.
    """

    stage: str = "looking at random games"
    seconds: float = 0.0
    done: float = 0.0
    games: int = 0
    games_a_second: float = 0.0
    error: float = math.nan
    checks: list[Check] = field(default_factory=list)


Watch = Callable[[Progress], object]


@dataclass(frozen=True)
class Learned:
    """What was learned.

    Attributes:
        evaluation: the evaluation of the best player; None if it was not stronger than what there was before.
        last: what was learned until the end, stronger or not; None if it was interrupted before.
        checks: how strong the player was at times.
        plan: what was found out about the game before.
        games: the games played.
        seconds: the time that it took.
        interrupted: whether Ctrl-C ended it.
        problem: why the file could not be written; empty if it was, or if there is nothing to write.
    """

    evaluation: LearnedEvaluation | None
    last: LearnedEvaluation | None
    checks: tuple[Check, ...]
    plan: Plan | None
    games: int
    seconds: float
    interrupted: bool = False
    problem: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The result as plain values, for JSON."""
        return {
            "accepted": self.evaluation is not None,
            "games": self.games,
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "layout": None if self.plan is None else self.plan.describe(),
            "checks": [
                check.as_dict() for check in self.checks
            ],
        }  # fmt: skip

    def picture(self) -> str:
        """The strength over time as SVG, against each rival."""
        from outplay.pictures.chart import Series, Value, curve  # noqa: PLC0415 - only people need it

        names = dict.fromkeys(name for check in self.checks for name in check.rivals)
        lines = []
        for colour, name in enumerate(names):
            points = [
                Value(check.seconds, max(-1000.0, min(1000.0, rival.strength.elo)))
                for check in self.checks
                if (rival := check.rivals.get(name)) is not None and rival.strength is not None
            ]
            if points:
                lines.append(Series(name, points, colour))
        return curve(lines, "strength in Elo while learning", "seconds")

    def _repr_html_(self) -> str:
        return self.picture() if any(check.rivals for check in self.checks) else repr(self)
