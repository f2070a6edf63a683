"""States in compiled code: conversions to the Numba type shared by all states of a game.

`cast_state` converts a state from Python, `to_state` one that a rule has made; `pack` turns several states into arrays,
so that a kernel can loop over them without Python.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from outplay.compile.kernels import unpack
from outplay.compile.native.cells import number, read, reader, write, writer
from outplay.compile.native.frozen import lookup
from outplay.compile.native.frozen.enums import EnumMember
from outplay.compile.native.frozen.kinds import FrozenSequence
from outplay.compile.native.frozenset_type import Frozenset, as_frozenset, set_in
from outplay.compile.native.game_type import (
    INTERNAL,
    GameType,
    compiled_only,
    function_from_source,
    function_of_lines,
    home,
    overload,
    refuse_what_differs,
)
from outplay.compile.native.internals.numba_names import as_dtype, impl_ret_borrowed, refused
from outplay.compile.native.internals.registration import no_ints
from outplay.compile.native.semantics.lost_cells import leaves
from outplay.compile.native.state_type import has_container, holds, parts_within, plain, shared_in
from outplay.compile.native.text_array_type import TextArray
from outplay.compile.native.varying_tuple_type import Varying, items_in
from outplay.rules.errors import RulesError

REMEDY = "keep a list, which may grow, or set compiled = False"


def cast_state(typ: GameType, state: Any) -> Any:
    """`state` with every field of exactly the type that compiled rules expect."""
    if form(typ).leaves(state) is not None:
        return state
    try:
        return _gate(state, typ.state)
    except (TypeError, ValueError, OverflowError):
        raise _not_a_state(typ, state) from None


class Form(NamedTuple):
    """How the states of a game are converted."""

    has_cells: bool  # whether they have containers
    leaves: Callable[[Any], tuple[Any, ...] | None]  # see `_leaves_of`
    dtypes: tuple[Any, ...]  # of each number or array


@functools.lru_cache(maxsize=1024)
def form(typ: GameType) -> Form:
    """The form of the states of a game. It is found once: to hash the type of a state takes as long as to pack one."""
    state = typ.state
    dtypes = () if has_container(state) else tuple(as_dtype(getattr(kind, "dtype", kind)) for kind in leaves(state))
    return Form(has_container(state), _leaves_of(state), dtypes)


def _leaves_of(typ: types.Type) -> Callable[[Any], tuple[Any, ...] | None]:
    """A function that gives the numbers and arrays of a value if it is of exactly this type and needs no cast.

    Most states are, and this takes a twentieth of the time of `_gate`. It gives None for all others, and for some that
    need no cast.
    """
    names: dict[str, Any] = {"ndarray": np.ndarray}
    leaves: list[str] = []
    tests = " and ".join(_tests("value", typ, leaves, names))
    source = f"def rule(value): return ({''.join(f'{leaf}, ' for leaf in leaves)}) if {tests} else None"
    return function_from_source(source, **names)  # type: ignore[no-any-return]


def _tests(text: str, typ: types.Type, leaves: list[str], names: dict[str, Any]) -> Iterator[str]:
    """Expressions that are true if `text` is of this type; adds those of its leaves."""
    name = f"n{len(names)}"
    if isinstance(typ, types.BaseTuple):
        names[name] = getattr(typ, "instance_class", tuple)
        yield f"type({text}) is {name} and len({text}) == {len(typ)}"
        for place, part in enumerate(typ.types):
            yield from _tests(f"{text}[{place}]", part, leaves, names)
        return
    leaves.append(text)
    if isinstance(typ, types.Array):
        names[name] = as_dtype(typ.dtype)
        yield f"type({text}) is ndarray and {text}.dtype == {name}"
        yield f"{text}.ndim == {typ.ndim} and {text}.flags.carray"
    elif typ == types.int64:
        yield f"type({text}) is int and {-(2**63)} <= {text} < {2**63}"
    else:
        yield {types.boolean: f"type({text}) is bool", types.float64: f"type({text}) is float"}.get(typ, "False")


def _gate(value: Any, typ: types.Type) -> Any:
    if has_container(typ):
        for _ in write(value, typ):  # raises errors
            pass
        return value
    if isinstance(typ, types.BaseTuple):
        parts = [_gate(part, kind) for part, kind in zip(value, typ.types, strict=True)]
        return typ.instance_class(*parts) if hasattr(typ, "instance_class") else tuple(parts)
    return number(value, typ)


@compiled_only
def to_state(game: GameType, state: types.Type) -> Any:
    """In compiled code: `state` with every field of the type that the game's states have."""
    return _conversion("game, state", state, game.state, game.natives)


