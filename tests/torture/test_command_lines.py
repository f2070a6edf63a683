"""Random command lines: every command and option, with values that are good, at the edge, or not values at all.

The law: exit code 0, 2, 130, or 1 where that is documented; no traceback, and nothing said of a mistake in outplay
itself; an end within the limit; errors of a few lines. Most run in this process, some in one of their own, with odd
settings. The size is scaled by OUTPLAY_TORTURE, the seed is OUTPLAY_SEED.
"""

import os
import shlex
import signal
import subprocess
import time
from pathlib import Path
from random import Random

import pytest
import typer
from shared import OUTPLAY, PILE
from typer.testing import CliRunner

from outplay.cli.commands import app
from outplay.games import BUILT_IN
from outplay.session.algorithms import SEARCHES
from torture import SCALE, SEED

FULL = int(5000 * SCALE)
PARTS = 10
"""Of the full size, which run side by side."""
SHORT = 40
OWN_PROCESS = 0.04
"""The share of command lines that run in a process of their own."""
PATIENCE, HANGS = 20, 120
"""Seconds after which Ctrl-C is pressed, and after which that has not helped."""
MOST_LINES = 40
"""An error shows the board where it arose, or how the command is used; it is not a page long."""

COMMANDS = typer.main.get_command(app).commands

SLOW = """
from outplay.games import {0} as Compiled
class Slow(Compiled):
    compiled = False
"""
FILES = {
    "pile.py": PILE,
    "dice.py": SLOW.format("Pig") + "    def __init__(self, goal=6): super().__init__(goal)\n",
    "cards.py": SLOW.format("KuhnPoker"),
    "row.py": SLOW.format("TicTacToe"),
    "wrong.py": PILE.replace("return -1 if s[1] == p else 1", "return 'x'"),
    "raises.py": PILE.replace("return s[0] <= 0", "raise BaseException('b')"),
    "exits.py": "import sys; sys.exit(0)",
    "syntax.py": "def (",
    "nothing.py": "",
    "bytes.py": "x = 1\0",
    "text.txt": "hello\n",
    "empty.json": "{}",
    "tree.efg": 'EFG 2 R "a" { "A" "B" }\nt "" 1 "" { 1 -1 }\n',
    "broken.efg": "EFG 2 R",
}
GAMES = [
    *("pile.py", "pile.py", "pile.py:Pile", "pile.py:Pile(size=4)", "pile.py(size=0)", "pile.py(size=-3)"),
    *("pile.py(size=1e308)", "dice.py", "dice.py", "cards.py", "cards.py", "nim", "kuhn-poker"),
]
ODD_GAMES = [
    *("wrong.py", "raises.py", "exits.py", "syntax.py", "nothing.py", "bytes.py", "text.txt", "tree.efg", "broken.efg"),
    *("missing.py", "pile.py:Nope", "pile.py(", "pile.py)", "pile.py(size='x')", "pile.py(size=None)", "folder.py"),
    *(
        "fifo.py",
        "nim(heaps=())",
        "nim(heaps=(0,))",
        "nim(heaps=(1,2,3,4))",
        "nim(heaps='x')",
        "nim(x=1)",
        "nim(1,2,3)",
    ),
    *("pig(goal=nan)", "connect-four(width=0)", "connect-four(width=-1)", "connect-four(width=10**9)", "mnk(1,1,1)"),
    *(
        "",
        " ",
        "()",
        "..",
        "/",
        "/dev/null",
        "/dev/full",
        "~",
        "~nobody/x.py",
        "a" * 300,
        "a" * 300 + ".py",
        "ÄÖÜ-\u2603",
    ),
    *("connect-four(width=" + "9" * 5000 + ")", "nim(heaps=(" + "(" * 500, "\u0000", "-", "--", "pile.py:Pile:Pile"),
]
VALUES = {
    "--algorithm": [*SEARCHES, "mcts", "cfr", "lp", "Alpha_Beta", "nope", ""],
    "--moves": ["", "1", "1:1", "4444", "a1 b2", "1, 2", "b2", "\u2603", "x" * 400, "9" * 5000, " ", "--"],
    "--state": ["", "x", "startpos", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "\u2603", "9" * 5000],
    "--set": ["rave=true", "depth_factor=2", "depth_factor=0", "beam=1", "threads=2", "x=1", "x", "=", "seed=1",
    "table_mb=-1",
              "memory_mb=1e9", "exploration=nan", "playouts=random", "selection=puct", "worlds=1", "widening=(1,2)",
              "depth_factor=" + "9" * 5000, "depth_factor=0x" + "f" * 5000, "depth_factor=[[[[", "reuse_table=true",
              "scale=\u2603"],
    "--player": ["0", "1", "2", "-1", "both", "none", "x"],
    "--order": ["static", "mrv", "x", ""],
    "--level": ["0", "1", "3", "9", "99", "-1", "x"],
    "--clock": ["0", "0.1", "1+1", "1+", "x", "-1", "nan", "1e308", "0.1/5"],
    "--resign": ["-1", "0", "nan", "x", "inf"],
}  # fmt: skip
NUMBERS = ["0", "1", "2", "3", "-1", "0.1", "1e-9", "1e308", "nan", "inf", "-inf", "x", "", "9" * 5000, "0x10", "1_0",
           "\u0663", "1e400", "4611686018427387904", "9223372036854775808", "1024", "1025", " 1"]  # fmt: skip
