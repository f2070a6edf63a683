"""Every searcher against an obvious twin, on thousands of random games."""

import math
import pickle
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import PATIENCE
from shared.hashed_game import Hashed, Hinted, Lonely, Seeded, WinLossHashed, interpreted, scramble, twin

from outplay import AlphaBeta, Limit, Minimax, MTDf, Trace, UnsuitableGame
from outplay.games import ConnectFour, ExplicitTree, Kalah, Nim, TicTacToe
from outplay.search import alpha_beta
from outplay.system import threads

STATES = [Seeded(seed, 0, 0) for seed in range(400)]


def agrees(analysis, game, depth=99):
    """Value and distance are the twin's; the line leads where the analysis says."""
    value, plies = twin(game, analysis.state, analysis.player, depth)
    assert math.isclose(analysis.value, value, rel_tol=1e-11, abs_tol=1e-300), analysis
    if analysis.exact and analysis.value:
        assert analysis.distance == plies, analysis
        assert len(analysis.line) == plies, analysis
    state = analysis.state
    for action in analysis.line:
        assert action in list(game.actions(state))
        state = game.result(state, action)
    if analysis.exact and game.is_terminal(state):
        assert math.isclose(game.utility(state, analysis.player), value, rel_tol=1e-11, abs_tol=1e-300)


@pytest.mark.parametrize("game", [Hashed(), WinLossHashed()])
def test_minimax_is_its_twin(game):
    for analysis in Minimax(game).search_many(STATES):
        assert analysis.exact
        agrees(analysis, game)


@pytest.mark.sample(1)
@pytest.mark.parametrize("options", [{}, {"table_mb": 0}, {"order": False}, {"table_mb": 0.01, "order": False}])
@pytest.mark.parametrize("game", [Hashed(), WinLossHashed(), Hinted(), Lonely()])
def test_alpha_beta_solves_as_minimax_does(game, options):
    for analysis in AlphaBeta(game, **options).search_many(STATES):
        assert analysis.exact
        agrees(analysis, game)


@pytest.mark.sample(4)
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("game", [Hashed(), WinLossHashed()])
def test_searches_to_a_depth_agree(game, depth):
    limit = Limit(depth=depth)
    fast, plain = AlphaBeta(game).search_many(STATES, limit), Minimax(game).search_many(STATES, limit)
    for a, b in zip(fast, plain, strict=True):
        agrees(b, game, depth)
        assert a.value == b.value
        assert a.exact or a.stopped == "depth"
        if a.exact:  # never claimed of an estimate
            agrees(a, game)


SWITCHES = st.fixed_dictionaries(
    {
        "table_mb": st.sampled_from([0, 0.001, 1]),
        "reuse_table": st.booleans(),
        "order": st.booleans(),
        "hints": st.booleans(),
        "null_window": st.booleans(),
        "depth_factor": st.sampled_from([None, 1, 1.5, 4]),
    }
)


@pytest.mark.nightly
@given(
    SWITCHES,
    st.sampled_from([interpreted(cls) for cls in (Hashed, WinLossHashed, Hinted, Lonely)]),
    st.integers(0, 10**6),
    st.integers(1, 9),
)
@settings(max_examples=60)
def test_every_combination_of_techniques_is_its_twin(options, game, seed, depth):
    """What is exact is right whatever is on, for one action and for all, at once and after a shallower search."""
    searcher = AlphaBeta(game, **options)
    states = [Seeded(seed + i, 0, 0) for i in range(20)]
    for analysis in searcher.search_many(states):
        assert analysis.exact
        agrees(analysis, game)
    for analysis in searcher.search_many(states, Limit(depth=depth)):
        for item in analysis.actions:  # what is proved of an action
            value, _ = twin(game, game.result(analysis.state, item.action), analysis.player)
            assert not item.exact or value <= item.value + 1e-9
            assert not item.exact or item.bound != "exact" or math.isclose(item.value, value, abs_tol=1e-9)
        if analysis.exact:
            agrees(analysis, game)
        elif not options["reuse_table"] and not (options["hints"] and isinstance(game, Hinted)):  # else it sees further
            value, _ = twin(game, analysis.state, analysis.player, depth)
            assert math.isclose(analysis.value, value, rel_tol=1e-11)
    analysis = searcher.analyse(states[0])
    agrees(analysis, game)
    for item in analysis.actions:
        value, plies = twin(game, game.result(states[0], item.action), analysis.player)
        assert math.isclose(item.value, value, rel_tol=1e-11, abs_tol=1e-300)
        assert item.distance == (plies + 1 if value else None)


