"""Values in texts, in compiled rules."""

from typing import Any

from numba import types

from outplay.compile.native.game_type import compiled_only, function_from_source, overload
from outplay.compile.native.semantics.numbers_in_texts import is_int, text_of_int
from outplay.compile.native.state_type import plain
from outplay.compile.rewriting import texts
from outplay.compile.rewriting.texts import padded

overload(padded)(lambda text, align, fill, width: padded)


@overload(texts.in_field)
def _implement_in_field(
    value: types.Type, align: types.Type, fill: types.Type, width: types.Type, kind: types.Type
) -> Any:
    if isinstance(value, types.Boolean):

        def of_bool(value: bool, align: str, fill: str, width: int, kind: str) -> str:
            if kind == "s" or (kind == "" and align == "" and width == 0):
                return padded(str(value), align or ">", fill, width)
            return padded(text_of_int(int(value)), align or ">", fill, width)

        return of_bool
    if isinstance(value, types.Integer):
        return lambda value, align, fill, width, kind: padded(text_of_int(value), align or ">", fill, width)
    if isinstance(value, types.UnicodeType):

        def of_text(value: str, align: str, fill: str, width: int, kind: str) -> str:
            if kind == "d":
                raise TypeError("a text is written as a number")
            return padded(value, align or "<", fill, width)

        return of_text
    return None


@overload(texts.in_f_string)
def _implement_in_f_string(value: types.Type) -> Any:
    return (lambda value: text_of_int(value)) if is_int(value) else (lambda value: value)


@overload(texts.in_message)
def _implement_in_message(
    value: types.Type, align: types.Type, fill: types.Type, width: types.Type, kind: types.Type
) -> Any:
    if isinstance(types.unliteral(value), types.Boolean | types.Integer | types.UnicodeType):
        return lambda value, align, fill, width, kind: texts.in_field(value, align, fill, width, kind)
    message = f"({plain(types.unliteral(value))})"
    return lambda value, align, fill, width, kind: message


@overload(texts.alone)
def _implement_alone(value: types.Type) -> Any:
    return None if isinstance(value, types.BaseTuple | types.DictType) else (lambda value: value)


def _test_of_text(name: str) -> Any:
    """A function that takes the place of a method: Numba's gives the bits of a table for True."""

    @compiled_only
    def test(text: types.Type) -> Any:
        as_bool = " != 0" if isinstance(text, types.UnicodeType) else ""
        return function_from_source(f"def rule(text): return text.{name}(){as_bool}")

    return test


@compiled_only
def replaced(text: types.Type, old: types.Type, new: types.Type, count: Any = -1) -> Any:
    """`text.replace(old, new, count)`."""
    if not isinstance(text, types.UnicodeType):
        is_short = isinstance(count, int | types.Omitted)
        arguments = "old, new" if is_short else "old, new, count"
        return function_from_source(f"def rule(text, old, new, count=-1): return text.replace({arguments})")

    def replace(text: Any, old: Any, new: Any, count: Any = -1) -> Any:
        result, start, rest = "", 0, count
        while rest != 0:
            place = text.find(old, start)
            if place < 0 or start > len(text):
                break
            rest -= 1
            if len(old) > 0:
                result += text[start:place] + new
                start = place + len(old)
            else:
                result += new + text[start : start + 1]
                start += 1
        return result + text[start:]

    return replace


TESTS = ("isalnum", "isalpha", "isascii", "isdecimal", "isdigit")
TEXT_METHODS = {
    ("replace", 2): replaced,
    ("replace", 3): replaced,
    **{(name, 0): _test_of_text(name) for name in TESTS},
}
"""Functions that take the place of methods with so many arguments; for values of other types they call the method."""
