"""The Go Text Protocol: every command, errors, a whole session, a process, and GNU Go as the judge of our rules."""

import os
import random
import re
import signal
import subprocess
import time
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import OUTPLAY, PATIENCE

import outplay
from outplay import AlphaBeta, Clock, Limit
from outplay.arena import play_game, player_named, read_records, replay
from outplay.games import Chess, Go, Nim, SuperkoGo, TicTacToe
from outplay.protocols import Engine, GoEngine, engine_for
from outplay.protocols.gtp.overtime import Time
from outplay.protocols.gtp.responder import COLOURS
from outplay.protocols.program import Program, located
from outplay.session.players import SearchPlayer

needs_gnugo = pytest.mark.skipif(located("gnugo") is None, reason="GNU Go is not installed")


class Chooser:
    """Stands in for a searcher: chooses the last legal action, which in Go is to pass, and remembers what was asked."""

    def __init__(self, game):
        self.game, self.asked = game, []

    def search(self, state, limit=None, *, previous_states=()):
        self.asked.append((state, limit, list(previous_states)))
        *_, action = self.game.actions(state)
        return SimpleNamespace(action=action, value=-0.5, stopped="nodes", seconds=1.5)


def go(size=5, game=Go, searcher=Chooser, limit=None, **options):
    return engine_for(game(size, komi=0.5), searcher, limit, **options)


def told(engine, *lines):
    """What is answered to each line; none is an error."""
    answers = [engine.answer(line) for line in lines]
    assert all(answer.startswith("=") and answer.endswith("\n\n") for answer in answers), answers
    contents = [answer[1:].strip() for answer in answers]
    return contents[0] if len(contents) == 1 else contents


def refused(engine, line):
    """The message of an error; the game stands where it stood."""
    before = engine.session.states[:], engine.session.actions[:], engine.game
    answer = engine.answer(line)
    assert re.fullmatch(r"\? [^\n]+\n\n", answer), answer
    assert (engine.session.states, engine.session.actions, engine.game) == before
    return answer[2:].strip()


# -- lines ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("line", "answer"), [
    ("protocol_version", "= 2\n\n"),
    ("12 name\n", "=12 outplay\n\n"),
    ("007 name\r\n", "=007 outplay\n\n"),
    ("1 play black C3", "=1\n\n"),
    ("play\tblack\tc3", "=\n\n"),
    ("na\x00m\x07e", "= outplay\n\n"),
    ("name # the engine's", "= outplay\n\n"),
    ("1#name", "?1 syntax error: a number without a command\n\n"),
    ("5", "?5 syntax error: a number without a command\n\n"),
    ("-5 name", "? unknown command\n\n"),
    ("³ name", "? unknown command\n\n"),
    ("8 nonsense", "?8 unknown command\n\n"),
    ("NAME", "? unknown command\n\n"),
    ("", ""),
    ("  \t\n", ""),
    ("# name", ""),
    ("\x01", ""),
])  # fmt: skip
def test_a_line_and_its_answer(line, answer):
    assert go().answer(line) == answer


WORDS = [
    *go().commands,
    *COLOURS,
    "A1",
    "e5",
    "pass",
    "3",
    "-1",
    "0.5",
    "1e400",
    "nan",
    "9" * 400,
    "#",
    "é",
    "\x85",
    "½",
]


@settings(max_examples=80)
@given(lines=st.lists(st.text() | st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join), max_size=10))
def test_whatever_is_written_has_an_answer(lines, tmp_path_factory):
    os.chdir(tmp_path_factory.getbasetemp())  # printsgf may write a file
    for engine in go(3), engine_for(TicTacToe(), Chooser):
        for line in lines:
            answer = engine.answer(line)
            assert answer == "" or (answer[0] in "=?" and answer.index("\n\n") == len(answer) - 2)


