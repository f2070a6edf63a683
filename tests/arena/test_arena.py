"""Matches: the referee, players by name, openings, rounds on several processes, and the record of a match."""

import gc
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from outplay import AlphaBeta, Book, BookEntry, Limit, legal_actions
from outplay.arena import patience
from outplay.arena.adjudication import Adjudication, Adjudicator
from outplay.arena.contest import Players, Repeats
from outplay.arena.log import LogError, MatchLog, as_line, game_as_json, read_log, round_as_json, round_of_json
from outplay.arena.match import Match, Score, play_round
from outplay.arena.naming import player_named
from outplay.arena.openings import ListedOpenings, RandomOpenings
from outplay.arena.referee import Opening, Terms, play_game
from outplay.arena.waiting import Waiting, seconds_ready
from outplay.cli.commands import app
from outplay.compile.fingerprint import Fingerprint
from outplay.engine.clock import Clock
from outplay.games import ConnectFour, KuhnPoker, LeducPoker, Nim, Pig, TicTacToe
from outplay.rules.errors import OutplayError
from outplay.session import Session
from outplay.session.players import RandomPlayer, Reply
from outplay.session.view import Hidden, view_of

GAME = TicTacToe()


class First:
    """Plays the first legal action, or what it is told."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def choose(self, view, clock):
        answer = self.answers.pop(0) if self.answers else None
        if callable(answer):
            answer = answer()
        return view.legal[0] if answer is None else answer


def played(*players, game=GAME, **options):
    return play_game(game, players, ["one", "two"], **options)


# -- the referee ------------------------------------------------------------------------------------------------------


def test_a_game_by_the_rules():
    record = played(First(), First())
    state, mover = GAME.initial_state(), 0
    for ply in record.plies:  # it is what the first legal actions lead to
        assert ply.player == mover == GAME.to_move(state)
        action = next(iter(legal_actions(GAME, state)))
        assert ply.name == GAME.action_name(state, action)
        state, mover = GAME.result(state, action), 1 - mover
    assert GAME.is_terminal(state)
    assert (record.utilities, record.reason, record.guilty) == ((1.0, -1.0), "rules", None)


def raised():
    raise ZeroDivisionError("my bug")


class Odd(Exception):
    def __str__(self):
        raise ValueError


def raised_odd():
    raise Odd


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Reply(2, value="high"), "error: OutplayError: the value of its reply is 'high'"),
        (Reply(2, nodes=2.5), "error: OutplayError: the nodes of its reply is 2.5"),
        (lambda: 10**5000, "illegal move: <int>"),
        (lambda: "x" * 10**6, "illegal move: 'xxx"),
        (raised_odd, "error: Odd"),
        (77, "illegal move: 77"),
        ("a9", "illegal move: 'a9'"),
        (Reply(3.5), "illegal move: 3.5"),
        (np.array([1, 2]), "illegal move"),
        (raised, "error: ZeroDivisionError: my bug"),
        (lambda: sys.exit(3), "error: SystemExit"),
        (lambda: time.sleep(0.2), "time: 0.2"),
    ],
)
def test_a_player_loses_by_what_it_does(answer, reason):
    record = played(First(None, answer), First(), terms=Terms(seconds=0.01))
    assert record.reason.startswith(reason)
    assert (record.utilities, record.guilty) == ((-1.0, 1.0), 0)
    assert len(record.plies) == 2
    assert len(record.reason) < 1000


def test_numbers_of_other_kinds_are_plain_in_a_record():
    """They can be written as JSON, and the rules get their own action."""
    reply = Reply(np.float64(1), np.float32(0.5), np.bool_(True), np.int32(3), np.uint64(7))
    record = played(First(reply, Reply(2.0, value=np.nan), Reply(4, value=-np.inf)), First())
    assert [type(action) for action in record.actions] == [int] * len(record.actions)
    first, _, third, *_ = json.loads(as_line(game_as_json(record)), parse_constant=pytest.fail)["plies"]
    assert (first["value"], first["exact"], first["depth"], first["nodes"]) == (0.5, True, 3, 7)
    assert "value" not in third
    assert record.reason == "rules"


class Broken(Nim):
    def result(self, state, action):
        found = super().result(state, action)
        return found if found.heaps.sum() > 9 else 1 // 0


def test_what_the_rules_do_wrong_is_no_fault_of_a_player():
    with pytest.raises(ZeroDivisionError):
        played(First(), First(), game=Broken())


def test_a_clock():
    slow = played(First(lambda: time.sleep(0.2)), First(), terms=Terms(clock=Clock(0.02)))
    assert slow.reason.startswith("time: ")
    assert slow.guilty == 0
    left = []

    class Watched(First):
        def choose(self, view, clock):
            left.append(clock.seconds)
            time.sleep(0.01)
            return super().choose(view, clock)

    played(Watched(), First(), terms=Terms(clock=Clock(50, increment=0.001)))
    assert left[0] == 50
    assert all(later <= sooner - 0.008 for sooner, later in itertools.pairwise(left))


def test_a_bot_starts_without_the_statistics(python):
    """A process of its own needs neither SciPy nor the rest of the arena: they take most of the time to start."""
    heavy = {"scipy", "outplay.arena.match", "outplay.engine.searcher"}
    assert python("-c", f"import sys; import outplay.arena.hosted; print({heavy} & set(sys.modules))") == "set()"


def test_waiting_of_a_player_in_this_process():
    """A player who sleeps does not get the processor; one who is another program waits only if it is ready to run."""
    waiting = Waiting(First())
    time.sleep(0.1)
    assert waiting.among(0.1) > 0.05
    assert waiting.among(0.0) == 0
    assert seconds_ready(os.getpid()) >= 0
    assert seconds_ready(0) == 0  # no process


def test_resigning_and_length():
    assert played(First(None, Reply(None)), First()).reason == "resigned"
    assert played(First(None, Reply(None)), First()).utilities == (-1.0, 1.0)
    assert played(First(), First(), terms=Terms(max_plies=3)).reason == "length"
    assert played(First(), First(), terms=Terms(max_plies=3)).utilities == (0.0, 0.0)


class Telling(First):
    """Tells a value with each action."""

    def __init__(self, values, exact=False):
        super().__init__()
        self.values, self.exact = iter(values), exact

    def choose(self, view, clock):
        return Reply(view.legal[0], next(self.values), self.exact)


def test_games_that_are_over_before_the_rules_say_so():
    game = Nim((40,))

    def ended(rules, one, other, exact=False):
        record = played(Telling(one, exact), Telling(other, exact), game=game, terms=Terms(adjudication=rules))
        return record.reason, record.utilities, len(record.plies)

    won, lost, even = [0.95] * 40, [-0.95] * 40, [0.01] * 40
    resign, draw = Adjudication(resign=0.9, resign_plies=6), Adjudication(draw=0.05, draw_plies=8)
    assert ended(resign, won, lost) == ("resigned", (1.0, -1.0), 6)
    assert ended(resign, lost, won) == ("resigned", (-1.0, 1.0), 6)
    assert ended(resign, won, won)[0] == "rules"  # they do not agree
    assert ended(resign, [0.95] * 2 + [0.1] + [0.95] * 37, lost) == ("resigned", (1.0, -1.0), 11)
    assert ended(draw, even, even) == ("agreed", (0.0, 0.0), 8)
    assert ended(draw, even, lost)[0] == "rules"
    assert ended(Adjudication(), even, even)[0] == "rules"
    proved = Adjudication(proved=True)
    assert ended(proved, [1.0] * 40, [-1.0] * 40, exact=True) == ("proved", (1.0, -1.0), 2)
    assert ended(proved, [1.0] * 40, [-1.0] * 40)[0] == "rules"
    assert ended(proved, [1.0] * 40, [1.0] * 40, exact=True)[0] == "rules"


class Known:
    """A look-up that knows the value of states with four empty squares: whoever is to move wins."""

    def look_up(self, game, state):
        left = len(list(legal_actions(game, state)))
        return BookEntry(value=1.0, kind="exact", distance=None, action=None) if left == 4 else None


def test_a_table_ends_games():
    record = played(First(), First(), terms=Terms(adjudication=Adjudication(table=Known())))
    assert (record.reason, len(record.plies)) == ("table", 5)
    assert record.utilities == (-1.0, 1.0)  # player 1 is to move then


@pytest.mark.parametrize(
    ("game", "rules", "message"),
    [
        (Pig(players=3), {"proved": True}, "two opposed players"),
        (GAME, {"resign": 0}, "resign=0"),
        (GAME, {"draw": 0.1, "draw_plies": 0}, "draw_plies=0"),
    ],
)
def test_wrong_adjudication(game, rules, message):
    with pytest.raises(OutplayError, match=message):
        Adjudicator(game, Adjudication(**rules))


def test_luck_is_the_same_for_all_seats():
    """Both games of a round have the same dice, as long as they last."""
    match = Match(Pig(goal=20), ("random", "random"), games=2)
    found = play_round((match, 0))
    dice = [[ply.name for ply in record.plies if ply.player < 0] for record in found.records]
    assert dice[0] != []
    short = min(map(len, dice))
    assert dice[0][:short] == dice[1][:short]
    other = play_round((match, 1))
    assert [ply.name for ply in other.records[0].plies if ply.player < 0][:short] != dice[0][:short]


def test_outcomes_of_chance_have_their_probabilities():
    game = Pig()
    state = game.result(game.initial_state(), next(iter(legal_actions(game, game.initial_state()))))
    session = Session(game, start=state, seed=3)
    drawn = [session.roll() for _ in range(3000)]
    for outcome in legal_actions(game, state):
        assert drawn.count(outcome) / 3000 == pytest.approx(game.probability(state, outcome), abs=0.03)


# -- views ------------------------------------------------------------------------------------------------------------


def reachable(start, depth=12):
    """All objects that can be reached from one by its references, but not by modules, classes or functions' globals."""
    seen, layer = {id(start)}, [start]
    for _ in range(depth):
        layer = [
            referent
            for referent in gc.get_referents(*layer)
            if id(referent) not in seen and not isinstance(referent, (type, type(sys)))
        ]
        seen.update(map(id, layer))
        yield from layer


