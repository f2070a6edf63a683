"""The search that CONTRIBUTING.md adds works as the page says."""

import importlib
import json
import re
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from outplay import Limit, legal_actions
from outplay.cli.commands import app
from outplay.games import KuhnPoker, Pig, TicTacToe
from outplay.rules.errors import UnsuitableGame
from outplay.session import algorithms

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"
FILE, REGISTRATION = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)


class Interpreted(TicTacToe):
    compiled = False


@pytest.fixture(scope="module")
def flat(tmp_path_factory):
    """The module, registered as the page registers it, but for the package that it is in."""
    folder = tmp_path_factory.mktemp("search")
    (folder / "flat_monte_carlo.py").write_text(FILE)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        exec(REGISTRATION.replace("outplay.montecarlo.", ""), vars(algorithms))
        yield importlib.import_module("flat_monte_carlo")
        del algorithms.SEARCHES["flat-monte-carlo"], sys.modules["flat_monte_carlo"]


def mean_of_random_play(game, state, player):
    if game.is_terminal(state):
        return game.utility(state, player)
    values = [mean_of_random_play(game, game.result(state, action), player) for action in legal_actions(game, state)]
    return sum(values) / len(values)


def test_it_is_short(flat):
    assert len(FILE.splitlines()) < 100
    assert len(REGISTRATION.splitlines()) == 1


@pytest.mark.compiled
def test_outplay_analyse_prints_means_near_those_of_random_play(flat):
    game = TicTacToe()
    command = ["analyse", "tic-tac-toe", "--moves", "b2 a1", "--algorithm", "flat-monte-carlo"]
    told = CliRunner().invoke(app, [*command, "--simulations", "70007", "--json"], catch_exceptions=False)
    found = json.loads(told.stdout)
    assert (found["simulations"], found["stopped"], found["exact"]) == (70_007, "simulations", False)
    state = game.initial_state()
    for move in ("b2", "a1"):
        state = game.result(state, game.parse_action(state, move))
    assert len(found["actions"]) == 7
    for row in found["actions"]:
        mean = mean_of_random_play(game, game.result(state, game.parse_action(state, row["action"])), player=0)
        low, high = row["interval"]
        assert row["visits"] == 10_001
        assert low < row["value"] < high < low + 0.05
        assert abs(row["value"] - mean) < high - low  # twice the margin
    assert found["action"] == max(found["actions"], key=lambda row: row["value"])["action"]
    shown = CliRunner().invoke(app, [*command, "--nodes", "3000"], catch_exceptions=False).stdout
    assert "95 %" in shown
    assert "(node limit)" in shown


def test_a_seed_and_both_speeds_give_the_same_answer(flat):
    limit = Limit(simulations=900)
    found, again = (flat.FlatMonteCarlo(game, seed=3).search(limit=limit) for game in (TicTacToe(), Interpreted()))
    rows = [(row.action, row.value, row.visits, row.interval) for row in found.actions]
    assert rows == [(row.action, row.value, row.visits, row.interval) for row in again.actions]
    other = flat.FlatMonteCarlo(TicTacToe(), seed=4).search(limit=limit)
    assert rows != [(row.action, row.value, row.visits, row.interval) for row in other.actions]


def test_many_states_chance_progress_and_refusals(flat):
    game, told = TicTacToe(), []
    state = game.initial_state()
    children = [game.result(state, action) for action in legal_actions(game, state)]
    found = flat.FlatMonteCarlo(game).search_many([state, *children], Limit(simulations=90))
    assert [analysis.simulations for analysis in found] == [90] + [88] * 9
    seconds = flat.FlatMonteCarlo(Pig(20)).analyse(limit=Limit(seconds=0.5), progress=told.append)
    assert seconds.stopped == "seconds"
    assert all(analysis.actions for analysis in told if analysis.simulations)
    with pytest.raises(UnsuitableGame, match="FlatMonteCarlo cannot search KuhnPoker"):
        flat.FlatMonteCarlo(KuhnPoker())
    with pytest.raises(ValueError, match="FlatMonteCarlo cannot be limited by depth"):
        flat.FlatMonteCarlo(game).search(limit=Limit(depth=2))
    with pytest.raises(ValueError, match=r"FlatMonteCarlo\(seed='x'\): seed must be a whole number"):
        flat.FlatMonteCarlo(game, seed="x")
