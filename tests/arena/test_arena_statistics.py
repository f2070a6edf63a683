"""What results say about strength, against published programs and against slow, obvious twins."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from outplay.arena.elo import NORMALIZED, elo_of, mean_and_variance, score_of
from outplay.arena.likelihood import likeliest, log_likelihood_drop, ratio
from outplay.arena.orders import rate_orders
from outplay.arena.ratings import rate
from outplay.arena.sequential import SequentialTest, exit_time
from outplay.arena.strengths import strength
from outplay.rules.errors import OutplayError

COUNTS = st.sampled_from([3, 5]).flatmap(lambda size: st.lists(st.integers(1, 500), min_size=size, max_size=size))


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "scale", "llr"),
    [
        ([10789, 19328, 33806, 19402, 10543], -3, 1, "logistic", 2.13106781),
        ([39, 2226, 31451, 2412, 40], 0.2, 0.9, "logistic", 2.16254258),
        ([39, 2226, 31451, 2412, 40], 0.764, 3.439, "normalized", 2.16294087),
        ([1187, 7410, 13475, 7378, 1164], -3, 1, "logistic", 2.86152718),
        ([65804, 56553, 65388], -3, 1, "logistic", 2.04904262),
        ([0, 3, 5, 1, 0], 0, 5, "normalized", -0.06184896),
        ([591, 2163, 716], 0, 6, "normalized", 3.00062585),
    ],
)
def test_the_llr_of_fishtest(counts, elo0, elo1, scale, llr):
    """The results are those in fishtest's own tests of `stat_util.py`; the numbers are what its `LLRcalc.py` prints."""
    assert SequentialTest(elo0, elo1, scale=scale).llr(counts) == pytest.approx(llr, abs=1e-6)


@given(counts=COUNTS, elo=st.floats(-40, 40), scale=st.sampled_from(["logistic", "normalized"]))
@settings(max_examples=30)
def test_the_likeliest_distribution_is_the_likeliest(counts, elo, scale):
    """A general optimizer finds no likelier one of this strength."""
    shares = np.array(counts) / sum(counts)
    found = likeliest(shares, elo, scale)
    scores = np.linspace(0, 1, len(counts))

    def off(distribution):
        mean, variance = mean_and_variance(distribution)
        if scale == "logistic":
            return mean - score_of(elo)
        return (mean - 0.5) / math.sqrt(variance * (len(counts) - 1) / 2) - elo / NORMALIZED

    assert found.min() > 0
    assert found.sum() == pytest.approx(1)
    assert off(found) == pytest.approx(0, abs=1e-8)
    rng = np.random.default_rng(len(counts) + counts[0])
    for _ in range(50):  # along the surface, it falls in every direction
        gradient = np.array([(off(found + step) - off(found - step)) / 2e-6 for step in 1e-6 * np.eye(len(scores))])
        constraints = np.stack([np.ones(len(scores)), gradient])
        step = rng.normal(size=len(scores))
        step -= np.linalg.lstsq(constraints.T, step, rcond=None)[0] @ constraints
        slope = float((shares / found) @ step)
        assert slope == pytest.approx(0, abs=1e-4 * np.abs(step).sum() * (shares / found).max())


@pytest.mark.parametrize("elo", [-1000, -400, 400, 1000])
@pytest.mark.parametrize("counts", [[0, 0, 1], [1, 0, 0, 0, 0], [0, 0, 7, 0, 0], [51, 71, 30]])
@pytest.mark.filterwarnings("error")
def test_normalized_elo_far_from_the_results(elo, counts):
    found = likeliest(np.maximum(np.array(counts, float), 1e-3) / sum(counts), elo, "normalized")
    mean, variance = mean_and_variance(found)
    assert NORMALIZED * (mean - 0.5) / (variance * (len(counts) - 1) / 2) ** 0.5 == pytest.approx(elo, rel=1e-6)


def test_many_rows_at_once():
    rows = np.array([[1, 2, 3, 4, 5], [50, 40, 30, 20, 10]])
    for scale in ("logistic", "normalized"):
        assert ratio(rows, 0, 5, scale) == pytest.approx([float(ratio(row, 0, 5, scale)) for row in rows])


