"""Functions that rewritten rules call before what may fail within a `try`: which error it would raise.

Only compiled rules call them; `native.faults` has their compiled forms, which refuse what they do not know.
"""

from typing import Any

NONE, INDEX, KEY, VALUE, ZERO = range(5)
RAISED: dict[int, type[Exception]] = {INDEX: IndexError, KEY: KeyError, VALUE: ValueError, ZERO: ZeroDivisionError}
"""The error that a number stands for."""


def unknown(reason: str) -> None:
    """A `try` with a step whose errors are not known: does not compile."""


def of_item(owner: Any, index: Any) -> int:
    """The error of `owner[index]`."""
    raise NotImplementedError


def of_slice(owner: Any) -> int:
    """The error of `owner[start:stop]`."""
    raise NotImplementedError


def of_store(owner: Any, index: Any) -> int:
    """The error of `owner[index] = value`."""
    raise NotImplementedError


def of_attribute(owner: Any, name: str) -> int:
    """The error of `owner.name`."""
    raise NotImplementedError


def of_operator(symbol: str, left: Any, right: Any) -> int:
    """The error of an operator, such as `//`."""
    raise NotImplementedError


def of_sign(value: Any) -> int:
    """The error of `-value`, `+value` or `~value`."""
    raise NotImplementedError


def of_comparison(left: Any, right: Any) -> int:
    """The error of `left == right`, `left < right` and so on."""
    raise NotImplementedError


def of_membership(item: Any, values: Any) -> int:
    """The error of `item in values`."""
    raise NotImplementedError


def of_truth(value: Any) -> int:
    """The error of `if value`."""
    raise NotImplementedError


def of_loop(values: Any) -> int:
    """The error of a loop over the values, or of their length."""
    raise NotImplementedError


def of_unpacking(values: Any, number: int) -> int:
    """The error of `a, b = values`."""
    raise NotImplementedError


def of_extreme(values: Any) -> int:
    """The error of `min(values)`."""
    raise NotImplementedError


def of_number(value: Any) -> int:
    """The error of `int(value)` and `abs(value)`."""
    raise NotImplementedError


def of_method(owner: Any, name: str, *args: Any) -> int:
    """The error of a method of a container or text."""
    raise NotImplementedError
