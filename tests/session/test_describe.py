"""A game in numbers: against exact counts, and what is written of them."""

import json
import math

import numpy as np
import pytest
from shared import ctrl_c
from shared.hashed_game import Chancy, Hashed, Seeded, interpreted
from typer.testing import CliRunner

from outplay import count_tree, legal_actions
from outplay.cli.commands import app
from outplay.games import ConnectFour, KuhnPoker, Nim, Pig, TicTacToe
from outplay.session.describe import describe, estimated, in_words, log_mean, power, random_games, results


def nodes_below(game, state):
    """The nodes of a tree, by going through it."""
    if game.is_terminal(state):
        return 1
    return 1 + sum(nodes_below(game, game.result(state, action)) for action in legal_actions(game, state))


@pytest.mark.parametrize("rules", [Hashed, Chancy])
def test_the_estimate_of_the_tree_is_right_on_average(rules):
    """With chance too, whose outcomes have unequal probabilities."""

    class Shifted(rules):
        compiled = False
        seed = 0

        def initial_state(self):
            return Seeded(self.seed, 0, 0)

    for seed in (2, 7, 11, 14):
        game = type("Shifted", (Shifted,), {"seed": seed})()
        records, utilities, *_ = random_games(game, 0.3, seed)
        mean, low, high = log_mean(records[:, 3])
        exact = math.log10(nodes_below(game, game.initial_state()))
        assert low <= mean <= high
        assert abs(mean - exact) < 3 * (high - low) + 0.01
        assert records[:, 4].all()
        assert set(np.unique(utilities[:, 0] + utilities[:, 1])) <= {0.0}


@pytest.mark.nightly
def test_tic_tac_toe():
    """The shares of random games are well known: 58.5 %, 28.8 % and 12.7 %."""
    told = describe(TicTacToe(), 2, seed=1)
    assert (told.exact.nodes, told.exact.games, told.exact.positions) == (549_946, 255_168, 5_478)
    assert told.exact.by_ply == count_tree(TicTacToe()).by_ply
    assert told.random.wins == pytest.approx((0.585, 0.288), abs=0.02)
    assert told.random.draws == pytest.approx(0.127, abs=0.02)
    assert told.lengths == (5, 9)
    assert told.log_nodes == pytest.approx(math.log10(549_946), abs=0.02)
    assert told.searched.games >= 1
    assert sum(told.searched.wins) + told.searched.draws == pytest.approx(1)
    shown = str(told)
    assert "nodes of the tree" in shown
    assert "549,946 (exact)" in shown
    assert "MCTS with 200 simulations" in shown
    plain = json.loads(json.dumps(told.as_dict()))
    assert (plain["game"], plain["exact"]["nodes"]) == ("TicTacToe()", 549_946)


def test_the_interval_of_a_mean_far_from_most_games():
    """As in Go 19, where the nodes that random games suggest differ by factors beyond the range of floats."""
    mean, low, high = log_mean(np.array([1.0] * 50 + [5000.0]))
    assert math.isclose(mean, (5000 - math.log(51)) / math.log(10), rel_tol=1e-3)
    assert 0 < low <= mean <= high < math.inf


def test_the_same_seed_plays_the_same_games():
    game = interpreted(Hashed)
    first, *_ = random_games(game, 0.05, 5)
    again, *_ = random_games(game, 0.05, 5)
    other, *_ = random_games(game, 0.05, 6)
    number = min(len(first), len(again), len(other))
    assert number >= 16
    assert np.array_equal(first[:number], again[:number])
    assert not np.array_equal(first[:number], other[:number])


@pytest.mark.nightly
def test_dice_hidden_cards_and_many_players():
    told = describe(Pig(goal=10, players=3), 0.3)
    assert len(told.random.wins) == 3
    assert told.exact is None
    told = describe(KuhnPoker(), 2)
    assert (told.search, told.exact.nodes) == ("ISMCTS with 200 simulations", 58)
    told = describe(Nim(heaps=(1, 2)), 2)
    assert (told.exact.nodes, told.branching > 1) == (count_tree(Nim(heaps=(1, 2))).nodes, True)


