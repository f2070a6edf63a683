"""Fictitious play: everybody plays a best response to what the others have done so far, on average.

    plan t   = the mean of t best responses
    response = a best response to the others' plans

The mean is taken over plans, how likely sequences are played, and not over what is done at each information set: that
is fictitious play of the whole game without writing out its pure strategies (Brown 1951; Heinrich, Lanctot & Silver
2015, "Fictitious self-play in extensive-form games"). It converges where two players have opposed interests (Robinson
1951), and slowly: CFR is there to be quicker. What it is good for is to be understood at once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.equilibrium.best_response import plan_of, respond
from outplay.equilibrium.solver import ITERATION, STOP, TreeSolver
from outplay.equilibrium.strategy import Strategy


@dataclass(eq=False, repr=False)
class FictitiousPlay(TreeSolver):
    """Fictitious play on the unrolled game; it begins with every action equally likely.

    Args:
        game: the game, or its `GameTree`.

    >>> from outplay.games import KuhnPoker
    >>> FictitiousPlay(KuhnPoker()).solve(iterations=1000).exploitability < 0.02
    True
    """

    def _start(self) -> dict[str, NDArray[Any]]:
        return {"total": plan_of(self.tree, Strategy.uniform(self.tree).behaviour(self.tree))}

    def _work(self, cells: NDArray[np.int64], until: int) -> Callable[[], None]:
        tree, total = self.tree, self.arrays["total"]
        behaviour = np.ones(tree.sequences)

        def run() -> None:
            while cells[ITERATION] < until and cells[STOP] == 0:
                cells[ITERATION] += 1
                mean = total / cells[ITERATION]  # the first plan is that of iteration 0
                for player in range(tree.players):
                    respond(tree, player, mean, behaviour)
                total[:] += plan_of(tree, behaviour)

        return run

    def _average(self) -> NDArray[np.float64]:
        return self.arrays["total"]
