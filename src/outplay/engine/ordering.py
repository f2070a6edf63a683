"""Move ordering: lists the actions of a state, with a number for each that says how promising it looks.

The table's action comes first. The others are sorted by the game's `order`. Ties are broken by, in this order: actions
that caused a cutoff at the same ply elsewhere (killers, Akl & Newborn 1977), the action that last refuted the
opponent's last action (countermove, Uiterwijk 1992), and the actions that have caused the most and deepest cutoffs
anywhere (history, Schaeffer 1989).
"""

from typing import Any

import numpy as np

from outplay.compile.kernels import inlined, kernel
from outplay.engine.stopping import STACK_FULL
from outplay.engine.table import NO_ACTION, fetch
from outplay.engine.workspace import ACTIONS, MAX_LISTED
from outplay.rules.game import candidate_actions, defines, legal_actions
from outplay.rules.keys import state_key

FIRST = 1 << 52
"""The order of the table's action, greater than any other."""
KILLER, COUNTERMOVE, MAX_HISTORY = 1 << 19, 1 << 18, (1 << 18) - 1
"""What a killer and a countermove add to the order, and the maximum of the history; all below the game's order."""
ALL = -1
"""In place of an action's number: every action."""


@kernel
def list_actions(
    game: Any, techniques: Any, state: Any, player: int, ply: int, first: int, only: int, memory: Any, base: int,
    table: Any,
) -> int:  # fmt: skip
    """List the actions to search in `memory.listed`, from index `base` on. Returns the end of the list.

    Actions are numbered in the order in which the rules list them; `first` is the number of the table's action. Only
    the action with number `only` is listed, or every action with `only = ALL`.
    """
    # 1. The actions. These loops do as little as possible, because the rules may be compiled into each of them.
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

    # 2. The order of each action.
    killer = second = counter = 0
    if techniques.killers:
        killer, second = memory.killers[ply, 0], memory.killers[ply, 1]
    if techniques.countermoves:
        counter = memory.countermoves[player, place_of(memory.path.action[ply])]
    for place in range(base, end):
        action, number, order = memory.listed.action[place], memory.listed.order[place], 0
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
        memory.listed.order[place] = order << 10 | NO_ACTION - min(number, NO_ACTION)
    return end


def in_order(order: float) -> int:
    """The game's `order` in the upper bits of an int: the bit pattern of a 32-bit float, which sorts as floats do."""
    pattern = int(np.float32(abs(order)).view(np.int32))
    return (pattern if order >= 0 else -pattern) << 20


@kernel
@inlined
def bring_first(memory: Any, start: int, end: int) -> None:
    """Swap the action with the greatest order between `start` and `end` to `start`; of equal ones, the first listed."""
    first = start
    for other in range(start + 1, end):
        if memory.listed.order[other] > memory.listed.order[first]:
            first = other
    swap(memory, start, first)


@kernel
def swap(memory: Any, here: int, there: int) -> None:
    """Swap two listed actions."""
    action, order = memory.listed.action[there], memory.listed.order[there]
    memory.listed.action[there], memory.listed.order[there] = memory.listed.action[here], memory.listed.order[here]
    memory.listed.action[here], memory.listed.order[here] = action, order


@kernel
def learn(techniques: Any, memory: Any, player: int, action: int, ply: int, depth: int) -> None:
    """Record that `action` caused a cutoff."""
    if techniques.killers and memory.killers[ply, 0] != action + 1:
        memory.killers[ply, 1] = memory.killers[ply, 0]
        memory.killers[ply, 0] = action + 1
    if techniques.countermoves:
        memory.countermoves[player, place_of(memory.path.action[ply])] = action + 1
    if techniques.history_heuristic:
        memory.history[player, place_of(action)] += min(depth, 64) ** 2
        if memory.history[player, place_of(action)] > MAX_HISTORY:  # halve all
            for index in range(ACTIONS):
                memory.history[0, index] >>= 1
                memory.history[1, index] >>= 1


def place_of(action: int) -> int:
    """The index at which the statistics of an action are kept."""
    return action & ACTIONS - 1
