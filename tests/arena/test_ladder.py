"""Ladders: players of known strength are rated right, what is varied, records, the command, and levels by Elo."""

import json
import math
import random
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.levels import LEFT_OUT, PLANS, numbers, table
from outplay import AlphaBeta, Limit, legal_actions
from outplay.arena import LadderScore, MatchLog, Reply, rate
from outplay.arena.calibration import check_is_of_levels, far_apart, save_levels
from outplay.arena.elo import score_of
from outplay.arena.ladder import Ladder, varied_openings
from outplay.arena.naming import PlayerSpec, player_named
from outplay.arena.openings import RandomOpenings
from outplay.arena.vary import read_vary
from outplay.cli.commands import app
from outplay.games import BUILT_IN, Chess, ConnectFour, ExplicitTree, KuhnPoker, Pig, TicTacToe
from outplay.rules.constant_sum import has_constant_sum
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.session import SearchPlayer, Session
from outplay.session.levels import (
    RANDOM,
    Blend,
    Calibration,
    Level,
    Measured,
    built_in,
    levels_of,
    read_calibrations,
    written,
)
from outplay.session.view import view_of

GAME, NONE = TicTacToe(), RandomOpenings(0)


class Duel(Game):
    """Player 0 says how strong it is, in units of 100 Elo, and player 1 who wins: a state is what was said."""

    players = 2
    zero_sum = True

    def initial_state(self):
        return ()

    def actions(self, state):
        return range(4) if not state else range(2)

    def result(self, state, action):
        return (*state, action)

    def to_move(self, state):
        return len(state)

    def is_terminal(self, state):
        return len(state) == 2

    def utility(self, state, player):
        return 1.0 if state[1] == player else -1.0


class Fighter:
    """Wins against others as its Elo says."""

    def __init__(self, elo):
        self.elo = elo

    def new_game(self, game, player, seed):
        self.random = random.Random(seed)

    def choose(self, view, clock):
        if not view.state:
            return Reply(self.elo // 100, nodes=self.elo)
        return int(self.random.random() < score_of(self.elo - 100 * view.state[0]))


class Training:
    """Makes a fighter."""

    def __init__(self, elo):
        self.elo, self.__name__ = elo, f"fighter {elo}"

    def __call__(self, game):
        return Fighter(self.elo)


def fighters(*elos):
    return tuple(map(Training, elos))


def played(ladder, **options):
    score = LadderScore(ladder)
    for found in ladder.run(**options):
        score.add(found)
    return score


def test_known_strengths_are_recovered():
    """In about 95% of all intervals."""
    true, inside, total = (0, 100, 300), 0, 0
    for seed in range(8):
        ladder = Ladder(Duel(), fighters(*true), games=60, openings=NONE, seed=seed)
        result = played(ladder).result()
        for place, (elo, gain) in enumerate(zip(result.elos[1:], result.gains, strict=True), 1):
            for found, right in ((elo, true[place]), (gain, true[place] - true[place - 1])):
                inside += found.low <= right <= found.high
                total += 1
                assert found.low < found.elo < found.high
    assert inside / total >= 0.85
    assert result.elos[0] == (0.0, 0.0, 0.0)
    assert sum(each.elo for each in result.gains) == pytest.approx(result.elos[-1].elo)
    assert [rung.games for rung in result.rungs] == [0, 60, 60]


def test_what_a_step_is_worth():
    ladder = Ladder(
        Duel(), fighters(100, 200, 300), games=400, openings=NONE, labels=("100", "200", "300"),
        vary=read_vary("nodes=100..400"),
    )  # fmt: skip
    assert ladder.vary.steps == 2
    result = played(ladder).result()
    line = result.worth()[0]
    assert line == f"a doubling of nodes is worth {result.elos[-1].elo / 2:+.0f} Elo" + line[line.index(" (") :]
    assert [rung.nodes_a_move for rung in result.rungs] == [50, 100, 150]  # every second move has some
    depths = replace(ladder, vary=read_vary("depth=1..5+2"))
    lines = replace(result, ladder=depths).worth()
    assert lines[0].startswith(f"a ply is worth {result.elos[-1].elo / 4:+.0f} Elo")
    assert "a ply takes 1.3 times the nodes; a doubling of nodes is worth" in lines[1]  # 3 times in 4 plies
    others = replace(result, ladder=replace(ladder, vary=read_vary("elo=100..300+100"))).worth()
    assert others[0].startswith(f"100 more elo is worth {result.elos[-1].elo / 2:+.0f} Elo")
    listed = replace(ladder, vary=read_vary("rave=false,true,maybe"))
    lines = replace(result, ladder=listed).worth()
    assert [line.split(" is")[0] for line in lines] == ["rave=200", "rave=300"]


def test_the_difference_of_two_players():
    """The interval of a difference is narrower than that of both ratings if they have met."""
    games = [("ada", "bob", 1), ("bob", "ada", 0.5), ("ada", "bob", 0), ("bob", "ada", 0)] * 10
    found = rate(games)
    elo, low, high = found.difference("ada", "bob")
    ada, bob = found.players
    assert elo == pytest.approx(ada.elo - bob.elo)
    assert ada.high - ada.low < high - low < (ada.high - ada.low) + (bob.high - bob.low) + 1e-6
    assert found.difference("bob", "ada") == pytest.approx((-elo, -high, -low), abs=1e-3)


# -- what varies ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("depth=1..3", ("1", "2", "3")),
        ("depth=2..8+2", ("2", "4", "6", "8")),
        ("depth=1..8*2", ("1", "2", "4", "8")),
        ("seconds=0.01..1.28", ("0.01", "0.02", "0.04", "0.08", "0.16", "0.32", "0.64", "1.28")),
        ("simulations=100..12800", ("100", "200", "400", "800", "1600", "3200", "6400", "12800")),
        ("nodes=100..1700*4", ("100", "400", "1600")),
        ("exploration=0.5..1.5+0.5", ("0.5", "1", "1.5")),
        ("quiescence=true,false", ("true", "false")),
        ("widening=(1, 0.5),(2, 0.5),none", ("(1, 0.5)", "(2, 0.5)", "none")),
        ("table-mb=1,16", ("1", "16")),
    ],
)
def test_what_varies(text, values):
    assert read_vary(text).values == values


