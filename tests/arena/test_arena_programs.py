"""Other programs as players: small ones in Python for each protocol, and real ones where they are installed."""

import os
import re
import subprocess
import sys
import time
from random import Random

import pytest
from shared import PATIENCE

from outplay import Limit, legal_actions
from outplay.adapters.openspiel import Adapted
from outplay.arena import patience
from outplay.arena.naming import player_named
from outplay.arena.referee import Fault, Opening, Terms, play_game
from outplay.engine.clock import Clock
from outplay.games import (
    Backgammon,
    Breakthrough,
    Chess,
    ConnectFour,
    EnglishDraughts,
    Go,
    Hex,
    InternationalDraughts,
    KuhnPoker,
    Othello,
    TicTacToe,
    Xiangqi,
)
from outplay.protocols import program as process
from outplay.protocols.cecp import player as cecp
from outplay.protocols.openspiel import OpenSpielPlayer
from outplay.protocols.program import Program, located
from outplay.protocols.uci.variants import dialect_of
from outplay.rules.errors import OutplayError
from outplay.session.players import RandomPlayer
from outplay.session.view import view_of
from outplay.system import children


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """No test waits for ten minutes."""
    monkeypatch.setattr(patience, "UNTIMED", 30)


# -- programs of our own ----------------------------------------------------------------------------------------------

COMMON = '''
import os, sys, time
way, moves = sys.argv[1], sys.argv[2:]

def say(*words):
    print(*words, flush=True)

def move():
    """The next move, or what it does instead."""
    if way == "crash":
        sys.exit(7)
    if way == "mute":
        os.close(1)
    while way in ("hang", "mute"):
        time.sleep(1)
    while way == "flood":
        say("thinking")
    while way == "line without end":
        sys.stdout.write("thinking " * 1000)
    if way == "garbage":
        sys.stdout.buffer.write(b"\\xff\\x00 42 bestmove= \\r\\n\\n" * 50)
        sys.stdout.flush()
    return moves.pop(0)

heard = open(__file__ + ".heard", "a", buffering=1)
for line in sys.stdin:
    print(line.strip(), file=heard)
    words = line.split()
    if words[0] in ("quit", "exit"):
        break
'''
LOOPS = {
    "uci": """
    if way == "again" and words[0] == "position":
        say("bestmove a1a8")
    if words[0] == "uci":
        say("id name toy\\noption name Skill Level type spin default 3 min 0 max 20")
        say("option name UCI_Variant type combo default chess var chess var xiangqi\\nuciok")
    elif words[0] == "isready":
        say("readyok")
    elif words[0] == "go":
        found = move()
        say("info depth 7 seldepth 9 score cp 120 nodes 4711 pv e2e4")
        say("bestmove", found)
""",
    "cecp": """
    if words[0] == "protover":
        say('feature done=0\\nfeature ping=1 setboard=1 usermove=1 memory=1 myname="a toy"')
        say('feature option="Skill Level -spin 3 0 20" variants="normal,xiangqi"')
        say("feature done=1")
    elif words[0] == "ping":
        say("pong", words[1])
    elif words[0] == "go":
        found = move()
        say(" 7   120   33   4711  e2e4 e7e5")
        say(found if found == "resign" else f"move {found}")
        say("1/2-1/2 {what it thinks of the game}")
""",
    "gtp": """
    answer = move() if words[0] == "genmove" else ""
    say("? syntax error\\n" if words[-1] == "pass" and words[0] == "play" else f"= {answer}\\n")
""",
    "nboard": """
    if words[0] == "ping":
        say("pong", words[1])
    elif words[0] == "go":
        found = move()
        say("status thinking\\nnodestats 4711 0.1")
        say("===", found, "-2.50 0.1")
""",
    "hub": """
    if words[0] == "hub":
        say('id name=toy version=1\\nparam name=variant value=normal type=enum values="normal killer"')
        say('param name=bb-size value=0 type=int min=0 max=7\\nwait')
    elif words[0] == "init":
        say("ready")
    elif words[0] == "ping":
        say("pong")
    elif line.startswith("go think"):
        found = move()
        say('info depth=7 score=1.20 nodes=4711 time=0.1 nps=1 pv="32-28 19-23"')
        say(f"done move={found} ponder=19-23")
""",
    "external": """
    if line.startswith("show beavers"):
        say("At most 3 beavers/raccoons.")
    elif words[0] == "hint":
        say(f"    1. Cubeless 0-ply   {move():29}Eq.: +0.159")
""",
}


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Makes players that are small programs; `fake.heard()` is what the last one was told."""
    for module, name, value in ((patience, "GRACE", 0.1), (children, "GRACE", 0.05), (process, "FLOOD", 200_000)):
        monkeypatch.setattr(module, name, value)
    made = []

    def start(kind, game, *moves, way="plays", options="", loop=None):
        path = tmp_path / f"program{len(made)}.py"
        path.write_text(COMMON + (LOOPS[kind] if loop is None else loop))
        start.path = path
        words = " ".join(f"'{move}'" for move in moves)
        made.append(player_named(f"{kind}:{sys.executable} -S {path} '{way}' {words}{options}", game))
        return made[-1]

    start.heard = lambda: start.path.with_name(f"{start.path.name}.heard").read_text().splitlines()
    yield start
    for player in made:
        player.close()
    assert processes(tmp_path) == []


def processes(folder):
    """The children of this process that were started in a folder, and those that are dead but still there."""
    command = ["ps", "--ppid", str(os.getpid()), "-o", "pid,args"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return [line for line in found.stdout.splitlines() if str(folder) in line or "defunct" in line]


class Told:
    """Plays what it is told."""

    def __init__(self, *moves):
        self.moves = list(moves)

    def choose(self, view, clock):
        return view.game.parse_action(view.state, self.moves.pop(0))


def played(*players, game, **options):
    return play_game(game, players, ["one", "two"], **options)


def names(record):
    return [ply.name for ply in record.plies]


def test_uci(fake):
    """Fool's mate, which the program plays as black."""
    player = fake("uci", Chess(), "e7e5", "d8h4", options="(depth=3, skill_level=5)")
    record = played(Told("f3", "g4"), player, game=Chess())
    assert names(record) == ["f3", "e5", "g4", "Qh4#"]
    assert (record.utilities, record.reason) == ((-1.0, 1.0), "rules")
    assert (record.plies[1].depth, record.plies[1].nodes) == (7, 4711)
    assert 0.2 < record.plies[1].value < 0.3
    assert "setoption name Skill Level value 5" in fake.heard()
    start = Chess().state_text(Chess().initial_state())
    assert fake.heard()[-3:] == [f"position fen {start} moves f2f3 e7e5 g2g4", "isready", "go depth 3"]


