"""On a full disk, each command prints its answer all the same, with an error and exit code 2."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest
from shared import OUTPLAY, PILE, rows
from typer.main import get_command
from typer.testing import CliRunner

from outplay.arena.log import read_log
from outplay.cli.commands import app
from outplay.search.alpha_beta import AlphaBeta

KUHN = ("equilibrium", "kuhn-poker", "--iterations", "9")
LEARN = ("learn", "pile.py", "--minutes", "0.02", "--nodes", "1")
MATCH = ("match", "pile.py", "random", "random", "--games", "8")
LADDER = ("ladder", "pile.py", "--player", "alpha-beta", "--vary", "depth=1..2", "--below", "random", "--games", "4")
BALANCE = ("balance", "pile.py", "--player", "alpha-beta", "--vary", "depth=1..2", "--games", "4")
TREE = ("tree", "[[3, 12, 8], [2, 4, 6]]")
SAVING = {
    "tree --svg": (TREE, "--svg", "a.svg", "all searched"),
    "tree --html": (TREE, "--html", "a.html", "all searched"),
    "tree --dot": (TREE, "--dot", "a.dot", "all searched"),
    "show --svg": (("show", "tic-tac-toe"), "--svg", "a.svg", "X to move"),
    "show --png": (("show", "tic-tac-toe"), "--png", "a.png", "X to move"),
    "tree --png": (TREE, "--png", "a.png", "all searched"),
    "show --html": (("show", "pile.py", "games.jsonl", "--game", "1"), "--html", "a.html", "random"),
    "quiz --html": (("quiz", "minimax", "--seed", "1", "--questions", "1"), "--html", "a.html", "Question 1 of 1"),
    "match --record": (MATCH, "--record", "a.jsonl", "random #1 against random #2"),
    "match --record, PGN": (("match", "chess", *MATCH[2:], "--max-plies", "4"), "--record", "a.pgn", "against"),
    "tournament --record": (("tournament", *MATCH[1:]), "--record", "a.jsonl", "stronger than the next"),
    "ladder --record": (LADDER, "--record", "a.jsonl", "gain"),
    "ladder --plot": (LADDER, "--plot", "a.svg", "gain"),
    "ladder --levels": (LADDER, "--levels", "a.json", "gain"),
    "balance --record": (BALANCE, "--record", "a.jsonl", "equal players"),
    "balance --html": (BALANCE, "--html", "a.html", "equal players"),
    "solve --proof": (("solve", "pile.py", "--algorithm", "alpha-beta"), "--proof", "a.proof", "Player 0 to move: win"),
    "book": (("book", "pile.py", "--plies", "1"), "", "a.book", "3 of 3 positions to ply 1, 3 of them proved"),
    "evaluate --svg": (("evaluate", "kalah", "--evaluation", "learned"), "--svg", "a.svg", "What each cell is worth"),
    "learn --export": (("learn", "pile.py", "--games", "50"), "--export", "a.parquet", "positions of"),
    "learn --svg": (LEARN, "--svg", "a.svg", "Nothing is stronger"),
    "equilibrium --save": (KUHN, "--save", "a.json", "9 iterations"),
    "equilibrium --state": (KUHN, "--state", "a.npz", "9 iterations"),
    "equilibrium --efg": (KUHN, "--efg", "a.efg", "9 iterations"),
    "equilibrium --svg": (KUHN, "--svg", "a.svg", "9 iterations"),
    "equilibrium --png": (KUHN, "--png", "a.png", "9 iterations"),
    "equilibrium --html": (KUHN, "--html", "a.html", "9 iterations"),
}
ELSEWHERE = {"solve --save", "learn --to", "table make", "table verify"}
"""Those with tests of their own below."""
ONLY_A_FILE = {"show --export", "table export", "new"}
"""Commands that have no answer besides their file."""
READING = {
    "--book", "--evaluation", "--levels of play", "--strategy", "--openings", "--table", "--load", "--solved",
    "--input", "show record", "verify file", "table probe", "table info", "table stats",
}  # fmt: skip
"""Files that are read."""


def full(*_):
    raise OSError(28, "No space left on device")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with rules and a recorded game."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pile.py").write_text(PILE)
    return tmp_path


@pytest.mark.sample(8)
@pytest.mark.parametrize(("command", "option", "name", "answer"), rows(SAVING))
def test_the_answer_is_printed_although_a_file_cannot_be_written(folder, monkeypatch, command, option, name, answer):
    if "games.jsonl" in command:
        assert CliRunner().invoke(app, [*MATCH, "--record", "games.jsonl"]).exit_code == 0
    if option == "--plot":
        pytest.importorskip("matplotlib")
    if option == "--export":
        pytest.importorskip("pyarrow")
    if option == "--png":
        pytest.importorskip("resvg_py")
    place = [option, name] if option else []
    arguments = [*command, *place] if option else [*command[:2], name, *command[2:]]
    monkeypatch.setattr("os.fsync", full)
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert f"Error: {name} cannot be written: No space left on device" in result.stderr
    assert answer in result.stdout
    assert not (folder / name).exists() or not (folder / name).stat().st_size
    assert not list(folder.glob(".*"))


def test_every_option_that_writes_a_file_is_tried():
    """A new one belongs in `SAVING`."""

    def files(command, name):
        for each, part in getattr(command, "commands", {}).items():
            yield from files(part, f"{name} {each}".strip())
        for param in command.params if not hasattr(command, "commands") else ():
            if "FILE" in str(param.metavar) or param.name in ("target", "export"):
                option = param.opts[0]
                yield {option, f"{name} {option}", name, f"{option} of {name}"}

    known = {*SAVING, *ELSEWHERE, *ONLY_A_FILE, *READING}
    missing = [names for names in files(get_command(app), "") if not names & known]
    assert not missing


@pytest.mark.parametrize("json_too", [[], ["--json"]])
def test_the_record_of_a_match_goes_on_when_there_is_room_again(folder, monkeypatch, json_too):
    calls = []

    def sometimes_full(number, sync=os.fsync):
        calls.append(number)
        if len(calls) in (3, 4):
            full()
        sync(number)

    monkeypatch.setattr("os.fsync", sometimes_full)
    result = CliRunner().invoke(app, [*MATCH, "--record", "a.jsonl", *json_too])
    assert result.exit_code == 0
    assert result.stderr.count("a.jsonl cannot be written: No space left on device; play goes on") == 1
    header, rounds, _ = read_log("a.jsonl")
    assert [each.number for each in rounds] == [0, 1, 2, 3]
    if json_too:
        assert json.loads(result.stdout)["seed"] == header["seed"]


def test_a_search_that_cannot_be_saved_prints_its_answer(folder, monkeypatch):
    search = AlphaBeta.search

    def stop(self, *arguments, **options):
        return replace(search(self, *arguments, **options), exact=False, stopped="interrupted")

    monkeypatch.setattr(AlphaBeta, "search", stop)
    monkeypatch.setattr("os.fsync", full)
    result = CliRunner().invoke(app, ["solve", "pile.py", "--algorithm", "alpha-beta", "--save", "a.solve"])
    assert result.exit_code == 2
    assert "Error: a.solve cannot be written: No space left on device" in result.stderr
    assert "Player 0 to move" in result.stdout


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of resources")
def test_a_record_that_may_not_grow_ends_with_a_whole_round(folder):
    """A real limit: a part of a line is written, and removed again."""
    import resource

    match = [*MATCH, "--games", "40", "--record", "a.jsonl"]
    command = [*OUTPLAY, *match, "--seed", "3"]
    environment = {**os.environ, "OUTPLAY_CACHE": "off"}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)),
    )  # fmt: skip
    assert done.returncode == 2
    assert "Error: a.jsonl cannot be written: File too large" in done.stderr
    assert "random #1 against random #2" in done.stdout
    content = (folder / "a.jsonl").read_bytes()
    assert content.endswith(b"\n")
    assert 0 < len(read_log("a.jsonl")[1]) < 20
    resumed = CliRunner().invoke(app, [*match, "--resume"])
    assert resumed.exit_code == 0
    assert (folder / "a.jsonl").read_bytes().startswith(content)
    assert [each.number for each in read_log("a.jsonl")[1]] == list(range(20))
