"""Tables of bearing off in Backgammon, by GNU Backgammon's databases and by plain programs with fractions."""

from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from shared.benchmark_setup import QUICK

from benchmarks import bearoff
from benchmarks.bearoff import against, alone, number, one_sided, positions, some, two_sided, value
from benchmarks.common import Disagreement
from outplay.rules.indexing import composition_count
from outplay.tables import verify

pytestmark = pytest.mark.compiled

THROWS = {
    (0, 0, 0, 0, 0, 1): 1.250004,
    (1, 0, 0, 0, 1, 0): 1.361105,
    (3, 0, 0, 0, 0, 0): 1.833326,
    (0, 1, 1, 0, 0, 1): 2.080415,
    (0, 0, 0, 0, 0, 3): 2.913313,
    (1, 1, 1, 1, 1, 1): 3.463645,
    (0, 0, 0, 0, 0, 5): 4.518181,
    (2, 2, 2, 0, 0, 0): 2.805264,
}
"""The mean numbers of throws in the database that GNU Backgammon 1.07.001 makes (`makebearoff -o 6`), which has their
probabilities in units of 1 / 65535."""

POINTS = {
    ((0, 0, 0, 0, 0, 1), (2, 0, 0, 0, 0, 0)): 0.499992,
    ((1, 0, 0, 0, 1, 0), (0, 0, 0, 0, 0, 1)): 0.458335,
    ((0, 0, 0, 0, 0, 3), (0, 0, 0, 0, 0, 3)): 0.425559,
    ((0, 1, 1, 0, 0, 1), (0, 0, 2, 0, 1, 0)): 0.546441,
    ((1, 1, 1, 0, 0, 0), (3, 0, 0, 0, 0, 0)): 0.712947,
    ((0, 0, 0, 0, 2, 0), (0, 0, 0, 1, 0, 0)): -0.583062,
    ((3, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 2)): 0.814786,
}
"""The values without a cube in its database for both sides (`makebearoff -t 6x3`), in units of 1 / 32767.5."""


# -- plain programs ---------------------------------------------------------------------------------------------------


def moved(men, die):
    """All positions after a die is played."""
    farthest = max(point for point in range(6) if men[point])
    for point in range(min(die - 1, farthest), farthest + 1):
        if men[point]:
            left = list(men)
            left[point] -= 1
            if point >= die:
                left[point - die] += 1
            yield tuple(left)


@cache
def after(men, dice):
    """All positions after these dice are played in this order."""
    if not dice or not any(men):
        return {men}
    return {last for left in moved(men, dice[0]) for last in after(left, dice[1:])}


def throws(men):
    """For each of 36 throws, all positions to which it leads."""
    for one, other in product(range(1, 7), repeat=2):
        yield after(men, (one,) * 4) if one == other else after(men, (one, other)) | after(men, (other, one))


@cache
def mean(men):
    """The mean number of throws that a player alone needs."""
    return Fraction(1) + sum(min(map(mean, ends)) for ends in throws(men)) / 36 if any(men) else Fraction(0)


@cache
def points(mine, theirs):
    """The value for the player who is to throw."""
    if not any(theirs):
        return Fraction(-1)
    return sum(max(-points(theirs, end) for end in ends) for ends in throws(mine)) / Fraction(36)


def test_positions_have_numbers():
    found = sorted(positions(4), key=number)
    assert [number(position) for position in found] == list(range(composition_count(4, 7)))
    assert number((0, 0, 0, 0, 0, 15)) == composition_count(15, 7) - 1 == 54_263


def test_plain_programs_find_what_gnu_backgammon_does():
    """Its numbers are rounded at each step, so that errors add up."""
    for men, wanted in THROWS.items():
        if sum(men) <= 3:
            assert abs(mean(men) - Fraction(wanted)) < 5e-5
    assert (mean((0, 0, 0, 0, 0, 1)), mean((1, 0, 0, 0, 1, 0))) == (Fraction(45, 36), Fraction(49, 36))
    for pair in [((0, 0, 0, 0, 0, 1), (2, 0, 0, 0, 0, 0)), ((1, 0, 0, 0, 1, 0), (0, 0, 0, 0, 0, 1))]:
        assert abs(points(*pair) - Fraction(POINTS[pair])) < 3e-5


@pytest.mark.nightly
def test_one_side():
    table = one_sided(6)
    assert verify(table).fault == ""
    for men, wanted in THROWS.items():
        assert abs(-value(table, alone(men)) - wanted) < 1e-4
    for men in some(3):
        assert abs(Fraction(-value(table, alone(men))) - mean(men)) <= Fraction(table.error)
    assert table.error < 1e-12


@pytest.mark.nightly
def test_two_sides():
    table = two_sided(3)
    assert verify(table).fault == ""
    for pair, wanted in POINTS.items():
        assert abs(value(table, against(*pair)) - wanted) < 1e-4
    for pair in product(some(2), repeat=2):
        assert abs(Fraction(value(table, against(*pair))) - points(*pair)) <= Fraction(table.error)
    assert table.error < 1e-12


@pytest.mark.nightly
@pytest.mark.skipif(bearoff.COMMAND is None, reason="GNU Backgammon is not installed")
def test_all_of_its_databases(monkeypatch):
    one, two = bearoff.rows(QUICK)
    assert one.agree.startswith(f"{composition_count(3, 7) - 1} values")
    assert two.agree.startswith(f"{(composition_count(2, 7) - 1) ** 2} values")
    monkeypatch.setattr(bearoff, "TOLERANCE", 1e-6)
    with pytest.raises(Disagreement, match="rounding"):
        next(bearoff.rows(QUICK))