@pytest.mark.parametrize(
    "text", ["depth", "depth=", "depth=4", "depth=3..1", "depth=1..x", "=1..3", "depth=1..200", "seconds=0..1",
             "depth=1..3*1", "rave=true,true", "depth=1..3+0", "3=1..2", "depth=1..inf"],
)  # fmt: skip
def test_what_cannot_vary(text):
    with pytest.raises(OutplayError, match=r"write what varies|give at least two|a range|a ladder has from 2"):
        read_vary(text)


@pytest.mark.parametrize(
    ("player", "option", "text"),
    [
        ("alpha-beta", "depth", "alpha-beta(depth=7)"),
        ("mcts(rave=true, simulations=3)", "simulations", "mcts(rave=true, simulations=7)"),
        ("mcts(widening=(1, 0.5))", "seed", "mcts(widening=(1, 0.5), seed=7)"),
        ("bots(1)/my.py:Bot(n=1)", "n", "bots(1)/my.py:Bot(n=7)"),
        ("uci:engine --fast (UCI_Elo=1500)", "depth", "uci:engine --fast (UCI_Elo=1500, depth=7)"),
    ],
)
def test_a_player_with_another_option(player, option, text):
    assert str(PlayerSpec.read(player).with_option(option, "7")) == text


def test_wrong_ladders():
    with pytest.raises(OutplayError, match="two players"):
        Ladder(Pig(players=3), ("random", "mcts"))
    with pytest.raises(OutplayError, match="at least two rungs"):
        Ladder(GAME, ("random", "random"))
    with pytest.raises(OutplayError, match="games=0"):
        Ladder(GAME, ("random", "mcts"), games=0)
    with pytest.raises(OutplayError, match="no option"):
        Ladder.of(GAME, "mcts(simulations=3)", "rafe=true,false").check()
    with pytest.raises(OutplayError, match="no game"):
        LadderScore(Ladder.of(GAME, "alpha-beta", "depth=1..2")).result()


def test_openings_are_different_by_default():
    assert Ladder.of(ConnectFour(), "alpha-beta", "depth=1..2").openings == RandomOpenings(4)
    assert varied_openings(Chess(), 50) == RandomOpenings(2)
    assert varied_openings(KuhnPoker(), 50) == varied_openings(Pig(), 50) == RandomOpenings(0)


# -- games ------------------------------------------------------------------------------------------------------------


def content(rounds):
    """Rounds without times."""
    return sorted(
        (each.number, each.orders, [(record.opening, [ply.name for ply in record.plies]) for record in each.records])
        for each in rounds
    )


