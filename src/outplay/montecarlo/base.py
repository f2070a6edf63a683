"""The base of the searchers that simulate games: choices of options, limits, and the `Analysis` of what was found."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from outplay.compile.rejection_sampling import warn_without_source
from outplay.engine.analysis import ActionValue, Analysis
from outplay.engine.clock import Clock
from outplay.engine.limits import Limit
from outplay.engine.searcher import Searcher
from outplay.engine.stopping import BY_NODES, StopReason
from outplay.montecarlo.answer import Answers, Bounds, Row
from outplay.rules.game import CHANCE, Game

CHOICES = ("visits", "value", "lower-bound")
SCALES = ("range", "spread")
PLAIN_RANGES = ((-1, 1), (0, 1))
MIN_MB, MAX_MB = 0.01, 1e6
SLICE_SECONDS = 0.04
"""Seconds of simulations between two looks at the clock."""
FIRST_SLICE, MAX_SLICE = 64, 1 << 40
"""The number of simulations in the first slice, and the maximum in any."""
FIRST_REPORT_SECONDS, REPORT_SECONDS = 0.05, 0.1
"""Seconds before the first report of what has been found, and between two reports."""


class SimulationSearcher(Searcher):
    """A searcher that simulates games."""

    limits: ClassVar[tuple[str, ...]] = ("seconds", "clock", "nodes", "simulations")

    _megabytes: ClassVar[str] = "memory_mb"

    scale: str | None
    choice: str

    def _is_spread(self, game: Game) -> bool:
        """Whether utilities are measured by the spread of the simulations' rewards, rather than by their range."""
        return (self.scale or ("range" if game.utilities in PLAIN_RANGES else "spread")) == "spread"

    def _run(self, *args: Any, **options: Any) -> list[Analysis]:
        warn_without_source(self.game)
        return super()._run(*args, **options)

    def _new_results(self, states: list[Any], max_rows: int) -> Any:
        return Answers(states)

    def _until(self, clock: Clock, results: Any) -> Callable[[float], float]:
        """The search watches its clock itself (see its run); this is for slices that take long."""
        return lambda seconds: clock.most

    def _answered(
        self, state: Any, player: int, results: Any, index: int, changing: bool, by_caller: StopReason,
        common: dict[str, Any],
    ) -> Analysis:  # fmt: skip
        answer, actions = results.answers[index], tuple[ActionValue, ...]()
        by_chance, player = player == CHANCE, max(player, 0)
        if answer is None or not answer.rows:  # stopped too early, or no action is allowed by the rule of repetition
            proved = answer is not None and answer.is_proved(player)
            values = tuple(low for low, _ in answer.bounds) if proved else (0.0,) * self.game.players
            stopped = StopReason.COMPLETE
        else:
            rows = answer.rows if by_chance else answer.ranked(player, self.choice)
            actions = tuple(self._action_value_of(state, player, row, answer.ranges[player]) for row in rows)
            odds = [self.game.probability(state, row.action) for row in rows] if by_chance else [1.0]
            values = tuple(
                sum(share * row.value(seat) for share, row in zip(odds, rows, strict=False)) / sum(odds)
                for seat in range(self.game.players)
            )
            proved, stopped = answer.is_proved(player), answer.stopped
            common["depth"] = results.status(index).depth
        stopped = StopReason.COMPLETE if proved else stopped or by_caller or StopReason.SECONDS
        analysis = self._answer(player, actions, values, exact=proved, stopped=stopped, **common)
        if not by_chance:
            return analysis
        return replace(analysis, player=CHANCE, action=None, line=(), value=values[0], values=values)

    def _action_value_of(self, state: Any, player: int, row: Row, limits: Bounds) -> ActionValue:
        return ActionValue(
            action=row.action,
            name=self.game.action_name(state, row.action),
            value=row.value(player),
            exact=row.is_proved(player),
            line=row.line,
            visits=row.visits,
            interval=row.interval(player, *limits),
        )


def time_left(limit: Limit, seconds: float) -> float:
    """The seconds that are left after `seconds`; infinity if time is not limited."""
    ends = [limit.seconds] + ([limit.clock.aim] if limit.clock is not None else [])
    return min((end - seconds for end in ends if end is not None), default=math.inf)


def reached(limit: Limit, why: int, simulations: int, left: float) -> StopReason:
    """The limit that ends a search; COMPLETE if none does. `why` is the field of its memory, `left` its `time_left`."""
    if why:
        return StopReason.NODES if why == BY_NODES else StopReason.CALLER
    if limit.simulations is not None and simulations >= limit.simulations:
        return StopReason.SIMULATIONS
    return StopReason.CLOCK if limit.clock is not None and left <= 0 else StopReason.COMPLETE
