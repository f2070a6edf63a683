"""Matrix games: slow twins in exact numbers, laws by hypothesis, and what Nashpy and Gambit find."""

# ruff: noqa: B905 - lengths are compared by what is asserted

import importlib
import sys
import warnings
from fractions import Fraction
from itertools import chain, combinations, product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.optimize import linprog
from shared import rows

from outplay import Game, check_game, legal_actions
from outplay.compile.random_numbers import new_random, random_below
from outplay.equilibrium import equilibria
from outplay.equilibrium.correlated import correlated_equilibrium, correlated_regret
from outplay.equilibrium.dominance import eliminate_dominated
from outplay.equilibrium.dynamics import fictitious_play, matching, regret_matching, replicator_dynamics
from outplay.equilibrium.equilibria import (
    all_equilibria,
    exact_equilibria,
    lemke_howson,
    pure_equilibria,
    support_enumeration,
)
from outplay.equilibrium.matrix_game import MatrixGame, load_matrix_game, parse_nfg, to_nfg
from outplay.equilibrium.mixed_equilibrium import MixedEquilibrium
from outplay.equilibrium.payoff_tables import fraction
from outplay.equilibrium.vertex_enumeration import is_degenerate, vertex_enumeration
from outplay.equilibrium.zero_sum import solve_zero_sum
from outplay.rules.errors import OutplayError, RulesError, UnsuitableGame

PENNIES = MatrixGame([[1, -1], [-1, 1]], actions=[["heads", "tails"]] * 2)
DILEMMA = MatrixGame([[(3, 3), (0, 5)], [(5, 0), (1, 1)]], actions=[["cooperate", "defect"]] * 2)
CHICKEN = MatrixGame([[(6, 6), (2, 7)], [(7, 2), (0, 0)]])
SHAPLEY = MatrixGame([[0, 0, 1], [1, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 0, 1], [1, 0, 0]])


def random_game(seed, *shape, most=4, zero_sum=False):
    """Payoffs from 0 to `most`: with few different ones many games are degenerate."""
    payoffs = np.random.default_rng(seed).integers(0, most + 1, (len(shape), *shape))
    return MatrixGame(payoffs[0]) if zero_sum else MatrixGame(*payoffs)


def payoffs_of(*shape, players):
    return arrays.arrays(np.float64, (players, *shape), elements=st.integers(-4, 4).map(float))


@st.composite
def bimatrix_games(draw_, most=4):
    shape = draw_(st.tuples(st.integers(1, most), st.integers(1, most)))
    return MatrixGame(*draw_(payoffs_of(*shape, players=2)))


@st.composite
def any_games(draw_):
    shape = draw_(st.lists(st.integers(1, 3), min_size=2, max_size=4))
    return MatrixGame(*draw_(payoffs_of(*shape, players=len(shape))))


@st.composite
def games_with_profiles(draw_):
    game = draw_(any_games())
    weights = [draw_(st.lists(st.integers(0, 5), min_size=n, max_size=n).filter(any)) for n in game.shape]
    return game, [np.array(weight) / sum(weight) for weight in weights]


def as_set(found):
    """Profiles to 6 digits; moved a little, so that exact halves of the last one are rounded alike."""
    return {tuple(np.round(np.concatenate([*map(np.float64, profile)]) + 1e-9, 6)) for profile in found}


# -- the game ---------------------------------------------------------------------------------------------------------


def test_one_game_in_four_forms():
    a, b = [[3, 0], [5, 1]], [[3, 5], [0, 1]]
    cells = [[(3, 3), (0, 5)], [(5, 0), (1, 1)]]
    assert MatrixGame(a, b) == MatrixGame(np.array(a), np.array(b)) == MatrixGame(cells) == MatrixGame(np.array(cells))
    assert MatrixGame(a) == MatrixGame(a, [[-3, 0], [-5, -1]])
    assert MatrixGame(a) != MatrixGame(b)
    assert hash(MatrixGame(a, b)) == hash(MatrixGame(cells))


def test_what_a_game_knows_of_itself():
    game = random_game(1, 2, 3, 4)
    assert (game.number_of_players, game.shape) == (3, (2, 3, 4))
    assert not game.zero_sum
    assert PENNIES.zero_sum
    assert MatrixGame([[2, 1]], [[3, 4]]).total == 5
    assert DILEMMA.total is None
    assert MatrixGame([[3, 5]], [[0, 9]]).spreads == (2, 9)
    assert MatrixGame([[-3, -3]], [[0, 0]]).spreads == (3, 1)
    with pytest.raises(ValueError, match="read-only"):
        game.payoffs[0, 0, 0, 0] = 1


@given(games_with_profiles())
def test_expected_utilities_and_regrets_by_going_through_all_cells(case):
    game, profile = case

    def utility(player, strategies):
        cells = product(*map(range, game.shape))
        return sum(game.payoffs[(player, *cell)] * np.prod([x[a] for x, a in zip(strategies, cell)]) for cell in cells)

    for player, number in enumerate(game.shape):
        value = utility(player, profile)
        others = [
            utility(player, [*profile[:player], np.eye(number)[action], *profile[player + 1 :]])
            for action in range(number)
        ]
        assert game.expected(profile)[player] == pytest.approx(value)
        assert game.action_values(profile, player) == pytest.approx(others)
        assert game.regrets(profile)[player] == pytest.approx(max(others) - value)
        best = [action for action in range(number) if others[action] > max(others) - 1e-9]
        assert game.best_responses(profile, player) == best
    assert game.regret(profile) == max(game.regrets(profile))


def test_a_profile_may_name_actions():
    assert DILEMMA.regret(["defect", 1]) == 0
    assert DILEMMA.expected(["cooperate", [0.5, 0.5]]).tolist() == [1.5, 4]


def test_the_table():
    game = random_game(2, 2, 3, 2)
    text = str(game)
    assert text.splitlines()[:2] == ["player 0 in rows, player 1 in columns", "player 2: 0"]
    assert text.count("player 2:") == 2
    cell = ", ".join(f"{game.payoffs[player, 1, 2, 1]:g}" for player in range(3))
    assert text.splitlines()[-1].endswith(cell)
    large = str(random_game(3, 30, 40, zero_sum=True)).splitlines()
    assert len(large) == 23
    assert large[-1] == "… and 10 more rows"
    assert all(line.endswith("…") for line in large[1:-1])
    assert "zero-sum" in repr(PENNIES)


