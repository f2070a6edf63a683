"""What varies from rung to rung of a ladder, as a person writes it.

    depth=1..8              in steps of 1; seconds, nodes and simulations are doubled
    depth=2..8+2            in steps of 2
    nodes=1000..64000*4     four times as much on each rung
    quiescence=false,true   a list

Start at `read_vary`.
"""

import math
import re
from typing import NamedTuple

from outplay.rules.errors import OutplayError
from outplay.session.calls import split

DOUBLED = ("seconds", "nodes", "simulations", "table_mb", "memory_mb")
"""What is doubled from rung to rung, unless the range says otherwise."""
MAX_RUNGS = 64
_RANGE = re.compile(r"(?P<first>[^.,].*?)\.\.(?P<last>.+?)(?:(?P<way>[*+])(?P<step>[\d.]+))?")


class Vary(NamedTuple):
    """What changes from rung to rung: the option, its values as text, and as numbers if they are a range."""

    option: str
    values: tuple[str, ...]
    numbers: tuple[float, ...] = ()
    doubles: bool = False

    @property
    def steps(self) -> float | None:
        """How many plies, doublings or other steps there are from the first rung to the last; None for a list."""
        if not self.numbers:
            return None
        first, last = self.numbers[0], self.numbers[-1]
        if self.doubles:
            return math.log2(last / first)
        return last - first if self.option == "depth" else len(self.numbers) - 1.0

    @property
    def step(self) -> str:
        """A step in words."""
        if self.doubles:
            return f"a doubling of {self.option}"
        if self.option == "depth":
            return "a ply"
        return f"{self.numbers[1] - self.numbers[0]:g} more {self.option}"


def read_vary(text: str) -> Vary:
    """What varies, from text such as "depth=1..8". Raises `OutplayError` if it is wrong.

    >>> read_vary("depth=1..4").values, read_vary("nodes=100..1600*4").values
    (('1', '2', '3', '4'), ('100', '400', '1600'))
    >>> read_vary("quiescence=false,true").values
    ('false', 'true')
    """
    option, equals, rest = (part.strip() for part in text.partition("="))
    if not equals or not re.fullmatch(r"[A-Za-z][\w-]*", option) or not rest:
        raise OutplayError(f"{text!r}: write what varies as depth=1..8, seconds=0.01..1.28 or quiescence=false,true")
    option = option.replace("-", "_")
    if match := _RANGE.fullmatch(rest):
        return _range(text, option, match)
    values = tuple(split(rest) or ())
    if len(values) < 2 or len(set(values)) < len(values):
        raise OutplayError(f"{text!r}: give at least two different values, as in {option}=false,true")
    return Vary(option, values)


def _range(text: str, option: str, match: re.Match[str]) -> Vary:
    """The values of a range."""
    try:
        first, last = float(match["first"]), float(match["last"])
        doubles = option in DOUBLED if match["way"] is None else match["way"] == "*"
        step = float(match["step"] or (2 if doubles else 1))
    except ValueError:
        raise OutplayError(f"{text!r}: a range is written from the least to the greatest number, as 1..8") from None
    grows = step > 1 and first > 0 if doubles else step > 0
    if not (grows and math.isfinite(last) and first < last):
        raise OutplayError(f"{text!r}: a range goes up, as in {option}=1..8, 2..8+2 (steps of 2) or 1..8*2 (doubling)")
    numbers = [first]
    while len(numbers) <= MAX_RUNGS:
        following = first * step ** len(numbers) if doubles else first + step * len(numbers)
        if following > last * (1 + 1e-9):
            break
        numbers.append(following)
    if not 2 <= len(numbers) <= MAX_RUNGS:
        raise OutplayError(f"{text!r}: a ladder has from 2 to {MAX_RUNGS} rungs")
    return Vary(option, tuple(f"{number:.12g}" for number in numbers), tuple(numbers), doubles)
