"""Networks above tables: a slow twin in whole and floating numbers, compiled code, and files of any content."""

import random
import zipfile
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest

from evaluation.test_patterns import GAMES, entries_of, looked_at, random_evaluation, whose_turn
from outplay import AlphaBeta, EvaluationError, LearnedEvaluation, Limit, kernel
from outplay.evaluation import learned
from outplay.evaluation.columns import read_columns, reader_of
from outplay.evaluation.network import Network
from outplay.evaluation.variant import with_evaluation
from outplay.games import Breakthrough
from outplay.rules.constant_sum import draw_utility, is_opposed_pair

NETWORKS = [game for game in GAMES if game.players == 1 or is_opposed_pair(game)]
each_game = pytest.mark.parametrize("game", NETWORKS, ids=lambda game: type(game).__name__)


def random_network(game, seed, width=8, units=4, outcomes=()):
    """An evaluation of a game with random tables and random layers above them."""
    evaluation, rng = random_evaluation(game, random.Random(seed)), np.random.default_rng(seed)
    if outcomes and not evaluation.bounded:
        pytest.skip("what can be won has no bound")
    if outcomes and evaluation.tables.sides == "opposite":
        evaluation = replace(evaluation, tables=replace(evaluation.tables, sides="apart"))
    terms, outputs = len(evaluation.tables.terms), max(len(outcomes), 1)
    shapes = (terms, width), (width, units), units, (units, outputs)
    network = Network(
        rng.integers(-500, 500, width, np.int16),
        *(rng.normal(0, 1, shape).astype(np.float32) for shape in shapes),
        rng.normal(0, 0.3, outputs),
        rng.normal(0, 0.3, terms),
        np.array(outcomes, float),
    )
    weights = rng.integers(-300, 300, evaluation.tables.weights * width, np.int16)
    return replace(evaluation, weights=weights, scale=1e-3, network=network)


def plain_value(evaluation, game, state, player):
    """What the layers make of the rows, in float64: the slow twin."""
    tables, network, width = evaluation.tables, evaluation.network, evaluation.width
    entries = entries_of(tables, game, state, player, evaluation.most, evaluation.bounded)
    rows = [evaluation.weights[place * width : (place + 1) * width] for place, _ in entries[: tables.copies]]
    first, sign = (network.bias.astype(float) + np.sum(rows, axis=0)) * evaluation.scale, entries[0][1]
    values = [value for _, value in entries[tables.copies :]]
    for value, row in zip(values, network.inputs, strict=True):
        first += sign * value * row
    second = (first / (1 + abs(first))) @ network.second + network.second_bias
    outputs = (second / (1 + abs(second))) @ network.last + network.last_bias
    of_terms = sum(weight * value for weight, value in zip(network.terms, values, strict=True))
    if len(network.outcomes):
        likelihoods = np.exp(outputs + of_terms * network.outcomes)
        value = evaluation.most * float(likelihoods @ network.outcomes) / float(likelihoods.sum())
    else:
        total = sign * float(outputs[0]) + of_terms
        value = evaluation.most * (np.tanh(total) if evaluation.bounded else total)
    if tables.score is not None:
        score = float(eval(tables.score.source, {"state": state})) - draw_utility(game)
        value += score if game.players == 1 or whose_turn(tables, game, state) == 0 else -score
    if game.players == 2 and whose_turn(tables, game, state) != player:
        value = -value
    return value + draw_utility(game)


@kernel
def estimate(game, state):
    """The estimate of a state for player 0."""
    return float(game.evaluate(state, 0))


@each_game
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("outcomes", [(), (-1.0, -0.25, 0.5, 1.0)], ids=["value", "outcomes"])
def test_the_rule_says_what_the_layers_say(game, seed, outcomes):
    evaluation = random_network(game, seed, outcomes=outcomes)
    for state in looked_at(game)[0][:40]:
        for player in range(game.players):
            expected = plain_value(evaluation, game, state, player)
            assert evaluation(game, state, player) == pytest.approx(expected, rel=1e-4, abs=1e-4)


