"""Problems with variables and constraints, such as queens and Sudoku."""

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
