"""Small trees as matrix games: each plan of a player is an action.

A *plan* says what a player does at each information set that it can get to (the reduced normal form). A matrix game
written in turns becomes itself again. Plans soon are too many, but a tree without constant sum has no other way to an
exact equilibrium here.
"""

from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from outplay.equilibrium.equilibria import pure_equilibria
from outplay.equilibrium.matrix_game import MatrixGame
from outplay.equilibrium.mixed_equilibrium import MixedEquilibrium
from outplay.equilibrium.tree import GameTree
from outplay.equilibrium.vertex_enumeration import EXACT, vertex_enumeration

MAX_CELLS = 100_000
"""The maximum number of profiles of plans of more than two players, or of plans of one player."""


def small_equilibrium(tree: GameTree) -> tuple[MixedEquilibrium, NDArray[np.float64]] | None:
    """Return an equilibrium of a tree with few plans, and its plan of sequences: float64 [sequences].

    With two players it is, of the extreme ones, the one with the greatest sum of utilities; with more players it is in
    pure strategies. None if the tree is too large, or has no such equilibrium.

    >>> from outplay.equilibrium.unrolling import unroll
    >>> game = MatrixGame([[(3, 2), (0, 0)], [(0, 0), (2, 4)]]).as_game()
    >>> small_equilibrium(unroll(game))[0]
    <MixedEquilibrium [0.0, 1.0], [0.0, 1.0] by vertex enumeration in exact numbers>
    """
    plans = [plans_of(tree, player) for player in range(tree.players)]
    if any(plan is None for plan in plans):
        return None
    given_plans = [plan for plan in plans if plan is not None]
    shape = [len(actions) for actions in given_plans]
    if comb(sum(shape), shape[0]) > EXACT if len(shape) == 2 else prod(shape) > MAX_CELLS:
        return None
    game = MatrixGame(*(payoffs_of(tree, given_plans, player) for player in range(tree.players)))
    equilibria = vertex_enumeration(game) if len(shape) == 2 else pure_equilibria(game)
    if not equilibria:
        return None
    best = max(equilibria, key=lambda equilibrium: round(float(equilibrium.utilities.sum()), 9))
    whole = sum(mixed @ plan for mixed, plan in zip(best.profile, given_plans, strict=True))
    return best, np.asarray(whole, np.float64)


def plans_of(tree: GameTree, player: int) -> NDArray[np.float64] | None:
    """Return all plans of a player, float64 [plans, sequences]: 1 for what is played. None if there are too many."""
    plans = [np.zeros(tree.sequences)]
    plans[0][tree.first_sequence[player]] = 1.0
    for number in range(tree.first_set[player], tree.first_set[player + 1]):
        longer = []
        for plan in plans:
            if plan[tree.before[number]] == 0:
                longer.append(plan)
                continue
            for sequence in range(tree.first[number], tree.first[number] + tree.number[number]):
                longer.append(plan.copy())
                longer[-1][sequence] = 1.0
        plans = longer
        if len(plans) > EXACT:
            return None
    return np.array(plans)


def payoffs_of(tree: GameTree, plans: list[NDArray[np.float64]], player: int) -> NDArray[np.float64]:
    """Return what a player gets for each profile of plans: float64 [plans of player 0, …]."""
    payoffs = tree.payoffs
    table = np.zeros([len(plan) for plan in plans])
    for sequences, value in zip(payoffs.sequences, payoffs.values[:, player], strict=True):
        if value:
            played = [np.flatnonzero(plan[:, sequence]) for plan, sequence in zip(plans, sequences, strict=True)]
            table[np.ix_(*played)] += value
    return table
