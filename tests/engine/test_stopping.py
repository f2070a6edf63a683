"""Every searcher stops when it is told to, and keeps what it has found."""

import json
import math
import random
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import ctrl_c

from outplay import MCTS, PIMC, AlphaBeta, Backtracking, Clock, Limit, Minimax, MTDf, OutplayError, ProofNumber
from outplay.backtracking.problems import Queens
from outplay.engine import runner
from outplay.engine.runner import SearchRunner
from outplay.equilibrium import CFR
from outplay.games import Breakthrough, ConnectFour, KuhnPoker, PhantomTicTacToe, Pig, TicTacToe
from outplay.rules.game import legal_actions
from outplay.rules.repetition import playable
from outplay.session import SearchPlayer, Session
from outplay.session.algorithms import SEARCHES, searcher_class
from outplay.session.view import View
from outplay.system.threads import start_with_stack

SEARCHERS = [Minimax, AlphaBeta, MTDf, ProofNumber]


class Interpreted(ConnectFour):
    compiled = False


def is_an_answer(searcher, analysis):
    """What a search that was stopped has found; minimax has no answer before it is done."""
    assert not analysis.exact
    assert analysis.nodes > 0
    assert analysis.action is not None
    assert (analysis.depth > 0) == bool(analysis.actions) == (searcher is not Minimax)


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

    def until_there_are_more_nodes(analysis):
        seen.append(analysis)
        if analysis.nodes > seen[0].nodes:
            raise KeyboardInterrupt

    searcher(ConnectFour()).search(limit=Limit(seconds=600), progress=until_there_are_more_nodes)
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


# -- an action, however early a search is stopped ----------------------------------------------------------------------

SMALL = {"seconds": (0, 1e-9), "clock": (Clock(1e-9),), "depth": (1,), "nodes": (1, 2, 5), "simulations": (1, 2)}
"""Limits that stop a search at once."""
GAMES = {
    "alpha-beta": Breakthrough(6, 6),
    "expectiminimax": Pig(goal=10),
    "max-n": Pig(goal=10, players=3),
    "paranoid": Pig(goal=10, players=3),
    "best-reply": Pig(goal=10, players=3),
    "value-iteration": Pig(goal=10),
    "ismcts": PhantomTicTacToe(),
    "pimc": KuhnPoker(),
}
"""A game for each search; connect four for the others."""


class Superko(TicTacToe):
    """Tic-tac-toe in which the centre may not be taken: it leads back to a state before."""

    repetition = "forbidden"

    def order(self, state, action):
        return float(action == 4) + 0.1 * action


def begun(game):
    """A state in which a player is to move."""
    state = game.initial_state()
    while game.to_move(state) < 0:
        state = game.result(state, next(iter(legal_actions(game, state))))
    return state


def is_playable(game, states, analysis):
    """What is to be played is legal, and what is not known is not told."""
    assert analysis.action in playable(game, states)
    assert len(str(analysis).splitlines()) == (3 if analysis.actions else 1)
    told = json.loads(json.dumps(analysis.as_dict(), allow_nan=False))
    if not analysis.actions:
        assert (analysis.exact, analysis.depth, analysis.line) == (False, 0, ())
        assert math.isnan(analysis.value)
        assert all(map(math.isnan, analysis.values))
        assert analysis.stopped
        assert (told["value"], told["verdict"]) == (None, "unknown")
        assert "before any answer" in str(analysis)


