"""`outplay new`: first games that run at once, keep all laws, and can be played in the browser."""

from random import Random

import pytest
from typer.testing import CliRunner
from web.talk import served, talk

from outplay import check_game
from outplay.cli.commands import app
from outplay.rules.game import CHANCE
from outplay.session import Session
from outplay.session.load import load_game

KINDS = ("placing", "board", "dice", "cards")


@pytest.fixture(params=KINDS)
def file(request, tmp_path):
    path = tmp_path / "my_game.py"
    result = CliRunner().invoke(app, ["new", str(path), "--like", request.param])
    assert result.exit_code == 0, result.output
    return path


def test_it_keeps_the_laws(file):
    game = load_game(str(file))
    assert type(game).__name__ == "MyGame"
    report = check_game(game, playouts=30, seconds=10)
    assert not report.failures, str(report)


def test_fifty_random_games(file):
    game = load_game(str(file))
    for seed in range(50):
        random, session = Random(seed), Session(game, seed=seed)
        while not session.over:
            session.play(session.roll() if session.player == CHANCE else random.choice(session.legal))
        assert sum(session.utilities) == 0


def test_it_is_played_by_clicks(file):
    random = Random(0)
    with served(str(file)) as client, talk(client) as page:
        page.open("my_game.py")
        assert page.position["svg"]
        while page.position["turn"] != "over":
            if page.position["turn"] == "you":
                assert all(action["cells"] for action in page.position["actions"])
            page.play(random, 1)


def test_an_old_file_stays(tmp_path):
    path = tmp_path / "my_game.py"
    path.write_text("mine")
    result = CliRunner().invoke(app, ["new", str(path)])
    assert result.exit_code != 0
    assert path.read_text() == "mine"
    assert CliRunner().invoke(app, ["new", str(tmp_path / "my_game.txt")]).exit_code == 2