def dealt_states(game, deals):
    states = [game.initial_state()]
    for action in deals:
        states.append(game.result(states[-1], action))
    return states


@pytest.mark.parametrize(("game", "deals"), [(KuhnPoker(), (1, 0)), (LeducPoker(), (1, 3))])
def test_a_player_of_a_hidden_game_has_no_state(game, deals):
    """Neither in what it is given, nor in anything that it holds."""
    states = dealt_states(game, deals)
    view = view_of(game, states, deals)
    assert view.information == game.information(states[-1], view.player)
    with pytest.raises(Hidden, match="hidden information"):
        _ = view.state
    assert not any(found is state for found in reachable(vars(view)) for state in states)
    assert {view.sample(seed) for seed in range(60)} > {states[-1]}  # what it samples is not only the truth


def test_what_can_be_seen_does_not_depend_on_what_is_hidden():
    """Two deals that look the same give the same view and the same samples."""
    game = KuhnPoker()
    one, other = (view_of(game, dealt_states(game, deals), deals, seed=4) for deals in ((1, 0), (1, 2)))
    assert one == other
    assert one.decoy == other.decoy
    assert [one.sample(seed) for seed in range(20)] == [other.sample(seed) for seed in range(20)]


def test_a_view_of_an_open_game():
    states = dealt_states(GAME, (4, 0))
    view = view_of(GAME, states, (4, 0))
    assert (view.state, view.states, view.actions) == (states[-1], tuple(states), (4, 0))
    assert (view.player, view.information) == (0, None)
    assert view.sample(1) == states[-1]


