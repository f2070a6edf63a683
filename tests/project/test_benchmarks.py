"""Each benchmark runs without its peers and refuses to compare unequal work; nothing is timed here."""

import json
import random
import sys
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from shared.benchmark_setup import COUNTDOWN, QUICK, Heaps
from tables.test_endgames import Race
from typer.testing import CliRunner

from benchmarks import (
    ablation,
    alpha_beta,
    arena,
    backgammon,
    bearoff,
    cfr,
    chance,
    colouring,
    common,
    environments,
    example,
    many_players,
    matrix,
    mcts,
    perft,
    playouts,
    ported,
    proofs,
    queens,
    river,
    solve,
    solve_methods,
    start,
    tables,
    techniques,
    tic_tac_toe,
    tree,
    wac,
)
from benchmarks.__main__ import BENCHMARKS, MATCHES, Benchmark, app, table
from benchmarks.common import INSTALL, Bar, Disagreement, Peer, Plan, Row, best_of, compare, same
from benchmarks.openspiel_connect_four import connect_four
from benchmarks.openspiel_hexapawn import hexapawn
from benchmarks.peers import Aima, EasyAI, GamesmanOne, Mctx, OpenSpiel, Pgx, PythonChess
from benchmarks.quixo import Quixo
from outplay import AlphaBeta, Limit, Tablebase
from outplay.games import Chess, ChineseCheckers, ConnectFour, EinStein, Nim, Oware, Pig, RiverPoker, TicTacToe
from outplay.session.load import class_in_file

PEERS = {OpenSpiel: "pyspiel", EasyAI: "easyAI", Aima: "aima3", PythonChess: "chess", Pgx: "jax", Mctx: "mctx"}

TEST_SET = """\
2252576253462244111563365343671351441 -1
7422341735647741166133573473242566 1
23163416124767223154467471272416755633 0
2531276566711153 2
"""
"""From Pascal Pons' test sets L3_R1 and, the last, L2_R2."""


class Twin(Peer):
    """A peer that is always there."""

    name = "twin"


class Absent(Peer):
    """A peer that is never there."""

    name = "absent"

    def __init__(self) -> None:
        raise ImportError("no module named absent")


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in PEERS.values():
        for name in [module, *(name for name in sys.modules if name.startswith(f"{module}."))]:
            monkeypatch.setitem(sys.modules, name, None)


@pytest.fixture
def test_set(tmp_path: Path) -> Path:
    path = tmp_path / "Test_L3_R1"
    path.write_text(TEST_SET)
    return path


# -- each benchmark ---------------------------------------------------------------------------------------------------


def measured(rows: list[Row]) -> list[Row]:
    assert rows
    for row in rows:
        assert row.ours is not None, row
        assert row.ours > 0, row
        assert (row.theirs is None) == (row.ratio is None)
        assert row.theirs is None or row.agree or "import" in row.what
    return rows


def lonely(rows: list[Row]) -> list[Row]:
    """The rows where a peer is missing; each says how to install it."""
    found = [row for row in measured(rows) if row.peer in {peer.name for peer in PEERS}]
    assert all(row.theirs is None and common.INSTALL in row.note for row in found)
    return found


def test_tree(alone: None) -> None:
    rows = list(tree.rows(QUICK))
    assert len(lonely(rows)) == 2
    assert rows[0].agree == "2,801 positions to depth 4"


def test_the_counts_of_the_tree() -> None:
    game = ConnectFour(width=4, height=4, length=3)
    state, ends = game.initial_state(), [0]
    count = tree.count_ends.interpreted(game, state, 9, ends)
    assert tree.count_positions.interpreted(game, state, 9) == count
    assert 0 < ends[0] < count


def test_perft(alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perft, "QUICK_LESS", 3)
    monkeypatch.setattr(perft, "OTHERS", [(*other[:1], 4, other[2], 4, other[4]) for other in perft.OTHERS])
    rows = list(perft.rows(QUICK))
    assert len(lonely(rows)) == 7
    assert rows[-1].note == "44 lines"  # of Xiangqi, one ply


