"""The command line, as a person meets it: answers, errors, Ctrl-C, and a game through a pipe."""

import dataclasses
import inspect
import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
import typer
from shared import PATIENCE
from typer.testing import CliRunner

import outplay
from outplay import MCTS, AlphaBeta, Analysis, Clock, Limit, Minimax, legal_actions
from outplay.cli.analyse import effort_text
from outplay.cli.commands import app
from outplay.cli.options import read_clock
from outplay.cli.output import outcome, picture
from outplay.cli.searchers import searcher_for, settable
from outplay.cli.start import play_moves
from outplay.cli.terminal import TerminalGame
from outplay.games import BUILT_IN, Chess, ExplicitTree, Nim, TicTacToe
from outplay.session import SearchPlayer, Session
from outplay.session.algorithms import SEARCHES, searcher_class, suited
from outplay.session.levels import LEVELS, LEVELS_BY_SIMULATIONS
from outplay.session.load import load_game
from outplay.session.players import choose

COUNTDOWN = '''
from typing import NamedTuple

from outplay import Game


class State(NamedTuple):
    left: int
    turn: int


class Countdown(Game):
    """Take 1 or 2; who takes the last one wins."""

    utilities = (-1, 1)

    def __init__(self, start=5):
        self.start = start

    def initial_state(self):
        return State(self.start, 0)

    def to_move(self, state):
        return state.turn

    def actions(self, state):
        for taken in (1, 2):
            if taken <= state.left:
                yield taken

    def result(self, state, taken):
        return State(state.left - taken, 1 - state.turn)

    def is_terminal(self, state):
        return state.left == 0

    def utility(self, state, player):
        return -1 if state.turn == player else 1

    def order(self, state, taken):
        return 0  # bug

    def action_name(self, state, taken):
        return ("one, of", "take two")[taken - 1]


class Interpreted(Countdown):
    compiled = False
'''


COMMAND = "from outplay.cli.main import run; run()"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The folder in which commands run, with a game in a file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OUTPLAY_DEBUG", raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "countdown.py").write_text(COUNTDOWN)
    return tmp_path


def run(*arguments, code=0, stdin=None):
    """What the command prints."""
    result = CliRunner().invoke(app, arguments, input=stdin, catch_exceptions=False)
    assert result.exit_code == code, result.output
    assert (result.stderr == "") == (code in (0, 1)), result.stderr
    return result.stdout


def error(*arguments):
    """The error that the command tells; it prints nothing else."""
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Traceback" not in result.stderr
    return result.stderr


def process(*arguments, **options):
    """The command in a process of its own."""
    command = [sys.executable, "-c", COMMAND, *arguments]
    return Killed(command, stdout=subprocess.PIPE, text=True, **options)


class Killed(subprocess.Popen):
    """A process that ends with the `with` block, also when the test fails."""

    def __exit__(self, *error):
        if error[0] is not None:
            self.kill()
        super().__exit__(*error)


# -- the command as a whole -------------------------------------------------------------------------------------------


def test_version_and_help_need_no_heavy_imports():
    program = (
        "import sys\nfrom outplay.cli.commands import app\n"
        "try: app(sys.argv[1:])\nfinally: assert not {'numba', 'numpy', 'rich'} & set(sys.modules)"
    )
    for option, told in (("--version", f"outplay {outplay.__version__}"), ("--help", "analyse"), ("play", "level N")):
        command = [sys.executable, "-c", program, option, *(["-h"] if option == "play" else [])]
        assert told in subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    "command", ["games", "algorithms", "analyse", "play", "gtp", "solve", "book", "check", "cache"]
)
def test_every_command_has_help_with_examples(command):
    shown = run(command, "--help")
    assert f"  outplay {command}" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_what_is_wrong_is_said_with_the_nearest_name():
    assert "did you mean analyse?" in error("analyze", "nim")
    assert "--seconds" in error("analyse", "nim", "--secnds", "3")
    assert "did you mean minimax?" in error("analyse", "nim", "--algorithm", "minmax")
    assert "did you mean both?" in error("play", "nim", "--player", "bot")
    assert "did you mean tic-tac-toe or" in error("solve", "tictactoe")
    assert "did you mean heaps?" in error("check", "nim(heap=(1,))")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["analyse"], "GAME is missing: a name,"),
        (["analyse", "nim", "--seconds", "-1"], "--seconds -1: give a number from 0 up"),
        (["analyse", "nim", "--seconds", "nan"], "--seconds"),
        (["analyse", "nim", "--seconds", "inf"], "Error: Limit(seconds=inf): seconds must be a number from 0 on"),
        (["analyse", "nim", "--depth", "0"], "--depth 0: give a whole number from 1 up"),
        (["analyse", "nim", "--depth", "x"], "--depth"),
        (["analyse", "nim", "--nodes", "-5"], "--nodes"),
        (
            ["analyse", "nim", "--table-mb", "1e9"],
            "table_mb=1000000000.0): table_mb must be a number from 0 to 1000000",
        ),
        (["solve", "nim", "--table-mb", "5", "--algorithm", "MiniMax"], "the other algorithms: minimax has no table"),
        (["analyse", "nim(heaps=(-1,))"], "heaps[0]=-1: heaps[0] must be a whole number"),
        (["analyse", "no_file.py"], "there is no file no_file.py"),
        (["analyse", "countdown.py"], "choose one, for instance countdown.py:Countdown"),
        (["analyse", "nim", "--beam", "3"], "there is no --beam, but algorithms have such an option: --set beam=VALUE"),
        (["tree", "nim", "--first-play=3"], "--set first_play=VALUE"),
        (["analyse", "nim", "--depht", "3"], "has no option --depht; did you mean --depth?"),
        (["perft", "nim", "--beam", "3"], "outplay perft has no option --beam"),
        (["equilibrium", "[[1, -1], [-1, 1]]"], 'for a matrix game, write "matrix([[1, -1], [-1, 1]])"'),
        (["play", "nim", "--level", "11"], "--level"),
        (["play", "nim", "--clock", "5:75"], "'5:75' is not a time; write 5:00+3 for 5 minutes and 3 seconds per move"),
        (["play", "nim", "--clock", "0+3"], "'0+3' is not a time"),
        (["check", "nim", "--playouts", "0"], "--playouts"),
        (
            [
                "analyse",
                "explicit-tree({'player': 'chance', 'children': [1, 2], 'probabilities': [0.5, 0.5]})",
                "--algorithm",
                "alpha-beta",
            ],
            "need Expectiminimax",
        ),
        (["play", "explicit-tree({'utility': [1, 2, 3]})", "--algorithm", "alpha-beta"], "3 players"),
        (["play", "pacman", "--player", "3"], "the players of Pacman() are 0 to 2; you can also write all or none"),
        (["play", "pacman('corridor')", "--player", "1"], "the players of Pacman(map='corridor') are only 0"),
        (
            ["play", "pacman('P.x')"],
            "Pacman('P.x'): map='P.x': there is no map and no text file of that name; known maps: ",
        ),
        (
            ["play", "pacman('P.\\n.')"],
            "map: line 2 has 1 cells, but line 1 has 2; all lines must have the same length",
        ),
    ],
)
def test_bad_input_is_one_clear_error(arguments, told):
    assert told in error(*arguments)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["Countdown", "Interpreted"])
