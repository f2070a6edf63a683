"""Fits: slopes against differences, planted weights, planted networks, and rounding to whole numbers."""

import random
from dataclasses import replace

import numpy as np
import pytest
from evaluation.test_patterns import Weighed, looked_at, random_evaluation

from outplay.evaluation.columns import read_columns
from outplay.games import Breakthrough
from outplay.learning.fitting import FULL, Adam, Model, fit
from outplay.learning.labelling import LabelledPositions, kind_of_places
from outplay.learning.plan import Plan
from outplay.learning.search_training import network_tables

GAME = Breakthrough(4, 4)


def places_of(tables, symbols, stages, movers):
    """The index of each copy of a group, for these symbols on the locations: int64 [positions, copies]."""
    layout, starts, columns = tables.layout, np.cumsum([0, *tables.lengths]), []
    for copy in range(tables.copies):
        group, image = divmod(copy, len(layout.images))
        place, factor = np.full(len(symbols), starts[group]), 1
        for location in tables.groups[group]:
            place += factor * symbols[:, layout.images[image][location]].astype(np.int64)
            factor *= layout.locations[location].symbols
        columns.append(place)
    block = (movers * tables.stages if tables.sides == "apart" else 0) + np.minimum(stages, tables.stages - 1)
    return np.stack(columns, 1) + (block * tables.size)[:, None]


def positions_of(tables, number, seed, goals=None, symbols=None):
    """Random symbols on the locations of some tables, or these."""
    rng, sizes = np.random.default_rng(seed), tables.layout.sizes
    at_random = np.stack([rng.integers(0, size, number) for size in sizes], 1)
    terms = rng.normal(size=(number, len(tables.terms))).astype(np.float32)
    goals = np.zeros(number, np.float32) if goals is None else goals
    stages, movers = rng.integers(0, tables.stages, number), rng.integers(0, tables.movers, number)
    places = places_of(tables, at_random if symbols is None else symbols, stages, movers)
    return LabelledPositions(places.astype(kind_of_places(tables)), terms, goals, np.arange(number))


def random_tables(game, seed):
    return random_evaluation(game, random.Random(seed)).tables


def random_model(tables, width, units, seed, outputs=1):
    rng = np.random.default_rng(seed)
    model = Model.new(tables, width, units, seed, outputs)
    return Model(*((array + rng.normal(0, 0.1, array.shape)).astype(np.float32) for array in model))


def in_double(model, places, terms, goals, bounded):
    """The sum of the squared errors, computed plainly in float64."""
    total = outputs_of(model, places, terms)[:, 0] + terms @ model.terms
    return float((((np.tanh(total) if bounded else total) - goals) ** 2).sum())


def softsign(numbers):
    return numbers / (1 + abs(numbers))


def outputs_of(model, places, terms):
    """What the last layer says, without the terms in the sum."""
    first = model.bias + model.rows[places].sum(1)
    if not len(model.last):
        return first + model.last_bias
    second = softsign(first + terms @ model.inputs) @ model.second + model.second_bias
    return softsign(second) @ model.last + model.last_bias


OUTCOMES = (-1.0, -0.2, 0.4)


def cross_entropy(model, places, terms, goals):
    """The sum of the cross entropies, computed plainly in float64."""
    logits = outputs_of(model, places, terms) + np.outer(terms @ model.terms, OUTCOMES)
    return float(-(goals * (logits - np.log(np.exp(logits).sum(1, keepdims=True)))).sum())


@pytest.mark.parametrize("bounded", [True, False])
@pytest.mark.parametrize(("width", "units"), [(1, 0), (8, 4)])
def test_slopes_are_those_of_small_differences(width, units, bounded):
    tables = random_tables(Weighed(), 3)
    model = random_model(tables, width, units, 1)
    goals = np.random.default_rng(2).normal(0, 0.5, 20).astype(np.float32)
    positions = positions_of(tables, 20, 4, goals)
    data = positions.places, positions.terms, goals
    adam = Adam(model, bounded)
    errors = adam.errors(as_columns(data), np.arange(20), learns=True)
    exact = Model(*(array.astype(float) for array in model))
    assert errors == pytest.approx(in_double(exact, *data, bounded), rel=1e-4)
    check_slopes(exact, adam.slopes, data, lambda: in_double(exact, *data, bounded) / 2)


