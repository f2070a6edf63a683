"""The 64-bit ints that a state consists of, in kernels that store states as numbers.

A number is one cell (a float by its bits), a container its length and then its items, those of sets and dicts in
ascending order. The cells of a state say all that is in it: `read_cells` makes an equal state of them.
`compile/native/state_cells.py` has the compiled forms; interpreted games have none.
"""

from collections.abc import Iterable
from typing import Any, NoReturn

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


def cells_of(game: Any, states: Iterable[Any]) -> list[list[int]]:
    """The cells of each state, in Python. Raises `RulesError` for what is not a state of the game."""
    typ = native_type(game)
    if typ is None:
        _refuse(game)
    return [compiler().cells_of(typ, state) for state in states]


def _refuse(game: Any) -> NoReturn:
    raise RulesError(f"the states of {game!r} cannot be numbered: its rules run interpreted; see outplay check")