@pytest.mark.nightly
def test_a_remembered_table_spares_work_and_is_forgotten():
    game, limit = ConnectFour(5, 4), Limit(depth=12)
    searcher = AlphaBeta(game, reuse_table=True)
    first, second = searcher.search(limit=limit), searcher.search(limit=limit)
    assert second.nodes < first.nodes / 2
    assert (second.value, second.exact) == (first.value, first.exact)
    searcher.forget()
    assert searcher.search(limit=limit) == first
    assert AlphaBeta(game).search(limit=limit) == first


def test_a_new_game_begins_with_the_memory_of_the_last_one():
    """The first moves of a game would wait for new memory otherwise."""
    searcher = AlphaBeta(TicTacToe(), reuse_table=True, table_mb=1)
    first, table = searcher.search(), searcher._table
    searcher.forget()
    assert not table.any()
    assert searcher.search() == first
    assert searcher._table is table


@pytest.mark.nightly
def test_alpha_beta_looks_at_fewer_states_and_each_technique_helps():
    def nodes(**options):
        return sum(a.nodes for a in AlphaBeta(ConnectFour(5, 4), **options).search_many(states))

    states = [ConnectFour(5, 4).initial_state()]
    full = nodes()
    assert full < nodes(table_mb=0) / 2
    assert full < nodes(order=False) / 2
    assert full < nodes(hints=False) / 2
    assert full < nodes(null_window=False) / 1.1
    assert full < nodes(depth_factor=1) / 1.5


@pytest.mark.compiled
def test_a_near_result_is_found_first():
    """Random positions of Connect Four with a result in 11 to 14 plies, which is asked for before the whole search.

    In the last one, the iterations before see a draw, and the player to move loses.
    """

    def solved(**options):
        return AlphaBeta(game, **options).search_many(states)

    game = ConnectFour()
    states = []
    for columns in ("276343125754", "22522371376", "27122722114", "517212755", "66731377236621"):
        state = game.initial_state()
        for column in columns:
            state = game.result(state, int(column) - 1)
        states.append(state)
    found, before = solved(), solved(depth_factor=8)  # with a factor given, nothing is asked
    assert [(each.value, each.distance) for each in found] == [(-1, 14), (-1, 12), (-1, 14), (1, 11), (-1, 14)]
    assert [(each.value, each.distance) for each in before] == [(each.value, each.distance) for each in found]
    assert sum(each.nodes for each in found) < 3_000 * len(states)
    assert sum(each.nodes for each in before) > 1_000_000


@pytest.mark.nightly
def test_a_near_result_is_asked_for_only_where_utilities_say_what_a_win_is():
    class Unbounded(ConnectFour):
        utilities = None

    for game, asked in ((ConnectFour(5, 4), True), (Unbounded(5, 4), False)):
        state = game.initial_state()
        for column in 0, 1, 3:
            state = game.result(state, column)
        found, unasked = (AlphaBeta(game, depth_factor=factor).search(state).nodes for factor in (None, 8))
        assert (found != unasked) == asked, (game, found, unasked)


def test_analyse_values_every_action_exactly():
    game = Hashed()
    for seed in range(60):
        state = Seeded(seed, 0, 0)
        for searcher in (AlphaBeta(game), Minimax(game)):
            analysis = searcher.analyse(state)
            assert {item.action for item in analysis.actions} == set(game.actions(state))
            assert [item.value for item in analysis.actions] == sorted(
                (i.value for i in analysis.actions), reverse=True
            )
            for item in analysis.actions:
                value, plies = twin(game, game.result(state, item.action), analysis.player)
                assert item.bound == "exact"
                assert item.exact
                assert math.isclose(item.value, value, rel_tol=1e-11)
                assert item.distance == (plies + 1 if value else None)
                assert item.line[0] == item.action


def test_search_bounds_the_actions_that_are_no_better():
    analysis = AlphaBeta(TicTacToe()).search(TicTacToe().initial_state())
    assert analysis.actions[0].bound == "exact"
    assert {item.bound for item in analysis.actions[1:]} == {"upper"}
    assert all(item.value <= analysis.value for item in analysis.actions)


def trees():
    return st.recursive(st.integers(-9, 9), lambda below: st.lists(below, min_size=1, max_size=3), max_leaves=25)


class InterpretedTree(ExplicitTree):
    compiled = False


