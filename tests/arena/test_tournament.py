"""Tournaments: who meets whom, standings, ratings, records, and the command."""

import itertools
import json
import re
import subprocess
import sys
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import PATIENCE
from shared.ray_nodes import two_nodes
from typer.testing import CliRunner

from outplay import Game
from outplay.arena import contest
from outplay.arena.log import LogError, MatchLog, read_log
from outplay.arena.match import Match
from outplay.arena.openings import RandomOpenings
from outplay.arena.pairing.knockout import bracket, knockout
from outplay.arena.pairing.round_robin import gauntlet, round_robin
from outplay.arena.pairing.swiss import most_stages, pairing, swiss, usual_stages
from outplay.arena.standings import Standings
from outplay.arena.tournament import Schedule, Tournament, key_of
from outplay.cli.commands import app
from outplay.games import Pig, TicTacToe
from outplay.rules.errors import OutplayError


class Numbers(Game):
    """Each player names a number from 0 to 9, one after the other; each beats the smaller ones."""

    compiled = False
    utilities = (-1, 1)

    def __init__(self, players=2):
        self.players = players

    def initial_state(self):
        return ()

    def to_move(self, state):
        return len(state)

    def actions(self, state):
        return range(10)

    def result(self, state, action):
        return (*state, action)

    def is_terminal(self, state):
        return len(state) == self.players

    def utility(self, state, player):
        own = state[player]
        return sum((own > each) - (own < each) for each in state)


class Plays:
    """Names its number, or with `luck` one that is up to so much greater."""

    def __init__(self, number, luck=0):
        self.number, self.luck, self.__name__ = number, luck, f"{number}+{luck}"

    def __call__(self, game):
        return self

    def new_game(self, game, player, seed):
        self.random = Random(seed)

    def choose(self, view, clock):
        return self.number + self.random.randint(0, self.luck)


PLAIN = RandomOpenings(plies=0)


def of(*players, game=None, **options):
    return Tournament(game or Numbers(), players, openings=PLAIN, **options)


def lucky(count=6, **options):
    """A tournament whose results depend on the seed."""
    return of(*(Plays(number, luck=4) for number in range(count)), **options)


# -- who meets whom ---------------------------------------------------------------------------------------------------


def run_waves(waves, points):
    """All waves of a format; `points` gives those of a meeting."""
    found = [next(waves)]
    try:
        while True:
            found.append(waves.send([points(meeting) for meeting in found[-1]]))
    except StopIteration:
        return found


def all_pairings(players, met):
    """All ways to pair players who have not met: obvious, and slow."""
    if not players:
        yield []
        return
    first, *rest = players
    for other in rest:
        pair = tuple(sorted((first, other)))
        if pair not in met:
            left = [each for each in rest if each != other]
            yield from ([pair, *more] for more in all_pairings(left, met))


def gap(pairs, scores):
    return sum((scores[one] - scores[other]) ** 2 for one, other in pairs)


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 8), st.integers(1, 5), st.randoms(use_true_random=False))
def test_swiss(count, stages, random):
    """Nobody meets another twice or has two byes, and no other pairing has scores nearer to each other."""
    stages = min(stages, most_stages(count))
    scores, met = [0.0] * count, set()

    def points(meeting):
        if len(meeting.players) == 1:
            return (0.0,)
        own = random.randint(0, 4) / 2
        return own, 2 - own

    waves, points_of_wave, number = swiss(count, 1, stages), None, 0
    while True:
        try:
            wave = next(waves) if points_of_wave is None else waves.send(points_of_wave)
        except StopIteration:
            break
        assert sorted(player for meeting in wave for player in meeting.players) == list(range(count))
        pairs = [meeting.players for meeting in wave if len(meeting.players) == 2]
        byes = [meeting.players for meeting in wave if len(meeting.players) == 1]
        assert len(byes) == count % 2
        assert met.isdisjoint(pairs + byes)
        assert {(meeting.openings, meeting.stage) for meeting in wave if len(meeting.players) == 2} == {
            (range(number, number + 1), number)
        }
        left = [player for player in range(count) if (player,) not in byes]
        assert gap(pairs, scores) == min(gap(each, scores) for each in all_pairings(left, met))
        for player in range(count):  # a bye goes to the lowest score that can have it
            if byes and (player,) not in met and scores[player] < scores[byes[0][0]]:
                others = [each for each in range(count) if each != player]
                assert next(all_pairings(others, met), None) is None
        met |= set(pairs + byes)
        points_of_wave = [points(meeting) for meeting in wave]
        for meeting, got in zip(wave, points_of_wave, strict=True):
            if len(got) == 1:
                scores[meeting.players[0]] += 1
            else:
                for player, own, other in zip(meeting.players, got, got[::-1], strict=True):
                    scores[player] += 1 if own > other else 0.5 if own == other else 0
        number += 1
    assert number == stages