def test_a_mistake_in_the_rules_is_shown_with_its_line(folder, name):
    source = COUNTDOWN.replace("return 0  # bug", "return 1 // int(0 * state.left)")
    (folder / "mistaken.py").write_text(source)
    told = error("analyse", f"mistaken.py:{name}", "--depth", "3")
    if name == "Interpreted":
        assert "ZeroDivisionError" in told
        assert "mistaken.py:41: return 1 // int(0 * state.left)" in told
    else:
        assert "Countdown.order in mistaken.py: division by zero; with OUTPLAY_CHECKED=1" in told


def test_debug_shows_the_traceback(monkeypatch):
    for arguments in (["--debug", "analyse", "no"], ["analyse", "no", "--debug"]):
        with pytest.raises(outplay.RulesError):
            run(*arguments)
    monkeypatch.setenv("OUTPLAY_DEBUG", "1")
    with pytest.raises(outplay.RulesError):
        run("analyse", "no")


@pytest.mark.nightly
@pytest.mark.compiled
def test_rules_that_do_not_compile_are_a_warning(folder):
    source = COUNTDOWN.replace("return 0  # bug", "return len(str(taken).join([]))")
    (folder / "slow.py").write_text(source)
    result = CliRunner().invoke(app, ["analyse", "slow.py:Countdown"])
    assert (result.exit_code, "Player 0 to move: win in 3, exact" in result.stdout) == (0, True)
    assert result.stderr.startswith("Warning: Countdown runs interpreted")
    assert "slow.py" in result.stderr


# -- analyse ----------------------------------------------------------------------------------------------------------


def test_analyse_shows_the_board_every_action_and_the_work():
    lines = [line.rstrip() for line in run("analyse", "tic-tac-toe", "--moves", "a1 b1").splitlines()]
    assert lines[:8] == ["TicTacToe() after a1 b1", "", "3 . . .", "2 . . .", "1 X O .", "  a b c", "X to move", ""]
    assert lines[8] == "Player 0 to move: win in 5, exact."
    rows = [line.split()[0] for line in lines if re.fullmatch(r".*  exact .*", line)]
    assert len(rows) == 7
    assert set(rows[:3]) == {"a2", "b2", "a3"}
    assert re.fullmatch(r"AlphaBeta: depth 7, [\d,]+ nodes in \d.\d\d s, .* nodes/s", lines[-1])
    assert max(map(len, lines)) <= 80


def test_analyse_in_json_is_the_library_s_answer():
    state = TicTacToe().initial_state()
    data = json.loads(run("analyse", "tic-tac-toe", "--json", "--algorithm", "minimax", "--depth", "4"))
    expected = {
        "moves": [],
        **Minimax(TicTacToe()).analyse(state, Limit(depth=4)).as_dict(),
        "seconds": data["seconds"],
    }
    assert data == json.loads(json.dumps(expected))
    assert data["nodes"] == 1 + 9 + 9 * 8 + 9 * 8 * 7 + 9 * 8 * 7 * 6


@pytest.mark.nightly
def test_analyse_is_selective_if_told_and_play_where_the_game_is_made_for_it():
    options = ["--moves", "44444", "--depth", "8", "--json"]
    found = [json.loads(run("analyse", "connect-four", *options, *more))["nodes"] for more in ([], ["--selective"])]
    assert found[1] < found[0]
    refused = error("analyse", "nim", "--selective", "--algorithm", "minimax")
    assert "--selective is for alpha-beta and mtdf" in " ".join(refused.split())
    assert [searcher_for(game, "alpha-beta", selective=None).selective for game in (Chess(), Nim())] == [True, False]


def test_analyse_stops_after_two_seconds_unless_told_otherwise():
    assert json.loads(run("analyse", "connect-four", "--json", "--nodes", "500"))["stopped"] == "nodes"
    assert json.loads(run("analyse", "connect-four", "--json", "--depth", "2"))["limit"] == "Limit(depth=2)"
    assert json.loads(run("analyse", "tic-tac-toe", "--json"))["limit"] == "Limit(seconds=2.0)"
    assert "(node limit)" in run("analyse", "connect-four", "--nodes", "500")


def test_why_a_search_stopped_is_always_told():
    """By whatever `Analysis.stopped` may say."""
    analysis = AlphaBeta(TicTacToe()).search(limit=Limit(depth=2))
    words = re.findall(r'"(\w+)"', inspect.getdoc(Analysis).partition("stopped:")[2].partition(", or")[0])
    assert "clock" in words
    for word in words:
        assert " s (" in effort_text(dataclasses.replace(analysis, stopped=word)), word


def test_analyse_shows_the_tree():
    textbook = "explicit-tree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])"
    shown = run("analyse", textbook, "--tree", "2")
    assert "\nAlphaBeta, depth 2, 16 visits  value  window     why\n" in shown
    assert re.search(r"├─ 2: MIN +≤ 2    > 3\?       cut\n│  ├─ 1 +2      > 3\?       end\n", shown)
    assert "│  └─ ✂ 2 (4) 3 (6)  pruned\n" in shown
    assert "at most +2" in shown
    assert "✂ 2 (4)" not in run("analyse", textbook)
    assert "✂ 2 (4)" not in run("analyse", textbook, "--tree", "1")
    visits = json.loads(run("analyse", textbook, "--tree", "1", "--json"))["trace"]["visits"]
    assert {visit["ply"] for visit in visits} == {0, 1}
    assert "trace" not in json.loads(run("analyse", textbook, "--json"))
    assert "--tree is for alpha-beta" in error("analyse", textbook, "--tree", "2", "--algorithm", "minimax")


