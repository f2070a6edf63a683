"""Margins: measured, the same each time, and the greater the less is left out."""

from dataclasses import FrozenInstanceError
from math import inf, nan

import pytest

from outplay import AlphaBeta, Limit, Margins, UnsuitableGame, measure_margins
from outplay.games import ConnectFour, Kalah, Nim
from outplay.search import alpha_beta, margins

GAME, LIMIT = Kalah(pits=4, seeds=3), Limit(depth=9)
STATES = margins.sample(GAME, 12, seed=5)
INFINITE = Margins(futility=(inf, inf), probcut=inf)
SELECTIVE = ({"futility": True}, {"probcut": True})


class Interpreted(Kalah):
    compiled = False


def nodes(**options):
    return sum(found.nodes for found in AlphaBeta(GAME, **options).search_many(STATES, LIMIT))


def values(**options):
    return [(found.value, found.exact) for found in AlphaBeta(GAME, **options).search_many(STATES, LIMIT)]


def same(value):
    return Margins(futility=(value, value), probcut=value)


def by_hand(game, state, depth):
    """The value of `state` for the player to move, by plain minimax."""

    def value(state, depth, player):
        if game.is_terminal(state):
            return game.utility(state, player)
        if depth == 0:
            return game.evaluate(state, player)
        mine = game.to_move(state) == player
        return (max if mine else min)(value(game.result(state, a), depth - 1, player) for a in game.actions(state))

    return value(state, depth, game.to_move(state))


@pytest.mark.nightly
@pytest.mark.sample(1)
@pytest.mark.parametrize("game", [GAME, ConnectFour()], ids=repr)
def test_measured_margins_are_positive_and_repeat(game):
    first = measure_margins(game)
    margins.measured.cache_clear()
    assert measure_margins(game) == first
    assert measure_margins(game) is measure_margins(game)
    assert all(0 < each < inf for each in (*first.futility, first.probcut))


@pytest.mark.nightly
def test_another_seed_plays_other_games():
    assert margins.sample(GAME, 12, seed=5)[0] is not STATES[0]
    assert repr(margins.sample(GAME, 12, seed=5)) == repr(STATES)
    assert repr(margins.sample(GAME, 12, seed=6)) != repr(STATES)
    assert measure_margins(GAME, seed=1) != measure_margins(GAME, seed=2)
    assert len(STATES) == 12
    assert not any(map(GAME.is_terminal, STATES))


def test_margins_are_what_the_values_stay_below_in_so_many_positions():
    """Against a twin: differences by plain minimax. Decided positions are left out, which it finds by AlphaBeta."""
    states = margins.sample(GAME, 100, seed=0)
    found = measure_margins(GAME, positions=100, confidence=1)
    searcher = AlphaBeta(GAME)
    for depth, margin in zip((1, 2), found.futility, strict=True):
        open_ones = [state for state in states if not searcher.search(state, Limit(depth=depth)).exact]
        gains = [by_hand(GAME, state, depth) - GAME.evaluate(state, GAME.to_move(state)) for state in open_ones]
        assert margin == pytest.approx(max(gains))
    open_ones = [state for state in states if not searcher.search(state, Limit(depth=5)).exact]
    assert found.probcut == pytest.approx(max(abs(by_hand(GAME, s, 5) - by_hand(GAME, s, 1)) for s in open_ones))


@pytest.mark.nightly
def test_more_confidence_takes_greater_margins():
    low, high = (measure_margins(GAME, confidence=confidence) for confidence in (0.5, 1))
    assert all(less < more for less, more in zip(low.futility, high.futility, strict=True))
    assert low.probcut < high.probcut


def test_too_few_open_positions_make_margins_infinite():
    assert measure_margins(GAME, positions=3) == INFINITE


@pytest.mark.nightly
@pytest.mark.parametrize("option", SELECTIVE, ids=str)
def test_greater_margins_leave_less_out(option):
    counts = [nodes(**option, margins=same(margin)) for margin in (0, 2, 6)]
    assert counts == sorted(set(counts))


@pytest.mark.sample(1)
@pytest.mark.parametrize("option", SELECTIVE, ids=str)
def test_infinite_margins_leave_nothing_out(option):
    assert values(**option, margins=INFINITE) == values()
    assert values(**option, margins=same(1e6)) == values()


