"""Functions of itertools as functions that list what they would yield, in the same order.

The lists are only iterated over, once, so nobody notices that they are lists. Those without an end are generators.
"""

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

Chosen = tuple[str, list[ast.expr], set[int]]
"""The name of a function in `LISTED`, its arguments, and which of them are iterated over."""


def product_of_1(a: Iterable[Any]) -> list[Any]:
    return [(x,) for x in a]


def product_of_2(a: Iterable[Any], b: Iterable[Any]) -> list[Any]:
    others = [y for y in b]  # noqa: C416 - compiled
    return [(x, y) for x in a for y in others]


def product_of_3(a: Iterable[Any], b: Iterable[Any], c: Iterable[Any]) -> list[Any]:
    second, third = [y for y in b], [z for z in c]  # noqa: C416
    return [(x, y, z) for x in a for y in second for z in third]


def product_of_4(a: Iterable[Any], b: Iterable[Any], c: Iterable[Any], d: Iterable[Any]) -> list[Any]:
    second, third, fourth = [y for y in b], [z for z in c], [w for w in d]  # noqa: C416
    return [(x, y, z, w) for x in a for y in second for z in third for w in fourth]


def product_repeat_2(a: Iterable[Any]) -> list[Any]:
    pool = [x for x in a]  # noqa: C416
    return [(x, y) for x in pool for y in pool]


def product_repeat_3(a: Iterable[Any]) -> list[Any]:
    pool = [x for x in a]  # noqa: C416
    return [(x, y, z) for x in pool for y in pool for z in pool]


def product_repeat_4(a: Iterable[Any]) -> list[Any]:
    pool = [x for x in a]  # noqa: C416
    return [(x, y, z, w) for x in pool for y in pool for z in pool for w in pool]


def combinations_of_2(a: Iterable[Any]) -> list[Any]:
    pool = [x for x in a]  # noqa: C416
    n = len(pool)
    return [(pool[i], pool[j]) for i in range(n) for j in range(i + 1, n)]


def combinations_of_3(a: Iterable[Any]) -> list[Any]:
    pool = [x for x in a]  # noqa: C416
    n = len(pool)
    return [(pool[i], pool[j], pool[k]) for i in range(n) for j in range(i + 1, n) for k in range(j + 1, n)]


def combinations_of_4(a: Iterable[Any]) -> list[Any]:
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
    pool = [x for x in a]  # noqa: C416
    n = len(pool)
    return [(pool[i], pool[j]) for i in range(n) for j in range(i, n)]


def multisets_of_3(a: Iterable[Any]) -> list[Any]:
    pool = [x for x in a]  # noqa: C416
    n = len(pool)
    return [(pool[i], pool[j], pool[k]) for i in range(n) for j in range(i, n) for k in range(j, n)]


def permutations_of_2(a: Iterable[Any]) -> list[Any]:
    pool = [x for x in a]  # noqa: C416
    n = len(pool)
    return [(pool[i], pool[j]) for i in range(n) for j in range(n) if i != j]


def permutations_of_3(a: Iterable[Any]) -> list[Any]:
    pool = [x for x in a]  # noqa: C416
    n = len(pool)
    return [
        (pool[i], pool[j], pool[k]) for i in range(n) for j in range(n) if i != j for k in range(n) if k not in (i, j)
    ]


def chain_of_1(a: Iterable[Any]) -> list[Any]:
    return [x for x in a]  # noqa: C416


def chain_of_2(a: Iterable[Any], b: Iterable[Any]) -> list[Any]:
    found = [x for x in a]  # noqa: C416
    for y in b:
        found.append(y)  # noqa: PERF402
    return found


def chain_of_3(a: Iterable[Any], b: Iterable[Any], c: Iterable[Any]) -> list[Any]:
    found = chain_of_2(a, b)
    for z in c:
        found.append(z)  # noqa: PERF402
    return found


def chain_of_4(a: Iterable[Any], b: Iterable[Any], c: Iterable[Any], d: Iterable[Any]) -> list[Any]:
    found = chain_of_3(a, b, c)
    for w in d:
        found.append(w)  # noqa: PERF402
    return found


