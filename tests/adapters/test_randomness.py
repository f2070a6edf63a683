"""Rules that call `random`: chance decides what they draw, with the right probabilities; nothing else changes."""

import copy
import math
import pickle
import random
import threading
from collections import Counter
from dataclasses import dataclass, field
from itertools import permutations
from random import choice, randint
from random import random as random_float

import numpy as np
import pytest
from numpy.random import randint as randint_of_numpy
from twins.exact import exact
from typer.testing import CliRunner

from outplay import (
    CHANCE,
    MCTS,
    Expectiminimax,
    Game,
    Limit,
    RulesError,
    ValueIteration,
    WrongType,
    check_game,
    compile_report,
    defines,
    random_as_chance,
)
from outplay.adapters import easyai
from outplay.cli.commands import app

GENERATOR = random.Random(5)


class Race(Game):
    """Walk one step, or draw a number from 0 to 3 and walk as far; whoever comes to 5 first wins."""

    utilities = (-1, 1)

    def initial_state(self):
        return (0, 0, 0)

    def to_move(self, state):
        return state[2]

    def actions(self, state):
        return ["walk", "draw"]

    def result(self, state, action):
        return self.moved(state, 1 if action == "walk" else self.draw())

    def moved(self, state, steps):
        here, there, player = state
        return (here + steps, there, 1) if player == 0 else (here, there + steps, 0)

    def is_terminal(self, state):
        return max(state[:2]) >= 5

    def utility(self, state, player):
        return 1 if state[player] >= 5 else -1

    def draw(self):
        return random.randint(0, 3)


class ByHand(Race):
    """The twin with chance written out, where a number from 1 to 4 is drawn."""

    def initial_state(self):
        return (0, 0, 0, False)

    def to_move(self, state):
        return CHANCE if state[3] else state[2]

    def actions(self, state):
        return range(1, 5) if state[3] else range(2)

    def probability(self, state, action):
        return 0.25

    def result(self, state, action):
        if not state[3] and action == 1:
            return (*state[:3], True)
        return (*self.moved(state[:3], action if state[3] else 1), False)


def drawing(draw, **members):
    """The race with other random numbers."""
    return random_as_chance(type("Race", (Race,), {"draw": staticmethod(draw), **members}))()


def distribution(game, state):
    """The states to which chance leads, with their probabilities."""
    found = Counter()
    if isinstance(state, tuple):  # not one in which chance is to move
        return Counter({state: 1.0})
    for action in game.actions(state):
        for after, share in distribution(game, game.result(state, action)).items():
            found[after] += game.probability(state, action) * share
    return found


def drawn(draw):
    """The distribution of a number that rules draw."""
    game = drawing(draw)
    return {state[0]: round(share, 9) for state, share in distribution(game, game.result((0, 0, 0), "draw")).items()}


def shuffled():
    cards = [0, 1, 2, 3]
    random.shuffle(cards)
    return cards[1]


def by_comparison():
    number = random.random()
    return 0 if number < 0.25 else 1 if number <= 0.5 else 3 if number >= 0.75 else 2


def asked_twice():
    """What is known of a number already counts: below a half, four times as much is below 2."""
    number = random.random()
    return math.floor(number * 4) if number < 0.5 else int(4 * number)


