"""The values of games with chance: bounds for each state, narrowed until they meet.

    lower(s) <= value(s) <= upper(s)        the same number, the utility, if s is an end

A state's bounds are the greatest, the least or the mean of the bounds of its successors. Means are rounded outwards:
with n outcomes, the exact mean differs from the computed one by at most (2 n + 10) u * mean(|value|), where u = 2^-53
is the relative error of an operation; that covers all sums and products, the division by the sum of the probabilities
(which counts as 1), and three roundings in each probability (1 / 6 has one). So the bounds hold for the real numbers
that the rules mean, and the middle between them is wrong by at most half their distance: the error of the table.

Without circles one pass suffices, each state after its successors. With circles, the components of the graph (sets of
states that lead to each other) are solved in this order, by sweeps: updates of all their states. Updates are monotone,
so that a sweep that moves no bound outwards shows that all are bounds, whatever they come from, if play ends with
probability 1, whoever plays how, as in Pig: then the update is a contraction (over as many sweeps as there are states),
and has one fixed point (Shapley 1953). They come from a guess, with a margin: optimistic value iteration (Hartmanns &
Kaminski 2020). The guess is that of value iteration, extrapolated now and then, since its error soon shrinks by the
same factor in each sweep (Aitken 1926). Where no bounds are found so, there is interval iteration, which begins with
the least and the greatest bound of the states outside that a component leads to. In either way, sweeps narrow the
bounds until they do not change noticeably.

Components none of which leads to another are solved by several threads at once.

Where players can keep a game going for ever, there may be several fixed points, and the bounds need not meet (Haddad &
Monmege 2018, "Interval iteration algorithm for MDPs and IMDPs"). These games are refused.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import TableError, UnsuitableGame
from outplay.rules.game import Game
from outplay.tables.components import Components, can_be_endless, leads_to_itself
from outplay.tables.partitions import DICE, END, MAX
from outplay.tables.teams import Team
from outplay.tables.whole_graph import StateGraph

TOLERANCE = 1e-9
"""The maximum error of a table, relative to the greatest utility, or to 1 if that is greater."""
UNIT = 2.0**-53
"""The maximum relative error of an operation."""
STEADY = 2.0**-50
"""The change of a bound, relative as above, that does not count."""
MARGIN, WIDER, ATTEMPTS = 2.0**-44, 64, 4
"""What is added to a guess, and subtracted, for bounds, relative as above; times how much in each further attempt."""
EXTRAPOLATE_EVERY = 6
"""The number of sweeps from one extrapolation to the next."""
MAX_GUESSES, MAX_TESTS, MAX_SWEEPS = 2_000, 30, 100_000
"""The maximum numbers of sweeps of a component for a guess, for each attempt to show its bounds, and to narrow them."""


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


def solve_expected(game: Game, graph: StateGraph, team: Team, solved: list[NDArray[np.int64]]) -> Expected:
    """The values of all states of a game with chance, found by a team, which can be stopped.

    Numbers of states that are solved are added to `solved`, as arrays of shape ().

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

    def solve(numbers: NDArray[np.int64]) -> None:
        team.check()
        count = np.zeros((), np.int64)
        solved.append(count)
        solve_components(
            numbers, components.order, components.starts, graph.kinds, components.first, graph.targets, graph.chances,
            STEADY * scale, MARGIN * scale, team.stop_flag, count, lower, upper,
        )  # fmt: skip

    for independent in components.in_turns(team.size):
        list(team.map(solve, independent))
    team.check()
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
def solve_components(
    numbers: Any, order: Any, starts: Any, kinds: Any, first: Any, targets: Any, chances: Any, steady: float,
    margin: float, stop: Any, solved: Any, lower: Any, upper: Any,
) -> None:  # fmt: skip
    """Find the bounds of some components, each after those that it leads to."""
    for i in range(len(numbers)):
        states = order[starts[numbers[i]] : starts[int(numbers[i]) + 1]]
        if len(states) > 1 or leads_to_itself(int(states[0]), first, targets):
            solve_component(states, kinds, first, targets, chances, steady, margin, stop, lower, upper)
        else:
            sweep(states, kinds, first, targets, chances, False, lower, upper)
        solved[()] += len(states)
        if stop[0]:
            return