@pytest.mark.parametrize(
    ("payoffs", "message"),
    rows(
        {
            "none": ((), "a matrix game needs payoffs"),
            "ragged": (([[1, 2], [3]],), r"payoffs\[1\] is 1 entries, payoffs\[0\] is 2 entries"),
            "ragged inside": (([[(1, 2), (3, 4)], [(5, 6), 7]],), r"payoffs\[1\]\[1\] is a number, payoffs\[1\]\[0\]"),
            "words": (([[1, "x"]],), r"payoffs\[0\]\[1\] is 'x': not a number"),
            "empty": (([[]],), "payoffs is empty"),
            "nan": (([[1, float("nan")]],), r"payoffs\[0\]\[1\] is nan: not a finite number"),
            "infinite": (([[1, 2]], [[3, -np.inf]]), r"payoffs\[1\]\[0\]\[1\] is -inf"),
            "a vector": (([1, 2],), "neither a matrix nor a table"),
            "three in a cell of two": (([[(1, 2, 3)]],), "neither a matrix nor a table"),
            "unequal": (([[1, 2]], [[1], [2]]), r"payoffs\[1\] has shape \(2, 1\), payoffs\[0\] has \(1, 2\)"),
            "two of three": (([[[1]]], [[[1]]]), "2 tables are for 2 players"),
        }
    ),
)
def test_payoffs_that_are_no_game(payoffs, message):
    with pytest.raises(RulesError, match=message):
        MatrixGame(*payoffs)


@pytest.mark.parametrize(
    ("options", "message"),
    rows(
        {
            "one player's": ({"actions": [["a", "b"]]}, "actions has names for 1 players, but there are 2"),
            "too few": ({"actions": [["a"], ["a", "b"]]}, r"actions\[0\] must be 2 names"),
            "a text": ({"actions": ["ab", "ab"]}, r"actions\[0\] must be 2 names"),
            "twice": ({"actions": [["a", "b"], ["c", "c"]]}, r"actions\[1\] must be texts, all different"),
            "numbers": ({"actions": [["a", "b"], [1, 2]]}, r"actions\[1\] must be texts"),
            "players": ({"players": ["a"]}, "players must be 2 names"),
        }
    ),
)
def test_names_that_do_not_fit(options, message):
    with pytest.raises(RulesError, match=message):
        MatrixGame([[1, 2], [3, 4]], **options)


@pytest.mark.parametrize(
    ("strategies", "message"),
    rows(
        {
            "three": ([0, 0, 0], "a profile of 3 strategies for 2 players"),
            "unknown name": ([0, "edge"], "player 1 has no action 'edge': heads, tails"),
            "no such action": ([2, 0], "player 0 has no action 2: the actions are 0 to 1"),
            "too long": ([0, [0.5, 0.25, 0.25]], r"player 1 has shape \(3,\) for 2 actions"),
            "sum": ([0, [0.5, 0.4]], "must be probabilities that sum to 1"),
            "negative": ([[1.5, -0.5], 0], "player 0 must be probabilities"),
            "nan": ([[np.nan, 1], 0], "player 0 must be probabilities"),
            "words": ([["a", "b"], 0], "not consist of numbers"),
            "too large": ([[10**400, 0], 0], "not consist of numbers"),
            "true": ([True, 0], r"the strategy of player 0 has shape \(\) for 2 actions: True"),
            "one number": (0, "a profile is a strategy for each player, not 0"),
        }
    ),
)
def test_profiles_that_are_none(strategies, message):
    with pytest.raises(OutplayError, match=message):
        PENNIES.regret(strategies)


@pytest.mark.parametrize("player", [-1, 2, True, 0.5, "player 0", None])
def test_players_that_are_none(player):
    for ask in (PENNIES.action_values, PENNIES.best_responses):
        with pytest.raises(OutplayError, match=f"player={player!r}: a whole number from 0 to 1"):
            ask([0, 0], player)
    assert PENNIES.best_responses([0, 0], np.int64(1)) == [1]


@pytest.mark.parametrize(
    ("kept", "message"),
    rows(
        {
            "no such action": ([[0], [5]], r"in kept\[1\], action=5: a whole number from 0 to 1"),
            "negative": ([[-1], [0]], r"in kept\[0\], action=-1"),
            "a name": (["0", "0"], r"in kept\[0\], action='0'"),
            "one player": ([[0]], r"kept=\[\[0\]\]: a list of actions for each of 2 players"),
            "no lists": ([0, 1], r"kept=\[0, 1\]: a list of actions"),
            "none left": ([[], [0]], "is empty"),
            "twice": ([[0, 0], [0]], "all different"),
        }
    ),
)
def test_restrictions_that_leave_no_game(kept, message):
    with pytest.raises(OutplayError, match=message):
        PENNIES.restricted(kept)


# -- zero-sum games ---------------------------------------------------------------------------------------------------


@given(arrays.arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=st.floats(-1e6, 1e6)))
def test_minimax(payoffs):
    game = MatrixGame(payoffs)
    solution, spread = solve_zero_sum(game), game.spreads[0]
    x, y = solution.profile
    sure, ceiling = (x @ payoffs).min(), (payoffs @ y).max()
    assert ceiling - sure <= 1e-8 * spread
    assert sure - 1e-8 * spread <= solution.value <= ceiling + 1e-8 * spread
    assert solution.regret <= 1e-8 * spread
    by_columns = linprog(  # the other player's program, as textbooks have it: the least v with A y ≤ v
        np.append(np.zeros(payoffs.shape[1]), 1.0),
        A_ub=np.hstack([payoffs / spread, -np.ones((len(payoffs), 1))]),
        b_ub=np.zeros(len(payoffs)),
        A_eq=[[*np.ones(payoffs.shape[1]), 0]],
        b_eq=[1],
        bounds=[(0, None)] * payoffs.shape[1] + [(None, None)],
    )
    assert solution.value == pytest.approx(by_columns.fun * spread, abs=1e-6 * spread)


def test_known_values():
    morra = [[0, 2, -3, 0], [-2, 0, 0, 3], [3, 0, 0, -4], [0, -3, 4, 0]]  # two-finger Morra
    assert solve_zero_sum(MatrixGame(morra)).value == pytest.approx(0, abs=1e-12)
    assert solve_zero_sum(MatrixGame([[3, -1], [-2, 4]])).value == pytest.approx(1)
    x, y = solve_zero_sum(MatrixGame([[3, -1], [-2, 4]])).profile
    assert x == pytest.approx([0.6, 0.4])
    assert y == pytest.approx([0.5, 0.5])


def test_a_constant_sum_will_do():
    game = MatrixGame([[6, 2], [1, 7]], [[4, 8], [9, 3]])
    solution = solve_zero_sum(game)
    assert solution.utilities.sum() == pytest.approx(10)
    assert solution.regret < 1e-9


def test_what_linear_programming_refuses():
    with pytest.raises(UnsuitableGame, match=r"constant sum: lemke_howson\(\)"):
        solve_zero_sum(DILEMMA)
    with pytest.raises(UnsuitableGame, match="not of 3"):
        solve_zero_sum(random_game(0, 2, 2, 2))


# -- equilibria of two players ----------------------------------------------------------------------------------------


def solved(equations):
    """The solution of linear equations in exact numbers, each a row with its right side last; None if not one only."""
    table, size = [list(map(Fraction, row)) for row in equations], len(equations)
    for column in range(size):
        pivot = next((row for row in range(column, size) if table[row][column]), None)
        if pivot is None:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        table[column] = [value / table[column][column] for value in table[column]]
        for row in range(size):
            if row != column:
                factor = table[row][column]
                table[row] = [a - factor * b for a, b in zip(table[row], table[column])]
    return [row[-1] for row in table]