def test_scales():
    assert elo_of(score_of(123)) == pytest.approx(123)
    assert (elo_of(0), elo_of(1)) == (-math.inf, math.inf)
    small = strength([4990, 0, 5010])
    assert small.normalized == pytest.approx(small.elo, rel=1e-3)  # equal for small differences without draws
    assert strength([10, 80, 10]).superior == pytest.approx(0.5)


@given(counts=COUNTS)
@settings(max_examples=30)
def test_laws_of_strength(counts):
    found, mirrored = strength(counts), strength(counts[::-1])
    assert found.low < found.elo < found.high
    assert mirrored.elo == pytest.approx(-found.elo, abs=1e-6)
    assert mirrored.low == pytest.approx(-found.high, abs=1e-3)
    assert mirrored.superior == pytest.approx(1 - found.superior, abs=1e-9)
    more = strength([4 * count for count in counts])
    assert more.high - more.low == pytest.approx((found.high - found.low) / 2, rel=0.2)


def test_strength_of_a_player_who_has_won_all():
    """The lower end is where ten wins in a row have the likelihood exp(-1.92)."""
    found = strength([0, 0, 10])
    assert (found.elo, found.high) == (math.inf, math.inf)
    assert found.low == pytest.approx(elo_of(math.exp(-1.9207 / 10)), abs=1.5)  # unseen results count a little
    assert strength([0, 0, 10**6]).low == 2000


@pytest.mark.parametrize("counts", [[0, 0, 1], [0, 0, 0, 0, 1], [0, 0, 2], [0, 0, 3], [0, 0, 0, 0, 4]])
def test_how_sure_a_few_wins_are(counts):
    """A player is stronger with more than 97.5% exactly if the interval of 95% begins above 0."""
    found = strength(counts)
    assert (found.superior > 0.975) == (found.low > 0)
    assert 0.85 < found.superior < 0.999


def test_intervals_hold_what_they_promise():
    """Of 2,000 matches of 200 pairs, about 5% have an interval without the true difference."""
    rng = np.random.default_rng(3)
    truth = np.array([0.1, 0.2, 0.35, 0.25, 0.1])
    elo = elo_of(float(truth @ np.linspace(0, 1, 5)))
    rows = rng.multinomial(200, truth, 2000)
    missed = 2 * log_likelihood_drop(rows, elo) > 3.8415
    assert 0.04 < missed.mean() < 0.065
    for counts, is_missed in zip(rows[:20], missed, strict=False):
        assert (strength(counts).low < elo < strength(counts).high) != is_missed


def decided(test, truth, rng, tests, start=(0, 0, 0, 0, 0)):
    """The pairs of games that some tests take from a start, with results of the true distribution, and the share of
    tests that accept.
    """
    counts, verdicts = np.full((tests, 5), start, float), np.zeros(tests, int)
    while (open_ := verdicts == 0).any():
        counts[open_] += rng.multinomial(1, truth, int(open_.sum()))
        llr = ratio(counts[open_], test.elo0, test.elo1, test.scale)
        verdicts[open_] = np.where(llr >= test.upper, 1, np.where(llr <= test.lower, -1, 0))
    return counts.sum(axis=1) - sum(start), float((verdicts == 1).mean())


def distribution(elo):
    """A distribution of pairs of games of this strength."""
    return likeliest(np.array([0.08, 0.24, 0.36, 0.24, 0.08]), elo, "logistic")


@pytest.mark.nightly
@pytest.mark.parametrize(("elo", "accepted"), [(0, (0, 0.05)), (10, (0.4, 0.6)), (20, (0.95, 1))])
def test_error_rates(elo, accepted):
    """10,000 tests of 20 Elo against 0, at three true strengths. Takes a minute each."""
    _, share = decided(SequentialTest(0, 20), distribution(elo), np.random.default_rng(elo), 10_000)
    assert accepted[0] <= share <= accepted[1]


def test_a_test_goes_on_until_it_is_decided():
    """The same for few tests of a large difference."""
    for elo, low, high in ((100, 0.9, 1), (0, 0, 0.1)):
        _, share = decided(SequentialTest(0, 100), distribution(elo), np.random.default_rng(1), 200)
        assert low <= share <= high


