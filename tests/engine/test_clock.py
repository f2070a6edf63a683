"""A clock, and how much of it a move takes: the rules one by one without any time passing, then real searches."""

import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outplay import AlphaBeta, Clock, Limit, Minimax, ProofNumber
from outplay.engine.clock import MAX_DELAY, STOP_AFTER, Budget
from outplay.engine.results import ROW_CELLS, STATUS_CELLS, Results
from outplay.engine.score import encode, later
from outplay.engine.table import EXACT, UPPER, useful_megabytes
from outplay.games import ConnectFour, Kalah

CLOCK = Clock(100)
AIM, MOST = CLOCK.aim, CLOCK.most
PLAIN = (3, 0.0, 0.0)
"""An iteration that is no sign of anything: action 3 is best, its value is 0, and another may be worth as much."""


def budget_after(*iterations, spread=2.0):
    """A budget that has been told of quick iterations with these (action, value, second)."""
    budget = Budget(CLOCK, spread)
    for k, iteration in enumerate(iterations):
        budget.iteration(1e-6 * k, *iteration)
    return budget


def share_of_aim(*iterations, spread=2.0):
    """The budget after these (action, value, second), as a multiple of the aim."""
    return budget_after(*iterations, spread=spread).until / STOP_AFTER / AIM


# -- the clock --------------------------------------------------------------------------------------------------------

numbers = st.floats(0, 1e6)
moves = st.none() | st.integers(1, 200)


@given(numbers, numbers, moves)
def test_a_move_aims_for_a_part_of_what_it_may_take_and_that_leaves_the_reserve(seconds, increment, ahead):
    clock = Clock(seconds, increment, ahead)
    assert 0 <= clock.aim <= clock.most
    assert clock.most <= max(0, seconds - MAX_DELAY)
    assert ahead == 1 or clock.most <= seconds / 2


def test_a_move_takes_its_share():
    assert Clock(10 + 10 * MAX_DELAY, moves=10).aim == pytest.approx(1)
    assert Clock(10 + 10 * MAX_DELAY, moves=10).most == pytest.approx(10 / 3)
    assert Clock(100 + 100 * MAX_DELAY, moves=100).most == pytest.approx(5)
    assert Clock(10 + MAX_DELAY, moves=1).aim == Clock(10 + MAX_DELAY, moves=1).most == pytest.approx(10)
    assert Clock(20 + 20 * MAX_DELAY) == Clock(20 + 20 * MAX_DELAY, moves=None)
    assert Clock(20 + 20 * MAX_DELAY).aim == pytest.approx(1)
    assert Clock(20 + MAX_DELAY, increment=2).aim == pytest.approx(2.5)
    assert Clock(0.3 + MAX_DELAY, increment=2).aim == pytest.approx(0.1)


AT_WORST = MAX_DELAY * (1 - 1e-9)
"""How late a search may be, without what rounding adds up to."""


@given(st.integers(1, 200), st.floats(0, 1000), st.floats(0, 5), st.floats(0, 1))
def test_no_clock_runs_out_before_the_time_control(ahead, spare, increment, greed):
    """Even if every search takes all that it may, and is late."""
    clock = Clock(spare + ahead * MAX_DELAY, increment, ahead)
    for _ in range(ahead):
        clock = clock.after(clock.aim + greed * (clock.most - clock.aim) + AT_WORST)
    assert clock.moves is None


@given(st.integers(1, 60), st.floats(0, 1000), st.floats(0, 5), st.floats(0, 1))
def test_no_clock_runs_out_in_sessions(ahead, spare, increment, greed):
    """Each session adds its time to what is left of the one before."""
    begin = Clock(spare + ahead * MAX_DELAY, increment, ahead).of_a_game()
    clock, spent = begin, 0.0
    for made in range(1, 3 * ahead + 1):
        seconds = clock.aim + greed * (clock.most - clock.aim) + AT_WORST
        clock, spent = clock.after(seconds), spent + seconds
        sessions, since = divmod(made, ahead)
        assert clock.moves == ahead - since
        assert clock.seconds == pytest.approx((1 + sessions) * begin.seconds + made * increment - spent)


