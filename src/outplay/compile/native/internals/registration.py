"""Types and functions of ours, made known to Numba; and which functions Numba knows by itself."""

from collections.abc import Callable
from typing import Any

import numba.extending
from numba import types
from numba.core.imputils import impl_ret_borrowed, lower_constant
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, builtin_registry, infer_getattr

from outplay.compile.native.internals.numba_names import TYPING, ListInstance, cgutils, start_quickly


def typed(function: Any, choose: Callable[[Any], Any]) -> None:
    """Let Numba know the signature of the calls of a function, by the types of the arguments."""

    class Template(AbstractTemplate):
        key = function

        def generic(self, args: Any, keywords: Any) -> Any:
            return choose(args)

    builtin_registry.register_global(function, types.Function(Template))


def attributes_of(kind: Any, find: Callable[[Any, Any, str], Any]) -> None:
    """Let Numba know the attributes of a class of types: `find(context, typ, name)` gives the type of one, or None."""

    @infer_getattr
    class Template(AttributeTemplate):
        key = kind

        def generic_resolve(self, typ: Any, name: str) -> Any:
            return find(self.context, typ, name)


def opaque(*kinds: Any) -> None:
    """Represent values of these types of ours by nothing in machine code: their type says all."""
    for kind in kinds:
        numba.extending.register_model(kind)(numba.extending.models.OpaqueModel)
        lower_constant(kind)(lambda context, *_: context.get_dummy_value())


def fields_of_type(typ: Any, **fields: Any) -> None:
    """Represent values of a type of ours in machine code by these fields; each is a type, or computes it."""

    def model(manager: Any, typ: Any) -> Any:
        members = [(name, field if isinstance(field, types.Type) else field(typ)) for name, field in fields.items()]
        return numba.extending.models.StructModel(manager, typ, members)

    numba.extending.register_model(typ)(model)


@numba.extending.intrinsic
def value_in(typing: Any, field: types.Optional) -> Any:
    """In compiled code: the value of what is not None here."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = context.make_helper(builder, signature.args[0], args[0]).data
        return impl_ret_borrowed(context, builder, signature.return_type, value)

    return field.type(field), lower


def value_or_error(value: types.Type, message: str) -> Any:
    """The form of a function that gives a value of this type, and raises `TypeError` with this message for None."""
    if not isinstance(value, types.Optional):
        return lambda value: value

    def tested(value: Any) -> Any:
        if value is None:
            raise TypeError(message)
        return value_in(value)

    return tested


def wrapping(kind: Any, name: str, typ_of: Callable[[Any], Any]) -> tuple[Any, Any]:
    """The functions in compiled code that make a value of a type of ours from its only field, and give the field.

    `typ_of` gives the type of the value for that of the field, or None.
    """

    @numba.extending.intrinsic
    def wrap(typing: Any, field: types.Type) -> Any:
        def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            value = cgutils.create_struct_proxy(signature.return_type)(context, builder)
            setattr(value, name, args[0])
            context.nrt.incref(builder, signature.args[0], args[0])
            return value._getvalue()

        typ = typ_of(field)
        return None if typ is None else (typ(field), lower)

    @numba.extending.intrinsic
    def unwrap(typing: Any, value: types.Type) -> Any:
        def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            field = getattr(cgutils.create_struct_proxy(signature.args[0])(context, builder, args[0]), name)
            context.nrt.incref(builder, signature.return_type, field)
            return field

        return (getattr(value, name)(value), lower) if isinstance(value, kind) else None

    return wrap, unwrap


@numba.extending.intrinsic
def no_ints(typing: Any) -> Any:
    """In compiled code: a new empty list of ints, whose type Numba knows at once."""
    typ = types.List(types.int64)
    return typ(), lambda context, builder, *_: ListInstance.allocate(context, builder, typ, 0).value


def list_of_equals(context: Any, builder: Any, typ: Any, item: Any, number: Any) -> Any:
    """A list of this type with a number of items, all the same number or bool."""
    none = number.type(0)
    number = builder.select(builder.icmp_signed("<", number, none), none, number)
    new_list = ListInstance.allocate(context, builder, typ, number)
    new_list.size = number
    place, value = new_list._gep(none), new_list._datamodel.as_data(builder, item)
    with cgutils.for_range(builder, number) as loop:
        builder.store(value, builder.gep(place, [loop.index]))
    return new_list.value


def is_numbas(function: types.Function | types.BoundFunction, signature: Any) -> bool:
    """Whether Numba itself compiles a call, and no overload of ours or of users."""
    if isinstance(function, types.BoundFunction):
        written = [getattr(function.template, "_overload_func", function.template)]
    else:
        implementation, args = function.get_impl_key(signature), signature.args
        overloads = [template for template in function.templates if hasattr(template, "_compiled_overloads")]
        written = [other._overload_func for other in overloads if other._compiled_overloads.get(args) is implementation]
    return all(function.__module__.partition(".")[0] == "numba" for function in written)


def has_overload(function: Any) -> bool:
    """Whether Numba already compiles calls of `function` through an overload."""
    start_quickly()
    TYPING.refresh()
    return TYPING._lookup_global(function) is not None
