"""The server of `outplay serve`: the page, its files, and a WebSocket for each page.

It answers only to the names of the address that it was bound to, and only to pages that it has sent itself, so that
neither a page of another origin nor a name that was rebound to this address reaches it.
"""

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

import anyio
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from outplay.web.lobby import Lobby
from outplay.web.messages import LONGEST_IMPORT, encoded
from outplay.web.page import Page
from outplay.web.steps import policy_of
from outplay.web.workbench import Workbench

LOCAL = ("127.0.0.1", "localhost", "[::1]", "::1")
MOST_PAGES = 200
RATE, BURST = 30.0, 60.0
"""The messages a second that a page may send, and how many at once."""
LAST_WORDS = 2.0
"""The seconds for the last messages to a page."""
TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".json": "application/json",
}
SECURITY = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}


class Doorkeeper:
    """Lets in only requests to one of these hosts, from pages of this server; adds the headers of security."""

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self.app, self.hosts = app, {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
        elif self.lets_in(scope):
            await self.app(scope, receive, with_headers(send))
        elif scope["type"] == "http":
            await PlainTextResponse("this host or origin is not served", 403)(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": "this host or origin is not served"})

    def lets_in(self, scope: Scope) -> bool:
        """Whether the host is one of ours, and the origin, which every browser sends with a WebSocket, is the same."""
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if without_port(host) not in self.hosts:
            return False
        if origin is None:
            return bool(scope["type"] == "http")
        try:
            return urlsplit(origin).netloc.lower() == host.lower()
        except ValueError:  # such as http://[
            return False


def without_port(host: str) -> str:
    """The name in a Host header.

    >>> without_port("localhost:8000"), without_port("[::1]:8000"), without_port("Localhost")
    ('localhost', '[::1]', 'localhost')
    """
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdecimal() else host).lower()


def with_headers(send: Send) -> Send:
    """`send`, with the headers of security in each answer."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            names = {name for name, _ in message.get("headers", [])}
            more = [(name.encode(), text.encode()) for name, text in SECURITY.items() if name.encode() not in names]
            message = {**message, "headers": [*message.get("headers", []), *more]}
        await send(message)

    return sending


def static_file(name: str) -> Response:
    """A file of the page."""
    folder = files("outplay.web").joinpath("static")
    paths = {path.name: path for path in folder.iterdir() if path.is_file()}
    ending = "." + name.rpartition(".")[2]
    if name not in paths or ending not in TYPES:
        return PlainTextResponse("not found", 404)
    return Response(paths[name].read_bytes(), media_type=TYPES[ending])


class Pace:
    """How many messages a page may still send now: `BURST` at once, and `RATE` a second."""

    def __init__(self) -> None:
        self.left, self.last = BURST, 0.0

    def is_kept(self) -> bool:
        """Count a message; whether it is within the pace."""
        now = asyncio.get_running_loop().time()
        self.left, self.last = min(BURST, self.left + RATE * (now - self.last)), now
        self.left -= 1
        return self.left >= 0


def make_app(lobby: Lobby, hosts: Collection[str] = LOCAL) -> Starlette:
    """The application, for the names by which this server may be called."""

    async def index(_: Request) -> Response:
        return static_file("index.html")

    async def static(request: Request) -> Response:
        return static_file(request.path_params["name"])

    async def steps(request: Request) -> Response:
        page = lobby.pages.get(request.path_params["name"])
        if page is None:
            return PlainTextResponse("this page is no longer there: ask for it again", 404)
        return HTMLResponse(page, headers={"content-security-policy": policy_of(page)})

    async def talk(socket: WebSocket) -> None:
        if len(lobby.audience) >= MOST_PAGES:
            await socket.close(1013, "too many pages")
            return
        await socket.accept()
        page = Page(lobby)
        lobby.audience.add(page)
        try:
            async with anyio.create_task_group() as both:
                both.start_soon(send_all, socket, page)
                await receive_all(socket, page)
                page.send(None)
                both.cancel_scope.deadline = anyio.current_time() + LAST_WORDS
        finally:
            lobby.audience.discard(page)
            page.close()

    @asynccontextmanager
    async def life(_: Any) -> AsyncIterator[None]:
        watching = asyncio.ensure_future(Workbench(lobby).watch())
        yield
        watching.cancel()
        await lobby.close()

    routes = [
        Route("/", index),
        Route("/static/{name}", static),
        Route("/steps/{name}", steps),
        WebSocketRoute("/ws", talk),
    ]
    app = Starlette(routes=routes, lifespan=life)
    app.add_middleware(Doorkeeper, hosts=hosts)
    return app


async def send_all(socket: WebSocket, page: Page) -> None:
    """Send the messages for a page until the connection ends."""
    with suppress(WebSocketDisconnect, RuntimeError, OSError):
        while (message := await page.outgoing.get()) is not None:
            await socket.send_text(encoded(message))
        await socket.close(1013)


async def receive_all(socket: WebSocket, page: Page) -> None:
    """Answer the messages of a page, one after the other, until the connection ends."""
    pace = Pace()
    while (data := await next_text(socket)) is not None:
        if not pace.is_kept() or len(data) > LONGEST_IMPORT + 1000:
            page.send({"type": "gone", "reason": "too many or too long messages"})
            return
        await page.receive(data)


async def next_text(socket: WebSocket) -> str | None:
    """The next message of a page; None if the connection has ended."""
    try:
        return await socket.receive_text()
    except (WebSocketDisconnect, RuntimeError, KeyError):  # lost while something was sent; or bytes instead of text
        return None
