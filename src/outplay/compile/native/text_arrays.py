"""What rules may do with NumPy arrays of texts; every index is checked."""

import operator
from typing import Any

import numpy as np
from numba import types

from outplay.compile.native.frozen.enums import EnumMember
from outplay.compile.native.frozen.lookup import number
from outplay.compile.native.game_type import (
    compiled_only,
    function_from_source,
    function_of_lines,
    overload,
    overload_attribute,
    overload_method,
)
from outplay.compile.native.internals.numba_names import (
    RefType,
    cgutils,
    code_point_of_text,
    iternext_impl,
    lower_builtin,
    refused,
)
from outplay.compile.native.states import caster
from outplay.compile.native.text_array_type import CODE, CODE_SIZE, TextArray, TextArrayIterator, codes_in, with_width
from outplay.rules import keys

WIDEST = 64


def _is_text(typ: types.Type) -> bool:
    return isinstance(types.unliteral(typ), types.UnicodeType)


# -- texts and their code points ---------------------------------------------------------------------------------------


@compiled_only
def text_of(row: types.Type) -> Any:
    """In compiled code: the text with these code points."""

    def text(row: Any) -> str:
        length = len(row)
        while length > 0 and row[length - 1] == 0:
            length -= 1
        characters = ""
        for place in range(length):
            characters += chr(row[place])
        return characters

    return text


@compiled_only
def put_text(row: types.Type, text: types.Type) -> Any:
    """In compiled code: write a text over these code points; what is too long is cut off, as NumPy does."""
    code_point = code_point_of_text()

    def put(row: Any, text: str) -> None:
        length = len(text)
        for place in range(len(row)):
            row[place] = np.uint32(code_point(text, place)) if place < length else np.uint32(0)

    return put


@compiled_only
def row_of(text: types.Type, width: types.Type) -> Any:
    """In compiled code: the code points of a text, with zeros after its end; they may be more than `width`."""

    def row(text: str, width: int) -> Any:
        codes = np.zeros(max(width, len(text)), np.uint32)
        put_text(codes, text)
        return codes

    return row


# -- items and parts ---------------------------------------------------------------------------------------------------


def _entries(typ: TextArray, index: types.Type) -> list[types.Type]:
    """The types of the parts of an index; others than ints and slices are refused."""
    index = types.unliteral(index)
    entries = list(map(types.unliteral, index.types)) if isinstance(index, types.BaseTuple) else [index]
    are_valid = all(_is_place(entry) or isinstance(entry, types.SliceType) for entry in entries)
    if not are_valid or not 0 < len(entries) <= typ.ndim:
        raise refused("an array of texts is indexed by something else than ints and slices: write a loop")
    return entries


def _is_place(typ: types.Type) -> bool:
    return (isinstance(typ, types.Integer) and typ != types.uint64) or (isinstance(typ, EnumMember) and typ.is_int)


def _is_one(texts: TextArray, entries: list[types.Type]) -> bool:
    """Whether an index is that of one text."""
    return len(entries) == texts.ndim and all(map(_is_place, entries))


def _parts(index: types.Type, entries: list[types.Type]) -> tuple[list[str], str]:
    """Lines that check an index, and the index into the code points."""
    names = [f"index[{place}]" for place in range(len(entries))] if isinstance(index, types.BaseTuple) else ["index"]
    lines, parts = ["codes = codes_in(texts)"], []
    for place, (name, entry) in enumerate(zip(names, entries, strict=True)):
        if _is_place(entry):
            lines += [
                f"at{place} = np.int64(number({name}))",
                f"if at{place} < -codes.shape[{place}] or at{place} >= codes.shape[{place}]:",
                "    raise IndexError('index is out of bounds for an array of texts')",
            ]
            parts.append(f"at{place}")
        else:
            parts.append(name)
    return lines, ", ".join(parts)


NAMES: dict[str, Any] = {"np": np, "codes_in": codes_in, "text_of": text_of, "put_text": put_text, "number": number}


def _rule(parameters: str, lines: list[str], **names: Any) -> Any:
    return function_of_lines(parameters, lines, **NAMES, **names)


