"""Compiled forms of the functions of `rewriting.faults`: which error a step of a `try` would raise."""

from collections.abc import Callable
from typing import Any

from numba import types

from outplay.compile.native.class_type import EnumClassType
from outplay.compile.native.frozen.enums import EnumMember
from outplay.compile.native.frozen.kinds import Frozen, FrozenDict, FrozenSequence
from outplay.compile.native.frozen.lookup import is_whole, number, place_of
from outplay.compile.native.frozenset_type import Frozenset
from outplay.compile.native.game_type import GameType, as_it_is, function_from_source, overload
from outplay.compile.native.internals.numba_names import refused
from outplay.compile.native.object_type import ObjectType
from outplay.compile.native.semantics.lost_cells import is_small
from outplay.compile.native.semantics.sets import KINDS as SETS
from outplay.compile.native.text_array_type import TextArray
from outplay.compile.native.varying_tuple_type import Varying
from outplay.compile.references import member_function, member_of
from outplay.compile.rewriting import faults
from outplay.compile.rewriting.faults import INDEX, KEY, VALUE, ZERO

SEQUENCES = (types.List, types.BaseTuple, types.UnicodeType, types.RangeType, Varying, FrozenSequence)
CONTAINERS = (*SEQUENCES, *SETS, types.DictType, Frozen, TextArray, EnumClassType, Frozenset)
READ = (*CONTAINERS, types.DictKeysIterableType, types.DictValuesIterableType, types.DictItemsIterableType)


def untested(what: str) -> Exception:
    """An error that makes rules run interpreted: what cannot be tested before."""
    return refused(faults.IN_TRY.format(what))


def _is_number(typ: types.Type) -> bool:
    return (is_whole(typ) and not is_small(typ)) or types.unliteral(typ) == types.float64


def _is_value(typ: types.Type) -> bool:
    """Whether comparing such values calls no function of users."""
    typ = types.unliteral(typ)
    if isinstance(typ, types.BaseTuple):
        return all(map(_is_value, typ.types))
    if isinstance(typ, (types.List, types.Set, Varying, Frozenset, FrozenSequence)):
        return _is_value(typ.dtype)
    return is_whole(typ) or isinstance(typ, (types.Float, types.UnicodeType, EnumMember, types.NoneType))


def _never(parameters: str) -> Any:
    return function_from_source(f"def rule({parameters}): return 0")


def _rule(parameters: str, test: str, code: int, **names: Any) -> Any:
    source = f"def rule({parameters}): return {code} if {test} else 0"
    return function_from_source(source, number=number, place_of=place_of, **names)


@overload(faults.unknown, prefer_literal=True)
def _implement_unknown(reason: types.Type) -> Any:
    if isinstance(reason, types.StringLiteral):
        raise untested(reason.literal_value)
    return None


# -- items -------------------------------------------------------------------------------------------------------------


def _of_place(owner: types.Type, index: types.Type) -> Any:
    """The error of a look-up of an item by its place; None if the types are others."""
    entries = index.types if isinstance(index, types.BaseTuple) else [index]
    if not all(map(is_whole, entries)):
        return None
    if isinstance(owner, SEQUENCES) and not isinstance(index, types.BaseTuple):
        return _rule("owner, index", "not -len(owner) <= number(index) < len(owner)", INDEX)
    if isinstance(owner, (types.Array, TextArray)) and len(entries) <= owner.ndim:
        if any(isinstance(types.unliteral(entry), types.Boolean) for entry in entries):
            return None
        is_tuple = isinstance(index, types.BaseTuple)
        names = [f"index[{place}]" for place in range(len(entries))] if is_tuple else ["index"]
        tests = [f"not -owner.shape[{axis}] <= number({name}) < owner.shape[{axis}]" for axis, name in enumerate(names)]
        return _rule("owner, index", " or ".join(tests), INDEX)
    return None


