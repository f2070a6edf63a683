"""Predicates on the values that rules return, and what messages say of values that differ."""

import math
from collections import deque
from collections.abc import Iterable, Iterator, Set
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import islice
from numbers import Real
from reprlib import Repr
from typing import Any, NamedTuple

import numpy as np

from outplay.compile.references import fields_of
from outplay.rules.keys import form_of
from outplay.rules.wording import MAX_MESSAGE, MAX_SHOWN, cut, excerpt

TOLERANCE = 1e-9
"""The largest difference between two numbers that counts as rounding."""
MAX_PLACES = 3
"""The maximum number of places where two values differ that a message names."""
ADDRESS = " at 0x"
"""What Python prints of an object that does not say what it is."""

Difference = tuple[str, Any, Any]
"""A place, such as ".board.cells[3]", and what two values have there."""


def same(a: Any, b: Any) -> bool:
    """Whether two states or answers have the same content, numbers up to rounding.

    >>> same((0.1 + 0.2, np.array([1, 2])), (0.3, np.array([1, 2])))
    True
    """
    return next(differences(a, b), None) is None


def differences(a: Any, b: Any, compared: dict[tuple[int, int], Any] | None = None) -> Iterator[Difference]:
    """The places where two values differ. Objects are compared by their attributes, also where they lead in circles.

    `compared` holds pairs that are the same unless another place shows a difference, by their addresses.

    >>> list(differences({"a": [1, 2]}, {"a": [1, 3]}))
    [("['a'][1]", 2, 3)]
    """
    compared = {} if compared is None else compared
    waiting: list[Difference] = [("", a, b)]
    while waiting:
        path, a, b = waiting.pop()
        if _equal(a, b) or (id(a), id(b)) in compared:
            continue
        compared[id(a), id(b)] = a, b  # which also keeps the addresses from others
        parts = _parts(a, b, compared)
        if parts is None:
            yield path, a, b
        else:
            waiting += [(path + place, one, other) for place, one, other in reversed(parts)]


def _equal(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE) or (math.isnan(a) and math.isnan(b))
    with suppress(Exception):  # == of arrays is no bool, and that of objects may do anything
        return type(a) is not np.ndarray and bool(a == b)
    return False


def _parts(a: Any, b: Any, compared: dict[tuple[int, int], Any]) -> list[Difference] | None:
    """The parts of two values that have the same form; None if they differ as a whole."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if a.shape != b.shape:
            return None
        apart = np.argwhere(np.ones(a.shape, bool) if "O" in (a.dtype.kind, b.dtype.kind) else a != b).tolist()
        return [(f"[{', '.join(map(str, place))}]", a.item(*place), b.item(*place)) for place in apart]
    if isinstance(a, (tuple, list, deque)) and isinstance(b, (tuple, list, deque)):
        names = getattr(a, "_fields", ())
        places = [f".{name}" for name in names] or [f"[{index}]" for index in range(len(a))]
        return list(zip(places, a, b, strict=True)) if len(a) == len(b) else None
    if isinstance(a, dict) and isinstance(b, dict):
        if a.keys() == b.keys():
            return [(f"[{described(name)}]", a[name], b[name]) for name in a]
        return [("", tuple(a), tuple(b)), ("", tuple(a.values()), tuple(b.values()))] if len(a) == len(b) else None
    if isinstance(a, Set) and isinstance(b, Set):
        others = list(b)
        for item in a:
            twin = (at for at, other in enumerate(others) if next(differences(item, other, {**compared}), None) is None)
            if (at := next(twin, None)) is None:
                return None
            del others[at]
        return None if others else []
    if type(a) is not type(b) or isinstance(a, (Enum, type)):
        return None
    if is_dataclass(a):
        return [(f".{part.name}", getattr(a, part.name), getattr(b, part.name)) for part in fields(a) if part.compare]
    cls: Any = type(a)
    if (form := form_of(cls)).is_plain:
        mine, its = ({k: v for k, v in fields_of(value).items() if k not in form.left_out} for value in (a, b))
        return [(f".{name}", mine[name], its[name]) for name in mine] if mine.keys() == its.keys() else None
    if cls.__eq__ is object.__eq__:  # an object of an extension, such as a Random
        with suppress(Exception):
            return [("", a.__reduce_ex__(2)[1:3], b.__reduce_ex__(2)[1:3])]
    return None


# -- in words ---------------------------------------------------------------------------------------------------------


class Apart(NamedTuple):
    """Two values that differ, with a word before each; as text both or, of long ones and objects, where they differ.

    >>> str(Apart("before", (1, 2), "and after", (1, 3)))
    'before (1, 2) and after (1, 3)'
    >>> class Piece:
    ...     def __init__(self, owner):
    ...         self.owner = owner
    >>> str(Apart("before", [Piece(0)], "and after", [Piece(1)]))
    '[0].owner: 0 → 1'
    """

    first: str
    one: Any
    then: str
    other: Any

    def __str__(self) -> str:
        texts = _text(self.one), _text(self.other)
        if all(ADDRESS not in text and len(text) <= MAX_SHOWN for text in texts):
            return f"{self.first} {texts[0]} {self.then} {texts[1]}"
        unlike = list(islice(differences(self.one, self.other), MAX_PLACES + 1))
        places = [
            f"{path.removeprefix('.')}: {cut(described(one), MAX_SHOWN)} → {cut(described(other), MAX_SHOWN)}"
            for path, one, other in unlike[:MAX_PLACES]
        ]
        return ", ".join(places) + (", …" if len(unlike) > MAX_PLACES else "")


def described(value: Any) -> str:
    """A value as Python prints it, but objects that it prints as an address by their attributes.

    >>> class Piece:
    ...     def __init__(self, owner):
    ...         self.owner = owner
    >>> described([Piece(1), None])
    '[Piece(owner=1), None]'
    """
    text = _text(value)
    return excerpt(text if ADDRESS not in text else _Attributes().repr(value))


def _text(value: Any) -> str:
    try:
        return repr(value)
    except Exception:  # a __repr__ that fails, perhaps since objects lead in circles
        return f"a {type(value).__name__}{ADDRESS}"


class _Attributes(Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdict = self.maxdeque = MAX_SHOWN
        self.maxstring = self.maxother = self.maxlong = MAX_MESSAGE

    def repr_instance(self, x: Any, level: int) -> str:
        text, name = _text(x), type(x).__name__
        if ADDRESS not in text:
            return text
        if level <= 0:
            return f"{name}(…)"
        return f"{name}({', '.join(f'{key}={self.repr1(part, level - 1)}' for key, part in fields_of(x).items())})"


# -- numbers ----------------------------------------------------------------------------------------------------------


def acts_as_int(number: Any) -> bool:
    """Whether a value can stand for a whole number: an int, a bool, a NumPy integer, but no array."""
    return hasattr(number, "__index__") and not hasattr(number, "__len__")


def is_bool(value: Any) -> bool:
    """Whether a value is True or False, Python's or NumPy's."""
    return isinstance(value, (bool, np.bool_))


def acts_as_bool(value: Any) -> bool:
    """Whether a value can stand for True or False: a bool, an int, a NumPy number."""
    return isinstance(value, (int, np.generic))


def are_finite(numbers: Iterable[Any]) -> bool:
    """Whether all of these are finite real numbers."""
    return all(isinstance(number, Real) and math.isfinite(number) for number in numbers)
