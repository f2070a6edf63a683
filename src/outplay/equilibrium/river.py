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

At the end of the round hands are in the order of their strength, so one pass is enough: a running sum holds the reach
of all weaker hands less that of all stronger ones, and 52 others the same of the hands with each card. What h gets is
the first, less those of its two cards. That is O(n) for n hands, in place of O(n²).

Start at `RiverSolver`; `update` is the recursion.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, field
from os import PathLike
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel
from outplay.equilibrium.cfr import VARIANTS as OF_CFR
from outplay.equilibrium.cfr import check_exponents
from outplay.equilibrium.river_strategy import RiverStrategy
from outplay.equilibrium.solver import ITERATION, STOP, Progress, Solution, Solver
from outplay.equilibrium.strategy import check_player
from outplay.games.river_poker import RiverPoker, rest_of
from outplay.poker.betting import NOBODY
from outplay.poker.cards import CARDS, HANDS, hand_name
from outplay.rules.errors import StrategyError

VARIANTS = ("discounted", "linear", "cfr+", "cfr")


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


@dataclass(frozen=True, kw_only=True, eq=False)
class RiverSolution(Solution):
    """What a `RiverSolver` has found; see `Solution`. Values and exploitability are in chips.

    Attributes:
        strategy: a `RiverStrategy`.
        worth: float64 [2, 1326]: what each hand gets its player on average; nan where it is not in the range.
    """

    strategy: Any
    worth: NDArray[np.float64] = field(repr=False)

    @property
    def share(self) -> float:
        """The exploitability as a share of the pot."""
        return self.exploitability / float(self.strategy.game.pot)

    def hand_values(self, player: int) -> dict[str, float]:
        """What each hand of `player` gets him on average, in chips, by its name."""
        check_player(self.strategy.game, player)
        hands = np.flatnonzero(self.strategy.game.weights[player]).tolist()
        return {hand_name(hand): float(self.worth[player, hand]) for hand in hands}

    def as_dict(self) -> dict[str, Any]:
        """What was found as plain values, for JSON; without the strategy, which `RiverStrategy.save` writes."""
        found = {name: value for name, value in super().as_dict().items() if name != "worth"}
        return {**found, "share": self.share, "worth": [self.hand_values(player) for player in (0, 1)]}

    def __str__(self) -> str:
        return f"{super().__str__()}\nexploitability {100 * self.share:.3g}% of the pot"