def sliced_to(a: Iterable[Any], stop: int) -> list[Any]:
    if stop < 0:
        raise ValueError("Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    place, found = 0, [x for x in a if False]
    if stop == 0:
        return found
    for x in a:
        found.append(x)
        place += 1
        if place >= stop:
            break
    return found


def sliced(a: Iterable[Any], start: int, stop: int, step: int) -> list[Any]:
    if start < 0 or stop < 0 or step < 1:
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    place, found = 0, [x for x in a if False]
    if stop == 0:
        return found
    for x in a:
        if place >= start and (place - start) % step == 0:
            found.append(x)
        place += 1
        if place >= stop:
            break
    return found


def paired(a: Iterable[Any]) -> list[Any]:
    pool = [x for x in a]  # noqa: C416
    return [(pool[i], pool[i + 1]) for i in range(len(pool) - 1)]


def repeated(x: Any, times: int) -> list[Any]:
    return [x for _ in range(times)]


def counted(start: Any, step: Any) -> Iterator[Any]:
    number = start
    while True:
        yield number
        number += step


def cycled(a: Sequence[Any]) -> Iterator[Any]:
    if len(a) > 0:
        while True:
            for x in a:  # noqa: UP028
                yield x


def endless(x: Any) -> Iterator[Any]:
    while True:
        yield x


def backwards(a: Any) -> Any:
    return reversed(a)


def together_2(a: Any, b: Any) -> list[Any]:
    return list(zip(a, b, strict=True))


def together_3(a: Any, b: Any, c: Any) -> list[Any]:
    return list(zip(a, b, c, strict=True))


def longest_2(a: Iterable[Any], b: Iterable[Any], other: Any) -> list[Any]:
    first, second = [x for x in a], [y for y in b]  # noqa: C416
    return [
        (first[i] if i < len(first) else other, second[i] if i < len(second) else other)
        for i in range(max(len(first), len(second)))
    ]


def is_empty_list(value: Any) -> bool:
    return bool(value == [])


def is_empty_tuple(value: Any) -> bool:
    return bool(value == ())


def varying(items: list[Any]) -> tuple[Any, ...]:
    return tuple(items)


def like(values: Any, items: list[Any]) -> tuple[Any, ...]:
    return tuple(items)


def exchanged(values: Any, place: int, item: Any) -> Any:
    return values[:place] + (item,) + values[place + 1 :]  # noqa: RUF005


def ordered_by(items: list[Any], keys: list[Any], reverse: Any) -> list[Any]:
    return [items[i] for i in sorted(range(len(items)), key=lambda i: keys[i], reverse=reverse)]


def put_in_order(items: list[Any], keys: list[Any], reverse: Any) -> None:
    items[:] = ordered_by(items, keys, reverse)


def sequence_length(value: Any) -> int:
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


def _number(node: ast.expr) -> int | None:
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _named(node: ast.Call, *names: str) -> list[ast.expr] | None:
    """The arguments in the order of the names of the parameters; None if others are given."""
    given = dict(zip(names, node.args, strict=False))
    for each in node.keywords:
        if each.arg not in names or each.arg in given:
            return None
        given[each.arg] = each.value
    if len(node.args) > len(names) or list(given) != [name for name in names if name in given]:
        return None  # evaluated in another order
    return list(given.values()) if list(given) == list(names[: len(given)]) else None


def _product(node: ast.Call) -> Chosen | None:
    match node:
        case ast.Call(_, [only], [ast.keyword("repeat", times)]) if (_number(times) or 0) in (2, 3, 4):
            return f"product_repeat_{_number(times)}", [only], {0}
        case ast.Call(_, [_, *_] as args, []) if len(args) <= 4:
            return f"product_of_{len(args)}", args, set(range(len(args)))
    return None


def _of_number(name: str, most: int) -> Callable[[ast.Call], Chosen | None]:
    def choose(node: ast.Call) -> Chosen | None:
        match _named(node, "iterable", "r"):
            case [values, number] if 2 <= (_number(number) or 0) <= most:
                return f"{name}_of_{_number(number)}", [values], {0}
        return None

    return choose


def _chain(node: ast.Call) -> Chosen | None:
    if 1 <= len(node.args) <= 4 and not node.keywords:
        return f"chain_of_{len(node.args)}", node.args, set(range(len(node.args)))
    return None


def _islice(node: ast.Call) -> Chosen | None:
    match node:
        case ast.Call(_, [values, stop], []):
            return "sliced_to", [values, stop], {0}
        case ast.Call(_, [values, start, stop], []):
            return "sliced", [values, start, stop, ast.Constant(1)], {0}
        case ast.Call(_, [values, start, stop, step], []):
            return "sliced", [values, start, stop, step], {0}
    return None


def _count(node: ast.Call) -> Chosen | None:
    given = _named(node, "start", "step")
    if given is None:
        return None
    return "counted", [*given, *[ast.Constant(0), ast.Constant(1)][len(given) :]], set()


def _repeat(node: ast.Call) -> Chosen | None:
    match _named(node, "object", "times"):
        case [value, times]:
            return "repeated", [value, times], set()
        case [value]:
            return "endless", [value], set()
    return None


def _one(name: str) -> Callable[[ast.Call], Chosen | None]:
    def choose(node: ast.Call) -> Chosen | None:
        return (name, node.args, {0}) if len(node.args) == 1 and not node.keywords else None

    return choose


def _zip_longest(node: ast.Call) -> Chosen | None:
    match node:
        case ast.Call(_, [a, b], [ast.keyword("fillvalue", other)]):
            return "longest_2", [a, b, other], {0, 1}
    return None


def _zip(node: ast.Call) -> Chosen | None:
    match node:
        case ast.Call(_, args, [ast.keyword("strict", ast.Constant(True))]) if len(args) in (2, 3):
            return f"together_{len(args)}", args, set(range(len(args)))
    return None


LISTS: dict[Any, Callable[[ast.Call], Chosen | None]] = {
    itertools.product: _product,
    itertools.combinations: _of_number("combinations", 4),
    itertools.combinations_with_replacement: _of_number("multisets", 3),
    itertools.permutations: _of_number("permutations", 3),
    itertools.chain: _chain,
    itertools.islice: _islice,
    itertools.pairwise: _one("paired"),
    itertools.count: _count,
    itertools.cycle: _one("cycled"),
    itertools.repeat: _repeat,
    itertools.zip_longest: _zip_longest,
    zip: _zip,
    reversed: _one("backwards"),
}
"""For each function of itertools: which of ours a call becomes."""
