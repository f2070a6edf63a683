"""The page's own protocol: every built-in game is played by it, and what it refuses."""

import json
from random import Random

import pytest

from outplay import AlphaBeta, Book, BookEntry, OutplayError, Tablebase, positions
from outplay.games import BUILT_IN
from outplay.session import Session
from outplay.session.load import load_game
from outplay.web.library import NEEDS_A_TREE, Library
from outplay.web.values import Scale
from web.talk import served, talk

GAMES = [name for name in BUILT_IN if name != NEEDS_A_TREE]


def check_positions(page, name):
    """What the page saw last is what the rules say."""
    game, position = load_game(name), page.position
    assert position["fault"] == ""
    if position["turn"] != "over" or game.hidden_information:
        return
    moves = page.ask("export", format="jsonl")["text"]
    assert moves


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.sample(8)
def test_a_random_game(name, monkeypatch):
    monkeypatch.setattr("outplay.web.app.BURST", 1e12)  # people are slower
    with served() as client, talk(client) as page:
        page.open(name)
        page.play(Random(name), 60)
        check_positions(page, name)


@pytest.mark.nightly
@pytest.mark.parametrize("name", GAMES)
def test_ten_random_games(name, monkeypatch):
    monkeypatch.setattr("outplay.web.app.BURST", 1e12)  # people are slower
    with served() as client:
        for number in range(10):
            with talk(client) as page:
                page.open(name)
                page.play(Random(f"{name} {number}"), 2_000)
                check_positions(page, name)


def test_actions_are_those_of_the_rules():
    with served() as client, talk(client) as page:
        page.open("connect-four", moves="4 4 3")
        session = Session(load_game("connect-four"), moves="4 4 3")
        assert [row["name"] for row in page.position["actions"]] == [session.name(action) for action in session.legal]
        assert page.position["actions"][0]["cells"] == ["0,0"]
        assert page.position["last"] == {"name": "3", "cells": ["0,2"], "player": 0, "player_title": "X"}


def test_the_computer_answers():
    with served() as client, talk(client) as page:
        room = page.open("tic-tac-toe", seats=["person", "alpha-beta(level=10)"])
        assert room["tokens"].keys() == {"0"}
        page.ask("play_text", text="b2")
        page.until_position(lambda position: position["turn"] == "you" and position["moves"] == 2)


def test_variations():
    with served() as client, talk(client) as page:
        page.open("tic-tac-toe", moves="a1 b2")
        page.ask("go", node=1)
        page.ask("play_text", text="c3")
        page.ask("go", node=0)
        assert (page.last["tree"]["current"], page.last["tree"]["nodes"]) == (0, [])
        assert page.ask("go", node=9)["text"] == "there is no position 9: the last one is 3"
        page.ask("go", node=3)
        page.ask("undo")
        page.until_position(lambda position: position["node"] == 1)


def test_a_link_leads_to_the_same_position():
    with served() as client, talk(client) as page:
        page.open("chess", moves="e4 e5 Nf3")
        assert page.ask("link")["text"] == "#/play/chess?moves=e4%20e5%20Nf3"
        state = page.position["state"]
        page.open("chess", moves="e4 e5 Nf3")
        assert page.position["state"] == state


RECORDS = [("chess", "e4 e5", "pgn"), ("go", "E5 C3", "sgf"), ("nim", "", "jsonl")]


@pytest.mark.parametrize(("name", "moves", "form"), RECORDS)
def test_records_out_and_in(name, moves, form):
    with served() as client, talk(client) as page:
        page.open(name, moves=moves)
        text = page.ask("export", format=form)["text"]
        again = page.ask("import", text=text, **({"game": name} if form == "jsonl" else {}))
        assert again["game"]["name"] == name
        page.until_position()
        assert page.position["moves"] == len(moves.split())


def test_a_position_is_set_up():
    with served() as client, talk(client) as page:
        page.open("chess")
        page.ask("set_up", text="8/8/8/8/8/4k3/8/4K2R w - - 0 1")
        page.until_position()
        assert page.position["state"] == "8/8/8/8/8/4k3/8/4K2R w - - 0 1"
        assert "FEN" in page.ask("set_up", text="nonsense")["text"]


