"""A tree of visits as text: `Drawing`. `trace_picture.py` draws the same tree as a picture."""

from collections.abc import Sequence
from math import isfinite
from typing import Any, Protocol, runtime_checkable

from outplay.engine.score import distance, to_value
from outplay.engine.visits import SKIPPED, Visit, utility
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import CHANCE, Game
from outplay.rules.value_text import words_of

MAX_NAMES = 12
"""The maximum number of actions that are named in a line about actions that were not searched."""


@runtime_checkable
class NamesNodes(Protocol):
    """A game with names for its states, such as an `ExplicitTree`."""

    def node_name(self, node: Any) -> str:
        """The name of a state, or an empty text."""


class Drawing:
    """The visits of one iteration, laid out as lines.

    `plain`: whether values are plain numbers, as in a textbook search. `dropped`: the number of visits that were not
    recorded.
    """

    def __init__(self, game: Game, visits: list[Visit], method: str, *, plain: bool, dropped: int) -> None:
        self.game, self.visits, self.method, self.plain, self.dropped = game, visits, method, plain, dropped
        self.root, self.by_index = visits[0], {visit.index: visit for visit in visits}
        self.children: dict[int | None, list[Visit]] = {visit.index: [] for visit in visits} | {None: []}
        self.below = dict.fromkeys(self.children, 0)  # visits below each visit
        for visit in visits:
            self.children[visit.parent].append(visit)
        for visit in reversed(visits):
            self.below[visit.parent] += 1 + self.below[visit.index]
        self.windows = not self.plain or any(
            map(isfinite, (bound for one in visits for bound in (one.alpha, one.beta)))
        )
        # If there are only wins, losses and draws, distances matter more than numbers.
        self.words = words_of(self.game) if self.game.utilities and not self.plain else {}

    def deepest(self, most_lines: int) -> int:
        """The number of plies that fit into so many lines."""
        plies = max(visit.ply for visit in self.visits)
        while plies > 1 and self.lines(plies) > most_lines:
            plies -= 1
        return plies

    def lines(self, plies: int) -> int:
        """The number of lines of the tree, shown down to `plies` plies."""
        return sum((visit.ply <= plies) + (visit.ply < plies and bool(visit.skipped)) for visit in self.visits)

    def title(self) -> str:
        """Which search this is."""
        depth = "" if self.plain else f", depth {self.root.iteration}"
        return f"{self.method}{depth}, {len(self.visits):,} visits"

    def picture_title(self) -> str:
        """The same for a picture, which says what is missing."""
        return self.title() + (f", {self.dropped:,} more not recorded" if self.dropped else "")

    def text(self, plies: int) -> str:
        """The tree down to `plies` plies, as text."""
        rows: list[tuple[str, ...]] = [(self.title(), "value", "window", "why")]
        for root in self.children[None]:
            player_text = f" (player {root.player})" if root.player and self.mover(root) == "MAX" else ""
            rows.append((f"{self.label(root)}{player_text}", *self.columns(root, plies)))
            self.add_below(root, plies, "", rows)
        if not self.windows:
            rows = [(*row[:2], row[3]) if len(row) > 1 else row for row in rows]
        return aligned(rows)

    def add_below(self, visit: Visit, plies: int, margin: str, rows: list[Any]) -> None:
        """Add rows for everything below `visit`: each has four cells, or one cell that takes the whole line."""
        if visit.ply >= plies:
            return
        children = self.children[visit.index]
        names_seen = set()
        for child in children:
            last = child is children[-1] and not visit.skipped
            name = self.edge(child) + (" again" if child.name in names_seen else "")
            names_seen.add(child.name)
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
        return f"{mover} {self.node_name(visit)}".strip()

    def node_name(self, visit: Visit) -> str:
        """The name of a node, if the game gives it one."""
        return self.game.node_name(visit.state) if isinstance(self.game, NamesNodes) else ""

    def edge(self, visit: Visit) -> str:
        """The action that led to a state, with the probability of an outcome of chance."""
        above = None if visit.parent is None else self.by_index[visit.parent]
        if above is None or above.player != CHANCE:
            return visit.name
        return f"{visit.name} ({self.game.probability(above.state, visit.action):.4g})"

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
        is_narrow = visit.alpha == visit.beta and beta - alpha > 2  # the distances make the difference
        window = f"({self.bound(alpha, is_narrow)}, {self.bound(beta, is_narrow)})"
        if self.plain:
            pass
        elif beta - alpha == 1:
            window = f"> {self.bound(alpha)}?" if alpha != -1 else f"≥ {self.bound(beta)}?"
        elif beta - alpha == 2:
            window = f"= {self.bound(alpha + 1)}?"
        value = ""
        if visit.values is not None:
            value = f"{'' if visit.exact else '~'}({', '.join(map(short_number, visit.values))})"
        elif visit.value is not None:
            sign = {"upper": "≤ ", "lower": "≥ ", "exact": ""}[visit.bound]
            value = f"{sign}{self.bound(score)}" if visit.exact else f"{sign}~{short_number(visit.value)}"
        reason, hidden = visit.why, self.below[visit.index] if visit.ply >= plies else 0
        return value, window, f"{reason}, {hidden:,} below" if hidden else reason

    def bound(self, score: int, near: bool = False) -> str:
        """A score as text, with its distance if the utility is a word or if the other bound is `near`."""
        counted = to_value(score) if self.plain else utility(score)
        number = counted + draw_utility(self.game)
        text = self.words.get(number, f"{number:+}" if not isfinite(number) else short_number(number))
        plies = distance(score) if isfinite(counted) and counted and not self.plain else 0
        return f"{text} in {plies}" if plies and (near or number in self.words) else text

    def skipped(self, visit: Visit) -> str:
        """The actions that were not searched, as a line."""
        names = self.skipped_names(visit)
        rest_text = f" and {len(visit.skipped) - MAX_NAMES} more" if len(visit.skipped) > MAX_NAMES else ""
        sign = "✂ " if visit.why == "cut" else ""
        return f"{sign}{' '.join(names)}{rest_text}  {SKIPPED[visit.why]}"

    def skipped_names(self, visit: Visit) -> list[str]:
        """The first actions that were not searched, with a utility for those that end the game."""
        names = []
        for action in visit.skipped[:MAX_NAMES]:
            name, state = self.game.action_name(visit.state, action), self.game.result(visit.state, action)
            if self.game.is_terminal(state):
                name += f" ({self.game.utility(state, self.root.player or 0):.4g})"
            names.append(name)
        return names


def short_number(value: float) -> str:
    """A value with four digits; 0 for what is left of 0 when probabilities are summed.

    >>> short_number(1 / 3), short_number(1.7e-18), short_number(-0.0)
    ('0.3333', '0', '0')
    """
    return f"{value:.4g}" if abs(value) > 1e-15 else "0"


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