def test_a_ladder_goes_on_from_its_record(tmp_path):
    ladder, path = Ladder(Duel(), fighters(0, 100, 200), games=4, openings=NONE), tmp_path / "ladder.jsonl"
    whole = list(ladder.run())
    assert [each.orders for each in whole[:2]] == [((0, 1), (1, 0)), ((2, 1), (1, 2))]
    with MatchLog(path, ladder) as log:
        for each in whole[:3]:
            log.add(each)
    with MatchLog(path, ladder, resume=True) as log:
        assert content(log.rounds) == content(whole[:3])
        for each in ladder.run(done=log.rounds):
            log.add(each)
    with MatchLog(path, ladder, resume=True) as log:
        assert content(log.rounds) == content(whole)
    with pytest.raises(OutplayError, match="another match"):
        MatchLog(path, replace(ladder, seed=3), resume=True)


@pytest.mark.nightly
def test_a_ladder_on_two_processes_is_the_same():
    ladder = Ladder(Duel(), fighters(0, 100, 200), games=20, openings=NONE)
    assert content(ladder.run(workers=2)) == content(ladder.run())


def run(*arguments):
    return CliRunner().invoke(app, ["ladder", *arguments])


def test_the_command(tmp_path, monkeypatch):
    command = ["tic-tac-toe", "--vary", "depth=1..3", "--below", "random", "--games", "6"]
    found = run(*command)
    assert found.exit_code == 0, found.output
    head, first, *_ = found.stdout.splitlines()
    assert head.split()[:2] == ["depth", "Elo"]
    assert first.split()[:2] == ["random", "+0"]
    assert "a ply is worth" in found.stdout
    pytest.importorskip("matplotlib")
    data = json.loads(run(*command, "--json", "--plot", str(tmp_path / "a.svg")).stdout)
    assert [rung["player"] for rung in data["rungs"]] == ["random", *(f"alpha-beta(depth={n})" for n in (1, 2, 3))]
    assert data["rungs"][1]["gain"] == data["rungs"][1]["elo"] > 0
    assert data["interrupted"] is False
    assert (tmp_path / "a.svg").read_text().lstrip().startswith("<?xml")
    original = Ladder.run

    def interrupted(self, **options):
        yield next(original(self, **options))
        raise KeyboardInterrupt

    monkeypatch.setattr(Ladder, "run", interrupted)
    stopped = run(*command)
    assert "interrupted" in stopped.stdout
    assert stopped.exit_code == 130
    assert len([line for line in stopped.stdout.splitlines() if line.startswith(("random", "1 ", "2 "))]) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tic-tac-toe", "--vary", "depth=4"], "at least two"),
        (["tic-tac-toe", "--vary", "simulations=1..4"], "cannot be limited by simulations"),
        (["tic-tac-toe", "--vary", "depth=1..2", "--resume"], "--record"),
        (["tic-tac-toe", "--vary", "depth=1..2", "--plot", "a.gif"], ".svg, .png or .pdf"),
        (["tic-tac-toe", "--vary", "depth=1..2", "--levels", "a.txt"], "must end in .json"),
        (["tic-tac-toe", "--vary", "quiescence=true,false", "--levels", "a.json"], "cannot be a level"),
        (["tic-tac-toe", "--vary", "depth=1..2", "--seconds", "1", "--levels", "a.json"], "limits of time"),
        (["pig(players=3)", "--vary", "depth=1..2"], "two players"),
        (["tic-tac-toe", "--vary", "depth=1..2", "--player", "alpha-beat"], "did you mean alpha-beta"),
    ],
)
def test_wrong_commands(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = run(*arguments)
    assert found.exit_code == 2
    assert message in " ".join(found.output.split())


# -- levels by Elo ----------------------------------------------------------------------------------------------------

ONE, TWO, THREE, FOUR = (Level(Limit(depth=depth)) for depth in (1, 2, 3, 4))


def known(*levels):
    return Calibration("TicTacToe()", "alpha-beta", tuple(Measured(each, elo, None, None) for each, elo in levels), 10)


def test_strength_rises_with_elo():
    """Where measured strength falls, levels are pooled; between levels, the upper one is more and more likely."""
    found = known((RANDOM, 0), (ONE, 100), (TWO, 300), (THREE, 200), (FOUR, 500))
    assert found.stairs == ((0, RANDOM), (100, ONE), (250, TWO), (500, FOUR))
    assert found.strength(0) == RANDOM
    assert found.strength(40) == Blend(RANDOM, ONE, 0.4)
    assert found.strength(100) == ONE
    assert found.strength(500) == FOUR
    places = []
    for elo in np.linspace(0, 500, 101):
        drawn, order = found.strength(elo), [RANDOM, ONE, TWO, FOUR]
        if isinstance(drawn, Blend):
            assert order.index(drawn.upper) == order.index(drawn.lower) + 1
            places.append(order.index(drawn.lower) + drawn.often)
        else:
            places.append(order.index(drawn))
    assert places == sorted(places)
    assert len(set(places)) == 101
    for elo in (-1, 501, float("nan")):
        with pytest.raises(OutplayError, match="from 0, which is random moves, to 500 Elo"):
            found.strength(elo)
    equal = known((RANDOM, 0), (ONE, 100), (TWO, 100.5), (THREE, 90))
    assert equal.stairs == ((0, RANDOM), (pytest.approx(96.83, abs=0.01), ONE))  # the cheapest of equals


class Deep(AlphaBeta):
    """Remembers its limits."""

    limits_seen: list

    def search(self, state=None, limit=None, **options):
        self.limits_seen.append(limit)
        return super().search(state, limit, **options)


def test_levels_between_two_numbers():
    one, two = levels_of("alpha-beta")[:2]
    assert Level.at("alpha-beta", 0) == RANDOM
    assert Level.at("alpha-beta", 1) == one
    assert Level.at("alpha-beta", 10) == levels_of("alpha-beta")[-1]
    assert Level.at("alpha-beta", 0.3) == Blend(RANDOM, one, 0.3)
    assert Level.at("mcts", 0.5, seconds=2) == Blend(RANDOM, Level(Limit(simulations=10, seconds=2)), 0.5)
    for number in (-1, 10.5, math.nan):
        with pytest.raises(OutplayError, match=r"Level.at\('mcts', .*\): give a number from 0 to 10"):
            Level.at("mcts", number)
    with pytest.raises(OutplayError, match=r"Level\(share=1.5\): give a share from 0 to 1"):
        Level(Limit(depth=1), 1.5)
    assert Level.at("alpha-beta", 1.25) == Blend(one, two, 0.25)
    player = player_named("alpha-beta(level=1.25)", GAME)
    assert (player.strength, player.limit, player.share) == (Blend(one, two, 0.25), two.limit, one.share)


def test_a_blend_of_blends():
    """The shares multiply: between level 0.5 and level 1.5, each of the three levels plays as often as it should."""
    blend, luck = Blend(Blend(RANDOM, ONE, 0.5), Blend(ONE, TWO, 0.5), 0.2), random.Random(3)
    drawn = Counter(blend.drawn(luck) for _ in range(4000))
    assert drawn[RANDOM] == pytest.approx(1600, abs=120)
    assert drawn[ONE] == pytest.approx(2000, abs=120)
    assert drawn[TWO] == pytest.approx(400, abs=80)
    weak = Blend(RANDOM, Level(Limit(depth=1), 0.4), 0.5)
    assert Blend(weak, ONE, 0.5).share == 0.4


def test_a_blend_plays_both_levels():
    searcher, blend = Deep(GAME, table_mb=0), Blend(RANDOM, ONE, 0.3)
    searcher.limits_seen = []
    player = SearchPlayer(searcher, Limit(depth=1), strength=blend)
    player.new_game(GAME, 0, 5)
    del searcher.limits_seen[:]
    view = view_of(GAME, [GAME.initial_state()], [])
    actions = {(reply := player.choose(view, None)).action for _ in range(400)}
    assert 90 <= len(searcher.limits_seen) <= 150
    assert set(searcher.limits_seen) == {Limit(depth=1)}
    assert actions == set(legal_actions(GAME, GAME.initial_state()))
    assert reply.action in view.legal
    del searcher.limits_seen[:]
    session = Session(GAME, seed=1, players={0: SearchPlayer(searcher, strength=blend)})
    choices = [session.choose() for _ in range(400)]
    assert 90 <= len(searcher.limits_seen) == sum(choice.analysis is not None for choice in choices) <= 150


def test_a_file_of_levels(tmp_path):
    path = tmp_path / "mine.json"
    old = replace(known((RANDOM, 0), (ONE, 100)), algorithm="mcts")
    path.write_text(written([old, known((RANDOM, 0), (ONE, 100))]))
    ladder = Ladder.of(GAME, "alpha-beta(table_mb=1)", "level=0.25,1,2", below="random", games=2)
    result = played(ladder).result()
    save_levels(result, path)
    first, second = read_calibrations(path.read_text(), path)
    assert (first.game, first.algorithm, len(first.levels), first.games) == ("TicTacToe()", "alpha-beta", 4, 2)
    one, two = levels_of("alpha-beta")[:2]
    assert [level.level for level in first.levels] == [RANDOM, Blend(RANDOM, one, 0.25), one, two]
    assert [level.elo for level in first.levels] == pytest.approx([elo.elo for elo in result.elos], abs=0.1)
    assert second == old
    assert read_calibrations(written([first, second]), "") == (first, second)
    player = player_named(f"alpha-beta(elo=0, levels={str(path)!r})", GAME)
    assert player.strength == RANDOM
    with pytest.raises(OutplayError, match=r"are known for pimc in .* it is for alpha-beta and mcts"):
        Level.by_elo(GAME, "pimc", 0, path)
    wrong = written([first]).replace('"lower": {}, ', "")
    for text in ("{}", wrong):
        path.write_text(text)
        with pytest.raises(OutplayError, match="is not a file of levels"):
            Level.by_elo(GAME, "alpha-beta", 0, path)


def test_neighbours_that_are_far_apart_are_named():
    ladder = Ladder(Duel(), fighters(0, 300, 200), games=60, openings=NONE, labels=("random", "1", "2"))
    assert far_apart(played(ladder).result()) == ["random and 1"]


def test_levels_that_come_with_outplay():
    assert built_in() != ()
    for each in built_in():
        game = re.fullmatch(r"(\w+)\(\)", each.game)[1]
        assert game in {kind.__name__ for kind in BUILT_IN.values()}
        assert numbers(each) == sorted(set(numbers(each)))  # they are levels as they are today
        assert len(each.stairs) >= 2
    top = next(each for each in built_in() if (each.game, each.algorithm) == ("TicTacToe()", "alpha-beta")).stairs[-1][
        0
    ]
    assert isinstance(Level.by_elo(GAME, "alpha-beta", top / 2), Level | Blend)
    player = player_named(f"alpha-beta(elo={top / 2:.0f}, table_mb=1)", GAME)
    assert player.choose  # it is a player

    class MyGame(TicTacToe):
        pass

    MyGame.__qualname__ = MyGame.__name__ = "TicTacToe"  # a game of one's own that has the name of ours
    with pytest.raises(OutplayError, match=r"no levels by Elo are known.*outplay ladder GAME.*--levels levels\.json"):
        Level.by_elo(MyGame(), "alpha-beta", 100)
    with pytest.raises(OutplayError, match="Elo is for two players with opposed interests"):
        Level.by_elo(Pig(players=3), "max-n", 100)


def test_a_ladder_is_planned_for_each_game_that_suits_one():
    games = {name: kind() for name, kind in BUILT_IN.items() if kind is not ExplicitTree}
    opposed = {name for name, game in games.items() if game.players == 2 and has_constant_sum(game)}
    assert {name for name in PLANS if ":" not in name} == opposed - LEFT_OUT.keys()
    assert opposed >= LEFT_OUT.keys()


def test_the_table_of_levels_in_the_docs():
    assert table() in (Path(__file__).parents[2] / "docs" / "ladder.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("alpha-beta(elo=99999)", "was measured from 0"),
        ("alpha-beta(elo=100, depth=3)", "without limits"),
        ("alpha-beta(elo=100, quiescence=false)", "without limits or options"),
        ("alpha-beta(elo=high)", "elo is a number"),
        ("alpha-beta(elo=true)", "elo is a number"),
        ("alpha-beta(level=10.5)", "level is a number from 0 to 10"),
        ("alpha-beta(level=true)", "level is a number from 0 to 10"),
        ("alpha-beta(levels=a.json)", "file of levels for an elo"),
        ("alpha-beta(elo=100, levels=no.json)", "no.json"),
        ("pimc(elo=100)", "no levels by Elo are known for pimc"),
    ],
)
def test_wrong_strengths(text, message):
    with pytest.raises(OutplayError, match=message):
        player_named(text, GAME)


def test_only_searches_of_one_kind_have_levels():
    with pytest.raises(OutplayError, match="of one search"):
        check_is_of_levels(Ladder(GAME, ("random", "alpha-beta(depth=1)", "mcts(simulations=2)")))
    with pytest.raises(OutplayError, match="the lowest rung is random"):
        check_is_of_levels(Ladder.of(GAME, "mcts", "simulations=1..2"))


def test_playing_at_an_elo():
    found = CliRunner().invoke(app, ["play", "tic-tac-toe", "--elo", "0", "--player", "none", "--seed", "1"])
    assert found.exit_code == 0, found.output
    assert found.stdout.count("(at random)") >= 4
    for arguments, message in (
        (["--elo", "100", "--seconds", "1"], "--elo is the strength of the plain search"),
        (["--levels", "x.json"], "--levels is the file of levels for --elo"),
        (["--elo", "99999"], "was measured from 0"),
    ):
        wrong = CliRunner().invoke(app, ["play", "tic-tac-toe", *arguments])
        assert wrong.exit_code == 2
        assert message in " ".join(wrong.output.split())
