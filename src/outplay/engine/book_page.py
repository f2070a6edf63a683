"""What a book holds as HTML, for notebooks."""

from collections import Counter
from typing import Any

from outplay.engine.analysis import value_text
from outplay.pictures.html import paragraph, table
from outplay.rules.game import CHANCE, legal_actions
from outplay.rules.keys import state_key

KINDS = ("exact", "lower", "upper", "estimate")
MAX_ENTRIES, MAX_STATES = 20, 2000
"""The maximum number of positions that are shown, and of states that are searched for these from the initial one on."""


def book_html(book: Any) -> str:
    """The number of positions of a `Book`, and the first ones in play, with the best action and the value of each."""
    entries = book.entries()
    kinds = Counter(entry.kind for entry in entries)
    depths = [entry.depth for entry in entries if entry.kind == "estimate"]
    counts = ", ".join(f"{count:,} {kind}" for kind in KINDS if (count := kinds[kind]))
    depth = sorted({min(depths), max(depths)}) if depths else []
    searched = f" (depth {' to '.join(map(str, depth))})" if depth else ""
    size = f"{len(book):,} {'position' if len(book) == 1 else 'positions'}"
    parts = [paragraph(f"Book of {book.game!r}: {size}" + f": {counts}{searched}" * bool(entries))]
    rows = _first_rows(book)
    if rows:
        parts.append(table(["after", "best", "value", "", "depth"], rows))
    if entries and len(rows) < len(book):
        parts.append(paragraph(f"… {len(book) - len(rows):,} more"))
    return "".join(parts)


def _first_rows(book: Any) -> list[list[str]]:
    """The rows of the positions that are found first, in breadth-first order; images of a position count as one."""
    game, rows = book.game, list[list[str]]()
    level: list[tuple[Any, list[str]]] = [(game.initial_state(), [])]
    keys_seen, states_made = set[int](), 0
    while level and states_made < MAX_STATES and len(rows) < min(len(book), MAX_ENTRIES):
        below = []
        for state, names in level:
            states_made += 1
            if states_made > MAX_STATES or len(rows) == min(len(book), MAX_ENTRIES) or game.is_terminal(state):
                continue
            keys = {state_key(game, image) for image in game.symmetries(state)}
            if keys_seen & keys:
                continue
            keys_seen |= keys
            entry = book.look_up(game, state)
            if entry is not None:
                rows.append(_row(game, state, names, entry))
            below += [
                (game.result(state, action), [*names, game.action_name(state, action)])
                for action in map(int, legal_actions(game, state))
            ]
        level = below
    return rows


def _row(game: Any, state: Any, names: list[str], entry: Any) -> list[str]:
    best = "" if entry.action is None or game.to_move(state) == CHANCE else game.action_name(state, entry.action)
    bound = {"lower": "at least ", "upper": "at most "}.get(entry.kind, "")
    value = bound + value_text(game, entry.value, entry.kind == "exact", entry.distance)
    depth = str(entry.depth) if entry.kind == "estimate" else ""
    return [" ".join(names) or "the start", best, value, entry.kind, depth]