def test_slopes_of_outcomes_are_those_of_small_differences():
    tables = random_tables(Weighed(), 3)
    model = random_model(tables, 8, 4, 1, len(OUTCOMES))
    goals = np.random.default_rng(2).dirichlet(np.ones(len(OUTCOMES)), 20).astype(np.float32)
    positions = positions_of(tables, 20, 4)
    data = positions.places, positions.terms, goals
    adam = Adam(model, True, OUTCOMES)
    errors = adam.errors(data, np.arange(20), learns=True)
    exact = Model(*(array.astype(float) for array in model))
    logits = outputs_of(exact, *data[:2]) + np.outer(data[1] @ exact.terms, OUTCOMES)
    chances = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    assert errors == pytest.approx(np.square((chances - goals) @ np.array(OUTCOMES)).sum(), rel=1e-4)
    check_slopes(exact, adam.slopes, data, lambda: cross_entropy(exact, *data))


def as_columns(data):
    """Places, terms and goals as a model of one output takes them."""
    return *data[:2], data[2][:, None]


def check_slopes(exact, slopes, data, loss):
    """Compare slopes with the change of the loss when one of the numbers of `exact` changes a little."""
    rng = np.random.default_rng(5)
    for name, array, slope in zip(Model._fields, exact, slopes, strict=True):
        for _ in range(min(array.size, 8)):
            at = tuple(rng.integers(0, size) for size in array.shape)
            if name == "rows":
                at = (int(rng.choice(data[0].ravel())), at[1])
            values = []
            for change in 1e-4, -1e-4:
                array[at] += change
                values.append(loss())
                array[at] -= change
            assert slope[at] == pytest.approx((values[0] - values[1]) / 2e-4, rel=2e-2, abs=1e-3), name


def test_without_learning_only_errors_are_measured():
    tables = random_tables(Weighed(), 3)
    model = random_model(tables, 8, 4, 1)
    positions = positions_of(tables, 9, 4)
    adam = Adam(model, True)
    assert adam.errors(as_columns(positions[:3]), np.arange(9)) > 0
    assert not any(array.any() for array in adam.slopes)


def planted(tables, model, number, seed):
    """LabelledPositions whose goals are what a model says."""
    positions = positions_of(tables, number, seed)
    places, exact = positions.places, Model(*(array.astype(float) for array in model))
    goals = [
        np.sqrt(in_double(exact, places[one : one + 1], positions.terms[one : one + 1], np.array([-5.0]), True)) - 5
        for one in range(number)
    ]
    return positions._replace(goals=np.array(goals, np.float32))


def single_tables(game):
    """One group for each location, without stages."""
    plan = Plan.of(game, positions=200)
    return plan, network_tables(plan)


def test_planted_weights_are_found():
    _, tables = single_tables(GAME)
    truth = random_model(tables, 1, 0, 7)
    fitted = fit(tables, planted(tables, truth, 6000, 1), Model.new(tables, 1, 0, 1), 60, ridge=0.0)
    assert fitted.errors[-1][1] < 0.01 < fitted.errors[0][1]
    new = planted(tables, truth, 500, 2)
    data = new.places, new.terms, new.goals
    assert in_double(Model(*(array.astype(float) for array in fitted.model)), *data, True) / 500 < 1e-4


def test_a_network_learns_what_no_sum_can():
    _, tables = single_tables(GAME)
    tables = replace(tables, own=0.0, features=(), sides="equal")
    rng = np.random.default_rng(1)
    symbols = np.stack([rng.integers(0, size, 8000) for size in tables.layout.sizes], 1)
    same = (symbols[:, 0] == 1) == (symbols[:, 5] == 1)
    positions = positions_of(tables, 8000, 1, np.where(same, 0.8, -0.8).astype(np.float32), symbols)
    sums, network = (fit(tables, positions, Model.new(tables, *form, 1), 40, ridge=0.0) for form in ((1, 0), (32, 16)))
    assert network.errors[-1][1] < 0.1
    assert sums.errors[-1][1] > 0.6


