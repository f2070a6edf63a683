"""Rooms on the disk, a file each, so that games go on after the server was ended or killed.

A file has the moves, not the states: a room is played again by the rules as they are when it is loaded, as far as its
moves are legal.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from outplay.arena.records.replay import as_json
from outplay.engine.clock import Clock
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.system.files import read_text, write_file
from outplay.web.messages import encoded
from outplay.web.player_titles import PlayerTitle
from outplay.web.room import Room, Seat

FORMAT = "outplay room 1"
NAME = re.compile(r"[A-Za-z0-9_-]{10,40}")
"""The names of rooms; nothing else becomes part of a path."""
MOST_FILES, PRUNED_AFTER = 10_000, 500
"""How many of the newest games are left on the disk when a server starts, and after so many new ones."""

Rules = Callable[[str], tuple[Game, Sequence[PlayerTitle]]]
"""The game with a name in the library, and what its players are called."""
Computers = Callable[[Sequence[str], Game], dict[int, Any]]
"""The players of the seats that are not people's."""


def data_of(room: Room) -> dict[str, Any]:
    """A room as plain values."""
    left = room.session.seconds_left if room.clock else ()
    return {
        "format": FORMAT,
        "id": room.id,
        "game": room.name,
        "seats": [{"who": seat.who, "token": seat.token} for seat in room.seats],
        "chance": room.chance,
        "clock": None if room.clock is None else [room.clock.seconds, room.clock.increment, room.clock.moves],
        "left": [round(seconds, 3) for seconds in left],
        "start": room.start,
        "moves": [[node.parent, as_json(node.action)] for node in room.tree.nodes[1:]],
        "node": room.tree.node,
        "resigned": room.resigned,
        "late": room.session.late,
        "is_browsed": room.is_browsed,
    }


def room_of(data: dict[str, Any], rules: Rules, computers: Computers) -> tuple[Room, str]:
    """The room of plain values, and what no longer fits the rules; "" if all does.

    Raises `OutplayError` if they are not those of a room, or if the game cannot be loaded.
    """
    if data.get("format") != FORMAT:
        raise OutplayError(f"this is not a game of outplay serve: its format is {data.get('format')!r:.40}")
    game, titles = rules(data["game"])
    seats = [Seat(seat["who"], seat["token"]) for seat in data["seats"]]
    clock = None if data["clock"] is None else Clock(*data["clock"]).of_a_game()
    who = [seat.who for seat in seats]
    room = Room(
        game, data["game"], seats, computers(who, game), chance=data["chance"], clock=clock, start=data["start"],
        titles=titles, file=data["id"],
    )  # fmt: skip
    if clock is not None and len(data["left"]) == game.players:
        left = [replace(clock, seconds=max(seconds, 0.0)) for seconds in data["left"]]
        room.tree.session = room.new_session(game, room.session.players, clocks=left)
    misfit = room.tree.rebuild(data["moves"], data["node"])
    if not misfit:
        room.resigned, room.session.late = data["resigned"], data["late"]
    room.is_browsed = data["is_browsed"]
    room.look()
    return room, misfit


class Store:
    """The folder of the rooms; None: they are kept in memory only.

    >>> store = Store(None)
    >>> store.load("nothing-here") is None
    True
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder, self._new = folder, 0
        if folder is not None:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # tokens of seats are in the files
            self._prune()

    def _prune(self) -> None:
        """Delete the oldest games."""
        assert self.folder is not None
        files = sorted(self.folder.glob("*.room"), key=lambda file: file.stat().st_mtime, reverse=True)
        for file in files[MOST_FILES:]:
            file.unlink(missing_ok=True)

    def save(self, room: Room) -> None:
        """Write a room. Raises `OutplayError` if that fails."""
        if self.folder is None:
            return
        path = self._path(room.id)
        if not path.exists():
            self._new += 1
            if self._new % PRUNED_AFTER == 0:
                self._prune()
        write_file(path, encoded(data_of(room)).encode(), sync=False)

    def load(self, name: str) -> dict[str, Any] | None:
        """The plain values of a room; None if there is none. Raises `OutplayError` for a damaged file."""
        if self.folder is None or not NAME.fullmatch(name) or not self._path(name).is_file():
            return None
        try:
            data = json.loads(read_text(self._path(name)))
        except ValueError as error:
            raise OutplayError(f"the file of this game is damaged: {error}") from None
        return data if isinstance(data, dict) else None

    def _path(self, name: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{name}.room"
