"""`outplay compile`: what it compiles is what a search needs, also after the folder was copied elsewhere."""

import json
import os
import shutil
import subprocess
import sys

from typer.testing import CliRunner

from outplay.cli.commands import app


def run(folder, *words):
    """A command in a process of its own, with its compiled code in a folder."""
    environment = {**os.environ, "OUTPLAY_CACHE": str(folder)}
    command = [sys.executable, "-m", "outplay", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def test_the_first_search_after_it_compiles_nothing(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    told = json.loads(run(first, "compile", "tic-tac-toe", "--json"))
    assert told == {
        "folder": str(first),
        "compiled": [{"game": "TicTacToe()", "algorithm": "alpha-beta", "compiled": True}],
    }
    shutil.copytree(first, second)
    before = sorted(second.rglob("*.native"))
    assert before
    run(second, "analyse", "tic-tac-toe", "--seconds", "0.1")
    run(second, "play", "tic-tac-toe", "--player", "none", "--level", "3", "--seed", "1")
    assert sorted(second.rglob("*.native")) == before


def test_rules_that_do_not_compile(tmp_path):
    rules = tmp_path / "lazy.py"
    rules.write_text(
        "from outplay.games import Nim\n"
        "class Lazy(Nim):\n"
        "    def actions(self, state):\n"
        "        return eval('super(Lazy, self).actions(state)', {'super': super, 'Lazy': Lazy, 'self': self,"
        " 'state': state})\n"
    )
    told = CliRunner().invoke(app, ["compile", f"{rules}:Lazy"], env={"OUTPLAY_CACHE": str(tmp_path / "cache")})
    assert told.exit_code == 0, told.output
    assert "runs interpreted; outplay check --compile says why" in told.output


def test_without_a_cache():
    told = CliRunner().invoke(app, ["compile", "nim"], env={"OUTPLAY_CACHE": "off"})
    assert told.exit_code == 2
    assert "the cache is off, so nothing can be kept" in told.stderr