def test_games_left():
    """As many as tests with the distribution so far take on average."""
    test, counts = SequentialTest(0, 60), np.array([8, 20, 36, 24, 10])
    taken, _ = decided(test, counts / counts.sum(), np.random.default_rng(2), 200, start=counts)
    assert test.games_left(counts) == pytest.approx(2 * taken.mean(), rel=0.2)
    assert test.games_left([0] * 5) == math.inf
    assert test.games_left([0, 0, 0, 0, 50]) == 0


@pytest.mark.parametrize("drift", [-3.0, -0.2, 0.0, 0.2, 3.0])
def test_exit_time(drift):
    """Against the equation that it solves: drift · t' + variance / 2 · t'' = -1."""
    step = 1e-3
    before, now, after = (exit_time(at, 3.0, drift, 1.7) for at in (1 - step, 1, 1 + step))
    assert drift * (after - before) / (2 * step) + 0.85 * (after - 2 * now + before) / step**2 == pytest.approx(
        -1, rel=1e-3
    )
    assert exit_time(0.0, 3.0, drift, 1.7) == pytest.approx(0) == exit_time(3.0, 3.0, drift, 1.7)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SequentialTest(5, 5), "elo0 must be below elo1"),
        (lambda: SequentialTest(0, 5, alpha=0.7), "alpha=0.7"),
        (lambda: SequentialTest(0, 5, scale="bayes"), "scale='bayes'"),
        (lambda: SequentialTest(0, 5000), "at most 2000 Elo"),
        (lambda: strength([1, 2]), "3 counts"),
        (lambda: strength([math.nan, 2, 1]), "3 counts"),
        (lambda: strength([0, 0, 0]), "no game"),
        (lambda: rate([]), "no game"),
        (lambda: rate([("a", "b", 0.7)]), "0.7 points"),
        (lambda: rate([("a", "a", 1)]), "against itself"),
        (lambda: rate([("a", "b", 1), ("c", "d", 1)]), "a and c cannot be compared"),
        (lambda: rate([("a", "b", 1), ("b", "a", 0)], prior=0), "the rating of a has no bound"),
        (lambda: rate_orders([]), "no game"),
        (lambda: rate_orders([("ab", (1, 0)), ("abc", (1, 0, 0))]), "needs 2 players"),
        (lambda: rate_orders([("ab", (math.nan, 0))]), "finite"),
        (lambda: rate_orders([("ab", (1, 0)), ("cd", (1, 0))]), "cannot be compared"),
    ],
)
def test_wrong_arguments(make, message):
    with pytest.raises(OutplayError, match=message):
        make()


# -- ratings ----------------------------------------------------------------------------------------------------------

NAMES = ["Ada", "Boole", "Church", "Dijkstra", "Euler"]
WON = [[0, 13, 15, 19, 7], [5, 0, 10, 7, 11], [3, 2, 0, 12, 16], [7, 6, 5, 0, 9], [5, 2, 5, 2, 0]]
DRAWN = [[0, 5, 7, 6, 1], [6, 0, 3, 2, 3], [2, 2, 0, 2, 5], [5, 5, 7, 0, 3], [4, 4, 4, 3, 0]]
LOST = [[0, 3, 3, 4, 2], [4, 0, 2, 4, 2], [10, 6, 0, 3, 2], [17, 15, 9, 0, 2], [14, 19, 12, 1, 0]]
"""374 games: those that the player of the row, with the first move, won, drew and lost against that of the column."""
GAMES = [
    (NAMES[i], NAMES[j], points)
    for points, table in ((1, WON), (0.5, DRAWN), (0, LOST))
    for i, row in enumerate(table)
    for j, number in enumerate(row)
    for _ in range(number)
]


@pytest.mark.parametrize(
    ("prior", "elos", "drawn"), [(0, [122, 90, 1, -67, -147], 0.2606), (2, [120, 88, 1, -66, -144], 0.272)]
)
def test_the_ratings_of_bayeselo(prior, elos, drawn):
    """What BayesElo 0057 prints for these games (`prior 0` or its default, `mm 1 1`), less its mean of 3100."""
    found = rate(GAMES, prior=prior)
    assert [player.name for player in found.players] == NAMES
    assert [player.elo for player in found.players] == pytest.approx(elos, abs=0.51)
    assert found.drawn == pytest.approx(drawn, abs=1e-3)


