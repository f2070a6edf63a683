"""Playing a matrix game again and again: fictitious play, regret matching and replicator dynamics, as curves.

    fictitious play        everyone takes what would have been best against all that the others have played so far
                           (Brown 1951; Robinson 1951)
    regret matching        everyone takes each action as likely as he regrets not to have taken it always
                           (Hart & Mas-Colell 2000)
    replicator dynamics    dx_a/dt = x_a (u_a - u): what does better than the average u becomes more frequent
                           (Taylor & Jonker 1978)

The averages of the first two come to an equilibrium in every zero-sum game of two; in others they may go round for
ever. What is played together in regret matching always comes to the coarse correlated equilibria. Replicator dynamics
goes round an equilibrium of a zero-sum game and never gets there. A `Trajectory` has all of it as arrays.

In the kernels a cell of the table is one number, and the action of player i in it is `cell // strides[i] % sizes[i]`;
what is kept for each action of each player stands in one array, that of player i from `first[i]` on.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel
from outplay.compile.random_numbers import new_random, random_below
from outplay.equilibrium.matrix_game import MatrixGame, Profile, whole
from outplay.equilibrium.nfg import Numbers
from outplay.rules.arguments import is_number
from outplay.rules.errors import OutplayError

BEST, MATCHING = 0, 1
"""How an action is chosen: as the best so far, or by regret."""
FINE = 1 << 30
"""Random numbers from 0 to 1 are drawn in so many steps."""
MOST_ROUNDS, MOST_POINTS = 10**12, 10**6
"""So many rounds are played, or steps computed, and so many points recorded, at most."""


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """How strategies develop: to be plotted as `times` against columns of `profiles`, or against `regrets`.

    Attributes:
        game: of which game.
        method: by which dynamics.
        times: when each point was recorded, float64 [points]: rounds that were played, or units of time.
        profiles: the strategies of each player at these times, each float64 [points, actions]: the averages of all that
            was played until then, or, in replicator dynamics, the strategies as they are.
        regrets: what a player would gain at most by another strategy against these of the others, float64 [points].
        joint: how often the actions were played together, in all, float64 [actions of player 0, …]; None in replicator
            dynamics.
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
        """What a player would have gained a round, at most, by one and the same action in all of them.

        0 in the limit means that what was played is a coarse correlated equilibrium.
        """
        if self.joint is None:
            raise OutplayError(f"{self.method} does not play rounds: there is nothing to regret")
        gains = []
        for player, table in enumerate(self.game.payoffs):
            others = self.joint.sum(axis=player, keepdims=True)
            each = (table * others).sum(axis=tuple(axis for axis in range(table.ndim) if axis != player))
            gains.append(float(each.max() - (table * self.joint).sum()))
        return max(gains)

    def __repr__(self) -> str:
        points = f"{len(self.times)} points to {self.times[-1]:g}"
        return f"<Trajectory of {self.method}, {points}, regret {self.regrets[-1]:.2g}>"


def fictitious_play(
    game: MatrixGame, rounds: int = 10_000, *, start: Sequence[Any] | None = None, points: int = 200
) -> Trajectory:
    """Everyone plays the best action against what the others have played so far, as often as they did it together.

    Args:
        game: any number of players.
        rounds: how often it is played. All choose at once; of equally good actions the first is taken.
        start: the actions of the first round, by number or name; left out: the first one of each.
        points: so many rounds are recorded at most, close together at first and ever wider apart.

    Raises `OutplayError` for numbers below 1 and actions that do not exist.

    >>> trajectory = fictitious_play(MatrixGame([[1, -1], [-1, 1]]), 100_000)
    >>> [round(float(chance), 2) for chance in trajectory.last[0]], bool(trajectory.regrets[-1] < 0.01)
    ([0.5, 0.5], True)
    """
    return _played(game, rounds, BEST, start, 0, points, "fictitious play")


def regret_matching(
    game: MatrixGame, rounds: int = 10_000, *, start: Sequence[Any] | None = None, seed: int = 0, points: int = 200
) -> Trajectory:
    """Everyone plays each action as likely as he regrets, of all rounds so far, not to have played it always.

    Who regrets nothing plays anything, each action equally likely. `seed` is for what is drawn; the rest as in
    `fictitious_play`.

    >>> trajectory = regret_matching(MatrixGame([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]), 100_000, seed=1)
    >>> [round(float(chance), 1) for chance in trajectory.last[0]], trajectory.external_regret < 0.02
    ([0.3, 0.3, 0.3], True)
    """
    return _played(game, rounds, MATCHING, start, seed, points, "regret matching")


