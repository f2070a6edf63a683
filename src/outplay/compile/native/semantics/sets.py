"""Operators and methods of sets and frozensets, with sets that Numba knows and constant ones.

Numba combines sets of exactly one type. Here, what only asks whether there is an item never reads items in their order.
A constant set is never changed: what an operator makes of it is a new set of the kind that Python would make.
"""

import operator
from typing import Any

from numba import types

from outplay.compile.native.frozen.data import item_at, length_of
from outplay.compile.native.frozen.kinds import FrozenSet
from outplay.compile.native.frozenset_type import Frozenset, as_frozenset, set_in
from outplay.compile.native.game_type import compile_for, compiled_only, function_of_lines, overload, overload_method
from outplay.compile.native.internals.numba_names import refused
from outplay.compile.native.semantics.plans import INPLACE, Plan, delegate
from outplay.compile.native.state_type import plain

SETS = (types.Set, Frozenset)
KINDS = (*SETS, FrozenSet)
ADDED = ["for item in each_of(other):", "    found.add(item)"]
COMMON = ["for item in each_of(one):", "    if item not in other:", "        found.discard(item)"]
LEFT = ["for item in each_of(one):", "    if item in other:", "        found.discard(item)"]
EITHER = [
    "for item in [item for item in each_of(other)]:",
    "    if item in found:",
    "        found.discard(item)",
    "    else:",
    "        found.add(item)",
]
STEPS: dict[Any, list[str]] = {operator.or_: ADDED, operator.and_: COMMON, operator.sub: LEFT, operator.xor: EITHER}
"""From `found`, which has the items of `one`, to the result."""
WITHIN = "all_in(one, other)"
TESTS: dict[Any, str] = {
    operator.eq: f"len(one) == len(other) and {WITHIN}",
    operator.ne: f"not (len(one) == len(other) and {WITHIN})",
    operator.le: f"len(one) <= len(other) and {WITHIN}",
    operator.lt: f"len(one) < len(other) and {WITHIN}",
    operator.ge: "len(one) >= len(other) and all_in(other, one)",
    operator.gt: "len(one) > len(other) and all_in(other, one)",
}


def of_sets(context: Any, function: Any, args: tuple[types.Type, ...]) -> Plan | None:
    """The plan of an operator with a set and another; None for others."""
    op = INPLACE.get(function, function)
    is_known = op in STEPS or op in TESTS
    if not is_known or not all(isinstance(arg, KINDS) for arg in args):
        return None
    if function is not op and isinstance(args[0], FrozenSet) and args[0].kind != "frozenset":
        raise refused("a constant set changes: change a copy, such as set(…)")
    function_of_sets = (_CHANGES if function is not op and isinstance(args[0], types.Set) else _RESULTS)[op]
    signature = context.resolve_function_type(function_of_sets, args, {})
    return None if signature is None else Plan(signature.return_type, args, delegate(function_of_sets, *args))


def _alike(a: Any, b: Any) -> None:
    """Refuse to combine sets whose items differ in type."""
    if types.unliteral(a.dtype) != types.unliteral(b.dtype):
        raise refused(
            f"a set of {types.unliteral(a.dtype)} and one of {types.unliteral(b.dtype)}: use items of one type"
        )


def exactly(place: types.Type, value: types.Type) -> bool:
    """Whether a value is found among items of this type exactly if it equals one of them."""
    place, value = types.unliteral(place), types.unliteral(value)
    if isinstance(place, types.BaseTuple) and isinstance(value, types.BaseTuple) and len(place) == len(value):
        return all(map(exactly, place.types, value.types))
    whole = isinstance(value, types.Integer | types.Boolean) and value != types.uint64
    return place == value or (place == types.int64 and whole)


def refuse_other_items(values: types.Type, item: types.Type) -> None:
    """Refuse to look for an item in a set whose items have another type: Numba would convert it."""
    if isinstance(values, SETS) and not exactly(values.dtype, item):
        raise refused(f"{plain(types.unliteral(item))} is looked for in {plain(values)}: convert it first")


def _inner(name: str, typ: types.Type) -> str:
    return f"set_in({name})" if isinstance(typ, Frozenset) else name


@compiled_only
def each_of(values: types.Type) -> Any:
    """In compiled code: the items of a set, in any order."""
    if isinstance(values, FrozenSet):
        return lambda values: [item_at(values, place) for place in range(length_of(values))]
    return lambda values: values


@compiled_only
def as_new_set(values: types.Type) -> Any:
    """In compiled code: a new set with the items of a set or a constant one."""
    if isinstance(values, FrozenSet):
        return lambda values: set([item_at(values, place) for place in range(length_of(values))])  # noqa: C403
    return lambda values: values.copy()


NAMES: dict[str, Any] = {
    "set_in": set_in, "as_frozenset": as_frozenset, "each_of": each_of, "as_new_set": as_new_set,
}  # fmt: skip


