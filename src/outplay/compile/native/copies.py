"""`copy.copy` and `copy.deepcopy` in compiled code."""

import copy
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from outplay.compile.native.game_type import (
    GameType,
    as_it_is,
    compiled_only,
    function_from_source,
    function_of_lines,
    home,
    overload,
    refuse_what_differs,
)
from outplay.compile.native.internals.numba_names import cgutils, new_struct, refused
from outplay.compile.native.internals.registration import no_ints, value_in
from outplay.compile.native.object_type import ObjectType
from outplay.compile.native.state_type import parts
from outplay.compile.native.text_array_type import TextArray, codes_in
from outplay.compile.references import member_function, member_of
from outplay.rules.errors import RulesError


@overload(copy.copy)
def _implement_copy(x: types.Type) -> Any:
    if isinstance(x, ObjectType):
        return _copier(x, deep=False)
    if isinstance(x, types.List):
        return lambda x: x[:]
    if isinstance(x, (types.Array, types.DictType, types.Set, TextArray)):
        return lambda x: x.copy()
    return None if isinstance(x, GameType) else lambda x: x


FEW = 16
"""The number of numbers up to which comparing all pairs is faster than sorting."""


def has_twins(numbers: Any) -> Any:
    """Whether two numbers of a list are equal; a long one is sorted, by Shell's method."""
    if len(numbers) <= FEW:
        for place in range(1, len(numbers)):
            for other in range(place):
                if numbers[other] == numbers[place]:
                    return True
        return False
    gap = len(numbers) // 2
    while gap:
        for start in range(gap, len(numbers)):
            number, place = numbers[start], start
            while place >= gap and numbers[place - gap] > number:
                numbers[place] = numbers[place - gap]
                place -= gap
            numbers[place] = number
        gap //= 2
    for place in range(1, len(numbers)):  # noqa: SIM110 - compiled
        if numbers[place] == numbers[place - 1]:
            return True
    return False


as_it_is(has_twins)


@overload(copy.deepcopy)
def _implement_deepcopy(x: types.Type) -> Any:
    if not has_places(x):
        return None if isinstance(x, GameType) else lambda x: x
    counts = Counter(_places(x))
    kinds = tuple(place for place, count in counts.items() if count > 1)
    if not kinds:  # no two places may hold the same container
        return lambda x: copied(x)
    refuse_what_differs(home()[0])
    fixed = list(_fixed(x, "x"))
    if len(fixed) == counts.total() and len(fixed) <= MAX_FIXED:
        return _checked_by_pairs(fixed)

    def checked(x: Any) -> Any:
        addresses = no_ints()
        add_addresses(x, addresses, kinds)
        if has_twins(addresses):
            raise RulesError(TWICE)
        return copied(x)

    return checked


MAX_FIXED = 8
"""The maximum number of places that are compared with each other."""
TWICE = "deepcopy of what has the same container in two places: set compiled = False"


def _fixed(typ: types.Type, text: str) -> Iterator[tuple[types.Type, str]]:
    """The types of the places in objects and tuples, but not in containers, each with an expression."""
    if has_places(typ) and not isinstance(typ, (types.BaseTuple, types.Optional)):
        yield typ, text
    if isinstance(typ, ObjectType):
        for name, part in typ.field_dict.items():
            yield from _fixed(part, f"{text}.{name}")
    elif isinstance(typ, types.BaseTuple):
        for place, part in enumerate(typ.types):
            yield from _fixed(part, f"{text}[{place}]")


def _checked_by_pairs(fixed: list[tuple[types.Type, str]]) -> Any:
    """A deep copy that compares the addresses of all places of one type, without a list of them."""
    lines = [f"a{number} = place_of({text})" for number, (_, text) in enumerate(fixed)]
    pairs = [
        f"a{one} == a{other} != 0"
        for other in range(len(fixed))
        for one in range(other)
        if fixed[one][0] == fixed[other][0]
    ]
    lines += [f"if {' or '.join(pairs)}:", f"    raise RulesError({TWICE!r})", "return copied(x)"]
    return function_of_lines("x", lines, place_of=place_of, copied=copied, RulesError=RulesError)


def has_places(typ: types.Type) -> bool:
    """Whether values of this type have parts that can be changed."""
    return any(True for _ in _places(typ))


