"""Settings of matches: limits for all players, balanced openings, people at the terminal, and when a match ends."""

import io
import os
import re
import sys
import time
import warnings
from dataclasses import replace
from random import Random

import pytest
from rich.console import Console
from typer.testing import CliRunner

from outplay import AlphaBeta, Limit
from outplay.arena.adjudication import Adjudication
from outplay.arena.balance import Balance
from outplay.arena.contest import names_of, player_from
from outplay.arena.ladder import Ladder
from outplay.arena.match import Match, Score, play_round
from outplay.arena.naming import PlayerSpec, player_named
from outplay.arena.openings import RandomOpenings
from outplay.arena.referee import Terms, play_game
from outplay.arena.sequential import SequentialTest
from outplay.arena.tournament import Tournament
from outplay.cli.commands import app
from outplay.cli.contest import Agreement, openings_of, read_balance, terms_of
from outplay.cli.contest import Balance as Margin
from outplay.cli.match_display import MatchDisplay
from outplay.engine.clock import Clock
from outplay.games import Chess, Pig, TicTacToe
from outplay.parallel import LATER, finished_jobs
from outplay.rules.errors import OutplayError

GAME = TicTacToe()


class First:
    """Plays the first legal action."""

    def choose(self, view, clock):
        return view.legal[0]


# -- players ----------------------------------------------------------------------------------------------------------


def test_two_matches_at_once_have_players_of_their_own():
    """The end of one does not close the players of the other."""
    made, closed = [], []

    class Bot(First):
        def close(self):
            closed.append(self)

    def bot(game):
        made.append(Bot())
        return made[-1]

    one, other = (Match(GAME, (bot, "random"), games=6).run() for _ in range(2))
    next(one), next(other)
    assert len(made) == 2
    one.close()
    assert closed == [made[0]]
    assert len(list(other)) == 2
    assert closed == made
    assert len(made) == 2


def test_the_same_player_twice():
    """They are two players, with a memory each, and names of their own."""
    made = []

    def bot(game):
        made.append(First())
        return made[-1]

    list(Match(GAME, (bot, bot), games=2).run())
    assert len(made) == 2
    assert names_of([bot, PlayerSpec.read("new=random"), bot]) == ("bot #1", "new", "bot #2")
    match = Match(GAME, ("new = mcts", "b=random"), labels=("x", "y"))
    assert match.names == ("x", "y")
    assert Match(GAME, ("new=random", "b.2=random")).names == ("new", "b.2")
    assert type(player_named("new=random", GAME)) is type(player_named("random", GAME))


def test_the_first_fault_decides():
    class Bad(First):
        def new_game(self, game, player, seed):
            raise ZeroDivisionError(f"of {player}")

    record = play_game(GAME, [Bad(), Bad()], ["one", "two"])
    assert record.reason.startswith("error: ZeroDivisionError: of 0 at ")
    assert record.guilty == 0
    assert record.utilities == (-1.0, 1.0)
    assert record.plies == []


# -- limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("alpha-beta", Limit(nodes=50), Limit(nodes=50)),
        ("alpha-beta(depth=3)", Limit(nodes=50), Limit(depth=3)),
        ("alpha-beta", Limit(depth=4, simulations=9), Limit(depth=4)),
        ("mcts", Limit(depth=4, simulations=9), Limit(simulations=9)),
        ("mcts(rave=true)", Limit(simulations=9), Limit(simulations=9)),
    ],
)
def test_a_limit_for_players_without_one(text, limit, expected):
    assert player_named(text, GAME, limit).limit == expected
    assert player_named("alpha-beta(level=2)", GAME, limit).limit == player_named("alpha-beta(level=2)", GAME).limit
    assert player_named("random", GAME, limit).choose


class Interpreted(TicTacToe):
    """Compiling would take longer than playing."""

    compiled = False


def test_the_limit_is_kept():
    """Searches without a limit of their own have that of the match."""

    def most(nodes):
        (found,) = Match(Interpreted(), ("alpha-beta", "random"), games=2, limit=Limit(nodes=nodes)).run()
        return max(ply.nodes or 0 for record in found.records for ply in record.plies)

    assert most(5) < 10
    assert 50 < most(100) < 110


CONTESTS = {
    "match": lambda *players, **more: Match(GAME, players, **more),
    "tournament": lambda *players, **more: Tournament(GAME, players, **more),
    "ladder": lambda *players, **more: Ladder(GAME, players, **more),
    "balance": lambda *players: Balance(GAME, players),
}


def texts(contest):
    return tuple(map(str, contest.players))


