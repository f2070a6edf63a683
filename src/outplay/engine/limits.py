"""Limits of a search: time, depth, nodes, simulations, a clock, or a stop from another thread."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, ParamSpec, TypeVar

from outplay.engine.clock import Clock
from outplay.engine.stop import Stop
from outplay.rules.arguments import check_type, is_number
from outplay.rules.errors import WrongType
from outplay.rules.game import Game
from outplay.rules.options import check_options, number


@dataclass(frozen=True, kw_only=True)
class Limit:
    """When a search must stop: at whichever of these limits comes first.

    Without any limit, a search goes on until the answer is exact. In `search_many`, the limit holds for each state.

    Args:
        seconds: the maximum time for this search.
        depth: the maximum number of plies to look ahead.
        nodes: the maximum number of states to make.
        simulations: the maximum number of simulations, for Monte Carlo tree search.
        clock: the clock of the player to move; the search decides how much of it the move is worth, see `Clock`.
        stop: ends the search when another thread sets it, see `Stop`. Limits that differ in this are equal.

    Raises `ValueError` for a number that is out of range, or a value of the wrong type.

    >>> Limit(seconds=1, depth=8)
    Limit(seconds=1, depth=8)
    """

    seconds: float | None = number(None, least=0)
    depth: int | None = number(None, least=1)
    nodes: int | None = number(None, least=1)
    simulations: int | None = number(None, least=1)
    clock: Clock | None = None
    stop: Stop | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_options(self)
        if not isinstance(self.clock, Clock | None):
            raise ValueError(f"Limit(clock={self.clock!r}): clock is a Clock or None, such as Clock(seconds=300)")
        if not isinstance(self.stop, Stop | None):
            raise ValueError(f"Limit(stop={self.stop!r}): stop is a Stop or None, as in stop = Stop()")

    def __repr__(self) -> str:
        fields_set = {name: value for name, value in vars(self).items() if value is not None}
        return f"Limit({', '.join(f'{name}={value!r}' for name, value in fields_set.items())})"


LIMITS = frozenset(field.name for field in fields(Limit))
"""The names of all limits."""
P = ParamSpec("P")
R = TypeVar("R")


def takes_a_limit(method: Callable[P, R]) -> Callable[P, R]:
    """Make a method say where limits belong if it is called with one as a keyword, such as `search(depth=3)`."""
    parameters = inspect.signature(method).parameters

    @functools.wraps(method)
    def checked(*args: P.args, **keywords: P.kwargs) -> R:
        misplaced = {name: value for name, value in keywords.items() if name in LIMITS and name not in parameters}
        if misplaced:
            call = f"{type(args[0]).__name__}(…).{method.__name__}"
            text = ", ".join(f"{name}={value!r}" for name, value in misplaced.items())
            raise WrongType(f"{call}({text}): limits are given as one Limit; write {call}(limit=Limit({text}))")
        return method(*args, **keywords)

    return checked


UNLIMITED = Limit()
"""No limit at all."""


def check_is_limit(limit: Any, function: str) -> None:
    """Raise `WrongType` unless `limit` is a `Limit` or None."""
    if limit is not None:
        check_type(limit, Limit, f"{function}(limit={{}})", "Limit(seconds=5)")


def check_is_state(state: Any, function: str, game: Game) -> None:
    """Raise `WrongType` if `state` is a `Limit`, or a number where states are something else."""
    if isinstance(state, Limit):
        raise WrongType(f"{function}({state!r}): the state comes first; write {function}(limit={state!r})")
    if is_number(state) and not is_number(first := game.initial_state()) and not hasattr(first, "__index__"):
        raise WrongType(
            f"{function}({state!r}): the state comes first, and a state of {game!r} is no number; for a limit, write"
            f" {function}(limit=Limit(seconds={state!r}))"
        )
