"""Values in texts, in compiled rules."""

from typing import Any

from numba import types

from outplay.compile.native.game_type import overload
from outplay.compile.native.meaning.texts import is_int, text_of_int
from outplay.compile.native.state_type import plain
from outplay.compile.rewriting import texts
from outplay.compile.rewriting.texts import padded

overload(padded)(lambda text, align, fill, width: padded)


@overload(texts.in_field)
def _(value: types.Type, align: types.Type, fill: types.Type, width: types.Type, kind: types.Type) -> Any:
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
def _(value: types.Type) -> Any:
    return (lambda value: text_of_int(value)) if is_int(value) else (lambda value: value)  # noqa: PLW0108


@overload(texts.in_message)
def _(value: types.Type, align: types.Type, fill: types.Type, width: types.Type, kind: types.Type) -> Any:
    if isinstance(types.unliteral(value), types.Boolean | types.Integer | types.UnicodeType):
        return lambda value, align, fill, width, kind: texts.in_field(value, align, fill, width, kind)  # noqa: PLW0108
    what = f"({plain(types.unliteral(value))})"
    return lambda value, align, fill, width, kind: what


@overload(texts.alone)
def _(value: types.Type) -> Any:
    return None if isinstance(value, types.BaseTuple | types.DictType) else (lambda value: value)
