"""The values of strategies, best responses to them, and thereby their distance from an equilibrium.

    values(π)       the expected utility of each player where all play π
    best response   player p's strategy b with the greatest V_p(b, π₋ₚ)
    NashConv(π)     = Σ over p of  max_b V_p(b, π₋ₚ) - V_p(π); 0 exactly in a Nash equilibrium
    exploitability  NashConv / players; in a two-player zero-sum game, the average gain of a perfect opponent

(Nash 1951; Lanctot et al. 2017 for NashConv.) All of this is computed on sequences. A *plan* gives the probability that
a player plays each sequence: the product of the strategy's probabilities on the way. The plans of the others turn the
payoffs into one number for each sequence of a player, the *gradient*; a best response is then found by working from
the last information sets to the first:

    worth(I, a) = gradient(I, a) + Σ over the sets J that come after I and a of  max_b worth(J, b)

Everything is exact up to floating-point rounding. Start at `exploitability`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel
from outplay.equilibrium.strategy import Strategy, check_player, tree_of
from outplay.equilibrium.tree import GameTree
from outplay.rules.arguments import check_type
from outplay.rules.game import Game


def values(strategy: Strategy, tree: Game | GameTree | None = None) -> tuple[float, ...]:
    """Return the expected utility of each player where all play `strategy`.

    >>> from outplay.games import KuhnPoker
    >>> [round(value, 4) for value in values(Strategy.uniform(KuhnPoker()))]
    [0.125, -0.125]
    """
    check_type(strategy, Strategy, "values({})", "Strategy.uniform(KuhnPoker())")
    tree = tree_of(tree or strategy.game)
    return values_of_plan(tree, plan_of(tree, strategy.behaviour(tree)))


def best_response(strategy: Strategy, player: int, tree: Game | GameTree | None = None) -> tuple[float, Strategy]:
    """Return the maximum that `player` can get against the others' part of `strategy`, and a strategy that gets it.

    In that strategy the others play as before. Among equally good actions, it takes the first.
    """
    check_type(strategy, Strategy, "best_response({})", "Strategy.uniform(KuhnPoker())")
    tree = tree_of(tree or strategy.game)
    check_player(tree.game, player)
    behaviour = strategy.behaviour(tree)
    value = best(tree.sets, tree.view, player, plan_of(tree, behaviour), behaviour)
    return value, Strategy.on(tree, behaviour)


def gains(strategy: Strategy, tree: Game | GameTree | None = None) -> tuple[float, ...]:
    """Return each player's gain from switching to a best response while the others do not: never less than 0."""
    check_type(strategy, Strategy, "gains({})", "Strategy.uniform(KuhnPoker())")
    tree = tree_of(tree or strategy.game)
    return gains_of_plan(tree, plan_of(tree, strategy.behaviour(tree)))


def nash_conv(strategy: Strategy, tree: Game | GameTree | None = None) -> float:
    """Return the sum of all `gains`: 0 exactly in an equilibrium."""
    check_type(strategy, Strategy, "nash_conv({})", "Strategy.uniform(KuhnPoker())")
    return sum(gains(strategy, tree))


def exploitability(strategy: Strategy, tree: Game | GameTree | None = None) -> float:
    """Return `nash_conv` divided by the number of players, as OpenSpiel defines it.

    >>> from outplay.games import KuhnPoker
    >>> round(exploitability(Strategy.uniform(KuhnPoker())), 6)
    0.458333
    """
    check_type(strategy, Strategy, "exploitability({})", "Strategy.uniform(KuhnPoker())")
    return nash_conv(strategy, tree) / strategy.game.players


# -- the same on plans ------------------------------------------------------------------------------------------------