def test_games_that_uci_calls_by_another_name(fake):
    """Its ranks of Xiangqi begin with 1; what the program does not play is refused."""
    player = fake("uci", Xiangqi(), "h10g8", options="(depth=1)")
    record = played(Told("h2e2"), player, game=Xiangqi(), terms=Terms(max_plies=2))
    assert names(record) == ["h2e2", "h9g7"]
    assert "setoption name UCI_Variant value xiangqi" in fake.heard()
    assert fake.heard()[-3].endswith(" w - - 0 1 moves h3e3")
    with pytest.raises(OutplayError, match="does not play breakthrough"):
        fake("uci", Breakthrough())


def test_the_time_that_uci_is_told(fake):
    player = fake("uci", Chess(), "e2e4", "e2e4", "e2e4", options="(seconds=0.2)")
    for terms in Terms(max_plies=1, seconds=30), Terms(max_plies=1, clock=Clock(90.5, 2)), Terms(max_plies=1):
        played(player, Told(), game=Chess(), terms=terms)
    assert [line for line in fake.heard() if line.startswith("go")] == [
        "go movetime 200",
        "go wtime 90500 btime 90500 winc 2000 binc 2000 movetime 200",
        "go movetime 200",
    ]


def test_the_sessions_that_uci_is_told(fake):
    """The moves of the opening count, but take no time; after the last move of a session, its time is added."""
    game = Chess()
    states, actions = [game.initial_state()], []
    for move in "f3", "f6":
        actions.append(game.parse_action(states[-1], move))
        states.append(game.result(states[-1], actions[-1]))
    player = fake("uci", game, "e2e4", "d2d4", "g2g4", options="")
    terms = Terms(max_plies=5, clock=Clock(60, 2, 3))
    record = played(player, Told("e6", "d6"), game=game, terms=terms, opening=Opening(tuple(states), tuple(actions)))
    assert record.reason == "length", record.reason
    went = [re.fullmatch(r"go wtime (\d+) btime (\d+) winc 2000 binc 2000 movestogo (\d)", line).groups()
            for line in fake.heard() if line.startswith("go")]  # fmt: skip
    assert [moves for *_, moves in went] == ["2", "1", "3"]
    times = [int(white) for white, black in ((each[0], each[1]) for each in went) if white == black]
    assert times[0] == 60000
    assert 55000 < times[1] <= 62000
    assert 115000 < times[2] <= 124000


