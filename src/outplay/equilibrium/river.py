"""An equilibrium of river poker, computed for all hands at once on the public betting tree.

Counterfactual regret minimization (Zinkevich, Johanson, Bowling & Piccione 2007) traverses the tree of what both
players see, with a vector at each node: one number for each hand that a player may hold (Johanson, Waugh, Bowling &
Zinkevich 2011, *Accelerating Best Response Calculation in Large Extensive Games*). For player i, at a node,

    reach[h]  = weight of h · product of the probabilities of its owner's actions on the way here
    value[h]  = sum over the other player's hands g that share no card with h of  reach[g] · utility of i, h against g
    regret[a, h] += value[h] after a − value[h]                      where i is to act
    strategy[a, h] = regret[a, h]⁺ / sum over b of regret[b, h]⁺     next time (regret matching)

and the average of these strategies, weighted by own reach, converges to an equilibrium. The variants differ in how
they discount. After iteration t positive regrets are multiplied by t^α / (t^α + 1) and negative ones by
t^β / (t^β + 1), and the strategy of iteration t has weight t^γ in the average (Brown & Sandholm 2019, *Solving
Imperfect-Information Games via Discounted Regret Minimization*); β = −∞ gives CFR+ (Tammelin 2014), and no discounts
plain CFR.

Start at `RiverSolver`; `update` is the recursion. The values at the end of the round are in `river_spot.py`.
"""

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from os import PathLike
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pointer
from outplay.compile.records import Record
from outplay.engine.trace import Trace
from outplay.equilibrium.cfr import MAX_GAMMA, MIN_EXPONENT, check_exponents
from outplay.equilibrium.cfr import VARIANTS as CFR_VARIANTS
from outplay.equilibrium.river_spot import Spot, gathered, leaf_values, make_spot, spread
from outplay.equilibrium.river_strategy import RiverStrategy
from outplay.equilibrium.solver import EquilibriumSolver, Point, Solution
from outplay.equilibrium.strategy import check_player
from outplay.games.river_poker import RiverPoker, rest_of
from outplay.poker.cards import HANDS, hand_name
from outplay.rules.arguments import Progress
from outplay.rules.errors import StrategyError
from outplay.rules.options import check_options, number, word

VARIANTS = ("discounted", "linear", "cfr+", "cfr")


class Tables(NamedTuple):
    """What iterations update."""

    regret: Any  # float64 [edges, n]: for each hand of the player who acts there
    strategy: Any  # float64 [edges, n]: the present strategy, or the one to be evaluated
    average: Any  # float64 [edges, n]: the weighted sum of strategies
    reach: Any  # float64 [2, depth, n]: the reach of each player's hands, after that many of the player's own actions
    value: Any  # float64 [depth, n]: the value of each hand of one player, after that many actions in all


class Exponents(NamedTuple):
    """The exponents of the discounts; infinite ones do not discount, or forget everything."""

    alpha: float
    beta: float
    gamma: float


class Weights(NamedTuple):
    """How an iteration counts: what it multiplies regrets by, and its weight in the average."""

    positive: float
    negative: float
    average: float


