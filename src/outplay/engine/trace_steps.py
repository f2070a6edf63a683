"""A textbook search step by step: what each visit does, with the line of the pseudo-code that runs, as a page."""

import math
from dataclasses import dataclass, field

from outplay.engine.trace_drawing import Drawing, NamesNodes
from outplay.engine.trace_picture import laid_out, seen_state
from outplay.engine.visits import Visit
from outplay.pictures.page import Caption, Step, StepByStep
from outplay.pictures.tree import TreePicture
from outplay.rules.game import CHANCE

CALL, END, DEPTH, SUM = "call", "end", "depth", "sum"
MAX_BEST, ALPHA, MAX_CUT, MAX_RETURN = "v up", "alpha", "cut at max", "return at max"
MIN_BEST, BETA, MIN_CUT, MIN_RETURN = "v down", "beta", "cut at min", "return at min"
"""The lines of the pseudo-code that steps name."""


NAMES = {"AlphaBeta": "alpha-beta", "Minimax": "minimax", "Expectiminimax": "expectiminimax", "MaxN": "max^n"}
"""The names of the algorithms in textbooks, by searcher."""


def pseudo_code(prunes: bool, chance: bool, vectors: bool) -> list[tuple[str, str]]:
    """The lines of the algorithm, each with its name; "" for a line that no step names."""
    window = ", α, β" if prunes else ""
    below = f"value(result(state, action){window})"
    lines = [
        (CALL, f"def value(state{window}):"),
        (END, "    if the game is over:     return utility(state)"),
        (DEPTH, "    if the depth is reached: return evaluate(state)"),
    ]
    if chance:
        lines += [
            ("", "    if chance is to move:"),
            (SUM, f"        return the sum of P(action) · {below}"),
        ]
    if vectors:
        return [
            *lines,
            ("", "    v = nothing"),
            ("", "    for each action:"),
            ("", f"        w = {below}"),
            (MAX_BEST, "        if w is better than v for the player to move: v = w"),
            (MAX_RETURN, "    return v"),
        ]
    for side, least, best, best_line, bound, bound_line, cut, cut_line, end_line in (
        ("MAX", "−∞", "max", MAX_BEST, "α = max(α, v)", ALPHA, "v ≥ β", MAX_CUT, MAX_RETURN),
        ("MIN", "+∞", "min", MIN_BEST, "β = min(β, v)", BETA, "v ≤ α", MIN_CUT, MIN_RETURN),
    ):
        lines += [
            ("", f"    if {side} is to move:"),
            ("", f"        v = {least}"),
            ("", "        for each action:"),
            ("", f"            w = {below}"),
            (best_line, f"            v = {best}(v, w)"),
        ]
        if prunes:
            lines += [(cut_line, f"            if {cut}: return v"), (bound_line, f"            {bound}")]
        lines.append((end_line, "        return v"))
    return lines


@dataclass
class _Open:
    """A visit that has not returned yet."""

    visit: Visit
    node: int
    alpha: float
    beta: float
    v: float = math.nan
    left: int = 0  # how many of its children have not returned
    sums: list[float] = field(default_factory=list)  # over the outcomes of chance so far; in max^n, for each player


