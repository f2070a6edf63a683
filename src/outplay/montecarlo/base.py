"""What the searchers by simulations share: checked options, and an `Analysis` out of what the simulations brought."""

import math
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, ClassVar

from outplay.compile.rejection_sampling import warn_without_source
from outplay.engine.analysis import ActionValue, Analysis
from outplay.engine.clock import Clock
from outplay.engine.limits import Limit
from outplay.engine.searcher import STATUS_DEPTH, Searcher
from outplay.engine.stopping import (
    BY_NODES,
    StopReason,
)
from outplay.montecarlo.answer import Answers
from outplay.rules.arguments import is_number, is_whole
from outplay.rules.game import Game

CHOICES = ("visits", "value", "lower-bound")
SCALES = ("range", "spread")
PLAIN_RANGES = ((-1, 1), (0, 1))
LEAST_MB = 0.01
MOST_NUMBER = 2.0**62


class SimulationSearcher(Searcher):
    """A searcher that simulates games."""

    _megabytes: ClassVar[str] = "memory_mb"

    scale: str | None
    choice: str

    def _check_choice(self, name: str, known: tuple[str, ...]) -> None:
        value = getattr(self, name)
        if not isinstance(value, str) or value not in known:
            near = get_close_matches(value, known, n=1) if isinstance(value, str) else []
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise ValueError(
                f"{type(self).__name__}({name}={value!r}): {hint}{name} is one of {', '.join(map(repr, known))}"
            )

    def _check_number(
        self, name: str, least: float, most: float = MOST_NUMBER, *, whole: bool = False, optional: bool = False
    ) -> None:
        value = getattr(self, name)
        if optional and value is None:
            return
        if not (is_whole(value) if whole else is_number(value)) or not least <= value <= most:
            above = f"{least:g} on" if most == MOST_NUMBER else f"{least:g} to {most:g}"
            span = "" if least == -MOST_NUMBER else f" from {above}"
            what = f"a{' whole' if whole else ''} number{span}{', or None' if optional else ''}"
            raise ValueError(f"{type(self).__name__}({name}={value!r}): {what}")

    def _is_spread(self, game: Game) -> bool:
        """Whether utilities are measured by the spread of what simulations bring, not by their range."""
        return (self.scale or ("range" if game.utilities in PLAIN_RANGES else "spread")) == "spread"

    def _run(self, *args: Any, **options: Any) -> list[Analysis]:
        warn_without_source(self.game)
        return super()._run(*args, **options)

    def _new_results(self, states: list[Any], kept: int) -> Any:
        return Answers(states)

    def _until(self, clock: Clock, results: Any) -> Callable[[float], float]:
        """The search keeps to its clock by itself, see its run; this is in case that a slice takes long."""
        return lambda seconds: clock.most

    def _answered(
        self,
        state: Any,
        player: int,
        results: Any,
        index: int,
        changing: bool,
        by_caller: StopReason,
        common: dict[str, Any],
    ) -> Analysis:
        found = results.answers[index]
        status = results.cells[index]
        if found is None or not found.rows:  # stopped too early, or no action is allowed by the rule of repetition
            proved = found is not None and found.is_proved(player)
            values = tuple(low for low, _ in found.bounds) if proved else (0.0,) * self.game.players
            return Analysis(
                **common,
                player=player,
                action=None,
                value=values[player],
                values=values,
                exact=proved,
                simulations=found.simulations if found is not None else 0,
                stopped=StopReason.COMPLETE if proved else by_caller or StopReason.SECONDS,
            )
        rows = found.ranked(player, self.choice)
        best = rows[0]
        actions = tuple(
            ActionValue(
                action=row.action,
                name=self.game.action_name(state, row.action),
                value=row.value(player),
                exact=row.is_proved(player),
                line=row.line,
                visits=row.visits,
                interval=row.interval(player, *found.ranges[player]),
            )
            for row in rows
        )
        exact = found.is_proved(player)
        return Analysis(
            **common,
            player=player,
            action=best.action,
            value=best.value(player),
            values=tuple(best.value(p) for p in range(self.game.players)),
            line=best.line,
            actions=actions,
            exact=exact,
            depth=int(status[STATUS_DEPTH]),
            simulations=found.simulations,
            stopped=StopReason.COMPLETE if exact else found.stopped or by_caller or StopReason.SECONDS,
        )


def time_left(limit: Limit, seconds: float) -> float:
    """How many seconds there are still after `seconds`; infinity where time is not limited."""
    ends = [limit.seconds] + ([limit.clock.aim] if limit.clock is not None else [])
    return min((end - seconds for end in ends if end is not None), default=math.inf)


def reached(limit: Limit, why: int, simulations: int, left: float) -> StopReason:
    """Which limit ends a search; COMPLETE if it goes on. `why` is that of its memory, `left` its `time_left`."""
    if why:
        return StopReason.NODES if why == BY_NODES else StopReason.CALLER
    if limit.simulations is not None and simulations >= limit.simulations:
        return StopReason.SIMULATIONS
    return StopReason.CLOCK if limit.clock is not None and left <= 0 else StopReason.COMPLETE


def is_opposed(game: Game) -> bool:
    """Whether what player 0 gets tells what the others get."""
    return game.players == 1 or (game.players == 2 and game.zero_sum)
