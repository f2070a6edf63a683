"""Records of contests: one process at a time writes one, with one set of rules, from a seed that nobody can guess."""

import json
import os
import secrets
import subprocess
import sys

import pytest
from shared import PILE
from typer.testing import CliRunner

from outplay import Game
from outplay.arena.balance import Balance
from outplay.arena.calibration import save_levels
from outplay.arena.ladder import Ladder
from outplay.arena.ladder_score import LadderScore
from outplay.arena.log import LogError, MatchLog, read_log
from outplay.arena.match import Match
from outplay.arena.records.files import GameFile, open_record
from outplay.arena.referee import play_game
from outplay.arena.tournament import Tournament
from outplay.cli.commands import app
from outplay.engine.rules_mark import RulesMark
from outplay.equilibrium import CFR
from outplay.games import Chess, KuhnPoker, Pig, TicTacToe
from outplay.rules.errors import StrategyError
from outplay.session import Session
from outplay.session.levels import read_calibrations
from outplay.session.players import RandomPlayer

MATCH = ("match", "pile.py", "random", "random", "--games", "20", "--record", "a.jsonl")


def run(*arguments):
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pile.py").write_text(PILE)
    return tmp_path


@pytest.fixture
def fresh_seeds(monkeypatch):
    monkeypatch.setattr("outplay.system.seeds.randbits", secrets.randbits)


# -- one process ------------------------------------------------------------------------------------------------------


def test_a_record_is_open_once(tmp_path):
    path, match = tmp_path / "a.jsonl", Match(TicTacToe(), ("random", "random"), games=4)
    told = f"a.jsonl is in use: process {os.getpid()} is writing it; wait until it is done, or name another file"
    with MatchLog(path, match) as log:
        for resume in (False, True):
            with pytest.raises(LogError, match=told):
                MatchLog(path, match, resume=resume)
        for each in match.run():
            log.add(each)
    with MatchLog(path, match, resume=True) as log:
        assert len(log.rounds) == 2
    assert [each.name for each in tmp_path.iterdir()] == ["a.jsonl"]


def test_a_record_that_is_refused_is_not_in_use(tmp_path):
    path, match = tmp_path / "a.jsonl", Match(TicTacToe(), ("random", "random"))
    MatchLog(path, match).close()
    for _ in range(2):
        with pytest.raises(LogError, match="differs in seed"):
            MatchLog(path, Match(TicTacToe(), ("random", "random"), seed=5), resume=True)


def test_a_file_of_games_is_open_once(tmp_path):
    path, match = tmp_path / "a.pgn", Match(Chess(), ("random", "random"))
    with GameFile(path, match), pytest.raises(LogError, match="is in use"):
        open_record(path, match)


HOLDER = """
from outplay.system.files import in_use
with in_use("a.jsonl"):
    print("in use", flush=True)
    input()
"""


