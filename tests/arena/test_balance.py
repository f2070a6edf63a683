"""Reports of balance: figures of hand-made records, games of equal players, charts, the page, and the command."""

import itertools
import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from outplay import AlphaBeta, Limit
from outplay.arena import GameRecord, LogError, MatchLog, Ply, RandomOpenings, read_log
from outplay.arena.balance import Balance, Observed, Pair, Spread, perfect_play, spread_of, strengths_for
from outplay.arena.balance_page import balance_page
from outplay.arena.balance_report import BalanceReport, decided, lead_changes, strength_report, was_far_behind
from outplay.arena.contest import Round
from outplay.arena.log import round_as_json
from outplay.cli.commands import app
from outplay.engine.analysis import ActionValue
from outplay.games import ConnectFour, KuhnPoker, ManyPlayerMNK, Nim, Pig, TicTacToe, TwentyFortyEight
from outplay.pictures.chart import Series, Value, chart, curve, histogram, ticks
from outplay.rules.errors import OutplayError

GAME = TicTacToe()


class Interpreted(TicTacToe):
    compiled = False


def game(first, values=(), length=None, choices=(), spread=None):
    """A game with this utility of player 0, in which players expected `values`, from the side of player 0."""
    told = [Ply("a1", place % 2, 0.5, value=value * (-1) ** place) for place, value in enumerate(values)]
    plies = told or [Ply("a1", place % 2, 0.5) for place in range(length or 4)]
    return Observed(GameRecord(("a", "a"), (), plies, (first, -first), "rules"), tuple(choices), spread)


