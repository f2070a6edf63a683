"""The quick check of the laws before every search: what it finds, that all searches run it, and what it lets pass."""

import copy
import itertools
import math
import pickle
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from shared import rows
from shared.hashed_game import Hashed
from shared.hidden_game import HiddenGame
from shared.secret_game import Secret

import outplay.check.quick
from outplay import (
    CHANCE,
    ISMCTS,
    MCTS,
    PIMC,
    AlphaBeta,
    BestReply,
    Expectiminimax,
    Game,
    Limit,
    MaxN,
    Minimax,
    MTDf,
    Paranoid,
    ProofNumber,
    RulesError,
    ValueIteration,
    check_game,
    measure_margins,
    searched_strategy,
)
from outplay.check.laws.game import declarations
from outplay.check.laws.states import facts
from outplay.check.quick import QuickCheck, check_rules, check_state, is_trusted, try_from
from outplay.equilibrium import CFR, MCCFR, FictitiousPlay, SequenceForm, TreelessMCCFR, unroll
from outplay.games import BUILT_IN, KuhnPoker, Pig, TicTacToe
from outplay.search.count import count_tree
from outplay.search.perft import perft
from outplay.session.load import load_game

CLOCKS = ("SECONDS", "SECONDS_TO_AN_END")


@pytest.fixture(autouse=True)
def no_clock(monkeypatch):
    """A slow machine tries as many states as a fast one."""
    for name in CLOCKS:
        monkeypatch.setattr(outplay.check.quick, name, 1e9)


class Sticks(NamedTuple):
    left: int
    turn: int


class Pile(Game):
    """Take 1 or 2 of five sticks; who takes the last one wins."""

    compiled = False
    utilities = (-1, 1)

    def initial_state(self):
        return Sticks(5, 0)

    def to_move(self, state):
        return state.turn

    def actions(self, state):
        return [taken for taken in (1, 2) if taken <= state.left]

    def result(self, state, taken):
        return Sticks(state.left - taken, 1 - state.turn)

    def is_terminal(self, state):
        return state.left == 0

    def utility(self, state, player):
        return -1 if state.turn == player else 1


class Tossed(Pile):
    """The same, but a coin decides how many sticks are taken."""

    def to_move(self, state):
        return CHANCE if state.left == 4 else state.turn

    def probability(self, state, taken):
        return 1 / len(self.actions(state))


class Blind(Pile):
    """The same, but the players do not see the sticks."""

    def information(self, state, player):
        return (state.left, state.turn)


class Board(Game):
    """Two squares to be taken in turn, on a board that can be changed."""

    compiled = False

    def initial_state(self):
        return ([-1, -1], 0)

    def to_move(self, state):
        return state[1]

    def actions(self, state):
        return [square for square in (0, 1) if state[0][square] < 0]

    def result(self, state, square):
        board = list(state[0])
        board[square] = state[1]
        return (board, 1 - state[1])

    def is_terminal(self, state):
        return -1 not in state[0]

    def utility(self, state, player):
        return 1 if state[0][0] == player else -1


def changed(base, **members):
    """A game of a class like `base` with other members."""
    return type("Wrong", (base,), members)()


def change_in_place(self, state, square):
    state[0][square] = state[1]
    return (state[0], 1 - state[1])


dice, numbers = Random(5), itertools.count(5)

