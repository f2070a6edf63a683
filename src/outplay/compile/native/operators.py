"""Operators of users' objects in compiled code: what `a + b`, `a == b`, `if a:` and `for x in a` call.

As in Python: the method of the left operand; if its class has none, the reflected method of the right one. A method
that would return `NotImplemented` raises instead, since Python would then try something else.
"""

import dataclasses
import operator
from typing import Any

from numba import types

from outplay.compile.native.class_type import ConstantObjectType
from outplay.compile.native.frozen.kinds import BINARY
from outplay.compile.native.game_type import compile_for, function_from_source, home, overload
from outplay.compile.native.internals.numba_names import (
    AbstractTemplate,
    Signature,
    builtin_registry,
    lower_builtin,
    refused,
)
from outplay.compile.native.object_type import SETTERS, ObjectType, setter_of
from outplay.compile.native.rules import native_function, native_member
from outplay.compile.native.semantics.nan_comparisons import same
from outplay.compile.native.semantics.plans import INPLACE
from outplay.compile.native.sorting import sum_of_cells
from outplay.compile.native.tuples import tuple_of
from outplay.compile.references import MISSING, member_function, member_of


def special(typ: types.Type, name: str) -> Any:
    """The compiled function of a special method of an object's class; None if the class defines none."""
    return native_member(typ, member_function(member_of(typ.cls, name))) if isinstance(typ, ObjectType) else None


SETTERS.append(lambda typ, name: native_member(typ, setter_of(typ.cls, name)))


# -- operators of two --------------------------------------------------------------------------------------------------

REFLECTED: dict[Any, tuple[str, str]] = {
    operator.lt: ("__lt__", "__gt__"), operator.le: ("__le__", "__ge__"),
    operator.gt: ("__gt__", "__lt__"), operator.ge: ("__ge__", "__le__"),
}  # fmt: skip
REFLECTED |= {getattr(operator, f"__{name}__"): (f"__{name}__", f"__r{name}__") for name in BINARY}
"""The method of the left operand, and that of the right one."""


def _is_kind_of(one: types.Type, other: types.Type) -> bool:
    """Whether the class of an object is derived from that of another."""
    are_objects = isinstance(one, ObjectType) and isinstance(other, ObjectType)
    return are_objects and one.cls is not other.cls and issubclass(one.cls, other.cls)


def _of_two(op: Any, own: str, reflected: str) -> None:
    @overload(op)
    def implement(one: types.Type, other: types.Type) -> Any:
        if not isinstance(one, ObjectType) and not isinstance(other, ObjectType):
            return None
        left, right = special(one, own), special(other, reflected)
        if right is not None and (left is None or _is_kind_of(other, one)):
            return lambda one, other: right(other, one)
        if left is not None:
            return lambda one, other: left(one, other)
        return None


for _op, _names in REFLECTED.items():
    _of_two(_op, *_names)


def _in_place(op: Any, plain: Any) -> None:
    @overload(op)
    def implement_in_place(one: types.Type, other: types.Type) -> Any:
        if not isinstance(one, ObjectType) and not isinstance(other, ObjectType):
            return None
        own = special(one, f"__i{REFLECTED[plain][0][2:]}")
        if own is not None:
            return lambda one, other: own(one, other)
        return lambda one, other: plain(one, other)


for _op, _plain in INPLACE.items():
    _in_place(_op, _plain)


# -- == and != ---------------------------------------------------------------------------------------------------------


def _is_of_data(cls: Any) -> bool:
    """Whether the `__eq__` of a class is that which a data class gets."""
    function = member_function(member_of(cls, "__eq__"))
    return dataclasses.is_dataclass(cls) and function is not None and function.__code__.co_filename == "<string>"


def _of_data(typ: ObjectType, is_equal: bool) -> Any:
    """`==` or `!=` of two objects of a data class."""
    tests = [f"same(one.{field.name}, other.{field.name})" for field in dataclasses.fields(typ.cls) if field.compare]
    text = " and ".join(tests) or "True"
    return function_from_source(f"def rule(one, other): return {text if is_equal else f'not ({text})'}", same=same)


def _equality(op: Any) -> None:
    is_equal = op is operator.eq

    @overload(op)
    def implement_equality(one: types.Type, other: types.Type) -> Any:
        objects = [typ for typ in (one, other) if isinstance(typ, ObjectType)]
        if not objects or not has_equality(*objects):
            return None
        if not isinstance(one, ObjectType) or not isinstance(other, ObjectType) or one.cls is not other.cls:
            raise refused(f"== of a {objects[0].cls.__name__} and something else: compare attributes")
        unequal = special(one, "__ne__")
        if unequal is not None and not is_equal:
            return lambda one, other: unequal(one, other)
        if _is_of_data(one.cls):
            return _of_data(one, is_equal)
        equal = special(one, "__eq__")
        if equal is None:
            return None
        return (lambda one, other: equal(one, other)) if is_equal else (lambda one, other: not equal(one, other))


