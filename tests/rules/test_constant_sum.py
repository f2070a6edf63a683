"""Games of constant sum: all that is told of them is that of their zero-sum twins, moved by half the sum."""

import json
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared.foreign_games import Rows, SpielNim, spiel_type
from shared.hashed_game import (
    Chancy,
    Hashed,
    Hinted,
    Maze,
    Mirrored,
    Noisy,
    Seeded,
    WinLossChancy,
    WinLossHashed,
    WinLossMaze,
)
from typer.testing import CliRunner

from outplay import (
    ISMCTS,
    MCTS,
    PIMC,
    AlphaBeta,
    BestReply,
    Book,
    BookEntry,
    BookError,
    EvaluationError,
    Expectiminimax,
    Game,
    Limit,
    LinearEvaluation,
    MaxN,
    Minimax,
    MTDf,
    OutcomeEvaluation,
    Paranoid,
    PlayoutEvaluation,
    ProofNumber,
    RulesError,
    Trace,
    UnsuitableGame,
    ValueIteration,
    check_game,
    measure_margins,
)
from outplay.adapters import aima, openspiel
from outplay.check.quick import check_rules
from outplay.cli.commands import app
from outplay.cli.output import outcome
from outplay.equilibrium import CFR, MatrixGame, SequenceForm, exploitability, solve_zero_sum
from outplay.games import ExplicitTree, TicTacToe
from outplay.protocols import Engine
from outplay.rules.constant_sum import draw_utility, is_opposed, is_opposed_pair, range_of, total
from outplay.rules.repetition import final
from outplay.rules.value_text import value_words as verdict
from outplay.rules.value_text import words_of
from outplay.session.algorithms import suited

SEARCHES = {
    "minimax": Minimax,
    "alpha-beta": AlphaBeta,
    "mtdf": MTDf,
    "proof-number": ProofNumber,
    "expectiminimax": Expectiminimax,
    "max-n": MaxN,
    "paranoid": Paranoid,
    "best-reply": BestReply,
    "value-iteration": ValueIteration,
    "mcts": lambda game: MCTS(game, memory_mb=0.3, scale="range"),
    "ismcts": lambda game: ISMCTS(game, memory_mb=0.3, scale="range"),
    "pimc": lambda game: PIMC(game, worlds=2),
    "textbook minimax": lambda game: Minimax(game, textbook=True),
    "textbook alpha-beta": lambda game: AlphaBeta(game, textbook=True),
    "textbook expectiminimax": lambda game: Expectiminimax(game, textbook=True),
    "textbook max-n": lambda game: MaxN(game, textbook=True),
}
LIMITS = {"mcts": Limit(simulations=150), "ismcts": Limit(simulations=150)}
WITH_CHANCE = [
    name for name in SEARCHES if any(word in name for word in ("max-n", "expecti", "paranoid", "best", "mcts"))
]


def twins(base, scale=1.0, sum_=1.0, **members):
    """`base`, its utilities times `scale`, and the same with half of the constant sum added to all utilities."""
    declared = base.utilities and tuple(scale * utility for utility in base.utilities)

    def made(half):
        def shifted(rule):
            return lambda self, state, player: scale * getattr(base, rule)(self, state, player) + half

        def forced_result(self, state):
            utility, plies = base.forced_result(self, state)
            return (scale * utility + half if plies else 0.0), plies

        own = {"compiled": False, "utility": shifted("utility"), "evaluate": shifted("evaluate"), **members}
        if "forced_result" in vars(base):
            inner = {"actions": base.actions, "utility": base.utility, "is_terminal": base.is_terminal}
            plain = type("Plain", (base,), {"compiled": False, **inner})()
            own["forced_result"] = lambda self, state: forced_result(plain, state)
            own["candidates"] = lambda self, state: list(plain.candidates(state))
        own["utilities"] = declared and tuple(utility + half for utility in declared)
        if half:
            own["constant_sum"] = 2 * half
        return type("Shared" if half else "Twin", (base,), own)()

    return made(0.0), made(sum_ / 2)


