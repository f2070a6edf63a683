"""Correlated equilibria: a mediator privately recommends an action to each player, and obeying is optimal.

    for each player i, each recommended action a, each action b:
        sum over the recommendations o to the others of  p(a, o) (payoffs[i](a, o) - payoffs[i](b, o)) ≥ 0

(Aumann 1974.) Every Nash equilibrium is one. Correlated equilibria are the solutions of these linear inequalities, so
the best one by any linear measure is found by one linear program.
"""

from dataclasses import KW_ONLY, dataclass
from itertools import permutations
from math import prod
from typing import Any

import numpy as np

from outplay.equilibrium.linear_program import Program, linear_program
from outplay.equilibrium.matrix_game import MatrixGame
from outplay.equilibrium.mixed_equilibrium import without_solver_noise
from outplay.equilibrium.nfg import Numbers
from outplay.equilibrium.notebook import correlated_html
from outplay.equilibrium.payoff_tables import probabilities_from
from outplay.rules.errors import OutplayError

MAX_NUMBERS = 30_000_000
"""The maximum number of coefficients in the linear program; more would take gigabytes."""


@dataclass(frozen=True, eq=False, repr=False)
class CorrelatedEquilibrium:
    """A distribution over combinations of actions from which no player gains by deviating when told the own action.

    Attributes:
        game: the game.
        distribution: the probability of each combination, float64 [actions of player 0, actions of player 1, …].
        method: how it was found.
    """

    game: MatrixGame
    distribution: Numbers
    _: KW_ONLY
    method: str

    @property
    def utilities(self) -> Numbers:
        """The expected utility of each player: float64 [players]."""
        return np.array([float((table * self.distribution).sum()) for table in self.game.payoffs])

    @property
    def regret(self) -> float:
        """The maximum gain of any player from deviating from recommendations: 0 up to rounding."""
        return correlated_regret(self.game, self.distribution)

    def __str__(self) -> str:
        game, lines = self.game, []
        for profile in np.argwhere(self.distribution > 1e-9):
            names = ", ".join(names[action] for names, action in zip(game.actions, profile, strict=True))
            lines.append(f"{names}: {self.distribution[tuple(profile)]:.4g}")
        for name, utility in zip(game.players, without_solver_noise(game, self.utilities), strict=True):
            lines.append(f"{name} expects {utility:.6g}")
        regret = without_solver_noise(game, _regrets(game, self.distribution)).max()
        return "\n".join([*lines, f"regret {regret:.2g}; by {self.method}"])

    def _repr_html_(self) -> str:
        return correlated_html(self)

    def __repr__(self) -> str:
        return f"<CorrelatedEquilibrium of {self.game!r} by {self.method}>"


def correlated_equilibrium(game: MatrixGame, *, maximize: Any = "welfare") -> CorrelatedEquilibrium:
    """Return the correlated equilibrium that is best by a chosen measure.

    Args:
        game: a game with any number of players.
        maximize: "welfare", the sum of all payoffs; "fairness", the least payoff of any player, as accurately as the
            greatest payoffs allow; or a weight for the payoff of each player, such as (0, -1) to harm player 1.

    Raises `OutplayError` for another measure, and if the game is too large.

    >>> chicken = MatrixGame([[(6, 6), (2, 7)], [(7, 2), (0, 0)]], actions=[["swerve", "straight"]] * 2)
    >>> print(correlated_equilibrium(chicken))
    swerve, swerve: 0.5
    swerve, straight: 0.25
    straight, swerve: 0.25
    player 0 expects 5.25
    player 1 expects 5.25
    regret 0; by linear programming (HiGHS), greatest welfare
    """
    from scipy.sparse import coo_array, hstack, vstack  # noqa: PLC0415 - SciPy is imported when first needed

    weights, goal = _weights(game, maximize)
    size, cells = sum(number - 1 for number in game.shape) * prod(game.shape), prod(game.shape)
    if size > MAX_NUMBERS:
        raise OutplayError(
            f"the linear program for {game!r} would have {size:,} coefficients; the maximum is {MAX_NUMBERS:,}"
        )
    payoffs, gains = game.payoffs.reshape(-1, cells), _gains(game)
    weighted = weights @ payoffs
    total, objective = np.ones((1, cells)), (weighted.min() - weighted) / (np.ptp(weighted) or 1.0)
    if goal == "fairness":  # one more variable, z ≤ the payoff of each player: maximize z
        scaled = (payoffs - payoffs.min()) / max(game.spreads)
        gains = vstack(
            [hstack([gains, coo_array((gains.shape[0], 1))]), np.hstack([-scaled, np.ones((len(scaled), 1))])]
        )
        total, objective = np.append(total, 0.0)[np.newaxis], np.append(np.zeros(cells), -1.0)
    solved = linear_program(game, Program(objective, gains.tocsc(), np.zeros(gains.shape[0]), total, [1.0]))
    distribution = probabilities_from(solved.x[:cells]).reshape(game.shape)
    return CorrelatedEquilibrium(game, distribution, method=f"linear programming (HiGHS), greatest {goal}")


