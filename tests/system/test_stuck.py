"""Nothing goes on for ever, and nothing is left behind: tiny limits, many threads, memory, settings of the process."""

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from random import Random

import numpy as np
import pytest
from shared import OUTPLAY, PILE
from typer.testing import CliRunner

from outplay import (
    ISMCTS,
    MCTS,
    PIMC,
    AlphaBeta,
    BestReply,
    Clock,
    Expectiminimax,
    Limit,
    MaxN,
    Minimax,
    MTDf,
    Paranoid,
    ProofNumber,
    ValueIteration,
    legal_actions,
)
from outplay.cli.commands import app
from outplay.engine.results import MAX_LINE, ROW_CELLS, STATUS_CELLS, Results
from outplay.engine.runner import SearchRunner
from outplay.engine.table import BUSY
from outplay.games import ConnectFour, KuhnPoker, LeducPoker, Pig, TicTacToe
from outplay.rules.errors import OutplayError, RulesError
from outplay.search.perft import perft
from outplay.system.memory import megabytes_of_machine
from outplay.system.threads import MAX_THREADS_PER_CORE, cores, deep_recursion, useful_threads

HANGS = 120
"""Seconds after which a test hangs; what it does takes a few at most, compiling included."""


@contextlib.contextmanager
def guard():
    """Fail instead of hanging."""

    def fail(*_):
        raise AssertionError(f"still going on after {HANGS} s")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(HANGS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class Interpreted(TicTacToe):
    compiled = False


SEARCHERS = {
    "minimax": lambda: Minimax(TicTacToe()),
    "alpha-beta": lambda: AlphaBeta(TicTacToe()),
    "alpha-beta, threads": lambda: AlphaBeta(ConnectFour(), threads=2),
    "alpha-beta, interpreted": lambda: AlphaBeta(Interpreted()),
    "mtdf": lambda: MTDf(TicTacToe()),
    "proof-number": lambda: ProofNumber(TicTacToe()),
    "mcts": lambda: MCTS(TicTacToe()),
    "mcts, threads": lambda: MCTS(TicTacToe(), threads=2),
    "mcts, root": lambda: MCTS(TicTacToe(), threads=2, parallel="root"),
    "mcts, interpreted": lambda: MCTS(Interpreted()),
    "expectiminimax": lambda: Expectiminimax(Pig(goal=10)),
    "max-n": lambda: MaxN(Pig(goal=5, players=3)),
    "paranoid": lambda: Paranoid(TicTacToe()),
    "best-reply": lambda: BestReply(TicTacToe()),
    "value-iteration": lambda: ValueIteration(TicTacToe()),
    "ismcts": lambda: ISMCTS(KuhnPoker()),
    "pimc": lambda: PIMC(KuhnPoker()),
    "pimc, all the time": lambda: PIMC(KuhnPoker(), worlds=None),
    "pimc, mcts": lambda: PIMC(KuhnPoker(), searcher=MCTS, worlds=3),
}
LIMITS = [
    Limit(nodes=1),
    Limit(nodes=2),
    Limit(simulations=1),
    Limit(depth=1),
    Limit(seconds=0),
    Limit(seconds=1e-9),
    Limit(clock=Clock(seconds=0)),
    Limit(nodes=1, seconds=0.2),
    Limit(simulations=1, nodes=1),
]


@pytest.mark.sample(3)
@pytest.mark.parametrize("make", SEARCHERS.values(), ids=SEARCHERS)
def test_every_searcher_answers_under_every_tiny_limit(make):
    searcher, answered = make(), 0
    state = searcher.game.initial_state()
    while searcher.game.to_move(state) < 0:
        state = searcher.game.result(state, next(iter(legal_actions(searcher.game, state))))
    for limit in LIMITS:
        for search in (searcher.search, searcher.analyse):
            with guard():
                try:
                    analysis = search(state, limit)
                except ValueError as error:  # a limit that is not for this searcher
                    refused = str(error)
                    assert "limit" in refused or "simulations" in refused, refused
                    continue
            answered += 1
            assert analysis.stopped or analysis.exact, limit
            assert analysis.action is None or analysis.action in list(legal_actions(searcher.game, state))
    assert answered >= 8


def test_worlds_without_an_answer_count():
    with guard():
        analysis = PIMC(KuhnPoker(), worlds=5).search(deal(KuhnPoker()), Limit(nodes=1))
    assert (analysis.actions, analysis.stopped, analysis.nodes) == ((), "nodes", 5)


def deal(game):
    """The first state in which a player is to move."""
    state = game.initial_state()
    while game.to_move(state) < 0:
        state = game.result(state, next(iter(legal_actions(game, state))))
    return state


# -- threads ----------------------------------------------------------------------------------------------------------


def test_more_threads_than_are_of_use_are_not_started():
    most = MAX_THREADS_PER_CORE * cores()
    assert useful_threads(most) == most
    with pytest.warns(RuntimeWarning, match=rf"threads={most + 1}: this machine has \d+ cores, so {most} threads"):
        assert useful_threads(most + 1) == most


@pytest.mark.compiled
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "search",
    [
        lambda: AlphaBeta(ConnectFour(), threads=1024).search(limit=Limit(seconds=0.2)),
        lambda: MCTS(ConnectFour(), threads=1024, memory_mb=16).search(limit=Limit(seconds=0.2)),
        lambda: MCTS(ConnectFour(), threads=1024, memory_mb=16, parallel="root").search(limit=Limit(seconds=0.2)),
    ],
)
def test_a_thousand_threads_answer_in_time(search):
    with guard(), pytest.warns(RuntimeWarning, match="threads=1024"):
        analysis = search()
    assert analysis.action is not None
    assert analysis.seconds < 30  # 0.2, on a machine with nothing else to do


