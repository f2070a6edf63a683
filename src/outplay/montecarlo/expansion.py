"""The expansion of a leaf: into the end of a game, a result known without search, or a node with children."""

import math
from typing import Any

from outplay.compile.kernels import kernel
from outplay.compile.random_numbers import random_below
from outplay.engine.path import last_ply_with_key
from outplay.engine.stopping import BROKEN_TABLE, NO_LEGAL_ACTION
from outplay.montecarlo.tree import ROOT
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import CHANCE, candidate_actions, defines, legal_actions
from outplay.rules.keys import state_key
from outplay.tables.probe import BROKEN, HIT, probe_table


@kernel
def reward_with_utilities(game: Any, techniques: Any, state: Any, numbers: Any) -> None:
    """Set the rewards of the simulation to the utilities of a terminal state."""
    for share in range(techniques.shares):
        numbers.rewards[share] = game.utility(state, share) - draw_utility(game)


@kernel
def has_forced_result(game: Any, state: Any, numbers: Any) -> bool:
    """Whether the game's `forced_result` knows the result; if so, set the rewards of the simulation to it."""
    if defines(game, "forced_result"):
        utility, plies = game.forced_result(state)
        if plies > 0:
            utility -= draw_utility(game)
            numbers.rewards[0] = utility if game.to_move(state) == 0 else -utility
            return True
    return False


@kernel
def is_in_table(game: Any, techniques: Any, state: Any, memory: Any, numbers: Any) -> bool:
    """Whether the table knows `state`; if so, set the rewards of the simulation to its value."""
    answer = probe_table(game, techniques, state, memory.probe)
    if answer == BROKEN:
        memory.why = BROKEN_TABLE
    if answer != HIT:
        return False
    numbers.rewards[0] = memory.probe.value
    return True


@kernel
def close(techniques: Any, tree: Any, node: int, numbers: Any) -> None:
    """Set the bounds of `node` to the rewards of the simulation: its value is proved."""
    for share in range(techniques.shares):
        tree.low[techniques.shares * node + share] = numbers.rewards[share]
        tree.high[techniques.shares * node + share] = numbers.rewards[share]


@kernel
def expand(
    game: Any, techniques: Any, state: Any, node: int, ply: int, tree: Any, memory: Any, numbers: Any, random: Any
) -> bool:
    """Give `node` its children. Return False if there is no room for them, or if there are none."""
    mover, entry, key = game.to_move(state), 0, 0
    if techniques.transpositions:
        key = state_key(game, state)
        entry = 2 * (key & memory.table_mask)
        children = tree.table[entry + 1]
        if children > 0 and tree.table[entry] ^ children == key:
            tree.num_children[node] = children & 0xFFFF
            tree.first_child[node] = children >> 16
            return True
    first = end = memory.next
    if techniques.hints and node != ROOT and mover != CHANCE:
        for action in candidate_actions(game, state):
            end = add_child(game, techniques, state, mover, action, end, tree, memory, numbers)
    else:
        for action in legal_actions(game, state):
            if techniques.repetition == "forbidden" and is_repeated(game, game.result(state, action), ply, memory):
                continue
            end = add_child(game, techniques, state, mover, action, end, tree, memory, numbers)
    if end > memory.end:
        memory.full = 1
        return False
    if end == first:
        memory.why = NO_LEGAL_ACTION
        return False
    if mover != CHANCE:
        shuffle(techniques, first, end, tree, random)
        if techniques.prior:
            if techniques.sorts:
                sort(first, end, tree)
            if techniques.looks_ahead:
                soften(first, end, tree, numbers)
            else:
                weigh(techniques, first, end, tree)
    memory.next = end
    tree.num_children[node] = end - first
    tree.first_child[node] = first  # last, so that another thread sees a whole node
    if techniques.transpositions:
        children = first << 16 | (end - first)
        tree.table[entry] = key ^ children  # so that a half written by another thread shows (Hyatt & Mann 2002)
        tree.table[entry + 1] = children
    return True


@kernel
def is_repeated(game: Any, child: Any, ply: int, memory: Any) -> bool:
    """Whether `child`, which follows the state at `ply`, is already on the path."""
    return last_ply_with_key(memory, memory.root_ply + ply + 1, state_key(game, child)) >= 0


