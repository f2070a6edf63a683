"""One simulation of information-set Monte Carlo tree search: determinize, select, play out, backpropagate.

    UCB1 with availability    w/n + c √(ln m / n)                   Cowling, Powley & Whitehouse 2012

w is the sum of the player to move's utilities over the n simulations that took the action, m the number of simulations
that reached the information set when the action was legal: a bandit of which only some arms can be pulled each time.
Actions that have never been taken come first, in random order.
"""

import math
from dataclasses import dataclass
from typing import Any

from outplay.compile.kernels import kernel, pointer, pointers, unpack
from outplay.compile.random_numbers import random_below
from outplay.engine.stopping import NO_LEGAL_ACTION
from outplay.engine.workspace import PLIES, must_stop
from outplay.information_sets.determinize import look_alike, view_key
from outplay.information_sets.table import action_of, set_of
from outplay.montecarlo.options import MCTSOptions
from outplay.montecarlo.playouts import play_out, random_outcome
from outplay.montecarlo.simulation import update_reward_range
from outplay.rules.game import CHANCE, legal_actions


@dataclass(frozen=True)
class ISMCTSOptions(MCTSOptions):
    """The options of `ISMCTS` for one game. Of those of `MCTS`, only the ones about playouts and utilities are used."""

    single: bool = False
    """Whether all information sets are those of the searching player, rather than of the player to move there."""


@kernel
def simulate_many(
    game: Any, techniques: Any, packed: Any, index: int, number: int, table: Any, trail: Any, memory: Any,
    numbers: Any, random: Any,
) -> None:  # fmt: skip
    """Run `number` simulations for the player to move in packed state `index`, or until there is a reason to stop."""
    state = unpack(game, packed, index)
    player = game.to_move(state)
    key = view_key(game, state, player, player)
    records, steps, cells, reals, dice = (
        pointers(table),
        pointer(trail),
        pointer(memory),
        pointer(numbers),
        pointer(random),
    )
    cells.root_set = set_of(records, cells.table_mask, key, cells)
    for _ in range(number):
        if must_stop(cells):
            break
        world = look_alike(game, state, player, key, steps, cells, dice)
        if cells.why == 0:
            simulate(game, techniques, world, player, records, cells, reals, dice)


@kernel
def simulate(
    game: Any, techniques: Any, state: Any, observer: int, table: Any, memory: Any, numbers: Any, random: Any
) -> None:
    """Run one simulation from `state`, which looks to `observer` like the true state."""
    ply, last, inside = 0, -1, True

    # 1. Selection: down to the first action that no simulation has taken before.
    while inside and ply < PLIES and not game.is_terminal(state):
        mover = game.to_move(state)
        if techniques.chance and mover == CHANCE:
            last = random_outcome(game, state, random)
        else:
            record = select(game, techniques, state, mover, observer, table, memory, numbers, random)
            if record == 0:
                break
            memory.visited[ply], memory.movers[ply] = record, mover
            ply += 1
            inside = table.visits[record] > 0
            last = table.label[record]
        state = game.result(state, last)
        memory.nodes += 1

    # 2. Playout.
    if memory.why == 0:
        memory.simulations += 1
        memory.deepest_ply = max(memory.deepest_ply, ply)
        play_out(game, techniques, state, last, memory, numbers, random)

    # 3. Backpropagation, to each action on the path.
    if memory.why == 0:
        if techniques.ranged or techniques.spread:
            update_reward_range(techniques, memory, numbers)
        for step in range(ply):
            record = memory.visited[step]
            table.visits[record] += 1
            for share in range(techniques.shares):
                table.value_sum[techniques.shares * record + share] += numbers.rewards[share]


@kernel
def select(
    game: Any, techniques: Any, state: Any, mover: int, observer: int, table: Any, memory: Any, numbers: Any,
    random: Any,
) -> int:  # fmt: skip
    """The record of the action to take in `state`; 0 if the table is full."""
    viewer = observer if techniques.single else mover
    node = set_of(table, memory.table_mask, view_key(game, state, viewer, mover), memory)
    if node == 0:
        return 0
    record, best, greatest, untried = node, 0, 0.0, 0
    width = numbers.exploration * numbers.width
    for action in legal_actions(game, state):
        record = action_of(table, node, record, action, memory)
        if record == 0:
            return 0
        table.available[record] += 1
        visits = table.visits[record]
        if visits == 0:
            untried += 1
            if random_below(random, untried) == 0:  # all equally likely
                best = record
        elif untried == 0:
            worth = mean(techniques, table, record, mover)
            worth += width * math.sqrt(math.log(table.available[record]) / visits)
            if best == 0 or worth > greatest:
                best, greatest = record, worth
    if best == 0:
        memory.why = NO_LEGAL_ACTION
    return best


@kernel
def mean(techniques: Any, table: Any, record: int, player: int) -> float:
    """The mean reward of `player` over the simulations that took the action."""
    place = techniques.shares * record
    if techniques.shares > 1:
        return table.value_sum[place + player] / table.visits[record]  # type: ignore[no-any-return]
    value = table.value_sum[place] / table.visits[record]
    return value if player == 0 else -value  # type: ignore[no-any-return]
