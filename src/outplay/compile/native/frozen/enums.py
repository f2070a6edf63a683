"""The type of the members of an enumeration: a number in compiled code.

Members of an `Enum` are numbered as they are defined. Where a member is an int, as in an `IntEnum`, or a set
of bits, as in a `Flag`, the number is its value. `number_of` and `member_of_number` convert.
"""

import enum
import secrets
from operator import attrgetter
from typing import Any

from numba import types
from numba.extending import models, register_model

from outplay.compile.fingerprint import fingerprint_of_class
from outplay.compile.native.internals.numba_names import refused
from outplay.compile.references import is_made_by_enum

OF_ENUM = {"__init__", "__new__", "__module__", "__doc__", "__qualname__", "__annotations__", "__dict__", "__weakref__"}
OF_ENUM |= {"__str__", "__repr__", "__format__", "__reduce_ex__", "__reduce__", "__getnewargs__", "__getnewargs_ex__"}
OF_ENUM |= {"__firstlineno__", "__static_attributes__", "__signature__", "__deepcopy__", "__copy__", "__set_name__"}
LARGEST_FLAG = 4096


class EnumMember(types.Type):
    """The type of the members of one enumeration. An enumeration that was changed has another type."""

    def __init__(self, cls: type[enum.Enum]) -> None:
        self.cls, self.mark = cls, str(fingerprint_of_class(cls))
        self.members: list[Any] = list(cls)
        self.is_flag = issubclass(cls, enum.Flag)
        self.is_int = issubclass(cls, int)
        super().__init__(f"{cls.__qualname__}[{secrets.token_hex(8)}]")  # unique, since classes may have equal names

    key = property(attrgetter("cls", "mark"))  # two of these types are equal if their keys are

    @property
    def is_value(self) -> bool:
        """Whether the number of a member is its value."""
        return self.is_int or self.is_flag

    def can_convert_to(self, context: Any, other: types.Type) -> Any:
        """Members that are ints can be used as ints."""
        if self.is_int and isinstance(other, (types.Integer, types.Float)):
            return context.can_convert(types.int64, other)
        return None

    def unify(self, context: Any, other: types.Type) -> types.Type | None:
        """Members of two enumerations that are ints are ints."""
        is_int = isinstance(other, EnumMember) and all(typ.is_int and not typ.is_flag for typ in (self, other))
        return types.int64 if is_int else None


register_model(EnumMember)(
    lambda manager, typ: models.PrimitiveModel(manager, typ, manager.lookup(types.int64).get_value_type())
)


_types: dict[type, EnumMember] = {}
"""The last type of each enumeration."""


def member_type(cls: type[enum.Enum]) -> EnumMember:
    """The type of the members of this enumeration; `TypingError` says why there is none."""
    typ = _types.get(cls)
    if typ is None or typ.mark != str(fingerprint_of_class(cls)):
        reason = _reason_against(cls)
        if reason:
            raise refused(reason)
        typ = _types[cls] = EnumMember(cls)
    return typ


def _numbered(cls: type[enum.Enum]) -> EnumMember:
    """The type that numbers the members, which a change of the class leaves alone."""
    return _types.get(cls) or member_type(cls)


def number_of(member: enum.Enum) -> int:
    """The number that stands for a member in compiled code."""
    typ = _numbered(type(member))
    return int(member.value) if typ.is_value else next(i for i, other in enumerate(typ.members) if other is member)


def member_of_number(cls: type[enum.Enum], number: int) -> Any:
    """The inverse of `number_of`; `ValueError` for a number that stands for no member."""
    typ = _numbered(cls)
    if typ.is_value:
        return cls(number)
    if not 0 <= number < len(typ.members):
        raise ValueError(f"{number} is not the number of a member of {cls.__name__}")
    return typ.members[number]


def is_own(cls: type) -> bool:
    """Whether a class of the bases of an enumeration belongs to its author."""
    return cls not in (object, int, str) and cls.__module__ != "enum"


def _reason_against(cls: type[enum.Enum]) -> str:
    """Why members of this enumeration cannot be numbers; empty if they can."""
    kind: Any = getattr(cls, "_member_type_")  # noqa: B009 - a name of Python
    if kind not in (object, int, str):
        return f"members of {cls.__name__} are of class {kind.__name__}: use Enum or IntEnum"
    for base in filter(is_own, cls.__mro__):
        for name in vars(base):
            is_special = name.startswith("__") and name.endswith("__")
            if is_special and name not in OF_ENUM and not is_made_by_enum(base, name):
                return f"{cls.__name__} defines {name}: give the method an ordinary name"
    if "_missing_" in {name for base in filter(is_own, cls.__mro__) for name in vars(base)}:
        return f"{cls.__name__} defines _missing_: write a function that returns the member"
    values = [member.value for member in cls]
    if kind is int and any(int(member.value) != int(member) for member in list[Any](cls)):
        return f"a value of {cls.__name__} is not the int that the member is"
    if issubclass(cls, (int, enum.Flag)):
        if not all(type(value) is int and -(2**63) <= value < 2**63 for value in values):
            return f"a value of {cls.__name__} has more than 63 bits"
        if issubclass(cls, enum.Flag) and not 0 <= max(values, default=0) < LARGEST_FLAG:
            return f"{cls.__name__} has more than 12 flags"
    return ""