@kernel
def is_stuck(game: Any, state: Any, ply: int, memory: Any) -> bool:
    """Whether `state` has actions, but all are forbidden because they repeat a state."""
    number = 0
    for action in legal_actions(game, state):
        number += 1
        if not is_repeated(game, game.result(state, action), ply, memory):
            return False
    return number > 0


@kernel
def add_child(
    game: Any, techniques: Any, state: Any, mover: int, action: int, place: int, tree: Any, memory: Any, numbers: Any
) -> int:
    """Write a child for `action` at `place`, if there is room for it. Return the next place."""
    if place >= memory.end:
        return place + 1
    tree.first_child[place] = 0
    tree.action[place] = action
    tree.visits[place] = 0
    for share in range(techniques.shares * place, techniques.shares * (place + 1)):
        tree.value_sum[share] = 0.0
        if techniques.solver:
            tree.low[share] = numbers.least if not techniques.ranged else -1e300
            tree.high[share] = numbers.greatest if not techniques.ranged else 1e300
    if techniques.prior:
        tree.prior[place] = 1.0
        if techniques.chance and mover == CHANCE:
            tree.prior[place] = game.probability(state, action)
        elif techniques.looks_ahead:
            tree.prior[place] = looked_ahead(game, game.result(state, action), mover)
        elif techniques.sorts:
            tree.prior[place] = game.order(state, action)
    if techniques.selection == "ucb1-tuned":
        tree.square_sum[place] = 0.0
    if techniques.rave:
        tree.amaf_visits[place] = 0
        tree.amaf_total[place] = 0.0
    return place + 1


@kernel
def looked_ahead(game: Any, child: Any, player: int) -> float:
    """The utility of `player` in `child` if the game is over there, else the estimate of it."""
    return game.utility(child, player) if game.is_terminal(child) else game.evaluate(child, player)  # type: ignore[no-any-return]


@kernel
def shuffle(techniques: Any, first: int, end: int, tree: Any, random: Any) -> None:
    """Shuffle the new children, which have only actions and priors yet; all orders are equally likely."""
    for child in range(end - 1, first, -1):
        partner = first + random_below(random, child - first + 1)
        action = tree.action[child]
        tree.action[child] = tree.action[partner]
        tree.action[partner] = action
        if techniques.prior:
            prior = tree.prior[child]
            tree.prior[child] = tree.prior[partner]
            tree.prior[partner] = prior


@kernel
def sort(first: int, end: int, tree: Any) -> None:
    """Sort the children by prior, the greatest first; equal ones keep their order."""
    for start in range(first + 1, end):
        prior, action, place = tree.prior[start], tree.action[start], start
        while place > first and tree.prior[place - 1] < prior:
            tree.prior[place] = tree.prior[place - 1]
            tree.action[place] = tree.action[place - 1]
            place -= 1
        tree.prior[place] = prior
        tree.action[place] = action


@kernel
def weigh(techniques: Any, first: int, end: int, tree: Any) -> None:
    """Turn the priors of sorted children into probabilities proportional to 1, 1/2, 1/3, …; equal priors stay equal."""
    whole, weight, before = 0.0, 1.0, tree.prior[first]
    for child in range(first, end):
        if tree.prior[child] != before:
            before = tree.prior[child]
            weight = 1.0 / (child - first + 1)
        tree.prior[child] = weight
        whole += weight
    for child in range(first, end):
        tree.prior[child] /= whole


@kernel
def soften(first: int, end: int, tree: Any, numbers: Any) -> None:
    """Turn the values of sorted children into probabilities: their softmax at a temperature in units of the width."""
    unit = numbers.width if numbers.width > 0 else numbers.greatest - numbers.least
    highest, whole = tree.prior[first], 0.0
    for child in range(first, end):
        below = highest - tree.prior[child]
        tree.prior[child] = math.exp(-below / (numbers.temperature * unit)) if below > 0 and unit > 0 else 1.0
        whole += tree.prior[child]
    for child in range(first, end):
        tree.prior[child] /= whole
