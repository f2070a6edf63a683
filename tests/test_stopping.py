"""Every searcher stops when it is told to, and keeps what it has found."""

from functools import partial

import pytest
from conftest import ctrl_c

from outplay import MCTS, PIMC, AlphaBeta, Backtracking, Limit, Minimax, MTDf, OutplayError, ProofNumber
from outplay.backtracking.problems import Queens
from outplay.engine import runner
from outplay.engine.runner import SearchRunner
from outplay.equilibrium import CFR
from outplay.games import ConnectFour, KuhnPoker, PhantomTicTacToe, TicTacToe
from outplay.system.threads import start_with_stack

SEARCHERS = [Minimax, AlphaBeta, MTDf, ProofNumber]


class Interpreted(ConnectFour):
    compiled = False


def is_an_answer(searcher, analysis):
    """What a search that was stopped has found; minimax has no answer before it is done."""
    assert not analysis.exact
    assert analysis.nodes > 0
    assert (analysis.action is None) == (searcher is Minimax)
    assert (analysis.depth > 0) == (searcher is not Minimax)


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_the_clock_stops_a_search(searcher):
    analysis = searcher(ConnectFour()).search(limit=Limit(seconds=0.05))
    assert analysis.stopped == "seconds"
    is_an_answer(searcher, analysis)


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_each_state_has_the_clock_to_itself(searcher):
    game = ConnectFour()
    start = game.initial_state()
    for analysis in searcher(game).search_many([start, start, game.result(start, 3)], Limit(seconds=0.05)):
        assert analysis.stopped == "seconds"
        assert type(analysis.seconds) is float  # not one of NumPy's
        is_an_answer(searcher, analysis)


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_limit_on_simulations_is_for_what_makes_them(searcher):
    searching, limit = searcher(ConnectFour()), Limit(simulations=10, nodes=100)
    words = f"{searcher.__name__} cannot be limited by simulations"
    for search in (searching.search, searching.analyse):
        with pytest.raises(ValueError, match=words):
            search(limit=limit)
    with pytest.raises(ValueError, match=words):
        searching.search_many([ConnectFour().initial_state()] * 2, limit)


@pytest.mark.sample(5)
@pytest.mark.parametrize("game", [ConnectFour(), Interpreted()])
@pytest.mark.parametrize("searcher", SEARCHERS)
def test_ctrl_c_keeps_the_best_completed_answer(searcher, game):
    searching = searcher(game)
    searching.search(limit=Limit(nodes=100))  # compiled before the timer runs
    with ctrl_c(0.5):
        analysis = searching.search()
    assert analysis.stopped == "interrupted"
    is_an_answer(searcher, analysis)


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_progress_is_reported_while_searching(searcher):
    seen = []
    searcher(ConnectFour()).search(limit=Limit(seconds=0.5), progress=seen.append)
    assert seen[-1].nodes > seen[0].nodes > 0
    assert (seen[-1 if issubclass(searcher, AlphaBeta) else 0].depth > 0) == issubclass(searcher, AlphaBeta)


@pytest.mark.parametrize(
    "make",
    [
        lambda: partial(AlphaBeta(TicTacToe()).search, limit=Limit(depth=2)),
        lambda: partial(AlphaBeta(TicTacToe()).search, limit=Limit(seconds=60)),  # exact
        lambda: lambda: AlphaBeta(TicTacToe()).search_many([TicTacToe().initial_state()] * 2, Limit(depth=2))[-1],
        lambda: partial(MCTS(TicTacToe()).search, limit=Limit(simulations=10)),
        lambda: partial(PIMC(PhantomTicTacToe(), worlds=3).search, limit=Limit(depth=1)),
        lambda: partial(CFR(KuhnPoker()).solve, iterations=1),
        lambda: Backtracking(Queens(4)).first,
    ],
    ids=["depth", "exact", "many", "mcts", "pimc", "cfr", "backtracking"],
)
def test_ctrl_c_is_not_lost_when_a_search_has_just_ended(make, monkeypatch):
    wait = SearchRunner._wait

    def pressed_at_the_end(watch, done):
        wait(watch, done)
        raise KeyboardInterrupt

    search = make()
    whole = search()
    monkeypatch.setattr(SearchRunner, "_wait", pressed_at_the_end)
    found = search()
    assert whole.stopped != "interrupted"
    assert found.stopped == "interrupted"
    assert getattr(found, "exact", None) == getattr(whole, "exact", None)


def test_ctrl_c_while_the_thread_starts(monkeypatch):
    def pressed_after(body):
        start_with_stack(body)
        raise KeyboardInterrupt

    def pressed_before(body):
        raise KeyboardInterrupt

    searcher = AlphaBeta(ConnectFour())
    monkeypatch.setattr(runner, "start_with_stack", pressed_after)
    assert searcher.search().stopped == "interrupted"
    monkeypatch.setattr(runner, "start_with_stack", pressed_before)
    monkeypatch.setattr(runner, "START_SECONDS", 0)
    with pytest.raises(KeyboardInterrupt):
        searcher.search()


def test_a_thread_that_cannot_start_is_an_error(monkeypatch):
    def refused(body):
        raise OutplayError("the system cannot start a thread")

    monkeypatch.setattr(runner, "start_with_stack", refused)
    with pytest.raises(OutplayError, match="cannot start"):
        AlphaBeta(TicTacToe()).search()