def test_cecp(fake):
    player = fake("cecp", Chess(), "e7e5", "d8h4", options="(seconds=2, skill_level=5, memory=64)")
    record = played(Told("f3", "g4"), player, game=Chess())
    assert names(record) == ["f3", "e5", "g4", "Qh4#"]
    assert (record.utilities, record.reason) == ((-1.0, 1.0), "rules")
    assert (record.plies[1].depth, record.plies[1].nodes) == (7, 4711)
    assert 0.2 < record.plies[1].value < 0.3
    asked = [line for line in fake.heard() if not re.match("ping|accepted|rejected", line)]
    assert asked[:15] == ["xboard", "protover 2", "option Skill Level=5", "memory 64", "new", "force", "easy", "post",
                     "usermove f2f3", "st 2", "go", "force", "usermove g2g4", "st 2", "go"]  # fmt: skip


def test_the_clock_and_the_position_that_cecp_is_told(fake):
    game = Chess()
    start = game.parse_state("8/8/8/3rk3/8/8/4P3/4K3 w - - 0 1")
    player = fake("cecp", game, "e2e4", "resign", options="(depth=5)")
    terms = Terms(clock=Clock(90.5, 2), max_plies=3)
    record = played(player, Told("Kxe4"), game=game, terms=terms, opening=Opening((start,), ()))
    assert (names(record), record.reason, record.utilities) == (["e4", "Kxe4"], "resigned", (-1.0, 1.0))
    asked = fake.heard()
    setup = asked.index("setboard 8/8/8/3rk3/8/8/4P3/4K3 w - - 0 1")
    assert asked[setup + 1 : setup + 4] == ["sd 5", "level 0 1:30 2", "time 9050"]
    left = [int(line.split()[1]) for line in asked if line.startswith("time ")]
    assert 8000 < left[1] <= 9250  # with the increment, without what the move has taken


def test_the_sessions_that_cecp_is_told(fake):
    """All of the first session once, before the first move, although one move of it was in the opening."""
    game = Chess()
    opening = Opening((game.initial_state(), game.result(game.initial_state(), move := game.parse_action(
        game.initial_state(), "f3"))), (move,))  # fmt: skip
    player = fake("cecp", game, "e7e6", "e6e5", "resign")
    terms = Terms(clock=Clock(300, 1.5, 2))
    record = played(Told("g3", "h3", "a3"), player, game=game, terms=terms, opening=opening)
    assert record.reason == "resigned"
    told = [line for line in fake.heard() if line.startswith(("level", "time"))]
    assert [line for line in told if line.startswith("level")] == ["level 2 5:00 1.5"]
    assert told.index("level 2 5:00 1.5") == 0
    left = [int(line.split()[1]) / 100 for line in told[1:]]
    assert left[0] == 300
    assert 590 < left[2] <= 603  # two moves, and the time of the next session


def test_cecp_of_xiangqi_and_of_old_programs(fake, monkeypatch):
    player = fake("cecp", Xiangqi(), "h9g7")
    assert names(played(Told("h2e2"), player, game=Xiangqi(), terms=Terms(max_plies=2))) == ["h2e2", "h9g7"]
    assert {"variant xiangqi", "usermove h2e2"} <= set(fake.heard())
    monkeypatch.setattr(cecp, "SILENCE", 0.05)
    old = '    if words[0] == "go":\n        say("1. ... " + move())\n'
    player = fake("cecp", Chess(), "e7e5", loop=old)
    assert names(played(Told("f3"), player, game=Chess(), terms=Terms(max_plies=2))) == ["f3", "e5"]
    assert "f2f3" in fake.heard()
    with pytest.raises(OutplayError, match="does not play xiangqi; it plays normal"):
        fake("cecp", Xiangqi(), loop=old)
    with pytest.raises(OutplayError, match="has no option 'memory'; it has none"):
        fake("cecp", Chess(), loop=old, options="(memory=5)")
    with pytest.raises(OutplayError, match="cecp programs play chess and Xiangqi, not TicTacToe"):
        fake("cecp", TicTacToe())
    record = played(fake("cecp", Chess(), loop=old), Told(), game=Chess(), opening=Opening((KINGS,), ()))
    assert "cannot set up a position" in record.reason