def exact_vertices(table):
    """Vertices of {x ≥ 0: x table ≤ 1} other than 0, each with the inequalities that it meets with equality."""
    m, n = len(table), len(table[0])
    inequalities = [[-int(i == j) for j in range(m)] + [0] for i in range(m)]
    inequalities += [[table[i][j] for i in range(m)] + [1] for j in range(n)]
    found = {}
    for chosen in combinations(inequalities, m):
        x = solved(chosen)
        if x is None or not any(x):
            continue
        slack = [row[-1] - sum(a * b for a, b in zip(row, x)) for row in inequalities]
        if min(slack) >= 0:
            found[tuple(x)] = {k for k, rest in enumerate(slack) if rest == 0}
    return found


def exact_extreme(game):
    """All extreme equilibria, and whether the game is degenerate, in exact numbers."""
    a, b = (table - table.min() + 1 for table in game.payoffs.astype(int))
    m, n = game.shape
    ps, qs = exact_vertices(b.tolist()), exact_vertices(a.T.tolist())
    qs = {y: {(k - n if k >= n else k + m) for k in labels} for y, labels in qs.items()}
    pairs = [(x, y) for (x, p), (y, q) in product(ps.items(), qs.items()) if len(p | q) == m + n]
    degenerate = max(map(len, ps.values())) > m or max(map(len, qs.values())) > n
    return [([c / sum(x) for c in x], [c / sum(y) for c in y]) for x, y in pairs], degenerate


@pytest.mark.sample(1)
@pytest.mark.parametrize("exact", [True, False])
@given(game=bimatrix_games())
@settings(max_examples=50)
def test_vertex_enumeration_is_exact_arithmetic(exact, game):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[vertex_enumeration.__module__], "EXACT", 1000 if exact else 0)
        found = vertex_enumeration(game)
    twin, degenerate = exact_extreme(game)
    assert as_set(each.profile for each in found) == as_set(twin)
    assert len(found) == len(twin)
    assert found.degenerate == degenerate == is_degenerate(game)
    assert all(each.regret < 1e-9 for each in found)
    shared = any(len({tuple(profile[player]) for profile in twin}) < len(twin) for player in (0, 1))
    assert found.infinite == ("infinitely many" in found.complete) == shared
    assert all((each.fractions is not None) == exact for each in found)
    if exact:
        assert {each.fractions for each in found} == {tuple(map(tuple, profile)) for profile in twin}


@pytest.mark.sample(15)
@pytest.mark.parametrize("seed", range(40))
def test_vertices_of_degenerate_games(seed):
    game = random_game(seed, 5, 5, most=1)
    found = vertex_enumeration(game)
    assert found.degenerate
    assert len(found) > 0
    assert max(each.regret for each in found) < 1e-9


def by_supports(game):
    """Equilibria in which both mix equally many actions, each other one being worse: the textbook, in exact numbers."""
    a, b = (table.astype(int).tolist() for table in game.payoffs)
    (m, n), found = game.shape, []
    for size in range(1, min(m, n) + 1):
        for mine, others in product(combinations(range(m), size), combinations(range(n), size)):
            ys = solved([*([a[i][j] for j in others] + [-1, 0] for i in mine), [1] * size + [0, 1]])
            xs = solved([*([b[i][j] for i in mine] + [-1, 0] for j in others), [1] * size + [0, 1]])
            if xs and ys and min(xs[:-1]) > 0 and min(ys[:-1]) > 0:
                x, y = np.zeros(m), np.zeros(n)
                x[list(mine)], y[list(others)] = [float(c) for c in xs[:-1]], [float(c) for c in ys[:-1]]
                if game.regret([x, y]) < 1e-9:
                    found.append((x, y))
    return found


@pytest.mark.nightly
@given(bimatrix_games(3))
def test_supports(game):
    pytest.importorskip("quantecon")
    assume(not is_degenerate(game))
    twin = as_set(by_supports(game))
    assert as_set(each.profile for each in vertex_enumeration(game)) == twin
    assert as_set(each.profile for each in support_enumeration(game)) == twin


@given(bimatrix_games())
def test_lemke_howson(game):
    pytest.importorskip("quantecon")
    for label in range(sum(game.shape)):
        found = lemke_howson(game, label=label)
        assert found.regret < 1e-9
        if found.degenerate:
            assert is_degenerate(game)


@pytest.mark.nightly
def test_degenerate_games_are_said_to_be_so():
    pytest.importorskip("quantecon")
    game = MatrixGame([[(3, 3), (3, 3)], [(2, 2), (5, 6)], [(0, 3), (6, 1)]])  # von Stengel 2007, (3.7)
    found = vertex_enumeration(game)
    expected = [([1, 0, 0], [1, 0]), ([1, 0, 0], [2 / 3, 1 / 3]), ([0, 1 / 3, 2 / 3], [1 / 3, 2 / 3])]
    assert as_set(each.profile for each in found) == as_set(expected)
    assert found.degenerate
    assert "the game is degenerate" in str(found)
    assert all(each.degenerate for each in found)
    assert lemke_howson(game).degenerate is None  # it finds the one that does not show it
    assert lemke_howson(MatrixGame([[1, 1], [0, 0]], [[1, 1], [0, 0]])).degenerate
    assert "degenerate" not in str(vertex_enumeration(PENNIES))
    several = support_enumeration(game)
    assert several.degenerate
    assert "there may be more" in several.complete


@pytest.mark.nightly
def test_payoffs_of_any_size():
    pytest.importorskip("quantecon")
    for factor in (1e-12, 1e9):
        game = MatrixGame(factor * CHICKEN.payoffs[0], factor * CHICKEN.payoffs[1])
        assert as_set(e.profile for e in vertex_enumeration(game)) == as_set(
            e.profile for e in vertex_enumeration(CHICKEN)
        )
        assert len(support_enumeration(game)) == 3
        assert lemke_howson(game).regret <= 1e-9 * factor


UNEQUAL = MatrixGame([[(5e9, 0), (1e9, 1)], [(3e9, 3), (0, 5)]])
"""A game in which one player's payoffs are a thousand million times the other's."""


def test_payoffs_of_unequal_size():
    (pure,) = pure_equilibria(UNEQUAL)
    assert [mixed.tolist() for mixed in pure.profile] == [[1, 0], [0, 1]]
    assert UNEQUAL.best_responses([0, 0], 1) == [1]
    assert eliminate_dominated(UNEQUAL).kept == ((0,), (1,))
    assert correlated_equilibrium(UNEQUAL, maximize=[1, 0]).regret < 1e-9
    with pytest.raises(UnsuitableGame, match="constant sum"):
        solve_zero_sum(MatrixGame([[(1e9, 2.0), (1e9, 1.5)], [(1e9, 1.7), (1e9, 1.2)]]))
    far = MatrixGame([[1e6 + 0.1, 1e6 + 0.2]], [[-0.1, -0.2]])  # the sum is one and the same, but for rounding
    assert far.total == pytest.approx(1e6)
    assert not far.zero_sum


