"""Bots and programs that send what nobody expects: they lose, with the reason, and the match and its record go on."""

import json
import resource
import sys
import time

import pytest
from shared import PATIENCE

from outplay.arena.match import Match
from outplay.arena.naming import player_named
from outplay.arena.records.files import open_record
from outplay.arena.referee import Fault, play_game
from outplay.games import Chess, Othello, TicTacToe
from outplay.protocols.cecp.player import THOUGHT
from outplay.protocols.program import Program
from outplay.protocols.uci.player import parsed
from outplay.rules.errors import OutplayError
from outplay.rules.wording import STEERS
from outplay.session.players import Reply, plain
from outplay.system import children

GAME = TicTacToe()
BOTS = r'''
import json, os, threading, time
from fractions import Fraction
from outplay.arena import Reply

NESTED = ()
for _ in range(40):
    NESTED = (NESTED, NESTED)

def send(content, number=1, size=None):
    """Send a message as an answer, on every file that may be the pipe for it."""
    message = f"done {number}\n".encode() + content
    head = (size or len(message)).to_bytes(8, "little")
    for file in range(3, 10):
        try:
            os.write(file, head + message)
        except OSError:
            pass

class Bot:
    def new_game(self, game, player, seed):
        self.moves = 0

    def choose(self, view, clock):
        self.moves += 1
        return self.answer(view.legal[0])

def bot(answer):
    return type("Bot", (Bot,), {"answer": lambda self, action: answer(action)})

def raw(content, **options):
    def answer(action):
        for number in range(20):
            send(content, number, **options)
        time.sleep(60)
    return bot(answer)

def fail(action):
    raise ValueError("a" * 10_000_000)

nested = bot(lambda action: NESTED)
nested_value = bot(lambda action: Reply(action, value=NESTED))
huge_action = bot(lambda action: 10**5000)
huge_depth = bot(lambda action: Reply(action, depth=10**5000))
huge_nodes = bot(lambda action: Reply(action, nodes=-1 << 63))
huge_value = bot(lambda action: Reply(action, value=Fraction(10**400)))
fails = bot(fail)
deep_json = raw(b"[" * 60_000)
digits = raw(b"9" * 60_000)
number = raw(b"7")
steers = raw(json.dumps([None, "\x1b[31m\ud800\u202e", None, False, None, None]).encode())
many_values = raw(json.dumps({"move": [0] * 10_000}).encode())
long_message = raw(b"", size=3_000_000_000)
bad_head = raw(b"", size=1 << 63)

class Flood(Bot):
    def answer(self, action):
        def flood():
            time.sleep(0.2)  # after the answer
            while True:
                send(b"0" * 50_000, 10**9)
        threading.Thread(target=flood).start()
        return action
'''
REASONS = {
    "nested": "illegal move: ((((...)",
    "nested_value": "error: the value of its reply is ((((...)",
    "huge_action": "illegal move: <int>",
    "huge_depth": "error: the depth of its reply is <int>: give a whole number of at most 63 bits",
    "huge_nodes": "error: the nodes of its reply is -9223372036854775808: give a whole number",
    "fails": "error: ValueError: aaaa",
    "deep_json": "error: its answer cannot be read: b'[[[[",
    "digits": "error: its answer cannot be read: b'9999",
    "number": "error: it has not answered with a move, but 7",
    "steers": r"illegal move: \x1b[31m\ud800\u202e",
    "many_values": "error: it has not answered with a move, but {'move': [0, 0, 0",
    "long_message": "error: it has sent a message of 3,000,000,000 bytes, of at most 65,536",
    "bad_head": "error: it has sent a message of 9,223,372,036,854,775,808 bytes",
}


class First:
    def choose(self, view, clock):
        return view.legal[0]


@pytest.fixture
def bots(tmp_path, monkeypatch):
    """The path of the file with the bots."""
    monkeypatch.setattr(children, "GRACE", 0.05)
    (tmp_path / "bots.py").write_text(BOTS)
    return tmp_path / "bots.py"