def test_the_ratings_of_ordo():
    """What Ordo 1.2.6 prints for these games (`-W -D -a 0`), whose model takes a draw for half a win."""
    found = rate(GAMES, prior=0)
    assert [each.elo for each in found.players] == pytest.approx([123.4, 91.0, 0.5, -65.8, -149.2], abs=3)
    assert found.advantage[0] == pytest.approx(44.52, abs=3)
    assert found.drawn == pytest.approx(0.2417, abs=0.024)  # its error is 2.40%
    for player, error in zip(found.players, [42.0, 44.8, 42.6, 42.5, 49.4], strict=True):  # by simulation
        assert (player.high - player.low) / 2 == pytest.approx(error, rel=0.12)


def log_likelihood(elos, advantage, width, games):
    """The same model in the words of its definition."""
    total = 0.0
    for first, second, points in games:
        gap = elos[first] - elos[second] + advantage
        win, loss = 1 / (1 + math.exp(width - gap)), 1 / (1 + math.exp(width + gap))
        total += math.log({1: win, 0: loss, 0.5: 1 - win - loss}[points])
    return total


def test_the_likeliest_ratings_and_their_intervals():
    """A general optimizer finds the same."""
    games, names = GAMES[::3], NAMES

    def loss(at, pinned=None):
        elos = dict(zip(names, [*at[:4], -sum(at[:4])], strict=True))
        return -log_likelihood(elos, at[4], abs(at[5]) + 1e-9, games)

    start = [0.1, 0, 0, -0.1, 0.1, 0.5]
    best = minimize(
        loss, start, method="Nelder-Mead", options={"maxiter": 9000, "xatol": 1e-7, "fatol": 1e-9, "adaptive": True}
    )
    found = rate(games, prior=0)
    width = math.atanh(found.drawn) * 1  # drawn = 1 - 2σ(-w) = tanh(w / 2)
    scale = 400 / math.log(10) / math.cosh(width) ** 2
    elos = {player.name: player.elo / scale for player in found.players}
    assert 2 * width == pytest.approx(best.x[5], abs=1e-4)
    assert [elos[name] for name in names[:4]] == pytest.approx(best.x[:4], abs=1e-3)
    assert found.advantage[0] / scale == pytest.approx(best.x[4], abs=1e-3)
    for end in (found.players[0].low, found.players[0].high):  # all else is free; the likelihood has fallen by 1.92
        pinned = found.players[0].name
        place = names.index(pinned)
        others = [k for k in range(6) if k != place]

        def fallen(free, end=end, place=place, others=others):
            at = np.zeros(6)
            at[others], at[place] = free, end / scale
            return loss(at)

        far = minimize(
            fallen, best.x[others], method="Nelder-Mead",
            options={"maxiter": 9000, "xatol": 1e-7, "fatol": 1e-9, "adaptive": True},
        )  # fmt: skip
        assert far.fun - best.fun == pytest.approx(1.9207, abs=2e-3)


def test_superiority():
    found = rate(GAMES)
    assert found.superior["Ada", "Boole"] == pytest.approx(0.8356, abs=1e-3)
    equal = rate([("a", "b", 1), ("b", "a", 1)])
    assert equal.superior[equal.players[0].name, equal.players[1].name] == pytest.approx(0.5)


def test_ratings_where_nobody_has_lost_to_a_weaker_one():
    """Draws then have no bound, and the ratings would all be 0 with empty intervals."""
    games = [("ada", "bob", 1), ("bob", "ada", 0), ("bob", "cyd", 1), ("cyd", "bob", 0)] * 4
    for extra in [], [("bob", "dan", 0.5), ("dan", "bob", 0.5)]:
        found = rate(games + extra)
        ada, bob, cyd = (
            next(player for player in found.players if player.name == name) for name in ("ada", "bob", "cyd")
        )
        assert ada.elo > bob.elo + 100 > cyd.elo + 200
        assert all(player.low < player.elo - 50 and player.elo + 50 < player.high < 2000 for player in found.players)
        assert found.superior["ada", "cyd"] > 0.95
        assert (ada.points, cyd.points) == (8, 0)


