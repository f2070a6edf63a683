"""Games whose actions are tuples, strings, enums or None: searches give them as the rules do, at both speeds."""

import enum
import pickle
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as some
from programs.two_speeds import interpreted
from shared import rows

import outplay.rules.numbered
from outplay import MCTS, AlphaBeta, Game, Limit, check_game, compile_report
from outplay.compile.kernels import runs_compiled
from outplay.compile.native import RunsInterpretedWarning
from outplay.rules.action_codec import codec, kind_of, merged, widths_of, with_words
from outplay.rules.numbered import numbered


class Taking(Game):
    """Who takes the last of 7 wins; an action is worth how many it takes."""

    utilities = (-1, 1)

    def initial_state(self):
        return (7, 0)

    def to_move(self, state):
        return state[1]

    def result(self, state, action):
        return (state[0] - self.worth(action), 1 - state[1])

    def is_terminal(self, state):
        return state[0] <= 0

    def utility(self, state, player):
        return -1 if state[1] == player else 1


class Pairs(Taking):
    def actions(self, state):
        return [(row, taken) for row in range(-1, 2) for taken in (1, 2, 3) if taken <= state[0]]

    def worth(self, action):
        return action[1]


class Nested(Taking):
    def actions(self, state):
        return [((0, 1), (taken, -3)) for taken in (1, 2, 3) if taken <= state[0]]

    def worth(self, action):
        return action[1][0]


class Move(NamedTuple):
    is_jump: bool
    taken: int


class Moves(Taking):
    def actions(self, state):
        return [Move(taken > 1, taken) for taken in (1, 2) if taken <= state[0]]

    def worth(self, action):
        return action.taken + (1 if action.is_jump else 0)


class Words(Taking):
    def actions(self, state):
        return [word for word in ("a", "bb", "ccc") if len(word) <= state[0]]

    def worth(self, action):
        return len(action)


class Side(enum.Enum):
    ONE = 1
    TWO = 2


class Sides(Taking):
    def actions(self, state):
        return [side for side in Side if side.value <= state[0]]

    def worth(self, action):
        return action.value


class Passes(Taking):
    def actions(self, state):
        return [None, 2] if state[0] > 1 else [None]

    def worth(self, action):
        return 1 if action is None else action


class Absent(Taking):
    """Parts of an action may be None: a bool, a tuple, and a tuple in a tuple."""

    def actions(self, state):
        all_ = [("a", None, None), ("b", (2, None), True), ("c", (1, (3, Side.TWO)), False)]
        return [action for action in all_ if self.worth(action) <= state[0]]

    def worth(self, action):
        _name, pair, mark = action
        if pair is None:
            return 1
        return pair[0] + (0 if pair[1] is None else pair[1][0] - pair[1][1].value) + (1 if mark else 0)


class Kinds(Taking):
    def actions(self, state):
        return [each for each in (1, "ab", (1, 2, 3)) if self.worth(each) <= state[0]]

    def worth(self, action):
        return action if isinstance(action, int) else len(action)


class Long(Taking):
    def actions(self, state):
        return [word for word in ("abcdefghijklmn", "ä𝄞", "") if self.worth(word) <= state[0]]

    def worth(self, action):
        return 1 + len(action) % 3


class Names(Taking):
    def actions(self, state):
        all_ = [("Foreign Aid", None, 1), ("Assassination", "the other one", 2), ("Exchange of cards", None, 3)]
        return [action for action in all_ if action[2] <= state[0]]

    def worth(self, action):
        return action[2] if action[1] is None else len(action[1]) - 11


class Large(Taking):
    def actions(self, state):
        return [action for action in ((2**70, 1), (0, 2)) if action[1] <= state[0]]

    def worth(self, action):
        return action[1]


COMPILED = (Pairs, Nested, Moves, Words, Sides, Passes, Absent, Long, Names)
TABLED = (Kinds, Large)


def shown(analysis):
    rows = [(row.action, type(row.action), row.value, row.line) for row in analysis.actions]
    return rows, analysis.action, analysis.line, analysis.text if hasattr(analysis, "text") else ""


@pytest.mark.compiled
@pytest.mark.sample(1)
@pytest.mark.parametrize("game_class", COMPILED + TABLED)
def test_both_speeds_give_the_actions_of_the_rules(game_class):
    game, plain = game_class(), interpreted(game_class)()
    assert runs_compiled(numbered(game)) is (game_class in COMPILED)
    found, expected = (AlphaBeta(each).analyse() for each in (game, plain))
    assert shown(found) == shown(expected)
    state = game.initial_state()
    for action in found.line:
        assert action in game.actions(state)
        state = game.result(state, action)
    assert {type(row.action) for row in found.actions} == {type(action) for action in game.actions((7, 0))}


