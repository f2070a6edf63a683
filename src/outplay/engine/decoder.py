"""Turns the numbers that a search leaves in its results into an `Analysis`."""

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from reprlib import repr as shortened
from typing import Any, ClassVar

from outplay.engine.analysis import ActionValue, Analysis
from outplay.engine.book import LookUp, line_from
from outplay.engine.limits import Limit
from outplay.engine.results import Results, RootRow
from outplay.engine.score import decode, distance, to_value
from outplay.engine.stopping import BY_NODES, BY_SIMULATIONS, MEMORY_FULL, NO_LEGAL_ACTION, STACK_FULL, StopReason
from outplay.engine.table import EXACT
from outplay.engine.workspace import MAX_LISTED
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import RulesError, UnsuitableGame
from outplay.rules.game import CHANCE, Game, legal_actions
from outplay.rules.repetition import defeat

LIVE_SECONDS = 0.02
"""The maximum time for an analysis of a running search. With slow rules, it has fewer actions and shorter lines."""


class Decoder:
    """The part of a searcher that reads its results. All values are less the draw; see `rules/constant_sum.py`."""

    _takes_chance: ClassVar[bool] = False  # whether chance may be to move at the root
    _tells_distance: ClassVar[bool] = True  # whether scores contain the distance to the end, see `engine.score`

    limits: ClassVar[tuple[str, ...]] = ("seconds", "clock", "depth", "nodes")
    """The fields of `Limit` that this searcher supports."""

    game: Game
    books: Sequence[LookUp]

    def _worth(self, score: int) -> float:
        """The utility that a score in the results stands for."""
        return decode(score) if self._tells_distance else to_value(score)

    def _plies(self, score: int) -> int:
        """The distance to the end that such a score contains; 0 if none."""
        return distance(score) if self._tells_distance else 0

    def _values(self, player: int, value: float) -> tuple[float, ...]:
        """The utilities of all players, if that of `player` is `value`."""
        return tuple(value if other == player else 0.0 - value for other in range(self.game.players))

    def _method(self) -> str:
        return type(self).__name__

    def _over(self, state: Any) -> bool:
        return bool(self.game.is_terminal(state))

    def _game_over(self, values: tuple[float, ...], **common: Any) -> Analysis:
        """The analysis of a game that has ended with these utilities."""
        return self._answer(0, (), values, exact=True, **common)

    def _answer(
        self, player: int, actions: tuple[ActionValue, ...], values: tuple[float, ...], *, exact: bool, **common: Any
    ) -> Analysis:
        """The analysis with these root actions, the best first; `actions` is empty if the search found none."""
        best = actions[0] if actions else None
        return Analysis(
            game=self.game,
            player=player,
            action=best.action if best else None,
            value=best.value if best else values[player],
            values=values,
            line=best.line if best else (),
            actions=actions,
            exact=exact,
            distance=best.distance if best and exact else None,
            **{"method": self._method(), **common},
        )

    def _analysis(
        self, state: Any, results: Any, index: int, limit: Limit, seconds: float, *, live: int = -1,
        by_caller: StopReason = StopReason.COMPLETE,
    ) -> Analysis:  # fmt: skip
        """The analysis from the results of search `index`.

        `live` is the number of nodes so far if the search is still running, else -1. `by_caller` is the reason why the
        calling thread stopped it, if it did.
        """
        status = results.status(index)
        common: dict[str, Any] = {"state": state, "seconds": seconds, "limit": limit}
        if not status.actions and self._over(state):
            utilities = (float(self.game.utility(state, player)) for player in range(self.game.players))
            return self._game_over(tuple(utility - draw_utility(self.game) for utility in utilities), **common)
        player = int(self.game.to_move(state))
        if player == CHANCE and not self._takes_chance:
            raise UnsuitableGame(
                f"chance is to move in {shortened(state)}: {type(self).__name__} cannot search it;"
                " search the states that its outcomes lead to"
            )
        if status.why == NO_LEGAL_ACTION:
            raise RulesError(
                f"{self.game!r} came to a state that is not terminal but has no legal action: "
                "its is_terminal() or actions() is wrong; check_game(game) shows where"
            )
        if status.why == STACK_FULL:
            raise RulesError(
                f"{self.game!r} has more than {MAX_LISTED // 2} actions on one line of play: set a depth limit"
            )
        common["nodes"] = status.nodes if live < 0 else live
        if "simulations" in self.limits:
            common["simulations"] = status.simulations
        if results.has_table and live < 0:
            common["table_hits"] = status.table_hits
        return self._answered(state, player, results, index, live >= 0, by_caller, common)

    def _answered(
        self, state: Any, player: int, results: Any, index: int, changing: bool, by_caller: StopReason,
        common: dict[str, Any],
    ) -> Analysis:  # fmt: skip
        """The analysis from the results of search `index`, for a state in which `player` is to move."""
        status = results.status(index)
        solved = bool(status.solved)
        if solved:
            stopped = StopReason.COMPLETE
        elif status.why in (BY_NODES, BY_SIMULATIONS, MEMORY_FULL):
            stopped = StopReason.of(status.why)
        else:
            stopped = StopReason.DEPTH if status.done else by_caller or StopReason.SECONDS
        actions = self._action_values(state, results, index, status.actions, changing) if status.depth else ()
        if not actions:  # stopped before the first answer, or lost because every action repeats a state
            lost = tuple(value - draw_utility(self.game) for value in defeat(self.game, player))
            values = lost if solved else (0.0,) * self.game.players
            return self._answer(player, (), values, exact=solved, stopped=stopped, **common)
        values = self._values(player, actions[0].value)
        return self._answer(player, actions, values, exact=solved, depth=status.depth, stopped=stopped, **common)

    def _action_values(
        self, state: Any, results: Results, index: int, count: int, changing: bool
    ) -> tuple[ActionValue, ...]:
        """The first `count` root actions, the best first."""
        actions: list[ActionValue] = []
        until = time.perf_counter() + LIVE_SECONDS if changing else math.inf
        rows = results.rows(index, count)
        for row, line in zip(rows, results.lines(index, len(rows)), strict=True):
            if actions and time.perf_counter() > until:
                break
            action_value = self._action_value(state, row, line, changing, until)
            actions.append(action_value if results.tells_distance else replace(action_value, distance=None))
        return tuple(actions)

    def _action_value(
        self, state: Any, row: RootRow, line_after: list[int], changing: bool, until: float
    ) -> ActionValue:
        action, score, visits = row.action, row.score, row.visits
        if changing:  # the search may be writing this very line
            length = self._legal_length(self.game.result(state, action), line_after, until)
            line_after = line_after[:length]
        solved, exact = bool(row.solved), row.bound == EXACT
        line = (action, *line_after)
        if self.books and solved and exact:
            line += line_from(self.books, self.game, self._after(state, line), solved)
        return ActionValue(
            action=action,
            name=self.game.action_name(state, action),
            value=self._worth(score),
            bound="exact" if exact else "upper",
            exact=solved,
            distance=(self._plies(score) or None) if solved and exact else None,
            line=line,
            visits=visits or None,
            interval=(self._worth(row.low), self._worth(row.high)) if visits else None,
        )

    def _after(self, state: Any, line: Sequence[int]) -> Any:
        for action in line:
            state = self.game.result(state, action)
        return state

    def _legal_length(self, state: Any, line: Sequence[int], until: float) -> int:
        """The number of actions at the start of `line` that are legal one after the other, checked until `until`."""
        for length, action in enumerate(line):
            if time.perf_counter() > until or self._over(state) or action not in legal_actions(self.game, state):
                return length
            state = self.game.result(state, action)
        return len(line)
