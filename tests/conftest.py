"""What the tests share: a cache folder of their own, modules that change, and fresh processes."""

import contextlib
import gc
import importlib
import os
import signal
import subprocess
import sys
import threading

import pytest
from hypothesis import settings

from outplay import Game

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: Ctrl-C is tested all the same
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):  # nohup ignores it
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

gc.set_threshold(700, 10, 1000)  # a search for garbage among everything that the compiler keeps takes seconds

OUTPLAY = [sys.executable, "-c", "from outplay.cli.main import run; run()"]
"""The command, for a process of its own."""

EDITED = """
from typing import NamedTuple
from enum import Enum, IntEnum
import functools
import math
import operator
import numpy as np
from outplay import Game, kernel

class State(NamedTuple):
    left: int
    turn: int

class Base(Game):
    def initial_state(self): return State(3, 0)
    def to_move(self, state): return state.turn
    def actions(self, state):
        yield 1
    def result(self, state, action): return State(self.more(state.left), 1 - state.turn)
    def more(self, x): return x + 1
    def is_terminal(self, state): return state.left <= 0
    def utility(self, state, player): return 1.0

@kernel
def child(game, state):
    return game.result(state, 1).left
"""
"""The head of a program that is edited: `G(Base)` comes next, whose `more` says how many are left after an action."""

PILE = """
from outplay import Game
class Pile(Game):
    compiled = False
    utilities = (-1, 1)
    def __init__(self, size=5): self.size = size
    def initial_state(self): return self.size, 0
    def to_move(self, s): return s[1]
    def actions(self, s): return range(1, min(2, s[0]) + 1)
    def result(self, s, a): return s[0] - a, 1 - s[1]
    def is_terminal(self, s): return s[0] <= 0
    def utility(self, s, p): return -1 if s[1] == p else 1
"""
"""A file of rules: who takes the last one wins. Each rule is a line."""


def rows(table):
    """The named rows of `table` for `pytest.mark.parametrize`."""
    return [pytest.param(*(row if isinstance(row, tuple) else (row,)), id=name) for name, row in table.items()]


@contextlib.contextmanager
def ctrl_c(after, once=None):
    """Press Ctrl-C so many seconds after the main thread has begun a search, or after `once()` is true.

    No garbage is collected meanwhile: an interrupt within a callback of the collector, as hypothesis has one, is lost.
    """
    main, over = threading.main_thread().ident, threading.Event()

    def press():
        while not over.wait(0.01):
            if once() if once else is_searching(main):
                if not over.wait(after):
                    signal.pthread_kill(main, signal.SIGINT)
                return

    timer = threading.Thread(target=press, daemon=True)
    gc.disable()
    try:
        timer.start()
        yield
    finally:  # also if Ctrl-C came before or after what should take it
        over.set()
        timer.join()
        gc.enable()


def at_once():
    """For `ctrl_c`: from now on."""
    return True


def is_searching(thread):
    """Whether a thread is in the part of a search that takes Ctrl-C."""
    frame = sys._current_frames().get(thread)
    while frame is not None and frame.f_code.co_qualname != "SearchRunner._wait":
        frame = frame.f_back
    return frame is not None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Leave n cases of a test marked `sample(n)`, spread evenly, to the short run; the others are slow."""
    cases = {}
    for item in items:
        if item.get_closest_marker("sample"):
            cases.setdefault((item.path, item.originalname), []).append(item)
    for group in cases.values():
        [number] = group[0].get_closest_marker("sample").args
        kept = {round((place + 0.5) * len(group) / number - 0.5) for place in range(number)}
        for place, item in enumerate(group):
            if place not in kept:
                item.add_marker(pytest.mark.slow)


settings.register_profile("outplay", deadline=None, max_examples=50)  # the first example of a test may compile
settings.load_profile("outplay")


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory):
    """The tests compile into a folder of their own, one for all workers of a parallel run.

    `$OUTPLAY_TEST_CACHE` names one for several runs, of different tests.
    """
    session = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        session = session.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OUTPLAY_CACHE", os.environ.get("OUTPLAY_TEST_CACHE") or str(session / "compiled"))
        yield


@pytest.fixture(autouse=True)
def seed_of_contests(monkeypatch):
    """Matches without a seed have seed 0 in the tests, instead of one that nobody can guess."""
    monkeypatch.setattr("outplay.system.seeds.randbits", lambda _: 0)


@pytest.fixture
def uncompiled(monkeypatch):
    """Games run interpreted: for tests of few nodes, since to compile a search takes seconds."""
    monkeypatch.setattr(Game, "compiled", False)


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """Write modules from texts and import the first, all of them anew, as a process started after an edit would."""
    folder, written = tmp_path / "modules", set()
    folder.mkdir()
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # else two edits in one second would look the same
    monkeypatch.syspath_prepend(folder)

    def load(**texts):
        for name, text in texts.items():
            path = folder / f"{name.replace('.', '/')}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        written.update(name.partition(".")[0] for name in texts)
        forget()
        return importlib.import_module(next(iter(texts)))

    def forget():
        importlib.invalidate_caches()
        for module in list(sys.modules):
            if module.partition(".")[0] in written:
                monkeypatch.delitem(sys.modules, module)

    yield load
    for module in list(sys.modules):
        if module.partition(".")[0] in written:
            del sys.modules[module]


@pytest.fixture
def python(tmp_path):
    """Run a fresh Python in `tmp_path`, with a cache folder in it; what it printed."""

    def run(*arguments, stdin=None, **environment):
        merged = {**os.environ, "OUTPLAY_CACHE": str(tmp_path / "cache"), **environment}
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=tmp_path,
            env={name: str(value) for name, value in merged.items() if value is not None},
            input=stdin,
            text=True,
            capture_output=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run
