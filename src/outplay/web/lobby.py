"""`Lobby`: all rooms of a server, and what they share: the library of games, threads for rules and for searches."""

import asyncio
import os
import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from outplay import __version__
from outplay.engine.clock import Clock
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.rules.repetition import History
from outplay.web.explore import Searching
from outplay.web.fair_queue import FairQueue
from outplay.web.game_records import imported
from outplay.web.guarded import Guarded
from outplay.web.library import LEVELS, Library, player_rows
from outplay.web.live_room import Audience, LiveRoom
from outplay.web.player_titles import PlayerTitle
from outplay.web.room import PEOPLE, PERSON, SERVER, Room, Seat
from outplay.web.steps import step_page
from outplay.web.store import Store, room_of

MOST_ROOMS = 1_000
"""The most rooms in memory; the oldest that nobody looks at makes place."""
MOST_STEP_PAGES = 40
"""The most pages of searches step by step that are kept."""
LONGEST_SEARCH = 300.0
"""The most seconds of a computer's move, with compiling."""


class Lobby:
    """All rooms of a server."""

    def __init__(self, library: Library, folder: Path | None = None) -> None:
        self.library, self.store = library, Store(folder)
        self.rules = Guarded()
        cores = os.cpu_count() or 1
        self.searches = Guarded(most=2 * cores, seconds=LONGEST_SEARCH)
        threads = Guarded(most=MOST_ROOMS, seconds=LONGEST_SEARCH)
        self.searching = Searching(FairQueue(cores), threads, library.table_of, library.book_of)
        self.rooms: dict[str, LiveRoom] = {}
        library.names_in_use = lambda: [live.room.name for live in list(self.rooms.values()) if live.pages]
        self.audience: set[Audience] = set()
        self._finding = asyncio.Lock()
        self.pages: dict[str, str] = {}  # step by step

    async def greeting(self) -> dict[str, Any]:
        """What a page gets first."""
        cards = []
        for entry in self.library.entries.values():
            try:
                await self.rules.run(entry.load)
            except OutplayError as error:  # also of rules that run for ever
                entry.error = str(error)
            cards.append(entry.card_message())
        players = player_rows(self.library)
        return {"type": "games", "games": cards, "players": players, "levels": LEVELS, "version": __version__}

    async def picture(self, name: str) -> dict[str, Any]:
        """The start of a game, as its card shows it."""
        return {"type": "picture", "game": name, **await self.rules.run(self.library.entry(name).picture)}

    async def steps(self, room: Room, algorithm: str) -> str:
        """The address of the page of a search from the position that a room shows."""
        states = History.of(room.session.states)
        page = await self.searches.run(step_page, room.game, states, algorithm)
        while len(self.pages) >= MOST_STEP_PAGES:
            self.pages.pop(next(iter(self.pages)))
        name = secrets.token_urlsafe(12)
        self.pages[name] = page
        return f"/steps/{name}"

    async def open(
        self,
        name: str,
        seats: Sequence[str] | None = None,
        *,
        moves: str = "",
        start: str | None = None,
        clock: str = "",
        chance: str = SERVER,
    ) -> LiveRoom:
        """A new room. Raises `OutplayError` if the game, a player or the start is wrong."""
        if chance not in (SERVER, PEOPLE):
            raise OutplayError(f"chance is {SERVER!r} or {PEOPLE!r}, not {chance!r:.40}")
        time_of_each = Clock.parse(clock) if clock else None

        def make() -> Room:
            game = self.library.game(name)
            who = list(seats or [PERSON] * game.players)
            computers = self.computers(who, game)
            if time_of_each is not None and game.hidden_information:
                raise OutplayError("a game that hides information has no clock here: who thinks would be seen")
            room = Room(
                game, name, [Seat(player) for player in who], computers, chance=chance, clock=time_of_each, start=start,
                moves=moves, titles=self.library.entry(name).titles,
            )  # fmt: skip
            self.store.save(room)
            return room

        return self.add(await self.rules.run(make))

    async def open_record(self, text: str, name: str, format_name: str = "") -> tuple[LiveRoom, Sequence[str]]:
        """A new room with the game of a record, whose seats are all people's; and what is odd about the record."""

        def make() -> tuple[Room, Sequence[str]]:
            content = imported(text, self.library.game(name) if name else None, format_name)
            game_name = name if name and self.library.game(name) == content.game else self.library.name_of(content.game)
            entry = self.library.entry(game_name)
            seats = [Seat() for _ in range(content.game.players)]
            start = None if content.record is None else content.record.start
            room = Room(entry.load(), game_name, seats, {}, start=start, moves=content.moves, titles=entry.titles)
            for action in () if content.record is None else content.record.actions:
                room.advance(action)
            self.store.save(room)
            return room, content.odd

        room, odd = await self.rules.run(make)
        return self.add(room), odd

    def computers(self, who: Sequence[str], game: Game) -> dict[int, Any]:
        """The players of the seats that are not people's."""
        return {player: self.library.player(text, game) for player, text in enumerate(who) if text != PERSON}

    def add(self, room: Room) -> LiveRoom:
        """Keep a room."""
        if len(self.rooms) >= MOST_ROOMS:
            idle = [live for live in self.rooms.values() if not live.pages]
            if not idle:
                raise OutplayError("there are too many games here now: come back later")
            oldest = min(idle, key=lambda live: live.touched)
            oldest.close()
            del self.rooms[oldest.room.id]
        live = self.rooms[room.id] = LiveRoom(room, self.rules, self.searches, self.searching, self.store.save)
        return live

    async def find(self, name: str) -> LiveRoom:
        """The room with this name, in memory or on the disk. Raises `OutplayError` if there is none."""
        async with self._finding:
            if name not in self.rooms:
                room = await self.rules.run(self._load, name)
                if room is None:
                    raise OutplayError("there is no such game here; perhaps it was played long ago")
                self.add(room)
        live = self.rooms[name]
        live.touched = time.monotonic()
        return live

    def _load(self, name: str) -> Room | None:
        data = self.store.load(name)
        return None if data is None else room_of(data, self.rules_called, self.computers)[0]

    def rules_called(self, name: str) -> tuple[Game, Sequence[PlayerTitle]]:
        """The game with this name, and what its players are called."""
        entry = self.library.entry(name)
        return entry.load(), entry.titles

    # -- pages --------------------------------------------------------------------------------------------------------

    def tell_all(self, message: dict[str, Any]) -> None:
        """Send a message to all pages."""
        for page in self.audience:
            page.send(message)

    async def close(self) -> None:
        """End all searches."""
        for live in self.rooms.values():
            live.close()
        await asyncio.sleep(0)
