"""An iteration as a whole: how it begins and ends, and the windows at the root."""

from outplay.engine.trace_drawing import Drawing
from outplay.engine.visits import Visit, utility
from outplay.search import pseudo_code as code
from outplay.search.steps.tree import StepTree
from outplay.search.steps.words import counted, moved, ordinal, plain


class Windows(StepTree):
    """The steps of an iteration, and of the windows at the root."""

    def begin(self) -> None:
        """The iteration begins."""
        depth = self.drawing.root.iteration
        say = f"Iteration to depth {depth} begins."
        if self.before is not None:
            value, best = self.result(self.before)
            say += f" The last one, to depth {self.before.root.iteration}, found {value}"
            say += f"; its best action, {best}, comes first now." if best else "."
        self.add(code.ITERATION, 0, say)

    def end(self) -> None:
        """The iteration ends."""
        left = len(self.whole.children[None]) - len(self.drawing.children[None])
        if left:
            self.add(code.WINDOW, 0, f"{counted(left, 'more window is', 'more windows are')} not shown.")
        value, best = self.result(self.whole)
        if not value:
            say = "The search was stopped before the end of this iteration."
        else:
            say = f"The value to depth {self.drawing.root.iteration} is {value}" + (
                f"; the best action is {best}." if best else "."
            )
        if self.is_last:
            left = self.recording.dropped
            is_proved = self.whole.children[None][-1].exact and not value.startswith("~")
            say += " It is proved, so the search ends." if is_proved and not left else ""
            say += f" The trace was full: {left:,} more visits were not recorded." if left else ""
        self.add(code.BOUND, 0, say, v=value or None, done=True)

    def result(self, drawing: Drawing) -> tuple[str, str]:
        """The value of an iteration, and the best action; "" if it was not finished."""
        roots = drawing.children[None]
        last = roots[-1]
        if last.value is None:
            return "", ""
        value = plain(drawing.columns(last, 0)[0])
        for root in reversed(roots):
            if root.value is not None and root.scores[2] > root.scores[0]:
                same = [
                    child.name
                    for child in drawing.children[root.index]
                    if child.scores[2] == root.scores[2] and child.bound != "upper"
                ]
                return value, same[0] if same else ""
        return value, ""

    def choose_window(self, visit: Visit) -> tuple[str, str]:
        """The step in which a window for the root is chosen, and its ends."""
        alpha, beta, _ = visit.scores
        roots = self.drawing.children[None]
        place = roots.index(visit)
        text = self.bound
        near = utility(alpha) == utility(beta) and beta - alpha > 2
        ends = text(alpha, near=near), text(beta, near=near)
        if beta - alpha == 1:
            at_least = (self.on.mtdf and beta != 1) or alpha == -1
            ends = (moved(text(beta), -1), text(beta)) if at_least else (text(alpha), moved(text(alpha), 1))
            asks = f"is the value at least {text(beta)}?" if at_least else f"is the value more than {text(alpha)}?"
        elif beta - alpha == 2:
            ends = moved(text(alpha + 1), -1), moved(text(alpha + 1), 1)
            asks = f"is the value {text(alpha + 1)} again, as the last two iterations found?"
        else:
            asks = "all values." if place == 0 else "where the value is now known to be."
        self.add(code.WINDOW, 0, f"{ordinal(place)} window: ({ends[0]}, {ends[1]}): {asks}")
        return ends
