"""What a page sees of a room: messages that depend on nothing but what the seats that it holds may know.

In a game with hidden information that goes on, a page gets what `Game.information` gives to the seat that it holds, or,
of several, to the one to move; the other seats' actions, their names and even their number are not sent.
"""

import math
import zlib
from dataclasses import dataclass
from typing import Any

from outplay.pictures.board import Marks, board_svg
from outplay.pictures.board_look import place_name
from outplay.pictures.show import cells_of, picture_of, seat_picture_of, show, text_of
from outplay.rules.board import Picture, Piece
from outplay.rules.errors import IllegalAction, OutplayError, RulesError
from outplay.rules.game import CHANCE
from outplay.rules.user_code import describe_error, place
from outplay.rules.wording import shown
from outplay.web.library import state_text
from outplay.web.messages import encoded
from outplay.web.room import BROKEN, Room, Standing

Message = dict[str, Any]
MOST_ACTIONS = 5_000
"""At most so many actions are sent; others can be played by their text."""


@dataclass(frozen=True)
class Viewer:
    """Who looks at a room: the players whose seats the page holds, and the one of them that it sees with."""

    held: frozenset[int]

    def eyes(self, room: Room) -> int | None:
        """The player with whose eyes a page sees a game with hidden information; None: it only watches."""
        mover = room.player
        return mover if mover in self.held else min(self.held, default=None)


def position_message(room: Room, viewer: Viewer) -> Message:
    """The position that is shown. What is wrong with the rules is in `fault`, and the page goes on."""
    try:
        if room.standing == BROKEN:
            Standing(room.session.over, room.session.player, room.session.legal)  # raises what is wrong
        return _hidden(room, viewer) if room.hides else _open(room, viewer)
    except Exception as error:  # of a user's rules
        return fault_message(room, error_text(error, hides=room.hides))


def error_text(error: Exception, *, hides: bool) -> str:
    """An error in words. While a game hides information it is only said where the rules failed, as they may say more.

    >>> error_text(KeyError("ace"), hides=False), error_text(KeyError("ace"), hides=True)
    ("KeyError: 'ace'", 'KeyError; more is not shown while the game hides information')
    """
    is_of_rules = not isinstance(error, OutplayError) or isinstance(error, RulesError | IllegalAction)
    if hides and is_of_rules:
        where = place(error) or place(error.__cause__ or error)
        at = f" at {where}" if where else ""
        return f"{type(error).__name__}{at}; more is not shown while the game hides information"
    return str(error) if isinstance(error, OutplayError) else describe_error(error)


def fault_message(room: Room, fault: str) -> Message:
    """A position that the rules or the picture fail in; it shows the state if nothing is hidden."""
    hides = room.game.hidden_information
    text = "" if hides else shown(room.session.state)
    return _message(room, 0 if hides else room.tree.node, turn="fault", fault=fault, text=text)


def _message(room: Room, node: int, **fields: Any) -> Message:
    blank: Message = {
        "svg": None, "text": "", "player": None, "player_title": "", "result": "", "last": None, "actions": [],
        "notes": [], "clocks": [], "fault": "", "explore": False, "values": False, "contents": {}, "asked": None,
    }  # fmt: skip
    return {"type": "position", "room": room.id, "node": node, **blank, **fields}


def _open(room: Room, viewer: Viewer) -> Message:
    """The position of a game in which everybody sees everything, or of one that is over."""
    session, game = room.session, room.game
    held = set(viewer.held)
    board, picture = _board(room)
    turn, mover = _turn(room, held), room.player
    may = room.may_explore(held)
    shows_actions = not room.over and (room.may_play(held) or (may and mover != CHANCE))
    return _message(
        room,
        room.tree.node,
        **picture,
        player="chance" if mover == CHANCE else mover,
        player_title="" if room.over else room.mover_name(),
        turn=turn,
        result=room.result,
        last=_last(room, board),
        contents=_contents(room, board),
        actions=_actions(room, board) if shows_actions else [],
        clocks=clocks(room),
        explore=may,
        values=room.may_see_values(held),
        asked=_request_message(room, held),
        utilities=session.utilities if room.over else None,
        moves=len(session.actions),
        state=state_text(game, session.state),
    )


def _request_message(room: Room, held: set[int]) -> Message | None:
    """Who asks to take a move back, and whether this page is to answer."""
    if (request := room.request) is None:
        return None
    return {"player": ", ".join(map(room.title, sorted(request.players))), "mine": bool(request.awaited & held)}


def _turn(room: Room, held: set[int]) -> str:
    """Whose turn it is, as the page says it."""
    if room.over:
        return "over"
    if room.player == CHANCE:
        return "chance"
    if room.may_play(held):
        return "you"
    return "other" if room.player in room.people else "computer"


