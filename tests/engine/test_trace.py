"""What a trace records of a search: laws of every visit, on random games, and the tree of the textbook."""

import functools
import json
import math
from dataclasses import FrozenInstanceError

import pytest
from shared.hashed_game import Hashed, Hinted, Lonely, Seeded, WinLossHashed, interpreted, twin

from outplay import AlphaBeta, BestReply, Book, Limit, Margins, Minimax, Trace
from outplay.games import ConnectFour, ExplicitTree, Kalah, TicTacToe

TEXTBOOK = [[3, 12, 8], [2, 4, 6], [14, 5, 2]]
STATES = [Seeded(seed, 0, 0) for seed in range(40)]
PLAIN = {"table_mb": 0, "hints": False, "null_window": False}


class Wild(Hashed):
    """Has every rule that a technique asks for."""

    def is_quiet(self, state):
        return state.x != 2

    def needs_extension(self, state):
        return state.x == 3

    def noisy(self, state):
        for action in self.actions(state):
            if action != 3:
                yield action

    def null_move_state(self, state):
        return Seeded(state.seed, state.ply + 1, state.x)


SELECTIVE = {"beam": 3, "late_move_reductions": True, "null_move": True, "futility": True}
SEARCHES = [
    (Hashed(), {}),
    (interpreted(Hashed), PLAIN),
    (interpreted(WinLossHashed), {"table_mb": 0}),
    (interpreted(Hinted), {}),
    (interpreted(Lonely), {}),
    (interpreted(Wild), {}),
    (interpreted(Wild), SELECTIVE),
    (interpreted(Wild), {"probcut": True, "margins": Margins(futility=(1, 1), probcut=0.5)}),
]


def traced(game, options, state, limit=None, size=10_000):
    trace = Trace(size)
    return AlphaBeta(game, **options).search(state, limit, trace=trace), trace


@functools.cache
def every_trace(limit=None):
    return [(game, *traced(game, options, state, limit)) for game, options in SEARCHES for state in STATES]


def test_the_textbook_tree_skips_the_leaves_4_and_6():
    """Figure 5.5 of Russell & Norvig."""
    game = ExplicitTree(TEXTBOOK)
    _, trace = traced(game, {"null_window": False}, game.initial_state())
    assert str(trace) == (
        "AlphaBeta, depth 8, 11 visits  value  window        why\n"
        "MAX                            3      (-inf, +inf)  all searched\n"
        "├─ 1: MIN                      3      (-inf, +inf)  all searched\n"
        "│  ├─ 1                        3      (-inf, +inf)  end\n"
        "│  ├─ 2                        12     (-inf, 3)     end\n"
        "│  └─ 3                        8      (-inf, 3)     end\n"
        "├─ 2: MIN                      ≤ 2    (3, +inf)     cut\n"
        "│  ├─ 1                        2      (3, +inf)     end\n"
        "│  └─ ✂ 2 (4) 3 (6)  pruned\n"
        "└─ 3: MIN                      2      (3, +inf)     cut\n"
        "   ├─ 1                        14     (3, +inf)     end\n"
        "   ├─ 2                        5      (3, +inf)     end\n"
        "   └─ 3                        2      (3, 5)        end"
    )
    cut = [visit for visit in trace if visit.skipped]
    assert [(visit.name, visit.bound, visit.value, visit.skipped) for visit in cut] == [("2", "upper", 2.0, (1, 2))]


@pytest.mark.nightly
def test_a_search_is_the_same_whether_it_is_traced_or_not():
    for game, options in SEARCHES:
        for state in STATES[:10]:
            for limit in (None, Limit(depth=2), Limit(nodes=30)):
                analysis, _ = traced(game, options, state, limit)
                assert analysis == AlphaBeta(game, **options).search(state, limit)
    trace = Trace()
    plain = AlphaBeta(TicTacToe(), hints=False)
    assert plain.analyse(trace=trace) == plain.analyse()
    assert len(trace) > 300


@pytest.mark.nightly
def test_interpreted_searches_record_the_same():
    class Interpreted(Wild):
        compiled = False

    for options in ({}, SELECTIVE):
        for state in STATES[:10]:
            plain, fast = traced(Interpreted(), options, state)[1], traced(Wild(), options, state)[1]
            assert plain.as_dict()["visits"] == fast.as_dict()["visits"]