def test_swiss_of_many_players():
    """The first stage as everyone knows it, and all stages that there can be."""
    assert pairing(range(8), [0.0] * 8, set()) == [(0, 4), (1, 5), (2, 6), (3, 7)]
    waves = run_waves(swiss(20, 2, most_stages(20)), lambda meeting: (2.0, 0.0))
    assert len(waves) == 10
    assert len({meeting.players for wave in waves for meeting in wave}) == 100
    assert [usual_stages(count) for count in (2, 3, 4, 5, 8, 9)] == [1, 2, 2, 3, 3, 4]
    assert all(usual_stages(count) <= most_stages(count) for count in range(2, 200))


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 40), st.integers(0, 3), st.integers(1, 3), st.randoms(use_true_random=False))
def test_knockout(count, extra, rounds, random):
    """Who wins a meeting is in the next stage; a level one goes on, and at last the better seed wins it."""

    def points(meeting):
        return (0.0,) if len(meeting.players) == 1 else random.choice([(2.0, 0.0), (0.0, 2.0), (1.0, 1.0)])

    told, sums = {}, {}
    waves = run_waves(knockout(count, rounds, extra), lambda meeting: told.setdefault(meeting, points(meeting)))
    for wave in waves:
        for meeting in wave:
            total = sums.setdefault(meeting.stage, {}).setdefault(meeting.players, [0] * len(meeting.players) + [0])
            got = told[meeting]
            assert rounds > total[-1] or total[0] == total[1]  # it goes on only while it is level
            total[:] = [had + new for had, new in zip(total, (*got, len(meeting.openings)), strict=True)]
    field = set(range(count))
    for stage in sorted(sums):
        assert sorted(player for players in sums[stage] for player in players) == sorted(field)
        field = set()
        for players, (*got, played) in sums[stage].items():
            best = max(got)
            field.add(players[got.index(best)])
            if len(players) == 2:
                assert played == rounds + extra if got.count(best) == 2 else rounds <= played <= rounds + extra
    assert len(field) == 1
    byes = sorted(player for meeting in waves[0] if len(meeting.players) == 1 for player in meeting.players)
    assert byes == list(range(len(byes)))  # the best seeds have them


def test_a_knockout_of_favourites():
    """If the better seed always wins, the first 2, 4 and 8 are left at the end."""
    waves = run_waves(knockout(13, 1, 2), lambda meeting: (2.0, 0.0)[: len(meeting.players)])
    fields = [sorted(player for meeting in wave for player in meeting.players) for wave in waves]
    assert fields == [list(range(size)) for size in (13, 8, 4, 2)]
    assert all(sum(pair) == 15 for pair in itertools.batched(bracket(16), 2)) if hasattr(itertools, "batched") else True


