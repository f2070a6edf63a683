"""An equilibrium of river poker, computed for all hands at once on the public betting tree.

Counterfactual regret minimisation (Zinkevich, Johanson, Bowling & Piccione 2007) walks the tree of what both players
see, with a vector at each node: a number for each hand that a player may hold (Johanson, Waugh, Bowling & Zinkevich
2011, *Accelerating Best Response Calculation in Large Extensive Games*). For player i, at a node,

    reach[h]  = weight of h · product of the probabilities with which its owner acted so on the way here
    value[h]  = sum over the other's hands g that share no card with h of  reach[g] · what i gets with h against g
    regret[a, h] += value[h] after a − value[h]                      where i is to act
    strategy[a, h] = regret[a, h]⁺ / sum over b of regret[b, h]⁺     next time (regret matching)

and the average of these strategies, weighted by own reach, comes to an equilibrium. The methods differ in what is
forgotten. After iteration t positive regrets are multiplied by t^α / (t^α + 1) and negative ones by t^β / (t^β + 1),
and the strategy of iteration t counts t^γ in the average (Brown & Sandholm 2019, *Solving Imperfect-Information Games
via Discounted Regret Minimization*); with β = −∞ it is CFR+ (Tammelin 2014), with none of it plain CFR.

At the end of the round hands are in the order of their strength, so one pass is enough: the reach of all weaker hands
is a running sum, and so is for each of the 52 cards the reach of weaker hands that hold it. What shares a card with h is
then the sum of its two cards, less the hand that holds both. That is O(n) for n hands, in place of O(n²).

Start at `RiverSolver`; `update` is the recursion.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.equilibrium.river_solution import Checkpoint, RiverSolution
from outplay.games.river_poker import RiverPoker, rest_of
from outplay.kernels import kernel
from outplay.poker.betting import NOBODY
from outplay.poker.cards import CARDS, HANDS

METHODS = {
    "cfr": (math.inf, math.inf, 0.0),
    "cfr+": (math.inf, -math.inf, 1.0),
    "linear": (1.0, 1.0, 1.0),
    "dcfr": (1.5, 0.0, 2.0),
}
"""α, β and γ of each method."""
TARGET = 0.001
"""A search without any limit stops at this exploitability, as a share of the pot."""
BRIEF = 0.05
"""Seconds that compiled code runs at most before Ctrl-C is looked for."""

Progress = Callable[[Checkpoint], None]


class Spot(NamedTuple):
    """The betting tree and both ranges, as the kernels read them. Row p of an array [2, n] is player p's.

    The hands of a player stand in the order of their strength, the weakest first.
    """

    player: NDArray[np.int64]
    """int64 [nodes], as `folded`, `first` and `child` in `Betting`."""
    folded: NDArray[np.int64]
    stake: NDArray[np.float64]
    """float64 [nodes]: where the round is over, the chips that one wins and the other loses."""
    first: NDArray[np.int64]
    child: NDArray[np.int64]
    size: NDArray[np.int64]
    """int64 [2]: how many hands each has; what stands behind them means nothing."""
    hand: NDArray[np.int64]
    """int64 [2, n]: their numbers."""
    cards: NDArray[np.int64]
    """int64 [2, n, 2]."""
    strength: NDArray[np.int64]
    """int64 [2, n]."""
    twin: NDArray[np.int64]
    """int64 [2, n]: where the same hand stands in the other's row; -1 if he cannot have it."""
    weight: NDArray[np.float64]
    """float64 [2, n]."""


class Tables(NamedTuple):
    """What iterations change."""

    regret: NDArray[np.float64]
    """float64 [edges, n], for each hand of who acts there; so are `strategy`, the present one, and `average`, a sum."""
    strategy: NDArray[np.float64]
    average: NDArray[np.float64]
    reach: NDArray[np.float64]
    """float64 [2, depth, n]: of the hands of each player, after so many of his own actions on the way to a node."""
    value: NDArray[np.float64]
    """float64 [depth, n]: of each hand of the player whose values are computed, after so many actions in all."""
    done: NDArray[np.int64]
    """int64 [1]: iterations so far."""