@pytest.mark.nightly
@pytest.mark.parametrize("limit", [None, Limit(nodes=25)], ids=["to the end", "stopped"])
def test_every_node_is_recorded(limit):
    """And each window at the root, which is no node."""
    for _, analysis, trace in every_trace(limit):
        assert len([visit for visit in trace if visit.parent is not None]) == analysis.nodes
        assert trace.dropped == 0


@pytest.mark.nightly
def test_states_players_and_plies_follow_from_what_is_above():
    names = set()
    for game, analysis, trace in every_trace():
        for index, visit in enumerate(trace):
            assert visit.index == index
            assert visit.player == (None if game.is_terminal(visit.state) else game.to_move(visit.state))
            if visit.parent is None:
                assert (visit.state, visit.ply, visit.action, visit.name) == (analysis.state, 0, None, "")
                continue
            above = trace[visit.parent]
            assert above.index < index
            assert visit.iteration == above.iteration
            if visit.action is None:
                names.add(visit.name)
                assert visit.state == (game.null_move_state(above.state) if visit.name == "pass" else above.state)
                assert visit.ply == above.ply
            else:
                assert visit.action in list(game.actions(above.state))
                assert visit.name == game.action_name(above.state, visit.action)
                assert visit.state == game.result(above.state, visit.action)
                assert visit.ply == above.ply + 1
    assert names == {"pass", "less deep"}


def test_windows_narrow_on_the_way_down():
    narrower = cuts = 0
    for game, _, trace in every_trace():
        for visit in trace:
            alpha, beta, score = visit.scores
            assert alpha < beta
            assert visit.alpha <= visit.beta
            if visit.parent is not None and visit.name != "less deep":  # which asks for a margin more
                above = trace[visit.parent]
                assert above.scores[0] <= alpha
                assert beta <= above.scores[1]
                narrower += visit.scores[:2] != above.scores[:2]
            if visit.why == "cut" and visit.parent is not None:
                enough = score >= beta if visit.player == trace[0].player else score <= alpha
                assert enough or visit.value in game.utilities  # nothing is better
                cuts += enough
    assert narrower
    assert cuts


@pytest.mark.nightly
def test_a_value_is_the_best_of_those_below():
    """In one viewpoint, with distances from the root, a value comes up the tree unchanged."""
    several = 0
    for game in (Hashed(), WinLossHashed(), Lonely()):
        for state in STATES:
            _, trace = traced(game, PLAIN, state)
            below = {}
            for visit in trace:
                below.setdefault(visit.parent, []).append(visit.scores[2])
            several += max(map(len, below.values())) > 1
            for index, scores in below.items():
                if index is not None and trace[index].parent is not None:
                    best = max if trace[index].player == trace[0].player else min
                    assert trace[index].scores[2] == best(scores)
    assert several > 100


@pytest.mark.sample(1)
@pytest.mark.parametrize("options", [PLAIN, {**PLAIN, "null_window": True}, {**PLAIN, "order": False}])
@pytest.mark.parametrize("game", [interpreted(Hashed), interpreted(WinLossHashed), interpreted(Lonely)])
def test_the_contract_of_fail_soft(game, options):
    bounds = set()
    for state in STATES:
        _, trace = traced(game, options, state, Limit(depth=3))
        for visit in trace:
            value, plies = twin(game, visit.state, trace[0].player, visit.depth)
            alpha, beta, score = visit.scores
            bounds.add(visit.bound)
            if visit.bound == "exact":
                assert math.isclose(visit.value, value, rel_tol=1e-11)
                assert visit.distance in (None, visit.ply + plies)
            elif visit.bound == "upper":
                assert score <= alpha
                assert visit.value >= value - 1e-9
            else:
                assert score >= beta
                assert visit.value <= value + 1e-9
    assert bounds >= {"exact", "upper"} | ({"lower"} if game.players == 2 else set())


@pytest.mark.nightly
def test_what_is_proved_is_true_however_deep_the_game_goes_on():
    proved = 0
    for game, options in [*SEARCHES[:5], (Wild(), SELECTIVE)]:
        for state in STATES:
            _, trace = traced(game, options, state, Limit(depth=2))
            for visit in trace:
                if not visit.exact:
                    assert visit.distance is None
                    continue
                value, plies = twin(game, visit.state, trace[0].player)
                proved += visit.why != "end"
                if visit.bound == "exact":
                    assert math.isclose(visit.value, value, rel_tol=1e-11)
                    assert visit.distance == (visit.ply + plies if value else None)
                elif visit.bound == "upper":
                    assert visit.value >= value - 1e-9
                else:
                    assert visit.value <= value + 1e-9
    assert proved > 100