@given(st.integers(2, 9), st.integers(2, 3), st.integers(1, 3))
def test_round_robin_and_gauntlet(count, seats, rounds):
    (wave,) = run_waves(round_robin(count, seats, rounds), lambda meeting: (0.0,) * seats)
    assert {meeting.players for meeting in wave} == set(itertools.combinations(range(count), seats))
    assert len(wave) == len({meeting.players for meeting in wave})
    assert {meeting.openings for meeting in wave} <= {range(rounds)}
    first = min(2, count - seats + 1)
    if first > 0:
        (wave,) = run_waves(gauntlet(count, seats, rounds, first), lambda meeting: (0.0,) * seats)
        expected = {
            combination
            for combination in itertools.combinations(range(count), seats)
            if sum(player < first for player in combination) == 1
        }
        assert {meeting.players for meeting in wave} == expected
        assert len(wave) == len(expected)


# -- tournaments ------------------------------------------------------------------------------------------------------


def essence(rounds):
    """Rounds without times, in an order of their own."""
    plain = lambda record: (record.players, record.utilities, [ply.name for ply in record.plies])  # noqa: E731
    return sorted((key_of(each), list(map(plain, each.records))) for each in rounds)


def test_a_round_robin():
    """The stronger player wins each game: points, ranking and ratings say so."""
    found = of(Plays(3), Plays(9), Plays(5), Plays(5), games=4)
    rounds = list(found.run())
    standings = Standings(found, rounds)
    assert standings.schedule.is_over
    assert len(standings.played) == found.expected_games == 24
    assert [(each.place, each.name, each.points) for each in standings.table()] == [
        (1, "9+0", 12), (2, "5+0 #1", 6), (2, "5+0 #2", 6), (4, "3+0", 0),
    ]  # fmt: skip
    assert [player.name for player in standings.ratings().players][::3] == ["9+0", "3+0"]
    assert standings.ratings().superior["5+0 #1", "5+0 #2"] == pytest.approx(0.5)
    berger = {each.name: each.sonneborn_berger for each in standings.table()}
    assert berger["9+0"] == 4 * 0.5 + 4 * 0.5 + 4 * 0  # points against each, times their points per game
    assert berger["5+0 #1"] == 2 * 0.5 + 4 * 0


@pytest.mark.parametrize("form", ["round-robin", "gauntlet", "swiss", "knockout"])
def test_sums(form):
    """What a table adds up to, whichever rounds are over."""
    found = lucky(7, format=form, games=4, seed=3)
    standings = Standings(found)
    for number, each in enumerate(found.run(), 1):
        standings.add(each)
        assert standings.cross.sum() == len(standings.played) == 2 * number
        assert (standings.games == standings.games.T).all()
        table = standings.table()
        assert sum(row.points for row in table) == 2 * number
        assert sum(row.won for row in table) == sum(row.lost for row in table)
        assert sum(row.games for row in table) == 4 * number
    assert standings.schedule.is_over
    table = standings.table()
    assert sorted(row.player for row in table) == list(range(7))
    if form == "swiss":  # three stages, with a bye each
        assert sum(row.score for row in table) == 3 * 3 + 3
        assert len(standings.played) == found.expected_games == 3 * 3 * 4
    if form == "knockout":
        assert sorted(row.score for row in table)[-1] == 3
        assert [row.place for row in table] == [1, 2, 3, 3, 5, 5, 5]
    if form == "gauntlet":
        assert {row.games for row in table if row.player} == {4}


