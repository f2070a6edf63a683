"""A page without a browser: it talks to the server as the front end does, and keeps every byte that it got."""

import json
from contextlib import contextmanager

from starlette.testclient import TestClient

from outplay.web.app import make_app
from outplay.web.library import Library
from outplay.web.lobby import Lobby

HOST = "testserver"
ORIGIN = {"origin": f"http://{HOST}"}


@contextmanager
def served(*games, folder=None, players=(), look_ups=()):
    """A server, as a client."""
    lobby = Lobby(Library(games, players, look_ups), folder)
    with TestClient(make_app(lobby, [HOST])) as client:
        client.app_state["lobby"] = lobby
        yield client


class Talk:
    """The talk of one page."""

    def __init__(self, socket):
        self.socket, self.number, self.bytes, self.last = socket, 0, [], {}

    @property
    def position(self):
        """The position that the page shows; empty before it has one."""
        return self.last.get("position", {})

    def receive(self):
        data = self.socket.receive_text()
        self.bytes.append(data)
        message = json.loads(data)
        self.last[message["type"]] = message
        return message

    def send(self, kind, **fields):
        self.number += 1
        self.socket.send_text(json.dumps({"type": kind, "id": self.number, **fields}))
        return self.number

    def ask(self, kind, **fields):
        """The answer to a request."""
        if kind in ("open", "join", "import", "set_up"):
            self.last.pop("position", None)
        number = self.send(kind, **fields)
        return self.until(lambda message: message.get("re") == number)

    def until(self, holds):
        while not holds(message := self.receive()):
            pass
        return message

    def until_position(self, holds=lambda position: True):
        """Wait until the position that is shown holds."""
        while not (self.position and holds(self.position)):
            self.receive()

    def open(self, game, **fields):
        """Open a game, and wait for its first position."""
        room = self.ask("open", game=game, **fields)
        assert room["type"] == "room", room
        self.until_position()
        return room

    def play(self, random, plies):
        """Random actions up to the end, or so many; the number of actions."""
        for ply in range(plies):
            while self.position["turn"] not in ("over", "you", "fault") and not self.position["actions"]:
                self.receive()
            if self.position["turn"] != "you" and not self.position["actions"]:
                return ply
            action = random.choice(self.position["actions"])
            before = self.position["node"]
            assert self.ask("play", action=action["id"], node=before)["type"] == "ok"
        return plies


@contextmanager
def talk(client):
    """A page of a server."""
    with client.websocket_connect("/ws", headers=ORIGIN) as socket:
        yield Talk(socket)