def make_spot(game: RiverPoker) -> Spot:
    """The spot of a game."""
    betting = game.betting
    rows = [np.flatnonzero(weights) for weights in game.weights]
    rows = [row[np.argsort(game.strengths[row], kind="stable")] for row in rows]
    size = np.array([len(row) for row in rows])
    hand = np.zeros((2, size.max()), np.int64)
    twin = np.full((2, size.max()), -1)
    for player, row in enumerate(rows):
        hand[player, : len(row)] = row
        place = np.full(len(HANDS), -1)
        place[rows[1 - player]] = np.arange(size[1 - player])
        twin[player, : len(row)] = place[row]
    lost = np.where(betting.folded == 1, betting.paid[:, 1], betting.paid[:, 0])
    return Spot(
        player=betting.player, folded=betting.folded, stake=game.pot / 2 + lost, first=betting.first,
        child=betting.child, size=size, hand=hand, cards=HANDS[hand], strength=game.strengths[hand], twin=twin,
        weight=np.stack([game.weights[player][hand[player]] for player in (0, 1)]),
    )  # fmt: skip


def make_tables(spot: Spot, depth: int) -> Tables:
    """Tables before the first iteration: every action is equally likely."""
    edges, hands = len(spot.child), spot.weight.shape[1]
    reach = np.zeros((2, depth + 1, hands))
    reach[:, 0] = spot.weight
    strategy = np.repeat(1 / np.maximum(np.diff(spot.first), 1), np.diff(spot.first))
    return Tables(
        regret=np.zeros((edges, hands)),
        strategy=np.repeat(strategy[:, None], hands, axis=1),
        average=np.zeros((edges, hands)),
        reach=reach,
        value=np.zeros((depth + 1, hands)),
        done=np.zeros(1, np.int64),
    )


