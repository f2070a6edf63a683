"""Who may talk to the server, and with what."""

import json
from random import Random

import pytest
from starlette.websockets import WebSocketDisconnect

from outplay.web import messages
from outplay.web.library import Library
from web.talk import HOST, ORIGIN, served, talk


def test_headers():
    with served() as client:
        for address in "/", "/static/style.css", "/nothing":
            answer = client.get(address)
            policy = answer.headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "testserver.evil"])
def test_a_rebound_name_is_refused(host):
    with served() as client:
        assert client.get("/", headers={"host": host}).status_code == 403
        headers = {"host": host, "origin": f"http://{host}"}
        with pytest.raises(WebSocketDisconnect), client.websocket_connect("/ws", headers=headers):
            pass


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", "http://testserver.evil", "http://[", None])
def test_another_origin_is_refused(origin):
    with served() as client:
        headers = {} if origin is None else {"origin": origin}
        with pytest.raises(WebSocketDisconnect), client.websocket_connect("/ws", headers=headers):
            pass


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/static/app.py", "/steps/../../x", "/ws", "/api"],  # noqa: E501
)  # fmt: skip
def test_no_other_path(path):
    with served() as client:
        assert client.get(path).status_code in (404, 405)


def test_names_are_inert():
    script = "<script>alert(1)</script>"
    with served() as client, talk(client) as page:
        assert page.ask("open", game=script)["type"] == "error"
        page.open("tic-tac-toe")
        answer = page.ask("play_text", text=script)
        assert answer["type"] == "error"
        assert "svg" not in answer
        assert script not in page.position["svg"]


def test_too_many_messages():
    with served() as client, talk(client) as page:
        for _ in range(200):
            page.send("leave")
        assert page.until(lambda message: message["type"] == "gone")["reason"]
        with pytest.raises(WebSocketDisconnect):
            page.receive()


def test_long_messages():
    with served() as client, talk(client) as page:
        page.socket.send_text(json.dumps({"type": "open", "id": 1, "game": "nim", "moves": "1" * 70_000}))
        assert "at most" in page.receive()["text"]
        assert page.ask("import", text="x" * 900_000)["type"] == "error"
        page.socket.send_text("x" * 1_100_000)
        assert page.receive()["type"] == "gone"


def test_too_many_pages(monkeypatch):
    monkeypatch.setattr("outplay.web.app.MOST_PAGES", 1)
    with served() as client, talk(client) as page:
        with pytest.raises(WebSocketDisconnect), client.websocket_connect("/ws", headers=ORIGIN):
            pass
        assert page.ask("leave")["type"] == "ok"
    assert HOST in ORIGIN["origin"]


def test_players_named_at_the_start():
    library = Library(players=["deep=alpha-beta(depth=9)"])
    game = library.game("nim")
    assert library.player("deep=alpha-beta(depth=9)", game).limit.depth == 9


# -- fuzz -------------------------------------------------------------------------------------------------------------

WORDS = ["", "nim", "chess", "person", "random", "alpha-beta(level=1)", "4", "a1", "b2", "e4", "nim((1, 2))", "\ud800",
         "go(size=3)", "pgn", "jsonl", "server", "people", "1:00", "8/8/8/8/8/4k3/8/4K2R w - - 0 1", "x" * 99, "\x00",
         "[Event]", "(;GM[1]SZ[9];B[aa])", "mcts", "{}", "1. e4 e5", "../x", "<b>", "9" * 30]  # fmt: skip
VALUES = [None, True, False, 0, 1, 2, -1, 10**30, 1.5, float("nan"), float("inf"), [], {}, [[]], ["person"], *WORDS]


def some_request(random):
    """A request that may be right, or wrong in any place."""
    kind = random.choice([*messages.REQUESTS, "", "fly"])
    fields = messages.REQUESTS.get(kind, {})
    request = {"type": kind, "id": random.choice([1, 1, 1, 1, -1, "1", None])}
    for name, field in fields.items():
        if random.random() < 0.8:
            right = {str: WORDS, int: [0, 1, 2, 3], bool: [True, False], float: [0.1], list: [["person", "random"]]}
            request[name] = random.choice(right[field.type] if random.random() < 0.8 else VALUES)
    if random.random() < 0.02:
        return "".join(random.choice('{}[]":,1ex \ud800') for _ in range(9))
    return json.dumps(request)


def fuzz(page, random, number):
    """Many requests; each is answered, and nothing else happens."""
    for _ in range(number):
        data = some_request(random)
        page.socket.send_text(data.encode("utf-8", "replace").decode())
        answer = page.until(lambda message: "re" in message)
        assert answer["type"] in {"ok", "error", "room", "games", "picture", "record", "link", "steps", "map"}
        del page.bytes[:]


@pytest.fixture
def no_pace(monkeypatch):
    monkeypatch.setattr("outplay.web.app.BURST", 1e12)


def test_a_fuzz(no_pace, caplog):
    with served() as client, talk(client) as page:
        fuzz(page, Random(0), 300)
        page.open("nim")
        assert page.ask("play", action=0)["type"] == "ok"
    assert caplog.text == ""


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(20))
def test_a_long_fuzz(seed, no_pace, caplog):
    with served() as client, talk(client) as page, talk(client) as other:
        for _ in range(50):
            fuzz(page, Random(f"{seed} {_}"), 50)
            fuzz(other, Random(f"{seed} {_} other"), 50)
        page.open("nim")
        assert page.ask("play", action=0)["type"] == "ok"
    assert caplog.text == ""