def test_a_tree_in_a_file_searched_as_in_textbooks(tmp_path):
    file = tmp_path / "tree.json"
    file.write_text('[{"name": "B", "children": [3, 12, 8]}, [2, 4, 6], [14, 5, 2]]')
    shown = run("analyse", str(file), "--textbook", "--tree", "2")
    assert "\nAlphaBeta(textbook=True), 11 visits  value  window " in shown
    assert "├─ 1: MIN B " in shown
    assert "✂ 2 (4) 3 (6)  pruned" in shown
    assert "Player 0 to move: +3, exact." in shown
    shown = run("analyse", str(file), "--textbook", "--tree", "2", "--algorithm", "minimax")
    assert "\nMinimax(textbook=True), 13 visits  value  why\n" in shown
    assert "--textbook is for minimax, alpha-beta" in error("analyse", str(file), "--textbook", "--algorithm", "mcts")
    assert "drop selective\n" in error("analyse", str(file), "--textbook", "--selective")
    shown = run("analyse", "tic-tac-toe", "--textbook", "--json", "--seconds", "60")
    assert json.loads(shown)["nodes"] > 18_297  # every action's value
    file.write_text("[3, [")
    assert "tree.json: not JSON: " in error("analyse", str(file))


def test_analyse_when_there_is_nothing_to_say():
    over = run("analyse", "tic-tac-toe", "--moves", "a1 b1 a2 b2 a3")
    assert "The game is over: player 0 wins; utilities +1 -1." in over
    for tree, told in ((-12, "player 1 wins by 12"), (0, "draw"), ({"utility": [1, 2, 0.5]}, "utilities +1 +2 +0.5")):
        game = ExplicitTree(tree)
        assert outcome(game, [game.utility(game.initial_state(), player) for player in range(game.players)]) == told
    nothing = run("analyse", "connect-four", "--algorithm", "minimax", "--nodes", "5")
    assert "Stopped before any answer: 4 is only the action to try first; give it more time" in nothing


@pytest.mark.parametrize(
    ("game", "moves", "names"),
    [
        ("connect-four", "4444", ["4", "4", "4", "4"]),
        ("connect-four", " 4,4 4\n", ["4", "4", "4"]),
        ("mnk(12, 12, 3, gravity=True)", "11 12", ["11", "12"]),
        ("mnk(12, 12, 3, gravity=True)", "11121", ["11", "12", "1"]),
        ("mnk(12, 12, 3, gravity=True)", "12", ["12"]),
        ("tic-tac-toe", "b2a1c3", ["b2", "a1", "c3"]),
        ("tic-tac-toe", "B2, A1", ["b2", "a1"]),
        ("countdown.py:Countdown", "one, of, take two", ["one, of", "take two"]),
        ("countdown.py:Countdown", "one, of take two one, of", ["one, of", "take two", "one, of"]),
    ],
)
def test_moves(game, moves, names):
    assert play_moves(load_game(game), moves)[1] == names


def test_illegal_moves():
    told = error("analyse", "tic-tac-toe", "--moves", "a1 b1 a1")
    assert "--moves: move 3: 'a1' is not a legal action here; legal: c1, a2, b2, c2, a3, b3, c3\n\n3 . . ." in told
    assert "move 5: '4' is not a legal action" in error("solve", "connect-four(height=4)", "--moves", "44444")
    told = error("analyse", "tic-tac-toe", "--moves", "a1 b1 a2 b2 a3 c3")
    assert "the game is over after move 5, a3; 'c3' cannot be played" in told
    assert "X wins" in told
    assert "the game is over before the first move" in error("analyse", "explicit-tree(3)", "--moves", "1")


# -- solve ------------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_solve_with_counts():
    shown = run("solve", "tic-tac-toe", "--count")
    assert "Player 0 to move: draw, exact." in shown
    assert "Best line: " in shown
    assert "Below this state: 549,946 nodes, 255,168 games, 5,478 positions, in 0." in shown
    assert "Positions at each ply: 1 9 72 252 756 1,260 1,520 1,140 390 78" in shown
    data = json.loads(run("solve", "countdown.py:Countdown(start=4)", "--count", "--json", "--algorithm", "minimax"))
    assert (data["value"], data["verdict"], data["line"]) == (1, "win in 3", ["one, of", "one, of", "take two"])
    assert data["count"]["games"] == 5


@pytest.mark.sample(1)
@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal")
@pytest.mark.parametrize(
    ("command", "options"),
    [("solve", ()), ("analyse", ()), ("analyse", ("--algorithm", "mcts", "--set", "solver=false"))],
)
def test_ctrl_c_keeps_the_answer_and_a_live_line_is_shown(command, options):
    run("analyse", "connect-four", "--nodes", "1", *options)  # compiled
    terminal, end = os.openpty()
    more = ["--seconds", "100", *options] if command == "analyse" else ["--json"]
    with process(command, "connect-four", *more, stderr=end, env={**os.environ, "TERM": "xterm"}) as running:
        os.close(end)
        shown = ""
        while not re.search(r"depth ([89]|\d\d).* (nodes|simulations)/s", shown):
            shown += os.read(terminal, 10_000).decode()
        time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        answer = running.communicate(timeout=PATIENCE)[0]
        os.close(terminal)
    assert running.returncode == 130
    if command == "solve":
        assert json.loads(answer)["stopped"] == "interrupted"
        assert json.loads(answer)["depth"] >= 8
    else:
        assert "(Ctrl-C)" in answer
        assert "Player 0 to move: " in answer


# -- check, games, cache ----------------------------------------------------------------------------------------------


def test_check(folder):
    assert "Countdown(): every law holds" in run("check", "countdown.py:Countdown", "--playouts", "50")
    broken = COUNTDOWN.replace("state.left - taken, ", "state.left - taken + (state.left == 3), ")
    (folder / "broken.py").write_text(broken.replace("return -1 if state.turn == player else 1", "return 1"))
    assert "broken" in run("check", "broken.py:Interpreted", "--playouts", "50", code=1)
    data = json.loads(run("check", "broken.py:Interpreted", "--playouts", "50", "--seed", "3", "--json", code=1))
    assert data["ok"] is False
    assert data["failures"]


def test_games_lists_every_game_and_shows_one():
    shown = run("games")
    for name in BUILT_IN:
        assert f"\n{name} " in shown
    assert "(width=7, height=6, length=4)" in shown
    assert [row["name"] for row in json.loads(run("games", "--json"))] == sorted(BUILT_IN)
    one = run("games", "countdown.py:Countdown(start=4)")
    assert "Countdown(start=4)\nTake 1 or 2; who takes the last one wins.\n\nParameters: start=5" in one
    assert "State(left=4, turn=0)" in one
    assert json.loads(run("games", "nim", "--json"))["parameters"] == "heaps=(3, 4, 5), misere=False, players=2"


def test_a_game_that_needs_parameters_is_shown_without_a_board():
    shown = run("games", "Explicit_Tree")
    assert shown.startswith("ExplicitTree\nThe game described by `tree`")
    assert shown.endswith("\nParameters: tree\n")
    assert json.loads(run("games", "explicit-tree", "--json"))["parameters"] == "tree"


