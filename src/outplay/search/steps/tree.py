"""What a page knows of a search while it goes on: alpha, beta and v of each open node, and the steps so far."""

from dataclasses import dataclass
from math import inf

from outplay.engine.recorded_visits import Visits
from outplay.engine.trace_drawing import Drawing, NamesNodes
from outplay.engine.trace_picture import laid_out, state_inset
from outplay.engine.visits import Visit
from outplay.pictures.page import Caption, Step
from outplay.pictures.tree import TreePicture
from outplay.rules.constant_sum import balance
from outplay.search.options import AlphaBetaOptions
from outplay.search.steps.words import counted, moved, plain_score

MAX_WINDOWS = 100
"""The maximum number of windows at the root that are shown of an iteration."""


def first_windows(drawing: Drawing) -> Drawing:
    """An iteration without the windows at the root for which there is no room."""
    roots = drawing.children[None]
    if len(roots) <= MAX_WINDOWS:
        return drawing
    end = roots[MAX_WINDOWS].index - roots[0].index
    return Drawing(drawing.game, drawing.visits[:end], drawing.method, plain=False, dropped=drawing.dropped)


@dataclass
class OpenVisit:
    """A visit that has not returned yet: its window, as scores and as texts, and what is known of its value."""

    visit: Visit
    node: int
    alpha: int
    beta: int
    window: tuple[str, str]
    v: int | None = None
    v_text: str = ""
    taken: int = 0  # how many of its children have returned
    tried: int = 0  # how many of its actions
    is_done: bool = False


