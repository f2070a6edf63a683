"""Counterfactual regret minimization: at every information set, do more of what would have been better so far.

    regret(I, a) += q(I, a) - Σ over b of  σ(I, b) · q(I, b)        after every iteration
    σ(I, a)       = max(regret(I, a), 0) / their sum over all actions; all equal if none is above 0

q(I, a) is what action a would have brought the player from I on, weighted with how likely chance and the others let
play come to I. The average of all plans played goes to a Nash equilibrium where two players have opposed interests
(Zinkevich, Johanson, Bowling & Piccione 2007). The variants differ in how they forget and weigh:

    cfr         as above, every iteration counts the same
    cfr+        regrets never fall below 0; iteration t counts t times                            (Tammelin 2014)
    linear      iteration t counts t times, in regrets too                                 (Brown & Sandholm 2019)
    discounted  after iteration t regrets are multiplied by tᵅ/(tᵅ+1) above 0 and by tᵝ/(tᵝ+1) below; iteration t counts
                tᵞ times; α, β, γ = 1.5, 0, 2                                              (Brown & Sandholm 2019)
    predictive  cfr+ that expects the last regrets to come once more, γ = 2            (Farina, Kroer & Sandholm 2021)

No history is gone through again and again: a strategy matters through the plans of sequences alone (see
`best_response.py`). An iteration of one player is two sweeps over his information sets: from the last to the first, to
make gradients and regrets; from the first to the last, to make the new plan.

Start at `CFR`; `sweep_up` and `sweep_down` are the two sweeps.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pointer
from outplay.equilibrium.best_response import plan_of, with_ends
from outplay.equilibrium.solver import ITERATION, STOP, TreeSolver
from outplay.equilibrium.tree import (
    GameTree,
)
from outplay.rules.arguments import check_number
from outplay.rules.game import Game

VARIANTS = {
    "cfr": (None, None, 0.0),
    "cfr+": (None, None, 1.0),
    "linear": (1.0, 1.0, 1.0),
    "discounted": (1.5, 0.0, 2.0),
    "predictive": (None, None, 2.0),
}
"""α, β and γ of each."""


@dataclass(eq=False, repr=False)
class CFR(TreeSolver):
    """Counterfactual regret minimization on the unrolled game.

    Args:
        game: the game, or its `GameTree`.
        variant: "cfr", "cfr+", "linear", "discounted" or "predictive".
        alpha, beta, gamma: the exponents of the discounts; None: those of the variant.
        alternating: whether the players learn one after the other, each from what the one before has just learned.

    Raises `ValueError` for an option that there is not.

    >>> from outplay.games import KuhnPoker
    >>> solution = CFR(KuhnPoker(), variant="cfr+").solve(iterations=1000)
    >>> round(solution.values[0], 4), solution.exploitability < 1e-4
    (-0.0556, True)
    """

    game: Game | GameTree
    _: KW_ONLY
    variant: str = "discounted"
    alpha: float | None = None
    beta: float | None = None
    gamma: float | None = None
    alternating: bool = True
    options: ClassVar[tuple[str, ...]] = ("variant", "alpha", "beta", "gamma", "alternating")

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise ValueError(f"CFR(variant={self.variant!r}): one of {', '.join(map(repr, VARIANTS))}")
        check_exponents(self)
        if not isinstance(self.alternating, bool):
            raise ValueError(f"CFR(alternating={self.alternating!r}): True or False")
        super().__post_init__()

    def _start(self) -> dict[str, NDArray[Any]]:
        tree = self.tree
        behaviour = tree.uniform()
        arrays = {"plan": plan_of(tree, behaviour), "behaviour": behaviour}
        return arrays | {name: np.zeros(tree.sequences) for name in ("regret", "total")}

    def _work(self, cells: NDArray[np.int64], until: int) -> Any:
        tree, seen, arrays = self.tree, self.tree.view, self.arrays
        usual = VARIANTS[self.variant]
        alpha, beta, gamma = (
            other if own is None else own for own, other in zip((self.alpha, self.beta, self.gamma), usual, strict=True)
        )
        discounts = alpha is not None
        floor = 0.0 if self.variant in {"cfr+", "predictive"} else -np.inf
        hope = float(self.variant == "predictive")
        args = (
            tree.first_set, tree.before, tree.first, tree.number, seen.start, seen.others, seen.value,
            arrays["plan"], arrays["behaviour"], arrays["regret"], arrays["total"],
            np.zeros(tree.sequences), discounts, float(alpha or 0), float(beta or 0), float(gamma or 0), floor, hope,
            self.alternating, cells, until,
        )  # fmt: skip
        run = iterate.prepare(*args)
        return lambda: run(*args)

    def _average(self) -> NDArray[np.float64]:
        return self.arrays["total"]


def check_exponents(solver: Any) -> None:
    """Raise `ValueError` for exponents that make no sense, or not for the variant."""
    kind = type(solver).__name__
    for name in ("alpha", "beta", "gamma"):
        value = getattr(solver, name)
        if value is None:
            continue
        if name != "gamma" and VARIANTS[solver.variant][0] is None:
            raise ValueError(
                f"{kind}({name}={value!r}): {solver.variant!r} does not discount regrets; 'discounted' does"
            )
        check_number(solver, name, -100)
        if name == "gamma" and value > 30:
            raise ValueError(f"{kind}(gamma={value!r}): at most 30, or the weights of late iterations overflow")


@kernel
def iterate(
    first_set: Any, before: Any, first: Any, number: Any, start: Any, others: Any, value: Any, plan: Any,
    behaviour: Any, regret: Any, total: Any, worth: Any, discounts: bool, alpha: float, beta: float, gamma: float,
    floor: float, hope: float, alternating: bool, cells: Any, until: int,
) -> None:  # fmt: skip
    """Iterations until number `until` is done, or until stopped."""
    players = len(first_set) - 1
    while cells[ITERATION] < until and cells[STOP] == 0:
        cells[ITERATION] += 1
        t = float(cells[ITERATION])
        weight = 1.0 if gamma == 0 else t if gamma == 1 else t**gamma
        keep, keep_below = 1.0, 1.0
        if discounts:
            keep, keep_below = 1 - 1 / (t**alpha + 1), 1 - 1 / (t**beta + 1)
        for player in range(players):
            sweep_up(
                first_set[player], first_set[player + 1], pointer(before), pointer(first), pointer(number),
                pointer(start), pointer(others), players - 1, pointer(value), pointer(plan), pointer(behaviour),
                pointer(regret), pointer(worth), keep,
                keep_below, floor, hope,
            )  # fmt: skip
            if alternating or player == players - 1:
                sweep_down(
                    first_set[player if alternating else 0], first_set[player + 1], pointer(before), pointer(first),
                    pointer(number), pointer(plan), pointer(behaviour), pointer(total), weight,
                )  # fmt: skip


@kernel
def sweep_up(
    first_set: int, end_set: int, before: Any, first: Any, number: Any, start: Any, others: Any, opponents: int,
    value: Any, plan: Any, behaviour: Any, regret: Any, worth: Any, keep: float, keep_below: float, floor: float,
    hope: float,
) -> None:  # fmt: skip
    """From the last information set to the first: what each sequence is worth, the regrets, the new behaviour.

    `worth` is zero before and after: at each sequence what the sets after it are worth comes together. Regrets are
    multiplied by `keep` above 0 and by `keep_below` below, are never less than `floor`, and with `hope` 1 what was
    added to them is expected to come once more.
    """
    for at in range(end_set - 1, first_set - 1, -1):
        begin, end = first[at], first[at] + number[at]
        # 1. What each action is worth, and all together.
        mean = 0.0
        for sequence in range(begin, end):
            brings = with_ends(worth[sequence], start, others, value, plan, opponents, sequence)
            worth[sequence] = brings
            mean += behaviour[sequence] * brings
        worth[before[at]] += mean

        # 2. Regrets, and what they say.
        above = 0.0
        for sequence in range(begin, end):
            more = worth[sequence] - mean
            worth[sequence] = 0.0
            has = max(regret[sequence] + more, floor)
            has *= keep if has > 0 else keep_below
            regret[sequence] = has
            has = max(has + hope * more, 0.0)
            behaviour[sequence] = has
            above += has
        if above > 0:
            share = 1 / above
            for sequence in range(begin, end):
                behaviour[sequence] *= share
        else:
            for sequence in range(begin, end):
                behaviour[sequence] = 1 / number[at]


@kernel
def sweep_down(
    first_set: int, end_set: int, before: Any, first: Any, number: Any, plan: Any, behaviour: Any, total: Any,
    weight: float,
) -> None:  # fmt: skip
    """From the first information set to the last: add the plan just played to the total, and make the new one."""
    for at in range(first_set, end_set):
        reach = plan[before[at]]
        for sequence in range(first[at], first[at] + number[at]):
            total[sequence] += weight * plan[sequence]
            plan[sequence] = reach * behaviour[sequence]