@pytest.mark.compiled
def test_perft_starts_no_more_threads_than_are_of_use():
    with guard(), pytest.warns(RuntimeWarning, match="threads=100000"):
        assert perft(TicTacToe(), 3, threads=100_000).lines == 504


@pytest.mark.nightly
@pytest.mark.parametrize(
    "options",
    [{"beam": 2}, {"futility": True, "evaluate": lambda game, state, player: 0.0}, {}],
    ids=["beam", "futility", "plain"],
)
def test_no_state_stays_marked_as_being_searched(options):
    for limit in (Limit(depth=9), Limit(nodes=5000), Limit(depth=9)):
        searcher = AlphaBeta(ConnectFour(), threads=2, reuse_table=True, **options)
        searcher.search(limit=limit)
        if limit.nodes is None:
            helper_may_still_mark = 40  # what it was at when it was told to stop
            assert np.count_nonzero(searcher._table[-BUSY:]) <= helper_may_still_mark


@pytest.mark.nightly
@pytest.mark.compiled
def test_what_a_stopped_search_has_marked_is_forgotten():
    searcher = AlphaBeta(ConnectFour(), threads=2, reuse_table=True)
    searcher.search(limit=Limit(nodes=5000))
    searcher._table[-BUSY:] = 1 << 40
    searcher.search(limit=Limit(depth=2))
    assert np.count_nonzero(searcher._table[-BUSY:]) < BUSY // 2


# -- progress ---------------------------------------------------------------------------------------------------------


class Slow(ConnectFour):
    """Interpreted, its rules take long: the search does not, but all that is told of it."""

    def actions(self, board):
        time.sleep(SLEEP)
        return super().actions(board)

    def action_name(self, board, action):
        time.sleep(SLEEP)
        return super().action_name(board, action)


SLEEP = 0.05


@pytest.mark.parametrize("every", [False, True])
def test_what_is_told_while_searching_takes_little_time(every):
    """Lines of up to 42 actions, each checked with rules of 50 ms, would take seconds."""
    game, fast = Slow(), ConnectFour()
    state = fast.initial_state()
    results = Results(1, 7, MAX_LINE)
    results.write_status(0, depth=42, actions=7)
    results.cells[0, STATUS_CELLS : STATUS_CELLS + 7 * ROW_CELLS : ROW_CELLS] = range(7)
    lines = results.cells[0, STATUS_CELLS + 7 * ROW_CELLS :].reshape(7, MAX_LINE)
    lines[:, :36] = [column for column in range(6) for _ in range(6)]
    searcher, began = AlphaBeta(game), time.perf_counter()
    analysis = searcher._analysis(state, results, 0, Limit(), 1.0, live=1)
    assert 1 <= len(analysis.actions) < 7
    assert time.perf_counter() - began < 20 * SLEEP  # four calls, and what else the machine does