@overload(faults.of_item)
def _implement_of_item(owner: types.Type, index: types.Type) -> Any:
    implementation = _of_place(owner, index)
    if implementation is None and isinstance(owner, types.DictType):
        implementation = _rule("owner, index", "index not in owner", KEY)
    if implementation is None and isinstance(owner, FrozenDict):
        implementation = _rule("owner, index", "place_of(owner, index) < 0", KEY)
    if implementation is None:
        raise untested("an item of something else than a list, tuple, dict, text or array is looked up")
    return implementation


@overload(faults.of_store)
def _implement_of_store(owner: types.Type, index: types.Type) -> Any:
    if isinstance(owner, types.DictType):
        return _never("owner, index")
    implementation = _of_place(owner, index) if isinstance(owner, (types.List, types.Array, TextArray)) else None
    if implementation is None:
        raise untested("an item of something else than a list, dict or array is assigned")
    return implementation


@overload(faults.of_attribute, prefer_literal=True)
def _implement_of_attribute(owner: types.Type, name: types.Type) -> Any:
    text = getattr(name, "literal_value", None)
    if text is None:
        return None
    if isinstance(owner, GameType):
        is_stored = not isinstance(owner.ask("member", text), property)
    elif isinstance(owner, ObjectType):
        is_stored = text in owner.field_dict
    elif isinstance(owner, types.BaseNamedTuple):
        is_stored = text in owner.fields
    else:
        is_stored = isinstance(owner, (EnumMember, types.Array, TextArray, EnumClassType))
        is_stored &= not isinstance(owner, EnumMember) or not isinstance(member_of(owner.cls, text), property)
    if not is_stored:
        raise untested(f"the property {text} is read, or an attribute of something else than an object,")
    return _never("owner, name")


# -- operators ---------------------------------------------------------------------------------------------------------


@overload(faults.of_operator, prefer_literal=True)
def _implement_of_operator(symbol: types.Type, left: types.Type, right: types.Type) -> Any:
    text, parameters = getattr(symbol, "literal_value", None), "symbol, left, right"
    if text is None:
        return None
    one, other = types.unliteral(left), types.unliteral(right)
    if _is_number(one) and _is_number(other):
        if text in ("/", "//", "%"):
            return _rule(parameters, "right == 0", ZERO)
        if text in ("<<", ">>"):
            return _rule(parameters, "right < 0", VALUE)
        if text != "**":
            return _never(parameters)
        if types.float64 not in (one, other):
            return _rule(parameters, "left == 0 and right < 0", ZERO)
    is_joined = one == other and isinstance(one, (types.UnicodeType, types.List))
    is_joined |= isinstance(one, types.BaseTuple) and isinstance(other, types.BaseTuple)
    is_repeated = isinstance(one, (types.UnicodeType, types.List)) and is_whole(other)
    are_sets = isinstance(one, SETS) and isinstance(other, SETS)
    if {"+": is_joined, "*": is_repeated}.get(text, are_sets and text in ("|", "&", "-", "^")):
        return _never(parameters)
    raise untested(f"{text} of other values than numbers")


def _has_truth(value: types.Type) -> bool:
    typ = types.unliteral(value.type if isinstance(value, types.Optional) else value)
    return isinstance(typ, (*CONTAINERS, types.Number, types.Boolean, types.NoneType, EnumMember))


def _safe(function: Any, parameters: str, test: Callable[..., bool], what: str) -> None:
    """A step that never fails for values that pass a test; for others it is refused."""

    @overload(function)
    def _implement_function(*arg_types: types.Type) -> Any:
        if not test(*arg_types):
            raise untested(what)
        return _never(parameters)


SLICED = (types.List, types.BaseTuple, types.UnicodeType, Varying, FrozenSequence, types.Array)
_safe(
    faults.of_slice, "owner", lambda owner: isinstance(owner, SLICED),
    "a part of something else than a list, tuple, text or array is read",
)  # fmt: skip
_safe(faults.of_sign, "value", _is_number, "the sign of something else than a number is changed")
_safe(faults.of_comparison, "left, right", lambda *both: all(map(_is_value, both)), "objects are compared")
_safe(
    faults.of_membership, "item, values", lambda item, values: _is_value(item) and isinstance(values, READ),
    "in is asked of an object",
)  # fmt: skip
_safe(faults.of_truth, "value", _has_truth, "the truth of an object or array is asked")
_safe(faults.of_loop, "values", lambda values: isinstance(values, (*READ, types.Array)), "an object is looped over")


