"""Strategies and equilibria as HTML, for notebooks: tables with a bar for each probability."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from outplay.equilibrium.formatting import actions_of, cells, percentage
from outplay.equilibrium.tree import player_name
from outplay.pictures.html import bar, paragraph, table, text_block

MAX_ROWS = 50
"""The maximum number of rows that a notebook shows."""


def strategy_html(strategy: Any) -> str:
    """What each player does, for a `Strategy`: the information sets that come first in play."""
    game, parts = strategy.game, []
    for player in range(game.players):
        table_rows = list(strategy.rows(player, max(MAX_ROWS // game.players, 1)))
        columns = actions_of(table_rows)
        head = [f"{player_name(game, player)} knows", *(columns or ["does"])]
        rows = []
        for row in table_rows:
            bars = [
                bar(row.likely[name], percentage(row.likely[name]).rstrip()) if name in row.likely else ""
                for name in columns
            ]
            rows.append([row.knows, *(bars or cells(row, columns))])
        parts += [table(head, rows), hidden_line(strategy.sets_of(player) - len(rows))]
    return "".join(parts)


def solution_html(solution: Any) -> str:
    """Values, exploitability and strategy of a `Solution`."""
    return text_block(str(solution)) + str(solution.strategy._repr_html_())


def river_html(strategy: Any) -> str:
    """The tables of a `RiverStrategy` for the lines that come first in play."""
    parts, rows, lines = [], 0, strategy.lines
    for number, line in enumerate(lines):
        hand_table = strategy.table(line)
        rows += len(hand_table.rows)
        if number and rows > MAX_ROWS:
            parts.append(hidden_line(len(lines) - number, "lines"))
            break
        head = [f"player {hand_table.player}" + f" after {line}" * bool(line), "share", *hand_table.rows[-1].actions]
        bars = [[bar(part, f"{part:.1%}") for part in (row.share, *row.actions.values())] for row in hand_table.rows]
        parts.append(table(head, [[row.name, *cells] for row, cells in zip(hand_table.rows, bars, strict=True)]))
    return "".join(parts)


def profile_html(game: Any, profile: Sequence[Any], caption: str, fractions: Sequence[Any] | None = None) -> str:
    """A profile of a matrix game: each action with its probability and what it would get.

    Args:
        game: the `MatrixGame`.
        profile: a mixed strategy for each player.
        caption: a text to stand below.
        fractions: the same profile in exact numbers, if there is one.
    """
    head, rows, hidden = ["player", "action", "probability", "expects"], list[list[str]](), 0
    total = sum(game.shape)
    for player, (title, names, mixed) in enumerate(zip(game.players, game.actions, profile, strict=True)):
        values = np.round(game.action_values(profile, player) / game.spreads[player], 9) * game.spreads[player] + 0.0
        for action, (name, chance, value) in enumerate(zip(names, mixed.tolist(), values.tolist(), strict=True)):
            if total > MAX_ROWS and (chance <= 1e-9 or len(rows) == MAX_ROWS):
                hidden += 1
                continue
            probability = f"{chance:.4g}" if fractions is None else str(fractions[player][action])
            rows.append([title, name, bar(chance, probability), f"{value:.6g}"])
    return table(head, rows) + hidden_line(hidden, "actions") + paragraph(caption)


def equilibria_html(equilibria: Any) -> str:
    """All equilibria of `MixedEquilibria`, one in each row."""
    first = equilibria.summary()
    if not len(equilibria):
        return paragraph(first)
    players = equilibria[0].game.players
    rows = []
    for number, equilibrium in enumerate(equilibria[:MAX_ROWS], start=1):
        parts = equilibrium.parts()
        mixtures = (", ".join(f"{name} {chance}" for name, chance in mixed.items()) for _, mixed, _ in parts)
        rows.append([str(number), *mixtures, ", ".join(value for *_, value in parts)])
    head = ["", *players, "they expect"]
    return paragraph(first) + table(head, rows) + hidden_line(len(equilibria) - len(rows), "equilibria")


def correlated_html(equilibrium: Any) -> str:
    """The recommendations of a `CorrelatedEquilibrium`, each with its probability."""
    game, profiles = equilibrium.game, np.argwhere(equilibrium.distribution > 1e-9)
    rows = []
    for profile in profiles[:MAX_ROWS]:
        names = [names[action] for names, action in zip(game.actions, profile, strict=True)]
        chance = float(equilibrium.distribution[tuple(profile)])
        rows.append([*names, bar(chance, f"{chance:.4g}")])
    caption = "; ".join(str(equilibrium).splitlines()[len(profiles) :])
    return table([*game.players, "probability"], rows) + hidden_line(len(profiles) - len(rows)) + paragraph(caption)


def hidden_line(number: int, of: str = "") -> str:
    """A line for what is not shown; empty if there is nothing.

    >>> hidden_line(1200), hidden_line(0)
    ('<p>… 1,200 more</p>', '')
    """
    return paragraph(f"… {number:,} more {of}".rstrip()) if number > 0 else ""
