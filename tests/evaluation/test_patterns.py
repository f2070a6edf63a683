"""Sums of tables: a slow twin, the laws of estimates, code that never reads outside, and files of any content."""

import functools
import gc
import json
import math
import pickle
import random
import tracemalloc
import warnings
import zipfile
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evaluation.test_layout import Fill, FillDict
from outplay import AlphaBeta, EvaluationError, LearnedEvaluation, Limit, kernel, legal_actions
from outplay.compile.kernels import runs_compiled
from outplay.evaluation import learned
from outplay.evaluation.columns import Column, reader_of
from outplay.evaluation.layout import Layout, Location, Part, layout_of, sample
from outplay.evaluation.patterns import ENTRIES, NEARLY, PADDING, Tables, code_of, function_from, padded
from outplay.evaluation.table_form import form_from, form_of
from outplay.evaluation.variant import with_evaluation
from outplay.games import (
    Breakthrough,
    ConnectFour,
    Hex,
    ManyPlayerMNK,
    Othello,
    Oware,
    Pig,
    TicTacToe,
    TwentyFortyEight,
)
from outplay.rules.constant_sum import draw_utility, is_opposed_pair, range_of
from outplay.rules.game import CHANCE


class Weighed(Fill):
    """Its utilities are 1, 1/2 and 0; it has an evaluation of its own, and features."""

    zero_sum, constant_sum, utilities = False, 1, (0, 1)
    feature_names = ("cells", "corners", "nothing")
    symmetries = Fill.symmetries

    def utility(self, state, player):
        return (super().utility(state, player) + 1) / 2

    def evaluate(self, state, player):
        first = 1 / (1 + math.exp(-sum(cell * mark for cell, mark in enumerate(self.board(state)))))
        return first if player == 0 else 1 - first

    def features(self, state):
        board, mine = self.board(state), 1 + state[1]
        return board.count(mine) - board.count(3 - mine), (board[0] == mine) - (board[5] == mine), 0.1


class Collect(Fill):
    """One player, with a score that has no bound."""

    players, zero_sum, utilities = 1, False, None

    def initial_state(self):
        return [0] * 6, 0, 3

    def to_move(self, state):
        return 0

    def result(self, state, action):
        gain = 5 if action and state[0][action - 1] else 1
        return [1 if cell == action else mark for cell, mark in enumerate(state[0])], 0, state[2] + gain

    def utility(self, state, player):
        return state[2]

    def symmetries(self, state):
        return (state,)


class Duel(Collect):
    """Two opposed players, with a score of the first one."""

    players, zero_sum, constant_sum = 2, False, 4

    def to_move(self, state):
        return state[0].count(1) % 2

    def result(self, state, action):
        gain = 5 if action and state[0][action - 1] else 1
        cells = [1 if cell == action else mark for cell, mark in enumerate(state[0])]
        return cells, 0, state[2] + (gain if state[0].count(1) % 2 == 0 else -gain)

    def utility(self, state, player):
        return state[2] if player == 0 else 4 - state[2]


GAMES = [
    TicTacToe(), Breakthrough(4, 4), ConnectFour(5, 4), Hex(3), Oware(), ManyPlayerMNK(), Pig(12), Fill(), FillDict(),
    Weighed(), TwentyFortyEight(), Collect(), Duel(),
]  # fmt: skip
each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: type(game).__name__)
dices = st.integers(0, 2**32).map(random.Random)
SCORES = {Collect: Column(((2,),)), Duel: Column(((2,),)), TwentyFortyEight: Column(("score",))}


@functools.cache
def looked_at(game):
    """Random states of a game, with those of chance, and their layout."""
    samples = sample(game, 150, seconds=1e9)
    dice, states = random.Random(1), []
    for state in samples.states:
        after = game.result(state, dice.choice(list(legal_actions(game, state))))
        states += [state, *[after] * (not game.is_terminal(after))]
    return states, layout_of(game, samples, skipped=SCORES.get(type(game)))


def random_evaluation(game, dice, size=32767, entries=10_000):
    """Tables of a random form with random weights; with more than 65,536 entries, indices may have 32 bits."""
    _, layout = looked_at(game)
    if dice.random() < 0.3:
        layout = replace(layout, clock=(), edges=())
    groups = []
    for _ in range(dice.randint(1, 7)):
        group = dice.sample(
            range(len(layout.locations)), min(dice.randint(1, 4 if entries == 10_000 else 14), len(layout.locations))
        )
        while math.prod(layout.sizes[place] for place in group) > entries:
            group.pop()
        groups.append(tuple(group))
    bounded = game.utilities is not None
    others = "opposite" if is_opposed_pair(game) and not game.has_chance else "apart"
    tables = Tables(
        layout,
        tuple(groups),
        sides=next(sides for share, sides in ((0.4, "apart"), (0.7, "equal"), (1, others)) if dice.random() < share),
        players=1 if is_opposed_pair(game) else game.players,
        movers=game.players + game.has_chance,
        score=None if bounded else SCORES[type(game)],
        own=dice.choice([0.0, 0.8]) if bounded else 0.0,
        features=tuple(dice.choice([0.0, 0.5, 2.0]) for _ in game.feature_names) if bounded else (),
    )
    weights = np.random.default_rng(dice.getrandbits(32)).integers(-size, size, tables.weights, np.int16, endpoint=True)
    most = float(max(map(abs, range_of(game)))) if bounded else 7.0
    return LearnedEvaluation(repr(game), tables, weights, dice.choice([1e-6, 1e-5, 1e-4]), most, bounded)


