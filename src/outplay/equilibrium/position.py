"""What a strategy is worth at one place of the game: an information set, or a node at which chance moves."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.equilibrium.tree import GameTree
from outplay.rules.game import CHANCE
from outplay.rules.keys import information_key, state_key

NEVER = 1e-9
"""A place that is reached with at most this probability is not reached."""

Floats = NDArray[np.float64]


class Place(NamedTuple):
    """A place of a game, and what a strategy does there.

    Attributes:
        actions: the actions there, or the outcomes of chance.
        probabilities: float64 [actions].
        values: float64 [actions, players]: the expected utilities after each.
        reached: whether the other players and chance let play get there.
    """

    actions: list[int]
    probabilities: Floats
    values: Floats
    reached: bool


def place_of(
    tree: GameTree, state: Any, previous_states: Sequence[Any], behaviour: Floats, beliefs: Floats
) -> Place | None:
    """Return the place of `state` in a tree, None if it is not there.

    Args:
        tree: the tree.
        state: the state, in which a player or chance is to move.
        previous_states: the states before it, from the initial state on; they are used only if chance is to move.
        behaviour: the probability of each sequence's last action from there on: float64 [sequences].
        beliefs: the same for the way to the place.
    """
    mover = int(tree.game.to_move(state))
    if mover == CHANCE:
        node = node_of(tree, [*previous_states, state])
        nodes, weights, is_reached = np.array([node] if node is not None else [], np.int64), np.ones(1), True
    else:
        sets = np.flatnonzero(tree.key == information_key(tree.game, state, mover))
        nodes = np.flatnonzero(np.isin(tree.information, sets) & (tree.player == mover))
        weights = reach(tree, beliefs, but=mover)[nodes]
        is_reached = bool(weights.sum() > NEVER)
    if not len(nodes):
        return None
    values, step = expected_utilities(tree, behaviour), steps(tree, behaviour)
    children = [np.flatnonzero(tree.parent == node) for node in nodes]
    actions = [int(action) for action in tree.action[children[0]]]
    weights = weights / weights.sum() if weights.sum() > 0 else np.full(len(nodes), 1 / len(nodes))
    after = np.zeros((len(actions), tree.players))
    for weight, child in zip(weights, children, strict=True):
        order = [actions.index(int(action)) for action in tree.action[child]]
        after[order] += weight * values[child]
    return Place(actions, step[children[0]], after, is_reached)


def node_of(tree: GameTree, states: Sequence[Any]) -> int | None:
    """Return the node at the end of a line of states from the initial one on; None if there is none."""
    game, node, now = tree.game, 0, tree.game.initial_state()
    if state_key(game, states[0]) != state_key(game, now):
        return None
    for state in states[1:]:
        key = state_key(game, state)
        for child in np.flatnonzero(tree.parent == node):
            after = game.result(now, int(tree.action[child]))
            if state_key(game, after) == key:
                node, now = int(child), after
                break
        else:
            return None
    return node


def steps(tree: GameTree, behaviour: Floats) -> Floats:
    """Return the probability of the action that leads to each node: float64 [nodes], 1 at the root."""
    children = np.argsort(tree.parent[1:], kind="stable") + 1
    parents = tree.parent[children]
    at = np.arange(len(children))
    number = at - np.maximum.accumulate(np.where(np.diff(parents, prepend=-1) != 0, at, 0))  # among its siblings
    step = tree.chance.copy()
    mine = tree.information[parents] >= 0
    children, sets = children[mine], tree.information[parents[mine]]
    sequences = tree.first[sets] + np.minimum(number[mine], tree.number[sets] - 1)
    for wrong in np.flatnonzero(tree.sequence_action[sequences] != tree.action[children]):  # in another order
        first = int(tree.first[sets[wrong]])
        sequences[wrong] = first + tree.actions(int(sets[wrong])).index(int(tree.action[children[wrong]]))
    step[children] = behaviour[sequences]
    return step


def depths(tree: GameTree) -> NDArray[np.int64]:
    """Return the number of actions before each node: int64 [nodes]."""
    depth = [0] * tree.nodes
    for node, parent in enumerate(tree.parent[1:].tolist(), start=1):
        depth[node] = depth[parent] + 1
    return np.array(depth)


def reach(tree: GameTree, behaviour: Floats, *, but: int) -> Floats:
    """Return the probability of the way to each node that chance and all players `but` one decide."""
    step = np.where(tree.player[tree.parent] != but, steps(tree, behaviour), 1.0)
    likely = step.tolist()
    for node, parent in enumerate(tree.parent[1:].tolist(), start=1):
        likely[node] *= likely[parent]
    return np.array(likely)


def expected_utilities(tree: GameTree, behaviour: Floats) -> Floats:
    """Return the expected utilities from each node on: float64 [nodes, players]."""
    values, step, depth = np.zeros((tree.nodes, tree.players)), steps(tree, behaviour), depths(tree)
    values[tree.end_node] = tree.utilities
    order = np.argsort(depth, kind="stable")
    for nodes in np.split(order, np.flatnonzero(np.diff(depth[order])) + 1)[:0:-1]:
        np.add.at(values, tree.parent[nodes], step[nodes, None] * values[nodes])
    return values