WRONG = {
    "players 1 and 2": (changed(Pile, to_move=lambda self, s: s.turn + 1), "player to move is one of 0 to 1"),
    "a mask of bools in an array": (
        changed(Pile, actions=lambda self, s: np.array([False, s.left > 0, s.left > 1])),
        "Actions are whole numbers",
    ),
    "a mask of bools in a list": (
        changed(Pile, actions=lambda self, s: [False, s.left > 0, s.left > 1]),
        "Actions are whole numbers",
    ),
    "one bool": (changed(Pile, actions=lambda self, s: True), "Actions are whole numbers"),
    "utility that ignores the player": (changed(Pile, utility=lambda self, s, p: 1), "sum to zero"),
    "a chance of 1.5": (changed(Tossed, probability=lambda self, s, a: 1.5), "sum to 1"),
    "a chance of 2.0": (changed(Tossed, probability=lambda self, s, a: 2.0), "sum to 1"),
    "a chance of nan": (changed(Tossed, probability=lambda self, s, a: math.nan), "sum to 1"),
    "a chance below 0": (changed(Tossed, probability=lambda self, s, a: 2.0 if a == 1 else -1.0), "sum to 1"),
    "chances of a third each": (changed(Tossed, probability=lambda self, s, a: 1 / 3), "sum to 1"),
    "no outcome": (
        changed(Tossed, actions=lambda self, s: [] if s.left == 4 else Pile.actions(self, s)),
        "has a legal action",
    ),
    "utility nan": (changed(Pile, utility=lambda self, s, p: math.nan), "finite numbers"),
    "utility infinite": (changed(Pile, utility=lambda self, s, p: math.inf * (2 * p - 1)), "finite numbers"),
    "utility a text": (changed(Pile, utility=lambda self, s, p: "win"), "utility raises no error"),
    "utility None": (changed(Pile, utility=lambda self, s, p: None), "utility returns a value"),
    "result changes the state": (changed(Board, result=change_in_place), "result does not change the state"),
    # ten and more of our own
    "utility out of range": (changed(Pile, utility=lambda self, s, p: 2 - 4 * (s.turn == p)), "range"),
    "no action": (changed(Pile, actions=lambda self, s: [1] if s.left != 4 else []), "has a legal action"),
    "an action twice": (changed(Pile, actions=lambda self, s: [1, 1]), "No action is listed twice"),
    "a negative action": (
        changed(Pile, actions=lambda self, s: [-1], result=lambda self, s, a: Pile.result(self, s, -a)),
        "Actions are whole numbers",
    ),
    "actions as lists": (
        changed(Pile, actions=lambda self, s: [[1]], result=lambda self, s, a: Pile.result(self, s, a[0])),
        "Actions are whole numbers",
    ),
    "actions as floats": (changed(Pile, actions=lambda self, s: [1.0]), "Actions are whole numbers"),
    "actions None": (changed(Pile, actions=lambda self, s: None), "actions returns a value"),
    "endless actions": (
        changed(Pile, actions=lambda self, s: iter(int, 1), result=lambda self, s, a: Pile.result(self, s, 1)),
        "list of actions ends",
    ),
    "to_move a float": (changed(Pile, to_move=lambda self, s: float(s.turn)), "player to move is"),
    "to_move None": (changed(Pile, to_move=lambda self, s: None), "to_move returns a value"),
    "chance without has_chance": (
        changed(Pile, to_move=lambda self, s: CHANCE if s.left == 4 else s.turn),
        "player to move is",
    ),
    "has_chance without probability": (changed(Pile, has_chance=True), "A game with has_chance defines probability"),
    "hidden without information": (
        changed(Pile, hidden_information=True),
        "A game with hidden_information defines information",
    ),
    "result None": (changed(Pile, result=lambda self, s, a: None), "result returns a value"),
    "result fails": (changed(Pile, result=lambda self, s, a: s.missing), "result accepts every action"),
    "is_terminal None": (changed(Pile, is_terminal=lambda self, s: None), "is_terminal returns a value"),
    "is_terminal a list": (changed(Pile, is_terminal=lambda self, s: []), "is_terminal returns True or False"),
    "no player": (changed(Pile, players=0), "players is a whole number"),
    "players below 0": (changed(Pile, players=-2), "players is a whole number"),
    "half a player": (changed(Pile, players=1.5), "players is a whole number"),
    "players True": (changed(Pile, players=True), "players is a whole number"),
    "teams of others": (changed(Pile, teams=(0, 1, 1)), "teams is empty or"),
    "a team of two minds": (changed(Pile, teams=(0, 0)), "Players of a team have the same utility"),
    "utilities upside down": (changed(Pile, utilities=(1, -1)), "utilities is None or"),
    "utilities of three": (changed(Pile, utilities=(-1, 0, 1)), "utilities is None or"),
    "zero_sum a text": (changed(Pile, zero_sum="yes"), "zero_sum is True or False"),
    "a key by chance": (changed(Pile, key=lambda self, s: dice.random()), "Equal states have equal keys"),
    "a key by address": (changed(Pile, key=lambda self, s: id(s)), "Equal states have equal keys"),
    "no key": (changed(Pile, key=lambda self, s: None), "key returns a value"),
    "the same key everywhere": (changed(Pile, key=lambda self, s: 7), "States with the same key"),
    "a key without the turn": (
        changed(Pile, key=lambda self, s: s.left, initial_state=lambda self: Sticks(12, 0)),
        "States with the same key",
    ),
    "a key that fails": (changed(Pile, key=lambda self, s: s.missing), "key raises no error"),
    "a start by chance": (
        changed(Pile, initial_state=lambda self: Sticks(next(numbers), 0)),
        "initial_state returns the same",
    ),
    "no start": (changed(Pile, initial_state=lambda self: None), "initial_state returns a value"),
    "actions by chance": (
        changed(Pile, actions=lambda self, s: [dice.randrange(1 << 40)]),
        "actions returns the same",
    ),
    "results by chance": (
        changed(Pile, result=lambda self, s, a: Sticks(s.left - 1 - dice.randrange(1000), 1)),
        "result returns the same",
    ),
    "information by chance": (
        changed(Blind, information=lambda self, s, p: dice.random()),
        "information returns the same",
    ),
    "no information": (changed(Blind, information=lambda self, s, p: None), "information returns a value"),
}  # fmt: skip