@given(trees())
@settings(max_examples=60, deadline=None)
def test_interpreted_searches_agree_on_any_tree(tree):
    game = InterpretedTree(tree)
    state = game.initial_state()
    if game.is_terminal(state):
        return
    value, plies = twin(game, state, 0)
    for searcher in (Minimax(game), AlphaBeta(game, table_mb=0.001)):
        analysis = searcher.search(state)
        assert (analysis.value, analysis.distance) == (value, plies if value else None)


def test_a_win_as_deep_as_the_limit_is_proved():
    game = ConnectFour()
    state = game.initial_state()
    for column in (2, 3, 2, 5, 4, 1, 5, 1):
        state = game.result(state, column)
    for hints, depths in ((False, (8, 9, 10)), (True, (6, 7, 8))):  # which see two plies further
        analyses = [AlphaBeta(game, hints=hints).search(state, Limit(depth=depth)) for depth in depths]
        assert [analysis.exact for analysis in analyses] == [False, True, True]
        assert [analysis.verdict for analysis in analyses[1:]] == ["win in 9", "win in 9"]
        assert [len(analysis.line) for analysis in analyses[1:]] == [9, 9]


def test_a_proved_win_is_exact_whatever_is_unknown_of_other_actions():
    game = ConnectFour()
    state = game.initial_state()
    for column in (3, 3, 4, 4):
        state = game.result(state, column)
    analysis = AlphaBeta(game).analyse(state, Limit(depth=6))
    assert (analysis.verdict, analysis.exact) == ("win in 3", True)
    assert not all(item.exact for item in analysis.actions)


def test_the_textbook_tree_skips_the_leaves_4_and_6():
    seen = []

    class Watched(InterpretedTree):
        def utility(self, state, player):
            seen.append(super().utility(state, 0))
            return super().utility(state, player)

    analysis = AlphaBeta(Watched([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), check=False).search()
    assert analysis.value == 3
    assert set(seen) == {3, 12, 8, 2, 14, 5}
    assert 4 not in seen
    assert 6 not in seen
    seen.clear()
    assert Minimax(Watched([[3, 12, 8], [2, 4, 6], [14, 5, 2]])).search(limit=None).value == 3
    assert {4, 6} <= set(seen)


@pytest.mark.compiled
def test_tic_tac_toe_is_a_draw():
    analysis = Minimax(TicTacToe()).search()
    assert (analysis.value, analysis.exact, analysis.nodes, analysis.verdict) == (0, True, 549_946, "draw")
    assert AlphaBeta(TicTacToe()).search().verdict == "draw"


@pytest.mark.sample(1)
@pytest.mark.parametrize("misere", [False, True])
def test_nim_sum_theorem(misere):
    game = Nim((4, 4, 4), misere=misere)
    first = game.initial_state()
    states = [first._replace(heaps=first.heaps * 0 + [a, b, c]) for a in range(5) for b in range(5) for c in range(5)]
    states = [state for state in states if not game.is_terminal(state)]
    for analysis in AlphaBeta(game).search_many(states):
        a, b, c = (int(heap) for heap in analysis.state.heaps)
        wins = (a ^ b ^ c) != 0
        if misere and max(a, b, c) == 1:
            wins = not wins
        assert analysis.value == (1 if wins else -1)


def solve_kalah(mine, theirs, memory):
    """The margin that the player to move gets from the pits on; each row of pits is (own pit 1, 2, …)."""
    if not any(mine) or not any(theirs):
        return sum(mine) - sum(theirs)
    if (mine, theirs) not in memory:
        values = []
        for pit in range(len(mine)):
            if not mine[pit]:
                continue
            own, other, gained = list(mine), list(theirs), 0
            hand, own[pit], place = own[pit], 0, pit
            while hand:
                place = (place + 1) % (2 * len(mine) + 1)
                hand -= 1
                if place < len(mine):
                    own[place] += 1
                elif place == len(mine):
                    gained += 1
                else:
                    other[place - len(mine) - 1] += 1
            if place < len(mine) and own[place] == 1:
                gained += 1 + other[-1 - place]
                own[place] = other[-1 - place] = 0
            if place == len(mine):
                values.append(gained + solve_kalah(tuple(own), tuple(other), memory))
            else:
                values.append(gained - solve_kalah(tuple(other), tuple(own), memory))
        memory[mine, theirs] = max(values)
    return memory[mine, theirs]


@pytest.mark.sample(1)
@pytest.mark.parametrize(("pits", "seeds"), [(1, 1), (2, 2), (3, 2), (3, 3), (4, 2), (2, 5)])
def test_kalah_values_of_small_boards(pits, seeds):
    analysis = AlphaBeta(Kalah(pits, seeds)).search()
    assert analysis.exact
    assert analysis.value == solve_kalah((seeds,) * pits, (seeds,) * pits, {})


# -- limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_a_node_limit_is_kept_to_the_node_and_a_run_repeats():
    searcher = AlphaBeta(ConnectFour())
    first, second = (searcher.search(limit=Limit(nodes=50_000)) for _ in range(2))
    assert first == second
    assert first.stopped == "nodes"
    assert first.nodes <= 50_000
    assert first.action is not None


@pytest.mark.parametrize(
    "wrong", [{"seconds": -1}, {"depth": 0}, {"nodes": 0}, {"depth": 1.5}, {"seconds": math.nan}, {"nodes": True}]
)
def test_impossible_limits_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Limit(**wrong)


# -- refusals and values ----------------------------------------------------------------------------------------------


class Dice(Hashed):
    def probability(self, state, action):
        return 1.0


class Cards(Hashed):
    def information(self, state, player):
        return 0


class DealtCards(Cards):
    """What is hidden is told first: what searches games with chance cannot search it either."""

    def probability(self, state, action):
        return 1.0


class Three(Hashed):
    players = 3


class Friends(Hashed):
    zero_sum = False


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (Dice(), "chance"),
        (Cards(), "see only"),
        (DealtCards(), "see only"),
        (Three(), "3 players"),
        (Friends(), "opposed"),
    ],
)
@pytest.mark.parametrize("searcher", [Minimax, AlphaBeta])
def test_games_that_do_not_suit_are_refused(searcher, game, words):
    with pytest.raises(UnsuitableGame, match=f"{searcher.__name__} cannot search {type(game).__name__}.*{words}"):
        searcher(game)