PATHS = ["text.txt", "empty.json", "missing", "folder.py", "new.json", "/dev/null", "/dev/full", "/dev/zero", "pile.py",
         "a" * 300, "no/such/folder/x", "", "\u2603", "~nobody/x"]  # fmt: skip
OF_FILES = {"--book", "--evaluation", "--strategy", "--save", "--load", "--efg", "--input", "--tree"}
BOUNDS = {"--seconds": "0.05", "--nodes": "50", "--depth": "2", "--iterations": "3", "--playouts": "3", "--plies": "1"}
"""What every command gets that has such an option, unless another value was drawn for it."""
INPUTS = [
    "",
    "\n",
    "quit\n",
    "1\n1\n1\n",
    "help\nundo\nhint\n\u2603\n",
    "genmove black\nquit\n",
    "name\nboardsize x\n",
    "play black a1\nplay\ngenmove\nundo\nclear_board\nshowboard\nfinal_score\n",
    "x" * 5000,
    "\x00\n",
]
SETTINGS = [
    {}, {"OUTPLAY_CACHE": "off"}, {"OUTPLAY_CACHE": "/dev/null/x"}, {"OUTPLAY_CACHE": ""}, {"COLUMNS": "1"},
    {"COLUMNS": "x"}, {"TERM": "dumb"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii"},
    {"NUMBA_DISABLE_JIT": "1"}, {"NUMBA_NUM_THREADS": "abc"}, {"NUMBA_NUM_THREADS": "-1"}, {"NO_COLOR": "1"},
    {"FORCE_COLOR": "1"}, {"HOME": "/nonexistent"}, {"PYTHONHASHSEED": "1"}, {"OUTPLAY_DEBUG": "0"},
]  # fmt: skip
FIXED = {"--threads": ["1", "2", "0", "-1", "x", "1025", "99999999999999999999"], "--most": ["0", "1", "2", "-1", "x"]}
"""Options for which most of NUMBERS would take long, and rightly so."""


def command_line(random):
    """A random command line, as a list of words, and what is typed into it."""
    name = random.choice(list(COMMANDS)) if random.random() < 0.97 else random.choice(["nope", "", "--help", "solv"])
    command = COMMANDS.get(name, COMMANDS["solve"])
    own = [parameter for parameter in command.params if parameter.param_type_name == "option"]
    every = [
        parameter for other in COMMANDS.values() for parameter in other.params if parameter.param_type_name == "option"
    ]
    words, given = [], set()
    for _ in range(random.choice((0, 0, 1, 1, 2, 3, 5))):
        option = random.choice(own if own and random.random() < 0.9 else every)
        flag = random.choice(option.opts)
        given.add(flag)
        words.append([flag] if option.is_flag else [flag, value(flag, random)])
    if random.random() < 0.05:
        words.append(
            [random.choice(["--help", "-h", "--version", "--debug", "--", "-x", "--nope=1", "extra", "\u2603"])]
        )
    for flag, bound in BOUNDS.items():
        if flag not in given and any(flag in option.opts for option in own) and (flag != "--depth" or name == "perft"):
            words.append([flag, bound])
    arguments = [parameter.name for parameter in command.params if parameter.param_type_name == "argument"]
    words += [[positional(name, argument, random)] for argument in arguments if random.random() < 0.97]
    random.shuffle(words)
    return [name, *(word for group in words for word in group)], random.choice(INPUTS)


def value(flag, random):
    """A value for an option."""
    if random.random() < 0.03:
        return random.choice(random.choice([NUMBERS, PATHS, ODD_GAMES]))
    if flag in VALUES:
        return random.choice(VALUES[flag])
    if flag in OF_FILES:
        return random.choice(PATHS)
    if flag in FIXED:
        return random.choice(FIXED[flag])
    return random.choice(NUMBERS)


def positional(command, argument, random):
    """A value for an argument."""
    if argument == "file":
        return random.choice(PATHS)
    if command == "backtrack" and random.random() < 0.7:
        return random.choice(["queens(4)", "queens(0)", "queens(6)", "sudoku", "colouring", "x"])
    if command == "algorithms":
        return random.choice([*SEARCHES, "nope", ""])
    if command == "games":
        return random.choice([*BUILT_IN, "nope", ""])
    return random.choice(GAMES if random.random() < 0.65 else ODD_GAMES)


def may_be_one(name):
    """Whether exit code 1 is documented for the command: a law is broken, or what was asked for is not done."""
    return name in ("solve", "check", "equilibrium", "backtrack")


def judge(words, code, errors, seconds, why):
    """Nothing, or what is wrong."""
    allowed = {0, 2, 130, 1} if may_be_one(words[0]) else {0, 2, 130}
    debug = "--debug" in words
    assert code in allowed or debug, why
    assert "mistake in outplay" not in errors, why
    assert "Traceback" not in errors or debug, why
    assert code != 2 or errors.strip() or "2>" in why, why
    assert debug or len(errors.splitlines()) <= MOST_LINES, why
    assert debug or len(errors) < 8000, why
    assert seconds < HANGS, why


def in_this_process(words, typed, why):
    """Run it here; Ctrl-C comes after a while."""

    def press(*_):
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGALRM, press)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    began = time.perf_counter()
    try:
        result = CliRunner().invoke(app, words, input=typed, catch_exceptions=True)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    if result.exception is not None and not isinstance(result.exception, SystemExit) and "--debug" not in words:
        raise AssertionError(f"{why}\n{result.exception!r}") from result.exception
    judge(words, result.exit_code, result.stderr, time.perf_counter() - began, f"{why}\n{result.stderr}")


