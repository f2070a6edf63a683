"""Traces saved to files and loaded again, in whole and damaged."""

import json

import numpy as np
import pytest
from shared.hashed_game import Chancy, Crowd, Hashed, Seeded, interpreted

from outplay import (
    MCTS,
    AlphaBeta,
    Expectiminimax,
    Limit,
    MaxN,
    Minimax,
    OutplayError,
    ProofNumber,
    Trace,
    legal_actions,
)
from outplay.engine.trace_file import plain_state, state_of
from outplay.equilibrium import CFR, MCCFR
from outplay.games import BUILT_IN, Chess, KuhnPoker, MatchingPennies, Nim, Oware, TicTacToe


def simple_order(game, state, action):
    return float(action)


HASHED = interpreted(Hashed)
SEARCHES = {
    "alpha-beta": (lambda: AlphaBeta(HASHED), Seeded(7, 0, 0)),
    "order": (lambda: AlphaBeta(HASHED, order=simple_order), Seeded(7, 0, 0)),
    "textbook": (lambda: AlphaBeta(HASHED, textbook=True), Seeded(9, 0, 0)),
    "minimax": (lambda: Minimax(HASHED, textbook=True), None),
    "chance": (lambda: Expectiminimax(interpreted(Chancy), textbook=True), Seeded(7, 0, 0)),
    "many": (lambda: MaxN(interpreted(Crowd), textbook=True), Seeded(7, 0, 0)),
    "mcts": (lambda: MCTS(interpreted(TicTacToe), seed=3), None),
    "proof-number": (lambda: ProofNumber(HASHED), Seeded(6, 0, 0)),
    "mcts-crowd": (lambda: MCTS(interpreted(Crowd), seed=3), Seeded(7, 0, 0)),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_a_loaded_trace_is_the_same(name, tmp_path):
    make, state = SEARCHES[name]
    trace = Trace(40)
    search, limit = make(), Limit(simulations=60) if name.startswith("mcts") else Limit(depth=4)
    search.search(state, limit, trace=trace)
    assert trace.dropped > 0 or len(trace) < 40
    trace.save(tmp_path / "a.json")
    again = Trace.load(tmp_path / "a.json", make())
    assert len(again) == len(trace) > 5
    assert (again.limit, again.dropped, again.method) == (trace.limit, trace.dropped, trace.method)
    assert again.as_dict() == trace.as_dict()
    assert str(again) == str(trace)
    assert repr(again[5].state) == repr(trace[5].state)
    assert again.picture().svg() == trace.picture().svg()
    again.save(tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_previous_states(tmp_path):
    """Where a repeated state matters, the states before the search are kept."""
    game = Oware()
    states = [game.initial_state()]
    for _ in range(6):
        states.append(game.result(states[-1], next(iter(game.actions(states[-1])))))
    trace, search = Trace(), MCTS(game, seed=1)
    search.search(states[-1], Limit(simulations=50), previous_states=states[:-1], trace=trace)
    trace.save(tmp_path / "a.json")
    again = Trace.load(tmp_path / "a.json", MCTS(game, seed=1))
    assert again.as_dict() == trace.as_dict()


def test_iterations(tmp_path):
    trace = Trace(8)
    CFR(KuhnPoker(), variant="cfr").solve(iterations=10, trace=trace)
    trace.save(tmp_path / "a.json")
    again = Trace.load(tmp_path / "a.json", CFR(KuhnPoker(), variant="cfr"))
    assert again.as_dict() == trace.as_dict()
    assert repr(again) == "<Trace of 8 iterations, 2 more dropped>"
    with pytest.raises(OutplayError, match=r"recorded by CFR\(variant='cfr'\), not by CFR\(\)"):
        Trace.load(tmp_path / "a.json", CFR(KuhnPoker()))
    with pytest.raises(OutplayError, match=r"one of KuhnPoker\(\), not of MatchingPennies\(\)"):
        Trace.load(tmp_path / "a.json", CFR(MatchingPennies(), variant="cfr"))
    with pytest.raises(OutplayError, match="not by MCCFR"):
        Trace.load(tmp_path / "a.json", MCCFR(KuhnPoker()))


def test_damaged_files(tmp_path):
    trace, path = Trace(), tmp_path / "a.json"
    AlphaBeta(Nim(), textbook=True).search(trace=trace)
    trace.save(path)
    text = path.read_text("utf-8")

    def refused(content, message):
        path.write_text(content, "utf-8")
        with pytest.raises(OutplayError, match=message) as error:
            Trace.load(path, AlphaBeta(Nim(), textbook=True))
        assert str(path) in str(error.value)

    for length in (0, 1, len(text) // 2, len(text) - 1):
        refused(text[:length], "not JSON")
    refused(text.replace("trace 1", "trace 9"), "was written by another version of outplay: make it anew")
    refused(
        text.replace("outplay trace 1", "another"), "not a trace of format 'outplay trace 1'; its format is 'another'"
    )
    refused("[1, 2]", "not a trace of format")
    refused("{}", "not a trace of format")
    refused(text.replace('"limit":10000', '"limit":10001'), "it has changed since it was saved")
    content = json.loads(text)
    del content["sha256"]
    refused(json.dumps(content), "it has changed")
    path.write_text(text, "utf-8")
    with pytest.raises(
        OutplayError, match=r"recorded by AlphaBeta\(Nim\(\), textbook=True\), not by AlphaBeta\(Nim\(\)\)"
    ):
        Trace.load(path, AlphaBeta(Nim()))
    with pytest.raises(OutplayError, match="cannot be read"):
        Trace.load(tmp_path / "none.json", AlphaBeta(Nim()))
    with pytest.raises(OutplayError, match=r"saved as \.json or \.html"):
        trace.save(tmp_path / "a.txt")
    with pytest.raises(ValueError, match="nothing was searched"):
        Trace().save(path)


@pytest.mark.parametrize("name", sorted(BUILT_IN.keys() - {"explicit-tree"}))
def test_states_of_all_games(name):
    game = BUILT_IN[name]()
    random = np.random.default_rng(1)
    state = game.initial_state()
    for _ in range(12):
        again = state_of(game, json.loads(json.dumps(plain_state(state))))
        assert type(again) is type(state)
        assert repr(again) == repr(state)
        if game.is_terminal(state):
            break

        actions = list(legal_actions(game, state))
        state = game.result(state, actions[random.integers(len(actions))])


def test_states_that_cannot_be_written():
    with pytest.raises(OutplayError, match="a state with a object cannot be written"):
        plain_state((1, object()))
    assert plain_state((np.int64(3), [True, None], "x", 2.5)) == [3, [True, None], "x", 2.5]
    assert state_of(Chess(), plain_state(Chess().initial_state())) == Chess().initial_state()
