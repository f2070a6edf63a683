"""Nothing goes on for ever, and nothing is left behind: tiny limits, many threads, memory, settings of the process."""

import contextlib
import signal
import sys
import threading
import time

import numpy as np
import pytest

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
from outplay.games import ConnectFour, KuhnPoker, LeducPoker, Nim, Pig, TicTacToe
from outplay.limits import THREADS_A_CORE, cores, deep_recursion, useful_threads
from outplay.search.perft import perft
from outplay.search.table import BUSY

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
                    assert "limit" in str(error) or "simulations" in str(error), error
                    continue
            answered += 1
            assert analysis.stopped or analysis.exact, limit
            assert analysis.action is None or analysis.action in list(legal_actions(searcher.game, state))
    assert answered >= 8


def test_worlds_without_an_answer_count():
    with guard():
        analysis = PIMC(KuhnPoker(), worlds=5).search(deal(KuhnPoker()), Limit(nodes=1))
    assert (analysis.action, analysis.stopped, analysis.nodes) == (None, "nodes", 5)


def deal(game):
    """The first state in which a player is to move."""
    state = game.initial_state()
    while game.to_move(state) < 0:
        state = game.result(state, next(iter(legal_actions(game, state))))
    return state


# -- threads ----------------------------------------------------------------------------------------------------------


def test_more_threads_than_are_of_use_are_not_started():
    most = THREADS_A_CORE * cores()
    assert useful_threads(most) == most
    with pytest.warns(RuntimeWarning, match=rf"threads={most + 1}: this machine has \d+ cores, so {most} threads"):
        assert useful_threads(most + 1) == most


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


def test_perft_starts_no_more_threads_than_are_of_use():
    with guard(), pytest.warns(RuntimeWarning, match="threads=100000"):
        assert perft(TicTacToe(), 3, threads=100_000).lines == 504


@pytest.mark.parametrize(
    "options", [{"beam": 2}, {"futility": True, "evaluate": lambda game, state, player: 0.0}, {}], ids=str
)
def test_no_state_stays_marked_as_being_searched(options):
    for limit in (Limit(depth=9), Limit(nodes=5000), Limit(depth=9)):
        searcher = AlphaBeta(ConnectFour(), threads=2, remember=True, **options)
        searcher.search(limit=limit)
        if limit.nodes is None:
            helper_may_still_mark = 40  # what it was at when it was told to stop
            assert np.count_nonzero(searcher._table[-BUSY:]) <= helper_may_still_mark


def test_what_a_stopped_search_has_marked_is_forgotten():
    searcher = AlphaBeta(ConnectFour(), threads=2, remember=True)
    searcher.search(limit=Limit(nodes=5000))
    searcher._table[-BUSY:] = 1 << 40
    searcher.search(limit=Limit(depth=2))
    assert np.count_nonzero(searcher._table[-BUSY:]) < BUSY // 2


# -- what is left behind ----------------------------------------------------------------------------------------------


def test_without_remember_the_tree_is_freed():
    searcher = MCTS(ConnectFour(), memory_mb=64, early=False)
    searcher.search(limit=Limit(simulations=500))
    assert searcher.kept is not None  # a little memory, to begin the next search sooner
    searcher.search(limit=Limit(simulations=500_000))
    assert vars(searcher).get("kept") is None


def test_with_transpositions_too():
    searcher = MCTS(ConnectFour(), memory_mb=256, transpositions=True)
    searcher.search(limit=Limit(simulations=10))
    assert vars(searcher).get("kept") is None  # the table alone is tens of megabytes


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
            past.append(game.result(past[-1], actions[card % len(actions)] if game.to_move(past[-1]) < 0 else actions[0]))
        histories.append(past)
    searcher, limit = ISMCTS(game, seed=5), Limit(simulations=3000)
    before = dict(vars(searcher))
    alone = [searcher.search(past[-1], limit, history=past[:-1]).actions for past in histories]
    assert vars(searcher) == before  # nothing of a call is kept
    found = [None] * len(histories)

    def run(place):
        past = histories[place]
        found[place] = searcher.search(past[-1], limit, history=past[:-1]).actions

    threads = [threading.Thread(target=run, args=[place]) for place in range(len(histories))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == alone
