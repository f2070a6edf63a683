"""The 64-bit ints that a state consists of, in kernels that store states as numbers.

A number is one cell (a float by its bits), a container its length and then its items, those of sets and dicts in
ascending order. The cells of a state say all that is in it: `read_cells` makes an equal state of them.
`compile/native/state_cells.py` has the compiled forms; interpreted games have none, but for `save_state`.
"""

from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from outplay.compile.kernels import compiler, native_type, replaced
from outplay.rules.errors import RulesError

MAX_CELLS = 512
"""The maximum number of cells of a state."""


@replaced
def write_cells(game: Any, state: Any, cells: Any) -> int:
    """Write the cells of `state` to the pointer `cells`, at most `MAX_CELLS`; return how many the state has."""
    _refuse(game)


@replaced
def read_cells(game: Any, cells: Any) -> Any:
    """The state that the pointer `cells` holds."""
    _refuse(game)


@replaced
def save_state(game: Any, state: Any, space: Any, place: int) -> int:
    """Keep `state` at a place of what `space_for_states` made; return how many cells it has, 0 interpreted."""
    space[place] = state
    return 0


@replaced
def saved_state(game: Any, space: Any, place: int) -> Any:
    """The state that is kept at a place."""
    return space[place]


def space_for_states(game: Any, number: int) -> Any:
    """Space in which kernels keep so many states between calls: int64 [number, cells]; interpreted, a list."""
    if native_type(game) is None:
        return [None] * number
    return np.zeros((number, compiler().most_cells(native_type(game)) + 1), np.int64)


def cells_of(game: Any, states: Iterable[Any]) -> list[list[int]]:
    """The cells of each state, in Python. Raises `RulesError` for what is not a state of the game."""
    typ = native_type(game)
    if typ is None:
        _refuse(game)
    return [compiler().cells_of(typ, state) for state in states]


def _refuse(game: Any) -> NoReturn:
    raise RulesError(f"the states of {game!r} cannot be numbered: its rules run interpreted; see outplay check")
