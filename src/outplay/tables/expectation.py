"""The values of games with chance: bounds for each state, narrowed until they meet.

    lower(s) <= value(s) <= upper(s)        the same number, the utility, if s is an end

A state's bounds are the greatest, the least or the mean of the bounds of its successors. Means are rounded outwards:
with n outcomes, the exact mean differs from the computed one by at most (2 n + 10) u * mean(|value|), where u = 2^-53
is the relative error of an operation; that covers all sums and products, the division by the sum of the probabilities
(which counts as 1), and three roundings in each probability (1 / 6 has one). So the bounds hold for the real numbers
that the rules mean, and the middle between them is wrong by at most half their distance: the error of the table.

Without circles one pass suffices, each state after its successors. With circles, the components of the graph (sets of
states that lead to each other) are solved in this order, each by interval iteration: it begins with the least and the
greatest bound of the states outside that it leads to, and repeats sweeps until no bound changes noticeably. Bounds hold
after each sweep, since the update is monotone. They meet if play ends with probability 1, whoever plays how, as in Pig:
then the update is a contraction (over as many sweeps as there are states), and has one fixed point (Shapley 1953).

Where players can keep a game going for ever, there may be several fixed points, and the bounds need not meet (Haddad &
Monmege 2018, "Interval iteration algorithm for MDPs and IMDPs"). These games are refused.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import TableError, UnsuitableGame
from outplay.rules.game import Game
from outplay.tables.components import Components, can_be_endless, leads_to_itself
from outplay.tables.partitions import DICE, END, MAX
from outplay.tables.whole_graph import StateGraph

TOLERANCE = 1e-9
"""The maximum error of a table, relative to the greatest utility, or to 1 if that is greater."""
UNIT = 2.0**-53
"""The maximum relative error of an operation."""
STEADY = 2.0**-50
"""The change of a bound, relative as above, that does not count."""
MAX_SWEEPS = 100_000
"""The maximum number of sweeps for one component."""
PORTION = 20_000_000
"""The number of edges after which a kernel returns, so that Ctrl-C gets through."""


class Expected(NamedTuple):
    """The values of all states of a graph."""

    utilities: NDArray[np.float64]
    """The utility of a draw."""
    levels: NDArray[np.float64]
    """The values, for player 0."""
    plies: NDArray[np.uint8]
    """0 everywhere: how long play lasts is a matter of luck."""
    error: float
    """What the difference of a value from the exact one is at most."""


def solve_expected(game: Game, graph: StateGraph, check: Callable[[], None]) -> Expected:
    """The values of all states of a game with chance; `check` is called now and then, and may raise an error.

    Raises `UnsuitableGame` if players can keep the game going for ever, and `TableError` if bounds do not meet.
    """
    components = Components(graph)
    if components.circular and can_be_endless(graph):
        raise UnsuitableGame(
            f"there is no table of {game!r}: it has chance, and its players together could make it go on for ever;"
            " ValueIteration solves it"
        )
    payoffs, ends = graph.payoffs[:, 0], graph.kinds == END
    scale = max(1.0, float(np.abs(payoffs[ends]).max(initial=0)))
    lower, upper = np.where(ends, payoffs, -np.inf), np.where(ends, payoffs, np.inf)
    place = np.zeros(2, np.int64)
    while place[0] < len(components.starts) - 1:
        check()
        narrow_all(
            graph.kinds, components.first, graph.targets, graph.chances, components.order, components.starts,
            STEADY * scale, PORTION, lower, upper, place,
        )  # fmt: skip
    values = lower + (upper - lower) / 2
    error = float(np.nextafter(np.maximum(upper - values, values - lower).max(initial=0), np.inf))
    error = error if (lower != upper).any() else 0.0
    if not error <= TOLERANCE * scale:
        raise TableError(
            f"there is no table of {game!r}: the bounds of a value do not meet, they are {2 * error:.2g} apart in the"
            f" end, and {2 * TOLERANCE * scale:.2g} is the most that a table may have"
        )
    return Expected(np.array([draw_utility(game)]), values, np.zeros(len(values), np.uint8), error)


@kernel
def narrow_all(
    kinds: Any, first: Any, targets: Any, chances: Any, order: Any, starts: Any, steady: float, portion: int,
    lower: Any, upper: Any, place: Any,
) -> None:  # fmt: skip
    """Narrow the bounds of all components, successors first, from `place` on: a component, and its sweeps so far."""
    while place[0] < len(starts) - 1 and portion > 0:
        begin, end = starts[place[0]], starts[place[0] + 1]
        circular = end - begin > 1 or leads_to_itself(int(order[begin]), first, targets)
        if place[1] == 0 and circular:
            begin_bounds(order[begin:end], first, targets, lower, upper)
        moved = width = 0.0
        for i in range(begin, end):
            state = int(order[i])
            portion -= 1 + first[state + 1] - first[state]
            if kinds[state] != END:
                moved = max(moved, narrow(state, kinds, first, targets, chances, lower, upper))
                width = max(width, upper[state] - lower[state])
        place[1] += 1
        if not circular or moved <= steady or width <= steady or place[1] == MAX_SWEEPS:
            place[0] += 1
            place[1] = 0


@kernel
def begin_bounds(states: Any, first: Any, targets: Any, lower: Any, upper: Any) -> None:
    """Give all states of a component the least and the greatest bound of the states outside that it leads to."""
    least, most = np.inf, -np.inf
    for i in range(len(states)):
        for edge in range(first[states[i]], first[states[i] + 1]):
            if lower[targets[edge]] > -np.inf:  # bounds are there already: it is outside
                least, most = min(least, lower[targets[edge]]), max(most, upper[targets[edge]])
    for i in range(len(states)):
        lower[states[i]], upper[states[i]] = least, most


@kernel
def narrow(state: int, kinds: Any, first: Any, targets: Any, chances: Any, lower: Any, upper: Any) -> float:
    """Narrow the bounds of a state by those of its successors; by how much."""
    begin, end, kind = first[state], first[state + 1], kinds[state]
    low, high = lower[targets[begin]], upper[targets[begin]]
    if kind == DICE:
        least, most, total, size, below, above = low, high, 0.0, 0.0, 0.0, 0.0
        for edge in range(begin, end):
            chance, one, other = chances[edge], lower[targets[edge]], upper[targets[edge]]
            least, most = min(least, one), max(most, other)
            below, above, total = below + chance * one, above + chance * other, total + chance
            size += chance * max(abs(one), abs(other))
        slack = (2 * (end - begin) + 10) * UNIT * (size / total)
        low, high = max(least, below / total - slack), min(most, above / total + slack)
    elif kind == MAX:
        for edge in range(begin + 1, end):
            low, high = max(low, lower[targets[edge]]), max(high, upper[targets[edge]])
    else:
        for edge in range(begin + 1, end):
            low, high = min(low, lower[targets[edge]]), min(high, upper[targets[edge]])
    low, high = max(low, lower[state]), min(high, upper[state])
    moved = max(low - lower[state], upper[state] - high)
    lower[state], upper[state] = low, high
    return float(moved)
