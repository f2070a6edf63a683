"""Functions of itertools as functions that list what they would yield, in the same order.

The lists are only iterated over, once, so nobody notices that they are lists. Those without an end are generators.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any


def product_of_1(a: Iterable[Any]) -> list[Any]:
    """`product(a)`."""
    return [(x,) for x in a]


def product_of_2(a: Iterable[Any], b: Iterable[Any]) -> list[Any]:
    """`product(a, b)`."""
    others = [y for y in b]  # noqa: C416 - compiled
    return [(x, y) for x in a for y in others]


def product_of_3(a: Iterable[Any], b: Iterable[Any], c: Iterable[Any]) -> list[Any]:
    """`product(a, b, c)`."""
    second, third = [y for y in b], [z for z in c]  # noqa: C416
    return [(x, y, z) for x in a for y in second for z in third]


def product_of_4(a: Iterable[Any], b: Iterable[Any], c: Iterable[Any], d: Iterable[Any]) -> list[Any]:
    """`product(a, b, c, d)`."""
    second, third, fourth = [y for y in b], [z for z in c], [w for w in d]  # noqa: C416
    return [(x, y, z, w) for x in a for y in second for z in third for w in fourth]


def product_repeat_2(a: Iterable[Any]) -> list[Any]:
    """`product(a, repeat=2)`."""
    pool = [x for x in a]  # noqa: C416
    return [(x, y) for x in pool for y in pool]


def product_repeat_3(a: Iterable[Any]) -> list[Any]:
    """`product(a, repeat=3)`."""
    pool = [x for x in a]  # noqa: C416
    return [(x, y, z) for x in pool for y in pool for z in pool]


def product_repeat_4(a: Iterable[Any]) -> list[Any]:
    """`product(a, repeat=4)`."""
    pool = [x for x in a]  # noqa: C416
    return [(x, y, z, w) for x in pool for y in pool for z in pool for w in pool]


def combinations_of_2(a: Iterable[Any]) -> list[Any]:
    """`combinations(a, 2)`."""
    pool = [x for x in a]  # noqa: C416
    n = len(pool)
    return [(pool[i], pool[j]) for i in range(n) for j in range(i + 1, n)]


def combinations_of_3(a: Iterable[Any]) -> list[Any]:
    """`combinations(a, 3)`."""
    pool = [x for x in a]  # noqa: C416
    n = len(pool)
    return [(pool[i], pool[j], pool[k]) for i in range(n) for j in range(i + 1, n) for k in range(j + 1, n)]


def combinations_of_4(a: Iterable[Any]) -> list[Any]:
    """`combinations(a, 4)`."""
    pool = [x for x in a]  # noqa: C416
    n = len(pool)
    return [
        (pool[i], pool[j], pool[k], pool[m])
        for i in range(n)
        for j in range(i + 1, n)
        for k in range(j + 1, n)
        for m in range(k + 1, n)
    ]


def multisets_of_2(a: Iterable[Any]) -> list[Any]:
    """`combinations_with_replacement(a, 2)`."""
    pool = [x for x in a]  # noqa: C416
    n = len(pool)
    return [(pool[i], pool[j]) for i in range(n) for j in range(i, n)]


def multisets_of_3(a: Iterable[Any]) -> list[Any]:
    """`combinations_with_replacement(a, 3)`."""
    pool = [x for x in a]  # noqa: C416
    n = len(pool)
    return [(pool[i], pool[j], pool[k]) for i in range(n) for j in range(i, n) for k in range(j, n)]


def permutations_of_2(a: Iterable[Any]) -> list[Any]:
    """`permutations(a, 2)`."""
    pool = [x for x in a]  # noqa: C416
    n = len(pool)
    return [(pool[i], pool[j]) for i in range(n) for j in range(n) if i != j]


def permutations_of_3(a: Iterable[Any]) -> list[Any]:
    """`permutations(a, 3)`."""
    pool = [x for x in a]  # noqa: C416
    n = len(pool)
    return [
        (pool[i], pool[j], pool[k]) for i in range(n) for j in range(n) if i != j for k in range(n) if k not in (i, j)
    ]


def chain_of_1(a: Iterable[Any]) -> list[Any]:
    """`chain(a)`."""
    return [x for x in a]  # noqa: C416


def chain_of_2(a: Iterable[Any], b: Iterable[Any]) -> list[Any]:
    """`chain(a, b)`."""
    found = [x for x in a]  # noqa: C416
    for y in b:
        found.append(y)  # noqa: PERF402
    return found


def chain_of_3(a: Iterable[Any], b: Iterable[Any], c: Iterable[Any]) -> list[Any]:
    """`chain(a, b, c)`."""
    found = chain_of_2(a, b)
    for z in c:
        found.append(z)
    return found


def chain_of_4(a: Iterable[Any], b: Iterable[Any], c: Iterable[Any], d: Iterable[Any]) -> list[Any]:
    """`chain(a, b, c, d)`."""
    found = chain_of_3(a, b, c)
    for w in d:
        found.append(w)
    return found


def sliced_to(a: Iterable[Any], stop: int) -> list[Any]:
    """`islice(a, stop)`."""
    if stop < 0:
        raise ValueError("Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    found: list[Any] = []
    if stop == 0:
        return found
    for x in a:
        found.append(x)
        if len(found) >= stop:
            break
    return found


def sliced(a: Iterable[Any], start: int, stop: int, step: int) -> list[Any]:
    """`islice(a, start, stop, step)`."""
    if start < 0 or stop < 0 or step < 1:
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    place = 0
    found: list[Any] = []
    if stop == 0:
        return found
    for x in a:
        if place >= start and (place - start) % step == 0:
            found.append(x)
        place += 1  # noqa: SIM113 - compiled
        if place >= stop:
            break
    return found


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


def together_2(a: Any, b: Any) -> list[Any]:
    """`zip(a, b, strict=True)`."""
    first, second = [x for x in a], [y for y in b]  # noqa: C416 - compiled
    if len(first) != len(second):
        raise ValueError("the arguments of zip() have different lengths")
    return [(first[i], second[i]) for i in range(len(first))]


def together_3(a: Any, b: Any, c: Any) -> list[Any]:
    """`zip(a, b, c, strict=True)`."""
    first, second, third = [x for x in a], [y for y in b], [z for z in c]  # noqa: C416
    if not len(first) == len(second) == len(third):
        raise ValueError("the arguments of zip() have different lengths")
    return [(first[i], second[i], third[i]) for i in range(len(first))]


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


def exchanged(values: Any, place: int, item: Any) -> Any:
    """`values[:place] + (item,) + values[place + 1:]`."""
    return values[:place] + (item,) + values[place + 1 :]  # noqa: RUF005


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
    items[:] = ordered_by(items, keys, reverse)


def sequence_length(value: Any) -> int:
    """The length of a list or tuple; -1 for other values, which patterns of tuples do not match."""
    return len(value) if isinstance(value, (tuple, list)) else -1


LISTED: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        *(product_of_1, product_of_2, product_of_3, product_of_4),
        *(product_repeat_2, product_repeat_3, product_repeat_4),
        *(combinations_of_2, combinations_of_3, combinations_of_4, multisets_of_2, multisets_of_3),
        *(permutations_of_2, permutations_of_3, chain_of_1, chain_of_2, chain_of_3, chain_of_4),
        *(sliced_to, sliced, paired, repeated, longest_2, together_2, together_3),
        *(counted, cycled, endless, backwards),
    )
}
"""The functions that stand for those of itertools."""
