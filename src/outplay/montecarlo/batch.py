"""Leaves evaluated in batches, outside the tree search: by a neural network, say.

So many leaves are looked for one after the other; the visits that count on the way down keep them apart. Then all are
evaluated in one call, and what that says is backpropagated (Silver et al. 2017).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from outplay.engine.workspace import (
    must_stop,
)
from outplay.montecarlo.options import MCTSOptions
from outplay.montecarlo.simulation import backpropagate_once, descend_once
from outplay.rules.errors import EvaluationError
from outplay.rules.game import CHANCE, Game
from outplay.rules.user_code import describe_error

Evaluator = Callable[[Sequence[Any]], tuple[Any, Any]]
"""From n states to values and priors.

Values: shape (n, players), the utility that each player can expect. Priors: shape (n, actions), how likely each action
is to be taken, by its number, in any unit and 0 or more; legal actions alone are looked at. Or None: all the same.
States are not terminal; chance may be to move, and then priors are not looked at.
"""


class Batches:
    """The kernels of a search by batches, and how they are called."""

    def __init__(self, game: Game, techniques: MCTSOptions, evaluator: Evaluator, arguments: Any) -> None:
        self.game, self.techniques, self.evaluator = game, techniques, evaluator
        self.descend = descend_once.prepare(*arguments)
        _, _, _, _, tree, memory, numbers, _ = arguments
        self.backpropagate = backpropagate_once.prepare(game, techniques, tree, memory, numbers)

    def run(self, number: int, arguments: Any) -> None:
        """So many simulations, in one batch; `arguments` are those of `descend_once`."""
        _, _, _, _, tree, memory, numbers, _ = arguments
        leaves: list[tuple[Any, Any, Any]] = []  # state, nodes, players to move
        for _ in range(number):
            if must_stop.interpreted(memory):
                break
            state = self.descend(*arguments)
            if not memory.known and not memory.why:
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
        """What the evaluator says, checked."""
        count, players = len(states), self.game.players
        try:
            values, priors = self.evaluator(states)
            values = np.asarray(values, np.float64)
            priors = None if priors is None else np.asarray(priors, np.float64)
        except Exception as error:
            raise EvaluationError(
                f"the evaluator failed on {count} states: {describe_error(error)};"
                f" it answers values, shape ({count}, {players}), and priors, shape ({count}, actions) or None"
            ) from error
        if values.shape != (count, players) or not np.isfinite(values).all():
            raise EvaluationError(
                f"the evaluator gave values of shape {values.shape} for {count} states:"
                f" wanted ({count}, {players}), a finite utility for each player"
            )
        if priors is not None and (priors.ndim != 2 or len(priors) != count or not self.are_priors(priors)):
            raise EvaluationError(
                f"the evaluator gave priors of shape {priors.shape} for {count} states:"
                f" wanted ({count}, actions), numbers from 0 on, or None"
            )
        return values, priors

    def are_priors(self, priors: Any) -> bool:
        """Whether these are finite numbers from 0 on."""
        return bool((np.isfinite(priors) & (priors >= 0)).all())

    def weigh(self, tree: Any, node: int, prior: Any) -> None:
        """Give the children of `node` their priors, which sum to 1."""
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
