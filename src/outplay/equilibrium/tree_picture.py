"""The tree of a game with hidden information as a picture, as textbooks draw it.

Nodes of one information set are joined by a dashed line, since the player to move cannot tell them apart. Start at
`tree_picture`; `GameTree.picture` calls it.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from outplay.equilibrium.matrix_picture import number
from outplay.pictures import tree as shapes
from outplay.pictures.tree import Node, TreePicture
from outplay.rules.arguments import is_whole
from outplay.rules.errors import WrongType
from outplay.rules.game import CHANCE

MAX_NODES, LIMIT = 250, 5000
"""The maximum number of nodes of a picture, and of one with a given number of plies."""
MAX_KNOWN = 28
"""The maximum number of characters that tell what a player knows."""
WIDEST = 0.5
"""The width of an edge that is always taken, as a part of the widest one there is."""


@runtime_checkable
class Behaves(Protocol):
    """A `Strategy`."""

    def behaviour(self, tree: Any) -> NDArray[np.float64]:
        """Return the probability of each sequence's last action: float64 [sequences]."""


def tree_picture(tree: Any, names: Sequence[str], strategy: Any = None, plies: int | None = None) -> TreePicture:
    """Return the picture of `tree`, a `GameTree`; see `GameTree.picture`. `names` are those of the players."""
    if strategy is not None and not isinstance(strategy, Behaves):
        raise WrongType(
            f"GameTree.picture({strategy!r:.80}): a Strategy is wanted; solve() of a solver returns one, its .strategy"
        )
    if plies is not None and (not is_whole(plies) or plies < 0):
        raise ValueError(f"GameTree.picture(plies={plies!r}): a whole number, at least 0")
    behaviour = None if strategy is None else strategy.behaviour(tree)
    levels, whole = _levels(tree, plies)
    order = np.sort(np.concatenate(levels))  # in preorder
    place = {int(node): at for at, node in enumerate(order)}
    first_left_out = dict(zip(order.tolist(), [*order[1:].tolist(), tree.nodes], strict=True))
    ends = {int(node): end for end, node in enumerate(tree.end_node.tolist()) if int(node) in place}
    one = tree.players == 2 and not tree.utilities.sum(axis=1).any()
    folded = set() if whole else set(levels[-1].tolist())
    nodes: list[Node] = []
    joined, states = dict[int, list[int]](), dict[int, Any]()
    for node in order.tolist():
        above = int(tree.parent[node])
        state = states[node] = tree.game.initial_state()
        if above >= 0:
            state = states[node] = tree.game.result(states[above], int(tree.action[node]))
        drawn = _node(tree, names, node, state)
        if node in ends:
            drawn.lines = [", ".join(number(value) for value in tree.utilities[ends[node]][: 1 if one else None])]
        elif node in folded:
            drawn.lines = [*drawn.lines, f"{first_left_out[node] - node - 1:,} below"]
        if above >= 0:
            _label(tree, drawn, node, states[above], behaviour)
            nodes[place[above]].children.append(len(nodes))
        if tree.information[node] >= 0:
            joined.setdefault(int(tree.information[node]), []).append(len(nodes))
        nodes.append(drawn)
    title = f"{tree.game!r}, {tree.nodes:,} nodes"
    if not whole:
        title += f", {len(levels) - 1} plies shown"
    return TreePicture(nodes, title + f", utilities of {names[0]}" * one, list(joined.values()))


def shown_nodes(tree: Any, plies: int | None = None) -> list[int]:
    """Return the nodes of `tree` that its picture shows, in the order in which it numbers them."""
    return [int(node) for node in np.sort(np.concatenate(_levels(tree, plies)[0]))]


def _levels(tree: Any, plies: int | None) -> tuple[list[NDArray[np.int64]], bool]:
    """Return the nodes of each ply that is shown, and whether these are all."""
    levels, node_count = [np.zeros(1, np.int64)], 1
    while True:
        below = np.flatnonzero(np.isin(tree.parent, levels[-1]))
        node_count += len(below)
        if not len(below) or len(levels) - 1 == plies:
            return levels, not len(below)
        if plies is None and node_count > MAX_NODES:
            return levels, False
        if node_count > LIMIT:
            raise ValueError(
                f"GameTree.picture(plies={plies}): the picture would have more than {LIMIT:,} nodes; choose fewer plies"
            )
        levels.append(below)


def _node(tree: Any, names: Sequence[str], node: int, state: Any) -> Node:
    """Return a node with its shape and what is known there."""
    player = int(tree.player[node])
    if player == CHANCE:
        return Node(shapes.CHANCE, ["chance"] if node == 0 else [])
    if tree.information[node] < 0:
        return Node(shapes.END)
    shape = (shapes.MAX, shapes.MIN)[player] if tree.players == 2 else shapes.OTHER
    information = " ".join(str(tree.game.information_text(state, player)).split())
    information = information if len(information) <= MAX_KNOWN else f"{information[: MAX_KNOWN - 1]}…"
    colour = shapes.PLAYERS[player] if tree.players == 2 else ""
    return Node(shape, [names[player], *([information] if information else [])], colour=colour)


def _label(tree: Any, drawn: Node, node: int, before: Any, behaviour: NDArray[np.float64] | None) -> None:
    """Write on the edge to a node the action and its probability."""
    above, action = int(tree.parent[node]), int(tree.action[node])
    drawn.edge = str(tree.game.action_name(before, action))
    set_ = int(tree.information[above])
    if set_ < 0:
        drawn.edge += f" {chance_text(float(tree.chance[node]))}"
    elif behaviour is not None:
        likely = float(behaviour[tree.first[set_] + tree.actions(set_).index(action)])
        drawn.edge += f" {number(round(likely, 3))}"
        drawn.share = WIDEST * likely


def chance_text(probability: float) -> str:
    """Return a probability as a simple fraction if it is one.

    >>> chance_text(1 / 3), chance_text(0.123456), chance_text(1.0)
    ('1/3', '0.1235', '1')
    """
    simple = Fraction(probability).limit_denominator(100)
    return str(simple) if abs(float(simple) - probability) < 1e-12 else f"{probability:.4g}"