def test_progress_is_not_called_where_it_would_make_the_search_late():
    called = []

    def told():
        called.append(time.perf_counter())
        time.sleep(0.4)

    stopped = threading.Event()
    watch = SearchRunner(1.0, lambda: 1, lambda _: stopped.set(), told)
    began = time.perf_counter()
    watch.run(stopped.wait)
    assert watch.stopped == "seconds"
    assert all(moment - began < 0.75 for moment in called[1:])  # the second from when it is known how long it takes
    assert len(called) <= 2


# -- what is left behind ----------------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_without_remember_the_tree_is_freed():
    searcher = MCTS(ConnectFour(), memory_mb=64, early=False)
    searcher.search(limit=Limit(simulations=500))
    assert searcher.reusable is not None  # a little memory, to begin the next search sooner
    searcher.search(limit=Limit(simulations=500_000))
    assert vars(searcher).get("reusable") is None


@pytest.mark.nightly
def test_with_transpositions_too():
    searcher = MCTS(ConnectFour(), memory_mb=256, transpositions=True)
    searcher.search(limit=Limit(simulations=10))
    assert vars(searcher).get("reusable") is None  # the table alone is tens of megabytes


@pytest.mark.nightly
def test_two_threads_never_get_the_same_tree():
    searcher, found = MCTS(TicTacToe(), solver=False, seed=3), []
    alone = searcher.search(limit=Limit(simulations=20_000))
    threads = [
        threading.Thread(target=lambda: found.append(searcher.search(limit=Limit(simulations=20_000))))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [each.actions for each in found] == [alone.actions] * 4


def test_the_limit_of_recursion_is_as_before():
    before, stack = sys.getrecursionlimit(), threading.stack_size()
    AlphaBeta(Interpreted()).search(limit=Limit(depth=2))
    AlphaBeta(ConnectFour(), threads=2).search(limit=Limit(depth=2))
    perft(TicTacToe(), 3)
    assert (sys.getrecursionlimit(), threading.stack_size()) == (before, stack)


def test_the_last_of_several_searches_restores_the_limit_of_recursion():
    before = sys.getrecursionlimit()
    with deep_recursion():
        deep = sys.getrecursionlimit()
        with deep_recursion():
            pass
        assert sys.getrecursionlimit() == deep > before
    assert sys.getrecursionlimit() == before
    try:
        with deep_recursion():
            sys.setrecursionlimit(deep + 1)  # somebody else's wish
        assert sys.getrecursionlimit() == deep + 1
    finally:
        sys.setrecursionlimit(before)


def test_ismcts_in_two_threads_keeps_their_histories_apart():
    game = LeducPoker()
    histories = []
    for card in (0, 1, 2, 3):
        past = [game.initial_state()]
        while game.to_move(past[-1]) < 0 or len(past) < 5:
            actions = list(legal_actions(game, past[-1]))
            number = card % len(actions) if game.to_move(past[-1]) < 0 else 0
            past.append(game.result(past[-1], actions[number]))
        histories.append(past)
    searcher, limit = ISMCTS(game, seed=5), Limit(simulations=3000)
    searcher.search(histories[0][-1], limit, previous_states=histories[0][:-1])  # it looks at the rules once
    before = dict(vars(searcher))
    alone = [searcher.search(past[-1], limit, previous_states=past[:-1]).actions for past in histories]
    assert vars(searcher) == before  # nothing of a call is kept
    found = [None] * len(histories)

    def run(place):
        past = histories[place]
        found[place] = searcher.search(past[-1], limit, previous_states=past[:-1]).actions

    threads = [threading.Thread(target=run, args=[place]) for place in range(len(histories))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == alone


# -- the command: Ctrl-C, streams, settings, files --------------------------------------------------------------------

START = "import sys; print('started', flush=True); from outplay.cli.main import run; run()"


@pytest.mark.nightly
@pytest.mark.sample(1)
@pytest.mark.parametrize("again", [False, True])
def test_ctrl_c_while_the_command_starts_or_ends_is_one_line(again):
    random = Random(0)
    for _ in range(3):
        arguments = [sys.executable, "-c", START, "solve", "nim"]
        command = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert command.stdout.readline() == "started\n"  # before that it is Python that starts
        time.sleep(random.uniform(0.02, 0.8))
        for _ in range(1 + again):
            with contextlib.suppress(ProcessLookupError):
                command.send_signal(signal.SIGINT)
            time.sleep(0.01)
        _, errors = command.communicate(timeout=HANGS)
        assert command.returncode in (0, 130, -signal.SIGINT), errors  # the last: Python's own end, 130 to a shell
        assert errors in ("", "interrupted\n", "interrupted\n" * 2)


def test_the_command_takes_ctrl_c_before_it_imports_anything_large(python):
    program = (
        "import sys; before = set(sys.modules); import outplay.cli.main; print(*sorted(set(sys.modules) - before))"
    )
    assert python("-c", program) == "gc outplay outplay.cli outplay.cli.exit_codes outplay.cli.main"


def shell(line, **environment):
    """The exit code and what is printed to the error stream of `$OUTPLAY …`, a line for a shell."""
    done = subprocess.run(
        ["bash", "-c", line.replace("outplay", shlex.join(OUTPLAY), 1)],
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
        env={**os.environ, **environment},
    )
    assert "Traceback" not in done.stderr
    assert "mistake in outplay" not in done.stderr
    return done.returncode, done.stderr


FULL = "Error: the answer cannot be written: No space left on device\n"


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        ("outplay --help >/dev/full", 2, FULL),
        ("outplay solve --help >/dev/full", 2, FULL),
        ("outplay games --json >/dev/full", 2, FULL),
        ("outplay solve nim >/dev/full", 2, FULL),
        ("outplay solve nope 2>/dev/full", 2, ""),
        ("outplay solve nim 2>/dev/full >/dev/null", 0, ""),
        ("outplay --version >&-", 2, "Error: the output is closed: the answer cannot be printed\n"),
        ("outplay check nim --seconds 0.1 2>&- >/dev/null", 0, ""),
        ("outplay gtp nim <&-", 0, ""),
        ("set -o pipefail; outplay games | head -1 >/dev/null", 0, ""),
        ("set -o pipefail; outplay --help | true", 0, ""),
        ("set -o pipefail; outplay games --json | true", 0, ""),
    ],
)
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_streams_that_are_closed_or_full(line, code, told):
    assert shell(line) == (code, told)


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({"NUMBA_DISABLE_JIT": "1"}, "NUMBA_DISABLE_JIT switches off the compiler that searches need: unset it"),
        ({"NUMBA_NUM_THREADS": "-1"}, "Numba cannot be imported: Number of threads specified must be > 0"),
    ],
)
def test_settings_of_numba_with_which_it_does_not_work(environment, told):
    code, errors = shell("outplay solve nim", **environment)
    assert code == 2
    assert told in errors
    assert len(errors.splitlines()) == 1