STEPS = Limit(nodes=500)


def treeless(game):
    return TreelessMCCFR(game, sampling="outcome", memory_mb=1).solve(iterations=5)


SEARCHES = {
    "AlphaBeta": lambda game: AlphaBeta(game).search(limit=STEPS),
    "AlphaBeta.analyse": lambda game: AlphaBeta(game).analyse(limit=STEPS),
    "AlphaBeta.search_many": lambda game: AlphaBeta(game).search_many([game.initial_state()] * 2, STEPS),
    "MTDf": lambda game: MTDf(game).search(limit=STEPS),
    "Minimax": lambda game: Minimax(game).search(limit=STEPS),
    "ProofNumber": lambda game: ProofNumber(game).search(limit=STEPS),
    "MCTS": lambda game: MCTS(game).search(limit=STEPS),
    "ISMCTS": lambda game: ISMCTS(game).search(limit=STEPS),
    "PIMC": lambda game: PIMC(game, worlds=2).search(limit=STEPS),
    "Expectiminimax": lambda game: Expectiminimax(game).search(limit=STEPS),
    "MaxN": lambda game: MaxN(game).search(limit=STEPS),
    "Paranoid": lambda game: Paranoid(game).search(limit=STEPS),
    "BestReply": lambda game: BestReply(game).search(limit=STEPS),
    "ValueIteration": lambda game: ValueIteration(game).search(limit=STEPS),
    "perft": lambda game: perft(game, 3),
    "count_tree": lambda game: count_tree(game, depth=4),
    "unroll": unroll,
    "CFR": lambda game: CFR(game).solve(iterations=2),
    "MCCFR": lambda game: MCCFR(game, sampling="outcome").solve(iterations=2),
    "FictitiousPlay": lambda game: FictitiousPlay(game).solve(iterations=2),
    "SequenceForm": lambda game: SequenceForm(game).solve(),
    "TreelessMCCFR": treeless,
    "measure_margins": lambda game: measure_margins(game, positions=2),
    "searched_strategy": lambda game: searched_strategy(ISMCTS(game), Limit(simulations=4)),
}
OPEN = {"AlphaBeta", "AlphaBeta.analyse", "AlphaBeta.search_many", "MTDf", "Minimax", "ProofNumber", "measure_margins"}
"""Searches of games without chance and hidden information."""
NOT_HIDDEN = OPEN | {"MCTS", "Expectiminimax", "MaxN", "Paranoid", "BestReply", "ValueIteration"}


def suits(search, game):
    return not (game.has_chance and search in OPEN) and not (game.hidden_information and search in NOT_HIDDEN)


