"""One simulation: select, expand, play out, backpropagate."""

import math
from typing import Any

from outplay.compile.kernels import kernel, pointer, pointers, unpack
from outplay.engine.path import put_on_path
from outplay.engine.workspace import ACTIONS, PLIES, must_stop
from outplay.montecarlo.bounds import is_closed, tighten
from outplay.montecarlo.expansion import close, expand, has_forced_result, is_in_table, is_stuck, reward_with_utilities
from outplay.montecarlo.playouts import learn_averages, learn_replies, play_out, write_down
from outplay.montecarlo.recording_kernels import begin_record, end_record
from outplay.montecarlo.selection import note_amaf_node, reward, sample, select
from outplay.montecarlo.tree import MAX_SIMULATED_PLAYERS, ROOT
from outplay.rules.game import CHANCE
from outplay.rules.keys import state_key

SETTLED_EVERY = 256
"""The number of simulations between two checks whether another action can still catch up."""


@kernel
def simulate_many(
    game: Any, techniques: Any, packed: Any, index: int, number: int, tree: Any, memory: Any, numbers: Any, random: Any
) -> None:
    """Run `number` simulations from packed state `index`, or fewer if there is a reason to stop."""
    state = unpack(game, packed, index)
    nodes, cells, reals, dice = pointers(tree), pointer(memory), pointer(numbers), pointer(random)
    for _ in range(number):
        if must_stop(cells) or cells.full == 1 or (techniques.solver and is_closed(techniques, nodes, ROOT)):
            break
        simulate(game, techniques, state, nodes, cells, reals, dice)
        left = cells.max_simulations - cells.simulations
        if cells.early == 1 and left % SETTLED_EVERY == 0 and is_settled(techniques, nodes, cells, reals, left):
            cells.settled = 1
            break


@kernel
def is_settled(techniques: Any, tree: Any, memory: Any, numbers: Any, left: float) -> bool:
    """Whether no other action can have as many visits as the most visited one after `left` more simulations.

    Actions that are proved to lose do not count. If any other value is proved, the answer is no: the means still
    decide then.
    """
    most = second = 0
    mover = memory.movers[0]
    for child in range(tree.first_child[ROOT], tree.first_child[ROOT] + tree.num_children[ROOT]):
        if techniques.solver and is_closed(techniques, tree, child):
            if techniques.shares > 1:
                lost = tree.low[techniques.shares * child + mover] <= numbers.least
            else:
                lost = tree.low[child] <= numbers.least if mover == 0 else tree.high[child] >= numbers.greatest
            if not lost:
                return False
        elif tree.visits[child] > most:
            second, most = most, tree.visits[child]
        else:
            second = max(second, tree.visits[child])
    return most - second > left


@kernel
def simulate(game: Any, techniques: Any, state: Any, tree: Any, memory: Any, numbers: Any, random: Any) -> None:
    """Run one simulation from `state`, the state of the root."""
    if techniques.trace:
        begin_record(memory, random)
    leaf = descend(game, techniques, state, tree, memory, numbers, random)
    if memory.has_rewards == 0 and memory.why == 0:
        play_out(game, techniques, leaf, memory.last, memory, numbers, random)
    if techniques.trace:
        end_record(techniques, memory, numbers)
    if memory.why == 0:
        backpropagate(techniques, tree, memory, numbers)