def test_a_recorded_session():
    session = """
1 boardsize 5
=1

2 komi 2.5
=2

3 clear_board
=3

10 play black C3
=10

11 play white C4
=11

play white B3
=

12 play black c4
?12 illegal move

13 genmove black
=13 pass

showboard
=
5 . . . . .
4 . . O . .
3 . O X . .
2 . . . . .
1 . . . . .
  A B C D E
white to move

final_score
= W+3.5

undo
=

14 play black D4
=14

15 play black B4
=15

16 play black C5
=16

final_score
= B+1.5

final_status_list alive
= C3
B4
D4
C5
B3

quit
=

"""
    engine = go(9)
    for exchange in filter(str.strip, re.split(r"\n\n(?=\S)", session.strip() + "\n")):
        line, _, answer = exchange.strip().partition("\n")
        assert not engine.ended
        assert re.sub(" +$", "", engine.answer(line), flags=re.MULTILINE).strip() == answer, line
    assert engine.ended


# -- about the engine -------------------------------------------------------------------------------------------------


def test_what_the_engine_is():
    engine = go()
    assert told(engine, "name", "version", "protocol_version") == ["outplay", outplay.__version__, "2"]
    commands = told(engine, "list_commands").splitlines()
    for command in commands:
        assert told(engine, f"known_command {command}") == "true"
    assert told(engine, "known_command fly") == "false"
    required = "protocol_version name version known_command list_commands quit boardsize clear_board komi play genmove"
    assert set(required.split()) <= set(commands)
    assert len(commands) == 24


def test_commands_of_go_are_for_go():
    engine = engine_for(TicTacToe(), Chooser)
    assert type(engine) is Engine
    assert type(go()) is GoEngine
    assert refused(engine, "komi 6.5") == "unknown command"
    assert told(engine, "known_command boardsize") == "false"


@pytest.mark.parametrize(("line", "says"), [
    ("boardsize", "syntax error: wanted boardsize size"),
    ("boardsize 1", "unacceptable size"),
    ("boardsize 20", "unacceptable size"),
    ("boardsize nine", "syntax error: 'nine' is not a whole number"),
    ("boardsize 9 9", "syntax error: wanted boardsize size"),
    ("komi", "syntax error: wanted komi new_komi"),
    ("komi much", "syntax error: 'much' is not a number"),
    ("komi 0.3", "komi=0.3: komi must be a whole or half number from -361 to 361"),
    ("play", "syntax error: wanted play color move"),
    ("play black", "syntax error: wanted play color move"),
    ("play red C3", "invalid color: 'red'; wanted black or white"),
    ("play black F1", "invalid coordinate: 'F1' is not a point of this board, which has A1 to E5"),
    ("play black I1", "invalid coordinate: 'I1' is not a point of this board, which has A1 to E5"),
    ("play black C 3", "invalid coordinate: 'C 3' is not a point of this board, which has A1 to E5"),
    ("play white A1", "illegal move"),
    ("genmove", "syntax error: wanted genmove color"),
    ("genmove x", "invalid color: 'x'; wanted black or white"),
    ("fixed_handicap 2", "invalid number of stones: on a board of size 5 there are none"),
    ("time_settings 1 2", "syntax error: wanted time_settings main_time byo_yomi_time byo_yomi_stones"),
    ("time_settings -1 0 0", "syntax error: '-1' is not a number from 0"),
    ("time_left black 3 x", "syntax error: 'x' is not a whole number"),
    ("final_status_list asleep", "syntax error: 'asleep' is not a status; wanted alive, dead or seki"),
    ("loadsgf nowhere.sgf", "cannot load file: nowhere.sgf cannot be read: No such file or directory"),
    ("printsgf no/where.sgf", "cannot write file: no/where.sgf cannot be written: No such file or directory"),
    ("known_command", "syntax error: wanted known_command command"),
])  # fmt: skip
def test_what_is_wrong_is_said(line, says):
    engine = go()
    told(engine, "play b A2", "play w pass", "play b B1")  # A1 is suicide for white
    assert refused(engine, line) == says


# -- the game ---------------------------------------------------------------------------------------------------------