DRAWS = {
    "randint": lambda: random.randint(0, 3),
    "randint by name": lambda: randint(0, 3),
    "randrange": lambda: random.randrange(4),
    "randrange with steps": lambda: random.randrange(0, 8, 2) // 2,
    "choice": lambda: random.choice([0, 1, 2, 3]),
    "choice by name": lambda: choice((0, 1, 2, 3)),
    "choices": lambda: random.choices([0, 1, 2, 3], weights=[5, 5, 5, 5], k=2)[1],
    "cumulative": lambda: random.choices([0, 1, 2, 3], cum_weights=[1, 2, 3, 4])[0],
    "sample": lambda: random.sample(range(4), 2)[1],
    "shuffle": shuffled,
    "getrandbits": lambda: random.getrandbits(2),
    "random": lambda: int(random.random() * 4),
    "random by name": lambda: int(4 * random_float()),
    "uniform": lambda: int(random.uniform(1, 5)) - 1,
    "coins": lambda: (random.random() < 0.5) + 2 * (random_float() >= 0.5),
    "compared": by_comparison,
    "asked twice": asked_twice,
    "a generator": lambda: GENERATOR.randint(0, 3),
    "a new generator": lambda: random.Random(7).randint(0, 3),
    "of the system": lambda: random.SystemRandom().randrange(4),
    "NumPy": lambda: np.random.randint(4),
    "NumPy by name": lambda: randint_of_numpy(0, 4),
    "a choice of NumPy": lambda: np.random.choice(4, p=[0.25] * 4),
    "a new generator of NumPy": lambda: np.random.default_rng(3).integers(3, endpoint=True),
    "an array": lambda: int(np.random.default_rng().integers(0, 4, size=(2, 2))[1, 0]),
    "without replacement": lambda: int(np.random.choice(4, size=2, replace=False)[1]),
    "a permutation": lambda: int(np.random.permutation(4)[2]),
    "a float of NumPy": lambda: int(np.random.rand() * 4),
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_each_way_to_draw_has_its_probabilities(draw):
    assert drawn(draw) == dict.fromkeys(range(4), 0.25)


def test_uneven_and_dependent_draws_have_their_probabilities():
    assert drawn(lambda: random.choices([1, 2, 3], [1, 0, 3])[0]) == {1: 0.25, 3: 0.75}
    assert drawn(lambda: random.randint(1, 2) * random.randint(1, 2)) == {1: 0.25, 2: 0.5, 4: 0.25}
    assert drawn(lambda: int(random.random() < 0.3)) == {0: 0.7, 1: 0.3}
    assert drawn(lambda: 2 if random.randint(1, 6) < 6 else random.choice([0, 1])) == {
        2: round(5 / 6, 9), 0: round(1 / 12, 9), 1: round(1 / 12, 9)
    }  # fmt: skip
    assert drawn(lambda: int(random.random() * 2.5)) == {0: 0.4, 1: 0.4, 2: 0.2}
    game = drawing(None, result=lambda self, state, action: (*random.sample("abc", 3), 0))
    orders = distribution(game, game.result((0, 0, 0), "draw"))
    assert {"".join(state[:3]): round(share, 9) for state, share in orders.items()} == {
        "".join(order): round(1 / 6, 9) for order in permutations("abc")
    }


def test_values_are_those_of_the_rules_with_chance_written_out():
    game, twin = drawing(lambda: random.randint(1, 4)), ByHand()
    value = exact(twin, twin.initial_state())[0]
    assert math.isclose(ValueIteration(twin).search().value, value, abs_tol=1e-9)
    assert math.isclose(ValueIteration(game).search().value, value, abs_tol=1e-9)
    assert math.isclose(Expectiminimax(game).search().value, value, abs_tol=1e-9)
    assert MCTS(game).search(limit=Limit(simulations=300)).action in game.actions((0, 0, 0))
    assert check_game(game, playouts=30).ok


# -- where random numbers are kept ------------------------------------------------------------------------------------


@dataclass
class Table:
    """The state of a stranger's game, which rolls its own dice, also before the first move."""

    rng: random.Random = field(default_factory=lambda: random.Random(1))
    numpy: object = field(default_factory=lambda: np.random.default_rng(1))
    points: list = field(default_factory=lambda: [0, 0])
    player: int = 0
    die: int = 0

    def __post_init__(self):
        self.die = self.rng.randint(1, 2)

    def play(self, take):
        if take:
            self.points[self.player] += self.die
        self.player = 1 - self.player
        self.die = int(self.numpy.integers(1, 3))


class Dice(Game):
    def __init__(self, goal=3):
        self.goal = goal
        self.rng = np.random.default_rng(4)
        self.coin = random.Random(4)

    def initial_state(self):
        return Table()

    def to_move(self, table):
        return table.player

    def actions(self, table):
        return ["take", "leave"]

    def result(self, table, action):
        table = copy.deepcopy(table)
        table.play(action == "take" or self.rng.random() < 0.5 or self.coin.choice([False, True]))
        return table

    def is_terminal(self, table):
        return max(table.points) >= self.goal

    def utility(self, table, player):
        return 1 if table.points[player] >= self.goal else -1

    def evaluate(self, table, player):
        return table.points[player] / 10 - table.points[1 - player] / 10

    def order(self, table, action):
        return action == "take"


def test_generators_may_be_kept_in_the_game_and_in_the_state():
    game = random_as_chance(Dice(goal=2))
    start = game.initial_state()
    assert game.to_move(start) == CHANCE
    assert [(game.action_name(start, action), game.probability(start, action)) for action in game.actions(start)] == [
        ("1", 0.5), ("2", 0.5)
    ]  # fmt: skip
    assert game.render(start) == "chance decides how the game begins"
    table = game.result(start, 1)
    assert (table.die, table.points) == (2, [0, 0])
    thrown = game.result(table, "leave")
    assert "chance decides what leave brings" in game.render(thrown)
    coin = game.result(thrown, 1)  # not below a half
    assert [game.action_name(coin, action) for action in game.actions(coin)] == ["False", "True"]
    left = [game.result(game.result(coin, taken), 0) for taken in (0, 1)]
    assert [each.points for each in left] == [[0, 0], [2, 0]]
    assert check_game(game, playouts=20).ok
    assert isinstance(game.rng, np.random.Generator)  # again


def test_other_rules_have_their_defaults_where_chance_is_to_move():
    game = random_as_chance(Dice)()
    start = game.initial_state()
    assert (defines(game, "order"), defines(game, "symmetries"), game.has_chance) == (True, False, True)
    assert (repr(game), game) == ("Dice()", random_as_chance(Dice)())
    assert game.order(start, 0) == Game.order(game, start, 0)
    assert game.order(game.result(start, 0), "take")
    ended = game.result(game.result(game.result(start, 1), "take"), 0)
    last = game.result(ended, "leave")
    assert game.evaluate(start, 0) == 0
    assert game.evaluate(ended, 0) == 0.2
    assert game.evaluate(last, 1) < 0.2
    assert Expectiminimax(game).search(ended, Limit(depth=1)).actions


@random_as_chance
class Decorated(Race):
    """A class in a module, under its own name."""


def test_games_of_a_decorated_class_can_be_pickled():
    game = Decorated()
    copied = pickle.loads(pickle.dumps(game))
    assert (copied, type(copied)) == (game, Decorated)
    assert (Decorated.__name__, Decorated.__doc__) == ("Decorated", "A class in a module, under its own name.")
    again = copy.deepcopy(game.result((0, 0, 0), "draw"))
    assert game.result(again, 3) == (3, 0, 1)


def test_rules_may_ask_themselves():
    class Twice(Race):
        def result(self, state, action):
            if action == "draw":
                return self.result(self.result(state, "walk"), "once")
            return super().result(state, "draw" if action == "once" else action)

    game = random_as_chance(Twice)()
    assert distribution(game, game.result((0, 0, 0), "draw")) == {(1, steps, 0): 0.25 for steps in range(4)}


class Sticks:
    """A game of easyAI with a die."""

    def __init__(self):
        self.sticks, self.current_player = 4, 1

    def possible_moves(self):
        return ["throw", "1"]

    def make_move(self, move):
        self.sticks -= random.randint(1, 2) if move == "throw" else 1

    def is_over(self):
        return self.sticks <= 0

    def scoring(self):
        return 100 if self.is_over() else 0

    def copy(self):
        return copy.deepcopy(self)

    @property
    def opponent_index(self):
        return 3 - self.current_player

    def switch_player(self):
        self.current_player = self.opponent_index


def test_games_of_other_libraries():
    game = random_as_chance(easyai.Adapted(Sticks()))
    value = {0: 1.0}  # of the player to move, who wins where no stick is left
    for sticks in range(1, 5):
        one, two = -value[sticks - 1], -value[max(0, sticks - 2)]
        value[sticks] = max(one, (one + two) / 2)
    assert math.isclose(ValueIteration(game).search().value, value[4])
    assert check_game(game, playouts=20).ok


# -- errors -----------------------------------------------------------------------------------------------------------


def careless():
    try:
        return random.randint(0, 3)
    except:  # noqa: E722
        return 0


def endless():
    while random.randint(0, 1):
        pass
    return 1


def follow(draw):
    """Draw the last value again and again."""
    game = drawing(draw)
    state = game.result((0, 0, 0), "draw")
    while game.to_move(state) == CHANCE:
        state = game.result(state, list(game.actions(state))[-1])


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: random.randrange(10**6), r"test_randomness.py:\d+: one of 1,000,000 values.*docs/chance.md"),
        (lambda: random.getrandbits(32), r"one of 4,294,967,296 values"),
        (lambda: random.random() ** 2, r"test_randomness.py:\d+: .*a random float can be compared"),
        (lambda: int(random.gauss(0, 1)), r"a random float can be compared"),
        (careless, "a bare `except:`"),
        (endless, "more than 1,000 random numbers in one move"),
        (lambda: GENERATOR.randint(0, 3) if unstable() else 0, "draws other numbers when the same move is played"),
    ],
)
def test_what_cannot_be_listed_is_told(draw, message):
    with pytest.raises(RulesError, match=message):
        follow(draw)