# -- players by name --------------------------------------------------------------------------------------------------


def test_players_by_name(tmp_path):
    limited = player_named("mcts(simulations=50, rave=true, selection=puct)", GAME)
    assert limited.limit == Limit(simulations=50)
    assert (limited.searcher.rave, limited.searcher.selection) == (True, "puct")
    assert player_named("Alpha_Beta(depth=2, seconds=0.5)", GAME).limit == Limit(depth=2, seconds=0.5)
    level = player_named("alpha-beta(level=2)", GAME)
    assert (level.limit.depth, level.share) == (1, 0.6)
    assert isinstance(player_named("random", GAME), RandomPlayer)
    book, file = Book(GAME), tmp_path / "corner.book"
    book.put(GAME.initial_state(), BookEntry(value=0.0, kind="exact", action=8))
    book.save(file)
    for name in (f"book:{file}", f"alpha-beta(depth=2, book={str(file)!r})"):
        record = played(player_named(name, GAME), First())
        assert (record.plies[0].name, record.plies[0].exact) == ("c3", True)
    bot = tmp_path / "my_bot.py"
    bot.write_text(
        "class Bot:\n    def __init__(self, place=0):\n        self.place = place\n"
        "    def choose(self, view, clock):\n        return view.legal[self.place]\n"
    )
    record = played(player_named(f"{bot}:Bot(-1)", GAME), player_named(f"{bot}:Bot", GAME))
    assert [ply.name for ply in record.plies][:2] == ["c3", "a1"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("alpha-beat", "did you mean alpha-beta"),
        ("alpha-beta(dept=3)", "did you mean depth"),
        ("alpha-beta(3)", "name each option"),
        ("alpha-beta(depth=0)", "depth"),
        ("alpha-beta(simulations=3)", "cannot be limited by simulations"),
        ("alpha-beta(level=11)", "from 0 to 10"),
        ("alpha-beta(level=3, depth=2)", "without other limits"),
        ("alpha-beta(table_mb=-1)", "table_mb"),
        ("alpha-beta(depth=", "is not a player"),
        ("random(3)", "name each option"),
        ("expectiminimax(depth=2)(", "is not a player"),
        ("no_bot.py:Bot", "no file"),
        ("book:no.book", "no.book"),
        ("", "is not a player"),
    ],
)
def test_wrong_names(text, message):
    with pytest.raises(OutplayError, match=message):
        player_named(text, GAME)