@kernel
def solve_component(
    states: Any, kinds: Any, first: Any, targets: Any, chances: Any, steady: float, margin: float, stop: Any,
    lower: Any, upper: Any,
) -> None:  # fmt: skip
    """Find the bounds of states that lead to each other."""
    width = begin_bounds(states, first, targets, lower, upper)
    if upper[states[0]] - lower[states[0]] > steady:
        guess(states, kinds, first, targets, chances, steady, stop, lower, upper)
        if not shows_bounds(states, kinds, first, targets, chances, width, margin, stop, lower, upper):
            begin_bounds(states, first, targets, lower, upper)
    for _ in range(MAX_SWEEPS):
        moved, _, width = sweep(states, kinds, first, targets, chances, True, lower, upper)
        if moved <= steady or width <= steady or stop[0]:
            return


@kernel
def begin_bounds(states: Any, first: Any, targets: Any, lower: Any, upper: Any) -> float:
    """Give all states of a component the least and the greatest bound of the states outside that it leads to; return
    the greatest distance of the bounds of these.
    """
    least, most, width = np.inf, -np.inf, 0.0
    for i in range(len(states)):
        lower[states[i]] = -np.inf  # as no state outside has
    for i in range(len(states)):
        for edge in range(first[states[i]], first[states[i] + 1]):
            if lower[targets[edge]] > -np.inf:
                low, high = lower[targets[edge]], upper[targets[edge]]
                least, most, width = min(least, low), max(most, high), max(width, high - low)
    for i in range(len(states)):
        lower[states[i]], upper[states[i]] = least, most
    return width


@kernel
def guess(
    states: Any, kinds: Any, first: Any, targets: Any, chances: Any, steady: float, stop: Any, lower: Any, upper: Any
) -> None:
    """Set `lower` to about the values of states, from bounds that all have; `upper` to those of the sweep before."""
    least, most, moved_before = lower[states[0]], upper[states[0]], 0.0
    for i in range(len(states)):
        lower[states[i]] = least + (most - least) / 2
    for number in range(1, MAX_GUESSES + 1):
        moved = 0.0
        for i in range(len(states)):
            state = int(states[i])
            value, _ = backed_up(state, kinds, first, targets, chances, lower, lower)
            moved = max(moved, abs(value - lower[state]))
            upper[state], lower[state] = lower[state], value
        if moved <= steady or stop[0]:
            return
        if number % EXTRAPOLATE_EVERY == 0 and moved < moved_before:
            for i in range(len(states)):
                step = (lower[states[i]] - upper[states[i]]) * moved / (moved_before - moved)
                lower[states[i]] = min(max(lower[states[i]] + step, least), most)
        moved_before = moved


@kernel
def shows_bounds(
    states: Any, kinds: Any, first: Any, targets: Any, chances: Any, width: float, margin: float, stop: Any,
    lower: Any, upper: Any,
) -> bool:  # fmt: skip
    """Whether bounds are found around a guess of the lower ones, with a distance above `width`."""
    for i in range(len(states)):
        upper[states[i]] = lower[states[i]] + width
    for _ in range(ATTEMPTS):
        for i in range(len(states)):
            lower[states[i]] -= margin
            upper[states[i]] += margin
        for _ in range(MAX_TESTS):
            _, outwards, _ = sweep(states, kinds, first, targets, chances, False, lower, upper)
            if outwards <= 0:
                return True
            if stop[0]:
                return False
        margin *= WIDER
    return False


@kernel
def sweep(
    states: Any, kinds: Any, first: Any, targets: Any, chances: Any, narrowing: bool, lower: Any, upper: Any
) -> tuple[float, float, float]:
    """Back up the bounds of states, or only narrow them; the most that one has moved, and outwards, and the greatest
    distance of bounds.
    """
    moved = outwards = width = 0.0
    for i in range(len(states)):
        state = int(states[i])
        if kinds[state] != END:
            low, high = backed_up(state, kinds, first, targets, chances, lower, upper)
            if narrowing:
                low, high = max(low, lower[state]), min(high, upper[state])
            outwards = max(outwards, lower[state] - low, high - upper[state])
            moved = max(moved, abs(low - lower[state]), abs(high - upper[state]))
            width = max(width, high - low)
            lower[state], upper[state] = low, high
    return moved, outwards, width


@kernel
def backed_up(
    state: int, kinds: Any, first: Any, targets: Any, chances: Any, lower: Any, upper: Any
) -> tuple[float, float]:
    """The bounds of a state by those of its successors."""
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
        return max(least, below / total - slack), min(most, above / total + slack)
    for edge in range(begin + 1, end):
        one, other = lower[targets[edge]], upper[targets[edge]]
        if kind == MAX:
            low, high = max(low, one), max(high, other)
        else:
            low, high = min(low, one), min(high, other)
    return low, high
