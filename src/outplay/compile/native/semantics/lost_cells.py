"""The types of narrow cells that a wider value may come from; see `narrow_cells`."""

from collections.abc import Iterator
from typing import Any

from numba import types

Kinds = frozenset[types.Integer]
"""The types of cells that a 64-bit value may be; for a float, int64 means that it may be an int."""
NONE: Kinds = frozenset()


def is_small(typ: types.Type) -> bool:
    """Whether NumPy computes with such a cell in fewer than 64 bits."""
    return isinstance(typ, types.Integer) and typ.bitwidth < types.int64.bitwidth


def leaves(typ: types.Type) -> Iterator[types.Type]:
    """The types of what is in a tuple, also in those within it; any other type itself."""
    if isinstance(typ, types.BaseTuple):
        for part in typ.types:
            yield from leaves(part)
    else:
        yield typ


def widened(source: types.Type, target: types.Type) -> Kinds:
    """The kinds of cells that lose their type if a value of type `source` becomes one of type `target`."""
    source, target = types.unliteral(source), types.unliteral(target)
    if isinstance(source, types.BaseTuple) and isinstance(target, types.BaseTuple):
        return NONE.union(*map(widened, source.types, target.types))
    if isinstance(source, types.List) and isinstance(target, types.List):
        return widened(source.dtype, target.dtype)
    is_wider = isinstance(target, types.Number) and source != target
    is_rounded = source in (types.int64, types.uint64) and target == types.float64
    return frozenset([source]) if is_rounded or (is_wider and is_small(source)) else NONE


def returned(dispatcher: Any, args: tuple[types.Type, ...], result: types.Type) -> Kinds:
    """The kinds of cells that a function of the rules may return where its result here has a wider type."""
    args = tuple(map(types.unliteral, args))
    compiled = dispatcher.overloads.get(args)
    lost = NONE if compiled is None else widened(compiled.signature.return_type, result)
    results: dict[Any, Kinds] = getattr(dispatcher.py_func, "narrow_results", {})
    return lost | results.get(args, NONE)
