"""Helpers for drawing games, as plain text and as boards."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from string import ascii_lowercase
from typing import Any

from outplay.rules.board import Picture, Piece, Place, hexagon_board
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import CHANCE, Game

DISCS = "XO"
"""The marks of player 0 and of player 1."""
ROUND = Piece(player=0, shape="disc"), Piece(player=1, shape="disc")
"""The discs of player 0 and of player 1."""
STONES = Piece(player=0, shape="stone"), Piece(player=1, shape="stone")
"""And stones, such as those of Go, which differ by their colour alone: black and white."""


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
    winners = [name for name, utility in zip(names, utilities, strict=False) if utility > draw_utility(game)]
    if not winners:
        return "draw"
    if game.players > 2:
        return f"{' and '.join(winners)} {'win' if len(winners) > 1 else 'wins'}"
    return f"{winners[0]} wins" + (f" by {max(utilities):g}" if game.utilities not in ((-1, 1), (0, 1)) else "")


def seen_by(board: Picture, hidden: Iterable[Any], text: str, back: Piece | None = None) -> Picture:
    """The picture of a player who does not see the pieces on the `hidden` cells, which lie there as `back`, a card's by
    default; `text` is what is known otherwise.
    """
    turned = {cell: back or Piece(shape="back") for cell in hidden if board.pieces_on(cell)}
    pieces = {**board.pieces, **turned}
    in_order = {cell: pieces[cell] for cell in board.cells if cell in pieces}  # the order would tell what was laid last
    return replace(board, pieces=in_order, text=text.splitlines())


def on_cells(marks: Iterable[str], pieces: Mapping[str, Piece]) -> dict[Any, Piece]:
    """The pieces that marks stand for, on cells numbered from 0; other marks are empty cells.

    >>> on_cells(".X.", {"X": Piece("X", 0)})
    {1: Piece(text='X', player=0, shape='glyph')}
    """
    return {cell: pieces[mark] for cell, mark in enumerate(marks) if mark in pieces}


def from_below(rows: Sequence[Sequence[str]]) -> list[str]:
    """The marks of rows that are given from the top, with the lowest row first.

    >>> from_below(["ab", "cd"])
    ['c', 'd', 'a', 'b']
    """
    return [mark for row in reversed(rows) for mark in row]


def turn_line(game: Game, state: Any, names: Sequence[str], pieces: Sequence[Piece]) -> str | tuple[Piece, str]:
    """The line below a board, as of `outcome`, with the piece of the player to move if there is one."""
    text = outcome(game, state, names)
    if game.is_terminal(state) or game.to_move(state) == CHANCE:
        return text
    return pieces[game.to_move(state)], text


def hex_picture(rows: int, columns: int, pieces: Mapping[Any, Piece], text: Sequence[Any]) -> Picture:
    """A board of Hex, with the sides of player 0 at the top and the bottom, those of player 1 on the left and right."""
    cells: dict[Any, tuple[float, float]] = {
        row * columns + column: (row, column) for row in range(rows) for column in range(columns)
    }
    letters = [(ascii_lowercase[column], -1.25, column + 0.55) for column in range(columns)]
    numbers = [(row + 1, row, -1.15) for row in range(rows)]
    board = hexagon_board(cells, pieces, text, labels=[*letters, *numbers])
    sides = []
    for right, down, row, column, shade in (
        *((0.0, -0.26, 0, column, "blue") for column in range(columns)),
        *((0.0, 0.26, rows - 1, column, "blue") for column in range(columns)),
        *((-0.225, 0.13, row, 0, "orange") for row in range(rows)),
        *((0.225, -0.13, row, columns - 1, "orange") for row in range(rows)),
    ):
        place = board.places[row * columns + column]
        sides.append(Place(None, place.x + right, place.y + down, "hexagon", shade))
    picture = board.named(lambda cell: f"{ascii_lowercase[cell % columns]}{cell // columns + 1}")
    return replace(picture, places=[*sides, *picture.places])
