"""Many positions of many games: alpha-beta in any combination of options is minimax; pinned node counts; torture."""

import itertools
import random
import runpy
from pathlib import Path

import pytest
from shared import at_once, ctrl_c
from shared.hashed_game import Mirrored, Noisy, Seeded, WinLossNoisy, scramble

from outplay import AlphaBeta, Limit, Minimax, legal_actions
from outplay.games import MNK, ConnectFour, Kalah, Nim, TicTacToe

Hexapawn = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "hexapawn.py"))["Hexapawn"]

SWITCHES = (
    "hints", "symmetry", "null_window", "order", "staged", "killers", "countermoves", "history_heuristic",
    "quiescence", "extensions",
)  # fmt: skip


def random_options(dice):
    options = {name: dice.random() < 0.5 for name in SWITCHES}
    return options | {"table_mb": dice.choice([0, 0.01, 1]), "depth_factor": dice.choice([None, 1, 2, 4])}


def playout(game, dice, seed=None):
    """The states of a random game, its end apart."""
    state = game.initial_state()
    if seed is not None:
        state = state._replace(seed=seed)
    states = []
    while not game.is_terminal(state):
        states.append(state)
        state = game.result(state, dice.choice(list(legal_actions(game, state))))
    return states


BOARDS = {
    "connect-four": ConnectFour(4, 4),
    "wide connect-four": ConnectFour(5, 4),
    "gravity": MNK(4, 3, 3, gravity=True),
    "mnk": MNK(4, 3, 3),
    "tic-tac-toe": TicTacToe(),
    "kalah": Kalah(3, 2),
    "nim": Nim((3, 3, 2)),
    "hexapawn": Hexapawn(3, 4),
    "mirrored": Mirrored(),
    "noisy": Noisy(),
    "wins and losses": WinLossNoisy(),
}
SMALL = Limit(nodes=20_000)


def agree(name, count, combinations):
    """On so many random positions that minimax can search, and in so many combinations of options."""
    game, dice, known = BOARDS[name], random.Random(name), []
    while len(known) < count:
        seeds = [dice.randrange(10**6) if isinstance(game.initial_state(), Seeded) else None for _ in range(100)]
        states = [state for seed in seeds for state in playout(game, dice, seed)]
        known += [analysis for analysis in Minimax(game).search_many(states, SMALL) if analysis.exact]
    known = known[:count]
    for _ in range(combinations):
        options = random_options(dice)
        found = AlphaBeta(game, **options).search_many([analysis.state for analysis in known])
        for plain, fast in zip(known, found, strict=True):
            assert fast.exact
            assert (fast.value, fast.distance) == (plain.value, plain.distance), (options, plain, fast)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["connect-four", "kalah", "hexapawn"])
def test_random_positions(name):
    agree(name, 100, 1)


@pytest.mark.nightly
@pytest.mark.parametrize("name", BOARDS)
def test_ten_thousand_random_positions(name):
    agree(name, 1000, 5)


INTERPRETED = {
    name: type(f"Interpreted{type(board).__name__}", (type(board),), {"compiled": False})
    for name, board in BOARDS.items()
}
LITTLE = {
    "connect-four": ((4, 4), 40),
    "gravity": ((4, 3, 3, True), 60),
    "tic-tac-toe": ((), 60),
    "kalah": ((3, 1), 60),
    "nim": (((3, 2, 1),), 60),
    "hexapawn": ((3, 3), 60),
    "mirrored": ((), 40),
    "noisy": ((), 40),
    "wins and losses": ((), 40),
}
"""The arguments of the game, and how many nodes minimax may need."""


@pytest.mark.nightly
@pytest.mark.parametrize("name", LITTLE)
def test_every_combination_of_switches(name):
    """Each of the 2048 on a random position; interpreted, as compiling each would take hours."""
    arguments, nodes = LITTLE[name]
    game, dice, states = INTERPRETED[name](*arguments), random.Random(name), []
    for switches in itertools.product([True, False], repeat=len(SWITCHES)):
        plain = None
        while plain is None or not plain.exact:
            while not states:
                states = playout(
                    game, dice, dice.randrange(10**6) if isinstance(game.initial_state(), Seeded) else None
                )
            plain = Minimax(game).search(states.pop(0), Limit(nodes=nodes))
        options = dict(zip(SWITCHES, switches, strict=True)) | {"table_mb": dice.choice([0, 0.01])}
        fast = AlphaBeta(game, **options).search(plain.state)
        assert fast.exact
        assert (fast.value, fast.distance) == (plain.value, plain.distance), (options, plain, fast)


