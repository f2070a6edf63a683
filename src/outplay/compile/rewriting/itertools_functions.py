"""Which of our functions a call of a function of itertools becomes."""

import ast
import itertools
from collections.abc import Callable
from typing import Any

Chosen = tuple[str, list[ast.expr], set[int]]
"""The name of a function in `LISTED`, its arguments, and which of them are iterated over."""


def _number(node: ast.expr) -> int | None:
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _named(node: ast.Call, *names: str) -> list[ast.expr] | None:
    """The arguments in the order of the names of the parameters; None if others are given."""
    arguments = dict(zip(names, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg not in names or keyword.arg in arguments:
            return None
        arguments[keyword.arg] = keyword.value
    if len(node.args) > len(names) or list(arguments) != [name for name in names if name in arguments]:
        return None  # evaluated in another order
    return list(arguments.values()) if list(arguments) == list(names[: len(arguments)]) else None


def _product(node: ast.Call) -> Chosen | None:
    match node:
        case ast.Call(_, [only], [ast.keyword("repeat", times)]) if (_number(times) or 0) in (2, 3, 4):
            return f"product_repeat_of_{_number(times)}", [only], {0}
    return _of_several("product", 4)(node)


def _of_number(name: str, most: int) -> Callable[[ast.Call], Chosen | None]:
    def choose(node: ast.Call) -> Chosen | None:
        match _named(node, "iterable", "r"):
            case [values, number] if 2 <= (_number(number) or 0) <= most:
                return f"{name}_of_{_number(number)}", [values], {0}
        return None

    return choose


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
    arguments = _named(node, "start", "step")
    if arguments is None:
        return None
    return "counted", [*arguments, *[ast.Constant(0), ast.Constant(1)][len(arguments) :]], set()


def _repeat(node: ast.Call) -> Chosen | None:
    match _named(node, "object", "times"):
        case [value, times]:
            return "repeated", [value, times], set()
        case [value]:
            return "endless", [value], set()
    return None


def _of_several(name: str, most: int) -> Callable[[ast.Call], Chosen | None]:
    def choose(node: ast.Call) -> Chosen | None:
        number = len(node.args)
        is_known = 1 <= number <= most and not node.keywords
        return (f"{name}_of_{number}", node.args, set(range(number))) if is_known else None

    return choose


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


READ_AT_ONCE = ("product", "combinations", "multisets", "permutations")
"""The first word of those of our functions whose model in itertools reads all values when it is called."""
LISTS: dict[Any, Callable[[ast.Call], Chosen | None]] = {
    itertools.product: _product,
    itertools.combinations: _of_number("combinations", 4),
    itertools.combinations_with_replacement: _of_number("multisets", 3),
    itertools.permutations: _of_number("permutations", 3),
    itertools.chain: _of_several("chain", 4),
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
