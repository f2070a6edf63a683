"""Checks tables by class against the rules: the laws of `verification.py`, for each index that is not a hole."""

from typing import Any

from outplay.compile.kernels import kernel, pointer
from outplay.compile.records import layout, new_record
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.constant_sum import balance
from outplay.rules.game import friends_of, legal_actions
from outplay.tables.classes import Classes
from outplay.tables.dense import UNKNOWN, interruptible, known, place_of, viewer

OUTSIDE, UTILITY, VALUE, PLIES = 1, 2, 5, 6
"""Faults, as in `verification.FAULTS`."""
LAYOUT = layout(*COUNTERS, ("place", int), ("index", int), ("done", int), ("fault", int))


def check_classes(classes: Classes, progress: Any = None) -> tuple[int, int, Any, bool]:
    """The number of states checked, the first fault (0: none), its state, and whether Ctrl-C stopped it."""
    game, total = classes.game, len(classes)
    memory = new_record(LAYOUT)
    memory.search = 1
    args = (game, *known(list(classes.solved.values())), friends_of(game), memory)
    report = (lambda: progress(int(memory.done), total)) if progress else None
    finished = interruptible(memory, lambda: check_all(*args), report)
    number = list(classes.solved)[min(int(memory.place), len(classes.solved) - 1)]
    state = game.indexed_state(number, int(memory.index)) if memory.fault else None
    return int(memory.done), int(memory.fault), state, not finished


@kernel
def check_all(
    game: Any, numbers: Any, starts: Any, first: Any, utilities: Any, levels: Any, plies: Any, friends: int, work: Any
) -> None:
    """Check all classes; the first state that is wrong ends it."""
    memory = pointer(work)
    while memory.place < len(numbers):
        place = memory.place
        number, end = numbers[place], starts[place + 1] if place + 1 < len(starts) else len(levels)
        while starts[place] + memory.index < end:
            if must_stop(memory):
                return
            state = game.indexed_state(number, memory.index)
            if game.state_class(state) == number and game.state_index(state) == memory.index:
                memory.fault = fault_of(game, state, numbers, starts, first, utilities, levels, plies, friends)
                if memory.fault != 0:
                    return
                memory.done += 1
            memory.index += 1
        memory.index = 0
        memory.place += 1


@kernel
def place_in(game: Any, state: Any, numbers: Any, starts: Any, levels: Any) -> int:
    """The place of a state among all levels; -1 if it is not there."""
    place, index = place_of(numbers, game.state_class(state)), game.state_index(state)
    if place < 0 or index < 0:
        return -1
    at = starts[place] + index
    end = starts[place + 1] if place + 1 < len(starts) else len(levels)
    return int(at) if at < end and levels[at] != UNKNOWN else -1


@kernel
def value_of(
    game: Any, state: Any, at: int, numbers: Any, first: Any, utilities: Any, levels: Any, friends: int
) -> float:
    """The value of a state for player 0."""
    value = utilities[first[place_of(numbers, game.state_class(state))] + levels[at]]
    return float(value if friends >> viewer(game, state) & 1 else 2 * balance(game) - value)


@kernel
def fault_of(
    game: Any, state: Any, numbers: Any, starts: Any, first: Any, utilities: Any, levels: Any, plies: Any, friends: int
) -> int:
    """What is wrong with a state; 0 if nothing is."""
    draw, at = balance(game), place_in(game, state, numbers, starts, levels)
    if at < 0:
        return OUTSIDE
    value, away = value_of(game, state, at, numbers, first, utilities, levels, friends), int(plies[at])
    if game.is_terminal(state):
        return 0 if game.utility(state, 0) == value and (away == 0 or value == draw) else UTILITY
    is_friend = friends >> game.to_move(state) & 1
    best, least, most, found = 0.0, 0, 0, False
    for action in legal_actions(game, state):
        child = game.result(state, action)
        there = place_in(game, child, numbers, starts, levels)
        if there < 0:
            return OUTSIDE
        after, ply = value_of(game, child, there, numbers, first, utilities, levels, friends), int(plies[there])
        if not found or (after > best if is_friend else after < best):
            best, least, most, found = after, ply, ply, True
        elif after == best:
            least, most = min(least, ply), max(most, ply)
    if not found or best != value:
        return VALUE
    gains = value > draw if is_friend else value < draw
    return 0 if value == draw or away == 1 + (least if gains else most) else PLIES
