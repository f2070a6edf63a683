"""The Numba types of constants: what the items of a list, dict or set have in common.

`Constant` stands for a value of Python that has such a type.
"""

import enum
from collections.abc import Iterable
from functools import reduce
from hashlib import blake2b
from typing import Any

import numpy as np
from numba import types
from numba.extending import typeof_impl
from numpy.typing import NDArray

from outplay.compile.native.frozen.enums import EnumMember, member_type
from outplay.compile.native.internals.numba_names import errors, from_dtype, refused
from outplay.compile.native.text_array_type import ConstantTexts, text_array_of
from outplay.compile.references import member_function

SHORT = 8
"""The most items of a tuple inside a constant that is handled as one value."""
SMALL = 256
"""The most numbers in a tuple that is handled as one value."""
LONGEST_RANGE = 100_000


class Frozen(types.IterableType):
    """The type of a constant with items."""

    def __init__(self, name: str, item: types.Type) -> None:
        self.dtype = item
        super().__init__(name)

    iterator_type = property(lambda self: FrozenIterator(self))


class FrozenSequence(Frozen):
    """The type of a constant list, tuple or range; `kind` is "list", "tuple", "range", or "sequence" if unknown."""

    def __init__(self, item: types.Type, kind: str) -> None:
        self.kind = kind
        super().__init__(f"frozen {kind}[{item}]", item)


class FrozenSet(Frozen):
    """The type of a constant set; `kind` is "set", "frozenset", or "" if it may be either."""

    def __init__(self, item: types.Type, kind: str) -> None:
        self.kind = kind
        super().__init__(f"frozen {kind or 'set or frozenset'}[{item}]", item)

    @property
    def iterator_type(self) -> types.Type:
        """The type of an iterator over the items."""
        if not is_ordered(self.dtype):
            raise refused("the order of a set of strings differs from run to run: use a tuple, or sorted(…)")
        return FrozenIterator(self)


class FrozenDict(Frozen):
    """The type of a constant dict."""

    def __init__(self, key: types.Type, value: types.Type) -> None:
        self.value = value
        super().__init__(f"frozen dict[{key}, {value}]", key)


class FrozenView(Frozen):
    """The type of `keys()`, `values()` or `items()` of a constant dict."""

    def __init__(self, source: FrozenDict, part: str) -> None:
        self.source, self.part = source, part
        pair = types.BaseTuple.from_types((source.dtype, source.value))
        super().__init__(f"{part} of {source}", {"keys": source.dtype, "values": source.value, "items": pair}[part])


class FrozenIterator(types.SimpleIteratorType):
    """The type of an iterator over a constant."""

    def __init__(self, container: Frozen) -> None:
        self.container = container
        super().__init__(f"iterator over {container}", container.dtype)


