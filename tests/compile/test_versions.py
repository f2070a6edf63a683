"""What a version of Python or Numba could break, in short: `make matrix` runs this with the oldest and the newest."""

import warnings
from typing import NamedTuple

import numpy as np
import pytest

from outplay import MCTS, AlphaBeta, Game, Limit, check_game, kernel, legal_actions
from outplay.compile.kernels import runs_compiled
from outplay.compile.native import llvm_ir, losses
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import new_random
from outplay.games import ConnectFour, TicTacToe

pytestmark = [pytest.mark.compiled, pytest.mark.matrix]


class State(NamedTuple):
    cells: np.ndarray
    turn: int


STEP = 2


def less(cells, by=1):
    return [cell - by for cell in cells if cell > by]


class Piles(Game):
    """Rules with what compiles differently from version to version: closures, generators, loops, arrays, defaults."""

    def __init__(self, *sizes):
        self.sizes = np.array(sizes, np.int8)

    def initial_state(self):
        return State(self.sizes.copy(), 0)

    def to_move(self, state):
        return state.turn

    def actions(self, state):
        for pile, size in enumerate(state.cells):
            for taken in range(1, STEP + 1):
                if taken <= size:
                    yield pile * 4 + taken

    def result(self, state, action):
        pile, taken = divmod(action, 4)
        cells = state.cells.copy()
        cells[pile] -= taken
        return State(cells, 1 - state.turn)

    def is_terminal(self, state):
        return len([cell for cell in state.cells if cell > 0]) == 0

    def utility(self, state, player):
        return -1.0 if state.turn == player else 1.0

    def order(self, state, action):
        weights = sorted([size * 2.0 for size in less([1, 2, 3], by=1)], key=lambda weight: -weight)
        return weights[0] - action**2 / 7 - (action << 1) // 3


class Interpreted(Piles):
    compiled = False


@kernel
def leaves(game, state, depth):
    if depth == 0 or game.is_terminal(state):
        return 1
    total = 0
    for action in legal_actions(game, state):
        total += leaves(game, game.result(state, action), depth - 1)
    return total


def test_nothing_is_lost():
    assert losses.lost == {}


@pytest.mark.nightly
def test_searches_of_games_that_come_with_outplay():
    assert AlphaBeta(ConnectFour()).search(limit=Limit(depth=4)).nodes == 259
    assert MCTS(TicTacToe(), seed=3).search(limit=Limit(simulations=60)).action == 6


@pytest.mark.nightly
def test_rules_of_a_user_compile_and_agree_with_python():
    game = Piles(3, 2, 2)
    state = game.initial_state()
    assert runs_compiled(game)
    assert leaves(game, state, 5) == leaves.interpreted(game, state, 5)
    assert AlphaBeta(game).search().value == AlphaBeta(Interpreted(3, 2, 2)).search().value
    check_game(game)


def test_actions_are_drawn_by_trial():
    game, random = ConnectFour(), new_random(7)
    assert [random_action(game, game.initial_state(), random) for _ in range(8)] == [4, 1, 1, 1, 2, 0, 1, 4]


@pytest.mark.nightly
def test_a_second_process_loads_what_the_first_compiled(python):
    source = (
        "import sys; from outplay import AlphaBeta, Limit; from outplay.games import TicTacToe;"
        "from outplay.compile import cache; print(AlphaBeta(TicTacToe()).search(limit=Limit(depth=2)).nodes,"
        " len(cache.files()), 'outplay.compile.native.semantics.passes' in sys.modules)"
    )
    nodes, files, compiled = python("-c", source).split()
    assert int(files) >= 1
    assert compiled == "True"
    assert python("-c", source).split() == [nodes, files, "False"]


def test_llvm_code_is_at_hand():
    game = TicTacToe()
    assert "define" in llvm_ir(leaves, game, game.initial_state(), 2)


@pytest.mark.nightly
def test_rules_that_do_not_compile_are_named():
    class Text(TicTacToe):
        def is_terminal(self, state):
            return eval("True") and TicTacToe.is_terminal(self, state)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert AlphaBeta(Text()).search(limit=Limit(depth=1)).nodes
    assert [str(each.message).partition(" runs")[0] for each in caught] == ["Text"]