def test_a_prior_bounds_the_rating_of_a_player_who_has_won_all():
    first, second = rate([("a", "b", 1), ("b", "a", 0)] * 5).players
    assert 0 < first.elo < 1000
    assert first.elo == pytest.approx(-second.elo)
    assert first.points == 10


# -- games of many players --------------------------------------------------------------------------------------------


def chances(worths, shared, utilities):
    """The probability of an order by its definition, place after place."""
    left, probability = set(range(len(worths))), 1.0
    for utility in sorted(set(utilities), reverse=True):
        chosen = [each for each in left if utilities[each] == utility]
        weights = {
            group: shared.get(size, 0.0) * math.prod(worths[each] for each in group) ** (1 / size)
            for size in range(1, len(left) + 1)
            for group in itertools.combinations(sorted(left), size)
        }
        probability *= weights[tuple(chosen)] / sum(weights.values())
        left -= set(chosen)
    return probability


@given(data=st.data())
@settings(max_examples=4)
def test_the_likeliest_worths(data):
    """No other ratings are likelier, by the definition."""
    seats = data.draw(st.integers(2, 3))
    utility = st.lists(st.integers(0, 2), min_size=seats, max_size=seats)
    orders = data.draw(st.lists(st.tuples(st.permutations("abc"), utility), min_size=2, max_size=8))
    games = [("".join(names)[:seats], tuple(utilities)) for names, utilities in orders]
    games += [("abc"[:seats], tuple(range(seats))), ("cab"[:seats], tuple(range(seats)))]
    found = rate_orders(games, prior=1)
    elo = 400 / math.log(10)
    elos = {player.name: player.elo / elo for player in found.players}
    sizes = sorted({u.count(each) for _, u in games for each in u} - {1})

    def likelihood(at):
        worth = dict(zip("abc", at[:3] - np.mean(at[:3]), strict=True))
        shared = {1: 1.0, **{size: math.exp(each) for size, each in zip(sizes, at[3 + seats :], strict=True)}}
        total = -sum(math.log(math.exp(each / 2) + math.exp(-each / 2)) for each in worth.values())
        for names, utilities in games:
            worths = [math.exp(worth[name] + at[3 + seat]) for seat, name in enumerate(names)]
            total += math.log(chances(worths, shared, utilities))
        return total

    start = np.array([elos[name] for name in "abc"] + [each[0] / elo for each in found.seats] + [0.0] * len(sizes))
    free = (
        minimize(lambda rest: -likelihood(np.append(start[: 3 + seats], rest)), np.zeros(len(sizes))) if sizes else None
    )
    start[3 + seats :] = free.x if sizes else []
    best = minimize(lambda at: -likelihood(at), start)
    assert likelihood(start) == pytest.approx(-best.fun, abs=1e-4)


def test_orders_of_two_players_are_games():
    """Without draws, both models are Bradley and Terry's."""
    games = [game for game in GAMES if game[2] != 0.5]
    expected = rate(games, prior=0)
    found = rate_orders([((first, second), (points, 1 - points)) for first, second, points in games], prior=0)
    assert [player.name for player in found.players] == [player.name for player in expected.players]
    for one, other in zip(found.players, expected.players, strict=True):
        assert (one.elo, one.low, one.high) == pytest.approx((other.elo, other.low, other.high), abs=0.01)
        assert (one.games, one.points) == (other.games, other.points)
    assert 2 * found.seats[0][0] == pytest.approx(expected.advantage[0], abs=0.01)


def test_worths_are_found_again():
    """Ratings and seats from 3,000 games of three out of four players."""
    rng, worth, seat = np.random.default_rng(4), np.array([0.9, 0.2, -0.4, -0.7]), np.array([0.3, 0.0, -0.3])
    games = []
    for _ in range(3000):
        who = rng.permutation(4)[:3]
        times = rng.exponential(np.exp(-worth[who] - seat))  # the order of arrival is Plackett and Luce's
        games.append(([f"{each}" for each in who], tuple(-times)))
    found = rate_orders(games, prior=0)
    elo = 400 / math.log(10)
    for player in found.players:
        assert player.low - 10 < elo * worth[int(player.name)] < player.high + 10
        assert player.high - player.low < 40
    assert [each[0] / elo for each in found.seats] == pytest.approx(seat, abs=0.07)
