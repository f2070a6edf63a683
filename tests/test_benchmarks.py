"""The benchmarks run where nobody else is installed, refuse to compare unequal work, and time nothing here."""

import json
import random
import sys
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from benchmarks import (
    ablation,
    alpha_beta,
    backgammon,
    cfr,
    chance,
    common,
    enhancements,
    example,
    gnubg,
    gnugo,
    hidden,
    many_players,
    match,
    matrix,
    mcts,
    perfect,
    perft,
    playouts,
    queens,
    river,
    solve,
    start,
    techniques,
    tic_tac_toe,
    tree,
    twenty_forty_eight,
    wac,
)
from benchmarks.__main__ import BENCHMARKS, MATCHES, Benchmark, app, play, table
from benchmarks.common import Bar, Disagreement, Peer, Plan, Row, best_of, compare, machine, same
from benchmarks.openspiel_connect_four import connect_four
from benchmarks.openspiel_hexapawn import hexapawn
from benchmarks.peers import Aima, EasyAI, Mctx, OpenSpiel, Pgx, PythonChess
from outplay import MCTS, AlphaBeta, Game, Limit, legal_actions
from outplay.games import (
    Backgammon,
    Chess,
    ChineseCheckers,
    ConnectFour,
    EinStein,
    Go,
    KuhnPoker,
    Nim,
    PhantomTicTacToe,
    RiverPoker,
    TwentyFortyEight,
)
from outplay.montecarlo.answer import wilson
from outplay.rules.errors import IllegalAction
from outplay.session.load import class_in_file

QUICK = Plan(quick=True, repeat=1)
PEERS = {OpenSpiel: "pyspiel", EasyAI: "easyAI", Aima: "aima3", PythonChess: "chess", Pgx: "jax", Mctx: "mctx"}

TEST_SET = """\
2252576253462244111563365343671351441 -1
7422341735647741166133573473242566 1
23163416124767223154467471272416755633 0
2531276566711153 2
"""
"""From Pascal Pons' test sets L3_R1 and, the last, L2_R2."""

COUNTDOWN = '''
from outplay import Game

class Countdown(Game):
    """Take 1 or 2; who takes the last one wins."""
    compiled = False
    utilities = (-1, 1)
    def __init__(self, start=5):
        self.start = start
    def initial_state(self):
        return (self.start, 0)
    def to_move(self, state):
        return state[1]
    def actions(self, state):
        for taken in (1, 2):
            if taken <= state[0]:
                yield taken
    def result(self, state, taken):
        return (state[0] - taken, 1 - state[1])
    def is_terminal(self, state):
        return state[0] == 0
    def utility(self, state, player):
        return -1 if state[1] == player else 1
'''


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
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Game, "compiled", False)


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


def test_perft(alone: None, interpreted: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perft, "QUICK_LESS", 3)
    monkeypatch.setattr(perft, "OTHERS", [(*other[:1], 4, other[2], 4, other[4]) for other in perft.OTHERS])
    rows = list(perft.rows(QUICK))
    assert len(lonely(rows)) == 7
    assert rows[-1].note == "44 lines"  # of Xiangqi, one ply


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


def test_perft_counts_what_the_peers_count() -> None:
    pytest.importorskip("chess")
    peer = PythonChess()
    for bulk in False, True:
        assert peer.perft(perft.START, 3, bulk=bulk) == 8_902
        assert peer.perft(perft.KIWIPETE, 2, bulk=bulk) == 2_039
    pytest.importorskip("pyspiel")
    assert OpenSpiel().perft("checkers", 4) == 1_469


@pytest.mark.slow
def test_playouts(alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playouts, "CASES", playouts.CASES[:1])  # the others take long to compile
    rows = list(playouts.rows(QUICK))
    assert len(lonely(rows)) == 3
    assert "actions a game" in rows[0].agree


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


@pytest.mark.slow
def test_alpha_beta(alone: None, interpreted: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alpha_beta, "QUICK_DEPTH", 4)
    assert len(lonely(list(alpha_beta.rows(QUICK)))) == 2


