"""Traces of tree searches: each visited state, its window, its value, and why the search went no further.

Reading order: `Visit` (one record), `Trace` (all records; `Trace.tree` prints them), `read_visits` (from the numbers in
the memory of a search to visits). `trace_kernels.py` records the numbers.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Any, Protocol, overload, runtime_checkable

from outplay.compile.records import Record
from outplay.engine.analysis import words_of
from outplay.engine.score import DISTANCES, INFINITE, decode, distance, to_value
from outplay.engine.trace_kernels import LESS_DEEP, PASS, Row
from outplay.rules.game import CHANCE, Game, legal_actions, team_members

REASONS = (
    "end", "forced result", "repetition", "estimate", "quiescence", "window", "table", "null move", "probcut", "cut",
    "all searched", "stopped",
)  # fmt: skip
"""The words for the reasons that `trace_kernels.py` numbers."""
CERTAIN = ("end", "forced result", "repetition", "estimate")
"""Reasons with which the value does not depend on the window."""
SKIPPED = {"cut": "pruned", "all searched": "left out", "stopped": "not reached"}
"""The words for actions that were not searched, by the reason of the visit."""
MAX_TREE_LINES = 100
"""The maximum number of lines of a tree for which no depth was given."""
MAX_NAMES = 12
"""The maximum number of actions that are named in a line about actions that were not searched."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Visit:
    """One visit of a search to a state.

    The window, value and distance are seen from the root: values are for the player to move at the root (MAX), and
    distances are counted from the root. So a bound that is passed down the tree stays the same number, as in textbooks.

    Attributes:
        index: the index in the trace. Visits are numbered as they begin, so a parent comes before its children.
        parent: the index of the parent visit; None at the root.
        iteration: the depth of the iteration to which the visit belongs.
        ply: actions from the root; a pass does not count.
        action: the action that led here; None at the root, for a pass, and for a search of the parent's state to less
            depth.
        name: the name of the action; "" at the root, "pass" or "less deep" for the other two.
        state: the visited state.
        player: the player to move, or `CHANCE`; None if the game is over.
        depth: plies still to search.
        alpha: the value that MAX is already sure of; -inf if none.
        beta: the value that MIN is already sure of; inf if none.
        value: the value that the search returned; None if it was stopped.
        bound: "exact"; "upper" if `value` is at most alpha, so that the true value is at most `value`; or "lower" if
            `value` is at least beta, so that the true value is at least `value`.
        values: in max^n, the value for each player; else None.
        exact: whether value and bound are proved, not based on an estimate.
        distance: plies from the root to the end of the game, if a decisive value is proved; else None.
        why: why the search went no further: "end" (of the game), "forced result", "repetition", "estimate" (the end of
            the look-ahead), "quiescence", "window" (no value lies in the window), "table" (the transposition table
            had the value), "null move" (even a pass is too good), "probcut" (a search of less depth made a cutoff
            likely), "cut" (an action is so good that the opponent will avoid this state), "all searched" or "stopped".
        skipped: the legal actions that were not searched: pruned if `why` is "cut", else left out or not reached.
        scores: alpha, beta and value as scores, as the search compares them; they contain distances, but not in a
            textbook search.
    """

    index: int
    parent: int | None
    iteration: int
    ply: int
    action: int | None
    name: str
    state: Any
    player: int | None
    depth: int
    alpha: float
    beta: float
    value: float | None
    values: tuple[float, ...] | None
    bound: str
    exact: bool
    distance: int | None
    why: str
    skipped: tuple[int, ...]
    scores: tuple[int, int, int]


