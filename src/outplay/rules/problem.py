"""`Problem`: what you write for backtracking, and everything that the search knows about it.

A constraint satisfaction problem (Russell & Norvig, *Artificial Intelligence: A Modern Approach*, ch. 6): variables
0, 1, …, each with some values, and constraints between them. A solution gives every variable a value. There are two
ways to write one; the first is shorter and the second is faster:

    declared    `variables`, `values` and `allowed`: which values of two variables go together
    by states   `initial_state`, `candidates` and `assign`: small immutable states, as in a `Game`, that say which
                values of a variable are consistent with the assignments so far

Start at `Problem`. The search reads a problem by `values_of` and `number_of_values`.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.rules.actions import is_mask, listed
from outplay.rules.base import Rules
from outplay.rules.bits import count, single, squares
from outplay.rules.errors import RulesError

Solution = tuple[int, ...]
"""The value of each variable."""
MAX_VALUES = 64
"""The maximum number of values of a declared problem: the bits of a mask, for values from 0 to 63."""


class Domains(NamedTuple):
    """The values that each variable may still have: the state of a problem that does not define states."""

    masks: NDArray[np.int64]  # int64 [variables]: bit v set: value v is possible


class Problem(Rules):
    """Variables, the values that each may have, and which values go together, as ordinary Python methods.

    Never change what the constructor stores: it is constant in compiled code, as for `Game`.

    >>> class Queens(Problem):
    ...     '''n queens on n × n squares, none of which attacks another: a queen in each row, but in which column?'''
    ...     def __init__(self, n=8):
    ...         self.variables = self.values = n
    ...     def allowed(self, row, column, other_row, other_column):
    ...         return column != other_column and abs(column - other_column) != abs(row - other_row)
    >>> from outplay import Backtracking
    >>> Backtracking(Queens(6)).count().count
    4
    """

    __slots__ = ()

    variables: int = 0
    """The number of variables."""
    values: int = 0
    """The number of values of each variable in a declared problem: 0 to values - 1."""
    usual_order: str = "given"
    """The `order` of a search that is not told one: "given" or "most-constrained"."""

    def sequence(self) -> Iterable[int]:
        """The variables, each once, in the order in which a search takes them, or breaks ties if it is dynamic.

        Not compiled. Default: 0, 1, …
        """
        return range(self.variables)

    # -- declared -----------------------------------------------------------------------------------------------------

    def domain(self, variable: int) -> Iterable[int]:
        """The values of a variable of a declared problem, each from 0 to 63. Default: 0 to values - 1."""
        return range(self.values)

    def allowed(self, variable: int, value: int, other: int, other_value: int) -> bool:
        """Whether these values of two variables go together; `variable` is less than `other`."""
        raise NotImplementedError

    # -- by states ----------------------------------------------------------------------------------------------------

    def initial_state(self) -> Any:
        """The state in which nothing is assigned. Default: the `Domains` of all variables."""
        return domains(self, [self.domain(variable) for variable in range(self.variables)])

    def candidates(self, state: Any, variable: int) -> Any:
        """The values of an unassigned variable that are consistent with the assignments so far.

        Return a bit mask (bit i set: value i), which is the fastest, an array, a generator, a list or a tuple. With the
        order "given" and no forward checking, this is called for the next variable only, otherwise for all unassigned
        ones. Do not leave out a value that is part of a solution. Values that are part of none only cost time.
        """
        return int(state.masks[variable])

    def assign(self, state: Any, variable: int, value: int) -> Any:
        """The state after one more assignment. The given state must not be changed."""
        masks = state.masks.copy()
        masks[variable] = single(value)
        for other in range(self.variables):
            left = int(masks[other])
            if other != variable:
                for other_value in squares(masks[other]):
                    if other > variable:
                        fits = self.allowed(variable, value, other, other_value)
                    else:
                        fits = self.allowed(other, other_value, variable, value)
                    if not fits:
                        left &= ~single(other_value)
            masks[other] = left
        return Domains(masks)

    # -- symmetry -----------------------------------------------------------------------------------------------------

    def weight(self, state: Any, variable: int, value: int) -> int:
        """The number of symmetric choices that this candidate stands for, including itself; 0 to leave it out.

        A solution stands for as many solutions as the product of the weights of its assignments.
        """
        return 1

    def images(self, solution: Solution) -> Iterable[Solution]:
        """The solutions that `solution` stands for, including itself, each once: as many as its weights say."""
        return (solution,)

    # -- for people ---------------------------------------------------------------------------------------------------

    def render(self, solution: Solution) -> str:
        """A picture of `solution`."""
        names = (self.variable_name(variable) for variable in range(self.variables))
        return "\n".join(
            f"{name}: {self.value_name(variable, solution[variable])}" for variable, name in enumerate(names)
        )

    def variable_name(self, variable: int) -> str:
        """The name of a variable."""
        return str(variable)

    def value_name(self, variable: int, value: int) -> str:
        """The name of a value."""
        return str(value)

    def parse_state(self, text: str) -> Any:
        """The state that `text` describes, such as a Sudoku with some digits given.

        Raises `RulesError` if the text is wrong or the problem has no text form.
        """
        raise RulesError(f"{type(self).__name__} has no text form of its states: it does not define parse_state()")

    def instances(self, text: str) -> Iterator[tuple["Problem", Any]]:
        """The problems that the text of a file describes, each with its first state, or None for the initial one.

        Raise `RulesError`, with the number of the line, for a text that is not understood: never leave a part out.
        """
        yield self, self.parse_state(text)

    def summary(self, cases: Sequence[tuple["Problem", Any]]) -> str:
        """What `instances` read, in a few words, such as "50 Sudokus"."""
        return f"{len(cases):,} problem{'s' * (len(cases) != 1)}"


def domains(problem: Problem, values: Sequence[Iterable[int]]) -> Domains:
    """The state in which each variable may have the `values` listed for it.

    Raises `RulesError` for a value that is not a whole number from 0 to 63.

    >>> domains(Problem(), [(0, 1), (3,)]).masks.tolist()
    [3, 8]
    """
    masks = np.zeros(len(values), np.int64)
    for variable, listed_values in enumerate(values):
        mask = 0
        for value in listed_values:
            if not isinstance(value, (int, np.integer)) or not 0 <= value < MAX_VALUES:
                raise RulesError(
                    f"{problem!r}: {value!r} as a value of variable {variable}: values are whole numbers from 0 to"
                    f" {MAX_VALUES - 1}; number them so, or define initial_state(), candidates() and assign()"
                )
            mask |= single(value)
        masks[variable] = mask
    return Domains(masks)


def excluded(state: Domains, variable: int, value: int, others: NDArray[np.int64]) -> Domains:
    """The state with `value` assigned and removed from `others`, an array of variables that ends at the first below 0.

    >>> excluded(Domains(np.array([3, 3, 3])), 0, 1, np.array([2, -1])).masks.tolist()
    [2, 3, 1]
    """
    masks = state.masks.copy()
    value_bit = single(value)
    masks[variable] = value_bit
    for other in others:
        if other < 0:
            break
        masks[other] &= ~value_bit
    return Domains(masks)


def values_of(problem: Problem, state: Any, variable: int) -> Iterable[int]:
    """The candidates of a variable, one by one, from any of the forms that `problem.candidates` may return."""
    return listed(problem.candidates(state, variable))


def number_of_values(problem: Problem, state: Any, variable: int) -> int:
    """The number of candidates of a variable."""
    values = problem.candidates(state, variable)
    if is_mask(values):
        return count(values)
    return len(values) if hasattr(values, "__len__") else sum(1 for _ in values)
