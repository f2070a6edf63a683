"""Numbers in texts: `int("12")` and `str(12)`."""

from typing import Any

import numpy as np
from numba import types

from outplay.compile.native.game_type import compiled_only
from outplay.compile.native.internals.numba_names import parts_of_texts
from outplay.compile.native.semantics.plans import INT64, UINT64, Plan, delegate

CODE_POINT, EMPTY, PUT, VIEW = parts_of_texts()  # where Numba lacks one of these, nothing compiles
DIGITS = 18
"""More digits may not fit 64 bits."""


@compiled_only
def int_in_text(text: types.Type) -> Any:
    """In compiled code: `int(text)`; `ValueError` for what is no number, or has more than 18 digits."""
    most, code_point = DIGITS, CODE_POINT

    def convert(text: Any) -> Any:
        start, end = 0, len(text)
        if 0 < end <= most:  # most texts have nothing but digits
            number, digits = np.int64(0), 0
            for place in range(end):
                figure = np.int64(code_point(text, place)) - 48
                if figure < 0 or figure > 9:
                    break
                number = 10 * number + figure
                digits += 1
            if digits == end:
                return number
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


PAIRS = "".join(f"{number:02}" for number in range(100))
"""All numbers of two digits: the texts of small numbers are views of it."""


@compiled_only
def text_of_int(number: types.Type) -> Any:
    """In compiled code: `str(number)`. Numba's counts digits with a logarithm, and is wrong for 999999999999999."""
    empty, put, view = EMPTY, PUT, VIEW
    pairs, ten, one = PAIRS, np.uint64(10), np.uint64(1)

    def convert(number: Any) -> Any:
        if 0 <= number < 10:
            return view(pairs, 2 * number + 1, 1)
        if 0 <= number < 100:
            return view(pairs, 2 * number, 2)
        is_negative = number < 0
        size = np.uint64(-(number + 1)) + one if is_negative else np.uint64(number)  # the least int has no opposite
        length, rest = 1 + is_negative, size
        while rest >= ten:
            rest //= ten
            length += 1
        text = empty(1, length, 1)
        if is_negative:
            put(text, 0, 45)
        for place in range(length - 1, is_negative - 1, -1):
            put(text, place, 48 + size % ten)
            size //= ten
        return text

    return convert


def text_of_number(typ: types.Type) -> Plan | None:
    """The plan of `str(number)` for ints; None for other types."""
    wide = UINT64 if typ == UINT64 else INT64
    return Plan(types.unicode_type, (wide,), delegate(text_of_int, wide)) if is_int(typ) else None


def is_int(typ: types.Type) -> bool:
    """Whether this is a type of ints, which bools are not here."""
    return isinstance(types.unliteral(typ), types.Integer)
