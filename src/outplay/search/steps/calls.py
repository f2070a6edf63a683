"""An action is tried: with which window, and how deep."""

from outplay.engine.visits import Visit
from outplay.search import pseudo_code as code
from outplay.search.steps.tree import OpenVisit, StepTree
from outplay.search.steps.words import counted, moved


class Calls(StepTree):
    """The steps in which actions are tried."""

    def call(self, at: OpenVisit, child: Visit) -> tuple[str, str]:
        """The step in which a visit calls for a child, and the ends of the child's window."""
        visit, (alpha, beta, _) = at.visit, child.scores
        is_max = self.is_max(visit)
        text_lower, text_upper = self.bound(alpha), self.bound(beta)
        lower = at.window[0] if alpha == at.alpha or text_lower == at.window[0] == "−∞" else None
        upper = at.window[1] if beta == at.beta or text_upper == at.window[1] == "+∞" else None
        is_null = beta == at.alpha + 1 if is_max else alpha == at.beta - 1
        if lower is not None and upper is None and is_null and is_max:
            upper = text_upper if lower == "−∞" else moved(lower, 1)
        elif upper is not None and lower is None and is_null and not is_max:
            lower = text_lower if upper == "+∞" else moved(upper, -1)
        elif (lower is None or upper is None) and child.name != "less deep":
            self.unexplained += 1
        if child.name == "less deep":
            text_upper = moved(text_lower, 1)
        ends = (lower or text_lower, upper or text_upper)
        if child.name == "pass":
            say = f"The estimate {self.estimate(at)} reaches {self.goal(at)}: is even a pass good enough?"
            self.add(code.PASS, at, f"{say} It is searched to depth {child.depth}.")
        elif child.name == "less deep":
            say = (
                f"The estimate is {self.estimate(at)}. Is the value probably outside ({at.window[0]}, {at.window[1]})?"
            )
            say += f" A search to depth {child.depth} with the window ({ends[0]}, {ends[1]}) tells."
            self.add(code.LESS_DEEP, at, say)
        elif visit.parent is not None and self.is_quiescence(visit):
            self.add(code.NOISY, at, f"{child.name} is tried.")
        else:
            self.try_action(at, child, is_null=is_null and at.beta - at.alpha > 1)
        return ends

    def try_action(self, at: OpenVisit, child: Visit, *, is_null: bool) -> None:
        """The step in which an action is tried, for the first time or again."""
        name, first = child.name, child.details.first if child.details is not None else ""
        known = {
            "table": ", the best action in the table,",
            "killer": ", a killer,",
            "countermove": ", the countermove,",
        }.get(first, "")
        before = self.earlier(at, child)
        best = at.window[0] if self.is_max(at.visit) else at.window[1]
        better = "more" if self.is_max(at.visit) else "less"
        if before is not None and before.depth < child.depth:
            say = f"{name} was searched less deep, and is worth {better} than {best}: again, to depth {child.depth}."
            self.add(code.DEEPER, at, say)
        elif before is not None:
            self.add(
                code.WIDER, at, f"{name} is worth {better} than {best}: again with the whole window, to see how much."
            )
        elif is_null:
            less = self.depth_of(at.visit) - 1 - child.depth
            say = f"{name}{known} need only be compared: is it worth {better} than {best}? A null window"
            if less > 0 and self.on.late_move_reductions:
                self.add(code.REDUCED, at, f"{say}, {counted(less, 'ply', 'plies')} less deep, since it comes late.")
            else:
                self.add(code.NARROW, at, f"{say} suffices.")
        else:
            less = self.depth_of(at.visit) - 1 - child.depth
            line = code.NARROW if at.tried and self.on.null_window else code.FIRST
            how = ""
            if less > 0 and self.on.late_move_reductions:
                line, how = code.REDUCED, f", {counted(less, 'ply', 'plies')} less deep, since it comes late"
            self.add(line, at, f"{name}{known} is searched with the window ({at.window[0]}, {at.window[1]}){how}.")
