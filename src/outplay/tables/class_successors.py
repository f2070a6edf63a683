"""What solved classes say of the successors of a state, in kernels."""

from typing import Any

from outplay.compile.kernels import kernel
from outplay.rules.constant_sum import balance
from outplay.rules.game import defines, legal_actions
from outplay.tables.class_blocks import NOWHERE, place_in, place_of
from outplay.tables.class_expansion import UNKNOWN, begins_anew, may_end_early, points_of, stage_of, viewer
from outplay.tables.verdict import CONVERSION, EARLY, OUTSIDE, VALUE

UNSTORED = -1
"""A successor whose distance is not in the file, as it is the other side's turn there too (`one_sided.py`)."""
FIELDS = (
    ("needed", int),  # a class that is not there, or -1
    ("block", int),  # a block that is not in memory, or -1
    ("converts", int),  # 1: distances count to the next conversion
    ("home", int),  # the class of the state
    ("one_sided", int),  # 1: this class has the distances of one side only
    ("has_stages", int),  # 1: an action within the class is a conversion
)
"""The fields of the memory."""


@kernel
def is_other_side(game: Any, state: Any, friends: int) -> bool:
    """Whether the side to move is not the one from whose side the state is numbered; not at the end of the game."""
    return not game.is_terminal(state) and bool(
        friends >> game.to_move(state) & 1 != friends >> viewer(game, state) & 1
    )


@kernel
def has_stage(game: Any, number: int, index: int, stage: int) -> bool:
    """Whether the state that an index stands for is at this stage."""
    if defines(game, "index_stage"):
        return bool(game.index_stage(game.indexed_state(number, index)) == stage)
    return True


@kernel
def best_after(
    game: Any, state: Any, numbers: Any, sizes: Any, blocks: Any, first: Any, utilities: Any, slots: Any, levels: Any,
    plies: Any, friends: int, memory: Any,
) -> tuple[int, float, int, int]:  # fmt: skip
    """What is wrong with the successors of a state of class `memory.home`, 0 if nothing is; the best value of player 0,
    for the side to move, and the least and the most plies after actions that keep it. Values come on top of
    `index_points`.

    If a class or a block is not there, `memory.needed` or `memory.block` is set instead.
    """
    draw, is_friend, points = balance(game), friends >> game.to_move(state) & 1, points_of(game, state, 0)
    stage = stage_of(game, state) if memory.converts else 0
    best, least, most, found = 0.0, 0, 0, False
    for action in legal_actions(game, state):
        child = game.result(state, action)
        number, index = game.state_class(child), game.state_index(child)
        if number < 0 or index < 0:
            return OUTSIDE, best, least, most
        place = place_of(numbers, number)
        if place < 0:
            memory.needed = number
            return 0, best, least, most
        at = place_in(place, index, sizes, blocks, slots)
        if at < NOWHERE:
            memory.block = NOWHERE - 1 - at
            return 0, best, least, most
        if at == NOWHERE or levels[at] == UNKNOWN:
            return OUTSIDE, best, least, most
        after, ply, counts = utilities[first[place] + levels[at]], int(plies[at]), True
        if memory.converts:
            stage_after = stage_of(game, child) if number == memory.home else stage - 1
            if number == memory.home and (stage_after > stage or not has_stage(game, number, index, stage_after)):
                return CONVERSION, best, least, most
            if stage_after < stage:
                memory.has_stages |= number == memory.home
                if not begins_anew(game, child, number, index):
                    return CONVERSION, best, least, most
                counts = False
        if after == draw or not counts:
            ply = 0
        elif number != memory.home and may_end_early(game, child, ply):
            return EARLY, best, least, most
        elif number == memory.home and memory.one_sided and is_other_side(game, child, friends):
            return UNSTORED, best, least, most
        after = after if friends >> viewer(game, child) & 1 else 2 * draw - after
        after += points_of(game, child, 0) - points
        if not found or (after > best if is_friend else after < best):
            best, least, most, found = after, ply, ply, True
        elif after == best:
            least, most = min(least, ply), max(most, ply)
    return 0 if found else VALUE, best, least, most