def test_ko_is_illegal_and_so_is_superko_where_it_is_the_rule():
    ko = [f"play {move}" for move in ("b B1", "w C1", "b A2", "w D2", "b B3", "w C3", "b C2", "w B2")]
    engine = go()
    told(engine, *ko)
    assert refused(engine, "play b C2") == "illegal move"
    told(engine, "play b E5", "play w E1", "play b C2")
    engine = go(2, SuperkoGo)
    told(engine, "play b A1", "play w B1", "play b B2")  # captures B1
    assert refused(engine, "play w B1") == "illegal move"
    told(engine, "play w pass")


def test_a_colour_may_move_twice():
    engine = go()
    told(engine, "play w C3", "play w C4", "play b C2", "play b D3", "genmove b")
    assert engine.session.actions == [12, 17, 7, 13, 25]
    assert [state.turn for state in engine.session.states] == [0, 0, 0, 1, 1, 1]
    assert told(engine, "showboard").splitlines()[1:4] == ["4 . . O . .", "3 . . O X .", "2 . . X . ."]
    told(engine, *["undo"] * 5)
    assert refused(engine, "undo") == "cannot undo: there is no move to take back"
    assert engine.session.states == [engine.game.initial_state()]


def test_the_game_goes_on_after_two_passes():
    engine = go()
    told(engine, "play b C3", "play w pass", "play b pass")
    assert engine.game.is_terminal(engine.session.states[-1])
    told(engine, "play w D3", "play b D4")
    assert told(engine, "kgs-genmove_cleanup w") == "pass"
    assert told(engine, "showboard").splitlines()[1:3] == ["4 . . . X .", "3 . . X O ."]


def test_the_game_goes_on_after_a_repetition():
    """Elsewhere `Go` is a draw then: a searcher that knows the past has nothing to search."""

    class Interpreted(Go):
        compiled = False

    engine = go(2, Interpreted, AlphaBeta, Limit(depth=2))
    told(engine, "play w pass", "play w pass")
    *past, state = engine.session.states
    assert AlphaBeta(engine.game).search(state, Limit(depth=2), previous_states=past).action is None
    assert told(engine, "genmove b") in {"A1", "A2", "B1", "B2", "pass"}


def test_komi_changes_and_the_game_goes_on():
    engine = go()
    told(engine, "play b C3", "komi -3")
    assert engine.game == Go(5, komi=-3)
    assert engine.searcher.game == engine.game
    assert told(engine, "final_score") == "B+28"
    assert told(engine, "komi 25", "final_score") == ["", "0"]


def test_a_new_game_keeps_the_options_and_has_no_handicap():
    engine = engine_for(Go(9, komi=0.5, handicap=2, suicide=True), Chooser)
    told(engine, "play w E4", "boardsize 7")
    assert engine.game == Go(7, komi=0.5, suicide=True)
    told(engine, "fixed_handicap 2", "clear_board")
    assert engine.game == Go(7, komi=0.5, suicide=True)
    assert engine.session.states == [engine.game.initial_state()]
    assert engine.session.actions == []


def test_handicap():
    engine = go(9)
    assert told(engine, "fixed_handicap 5") == "C3 G7 C7 G3 E5"
    assert told(engine, "final_status_list alive").split() == ["C3", "G3", "E5", "C7", "G7"]
    assert refused(engine, "fixed_handicap 2") == "board not empty"
    told(engine, "play w E4")
    assert engine.session.states[-1].turn == 0
    told(engine, "clear_board", "play b A1")
    assert refused(engine, "set_free_handicap C3 G7") == "board not empty"
    told(engine, "undo", "set_free_handicap g7 c3")
    assert engine.game.handicap == 2
    told(engine, "clear_board")
    assert refused(engine, "set_free_handicap C3 C4") == "bad vertex list: 2 handicap stones go on C3 G7"
    assert refused(engine, "set_free_handicap C3 C3") == "repeated vertex"
    assert refused(engine, "set_free_handicap C3 Z4").startswith("invalid coordinate: 'Z4'")
    for wrong in "set_free_handicap", "set_free_handicap C3", "fixed_handicap 1", "fixed_handicap 10":
        assert refused(engine, wrong) == "invalid number of stones: on a board of size 9 there are 2 to 9"
    assert told(engine, "place_free_handicap 2") == "C3 G7"
    assert told(engine, "boardsize 8", "place_free_handicap 9")[1] == "C3 F6 C6 F3"
    assert told(engine, "printsgf").startswith("(;GM[1]FF[4]SZ[8]KM[0.5]HA[4]AB[")


