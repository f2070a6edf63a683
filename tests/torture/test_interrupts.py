"""Ctrl-C at random moments of compiling and loading: no crash, no wrong answer, nothing that stays broken.

A child process makes games, each with rules of its own, and counts their leaves while a timer presses Ctrl-C. After
each interrupt it counts again: the answer must be that of the interpreted rules. A first child compiles everything; a
second one with the same cache folder loads.
"""

import os
import subprocess
import sys

import pytest

from torture import SCALE, SEED

PROGRAM = """
import random, signal, sys, threading, time
from typing import NamedTuple
from outplay import Game, kernel, legal_actions

signal.signal(signal.SIGINT, signal.default_int_handler)
seed, number, longest = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
dice = random.Random(seed)

class State(NamedTuple):
    left: int
    turn: int

class Countdown(Game):
    def __init__(self, most): self.most = most
    def initial_state(self): return State(9, 0)
    def to_move(self, state): return state.turn
    def taken(self, state, action): return max(state.left - action, 0)
    def actions(self, state):
        for taken in range(1, self.most % 4 + 2):
            yield taken
    def result(self, state, action): return State(self.taken(state, action), 1 - state.turn)
    def is_terminal(self, state): return state.left == 0
    def utility(self, state, player): return 1.0

@kernel
def leaves(game, state):
    if game.is_terminal(state):
        return 1 + game.most
    total = 0
    for action in legal_actions(game, state):
        total += leaves(game, game.result(state, action))
    return total

def press():
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

interrupted = 0
latest = 0.0
for i in range(number):
    game = Countdown(seed * 1_000_000 + i)
    state = game.initial_state()
    timer = threading.Timer(dice.uniform(0, longest), press)
    try:
        timer.start()
        try:
            first = leaves(game, state)
        finally:
            while timer.is_alive():
                time.sleep(0.001)
    except KeyboardInterrupt:
        interrupted += 1
        first = None
    while True:
        try:
            timer.join()
            break
        except KeyboardInterrupt:
            pass
    truth = leaves.interpreted(game, state)
    assert leaves(game, state) == truth, (seed, i)
    assert first in (None, truth), (seed, i)
print(interrupted)
"""


def run(seed, number, longest, folder):
    """How many interrupts hit; the child must end well."""
    environment = {**os.environ, "OUTPLAY_CACHE": str(folder)}
    command = [sys.executable, "-X", "faulthandler", "-c", PROGRAM, str(seed), str(number), str(longest)]
    done = subprocess.run(command, env=environment, text=True, capture_output=True, timeout=1800, check=False)
    assert done.returncode == 0, f"seed {seed}: exit {done.returncode}\n{done.stderr[-3000:]}"
    return int(done.stdout)


def interrupts(number, seed, tmp_path):
    """Interrupt so many compilations, and as many loads."""
    cold = run(seed, number, 0.4, tmp_path)
    warm = run(seed, number, 0.05, tmp_path)
    assert cold > 0
    return cold + warm


@pytest.mark.nightly
def test_a_few_interrupts(tmp_path):
    assert interrupts(6, SEED, tmp_path) > 0


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(5))
def test_a_thousand_interrupts(part, tmp_path):
    assert interrupts(max(10, int(100 * SCALE)), 10 * SEED + part + 1, tmp_path) > 0
