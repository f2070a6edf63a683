"""Perft against an obvious twin and published counts; its command."""

import json

import pytest
from shared import ctrl_c
from shared.hashed_game import Hashed, Seeded
from typer.testing import CliRunner

from outplay import legal_actions
from outplay.cli.commands import app
from outplay.compile.native import RunsInterpretedWarning
from outplay.games import ConnectFour, Kalah, Nim, TicTacToe
from outplay.search.count import count_tree
from outplay.search.perft import perft


class Interpreted(ConnectFour):
    compiled = False


class Endless(Hashed):
    perft_past_end = True


def twin(game, state, depth):
    if depth == 0:
        return 1
    if game.is_terminal(state) and not game.perft_past_end:
        return 0
    return sum(twin(game, game.result(state, action), depth - 1) for action in legal_actions(game, state))


@pytest.mark.sample(3)
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("bulk", [True, False])
@pytest.mark.parametrize("game", [TicTacToe(), Kalah(3, 2), Nim((2, 2)), Interpreted(4, 4)])
def test_perft_is_its_twin(game, bulk, threads):
    start = game.initial_state()
    for depth in range(6):
        found = perft(game, depth, bulk=bulk, threads=threads)
        assert (found.lines, found.complete, found.depth) == (twin(game, start, depth), True, depth)
        names = {game.action_name(start, action): game.result(start, action) for action in legal_actions(game, start)}
        divided = {name: twin(game, child, depth - 1) for name, child in names.items()} if depth else {}
        assert found.divided == divided


def test_from_any_state_to_the_end_of_the_game_or_beyond():
    further = 0
    for seed in range(50):
        state = Seeded(seed, 0, 0)
        to_the_end, beyond = (perft(game, 4, state).lines for game in (Hashed(), Endless()))
        assert (to_the_end, beyond) == (twin(Hashed(), state, 4), twin(Endless(), state, 4))
        further += beyond > to_the_end
    assert further


@pytest.mark.compiled
def test_published_counts():
    assert [perft(TicTacToe(), depth).lines for depth in range(10)] == [
        1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872,
    ]  # fmt: skip
    assert perft(ConnectFour(), 8).lines == 5_673_234


def test_ctrl_c_keeps_lower_bounds_and_progress_is_told():
    seen = []
    perft(ConnectFour(), 3)  # compiled before the timer runs
    with ctrl_c(0, lambda: seen):
        found = perft(ConnectFour(), 25, progress=seen.append)
    assert not found.complete
    assert seen
    assert not seen[0].complete


@pytest.mark.parametrize("depth", [-1, 1.5, True, 5000])
def test_an_impossible_depth(depth):
    with pytest.raises(ValueError, match="perft\\(depth="):
        perft(TicTacToe(), depth)


@pytest.mark.parametrize("threads", [0, 1.5, True])
def test_impossible_threads(threads):
    with pytest.raises(ValueError, match="perft\\(threads="):
        perft(TicTacToe(), 2, threads=threads)


def test_the_command():
    run = CliRunner().invoke(app, ["perft", "tic-tac-toe", "--depth", "3", "--moves", "b2", "--divide"])
    assert run.exit_code == 0
    assert run.output.startswith("a1  42\n")
    assert "depth 3: 336 lines in" in run.output
    run = CliRunner().invoke(app, ["perft", "connect-four", "--depth", "4", "--every", "--threads", "1", "--json"])
    found = json.loads(run.output)
    assert (found["lines"], found["complete"], found["divided"]["1"]) == (2401, True, 343)


def test_a_state_as_text(tmp_path):
    file = tmp_path / "written.py"
    file.write_text(
        "from outplay.games import ConnectFour\n"
        "class Written(ConnectFour):\n"
        "    def parse_state(self, text):\n"
        "        state = self.initial_state()\n"
        "        for column in text:\n"
        "            state = self.result(state, self.parse_action(state, column))\n"
        "        return state\n"
    )
    run = CliRunner().invoke(app, ["perft", str(file), "--depth", "1", "--state", "333333"])
    assert "depth 1: 6 lines" in run.output
    run = CliRunner().invoke(app, ["analyse", str(file), "--depth", "3", "--state", "112233", "--moves", "4", "--json"])
    assert json.loads(run.output)["values"] == [1.0, -1.0]
    run = CliRunner().invoke(app, ["solve", "nim", "--state", "1 2 3"])
    assert run.exit_code == 2
    assert "Nim has no text form of its states" in run.output


@pytest.mark.nightly
@pytest.mark.compiled
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("count", "found"),
    [(lambda game: perft(game, 3).lines, 504), (lambda game: count_tree(game, depth=3).nodes, 1 + 9 + 72 + 504)],
)
def test_rules_that_turn_out_not_to_compile(count, found):
    class Odd(TicTacToe):
        def actions(self, board):
            return [int(action) for action in str(TicTacToe.actions(self, board)).strip("[]").split()]

    with pytest.warns(RunsInterpretedWarning):
        assert count(Odd()) == found
