"""A game tree written out, for teaching: every node, who moves there and what the leaves are worth.

In nested lists, MAX (player 0) and MIN (player 1) move in turn, MAX at the root, and a number is a leaf: what MAX
gets and MIN loses. A dict says more about its node, and the forms can be mixed:

    {"player": "max" | "min" | "chance" | 0 | 1 | 2 …,    by default as in a list
     "children": [node, …],
     "names": ["left", …],                                of the actions; by default "1", "2", …
     "probabilities": [0.5, …]}                           at chance nodes; by default all equal
    {"utility": [3, 1, -4]}                               a leaf: what each player gets, or what MAX gets
    {"name": "B", "estimate": 2, …}                       a name for pictures, and what a search takes for the value
                                                          if it looks no deeper; by default 0

If a node does not say who moves, it is the player after the one who moved last; chance nodes do not count as a move.
Nodes are numbered in preorder, each before its children, and a state is the number of a node.
"""

import json
from collections.abc import Sequence
from math import fsum, isfinite
from numbers import Real
from os import PathLike
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, Game
from outplay.rules.wording import enumerated, shown
from outplay.system.files import read_text

PLAYERS = {"max": 0, "min": 1, "chance": CHANCE}
KEYS = {"player", "children", "names", "probabilities", "utility", "name", "estimate"}
MAX_INTERPRETED = 10_000
"""The maximum number of nodes of a tree whose searches are over before they could have been compiled."""


class Node(NamedTuple):
    """A place in the tree."""

    number: int


class ExplicitTree(Game):
    """The game described by `tree`: nested lists and dicts, or the same as text in JSON.

    MAX and MIN move in turn, and a number is a leaf: what MAX gets. A dict says more about a node: `player` ("max",
    "min", "chance" or a number), `children`, their `names` and `probabilities`, `utility` (of a leaf, for each player),
    `name` and `estimate`.

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
        leaves = [node for node in nodes if node.payoff]
        self.players = _players(leaves)
        self.zero_sum = all(abs(fsum(leaf.payoff)) < 1e-9 for leaf in leaves)
        self.constant_sum = None if self.zero_sum or self.players == 1 else _constant_sum(nodes)
        self.has_chance = any(node.player == CHANCE for node in nodes)
        payoffs = [*(leaf.payoff for leaf in leaves), *_estimates(nodes, self.players, self.zero_sum)]
        self.utilities = (min(map(min, payoffs)), max(map(max, payoffs)))
        if self.compiled is None and len(nodes) <= MAX_INTERPRETED:
            self.compiled = False

        # The edges, those of node 0 first: node i has the edges from first[i] to first[i + 1].
        self.parent = np.array([node.parent for node in nodes], np.int64)  # int64 [nodes]; -1 at the root
        self.first = np.cumsum([0, *(len(node.children) for node in nodes)], dtype=np.int64)  # int64 [nodes + 1]
        self.child = np.argsort(self.parent, kind="stable")[1:]  # int64 [edges]: the node an edge leads to
        self.names = tuple(name for node in nodes for name in node.names)  # str [edges]
        self.chances = np.array([chance for node in nodes for chance in node.chances])  # float64 [edges]
        self.player = np.array(_movers(nodes, self.players), np.int64)  # int64 [nodes]; CHANCE at chance nodes
        draw = (self.constant_sum or 0.0) / self.players
        unknown = [min(max(draw, self.utilities[0]), self.utilities[1])] * self.players
        self.payoff = np.array([node.payoff or node.estimate or unknown for node in nodes])  # float64 [nodes, players]
        self.node_names = tuple(node.name for node in nodes)  # str [nodes]

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """The tree in a JSON file. Raises `RulesError` if it cannot be read or is not a tree."""
        tree = _parsed(read_text(path, RulesError), str(path))
        try:
            return cls(tree)
        except RulesError as error:
            raise RulesError(f"{path}: {error}") from error

    def initial_state(self) -> Node:
        return Node(0)

    def to_move(self, node: Node) -> int:
        return int(self.player[node.number])

    def actions(self, node: Node) -> NDArray[np.int64]:
        return np.arange(self.first[node.number + 1] - self.first[node.number])

    def result(self, node: Node, action: int) -> Node:
        return Node(int(self.child[self.first[node.number] + action]))

    def is_terminal(self, node: Node) -> bool:
        return bool(self.first[node.number] == self.first[node.number + 1])

    def utility(self, node: Node, player: int) -> float:
        return float(self.payoff[node.number, player])

    def evaluate(self, node: Node, player: int) -> float:
        return float(self.payoff[node.number, player])

    def probability(self, node: Node, action: int) -> float:
        return float(self.chances[self.first[node.number] + action])

    def render(self, node: Node) -> str:
        edges = {int(child): edge for edge, child in enumerate(self.child)}  # the edge that leads to each node
        lines, margins = [], [""]  # one line per node, and the text before the lines of its children
        for number in range(len(self.parent)):
            line = self._label(number)
            if number > 0:
                parent, edge = self.parent[number], edges[number]
                is_last = edge + 1 == self.first[parent + 1]
                chance = f" ({self.chances[edge]:.6g})" if self.player[parent] == CHANCE else ""
                line = f"{margins[parent]}{'└─' if is_last else '├─'} {self.names[edge]}{chance}: {line}"
                margins.append(margins[parent] + ("   " if is_last else "│  "))
            lines.append(line + "  <- here" * (number == node.number))
        return "\n".join(lines)

    def action_name(self, node: Node, action: int) -> str:
        return str(self.names[self.first[node.number] + action])

    def node_name(self, node: Node) -> str:
        """The name that the tree gives to a node, or an empty text."""
        return str(self.node_names[node.number])

    def _label(self, number: int) -> str:
        """The text of a node in `render`: who moves there, or what it is worth, and its name."""
        return f"{self._worth(number)} {self.node_names[number]}".rstrip()

    def _worth(self, number: int) -> str:
        if self.is_terminal(Node(number)):
            values = [f"{value:.10g}" for value in self.payoff[number]]
            return values[0] if self.players == 2 and self.zero_sum else f"({', '.join(values)})"
        if self.player[number] == CHANCE:
            return "chance"
        as_minimax = self.players == 2 and (self.zero_sum or self.constant_sum is not None)
        return ("MAX", "MIN")[self.player[number]] if as_minimax else f"player {self.player[number]}"


class Written(NamedTuple):
    """A node as it was written, checked."""

    path: str  # such as tree[1][0]
    parent: int
    player: int | None = None  # None: not given
    children: Sequence[Any] = ()
    names: Sequence[str] = ()
    chances: Sequence[float] = ()
    payoff: Sequence[float] = ()
    estimate: Sequence[float] = ()
    name: str = ""


def _parsed(text: str, source: str) -> Any:
    """The tree in a JSON text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RulesError(f"{source}: not JSON: {error}") from error