class SearchSteps:
    """The steps of a textbook search, down to `plies` plies; what is deeper returns at once."""

    def __init__(self, drawing: Drawing, plies: int) -> None:
        self.drawing, self.plies = drawing, plies
        self.nodes, self.visits = laid_out(drawing, plies, boards=False)
        self.vectors, self.prunes = drawing.root.values is not None, drawing.windows
        has_chance = any(visit.player == CHANCE for visit in drawing.visits)
        self.code = pseudo_code(self.prunes, has_chance, self.vectors)
        self.line = {name: number for number, (name, _) in enumerate(self.code) if name}
        self.steps: list[Step] = []
        self.open: list[_Open] = []

    def page(self) -> StepByStep:
        """All steps."""
        for node, visit in enumerate(self.visits):
            if visit is not None:
                while self.open and self.open[-1].visit.index != visit.parent:
                    self.close()
                self.enter(node, visit)
        while self.open:
            self.close()
        captions = [Caption("") if visit is None else self.caption(visit) for visit in self.visits]
        for picture_node in self.nodes:
            picture_node.bold = False  # the page does not say yet which line is best
        picture = TreePicture(self.nodes, self.drawing.picture_title())
        return StepByStep(picture, captions, [text for _, text in self.code], self.steps, mode=self.mode())

    def mode(self) -> str:
        """Which form of the algorithm this is."""
        searcher = self.drawing.method.partition("(")[0]
        name = NAMES.get(searcher, searcher)
        windows = ", no null windows" if name == "alpha-beta" else ""
        return (
            f"Textbook {name}: each state once, its actions in the order of the rules; no table, no deepening{windows}"
        )

    def caption(self, visit: Visit) -> Caption:
        """What the page says of a visit."""
        drawing = self.drawing
        label = f"{drawing.edge(visit)}: {drawing.label(visit)}".strip(": ")
        if isinstance(drawing.game, NamesNodes):
            return Caption(label, drawing.node_name(visit))
        return Caption(label, "", *seen_state(drawing.game, visit.state))

    def add(self, line: str, at: _Open, say: str, *, value: str | None = None, done: bool = False) -> None:
        """Add a step at a visit, which has its window and this value from now on."""
        window = (_text(at.alpha), _text(at.beta)) if self.prunes and at.visit.player not in (None, CHANCE) else None
        self.steps.append(Step(at.node, self.line[line], say, value, window, done))

    def enter(self, node: int, visit: Visit) -> None:
        """The call for a state; a leaf returns at once."""
        hidden = self.drawing.below[visit.index] if visit.ply >= self.plies else 0
        at = _Open(visit, node, visit.alpha, visit.beta, left=len(self.drawing.children[visit.index]))
        self.open.append(at)
        after, value = f"After {visit.name}, " if visit.name else "", self.worth(visit)
        if visit.why in ("end", "repetition"):
            self.add(END, at, f"{after}the game is over: the utility is {value}.", value=value, done=True)
        elif visit.why == "estimate":
            self.add(DEPTH, at, f"{after}the depth limit is reached: the estimate is {value}.", value=value, done=True)
        else:
            window = f", with the window ({_text(at.alpha)}, {_text(at.beta)})" if self.prunes else ""
            subject = self.drawing.label(visit)
            self.add(CALL, at, f"{after}{subject if after else subject[:1].upper() + subject[1:]} is to move{window}.")
            if hidden:
                at.left = 0
                say = f"{hidden:,} states below are not shown; they return {value}."
                self.add(self.return_line(visit), at, say, value=value, done=True)

    def close(self) -> None:
        """The last open visit returns, and its parent takes the value."""
        at = self.open.pop()
        above = self.open[-1] if self.open else None
        visit = at.visit
        if not self.steps[-1].done or self.steps[-1].node != at.node:  # a leaf has returned already
            if visit.value is None:
                self.add(CALL, at, "The search was stopped here.", done=True)
                return
            if visit.why == "cut" and self.prunes:
                self.cut(at)
            else:
                say = f"All actions are searched: {self.name(visit)} is worth {self.worth(visit)}."
                self.add(self.return_line(visit), at, say, value=self.worth(visit), done=True)
        if above is not None and visit.value is not None:
            self.take(above, visit)

    def cut(self, at: _Open) -> None:
        """The visit returns before all its actions are searched."""
        visit, is_max = at.visit, self.drawing.mover(at.visit) == "MAX"
        value, bound = _text(visit.value or 0.0), _text(at.beta if is_max else at.alpha)
        sign, letter, line = ("≥", "β", MAX_CUT) if is_max else ("≤", "α", MIN_CUT)
        say = f"v = {value} {sign} {letter} = {bound}: {'MIN' if is_max else 'MAX'} has something as good elsewhere."
        self.add(line, at, say, value=self.worth(visit), done=True)
        cut = next((child for child in self.nodes[at.node].children if self.visits[child] is None), None)
        if cut is not None:
            say = f"Nothing depends on {', '.join(self.drawing.skipped_names(visit))}: not searched."
            self.steps.append(Step(cut, self.line[line], say, done=True))

    def take(self, at: _Open, child: Visit) -> None:
        """A visit takes the value of one of its actions."""
        value, name = child.value or 0.0, child.name
        at.left -= 1
        if at.visit.player == CHANCE:
            chance = self.drawing.game.probability(at.visit.state, child.action)
            counted = child.values if child.values is not None else (value,)
            at.sums = [a + chance * b for a, b in zip(at.sums or [0.0] * len(counted), counted, strict=True)]
            so_far = _text(at.sums[0]) if child.values is None else f"({', '.join(map(_text, at.sums))})"
            self.add(SUM, at, f"{name} has probability {chance:.4g}: the sum so far is {so_far}.", value=so_far)
            return
        if self.vectors:
            mine = (child.values or ())[at.visit.player or 0]
            better = math.isnan(at.v) or mine > at.v
            at.v = mine if better else at.v
            verdict = "the best so far" if better else "no better"
            say = f"{name} gives player {at.visit.player} {_text(mine)}: {verdict}."
            self.add(MAX_BEST, at, say, value=self.worth(child) if better else None)
            return
        is_max = self.drawing.mover(at.visit) == "MAX"
        better = math.isnan(at.v) or (value > at.v if is_max else value < at.v)
        at.v = value if better else at.v
        value_text = self.worth(child).replace("≤", "at most").replace("≥", "at least")
        say = f"{name} is worth {value_text}: v {'becomes' if better else 'stays'} {_text(at.v)}."
        self.add(MAX_BEST if is_max else MIN_BEST, at, say, value=_text(at.v))
        if not self.prunes:
            return
        before = at.alpha, at.beta
        is_cut = at.visit.why == "cut" and at.left == 0
        if is_max and not is_cut:
            at.alpha = max(at.alpha, at.v)
        elif not is_cut:
            at.beta = min(at.beta, at.v)
        if (at.alpha, at.beta) != before:
            letter, bound, line = ("α", at.alpha, ALPHA) if is_max else ("β", at.beta, BETA)
            self.add(line, at, f"{letter} becomes {_text(bound)}: {'MAX' if is_max else 'MIN'} is sure of that here.")

    def return_line(self, visit: Visit) -> str:
        """The line in which a visit returns after all its actions."""
        if visit.player == CHANCE:
            return SUM
        return MAX_RETURN if self.vectors or self.drawing.mover(visit) == "MAX" else MIN_RETURN

    def worth(self, visit: Visit) -> str:
        """The value of a visit as text."""
        return self.drawing.columns(visit, self.plies)[0]

    def name(self, visit: Visit) -> str:
        """What a sentence calls a state."""
        return self.drawing.node_name(visit) or (f"the state after {visit.name}" if visit.name else "the root")


def _text(value: float) -> str:
    return "−∞" if value == -math.inf else "+∞" if value == math.inf else f"{value:.4g}"