KINGS = Chess().parse_state("8/8/8/3rk3/8/8/4P3/4K3 w - - 0 1")


@pytest.mark.parametrize("says", ["Illegal move: f2f3", "tellusererror Illegal position", "1/2-1/2 {Draw claimed}"])
def test_a_cecp_program_that_will_not_play(fake, says):
    loop = LOOPS["cecp"].replace("found = move()", f"say({says!r})\n        found = move()")
    record = played(Told("f3"), fake("cecp", Chess(), "e7e5", loop=loop), game=Chess())
    assert (record.reason, record.guilty) == (f"error: it does not move, but says {says!r}", 1)


def test_gtp(fake):
    player = fake("gtp", TicTacToe(), "b2", "resign", options="(level=3)")
    record = played(Told("a1", "a2"), player, game=TicTacToe())
    assert (names(record), record.reason) == (["a1", "b2", "a2"], "resigned")
    assert fake.heard() == ["protocol_version", "level 3", "clear_board", "play black a1", "genmove white",
                            "play black a2", "genmove white"]  # fmt: skip


def test_the_sessions_that_gtp_is_told(fake):
    """As time for a number of moves; in a game without sessions for all of them."""
    player = fake("gtp", TicTacToe(), "b2", "a3", "c1", "b2", options="")
    for clock, plies in (Clock(60, moves=2), 6), (Clock(60), 2):
        played(Told("a1", "a2", "b3"), player, game=TicTacToe(), terms=Terms(clock=clock, max_plies=plies))
    told = [line.split()[1:] for line in fake.heard() if line.startswith("time_left")]
    assert [moves for _, _, moves in told] == ["2", "1", "2", "0"]
    assert 100 < int(told[2][1]) <= 120


def forced_pass():
    """A game of Othello up to where a player must pass, and the state after it, where the other has a choice."""
    game, random = Othello(), Random(4)
    while True:
        states, actions = [game.initial_state()], []
        while not game.is_terminal(states[-1]):
            legal = [int(action) for action in legal_actions(game, states[-1])]
            if len(legal) > 1 and actions and game.action_name(states[-2], actions[-1]) == "pass":
                return Opening(tuple(states[:-1]), tuple(actions[:-1])), states[-1]
            actions.append(random.choice(legal))
            states.append(game.result(states[-1], actions[-1]))


def test_who_passes_in_othello(fake):
    """Programs pass by themselves; they are not told to, and not asked."""
    opening, after = forced_pass()
    game = Othello()
    reply = game.action_name(after, next(iter(legal_actions(game, after))))
    for kind in "gtp", "nboard":
        player = fake(kind, game, reply, options="(depth=1)" if kind == "nboard" else "")
        record = played(player, player, game=game, opening=opening, terms=Terms(max_plies=2))
        assert names(record) == ["pass", reply]
        assert not [line for line in fake.heard() if line.startswith("play") and line.endswith("pass")]
        assert kind == "gtp" or [line for line in fake.heard() if line.startswith("set game") and "[PA];)" in line]


def test_nboard(fake):
    player = fake("nboard", Othello(), "D3", "E3//", options="(depth=4)")
    record = played(player, Told("c3"), game=Othello(), terms=Terms(max_plies=2))
    assert names(record) == ["d3", "c3"]
    assert (record.plies[0].value, record.plies[0].nodes) == (-2.5, 4711)
    assert fake.heard()[:2] == ["nboard 1", "set depth 4"]
    with pytest.raises(OutplayError, match="nboard programs play Othello on 8 x 8"):
        fake("nboard", Othello(6), options="(depth=4)")
    with pytest.raises(OutplayError, match=r"give it, as in \(depth=10\)|but by depth"):
        fake("nboard", Othello(), options="(seconds=4)")