@pytest.mark.nightly
def test_futility_with_infinite_margins_searches_the_same_tree():
    assert nodes(futility=True, margins=INFINITE) == nodes()
    assert nodes(futility=True) < nodes()


def never(*_, **__):
    raise AssertionError("measured")


@pytest.mark.nightly
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("game", "options"),
    [
        (GAME, {"exact": True, "futility": True, "probcut": True}),
        (GAME, {"futility": True, "margins": same(3)}),
        (GAME, {"beam": 3}),
        (GAME, {}),
        (Nim(), {"futility": True, "probcut": True}),  # without `evaluate` there is nothing to go by
    ],
    ids=str,
)
def test_margins_are_measured_only_where_they_are_needed(monkeypatch, game, options):
    monkeypatch.setattr(alpha_beta, "measured", never)
    AlphaBeta(game, **options).search(limit=Limit(depth=3))
    with pytest.raises(AssertionError, match="measured"):
        AlphaBeta(GAME, probcut=True).search(limit=Limit(depth=3))


@pytest.mark.nightly
def test_exact_finds_the_value_in_spite_of_all():
    options = {"futility": True, "probcut": True, "beam": 1, "margins": same(0)}
    assert values(**options, exact=True) == values()
    assert nodes(**options, exact=True) == nodes()
    assert values(**options) != values()


def tenth(game, state, player):
    margin = state.seeds[game.pits] - state.seeds[-1]
    return 0.1 * (margin if player == 0 else -margin)


@pytest.mark.nightly
def test_margins_are_those_of_the_evaluation_in_use():
    usual, other = (AlphaBeta(GAME, futility=True, evaluate=evaluate) for evaluate in (None, tenth))
    mine, theirs = (searcher._margins(searcher._searched()) for searcher in (usual, other))
    assert mine == measure_margins(GAME)
    assert theirs == measure_margins(other._searched()) != mine
    assert theirs.futility[0] < mine.futility[0]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("game", "positions"), [(Interpreted(3, 2), alpha_beta.FEW_POSITIONS), (GAME, alpha_beta.POSITIONS)], ids=repr
)
def test_an_interpreted_game_is_measured_in_fewer_positions(monkeypatch, game, positions):
    asked = []
    monkeypatch.setattr(
        alpha_beta, "measured", lambda _, game, rules, positions, *rest: asked.append((game, positions)) or same(3)
    )
    assert AlphaBeta(game, futility=True, probcut=True).search(limit=Limit(depth=3)).depth == 3
    assert asked == [(game, positions)]


def test_margins_are_values():
    assert repr(same(1.5)) == "Margins(futility=(1.5, 1.5), probcut=1.5)"
    assert same(1) == same(1.0) != same(2)
    assert AlphaBeta(GAME, margins=same(1)) == AlphaBeta(GAME, margins=same(1)) != AlphaBeta(GAME)
    with pytest.raises(FrozenInstanceError):
        same(1).probcut = 2


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Margins(futility=(1,), probcut=1), r"futility=\(1,\)\): two numbers"),
        (lambda: Margins(futility=(1, -1), probcut=1), "two numbers, 0 or greater"),
        (lambda: Margins(futility=1, probcut=1), "futility=1"),
        (lambda: Margins(futility=(1, nan), probcut=1), "futility"),
        (lambda: Margins(futility=(1, True), probcut=1), "futility"),
        (lambda: Margins(futility=(1, 1), probcut=-0.1), r"probcut=-0.1\): a number"),
        (lambda: Margins(futility=(1, 1), probcut=nan), "probcut=nan"),
        (lambda: Margins(futility=(1, 1), probcut="1"), "probcut='1'"),
        (lambda: AlphaBeta(GAME, margins=1.5), r"AlphaBeta\(margins=1.5\): Margins"),
        (lambda: measure_margins(GAME, positions=0), r"measure_margins\(positions=0\)"),
        (lambda: measure_margins(GAME, positions=2.5), "positions=2.5"),
        (lambda: measure_margins(GAME, confidence=1.1), r"measure_margins\(confidence=1.1\)"),
        (lambda: measure_margins(GAME, confidence=nan), "confidence=nan"),
    ],
)
def test_wrong_margins_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_margins_of_an_unsuitable_game_are_refused():
    class Dice(Nim):
        def probability(self, state, action):
            return 1.0

    with pytest.raises(UnsuitableGame):
        measure_margins(Dice())