def test_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    engine = go(7)
    told(engine, "fixed_handicap 2", "play w D4", "play b pass", "play w C4")
    text = told(engine, "printsgf")
    assert text == "(;GM[1]FF[4]SZ[7]KM[0.5]HA[2]AB[ce][ec];W[dd];B[];W[cd])"
    told(engine, "printsgf game.sgf")
    assert (tmp_path / "game.sgf").read_text() == f"{text}\n"
    other = go(9)
    told(other, "play b A1", "loadsgf game.sgf")
    assert (other.game, other.session.states, other.session.actions) == (
        engine.game,
        engine.session.states,
        engine.session.actions,
    )
    for number, played in (("1", 0), ("2", 1), ("4", 3), ("9", 3)):
        told(other, f"loadsgf game.sgf {number}")
        assert other.session.actions == engine.session.actions[:played]
    (tmp_path / "bad.sgf").write_text("(;GM[1]SZ[5];B[zz])")
    assert "B[zz]: it is not legal" in refused(other, "loadsgf bad.sgf")
    told(engine, "play w A1")  # twice in a row
    assert told(engine, "printsgf game.sgf") == ""
    assert told(other, "loadsgf game.sgf").startswith("move 4, W[ag]: white moves twice in a row")
    assert other.session.states[-1] == engine.session.states[-1]
    told(engine, "clear_board", "play b pass", "play w pass", "play b A1", "printsgf game.sgf", "undo")
    assert told(other, "loadsgf game.sgf") == ""
    assert other.session.actions == [49, 49, 0]


def test_loadsgf_of_others(tmp_path, monkeypatch):
    """The encoding of the file, stones set up, and the moves after two passes, as all readers of games have them."""
    monkeypatch.chdir(tmp_path)
    engine = go(9)
    text = "(;CA[Shift_JIS]PB[ソ]PW[表]SZ[5]KM[6,5]AB[aa]AW[bb]PL[W];W[cc];B[];W[];B[dd];W[];B[];W[])"
    (tmp_path / "game.sgf").write_bytes(text.encode("shift_jis"))
    assert told(engine, "loadsgf game.sgf") == "KM[6,5]: read as a komi of 6.5 points"
    [found] = read_records("game.sgf")
    assert (
        (engine.game, engine.session.actions)
        == (found.game, found.record.actions)
        == (Go(5, 6.5), [12, 25, 25, 8, 25, 25, 25])
    )
    assert engine.session.states == replay(found.game, found.record)[0]
    assert told(engine, "printsgf") == "(;GM[1]FF[4]SZ[5]KM[6.5]AB[aa]AW[bb]PL[W];W[cc];B[];W[];B[dd];W[];B[];W[])"
    told(engine, "loadsgf game.sgf 3")
    assert engine.session.actions == [12, 25]
    (tmp_path / "bad.sgf").write_text("(;SZ[5];B[aa];W[aa])")
    assert refused(engine, "loadsgf bad.sgf") == "cannot load file: bad.sgf: move 2, W[aa]: it is not legal"
    assert engine.session.actions == [12, 25]  # as before


def test_games_but_go():
    engine = engine_for(TicTacToe(), AlphaBeta, Limit(depth=9))
    told(engine, "play b b2")
    assert refused(engine, "play b a1") == refused(engine, "genmove b") == "it is the other player's turn"
    assert refused(engine, "play w b2") == refused(engine, "play w z9") == "illegal move"
    assert refused(engine, "final_score") == "the game is not over"
    told(engine, "play w b1", "genmove b", "genmove w", "genmove b", "genmove w", "genmove b")
    assert refused(engine, "genmove w") == refused(engine, "play w a2") == "the game is over"
    assert told(engine, "final_score") == "B+1"
    moves = engine.session.actions[:]
    told(engine, "undo", "undo")
    assert engine.session.actions == moves[:-2]
    told(engine, "clear_board")
    assert (engine.session.actions, len(engine.session.states)) == ([], 1)