def _hidden(room: Room, viewer: Viewer) -> Message:
    """The position as a seat sees it: equal information gives equal messages, but for whose turn it is."""
    session, game = room.session, room.game
    player = viewer.eyes(room)
    if player is None:
        text = f"{room.name} hides information: who only watches sees it when the game is over."
        return _message(room, 0, turn="other", text=text)
    mine = room.player == player
    board = seat_picture_of(game, session.state, player)
    fields: Message = {
        "text": _information_text(game, session.state, player), "player": player, "player_title": room.title(player),
        "turn": "you" if mine else "other", "seat": player,
        "actions": _actions(room, board) if mine else [],
        "values": room.may_see_values(set(viewer.held)),
    }  # fmt: skip
    if board is not None:
        fields["svg"] = board_svg(board, repr(game), Marks())
    return _message(room, zlib.crc32(encoded(fields).encode()), **fields)


def _information_text(game: Any, state: Any, player: int) -> str:
    text: Any = game.information_text(state, player)
    if not isinstance(text, str):
        raise RulesError(f"{type(game).__name__}.information_text: expected text, got {text!r:.60}")
    return text


def _board(room: Room) -> tuple[Picture | None, Message]:
    """The board, and what a message says of it: the picture, or the text if the game has none or it fails."""
    game, state = room.game, room.session.state
    try:
        board = picture_of(game, state)
        svg = None if board is None else show(game, state).svg()
    except RulesError as error:
        return None, {"svg": None, "text": text_of(game, state), "fault": str(error)}
    return board, {"svg": svg, "text": text_of(game, state)}


def cell_names(board: Picture | None, cells: Any) -> list[str]:
    """Cells by the names that `data-cell` has."""
    if board is None:
        return []
    names = {place.cell: place_name(place) for place in board.places}
    return [name for cell in cells if (name := names.get(cell)) is not None]


def _last(room: Room, board: Picture | None) -> Message | None:
    """The move that led here."""
    node = room.tree.nodes[room.tree.node]
    if node.parent < 0:
        return None
    before = room.session.states[-2]
    old = None if board is None else picture_of(room.game, before)
    cells = [] if old is None else cell_names(old, cells_of(room.game, before, node.action, old))
    title = "" if node.player is None else room.title(node.player)
    return {"name": node.name, "cells": cells, "player": _player(node.player), "player_title": title}


def _contents(room: Room, board: Picture | None) -> dict[str, str]:
    """What is on each cell of the board, in words, for screen readers."""
    if board is None:
        return {}
    words = {}
    for spot in board.places:
        name, pieces = place_name(spot), board.pieces_on(spot.cell)
        if name is not None and pieces:
            words[name] = ", ".join(_piece_words(room, piece) for piece in pieces)
    return words


def _piece_words(room: Room, piece: Piece) -> str:
    """A piece in words."""
    owner = "" if piece.player is None or piece.player >= room.game.players else room.title(piece.player)
    word = piece.text if piece.shape in ("glyph", "card", "die", "tile") or piece.text else piece.shape
    return f"{owner} {word}".strip() if word != owner else word


def _player(player: int | None) -> int | str | None:
    return "chance" if player == CHANCE else player


def _actions(room: Room, board: Picture | None) -> list[Message]:
    """The legal actions, each with its place in the list of them as its id."""
    session, game = room.session, room.game
    state, by_chance = session.state, room.player == CHANCE
    rows = []
    for number, action in enumerate(room.standing.legal[:MOST_ACTIONS]):
        cells = [] if board is None else cell_names(board, cells_of(game, state, action, board))
        row: Message = {"id": number, "name": game.action_name(state, action), "cells": cells}
        if by_chance:
            row["odds"] = float(game.probability(state, action))
        rows.append(row)
    return rows


def clocks(room: Room) -> list[Message]:
    """The clock of each player, and whether it runs."""
    mover = room.player
    return [
        {"seconds": round(max(seconds, 0.0), 2), "running": player == mover}
        for player, seconds in enumerate(room.session.seconds_left)
        if math.isfinite(seconds)
    ]


def tree_message(room: Room, first: int = 0) -> Message:
    """The positions from number `first` on, and which one is shown; none while the game hides them."""
    if room.hides:
        return {"type": "tree", "room": room.id, "nodes": [], "current": 0}
    nodes = [
        {"id": number, "parent": node.parent if number else None, "name": node.name, "player": _player(node.player)}
        for number, node in enumerate(room.tree.nodes[first:], start=first)
    ]
    return {"type": "tree", "room": room.id, "nodes": nodes, "current": room.tree.node}


def seats_message(room: Room, viewer: Viewer, seats_in_use: set[int]) -> list[Message]:
    """Who plays, and which seats are this page's."""
    return [
        {
            "player": player, "title": room.title(player), "colour": room.titles[player].colour, "who": seat.who,
            "mine": player in viewer.held, "taken": player in seats_in_use,
        }
        for player, seat in enumerate(room.seats)
    ]  # fmt: skip
