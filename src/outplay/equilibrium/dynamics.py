"""Repeated play of a matrix game: fictitious play, regret matching and replicator dynamics, as curves.

    fictitious play        each player takes the best response to everything the others have played so far
                           (Brown 1951; Robinson 1951)
    regret matching        each player takes actions with probabilities proportional to the regret for not having always
                           taken them (Hart & Mas-Colell 2000)
    replicator dynamics    dx_a/dt = x_a (u_a - u): actions that do better than the average u become more frequent
                           (Taylor & Jonker 1978)

The averages of the first two converge to an equilibrium in every two-player zero-sum game; in other games they may
cycle. The joint play of regret matching always converges to the set of coarse correlated equilibria. Replicator
dynamics cycles around an equilibrium of a zero-sum game without reaching it. A `Trajectory` has all of it as arrays.

In the kernels a cell of the table is one number, and the action of player i in it is `cell // strides[i] % sizes[i]`.
Values for each action of each player are in one array, those of player i from `first[i]` on.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel
from outplay.compile.random_numbers import new_random, random_below
from outplay.equilibrium.curves import plot_trajectory
from outplay.equilibrium.matrix_game import MatrixGame, Profile, whole_number
from outplay.equilibrium.nfg import Numbers
from outplay.equilibrium.notebook import profile_html
from outplay.rules.arguments import is_number
from outplay.rules.errors import OutplayError

BEST, MATCHING = 0, 1
"""How an action is chosen: the best so far, or by regret."""
FINE = 1 << 30
"""The number of different random numbers from 0 to 1."""
MAX_ROUNDS, MAX_POINTS = 10**12, 10**6
"""The maximum number of rounds or steps, and of recorded points."""


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """Strategies over time; `plot` draws them.

    Attributes:
        game: the game.
        method: the dynamics.
        times: when each point was recorded, float64 [points]: in rounds, or in units of time.
        profiles: the strategies of each player at these times, each float64 [points, actions]: the averages of all
            play up to then, or in replicator dynamics the current strategies.
        regrets: the maximum gain of any player from changing strategy at these times, float64 [points].
        joint: the frequency of each combination of actions over all rounds, float64 [actions of player 0, …]; None in
            replicator dynamics.
    """

    game: MatrixGame
    _: KW_ONLY
    method: str
    times: Numbers
    profiles: Profile
    regrets: Numbers
    joint: Numbers | None = None

    @property
    def last(self) -> Profile:
        """The strategies at the end."""
        return tuple(strategies[-1] for strategies in self.profiles)

    @property
    def external_regret(self) -> float:
        """The maximum gain per round of any player from taking one fixed action in all rounds.

        If it tends to 0, play converges to the coarse correlated equilibria.
        """
        if self.joint is None:
            raise OutplayError(f"{self.method} does not play rounds, so it has no external regret")
        gains = []
        for player, table in enumerate(self.game.payoffs):
            joint_of_others = self.joint.sum(axis=player, keepdims=True)
            expected = (table * joint_of_others).sum(axis=tuple(axis for axis in range(table.ndim) if axis != player))
            gains.append(float(expected.max() - (table * self.joint).sum()))
        return max(gains)

    def plot(self, ax: Any = None, *, regrets: bool = False) -> Any:
        """Draw the strategies over time, and return the axes.

        Args:
            ax: the `Axes` of matplotlib to draw on; None for a new figure.
            regrets: draw the regrets instead, on a logarithmic scale.

        Each player has a kind of line. Of more than 12 actions, those with the greatest probabilities at the end are
        drawn. Raises `OutplayError` if matplotlib is not installed (`pip install 'outplay[plot]'`), and `WrongType` if
        `ax` is anything else.
        """
        return plot_trajectory(self, ax, regrets)

    def _repr_html_(self) -> str:
        caption = f"{self.method} at {self.times[-1]:,.6g}; regret {self.regrets[-1]:.2g}"
        return profile_html(self.game, self.last, caption)

    def __repr__(self) -> str:
        points = f"{len(self.times)} points to {self.times[-1]:g}"
        return f"<Trajectory of {self.method}, {points}, regret {self.regrets[-1]:.2g}>"


def fictitious_play(
    game: MatrixGame, rounds: int = 10_000, *, start: Sequence[Any] | None = None, points: int = 200
) -> Trajectory:
    """Play the best response to the joint frequencies of what the others have played so far.

    Args:
        game: a game with any number of players.
        rounds: the number of rounds. All players choose at once; among equally good actions, they take the first.
        start: the actions of the first round, by number or name; the first action of each player by default.
        points: the maximum number of recorded rounds, close together at first and increasingly far apart.

    Raises `OutplayError` for numbers below 1 and for actions that do not exist.

    >>> trajectory = fictitious_play(MatrixGame([[1, -1], [-1, 1]]), 100_000)
    >>> [round(float(chance), 2) for chance in trajectory.last[0]], bool(trajectory.regrets[-1] < 0.01)
    ([0.5, 0.5], True)
    """
    return _played(game, rounds, BEST, start, 0, points, "fictitious play")


def regret_matching(
    game: MatrixGame, rounds: int = 10_000, *, start: Sequence[Any] | None = None, seed: int = 0, points: int = 200
) -> Trajectory:
    """Play each action with a probability proportional to the regret for not having played it in all rounds so far.

    Players without regret choose uniformly at random. `seed` is the seed of the random choices; for the other arguments
    see `fictitious_play`.

    >>> trajectory = regret_matching(MatrixGame([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]), 100_000, seed=1)
    >>> [round(float(chance), 1) for chance in trajectory.last[0]], trajectory.external_regret < 0.02
    ([0.3, 0.3, 0.3], True)
    """
    return _played(game, rounds, MATCHING, start, seed, points, "regret matching")


def replicator_dynamics(
    game: MatrixGame, start: Sequence[Any], duration: float = 50.0, *, step: float = 0.01, points: int = 500
) -> Trajectory:
    """Follow one population for each player, in which actions that do better than the average become more frequent.

    Args:
        game: a game with any number of players.
        start: the initial frequencies of the actions; an absent action stays absent.
        duration: the length of time to follow.
        step: the maximum step length of the Runge-Kutta method of order 4.
        points: the number of recorded times, equally spaced, including start and end.

    Raises `OutplayError` for a start that is not a profile, and for invalid numbers.

    >>> dilemma = MatrixGame([[(3, 3), (0, 5)], [(5, 0), (1, 1)]], actions=[["cooperate", "defect"]] * 2)
    >>> trajectory = replicator_dynamics(dilemma, [[0.9, 0.1]] * 2)
    >>> [round(float(chance), 3) for chance in trajectory.last[0]]
    [0.0, 1.0]
    """
    profile = game.profile(start)
    duration, step = _length("duration", duration), _length("step", step)
    points = whole_number("points", points, 2, MAX_POINTS)
    if not duration / step <= MAX_ROUNDS:
        raise OutplayError(
            f"duration={duration!r} has more than {MAX_ROUNDS:,} steps of step={step!r}: use longer steps"
        )
    table = _table_of(game)
    with np.errstate(divide="ignore"):
        logits = np.log(np.maximum(np.concatenate(profile), 0.0))
    trajectory = np.zeros((points, len(logits)))
    times = np.linspace(0.0, duration, points)
    steps = max(int(np.ceil(times[1] / step)), 1)
    flow(table, logits, float(times[1] / steps), steps, trajectory)
    return _trajectory(game, "replicator dynamics", times, trajectory, table.first, None)


def _length(name: str, value: Any) -> float:
    """Return `value` as a float above 0."""
    try:
        if is_number(value) and 0 < float(value) < np.inf:
            return float(value)
    except OverflowError:  # too large an int
        pass
    raise OutplayError(f"replicator_dynamics({name}={value!r}): a number above 0")


def _played(
    game: MatrixGame, rounds: int, rule: int, start: Sequence[Any] | None, seed: int, points: int, method: str
) -> Trajectory:
    rounds, points = whole_number("rounds", rounds, 1, MAX_ROUNDS), whole_number("points", points, 1, MAX_POINTS)
    seed = whole_number("seed", seed, 1 - (1 << 62), (1 << 62) - 1)
    opening = np.zeros(game.number_of_players, np.int64)
    if start is not None:
        profile = game.profile(start)
        if any(mixed.max() < 1 for mixed in profile):
            raise OutplayError(f"start={start!r}: an action for each player, by number or name")
        opening[:] = [int(mixed.argmax()) for mixed in profile]
    table = _table_of(game)
    recorded = np.unique(np.geomspace(1, rounds, points).round().astype(np.int64)) if points > 1 else np.array([rounds])
    average = np.zeros((len(recorded), int(table.sizes.sum())))
    joint = np.zeros(table.payoffs.shape[1], np.int64)
    repeat(table, rule, opening, new_random(seed), recorded, average, joint)
    times = recorded.astype(np.float64)
    return _trajectory(game, method, times, average, table.first, joint.reshape(game.shape) / rounds)


def _trajectory(
    game: MatrixGame, method: str, times: Numbers, rows: Numbers, first: NDArray[np.int64], joint: Numbers | None
) -> Trajectory:
    profiles = tuple(np.split(rows, first[1:], axis=1))
    regrets = np.array([game.regret([strategies[point] for strategies in profiles]) for point in range(len(times))])
    return Trajectory(game, method=method, times=times, profiles=profiles, regrets=regrets, joint=joint)


def _table_of(game: MatrixGame) -> "Table":
    sizes = np.array(game.shape, np.int64)
    strides = np.append(np.cumprod(sizes[:0:-1])[::-1], 1).astype(np.int64)
    return Table(game.payoffs.reshape(len(sizes), -1).copy(), sizes, strides, np.cumsum(sizes) - sizes)


# -- the kernels ------------------------------------------------------------------------------------------------------


class Table(NamedTuple):
    """A matrix game as the kernels read it."""

    payoffs: Any  # float64 [players, cells]
    sizes: Any  # int64 [players]: the number of actions
    strides: Any  # int64 [players]: the difference between the cells of an action and the next one
    first: Any  # int64 [players]: where the player's actions begin in arrays [actions of all players]


@kernel
def repeat(table: Any, rule: int, opening: Any, random: Any, recorded: Any, profiles: Any, joint: Any) -> None:
    """Play until the last of the rounds in `recorded`, and write the averages of each into a row of `profiles`.

    Args:
        table: the game.
        rule: BEST or MATCHING.
        opening: the actions of the first round, int64 [players].
        random: made by `new_random`.
        recorded: int64 [points], ascending.
        profiles: float64 [points, actions of all players].
        joint: int64 [cells], zeros: how often each cell was played.
    """
    payoffs, sizes, strides, first = table
    players = len(sizes)
    values = np.zeros(profiles.shape[1])  # what each action would have earned in all rounds so far
    earned = np.zeros(players)  # what was earned in them
    counts = np.zeros(profiles.shape[1])
    actions = opening.copy()
    point, round_ = 0, 0
    while point < len(recorded):
        cell = 0
        for player in range(players):
            if round_ > 0:
                own = values[first[player] : first[player] + sizes[player]]
                actions[player] = best(own) if rule == BEST else matching(own, earned[player], random)
            cell += actions[player] * strides[player]
        for player in range(players):
            earned[player] += payoffs[player, cell]
            cell_of_others = cell - actions[player] * strides[player]
            for action in range(sizes[player]):
                values[first[player] + action] += payoffs[player, cell_of_others + action * strides[player]]
            counts[first[player] + actions[player]] += 1
        joint[cell] += 1
        round_ += 1
        if round_ == recorded[point]:
            profiles[point] = counts / round_
            point += 1


@kernel
def best(values: Any) -> int:
    """Return the index of the greatest value, the first of several."""
    best_action = 0
    for action in range(1, len(values)):
        if values[action] > values[best_action]:
            best_action = action
    return best_action


@kernel
def matching(values: Any, earned: float, random: Any) -> int:
    """Draw an action in proportion to the excess of its value over `earned`, or uniformly if there is none."""
    total = 0.0
    for value in values:
        total += max(value - earned, 0.0)
    if total <= 0.0:
        return random_below(random, len(values))
    point = random_below(random, FINE) / FINE * total
    reply = 0
    for action in range(len(values)):
        regret = max(values[action] - earned, 0.0)
        if regret > 0.0:
            reply = action
            if point < regret:
                break
            point -= regret
    return reply


@kernel
def flow(table: Any, logits: Any, step: float, steps: int, profiles: Any) -> None:
    """Compute replicator dynamics in logarithms, dy_a/dt = u_a with x = softmax y, so that x stays a strategy.

    Each row of `profiles` is recorded after `steps` further steps of the Runge-Kutta method.
    """
    count = len(logits)
    mixed, rate, rates, middle = np.zeros(count), np.zeros(count), np.zeros(count), np.zeros(count)
    for point in range(len(profiles)):
        for _ in range(steps if point > 0 else 0):
            rates[:] = 0.0
            for stage in range(4):
                reach = 0.0 if stage == 0 else step if stage == 3 else step / 2
                weight = 2.0 if stage in (1, 2) else 1.0
                for action in range(count):
                    middle[action] = logits[action] + reach * rate[action]
                    rate[action] = 0.0
                softmax(table, middle, mixed)
                add_values(table, mixed, rate)
                for action in range(count):
                    rates[action] += weight * rate[action]
            for action in range(count):
                logits[action] += step / 6 * rates[action]
        softmax(table, logits, mixed)
        profiles[point] = mixed


@kernel
def softmax(table: Any, logits: Any, mixed: Any) -> None:
    """Set each player's strategy to the scaled exponentials of the logits, which are shifted to a maximum of 0."""
    sizes, first = table.sizes, table.first
    for player in range(len(sizes)):
        most, total = -np.inf, 0.0
        for action in range(first[player], first[player] + sizes[player]):
            most = max(most, logits[action])
        for action in range(first[player], first[player] + sizes[player]):
            logits[action] -= most
            mixed[action] = np.exp(logits[action])
            total += mixed[action]
        for action in range(first[player], first[player] + sizes[player]):
            mixed[action] /= total


@kernel
def add_values(table: Any, mixed: Any, values: Any) -> None:
    """Add to `values` the expected utility of each action against the strategies of the others."""
    payoffs, sizes, strides, first = table
    players = len(sizes)
    for cell in range(payoffs.shape[1]):
        for player in range(players):
            chance = 1.0
            for other in range(players):
                if other != player:
                    chance *= mixed[first[other] + cell // strides[other] % sizes[other]]
            values[first[player] + cell // strides[player] % sizes[player]] += chance * payoffs[player, cell]
