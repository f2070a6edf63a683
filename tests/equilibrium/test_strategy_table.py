"""Strategies as tables for people."""

import numpy as np
import pytest
from shared.hidden_game import HiddenGame

from outplay.equilibrium import Strategy, TreelessMCCFR, unroll
from outplay.equilibrium.best_response import behaviour_of
from outplay.equilibrium.formatting import MAX_COLUMNS, Row, actions_of, cells, first_rows, percentage, rows
from outplay.games import KuhnPoker, LeducPoker, LiarsDice


@pytest.fixture(scope="module")
def kuhn():
    """Always pass, but bet with a king, and with a jack one time in three."""
    tree = unroll(KuhnPoker())
    behaviour = np.ones(tree.sequences)
    for number in range(tree.information_sets):
        bet = {"J": 1 / 3, "K": 1.0}.get(tree.information_text(number).split(",")[0], 0.0)
        behaviour[tree.first[number] : tree.first[number] + 2] = 1 - bet, bet
    return Strategy.on(tree, behaviour)


def test_a_column_for_each_action(kuhn):
    assert kuhn.table(player=0).splitlines() == [
        "player 0 knows    pass     bet",
        "J               0.6667  0.3333",
        "J, pass-bet     0.6667  0.3333",
        "Q               1       0",
        "Q, pass-bet     1       0",
        "K               0       1",
        "K, pass-bet     0       1",
    ]
    assert kuhn.table() == str(kuhn) == f"{kuhn.table(player=0)}\n\n{kuhn.table(player=1)}"


def test_some_lines_are_the_first_decisions(kuhn):
    assert [line.split()[0] for line in kuhn.table(player=0, lines=3).splitlines()] == ["player", "J", "Q", "K", "…"]
    assert kuhn.table(player=1, lines=1).endswith("\n… 5 more")
    assert kuhn.table(player=1, lines=0).splitlines() == ["player 1 knows", "… 6 more"]
    assert "more" not in kuhn.table(lines=6)


def test_actions_stand_in_the_order_of_the_game():
    table = Strategy.uniform(LeducPoker(suits=False)).table(player=1, lines=6).splitlines()
    assert table[0].split() == ["player", "1", "knows", "fold", "call", "raise"]
    assert table[1].split() == ["J,", "call", "0.5000", "0.5000"]
    assert table[2].split() == ["J,", "raise", "0.3333", "0.3333", "0.3333"]
    assert actions_of([Row(0, "", dict.fromkeys("bd", 0.5)), Row(0, "", dict.fromkeys("abcd", 0.25))]) == list("abcd")


def test_many_different_actions_get_one_cell():
    tree = unroll(LiarsDice(1, 3))
    first = next(rows(tree, Strategy.uniform(tree).behaviour(tree), 0))
    assert first.knows == "1"
    assert len(first.likely) == 6
    assert actions_of([first, Row(0, "", {"liar": 1.0})]) == []
    row = Row(0, "", {"low": 0.25, "never": 1e-6, "high": 0.75} | dict.fromkeys(range(MAX_COLUMNS), 0.0))
    assert cells(row, actions_of([row])) == ["high 0.7500, low 0.2500"]


@pytest.mark.parametrize("game", [KuhnPoker(3), LeducPoker(), HiddenGame(5, players=3, plies=4)], ids=repr)
def test_without_a_tree_the_rows_are_the_same(game):
    tree = unroll(game)
    strategy = Strategy.on(tree, behaviour_of(tree, np.random.default_rng(1).random(tree.sequences)))
    for player in range(game.players):
        found = list(first_rows(game, strategy.probabilities, player))
        assert sorted(map(repr, found)) == sorted(map(repr, rows(tree, strategy.behaviour(tree), player)))
        assert list(first_rows(game, strategy.probabilities, player, 3)) == found[:3]


def test_a_table_of_some_lines_does_not_unroll_the_game(monkeypatch):
    strategy = TreelessMCCFR(KuhnPoker(), memory_mb=1).solve(iterations=1000).strategy
    monkeypatch.setattr("outplay.equilibrium.strategy.unroll", lambda game: pytest.fail("unrolled"))
    assert [line.split()[0] for line in strategy.table(0, lines=3).splitlines()] == ["player", "J", "Q", "K", "…"]
    assert strategy.table(1, lines=2).endswith("\n… 4 more")
    assert len(list(strategy.rows(1, 100))) == strategy.sets_of(1) == 6


def test_numbers():
    assert [percentage(number) for number in (0.0, 0.00004, 0.00006, 0.5, 0.99996, 1.0)] == [
        "0     ",
        "0     ",
        "0.0001",
        "0.5000",
        "1     ",
        "1     ",
    ]


def test_who_is_not_there(kuhn):
    for player in (2, -1, True, "0"):
        with pytest.raises(ValueError, match=r"KuhnPoker\(\) has players 0 to 1"):
            kuhn.table(player=player)
