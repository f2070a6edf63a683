"""Visits: each state that a traced search visited, its window, its value, and why the search went no further.

`read_visits` makes them of the numbers that `trace_kernels.py` records.
"""

from dataclasses import dataclass, replace
from math import inf
from typing import Any

from outplay.engine.score import DISTANCES, INFINITE, decode, distance, to_value
from outplay.engine.trace_kernels import LESS_DEEP, PASS, Row
from outplay.rules.constant_sum import team_members
from outplay.rules.game import Game, legal_actions

REASONS = (
    "end", "forced result", "repetition", "estimate", "quiescence", "window", "table", "null move", "probcut", "cut",
    "all searched", "stopped",
)  # fmt: skip
"""The words for the reasons that `trace_kernels.py` numbers."""
CERTAIN = ("end", "forced result", "repetition", "estimate")
"""Reasons with which the value does not depend on the window."""
SKIPPED = {"cut": "pruned", "all searched": "left out", "stopped": "not reached"}
"""The words for actions that were not searched, by the reason of the visit."""


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
            textbook search. In a game of constant sum, they are those of utilities less half the sum.
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
    parent, action, depth, reason = row.parent, row.action, row.depth, REASONS[row.why]
    above = earlier[parent] if parent >= 0 else None
    name, ply = "", 0
    if above is not None:
        state, ply = above.state, above.ply + (action >= 0)
        name = {PASS: "pass", LESS_DEEP: "less deep"}.get(action) or game.action_name(state, action)
        state = game.result(state, action) if action >= 0 else game.null_move_state(state) if action == PASS else state
    convert = to_value if possible is None else utility
    scores = row.alpha, row.beta, row.score
    if possible is not None:
        flip = bool(earlier) and row.player != earlier[0].player
        scores = _seen_from_root((row.alpha, row.beta, row.score), above, flip, possible)
    alpha, beta, score = scores
    stopped, proved = reason == "stopped", bool(row.solved) and reason != "stopped"
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
        alpha=convert(alpha),
        beta=convert(beta),
        value=None if stopped else convert(score),
        values=None,
        bound="exact" if reason in CERTAIN or alpha < score < beta else "upper" if score <= alpha else "lower",
        exact=proved,
        distance=(distance(score) if utility(score) else None) if proved and possible else None,
        why=reason,
        skipped=(),
        scores=scores,
    )


def moved(visits: list[Visit], by: float) -> list[Visit]:
    """The visits with all values greater by `by`, of every player alike; the scores stay."""
    if not by:
        return visits
    return [
        replace(
            visit,
            alpha=visit.alpha + by,
            beta=visit.beta + by,
            value=None if visit.value is None else visit.value + by,
            values=None if visit.values is None else tuple(value + by for value in visit.values),
        )
        for visit in visits
    ]


def with_values(game: Game, visits: list[Visit], vectors: list[list[float]]) -> list[Visit]:
    """The visits with the value for each player, from those of each side; `value` is then that of the root's player."""
    members = team_members(game)
    side_of = {player: side for side, team in enumerate(members) for player in team}
    valued = []
    for visit, vector in zip(visits, vectors, strict=True):
        values = tuple(vector[side_of[player]] for player in range(game.players))
        mine = values[max(visits[0].player or 0, 0)]
        has_value = visit.value is not None
        valued.append(replace(visit, value=mine if has_value else None, values=values if has_value else None))
    return valued


def _seen_from_root(
    scores: tuple[int, int, int], above: Visit | None, flip: bool, possible: tuple[int, int]
) -> tuple[int, int, int]:
    """Alpha, beta and a score, which are relative to the state of `above`, as seen from the root.

    `flip`: they are those of the other player.
    """
    steps = above.ply if above is not None else 0
    no_alpha, no_beta = scores[0] <= possible[0], scores[1] >= possible[1]
    alpha, beta, score = (from_root(end, steps) for end in scores)
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


def from_root(score: int, steps: int) -> int:
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