def test_what_is_not_searched_is_said_to_be_skipped():
    reasons = set()
    for game, _, trace in every_trace():
        searched = {}
        for visit in trace:
            searched.setdefault(visit.parent, set()).add(visit.action)
        for visit in trace:
            legal = set() if game.is_terminal(visit.state) else set(game.actions(visit.state))
            if visit.why in ("cut", "all searched"):
                assert set(visit.skipped) == legal - searched.get(visit.index, set())
                reasons |= {visit.why} if visit.skipped else set()
            else:
                assert visit.skipped == ()
    assert reasons == {"cut", "all searched"}


def test_every_reason_is_told():
    """Why a visit ended can be seen from its state, or from what is below it."""
    seen = set()
    for game, _, trace in every_trace(Limit(depth=4)):
        below = {}
        for visit in trace:
            below.setdefault(visit.parent, []).append(visit)
        for visit in trace:
            seen.add(visit.why)
            children = below.get(visit.index, [])
            assert (visit.why == "end") == game.is_terminal(visit.state)
            if visit.why in ("end", "forced result", "estimate", "table", "window"):
                assert {child.name for child in children} <= {"pass", "less deep"}
            if visit.why == "forced result":
                assert game.forced_result(visit.state)[1] > 0
            if visit.why == "estimate" and isinstance(game, Wild):
                assert game.is_quiet(visit.state)
            if visit.why == "quiescence":
                assert not game.is_quiet(visit.state)
            if visit.why == "null move":
                assert [child.name for child in children] == ["pass"]
    assert seen >= {
        "end",
        "forced result",
        "estimate",
        "quiescence",
        "table",
        "null move",
        "cut",
        "all searched",
        "window",
    }


@pytest.mark.nightly
def test_probcut_is_told():
    _, trace = traced(Kalah(), {"probcut": True, "margins": Margins(futility=(3, 4), probcut=3)}, None, Limit(depth=8))
    likely = [visit for visit in trace if visit.why == "probcut"]
    assert len(likely) > 5
    for visit in likely:
        below = [child for child in trace if child.parent == visit.index]
        assert {child.name for child in below} == {"less deep"}
        assert all(child.depth < visit.depth and child.state == visit.state for child in below)


class Round(Hashed):
    """A walk around a circle: a state may come twice."""

    repetition = "draw"

    def initial_state(self):
        return Seeded(1, 0, 0)

    def to_move(self, state):
        return state.ply

    def actions(self, state):
        yield 1
        yield 4

    def result(self, state, action):
        return Seeded(state.seed, 1 - state.ply, (state.x + action) % 5)

    def is_terminal(self, state):
        return state.ply == 1 and state.x == 3

    def order(self, state, action):
        return 0


@pytest.mark.nightly
def test_repetitions_are_told():
    _, trace = traced(Round(), {}, None, Limit(depth=6))
    repeated = [visit for visit in trace if visit.why == "repetition"]
    assert repeated
    for visit in repeated:
        above, earlier = visit, []
        while above.parent is not None:
            above = trace[above.parent]
            earlier.append(above.state)
        assert visit.state in earlier
        assert visit.value == 0


@pytest.mark.nightly
def test_a_stopped_search_keeps_what_it_has_recorded():
    _, trace = traced(ConnectFour(), {}, None, Limit(nodes=40))
    assert trace[-1].why == trace[0].why == "stopped" or trace[0].iteration < trace[-1].iteration
    last = trace[-1]
    while True:
        assert (last.why, last.value) == ("stopped", None)
        if last.parent is None:
            break
        last = trace[last.parent]
    assert "not reached" in str(trace)
    assert all(visit.value is not None for visit in trace if visit.why != "stopped")


@pytest.mark.nightly
@pytest.mark.parametrize("limit", [1, 10, 100])
def test_a_full_trace_keeps_the_first_visits_and_counts_the_others(limit):
    game = TicTacToe()
    analysis, whole = traced(game, {"depth_factor": 1}, None)
    _, trace = traced(game, {"depth_factor": 1}, None, size=limit)
    assert len(trace) == limit
    assert len(trace) + trace.dropped == len(whole) > analysis.nodes
    assert [visit.scores for visit in trace] == [visit.scores for visit in whole[:limit]]
    assert f"The trace is full: {limit} visits are recorded, {trace.dropped:,} more, from depth" in str(trace)
    for visit in trace:  # never said of what was dropped
        assert set(visit.skipped) <= set(whole[visit.index].skipped)
    assert any(visit.skipped for visit in trace) == (limit == 100)