class Trace(Sequence[Visit]):
    """A recorder of the visits of one search: a sequence of `Visit`, in the order in which the visits began.

    Pass it as `trace=` to `search` or `analyse` of `AlphaBeta`, or of any searcher with `textbook=True`, which fill it.

    Args:
        limit: the maximum number of visits to record; `dropped` is the number of visits after these.

    Raises `ValueError` for a limit that is not a whole number from 1 to 10,000,000.

    >>> from outplay import AlphaBeta
    >>> from outplay.games import ExplicitTree
    >>> trace = Trace()
    >>> analysis = AlphaBeta(ExplicitTree([[3, 12], [2, 4]]), textbook=True).search(trace=trace)
    >>> print(trace)
    AlphaBeta(textbook=True), 7 visits  value  window        why
    MAX                                 3      (-inf, +inf)  all searched
    ├─ 1: MIN                           3      (-inf, +inf)  all searched
    │  ├─ 1                             3      (-inf, +inf)  end
    │  └─ 2                             12     (-inf, 3)     end
    └─ 2: MIN                           ≤ 2    (3, +inf)     cut
       ├─ 1                             2      (3, +inf)     end
       └─ ✂ 2 (4)  pruned
    >>> trace[-1].why, trace[-1].value, trace[-1].alpha
    ('end', 2.0, 3.0)
    """

    def __init__(self, limit: int = 10_000) -> None:
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= 10**7:
            raise ValueError(f"Trace(limit={limit!r}): limit must be a whole number from 1 to 10000000")
        self.limit = limit
        self.clear()

    def clear(self) -> None:
        """Remove all visits."""
        self.game: Game | None = None
        self.method = ""  # of the search
        self.dropped = 0
        self._visits: list[Visit] | None = []
        self._possible: tuple[int, int] | None = None  # the least and the greatest score; None: without distances

    # -- how a search fills it --------------------------------------------------------------------------------------

    def read(self, game: Game, state: Any, memory: Record, method: str, plain: bool) -> None:
        """Take over the records of a search of `state`; `plain`: its scores are those of MAX, without distances."""
        recorded = int(memory.recorded)
        self.dropped = max(0, recorded - self.limit)
        columns = [getattr(memory.visits, name)[: recorded - self.dropped].tolist() for name in Row._fields]
        self.game, self._root, self._visits = game, state, None
        self._rows = list(map(Row, *columns))
        self._vectors = None
        if "vector" in memory.visits.dtype.names:
            self._vectors = memory.visits.vector[: len(self._rows)].tolist()
        self.method, self._possible = method, None
        if not plain:
            nearest = 1 + int(memory.forced_result_depth)
            self._possible = int(memory.worst_possible) + nearest, int(memory.best_possible) - nearest

    # -- the recorded visits ----------------------------------------------------------------------------------------

    @property
    def visits(self) -> Sequence[Visit]:
        """Every recorded visit, in order."""
        if self._visits is None:
            assert self.game is not None
            self._visits = read_visits(self.game, self._root, self._rows, self._possible, self.dropped > 0)
            if self._vectors is not None:
                self._visits = _with_values(self.game, self._visits, self._vectors)
        return self._visits

    def __len__(self) -> int:
        return len(self.visits)

    def __iter__(self) -> Iterator[Visit]:
        return iter(self.visits)

    @overload
    def __getitem__(self, index: int) -> Visit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Visit]: ...
    def __getitem__(self, index: int | slice) -> Visit | Sequence[Visit]:
        return self.visits[index]

    def __repr__(self) -> str:
        return f"<Trace of {len(self):,} visits, {self.dropped:,} more dropped>"

    def as_dict(self, plies: int | None = None) -> dict[str, Any]:
        """The trace as plain values, for JSON, down to `plies` plies from the root; None for all visits.

        Actions are given by name. Infinite bounds and unknown values are None.
        """
        visits = []
        for visit in self:
            if plies is not None and visit.ply > plies:
                continue
            plain = {key: value for key, value in vars(visit).items() if key not in ("state", "name", "scores")}
            if visit.values is None:
                del plain["values"]
            plain["action"] = visit.name
            plain["skipped"] = self._names(visit)
            plain["alpha"], plain["beta"] = (bound if isfinite(bound) else None for bound in (visit.alpha, visit.beta))
            visits.append(plain)
        return {
            "game": repr(self.game),
            "method": self.method,
            "limit": self.limit,
            "dropped": self.dropped,
            "visits": visits,
        }

    def _names(self, visit: Visit) -> list[str]:
        assert self.game is not None
        return [self.game.action_name(visit.state, action) for action in visit.skipped]

    # -- the tree as text -------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        return self.tree()

    def tree(self, iteration: int | None = None, plies: int | None = None) -> str:
        """The tree of one iteration as text.

        Each line is a visit. `~` marks a value that is based on estimates; ≤ and ≥ mark bounds. A window that contains
        one value or none is shown as a question: "= 3?", "> 3?". If the actions of a state are not shown, the line
        gives the number of visits below.

        Args:
            iteration: the depth of the iteration; None for the last one that was recorded completely.
            plies: the depth to show; None for as many plies as fit into 100 lines.

        Raises `ValueError` for an iteration that was not recorded.
        """
        iterations = sorted({visit.iteration for visit in self})
        if not iterations:
            return "nothing was searched"
        if iteration is None:
            iteration = iterations[-2 if self.dropped and len(iterations) > 1 else -1]
        if iteration not in iterations:
            raise ValueError(f"Trace.tree({iteration!r}): choose a recorded depth: {', '.join(map(str, iterations))}")
        visits = [visit for visit in self if visit.iteration == iteration]
        drawing = Drawing(self, visits)
        if plies is not None:
            return drawing.text(plies)
        deepest = max(visit.ply for visit in visits)
        while deepest > 1 and drawing.lines(deepest) > MAX_TREE_LINES:
            deepest -= 1
        return drawing.text(deepest)


