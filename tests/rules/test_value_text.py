"""Values, lines and results in the words of games; what notebooks show of analyses, checks, matches and tournaments."""

import json
import re

import pytest
from shared.hashed_game import interpreted
from typer.testing import CliRunner

import outplay
from outplay import MCTS, AlphaBeta, Limit, RulesError, check_game
from outplay.arena import Match, Score, Standings, Tournament
from outplay.check.report import Failure, Report
from outplay.cli.commands import app
from outplay.cli.output import outcome
from outplay.games import Chess, ConnectFour, Go, Othello, Pig, TicTacToe
from outplay.rules.numbered import numbered
from outplay.rules.value_text import win_rate


def played(game, names):
    """The state after these moves."""
    state = game.initial_state()
    for name in names.split():
        state = game.result(state, game.parse_action(state, name))
    return state


def test_chess_is_told_in_pawns_and_mates():
    game = Chess()
    for pawns in (-9.5, -1.0, 0.0, 0.31, 3.0):
        value = pawns / (abs(pawns) + 4)  # what `evaluate` makes of them
        assert game.value_text(value) == f"{pawns:+.2f}"
    assert game.value_text(-1e-9) == "+0.00"
    assert [game.value_text(1, True, plies) for plies in (1, 3, 5)] == ["#1", "#2", "#3"]
    assert [game.value_text(-1, True, plies) for plies in (2, 4)] == ["#-1", "#-2"]
    assert [game.value_text(value, True) for value in (1, 0, -1)] == ["win", "draw", "loss"]
    assert [game.result_text(each) for each in ((1, -1), (0, 0), (-1, 1))] == ["1-0", "1/2-1/2", "0-1"]

    class Own(Chess):
        def evaluate(self, position, player):
            return 0.5

    assert Own().value_text(0.5) == "+0.5"  # not in pawns, as far as anybody knows


def test_lines_of_chess_have_the_numbers_of_moves():
    game = Chess()
    assert game.line_text(game.initial_state(), ["e4", "e5", "Nf3"]) == "1. e4 e5 2. Nf3"
    assert game.line_text(played(game, "e4"), ["e5", "Nf3", "Nc6"]) == "1... e5 2. Nf3 Nc6"
    assert game.line_text(played(game, "e4 e5"), ["Nf3"]) == "2. Nf3"
    assert game.line_text(game.initial_state(), []) == ""


def test_an_analysis_of_chess():
    game = interpreted(Chess)
    state = played(game, "e4 e5 Bc4 Nc6 Qh5 Nf6")
    analysis = AlphaBeta(game).search(state, Limit(depth=1))
    assert str(analysis).startswith("Qxf7#: #1 for player 0 (exact)\nline 4. Qxf7#\n")
    assert (analysis.verdict, analysis.value, analysis.text) == ("win in 1", 1.0, "#1")
    assert analysis.board_texts()[analysis.action] == "#1"
    found = analysis.as_dict()
    assert (found["value"], found["verdict"], found["text"], found["line"]) == (1.0, "win in 1", "#1", ["Qxf7#"])
    assert found["actions"][0]["text"] == "#1"
    start = AlphaBeta(game).search(None, Limit(depth=1))
    assert re.fullmatch(r"[+-]\d\.\d\d", start.text)
    assert re.search(r">[+-]\d\.\d\d</text>", outplay.show(game, values=start).svg())


def test_go_has_points_and_othello_discs():
    assert Go(size=5, margin=True).value_text(3.5) == "+3.5 points"
    assert Go(size=5, margin=True).value_text(-1.0) == "-1 point"
    assert Go(size=5, margin=True).result_text((3.5, -3.5)) == "B+3.5"
    assert Go(size=5, margin=True).result_text((-12.5, 12.5)) == "W+12.5"
    go = Go(size=5)
    state = played(go, "C3 A1")
    black, white = go.influence(state)
    assert go.value_text(go.evaluate(state, 0)) == f"{black - white - go.komi:+g} points"
    assert go.value_text(1.0, True, 9) == "win in 9"
    assert go.result_text((-1, 1)) == "white wins"
    othello = Othello()
    assert [othello.value_text(value) for value in (12, -1, 0, 3.267)] == [
        "+12 discs",
        "-1 disc",
        "0 discs",
        "+3.27 discs",
    ]
    assert othello.result_text((-3, 3)) == "white wins by 3 discs"
    assert othello.result_text((0, 0)) == "draw"
    assert outcome(othello, (64, -64)) == "black wins by 64 discs"


def test_simulations_are_told_as_shares_of_wins():
    assert [win_rate(TicTacToe(), value) for value in (-1, 0, 0.5, 1)] == ["0.0 %", "50.0 %", "75.0 %", "100.0 %"]
    assert win_rate(Pig(players=3), 0.5) == win_rate(Othello(), 0.5) == ""
    for game in (interpreted(TicTacToe), interpreted(Chess)):
        analysis = MCTS(game, seed=1).search(None, Limit(simulations=3))
        assert analysis.text == win_rate(game, analysis.value)
        assert f": {analysis.text} for player 0 (estimate)" in str(analysis)
        assert all(text.endswith(" %") for text in analysis.board_texts().values())
    command = ["analyse", "tic-tac-toe", "--moves", "b2 a1 a2 c2", "--algorithm", "mcts", "--simulations", "20"]
    shown = CliRunner().invoke(app, [*command, "--json"])
    assert shown.exit_code == 0
    answer = json.loads(shown.output)
    assert -1 <= answer["value"] <= 1
    assert all(isinstance(row["value"], float) and isinstance(row["text"], str) for row in answer["actions"])