def test_a_game_that_is_over():
    game = TicTacToe()
    state = game.initial_state()
    for action in (0, 3, 1, 4, 2):
        state = game.result(state, action)
    analysis = AlphaBeta(game).search(state)
    assert (analysis.action, analysis.value, analysis.exact) == (None, 1, True)
    assert "over" in str(analysis)


def test_searchers_and_analyses_are_values():
    searcher = AlphaBeta(ConnectFour(5, 4), table_mb=1)
    assert eval(repr(searcher)) == searcher == pickle.loads(pickle.dumps(searcher))
    assert searcher != AlphaBeta(ConnectFour(5, 4), table_mb=2)
    analysis = searcher.search(limit=Limit(depth=6))
    copy = pickle.loads(pickle.dumps(analysis))
    assert copy == analysis == searcher.search(limit=Limit(depth=6))
    assert hash(copy) == hash(analysis)
    assert copy != searcher.search(limit=Limit(depth=7))


def other(game, state, player):
    value = (scramble(state.seed, state.ply, state.x, 6) % 1000 - 500) / 1000
    return value if player == 0 else -value


class Other(Hashed):
    evaluate = other


@pytest.mark.nightly
def test_another_evaluation_is_as_a_game_that_has_it():
    game, limit = Hashed(), Limit(depth=2)
    searcher = AlphaBeta(game, evaluate=other)
    found, wanted, usual = (
        [a.value for a in s.search_many(STATES, limit)] for s in (searcher, Minimax(Other()), AlphaBeta(game))
    )
    assert found == wanted != usual
    assert searcher == AlphaBeta(game, evaluate=other) != AlphaBeta(game)
    assert type(searcher.game) is type(searcher.search(STATES[0], limit).game) is Hashed


# -- other drivers, and more threads ----------------------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.parametrize(
    "game",
    [Hashed(), *(pytest.param(game, marks=pytest.mark.nightly) for game in (WinLossHashed(), Hinted(), Lonely()))],
)
def test_mtdf_is_its_twin(game):
    for analysis in MTDf(game).search_many(STATES):
        assert analysis.exact
        agrees(analysis, game)
    for depth in (1, 3):
        for a, b in zip(
            MTDf(game, hints=False).search_many(STATES, Limit(depth=depth)),
            AlphaBeta(game, hints=False).search_many(STATES, Limit(depth=depth)),
            strict=True,
        ):
            assert a.value == b.value


@pytest.mark.nightly
def test_mtdf_asks_by_null_windows_alone():
    trace = Trace()
    MTDf(TicTacToe(), hints=False).search(limit=Limit(depth=3), trace=trace)
    roots = [visit for visit in trace if visit.parent is None]
    assert len(roots) > 3
    assert all(visit.beta - visit.alpha < 1e-9 for visit in roots)