def test_the_model_with_the_least_error_on_held_out_games_is_kept():
    tables = random_tables(Weighed(), 3)
    noise = np.random.default_rng(1).choice([-1, 1], 300).astype(np.float32)
    positions = positions_of(tables, 300, 4, noise)
    fitted = fit(tables, positions, Model.new(tables, 8, 4, 1), 200, ridge=0.0)
    held_out = [error for _, error in fitted.errors]
    assert min(held_out) < held_out[-1]
    test = np.flatnonzero(positions.games % 10 == 0)
    data = positions.places[test], positions.terms[test], positions.goals[test]
    exact = Model(*(array.astype(float) for array in fitted.model))
    assert np.sqrt(in_double(exact, *data, True) / len(test)) == pytest.approx(min(held_out), rel=1e-4)


def test_a_seed_gives_the_same_model():
    tables = random_tables(Weighed(), 3)
    positions = positions_of(tables, 300, 4, np.random.default_rng(1).normal(0, 0.5, 300).astype(np.float32))
    first, again, other = (
        fit(tables, positions, Model.new(tables, 8, 4, seed), 2, seed).model.rows for seed in (1, 1, 2)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize(("width", "units"), [(1, 0), (8, 4)])
def test_whole_numbers_say_what_the_model_says(width, units):
    """The first layer is off by at most half a unit for each row and the bias."""
    game = GAME
    plan, tables = single_tables(game)
    model = random_model(tables, width, units, 3)
    evaluation = model.evaluation(plan, tables, {})
    assert abs(evaluation.weights.astype(int)).max() <= FULL
    states = [state for state in looked_at(game)[0][:60] if not game.is_terminal(state)]
    table = read_columns(tables.layout.columns, states)
    movers = np.array([game.to_move(state) for state in states])
    places = places_of(tables, tables.layout.symbols(table), 0 * movers, movers)
    exact = Model(*(array.astype(float) for array in model))
    for one, state in enumerate(states):
        terms = [
            term for term in evaluation.explain(game, state).terms if term.feature in ("evaluate", *game.feature_names)
        ]
        by_name = {term.feature: term.value for term in terms}
        names = ["evaluate" if feature < 0 else game.feature_names[feature] for feature, _ in tables.terms]
        values = np.array([[by_name[name] for name in names]])
        place = places[one : one + 1]
        expected = np.sqrt(in_double(exact, place, values, np.array([-5.0]), True)) - 5
        assert evaluation(game, state, game.to_move(state)) == pytest.approx(expected, abs=2e-3)


def test_what_was_hardly_seen_says_little():
    """With one table of one location, each entry is its sum of goals over its number and the ridge."""
    tables = single_tables(GAME)[1]
    place = tables.layout.sizes.index(3)
    tables = replace(tables, own=0.0, features=(), sides="equal", groups=((place,),))
    symbols = np.where(np.arange(500) < 490, 1, 2)
    goals = np.where(symbols == 1, -0.5, 0.5).astype(np.float32)
    positions = positions_of(tables, 500, 1, goals, symbols[:, None].repeat(len(tables.layout.sizes), 1))
    positions = positions._replace(games=np.arange(500) % 9 + 1)  # none is held out
    model = fit(tables, positions, Model.new(tables, 1, 0, 1), 400, bounded=False, ridge=50.0).model
    constant = float(model.bias[0] + model.last_bias[0])
    for symbol, number, goal in (1, 490, -0.5), (2, 10, 0.5):
        assert model.rows[symbol, 0] == pytest.approx(number * (goal - constant) / (number + 50), abs=0.02)
    assert model.rows[0, 0] == 0