def test_results():
    found = results(np.array([[1, -1], [0, 0], [-1, 1], [1, -1]], float))
    assert (found.games, found.wins, found.draws, found.means) == (4, (0.5, 0.25), 0.25, (0.25, -0.25))
    assert in_words(found) == "player 0 wins 50.0%, player 1 wins 25.0%, draws 25.0%"
    assert in_words(results(np.array([[3.0], [5.0]]))) == "mean utility 4"
    assert results(np.zeros((0, 2))).games == 0
    assert results(np.array([[3.0, 3.0, -6.0]])).wins == (1, 1, 0)


@pytest.mark.parametrize(
    ("log", "text"), [(0, "1"), (5.74, "550,000"), (2.3, "200"), (14.99, "980,000,000,000,000"), (28.98, "10^29")]
)
def test_powers(log, text):
    assert power(log) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (28.98, 29.02, "about 10^29"),
        (28.6, 29.3, "4·10^28 to 2·10^29"),
        (883.2, 958.1, "10^883 to 10^958"),
        (5.739, 5.741, "about 550,000"),
        (4.7, 5.741, "50,000 to 550,000"),
    ],
)
def test_an_interval_is_shown_where_it_shows(low, high, text):
    assert estimated(low, high) == text


@pytest.mark.parametrize(
    ("stage", "missing"),
    [
        ("counting states…", ["exact counts: interrupted", "games between searches: interrupted"]),
        ("games between equal searches…", ["games between searches: interrupted"]),
    ],
)
def test_ctrl_c_keeps_what_was_measured(stage, missing, monkeypatch):
    """Where the work is, and between two pieces of it; the command prints it and exits with 130."""
    game = interpreted(Hashed)
    place = {"counting states…": "count_tree", "games between equal searches…": "Session"}[stage]

    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"outplay.session.describe.{place}", stopped)
    told = describe(game, 0.1)
    assert told.interrupted
    assert list(told.missing) == missing
    assert told.games >= 16
    shown = str(told)
    assert "branching factor" in shown
    assert all("not measured" in shown and text in shown for text in missing)
    monkeypatch.setattr("outplay.session.describe.describe", lambda *_, **__: told)
    result = CliRunner().invoke(app, ["describe", "nim"])
    assert result.exit_code == 130
    assert "branching factor" in result.output


def test_ctrl_c_in_random_games_and_in_a_count():
    asked = []

    class Slow(ConnectFour):
        compiled = False

        def is_terminal(self, state):
            asked.append(state)
            return super().is_terminal(state)

    game = Slow()
    with ctrl_c(0, lambda: len(asked) > 10_000):  # after the first batch, wherever the second is
        records, utilities, _, stopped = random_games(game, 60, 1)
    assert stopped
    assert len(records) == len(utilities) >= 1
    assert (records[:, 0] >= 7).all()
    assert records[:, 4].all()
    with ctrl_c(0.1):
        found = count_tree(game)
    assert found.interrupted
    assert not found.complete
    assert not count_tree(interpreted(Nim, heaps=(1, 2))).interrupted


def test_the_command():
    result = CliRunner().invoke(app, ["describe", "nim", "--seconds", "0.3"])
    assert result.exit_code == 0, result.output
    assert "branching factor" in result.output
    result = CliRunner().invoke(app, ["describe", "nim((1, 2))", "--seconds", "1", "--json"])
    assert json.loads(result.output)["exact"]["complete"]
    for seconds in ("0", "-1"):
        result = CliRunner().invoke(app, ["describe", "nim", "--seconds", seconds])
        assert result.exit_code == 2
        assert "must be greater than 0" in " ".join(result.output.replace("│", " ").split())


@pytest.mark.parametrize("seconds", [0, -1, True, "x", math.inf])
def test_wrong_times(seconds):
    with pytest.raises(ValueError, match="a number greater than 0"):
        describe(TicTacToe(), seconds)
    if seconds != math.inf:
        with pytest.raises(ValueError, match="a number greater than 0, or None"):
            count_tree(TicTacToe(), seconds=seconds)


def test_a_count_with_a_time_limit_ends():
    found = count_tree(interpreted(Hashed), Seeded(3, 0, 0), seconds=60)
    assert found.complete
    assert not count_tree(interpreted(TicTacToe), seconds=1e-9).complete
