"""What ways to learn by self-play have in common: to play for a while, and to look at better games for a layout."""

import math
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Generic, Protocol, TypeVar

from outplay.evaluation.patterns import Tables
from outplay.learning.plan import Plan
from outplay.learning.progress import SLICE
from outplay.learning.training import Training
from outplay.rules.errors import EvaluationError

FIRST = 0.04
"""The share of the time in which a player learns before it is looked at or tried."""
LOOKS = 3
"""How often better games are looked at, as long as they show more: higher tiles, for example."""


class Player(Protocol):
    """One that plays against itself."""

    def games(self) -> Iterator[list[Any]]: ...  # noqa: D102


P = TypeVar("P", bound=Player)


class SelfPlayTraining(Training, Generic[P]):
    """Learning by self-play; see `learn` for the arguments."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.player: P | None = None
        self.resumed: dict[str, Any] = {}
        """The arrays of an earlier run."""
        self.batch = self.budget.next_batch(1, SLICE)

    @abstractmethod
    def play_part(self, player: P) -> tuple[int, float]:
        """Let each worker play at most `batch` games, and learn from them. Returns their number, and the error."""

    def play(self, player: P, share: float, stage: str = "learning") -> None:
        """Learn for this share of the budget."""
        progress, budget = self.progress, self.budget
        self.begin(stage)
        until = budget.used(progress.games) + share * budget.total
        while budget.used(progress.games) < until:
            began = time.monotonic()
            games, progress.error = self.play_part(player)
            took = max(time.monotonic() - began, 1e-6)
            progress.games += games
            progress.games_a_second = games / took
            if not math.isfinite(progress.error):
                raise EvaluationError(f"{self.game!r}: a value is no number: see its utility() and evaluate()")
            self.batch = budget.next_batch(-(-games // self.workers), took)
            self.say()

    def first_player(self, plan: Plan, new: Callable[[Plan], P]) -> tuple[Plan, P]:
        """A player that has learned a little, with a layout that shows what comes up in games between such players."""
        player = new(plan)
        self.play(player, FIRST, "learning a first form")
        sizes: list[int] = []
        for _ in range(LOOKS if self.budget.allows_a_second_look else 0):
            if plan.layout.sizes == sizes:
                break
            sizes = plan.layout.sizes
            self.begin("looking at better games")
            plan = self.plan = Plan.of(self.game, self.seed, seconds=self.budget.look, games=player.games())
            player = new(plan)
            self.play(player, FIRST, "learning a form for better games")
        return plan, player

    def resumed_plan(self, plan: Plan, tables: Tables) -> Plan:
        """The plan of an earlier run."""
        return replace(plan, layout=tables.layout, score=tables.score, most=self.most)