def test_two_people_by_links():
    with served() as client, talk(client) as one, talk(client) as other, talk(client) as watcher:
        room = one.open("tic-tac-toe")
        other.ask("join", room=room["room"], token=room["tokens"]["1"])
        other.until_position()
        watcher.ask("join", room=room["room"], token="wrong")
        watcher.until_position()
        assert (other.position["turn"], other.position["explore"], watcher.position["actions"]) == ("other", False, [])
        assert other.ask("play", action=0)["text"] == "it is not your turn, but that of X"
        assert "no move" in other.ask("undo")["text"]
        assert "others play" in other.ask("explore", on=True)["text"]
        one.ask("play_text", text="b2")
        other.until_position(lambda position: position["turn"] == "you")
        other.ask("play_text", text="a1")
        watcher.until_position(lambda position: position["moves"] == 2)
        assert "not your turn" in watcher.ask("play_text", text="a2")["text"]
        assert "you watch" in watcher.ask("resign")["text"]


def test_a_move_is_taken_back_if_the_other_agrees():
    with served() as client, talk(client) as one, talk(client) as other, talk(client) as watcher:
        room = one.open("tic-tac-toe", moves="b2 a1")
        one.ask("join", room=room["room"], token=room["tokens"]["0"])
        other.ask("join", room=room["room"], token=room["tokens"]["1"])
        watcher.ask("join", room=room["room"])
        watcher.until_position()
        assert "you watch" in watcher.ask("undo")["text"]
        assert "nobody asks" in other.ask("agree", yes=True)["text"]

        one.ask("undo")
        other.until_position(lambda position: position["asked"] == {"player": "X", "mine": True})
        one.until_position(lambda position: position["asked"] == {"player": "X", "mine": False})
        assert "nobody asks" in one.ask("agree", yes=True)["text"]
        assert "nobody asks" in watcher.ask("agree", yes=True)["text"]
        other.ask("agree", yes=False)
        one.until_position(lambda position: position["asked"] is None)
        assert one.position["moves"] == 2

        one.ask("undo")
        other.until_position(lambda position: position["asked"])
        other.ask("agree", yes=True)
        one.until_position(lambda position: position["moves"] == 0)
        assert one.position["turn"] == "you"

        one.ask("play_text", text="c3")
        one.ask("undo")
        other.ask("play_text", text="a3")
        assert "nobody asks" in other.ask("agree", yes=True)["text"]  # the game has gone on


def test_a_resignation_is_taken_back_but_not_a_move_that_was_hidden():
    with served() as client, talk(client) as one, talk(client) as other:
        for game in ("tic-tac-toe", "phantom-tic-tac-toe"):
            room = one.open(game)
            one.ask("join", room=room["room"], token=room["tokens"]["0"])
            other.ask("join", room=room["room"], token=room["tokens"]["1"])
            one.ask("resign")
            answer = one.ask("undo")
            if game == "tic-tac-toe":
                other.ask("agree", yes=True)
                one.until_position(lambda position: position["turn"] == "you")
            else:
                assert "hidden" in answer["text"]


def test_a_page_that_changes_its_mind():
    with served() as client, talk(client) as page:
        for name in ("nim", "chess", "nim", "tic-tac-toe"):
            page.send("open", game=name)
        page.open("hex")
        page.ask("play", action=0)
        assert {message["room"] for message in map(json.loads, page.bytes[-2:]) if "room" in message} == {
            page.position["room"]
        }
        assert [len(live.pages) for live in client.app_state["lobby"].rooms.values()] == [0, 0, 0, 0, 1]


def test_dice_are_thrown_or_entered():
    with served() as client, talk(client) as page:
        page.open("pig", chance="people")
        page.ask("play_text", text="roll")
        page.until_position(lambda position: position["turn"] == "chance")
        assert [row["name"] for row in page.position["actions"]] == list("123456")
        assert sum(row["odds"] for row in page.position["actions"]) == pytest.approx(1)
        page.ask("play_text", text="6")
        page.until_position(lambda position: position["turn"] == "you")
        page.ask("play_text", text="roll")
        page.ask("roll")
        page.until_position(lambda position: position["moves"] == 4)


def test_a_clock_runs_out():
    with served() as client, talk(client) as page:
        page.open("tic-tac-toe", clock="0.2")
        assert page.position["clocks"][0]["running"] is True
        page.until_position(lambda position: position["turn"] == "over")
        assert page.position["result"] == "X lost on time"


