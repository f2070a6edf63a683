"""What strategies bring, what the best answer to them would bring, and so how far they are from an equilibrium.

    values(π)       what each player gets where all play π
    best response   player p's strategy b with the greatest V_p(b, π₋ₚ)
    NashConv(π)     = Σ over p of  max_b V_p(b, π₋ₚ) - V_p(π); 0 exactly in a Nash equilibrium
    exploitability  NashConv / players; for two players with opposed interests, what a perfect opponent gains on average

(Nash 1951; Lanctot et al. 2017 for NashConv.) In sequences it is short. A *plan* says how likely a player plays each of
his sequences: the product of what his strategy says on the way. What the others' plans make of the payoffs is one
number for each sequence of his, the *gradient*; a best response is then found from the last sets to the first:

    worth(I, a) = gradient(I, a) + Σ over the sets J that come after I and a of  max_b worth(J, b)

Everything here is exact, up to the rounding of floats. Start at `exploitability`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel
from outplay.equilibrium.strategy import Strategy, check_player, tree_of
from outplay.equilibrium.tree import (
    GameTree,
)
from outplay.rules.game import Game


def values(strategy: Strategy, tree: Game | GameTree | None = None) -> tuple[float, ...]:
    """What each player gets on average where all play `strategy`.

    >>> from outplay.games import KuhnPoker
    >>> [round(value, 4) for value in values(Strategy.uniform(KuhnPoker()))]
    [0.125, -0.125]
    """
    tree = tree_of(tree or strategy.game)
    return values_of_plan(tree, plan_of(tree, strategy.behaviour(tree)))


def best_response(strategy: Strategy, player: int, tree: Game | GameTree | None = None) -> tuple[float, Strategy]:
    """The most that `player` can get against the others' part of `strategy`, and the strategy with which he gets it.

    In that strategy the others play as before; of actions that are as good, the first is taken.
    """
    tree = tree_of(tree or strategy.game)
    check_player(tree.game, player)
    behaviour = strategy.behaviour(tree)
    value = respond(tree, player, plan_of(tree, behaviour), behaviour)
    return value, Strategy.on(tree, behaviour)


def gains(strategy: Strategy, tree: Game | GameTree | None = None) -> tuple[float, ...]:
    """What each player would gain by a best response where the others go on as before: never less than 0."""
    tree = tree_of(tree or strategy.game)
    return gains_of_plan(tree, plan_of(tree, strategy.behaviour(tree)))


def nash_conv(strategy: Strategy, tree: Game | GameTree | None = None) -> float:
    """The sum of what all players would gain: 0 exactly in an equilibrium."""
    return sum(gains(strategy, tree))


def exploitability(strategy: Strategy, tree: Game | GameTree | None = None) -> float:
    """`nash_conv` for each player, as OpenSpiel has it.

    >>> from outplay.games import KuhnPoker
    >>> round(exploitability(Strategy.uniform(KuhnPoker())), 6)
    0.458333
    """
    return nash_conv(strategy, tree) / strategy.game.players


# -- the same on plans ------------------------------------------------------------------------------------------------


def plan_of(tree: GameTree, behaviour: NDArray[np.float64]) -> NDArray[np.float64]:
    """How likely each sequence is played by its player: float64 [sequences]."""
    plan = np.ones(tree.sequences)
    make_plan(tree.before, tree.first, tree.number, 0, tree.information_sets, behaviour, plan)
    return plan


def behaviour_of(tree: GameTree, plan: NDArray[np.float64]) -> NDArray[np.float64]:
    """How likely the last action of each sequence is; where a plan never comes, every action is equally likely.

    `plan` may be a sum of plans.
    """
    behaviour = np.ones(tree.sequences)
    make_behaviour(tree.first, tree.number, plan, behaviour)
    return behaviour


def values_of_plan(tree: GameTree, plan: NDArray[np.float64]) -> tuple[float, ...]:
    """What each player gets on average."""
    payoffs = tree.payoffs
    likely = plan[payoffs.sequences].prod(axis=1)
    return tuple(float(value) for value in likely @ payoffs.values)


def gains_of_plan(tree: GameTree, plan: NDArray[np.float64]) -> tuple[float, ...]:
    """What each player would gain by a best response."""
    now, behaviour = values_of_plan(tree, plan), np.ones(tree.sequences)
    return tuple(max(respond(tree, p, plan, behaviour) - now[p], 0.0) for p in range(tree.players))


def respond(tree: GameTree, player: int, plan: NDArray[np.float64], behaviour: NDArray[np.float64]) -> float:
    """The value of a best response to `plan`, which is written into `behaviour`."""
    seen = tree.view
    start, end = (int(number) for number in tree.first_sequence[player : player + 2])
    gradient = np.zeros(tree.sequences)
    make_gradient(seen.start, seen.others, seen.value, plan, tree.players - 1, start, end, gradient)
    first_set, end_set = (int(number) for number in tree.first_set[player : player + 2])
    best(tree.before, tree.first, tree.number, first_set, end_set, gradient, behaviour)
    return float(gradient[start])


# -- kernels ----------------------------------------------------------------------------------------------------------


@kernel
def make_plan(before: Any, first: Any, number: Any, start: int, end: int, behaviour: Any, plan: Any) -> None:
    """Fill in `plan` for the sets from `start` to `end`; for the empty sequences it is there."""
    for at in range(start, end):
        reach = plan[before[at]]
        for sequence in range(first[at], first[at] + number[at]):
            plan[sequence] = reach * behaviour[sequence]


@kernel
def make_behaviour(first: Any, number: Any, plan: Any, behaviour: Any) -> None:
    """Fill in `behaviour`: each sequence's share of what its set has."""
    for at in range(len(first)):
        total = 0.0
        for sequence in range(first[at], first[at] + number[at]):
            total += plan[sequence]
        for sequence in range(first[at], first[at] + number[at]):
            behaviour[sequence] = plan[sequence] / total if total > 0 else 1 / number[at]


@kernel
def make_gradient(
    starts: Any, others: Any, value: Any, plan: Any, opponents: int, start: int, end: int, gradient: Any
) -> None:
    """Fill in `gradient` for the sequences from `start` to `end`: what each brings at the ends right after it."""
    for sequence in range(start, end):
        gradient[sequence] = with_ends(0.0, starts, others, value, plan, opponents, sequence)


@kernel
def with_ends(brings: float, starts: Any, others: Any, value: Any, plan: Any, opponents: int, sequence: int) -> float:
    """`brings` and what the ends right after a sequence bring, weighted with how likely the others play to them."""
    if opponents == 1:  # most games: without the loop over the others it is faster
        for entry in range(starts[sequence], starts[sequence + 1]):
            brings += value[entry] * plan[others[entry]]
    else:
        for entry in range(starts[sequence], starts[sequence + 1]):
            likely = value[entry]
            for other in range(entry * opponents, (entry + 1) * opponents):
                likely *= plan[others[other]]
            brings += likely
    return brings


@kernel
def best(before: Any, first: Any, number: Any, start: int, end: int, gradient: Any, behaviour: Any) -> None:
    """The best plan for a gradient, made from the last set to the first; `gradient` becomes what each is worth."""
    for at in range(end - 1, start - 1, -1):
        chosen = first[at]
        for sequence in range(first[at], first[at] + number[at]):
            behaviour[sequence] = 0.0
            if gradient[sequence] > gradient[chosen]:
                chosen = sequence
        behaviour[chosen] = 1.0
        gradient[before[at]] += gradient[chosen]
