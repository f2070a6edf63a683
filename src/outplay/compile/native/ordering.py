"""The order of sets in compiled code; see `rewriting.ordered`."""

import functools
from random import Random
from typing import Any

from numba import types

from outplay.compile.native.frozenset_type import UNORDERED
from outplay.compile.native.game_type import as_it_is, overload
from outplay.compile.native.internals.numba_names import refused
from outplay.compile.native.semantics.lost_cells import leaves
from outplay.compile.rewriting import ordered


@functools.cache
def _is_as_in_python() -> bool:
    """Whether sets of this Python have the order that we compute."""
    random = Random(0)  # noqa: S311 - not for secrets
    for number in range(0, 300, 7):
        ints = [random.randrange(-(2 ** random.randrange(1, 62)), 2 ** random.randrange(1, 62)) for _ in range(number)]
        pairs = [(random.randrange(9), one) for one in ints]
        for added in (ints, pairs):
            items = set()
            for item in added:
                items.add(item)
            if list(items) != ordered.in_order(added):
                return False
    return True


@overload(ordered.in_order)
def _implement_in_order(added: types.Type) -> Any:
    if not isinstance(added, types.List):
        return None
    is_hashed_alike = all(isinstance(leaf, types.Integer | types.Boolean) for leaf in leaves(added.dtype))
    if not is_hashed_alike or not _is_as_in_python():
        raise refused(UNORDERED)
    return ordered.in_order


for _function in (ordered.grows, ordered.larger, ordered.free_cell):
    as_it_is(_function)


@overload(ordered.listed)
def _implement_listed(values: types.Type) -> Any:
    if isinstance(values, types.Set | types.DictType | types.DictKeysIterableType):
        raise refused(UNORDERED)
    return lambda values: [item for item in values]  # noqa: C416 - compiled