def _of_two(op: Any, in_place: bool) -> Any:
    @compiled_only
    def combine(a: types.Type, b: types.Type) -> Any:
        _alike(a, b)
        names = NAMES | {"all_in": all_in}
        lines = [f"one, other = {_inner('a', a)}, {_inner('b', b)}"]
        if op in TESTS:
            lines.append(f"return {TESTS[op]}")
        elif in_place:
            steps = [line.replace("each_of(one)", "[item for item in one]") for line in STEPS[op]]
            lines += ["found = one", *steps, "return found"]
        else:
            lines += ["found = as_new_set(one)", *STEPS[op]]
            lines.append("return as_frozenset(found)" if _is_frozen(a) else "return found")
        return function_of_lines("a, b", lines, **names)

    return combine


def _is_frozen(typ: types.Type) -> bool:
    """Whether operators of these values make frozensets."""
    if isinstance(typ, FrozenSet) and not typ.kind:
        raise refused("a constant may be a set or a frozenset here: make all of them frozensets")
    return isinstance(typ, Frozenset) or (isinstance(typ, FrozenSet) and typ.kind == "frozenset")


@compiled_only
def all_in(a: types.Type, b: types.Type) -> Any:
    """In compiled code: whether all items of `a` are in `b`."""

    def test(a: Any, b: Any) -> bool:
        for item in each_of(a):  # noqa: SIM110 - compiled
            if item not in b:
                return False
        return True

    return test


_RESULTS = {op: _of_two(op, False) for op in (*STEPS, *TESTS)}
_CHANGES = {op: _of_two(op, True) for op in STEPS}


@compiled_only
def operand(values: types.Type) -> Any:
    """In compiled code: an argument of a method of a set, as a set."""
    if isinstance(values, KINDS):
        return lambda values: values
    return lambda values: set(values)


def _method(name: str, line: str, *ops: Any) -> Any:
    """A function that takes the place of a method; `line` is what it does with each further argument."""

    @compiled_only
    def method(a: types.Type, *others: types.Type) -> Any:
        # Numba gives the types of further arguments one by one, or as a tuple
        types_ = others[0].types if len(others) == 1 and isinstance(others[0], types.StarArgTuple) else others
        names = [f"x{place}" for place in range(len(types_))]
        parameters = ", ".join(["a", *names])
        if not isinstance(a, KINDS):
            return function_of_lines(parameters, [f"return a.{name}({', '.join(names)})"])
        functions = {f"f{place}": _RESULTS[op] for place, op in enumerate(ops)} | {"operand": operand}
        if line.startswith("return"):
            return function_of_lines("a, x0", [line.format("operand(x0)")], **functions) if len(types_) == 1 else None
        start = "a" if types_ or _is_frozen(a) else "as_new_set(a)"
        steps = [f"found = {line.format(f'operand({argument})')}" for argument in names]
        lines = [f"found = {start}", *steps, "return found"]
        return function_of_lines(parameters, lines, as_new_set=as_new_set, **functions)

    return method


SET_METHODS = {
    "union": _method("union", "f0(found, {})", operator.or_),
    "intersection": _method("intersection", "f0(found, {})", operator.and_),
    "difference": _method("difference", "f0(found, {})", operator.sub),
    "symmetric_difference": _method("symmetric_difference", "return f0(a, {})", operator.xor),
    "issubset": _method("issubset", "return f0(a, {})", operator.le),
    "issuperset": _method("issuperset", "return f0(a, {})", operator.ge),
    "isdisjoint": _method("isdisjoint", "return len(f0(a, {})) == 0", operator.and_),
}
"""Functions that take the place of methods of sets; for values of other types they call the method."""


overload_method(Frozenset, "copy")(lambda values: lambda values: values)


@overload_method(FrozenSet, "copy")
def _implement_copy_of_frozen_set(values: FrozenSet) -> Any:
    return (lambda values: values) if _is_frozen(values) else (lambda values: as_new_set(values))


@overload(frozenset)
def _implement_frozenset(values: Any = ()) -> Any:
    if isinstance(values, Frozenset):
        return lambda values=(): values
    if isinstance(values, tuple | types.Omitted) or (isinstance(values, types.BaseTuple) and len(values) == 0):

        def empty(values: Any = ()) -> Any:
            items = set([0])  # noqa: C405 - of ints, not of a literal
            items.clear()
            return as_frozenset(items)

        return empty
    return lambda values=(): as_frozenset(set(values))


compile_for(
    Frozenset,
    {
        len: lambda values: len(set_in(values)),
        bool: lambda values: len(set_in(values)) > 0,
        operator.contains: lambda values, item: item in set_in(values),
        set: lambda values: set_in(values).copy(),
        min: lambda values: min(set_in(values)),
        max: lambda values: max(set_in(values)),
    },
)