@runtime_checkable
class NamesNodes(Protocol):
    """A game with names for its states, such as an `ExplicitTree`."""

    def node_name(self, node: Any) -> str:
        """The name of a state, or an empty text."""


class Drawing:
    """The visits of one iteration, laid out as lines."""

    def __init__(self, trace: Trace, visits: list[Visit]) -> None:
        assert trace.game is not None
        self.trace, self.visits, self.game = trace, visits, trace.game
        self.root = visits[0]
        self.children: dict[int | None, list[Visit]] = {visit.index: [] for visit in visits} | {None: []}
        self.below = dict.fromkeys(self.children, 0)  # visits below each visit
        for visit in visits:
            self.children[visit.parent].append(visit)
        for visit in reversed(visits):
            self.below[visit.parent] += 1 + self.below[visit.index]
        self.plain = trace._possible is None  # a textbook search, whose values are plain numbers
        self.windows = not self.plain or any(
            map(isfinite, (bound for each in visits for bound in (each.alpha, each.beta)))
        )
        # If there are only wins, losses and draws, distances matter more than numbers.
        self.words = words_of(self.game) if self.game.utilities and not self.plain else {}

    def lines(self, plies: int) -> int:
        """The number of lines of the tree, shown down to `plies` plies."""
        return sum((visit.ply <= plies) + (visit.ply < plies and bool(visit.skipped)) for visit in self.visits)

    def text(self, plies: int) -> str:
        """The tree down to `plies` plies, as text."""
        depth = "" if self.plain else f", depth {self.root.iteration}"
        title = f"{self.trace.method}{depth}, {len(self.visits):,} visits"
        rows: list[tuple[str, ...]] = [(title, "value", "window", "why")]
        for root in self.children[None]:
            who = f" (player {root.player})" if root.player and self.mover(root) == "MAX" else ""
            rows.append((f"{self.label(root)}{who}", *self.columns(root, plies)))
            self.add_below(root, plies, "", rows)
        if not self.windows:
            rows = [(*row[:2], row[3]) if len(row) > 1 else row for row in rows]
        text = aligned(rows)
        if self.trace.dropped:
            last = self.trace[-1].iteration
            text += (
                f"\nThe trace is full: {self.trace.limit:,} visits are recorded, {self.trace.dropped:,} more,"
                f" from depth {last} on, are not."
            )
        return text

    def add_below(self, visit: Visit, plies: int, margin: str, rows: list[Any]) -> None:
        """Add rows for everything below `visit`: each has four cells, or one cell that takes the whole line."""
        if visit.ply >= plies:
            return
        children = self.children[visit.index]
        seen = set()
        for child in children:
            last = child is children[-1] and not visit.skipped
            name = child.name + (" again" if child.name in seen else "")
            seen.add(child.name)
            if visit.player == CHANCE:
                name += f" ({self.game.probability(visit.state, child.action):.4g})"
            label = self.label(child)
            rows.append(
                (f"{margin}{'└─' if last else '├─'} {name}{':' * bool(label)} {label}", *self.columns(child, plies))
            )
            self.add_below(child, plies, margin + ("   " if last else "│  "), rows)
        if visit.skipped:
            rows.append((f"{margin}└─ {self.skipped(visit)}",))

    def label(self, visit: Visit) -> str:
        """The player to move, and the name of the node in an `ExplicitTree`."""
        mover = "" if visit.player is None else self.mover(visit)
        name = self.game.node_name(visit.state) if isinstance(self.game, NamesNodes) else ""
        return f"{mover} {name}".strip()

    def mover(self, visit: Visit) -> str:
        """The player to move: MAX or MIN; in max^n, a number."""
        if visit.player == CHANCE:
            return "chance"
        if self.root.values is not None:
            return f"player {visit.player}"
        return "MAX" if self.side(visit.player) == self.side(self.root.player) else "MIN"

    def side(self, player: int | None) -> int | None:
        """The side of a player; that of player 0, who is MAX, if chance is to move at the root."""
        sides = self.game.teams or range(self.game.players)
        return None if player is None else sides[max(player, 0)]

    def columns(self, visit: Visit, plies: int) -> tuple[str, str, str]:
        """Value, window and reason."""
        alpha, beta, score = visit.scores
        near = visit.alpha == visit.beta and beta - alpha > 2  # the distances make the difference
        window = f"({self.bound(alpha, near)}, {self.bound(beta, near)})"
        if self.plain:
            pass
        elif beta - alpha == 1:
            window = f"> {self.bound(alpha)}?" if alpha != -1 else f"≥ {self.bound(beta)}?"
        elif beta - alpha == 2:
            window = f"= {self.bound(alpha + 1)}?"
        value = ""
        if visit.values is not None:
            value = f"{'' if visit.exact else '~'}({', '.join(f'{each:.4g}' for each in visit.values)})"
        elif visit.value is not None:
            sign = {"upper": "≤ ", "lower": "≥ ", "exact": ""}[visit.bound]
            value = f"{sign}{self.bound(score)}" if visit.exact else f"{sign}~{visit.value:.4g}"
        why, hidden = visit.why, self.below[visit.index] if visit.ply >= plies else 0
        return value, window, f"{why}, {hidden:,} below" if hidden else why

    def bound(self, score: int, near: bool = False) -> str:
        """A score as text, with its distance if the utility is a word or if the other bound is `near`."""
        number = to_value(score) if self.plain else utility(score)
        text = self.words.get(number, f"{number:+}" if not isfinite(number) else f"{number:.4g}")
        plies = distance(score) if isfinite(number) and number and not self.plain else 0
        return f"{text} in {plies}" if plies and (near or number in self.words) else text

    def skipped(self, visit: Visit) -> str:
        """The actions that were not searched, with a utility for those that end the game."""
        names = []
        for action in visit.skipped[:MAX_NAMES]:
            name, state = self.game.action_name(visit.state, action), self.game.result(visit.state, action)
            if self.game.is_terminal(state):
                name += f" ({self.game.utility(state, self.root.player or 0):.4g})"
            names.append(name)
        more = f" and {len(visit.skipped) - MAX_NAMES} more" if len(visit.skipped) > MAX_NAMES else ""
        sign = "✂ " if visit.why == "cut" else ""
        return f"{sign}{' '.join(names)}{more}  {SKIPPED[visit.why]}"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as lines of text, with aligned columns; a row with one cell takes a whole line.

    >>> print(aligned([("a tree", "why"), ("└─ 1", "end"), ("└─ what was left out",)]))
    a tree  why
    └─ 1    end
    └─ what was left out
    """
    columns = max(len(row) for row in rows)
    widths = [max(len(row[column]) for row in rows if len(row) > 1) for column in range(columns - 1)]
    last = columns - 1
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), *row[last:]]).rstrip()
        for row in rows
    )


# -- from numbers to visits -------------------------------------------------------------------------------------------


def read_visits(game: Game, state: Any, rows: list[Row], possible: tuple[int, int] | None, full: bool) -> list[Visit]:
    """The visits that `rows` record, from the root `state` on.

    `possible` is the range of possible scores, or None if these are plain values of MAX. If the trace is `full`, rows
    may be missing at the end.
    """
    visits: list[Visit] = []
    children: list[list[int]] = [[] for _ in rows]
    for number, row in enumerate(rows):
        visits.append(_visit(game, state, row, number, visits, possible))
        if row.parent >= 0:
            children[row.parent].append(number)

    # The skipped actions are known once all children are. If full, children of the last visit and those above are lost.
    open_still, number = set(), len(rows) - 1 if full else -1
    while number >= 0:
        open_still.add(number)
        number = rows[number].parent
    for number in range(len(rows) - 1, -1, -1):
        visit = visits[number]
        if visit.why in SKIPPED and number not in open_still and not game.is_terminal(visit.state):
            last = {rows[child].action: child for child in children[number] if rows[child].action >= 0}
            legal = [int(action) for action in legal_actions(game, visit.state)]
            skipped = tuple(action for action in legal if action not in last)
            whole = not skipped and all(visits[child].bound == "exact" for child in last.values())
            bound = "exact" if whole and visit.why != "stopped" else visit.bound
            visits[number] = replace(visit, skipped=skipped, bound=bound)
    return visits


def _visit(
    game: Game, state: Any, row: Row, index: int, earlier: list[Visit], possible: tuple[int, int] | None
) -> Visit:
    """The visit that `row` records, without its skipped actions; `state` is the root."""
    parent, action, depth, why = row.parent, row.action, row.depth, REASONS[row.why]
    above = earlier[parent] if parent >= 0 else None
    name, ply = "", 0
    if above is not None:
        state, ply = above.state, above.ply + (action >= 0)
        name = {PASS: "pass", LESS_DEEP: "less deep"}.get(action) or game.action_name(state, action)
        state = game.result(state, action) if action >= 0 else game.null_move_state(state) if action == PASS else state
    worth: Callable[[int], float]
    if possible is None:
        scores, worth = (row.alpha, row.beta, row.score), to_value
    else:
        scores, worth = (
            _seen_from_root(row, above, bool(earlier) and row.player != earlier[0].player, possible),
            utility,
        )
    alpha, beta, score = scores
    stopped, proved = why == "stopped", bool(row.solved) and why != "stopped"
    return Visit(
        index=index,
        parent=None if above is None else parent,
        iteration=depth if above is None else above.iteration,
        ply=ply,
        action=action if action >= 0 else None,
        name=name,
        state=state,
        player=None if game.is_terminal(state) else int(game.to_move(state)),
        depth=depth,
        alpha=worth(alpha),
        beta=worth(beta),
        value=None if stopped else worth(score),
        values=None,
        bound="exact" if why in CERTAIN or alpha < score < beta else "upper" if score <= alpha else "lower",
        exact=proved,
        distance=(distance(score) if utility(score) else None) if proved and possible else None,
        why=why,
        skipped=(),
        scores=scores,
    )


def _with_values(game: Game, visits: list[Visit], vectors: list[list[float]]) -> list[Visit]:
    """The visits with the value for each player, from those of each side; `value` is then that of the root's player."""
    members = team_members(game)
    side_of = {player: side for side, team in enumerate(members) for player in team}
    found = []
    for visit, vector in zip(visits, vectors, strict=True):
        values = tuple(vector[side_of[player]] for player in range(game.players))
        mine = values[max(visits[0].player or 0, 0)]
        known = visit.value is not None
        found.append(replace(visit, value=mine if known else None, values=values if known else None))
    return found


