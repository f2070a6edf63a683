"""Whether some states of a table agree with it, looked at in plain Python in a fraction of a second.

With codes, images of a state (`game.symmetries`) must have its value: symmetries are often mistaken.

By class, there is one state for each index, and those alone are solved and checked. Play leads to others with the same
index, such as images. If the index leaves out something that matters, their values are wrong, and the table contradicts
itself near by: in a game that goes on from such a state, some value is not that of the best successor.
"""

from collections.abc import Iterator
from random import Random
from time import thread_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.rules.constant_sum import is_opposed
from outplay.rules.errors import TableError
from outplay.rules.game import defines
from outplay.tables.codec import state_at
from outplay.tables.file import TableFile

STATES = 50
"""The number of states whose images are looked at, and of random games."""
SECONDS = 0.1
"""The processor time for these games, unless few are played."""
PLIES = 8
"""The number of plies of a game."""
LEAST_GAMES = 8
"""The number of games that are played however slow the rules are."""


def check_some_states(table: Any) -> None:
    """Raise `TableError` if some states do not agree with a `Tablebase` of them."""
    if table.classes is None:
        if is_opposed(table.game) and defines(table.game, "symmetries"):
            check_images(table)
        return
    state = first_contradiction(table, STATES, SECONDS)
    if state is not None:
        raise TableError(
            f"the table contradicts the rules in {state!r}: state_index gives states of different values the same"
            " index, or game.symmetries or another rule for tables is wrong; outplay check may say which"
        )


def check_images(table: Any) -> None:
    """Raise `TableError` if images of some states do not agree with the table."""
    codec = table.codec.record()
    for codes in some_codes(table):
        for image in table.game.symmetries(state_at(table.game, codec, codes, 0)):
            table._successors(image)


def some_codes(table: Any) -> Iterator[NDArray[np.int64]]:
    """The codes of some states."""
    if isinstance(table.source, TableFile) and len(table.source.firsts):
        blocks = len(table.source.firsts)
        for number in range(0, blocks, -(-blocks // STATES)):
            codes = table.source.block(number).codes
            yield from codes[:: -(-len(codes) * blocks // STATES)]
        return
    codes = table.states().codes
    yield from np.ascontiguousarray(codes[:: -(-len(codes) // STATES)])


def first_contradiction(table: Any, games: int, seconds: float) -> Any:
    """A state in which a `Tablebase` contradicts the rules; None if none is found in so many games or seconds.

    Games begin with the states of random indices; the same ones each time.
    """
    game, facts, random = table.game, table.classes.about, Random(0)  # noqa: S311 - not for secrets
    began, numbers = thread_time(), list(facts)
    for played in range(games):
        if played >= LEAST_GAMES and thread_time() - began > seconds:
            break
        number = random.choice(numbers)
        state = game.indexed_state(number, random.randrange(facts[number]["indices"]))
        for _ in range(PLIES):
            if game.index_plies(state) <= 0 or table.probe(state) is None:
                break  # what the index leaves out matters here, and the game says so
            try:
                after = table._successors(state)
            except TableError:
                return state
            if not after:
                break
            state = game.result(state, random.choice(after)[0])
    return None
