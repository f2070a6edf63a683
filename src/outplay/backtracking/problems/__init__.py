"""The built-in problems, one per file. They use only what your own problems can use."""

from outplay.backtracking.problems.colouring import Colouring
from outplay.backtracking.problems.queens import Queens
from outplay.backtracking.problems.sudoku import Sudoku
from outplay.rules.problem import Problem

BUILT_IN: dict[str, type[Problem]] = {
    "colouring": Colouring,
    "queens": Queens,
    "sudoku": Sudoku,
}
"""Every built-in problem, by its name on the command line."""

__all__ = ["BUILT_IN", "Colouring", "Queens", "Sudoku"]
