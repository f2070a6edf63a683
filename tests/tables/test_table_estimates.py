"""The size of a table before it is made: a bound that is never too high, a guess, and what does not fit."""

import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.solve_methods import EightPuzzle
from outplay import Game, Tablebase
from outplay.cli.commands import app
from outplay.cli.table_size import LateEstimate
from outplay.games import Breakthrough, Chess, ConnectFour, Kalah, KuhnPoker
from outplay.rules.errors import OutplayError, RulesError, UnsuitableGame
from outplay.tables import check_fits, estimate
from outplay.tables.estimation import least_number, likely_number, mean_of
from tables.test_published_tables import Chopsticks, plain

pytestmark = pytest.mark.compiled

GAME = ConnectFour(width=4, height=4)
STATES = 80_541
FOREVER = 1e9


@pytest.fixture(scope="module")
def sampled():
    """An estimate from a tenth of the states."""
    return estimate(GAME, walked=2_000, played=40_000, seconds=FOREVER, check=False)


def counts(probabilities, samples, generator):
    """How many samples, kinds, single and double kinds one draws from kinds with these probabilities."""
    times = generator.multinomial(samples, probabilities)
    return samples, int((times > 0).sum()), int((times == 1).sum()), int((times == 2).sum())


@pytest.mark.parametrize("skew", [0, 1, 3])
def test_the_bound_is_never_too_high_whatever_the_probabilities(skew):
    generator = np.random.default_rng(skew)
    for kinds in (1, 3, 50, 2_000, 30_000):
        probabilities = np.exp(skew * generator.standard_normal(kinds))
        probabilities /= probabilities.sum()
        for samples in (1, 10, 200, 5_000):
            assert 1 <= least_number(*counts(probabilities, samples, generator)) <= kinds


def test_the_bound_is_useful():
    generator = np.random.default_rng(0)
    even = np.full(100_000, 1e-5)
    assert least_number(*counts(even, 50_000, generator)) > 70_000
    assert least_number(*counts(even, 5_000, generator)) > 30_000  # of 5,000 samples, 4,880 are different
    assert least_number(*counts(even, 10_000_000, generator)) == 100_000


def test_without_repetitions_the_bound_grows_with_the_square_of_the_samples():
    one, ten = least_number(1_000, 1_000, 1_000, 0), least_number(10_000, 10_000, 10_000, 0)
    assert 100 < ten / one < 150  # a bound with few repetitions loses a little


@pytest.mark.parametrize("seen", [0, 1, 20, 10_000])
def test_means_that_are_possible(seen):
    """At the ends of the interval, Chernoff's bound is as likely as asked for."""
    least, most = mean_of(seen, 7.0)
    assert least <= seen < most
    assert most - seen + seen * math.log(max(seen, 1) / most) == pytest.approx(7.0)
    if seen:
        assert least - seen + seen * math.log(seen / least) == pytest.approx(7.0)


@pytest.mark.parametrize("deviation", [0.3, 1.0, 1.8])
def test_the_guess_is_right_where_probabilities_are_log_normal(deviation):
    generator = np.random.default_rng(7)
    probabilities = np.exp(deviation * generator.standard_normal(200_000))
    found = counts(probabilities / probabilities.sum(), 60_000, generator)
    assert 150_000 < likely_number(*found) < 270_000
    assert least_number(*found) < 200_000


def test_all_states_of_a_small_game_are_counted():
    found = estimate(GAME, seconds=FOREVER, check=False)
    assert found.complete
    assert (found.least, found.guess, found.found, sum(found.layers)) == (STATES,) * 4
    assert found.layers[:3] == (1, 2, 8)
    assert found.longest == 16
    assert (found.bits, str(found)) == (38, "80,541 states")
    assert found.megabytes == found.least_megabytes


@pytest.mark.nightly
def test_a_larger_game_is_sampled(sampled):
    assert not sampled.complete
    assert 2_000 <= sampled.found < 2_100
    assert 0.3 * STATES < sampled.least <= STATES
    assert sampled.guess is not None
    assert 0.6 * STATES < sampled.guess < 1.4 * STATES
    assert sampled.layers == estimate(GAME, seconds=FOREVER, check=False).layers[: len(sampled.layers)]
    assert sampled.longest == 16
    assert 2 < sampled.branching < 4
    assert "at least" in str(sampled)


def test_the_same_seed_gives_the_same_answer(sampled):
    same = {"walked": 2_000, "played": 40_000, "seconds": FOREVER, "check": False}
    assert estimate(GAME, **same) == sampled
    other = estimate(GAME, seed=1, **same)
    assert other != sampled
    assert other.layers == sampled.layers


