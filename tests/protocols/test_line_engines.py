"""The engines for XBoard, NBoard, Hub and the dialects of UCI: games, errors, and nonsense."""

import re
import sys
from random import Random

import pytest
from typer.testing import CliRunner

from outplay import UnsuitableGame
from outplay.cli.commands import app
from outplay.games import Chess, EnglishDraughts, InternationalDraughts, Othello, TicTacToe, Xiangqi
from outplay.protocols.cecp.engine import CecpEngine
from outplay.protocols.hub.engine import HubEngine
from outplay.protocols.hub.words import position_of, position_text
from outplay.protocols.nboard.engine import NBoardEngine
from outplay.protocols.uci.xiangqi import CycloneEngine, UcciEngine, UsiEngine, from_shogi, in_shogi
from outplay.session import Session
from protocols.heard import Heard

OUTPLAY = f"{sys.executable} -m outplay"
BOARD = f"8 {'-' * 27}O*{'-' * 6}*O{'-' * 27} *"
START = f"(;GM[Othello]PC[NBoard]PB[a]PW[b]RE[?]TI[15:00]TY[8]BO[{BOARD}]B[F5]W[F6];)"
HUB_START = "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww"
MATE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


# -- XBoard -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def xboard():
    return Heard(CecpEngine, Chess())


def test_features(xboard):
    [line] = xboard.ask("xboard", "protover 2")
    assert line.startswith("feature ping=1 setboard=1 usermove=1 ")
    assert line.endswith('variants="normal" done=1')
    assert 'variants="xiangqi"' in Heard(CecpEngine, Xiangqi()).ask("protover 2")[0]


def test_a_game_in_xboard(xboard):
    assert xboard.ask("new", "sd 1", "accepted setboard") == []
    [move] = xboard.ask("usermove e2e4")
    assert re.fullmatch(r"move \w{4}", move)
    assert len(xboard.engine.states) == 3
    xboard.ask("post")
    *thought, move = xboard.ask("usermove d2d4")
    assert re.fullmatch(r"1 -?\d+ \d+ \d+( \w{4,5})+", thought[-1])
    assert xboard.ask("force", "usermove g1f3") == []
    assert xboard.ask("usermove g1f3") == ["Illegal move: g1f3"]
    assert len(xboard.engine.states) == 6
    [*_, move] = xboard.ask("go")
    assert move.startswith("move ")
    xboard.ask("remove", "undo")
    assert len(xboard.engine.states) == 4
    assert xboard.ask("ping 5") == ["pong 5"]


def test_the_result_is_told(xboard):
    xboard.ask("force", f"setboard {MATE}", "sd 2")
    assert xboard.ask("go")[0] == "move a1a8"
    assert xboard[1].startswith("1-0 {")
    xboard.ask("new", "force", "usermove f2f3", "usermove e7e5", "usermove g2g4", "sd 1")
    assert xboard.ask("go")[-1].startswith("0-1 {")


def test_clocks_in_xboard(xboard):
    xboard.ask("level 40 5:30 2.5")
    clock = xboard.engine.clock
    assert (clock.seconds, clock.increment, clock.moves) == (330, 2.5, 40)
    xboard.ask("time 1200", "otim 900")
    assert xboard.engine.clock.seconds == 12
    xboard.ask("st 7")
    assert (xboard.engine.fixed, xboard.engine.clock) == (7, None)
    [move] = xboard.ask("st 0", "usermove e2e4")
    assert move.startswith("move ")


def test_analysis_in_xboard(xboard):
    xboard.ask("analyze", waits=False)
    assert xboard.engine.thinker.is_thinking
    xboard.ask("usermove e2e4", waits=False)
    assert xboard.engine.thinker.is_thinking
    assert xboard.ask("ping 2", waits=False)[-1] == "pong 2"
    xboard.ask("exit")
    assert not xboard.engine.thinker.is_thinking
    assert all("move" not in line for line in xboard)