# -- the slow twin -----------------------------------------------------------------------------------------------------


@functools.cache
def reader(column):
    return reader_of([column])


def number_of(part, numbers):
    """What a part of a location counts, of the numbers in the columns."""
    number = numbers[part.column]
    if part.bit >= 0:
        return part.factor if number & 1 << part.bit else 0
    count = min(max(number, part.low), part.high) - part.low
    return part.drawn[count] if part.drawn else part.factor * count


def entries_of(tables, game, state, player, most, bounded):
    """The index of each weight that counts in a state, with what it is multiplied by. The view is that of the player
    to move, or of `player` if there are several: each table is a dict by view, mover, stage, group and symbols.

    Numbers are rounded as in the rule, as an action may be the best one only by rounding.
    """
    layout = tables.layout
    numbers = [reader(column)(state)[0] for column in layout.columns]
    symbols = [sum(number_of(part, numbers) for part in location.parts) for location in layout.locations]
    mover = game.to_move(state)
    view = player if tables.players > 1 else 0
    clock = sum(weight * number_of(part, numbers) for part, weight in layout.clock)
    stage = len([edge for edge in layout.edges if clock >= edge])
    movers = seat = 0
    if tables.sides == "apart":
        movers, seat = tables.movers, tables.movers - 1 if mover == CHANCE else mover
        if layout.turn is not None:  # chance has a table for each turn
            movers, seat = 2 * movers - 2, seat + (mover == CHANCE and number_of(layout.turn, numbers))
    movers = max(movers, 1)
    sign = -1.0 if tables.sides == "opposite" and mover == 1 else 1.0
    block = ((view * movers + seat) * (len(layout.edges) + 1) + stage) * tables.size
    entries = []
    for group, places in enumerate(tables.groups):
        before = sum(tables.lengths[:group])
        for image in layout.images:
            entry, factor = 0, 1
            for place in places:
                entry += factor * symbols[image[place]]
                factor *= layout.locations[place].symbols
            if tables.index_bits > 16:  # a state that is odd has an index too, see `source_of`
                entry = min(entry, tables.lengths[group] - 1)
            entries.append((block + before + entry, sign))
    place = block + sum(tables.lengths)
    if tables.own:
        own = (game.evaluate(state, whose_turn(tables, game, state)) - draw_utility(game)) * (1 / most)
        if bounded:
            own = min(max(own, -NEARLY), NEARLY)
            entries.append((place, math.log((1 + own) / (1 - own)) * (0.5 / tables.own)))
        else:
            entries.append((place, own * (1 / tables.own)))
        place += 1
    for value, unit in zip(game.features(state), tables.features, strict=False):
        if unit:
            entries.append((place, value * (1 / unit)))
            place += 1
    if tables.sides == "opposite":
        entries.append((place, 1.0))
    return entries


def whose_turn(tables, game, state):
    """For whom tables speak: the player to move, or where chance decides whose turn it is, as far as is known."""
    mover, turn = game.to_move(state), tables.layout.turn
    if mover != CHANCE or turn is None:
        return max(mover, 0)
    return number_of(turn, [reader(column)(state)[0] for column in tables.layout.columns])


def slow_estimate(evaluation, game, state, player):
    """The estimate, between the least and the greatest utility."""
    tables, most, draw = evaluation.tables, evaluation.most, draw_utility(game)
    entries = entries_of(tables, game, state, player, most, evaluation.bounded)
    weights = padded(evaluation.weights)
    value = evaluation.scale * sum(int(weights[index]) * factor for index, factor in entries)
    value = most * math.tanh(value) if evaluation.bounded else most * value
    mover = whose_turn(tables, game, state)
    if tables.score is not None:
        score = reader_of([tables.score])(state)[0] - draw
        value += score if mover == 0 else -score
    least, greatest = game.utilities or (-math.inf, math.inf)
    return min(max(draw + (value if tables.players > 1 or mover == player else -value), least), greatest)


@each_game
@settings(max_examples=8)
@given(dices)
@example(random.Random(109268385))  # a tile of 2048 that its layout has not seen
def test_the_rule_is_the_sum_of_tables(game, dice):
    evaluation = random_evaluation(game, dice, entries=dice.choice([10_000, 150_000]))
    rule = evaluation.rule(game)
    states, _ = looked_at(game)
    for state in dice.sample(states, 12):
        for player in range(game.players):
            expected = slow_estimate(evaluation, game, state, player)
            assert rule(game, state, player) == pytest.approx(expected, rel=1e-5, abs=1e-5)