@pytest.mark.nightly
def test_where_it_starts():
    game = GAME
    states = [game.initial_state()]
    for column in (0, 1, 1, 2, 2, 3):
        states.append(game.result(states[-1], column))
    later = estimate(game, [states[-1]], seconds=FOREVER, check=False)
    assert later.least == len(Tablebase.make(game, [states[-1]], check=False)) < STATES
    both = estimate(game, states[-2:], seconds=FOREVER, check=False)
    assert (both.starts, both.layers[0]) == (2, 2)
    assert both.least == len(Tablebase.make(game, states[-2:], check=False))


def test_what_fits_is_never_refused(sampled):
    check_fits(sampled, sampled.least_megabytes)
    check_fits(sampled, 0.1, sampled.least_megabytes)
    needed = estimate(GAME, walked=2_000, played=40_000, seconds=FOREVER, check=False, bytes_per_state=100)
    assert needed.least_megabytes > 100 * needed.least / 1e6
    assert needed.least_megabytes < STATES * 104 / 1e6


def test_what_does_not_fit_is_refused_with_numbers(sampled):
    with pytest.raises(OutplayError) as error:
        check_fits(sampled, 0.5, 0.25)
    for part in (repr(GAME), f"at least {sampled.least:,} states", "memory", "disk", "memory_mb", "smaller board"):
        assert part in str(error.value)


class Interpreted(ConnectFour):
    compiled = False


def test_games_without_a_table_are_refused():
    with pytest.raises(UnsuitableGame, match="part of the state"):
        estimate(KuhnPoker())
    with pytest.raises(RulesError, match="interpreted"):
        estimate(Interpreted(), check=False)


def test_on_the_command_line():
    shown = CliRunner().invoke(app, ["table", "estimate", "connect-four(width=4, height=4)", "--moves", "1122"])
    assert shown.exit_code == 0, shown.output
    assert "states" in shown.output
    assert "memory to make the table" in shown.output
    found = json.loads(
        CliRunner().invoke(app, ["table", "estimate", "connect-four(width=4, height=4)", "--json"]).output
    )
    assert (found["least"], found["complete"]) == (STATES, True)


def test_a_table_that_is_being_made_is_estimated_only_if_it_is_large(tmp_path):
    def late(memory_mb, *, wanted=True):
        return LateEstimate(GAME, GAME.initial_state(), memory_mb, 1, tmp_path / "a", wanted=wanted)

    assert late(100).after(0.5, 10**9) is late(100).after(99, 1000) is late(100, wanted=False).after(99, 10**9) is None
    assert late(100).after(99, 10**9).least == STATES
    small = late(1)
    with pytest.raises(OutplayError, match="too many for a table in 1 megabytes of memory and 1 of disk"):
        small.after(99, 10**9)
    assert small.is_refused


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("game", "states"),
    [
        (plain(ConnectFour(width=4, height=4)), 161_029),  # John Tromp, tromp.github.io/c4/c4.html
        (EightPuzzle(), 181_440),
    ],
    ids=repr,
)
def test_published_numbers_of_games_that_are_walked(game, states):
    assert estimate(game, seconds=FOREVER).least == states


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("game", "states", "least", "guess"),
    [  # the numbers of Connect Four are John Tromp's, the others those of the tables
        (plain(ConnectFour(width=4, height=5)), 1_706_255, 0.6, 0.3),
        (plain(ConnectFour(width=5, height=4)), 3_945_711, 0.6, 0.3),
        (plain(ConnectFour(width=5, height=5)), 69_763_700, 0.3, 0.4),
        (Breakthrough(5, 4), 1_787_385, 0.4, 0.4),
        (Kalah(pits=4, seeds=3), 4_646_746, 0.2, 0.6),
    ],
    ids=repr,
)
def test_published_numbers_of_games_that_are_sampled(game, states, least, guess):
    found = estimate(game, seconds=FOREVER)
    assert not found.complete
    assert least * states < found.least <= states
    assert abs(found.guess / states - 1) < guess


@pytest.mark.nightly
def test_chopsticks_goes_in_circles():
    game = Chopsticks()
    assert estimate(game).least == len(Tablebase.make(game, check=False))


@pytest.mark.nightly
@pytest.mark.parametrize("game", [Chess(), ConnectFour()], ids=repr)
def test_of_a_large_game_there_is_only_a_bound(game: Game):
    found = estimate(game, seconds=FOREVER)
    assert found.least > 1_000_000
    assert found.guess is None
    assert "far more" in str(found)
    with pytest.raises(OutplayError, match="at least"):
        check_fits(found, 10)