def spread(spot: Spot, strategies: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64 [edges, 1326], by the numbers of hands, of float64 [edges, n], by their places in a `Spot`."""
    found = np.full((len(strategies), len(HANDS)), np.nan)
    for edges, hands, size in _parts(spot):
        found[np.ix_(edges, hands)] = strategies[edges, :size]
    return found


def gathered(spot: Spot, strategies: NDArray[np.float64]) -> NDArray[np.float64]:
    """The inverse of `spread`."""
    found = np.zeros((len(strategies), spot.weight.shape[1]))
    for edges, hands, size in _parts(spot):
        found[edges, :size] = strategies[np.ix_(edges, hands)]
    return found


def _parts(spot: Spot) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], int]]:
    """Of each player: the edges that are his, his hands and how many they are."""
    mover = np.repeat(spot.player, np.diff(spot.first))
    for player in (0, 1):
        size = int(spot.size[player])
        yield np.flatnonzero(mover == player), spot.hand[player, :size], size


@dataclass
class RiverSolver:
    """Computes an equilibrium of a `RiverPoker`. A second `solve` goes on where the first one stopped.

    Args:
        game: the spot.
        method: "dcfr" (discounted CFR), "cfr+", "linear" or "cfr".

    Raises `ValueError` for a method that there is not, or another game.

    >>> solver = RiverSolver(RiverPoker("2c2d2h2s7c", pot=100, stack=100, bets=(1,), most_raises=1,
    ...                                 ranges=("AKs, 65s", "QJs")))
    >>> solution = solver.solve(iterations=300)
    >>> solution.iterations, round(solution.strategy("all-in")["QdJd"]["call"], 2)
    (300, 0.5)
    """

    game: RiverPoker
    _: KW_ONLY
    method: str = "dcfr"

    def __post_init__(self) -> None:
        if not isinstance(self.game, RiverPoker):
            raise ValueError(f"RiverSolver({self.game!r}): it solves RiverPoker games alone")
        if self.method not in METHODS:
            raise ValueError(f"RiverSolver(method={self.method!r}): one of {', '.join(map(repr, METHODS))}")
        depth = max(len(self.game.line(node).split(",")) for node in range(len(self.game.betting.player)))
        self.spot = make_spot(self.game)
        self.tables = make_tables(self.spot, depth)

    @property
    def iterations(self) -> int:
        """How many there were so far."""
        return int(self.tables.done[0])

    def solve(
        self,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        exploitability: float | None = None,
        progress: Progress | None = None,
    ) -> RiverSolution:
        """Iterate until the first limit is met; without one, to an exploitability of 0.1% of the pot.

        Args:
            iterations: how many more.
            seconds: how long. Time to compile is not counted.
            exploitability: to stop at, as a share of the pot. It is computed ever more seldom, each time when there are
                a tenth more iterations than the last time.
            progress: called each time with iterations, seconds and exploitability.

        Ctrl-C stops it and keeps what was found. Raises `ValueError` for a limit that makes no sense.
        """
        _check("iterations", iterations, 1, whole=True)
        _check("seconds", seconds, 0)
        _check("exploitability", exploitability, 0)
        if iterations is None and seconds is None and exploitability is None:
            exploitability = TARGET
        settings = np.array(METHODS[self.method])
        iterate(self.spot, self.tables, settings, 0)  # compiles, as the next line does
        self._checkpoint(0.0)
        last = math.inf if iterations is None else self.iterations + iterations
        started, stopped = time.perf_counter(), "iterations"
        curve = [self._checkpoint(started)]
        step, check = 1, self._next_check(last)
        try:
            while self.iterations < last:
                begun = time.perf_counter()
                number = min(step, check - self.iterations)
                iterate(self.spot, self.tables, settings, number)
                now = time.perf_counter()
                step = max(1, min(2 * number, int(BRIEF * number / max(now - begun, 1e-9))))
                is_late = seconds is not None and now - started >= seconds
                if self.iterations == check or is_late:
                    curve.append(self._checkpoint(started))
                    check = self._next_check(last)
                    if progress is not None:
                        progress(curve[-1])
                    if exploitability is not None and curve[-1].exploitability <= exploitability * self.game.pot:
                        stopped = "exploitability"
                        break
                if is_late:
                    stopped = "seconds"
                    break
        except KeyboardInterrupt:
            stopped = "interrupted"
            curve.append(self._checkpoint(started))
        strategies = average_strategy(self.spot, self.tables.average)
        values = np.stack([self._hand_values(strategies, player, best=False) for player in (0, 1)])
        return RiverSolution(
            game=self.game,
            strategies=spread(self.spot, strategies),
            values=values,
            method=self.method,
            iterations=self.iterations,
            exploitability=curve[-1].exploitability,
            value=float(self.game.shares @ np.nan_to_num(values[0])),
            stopped=stopped,
            seconds=time.perf_counter() - started,
            curve=tuple(curve),
        )

    def _next_check(self, last: float) -> int:
        return int(min(self.iterations + max(1, self.iterations // 10), last))

    def exploitability(self, strategies: NDArray[np.float64]) -> float:
        """In chips: what best responses win against these strategies, the mean of the two. 0 in an equilibrium.

        `strategies` are float64 [edges, 1326], as in a `RiverSolution`.
        """
        return self._exploitability(gathered(self.spot, strategies))

    def best_response(self, strategies: NDArray[np.float64], player: int) -> NDArray[np.float64]:
        """float64 [1326]: what each hand of `player` wins, in chips, by a best response to the other's `strategies`."""
        return self._hand_values(gathered(self.spot, strategies), player, best=True)

    def _exploitability(self, strategies: NDArray[np.float64]) -> float:
        gains = 0.0
        for player in (0, 1):
            size = self.spot.size[player]
            values = hand_values(self.spot, self.tables, strategies, player, best=True)
            gains += float(self.spot.weight[player, :size] @ values)
        return gains / 2 / self.game.total

    def _hand_values(self, strategies: NDArray[np.float64], player: int, *, best: bool) -> NDArray[np.float64]:
        hands = self.spot.hand[player, : self.spot.size[player]]
        values = np.full(len(HANDS), np.nan)
        values[hands] = hand_values(self.spot, self.tables, strategies, player, best=best)
        values[hands] /= rest_of(self.game.weights[1 - player])[hands]
        return values

    def _checkpoint(self, started: float) -> Checkpoint:
        found = self._exploitability(average_strategy(self.spot, self.tables.average))
        return Checkpoint(self.iterations, time.perf_counter() - started, found)


def average_strategy(spot: Spot, sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64 [edges, n]: `sums` of the same shape as probabilities; where a hand never came, all actions alike."""
    counts = np.diff(spot.first)
    starts = spot.first[:-1][counts > 0]
    totals = np.repeat(np.add.reduceat(sums, starts, axis=0), counts[counts > 0], axis=0)
    alike = np.repeat(1 / counts[counts > 0], counts[counts > 0])[:, None]
    return np.where(totals > 0, sums / np.where(totals > 0, totals, 1), alike)


def hand_values(
    spot: Spot, tables: Tables, strategies: NDArray[np.float64], player: int, *, best: bool
) -> NDArray[np.float64]:
    """float64 [n]: what each hand of `player` gets against these strategies, by a best response or by the same.

    In chips, times the weight of the other's hands that it can meet.
    """
    start = 0
    evaluate(spot, tables, strategies, player, best, start, start, start)
    return tables.value[0, : spot.size[player]].copy()


def _check(name: str, value: Any, least: float, *, whole: bool = False) -> None:
    kinds = int if whole else (int, float)
    if value is not None and (isinstance(value, bool) or not isinstance(value, kinds) or not least <= value < math.inf):
        what = "a whole number" if whole else "a number"
        raise ValueError(f"RiverSolver.solve({name}={value!r}): {what} from {least} on, or None")


@kernel
def iterate(spot: Any, tables: Any, settings: Any, number: int) -> None:
    """So many iterations, in each first player 0 and then player 1. `settings` are α, β and γ."""
    root, start = 0, 0
    for _ in range(number):
        tables.done[0] += 1
        t = float(tables.done[0])
        positive, negative, weight = discount(t, settings[0]), discount(t, settings[1]), t ** settings[2]
        for player in range(2):
            update(spot, tables, positive, negative, weight, player, root, start, start)


@kernel
def discount(t: float, exponent: float) -> float:
    """t^exponent / (t^exponent + 1); 1 or 0 where the exponent is infinite."""
    if math.isinf(exponent):
        return 1.0 if exponent > 0 else 0.0
    return float(1 / (1 + t**-exponent))


@kernel
def update(
    spot: Any,
    tables: Any,
    positive: float,
    negative: float,
    weight: float,
    player: int,
    node: int,
    own: int,
    other: int,
) -> None:
    """Put the values of the hands of `player` at `node` into value[own + other], and learn from them below.

    `own` and `other` count the actions of `player` and of the other one so far: the rows of their reach.
    """
    size, begin, end = spot.size[player], spot.first[node], spot.first[node + 1]
    values = tables.value[own + other, :size]
    if begin == end:
        leaf_values(spot, player, node, tables.reach[1 - player, other], values)
        return
    values[:] = 0.0
    if spot.player[node] != player:
        for edge in range(begin, end):
            scale(tables.reach[1 - player, other], tables.strategy[edge], tables.reach[1 - player, other + 1])
            update(spot, tables, positive, negative, weight, player, spot.child[edge], own, other + 1)
            values += tables.value[own + other + 1, :size]
        return
    # 1. The values after each action, kept with the regrets.
    reach = tables.reach[player, own, :size]
    for edge in range(begin, end):
        strategy, regret = tables.strategy[edge, :size], tables.regret[edge, :size]
        scale(tables.reach[player, own], tables.strategy[edge], tables.reach[player, own + 1])
        update(spot, tables, positive, negative, weight, player, spot.child[edge], own + 1, other)
        after = tables.value[own + other + 1, :size]
        for i in range(size):
            values[i] += strategy[i] * after[i]
            regret[i] += after[i]
    # 2. Regrets, and the average.
    sums = tables.value[own + other + 1, :size]
    sums[:] = 0.0
    for edge in range(begin, end):
        strategy, regret, average = (
            tables.strategy[edge, :size],
            tables.regret[edge, :size],
            tables.average[edge, :size],
        )
        for i in range(size):
            average[i] += weight * reach[i] * strategy[i]
            had = regret[i] - values[i]
            had *= positive if had > 0.0 else negative
            regret[i] = had
            sums[i] += had if had > 0.0 else 0.0
    # 3. Regret matching.
    alike = 1.0 / (end - begin)
    for edge in range(begin, end):
        strategy, regret = tables.strategy[edge, :size], tables.regret[edge, :size]
        for i in range(size):
            had = regret[i] if regret[i] > 0.0 else 0.0
            strategy[i] = had / sums[i] if sums[i] > 0.0 else alike


@kernel
def evaluate(spot: Any, tables: Any, strategies: Any, player: int, best: bool, node: int, own: int, other: int) -> None:
    """Put the values of the hands of `player` at `node` into value[own + other], against `strategies`.

    He plays a best response to them, or, not `best`, the same strategies.
    """
    size, begin, end = spot.size[player], spot.first[node], spot.first[node + 1]
    values = tables.value[own + other, :size]
    if begin == end:
        leaf_values(spot, player, node, tables.reach[1 - player, other], values)
        return
    is_own = spot.player[node] == player
    values[:] = -np.inf if is_own and best else 0.0
    for edge in range(begin, end):
        if is_own:
            evaluate(spot, tables, strategies, player, best, spot.child[edge], own + 1, other)
        else:
            scale(tables.reach[1 - player, other], strategies[edge], tables.reach[1 - player, other + 1])
            evaluate(spot, tables, strategies, player, best, spot.child[edge], own, other + 1)
        after = tables.value[own + other + 1, :size]
        if not is_own:
            values += after
        elif best:
            np.maximum(values, after, values)
        else:
            values += strategies[edge, :size] * after


@kernel
def scale(reach: Any, strategy: Any, after: Any) -> None:
    """After = reach · strategy, hand by hand."""
    for i in range(len(after)):
        after[i] = reach[i] * strategy[i]


@kernel
def leaf_values(spot: Any, player: int, node: int, reach: Any, values: Any) -> None:
    """Put into `values` what each hand of `player` gets at the end of the round; `reach` is of the other's hands."""
    stake = spot.stake[node]
    if spot.folded[node] == NOBODY:
        showdown_values(spot, player, reach, stake, values)
    else:
        fold_values(spot, player, reach, -stake if spot.folded[node] == player else stake, values)


@kernel
def fold_values(spot: Any, player: int, reach: Any, stake: float, values: Any) -> None:
    """values[h] = stake · reach of all the other's hands that share no card with h, in O(n)."""
    cards, twin, theirs = spot.cards[player], spot.twin[player], spot.cards[1 - player]
    of_card, total = np.zeros(CARDS), 0.0
    for j in range(spot.size[1 - player]):
        total += reach[j]
        of_card[theirs[j, 0]] += reach[j]
        of_card[theirs[j, 1]] += reach[j]
    for i in range(spot.size[player]):
        shared = of_card[cards[i, 0]] + of_card[cards[i, 1]]
        same = reach[twin[i]] if twin[i] >= 0 else 0.0
        values[i] = stake * (total - shared + same)


@kernel
def showdown_values(spot: Any, player: int, reach: Any, stake: float, values: Any) -> None:
    """values[h] = stake · (reach of the weaker hands − reach of the stronger ones) that share no card with h, in O(n).

    A running sum counts each of the other's hands −1 at first, 0 when it is as strong as h, and 1 when it is weaker; so
    do the sums of the hands with each card. The hand that is h itself counts 0 in all of them.
    """
    cards, theirs = spot.cards[player], spot.cards[1 - player]
    strength, their_strength = spot.strength[player], spot.strength[1 - player]
    size, their_size = spot.size[player], spot.size[1 - player]
    of_card, total = np.zeros(CARDS), 0.0
    for j in range(their_size):
        total -= reach[j]
        of_card[theirs[j, 0]] -= reach[j]
        of_card[theirs[j, 1]] -= reach[j]
    reached, passed = 0, 0  # so many hands count 0 or 1, and so many of them 1
    for i in range(size):
        while reached < their_size and their_strength[reached] <= strength[i]:
            total += reach[reached]
            of_card[theirs[reached, 0]] += reach[reached]
            of_card[theirs[reached, 1]] += reach[reached]
            reached += 1
        while passed < reached and their_strength[passed] < strength[i]:
            total += reach[passed]
            of_card[theirs[passed, 0]] += reach[passed]
            of_card[theirs[passed, 1]] += reach[passed]
            passed += 1
        values[i] = stake * (total - of_card[cards[i, 0]] - of_card[cards[i, 1]])