def _places(typ: types.Type) -> Iterator[types.Type]:
    """The types of all parts that can be changed; those in a container twice."""
    if isinstance(typ, types.Optional):
        yield from _places(typ.type)
        return
    if isinstance(typ, ObjectType) and typ.cls in typ.natives.others.unchanging:
        return
    if isinstance(typ, (types.List, types.Set, types.DictType, types.Array, TextArray, ObjectType)):
        yield typ
    for part in parts(typ):
        for place in _places(part):
            yield place
            if not isinstance(typ, (types.BaseTuple, ObjectType)):
                yield place


@intrinsic
def _address(typing: Any, x: types.Type) -> Any:
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        [(_, pointer), *_] = context.nrt.get_meminfos(builder, signature.args[0], args[0])
        return builder.ptrtoint(pointer, cgutils.intp_t)

    return types.intp(x), lower


@compiled_only
def place_of(x: types.Type) -> Any:
    """In compiled code: where a container lies in memory; 0 for an array without items, which may be anywhere."""
    if isinstance(x, types.Array):
        return lambda x: np.int64(x.ctypes.data) if x.size else 0
    if isinstance(x, TextArray):
        return lambda x: np.int64(codes_in(x).ctypes.data) if x.size else 0
    return lambda x: _address(x)


@compiled_only
def add_addresses(x: types.Type, addresses: types.Type, kinds: types.Type) -> Any:
    """In compiled code: append where the parts of `x` of these types lie in memory."""
    chosen = {kind.instance_type for kind in kinds}
    if chosen.isdisjoint(_places(x)):
        return lambda x, addresses, kinds: None
    if isinstance(x, (types.Array, TextArray)):
        return lambda x, addresses, kinds: addresses.append(place_of(x)) if x.size else None
    if isinstance(x, types.Optional):
        return lambda x, addresses, kinds: None if x is None else add_addresses(value_in(x), addresses, kinds)
    steps = ["addresses.append(place_of(x))"] if x in chosen else []
    if isinstance(x, ObjectType):
        steps += [f"add(x.{name}, addresses, kinds)" for name in x.field_dict]
    elif isinstance(x, types.BaseTuple):
        steps += [f"add(x[{i}], addresses, kinds)" for i in range(len(x))]
    elif any(map(has_places, parts(x))):
        of = "x.values()" if isinstance(x, types.DictType) else "x"
        steps += [f"for item in {of}:", "    add(item, addresses, kinds)"]
    return function_of_lines("x, addresses, kinds", steps, add=add_addresses, place_of=place_of)


@compiled_only
def copied(x: types.Type) -> Any:
    """In compiled code: a deep copy of what has no container in two places."""
    if not has_places(x):
        return lambda x: x
    if isinstance(x, ObjectType):
        return _copier(x, deep=True)
    if isinstance(x, types.List):
        return (lambda x: [copied(item) for item in x]) if has_places(x.dtype) else lambda x: x[:]
    if isinstance(x, types.DictType) and has_places(x.value_type):

        def of_dict(x: Any) -> Any:
            new = dict()  # noqa: C408 - typed by what follows
            for key in x:
                new[key] = copied(x[key])
            return new

        return of_dict
    if isinstance(x, types.BaseTuple):
        items = "".join(f"copied(x[{i}]), " for i in range(len(x)))
        maker = getattr(x, "instance_class", None)
        text = f"make({items})" if maker else f"({items})"
        return function_from_source(f"def rule(x): return {text}", copied=copied, make=maker)
    if isinstance(x, types.Optional):
        return lambda x: None if x is None else copied(value_in(x))
    return lambda x: x.copy()


def _copier(typ: ObjectType, deep: bool) -> Any:
    own = [name for name in ("__copy__", "__deepcopy__", "__reduce_ex__", "__getstate__")
           if member_function(member_of(typ.cls, name)) is not None]  # fmt: skip
    if own:
        raise refused(f"copies of {typ.cls.__name__} are made by its own {own[0]}: call it")
    value = "copied(x.{0})" if deep else "x.{0}"
    steps = [f"made.{name} = {value.format(name)}" for name in typ.field_dict]
    return function_of_lines("x", ["made = new(typ)", *steps, "return made"], new=new_struct, typ=typ, copied=copied)