@pytest.mark.nightly
def test_a_setting_of_numba_that_cannot_be_read_is_said_in_a_line():
    code, errors = shell("outplay solve nim", NUMBA_NUM_THREADS="abc")
    assert code == 0
    assert errors.startswith("Warning: Environment variable 'NUMBA_NUM_THREADS'")
    assert len(errors.splitlines()) == 1


@pytest.mark.parametrize("option", ["table_mb", "memory_mb"])
def test_more_memory_than_there_is_is_refused_before_it_is_taken(option, monkeypatch):
    monkeypatch.setattr("outplay.system.memory.megabytes_of_machine", lambda: 1000.0)
    searcher = (AlphaBeta if option == "table_mb" else MCTS)(TicTacToe(), **{option: 2000})
    with pytest.raises(OutplayError, match=rf"{option}=2000: this machine has 1,000 megabytes of memory; ask for less"):
        searcher.search(limit=Limit(nodes=10))


def test_how_much_memory_there_is():
    assert 100 < megabytes_of_machine() < 1e9


LONG, DIGITS = "a" * 300, "9" * 5000


@pytest.mark.parametrize(
    "arguments",
    [
        ["solve", LONG],
        ["solve", f"{LONG}.py"],
        ["solve", f"{LONG}.efg"],
        ["solve", "nim", "--book", LONG],
        ["analyse", "connect-four", "--evaluation", LONG],
        ["backtrack", LONG],
        ["backtrack", f"{LONG}.py"],
        ["solve", "~nobody-of-this-name/game.py"],
        ["solve", "nim", "--moves", DIGITS],
        ["solve", "nim", "--threads", DIGITS],
        ["solve", f"nim({DIGITS})"],
        ["solve", f"connect-four(width=0x{DIGITS})"],
        ["solve", "nim", "--set", f"depth_factor={DIGITS}"],
        ["solve", "nim", "--set", f"table_mb=0x{DIGITS}"],
        ["solve", f"nim(heaps={'(' * 3000})"],
        ["solve", f"nim(heaps={'(' * 3000}1{')' * 3000})"],
    ],
)
def test_what_is_too_long_is_one_short_error(arguments):
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) <= 8
    assert max(map(len, result.stderr.splitlines())) < 1200
    assert "mistake in outplay" not in result.stderr
    assert "sys.set_int_max_str_digits" not in result.stderr


