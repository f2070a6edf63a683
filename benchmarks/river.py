"""River poker with full ranges, 1,081 hands each: iterations, showdowns in O(n) and in O(n²), time to an equilibrium.

A showdown is compared with NumPy's product of a vector and the matrix of all pairs of hands, made before the clock
starts, which is the fastest way to evaluate all pairs. Both find the same values.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.common import Bar, Disagreement, Peer, Plan, Row, compare, measure
from outplay.compile.kernels import kernel
from outplay.equilibrium.river import RiverSolver
from outplay.equilibrium.river_spot import showdown_values
from outplay.equilibrium.solver import new_counters
from outplay.games import RiverPoker
from outplay.poker.cards import MASKS

GAME = RiverPoker("Ks9h6d3c2s", 100, 300, bets=(0.5, 1), ranges=("any", "any"))
SHARE = 0.005
"""The target exploitability of the last row, as a share of the pot."""


class AllPairs(Peer):
    """The matrix of who wins, float64 [n, n], 0 where hands share a card."""

    name = "all pairs, NumPy"
    distribution = "numpy"

    def __init__(self) -> None:
        spot = RiverSolver(GAME).spot
        first, second = (slice(size) for size in spot.size)
        ahead = np.sign(spot.strength[0, first][:, None] - spot.strength[1, second][None, :])
        masks = MASKS[spot.hand]
        self.matrix = np.where(masks[0, first][:, None] & masks[1, second][None, :], 0.0, ahead)
        self.reach = spot.weight[1, second]

    def values(self, times: int) -> Any:
        """The result of `showdown_values`, computed `times` times."""
        values = self.matrix
        for _ in range(times):
            values = self.matrix @ self.reach
        return values


@kernel
def showdowns(spot: Any, reach: Any, values: Any, times: int) -> None:
    """Run `times` showdowns."""
    stake = 1.0
    for _ in range(times):
        showdown_values(spot, 0, reach, stake, values)


def rows(plan: Plan) -> Iterator[Row]:
    """The rows of the table."""
    iterations, times = (20, 20) if plan.quick else (400, 1000)
    solver = RiverSolver(GAME)
    spot, hands = solver.spot, int(solver.spot.size[0])
    solver.solve(iterations=1)  # compiles
    what = f"CFR on {len(GAME.betting.player)} public nodes, {hands:,} hands each"

    def iterate() -> int:
        solver._work(new_counters(0), iterations)()
        return iterations

    row, _ = measure(plan, Row(what=what, unit="iterations/s"), iterate, float)
    yield replace(row, note="both players learn in each")

    def ours(number: int = times) -> Any:
        values = np.zeros(hands)
        showdowns(spot, spot.weight[1], values, number)
        return values

    def agree(mine: Any, theirs: Any) -> str:
        if not np.allclose(mine, theirs, rtol=0, atol=1e-9):
            raise Disagreement("the values of hands at a showdown differ")
        return f"values of {hands:,} hands"

    ours(1)
    what = f"{times:,} showdowns of {hands:,} hands"
    yield compare(
        plan, Row(what=what, bars=(Bar("ratio", "≥", 10),)), ours, AllPairs, lambda peer: peer.values(times), agree
    )

    def solve() -> Any:
        return RiverSolver(GAME).solve(exploitability=SHARE * GAME.pot)

    row, solution = measure(plan, Row(what=f"to an exploitability of {100 * SHARE:g}% of the pot"), solve)
    yield replace(row, note=f"{solution.iterations:,} iterations, value {solution.values[0]:+.3f} chips")