# -- node counts ------------------------------------------------------------------------------------------------------

SIGNATURES = [
    (ConnectFour(), "", 9, 9862),
    (ConnectFour(), "3324", 10, 22_427),
    (TicTacToe(), "", 9, 1119),
    (MNK(5, 5, 4), "", 4, 2422),
    (MNK(5, 4, 4, gravity=True), "2", 8, 2465),
    (Kalah(6, 4), "", 7, 1674),
    (Kalah(4, 3), "1", 9, 1460),
    (Nim((3, 4, 5)), "", 12, 4432),
    (Hexapawn(4, 4), "", 8, 1628),
]


@pytest.mark.sample(1)
@pytest.mark.parametrize(("game", "moves", "depth", "nodes"), SIGNATURES)
def test_node_counts(game, moves, depth, nodes):
    """A change that moves these says why."""
    state = game.initial_state()
    for move in moves:
        state = game.result(state, int(move))
    assert AlphaBeta(game).search(state, Limit(depth=depth)).nodes == nodes


# -- torture ----------------------------------------------------------------------------------------------------------


class Colliding(ConnectFour):
    """Most states have the key of some other."""

    def key(self, position):
        return scramble(position.mine, position.both, 0, 0) % 64


def is_legal(analysis):
    """The action and the line can be played."""
    game, state = analysis.game, analysis.state
    if analysis.action is not None:  # without an answer, it is the action to try first
        assert analysis.action in list(legal_actions(game, state))
        assert analysis.line[:1] == ((analysis.action,) if analysis.actions else ())
    for action in analysis.line:
        assert action in list(legal_actions(game, state))
        state = game.result(state, action)


def torture(count):
    """Small searches of random positions with a table that is kept, far too small, or full of wrong entries."""
    dice = random.Random(1)
    for game in (Colliding(5, 4), ConnectFour(5, 4)):
        states = [state for _ in range(count // 40) for state in playout(game, dice)]
        for table_mb in (0, 1):
            searcher = AlphaBeta(game, table_mb=table_mb, reuse_table=True, check=False)
            for limit in (Limit(nodes=50), Limit(depth=3), Limit(nodes=1000)):
                analyses = searcher.search_many(states, limit)
                for analysis in analyses[:: 1 + len(analyses) // 2000]:
                    is_legal(analysis)
    return analyses


@pytest.mark.nightly
def test_a_table_too_small_or_wrong_makes_no_illegal_action():
    torture(1000)


@pytest.mark.nightly
def test_a_million_searches():
    analyses = torture(240_000)
    solved = [analysis for analysis in analyses if analysis.exact][::20]
    known = AlphaBeta(ConnectFour(5, 4)).search_many([analysis.state for analysis in solved])
    assert [analysis.value for analysis in solved] == [analysis.value for analysis in known]


def test_a_search_of_a_millisecond_answers_legally():
    dice, game = random.Random(2), ConnectFour(5, 4)
    searcher = AlphaBeta(game, table_mb=1, reuse_table=True)
    for state in playout(game, dice) + playout(game, dice):
        analysis = searcher.search(state, Limit(seconds=0.001))
        is_legal(analysis)
        if analysis.exact:
            assert analysis.value == AlphaBeta(game).search(state).value


def interrupt(times):
    dice, game = random.Random(3), ConnectFour()
    states = [states[dice.randrange(len(states))] for states in (playout(game, dice) for _ in range(times))]
    searcher = AlphaBeta(game, table_mb=1, reuse_table=True)
    searcher.search(limit=Limit(depth=2))
    for state in states:
        try:
            with ctrl_c(dice.random() / 20, at_once):
                analysis = searcher.search(state, Limit(depth=24))
        except KeyboardInterrupt:  # before or after the search
            continue
        is_legal(analysis)
        if analysis.exact and analysis.distance and analysis.distance < 8:
            assert AlphaBeta(game).search(state, Limit(depth=8)).value == analysis.value


def test_ctrl_c_at_any_moment():
    interrupt(10)


@pytest.mark.nightly
def test_ctrl_c_at_many_moments():
    interrupt(400)
