"""The result of a search: the actions at the roots of its trees, ranked."""

import math
from dataclasses import dataclass
from typing import Any

from outplay.engine.results import Results
from outplay.engine.stopping import StopReason
from outplay.montecarlo.options import MCTSOptions
from outplay.montecarlo.tree import ROOT, Tree
from outplay.rules.game import CHANCE, Game

Z_95 = 1.959964
"""The half-width of the 95% interval of a normal distribution, in standard deviations."""
MAX_LINE = 64
"""A line goes on for at most this many actions after the first."""
SURE = 1 << 60
"""More visits than there can be."""
Bounds = tuple[float, float]
UNBOUNDED: Bounds = -math.inf, math.inf
"""The bounds where nothing is proved."""


def clipped(number: float, low: float, high: float) -> float:
    """The number from `low` to `high` that is nearest; in a third of the time of min and max."""
    return low if number < low else high if number > high else number


def wilson(points: float, games: int) -> tuple[float, float]:
    """The 95% interval of a proportion: Wilson's score interval (1927).

    >>> [round(bound, 3) for bound in wilson(30, 40)]
    [0.598, 0.858]
    """
    z, share = Z_95, points / games
    centre = share + z * z / (2 * games)
    spread = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    return (centre - spread) / (1 + z * z / games), (centre + spread) / (1 + z * z / games)


@dataclass(frozen=True)
class Row:
    """A root action: its visits, and for each player the sum of utilities and what is proved."""

    action: int
    visits: int
    totals: tuple[float, ...]
    bounds: tuple[Bounds, ...]
    line: tuple[int, ...] = ()
    probability: float | None = None  # in a mixture

    def is_proved(self, player: int) -> bool:
        """Whether its value for `player` is proved."""
        low, high = self.bounds[player]
        return low == high

    def value(self, player: int) -> float:
        """Its value for `player`: the mean of its visits, clipped to the proved bounds."""
        return clipped(self.totals[player] / (self.visits or 1), *self.bounds[player])

    def interval(self, player: int, least: float, greatest: float) -> Bounds:
        """The 95% confidence interval of the mean of visits with utilities from `least` to `greatest`.

        It is Wilson's interval (1927) for the share of wins. With utilities in between it is too wide, never too
        narrow. It describes the mean of these simulations and says nothing about a larger tree.
        """
        low, high = self.bounds[player]
        width = greatest - least
        if low == high or width <= 0 or not self.visits:
            return self.value(player), self.value(player)
        share = (self.totals[player] / self.visits - least) / width
        first, last = wilson(clipped(share, 0.0, 1.0) * self.visits, self.visits)
        return clipped(least + width * first, low, high), clipped(least + width * last, low, high)


@dataclass(frozen=True)
class Answer:
    """What has been found so far: the root actions that were visited, and each player's range of utilities."""

    rows: tuple[Row, ...]
    bounds: tuple[Bounds, ...]
    ranges: tuple[Bounds, ...]
    stopped: StopReason = StopReason.COMPLETE

    def is_proved(self, player: int) -> bool:
        """Whether the value of the state for `player` is proved."""
        low, high = self.bounds[player]
        return low == high

    def ranked(self, player: int, choice: str) -> list[Row]:
        """The rows, the best for `player` first: in the order of `choice`, with those proved to be worse at the end.

        Rows whose value is proved come first if the best of them is worth no less than the first of the others.
        """

        def merit(row: Row) -> tuple[float, ...]:
            if choice == "value":
                return row.value(player), row.visits
            if choice == "lower-bound":
                return row.interval(player, *self.ranges[player])[0], row.visits
            return row.visits if row.probability is None else row.probability, row.value(player)

        sure = max(row.bounds[player][0] for row in self.rows)
        hopeless = [row for row in self.rows if row.bounds[player][1] < sure]
        rows = [row for row in self.rows if row.bounds[player][1] >= sure]
        unsure = sorted((row for row in rows if not row.is_proved(player)), key=merit, reverse=True)
        proved = sorted((row for row in rows if row.is_proved(player)), key=merit, reverse=True)
        hopeless.sort(key=lambda row: (row.value(player), *merit(row)), reverse=True)
        first = unsure[0].value(player) if unsure else -math.inf
        return [*proved, *unsure, *hopeless] if proved and sure >= first else [*unsure, *proved, *hopeless]


