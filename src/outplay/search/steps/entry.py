"""What a search asks of a state before its actions: the table, what is still possible, and standing pat."""

from outplay.search import pseudo_code as code
from outplay.search.steps.tree import OpenVisit, StepTree
from outplay.search.steps.words import counted, is_or_are, it_or_they


class Entry(StepTree):
    """The steps of a state before its actions."""

    def hide(self, at: OpenVisit, hidden: int) -> None:
        """What is below is not shown."""
        worth, visits = self.worth(at.visit), counted(hidden, "visit", "visits")
        say = f"{visits} below {is_or_are(hidden)} not shown; "
        if at.visit.value is None:
            say += "the search was stopped there."
        else:
            say += f"{it_or_they(hidden)} {worth} ({at.visit.why})."
        self.add(code.RETURN, at, say, v=worth, why=at.visit.why, done=True)
        at.is_done = True

    def look_up(self, at: OpenVisit) -> None:
        """What comes before the actions: an extension, the limits of what is possible, and the table."""
        visit, details = at.visit, at.visit.details
        assert details is not None
        worth = self.worth(visit)
        if details.extended:
            self.add(code.EXTEND, at, f"The state needs an extension: it is searched to depth {visit.depth + 1}.")
        if visit.why == "window":
            say = f"Nothing that is still possible at this distance lies in the window: return {worth}."
            self.add(code.POSSIBLE, at, say, v=worth, why=visit.why, done=True)
            at.is_done = True
            return
        if details.window is not None:
            self.narrow(at, details.window)
        if details.table is None:
            return
        entry, exact = details.table, "proved, " if details.table.exact else ""
        sign = {"upper": "at most ", "lower": "at least ", "exact": ""}[entry.bound]
        number = self.bound(entry.score) if entry.exact else f"~{self.number(entry.value)}"
        what = f"{sign}{number} ({exact}depth {entry.depth})"
        where = "The table has the mirror image of this state" if entry.mirrored else "The table has this state"
        if visit.why == "table":
            decides = {"exact": "an exact value decides"}.get(entry.bound, "")
            if entry.bound == "upper":
                decides = f"{number} ≤ α = {at.window[0]} decides"
                if at.window[0] == "−∞":
                    decides = "nothing is worth less"
            elif entry.bound == "lower":
                decides = f"{number} ≥ β = {at.window[1]} decides"
                if at.window[1] == "+∞":
                    decides = "nothing is worth more"
            self.add(
                code.TABLE, at, f"{where}: {what}; {decides}.", v=worth, why=f"table, {entry.depth} deep", done=True
            )
            at.is_done = True
        else:
            needed = visit.depth + details.extended
            short = f"{needed} {'is' if needed == 1 else 'are'} needed"
            why = f"{short}" if entry.depth < needed and not entry.exact else "that decides nothing in this window"
            self.add(code.TABLE, at, f"{where}: {what}, but {why}.")

    def narrow(self, at: OpenVisit, window: tuple[int, int]) -> None:
        """The window loses what no end of the game can be worth."""
        alpha, beta = window
        ends = (
            at.window[0] if alpha == at.alpha else self.bound(alpha),
            at.window[1] if beta == at.beta else self.bound(beta),
        )
        if ends == at.window:
            at.alpha, at.beta = alpha, beta
            return
        at.alpha, at.beta, at.window = alpha, beta, ends
        say = f"No end of the game from here is outside ({ends[0]}, {ends[1]}): that is the window now."
        self.add(code.POSSIBLE, at, say)

    def stand_pat(self, at: OpenVisit) -> None:
        """The quiescence search begins with the estimate."""
        visit, details = at.visit, at.visit.details
        assert details is not None
        if details.window is not None:
            at.alpha, at.beta = details.window
        if details.estimate is None:
            return
        if details.urgent:
            self.add(code.STAND_PAT, at, "The state is urgent: no standing pat, and every action is tried.")
            return
        estimate = details.scores[0]
        at.v, at.v_text = estimate, f"~{self.number(details.estimate)}"
        is_max = self.is_max(visit)
        ends, letter = ("≥ β", at.window[1]) if is_max else ("≤ α", at.window[0]), "v"
        say = f"The state is not quiet. Standing pat is worth {at.v_text}"
        if (estimate >= at.beta) if is_max else (estimate <= at.alpha):
            worth = self.worth(visit)
            self.add(
                code.STAND_PAT,
                at,
                f"{say}: {letter} {ends[0]} = {ends[1]}, so that is enough.",
                v=worth,
                why="stands pat",
                done=True,
            )
            at.is_done = True
            return
        self.raise_bound(at, estimate, at.v_text)
        self.add(code.STAND_PAT, at, f"{say}; noisy actions may be better.", v=at.v_text)
