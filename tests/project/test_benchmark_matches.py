"""Matches: against other programs, between two searches, and against a perfect or a random player."""

import io
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from rich import box
from rich.console import Console
from shared.benchmark_setup import COUNTDOWN, QUICK, Heaps
from typer.testing import CliRunner

from benchmarks import enhancements, hidden, match, opponents, perfect, twenty_forty_eight
from benchmarks.__main__ import Benchmark, app, play
from benchmarks.common import Plan
from outplay import AlphaBeta, Game, Limit, legal_actions
from outplay.arena import Match, RandomOpenings, SequentialTest, Terms, play_game
from outplay.games import ConnectFour, KuhnPoker, PhantomTicTacToe, TwentyFortyEight


class Script:
    """A player that notes what it was asked, and plays as a function says. It makes itself, too."""

    def __init__(self, choose: Any) -> None:
        self.choose_one, self.asked = choose, list[Any]()

    def __call__(self, _: Game) -> "Script":
        return self

    def choose(self, view: Any, _: Any) -> int:
        self.asked.append(view)
        return int(self.choose_one(view.state))


def first_of(game: Game) -> Any:
    return lambda state: next(iter(legal_actions(game, state)))


def test_a_match_gives_each_opening_to_both_sides() -> None:
    game = Heaps((3, 4, 5))
    best, dice = AlphaBeta(game, table_mb=1), random.Random(3)
    players = (
        Script(lambda state: best.search(state).action),
        Script(lambda state: dice.choice(list(legal_actions(game, state)))),
    )
    one = match.Contest(match.match_of(replace(QUICK, games=12), game, players, (4, 4)))
    *_, tally = one.play()
    assert tally.games == 12
    assert tally.won >= 10  # it errs never, the other often
    assert tally.won == sum(tally.pairs[place] * place for place in range(5)) / 2  # without draws
    assert tally.moves == [len(player.asked) for player in players]
    found = list(one.match.run())
    assert {len(record.opening) for each in found for record in each.records} == {match.OPENING}
    assert all(each.records[0].opening == each.records[1].opening for each in found)
    assert {each.orders for each in found} == {((0, 1), (1, 0))}
    assert len({each.records[0].opening for each in found}) > 1


def test_a_match_that_is_decided_ends() -> None:
    game = Heaps((3, 4, 5))
    solver = AlphaBeta(game, reuse_table=True, table_mb=1)
    one = Match(
        game,
        (Script(lambda state: solver.search(state).action), Script(first_of(game))),
        games=400,
        test=SequentialTest(-20, 20),
    )
    *_, tally = match.Contest(one).play()
    assert tally.games < 200
    assert one.test is not None
    assert one.test.verdict(tally.pairs) == "accepted"


def test_a_match_with_fixed_seats() -> None:
    game = Heaps((3, 4))
    for seat in (0, 1):
        first, second = Script(first_of(game)), Script(first_of(game))
        one = match.seated(replace(QUICK, games=3), game, (first, second), (4, 4), seat)
        *_, tally = match.Contest(one).play()
        assert tally.games == 3
        assert {view.player for view in first.asked} == {seat}
        assert tally.strength is None
        assert len(first.asked[0].states) == 1 + seat


def test_an_interrupted_match_counts_as_far_as_it_went() -> None:
    game, asked = Heaps((3, 4)), [0]

    def takes_fright(state: Any) -> int:
        asked[0] += 1
        if asked[0] > 6:
            raise KeyboardInterrupt
        return int(next(iter(legal_actions(game, state))))

    one = match.Contest(Match(game, (Script(takes_fright), Script(first_of(game))), games=50))
    (row,) = play(Benchmark.MATCH, [one, one], Console(quiet=True))
    assert 0 < row["won"] + row["lost"] < 50


def test_a_match_is_for_two_opposed_players(monkeypatch: pytest.MonkeyPatch) -> None:
    """As they are in games whose utilities sum to a constant."""
    half = type("Half", (Heaps,), {"zero_sum": False, "constant_sum": 1.0, "utilities": (0, 1)})()
    apart = type("Apart", (Heaps,), {"zero_sum": False, "constant_sum": None})()
    monkeypatch.setattr(match, "load_game", lambda name: {"half": half, "apart": apart}[name])
    assert match.for_two("half") is half
    with pytest.raises(typer.BadParameter, match="opposed interests"):
        match.for_two("apart")