def same(twin, shared, by, exact=True):
    """Both analyses are the same, but for values, which are greater by `by`."""

    def moved(value):
        return value + by if exact else pytest.approx(value + by, abs=1e-9)

    assert shared.value == moved(twin.value)
    assert [str(value) == "nan" for value in shared.values] == [str(value) == "nan" for value in twin.values]
    if not np.isnan(shared.values).any():
        assert list(shared.values) == [moved(value) for value in twin.values]
    facts = "action", "line", "exact", "distance", "nodes", "depth", "stopped", "simulations", "player"
    assert [getattr(shared, name) for name in facts] == [getattr(twin, name) for name in facts]
    for row, other in zip(shared.actions, twin.actions, strict=True):
        assert row.value == moved(other.value)
        facts = "action", "line", "exact", "bound", "distance", "visits"
        assert [getattr(row, name) for name in facts] == [getattr(other, name) for name in facts]
        ends = None if other.interval is None else pytest.approx([bound + by for bound in other.interval], abs=1e-9)
        assert row.interval is None if ends is None else list(row.interval) == ends


def both(name, pair, state, method="analyse", limit=None):
    return [getattr(SEARCHES[name](game), method)(state, limit or LIMITS.get(name)) for game in pair]


# -- every search ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("base", [WinLossHashed, Hashed, Hinted])
def test_a_search_tells_what_it_tells_of_the_zero_sum_twin_and_half_the_sum(name, base):
    pair = twins(base, 0.5, 1.0)
    for seed in (1, 4, 6, 7, 9, 10, 13):
        if seed % 5 or name != "pimc":
            same(*both(name, pair, Seeded(seed, 0, 0)), 0.5)


@pytest.mark.parametrize("name", ["minimax", "alpha-beta", "mtdf", "expectiminimax", "max-n", "textbook alpha-beta"])
def test_the_same_at_a_depth_limit(name):
    pair = twins(WinLossHashed, 0.5, 1.0)
    found = both(name, pair, Seeded(13, 0, 0), limit=Limit(depth=2))
    assert not found[1].exact
    same(*found, 0.5)


@pytest.mark.parametrize("name", WITH_CHANCE)
@pytest.mark.parametrize("base", [WinLossChancy, Chancy])
def test_the_same_with_chance(name, base):
    pair = twins(base, 0.5, 1.0)
    for seed in (1, 4, 6, 13):
        same(*both(name, pair, Seeded(seed, 0, 0)), 0.5, exact=False)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(-64, 64).filter(bool), st.integers(1, 16), st.integers(0, 60), st.sampled_from([WinLossHashed, Hashed])
)
def test_any_sum_and_any_scale(eighths, quarters, seed, base):
    seed += seed % 3 == 2  # its utilities are floats, which round
    seed += seed % 3 == 2
    pair = twins(base, quarters / 4, eighths / 8)
    for name in ("minimax", "alpha-beta", "proof-number", "textbook alpha-beta"):
        same(*both(name, pair, Seeded(seed, 0, 0), method="search"), eighths / 16)


@settings(max_examples=20, deadline=None)
@given(st.floats(-100, 100).filter(lambda sum_: abs(sum_) > 1e-6), st.floats(0.1, 10), st.integers(0, 60))
def test_sums_that_round(sum_, scale, seed):
    twin, shared = twins(Hashed, scale, sum_)
    found = [AlphaBeta(game).search(Seeded(seed, 0, 0)) for game in (twin, shared)]
    assert found[1].value == pytest.approx(found[0].value + sum_ / 2, abs=1e-9)
    assert sum(found[1].values) == pytest.approx(sum_, abs=1e-9)


@pytest.mark.parametrize("base", [Noisy, Mirrored])
def test_quiescence_symmetry_and_forward_pruning(base):
    members = {"null_move_state": Noisy.null_move_state} if base is Noisy else {}
    pair = twins(base, 0.5, 3.0, **members)
    state = Seeded(6, 0, 0 if base is Noisy else 1)
    for options in ({}, {"selective": True}, {"beam": 2}):
        same(*(AlphaBeta(game, **options).search(state, Limit(depth=4)) for game in pair), 1.5)


def test_margins_do_not_depend_on_the_sum():
    twin, shared = (measure_margins(game, positions=40) for game in twins(WinLossHashed, 0.5, 1.0))
    assert shared.futility == pytest.approx(twin.futility)
    assert 0 < shared.futility[0] < 1


# -- compiled ----------------------------------------------------------------------------------------------------------


class Points(TicTacToe):
    """A win is worth 1, a draw 1/2, a loss 0."""

    utilities = (0, 1)
    constant_sum = 1
    symmetries, candidates = TicTacToe.symmetries, TicTacToe.candidates

    def utility(self, board, player):
        return (TicTacToe.utility(self, board, player) + 1) / 2

    def evaluate(self, board, player):
        return (TicTacToe.evaluate(self, board, player) + 1) / 2

    def forced_result(self, board):
        utility, plies = TicTacToe.forced_result(self, board)
        return ((utility + 1) / 2 if plies > 0 else 0.0), plies


