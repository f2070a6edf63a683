"""Checks tables by class against the rules: the laws of `verification.py`, for each index that is not a hole.

Where distances count to the next conversion, none count after one. It leads to a class that is checked by itself, or to
a lower `index_stage`, which no action raises; so that the proof by induction holds, over classes and stages first.
"""

from typing import Any

from outplay.compile.kernels import kernel, pointer
from outplay.compile.records import layout, new_record
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.constant_sum import balance
from outplay.rules.game import friends_of
from outplay.tables.class_blocks import NOWHERE, BlockCache, place_in
from outplay.tables.class_expansion import FOREVER, UNKNOWN, plies_left, points_of, viewer
from outplay.tables.class_file import KEPT_MB
from outplay.tables.class_successors import FIELDS, OUTSIDE, PLIES, VALUE, best_after
from outplay.tables.classes import END, Classes, goes_on
from outplay.tables.dense import interruptible
from outplay.tables.one_sided import Contradiction

UTILITY, PAST = 2, 9
"""More faults, as in `verification.FAULTS`."""
LAYOUT = layout(
    *COUNTERS,
    *FIELDS,
    ("index", int),
    ("done", int),
    ("fault", int),
    ("least", int),  # the least `index_plies` of a state
)


def check_classes(classes: Classes, progress: Any = None) -> tuple[int, int, Any, bool]:
    """The number of states checked, the first fault (0: none), its state, and whether Ctrl-C stopped it."""
    game, total = classes.game, len(classes)
    memory = new_record(LAYOUT)
    memory.search, memory.converts = 1, classes.distance_to != END

    def stop() -> None:
        memory.stop = -1

    report = (lambda: progress(int(memory.done), total)) if progress else None
    for number in classes.solved:
        # The class itself, and then those that its actions lead to.
        known = BlockCache(classes.solved, KEPT_MB)
        memory.index, memory.has_stages, memory.least = 0, 0, FOREVER
        known.add(number)
        while True:
            args = game, number, *known.view, friends_of(game), memory
            memory.needed = memory.block = -1
            finished = interruptible(stop, lambda: check_class(*args), report)  # noqa: B023 - ends here
            if not finished:
                return int(memory.done), 0, None, True
            if memory.block >= 0:
                try:
                    known.fetch(int(memory.block), int(memory.index))
                except Contradiction:
                    return int(memory.done), PLIES, None, False
                continue
            if memory.needed >= 0 and memory.needed in classes.solved:
                known.add(int(memory.needed))
                continue
            if memory.needed >= 0:
                memory.fault = OUTSIDE
            about = classes.about[number]
            if memory.converts and not memory.fault:
                leads_to = [each for each in known.view.numbers.tolist() if each != number or memory.has_stages]
                all_about = classes.about | {number: about | {"goes_on": True}}
                right = memory.least, goes_on((all_about[each] for each in leads_to), balance(game))
                if (about["index_plies"], about["goes_on"]) != right:
                    return int(memory.done), PAST, None, False
            if memory.fault:
                state = game.indexed_state(number, int(memory.index))
                return int(memory.done), int(memory.fault), state, False
            break
    return int(memory.done), 0, None, False


@kernel
def check_class(
    game: Any, number: int, numbers: Any, sizes: Any, blocks: Any, first: Any, utilities: Any, slots: Any, levels: Any,
    plies: Any, friends: int, work: Any,
) -> None:  # fmt: skip
    """Check the first of these classes from `work.index` on, until a state is wrong or needs a class or a block."""
    memory, draw = pointer(work), balance(game)
    while memory.index < sizes[0] and not must_stop(memory):
        state = game.indexed_state(number, memory.index)
        if game.state_class(state) != number or game.state_index(state) != memory.index:
            memory.index += 1
            continue
        at = place_in(0, memory.index, sizes, blocks, slots)
        if at < 0:
            memory.block = NOWHERE - 1 - at
            return
        if memory.converts:
            memory.least = min(memory.least, plies_left(game, state))
        level, away = int(levels[at]), int(plies[at])
        if level == UNKNOWN:
            memory.fault = OUTSIDE
            return
        value = utilities[level] if friends >> viewer(game, state) & 1 else 2 * draw - utilities[level]
        if game.is_terminal(state):
            right = game.utility(state, 0) - points_of(game, state, 0) == value and (away == 0 or value == draw)
            memory.fault = 0 if right else UTILITY
        else:
            memory.fault = fault_of(
                game, state, value, away, numbers, sizes, blocks, first, utilities, slots, levels, plies, friends,
                memory,
            )  # fmt: skip
        if memory.fault != 0 or memory.needed >= 0 or memory.block >= 0:
            return
        memory.done += 1
        memory.index += 1


@kernel
def fault_of(
    game: Any, state: Any, value: float, away: int, numbers: Any, sizes: Any, blocks: Any, first: Any, utilities: Any,
    slots: Any, levels: Any, plies: Any, friends: int, memory: Any,
) -> int:  # fmt: skip
    """What is wrong with a state that is not an end, by player 0's value and its plies; 0 if nothing is.

    If it leads to a class or a block that is not there, `memory.needed` or `memory.block` is set instead.
    """
    fault, best, least, most = best_after(
        game, state, numbers, sizes, blocks, first, utilities, slots, levels, plies, friends, memory
    )
    if fault != 0 or memory.needed >= 0 or memory.block >= 0:
        return fault
    draw = balance(game)
    if best != value:
        return VALUE
    gains = value > draw if friends >> game.to_move(state) & 1 else value < draw
    return 0 if value == draw or away == 1 + (least if gains else most) else PLIES
