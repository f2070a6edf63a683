"""The trees that recorded expansions have grown, a tree for each question, as text and as a picture."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from outplay.engine.recording import Recording
from outplay.engine.trace_drawing import aligned
from outplay.engine.trace_picture import draw_state
from outplay.pictures import tree
from outplay.rules.game import Game
from outplay.search.expansions import SEARCHED, Expansion

MAX_LINES = 100
"""The maximum number of nodes of a tree as text, if no depth is given."""
MAX_PICTURE_NODES = 250
"""The same of a picture."""
MAX_BOARDS = 100
"""The same if the states are drawn."""


@dataclass(eq=False)
class ProofNode:
    """A node of the tree, reached by a path of actions from the root of a question.

    Attributes:
        game: the game.
        name: the action that leads here.
        action: the number of that action.
        above: the node above; None at the root.
        player: the player of the question.
        ply: the number of actions from the root of the question.
        expanded: its state, if it was expanded.
        proof: its proof number, as it was last known.
        disproof: its disproof number.
        origin: where these come from, as in `Child`.
        children: those that it has got, by action.
    """

    game: Game
    name: str
    action: int
    above: "ProofNode | None"
    player: int
    ply: int = 0
    expanded: Any = None
    proof: float = 1
    disproof: float = 1
    origin: str = SEARCHED
    children: dict[int, "ProofNode"] = field(default_factory=dict)

    @cached_property
    def state(self) -> Any:
        """Its state."""
        if self.expanded is not None or self.above is None:
            return self.expanded
        return self.game.result(self.above.expanded, self.action)

    @cached_property
    def kind(self) -> str:
        """OR if the player of the question is to move, AND if another is, nothing if the game is over."""
        if self.game.is_terminal(self.state):
            return ""
        return "OR" if self.game.to_move(self.state) == self.player else "AND"

    def numbers(self) -> str:
        """The two numbers, as pictures show them."""
        return f"{as_text(self.proof)} / {as_text(self.disproof)}"

    def leading(self) -> list["ProofNode"]:
        """The children that matter: those of a proof or disproof, or the one that is searched next."""
        if not self.children:
            return []
        own, other = ("proof", "disproof") if self.kind == "OR" else ("disproof", "proof")
        children = list(self.children.values())
        if getattr(self, other) == 0:
            return [child for child in children if getattr(child, other) == 0]
        best = min(children, key=lambda child: getattr(child, own))
        return [best] if getattr(self, own) or getattr(best, own) == 0 else []


@dataclass(eq=False)
class Question:
    """A question, and its tree."""

    asks: str
    about: str
    root: ProofNode
    expansions: int = 0
    answer: bool | None = None

    def answered(self) -> str:
        """The question and its answer, in words."""
        subject = f"after {self.about}: " if self.about else ""
        return f"{subject}{self.asks}? {({True: 'yes', False: 'no', None: 'not answered'})[self.answer]}"


def grow(game: Game, questions: list[Question], expansion: Expansion) -> None:
    """Add an expansion to the tree of its question."""
    if expansion.question > len(questions):
        first = expansion.path[0]
        player = first.player if first.is_or else 1 - first.player  # two players, or one, who is always to move
        root = ProofNode(game, expansion.about, 0, None, player)
        questions.append(Question(expansion.asks, expansion.about, root))
    question = questions[expansion.question - 1]
    question.expansions += 1
    question.answer = expansion.answer
    path = [question.root]
    for action in expansion.actions:
        path.append(path[-1].children[action])
    node = path[-1]
    node.expanded = expansion.state
    for child in expansion.path[-1].children:
        below = node.children.get(child.action)
        if below is None:
            below = ProofNode(game, child.name, child.action, node, node.player, node.ply + 1)
            node.children[child.action] = below
        below.proof, below.disproof, below.origin = child.proof, child.disproof, child.origin
    for node, (proof, disproof) in zip(reversed(path), expansion.back, strict=False):
        node.proof, node.disproof, node.origin = proof, disproof, SEARCHED


class ProofTree:
    """The tree of the question of expansion `number`, after it; None: those of all questions, at their ends."""

    def __init__(self, recording: Recording, number: int | None) -> None:
        self.recording, self.number = recording, number
        self.questions: list[Question] = []
        for expansion in recording[:number]:
            grow(recording.game, self.questions, expansion)
        if number is not None:
            self.questions = self.questions[-1:]

    def title(self) -> str:
        """Which search this is."""
        total = len(self.recording) + self.recording.dropped
        if self.number is None:
            return f"{self.recording.method}, {counted(total, 'expansion')}"
        return f"{self.recording.method}, expansion {self.number:,} of {total:,}"

    def text(self, plies: int | None) -> str:
        """The trees as text, down to `plies` plies; None: as many as are easy to read."""
        plies = deepest(self.questions, MAX_LINES) if plies is None else plies
        rows: list[tuple[str, ...]] = [(self.title(), "proof", "disproof", "numbers")]
        for question in self.questions:
            heading = f"{question.answered()}, {counted(question.expansions, 'expansion')}"
            rows += [(heading,), self._row(question.root, question.root.kind, plies)]
            self._append_rows(question.root, "", plies, rows)
        lines = [aligned(rows)]
        if self.recording.dropped:
            lines.append(
                f"The trace is full: {len(self.recording):,} expansions are recorded,"
                f" {self.recording.dropped:,} more are not."
            )
        return "\n".join(lines)

    def _append_rows(self, node: ProofNode, margin: str, plies: int, rows: list[Any]) -> None:
        if node.ply >= plies:
            return
        children = list(node.children.values())
        for child in children:
            last = child is children[-1]
            label = f"{margin}{'└─' if last else '├─'} {child.name}{':' * bool(child.kind)} {child.kind}"
            rows.append(self._row(child, label, plies))
            self._append_rows(child, margin + ("   " if last else "│  "), plies, rows)

    def _row(self, node: ProofNode, label: str, plies: int) -> tuple[str, ...]:
        hidden = sum(1 for _ in below(node)) if node.ply >= plies else 0
        return (
            label,
            as_text(node.proof),
            as_text(node.disproof),
            f"{node.origin}, {hidden:,} below" if hidden else node.origin,
        )

    def picture(self, plies: int | None, boards: bool) -> tree.TreePicture:
        """The trees as a picture, down to `plies` plies; None: as many as are easy to read."""
        most = MAX_BOARDS if boards else MAX_PICTURE_NODES
        plies = deepest(self.questions, most) if plies is None else plies
        nodes = laid_out(self.questions, plies, boards)
        dropped = f", {self.recording.dropped:,} not recorded" if self.recording.dropped else ""
        answer_text = f": {self.questions[0].answered()}" if len(self.questions) == 1 else ""
        return tree.TreePicture(nodes, f"{self.title()}{dropped}{answer_text}; proof number / disproof number")


def deepest(questions: Sequence[Question], most: int) -> int:
    """The number of plies of which at most so many nodes are shown, but at least one."""
    counts: dict[int, int] = {}
    for question in questions:
        for node in (question.root, *below(question.root)):
            counts[node.ply] = counts.get(node.ply, 0) + 1
    plies, total = 0, 0
    while plies in counts and (plies <= 1 or total + counts[plies] <= most):
        total += counts[plies]
        plies += 1
    return max(plies - 1, 1)


def below(node: ProofNode) -> Iterator[ProofNode]:
    """All nodes below a node."""
    waiting = list(node.children.values())
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.children.values()


def laid_out(questions: Sequence[Question], plies: int, boards: bool) -> list[tree.Node]:
    """The nodes of a picture down to `plies` plies, each before its children.

    If there are several questions, a node above all of them says so. Bold are proofs and disproofs; without one, the
    path to the state that is expanded next.
    """
    nodes: list[tree.Node] = []
    shapes = {"OR": tree.MAX, "AND": tree.MIN, "": tree.END}
    if len(questions) > 1:
        nodes.append(tree.Node(tree.OTHER, [f"{len(questions)} questions"]))

    def add(node: ProofNode, edge: str, is_bold: bool) -> int:
        number = len(nodes)
        hidden = sum(1 for _ in below(node)) if node.ply >= plies else 0
        lines = [node.numbers()]
        if node.origin == "table":
            lines.append("table")
        if hidden:
            lines.append(f"{hidden:,} below")
        drawn = tree.Node(shapes[node.kind], lines, edge, is_bold)
        if boards:
            draw_state(drawn, node.game, node.state, int(node.game.to_move(node.state)) if node.kind else None)
        nodes.append(drawn)
        leading = node.leading() if is_bold or node.above is None else []
        if node.ply < plies:
            drawn.children = [add(child, child.name, child in leading) for child in node.children.values()]
        return number

    for question in questions:
        several = len(questions) > 1
        subject = f"{question.about}: " if question.about else ""
        number = add(question.root, f"{subject}{question.asks}?" if several else "", False)
        if several:
            nodes[0].children.append(number)
    return nodes


def as_text(number: float) -> str:
    """A proof number or disproof number."""
    return "∞" if number == math.inf else f"{number:,}"


def counted(number: int, noun: str) -> str:
    """A number of things, in words."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
