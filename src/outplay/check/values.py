"""Predicates on the values that rules return."""

import math
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from numbers import Real
from typing import Any

import numpy as np

TOLERANCE = 1e-9
"""The largest difference between two numbers that counts as rounding."""


def same(a: Any, b: Any) -> bool:
    """Whether two states or answers have the same content, numbers up to rounding.

    >>> same((0.1 + 0.2, np.array([1, 2])), (0.3, np.array([1, 2])))
    True
    """
    identity: Any = object.__eq__
    if a is b:
        return True
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        is_float = "f" in (a.dtype.kind, b.dtype.kind)
        return np.array_equal(a, b) or (is_float and a.shape == b.shape and np.allclose(a, b, TOLERANCE, 0, True))
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE) or (math.isnan(a) and math.isnan(b))
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    if type(a) is type(b) and is_dataclass(a):
        return all(same(getattr(a, part.name), getattr(b, part.name)) for part in fields(a))
    if type(a) is type(b) and type(a).__eq__ is identity:  # == would compare by identity: compare what is inside
        return same(a.__reduce_ex__(2)[1:3], b.__reduce_ex__(2)[1:3])
    return bool(a == b)


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
