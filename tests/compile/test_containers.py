"""States with lists, dicts, sets, strings, None and objects: both speeds are equal, or the rules run interpreted."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from programs.container_cases import COMPILED, INTERPRETED
from programs.two_speeds import both, interpreted, load
from shared import rows

from outplay import MCTS, AlphaBeta, Game, Limit, RulesError, check_game
from outplay.compile.kernels import cast_state, runs_compiled
from outplay.compile.native.cells import read, write
from outplay.compile.native.census_types import native_types
from outplay.compile.native.state_type import NotNative, closed, type_of
from outplay.compile.value_kinds import Place, Walk
from outplay.rules.base import checked
from outplay.search.perft import perft

pytestmark = pytest.mark.compiled


@pytest.mark.sample(4)
@pytest.mark.parametrize(("name", "text"), rows({name: (name, text) for name, text in COMPILED.items()}))
def test_both_speeds_are_equal(name, text, tmp_path):
    compiled, found, expected = both(load(name, text, tmp_path))
    assert compiled
    assert found == expected


@pytest.mark.sample(4)
@pytest.mark.parametrize(("name", "text"), rows({name: (name, text) for name, text in INTERPRETED.items()}))
def test_what_would_differ_runs_interpreted(name, text, tmp_path):
    compiled, found, expected = both(load(name, text, tmp_path))
    assert not compiled
    assert found == expected


# -- states as cells --------------------------------------------------------------------------------------------------

NUMBERS = (
    some.integers(-(2**63), 2**63 - 1),
    some.booleans(),
    some.floats(allow_nan=False),
    some.text(max_size=4),
)


@settings(max_examples=80)
@given(some.data())
def test_a_state_is_read_as_it_was_written(data):
    item = data.draw(some.sampled_from(NUMBERS))
    for _ in range(data.draw(some.integers(0, 2))):
        item = data.draw(some.sampled_from([some.lists(item, max_size=3), some.tuples(item, item)]))
    keys = data.draw(some.sampled_from([NUMBERS[0], NUMBERS[3], some.tuples(NUMBERS[0], NUMBERS[3])]))
    state = data.draw(
        some.tuples(item, some.dictionaries(keys, NUMBERS[0], max_size=3), some.sets(NUMBERS[0], max_size=3))
    )

    class Still(Heaps):
        def initial_state(self):
            return copy.deepcopy(state)

    try:
        typ = native_types(Still())[0]
    except NotNative:  # the same container is in two places
        return
    again = read(iter(list(write(state, typ))), typ)
    assert repr(again[:2]) == repr(state[:2])
    assert sorted(map(repr, again[2])) == sorted(map(repr, state[2]))  # nothing that compiles depends on their order


ARRAYS = [np.zeros(2), np.zeros(2, np.int8), np.zeros((1, 1))]
LEAVES = some.sampled_from(
    [0, 1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, True, 0.5, "a", "", None, *ARRAYS],
)
KEYS = some.sampled_from([1, 2, 2**63, "a", (1, "b"), (1, 2), True])
VALUES = some.recursive(
    LEAVES,
    lambda items: some.one_of(
        some.lists(items, max_size=3),
        some.lists(items, max_size=2).map(tuple),
        some.dictionaries(KEYS, items, max_size=2),
        some.sets(KEYS, max_size=3),
        LEAVES.map(lambda item: Board([[item]])),
    ),
    max_leaves=4,
)


def shown(value):
    """A value in a text that shows boards by what is in them."""
    return pickle.dumps(value) if "Board" in repr(value) else repr(value)


@settings(max_examples=120)
@given(some.lists(LEAVES | VALUES, min_size=1, max_size=8))
def test_a_place_has_a_type_that_holds_all_that_was_seen_there(values):
    place = Place()
    for value in values:
        Walk().note(place, value)
        walk = Walk()
        walk.note(place, value)
        assert not walk.has_news, "what was seen before is no news"
    try:
        typ = closed(type_of(place, "the value"), "")
    except NotNative:
        return
    for value in values:
        assert shown(read(iter(list(write(value, typ))), typ)) == shown(value)


class Heaps(Game):
    """Nim on a list of heaps, as people write it."""

    utilities = (-1, 1)

    def initial_state(self):
        return {"heaps": 0, "left": 5, "turn": 0}

    def to_move(self, state):
        return state["turn"]

    def actions(self, state):
        return [taken for taken in (1, 2, 3) if taken <= state["left"]]

    def result(self, state, action):
        new = state.copy()
        new["left"] -= action
        new["turn"] = 1 - new["turn"]
        return new

    def is_terminal(self, state):
        return state["left"] == 0

    def utility(self, state, player):
        return -1 if state["turn"] == player else 1


class Board:
    size = 3

    def __init__(self, cells, turn=0):
        self.cells, self.turn, self.last = cells, turn, None

    def free(self):
        return [place for place, owner in enumerate(self.cells) if owner is None]

    def play(self, place):
        child = copy.deepcopy(self)
        child.cells[place] = self.turn
        child.last = place
        child.turn = 1 - self.turn
        return child

    @property
    def winner(self):
        for a in range(len(self.cells) - 2):
            row = self.cells[a : a + 3]
            if row[0] is not None and row[0] == row[1] and row[0] == row[2]:
                return row[0]
        return None


class Lines(Game):
    """Three in a row on a strip of cells: the state is an object with a list of what may be None."""

    utilities = (-1, 1)

    def __init__(self, length=6):
        self.length = length

    def initial_state(self):
        return Board([None for _ in range(self.length)])

    def to_move(self, state):
        return state.turn

    def actions(self, state):
        return state.free()

    def result(self, state, action):
        return state.play(action)

    def is_terminal(self, state):
        return state.winner is not None or len(state.free()) == 0

    def utility(self, state, player):
        winner = state.winner
        if winner is None:
            return 0
        return 1 if winner == player else -1


@pytest.mark.nightly
@pytest.mark.sample(1)
@pytest.mark.parametrize("game_class", [Heaps, Lines])
def test_searches_give_the_same_answers(game_class):
    game, plain = game_class(), interpreted(game_class)()
    assert runs_compiled(game)
    answers = [AlphaBeta(each).analyse() for each in (game, plain)]
    assert answers[0].actions == answers[1].actions
    assert perft(game, 4).divided == perft(plain, 4).divided
    limits = Limit(nodes=300)
    trees = [MCTS(each, seed=3).search(limit=limits) for each in (game, plain)]
    assert trees[0].actions == trees[1].actions
    assert runs_compiled(game)


@pytest.mark.nightly
@pytest.mark.parametrize("options", [{}, {"threads": 2}])
def test_many_simulations_do_not_leak(options):
    """A list that is never given back would take 100 bytes a node."""
    resource = pytest.importorskip("resource")
    search = MCTS(Lines(9), seed=1, **options)
    search.search(limit=Limit(nodes=20_000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(10):
        search.search(limit=Limit(nodes=20_000))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


@pytest.mark.nightly
def test_the_laws_hold_for_states_with_containers():
    for game in (Heaps(), Lines(4)):
        assert not check_game(game, playouts=20, seconds=5).failures


@pytest.mark.nightly
def test_checked_rules_compile():
    found, answer, expected = both(type(checked(Lines(4))))
    assert found
    assert answer == expected


# -- what is not a state ----------------------------------------------------------------------------------------------


def test_a_state_with_a_container_in_two_places_is_refused():
    game = Lines(4)
    assert runs_compiled(game)

    class Rows(Game):
        def initial_state(self):
            return [[1], [2]]

        def to_move(self, state):
            return 0

        def actions(self, state):
            return [1]

        def result(self, state, action):
            return [[0], [0]]

        def is_terminal(self, state):
            return state[0][0] == 0

        def utility(self, state, player):
            return 0

    row = [1]
    game = Rows()
    with pytest.raises(RulesError, match="the same list is in two places"):
        AlphaBeta(game).search([row, row])
    for wrong in ([1], [[1], ["a"]], [(1,)], "ab", [[1.5]], [[2**63]], [[None]]):
        with pytest.raises(RulesError, match="is not a state"):
            cast_state(game, wrong)


# -- what has changed -------------------------------------------------------------------------------------------------


class Pile:
    worth = 3
    weights = np.array([1, 2, 3])

    def __init__(self, left, total=0):
        self.left, self.total = left, total

    def more(self):
        return self.total + self.worth + int(self.weights[1])


class Piles(Game):
    def initial_state(self):
        return Pile(4)

    def to_move(self, state):
        return state.left % 2

    def actions(self, state):
        return [1, 2] if state.left > 1 else [1]

    def result(self, state, action):
        return Pile(state.left - action, state.more() * 3 + action)

    def is_terminal(self, state):
        return state.left <= 0

    def utility(self, state, player):
        return state.total if player == 0 else -state.total


@pytest.mark.nightly
def test_an_edit_of_the_class_of_the_state_is_noticed(monkeypatch):
    seen = set()

    def look():
        compiled, found, expected = both(Piles)
        assert compiled
        assert found == expected
        seen.add(found)

    look()
    monkeypatch.setattr(Pile, "worth", 8)
    look()
    monkeypatch.setattr(Pile, "weights", np.array([4, 9, 6]))
    look()
    Pile.weights[1] = 7
    look()
    monkeypatch.setattr(Pile, "more", lambda self: self.total * 2 + 1)
    look()
    monkeypatch.setattr(Pile, "extra", lambda self: 4, raising=False)
    monkeypatch.setattr(Pile, "more", lambda self: self.total + self.extra())
    look()
    monkeypatch.setattr(Pile.__init__, "__defaults__", (5,))
    look()
    assert len(seen) == 7


PROGRAM = """
import sys
from programs.two_speeds import both
from outplay import Game