@functools.cache
def returned_as(wanted: types.Type) -> Any:
    """A function for compiled code that converts a state to this type, where a rule returns states of several types."""

    @compiled_only
    def convert(state: types.Type) -> Any:
        return _conversion("state", state, wanted, home()[0])

    return convert


def _conversion(arguments: str, source: types.Type, target: types.Type, natives: Any) -> Any:
    """A function that converts its argument `state`; an error if that could lose information."""
    if any(map(_has_any_length, parts_within(source))):
        refuse_what_differs(natives)
    names: dict[str, Any] = {"np": np, "int64": np.int64, "uint64": np.uint64}
    text = _cast("state", source, target, "the state", names)
    return function_from_source(f"def rule({arguments}): return {text}", **names)


def _cast(text: str, have: types.Type, want: types.Type, where: str, names: dict[str, Any]) -> str:
    """Source that converts the expression `text` to another type; an error if that could lose information."""
    if isinstance(have, types.Omitted):
        have = numba.typeof(have.value)
    if have == want:
        return text
    if isinstance(want, types.BaseTuple) and _has_any_length(have):
        return f"{_fixing(have, want, where, names)}({text})"
    if isinstance(want, types.BaseTuple) and isinstance(have, types.BaseTuple) and len(have) == len(want):
        fields = getattr(want, "fields", [str(i) for i in range(len(want))])
        parts = [
            _cast(f"{text}[{i}]", have[i], want[i], f"field {fields[i]} of {where}", names) for i in range(len(want))
        ]
        if not hasattr(want, "instance_class"):
            return f"({', '.join(parts)},)"
        maker = f"make{len(names)}"
        names[maker] = want.instance_class
        return f"{maker}({', '.join(parts)})"
    if isinstance(want, types.Array) and isinstance(have, types.Array) and have.ndim == want.ndim:
        if have.dtype != want.dtype:
            source, target = (as_dtype(array.dtype) for array in (have, want))
            if not np.can_cast(source, target, "same_kind"):
                raise refused(f"{where} is an array of {source} here, of {target} in the initial state")
            names[f"d{target.name}"] = target.type
            return f"{text}.astype(d{target.name})"
        return f"np.ascontiguousarray({text})" if have.layout != "C" and have.mutable else f"{text}.copy()"
    if isinstance(want, TextArray) and isinstance(have, TextArray):
        if (have.ndim, have.width) != (want.ndim, want.width):
            raise _no_cast(have, want, where)
        return f"{text}.copy()"
    if isinstance(want, (types.List, types.Set)) and type(have) is type(want):
        if isinstance(have.dtype, types.Boolean) != isinstance(want.dtype, types.Boolean):
            raise _no_cast(have, want, where)
        item = f"item{len(names)}"
        inner = _cast(item, have.dtype, want.dtype, f"an item of {where}", names)
        display = f"[{inner} for {item} in {text}]"
        return display if isinstance(want, types.List) else f"set({display})"
    if isinstance(want, Frozenset) and isinstance(have, Frozenset):
        names |= {"as_frozenset": as_frozenset, "set_in": set_in}
        return f"as_frozenset({_cast(f'set_in({text})', have.set, want.set, where, names)})"
    if isinstance(want, types.Optional):
        value = have.type if isinstance(have, types.Optional) else have
        if value == types.none or holds(want.type, value):
            name = f"cast{len(names)}"
            names[name] = caster(want)
            return f"{name}({text})"
    if isinstance(have, EnumMember) and have.is_int and want == types.int64:
        names["number"] = lookup.number
        return f"number({text})"
    whole = isinstance(have, (types.Integer, types.Boolean))
    if whole and want in (types.int64, types.uint64):
        return f"{want.name}({text})"
    if want == types.float64 and (whole or isinstance(have, types.Float)):
        return f"float({text})"
    if want == types.boolean and whole:
        return f"bool({text})"
    raise _no_cast(have, want, where)