@pytest.mark.parametrize("contest", CONTESTS)
def test_nobody_thinks_for_ever(contest):
    """A search that nothing limits has 0.1 s for each move, and its name says so; but for one that shall be exact."""
    with pytest.warns(UserWarning, match=r"^new, Mcts\(rave=true\): 0.1 s for each move") as told:
        found = CONTESTS[contest]("new=alpha-beta", "Mcts(rave=true)")
    assert told[0].filename == __file__
    assert texts(found) == ("new=alpha-beta(seconds=0.1)", "Mcts(rave=true, seconds=0.1)")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = replace(found)
        assert again.players == found.players
        for players in (
            ("alpha-beta(exact=true)", "mcts(simulations=9)"),
            ("alpha-beta(level=2)", "alpha-beta(elo=300)"),
            ("minimax", "random"),
            ("gtp:gnugo", "my_bot.py:Bot"),
            ("nonsense", "book:(x)"),
        ):
            assert texts(CONTESTS[contest](*players)) == players
        if contest != "balance":
            for terms in Terms(seconds=1), Terms(clock=Clock(60)):
                assert texts(CONTESTS[contest]("alpha-beta", "random", terms=terms)) == ("alpha-beta", "random")
    with pytest.warns(UserWarning, match="uci:x, openspiel:mcts: 0.1 s"):
        found = CONTESTS[contest]("uci:x", "openspiel:mcts")
    assert texts(found) == ("uci:x(seconds=0.1)", "openspiel:mcts(seconds=0.1)")


def test_a_limit_that_is_none_for_a_player():
    for name in "alpha-beta", "new=alpha_beta(table_mb=1)":
        with pytest.raises(OutplayError, match=r"cannot be limited by simulations.*: .*alpha.beta\(seconds=0.1\)$"):
            Match(GAME, (name, "mcts"), limit=Limit(simulations=5))
    for terms in Terms(seconds=1), Terms(clock=Clock(60)):
        match = Match(GAME, ("alpha-beta", "mcts"), limit=Limit(simulations=5), terms=terms)
        assert player_from(match.players[0], GAME, match.limit).limit == Limit()


def test_exact_play_is_asked_for():
    """It is not limited by what the match has for others, and it is not asked of searches that never know."""
    with pytest.warns(UserWarning, match="0.1 s"):
        assert player_from(Match(GAME, ("mcts", "random")).players[0], GAME, Limit()).limit == Limit(seconds=0.1)
    assert player_named("alpha-beta(exact=true)", GAME, Limit(nodes=9)).limit == Limit()
    (found,) = Match(GAME, ("alpha-beta(exact=true)", "minimax"), games=2, openings=RandomOpenings(3)).run()
    for record in found.records:
        assert all(ply.exact for ply in record.plies if ply.value is not None)
        assert any(ply.exact for ply in record.plies)
    for wrong, words in (
        ("alpha-beta(exact=true, depth=3)", "write exact=true, without a limit"),
        ("alpha-beta(exact=false)", "or leave it out"),
        ("ismcts(exact=true)", "never knows"),
    ):
        with pytest.raises(OutplayError, match=words):
            player_named(wrong, GAME)


UCI = """
import sys
import time
for line in sys.stdin:
    told = {"uci": "uciok", "isready": "readyok"}.get(line.strip())
    print("bestmove " + line.strip().replace(" ", "_") if line.startswith("go ") else told or "", flush=True)
"""


def test_limits_of_other_programs(tmp_path):
    """They are told what they know of the limit; a program that nothing limits is refused before any game."""
    path = tmp_path / "program.py"
    path.write_text(UCI)
    name = f"uci:{sys.executable} {path}"

    def answers(text, **limits):
        player = player_from(text, Chess(), Limit(**limits))
        record = play_game(Chess(), [player, First()], ["one", "two"])
        player.close()
        return record.reason

    assert answers(name, nodes=700, simulations=9) == "illegal move: go_nodes_700"
    assert answers(name, depth=3) == "illegal move: go_depth_3"
    assert answers(f"{name}(nodes=5)", depth=3) == "illegal move: go_nodes_5"
    with pytest.raises(OutplayError, match=r"cannot be limited by simulations.*\(seconds=0.1\)"):
        Match(Chess(), (name, "random"), limit=Limit(simulations=9))
    assert (
        answers(name)
        == "error: nothing limits " + name.removeprefix("uci:") + ": give seconds, depth or nodes, or a clock"
    )


# -- the sequential test ----------------------------------------------------------------------------------------------


