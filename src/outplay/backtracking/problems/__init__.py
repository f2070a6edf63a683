"""Problems that come with outplay, one a file. They use nothing that a problem of one's own cannot use."""

from outplay.backtracking.problems.colouring import Colouring
from outplay.backtracking.problems.queens import Queens
from outplay.backtracking.problems.sudoku import Sudoku
from outplay.rules.problem import Problem

BUILT_IN: dict[str, type[Problem]] = {
    "colouring": Colouring,
    "queens": Queens,
    "sudoku": Sudoku,
}
"""Every problem that comes with outplay, by the name that the command line knows."""

__all__ = ["BUILT_IN", "Colouring", "Queens", "Sudoku"]
