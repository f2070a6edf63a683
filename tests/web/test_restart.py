"""Games go on after the server was ended or killed."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from random import Random

import pytest
from shared import PATIENCE

from outplay.session.load import load_game
from outplay.web.library import Library
from outplay.web.lobby import Lobby
from outplay.web.room import Room, Seat
from outplay.web.store import Store, data_of, room_of
from web.talk import served, talk


def test_a_game_goes_on(tmp_path):
    with served(folder=tmp_path) as client, talk(client) as page:
        room = page.open("tic-tac-toe", seats=["person", "random"], moves="a1 b2")
        page.ask("go", node=1)
        page.ask("go", node=0)
        page.ask("play_text", text="c3")
        page.until_position(lambda position: position["moves"] == 2)
        tree = page.ask("join", room=room["room"], token=room["tokens"]["0"])
        page.until_position()
        before, tree = page.position, page.last["tree"]
    with served(folder=tmp_path) as client, talk(client) as page:
        page.ask("join", room=room["room"], token=room["tokens"]["0"])
        page.until_position()
        assert (page.position, page.last["tree"]) == (before, tree)
        assert page.position["turn"] == "you"
        page.ask("join", room="x" * 16)
        assert "no such game" in page.ask("join", room="../" + room["room"])["text"]


@pytest.mark.parametrize("name", ["backgammon", "chess", "kuhn-poker", "pacman", "dots-and-boxes"])
def test_a_room_is_the_same_after_the_disk(name, tmp_path):
    random, game = Random(0), load_game(name)
    room = Room(game, name, [Seat() for _ in range(game.players)], {})
    for _ in range(30):
        if not room.session.over:
            room.advance(random.choice(room.session.legal))
    store = Store(tmp_path)
    store.save(room)
    again, misfit = room_of(store.load(room.id), lambda name: (game, ()), lambda who, game: {})
    assert misfit == ""
    assert data_of(again) == data_of(room)
    assert again.session.state == room.session.state or again.session.names == room.session.names


def test_a_clock_goes_on(tmp_path):
    with served(folder=tmp_path) as client, talk(client) as page:
        room = page.open("chess", clock="5:00+3")
        page.ask("play_text", text="e4")
        before = page.position["clocks"]
    with served(folder=tmp_path) as client, talk(client) as page:
        page.ask("join", room=room["room"], token=room["tokens"]["0"])
        page.until_position()
        after = page.position["clocks"]
        assert [clock["running"] for clock in after] == [False, True]
        assert after[0]["seconds"] == pytest.approx(before[0]["seconds"], abs=5)


def test_a_damaged_file(tmp_path):
    with served(folder=tmp_path) as client, talk(client) as page:
        room = page.open("nim")["room"]
    for content in "{", "[]", "{}", '{"format": "outplay room 2"}', json.dumps({"format": "outplay room 1"}):
        (tmp_path / f"{room}.room").write_text(content)
        with served(folder=tmp_path) as client, talk(client) as page:
            assert page.ask("join", room=room)["type"] == "error"


def test_only_the_newest_files_are_left(tmp_path, monkeypatch):
    monkeypatch.setattr("outplay.web.store.MOST_FILES", 2)
    for number in range(4):
        path = tmp_path / f"{'x' * 15}{number}.room"
        path.write_text("{}")
        os.utime(path, (number, number))
    Store(tmp_path)
    assert sorted(path.name[15] for path in tmp_path.glob("*.room")) == ["2", "3"]


def test_old_rooms_make_place(tmp_path, monkeypatch):
    import asyncio

    monkeypatch.setattr("outplay.web.lobby.MOST_ROOMS", 3)

    async def play():
        lobby = Lobby(Library(), tmp_path)
        names = [(await lobby.open("nim")).room.id for _ in range(5)]
        assert [*lobby.rooms] == names[2:]
        assert (await lobby.find(names[0])).room.id == names[0]
        assert len(lobby.rooms) == 3

    asyncio.run(play())


@contextmanager
def server(folder, port):
    """A server of its own, as a process."""
    command = [sys.executable, "-m", "outplay", "serve", "--no-open", "--port", str(port), "--keep", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline().split()[4]
        yield process, address
    finally:
        process.kill()
        process.communicate()


def ask(address, *requests):
    """The answers of a server to requests on one connection."""
    from websockets.sync.client import connect

    answers = []
    with connect(address.replace("http", "ws") + "ws", origin=address.rstrip("/")) as socket:
        for number, request in enumerate(requests):
            socket.send(json.dumps({"id": number, **request}))
            while (answer := json.loads(socket.recv(timeout=PATIENCE))).get("re") != number:
                pass
            answers.append(answer)
    return answers


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_server(tmp_path, number):
    with server(tmp_path, 8700) as (process, address):
        room, answer = ask(address, {"type": "open", "game": "nim"}, {"type": "play", "action": 0})
        assert answer["type"] == "ok"
        began = time.monotonic()
        process.send_signal(number)
        process.wait(10)
        assert time.monotonic() - began < 1
        assert number == signal.SIGKILL or process.stderr.read() == ""
        codes = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 0}
        assert process.returncode == codes[number]
    with server(tmp_path, 8700) as (process, address):
        _, record = ask(address, {"type": "join", "room": room["room"]}, {"type": "export", "format": "jsonl"})
        assert len(json.loads(record["text"].splitlines()[1])["games"][0]["plies"]) == 1