def test_resigning():
    with served() as client, talk(client) as page:
        page.open("chess", seats=["random", "person"])
        page.ask("resign")
        page.until_position(lambda position: position["turn"] == "over")
        assert page.position["result"] == "black resigned"
        page.ask("undo")
        page.until_position(lambda position: position["turn"] == "you")


def test_values_are_those_of_the_library():
    with served() as client, talk(client) as page:
        page.open("tic-tac-toe", moves="a1 b1 a2")
        page.ask("explore", on=True)
        values = page.until(lambda message: message["type"] == "values" and message["done"])
        kinds = {row["name"]: row["kind"] for row in values["rows"]}
        game = load_game("tic-tac-toe")
        states = Session(game, moves="a1 b1 a2").states
        analysis = AlphaBeta(game).analyse(states[-1])
        assert kinds == {row.name: {-1: "loss", 0: "draw", 1: "win"}[row.value] for row in analysis.actions}
        assert values["exact"]
        assert values["source"] == "search"
        page.ask("play_text", text="a3")
        again = page.until(lambda message: message["type"] == "values" and message["done"])
        assert again["node"] == page.position["node"]
        page.ask("explore", on=False)
        page.ask("curve", on=True)
        curve = page.until(lambda message: message["type"] == "curve" and len(message["points"]) == 5)
        assert [point["node"] for point in curve["points"]] == [0, 1, 2, 3, 4]


@pytest.mark.compiled
def test_values_of_a_table(tmp_path):
    game, path = load_game("nim"), str(tmp_path / "nim.table")
    table = Tablebase.make(game)
    table.save(path)
    with served(look_ups=[path]) as client, talk(client) as page:
        page.open("nim")
        page.ask("explore", on=True)
        values = page.until(lambda message: message["type"] == "values" and message["done"])
        assert values["source"] == "table"
        rows = table.analyse(game.initial_state()).actions
        assert [(row["name"], row["distance"]) for row in values["rows"]] == [(row.name, row.distance) for row in rows]
        assert page.ask("map")["states"] == len(table)
    with served() as client, talk(client) as page:
        page.open("nim")
        assert "no table" in page.ask("map")["text"]


def test_files_that_are_no_tables_and_books(tmp_path):
    path = tmp_path / "my.book"
    with pytest.raises(OutplayError, match=r"my\.book cannot be read: No such file"):
        Library(look_ups=[str(path)])
    path.write_text("moves")
    with pytest.raises(OutplayError, match=r"my\.book is not a book: its first line"):
        Library(look_ups=[str(path)])
    Book(load_game("nim((1, 2))")).save(path)
    with pytest.raises(OutplayError, match=r"my\.book is not a table or a book of a game"):
        Library(look_ups=[str(path)])


@pytest.mark.compiled
def test_the_map_of_a_piece(tmp_path):
    game, path = load_game("chess"), str(tmp_path / "krk.table")
    table = Tablebase.make(game, classes=["KRK"])
    table.save(path)
    with served(look_ups=[path]) as client, talk(client) as page, talk(client) as watcher:
        room = page.open("chess", start="8/8/8/4k3/8/8/8/R3K3 w - - 0 1")
        rows = {row["cells"][0]: row for row in page.ask("map", cell="a1")["rows"]}
        assert not {"a1", "e1", "e5", "e2"} & rows.keys()  # where it is, where others are, and where it gives check
        for cell, text in {"h1": "8/8/8/4k3/8/8/8/4K2R", "d4": "8/8/8/4k3/3R4/8/8/4K3"}.items():
            analysis = table.analyse(game.parse_state(f"{text} w - - 0 1"))
            assert rows[cell]["value_text"] == analysis.text
            assert (rows[cell]["kind"], rows[cell]["label"]) == ("win", analysis.text)
        assert page.ask("map", cell="b7")["rows"] == page.ask("map", cell="nowhere")["rows"] == []
        watcher.ask("join", room=room["room"])
        assert "plays alone" in watcher.ask("map", cell="a1")["text"]