def test_a_broken_plug_in_does_not_hide_the_other_games(monkeypatch):
    from importlib.metadata import EntryPoint

    gone = EntryPoint("gone", "no_such_module:Game", "outplay.games")
    monkeypatch.setattr(outplay.session.load, "entry_points", lambda group: [gone])
    assert "the plug-in gone (no_such_module:Game) cannot be" in run("games")
    assert "No module named 'no_such_module'" in error("play", "gone")


@pytest.mark.nightly
def test_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "here"))
    assert f"0 files, 0B, in {tmp_path / 'here'}" in run("cache")
    run("analyse", "nim((1, 1, 1, 2))", "--depth", "1")
    assert "alpha_beta_many" in run("cache")
    data = json.loads(run("cache", "--json"))
    assert data["folder"] == str(tmp_path / "here")
    assert data["size"] == sum(file["size"] for file in data["files"]) > 0
    assert "Nim(heaps=(1, 1, 1, 2))" in [file["game"] for file in data["files"]]
    assert f"removed {len(data['files'])} file" in run("cache", "--clear")
    assert json.loads(run("cache", "--clear", "--json")) == {"removed": 0}
    monkeypatch.setenv("OUTPLAY_CACHE", "off")
    assert "the cache is off" in run("cache")
    assert json.loads(run("cache", "--json")) == {"folder": None, "size": 0, "files": []}


# -- play -------------------------------------------------------------------------------------------------------------


def test_two_people_play_and_the_record_is_read_again():
    shown = run("play", "tic-tac-toe", "--player", "both", stdin="a1\nb1\na2\nb2\na3\n")
    assert shown.count("player 0, your move: ") == 3
    assert "The game is over: player 0 wins.\nMoves: a1 b1 a2 b2 a3\n" in shown
    assert "Look at it: outplay analyse tic-tac-toe --moves 'a1 b1 a2 b2 a3'" in shown
    shown = run("play", "countdown.py:Countdown(start=3)", "--player", "both", stdin="take two\none, of\n")
    assert "player 0, your move: take two\n" in shown
    moves = re.search(r"Moves: (.*)", shown)[1]
    assert "player 1 wins" in run("analyse", "countdown.py:Countdown(start=3)", "--moves", moves)


def test_commands_of_a_game():
    words = ["help", "hint", "undo", "", "hnt", "bb2", "moves", "b2", "moves", "undo", "moves", "level 12", "LEVEL 2"]
    shown = run("play", "tic-tac-toe", "--level", "10", "--seed", "1", stdin="\n".join([*words, "board", "quit", "a1"]))
    for told in (
        "take back your last move",
        "Hint: ",
        "There is no move of yours to take back.",
        "'bb2' is not a legal action here; did you mean b2? legal: a1, ",
        "did you mean the command hint?",
        "player 1 plays ",
        "level 12: write a level from 1 to 10",
        "The search now plays at level 2.",
        "You leave the game before its end.",
    ):
        assert told in shown
    before, after = re.findall(r"your move: moves\n(.*)\n", shown)[1:]
    assert before.startswith("b2 ")
    assert after == "no moves yet"
    assert "Moves:" not in shown
    assert "your move: a1" not in shown


def test_a_move_comes_before_a_command_of_the_same_name(folder):
    (folder / "named.py").write_text(COUNTDOWN.replace('"one, of"', '"undo"').replace('"take two"', '"Hint"'))
    shown = run("play", "named.py:Countdown(start=3)", "--player", "both", stdin="undo\nHint\n")
    assert "Moves: undo Hint" in shown


def test_the_search_wins_at_full_strength_and_the_end_of_input_is_polite():
    shown = run("play", "tic-tac-toe", "--player", "1", "--level", "10", "--moves", "a1 b1", stdin="c3\na2\n")
    assert "player 0 plays " in shown
    assert "(win in 5, depth 3, " in shown
    assert "(win in 1, depth " in shown
    assert "The game is over: you are player 1, player 0 wins." in shown
    assert shown.endswith("--moves '" + re.search(r"Moves: (.*)", shown)[1] + "'\n")
    shown = run("play", "tic-tac-toe", stdin="a1\n")
    assert "You leave the game before its end." in shown
    lost = run("play", "countdown.py:Countdown(start=3)", "--player", "0", "--seconds", "1", stdin="one, of\n")
    assert "player 1 plays take two (win in 1, " in lost
    assert "The game is over: you are player 0, player 1 wins." in lost


@pytest.mark.nightly
def test_the_search_plays_itself_and_a_seed_repeats_its_choices():
    def match(seed):
        shown = run("play", "connect-four(4, 4)", "--player", "none", "--level", "1", "--seed", str(seed), stdin="")
        return re.search(r"The game is over: (draw|player . wins)\.\nMoves: (.*)", shown)[2]

    assert match(1) == match(1)
    assert len({match(seed) for seed in range(4)}) > 1


def test_weak_levels_choose_among_more_actions():
    game = TicTacToe()
    state = game.result(game.initial_state(), 1)
    analysis = AlphaBeta(game).analyse(state, Limit(depth=2))
    legal = list(game.actions(state))

    def chosen(share):
        return {choose(analysis, share, random.Random(seed)) for seed in range(100)}

    assert chosen(0) == {analysis.action}
    assert chosen(1.0) == set(legal)
    assert 1 < len(chosen(0.7)) < len(legal)
    assert [level.share for level in LEVELS] == sorted((level.share for level in LEVELS), reverse=True)
    unanswered = dataclasses.replace(analysis, actions=())
    assert choose(unanswered, 1.0, random.Random(0)) == analysis.action


@pytest.fixture
def every_look_at_the_time_takes_a_second(monkeypatch):
    ticks = itertools.count()
    monkeypatch.setattr("outplay.session.session.time", SimpleNamespace(perf_counter=lambda: next(ticks)))


def clocks(shown):
    return re.findall(r"^player 0 (\S+)   player 1 (\S+)$", shown, re.MULTILINE)


@pytest.mark.usefixtures("every_look_at_the_time_takes_a_second")
def test_clocks_run_and_undo_sets_them_back():
    shown = run("play", "tic-tac-toe", "--player", "both", "--clock", "1:00+5", stdin="b2\na1\nboard\nundo\nc1\n")
    assert clocks(shown) == [
        ("0:59.0", "1:00.0"),  # the board is shown a second after the turn began
        ("1:03.0", "0:59.0"),  # b2 was entered a second later
        ("1:02.0", "1:03.0"),
        ("1:00.0", "1:03.0"),  # board
        ("1:03.0", "0:59.0"),  # undo
        ("1:02.0", "1:03.0"),
    ]


