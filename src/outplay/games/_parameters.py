"""What the constructors of games check their parameters with."""

from operator import index

from outplay.errors import RulesError


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
