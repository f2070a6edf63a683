"""`outplay step`: all steps as lines, and the screen with its keys."""

import io
from dataclasses import replace

import pytest
from rich.console import Console
from typer.testing import CliRunner

from outplay import MCTS, AlphaBeta, Limit, Trace
from outplay.cli import step as command
from outplay.cli.commands import app
from outplay.games import ExplicitTree, TicTacToe

FIGURE = "explicit-tree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])"


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["step", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def steps_of(search, simulations=None):
    trace = Trace()
    search.search(None, Limit(simulations=simulations), trace=trace)
    return trace.steps()


def test_without_a_terminal_all_steps_are_printed():
    lines = run(FIGURE).splitlines()
    steps = steps_of(AlphaBeta(ExplicitTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), textbook=True))
    assert lines[0] == "AlphaBeta(textbook=True), 11 visits"
    assert lines[1].startswith("Textbook alpha-beta: each state once")
    assert len(lines) == 2 + len(steps.steps)
    for number, (line, step) in enumerate(zip(lines[2:], steps.steps, strict=True), start=1):
        assert line.split()[0] == str(number)
        assert steps.code[step.line].strip() in line
        assert line.endswith(step.say)


@pytest.mark.nightly
def test_simulations_and_a_remark():
    same = ("tic-tac-toe", "--algorithm", "mcts", "--simulations", "3", "--seed", "2")
    shown = run(*same)
    assert shown == run(*same)
    assert shown.count("playout:") == 3
    assert "this is the search to depth 3. --depth N chooses another." in run("connect-four", "--plies", "1")


def test_options_of_the_algorithm():
    shown = run("tic-tac-toe", "--algorithm", "mcts", "--simulations", "1", "--set", "selection=ucb1")
    assert shown.startswith("MCTS: score = w/n + c √(ln N / n), c = 1.4\n")
    assert "has no options" in run("nim", "--set", "beam=2", code=2)
    assert "30 steps: save('steps.html')" in repr(
        steps_of(AlphaBeta(ExplicitTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), textbook=True))
    )


def test_ctrl_c_keeps_the_steps_so_far(monkeypatch):
    complete = command.recorded

    def pressed(*arguments, **options):
        trace, analysis, note = complete(*arguments, **options)
        return trace, replace(analysis, stopped="interrupted"), note

    shown = run(FIGURE)
    monkeypatch.setattr(command, "recorded", pressed)
    assert run(FIGURE, code=130) == shown
    monkeypatch.setattr(
        command, "recorded", lambda *arguments, **options: (Trace(), pressed(*arguments, **options)[1], "")
    )
    assert run(FIGURE, code=130) == ""


def test_what_cannot_be_shown():
    assert "choose minimax" in run("nim", "--algorithm", "paranoid", code=2)
    assert "or outplay tree --engine" in run("nim", "--algorithm", "mtdf", code=2)
    assert "outplay step has no option --engine" in run("nim", "--engine", code=2)
    assert "the game is over" in run("tic-tac-toe", "--moves", "a1 b1 a2 b2 a3", code=2)


def screen(steps, now, width=120, height=40):
    console = Console(file=io.StringIO(), width=width, height=height, color_system=None)
    console.print(command.step_screen(steps, now, width, height))
    return console.file.getvalue()


def test_the_screen_shows_what_the_step_holds():
    steps = steps_of(AlphaBeta(ExplicitTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), textbook=True))
    for now, step in enumerate(steps.steps):
        shown = screen(steps, now)
        assert step.say in shown
        assert f"step {now + 1} of {len(steps.steps)}" in shown
        tree = [str(line) for line in command.tree_lines(steps, now, 99)]
        assert len(tree) == len(steps.seen(now))
        if step.window is not None:
            assert f"({step.window[0]}, {step.window[1]})" in "".join(tree)
    last = screen(steps, len(steps.steps) - 1)
    assert "MAX  3  (3, +∞)" in last
    assert "✂ 2 (4) 3 (6) pruned" in last
    small = screen(steps, 12, width=60, height=20)
    assert len(small.splitlines()) <= 20
    assert "step 13 of 30" in small


def test_a_long_tree_shows_the_lines_around_the_present_one():
    steps = steps_of(MCTS(TicTacToe(), seed=1), simulations=60)
    for now in range(0, len(steps.steps), 7):
        whole = [str(line) for line in command.tree_lines(steps, now, 999)]
        part = [str(line) for line in command.tree_lines(steps, now, 9)]
        assert len(part) == min(9, len(whole))
        assert "\n".join(part) in "\n".join(whole)
        here = steps.captions[steps.steps[now].node].label
        assert any(here in line for line in part)
        assert len(screen(steps, now, height=24).splitlines()) <= 24


@pytest.mark.parametrize(
    ("keys", "end"),
    [
        (["\x1b[C", " ", "\r", "q"], 3),
        (["\x1b[C\x1b[C\x1b[D", "\x7f", "\x7f", "q"], 0),
        (["\x1b[F", "\x1b[D", "Q"], 28),
        (["G", "g", "n", "\x1b[6~", "\x1b[5~", "x", "\x1bOC", "\x1b"], 2),
        ([" q "], 0),
    ],
)
def test_keys(monkeypatch, keys, end):
    steps = steps_of(AlphaBeta(ExplicitTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), textbook=True))
    pressed, seen = iter(keys), []
    console = Console(file=io.StringIO(), width=100, height=30, force_terminal=True)
    monkeypatch.setattr(command, "stdout", lambda: console)
    monkeypatch.setattr(command.typer, "getchar", lambda: next(pressed))
    monkeypatch.setattr(command, "step_screen", lambda steps, now, width, height: seen.append(now) or "")
    command.browse(steps)
    assert seen[0] == 0
    assert seen[-1] == end
    assert list(pressed) == []
