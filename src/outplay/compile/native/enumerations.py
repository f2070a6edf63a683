"""What rules may do with members of enumerations, apart from their attributes: operators, loops, look-ups."""

import operator
from typing import Any

from numba import types
from numba.extending import lower_cast

from outplay.compile.native.class_type import EnumClassType
from outplay.compile.native.frozen.enums import EnumMember
from outplay.compile.native.frozen.kinds import Constant
from outplay.compile.native.frozen.lookup import number
from outplay.compile.native.game_type import compile_for, overload, overload_attribute, overload_method
from outplay.compile.native.internals.numba_names import lower_builtin
from outplay.compile.native.semantics.plan_choice import opposite_flags


@lower_builtin("getiter", EnumClassType)
def _lower_getiter(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    members = signature.args[0].members
    everything = context.get_constant_generic(builder, members, Constant(tuple(signature.args[0].cls)))
    begin = context.get_function("getiter", signature.return_type(members))
    return begin(builder, (everything,))


@overload(len)
def _implement_len(cls: types.Type) -> Any:
    if not isinstance(cls, EnumClassType):
        return None
    count = len(cls.member.members)
    return lambda cls: count


compile_for(EnumClassType, {operator.getitem: lambda cls, name: cls.__members__[name]})


@overload_attribute(EnumClassType, "__members__")
def _implement_members_of_enum_class_type(cls: EnumClassType) -> Any:
    table: Any = Constant(dict(cls.member.cls.__members__))
    return lambda cls: table


def _same(one: types.Type, other: types.Type) -> bool:
    return isinstance(one, EnumMember) and one == other


def _is_number(typ: types.Type) -> bool:
    return isinstance(typ, (types.Number, types.Boolean)) or (isinstance(typ, EnumMember) and typ.is_int)


def _equality(op: Any) -> None:
    is_equal = op is operator.eq

    @overload(op)
    def _implement_op(one: types.Type, other: types.Type) -> Any:
        members = [typ for typ in (one, other) if isinstance(typ, EnumMember)]
        if not members:
            return None
        if _same(one, other):
            return lambda one, other: (number(one) == number(other)) == is_equal
        if _is_number(one) and _is_number(other):
            return None  # Numba's own, for the ints that the members are
        texts = [typ.cls.__members__ and issubclass(typ.cls, str) for typ in members]
        if any(texts):
            if len(members) == 1 and isinstance(other, types.UnicodeType):
                return lambda one, other: (one.value == other) == is_equal
            if len(members) == 1 and isinstance(one, types.UnicodeType):
                return lambda one, other: (one == other.value) == is_equal
            return None
        plain = (types.Number, types.Boolean, types.UnicodeType, types.BaseTuple, EnumMember)
        return (lambda one, other: not is_equal) if isinstance(one, plain) and isinstance(other, plain) else None


for _op in (operator.eq, operator.ne):
    _equality(_op)


@overload(bool)
def _implement_bool(member: types.Type) -> Any:
    if not isinstance(member, EnumMember):
        return None
    if member.is_value:
        return lambda member: number(member) != 0
    if issubclass(member.cls, str):
        return lambda member: len(member.value) > 0
    return lambda member: number(member) >= 0  # not True itself: the member may be None


compile_for(EnumMember, {operator.not_: lambda member: not bool(member)})


@overload(int)
def _implement_int(member: types.Type) -> Any:
    return (lambda member: number(member)) if isinstance(member, EnumMember) and member.is_int else None


@overload(float)
def _implement_float(member: types.Type) -> Any:
    return (lambda member: float(number(member))) if isinstance(member, EnumMember) and member.is_int else None


@overload(operator.getitem)
def _implement_getitem(items: types.Type, member: types.Type) -> Any:
    is_index = isinstance(member, EnumMember) and member.is_int
    if not is_index or not isinstance(items, (types.List, types.UniTuple, types.UnicodeType)):
        return None
    return lambda items, member: items[number(member)]


@overload(operator.setitem)
def _implement_setitem(items: types.Type, member: types.Type, value: types.Type) -> Any:
    if not isinstance(member, EnumMember) or not member.is_int or not isinstance(items, types.List):
        return None

    def put(items: Any, member: Any, value: Any) -> None:
        items[number(member)] = value

    return put


overload_method(EnumMember, "__hash__")(lambda member: lambda member: hash(number(member)))


@overload(operator.contains)
def _implement_contains(flags: types.Type, flag: types.Type) -> Any:
    if _same(flags, flag) and flags.is_flag:
        return lambda flags, flag: (number(flags) & number(flag)) == number(flag)
    return None


@lower_cast(EnumMember, types.Boolean)
def _cast_enum_member_to_boolean(context: Any, builder: Any, source: EnumMember, target: types.Type, value: Any) -> Any:
    truth = context.typing_context.resolve_value_type(bool)
    signature = truth.get_call_type(context.typing_context, (source,), {})
    return context.get_function(truth, signature)(builder, (value,))


@overload(opposite_flags)
def _implement_opposite_flags(flags: types.Type) -> Any:
    if not isinstance(flags, EnumMember) or not flags.is_flag:
        return None
    every = sum(member.value for member in flags.cls)
    table: Any = Constant([_opposite(flags.cls, value) for value in range(every + 1)])
    return lambda flags: table[number(flags)]


def _opposite(cls: Any, value: int) -> Any:
    """`~` of the flags with this value; of a value that none have, anything."""
    try:
        return ~cls(value)
    except ValueError:
        return cls(0)
