"""Functions of itertools as functions that list what they would yield, in the same order.

The lists are only iterated over, once, so nobody notices that they are lists. Those without an end are generators.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any


def _listing(name: str, parameters: str, source: str) -> Callable[..., list[Any]]:
    """A function of this name that lists what `source` computes."""
    names: dict[str, Any] = {}
    exec(f"def {name}({parameters}):\n    {source}", names)  # noqa: S102 - the source is ours
    function: Callable[..., list[Any]] = names[name]
    function.__module__ = __name__
    return function


def _product(number: int) -> Callable[..., list[Any]]:
    """`product(a, b)`, of so many iterables."""
    pools = "".join(f"pool{i} = [x for x in a{i}]; " for i in range(1, number))
    loops = " ".join(["for x0 in a0", *(f"for x{i} in pool{i}" for i in range(1, number))])
    items = "".join(f"x{i}, " for i in range(number))
    return _listing(f"product_of_{number}", _parameters(number), f"{pools}return [({items}) {loops}]")


def _choices(stem: str, number: int, start: str, test: str = "") -> Callable[..., list[Any]]:
    """Tuples of items at some places; each place but the first is from `start` on, and passes the test."""
    loops = ["for i0 in range(n)"]
    for i in range(1, number):
        before = ", ".join(f"i{j}" for j in range(i))
        loops.append(f"for i{i} in range({start.format(i - 1)}, n) {test.format(i, before)}")
    items = "".join(f"pool[i{i}], " for i in range(number))
    source = f"pool = [x for x in a]; n = len(pool); return [({items}) {' '.join(loops)}]"
    return _listing(f"{stem}_of_{number}", "a", source)


def _chain(number: int) -> Callable[..., list[Any]]:
    """`chain(a, b)`, of so many iterables."""
    rest = "".join(f"    for x in a{i}: found.append(x)\n" for i in range(1, number))
    return _listing(f"chain_of_{number}", _parameters(number), f"found = [x for x in a0]\n{rest}    return found")


def _together(number: int) -> Callable[..., list[Any]]:
    """`zip(a, b, strict=True)`, of so many iterables."""
    pools = "".join(f"pool{i} = [x for x in a{i}]; " for i in range(number))
    lengths = " == ".join(f"len(pool{i})" for i in range(number))
    items = "".join(f"pool{i}[i], " for i in range(number))
    test = f"if not {lengths}: raise ValueError('the arguments of zip() have different lengths')"
    source = f"{pools}\n    {test}\n    return [({items}) for i in range(len(pool0))]"
    return _listing(f"together_{number}", _parameters(number), source)


def _parameters(number: int) -> str:
    return ", ".join(f"a{i}" for i in range(number))


def sliced_to(a: Iterable[Any], stop: int) -> list[Any]:
    """`islice(a, stop)`."""
    if stop < 0:
        raise ValueError("Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    items: list[Any] = []
    if stop == 0:
        return items
    for x in a:
        items.append(x)
        if len(items) >= stop:
            break
    return items


def sliced(a: Iterable[Any], start: int, stop: int, step: int) -> list[Any]:
    """`islice(a, start, stop, step)`."""
    if start < 0 or stop < 0 or step < 1:
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    place = 0
    items: list[Any] = []
    if stop == 0:
        return items
    for x in a:
        if place >= start and (place - start) % step == 0:
            items.append(x)
        place += 1  # noqa: SIM113 - compiled
        if place >= stop:
            break
    return items


def paired(a: Iterable[Any]) -> list[Any]:
    """`pairwise(a)`."""
    pool = [x for x in a]  # noqa: C416
    return [(pool[i], pool[i + 1]) for i in range(len(pool) - 1)]


def repeated(x: Any, times: int) -> list[Any]:
    """`repeat(x, times)`."""
    return [x for _ in range(times)]


def counted(start: Any, step: Any) -> Iterator[Any]:
    """`count(start, step)`."""
    number = start
    while True:
        yield number
        number += step


def cycled(a: Sequence[Any]) -> Iterator[Any]:
    """`cycle(a)`."""
    if len(a) > 0:
        while True:
            for x in a:  # noqa: UP028
                yield x


def endless(x: Any) -> Iterator[Any]:
    """`repeat(x)`."""
    while True:
        yield x


def backwards(a: Any) -> Any:
    """`reversed(a)`."""
    return reversed(a)


def longest_2(a: Iterable[Any], b: Iterable[Any], other: Any) -> list[Any]:
    """`zip_longest(a, b, fillvalue=other)`."""
    first, second = [x for x in a], [y for y in b]  # noqa: C416
    return [
        (first[i] if i < len(first) else other, second[i] if i < len(second) else other)
        for i in range(max(len(first), len(second)))
    ]


def is_empty_list(value: Any) -> bool:
    """`value == []`."""
    return bool(value == [])


def is_empty_tuple(value: Any) -> bool:
    """`value == ()`."""
    return bool(value == ())


def varying(items: list[Any]) -> tuple[Any, ...]:
    """`tuple(items)`, for a new list."""
    return tuple(items)


def like(values: Any, items: list[Any]) -> tuple[Any, ...]:
    """`tuple(items)`, for a new list with an item for each of `values`."""
    return tuple(items)


def in_any_order(values: Any) -> Any:
    """The values, whose order does not matter."""
    return values


def changing(values: Any) -> Any:
    """The values, while a loop over them changes them: does not compile."""
    return values


def equal_items(item: Any, number: Any) -> list[Any]:
    """`[item] * number`, for a number or a bool as item."""
    return [item] * number


def distinct(values: list[Any]) -> int:
    """`len(set(values))`, for a new list."""
    return len(set(values))


def unlike(one: Any, other: Any) -> bool:
    """Whether a set has both values."""
    return len({one, other}) == 2


def ordered_by(items: list[Any], keys: list[Any], reverse: Any) -> list[Any]:
    """The items in the order of their keys; those with equal keys keep theirs."""
    return [items[i] for i in sorted(range(len(items)), key=lambda i: keys[i], reverse=reverse)]


def put_in_order(items: list[Any], keys: list[Any], reverse: Any) -> None:
    """Sort a list by the keys of its items."""
    ordered = ordered_by(items, keys, reverse)
    for place in range(len(ordered)):
        items[place] = ordered[place]


def sequence_length(value: Any) -> int:
    """The length of a list or tuple; -1 for other values, which patterns of tuples do not match."""
    return len(value) if isinstance(value, (tuple, list)) else -1


_FUNCTIONS: list[Callable[..., Any]] = [
    *map(_product, (1, 2, 3, 4)),
    *(_choices("product_repeat", number, "0") for number in (2, 3, 4)),
    *(_choices("combinations", number, "i{} + 1") for number in (2, 3, 4)),
    *(_choices("multisets", number, "i{}") for number in (2, 3)),
    *(_choices("permutations", number, "0", "if i{} not in ({},)") for number in (2, 3)),
    *map(_chain, (1, 2, 3, 4)),
    *map(_together, (2, 3)),
    *(sliced_to, sliced, paired, repeated, longest_2, counted, cycled, endless, backwards),
]
LISTED = {function.__name__: function for function in _FUNCTIONS}
"""The functions that stand for those of itertools."""