@each_game
@settings(max_examples=8)
@given(dices)
def test_the_terms_of_an_explanation_sum_up_to_the_estimate(game, dice):
    evaluation = random_evaluation(game, dice, size=9000)
    states, _ = looked_at(game)
    for state in dice.sample(states, 4):
        explanation = evaluation.explain(game, state)
        mover = whose_turn(evaluation.tables, game, state)
        assert explanation.player == mover
        assert explanation.points == pytest.approx(sum(term.weight * term.value for term in explanation.terms))
        value = math.tanh(explanation.points) if evaluation.bounded else explanation.points
        least, greatest = game.utilities or (-math.inf, math.inf)
        expected = min(max(draw_utility(game) + evaluation.most * value, least), greatest)
        assert explanation.estimate == pytest.approx(expected, abs=1e-4)
        assert explanation.estimate == evaluation(game, state, mover)
        sizes = [abs(term.points) for term in explanation.terms]
        assert sizes == sorted(sizes, reverse=True)
        scores = evaluation.tables.score is not None
        assert len(sizes) == evaluation.tables.copies + len(evaluation.tables.terms) + scores


def test_an_explanation_names_the_locations_and_the_terms():
    game = Weighed()
    evaluation = random_evaluation(game, random.Random(0))
    tables = replace(evaluation.tables, groups=((0, 2), (1,)), own=1.0, features=(1.0, 0.0, 1.0), sides="equal",
                     layout=replace(evaluation.tables.layout, clock=(), edges=()))  # fmt: skip
    evaluation = replace(evaluation, tables=tables, weights=np.arange(1, 1 + tables.weights, dtype=np.int16))
    explanation = evaluation.explain(game, ([1, 0, 2, 0, 0, 0], 0))
    assert {term.feature: round(term.weight / evaluation.scale) for term in explanation.terms} == {
        "[0][0] [0][2]": 1 + 1 + 3 * 2,
        "[0][3] [0][5]": 1,
        "[0][1]": 9 + 1,
        "[0][4]": 9 + 1,
        "evaluate": 13,
        "cells": 14,
        "nothing": 15,
    }
    assert {term.feature: term.value for term in explanation.terms if term.feature in ("cells", "nothing")} == {
        "cells": 0,
        "nothing": 0.1,
    }


def symbols_of(layout, state):
    """The symbol at each location."""
    numbers = [reader(column)(state)[0] for column in layout.columns]
    return [sum(number_of(part, numbers) for part in location.parts) for location in layout.locations]


def slow_worths(evaluation, game, state):
    """What the symbol of each location is worth, by writing every other symbol there."""
    tables, layout = evaluation.tables, evaluation.tables.layout
    symbols = symbols_of(layout, state)
    (first, sign), *_ = entries_of(
        tables, game, state, max(game.to_move(state), 0), evaluation.most, evaluation.bounded
    )
    block = first // tables.size * tables.size
    worths = dict.fromkeys([location.name for location in layout.locations], 0.0)
    for group, places in enumerate(tables.groups):
        before = block + sum(tables.lengths[:group])
        sizes = [layout.sizes[place] for place in places]
        table = evaluation.weights[before : before + math.prod(sizes)].reshape(sizes, order="F")
        table = sign * evaluation.scale * table
        for image in layout.images:
            here = [symbols[image[place]] for place in places]
            for axis, place in enumerate(places):
                points = table[(*here[:axis], slice(None), *here[axis + 1 :])]
                others = [point for symbol, point in enumerate(points) if symbol != here[axis]]
                if others:
                    name = layout.locations[image[place]].name
                    worths[name] += points[here[axis]] - sum(others) / len(others)
    return worths


@each_game
@settings(max_examples=5)
@given(dices)
def test_a_location_is_worth_what_its_symbol_adds_to_the_mean_of_the_others(game, dice):
    evaluation = random_evaluation(game, dice)
    states, layout = looked_at(game)
    for state in dice.sample(states, 4):
        if not all(map(int.__lt__, symbols_of(layout, state), layout.sizes)):
            continue  # one that was never seen: it counts in the tables as some other state does
        found = evaluation.explain(game, state)
        assert found.locations == pytest.approx(slow_worths(evaluation, game, state), rel=1e-6, abs=1e-9)
        assert found.as_dict()["locations"] == found.locations
        assert hash(found) == hash(replace(found))


def test_of_many_groups_those_that_contribute_most_are_printed():
    game = TicTacToe()
    evaluation = random_evaluation(game, random.Random(0))
    found = evaluation.explain(game, game.initial_state())
    many = replace(found, terms=tuple(replace(found.terms[0], feature=f"t{i}", weight=1.0) for i in range(50)))
    lines = str(many).splitlines()
    assert [line.split()[0] for line in lines[2:22]] == [f"t{i}" for i in range(20)]
    assert lines[22].split() == ["30", "others", "30"]
    assert len(lines) == 25