def test_wrong_bots(tmp_path):
    bot = tmp_path / "my_bot.py"
    lines = (
        "class Bot:",
        "    def __init__(self): raise ValueError('no')",
        "    def choose(self): ...",
        "class Other: ...",
    )
    bot.write_text("\n".join(lines))
    with pytest.raises(OutplayError, match="failed: ValueError: no"):
        player_named(f"{bot}:Bot", GAME)
    for name in ("Other", "Third"):
        with pytest.raises(OutplayError, match="not a class with a method choose"):
            player_named(f"{bot}:{name}", GAME)


BOTS = """
import os, time

class Bot:
    games = 0

    def new_game(self, game, player, seed):
        Bot.games += 1

    def choose(self, view, clock):
        print("this goes to standard error")
        assert len(view.states) >= 3 and len(view.legal) <= 7  # after the opening
        return view.legal[0]

class Crash(Bot):
    def choose(self, view, clock):
        return os._exit(5) if Bot.games % 3 == 0 else view.legal[0]

class Hang(Bot):
    def choose(self, view, clock):
        while True:
            time.sleep(0.01)

class Peek(Bot):
    def choose(self, view, clock):
        return view.legal[len(view.states)]  # none: it is a hidden game
"""


def children():
    """The processes that this one has started and that still exist, dead ones included."""
    command = ["ps", "--ppid", str(os.getpid()), "-o", "pid,args"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return [line for line in found.stdout.splitlines() if "outplay.parallel.worker" in line or "defunct" in line]


@pytest.mark.nightly
def test_bots_in_a_process_of_their_own(tmp_path, monkeypatch):
    """They may crash and hang: that costs them the game, they begin anew, and no process is left."""
    bots = tmp_path / "bots.py"
    bots.write_text(BOTS)
    monkeypatch.setattr(patience, "GRACE", 0.1)

    def faults(name, games, game=GAME, **options):
        score = Score()
        for each in Match(game, (f"{bots}:{name}", "random"), games=games, **options).run():
            score.add(each)
        return score.faults[0], score.games

    assert faults("Bot", 4)[0] == {}
    assert faults("Crash", 8)[0].keys() == {"crash"}
    assert 2 <= faults("Crash", 8)[0]["crash"] <= 8
    assert faults("Hang", 2, terms=Terms(seconds=0.01)) == ({"hang": 2}, [2, 0, 0])
    assert faults("Peek", 2, game=KuhnPoker())[0] == {}
    assert children() == []


TRICKS = """
import os, pickle

class Evil:
    def __reduce__(self):
        return os.system, ("echo > " + os.environ["OWNED"],)

class Tricks:
    games = 0

    def new_game(self, game, player, seed):
        Tricks.games += 1
        self.moves = 0

    def choose(self, view, clock):
        from outplay.arena import Reply
        self.moves += 1
        if self.games == 1:
            return Evil()
        if self.games == 2:
            return Reply(view.legal[0], value=Evil())
        if self.games == 3:
            raise Sneaky("no")
        if self.games == 4:
            return input()
        if self.games == 5:
            os.fork()  # both answer
            return view.legal[0]
        for number in range(100):  # it guesses the number of the question
            data = f"done {number}\\n".encode() + pickle.dumps(Evil())
            for file in range(3, 10):
                try:
                    os.write(file, len(data).to_bytes(8, "little") + data)
                except OSError:
                    pass

class Sneaky(Exception):
    def __reduce__(self):
        return os.system, ("",)

class Counts:
    games = []

    def new_game(self, game, player, seed):
        self.games.append(game)

    def choose(self, view, clock):
        from outplay.arena import Reply
        return Reply(view.legal[0], nodes=len(self.games), depth=os.getpid())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_what_a_bot_sends_runs_nothing_here(tmp_path, monkeypatch):
    """The state is here, so an answer that runs something would know what is hidden."""
    (tmp_path / "bots.py").write_text(TRICKS)
    monkeypatch.setenv("OWNED", str(tmp_path / "owned"))
    player = player_named(f"{tmp_path / 'bots.py'}:Tricks", GAME)
    reasons = []
    for _ in range(6):
        record = play_game(GAME, [player, First()], ["one", "two"])
        reasons.append(record.reason)
    player.close()
    assert [reason.partition(":")[0] for reason in reasons] == [
        *("illegal move", "error", "error", "error", "rules", "error")
    ]
    assert "the value of its reply is" in reasons[1]
    assert reasons[2].startswith("error: Sneaky: no")
    assert "EOFError" in reasons[3]
    assert "its answer cannot be read: b" in reasons[5]
    assert not (tmp_path / "owned").exists()


def test_a_bot_never_sees_the_same_luck_twice(tmp_path):
    """It would know the cards of the other player, who has those now that it had itself in the game before."""
    (tmp_path / "bots.py").write_text(TRICKS)
    match, players = Match(KuhnPoker(), (f"{tmp_path / 'bots.py'}:Counts", "random"), games=6), Players()
    try:
        rounds = [play_round((match, number), players) for number in (0, 1, 1)]
    finally:
        players.close()
    plies = [
        [next(ply for ply in record.plies if ply.nodes) for record in found.records]  # the first one of the bot
        for found in rounds
    ]
    assert [[ply.nodes for ply in each] for each in plies] == [[1, 1], [2, 2], [1, 1]]
    assert [len({ply.depth for ply in each}) for each in plies] == [2, 2, 2]
    assert {ply.depth for ply in plies[0]} == {ply.depth for ply in plies[1]}
    assert {ply.depth for ply in plies[0]}.isdisjoint(ply.depth for ply in plies[2])


@pytest.mark.nightly
def test_a_thousand_games_with_a_player_that_crashes(tmp_path):
    """Nothing is left of them: no process, no open file. Takes a minute."""
    bots = tmp_path / "bots.py"
    bots.write_text(BOTS)
    opened, score = len(os.listdir("/proc/self/fd")), Score()
    for each in Match(GAME, (f"{bots}:Crash", "random"), games=1000).run():
        score.add(each)
    assert sum(score.games) == 1000
    assert score.faults[0]["crash"] > 300
    assert children() == []
    assert len(os.listdir("/proc/self/fd")) <= opened


def test_a_search_player_plays_well_and_the_same_again():
    def moves(seed):
        players = [player_named("mcts(simulations=200)", GAME) for _ in range(2)]
        return tuple(ply.name for ply in played(*players, seed=seed).plies)

    assert moves(5) == moves(5)
    assert len({moves(seed) for seed in range(5, 10)}) > 1
    perfect = player_named("alpha-beta(depth=9)", GAME)
    for seed in range(3):
        assert played(perfect, RandomPlayer(), seed=seed).utilities[0] >= 0
    assert played(perfect, perfect).plies[0].exact


# -- openings ---------------------------------------------------------------------------------------------------------


def test_rules_are_compared_once_a_game(monkeypatch):
    """A search compares its rules with what it has compiled; in a game, only the first search does."""
    compared = []
    is_same = Fingerprint._is_same
    monkeypatch.setattr(Fingerprint, "_is_same", lambda self: compared.append(self) or is_same(self))
    game = TicTacToe()
    counts, player = [], player_named("alpha-beta(depth=1)", game)
    for opening in (0, 0, 5):
        states, actions = [game.initial_state()], []
        for _ in range(opening):
            actions.append(legal_actions(game, states[-1])[0])
            states.append(game.result(states[-1], actions[-1]))
        compared.clear()
        play_game(game, [player, player], ["one", "two"], Opening(tuple(states), tuple(actions)))
        counts.append(len(compared))
    assert counts[1] == counts[2] > 0  # a short game as often as a long one


def test_random_openings():
    openings = RandomOpenings(plies=3)
    found = [openings.opening(GAME, number, 7).actions for number in range(40)]
    assert found == [openings.opening(GAME, number, 7).actions for number in range(40)]
    assert len(set(found)) > 20
    assert set(map(len, found)) == {3}
    assert RandomOpenings().opening(KuhnPoker(), 0, 0).actions != ()  # the cards are dealt; no player has moved
    assert RandomOpenings().length(KuhnPoker()) == 0
    with pytest.raises(OutplayError, match="before the end"):
        RandomOpenings(plies=9).opening(Nim((3,)), 0, 0)


def test_balanced_openings():
    """All of them are draws, of which the search is sure."""
    searcher = AlphaBeta(GAME)
    balanced = RandomOpenings(plies=3, searcher=searcher, limit=Limit(depth=9), margin=0)
    values = {searcher.search(balanced.opening(GAME, n, 1).states[-1]).value for n in range(12)}
    wild = {searcher.search(RandomOpenings(plies=3).opening(GAME, n, 1).states[-1]).value for n in range(12)}
    assert values == {0.0}
    assert wild > values


def test_openings_of_a_file(tmp_path):
    path = tmp_path / "openings.txt"
    path.write_text("# of Connect Four\n443  # a remark\n\n4 4 4\n1 2 3 4\n")
    openings, game = ListedOpenings.load(path), ConnectFour()
    openings.check(game)
    moves = [openings.opening(game, number, 3).actions for number in range(6)]
    assert set(moves[:3]) == set(moves[3:]) == {(3, 3, 2), (3, 3, 3), (0, 1, 2, 3)}
    assert len({tuple(openings.opening(game, n, seed).actions for n in range(3)) for seed in range(20)}) > 1
    path.write_text("443\n448\n")
    with pytest.raises(OutplayError, match=r"openings.txt, line 2: .*'8'"):
        ListedOpenings.load(path).check(game)
    path.write_text("# nothing\n")
    with pytest.raises(OutplayError, match="has no openings"):
        ListedOpenings.load(path)
    with pytest.raises(OutplayError, match="the game is over after it"):
        ListedOpenings(("1 2 1 2 1 2 1",)).check(game)


# -- matches ----------------------------------------------------------------------------------------------------------

MATCH = Match(GAME, ("alpha-beta(depth=2)", "random"), games=12, seed=4)


def essence(rounds):
    """Rounds without times."""
    plies = lambda record: [replace(ply, seconds=0.0, waited=0.0) for ply in record.plies]  # noqa: E731
    return [
        (found.number, found.orders, [replace(record, plies=plies(record)) for record in found.records])
        for found in sorted(rounds, key=lambda each: each.number)
    ]


def test_each_opening_is_played_with_all_seats():
    for found in MATCH.run():
        first, second = found.records
        assert first.opening == second.opening
        assert first.players == second.players[::-1] == MATCH.names
        assert found.orders == ((0, 1), (1, 0))
    three = Match(Pig(goal=6, players=3), ("random",) * 3, games=6)
    found = next(three.run())
    assert sorted(found.orders) == [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    assert three.names == ("random #1", "random #2", "random #3")
    by_player = found.utilities()
    for order, record, utilities in zip(found.orders, found.records, by_player, strict=True):
        assert [utilities[player] for player in order] == list(record.utilities)


@pytest.mark.nightly
def test_a_match_is_the_same_on_any_number_of_processes():
    assert essence(MATCH.run(workers=2)) == essence(MATCH.run())
    assert essence(replace(MATCH, seed=5).run()) != essence(MATCH.run())


def test_a_score():
    score = Score()
    for found in MATCH.run():
        score.add(found)
    assert sum(score.games) == 12 == 2 * sum(score.pairs)
    points = score.games[1] + 2 * score.games[2]
    assert points == sum(place * number for place, number in enumerate(score.pairs))
    assert score.strength.score == points / 24


def test_rounds_that_repeat_an_earlier_one_are_counted():
    rounds, repeats = list(MATCH.run()), Repeats()
    assert len({repr([record.actions for record in round_.records]) for round_ in rounds}) == len(rounds)
    for round_ in [*rounds, *rounds[:2], replace(rounds[2], orders=rounds[2].orders[::-1])]:
        repeats.add(round_)
    assert repeats.count == 2


@pytest.mark.parametrize(
    "words",
    [
        ["match", "nim", "alpha-beta(depth=1)", "alpha-beta(depth=2)", "--games=40"],
        ["tournament", "nim", "alpha-beta(depth=1)", "alpha-beta(depth=2)", "--games=40"],
        ["ladder", "nim", "--player=alpha-beta", "--vary=depth=1..2", "--games=40"],
    ],
    ids=lambda words: words[0],
)
def test_commands_say_how_many_rounds_repeat_an_earlier_one(words):
    words = [*words, "--openings=1", "--seed=1"]
    said = " ".join(CliRunner().invoke(app, words).output.split())
    data = json.loads(CliRunner().invoke(app, [*words, "--json"]).output)
    assert f"{data['repeated_rounds']} of 20 rounds repeat an earlier one, action for action" in said
    assert data["repeated_rounds"] > 2


def test_few_rounds_that_repeat_are_not_worth_a_line():
    (round_, *_), repeats = list(MATCH.run()), Repeats()
    for place in (*range(18), 0, 1):
        assert not repeats.warning
        repeats.add(replace(round_, orders=((place, place + 1),)))
    assert repeats.warning.startswith("2 of 20 rounds")
    repeats.add(replace(round_, orders=((99, 100),)))
    assert not repeats.warning  # fewer than a tenth


class Wrong(First):
    """Plays an illegal move in every third game."""

    games = 0

    def new_game(self, game, player, seed):
        Wrong.games += 1

    def choose(self, view, clock):
        return 99 if Wrong.games % 3 == 0 else super().choose(view, clock)


def test_faults_are_counted():
    score = Score()
    for found in Match(GAME, (lambda game: Wrong(), "random"), games=12).run():
        score.add(found)
    assert score.faults == [{"illegal move": 4}, {}]


@pytest.mark.parametrize(
    ("options", "message"),
    [({"players": ("random",)}, "has 2 players"), ({"games": 0}, "games=0")],
)
def test_wrong_matches(options, message):
    with pytest.raises(OutplayError, match=message):
        Match(**{"game": GAME, "players": ("random", "random"), **options})


# -- the record -------------------------------------------------------------------------------------------------------


def test_a_record_reads_back(tmp_path):
    path = tmp_path / "match.jsonl"
    rounds = list(MATCH.run())
    with MatchLog(path, MATCH) as log:
        for each in rounds:
            log.add(each)
    header, found, _ = read_log(path)
    assert found == rounds
    assert header["players"] == list(MATCH.names)
    assert all(round_of_json(json.loads(json.dumps(round_as_json(each))), list(MATCH.names)) == each for each in rounds)


def test_a_match_goes_on_where_its_record_ends(tmp_path):
    path, whole = tmp_path / "match.jsonl", list(MATCH.run())
    with MatchLog(path, MATCH) as log:
        for each in whole[:4]:
            log.add(each)
    content = path.read_bytes()
    path.write_bytes(content[:-30])  # killed while it wrote the fourth round
    with pytest.raises(LogError, match="resume it"):
        MatchLog(path, MATCH)
    with MatchLog(path, MATCH, resume=True) as log:
        assert [each.number for each in log.rounds] == [0, 1, 2]
        for each in MATCH.run(done=log.rounds):
            log.add(each)
    assert essence(read_log(path)[1]) == essence(whole)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"hello\n", "line 1"),
        (b'{"format": "another"}\n', "not the record of a match"),
        (b'{"format": "outplay match 9"}\n', "match.jsonl was written by another version of outplay: make it anew"),
        (b"[3]\n", "not the record of a match"),
        (b"", "not the record of a match"),
    ],
)
def test_other_files_are_refused(tmp_path, content, message):
    path = tmp_path / "match.jsonl"
    path.write_bytes(content)
    with pytest.raises(LogError, match=message):
        read_log(path)


def test_the_record_of_another_match_is_refused(tmp_path):
    path = tmp_path / "match.jsonl"
    MatchLog(path, MATCH).close()
    for other in (
        replace(MATCH, seed=9),
        replace(MATCH, game=ConnectFour()),
        replace(MATCH, openings=RandomOpenings(5)),
    ):
        with pytest.raises(LogError, match="is of another match, which differs in"):
            MatchLog(path, other, resume=True)
    with open(path, "ab") as file:
        file.write(b'{"round": 0, "games": [{"order": [0]}]}\n')
    with pytest.raises(LogError, match="line 2: this is not a round"):
        MatchLog(path, MATCH, resume=True)


# -- the command ------------------------------------------------------------------------------------------------------


def outplay(*arguments):
    return CliRunner().invoke(app, list(arguments))


def test_the_command(tmp_path):
    record = tmp_path / "match.jsonl"
    match = ("match", "tic-tac-toe", "alpha-beta(depth=2)", "random", "--games", "20", "--record", str(record))
    shown = outplay(*match)
    assert shown.exit_code == 0
    assert "alpha-beta(depth=2) against random: +" in shown.stdout
    assert len(read_log(record)[1]) == 10
    assert outplay(*match).exit_code == 2
    found = json.loads(outplay(*match, "--resume", "--json").stdout)
    assert found["games"] == 20
    assert found["won"] + found["drawn"] + found["lost"] == 20
    assert found["low"] > 0
    decided = json.loads(outplay(*match[:4], "--elo1", "150", "--json").stdout)
    assert decided["test"]["verdict"] == "accepted"
    assert decided["games"] < 100
    three = outplay("match", "pig(goal=10, players=3)", "random", "random", "random", "--games", "12")
    assert "random #3" in three.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("random",), "2 players"),
        (("random", "rando"), "did you mean random"),
        (("random", "random", "--resume"), "--record"),
        (("random", "random", "--elo1", "-5"), "elo0 must be below elo1"),
        (("random", "random", "--elo1", "5", "--scale", "x"), "scale"),
        (("random", "random", "--openings", "no.txt"), "no.txt"),
        (("random", "random", "--openings", "30"), "before the end of the game"),
        (("random", "random", "--clock", "soon"), "is not a time"),
        (("random", "random", "--record", "/no/folder/x.jsonl"), "cannot be written"),
    ],
)
def test_wrong_commands(arguments, message):
    found = outplay("match", "tic-tac-toe", *arguments)
    assert found.exit_code == 2
    assert message in " ".join(found.output.split())


@pytest.mark.nightly
def test_a_match_that_is_killed_goes_on(tmp_path):
    """kill -9 at random moments, each time resumed: the same games in the end. Takes 20 s."""
    path, command = tmp_path / "match.jsonl", [sys.executable, "-m", "outplay", "match", "connect-four"]
    command += ["mcts(simulations=300)", "alpha-beta(depth=4)", "--games", "40", "--record", str(path), "--resume"]
    rng = np.random.default_rng(1)
    for _ in range(4):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        time.sleep(float(rng.uniform(2, 5)))
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    header, rounds, _ = read_log(path)
    match = Match(ConnectFour(), ("mcts(simulations=300)", "alpha-beta(depth=4)"), games=40, seed=header["seed"])
    assert essence(rounds) == essence(match.run())
