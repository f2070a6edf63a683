"""`Stop`: searches end at once when another thread sets it, with a legal action; and searches that are awaited."""

import asyncio
import pickle
import threading
from random import Random

import pytest

from outplay import (
    ISMCTS,
    MCTS,
    PIMC,
    AlphaBeta,
    Backtracking,
    Expectiminimax,
    Limit,
    MaxN,
    MTDf,
    Paranoid,
    ProofNumber,
    Stop,
    ValueIteration,
    WrongType,
    legal_actions,
)
from outplay.backtracking.problems import Queens
from outplay.games import ConnectFour, KuhnPoker, ManyPlayerMNK, Pig

SEARCHERS = {
    "alpha-beta": AlphaBeta(ConnectFour()),
    "mtdf": MTDf(ConnectFour()),
    "df-pn": ProofNumber(ConnectFour()),
    "mcts": MCTS(ConnectFour(), early=False),
    "expectiminimax": Expectiminimax(Pig()),
    "max-n": MaxN(ManyPlayerMNK(5, 5, 3)),
    "paranoid": Paranoid(ManyPlayerMNK(5, 5, 3)),
    "value-iteration": ValueIteration(Pig()),
    "ismcts": ISMCTS(KuhnPoker(4)),
    "pimc": PIMC(KuhnPoker(4), worlds=None),
}


def start_of(searcher):
    """A state of the game in which a player is to move."""
    game, random = searcher.game, Random(1)
    state = game.initial_state()
    while game.to_move(state) < 0:
        state = game.result(state, random.choice(list(legal_actions(game, state))))
    return state


@pytest.mark.parametrize("name", SEARCHERS)
def test_a_search_ends_when_another_thread_says_so(name):
    searcher, stop = SEARCHERS[name], Stop()
    state = start_of(searcher)
    waiting = threading.Timer(0.05, stop.set)
    waiting.start()
    analysis = searcher.search(state, Limit(stop=stop))
    waiting.join()
    assert analysis.stopped == ("" if analysis.exact else "stopped")
    assert analysis.action in list(legal_actions(searcher.game, state))


@pytest.mark.parametrize("name", SEARCHERS)
def test_a_stop_that_is_set_lets_no_search_run(name):
    searcher, stop = SEARCHERS[name], Stop()
    state = start_of(searcher)
    stop.set()
    analysis = searcher.search(state, Limit(seconds=600, stop=stop))
    assert analysis.exact or analysis.stopped == "stopped"
    assert analysis.action in list(legal_actions(searcher.game, state))
    stop.clear()
    again = searcher.search(state, Limit(nodes=50, seconds=600 if name != "pimc" else 0.01, stop=stop))
    assert again.stopped != "stopped"


def test_backtracking_stops_too():
    stop = Stop()
    solutions = Backtracking(Queens(30)).count(limit=Limit(stop=stop), progress=lambda _: stop.set())
    assert solutions.stopped == "stopped"


def test_one_stop_ends_several_searches():
    stop, answers = Stop(), []
    threads = [
        threading.Thread(target=lambda: answers.append(AlphaBeta(ConnectFour()).search(limit=Limit(stop=stop))))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    stop.set()
    for thread in threads:
        thread.join()
    assert [answer.stopped for answer in answers] == ["stopped"] * 3


def test_a_stop_is_no_part_of_a_limit_as_a_value():
    stop = Stop()
    assert Limit(depth=3, stop=stop) == Limit(depth=3)
    assert hash(Limit(depth=3, stop=stop)) == hash(Limit(depth=3))
    stop.set()
    assert not pickle.loads(pickle.dumps(Limit(depth=3, stop=stop))).stop.is_set
    with pytest.raises(ValueError, match=r"Limit\(stop=True\): stop is a Stop or None"):
        Limit(stop=True)


def test_after_a_search_nothing_is_stopped():
    stop, calls = Stop(), []
    with stop.ends(lambda: calls.append("inside")):
        pass
    stop.set()
    assert calls == []
    with stop.ends(lambda: calls.append("set before")):
        pass
    assert calls == ["set before"]


# -- asyncio ----------------------------------------------------------------------------------------------------------


def test_the_loop_goes_on_while_a_search_runs():
    game, stop = ConnectFour(), Stop()

    async def play():
        search = asyncio.create_task(AlphaBeta(game).search_async(limit=Limit(stop=stop)))
        for _ in range(5):
            await asyncio.sleep(0.001)
        assert not search.done()
        stop.set()
        return await search

    assert asyncio.run(play()).stopped == "stopped"


def test_a_task_that_is_cancelled_ends_the_search():
    searcher, seen = AlphaBeta(ConnectFour()), []

    async def play():
        loop, running = asyncio.get_running_loop(), asyncio.Event()

        def progress(analysis):
            seen.append(analysis)
            loop.call_soon_threadsafe(running.set)

        task = asyncio.create_task(searcher.search_async(progress=progress))
        await running.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        number = len(seen)
        again = await searcher.search_async(limit=Limit(depth=2))
        assert len(seen) == number, "the first search has ended"
        return again

    assert asyncio.run(play()) == searcher.search(limit=Limit(depth=2))


def test_an_error_of_an_awaited_search_is_raised():
    async def play():
        return await AlphaBeta(ConnectFour()).search_async(Limit(depth=3))

    with pytest.raises(WrongType, match="the state comes first"):
        asyncio.run(play())