def test_hub(fake):
    game = InternationalDraughts()
    player = fake("hub", game, "32-28", "28x19x23", options="(depth=4, bb_size=3)")
    record = played(player, Told("19-23"), game=game, terms=Terms(max_plies=3, clock=Clock(60, 2, moves=30)))
    assert names(record) == ["32-28", "19-23", "28x19"], record.reason
    assert record.plies[0].value == pytest.approx(1.2 / 41)
    heard = fake.heard()
    assert heard[:4] == ["hub", 'set-param name=bb-size value="3"', "init", "new-game"]
    start = f"W{20 * 'b'}{10 * 'e'}{20 * 'w'}"
    assert heard[4:6] == ["ping", f"pos pos={start}"]
    assert re.fullmatch(r"level moves=30 time=58\.000 inc=2\.000 depth=4", heard[6])
    for wrong, options in (EnglishDraughts(), "(depth=4)"), (game, "(depth=4, elo=3)"):
        with pytest.raises(
            OutplayError, match=r"play international draughts|has no option 'elo'; it has variant, bb-si"
        ):
            fake("hub", wrong, options=options)


def test_hub_of_ones_own():
    """What outplay writes as an engine, it reads as a player."""
    game = InternationalDraughts()
    player = player_named(f"hub:{sys.executable} -m outplay hub international-draughts(depth=2)", game)
    record = played(player, RandomPlayer(), game=game, terms=Terms(max_plies=60), seed=5)
    assert record.guilty is None, record.reason
    assert any("x" in name for name in names(record))


ROLLED = Opening((Backgammon().result(Backgammon().initial_state(), 0),), ())
"""A throw of 2-1."""


def test_gnu_backgammon(fake):
    game = Backgammon()
    player = fake("external", game, "24/23 13/11", options="(plies=2)")
    record = played(player, Told(), game=game, opening=ROLLED, terms=Terms(max_plies=1))
    assert names(record) == ["24/23 13/11"]
    assert record.plies[0].value == 0.159
    assert "set evaluation chequerplay evaluation plies 2" in fake.heard()
    assert f"set gnubgid {game.state_text(ROLLED.states[0])}" in fake.heard()
    for wrong, options in ((Backgammon(cube=True), ""), (game, "(plies=9)"), (game, "(seconds=1)"), (game, "(x=1)")):
        with pytest.raises(OutplayError, match=r"without the cube|plies from 0 to 7|limited by seconds"):
            fake("external", wrong, options=options)
    record = played(fake("external", game, way="hang", loop=LOOPS["external"].replace("hint", "hnt")), Told(),
                    game=game, opening=ROLLED)  # fmt: skip
    assert "it says ''" in record.reason


FAULTS = {
    "illegal": ["illegal move: "],
    "crash": ["crash: "],
    "hang": ["hang: no answer in time"],
    "flood": ["error: ", "hang: no answer in time"],
    "line without end": ["error: ", "hang: no answer in time"],
}
"""What a program does, and how the reason why it lost begins. Where the machine is busy, its time may be over first."""
GAMES = {"uci": Chess(), "cecp": Chess(), "gtp": TicTacToe(), "nboard": Othello(), "hub": InternationalDraughts(),
         "external": Backgammon()}  # fmt: skip
LEGAL = {"uci": "e2e4", "cecp": "e2e4", "gtp": "b2", "nboard": "D3", "hub": "32-28",
         "external": "24/23 13/11"}  # fmt: skip


@pytest.mark.parametrize("kind", GAMES)
def test_programs_that_fail(fake, kind):
    """They lose, with the reason; they are started anew for the next game, and no process is left (see `fake`)."""
    game, options = GAMES[kind], "(depth=1)" if kind in ("uci", "nboard", "hub") else ""
    opening = ROLLED if kind == "external" else None
    for way, reasons in FAULTS.items():
        player = fake(kind, game, "a1a9", "a1a9", way=way, options=options)
        for _ in range(2 if way == "crash" else 1):
            record = played(player, Told(), game=game, opening=opening, terms=Terms(seconds=0.2))
            assert record.guilty == 0
            assert record.reason.startswith(tuple(reasons)), record.reason
    player = fake(kind, game, LEGAL[kind], way="garbage", options=options)
    record = played(player, Told(), game=game, opening=opening, terms=Terms(max_plies=1))
    assert kind == "gtp" or record.reason == "length"


