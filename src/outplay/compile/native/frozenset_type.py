"""The type of a frozenset in compiled code: a set that nobody can change.

It has no methods of its own but those of `meaning.sets`, and no order.
"""

from typing import Any

from numba import types
from numba.extending import intrinsic, models, register_model

from outplay.compile.native.internals import cgutils, errors

UNORDERED = "the items of a set come in an order of their own: write sorted(…)"


class Frozenset(types.IterableType):
    """The Numba type of a frozenset, whose items have the same type."""

    def __init__(self, items: types.Type) -> None:
        self.dtype = types.unliteral(items)
        self.set = types.Set(self.dtype)
        super().__init__(f"frozenset({items})")

    @property
    def key(self) -> Any:
        """Two of these types are equal if their keys are."""
        return self.dtype

    @property
    def iterator_type(self) -> Any:
        """There is none, since the order of the items differs."""
        raise errors.TypingError(f"NotNative: {UNORDERED}")


@register_model(Frozenset)
class _Model(models.StructModel):
    def __init__(self, manager: Any, typ: Frozenset) -> None:
        super().__init__(manager, typ, [("set", typ.set)])


@intrinsic
def as_frozenset(typing: Any, values: types.Type) -> Any:
    """A frozenset of the items of a set that nobody changes from now on."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        made = cgutils.create_struct_proxy(signature.return_type)(context, builder)
        made.set = args[0]
        context.nrt.incref(builder, signature.args[0], args[0])
        return made._getvalue()

    found = Frozenset(values.dtype)
    return (found(values), lower) if values == found.set else None


@intrinsic
def set_in(typing: Any, values: types.Type) -> Any:
    """The set in a frozenset, which nobody may change."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        found = cgutils.create_struct_proxy(signature.args[0])(context, builder, args[0]).set
        context.nrt.incref(builder, signature.return_type, found)
        return found

    return (values.set(values), lower) if isinstance(values, Frozenset) else None
