"""Sudoku grids from text: a row or a whole grid per line, as collections and programs write them.

What is neither a row, a grid, a border, a heading between grids nor a comment is refused, and so is a grid of which a
row or a cell is missing: one that is read as another grid gives a wrong answer.
"""

import re
from collections.abc import Iterable, Iterator
from string import ascii_uppercase
from typing import NoReturn

from outplay.rules.errors import RulesError
from outplay.rules.wording import shown

DIGITS = "123456789" + ascii_uppercase
EMPTY = ".0*_-?X"
SEPARATORS = re.compile(r"[\s,;:|│┃║'\"()\[\]{}]+")
BORDER = re.compile(r"[-=+|*\s─-╿]+")
HEADING = re.compile(r"[A-Za-z][A-Za-z ]+[ #.:]*\d{0,6}[.:]?|\d{1,6}[.:]?|\[Puzzle\]")
"""Words and perhaps a number, such as `Grid 02`, or a number alone."""

Line = tuple[int, str]  # its number in the text, and what it says
Cells = list[int]  # the digit of each cell, from 0; -1: empty


class GridReader:
    """Reads grids with boxes of `rows` × `columns` cells."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.size = rows, rows * columns
        self.dashes = False  # whether - is an empty cell
        self.digits = DIGITS[: self.size]
        self.numbers = {str(number): digit for number, digit in enumerate(self.digits, 1)}
        self.form = (
            f"with boxes of {rows} × {columns}, a row has {self.size} cells and a grid {self.size**2},"
            f" each a digit from 1 to {self.digits[-1]} or . for an empty cell"
        )

    def read(self, text: str) -> Iterator[Cells]:
        """The cells of each grid in a text, row by row. Raises `RulesError` for what is not understood."""
        lines = [
            (number, re.sub(r"(^|\s)(#|//).*", "", line).strip()) for number, line in enumerate(text.splitlines(), 1)
        ]
        self.dashes = any("-" in marks and set(marks) & set(self.digits) for marks in map(self._marks, lines))
        if any(self._grids(line) for line in lines):
            return self._line_by_line([line for line in lines if line[1]])
        return self._row_by_row([*lines, (len(lines) + 1, "")])

    def _line_by_line(self, lines: list[Line]) -> Iterator[Cells]:
        """A grid in each line, perhaps with a name, a solution or a rating; perhaps the names of these first."""
        for line in lines:
            grids = [self._cells(line, marks) for marks in self._grids(line)]
            if grids:
                for solution in grids[1:]:
                    if -1 in solution or any(
                        digit not in (-1, its) for digit, its in zip(grids[0], solution, strict=True)
                    ):
                        self._refuse(line, "two grids, of which the second is not a solution of the first")
                yield grids[0]
            elif not (self._is_border(line) or (line is lines[0] and self._is_title(line[1], len(lines) - 1))):
                self._refuse(line)

    def _row_by_row(self, lines: list[Line]) -> Iterator[Cells]:
        """A row in each line. Borders and blank lines may be between boxes and grids, headings between grids."""
        rows: list[Line] = []  # of the grid that is not complete yet
        block = 0  # the number of rows since the last line that is not a row
        heading: Line | None = None  # whose grid has not begun yet
        for line in lines:
            if len(self._marks(line)) == self.size and not self._is_border(line):
                rows.append(line)
                block += 1
                heading = None
                if len(rows) == self.size:
                    if block not in (self.rows, self.size):
                        self._incomplete(line, rows)
                    yield self._cells(rows[0], [mark for row in rows for mark in self._marks(row)])
                    rows, block = [], 0
                continue
            if not line[1] or self._is_border(line):
                is_end = line is lines[-1] or set(line[1]) == {"="}
                if rows and (is_end or block not in (0, self.rows)):
                    self._incomplete(line, rows)
            elif rows or not HEADING.fullmatch(line[1]):
                self._refuse(line)
            else:
                heading = line
            block = 0
        if heading:
            self._refuse(heading, "" if self._marks(heading) else "no grid follows")

    def _marks(self, line: Line) -> list[str]:
        """The marks of a line that has nothing but cells; else an empty list."""
        words = [word for word in SEPARATORS.split(line[1].upper()) if word]
        if self.size > 9 and len(words) % self.size == 0 and any(len(word) > 1 for word in words):
            words = [self.numbers.get(word.lstrip("0"), word) for word in words]
        marks = list("".join(words))
        return marks if self._are_cells(marks) else []

    def _grids(self, line: Line) -> list[list[str]]:
        """The marks of each whole grid in a line."""
        words = [word for word in SEPARATORS.split(line[1].upper()) if len(word) == self.size**2]
        grids = [list(word) for word in words if self._are_cells(word) and not self._is_border(line)]
        marks = self._marks(line)
        return grids or ([marks] if len(marks) == self.size**2 and not self._is_border(line) else [])

    def _are_cells(self, marks: Iterable[str]) -> bool:
        return all(mark in self.digits or mark in EMPTY for mark in marks)

    def _is_border(self, line: Line) -> bool:
        """Whether a line separates boxes or grids. Where - is an empty cell, a row may consist of nothing else."""
        if not BORDER.fullmatch(line[1]):
            return False
        marks = set(line[1]) - set(" \t|")
        return marks != {"*"} and not (self.dashes and marks == {"-"} and line[1].count("-") == self.size)

    def _is_title(self, line: str, grids: int) -> bool:
        """Whether this names the columns of a table, or is the number of its rows."""
        return re.fullmatch(r"[A-Za-z_,; \t]+", line) is not None or line == str(grids)

    def _cells(self, line: Line, marks: list[str]) -> Cells:
        """The digits of the marks of a grid that begins in this line."""
        empty = set(marks) & set(EMPTY)
        if len(empty) > 1 and (self.size > 9 or empty != {".", "0"}):
            self._refuse(line, f"{' and '.join(sorted(empty))} in one grid; use one mark for empty cells")
        return [self.digits.find(mark) for mark in marks]

    def _incomplete(self, line: Line, rows: list[Line]) -> NoReturn:
        raise RulesError(
            f"line {line[0]}: the grid that begins in line {rows[0][0]} has {len(rows)} rows here, which are not"
            f" {self.size} together nor groups of {self.rows}; {self.form}"
        )

    def _refuse(self, line: Line, reason: str = "") -> NoReturn:
        unknown = {mark for mark in line[1].upper() if not self._are_cells(mark) and not SEPARATORS.match(mark)}
        cells = len(self._marks(line))
        reason = reason or (f"{cells} cells" if cells else f"{shown(''.join(sorted(unknown)))}: no digit")
        raise RulesError(f"line {line[0]}, {shown(line[1])}: {reason}; {self.form}")