def in_its_own_process(words, typed, random, why):
    """Run it in a process with settings of its own."""
    settings = random.choice(SETTINGS)
    command = [*OUTPLAY, *(w.replace("\0", "") for w in words)]
    began = time.perf_counter()
    done = subprocess.run(
        command, input=typed.encode(), capture_output=True, timeout=HANGS, check=False, env={**os.environ, **settings}
    )  # fmt: skip
    errors = done.stderr.decode("utf-8", "replace")
    why = f"{why}\n{settings}\n{errors}"
    judge(words, done.returncode, errors, time.perf_counter() - began, why)


def run(numbers, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    cache = os.environ["OUTPLAY_CACHE"]
    for number in numbers:
        for name, text in FILES.items():  # some commands write
            Path(name).write_text(text)
        Path("folder.py").mkdir(exist_ok=True)
        if not Path("fifo.py").exists():
            os.mkfifo("fifo.py")
        random = Random(f"{SEED} {number}")
        words, typed = command_line(random)
        why = f"OUTPLAY_SEED={SEED}, command line {number}: outplay {shlex.join(words)[:1500]}\ntyped: {typed[:80]!r}"
        if words[0] == "cache":  # it may clear it
            monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "cache"))
        if random.random() < OWN_PROCESS and words[0] != "serve":  # which runs until Ctrl-C
            in_its_own_process(words, typed, random, why)
        else:
            in_this_process(words, typed, why)
        monkeypatch.setenv("OUTPLAY_CACHE", cache)


@pytest.mark.nightly
def test_command_lines(tmp_path, monkeypatch):
    run(range(SHORT), tmp_path, monkeypatch)


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(PARTS))
def test_many_command_lines(part, tmp_path, monkeypatch):
    run(range(part, FULL, PARTS), tmp_path, monkeypatch)
