"""The result of a search: every searcher returns the same frozen `Analysis`."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from outplay.engine.limits import Limit
from outplay.engine.stopping import StopReason
from outplay.rules.base import frozen
from outplay.rules.game import CHANCE, Game, defines
from outplay.rules.user_code import text_of_rule
from outplay.rules.value_text import percent_of_wins, value_words, win_rate

MAX_SHOWN = 30
"""The maximum number of actions in the table of a notebook."""


@dataclass(frozen=True, kw_only=True)
class ActionValue:
    """What a search found about one action at the root.

    Attributes:
        action: the action.
        name: its name in the game's notation.
        value: the utility that the action leads to, for the player to move at the root.
        bound: "exact"; "upper" if the true value is at most `value`, because the search only showed that the action is
            no better than the best one; "lower" if the true value is at least `value`.
        exact: whether `value` and `bound` are proved, not estimated.
        distance: plies to the end of the game, if a decisive value is proved; else None.
        line: the best actions for both sides, starting with this one.
        visits: in Monte Carlo tree search, the number of simulations that started with the action; in `PIMC`, the
            number of worlds in which it was the best. None in other searches.
        probability: how likely the action is in an equilibrium, or as an outcome of chance; None if the search is for
            the best action alone.
        interval: the 95 % confidence interval of the mean over these simulations in `MCTS`; None in other searches.
        sampling_error: the standard error of the mean over these simulations in `ISMCTS`, or over all worlds in `PIMC`.
            It tells nothing about how far this mean is from the value of the game. None in other searches.
    """

    action: int
    name: str
    value: float
    bound: str = "exact"
    exact: bool = False
    distance: int | None = None
    line: tuple[int, ...] = ()
    visits: int | None = None
    probability: float | None = None
    interval: tuple[float, float] | None = None
    sampling_error: float | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Analysis:
    """The result of a search, and how it was obtained.

    Two analyses are equal if they agree in everything except `seconds`.

    Attributes:
        game: the game.
        state: the state that was searched.
        player: the player to move, or `CHANCE`; in that case `actions` holds the outcomes, and values are for player 0.
        action: the best action; None if the game is over or chance is to move. If the search was stopped before it
            could compare any (`actions` is empty), the first one in the game's `order`, or in that of the rules.
        value: the utility that the player to move can be sure of, if `exact`; else an estimate of it. nan if the search
            was stopped before it had one.
        values: the value for each player; nan where the search does not know it, such as for the opponents in paranoid
            search.
        line: the best actions for both sides from `state` on; it may end before the game does.
        actions: every action that has a value, the best first.
        exact: whether the value is proved, not an estimate.
        equilibrium: what kind of equilibrium the probabilities of the actions are, in words; "" if none was computed.
            The value is then what the player gets by it on average, and `action` the most probable one.
        distance: plies to the end of the game, if a decisive result is proved: the shortest win or the longest loss.
        depth: plies of the deepest completed look-ahead.
        nodes: states made by `game.result` during the search.
        simulations: the number of simulations in Monte Carlo tree search; None in other searches.
        table_hits: how often a state in the tree was found in a `Tablebase`; None if none was used there.
        seconds: the time that the search took, without compiling.
        method: the class that found the answer: of a searcher, or of a book.
        limit: the limit of the search.
        stopped: why the search ended before the value was exact, a `StopReason`: "depth", "nodes", "simulations",
            "seconds", "memory full", "clock" (the move is not worth more of the clock), "settled" (no other action
            could have become the choice) or "interrupted" (Ctrl-C, even if the search had just ended); "" if it was not
            stopped.
    """

    game: Game
    state: Any
    player: int
    action: int | None
    value: float
    values: tuple[float, ...]
    line: tuple[int, ...] = ()
    actions: tuple[ActionValue, ...] = ()
    exact: bool = False
    distance: int | None = None
    depth: int = 0
    nodes: int = 0
    simulations: int | None = None
    table_hits: int | None = None
    seconds: float = field(default=0.0)
    method: str = ""
    limit: Limit = field(default_factory=Limit)
    stopped: StopReason = StopReason.COMPLETE
    equilibrium: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Analysis) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def _content(self) -> tuple[Any, ...]:
        return tuple(frozen(value) for name, value in vars(self).items() if name != "seconds")

    @property
    def verdict(self) -> str:
        """The value in words: "win in 9", "loss in 4", "draw", or the number itself; "unknown" if there is none."""
        return value_words(self.game, self.value, self.exact and not self.equilibrium, self.distance)

    @property
    def text(self) -> str:
        """The value in the words of the game, such as +0.31 or #2 in chess; of simulations, the share of wins."""
        exact = self.exact and not self.equilibrium
        return value_text(self.game, self.value, exact, self.distance, self.simulations is not None)

    def row_text(self, row: ActionValue) -> str:
        """The value of an action in the words of the game, and whether the true one is at least or at most that."""
        return {"lower": "at least ", "upper": "at most "}.get(row.bound, "") + self._value_of(row)

    def _value_of(self, row: ActionValue) -> str:
        exact = row.exact and row.bound == "exact" and not self.equilibrium
        return value_text(self.game, row.value, exact, row.distance, self.simulations is not None)

    def board_texts(self) -> dict[Any, str]:
        """The values of actions as they are written on a board: only those for which the game has its own words, and
        shares of wins, in a few letters.
        """
        texts = {}
        for row in self.actions:
            text = self._value_of(row)
            bound = {"upper": "≤", "lower": "≥"}.get(row.bound, "")
            if text.endswith(" %"):
                texts[row.action] = f"{float(text[:-2]):.0f} %"
            elif defines(self.game, "value_text"):
                texts[row.action] = bound + text.split(" ")[0]  # without the unit
        return texts

    def line_text(self, row: ActionValue | None = None) -> str:
        """The best line, or that of an action, as players of the game write it."""
        line = self.line if row is None else row.line
        return text_of_rule(self.game, "line_text", self.state, line_names(self.game, self.state, line))

    def line_names(self) -> list[str]:
        """The best line in the game's notation."""
        return line_names(self.game, self.state, self.line)

    def as_dict(self) -> dict[str, Any]:
        """The analysis as plain values, for JSON."""
        name = self.game.action_name
        return {
            "game": repr(self.game),
            "player": self.player,
            "action": None if self.action is None else name(self.state, self.action),
            "value": None if math.isnan(self.value) else self.value,
            "values": [None if math.isnan(value) else value for value in self.values],
            "exact": self.exact,
            **({"equilibrium": self.equilibrium} if self.equilibrium else {}),
            "distance": self.distance,
            "verdict": self.verdict,
            "text": self.text,
            "line": self.line_names(),
            "actions": [
                {
                    "action": item.name,
                    "value": item.value,
                    "text": self.row_text(item),
                    "bound": item.bound,
                    "exact": item.exact,
                    "distance": item.distance,
                    "line": line_names(self.game, self.state, item.line),
                    **({} if item.visits is None else {"visits": item.visits}),
                    **({} if item.probability is None else {"probability": item.probability}),
                    **({} if item.interval is None else {"interval": list(item.interval)}),
                    **({} if item.sampling_error is None else {"sampling_error": item.sampling_error}),
                }
                for item in self.actions
            ],
            "depth": self.depth,
            "nodes": self.nodes,
            **({} if self.simulations is None else {"simulations": self.simulations}),
            **({} if self.table_hits is None else {"table_hits": self.table_hits}),
            "seconds": round(self.seconds, 6),
            "method": self.method,
            "limit": repr(self.limit),
            "stopped": self.stopped,
        }

    def _repr_html_(self) -> str:
        """For notebooks: the board with the values, the answer, and a table of the best actions."""
        from outplay.pictures.html import Markup, table, text_block  # noqa: PLC0415 - only notebooks need it
        from outplay.pictures.show import show  # noqa: PLC0415

        head, rows = self.table(MAX_SHOWN)
        more = len(self.actions) - len(rows)
        board = show(self.game, self.state, values=self)._repr_svg_()
        parts = [Markup(f"<div>{board}</div>"), text_block(str(self))]
        return "".join([*parts, table(head, rows) if rows else "", f"<p>and {more:,} more actions</p>" if more else ""])

    def table(self, most: int) -> tuple[list[str], list[list[str]]]:
        """The best actions as a table, at most so many: the heads of the columns, and the cells of each row."""
        mixed, counted, sampled = (
            any(getattr(row, name) is not None for row in self.actions)
            for name in ("probability", "visits", "sampling_error")
        )
        head = ["action", *["probability"] * mixed, "value", ""]
        head += [*["± sampling" if sampled else "95 %", "visits"] * counted, *["best line"] * (not mixed)]
        rows = []
        for row in self.actions[:most]:
            likely = [f"{row.probability or 0.0:.4f}".replace("0.0000", "0").replace("1.0000", "1")] * mixed
            visits = [self._spread_of(row), f"{row.visits or 0:,}"] * counted
            kind = "exact" if row.exact else "estimate"
            rows.append([row.name, *likely, self.row_text(row), kind, *visits, *[self.line_text(row)] * (not mixed)])
        return head, rows

    def _spread_of(self, row: ActionValue) -> str:
        """The confidence interval of an estimate, or its sampling error: of a share of wins, if there are no others."""
        if row.sampling_error is not None:
            percent = percent_of_wins(self.game)
            return f"{percent * row.sampling_error:.1f} %" if percent else f"{row.sampling_error:.3f}"
        if row.exact or row.interval is None:
            return ""
        low, high = row.interval
        if rate := win_rate(self.game, low):
            return f"{rate.removesuffix(' %')} to {win_rate(self.game, high)}"
        return f"{low:+.3f} to {high:+.3f}"

    def __str__(self) -> str:
        if self.action is None and self.player == CHANCE and self.actions:
            kind = "exact" if self.exact else "estimate"
            return f"{self.method}: chance is to move, {self.text} for player 0 ({kind}), depth {self.depth}"
        if not self.actions and not self.exact:
            name = "" if self.action is None else f"; {self.game.action_name(self.state, self.action)} comes first"
            return f"{self.method}: stopped by {self.stopped} before any answer{name}"
        if self.action is None:
            return f"{self.method}: the game is over, {self.text}"
        hits = "" if self.table_hits is None else f", {self.table_hits:,} table hits"
        speed = f", {self.nodes / self.seconds:,.0f} a second" if self.seconds > 0 else ""
        end = f", stopped by {self.stopped}" if self.stopped else ""
        if self.equilibrium:
            likely = ", ".join(f"{item.name} {item.probability:.4g}" for item in self.actions if item.probability)
            exactness = "exact" if self.exact else "estimate"
            return (
                f"{likely}: {self.verdict} for player {self.player} ({exactness})\n{self.equilibrium}\n"
                f"{self.method}, {self.nodes:,} nodes in {self.seconds:.3f} s"
            )
        lines = [
            f"{self.game.action_name(self.state, self.action)}: {self.text} for player {self.player}"
            f" ({'exact' if self.exact else 'estimate'})",
            f"line {self.line_text()}",
            f"{self.method}, depth {self.depth}, {self.nodes:,} nodes in {self.seconds:.3f} s{speed}{hits}{end}",
        ]
        return "\n".join(lines)


