"""What tests share: programs as texts, rows of parameters, and Ctrl-C at a chosen moment."""

import contextlib
import gc
import signal
import sys
import threading

import pytest

from outplay.compile import cache

OUTPLAY = [sys.executable, "-c", "from outplay.cli.main import run; run()"]
"""The command, for a process of its own."""
PATIENCE = 600
"""How many seconds are waited for what takes one or two: no machine is so busy that this is too short."""

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


def kept_code():
    """The files of compiled code in the cache; those of censuses are left out."""
    return [file for file in cache.files() if file.kernel != "census"]
