"""The game of a room as a record in the formats of the arena, and rooms from such records."""

import json
import re
from typing import NamedTuple

from outplay.arena.records.files import FORMATS, ending_of, format_of
from outplay.arena.records.transcript import Recorded, read_source
from outplay.arena.referee import GameRecord, Ply, start_text
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.web.room import PERSON, Room

PLAIN = "moves"
"""Moves by themselves, without a format."""


def record_of(room: Room) -> GameRecord:
    """The moves from the start to the position that is shown."""
    session = room.session
    plies = [
        Ply(name, int(room.game.to_move(state))) for name, state in zip(session.names, session.states, strict=False)
    ]
    loser = room.resigned if room.resigned is not None else session.late
    reason = "resigned" if room.resigned is not None else "time is over" if session.late is not None else "rules"
    return GameRecord(
        tuple(room.title(player) if seat.who == PERSON else seat.who for player, seat in enumerate(room.seats)),
        plies=plies,
        utilities=session.utilities or (),
        reason=reason if room.over else "",
        guilty=loser,
        start=start_text(room.game, session.states[0]),
        actions=list(session.actions),
    )


def exported(room: Room, format_name: str) -> tuple[str, str]:
    """The name of a file and its text. Raises `RecordError` for a format that is not one of the game."""
    name = f"{re.sub(r'[^A-Za-z0-9]+', '-', room.name).strip('-')}.{format_name}"
    return name, format_of(name, room.game).writer(room.game, "")(record_of(room))


class Imported(NamedTuple):
    """What a record says: the game and its name in the library (None: the one that was asked for), and the moves."""

    game: Game
    record: GameRecord | None
    moves: str
    odd: tuple[str, ...] = ()


def imported(text: str, game: Game | None, format_name: str = "") -> Imported:
    """The first game in a text; without a format, what the text looks like. Raises `OutplayError` if there is none."""
    name = format_name or guess(text, game)
    if name == PLAIN:
        if game is None:
            raise OutplayError("this is not a record in a known format; for plain moves, choose the game first")
        return Imported(game, None, text)
    ending = f".{name}"
    if ending not in FORMATS:
        raise OutplayError(f"there is no format {name!r:.20}; known: {', '.join(suffix[1:] for suffix in FORMATS)}")
    path = f"the record{ending}"
    for result in format_of(path, game).read(read_source(path, text.encode("utf-8", "replace")), game):
        if not isinstance(result, Recorded):
            raise result
        return Imported(result.game, result.record, "", result.odd)
    raise OutplayError("there is no game in this record")


def guess(text: str, game: Game | None) -> str:
    """The format that a text seems to have.

    >>> from outplay.games import Chess
    >>> guess("(;GM[1]SZ[9])", None), guess("1. e4 e5", Chess()), guess('[Event "?"]', Chess())
    ('sgf', 'moves', 'pgn')
    """
    start = text.lstrip("\ufeff \r\n\t")
    if start.startswith("{"):
        try:
            return "jsonl" if "format" in json.loads(start.partition("\n")[0]) else PLAIN
        except ValueError:
            return PLAIN
    own = "" if game is None else ending_of(game)[1:]
    if start.startswith(("(;GM[Othello]", "(;")) and own != "jsonl":
        return "ggf" if "GM[Othello]" in start[:200] else own or "sgf"
    if start.startswith("["):
        return own if own in ("pgn", "pdn") else "pdn" if "[GameType" in start[:2000] else "pgn"
    return "mat" if own == "mat" and "point match" in start[:2000] else PLAIN