def test_what_is_saved_in_a_session_is_not_lost():
    """The last move of a session has an even share of all that is left, also for the next one, and not all of it."""
    begin = Clock(400 + 40 * MAX_DELAY, moves=40).of_a_game()
    assert begin.aim == pytest.approx(10)
    last = begin
    while last.moves > 1:
        last = last.after(9 + MAX_DELAY)
    assert last.seconds == pytest.approx(49 + MAX_DELAY)
    assert last.aim == pytest.approx((49 + 400) / 41)
    assert last.most == pytest.approx(0.8 * 49)
    assert Clock(49 + MAX_DELAY, moves=1).aim == pytest.approx(49)  # there is no more time: all of it
    late = Clock(1, moves=20, session=begin)  # too little is left: an even share up to the end of the session
    assert late.aim == Clock(1, moves=20).aim
    assert not last.is_for_one_move
    assert Clock(1, moves=1).is_for_one_move
    assert not Clock(1).is_for_one_move


@given(st.floats(0, 1000), st.floats(0, 5))
def test_no_clock_runs_out_where_the_increment_pays_for_the_lateness(spare, more):
    clock = Clock(spare + MAX_DELAY, MAX_DELAY + more)
    for _ in range(200):
        clock = clock.after(clock.most + AT_WORST)


@given(st.floats(0.4, 1000))
def test_no_clock_runs_out_in_a_game_of_usual_length(seconds):
    clock = Clock(seconds)
    for _ in range(20):
        clock = clock.after(clock.most + AT_WORST)


def test_a_clock_after_a_move():
    assert Clock(10, 2, 40).after(3.5) == Clock(8.5, 2, 39)
    assert Clock(10, 2).after(10) == Clock(2, 2)
    assert Clock(10, 2, 1).after(0) == Clock(12, 2)
    assert Clock(10, 2, 1, Clock(60, 1, 9)).after(4) == Clock(68, 1, 9, Clock(60, 1, 9))
    assert Clock(10, moves=1, session=Clock(60)).after(4).after(1) == Clock(65, session=Clock(60))
    assert Clock(60, moves=9).of_a_game() == Clock(60, moves=9, session=Clock(60, moves=9))
    assert Clock(60).of_a_game() == Clock(60)
    for wrong in (10.1, -1, math.nan):
        with pytest.raises(ValueError, match=r"Clock\(seconds=10.*the time has run out"):
            Clock(10).after(wrong)


@pytest.mark.parametrize(
    "wrong",
    [{"seconds": -1}, {"seconds": None}, {"seconds": math.inf}, {"increment": math.nan}, {"increment": "3"},
     {"increment": -1}, {"moves": 0}, {"moves": 1.5}, {"moves": True}, {"session": 60}],
)  # fmt: skip
def test_impossible_clocks_are_refused(wrong):
    with pytest.raises(ValueError, match=rf"Clock\({next(iter(wrong))}="):
        Clock(**{"seconds": 60, **wrong})


def test_a_limit_with_a_clock_is_a_value():
    limit = Limit(seconds=1, clock=Clock(60, increment=1))
    assert repr(limit) == "Limit(seconds=1, clock=Clock(seconds=60, increment=1, moves=None))"
    assert eval(repr(limit)) == limit == pickle.loads(pickle.dumps(limit))
    assert hash(limit) == hash(eval(repr(limit)))
    in_sessions = Limit(clock=Clock.parse("40/5:00+1"))
    assert eval(repr(in_sessions)) == in_sessions
    assert limit != Limit(seconds=1) != Limit(seconds=1, clock=Clock(61))
    with pytest.raises(ValueError, match=r"Limit\(clock=60\): clock is a Clock or None"):
        Limit(clock=60)