def unstable(calls=[]):  # noqa: B006
    calls.append(0)
    return len(calls) == 1


def test_a_float_in_a_state_is_told():
    """By a search that compares states, or when rules ask for it."""
    game = drawing(None, result=lambda self, state, action: (9 * random.random(), 0, 0))
    with pytest.raises(RulesError, match="in a state has too many values"):
        ValueIteration(game, check=False).search()
    with pytest.raises(RulesError, match=r"test_randomness.py:\d+: random numbers are chance only in initial_state"):
        MCTS(game, check=False).search(limit=Limit(simulations=20))


def test_what_is_no_such_game_is_told():
    class Secret(Race):
        hidden_information = True

    with pytest.raises(RulesError, match="Secret has hidden information"):
        random_as_chance(Secret)
    with pytest.raises(WrongType, match="not a game"):
        random_as_chance(Sticks())


@pytest.mark.parametrize("rule", ["initial_state", "result"])
def test_the_law_that_random_rules_break_names_the_remedy(rule):
    members = {"initial_state": lambda self: (random.random() / 2, 0, 0)} if rule == "initial_state" else {}
    game = type("Loose", (Race,), {"compiled": False, "draw": lambda self: random.random(), **members})()
    failures = check_game(game, playouts=5).failures
    assert any(rule in failure.law and "random_as_chance" in failure.detail for failure in failures)
    with pytest.raises(RulesError, match="random_as_chance makes chance of them"):
        ValueIteration(game).search()