def test_values_of_a_book(tmp_path):
    game, path = load_game("connect-four"), str(tmp_path / "four.book")
    start = game.initial_state()
    centre, corner = map(Session(game).read, ("4", "1"))
    book = Book(game)
    book.put(start, BookEntry(value=0.25, kind="estimate", action=centre, depth=6, nodes=4_000))
    book.put(game.result(start, corner), BookEntry(value=0.5, kind="lower"))
    book.save(path)
    with served(look_ups=[path]) as client, talk(client) as page:
        page.open("connect-four")
        page.ask("explore", on=True, algorithm="mcts", seconds=0.5)
        values = page.until(lambda message: message["type"] == "values")
        rows = {row["name"]: row for row in values["rows"]}
        assert (values["source"], values["done"], list(rows)) == ("book", False, ["4", "1", "7"])
        assert (rows["4"]["kind"], rows["4"]["book"]) == ("estimate", {"depth": 6, "nodes": 4_000})
        assert (rows["1"]["bound"], rows["1"]["value_text"]) == ("upper", "at most -0.5")
        values = page.until(lambda message: message["type"] == "values" and message["done"])
        rows = {row["name"]: row for row in values["rows"]}
        assert values["source"] == "search"
        assert len([name for name in rows if "book" not in rows[name]]) >= 1
        assert rows["4"]["share"] == Scale(-1, 1).share(0.25)


def test_a_book_that_knows_all_actions_needs_no_search(tmp_path):
    game, path = load_game("tic-tac-toe"), str(tmp_path / "ttt.book")
    Book(game, AlphaBeta(game).search_many(positions(game, 1)[1])).save(path)
    with served(look_ups=[path]) as client, talk(client) as page:
        page.open("tic-tac-toe")
        page.ask("explore", on=True)
        values = page.until(lambda message: message["type"] == "values" and message["done"])
        assert (values["source"], values["exact"], values["value"]["kind"]) == ("book", True, "draw")
        assert all(row["kind"] == "draw" and "book" in row for row in values["rows"])


def test_steps():
    with served() as client, talk(client) as page:
        page.open("tic-tac-toe", moves="a1 b2 c3 a3 c1")
        address = page.ask("steps", algorithm="minimax")["url"]
        answer = client.get(address)
        assert "sandbox allow-scripts" in answer.headers["content-security-policy"]
        assert "unsafe-inline" not in answer.headers["content-security-policy"].partition("style-src")[0]
        assert "cannot be shown" in page.ask("steps", algorithm="ismcts")["text"]
        assert client.get("/steps/unknown").status_code == 404


REFUSED = [
    ("this is not JSON", "{"),
    ("a message is a JSON object", "[]"),
    ("there is no request 'fly'", '{"type": "fly", "id": 1}'),
    ("play: id is a number", '{"type": "play", "action": 1}'),
    ("play: action is missing", '{"type": "play", "id": 1}'),
    ("play: action is a int", '{"type": "play", "id": 1, "action": "1"}'),
    ("play: action is a int", '{"type": "play", "id": 1, "action": true}'),
    ("play has no field 'x'", '{"type": "play", "id": 1, "action": 1, "x": 1}'),
    ("first open or join a game", '{"type": "play", "id": 1, "action": 1}'),
    ("there is no such game here", '{"type": "join", "id": 1, "room": "../../etc/passwd"}'),
    ("there is no game '/etc/passwd.py' here", '{"type": "open", "id": 1, "game": "/etc/passwd.py"}'),
    ("above 50", '{"type": "open", "id": 1, "game": "mnk(99,99,3)"}'),
    ("is not a player here", '{"type": "open", "id": 1, "game": "nim", "seats": ["person", "bot.py:Bot"]}'),
    ("is not a player here", '{"type": "open", "id": 1, "game": "nim", "seats": ["person", "uci:sh"]}'),
    ("not book", '{"type": "open", "id": 1, "game": "nim", "seats": ["person", "alpha-beta(book=/etc/passwd)"]}'),
    ("at most 30 s", '{"type": "open", "id": 1, "game": "nim", "seats": ["person", "alpha-beta(seconds=1e9)"]}'),
    ("2 players", '{"type": "open", "id": 1, "game": "nim", "seats": ["person"]}'),
    ("is not a time", '{"type": "open", "id": 1, "game": "nim", "clock": "soon"}'),
    ("no clock here", '{"type": "open", "id": 1, "game": "kuhn-poker", "clock": "60"}'),
    ("move 1", '{"type": "open", "id": 1, "game": "nim", "moves": "nonsense"}'),
    ("too long", '{"type": "open", "id": 1, "game": "' + "x" * 300 + '"}'),
]


@pytest.mark.parametrize(("text", "data"), REFUSED)
def test_refusals(text, data):
    with served() as client, talk(client) as page:
        page.socket.send_text(data)
        answer = page.receive()
        assert answer["type"] == "error"
        assert text in answer["text"]
