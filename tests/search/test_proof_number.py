"""Proof-number search against an obvious twin, with tables of any size, and against theorems and published values."""

import json
import math
import pickle
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared.hashed_game import Hashed, Seeded, WinLossHashed, twin
from typer.testing import CliRunner

from outplay import AlphaBeta, Game, Limit, ProofNumber, RulesError, UnsuitableGame
from outplay.cli.commands import app
from outplay.engine.table import sealed
from outplay.games import MNK, ConnectFour, ExplicitTree, Kalah, Nim, TicTacToe
from outplay.search import proof_number, proof_table

STATES = [Seeded(seed, 0, 0) for seed in range(400)]
TABLES = [64, 0.001, 0]
"""Megabytes; the last is one bucket of four entries, which every state of a search shares."""


class InterpretedHashed(Hashed):
    compiled = False


def is_close(a, b):
    return math.isclose(a, b, rel_tol=1e-11, abs_tol=1e-300)


def agrees(analysis, game):
    """The value is the twin's, and the line ends with it."""
    value = twin(game, analysis.state, analysis.player)[0]
    assert (analysis.exact, analysis.stopped, analysis.distance) == (True, "", None)
    assert is_close(analysis.value, value), analysis
    assert analysis.line[0] == analysis.action
    state = analysis.state
    for action in analysis.line:
        assert action in list(game.actions(state))
        state = game.result(state, action)
    assert is_close(game.utility(state, analysis.player), value), analysis


@pytest.mark.sample(1)
@pytest.mark.parametrize("table_mb", TABLES)
@pytest.mark.parametrize("game", [Hashed(), WinLossHashed()])
def test_values_and_lines_are_those_of_the_twin(game, table_mb):
    for analysis in ProofNumber(game, table_mb=table_mb).search_many(STATES):
        agrees(analysis, game)


@pytest.mark.parametrize("table_mb", TABLES)
def test_interpreted_it_does_the_same_node_for_node(table_mb):
    fast, slow = (
        ProofNumber(game, table_mb=table_mb).search_many(STATES[:60]) for game in (Hashed(), InterpretedHashed())
    )
    for a, b in zip(fast, slow, strict=True):
        agrees(b, Hashed())
        assert (a.nodes, a.line, a.actions) == (b.nodes, b.line, b.actions)


def test_numbers_that_come_to_the_greatest_do_not_mislead(monkeypatch):
    for module in proof_number, proof_table:
        monkeypatch.setattr(module, "NEVER", 8)  # sums of more than 7 are cut off all the time
    for analysis in ProofNumber(InterpretedHashed()).search_many(STATES[:100]):
        agrees(analysis, Hashed())


def trees():
    return st.recursive(st.integers(-9, 9), lambda below: st.lists(below, min_size=1, max_size=3), max_leaves=25)


class InterpretedTree(ExplicitTree):
    compiled = False


@given(trees(), st.sampled_from(TABLES))
@settings(max_examples=50, deadline=None)
def test_any_tree(tree, table_mb):
    game = InterpretedTree(tree)
    state = game.initial_state()
    if not game.is_terminal(state):
        agrees(ProofNumber(game, table_mb=table_mb).search(state), game)


@pytest.mark.parametrize("table_mb", TABLES)
def test_analyse_values_every_action_exactly(table_mb):
    game = Hashed()
    for state in STATES[:60]:
        analysis = ProofNumber(game, table_mb=table_mb).analyse(state)
        assert {item.action for item in analysis.actions} == set(game.actions(state))
        assert [item.value for item in analysis.actions] == sorted((i.value for i in analysis.actions), reverse=True)
        for item in analysis.actions:
            value = twin(game, game.result(state, item.action), analysis.player)[0]
            assert (item.bound, item.exact, item.line[0]) == ("exact", True, item.action)
            assert is_close(item.value, value)