@pytest.mark.usefixtures("every_look_at_the_time_takes_a_second")
def test_clocks_of_sessions():
    """After the two moves of a session its time is added, and undo goes back to the session before."""
    shown = run("play", "tic-tac-toe", "--player", "both", "--clock", "2/1:00", stdin="b2\na1\nc1\na3\nundo\n")
    found = re.findall(r"^player 0 (.+?)   player 1 (.+)$", shown, re.MULTILINE)
    assert [first.partition(" ")[2] for first, _ in found] == [
        "for 2 moves", "for 1 move", "for 1 move", "for 2 moves", "for 2 moves", "for 2 moves"
    ]  # fmt: skip
    assert [second.partition(" ")[2] for _, second in found] == [
        "for 2 moves", "for 2 moves", "for 1 move", "for 1 move", "for 2 moves", "for 1 move"
    ]  # fmt: skip
    assert found[3][0].startswith("1:5")
    assert found[4][1].startswith("1:5")
    assert found[5] == found[3]


@pytest.mark.usefixtures("every_look_at_the_time_takes_a_second")
def test_who_enters_a_move_too_late_loses_on_time():
    shown = run("play", "tic-tac-toe", "--player", "both", "--clock", "3", stdin="b2\nhelp\nboard\nbad\na1\nc3\n")
    assert "Time is up: player 1 loses on time: player 0 wins.\nMoves: b2\n" in shown
    assert shown.count("your move: ") == 5
    assert "You leave" not in shown


@pytest.mark.nightly
def test_the_search_plays_by_its_clock():
    shown = run("play", "connect-four(4, 4)", "--player", "none", "--clock", "0:10+0.5", "--moves", "1", stdin="")
    assert re.search(r"The game is over: (draw|player . wins)\.", shown)
    times = clocks(shown)
    assert times[0][0] == "0:10.0"
    assert times[1][1] != times[0][1]
    limits = []

    class Watched(AlphaBeta):
        def analyse(self, state, limit, **keywords):
            limits.append(limit)
            return super().analyse(state, limit, **keywords)

    game = TicTacToe()
    computer = SearchPlayer(Watched(game), LEVELS[2].limit, LEVELS[2].share)
    session = Session(game, players=dict.fromkeys((0, 1), computer), clocks=(Clock(9), Clock(7)), seed=0)
    match = TerminalGame(session, computer)
    match.reply()
    match.reply()
    assert limits == [dataclasses.replace(LEVELS[2].limit, clock=clock) for clock in (Clock(9), Clock(7))]
    assert session.clocks[1].seconds < 7
    match.move(session.legal[0], 9.5)
    assert (session.late, len(session.names)) == (0, 2)


@pytest.mark.parametrize(
    ("text", "clock"),
    [("5:00+3", Clock(300, 3)), ("300+3", Clock(300, 3)), ("60", Clock(60)), ("0:00.5", Clock(0.5)),
     ("5:00", Clock(300)), ("0:30+0.5", Clock(30, 0.5)), ("40/5:00", Clock(300, moves=40).of_a_game()),
     ("9/60+1.5", Clock(60, 1.5, 9).of_a_game())],
)  # fmt: skip
def test_reading_a_clock(text, clock):
    assert read_clock(text) == clock


@pytest.mark.parametrize(
    "text",
    ["", "x", "5:", ":30", "5:7", "5:075", "60+", "+3", "-1", "1e3", "60 + 3", "0", "0:00", "inf", "40/", "0/60", "/60",
     "1.5/60", "40/40/60", "40/0"],
)  # fmt: skip
def test_what_is_no_clock(text):
    with pytest.raises(typer.BadParameter, match="is not a time"):
        read_clock(text)