@pytest.mark.parametrize(("game", "law"), rows(WRONG))
def test_a_broken_law_is_an_error_that_names_it_and_the_remedy(game, law):
    with pytest.raises(RulesError) as caught:
        check_rules(game)
    text = str(caught.value)
    assert text.startswith("Wrong breaks a law of games")
    assert law in text
    assert "check_game(game), or outplay check" in text
    assert "check=False, or --no-check" in text


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(("game", "law"), rows(WRONG))
def test_every_search_finds_the_broken_law(search, game, law):
    if not suits(search, game):
        pytest.skip("the game does not suit the search")
    with pytest.raises(RulesError, match=r"breaks a law of games|players is a whole number"):
        SEARCHES[search](game)


@pytest.mark.parametrize(("game", "law"), rows(WRONG))
def test_check_game_finds_the_same_law(game, law):
    report = check_game(game, playouts=20, seconds=600)
    assert any(law in failure.law for failure in report.failures) or "key" in law or "range" in law, report


# -- compiled games ---------------------------------------------------------------------------------------------------


class Fast(Pile):
    compiled = None

    def actions(self, state):
        for taken in range(1, 3):
            if taken <= state.left:
                yield taken


class OneAndTwo(Fast):
    def to_move(self, state):
        return state.turn + 1


class Mine(Fast):
    def utility(self, state, player):
        return 1.0


class Masked(Fast):
    def actions(self, state):
        mask = np.zeros(3, np.bool_)
        mask[1] = True
        return mask


class Likely(Fast):
    def to_move(self, state):
        return CHANCE if state.left == 4 else state.turn

    def probability(self, state, taken):
        return 1.5


@pytest.mark.parametrize("kind", [OneAndTwo, Mine, Masked, Likely])
@pytest.mark.parametrize("search", ["AlphaBeta", "MCTS", "Expectiminimax", "perft", "unroll", "TreelessMCCFR"])
def test_rules_that_compile_are_checked_too(kind, search):
    if suits(search, kind()):
        with pytest.raises(RulesError, match="breaks a law of games"):
            SEARCHES[search](kind())


def test_rules_that_are_wrong_are_found_before_anything_is_compiled(monkeypatch):
    monkeypatch.setattr("outplay.engine.searcher.prepare_packed", None)
    with pytest.raises(RulesError, match="sum to zero"):
        AlphaBeta(Mine()).search()


# -- what is right is never refused -----------------------------------------------------------------------------------


PARAMETERS = {"explicit-tree": None}


@pytest.mark.parametrize("name", sorted(set(BUILT_IN) - {"explicit-tree"}))
def test_every_built_in_game_passes_from_many_states(name):
    game, random = load_game(name), Random(1)
    QuickCheck(game).run(declarations)
    state = game.initial_state()
    for _ in range(6):
        check = QuickCheck(game)
        check.run(try_from, state)
        if game.is_terminal(state):
            break
        assert check_state(game, state) == len(facts(check, state).actions)
        for _ in range(3):
            if not game.is_terminal(state):
                state = game.result(state, random.choice(facts(check, state).actions))


@pytest.mark.parametrize("seed", range(40))
def test_random_games_pass(seed):
    for game in (
        Secret(seed),
        Secret(seed, players=3),
        HiddenGame(seed),
        HiddenGame(seed, players=3, zero_sum=False),
    ):
        check_rules(game)
    game = Hashed()
    check_rules(game, game.initial_state()._replace(seed=seed))


class Pieces:
    """A state that is an ordinary object, with what may be computed later."""

    def __init__(self, cells, turn):
        self.cells, self.turn = cells, turn


class Objects(Pile):
    def initial_state(self):
        return Pieces({"pile": [1] * 5}, 0)

    def to_move(self, state):
        return state.turn

    def actions(self, state):
        return (taken for taken in (1, 2) if taken <= sum(state.cells["pile"]))

    def result(self, state, taken):
        child = copy.deepcopy(state)
        del child.cells["pile"][:taken]
        child.turn = 1 - state.turn
        return child

    def is_terminal(self, state):
        return not state.cells["pile"]