@overload(operator.getitem)
def _implement_getitem(texts: types.Type, index: types.Type) -> Any:
    if not isinstance(texts, TextArray):
        return None
    entries = _entries(texts, index)
    lines, inside = _parts(index, entries)
    if _is_one(texts, entries):
        return _rule("texts, index", [*lines, f"return text_of(codes[{inside}])"])
    return _rule("texts, index", [*lines, f"return made(codes[{inside}])"], made=with_width(texts.width))


@overload(operator.setitem)
def _implement_setitem(texts: types.Type, index: types.Type, value: types.Type) -> Any:
    if not isinstance(texts, TextArray):
        return None
    if not texts.mutable:
        raise refused("an item of a constant array is assigned to, which must not change: change a copy, array.copy()")
    if not _is_text(value) and not (isinstance(value, TextArray) and value.width == texts.width):
        raise refused("something else than a text is put into an array of texts: write str(…)")
    if isinstance(index, types.Array) and index.dtype == types.boolean and index.ndim == texts.ndim and _is_text(value):
        return _rule("texts, index, value", [
            "codes = codes_in(texts)",
            *(f"if index.shape[{axis}] != codes.shape[{axis}]:\n        raise IndexError('a mask of another shape')"
              for axis in range(texts.ndim)),
            "for place, chosen in np.ndenumerate(index):",
            "    if chosen:",
            "        put_text(codes[place], value)",
        ])  # fmt: skip
    entries = _entries(texts, index)
    lines, inside = _parts(index, entries)
    if isinstance(value, TextArray):
        if _is_one(texts, entries):
            return None
        return _rule("texts, index, value", [*lines, f"codes[{inside}] = codes_in(value)"])
    if _is_one(texts, entries):
        return _rule("texts, index, value", [*lines, f"put_text(codes[{inside}], value)"])
    return _rule("texts, index, value", [
        *lines, f"row = np.zeros({texts.width}, np.uint32)", "put_text(row, value)", f"codes[{inside}] = row",
    ])  # fmt: skip


@overload_method(TextArray, "fill")
def _implement_fill_of_text_array(texts: TextArray, value: types.Type) -> Any:
    if not _is_text(value) or not texts.mutable:
        return None

    def fill(texts: Any, value: Any) -> None:
        texts[:] = value

    return fill


@overload_method(TextArray, "item")
def _implement_item_of_text_array(texts: TextArray, *places: types.Type) -> Any:
    place_types = places[0].types if len(places) == 1 and isinstance(places[0], types.StarArgTuple) else places
    if len(place_types) != texts.ndim:
        return None
    names = [f"x{place}" for place in range(len(place_types))]
    return function_from_source(f"def rule(texts, {', '.join(names)}): return texts[{', '.join(names)}]")


@overload(len)
def _implement_len(texts: types.Type) -> Any:
    return (lambda texts: len(codes_in(texts))) if isinstance(texts, TextArray) and texts.ndim > 0 else None


overload_attribute(TextArray, "shape")(lambda texts: lambda texts: codes_in(texts).shape[:-1])
overload_attribute(TextArray, "ndim")(lambda texts: lambda texts: codes_in(texts).ndim - 1)
overload_attribute(TextArray, "size")(lambda texts: lambda texts: codes_in(texts)[..., 0].size)


# -- loops -------------------------------------------------------------------------------------------------------------


def _first(texts: Any, place: Any) -> Any:
    return texts[place]


