"""Python's own `sorted`, `list.sort` and `sum`, for compiled rules.

Numba's sort is a quicksort, which may swap equal elements; Python's keeps their order, and rules that sort actions by a
key depend on it. Numba's `sum` of small integers has 64 bits; Python's adds them as NumPy does.
"""

import math
import sys
from typing import Any

import numpy as np
from numba import types

from outplay.compile.native.frozenset_type import UNORDERED, Frozenset, set_in
from outplay.compile.native.game_type import as_it_is, compiled_only
from outplay.compile.native.internals.numba_names import as_dtype, refused
from outplay.compile.native.semantics.nan_comparisons import has_floats, is_number
from outplay.compile.native.varying_tuple_type import Varying, items_in
from outplay.compile.rewriting.iterables import ordered_by
from outplay.rules.errors import RulesError


def order_of(keys: Any, reverse: bool) -> Any:
    """int64 [n]: the indices that sort `keys`; equal keys keep their order.

    A merge sort from the bottom up.
    """
    test_order(keys)
    number = len(keys)
    order, other = np.arange(number), np.empty(number, np.int64)
    width = 1
    while width < number:
        for start in range(0, number, 2 * width):
            middle, end = min(start + width, number), min(start + 2 * width, number)
            left, right = start, middle
            for place in range(start, end):
                if left == middle:
                    takes_right = True
                elif right == end:
                    takes_right = False
                elif reverse:
                    takes_right = keys[order[left]] < keys[order[right]]
                else:
                    takes_right = keys[order[right]] < keys[order[left]]
                if takes_right:
                    other[place] = order[right]
                    right += 1
                else:
                    other[place] = order[left]
                    left += 1
        order, other = other, order
        width *= 2
    return order


as_it_is(order_of)


@compiled_only
def test_order(keys: types.Type) -> Any:
    """In compiled code: raise if a key is NaN; what Python's sort makes of such a list depends on all comparisons."""
    if not has_floats(keys):
        return lambda keys: None

    def test(keys: Any) -> None:
        for key in keys:
            if not is_number(key):
                raise RulesError("NaN is put in order, which has no order: test x == x before")

    return test


@compiled_only
def stable_sorted(iterable: Any, key: Any = None, reverse: Any = False) -> Any:
    """`sorted`."""
    if isinstance(iterable, Frozenset):
        return lambda iterable, key=None, reverse=False: stable_sorted(set_in(iterable), key=key, reverse=reverse)
    if key is None or isinstance(key, types.NoneType | types.Omitted):

        def plain(iterable: Any, key: Any = None, reverse: Any = False) -> Any:
            items = list(iterable)
            return ordered_by(items, items, reverse)

        return plain
    if isinstance(iterable, types.Set):
        raise refused(UNORDERED)

    def by_key(iterable: Any, key: Any = None, reverse: Any = False) -> Any:
        items = list(iterable)
        return ordered_by(items, [key(item) for item in items], reverse)

    return by_key


@compiled_only
def stable_sort(items: Any, key: Any = None, reverse: Any = False) -> Any:
    """`items.sort()`."""
    if not isinstance(items, types.List):
        return lambda items, key=None, reverse=False: items.sort()

    def in_place(items: Any, key: Any = None, reverse: Any = False) -> None:
        ordered = stable_sorted(items, key=key, reverse=reverse)
        for place in range(len(ordered)):
            items[place] = ordered[place]

    return in_place


ADDS_EXACTLY = sys.version_info >= (3, 12)
"""Whether `sum` of floats keeps the digits that additions lose."""


def exact_sum(iterable: Any, start: Any = 0) -> Any:
    """The sum of floats as Python 3.12 adds them: Neumaier's compensated sum."""
    total, lost = float(start), 0.0
    for item in iterable:
        sum_ = total + item
        if abs(total) >= abs(item):
            lost += (total - sum_) + item
        else:
            lost += (item - sum_) + total
        total = sum_
    return total + lost if lost != 0.0 and math.isfinite(lost) else total


def _added(iterable: Any, start: Any = 0) -> Any:
    total = start
    for item in iterable:
        total = total + item
    return total


def _listed(iterable: Any, start: Any = 0) -> Any:
    return sum_of_cells([item for item in iterable], start)  # noqa: C416 - compiled


@compiled_only
def sum_of_cells(iterable: Any, start: Any = 0) -> Any:
    """`sum`."""
    if isinstance(iterable, Varying):
        return lambda iterable, start=0: sum_of_cells(items_in(iterable), start)
    if isinstance(iterable, types.DictType | types.DictKeysIterableType | types.DictValuesIterableType):
        return _listed
    if isinstance(iterable, types.Generator):
        return _listed if ADDS_EXACTLY else _added
    if isinstance(iterable, types.Set | Frozenset) and not isinstance(iterable.dtype, types.Integer | types.Boolean):
        raise refused(UNORDERED)
    if isinstance(iterable, Frozenset):
        return lambda iterable, start=0: sum_of_cells(set_in(iterable), start)
    if isinstance(iterable, types.Set):
        return _added
    cell: Any = getattr(iterable, "dtype", None)
    if ADDS_EXACTLY and isinstance(cell, types.Float) and cell.bitwidth == 64:
        return exact_sum
    is_small = isinstance(cell, types.Integer) and cell not in (types.int64,)
    if not is_small or not isinstance(start, int | types.Omitted):
        return lambda iterable, start=0: sum(iterable, start)
    number = as_dtype(cell).type

    def in_bits(iterable: Any, start: Any = 0) -> Any:
        total = number(0)
        for item in iterable:
            total = number(total + item)
        return total

    return in_bits


def has_sum(numbers: Any, low: int, high: int) -> bool:
    """Whether these int64 numbers and all their partial sums lie between `low` and `high`."""
    total = 0
    for number in numbers:
        if not low <= number <= high:
            return False
        if (number > 0 and total > high - number) or (number < 0 and total < low - number):
            return False
        total += number
    return True
