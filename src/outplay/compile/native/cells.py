"""States with containers, strings or None, written as 64-bit ints: the form in which they are passed to kernels.

`write` turns a value into ints in Python, and `reader` is the compiled function that makes the value from them again;
`writer` and `read` are the same in the other direction. A container is its length and then its items.
"""

import functools
import math
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from outplay.compile.native.frozen import lookup
from outplay.compile.native.frozen.enums import EnumMember, member_of_number, number_of
from outplay.compile.native.frozenset_type import Frozenset, as_frozenset, set_in
from outplay.compile.native.game_type import INTERNAL, function_from_source, function_of_lines, general
from outplay.compile.native.internals.numba_names import as_dtype, new_struct
from outplay.compile.native.internals.registration import no_ints, value_in
from outplay.compile.native.object_type import ObjectType
from outplay.compile.native.text_array_type import TextArray, codes_in, codes_of, text_array_of, texts_of, with_width
from outplay.compile.references import fields_of


def write(value: Any, typ: types.Type, by_content: bool = False) -> Iterator[int]:
    """The cells of a value of this type. Raises `TypeError`, `ValueError` or `OverflowError` if it is of another.

    `by_content`: equal sets and dicts have the same cells, since their items are in ascending order.
    """
    again = functools.partial(write, by_content=by_content)
    expected = CLASSES.get(type(typ)) or getattr(typ, "cls", None)
    if expected is not None and type(value) is not expected:
        raise TypeError
    if isinstance(typ, types.Optional):
        yield int(value is not None)
        if value is not None:
            yield from again(value, typ.type)
    elif typ == types.none:
        if value is not None:
            raise TypeError
    elif isinstance(typ, types.BaseTuple):
        if not isinstance(value, tuple) or (type(value) is not tuple and not hasattr(typ, "instance_class")):
            raise TypeError
        for part, kind in zip(value, typ.types, strict=True):
            yield from again(part, kind)
    elif isinstance(typ, types.UnicodeType):
        yield from (len(value), *map(ord, value))
    elif isinstance(typ, (types.List, types.Set, Frozenset)):
        yield from _items(value, typ.dtype, again, by_content and not isinstance(typ, types.List))
    elif isinstance(typ, types.DictType):
        yield from _items(value.items(), types.Tuple((typ.key_type, typ.value_type)), again, by_content)
    elif isinstance(typ, EnumMember):
        yield number_of(value)
    elif isinstance(typ, ObjectType):
        fields = fields_of(value)
        if fields.keys() != typ.field_dict.keys():
            raise ValueError
        for name, kind in typ.field_dict.items():
            yield from again(fields[name], kind)
    elif isinstance(typ, TextArray):
        if not isinstance(value, np.ndarray) or text_array_of(value) != typ:
            raise TypeError
        yield from again(codes_of(value), typ.codes)
    elif isinstance(typ, types.Array):
        array = number(value, typ)
        yield from array.shape
        for cell in array.ravel():
            yield from again(cell.item(), as_number(typ.dtype))
    elif typ == types.float64:
        yield struct.unpack("q", struct.pack("d", number(value, typ)))[0]
    elif typ == types.uint64:
        yield struct.unpack("q", struct.pack("Q", int(number(value, typ))))[0]
    else:
        yield int(number(value, typ))


CLASSES: dict[Any, type] = {
    types.UnicodeType: str, types.List: list, types.Set: set, Frozenset: frozenset, types.DictType: dict,
}  # fmt: skip
"""The classes of values in Python."""


def _items(items: Any, typ: types.Type, write: Any, in_order: bool = False) -> Iterator[int]:
    cells = [list(write(item, typ)) for item in items]
    yield len(cells)
    for item_cells in sorted(cells) if in_order else cells:
        yield from item_cells


def as_number(typ: types.Type) -> types.Type:
    """The type of a cell of an array as a number by itself."""
    if isinstance(typ, types.Float):
        return types.float64
    return typ if typ in (types.boolean, types.uint64) else types.int64


def number(value: Any, typ: types.Type) -> Any:
    """A number or array of exactly this type, from one of another that it equals."""
    if isinstance(typ, types.Array):
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and isinstance(typ.dtype, types.Integer):
            raise TypeError
        array = np.ascontiguousarray(value, dtype=as_dtype(typ.dtype))
        if array.ndim != typ.ndim or not np.array_equal(array, np.asarray(value)):
            raise ValueError
        return array if array.flags.writeable else array.copy()
    numbers = (bool, np.bool_, int, np.integer, float, np.floating)
    fraction = isinstance(value, (float, np.floating)) and typ is not types.float64
    if not isinstance(value, numbers) or fraction or (typ is types.boolean and value not in (0, 1)):
        raise TypeError
    if typ is types.int64:
        value = int(value)
        if not -(2**63) <= value < 2**63:
            raise OverflowError
        return value
    cast: Any = {types.uint64: np.uint64, types.float64: float, types.boolean: bool}[typ]
    return cast(value)