@lower_builtin("getiter", TextArray)
def _lower_getiter(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    [typ] = signature.args
    iterator = cgutils.create_struct_proxy(signature.return_type)(context, builder)
    iterator.array = args[0]
    iterator.place = cgutils.alloca_once_value(builder, context.get_constant(types.intp, 0))
    context.nrt.incref(builder, typ, args[0])
    return iterator._getvalue()


@lower_builtin("iternext", TextArrayIterator)
@iternext_impl(RefType.NEW)
def _lower_iternext(context: Any, builder: Any, signature: Any, args: Any, result: Any) -> None:
    [typ] = signature.args
    iterator = cgutils.create_struct_proxy(typ)(context, builder, value=args[0])
    place = builder.load(iterator.place)
    codes = cgutils.create_struct_proxy(typ.array)(context, builder, value=iterator.array).codes
    shape = context.make_array(typ.array.codes)(context, builder, value=codes).shape
    exists = builder.icmp_signed("<", place, cgutils.unpack_tuple(builder, shape)[0])
    result.set_valid(exists)
    with builder.if_then(exists):
        item = typ.array.item
        item_value = context.compile_internal(builder, _first, item(typ.array, types.intp), (iterator.array, place))
        result.yield_(item_value)
        builder.store(builder.add(place, context.get_constant(types.intp, 1)), iterator.place)


@overload(operator.contains)
def _implement_contains(texts: types.Type, text: types.Type) -> Any:
    if isinstance(texts, TextArray) and _is_text(text):
        return lambda texts, text: (texts == text).any()
    return None


# -- comparisons -------------------------------------------------------------------------------------------------------


def _comparison(op: Any) -> None:
    is_equal = op is operator.eq

    @overload(op)
    def _implement_op(one: types.Type, other: types.Type) -> Any:
        if not isinstance(one, TextArray) and not isinstance(other, TextArray):
            return None
        if _is_text(one):
            return lambda one, other: other == one if is_equal else other != one
        if not isinstance(one, TextArray):
            return None
        width = one.width
        lines = ["codes = codes_in(one)"]
        if isinstance(other, TextArray) and other.width == width:
            lines += ["same = codes == codes_in(other)"]
        elif _is_text(other):
            lines += [
                f"row = row_of(other, {width})", f"same = codes == row[:{width}]",
                f"for code in row[{width}:]:", "    if code != 0:", "        same = np.zeros(codes.shape, np.bool_)",
            ]  # fmt: skip
        else:
            return None
        lines.append("found = same[..., 0].copy()")
        lines += [f"found &= same[..., {place}]" for place in range(1, width)]
        lines.append("return found" if is_equal else "return ~found")
        return _rule("one, other", lines, row_of=row_of)


for _op in (operator.eq, operator.ne):
    _comparison(_op)


@overload(np.array_equal)
def _implement_array_equal(one: types.Type, other: types.Type) -> Any:
    if not isinstance(one, TextArray) or not isinstance(other, TextArray) or one.width != other.width:
        return None
    if one.ndim != other.ndim:
        return lambda one, other: False
    return lambda one, other: np.array_equal(codes_in(one), codes_in(other))


# -- new arrays, and other views ---------------------------------------------------------------------------------------


def _method(name: str, source: str, needs_order: bool = False) -> None:
    """A method without arguments; `source` is what it does with the code points.

    In it, `{axes}` are all axes in the opposite order, but for that of the characters.
    """

    @overload_method(TextArray, name)
    def _implement_name_of_text_array(texts: TextArray) -> Any:
        if needs_order and texts.layout != "C":
            raise refused(f"{name}() of a part of an array of texts: write flatten(), a copy")
        axes = (*range(texts.ndim - 1, -1, -1), texts.ndim)
        return _rule("texts", [
            "codes = codes_in(texts)", f"return made({source.format(width=texts.width, axes=axes)})",
        ], made=with_width(texts.width))  # fmt: skip


_method("copy", "codes.copy()")
_method("flatten", "codes.copy().reshape(-1, {width})")
_method("ravel", "codes.reshape(-1, {width})", needs_order=True)
_method("transpose", "codes.transpose({axes})")


@overload_method(TextArray, "reshape")
def _implement_reshape_of_text_array(texts: TextArray, *shape: types.Type) -> Any:
    shape_types = shape[0].types if len(shape) == 1 and isinstance(shape[0], types.StarArgTuple) else shape
    if texts.layout != "C":
        raise refused("reshape() of a part of an array of texts: write it of a copy, array.copy()")
    names = [f"x{place}" for place in range(len(shape_types))]
    whole = "".join(f"{name}, " for name in names)
    if len(shape_types) == 1 and isinstance(shape_types[0], types.BaseTuple):
        whole = "".join(f"x0[{place}], " for place in range(len(shape_types[0])))
    return _rule(
        f"texts, {', '.join(names)}",
        [f"return made(codes_in(texts).reshape(({whole}{texts.width})))"],
        made=with_width(texts.width),
    )


@overload_method(TextArray, "diagonal")
def _implement_diagonal_of_text_array(texts: TextArray) -> Any:
    if texts.ndim != 2:
        return None
    cast = caster(types.Array(CODE, 2, "A", readonly=True))
    return _rule("texts", [
        "codes = codes_in(texts)",
        "count = min(codes.shape[0], codes.shape[1])",
        "steps = (codes.strides[0] + codes.strides[1], codes.strides[2])",
        "return made(cast(as_strided(codes, (count, codes.shape[2]), steps)))",
    ], made=with_width(texts.width), cast=cast, as_strided=np.lib.stride_tricks.as_strided)  # fmt: skip


overload_attribute(TextArray, "T")(lambda texts: lambda texts: texts.transpose())


@overload_method(TextArray, "tolist")
def _implement_tolist_of_text_array(texts: TextArray) -> Any:
    if texts.ndim == 1:
        return lambda texts: [text for text in texts]  # noqa: C416
    return lambda texts: [row.tolist() for row in texts]


def _function(function: Any, source: str, ndim: int) -> None:
    """A function of NumPy of one array; `source` is what it does."""

    @overload(function)
    def _implement_function(texts: types.Type) -> Any:
        if not isinstance(texts, TextArray) or texts.ndim < ndim:
            return None
        return function_from_source(f"def rule(texts): return {source}")


# The parameters of these functions have several names, which nobody uses as keywords here.
_function(np.copy, "texts.copy()", 1)
_function(np.array, "texts.copy()", 1)
_function(np.ravel, "texts.ravel()", 1)
_function(np.transpose, "texts.transpose()", 1)
_function(np.flipud, "texts[::-1]", 1)
_function(np.fliplr, "texts[:, ::-1]", 2)
_function(np.size, "texts.size", 1)


def _width_of(typ: Any) -> int | None:
    """The number of characters that a dtype such as "<U1" has; None for others."""
    text = getattr(typ, "literal_value", None)
    try:
        dtype = np.dtype(text) if isinstance(text, str) else None
    except TypeError:
        return None
    if dtype is None or dtype.kind != "U" or not dtype.isnative or not 0 < dtype.itemsize // CODE_SIZE <= WIDEST:
        return None
    return dtype.itemsize // CODE_SIZE


@overload(np.full, prefer_literal=True)
def _implement_full(shape: types.Type, fill_value: types.Type, dtype: Any = None) -> Any:
    if not _is_text(fill_value):
        return None
    width = _width_of(dtype)
    if dtype is None or isinstance(dtype, types.NoneType | types.Omitted):
        text = getattr(fill_value, "literal_value", None)
        if not isinstance(text, str):
            raise refused('numpy.full of a text that is not a constant: write its dtype, such as dtype="<U1"')
        width = len(text)
    if not width:
        return None
    whole = "(shape, width)"
    if isinstance(shape, types.BaseTuple):
        whole = "(" + "".join(f"shape[{place}], " for place in range(len(shape))) + "width)"
    return _rule(
        "shape, fill_value, dtype=None",
        [f"found = made(np.zeros({whole}, np.uint32))", "found[:] = fill_value", "return found"],
        made=with_width(width),
        width=width,
    )


@overload(keys.mix)
def _implement_mix(h: types.Type, field: types.Type) -> Any:
    if not isinstance(field, TextArray):
        return None
    shape = [f"h = mix(h, codes.shape[{axis}])" for axis in range(field.ndim)]
    return _rule("h, field", [
        "codes = codes_in(field)", *shape, f"rows = codes.copy().reshape(-1, {field.width})",
        "for place in range(len(rows)):", "    h = mix(h, text_of(rows[place]))", "return h",
    ], mix=keys.mix)  # fmt: skip
