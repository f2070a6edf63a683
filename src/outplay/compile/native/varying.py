"""The type of a tuple of any length in compiled code.

The type of an ordinary tuple in compiled code has its length in it. Where the length is only known at run time, the
value is a `Varying`: a list that nobody can change.
"""

from typing import Any

from numba import types
from numba.extending import box, intrinsic, models, register_model

from outplay.compile.native.internals import cgutils, lower_builtin


class Varying(types.IterableType):
    """The Numba type of a tuple of any length, whose items have the same type."""

    def __init__(self, items: types.List) -> None:
        self.items = items
        super().__init__(f"tuple of any number of {items.dtype}")

    @property
    def key(self) -> Any:
        """Two of these types are equal if their keys are."""
        return self.items

    @property
    def dtype(self) -> types.Type:
        """The type of the items."""
        return self.items.dtype

    @property
    def iterator_type(self) -> Any:
        """The type of an iterator over the items."""
        return self.items.iterator_type


@register_model(Varying)
class _Model(models.StructModel):
    def __init__(self, manager: Any, typ: Varying) -> None:
        super().__init__(manager, typ, [("items", typ.items)])


@box(Varying)
def box_varying(typ: Varying, value: Any, c: Any) -> Any:
    """The tuple in Python; without it, a kernel that returns a tuple of such tuples would crash."""
    items = c.box(typ.items, cgutils.create_struct_proxy(typ)(c.context, c.builder, value=value).items)
    made = c.pyapi.sequence_tuple(items)
    c.pyapi.decref(items)
    return made


@intrinsic
def frozen(typing: Any, items: types.Type) -> Any:
    """A tuple of the items of a list that nobody changes from now on."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        made = cgutils.create_struct_proxy(signature.return_type)(context, builder)
        made.items = args[0]
        context.nrt.incref(builder, signature.args[0], args[0])
        return made._getvalue()

    return Varying(items)(items), lower


@intrinsic
def items_in(typing: Any, values: types.Type) -> Any:
    """The list in a tuple of any length."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        items = cgutils.create_struct_proxy(signature.args[0])(context, builder, args[0]).items
        context.nrt.incref(builder, signature.return_type, items)
        return items

    return (values.items(values), lower) if isinstance(values, Varying) else None


@lower_builtin("getiter", Varying)
def _(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    typ = signature.args[0]
    made = cgutils.create_struct_proxy(typ)(context, builder, args[0])
    inner = context.get_function("getiter", signature.return_type(typ.items))
    return inner(builder, (made.items,))
