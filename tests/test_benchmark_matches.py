"""Matches: against other programs, between two searches, and against a perfect or a random player."""

import json
import random
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from benchmark_setup import COUNTDOWN, QUICK, Heaps
from rich.console import Console
from typer.testing import CliRunner

from benchmarks import enhancements, gnubg, gnugo, hidden, match, perfect, twenty_forty_eight
from benchmarks.__main__ import Benchmark, app, play
from benchmarks.common import Disagreement, Plan, Row
from outplay import MCTS, AlphaBeta, Game, Limit, legal_actions
from outplay.games import Backgammon, ConnectFour, Go, KuhnPoker, PhantomTicTacToe, TwentyFortyEight
from outplay.rules.errors import IllegalAction


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Game, "compiled", False)


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


@pytest.mark.skipif(gnubg.COMMAND is None, reason="GNU Backgammon is not installed")
def test_a_match_with_gnu_backgammon() -> None:
    for row in gnubg.rows(QUICK):
        assert row.ours is not None
        assert "won" in row.agree


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


def test_a_match_is_for_two_opposed_players(monkeypatch: pytest.MonkeyPatch) -> None:
    """As they are in games whose utilities sum to a constant."""
    half = type("Half", (Heaps,), {"zero_sum": False, "constant_sum": 1.0, "utilities": (0, 1)})()
    apart = type("Apart", (Heaps,), {"zero_sum": False, "constant_sum": None})()
    monkeypatch.setattr(match, "load_game", lambda name: {"half": half, "apart": apart}[name])
    assert match.for_two("half") is half
    with pytest.raises(typer.BadParameter, match="opposed interests"):
        match.for_two("apart")


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