def megabytes():
    """The most memory that this process has had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", REASONS)
def test_what_a_bot_may_send(bots, name):
    player, before = player_named(f"{bots}:{name}", GAME), megabytes()
    record = play_game(GAME, [player, First()], ["one", "two"])
    player.close()
    assert record.guilty == 0
    assert record.reason.startswith(REASONS[name]), record.reason
    assert len(record.reason) <= 700
    assert not set(map(chr, STEERS)) & set(record.reason)
    json.dumps(vars(record), default=vars).encode()
    assert megabytes() - before < 50


def test_a_value_that_is_too_great_for_a_float_is_none(bots):
    player = player_named(f"{bots}:huge_value", GAME)
    record = play_game(GAME, [player, First()], ["one", "two"])
    player.close()
    assert record.reason == "rules"
    assert record.plies[0].value is None
    assert plain(Reply(1, value=10**400)) == Reply(1)


def test_a_bot_that_sends_without_end(bots):
    """It does so while the other player is to move, when nobody reads."""
    player, before = player_named(f"{bots}:Flood", GAME), megabytes()

    class Waits(First):
        def choose(self, view, clock):
            until = time.monotonic() + PATIENCE
            while player.worker.process.poll() is None and time.monotonic() < until:
                time.sleep(0.01)
            return super().choose(view, clock)

    record = play_game(GAME, [player, Waits()], ["one", "two"])
    player.close()
    assert record.reason == "error: it has sent over 100 messages that nobody has asked for"
    assert megabytes() - before < 50


@pytest.mark.parametrize(
    "answer", [Reply(0, depth=10**5000), Reply(0, nodes=1 << 63), 10**5000], ids=["depth", "nodes", "action"]
)
def test_bots_in_this_process(answer):
    class Bot:
        def choose(self, view, clock):
            return answer

    record = play_game(GAME, [Bot(), First()], ["one", "two"])
    assert record.guilty == 0
    assert len(record.reason) < 200


def test_the_match_and_its_record_go_on(bots, tmp_path):
    match = Match(GAME, (f"{bots}:huge_depth", f"{bots}:steers"), games=4)
    with open_record(tmp_path / "games.jsonl", match, resume=False) as log:
        for found in match.run():
            log.add(found)
    with open_record(tmp_path / "games.jsonl", match, resume=True) as log:
        assert len(log.rounds) == 2
        assert {record.guilty for found in log.rounds for record in found.records} == {0}


# -- programs ---------------------------------------------------------------------------------------------------------


def program_that(tmp_path, code):
    """The command of a program."""
    (tmp_path / "program.py").write_text(f"import sys, time\n{code}\n")
    return f"{sys.executable} -S {tmp_path / 'program.py'}"


ENDLESS = {
    "uci": (Chess(), "for n in range(10**9): print(f'option name n{n} type string', flush=True)"),
    "cecp": (Chess(), "for n in range(10**9): print(f'feature n{n}=1', flush=True)"),
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_options_without_end(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(children, "GRACE", 0.05)
    game, code = ENDLESS[kind]
    with pytest.raises(OutplayError, match=r"more than 1,000 options|talks without end"):
        player_named(f"{kind}:{program_that(tmp_path, code)}(depth=1)", game)


@pytest.mark.parametrize(
    "code", ["while True: sys.stdout.write('x' * 100_000)", "while True: sys.stdout.write(chr(10) * 100_000)"]
)
def test_lines_without_end_take_little_memory(code, tmp_path, monkeypatch):
    monkeypatch.setattr(children, "GRACE", 0.05)
    before = megabytes()
    program = Program(program_that(tmp_path, code))
    until = time.monotonic() + PATIENCE
    while not program.flooded and time.monotonic() < until:
        time.sleep(0.01)
    program.skip()  # up to the end
    with pytest.raises(Fault, match="talks without end"):
        program.read(until)
    program.close()
    assert megabytes() - before < 100


def test_numbers_that_are_none_are_no_opinion():
    huge = "9" * 5000
    assert parsed(f"info depth {huge} score cp -- nodes --5 pv e2e4".split()) == {}
    assert parsed(["info", "depth", "nan", "score", "cp", "inf", "nodes", "٣"]) == {}
    assert THOUGHT.match(f"{huge} 1 1 1") is None


def test_a_value_that_is_no_number(tmp_path, monkeypatch):
    monkeypatch.setattr(children, "GRACE", 0.05)
    code = """
for line in sys.stdin:
    words = line.split()
    if words[0] == "ping":
        print("pong", words[1], flush=True)
    if words[0] == "go":
        print("nodestats " + "9" * 5000 + "\\n=== D3 1.2.3", flush=True)
"""
    player = player_named(f"nboard:{program_that(tmp_path, code)}(depth=1)", Othello())
    record = play_game(Othello(), [player, First()], ["one", "two"])
    player.close()
    assert (record.plies[0].name, record.plies[0].value, record.plies[0].nodes) == ("d3", None, None)
    assert record.reason.startswith("illegal move: D3")


def test_a_move_that_steers_the_terminal(tmp_path, monkeypatch):
    monkeypatch.setattr(children, "GRACE", 0.05)
    code = """
for line in sys.stdin:
    print("= " + ("\\x1b[31m" + "9" * 500_000 if "genmove" in line else "") + "\\n", flush=True)
"""
    player = player_named(f"gtp:{program_that(tmp_path, code)}", GAME)
    record = play_game(GAME, [player, First()], ["one", "two"])
    player.close()
    assert record.reason.startswith(r"illegal move: \x1b[31m999")
    assert len(record.reason) < 700