def test_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in "pettingzoo.classic.connect_four.connect_four", "pgx", "jax":
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(environments, "NUMBERS", (1, 4))
    monkeypatch.setattr(environments, "TASKS", environments.TASKS[:1])
    monkeypatch.setattr(environments, "LEAST", 50)
    *rows, plain = measured(list(environments.rows(QUICK)))
    assert len(rows) == 3
    assert all(common.INSTALL in row.note for row in rows)
    assert plain.theirs
    games = environments.VectorGame(ConnectFour(), 2)
    actions = environments.recorded(games, 60)
    steps, over = environments.replay(games, actions)
    assert steps == 120
    assert over
    assert environments.agree((60, over), (60, over[:1])) == "where 1 games ended"
    with pytest.raises(Disagreement):
        environments.agree((60, over), (60, [0]))


@pytest.mark.nightly
def test_chess_in_the_words_of_pettingzoo(monkeypatch: pytest.MonkeyPatch) -> None:
    task = next(task for task in environments.TASKS if task.zoo == "chess")
    monkeypatch.setattr(environments, "TASKS", (task,))
    games = environments.VectorGame(task.game, 1, most_plies=task.most_plies)
    actions = environments.recorded(games, 150)
    ours = environments.replay(games, actions)
    theirs = environments.in_their_words(task, actions, ours[1])
    peer = environments.PettingZoo()
    assert peer.replay("chess", task.most_plies, theirs) == ours
    assert len(ours[1]) >= 2


@pytest.mark.nightly
def test_arena(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena, "LONG_PLAYERS", ("alpha-beta(nodes=20)", "alpha-beta(nodes=40)"))
    monkeypatch.setattr(arena, "RANDOM_GAMES", ((TicTacToe(), 2),))
    quick, two_processes, apart, added = arena.rows(QUICK)
    assert quick.ours
    assert two_processes.agree == apart.agree == "the same 4 games"
    assert added.unit == "µs"


class Gamesman(GamesmanOne):
    """Its answers, without the program."""

    def __init__(self) -> None:
        pass

    def _run(self, folder: str, *args: str) -> str:
        answers = {
            "solve": "",
            "getstart": '{"position": "1_-"}',
            "query": '{"positionValue": "tie", "remoteness": null}',
        }
        assert args[1:3] == ("quixo", "2")
        assert args[3:] == (("1_-",) if args[0] == "query" else ())
        return answers[args[0]]


def test_plain_python_solves_all_states() -> None:
    plain = tables.PlainPython()
    assert plain.solve(ConnectFour(4, 3)) == 6027
    assert sum(plain.solve_classes(Race(), ("0", "1")).values()) == 144


