"""A game tree written out, for teaching: every node, who moves there and what the leaves are worth.

In nested lists, MAX (player 0) and MIN (player 1) move in turn, MAX at the root, and a number is a leaf: what MAX
gets and MIN loses. A dict says more about its node, and the forms can be mixed:

    {"player": "max" | "min" | "chance" | 0 | 1 | 2 …,    left out: as in a list
     "children": [node, …],
     "names": ["left", …],                                of the actions; left out: "1", "2", …
     "probabilities": [0.5, …]}                           at chance nodes; left out: all equal
    {"utility": [3, 1, -4]}                               a leaf: what each player gets

Where a node does not say who moves, it is the player after the one who moved last; a chance node moves for nobody.
Nodes are numbered in preorder, each before its children, and a state is the number of a node.
"""

# ruff: noqa: D102 - the rules of every game are documented on `Game`

import json
from collections.abc import Iterator
from math import fsum, isfinite
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from outplay.errors import RulesError
from outplay.game import CHANCE, Game

PLAYERS = {"max": 0, "min": 1, "chance": CHANCE}
KEYS = {"player", "children", "names", "probabilities"}


class Node(NamedTuple):
    """A place in the tree."""

    number: int


class ExplicitTree(Game):
    """The game that `tree` spells out, in nested lists and dicts, or as such a text in JSON.

    >>> game = ExplicitTree([[3, 12], {"player": "chance", "children": [-5, 5], "names": ["tails", "heads"]}])
    >>> print(game.render(game.result(game.initial_state(), 1)))
    MAX
    ├─ 1: MIN
    │  ├─ 1: 3
    │  └─ 2: 12
    └─ 2: chance  <- here
       ├─ tails (0.5): -5
       └─ heads (0.5): 5
    """

    def __init__(self, tree: Any) -> None:
        self.tree = _parsed(tree, "tree") if isinstance(tree, str) else tree
        nodes = _nodes(self.tree)
        payoffs = [node.utility for node in nodes if node.utility]
        self.players = len(payoffs[0])
        _check_players(nodes, self.players)
        self.zero_sum = all(abs(fsum(payoff)) < 1e-9 for payoff in payoffs)
        self.has_chance = any(node.player == CHANCE for node in nodes)
        self.utilities = (min(map(min, payoffs)), max(map(max, payoffs)))

        # The children of all nodes one after the other, those of node i from first[i] to first[i + 1].
        self.parent = np.array([node.parent for node in nodes])  # int64 [nodes]; -1 at the root
        self.child = np.argsort(self.parent, kind="stable")[1:]  # int64 [nodes - 1]
        self.first = np.cumsum([0, *(len(node.children) for node in nodes)])  # int64 [nodes + 1]
        self.names = tuple(name for node in nodes for name in node.names)  # [nodes - 1]
        self.chances = np.array([chance for node in nodes for chance in node.probabilities])  # float64 [nodes - 1]
        self.player = np.array(_movers(nodes, self.players))  # int64 [nodes]
        self.payoff = np.array([node.utility or [0.0] * self.players for node in nodes])  # float64 [nodes, players]

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """The tree in a file of JSON."""
        return cls(_parsed(Path(path).read_text(encoding="utf-8"), str(path)))

    def initial_state(self) -> Node:
        return Node(0)

    def to_move(self, node: Node) -> int:
        return int(self.player[node.number])

    def actions(self, node: Node) -> Iterator[int]:
        for action in range(self.first[node.number + 1] - self.first[node.number]):
            yield action

    def result(self, node: Node, action: int) -> Node:
        return Node(int(self.child[self.first[node.number] + action]))

    def is_terminal(self, node: Node) -> bool:
        return bool(self.first[node.number] == self.first[node.number + 1])

    def utility(self, node: Node, player: int) -> float:
        return float(self.payoff[node.number, player])

    def probability(self, node: Node, action: int) -> float:
        return float(self.chances[self.first[node.number] + action])

    def render(self, node: Node) -> str:
        lines = []
        margins = [""]  # of the lines below each node
        ...

    def action_name(self, node: Node, action: int) -> str:
        return self.names[self.first[node.number] + action]


class Written(NamedTuple):
    """A node as it is written, checked."""

    path: str  # such as tree[1][0]
    parent: int
    player: int | None = None  # None: not said
    children: list[Any] = []
    names: list[str] = []
    probabilities: list[float] = []
    utility: list[float] = []


def _nodes(tree: Any) -> list[Written]:
    """All nodes in preorder; `RulesError` for the first that makes no sense."""
    nodes: list[Written] = []
    waiting = [(tree, "tree", -1)]
    while waiting:
        tree, path, parent = waiting.pop()
        node = _read(tree, path, parent)
        waiting += [(child, f"{path}[{i}]", len(nodes)) for i, child in reversed(list(enumerate(node.children)))]
        nodes.append(node)
    return nodes