def test_a_program_that_says_no_more(fake):
    """It has closed its output, but goes on: nobody waits for its end."""
    record = played(fake("uci", Chess(), way="mute", options="(depth=1)"), Told(), game=Chess())
    assert "has closed its output" in record.reason


def test_a_program_that_ends_after_a_game(fake):
    """It has lost nothing by that, and is started anew for the next one."""
    loop = LOOPS["uci"] + "        sys.exit(0)\n"  # after the move
    player = fake("uci", Chess(), "e2e4", options="(depth=1)", loop=loop)
    for _ in range(2):
        assert played(player, Told(), game=Chess(), terms=Terms(max_plies=1)).reason == "length"
        player.running.process.wait(20)


def test_a_second_answer_is_not_that_to_the_next_question(fake):
    player = fake("uci", Chess(), "e2e4", "d2d4", way="again", options="(depth=1)")
    record = played(player, Told("e7e5", "d7d5"), game=Chess(), terms=Terms(max_plies=4))
    assert names(record) == ["e4", "e5", "d4", "d5"]


def test_a_program_that_does_not_read(tmp_path):
    program = Program(f"{sys.executable} -S -c 'import time; time.sleep(60)'")
    with pytest.raises(Fault, match="does not read"):
        program.send("x" * 1_000_000)
    program.close()
    assert program.process.poll() is not None


def test_what_a_program_said_before_is_forgotten():
    program = Program(f"{sys.executable} -S -c \"print('old'); input(); print('new'); input()\"")
    until = time.monotonic() + PATIENCE
    while program.lines.empty():
        time.sleep(0.01)
    program.skip()
    program.send("go")
    assert program.read(until) == "new"
    program.send("go")
    program.process.wait(20)
    program.threads[0].join(20)
    program.skip()
    with pytest.raises(Fault, match=r"crash: .* ended with exit code 0"):
        program.read(until)
    program.close()


@pytest.mark.parametrize(
    ("name", "game", "message"),
    [
        ("uci:no-such-engine", Chess(), "there is no program 'no-such-engine'"),
        ("uci:'", Chess(), "is not a command"),
        (f"uci:{sys.executable} -S -c 1/0", Chess(), "ended with exit code 1: ZeroDivisionError: division by zero"),
        (f"gtp:{sys.executable} -S -c pass", KuhnPoker(), "players see everything"),
        ("uic:stockfish", Chess(), "before a colon: book, strategy, uci, gtp, cecp"),
        ("openspiel:ismcts", ConnectFour(), "only openspiel:mcts is known"),
        ("openspiel:mcts(depth=3)", ConnectFour(), "cannot be limited by depth, but by seconds, simulations"),
        ("cecp:no-such-engine(nodes=3)", Chess(), "cecp programs cannot be limited by nodes, but by seconds, depth"),
        ("external:gnubg(seconds=3)", Backgammon(), "external programs cannot be limited by seconds$"),
        ("openspiel:mcts(uct=3)", ConnectFour(), "no option 'uct'; it has uct_c"),
        ("openspiel:mcts(simulations=3)", Go(9), "does not know Go"),
    ],
)
def test_players_that_are_refused(name, game, message):
    with pytest.raises(OutplayError, match=message):
        player_named(name, game)


def test_options_that_are_refused(fake):
    for kind in "uci", "cecp":
        with pytest.raises(OutplayError, match=r"has no option 'Elo'; it has Skill Level"):
            fake(kind, Chess(), options="(Elo=3)")
    with pytest.raises(OutplayError, match="name each option"):
        fake("uci", Chess(), options="(3)")
    for wrong in "21", "high", "-1", "2.5":
        with pytest.raises(OutplayError, match=rf"Skill Level={wrong} is no value of this option: spin"):
            fake("uci", Chess(), options=f"(skill_level={wrong}, depth=1)")


# -- real programs ----------------------------------------------------------------------------------------------------

