"""One simulation of information-set Monte Carlo tree search: determinize, select, play out, backpropagate.

    UCB1 with availability    w/n + c √(ln m / n)                   Cowling, Powley & Whitehouse 2012

w is the sum of the player to move's utilities over the n simulations that took the action, m the number of simulations
that reached the information set when the action was legal: a bandit of which only some arms can be pulled each time.
Actions that have never been taken come first, in random order.

Where players choose at once, UCB1 is no good: both choose by the same numbers and explore in step, so that each is
measured against what the other does at the same moment. There *regret matching* draws the action (Hart & Mas-Colell
2000; in tree search Lisý, Kovařík, Lanctot & Bošanský 2013, Lanctot, Lisý & Winands 2014):

    σ(a) = max(0, R(a)) / Σ over b of max(0, R(b)), or equal shares      the plan: what regrets favour
    p(a) = (1 - γ) σ(a) + γ / actions,  γ = m^(-1/4)                     what is drawn; m visits of the set so far
    R(a) += q(a) - Σ over b of p(b) q(b)                                 after a reward x of the drawn action d
    q(a) = w(a)/n(a), and for d besides  (x - w(d)/n(d)) / p(d)          unbiased, and calmer than x / p(d)

The mean of σ over all visits, not the last one, comes close to an equilibrium.
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

FINE = 1 << 30
"""The number of steps of a random number from 0 to 1."""


@dataclass(frozen=True)
class ISMCTSOptions(MCTSOptions):
    """The options of `ISMCTS` for one game. Of those of `MCTS`, only the ones about playouts and utilities are used."""

    regret: bool = False
    """Whether actions are drawn by regret matching, instead of chosen by UCB1."""
    single: bool = False
    """Whether all information sets are those of the searching player, rather than of the player to move there."""


@kernel
def simulate_many(
    game: Any, techniques: Any, packed: Any, index: int, starts: Any, start: int, number: int, table: Any, trail: Any,
    memory: Any, numbers: Any, random: Any,
) -> None:  # fmt: skip
    """Run `number` simulations for the player to move in packed state `index`, or until there is a reason to stop.

    They begin in states that look to that player like number `start` of `starts`, the same state or an earlier one.
    """
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
    first = unpack(game, starts, start)
    view = view_key(game, first, player, game.to_move(first))
    for _ in range(number):
        if must_stop(cells):
            break
        world = look_alike(game, first, player, view, steps, cells, dice)
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
            if techniques.regret:
                record = draw(game, state, mover, ply, table, memory, random)
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
            if techniques.regret:
                update_regrets(techniques, table, memory.sets[step], record, memory.movers[step], numbers)
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
            value = mean(techniques, table, record, mover)
            value += width * math.sqrt(math.log(table.available[record]) / visits)
            if best == 0 or value > greatest:
                best, greatest = record, value
    if best == 0:
        memory.why = NO_LEGAL_ACTION
    return best


@kernel
def draw(game: Any, state: Any, mover: int, ply: int, table: Any, memory: Any, random: Any) -> int:
    """The record of an action drawn by regret matching in `state`; 0 if the table is full."""
    node = set_of(table, memory.table_mask, view_key(game, state, mover, mover), memory)
    if node == 0:
        return 0
    memory.sets[ply] = node
    record, actions = node, 0
    for action in legal_actions(game, state):
        record = action_of(table, node, record, action, memory)
        if record == 0:
            return 0
        table.available[record] += 1
        actions += 1
    if actions == 0:
        memory.why = NO_LEGAL_ACTION
        return 0
    regrets = sum_of_regrets(table, node)
    point = (random_below(random, FINE) + 0.5) / FINE
    drawn, record = 0, table.next[node]
    while record != 0:
        plan = planned(table, record, regrets, actions)
        table.share[record] += plan
        if point >= 0:
            drawn = record
        point -= explored(table, record, plan, actions)
        record = table.next[record]
    return drawn


@kernel
def update_regrets(techniques: Any, table: Any, node: int, drawn: int, mover: int, numbers: Any) -> None:
    """Learn from the rewards of a simulation in which `mover` drew this action at the information set."""
    reward = numbers.rewards[mover] if techniques.shares > 1 else numbers.rewards[0] * (1 if mover == 0 else -1)
    actions, record = 0, table.next[node]
    while record != 0:
        actions += 1
        record = table.next[record]
    regrets, record = sum_of_regrets(table, node), table.next[node]
    expected = 0.0
    while record != 0:
        chance = explored(table, record, planned(table, record, regrets, actions), actions)
        value = mean(techniques, table, record, mover) if table.visits[record] > 0 else 0.0
        expected += chance * value + (reward - value if record == drawn else 0.0)
        record = table.next[record]
    chance = explored(table, drawn, planned(table, drawn, regrets, actions), actions)
    record = table.next[node]
    while record != 0:
        value = mean(techniques, table, record, mover) if table.visits[record] > 0 else 0.0
        table.regret[record] += value + ((reward - value) / chance if record == drawn else 0.0) - expected
        record = table.next[record]


@kernel
def sum_of_regrets(table: Any, node: int) -> float:
    """The sum of the regrets above 0 at an information set."""
    total, record = 0.0, table.next[node]
    while record != 0:
        total += max(table.regret[record], 0.0)
        record = table.next[record]
    return total


@kernel
def planned(table: Any, record: int, regrets: float, actions: int) -> float:
    """The probability that regret matching gives an action; `regrets` is their sum."""
    return max(table.regret[record], 0.0) / regrets if regrets > 0 else 1.0 / actions


@kernel
def explored(table: Any, record: int, plan: float, actions: int) -> float:
    """The probability with which an action is drawn."""
    share = 1.0 / math.sqrt(math.sqrt(table.available[record] + 1.0))
    return (1.0 - share) * plan + share / actions


@kernel
def mean(techniques: Any, table: Any, record: int, player: int) -> float:
    """The mean reward of `player` over the simulations that took the action."""
    place = techniques.shares * record
    if techniques.shares > 1:
        return table.value_sum[place + player] / table.visits[record]  # type: ignore[no-any-return]
    value = table.value_sum[place] / table.visits[record]
    return value if player == 0 else -value  # type: ignore[no-any-return]
