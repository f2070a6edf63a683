"""Outplay's own alpha-beta step by step: iterations, windows, what the table had, and what each technique does.

`Iteration` goes through the visits of an iteration as the search did and keeps alpha, beta and v of each open node, by
the rules of the pseudo-code. `unexplained` counts where that differs from what was recorded; a test keeps it 0.
"""

import re
from dataclasses import dataclass
from math import inf

from outplay.engine.recorded_visits import MAX_PICTURE_NODES, Visits
from outplay.engine.score import DISTANCES
from outplay.engine.trace_drawing import Drawing, NamesNodes
from outplay.engine.trace_picture import laid_out, state_inset
from outplay.engine.visits import SKIPPED, Visit, utility
from outplay.pictures.page import Caption, Step, StepByStep
from outplay.pictures.tree import TreePicture
from outplay.rules.constant_sum import balance
from outplay.search import pseudo_code as code
from outplay.search.options import AlphaBetaOptions, HowSearched

MAX_STEP_NODES = 1_000
"""The maximum number of states on a page for which no number of plies was given."""
MAX_WINDOWS = 100
"""The maximum number of windows at the root that are shown of an iteration."""
MAX_ASKED_NODES = 10_000
"""The maximum number of states if it was given."""


def alpha_beta_steps(recording: Visits, how: HowSearched, number: int | None, plies: int | None) -> StepByStep:
    """The steps of the iteration to depth `number`, or of all; see `Trace.save` for the arguments."""
    depths = recording.iterations()
    shown = depths if number is None else [number]
    left_out = ""
    if recording.dropped:
        whole = depths[:-1] or depths
        left_out = f", {recording.dropped:,} more not recorded"
        shown = shown if number is not None else whole
    drawings = [recording.drawing(depth) for depth in shown]
    lines = code.pseudo_code(how.techniques, recording.game, how.beam, depths)
    steps: list[Step] = []
    captions: list[Caption] = []
    pictures: list[TreePicture] = []
    for place, (drawing, deep) in enumerate(zip(drawings, _plies(drawings, plies), strict=True)):
        is_last = place == len(drawings) - 1
        before = drawings[place - 1] if place else None
        tree = Iteration(recording, how.techniques, drawing, deep, lines, len(captions), before, is_last=is_last)
        steps += tree.all()
        captions += tree.captions()
        pictures.append(tree.picture())
    visits = sum(len(drawing.visits) for drawing in drawings)
    return StepByStep(
        picture=pictures[0],
        captions=captions,
        code=[text for _, text in lines],
        steps=steps,
        more=pictures[1:],
        title=f"{recording.method}, depth {shown[-1]}, {visits:,} visits{left_out}",
        mode=code.in_words(how.techniques, recording.game, how.beam, how.threads),
    )