def test_small_payoffs_are_shown():
    tiny = solve_zero_sum(MatrixGame(np.array([[2, 0], [0, 1]]) * 1e-10))
    assert [line.split("; ")[1] for line in str(tiny).splitlines()[:2]] == [
        "expects 6.66667e-11",
        "expects -6.66667e-11",
    ]
    assert "regret 0;" in str(tiny)
    zero = solve_zero_sum(MatrixGame(PENNIES.payoffs[0] * 1e12 / 3))
    assert str(zero).count("expects 0\n") == 2
    told = str(correlated_equilibrium(MatrixGame(*CHICKEN.payoffs * 1e-12)))
    assert told.count("expects 5.25e-12\n") == 2
    assert "regret 0;" in told
    off = MixedEquilibrium(scaled(DILEMMA, 0, 1e-12), DILEMMA.profile([0, 1]), method="a guess")
    assert "player 1: 1 1; expects 5\nregret 1e-12;" in str(off)


def scaled(game, player, factor):
    """`game` with all payoffs of one player multiplied."""
    payoffs = game.payoffs.copy()
    payoffs[player] *= factor
    return MatrixGame(*payoffs)


@pytest.mark.nightly
@given(games_with_profiles(), st.data(), st.floats(1e-9, 1e9), st.booleans())
def test_in_which_unit_a_player_counts_makes_no_difference(case, data, factor, weakly):
    game, profile = case
    other = scaled(game, data.draw(st.integers(0, game.number_of_players - 1)), factor)
    for player in range(game.number_of_players):
        assert other.best_responses(profile, player) == game.best_responses(profile, player)
    assert as_set(e.profile for e in pure_equilibria(other)) == as_set(e.profile for e in pure_equilibria(game))
    assert eliminate_dominated(other, weakly=weakly).kept == eliminate_dominated(game, weakly=weakly).kept
    joint = correlated_equilibrium(other).distribution
    assert correlated_regret(game, joint) < 1e-8 * max(game.spreads)


@pytest.mark.nightly
@given(bimatrix_games(), st.integers(0, 1), st.floats(1e-9, 1e9))
def test_nor_does_it_to_the_equilibria_of_two(game, player, factor):
    other = scaled(game, player, factor)
    assert as_set(e.profile for e in vertex_enumeration(other)) == as_set(e.profile for e in vertex_enumeration(game))
    pytest.importorskip("quantecon")
    assert game.regret(lemke_howson(other).profile) < 1e-9
    if not is_degenerate(game):
        assert as_set(e.profile for e in support_enumeration(other)) == as_set(by_supports(game))


def test_lemke_howson_where_one_player_counts_in_tiny_units():
    pytest.importorskip("quantecon")
    for seed in range(20):
        game = random_game(seed, 3, 3, most=99)
        assert game.regret(lemke_howson(scaled(game, 1, 1e-12)).profile) < 1e-9


@given(any_games())
def test_pure_equilibria(game):
    found = {tuple(mixed.argmax() for mixed in each.profile) for each in pure_equilibria(game)}
    assert found == {cell for cell in product(*map(range, game.shape)) if game.regret(cell) == 0}


@pytest.mark.nightly
def test_500_games_against_nashpy():
    nashpy = pytest.importorskip("nashpy")
    pytest.importorskip("quantecon")
    dice, degenerate, failures = np.random.default_rng(11), 0, 0
    for number in range(500):
        shape = dice.integers(2, 6, 2)
        game = MatrixGame(*dice.integers(0, (2, 3, 6, 1000)[number % 4], (2, *shape)))
        theirs, ours = nashpy.Game(*game.payoffs), vertex_enumeration(game)
        found = as_set(each.profile for each in ours)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it says so where a game seems degenerate
            supports = [profile for profile in theirs.support_enumeration() if not np.isnan(profile[0]).any()]
            try:
                vertices = as_set(theirs.vertex_enumeration())
            except TypeError:  # it found no point inside of the polytope
                failures += 1
                continue
        assert found
        assert max(each.regret for each in ours) < 1e-9
        assert all(game.regret(profile) < 1e-6 for profile in supports)
        if ours.degenerate:  # Nashpy finds some of the extreme equilibria
            degenerate += 1
            assert vertices <= found
            assert as_set([lemke_howson(game).profile]) <= found
        else:  # and its rounding may lose some that it looks for by supports
            assert as_set(supports) <= vertices == found
        if game.zero_sum:
            assert solve_zero_sum(game).value == pytest.approx(ours[0].value)
    assert 100 < degenerate < 400
    assert failures < 10


@pytest.mark.nightly
def test_500_games_against_gambit():
    pytest.importorskip("pygambit")
    dice = np.random.default_rng(12)
    for number in range(500):
        game = MatrixGame(*dice.integers(0, (2, 3, 6, 1000)[number % 4], (2, *dice.integers(1, 5, 2))))
        ours, theirs = vertex_enumeration(game), exact_equilibria(game)
        assert as_set(each.profile for each in ours) == as_set(each.profile for each in theirs)


def test_exact_equilibria_of_three_players():
    pytest.importorskip("pygambit")
    table = np.zeros((2, 2, 2, 3))  # McKelvey & McLennan: nine equilibria, two of them mixed by all three
    table[0, 0, 0], table[1, 1, 0], table[1, 0, 1], table[0, 1, 1] = (9, 8, 12), (9, 8, 2), (3, 4, 6), (3, 4, 6)
    found = all_equilibria(MatrixGame(table))
    assert len(found) == 9
    assert all(each.regret < 1e-6 for each in found)


def test_gambit_reads_what_is_written(tmp_path):
    gambit = pytest.importorskip("pygambit")
    game = random_game(14, 2, 3, 2)
    for outcomes in (False, True):
        game.save(tmp_path / "game.nfg", outcomes=outcomes)
        theirs = gambit.read_nfg(str(tmp_path / "game.nfg"))
        assert np.array_equal(np.array(theirs.to_arrays(dtype=float), np.float64), game.payoffs)


class Gambit:
    """As much of pygambit as is asked, for one game."""

    def __init__(self, profiles):
        self.given, self.profiles = {}, profiles
        self.Game = SimpleNamespace(from_dict=self.from_dict)
        self.nash = SimpleNamespace(enummixed_solve=self.solve, enumpoly_solve=self.solve)

    def from_dict(self, tables):
        self.given = tables
        shape = next(iter(tables.values())).shape
        players = [
            SimpleNamespace(label=who, strategies=[SimpleNamespace(label=str(a + 1)) for a in range(number)])
            for who, number in zip(tables, shape)
        ]
        return SimpleNamespace(players=players)

    def solve(self, game):
        found = [
            {
                player.label: {action.label: p for action, p in zip(player.strategies, mixed)}
                for player, mixed in zip(game.players, profile)
            }
            for profile in self.profiles
        ]
        return SimpleNamespace(equilibria=found)