class Unkeyed(Pile):
    """States that have no content: searches without keys take them."""

    def initial_state(self):
        return (5, 0, lambda: None)

    def to_move(self, state):
        return state[1]

    def actions(self, state):
        return range(1, min(2, state[0]) + 1)

    def result(self, state, taken):
        return (state[0] - taken, 1 - state[1], state[2])

    def is_terminal(self, state):
        return state[0] == 0

    def utility(self, state, player):
        return -1 if state[1] == player else 1


class Typed(Pile):
    """Numbers of NumPy in all places."""

    def to_move(self, state):
        return np.int8(state.turn)

    def actions(self, state):
        return np.arange(1, min(2, state.left) + 1, dtype=np.int8)

    def is_terminal(self, state):
        return np.bool_(state.left == 0)

    def utility(self, state, player):
        return np.float32(-1 if state.turn == player else 1)


class Truths(Pile):
    """True and False as players, 0 and 1 as the end."""

    def to_move(self, state):
        return state.turn == 1

    def is_terminal(self, state):
        return int(state.left == 0)


class Masks(Pile):
    def actions(self, state):
        return 0b110 if state.left > 1 else 0b10


class Circle(Pile):
    """A game without end."""

    def is_terminal(self, state):
        return False

    def result(self, state, taken):
        return Sticks(state.left, 1 - state.turn)


class Alone(Pile):
    players = 1

    def to_move(self, state):
        return 0

    def utility(self, state, player):
        return -1


class Endless(Circle):
    repetition = "forbidden"


class Never(Tossed):
    def probability(self, state, taken):
        return 2.0 - taken


RIGHT = [Pile, Tossed, Never, Blind, Board, Objects, Unkeyed, Typed, Truths, Masks, Circle, Alone, Endless]


@pytest.mark.parametrize("kind", RIGHT)
def test_unusual_rules_that_keep_the_laws_pass(kind):
    game = kind()
    check_rules(game)
    assert check_state(game, game.initial_state()) > 0


def test_a_search_from_the_end_of_the_game_or_near_it_passes():
    for left in (0, 1):
        assert AlphaBeta(Pile()).search(Sticks(left, 1)).exact
    full = TicTacToe()
    state = full.initial_state()
    for square in (0, 3, 1, 4, 2):
        state = full.result(state, square)
    assert AlphaBeta(full).search(state).value == 1


# -- the state that is given, the option, and the cost ----------------------------------------------------------------


class Trap(Pile):
    """Wrong where play from the start does not come to."""

    def to_move(self, state):
        return 7 if state.left > 90 else state.turn


def test_the_state_that_is_searched_is_checked_whether_the_game_is_known_or_not():
    for first in (False, True):
        game = Trap()
        if first:
            AlphaBeta(game).search()
        with pytest.raises(RulesError, match="player to move is one of 0 to 1"):
            AlphaBeta(game).search(Sticks(92, 0), Limit(nodes=100))
    game = Trap()
    with pytest.raises(RulesError, match="player to move is one of 0 to 1"):
        perft(game, 2, Sticks(92, 0))


@pytest.mark.parametrize("search", [AlphaBeta, Minimax, MCTS, MaxN, ValueIteration, PIMC])
def test_a_state_of_another_form_is_one_clear_error(search):
    with pytest.raises(RulesError, match="raises no error"):
        search(Pile()).search("x", Limit(nodes=100))


def test_check_false_searches_even_so():
    wrong = changed(Pile, utility=lambda self, s, p: 1)
    assert Minimax(wrong, check=False).search().value == 1
    assert PIMC(wrong, worlds=1, check=False).search().value == 1
    assert perft(wrong, 2, check=False).lines == 4
    assert count_tree(wrong, check=False).games == 8
    wrong = changed(KuhnPoker, compiled=False, utility=lambda self, s, p: 1)
    assert len(unroll(wrong, check=False).parent) > 5
    assert CFR(wrong, check=False).solve(iterations=1).iterations == 1
    assert TreelessMCCFR(wrong, memory_mb=1, check=False).solve(iterations=1).iterations == 1
    with pytest.raises(ValueError, match="check='no'"):
        Minimax(wrong, check="no")