@pytest.mark.sample(1)
@pytest.mark.parametrize("game_class", [Pairs, Words, Sides])
def test_simulations_and_progress(game_class):
    seen = []
    search = MCTS(game_class(), seed=5)
    analysis = search.search(limit=Limit(nodes=300), progress=seen.append)
    assert analysis.action in game_class().actions((7, 0))
    assert all(each.action is None or each.action in game_class().actions((7, 0)) for each in seen)
    again = pickle.loads(pickle.dumps(search))
    assert again == search
    assert shown(again.search(limit=Limit(nodes=300))) == shown(analysis)


PARTS = some.recursive(
    some.one_of(some.integers(-(2**4), 2**4), some.booleans(), some.text("abc XYZ~", max_size=1)),
    lambda inner: some.lists(inner, min_size=1, max_size=2).map(tuple),
    max_leaves=4,
)


@given(PARTS)
def test_the_number_of_an_action_gives_the_action(action):
    kind = kind_of(action)
    encode, decode = codec(kind, widths_of(kind, [action]))
    number = encode(action)
    assert 0 <= number < 2**62
    assert repr(decode(number)) == repr(action)


def without_parts(action, random):
    """The action, with None for some of its parts."""
    if random.random() < 0.3:
        return None
    return tuple(without_parts(part, random) for part in action) if isinstance(action, tuple) else action


@given(PARTS, some.randoms(use_true_random=False))
def test_the_number_of_an_action_with_parts_that_are_none_gives_the_action(action, random):
    seen = [action, *(without_parts(action, random) for _ in range(4))]
    kind = merged(set(map(kind_of, seen)))
    for form in (kind, with_words(kind, seen)) if kind else ():
        widths = widths_of(form, seen)
        if widths:
            encode, decode = codec(form, widths)
            assert [repr(decode(encode(each))) for each in seen] == list(map(repr, seen))
            assert len(set(map(encode, seen))) == len(set(map(repr, seen)))


def test_an_action_of_a_kind_that_cannot_be_hashed_has_none():
    with pytest.raises(TypeError):
        kind_of([1])


def test_a_text_that_was_not_seen_has_no_number():
    kind = with_words(kind_of(("Foreign Aid", 1)), [("Foreign Aid", 1), ("Coup", 2)])
    encode, decode = codec(kind, widths_of(kind, [("Foreign Aid", 1)]))
    assert decode(encode(("Coup", 3))) == ("Coup", 3)
    with pytest.raises(ValueError, match="a text that random games do not show"):
        encode(("Tax", 1))


@pytest.mark.parametrize(
    ("action", "reason"),
    rows(
        {
            "too long": (("abcdefghi", 1), "more than 7 characters"),
            "not ASCII": (("ä", 1), "not ASCII"),
            "too large": (("a", 2**30), "more than 11 bits"),
        }
    ),
)
def test_what_has_no_number_is_an_error_not_another_action(action, reason):
    encode, _ = codec(kind_of(action), widths_of(kind_of(action), [("ab", 5)]))
    with pytest.raises(ValueError, match=reason):
        encode(action)


class Rare(Taking):
    """The first random games see short words alone."""

    def actions(self, state):
        return [word for word in ("ab", "c") if self.worth(word) <= state[0]] if state[0] > 1 else ["abcdefghijkl"]

    def worth(self, action):
        return 1 + len(action) % 2

    def result(self, state, action):
        return (max(0, state[0] - self.worth(action)), 1 - state[1])


@pytest.mark.compiled
def test_an_action_that_was_not_expected_makes_the_game_run_interpreted(monkeypatch):
    expected = shown(AlphaBeta(interpreted(Rare)()).analyse())
    monkeypatch.setattr(outplay.rules.numbered, "PLIES", 1)
    game = Rare()
    search = AlphaBeta(game)
    assert runs_compiled(search.game)
    with pytest.warns(RunsInterpretedWarning, match="Rare runs interpreted: an action has a text of more than") as told:
        analysis = search.analyse()
    assert len(told) == 1
    assert shown(analysis) == expected
    assert shown(AlphaBeta(game).analyse()) == expected
    assert check_game(Rare(), playouts=5).ok
    report = compile_report(Rare())
    assert not report.ok
    assert not report.failure
    assert report.notes[0].startswith("an action has a text of more than")


KINDS_OF_WORDS = {"first": ["Foreign Aid"], "others": ("Assassination",)}


def word_of(number):
    return "Exchange" if number > 1 else KINDS_OF_WORDS["first"][0]


class Referring(Taking):
    ends = frozenset(["the end of it"])

    def actions(self, state):
        return [(word_of(number), "a second text", number) for number in (1, 2) if number <= state[0]]

    def worth(self, action):
        return action[2]


def test_texts_are_looked_for_in_the_rules_and_what_they_refer_to():
    encode, decode = (numbered(Referring()).encode, numbered(Referring()).decode)
    for word in ("Exchange", "Assassination", "the end of it"):
        assert decode(encode((word, "a second text", 2))) == (word, "a second text", 2)
    with pytest.raises(ValueError, match="a text that random games do not show"):
        encode(("no text of the rules", "a second text", 2))