def test_alpha_beta_positions_are_what_they_are_said_to_be(interpreted: None) -> None:
    game = alpha_beta.NoEvaluation()
    found = []
    for columns in alpha_beta.POSITIONS:
        state = alpha_beta.play(game, [column - 1 for column in columns])
        analysis = AlphaBeta(game).search(state, limit=Limit(depth=8))
        found.append((analysis.value, analysis.distance))
    assert found == [(0, None), (1, 5), (1, 7), (-1, 6)]


@pytest.mark.slow
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
    (tmp_path / "kept.native").touch()
    start.run(tmp_path, "-c", "pass")
    assert list(tmp_path.iterdir())
    code = "import os, pathlib; print(list(pathlib.Path(os.environ['OUTPLAY_CACHE']).iterdir()))"
    assert start.run(tmp_path, "-c", code, cold=True).strip() == "[]"


@pytest.mark.slow
def test_solve(test_set: Path) -> None:
    (row,) = solve.rows(replace(QUICK, positions=(test_set,)))
    assert row.agree == "all 4 scores"
    assert row.bars


@pytest.mark.slow
def test_solve_says_which_line_is_wrong(test_set: Path) -> None:
    test_set.write_text(TEST_SET.replace("2566 1", "2566 2"))
    with pytest.raises(Disagreement, match=r"Test_L3_R1, line 2: 7422\d+ has score 2, outplay found 1"):
        list(solve.rows(replace(QUICK, positions=(test_set,))))


def test_solve_says_where_the_positions_are(tmp_path: Path) -> None:
    (row,) = solve.rows(replace(QUICK, positions=(tmp_path / "Test_L3_R1",)))
    assert row.ours is None
    assert solve.SETS in row.note


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


def test_wac(tmp_path: Path, interpreted: None) -> None:
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


def test_wac_says_where_the_problems_are(tmp_path: Path) -> None:
    (row,) = wac.rows(replace(QUICK, suite=tmp_path / "none.epd"))
    assert row.ours is None
    assert wac.SUITES in row.note


class Scripted:
    """A player who makes these moves, and refuses one."""

    def __init__(self, moves: str, refuses: str = "", score: str = "W+0.5") -> None:
        self.moves, self.refuses, self.score, self.asked = iter(moves.split()), refuses, score, list[str]()

    def ask(self, command: str) -> str:
        self.asked.append(command)
        if self.refuses and command.endswith(f" {self.refuses}"):
            raise IllegalAction(f"{command}: illegal move")
        return next(self.moves) if command.startswith("genmove") else self.score if command == "final_score" else ""


def test_a_game_with_gnu_go() -> None:
    ours, theirs = Scripted("C3 D3 pass", score="B+3.5"), Scripted("C4 pass", score="W+0.5")
    result = gnugo.play(ours, theirs, Go(5, komi=7.5), mine=0)
    assert theirs.asked[:3] == ["boardsize 5", "clear_board", "komi 7.5"] == ours.asked[:3]
    assert theirs.asked[3:] == ["play black C3", "genmove white", "play black D3", "genmove white", "play black pass",
                                "final_score"]  # fmt: skip
    assert (result.winner, result.score, result.area, result.moves) == (1, "W+0.5", "B+3.5", 5)
    assert not result.adjudicated
    assert result.differs
    head = "(;GM[1]FF[4]RU[Chinese]PB[outplay]PW[GNU Go]RE[W+0.5]SZ[5]KM[7.5]"
    assert result.sgf == f"{head};B[cc];W[cb];B[dc];W[];B[])"


def test_a_game_with_gnu_go_ends_by_resignation_or_after_so_many_moves() -> None:
    result = gnugo.play(Scripted("resign"), Scripted("C4", score="no"), Go(5), mine=1)
    assert (result.winner, result.score, result.moves, result.differs) == (0, "B+R", 1, False)
    assert "PB[GNU Go]PW[outplay]RE[B+R]" in result.sgf
    result = gnugo.play(Scripted("A1 B1"), Scripted("A5 B5", score="0"), Go(5), mine=1, most=3)
    assert (result.winner, result.moves, result.adjudicated, result.differs) == (None, 3, True, False)


