"""Counterfactual regret minimization: at each information set, increasingly do what would have been better so far.

    regret(I, a) += q(I, a) - Σ over b of  σ(I, b) · q(I, b)        after every iteration
    σ(I, a)       = max(regret(I, a), 0) / their sum over all actions; all equal if none is above 0

q(I, a) is the player's payoff from taking action a at I, weighted by the probability that chance and the others allow
play to reach I. The average of all plans played converges to a Nash equilibrium in two-player zero-sum games
(Zinkevich, Johanson, Bowling & Piccione 2007). The variants differ in how they discount and weight:

    cfr         as above, all iterations have the same weight
    cfr+        regrets never fall below 0; iteration t has weight t                              (Tammelin 2014)
    linear      iteration t has weight t, in regrets too                                   (Brown & Sandholm 2019)
    discounted  after iteration t regrets are multiplied by tᵅ/(tᵅ+1) above 0 and by tᵝ/(tᵝ+1) below; iteration t has
                weight tᵞ; α, β, γ = 1.5, 0, 2                                             (Brown & Sandholm 2019)
    predictive  cfr+ that predicts the last regrets to recur, γ = 2                    (Farina, Kroer & Sandholm 2021)

Iterations do not traverse histories: a strategy matters only through the plans of sequences (see `best_response.py`).
An iteration of one player is two sweeps over the player's information sets: from the last to the first for gradients
and regrets, and from the first to the last for the new plan.

Start at `CFR`; `sweep_up` and `sweep_down` are the two sweeps.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pointer, pointers
from outplay.compile.records import Record
from outplay.engine.trace import Trace
from outplay.equilibrium.best_response import plan_of, with_ends
from outplay.equilibrium.recording import Iterations
from outplay.equilibrium.solver import TreeSolver
from outplay.equilibrium.tree import GameTree
from outplay.rules.errors import StrategyError
from outplay.rules.game import Game
from outplay.rules.options import check_options, number, word

MIN_EXPONENT, MAX_GAMMA = -100, 30
"""With a greater gamma the weights of late iterations overflow."""
VARIANTS = {
    "cfr": (None, None, 0.0),
    "cfr+": (None, None, 1.0),
    "linear": (1.0, 1.0, 1.0),
    "discounted": (1.5, 0.0, 2.0),
    "predictive": (None, None, 2.0),
}
"""α, β and γ of each variant."""


class Tables(NamedTuple):
    """What iterations update: float64 [sequences] each."""

    plan: Any  # the present plans
    behaviour: Any  # the present probability of each sequence's last action
    regret: Any
    total: Any  # the weighted sum of the plans so far
    worth: Any  # the worth of each sequence; zeros between sweeps


class Schedule(NamedTuple):
    """How a variant discounts regrets and weights iterations."""

    discounts: bool  # whether regrets are discounted
    alpha: float
    beta: float
    gamma: float
    floor: float  # the least regret
    hope: float  # 1: the last regrets are predicted to recur; else 0
    alternating: bool  # whether players learn in turn


class Discount(NamedTuple):
    """How one iteration updates regrets: they are multiplied by `above` or `below`, depending on their sign."""

    above: float
    below: float
    floor: float
    hope: float


@dataclass(eq=False, repr=False)
class CFR(TreeSolver):
    """Counterfactual regret minimization on the unrolled game.

    Args:
        game: the game, or its `GameTree`.
        variant: "cfr", "cfr+", "linear", "discounted" or "predictive".
        alpha, beta, gamma: the exponents of the discounts; None means those of the variant.
        alternating: whether the players learn in turn, each from what the previous one has just learned.

    Raises `ValueError` for an invalid option.

    >>> from outplay.games import KuhnPoker
    >>> solution = CFR(KuhnPoker(), variant="cfr+").solve(iterations=1000)
    >>> round(solution.values[0], 4), solution.exploitability < 1e-4
    (-0.0556, True)
    """

    game: Game | GameTree
    _: KW_ONLY
    variant: str = word("discounted", tuple(VARIANTS))
    alpha: float | None = number(None, least=MIN_EXPONENT)
    beta: float | None = number(None, least=MIN_EXPONENT)
    gamma: float | None = number(None, least=MIN_EXPONENT, most=MAX_GAMMA)
    alternating: bool = True
    options: ClassVar[tuple[str, ...]] = ("variant", "alpha", "beta", "gamma", "alternating")

    def __post_init__(self) -> None:
        check_options(self)
        check_exponents(self)
        super().__post_init__()

    def _start(self) -> dict[str, NDArray[Any]]:
        tree = self.tree
        behaviour = tree.uniform()
        arrays = {"plan": plan_of(tree, behaviour), "behaviour": behaviour}
        return arrays | {name: np.zeros(tree.sequences) for name in ("regret", "total")}

    def _work(self, counters: Record, until: int) -> Any:
        tree, arrays, usual = self.tree, self.arrays, VARIANTS[self.variant]
        alpha, beta, gamma = (
            other if own is None else own for own, other in zip((self.alpha, self.beta, self.gamma), usual, strict=True)
        )
        tables = Tables(
            arrays["plan"], arrays["behaviour"], arrays["regret"], arrays["total"], worth=np.zeros(tree.sequences)
        )
        schedule = Schedule(
            discounts=alpha is not None,
            alpha=float(alpha or 0),
            beta=float(beta or 0),
            gamma=float(gamma or 0),
            floor=0.0 if self.variant in {"cfr+", "predictive"} else -np.inf,
            hope=float(self.variant == "predictive"),
            alternating=self.alternating,
        )
        args = tree.sets, tree.view, tables, schedule, counters, until
        run = iterate.prepare(*args)
        return lambda: run(*args)

    def _average(self) -> NDArray[np.float64]:
        return self.arrays["total"]

    def _recording(self, trace: Trace | None) -> Any:
        if not isinstance(trace, Trace):
            return super()._recording(trace)
        trace.recording = Iterations(self.tree, repr(self), self.iterations, trace.limit)
        trace.recording.search = repr(self)
        return trace.recording

    def _recorded(self, content: dict[str, Any]) -> Iterations:
        """The recording in a file, with what its `numbers` has written."""
        if content["game"] != repr(self._game):
            raise StrategyError(f"the trace is one of {content['game']}, not of {self._game!r}")
        return Iterations.in_file(self.tree, content)


def check_exponents(solver: Any) -> None:
    """Raise `ValueError` for exponents that are invalid or that the variant does not have."""
    kind = type(solver).__name__
    for name in ("alpha", "beta", "gamma"):
        value = getattr(solver, name)
        if value is None:
            continue
        if name != "gamma" and VARIANTS[solver.variant][0] is None:
            raise ValueError(
                f"{kind}({name}={value!r}): {solver.variant!r} does not discount regrets; 'discounted' does"
            )


@kernel
def iterate(sets: Any, view: Any, tables: Any, schedule: Any, counters: Any, until: int) -> None:
    """Run iterations until number `until` is done, or until stopped."""
    players, first_set = view.opponents + 1, sets.first_set
    sets, view, tables, counters = pointers(sets), pointers(view), pointers(tables), pointer(counters)
    while counters.iteration < until and counters.stop == 0:
        counters.iteration += 1
        t = float(counters.iteration)
        weight = 1.0 if schedule.gamma == 0 else t if schedule.gamma == 1 else t**schedule.gamma
        above, below = 1.0, 1.0
        if schedule.discounts:
            above, below = 1 - 1 / (t**schedule.alpha + 1), 1 - 1 / (t**schedule.beta + 1)
        discount = Discount(above, below, schedule.floor, schedule.hope)
        for player in range(players):
            sweep_up(first_set[player], first_set[player + 1], sets, view, tables, discount)
            if schedule.alternating or player == players - 1:
                first = player if schedule.alternating else 0
                sweep_down(first_set[first], first_set[player + 1], sets, tables, weight)


@kernel
def sweep_up(start: int, end: int, sets: Any, view: Any, tables: Any, discount: Any) -> None:
    """From the last information set to the first, compute the worth of sequences, regrets and the new behaviour.

    `tables.worth` is zero before and after: meanwhile, each sequence collects the worth of the sets after it.
    """
    behaviour, regret, worth = tables.behaviour, tables.regret, tables.worth
    for at in range(end - 1, start - 1, -1):
        first, last = sets.first[at], sets.first[at] + sets.number[at]
        # 1. The worth of each action, and of the information set.
        mean = 0.0
        for sequence in range(first, last):
            brings = with_ends(worth[sequence], view, tables.plan, sequence)
            worth[sequence] = brings
            mean += behaviour[sequence] * brings
        worth[sets.before[at]] += mean

        # 2. Regrets, and the behaviour they imply.
        above = 0.0
        for sequence in range(first, last):
            excess = worth[sequence] - mean
            worth[sequence] = 0.0
            new_regret = max(regret[sequence] + excess, discount.floor)
            new_regret *= discount.above if new_regret > 0 else discount.below
            regret[sequence] = new_regret
            new_regret = max(new_regret + discount.hope * excess, 0.0)
            behaviour[sequence] = new_regret
            above += new_regret
        if above > 0:
            share = 1 / above
            for sequence in range(first, last):
                behaviour[sequence] *= share
        else:
            for sequence in range(first, last):
                behaviour[sequence] = 1 / sets.number[at]


@kernel
def sweep_down(start: int, end: int, sets: Any, tables: Any, weight: float) -> None:
    """From the first information set to the last, add the plan just played to the total and make the new plan."""
    plan = tables.plan
    for at in range(start, end):
        reach = plan[sets.before[at]]
        for sequence in range(sets.first[at], sets.first[at] + sets.number[at]):
            tables.total[sequence] += weight * plan[sequence]
            plan[sequence] = reach * tables.behaviour[sequence]