def test_names_of_moves_may_hold_spaces():
    class Words(Nim):
        def action_name(self, state, action):
            return f"take number {action}"

    engine = engine_for(Words((1, 2)), Chooser)
    told(engine, "play b take number 0")
    assert refused(engine, "play w take number 0") == "illegal move"
    assert told(engine, "genmove w").startswith("take number ")


def test_chess():
    engine = engine_for(Chess(), Chooser)
    told(engine, "play b e4", "play w e7e5", "genmove b")
    assert (
        engine.game.state_text(engine.session.states[-2])
        == "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    )
    assert len(engine.session.actions) == 3


def test_broken_rules_give_no_traceback():
    class Broken(Nim):
        def result(self, state, action):
            return 1 // 0

    engine = engine_for(Broken((1, 2)), Chooser)
    move = engine.game.action_name(engine.session.states[0], 0)
    assert re.fullmatch(r"ZeroDivisionError: .*test_gtp.py:\d+: return 1 // 0", refused(engine, f"play b {move}"))


# -- the search -------------------------------------------------------------------------------------------------------


def test_a_move_is_searched_with_the_past_and_the_limit():
    engine = go(limit=Limit(nodes=77))
    told(engine, "play b C3", "genmove w", "reg_genmove b")
    (first, limit, past), (state, again, _) = engine.searcher.asked
    assert (limit, again) == (Limit(nodes=77), Limit(nodes=77))
    assert past == [engine.game.initial_state()]
    assert [past[0], first, state] == engine.session.states
    assert engine.session.actions == [12, 25]  # reg_genmove has played nothing
    engine = go()
    told(engine, "genmove b")
    assert engine.searcher.asked[0][1] == Limit(seconds=5)


def test_a_new_game_has_a_new_searcher():
    engine = go()
    first = engine.searcher
    told(engine, "play b C3")
    assert engine.searcher is first
    told(engine, "clear_board")
    assert engine.searcher is not first


def test_resigning():
    for threshold, move in ((None, "pass"), (-0.6, "pass"), (-0.5, "resign"), (0, "resign")):
        engine = go(resign=threshold)
        assert told(engine, "reg_genmove b", "genmove b") == [move, move]
        assert len(engine.session.actions) == (move == "pass")


def test_a_search_without_an_answer_plays_what_is_legal_and_does_not_resign():
    engine = go(searcher=AlphaBeta, limit=Limit(nodes=1), resign=0.0)
    assert "resign" not in told(engine, "genmove b", "genmove w")
    assert len(engine.session.actions) == 2


def test_every_analysis_is_reported():
    seen = []
    engine = go(report=seen.append)
    told(engine, "genmove b", "reg_genmove w")
    assert [analysis.value for analysis in seen] == [-0.5, -0.5]


def test_ctrl_c_ends_the_loop():
    class Interrupted(Chooser):
        def search(self, state, limit=None, *, previous_states=()):
            return SimpleNamespace(action=3, value=0, stopped="interrupted", seconds=0.1)

    engine = go(searcher=Interrupted)
    with pytest.raises(KeyboardInterrupt):
        engine.answer("genmove b")
    assert engine.session.actions == []


# -- the clock --------------------------------------------------------------------------------------------------------


def clocks(engine, *lines):
    """The limit of each search that the lines ask for."""
    told(engine, *lines)
    return [limit for state, limit, _ in engine.searcher.asked if limit != Limit(nodes=1)]


@pytest.mark.parametrize(("settings", "wanted"), [
    ("60 0 0", [Clock(60), Clock(58.5)]),  # `Chooser` takes 1.5 s
    ("60 30 10", [Clock(60, increment=3), Clock(58.5, increment=3)]),
    ("1 30 10", [Clock(1, increment=3), Clock(29.5, moves=10)]),
    ("0 30 2", [Clock(30, moves=2), Clock(28.5, moves=1)]),
    ("0 30 1", [Clock(30, moves=1), Clock(30, moves=1)]),
    ("1 0 0", [Clock(1), Clock(0)]),
])  # fmt: skip
def test_time_settings(settings, wanted):
    engine = go()
    assert clocks(engine, f"time_settings {settings}", "genmove b", "genmove b") == [
        Limit(clock=each) for each in wanted
    ]
    engine = go(limit=Limit(nodes=9))
    first = clocks(engine, f"time_settings {settings}", "genmove b", "clear_board", "genmove b")
    assert first == [Limit(nodes=9, clock=wanted[0])]  # a new game has its time anew


@pytest.mark.parametrize("settings", ["0 1 0", "100 30 0", "0 0 0"])
def test_no_limit_is_the_usual_one(settings):
    assert clocks(go(), f"time_settings {settings}", "genmove b") == [Limit(seconds=5)]


def test_time_is_set_once_all_is_compiled():
    engine = go()
    told(engine, "play b C3", "time_settings 10 0 0")
    assert engine.searcher.asked == [(engine.game.initial_state(), Limit(nodes=1), [])]


def test_time_left():
    engine = go()
    asked = clocks(engine, "time_settings 60 30 10", "time_left w 9 0", "genmove w", "genmove b", "time_left b 8 3",
                   "genmove b", "time_left b 7 0", "genmove b")  # fmt: skip
    wanted = Clock(9, increment=3), Clock(60, increment=3), Clock(8, moves=3), Clock(7, increment=3)
    assert asked == [Limit(clock=clock) for clock in wanted]
    asked = clocks(go(), "time_left b 20 0", "time_left w 10 5", "genmove b", "genmove w", "reg_genmove b")
    assert asked == [Limit(clock=Clock(20)), Limit(clock=Clock(10, moves=5)), Limit(seconds=5)]


@given(times=st.tuples(*[st.floats(0, 100)] * 2, st.integers(0, 5)), taken=st.lists(st.floats(0, 60), max_size=20))
def test_time_never_runs_below_zero_and_overtime_never_ends_in_main_time(times, taken):
    time = Time.begin(*times)
    for seconds in taken:
        after = time.after(seconds)
        assert after.left >= 0
        assert after.due >= bool(time.due)
        assert after.due <= time.stones
        assert after.clock.seconds == after.left
        time = after


# -- the command ------------------------------------------------------------------------------------------------------


def process(*arguments, **options):
    command = [*OUTPLAY, "gtp", *arguments]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, text=True, **pipes, **options)


