"""The map of a table: the value of a position with one of its pieces on each other place.

Such a position is made from the text of the state, in one of two ways: the text is a board, row by row from the top,
or it names the places of the pieces. Whatever comes of it counts only if its picture shows this piece moved, and
nothing else.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from outplay.engine.analysis import value_text
from outplay.pictures.board_look import place_name
from outplay.pictures.show import picture_of
from outplay.rules.board import Picture, Place
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.tables.numbering import END
from outplay.tables.tablebase import Tablebase
from outplay.web.seat_view import Message
from outplay.web.values import Scale, kind_of

LONGEST_LABEL = 4
"""The most letters of a value that is written on a small place; of a longer one, it is the distance."""


def map_of_piece(table: Tablebase, game: Game, state: Any, name: str) -> list[Message]:
    """The values for the player to move, where the piece on the place with this name stands elsewhere.

    >>> from outplay.games import Chess
    >>> game = Chess()
    >>> state = game.parse_state("8/8/8/8/8/4k3/8/4K2R w - - 0 1")
    >>> len(dict(moved_pieces(game, state, "h1")))
    48
    """
    player = 0 if game.is_terminal(state) else max(int(game.to_move(state)), 0)
    rows = []
    for cell, other in moved_pieces(game, state, name):
        with suppress(OutplayError):
            if (entry := table.probe(other)) is None:
                continue
            value = table.value_of(other, player)
            distance = entry.plies if table.distance_to == END else None
            text = value_text(game, value, exact=True, distance=distance)
            rows.append({
                "cells": [cell], "kind": kind_of(game, value, is_exact=True), "share": Scale.of(game).share(value),
                "value_text": text, "label": str(distance) if distance and len(text) > LONGEST_LABEL else text,
            })  # fmt: skip
    return rows


def moved_pieces(game: Game, state: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Each empty place by its name, and the state in which the piece on this place stands there, if there is one."""
    board = picture_of(game, state)
    places = {} if board is None else {place_name(place): place for place in board.places if place.cell is not None}
    if board is None or name not in places or not board.pieces_on(places[name].cell):
        return
    text = game.state_text(state)
    for other, place in places.items():
        if other is None or board.pieces_on(place.cell):
            continue
        for new_text in [*by_board(text, board, places[name], place), *by_names(text, name, other)]:
            with suppress(OutplayError):
                new_state = game.parse_state(new_text)
                if is_moved(game, state, new_state, places[name], place):
                    yield other, new_state
                    break


def by_board(text: str, board: Picture, start: Place, end: Place) -> Iterator[str]:
    """A text that begins with a board, with the letters of two places exchanged.

    >>> from outplay.games import Chess
    >>> board = Chess().picture(Chess().initial_state())
    >>> places = {place.name: place for place in board.places}
    >>> list(by_board("8/8/8/8/8/4k3/8/4K2R w - - 0 1", board, places["h1"], places["a8"]))
    ['R7/8/8/8/8/4k3/8/4K3 w - - 0 1']
    """
    rows, space, rest = text.partition(" ")
    letters = list(re.sub(r"\d+", lambda empty: "." * int(empty[0]), rows))
    order = sorted((place for place in board.places if place.cell is not None), key=lambda place: (place.y, place.x))
    spots = [number for number, letter in enumerate(letters) if letter != "/"]
    if len(spots) != len(order):
        return
    one, other = (spots[order.index(place)] for place in (start, end))
    letters[one], letters[other] = letters[other], letters[one]
    yield re.sub(r"\.+", lambda empty: str(len(empty[0])), "".join(letters)) + space + rest


def by_names(text: str, name: str, other: str) -> Iterator[str]:
    """The text with another name instead of this one, wherever it occurs.

    >>> list(by_names("W:WK3,31:B13", "3", "9"))
    ['W:WK9,31:B13']
    """
    for match in re.finditer(rf"(?<!\d){re.escape(name)}(?!\d)", text):
        yield text[: match.start()] + other + text[match.end() :]


def is_moved(game: Game, before: Any, after: Any, start: Place, end: Place) -> bool:
    """Whether all that the pictures of two states differ in is that what stood on `start` stands on `end`."""
    old, new = picture_of(game, before), picture_of(game, after)
    if old is None or new is None or mover(game, before) != mover(game, after):
        return False
    moved = {start.cell: (), end.cell: old.pieces_on(start.cell)}
    return all(new.pieces_on(cell) == moved.get(cell, old.pieces_on(cell)) for cell in old.cells)


def mover(game: Game, state: Any) -> int | None:
    """The player to move; None at the end, where it is not told."""
    return None if game.is_terminal(state) else int(game.to_move(state))
