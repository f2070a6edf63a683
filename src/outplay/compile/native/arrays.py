"""Functions and methods of NumPy arrays that Numba lacks, knows without their further arguments, or computes slowly."""

import operator
from typing import Any

import numpy as np
from numba import types

from outplay.compile.native.game_type import (
    compiled_only,
    function_from_source,
    function_of_lines,
    overload,
    overload_method,
)
from outplay.compile.native.internals.numba_names import refused
from outplay.compile.native.states import caster
from outplay.compile.rewriting import arrays

# -- along an axis -----------------------------------------------------------------------------------------------------


def _axis(array: types.Array, axis: types.Type) -> int | None:
    """An axis that is a constant, from 0 up; None if it is none of the array."""
    place = getattr(axis, "literal_value", None)
    return place % array.ndim if isinstance(place, int) and -array.ndim <= place < array.ndim else None


def _front(ndim: int, axis: int) -> tuple[int, ...]:
    """The axes of an array with this one first."""
    return axis, *(other_axis for other_axis in range(ndim) if other_axis != axis)


def _test(function: Any, name: str, sign: str) -> None:
    @overload(function, prefer_literal=True)
    def _implement_function(array: types.Type, axis: types.Type) -> Any:
        place = _axis(array, axis) if isinstance(array, types.Array) else None
        if place is None:
            return None
        if array.ndim == 1:
            return function_from_source(f"def rule(array, axis): return array.{name}()")
        lines = [
            f"rows = array.transpose({_front(array.ndim, place)})",
            f"found = np.full(rows.shape[1:], {sign == '&'})",
            "for row in rows:",
            f"    found {sign}= row != 0",
            "return found",
        ]
        return function_of_lines("array, axis", lines, np=np)


_test(arrays.all_along, "all", "&")
_test(arrays.any_along, "any", "|")


@overload(arrays.summed_along, prefer_literal=True)
def _implement_summed_along(array: types.Type, axis: types.Type) -> Any:
    place = _axis(array, axis) if isinstance(array, types.Array) and array.ndim == 2 else None
    is_exact = place is not None and (array.dtype == types.boolean or array.dtype in types.signed_domain)
    if not is_exact:  # floats are added in the order in which Numba adds them
        return lambda array, axis: array.sum(axis)
    lines = [
        f"rows = array{'' if place == 1 else '.T'}",
        "found = np.empty(len(rows), np.int64)",
        "for row in range(len(rows)):",
        "    total = 0",
        "    for cell in rows[row]:",
        "        total += cell",
        "    found[row] = total",
        "return found",
    ]
    return function_of_lines("array, axis", lines, np=np)


@overload(arrays.rolled, prefer_literal=True)
def _implement_rolled(array: types.Type, shift: types.Type, axis: types.Type) -> Any:
    place = _axis(array, axis) if isinstance(array, types.Array) else None
    if place is None or not isinstance(types.unliteral(shift), types.Integer):
        return None
    front = _front(array.ndim, place)
    back = tuple(front.index(place) for place in range(array.ndim))

    def roll(array: Any, shift: Any, axis: Any) -> Any:
        rows = array.transpose(front)
        rolled = np.empty(rows.shape, array.dtype)
        size = len(rows)
        for row in range(size):
            rolled[(row + shift) % size] = rows[row]
        return rolled.transpose(back).copy()

    return roll


@overload(arrays.flattened)
def _implement_flattened(array: types.Type) -> Any:
    if not isinstance(array, types.Array) or array.ndim != 2:
        return lambda array: array.flatten()

    def flatten(array: Any) -> Any:
        flat = np.empty(array.size, array.dtype)
        place = 0
        for row in range(array.shape[0]):
            for column in range(array.shape[1]):
                flat[place] = array[row, column]
                place += 1
        return flat

    return flatten


# -- diagonals ---------------------------------------------------------------------------------------------------------


@compiled_only
def slanted(array: types.Type, offset: types.Type) -> Any:
    """In compiled code: a view of a diagonal."""
    if not isinstance(array, types.Array) or array.ndim != 2:
        return None
    as_strided = np.lib.stride_tricks.as_strided
    constant = caster(array.copy(ndim=1, layout="A", readonly=True))

    def diagonal(array: Any, offset: int) -> Any:
        part = array[:, min(offset, array.shape[1]) :] if offset >= 0 else array[min(-offset, array.shape[0]) :]
        count = min(part.shape[0], part.shape[1])
        return constant(as_strided(part, (count,), (part.strides[0] + part.strides[1],)))

    return diagonal


