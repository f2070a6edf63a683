"""What a book says of a position and its actions, by itself and within what a search has found.

A book has values of positions. The value of an action is that of the position after it, or, for the best action of a
position whose next ones are not in the book, the position's own.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from outplay.engine.analysis import ActionValue, Analysis
from outplay.engine.book import Book, BookEntry, line_from
from outplay.rules.constant_sum import is_opposed, total
from outplay.rules.game import CHANCE, Game, legal_actions


@dataclass(frozen=True)
class BookMoves:
    """The actions of a position that a book knows.

    Attributes:
        analysis: the position, with these actions alone, the best first.
        entries: what the book says of each, for the player who chooses it.

    >>> from outplay import AlphaBeta
    >>> from outplay.games import TicTacToe
    >>> game = TicTacToe()
    >>> book = Book(game, [AlphaBeta(game).search(game.result(game.initial_state(), 0))])
    >>> moves = book_moves(book, game.initial_state())
    >>> [(row.name, row.value, row.exact) for row in moves.analysis.actions]
    [('a1', 0.0, True), ('c1', 0.0, True), ('a3', 0.0, True), ('c3', 0.0, True)]
    """

    analysis: Analysis
    entries: dict[int, BookEntry]

    def within(self, analysis: Analysis) -> Analysis:
        """What a search has found, with the values of the book for all actions whose values are not proved there."""
        if analysis.exact:
            return analysis
        own = {row.action: row for row in self.analysis.actions}
        rows = [row if row.exact and row.bound == "exact" else own.pop(row.action, row) for row in analysis.actions]
        return with_rows(analysis, [*rows, *own.values()])


def book_moves(book: Book, state: Any) -> BookMoves | None:
    """What a book knows of the actions of a state; None if it knows none."""
    game = book.game
    if game.is_terminal(state) or (player := int(game.to_move(state))) == CHANCE:
        return None
    entries = dict(_entries(book, state, player))
    if not entries:
        return None
    rows = [
        ActionValue(
            action=action,
            name=game.action_name(state, action),
            value=entry.value,
            bound=entry.kind if entry.kind in ("lower", "upper") else "exact",
            exact=entry.kind != "estimate",
            distance=entry.distance,
            line=(action, *line_from([book], game, game.result(state, action), exact=False)),
        )
        for action, entry in entries.items()
    ]
    is_whole = len(rows) == len(list(legal_actions(game, state))) and all(
        entry.kind == "exact" for entry in entries.values()
    )
    empty = Analysis(game=game, state=state, player=player, action=None, value=math.nan, values=(), method="Book")
    return BookMoves(replace(with_rows(empty, rows), exact=is_whole), entries)


def with_rows(analysis: Analysis, rows: Sequence[ActionValue]) -> Analysis:
    """An analysis with other values of actions, and what follows from the best one."""
    game, sides = analysis.game, analysis.game.teams or range(analysis.game.players)
    rows = sorted(rows, key=lambda row: -row.value)
    best = rows[0]
    other = (total(game) or 0.0) - best.value if is_opposed(game) else math.nan
    values = tuple(best.value if side == sides[analysis.player] else other for side in sides)
    return replace(
        analysis,
        action=best.action,
        value=best.value,
        values=values,
        line=best.line,
        actions=tuple(rows),
        distance=best.distance,
    )


def _entries(book: Book, state: Any, player: int) -> Iterator[tuple[int, BookEntry]]:
    """Each action that the book knows, and what it says of it."""
    game, own = book.game, book.look_up(book.game, state)
    for action in map(int, legal_actions(game, state)):
        after = game.result(state, action)
        entry = None if game.is_terminal(after) else book.look_up(game, after)
        entry = None if entry is None else _before(game, player, after, entry)
        if own is not None and own.action == action and (entry is None or entry.rank() < own.rank()):
            entry = own
        if entry is not None:
            yield action, entry


def _before(game: Game, player: int, after: Any, entry: BookEntry) -> BookEntry | None:
    """What the entry of a state says to the player whose action led to it; None if it says nothing."""
    mover, sides = int(game.to_move(after)), game.teams or range(game.players)
    distance = None if entry.distance is None else entry.distance + 1
    if mover == CHANCE:
        return None
    if sides[mover] == sides[player]:
        return replace(entry, distance=distance)
    if not is_opposed(game):
        return None
    turned = {"lower": "upper", "upper": "lower"}.get(entry.kind, entry.kind)
    return replace(entry, value=(total(game) or 0.0) - entry.value, kind=turned, distance=distance)
