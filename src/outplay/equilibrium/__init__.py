"""Hidden information: what nobody can improve on alone, the Nash equilibrium."""

from outplay.equilibrium.best_response import best_response, exploitability, gains, nash_conv, values
from outplay.equilibrium.cfr import CFR
from outplay.equilibrium.fictitious_play import FictitiousPlay
from outplay.equilibrium.mccfr import MCCFR
from outplay.equilibrium.sequence_form import SequenceForm
from outplay.equilibrium.solver import Point, Solution
from outplay.equilibrium.strategy import Strategy
from outplay.equilibrium.tree import GameTree, unroll
from outplay.equilibrium.treeless import TreelessMCCFR

__all__ = [
    "CFR",
    "MCCFR",
    "FictitiousPlay",
    "GameTree",
    "Point",
    "SequenceForm",
    "Solution",
    "Strategy",
    "TreelessMCCFR",
    "best_response",
    "exploitability",
    "gains",
    "nash_conv",
    "unroll",
    "values",
]