def test_where_the_game_is_over_there_is_only_the_utility():
    game = TicTacToe()
    end = game.initial_state()
    for square in 0, 3, 1, 4, 2:
        end = game.result(end, square)
    evaluation = random_evaluation(game, random.Random(0))
    assert (evaluation(game, end, 0), evaluation(game, end, 1)) == (1, -1)
    assert evaluation.explain(game, end) == learned.Explanation((), 0.0, 1.0, 0)


# -- laws --------------------------------------------------------------------------------------------------------------


@each_game
@settings(max_examples=5)
@given(dices, st.floats(1e-9, 10))
def test_estimates_are_inside_the_utilities_and_opposed(game, dice, scale):
    evaluation = replace(random_evaluation(game, dice), scale=scale)
    least, greatest = game.utilities or (-math.inf, math.inf)
    states, _ = looked_at(game)
    for state in dice.sample(states, 8):
        estimates = [evaluation(game, state, player) for player in range(game.players)]
        assert all(least < estimate < greatest for estimate in estimates)
        if game.players == 2:
            assert sum(estimates) == pytest.approx(2 * draw_utility(game), abs=1e-9 * max(map(abs, estimates)))


def test_a_bound_is_reached_but_for_a_little():
    evaluation = random_evaluation(TicTacToe(), random.Random(0))
    evaluation = replace(evaluation, weights=np.full_like(evaluation.weights, 32767), scale=1.0)
    state = TicTacToe().initial_state()
    assert 0.999999 < evaluation(TicTacToe(), state, 0) < 1
    assert -1 < evaluation(TicTacToe(), state, 1) < -0.999999


ODD = {
    TicTacToe: lambda dice, state: state._replace(marks=np.array([dice.randint(-128, 127) for _ in range(9)], np.int8)),
    Breakthrough: lambda dice, state: state._replace(white=dice.getrandbits(64), black=dice.getrandbits(64)),
    ConnectFour: lambda dice, state: state._replace(mine=dice.getrandbits(64), both=dice.getrandbits(64)),
    Oware: lambda dice, state: state._replace(seeds=np.array([dice.randint(-(10**9), 10**9) for _ in range(12)])),
    Fill: lambda dice, state: ([dice.randint(-(2**70), 2**70) for _ in range(6)], state[1]),
    FillDict: lambda dice, state: ({dice.randint(-9, 9): dice.choice([*"xo?", 7, None]) for _ in range(6)}, state[1]),
    TwentyFortyEight: lambda dice, state: state._replace(tiles=dice.getrandbits(64)),
}


@pytest.mark.parametrize("kind", ODD)
@settings(max_examples=10)
@given(dices)
def test_states_that_nobody_saw_are_read_inside_the_tables(kind, dice):
    game = next(game for game in GAMES if type(game) is kind)
    evaluation = random_evaluation(game, dice, entries=dice.choice([10_000, 150_000]))
    code = code_of(evaluation.tables, game, evaluation.most, evaluation.bounded)
    tables = evaluation.tables
    read = function_from("read", "game, state, rows", [*code.lines, f"return [{', '.join(code.indices)}]"],
                         {"own": type(game).evaluate, "log": math.log})  # fmt: skip
    states, _ = looked_at(game)
    for _ in range(20):
        state = ODD[kind](dice, dice.choice(states))
        with np.errstate(over="ignore"):
            indices = read(game, state, code.rows)
        assert all(0 <= index < tables.of_one_player + PADDING for index in indices)
        worths = evaluation._worths(indices[: tables.copies], np.zeros(len(tables.terms)), 1)
        assert worths.keys() == {location.name for location in tables.layout.locations}
        assert all(map(math.isfinite, worths.values()))


@settings(max_examples=10)
@given(
    st.lists(st.integers(1, 16), min_size=1, max_size=6), st.lists(st.integers(-(2**31), 2**31), min_size=9, max_size=9)
)
def test_numbers_beyond_those_sampled_count_as_the_nearest(sizes, numbers):
    """Every entry of tables of any form is found, each by its own index."""
    columns = tuple(Column(((place,),)) for place in range(9))
    locations = tuple(
        Location((Part(place, low=-2, high=size - 3),), size, str(place)) for place, size in enumerate(sizes)
    )
    group = tuple(range(len(sizes)))
    while math.prod(sizes[: len(group)]) > ENTRIES:
        group = group[:-1]
    tables = Tables(Layout(columns, locations, (tuple(range(len(sizes))),)), (group,), sides="equal", movers=2)
    weights = np.arange(tables.weights) % 65536 - 32768
    evaluation = LearnedEvaluation("", tables, weights.astype(np.int16), 1.0, 1.0, bounded=False)
    code = code_of(evaluation.tables, TicTacToe(), evaluation.most, evaluation.bounded)
    index = function_from("read", "game, state, rows", [*code.lines, f"return {code.indices[0]}"], {})
    symbols = [min(max(number + 2, 0), size - 1) for number, size in zip(numbers, sizes, strict=False)]
    expected = sum(symbols[place] * math.prod(sizes[:place]) for place in group)
    assert index(TicTacToe(), tuple(numbers), code.rows) == expected


