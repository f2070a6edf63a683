"""What comes back from an action: v, alpha and beta, cuts, and the value of the state."""

from outplay.engine.visits import SKIPPED, Visit
from outplay.search import pseudo_code as code
from outplay.search.steps.tree import OpenVisit, StepTree
from outplay.search.steps.words import counted, plain, said


class Values(StepTree):
    """The steps in which values come back."""

    def take(self, at: OpenVisit, child: Visit) -> None:
        """A visit takes the value of one of its children."""
        visit, worth = at.visit, self.worth(child)
        siblings = self.drawing.children[visit.index]
        at.taken += 1
        is_last = at.taken == len(siblings)
        if child.name == "pass":
            if visit.why == "null move":
                say = f"Even a pass is worth {said(worth)}: the state is given up, with {self.goal(at)}."
                self.add(code.PASS, at, say, v=self.worth(visit), why=visit.why, done=True)
                at.is_done = True
            else:
                self.add(
                    code.PASS, at, f"A pass is worth {said(worth)}, which is not enough: the actions are searched."
                )
            return
        if child.name == "less deep":
            if visit.why == "probcut":
                say = f"It found {said(worth)}, so that is likely: the state is given up."
                self.add(code.LESS_DEEP, at, say, v=self.worth(visit), why=visit.why, done=True)
                at.is_done = True
            else:
                self.add(
                    code.LESS_DEEP, at, f"It found {said(worth)}, so that is not likely: the actions are searched."
                )
            return
        if not is_last and siblings[at.taken].action == child.action:
            return  # the same action again
        at.tried += 1
        in_quiescence = visit.parent is not None and self.is_quiescence(visit)
        score, is_max = child.scores[2], self.is_max(visit)
        better = at.v is None or (score > at.v if is_max else score < at.v)
        if better:
            at.v, at.v_text = score, plain(worth)
        say = f"{child.name} is worth {said(worth)}: v {'becomes' if better else 'stays'} {at.v_text}."
        every = visit.details is not None and visit.details.every
        if every:
            say += " The value of every action is wanted, so α stays."
        self.add(code.NOISY if in_quiescence else code.BEST, at, say, v=at.v_text)
        assert at.v is not None
        if every:
            return
        enough = at.v >= at.beta if is_max else at.v <= at.alpha
        if enough and better:
            if not is_last:
                self.unexplained += 1
            self.cut(at, code.QUIET_CUT if in_quiescence else code.CUT)
        elif better:
            self.improve(at, code.QUIET_CUT if in_quiescence else code.ALPHA)

    def cut(self, at: OpenVisit, line: str) -> None:
        """The value is outside the window: the opponent will avoid the state."""
        visit, is_max = at.visit, self.is_max(at.visit)
        sign, bound = ("≥ β", at.window[1]) if is_max else ("≤ α", at.window[0])
        say = f"v = {at.v_text} {sign} = {bound}: "
        say += (
            "that answers the question of this window."
            if visit.parent is None
            else f"{'MIN' if is_max else 'MAX'} has something as good elsewhere."
        )
        self.add(line, at, say + self.kept(visit), v=self.worth(visit), why="cut", done=True)
        at.is_done = True
        self.check(at)
        self.left_out(at, line)

    def improve(self, at: OpenVisit, line: str) -> None:
        """The value becomes alpha, or beta, if it is better than that."""
        before = at.window
        assert at.v is not None
        self.raise_bound(at, at.v, at.v_text)
        if at.window != before:
            is_max = self.is_max(at.visit)
            letter, bound = ("α", at.window[0]) if is_max else ("β", at.window[1])
            self.add(line, at, f"{letter} becomes {bound}: {'MAX' if is_max else 'MIN'} is sure of that here.")

    def finish(self, at: OpenVisit) -> None:
        """A visit returns after all that it searched."""
        visit, details, worth = at.visit, at.visit.details, self.worth(at.visit)
        in_quiescence = visit.parent is not None and self.is_quiescence(visit)
        if visit.value is None:
            self.add(code.CALL, at, "The search was stopped here.", why="stopped", done=True)
            return
        if at.taken < len(self.drawing.children[visit.index]) or self.is_cut_short(visit):
            self.add(code.RETURN, at, f"The trace was full here. The value is {said(worth)}.", v=worth, done=True)
            return
        if details is not None and details.futile:
            most = details.scores[1]
            if at.v is None or (most > at.v if self.is_max(visit) else most < at.v):
                at.v, at.v_text = most, f"~{self.bound(most)}"
            bound = f"at {'most' if self.is_max(visit) else 'least'} {self.bound(most)}"
            say = f"{counted(details.futile, 'action is', 'actions are')} left out as futile: with the estimate"
            say += f" {self.estimate(at)} and the margin, {bound}."
            self.add(code.FUTILE, at, say, v=at.v_text)
        if details is not None and details.beam:
            self.add(
                code.LEFT_OUT,
                at,
                f"{counted(at.tried, 'action was', 'actions were')} tried: the beam leaves out the others.",
            )
        self.check(at)
        who = "The root" if visit.parent is None else f"The state after {visit.name}" if visit.name else "The state"
        if in_quiescence:
            say, line = (
                f"No noisy action is left: {who[:1].lower() + who[1:]} is worth {said(worth)}.",
                code.QUIET_RETURN,
            )
        elif visit.why == "cut":
            say, line = (
                f"Nothing that is possible is better: {who[:1].lower() + who[1:]} is worth {said(worth)}.",
                code.CUT,
            )
        else:
            say, line = f"All actions are searched: {who[:1].lower() + who[1:]} is worth {said(worth)}.", code.RETURN
        self.add(line, at, say + ("" if in_quiescence else self.kept(visit)), v=worth, why="", done=True)
        self.left_out(at, line)

    def left_out(self, at: OpenVisit, line: str) -> None:
        """The step for actions that were not searched."""
        visit = at.visit
        cut = next((child for child in self.nodes[at.node].children if self.shown[child] is None), None)
        if cut is None:
            return
        names = self.drawing.skipped_names(visit)
        more = f" and {len(visit.skipped) - len(names)} more" if len(visit.skipped) > len(names) else ""
        say = f"{SKIPPED[visit.why].capitalize()}, and so not searched: {', '.join(names)}{more}."
        self.add(line, cut, say, done=True)