def test_the_table_of_a_swiss_tournament():
    """Against the definitions, pair by pair."""
    found = lucky(7, format="swiss", games=2, seed=4)
    rounds = list(found.run())
    points = {}
    for each in rounds:
        for order, record in zip(each.orders, each.records, strict=True):
            for seat, player in enumerate(order):
                key = player, order[1 - seat]
                points[key] = points.get(key, 0) + (record.utilities[seat] + 1) / 2
    result = {pair: (points[pair] > points[pair[::-1]]) + (points[pair] == points[pair[::-1]]) / 2 for pair in points}
    byes = {player for stage in range(3) for player in range(7) if not any(
        each.number == stage and player in each.orders[0] for each in rounds)}  # fmt: skip
    score = [sum(got for pair, got in result.items() if pair[0] == player) + (player in byes) for player in range(7)]
    assert len(byes) == 3
    for row in Standings(found, rounds).table():
        met = [other for player, other in result if player == row.player]
        assert row.score == score[row.player]
        assert row.buchholz == sum(score[other] for other in met) + (score[row.player] if row.player in byes else 0)
        assert row.sonneborn_berger == sum(result[row.player, other] * score[other] for other in met)
        assert row.points == sum(points[row.player, other] for other in met)
    keys = [(row.score, row.buchholz, row.sonneborn_berger, row.points) for row in Standings(found, rounds).table()]
    assert keys == sorted(keys, reverse=True)


def test_all_meetings_have_the_same_openings_and_luck():
    tournament = Tournament(Pig(goal=8), ("random",) * 3, games=4, openings=RandomOpenings(1), seed=5)
    dice, openings = {}, {}
    for each in tournament.run():
        openings.setdefault(each.number, set()).update(record.opening for record in each.records)
        for record in each.records:
            dice.setdefault(each.number, set()).add(next((ply.name for ply in record.plies if ply.player < 0), None))
    assert all(len(names) == 1 for names in openings.values())
    assert all(len(names - {None}) <= 1 for names in dice.values())
    assert len(set(map(str, openings.values()))) > 1


def test_three_seats():
    """All sets of three meet, in all orders of the seats; ratings are by Plackett and Luce's model."""
    found = of(*map(Plays, (1, 4, 7, 9)), game=Numbers(3), games=6)
    standings = Standings(found, list(found.run()))
    assert len(standings.played) == 4 * 6
    assert [each.name for each in standings.table()] == ["9+0", "7+0", "4+0", "1+0"]
    assert [player.name for player in standings.ratings().players] == ["9+0", "7+0", "4+0", "1+0"]
    assert standings.ratings().superior["9+0", "1+0"] > 0.95
    assert standings.cross[3].sum() == pytest.approx(18)  # it wins all 18
    assert standings.cross.sum() == pytest.approx(24 * 1.5)  # each game has a point for each pair, and two shares of it


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "cup"}, "round-robin"),
        ({"players": ("random",)}, "2 players or more"),
        ({"game": Numbers(3), "format": "swiss"}, "of two players"),
        ({"game": Numbers(3), "players": ("random",) * 2}, "3 players or more"),
        ({"game": Numbers(1)}, "one player"),
        ({"games": 0}, "games=0"),
        ({"extra": -1}, "extra=-1"),
        ({"challengers": 3}, "challengers=3"),
        ({"format": "swiss", "stages": 3}, "1 to 2 stages"),
        ({"format": "swiss", "stages": 0}, "1 to 2 stages"),
    ],
)
def test_wrong_tournaments(options, message):
    with pytest.raises(OutplayError, match=message):
        Tournament(**{"game": Numbers(), "players": ("random",) * 3, **options})


@pytest.mark.parametrize("workers", [1, 2])
def test_a_wrong_player_is_one_error_before_any_game(workers):
    games = []
    tournament = Tournament(TicTacToe(), ("random", "random", "rando"))
    with pytest.raises(OutplayError, match="did you mean random"):
        list(tournament.run(workers=workers, watch=lambda *_: games.append(1)))
    assert games == []


def test_only_some_players_are_kept():
    """A process closes the player that has not played for the longest time."""
    open_now, most = set(), []

    class Counted(Plays):
        def new_game(self, game, player, seed):
            open_now.add(self.number)
            most.append(len(open_now))
            super().new_game(game, player, seed)

        def close(self):
            open_now.discard(self.number)

    found = of(*(Counted(number % 10) for number in range(10)), games=2)
    list(found.run())
    assert max(most) <= contest.KEPT + 1
    assert open_now == set()


