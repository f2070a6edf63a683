"""What a page, a rule or an edit could break, and does not: faults that were found by looking for them."""

import ast
import asyncio
import json
import threading

import pytest

from outplay.cli.new import first_game
from outplay.pictures.show import show
from outplay.rules.errors import OutplayError
from outplay.session.load import load_game
from outplay.web.guarded import Guarded
from outplay.web.library import Library
from web.talk import served, talk
from web.test_workbench import GOOD, in_class

SECRET = '''
from outplay import CHANCE, Game


class Secret(Game):
    """Chance hides a word, and two players bet."""

    hidden_information = True

    def initial_state(self):
        return None, 0

    def to_move(self, state):
        return CHANCE if state[0] is None else state[1] % 2

    def actions(self, state):
        return [7] if state[0] is None else [0, 1]

    def action_name(self, state, action):
        return "xyzzy" if state[0] is None else ["pass", "bet"][action]

    def probability(self, state, outcome):
        return 1.0

    def result(self, state, action):
        return ("xyzzy", 0) if state[0] is None else (state[0], state[1] + 1)

    def is_terminal(self, state):
        return state[1] == 4

    def utility(self, state, player):
        return 0

    def information(self, state, player):
        return state[1]

    def information_text(self, state, player):
        return f"bets: {state[1]}"
'''
RULE = 'return ("xyzzy", 0) if state[0] is None else (state[0], state[1] + 1)'
TEXT = 'return f"bets: {state[1]}"'


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret.py"
    path.write_text(SECRET)
    return path


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (RULE, f"if state[1] == 1: raise KeyError(state)\n        {RULE}"),
        (TEXT, f"if state[1] == 1: raise KeyError(state)\n        {TEXT}"),
        (TEXT, f"if state[1] == 1: return state\n        {TEXT}"),
    ],
)
@pytest.mark.parametrize("other", ["person", "random"])
def test_errors_of_rules_do_not_say_what_is_hidden(secret, monkeypatch, old, new, other):
    monkeypatch.setattr("outplay.web.library.check_rules", lambda game: None)
    secret.write_text(SECRET.replace(old, new))
    with served(str(secret)) as client, talk(client) as page:
        page.open("secret.py", seats=["person", other])
        page.until_position(lambda position: position["turn"] == "you")
        assert page.ask("play_text", text="bet")["type"] == "ok"
        if old == RULE and other == "person":
            assert "secret.py:" in page.ask("play_text", text="bet")["text"]
        elif old == RULE:
            assert "secret.py:" in page.until(lambda message: message["type"] == "notice")["text"]
        else:
            page.until_position(lambda position: position["turn"] == "fault")
        assert page.ask("undo")["type"] == "error"
        assert not any("xyzzy" in data for data in page.bytes if '"tokens"' not in data)


def test_an_edit_does_not_say_what_is_hidden(secret):
    with served(str(secret)) as client, talk(client) as page:
        page.open("secret.py")
        page.until_position(lambda position: position["turn"] == "you")
        secret.write_text(SECRET.replace("[7]", "[8]"))
        told = page.until(lambda message: message["type"] == "notice")
        assert told["text"] == "some moves do not fit the new rules, and are left out"


def test_whose_turn_it_is_in_a_game_that_hides_it():
    with served() as client, talk(client) as page, talk(client) as watcher:
        room = page.open("kuhn-poker")
        watcher.ask("join", room=room["room"])
        assert watcher.ask("play", action=0)["text"] == "it is not your turn"


def test_an_edit_that_fails_in_the_position_on_the_page(tmp_path, monkeypatch):
    """The file is looked at further on, also after rules that raise any error when moves are played again."""
    monkeypatch.setattr("outplay.web.library.check_rules", lambda game: None)
    file = tmp_path / "count.py"
    file.write_text(GOOD)
    with served(str(file)) as client, talk(client) as page:
        page.open("count.py", moves="2 1")
        file.write_text(GOOD.replace("return state[0] - taken", "return {5: 3}[state[0]]"))
        assert "KeyError" in page.until(lambda message: message["type"] == "notice")["text"]
        file.write_text(GOOD.replace("(1, 2)", "(1, 2, 3)"))
        page.until_position(lambda position: len(position["actions"]) == 3)


ODD = {
    "action_name": "def action_name(self, state, action):\n    return {1} if state[0] == 4 else str(action)",
    "state_text": "def state_text(self, state):\n    return {1}",
    "repr": "def initial_state(self):\n    return Bad((5, 0))\n\ndef picture(self, state):\n    raise KeyError",
}


@pytest.mark.parametrize("rule", ODD)
def test_what_is_no_text(rule, tmp_path, monkeypatch):
    monkeypatch.setattr("outplay.web.library.check_rules", lambda game: None)
    file = tmp_path / "count.py"
    file.write_text(in_class(ODD[rule]) + "\n\nclass Bad(tuple):\n    def __repr__(self):\n        return 1 // 0\n")
    with served(str(file)) as client, talk(client) as page:
        page.ask("hello")
        page.open("count.py")
        page.ask("play", action=0)
        assert page.ask("undo")["type"] in ("ok", "error")
        page.open("nim")


