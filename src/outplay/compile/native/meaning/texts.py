"""Numbers in texts: `int("12")`."""

from typing import Any

from numba import types

from outplay.compile.native.game_type import overload
from outplay.compile.native.meaning.plans import INT64, Plan, delegate

DIGITS = 18
"""More digits may not fit 64 bits."""


def int_in_text(text: str) -> int:
    """In compiled code: `int(text)`; `ValueError` for what is no number, or has more than 18 digits."""
    return int(text)


@overload(int_in_text)
def _(text: types.Type) -> Any:
    most = DIGITS

    def convert(text: Any) -> int:
        start, end = 0, len(text)
        while start < end and text[start].isspace():
            start += 1
        while start < end and text[end - 1].isspace():
            end -= 1
        sign = 1
        if start < end and (text[start] == "-" or text[start] == "+"):
            sign = -1 if text[start] == "-" else 1
            start += 1
        value, digits, is_after_digit = 0, 0, False
        for place in range(start, end):
            digit = ord(text[place]) - 48
            if text[place] == "_" and is_after_digit:
                is_after_digit = False
                continue
            digits += 1
            if digit < 0 or digit > 9 or digits > most:
                raise ValueError("int() of a text that is no number, or has more than 18 digits")
            value, is_after_digit = 10 * value + digit, True
        if not is_after_digit:
            raise ValueError("int() of a text that is no number, or has more than 18 digits")
        return sign * value

    return convert


def int_of_text(typ: types.Type) -> Plan:
    """The plan of `int(text)`."""
    return Plan(INT64, (typ,), delegate(int_in_text, typ))
