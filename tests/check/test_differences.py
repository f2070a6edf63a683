"""Where two values differ: each place leads to what is told of it, and values that are the same have no such place."""

from collections import deque
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from outplay.check.differences import Apart, described, differences, same


class Thing:
    """An object that compares by identity."""

    def __init__(self, *parts: Any) -> None:
        self.first, self.rest = parts[0], list(parts[1:])


class Slotted:
    __slots__ = ("part",)

    def __init__(self, part: Any) -> None:
        self.part = part


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclass
class Data:
    part: Any
    seen: int = field(default=0, compare=False)


def value(random: Random, depth: int = 3) -> Any:
    """A random value, made of all kinds."""
    if depth == 0:
        return random.choice([random.randrange(100), random.random(), "text", None, True])
    parts = [value(random, depth - 1) for _ in range(3)]
    made = [
        list, tuple, deque, lambda parts: dict(enumerate(parts)), lambda parts: Thing(*parts), Data,
        Slotted, lambda parts: Pair(*parts[:2]), lambda _: np.arange(6).reshape(2, 3),
        lambda parts: np.array([*parts, None], object) if depth == 1 else parts,
    ]  # fmt: skip
    return random.choice(made)(parts)


def places(root: Any, path: str = "") -> list[str]:
    """The place of each number below a value, found by a walk of its own."""
    if isinstance(root, int) and not isinstance(root, bool):
        return [path]
    if isinstance(root, np.ndarray):
        return [
            f"{path}[{', '.join(map(str, at))}]"
            for at in np.ndindex(root.shape)
            if isinstance(root[at], (int, np.integer))
        ]
    if isinstance(root, Pair):
        parts = {".left": root.left, ".right": root.right}
    elif isinstance(root, dict):
        parts = {f"[{name}]": part for name, part in root.items()}
    elif isinstance(root, (list, tuple, deque)):
        parts = {f"[{at}]": part for at, part in enumerate(root)}
    elif isinstance(root, Slotted):
        parts = {".part": root.part}
    else:
        parts = {f".{name}": part for name, part in getattr(root, "__dict__", {}).items() if name != "seen"}
    return [place for name, part in parts.items() for place in places(part, path + name)]


@pytest.mark.parametrize("seed", range(60))
def test_a_change_of_one_number_is_found_where_it_is(seed: int) -> None:
    random = Random(seed)
    one = [value(random), value(random)]
    other = deepcopy(one)
    assert same(one, other)
    changeable = []
    for place in places(one):
        try:
            exec(f"other{place} += 1000", {"other": (changed := deepcopy(one))})
        except (TypeError, AttributeError):  # it is in a tuple
            continue
        changeable.append(place)
        [(path, before, after)] = differences(one, changed)
        assert (path, before, after) == (place, eval(f"one{place}"), eval(f"changed{place}"))
    assert changeable or not places(one) or seed


def ring(owner: int) -> Thing:
    """Things that lead in circles, through a set and a dict too."""
    first, second = Thing(owner), Thing(owner + 1)
    first.rest, second.rest = [{second}, second], [{"back": first}]
    return first


def test_circles_have_an_end_and_differences_in_them_are_found() -> None:
    assert same(ring(1), ring(1))
    assert next(differences(ring(1), ring(2))) == (".first", 1, 2)
    changed = ring(1)
    changed.rest[1].first = 7
    assert not same(ring(1), changed)
    assert "Thing(first=1" in described(ring(1))
    long, other = Thing(0), Thing(1)
    for _ in range(5000):
        long, other = Thing(long), Thing(other)
    assert [path.count("first") for path, *_ in differences(long, other)] == [5001]


def test_sets_of_objects_are_compared_by_content() -> None:
    assert same({Thing(1), Thing(2)}, {Thing(2), Thing(1)})
    assert not same({Thing(1), Thing(1)}, {Thing(2), Thing(1)})
    assert not same({Thing(1)}, {Thing(1), Thing(1)})
    assert same({Thing(1): Thing(2)}, {Thing(1): Thing(2)})
    assert not same({Thing(1): Thing(2)}, {Thing(1): Thing(3)})


def test_what_does_not_count_does_not_differ() -> None:
    assert same(Data(1, 2), Data(1, 3))
    assert same([0.1 + 0.2, float("nan")], [0.3, float("nan")])
    assert not same([1, 2], [1, 2, 3])
    assert not same(Thing(1), Data(1))
    assert same(Random(3), Random(3))
    assert not same(Random(3), Random(4))


def test_long_values_are_told_by_a_few_places() -> None:
    text = str(Apart("before", list(range(200)), "and after", [0, *range(2, 201)]))
    assert text == "[1]: 1 → 2, [2]: 2 → 3, [3]: 3 → 4, …"
    assert str(Apart("first", 1, "and then", None)) == "first 1 and then None"