@cache
def tic_tac_toe(moves):
    game = TicTacToe()
    state = game.initial_state()
    for action in moves:
        state = game.result(state, action)
    return state


@pytest.mark.nightly
@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ["minimax", "alpha-beta", "proof-number", "expectiminimax", "mcts", "textbook max-n"])
def test_compiled_searches_of_tic_tac_toe_in_points(name):
    for moves in ((0, 8, 2), (4, 0, 1)):
        found, points = both(name, (TicTacToe(), Points()), tic_tac_toe(moves))
        assert points.value == found.value / 2 + 0.5
        assert points.values == tuple(value / 2 + 0.5 for value in found.values)
        assert [row.value for row in points.actions] == [row.value / 2 + 0.5 for row in found.actions]
        facts = "action", "line", "exact", "distance", "nodes", "verdict"
        assert [getattr(points, fact) for fact in facts] == [getattr(found, fact) for fact in facts]


class Share(Game):
    """Two actions for each player; the ends give player 0 some of the sum. One class with many sums."""

    def __init__(self, constant_sum):
        self.constant_sum = constant_sum

    def initial_state(self):
        return Seeded(0, 0, 0)

    def to_move(self, state):
        return state.ply

    def actions(self, state):
        return 3  # a mask: 0 and 1

    def result(self, state, action):
        return Seeded(0, state.ply + 1, 2 * state.x + action)

    def is_terminal(self, state):
        return state.ply == 2

    def utility(self, state, player):
        mine = (2, 3, 1, 5)[state.x] + 0.25
        return mine if player == 0 else self.constant_sum - mine


def test_compiled_code_of_one_sum_is_not_used_for_another():
    for sum_ in (6, 0, 6):
        game = Share(sum_)
        game.compiled = True
        assert Minimax(game).search().values == (2.25, sum_ - 2.25)
        assert Minimax(game).search(Seeded(0, 1, 1)).values == (1.25, sum_ - 1.25)


# -- options that are numbers of the game ------------------------------------------------------------------------------


def test_a_target_of_proof_number_search_is_a_utility():
    twin, shared = twins(WinLossHashed, 0.5, 1.0)
    for target in (0.0, 0.5):
        analysis = ProofNumber(twin, target=target).search(Seeded(13, 0, 0))
        assert analysis.exact or analysis.actions[0].exact
        same(analysis, ProofNumber(shared, target=target + 0.5).search(Seeded(13, 0, 0)), 0.5)


def test_bounds_of_expectiminimax_are_utilities():
    twin, shared = twins(Chancy, 0.5, 4.0)
    assert twin.utilities is shared.utilities is None
    for seed in (1, 6, 10):
        analysis = Expectiminimax(twin, bounds=(-2, 2)).search(Seeded(seed, 0, 0))
        same(analysis, Expectiminimax(shared, bounds=(0, 4)).search(Seeded(seed, 0, 0)), 2.0, exact=False)
    assert Expectiminimax(shared, bounds=(0, 4), samples=8).sampling_error() == pytest.approx(1.92, abs=0.01)


def test_an_estimate_out_of_bounds_is_named_as_the_game_gave_it():
    shared = twins(WinLossHashed, 0.5, 1.0, evaluate=lambda self, state, player: 1.25)[1]
    for search in (Expectiminimax, MaxN):
        with pytest.raises(EvaluationError, match=r"returned 1\.25, outside"):
            search(shared).search(Seeded(13, 0, 0), Limit(depth=1))
    generous = twins(WinLossHashed, 0.5, 1.0, evaluate=lambda self, state, player: 0.75)[1]
    with pytest.raises(
        EvaluationError, match=r"returned 1\.5, outside \(0\.0, 1\.0\), or with a sum of all players above 1"
    ):
        MaxN(generous).search(Seeded(13, 0, 0), Limit(depth=1))


def test_first_play_and_evaluators_of_mcts_use_utilities():
    pair, limit = twins(WinLossHashed, 0.5, 1.0), Limit(simulations=100)

    def evaluator(by):
        def evaluate(states):
            values = np.array([[(state.x % 3 - 1) / 4, (1 - state.x % 3) / 4] for state in states])
            return values + by, None

        return evaluate

    for options in (
        ({"first_play": 0.25}, {"first_play": 0.75}),
        ({"evaluator": evaluator(0.0), "batch": 4}, {"evaluator": evaluator(0.5), "batch": 4}),
    ):
        searches = [MCTS(game, scale="range", **own) for game, own in zip(pair, options, strict=True)]
        same(*(search.analyse(Seeded(13, 0, 0), limit) for search in searches), 0.5, exact=False)


