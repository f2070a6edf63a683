"""The tree that recorded simulations have grown, as text and as a picture."""

from dataclasses import dataclass, field
from typing import Any

from outplay.engine.recording import Recording
from outplay.engine.trace_drawing import aligned
from outplay.engine.trace_picture import draw_state
from outplay.pictures import tree
from outplay.rules.constant_sum import has_constant_sum
from outplay.rules.game import CHANCE, Game

MAX_LINES = 100
"""The maximum number of nodes of a tree as text, if no depth is given."""
MAX_NODES = 100
"""The maximum number of nodes of a picture, if no depth is given."""


@dataclass(eq=False)
class PathNode:
    """A node of the tree, reached by a path of actions.

    Attributes:
        name: the action that leads here.
        state: its state.
        player: the player to move, or `CHANCE`; None if the game is over.
        chooser: the player who chose that action; `CHANCE` at the root as well.
        ply: the number of actions from the root.
        visits: the number of simulations through it.
        totals: the sums of the utilities of the players over these.
        children: its children that were visited, by action.
        number_of_children: the number of its children, if it has any.
    """

    name: str
    state: Any
    player: int | None
    chooser: int
    ply: int
    totals: list[float]
    visits: int = 0
    children: dict[int, "PathNode"] = field(default_factory=dict)
    number_of_children: int = 0

    @property
    def total(self) -> float:
        """w: the sum of the utilities of the player who chose this node; of player 0 if chance did."""
        return self.totals[max(self.chooser, 0)]

    def ratio(self) -> str:
        """w/n, as in textbooks."""
        return f"{self.total:.4g}/{self.visits}".replace("-", "−")


def grow(game: Game, root: PathNode, simulation: Any) -> list[PathNode]:
    """Add a simulation to the tree. Return the nodes on its path, from the root on."""
    path, node = [root], root
    for ply, selection in enumerate(simulation.path):
        node.number_of_children = len(selection.options)
        option = selection.option
        child = node.children.get(option.action)
        if child is None:
            is_leaf = ply == len(simulation.path) - 1
            state = simulation.state if is_leaf else simulation.path[ply + 1].state
            player = None if game.is_terminal(state) else int(game.to_move(state))
            child = PathNode(option.name, state, player, selection.player, ply + 1, [0.0] * game.players)
            node.children[option.action] = child
        node = child
        path.append(node)
    for node in path:
        node.visits += 1
        node.totals = [a + b for a, b in zip(node.totals, simulation.rewards, strict=True)]
    return path


def new_root(game: Game, state: Any) -> PathNode:
    """A tree without simulations."""
    return PathNode("", state, int(game.to_move(state)), CHANCE, 0, [0.0] * game.players)


