"""Sudoku: each digit once in every row, column and box.

With boxes of 3 × 3 cells, the grid has 9 × 9 cells. They are numbered row by row from the top left corner:

     0  1  2 |  3  4 …
     9 10 11 | 12 13 …
    18 19 20 | 21 22 …
    ---------+--------
    27 28 29 | 30 31 …

The variables are the cells; value 0 stands for the digit 1. The state holds the possible digits of each cell, so all
grids of one size share a compiled solver. A grid is written as its cells in this order, with `.` for an empty cell: 81
characters for 9 × 9. After 9, the digits are A, B, … Files have many other forms, see `_grids.py`.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from outplay.backtracking.problems._grids import DIGITS, GridReader
from outplay.games._parameters import whole_number
from outplay.rules.errors import RulesError
from outplay.rules.problem import Domains, Problem, Solution, domains, excluded


class Sudoku(Problem):
    """Sudoku with boxes of `rows` × `columns` cells; `grid` contains the given digits.

    >>> from outplay import Backtracking
    >>> sudoku = Sudoku()
    >>> grid = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
    >>> found = Backtracking(sudoku).all(sudoku.parse_state(grid))
    >>> found.count, found.nodes
    (1, 81)
    >>> print(sudoku.render(found.solution))
    5 3 4 | 6 7 8 | 9 1 2
    6 7 2 | 1 9 5 | 3 4 8
    1 9 8 | 3 4 2 | 5 6 7
    ------+-------+------
    8 5 9 | 7 6 1 | 4 2 3
    4 2 6 | 8 5 3 | 7 9 1
    7 1 3 | 9 2 4 | 8 5 6
    ------+-------+------
    9 6 1 | 5 3 7 | 2 8 4
    2 8 7 | 4 1 9 | 6 3 5
    3 4 5 | 2 8 6 | 1 7 9
    """

    usual_order = "most-constrained"

    def __init__(self, rows: int = 3, columns: int | None = None, grid: str = "") -> None:
        self.rows = whole_number("rows", rows, 1, 5)
        self.columns = whole_number("columns", rows if columns is None else columns, 1, 5)
        self.size = self.values = self.rows * self.columns
        self.variables = self.size * self.size
        self.peers = np.array([self._peers(cell) for cell in range(self.variables)])  # int64 [cells, peers]
        self.grid = str(grid)
        if grid:
            self._clues(grid)

    def _peers(self, cell: int) -> list[int]:
        """The other cells in the same row, column or box, then -1."""
        return [other for other in range(self.variables) if other != cell and self._see(cell, other)] + [-1]

    def _see(self, cell: int, other: int) -> bool:
        row, column = divmod(cell, self.size)
        its_row, its_column = divmod(other, self.size)
        same_box = (row // self.rows, column // self.columns) == (its_row // self.rows, its_column // self.columns)
        return row == its_row or column == its_column or same_box

    def initial_state(self) -> Domains:
        return self.parse_state(self.grid) if self.grid else super().initial_state()

    def assign(self, state: Domains, cell: int, digit: int) -> Domains:
        return excluded(state, cell, digit, self.peers[cell])

    def parse_state(self, text: str) -> Domains:
        """The state of the only grid in `text`, in one of the forms that `instances` reads."""
        return self._state(self._clues(text))

    def _clues(self, text: str) -> list[int]:
        """The value given for each cell, from 0; -1 if none is given."""
        grids = list(self._reader().read(text))
        if len(grids) != 1:
            raise RulesError(f"{len(grids) or 'no'} Sudoku{'s' * (len(grids) > 1)} in a text that is to have one")
        return grids[0]

    def _state(self, digits: list[int]) -> Domains:
        values = [range(self.size) if digit < 0 else (digit,) for digit in digits]
        state = domains(self, values)
        for cell, digit in enumerate(digits):
            if digit >= 0:
                state = excluded(state, cell, digit, self.peers[cell])
        return state

    def _reader(self) -> GridReader:
        return GridReader(self.rows, self.columns)

    def instances(self, text: str) -> Iterator[tuple[Problem, Any]]:
        """The grids in a file: a grid or a row per line, with borders, headings and comments (`#`)."""
        for clues in self._reader().read(text):
            yield self, self._state(clues)

    def summary(self, cases: Sequence[tuple[Problem, Any]]) -> str:
        return f"{len(cases):,} Sudoku{'s' * (len(cases) != 1)} of {self.size} × {self.size} cells"

    def render(self, solution: Solution) -> str:
        rows = []
        for row in range(self.size):
            digits = [DIGITS[digit] for digit in solution[row * self.size : (row + 1) * self.size]]
            boxes = [digits[first : first + self.columns] for first in range(0, self.size, self.columns)]
            if row and row % self.rows == 0:
                widths = [2 * self.columns + (0 < box < self.rows - 1) for box in range(self.rows)]
                rows.append("+".join("-" * width for width in widths))
            rows.append(" | ".join(" ".join(box) for box in boxes))
        return "\n".join(rows)

    def text(self, solution: Solution) -> str:
        """The cells of `solution` in order, in the form in which grids are written."""
        return "".join(DIGITS[digit] for digit in solution)

    def variable_name(self, cell: int) -> str:
        return f"r{cell // self.size + 1}c{cell % self.size + 1}"

    def value_name(self, cell: int, digit: int) -> str:
        return DIGITS[digit]