class Spoken(TicTacToe):
    """A game with words of its own."""

    compiled = False

    def value_text(self, value, exact=False, distance=None):
        return f"{'sure' if exact else 'maybe'} {value:g}"

    def line_text(self, state, names):
        return "->".join(names)

    def result_text(self, utilities):
        return "crosses" if utilities[0] > 0 else "noughts"


def test_a_game_with_words_of_its_own():
    game = Spoken()
    state = played(game, "a1 b2 a3 c3")
    analysis = AlphaBeta(game).search(state)
    assert (analysis.text, analysis.line_text(), analysis.verdict) == ("sure 1", "a2", "win in 1")
    assert "sure 1 for player 0 (exact)\nline a2\n" in str(analysis)
    assert "maybe" in AlphaBeta(game).search(None, Limit(depth=1)).text
    assert outcome(game, (1, -1)) == "crosses"


class Pairs(Spoken):
    """Its actions are tuples, so a search sees a numbered twin."""

    def actions(self, state):
        return [(action, 0) for action in super().actions(state)]

    def result(self, state, action):
        return super().result(state, action[0])

    def action_name(self, state, action):
        return super().action_name(state, action[0])


def test_a_twin_with_numbered_actions_has_these_words_too():
    twin = numbered(Pairs())
    assert twin is not None
    assert (twin.value_text(0.5), twin.line_text(None, ["a", "b"]), twin.result_text((1, -1))) == (
        "maybe 0.5",
        "a->b",
        "crosses",
    )


@pytest.mark.parametrize(("rule", "wrong"), [("value_text", 1 / 3), ("line_text", None), ("result_text", ["1-0"])])
def test_words_that_are_no_text_are_an_error(rule, wrong):
    class Wrong(Spoken):
        pass

    setattr(Wrong, rule, lambda self, *given: wrong)
    game = Wrong()
    analysis = AlphaBeta(game).search(played(game, "a1 b2 a3 c3"))
    with pytest.raises(RulesError, match=rf"Wrong\.{rule}: expected text, got"):
        outcome(game, (1, -1)) if rule == "result_text" else str(analysis)

    setattr(Wrong, rule, lambda self, *given: {}["nothing"])
    with pytest.raises(RulesError, match=rf"Wrong\.{rule} raised KeyError"):
        outcome(game, (1, -1)) if rule == "result_text" else str(analysis)


# -- notebooks --------------------------------------------------------------------------------------------------------


def test_notebooks_show_the_board_with_the_values():
    game = interpreted(ConnectFour)
    analysis = AlphaBeta(game).search(None, Limit(depth=2))
    shown = analysis._repr_html_()
    assert outplay.show(game, values=analysis).svg() in shown
    assert shown.count("<tr>") == 1 + len(analysis.actions)


def test_notebooks_show_checks():
    class Wrong(TicTacToe):
        compiled = False

        def utility(self, state, player):
            return 1

    report = check_game(Wrong(), playouts=3)
    shown = report._repr_html_()
    assert shown.startswith(f"<p><b>Wrong(): {len(report.failures)} law")
    assert shown.count("<tr>") == 1 + len(report.failures) > 1
    whole = Report(
        game="A < B", failures=(), notes=("slow",), playouts=1, states=2, longest=3, branching=1.5, average=(0.5, -0.5),
        compiled=True, seconds=1.0,
    )  # fmt: skip
    assert whole._repr_html_().startswith("<p><b>A &lt; B: every law holds</b></p><p>1 playouts, 2 states, compiled,")
    assert whole._repr_html_().endswith("<p>note: slow</p>")
    two = Failure(law="a", rule="b", state="X<", action="", detail="c", other="O")
    shown = Report(**{**vars(whole), "failures": (two,)})._repr_html_()
    assert "X&lt;" in shown
    assert ">O<" in shown


def test_notebooks_show_matches_and_tournaments():
    game = interpreted(TicTacToe)
    score, rounds = Score(), list(Match(game, ("random", "random"), games=4, seed=1).run())
    assert score._repr_html_() == "<p>no games yet</p>"
    for each in rounds:
        score.add(each)
    cells = re.findall(r"<td[^>]*>(.*?)</td>", score._repr_html_())
    lost, drawn, won = score.games
    assert cells[:3] == [str(won), str(drawn), str(lost)]
    assert rounds[0]._repr_html_().count("<tr>") == 1 + len(rounds[0].records)
    tournament = Tournament(game, ("random", "x=random", "y=random"), games=2, seed=1)
    standings = Standings(tournament, list(tournament.run()))
    shown = standings._repr_html_()
    assert shown.count("<tr>") == 4
    assert all(f">{each.name}<" in shown for each in standings.table())