@each_game
def test_chances_are_those_of_the_layers(game):
    outcomes = (-1.0, -0.25, 0.5, 1.0)
    evaluation = random_network(game, 1, outcomes=outcomes)
    for state in looked_at(game)[0][:20]:
        player = whose_turn(evaluation.tables, game, state)
        chances = evaluation.chances(game, state)
        assert list(chances) == pytest.approx([draw_utility(game) + evaluation.most * won for won in outcomes])
        assert sum(chances.values()) == pytest.approx(1)
        if evaluation.tables.score is None and not game.is_terminal(state):
            expected = plain_value(evaluation, game, state, player)
            assert sum(won * chance for won, chance in chances.items()) == pytest.approx(expected, rel=1e-4, abs=1e-4)
    assert random_network(game, 1).chances(game, game.initial_state()) == {}


@pytest.mark.parametrize("by_address", [False, True])
def test_compiled_code_says_the_same(by_address, monkeypatch):
    if by_address:
        monkeypatch.setattr(learned, "CONSTANT", 0)
    game = Breakthrough(4, 4)
    evaluation = random_network(game, 5)
    rule = evaluation.rule(game)
    assert ("int16_at" in rule.__code__.co_names) is by_address
    analysis = AlphaBeta(game, evaluate=evaluation).search(limit=Limit(depth=1))
    after = [game.result(game.initial_state(), one.action) for one in analysis.actions]
    values = [-evaluation(game, state, 1) for state in after]
    assert [one.value for one in analysis.actions] == pytest.approx(sorted(values, reverse=True), rel=1e-4)


@pytest.mark.nightly
@each_game
def test_compiled_code_of_all_games_says_the_same(game):
    for seed in range(3):
        evaluation = random_network(game, seed, 64, 32)
        states = looked_at(game)[0][:100]
        variant = with_evaluation(game, evaluation)
        expected = [evaluation(game, state, 0) for state in states if not game.is_terminal(state)]
        found = [estimate(variant, state) for state in states if not game.is_terminal(state)]
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-4)


def test_no_state_reads_outside_of_the_rows():
    """The only table has one entry, but states have three symbols on its location."""
    game = Breakthrough(4, 4)
    evaluation = random_network(game, 1)
    layout = evaluation.tables.layout
    first = layout.locations[0]._replace(symbols=1)
    small = replace(layout, locations=(first, *layout.locations[1:]), images=layout.images[:1], clock=(), edges=())
    tables = replace(evaluation.tables, layout=small, groups=((0,),), sides="equal", own=0.0, features=())
    network = evaluation.network._replace(terms=np.zeros(0), inputs=np.zeros((0, 8), np.float32))
    evaluation = replace(evaluation, tables=tables, weights=evaluation.weights[: evaluation.width], network=network)
    states = looked_at(game)[0][:20]
    assert {0, 1} <= set(layout.symbols(read_columns(layout.columns, states))[:, 0].tolist())
    estimates_of_first = {evaluation(game, state, game.to_move(state)) for state in states}
    assert len(estimates_of_first) == 1


# -- files -------------------------------------------------------------------------------------------------------------


def test_a_file_comes_back_as_it_was(tmp_path):
    game = Breakthrough(4, 4)
    evaluation, path = random_network(game, 2), tmp_path / "a.learned"
    evaluation.save(path)
    again = LearnedEvaluation.load(path, game)
    assert again.as_bytes() == evaluation.as_bytes()
    assert "a network of 8 units" in repr(again)
    state = game.initial_state()
    assert again(game, state, 0) == evaluation(game, state, 0)


def test_rounding_keeps_most_of_the_value():
    game = Breakthrough(4, 4)
    evaluation = random_network(game, 2)
    smaller = evaluation.packed(len(evaluation.as_bytes()) * 0.8e-3)
    assert len(smaller.as_bytes()) < len(evaluation.as_bytes()) * 0.8
    for state in looked_at(game)[0][:50]:
        assert smaller(game, state, 0) == pytest.approx(evaluation(game, state, 0), abs=0.2)