# -- compiled ----------------------------------------------------------------------------------------------------------


@kernel
def estimate_of(game, state, player):
    return game.evaluate(state, player)


def check_compiled(game, seed):
    evaluation = random_evaluation(game, random.Random(seed), entries=[10_000, 150_000][seed % 2])
    variant, rule = with_evaluation(game, evaluation), evaluation.rule(game)
    states, _ = looked_at(game)
    for state in random.Random(seed).sample(states, 60):
        for player in range(game.players):
            assert estimate_of(variant, state, player) == pytest.approx(rule(game, state, player), rel=1e-12, abs=1e-12)
    assert runs_compiled(variant)


@pytest.mark.compiled
def test_compiled_code_says_the_same():
    check_compiled(TicTacToe(), 1)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "game", [Breakthrough(4, 4), Oware(), ManyPlayerMNK(), Pig(12), TwentyFortyEight(), Hex(3), Fill(), Weighed(),
             Duel()], ids=repr,
)  # fmt: skip
@pytest.mark.parametrize("by_address", [False, True])
def test_compiled_code_of_all_games_says_the_same(game, by_address, monkeypatch):
    if by_address:
        monkeypatch.setattr(learned, "CONSTANT", 0)
    for seed in range(3):
        check_compiled(game, seed)


@each_game
def test_weights_that_are_read_by_address_say_the_same(game, monkeypatch):
    evaluation = random_evaluation(game, random.Random(3))
    states, _ = looked_at(game)
    expected = [evaluation(game, state, 0) for state in states[:20]]
    monkeypatch.setattr(learned, "CONSTANT", 0)
    other = replace(evaluation)
    rule = other.rule(game)
    assert "int16_at" in rule.__code__.co_names
    del other
    gc.collect()  # the rule keeps the weights
    noise = [np.full(len(evaluation.weights) + PADDING, number, np.int16) for number in range(8)]
    assert [rule(game, state, 0) for state in states[:20]] == expected
    assert len(noise) == 8


def test_a_rule_is_made_once_for_each_class():
    game = TicTacToe()
    evaluation = random_evaluation(game, random.Random(0))
    assert evaluation.rule(game) is evaluation.rule(TicTacToe())
    with pytest.raises(EvaluationError, match="learned for TicTacToe"):
        evaluation.rule(Hex(3))


@pytest.mark.parametrize("asked", [False, True])
def test_an_evaluation_can_be_pickled(asked):
    game = Weighed()
    evaluation = random_evaluation(game, random.Random(5))
    states, _ = looked_at(game)
    if asked:
        evaluation(game, states[0], 0)
    again = pickle.loads(pickle.dumps(evaluation))
    assert again.as_bytes() == evaluation.as_bytes()
    assert [again(game, state, 1) for state in states] == [evaluation(game, state, 1) for state in states]


def test_a_search_uses_it():
    game = TicTacToe()
    evaluation = random_evaluation(game, random.Random(2))
    state = game.initial_state()
    values = {
        action: evaluation(game, game.result(state, action), 0) for action in legal_actions(game, state)
    }  # fmt: skip
    analysis = AlphaBeta(game, evaluate=evaluation).search(state, Limit(depth=1))
    assert analysis.value == pytest.approx(max(values.values()))


# -- files -------------------------------------------------------------------------------------------------------------


def small_evaluation(game=None, seed=0):
    return replace(random_evaluation(game or Weighed(), random.Random(seed)), made={"games": 3, "seed": seed})


def large_evaluation(game):
    evaluations = (small_evaluation(game, seed) for seed in range(20))
    return next(each for each in evaluations if len(each.weights) > 2000)


@each_game
def test_a_file_has_the_same_content(game, tmp_path):
    evaluation = small_evaluation(game)
    evaluation.save(tmp_path / "a.learned")
    again = LearnedEvaluation.load(tmp_path / "a.learned", game)
    assert again.as_bytes() == evaluation.as_bytes() == (tmp_path / "a.learned").read_bytes()
    assert again.weights.tobytes() == evaluation.weights.tobytes()
    states, _ = looked_at(game)
    assert [again(game, state, 0) for state in states[:9]] == [evaluation(game, state, 0) for state in states[:9]]


def test_a_file_of_few_kilobytes():
    game = Othello(6)
    evaluation = large_evaluation(game)
    size = len(evaluation.as_bytes())
    states, _ = looked_at(game)
    assert evaluation.packed(1.01 * size / 1000).as_bytes() == evaluation.as_bytes()
    half = evaluation.packed(0.5 * size / 1000)
    assert len(half.as_bytes()) <= 0.5 * size
    assert half.scale > evaluation.scale
    error = evaluation.tables.copies * half.scale * evaluation.most  # of a weight, half a unit at most
    assert all(abs(half(game, state, 0) - evaluation(game, state, 0)) < error for state in states)
    with pytest.raises(EvaluationError, match=r"0\.1 kB are not enough"):
        evaluation.packed(0.1)


