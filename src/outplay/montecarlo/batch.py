"""Leaves evaluated in batches, outside the tree search, for instance by a neural network.

The leaves of a batch are found one after the other; visits counted on the way down (a virtual loss) keep them apart.
Then all are evaluated in one call, and the values are backpropagated (Silver et al. 2017).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from outplay.engine.workspace import must_stop
from outplay.montecarlo.options import MCTSOptions
from outplay.montecarlo.simulation import backpropagate_once, descend_once
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import EvaluationError
from outplay.rules.game import CHANCE, Game
from outplay.rules.user_code import describe_error

Evaluator = Callable[[Sequence[Any]], tuple[Any, Any]]
"""From n states to values and priors.

Values: shape (n, players), the expected utility of each player. Priors: shape (n, actions), a weight of 0 or more for
each action, in any unit, indexed by action; only those of legal actions are used. None: all actions are equally likely.
States are never terminal. Where chance is to move, priors are ignored.
"""


class Batches:
    """Runs the kernels of a search in batches."""

    def __init__(self, game: Game, techniques: MCTSOptions, evaluator: Evaluator, arguments: Any) -> None:
        self.game, self.techniques, self.evaluator = game, techniques, evaluator
        self.descend = descend_once.prepare(*arguments)
        _, _, _, _, tree, memory, numbers, _ = arguments
        self.backpropagate = backpropagate_once.prepare(game, techniques, tree, memory, numbers)

    def run(self, number: int, arguments: Any) -> None:
        """Run `number` simulations in one batch; `arguments` are those of `descend_once`."""
        _, _, _, _, tree, memory, numbers, _ = arguments
        leaves: list[tuple[Any, Any, Any]] = []  # state, nodes, players to move
        for _ in range(number):
            if must_stop.interpreted(memory):
                break
            state = self.descend(*arguments)
            if not memory.has_rewards and not memory.why:
                plies = int(memory.ply)
                path = memory.visited[: plies + 1].copy()
                leaves.append((state, path, memory.movers[:plies].copy()))
        if not leaves:
            return
        values, priors = self.evaluated([state for state, _, _ in leaves])
        for index, (state, path, movers) in enumerate(leaves):
            if priors is not None and self.game.to_move(state) != CHANCE:
                self.weigh(tree, int(path[-1]), priors[index])
            memory.visited[: len(path)] = path
            memory.movers[: len(movers)] = movers
            memory.ply, memory.changed, memory.length = len(movers), 0, 0
            numbers.rewards[: self.techniques.shares] = values[index, : self.techniques.shares]
            self.backpropagate(self.game, self.techniques, tree, memory, numbers)

    def evaluated(self, states: list[Any]) -> tuple[Any, Any]:
        """The evaluator's values, less the utility of a draw, and priors for `states`, checked."""
        count, players = len(states), self.game.players
        try:
            values, priors = self.evaluator(states)
            values = np.asarray(values, np.float64)
            priors = None if priors is None else np.asarray(priors, np.float64)
        except EvaluationError:
            raise
        except Exception as error:
            raise EvaluationError(
                f"the evaluator failed on {count} states: {describe_error(error)};"
                f" it must return values of shape ({count}, {players}), and priors of shape ({count}, actions) or None"
            ) from error
        if values.shape != (count, players) or not np.isfinite(values).all():
            raise EvaluationError(
                f"the evaluator gave values of shape {values.shape} for {count} states:"
                f" expected ({count}, {players}), a finite utility for each player"
            )
        if priors is not None and (priors.ndim != 2 or len(priors) != count or not self.are_priors(priors)):
            raise EvaluationError(
                f"the evaluator gave priors of shape {priors.shape} for {count} states:"
                f" expected ({count}, actions), numbers of 0 or more, or None"
            )
        return values - draw_utility(self.game), priors

    def are_priors(self, priors: Any) -> bool:
        """Whether these are finite numbers of 0 or more."""
        return bool((np.isfinite(priors) & (priors >= 0)).all())

    def weigh(self, tree: Any, node: int, prior: Any) -> None:
        """Set the priors of the children of `node`, which sum to 1."""
        first, number = int(tree.first_child[node]), int(tree.num_children[node])
        if not first:
            return
        actions = tree.action[first : first + number]
        if actions.max() >= len(prior):
            raise EvaluationError(
                f"the evaluator gave priors for {len(prior)} actions, but action {actions.max()} is legal"
            )
        weights = prior[actions]
        whole = weights.sum()
        tree.prior[first : first + number] = weights / whole if whole > 0 else 1 / number