def _no_cast(source: types.Type, target: types.Type, where: str) -> Exception:
    return refused(f"{where} is {plain(source)} here, but {plain(target)} in the initial state")


def _has_any_length(typ: types.Type) -> bool:
    """Whether this is the type of tuples whose length is known at run time only."""
    return isinstance(typ, Varying) or (isinstance(typ, FrozenSequence) and typ.kind == "tuple")


def _fixing(source: Any, target: types.BaseTuple, where: str, names: dict[str, Any]) -> str:
    """The name of a function that turns a tuple of any length into one of this type."""
    number = len(target)
    inner: dict[str, Any] = {"np": np, "int64": np.int64, "uint64": np.uint64}
    inner |= {"items_in": items_in, "RulesError": RulesError}
    items_text = "items_in(values)" if isinstance(source, Varying) else "values"
    items = ", ".join(f"items[{place}]" for place in range(number))
    pool = types.UniTuple(source.dtype, number)
    whole = _cast(f"({items}{',' * (number > 0)})", pool, target, where, inner)
    reason = f"{where} is a tuple of another length than in the initial state, where it has {number}: {REMEDY}"
    test = [f"if len(items) != {number}:", f"    raise RulesError({reason!r})"]
    fixed = function_of_lines("values", [f"items = {items_text}", *test, f"return {whole}"], **inner)
    name = f"fixed{len(names)}"
    names[name] = njit(fixed, **INTERNAL)
    return name


@functools.cache
def caster(typ: types.Type) -> Any:
    """A compiled function that casts its argument to a type, such as an int to an int that may be None."""

    @intrinsic
    def cast(typing: Any, value: types.Type) -> Any:
        def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            value_cast = context.cast(builder, args[0], signature.args[0], typ)
            return impl_ret_borrowed(context, builder, typ, value_cast)

        return typ(value), lower

    return cast


class Cells(NamedTuple):
    """Packed states that have containers: the cells of all, and where those of each begin."""

    cells: Any
    starts: Any


def pack(typ: GameType, states: Sequence[Any]) -> Any:
    """`states` as a tuple of arrays, one per number or array in a state; `RulesError` if shapes differ.

    States with containers become `Cells`.
    """
    has_cells, leaves, dtypes = form(typ)
    if has_cells:
        written = [_written(typ, state) for state in states]
        starts = np.cumsum([0, *map(len, written)])
        return Cells(np.concatenate(written), starts)
    rows = [leaves(state) or list(_leaves(cast_state(typ, state))) for state in states]
    columns = zip(*rows, strict=True) if rows else [()] * len(dtypes)
    try:
        return tuple(np.array(column, dtype) for column, dtype in zip(columns, dtypes, strict=True))
    except ValueError:
        raise RulesError(f"states of {typ.game!r} have arrays of different shapes: search them one by one") from None


def _written(typ: GameType, state: Any, by_content: bool = False) -> Any:
    try:
        cells = np.array(list(write(state, typ.state, by_content)), np.int64)
    except (TypeError, ValueError, OverflowError):
        raise _not_a_state(typ, state) from None
    shared = shared_in(state, typ.natives.others.unchanging)
    if shared is not None:
        raise RulesError(f"the same {type(shared).__name__} is in two places of {state!r}: put a copy in one of them")
    return cells


