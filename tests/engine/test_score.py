import math

from hypothesis import given
from hypothesis import strategies as st

from outplay.engine.score import INFINITE, decode, distance, encode, later, sooner

sizes = st.floats(min_value=1e-250, max_value=1e250)
utilities = st.just(0.0) | sizes | sizes.map(lambda size: -size)
plies = st.integers(0, 4000)


def at(utility, distance):
    score = encode(utility)
    for _ in range(distance):
        score = later(score)
    return score


@given(utilities)
def test_a_score_gives_its_utility_back_to_12_digits(utility):
    assert decode(encode(utility)) == utility or math.isclose(decode(encode(utility)), utility, rel_tol=1e-12)


@given(st.integers(-(2**39), 2**39), st.integers(0, 20), plies)
def test_short_fractions_are_exact_at_any_distance(numerator, shift, away):
    utility = numerator / 2**shift
    assert decode(at(utility, away)) == utility
    if utility:
        assert distance(at(utility, away)) == away


@given(utilities, utilities, plies, plies)
def test_scores_are_ordered_by_utility_and_then_by_distance(a, b, i, j):
    if abs(a - b) > 1e-11 * max(abs(a), abs(b)):
        assert (at(a, i) > at(b, j)) == (a > b)
    elif a == b and a:
        assert (at(a, i) > at(b, j)) == (i < j if a > 0 else i > j)


@given(utilities, plies)
def test_a_score_serves_both_players(utility, away):
    assert at(-utility, away) == -at(utility, away)


@given(st.integers(-INFINITE, INFINITE), utilities, plies)
def test_sooner_is_the_bound_that_later_turns_into_the_window(bound, utility, away):
    score = at(utility, away)
    assert (later(score) >= bound) == (score >= sooner(bound)) or bound == 0
    assert (later(score) > bound) == (score > sooner(bound))


def test_infinite_is_beyond_every_score():
    assert -INFINITE < encode(-math.inf) < encode(-1e308) < 0 < encode(1e308) < encode(math.inf) < INFINITE
