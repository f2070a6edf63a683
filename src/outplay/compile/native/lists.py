"""Methods of lists that remove items, for lists of lists, texts and other values that share their memory.

Numba's `pop(place)` and `remove` leave a copy of the last item behind the end of the list, which the next `append`
gives back to the system as if it were the list's own; its `clear` keeps the items. The same is true of slices that are
deleted or assigned, which are refused.

Two operations on slices differ for all lists: Numba does not delete slices with a step, and a slice to which the list
itself is assigned is overwritten while it is read.
"""

import operator
from typing import Any

from numba import types

from outplay.compile.native.dicts import fits
from outplay.compile.native.game_type import compiled_only, overload
from outplay.compile.native.internals.numba_names import cpu_target
from outplay.compile.native.semantics.nan_comparisons import has_floats
from outplay.compile.native.semantics.nan_comparisons import index as place_of
from outplay.compile.native.semantics.sets import refuse_other_items


def shares_memory(typ: types.Type) -> bool:
    """Whether this is the type of lists whose items have memory of their own."""
    models = cpu_target.target_context.data_model_manager
    return isinstance(typ, types.List) and bool(models[typ.dtype].contains_nrt_meminfo())


@compiled_only
def popped(values: types.Type, place: types.Type) -> Any:
    """`values.pop(place)`."""
    if isinstance(values, types.DictType):
        fits(values.key_type, place, "a key of a dict")
    if not shares_memory(values):
        return lambda values, place: values.pop(place)

    def pop(values: Any, place: Any) -> Any:
        at = place + len(values) if place < 0 else place
        if at < 0 or at >= len(values):
            raise IndexError("pop index out of range")
        item = values[at]
        for index in range(at, len(values) - 1):
            values[index] = values[index + 1]
        values.pop()
        return item

    return pop


@compiled_only
def removed(values: types.Type, item: types.Type) -> Any:
    """`values.remove(item)`."""
    refuse_other_items(values, item)
    if not shares_memory(values) and not has_floats(values, item):
        return lambda values, item: values.remove(item)

    def remove(values: Any, item: Any) -> None:
        popped(values, place_of(values, item))

    return remove


@compiled_only
def cleared(values: types.Type) -> Any:
    """`values.clear()`."""
    if not shares_memory(values):
        return lambda values: values.clear()

    def clear(values: Any) -> None:
        while len(values) > 0:
            values.pop()

    return clear


LIST_METHODS = {("pop", 1): popped, ("remove", 1): removed, ("clear", 0): cleared}
"""Functions that take the place of methods with so many arguments; for values of other types they call the method."""


@overload(operator.delitem)
def delete_slice(values: types.Type, places: types.Type) -> Any:
    """`del values[start:stop:step]`."""
    if not isinstance(values, types.List) or places != types.slice3_type:
        return None

    def delete(values: Any, places: Any) -> None:
        deleted = range(*places.indices(len(values)))
        end = 0
        for place in range(len(values)):
            if place not in deleted:
                values[end] = values[place]
                end += 1
        while len(values) > end:
            values.pop()

    return delete


@overload(operator.setitem)
def assign_slice(values: types.Type, places: types.Type, items: types.Type) -> Any:
    """`values[start:stop:step] = items`."""
    if not isinstance(values, types.List) or not isinstance(places, types.SliceType) or items != values:
        return None

    def assign(values: Any, places: Any, items: Any) -> None:
        start, stop, step = places.indices(len(values))
        items = items[:]  # it may be the list itself
        if step == 1:
            items.extend(values[max(start, stop) :])
            while len(values) > start:
                values.pop()
            values.extend(items)
            return
        assigned = range(start, stop, step)
        if len(items) != len(assigned):
            raise ValueError("a slice with a step is assigned a list of another length")
        for place in range(len(items)):
            values[assigned[place]] = items[place]

    return assign
