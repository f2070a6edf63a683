"""What stands in for random numbers while rules run: draws that a script decides.

Start at `scripted`, which exchanges the functions and generators that rules call, and `place_drawn`.
"""

# ruff: noqa: D102 - methods do what those of `random` and NumPy do

import functools
import math
import random
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import chain, repeat
from typing import Any, NoReturn

from outplay.rules.errors import RulesError
from outplay.rules.user_code import is_users, short_path

WIDEST = 1000
"""The maximum number of values of one draw."""
MOST_DRAWS = 1000
"""The maximum number of draws of one move."""
BY_HAND = "let to_move return CHANCE there, see docs/chance.md, Rules that call random"


class Stopped(BaseException):  # which rules do not catch by `except Exception`
    """The script is over, and the rules draw once more: one of these values, with these probabilities."""

    def __init__(self, values: Sequence[Any], odds: Sequence[float]) -> None:
        self.values, self.odds = values, odds


class Script:
    """What rules draw: the place of the value that each draw takes, and how many were drawn so far."""

    def __init__(self, drawn: tuple[int, ...]) -> None:
        self.drawn = drawn
        self.number = 0
        self.is_over = False


_running = threading.local()
_one_at_a_time = threading.RLock()


def running_script() -> Script | None:
    """The script of the rules that run in this thread."""
    return getattr(_running, "script", None)


def draw(values: Sequence[Any], weights: Sequence[float] | None = None) -> Any:
    """One of the values, see `place_drawn`."""
    return values[place_drawn(values, weights)]


def place_drawn(values: Sequence[Any], weights: Sequence[float] | None = None) -> int:
    """The place of one of the values: that in the script. Raises `Stopped` if the script is over."""
    script, number = running_script(), len(values)
    if script is None:
        raise RulesError(f"{user_line()}: random numbers are chance only in initial_state and result")
    if number == 0:
        raise IndexError("cannot choose from an empty sequence")
    if number == 1:
        return 0
    if number > WIDEST:
        raise RulesError(f"{user_line()}: one of {number:,} values, but chance lists at most {WIDEST:,}: {BY_HAND}")
    if len(script.drawn) >= MOST_DRAWS:
        raise RulesError(f"{user_line()}: more than {MOST_DRAWS:,} random numbers in one move: {BY_HAND}")
    if script.number == len(script.drawn):
        script.is_over = True
        whole = number if weights is None else sum(weights)
        raise Stopped(values[:], [weight / whole for weight in weights or [1] * number])
    script.number += 1
    return script.drawn[script.number - 1]


def user_line() -> str:
    """The line of the user's code that is running."""
    frame: Any = sys._getframe(1)
    while frame is not None and not is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return f"{short_path(frame.f_code.co_filename)}:{frame.f_lineno}" if frame is not None else "random"


class RandomFloat:
    """A random number of which is known only what the rules have asked: `scale` times another one, plus `shift`.

    That one is from `low` to `high`, which are those of `base` for all numbers that are computed of it.
    """

    def __init__(self, base: "RandomFloat | None" = None, scale: float = 1.0, shift: float = 0.0) -> None:
        self.base, self.scale, self.shift = base or self, scale, shift
        self.low, self.high = 0.0, 1.0

    def __lt__(self, bound: float) -> bool:
        base, bound = self.base, (bound - self.shift) / self.scale
        share = (bound - base.low) / (base.high - base.low)
        if not 0 < share < 1:
            return share >= 1
        below: bool = draw((True, False), (share, 1 - share))
        base.low, base.high = (base.low, bound) if below else (bound, base.high)
        return below

    def __floor__(self) -> int:
        """The whole numbers up to the greatest are as probable as the part of the range that they are below."""
        least, most = (self.scale * bound + self.shift for bound in (self.base.low, self.base.high))
        cells = range(math.floor(least), math.ceil(most))
        floor: int = draw(cells, [min(most, cell + 1) - max(least, cell) for cell in cells])
        ends = [(bound - self.shift) / self.scale for bound in (max(least, floor), min(most, floor + 1))]
        self.base.low, self.base.high = ends
        return floor

    def __ge__(self, bound: float) -> bool:
        return not self < bound

    def __mul__(self, factor: float) -> "RandomFloat":
        if not factor > 0:
            raise TypeError("a RandomFloat times a number that is not above 0")
        return RandomFloat(self.base, self.scale * factor, self.shift * factor)

    def __add__(self, term: float) -> "RandomFloat":
        return RandomFloat(self.base, self.scale, self.shift + term)

    __le__, __gt__, __rmul__, __radd__, __int__ = __lt__, __ge__, __mul__, __add__, __floor__

    def tolist(self) -> NoReturn:  # asked for the key of a state
        raise RulesError(f"random.random() in a state has too many values: {BY_HAND}")