def plan_of(tree: GameTree, behaviour: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability that its player plays each sequence: float64 [sequences]."""
    plan = np.ones(tree.sequences)
    make_plan(tree.sets, behaviour, plan)
    return plan


def behaviour_of(tree: GameTree, plan: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability of each sequence's last action; all actions are equally likely where a plan never gets.

    `plan` may be a sum of plans.
    """
    behaviour = np.ones(tree.sequences)
    make_behaviour(tree.sets, plan, behaviour)
    return behaviour


def values_of_plan(tree: GameTree, plan: NDArray[np.float64]) -> tuple[float, ...]:
    """Return the expected utility of each player."""
    payoffs = tree.payoffs
    likely = plan[payoffs.sequences].prod(axis=1)
    return tuple(float(value) for value in likely @ payoffs.values)


def gains_of_plan(tree: GameTree, plan: NDArray[np.float64]) -> tuple[float, ...]:
    """Return each player's gain from a best response."""
    current, answers = values_of_plan(tree, plan), respond(tree, plan, np.ones(tree.sequences))
    return tuple(max(answers[player] - current[player], 0.0) for player in range(tree.players))


def respond(tree: GameTree, plan: NDArray[np.float64], behaviour: NDArray[np.float64]) -> list[float]:
    """Write a best response of each player to `plan` into `behaviour`, and return their values."""
    values = np.zeros(tree.players)
    best_all(tree.sets, tree.view, plan, behaviour, values)
    return values.tolist()


# -- kernels ----------------------------------------------------------------------------------------------------------


@kernel
def make_plan(sets: Any, behaviour: Any, plan: Any) -> None:
    """Fill in `plan`, which already has the empty sequences."""
    for at in range(len(sets.first)):
        reach = plan[sets.before[at]]
        for sequence in range(sets.first[at], sets.first[at] + sets.number[at]):
            plan[sequence] = reach * behaviour[sequence]


@kernel
def make_behaviour(sets: Any, plan: Any, behaviour: Any) -> None:
    """Fill in `behaviour`: each sequence's share of the plan at its information set."""
    first, number = sets.first, sets.number
    for at in range(len(first)):
        total = 0.0
        for sequence in range(first[at], first[at] + number[at]):
            total += plan[sequence]
        for sequence in range(first[at], first[at] + number[at]):
            behaviour[sequence] = plan[sequence] / total if total > 0 else 1 / number[at]


@kernel
def with_ends(worth: float, view: Any, plan: Any, sequence: int) -> float:
    """Return `worth` plus the payoffs at the ends right after a sequence, weighted by the plans of the others."""
    if view.opponents == 1:  # most games: faster without the loop over the others
        for entry in range(view.start[sequence], view.start[sequence + 1]):
            worth += view.value[entry] * plan[view.others[entry]]
    else:
        for entry in range(view.start[sequence], view.start[sequence + 1]):
            likely = view.value[entry]
            for other in range(entry * view.opponents, (entry + 1) * view.opponents):
                likely *= plan[view.others[other]]
            worth += likely
    return worth


@kernel
def best_all(sets: Any, view: Any, plan: Any, behaviour: Any, values: Any) -> None:
    """Write a best response of each player to `plan` into `behaviour`, and their values into `values`."""
    for player in range(len(values)):
        values[player] = best(sets, view, player, plan, behaviour)


@kernel
def best(sets: Any, view: Any, player: int, plan: Any, behaviour: Any) -> float:
    """Write a best response of `player` to `plan` into `behaviour` and return its value."""
    before, first, number = sets.before, sets.first, sets.number
    start, end = sets.first_sequence[player], sets.first_sequence[player + 1]
    # 1. The gradient: the payoff at the ends right after each sequence.
    worth = np.zeros(sets.first_sequence[-1])
    for sequence in range(start, end):
        worth[sequence] = with_ends(0.0, view, plan, sequence)
    # 2. From the last information set to the first, the best action and its worth.
    for at in range(sets.first_set[player + 1] - 1, sets.first_set[player] - 1, -1):
        best_sequence = first[at]
        for sequence in range(first[at], first[at] + number[at]):
            behaviour[sequence] = 0.0
            if worth[sequence] > worth[best_sequence]:
                best_sequence = sequence
        behaviour[best_sequence] = 1.0
        worth[before[at]] += worth[best_sequence]
    return float(worth[start])