def test_a_game_is_checked_once_and_again_when_its_rules_change(monkeypatch):
    runs = []
    monkeypatch.setattr(outplay.check.quick, "try_from", lambda *given: runs.append(1) or try_from(*given))
    monkeypatch.setattr(outplay.check.quick, "_found_right", set())
    game = Objects()
    AlphaBeta(game).search(limit=STEPS)
    MCTS(game).search(limit=STEPS)
    assert len(runs) == 1
    monkeypatch.setattr(Objects, "utility", lambda self, state, player: 1)
    with pytest.raises(RulesError, match="sum to zero"):
        AlphaBeta(game).search(limit=STEPS)
    monkeypatch.undo()
    check_rules(game)
    assert is_trusted(game)


def test_a_copy_of_a_compiled_game_is_known():
    class Own(Fast):
        pass

    assert not is_trusted(Own())
    check_rules(Own())
    assert is_trusted(Own())


def test_what_is_known_of_a_game_is_not_pickled_or_copied():
    game = Pig()
    check_rules(game)
    assert pickle.loads(pickle.dumps(game)) == game
    interpreted = Objects()
    check_rules(interpreted)
    assert is_trusted(copy.copy(interpreted))  # by its content


def test_the_same_states_are_tried_each_time(monkeypatch):
    """The clock only ends the check early where rules are slow."""
    tried = []
    for _ in range(2):
        seen = []
        game = changed(Pile, is_terminal=lambda self, s, seen=seen: seen.append(s) or s.left == 0)
        check_rules(game)
        tried.append(seen)
    assert tried[0] == tried[1]
    assert len(tried[0]) < 10 * outplay.check.quick.MAX_STATES


def test_slow_rules_are_tried_to_the_end_of_a_game(monkeypatch):
    monkeypatch.setattr(outplay.check.quick, "SECONDS", 0.0)
    with pytest.raises(RulesError, match="sum to zero"):
        check_rules(changed(Pile, utility=lambda self, s, player: 1.0))


def test_very_slow_rules_are_tried_in_one_state_at_least(monkeypatch):
    for name in CLOCKS:
        monkeypatch.setattr(outplay.check.quick, name, 0.0)
    with pytest.raises(RulesError, match="No action is listed twice"):
        check_rules(changed(Pile, actions=lambda self, s: [1, 1]))
    check_rules(changed(Pile))


# -- errors in the rules ----------------------------------------------------------------------------------------------


def test_an_error_in_a_rule_tells_rule_line_and_state_and_keeps_its_cause():
    def utility(self, state, player):
        return {}["winner"]

    with pytest.raises(RulesError, match=r"utility: KeyError: 'winner' \(.*test_quick_check.py:\d+") as caught:
        AlphaBeta(changed(Pile, utility=utility)).search()
    assert isinstance(caught.value.__cause__.__cause__, KeyError)


def test_endless_recursion_in_a_rule_is_an_error():
    def utility(self, state, player):
        return self.utility(state, player)

    with pytest.raises(RulesError, match="RecursionError"):
        AlphaBeta(changed(Pile, utility=utility)).search()


def test_no_players_is_an_error_and_not_the_end_of_the_process(python):
    script = """if True:
        from outplay import AlphaBeta
        from outplay.games import TicTacToe
        class Nobody(TicTacToe):
            players = 0
        try:
            AlphaBeta(Nobody()).search()
        except ValueError as error:
            print(error)
    """
    assert "players is a whole number from 1 to 1000" in python("-c", script)


# -- the command line -------------------------------------------------------------------------------------------------