def replicator_dynamics(
    game: MatrixGame, start: Sequence[Any], duration: float = 50.0, *, step: float = 0.01, points: int = 500
) -> Trajectory:
    """One population for each player, in which actions that do better than the average become more frequent.

    Args:
        game: any number of players.
        start: how frequent the actions are at first; one that is not there stays away, and one alone stays alone.
        duration: until when.
        step: the length of a step of the Runge-Kutta method of order 4, in which it is computed, at most.
        points: so many times are recorded, at equal distances, start and end among them.

    Raises `OutplayError` for a start that is no profile, and for numbers that make no sense.

    >>> dilemma = MatrixGame([[(3, 3), (0, 5)], [(5, 0), (1, 1)]], actions=[["cooperate", "defect"]] * 2)
    >>> trajectory = replicator_dynamics(dilemma, [[0.9, 0.1]] * 2)
    >>> [round(float(chance), 3) for chance in trajectory.last[0]]
    [0.0, 1.0]
    """
    profile = game.profile(start)
    duration, step = _length("duration", duration), _length("step", step)
    points = whole("points", points, 2, MOST_POINTS)
    if not duration / step <= MOST_ROUNDS:
        raise OutplayError(
            f"duration={duration!r} has more than {MOST_ROUNDS:,} steps of step={step!r}: take wider ones"
        )
    payoffs, sizes, strides, first = _arrays(game)
    with np.errstate(divide="ignore"):
        logits = np.log(np.maximum(np.concatenate(profile), 0.0))
    found = np.zeros((points, len(logits)))
    times = np.linspace(0.0, duration, points)
    steps = max(int(np.ceil(times[1] / step)), 1)
    flow(payoffs, sizes, strides, first, logits, float(times[1] / steps), steps, found)
    return _trajectory(game, "replicator dynamics", times, found, first, None)


def _length(name: str, value: Any) -> float:
    """`value` as a float above 0."""
    try:
        if is_number(value) and 0 < float(value) < np.inf:
            return float(value)
    except OverflowError:  # too large an int
        pass
    raise OutplayError(f"replicator_dynamics({name}={value!r}): a number above 0")


def _played(
    game: MatrixGame, rounds: int, rule: int, start: Sequence[Any] | None, seed: int, points: int, method: str
) -> Trajectory:
    rounds, points = whole("rounds", rounds, 1, MOST_ROUNDS), whole("points", points, 1, MOST_POINTS)
    seed = whole("seed", seed, 1 - (1 << 62), (1 << 62) - 1)
    opening = np.zeros(game.number_of_players, np.int64)
    if start is not None:
        profile = game.profile(start)
        if any(mixed.max() < 1 for mixed in profile):
            raise OutplayError(f"start={start!r}: an action for each player, by number or name")
        opening[:] = [int(mixed.argmax()) for mixed in profile]
    payoffs, sizes, strides, first = _arrays(game)
    recorded = np.unique(np.geomspace(1, rounds, points).round().astype(np.int64)) if points > 1 else np.array([rounds])
    found = np.zeros((len(recorded), int(sizes.sum())))
    joint = np.zeros(payoffs.shape[1], np.int64)
    repeat(payoffs, sizes, strides, first, rule, opening, new_random(seed), recorded, found, joint)
    times = recorded.astype(np.float64)
    return _trajectory(game, method, times, found, first, joint.reshape(game.shape) / rounds)


def _trajectory(
    game: MatrixGame, method: str, times: Numbers, found: Numbers, first: NDArray[np.int64], joint: Numbers | None
) -> Trajectory:
    profiles = tuple(np.split(found, first[1:], axis=1))
    regrets = np.array([game.regret([strategies[point] for strategies in profiles]) for point in range(len(times))])
    return Trajectory(game, method=method, times=times, profiles=profiles, regrets=regrets, joint=joint)


