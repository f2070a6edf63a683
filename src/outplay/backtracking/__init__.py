"""Problems with variables and constraints, such as queens and Sudoku."""

from outplay.backtracking import problems
from outplay.backtracking.trace import BacktrackingTrace, Step
from outplay.rules.problem import Domains, Solution, domains, excluded

__all__ = ["BacktrackingTrace", "Domains", "Solution", "Step", "domains", "excluded", "problems"]