class RecordedTree:
    """The tree after the first `number` simulations from `state`, which select by `formula`."""

    def __init__(self, recording: Recording, state: Any, formula: str, number: int) -> None:
        self.recording, self.game, self.formula, self.number = recording, recording.game, formula, number
        self.root = new_root(recording.game, state)
        for simulation in recording[:number]:
            grow(self.game, self.root, simulation)

    def title(self) -> str:
        """Which search this is, and its formula."""
        later = len(self.recording) + self.recording.dropped - self.number
        of = f" of {self.number + later:,}" if later else ""
        return f"{self.recording.method}, {self.number:,}{of} simulations"

    def text(self, plies: int | None) -> str:
        """The tree as text: the most visited nodes, or all down to `plies` plies."""
        nodes_shown, hidden = self._choice(plies, MAX_LINES)
        rows: list[tuple[str, ...]] = [(self.title(), "n", "w", "w/n")]
        root = self.root
        mean = f"{root.total / root.visits:.3f}"
        rows.append((self._mover(root), str(root.visits), f"{root.total:.4g}", mean))
        self._add(root, "", rows, nodes_shown)
        lines = [aligned(rows), f"selected by {self.formula}"]
        lines.append("w: the sum of the utilities of the player who chose the node; at the root, of player 0")
        if hidden:
            lines.append(f"{hidden:,} less visited nodes are not shown")
        return "\n".join(lines)

    def _add(self, node: PathNode, margin: str, rows: list[Any], nodes_shown: set[PathNode]) -> None:
        children = [child for child in self._sorted(node) if child in nodes_shown]
        for child in children:
            last = child is children[-1]
            mover = self._mover(child)
            label = f"{margin}{'└─' if last else '├─'} {child.name}{': ' if mover else ''}{mover}"
            rows.append((label, str(child.visits), f"{child.total:.4g}", f"{child.total / child.visits:.3f}"))
            self._add(child, margin + ("   " if last else "│  "), rows, nodes_shown)

    def picture(self, plies: int | None, boards: bool) -> tree.TreePicture:
        """The tree as a picture: the most visited nodes, or all down to `plies` plies."""
        nodes_shown, hidden = self._choice(plies, MAX_NODES)
        hidden_text = f", {hidden:,} nodes not shown" if hidden else ""
        nodes, _ = laid_out(self.game, self.root, nodes_shown, boards)
        return tree.TreePicture(nodes, f"{self.title()}{hidden_text}; {self.formula}")

    def _choice(self, plies: int | None, most: int) -> tuple[set[PathNode], int]:
        """The nodes to be shown, and the number of the others: the most visited, or all down to `plies` plies."""
        nodes = list(_all(self.root))
        if plies is not None:
            nodes_chosen = [node for node in nodes if node.ply <= plies]
        else:
            nodes_chosen = sorted(nodes, key=lambda node: (-node.visits, node.ply))[:most]
        return set(nodes_chosen), len(nodes) - len(nodes_chosen)

    def _sorted(self, node: PathNode) -> list[PathNode]:
        return sorted(node.children.values(), key=lambda child: -child.visits)

    def _mover(self, node: PathNode) -> str:
        return mover_of(self.game, self.root, node)


def mover_of(game: Game, root: PathNode, node: PathNode) -> str:
    """The player to move in words: MAX or MIN for two opposed players, else a number."""
    if node.player is None:
        return ""
    if node.player == CHANCE:
        return "chance"
    if game.players > 2 or not has_constant_sum(game):
        return f"player {node.player}"
    return "MAX" if node.player == max(root.player or 0, 0) else "MIN"


def laid_out(
    game: Game, root: PathNode, nodes_shown: set[PathNode], boards: bool
) -> tuple[list[tree.Node], dict[PathNode, int]]:
    """The nodes of a picture, each before its children, and the number of each; children in the order of their visits.

    The line of the most visited nodes is bold.
    """
    nodes: list[tree.Node] = []
    numbers: dict[PathNode, int] = {}
    shapes = {"MAX": tree.MAX, "MIN": tree.MIN, "chance": tree.CHANCE, "": tree.END}

    def add(node: PathNode, is_best: bool) -> int:
        number = numbers[node] = len(nodes)
        mover = mover_of(game, root, node)
        lines = [node.ratio()] + [mover] * mover.startswith("player")
        untried = node.number_of_children - len(node.children)
        if untried:
            lines.append(f"{untried} untried")
        share = node.visits / root.visits
        drawn = tree.Node(shapes.get(mover, tree.OTHER), lines, node.name, is_best, share=share)
        if boards:
            draw_state(drawn, game, node.state, node.player)
        nodes.append(drawn)
        children = sorted(node.children.values(), key=lambda child: -child.visits)
        for child in children:
            if child in nodes_shown:
                leads = is_best and child is children[0] and node.player != CHANCE
                drawn.children.append(add(child, leads))
        return number

    add(root, True)
    nodes[0].bold = False
    return nodes, numbers


def _all(node: PathNode) -> Any:
    """All nodes of a tree, from the root on."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children.values())