def test_what_gambit_is_asked_and_what_its_answers_become(monkeypatch):
    third, half = Fraction(1, 3), Fraction(1, 2)
    gambit = Gambit([[(2 * third, third), (half, half)]])
    monkeypatch.setitem(sys.modules, "pygambit", gambit)
    game = MatrixGame([[0.1, 1 / 3], [0.1, 1 / 3]], [[1, 2], [4, 2]])
    (found,) = exact_equilibria(game)
    assert gambit.given["1"].tolist() == [[Fraction(1, 10), third]] * 2
    assert found.fractions == ((2 * third, third), (half, half))
    assert "player 0: 0 2/3, 1 1/3" in str(found)
    assert found.degenerate
    monkeypatch.setitem(sys.modules, "pygambit", Gambit([[(0.5, 0.5)] * 3]))
    (mixed,) = all_equilibria(random_game(0, 2, 2, 2))
    assert mixed.fractions is None
    assert mixed.profile[2].tolist() == [0.5, 0.5]


def test_what_is_not_installed_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygambit", None)
    monkeypatch.setitem(sys.modules, "quantecon.game_theory", None)
    with pytest.raises(OutplayError, match=r"pip install 'outplay\[gambit\]'"):
        exact_equilibria(DILEMMA)
    for solver in (lemke_howson, support_enumeration):
        with pytest.raises(OutplayError, match=r"pip install 'outplay\[equilibrium\]'"):
            solver(DILEMMA)


def test_what_the_adapters_refuse():
    three = random_game(0, 2, 2, 2)
    for solver in (lemke_howson, support_enumeration, vertex_enumeration, is_degenerate):
        with pytest.raises(UnsuitableGame, match="not of 3"):
            solver(three)
    pytest.importorskip("quantecon")
    for label in (4, -1, 0.5, "x", True):
        with pytest.raises(OutplayError, match=f"label={label!r}: a whole number from 0 to 3"):
            lemke_howson(DILEMMA, label=label)
    for steps in (0, "a", 1e6, 10**20):
        with pytest.raises(OutplayError, match=rf"steps={steps!r}: a whole number from 1 to".replace("+", r"\+")):
            lemke_howson(DILEMMA, steps=steps)
    assert lemke_howson(DILEMMA, label=np.int64(1), steps=np.int32(9)).regret == 0
    with pytest.raises(OutplayError, match="within steps=1"):
        lemke_howson(random_game(3, 6, 6, most=1000), steps=1)


@given(st.floats(-1e9, 1e9))
def test_a_fraction_is_the_payoff_again(payoff):
    assert float(fraction(payoff)) == payoff


# -- dominance --------------------------------------------------------------------------------------------------------


def beats(game, removal, kept):
    """What a removed action's dominator gains over it in the game of its round, in each cell of the others."""
    table = np.moveaxis(game.payoffs[removal.player], removal.player, 0)
    table = table[np.ix_(range(len(table)), *(kept[p] for p in range(len(kept)) if p != removal.player))]
    return np.tensordot(removal.by, table, axes=1) - table[removal.action]


@given(any_games(), st.booleans(), st.booleans())
@settings(max_examples=30)
def test_what_was_removed_was_dominated_and_what_is_left_is_not(game, weakly, mixed):
    found = eliminate_dominated(game, weakly=weakly, mixed=mixed)
    kept = [list(range(number)) for number in game.shape]
    for turn in range(1, 1 + max((removal.round for removal in found.removals), default=0)):
        removed = [removal for removal in found.removals if removal.round == turn]
        assert removed
        for each in removed:
            gain = beats(game, each, kept)
            assert each.by.sum() == pytest.approx(1)
            assert each.by[each.action] == 0
            assert {int(action) for action in np.flatnonzero(each.by)} <= set(kept[each.player])
            assert mixed or each.by.max() == 1
            assert each.strictly == (gain.min() > 1e-7)
            assert each.strictly or (weakly and gain.min() > -1e-7 and gain.max() > 1e-7)
        for each in removed:
            kept[each.player].remove(each.action)
    assert found.kept == tuple(map(tuple, kept))
    assert found.game == game.restricted(kept)
    for player, actions in enumerate(found.kept):
        table = np.moveaxis(found.game.payoffs[player], player, 0).reshape(len(actions), -1)
        for a, b in product(range(len(actions)), repeat=2):
            assert not (table[b] > table[a]).all()
            assert not weakly or not ((table[b] >= table[a]).all() and (table[b] > table[a]).any())
        if mixed:
            for action in range(len(actions)):
                assert is_best_somewhere(table, action, everywhere=weakly)