# -- loops and calls ---------------------------------------------------------------------------------------------------


@overload(faults.of_unpacking)
def _implement_of_unpacking(values: types.Type, number: types.Type) -> Any:
    if not isinstance(values, SEQUENCES):
        raise untested("something else than a list or tuple is unpacked")
    return _rule("values, number", "len(values) != number", VALUE)


@overload(faults.of_extreme)
def _implement_of_extreme(values: types.Type) -> Any:
    if not isinstance(values, READ) or not _is_value(getattr(values, "dtype", types.undefined)):
        raise untested("min or max of objects")
    return _rule("values", "len(values) == 0", VALUE)


def _is_no_int(text: str) -> bool:
    start, end = 0, len(text)
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if start < end and (text[start] == "-" or text[start] == "+"):
        start += 1
    is_after_digit = False
    for place in range(start, end):
        if text[place] == "_" and is_after_digit:
            is_after_digit = False
            continue
        if not "0" <= text[place] <= "9":
            return True
        is_after_digit = True
    return not is_after_digit


as_it_is(_is_no_int)


@overload(faults.of_number)
def _implement_of_number(value: types.Type) -> Any:
    if isinstance(types.unliteral(value), types.UnicodeType):
        return _rule("value", "is_no_int(value)", VALUE, is_no_int=_is_no_int)
    if not is_whole(value):
        raise untested("int or abs of something else than an int or a text")
    return _never("value")


KNOWN: dict[Any, dict[tuple[str, int], tuple[str, int]]] = {
    types.List: {
        ("pop", 0): ("len(owner) == 0", INDEX), ("pop", 1): ("not -len(owner) <= x0 < len(owner)", INDEX),
        ("index", 1): ("x0 not in owner", VALUE), ("remove", 1): ("x0 not in owner", VALUE),
    },
    types.DictType: {("pop", 1): ("x0 not in owner", KEY)},
    types.Set: {("remove", 1): ("x0 not in owner", KEY)},
    types.BaseTuple: {("index", 1): ("x0 not in owner", VALUE)},
    FrozenSequence: {("index", 1): ("x0 not in owner", VALUE)},
    types.UnicodeType: {("index", 1): ("x0 not in owner", VALUE)},
}  # fmt: skip
"""Methods that fail, by their numbers of arguments: when, and with which error."""
SAFE: dict[Any, set[str]] = {
    types.List: {"append", "insert", "count", "copy", "clear", "reverse"},
    types.DictType: {"get", "keys", "values", "items", "copy", "clear", "setdefault"},
    FrozenDict: {"get", "keys", "values", "items"},
    types.Set: {"add", "discard", "copy", "clear"},
    types.BaseTuple: {"count"},
    FrozenSequence: {"count"},
    types.UnicodeType: {
        "find", "count", "upper", "lower", "strip", "replace", "startswith", "endswith", "isdigit", "isalpha",
    },
}  # fmt: skip
"""Methods that never fail."""


@overload(faults.of_method, prefer_literal=True)
def _implement_of_method(owner: types.Type, name: types.Type, *args: types.Type) -> Any:
    text, owner = getattr(name, "literal_value", None), types.unliteral(owner)
    if text is None:
        return None
    argument_types = args[0].types if len(args) == 1 and isinstance(args[0], types.StarArgTuple) else args
    parameters = ", ".join(["owner", "name", *(f"x{place}" for place in range(len(argument_types)))])
    is_named = isinstance(owner, types.BaseNamedTuple) and member_function(member_of(owner.instance_class, text))
    for kind in () if is_named or not all(map(_is_value, argument_types)) else KNOWN:
        if isinstance(owner, kind) and (text, len(argument_types)) in KNOWN[kind]:
            return _rule(parameters, *KNOWN[kind][text, len(argument_types)])
    for kind in () if is_named else SAFE:
        if isinstance(owner, kind) and text in SAFE[kind]:
            return _never(parameters)
    raise refused(faults.CALL_IN_TRY.format(text))
