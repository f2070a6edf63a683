"""Which action to try first: a list of actions with a number for each that says how promising it looks.

The table's action comes first. The others go by the game's `order`; of equals, what cut off in the same ply elsewhere
(killers, Akl & Newborn 1977), what refuted the opponent's last action before (countermove, Uiterwijk 1992), and what
has cut off most often and deepest anywhere (history, Schaeffer 1989).
"""

from typing import Any

import numpy as np

from outplay.compile.kernels import kernel
from outplay.engine import path
from outplay.engine.table import NO_ACTION, fetch
from outplay.engine.workspace import (
    ACTIONS,
    BY_ROOM,
    COUNTERS,
    HINTED,
    HISTORY,
    KILLERS,
    PATH,
    STACK,
    STACK_SIZE,
    TABLE_MASK,
    WHY,
)
from outplay.rules.game import candidate_actions, defines, legal_actions
from outplay.rules.keys import state_key

CELLS = 2
"""What a listed action takes: the action; its order, with its number below, so that of equals the first is greater."""
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
    """List the actions to search from `memory[base]` on; where the list ends.

    Numbers go by the order in which the rules list actions: `first` is the number of the table's action. With `only`
    that action alone is listed, as soon as the rules come to it; with `only = ALL` every action is.
    """
    # 1. What there is. Little is done in these loops, as rules may be compiled into each of them.
    end, room = base, STACK + STACK_SIZE - CELLS
    if techniques.hints and defines(game, "candidates") and memory[HINTED]:
        for number, action in enumerate(candidate_actions(game, state)):
            if end <= room and (only < 0 or number == only):
                memory[end], memory[end + 1] = action, number
                end += CELLS
            if number == only:
                break
    else:
        for number, action in enumerate(legal_actions(game, state)):
            if end <= room and (only < 0 or number == only):
                memory[end], memory[end + 1] = action, number
                end += CELLS
            if number == only:
                break
    if end > room:
        memory[WHY] = BY_ROOM

    # 2. How promising it is.
    killer = second = counter = 0
    if techniques.killers:
        killer, second = memory[KILLERS + 2 * ply], memory[KILLERS + 2 * ply + 1]
    if techniques.countermoves:
        counter = memory[counter_cell(player, memory[PATH + path.CELLS * ply + path.ACTION])]
    for here in range(base, end, CELLS):
        action, number, order = memory[here], memory[here + 1], 0
        if techniques.prefetch:
            fetch(table, memory[TABLE_MASK], state_key(game, game.result(state, action)))
        if techniques.history_heuristic:
            order = memory[history_cell(player, action)]
        if techniques.countermoves and action + 1 == counter:
            order += COUNTERMOVE
        if techniques.killers and (action + 1 == killer or action + 1 == second):
            order += KILLER
        if techniques.order and defines(game, "order"):
            order += in_order(game.order(state, action))
        if techniques.order and number == first:
            order = FIRST
        memory[here + 1] = order << 10 | NO_ACTION - min(number, NO_ACTION)
    return end


def in_order(order: float) -> int:
    """The game's `order` in the upper bits of an int, as the pattern of a short float, which sorts as floats do."""
    pattern = int(np.float32(abs(order)).view(np.int32))
    return (pattern if order >= 0 else -pattern) << 20


@kernel
def bring_first(memory: Any, here: int, end: int) -> None:
    """Swap the action of the greatest order in `memory[here:end]` to the front; of equal ones, the first listed."""
    first = here
    for other in range(here + CELLS, end, CELLS):
        if memory[other + 1] > memory[first + 1]:
            first = other
    swap(memory, here, first)


@kernel
def swap(memory: Any, here: int, there: int) -> None:
    """Exchange two listed actions."""
    for cell in range(CELLS):
        moved = memory[there + cell]
        memory[there + cell] = memory[here + cell]
        memory[here + cell] = moved


@kernel
def learn(techniques: Any, memory: Any, player: int, action: int, ply: int, depth: int) -> None:
    """Remember that `action` cut off."""
    if techniques.killers:
        killer = KILLERS + 2 * ply
        if memory[killer] != action + 1:
            memory[killer + 1] = memory[killer]
            memory[killer] = action + 1
    if techniques.countermoves:
        memory[counter_cell(player, memory[PATH + path.CELLS * ply + path.ACTION])] = action + 1
    if techniques.history_heuristic:
        cell = history_cell(player, action)
        memory[cell] += min(depth, 64) ** 2
        if memory[cell] > MOST_HISTORY:  # all grow old together
            for each in range(HISTORY, HISTORY + 2 * ACTIONS):
                memory[each] >>= 1


def history_cell(player: int, action: int) -> int:
    """Where the history of an action is kept: how often, and how deep, it cut off."""
    return HISTORY + player * ACTIONS + (action & ACTIONS - 1)


def counter_cell(player: int, action: int) -> int:
    """Where `player`'s answer to `action` is kept, plus 1."""
    return COUNTERS + player * ACTIONS + (action & ACTIONS - 1)