@dataclass(frozen=True, kw_only=True, eq=False)
class RiverSolution(Solution):
    """The result of a `RiverSolver`; see `Solution`. Values and exploitability are in chips.

    Attributes:
        strategy: a `RiverStrategy`.
        worth: float64 [2, 1326]: the average winnings with each hand; nan for hands that are not in the range.
    """

    strategy: Any
    worth: NDArray[np.float64] = field(repr=False)

    @property
    def share(self) -> float:
        """The exploitability as a fraction of the pot."""
        return self.exploitability / float(self.strategy.game.pot)

    def hand_values(self, player: int) -> dict[str, float]:
        """Return the average winnings of `player` with each hand, in chips, by the name of the hand."""
        check_player(self.strategy.game, player)
        hands = np.flatnonzero(self.strategy.game.weights[player]).tolist()
        return {hand_name(hand): float(self.worth[player, hand]) for hand in hands}

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; the strategy is left to `RiverStrategy.save`."""
        content = {name: value for name, value in super().as_dict().items() if name != "worth"}
        return {**content, "share": self.share, "worth": [self.hand_values(player) for player in (0, 1)]}

    def __str__(self) -> str:
        return f"{super().__str__()}\nexploitability {100 * self.share:.3g}% of the pot"


@dataclass(eq=False, repr=False)
class RiverSolver(EquilibriumSolver):
    """A solver for `RiverPoker`. A second `solve` continues where the first one stopped.

    Args:
        game: the spot.
        variant: "discounted", "linear", "cfr+" or "cfr".
        alpha, beta, gamma: the exponents of the discounts; None means those of the variant.

    Raises `ValueError` for an invalid option or another game.

    >>> game = RiverPoker("2c2d2h2s7c", bets=(1,), most_raises=1, ranges=("AKs, 65s", "QJs"))
    >>> solution = RiverSolver(game).solve(exploitability=0.01)
    >>> round(solution.strategy.at("all-in")["QdJd"]["call"], 2), round(solution.values[0], 1)
    (0.5, 25.0)
    """

    game: RiverPoker
    _: KW_ONLY
    variant: str = word("discounted", tuple(VARIANTS))
    alpha: float | None = number(None, least=MIN_EXPONENT)
    beta: float | None = number(None, least=MIN_EXPONENT)
    gamma: float | None = number(None, least=MIN_EXPONENT, most=MAX_GAMMA)
    options: ClassVar[tuple[str, ...]] = ("variant", "alpha", "beta", "gamma")

    def __post_init__(self) -> None:
        if not isinstance(self.game, RiverPoker):
            raise ValueError(f"RiverSolver({self.game!r}): it solves only RiverPoker; use CFR for other games")
        check_options(self)
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
        progress: Progress[Point] | None = None,
        save_to: str | PathLike[str] | None = None,
        trace: Trace | None = None,
    ) -> RiverSolution:
        """Like `EquilibriumSolver.solve`, with `exploitability` in chips. The time to compile does not count."""
        solution = super().solve(
            iterations=iterations,
            seconds=seconds,
            exploitability=exploitability,
            progress=progress,
            save_to=save_to,
            trace=trace,
        )
        strategy: Any = solution.strategy
        worths = np.stack([self._hand_values(strategy.behaviour, player, best=False) for player in (0, 1)])
        return RiverSolution(**vars(solution), worth=worths)

    def exploitability(self, strategy: RiverStrategy) -> float:
        """Return what best responses win against a strategy of this game, in chips, averaged over the two players."""
        return self._gap(gathered(self.spot, self._behaviour_of(strategy)))

    def best_response(self, strategy: RiverStrategy, player: int) -> NDArray[np.float64]:
        """Return what each hand of `player` gets by a best response to the other player, in chips: float64 [1326]."""
        check_player(self.game, player)
        return self._hand_values(self._behaviour_of(strategy), player, best=True)

    # -- for `EquilibriumSolver` ---------------------------------------------------------------------------------------

    def _start(self) -> dict[str, NDArray[Any]]:
        actions = np.diff(self.spot.first)
        hands = self.spot.weight.shape[1]
        alike = np.repeat(1 / np.maximum(actions, 1), actions)
        zeros = np.zeros((len(self.spot.child), hands))
        return {"regret": zeros, "strategy": np.repeat(alike[:, None], hands, axis=1), "average": zeros.copy()}

    def _work(self, counters: Record, until: int) -> Callable[[], Any]:
        usual = CFR_VARIANTS[self.variant]
        alpha, beta = (math.inf if usual[0] is None else usual[0]), (math.inf if usual[1] is None else usual[1])
        if self.variant == "cfr+":
            beta = -math.inf
        exponents = Exponents(
            float(alpha if self.alpha is None else self.alpha),
            float(beta if self.beta is None else self.beta),
            float(usual[2] if self.gamma is None else self.gamma),
        )
        args = self.spot, self._tables(), exponents, counters, until
        run = iterate.prepare(*args)
        return lambda: run(*args)

    def _strategy(self) -> Any:
        return RiverStrategy(self.game, spread(self.spot, self._average()))

    def _measure(self) -> tuple[tuple[float, ...], float]:
        average = self._average()
        value = self._expected_value(average, 0, best=False)
        return (value, 0.0 - value), self._gap(average)

    # -- parts --------------------------------------------------------------------------------------------------------

    def _behaviour_of(self, strategy: RiverStrategy) -> NDArray[np.float64]:
        if strategy.game != self.game:
            raise StrategyError(f"the strategy is for {strategy.game!r}, not for {self.game!r}")
        return strategy.behaviour

    def _gap(self, behaviour: NDArray[np.float64]) -> float:
        """Return the exploitability of a behaviour, float64 [edges, n]."""
        return sum(self._expected_value(behaviour, player, best=True) for player in (0, 1)) / 2

    def _expected_value(self, behaviour: NDArray[np.float64], player: int, *, best: bool) -> float:
        """Return what `player` gets on average, by a best response or by `behaviour` itself."""
        values = hand_values(self.spot, self._tables(), behaviour, player, best=best)
        return float(self.spot.weight[player, : len(values)] @ values) / self.game.total

    def _tables(self) -> Tables:
        depth, hands = self._depth + 1, self.spot.weight.shape[1]
        reach = np.zeros((2, depth, hands))
        reach[:, 0] = self.spot.weight
        return Tables(**self.arrays, reach=reach, value=np.zeros((depth, hands)))

    def _average(self) -> NDArray[np.float64]:
        """Return the average strategy so far, float64 [edges, n]; hands that never got there act uniformly."""
        sums, actions = self.arrays["average"], np.diff(self.spot.first)
        actions = actions[actions > 0]
        totals = np.repeat(np.add.reduceat(sums, np.cumsum(actions) - actions, axis=0), actions, axis=0)
        alike = np.repeat(1 / actions, actions)[:, None]
        return np.where(totals > 0, sums / np.where(totals > 0, totals, 1), alike)

    def _hand_values(self, behaviour: NDArray[np.float64], player: int, *, best: bool) -> NDArray[np.float64]:
        """Return what each hand of `player` gets, by a best response or by `behaviour` itself: float64 [1326]."""
        hands = self.spot.hand[player, : self.spot.size[player]]
        values = hand_values(self.spot, self._tables(), gathered(self.spot, behaviour), player, best=best)
        of_hands = np.full(len(HANDS), np.nan)
        of_hands[hands] = values / rest_of(self.game.weights[1 - player])[hands]
        return of_hands


def deepest(parent: NDArray[np.int64]) -> int:
    """Return the maximum number of actions to a node; parents come before their children."""
    depth = np.zeros(len(parent), np.int64)
    for node in range(1, len(parent)):
        depth[node] = depth[parent[node]] + 1
    return int(depth.max())


def hand_values(
    spot: Spot, tables: Tables, strategies: NDArray[np.float64], player: int, *, best: bool
) -> NDArray[np.float64]:
    """Return what each hand of `player` gets against these strategies, by a best response or by the same strategies.

    The result, float64 [n], is in chips, times the weight of the hands of the other player that it can meet.
    """
    start = 0
    evaluate(spot, tables._replace(strategy=strategies), player, best, start, start, start)
    of_player: NDArray[np.float64] = tables.value[0, : spot.size[player]].copy()
    return of_player


@kernel
def iterate(spot: Any, tables: Any, exponents: Any, counters: Any, until: int) -> None:
    """Run iterations until number `until` is done, or until stopped; in each, first player 0 learns, then player 1."""
    start, counters = 0, pointer(counters)
    while counters.iteration < until and counters.stop == 0:
        t = float(counters.iteration + 1)
        weights = Weights(discount(t, exponents.alpha), discount(t, exponents.beta), t**exponents.gamma)
        for player in range(2):
            update(spot, tables, weights, player, start, start, start)
        counters.iteration += 1


@kernel
def discount(t: float, exponent: float) -> float:
    """Return t^exponent / (t^exponent + 1); 1 or 0 if the exponent is infinite."""
    if math.isinf(exponent):
        return 1.0 if exponent > 0 else 0.0
    return float(1 / (1 + t**-exponent))


@kernel
def update(spot: Any, tables: Any, weights: Any, player: int, node: int, own: int, other: int) -> None:
    """Write the values of the hands of `player` at `node` into value[own + other], and learn from them below.

    `own` and `other` count the actions of `player` and of the other player so far: the rows of their reach.
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
            update(spot, tables, weights, player, spot.child[edge], own, other + 1)
            after = tables.value[own + other + 1, :size]
            for i in range(size):
                values[i] += after[i]
        return
    # 1. The values after each action, added to the regrets.
    reach = tables.reach[player, own, :size]
    for edge in range(begin, end):
        strategy, regret = tables.strategy[edge, :size], tables.regret[edge, :size]
        scale(tables.reach[player, own], tables.strategy[edge], tables.reach[player, own + 1])
        update(spot, tables, weights, player, spot.child[edge], own + 1, other)
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
            average[i] += weights.average * reach[i] * strategy[i]
            had = regret[i] - values[i]
            had *= weights.positive if had > 0.0 else weights.negative
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
def evaluate(spot: Any, tables: Any, player: int, best: bool, node: int, own: int, other: int) -> None:
    """Write the values of the hands of `player` at `node` into value[own + other], against `tables.strategy`.

    The player plays a best response if `best`, else the same strategy.
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
            evaluate(spot, tables, player, best, spot.child[edge], own + 1, other)
        else:
            scale(tables.reach[1 - player, other], tables.strategy[edge], tables.reach[1 - player, other + 1])
            evaluate(spot, tables, player, best, spot.child[edge], own, other + 1)
        after, strategy = tables.value[own + other + 1, :size], tables.strategy[edge, :size]
        for i in range(size):
            if is_own and best:
                values[i] = max(values[i], after[i])
            else:
                values[i] += strategy[i] * after[i] if is_own else after[i]


@kernel
def scale(reach: Any, strategy: Any, after: Any) -> None:
    """Set after = reach · strategy, hand by hand."""
    for i in range(len(after)):
        after[i] = reach[i] * strategy[i]