class Constant:
    """A constant that Numba alone could not handle, as it was when the compiler read it."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self._typ: types.Type | None = None

    @property
    def typ(self) -> types.Type:
        """Its Numba type; `TypingError` says why there is none."""
        if self._typ is None:
            if _holds_nan(self.value):
                raise refused("a constant with nan in it, which Python may find by identity: use None or -1 instead")
            self._typ = settled(type_of(self.value))
        return self._typ

    def __bool__(self) -> bool:
        return bool(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and bool(self.value == other.value)

    def __hash__(self) -> int:
        return id(self)


_members: dict[int, Constant] = {}
"""The constants of members, so that equal members are one object to Numba too."""


@typeof_impl.register(Constant)
def _type_of_constant(constant: Constant, context: Any) -> types.Type:
    return constant.typ


# -- constants of Python -----------------------------------------------------------------------------------------------


def frozen(value: Any) -> Any:
    """`value` as a constant for Numba: a `Constant` where Numba has no form of its own that means the same.

    The containers in it are copied, so that it stays as it is.
    """
    if type(value) in (list, dict, set, frozenset, range):
        return Constant(_copied(value))
    if isinstance(value, enum.Enum):
        return _members.setdefault(id(value), Constant(value))
    if isinstance(value, np.ndarray):
        if text_array_of(value) is not None:
            return ConstantTexts(value)
        copy = value.copy(order="K")
        copy.flags.writeable = False
        return copy if copy.nbytes <= EMBEDDED and copy.flags.forc else _arrays.setdefault(_content(copy), copy)
    if not isinstance(value, tuple):
        return value
    parts = tuple(map(frozen, value))
    if hasattr(value, "_fields"):
        return type(value)(*parts)
    if type(value) is tuple and (_is_ragged(value) or _leaves(value) > SMALL):
        try:
            settled(type_of(value))
        except errors.TypingError:
            return parts
        return Constant(_copied(value))
    return parts


EMBEDDED = 10**6
"""The maximum bytes of a contiguous array that Numba copies into the code. To others it refers by their address."""
_arrays: dict[Any, NDArray[Any]] = {}
"""Arrays that compiled code refers to by their address, by what they hold: they must never be freed."""


def _content(array: NDArray[Any]) -> Any:
    return array.dtype.str, array.shape, array.strides, blake2b(array.tobytes()).digest()


def _is_ragged(value: tuple[Any, ...]) -> bool:
    """Whether this is a tuple of tuples that are not all alike."""
    if not value or not all(type(item) is tuple for item in value):
        return False
    try:
        return len({type_of(item) for item in value}) > 1 or any(map(_is_ragged, value))
    except errors.TypingError:
        return False


def _leaves(value: Any) -> int:
    return sum(map(_leaves, value)) if isinstance(value, tuple) else 1


def _holds_nan(value: Any) -> bool:
    """Whether there is a NaN in a container."""
    if isinstance(value, dict):
        return any(map(_holds_nan, value.items()))
    if isinstance(value, (list, tuple)):
        return any(map(_holds_nan, value))
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def _copied(value: Any) -> Any:
    """A copy of a constant: of all containers in it, and of arrays."""
    if type(value) in (list, tuple):
        return type(value)(map(_copied, value))
    if type(value) is dict:
        return {_copied(key): _copied(item) for key, item in value.items()}
    if type(value) in (set, frozenset):
        return (Items if type(value) is set else FrozenItems)(map(_copied, value))
    if isinstance(value, np.ndarray):
        return np.array(value, order="C")
    return value


class Items(tuple[Any, ...]):
    """The items of a set, in its order."""

    __slots__ = ()


class FrozenItems(Items):
    """The items of a frozenset, in its order."""

    __slots__ = ()


def operator_of(cls: type) -> str:
    """A special method, such as `__add__`, that the author of a class of named tuples has defined; "" if none."""
    for owner in cls.__mro__:
        for name, member in vars(owner).items():
            function = member_function(member)  # `__new__` is static
            made_by = "collections" if function is None else function.__globals__["__name__"]
            is_own = made_by not in ("collections", "typing") and not made_by.startswith("namedtuple_")
            if is_own and name.startswith("__") and name not in (*SHOWING, *ARITHMETIC):
                return name
    return ""


SHOWING = ("__repr__", "__str__", "__format__")
"""Special methods that rules do not use."""
BINARY = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift",
)  # fmt: skip
"""The middle of the names of the methods that an operator of two calls."""
ARITHMETIC = [f"__{name}__" for name in (*BINARY, "neg", "pos", "invert")]
"""Special methods of named tuples that compiled code calls."""


def refuse_operators(cls: type) -> None:
    """Refuse named tuples with special methods, which compiled code does not call."""
    if name := operator_of(cls):
        raise refused(f"{cls.__name__} defines {name}: give the method an ordinary name")


# -- types of constants ------------------------------------------------------------------------------------------------


def type_of(value: Any) -> types.Type:
    """The type of a constant, or of an item of one; `types.undefined` stands for the items of empty containers."""
    if isinstance(value, enum.Enum):
        return member_type(type(value))
    if isinstance(value, (bool, np.bool_)):
        return types.boolean
    if isinstance(value, (int, np.int64)):
        if not -(2**63) <= value < 2**63:
            raise refused(f"a constant contains {value}, more than 63 bits; use numpy.uint64")
        return types.int64
    if isinstance(value, float):
        return types.float64
    if type(value) is str:
        return types.unicode_type
    if value is None:
        return types.none
    if isinstance(value, (Items, set, frozenset)):
        return FrozenSet(common(value), "frozenset" if isinstance(value, FrozenItems | frozenset) else "set")
    if isinstance(value, (list, range)):
        if isinstance(value, range) and len(value) > LONGEST_RANGE:
            raise refused(f"a constant is {value}, which is too long: write it where it is used")
        return FrozenSequence(common(value), type(value).__name__)
    if isinstance(value, dict):
        return FrozenDict(common(value.keys()), common(value.values()))
    if hasattr(value, "_fields") and isinstance(value, tuple):
        refuse_operators(type(value))
        return types.BaseTuple.from_types(tuple(map(type_of, value)), type(value))
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf":
            raise refused(f"a constant contains an array of {value.dtype}")
        return types.Array(from_dtype(value.dtype), value.ndim, "C", readonly=True)
    if isinstance(value, tuple):
        if len(value) > SHORT:
            return FrozenSequence(common(value), "tuple")
        return types.BaseTuple.from_types(tuple(map(type_of, value)))
    raise refused(f"a constant contains a {type(value).__name__}")


def common(values: Iterable[Any]) -> types.Type:
    """The type that these values have in common."""
    return reduce(join, dict.fromkeys(map(type_of, values)), types.undefined)


def join(a: types.Type, b: types.Type) -> types.Type:
    """The type for values of both types; `TypingError` if there is none that keeps their meaning."""
    if b in (a, types.undefined):
        return a
    if a == types.undefined:
        return b
    if {a, b} == {types.int64, types.float64}:
        return types.float64
    if types.int64 in (a, b) and any(isinstance(typ, EnumMember) and typ.is_int and not typ.is_flag for typ in (a, b)):
        return types.int64
    if types.none in (a, b) or isinstance(a, types.Optional) or isinstance(b, types.Optional):
        inner = [getattr(typ, "type", typ) for typ in (a, b) if typ != types.none]
        return types.Optional(join(inner[0], inner[-1]))
    if isinstance(a, FrozenSet) and isinstance(b, FrozenSet):
        return FrozenSet(join(a.dtype, b.dtype), a.kind if a.kind == b.kind else "")
    if isinstance(a, FrozenDict) and isinstance(b, FrozenDict):
        return FrozenDict(join(a.dtype, b.dtype), join(a.value, b.value))
    if isinstance(a, types.BaseTuple) and isinstance(b, types.BaseTuple):
        named_class = getattr(a, "instance_class", None)
        if len(a) == len(b) and named_class is getattr(b, "instance_class", None):
            try:
                return types.BaseTuple.from_types(tuple(map(join, a.types, b.types)), named_class)
            except errors.TypingError:
                if named_class is not None:
                    raise
    a, b = _row(a), _row(b)
    if isinstance(a, FrozenSequence) and isinstance(b, FrozenSequence) and a.kind == b.kind:
        return FrozenSequence(join(a.dtype, b.dtype), a.kind)
    if isinstance(a, EnumMember) and isinstance(b, EnumMember):
        raise refused(f"a constant mixes members of {a.cls.__name__} and {b.cls.__name__}")
    raise refused(f"a constant mixes {plain_name(a)} and {plain_name(b)}")


def _row(typ: types.Type) -> types.Type:
    """The type of a short tuple as a sequence of any length."""
    if not isinstance(typ, types.BaseTuple) or hasattr(typ, "instance_class"):
        return typ
    return FrozenSequence(reduce(join, typ.types, types.undefined), "tuple")


def settled(typ: types.Type) -> types.Type:
    """The type with the items of empty containers as ints; nobody sees them. A tuple becomes a sequence."""
    return _settled(_row(typ))


def _settled(typ: types.Type) -> types.Type:
    if typ == types.undefined:
        return types.int64
    if isinstance(typ, FrozenSequence):
        return FrozenSequence(_settled(typ.dtype), typ.kind)
    if isinstance(typ, FrozenSet):
        return FrozenSet(_settled(typ.dtype), typ.kind)
    if isinstance(typ, FrozenDict):
        return FrozenDict(_settled(typ.dtype), _settled(typ.value))
    if isinstance(typ, types.Optional):
        return types.Optional(_settled(typ.type))
    if isinstance(typ, types.BaseTuple):
        parts = tuple(map(_settled, typ.types))
        return types.BaseTuple.from_types(parts, getattr(typ, "instance_class", None))
    return typ


def is_ordered(item: types.Type) -> bool:
    """Whether Python hashes such items alike in every run, so that sets of them keep their order."""
    if isinstance(item, types.BaseTuple):
        return all(map(is_ordered, item.types))
    if isinstance(item, FrozenSequence):
        return is_ordered(item.dtype)
    return isinstance(item, (types.Number, types.Boolean))


NAMES = {types.int64: "ints", types.float64: "floats", types.boolean: "bools", types.unicode_type: "strings"}


def plain_name(typ: types.Type) -> str:
    """What values of this type are, for messages."""
    if isinstance(typ, EnumMember):
        return f"members of {typ.cls.__name__}"
    if isinstance(typ, (FrozenSet, FrozenDict)):
        return f"{typ.name.split()[1].partition('[')[0]}s"
    if isinstance(typ, FrozenSequence):
        return f"{typ.kind}s of {plain_name(typ.dtype)}"
    if isinstance(typ, types.BaseTuple):
        return f"tuples of {len(typ)}"
    return NAMES.get(types.unliteral(typ), "None" if typ == types.none else str(typ))
