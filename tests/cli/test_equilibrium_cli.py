"""`outplay equilibrium`, as a person meets it."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from shared import PATIENCE
from typer.testing import CliRunner

from cli import test_cli
from cli.test_cli import error, folder, process, run  # noqa: F401 - `folder` is a fixture for every test
from outplay.cli.commands import app
from outplay.cli.equilibrium_display import points_shown, sparkline
from outplay.equilibrium import CFR, Point, Strategy, exploitability, unroll
from outplay.equilibrium.efg import to_efg
from outplay.games import KuhnPoker
from outplay.session.algorithms import SOLVERS

PENNIES = """
from outplay import Game


class Pennies(Game):
    '''Both show a coin, neither sees the other's; player 0 wins if they are alike.'''

    compiled = False

    def __init__(self, stake=1):
        self.stake = stake

    def initial_state(self):
        return ()

    def to_move(self, shown):
        return len(shown)

    def actions(self, shown):
        return (0, 1)

    def result(self, shown, action):
        return (*shown, action)

    def is_terminal(self, shown):
        return len(shown) == 2

    def utility(self, shown, player):
        return self.stake if (shown[0] == shown[1]) == (player == 0) else -self.stake

    def information(self, shown, player):
        return (len(shown), shown[player : player + 1])

    def action_name(self, shown, action):
        return ("heads", "tails")[action]

    def information_text(self, shown, player):
        return "nothing" if len(shown) <= player else self.action_name(shown, shown[player])


class Forgetful(Pennies):
    def information(self, shown, player):
        return 0 if player == 0 else len(shown)

    def to_move(self, shown):
        return 0
