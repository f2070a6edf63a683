"""Helpers for drawing games as plain text."""

from collections.abc import Sequence
from typing import Any

from outplay.rules.constant_sum import balance
from outplay.rules.game import Game

DISCS = "XO"
"""The marks of player 0 and of player 1."""


def grid(rows: Sequence[Sequence[object]]) -> str:
    """The cells of a table, each column right-aligned.

    >>> print(grid([[10, ".", "X"], [9, "O", "."], ["", "a", "b"]]))
    10 . X
     9 O .
       a b
    """
    widths = [max(len(str(cell)) for cell in column) for column in zip(*rows, strict=True)]
    return "\n".join(" ".join(f"{cell!s:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows)


def outcome(game: Game, state: Any, names: Sequence[str] = ()) -> str:
    """The line below a picture: who is to move, or who won and, if the utility is a margin, by how much.

    Without `names` the players are player 0, player 1, …
    """
    names = names or [f"player {player}" for player in range(game.players)]
    if not game.is_terminal(state):
        return f"{names[game.to_move(state)]} to move"
    utilities = [game.utility(state, player) for player in range(game.players)]
    winners = [name for name, utility in zip(names, utilities, strict=False) if utility > balance(game)]
    if not winners:
        return "draw"
    if game.players > 2:
        return f"{' and '.join(winners)} {'win' if len(winners) > 1 else 'wins'}"
    return f"{winners[0]} wins" + (f" by {max(utilities):g}" if game.utilities not in ((-1, 1), (0, 1)) else "")