@pytest.mark.nightly
def test_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of tables is compiled, for five games: half a minute."""
    monkeypatch.setattr(tables, "QUICK_GAMES", (Oware(1),))
    monkeypatch.setattr(tables, "ENDINGS", ((Race(), "0", "1"),))
    monkeypatch.setattr(tables, "QUICK_AGAINST_PYTHON", (Race(), ("0", "1")))
    monkeypatch.setattr(tables, "QUICK_AGAINST_C", (Race(), 2, 216))
    monkeypatch.setattr(tables, "GamesmanOne", Gamesman)
    *head, bare, by_chance, of_three, ending, class_check = tables.rows(QUICK)
    against_python, by_index, against_c, *probes, alone, check = head
    assert [row.unit for row in probes] == ["/s", "/s", "/s"]
    assert check.ours
    assert class_check.ours
    assert by_chance.ratio
    assert of_three.ratio
    assert against_python.ratio
    assert against_python.agree == "80,541 states"
    assert by_index.ratio
    assert by_index.agree == "144 states"
    assert against_c.ratio
    assert against_c.agree == "a tie in None plies"
    assert alone.note == "101 states, 4.64 bytes each"
    assert bare.unit == "bytes/state"
    assert ending.unit == "indices/s"
    assert ending.note.startswith("144 indices, ")


@pytest.mark.nightly
def test_quixo_by_class() -> None:
    """All states that discovery finds have the same value and distance by class; some seconds for compiling."""
    game = Quixo(3)
    table, found = Tablebase.make(game, classes=["0"]), Tablebase.make(game)
    assert table is not None
    assert found is not None
    assert len(found) == 4433
    for entry in found.entries():
        assert table.probe(entry.state) == found.probe(entry.state)


def test_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = type("Nim", (Nim,), {"compiled": False, "__module__": Nim.__module__})
    monkeypatch.setattr(proofs, "load_game", lambda _: plain((1, 2, 3)))
    (row,) = proofs.rows(QUICK)
    assert row.what == "check a proof of Nim(heaps=(1, 2, 3))"
    assert row.note.startswith("player 1 wins (value -1): 19 states, ")


@pytest.mark.nightly
def test_the_method_that_is_picked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve_methods, "QUICK_GAMES", (lambda: Heaps((1, 2, 3)), lambda: Pig(3)))
    heaps, pig = measured(list(solve_methods.rows(QUICK)))
    assert heaps.agree == "value -1"
    assert "alpha-beta" in heaps.note
    assert pig.peer in ("value-iteration", "expectiminimax")
    assert pig.note.endswith("; ValueIteration at once")


def test_queens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queens, "SMALL", 6)
    monkeypatch.setattr(queens, "Queens", type("Interpreted", (queens.Queens,), {"compiled": False}))
    if queens.found_compiler() is not None:
        every, half = queens.rows(QUICK)
        assert every.ratio
        assert half.ratio
        assert every.agree == half.agree == "4 boards"
    monkeypatch.setattr(queens, "COMPILERS", ("no-such-compiler",))
    for row in queens.rows(QUICK):
        assert row.ours
        assert row.ratio is None
        assert row.note == "4 boards; no C compiler here (no-such-compiler) to compare with"


def test_colouring(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "Colouring", "InOrder":
        kind = getattr(colouring, name)
        monkeypatch.setattr(colouring, name, type(name, (kind,), {"compiled": False}))
    rows = [row for row in colouring.rows(QUICK) if row.unit == "nodes"]
    assert [(row.peer, row.ours, row.theirs) for row in rows] == [
        ("no clique first", 22, 24),
        ("no symmetry", 22, 129),
        ("the given order", 22, 80),
    ]


def test_perft_counts_what_the_peers_count() -> None:
    pytest.importorskip("chess")
    peer = PythonChess()
    for bulk in False, True:
        assert peer.perft(perft.START, 3, bulk=bulk) == 8_902
        assert peer.perft(perft.KIWIPETE, 2, bulk=bulk) == 2_039
    pytest.importorskip("pyspiel")
    assert OpenSpiel().perft("checkers", 4) == 1_469


@pytest.mark.nightly
def test_playouts(alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playouts, "CASES", playouts.CASES[:1])  # the others take long to compile
    rows = list(playouts.rows(QUICK))
    assert len(lonely(rows)) == 3
    assert "actions a game" in rows[0].agree


@pytest.mark.nightly
def test_ported_games_are_those_of_easyai(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("easyAI")
    monkeypatch.setattr(ported, "GAMES", {name: ported.GAMES[name] for name in ("TicTacToe", "Nim")})
    rows = list(ported.rows(QUICK))
    assert len(rows) == 6
    assert all(row.ours and row.theirs for row in rows)
    assert rows[0].agree == "504 lines of 3 plies"


def test_ported_games_need_easyai(alone: None) -> None:
    assert [row.note for row in ported.rows(QUICK)] == [INSTALL]


def test_rollouts_of_open_spiel_itself() -> None:
    pytest.importorskip("pyspiel")
    spiel = OpenSpiel()
    games, actions, margin = spiel.rollouts("connect_four", 400, seed=1)
    assert (games, actions) == (400, 0)
    assert -400 <= margin <= 400
    assert "mean result" in playouts.alike(spiel.playouts("connect_four", 400, seed=1), (400, 0, margin), 42)


def test_playouts_that_differ_are_not_compared() -> None:
    assert playouts.alike((1000, 21_300, 110), (400, 8_600, 30), 42)
    with pytest.raises(Disagreement, match=r"actions a game: outplay 21\.300, the other 17\.500"):
        playouts.alike((1000, 21_300, 110), (400, 7_000, 30), 42)
    with pytest.raises(Disagreement, match="mean result"):
        playouts.alike((1000, 21_300, 110), (400, 8_600, -200), 42)


@pytest.mark.nightly
def test_alpha_beta(alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alpha_beta, "QUICK_DEPTH", 4)
    assert len(lonely(list(alpha_beta.rows(QUICK)))) == 2


def test_alpha_beta_positions_are_what_they_are_said_to_be() -> None:
    game = alpha_beta.NoEvaluation()
    found = []
    for columns in alpha_beta.POSITIONS:
        state = alpha_beta.play(game, [column - 1 for column in columns])
        analysis = AlphaBeta(game).search(state, limit=Limit(depth=8))
        found.append((analysis.value, analysis.distance))
    assert found == [(0, None), (1, 5), (1, 7), (-1, 6)]


@pytest.mark.nightly
def test_tic_tac_toe(alone: None) -> None:
    assert len(lonely(list(tic_tac_toe.rows(QUICK)))) == 4


def test_start(alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "ANALYSIS", "print(1.0)")  # what is compiled, and when, is not the matter here
    monkeypatch.setattr(start, "CHESS_ANALYSIS", "print(4)")
    monkeypatch.setattr(start, "COMMAND", ("--version",))
    rows = list(start.rows(QUICK))
    assert len(lonely(rows)) == 3
    assert rows[-1].what == "import outplay"


def test_a_cold_start_finds_an_empty_cache(tmp_path: Path) -> None:
    (tmp_path / "of a game").mkdir()
    (tmp_path / "of a game" / "kept.native").touch()
    (tmp_path / "kept.native").touch()
    start.run(tmp_path, "-c", "pass")
    assert list(tmp_path.iterdir())
    code = "import os, pathlib; print(list(pathlib.Path(os.environ['OUTPLAY_CACHE']).iterdir()))"
    assert start.run(tmp_path, "-c", code, cold=True).strip() == "[]"


SUITE = """\
6k1/5ppp/8/8/8/8/8/K3R3 w - - bm Re8#; id "mate; in one";
6k1/5ppp/8/8/8/8/8/K3R3 w - - bm Kb1 Ka2; id "wrong"
6k1/5ppp/8/8/8/8/8/K3R3 w - - am Ka2 Kb2; c0 "none of these";
"""


def test_epd() -> None:
    mate, wrong, avoid = map(wac.parse_epd, SUITE.splitlines())
    assert mate == wac.Problem("mate; in one", "6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", ("Re8#",), ())
    assert (wrong.name, wrong.best) == ("wrong", ("Kb1", "Ka2"))
    assert (avoid.name, avoid.best, avoid.avoid) == ("", (), ("Ka2", "Kb2"))
    for line in ("8/8/8/8/8/8/8/8 w - -", "8/8/8/8/8/8/8/8 w - - id 'x';", "nonsense bm e4;"):
        with pytest.raises(ValueError, match="four fields, then 'bm' or 'am'"):
            wac.parse_epd(line)


def test_a_problem_is_solved_by_a_best_move_and_by_none_to_avoid() -> None:
    game = Chess()
    problem = wac.parse_epd(SUITE.splitlines()[0])
    state = game.parse_state(problem.fen)
    mate, step = (game.parse_action(state, move) for move in ("Re8#", "Ka2"))
    assert wac.is_solved(game, state, problem, mate)
    assert not wac.is_solved(game, state, problem, step)
    assert not wac.is_solved(game, state, problem, None)
    avoid = replace(problem, best=(), avoid=("Ka2",))
    assert wac.is_solved(game, state, avoid, mate)
    assert not wac.is_solved(game, state, avoid, step)


def test_wac(tmp_path: Path) -> None:
    path = tmp_path / "mates.epd"
    path.write_text(SUITE)
    (row,) = wac.rows(replace(QUICK, suite=path))
    assert (row.ours, row.agree) == (2, "2 of 3")
    assert row.note.endswith("not solved: wrong")


@pytest.mark.parametrize(("text", "says"), [
    ("", "no problems"),
    ("rubbish\n", "line 1: 'rubbish'"),
    ("\n8/8/8/8/8/8/8/8 w - - bm Ke2;\n", "line 2.*0 kings"),
    ("6k1/8/8/8/8/8/8/K3R3 w - - bm Re9;\n", "line 1: 'Re9' is not a legal action"),
])  # fmt: skip
def test_a_broken_suite_is_told(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "broken.epd"
    path.write_text(text)
    with pytest.raises(typer.BadParameter, match=says):
        list(wac.rows(replace(QUICK, suite=path)))


@pytest.mark.nightly
def test_positions_of_backgammon() -> None:
    (row,) = backgammon.rows(QUICK)
    assert row.ours is not None
    if measured([row])[0].theirs:
        assert "positions after" in row.agree


def test_a_benchmark_of_hours_is_run_only_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    for name in BENCHMARKS:
        monkeypatch.setitem(BENCHMARKS, name, lambda plan, name=name: asked.append(name) or iter(()))
    monkeypatch.setattr("benchmarks.__main__.techniques.compared", lambda *_, **__: ("", []))
    CliRunner().invoke(app, [])
    assert set(asked) == set(BENCHMARKS) - {"2048", "many-players", "learning"}
    CliRunner().invoke(app, ["2048"])
    assert "2048" in asked


def test_an_estimate_has_no_score() -> None:
    assert solve.score(0, AlphaBeta(ConnectFour()).search(limit=Limit(depth=2))) is None


def test_example(tmp_path: Path) -> None:
    path = tmp_path / "countdown.py"
    path.write_text(COUNTDOWN)
    rows = list(example.rows(QUICK, path, (12,)))
    assert [row.peer for row in measured(rows)] == ["moved into outplay.games"] * 2
    assert rows[0].agree == "31 positions"


def test_ablation() -> None:
    search = AlphaBeta(Heaps((2, 3, 4)))
    fewer, faster = ablation.without(QUICK, "nim", "no table", search, AlphaBeta(search.game, table_mb=0))
    assert fewer.unit == "nodes"
    assert fewer.ratio is not None
    assert fewer.ratio > 1
    assert faster.unit == "s"
    assert faster.agree == "value 1"


@pytest.mark.nightly
def test_techniques_are_compared_with_the_search_as_it_comes() -> None:
    what, rows = techniques.compared(Heaps((2, 3, 4)), 9)
    assert what == "Heaps(heaps=(2, 3, 4)), 8 positions to depth 9"
    named = {row["search"]: row for row in rows}
    first, without, alone = named["default"], named["without table"], named["table, order, killers"]
    assert without["beside"] == "default"
    assert without["nodes_times"] == without["nodes"] / first["nodes"] > 1
    assert alone["beside"] == "table, order"
    assert alone["nodes_times"] == alone["nodes"] / named["table, order"]["nodes"]
    selective = {f"with {technique.name}" for technique in techniques.TECHNIQUES if technique.selective}
    assert {row["same"] for row in rows if row["search"] not in selective} == {8}  # as deep as the game is long
    assert "with futility" not in named
    assert "futility (evaluate)" in techniques.left_out(Heaps((2, 3, 4)))
    again = techniques.compared(Heaps((2, 3, 4)), 9)[1]
    assert [row["nodes"] for row in again] == [row["nodes"] for row in rows]


def test_the_depth_is_found_by_deepening() -> None:
    game = Heaps((2, 3, 4))
    states = techniques.positions(game)
    depth = techniques.depth_for(game, states, seconds=1000)
    assert techniques.measured(game, states, {}, depth).exact
    assert not techniques.measured(game, states, {}, depth - 1).exact
    assert techniques.depth_for(game, states, seconds=0) == 1


def test_a_search_that_takes_far_too_long_is_given_up() -> None:
    game = Heaps((5, 6, 7))
    states = techniques.positions(game)
    assert techniques.measured(game, states, {"table_mb": 0}, 8, most_nodes=50).given_up


@pytest.mark.nightly
def test_the_command_compares_the_techniques_of_a_game(tmp_path: Path) -> None:
    path = tmp_path / "countdown.py"
    path.write_text(COUNTDOWN)
    result = CliRunner().invoke(app, ["ablation", f"{path}(9)", "--depth", "4"])
    assert result.exit_code == 0, result.output
    assert "positions to depth 4" in result.output
    assert "without killers" in result.output
    assert "the game does not define the rules they need: hints (forced_result or candidates)" in result.output
    assert "no ordering" not in result.output  # the fixed comparisons are for `ablation` alone
    wrong = CliRunner().invoke(app, ["ablation", "conect-four"])
    assert wrong.exit_code == 2


# -- Monte Carlo tree search ------------------------------------------------------------------------------------------


def test_mcts(alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcts, "QUICK", 1000)
    rows = list(mcts.rows(QUICK))
    assert [row.peer for row in lonely(rows)] == [*7 * ["OpenSpiel"], "mctx", *5 * ["OpenSpiel"]]
    assert {row.unit for row in rows} == {"simulations/s"}


def test_searches_that_find_something_else_are_not_compared() -> None:
    assert mcts.alike((1000, 0.25), (1000, 0.125)) == "mean result +0.125 (+0.250)"
    with pytest.raises(Disagreement, match="1,000 simulations: outplay found 1000, the other 999"):
        mcts.alike((1000, 0.2), (999, 0.2))
    with pytest.raises(Disagreement, match=r"mean result.*outplay \+0.200, the other -0.200"):
        mcts.alike((1000, 0.2), (1000, -0.2))


def test_searches_that_see_another_player_ahead_are_not_compared() -> None:
    assert mcts.both_ahead((1000, 0.125), (1000, 0.5)) == "1,000 simulations, mean result +0.500 (+0.125)"
    for theirs in (1000, -0.125), (999, 0.125):
        with pytest.raises(Disagreement, match="1,000 simulations, whether the player to move is ahead"):
            mcts.both_ahead((1000, 0.125), theirs)


def test_the_average_of_a_search_is_that_of_all_its_simulations() -> None:
    game = Heaps((1, 1, 1))  # who begins wins whatever he does
    assert mcts.searched(mcts.searcher(game), 50) == (50, 1.0)


@pytest.mark.parametrize("bits", [False, True])
def test_connect_four_is_the_same_in_open_spiel(bits: bool) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game, theirs, dice = mcts.FourInARow(), connect_four(pyspiel, bits), random.Random(1)
    for _ in range(20):
        mine, other = game.initial_state(), theirs.new_initial_state()
        while not game.is_terminal(mine):
            assert not other.is_terminal()
            assert other.current_player() == mine.turn
            assert other.legal_actions() == list(game.actions(mine))
            action = dice.choice(other.legal_actions())
            mine = game.result(mine, action)
            other.apply_action(action)
        assert other.is_terminal()
        assert other.returns() == [game.utility(mine, player) for player in (0, 1)]


def test_hexapawn_is_the_same_in_open_spiel() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game, theirs, dice = class_in_file(example.EXAMPLE)(4, 5), hexapawn(pyspiel, 4, 5), random.Random(1)
    for _ in range(50):
        state, other = game.initial_state(), theirs.new_initial_state()
        while not game.is_terminal(state):
            actions = list(game.actions(state))
            assert other.legal_actions() == sorted(actions)
            assert other.current_player() == game.to_move(state)
            action = dice.choice(actions)
            state = game.result(state, action)
            other = other.child(action)
        assert other.is_terminal()
        assert other.returns() == [game.utility(state, 0), game.utility(state, 1)]


def test_open_spiel_makes_as_many_simulations_as_it_is_told() -> None:
    pytest.importorskip("pyspiel")
    spiel = OpenSpiel()
    ours = mcts.searched(mcts.searcher(ConnectFour()), 300)
    assert mcts.alike(ours, spiel.mcts("connect_four", 300, False, 1))
    assert mcts.alike(ours, spiel.mcts_in_python("connect_four", 300, 1))
    assert spiel.mcts(spiel.in_python("tic_tac_toe"), 30, True, 1)[0] == 30


@pytest.mark.nightly
@pytest.mark.parametrize(
    "benchmark", [tree, perft, playouts, alpha_beta, tic_tac_toe, mcts], ids=lambda module: module.__name__
)
def test_with_the_peers(benchmark: Any) -> None:
    for module in PEERS.values():
        pytest.importorskip(module)
    assert all(row.ratio for row in measured(list(benchmark.rows(QUICK))) if row.peer)


# -- what they share --------------------------------------------------------------------------------------------------


def test_a_ratio_is_how_many_times_better_outplay_is() -> None:
    assert Row(what="", unit="s", ours=2, theirs=10).ratio == 5
    assert Row(what="", unit="nodes", ours=2, theirs=10).ratio == 5
    assert Row(what="", unit="nodes/s", ours=2, theirs=10).ratio == 0.2
    assert Row(what="", ours=2).ratio is None


def test_bars() -> None:
    row = Row(what="", unit="s", ours=2, theirs=10)
    assert row.met(Bar("figure", "<", 3)) is True
    assert row.met(Bar("figure", "<", 2)) is False
    assert row.met(Bar("ratio", "≥", 5)) is True
    assert row.met(Bar("ratio", "≥", 6)) is False
    assert replace(row, theirs=None).met(Bar("ratio", "≥", 6)) is None


def test_unequal_work_has_no_ratio() -> None:
    row = Row(what="sum")
    done = compare(QUICK, row, lambda: 3, Twin, lambda _: 3, lambda mine, other: same(mine, other, "3"))
    assert done.ratio is not None
    assert (done.peer, done.agree) == ("twin", "3")
    with pytest.raises(Disagreement, match="sum: outplay found 3, the other 4"):
        compare(QUICK, row, lambda: 3, Twin, lambda _: 4, lambda mine, other: same(mine, other, "sum"))


def test_a_missing_peer_is_no_error() -> None:
    row = compare(QUICK, Row(what="sum", note="small"), lambda: 3, Absent, lambda _: 3, lambda *_: "", amount=float)
    assert row.ours
    assert (row.peer, row.theirs, row.ratio) == ("absent", None, None)
    assert row.note == f"small; {common.INSTALL}"


def test_brief_work_is_repeated_more_and_long_work_less(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(common.time, "perf_counter", lambda: clock[0])

    def work(seconds: float) -> Any:
        calls = []

        def run() -> int:
            calls.append(seconds)
            clock[0] += seconds
            return len(calls)

        return run

    brief, usual, long, first = (timed.outcome for timed in best_of(Plan(), *map(work, (0.25, 2, 12, 100))))
    assert (brief, usual, long, first) == (4, 3, 2, 1)
    assert [timed.outcome for timed in best_of(QUICK, work(0.25))] == [1]


def test_the_best_time_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0, 9, 10, 15, 20, 27, *[inf] * 9])
    monkeypatch.setattr(common.time, "perf_counter", lambda: next(times))
    (timed,) = best_of(Plan(), lambda: None)
    assert timed.seconds == 5


# -- the command ------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_the_command_prints_json(test_set: Path) -> None:
    result = CliRunner().invoke(app, ["solve", "--quick", "--repeat", "1", "--json", "--positions", str(test_set)])
    printed = json.loads(result.output)
    (row,) = printed["results"]["solve"]
    assert row["agree"] == "all 4 scores"
    assert row["bars"] == []  # quick work is not what they are meant for
    assert printed["disagreements"] == {}


@pytest.mark.nightly
def test_the_command_fails_where_outplay_is_wrong(test_set: Path) -> None:
    test_set.write_text(f"{TEST_SET}7422341735647741166133573473242566 2\n")
    result = CliRunner().invoke(app, ["solve", "--repeat", "1", "--positions", str(test_set)])
    assert result.exit_code == 1
    assert (
        "they disagree. Test_L3_R1, line 5: 7422341735647741166133573473242566 has score 2, outplay found 1"
        in result.output
    )


def test_pruning_at_chance_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = list(chance.shares(QUICK, EinStein(), 3))
    assert [row.unit for row in rows] == ["% of nodes", "% of time"] * len(chance.TECHNIQUES)
    nodes = {row.what.rpartition(": ")[2]: row.ours or 0 for row in rows if row.unit == "% of nodes"}
    assert 0 < nodes["Star1 and table"] <= nodes["alpha-beta"] <= 100
    monkeypatch.setitem(chance.TECHNIQUES, "Star1", {"pruning": "star1", "evaluate": lambda game, state, player: 0.5})
    with pytest.raises(Disagreement):
        list(chance.shares(QUICK, EinStein(), 3))


@pytest.mark.nightly
def test_counterfactual_regret_minimization(alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cfr, "GAMES", cfr.GAMES[:1])  # the others take long to unroll
    rows = list(cfr.rows(QUICK))
    assert len(lonely(rows)) == 5
    assert "value -0.085" in rows[5].agree
    assert rows[6].note == "9,457 nodes, 936 information sets"
    assert [row.unit for row in rows[7:]] == ["bytes/information set"] * 4


def test_cfr_of_open_spiel_is_ours() -> None:
    pytest.importorskip("pyspiel")
    game = cfr.KuhnPoker()
    for variant, kind in cfr.VARIANTS.items():
        rival = OpenSpiel().regret_minimizer("kuhn_poker", kind)
        rival.go_on(20)
        rival.go_on(30)
        ours = cfr.CFR(game, variant=variant).solve(iterations=50)
        assert rival.iterations == 50
        assert ours.exploitability == pytest.approx(rival.exploitability(), rel=1e-9)
    sampled = OpenSpiel().regret_minimizer("kuhn_poker", cfr.EXTERNAL)
    sampled.go_on(5000)
    assert sampled.exploitability() < 0.1


def test_unlike_exploitabilities_are_told() -> None:
    assert cfr.alike(1.1, 0.1, 0.105) == "exploitability 0.1 and 0.105"
    for found in (0.1, 0.12), (0.12, 0.1):
        with pytest.raises(Disagreement):
            cfr.alike(1.1, *found)


def test_three_searches_at_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_players, "GAME", ChineseCheckers(3, camp=1, longest=60))
    monkeypatch.setattr(many_players, "OPENING", 1)
    rows = list(many_players.rows(QUICK))
    assert [row.unit for row in rows] == ["nodes"] * 6 + ["%"] * 3
    paranoid, max_n = (row.ours or 0 for row in (rows[4], rows[3]))
    assert 0 < paranoid < max_n
    assert round(sum(row.ours or 0 for row in rows[6:]), 6) in (0, 100)


@pytest.mark.nightly
def test_matrix_games_beside_the_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("quantecon")
    monkeypatch.setattr(matrix, "GAMES", 3)
    monkeypatch.setitem(sys.modules, "nashpy", None)
    rows = list(matrix.rows(QUICK))
    assert [row.peer.split()[0] for row in rows] == ["HiGHS", "scipy", "quantecon", "Nashpy", "quantecon", "Nashpy"]
    assert [row.ratio is None for row in rows] == [False, False, False, True, False, True]
    assert rows[0].agree == rows[1].agree
    monkeypatch.setattr(matrix, "vertex_enumeration", lambda game: [])
    with pytest.raises(Disagreement, match="0 equilibria"):
        list(matrix.rows(QUICK))


@pytest.mark.parametrize(
    ("benchmark", "plan", "note"),
    [
        (solve, {"positions": (Path("no-such-set"),)}, solve.SETS),
        (wac, {"suite": Path("no-such-suite.epd")}, wac.SUITES),
        (bearoff, {}, bearoff.MISSING),
    ],
    ids=["solve", "wac", "bearoff"],
)
def test_what_is_missing_is_named(benchmark: Any, plan: Any, note: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "COMMAND", None, raising=False)
    for row in benchmark.rows(replace(QUICK, **plan)):
        assert row.ours is None
        assert note in row.note


def test_every_benchmark_has_a_name() -> None:
    assert CliRunner().invoke(app, ["tea"]).exit_code == 2
    assert set(BENCHMARKS) | set(MATCHES) == set(Benchmark)


def test_a_table_says_what_is_not_there() -> None:
    made = table("tree", [Row(what="count", unit="nodes/s", ours=12_345_678, bars=(Bar("ratio", "≥", 300),))])
    cells = [next(iter(column.cells)) for column in made.columns]
    assert cells[:6] == ["count", "12.3 million nodes/s", "–", "", "–", "≥ × 300: not measured"]


@pytest.mark.nightly
def test_river(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(river, "GAME", RiverPoker(ranges=("KK, 99, QJs", "AK, JJ")))
    iterations, showdowns, solved = river.rows(QUICK)
    assert iterations.unit == "iterations/s"
    assert showdowns.agree == "values of 10 hands"
    assert showdowns.bars[0].subject == "ratio"
    assert "iterations, value" in solved.note
    monkeypatch.setattr(river.AllPairs, "values", lambda self, times: np.ones(10))
    with pytest.raises(Disagreement, match="the values of hands at a showdown differ"):
        list(river.rows(QUICK))