"""


@pytest.fixture(autouse=True)
def files(folder):  # noqa: F811
    (folder / "pennies.py").write_text(PENNIES)


def test_kuhn_poker():
    shown = run("equilibrium", "kuhn-poker")
    lines = shown.splitlines()
    assert lines[0] == "KuhnPoker(): 58 nodes, 6 + 6 information sets"
    assert lines[2].split()[:3] == ["player", "0", "-0.055556"]
    assert lines[3].split()[:3] == ["player", "1", "+0.055556"]
    assert "CFR(variant='predictive'): " in shown
    assert re.search(r"\niterations +time +exploitability\n", shown)
    table = [line.split() for line in lines[lines.index("") :]]
    assert ["player", "0", "knows", "pass", "bet"] in table
    assert ["J,", "pass-bet", "1", "0"] in table
    assert ["K,", "bet", "0", "1"] in table
    bluffs = next(float(row[2]) for row in table if row[:1] == ["J"])
    bets = next(float(row[2]) for row in table if row[:1] == ["K"])
    assert bets == pytest.approx(3 * bluffs, abs=1e-3)  # Kuhn's family of equilibria
    curve = [float(row[3]) for row in table if len(row) == 4 and row[2] == "s"]
    assert 3 <= len(curve) <= 9
    assert curve[-1] < 4e-7 < curve[0]


def test_json_and_limits():
    found = json.loads(run("equilibrium", "kuhn-poker", "--iterations", "50", "--player", "1", "--json"))
    assert (found["game"], found["nodes"], found["information_sets"]) == ("KuhnPoker()", 58, 12)
    assert (found["iterations"], found["stopped"]) == (50, "iterations")
    assert found["values"][0] == pytest.approx(-1 / 18, abs=1e-2)
    assert found["exploitability"] == pytest.approx(sum(found["gains"]) / 2)
    assert found["exploitability"] == found["curve"][-1]["exploitability"]
    assert [row["knows"] for row in found["strategy"]] == [
        "Q, pass",
        "Q, bet",
        "K, pass",
        "K, bet",
        "J, pass",
        "J, bet",
    ]
    assert all(row["player"] == 1 and sum(row["actions"].values()) == pytest.approx(1) for row in found["strategy"])

    target = ["equilibrium", "kuhn-poker", "--exploitability", "0.01", "--json"]
    assert json.loads(run(*target))["stopped"] == "exploitability"
    run(*target, "--iterations", "2", code=1)
    assert json.loads(run("equilibrium", "kuhn-poker", "--seconds", "0.3", "--json"))["stopped"] == "seconds"


@pytest.mark.parametrize("name", [name for name in SOLVERS if name != "lp"])
def test_every_algorithm(name):
    found = json.loads(run("equilibrium", "kuhn-poker", "--algorithm", name.upper(), "--iterations", "2000", "--json"))
    near = 2e-3 if SOLVERS[name].kind == "CFR" else 0.1
    assert found["values"][0] == pytest.approx(-1 / 18, abs=near)
    assert found["iterations"] == 2000
    assert all(str(value) in found["solver"] for value in SOLVERS[name].options.values()) or name in {
        "discounted",
        "external",
    }


@pytest.mark.nightly
def test_without_a_tree(folder):  # noqa: F811
    shown = run("equilibrium", "kuhn-poker", "--no-tree", "--iterations", "30000", "--save", "kuhn.npz")
    lines = [line.split() for line in shown.splitlines()]
    assert shown.startswith("KuhnPoker(): 6 + 6 information sets were reached\n")
    assert float(lines[2][2]) == pytest.approx(-1 / 18, abs=0.05)
    assert "exploitability is not known without the tree" in shown
    assert "TreelessMCCFR(memory_mb=4096.0): 30,000 iterations" in shown
    assert ["player", "0", "knows", "pass", "bet"] in lines
    assert float(run("equilibrium", "kuhn-poker", "--load", "kuhn.npz").splitlines()[4].split()[1]) < 0.05
    options = ("--no-tree", "--algorithm", "outcome", "--memory-mb", "2", "--iterations", "500", "--player", "1")
    found = json.loads(run("equilibrium", "kuhn-poker", *options, "--lines", "4", "--json"))
    assert found["solver"] == "TreelessMCCFR(sampling='outcome', memory_mb=2.0)"
    assert (found["information_sets"], found["iterations"], found["exploitability"]) == (12, 500, None)
    assert len(found["values"]) == 2
    assert "gains" not in found
    assert [row["player"] for row in found["strategy"]] == [1] * 4
    again = ("--state", "kuhn-state.npz", "--iterations", "100", "--json")
    assert [json.loads(run("equilibrium", "kuhn-poker", "--no-tree", *again))["iterations"] for _ in "ab"] == [100, 200]


def test_what_needs_the_tree():
    for option in (
        ["--load", "x.json"],
        ["--efg", "x.efg"],
        ["--svg", "x.svg"],
        ["--html", "x.html"],
        ["--exploitability", "0.1"],
    ):
        assert "leave out --load, --efg, --svg, --png, --html and --exploitability" in error(
            "equilibrium", "kuhn-poker", "--no-tree", *option
        )
    assert "--algorithm cfr+ needs the tree; external and outcome do not" in error(
        "equilibrium", "kuhn-poker", "--no-tree", "--algorithm", "cfr+"
    )


def test_where_time_was_too_short():
    shown = run("equilibrium", "liars-dice", "--no-tree", "--seconds", "0", "--lines", "1")
    assert "0 iterations" in shown
    assert "no iteration was completed: use more time, or --algorithm outcome" in shown


def test_options_of_the_algorithm():
    options = ("--set", "gamma=3", "--set", "alternating=false", "--iterations", "10", "--json")
    found = json.loads(run("equilibrium", "pennies.py:Pennies", "--algorithm", "discounted", *options))
    assert found["solver"] == "CFR(gamma=3, alternating=False)"


def test_compiling_does_not_count_as_time():
    options = ("--algorithm", "linear", "--set", "alternating=false", "--seconds", "0.1", "--json")
    assert json.loads(run("equilibrium", "kuhn-poker", *options))["iterations"] > 1


def test_a_game_of_ones_own_and_how_many_lines():
    shown = run("equilibrium", "pennies.py:Pennies(stake=2)", "--player", "1")
    assert "Pennies(stake=2): 7 nodes, 1 + 1 information sets" in shown
    assert [line.split() for line in shown.splitlines()][-1] == ["nothing", "0.5000", "0.5000"]
    assert "player 0 knows" not in shown
    short = run("equilibrium", "kuhn-poker", "--lines", "2", "--iterations", "100")
    assert short.count("… and 4 later decisions; --lines 0 shows all") == 2
    assert "\nJ " in short
    assert "pass-bet" not in short  # the first decisions are shown first
    assert "later decisions" not in run("equilibrium", "kuhn-poker", "--lines", "0", "--iterations", "100")


def test_a_strategy_is_saved_and_judged(folder):  # noqa: F811
    shown = run("equilibrium", "kuhn-poker", "--iterations", "3", "--save", "kuhn.json")
    assert shown.endswith("\nstrategy in kuhn.json\n")
    judged = run("equilibrium", "kuhn-poker", "--load", "kuhn.json")
    same = [line for line in shown.splitlines() if line.startswith(("player", "exploitability"))]
    assert [line for line in judged.splitlines() if line.startswith(("player", "exploitability"))] == same
    assert "iterations" not in judged
    found = json.loads(run("equilibrium", "kuhn-poker", "--load", "kuhn.json", "--json"))
    assert found["exploitability"] == exploitability(Strategy.load("kuhn.json", KuhnPoker())) > 0
    assert "curve" not in found

    assert "a strategy for KuhnPoker(), not for" in error("equilibrium", "kuhn-poker(3)", "--load", "kuhn.json")
    told = error("equilibrium", "kuhn-poker", "--load", "kuhn.json", "--algorithm", "lp")
    assert "leave out --algorithm, limits, --state and --set" in told
    told = error("equilibrium", "kuhn-poker", "--state", "kuhn.json", "--iterations", "1")
    assert "kuhn.json: not what a solver saved, or damaged (BadZipFile: " in told
    assert "none.json cannot be read" in error("equilibrium", "kuhn-poker", "--load", "none.json")
    (folder / "bad.json").write_text("{")
    assert "bad.json: not a strategy, because it is not JSON" in error(
        "equilibrium", "kuhn-poker", "--load", "bad.json"
    )
    assert "--load computes nothing" in error("equilibrium", "kuhn-poker", "--load", "kuhn.json", "--iterations", "3")


def test_stop_and_go_on(folder):  # noqa: F811
    command = ("equilibrium", "kuhn-poker", "--state", "kuhn.npz", "--json", "--iterations")
    run(*command, "30")
    resumed = json.loads(run(*command, "70"))
    straight = CFR(KuhnPoker(), variant="predictive").solve(iterations=100)
    assert resumed["iterations"] == 100
    assert resumed["values"] == pytest.approx(straight.values, abs=1e-12)
    assert resumed["exploitability"] == pytest.approx(straight.exploitability, abs=1e-12)
    assert "saved by CFR(variant='predictive') for KuhnPoker()" in error(*command, "1", "--algorithm", "cfr+")
    (folder / "kuhn.npz").write_text("nothing")
    assert "not what a solver saved" in error(*command, "1")


def test_efg_in_and_out(folder):  # noqa: F811
    assert "game in kuhn.efg" in run("equilibrium", "kuhn-poker", "--iterations", "1", "--efg", "kuhn.efg")
    assert (folder / "kuhn.efg").read_text() == to_efg(KuhnPoker())
    found = json.loads(run("equilibrium", "kuhn.efg", "--json"))
    assert found["values"][0] == pytest.approx(-1 / 18, abs=1e-5)
    assert "├─ J (0.3333" in run("games", "kuhn.efg")
    (folder / "bad.efg").write_text('EFG 2 R "" { "A" }\nt "" 1')
    assert "bad.efg, line 2: outcome 1 appears for the first time" in error("equilibrium", "bad.efg")
    assert "there is no file none.efg" in error("equilibrium", "none.efg")


def test_what_is_wrong_is_said():
    assert "did you mean linear?" in error("equilibrium", "kuhn-poker", "--algorithm", "liner")
    assert "--player 2: KuhnPoker() has players 0 to 1" in error("equilibrium", "kuhn-poker", "--player", "2")
    assert "--save no/kuhn.json cannot be written: there is no folder" in error(
        "equilibrium", "kuhn-poker", "--save", "no/kuhn.json"
    )
    assert "--state . cannot be written: it is a folder" in error("equilibrium", "kuhn-poker", "--state", ".")
    assert "has no option 'rave'; choose variant" in error("equilibrium", "kuhn-poker", "--set", "rave=true")
    assert "gamma=-1000" in error("equilibrium", "kuhn-poker", "--set", "gamma=-1000")
    large = error("equilibrium", "pennies.py:Pennies", "--memory-mb", "0")
    assert "--memory-mb 0: give a number from 1 up" in large
    assert "outplay solve" in error("equilibrium", "nim(heaps=(2, 2))")
    forgets = error("equilibrium", "pennies.py:Forgetful")
    assert "information() is the same for player 0" in forgets
    assert "perfect recall" in forgets


def test_a_game_that_is_too_large():
    told = error("equilibrium", "liars-dice(2, 6)", "--memory-mb", "1")
    assert "more than 7,692 nodes, which do not fit into 1 megabytes" in told
    assert "TreelessMCCFR (outplay equilibrium --no-tree) or the search ISMCTS" in told


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal")
def test_ctrl_c_keeps_what_was_found(folder):  # noqa: F811
    terminal, end = os.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    command = ("equilibrium", "kuhn-poker", "--algorithm", "cfr", "--seconds", "600")
    kept = ("--save", "kuhn.json", "--state", "kuhn.npz")
    with process(*command, *kept, stderr=end, env=environment) as running:
        os.close(end)
        shown = ""
        while not re.search(r"cfr  exploitability [\d.e-]+  [\d.]+ [kM] iterations  [\d.]+ s  [▁▂▃▄▅▆▇█]+", shown):
            shown += os.read(terminal, 10_000).decode(errors="replace")
        running.send_signal(signal.SIGINT)
        answer = running.communicate(timeout=PATIENCE)[0]
        os.close(terminal)
    assert running.returncode == 130
    assert re.search(r"CFR\(variant='cfr'\): [\d,]+ iterations in [\d.]+ s, interrupted", answer)
    solver = CFR(unroll(KuhnPoker()), variant="cfr").load(folder / "kuhn.npz")
    assert solver.iterations >= 1000
    assert exploitability(Strategy.load(folder / "kuhn.json", KuhnPoker())) < 0.05


def test_help():
    shown = run("equilibrium", "--help")
    assert "  outplay equilibrium kuhn-poker" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_curves():
    points = [Point(n, n / 10, 1 / n) for n in range(1, 41)]
    assert points_shown(points)[-1] == points[-1]
    assert len(points_shown(points)) <= 9
    assert points_shown(points[:3]) == points[:3]
    assert sparkline([1.0, 0.1, 0.01]) == "█▅▁"
    assert sparkline([1.0]) == sparkline([1.0, 1.0]) == sparkline([0.0, float("nan")]) == ""


def test_the_exact_answer():
    found = json.loads(run("equilibrium", "kuhn-poker", "--algorithm", "lp", "--json"))
    assert found["values"][0] == pytest.approx(-1 / 18, abs=1e-12)
    assert found["exploitability"] < 1e-12
    assert "lp is exact: leave out" in error("equilibrium", "kuhn-poker", "--algorithm", "lp", "--iterations", "5")


def test_to_play_against_a_strategy(folder):  # noqa: F811
    run("equilibrium", "kuhn-poker", "--algorithm", "lp", "--save", "kuhn.json")
    for seed in range(6):
        shown = run("play", "kuhn-poker", "--strategy", "kuhn.json", "--seed", str(seed), stdin="hint\nbet\n")
        card = shown.split("player 0 sees: ")[-1][0]
        hint = re.search(r"Hint: pass (\S+), bet (\S+)", shown)
        assert (card != "Q") or hint[2] == "0"  # no equilibrium bets a queen
        answer = re.search(r"Moves: \S+ (\S+) bet (\w+)", shown)
        assert answer[2] == {"J": "pass", "K": "bet"}.get(answer[1], answer[2])
    assert "a strategy for KuhnPoker(), not for LeducPoker()" in error("play", "leduc-poker", "--strategy", "kuhn.json")
    assert "no.json" in error("play", "kuhn-poker", "--strategy", "no.json")
    for option in ["--algorithm", "pimc"], ["--seconds", "1"], ["--set", "worlds=3"]:
        told = error("play", "kuhn-poker", "--strategy", "kuhn.json", *option)
        assert "plays without a search: leave out" in told


# -- files that are not lost ------------------------------------------------------------------------------------------


@pytest.fixture
def saving_often(monkeypatch):
    """Commands in processes of their own save twenty times a second."""
    monkeypatch.setattr(
        "cli.test_cli.COMMAND", "import outplay.system.files as f; f.SAVE_EVERY = 0.05; " + test_cli.COMMAND
    )


@pytest.mark.sample(1)
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_to_be_ended_is_as_ctrl_c(folder, saving_often, name):  # noqa: F811
    number = getattr(signal, name)
    command = ("equilibrium", "kuhn-poker", "--algorithm", "cfr", "--seconds", "600")
    with process(*command, "--save", "kuhn.json", "--state", "kuhn.npz") as running:
        wait_for(folder / "kuhn.npz", running)
        running.send_signal(number)
        running.send_signal(number)  # a terminal that is closed sends several
        answer = running.communicate(timeout=PATIENCE)[0]
    assert running.returncode == 128 + number
    done = int(re.search(r"CFR\(variant='cfr'\): ([\d,]+) iterations in .*, interrupted", answer)[1].replace(",", ""))
    assert CFR(KuhnPoker(), variant="cfr").load("kuhn.npz").iterations == done
    assert exploitability(Strategy.load("kuhn.json", KuhnPoker())) < 0.5
    assert sorted(path.name for path in folder.glob("*kuhn*")) == ["kuhn.json", "kuhn.npz"]


def wait_for(path, running):
    while not path.exists():
        assert running.poll() is None
        time.sleep(0.01)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal")
def test_what_is_found_is_saved_when_the_terminal_is_closed(folder):  # noqa: F811
    import pty

    command = ("equilibrium", "kuhn-poker", "--algorithm", "cfr", "--seconds", "600")
    arguments = [sys.executable, "-c", test_cli.COMMAND, *command, "--save", "kuhn.json", "--state", "kuhn.npz"]
    process, terminal = pty.fork()
    if process == 0:
        os.execve(arguments[0], arguments, {**os.environ, "TERM": "xterm", "COLUMNS": "100"})
    shown = ""
    while "iterations" not in shown:
        shown += os.read(terminal, 10_000).decode(errors="replace")
    os.close(terminal)  # SIGHUP, and nothing can be shown any more
    assert os.waitpid(process, 0)[1] != 0
    assert CFR(KuhnPoker(), variant="cfr").load(folder / "kuhn.npz").iterations > 0
    assert exploitability(Strategy.load(folder / "kuhn.json", KuhnPoker())) < 0.5


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_nohup_is_respected(folder):  # noqa: F811
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # which processes inherit
    try:
        with process("equilibrium", "kuhn-poker", "--iterations", "1000", "--state", "kuhn.npz") as running:
            running.send_signal(signal.SIGHUP)
            assert running.wait(60) == 0
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_killed_run_goes_on(folder, saving_often):  # noqa: F811
    command = ("equilibrium", "kuhn-poker", "--algorithm", "cfr", "--state", "kuhn.npz", "--json")
    with process(*command, "--seconds", "600") as running:
        wait_for(folder / "kuhn.npz", running)
        running.kill()
    there = CFR(KuhnPoker(), variant="cfr").load("kuhn.npz").iterations
    assert there > 0
    assert json.loads(run(*command, "--iterations", "10"))["iterations"] == there + 10
    assert sorted(path.name for path in folder.glob("*kuhn*")) == ["kuhn.npz"]


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_one_run_a_state(folder, saving_often):  # noqa: F811
    command = ("equilibrium", "kuhn-poker", "--algorithm", "cfr", "--state", "kuhn.npz", "--seconds")
    with process(*command, "600") as running:
        wait_for(folder / "kuhn.npz", running)
        assert f"kuhn.npz is in use: process {running.pid} is writing it" in error(*command, "1")
        running.terminate()
        assert running.wait(60) == 143
    run(*command, "0")


class FullDisk(OSError):
    def __init__(self, *_):
        super().__init__(28, "No space left on device")


@pytest.mark.parametrize("json_too", [[], ["--json"]])
def test_on_a_full_disk_the_old_state_and_the_answer_are_kept(folder, monkeypatch, json_too):  # noqa: F811
    command = ["equilibrium", "kuhn-poker", "--state", "kuhn.npz", "--save", "kuhn.json", "--iterations"]
    run(*command, "30")
    before = [(folder / name).read_bytes() for name in ("kuhn.npz", "kuhn.json")]

    def full(*_):
        raise FullDisk

    monkeypatch.setattr("os.fsync", full)
    result = CliRunner().invoke(app, [*command, "40", *json_too])
    assert result.exit_code == 2
    for name in ("kuhn.npz", "kuhn.json"):
        assert f"{name} cannot be written: No space left on device; the old file is unchanged" in result.stderr
    assert ("70 iterations" in result.stdout) == (not json_too)
    assert "all to go on in" not in result.stdout
    if json_too:
        assert json.loads(result.stdout)["iterations"] == 70
    assert [(folder / name).read_bytes() for name in ("kuhn.npz", "kuhn.json")] == before
    assert sorted(path.name for path in folder.glob("*kuhn*")) == ["kuhn.json", "kuhn.npz"]


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of resources")
def test_a_file_that_may_not_grow(folder):  # noqa: F811
    import resource

    command = ("equilibrium", "kuhn-poker", "--state", "kuhn.npz", "--iterations")
    run(*command, "30")
    before = (folder / "kuhn.npz").read_bytes()
    limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))}
    with process(*command, "40", stderr=subprocess.PIPE, env={**os.environ, "OUTPLAY_CACHE": "off"}, **limited) as done:
        answer, told = done.communicate(timeout=PATIENCE)
    assert done.returncode == 2
    assert "70 iterations" in answer
    assert "kuhn.npz cannot be written: File too large; the old file is unchanged" in told
    assert (folder / "kuhn.npz").read_bytes() == before