class Draws:
    """Stands in for the module `random` and for a `random.Random`. It has no content, so a state may hold it."""

    def random(self) -> RandomFloat:
        return RandomFloat()

    def uniform(self, a: float, b: float) -> RandomFloat:
        return RandomFloat() * (b - a) + a

    def getrandbits(self, k: int) -> Any:
        return draw(range(1 << k))

    def _randbelow(self, n: int) -> Any:
        return draw(range(n))

    def randrange(self, *bounds: int) -> Any:
        return draw(range(*bounds))

    def randint(self, a: int, b: int) -> Any:
        return draw(range(a, b + 1))

    def choice(self, seq: Sequence[Any]) -> Any:
        return draw(seq)

    def choices(self, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1) -> list[Any]:
        if cum_weights is not None:
            weights = [b - a for a, b in zip((0, *cum_weights), cum_weights, strict=False)]
        return [draw(population, weights) for _ in range(k)]

    def sample(self, population: Any, k: int, *, counts: Any = None) -> list[Any]:
        left = list(population if counts is None else chain(*map(repeat, population, counts)))
        if k > len(left):
            raise ValueError("Sample larger than population or is negative")
        return [left.pop(place_drawn(left)) for _ in range(k)]

    def shuffle(self, x: Any) -> None:
        x[:] = self.sample(list(x), len(x))

    def seed(self, *seed: Any) -> None:
        pass


class NumPyDraws(Draws):
    """Stands in for a generator of NumPy and for the functions of `numpy.random`."""

    def _one_or_many(self, one: Callable[[], Any], size: Any) -> Any:
        """One number, or an array of them."""
        if size is None:
            return one()
        import numpy as np  # noqa: PLC0415 - whoever asks has imported it

        return np.array([one() for _ in range(np.prod(size, dtype=int))]).reshape(size)

    def integers(self, low: int, high: Any = None, size: Any = None, *_: Any, endpoint: bool = False, **__: Any) -> Any:
        bounds = (0, low) if high is None else (low, high)
        return self._one_or_many(lambda: draw(range(bounds[0], bounds[1] + endpoint)), size)

    def randint(self, low: int, high: Any = None, size: Any = None, *_: Any, **__: Any) -> Any:  # type: ignore[override]
        return self.integers(low, high, size)

    def random(self, size: Any = None, *_: Any, **__: Any) -> Any:
        return self._one_or_many(RandomFloat, size)

    def uniform(self, low: float = 0.0, high: float = 1.0, size: Any = None) -> Any:
        return self._one_or_many(lambda: RandomFloat() * (high - low) + low, size)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None, **_: Any) -> Any:  # type: ignore[override]
        values = range(a) if isinstance(a, int) else a
        weights = None if p is None else list(p)
        if replace or size is None:
            return self._one_or_many(lambda: draw(values, weights), size)
        if weights is not None:
            raise RulesError(f"{user_line()}: choice with p and without replacement: {BY_HAND}")
        left = self.sample(values, int(math.prod(size)) if isinstance(size, tuple) else size)
        return self._one_or_many(lambda: left.pop(0), size)

    def permutation(self, x: Any) -> Any:
        values = range(x) if isinstance(x, int) else x
        return self._one_or_many(iter(self.sample(values, len(values))).__next__, len(values))

    def rand(self, *size: int) -> Any:
        return self.random(size or None)