def read(cells: Iterator[int], typ: types.Type) -> Any:
    """The value of this type that `cells` begin with."""
    if isinstance(typ, types.Optional):
        return read(cells, typ.type) if next(cells) else None
    if isinstance(typ, types.BaseTuple):
        parts = [read(cells, part) for part in typ.types]
        return typ.instance_class(*parts) if hasattr(typ, "instance_class") else tuple(parts)
    if isinstance(typ, types.UnicodeType):
        return "".join(chr(next(cells)) for _ in range(next(cells)))
    if isinstance(typ, (types.List, types.Set, Frozenset)):
        return CLASSES[type(typ)]([read(cells, typ.dtype) for _ in range(next(cells))])
    if isinstance(typ, types.DictType):
        return {read(cells, typ.key_type): read(cells, typ.value_type) for _ in range(next(cells))}
    if isinstance(typ, TextArray):
        return texts_of(read(cells, typ.codes))
    if isinstance(typ, types.Array):
        shape = [next(cells) for _ in range(typ.ndim)]
        numbers = [read(cells, as_number(typ.dtype)) for _ in range(math.prod(shape))]
        return np.array(numbers, as_dtype(typ.dtype)).reshape(shape)
    if isinstance(typ, ObjectType):
        new: Any = object.__new__(typ.cls)
        for name, kind in typ.field_dict.items():
            object.__setattr__(new, name, read(cells, kind))
        return new
    if typ == types.none:
        return None
    value = next(cells)
    if isinstance(typ, EnumMember):
        return member_of_number(typ.cls, value)
    if typ == types.float64:
        return struct.unpack("d", struct.pack("q", value))[0]
    return np.uint64(value % 2**64) if typ == types.uint64 else bool(value) if typ == types.boolean else value


@functools.cache
def member_in(typ: EnumMember) -> Any:
    """The compiled function that makes a member of an enumeration of its number."""

    @intrinsic
    def member(typing: Any, number: types.Type) -> Any:
        return typ(types.int64), lambda context, builder, signature, args: args[0]

    return member


@functools.cache
def reader(typ: types.Type) -> Any:
    """The compiled function `(cells, place)` that makes a value of this type; `place[0]` is the next cell to read."""
    source, names = _reading(typ)
    return general(njit(function_of_lines("cells, place", source, **names), **INTERNAL))


@functools.cache
def empty_of(typ: types.Type) -> Any:
    """The dispatcher of a function that makes an empty container of this type."""
    make = function_from_source(
        "def rule(): return read(np.zeros(1, np.int64), np.zeros(1, np.int64))", read=reader(typ), np=np
    )
    return njit(make, **INTERNAL)


NEXT = ["value = cells[place[0]]", "place[0] += 1"]


def _reading(typ: types.Type) -> tuple[list[str], dict[str, Any]]:
    """The lines of a reader, and the names in them."""
    names: dict[str, Any] = {"np": np}
    if isinstance(typ, types.BaseTuple):
        names |= {f"read{i}": reader(part) for i, part in enumerate(typ.types)}
        names["make"] = getattr(typ, "instance_class", None)
        values = "".join(f"read{i}(cells, place), " for i in range(len(typ)))
        return [f"return make({values})" if names["make"] else f"return ({values})"], names
    if isinstance(typ, ObjectType):
        names |= {f"read{i}": reader(part) for i, part in enumerate(typ.field_dict.values())}
        names |= {"new": new_struct, "typ": typ}
        steps = [f"made.{name} = read{i}(cells, place)" for i, name in enumerate(typ.field_dict)]
        return ["made = new(typ)", *steps, "return made"], names
    if typ == types.none:
        return ["return None"], names
    if isinstance(typ, TextArray):
        names |= {"codes": reader(typ.codes), "made": with_width(typ.width)}
        return ["return made(codes(cells, place))"], names
    if isinstance(typ, types.Array):
        names |= {"item": reader(as_number(typ.dtype)), "dtype": as_dtype(typ.dtype).type}
        sizes = ", ".join(f"cells[place[0] + {i}]" for i in range(typ.ndim))
        return [
            f"found = np.empty(({sizes},), dtype)", f"place[0] += {typ.ndim}", "flat = found.reshape(-1)",
            "for i in range(len(flat)):", "    flat[i] = dtype(item(cells, place))", "return found",
        ], names  # fmt: skip
    if isinstance(typ, types.Optional):
        names["item"] = reader(typ.type)
        return [*NEXT, "if value == 0:", "    return None", "return item(cells, place)"], names
    if isinstance(typ, types.UnicodeType):
        return [*NEXT, "text = ''", "for _ in range(value):", "    text += chr(cells[place[0]])",
                "    place[0] += 1", "return text"], names  # fmt: skip
    if isinstance(typ, (types.List, types.Set, Frozenset)):
        names |= {"item": reader(typ.dtype), "as_frozenset": as_frozenset}
        form = {types.List: "{}", types.Set: "set({})", Frozenset: "as_frozenset(set({}))"}[type(typ)]
        return [*NEXT, f"return {form.format('[item(cells, place) for _ in range(value)]')}"], names
    if isinstance(typ, types.DictType):
        names |= {"key": reader(typ.key_type), "item": reader(typ.value_type)}
        return [*NEXT, "found = dict()", "for _ in range(value):", "    name = key(cells, place)",
                "    found[name] = item(cells, place)", "return found"], names  # fmt: skip
    if isinstance(typ, EnumMember):
        names["member"] = member_in(typ)
        return [*NEXT, "return member(value)"], names
    convert = {types.float64: "np.int64(value).view(np.float64)", types.uint64: "np.uint64(value)",
               types.boolean: "value != 0"}  # fmt: skip
    return [*NEXT, f"return {convert.get(typ, 'value')}"], names