class StepTree:
    """An iteration as a tree of steps. Its nodes are numbered from `first` on."""

    def __init__(
        self, recording: Visits, techniques: AlphaBetaOptions, drawing: Drawing, plies: int,
        lines: list[tuple[str, str]], first: int, before: Drawing | None, *, is_last: bool,
    ) -> None:  # fmt: skip
        self.recording, self.whole, self.plies, self.first = recording, drawing, plies, first
        self.drawing = first_windows(drawing)
        self.on, self.before, self.is_last = techniques, before, is_last
        self.nodes, self.shown = laid_out(self.drawing, plies, boards=False)
        self.line = {name: number for number, (name, _) in reversed(list(enumerate(lines))) if name}
        self.steps: list[Step] = []
        self.open: list[OpenVisit] = []
        self.texts: dict[int, list[str]] = {}  # of each node: v, the window, and why it ended
        self.widest: dict[int, list[str]] = {}
        self.unexplained = 0

    def picture(self) -> TreePicture:
        """The whole tree, with room for the longest texts of each node."""
        for number, shown in enumerate(self.nodes):
            shown.bold = False  # the page does not say yet which line is best
            if number in self.widest:
                shown.lines = self.widest[number]
        depth, root = self.drawing.root.iteration, self.whole
        deepest = max(visit.ply for visit in root.visits)
        part = f", of which {counted(self.plies, 'ply is', 'plies are')} shown" if deepest > self.plies else ""
        return TreePicture(self.nodes, f"Iteration to depth {depth}: {len(root.visits):,} visits{part}")

    def captions(self) -> list[Caption]:
        """What the page says of each node."""
        drawing, found = self.drawing, []
        for number, visit in enumerate(self.shown):
            if visit is None:
                whole = number == 0 and visit is None and len(drawing.children[None]) > 1
                found.append(Caption(f"depth {drawing.root.iteration}" if whole else ""))
                continue
            who = drawing.label(visit)
            depth = f", depth {visit.depth}" if visit.player is not None and visit.depth > 0 else ""
            label = f"{drawing.edge(visit)}: {who}{depth}".strip(": ")
            board = "" if isinstance(drawing.game, NamesNodes) else drawing.game.render(visit.state)
            picture = state_inset(drawing.game, visit.state, whole=True) if board else None
            found.append(Caption(label, "", board, picture))
        return found

    def add(
        self,
        line: str,
        at: OpenVisit | int,
        say: str,
        *,
        v: str | None = None,
        why: str | None = None,
        done: bool = False,
    ) -> None:
        """Add a step at a visit, or at a node of none. It has the value `v` and the reason `why` from now on."""
        node = at if isinstance(at, int) else at.node
        window = None
        if isinstance(at, OpenVisit) and at.visit.player is not None:
            window = at.window
        texts = self.texts.setdefault(node, ["", "", ""])
        if v is not None:
            texts[0] = v
        if isinstance(at, OpenVisit) and self.drawing.node_name(at.visit):
            texts[0] = (
                f"{self.drawing.node_name(at.visit)} {v or ''}".strip() if v is not None or not texts[0] else texts[0]
            )
        if window is not None:
            texts[1] = f"({window[0]}, {window[1]})"
        if why is not None:
            texts[2] = why
        widest = self.widest.setdefault(node, ["", "", ""])
        for place, text in enumerate(texts):
            if len(text) > len(widest[place]):
                widest[place] = text
        is_cut = self.shown[node] is None and isinstance(at, int) and node != 0
        if is_cut:
            del self.widest[node], self.texts[node]
        self.steps.append(
            Step(
                self.first + node, self.line[line], say, v, window, done,
                texts=None if is_cut else {self.first + node: list(texts)},
            )
        )  # fmt: skip

    def raise_bound(self, at: OpenVisit, score: int, text: str) -> None:
        """The bound of the player to move becomes `score` if that is better."""
        visit, text = at.visit, text.removeprefix("~")
        if self.is_max(visit) and score > at.alpha:
            is_least = visit.alpha == -inf and self.recording.is_least(score, visit.ply)
            at.alpha, at.window = plain_score(score), (at.window[0] if is_least else text, at.window[1])
        elif not self.is_max(visit) and score < at.beta:
            is_least = visit.beta == inf and self.recording.is_least(-score, visit.ply)
            at.beta, at.window = plain_score(score), (at.window[0], at.window[1] if is_least else text)

    def check(self, at: OpenVisit) -> None:
        """Count a value that does not follow from those below."""
        score = at.visit.scores[2]
        if at.visit.parent is not None and at.v is not None and plain_score(at.v) != plain_score(score):
            self.unexplained += 1

    def kept(self, visit: Visit) -> str:
        """What the table keeps of a visit."""
        if visit.parent is None:
            return ""
        if visit.details is not None and visit.details.path_only:
            return " That depends on the path, so the table keeps only the best action."
        return f" The table keeps {self.worth(visit)} for depth {self.depth_of(visit)}" + (
            ", proved." if visit.exact else "."
        )

    # -- what a visit is, and its words --------------------------------------------------------------------------------

    def depth_of(self, visit: Visit) -> int:
        """The depth to which a state is searched."""
        return visit.depth + (visit.details is not None and visit.details.extended)

    def is_quiescence(self, visit: Visit) -> bool:
        """Whether a visit belongs to the quiescence search."""
        return self.on.quiescence and self.depth_of(visit) <= 0

    def is_cut_short(self, visit: Visit) -> bool:
        """Whether visits below may not have been recorded."""
        return (
            bool(self.recording.dropped) and visit.index + self.drawing.below[visit.index] == self.recording[-1].index
        )

    def earlier(self, at: OpenVisit, child: Visit) -> Visit | None:
        """The visit before `child`, if it is the same action."""
        siblings = self.drawing.children[at.visit.index]
        place = siblings.index(child)
        before = siblings[place - 1] if place else None
        return before if before is not None and before.action == child.action is not None else None

    def is_max(self, visit: Visit) -> bool:
        """Whether MAX is to move."""
        return self.drawing.mover(visit) == "MAX"

    def estimate(self, at: OpenVisit) -> str:
        """The estimate of a state."""
        details = at.visit.details
        return "" if details is None or details.estimate is None else f"~{self.number(details.estimate)}"

    def goal(self, at: OpenVisit) -> str:
        """The end of the window that the player to move wants to reach."""
        return f"β = {at.window[1]}" if self.is_max(at.visit) else f"α = {at.window[0]}"

    def worth(self, visit: Visit) -> str:
        """The value of a visit as text."""
        return self.drawing.columns(visit, self.plies)[0].replace("-", "−")

    def bound(self, score: int, *, near: bool = False) -> str:
        """An end of a window as text."""
        if abs(score) <= 1:  # 0, or a step from it
            return moved(self.number(balance(self.drawing.game)), score)
        return self.drawing.bound(score, near).replace("inf", "∞").replace("-", "−")

    def number(self, value: float) -> str:
        """A value as text."""
        return f"{value:.4g}".replace("-", "−")
