"""Backtracking: problems with variables and constraints, for one who has no opponent but the constraints."""

from outplay.backtracking.search import Backtracking, Solutions
from outplay.backtracking.trace import BacktrackingTrace, Step
from outplay.rules.problem import Domains, Problem, Solution, domains, excluded

__all__ = [
    "Backtracking",
    "BacktrackingTrace",
    "Domains",
    "Problem",
    "Solution",
    "Solutions",
    "Step",
    "domains",
    "excluded",
]