@pytest.mark.parametrize(("ours", "theirs", "says"), [
    (Scripted("C3"), Scripted("", refuses="C3"), "move 1, C3 of black: play black C3: illegal move"),
    (Scripted("C3", refuses="C4"), Scripted("C4"), "move 2, C4 of white: play white C4: illegal move; 12"),
    (Scripted("C3"), Scripted("C3"), "move 2, C3 of white: 'C3' is not a legal action here"),
])  # fmt: skip
def test_gnu_go_and_outplay_agree_about_the_rules(ours: Scripted, theirs: Scripted, says: str) -> None:
    with pytest.raises(Disagreement, match=says):
        gnugo.play(ours, theirs, Go(5), mine=0)


def test_a_match(tmp_path: Path) -> None:
    winners = [0, 0, 1, 1, None]  # a win, a loss, a loss, a win, a draw of outplay

    def one(number: int) -> gnugo.Result:
        winner = winners[number]
        score = "0" if winner is None else f"{'BW'[winner]}+1"
        return gnugo.Result(winner, score, "B+1", moves=10 * number, adjudicated=number == 2, sgf=f"(;{number})")

    row = gnugo.match(Row(what="a match", unit="%", peer="the other", note="alpha-beta"), 5, one, tmp_path)
    assert row.ours == 50
    assert row.ratio is None
    assert row.agree == "2 won, 2 lost; 95 % interval 17 to 83 %"
    assert row.note == (
        "alpha-beta; won 1 of 3 as black, 1 of 2 as white; 20 moves a game; 1 adjudicated; "
        "2 with another winner if all stones are alive"
    )
    assert (tmp_path / "game_005.sgf").read_text() == "(;4)\n"
    lines = (tmp_path / "results.txt").read_text().splitlines()
    assert lines[1:3] == [
        "game 2: outplay is white, B+1, 10 moves",
        "game 3: outplay is black, W+1, 20 moves, adjudicated",
    ]


def test_wilson() -> None:
    assert wilson(0, 10) == pytest.approx((0, 0.2775), abs=1e-4)  # as in tables
    assert wilson(10, 10) == pytest.approx((0.7225, 1), abs=1e-4)


def test_a_match_says_where_gnu_go_is_to_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gnugo, "COMMAND", None)
    (row,) = gnugo.rows(QUICK)
    assert (row.ours, row.note) == (None, gnugo.MISSING)


@pytest.mark.skipif(gnugo.COMMAND is None, reason="GNU Go is not installed")
def test_a_match_with_gnu_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interpreted: None) -> None:
    monkeypatch.setattr(gnugo, "suited", lambda game: "alpha-beta")
    (row,) = gnugo.rows(replace(QUICK, sgf=tmp_path / "games"))
    assert row.ours is not None
    assert "won" in row.agree
    games = [path.read_text() for path in sorted((tmp_path / "games").glob("*.sgf"))]
    assert len(games) == 2
    assert games[0] != games[1]
    assert [Go.from_sgf(text)[0] for text in games] == [Go(5), Go(5)]


class Hints:
    """In place of GNU Backgammon: the text that it would say."""

    def __init__(self, turn: str) -> None:
        self.turn = turn

    def ask(self, *_commands: str) -> str:
        if not self.turn:
            return "There is no hint.\n"
        return f"    1. Cubeless 0-ply   {self.turn:29}Eq.: +0.159\n       0.551 0.174 0.013 - 0.449 0.124 0.005\n"


def test_a_hint_of_gnu_backgammon() -> None:
    game = Backgammon()
    position = game.result(game.initial_state(), 0)  # 2-1

    def best(turn: str) -> int:
        return gnubg.Program.best(Hints(turn), game, position)  # type: ignore[arg-type]

    assert game.action_name(position, best("24/23 13/11")) == "24/23 13/11"
    with pytest.raises(Disagreement, match="24/20"):
        best("24/20")
    with pytest.raises(Disagreement, match="GNU Backgammon says"):
        best("")


def test_a_match_says_where_gnu_backgammon_is_to_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gnubg, "COMMAND", None)
    assert {(row.ours, row.note) for row in gnubg.rows(QUICK)} == {(None, gnubg.MISSING)}


