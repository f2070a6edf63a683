"""What a seat may not know is in no byte that it gets."""

import json
from random import Random

import pytest

from outplay.games import BUILT_IN
from outplay.rules.game import defines
from outplay.rules.keys import content_key
from outplay.session.load import load_game
from outplay.web.room import Room, Seat
from outplay.web.seat_view import Viewer, position_message, tree_message
from web.talk import served, talk

HIDDEN = [name for name in BUILT_IN if name != "explicit-tree" and BUILT_IN[name].hidden_information]
GAMES = [*HIDDEN, "goofspiel(3)", "goofspiel(4,shown=False)", "dark-hex(2,2)", "kuhn-poker(3)", "battleship(2,2)"]


def a_room(name):
    game = load_game(name)
    return Room(game, name, [Seat() for _ in range(game.players)], {}, file="room")


@pytest.mark.parametrize("name", GAMES)
def test_equal_information_gives_equal_bytes(name):
    random, seen, compared = Random(1), {}, 0
    for _ in range(60):
        room = a_room(name)
        session = room.session
        while not session.over and len(session.actions) < 40:
            for player in range(room.game.players):
                mine = session.player == player
                key = player, mine, content_key(room.game.information(session.state, player))
                message = position_message(room, Viewer(frozenset([player])))
                assert message["fault"] == ""
                data = json.dumps([message, tree_message(room)])
                compared += key in seen
                assert seen.setdefault(key, data) == data
            room.advance(random.choice(session.legal))
    assert compared > 50


@pytest.mark.parametrize("name", HIDDEN)
def test_a_watcher_sees_nothing_before_the_end(name):
    room, other = a_room(name), a_room(name)
    watcher = Viewer(frozenset())
    other.advance(other.session.legal[-1])
    assert position_message(room, watcher) == position_message(other, watcher)


@pytest.mark.parametrize("name", [name for name in HIDDEN if defines(load_game(name), "picture")])
def test_games_with_boards_have_one_for_each_seat(name):
    room = a_room(name)
    assert position_message(room, Viewer(frozenset([0])))["svg"].startswith("<svg")


def test_a_hand_is_in_no_byte():
    """The other card is the only thing that differs; so is nothing that the first page gets, up to the end."""
    transcripts = {}
    for number in range(12):
        with served() as client, talk(client) as one, talk(client) as other:
            room = one.open("kuhn-poker", seats=["person", "person"])
            other.ask("join", room=room["room"], token=room["tokens"]["1"])
            one.ask("join", room=room["room"], token=room["tokens"]["0"])
            one.until_position(lambda position: position["turn"] == "you")
            one.ask("play_text", text="pass")
            other.until_position(lambda position: position["turn"] == "you")
            other.ask("play_text", text="bet")
            one.until_position(lambda position: position["turn"] == "you")
            names = [room["room"], *room["tokens"].values()]
            begin = max(place for place, data in enumerate(one.bytes) if '"type": "room"' in data)
            data = "\n".join(text for text in one.bytes[begin + 1 :] if '"re"' not in text and '"seats"' not in text)
            for name in names:
                data = data.replace(name, "…")
            card, hidden = one.position["text"][0], other.position["text"][0]
            lines = [line for line in data.splitlines() if "dealt" not in line]
            assert transcripts.setdefault(card, lines) == lines, (number, hidden)
            one.ask("play_text", text="bet")
            one.until_position(lambda position: position["turn"] == "over")
            assert f">{hidden}</text>" in one.position["svg"]


def test_nothing_else_tells_more():
    with served() as client, talk(client) as page:
        page.open("kuhn-poker", seats=["person", "random"])
        page.until_position(lambda position: position["turn"] == "you")
        for request in {
            "undo": {},
            "go": {"node": 0},
            "link": {},
            "export": {"format": "jsonl"},
            "steps": {},
            "curve": {"on": True},
        }.items():
            answer = page.ask(request[0], **request[1])
            assert answer["type"] == "error", answer