def _diagonal(a: types.Type, offset: Any = 0) -> Any:
    return (lambda a, offset=0: slanted(a, offset)) if isinstance(a, types.Array) and a.ndim == 2 else None


def _trace(a: types.Type, offset: Any = 0) -> Any:
    if not isinstance(a, types.Array) or a.ndim != 2 or a.dtype != types.int64:
        return None

    def trace(a: Any, offset: Any = 0) -> Any:
        total = 0
        for cell in slanted(a, offset):
            total += cell
        return total

    return trace


overload(np.diagonal)(_diagonal)
overload(np.trace)(_trace)
overload_method(types.Array, "diagonal")(_diagonal)
overload_method(types.Array, "trace")(_trace)


# -- items -------------------------------------------------------------------------------------------------------------


@overload(operator.getitem)
def _implement_getitem(array: types.Type, places: types.Type) -> Any:
    if not isinstance(array, types.Array) or not isinstance(places, types.List) or places.dtype != types.int64:
        return None
    return lambda array, places: array[np.array(places)]


@compiled_only
def as_python(cell: types.Type) -> Any:
    """In compiled code: the int, float or bool of Python that a cell equals, with 64 bits."""
    if cell == types.uint64:
        raise refused("a numpy.uint64 leaves its array, which may be too large: write int(cell)")
    if isinstance(cell, types.Integer):
        return lambda cell: np.int64(cell)
    return (lambda cell: np.float64(cell)) if isinstance(cell, types.Float) else lambda cell: cell


@overload_method(types.Array, "tolist")
def list_of_array(array: types.Array) -> Any:
    """`array.tolist()`."""
    if array.ndim > 1:
        return lambda array: [row.tolist() for row in array]
    return (lambda array: [as_python(cell) for cell in array]) if array.ndim == 1 else None


@compiled_only
def item_alone(array: types.Type) -> Any:
    """`array.item()`."""
    if isinstance(array, types.Number | types.Boolean):
        return lambda array: as_python(array)
    if not isinstance(array, types.Array):
        return lambda array: array.item()

    def item(array: Any) -> Any:
        if array.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return as_python(array.flat[0])

    return item


@compiled_only
def item_at(array: types.Type, place: types.Type) -> Any:
    """`array.item(place)`."""
    if not isinstance(array, types.Array):
        return lambda array, place: array.item(place)
    if not isinstance(types.unliteral(place), types.Integer):
        raise refused("item() with anything but one int: write int(array[place])")

    def item(array: Any, place: Any) -> Any:
        if not -array.size <= place < array.size:
            raise IndexError("index is out of bounds")
        return as_python(array.flat[place if place >= 0 else place + array.size])

    return item


ARRAY_METHODS = {("item", 0): item_alone, ("item", 1): item_at}
"""Functions that take the place of methods with so many arguments; for values of other types they call the method."""


@overload(np.clip)
def _implement_clip(a: types.Type, a_min: types.Type, a_max: types.Type) -> Any:
    if any(types.unliteral(typ) != types.int64 for typ in (a, a_min, a_max)):
        return None
    return lambda a, a_min, a_max: min(max(a, a_min), a_max)


@overload(arrays.crossed)
def _implement_crossed(array: types.Type, rows: types.Type, columns: types.Type) -> Any:
    if not isinstance(array, types.Array) or array.ndim != 2:
        return None
    if any(getattr(typ, "dtype", None) != types.int64 for typ in (rows, columns)):
        return None

    def cross(array: Any, rows: Any, columns: Any) -> Any:
        crossed = np.empty((len(rows), len(columns)), array.dtype)
        for row in range(len(rows)):
            for column in range(len(columns)):
                if not -array.shape[0] <= rows[row] < array.shape[0]:
                    raise IndexError("a row is out of bounds")
                if not -array.shape[1] <= columns[column] < array.shape[1]:
                    raise IndexError("a column is out of bounds")
                crossed[row, column] = array[rows[row], columns[column]]
        return crossed

    return cross