@pytest.mark.skipif(gnubg.COMMAND is None, reason="GNU Backgammon is not installed")
def test_a_match_with_gnu_backgammon() -> None:
    for row in gnubg.rows(QUICK):
        assert row.ours is not None
        assert "won" in row.agree


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
    assert set(asked) == set(BENCHMARKS) - {"gnugo", "gnubg", "2048", "many-players"}
    CliRunner().invoke(app, ["gnugo"])
    assert "gnugo" in asked


def test_an_estimate_has_no_score(interpreted: None) -> None:
    assert solve.score(0, AlphaBeta(ConnectFour()).search(limit=Limit(depth=2))) is None


def test_example(tmp_path: Path) -> None:
    path = tmp_path / "countdown.py"
    path.write_text(COUNTDOWN)
    rows = list(example.rows(QUICK, path, (12,)))
    assert [row.peer for row in measured(rows)] == ["moved into outplay.games"] * 2
    assert rows[0].agree == "31 positions"


def test_the_example_is_there() -> None:
    assert example.EXAMPLE.is_file()


def test_ablation() -> None:
    search = AlphaBeta(Heaps((2, 3, 4)))
    fewer, faster = ablation.without(QUICK, "nim", "no table", search, AlphaBeta(search.game, table_mb=0))
    assert fewer.unit == "nodes"
    assert fewer.ratio is not None
    assert fewer.ratio > 1
    assert faster.unit == "s"
    assert faster.agree == "value 1"


class Heaps(Nim):
    """Interpreted, so that no variant of the search is compiled."""

    compiled = False


@pytest.mark.slow
def test_techniques_are_compared_with_the_search_as_it_comes() -> None:
    what, rows = techniques.compared(Heaps((2, 3, 4)), 9)
    assert what == "Heaps(heaps=(2, 3, 4)), 8 positions to depth 9"
    named = {row["search"]: row for row in rows}
    first, without, alone = named["default"], named["without table"], named["table, order, killers"]
    assert without["beside"] == "default"
    assert without["nodes_times"] == without["nodes"] / first["nodes"] > 1
    assert alone["beside"] == "table, order"
    assert alone["nodes_times"] == alone["nodes"] / named["table, order"]["nodes"]
    selective = {f"with {each.name}" for each in techniques.TECHNIQUES if each.selective}
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


@pytest.mark.slow
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