class G(Game):
    def initial_state(self): return (4, {STATE})
    def to_move(self, s): return s[0] % 2
    def actions(self, s): return [1, 2] if s[0] > 1 else [1]
    def result(self, s, a):
        new = s[1].copy()
        new.add({ITEM})
        return (s[0] - a, new)
    def is_terminal(self, s): return s[0] <= 0
    def utility(self, s, p): return len(s[1]) if p == 0 else -len(s[1])
"""


@pytest.mark.nightly
def test_code_from_two_processes_is_not_confused(python, tmp_path, monkeypatch):
    """Each of two processes compiles the games of one module; a third loads both."""
    monkeypatch.setenv("PYTHONPATH", str(__import__("pathlib").Path(__file__).parents[1]))
    for name, state, item in (("one", "(1, 2)", "(a, 2)"), ("two", "(1, (2, 3))", "(a, (2, 2))")):
        (tmp_path / f"{name}.py").write_text(PROGRAM.replace("{STATE}", f"{{{state}}}").replace("{ITEM}", item))
    for modules in (["one"], ["two"], ["one", "two"]):
        lines = [f"import {name}; compiled, x, y = both({name}.G); print(compiled and x == y)" for name in modules]
        answers = python("-c", "\n".join(["from programs.two_speeds import both", *lines]))
        assert answers.split() == ["True"] * len(modules)