FILES = {
    "raise BaseException('x')": "cannot be loaded: BaseException: x at ",
    "raise SystemExit": "cannot be loaded: SystemExit at ",
    "import sys; sys.exit(0)": "cannot be loaded: SystemExit: 0 at ",
    "def (": "game.py:1: invalid syntax: def (",
    "x = 1\0": "null bytes",
    b"x = '\xff'": "codec can't decode byte 0xff",
    "raise GeneratorExit": "cannot be loaded: GeneratorExit",
}


@pytest.mark.parametrize(("content", "told"), FILES.items())
def test_a_rules_file_that_cannot_be_loaded(content, told, tmp_path):
    path = tmp_path / "game.py"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    result = CliRunner().invoke(app, ["solve", str(path)])
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_what_is_no_file_of_rules(tmp_path):
    (tmp_path / "folder.py").mkdir()
    os.mkfifo(tmp_path / "fifo.py")
    for name, told in (("folder.py", "is not a file: it is a folder"), ("fifo.py", "is not a file")):
        result = CliRunner().invoke(app, ["solve", str(tmp_path / name)])
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.rstrip().endswith(told)


@pytest.mark.parametrize("rule", ["initial_state", "to_move", "actions", "result", "is_terminal", "utility"])
@pytest.mark.parametrize("what", ["raise SystemExit(0)", "raise BaseException('b')"])
def test_rules_that_would_end_the_process(rule, what, tmp_path):
    path = tmp_path / "game.py"
    path.write_text(re.sub(rf"(def {rule}\(.*?\)): .*", rf"\1: {what}", PILE))
    for command in (["solve"], ["analyse", "--algorithm", "mcts", "--seconds", "1"], ["check", "--seconds", "1"]):
        result = CliRunner().invoke(app, [command[0], str(path), *command[1:]])
        assert result.exit_code == 2, result.output
        assert f"at {path}" in result.stderr or "game.py" in result.stderr


def test_ctrl_c_ends_a_rules_file_that_loads_for_ever(tmp_path):
    (tmp_path / "game.py").write_text("print('loading', flush=True)\nwhile True: pass")
    arguments = [*OUTPLAY, "solve", str(tmp_path / "game.py")]
    command = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert command.stdout.readline() == "loading\n"
    command.send_signal(signal.SIGINT)
    _, errors = command.communicate(timeout=HANGS)
    assert (command.returncode, errors) == (130, "interrupted\n")


def test_a_parameter_that_contains_itself_is_a_clear_error():
    class Given(TicTacToe):
        def __init__(self, loop=None):
            super().__init__()
            self.loop = loop

    loop = [1]
    loop.append(loop)
    game = Given(loop)
    for use in (repr, hash, lambda game: game == Given(loop)):
        with pytest.raises(RulesError, match=r"a (list|dict) among the parameters of a game contains itself"):
            use(game)
