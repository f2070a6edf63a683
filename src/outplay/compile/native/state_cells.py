"""`write_cells` and `read_cells` in compiled code: unrolled where a state is a tuple of numbers."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import types

from outplay.compile.kernels import pointer
from outplay.compile.native.cells import reader, writer
from outplay.compile.native.game_type import GameType, function_from_source, function_of_lines, overload
from outplay.compile.native.internals.registration import no_ints
from outplay.compile.native.semantics.lost_cells import leaves
from outplay.compile.native.states import put_together, to_state
from outplay.compile.state_cells import MAX_CELLS, read_cells, save_state, saved_state, write_cells

READ = {types.float64: "np.int64({}).view(np.float64)", types.uint64: "np.uint64({})", types.boolean: "({} != 0)"}
"""How a number is made of a cell; other numbers are the cell."""


@overload(write_cells)
def _implement_write_cells(game: GameType, state: types.Type, cells: types.Type) -> Any:
    numbers = list(_numbers("state", game.state)) if _is_flat(game.state) else []
    if not 0 < len(numbers) <= MAX_CELLS:
        write = writer(game.state, by_content=True)

        def write_list(game: Any, state: Any, cells: Any) -> int:
            ints = no_ints()
            write(state, ints)
            for i in range(min(len(ints), MAX_CELLS)):
                cells[i] = ints[i]
            return len(ints)

        return write_list
    lines = [f"cells[{i}] = {number}" for i, number in enumerate(numbers)]
    return function_of_lines("game, state, cells", [*lines, f"return {len(numbers)}"], np=np)


@overload(read_cells)
def _implement_read_cells(game: GameType, cells: types.Type) -> Any:
    if not _is_flat(game.state):
        read = reader(game.state)
        return lambda game, cells: read(cells, np.zeros(1, np.int64))
    names: dict[str, Any] = {"np": np}
    places = itertools.count()

    def leaf(typ: types.Type) -> str:
        return READ.get(typ, "{}").format(f"cells[{next(places)}]")

    text = put_together(game.state, leaf, names)
    return function_from_source(f"def rule(game, cells): return {text}", **names)


@overload(save_state)
def _implement_save_state(game: GameType, state: types.Type, space: types.Type, place: types.Integer) -> Any:
    return lambda game, state, space, place: write_cells(game, to_state(game, state), pointer(space[place]))


@overload(saved_state)
def _implement_saved_state(game: GameType, space: types.Type, place: types.Integer) -> Any:
    return lambda game, space, place: read_cells(game, pointer(space[place]))


def most_cells(typ: GameType) -> int:
    """How many cells `write_cells` writes at most for a state of games of this type."""
    return len(list(_numbers("state", typ.state))) if _is_flat(typ.state) else MAX_CELLS


def _is_flat(typ: types.Type) -> bool:
    """Whether a state is a number, or a tuple of numbers and tuples."""
    return all(leaf in (types.int64, *READ) for leaf in leaves(typ))


def _numbers(text: str, typ: types.Type) -> Iterator[str]:
    """Source of each cell of the value that is `text`."""
    if isinstance(typ, types.BaseTuple):
        for i, part in enumerate(typ.types):
            yield from _numbers(f"{text}[{i}]", part)
    else:
        yield f"np.float64({text}).view(np.int64)" if typ == types.float64 else f"np.int64({text})"