def test_weights_that_were_hardly_used_go_first():
    evaluation = large_evaluation(Othello(6))
    use = np.where(np.arange(len(evaluation.weights)) % 2, 1.0, 0.001)
    size = len(evaluation.as_bytes())
    assert evaluation.packed(1.01 * size / 1000, use).as_bytes() == evaluation.as_bytes()
    whole, used = evaluation.packed(0.6 * size / 1000), evaluation.packed(0.6 * size / 1000, use)
    assert len(used.as_bytes()) <= 0.6 * size
    errors = [abs(each.weights * each.scale - evaluation.weights * evaluation.scale) for each in (whole, used)]
    assert (errors[1][::2] > used.scale / 2).any()
    assert (errors[1][1::2] <= 1.5 * used.scale).all()
    assert used.scale < whole.scale
    assert (use * errors[1] ** 2).sum() < (use * errors[0] ** 2).sum()


def test_a_file_has_about_as_many_kilobytes_as_it_may():
    evaluation = large_evaluation(Othello(6))
    weights = np.random.default_rng(1).normal(0, 3000, len(evaluation.weights)).astype(np.int16)
    evaluation = replace(evaluation, weights=weights)
    size = len(evaluation.as_bytes())
    for share in 0.5, 0.6, 0.7, 0.8:
        assert share - 0.05 < len(evaluation.packed(share * size / 1000).as_bytes()) / size <= share