def test_mcts(alone: None, interpreted: None, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_open_spiel_makes_as_many_simulations_as_it_is_told(interpreted: None) -> None:
    pytest.importorskip("pyspiel")
    spiel = OpenSpiel()
    ours = mcts.searched(mcts.searcher(ConnectFour()), 300)
    assert mcts.alike(ours, spiel.mcts("connect_four", 300, False, 1))
    assert mcts.alike(ours, spiel.mcts_in_python("connect_four", 300, 1))
    assert spiel.mcts(spiel.in_python("tic_tac_toe"), 30, True, 1)[0] == 30


class Script:
    """A player that notes what it was asked, and plays as a function says."""

    def __init__(self, choose: Any) -> None:
        self.choose_one, self.asked = choose, list[Any]()

    def choose(self, states: Any) -> tuple[int, int]:
        self.asked.append(list(states))
        return self.choose_one(states[-1]), 7


def sides(game: Game, *choices: Any) -> tuple[list[match.Side], list[list[Script]]]:
    """A side for each choice, and the players that it sends into its games."""
    sent: list[list[Script]] = [[] for _ in choices]

    def send(number: int, choice: Any, _seed: int) -> Any:
        sent[number].append(Script(choice))
        return sent[number][-1]

    made = [
        match.Side(f"side {number}", partial(send, number, choice), lambda: None)
        for number, choice in enumerate(choices)
    ]
    return made, sent


def test_a_match_gives_each_opening_to_both_sides() -> None:
    game = Heaps((3, 4, 5))
    best, dice = AlphaBeta(game), random.Random(3)
    (first, second), sent = sides(
        game,
        lambda state: best.search(state).action,
        lambda state: dice.choice(list(legal_actions(game, state))),
    )
    *_, score = match.Match(game=game, first=first, second=second, games=12).play()
    assert score.games == 12
    assert score.won >= 10  # it errs never, the other often
    assert score.moves == [sum(len(player.asked) for player in players) for players in sent]
    assert score.simulations == [7 * moves for moves in score.moves]
    openings = []
    for number, players in enumerate(zip(*sent, strict=True)):
        started = players[number % 2].asked[0]
        assert len(started) == 1 + match.OPENING
        assert all(game.to_move(states[-1]) == number % 2 for states in players[0].asked)
        assert all(game.to_move(states[-1]) != number % 2 for states in players[1].asked)
        openings.append(str(started))
    assert openings[::2] == openings[1::2]
    assert len(set(openings)) > 1


def test_an_interrupted_match_counts_as_far_as_it_went() -> None:
    game, asked = Heaps((3, 4)), [0]

    def takes_fright(state: Any) -> int:
        asked[0] += 1
        if asked[0] > 6:
            raise KeyboardInterrupt
        return int(next(iter(legal_actions(game, state))))

    (first, second), _ = sides(game, takes_fright, lambda state: next(iter(legal_actions(game, state))))
    one = match.Match(game=game, first=first, second=second, games=50)
    (row,) = play(Benchmark.MATCH, [one, one], Console(quiet=True))
    assert 0 < row["won"] + row["lost"] < 50


def test_ctrl_c_in_a_search_ends_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Heaps((3, 4))
    player = match.side(game, {}, Limit(simulations=5)).player(0)
    assert player.choose([game.initial_state()])[1] == 5
    found = replace(MCTS(game).search(limit=Limit(simulations=5)), stopped="interrupted")
    monkeypatch.setattr(MCTS, "search", lambda *_, **__: found)
    with pytest.raises(KeyboardInterrupt):
        player.choose([game.initial_state()])


def test_the_score_of_a_match() -> None:
    score = match.Score()
    for margin in (2, 0, -1, 1):
        score.add(margin)
    assert (score.won, score.drawn, score.lost, score.share) == (2, 1, 1, 0.625)
    assert str(score) == "62% (22% to 91%) of 4 games"
    assert score.speeds == score.times == (0.0, 0.0)
    assert replace(score, draw=0.0).share == 0.5
    assert replace(score, moves=[4, 2], seconds=[1.0, 3.0], simulations=[5, 6]).times == (0.25, 1.5)
    assert replace(score, seconds=[1.0, 3.0], simulations=[5, 6]).speeds == (5, 2)


def test_settings_are_read_as_the_command_line_takes_them() -> None:
    assert match.settings("rave=true widening=(2,0.5)") == {"rave": True, "widening": (2, 0.5)}
    assert match.settings("") == {}
    for wrong, says in [("rave", "write NAME=VALUE"), ("rav=True", "no option 'rav'"), ("game=1", "no option 'game'")]:
        with pytest.raises(typer.BadParameter, match=says):
            match.settings(wrong)


def test_the_command_plays_a_match(tmp_path: Path) -> None:
    path = tmp_path / "countdown.py"
    path.write_text(COUNTDOWN)
    words = ["match", f"{path}(9)", "seed=5", "", "--games", "2", "--seconds", "0.002"]
    result = CliRunner().invoke(app, [*words, "--json"])
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.output)["matches"]["match"]
    assert (row["first"], row["second"]) == ("seed=5", "default")
    assert row["won"] + row["drawn"] + row["lost"] == 2
    assert min(row["simulations_per_second"]) > 0
    assert "Countdown" in CliRunner().invoke(app, words).output
    for wrong in (["match", "connect-four"], ["match", "conect-four", "", ""], ["match", "connect-four", "x", ""]):
        assert CliRunner().invoke(app, wrong).exit_code == 2
    assert CliRunner().invoke(app, ["perfect", "", ""]).exit_code == 2


def test_a_match_of_the_same_simulations() -> None:
    options = {"early": False, "solver": False}
    plan = replace(QUICK, games=2, simulations=25)
    *_, score = match.match(plan, Heaps((3, 4)), options, options).play()
    assert score.simulations == [25 * moves for moves in score.moves]
    assert CliRunner().invoke(app, ["match", "connect-four", "", "", "--simulations", "0"]).exit_code == 2


