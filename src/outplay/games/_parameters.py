"""Checks of the parameters of games."""

import math
from operator import index
from typing import Any

import numpy as np

from outplay.rules.arguments import is_number
from outplay.rules.errors import RulesError


def whole_number(name: str, value: int, least: int, greatest: int) -> int:
    """`value` as an int; `RulesError` if it is not a whole number from `least` to `greatest`.

    >>> whole_number("width", 7, 1, 31)
    7
    """
    try:
        number = index(value)
    except TypeError:
        number = least - 1
    if not least <= number <= greatest:
        raise RulesError(f"{name}={value!r}: {name} must be a whole number from {least} to {greatest}")
    return number


def switch(name: str, value: bool) -> bool:
    """`value` as a bool; `RulesError` if it is not True or False, since "no" would count as true.

    >>> switch("swap", False)
    False
    """
    if not isinstance(value, bool | np.bool_):
        raise RulesError(f"{name}={value!r}: {name} must be True or False")
    return bool(value)


def is_positive(value: Any) -> bool:
    """Whether `value` is a finite number above 0.

    >>> is_positive(0.5), is_positive(0), is_positive("1"), is_positive(True)
    (True, False, False, False)
    """
    return is_number(value) and 0 < value < math.inf