@pytest.mark.nightly
def test_a_session_with_a_process():
    with process("go(size=5)", "--nodes", "300", "--algorithm", "alpha-beta") as engine:
        out, err = engine.communicate("1 name\n\n# hi\n2 genmove b\n\xff\n3 final_score\nquit\nname\n")
    assert re.fullmatch(r"=1 outplay\n\n=2 [A-E][1-5]\n\n\? unknown command\n\n=3 B\+17.5\n\n=\n\n", out)
    assert engine.returncode == 0
    assert "nodes/s" in err
    assert "Traceback" not in err


def test_the_end_of_the_input_ends_it():
    with process("tic-tac-toe") as engine:
        assert engine.communicate("play b b2\nname") == ("=\n\n= outplay\n\n", "")
    assert engine.returncode == 0


def test_rules_that_print_do_not_disturb(tmp_path):
    (tmp_path / "loud.py").write_text(
        "from outplay.games import Nim\n"
        "class Loud(Nim):\n"
        "    compiled = False\n"
        "    def render(self, state):\n"
        "        print('noise')\n"
        "        return 'here'\n"
    )
    with process("loud.py", cwd=tmp_path) as engine:
        assert engine.communicate("showboard\n") == ("= \nhere\n\n", "noise\n")


@pytest.mark.sample(1)
@pytest.mark.parametrize("line", ["name", "genmove b"])
def test_ctrl_c_ends_the_process_while_it_waits_and_while_it_searches(line):
    with process("go(size=9)", "--seconds", "300", "--algorithm", "alpha-beta") as engine:
        engine.stdin.write("name\n" if line == "name" else "time_settings 0 1 0\n")  # compiles
        engine.stdin.flush()
        assert (engine.stdout.readline()[0], engine.stdout.readline()) == ("=", "\n")
        if line != "name":
            engine.stdin.write(f"{line}\n")
            engine.stdin.flush()
            time.sleep(0.5)
        engine.send_signal(signal.SIGINT)
        out, err = engine.communicate(timeout=PATIENCE)
        assert (out, err) == ("", "interrupted\n")
        assert engine.returncode == 130