def changed(content, name, array):
    """A file with another array, or without one."""
    archive = BytesIO()
    with zipfile.ZipFile(BytesIO(content)) as old, zipfile.ZipFile(archive, "w") as new:
        for info in old.infolist():
            if info.filename != f"{name}.npy":
                new.writestr(info.filename, old.read(info))
            elif array is not None:
                one = BytesIO()
                np.save(one, array)
                new.writestr(info.filename, one.getvalue())
    return archive.getvalue()


WRONG = {
    "a layer is missing": ("second_bias", None),
    "layers that do not fit": ("last", np.zeros(8, np.float32)),
    "not a number": ("last", np.full((4, 1), np.nan, np.float32)),
    "outcomes without outputs": ("outcomes", np.array([-1.0, 0.0, 1.0])),
    "of another type": ("bias", np.zeros(8)),
    "of another width": ("bias", np.zeros(12, np.int16)),
    "odd sizes": ("second", np.zeros((8, 3), np.float32)),
    "one dimension": ("second", np.zeros(8, np.float32)),
    "too many terms": ("terms", np.zeros(40)),
    "too few rows": ("weights", np.zeros(8, np.int16)),
    "no bias": ("bias", None),
}


@pytest.mark.parametrize("name", WRONG)
def test_damaged_files(name, tmp_path):
    path = tmp_path / "a.learned"
    path.write_bytes(changed(random_network(Breakthrough(4, 4), 2).as_bytes(), *WRONG[name]))
    with pytest.raises(EvaluationError, match=r"a\.learned: "):
        LearnedEvaluation.load(path)


@each_game
@pytest.mark.parametrize("outcomes", [(), (-1.0, -0.25, 0.5, 1.0)], ids=["value", "outcomes"])
def test_an_explanation_adds_up_to_the_estimate(game, outcomes):
    evaluation = random_network(game, 4, outcomes=outcomes)
    for state in looked_at(game)[0][:10]:
        if not game.is_terminal(state) and game.to_move(state) >= 0:
            found = evaluation.explain(game, state)
            is_squeezed = evaluation.bounded or outcomes
            value = evaluation.most * (np.tanh(found.points) if is_squeezed else found.points)
            assert found.estimate == pytest.approx(value + draw_utility(game), rel=1e-3, abs=1e-3)
            assert set(found.locations) == {place.name for place in evaluation.tables.layout.locations}
            assert {"all else", *found.locations} <= {term.feature for term in found.terms}


def test_a_location_is_worth_what_changing_it_costs():
    game = Breakthrough(4, 4)
    evaluation = random_network(game, 1)
    layout = evaluation.tables.layout
    alone = replace(evaluation.tables, layout=replace(layout, images=layout.images[:1], clock=(), edges=()),
                    groups=((0,), (5,)), sides="equal", own=0.0, features=())  # fmt: skip
    rows = np.random.default_rng(1).integers(-300, 300, alone.weights * 8, np.int16)
    network = evaluation.network._replace(terms=np.zeros(0), inputs=np.zeros((0, 8), np.float32))
    evaluation = replace(evaluation, tables=alone, weights=rows, network=network)
    state = game.initial_state()
    found = evaluation.explain(game, state)
    table, symbols = rows.reshape(-1, 8).astype(int), [layout.locations[place].symbols for place in (0, 5)]
    here = evaluation.tables.layout.symbols(np.array([reader_of(layout.columns)(state)]))[0, [0, 5]]

    def total(first, second):
        return network.total(table[first] + table[symbols[0] + second], evaluation.scale, np.zeros(0))

    others = [total(symbol, here[1]) for symbol in range(symbols[0]) if symbol != here[0]]
    assert found.locations[layout.locations[0].name] == pytest.approx(total(*here) - np.mean(others))