def test_search_bounds_the_actions_that_are_no_better():
    game = Hashed()
    for analysis in ProofNumber(game).search_many(STATES[:1]) + [
        ProofNumber(game).search(state) for state in STATES[:60]
    ]:
        assert analysis.actions[0].bound == "exact"
        for item in analysis.actions[1:]:
            assert (item.bound, item.exact) == ("upper", True)
            value = twin(game, game.result(analysis.state, item.action), analysis.player)[0]
            assert value <= item.value + 1e-9


# -- one question -----------------------------------------------------------------------------------------------------


@pytest.mark.sample(3)
@pytest.mark.parametrize("target", [-1, 0, 0.5, 1])
@pytest.mark.parametrize("every", [False, True])
def test_one_question_is_answered_with_a_bound(target, every):
    game = Hashed()
    searcher = ProofNumber(game, target=target)
    for state in STATES[:100]:
        analysis = searcher.analyse(state) if every else searcher.search(state)
        value = twin(game, state, analysis.player)[0]
        assert analysis.stopped == ""
        assert analysis.actions[0].exact
        assert (analysis.actions[0].bound == "upper") == (value < target)
        for item in analysis.actions:
            action_value = twin(game, game.result(state, item.action), analysis.player)[0]
            if item.bound == "lower":
                assert target <= item.value <= action_value + 1e-9
            else:
                assert action_value - 1e-9 <= item.value
                assert item.value < target or value >= target
        assert not every or len(analysis.actions) == len(list(game.actions(state)))


@pytest.mark.nightly
def test_one_question_takes_fewer_nodes_than_the_value():
    game = ConnectFour(4, 4)  # a draw
    win, draw, value = (ProofNumber(game, target=target).search() for target in (1, 0, None))
    assert [a.actions[0].bound for a in (win, draw, value)] == ["upper", "lower", "exact"]
    assert [a.value for a in (win, draw, value)] == [0, 0, 0]
    assert [a.exact for a in (win, draw, value)] == [False, False, True]
    assert max(win.nodes, draw.nodes) < value.nodes


# -- what it is good for ----------------------------------------------------------------------------------------------


class Step(NamedTuple):
    ply: int
    forced: int  # 1 as long as player 0 has only forced player 1
    x: int


class Corridor(Game):
    """A win in 31 plies, each of player 1's moves forced, among eight moves in every other state."""

    utilities = (-1, 1)

    def initial_state(self):
        return Step(0, 1, 0)

    def to_move(self, state):
        return state.ply % 2

    def actions(self, state):
        return 1 if state.forced and state.ply % 2 else 255

    def result(self, state, action):
        forced = state.forced and (state.ply % 2 == 1 or action == 5)
        return Step(state.ply + 1, int(forced), 0 if forced else (7 * state.x + action + 1) % 100_003)

    def is_terminal(self, state):
        return state.ply == (31 if state.forced else 40)

    def utility(self, state, player):
        return 0 if not state.forced else 1 if player == 0 else -1


@pytest.mark.nightly
def test_a_long_forced_win_is_found_soon():
    analysis = ProofNumber(Corridor()).search()
    assert (analysis.value, analysis.exact, len(analysis.line)) == (1, True, 31)
    assert analysis.nodes < 5000
    assert not AlphaBeta(Corridor()).search(limit=Limit(nodes=100 * analysis.nodes)).exact


@pytest.mark.nightly
@pytest.mark.compiled
def test_the_table_spares_nodes():
    full, small, none = (ProofNumber(ConnectFour(4, 4), table_mb=table_mb).search() for table_mb in (64, 0.001, 0))
    assert full.value == small.value == none.value == 0
    assert 2 * full.nodes < small.nodes < none.nodes


# -- theorems and other searches --------------------------------------------------------------------------------------


@pytest.mark.sample(1)
@pytest.mark.parametrize("misere", [False, True])
def test_nim_sum_theorem(misere):
    game = Nim((4, 4, 4), misere=misere)
    first = game.initial_state()
    states = [first._replace(heaps=first.heaps * 0 + [a, b, c]) for a in range(5) for b in range(5) for c in range(5)]
    states = [state for state in states if not game.is_terminal(state)]
    for analysis in ProofNumber(game).search_many(states):
        a, b, c = (int(heap) for heap in analysis.state.heaps)
        wins = (a ^ b ^ c) != 0
        if misere and max(a, b, c) == 1:
            wins = not wins
        assert (analysis.exact, analysis.value) == (True, 1 if wins else -1)
        if wins:  # to a state that the opponent loses
            a, b, c = (int(heap) for heap in game.result(analysis.state, analysis.action).heaps)
            assert (a ^ b ^ c == 0) != (misere and max(a, b, c) <= 1)


