"""n queens on a chessboard of n × n squares, none of which attacks another (Max Bezzel 1848, for n = 8).

There is one queen in each row: the variables are the rows, the values are the columns. The attacked columns and
diagonals are bits of three ints, so the free squares of a row are one expression, an old trick (see Knuth 7.2.2). Rows
count from the bottom, as on a chessboard. With n = 4, the diagonals of each square:

      rising: column + row       falling: column - row + n - 1
    4   3 4 5 6                    0 1 2 3
    3   2 3 4 5                    1 2 3 4
    2   1 2 3 4                    2 3 4 5
    1   0 1 2 3                    3 4 5 6
        a b c d                    a b c d

Squares may be blocked: no queen may stand there, but queens attack across them, as in "Another n-Queen Problem" (UVa
11195).
"""

from collections.abc import Iterable, Iterator, Sequence
from string import ascii_lowercase
from typing import Any, NamedTuple, NoReturn

import numpy as np

from outplay.games._parameters import whole_number
from outplay.games._pictures import grid
from outplay.rules.errors import RulesError
from outplay.rules.problem import Problem, Solution
from outplay.rules.wording import shown

MAX_SIZE = 31
"""The maximum n: all diagonals of one direction are bits of one int."""


class Attacked(NamedTuple):
    """The columns and diagonals with a queen, as bit masks."""

    columns: int
    rising: int  # by column + row
    falling: int  # by column - row + n - 1


class Queens(Problem):
    """n queens on a board of n × n squares, none of which attacks another or stands on a blocked square.

    `n` is at most 31. `blocked` names the blocked squares, such as ("a1", "d4").

    >>> from outplay import Backtracking
    >>> found = Backtracking(Queens(5, blocked=("a1", "b1"))).all()
    >>> found.count
    6
    >>> print(found.problem.render(found.solution))
    5 . . . . Q
    4 . Q . . .
    3 . . . Q .
    2 Q . . . .
    1 * * Q . .
      a b c d e
    """

    def __init__(self, n: int = 8, blocked: Iterable[str] = ()) -> None:
        self.n = self.variables = whole_number("n", n, 1, MAX_SIZE)
        free = [(1 << self.n) - 1] * self.n
        for square in [blocked] if isinstance(blocked, str) else blocked:
            column, row = self._square(square)
            free[row] &= ~(1 << column)
        self.free = np.array(free)  # int64 [n]: the squares of each row that are not blocked, as a bit mask
        self.mirrors = all(mask == (1 << self.n) - 1 for mask in free)

    def _square(self, name: str) -> tuple[int, int]:
        """Column and row of a square by its name."""
        letter, digits = str(name)[:1], str(name)[1:]
        column = (ascii_lowercase + "ABCDE").find(letter) if letter else -1
        if not 0 <= column < self.n or not digits.isdecimal() or not 1 <= int(digits) <= self.n:
            raise RulesError(f"blocked={name!r}: the squares are a1 to {_letters(self.n)[-1]}{self.n}")
        return column, int(digits) - 1

    def initial_state(self) -> Attacked:
        return Attacked(0, 0, 0)

    def candidates(self, attacked: Attacked, row: int) -> int:
        slanting = attacked.rising >> row | attacked.falling >> self.n - 1 - row
        return int(self.free[row]) & ~(attacked.columns | slanting)

    def assign(self, attacked: Attacked, row: int, column: int) -> Attacked:
        queen = 1 << column
        return Attacked(
            attacked.columns | queen, attacked.rising | queen << row, attacked.falling | queen << self.n - 1 - row
        )

    def weight(self, attacked: Attacked, row: int, column: int) -> int:
        """Without blocked squares, the first queen is in the left half, and each board stands for its mirror image."""
        if row > 0 or not self.mirrors or 2 * column == self.n - 1:
            return 1
        return 2 if 2 * column < self.n else 0

    def images(self, solution: Solution) -> Iterable[Solution]:
        if not self.mirrors or 2 * solution[0] == self.n - 1:
            return (solution,)
        return solution, tuple(self.n - 1 - column for column in solution)

    def render(self, solution: Solution) -> str:
        rows: list[list[object]] = []
        for row in reversed(range(self.n)):
            marks = ["." if self.free[row] >> column & 1 else "*" for column in range(self.n)]
            marks[solution[row]] = "Q"
            rows.append([row + 1, *marks])
        return grid([*rows, ["", *_letters(self.n)]])

    def variable_name(self, row: int) -> str:
        return f"row {row + 1}"

    def value_name(self, row: int, column: int) -> str:
        return _letters(self.n)[column]

    def instances(self, text: str) -> Iterator[tuple[Problem, None]]:
        """The boards in a file in the format of UVa 11195: n, then n lines of `.` and `*` (blocked); 0 at the end."""
        lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        if [line for _, line in lines if line == "0"] != ["0"] or lines[-1][1] != "0":
            raise RulesError("the last line, and no other, must be 0: the file is not whole, or not in this format")
        numbered_lines = iter(lines)
        while (line := next(numbered_lines))[1] != "0":
            if line[1] not in map(str, range(1, MAX_SIZE + 1)):
                _refuse(line, f"expected a number of rows from 1 to {MAX_SIZE}")
            n, blocked = int(line[1]), []
            for row in reversed(range(n)):
                line = next(numbered_lines)
                if len(line[1]) != n or set(line[1]) - {".", "*"}:
                    _refuse(line, f"expected {n} squares, `.` free or `*` blocked")
                blocked += [f"{_letters(n)[column]}{row + 1}" for column in range(n) if line[1][column] == "*"]
            yield type(self)(n, tuple(blocked)), None

    def summary(self, cases: Sequence[tuple[Problem, Any]]) -> str:
        return f"{len(cases):,} board{'s' * (len(cases) != 1)}"


def _refuse(line: tuple[int, str], reason: str) -> NoReturn:
    raise RulesError(f"line {line[0]}, {shown(line[1])}: {reason}")


def _letters(n: int) -> str:
    """The names of the columns."""
    return (ascii_lowercase + "ABCDE")[:n]