def pairs(*games):
    return [Pair(0, number, games[2 * number : 2 * number + 2]) for number in range(len(games) // 2)]


def figures(*games, of=GAME):
    return strength_report(of, "x", pairs(*games)).figures


def test_who_wins():
    found = figures(game(1), game(1), game(0), game(-1), game(1), game(0), game(1), game(1))
    assert found["first"].value == (5 + 2 * 0.5) / 8
    assert found["first"].low < 0.75 < found["first"].high <= 1
    assert found["drawn"].value == 0.25
    assert 0 < found["drawn"].low < 0.25 < found["drawn"].high < 0.6
    assert "luck" not in found
    assert "decided" not in found  # nobody has told a value


def test_length_and_branching():
    report = strength_report(
        GAME, "x", pairs(game(1, length=4, choices=(9, 8, 1, 1)), game(1, length=8, choices=(9, 7, 6, 5, 4, 3, 2, 1)))
    )
    found = report.figures
    assert found["length"].value == 6
    assert report.lengths == (4, 8)
    assert report.quantiles[1] == 6
    assert found["branching"].value == pytest.approx((19 / 4 + 37 / 8) / 2)
    assert found["forced"].value == pytest.approx((2 / 4 + 1 / 8) / 2)
    assert report.widths == (9, 7.5, 3.5, 3, 4, 3, 2, 1)
    assert report.seconds_a_move == 0.5


def test_how_games_go():
    """A game that is decided early, one that is decided by its last move, one that is turned round, and a draw."""
    early = game(1, [0.1, 0.9, 0.95, 0.85, 1, 1, 1, 1, 1, 1])
    late = game(-1, [0, 0, 0, 0, 0, 0, 0, 0, -0.3, -0.7])
    turned = game(1, [-0.6, -0.7, -0.1, 0.5, -0.6, 0.3, 0.1, 0.9, 0.9, 1])
    draw = game(0, [0.3, -0.3, 0.3, 0, 0, 0, 0, 0, 0, 0])
    found = figures(early, late, turned, draw)
    assert found["decided"].value == pytest.approx(1 / 3)
    assert found["dead"].value == pytest.approx((0.9 + 0 + 0.3) / 3)
    assert found["comebacks"].value == pytest.approx(1 / 3)
    assert found["leads"].value == (0 + 0 + 3 + 2) / 4


def test_parts_of_a_course():
    assert decided([(0, 0.9), (2, 0.7), (4, 0.9)], 1) == 4
    assert decided([(0, -0.9)], -1) == 0
    assert decided([(0, 0.1), (3, 0.1)], 1) == 4
    assert was_far_behind([(0, 0.6), (1, 0.6)], -1)
    assert not was_far_behind([(0, 0.6), (1, 0.2), (2, 0.6)], -1)
    assert lead_changes([(0, 0.9), (1, -0.1), (2, 0.9)]) == 0


def test_luck():
    """Games that end alike with the same luck, and games of which luck says nothing."""
    alike = [game(x) for x in (1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1)]
    assert figures(*alike, of=Pig())["luck"].value == 1
    mixed = [game(x) for x in (1, 1, -1, -1, 1, -1, -1, 1, 1, 1, -1, -1, 1, -1, -1, 1)]
    found = figures(*mixed, of=Pig())["luck"]
    assert found.value == pytest.approx(0)
    assert found.low < 0 < found.high
    assert figures(*alike, of=Pig())["drawn"].high > figures(*alike)["drawn"].high  # pairs count once


class Told:
    """An analysis with these values."""

    def __init__(self, *values, intervals=None):
        spans = intervals or [None] * len(values)
        self.actions = [
            ActionValue(action=0, name="", value=value, interval=span)
            for value, span in zip(values, spans, strict=True)
        ]


def test_spread_of_actions():
    assert spread_of(Told(1.0, 0.0, -1.0), 3, 2.0) == Spread(3, 0.5, True, 1)
    assert spread_of(Told(0.5, 0.45, 0.44), 5, 2.0) == Spread(5, pytest.approx(0.025), False, 3)
    assert spread_of(Told(1.0), 1, 2.0) is None
    unsure = Told(0.6, 0.1, 0.0, intervals=[(0.0, 1.0), (-0.5, 0.7), (-0.5, 0.5)])
    assert not spread_of(unsure, 3, 2.0).clear
    sure = Told(0.6, 0.1, 0.0, intervals=[(0.5, 0.7), (0.0, 0.2), (-0.1, 0.1)])
    assert spread_of(sure, 3, 2.0).clear
    analysis = AlphaBeta(GAME, table_mb=0).analyse(GAME.initial_state(), Limit(depth=9))
    assert spread_of(analysis, 9, 2.0) == Spread(9, 0.0, False, 9)  # all draws
    spreads = [Spread(3, 0.5, True, 1), Spread(4, 0.1, False, 2)] * 2
    told = figures(*(game(1, spread=each) for each in spreads))
    assert (told["matters"].value, told["good"].value) == (0.5, 1.5)


def test_games_of_equal_players():
    study = Balance(GAME, ("random", "alpha-beta(depth=1, table_mb=1)"), games=4, labels=("random", "1"))
    rounds = list(study.run())
    own = [each for each in rounds if isinstance(each, Pair)]
    assert sorted((each.strength, each.number) for each in own) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert len(rounds) - len(own) == study.ladder.rounds == 2
    for each in own:
        for seen in each.games:
            counts = list(range(9, 9 - len(seen.choices), -1))
            assert list(seen.choices) == counts
            assert len(seen.record.plies) == len(counts)
            assert (seen.spread is None) == (each.strength == 0)
    assert [
        [[ply.name for ply in seen.record.plies] for seen in each.games]
        for each in study.run()
        if isinstance(each, Pair)
    ] == [[[ply.name for ply in seen.record.plies] for seen in each.games] for each in own]
    report = BalanceReport.of(study, rounds)
    assert [each.name for each in report.strengths] == ["random", "1"]
    assert report.ladder.rungs[1].games == 4
    with pytest.raises(OutplayError, match="no game"):
        BalanceReport.of(study, [])
    assert list(study.run(seconds=0)) != []  # at least one round


class Staged:
    """Stands in for the games of a study: each round takes so long, and the first player scores so much."""

    def __init__(self, monkeypatch, seconds=lambda strength: 0.001, points=lambda strength: (1, -1), hiccup=None):
        self.seconds, self.points, self.hiccup, self.now = seconds, points, hiccup, 0.0
        monkeypatch.setattr("outplay.arena.balance.play_job", self)
        monkeypatch.setattr("outplay.arena.balance.time", self)

    def monotonic(self):
        return self.now

    def __call__(self, job, players=None, watch=None):
        study, strength, number = job
        place = strength if strength >= 0 else number % study.ladder.pairs + 1
        taken = self.seconds(place) if (strength, number) != self.hiccup else 20.0
        self.now += taken
        records = tuple(
            GameRecord(("a", "a"), (), [Ply("a1", 0, taken / 2)], (points, -points), "rules")
            for points in self.points(place)
        )
        if strength < 0:
            return Round(number, ((0, 1), (1, 0)), records)
        return Pair(strength, number, tuple(Observed(record, (1,), None) for record in records))


def reached(study, **options):
    """How many rounds of each strength were played, without those of the ladder."""
    found = [each.strength for each in study.run(**options) if isinstance(each, Pair)]
    return [found.count(place) for place in range(max(found) + 1)]


def growing(**options):
    return Balance(GAME, strengths_for(GAME), grows=True, seed=0, **options)


def test_a_study_goes_up_until_strength_shows(monkeypatch):
    """Without a limit in time: all games of a strength, then the next one; always the same."""
    Staged(monkeypatch, points=lambda strength: (1, 1 if strength == 2 else -1))
    assert reached(growing(games=20)) == [10, 10, 10]
    Staged(monkeypatch, points=lambda strength: (-1, -1))
    assert reached(growing(games=20)) == [10, 10]  # random moves show nothing
    Staged(monkeypatch)
    assert reached(growing(games=20)) == [10] * 5  # it never shows
    Staged(monkeypatch, points=lambda strength: (0, 0))
    assert reached(growing(games=20), perfect=0.0) == [10, 10]
    assert reached(growing(games=20), perfect=1.0) == [10] * 5


def test_a_study_uses_its_time(monkeypatch):
    """It goes up while that is quick, then plays all games of these strengths, then goes up again."""
    clock = Staged(monkeypatch, seconds=lambda strength: 0.01 * 4**strength)
    found = reached(growing(), seconds=60)
    assert 60 <= clock.now < 60 + 2 * 0.01 * 4 ** (len(found) - 1)
    assert len(found) >= 5
    assert min(found) >= 5
    slow = Staged(monkeypatch, seconds=lambda strength: 4.0**strength)
    assert reached(growing(), seconds=60) == [7, 7]
    assert 60 <= slow.now < 70
    Staged(monkeypatch, seconds=lambda strength: 1e-6)
    assert reached(growing(games=20), seconds=60) == [10] * 8  # there is nothing more to play
    Staged(monkeypatch, seconds=lambda strength: 0.01 * 4**strength, points=lambda strength: (0, 0))
    assert reached(growing(), seconds=60, perfect=0.0) == [50, 50]


@pytest.mark.parametrize("hiccup", [(0, 0), (1, 0), (1, 4), (2, 1), (-1, 8)])
def test_the_strength_does_not_hang_on_one_game(hiccup, monkeypatch):
    def strength(hiccup=None):
        Staged(monkeypatch, seconds=lambda strength: 0.01 * 4**strength, hiccup=hiccup)
        return len(reached(growing(), seconds=600))

    assert strength(hiccup) == strength()


def test_a_study_with_a_seed_and_games_is_always_the_same():
    players = "random", "mcts(simulations=2)", "mcts(simulations=8)"
    study = Balance(Interpreted(), players, games=2, seed=3, grows=True)
    first, second = (plain(study.run()) for _ in range(2))
    assert first == second
    assert len(first) == 5


def test_perfect_play():
    assert perfect_play(Nim((1, 2))).values == (1, -1)
    assert perfect_play(Nim((1, 2)), seconds=60).values == (1, -1)
    assert perfect_play(ConnectFour(), seconds=0.2) is None
    assert perfect_play(KuhnPoker()) is None
    assert perfect_play(ManyPlayerMNK()) is None


def test_a_solved_value_is_in_the_conclusions():
    study = Balance(Nim((1, 2)), ("random",), games=10, seed=0)
    report = BalanceReport.of(study, study.run(), solved=perfect_play(study.game))
    assert report.conclusions()[0] == "in perfect play, the first player wins (exact, by AlphaBeta)"
    assert report.as_dict()["solved"]["verdict"].startswith("win")
    assert "In perfect play, the first player wins" in balance_page(report)
    plain_report = BalanceReport.of(study, study.run())
    assert "perfect" not in str(plain_report.conclusions())
    assert plain_report.as_dict()["solved"] is None


def test_conclusions_are_of_players_with_enough_games(monkeypatch):
    Staged(monkeypatch, points=lambda strength: (1, 1))
    study = Balance(GAME, strengths_for(GAME)[:3], games=40, labels=("random", "16", "64"))
    rounds = list(study.run())
    few = [each for each in rounds if not isinstance(each, Pair) or each.strength < 2 or each.number < 9]
    assert BalanceReport.of(study, rounds).top.name == "64"
    assert BalanceReport.of(study, few).top.name == "16"
    assert "between the strongest players (16), the first player has" in BalanceReport.of(study, few).conclusions()[0]


def test_games_with_luck_and_for_many_players():
    dice = Balance(Pig(goal=20), ("random",), games=4)
    for each in dice.run():
        rolls = [[ply.name for ply in seen.record.plies if ply.player < 0] for seen in each.games]
        short = min(map(len, rolls))
        assert rolls[0][:short] == rolls[1][:short]
    three = Balance(ManyPlayerMNK(), ("random",), games=20)
    assert three.ladder is None
    report = BalanceReport.of(three, three.run())
    (found,) = report.strengths
    assert len(found.seats) == len(found.wins) == ManyPlayerMNK().players
    assert sum(seat.value for seat in found.seats) == pytest.approx(0, abs=1e-9)
    assert "first" not in found.figures
    assert "mean utility" in report.conclusions()[0]
    assert "Mean utility by seat" in balance_page(report)
    cards = BalanceReport.of(study := Balance(KuhnPoker(), ("random",), games=40), study.run())
    assert "luck" in cards.strengths[0].figures


def test_wrong_studies():
    with pytest.raises(OutplayError, match="one player"):
        Balance(TwentyFortyEight(), ("random",))
    with pytest.raises(OutplayError, match="all of them different"):
        Balance(GAME, ("random", "random"))
    with pytest.raises(OutplayError, match="games=0"):
        Balance(GAME, ("random",), games=0)


# -- charts and the page ----------------------------------------------------------------------------------------------


def test_charts():
    points = [Value(0, 0.5, 0.4, 0.6), Value(1, 0.7)]
    endless = [Value(0, 300, 100, math.inf), Value(1, 400, -math.inf, 500)]
    for picture in (
        chart([Series("a", endless)], ["x", "y"], "endless"),
        chart([Series("a", points), Series("b", points, 1)], ["x", "y & z"], "two", within=(0, 1), line_at=0.5),
        curve([Series("a", points)], "curve", "moves"),
        curve([Series("a", [Value(3, 2)])], "a point", "moves"),
        histogram([3, 4, 4, 5, 90], "lengths", "moves"),
        histogram([7], "one", "moves"),
    ):
        root = ElementTree.fromstring(picture)
        assert root.tag.endswith("svg")
        assert not re.search(r"nan|inf", re.sub("<title>.*?</title>", "", picture))
    heights = re.findall(r"<title>([^<]*) of 5</title>", histogram([3, 4, 4, 5, 90], "lengths", "moves"))
    assert heights[0] == "3 to 6: 4"
    assert sum(int(height.partition(": ")[2]) for height in heights) == 5
    marks = ElementTree.fromstring(chart([Series("a", points)], ["x", "y"], "t", within=(0, 1))).iter()
    circles = [mark for mark in marks if mark.tag.endswith("circle")]
    assert float(circles[0].get("cy")) > float(circles[1].get("cy"))  # up is more


@pytest.mark.parametrize("ends", [(0, 1), (0.9, 0.9), (-3, 12), (0, 123456), (0.01, 0.02)])
def test_ticks(ends):
    found = ticks(*ends)
    assert found[0] <= ends[0] <= ends[1] <= found[-1]
    assert 3 <= len(found) <= 9
    steps = {round(two - one, 9) for one, two in itertools.pairwise(found)}
    assert len(steps) == 1
    assert round(10 ** (math.log10(steps.pop()) % 1), 6) in (1, 2, 5, 10)


class Page(HTMLParser):
    """Checks that all elements are closed, and lists what a page would load."""

    def __init__(self):
        super().__init__()
        self.open, self.loads = [], []

    def handle_starttag(self, tag, attrs):
        self.loads += [value for name, value in attrs if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page():
    study = Balance(GAME, ("random", "alpha-beta(depth=1, table_mb=1)"), games=6, labels=("random", "a<b"))
    report = BalanceReport.of(study, study.run(), interrupted=True)
    text = balance_page(report)
    page = Page()
    page.feed(text)
    assert page.open == page.loads == []
    assert text.count("<svg") == text.count("<figure>") >= 5
    assert "a&lt;b" in text
    assert "a<b" not in text
    assert "interrupted" in text
    for picture in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        ElementTree.fromstring(picture)


# -- the command ------------------------------------------------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(app, ["balance", *arguments])


SETTING = ["tic-tac-toe", "--player", "alpha-beta(table_mb=1)", "--vary", "depth=1..2", "--games", "4"]


def test_the_command(tmp_path, monkeypatch):
    found = run(*SETTING, "--html", str(tmp_path / "page.html"))
    assert found.exit_code == 0, found.output
    assert found.stdout.split()[:3] == ["random", "1", "2"]
    for words in ("first player", "between the strongest players", "real choices: share of decisions"):
        assert words in found.stdout
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    data = json.loads(run(*SETTING, "--json").stdout)
    assert [each["name"] for each in data["strengths"]] == ["random", "1", "2"]
    assert set(data["strengths"][2]["figures"]) >= {"first", "drawn", "length", "branching", "matters"}
    assert len(data["ladder"]["rungs"]) == 3
    original = Balance.run

    def interrupted(self, **options):
        yield next(original(self, **options))
        raise KeyboardInterrupt

    monkeypatch.setattr(Balance, "run", interrupted)
    found = run(*SETTING)
    assert "interrupted" in found.stdout
    assert found.exit_code == 130


def plain(rounds):
    """Rounds without times, in an order of their own."""
    texts = []
    for each in rounds:
        line = round_as_json(each)
        for ply in (ply for game in line["games"] for ply in game["plies"]):
            ply.pop("seconds", None), ply.pop("waited", None)
        texts.append(json.dumps(line))
    return sorted(texts)


def test_a_study_goes_on_where_its_record_ends(tmp_path):
    """Games, choices and spreads come back as they were, of equal players and of the ladder; wherever it was cut."""
    path, study = tmp_path / "study.jsonl", Balance(GAME, ("random", "alpha-beta(depth=1, table_mb=1)"), games=6)
    whole = list(study.run())
    for cut in 0, 4, len(whole):
        path.unlink(missing_ok=True)
        with MatchLog(path, study) as log:
            for each in whole[:cut]:
                log.add(each)
        path.write_bytes(path.read_bytes() + b'{"round":0,"strength":1,"gam')  # what kill -9 leaves
        with MatchLog(path, study, resume=True) as log:
            assert plain(log.rounds) == plain(whole[:cut])
            assert log.rounds == whole[:cut]
            for each in study.run(done=log.rounds):
                log.add(each)
        _, rounds, _ = read_log(path)
        assert plain(rounds) == plain(whole)
    for other in (
        replace(study, seed=1),
        replace(study, players=("random", "mcts(simulations=9)")),
        replace(study, openings=RandomOpenings(2)),
    ):
        with pytest.raises(LogError, match="of another match"):
            MatchLog(path, other, resume=True)


def test_the_command_goes_on(tmp_path, monkeypatch):
    """After Ctrl-C, with the strengths that were chosen at first; the games can be shown."""
    path = tmp_path / "study.jsonl"
    setting = ["tic-tac-toe", "--games", "4", "--record", str(path), "--json"]
    monkeypatch.setattr("outplay.arena.balance.perfect_play", lambda *_: None)
    monkeypatch.setattr("outplay.arena.balance.strengths_for", lambda *_: ("random", "mcts(simulations=4)"))
    original = Balance.run

    def interrupted(self, **options):
        rounds = original(self, **options)
        for _ in range(3):
            yield next(rounds)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Balance, "run", interrupted)
        found = run(*setting)
    assert (found.exit_code, json.loads(found.stdout)["interrupted"]) == (130, True)
    assert len(read_log(path)[1]) == 3
    assert "has a match already" in run(*setting).output
    monkeypatch.setattr("outplay.arena.balance.strengths_for", lambda *_: ("random", "mcts(simulations=16)"))
    data = json.loads(run(*setting, "--resume").stdout)
    assert [(each["name"], each["games"]) for each in data["strengths"]] == [("random", 4), ("4", 4)]
    assert data["ladder"]["rungs"][1]["games"] == 4
    assert not data["interrupted"]
    assert len(read_log(path)[1]) == 6
    listed = CliRunner().invoke(app, ["show", str(path)]).stdout
    assert "12" in listed
    assert "random" in listed
    again = json.loads(run(*setting, "--resume").stdout)
    assert again["strengths"] == data["strengths"]


def test_a_record_without_a_game_is_not_left(tmp_path, monkeypatch):
    path = tmp_path / "study.jsonl"

    def failing(*_, **more):
        raise OutplayError("no game")
        yield

    monkeypatch.setattr(Balance, "run", failing)
    assert run(*SETTING, "--record", str(path)).exit_code == 2
    assert not path.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["2048"], "one player"),
        (["tic-tac-toe", "--player", "mcts"], "--player and --vary go together"),
        (["tic-tac-toe", "--html", "page.txt"], "must end in .html"),
        (["tic-tac-toe", "--resume"], "name it with --record"),
        ([*SETTING, "--record", "/no/folder/x.jsonl"], "cannot be written"),
        ([*SETTING, "--record", "games.sgf"], "a study of balance is kept as JSON lines"),
        (["tic-tac-toe", "--resume", "--record", __file__], "test_balance.py"),
        (["tic-tac-toe", "--player", "alpha-beta", "--vary", "depth=2"], "at least two"),
    ],
)
def test_wrong_commands(arguments, message):
    found = run(*arguments)
    assert found.exit_code == 2
    assert message in " ".join(found.output.split())