DRAWS, NUMPY_DRAWS = Draws(), NumPyDraws()
NAMES = [name for name in dir(Draws) if not name.startswith("__")]
OWN = {name: vars(random.Random).get(name) for name in NAMES}
"""The methods of `random.Random`; None for those that it inherits."""


@contextmanager
def scripted(game: Any, drawn: tuple[int, ...]) -> Iterator[Script]:
    """While this runs, rules in this thread draw what the script says; other threads draw as before."""
    with _one_at_a_time:
        functions = _functions(len(sys.modules))
        generators = [(name, value, draws) for name, value in _attributes(game) if (draws := _stand_in_for(value))]
        _running.script = script = Script(drawn)
        try:
            for name, method in METHODS.items():
                setattr(random.Random, name, method)
            for module, _, stand_in in functions:
                module.update(stand_in)
            for name, _, draws in generators:
                object.__setattr__(game, name, draws)
            yield script
        finally:
            _running.script = None
            for name, own in OWN.items():
                setattr(random.Random, name, own) if own else delattr(random.Random, name)
            for module, before, _ in functions:
                module.update(before)
            for name, value, _ in generators:
                object.__setattr__(game, name, value)


def _attributes(value: Any) -> list[tuple[str, Any]]:
    return list(getattr(value, "__dict__", {}).items())


def _stand_in_for(value: Any) -> Draws | None:
    """What stands in for a generator of random numbers; None for anything else."""
    numpy: Any = sys.modules.get("numpy.random")
    if numpy and isinstance(value, (numpy.Generator, numpy.RandomState)):
        return NUMPY_DRAWS
    return DRAWS if isinstance(value, random.Random) else None


def exchange_generators(value: Any, seen_ids: set[int]) -> None:
    """Let `Draws` stand in for the generators that a state keeps in attributes, from now on."""
    seen_ids.add(id(value))
    for name, part in _attributes(value):
        if draws := _stand_in_for(part):
            object.__setattr__(value, name, draws)
        elif id(part) not in seen_ids:
            exchange_generators(part, seen_ids)


@functools.lru_cache(maxsize=1)
def _functions(modules: int) -> list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """The functions of `random` and `numpy.random` in each of the modules, wherever they are, and their stand-ins."""
    stand_ins = {id(getattr(random, name)): getattr(DRAWS, name) for name in NAMES if hasattr(random, name)}
    if "numpy" in sys.modules:
        numpy: Any = import_module("numpy.random")  # which NumPy imports when it is first used
        for name in dir(NumPyDraws):
            if not name.startswith("_") and hasattr(numpy, name):
                stand_ins[id(getattr(numpy, name))] = getattr(NUMPY_DRAWS, name)
        stand_ins[id(numpy.default_rng)] = lambda *_: NUMPY_DRAWS
    functions = []
    for module in list(sys.modules.values()):
        before = {name: value for name, value in _attributes(module) if id(value) in stand_ins}
        if before:
            after = {name: _scripted(value, stand_ins[id(value)]) for name, value in before.items()}
            functions.append((vars(module), before, after))
    return functions


def _scripted(own: Callable[..., Any], stand_in: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is another one in a thread with a script."""

    def function(*args: Any, **keywords: Any) -> Any:
        return (own if running_script() is None else stand_in)(*args, **keywords)

    return function


def _method(name: str) -> Callable[..., Any]:
    """The stand-in for a method of `random.Random`."""
    own, stand_in = getattr(random.Random, name), getattr(DRAWS, name)

    def method(generator: Any, *args: Any, **keywords: Any) -> Any:
        return own(generator, *args, **keywords) if running_script() is None else stand_in(*args, **keywords)

    return method


METHODS = {name: _method(name) for name in NAMES}
