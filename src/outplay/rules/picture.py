"""A picture of a state for games that do not define `render`: boards row by row, everything else by name."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

EMPTY = "."
"""Drawn for None and for empty text."""


def picture(state: Any) -> str:
    """The boards in a state row by row, and its other fields by name; `str(state)` if there is no board.

    A board is an array with two dimensions, rows of equal length in a list or a tuple, or a dict from (row, column).

    >>> print(picture(([["X", None], ["O", "X"]], 1)))
    X .
    O X
    1
    >>> print(picture({(0, 0): 12, (1, 1): 7}))
    12  .
     .  7
    >>> picture((4, 0))
    '(4, 0)'
    """
    named_parts = list(_fields(state))
    grids = [_grid(value) for _, value in named_parts]
    if not any(grids):
        return str(state)
    parts = []
    for (name, value), grid in zip(named_parts, grids, strict=True):
        start = f"{name}: " if name else ""
        parts.append(_drawn(grid) if grid else f"{start}{value}")
    return "\n".join(parts)


def _fields(state: Any) -> Iterator[tuple[str, Any]]:
    """The fields of a state, with their names; the state itself if it is a board, or has no fields."""
    if _grid(state):
        yield "", state
    elif hasattr(state, "_fields"):
        yield from zip(state._fields, state, strict=True)
    elif isinstance(state, tuple):
        yield from (("", part) for part in state)
    elif isinstance(state, Mapping):
        yield from ((str(name), value) for name, value in state.items())
    elif is_dataclass(state):
        yield from ((field.name, getattr(state, field.name)) for field in fields(state))
    elif hasattr(state, "__dict__") and not _has_text(type(state)):
        yield from vars(state).items()
    else:
        yield "", state


def _has_text(cls: Any) -> bool:
    """Whether a class defines how its objects are shown."""
    return cls.__str__ is not object.__str__ or cls.__repr__ is not object.__repr__


def _grid(value: Any) -> list[list[str]]:
    """The cells of a board as text, row by row; empty if this is not a board."""
    if getattr(value, "ndim", 0) == 2:
        value = value.tolist()
    if isinstance(value, Mapping) and value and all(map(_is_place, value)):
        rows, columns = (range(min(places), max(places) + 1) for places in zip(*value, strict=True))
        return [[_text(value.get((row, column))) for column in columns] for row in rows]
    if not isinstance(value, (list, tuple)) or not value or not all(isinstance(row, (list, tuple)) for row in value):
        return []
    if len(value) == 1 or len({len(row) for row in value}) != 1 or len(value[0]) <= 1:
        return []
    if any(isinstance(cell, (list, tuple, Mapping)) for row in value for cell in row):
        return []
    return [[_text(cell) for cell in row] for row in value]


def _is_place(key: Any) -> bool:
    return isinstance(key, tuple) and len(key) == 2 and all(type(part) is int for part in key)


def _text(cell: Any) -> str:
    if isinstance(cell, Enum):
        return cell.name
    return EMPTY if cell is None or str(cell).isspace() or cell == "" else str(cell)


def _drawn(grid: list[list[str]]) -> str:
    width = max(len(cell) for row in grid for cell in row)
    return "\n".join(" ".join(cell.rjust(width) for cell in row).rstrip() for row in grid)