def match_text(rows: Any) -> str:
    console = Console(width=400, file=io.StringIO())
    console.print(match.as_table("", rows, box.MARKDOWN))
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_the_tally_of_a_match() -> None:
    """Faults are counted in the note."""
    game = Heaps((3, 4))
    one = match.Contest(Match(game, (Script(lambda _: 99), "random"), games=4, openings=RandomOpenings(0)), note="toy")
    *_, tally = one.play()
    row = one.row(tally)
    assert (row["won"], row["drawn"], row["lost"], row["share"]) == (0, 0, 4, 0)
    assert row["note"].startswith("toy; 4 × ")
    assert row["note"].endswith("illegal move: 99")
    assert row["margin"] == [-1, 0]
    assert row["elo"][:2] == [None, None]  # all were lost
    assert "– (– to " in match_text([row])
    tally = match.Tally(won=2, drawn=1, lost=1, margins=[1, 0])
    assert (tally.games, tally.share, tally.margin) == (4, 0.625, (0.5, 0.5))
    assert str(tally) == "62% (22% to 91%) of 4 games"
    assert tally.speeds == tally.times == (0.0, 0.0)
    assert replace(tally, draw=0.0).share == 0.5
    assert replace(tally, moves=[4, 2], seconds=[1.0, 3.0], nodes=[5, 6]).times == (0.25, 1.5)
    assert replace(tally, seconds=[1.0, 3.0], nodes=[5, 6]).speeds == (5, 2)


def test_settings_are_read_as_the_command_line_takes_them() -> None:
    assert match.settings("rave=true widening=(2,0.5)") == {"rave": True, "widening": (2, 0.5)}
    assert match.settings("") == {}
    for wrong, says in [("rave", "write NAME=VALUE"), ("rav=True", "no option 'rav'"), ("game=1", "no option 'game'")]:
        with pytest.raises(typer.BadParameter, match=says):
            match.settings(wrong)


def test_the_command_plays_a_match(tmp_path: Path) -> None:
    path = tmp_path / "countdown.py"
    path.write_text(COUNTDOWN)
    words = ["match", f"{path}(9)", "rave=true", "", "--games", "2", "--seconds", "0.002"]
    result = CliRunner().invoke(app, [*words, "--json"])
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.output)["matches"]["match"]
    assert (row["first"], row["second"]) == ("rave=True", "default")
    assert row["won"] + row["drawn"] + row["lost"] == 2
    assert min(row["nodes_per_second"]) > 0
    assert "Countdown" in CliRunner().invoke(app, words).output
    for wrong in (["match", "connect-four"], ["match", "conect-four", "", ""], ["match", "connect-four", "x", ""]):
        assert CliRunner().invoke(app, wrong).exit_code == 2
    assert CliRunner().invoke(app, ["perfect", "", ""]).exit_code == 2
    assert CliRunner().invoke(app, ["match", "connect-four", "", "", "--simulations", "0"]).exit_code == 2


def test_a_match_of_the_same_simulations() -> None:
    one = match.contest(replace(QUICK, simulations=25), Heaps((3, 4)), {"rave": True}, {})
    assert [player.limit for player in one.match.players] == [Limit(simulations=25)] * 2  # type: ignore[union-attr]
    one = match.contest(replace(QUICK, seconds=0.5), Heaps((3, 4)), {}, {})
    assert one.match.players[0].limit == Limit(seconds=0.5)  # type: ignore[union-attr]


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


def test_the_perfect_player_gives_nothing_back() -> None:
    game = ConnectFour(width=4, height=4, length=3)
    solver = AlphaBeta(game, reuse_table=True)
    value = solver.search().value
    assert value == 1  # for who begins
    player = perfect.PerfectPlayer(solver, 0)
    record = play_game(game, [player, player], ["one", "two"])
    assert record.utilities[0] == value
    assert len(record.plies) == solver.search().distance  # the longest resistance


def test_the_perfect_player_begins_by_chance() -> None:
    game = ConnectFour(width=4, height=4, length=3)
    player = perfect.PerfectPlayer(AlphaBeta(game, reuse_table=True), 1)
    records = [play_game(game, [player] * 2, ["1", "2"], terms=Terms(max_plies=1), seed=n) for n in range(20)]
    chosen = {record.plies[0].name for record in records}
    assert chosen == {"1", "2", "3", "4"}