def cells_of(typ: GameType, state: Any) -> list[int]:
    """The cells of one state. Raises `RulesError` if it is not like the game's initial state."""
    cells: list[int]
    if type(state) is getattr(typ.state, "instance_class", None):
        cells = list(_leaves(state))
        if len(cells) == _whole_leaves(typ.state) and all(type(cell) is int for cell in cells):
            return cells  # a named tuple of ints alone: 20 times faster
    cells = _written(typ, state, by_content=True).tolist()
    return cells


@functools.cache
def _whole_leaves(typ: types.Type) -> int:
    """The number of leaves of a type that consists of tuples and 64-bit ints alone; else -1."""
    all_leaves = list(leaves(typ))
    return len(all_leaves) if all(leaf == types.int64 for leaf in all_leaves) else -1


def _not_a_state(typ: GameType, state: Any) -> RulesError:
    return RulesError(f"{state!r} is not a state of {typ.game!r}: it is not like {typ.game.initial_state()!r}")


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from _leaves(part)
    else:
        yield value


@overload(unpack)
def _implement_unpack(game: GameType, packed: types.Type, index: types.Type) -> Any:
    if isinstance(packed, types.BaseNamedTuple):
        read = reader(game.state)
        return lambda game, packed, index: read(packed.cells, packed.starts[index : index + 1].copy())
    names: dict[str, Any] = {}
    columns = iter(range(len(packed)))

    def leaf(typ: types.Type) -> str:
        column = f"packed[{next(columns)}][index]"
        return f"bool({column})" if typ == types.boolean else column

    text = put_together(game.state, leaf, names)
    return function_from_source(f"def rule(game, packed, index): return {text}", **names)


def put_together(typ: types.Type, leaf: Callable[[types.Type], str], names: dict[str, Any]) -> str:
    """Source that makes a value of this type from the sources of its leaves."""
    if not isinstance(typ, types.BaseTuple):
        return leaf(typ)
    maker = f"make{len(names)}"
    names[maker] = getattr(typ, "instance_class", None)
    parts = ", ".join([put_together(part, leaf, names) for part in typ.types])
    return f"{maker}({parts})" if names[maker] else f"({parts},)"


# -- states with containers, as arguments and results of kernels ------------------------------------------------------


class Argument(NamedTuple):
    """A state with containers as the argument of a kernel."""

    cells: Any


def with_cells(typ: GameType, args: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments of a kernel, with an `Argument` in place of each state."""
    return tuple(Argument(_written(typ, arg)) if _is_state(typ, arg) else arg for arg in args)


def _is_state(typ: GameType, value: Any) -> bool:
    if isinstance(value, (int, float, np.generic, Cells, Argument)):
        return False
    if isinstance(value, np.ndarray) and not isinstance(typ.state, TextArray):
        return False
    try:
        return all(True for _ in write(value, typ.state))
    except (TypeError, ValueError, OverflowError):
        return False


def without_cells(typ: GameType, result: Any) -> Any:
    """The result of a kernel, with a state in place of an `Argument`."""
    return read(iter(result.cells.tolist()), typ.state) if isinstance(result, Argument) else result


@compiled_only
def opened(game: GameType, value: types.Type) -> Any:
    """In compiled code: `value`, an argument from Python; if it is an `Argument`, the state."""
    if getattr(value, "instance_class", None) is not Argument:
        return lambda game, value: value
    read = reader(game.state)
    return lambda game, value: read(value.cells, np.zeros(1, np.int64))


@compiled_only
def closed(game: GameType, value: types.Type) -> Any:
    """In compiled code: `value`, a result for Python; if it is a state, an `Argument`."""
    if value != game.state:
        return lambda game, value: value
    write = writer(game.state)

    def close(game: Any, value: Any) -> Any:
        cells = no_ints()
        write(value, cells)
        return Argument(np.array(cells))

    return close