def test_points_are_measured_by_their_range_and_a_search_ends():
    assert not any(search._is_spread(search.game) for search in (MCTS(TicTacToe()), MCTS(Points())))
    assert MCTS(twins(WinLossHashed, 0.5, 1.0)[1]).search(Seeded(13, 0, 0)).exact  # without a limit


def test_progress_is_told_in_utilities():
    shared, seen = twins(WinLossHashed, 0.5, 9.0)[1], []

    def until_there_is_a_value(analysis):
        seen.append(analysis)
        if analysis.simulations:
            raise KeyboardInterrupt

    MCTS(shared, solver=False).search(Seeded(13, 0, 0), Limit(seconds=600), progress=until_there_is_a_value)
    assert seen[-1].simulations
    assert all(4 <= analysis.value <= 5 for analysis in seen)


# -- evaluations -------------------------------------------------------------------------------------------------------


def test_an_evaluation_estimates_utilities():
    twin, shared = twins(WinLossHashed, 0.5, 1.0)
    state, limit = Seeded(13, 0, 0), Limit(depth=2)
    analysis = AlphaBeta(twin, evaluate=lambda game, state, player: (0.25, -0.25)[player]).search(state, limit)
    other = AlphaBeta(shared, evaluate=lambda game, state, player: (0.75, 0.25)[player]).search(state, limit)
    assert not analysis.exact
    same(analysis, other, 0.5)


def test_without_an_evaluation_a_state_is_worth_a_draw():
    shared = twins(WinLossHashed, 0.5, 1.0, evaluate=Game.evaluate)[1]
    for search in (AlphaBeta, Minimax, Expectiminimax, MaxN):
        analysis = search(shared).search(Seeded(13, 0, 0), Limit(depth=1))
        assert (analysis.value, analysis.exact) == (0.5, False)


def test_evaluations_of_features_playouts_and_outcomes():
    game, points = TicTacToe(), Points()
    board = tic_tac_toe((0, 8, 2))
    for evaluation in (LinearEvaluation({game.feature_names[0]: 1.0}), PlayoutEvaluation(20)):
        estimates = [evaluation(points, board, player) for player in range(2)]
        assert sum(estimates) == pytest.approx(1)
        assert estimates[0] == pytest.approx(evaluation(game, board, 0) / 2 + 0.5, abs=1e-6)
        assert estimates[0] != 0.5
    counted = [
        OutcomeEvaluation({1: ends}, lambda game, state: 1) for ends in ({1: 5, 0: 2, -1: 1}, {1: 5, 0.5: 2, 0: 1})
    ]
    estimates = [counted[1](points, board, player) for player in range(2)]
    assert sum(estimates) == pytest.approx(1)
    assert estimates[0] == pytest.approx(counted[0](game, board, 0) / 2 + 0.5) != 0.5
    unknown = OutcomeEvaluation({}, lambda game, state: 1)
    assert unknown(points, board, 1) == 0.5


# -- books and traces --------------------------------------------------------------------------------------------------


def test_books(tmp_path):
    twin, shared = twins(WinLossHashed, 0.5, 1.0)
    states = [state for state in (Seeded(13, 1, x) for x in range(5)) if not twin.is_terminal(state)]
    books = [Book(game, [AlphaBeta(game).search(state) for state in states]) for game in (twin, shared)]
    assert [known.value for _, known in books[1].items()] == [known.value + 0.5 for _, known in books[0].items()]
    alone = AlphaBeta(shared).search(Seeded(13, 0, 0))
    pairs = zip((twin, shared), books, strict=True)
    helped = [AlphaBeta(game, books=[book]).search(Seeded(13, 0, 0)) for game, book in pairs]
    same(*helped, 0.5)  # what the book has proved is in the table
    assert helped[1].nodes < alone.nodes
    assert (helped[1].value, helped[1].distance) == (alone.value, alone.distance)

    answered = AlphaBeta(shared, books=[books[1]]).search(states[0])
    assert answered.method == "Book"
    assert answered.values == AlphaBeta(shared).search(states[0]).values
    books[1].save(tmp_path / "shared.txt")
    assert Book.load(tmp_path / "shared.txt", shared) == books[1]
    with pytest.raises(BookError):
        Book.load(tmp_path / "shared.txt", twin)


class Told:
    """A look-up that claims a value of 0.75 for every state."""

    def look_up(self, game, state):
        return BookEntry(value=0.75, kind="exact", action=next(iter(game.actions(state))))