# -- the budget of a move ---------------------------------------------------------------------------------------------


def test_before_there_is_an_answer():
    assert Budget(CLOCK, 2).until == pytest.approx(2 * AIM)
    assert Budget(Clock(2, moves=1), 2).until == Clock(2, moves=1).most  # there is no more
    assert Budget(Clock(0), 2).until == MAX_DELAY / 2


def test_an_iteration_is_begun_only_if_it_can_end_in_time():
    assert budget_after(PLAIN).iteration(1.19 * AIM, *PLAIN) == pytest.approx(2 * 2 * AIM)
    assert budget_after(PLAIN).iteration(1.21 * AIM, *PLAIN) == 0


def test_no_more_than_all_that_the_clock_gives():
    assert budget_after(PLAIN, (4, 0, 0)).until == MOST < 2 * 5 * AIM
    assert budget_after(PLAIN).iteration(MOST, 4, 0, 0) == 0


def test_more_time_where_the_best_action_has_changed():
    assert budget_after(PLAIN).iteration(2.9 * AIM, 4, 0, 0) == MOST
    assert budget_after(PLAIN).iteration(3.1 * AIM, 4, 0, 0) == 0
    assert budget_after(PLAIN, (4, 0, 0)).iteration(1.3 * AIM, 4, 0, 0) == 0  # once


def test_more_time_where_the_value_has_fallen_clearly():
    def goes_on(*values):
        *before, last = [(3, value, value) for value in values]
        return budget_after(*before).iteration(2.9 * AIM, *last) > 0

    assert goes_on(0.3, 0.3, 0.05)
    assert goes_on(0.0, 0.3, -0.3)
    assert not goes_on(0.3, 0.3, 0.15)
    assert not goes_on(0.3, 0.0, 0.3)
    assert not goes_on(0.0, 0.3, 0.0)  # as after every other ply
    assert not goes_on(0.3)


def test_less_time_where_the_best_action_stays_the_same():
    assert share_of_aim(*[PLAIN] * 4) == pytest.approx(2)
    assert share_of_aim(*[PLAIN] * 5) == pytest.approx(1)
    assert share_of_aim(*[PLAIN] * 4, *[(4, 0, 0)] * 4) == pytest.approx(2)
    assert share_of_aim(*[PLAIN] * 4, *[(4, 0, 0)] * 5) == pytest.approx(1)


def test_less_time_where_one_action_is_clearly_better():
    assert share_of_aim((3, 0.5, 0.2)) == pytest.approx(1 / 2)
    assert share_of_aim(*[(3, 0.5, 0.2)] * 9) == pytest.approx(1 / 2)
    assert share_of_aim((3, 0.5, 0.4)) == pytest.approx(2)
    assert share_of_aim((3, 0.5, 0.2), spread=20) == pytest.approx(2)
    assert share_of_aim((3, 0.5, 0.2), (4, 0.5, 0.2)) > 2  # it was not that clear


def test_no_time_where_no_other_action_counts():
    assert share_of_aim((3, -0.9, -math.inf)) == 0
    assert share_of_aim(PLAIN, (4, -0.9, -math.inf)) == 0


def test_without_a_range_of_utilities_no_difference_is_clear():
    assert share_of_aim((3, 50.0, -50.0), spread=math.inf) == pytest.approx(2)
    assert share_of_aim(*[(3, value, value) for value in (9, 9, -9)], spread=math.inf) == pytest.approx(2)


iterations = st.tuples(st.floats(0, 100), st.integers(0, 3), st.floats(-1, 1), st.floats(-1, 1) | st.just(-math.inf))


@given(numbers, st.lists(iterations))
def test_a_budget_is_never_more_than_the_clock_gives(seconds, told):
    clock = Clock(seconds)
    budget = Budget(clock, 2)
    for iteration in sorted(told):
        assert 0 <= budget.iteration(*iteration) <= clock.most