def test_the_command_compares_the_enhancements(tmp_path: Path) -> None:
    path = tmp_path / "countdown.py"
    path.write_text(COUNTDOWN)
    result = CliRunner().invoke(app, ["enhancements", f"{path}(9)", "--games", "2", "--seconds", "0.001", "--json"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.output)["matches"]["enhancements"]
    named = {row["note"]: row for row in rows}
    assert (named["rave"]["first"], named["rave"]["second"]) == ("rave=True", "default")
    assert (named["solver"]["first"], named["solver"]["second"]) == ("default", "solver=False")
    assert "puct" not in named  # it needs the game's `order`
    assert "puct (order)" in enhancements.left_out(Heaps((2, 3)))


def test_every_technique_is_compared_where_the_game_has_what_it_takes() -> None:
    notes = {each.note for each in enhancements.matches(QUICK, ["connect-four", "breakthrough"])}
    assert notes >= {"puct", "bias", "widening", "greedy playouts", "hints", "first play"}


def test_the_perfect_player_gives_nothing_back(interpreted: None) -> None:
    game = ConnectFour(width=4, height=4, length=3)
    solver = AlphaBeta(game, reuse_table=True)
    value = solver.search().value
    assert value == 1  # for who begins
    first, second = (perfect.PerfectPlayer(solver, 0, random.Random(seed)) for seed in (1, 2))
    states = [game.initial_state()]
    assert match.play(game, states, (first, second), random.Random(0), match.Score(), False)[0] == value
    assert len(states) - 1 == solver.search().distance  # the longest resistance


def test_the_perfect_player_begins_by_chance(interpreted: None) -> None:
    game = ConnectFour(width=4, height=4, length=3)
    start = [game.initial_state()]
    chosen = {perfect.PerfectPlayer(AlphaBeta(game), 1, random.Random(seed)).choose(start)[0] for seed in range(20)}
    assert chosen == {0, 1, 2, 3}


def test_the_match_against_the_perfect_player(interpreted: None) -> None:
    (one,) = perfect.matches(
        replace(QUICK, games=2, seconds=0.01), ["seed=3"], ConnectFour(width=4, height=4, length=3)
    )
    assert (one.moves, one.seats, one.draw) == (0, (0,), 0)
    *_, score = one.play()
    assert score.games == 2
    assert score.simulations[0] > 0
    assert score.simulations[1] == 0


class LeftOrUp:
    """Slides left where it can, else the first way there is."""

    def __init__(self, game: TwentyFortyEight) -> None:
        self.game = game

    def search(self, state: Any, _limit: Limit) -> SimpleNamespace:
        ways = list(legal_actions(self.game, state))
        return SimpleNamespace(action=3 if 3 in ways else ways[0], stopped="")


def test_2048_counts_the_tiles_that_are_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    game = TwentyFortyEight()
    limit = Limit(seconds=1)
    results = [twenty_forty_eight.play(game, LeftOrUp(game), limit, random.Random(seed)) for seed in range(20)]
    for result in results:  # a tile of 2^r brings at least (r - 2) * 2^r points
        assert 2 * result.moves > result.score / result.tile >= result.tile.bit_length() - 3
    assert len({result.score for result in results}) > 10
    monkeypatch.setattr(twenty_forty_eight, "TILES", (4, 128, 2048))
    plan = replace(QUICK, games=20)
    *shares, mean = twenty_forty_eight.rows(plan, lambda game, seed: LeftOrUp(game))
    assert [row.ours for row in shares] == [100, 5.0 * sum(result.tile >= 128 for result in results), 0]
    assert shares[-1].met(shares[-1].bars[0]) is False
    assert "0 to 16 % with 95 %; 20 games" in shares[-1].note
    assert mean.ours == sum(result.score for result in results) / 20


@pytest.mark.slow
def test_all_of_the_ablation() -> None:
    measured(list(ablation.rows(QUICK)))


@pytest.mark.slow
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


def test_the_command_prints_a_table(test_set: Path) -> None:
    result = CliRunner().invoke(app, ["solve", "--repeat", "1", "--positions", str(test_set)])
    assert result.exit_code == 0, result.output
    assert "4 positions of Test_L3_R1, exactly" in result.output
    assert "< 60 s: yes" in result.output
    assert machine()["versions"] in result.output


def test_the_command_prints_json(test_set: Path) -> None:
    result = CliRunner().invoke(app, ["solve", "--quick", "--repeat", "1", "--json", "--positions", str(test_set)])
    printed = json.loads(result.output)
    (row,) = printed["results"]["solve"]
    assert row["agree"] == "all 4 scores"
    assert row["bars"] == []  # quick work is not what they are meant for
    assert printed["disagreements"] == {}


def test_the_command_fails_where_outplay_is_wrong(test_set: Path) -> None:
    test_set.write_text(f"{TEST_SET}7422341735647741166133573473242566 2\n")
    result = CliRunner().invoke(app, ["solve", "--repeat", "1", "--positions", str(test_set)])
    assert result.exit_code == 1
    assert (
        "they disagree. Test_L3_R1, line 5: 7422341735647741166133573473242566 has score 2, outplay found 1"
        in result.output
    )


def test_pruning_at_chance_nodes(interpreted: None, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = list(chance.shares(QUICK, EinStein(), 3))
    assert [row.unit for row in rows] == ["% of nodes", "% of time"] * len(chance.TECHNIQUES)
    nodes = {row.what.rpartition(": ")[2]: row.ours or 0 for row in rows if row.unit == "% of nodes"}
    assert 0 < nodes["Star1 and table"] <= nodes["alpha-beta"] <= 100
    monkeypatch.setitem(chance.TECHNIQUES, "Star1", {"pruning": "star1", "evaluate": lambda game, state, player: 0.5})
    with pytest.raises(Disagreement):
        list(chance.shares(QUICK, EinStein(), 3))


@pytest.mark.slow
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


def test_three_searches_at_one_table(interpreted: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_players, "GAME", ChineseCheckers(3, camp=1, longest=60))
    monkeypatch.setattr(many_players, "OPENING", 1)
    rows = list(many_players.rows(QUICK))
    assert [row.unit for row in rows] == ["nodes"] * 6 + ["%"] * 3
    paranoid, max_n = (row.ours or 0 for row in (rows[4], rows[3]))
    assert 0 < paranoid < max_n
    assert sum(row.ours or 0 for row in rows[6:]) in (0, 100)


@pytest.mark.slow
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


def test_every_benchmark_has_a_name() -> None:
    assert CliRunner().invoke(app, ["tea"]).exit_code == 2
    assert set(BENCHMARKS) | set(MATCHES) == set(Benchmark)


def test_a_table_says_what_is_not_there() -> None:
    made = table("tree", [Row(what="count", unit="nodes/s", ours=12_345_678, bars=(Bar("ratio", "≥", 300),))])
    cells = [next(iter(column.cells)) for column in made.columns]
    assert cells[:6] == ["count", "12.3 million nodes/s", "–", "", "–", "≥ × 300: not measured"]


@pytest.mark.slow
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


# -- hidden -----------------------------------------------------------------------------------------------------------


def test_searches_play_a_uniform_player_at_a_game_with_secrets(interpreted: None) -> None:
    plan = Plan(quick=True, repeat=1, games=2, seconds=0.01)
    made = hidden.matches(plan, ["rock-paper-scissors"])
    assert [(one.first.name, one.seats) for one in made] == [(name, (n,)) for name in hidden.SEARCHES for n in (0, 1)]
    for one in made:
        *_, score = one.play()
        row = one.row(score)
        assert row["won"] + row["drawn"] + row["lost"] == 2
        assert row["second"] == "uniform"
        assert 0 <= float(row["note"].rpartition(" ")[2]) < 11 / 24
    for words, problem in ((["hex"], "hides nothing"), (["a", "b"], "name at most one game, not 2")):
        with pytest.raises(typer.BadParameter, match=problem):
            hidden.matches(plan, words)


def test_how_much_can_be_won_at_phantom_tic_tac_toe() -> None:
    assert hidden.most_won(first=True) == pytest.approx(0.958333, abs=1e-6)
    assert hidden.most_won(first=False) == pytest.approx(0.762963, abs=1e-6)
    assert hidden.ceiling(PhantomTicTacToe(), 1) == "at most 76.3 % can be won; "
    assert hidden.ceiling(KuhnPoker(), 0) == ""