def test_tic_tac_toe_is_a_draw():
    analysis = ProofNumber(TicTacToe()).search()
    assert (analysis.verdict, analysis.exact, len(analysis.line)) == ("draw", True, 9)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "game",
    [
        ConnectFour(5, 4), ConnectFour(5, 3, length=3), MNK(4, 3, 3), MNK(4, 4, 4, gravity=True),
        Kalah(3, 3), Kalah(2, 5),
    ],
    ids=repr,
)  # fmt: skip
def test_boards_are_worth_what_alpha_beta_says(game):
    states = [game.initial_state()]
    for action in list(game.actions(states[0]))[:2] if not isinstance(game, ConnectFour) else (0, 1):
        states.append(game.result(states[0], int(action)))
    searched = zip(ProofNumber(game).search_many(states), AlphaBeta(game).search_many(states), strict=True)
    for found, known in searched:
        assert found.exact
        assert (found.player, found.values) == (known.player, known.values)


# -- limits -----------------------------------------------------------------------------------------------------------


def test_what_was_proved_before_a_stop_is_kept_and_true():
    game, kinds = Hashed(), set()
    for state in STATES[:20]:
        for nodes in range(1, 60, 4):
            analysis = ProofNumber(game).search(state, Limit(nodes=nodes))
            again = ProofNumber(game).analyse(state, Limit(nodes=nodes))
            value = twin(game, state, analysis.player)[0]
            assert max(analysis.nodes, again.nodes) <= nodes
            assert analysis.exact or analysis.stopped == "nodes"
            assert analysis.action in list(game.actions(state))
            for found in (analysis, again):
                for item in found.actions:
                    action_value = twin(game, game.result(state, item.action), found.player)[0]
                    assert item.exact or (item.value, item.bound) == (0, "exact")
                    if item.exact and item.bound == "exact":  # the line is told although nodes have run out
                        end = state
                        for action in item.line:
                            end = game.result(end, action)
                        assert game.is_terminal(end)
                    if item.exact and item.bound != "upper":
                        assert item.value <= action_value + 1e-9
                    if item.exact and item.bound != "lower":
                        assert item.value >= action_value - 1e-9
                assert not found.exact or is_close(found.value, value)
            kinds.add((analysis.exact, analysis.actions[0].exact, analysis.actions[0].bound))
    assert {bound for exact, proved, bound in kinds if proved and not exact} == {"lower", "upper"}
    assert (False, False, "exact") in kinds


@pytest.mark.nightly
def test_a_stop_between_the_questions_says_at_most_a_draw():
    whole = ProofNumber(ConnectFour(4, 4)).search()
    analysis = ProofNumber(ConnectFour(4, 4)).search(limit=Limit(nodes=whole.nodes - 100))
    assert (analysis.stopped, analysis.exact, analysis.value) == ("nodes", False, 0)
    assert {(item.bound, item.exact) for item in analysis.actions} == {("upper", True)}


def test_a_run_repeats():
    searcher = ProofNumber(ConnectFour(4, 4))
    first, second = (searcher.search(limit=Limit(nodes=5_000)) for _ in range(2))
    assert first == second
    assert (first.stopped, first.nodes, first.value) == ("nodes", 5_000, 0)


class Endless(Game):
    """It never ends."""

    def initial_state(self):
        return (0, 0)

    def to_move(self, state):
        return state[0] % 2

    def actions(self, state):
        yield 0

    def result(self, state, action):
        return (state[0] + 1, 0)

    def is_terminal(self, state):
        return False

    def utility(self, state, player):
        return 0


