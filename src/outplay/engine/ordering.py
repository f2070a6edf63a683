"""Which action to try first: a list of actions with a number for each that says how promising it looks.

The table's action comes first. The others go by the game's `order`; of equals, what cut off in the same ply elsewhere
(killers, Akl & Newborn 1977), what refuted the opponent's last action before (countermove, Uiterwijk 1992), and what
has cut off most often and deepest anywhere (history, Schaeffer 1989).
"""

from typing import Any

import numpy as np

from outplay.compile.kernels import kernel
from outplay.engine.stopping import (
    STACK_FULL,
)
from outplay.engine.table import NO_ACTION, fetch
from outplay.engine.workspace import (
    ACTIONS,
    MAX_LISTED,
)
from outplay.rules.game import candidate_actions, defines, legal_actions
from outplay.rules.keys import state_key

FIRST = 1 << 52
"""The order of the table's action: before all others."""
KILLER, COUNTERMOVE, MOST_HISTORY = 1 << 19, 1 << 18, (1 << 18) - 1
"""Below the game's order: a killer, a countermove, history."""
ALL = -1
"""In place of an action's number."""


@kernel
def list_actions(
    game: Any, techniques: Any, state: Any, player: int, ply: int, first: int, only: int, memory: Any, base: int,
    table: Any,
) -> int:  # fmt: skip
    """List the actions to search from number `base` on; where the list ends.

    Numbers go by the order in which the rules list actions: `first` is the number of the table's action. With `only`
    that action alone is listed, as soon as the rules come to it; with `only = ALL` every action is.
    """
    # 1. What there is. Little is done in these loops, as rules may be compiled into each of them.
    end, room = base, MAX_LISTED - 1
    if techniques.hints and defines(game, "candidates") and memory.hinted:
        for number, action in enumerate(candidate_actions(game, state)):
            if end <= room and (only < 0 or number == only):
                memory.listed.action[end], memory.listed.order[end] = action, number
                end += 1
            if number == only:
                break
    else:
        for number, action in enumerate(legal_actions(game, state)):
            if end <= room and (only < 0 or number == only):
                memory.listed.action[end], memory.listed.order[end] = action, number
                end += 1
            if number == only:
                break
    if end > room:
        memory.why = STACK_FULL

    # 2. How promising it is.
    killer = second = counter = 0
    if techniques.killers:
        killer, second = memory.killers[ply, 0], memory.killers[ply, 1]
    if techniques.countermoves:
        counter = memory.countermoves[player, place_of(memory.path.action[ply])]
    for here in range(base, end):
        action, number, order = memory.listed.action[here], memory.listed.order[here], 0
        if techniques.prefetch:
            fetch(table, memory.table_mask, state_key(game, game.result(state, action)))
        if techniques.history_heuristic:
            order = memory.history[player, place_of(action)]
        if techniques.countermoves and action + 1 == counter:
            order += COUNTERMOVE
        if techniques.killers and (action + 1 == killer or action + 1 == second):
            order += KILLER
        if techniques.order and defines(game, "order"):
            order += in_order(game.order(state, action))
        if techniques.order and number == first:
            order = FIRST
        memory.listed.order[here] = order << 10 | NO_ACTION - min(number, NO_ACTION)
    return end


def in_order(order: float) -> int:
    """The game's `order` in the upper bits of an int, as the pattern of a short float, which sorts as floats do."""
    pattern = int(np.float32(abs(order)).view(np.int32))
    return (pattern if order >= 0 else -pattern) << 20


@kernel
def bring_first(memory: Any, here: int, end: int) -> None:
    """Swap the action of the greatest order from `here` up to `end` to the front; of equal ones, the first listed."""
    first = here
    for other in range(here + 1, end):
        if memory.listed.order[other] > memory.listed.order[first]:
            first = other
    swap(memory, here, first)


@kernel
def swap(memory: Any, here: int, there: int) -> None:
    """Exchange two listed actions."""
    action, order = memory.listed.action[there], memory.listed.order[there]
    memory.listed.action[there], memory.listed.order[there] = memory.listed.action[here], memory.listed.order[here]
    memory.listed.action[here], memory.listed.order[here] = action, order


@kernel
def learn(techniques: Any, memory: Any, player: int, action: int, ply: int, depth: int) -> None:
    """Remember that `action` cut off."""
    if techniques.killers and memory.killers[ply, 0] != action + 1:
        memory.killers[ply, 1] = memory.killers[ply, 0]
        memory.killers[ply, 0] = action + 1
    if techniques.countermoves:
        memory.countermoves[player, place_of(memory.path.action[ply])] = action + 1
    if techniques.history_heuristic:
        memory.history[player, place_of(action)] += min(depth, 64) ** 2
        if memory.history[player, place_of(action)] > MOST_HISTORY:  # all grow old together
            for each in range(ACTIONS):
                memory.history[0, each] >>= 1
                memory.history[1, each] >>= 1


def place_of(action: int) -> int:
    """Where statistics of an action are kept."""
    return action & ACTIONS - 1
