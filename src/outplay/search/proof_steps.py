"""Proof-number search step by step: how it chooses a child, expands it, and goes back with new numbers, as a page."""

import math
from collections.abc import Sequence

from outplay.engine.recording import Recording
from outplay.engine.trace_picture import state_inset
from outplay.pictures.page import Caption, Step, StepByStep
from outplay.pictures.tree import TreePicture
from outplay.search.expansions import Child, Expansion, Node
from outplay.search.proof_tree import ProofNode, Question, as_text, grow, laid_out

CODE = (
    "def search(state, most_proof, most_disproof):",
    "    list the children with their numbers",
    "    while True:",
    "        proof = the least proof number below",
    "        disproof = the sum of disproof numbers",
    "        if one reaches its threshold: return",
    "        child = that with the least proof number",
    "        search(child,",
    "            min(most_proof, 2 · second-least + 1),",
    "            most_disproof − those of the others)",
    "# At AND nodes, proof and disproof change places.",
)
CALL, LIST, NUMBERS, RETURN, SELECT, SEARCH = 0, 1, 3, 5, 6, 7
"""The numbers of the lines that steps name."""
FIRST = (
    "The first numbers of a state",
    ("", "proof", "disproof"),
    (("yes", "0", "∞"), ("no", "∞", "0"), ("OR: open", "1", "its actions"), ("AND: open", "its actions", "1")),
)
"""What a step shows instead of children, before there are any."""
MAX_NODES = 100
"""The maximum number of nodes that are shown."""
MAX_TERMS = 8
"""The maximum number of children whose numbers are named in a sentence."""


def expansion_steps(recording: Recording, plies: int | None) -> StepByStep:
    """The steps of the first expansions: as many as fit into 100 nodes, down to `plies` plies."""
    return _Steps(recording, plies).all()


class _Steps:
    """The steps so far."""

    def __init__(self, recording: Recording, plies: int | None) -> None:
        self.recording, self.game = recording, recording.game
        most = math.inf if plies is None else plies
        self.questions: list[Question] = []
        self.expansions: list[tuple[Expansion, list[ProofNode]]] = []
        shown: set[ProofNode] = set()
        for expansion in recording:
            path = grow(self.game, self.questions, expansion)
            self.expansions.append((expansion, path))
            shown.update(node for node in (path[0], *path, *path[-1].children.values()) if node.ply <= most)
            if len(shown) >= MAX_NODES:
                break
        self.nodes, self.numbers = laid_out(self.questions, shown, boards=False)
        self.widest: dict[int, list[str]] = {}
        self.steps: list[Step] = []

    def all(self) -> StepByStep:
        """All steps."""
        for expansion, path in self.expansions:
            self._expansion(expansion, path)
        left = len(self.recording) + self.recording.dropped - len(self.expansions)
        if left:
            before = self.steps[-1]
            say = f"The search went on for {left:,} more expansion{'' if left == 1 else 's'}."
            self.steps.append(Step(before.node, SEARCH, say, table=before.table))
        captions = [Caption("questions")] * len(self.nodes)
        for node, number in self.numbers.items():
            label = f"{node.name}: {node.kind}".removesuffix(": ").removeprefix(": ")
            picture = state_inset(self.game, node.state, whole=True)
            captions[number] = Caption(label, "", self.game.render(node.state), picture)
        for number, drawn in enumerate(self.nodes):
            drawn.bold, drawn.lines = False, self.widest.get(number, drawn.lines)  # room for all that is shown
        title = f"{self.recording.method}: proof number / disproof number of each state"
        return StepByStep(TreePicture(self.nodes, title), captions, CODE, self.steps)

    def _step(self, node: ProofNode, line: int, say: str, texts: dict[ProofNode, list[str]], **more: object) -> None:
        """Add a step at a node, or at the nearest one above that is shown."""
        while node not in self.numbers:
            assert node.above is not None
            node = node.above
        shown = {self.numbers[each]: lines for each, lines in texts.items() if each in self.numbers}
        for number, lines in shown.items():
            before = self.widest.get(number, [""] * len(lines))
            both = zip(before + [""] * (len(lines) - len(before)), lines, strict=False)
            self.widest[number] = [max(pair, key=len) for pair in both] + before[len(lines) :]
        if len(self.questions) > 1:
            shown[0] = [f"{len(self.questions)} questions"]
        self.steps.append(Step(self.numbers[node], line, say, texts=shown, **more))  # type: ignore[arg-type]

    def _expansion(self, expansion: Expansion, path: list[ProofNode]) -> None:
        number = f"Expansion {expansion.number}"
        node, at = path[-1], expansion.path[-1]
        if len(path) == 1:
            after = f" after {expansion.about}" if expansion.about else ""
            say = f"Question {expansion.question}: does the player to move at the root get {expansion.asks}{after}?"
            self._step(
                node,
                CALL,
                f"{say} {_where(node).capitalize()} is searched until it is solved.",
                {node: [""]},
                table=FIRST,
            )
        else:
            self._select(number, path, expansion.path[-2], at)
        self._expand(number, node, at)
        self._back(number, expansion, path)

    def _select(self, number: str, path: list[ProofNode], above: Node, at: Node) -> None:
        """The step in which a child is chosen, and gets its thresholds."""
        assert above.child is not None
        what = "proof" if above.is_or else "disproof"
        least = as_text(getattr(above.child, what))
        say = (
            f"{number}: at {_where(path[-2])}, an {path[-2].kind} node, {above.child.name} has the least {what} number,"
            f" {least}. It is searched until {_until(at)}."
        )
        table = _table(f"The children of {_where(path[-2])}", above.children)
        numbers = _pair(above.child.proof, above.child.disproof)
        self._step(path[-1], SELECT, say, {path[-1]: [numbers, _thresholds(at)]}, table=table, marked=above.chosen)

    def _expand(self, number: str, node: ProofNode, at: Node) -> None:
        """The step in which a state gets its children."""
        number_of, more = len(at.children), ""
        for origin, text in (("end", "the game is over in"), ("table", "the table knows")):
            count = sum(child.origin == origin for child in at.children)
            if count:
                which = "this one" if number_of == 1 else "all" if count == number_of else str(count)
                more += f"; {text} {which}{' of them' if number_of > 1 else ''}"
        texts = {
            node.children[child.action]: [
                _pair(child.proof, child.disproof),
                *([""] if node.children[child.action].children else []),
            ]
            for child in at.children
        }
        say = f"{number}: {_where(node)} gets {number_of} {'child' if number_of == 1 else 'children'}{more}."
        if at.numbers[0 if at.is_or else 1] == 0:
            say += " The last one decides, so no more are listed."
        self._step(node, LIST, say, texts, table=_table(f"The children of {_where(node)}", at.children))

    def _back(self, number: str, expansion: Expansion, path: list[ProofNode]) -> None:
        """The steps back: a state takes numbers from its children, and returns if they reach a threshold."""
        inside: Sequence[Child] = expansion.path[-1].children
        for i, (proof, disproof) in enumerate(expansion.back):
            node, at = path[-1 - i], expansion.path[-1 - i]
            if i:
                inside = _with(at, expansion.back[i - 1])
            returns = proof >= at.proof_threshold or disproof >= at.disproof_threshold
            say = f"{number}: {_where(node)} has {_formulas(at.is_or, inside, proof, disproof)}."
            if 0 in (proof, disproof):
                say += f" It is {'proved' if proof == 0 else 'disproved'}"
                say += "." if node.above is None or not returns else ", and returns."
            elif returns:
                what = "proof" if proof >= at.proof_threshold else "disproof"
                say += f" The {what} number has reached its threshold, so it returns."
            else:
                say += " Both are below the thresholds: the search goes on here."
            if node.above is None and expansion.answer is not None:
                say += f" So the answer is {'yes' if expansion.answer else 'no'}."
            table = _table(f"The children of {_where(node)}", inside)
            texts = {node: [_pair(proof, disproof), "" if returns else _thresholds(at)]}
            self._step(node, RETURN if returns else NUMBERS, say, texts, table=table, marked=at.chosen)


