"""Checks a proof with the rules of the game alone: plain Python, no search, no compiled code.

A proof has one or two parts, each a strategy for one side. The strategy of player 0's side guarantees player 0 at least
the value; that of the other side, at most the value. A part is a walk, depth first, through all states that can arise:

    the side is to move      its next number is the place of the one action to follow, in the order of the rules
    the other is to move     every action is followed, in the order of the rules
    seen before              nothing follows
    the end of the game      the utility of player 0 must be at least, or at most, the value

A state was seen before if an equal one was: all of it counts, not just `game.key`, which may be wrong. No other hint of
the game is used, such as symmetries.

An endless game counts as a draw. If that would not do for the side, no state may occur twice on a line of play. Where
a repeated state ends the game as a draw (`repetition = "draw"`), no key may occur twice on a line, since keys say what
is repeated. So states with the same key must all have the same height, which is the number of plies of the longest
line from there to an end: along a line, heights get less.

A part is left out if the game declares that no utility is less, or greater, than the value (`utilities`). The verdict
names this assumption, and each end that the check sees must keep to it.
"""

import math
from array import array
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from outplay.rules.constant_sum import draw_utility, friends_of
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game, legal_actions

ROUNDING = 1e-11
"""The largest relative difference of utilities that counts as rounding: searches keep about 12 digits of a value."""
REPORT_EVERY = 4096
"""States from one report of progress to the next."""
OPEN = -1
"""The height of a state on the line that is being followed."""
ATOMS = frozenset({int, float, complex, bool, str, bytes, type(None)})


class Verdict(NamedTuple):
    """The result of a check."""

    states: int
    """The number of states that were checked."""
    fault: str
    """What is wrong; empty if the proof holds."""
    state: Any
    """Where; None if nothing is wrong."""
    assumed: str = ""
    """What the proof takes from the declarations of the game; empty if nothing."""


class Fault(Exception):
    """Something in a proof does not hold in a state."""

    def __init__(self, text: str, state: Any) -> None:
        super().__init__(text)
        self.state = state


def content(value: Any) -> Any:
    """All of `value`, as something hashable: equal for two values only if they have equal parts.

    >>> content((1, [2, 3])) == content((1, [2, 3])), content((1, [2, 3])) == content((1, (2, 3)))
    (True, False)
    """
    kind = type(value)
    if kind in ATOMS or isinstance(value, type):
        return value
    if kind is list or (isinstance(value, tuple) and not getattr(value, "__dict__", None)):
        return (kind, *map(content, value))
    if kind in (set, frozenset):
        return kind, frozenset(map(content, value))
    if kind is dict:
        return kind, frozenset((content(key), content(item)) for key, item in value.items())
    if kind is array:
        return kind, value.typecode, value.tobytes()
    if hasattr(value, "dtype"):  # NumPy's arrays and numbers; an array of objects has only their addresses as bytes
        items = value.tolist() if not value.shape or value.dtype.hasobject else value.tobytes()
        return kind, value.dtype.str, value.shape, content(items), content(getattr(value, "__dict__", None))
    try:
        reduced = value.__reduce_ex__(2)  # as for a copy: all that the object consists of
    except TypeError:
        raise OutplayError(f"a {kind.__name__} in a state cannot be compared: there is no proof") from None
    if isinstance(reduced, str):  # the name of a constant
        return kind, reduced
    made_by, arguments, state, *items = (*reduced, None, None, None)[:5]
    return (kind, made_by, content(arguments), content(state), *(content(list(item or ())) for item in items))


def parts_of(game: Game, value: float) -> tuple[str, ...]:
    """The parts that prove an exact value: "least", "most" or both. One bound that a game declares needs no proof."""
    low, high = game.utilities or (-math.inf, math.inf)
    return (*(("least",) if value > low else ()), *(("most",) if value < high else ())) or ("least", "most")


def assumption(game: Game, value: float) -> str:
    """What the game declares that stands for the part that is left out."""
    parts = parts_of(game, value)
    if len(parts) == 2:
        return ""
    bound = "less" if "most" in parts else "more"
    return f"no game ends with {bound} than {value:g} for player 0, as the rules declare (utilities)"


def may_be_endless(game: Game, value: float, part: str) -> bool:
    """Whether an endless game, or a draw by repetition, is good enough for the side whose strategy this is."""
    return value <= draw_utility(game) if part == "least" else value >= draw_utility(game)


def check_end(game: Game, state: Any, value: float, part: str) -> None:
    """Raise `Fault` if the utility of player 0 at this end is not what the part promises, or is out of range."""
    utility, slack = float(game.utility(state, 0)), ROUNDING * max(abs(value), abs(draw_utility(game)))
    if not (utility >= value - slack if part == "least" else utility <= value + slack):
        bound = "at least" if part == "least" else "at most"
        raise Fault(f"the game ends with {utility:g} for player 0, not {bound} {value:g}", state)
    low, high = game.utilities or (-math.inf, math.inf)
    if not low - slack <= utility <= high + slack:
        raise Fault(f"the game ends with {utility:g} for player 0, but declares utilities = {game.utilities!r}", state)


def check_part(
    game: Game, start: Any, value: float, part: str, numbers: Iterator[int], tell: Callable[[], None]
) -> None:
    """Walk through one part; raise `Fault` if it does not hold. `tell` is called for each state."""
    friends, endless = friends_of(game), may_be_endless(game, value, part)
    by_key = game.repetition == "draw" and not endless
    heights: dict[Any, int] = {}
    of_keys: dict[Any, int] = {}

    def close(state: Any, name: Any, height: int) -> None:
        """All lines from `state` have been followed."""
        heights[name] = height
        if by_key and of_keys.setdefault(content(game.key(state)), height) != height:
            raise Fault("a state with the same key was seen at another distance from the end", state)

    # A line is a stack of these: a state, its content, the states to follow, and the height as far as it is known.
    line: list[list[Any]] = []
    waiting: Iterator[Any] = iter((start,))
    while True:
        state = next(waiting, line)
        if state is line:
            if not line:
                return
            state, name, _, height = line.pop()
            close(state, name, height)
        else:
            name = content(state)
            checked_height = heights.get(name)
            if checked_height is None:
                tell()
                if not game.is_terminal(state):
                    waiting = successors(game, state, friends, part, numbers)
                    heights[name] = OPEN
                    line.append([state, name, waiting, 1])
                    continue
                check_end(game, state, value, part)
                close(state, name, 0)
                height = 0
            elif checked_height == OPEN and not endless:
                raise Fault("play can go in circles here, which would be a draw", state)
            else:
                height = checked_height
        if line:
            line[-1][3] = max(line[-1][3], height + 1)
            waiting = line[-1][2]
        else:
            waiting = iter(())


def successors(game: Game, state: Any, friends: int, part: str, numbers: Iterator[int]) -> Iterator[Any]:
    """The states to follow: after the chosen action if the side is to move, else after each action."""
    mover = int(game.to_move(state))
    if not 0 <= mover < game.players:
        raise Fault(f"to_move returns {mover}, which is not a player", state)
    actions = list(legal_actions(game, state))
    if not actions:
        raise Fault("there is no legal action", state)
    if bool(friends >> mover & 1) == (part == "least"):
        number = next(numbers, None)
        if number is None:
            raise Fault("the proof ends here", state)
        if number >= len(actions):
            raise Fault(f"the proof chooses action {number}, but there are {len(actions)}", state)
        actions = [actions[number]]
    return (game.result(state, action) for action in actions)
