"""Curves: how a solver comes near an equilibrium, and how repeated play goes on."""

import math
from typing import Any

from outplay.pictures.plot import COLOURS, DASHES, axes, dressed

MAX_LINES = 12
"""The maximum number of actions with a line in the plot of a trajectory."""


def plot_solution(solution: Any, ax: Any) -> Any:
    """Draw the exploitability of a `Solution` over its iterations, both on logarithmic scales."""
    points = [point for point in solution.curve if point.iterations > 0 and 0 < point.exploitability < math.inf]
    if not points:
        raise ValueError(f"Solution.plot(): {solution.solver} measured no exploitability on its way; there is no curve")
    ax = axes(ax, "Solution.plot")
    iterations, far = [point.iterations for point in points], [point.exploitability for point in points]
    ax.loglog(iterations, far, marker=".", label=solution.solver)
    return dressed(ax, repr(solution.strategy.game), "iterations", "exploitability")


def plot_trajectory(trajectory: Any, ax: Any, regrets: bool) -> Any:
    """Draw the strategies of a `Trajectory` over time, or its regrets. Rounds are on a logarithmic scale."""
    ax = axes(ax, "Trajectory.plot")
    game, rounds = trajectory.game, trajectory.joint is not None
    if regrets:
        ax.plot(trajectory.times, trajectory.regrets, label=trajectory.method)
        if (trajectory.regrets > 0).any():
            ax.set_yscale("log")
    else:
        curves = [
            (-float(strategies[-1, action]), player, action)
            for player, strategies in enumerate(trajectory.profiles)
            for action in range(strategies.shape[1])
        ]
        drawn_pairs = sorted((player, action) for _, player, action in sorted(curves)[:MAX_LINES])
        for player, action in drawn_pairs:
            ax.plot(
                trajectory.times,
                trajectory.profiles[player][:, action],
                DASHES[player % len(DASHES)],
                color=COLOURS[action % len(COLOURS)],
                label=f"{game.players[player]}: {game.actions[player][action]}",
            )
        ax.set_ylim(-0.03, 1.03)
    if rounds:
        ax.set_xscale("log")
    quantity = "regret" if regrets else "average strategy" if rounds else "share of the population"
    return dressed(ax, trajectory.method, "rounds" if rounds else "time", quantity)