def correlated_regret(game: MatrixGame, distribution: Any) -> float:
    """Return the maximum gain of any player from deviating from recommendations: 0 in a correlated equilibrium.

    `distribution` is the probability of each combination of actions, [actions of player 0, …].
    """
    try:
        joint = np.asarray(distribution, np.float64)
    except (TypeError, ValueError, OverflowError):
        joint = np.empty(0)
    if joint.shape != game.shape or not (joint >= -1e-9).all() or not abs(joint.sum() - 1) <= 1e-6:
        raise OutplayError(f"must be probabilities of shape {game.shape} that sum to 1, not {distribution!r}")
    return float(_regrets(game, joint).max())


def _regrets(game: MatrixGame, joint: Numbers) -> Numbers:
    """Return the same for each player: float64 [players]."""
    regrets = []
    for player in range(game.number_of_players):
        mine = np.moveaxis(joint, player, 0).reshape(game.shape[player], -1)
        table = np.moveaxis(game.payoffs[player], player, 0).reshape(game.shape[player], -1)
        values = mine @ table.T  # [told, done]
        regrets.append((values.max(axis=1) - values.diagonal()).sum())
    return np.maximum(regrets, 0.0)


def _gains(game: MatrixGame) -> Any:
    """Return the gains from doing b when told a: sparse [(player, a, b), cells]."""
    from scipy.sparse import coo_array  # noqa: PLC0415

    cells = np.arange(prod(game.shape)).reshape(game.shape)
    data, row, column, rows = [np.empty(0)], [np.empty(0, int)], [np.empty(0, int)], 0
    for player, number in enumerate(game.shape):
        table = np.moveaxis(game.payoffs[player], player, 0).reshape(number, -1) / game.spreads[player]
        places = np.moveaxis(cells, player, 0).reshape(number, -1)
        for recommended, done in permutations(range(number), 2):
            data.append(table[done] - table[recommended])
            column.append(places[recommended])
            row.append(np.full(places.shape[1], rows))
            rows += 1
    return coo_array((np.concatenate(data), (np.concatenate(row), np.concatenate(column))), shape=(rows, cells.size))


def _weights(game: MatrixGame, maximize: Any) -> tuple[Numbers, str]:
    """Return the weight of each player's payoff, and the name of the measure."""
    if isinstance(maximize, str):
        if maximize in ("welfare", "fairness"):
            return np.ones(game.number_of_players), maximize
    else:
        try:
            weights = np.array(maximize, np.float64)
        except (TypeError, ValueError, OverflowError):
            weights = np.empty(0)
        if weights.shape == (game.number_of_players,) and np.isfinite(weights).all():
            return weights, f"sum of payoffs with the weights {', '.join(f'{weight:g}' for weight in weights)}"
    raise OutplayError(
        f'maximize={maximize!r}: "welfare", "fairness", or {game.number_of_players} numbers, a weight for each player'
    )
