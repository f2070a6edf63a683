"""The type of a frozenset in compiled code: a set that nobody can change.

It has no methods of its own but those of `semantics.sets`, and no order.
"""

from operator import attrgetter
from typing import Any

from numba import types

from outplay.compile.native.internals.numba_names import refused
from outplay.compile.native.internals.registration import fields_of_type, wrapping

UNORDERED = "the items of a set come in an order of their own: write sorted(…)"


class Frozenset(types.IterableType):
    """The Numba type of a frozenset, whose items have the same type."""

    def __init__(self, items: types.Type) -> None:
        self.dtype = types.unliteral(items)
        self.set = types.Set(self.dtype)
        super().__init__(f"frozenset({items})")

    key = property(attrgetter("dtype"))  # two of these types are equal if their keys are

    @property
    def iterator_type(self) -> Any:
        """There is none, since the order of the items differs."""
        raise refused(UNORDERED)


def _of_set(values: types.Type) -> Frozenset | None:
    typ = Frozenset(values.dtype)
    return typ if values == typ.set else None


fields_of_type(Frozenset, set=attrgetter("set"))
as_frozenset, set_in = wrapping(Frozenset, "set", _of_set)
"""A frozenset of the items of a set that nobody changes from now on, and the set in a frozenset."""
