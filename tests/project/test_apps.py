"""The programs of the page for programmers that the page itself does not run: the window, and the container."""

import importlib
import json
import os
import re
import subprocess
import sys
import threading

import pytest
from starlette.testclient import TestClient

from tests.project.test_docs import BLOCK, ROOT

PAGE = (ROOT / "docs" / "app.md").read_text()


def board(text):
    """The rows of a board, without who is to move."""
    return "\n".join(text.splitlines()[:6])


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """The folder with the files of the page."""
    for language, code in BLOCK.findall(PAGE):
        if language == "python" and (name := re.match(r"# (\w+)\.py\n", code)):
            (tmp_path / f"{name[1]}.py").write_text(code)
            monkeypatch.delitem(sys.modules, name[1], raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_the_web_server(programs):
    client = TestClient(importlib.import_module("web").app)

    def ask(moves, level):
        return client.get("/answer", params={"moves": moves, "level": level}).json()

    assert ask("4 3 4 3 4 3", "10")["move"] == "4"
    assert ask("9", "3")["error"].endswith("legal: 1, 2, 3, 4, 5, 6, 7")
    assert ask("", "high") == {"error": "level is a whole number from 0 to 10"}


def test_the_window(programs, monkeypatch):
    """A click is a move, the computer answers, and closing the window ends the program."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame = pytest.importorskip("pygame", reason="the extra dev has pygame-ce")
    window = importlib.import_module("window")
    click = pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=(3 * 80 + 5, 30), button=1)
    colours, draw = [], window.draw

    def drawn(surface, game, state):
        draw(surface, game, state)
        marks = board(game.render(state))
        if "X" not in marks:
            pygame.event.post(click)
        elif "O" in marks:
            colours.append(surface.get_at((3 * 80 + 40, 5 * 80 + 40)))
            pygame.event.post(pygame.event.Event(pygame.QUIT))

    monkeypatch.setattr(window, "draw", drawn)
    session = window.main()
    assert session.names[0] == "4"
    assert colours[0] == pygame.Color("red")


def test_the_container(programs):
    """The lines of the Dockerfile in a folder of their own: the server that then starts compiles nothing."""
    [dockerfile] = [code for language, code in BLOCK.findall(PAGE) if language == "dockerfile"]
    command = re.search(r"^RUN (outplay .*)$", dockerfile, re.MULTILINE)[1]
    module, name = json.loads(re.search(r"^CMD (.*)$", dockerfile, re.MULTILINE)[1])[1].split(":")
    assert {f"{module}.py", "opponent.py"} < set(re.search(r"^COPY (.*)$", dockerfile, re.MULTILINE)[1].split())
    environment = {**os.environ, "OUTPLAY_CACHE": str(programs / "cache")}

    def run(*words):
        command = [sys.executable, *words]
        return subprocess.run(command, env=environment, cwd=programs, capture_output=True, text=True, check=True)

    run("-m", "outplay", *command.split()[1:])
    compiled = sorted((programs / "cache").rglob("*.native"))
    assert compiled
    run("-c", f"import {module}; assert {module}.{name}; print({module}.answer('4 4'))")
    assert sorted((programs / "cache").rglob("*.native")) == compiled


def test_a_client_of_a_chat(programs):
    """A stub of a chat: messages of two people come at once, each in its thread, and each has its own game."""
    say = importlib.import_module("bot").say
    answers = {}

    def on_message(author, text):
        answers[author, text] = say(author, text)

    for text in "new 1", "4", "4":
        threads = [threading.Thread(target=on_message, args=(author, text)) for author in ("ann", "bob")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for author in "ann", "bob":
        marks = board(answers[author, "4"])
        assert marks.count("X") == marks.count("O") == 2