@functools.partial(njit, **INTERNAL)
def put_in_order(one: list[int], cells: list[int], starts: list[int]) -> None:
    """In compiled code: put the cells of an item among those of smaller and greater ones, which begin at `starts`."""
    place, at = len(starts), len(cells)
    while place > 0:
        begin, same = starts[place - 1], 0
        while same < min(len(one), at - begin) and one[same] == cells[begin + same]:
            same += 1
        if begin + same == at or (same < len(one) and one[same] > cells[begin + same]):
            break
        place, at = place - 1, begin
    for i in range(len(one)):
        cells.insert(at + i, one[i])
    starts.insert(place, at)
    for i in range(place + 1, len(starts)):
        starts[i] += len(one)


@functools.cache
def writer(typ: types.Type, by_content: bool = False) -> Any:
    """The compiled function `(value, cells)` that appends the cells of a value to a list; see `write`."""
    source, names = _writing(typ, by_content)
    return general(njit(function_of_lines("value, cells", source or ["pass"], **names), **INTERNAL))


def _writing(typ: types.Type, by_content: bool) -> tuple[list[str], dict[str, Any]]:
    """The lines of a writer, and the names in them."""
    names: dict[str, Any] = {"np": np, "no_ints": no_ints, "put": put_in_order}
    of = functools.partial(writer, by_content=by_content)
    length = ["cells.append(len(value))"]
    if isinstance(typ, types.BaseTuple):
        names |= {f"write{i}": of(part) for i, part in enumerate(typ.types)}
        return [f"write{i}(value[{i}], cells)" for i in range(len(typ))], names
    if isinstance(typ, ObjectType):
        names |= {f"write{i}": of(part) for i, part in enumerate(typ.field_dict.values())}
        return [f"write{i}(value.{name}, cells)" for i, name in enumerate(typ.field_dict)], names
    if typ == types.none:
        return [], names
    if isinstance(typ, TextArray):
        names |= {"codes": of(typ.codes), "codes_in": codes_in}
        return ["codes(codes_in(value), cells)"], names
    if isinstance(typ, types.Array):
        names["item"] = of(as_number(typ.dtype))
        shape = [f"cells.append(value.shape[{i}])" for i in range(typ.ndim)]
        return [*shape, "for cell in value.flat:", "    item(cell, cells)"], names
    if isinstance(typ, types.Optional):
        names["item"] = of(typ.type)
        names["value_in"] = value_in
        return [
            "cells.append(1 if value is not None else 0)",
            "if value is not None:",
            "    item(value_in(value), cells)",
        ], names
    if isinstance(typ, types.UnicodeType):
        return [*length, "for char in value:", "    cells.append(ord(char))"], names
    if isinstance(typ, (types.List, types.Set)):
        names["item"] = of(typ.dtype)
        if by_content and isinstance(typ, types.Set):
            return [*length, "starts = no_ints()", "for each in value:", "    one = no_ints()", "    item(each, one)",
                    "    put(one, cells, starts)"], names  # fmt: skip
        return [*length, "for each in value:", "    item(each, cells)"], names
    if isinstance(typ, Frozenset):
        names |= {"item": of(typ.set), "set_in": set_in}
        return ["item(set_in(value), cells)"], names
    if isinstance(typ, types.DictType):
        names |= {"key": of(typ.key_type), "item": of(typ.value_type)}
        if by_content:
            return [*length, "starts = no_ints()", "for name in value:", "    one = no_ints()", "    key(name, one)",
                    "    item(value[name], one)", "    put(one, cells, starts)"], names  # fmt: skip
        return [*length, "for name in value:", "    key(name, cells)", "    item(value[name], cells)"], names
    if isinstance(typ, EnumMember):
        names["number"] = lookup.number
        return ["cells.append(number(value))"], names
    return [f"cells.append({'np.float64(value).view(np.int64)' if typ == types.float64 else 'np.int64(value)'})"], names