ENDLESS = "return float('inf') if state[1] == player else float('-inf')"
NAMELESS = "return float('nan')"
NOWHERE = """
def picture(self, state):
    from outplay.rules.board import Picture, Place

    return Picture([Place("a", float("nan"), 0), Place("b", 1, float("inf"))], {})
"""


def parse_strictly(data):
    """The message, as a browser reads it."""

    def refuse(constant):
        raise ValueError(f"{constant} is no JSON")

    return json.loads(data, parse_constant=refuse)


@pytest.mark.parametrize("utility", [ENDLESS, NAMELESS])
@pytest.mark.parametrize("more", ["", NOWHERE, "utilities = float('-inf'), float('inf')"])
def test_numbers_that_are_not_finite_are_no_part_of_messages(utility, more, tmp_path, monkeypatch):
    monkeypatch.setattr("outplay.web.library.check_rules", lambda game: None)
    file = tmp_path / "count.py"
    text = in_class(more) if more else GOOD
    file.write_text(text.replace("return -1 if state[1] == player else 1", utility))
    with served(str(file), folder=tmp_path / "games") as client, talk(client) as page:
        page.ask("hello")
        page.ask("picture", game="count.py")
        room = page.open("count.py")
        page.ask("explore", on=True, seconds=0.1)
        page.ask("curve", on=True)
        page.until(lambda message: message["type"] == "values" and message["done"])
        if more == NOWHERE:
            assert "impossible lengths" in page.position["fault"]
        for _ in range(5):
            page.ask("play", action=0)
        page.until_position(lambda position: position["turn"] == "over")
        page.ask("export", format="jsonl")
        [kept] = (tmp_path / "games").glob("*.room")
        assert parse_strictly(kept.read_text())["id"] == room["room"]
        assert "utilities" in page.position
        for data in page.bytes:
            parse_strictly(data)


@pytest.mark.parametrize("name", ["nim((5_0_0,))", "nim((0x40,))", "nim((0b1111111,))", "nim((1e2,))", "nim((51,))"])
def test_numbers_that_are_too_great(name):
    with pytest.raises(OutplayError, match="above 50"):
        Library().game(name)


def test_numbers_that_are_not():
    library = Library()
    assert repr(library.game("go(size=5,komi=0.5)")) == "Go(size=5, komi=0.5)"
    assert repr(library.game("nim((50, 1))")) == "Nim(heaps=(50, 1))"


def test_games_with_other_parameters_make_place_for_others(monkeypatch):
    monkeypatch.setattr("outplay.web.library.MOST_OTHERS", 3)
    with served() as client, talk(client) as one, talk(client) as other, talk(client) as third:
        room = one.open("nim((1, 1))")
        for heap in range(2, 7):
            other.open(f"nim(({heap}, 1))")
        assert one.ask("play", action=0)["type"] == "ok"
        library = client.app_state["lobby"].library
        assert [*library._others] == ["nim((1, 1))", "nim((5, 1))", "nim((6, 1))"]
        third.open("nim((7, 1))")
        one.ask("leave")
        other.open("nim((8, 1))")
        other.open("nim((9, 1))")
        assert "nim((1, 1))" not in library._others
        assert one.ask("join", room=room["room"])["game"]["players"] == 2
        assert "come back later" in one.ask("open", game="nim((2, 2))")["text"]


@pytest.mark.parametrize("stem", ["MY_FILE", "FILE", "none", "True", "picture", "piece", "game"])
@pytest.mark.parametrize("like", ["placing", "board", "dice", "cards"])
def test_names_of_first_games(stem, like, tmp_path):
    path = tmp_path / f"{stem}.py"
    path.write_text(first_game(like, path))
    ast.parse(path.read_text())
    game = load_game(str(path))
    assert show(game, game.initial_state()).svg()


def test_a_call_that_nobody_waits_for_ends():
    """A rule without end does not run for ever, also if its room has gone on meanwhile."""
    is_running = threading.Event()
    has_ended = threading.Event()

    def endless():
        try:
            is_running.set()
            while True:
                pass
        finally:
            has_ended.set()

    async def cancelled():
        task = asyncio.ensure_future(Guarded(seconds=0.3).run(endless))
        await asyncio.to_thread(is_running.wait)
        task.cancel()
        await asyncio.to_thread(has_ended.wait, 5)

    asyncio.run(cancelled())
    assert has_ended.is_set()


def test_a_watcher_does_not_choose_the_search():
    with served() as client, talk(client) as page, talk(client) as watcher:
        room = page.open("tic-tac-toe")
        page.ask("explore", on=True, algorithm="alpha-beta")
        watcher.ask("join", room=room["room"])
        watcher.ask("explore", on=False, algorithm="mcts")
        live = client.app_state["lobby"].rooms[room["room"]]
        assert live.explorer.algorithm == "alpha-beta"


def test_the_tokens_on_the_disk_are_the_users_own(tmp_path):
    with served(folder=tmp_path / "games"):
        assert (tmp_path / "games").stat().st_mode & 0o077 == 0
