"""A problem: what a user writes for backtracking, and all that the search knows of it.

A constraint satisfaction problem (Russell & Norvig, *Artificial Intelligence: A Modern Approach*, ch. 6): variables
0, 1, …, each with some values, and constraints between them; a solution gives every variable a value. There are two
ways to write one, of which the first is shorter and the second faster:

    declared    `variables`, `values` and `allowed`: which values of two variables go together
    by states   `initial_state`, `candidates` and `assign`: small immutable states, as in a `Game`, that tell which
                values of a variable are consistent with what is assigned already

Start at `Problem`; `values_of` and `number_of_values` are how a search reads one.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.rules.base import Rules
from outplay.rules.bits import count, single, squares
from outplay.rules.errors import RulesError
from outplay.rules.game import is_mask, listed

Solution = tuple[int, ...]
"""The value of each variable."""
MOST_VALUES = 64
"""The bits of a mask: values of a declared problem are 0 to 63."""


class Domains(NamedTuple):
    """What each variable may still be: the state of a problem that brings no states of its own."""

    masks: NDArray[np.int64]  # int64 [variables]: bit v set: value v is possible


class Problem(Rules):
    """Variables, the values that each may have, and which values go together, as ordinary Python methods.

    What the constructor stores never changes afterwards; when compiled it is constant, see `Game`.

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
    """How many variables there are."""
    values: int = 0
    """How many values each variable may have, in a declared problem: 0 … values - 1."""

    # -- declared -----------------------------------------------------------------------------------------------------

    def domain(self, variable: int) -> Iterable[int]:
        """The values of a variable of a declared problem, each from 0 to 63. Not defined: all `values` of them."""
        return range(self.values)

    def allowed(self, variable: int, value: int, other: int, other_value: int) -> bool:
        """Whether these values of two variables go together; `variable` is less than `other`."""
        raise NotImplementedError

    # -- by states ----------------------------------------------------------------------------------------------------

    def initial_state(self) -> Any:
        """The state in which nothing is assigned. Not defined: every `domain`, as `Domains`."""
        return domains(self, [self.domain(variable) for variable in range(self.variables)])

    def candidates(self, state: Any, variable: int) -> Any:
        """The values of a variable not assigned yet that are consistent with those that are.

        A bit mask (bit i set: value i), which is the fastest, an array, a generator, a list or tuple. In the order
        "given" and without forward checking this is asked of the next variable alone, else of every other one too. No
        value may be left out that is in a solution; one that is left in, and in none, only takes time.
        """
        return int(state.masks[variable])

    def assign(self, state: Any, variable: int, value: int) -> Any:
        """The state after one more assignment; the given state is not changed."""
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
        """For how many choices, itself among them, this candidate stands as their image; 0: for none, leave it out.

        The number of solutions that a found one stands for is the product of the weights on its way.
        """
        return 1

    def images(self, solution: Solution) -> Iterable[Solution]:
        """The solutions that a found one stands for, itself among them, each once: as many as its weights say."""
        return (solution,)

    # -- for people ---------------------------------------------------------------------------------------------------

    def render(self, solution: Solution) -> str:
        """A picture of `solution`."""
        names = (self.variable_name(variable) for variable in range(self.variables))
        return "\n".join(
            f"{name}: {self.value_name(variable, solution[variable])}" for variable, name in enumerate(names)
        )

    def variable_name(self, variable: int) -> str:
        """A variable in the problem's own words."""
        return str(variable)

    def value_name(self, variable: int, value: int) -> str:
        """A value in the problem's own words."""
        return str(value)

    def parse_state(self, text: str) -> Any:
        """The state that `text` describes, such as a Sudoku with some digits given.

        Raises `RulesError`, which says what is wrong with the text, or that the problem has no such form.
        """
        raise RulesError(f"{type(self).__name__} has no text form of its states: it does not define parse_state()")

    def instances(self, text: str) -> Iterator[tuple["Problem", Any]]:
        """The problems that a file describes, each with its first state; None: the initial one. By `parse_state`."""
        yield self, self.parse_state(text)


def domains(problem: Problem, values: Sequence[Iterable[int]]) -> Domains:
    """The state in which each variable may have the `values` listed for it.

    Raises `RulesError` for a value that is no whole number from 0 to 63.

    >>> domains(Problem(), [(0, 1), (3,)]).masks.tolist()
    [3, 8]
    """
    masks = np.zeros(len(values), np.int64)
    for variable, listed_values in enumerate(values):
        mask = 0
        for value in listed_values:
            if not isinstance(value, (int, np.integer)) or not 0 <= value < MOST_VALUES:
                raise RulesError(
                    f"{problem!r}: {value!r} as a value of variable {variable}: values are whole numbers from 0 to"
                    f" {MOST_VALUES - 1}; number them so, or define initial_state(), candidates() and assign()"
                )
            mask |= single(value)
        masks[variable] = mask
    return Domains(masks)


def excluded(state: Domains, variable: int, value: int, others: NDArray[np.int64]) -> Domains:
    """The state with `value` assigned and taken from `others`, a list of variables that ends at the first below 0.

    >>> excluded(Domains(np.array([3, 3, 3])), 0, 1, np.array([2, -1])).masks.tolist()
    [2, 3, 1]
    """
    masks = state.masks.copy()
    gone = single(value)
    masks[variable] = gone
    for other in others:
        if other < 0:
            break
        masks[other] &= ~gone
    return Domains(masks)


def values_of(problem: Problem, state: Any, variable: int) -> Iterable[int]:
    """The candidates of a variable, one by one, whatever form `problem.candidates` gives them."""
    return listed(problem.candidates(state, variable))


def number_of_values(problem: Problem, state: Any, variable: int) -> int:
    """How many candidates a variable has."""
    values = problem.candidates(state, variable)
    if is_mask(values):
        return count(values)
    return len(values) if hasattr(values, "__len__") else sum(1 for _ in values)
