"""What games draw themselves with, as plain text."""

from collections.abc import Sequence
from textwrap import dedent
from typing import Any

from outplay.game import Game

DISCS = "XO"
"""How the discs of player 0 and of player 1 are drawn."""


def grid(squares: str, columns: Sequence[object], rows: Sequence[object]) -> str:
    """A board with its coordinates; `squares` is one character a square, row by row from the bottom left corner.

    >>> print(grid("X..O..", columns="abc", rows=[1, 2]))
    2 O . .
    1 X . .
      a b c
    """
    margin, cell = (max(len(str(name)) for name in names) for names in (rows, columns))
    lines = ["".join(f" {name!s:>{cell}}" for name in columns)]
    for number in range(len(rows)):
        row = squares[number * len(columns) : (number + 1) * len(columns)]
        lines.append("".join(f" {square:>{cell}}" for square in row))
    names = ["", *rows]
    return dedent("\n".join(f"{name!s:>{margin}}{line}" for name, line in reversed(list(zip(names, lines, strict=True)))))


def outcome(game: Game, state: Any, names: Sequence[str] = ("player 0", "player 1")) -> str:
    """The line below a picture: who is to move, or how the game ended."""
    if not game.is_terminal(state):
        return f"{names[game.to_move(state)]} to move"
    values = [game.utility(state, player) for player in range(2)]
    return "draw" if values[0] == values[1] else f"{names[values.index(max(values))]} wins"