class Answers(Results):
    """What the searching thread has found so far in each state, for the calling thread to read."""

    def __init__(self, states: list[Any]) -> None:
        super().__init__(len(states), max_rows=0, longest=0)
        self.states = states
        self.answers: list[Answer | None] = [None] * len(states)


def answer_of(game: Game, techniques: MCTSOptions, trees: list[Tree], state: Any, **common: Any) -> Answer:
    """The combined answer of these trees about `state`, the state of their roots."""
    rows: dict[int, Row] = {}
    for tree in trees:
        for child in _children(tree):
            action, visits = int(tree.action[child]), int(tree.visits[child])
            line = _line(game, techniques, tree, child, state) if visits and tree is trees[0] else (action,)
            row = Row(
                action,
                visits,
                _all_values(techniques, tree.value_sum, child, game),
                _bounds(game, techniques, tree, child),
                line,
            )
            rows[action] = row if action not in rows else _merged(rows[action], row)
    return Answer(
        rows=tuple(row for row in rows.values() if row.visits),
        bounds=_intersection([_bounds(game, techniques, tree, ROOT) for tree in trees]),
        **common,
    )


def _merged(row: Row, other: Row) -> Row:
    """Two rows of the same action, as one."""
    totals = tuple(mine + yours for mine, yours in zip(row.totals, other.totals, strict=True))
    return Row(row.action, row.visits + other.visits, totals, _intersection([row.bounds, other.bounds]), row.line)


def _intersection(bounds: list[tuple[Bounds, ...]]) -> tuple[Bounds, ...]:
    """The bounds that all of these prove together, for each player."""
    return tuple(
        (max(low for low, _ in intervals), min(high for _, high in intervals))
        for intervals in zip(*bounds, strict=True)
    )


def _all_values(techniques: MCTSOptions, values: Any, node: int, game: Game) -> tuple[float, ...]:
    """A value of `node` for each player."""
    if techniques.shares > 1:
        return tuple(float(value) for value in values[techniques.shares * node : techniques.shares * (node + 1)])
    value = float(values[node])
    return (value, 0.0 - value)[: game.players]


def _bounds(game: Game, techniques: MCTSOptions, tree: Tree, node: int) -> tuple[Bounds, ...]:
    """The proved bounds of `node` for each player."""
    if not techniques.solver:
        return (UNBOUNDED,) * game.players
    low, high = _all_values(techniques, tree.low, node, game), _all_values(techniques, tree.high, node, game)
    pairs = zip(low, high, strict=True)
    return tuple((min(pair), max(pair)) for pair in pairs)


def _children(tree: Tree) -> range:
    """The nodes of the root's actions."""
    first = int(tree.first_child[ROOT])
    return range(first, first + int(tree.num_children[ROOT]) if first else 0)


def _line(game: Game, techniques: MCTSOptions, tree: Tree, node: int, state: Any) -> tuple[int, ...]:
    """The best line that begins with the action to `node` in `state`: by visits, except where values are proved.

    It ends at a chance node.
    """
    line = [int(tree.action[node])]
    by_state = techniques.solver or techniques.chance  # else visits suffice, and the rules take longer
    while (first := int(tree.first_child[node])) and len(line) <= MAX_LINE:
        if by_state:
            state = game.result(state, line[-1])
        mover = int(game.to_move(state)) if by_state else 0
        if mover == CHANCE:
            break
        merits = _merits(techniques, tree, first, int(tree.num_children[node]), mover)
        most = max(merits)
        if most <= 0:
            break
        node = first + merits.index(most)
        line.append(int(tree.action[node]))
    return tuple(line)


def _merits(techniques: MCTSOptions, tree: Tree, first: int, number: int, mover: int) -> list[int]:
    """A rating of these children for `mover`: visits; far more if proved best, below 0 if proved worse."""
    visits: list[int] = tree.visits[first : first + number].tolist()
    if not techniques.solver:
        return visits
    shares, share = techniques.shares, mover if techniques.shares > 1 else 0
    places = slice(shares * first + share, shares * (first + number), shares)
    low, high = tree.low[places].tolist(), tree.high[places].tolist()
    if shares == 1 and mover == 1:
        low, high = [-bound for bound in high], [-bound for bound in low]
    least, greatest = max(low), max(high)
    for child in range(number):
        if high[child] < least:
            visits[child] -= SURE
        elif low[child] == high[child] == greatest:
            visits[child] += SURE
    return visits