def test_play_through_a_pipe():
    with process("play", "tic-tac-toe", "--level", "1", stdin=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        answer, errors = running.communicate("b2\n", timeout=PATIENCE)
    assert (running.returncode, errors) == (0, "")
    assert "player 0, your move: b2\n" in answer
    assert "Moves: b2 " in answer


def test_bad_input_in_a_process():
    with process("analyse", "tic-tac-toe", "--moves", "z9", stderr=subprocess.PIPE) as running:
        answer, errors = running.communicate(timeout=PATIENCE)
    assert (running.returncode, answer) == (2, "")
    assert errors.startswith("Error: --moves: move 1: 'z9' is not a legal action here;")


def test_half_a_character_can_be_printed():
    tree = "{'names': ['\\ud800', 'b'], 'children': [1, 2]}"
    with process("tree", tree, stderr=subprocess.PIPE, env={**os.environ, "PYTHONUTF8": "1"}) as running:
        answer, errors = running.communicate(timeout=PATIENCE)
    assert (running.returncode, errors) == (0, "")
    assert "├─ \\ud800 " in answer


# -- Monte Carlo tree search ------------------------------------------------------------------------------------------

DICE = '''
from typing import NamedTuple

from outplay import CHANCE, Game


class State(NamedTuple):
    points: tuple
    turn: int
    rolls: bool


class Dice(Game):
    """Three players in turn roll a die of three or pass; who has most points after two rounds wins the pot."""

    players = 3
    zero_sum = False
    has_chance = True
    compiled = False
    utilities = (0, 1)

    def initial_state(self):
        return State((0, 0, 0), 0, False)

    def to_move(self, state):
        return CHANCE if state.rolls else state.turn % 3

    def actions(self, state):
        return (1, 2, 3) if state.rolls else (0, 1)

    def probability(self, state, action):
        return 1 / 3

    def result(self, state, action):
        if not state.rolls and action:
            return State(state.points, state.turn, True)
        points = list(state.points)
        points[state.turn % 3] += action
        return State(tuple(points), state.turn + 1, False)

    def is_terminal(self, state):
        return state.turn == 6

    def utility(self, state, player):
        best = [points == max(state.points) for points in state.points]
        return best[player] / sum(best)

    def action_name(self, state, action):
        return str(action) if state.rolls else ("pass", "roll")[action]
'''


def test_analyse_by_simulations_shows_intervals_and_visits():
    arguments = ["analyse", "countdown.py:Interpreted(20)", "--algorithm", "mcts", "--simulations", "200"]
    lines = [line.rstrip() for line in run(*arguments, "--set", "solver=false").splitlines()]
    head = next(line for line in lines if line.startswith("action"))
    assert head.split() == ["action", "value", "95", "%", "visits", "best", "line"]
    rows = lines[lines.index(head) + 2 :][:2]
    pattern = r"(one, of|take two) +[\d.]+ % +estimate +([\d.]+) to ([\d.]+) % +(\d+)   .+"
    found = [re.fullmatch(pattern, row) for row in rows]
    assert all(float(row[2]) < float(row[3]) for row in found)
    assert sum(int(row[4]) for row in found) == 200
    assert all(row.end(4) == head.index("visits") + len("visits") for row in found)
    assert re.fullmatch(
        r"MCTS: 200 simulations, depth \d+, [\d,]+ nodes in \d.\d\d s \(simulation limit\), .* simulations/s", lines[-1]
    )
    assert max(map(len, lines[:-1])) <= 80
    exact = run("analyse", "countdown.py:Interpreted(4)", "--algorithm", "mcts", "--simulations", "500")
    assert re.search(r"\none, of +win in 3|\none, of +win +exact +\d+ ", exact)


@pytest.mark.nightly
def test_analyse_by_simulations_in_json_and_with_a_seed():
    def found(seed, *more):
        arguments = ["analyse", "tic-tac-toe", "--algorithm", "mcts", "--simulations", "300", "--json"]
        return json.loads(run(*arguments, "--seed", str(seed), *more)) | {"seconds": 0}

    first = found(5)
    assert first == found(5) == found(7, "--set", "seed=5")
    assert first["actions"] != found(6)["actions"]
    assert first["simulations"] == 300 == sum(item["visits"] for item in first["actions"])
    assert (first["stopped"], first["limit"]) == ("simulations", "Limit(simulations=300)")
    assert all(item["interval"][0] <= item["value"] <= item["interval"][1] for item in first["actions"])
    state = TicTacToe().initial_state()
    expected = MCTS(TicTacToe(), seed=5).analyse(state, Limit(simulations=300)).as_dict()
    assert first == json.loads(json.dumps({"moves": [], **expected, "seconds": 0}))
    puct = found(5, "--set", "selection=puct", "--set", "first-play=0.5", "--set", "widening=(2, 0.5)")
    assert puct["actions"] != first["actions"]


@pytest.mark.parametrize("algorithm", SEARCHES)
def test_every_option_of_every_algorithm_is_listed_with_a_meaning(algorithm):
    rows = json.loads(run("algorithms", algorithm, "--json"))
    given = {field.name: field.default for field in dataclasses.fields(searcher_class(algorithm))}
    assert {row["option"] for row in rows} == set(settable(searcher_class(algorithm))) <= given.keys()
    for row in rows:
        assert row["meaning"][:1].islower() or row["meaning"][:1] == "("
        assert row["meaning"].endswith(".")
        assert row["default"] == given[row["option"]]
    shown = run("algorithms", algorithm)
    assert all(f"\n{row['option']} " in shown for row in rows)
    assert max(map(len, shown.splitlines()[2:]), default=0) <= 80


def test_algorithms_lists_every_algorithm():
    shown = run("algorithms")
    assert all(f"\n{name} " in shown for name in SEARCHES)
    assert [row["algorithm"] for row in json.loads(run("algorithms", "--json"))] == list(SEARCHES)
    assert "did you mean mcts?" in error("algorithms", "mtcs")
    assert [row["option"] for row in json.loads(run("algorithms", "minimax", "--json"))] == ["textbook"]
    assert "textbook" not in run("algorithms", "mtdf")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--algorithm", "mcts", "--set", "rave"], "--set 'rave': write NAME=VALUE, as in --set rave=true"),
        (["--algorithm", "mcts", "--set", "sed=3"], "MCTS has no option 'sed'; did you mean seed?"),
        (["--algorithm", "mcts", "--set", "xyz=3"], "MCTS has no option 'xyz'; choose selection, exploration, "),
        (["--algorithm", "mcts", "--set", "evaluator=3"], "MCTS has no option 'evaluator'"),
        (["--algorithm", "minimax", "--set", "x=3"], "Minimax has no option 'x'; choose textbook"),
        (
            ["--algorithm", "mcts", "--set", "rave=maybe"],
            "Error: MCTS(rave='maybe'): rave must be True, False or None\n",
        ),
        (["--algorithm", "mcts", "--set", "solver="], "Error: MCTS(solver=''): solver must be True or False\n"),
        (["--algorithm", "mcts", "--set", "early=none"], "Error: MCTS(early=None): early must be True or False\n"),
        (
            ["--algorithm", "mcts", "--set", "threads=x"],
            "Error: MCTS(threads='x'): threads must be a whole number from 1 to 1024\n",
        ),
        (
            ["--algorithm", "mcts", "--set", "epsilon=2"],
            "Error: MCTS(epsilon=2): epsilon must be a number from 0 to 1\n",
        ),
        (["--algorithm", "mcts", "--set", "selection=ucb"], "did you mean 'ucb1'?"),
        (["--algorithm", "mcts", "--set", "widening={[]: 1}"], "MCTS(widening='{[]: 1}'): must be two numbers"),
        (["--algorithm", "mcts", "--set", "playouts=own"], "Nim does not define playout_action()"),
        (
            ["--algorithm", "mcts", "--depth", "3"],
            "--depth: mcts cannot be limited by that; give --sec",
        ),
        (["--algorithm", "paranoid", "--tree", "3"], "--tree is for alpha-beta"),
        (["--algorithm", "mcts", "--selective"], "--selective is for alpha-beta and mtdf"),
        (["--algorithm", "mcts", "--simulations", "0"], "--simulations 0: give a whole number from 1 up"),
        (["--algorithm", "mcts", "--simulations", "9", "--set", "memory_mb=0"], "Error: MCTS(memory_mb=0)"),
        (
            ["--simulations", "9"],
            "--simulations: alpha-beta cannot be limited by that; give --seconds or",
        ),
        (
            ["--simulations", "9", "--algorithm", "proof-number"],
            "--simulations: proof-number cannot be limited by that",
        ),
        (["--seed", "1"], "--seed: alpha-beta uses no random numbers"),
        (["--set", "order=maybe"], "Error: AlphaBeta(order='maybe'): order must be True, False or a function\n"),
        (["--set", "killers=1"], "Error: AlphaBeta(killers=1): killers must be True, False or None\n"),
        (["--set", "threads=x"], "Error: AlphaBeta(threads='x'): threads must be a whole number from 1 to 1024\n"),
        (
            ["--set", "depth_factor=[1]"],
            "Error: AlphaBeta(depth_factor=[1]): depth_factor must be a number from 1 to 1023, or None\n",
        ),
        (["--set", "beam=x"], "Error: AlphaBeta(beam='x'): beam must be a whole number"),
        (["--set", "table_mb=x"], "Error: AlphaBeta(table_mb='x'): table_mb must be a number"),
        (["--set", "killer=true"], "did you mean killers?"),
        (["--algorithm", "mtdf", "--set", "staged=no"], "Error: MTDf(staged='no'): staged must be True or False\n"),
        (
            ["--algorithm", "proof-number", "--set", "target=x"],
            "Error: ProofNumber(target='x'): target must be a number, or None",
        ),
    ],
)
def test_an_option_of_an_algorithm_that_is_wrong_is_one_clear_error(arguments, told):
    assert told in re.sub(r"\n +", " ", error("analyse", "nim", *arguments))