@pytest.mark.nightly
@pytest.mark.parametrize("form", ["swiss", "knockout"])
def test_a_tournament_is_the_same_on_any_number_of_processes(form):
    """Later stages wait for the results of earlier ones."""
    tournament = Tournament(TicTacToe(), ("random",) * 5, format=form, games=4, seed=2)
    assert essence(tournament.run(workers=2)) == essence(tournament.run())


CLUSTER = """
import os, random, signal, sys, time
from dataclasses import replace
from outplay.arena import Ladder, Tournament
from outplay.session.players import RandomPlayer
from outplay.games import TicTacToe
address, raylet = sys.argv[1:]

class Slow(RandomPlayer):
    def __init__(self, name):
        self.__name__ = name
    def __call__(self, game):
        return self
    def choose(self, view, clock):
        time.sleep(0.05)
        return super().choose(view, clock)

def plain(found):
    plies = lambda record: [replace(ply, seconds=0.0, waited=0.0) for ply in record.plies]
    records = [replace(record, plies=plies(record)) for record in found.records]
    return found.orders[0], found.number, repr(records)

def is_same(name, contest, kill_after=None):
    found, alive = [], None
    for each in contest.run(cluster=address):
        found.append(each)
        if len(found) == kill_after:
            os.kill(int(raylet), signal.SIGKILL)
        import ray
        alive = sum(node["Alive"] for node in ray.nodes())
    print(name, sorted(map(plain, found)) == sorted(map(plain, contest.run())), "of", len(found), "nodes", alive)

game, bots = TicTacToe(), [Slow(name) for name in "abcde"]
is_same("swiss", Tournament(game, tuple(bots), format="swiss", games=6, seed=2))
is_same("knockout", Tournament(game, tuple(bots), format="knockout", games=12, seed=2), kill_after=3)
is_same("ladder", Ladder(game, tuple(bots[:3]), games=6, seed=2))
"""