# -- nothing else changes ---------------------------------------------------------------------------------------------


def test_random_numbers_outside_rules_stay_as_they_were():
    before = vars(random).copy(), dict(vars(random.Random))
    random.seed(3)
    np.random.seed(3)
    wanted = [random.random(), random.randint(0, 9), np.random.randint(9), random.choice("abc")]
    random.seed(3)
    np.random.seed(3)
    game = random_as_chance(Race)()
    found = []
    for one in (random.random, lambda: randint(0, 9), lambda: np.random.randint(9), lambda: random.choice("abc")):
        ValueIteration(game, check=False).search()
        found.append(one())
    assert found == wanted
    assert (vars(random).copy(), dict(vars(random.Random))) == before


def test_other_threads_draw_real_numbers():
    entered, done, found = threading.Event(), threading.Event(), []

    def other():
        entered.wait(10)
        found.extend([*random.Random(1).sample(range(100), 5), random.Random(1).random()])
        done.set()

    thread = threading.Thread(target=other)
    thread.start()

    def slow():
        entered.set()
        done.wait(10)
        return random.randint(0, 3)

    game = drawing(slow)
    assert distribution(game, game.result((0, 0, 0), "draw")) == {(steps, 0, 1): 0.25 for steps in range(4)}
    thread.join()
    assert found == [*random.Random(1).sample(range(100), 5), random.Random(1).random()]


def test_the_command_takes_a_decorated_class(tmp_path):
    path = tmp_path / "told_race.py"
    path.write_text(
        """
import random
import outplay


@outplay.random_as_chance
class Coin(outplay.Game):
    utilities = (-1, 1)

    def initial_state(self):
        return (0, random.choice(["red", "black"]))

    def to_move(self, state):
        return 0

    def actions(self, state):
        return ["red", "black"]

    def result(self, state, action):
        return (1, action == state[1])

    def is_terminal(self, state):
        return state[0] == 1

    def utility(self, state, player):
        return 1 if state[1] == (player == 0) else -1
""",
        encoding="utf-8",
    )
    for words, wanted in (
        (["solve"], "Chance is to move: win for player 0, exact"),
        (["analyse", "--algorithm", "mcts"], "Chance is to move: win for player 0, exact"),
        (["play", "--player", "none", "--level", "1"], "by chance: "),
        (["check"], "every law holds"),
    ):
        found = CliRunner().invoke(app, [words[0], str(path), *words[1:]], env={"COLUMNS": "200"})
        assert (found.exit_code, wanted in " ".join(found.output.split())) == (0, True), found.output


def test_a_report_says_why_it_runs_interpreted():
    assert "with chance as a player" in compile_report(random_as_chance(Dice)()).notes[0]