@pytest.mark.nightly
@pytest.mark.parametrize("searcher", [AlphaBeta, MTDf])
def test_threads_find_the_same_values(searcher):
    game = ConnectFour(5, 5)
    one, four = searcher(game), searcher(game, threads=4)
    state = game.initial_state()
    for column in (2, 2, 1):
        state = game.result(state, column)
        alone, together = one.search(state), four.search(state)
        assert (together.value, together.distance, together.exact) == (alone.value, alone.distance, True)
        assert len(together.line) == len(alone.line)
    shallow = Limit(depth=6)
    assert four.analyse(state, shallow).value == one.analyse(state, shallow).value
    assert together.nodes > one.search(state, Limit(nodes=10)).nodes


@pytest.mark.compiled
@pytest.mark.sample(1)
@pytest.mark.parametrize("game", [Hashed(), Hinted()])
def test_threads_agree_with_the_twin(game):
    searcher = AlphaBeta(game, threads=3)
    for state in STATES[:100]:
        analysis = searcher.search(state)
        assert analysis.exact
        agrees(analysis, game)


@pytest.mark.nightly
def test_threads_share_the_work():
    """What one of them is searching the other puts off; else both would search nearly everything."""
    one, two = (AlphaBeta(ConnectFour(), threads=threads).search(limit=Limit(depth=21)) for threads in (1, 2))
    assert two.value == one.value
    assert two.nodes < 1.6 * one.nodes


@pytest.mark.nightly
def test_helpers_stop_when_the_search_does():
    analysis = AlphaBeta(ConnectFour(), threads=3).search(limit=Limit(seconds=0.2))
    assert analysis.stopped == "seconds"
    assert analysis.action is not None
    until = time.monotonic() + PATIENCE
    while sum(thread.name == "outplay search" for thread in threading.enumerate()) > len(threads._idle):
        assert time.monotonic() < until  # all of them wait for the next search
        time.sleep(0.01)
    assert len(threads._idle) <= threads.KEPT_THREADS


def test_nothing_is_learnt_from_a_search_whose_memory_is_used_again():
    searcher, limit = AlphaBeta(interpreted(Nim, (3, 4, 5)), hints=False, table_mb=0), Limit(depth=5)
    first = searcher.search(limit=limit)
    AlphaBeta(interpreted(Nim, (2, 4, 6)), hints=False, table_mb=0).search(limit=limit)
    assert searcher.search(limit=limit) == first


def test_threads_are_used_again():
    """A call runs in a thread that an earlier one has left, unless that is busy; errors are reported, not lost."""
    first, again, seen = [], [], []
    threads.start_with_stack(lambda: first.append(threading.get_ident())).join()
    busy = threading.Event()
    waiting = threads.start_with_stack(lambda: (again.append(threading.get_ident()), busy.wait(10)))
    other = threads.start_with_stack(lambda: seen.append(threading.get_ident()))
    other.join()
    busy.set()
    waiting.join()
    assert again == first
    assert seen[0] not in first


def test_an_interpreted_game_is_searched_by_one_thread():
    class Interpreted(TicTacToe):
        compiled = False

    limit = Limit(depth=3)
    assert AlphaBeta(Interpreted(), threads=4).search(limit=limit) == AlphaBeta(Interpreted()).search(limit=limit)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, 10**6])
def test_impossible_numbers_of_threads_are_refused(wrong):
    with pytest.raises(ValueError, match="threads"):
        AlphaBeta(TicTacToe(), threads=wrong)


def test_a_table_is_no_larger_than_its_limits_can_use(monkeypatch):
    """The search is the same as with a larger table that is kept."""
    sizes, new_table = [], alpha_beta.new_table
    monkeypatch.setattr(alpha_beta, "new_table", lambda size: sizes.append(size) or new_table(size))
    game = TicTacToe()
    for limit in (Limit(depth=2), Limit(nodes=100), Limit(depth=9), Limit()):
        analyses = [AlphaBeta(game, reuse_table=kept).search(limit=limit) for kept in (False, True)]
        assert analyses[0] == analyses[1]
        assert analyses[0].nodes == analyses[1].nodes
    assert sizes[0] < 1
    assert sizes[2] < 0.1
    assert sizes[1::2] == [64] * 4
    assert sizes[4::2] == [64] * 2
