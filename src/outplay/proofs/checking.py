"""Checks a proof with the rules of the game alone: plain Python, no search, no compiled code.

A proof has one or two parts, each a strategy for one side. The strategy of player 0's side guarantees player 0 at least
the value; that of the other side, at most the value. A part is a walk, depth first, through all states that can arise:

    the side is to move      its next number is the place of the one action to follow, in the order of the rules
    the other is to move     every action is followed, in the order of the rules
    seen before              nothing follows
    the end of the game      the utility of player 0 must be at least, or at most, the value

If an endless game, which counts as a draw, would not do for the side, then no state may occur twice on a line.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from outplay.rules.constant_sum import balance
from outplay.rules.game import Game, legal_actions

ROUNDING = 1e-9
"""The largest relative difference of utilities that counts as rounding."""
REPORT_EVERY = 4096
"""States from one report of progress to the next."""


class Verdict(NamedTuple):
    """The result of a check."""

    states: int
    """The number of states that were checked."""
    fault: str
    """What is wrong; empty if the proof holds."""
    state: Any
    """Where; None if nothing is wrong."""


class Fault(Exception):
    """Something in a proof does not hold in a state."""

    def __init__(self, text: str, state: Any) -> None:
        super().__init__(text)
        self.state = state


def friends_of(game: Game) -> frozenset[int]:
    """The players on the side of player 0."""
    return frozenset(p for p in range(game.players) if p == 0 or (game.teams and game.teams[p] == game.teams[0]))


def identity(game: Game, state: Any) -> Any:
    """What two states have in common that the rules declare to be the same (`game.key`), as something hashable."""
    return hashable(game.key(state))


def hashable(value: Any) -> Any:
    """`value` with its lists, arrays, dicts and sets turned into tuples."""
    if hasattr(value, "tolist"):
        return value.tolist() if not getattr(value, "shape", ()) else (value.shape, value.tobytes())
    if isinstance(value, (list, tuple)):
        return tuple(map(hashable, value))
    if isinstance(value, dict):
        return frozenset((key, hashable(item)) for key, item in value.items())
    return frozenset(value) if isinstance(value, set) else value


def parts_of(game: Game, value: float) -> tuple[str, ...]:
    """The parts that prove an exact value: "least", "most" or both. The bounds that a game declares need no proof."""
    low, high = game.utilities or (-math.inf, math.inf)
    return (*(("least",) if value > low else ()), *(("most",) if value < high else ()))


def may_be_endless(game: Game, value: float, part: str) -> bool:
    """Whether an endless game, or a draw by repetition, is good enough for the side whose strategy this is."""
    return value <= balance(game) if part == "least" else value >= balance(game)


def is_good_enough(utility: float, value: float, part: str) -> bool:
    """Whether an end with this utility of player 0 is what a part promises."""
    slack = ROUNDING * max(1.0, abs(value))
    return utility >= value - slack if part == "least" else utility <= value + slack


def check_part(
    game: Game, start: Any, value: float, part: str, numbers: Iterator[int], tell: Callable[[], None]
) -> None:
    """Walk through one part; raise `Fault` if it does not hold. `tell` is called for each state."""
    friends, endless = friends_of(game), may_be_endless(game, value, part)
    done: set[Any] = set()
    on_line: set[Any] = set()

    def enter(state: Any) -> tuple[Any, Iterator[Any]] | None:
        """The states to walk through next, unless there are none."""
        name = identity(game, state)
        if name in done:
            return None
        if name in on_line:
            if endless:
                return None
            raise Fault("play can go in circles here, which would be a draw", state)
        tell()
        if game.is_terminal(state):
            utility = float(game.utility(state, 0))
            if not is_good_enough(utility, value, part):
                bound = "at least" if part == "least" else "at most"
                raise Fault(f"the game ends with {utility:g} for player 0, not {bound} {value:g}", state)
            done.add(name)
            return None
        mover = int(game.to_move(state))
        if not 0 <= mover < game.players:
            raise Fault(f"to_move returns {mover}, which is not a player", state)
        actions = list(legal_actions(game, state))
        if not actions:
            raise Fault("there is no legal action", state)
        if (mover in friends) == (part == "least"):
            number = next(numbers, None)
            if number is None:
                raise Fault("the proof ends here", state)
            if number >= len(actions):
                raise Fault(f"the proof chooses action {number}, but there are {len(actions)}", state)
            actions = [actions[number]]
        on_line.add(name)
        return name, (game.result(state, action) for action in actions)

    stack = [found] if (found := enter(start)) else []
    while stack:
        name, children = stack[-1]
        child = next(children, stack)
        if child is stack:
            stack.pop()
            on_line.discard(name)
            done.add(name)
        elif (found := enter(child)) is not None:
            stack.append(found)