@kernel
def descend(game: Any, techniques: Any, state: Any, tree: Any, memory: Any, numbers: Any, random: Any) -> Any:
    """Go from `state`, the state of the root, down to a leaf. Return the state of the leaf.

    `memory.has_rewards` is set if the rewards of the simulation are known; if not, the leaf must be played out or
    evaluated.
    """
    node, ply, last = ROOT, 0, -1
    memory.simulations += 1
    memory.length = 0
    memory.stamp += PLIES
    if techniques.grave:
        for player in range(MAX_SIMULATED_PLAYERS):
            memory.references[player, 0] = 0
    memory.has_rewards = memory.changed = 0
    memory.visited[0] = ROOT
    tree.visits[ROOT] += 1  # on the way down, so that threads take different paths (a virtual loss)
    while True:
        # 1. A leaf: its result is known, or it is returned, or it gets children.
        if ply + memory.root_ply >= PLIES - 2:  # with transpositions play may go in circles
            break
        came_back = techniques.repetition != "" and repeats(game, state, ply, memory)
        if tree.first_child[node] == 0:
            if ends(game, techniques, state, ply, came_back, memory, numbers):
                memory.has_rewards = 1
                if techniques.solver:
                    close(techniques, tree, node, numbers)
                    memory.changed = 1
                break
            if node != ROOT and tree.visits[node] == 1 and not techniques.evaluator:
                break
            if not expand(game, techniques, state, node, ply, tree, memory, numbers, random) or techniques.evaluator:
                break
        mover = game.to_move(state)
        memory.movers[ply] = mover

        # 2. Selection: down to a child.
        if techniques.chance and mover == CHANCE:
            child = sample(tree, node, random)
        else:
            if techniques.grave:
                note_amaf_node(tree, node, mover, memory)
            child = select(techniques, tree, node, mover, memory, numbers)
            if child == 0:
                settle(techniques, tree, node, mover, numbers)
                memory.has_rewards = memory.changed = 1
                break
        last = tree.action[child]
        if techniques.remembers:
            write_down(memory, last, mover)
        state = game.result(state, last)
        node = child
        ply += 1
        tree.visits[node] += 1
        memory.visited[ply] = node
    memory.nodes += ply
    memory.deepest_ply = max(memory.deepest_ply, ply)
    memory.ply, memory.last = ply, last
    return state


@kernel
def repeats(game: Any, state: Any, ply: int, memory: Any) -> bool:
    """Put `state` on the path; whether it was there already."""
    return put_on_path(memory, memory.root_ply + ply, state_key(game, state)) >= 0 and ply > 0


@kernel
def ends(game: Any, techniques: Any, state: Any, ply: int, came_back: bool, memory: Any, numbers: Any) -> bool:
    """Whether the result of the game from `state` on is known; if so, set the rewards to it."""
    if game.is_terminal(state):
        memory.leaves += 1
        reward_with_utilities(game, techniques, state, numbers)
        return True
    loser, over = -1, came_back
    if techniques.repetition == "loss" and came_back:
        loser = memory.movers[ply - 1]
    if techniques.repetition == "forbidden":  # then there are no children that repeat
        over = is_stuck(game, state, ply, memory)
        loser = game.to_move(state)
    if techniques.repetition != "" and over:
        memory.leaves += 1
        for share in range(techniques.shares):
            numbers.rewards[share] = loss_of(techniques, share, loser, numbers)
        return True
    if techniques.hints and ply > 0 and has_forced_result(game, state, numbers):
        return True
    if techniques.tablebase != "":
        return ply > 0 and is_in_table(game, techniques, state, memory, numbers)
    return False


@kernel
def loss_of(techniques: Any, player: int, loser: int, numbers: Any) -> float:
    """The utility of `player` if `loser` loses by repetition; a draw if `loser` is negative."""
    if loser < 0:
        return 0.0
    if player == loser:
        return numbers.defeat  # type: ignore[no-any-return]
    return -numbers.defeat / max(1, techniques.shares - 1)  # type: ignore[no-any-return]


@kernel
def settle(techniques: Any, tree: Any, node: int, mover: int, numbers: Any) -> None:
    """Set the rewards to what is proved of the best child of `node`, none of whose children is open."""
    tighten(techniques, tree, node, mover)
    best = node
    if techniques.shares > 1:  # bounds may stay apart where players are indifferent
        best = tree.first_child[node]
        for child in range(best + 1, best + tree.num_children[node]):
            if tree.low[techniques.shares * child + mover] > tree.low[techniques.shares * best + mover]:
                best = child
    for share in range(techniques.shares):
        numbers.rewards[share] = tree.low[techniques.shares * best + share]