@pytest.mark.parametrize("command", ["match", "tournament", "ladder", "balance"])
def test_a_second_command_gets_an_error(folder, command):
    more = {"match": ["random"] * 2, "tournament": ["random"] * 3, "balance": []}
    vary = ["--player", "alpha-beta", "--vary", "depth=1..2"] if command in ("ladder", "balance") else []
    arguments = [command, "pile.py", *more.get(command, []), *vary, "--games", "4", "--record", "a.jsonl"]
    assert run(*arguments).exit_code == 0
    before = (folder / "a.jsonl").read_bytes()
    holder = subprocess.Popen([sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with holder:
        holder.stdout.readline()
        found = run(*arguments, "--resume")
        holder.communicate(b"\n")
    assert found.exit_code == 2
    assert f"a.jsonl is in use: process {holder.pid} is writing it" in found.stderr
    assert (folder / "a.jsonl").read_bytes() == before
    assert run(*arguments, "--resume").exit_code == 0


def test_a_file_of_levels_gets_the_levels_of_both_processes(tmp_path, monkeypatch):
    """They are read while the file is locked."""
    path, results = tmp_path / "levels.json", []
    for player in ("alpha-beta", "minimax"):
        ladder = Ladder.of(TicTacToe(), player, "depth=1..2", below="random", games=2)
        score = LadderScore(ladder)
        for each in ladder.run():
            score.add(each)
        results.append(score.result())
    save_levels(results[0], path)
    first = path.read_bytes()
    path.unlink()
    calls = []

    def other_process(*arguments):
        calls.append(arguments)
        if len(calls) == 1:  # while this one waits for the lock
            path.write_bytes(first)
        return locked(*arguments)

    from outplay.system.files import locked

    monkeypatch.setattr("outplay.system.files.locked", other_process)
    save_levels(results[1], path)
    assert {calibration.algorithm for calibration in read_calibrations(path.read_text(), path)} == {
        "alpha-beta",
        "minimax",
    }


# -- one set of rules -------------------------------------------------------------------------------------------------

EDITS = {
    "seen in random games": ("-1 if s[1] == p else 1", "1 if s[1] == p else -1"),
    "of a state that is never reached": ("return s[0] <= 0", "return s[0] <= 0 or s[0] > 99"),
    "of a constant": ("utilities = (-1, 1)", "utilities = (-2, 2)"),
}


@pytest.mark.parametrize(("before", "after"), EDITS.values(), ids=EDITS)
def test_a_match_does_not_go_on_with_other_rules(folder, before, after):
    assert run(*MATCH).exit_code == 0
    content = (folder / "a.jsonl").read_bytes()
    assert before in PILE
    (folder / "pile.py").write_text(PILE.replace(before, after))
    found = run(*MATCH, "--resume")
    assert found.exit_code == 2
    assert "the rules of Pile() have changed since a.jsonl was begun: name another file" in found.stderr
    assert (folder / "a.jsonl").read_bytes() == content
    (folder / "pile.py").write_text("# a remark\n" + PILE)
    assert run(*MATCH, "--resume").exit_code == 0


def test_a_game_that_remembers_goes_on(folder):
    """Its memory is not a part of the rules."""
    text = PILE.replace("self.size = size", "self.size, self.memory = size, {}")
    (folder / "pile.py").write_text(text.replace("return s[0] <= 0", "return self.memory.setdefault(s, s[0] <= 0)"))
    assert run(*MATCH).exit_code == 0
    assert run(*MATCH, "--resume").exit_code == 0


def test_the_mark_is_the_same_in_each_process(python):
    script = "from outplay.games import Chess, LeducPoker; from outplay.engine.rules_mark import RulesMark\n"
    script += "print(RulesMark(Chess()).text(), RulesMark(LeducPoker()).text())"
    assert python("-c", script, PYTHONHASHSEED=1) == python("-c", script, PYTHONHASHSEED=2)


def test_a_solver_does_not_go_on_with_other_rules(tmp_path):
    class Other(KuhnPoker):
        def utility(self, state, player):
            return -super().utility(state, player)

    Other.__name__ = Other.__qualname__ = "KuhnPoker"
    assert repr(Other()) == repr(KuhnPoker())
    path, solver = tmp_path / "a.npz", CFR(KuhnPoker())
    solver.save(path)
    assert CFR(KuhnPoker()).load(path).iterations == 0
    with pytest.raises(StrategyError, match=r"the rules of KuhnPoker\(\) have changed since .*a\.npz was saved"):
        CFR(Other()).load(path)


# -- seeds ------------------------------------------------------------------------------------------------------------


def test_seeds_are_fresh(fresh_seeds):
    players = ("random", "random")
    makers = (
        lambda: Match(Pig(), players),
        lambda: Tournament(Pig(), players),
        lambda: Ladder(TicTacToe(), ("alpha-beta(depth=1)", "alpha-beta(depth=2)")),
        lambda: Balance(Pig(), ("random",)),
        lambda: Session(Pig()),
    )
    for make in makers:
        seeds = {make().seed for _ in range(5)}
        assert len(seeds) == 5
        assert max(seeds) > 1 << 40


def test_chance_cannot_be_known(fresh_seeds):
    games = [play_game(Pig(goal=20), [RandomPlayer(), RandomPlayer()], ["one", "two"]).actions for _ in range(5)]
    assert len({tuple(actions) for actions in games}) > 1


@pytest.mark.parametrize("command", ["match", "tournament"])
def test_the_seed_of_a_match_repeats_it(folder, fresh_seeds, command):
    arguments = (command, "kuhn-poker", "random", "random", "--games", "20", "--record")
    told = json.loads(run(*arguments, "a.jsonl", "--json").stdout)
    header, rounds, _ = read_log("a.jsonl")
    assert told["seed"] == header["seed"] > 0
    shown = run(*arguments, "b.jsonl", "--seed", str(told["seed"])).stdout
    assert f"seed {told['seed']}: --seed {told['seed']} gives the same openings and luck" in shown
    run(*arguments, "c.jsonl")
    actions = [
        [[record.actions for record in each.records] for each in read_log(name)[1]] for name in ("b.jsonl", "c.jsonl")
    ]
    assert actions[0] == [[record.actions for record in each.records] for each in rounds] != actions[1]


@pytest.mark.parametrize("command", ["match", "ladder", "balance"])
def test_a_record_goes_on_with_its_seed(folder, fresh_seeds, command):
    players = ["random", "random"] if command == "match" else ["--player", "alpha-beta", "--vary", "depth=1..2"]
    arguments = [command, "pile.py", *players, "--games", "8", "--record", "a.jsonl", "--json"]
    first = json.loads(run(*arguments).stdout)
    content = (folder / "a.jsonl").read_bytes()
    (folder / "a.jsonl").write_bytes(content[: content.index(b"\n") + 1])
    assert json.loads(run(*arguments, "--resume").stdout)["seed"] == first["seed"]
    assert sorted(line["round"] for line in map(json.loads, content.splitlines()[1:])) == sorted(
        json.loads(line)["round"] for line in (folder / "a.jsonl").read_bytes().splitlines()[1:]
    )
    found = run(*arguments, "--resume", "--seed", "5")
    assert found.exit_code == 2
    assert f"differs in seed (that of the file is {first['seed']})" in found.stderr


def test_play_says_its_seed(fresh_seeds):
    play = ("play", "pig(goal=8)", "--player", "none", "--level", "1")
    shown = run(*play).stdout
    seed = shown.partition("--seed ")[2].split()[0]
    moves = [line for line in shown.splitlines() if line.startswith("Moves: ")]
    assert moves == [line for line in run(*play, "--seed", seed).stdout.splitlines() if line.startswith("Moves: ")]
    assert "--seed" not in run("play", "pig(goal=8)", "--player", "none", "--level", "1", "--seed", "1").stdout


def test_the_rules_mark_of_rules_that_cannot_be_read():
    class Odd(Game):
        compiled = False
        secret = object()

        def initial_state(self):
            return 0

        def to_move(self, state):
            return state % 2

        def actions(self, state):
            return [1] if self.secret else []

        def result(self, state, action):
            return state + 1

        def is_terminal(self, state):
            return state > 3

        def utility(self, state, player):
            return 0

    assert RulesMark(Odd()).text() == RulesMark(Odd()).text()
    assert len(RulesMark(Odd()).text().split()) == 2