@pytest.mark.parametrize("textbook", [False, True], ids=["own", "textbook"])
@pytest.mark.parametrize("name", sorted({*SEARCHES} - {"equilibrium"}))  # which solves the game before it answers
def test_every_search_has_an_action_whatever_its_limit(name, textbook, monkeypatch):
    game, kind = GAMES.get(name, ConnectFour()), searcher_class(name)
    if textbook and not kind.textbook_form:
        pytest.skip("no textbook has it")
    searcher, state = kind(game, **{"textbook": True} if textbook else {}), begun(game)
    for limit in [Limit(**{key: value}) for key in kind.limits for value in SMALL[key]]:
        for search in (searcher.search, searcher.analyse):
            is_playable(game, [state], search(state, limit))
        if limit.clock is None:
            for analysis in searcher.search_many([state, state], limit):
                is_playable(game, [state], analysis)

    def pressed_at_once(watch, done):
        raise KeyboardInterrupt

    monkeypatch.setattr(SearchRunner, "_wait", pressed_at_once)
    analysis = searcher.search(state, Limit(seconds=60))
    assert analysis.stopped == "interrupted"
    is_playable(game, [state], analysis)


def test_a_compiled_search_has_one_too():
    game = Breakthrough(6, 6)
    for nodes in (1, 2, 5, 2000):
        analysis = AlphaBeta(game).search(limit=Limit(nodes=nodes))
        is_playable(game, [game.initial_state()], analysis)
        assert bool(analysis.actions) == (nodes == 2000)


@given(nodes=st.integers(1, 300), plies=st.integers(0, 30), seed=st.integers(0, 1000))
def test_quiescence_leaves_nodes_for_every_action(nodes, plies, seed):
    game, choices = Breakthrough(5, 5), random.Random(seed)
    state = game.initial_state()
    for _ in range(plies):
        after = game.result(state, choices.choice([*legal_actions(game, state)]))
        state = state if game.is_terminal(after) else after
    analysis = AlphaBeta(game, check=False).search(state, Limit(nodes=nodes))
    is_playable(game, [state], analysis)
    assert analysis.nodes <= nodes
    assert analysis.depth > 0 or nodes < 12 * len([*legal_actions(game, state)])


def test_the_action_to_try_first_is_the_first_in_order_that_may_be_played():
    game = Superko()
    state, limit = game.initial_state(), Limit(nodes=1)
    assert Minimax(game).search(state, limit).action == 4
    centre = game.result(state, 4)
    assert Minimax(game).search(state, limit, previous_states=[centre]).action == 8
    assert AlphaBeta(game, order=lambda game, state, action: -action).search(state, limit).action == 0


def test_hidden_things_do_not_tell_what_to_try_first():
    class Told(KuhnPoker):
        def order(self, state, action):
            raise AssertionError("it knows the cards")

    game = Told()
    state = begun(game)
    assert PIMC(game).search(state, Limit(seconds=0)).action == next(iter(legal_actions(game, state)))


def test_sessions_and_matches_play_it():
    game, limit = Superko(), Limit(nodes=1)
    session = Session(game, players={0: SearchPlayer(Minimax(game), limit)})
    choice = session.choose()
    assert (choice.action, choice.analysis.actions) == (4, ())
    player = SearchPlayer(Minimax(game), limit)
    player.new_game(game, 0, 0)
    reply = player.choose(View(game, 0, tuple(range(9)), (game.initial_state(),)), None)
    assert (reply.action, reply.value, reply.exact) == (4, None, False)


def test_an_outcome_of_chance_is_no_action():
    game = Pig(goal=10)
    after = [game.result(begun(game), action) for action in legal_actions(game, begun(game))]
    [state] = [state for state in after if game.to_move(state) < 0]
    analysis = searcher_class("expectiminimax")(game).search(state, Limit(nodes=1))
    assert (analysis.player, analysis.action) == (-1, None)
    assert math.isnan(analysis.value)
    assert "before any answer" in str(analysis)


def test_a_game_that_is_over_is_still_over():
    game = TicTacToe()
    state = game.initial_state()
    for square in (0, 3, 1, 4, 2):
        state = game.result(state, square)
    for kind in SEARCHERS:
        analysis = kind(game).search(state, Limit(nodes=1))
        assert (analysis.action, analysis.exact, analysis.values) == (None, True, (1.0, -1.0))