def test_look_ups_are_told_in_utilities():
    shared = twins(WinLossHashed, 0.5, 1.0)[1]
    state = Seeded(13, 0, 0)
    mover = shared.to_move(state)
    values = AlphaBeta(shared, books=[Told()]).search(state).values
    assert (values[mover], values[1 - mover]) == (0.75, 0.25)


@pytest.mark.parametrize(
    "search",
    [AlphaBeta, lambda game: AlphaBeta(game, textbook=True), lambda game: MaxN(game, textbook=True)],
    ids=["alpha-beta", "textbook", "max-n"],
)
def test_traces(search):
    traces = []
    for game in twins(WinLossHashed, 0.5, 1.0):
        traces.append(Trace())
        search(game).search(Seeded(13, 0, 0), trace=traces[-1])
    twin, shared = traces
    assert len(twin) == len(shared) > 5
    for one, other in zip(twin, shared, strict=True):
        assert (other.alpha, other.beta) == (one.alpha + 0.5, one.beta + 0.5)
        assert other.value == (None if one.value is None else one.value + 0.5)
        assert other.values == (None if one.values is None else tuple(value + 0.5 for value in one.values))
        facts = "ply", "action", "bound", "exact", "distance", "why", "skipped", "scores"
        assert [getattr(other, fact) for fact in facts] == [getattr(one, fact) for fact in facts]


def test_trees_of_traces_show_utilities_or_words():
    game = ExplicitTree([[{"utility": [1, 0]}, {"utility": [0.5, 0.5]}], [{"utility": [0, 1]}, {"utility": [1, 0]}]])
    trace = Trace()
    assert AlphaBeta(game, textbook=True).search(trace=trace).value == 0.5
    assert str(trace).splitlines() == [
        "AlphaBeta(textbook=True), 6 visits  value  window        why",
        "MAX                                 0.5    (-inf, +inf)  all searched",
        "├─ 1: MIN                           0.5    (-inf, +inf)  all searched",
        "│  ├─ 1                             1      (-inf, +inf)  end",
        "│  └─ 2                             0.5    (-inf, 1)     end",
        "└─ 2: MIN                           ≤ 0    (0.5, +inf)   cut",
        "   ├─ 1                             0      (0.5, +inf)   end",
        "   └─ ✂ 2 (1)  pruned",
    ]
    AlphaBeta(game).search(trace=trace)
    assert "draw" in str(trace)
    assert "loss in 2" in str(trace)


# -- repetition, more players, one player ------------------------------------------------------------------------------


@pytest.mark.parametrize("repetition", ["draw", "loss", "forbidden"])
@pytest.mark.parametrize("base", [WinLossMaze, Maze])
def test_repeated_states(base, repetition):
    scale, sum_ = (0.5, 1.0) if base is WinLossMaze else (1.0, 3.0)  # without a range, a loss is 1 less than a draw
    pair = twins(base, scale, sum_, repetition=repetition)
    for seed in (2, 4, 6):
        for name in ("minimax", "alpha-beta", "textbook alpha-beta", "mcts"):
            limit = Limit(depth=6) if name != "mcts" else None
            same(*both(name, pair, Seeded(seed, 0, 0), limit=limit), sum_ / 2, exact=False)
    if repetition == "draw":
        same(*both("value-iteration", pair, Seeded(4, 0, 0)), sum_ / 2, exact=False)


def test_a_game_that_ended_by_repetition():
    ends = {}
    for repetition in ("draw", "loss"):
        game = twins(WinLossMaze, 0.5, 1.0, repetition=repetition)[1]
        state = Seeded(4, 0, 0)
        ends[repetition] = final(game, [state, state])
        analysis = AlphaBeta(game).search(state, previous_states=[state])
        assert (analysis.values, analysis.action) == (ends[repetition], None)
    loser = WinLossMaze().to_move(state)
    assert ends == {"draw": (0.5, 0.5), "loss": (0.0, 1.0) if loser == 0 else (1.0, 0.0)}


def test_endless_play_is_a_draw():
    class Round(Game):
        """0 goes on; whoever plays 1 ends the game and loses."""

        compiled = False
        constant_sum = 3
        utilities = (1, 2)

        def initial_state(self):
            return (0, 0)

        def to_move(self, state):
            return state[1]

        def actions(self, state):
            return [0, 1]

        def result(self, state, action):
            return (action * (1 + state[1]), 1 - state[1])

        def is_terminal(self, state):
            return state[0] > 0

        def utility(self, state, player):
            return 1 if state[0] == 1 + player else 2

    analysis = ValueIteration(Round()).search()
    assert (analysis.values, analysis.action) == ((1.5, 1.5), 0)
    assert [row.value for row in analysis.actions] == [1.5, 1]


