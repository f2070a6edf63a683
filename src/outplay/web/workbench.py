"""Games in files that are edited while they are played: each is read anew, checked, and played on by the new rules."""

import asyncio
import re

from outplay.rules.errors import OutplayError
from outplay.web.library import Entry
from outplay.web.live_room import LiveRoom, end_programs
from outplay.web.lobby import Lobby
from outplay.web.seat_view import Message, error_text
from outplay.web.store import data_of, room_of

PAUSE = 0.25
"""The seconds between two looks at the files."""


class Workbench:
    """Looks whether the files of games have changed."""

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby
        self._times = {entry.name: change_of(entry) for entry in lobby.library.entries.values()}

    async def watch(self) -> None:
        """Look for ever."""
        while True:
            await asyncio.sleep(PAUSE)
            for entry in self.lobby.library.entries.values():
                if (now := change_of(entry)) != self._times[entry.name]:
                    self._times[entry.name] = now
                    await self.reload(entry)

    async def reload(self, entry: Entry) -> None:
        """Read a game anew, tell all pages, and play its rooms on."""
        try:
            await self.lobby.rules.run(entry.reload)
        except OutplayError as error:
            entry.error = str(error)
            self.lobby.tell_all(report(entry, entry.error))
            return
        self.lobby.tell_all(report(entry) | {"card": entry.card_message()})
        for live in [live for live in self.lobby.rooms.values() if live.room.name == entry.name]:
            try:
                await self._play_on(live)
            except Exception as error:  # of the new rules
                live.tell(f"this game cannot go on by the new rules: {error_text(error, hides=live.room.hides)}")

    async def _play_on(self, live: LiveRoom) -> None:
        """Play the moves of a room again, by the new rules."""
        async with live.lock:
            live.halt()
            live.explorer.forget()
            before, data = live.room, data_of(live.room)
            live.room, misfit = await self.lobby.rules.run(room_of, data, self.lobby.rules_called, self.lobby.computers)
            end_programs(before)
            for page in live.pages:
                page.nodes_shown = 0
            await live.show()
            live.show_seats()
        if misfit:
            live.tell("some moves do not fit the new rules, and are left out" if live.room.hides else misfit)
        live.wake()


def report(entry: Entry, text: str = "") -> Message:
    """What a page is told of a file that has changed: that it is played, or what is wrong, and in which line."""
    message: Message = {"type": "reloaded", "game": entry.name, "ok": not text, "text": text}
    file = entry.file
    if file is not None and (lines := re.findall(rf"{re.escape(file.name)}:(\d+)", text)):
        message["line"] = int(lines[-1])
    return message


def change_of(entry: Entry) -> tuple[int, int]:
    """What changes when the file of a game does: its time and its size; zeros if there is no such file."""
    file = entry.file
    try:
        status = None if file is None else file.stat()
    except OSError:  # an editor replaces it
        status = None
    return (0, 0) if status is None else (status.st_mtime_ns, status.st_size)