def test_a_test_counts_rounds_in_order():
    """Whichever were over first, the score is that of the rounds up to the one that decides."""
    test = SequentialTest(0, 200)
    match = Match(GAME, ("random", lambda game: First()), games=400, test=test, seed=3)
    rounds = list(match.run())
    assert len(rounds) < match.rounds
    assert [each.number for each in rounds] == list(range(len(rounds)))
    expected = Score()
    for each in rounds:
        assert not test.verdict(expected.pairs)
        expected.add(each)
    assert test.verdict(expected.pairs)
    more = [play_round((match, number)) for number in range(len(rounds), len(rounds) + 5)]
    for seed in range(5):
        mixed, score = [*rounds, *more], Score(test)
        Random(seed).shuffle(mixed)
        for each in mixed:
            score.add(each)
        assert (score.games, score.pairs, score.faults) == (expected.games, expected.pairs, expected.faults)
        assert score.verdict == test.verdict(expected.pairs)


def test_a_match_that_was_decided_is_over():
    test = SequentialTest(0, 200)
    match = Match(GAME, ("random", "random"), games=400, test=test, seed=1)
    rounds = list(match.run())
    assert list(match.run(done=rounds[::-1])) == []
    assert [each.number for each in match.run(done=rounds[3:])] == [0, 1, 2]


# -- jobs that wait for results ---------------------------------------------------------------------------------------


def double(number):
    return 2 * number


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.nightly)])
def test_jobs_that_depend_on_results(workers):
    """Of three stages, each has the results of the one before as arguments."""
    results, given = [], []

    def arguments():
        wave = [1, 2, 3]
        for stage in range(1, 4):
            given.extend(wave)
            yield LATER  # it is no job, and has no number
            yield from wave
            while len(results) < 3 * stage:
                yield LATER
            wave = sorted(results[-3:])

    for result in finished_jobs(double, arguments(), workers=workers):
        results.append(result.value)
        assert result.argument == given[result.number]
    assert sorted(results) == sorted([2, 4, 6, 4, 8, 12, 8, 16, 24])


@pytest.mark.nightly
def test_all_workers_have_jobs_that_depend_on_results():
    """Although there is a single job at first."""
    processes = set()

    def arguments():
        yield 0
        while not processes:
            yield LATER
        yield from range(1, 20)

    for result in finished_jobs(process_of, arguments(), workers=2):
        processes.add(result.value)
    assert len(processes) == 2


def process_of(number):
    time.sleep(0.02)
    return os.getpid()


@pytest.mark.nightly
def test_jobs_that_nothing_can_begin():
    with pytest.raises(OutplayError, match="although none is running"):
        list(finished_jobs(double, iter([1, LATER, LATER, LATER, LATER]), workers=2))


# -- the command ------------------------------------------------------------------------------------------------------


def outplay(*arguments, **options):
    return CliRunner().invoke(app, ["match", *arguments], **options)


def test_balanced_openings():
    """Of the openings of a match, a search to that depth finds none decided; without it, it finds some."""
    assert read_balance("6:.05") == Margin(6, 0.05)
    game = Interpreted()
    searcher, openings = AlphaBeta(game), openings_of(game, RandomOpenings(5), None, Margin(9, 0.3))

    def values(openings):
        return {searcher.search(openings.opening(game, number, 1).states[-1]).value for number in range(6)}

    assert values(openings) == {0.0}
    assert values(RandomOpenings(5)) - {0.0}
    assert openings_of(game, None, None, None) == RandomOpenings()
    assert openings_of(Pig(), None, None, Margin(2, 0.1)).searcher.game.has_chance


def test_adjudication_by_options():
    rules = terms_of(GAME, None, None, 50, Agreement(0.9, 8), Agreement(0.05, None), True, None).adjudication
    assert rules == Adjudication(resign=0.9, resign_plies=8, draw=0.05, proved=True)
    assert terms_of(GAME, 2, None, 50, None, None, False, None) == Terms(2, None, 50, Adjudication())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tic-tac-toe", "random", "random", "--resign", "0"), "write a share above 0"),
        (("tic-tac-toe", "random", "random", "--draw", "0.1:0"), "write a share above 0"),
        (("tic-tac-toe", "random", "random", "--balanced", "x"), "write a depth"),
        (("tic-tac-toe", "random", "random", "--balanced", "0"), "write a depth"),
        (("kuhn-poker", "random", "random", "--balanced", "3"), "without hidden information"),
        (("pig(players=3)", "random", "random", "random", "--balanced", "3"), "of two players"),
        (("tic-tac-toe", "random", "human", "--workers", "2"), "in one process"),
        (("tic-tac-toe", "random", "random", "--nodes", "0"), "--nodes"),
        (("tic-tac-toe", "alpha-beta", "random", "--simulations", "9"), "cannot be limited by simulations"),
    ],
)
def test_wrong_commands(arguments, message):
    found = outplay(*arguments)
    assert found.exit_code == 2
    assert message in " ".join(found.output.split())


