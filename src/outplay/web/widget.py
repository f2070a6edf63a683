"""`BoardWidget`: the board in a notebook, with the search of its kernel. It needs `pip install 'outplay[notebook]'`."""

import asyncio
import json
import re
import threading
from functools import cache
from importlib.resources import files
from typing import Any

import anywidget
import traitlets

from outplay.rules.game import Game
from outplay.web.library import Entry, Library, card_of
from outplay.web.lobby import Lobby
from outplay.web.messages import Request, encoded
from outplay.web.page import Page
from outplay.web.player_titles import player_titles
from outplay.web.seat_view import Message

IMPORTED = re.compile(r'^import \{.*\} from "\./(.*)";\n', re.MULTILINE)


@cache
def bundle(name: str) -> str:
    """A module of the page and all that it imports, as one module."""
    folder = files("outplay.web").joinpath("static")
    order: list[str] = []

    def add(module: str) -> None:
        if module not in order:
            for other in IMPORTED.findall(folder.joinpath(module).read_text("utf-8")):
                add(other)
            order.append(module)

    add(name)
    texts = [IMPORTED.sub("", folder.joinpath(module).read_text("utf-8")) for module in order]
    return "\n".join(re.sub(r"^export (?!default)", "", text, flags=re.MULTILINE) for text in texts)


@cache
def engine() -> asyncio.AbstractEventLoop:
    """The loop of the engine, in a thread of its own: the kernel's may be busy with a cell."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="outplay-board", daemon=True).start()
    return loop


class NotebookPage(Page):
    """The page in a widget. There is no server that could send it another page, so it gets the text of it; and nobody
    else could come back to the rooms that it leaves.
    """

    def close(self) -> None:
        """Leave the room, and free it."""
        live = self.live
        super().close()
        if live is not None:
            live.close()
            self.lobby.rooms.pop(live.room.id, None)

    async def on_steps(self, request: Request) -> Message:
        """A search step by step, as the text of a page."""
        answer = await super().on_steps(request)
        return {"type": "steps", "html": self.lobby.pages[answer["url"].rpartition("/")[2]]}


class BoardWidget(anywidget.AnyWidget):
    """The board of a game in a notebook: play and explore by clicks.

    Args:
        game: the game.
        moves: moves to begin with, such as "e4 e5".
        seats: who plays each player: "person", or a player's text such as "alpha-beta(level=3)". By default people play
            all.
        explore: whether the values of actions are shown from the beginning.

    >>> from outplay.games import ConnectFour
    >>> board = BoardWidget(ConnectFour(), "4 4")
    >>> board.opening["moves"]
    '4 4'
    """

    _esm = bundle("widget.js")
    _css = files("outplay.web").joinpath("static", "style.css").read_text("utf-8")
    opening = traitlets.Dict().tag(sync=True)
    explores = traitlets.Bool().tag(sync=True)

    def __init__(self, game: Game, moves: str = "", *, seats: list[str] | None = None, explore: bool = False) -> None:
        opening = {"game": type(game).__name__, "moves": moves, **({"seats": seats} if seats else {})}
        super().__init__(opening=opening, explores=explore)
        self._page = NotebookPage(Lobby(library_of(game)))
        self.on_msg(self._receive)
        self.comm.on_close(lambda _: self.close())
        asyncio.run_coroutine_threadsafe(self._send_all(), engine())

    def close(self) -> None:
        """Take the board from the notebook, and free its room."""
        super().close()
        engine().call_soon_threadsafe(end, self._page)

    @property
    def moves(self) -> str:
        """The moves to the position that the board shows, as `moves` of another board takes them."""
        live = self._page.live
        return self.opening["moves"] if live is None else live.room.session.record

    def _receive(self, _: Any, message: Any, __: Any) -> None:
        asyncio.run_coroutine_threadsafe(self._page.receive(json.dumps(message)), engine())

    async def _send_all(self) -> None:
        while (message := await self._page.outgoing.get()) is not None:
            self.send(json.loads(encoded(message)))


def end(page: Page) -> None:
    """Free the room of a page, and send no more."""
    page.close()
    page.send(None)


def library_of(game: Game) -> Library:
    """A library with this game alone."""
    library = Library()
    entry = Entry(type(game).__name__, repr(game), is_file=True, game=game, titles=player_titles(game))
    entry.card = card_of(entry, game, entry.titles)
    library.entries = {entry.name: entry}
    return library