def _arrays(game: MatrixGame) -> tuple[Numbers, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Payoffs [players, cells], and of each player how many actions he has, their stride, and where they begin."""
    sizes = np.array(game.shape, np.int64)
    strides = np.append(np.cumprod(sizes[:0:-1])[::-1], 1).astype(np.int64)
    return game.payoffs.reshape(len(sizes), -1).copy(), sizes, strides, np.cumsum(sizes) - sizes


# -- the kernels ------------------------------------------------------------------------------------------------------


@kernel
def repeat(
    payoffs: Any, sizes: Any, strides: Any, first: Any, rule: int, opening: Any, random: Any, recorded: Any, found: Any,
    joint: Any,
) -> None:  # fmt: skip
    """Play until the last of the rounds in `recorded`, and put the averages of each into a row of `found`.

    Args:
        payoffs: float64 [players, cells].
        sizes: int64 [players].
        strides: int64 [players].
        first: int64 [players].
        rule: BEST or MATCHING.
        opening: the actions of the first round, int64 [players].
        random: of `new_random`.
        recorded: int64 [points], ascending.
        found: float64 [points, actions of all players].
        joint: int64 [cells], zeros: how often each was played.
    """
    players = len(sizes)
    values = np.zeros(found.shape[1])  # what each action would have brought in all rounds so far
    earned = np.zeros(players)  # what was earned in them
    counts = np.zeros(found.shape[1])
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
            others = cell - actions[player] * strides[player]
            for action in range(sizes[player]):
                values[first[player] + action] += payoffs[player, others + action * strides[player]]
            counts[first[player] + actions[player]] += 1
        joint[cell] += 1
        round_ += 1
        if round_ == recorded[point]:
            found[point] = counts / round_
            point += 1


@kernel
def best(values: Any) -> int:
    """The first of the greatest values."""
    found = 0
    for action in range(1, len(values)):
        if values[action] > values[found]:
            found = action
    return found


@kernel
def matching(values: Any, earned: float, random: Any) -> int:
    """An action drawn as likely as its value is above what was earned; any, if none is."""
    total = 0.0
    for value in values:
        total += max(value - earned, 0.0)
    if total <= 0.0:
        return random_below(random, len(values))
    rest = random_below(random, FINE) / FINE * total
    found = 0
    for action in range(len(values)):
        regret = max(values[action] - earned, 0.0)
        if regret > 0.0:
            found = action
            if rest < regret:
                break
            rest -= regret
    return found


@kernel
def flow(payoffs: Any, sizes: Any, strides: Any, first: Any, logits: Any, step: float, steps: int, found: Any) -> None:
    """Replicator dynamics in logarithms, in which dy_a/dt = u_a and x = softmax y, so that x stays a strategy.

    Each row of `found` is recorded after `steps` more steps of the Runge-Kutta method.
    """
    count = len(logits)
    mixed, rate, rates, middle = np.zeros(count), np.zeros(count), np.zeros(count), np.zeros(count)
    for point in range(len(found)):
        for _ in range(steps if point > 0 else 0):
            rates[:] = 0.0
            for stage in range(4):
                reach = 0.0 if stage == 0 else step if stage == 3 else step / 2
                weight = 2.0 if stage in (1, 2) else 1.0
                for action in range(count):
                    middle[action] = logits[action] + reach * rate[action]
                    rate[action] = 0.0
                softmax(middle, sizes, first, mixed)
                add_values(payoffs, sizes, strides, first, mixed, rate)
                for action in range(count):
                    rates[action] += weight * rate[action]
            for action in range(count):
                logits[action] += step / 6 * rates[action]
        softmax(logits, sizes, first, mixed)
        found[point] = mixed


@kernel
def softmax(logits: Any, sizes: Any, first: Any, mixed: Any) -> None:
    """Each player's strategy: the exponentials of his logits, scaled; these are moved so that the greatest is 0."""
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
def add_values(payoffs: Any, sizes: Any, strides: Any, first: Any, mixed: Any, values: Any) -> None:
    """Add to `values` what each action is worth against the strategies of the others."""
    players = len(sizes)
    for cell in range(payoffs.shape[1]):
        for player in range(players):
            chance = 1.0
            for other in range(players):
                if other != player:
                    chance *= mixed[first[other] + cell // strides[other] % sizes[other]]
            values[first[player] + cell // strides[player] % sizes[player]] += chance * payoffs[player, cell]