@dataclass(eq=False, repr=False)
class RiverSolver(Solver):
    """Computes an equilibrium of a `RiverPoker`. A second `solve` goes on where the first one stopped.

    Args:
        game: the spot.
        variant: "discounted", "linear", "cfr+" or "cfr".
        alpha, beta, gamma: the exponents of the discounts; None: those of the variant.

    Raises `ValueError` for an option that there is not, or another game.

    >>> game = RiverPoker("2c2d2h2s7c", bets=(1,), most_raises=1, ranges=("AKs, 65s", "QJs"))
    >>> solution = RiverSolver(game).solve(exploitability=0.01)
    >>> round(solution.strategy.at("all-in")["QdJd"]["call"], 2), round(solution.values[0], 1)
    (0.5, 25.0)
    """

    game: RiverPoker
    _: KW_ONLY
    variant: str = "discounted"
    alpha: float | None = None
    beta: float | None = None
    gamma: float | None = None
    options: ClassVar[tuple[str, ...]] = ("variant", "alpha", "beta", "gamma")

    def __post_init__(self) -> None:
        if not isinstance(self.game, RiverPoker):
            raise ValueError(f"RiverSolver({self.game!r}): it solves RiverPoker alone; CFR solves other games")
        if self.variant not in VARIANTS:
            raise ValueError(f"RiverSolver(variant={self.variant!r}): one of {', '.join(map(repr, VARIANTS))}")
        check_exponents(self)
        self.spot = make_spot(self.game)
        self._depth = deepest(self.game.betting.parent)
        super().__post_init__()

    def solve(
        self,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        exploitability: float | None = None,
        progress: Progress | None = None,
        save_to: str | PathLike[str] | None = None,
    ) -> RiverSolution:
        """As `Solver.solve` does; the time to compile does not count. `exploitability` is in chips."""
        found = super().solve(
            iterations=iterations, seconds=seconds, exploitability=exploitability, progress=progress, save_to=save_to
        )
        strategy: Any = found.strategy
        worth = np.stack([self._hand_values(strategy.behaviour, player, best=False) for player in (0, 1)])
        return RiverSolution(**vars(found), worth=worth)

    def exploitability(self, strategy: RiverStrategy) -> float:
        """In chips: what best responses win against a strategy of this game, the mean of the two players."""
        return self._gap(gathered(self.spot, self._behaviour_of(strategy)))

    def best_response(self, strategy: RiverStrategy, player: int) -> NDArray[np.float64]:
        """float64 [1326]: what each hand of `player` gets, in chips, by a best response to what the other one plays."""
        check_player(self.game, player)
        return self._hand_values(self._behaviour_of(strategy), player, best=True)

    # -- what a solver is ---------------------------------------------------------------------------------------------

    def _start(self) -> dict[str, NDArray[Any]]:
        actions = np.diff(self.spot.first)
        hands = self.spot.weight.shape[1]
        alike = np.repeat(1 / np.maximum(actions, 1), actions)
        zeros = np.zeros((len(self.spot.child), hands))
        return {"regret": zeros, "strategy": np.repeat(alike[:, None], hands, axis=1), "average": zeros.copy()}

    def _work(self, cells: NDArray[np.int64], until: int) -> Callable[[], Any]:
        usual = OF_CFR[self.variant]
        alpha, beta = (math.inf if usual[0] is None else usual[0]), (math.inf if usual[1] is None else usual[1])
        if self.variant == "cfr+":
            beta = -math.inf
        args = (
            self.spot, self._tables(),
            float(alpha if self.alpha is None else self.alpha), float(beta if self.beta is None else self.beta),
            float(usual[2] if self.gamma is None else self.gamma), cells, until,
        )  # fmt: skip
        run = iterate.prepare(*args)
        return lambda: run(*args)

    def _strategy(self) -> Any:
        return RiverStrategy(self.game, spread(self.spot, self._average()))

    def _measure(self) -> tuple[tuple[float, ...], float]:
        average = self._average()
        value = self._mean(average, 0, best=False)
        return (value, 0.0 - value), self._gap(average)

    # -- parts --------------------------------------------------------------------------------------------------------

    def _behaviour_of(self, strategy: RiverStrategy) -> NDArray[np.float64]:
        if strategy.game != self.game:
            raise StrategyError(f"a strategy of {strategy.game!r}, not of {self.game!r}")
        return strategy.behaviour

    def _gap(self, behaviour: NDArray[np.float64]) -> float:
        """The exploitability of what `behaviour` says, float64 [edges, n]."""
        return sum(self._mean(behaviour, player, best=True) for player in (0, 1)) / 2

    def _mean(self, behaviour: NDArray[np.float64], player: int, *, best: bool) -> float:
        """What `player` gets on average, by a best response or by what `behaviour` says."""
        values = hand_values(self.spot, self._tables(), behaviour, player, best=best)
        return float(self.spot.weight[player, : len(values)] @ values) / self.game.total

    def _tables(self) -> Tables:
        depth, hands = self._depth + 1, self.spot.weight.shape[1]
        reach = np.zeros((2, depth, hands))
        reach[:, 0] = self.spot.weight
        return Tables(**self.arrays, reach=reach, value=np.zeros((depth, hands)))

    def _average(self) -> NDArray[np.float64]:
        """float64 [edges, n]: the average of all strategies so far; where a hand never came, all actions alike."""
        sums, actions = self.arrays["average"], np.diff(self.spot.first)
        actions = actions[actions > 0]
        totals = np.repeat(np.add.reduceat(sums, np.cumsum(actions) - actions, axis=0), actions, axis=0)
        alike = np.repeat(1 / actions, actions)[:, None]
        return np.where(totals > 0, sums / np.where(totals > 0, totals, 1), alike)

    def _hand_values(self, behaviour: NDArray[np.float64], player: int, *, best: bool) -> NDArray[np.float64]:
        """float64 [1326]: what each hand of `player` gets, by a best response or by what `behaviour` says."""
        hands = self.spot.hand[player, : self.spot.size[player]]
        values = hand_values(self.spot, self._tables(), gathered(self.spot, behaviour), player, best=best)
        found = np.full(len(HANDS), np.nan)
        found[hands] = values / rest_of(self.game.weights[1 - player])[hands]
        return found


def deepest(parent: NDArray[np.int64]) -> int:
    """The most actions to any node; parents come before their children."""
    depth = np.zeros(len(parent), np.int64)
    for node in range(1, len(parent)):
        depth[node] = depth[parent[node]] + 1
    return int(depth.max())


def hand_values(
    spot: Spot, tables: Tables, strategies: NDArray[np.float64], player: int, *, best: bool
) -> NDArray[np.float64]:
    """float64 [n]: what each hand of `player` gets against these strategies, by a best response or by the same.

    In chips, times the weight of the other's hands that it can meet.
    """
    start = 0
    evaluate(spot, tables, strategies, player, best, start, start, start)
    return tables.value[0, : spot.size[player]].copy()


@kernel
def iterate(spot: Any, tables: Any, alpha: float, beta: float, gamma: float, cells: Any, until: int) -> None:
    """Iterations up to number `until`, or until STOP is set; in each learns first player 0 and then player 1."""
    start = 0
    while cells[ITERATION] < until and cells[STOP] == 0:
        t = float(cells[ITERATION] + 1)
        for player in range(2):
            update(spot, tables, discount(t, alpha), discount(t, beta), t**gamma, player, start, start, start)
        cells[ITERATION] += 1


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
            after = tables.value[own + other + 1, :size]
            for i in range(size):
                values[i] += after[i]
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
        after, strategy = tables.value[own + other + 1, :size], strategies[edge, :size]
        for i in range(size):
            if is_own and best:
                values[i] = max(values[i], after[i])
            else:
                values[i] += strategy[i] * after[i] if is_own else after[i]


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
