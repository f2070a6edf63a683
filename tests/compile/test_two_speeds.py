"""Compiled rules mean what Python means: equal, refused with a remedy, or an error that names rule and line."""

import itertools
import math
import warnings

import numpy as np
import pytest
from shared import rows

from outplay import AlphaBeta, Backtracking, Game, Limit, Problem, RulesError, check_game, kernel, legal_actions
from outplay.compile.native import RunsInterpretedWarning
from outplay.rules.base import checked
from outplay.rules.bits import count
from outplay.rules.game import candidate_actions, noisy_actions

pytestmark = pytest.mark.compiled

TWO_63 = 2**63


@kernel
def ask(game, a, b):
    """The rule, as a search calls it."""
    return game.rule(a, b)


@kernel
def ask_cells(game, a, b):
    """The same with an array."""
    return game.rule(a, b)


def game_of(function, is_checked=False, state=0):
    """A game with `function` as a rule of its own."""

    class Small(Game):
        compiled = True

        def initial_state(self):
            return state

        def to_move(self, state):
            return 0

        def actions(self, state):
            return range(1)

        def result(self, state, action):
            return state

        def is_terminal(self, state):
            return True

        def utility(self, state, player):
            return 0.0

        rule = staticmethod(function)

    game = Small()
    return checked(game) if is_checked else game


def speeds(function, *args):
    """What Python answers, compiled code, and checked code; an exception is an answer too."""

    def run(call):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                return call(*args)
        except Exception as error:
            return error

    return [
        run(function),
        *(run(lambda a, b, game=game_of(function, is_checked): ask(game, a, b)) for is_checked in (False, True)),  # noqa: B008
    ]