def error_of(path, game=None):
    """The error when a file is loaded; None if it is whole."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            LearnedEvaluation.load(path, game)
        except EvaluationError as error:
            words = str(error)
        else:
            return None
    assert str(path) in words
    assert len(words) < 700
    assert "\n" not in words
    return words


def test_a_file_that_is_cut_is_refused(tmp_path):
    content = small_evaluation().as_bytes()
    path = tmp_path / "cut.learned"
    for length in sorted(
        {*range(40), *range(0, len(content), 1 + len(content) // 60), *range(len(content) - 30, len(content))}
    ):
        path.write_bytes(content[:length])
        assert "not a whole file of outplay learn" in error_of(path)


def test_a_file_with_a_wrong_bit_is_refused_or_says_the_same(tmp_path):
    evaluation = small_evaluation()
    content = evaluation.as_bytes()
    path, dice, errors = tmp_path / "bit.learned", random.Random(0), 0
    for place in {
        *range(0, len(content), 1 + len(content) // 150),
        *range(80),
        *range(len(content) - 180, len(content)),
    }:
        wrong = bytearray(content)
        wrong[place] ^= 1 << dice.randrange(8)
        path.write_bytes(wrong)
        if error_of(path) is None:
            assert LearnedEvaluation.load(path).as_bytes() == content
        else:
            errors += 1
    assert errors > 200


@pytest.mark.parametrize(
    "content", [b"", b"PK", b"PK\5\6" + bytes(18), b"men 1.5\n", bytes(1000), b"\x93NUMPY\1\0"], ids=repr
)
def test_what_is_no_file_of_learning(content, tmp_path):
    path = tmp_path / "other"
    path.write_bytes(content)
    assert "this is not a whole file of outplay learn" in error_of(path)


def test_no_file_and_a_folder(tmp_path):
    assert "cannot be read: No such file" in error_of(tmp_path / "none")
    assert "cannot be read" in error_of(tmp_path)


def written(path, head, **arrays):
    """A file with this head."""
    archive = BytesIO()
    np.savez_compressed(archive, head=np.array(head if isinstance(head, str) else json.dumps(head)), **arrays)
    path.write_bytes(archive.getvalue())
    return path


def parts_of(evaluation):
    with np.load(BytesIO(evaluation.as_bytes())) as archive:
        return json.loads(str(archive["head"])), archive["weights"]


def test_another_game_and_other_parameters_are_refused(tmp_path):
    path = tmp_path / "a.learned"
    small_evaluation(ConnectFour(5, 4)).save(path)
    for game in ConnectFour(4, 5), ConnectFour(), TicTacToe():
        assert f"learned for ConnectFour(width=5, height=4), not for {game!r}" in error_of(path, game)
    assert error_of(path, ConnectFour(5, 4)) is None
    assert error_of(path) is None


class Edited(Fill):
    """The game as it was called, with other states."""

    def __repr__(self):
        return "Weighed()"

    players, zero_sum, constant_sum, utilities = 2, False, 1, (0, 1)
    feature_names = Weighed.feature_names

    def initial_state(self):
        return (0, 0)


class WithoutFeatures(Weighed):
    feature_names = ("cells",)

    def __repr__(self):
        return "Weighed()"


class Alone(Weighed):
    players, constant_sum = 1, None

    def __repr__(self):
        return "Weighed()"


def test_a_game_that_was_edited_is_refused(tmp_path):
    path = tmp_path / "a.learned"
    tables = replace(small_evaluation().tables, features=(0.0, 0.0, 0.0))
    LearnedEvaluation("Weighed()", tables, np.zeros(tables.weights, np.int16), 1.0, 0.5).save(path)
    assert "had another form when this evaluation was learned" in error_of(path, Edited())
    for game in WithoutFeatures(), Alone():
        assert "had other players or features when this evaluation was learned" in error_of(path, game)
    assert error_of(path, Weighed()) is None


NUMBERS = {
    "scale": [math.nan, math.inf, -1.0, 0, 1e300, "x", None, [], 10**400],
    "most": [math.nan, math.inf, -1.0, 0, 1e-300, 1e300, "x", None],
    "own": [math.nan, math.inf, -1.0, 1e-300, "x", None],
    "features": [[math.nan, 1, 1], [1e-320, 1, 1], [-1.0, 1, 1], [1] * 5, ["x"], 3, None],
    "players": [0, -1, 2, 10**9, 10**100, None],
    "movers": [0, -5, 1, 10**9, "x"],
    "sides": [None, 3, "others", []],
    "edges": [[math.nan], [2**70], [0] * 10**5, ["x"], 7],
    "images": [[], [[]], [[0]], [[0, 1, 2, 3, 4, 4]], [[0, 1, 2, 3, 4, 6]], [[-1, 0, 1, 2, 3, 4]], [list(range(7))], 5,
               [list(range(6))] * 10**4],
    "groups": [[[6]], [[-1]], [[0, 1, 2, 3, 4, 5] * 3], [[]] * 10**4, [[0]] * 10**5, "abc", [["x"]]],
    "columns": [[], [[["x()"], "number", []]], [[["__class__"], "number", []]], 3, [None], [[[], "number", []]] * 3000],
    "locations": [[], None, [{}], [{"name": "a", "symbols": 3, "parts": [[0, 0, 1]]}]],
    "clock": [[[[9**9, -1, 1, 0, 1, []], 1]], [[[0, 99, 1, 0, 1, []], 1]], [[[0, -1, 1, 0, 10**9, []], 1]], 4,
              [[[0, -1, 1, 0, 1, []], 2**80]], [[[0, -1, 1, 5, 0, []], 1]]],
    "score": [[["__init__"], "number", []], [[], "length", []], 4, "x"],
    "format": ["outplay learned evaluation 3", None, "x" * 10**5],
    "game": [None, 5, "Other", "x\n" * 1000],
    "made": [3, "abc", [1]],
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_contradictory_numbers_are_refused(name, tmp_path):
    evaluation = small_evaluation()
    for value in NUMBERS[name]:
        head, weights = parts_of(evaluation)
        head[name] = value
        path = written(tmp_path / "a.learned", head, weights=weights)
        assert error_of(path, Weighed()), value
    for head in parts_of(evaluation)[0] | {name: 1}, {}, [], 3, None, "[" * 10**5, "{", "":
        if isinstance(head, dict):
            head.pop(name, None)
        path = written(tmp_path / "a.learned", head, weights=weights)
        assert error_of(path)


def test_a_turn_that_cannot_be_read_is_refused(tmp_path):
    head, weights = parts_of(small_evaluation(Pig(12)))
    column, *others = head["turn"]
    assert others == [-1, 1, 0, 1, [0, 1]]
    for drawn in [0, 2], [0, -1], [0, 10**9], [0], [], "ab":
        path = written(tmp_path / "a.learned", head | {"turn": [column, -1, 1, 0, 1, drawn]}, weights=weights)
        assert error_of(path, Pig(12)), drawn
    for turn in [*PARTS[:-1], [column, 0, 1, 0, 1, [0, 1]], [column, -1, 1, 2**80, 2**80 + 1, [0, 1]]]:
        path = written(tmp_path / "a.learned", head | {"turn": turn}, weights=weights)
        assert error_of(path, Pig(12)), turn


PARTS = [
    [99, -1, 1, 0, 2, []], [-1, -1, 1, 0, 2, []], [0, 64, 1, 0, 2, []], [0, -2, 1, 0, 2, []], [0, -1, -1, 0, 2, []],
    [0, -1, 10**9, 0, 2, []], [0, -1, 1, 0, 10**9, []], [0, -1, 1, 3, 2, []], [0, -1, 1, 0, 2, [0, 1]],
    [0, -1, 1, 0, 2, [0, 1, 99]], [0, -1, 1, 0, 2, [0, 1, -9]], [0, -1, 1, 2**90, 2**90 + 1, []], [0], "abcdef", None,
]  # fmt: skip


@pytest.mark.parametrize("part", PARTS, ids=repr)
def test_parts_that_cannot_be_read_are_refused(part, tmp_path):
    head, weights = parts_of(small_evaluation())
    head["locations"][2]["parts"] = [part]
    assert error_of(written(tmp_path / "a.learned", head, weights=weights))


@pytest.mark.parametrize("symbols", [0, -3, 17, 10**9, "x", None, 1])
def test_numbers_of_symbols_that_do_not_fit_are_refused(symbols, tmp_path):
    head, weights = parts_of(small_evaluation())
    head["groups"] = [[0, 1, 2, 3, 4, 5]]
    for location in head["locations"]:
        location["symbols"] = symbols
    assert error_of(written(tmp_path / "a.learned", head, weights=weights))


def test_weights_of_another_shape_or_kind_are_refused(tmp_path):
    head, weights = parts_of(small_evaluation())
    path = tmp_path / "a.learned"
    for wrong in weights[:-1], weights[:, None], weights.astype(np.int32), weights.astype("U5"), weights.astype(float):
        assert error_of(written(path, head, weights=wrong))
    assert error_of(written(path, head))
    archive = BytesIO()
    np.savez(archive, head=np.array(json.dumps(head)), weights=np.array([print], object))
    path.write_bytes(archive.getvalue())
    assert error_of(path)


def test_a_file_that_claims_much_takes_no_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(learned, "MAX_BYTES", 1 << 25)
    head, weights = parts_of(small_evaluation())
    path = tmp_path / "a.learned"
    for make in (
        lambda: written(path, head, weights=np.zeros(1 << 25, np.int16)),
        lambda: written(path, json.dumps(head) + " " * (1 << 24), weights=weights),
        lambda: path.write_bytes(claiming(head, weights)),
    ):
        make()
        gc.collect()
        tracemalloc.start()
        assert error_of(path)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 150e6


def claiming(head, weights):
    """A file whose array says that it has a million million entries."""
    archive, header = BytesIO(), BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<i2", "fortran_order": False, "shape": (10**12,)})
    np.savez(archive, head=np.array(json.dumps(head)))
    with zipfile.ZipFile(archive, "a") as file:
        file.writestr("weights.npy", b"\x93NUMPY\1\0" + header.getvalue() + weights.tobytes())
    return archive.getvalue()


def random_value(dice):
    return dice.choice([
        None, True, 0, 1, -1, 2, 3, 15, 16, 17, 63, 64, 65535, 65536, 2**31, 2**63, -(2**63), 10**30, 0.5, math.nan,
        math.inf, "", "x", "number", "turn", "__class__", "import os", [], [[]], {}, [0], [1, 2, 3],
        list(range(6)), [["x"]],
    ])  # fmt: skip


def damaged(value, dice):
    """The plain value with something in it replaced, left out or repeated."""
    if isinstance(value, dict) and value and dice.random() < 0.95:
        key = dice.choice(list(value))
        return {**value, key: damaged(value[key], dice)}
    if isinstance(value, list) and value and dice.random() < 0.85:
        place = dice.randrange(len(value))
        how = dice.random()
        if how < 0.1:
            return value[:place] + value[place + 1 :]
        if how < 0.2:
            return [*value, value[place]]
        return [damaged(each, dice) if at == place else each for at, each in enumerate(value)]
    if isinstance(value, int) and not isinstance(value, bool) and dice.random() < 0.5:
        return value + dice.choice([-1, 1, 2, -2, 100])
    return random_value(dice)


def check_hostile(seed, path):
    """A file with a damaged head is refused, or all it says is a number, read inside the tables."""
    dice = random.Random(seed)
    game = dice.choice([Weighed(), TicTacToe(), Pig(12), Collect()])
    head, weights = parts_of(small_evaluation(game, seed % 5))
    for _ in range(dice.choice([1, 1, 2, 3])):
        head = damaged(head, dice)
    if error_of(written(path, head, weights=weights), game):
        return True
    evaluation = LearnedEvaluation.load(path, game)
    code = code_of(evaluation.tables, game, evaluation.most, evaluation.bounded)
    read = function_from("read", "game, state, rows", [*code.lines, f"return [{', '.join(code.indices)}]"],
                         {"own": type(game).evaluate, "log": math.log})  # fmt: skip
    states, _ = looked_at(game)
    for state in states[:6]:
        with np.errstate(over="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                value = evaluation(game, state, 0)
                indices = read(game, state, code.rows)
            except (TypeError, IndexError, KeyError, AttributeError):  # a column that other states do not have
                continue
        assert isinstance(value, float), seed
        assert not math.isnan(value), seed
        assert all(0 <= index < evaluation.tables.of_one_player + PADDING for index in indices), seed
    return False


def test_a_hostile_head(tmp_path):
    refused = sum(check_hostile(seed, tmp_path / "a.learned") for seed in range(250))
    assert 60 < refused < 250


@pytest.mark.nightly
def test_many_hostile_heads(tmp_path):
    for seed in range(1000, 6000):
        check_hostile(seed, tmp_path / "a.learned")


def test_the_form_of_tables_is_the_same_after_a_way_through_json():
    for game in GAMES:
        tables = random_evaluation(game, random.Random(7)).tables
        plain = json.loads(json.dumps(form_of(tables)))
        assert form_of(form_from(plain)) == form_of(tables)
