"""The type of a NumPy array of texts, such as `np.full((3, 3), ".")`: their code points, in one more dimension.

It has no operations of its own but those of `text_arrays`, so that each of them means what NumPy means.
"""

import functools
from operator import attrgetter
from typing import Any

import numpy as np
from numba import types
from numba.extending import typeof_impl

from outplay.compile.native.internals.numba_names import cgutils, lower_constant
from outplay.compile.native.internals.registration import fields_of_type, wrapping

CODE = types.uint32
"""The type of a code point, as NumPy stores it; after the end of a text there are zeros."""


class TextArray(types.IterableType):
    """The Numba type of an array of texts of at most `width` characters."""

    def __init__(self, codes: types.Array, width: int) -> None:
        self.codes, self.width, self.ndim = codes, width, codes.ndim - 1
        self.layout, self.mutable = codes.layout, codes.mutable
        super().__init__(f"array of texts({width}, {codes})")

    key = property(attrgetter("codes", "width"))  # two of these types are equal if their keys are

    @property
    def item(self) -> types.Type:
        """The type of what a loop over the array reads."""
        if self.ndim == 1:
            return types.unicode_type
        return TextArray(self.codes.copy(ndim=self.ndim, layout="C" if self.layout == "C" else "A"), self.width)

    iterator_type = property(lambda self: TextArrayIterator(self))


class TextArrayIterator(types.SimpleIteratorType):
    """The type of an iterator over an array of texts."""

    def __init__(self, array: TextArray) -> None:
        self.array = array
        super().__init__(f"iterator over {array}", array.item)


fields_of_type(TextArray, codes=attrgetter("codes"))
fields_of_type(TextArrayIterator, array=attrgetter("array"), place=types.EphemeralPointer(types.intp))


def text_array_of(array: Any) -> TextArray | None:
    """The type of an array of texts in a state; None for other arrays."""
    if array.dtype.kind != "U" or not array.dtype.isnative or array.dtype.itemsize == 0:
        return None
    return text_array(array.ndim, array.dtype.itemsize // CODE_SIZE)


CODE_SIZE = 4


def text_array(ndim: int, width: int, readonly: bool = False) -> TextArray:
    """The type of an array of texts whose code points lie side by side."""
    return TextArray(types.Array(CODE, ndim + 1, "C", readonly=readonly), width)


def codes_of(array: Any) -> Any:
    """The code points of an array of texts in Python, as a new array."""
    width = array.dtype.itemsize // CODE_SIZE
    return np.ascontiguousarray(array).view(np.uint32).reshape(*array.shape, width).copy()


def texts_of(codes: Any) -> Any:
    """The inverse of `codes_of`."""
    width = codes.shape[-1]
    return np.ascontiguousarray(codes, np.uint32).view(f"<U{width}").reshape(codes.shape[:-1])


@functools.cache
def with_width(width: int) -> Any:
    """The function in compiled code that makes an array of texts of its code points."""
    return wrapping(TextArray, "codes", lambda codes: TextArray(codes, width))[0]


codes_in = wrapping(TextArray, "codes", lambda codes: None)[1]
"""The code points of an array of texts: an array that shares its memory."""


class ConstantTexts:
    """An array of texts that rules refer to, as it was when the compiler read it."""

    def __init__(self, array: Any) -> None:
        self.codes = codes_of(array)
        self.codes.flags.writeable = False


@typeof_impl.register(ConstantTexts)
def _type_of_constant_texts(constant: ConstantTexts, context: Any) -> TextArray:
    return text_array(constant.codes.ndim - 1, constant.codes.shape[-1], readonly=True)


@lower_constant(TextArray)
def _constant_of_text_array(context: Any, builder: Any, typ: TextArray, constant: ConstantTexts) -> Any:
    struct = cgutils.create_struct_proxy(typ)(context, builder)
    struct.codes = context.get_constant_generic(builder, typ.codes, constant.codes)
    return struct._getvalue()
