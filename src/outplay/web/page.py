"""`Page`: the talk with one page, which looks at one room at a time. Each request has a method of the same name."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import quote, urlencode

from outplay.rules.errors import IllegalAction
from outplay.rules.user_code import place
from outplay.web.explore import LONGEST, SECONDS
from outplay.web.game_records import exported
from outplay.web.live_room import LiveRoom
from outplay.web.lobby import Lobby
from outplay.web.messages import BadRequest, Request, number_of, read_request
from outplay.web.room import Refused, Room
from outplay.web.seat_view import Message, Viewer, error_text, seats_message
from outplay.web.table_map import map_of_piece

MOST_WAITING = 500
"""A page that does not take so many messages is gone."""


class Page:
    """One page in a browser.

    Attributes:
        outgoing: the messages to send; None ends the connection.
        viewer: the seats that it holds in its room.
        shown: the position that it got last.
        nodes_shown: how many positions of the tree it got.
        wants_values, wants_curve: what it shows besides.
    """

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby
        self.outgoing: asyncio.Queue[Message | None] = asyncio.Queue(MOST_WAITING)
        self.live: LiveRoom | None = None
        self.viewer, self.position, self.nodes_shown = Viewer(frozenset()), Message(), 0
        self.wants_values = self.wants_curve = False

    def send(self, message: Message | None) -> None:
        """Send a message, without waiting; None ends the connection. A page that takes none any more is gone."""
        try:
            self.outgoing.put_nowait(message)
        except asyncio.QueueFull:
            self.outgoing.get_nowait()
            self.outgoing.put_nowait(None)

    def close(self) -> None:
        """The page is gone."""
        if self.live is not None:
            live, self.live = self.live, None
            live.leave(self)

    async def receive(self, data: str) -> None:
        """Answer a message of the page."""
        try:
            request = read_request(data)
        except BadRequest as error:
            self.send({"type": "error", "re": number_of(data), "text": str(error)})
            return
        try:
            answer = await self._handler(request)(request)
        except Exception as error:  # also of a user's rules: the server lives
            hides = self.live is not None and self.live.room.hides and not isinstance(error, IllegalAction)
            self._refuse(request, error_text(error, hides=hides), error)
        else:
            self.send({"type": "ok", **answer, "re": request.id})

    def _handler(self, request: Request) -> Callable[[Request], Awaitable[Message]]:
        name = f"on_{request.type}"
        if not hasattr(self, name):
            raise Refused(f"{request.type} is not there yet")
        handler: Callable[[Request], Awaitable[Message]] = getattr(self, name)
        return handler

    def _refuse(self, request: Request, text: str, error: Exception) -> None:
        where = place(error)
        self.send({"type": "error", "re": request.id, "text": text, **({"where": where} if where else {})})

    # -- rooms --------------------------------------------------------------------------------------------------------

    async def on_hello(self, request: Request) -> Message:
        """The games and players that there are."""
        return await self.lobby.greeting()

    async def on_picture(self, request: Request) -> Message:
        """The start of a game."""
        return await self.lobby.picture(request["game"])

    async def on_open(self, request: Request) -> Message:
        """A new room, all of whose people's seats this page holds."""
        live = await self.lobby.open(
            request["game"],
            request["seats"],
            moves=request["moves"] or "",
            start=request["start"] or None,
            clock=request["clock"] or "",
            chance=request["chance"] or "server",
        )
        return await self._enter(live, [seat.token for seat in live.room.seats])

    async def on_join(self, request: Request) -> Message:
        """A room by its name, with the seats whose tokens are shown."""
        live = await self.lobby.find(request["room"])
        tokens = [*(request["tokens"] or ()), *([request["token"]] if request["token"] else [])]
        return await self._enter(live, tokens)

    async def on_leave(self, request: Request) -> Message:
        """Look at no room any more."""
        self.close()
        return {}

    async def _enter(self, live: LiveRoom, tokens: list[str]) -> Message:
        """Look at a room; the answer says what it is, and the position follows."""
        room = live.room
        entry = self.lobby.library.entry(room.name)
        if entry.game is None:
            await self.lobby.rules.run(entry.load)
        self.close()
        held = room.held_by(tokens)
        self.live, self.viewer, self.position, self.nodes_shown = live, Viewer(frozenset(held)), Message(), 0
        asyncio.get_running_loop().call_soon(lambda: asyncio.ensure_future(self._look(live)))
        return {
            "type": "room",
            "room": room.id,
            "game": entry.card_message(),
            "seats": seats_message(room, self.viewer, live.seats_in_use | held),
            "tokens": {str(player): room.seats[player].token for player in sorted(held)},
            "chance": room.chance,
            "clock": room.clock is not None,
        }

    async def on_import(self, request: Request) -> Message:
        """A new room with the game of a record."""
        live, odd = await self.lobby.open_record(request["text"], request["game"] or "", request["format"] or "")
        return await self._enter(live, [seat.token for seat in live.room.seats]) | {"odd": list(odd)}

    async def on_set_up(self, request: Request) -> Message:
        """A new room that begins in the state of a text, with the same players."""
        room = self._room().room
        live = await self.lobby.open(
            room.name, [seat.who for seat in room.seats], start=request["text"], chance=room.chance
        )
        return await self._enter(live, [seat.token for seat in live.room.seats])

    async def on_export(self, request: Request) -> Message:
        """The game up to the position that is shown, as the text of a record."""
        room = self._room().room
        self._check_seen()
        name, text = await self.lobby.rules.run(exported, room, request["format"])
        return {"type": "record", "format": request["format"], "name": name, "text": text}

    async def on_link(self, request: Request) -> Message:
        """The position as a link, which says how it was reached."""
        room = self._room().room
        self._check_seen()
        words = {"moves": room.session.record, "start": room.start or ""}
        query = urlencode({name: text for name, text in words.items() if text}, quote_via=quote)
        return {"type": "link", "text": f"#/play/{quote(room.name, safe='')}{'?' * bool(query)}{query}"}

    def _check_seen(self) -> None:
        """Refuse what would show more than the seats of this page see."""
        if self._room().room.hides:
            raise Refused("the game hides information: wait until it is over")

    async def _look(self, live: LiveRoom) -> None:
        """Look at a room, unless the page has left it meanwhile."""
        if self.live is live:
            await live.enter(self)
        if self.live is not live:
            live.leave(self)

    # -- play ---------------------------------------------------------------------------------------------------------

    def _room(self) -> LiveRoom:
        if self.live is None:
            raise Refused("first open or join a game")
        return self.live

    async def _change(self, action: Callable[[Room, set[int]], Any]) -> Message:
        """Change the room, as it is when its turn comes, by what the seats of this page may do."""
        live = self._room()
        await live.change(lambda: action(live.room, set(self.viewer.held)))
        return {}

    def _check_node(self, request: Request) -> None:
        """Refuse a move that was meant for another position."""
        node = request["node"]
        if node is not None and node != self.position.get("node"):
            raise Refused("the position has changed meanwhile")

    async def on_play(self, request: Request) -> Message:
        """Play the action with this place in the list of legal ones."""

        def play(room: Room, held: set[int]) -> None:
            self._check_node(request)
            legal = room.standing.legal if room.may_play(held) else []
            if legal and request["action"] >= len(legal):
                raise Refused(f"there is no action {request['action']} here")
            room.play(held, legal[request["action"]] if legal else None)

        return await self._change(play)

    async def on_play_text(self, request: Request) -> Message:
        """Play the action that a text names."""

        def play(room: Room, held: set[int]) -> None:
            self._check_node(request)
            room.play(held, room.session.read(request["text"]) if room.may_play(held) else None)

        return await self._change(play)

    async def on_go(self, request: Request) -> Message:
        """Show another position of the tree."""
        return await self._change(lambda room, held: room.go(held, request["node"]))

    async def on_undo(self, request: Request) -> Message:
        """Take a move back, or ask the others for it."""
        return await self._change(Room.undo)

    async def on_agree(self, request: Request) -> Message:
        """Answer another page that asks to take a move back."""
        return await self._change(lambda room, held: room.agree(held, yes=request["yes"]))

    async def on_roll(self, request: Request) -> Message:
        """Let the server throw the dice."""
        return await self._change(Room.roll)

    async def on_resign(self, request: Request) -> Message:
        """Give the game up."""
        return await self._change(Room.resign)

    async def on_go_on(self, request: Request) -> Message:
        """Let the computer, or chance, go on from here."""
        return await self._change(Room.go_on)

    # -- explore ------------------------------------------------------------------------------------------------------

    async def on_explore(self, request: Request) -> Message:
        """Show the values of all actions, live, or no more."""
        live = self._room()
        if request["on"] and not self.viewer.held >= live.room.people:
            raise Refused("values are for who plays alone here: others play in this game too")
        self.wants_values = request["on"]
        if request["on"]:
            live.explorer.algorithm = request["algorithm"] or ""
            live.explorer.seconds = min(request["seconds"] or SECONDS, LONGEST)
        live.explore()
        return {}

    async def on_curve(self, request: Request) -> Message:
        """Show the values over the game, or no more."""
        live = self._room()
        if request["on"] and not live.room.may_explore(set(self.viewer.held)):
            raise Refused("the curve is for who plays alone here")
        self.wants_curve = request["on"]
        live.explore()
        return {}

    async def on_steps(self, request: Request) -> Message:
        """The search from the position that is shown, step by step, as the address of a page."""
        live = self._room()
        if not live.room.may_explore(set(self.viewer.held)):
            raise Refused("steps are for who plays alone here")
        address = await self.lobby.steps(live.room, request["algorithm"] or "")
        return {"type": "steps", "url": address}

    async def on_map(self, request: Request) -> Message:
        """What the table that the server has says of all states, or of those with the piece on a cell elsewhere."""
        live, cell = self._room(), request["cell"]
        room, table = live.room, self.lobby.library.table_of(live.room.game)
        if table is None:
            raise Refused("there is no table of this game here: name one at the start, outplay serve GAME --table FILE")
        threads = self.lobby.searching.threads  # which have the time to compile
        if cell is None:
            return {"type": "map", **(await threads.run(table.stats)).as_dict()}
        if not room.may_explore(set(self.viewer.held)):
            raise Refused("the map is for who plays alone here")
        rows = await threads.run(map_of_piece, table, room.game, room.session.state, cell)
        return {"type": "map", "rows": rows}