def test_a_ping_is_answered_after_the_move(xboard):
    assert xboard.ask("st 600", "usermove e2e4", "ping 4", waits=False) == []
    xboard.ask("?")
    assert [line.split()[0] for line in xboard] == ["move", "pong"]


def test_move_now(xboard):
    xboard.ask("level 0 60 0", "usermove e2e4", waits=False)
    [*_, move] = xboard.ask("?")
    assert move.startswith("move ")
    xboard.ask("usermove d2d4", waits=False)
    assert xboard.ask("force") == [], "a move that is not wanted any more is not told"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("level soon", "tellusererror level soon: give moves, minutes and an increment, as in level 40 5 0"),
        ("st now", "tellusererror st now: give a number"),
        ("undo", "tellusererror there is no move to take back"),
        ("fly", "Error (unknown command): fly"),
        ("edit", "Error (command not legal now): edit; use setboard"),
        ("setboard 8", "tellusererror '8': FEN has a board, "),
        ("e2e5", "Illegal move: e2e5"),
    ],
)
def test_errors_in_xboard(line, told, xboard):
    [answer] = xboard.ask(line)
    assert answer.startswith(told)


# -- NBoard -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def nboard():
    return Heard(NBoardEngine, Othello())


def test_a_game_in_nboard(nboard):
    assert nboard.ask("nboard 2", "set depth 2", "ping 1") == ["set myname outplay", "pong 1"]
    lines = nboard.ask(f"set game {START}", "go")
    assert lines[0] == "status outplay is thinking"
    assert re.fullmatch(r"nodestats \d+ \d+\.\d\d", lines[1])
    assert re.fullmatch(r"=== [A-H][1-8]/-?\d+\.\d\d/\d+\.\d\d", lines[2])
    assert lines[3] == "status outplay is waiting"
    assert nboard.ask(f"move {lines[2].split()[1]}") == []
    assert len(nboard.engine.states) == 4
    hints = nboard.ask("hint 3")[1:-1]
    assert len(hints) == min(3, len(nboard.engine.legal))
    assert all(re.fullmatch(r"search ([A-H][1-8]|PA)+ -?\d+\.\d\d 0 2", hint) for hint in hints)
    values = [float(hint.split()[2]) for hint in hints]
    assert values == sorted(values, reverse=True)


def test_a_pass_in_nboard():
    engine = Heard(NBoardEngine, Othello())
    board = "*" * 3 + "O" + "-" * 60
    text = f"(;GM[Othello]PC[x]PB[a]PW[b]RE[?]TY[8]BO[8 {board} O];)"
    lines = engine.ask(f"set game {text}", "set depth 1", "go")
    assert any(line.startswith("=== PA") for line in lines), lines


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("set depth many", "status error: set depth many: give a whole number"),
        ("set game nonsense", "status error: "),
        ("move z9", "status error: illegal move: "),
        ("hint x", "status error: hint x: give a whole number"),
    ],
)
def test_errors_in_nboard(line, told, nboard):
    assert nboard.ask(line)[0].startswith(told)
    assert nboard.ask("what is this", "set contempt 3") == []


# -- Hub --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def hub():
    return Heard(HubEngine, InternationalDraughts())


def test_a_game_in_hub(hub):
    first, *parameters, last = hub.ask("hub")
    assert first.startswith("id name=outplay version=")
    assert last == "wait"
    assert all(line.startswith("param name=") for line in parameters)
    assert hub.ask("init") == ["ready"]
    lines = hub.ask(f'pos pos={HUB_START} moves="32-28 18-23"', "level depth=3", "go think")
    assert re.fullmatch(r'info depth=\d+ score=-?\d+\.\d\d nodes=\d+ time=\d+\.\d+ nps=\d+\.\d\d pv=".+"', lines[-2])
    assert re.fullmatch(r"done move=\d+[-x][\dx]+( ponder=\d+[-x][\dx]+)?", lines[-1])
    hub.ask("new-game", "level time=300 moves=9 inc=1", "go ponder", waits=False)
    assert hub.engine.thinker.is_thinking
    assert hub.ask("ping", waits=False)[-1] == "pong"
    assert hub.ask("stop")[-1].startswith("done move=")