def test_the_match_against_the_perfect_player() -> None:
    (one,) = perfect.contests(
        replace(QUICK, games=2, seconds=0.01), ["exploration=0.5"], ConnectFour(width=4, height=4, length=3)
    )
    assert (one.match.seat_orders, one.draw) == (((0, 1),), 0)
    assert one.match.names == ("exploration=0.5", "exact from disc 14 on")
    *_, tally = one.play()
    assert tally.games == 2
    assert tally.nodes[0] > 0
    assert tally.faults == []


TOY = opponents.Opponent("tic-tac-toe", "python3", "alpha-beta(seconds={})", "a toy", "alpha-beta(depth=9)")


def test_the_command_plays_other_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opponents, "OPPONENTS", {"toy": TOY, "gone": replace(TOY, program="no-such-program")})
    found = CliRunner().invoke(app, ["opponents", "--games", "2", "--seconds", "0.001"]).output
    assert "alpha-beta(seconds=0.001)" in found
    assert "Skipped, since the program is not installed: gone (no-such-program)." in found
    found = CliRunner().invoke(app, ["opponents", "toy", "--games", "2", "--seconds", "0.001", "--json"]).output
    (row,) = json.loads(found)["matches"]["opponents"]
    assert (row["first"], row["second"], row["note"]) == ("alpha-beta(depth=9)", "alpha-beta(seconds=0.001)", "a toy")
    assert row["won"] + row["drawn"] + row["lost"] == 2
    assert row["elo"] is not None
    wrong = CliRunner().invoke(app, ["opponents", "stokfish"])
    assert wrong.exit_code == 2
    assert "no opponent is called 'stokfish'" in wrong.output


def test_all_opponents_are_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opponents, "located", lambda program: program)
    found = opponents.contests(QUICK, [])
    assert len(found) == len(opponents.OPPONENTS)
    names = [one.match.names for one in found]
    assert ("alpha-beta(seconds=0.05)", "uci:stockfish(UCI_Elo=2000, Threads=1, seconds=0.05)") in names
    assert ("expectiminimax(depth=1)", "external:gnubg(plies=0)") in names
    assert "mcts(seconds=0.05)" in [first for first, _ in names]
    assert opponents.left_out([]) == ""


class LeftOrUp:
    """Slides left where it can, else the first way there is."""

    def choose(self, view: Any, _: Any) -> int:
        return 3 if 3 in view.legal else int(view.legal[0])


def test_2048_counts_the_tiles_that_are_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    game = TwentyFortyEight()
    results = [twenty_forty_eight.play(game, LeftOrUp(), seed) for seed in range(8)]
    for result in results:  # a tile of 2^r brings at least (r - 2) * 2^r points
        assert 2 * result.moves > result.score / result.tile >= result.tile.bit_length() - 3
    assert len({result.score for result in results}) > 5
    monkeypatch.setattr(twenty_forty_eight, "TILES", (4, 128, 2048))
    *shares, mean = twenty_forty_eight.rows(replace(QUICK, games=8), lambda game: LeftOrUp())
    assert [row.ours for row in shares] == [100, 12.5 * sum(result.tile >= 128 for result in results), 0]
    assert shares[-1].met(shares[-1].bars[0]) is False
    assert "0 to 32 % with 95 %; 8 games" in shares[-1].note
    assert mean.ours == sum(result.score for result in results) / 8


def test_searches_play_a_uniform_player_at_a_game_with_secrets() -> None:
    plan = Plan(quick=True, repeat=1, games=2, seconds=0.01)
    made = hidden.contests(plan, ["rock-paper-scissors"])
    assert [(one.match.names[0], one.match.seat_orders) for one in made] == [
        (name, ((n, 1 - n),)) for name in hidden.SEARCHES for n in (0, 1)
    ]
    for one in made:
        *_, tally = one.play()
        row = one.row(tally)
        assert row["won"] + row["drawn"] + row["lost"] == 2
        assert row["second"] == "random"
        assert 0 <= float(row["note"].rpartition(" ")[2]) < 11 / 24
    for words, problem in ((["hex"], "hides nothing"), (["a", "b"], "name at most one game, not 2")):
        with pytest.raises(typer.BadParameter, match=problem):
            hidden.contests(plan, words)


def test_how_much_can_be_won_at_phantom_tic_tac_toe() -> None:
    assert hidden.most_won(first=True) == pytest.approx(0.958333, abs=1e-6)
    assert hidden.most_won(first=False) == pytest.approx(0.762963, abs=1e-6)
    assert hidden.ceiling(PhantomTicTacToe(), 1) == "at most 76.3 % can be won; "
    assert hidden.ceiling(KuhnPoker(), 0) == ""