@pytest.mark.nightly
def test_a_trace_holds_the_last_search_alone():
    trace = Trace()
    searcher = AlphaBeta(TicTacToe())
    searcher.search(trace=trace)
    size = len(trace)
    searcher.search(trace=trace)
    assert len(trace) == size
    book = Book(TicTacToe())
    book.add(searcher.search())
    AlphaBeta(TicTacToe(), books=[book]).search(trace=trace)
    assert len(trace) == 0
    assert str(trace) == "nothing was searched"


# -- how it prints ----------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_a_tree_is_as_deep_as_asked():
    game = ExplicitTree(TEXTBOOK)
    _, trace = traced(game, {"null_window": False}, None)
    assert [" ".join(line.split()) for line in trace.tree(plies=1).splitlines()[2:]] == [
        "├─ 1: MIN 3 (-inf, +inf) all searched, 3 below",
        "├─ 2: MIN ≤ 2 (3, +inf) cut, 1 below",
        "└─ 3: MIN 2 (3, +inf) cut, 3 below",
    ]
    assert [" ".join(line.split()) for line in trace.tree(iteration=1).splitlines()[1:3]] == [
        "MAX ~0 (-inf, +inf) all searched",
        "├─ 1: MIN ~0 (-inf, +inf) estimate",
    ]
    with pytest.raises(ValueError, match=r"Trace.tree\(7\): choose a recorded depth: 1, 8"):
        trace.tree(7)
    _, trace = traced(TicTacToe(), {"hints": False}, None)
    assert 30 < len(str(trace).splitlines()) <= 101
    assert len(trace.tree(plies=99).splitlines()) > 200


@pytest.mark.nightly
def test_windows_are_told_as_questions():
    game = ExplicitTree(TEXTBOOK)
    _, trace = traced(game, {}, None)
    lines = [" ".join(line.split()) for line in str(trace).splitlines()]
    assert lines[1] == "MAX ≥ 3 = 0? cut"
    assert "└─ ✂ 2 3 pruned" in lines
    assert "├─ 2: MIN ≤ 2 > 3? cut" in lines
    _, trace = traced(game, {}, None)
    trace = Trace()
    AlphaBeta(game).analyse(trace=trace)
    assert "├─ 2 again 5 (-inf, +inf) end" in [" ".join(line.split()) for line in str(trace).splitlines()]
    game = TicTacToe()
    state = game.initial_state()
    for action in (0, 1):
        state = game.result(state, action)
    _, trace = traced(game, {}, state)
    assert "win in 5" in str(trace)


def test_a_trace_as_plain_values():
    game = ExplicitTree(TEXTBOOK)
    _, trace = traced(game, {"null_window": False}, None)
    data = json.loads(json.dumps(trace.as_dict(), allow_nan=False))
    assert (data["game"], data["limit"], data["dropped"]) == (repr(game), 10_000, 0)
    assert len(data["visits"]) == len(trace)
    assert {visit["ply"] for visit in trace.as_dict(plies=1)["visits"]} == {0, 1}
    skipped = next(visit for visit in data["visits"] if visit["skipped"])
    assert skipped == {
        "index": 9, "parent": 4, "iteration": 8, "ply": 1, "action": "2", "player": 1, "depth": 7, "alpha": 3.0,
        "beta": None, "value": 2.0, "bound": "upper", "exact": True, "distance": 2, "why": "cut",
        "skipped": ["2", "3"],
    }  # fmt: skip


@pytest.mark.nightly
def test_visits_do_not_change():
    _, trace = traced(TicTacToe(), {}, None)
    assert trace[0] in trace
    with pytest.raises(FrozenInstanceError):
        trace[0].value = 1


# -- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, "10", 10**8])
def test_impossible_limits_are_refused(limit):
    with pytest.raises(ValueError, match=r"Trace\(limit=.*from 1 to 10000000"):
        Trace(limit)


@pytest.mark.parametrize("searcher", [Minimax, BestReply])
@pytest.mark.parametrize("method", ["search", "analyse"])
def test_other_searchers_record_no_trace(searcher, method):
    with pytest.raises(ValueError, match=rf"{searcher.__name__} cannot record a trace; use .*AlphaBeta"):
        getattr(searcher(TicTacToe()), method)(trace=Trace())


def test_what_is_no_trace_is_refused():
    with pytest.raises(ValueError, match=r"AlphaBeta.search\(trace=True\): a Trace"):
        AlphaBeta(TicTacToe()).search(trace=True)