def test_positions_in_hub_are_those_of_pdn(hub):
    random, game = Random(3), InternationalDraughts()
    session = Session(game)
    for _ in range(60):
        if session.over:
            break
        white, black = game.white_and_black(session.state)
        letters = ["e"] * 50
        for colour, pieces in (("w", white), ("b", black)):
            for number in range(1, 51):
                bit = game.bit(number)
                if pieces >> bit & 1:
                    letters[number - 1] = colour.upper() if session.state.kings >> bit & 1 else colour
        text = "WB"[session.state.turn] + "".join(letters)
        assert position_text(game, session.state) == text
        assert game.state_text(position_of(game, text)).split(":H")[0] == game.state_text(session.state).split(":H")[0]
        hub.engine.states = session.states
        names = {hub.engine.write_move(session.state, action): action for action in session.legal}
        assert len(names) == len(session.legal)
        for name, action in names.items():
            first, *rest = name.split("x")
            mixed = "x".join([first, *rest[:1], *random.sample(rest[1:], len(rest[1:]))])
            assert hub.engine.read_move(session.state, mixed) == action
        session.play(random.choice(session.legal))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("pos pos=Wxyz", 'error message="pos=Wxyz: give W or B, '),
        (f'pos pos={HUB_START} moves="32-29"', 'error message="illegal move: 32-29"'),
        ("level depth=deep", 'error message="level depth=deep: give a number"'),
        ("set-param name=variant value=frisian", "error message=\"variant is normal, not 'frisian'\""),
        ("set-param name=magic value=1", "error message=\"there is no parameter 'magic': "),
        ("set-param name=threads value=0", 'error message="threads is a whole number from 1, '),
    ],
)
def test_errors_in_hub(line, told, hub):
    assert hub.ask(line)[0].startswith(told)
    assert hub.ask("frobnicate x=1") == []


# -- dialects of UCI --------------------------------------------------------------------------------------------------


def test_ucci():
    engine = Heard(UcciEngine, Xiangqi())
    lines = engine.ask("ucci")
    assert "option usemillisec type check default true" in lines
    assert lines[-1] == "ucciok"
    assert engine.ask("setoption hashsize 16", "setoption usemillisec false") == []
    assert engine.engine.searcher.table_mb == 16
    lines = engine.ask("position startpos moves h2e2", "go depth 1")
    assert re.fullmatch(r"bestmove [a-i]\d[a-i]\d( ponder [a-i]\d[a-i]\d)?", lines[-1])
    assert " score " in lines[-2]
    assert " cp " not in lines[-2]
    best = lines[-1].split()[1]
    assert engine.ask(f"banmoves {best}", "go depth 1")[-1].split()[1] != best
    assert engine.ask("position startpos", "go time 2 increment 0 depth 1")[-1].startswith("bestmove ")
    assert engine.ask("quit")[-1] == "bye"


def test_usi():
    engine = Heard(UsiEngine, Xiangqi())
    lines = engine.ask("usi")
    assert any(line.startswith("option name USI_Hash type spin") for line in lines)
    assert lines[-1] == "usiok"
    game = Xiangqi()
    names = [game.action_name(game.initial_state(), action) for action in game.actions(game.initial_state())]
    assert [from_shogi(in_shogi(name)) for name in names] == names
    assert engine.ask(f"position startpos moves {in_shogi('h2e2')}", "gameover win") == []
    assert re.fullmatch(r"bestmove ([1-9][a-j]){2}( ponder ([1-9][a-j]){2})?", engine.ask("go depth 1")[-1])
    engine.ask("setoption name Move Overhead value 10")
    limit = engine.engine.limit_of({"btime": 0, "wtime": 0, "byoyomi": 3010})
    assert (limit.seconds, limit.clock) == (3, None)
    engine.ask("position startpos")
    assert engine.engine.limit_of({"btime": 60_010, "wtime": 10, "binc": 500}).clock.seconds == 60
    assert engine.ask("position startpos moves e2e4") == ["info string illegal move: e2e4"]


