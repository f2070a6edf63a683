"""Hidden information: what nobody can improve on alone, the Nash equilibrium."""

from outplay.equilibrium.best_response import best_response, exploitability, gains, nash_conv, values
from outplay.equilibrium.cfr import CFR
from outplay.equilibrium.solver import Point, Solution
from outplay.equilibrium.strategy import Strategy
from outplay.equilibrium.tree import GameTree, unroll

__all__ = [
    "CFR",
    "GameTree",
    "Point",
    "Solution",
    "Strategy",
    "best_response",
    "exploitability",
    "gains",
    "nash_conv",
    "unroll",
    "values",
]
