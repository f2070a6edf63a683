"""What games draw themselves with, as plain text."""

from collections.abc import Sequence
from typing import Any

from outplay.game import Game

DISCS = "XO"
"""How the discs of player 0 and of player 1 are drawn."""


def grid(rows: Sequence[Sequence[object]]) -> str:
    """The cells of a table, each column right-aligned.

    >>> print(grid([[10, ".", "X"], [9, "O", "."], ["", "a", "b"]]))
    10 . X
     9 O .
       a b
    """
    widths = [max(len(str(cell)) for cell in column) for column in zip(*rows, strict=True)]
    return "\n".join(" ".join(f"{cell!s:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows)


def outcome(game: Game, state: Any, names: Sequence[str] = ("player 0", "player 1")) -> str:
    """The line below a picture: who is to move, or how the game ended."""
    if not game.is_terminal(state):
        return f"{names[game.to_move(state)]} to move"
    values = [game.utility(state, player) for player in range(2)]
    return "draw" if values[0] == values[1] else f"{names[values.index(max(values))]} wins"
