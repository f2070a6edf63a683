"""Answers for other programs: tables as CSV, and what TAB offers in a shell."""

import csv
import io
import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from outplay.cli.commands import app

COMMANDS = {
    "analyse": (["analyse", "tic-tac-toe", "--moves", "b2", "--depth", "2"], lambda data: data["actions"]),
    "perft": (
        ["perft", "tic-tac-toe", "--depth", "2"],
        lambda data: [{"action": name, "lines": lines} for name, lines in data["divided"].items()],
    ),
    "games": (["games"], lambda data: data),
    "tournament": (
        ["tournament", "tic-tac-toe", "random", "minimax(depth=1)", "--games", "2", "--seed", "1"],
        lambda data: [{name: value for name, value in row.items() if value != {}} for row in data["standings"]],
    ),
    "match": (
        ["match", "kuhn-poker(players=3)", "random", "b=random", "c=random", "--games", "6", "--seed", "1"],
        lambda data: data["ratings"],
    ),
}


def invoke(*words):
    return CliRunner().invoke(app, [*words])


@pytest.mark.parametrize("name", COMMANDS)
def test_csv_has_what_json_has(name):
    words, rows_of = COMMANDS[name]
    told = invoke(*words, "--csv")
    assert told.exit_code == 0, told.output
    rows = list(csv.DictReader(io.StringIO(told.stdout)))
    expected = rows_of(json.loads(invoke(*words, "--json").stdout))
    assert len(rows) == len(expected) > 1
    for row, whole in zip(rows, expected, strict=True):
        assert row == {
            key: "" if value is None else " ".join(value) if isinstance(value, list) else str(value)
            for key, value in whole.items()
        }


def test_a_match_of_two_is_one_row():
    told = invoke("match", "tic-tac-toe", "random", "minimax(depth=1)", "--games", "4", "--seed", "3", "--csv")
    [row] = csv.DictReader(io.StringIO(told.stdout))
    assert (row["players"], row["games"]) == ("random minimax(depth=1)", "4")
    assert int(row["won"]) + int(row["drawn"]) + int(row["lost"]) == 4
    assert "utility.mean" in row


def test_one_form_only():
    told = invoke("games", "--csv", "--json")
    assert told.exit_code == 2
    assert "--json and --csv: choose one of them" in told.output
    assert "the list of all games" in invoke("games", "chess", "--csv").output


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("outplay ana", ["analyse"]),
        ("outplay analyse conn", ["connect-four"]),
        ("outplay analyse mine/ga", ["mine/game.py"]),
        ("outplay analyse connect-four --algo", ["--algorithm"]),
        ("outplay uci chess --algorithm al", ["alpha-beta"]),
    ],
)
def test_what_tab_offers(line, offered, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "game.py").touch()
    words = {"_OUTPLAY_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    command = [sys.executable, "-c", "import sys; sys.argv[0] = 'outplay'; from outplay.cli.main import run; run()"]
    told = subprocess.run(command, check=False, env=os.environ | words, cwd=tmp_path, capture_output=True, text=True)
    assert told.stdout.split() == offered, told.stderr


def test_completion_is_installed(tmp_path):
    environment = os.environ | {"HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    command = [sys.executable, "-c", "import sys; sys.argv[0] = 'outplay'; from outplay.cli.main import run; run()"]
    told = subprocess.run(
        [*command, "--install-completion", "bash"], env=environment, capture_output=True, text=True, check=False
    )
    assert (told.returncode, told.stderr) == (0, "")
    assert "_OUTPLAY_COMPLETE" in (tmp_path / ".bash_completions" / "outplay.sh").read_text()