@pytest.mark.nightly
def test_solve_by_simulations_where_a_proof_can_be_had(folder):
    shown = run("solve", "tic-tac-toe", "--algorithm", "mcts", "--set", "selection=puct")
    assert "Player 0 to move: draw, exact." in shown
    assert re.search(r"MCTS: [\d,]+ simulations, depth", shown)
    (folder / "dice.py").write_text(DICE)
    told = error("solve", "dice.py", "--algorithm", "mcts")
    assert "MCTS without a limit may never end" in told
    assert "as outplay analyse does" in told
    assert "solver=False) without a limit would never end" in error(
        "solve", "nim", "--algorithm", "mcts", "--set", "solver=false"
    )
    assert "need Expectiminimax, or simulations: MCTS" in error("solve", "dice.py", "--algorithm", "alpha-beta")


def test_a_game_with_three_players_and_dice_is_analysed_and_played(folder):
    (folder / "dice.py").write_text(DICE)
    data = json.loads(run("analyse", "dice.py", "--algorithm", "mcts", "--simulations", "300", "--json"))
    assert data["actions"][0]["action"] == "roll"
    assert sum(data["values"]) == pytest.approx(1)
    rolled = json.loads(
        run("analyse", "dice.py", "--moves", "roll", "--algorithm", "mcts", "--simulations", "60", "--json")
    )
    assert rolled["action"] is None
    assert [item["action"] for item in rolled["actions"]] == ["1", "2", "3"]
    assert sum(rolled["values"]) == pytest.approx(1)
    shown = run(
        "play", "dice.py", "--algorithm", "mcts", "--level", "3", "--seed", "1", stdin="roll\nundo\nroll\npass\n"
    )
    assert re.findall(r"^by chance: [123]$", shown, re.MULTILINE)
    assert "player 2 plays " in shown
    assert re.search(r"The game is over: you are player 0, utilities( \+[\d.]+){3}\.", shown)
    moves = re.search(r"Moves: (.*)", shown)[1].split()
    assert moves[0] == "roll"
    assert moves[1] in "123"
    assert "Look at it: outplay analyse dice.py --algorithm mcts --moves" in shown
    assert "The game is over" in run("analyse", "dice.py", "--algorithm", "mcts", "--moves", " ".join(moves))


def test_one_player_alone():
    shown = run(
        "play", "pacman('corridor')", "--state", "%%%%%%%%%/%5.1%/%%%%%%%%% 2:5 - 0 0 0 P", stdin="w\nfly\ne\ne\ne\n"
    )
    assert shown.count("player 0, your move: ") == 5
    assert "'fly' is not a legal action here; legal: east, west, stop" in shown
    assert "all pellets eaten\n\nThe game is over: utility +506.\nMoves: west east east east\n" in shown


def test_a_person_plays_pacman_and_chance_the_ghosts():
    def shown(seed):
        game = "pacman('%%%%%%\\nP  .  \\n%%%%%%\\nG     \\n %%%% \\n      ', 'random')"
        return run("play", game, "--seed", str(seed), stdin="e\ne\ne\n")

    assert shown(1) == shown(1)
    assert len({shown(seed) for seed in range(8)}) == 2  # the ghost goes one way round or the other
    assert len(re.findall(r"^by chance: (east|south|north|west)$", shown(1), re.MULTILINE)) == 2
    assert "The game is over: utility +507.\nMoves: east " in shown(1)
    assert "Look at it: outplay analyse " in shown(1)
    assert " --algorithm expectiminimax " in shown(1)


def test_people_play_any_seats():
    shown = run("play", "pacman('G .P. G')", "--player", "all", stdin="e\ne\nw\nw\ne\nundo\ne\nw\n")
    asked = re.findall(r"player (\d), your move: (\w+)\n", shown)
    assert [int(player) for player, _ in asked] == [0, 1, 2, 0, 1, 2, 1, 2]  # 2 takes back the move of 1
    assert "Moves: east east west west east west\n" in shown


def test_the_algorithm_that_suits_a_game_plays_it():
    games = ("pacman('corridor')", "pacman('fork')", "pacman", "pacman('fork', 'random')", "nim")
    assert [suited(load_game(game)) for game in games] == [
        "alpha-beta", "alpha-beta", "expectiminimax", "expectiminimax", "alpha-beta",
    ]  # fmt: skip
    assert [suited(load_game(game)) for game in ("pig(players=3)", "chinese-checkers(3)", "nim(players=3)")] == [
        "max-n", "max-n", "mcts",
    ]  # fmt: skip
    assert suited(load_game("nim(players=3)"), solving=True) == "max-n"
    assert "need Expectiminimax, or simulations: MCTS" in error(
        "play", "pacman(ghosts='random')", "--algorithm", "alpha-beta"
    )


def test_chance_takes_no_time_of_the_clocks(folder):
    (folder / "dice.py").write_text(DICE)
    game = load_game("dice.py")
    session = Session(game, moves="roll", clocks=Clock(9, 1), seed=0)
    TerminalGame(session, SearchPlayer(MCTS(game))).roll()
    assert session.clocks == (Clock(9, 1),) * 3
    assert len(session.states) == 3


def test_levels_by_simulations():
    shown = run(
        "play", "tic-tac-toe", "--algorithm", "mcts", "--level", "2", "--seed", "1", stdin="b2\nlevel 4\nundo\nb2\n"
    )
    assert re.findall(r"player 1 plays .* \(.*?(\d+) simulations, \d.\d\d s\)", shown) == ["30", "300"]
    shown = run("play", "tic-tac-toe", "--algorithm", "mcts", stdin="a1\nhint\nhelp\nquit\n")
    assert re.search(r"Hint: \w\d \((about )?[\w+-.]+\), line \w\d ", shown)
    assert all(level.limit.depth is None for level in LEVELS_BY_SIMULATIONS)
    numbers = [level.limit.simulations for level in LEVELS_BY_SIMULATIONS[:7]]
    assert numbers == sorted(numbers)
    assert len(LEVELS_BY_SIMULATIONS) == len(LEVELS)