for _op in (operator.eq, operator.ne):
    _equality(_op)


def has_equality(*objects: ObjectType) -> bool:
    """Whether a class of these objects defines what `==` means."""
    return any(member_function(member_of(typ.cls, name)) for typ in objects for name in ("__eq__", "__ne__"))


# -- operators of one --------------------------------------------------------------------------------------------------


def _special_or_constant(typ: types.Type, name: str) -> Any:
    """The same, also of a constant object."""
    if not isinstance(typ, ConstantObjectType):
        return special(typ, name)
    function = member_function(member_of(typ.cls, name))
    return None if function is None else native_function(function, *home())


def _calling(function: Any, name: str, parameters: str = "value", find: Any = special) -> None:
    """A function that calls a special method of its first argument."""
    text = f"native({parameters})"

    @overload(function)
    def implement_special_method(value: types.Type, *_: types.Type) -> Any:
        native = find(value, name)
        whole = f"bool({text})" if function is operator.contains else text
        return native and function_from_source(f"def rule({parameters}): return {whole}", native=native)


for _function, _name in {
    operator.neg: "__neg__", operator.pos: "__pos__", operator.invert: "__invert__", abs: "__abs__",
    int: "__int__", float: "__float__", hash: "__hash__",
}.items():  # fmt: skip
    _calling(_function, _name)
_calling(len, "__len__", find=_special_or_constant)
_calling(operator.getitem, "__getitem__", "value, key", _special_or_constant)
_calling(operator.contains, "__contains__", "value, item", _special_or_constant)
_calling(operator.setitem, "__setitem__", "value, key, item")


@overload(bool)
def _implement_bool(value: types.Type) -> Any:
    if not isinstance(value, ObjectType):
        return None
    truth, length = special(value, "__bool__"), special(value, "__len__")
    if truth is not None:
        return lambda value: truth(value)
    # Not True itself: a value that may be None is true only if it is not None.
    return (lambda value: length(value) > 0) if length is not None else (lambda value: value is not None)


compile_for(ObjectType, {operator.not_: lambda value: not bool(value)})


# -- loops -------------------------------------------------------------------------------------------------------------


@builtin_registry.register
class _Loop(AbstractTemplate):
    """`for x in value` of an object whose class defines `__iter__`."""

    key = "getiter"

    def generic(self, args: Any, keywords: Any) -> Any:
        [value] = args
        native = special(value, "__iter__")
        if native is None:
            return None
        result = types.Dispatcher(native).get_call_type(self.context, (value,), {}).return_type
        return Signature(result if isinstance(result, types.IteratorType) else result.iterator_type, (value,), None)


@lower_builtin("getiter", ObjectType)
def _lower_getiter(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    [value] = signature.args
    method = types.Dispatcher(special(value, "__iter__"))
    call = method.get_call_type(context.typing_context, (value,), {})
    iterable = context.get_function(method, call)(builder, args)
    if isinstance(call.return_type, types.IteratorType):
        return iterable
    begin = context.get_function("getiter", signature.return_type(call.return_type))
    return begin(builder, (iterable,))


@overload(enumerate)
def _implement_enumerate(values: types.Type, start: Any = 0) -> Any:
    if special(values, "__iter__") is None:
        return None

    def numbered(values: Any, start: Any = 0) -> Any:
        place = start
        pairs = []
        for item in values:
            pairs.append((place, item))
            place += 1
        return pairs

    return numbered


def _listed(function: Any) -> None:
    """A function that reads an object to its end reads a list of what it yields."""

    @overload(function)
    def implement_reading(values: types.Type) -> Any:
        if special(values, "__iter__") is None:
            return None
        return lambda values: function([item for item in values])  # noqa: C416


for _function in (list, set, sum_of_cells, tuple_of, min, max, any, all):
    _listed(_function)


@overload(operator.contains)
def _implement_contains(values: types.Type, item: types.Type) -> Any:
    if not isinstance(values, ObjectType) or member_of(values.cls, "__contains__") is not MISSING:
        return None
    if special(values, "__iter__") is None:
        return None

    def contains(values: Any, item: Any) -> bool:
        for value in values:  # noqa: SIM110 - compiled
            if value == item:
                return True
        return False

    return contains
