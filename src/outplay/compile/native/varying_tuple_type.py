"""The type of a tuple of any length in compiled code.

The type of an ordinary tuple in compiled code has its length in it. Where the length is only known at run time, the
value is a `Varying`: a list that nobody can change.
"""

from operator import attrgetter
from typing import Any

from numba import types
from numba.extending import box

from outplay.compile.native.internals.numba_names import cgutils, lower_builtin
from outplay.compile.native.internals.registration import fields_of_type, wrapping


class Varying(types.IterableType):
    """The Numba type of a tuple of any length, whose items have the same type."""

    def __init__(self, items: types.List) -> None:
        self.items = items
        super().__init__(f"tuple of any number of {items.dtype}")

    key = property(attrgetter("items"))  # two of these types are equal if their keys are

    dtype = property(attrgetter("items.dtype"))

    iterator_type = property(attrgetter("items.iterator_type"))


fields_of_type(Varying, items=attrgetter("items"))
frozen, items_in = wrapping(Varying, "items", Varying)
"""A tuple of the items of a list that nobody changes from now on, and the list in such a tuple."""


@box(Varying)
def box_varying(typ: Varying, value: Any, c: Any) -> Any:
    """The tuple in Python; without it, a kernel that returns a tuple of such tuples would crash."""
    items = c.box(typ.items, cgutils.create_struct_proxy(typ)(c.context, c.builder, value=value).items)
    items_tuple = c.pyapi.sequence_tuple(items)
    c.pyapi.decref(items)
    return items_tuple


@lower_builtin("getiter", Varying)
def _lower_getiter(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    typ = signature.args[0]
    struct = cgutils.create_struct_proxy(typ)(context, builder, args[0])
    inner = context.get_function("getiter", signature.return_type(typ.items))
    return inner(builder, (struct.items,))