@pytest.mark.nightly
def test_a_node_of_a_cluster_is_killed_in_the_middle_of_a_knockout(tmp_path):
    """Later stages depend on results, and yet a cluster plays the same games. It takes a minute to start two nodes of
    Ray and to end them.
    """
    pytest.importorskip("ray")
    (tmp_path / "script.py").write_text(CLUSTER)
    with two_nodes(6447) as raylet:
        done = subprocess.run(
            [sys.executable, "script.py", "127.0.0.1:6447", raylet],
            cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
    assert re.findall(r"(\w+) True of \d+ nodes (\d)", done.stdout) == [
        ("swiss", "2"), ("knockout", "1"), ("ladder", "1")
    ], done.stdout + done.stderr  # fmt: skip


# -- the record -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["round-robin", "gauntlet", "swiss", "knockout"])
def test_a_tournament_goes_on_where_its_record_ends(tmp_path, form):
    """Wherever it was cut, also in the order in which many processes write."""
    found, path, random = lucky(6, format=form, games=4, seed=9), tmp_path / "cup.jsonl", Random(form)
    whole = list(found.run())
    for cut in [0, random.randrange(len(whole)), len(whole)]:
        path.unlink(missing_ok=True)
        with MatchLog(path, found) as log:
            for each in whole[:cut]:
                log.add(each)
        with MatchLog(path, found, resume=True) as log:
            before = random.sample(log.rounds, len(log.rounds))
            for each in found.run(done=before):
                log.add(each)
        rounds = read_log(path)[1]
        assert essence(rounds) == essence(whole)
        assert Standings(found, rounds).table() == Standings(found, whole).table()


@pytest.mark.parametrize("form", ["round-robin", "gauntlet"])
def test_more_games(tmp_path, form):
    """A tournament of one stage goes on with more games for each meeting."""
    path, short, long = tmp_path / "cup.jsonl", lucky(4, format=form, games=2), lucky(4, format=form, games=6)
    with MatchLog(path, short) as log:
        for each in short.run():
            log.add(each)
    with MatchLog(path, long, resume=True) as log:
        assert essence([*log.rounds, *long.run(done=log.rounds)]) == essence(long.run())


def test_the_record_of_another_tournament_is_refused(tmp_path):
    path, found = tmp_path / "cup.jsonl", lucky(5, format="swiss")
    MatchLog(path, found).close()
    for other in (
        lucky(5),
        lucky(5, format="swiss", games=2),
        lucky(4, format="swiss"),
        lucky(5, format="swiss", seed=1),
    ):
        with pytest.raises(LogError, match="is of another match, which differs in"):
            MatchLog(path, other, resume=True)
    strange = next(Match(Numbers(), (Plays(1), Plays(2)), games=2, openings=PLAIN).run())
    with pytest.raises(OutplayError, match="has no place in this tournament"):
        Schedule(found, [strange])


# -- the command ------------------------------------------------------------------------------------------------------


def outplay(*arguments, **options):
    return CliRunner().invoke(app, ["tournament", "tic-tac-toe", *arguments], **options)


THREE = ("random", "weak=random", "random")


def test_the_command(tmp_path):
    path = tmp_path / "cup.jsonl"
    shown = outplay(*THREE, "--games", "4", "--record", str(path), "--every", "4")
    assert shown.exit_code == 0
    assert re.search(r"1  (weak|random #[12]) +\d", shown.stdout)
    assert "stronger than the next" in shown.stdout
    assert len(re.findall(r"games: 1\. ", shown.stderr)) == 3
    assert outplay(*THREE, "--games", "4", "--record", str(path)).exit_code == 2
    found = json.loads(outplay(*THREE, "--games", "4", "--record", str(path), "--resume", "--json").stdout)
    assert found["games"] == 12
    assert found["finished"]
    assert [each["place"] for each in found["standings"]] == [1, 2, 3]
    assert len(found["superior"]) == 2
    assert sum(map(sum, found["cross_table"])) == 12


@pytest.mark.parametrize(("form", "words"), [("swiss", ("bye", "Buchholz")), ("knockout", ("stage 2", "meetings won"))])
def test_stages_are_shown(form, words):
    shown = outplay(*THREE, "--games", "2", "--format", form)
    assert shown.exit_code == 0
    assert all(word in shown.stdout for word in words)
    found = json.loads(outplay(*THREE, "--games", "2", "--format", form, "--json").stdout)
    assert len(found["stages"]) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("random",), "2 players or more"),
        ((*THREE, "rando"), "did you mean random"),
        ((*THREE, "--format", "cup"), "format='cup'"),
        ((*THREE, "--format", "swiss", "--stages", "9"), "1 to 2 stages"),
        ((*THREE, "--resume"), "--record"),
        ((*THREE, "human", "--workers", "2"), "in one process"),
        ((*THREE, "alpha-beta", "--simulations", "50"), "alpha-beta cannot be limited by simulations"),
    ],
)
def test_wrong_commands(arguments, message):
    found = outplay(*arguments)
    assert found.exit_code == 2
    assert message in " ".join(found.output.split())


def test_a_wrong_player_leaves_no_record(tmp_path):
    path = tmp_path / "cup.jsonl"
    assert outplay(*THREE, "rando", "--record", str(path)).exit_code == 2
    assert not path.exists()
    assert outplay(*THREE, "--games", "2", "--record", str(path)).exit_code == 0
    content = path.read_bytes()
    assert outplay(*THREE, "rando", "--games", "2", "--record", str(path), "--resume").exit_code == 2
    assert path.read_bytes() == content


def test_ctrl_c_keeps_what_there_is():
    """`quit` of a person is Ctrl-C: in the third meeting here, after two whole rounds."""
    found = outplay("random", "random", "random", "me=human", "--games", "2", "--json", input="quit\n")
    assert found.exit_code == 130
    data = json.loads(found.stdout[found.stdout.index('{\n  "players"') :])
    assert data["interrupted"]
    assert not data["finished"]
    assert data["games"] == 4
