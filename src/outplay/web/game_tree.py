"""A game with its variations: a tree of positions, one of which is shown.

        0 ── 1 ── 2 ── 4        node 0 is the start; each other node is a move
                  └─── 3        nodes are numbered as they are played, and stay

The shown position is the last one of a `Session`, which knows the rules of repetition and the clocks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from outplay.arena.records.replay import as_json
from outplay.rules.errors import OutplayError
from outplay.rules.user_code import describe_error
from outplay.session import Session

MOST_NODES = 20_000
"""A game that grows beyond this takes no more moves."""


@dataclass
class Node:
    """A position.

    Attributes:
        parent: the number of the position before; -1 for the start.
        action: the action that led here; None for the start.
        name: its name.
        player: who played it.
        children: the numbers of the positions after, in the order in which they were first played.
    """

    parent: int = -1
    action: Any = None
    name: str = ""
    player: int | None = None
    children: list[int] = field(default_factory=list)


class GameTree:
    """The positions of a game, and the session whose last position is the one shown.

    >>> from outplay.games import TicTacToe
    >>> tree = GameTree(Session(TicTacToe()))
    >>> for move in "a1", "b2":
    ...     tree.play(tree.session.read(move))
    >>> tree.go(1)
    >>> tree.play(tree.session.read("c3"))
    >>> tree.node, tree.nodes[1].children, tree.session.record
    (3, [2, 3], 'a1 c3')
    """

    def __init__(self, session: Session) -> None:
        self.session, self.nodes, self.node = session, [Node()], 0
        for action, name, state in zip(session.actions, session.names, session.states, strict=False):
            self._enter(action, name, int(session.game.to_move(state)))

    def play(self, action: Any, seconds: float | None = None) -> None:
        """Play a legal action in the shown position: a new variation, unless it was played there before.

        Raises `IllegalAction`; and with a clock that has run out, the player is late instead.
        """
        session = self.session
        if len(self.nodes) >= MOST_NODES:
            raise OutplayError(f"this game has {MOST_NODES:,} positions: begin another one")
        mover, moves = session.player, len(session.actions)
        session.play(action, seconds)
        if len(session.actions) > moves and mover is not None:
            self._enter(session.actions[-1], session.names[-1], mover)

    def go(self, node: int) -> None:
        """Show another position. Raises `OutplayError` if there is none with this number."""
        if not 0 <= node < len(self.nodes):
            raise OutplayError(f"there is no position {node}: the last one is {len(self.nodes) - 1}")
        if node == self.node:
            return
        before, path = set(self.path(self.node)), list(self.path(node))
        common = next(step for step in path if step in before)
        if common != self.node:
            self.session.undo(len(self.session.actions) - self.depth(common))
        for step in reversed(path[: path.index(common)]):
            self.session.append(self.nodes[step].action)
        self.node = node

    def rebuild(self, moves: Sequence[Sequence[Any]], node: int) -> str:
        """Play the parent and the action, in the words of JSON, of each position after the start, and show one of them.

        Returns what no longer fits the rules: from there on, nothing is played.
        """
        misfit, session = "", self.session
        try:
            for number, (parent, written) in enumerate(moves, start=1):
                self.go(parent)
                action = next((action for action in session.legal if as_json(action) == written), None)
                if action is None:
                    return f"position {number} is left out: {written!r:.40} is not legal there by the rules"
                mover = int(session.game.to_move(session.state))
                session.append(action)
                self._enter(session.actions[-1], session.names[-1], mover)
            self.go(node)
        except Exception as error:  # of a user's rules
            misfit = str(error) if isinstance(error, OutplayError) else describe_error(error)
        return misfit

    def path(self, node: int) -> Iterator[int]:
        """The positions from this one back to the start."""
        while node >= 0:
            yield node
            node = self.nodes[node].parent

    def depth(self, node: int) -> int:
        """The number of moves up to a position."""
        return sum(1 for _ in self.path(node)) - 1

    def _enter(self, action: Any, name: str, player: int) -> None:
        """Show the position after an action, which the session has played."""
        children = self.nodes[self.node].children
        node = next((child for child in children if self.nodes[child].action == action), None)
        if node is None:
            node = len(self.nodes)
            self.nodes.append(Node(self.node, action, name, player))
            children.append(node)
        self.node = node
