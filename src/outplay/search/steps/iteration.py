"""The steps of an iteration, in the order of the search.

`Iteration` goes through the visits of an iteration as the search did and keeps alpha, beta and v of each open node, by
the rules of the pseudo-code. `unexplained` counts where that differs from what was recorded; a test keeps it 0.
"""

from outplay.engine.visits import Visit
from outplay.pictures.page import Step
from outplay.search import pseudo_code as code
from outplay.search.steps.calls import Calls
from outplay.search.steps.entry import Entry
from outplay.search.steps.tree import OpenVisit
from outplay.search.steps.values import Values
from outplay.search.steps.windows import Windows


class Iteration(Windows, Entry, Calls, Values):
    """The steps of an iteration. Its nodes are numbered from `first` on."""

    def all(self) -> list[Step]:
        """All steps."""
        self.begin()
        for node, visit in enumerate(self.shown):
            if visit is not None:
                while self.open and self.open[-1].visit.index != visit.parent:
                    self.close()
                self.enter(node, visit)
        while self.open:
            self.close()
        self.end()
        return self.steps

    def enter(self, node: int, visit: Visit) -> None:
        """The call for a state; a leaf returns at once."""
        above = self.open[-1] if self.open else None
        alpha, beta, _ = visit.scores
        ends = self.choose_window(visit) if above is None else self.call(above, visit)
        at = OpenVisit(visit, node, alpha, beta, ends)
        self.open.append(at)
        details, worth = visit.details, self.worth(visit)
        is_mine = self.on.quiescence and details is not None and visit.depth + details.extended <= 0
        after = f"After {visit.name}, " if visit.action is not None else ""
        ended = {
            "end": (code.END, "the game is over: the utility is"),
            "repetition": (code.REPEATED, "the state is one on the path: its value is"),
            "forced result": (code.FORCED, "the rules know how this ends: the value is"),
            "estimate": (
                (code.QUIET, "the look-ahead ends, and the state is quiet: the estimate is")
                if self.on.quiescence
                else (code.HORIZON, "the look-ahead ends: the estimate is")
            ),
        }
        if visit.why in ended:
            line, say = ended[visit.why]
            say = after + say if after else say[:1].upper() + say[1:]
            self.add(line, at, f"{say} {worth}.", v=worth, why=visit.why, done=True)
            at.is_done = True
            return
        who = "MAX" if self.is_max(visit) else "MIN"
        how = "in the quiescence search" if is_mine else f"depth {visit.depth}"
        self.add(
            code.QUIET_CALL if is_mine else code.CALL, at,
            f"{after}{who} is to move, {how}, with the window ({ends[0]}, {ends[1]}).",
        )  # fmt: skip
        if is_mine:
            self.stand_pat(at)
        elif details is not None:
            self.look_up(at)
        hidden = self.drawing.below[visit.index] if visit.ply >= self.plies else 0
        if hidden and not at.is_done:
            self.hide(at, hidden)

    def close(self) -> None:
        """The last open visit returns, and its parent takes the value."""
        at = self.open.pop()
        above = self.open[-1] if self.open else None
        visit = at.visit
        if not at.is_done:
            self.finish(at)
        if above is not None and visit.value is not None and not above.is_done:
            self.take(above, visit)
