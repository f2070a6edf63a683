"""Mutual zugzwangs in tables by class: positions in which whoever is to move does worse than if the other one were.

The game says what a position is with the other player to move (`passed_state`); both must be in the same class. Then
one comparison is enough, since what is worse for one side is better for the other.
"""

from typing import Any, NamedTuple

import numpy as np

from outplay.compile.kernels import kernel, pointer
from outplay.compile.records import layout, new_record
from outplay.engine.runner import SearchRunner
from outplay.engine.stopping import StopReason
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.constant_sum import friends_of
from outplay.rules.game import defines
from outplay.tables.class_blocks import BROKEN, CLASS_FIELDS, ClassCache, level_at
from outplay.tables.class_expansion import MAX_LEVELS, UNKNOWN, viewer
from outplay.tables.class_file import KEPT_MB
from outplay.tables.classes import Classes

NONE = -1
LAYOUT = layout(*COUNTERS, *CLASS_FIELDS, ("index", int))


class Zugzwangs(NamedTuple):
    """The mutual zugzwangs of a class with the same values, from the side of `index_player`."""

    name: str
    """The name of the class."""
    to_move: float
    """The value for `index_player` who is to move."""
    other_to_move: float
    """The greater value if the other player is to move instead."""
    positions: int
    """How many there are, by index: both players to move are one position."""
    example: Any
    """The state of one of them, with either player to move."""


def mutual_zugzwangs(classes: Classes) -> tuple[Zugzwangs, ...] | None:
    """The mutual zugzwangs of all classes; None for a game without `passed_state`.

    Raises `KeyboardInterrupt` if Ctrl-C ends it.
    """
    game = classes.game
    if not defines(game, "passed_state") or game.players != 2:
        return None
    pairs: list[Zugzwangs] = []
    for number, facts in classes.about.items():
        counts, examples = (
            np.zeros((MAX_LEVELS, MAX_LEVELS), np.int64),
            np.full((MAX_LEVELS, MAX_LEVELS), NONE, np.int64),
        )
        memory, class_cache = new_record(LAYOUT), ClassCache(classes.solved, KEPT_MB, [number])
        memory.search = 1
        class_cache.fill(memory)

        def stop(_: int, memory: Any = memory) -> None:
            memory.stop = -1

        args = game, number, len(facts["utilities"]) - 1, friends_of(game), counts, examples, memory
        runner = SearchRunner(None, lambda: 1, stop)
        runner.run(lambda: compare_turns(*args))  # noqa: B023 - ends here
        if runner.stopped == StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        class_cache.check()
        for first, second in np.argwhere(counts).tolist():
            worse, better = facts["utilities"][first], facts["utilities"][second]
            state = game.indexed_state(number, int(examples[first, second]))
            pairs.append(Zugzwangs(facts["name"], worse, better, int(counts[first, second]), state))
    return tuple(pairs)


@kernel
def compare_turns(game: Any, number: int, last: int, friends: int, counts: Any, examples: Any, work: Any) -> None:
    """Count the mutual zugzwangs of the only class that is known, by their levels."""
    memory = pointer(work)
    while memory.index < game.index_count(number) and not must_stop(memory):
        index_here = memory.index
        state = game.indexed_state(number, index_here)
        if game.state_class(state) == number and game.state_index(state) == index_here:
            passed = game.passed_state(state)
            index = game.state_index(passed) if game.state_class(passed) == number else NONE
            # A position that passes to itself is not one with the other player to move, or looks the same to both.
            over = game.is_terminal(passed)
            if index >= index_here and not (over and game.is_terminal(state)):
                level, other_level = level_at(0, index_here, memory), level_at(0, index, memory)
                if min(level, other_level) == BROKEN:
                    return
                is_known = other_level != UNKNOWN
                own = viewer(game, state)
                if (friends >> own & 1) != (friends >> viewer(game, passed) & 1):
                    other_level = last - other_level
                mover = 1 - game.to_move(passed) if game.is_terminal(state) else game.to_move(state)
                if mover != own:
                    level, other_level = other_level, level
                if other_level > level and is_known:
                    counts[level, other_level] += 1
                    if examples[level, other_level] == NONE:
                        examples[level, other_level] = index_here
        memory.index += 1
