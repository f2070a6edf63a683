"""Fictitious play: each player plays a best response to the average of what the others have played so far.

    plan t   = the mean of t best responses
    response = a best response to the others' plans

The mean is taken over plans, the probabilities of sequences, rather than over the behaviour at each information set:
this is fictitious play of the whole game without listing its pure strategies (Brown 1951; Heinrich, Lanctot & Silver
2015, "Fictitious self-play in extensive-form games"). It converges in two-player zero-sum games (Robinson 1951), but
slowly. Its merit is that it is easy to understand; CFR is faster.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compile.records import Record
from outplay.equilibrium.best_response import plan_of, respond
from outplay.equilibrium.solver import TreeSolver
from outplay.equilibrium.strategy import Strategy


@dataclass(eq=False, repr=False)
class FictitiousPlay(TreeSolver):
    """Fictitious play on the unrolled game, starting with all actions equally likely.

    Args:
        game: the game, or its `GameTree`.

    >>> from outplay.games import KuhnPoker
    >>> FictitiousPlay(KuhnPoker()).solve(iterations=1000).exploitability < 0.02
    True
    """

    def _start(self) -> dict[str, NDArray[Any]]:
        return {"total": plan_of(self.tree, Strategy.uniform(self.tree).behaviour(self.tree))}

    def _work(self, counters: Record, until: int) -> Callable[[], None]:
        tree, total = self.tree, self.arrays["total"]
        behaviour = np.ones(tree.sequences)

        def run() -> None:
            while counters.iteration < until and counters.stop == 0:
                counters.iteration += 1
                mean = total / counters.iteration  # the first plan belongs to iteration 0
                respond(tree, mean, behaviour)
                total[:] += plan_of(tree, behaviour)

        return run

    def _average(self) -> NDArray[np.float64]:
        return self.arrays["total"]