class InterpretedEndless(Endless):
    compiled = False


@pytest.mark.parametrize("game", [Endless(), InterpretedEndless()])
def test_a_game_without_end_is_left_at_the_deepest_ply(game):
    analysis = ProofNumber(game).search()
    assert (analysis.stopped, analysis.exact, analysis.action) == ("depth", False, 0)
    assert analysis.depth == 4001
    assert ProofNumber(game).search(limit=Limit(depth=7)).depth == 8


# -- refusals and values ----------------------------------------------------------------------------------------------


class Stuck(Hashed):
    compiled = False

    def actions(self, state):
        return [] if state.ply == 1 else super().actions(state)

    def is_terminal(self, state):
        return False


class StuckAtOnce(Hashed):
    compiled = False

    def actions(self, state):
        return []


@pytest.mark.parametrize("game", [Stuck(), StuckAtOnce()])
def test_a_state_without_actions_that_is_not_terminal(game):
    for state in STATES[:20]:  # whatever the first numbers of such a state would make of the others
        with pytest.raises(RulesError, match="not terminal but has no legal action"):
            ProofNumber(game, check=False).search(state)


class Dice(Hashed):
    def probability(self, state, action):
        return 1.0


class Three(Hashed):
    players = 3


@pytest.mark.parametrize(("game", "words"), [(Dice(), "chance"), (Three(), "3 players")])
def test_games_that_do_not_suit_are_refused(game, words):
    with pytest.raises(UnsuitableGame, match=f"ProofNumber cannot search {type(game).__name__}.*{words}"):
        ProofNumber(game)


@pytest.mark.parametrize("wrong", [{"target": math.nan}, {"target": "win"}, {"table_mb": -1}, {"table_mb": True}])
def test_impossible_options_are_refused(wrong):
    name, value = next(iter(wrong.items()))
    with pytest.raises(ValueError, match=rf"ProofNumber\({name}={value!r}\)"):
        ProofNumber(TicTacToe(), **wrong)


def test_a_game_that_is_over():
    game = TicTacToe()
    state = game.initial_state()
    for action in (0, 3, 1, 4, 2):
        state = game.result(state, action)
    analysis = ProofNumber(game).search(state)
    assert (analysis.action, analysis.value, analysis.exact) == (None, 1, True)


def test_searchers_are_values():
    searcher = ProofNumber(ConnectFour(5, 4), target=1, table_mb=1)
    assert eval(repr(searcher)) == searcher == pickle.loads(pickle.dumps(searcher))
    assert len({searcher, ProofNumber(ConnectFour(5, 4), target=1), ProofNumber(ConnectFour(5, 4), table_mb=1)}) == 3


@pytest.mark.parametrize("command", ["solve", "analyse"])
def test_on_the_command_line(command):
    arguments = [command, "tic-tac-toe", "--algorithm", "proof-number", "--table-mb", "1", "--json"]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    data = json.loads(done.stdout)
    assert (done.exit_code, data["method"], data["verdict"], data["exact"]) == (0, "ProofNumber", "draw", True)


def test_a_question_keeps_its_number_until_numbers_run_out(monkeypatch):
    monkeypatch.setattr(proof_table, "QUESTIONS", 5)
    table, memory = proof_table.new_table(0), SimpleNamespace(mask=0)
    marks = [proof_table.mark_of.function(memory, table, target) for target in (7, -7, 0, 7, 9, -7)]
    assert [mark >> 8 for mark in marks] == [1, 2, 3, 1, 4, 2]
    for entry, said in enumerate((proof_table.OPEN, proof_table.YES, proof_table.NO, proof_table.OPEN)):
        table[2 * entry], table[2 * entry + 1] = sealed(1 << 20 | marks[0] | said, 77), 77
    assert (
        proof_table.mark_of.function(memory, table, 1) >> 8 == 1
    )  # none is left: numbers of all questions are removed
    assert [bool(cell) for cell in table[:8]] == [False, False, True, True, True, True, False, False]
    assert proof_table.mark_of.function(memory, table, 7) >> 8 == 2