def _nodes(tree: Any) -> list[Written]:
    """All nodes in preorder; raises `RulesError` for the first invalid one."""
    nodes: list[Written] = []
    above: list[int] = []  # the identity of each list and dict on the path to the current node
    waiting = [(tree, "tree", -1, 0)]
    while waiting:
        tree, path, parent, depth = waiting.pop()
        del above[depth:]
        if id(tree) in above:
            raise RulesError(f"{path}: the tree contains itself here")
        node = _read(tree, path, parent)
        above.append(id(tree))
        children = [(child, f"{path}[{i}]", len(nodes), depth + 1) for i, child in enumerate(node.children)]
        waiting += reversed(children)
        nodes.append(node)
    return nodes


def _read(tree: Any, path: str, parent: int) -> Written:
    """The node at `path`; its children are still to be read."""
    if isinstance(tree, (list, tuple)):
        tree = {"children": tree}
    if not isinstance(tree, dict):
        return Written(path, parent, payoff=_opposed(_number(tree, path, "a finite number, a list or a dict")))
    if unknown := sorted(map(repr, set(tree) - KEYS)):
        raise RulesError(f"{path}: unknown {enumerated(unknown)}; known are {', '.join(sorted(KEYS))}")
    name = tree.get("name", "")
    if not isinstance(name, str):
        raise RulesError(f"{path}: name={shown(name)} must be a text")
    if "utility" in tree:
        if set(tree) - {"utility", "name"}:
            raise RulesError(f"{path}: a node with a utility is a leaf and has nothing else but a name")
        return Written(path, parent, payoff=_worth(tree, "utility", path), name=name)

    children = _list(tree, "children", path)
    player = _player(tree["player"], path) if "player" in tree else None
    names = _list(tree, "names", path) if "names" in tree else range(1, len(children) + 1)
    names = [str(name) for name in names]
    chances = [1 / len(children) if player == CHANCE else 0.0] * len(children)
    if "probabilities" in tree:
        chances = _numbers(tree, "probabilities", path)
        if player != CHANCE:
            raise RulesError(f'{path}: only a node with "player": "chance" has probabilities')
        if min(chances) < 0 or abs(fsum(chances) - 1) > 1e-9:
            raise RulesError(f"{path}: probabilities={shown(chances)} must not be negative and must sum to 1")
    if len(set(names)) < len(names):
        raise RulesError(f"{path}: names={shown(names)} must all be different")
    for key, items in ("names", names), ("probabilities", chances):
        if len(items) != len(children):
            raise RulesError(f"{path}: {len(items)} {key} for {len(children)} children")
    estimate = _worth(tree, "estimate", path) if "estimate" in tree else ()
    return Written(path, parent, player, children, names, chances, estimate=estimate, name=name)