# -- searches ---------------------------------------------------------------------------------------------------------

LONG = Limit(clock=Clock(100_000))
"""More than any test takes: a search that ends has ended for another reason."""


class Forced(ConnectFour):
    """Connect Four that has to begin in the middle."""

    def actions(self, position):
        for column in ConnectFour.actions(self, position):
            if column == 3 or position.both != 0:
                yield column


@pytest.mark.nightly
@pytest.mark.sample(1)
@pytest.mark.parametrize("searcher", [AlphaBeta, ProofNumber, Minimax])
def test_a_search_by_the_clock_ends(searcher):
    game = Kalah()
    analysis = searcher(game).search(limit=Limit(clock=Clock(2)))
    assert analysis.stopped == "clock"
    if searcher is not Minimax:  # which has no answer before its end
        assert analysis.action in list(game.actions(game.initial_state()))


def test_whichever_comes_first():
    searcher = AlphaBeta(ConnectFour())
    assert searcher.search(limit=Limit(clock=LONG.clock, seconds=0.05)).stopped == "seconds"
    assert searcher.search(limit=Limit(clock=LONG.clock, depth=3)).stopped == "depth"
    assert searcher.search(limit=Limit(clock=LONG.clock, nodes=500)).stopped == "nodes"
    assert searcher.search(limit=Limit(clock=Clock(1), seconds=1000)).stopped == "clock"


@pytest.mark.nightly
@pytest.mark.parametrize("every", [False, True])
def test_no_thought_is_given_to_a_move_that_has_to_be(every):
    searcher = AlphaBeta(Forced())
    analysis = (searcher.analyse if every else searcher.search)(limit=LONG)
    assert (analysis.action, analysis.stopped) == (3, "clock")


@pytest.mark.parametrize("every", [False, True])
def test_no_thought_is_given_to_a_move_if_all_others_lose(every):
    game = ConnectFour()
    state = game.initial_state()
    for column in (3, 2, 3, 2, 3):
        state = game.result(state, column)
    searcher = AlphaBeta(game)
    analysis = (searcher.analyse if every else searcher.search)(state, LONG)
    assert (analysis.action, analysis.stopped) == (3, "clock")


@pytest.mark.parametrize(
    ("value", "proved", "counts"), [(-1.0, 1, False), (-1.0, 0, True), (0.0, 1, True), (-0.9, 1, True)]
)
def test_only_what_is_proved_to_be_the_worst_does_not_count(value, proved, counts):
    results = Results(count=1, max_rows=2, longest=8)
    results.write_status(0, depth=1, actions=2)
    rows = (3, encode(0.1), EXACT, 0, 0, 0, 0), (4, later(encode(value)), UPPER, proved, 0, 0, 0)
    results.cells[0, STATUS_CELLS : STATUS_CELLS + 2 * ROW_CELLS] = [*rows[0], *rows[1]]
    until = AlphaBeta(ConnectFour())._until(CLOCK, results)
    assert (until(1e-6) > 0) == counts


def test_a_clock_is_not_for_many_states():
    game = ConnectFour()
    with pytest.raises(ValueError, match=r"AlphaBeta.search_many\(.*Clock\(.*use seconds"):
        AlphaBeta(game).search_many([game.initial_state()], Limit(clock=Clock(60)))


def test_a_table_is_no_larger_than_the_time_needs():
    """Where memory is used for the first time, it takes time that a clock that has almost run out does not have."""

    def megabytes(**limits):
        return useful_megabytes(30, Limit(**limits), deepens=True)

    assert megabytes() == megabytes(simulations=3) == math.inf
    assert megabytes(seconds=0.01) == megabytes(clock=Clock(0.0)) < 10
    assert megabytes(seconds=1.0) == 100 * megabytes(seconds=0.01)
    assert megabytes(seconds=1.0, nodes=1000) == megabytes(nodes=1000) < 1
    assert megabytes(clock=Clock(60.0)) > 64
