"""Whether a table by class agrees with itself in random games, state by state.

A class has one state for each index, and those alone are solved and checked. Play leads to others with the same index,
such as images. If the index leaves out something that matters, their values are wrong, and the table contradicts itself
near by: in a game that goes on from such a state, some value is not that of the best successor.
"""

from random import Random
from time import thread_time
from typing import Any

from outplay.rules.errors import TableError

PLIES = 8
"""The number of plies of a game."""
LEAST_GAMES = 8
"""The number of games that are played however slow the rules are."""


def first_contradiction(table: Any, games: int, seconds: float) -> Any:
    """A state in which a `Tablebase` contradicts the rules; None if none is found in so many games or seconds.

    Games begin with the states of random indices; the same ones each time.
    """
    game, about, random = table.game, table.classes.about, Random(0)  # noqa: S311 - not for secrets
    began, numbers = thread_time(), list(about)
    for played in range(games):
        if played >= LEAST_GAMES and thread_time() - began > seconds:
            break
        number = random.choice(numbers)
        state = game.indexed_state(number, random.randrange(about[number]["indices"]))
        for _ in range(PLIES):
            if game.index_plies(state) <= 0 or table.probe(state) is None:
                break  # what the index leaves out matters here, and the game says so
            try:
                after = table._after(state)
            except TableError:
                return state
            if not after:
                break
            state = game.result(state, random.choice(after)[0])
    return None