def value_text(game: Game, value: float, exact: bool, distance: int | None, simulated: bool = False) -> str:
    """A value in the words of the game; an estimate by simulations is a share of wins, if the game is won or lost.

    "unknown" if the value is nan. Raises `RulesError` if the game's `value_text` fails.
    """
    if math.isnan(value):
        return "unknown"
    rate = win_rate(game, value) if simulated and not exact else ""
    return rate or text_of_rule(game, "value_text", value, exact, distance)


def moved(analysis: Analysis, by: float) -> Analysis:
    """The analysis with all values greater by `by`, of every player alike."""
    if not by:
        return analysis
    rows = [
        replace(
            row,
            value=row.value + by,
            interval=None if row.interval is None else (row.interval[0] + by, row.interval[1] + by),
        )
        for row in analysis.actions
    ]
    values = tuple(value if math.isnan(value) else value + by for value in analysis.values)
    return replace(analysis, value=analysis.value + by, values=values, actions=tuple(rows))


def line_names(game: Game, state: Any, line: tuple[int, ...]) -> list[str]:
    """A line of actions from `state` in the game's notation."""
    names = []
    for action in line:
        names.append(game.action_name(state, action))
        state = game.result(state, action)
    return names


def side(game: Game, state: Any) -> int | None:
    """The player to move, or None if the game is over or chance is to move."""
    if game.is_terminal(state):
        return None
    player = int(game.to_move(state))
    return None if player == CHANCE else player


def with_actions(analysis: Analysis, game: Game, decode: Callable[[int], Any]) -> Analysis:
    """The analysis of a game with numbered actions as one of `game`; `decode` gives the action of a number."""

    def named(line: Sequence[int]) -> tuple[Any, ...]:
        return tuple(map(decode, line))

    rows = (replace(row, action=decode(row.action), line=named(row.line)) for row in analysis.actions)
    action = None if analysis.action is None else decode(analysis.action)
    return replace(analysis, game=game, action=action, line=named(analysis.line), actions=tuple(rows))