def _plies(drawings: list[Drawing], plies: int | None) -> list[int]:
    """The plies to show of each iteration: of the last one as many as fit, and of the others."""
    if plies is not None:
        total = sum(drawing.lines(plies) for drawing in drawings)
        if total > MAX_ASKED_NODES:
            raise ValueError(
                f"{plies} plies are {total:,} states, and a page shows {MAX_ASKED_NODES:,}:"
                " choose fewer plies, or an iteration"
            )
        return [plies] * len(drawings)
    chosen, left = [], MAX_STEP_NODES - MAX_PICTURE_NODES
    for number, drawing in enumerate(drawings[:-1]):
        most = min(left // (len(drawings) - 1 - number), MAX_PICTURE_NODES)
        chosen.append(_deepest(drawing, most))
        left -= drawing.lines(chosen[-1])
    return [*chosen, _deepest(drawings[-1], MAX_PICTURE_NODES)]


def _deepest(drawing: Drawing, most: int) -> int:
    """The plies that fit into so many nodes; 0 if only the windows at the root do."""
    plies = drawing.deepest(most)
    return plies if drawing.lines(plies) <= most else 0


def _first_windows(drawing: Drawing) -> Drawing:
    """An iteration without the windows at the root for which there is no room."""
    roots = drawing.children[None]
    if len(roots) <= MAX_WINDOWS:
        return drawing
    end = roots[MAX_WINDOWS].index - roots[0].index
    return Drawing(drawing.game, drawing.visits[:end], drawing.method, plain=False, dropped=drawing.dropped)


@dataclass
class _Open:
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


class Iteration:
    """The steps of an iteration. Its nodes are numbered from `first` on."""

    def __init__(
        self, recording: Visits, techniques: AlphaBetaOptions, drawing: Drawing, plies: int,
        lines: list[tuple[str, str]], first: int, before: Drawing | None, *, is_last: bool,
    ) -> None:  # fmt: skip
        self.recording, self.whole, self.plies, self.first = recording, drawing, plies, first
        self.drawing = _first_windows(drawing)
        self.on, self.before, self.is_last = techniques, before, is_last
        self.nodes, self.shown = laid_out(self.drawing, plies, boards=False)
        self.line = {name: number for number, (name, _) in reversed(list(enumerate(lines))) if name}
        self.steps: list[Step] = []
        self.open: list[_Open] = []
        self.texts: dict[int, list[str]] = {}  # of each node: v, the window, and why it ended
        self.widest: dict[int, list[str]] = {}
        self.unexplained = 0

    # -- the whole -------------------------------------------------------------------------------------------------

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

    def picture(self) -> TreePicture:
        """The whole tree, with room for the longest texts of each node."""
        for number, shown in enumerate(self.nodes):
            shown.bold = False  # the page does not say yet which line is best
            if number in self.widest:
                shown.lines = self.widest[number]
        depth, root = self.drawing.root.iteration, self.whole
        deepest = max(visit.ply for visit in root.visits)
        part = f", of which {_counted(self.plies, 'ply is', 'plies are')} shown" if deepest > self.plies else ""
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
        self, line: str, at: _Open | int, say: str, *, v: str | None = None, why: str | None = None, done: bool = False
    ) -> None:
        """Add a step at a visit, or at a node of none. It has the value `v` and the reason `why` from now on."""
        node = at if isinstance(at, int) else at.node
        window = None
        if isinstance(at, _Open) and at.visit.player is not None:
            window = at.window
        texts = self.texts.setdefault(node, ["", "", ""])
        if v is not None:
            texts[0] = v
        if isinstance(at, _Open) and self.drawing.node_name(at.visit):
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

    # -- iterations and windows ----------------------------------------------------------------------------------------

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
            self.add(code.WINDOW, 0, f"{_counted(left, 'more window is', 'more windows are')} not shown.")
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
        value = _plain(drawing.columns(last, 0)[0])
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
            ends = (_moved(text(beta), -1), text(beta)) if at_least else (text(alpha), _moved(text(alpha), 1))
            asks = f"is the value at least {text(beta)}?" if at_least else f"is the value more than {text(alpha)}?"
        elif beta - alpha == 2:
            ends = _moved(text(alpha + 1), -1), _moved(text(alpha + 1), 1)
            asks = f"is the value {text(alpha + 1)} again, as the last two iterations found?"
        else:
            asks = "all values." if place == 0 else "where the value is now known to be."
        self.add(code.WINDOW, 0, f"{_ordinal(place)} window: ({ends[0]}, {ends[1]}): {asks}")
        return ends

    # -- one visit -----------------------------------------------------------------------------------------------------

    def enter(self, node: int, visit: Visit) -> None:
        """The call for a state; a leaf returns at once."""
        above = self.open[-1] if self.open else None
        alpha, beta, _ = visit.scores
        ends = self.choose_window(visit) if above is None else self.call(above, visit)
        at = _Open(visit, node, alpha, beta, ends)
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

    def hide(self, at: _Open, hidden: int) -> None:
        """What is below is not shown."""
        worth, visits = self.worth(at.visit), _counted(hidden, "visit", "visits")
        say = f"{visits} below {_is(hidden)} not shown; "
        if at.visit.value is None:
            say += "the search was stopped there."
        else:
            say += f"{_it(hidden)} {worth} ({at.visit.why})."
        self.add(code.RETURN, at, say, v=worth, why=at.visit.why, done=True)
        at.is_done = True

    def look_up(self, at: _Open) -> None:
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

    def narrow(self, at: _Open, window: tuple[int, int]) -> None:
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

    def stand_pat(self, at: _Open) -> None:
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

    # -- calls and what comes back -------------------------------------------------------------------------------------

    def call(self, at: _Open, child: Visit) -> tuple[str, str]:
        """The step in which a visit calls for a child, and the ends of the child's window."""
        visit, (alpha, beta, _) = at.visit, child.scores
        is_max = self.is_max(visit)
        text_lower, text_upper = self.bound(alpha), self.bound(beta)
        lower = at.window[0] if alpha == at.alpha or text_lower == at.window[0] == "−∞" else None
        upper = at.window[1] if beta == at.beta or text_upper == at.window[1] == "+∞" else None
        is_null = beta == at.alpha + 1 if is_max else alpha == at.beta - 1
        if lower is not None and upper is None and is_null and is_max:
            upper = text_upper if lower == "−∞" else _moved(lower, 1)
        elif upper is not None and lower is None and is_null and not is_max:
            lower = text_lower if upper == "+∞" else _moved(upper, -1)
        elif (lower is None or upper is None) and child.name != "less deep":
            self.unexplained += 1
        if child.name == "less deep":
            text_upper = _moved(text_lower, 1)
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

    def try_action(self, at: _Open, child: Visit, *, is_null: bool) -> None:
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
                self.add(code.REDUCED, at, f"{say}, {_counted(less, 'ply', 'plies')} less deep, since it comes late.")
            else:
                self.add(code.NARROW, at, f"{say} suffices.")
        else:
            less = self.depth_of(at.visit) - 1 - child.depth
            line = code.NARROW if at.tried and self.on.null_window else code.FIRST
            how = ""
            if less > 0 and self.on.late_move_reductions:
                line, how = code.REDUCED, f", {_counted(less, 'ply', 'plies')} less deep, since it comes late"
            self.add(line, at, f"{name}{known} is searched with the window ({at.window[0]}, {at.window[1]}){how}.")

    def close(self) -> None:
        """The last open visit returns, and its parent takes the value."""
        at = self.open.pop()
        above = self.open[-1] if self.open else None
        visit = at.visit
        if not at.is_done:
            self.finish(at)
        if above is not None and visit.value is not None and not above.is_done:
            self.take(above, visit)

    def take(self, at: _Open, child: Visit) -> None:
        """A visit takes the value of one of its children."""
        visit, worth = at.visit, self.worth(child)
        siblings = self.drawing.children[visit.index]
        at.taken += 1
        is_last = at.taken == len(siblings)
        if child.name == "pass":
            if visit.why == "null move":
                say = f"Even a pass is worth {_said(worth)}: the state is given up, with {self.goal(at)}."
                self.add(code.PASS, at, say, v=self.worth(visit), why=visit.why, done=True)
                at.is_done = True
            else:
                self.add(
                    code.PASS, at, f"A pass is worth {_said(worth)}, which is not enough: the actions are searched."
                )
            return
        if child.name == "less deep":
            if visit.why == "probcut":
                say = f"It found {_said(worth)}, so that is likely: the state is given up."
                self.add(code.LESS_DEEP, at, say, v=self.worth(visit), why=visit.why, done=True)
                at.is_done = True
            else:
                self.add(
                    code.LESS_DEEP, at, f"It found {_said(worth)}, so that is not likely: the actions are searched."
                )
            return
        if not is_last and siblings[at.taken].action == child.action:
            return  # the same action again
        at.tried += 1
        in_quiescence = visit.parent is not None and self.is_quiescence(visit)
        score, is_max = child.scores[2], self.is_max(visit)
        better = at.v is None or (score > at.v if is_max else score < at.v)
        if better:
            at.v, at.v_text = score, _plain(worth)
        say = f"{child.name} is worth {_said(worth)}: v {'becomes' if better else 'stays'} {at.v_text}."
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

    def cut(self, at: _Open, line: str) -> None:
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

    def improve(self, at: _Open, line: str) -> None:
        """The value becomes alpha, or beta, if it is better than that."""
        before = at.window
        assert at.v is not None
        self.raise_bound(at, at.v, at.v_text)
        if at.window != before:
            is_max = self.is_max(at.visit)
            letter, bound = ("α", at.window[0]) if is_max else ("β", at.window[1])
            self.add(line, at, f"{letter} becomes {bound}: {'MAX' if is_max else 'MIN'} is sure of that here.")

    def raise_bound(self, at: _Open, score: int, text: str) -> None:
        """The bound of the player to move becomes `score` if that is better."""
        visit, text = at.visit, text.removeprefix("~")
        if self.is_max(visit) and score > at.alpha:
            is_least = visit.alpha == -inf and self.recording.is_least(score, visit.ply)
            at.alpha, at.window = _near(score), (at.window[0] if is_least else text, at.window[1])
        elif not self.is_max(visit) and score < at.beta:
            is_least = visit.beta == inf and self.recording.is_least(-score, visit.ply)
            at.beta, at.window = _near(score), (at.window[0], at.window[1] if is_least else text)

    def finish(self, at: _Open) -> None:
        """A visit returns after all that it searched."""
        visit, details, worth = at.visit, at.visit.details, self.worth(at.visit)
        in_quiescence = visit.parent is not None and self.is_quiescence(visit)
        if visit.value is None:
            self.add(code.CALL, at, "The search was stopped here.", why="stopped", done=True)
            return
        if at.taken < len(self.drawing.children[visit.index]) or self.is_cut_short(visit):
            self.add(code.RETURN, at, f"The trace was full here. The value is {_said(worth)}.", v=worth, done=True)
            return
        if details is not None and details.futile:
            most = details.scores[1]
            if at.v is None or (most > at.v if self.is_max(visit) else most < at.v):
                at.v, at.v_text = most, f"~{self.bound(most)}"
            bound = f"at {'most' if self.is_max(visit) else 'least'} {self.bound(most)}"
            say = f"{_counted(details.futile, 'action is', 'actions are')} left out as futile: with the estimate"
            say += f" {self.estimate(at)} and the margin, {bound}."
            self.add(code.FUTILE, at, say, v=at.v_text)
        if details is not None and details.beam:
            self.add(
                code.LEFT_OUT,
                at,
                f"{_counted(at.tried, 'action was', 'actions were')} tried: the beam leaves out the others.",
            )
        self.check(at)
        who = "The root" if visit.parent is None else f"The state after {visit.name}" if visit.name else "The state"
        if in_quiescence:
            say, line = (
                f"No noisy action is left: {who[:1].lower() + who[1:]} is worth {_said(worth)}.",
                code.QUIET_RETURN,
            )
        elif visit.why == "cut":
            say, line = (
                f"Nothing that is possible is better: {who[:1].lower() + who[1:]} is worth {_said(worth)}.",
                code.CUT,
            )
        else:
            say, line = f"All actions are searched: {who[:1].lower() + who[1:]} is worth {_said(worth)}.", code.RETURN
        self.add(line, at, say + ("" if in_quiescence else self.kept(visit)), v=worth, why="", done=True)
        self.left_out(at, line)

    def left_out(self, at: _Open, line: str) -> None:
        """The step for actions that were not searched."""
        visit = at.visit
        cut = next((child for child in self.nodes[at.node].children if self.shown[child] is None), None)
        if cut is None:
            return
        names = self.drawing.skipped_names(visit)
        more = f" and {len(visit.skipped) - len(names)} more" if len(visit.skipped) > len(names) else ""
        say = f"{SKIPPED[visit.why].capitalize()}, and so not searched: {', '.join(names)}{more}."
        self.add(line, cut, say, done=True)

    # -- words ---------------------------------------------------------------------------------------------------------

    def check(self, at: _Open) -> None:
        """Count a value that does not follow from those below."""
        score = at.visit.scores[2]
        if at.visit.parent is not None and at.v is not None and _near(at.v) != _near(score):
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

    def earlier(self, at: _Open, child: Visit) -> Visit | None:
        """The visit before `child`, if it is the same action."""
        siblings = self.drawing.children[at.visit.index]
        place = siblings.index(child)
        before = siblings[place - 1] if place else None
        return before if before is not None and before.action == child.action is not None else None

    def is_max(self, visit: Visit) -> bool:
        """Whether MAX is to move."""
        return self.drawing.mover(visit) == "MAX"

    def estimate(self, at: _Open) -> str:
        """The estimate of a state."""
        details = at.visit.details
        return "" if details is None or details.estimate is None else f"~{self.number(details.estimate)}"

    def goal(self, at: _Open) -> str:
        """The end of the window that the player to move wants to reach."""
        return f"β = {at.window[1]}" if self.is_max(at.visit) else f"α = {at.window[0]}"

    def worth(self, visit: Visit) -> str:
        """The value of a visit as text."""
        return self.drawing.columns(visit, self.plies)[0].replace("-", "−")

    def bound(self, score: int, *, near: bool = False) -> str:
        """An end of a window as text."""
        if abs(score) <= 1:  # 0, or a step from it
            return _moved(self.number(balance(self.drawing.game)), score)
        return self.drawing.bound(score, near).replace("inf", "∞").replace("-", "−")

    def number(self, value: float) -> str:
        """A value as text."""
        return f"{value:.4g}".replace("-", "−")


def _near(score: int) -> int:
    """A score, without what is nearer to a draw than any other value."""
    return 0 if abs(score) < DISTANCES else score


def _moved(bound: str, steps: int) -> str:
    """A bound that is so many steps higher.

    >>> _moved("3", 1), _moved("0−ε", 1), _moved("3+ε", 1)
    ('3+ε', '0', '3+2ε')
    """
    place = re.fullmatch(r"(.+?)(?:([+−])(\d*)ε)?", bound)
    assert place is not None
    base, sign, count = place.groups()
    steps += int(count or bool(sign)) * (-1 if sign == "−" else 1)
    number = "" if abs(steps) == 1 else str(abs(steps))
    return f"{base}{'+' if steps > 0 else '−'}{number}ε" if steps else base


def _plain(worth: str) -> str:
    """A value without the sign of a bound."""
    return worth.removeprefix("≤ ").removeprefix("≥ ")


def _said(worth: str) -> str:
    """A value in a sentence."""
    return worth.replace("≤", "at most").replace("≥", "at least")


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _it(number: int) -> str:
    return "it returns" if number == 1 else "they return"


def _ordinal(place: int) -> str:
    return ("First", "Second", "Third")[place] if place < 3 else f"{place + 1}th"
