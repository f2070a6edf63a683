"""Values for the page: what a search says of a position and its actions, with colours from 0 (loss) to 1 (win)."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from outplay.engine.analysis import ActionValue, Analysis
from outplay.engine.book import BookEntry
from outplay.pictures.show import cells_of, picture_of
from outplay.rules.game import CHANCE, Game
from outplay.rules.value_text import words_of
from outplay.web.seat_view import Message, cell_names

LONGEST_LINE = 8
"""The most moves of a line."""
SPREAD = 0.5
"""How far the values of a game without bounds are spread around the middle, where they are seen as a share."""


def values_message(
    analysis: Analysis,
    legal: list[Any],
    *,
    source: str,
    hides: bool = False,
    entries: Mapping[Any, BookEntry] = MappingProxyType({}),
) -> Message:
    """The values of all actions, and the effort of those that are `entries` of a book.

    `hides` leaves out lines, which go through states that the player does not know.
    """
    game, state = analysis.game, analysis.state
    scale = Scale.of(game, analysis)
    board = None if hides else picture_of(game, state)
    places = {action: number for number, action in enumerate(legal)}
    rows = []
    for row in analysis.actions:
        if row.action not in places:
            continue
        cells = [] if board is None else cell_names(board, cells_of(game, state, row.action, board))
        fields = _row(analysis, row, scale)
        if (entry := entries.get(row.action)) is not None:
            fields["book"] = {"depth": entry.depth, "nodes": entry.nodes}
        rows.append({"id": places[row.action], "name": row.name, "cells": cells, **fields})
    mover = analysis.player
    value = analysis.values[0] if mover == CHANCE or not rows else analysis.value
    is_known = bool(rows) and not math.isnan(value)
    return {
        "type": "values",
        "rows": rows,
        "value": None if not is_known else {
            "value_text": analysis.text, "kind": kind_of(game, value, analysis.exact and not analysis.equilibrium),
            "share": scale.for_first(value, mover),
        },
        "best_line": [] if hides else line_of(game, state, analysis.line),
        "depth": analysis.depth,
        "nodes": analysis.nodes,
        "simulations": analysis.simulations,
        "seconds": round(analysis.seconds, 3),
        "exact": analysis.exact,
        "equilibrium": analysis.equilibrium,
        "source": source,
        "method": analysis.method,
    }  # fmt: skip


def _row(analysis: Analysis, row: ActionValue, scale: "Scale") -> Message:
    """The value of an action."""
    is_exact = row.exact and row.bound == "exact" and not analysis.equilibrium
    fields: Message = {
        "value_text": analysis.row_text(row),
        "kind": kind_of(analysis.game, row.value, is_exact),
        "share": scale.share(row.value),
        "bound": row.bound,
    }
    more = {"distance": row.distance, "visits": row.visits, "probability": row.probability}
    fields |= {name: value for name, value in more.items() if value is not None}
    if row.interval is not None:
        fields |= {"low": scale.share(row.interval[0]), "high": scale.share(row.interval[1])}
    return fields


def kind_of(game: Game, value: float, is_exact: bool) -> str:
    """Win, draw or loss where that is proved; "exact" for other proved values, and "estimate"."""
    if not is_exact:
        return "estimate"
    return words_of(game).get(value, "exact")


class Scale:
    """Where values lie between the worst, 0, and the best, 1."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    @classmethod
    def of(cls, game: Game, analysis: Analysis | None = None) -> "Scale":
        """The scale of a game; without known utilities, that of the values that a search has found."""
        if game.utilities is not None and all(map(math.isfinite, game.utilities)):
            return cls(*map(float, game.utilities))
        values = [row.value for row in analysis.actions if math.isfinite(row.value)] if analysis is not None else []
        if not values:
            return cls(-1.0, 1.0)
        middle, spread = (min(values) + max(values)) / 2, max(max(values) - min(values), 1e-9)
        return cls(middle - spread / (2 * SPREAD), middle + spread / (2 * SPREAD))

    def share(self, value: float) -> float:
        """A value between 0 and 1.

        >>> Scale(-1.0, 1.0).share(0.5), Scale(-1.0, 1.0).share(7.0)
        (0.75, 1.0)
        """
        if math.isnan(value):
            return 0.5
        return round(min(max((value - self.low) / (self.high - self.low), 0.0), 1.0), 4)

    def for_first(self, value: float, mover: int) -> float:
        """The share of player 0, where `value` is that of the mover."""
        return self.share(value) if mover in (0, CHANCE) else round(1 - self.share(value), 4)


def line_of(game: Game, state: Any, line: tuple[Any, ...]) -> list[Message]:
    """A line of actions with the cells to draw them."""
    moves = []
    for action in line[:LONGEST_LINE]:
        board, player = picture_of(game, state), int(game.to_move(state))
        cells = [] if board is None else cell_names(board, cells_of(game, state, action, board))
        moves.append(
            {
                "name": game.action_name(state, action),
                "cells": cells,
                "player": "chance" if player == CHANCE else player,
            }
        )
        state = game.result(state, action)
    return moves