def test_three_players():
    leaves = [[6, 0, 0], [1, 2, 3], [2, 2, 2], [0, 5, 1], [3, 1, 2], [4, 2, 0], [1, 1, 4], [2, 3, 1]]
    games = []
    for by in (2, 0):
        a, b, c, d, e, f, g, h = ({"utility": [value - by for value in leaf]} for leaf in leaves)
        games.append(ExplicitTree([[[a, b], [c, d]], [[e, f], [g, h]]]))
    twin, shared = games
    assert (twin.zero_sum, twin.constant_sum) == (True, None)
    assert (shared.zero_sum, shared.constant_sum, draw_utility(shared)) == (False, 6, 2)
    for search in (MaxN, Paranoid, BestReply, lambda game: MaxN(game, textbook=True)):
        same(search(twin).analyse(), search(shared).analyse(), 2)
    same(*(MCTS(game).analyse(limit=Limit(simulations=100)) for game in games), 2, exact=False)
    same(*(MaxN(game, pruning="shallow").search() for game in games), 2)
    assert Paranoid(shared).search() == Paranoid(shared).search()  # unknown values too


def test_teams_share_the_sum():
    class Hunt(WinLossHashed):
        compiled, players, teams, constant_sum, utilities = False, 3, (0, 1, 1), 1, (0, 1)

        def utility(self, state, player):
            return (WinLossHashed.utility(self, state, player) + 1) / 2

        def evaluate(self, state, player):
            return (WinLossHashed.evaluate(self, state, player) + 1) / 2

    assert draw_utility(Hunt()) == 0.5
    two = twins(WinLossHashed, 0.5, 1.0)[1]
    hunt, found = (Expectiminimax(game).search(Seeded(13, 0, 0)) for game in (Hunt(), two))
    assert (hunt.value, hunt.values, hunt.nodes) == (found.value, (*found.values, found.values[1]), found.nodes)


def test_actions_that_are_not_numbers():
    class Named(Share):
        compiled = False

        def actions(self, state):
            return ["left", "right"]

        def result(self, state, action):
            return Share.result(self, state, int(action == "right"))

    for search in (AlphaBeta, Expectiminimax, MaxN):
        analysis = search(Named(7)).search()
        assert (analysis.action, analysis.values, analysis.line) == ("left", (2.25, 4.75), ("left", "left"))


# -- what is declared, and the laws ------------------------------------------------------------------------------------


def test_declarations():
    assert (total(TicTacToe()), draw_utility(TicTacToe()), range_of(TicTacToe())) == (0.0, 0.0, (-1, 1))
    assert (total(Points()), draw_utility(Points()), range_of(Points())) == (1.0, 0.5, (-0.5, 0.5))
    assert not Points.zero_sum
    assert type("Sub", (Points,), {"constant_sum": 0}).zero_sum
    assert not type("Sub", (Points,), {}).zero_sum
    with pytest.raises(RulesError, match=r"Both declares zero_sum = True and constant_sum = 1: .* one of the two"):
        type("Both", (TicTacToe,), {"zero_sum": True, "constant_sum": 1})
    assert type("Zero", (TicTacToe,), {"zero_sum": True, "constant_sum": 0}).zero_sum
    assert suited(Points()) == "alpha-beta"


def changed(**members):
    return type("Changed", (WinLossHashed,), {"compiled": False, "utilities": (0, 1), **members})()


def in_points(self, state, player):
    return (WinLossHashed.utility(self, state, player) + 1) / 2


def test_check_game_finds_an_end_with_another_sum():
    def wrong(self, state, player):
        return 0.25 if state.x == 2 else in_points(self, state, player)

    assert check_game(changed(constant_sum=1, utility=in_points, evaluate=Game.evaluate), playouts=10, seconds=600).ok
    bad = changed(constant_sum=1, utility=wrong, evaluate=Game.evaluate)
    failure, *others = check_game(bad, playouts=10, seconds=600).failures
    assert not others
    assert failure.law == "The utilities of all players sum to 1."
    assert failure.detail == "got [0.25, 0.25] with the sum 0.5"
    assert "x=2" in failure.state
    with pytest.raises(RulesError, match=r"sum to 1\.\n"):
        AlphaBeta(changed(constant_sum=1, utility=lambda self, state, player: 0.25)).search()


def test_an_undeclared_sum_is_told():
    with pytest.raises(RulesError, match="if it is always 1, declare constant_sum = 1; if it varies, zero_sum = False"):
        check_rules(changed(utility=in_points))


