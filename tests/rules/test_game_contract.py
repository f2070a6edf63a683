"""The contract of `Game`: what a subclass must define, what it gets for free, and that a game is a value."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest
from shared.countdown import Countdown, State

from outplay import CHANCE, AlphaBeta, Game, IllegalAction, OutplayError, defines, kernel, legal_actions
from outplay.compile.kernels import cast_state
from outplay.games import MNK, ConnectFour, ExplicitTree, Kalah, ManyPlayerMNK, Nim, TicTacToe
from outplay.rules.game import CONCLUSIONS

RULES = ("initial_state", "to_move", "actions", "result", "is_terminal", "utility")


class Dice(Countdown):
    def to_move(self, state):
        return CHANCE

    def probability(self, state, action):
        return 0.5


class Blind(Countdown):
    def information(self, state, player):
        return state.turn


class OfAnything(Countdown):
    """Parameters of every kind."""

    def __init__(self, size, name="x", /, walls=(), *rest, table=None, **options):
        self.size, self.name, self.walls, self.rest, self.table, self.options = size, name, walls, rest, table, options
        self.start = 3


class OnlyNamed(Countdown):
    def __init__(self, *, width=7, height=6, ratio=0.5, text="a'b", flags=(True, False), cells=None):
        self.width, self.height, self.ratio, self.text, self.flags, self.cells = (
            width,
            height,
            ratio,
            text,
            flags,
            cells,
        )


class Lettered(Countdown):
    def action_name(self, state, action):
        return {1: "one", 2: "two"}[action]


class Named(Countdown):
    """Constructor parameters that reach no attribute of that name."""

    def __init__(self, start=5, twice=False):
        super().__init__(start * (2 if twice else 1))


# -- the rules --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_must_be_defined(rule):
    without = type("Without", (Game,), {name: getattr(Countdown, name) for name in RULES if name != rule})
    with pytest.raises(TypeError, match=rule):
        without()


def test_chance_is_a_player_of_its_own():
    assert CHANCE == -1
    assert CHANCE not in range(Countdown.players)


@pytest.mark.compiled
def test_what_a_game_need_not_define():
    game = Countdown()
    state = game.initial_state()
    assert game.evaluate(state, 0) == 0
    assert game.order(state, 1) == 0
    assert game.is_quiet(state)
    assert game.key(state) == state
    assert game.symmetries(state) == (state,)
    assert game.features(state) == ()
    assert game.information(state, 1) == state
    assert game.render(state) == str(state)
    assert game.action_name(state, 2) == "2"
    assert game.parse_action(state, "2") == 2
    assert (game.players, game.zero_sum, game.utilities, game.compiled) == (2, True, None, None)
    with pytest.raises(NotImplementedError, match=r"Countdown has chance nodes but does not define probability\(\)"):
        game.probability(state, 1)


def test_defining_probability_or_information_declares_it():
    assert (Countdown.has_chance, Countdown.hidden_information) == (False, False)
    assert (Dice.has_chance, Dice.hidden_information) == (True, False)
    assert (Blind.has_chance, Blind.hidden_information) == (False, True)

    class Inherits(Dice, Blind):
        pass

    class SaysNo(Dice):
        has_chance = False

        def probability(self, state, action):
            return 1.0

    assert (Inherits.has_chance, Inherits.hidden_information) == (True, True)
    assert SaysNo.has_chance is False


def test_defines_is_about_the_class_and_those_above_it_but_game():
    class Variant(Dice):
        pass

    optional = ("probability", "evaluate", "information", "order", "key")
    assert [defines(Variant(), rule) for rule in optional] == [True, False, False, False, False]
    assert all(defines(Variant(), rule) for rule in RULES)


class Misere(ConnectFour):
    """Whoever has a line loses."""

    def utility(self, position, player):
        return -super().utility(position, player)


class Painted(ConnectFour):
    """The same game."""

    def render(self, state):
        return "x"

    def evaluate(self, state, player):
        return 0.0


class Trusting(Misere):
    """The mirror still holds."""

    symmetries = ConnectFour.symmetries


def test_what_follows_from_rules_that_are_changed_is_not_inherited():
    """An exact value would be wrong with it: without lines to avoid, nobody has to lose."""
    for rule in CONCLUSIONS:
        assert defines(Painted(), rule)
        assert not defines(Misere(), rule)
        assert defines(Trusting(), rule) == (rule == "symmetries")
    game = Misere(width=4, height=3)
    right = AlphaBeta(game, hints=False, symmetry=False).search().value
    assert right == -1.0
    assert AlphaBeta(game).search().value == AlphaBeta(Trusting(width=4, height=3)).search().value == right
    assert all(defines(each(), "symmetries") for each in (TicTacToe, ManyPlayerMNK))  # their rules are their own


@pytest.mark.parametrize(
    "form",
    [
        lambda squares: (square for square in squares),
        list,
        tuple,
        lambda squares: np.array(squares, np.int64),
        lambda squares: np.array(squares, np.int8),
        lambda squares: sum(1 << square for square in squares),
        lambda squares: np.int64(sum(1 << square for square in squares)),
        lambda squares: np.uint64(sum(1 << square for square in squares)),
    ],
    ids=["generator", "list", "tuple", "array", "narrow array", "mask", "NumPy mask", "unsigned mask"],
)
def test_actions_come_in_any_form_and_are_ints(form):
    class Formed(Countdown):
        def actions(self, state):
            return form([1, 5, 40, 62] if state.left else [])

    found = list(legal_actions(Formed(), State(5, 0)))
    assert found == [1, 5, 40, 62]
    assert {type(action) for action in found} == {int}  # of any size: 1 << action is what it says
    assert list(legal_actions(Formed(), State(0, 0))) == []


@pytest.mark.parametrize(
    "mask", [1 << 63 | 2, np.uint64(1 << 63 | 2), -(1 << 63) | 2], ids=["int", "unsigned", "signed"]
)
def test_a_mask_has_64_bits(mask):
    class Masked(Countdown):
        def actions(self, state):
            return mask

    assert list(legal_actions(Masked(), State(5, 0))) == [1, 63]


def test_parse_action_is_the_inverse_of_action_name():
    game = Lettered()
    for state in (State(5, 0), State(1, 1)):
        for action in legal_actions(game, state):
            parsed = game.parse_action(state, game.action_name(state, action))
            assert parsed == action
            assert type(parsed) is int


def test_parse_action_names_what_is_legal():
    game = Lettered()
    with pytest.raises(IllegalAction, match=r"'twoo' is not a legal action here; did you mean two\? legal: one, two"):
        game.parse_action(State(5, 0), "twoo")
    with pytest.raises(IllegalAction, match=r"'two' is not .*; .*legal: one$"):
        game.parse_action(State(1, 0), "two")
    with pytest.raises(ValueError, match="legal: none"):
        game.parse_action(State(0, 0), "one")
    assert issubclass(IllegalAction, OutplayError)


# -- a game is a value ------------------------------------------------------------------------------------------------

GAMES = [
    Countdown(),
    Countdown(9),
    Countdown(start=9),
    Dice(3),
    Named(2, twice=True),
    OnlyNamed(),
    OnlyNamed(width=3, ratio=0.1, text='"', flags=(False, (1, 2)), cells=[[1], [2, {"a": None}]]),
    OfAnything(3),
    OfAnything(3, "y"),
    OfAnything(3, "x", (1, 2)),
    OfAnything(3, table={"a": 1}),
    OfAnything(3, colour="red", depth=2),
    OfAnything(3, "y", (1, 2), 8, 9),
    OfAnything(3, "x", (), 8),
    OfAnything(3, "x", table=np.array([[1, 2], [3, 4]])),
    OfAnything({1, 2}),
    ConnectFour(),
    ConnectFour(5, 4),
    MNK(4, 3, 3),
    TicTacToe(),
    Nim((1, 2, 3), misere=True),
    Kalah(2, seeds=3, empty_capture=False),
    ExplicitTree([[3, 12], [{"utility": [1, -1]}, 2]]),
]
NAMES = {**globals(), "array": np.array}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: type(game).__name__)
def test_repr_makes_the_game_again(game):
    again = eval(repr(game), NAMES)
    assert again == game
    assert repr(again) == repr(game)
    assert again._arguments.keys() == game._arguments.keys()


def test_repr_says_only_what_is_not_the_default():
    assert repr(Countdown()) == repr(Countdown(5)) == "Countdown()"
    assert repr(ConnectFour(height=4)) == "ConnectFour(height=4)"


def pickled(game):
    return pickle.loads(pickle.dumps(game))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: type(game).__name__)
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled])
def test_copies_are_equal_and_pickles_too(game, again):
    twin = again(game)
    assert type(twin) is type(game)
    assert twin == game
    assert hash(twin) == hash(game)
    assert repr(twin) == repr(game)
    assert vars(twin).keys() == vars(game).keys()


def test_games_of_other_parameters_or_classes_differ():
    games = [game for i, game in enumerate(GAMES) if i != 2]
    assert len(set(games)) == len(games)
    assert Countdown(9) == Countdown(start=9)
    assert Countdown() != Dice()
    assert Countdown() != "Countdown()"
    assert TicTacToe() != MNK(3, 3, 3)


def test_a_list_and_a_tuple_are_different_parameters_but_equal_arrays_are_equal():
    assert OfAnything(np.arange(3)) == OfAnything(np.arange(3)) != OfAnything(np.arange(4))
    assert hash(OfAnything(np.arange(3))) == hash(OfAnything(np.arange(3)))
    assert OfAnything([1, 2]) != OfAnything((1, 2))


def test_a_wrong_call_of_the_constructor_is_reported_as_python_does():
    with pytest.raises(TypeError, match=r"__init__\(\) got an unexpected keyword argument 'stop'"):
        Countdown(stop=3)


def test_a_game_may_be_a_data_class():
    @dataclasses.dataclass(frozen=True, repr=False)
    class Frozen(Countdown):
        start: int = 5

        def __init__(self, start=5):
            object.__setattr__(self, "start", start)

    @dataclasses.dataclass(frozen=True)
    class Plain(Countdown):
        start: int = 5
        by: int = 1

    for game in (Frozen(6), Plain(6), Plain(start=6, by=1)):
        assert "start=6" in repr(game)
        assert game == type(game)(6) != type(game)(7)
        assert hash(game) == hash(type(game)(6))
        assert leaves(game, game.initial_state()) == 13


def test_a_game_may_have_slots():
    class Slotted(Game):
        __slots__ = ("start",)
        __init__, initial_state, to_move = Countdown.__init__, Countdown.initial_state, Countdown.to_move
        actions, result = Countdown.actions, Countdown.result
        is_terminal, utility = Countdown.is_terminal, Countdown.utility

    for start, answer in ((4, 5), (6, 13), (4, 5)):
        game = Slotted(start)
        assert leaves(game, game.initial_state()) == leaves.interpreted(game, game.initial_state()) == answer
        twin = copy.deepcopy(game)
        assert (twin, twin.start) == (game, start)


@kernel
def leaves(game, state):
    """How many ways the game can go."""
    if game.is_terminal(state):
        return 1
    total = 0
    for action in legal_actions(game, state):
        total += leaves(game, game.result(state, action))
    return total


def test_a_game_stays_a_value_after_it_was_compiled():
    game, fresh = Countdown(6), Countdown(6)
    assert leaves(game, cast_state(game, game.initial_state())) == 13
    assert (game, hash(game), repr(game)) == (fresh, hash(fresh), repr(fresh))
    assert pickle.dumps(game) == pickle.dumps(fresh)
    for again in (copy.copy(game), copy.deepcopy(game), pickled(game)):
        assert leaves(again, again.initial_state()) == 13
    assert vars(game) == {"start": 6}


def test_a_kernel_pickles_by_its_name():
    assert pickle.loads(pickle.dumps(leaves)) is leaves
    assert leaves.__name__ == "leaves"
    assert leaves.__doc__ == "How many ways the game can go."