def _with(node: Node, numbers: tuple[float, float]) -> Sequence[Child]:
    """The children of a node, the chosen one with new numbers."""
    return [
        Child(action=child.action, name=child.name, proof=numbers[0], disproof=numbers[1], origin="searched")
        if place == node.chosen
        else child
        for place, child in enumerate(node.children)
    ]


def _formulas(is_or: bool, children: Sequence[Child], proof: float, disproof: float) -> str:
    """How the numbers of a node follow from those of its children."""

    def formula(name: str, is_least: bool, result: float) -> str:
        numbers = [as_text(getattr(child, name)) for child in children]
        inside = ", ".join(numbers) if is_least else " + ".join(numbers)
        if len(numbers) > MAX_TERMS:
            return f"{name} number {as_text(result)}"
        inside = f"min({inside})" if is_least else inside
        return f"{name} number {as_text(result)}" + (f" = {inside}" if len(numbers) > 1 else "")

    return f"{formula('proof', is_or, proof)} and {formula('disproof', not is_or, disproof)}"


def _table(heading: str, children: Sequence[Child]) -> tuple[str, Sequence[str], Sequence[Sequence[str]]]:
    rows = [[child.name, as_text(child.proof), as_text(child.disproof), child.origin] for child in children]
    return heading, ["action", "proof", "disproof", "numbers"], rows


def _until(node: Node) -> str:
    """The thresholds of a node, in words."""
    parts = [
        f"its {what} number is at least {as_text(most)}"
        for what, most in (("proof", node.proof_threshold), ("disproof", node.disproof_threshold))
        if most < math.inf
    ]
    return " or ".join(parts) or "it is solved"


def _thresholds(node: Node) -> str:
    """The thresholds of a node, as they stand below its numbers; nothing if it is searched until it is solved."""
    most = node.proof_threshold, node.disproof_threshold
    return f"< {_pair(*most)}" if min(most) < math.inf else ""


def _where(node: ProofNode) -> str:
    return f"the node after {node.name}" if node.name else "the root"


def _pair(proof: float, disproof: float) -> str:
    return f"{as_text(proof)} / {as_text(disproof)}"