@pytest.mark.parametrize(
    ("members", "law"),
    [
        ({"constant_sum": "1"}, "constant_sum is None or a number"),
        ({"constant_sum": float("inf")}, "constant_sum is None or a number"),
        ({"constant_sum": 1, "zero_sum": True}, "A game with zero_sum = True has no constant_sum but 0"),
    ],
)
def test_wrong_declarations_are_refused(members, law):
    class Set(WinLossHashed):
        compiled = False

        def __init__(self, **members):
            vars(self).update(members)

    with pytest.raises(RulesError, match=law):
        AlphaBeta(Set(**members)).search()


def test_an_evaluation_with_another_sum_is_noted():
    game = changed(constant_sum=1, utility=in_points, evaluate=lambda self, state, player: 0.25)
    note = "evaluate() of the two players does not sum to 1, as their utilities do"
    assert note in check_game(game, playouts=10, seconds=600).notes


@pytest.mark.parametrize("search", [Minimax, AlphaBeta, ProofNumber, Expectiminimax, ValueIteration])
def test_games_without_a_constant_sum_are_still_refused(search):
    with pytest.raises(UnsuitableGame, match=r"not opposed.* with zero_sum = True or a constant_sum"):
        search(ExplicitTree([{"utility": [1, 0]}, {"utility": [1, 1]}]))


def test_hints_are_checked():
    class Right(Points):
        compiled = False

    class Wrong(Right):
        def forced_result(self, board):
            utility, plies = Points.forced_result(self, board)
            return 1 - utility, plies

    assert check_game(Right(), playouts=10, seconds=600).ok
    failures = check_game(Wrong(), playouts=10, seconds=600).failures
    assert "forced_result is right." in [failure.law for failure in failures]


# -- explicit trees, other libraries, equilibria -----------------------------------------------------------------------


def tree(*leaves, **more):
    return ExplicitTree({"children": [{"utility": leaf} for leaf in leaves], **more})


def test_explicit_trees_find_their_sum():
    assert tree([1, 0], [0.5, 0.5], [0, 1]).constant_sum == 1
    assert tree([1, 0], [0.5, 0.5], [0, 1], estimate=[0.75, 0.25]).constant_sum == 1
    assert tree([1, 0], [0.5, 0.5], [0, 1], estimate=[0.75, 0.75]).constant_sum is None
    assert tree([1, 0], [1, 1]).constant_sum is None
    assert (tree(1, -1).constant_sum, tree(1, -1).zero_sum) == (None, True)
    assert tree([1], [1]).constant_sum is None
    game = tree([1, 0], [0.5, 0.5], [0, 1])
    picture = ["MAX  <- here", "├─ 1: (1, 0)", "├─ 2: (0.5, 0.5)", "└─ 3: (0, 1)"]
    assert game.render(game.initial_state()).splitlines() == picture
    assert AlphaBeta(game).search().verdict == "win in 1"
    deep = ExplicitTree([[{"utility": [1, 0]}], [{"utility": [0, 1]}]])
    assert AlphaBeta(deep).search(limit=Limit(depth=1)).value == 0.5


def test_games_of_openspiel():
    class Shared(SpielNim):
        kind = spiel_type(utility="CONSTANT_SUM")

        def utility_sum(self):
            return 2.0

    class General(SpielNim):
        kind = spiel_type(utility="GENERAL_SUM")

    games = [openspiel.Adapted(each()) for each in (Shared, SpielNim, General)]
    assert [(game.constant_sum, game.zero_sum) for game in games] == [(2.0, False), (None, True), (None, False)]


def test_games_of_aima():
    class Halves(Rows):
        def utility(self, state, player):
            return (Rows.utility(self, state, player) + 1) / 2

    game = aima.Adapted(Halves(), utilities=(0, 1), constant_sum=1)
    state = game.initial_state()
    for move in ((2, 2), (1, 1), (1, 2), (3, 2), (3, 1)):
        state = game.result(state, move)
    analysis = AlphaBeta(game).search(state)
    assert (analysis.action, analysis.values, analysis.verdict) == ((1, 3), (0.5, 0.5), "draw")
    with pytest.raises(RulesError, match="declare constant_sum = 1"):
        AlphaBeta(aima.Adapted(Halves(), utilities=(0, 1))).search(state)


def test_the_score_of_gtp_is_the_difference():
    engine = Engine(Points(), AlphaBeta)
    for action in (0, 3, 1, 4, 2):
        engine.session.play(action)
    assert engine.final_score() == "B+1"