def is_best_somewhere(table, action, *, everywhere):
    """Whether `action` is a best response to some belief, or to one that thinks everything possible (Pearce 1984)."""
    cells = table.shape[1]
    least = linprog(  # the belief that makes the least mass greatest
        np.append(np.zeros(cells), -1.0),
        A_ub=np.vstack(
            [
                np.hstack([table - table[action], np.zeros((len(table), 1))]),
                np.hstack([-np.eye(cells), np.ones((cells, 1))]),
            ]
        ),
        b_ub=np.append(np.full(len(table), 1e-9), np.zeros(cells)),
        A_eq=[[*np.ones(cells), 0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * (cells + 1),
    )
    return least.status == 0 and (not everywhere or -least.fun > 1e-7)


@given(bimatrix_games(3))
@settings(max_examples=50)
def test_strict_elimination_loses_no_equilibrium(game):
    found = eliminate_dominated(game)
    lifted = as_set(found.lifted(each.profile) for each in vertex_enumeration(found.game))
    assert lifted == as_set(each.profile for each in vertex_enumeration(game))


@given(arrays.arrays(np.float64, (4, 3), elements=st.integers(-4, 4).map(float)), st.booleans())
@settings(max_examples=30)
def test_elimination_keeps_the_value(payoffs, weakly):
    game = MatrixGame(payoffs)
    found = eliminate_dominated(game, weakly=weakly)
    small = solve_zero_sum(found.game)
    assert small.value == pytest.approx(solve_zero_sum(game).value, abs=1e-9)
    assert game.regret(found.lifted(small.profile)) < 1e-8


def test_elimination_in_words():
    text = str(eliminate_dominated(DILEMMA))
    assert "round 1: cooperate of player 0 is strictly dominated by defect" in text
    assert str(eliminate_dominated(PENNIES)).startswith("nothing is dominated")
    weak = MatrixGame([[1, 1], [1, 0]])
    assert "weakly dominated by 0" in str(eliminate_dominated(weak, weakly=True))
    assert not eliminate_dominated(weak).removals


# -- correlated equilibria --------------------------------------------------------------------------------------------


@given(games_with_profiles())
def test_correlated_regret_by_trying_every_rule(case):
    game, profile = case
    joint = profile[0]
    for mixed in profile[1:]:
        joint = np.multiply.outer(joint, mixed)
    most = 0.0
    for player, number in enumerate(game.shape):
        for rule in product(range(number), repeat=number):  # what he does, for each thing that he may be told
            done = np.take(game.payoffs[player], rule, axis=player)
            most = max(most, float(((done - game.payoffs[player]) * joint).sum()))
    assert correlated_regret(game, joint) == pytest.approx(most)
    assert correlated_regret(game, joint) == pytest.approx(game.regret(profile))  # a product: nothing is learned


@settings(max_examples=30)
@given(any_games(), st.sampled_from(["welfare", "fairness", "weights"]))
def test_a_correlated_equilibrium_is_the_best_one(game, measure):
    weights = np.arange(game.number_of_players) - 0.5
    found = correlated_equilibrium(game, maximize=weights if measure == "weights" else measure)
    assert found.distribution.sum() == pytest.approx(1)
    assert found.distribution.min() >= 0
    assert found.regret < 1e-8 * max(game.spreads)

    def worth(utilities):
        return {"welfare": utilities.sum(), "fairness": utilities.min(), "weights": weights @ utilities}[measure]

    equilibria_ = vertex_enumeration(game) if game.number_of_players == 2 else pure_equilibria(game)
    for each in equilibria_:
        assert worth(found.utilities) >= worth(each.utilities) - 1e-8 * max(game.spreads)


def test_known_correlated_equilibria():
    assert correlated_equilibrium(CHICKEN).utilities.sum() == pytest.approx(10.5)
    least = correlated_equilibrium(CHICKEN, maximize=(-1, -1))
    assert least.utilities.sum() < 2 * 14 / 3 + 1e-9  # no better than the mixed equilibrium
    battle = MatrixGame([[(3, 1), (0, 0)], [(0, 0), (1, 3)]])
    assert correlated_equilibrium(battle, maximize="fairness").utilities == pytest.approx([2, 2])
    assert correlated_equilibrium(battle, maximize=[1, 0]).utilities == pytest.approx([3, 1])
    assert "greatest fairness" in str(correlated_equilibrium(battle, maximize="fairness"))


@pytest.mark.parametrize("maximize", ["beauty", (1, 2, 3), (1, float("nan")), ("a", "b"), (10**400, 1), None])
def test_measures_that_are_none(maximize):
    with pytest.raises(OutplayError, match='"welfare", "fairness", or 2 numbers'):
        correlated_equilibrium(CHICKEN, maximize=maximize)


def test_correlated_equilibria_of_games_that_are_too_large():
    with pytest.raises(OutplayError, match="the linear program for"):
        correlated_equilibrium(random_game(0, 400, 400))


@pytest.mark.parametrize("joint", [[[1, 1], [0, 0]], "x", [[1], [0, 0]], None, [[10**400, 0], [0, 0]], [1, 0]])
def test_distributions_that_are_none(joint):
    with pytest.raises(OutplayError, match=r"must be probabilities of shape \(2, 2\) that sum to 1, not "):
        correlated_regret(PENNIES, joint)


# -- dynamics ---------------------------------------------------------------------------------------------------------


def twin_of_play(game, rounds, choose):
    """Play by the book: all that was played is kept, and gone through anew in each round."""
    history = [(0,) * game.number_of_players]
    while len(history) < rounds:
        cell = []
        for player, number in enumerate(game.shape):
            values = [
                sum(game.payoffs[(player, *past[:player], action, *past[player + 1 :])] for past in history)
                for action in range(number)
            ]
            cell.append(choose(values, sum(game.payoffs[(player, *past)] for past in history)))
        history.append(tuple(cell))
    return history


def averages(history, game):
    return [
        np.bincount([cell[player] for cell in history], minlength=n) / len(history)
        for player, n in enumerate(game.shape)
    ]


@pytest.mark.parametrize("shape", [(2, 3), (3, 2, 2)], ids=str)
def test_fictitious_play_by_the_book(shape):
    game = random_game(7, *shape, most=9)
    history = twin_of_play(game, 40, lambda values, earned: values.index(max(values)))
    found = fictitious_play(game, 40, points=1000)
    assert found.times.tolist() == list(range(1, 41))
    for round_ in (1, 2, 10, 40):
        for mine, twin in zip(found.profiles, averages(history[:round_], game)):
            assert mine[round_ - 1] == pytest.approx(twin)
    joint = np.zeros(shape)
    for cell in history:
        joint[cell] += 1 / 40
    assert found.joint == pytest.approx(joint)


def test_regret_matching_by_the_book():
    game = random_game(8, 3, 2, 2, most=9)
    random = new_random(5)
    history = twin_of_play(game, 40, lambda values, earned: matching.interpreted(np.array(values), earned, random))
    found = regret_matching(game, 40, seed=5, points=1000)
    for mine, twin in zip(found.last, averages(history, game)):
        assert mine == pytest.approx(twin)


def test_actions_are_drawn_by_regret():
    random, counts = new_random(3), np.zeros(4)
    for _ in range(20_000):
        counts[matching(np.array([1.0, 4.0, 2.0, -3.0]), 1.0, random)] += 1
    assert counts[0] == counts[3] == 0
    assert counts[1] / counts.sum() == pytest.approx(0.75, abs=0.02)
    for _ in range(1000):
        counts[matching(np.array([1.0, 0.0, 2.0, 2.0]), 5.0, random)] += 1
    assert counts[0] > 0
    assert counts[3] > 0  # nobody regrets anything: any action


@pytest.mark.parametrize("dynamics", [fictitious_play, regret_matching])
def test_averages_come_to_the_value_of_a_zero_sum_game(dynamics):
    game = random_game(9, 4, 5, most=9, zero_sum=True)
    found = dynamics(game, 200_000)
    assert found.regrets[-1] < 0.1
    assert found.regrets[-1] < found.regrets[0]
    assert game.expected(found.last)[0] == pytest.approx(solve_zero_sum(game).value, abs=0.05)
    assert found.times[0] == 1
    assert found.times[-1] == 200_000
    assert found.regrets[50] == game.regret([profile[50] for profile in found.profiles])


def test_fictitious_play_goes_round_in_shapleys_game_and_regret_matching_comes_to_coarse_correlation():
    played = fictitious_play(SHAPLEY, 100_000, start=[0, 1])
    assert played.regrets[-20:].min() > 0.05
    matched = regret_matching(random_game(10, 3, 3, 3), 200_000, seed=2)
    assert matched.external_regret < 0.02
    assert matched.joint.sum() == pytest.approx(1)


def test_seeds_and_starts():
    game = random_game(11, 3, 3)
    first, again, other = (regret_matching(game, 500, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.profiles[0], again.profiles[0])
    assert not np.array_equal(first.profiles[0], other.profiles[0])
    assert fictitious_play(DILEMMA, 1, start=["defect", 0]).last[0].tolist() == [0, 1]


def test_replicator_dynamics_against_small_steps_of_its_equation():
    game = random_game(12, 3, 2, 2)
    start = [[0.2, 0.3, 0.5], [0.6, 0.4], [0.9, 0.1]]
    found = replicator_dynamics(game, start, 1.0, points=11)
    profile = [np.array(each) for each in start]
    for _ in range(2000):
        values = [game.action_values(profile, player) for player in range(3)]
        profile = [x + x * (u - x @ u) / 2000 for x, u in zip(profile, values)]
    for mine, euler in zip(found.last, profile):
        assert mine == pytest.approx(euler, abs=2e-3)
    assert found.times.tolist() == pytest.approx(np.linspace(0, 1, 11).tolist())
    assert [each[0].tolist() for each in found.profiles] == [pytest.approx(each) for each in start]


def test_replicator_dynamics_goes_round_an_equilibrium():
    found = replicator_dynamics(PENNIES, [[0.7, 0.3], [0.6, 0.4]], 20.0)
    constant = sum(
        np.log(profile).sum(axis=1) for profile in found.profiles
    )  # of zero-sum games with a mixed equilibrium
    assert constant == pytest.approx(np.full(len(constant), constant[0]), abs=1e-6)
    assert found.profiles[0].min() < 0.4
    assert found.profiles[0].max() > 0.6
    assert found.joint is None
    with pytest.raises(OutplayError, match="does not play rounds"):
        found.external_regret  # noqa: B018


def test_what_is_not_there_does_not_come():
    found = replicator_dynamics(DILEMMA, ["cooperate", [0.5, 0.5]], 100.0)
    assert found.last[0].tolist() == [1, 0]
    assert found.last[1] == pytest.approx([0, 1])


@pytest.mark.parametrize(
    ("run", "message"),
    rows(
        {
            "rounds": (lambda: fictitious_play(PENNIES, 0), "rounds=0: a whole number from 1 to 1,000,000,000,000"),
            "points": (lambda: regret_matching(PENNIES, points=0), "points=0"),
            "true": (lambda: fictitious_play(PENNIES, True), "rounds=True"),
            "half": (lambda: fictitious_play(PENNIES, 0.5), "rounds=0.5"),
            "too many points": (lambda: fictitious_play(PENNIES, points=10**9), "points=1000000000: .* to 1,000,000"),
            "seed": (lambda: regret_matching(PENNIES, seed=0.5), "seed=0.5"),
            "start": (lambda: fictitious_play(PENNIES, start=[[0.5, 0.5], 0]), "an action for each player"),
            "one start": (lambda: fictitious_play(PENNIES, start=0), "a strategy for each player, not 0"),
            "no action": (lambda: fictitious_play(PENNIES, start=[0, 7]), "no action 7"),
            "duration": (lambda: replicator_dynamics(PENNIES, [0, 0], 0), r"duration=0\): a number above 0"),
            "step": (lambda: replicator_dynamics(PENNIES, [0, 0], step=float("nan")), "step=nan"),
            "a word": (lambda: replicator_dynamics(PENNIES, [0, 0], step="a"), "step='a'"),
            "no float": (lambda: replicator_dynamics(PENNIES, [0, 0], 10**400), "a number above 0"),
            "too long": (
                lambda: replicator_dynamics(PENNIES, [0, 0], 1e300),
                "1e.300 has more than 1,000,000,000,000 ",
            ),
            "too short": (lambda: replicator_dynamics(PENNIES, [0, 0], step=1e-300), "steps of step=1e-300"),
            "profile": (lambda: replicator_dynamics(PENNIES, [0]), "a profile of 1 strategies"),
        }
    ),
)
def test_dynamics_that_make_no_sense(run, message):
    with pytest.raises(OutplayError, match=message):
        run()


def test_numbers_of_numpy_will_do():
    (mine, twin) = (
        fictitious_play(PENNIES, number(50), points=number(9), start=[number(1), 0]) for number in (int, np.int64)
    )
    assert np.array_equal(mine.last, twin.last)
    (mine, twin) = (regret_matching(PENNIES, number(50), seed=number(3)) for number in (int, np.uint8))
    assert np.array_equal(mine.last, twin.last)
    (mine, twin) = (replicator_dynamics(SHAPLEY, [0, 1], *each) for each in ((2,), (np.float32(2),)))
    assert np.array_equal(mine.last, twin.last)
    assert len(replicator_dynamics(PENNIES, [0, 0], np.int64(1), step=np.float32(0.5), points=np.int8(3)).times) == 3


# -- files ------------------------------------------------------------------------------------------------------------

NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs"], exclude_characters="\r"), min_size=1, max_size=6
)


@given(st.data(), st.booleans())
def test_nfg_there_and_back(data, outcomes):
    shape = data.draw(st.lists(st.integers(1, 3), min_size=2, max_size=3))
    payoffs = data.draw(
        arrays.arrays(np.float64, (len(shape), *shape), elements=st.floats(allow_nan=False, allow_infinity=False))
    )
    names = [data.draw(st.lists(NAMES, min_size=n, max_size=n, unique=True)) for n in (*shape, len(shape))]
    title = data.draw(NAMES)
    game = MatrixGame(*payoffs, actions=names[:-1], players=names[-1], title=title)
    assert parse_nfg(to_nfg(game, outcomes=outcomes)) == game


def test_nfg_files(tmp_path):
    path = tmp_path / "game.nfg"
    DILEMMA.save(path, outcomes=True)
    assert MatrixGame.load(path) == load_matrix_game(path) == DILEMMA
    with pytest.raises(RulesError, match=r"missing\.nfg cannot be read"):
        load_matrix_game(tmp_path / "missing.nfg")
    path.write_text("NFG 1 R\nno title")
    with pytest.raises(RulesError, match=r"game.nfg, line 2: expected the title of the game, in quotes,"):
        load_matrix_game(path)


SELTEN = 'NFG 1 R "Selten (IJGT, 75), Figure 2, normal form"\n'


def test_both_forms_of_gambits_documentation():
    table = parse_nfg(SELTEN + '{ "Player 1" "Player 2" } { 3 2 }\n\n1 1 0 2 0 2 1 1 0 3 2 0\n')
    listed = parse_nfg(
        SELTEN + '{ "Player 1" "Player 2" }\n{\n{ "1" "2" "3" }\n{ "1" "2" }\n}\n{\n{ "" 1, 1 }\n{ "" 0, 2 }\n'
        '{ "" 0, 2 }\n{ "" 1, 1 }\n{ "" 0, 3 }\n{ "" 2, 0 }\n}\n1 2 3 4 5 6\n'
    )
    assert np.array_equal(table.payoffs, listed.payoffs)
    assert table.payoffs[:, 2, 1].tolist() == [2, 0]
    assert table.payoffs[:, 1, 0].tolist() == [0, 2]
    assert listed.actions == (("1", "2", "3"), ("1", "2"))


def test_numbers_and_comments_of_nfg():
    game = parse_nfg('NFG 1 D "" { "" "" } { 2 1 } "a comment\nof two lines" 1/3 -.5 +1e2, 2.')
    assert game.payoffs.reshape(2, 2).tolist() == [[1 / 3, 100], [-0.5, 2]]
    assert game.players == ("player 0", "player 1")
    nothing = parse_nfg('NFG 1 R "" { "a" "b" } { 1 2 } { { "x" 1 2 } } 0 1')
    assert nothing.payoffs[:, 0].tolist() == [[0, 1], [0, 2]]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    rows(
        {
            "a tree": ('EFG 2 R "x"', 1, "begins with NFG 1 R, not with 'EFG'"),
            "version": ('NFG 2 R "x"', 1, "begins with NFG 1 R"),
            "letter": ('NFG 1 Q "x"', 1, "followed by R, not by 'Q'"),
            "empty": ("", 1, "begins with NFG 1 R, not with the end of the file"),
            "open quotes": ('NFG 1 R\n"x', 2, "unclosed quote"),
            "one player": ('NFG 1 R "x"\n{ "a" } { 2 } 1 2', 2, "two or more players, not 1"),
            "no brace": ('NFG 1 R "x"\n"a"', 2, "the names of the players: expected '{', not"),
            "a number for a name": ('NFG 1 R "x" { "a"\n3 }', 2, "in quotes, not '3'"),
            "three actions": (
                'NFG 1 R "x" { "a" "b" }\n{ 2 2 2 }',
                2,
                "actions for 3 players, but 2 players are named",
            ),
            "no actions": ('NFG 1 R "x" { "a" "b" }\n{ 2 0 }', 2, "player 2 has no actions"),
            "half an action": (
                'NFG 1 R "x" { "a" "b" }\n{ 1.5 2 }',
                2,
                "the number of actions of a player, not '1.5'",
            ),
            "few payoffs": (
                'NFG 1 R "x" { "a" "b" } { 1 2 }\n1 2\n3',
                3,
                "3 payoffs, but 2 players and 2 cells need 4",
            ),
            "far too few": (
                'NFG 1 R "x" { "a" "b" } { 999999999 2 }\n1 2',
                2,
                "2 payoffs, but 2 players and 1999999998 cells need 3999999996",
            ),
            "far too few outcomes": (
                'NFG 1 R "x" { "a" "b" } { 999999999 999999999 }\n{ { "" 1 1 } } 1',
                2,
                "outcomes of 1 cells, but there are 999999998000000001",
            ),
            "many payoffs": ('NFG 1 R "x" { "a" "b" } { 1 1 }\n1 2\n3', 3, "'3' after the last of 1 cells"),
            "a word": (
                'NFG 1 R "x" { "a" "b" } { 1 1 }\n1\ntwo',
                3,
                "a payoff, a number such as 2, -0.5 or 1/3, not 'two'",
            ),
            "a long word": (f'NFG 1 R "x" {{ "a" "b" }} {{ {"x" * 10_000} }}', 1, "not 'xxxxxxxxxxxx...xxxxxxxxxxxxx'"),
            "by zero": ('NFG 1 R "x" { "a" "b" } { 1 1 }\n1/0 1', 2, "'1/0' divides by 0"),
            "huge": ('NFG 1 R "x" { "a" "b" } { 1 1 }\n1e999 1', 2, "expected a payoff of at most 1.79769e+308"),
            "outcome": ('NFG 1 R "x" { "a" "b" } { 1 1 }\n{ { "" 1 1 }\n{ "" 1 } } 1', 3, "outcome 2 has 1 payoffs"),
            "no such": ('NFG 1 R "x" { "a" "b" } { 1 1 }\n{ { "" 1 1 } }\n2', 3, "outcome 2 of 1"),
            "few cells": (
                'NFG 1 R "x" { "a" "b" } { 1 2 }\n{ { "" 1 1 } }\n1\n',
                4,
                "outcomes of 1 cells, but there are 2",
            ),
            "unfinished": (
                'NFG 1 R "x" { "a" "b" } { 1 1 }\n{ { "" 1',
                2,
                "expected a payoff, a number such as 2, -0.5 or 1/3, not the end",
            ),
        }
    ),
)
def test_broken_nfg(text, line, message):
    with pytest.raises(RulesError) as caught:
        parse_nfg(text, source="broken.nfg")
    assert str(caught.value).startswith(f"broken.nfg, line {line}: ")
    assert message in str(caught.value)


# -- as a game with turns ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def turns():
    return random_game(13, 2, 3, 4).as_game()


def test_turns_are_a_game(turns):
    report = check_game(turns, playouts=30)
    assert report.ok, report
    assert report.compiled
    assert isinstance(turns, Game)
    assert turns.hidden_information
    assert not turns.zero_sum
    assert PENNIES.as_game().zero_sum
    assert PENNIES.as_game().utilities == (-1, 1)
    assert PENNIES.as_game() == PENNIES.as_game() != DILEMMA.as_game()


def test_turns_end_where_the_table_says(turns):
    matrix = random_game(13, 2, 3, 4)
    for cell in product(*map(range, matrix.shape)):
        state = turns.initial_state()
        for player, action in enumerate(cell):
            assert turns.to_move(state) == player
            assert list(legal_actions(turns, state)) == list(range(matrix.shape[player]))
            state = turns.result(state, action)
        assert turns.is_terminal(state)
        assert [turns.utility(state, player) for player in range(3)] == matrix.payoffs[(slice(None), *cell)].tolist()
        assert [turns.chosen(state, player) for player in range(3)] == list(cell)


def test_nobody_sees_what_the_others_chose(turns):
    seen = {}
    prefixes = chain.from_iterable(product(*map(range, (2, 3, 4)[:length])) for length in range(4))
    for chosen in prefixes:
        state = turns.initial_state()
        for action in chosen:
            state = turns.result(state, action)
        for player in range(3):
            own = chosen[player] if player < len(chosen) else None
            seen.setdefault((player, len(chosen), own), set()).add(turns.information(state, player))
            looks_alike = turns.determinize(state, player, new_random(random_below(new_random(1), 1000)))
            assert turns.information(looks_alike, player) == turns.information(state, player)
    assert all(len(informations) == 1 for informations in seen.values())
    assert len({(player, *informations) for (player, _, _), informations in seen.items()}) == len(seen)


def test_what_is_hidden_is_dealt_anew(turns):
    state = turns.result(turns.result(turns.initial_state(), 1), 2)
    random = new_random(4)
    drawn = [turns.chosen(turns.determinize(state, 1, random), 0) for _ in range(400)]
    assert 150 < sum(drawn) < 250


def test_turns_in_words():
    game = DILEMMA.as_game()
    state = game.result(game.initial_state(), 1)
    assert game.render(state) == "row player: defect\ncolumn player to choose"
    assert game.information_text(state, 0) == "row player, who chose defect"
    assert game.information_text(state, 1) == "column player"
    assert game.action_name(state, 0) == "cooperate"
    assert game.parse_action(state, "defect") == 1


def test_importing_matrix_games_is_light():
    assert importlib.import_module("outplay.equilibrium").__doc__
    assert equilibria.__doc__