@kernel
def update_reward_range(techniques: Any, memory: Any, numbers: Any) -> None:
    """Update the width of utilities with the rewards of the simulation."""
    for share in range(techniques.shares):
        utility = numbers.rewards[share]
        if techniques.ranged:
            numbers.least = min(numbers.least, utility)
            numbers.greatest = max(numbers.greatest, utility)
        if techniques.spread:  # Welford 1962
            count = techniques.shares * (memory.simulations - 1) + share + 1
            away = utility - numbers.mean_reward
            numbers.mean_reward += away / count
            numbers.squares += away * (utility - numbers.mean_reward)
            numbers.width = max(numbers.width, 2 * math.sqrt(numbers.squares / count))
    if not techniques.spread:
        numbers.width = numbers.greatest - numbers.least


@kernel
def learn(techniques: Any, memory: Any, numbers: Any) -> None:
    """Update what playouts and RAVE learn from the actions of the simulation."""
    if techniques.playout == "mast":
        learn_averages(techniques, memory, numbers)
    if techniques.playout == "replies":
        learn_replies(techniques, memory, numbers, (numbers.least + numbers.greatest) / 2)
    if techniques.rave:
        for index in range(memory.length):
            player = memory.played_by[index]
            if player >= 0:
                memory.marks[player, memory.played[index] & (ACTIONS - 1)] = memory.stamp + index


@kernel
def backpropagate(techniques: Any, tree: Any, memory: Any, numbers: Any) -> None:
    """Add the rewards of the simulation to each node on its path, from the last to the root.

    With `clamp`, the proved bounds of a node limit the rewards that it gets and passes on.
    """
    if techniques.ranged or techniques.spread:
        update_reward_range(techniques, memory, numbers)
    learn(techniques, memory, numbers)
    plies, changed = memory.ply, memory.changed == 1  # changed: the bounds of the last node are new
    for ply in range(plies, -1, -1):
        node = memory.visited[ply]
        if techniques.solver and changed and ply < plies:
            changed = tighten(techniques, tree, node, memory.movers[ply])
        if techniques.rave and ply < plies:
            add_amaf(techniques, tree, node, memory.movers[ply], memory.stamp + ply, memory, numbers)
        for share in range(techniques.shares):
            place = techniques.shares * node + share
            if techniques.clamp:
                clamped = min(max(numbers.rewards[share], tree.low[place]), tree.high[place])
                numbers.rewards[share] = clamped
            tree.value_sum[place] += numbers.rewards[share]
        if techniques.selection == "ucb1-tuned" and ply > 0:  # of the clamped rewards, to match their mean
            tree.square_sum[node] += reward(techniques, numbers, memory.movers[ply - 1]) ** 2


@kernel
def add_amaf(techniques: Any, tree: Any, node: int, mover: int, since: int, memory: Any, numbers: Any) -> None:
    """All moves as first: count the reward also for each child whose action was taken now or later."""
    if mover < 0:
        return
    brought = reward(techniques, numbers, mover)
    for child in range(tree.first_child[node], tree.first_child[node] + tree.num_children[node]):
        if memory.marks[mover, tree.action[child] & (ACTIONS - 1)] >= since:
            tree.amaf_visits[child] += 1
            tree.amaf_total[child] += brought


# -- a batch of leaves, evaluated together ----------------------------------------------------------------------------


@kernel
def descend_once(
    game: Any, techniques: Any, packed: Any, index: int, tree: Any, memory: Any, numbers: Any, random: Any
) -> Any:
    """`descend` from packed state `index`; if the rewards are known, backpropagate them."""
    nodes, cells, reals = pointers(tree), pointer(memory), pointer(numbers)
    leaf = descend(game, techniques, unpack(game, packed, index), nodes, cells, reals, pointer(random))
    if cells.has_rewards == 1:
        backpropagate(techniques, nodes, cells, reals)
    return leaf


@kernel
def backpropagate_once(game: Any, techniques: Any, tree: Any, memory: Any, numbers: Any) -> None:
    """`backpropagate` an evaluator's values of a leaf."""
    backpropagate(techniques, pointers(tree), pointer(memory), pointer(numbers))
