"""Traces of value iteration beside a plain one on dictionaries."""

import json

import pytest
from shared.hashed_game import Chancy, Hashed, Maze, Seeded, WinLossHashed, interpreted

from outplay import CHANCE, OutplayError, Trace, ValueIteration, legal_actions
from outplay.games import ExplicitTree, Pig, TicTacToe


def plain_sweeps(game, root, number):
    """The reachable states in the order of a breadth-first search, and their values after each sweep."""
    states, values = [root], []
    for state in states:
        if not game.is_terminal(state):
            for action in legal_actions(game, state):
                child = game.result(state, action)
                if child not in states:
                    states.append(child)
    hero = max(game.to_move(root), 0)
    draw = (game.constant_sum or 0) / 2
    now = {state: game.utility(state, hero) if game.is_terminal(state) else draw for state in states}
    values.append([now[state] for state in states])
    for _ in range(number):
        for state in reversed(states):  # the values that this sweep has set are used at once
            if game.is_terminal(state):
                continue
            after = [(action, now[game.result(state, action)]) for action in legal_actions(game, state)]
            mover = game.to_move(state)
            if mover == CHANCE:
                now[state] = sum(game.probability(state, action) * value for action, value in after)
            else:
                now[state] = (max if mover == hero else min)(value for _, value in after)
        values.append([now[state] for state in states])
    return states, values


class Points(WinLossHashed):
    """A win is a point, a draw half of one."""

    constant_sum, utilities = 1, (0, 1)

    def utility(self, state, player):
        return (1 + super().utility(state, player)) / 2


GAMES = [
    (interpreted(Points), Seeded(6, 0, 0)),
    *((interpreted(Hashed), Seeded(seed, 0, 0)) for seed in (1, 5, 6, 9)),
    *((interpreted(Chancy), Seeded(seed, 0, 0)) for seed in (2, 7)),
    *((interpreted(Maze), Seeded(seed, 0, 0)) for seed in (3, 4)),
    (Pig(3), None),
]


@pytest.mark.parametrize(("game", "state"), GAMES, ids=str)
def test_every_value_of_every_sweep(game, state):
    if game.compiled is None:
        game.compiled = False
    state = game.initial_state() if state is None else state
    trace = Trace()
    analysis = ValueIteration(game).search(state, trace=trace)
    states, values = plain_sweeps(game, state, analysis.depth)
    assert len(trace) == analysis.depth + 1
    assert [each.number for each in trace] == list(range(len(trace)))
    assert [seen for seen, _ in trace.recording.states] == states
    for sweep, wanted in zip(trace, values, strict=True):
        assert sweep.values == pytest.approx(wanted)
    assert trace[-1].values[0] == pytest.approx(analysis.value)
    assert trace[-1].change <= 1e-9
    for at, (seen, way) in enumerate(trace.recording.states):
        here = state
        for name in way:
            here = game.result(here, game.parse_action(here, name))
        assert here == seen == states[at]


def test_compiled_and_limited(tmp_path):
    trace, whole = Trace(4), Trace()
    search = ValueIteration(Pig(3))
    analysis = search.search(trace=trace)
    assert (len(trace), trace.dropped) == (4, analysis.depth - 3)
    search.search(trace=whole)
    assert [each.values for each in trace] == [each.values for each in whole[:4]]
    whole.save(tmp_path / "a.json")
    again = Trace.load(tmp_path / "a.json", ValueIteration(Pig(3)))
    assert again.as_dict() == whole.as_dict()
    assert json.loads(json.dumps(whole.as_dict()))["sweeps"][1]["number"] == 1
    with pytest.raises(OutplayError, match="not by ValueIteration"):
        Trace.load(tmp_path / "a.json", ValueIteration(Pig(4)))


def test_as_text():
    game = ExplicitTree([[3, 12], {"player": "chance", "children": [2, 8], "probabilities": [0.25, 0.75]}])
    trace = Trace()
    ValueIteration(game).search(trace=trace)
    assert trace.tree().splitlines() == [
        "ValueIteration, sweep 2 of 2: the greatest change is 0",
        "a way there  to move   V0  V1   V2",
        "root         player 0  0   6.5  6.5",
        "1            player 1  0   3    3",
        "2            chance    0   6.5  6.5",
        "1 1          over      3   3    3",
        "1 2          over      12  12   12",
        "2 1          over      2   2    2",
        "2 2          over      8   8    8",
    ]
    assert trace.tree(0).splitlines()[0] == "ValueIteration, sweep 0 of 2: the greatest change is 0"
    assert trace.tree(plies=0).splitlines()[-1] == "6 more states"
    for wrong in (-1, 3, True):
        with pytest.raises(ValueError, match="choose a sweep from 0 to 2"):
            trace.tree(wrong)
    with pytest.raises(ValueError, match="a trace of sweeps has no picture"):
        trace.picture()
    big = Trace()
    game = TicTacToe()
    game.compiled = False
    ValueIteration(game).search(game.result(game.result(game.initial_state(), 0), 4), trace=big)
    assert big.tree().endswith("more states")
