"""A game of one's own: edited while it is played, and with bugs. The server lives, and says what and where."""

import re
import textwrap
import time

import pytest
from typer.testing import CliRunner

from outplay.cli.commands import app
from web.talk import served, talk

GOOD = '''
from outplay import Game


class Count(Game):
    """Take 1 or 2; whoever takes the last one wins."""

    def initial_state(self):
        return 5, 0

    def to_move(self, state):
        return state[1]

    def actions(self, state):
        return [taken for taken in (1, 2) if taken <= state[0]]

    def result(self, state, taken):
        return state[0] - taken, 1 - state[1]

    def is_terminal(self, state):
        return state[0] == 0

    def utility(self, state, player):
        return -1 if state[1] == player else 1
'''


def in_class(text):
    """More of the class."""
    return GOOD + textwrap.indent(textwrap.dedent(text), "    ")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "count.py"
    path.write_text(GOOD)
    return path


def test_an_edit_is_played_at_once(file):
    with served(str(file)) as client, talk(client) as page:
        page.open("count.py")
        page.ask("play", action=0)
        began = time.monotonic()
        file.write_text(GOOD.replace("(1, 2)", "(1, 2, 3)"))
        told = page.until(lambda message: message["type"] == "reloaded")
        assert (told["ok"], told["game"]) == (True, "count.py")
        page.until_position(lambda position: len(position["actions"]) == 3)
        assert time.monotonic() - began < 3
        assert page.position["moves"] == 1


def test_two_files_of_one_name_are_two_games(tmp_path):
    files = [tmp_path / folder / "count.py" for folder in ("old", "new")]
    for file, most in zip(files, ("(1, 2)", "(1, 2, 3)"), strict=True):
        file.parent.mkdir()
        file.write_text(GOOD.replace("(1, 2)", most))
    with served(*map(str, files)) as client, talk(client) as page:
        assert [card["name"] for card in page.ask("hello")["games"]][:2] == ["old/count.py", "new/count.py"]
        for name, count in (("old/count.py", 2), ("new/count.py", 3)):
            page.open(name)
            assert len(page.position["actions"]) == count
        page.ask("play_text", text="3")
        assert page.ask("link")["text"] == "#/play/new%2Fcount.py?moves=3"
        files[1].write_text(GOOD)
        assert page.until(lambda message: message["type"] == "reloaded")["game"] == "new/count.py"


def test_a_mistake_is_shown_with_its_line(file):
    with served(str(file)) as client, talk(client) as page:
        page.open("count.py")
        file.write_text(GOOD.replace("return 5, 0", "return 5, 0,, 1"))
        told = page.until(lambda message: message["type"] == "reloaded")
        assert not told["ok"]
        assert told["line"] == 9
        assert page.ask("play", action=0)["type"] == "ok"  # the old rules are still there
        file.write_text(GOOD.replace("state[0] - taken", "state[0] - nothing"))
        told = page.until(lambda message: message["type"] == "reloaded")
        assert told["line"] == 18
        assert "nothing" in told["text"]
        file.write_text(GOOD)
        assert page.until(lambda message: message["type"] == "reloaded")["ok"]


def test_moves_that_are_no_longer_legal(file):
    with served(str(file)) as client, talk(client) as page:
        page.open("count.py", moves="2 1")
        file.write_text(GOOD.replace("(1, 2)", "(1,)"))
        told = page.until(lambda message: message["type"] == "notice")
        assert "not legal" in told["text"]
        page.until_position(lambda position: position["moves"] == 0)


def test_a_game_that_cannot_be_loaded_at_first(file):
    file.write_text("1 +")
    with served(str(file)) as client, talk(client) as page:
        cards = page.ask("hello")["games"]
        assert "count.py:1" in next(card for card in cards if card["name"] == "count.py")["error"]
        assert "count.py:1" in page.ask("open", game="count.py")["text"]
        file.write_text(GOOD)
        assert page.until(lambda message: message["type"] == "reloaded")["ok"]
        page.open("count.py")


def test_a_game_without_end_at_first(file, monkeypatch):
    monkeypatch.setattr("outplay.web.guarded.SECONDS", 0.5)
    file.write_text(GOOD.replace("return state[1]", "\n        while True:\n            pass"))
    with served(str(file)) as client, talk(client) as page:
        cards = {card["name"]: card["error"] for card in page.ask("hello")["games"]}
        assert "too long" in cards["count.py"]
        assert re.search(r"count.py:1[34]", cards["count.py"])
        assert cards["nim"] == ""


BUGS = {
    "rules that raise": (
        GOOD.replace("state[0] - taken, 1 - state[1]", "state[0] - taken, 1 - state[1] + 0 // (state[0] - 4)"),
        "ZeroDivisionError",
    ),
    "no actions": (GOOD.replace("if taken <= state[0]", "if taken <= state[0] - 3"), "action"),
    "a rule without end": (in_class("""
        def action_name(self, state, action):
            while state[0] == 4:
                pass
            return str(action)
        """), "too long"),
    "an end that is never known": (GOOD.replace("return state[0] == 0", """
        while state[0] == 3:
            pass
        return state[0] == 0"""), "too long"),
    "a player that is none": (GOOD.replace("return state[1]", "return 7 if state[0] == 4 else state[1]"), ""),
    "a utility that raises": (GOOD.replace("return -1 if", "return [] if"), ""),
    "a picture that raises": (in_class("""
        def picture(self, state):
            return 1 // (state[0] - 4)
        """), "picture raised ZeroDivisionError"),
    "a picture that is none": (in_class("""
        def picture(self, state):
            return 7
        """), "expected a Picture"),
    "a picture without end": (in_class("""
        def picture(self, state):
            while state[0] == 4:
                pass
        """), "too long"),
}  # fmt: skip


@pytest.mark.parametrize("name", BUGS)
def test_bugs(name, file, monkeypatch):
    monkeypatch.setattr("outplay.web.guarded.SECONDS", 0.5)
    text, fault = BUGS[name]
    file.write_text(text)
    with served(str(file)) as client, talk(client) as page:
        room = page.ask("open", game="count.py")
        if room["type"] == "room":
            page.until_position()
            faults = [page.position["fault"]]
            for _ in range(3):
                faults += [page.ask("play", action=0).get("text", ""), page.position["fault"]]
            assert any(fault in each for each in faults), faults
        else:
            assert fault in room["text"]
        page.open("nim")
        assert page.ask("play", action=0)["type"] == "ok"


def test_a_computer_whose_rules_raise(file):
    file.write_text(
        in_class("""
        def evaluate(self, state, player):
            return 1 // 0
        """)
    )
    with served(str(file)) as client, talk(client) as page:
        page.open("count.py", seats=["person", "alpha-beta(depth=1)"])
        page.ask("play", action=0)
        told = page.until(lambda message: message["type"] == "notice")
        assert "ZeroDivisionError" in told["text"]
        assert page.ask("undo")["type"] == "ok"


@pytest.mark.parametrize("text", ["chesss", "nofile.py", "connect-four(width=80)"])
def test_what_is_no_game_is_told_at_the_start(text):
    result = CliRunner().invoke(app, ["serve", text, "--no-open"])
    assert result.exit_code == 2
    assert text.partition("(")[0] in result.output.lower().replace("connectfour", "connect-four")