@pytest.mark.parametrize(("arguments", "says"), [
    (["gow"], "did you mean go?"),
    (["go", "--algorithm", "alpha"], "did you mean alpha-beta?"),
    (["nim", "--seed", "3"], "--seed: alpha-beta uses no random numbers"),
    (["go", "--algorithm", "minimax", "--threads", "2"], "--threads is for alpha-beta"),
])  # fmt: skip
def test_what_is_wrong_with_the_command_is_said_at_once(arguments, says):
    with process(*arguments, env={**os.environ, "COLUMNS": "200"}) as engine:
        out, err = engine.communicate()
    assert (out, engine.returncode) == ("", 2)
    assert says in err


# -- GNU Go -----------------------------------------------------------------------------------------------------------


class Judge:
    """GNU Go, which says what is legal and who has won."""

    def __init__(self):
        self.program = Program("gnugo --mode gtp --level 1 --chinese-rules --seed 1")

    def ask(self, command):
        """The answer to a command, which is no error."""
        until, lines = time.monotonic() + PATIENCE, []
        self.program.send(command)
        while line := self.program.read(until):
            lines.append(line)
        assert lines[0].startswith("="), lines
        return "\n".join(lines)[1:].strip()


@pytest.fixture
def judge():
    found = Judge()
    yield found
    found.program.close()


@needs_gnugo
def test_the_same_moves_are_legal_to_gnu_go(judge):
    engine, rng, kos = go(9), random.Random(1), 0
    for _ in range(20):
        judge.ask("boardsize 9")
        told(engine, "boardsize 9")
        for ply in range(rng.randrange(100, 300)):
            color = "bw"[ply % 2]
            legal = engine.names(engine.legal(engine.turn_of(ply % 2)))
            assert sorted(legal) == sorted(["pass", *judge.ask(f"all_legal {color}").split()])
            move = rng.choice([name for name in legal if name != "pass"] or legal)
            judge.ask(f"play {color} {move}")
            told(engine, f"play {color} {move}")
            kos += engine.session.states[-1].ko >= 0
    assert kos > 10


@needs_gnugo
@pytest.mark.parametrize("size", [7, 8, 9, 13, 19])
def test_handicap_stones_are_where_gnu_go_puts_them(judge, size):
    engine = go()
    for stones in range(2, 10 if size > 8 else 5):
        for each in judge.ask, lambda line: told(engine, line):
            each(f"boardsize {size}")
        line = f"fixed_handicap {stones}"
        assert sorted(told(engine, line).split()) == sorted(judge.ask(line).split())


@needs_gnugo
@pytest.mark.parametrize("mine", [0, 1])
def test_a_game_with_gnu_go(judge, mine):
    """It takes each move as legal; once it has captured all dead stones, it counts the same."""

    class Interpreted(Go):
        compiled = False

    game = Interpreted(5, komi=0.5)
    ours = SearchPlayer(AlphaBeta(game), Limit(depth=1))
    theirs = player_named("gtp:gnugo --mode gtp --level 1 --chinese-rules --seed 1 --capture-all-dead", game)
    record = play_game(game, (ours, theirs)[:: -1 if mine else 1], ["black", "white"])
    theirs.close()
    assert (record.reason, record.guilty) == ("rules", None)
    for command in "boardsize 5", "clear_board", "komi 0.5":
        judge.ask(command)
    for ply in record.plies:
        judge.ask(f"play {'bw'[ply.player]} {ply.name}")
    assert judge.ask("final_score")[0] == "BW"[record.utilities[1] > 0]