@pytest.mark.nightly
def test_a_whole_game_by_simulations_through_a_pipe():
    def match(seed):
        command = ("play", "tic-tac-toe", "--algorithm", "mcts", "--player", "none", "--level", "1", "--seed", seed)
        with process(*command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            answer, errors = running.communicate("", timeout=PATIENCE)
        assert (running.returncode, errors) == (0, "")
        return re.search(r"The game is over: (?:draw|player . wins)\.\nMoves: (.*)", answer)[1]

    assert match("1") == match("1") != match("2")


CORRIDOR = """
from outplay import Game


class Corridor(Game):
    repetition = "{rule}"
    utilities = (-1, 1)

    def initial_state(self):
        return (2, 0)

    def to_move(self, state):
        return state[1]

    def actions(self, state):
        yield 0
        if state[0] < 4:
            yield 1

    def result(self, state, right):
        return (state[0] + 2 * right - 1, 1 - state[1])

    def is_terminal(self, state):
        return state[0] == 0

    def utility(self, state, player):
        return -1 if state[1] == player else 1

    def action_name(self, state, action):
        return "LR"[action]
"""


@pytest.mark.parametrize(
    ("rule", "moves", "end"),
    [("draw", "R L", "draw"), ("loss", "R L", "player 0 wins"), ("forbidden", "R R", "player 1 wins")],
)
def test_repetition_ends_a_game(folder, rule, moves, end):
    (folder / "corridor.py").write_text(CORRIDOR.format(rule=rule))
    assert f"The game is over: {end}" in run("analyse", "corridor.py", "--moves", moves)
    assert f"The game is over: you are player 0, {end}" in run("play", "corridor.py", "--moves", moves)
    assert "the game is over after move 2" in error("analyse", "corridor.py", "--moves", moves + " L")


def test_a_forbidden_move_is_refused_and_the_search_knows_the_past(folder):
    (folder / "corridor.py").write_text(CORRIDOR.format(rule="forbidden"))
    assert "'L' is action 0, which is not legal here; legal: R" in error("analyse", "corridor.py", "--moves", "R L")
    assert "Player 1 to move: win in 1, exact" in run("analyse", "corridor.py", "--moves", "R")
    assert "player 1 wins" in run("play", "corridor.py", "--moves", "R")


@pytest.mark.parametrize(
    ("options", "keeps"), [([], False), (["--seconds", "0.01"], True), (["--clock", "1:00"], True)]
)
def test_a_match_by_time_keeps_its_table(monkeypatch, options, keeps):
    made = []

    def spied(*arguments, **keywords):
        made.append(searcher_for(*arguments, **keywords))
        return made[-1]

    monkeypatch.setattr("outplay.cli.play.searcher_for", spied)
    result = CliRunner().invoke(app, ["play", "tic-tac-toe", "--player", "none", *options])
    assert result.exit_code == 0
    assert [searcher.reuse_table for searcher in made] == [keeps]


@pytest.mark.parametrize(("game", "red", "cyan"), [
    ("chess", "PNBRQK", "pnbrqk"), ("connect-four", "X", "O"), ("english-draughts", "b", "w"), ("go(19)", "X", "O"),
    ("xiangqi", "PCNRBAK", "pcnrbak"), ("breakthrough", "w", "b"), ("nine-mens-morris", "w", "b"),
])  # fmt: skip
def test_pictures_show_whose_a_mark_is(game, red, cyan):
    rules = load_game(game)
    state = rules.initial_state()
    for _ in range(2):
        state = rules.result(state, min(legal_actions(rules, state)))
    shown = picture(rules, state)
    assert shown.plain == rules.render(state)
    lines = shown.plain.splitlines()
    for style, marks in ("bold red", red), ("bold cyan", cyan):
        coloured = [span.start for span in shown.spans if span.style == style]
        assert {shown.plain[at] for at in coloured} <= set(marks)
        drawn = sum(line.split().count(mark) for line in lines if line[:1].isdigit() for mark in marks)
        assert len(coloured) >= drawn
        names = next((line for line in lines if line.split()[:2] in (["a", "b"], ["A", "B"])), "")
        at = shown.plain.find(names) if names else len(shown.plain)
        assert not [place for place in coloured if at <= place < at + len(names)]


# -- hidden information -----------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_analyse_under_hidden_information():
    deal = ("kuhn-poker", "--moves", "Q J pass bet")
    found = json.loads(run("analyse", *deal, "--simulations", "400", "--seed", "1", "--json"))
    assert (found["method"], found["simulations"], found["stopped"]) == ("ISMCTS", 400, "simulations")
    assert {row["action"] for row in found["actions"]} == {"pass", "bet"}
    shown = run("analyse", *deal, "--algorithm", "pimc", "--set", "worlds=7", "--depth", "3")
    assert "PIMC: 7 worlds, Expectiminimax: depth 1" in shown
    assert "ISMCTS has no option 'observer'; did you mean observers?" in error(
        "analyse", "kuhn-poker", "--set", "observer=single"
    )
    assert "--depth: ismcts cannot be limited by that" in error("analyse", *deal, "--depth", "3")
    assert "PIMC has no option 'searcher'" in error(
        "analyse", "kuhn-poker", "--algorithm", "pimc", "--set", "searcher=x"
    )
    assert "outplay equilibrium" in error("solve", "phantom-tic-tac-toe")


def test_play_shows_what_a_person_may_know():
    shown = run("play", "kuhn-poker", "--seed", "3", "--level", "3", stdin="moves\npass\nbet\nbet\nquit\n")
    before, _, after = shown.partition("The game is over")
    assert before.count("by chance\n") == 2
    assert "You may not see the moves of others before the end." in before
    own = re.findall(r"player 0 sees: ([JQK])\b", before)
    assert own
    assert len(set(own)) == 1
    assert "plays" not in before
    assert "player 1 has moved\n" in before
    assert re.search(r"Moves: [JQK] [JQK] ", after)
    watched = run("play", "kuhn-poker", "--seed", "3", "--level", "3", "--player", "none")
    assert "by chance: " in watched
    assert "player 0 plays" in watched


# -- games that go in circles -----------------------------------------------------------------------------------------

RING = '''
from outplay import Game
class Ring(Game):
    """Two walkers on a ring of 51 places; who comes to the other's place wins, and neither can be made to."""
    utilities = (-1, 1)
    def initial_state(self): return 0, 25, 0
    def to_move(self, state): return state[2]
    def actions(self, state): return (1, 50, 49)
    def result(self, state, steps):
        if state[2] == 0: return (state[0] + steps) % 51, state[1], 1
        return state[0], (state[1] + steps) % 51, 0
    def is_terminal(self, state): return state[0] == state[1]
    def utility(self, state, player): return 1 if state[2] != player else -1
class DrawnRing(Ring):
    repetition = "draw"
'''


@pytest.mark.nightly
@pytest.mark.parametrize("game", ["Ring", "DrawnRing"])
def test_what_goes_in_circles_is_solved_by_a_table(game, tmp_path, monkeypatch):
    monkeypatch.setattr("outplay.session.solver.LEAST_SHARE", 100)  # enough on any machine
    (tmp_path / "ring.py").write_text(RING)
    found = json.loads(run("solve", f"{tmp_path}/ring.py:{game}", "--json"))
    assert (found["exact"], found["value"], found["method"]) == (True, 0.0, "Tablebase")
    assert found["reasons"][0].startswith("Tablebase: ")
    assert "play goes in circles" in found["reasons"][0]


def test_python_m_is_the_command(python):
    assert python("-m", "outplay", "--version") == python("-c", COMMAND, "--version")