FILE = """
from outplay import CHANCE, Game

class Wrong(Game):
    compiled = False
    def initial_state(self): return (5, 0)
    def to_move(self, state): return state[1]
    def actions(self, state): return [n for n in (1, 2) if n <= state[0]]
    def result(self, state, taken): return (state[0] - taken, 1 - state[1])
    def is_terminal(self, state): return state[0] == 0
    def utility(self, state, player): return -1 if state[1] == player else 1
    def evaluate(self, state, player): return 0.0
"""
LAWS = {
    "players 1 and 2": ("    def to_move(self, state): return state[1] + 1", "player to move is"),
    "a mask": ("    def actions(self, state): return [False, True, state[0] > 1]", "Actions are whole numbers"),
    "utility": ("    def utility(self, state, player): return 1", "sum to zero"),
    "not a number": ("    def utility(self, state, player): return float('nan')", "finite numbers"),
    "players": ("    players = 0", "players is a whole number"),
    "an error": ("    def result(self, state, taken): return state[7]", "result accepts every action"),
    "no return": ("    def is_terminal(self, state): pass", "is_terminal returns a value"),
}
COMMANDS = {
    "analyse": ["analyse", "GAME", "--nodes", "100"],
    "solve": ["solve", "GAME"],
    "solve by value iteration": ["solve", "GAME", "--algorithm", "value-iteration"],
    "analyse by mcts": ["analyse", "GAME", "--algorithm", "mcts", "--simulations", "9"],
    "perft": ["perft", "GAME", "--depth", "2"],
    "equilibrium": ["equilibrium", "GAME", "--iterations", "3"],
    "equilibrium without a tree": ["equilibrium", "GAME", "--no-tree", "--iterations", "3"],
    "play": ["play", "GAME", "--player", "none"],
    "gtp": ["gtp", "GAME"],
    "book": ["book", "GAME", "BOOK", "--plies", "1"],
    "evaluate": ["evaluate", "GAME"],
}


@pytest.fixture
def run(tmp_path):
    from typer.testing import CliRunner

    from outplay.cli.commands import app

    def go(words, line):
        path = tmp_path / "wrong.py"
        path.write_text(f"{FILE}{line}\n")
        known = {"GAME": str(path), "BOOK": str(tmp_path / "new.book")}
        return CliRunner().invoke(app, [known.get(word, word) for word in words], input="quit\n")

    return go


@pytest.mark.parametrize("words", rows({name: (words,) for name, words in COMMANDS.items()}))
@pytest.mark.parametrize(("line", "law"), rows(LAWS))
def test_every_command_finds_the_broken_law(words, line, law, run):
    result = run(words, line)
    output = result.output.replace("\n", " ")
    assert result.exit_code == 2
    assert law in " ".join(output.split())
    assert "Traceback" not in output


@pytest.mark.parametrize("words", rows({name: (words,) for name, words in COMMANDS.items()}))
def test_every_command_takes_right_rules_and_no_check_takes_wrong_ones(words, run):
    if words[0] == "equilibrium":
        pytest.skip("the states do not tell how play came there")
    assert run(words, "").exit_code == 0
    wrong = run([*words, "--no-check"], LAWS["utility"][0])
    assert "sum to zero" not in wrong.output
    assert run(words, LAWS["utility"][0]).exit_code == 2  # the option is not kept


# -- arguments of a wrong type ----------------------------------------------------------------------------------------

TAKE_GAMES = (
    AlphaBeta, MTDf, Minimax, ProofNumber, MCTS, ISMCTS, PIMC, Expectiminimax, MaxN, Paranoid, BestReply,
    ValueIteration, CFR, MCCFR, FictitiousPlay, SequenceForm, TreelessMCCFR, unroll, count_tree, measure_margins,
    check_game, lambda game: perft(game, 2),
)  # fmt: skip


@pytest.mark.parametrize("call", TAKE_GAMES)
@pytest.mark.parametrize("given", [TicTacToe, "connect-four", None, 5, AlphaBeta])
def test_what_is_no_game_is_one_clear_type_error(call, given):
    with pytest.raises(TypeError, match=r"did you mean TicTacToe\(\)|is wanted, not .*; write ") as caught:
        call(given)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("kind", [AlphaBeta, MTDf, Minimax, MCTS, ISMCTS, PIMC, MaxN, ValueIteration])
@pytest.mark.parametrize("method", ["search", "analyse"])
def test_what_is_no_limit_is_one_clear_type_error(kind, method):
    call = getattr(kind(Pile()), method)
    for limit in (5, "x", Limit, 0.5):
        with pytest.raises(TypeError, match="limit="):
            call(limit=limit)
    with pytest.raises(TypeError, match="the state comes first"):
        call(Limit(seconds=1))


def test_an_evaluation_that_is_none_is_a_type_error():
    with pytest.raises(TypeError, match="evaluate='material'"):
        AlphaBeta(Pile(), evaluate="material")