REAL = [
    (Chess(), "uci:stockfish(UCI_Elo=1500, seconds=0.02)"),
    (Chess(), "cecp:fairymax(seconds=0.02)"),
    (Xiangqi(), "cecp:maxqi(seconds=0.02)"),
    (Xiangqi(), "uci:fairy-stockfish(depth=2)"),
    (Breakthrough(), "uci:fairy-stockfish(depth=2)"),
    (Go(5), "gtp:gnugo --mode gtp --level 1"),
    (Backgammon(), "external:gnubg"),
]


@pytest.mark.parametrize(("game", "name"), REAL)
def test_real_programs(game, name):
    """They play some moves without a fault."""
    command = re.split(r"[ (]", name.partition(":")[2])[0]
    if located(command) is None:
        pytest.skip(f"{command} is not installed")
    player = player_named(name, game)
    record = played(player, RandomPlayer(), game=game, terms=Terms(max_plies=4))
    player.close()
    assert (record.reason, record.guilty) == ("length", None)


def test_a_game_of_othello_with_rhino():
    if located("gtp-rhino") is None:
        pytest.skip("gtp-rhino (of grhino) is not installed")
    player, game = player_named("gtp:gtp-rhino", Othello()), Othello()
    for seed in range(3):
        record = played(RandomPlayer(), player, game=game, seed=seed)
        assert (record.reason, record.utilities[1] > 0) == ("rules", True)
    player.close()


@pytest.mark.parametrize("game", [Xiangqi(), Breakthrough()])
def test_fairy_stockfish_has_the_same_moves(game):
    """In random games, with states and moves as it writes them."""
    if located("fairy-stockfish") is None:
        pytest.skip("fairy-stockfish is not installed")
    player, random, dialect = player_named("uci:fairy-stockfish(depth=1)", game), Random(5), dialect_of(game)
    state, until = game.initial_state(), time.monotonic() + PATIENCE
    for _ in range(8):
        legal = [int(action) for action in legal_actions(game, state)]
        player.tell(f"position fen {dialect.state(game, state)}")
        player.tell("go perft 1")
        found = set()
        while not (line := player.hear(until)).startswith("Nodes searched"):
            if move := re.match(r"(\w+): 1$", line):
                found.add(move[1])
        assert found == {dialect.move(game, state, action) for action in legal}
        assert {game.parse_action(state, dialect.read(move)) for move in found} == set(legal)
        state = game.result(state, random.choice(legal))
        if game.is_terminal(state):
            state = game.initial_state()
    player.close()


@pytest.mark.parametrize("name", ["built-in", "adapted"])
def test_openspiel_s_search(name):
    """It finds the move that wins, in games of both."""
    pyspiel = pytest.importorskip("pyspiel")
    games = [TicTacToe(), Hex(3, swap=False), Breakthrough(4, 3)]
    if name == "adapted":
        games = [Adapted(pyspiel.load_game("tic_tac_toe"))]
    for game in games:
        player = player_named("openspiel:mcts(simulations=300)", game)
        for seats in ([player, RandomPlayer()], [RandomPlayer(), player]):
            record = played(*seats, game=game, seed=3)
            assert (record.reason, record.guilty) == ("rules", None)
            assert record.utilities[seats.index(player)] >= 0
        player.close()


@pytest.mark.parametrize("game", [Chess(), TicTacToe(), Hex(4), Breakthrough(5, 4), ConnectFour(), Othello()])
def test_openspiel_has_the_same_moves(game):
    pytest.importorskip("pyspiel")
    player, random = OpenSpielPlayer(Limit(simulations=1), {}), Random(8)
    player.new_game(game, 0, 1)
    states, actions = [game.initial_state()], []
    while not game.is_terminal(states[-1]) and len(actions) < 20:
        view = view_of(game, states, actions)
        player.follow(view)
        assert sorted(player.ours(view, action) for action in player.state.legal_actions()) == sorted(view.legal)
        actions.append(random.choice(view.legal))
        states.append(game.result(states[-1], actions[-1]))


@pytest.mark.nightly
def test_outplay_plays_itself_by_gtp():
    """`outplay gtp` in a process against the same search here: the same game as without. Takes 20 s."""
    game = ConnectFour(width=4, height=4)
    other = player_named(f"gtp:{sys.executable} -m outplay gtp 'connect-four(width=4, height=4)'", game)
    record = played(other, player_named("alpha-beta", game), game=game)
    assert (record.reason, record.utilities) == ("rules", (0.0, 0.0))
    other.close()