def test_cyclone():
    engine = Heard(CycloneEngine, Xiangqi())
    assert engine.ask("startpos moves h2e2 h9g7", "uci")[-1] == "uciok"
    assert len(engine.engine.actions) == 2
    fen = Xiangqi().state_text(Xiangqi().initial_state())
    assert engine.ask(f"fen {fen} moves h2e2") == []
    assert re.fullmatch(r"bestmove [a-i]\d[a-i]\d.*", engine.ask("go depth 1")[-1])


# -- all of them ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "game"),
    [(CecpEngine, TicTacToe()), (NBoardEngine, Othello(6)), (HubEngine, EnglishDraughts())],
)
def test_games_that_they_do_not_play(kind, game):
    with pytest.raises(UnsuitableGame, match=" is for "):
        kind(game, print, "alpha-beta")


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["xboard", "chess"], "ping 3\nquit\n"),
        (["xboard", "xiangqi"], "ping 3\nanalyze\n"),
        (["nboard", "othello"], "ping 3\n"),
        (["hub", "international-draughts"], "ping\nquit\n"),
        (["uci", "xiangqi", "--dialect", "ucci"], "isready\nquit\n"),
    ],
)
def test_the_commands(words, lines):
    result = CliRunner().invoke(app, words, input=lines)
    assert result.exit_code == 0, result.output
    assert result.stdout.split()[0] in ("pong", "readyok")


def test_a_wrong_game_or_dialect():
    result = CliRunner().invoke(app, ["hub", "chess"], input="ping\n")
    assert result.exit_code == 2
    assert "Hub is for international draughts, not for Chess" in result.stderr
    result = CliRunner().invoke(app, ["uci", "xiangqi", "--dialect", "uccl"])
    assert result.exit_code == 2
    assert "did you mean ucci?" in result.stderr


@pytest.mark.parametrize(
    ("game", "player"),
    [
        ("chess", f"cecp:{OUTPLAY} xboard chess(depth=1)"),
        ("othello", f"nboard:{OUTPLAY} nboard othello(depth=2)"),
        ("xiangqi", f"uci:{OUTPLAY} uci xiangqi(depth=1)"),
    ],
)
@pytest.mark.nightly
def test_what_one_side_writes_the_other_reads(game, player):
    match = ["match", game, player, "random", "--games", "2", "--max-plies", "40", "--json"]
    result = CliRunner().invoke(app, match)
    assert result.exit_code == 0, result.output
    assert "illegal" not in result.output


PLAIN = """new force go usermove e2e4 e7e5 undo remove level 40 5 0 st sd time otim ping post nopost analyze exit
setboard memory cores ? protover nboard set game depth move hint hub init pos pos=W moves= think ponder analyze
ponder-hit stop new-game position startpos fen moves banmoves infinite nodes 10 x -1 99999999999 (; ;) B[F5] é"""
WORDS = PLAIN.split()


@pytest.mark.parametrize("number", [300, pytest.param(100_000, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(
    ("kind", "game", "answer"),
    [
        (CecpEngine, Chess(), "pong 1"), (NBoardEngine, Othello(), "pong 1"),
        (HubEngine, InternationalDraughts(), "pong"), (UcciEngine, Xiangqi(), "readyok"),
        (UsiEngine, Xiangqi(), "readyok"),
    ],
)  # fmt: skip
def test_no_line_is_their_end(kind, game, answer, number):
    engine, random = Heard(kind, game), Random(11)
    for count in range(number):
        engine.engine.hear(" ".join(random.choices(WORDS, k=random.randrange(1, 7))))
        if count % 50 == 49:
            engine.ask("force" if kind is CecpEngine else "stop", waits=False)
            engine.engine.thinker.finish()
            assert engine.ask("isready" if answer == "readyok" else "ping 1", waits=False)[-1] == answer