def _seen_from_root(row: Row, above: Visit | None, flip: bool, possible: tuple[int, int]) -> tuple[int, int, int]:
    """Alpha, beta and the score of `row` as seen from the root; `flip`: they are those of the other player."""
    steps = above.ply if above is not None else 0
    no_alpha, no_beta = row.alpha <= possible[0], row.beta >= possible[1]
    alpha, beta, score = (_from_root(each, steps) for each in (row.alpha, row.beta, row.score))
    if flip:
        alpha, beta, score = -beta, -alpha, -score
        no_alpha, no_beta = no_beta, no_alpha
    if no_alpha and (above is None or above.alpha == -inf):
        alpha = -INFINITE
    if no_beta and (above is None or above.beta == inf):
        beta = INFINITE
    if abs(alpha) < DISTANCES:  # draws have no distance, so all bounds between a draw and the next value are equivalent
        alpha = min(max(alpha, -1), 0)
    if abs(beta) < DISTANCES:
        beta = max(min(beta, 1), 0)
    return alpha, beta, score


def _from_root(score: int, steps: int) -> int:
    """A score `steps` plies further from the end, on the same side of 0."""
    return max(1, score - steps) if score > 0 else min(-1, score + steps) if score < 0 else 0


def utility(score: int) -> float:
    """The utility of a score; the utility of a bound one step away from a draw is that of the draw.

    >>> utility(INFINITE), utility(1)
    (inf, 0.0)
    """
    if abs(score) >= INFINITE:
        return inf if score > 0 else -inf
    return decode(score) if abs(score) >= DISTANCES else 0.0
