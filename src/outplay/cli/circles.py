"""Which algorithm suits a state: where play goes in circles, not every one works."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from random import Random
from time import perf_counter
from typing import Any

from outplay.cli.output import complain
from outplay.engine.limits import Limit
from outplay.rules.game import Game
from outplay.rules.keys import state_key
from outplay.rules.repetition import playable
from outplay.session.algorithms import suited

PLAYED = 2000
"""The number of random moves that are played to see whether play goes in circles."""
SOON = 300
"""The same before an analysis, which should start soon."""
LOOKED = 0.5
"""The maximum time for this, in seconds."""


def suited_to(game: Game, state: Any, solving: bool = False) -> str:
    """The algorithm for `state` if none is named; a note on standard error if it is not the one for the game.

    >>> from outplay.games import Nim
    >>> suited_to(Nim(), Nim().initial_state())
    'alpha-beta'
    """
    algorithm = suited(game, solving)
    if game.is_terminal(state):
        return algorithm
    if algorithm == "alpha-beta" and not solving and not game.repetition and goes_in_circles(game, state, SOON):
        if is_small(game, state):
            algorithm = "value-iteration"
            complain("Note", "bold", "play goes in circles here: this is value-iteration, which is exact")
        else:
            complain(
                "Note",
                "bold",
                "play goes in circles here, through more states than value-iteration lists in a short time: this is"
                " alpha-beta, which looks as far as its limit",
            )
    return algorithm


def is_small(game: Game, state: Any) -> bool:
    """Whether value iteration solves the game from `state` within a short time."""
    from outplay import ValueIteration

    return ValueIteration(game, check=False).search(state, SHORT).exact


SHORT = Limit(seconds=1, nodes=1_000_000)
"""The limit of value iteration that tells whether it suits."""


def goes_in_circles(game: Game, state: Any, played: int = PLAYED) -> bool:
    """Whether a state is repeated in random games, and value iteration can search the game.

    >>> from outplay.games import Nim
    >>> goes_in_circles(Nim(), Nim().initial_state())
    False
    """
    random, now, seen = Random(0), state, set[int]()  # noqa: S311 - not for secrets
    until = perf_counter() + LOOKED
    for _ in range(played):
        key = state_key(game, now)
        if key in seen:
            return _suits_value_iteration(game)
        seen.add(key)
        actions = [] if game.is_terminal(now) else playable(game, [now])
        now = game.result(now, random.choice(actions)) if actions else state
        if not actions:
            seen.clear()
        if perf_counter() > until:
            break
    return False


def _suits_value_iteration(game: Game) -> bool:
    from outplay import ValueIteration
    from outplay.rules.errors import UnsuitableGame

    try:
        ValueIteration(game)
    except UnsuitableGame:
        return False
    return True