def _list(tree: dict[str, Any], key: str, path: str) -> Sequence[Any]:
    items = tree.get(key)
    if not isinstance(items, (list, tuple)) or not items:
        raise RulesError(f"{path}: {key} must be a list of one or more, not {shown(items)}")
    return items


def _numbers(tree: dict[str, Any], key: str, path: str) -> list[float]:
    return [_number(value, f"{path}: {key}[{i}]") for i, value in enumerate(_list(tree, key, path))]


def _worth(tree: dict[str, Any], key: str, path: str) -> Sequence[float]:
    """What each player gets: a list, or the number that MAX gets and MIN loses."""
    if isinstance(tree[key], (list, tuple)):
        return _numbers(tree, key, path)
    return _opposed(_number(tree[key], f"{path}: {key}", "a finite number, or a list of one for each player"))


def _opposed(value: float) -> tuple[float, float]:
    return value, 0.0 - value


def _number(value: Any, path: str, kind: str = "a finite number") -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
        raise RulesError(f"{path}: {shown(value)} is not {kind}")
    return float(value)


def _player(player: Any, path: str) -> int:
    if isinstance(player, str) and player in PLAYERS:
        return PLAYERS[player]
    if isinstance(player, bool) or not isinstance(player, int) or player < 0:
        raise RulesError(f'{path}: player={shown(player)} must be "max", "min", "chance" or a number from 0')
    return player


def _players(leaves: Sequence[Written]) -> int:
    """The number of players; all leaves must agree."""
    first = leaves[0]
    for leaf in leaves:
        if len(leaf.payoff) != len(first.payoff):
            counts = f"utility for {len(leaf.payoff)} players here, for {len(first.payoff)} at {first.path}"
            raise RulesError(f"{leaf.path}: {counts}")
    return len(first.payoff)


def _estimates(nodes: Sequence[Written], players: int, zero_sum: bool) -> list[Sequence[float]]:
    """The estimates of inner nodes; raises `RulesError` for one that does not fit the leaves."""
    estimated = [node for node in nodes if node.estimate]
    for node in estimated:
        if len(node.estimate) != players:
            raise RulesError(f"{node.path}: an estimate for {len(node.estimate)} players, but leaves have {players}")
        if zero_sum and abs(fsum(node.estimate)) > 1e-9:
            raise RulesError(f"{node.path}: estimate={shown(list(node.estimate))} must sum to 0, as the leaves do")
    return [node.estimate for node in estimated]


def _constant_sum(nodes: Sequence[Written]) -> float | None:
    """What the utilities at each leaf sum to, and the estimates at each node, if that is always the same."""
    sums = [fsum(node.payoff or node.estimate) for node in nodes if node.payoff or node.estimate]
    return sums[0] if max(sums) - min(sums) < 1e-9 else None


def _movers(nodes: Sequence[Written], players: int) -> list[int]:
    """Who moves at each node; by default the player after the last one who moved above it."""
    movers: list[int] = []
    followers: list[int] = []
    for node in nodes:
        expected = followers[node.parent] if node.parent >= 0 else 0
        mover = expected if node.player is None else node.player
        if mover >= players:
            raise RulesError(f"{node.path}: player {mover} moves, but leaves have a utility for {players} players")
        movers.append(mover)
        followers.append(expected if mover == CHANCE else (mover + 1) % players)
    return movers