EQUAL = {
    "left shift beyond 64 bits": (lambda a, b: a << b, 0, 70),
    "right shift beyond 64 bits": (lambda a, b: a >> b, -5, 70),
    "right shift by 64": (lambda a, b: a >> b, 5, 64),
    "left shift by 62": (lambda a, b: a << b, 1, 62),
    "comparison with a large constant": (lambda a, b: a < TWO_63, -1, 0),
    "comparison with a negative int": (lambda a, b: a < TWO_63, -1, 0),
    "int and float above 2**53": (lambda a, b: a == b, 2**53 + 1, 2.0**53),
    "int and float, less": (lambda a, b: a < b, 2**63 - 1, 2.0**63),
    "int and float, not less": (lambda a, b: a > b, 2**53 + 1, 2.0**53),
    "int and nan": (lambda a, b: a != b, 5, math.nan),
    "int and infinity": (lambda a, b: a < b, 5, math.inf),
    "power": (lambda a, b: a**b, -3, 5),
    "power of floats": (lambda a, b: a**b, 2.0, -0.5),
    "quotient of negatives": (lambda a, b: a // b, -7, 2),
    "rest of negatives": (lambda a, b: a % b, -7, 3),
    "quotient of floats": (lambda a, b: a // b, -7.5, 2.0),
    "rest of floats": (lambda a, b: a % b, -7.5, 2.0),
    "divmod": (lambda a, b: divmod(a, b)[0] * 10 + divmod(a, b)[1], -7, 3),
    "difference of bools": (lambda a, b: (a > 0) - (b > 0), -1, 5),
    "product that a mask cuts off": (lambda a, b: (a * b) & 0xFFFF_FFFF, 2**62 + 5, 19),
    "shift that a mask cuts off": (lambda a, b: a & ~(a << b), 2**62 + 1, 5),
    "large int beside uint64": (lambda a, b: int((np.uint64(a) ^ 0x9E37_79B9_7F4A_7C15) >> np.uint64(b)), 3, 2),
    "shift that is counted": (lambda a, b: count(a << b), 2**62 + 1, 5),
    "hash": (lambda a, b: ((a * 31 + b) * 31 + a) & 0x7FFF_FFFF_FFFF_FFFF, 2**62 + 1, 2**61),
    "round to even": (lambda a, b: round(a) * 10 + round(b), 2.5, 3.5),
    "floor": (lambda a, b: math.floor(a) - math.ceil(b), -2.5, 2.5),
    "loop variable after its loop": (lambda a, b: list(range(a))[-1] + b, 3, 1),
    "chained comparison": (lambda a, b: 0 < a < b, 3, 5),
    "tuples in order": (lambda a, b: (a, b) < (b, a), 3, 5),
    "negative index": (lambda a, b: (a, b, 7)[b], 3, -3),
    "range with a negative step": (lambda a, b: len(range(a, b, -3)), 10, 0),
}


def a_pair(a):
    return (a, 1) if a > 2 else None


def a_list(a):
    return [1] * (a - 3) if a > 2 else None  # empty, and so false, for 3


def a_word(a):
    return "x" * (a - 3) if a > 2 else None


def a_flag(a):
    return a > 3 if a > 2 else None


def a_number(a):
    return a if a > 2 else None


def shifted(a, b):
    number = a_number(a)
    return -1 if number is None else number << b >> b - 1  # with Python's meaning of a shift


OPTIONAL = {
    "truth of a tuple": lambda a, b: 1 if a_pair(a) else 0,
    "truth of a list": lambda a, b: 1 if a_list(a) else 0,
    "truth of a word": lambda a, b: bool(a_word(a)),
    "truth of a flag": lambda a, b: 1 if a_flag(a) else 0,
    "not": lambda a, b: (not a_pair(a), not a_list(a), not a_word(a), not a_flag(a)) == (True, True, True, True),
    "not of a list": lambda a, b: not [a] * (b - 3),
    "or": lambda a, b: (a_pair(a) or (b, b)) == (b, 1),
    "and": lambda a, b: 1 if a_list(a) and b > 2 else 0,
    "while": lambda a, b: len([a_word(a + i) for i in range(4) if a_word(a + i)]),
    "equal to a tuple": lambda a, b: a_pair(a) == (3, 1),
    "not equal to a tuple": lambda a, b: a_pair(a) != (3, 1),
    "equal to a number": lambda a, b: a_number(a) == b,
    "int and float": lambda a, b: a_number(a) == b + 0.5,
    "equal to a flag": lambda a, b: a_flag(a) == (b > 3),
    "both may be None": lambda a, b: a_pair(a) == a_pair(b),
    "neither is equal": lambda a, b: a_number(a) != a_number(b),
    "equal to None": lambda a, b: a_pair(a) == None,  # noqa: E711
    "in of what may be None": lambda a, b: a_pair(a) in ((3, 1), (4, 1)),
    "in a list that may be None": lambda a, b: a_list(a) is not None and b in a_list(a),
    "in a list with None": lambda a, b: a_number(b) in [a_number(a), a_number(a + 1), 3],
    "None in a list": lambda a, b: None in [a_number(a), a_number(b)],
    "None in a tuple": lambda a, b: (None in (1, 2)) + 2 * (None in (a_pair(a), b)) + 4 * (None in (None, 2)),
    "count of None": lambda a, b: [a_number(a), a_number(b), None].count(None),
    "in a set of what may be None": lambda a, b: a_number(a) in {1, 3, b},
    "in a dict of what may be None": lambda a, b: (a_number(a) in {1: 2, 4: b}) + 2 * (a_number(b) in {1: 2, a: b}),
    "None in tuples that are compared": lambda a, b: (a_pair(a), b) == (a_pair(b), a),
    "None in tuples that are ordered": lambda a, b: (a_number(a), b) < (a_number(a), 3),
    "None in tuples of a list": lambda a, b: (a_number(a), b) in [(3, 1), (4, b), (a_number(b), a)],
    "lists": lambda a, b: a_list(a) == a_list(b),
    "shift": shifted,
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("function", rows(OPTIONAL))
def test_what_may_be_none_is_false_or_equal_as_in_python(function):
    games = game_of(function), game_of(function, is_checked=True)
    for a, b in itertools.product((1, 3, 4), (2, 3, 4)):
        assert [ask(game, a, b) for game in games] == 2 * [function(a, b)], (a, b)


@pytest.mark.sample(14)
@pytest.mark.parametrize(("function", "a", "b"), rows(EQUAL))
def test_values_are_equal(function, a, b):
    plain, fast, safe = speeds(function, a, b)
    assert fast == safe == plain
    assert isinstance(fast, type(plain))


RAISES = {
    "square root of a negative int": (lambda a, b: math.sqrt(a), -7, 0, "math.sqrt"),
    "square root of a negative float": (lambda a, b: math.sqrt(a), -7.0, 0, "math.sqrt"),
    "logarithm of zero": (lambda a, b: math.log(a), 0, 0, "math.log"),
    "arc cosine": (lambda a, b: math.acos(a), 2.0, 0, "math.acos"),
    "exponential": (lambda a, b: math.exp(a), 1000.0, 0, "math.exp"),
    "math.pow": (lambda a, b: 1 + math.pow(a, b), -8.0, 0.5, "math.pow, is not a float"),
    "division by zero": (lambda a, b: a / b, 1, 0, "division by zero"),
    "quotient by zero": (lambda a, b: a // b, 1, 0, "division by zero"),
    "rest by zero": (lambda a, b: a % b, 1.5, 0.0, "division by zero"),
    "divmod by zero": (lambda a, b: divmod(a, b)[0], 1, 0, "division by zero"),
    "power of a negative float": (lambda a, b: a**b, -8.0, 0.5, "is not a float"),
    "power that is too large": (lambda a, b: a**b, 10.0, 400.0, "is not a float"),
    "zero to a negative power": (lambda a, b: a**b, 0.0, -1.0, "is not a float"),
    "int of nan": (lambda a, b: int(a), math.nan, 0, "is not an int of 64 bits"),
    "int of infinity": (lambda a, b: int(a), math.inf, 0, "is not an int of 64 bits"),
    "round of nan": (lambda a, b: round(a), math.nan, 0, "is not an int of 64 bits"),
    "floor of infinity": (lambda a, b: math.floor(a), math.inf, 0, "is not an int of 64 bits"),
    "tuple index": (lambda a, b: (a, b, 7)[b], 1, 3, "outside the tuple"),
}


@pytest.mark.sample(6)
@pytest.mark.parametrize(("function", "a", "b", "words"), rows(RAISES))
def test_what_raises_in_python_raises_in_every_search(function, a, b, words):
    plain, *natives = speeds(function, a, b)
    assert isinstance(plain, Exception | complex)
    line = function.__code__.co_firstlineno
    for native in natives:
        assert isinstance(native, RulesError)
        assert words in str(native)
        assert "test_two_speeds.py" in str(native)
    assert f"line {line} of test_two_speeds.py" in str(natives[1])


def test_a_negative_power_of_an_int_is_a_float_to_python():
    plain, *natives = speeds(lambda a, b: 2**b, 0, -2)
    assert plain == 0.25
    assert all("float(a) ** b" in str(native) for native in natives)


def unassigned(a, b):
    if a > 3:
        found = b
    return found


def unassigned_in_loop(a, b):
    for i in range(a):
        last = i + b
    return last


@pytest.mark.parametrize("function", [unassigned, unassigned_in_loop])
def test_an_unassigned_local_raises(function):
    plain, fast, safe = speeds(function, 5, 7)
    assert fast == safe == plain
    plain, *natives = speeds(function, 0, 7)
    assert isinstance(plain, UnboundLocalError)
    assert all(isinstance(native, RulesError) and "read before it is assigned" in str(native) for native in natives)


ONLY_CHECKED = {
    "sum": (lambda a, b: a + b, 2**62, 2**62, "+"),
    "difference": (lambda a, b: a - b, -(2**63), 1, "-"),
    "product": (lambda a, b: a * b, 2**40, 2**40, "*"),
    "product that shrinks again": (lambda a, b: a * b % 1000, 2**40, 2**40, "*"),
    "left shift": (lambda a, b: a << b, 1, 63, "<<"),
    "mask that is negative": (lambda a, b: (a << b) & ~3, 2**62, 5, "&"),
    "power": (lambda a, b: a**b, 3, 41, "**"),
    "square": (lambda a, b: a**2, 2**32, 0, "**"),
    "negation": (lambda a, b: -a, -(2**63), 0, "-"),
    "absolute value": (lambda a, b: abs(a), -(2**63), 0, "abs"),
    "quotient": (lambda a, b: a // b, -(2**63), -1, "//"),
}


@pytest.mark.parametrize(("function", "a", "b", "symbol"), rows(ONLY_CHECKED))
def test_checked_rules_find_ints_that_outgrow_64_bits(function, a, b, symbol):
    safe = speeds(function, a, b)[2]
    assert isinstance(safe, RulesError)
    assert f"the result of {symbol} does not fit 64 bits" in str(safe)


@pytest.mark.parametrize("function", [lambda a, b: a << b, lambda a, b: a >> b])
def test_checked_rules_find_negative_shifts(function):
    plain, _, safe = speeds(function, 1, -1)
    assert isinstance(plain, ValueError)
    assert isinstance(safe, RulesError)
    assert "negative shift count" in str(safe)


def test_checked_rules_find_quotients_that_are_not_exact():
    assert "not exact" in str(speeds(lambda a, b: a / b, 2**62 + 1, 3)[2])


def cells_of(function, cells, is_checked=False):
    """What compiled code answers about an array."""
    return ask_cells(game_of(function, is_checked), np.array(cells[1], cells[0]), 2)


CELLS = {
    "difference of uint8": (lambda u, b: u[0] - u[1], "uint8", [0, 200], 56),
    "difference of int8": (lambda u, b: u[0] - u[1], "int8", [-100, 100], 56),
    "difference of uint16": (lambda u, b: u[0] - u[1], "uint16", [0, 1], 65535),
    "difference of uint32": (lambda u, b: u[0] - u[1], "uint32", [0, 1], 2**32 - 1),
    "difference of uint64": (lambda u, b: u[0] - u[1], "uint64", [0, 1], 2**64 - 1),
    "product with a constant": (lambda u, b: u[0] * 2, "uint8", [200], 144),
    "negation": (lambda u, b: -u[0], "uint8", [1], 255),
    "inversion": (lambda u, b: ~u[0], "uint8", [1], 254),
    "absolute value": (lambda u, b: abs(u[0]), "int8", [-128], -128),
    "shift": (lambda u, b: u[0] << 4, "uint8", [0x1F], 0xF0),
    "shift of a constant": (lambda u, b: 1 << u[0], "uint8", [8], 0),
    "power": (lambda u, b: u[0] ** 2, "uint8", [20], 144),
    "quotient": (lambda u, b: u[0] // u[1], "int8", [-7, 2], -4),
    "true quotient": (lambda u, b: u[0] / u[1], "uint8", [7, 2], 3.5),
    "constant beside uint64": (lambda u, b: u[0] + 1, "uint64", [2**63], 2**63 + 1),
    "sum": (lambda u, b: sum(u), "uint8", [200, 100], 44),
    "widened": (lambda u, b: int(u[0]) - int(u[1]), "uint8", [0, 200], -200),
    "widened from 64 bits": (lambda u, b: int(u[0]) - int(u[1]), "uint64", [0, 200], -200),
    "widened sum": (lambda u, b: int(u.sum()) - 600, "uint8", [200, 200], -200),
    "whole array": (lambda u, b: (u * 2)[0], "uint8", [200], 144),
    "two arrays": (lambda u, b: ((u - u[1]) // 2)[0], "uint8", [0, 200], 28),
    "comparison": (lambda u, b: u[0] < u[1] - 5, "uint64", [3, 9], True),
    "difference of bools": (lambda u, b: u[0] == u[1], "int8", [3, 3], True),
}


@pytest.mark.sample(9)
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning", "ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize(("function", "kind", "cells", "expected"), rows(CELLS))
def test_cells_of_few_bits_wrap_as_numpys_do(function, kind, cells, expected):
    assert function(np.array(cells, kind), 2) == expected  # NumPy
    assert cells_of(function, (kind, cells)) == expected
    assert cells_of(function, (kind, cells), is_checked=True) == expected


def test_an_int_of_a_cell_from_2_to_the_63_on_is_an_error():
    for is_checked in (False, True):
        with pytest.raises(RulesError, match=r"int\(\) of a numpy.uint64 of 2\*\*63 or more"):
            cells_of(lambda u, b: int(u[0]) // 2, ("uint64", [2**63]), is_checked)


def test_checked_rules_find_a_cell_that_outgrows_its_bits_beside_an_int():
    def grow(u, b):
        return u[0] * b

    with pytest.raises(RulesError, match=r"does not fit uint8; .*write int\(cell\)"):
        cells_of(grow, ("uint8", [200]), is_checked=True)
    assert cells_of(grow, ("uint8", [100]), is_checked=True) == 200


def best_of(u, b):
    best = -1
    for cell in u:
        best = max(best, cell)
    return best * b


def one_of(u, b):
    chosen = u[0] if b > 1 else 300
    return chosen * 2


def collected(u, b):
    found = [b]
    found.append(u[0])
    return found[-1] + 100


def grown(u, b):
    return (u[0] + b) * 30 // 30


def either(k, m):
    return k if k > m else m


NARROW = {
    "the greatest of several": (best_of, [90]),
    "one of two": (one_of, [90]),
    "an element of a list": (collected, [90]),
    "a result on the way": (grown, [90]),
    "the result of a function": (lambda u, b: either(u[0], b) * 2, [90]),
    "an element of a sorted list": (lambda u, b: sorted([u[0], b])[1] * 2, [90]),
    "a negated cell": (lambda u, b: -max(u[0], b - 200), [-128]),
    "an absolute value": (lambda u, b: abs(max(u[0], b - 200)), [-128]),
    "a sum": (lambda u, b: sum([u[0], b, b + 10]), [120]),
    "a shift": (lambda u, b: min(u[0], b + 200) << 1, [90]),
    "a quotient with rest": (lambda u, b: divmod(max(u[0], b - 200), b - 3)[0], [-128]),
    "beside a float": (lambda u, b: (u[0] if b > 1 else 0.5) * 2, [90]),
}
"""Functions of an int8 array and 2, and cells for which a result does not fit 8 bits."""


@pytest.mark.sample(5)
@pytest.mark.parametrize(("function", "cells"), rows(NARROW))
def test_checked_rules_find_what_may_be_a_cell_that_outgrows_its_bits(function, cells):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        wrapped = function(np.array(cells, "int8"), 2)
    assert wrapped != cells_of(function, ("int8", cells))  # why this must not pass
    with pytest.raises(RulesError, match=r"write int\(cell\)|the sum does not fit"):
        cells_of(function, ("int8", cells), is_checked=True)


@pytest.mark.sample(3)
@pytest.mark.parametrize(("function", "_"), rows(NARROW))
def test_checked_rules_pass_what_fits_the_bits_of_a_cell(function, _):
    assert cells_of(function, ("int8", [1]), is_checked=True) == function(np.array([1], "int8"), 2)


def test_an_int_that_is_no_cell_may_outgrow_the_bits_of_one():
    assert cells_of(lambda u, b: (u[0] if b > 2 else 300) * b, ("int8", [1]), is_checked=True) == 600
    assert cells_of(lambda u, b: int(max(u[0], b)) * 2, ("int8", [90]), is_checked=True) == 180


def doubled(k):
    return k * 2


def test_what_may_be_a_cell_is_not_handed_on_in_checked_rules():
    """The function that gets it would take it for an int."""
    with pytest.raises(RulesError, match=r"an int8 cell or an int is passed on: write int\(cell\)"):
        cells_of(lambda u, b: doubled(max(u[0], b)), ("int8", [90]), is_checked=True)
    assert cells_of(lambda u, b: doubled(u[0]), ("int8", [90])) == -76  # a cell goes on as one


class Captures(Game):
    """A state of a row of cells and of what was captured, which an int8 cell is added to."""

    def initial_state(self):
        return (np.array([60, 60, 60], np.int8), 0)

    def to_move(self, state):
        return 0

    def actions(self, state):
        return range(3)

    def result(self, state, action):
        cells = state[0].copy()
        cells[action] = 0
        return (cells, state[1] + state[0][action])

    def is_terminal(self, state):
        return state[1] > 100

    def utility(self, state, player):
        return 1.0 if player == 0 else -1.0


class Added(Captures):
    def result(self, state, action):
        cells = state[0].copy()
        cells[action] = 0
        return (cells, state[1] + int(state[0][action]))


@pytest.mark.nightly
def test_checked_rules_refuse_a_state_that_keeps_a_cell():
    """Interpreted, two captures of 60 wrap in 8 bits: no cell may go on as an int unnoticed."""
    assert AlphaBeta(checked(Added())).search().depth
    with pytest.warns(RunsInterpretedWarning, match=r"a field of the state .* is or may be an int8 cell\n  write int"):
        AlphaBeta(checked(Captures()), check=False).search(limit=Limit(depth=1))


@pytest.mark.parametrize(("number", "remedy"), [(np.int8(5), "int"), (np.float32(0.5), "float")])
def test_a_small_number_of_numpys_is_no_field_of_a_state(number, remedy):
    with pytest.raises(RulesError, match=rf"a numpy.{type(number).__name__}, .* use {remedy}\(\)"):
        ask(game_of(lambda a, b: a, state=(number, 1)), 1, 2)


def or_a_half(a, b):
    if b > 2:
        return 0.5
    return a


def test_checked_rules_find_ints_that_would_be_rounded_to_a_float():
    for function in (
        lambda a, b: a if b > 1 else 0.5,
        lambda a, b: max(a, 0.5),
        lambda a, b: [a, 0.5][0],
        or_a_half,
    ):
        plain, fast, safe = speeds(function, 2**60 + 1, 2)
        assert plain != fast
        assert "above 2**53" in str(safe)
        plain, fast, safe = speeds(function, 2**53, 2)
        assert plain == fast == safe
    plain, fast, safe = speeds(lambda a, b: max(b, 0.5) * a, 3**34, 3)
    assert plain != fast
    assert "above 2**53" in str(safe)
    assert speeds(lambda a, b: max(-math.inf, a - b) * b, 3, 2) == [2, 2, 2]


def test_checked_rules_find_a_range_that_is_too_long():
    plain, _, safe = speeds(lambda a, b: len(range(a, b)), -(2**62), 2**63 - 1)
    assert isinstance(plain, OverflowError)
    assert "the length of a range does not fit 64 bits" in str(safe)


def test_checked_rules_find_sums_that_outgrow_64_bits():
    assert "the sum does not fit" in str(speeds(lambda a, b: sum([a, b, -1]), 2**62, 2**62)[2])


def test_checked_rules_find_what_a_cell_cannot_hold():
    def store(u, b):
        u[0] = b * 150
        return u[0]

    with pytest.raises(RulesError, match="an int that does not fit uint8 is stored in an array"):
        cells_of(store, ("uint8", [200]), is_checked=True)


@pytest.mark.parametrize(
    "index",
    [lambda u, b: u[b], lambda u, b: u[-b - 1], lambda u, b: u[2], lambda u, b: u.reshape(2, 1)[0, b]],
)
def test_checked_rules_find_indices_outside(index):
    with pytest.raises(RulesError, match="an index is outside the array"):
        cells_of(index, ("int64", [1, 2]), is_checked=True)


REFUSED = {
    "not of a bool": (lambda a, b: ~(a > b), "~ of a bool"),
    "sum of bools": (lambda a, b: (a > 1) + (b > 1), "+ of two bools"),
    "rest by a large constant": (lambda a, b: a % TWO_63, "numpy.uint64"),
    "negative shift": (lambda a, b: a << -1, "negative shift count"),
    "identity of numbers": (lambda a, b: a is b, "is"),
    "single precision": (lambda a, b: np.float32(0.1) * b, "numpy.float32"),
    "an int or an uint64": (lambda a, b: a if a > b else np.uint64(b), "an int and a numpy.uint64 share a variable"),
    "the greater of an int and an uint64": (
        lambda a, b: max(a, np.uint64(b)),
        "an int and a numpy.uint64 share a variable",
    ),
    "a list of ints and uint64": (
        lambda a, b: sorted([a, np.uint64(b)])[0],
        "an int and a numpy.uint64 share a variable",
    ),
    "comparison in single precision": (lambda a, b: np.float32(0.1) == 0.1, "numpy.float32"),
    "uint64 and int": (lambda a, b: np.uint64(5) + a, "numpy.uint64"),
    "negative of a large int": (lambda a, b: -(a if b > 9 else TWO_63) // 2, "an int"),
    "sum of large ints": (lambda a, b: TWO_63 + TWO_63, "an int of 2**63 or more"),
    "large int in a tuple": (lambda a, b: (TWO_63, TWO_63)[b - 2] - TWO_63, "an int of 2**63 or more"),
    "large int negated": (lambda a, b: -TWO_63, "an int of 2**63 or more"),
    "range of an uint64": (lambda a, b: len(range(np.uint64(5), a)), "range of a numpy.uint64"),
}


@pytest.mark.sample(8)
@pytest.mark.parametrize(("function", "words"), rows(REFUSED))
def test_what_could_differ_is_refused(function, words):
    with pytest.raises(RulesError, match=r"does not compile") as caught:
        ask(game_of(function), 3, 2)
    assert words in str(caught.value)


def by_rest(a, b):
    order = sorted([8, 6, 4, 2, 9, 7, 5, 3, 1, 0, 10, 12, 11, 14, 13, 16, 15, 18, 17, 20], key=lambda k: k % 2)
    number = 0
    for item in order:
        number = (number * 31 + item) % 1_000_003
    return number


def by_rest_down(a, b):
    order = [(i % 3, i) for i in range(40)]
    order.sort(key=lambda pair: pair[0], reverse=True)
    number = 0
    for _, item in order:
        number = (number * 31 + item) % 1_000_003
    return number


def by_value(a, b):
    return sorted([a, b, 3, -1], reverse=True)[1] + sorted((5, a, b))[0]


@pytest.mark.sample(1)
@pytest.mark.parametrize("function", [by_rest, by_rest_down, by_value])
def test_sorting_keeps_the_order_of_equals(function):
    plain, fast, safe = speeds(function, 4, 9)
    assert fast == safe == plain


def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


@pytest.mark.parametrize("function", [lambda a, b: deep(a), lambda a, b: is_even(a)])
def test_endless_recursion_is_an_error(function):
    assert ask(game_of(function), 10, 0) in (10, True)
    with pytest.raises(
        RulesError, match=r"(deep|is_even|is_odd) in test_two_speeds.py: the rules call themselves too deeply"
    ):
        ask(game_of(function), 10**9, 0)


class Pile(Game):
    """Take 1 to 3; who takes the last one wins. The last field is a hash."""

    utilities = (-1, 1)

    def __init__(self, factor=10):
        self.factor = factor

    def initial_state(self):
        return (9, 0, 1)

    def to_move(self, state):
        return state[1]

    def actions(self, state):
        return range(1, min(3, state[0]) + 1)

    def result(self, state, taken):
        return (state[0] - taken, 1 - state[1], state[2] * self.factor % 1_000_003)

    def is_terminal(self, state):
        return state[0] == 0

    def utility(self, state, player):
        return -1 if state[1] == player else 1


class CheckedPile(Pile):
    checked = True


@pytest.mark.nightly
def test_a_search_of_a_checked_game_names_rule_and_line():
    assert AlphaBeta(CheckedPile()).search().value == AlphaBeta(Pile()).search().value
    with pytest.raises(RulesError, match=r"Pile.result, line \d+ of test_two_speeds.py: the result of \*"):
        AlphaBeta(CheckedPile(10**15)).search()


@pytest.mark.nightly
def test_the_environment_makes_every_game_checked(monkeypatch):
    AlphaBeta(Pile(10**15)).search()
    monkeypatch.setenv("OUTPLAY_CHECKED", "1")
    with pytest.raises(RulesError, match="does not fit 64 bits"):
        AlphaBeta(Pile(10**15)).search()


def test_check_game_finds_ints_that_outgrow_64_bits():
    assert check_game(Pile(), playouts=20).ok
    report = check_game(Pile(10**15), playouts=20)
    assert "Pile.result, line" in str(report)
    assert "does not fit 64 bits" in str(report)


def test_a_checked_copy_is_the_same_game():
    game = Pile(7)
    assert repr(checked(game)) == repr(game)
    assert checked(checked(game)) is not game
    assert checked(game).checked
    assert not game.checked


class Warned(Pile):
    """Refused by what only types show."""

    def utility(self, state, player):
        return ~(state[1] == player)


def test_refused_rules_run_interpreted_with_a_remedy():
    with pytest.warns(RunsInterpretedWarning, match=r"~ of a bool\n  write `not x`, or ~int\(x\)"):
        AlphaBeta(Warned(), check=False).search()


class Yields(Game):
    """Rules that yield are compiled for the loop over them, not as a function that is called."""

    compiled = True
    cells = np.array([100, 3], np.int8)

    def initial_state(self):
        return 1000

    def to_move(self, state):
        return 0

    def actions(self, state):
        yield state >> 66
        yield int(self.cells[0]) + int(self.cells[0])
        for number in sorted([5, 3, 4], key=lambda number: number // 4):  # noqa: UP028
            yield number

    def candidates(self, state):
        if state > 2000:
            found = 1
        yield found

    def noisy(self, state):
        yield state << state

    def result(self, state, action):
        return state

    def is_terminal(self, state):
        return False

    def utility(self, state, player):
        return 0.0


@kernel
def listed(game, state):
    return [action for action in legal_actions(game, state)]  # noqa: C416 - Numba has no list(generator)


@kernel
def first_candidate(game, state):
    for action in candidate_actions(game, state):
        return action
    return -1


@kernel
def first_noisy(game, state):
    for action in noisy_actions(game, state):
        return action
    return -1


def test_rules_that_yield_mean_what_python_means():
    game = Yields()
    assert listed(game, 1000) == list(game.actions(1000)) == [0, 200, 3, 5, 4]
    with pytest.raises(RulesError, match="local found is read before it is assigned"):
        first_candidate(game, 1000)
    with pytest.raises(RulesError, match=r"noisy, line \d+ of test_two_speeds.py"):
        first_noisy(checked(game), 1000)


class Candidates(Problem):
    variables = 1

    def initial_state(self):
        return 1000

    def candidates(self, state, variable):
        yield state >> 66

    def allowed(self, state, variable, value):
        return True

    def assign(self, state, variable, value):
        return state


def test_candidates_that_are_yielded_mean_what_python_means():
    assert Backtracking(Candidates()).all().solutions == ((0,),)