def test_matrix_games_and_equilibria():
    pennies = np.array([[1.0, -1.0], [-1.0, 2.0]])
    zero, matrix = MatrixGame(pennies), MatrixGame(pennies + 1, 1 - pennies)
    assert (matrix.total, matrix.zero_sum) == (2.0, False)
    value = solve_zero_sum(zero).value
    assert list(solve_zero_sum(matrix).utilities) == pytest.approx([value + 1, 1 - value])
    game = matrix.as_game()
    assert (game.constant_sum, game.zero_sum) == (2, False)
    assert list(SequenceForm(game).solve().values) == pytest.approx([value + 1, 1 - value])
    solution = CFR(game).solve(iterations=300)
    assert solution.values[0] == pytest.approx(value + 1, abs=0.05)
    assert sum(solution.values) == pytest.approx(2)
    assert exploitability(solution.strategy) == pytest.approx(solution.exploitability)
    assert solution.exploitability < 0.05
    with pytest.raises(UnsuitableGame, match="have a constant sum"):
        SequenceForm(ExplicitTree([{"utility": [1, 0]}, {"utility": [1, 1]}]))


# -- words and the command line ----------------------------------------------------------------------------------------


def test_words():
    points, shared = Points(), Share(7)
    assert words_of(points) == {0: "loss", 0.5: "draw", 1: "win"}
    assert [verdict(points, value, True, 3) for value in (1, 0.5, 0)] == ["win in 3", "draw", "loss in 3"]
    assert verdict(points, 0.625, False, None) == "0.625"
    assert words_of(shared) == {}
    assert words_of(changed(constant_sum=1, utilities=None)) == {0: "loss", 0.5: "draw", 1: "win"}
    assert words_of(changed(constant_sum=3, utilities=None)) == {}
    assert [outcome(points, ends) for ends in ((1, 0), (0.5, 0.5), (0, 1))] == [
        "player 0 wins",
        "draw",
        "player 1 wins",
    ]
    assert outcome(shared, (2.25, 4.75)) == "player 1 wins 4.75 to 2.25"
    assert outcome(TicTacToe(), (-1, 1)) == "player 1 wins"
    assert points.render(tic_tac_toe((0, 3, 1, 4, 2))).splitlines()[-1] == "X wins"
    assert points.render(tic_tac_toe((0, 1, 2, 4, 3, 5, 7, 6, 8))).splitlines()[-1] == "draw"


FILE = """
from outplay import Game

class Pile(Game):
    compiled = False
    utilities = (0, 1)
    constant_sum = 1

    def initial_state(self):
        return (4, 0)

    def to_move(self, state):
        return state[1]

    def actions(self, state):
        return [taken for taken in (1, 2) if taken <= state[0]]

    def result(self, state, taken):
        return (state[0] - taken, 1 - state[1])

    def is_terminal(self, state):
        return state[0] == 0

    def utility(self, state, player):
        return int(state[1] != player)
"""


def test_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pile.py").write_text(FILE)

    def run(*arguments, text=None):
        result = CliRunner().invoke(app, arguments, input=text, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout

    found = json.loads(run("analyse", "pile.py", "--json"))
    assert (found["value"], found["values"], found["verdict"]) == (1.0, [1.0, 0.0], "win in 3")
    assert [row["value"] for row in found["actions"]] == [1.0, 0.0]
    assert "player 0 wins; utilities" in run("analyse", "pile.py", "--moves", "1 1 2")
    assert "win in 3" in run("solve", "pile.py")
    (root,) = (line for line in run("tree", "pile.py").splitlines() if line.startswith("MAX"))
    assert root.split() == ["MAX", "1", "(-inf,", "+inf)", "all", "searched"]
    facts = json.loads(run("games", "pile.py", "--json"))
    assert (facts["zero_sum"], facts["constant_sum"]) == (False, 1.0)
    assert "draws 0.0%" in run("describe", "pile.py", "--seconds", "0.2")
    assert "every law holds" in run("check", "pile.py", "--seconds", "0.5")


@pytest.mark.parametrize(
    ("players", "teams", "zero_sum", "opposed", "pair"),
    [
        (1, (), False, True, True),
        (2, (), True, True, True),
        (2, (), False, False, False),
        (3, (), True, False, False),
        (4, (0, 1, 0, 1), True, True, False),
    ],
)
def test_opposed_sides_and_opposed_pairs(players, teams, zero_sum, opposed, pair):
    game = SimpleNamespace(players=players, teams=teams, zero_sum=zero_sum, constant_sum=None)
    assert (is_opposed(game), is_opposed_pair(game)) == (opposed, pair)