def test_balanced_openings_are_random_ones(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("a1 b2\n")
    found = outplay("tic-tac-toe", "random", "random", "--openings", str(path), "--balanced", "3")
    assert found.exit_code == 2
    assert "not among those of a file" in " ".join(found.output.split())


def test_the_event_of_a_record(tmp_path):
    """In the record, and in the formats of other programs that have a place for it."""
    game = ("random", "random", "--games", "2", "--max-plies", "4", "--event", "Cup [1]")
    for name, ending, line in (
        ("tic-tac-toe", "jsonl", '"event":"Cup [1]"'), ("chess", "pgn", '[Event "Cup [1]"]'),
        ("hex(n=3)", "sgf", "EV[Cup [1\\]]"), ("english-draughts", "pdn", '[Event "Cup [1]"]'),
    ):  # fmt: skip
        path = tmp_path / f"games.{ending}"
        assert outplay(name, *game, "--record", str(path)).exit_code == 0
        assert line in path.read_text()


def test_progress_for_a_file():
    """With --every, a line on standard error each time so many games are over."""
    found = outplay("tic-tac-toe", "a=random", "b=random", "--games", "20", "--every", "6")
    lines = found.stderr.splitlines()
    assert [line.split()[0] for line in lines] == ["6", "12", "18"]
    assert all("a against b: " in line and " Elo (" in line for line in lines)
    assert outplay("tic-tac-toe", "a=random", "b=random", "--games", "20").stderr == ""


def test_a_typo_is_told_as_it_was_written():
    found = outplay("tic-tac-toe", "alpha-beta(detph=1)", "random")
    assert found.exit_code == 2
    assert "alpha-beta(detph=1): alpha-beta has no option 'detph'; did you mean depth?" in found.stderr
    assert "Warning" not in found.stderr


def test_the_first_fault_of_each_kind_is_told(capsys):
    class Wrong(First):
        games = 0

        def new_game(self, game, player, seed):
            self.games += 1

        def choose(self, view, clock):
            return 76 + self.games if self.games < 3 else 1 // 0

    def wrong(game):
        return Wrong()

    match = Match(GAME, (wrong, "random"), games=6)
    display = MatchDisplay(match)
    for each in match.run():
        display.add(each)
    display.print()
    told = capsys.readouterr().out
    assert "first illegal move of wrong: 77\n" in told
    assert "first error of wrong: ZeroDivisionError" in told
    assert "78" not in told
    found = display.as_dict()["first_faults"]
    assert [sorted(each) for each in found] == [["error", "illegal move"], []]


def test_numbers_are_whole_in_a_narrow_terminal():
    match = Match(GAME, ("a_player_with_a_long_name=random", "another=random"), games=2)
    display = MatchDisplay(match)
    for each in match.run():
        display.add(each)
    console = Console(width=70, file=io.StringIO())
    console.print(display.table())
    shown = console.file.getvalue()
    assert "…" not in shown
    assert "50.0%" in shown
    assert "own faults" in shown


def test_a_person_plays():
    """Legal moves are played, wrong ones are asked for again, and the board is shown."""
    first = ["help", "z9", "a1", "a1", "moves", "legal", "board", "resign"]
    second = [f"{column}{row}" for row in "123" for column in "abc"]  # each is legal, or asked for again
    arguments = ("ann=human", "random", "--games", "2", "--openings", "0", "--clock", "9:00")
    found = outplay("tic-tac-toe", *arguments, input="\n".join([*first, *second, ""]))
    assert found.exit_code == 0
    text = found.stdout
    assert "ann is player 0" in text
    assert "ann is player 1" in text
    assert "give this game up" in text
    assert "time left: 9:00" in text
    assert "'z9' is not a legal action here" in text
    assert "'a1' is not a legal action here" in text
    move = re.search(r"player 1 plays (..)\n", text)[1]  # what the other one did
    assert f"moves\na1 {move}\n" in text
    assert f"legal\n{' '.join(each for each in second if each not in ('a1', move))}\n" in text
    assert text.count("The game is over: ") == 1
    assert re.search(r"^ann – random: -1 \+1 \(resigned\)$", text, re.MULTILINE)
    assert re.search(r"^random – ann: .* \(rules\)$", text, re.MULTILINE)


def test_a_person_who_leaves():
    found = outplay("tic-tac-toe", "human", "random", "--games", "4", input="")
    assert found.exit_code == 130
    assert "interrupted before the first round was over" in found.stdout


def test_a_person_sees_only_what_it_may():
    found = outplay("kuhn-poker", "human", "random", "--games", "2", input="legal\nresign\nresign\n")
    assert found.exit_code == 0
    assert re.findall(r"sees: (.*)", found.stdout)
    assert all(re.fullmatch("[JQK](, (bet|pass))?", text) for text in re.findall(r"sees: (.*)", found.stdout))
    assert "plays" not in found.stdout
