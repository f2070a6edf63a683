"""`check_game` holds correct games for correct, and finds a planted mistake of every kind."""

import json
import re
import warnings
from collections.abc import Iterator
from fractions import Fraction
from itertools import count
from random import random
from typing import Any, NamedTuple

import numpy as np
import pytest
from shared import PILE
from typer.testing import CliRunner

import outplay.games
from outplay import MCTS, AlphaBeta, Limit
from outplay.check.full import check_game
from outplay.check.laws import compiled as compiled_rules
from outplay.check.native import ask_symmetries
from outplay.check.quick import check_rules
from outplay.check.report import Report
from outplay.cli.commands import app
from outplay.compile.fingerprint import RULES
from outplay.compile.kernels import runs_compiled
from outplay.compile.random_numbers import random_below
from outplay.games import KuhnPoker
from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, Game
from outplay.system.uninterrupted import Late

# -- small correct games ----------------------------------------------------------------------------------------------


class Pile(NamedTuple):
    left: int
    turn: int


class Subtraction(Game):
    """Take 1, 2 or 3 from a pile; who takes the last wins."""

    utilities = (-1, 1)
    compiled = False

    def __init__(self, start: int = 9) -> None:
        self.start = start

    def initial_state(self) -> Any:
        return Pile(self.start, 0)

    def to_move(self, state: Any) -> int:
        return state.turn

    def actions(self, state: Any) -> Iterator[int]:
        for taken in (1, 2, 3):
            if taken <= state.left:
                yield taken

    def result(self, state: Any, taken: int) -> Any:
        return Pile(state.left - taken, 1 - state.turn)

    def is_terminal(self, state: Any) -> bool:
        return state.left == 0

    def utility(self, state: Any, player: int) -> float:
        return -1 if state.turn == player else 1


class Complete(Subtraction):
    """The same with every optional rule."""

    def evaluate(self, state: Pile, player: int) -> float:
        estimate = -0.5 if state.left % 4 == 0 else 0.5
        return estimate if state.turn == player else -estimate

    def order(self, state: Pile, taken: int) -> float:
        return -float((state.left - taken) % 4)

    forced_result_depth = 2

    def forced_result(self, state: Pile) -> tuple[int, int]:
        return (1, 1) if state.left <= 3 else (-1, 2) if state.left == 4 else (0, 0)

    def utility_bounds(self, state: Pile) -> tuple[int, int]:
        return (-1, -1) if state.left % 4 == 0 else (-1, 1)

    def candidates(self, state: Pile) -> int:
        return 1 << (state.left % 4 or 1)

    def is_quiet(self, state: Pile) -> bool:
        return state.left > 3

    def noisy(self, state: Pile) -> int:
        return 1 << state.left if state.left <= 3 else 0

    def needs_extension(self, state: Pile) -> bool:
        return state.left == 4

    def null_move_state(self, state: Pile) -> Pile:
        return Pile(state.left, 1 - state.turn)

    def playout_action(self, state: Pile, last: int, random: Any) -> int:
        if state.left % 4:
            return state.left % 4
        return last if 0 < last <= state.left else 1 + random_below(random, min(3, state.left))

    def key(self, state: Pile) -> int:
        return 2 * state.left + state.turn

    def symmetries(self, state: Pile) -> tuple[Pile, ...]:
        return (state, Pile(state.left, state.turn))

    feature_names = ("left", "turn")

    def features(self, state: Pile) -> tuple[int, int]:
        return (state.left, state.turn)

    def render(self, state: Pile) -> str:
        return "|" * state.left + f" player {state.turn}"

    def action_name(self, state: Pile, taken: int) -> str:
        return f"take {taken}"


class CompiledComplete(Complete):
    compiled = True


class Squares(NamedTuple):
    taken: Any  # int8 [5]
    turn: int


class Row(Subtraction):
    """Cross out one of five squares in turn; the state is an array."""

    def initial_state(self) -> Squares:
        return Squares(np.zeros(5, np.int8), 0)

    def actions(self, state: Squares) -> Iterator[int]:
        for square in range(5):
            if state.taken[square] == 0:
                yield square

    def result(self, state: Squares, square: int) -> Squares:
        taken = state.taken.copy()
        taken[square] = 1
        return Squares(taken, 1 - state.turn)

    def is_terminal(self, state: Squares) -> bool:
        return bool(state.taken.all())


class CompiledRow(Row):
    compiled = True


class Coin(Subtraction):
    """Chance takes 1 or 2, then the players take."""

    def initial_state(self) -> Pile:
        return Pile(self.start, CHANCE)

    def actions(self, state: Pile) -> Iterator[int]:
        for taken in range(1, 3):
            if taken <= state.left:
                yield taken

    def result(self, state: Pile, taken: int) -> Pile:
        return Pile(state.left - taken, 0 if state.turn == CHANCE else 1 - state.turn)

    def probability(self, state: Pile, taken: int) -> float:
        return 0.25 if taken == 1 else 0.75


class CompiledCoin(Coin):
    compiled = True


class Shares(NamedTuple):
    left: np.uint64  # set of numbers
    turn: int
    sums: tuple[float, float, float]


class Sharing(Game):
    """Three players take numbers, and keep a tenth of what they took: all 64 bits, a bit mask, floats, a tuple."""

    players = 3
    zero_sum = False
    compiled = True

    def initial_state(self) -> Shares:
        return Shares(np.uint64(0b111111) << np.uint64(58), 0, (0.0, 0.0, 0.0))

    def to_move(self, state: Shares) -> int:
        return state.turn

    def actions(self, state: Shares) -> np.uint64:
        return state.left

    def result(self, state: Shares, number: int) -> Shares:
        first, second, third = state.sums
        sums = (second, third, first + number / 10)
        return Shares(state.left ^ (np.uint64(1) << np.uint64(number)), (state.turn + 1) % 3, sums)

    def is_terminal(self, state: Shares) -> bool:
        return state.left == 0

    def utility(self, state: Shares, player: int) -> float:
        return state.sums[player]


class Solitaire(Game):
    """One player takes numbers, given as an array; a state is a plain tuple."""

    players = 1
    utilities = (0, 8)
    compiled = True

    def initial_state(self) -> tuple[int, int]:
        return (3, 0)

    def to_move(self, state: tuple[int, int]) -> int:
        return 0

    def actions(self, state: tuple[int, int]) -> Any:
        return np.arange(state[0])

    def result(self, state: tuple[int, int], number: int) -> tuple[int, int]:
        return (state[0] - 1, state[1] + number * state[0])

    def is_terminal(self, state: tuple[int, int]) -> bool:
        return state[0] == 0

    def utility(self, state: tuple[int, int], player: int) -> float:
        return state[1]


class Deal(NamedTuple):
    card: int
    bets: tuple[int, ...]


class Bluff(Game):
    """Player 0 sees a card and bets 0 or 1; player 1 sees the bet and calls 0 or 1."""

    zero_sum = True
    compiled = False

    def initial_state(self) -> Deal:
        return Deal(-1, ())

    def to_move(self, deal: Deal) -> int:
        return CHANCE if deal.card < 0 else len(deal.bets)

    def actions(self, deal: Deal) -> tuple[int, ...]:
        return (0, 1, 2) if deal.card < 0 else (0, 1) if len(deal.bets) < 2 else ()

    def result(self, deal: Deal, action: int) -> Deal:
        return Deal(action, ()) if deal.card < 0 else Deal(deal.card, (*deal.bets, action))

    def is_terminal(self, deal: Deal) -> bool:
        return len(deal.bets) == 2

    def utility(self, deal: Deal, player: int) -> float:
        return (1 - 2 * player) * (deal.card - 1) * (1 + deal.bets[0])

    def probability(self, deal: Deal, action: int) -> float:
        return 1 / 3

    def information(self, deal: Deal, player: int) -> Any:
        return (deal.card, deal.bets) if player == 0 else (9, deal.bets)


def check(game: Game, **options: Any) -> Report:
    return check_game(game, **{"playouts": 60, "seconds": 60, **options})


def changed(base: type[Game], **rules: Any) -> Game:
    """The game with a rule or two replaced."""
    return type("Mutant", (base,), rules)()


# -- correct games pass -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [Subtraction(), Complete(), Row(), Coin(), Bluff()], ids=repr)
def test_a_correct_game_passes(game: Game) -> None:
    report = check(game)
    assert report.ok, str(report)
    assert report.playouts == 60
    assert not report.compiled


@pytest.mark.sample(1)
@pytest.mark.parametrize("game", [CompiledComplete(), CompiledRow(), CompiledCoin(), Sharing(), Solitaire()], ids=repr)
def test_a_correct_compiled_game_passes(game: Game) -> None:
    report = check(game)
    assert report.ok, str(report)
    assert report.compiled
    assert report.notes == ()


PARAMETERS = {"explicit-tree": ([[3, 12], {"player": "chance", "children": [[-5, 5], 1]}],)}


@pytest.mark.compiled
@pytest.mark.nightly  # each game's own tests check its laws too
@pytest.mark.parametrize("name", outplay.games.BUILT_IN)
def test_built_in_games_pass(name: str) -> None:
    game = outplay.games.BUILT_IN[name](*PARAMETERS.get(name, ()))
    report = check(game, playouts=20)
    assert report.ok, str(report)
    assert report.compiled == (name != "explicit-tree")  # small trees are searched before they could be compiled


# -- every kind of mistake is found -----------------------------------------------------------------------------------


def mistake(name: str, base: type[Game], law: str, found: str, **rules: Any) -> Any:
    """A case: the game, words of the law that it breaks, and words of what is found."""
    return pytest.param(changed(base, **rules), law, found, id=name)


def spoiled(state: Squares, square: int) -> Squares:
    state.taken[square] = 1
    return Squares(state.taken, 1 - state.turn)


def counted(self: Any, state: Pile) -> bool:
    self.start += 1
    return state.left == 0


def refused(state: Pile, taken: int) -> Pile:
    if state.left == 5 and taken == 3:
        raise ValueError("no such move")
    return Pile(state.left - taken, 1 - state.turn)


class ByIdentity:
    """A state without a value: equal to itself alone."""

    def __init__(self, left: int, turn: int) -> None:
        self.left, self.turn = left, turn


class OneHash(ByIdentity):
    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other)

    def __hash__(self) -> int:
        return 1


class WithFunction(ByIdentity):
    def __init__(self, left: int, turn: int) -> None:
        super().__init__(left, turn)
        self.play = print


class ByValue(ByIdentity):
    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.left, self.turn))

    def __repr__(self) -> str:
        return f"ByValue({self.left}, {self.turn})"


def states_of(kind: type[ByIdentity]) -> dict[str, Any]:
    """The rules of Subtraction over states of this kind."""
    return {
        "initial_state": lambda self: kind(9, 0),
        "result": lambda self, state, taken: kind(state.left - taken, 1 - state.turn),
    }


def blurred(self: Any, deal: Deal, player: int) -> Any:
    return (deal.card, deal.bets) if player == 0 else len(deal.bets)


# fmt: off
MISTAKES = [
    mistake("players", Subtraction, "players is a whole number", "0", players=0),
    mistake("utilities turned round", Subtraction, "utilities is None", "(1, -1)", utilities=(1, -1)),
    mistake("chance without probabilities", Subtraction, "has_chance defines probability", "", has_chance=True),
    mistake("hidden without information", Subtraction, "defines information", "", hidden_information=True),
    mistake("random start", Subtraction, "initial_state returns the same", "",
            initial_state=lambda self: Pile(9, int(random() * 1e9))),
    mistake("start fails", Subtraction, "initial_state raises no error", "ZeroDivisionError",
            initial_state=lambda self: 1 // 0),
    mistake("forgotten return", Subtraction, "result returns a value", "return missing",
            result=lambda self, s, a: None),
    mistake("random rule", Subtraction, "utility returns the same", "and then 0.", utility=lambda self, s, p: random()),
    mistake("changed array", Row, "result does not change the state", "before Squares",
            result=lambda self, s, a: spoiled(s, a)),
    mistake("sorted array", Row, "key does not change the state", "before Squares",
            key=lambda self, s: s.taken.sort() or 0),
    mistake("counter on self", Subtraction, "attributes of a game never change", "start was 9", is_terminal=counted),
    mistake("no action left", Subtraction, "not terminal has a legal action", "[]",
            actions=lambda self, s: range(2, 4 if s.left > 2 else 2)),
    mistake("endless actions", Subtraction, "list of actions ends", "100000", actions=lambda self, s: count()),
    mistake("no list of actions", Subtraction, "result accepts every action", "'str'", actions=lambda self, s: "123"),
    mistake("negative action", Subtraction, "Actions are whole numbers", "[-1]", actions=lambda self, s: [-1]),
    mistake("fractional action", Subtraction, "Actions are whole numbers", "[0.5]", actions=lambda self, s: [0.5]),
    mistake("wide mask", Subtraction, "mask of actions has at most 64 bits", "got 1180591620717411303438",
            actions=lambda self, s: (1 << 70) + 14),
    mistake("an action twice", Subtraction, "No action is listed twice", "[1, 1]", actions=lambda self, s: [1, 1]),
    mistake("refused action", Subtraction, "result accepts every action", "test_check.py:",
            result=lambda self, s, a: refused(s, a)),
    mistake("player 2", Subtraction, "player to move is one of 0 to 1", "got 2", to_move=lambda self, s: 2 * s.turn),
    mistake("undeclared chance", Subtraction, "player to move is one of 0 to 1", "got -1",
            to_move=lambda self, s: -s.turn),
    mistake("no player", Coin, "player to move is CHANCE", "got -2", to_move=lambda self, s: -2),
    mistake("over", Subtraction, "is_terminal returns True or False", "got yes", is_terminal=lambda self, s: "yes"),
    mistake("nan", Subtraction, "Utilities are finite", "nan", utility=lambda self, s, p: float("nan")),
    mistake("both win", Subtraction, "sum to zero", "[1.0, 1.0]", utility=lambda self, s, p: 1),
    mistake("team mates apart", Subtraction, "Players of a team have the same utility", "[1.0, -1.0]", teams=(0, 0)),
    mistake("too many teams", Subtraction, "a number for each player", "(0, 1, 1)", teams=(0, 1, 1)),
    mistake("out of range", Subtraction, "Utilities lie in the range (-1, 1)", "[2.0, -2.0]",
            utility=lambda self, s, p: 2 - 4 * p),
    mistake("probabilities", Coin, "sum to 1", "[0.45, 0.45]", probability=lambda self, s, a: 0.45),
    mistake("zero probability", Coin, "Probabilities are positive", "[0.0, 1.0]",
            probability=lambda self, s, a: a - 1.0),
    mistake("endless game", Subtraction, "Every game ends", "5000 plies",
            result=lambda self, s, a: Pile(9, 1 - s.turn)),
    mistake("unhashable state", Subtraction, "key raises no error", "define key",
            **states_of(WithFunction)),
    mistake("key by address", Subtraction, "Equal states have equal keys", "another key", key=lambda self, s: id(s)),
    mistake("key without player", Subtraction, "same key are the same", "mover", key=lambda self, s: s.left),
    mistake("key without actions", Subtraction, "same key are the same", "actions",
            key=lambda self, s: (1 if s.left == 2 else s.left, s.turn)),
    mistake("key without value", Subtraction, "same key are the same", "value",
            key=lambda self, s: (min(s.left, 4), s.turn)),
    mistake("symmetry of players", Complete, "Symmetric states", "mover",
            symmetries=lambda self, s: (s, Pile(s.left, 1 - s.turn))),
    mistake("symmetry of utility", Complete, "Symmetric states", "utilities",
            symmetries=lambda self, s: (s, Pile(s.left, s.turn ^ (s.left == 0)))),
    mistake("symmetry of actions", Complete, "Symmetric states", "1 in",
            symmetries=lambda self, s: (Pile(s.left and 1, s.turn),)),
    mistake("symmetry of value", Complete, "Symmetric states", "value",
            symmetries=lambda self, s: (s, Pile(s.left + (s.left > 2), s.turn))),
    mistake("symmetry alone", Complete, "symmetries returns a tuple", "[Pile", symmetries=lambda self, s: [s]),
    mistake("estimate", Complete, "Estimates are finite", "inf",
            evaluate=lambda self, s, p: 1 / (s.left - 9) if s.left != 9 else float("inf")),
    mistake("great estimate", Complete, "Estimates lie in the range", "[5.0, -5.0]",
            evaluate=lambda self, s, p: 5 - 10 * p),
    mistake("order", Complete, "Orders are finite", "nan", order=lambda self, s, a: float("nan")),
    mistake("forced_result", Complete, "forced_result returns a pair", "got 1", forced_result=lambda self, s: 1),
    mistake("forced_result", Complete, "forced_result is right", "but it is None",
            forced_result=lambda self, s: (-1, 2)),
    mistake("forced_result", Complete, "forced_result misses no win", "it is (-1.0, 2)",
            forced_result=lambda self, s: (0, 0)),
    mistake("utility_bounds", Complete, "utility_bounds returns a pair", "got (1, -1)",
            utility_bounds=lambda self, s: (1, -1), forced_result=lambda self, s: (0, 0), forced_result_depth=0),
    mistake("utility_bounds", Complete, "The utility lies within utility_bounds", "but it is (1.0, 1)",
            utility_bounds=lambda self, s: (-1, 0), forced_result=lambda self, s: (0, 0), forced_result_depth=0),
    mistake("candidates", Complete, "candidates are some of the legal", "got []", candidates=lambda self, s: 0),
    mistake("candidates", Complete, "candidates are some of the legal", "got [9]", candidates=lambda self, s: [9]),
    mistake(
        "candidates", Complete, "No action that candidates leaves out", "actions worth (1.0, 1)",
        candidates=lambda self, s: [1], forced_result=lambda self, s: (0, 0), forced_result_depth=0,
    ),
    mistake("is_quiet", Complete, "is_quiet raises no error", "no attribute 'nothing'",
            is_quiet=lambda self, s: s.nothing),
    mistake("quiet", Complete, "is_quiet returns True or False", "got no", is_quiet=lambda self, s: "no"),
    mistake("symmetry without itself", Complete, "The state itself is among", "Pile(left=13",
            symmetries=lambda self, s: (Pile(s.left + 4 * (s.left > 5), s.turn),)),
    mistake("urgent", Complete, "needs_extension returns True or False", "got no",
            needs_extension=lambda self, s: "no"),
    mistake("noisy twice", Complete, "noisy lists some", "[1, 1]", noisy=lambda self, s: [1, 1]),
    mistake("noisy and illegal", Complete, "noisy lists some", "[4]", noisy=lambda self, s: [4]),
    mistake(
        "pass to oneself",
        Complete,
        "null_move_state hands the move",
        "player 0",
        null_move_state=lambda self, s: Pile(s.left + 1, s.turn),
    ),
    mistake("playout_action", Complete, "playout_action returns a legal action", "got 4 after action -1 of [1, 2, 3]",
            playout_action=lambda self, s, last, random: 4),
    mistake("playout_action", Complete, "playout_action returns a legal action", "after action 1 of",
            playout_action=lambda self, s, last, random: 0 if last == 1 else 1),
    mistake("playout_action", Complete, "playout_action returns a legal action", "got 0 after action -1",
            playout_action=lambda self, s, last, random: random_below(random, 2)),
    mistake("playout_action", Complete, "playout_action returns a legal action", "got 1.0",
            playout_action=lambda self, s, last, random: 1.0),
    mistake("playout_action", Complete, "playout_action returns a value", "return missing",
            playout_action=lambda self, s, last, random: None),
    mistake("playout_action", Complete, "playout_action raises no error", "ZeroDivisionError",
            playout_action=lambda self, s, last, random: 1 // 0 if s.left == 4 else 1),
    mistake("playout_action", Complete, "playout_action returns the same", "first",
            playout_action=lambda self, s, last, random: 1 if s.left == 1 else 1 + int(globals()["random"]() * 2)),
    mistake("playout_action", Row, "playout_action does not change the state", "before Squares",
            playout_action=lambda self, s, last, random: min(self.actions(s)) + spoiled(s, 0).turn * 0),
    mistake("features", Complete, "a name for each", "got 9 features", features=lambda self, s: (1,) * s.left),
    mistake(
        "names of features", Complete, "a name for each", "got 2 features for the names", feature_names=("left",)
    ),
    mistake("a name twice", Complete, "different words without spaces", "left", feature_names=("left", "left")),
    mistake("a name of words", Complete, "different words without spaces", "who is", feature_names=("left", "who is")),
    mistake("feature", Complete, "Features are finite", "[inf]", features=lambda self, s: (float("inf"),)),
    mistake("render", Complete, "render returns text", "got 9", render=lambda self, s: s.left),
    mistake("render fails", Complete, "render raises no error", "TypeError", render=lambda self, s: "|" * s.left[0]),
    mistake("same name", Complete, "a name of its own", "'1' names [2, 3]", action_name=lambda self, s, a: str(a // 2)),
    mistake("name is a number", Complete, "action_name returns text", "got ", action_name=lambda self, s, a: a),
    mistake("parse_action", Complete, "finds an action by its name", "got ",
            parse_action=lambda self, s, t: Game.parse_action(self, s, t) + 1),
    mistake("parses nonsense", Subtraction, "raises IllegalAction", "ValueError",
            parse_action=lambda self, s, t: int(t)),
    mistake("parses all", Subtraction, "raises IllegalAction", "understood as",
            parse_action=lambda self, s, t: int(t) if t.isdigit() else 1),
    mistake("state_text", Complete, "state_text returns text", "got 9", state_text=lambda self, s: s.left,
            parse_state=lambda self, text: self.initial_state()),
    mistake("parse_state", Complete, "reads what state_text writes", "was read as",
            state_text=lambda self, s: f"{s.left} {s.turn}",
            parse_state=lambda self, text: Pile(1, 1) if text[0].isdigit() else Game.parse_state(self, text)),
    mistake("parse_state fails", Complete, "raises RulesError for text that is not a state", "ValueError",
            state_text=lambda self, s: f"{s.left} {s.turn}",
            parse_state=lambda self, text: Pile(*map(int, text.split()))),
    mistake("parses any state", Complete, "raises RulesError for text that is not a state", "was read as",
            state_text=lambda self, s: f"{s.left} {s.turn}",
            parse_state=lambda self, text: Pile(*map(int, re.findall(r"\d+", text) or (1, 1)))),
    mistake("blurred actions", Bluff, "look the same to the player to move", "[0, 1]",
            information=blurred,
            actions=lambda self, d: (0, 1, 2) if d.card < 0 else (0, 1 + sum(d.bets))[: 4 - 2 * len(d.bets)]),
    mistake("forgotten past", Bluff, "perfect recall", "player 0",
            information=lambda self, d, p: p, to_move=lambda self, d: CHANCE if d.card < 0 else 0),
]
# fmt: on


@pytest.mark.parametrize(("game", "law", "found"), MISTAKES)
def test_a_mistake_is_found(game: Game, law: str, found: str) -> None:
    (failure,) = check(game).failures
    assert law in failure.law
    assert found in failure.detail


# -- what players know ------------------------------------------------------------------------------------------------


def kuhn(**rules: Any) -> Game:
    """Kuhn poker with a rule or two replaced, and texts that say what `information` does."""
    return changed(
        KuhnPoker,
        **{"compiled": False, "information_text": Game.information_text, "seat_picture": Game.seat_picture, **rules},
    )


def forgets_bets(self: Any, deal: Any, player: int) -> Any:
    return deal.plies, self.card(deal, player)


def forgets_card(self: Any, deal: Any, player: int) -> Any:
    return KuhnPoker.information(self, deal, player) if deal.plies < 4 else (deal.bets, deal.plies)


def tells_no_turn(self: Any, deal: Any, player: int) -> Any:
    return deal.bets, self.card(deal, player)


def only_on_his_turn(self: Any, deal: Any, player: int) -> Any:
    return KuhnPoker.information(self, deal, player) if self.to_move(deal) in (player, CHANCE) else "not your turn"


def tells_all(self: Any, deal: Any, player: int) -> Any:
    return tuple(deal)


def fears_the_king(self: Any, deal: Any) -> int:
    return 1 if deal.plies == 2 and self.card(deal, 1) == 2 else KuhnPoker.actions(self, deal)


def swaps_cards(self: Any, deal: Any, player: int, random: Any) -> Any:
    return deal._replace(cards=deal.cards >> 3 | (deal.cards & 7) << 3)


def goes_back(self: Any, deal: Any, player: int, random: Any) -> Any:
    return deal._replace(plies=max(deal.plies - 1, 0))


TWO_STATES = "States that look the same to the player to move have the same legal actions."
none = Game.determinize
BLIND = [
    mistake("forgets bets", KuhnPoker, "perfect recall", "two actions of player 0 led here", information=forgets_bets),
    mistake(
        "forgets the card",
        KuhnPoker,
        "perfect recall",
        "look the same to player 0, but the last",
        information=forgets_card,
    ),
    mistake(
        "no turn", KuhnPoker, "whether they are to move", "to move in one of them alone", information=tells_no_turn
    ),
    mistake("waits blindly", KuhnPoker, "perfect recall", "two actions of player 0", information=only_on_his_turn),
    mistake(
        "leaks all",
        KuhnPoker,
        "Something is hidden",
        "look different to player 1",
        information=tells_all,
        determinize=none,
    ),
    mistake("leaks what is dealt anew", KuhnPoker, "looks the same", "looks different", information=tells_all),
    mistake("other actions", KuhnPoker, TWO_STATES, "can play [0]", actions=fears_the_king, determinize=none),
    mistake("other actions elsewhere", KuhnPoker, "a state that looks the same", "and not", actions=fears_the_king),
    mistake(
        "leaks in words",
        KuhnPoker,
        "read the same",
        "in the other state",
        information_text=lambda self, d, p: self.render(d),
    ),
    mistake(
        "leaks in the picture",
        KuhnPoker,
        "drawn the same",
        "different pictures",
        seat_picture=lambda self, d, p: self.picture(d),
    ),
    mistake("deals own cards", KuhnPoker, "a state that looks the same", "looks different", determinize=swaps_cards),
    mistake("deals the past", KuhnPoker, "a state that looks the same", "looks different", determinize=goes_back),
    mistake(
        "knows the truth", KuhnPoker, "draws all states", "always got the given", determinize=lambda self, d, p, r: d
    ),
]


@pytest.mark.parametrize(("game", "law", "found"), BLIND)
def test_two_states_show_what_is_wrong_with_information(game: Game, law: str, found: str) -> None:
    game = kuhn(**{name: rule for name, rule in vars(type(game)).items() if not name.startswith("__")})
    report = check(game)
    assert any("nothing is hidden" in note for note in report.notes) is False
    (failure,) = [one for one in report.failures if law in one.law]
    assert found in failure.detail
    assert failure.state.startswith("cards: ")
    assert failure.other.startswith("cards: ")
    assert failure.other != failure.state
    assert "\n    other state:\n    cards: " in str(failure)


def test_the_two_states_are_such_as_the_law_says() -> None:
    """Player 0 has passed in both, was bet at, and no longer knows the card."""
    (failure,) = check(kuhn(information=forgets_card)).failures
    (mine, _), (other, _) = (text.splitlines()[0].split()[1:] for text in (failure.state, failure.other))
    assert "bets: pass-bet" in failure.state
    assert "bets: pass-bet" in failure.other
    assert mine != other


def test_a_game_that_leaks_to_one_player_is_noted() -> None:
    def information(self: Any, deal: Any, player: int) -> Any:
        return tuple(deal) if player == 1 else KuhnPoker.information(self, deal, player)

    report = check(kuhn(information=information, determinize=Game.determinize))
    assert report.ok, str(report)
    assert [note for note in report.notes if "nothing is hidden from player 1" in note]
    assert not any("nothing is hidden" in note for note in check(kuhn()).notes)


def wide_information(self: Any, deal: Any, player: int) -> Any:
    return deal.bets, self.card(deal, player), 8 * deal.plies << 60


def wide_determinize(self: Any, deal: Any, player: int, random: Any) -> Any:
    if deal.plies << 63 > 0:
        random_below(random, 2)
    return KuhnPoker.determinize(self, deal, player, random)


@pytest.mark.sample(1)
@pytest.mark.parametrize("rules", [{"information": wide_information}, {"determinize": wide_determinize}], ids=list)
def test_information_differs_compiled(rules: dict[str, Any]) -> None:
    report = check(kuhn(compiled=None, **rules))
    assert [failure.law for failure in report.failures] == [
        f"{rule} returns the same compiled and interpreted." for rule in rules
    ]
    assert report.compiled


def over_64_bits(self: Any, state: Pile, player: int) -> float:
    return 0.5 if 1 << 62 + state.left > 0 else -0.5


def wide_result(self: Any, state: Pile, taken: int) -> Pile:
    return Pile(state.left - taken - (taken << 62 >> 64), 1 - state.turn)


def mirrored(self: Any, state: Pile) -> tuple[Pile, ...]:
    return (state, Pile(state.left, state.turn + (1 << 62 + state.left >> 62 + state.left) - 1))


def yielded(self: Any, state: Pile) -> Iterator[Pile]:
    yield state


def wide_actions(self: Any, state: Squares) -> Iterator[int]:
    for square in range(5):
        if state.taken[square] == 0 and 1 << 60 + square > 0:
            yield square


# fmt: off
COMPILED_MISTAKES = [
    mistake("evaluate", CompiledComplete, "Every rule returns the same compiled", "the result of << does not fit",
            evaluate=over_64_bits),
    mistake("result", CompiledComplete, "result returns the same compiled", "the result of <<", result=wide_result),
    mistake("symmetries", CompiledComplete, "symmetries returns the same", "the result of <<", symmetries=mirrored),
    mistake("playout_action", CompiledComplete, "playout_action returns the same compiled", "the result of <<",
            playout_action=lambda self, s, last, random: 1 + (s.left == 1) * (1 - (1 << 62 + s.left > 0))),
    mistake("actions", CompiledRow, "Every rule returns the same", "the result of <<", actions=wide_actions),
    mistake("initial state", CompiledRow, "initial_state returns the same compiled", "the result of <<",
            initial_state=lambda self: Squares(np.zeros(5, np.int8), int(1 << 54 + self.start > 0) - 1)),
    mistake("probability", CompiledCoin, "probability returns the same compiled", "the result of <<",
            probability=lambda self, s, a: 0.25 + 0.5 * ((1 << 54 + s.left > 0) == (a == 2))),
    mistake("does not compile", CompiledComplete, "The rules compile", "order does not compile",
            order=lambda self, s, a: float(str(a))),
]
# fmt: on


@pytest.mark.sample(1)
@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize(("game", "law", "found"), COMPILED_MISTAKES)
def test_a_mistake_of_compiled_rules_is_found(game: Game, law: str, found: str) -> None:
    (failure,) = check(game).failures
    assert law in failure.law
    assert found in failure.detail


def test_symmetries_that_yield_are_a_mistake_and_no_crash() -> None:
    """LLVM ended the process: a compiled generator cannot be returned to Python."""
    (failure,) = check(type("Yields", (CompiledComplete,), {"symmetries": yielded})()).failures
    assert "symmetries" in failure.law
    assert "generator" in failure.detail


ANSWERED = [
    "is_terminal", "to_move", "actions", "order", "utility", "evaluate", "is_quiet", "needs_extension", "noisy", "key",
]  # fmt: skip


@pytest.mark.sample(4)
@pytest.mark.parametrize("rule", ANSWERED)
def test_a_rule_with_another_answer_when_compiled_is_found(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answers, calls = compiled_rules.answers, count()

    def tampered(*args: Any) -> dict[str, Any]:
        found = answers(*args)
        return found if next(calls) % 2 == 0 else {**found, rule: "another answer"}  # every second is compiled

    monkeypatch.setattr(compiled_rules, "answers", tampered)
    (failure,) = check(CompiledComplete()).failures
    assert f"{rule} returns the same compiled" in failure.law
    assert "but compiled 'another answer'" in failure.detail


@pytest.mark.nightly
def test_a_rule_that_does_not_compile_is_a_note_unless_the_game_insists() -> None:
    class Text(Complete):
        compiled = None

        def order(self, state: Pile, taken: int) -> float:
            return float(str(taken))

    report = check(Text())
    assert report.ok
    assert not report.compiled
    assert any("order() does not compile" in note for note in report.notes)


# -- what a report says -----------------------------------------------------------------------------------------------


def test_a_failure_shows_the_state_the_action_and_the_line() -> None:
    def result(self: Any, state: Pile, taken: int) -> Pile:
        if state.left == 5 and taken == 3:
            raise ValueError("no such move")
        return Pile(state.left - taken, 1 - state.turn)

    (failure,) = check(changed(Complete, result=result)).failures
    assert failure.rule == "result"
    assert failure.state.startswith("||||| player ")
    assert failure.action == "take 3 (action 3)"
    assert 'raise ValueError("no such move")' in failure.detail
    assert str(failure).splitlines()[0] == "law: result accepts every action that actions lists."


def test_a_failure_is_shown_in_the_earliest_state_found() -> None:
    report = check(changed(Subtraction, utility=lambda self, state, player: 0.5))
    shortest = check(Subtraction())
    assert "left=0" in report.failures[0].state
    assert shortest.longest > 3
    assert "turn=1" in report.failures[0].state  # 3 + 3 + 3: three plies, and no game is shorter


def test_the_same_seed_finds_the_same() -> None:
    first, again, other = (check(Coin(), seed=seed) for seed in (3, 3, 4))
    assert first.as_dict() | {"seconds": 0} == again.as_dict() | {"seconds": 0}
    assert first.branching != other.branching


def test_a_report_is_plain_data() -> None:
    report = check(changed(Subtraction, utility=lambda self, state, player: 1))
    data = json.loads(json.dumps(report.as_dict()))
    assert not data["ok"]
    assert data["failures"][0]["rule"] == "utility"
    assert str(report).startswith("Mutant(): 1 law is broken\nlaw: The utilities of all players sum to zero.")
    assert str(check(Subtraction())).startswith("Subtraction(): every law holds\n60 playouts, 18 states, interpreted")


@pytest.mark.nightly
def test_seconds_bound_the_time_and_progress_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = count(step=0.0001)  # each look at the clock takes so long
    for module in ("full", "checker"):
        monkeypatch.setattr(f"outplay.check.{module}.perf_counter", lambda: next(seconds))
    seen: list[Report] = []
    report = check_game(outplay.games.ConnectFour(), playouts=10**9, seconds=9, progress=seen.append)
    assert report.ok
    assert 0 < seen[0].playouts < seen[-1].playouts <= report.playouts < 900


def test_names_of_the_state_before_are_refused_where_they_are_illegal() -> None:
    def parse_action(self: Any, state: Pile, text: str) -> int:
        return {"1": 1, "2": 2, "3": 3}[text] if text in "123" else Game.parse_action(self, state, text)

    (failure,) = check(changed(Subtraction, parse_action=parse_action)).failures
    assert "IllegalAction" in failure.law
    assert "was understood as" in failure.detail


class UpsideDown(outplay.games.Kalah):
    compiled = False

    def evaluate(self, state: Any, player: int) -> float:
        return super().evaluate(state, 1 - player)


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("game", "words"),
    [
        (UpsideDown(), "evaluate() looks upside down"),
        (changed(Complete, evaluate=lambda self, s, p: 0.5), "does not sum to zero"),
        (changed(Subtraction, utilities=None), "utilities = (-1, 1)?"),
        (changed(Subtraction, players=2, to_move=lambda self, s: 0), "player 1 never moved"),
        (changed(Subtraction, probability=lambda self, s, a: 1.0, has_chance=True), "chance never moved"),
        (changed(Subtraction), "cannot be pickled"),
    ],
)
def test_a_likely_mistake_is_noted(game: Game, words: str) -> None:
    report = check(game)
    assert report.ok, str(report)
    assert [words in note for note in report.notes].count(True) == 1, report.notes
    assert words in str(report)


@pytest.mark.sample(6)
@pytest.mark.parametrize("value", [None, "x", float("nan"), Ellipsis, [1], 10**30, -1, np.zeros(2), max], ids=repr)
@pytest.mark.parametrize("game", [Complete, Bluff])
def test_whatever_a_rule_answers_is_reported_not_raised(game: type[Game], value: Any) -> None:
    for rule in (*RULES, "render", "action_name", "parse_action"):
        assert str(check(changed(game, **{rule: lambda self, *args: value}), playouts=2, seconds=0.5))
    for declaration in ("players", "zero_sum", "has_chance", "hidden_information", "utilities"):
        assert str(check(changed(game, **{declaration: value}), playouts=2))


def test_no_bug_of_a_game_is_raised() -> None:
    class Broken(Subtraction):
        def __repr__(self) -> str:
            raise RuntimeError("no name")

    class BrokenState(ByValue):
        def __repr__(self) -> str:
            raise RuntimeError("no picture")

    report = check(Broken())
    assert [failure.rule for failure in report.failures] == ["__repr__"]
    rules = states_of(BrokenState) | {"utility": lambda self, s, p: 1}
    report = check(changed(Subtraction, **rules))
    assert {failure.state for failure in report.failures} == {
        "BrokenState(left=9, turn=0)",
        "BrokenState(left=0, turn=1)",
    }
    assert [failure.rule for failure in report.failures] == ["render", "utility"]


@pytest.mark.parametrize("arguments", [{"playouts": 0}, {"playouts": 1.5}, {"seconds": 0}, {"seconds": float("inf")}])
def test_bad_arguments_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(arguments))):
        check_game(Subtraction(), **arguments)


@pytest.mark.parametrize("kind", [ByIdentity, OneHash, ByValue])
def test_states_that_are_objects_count_by_their_content(kind: type[ByIdentity]) -> None:
    assert check(type("Objects", (Subtraction,), {"compiled": False, **states_of(kind)})()).ok


def test_a_class_is_not_a_game() -> None:
    with pytest.raises(TypeError, match=r"did you mean Subtraction\(\)\?"):
        check_game(Subtraction)  # type: ignore[arg-type]


@pytest.mark.parametrize("rule", ["draw", "loss", "forbidden"])
def test_a_game_in_circles_is_played_by_its_rule_of_repetition(rule: str) -> None:
    class Circle(Subtraction):
        """Walk on a circle of five places, to either side; nothing but repetition ends it."""

        repetition = rule

        def initial_state(self) -> Pile:
            return Pile(0, 0)

        def actions(self, state: Pile) -> tuple[int, ...]:
            return (1, 4)

        def result(self, state: Pile, steps: int) -> Pile:
            return Pile((state.left + steps) % 5, 1 - state.turn)

        def is_terminal(self, state: Pile) -> bool:
            return False

    report = check(Circle())
    assert report.ok, str(report)
    assert report.longest <= 10
    assert (report.average == (0, 0)) == (rule == "draw")


# -- what check_game leaves behind ------------------------------------------------------------------------------------


def test_a_first_state_that_does_not_compile_is_no_reason_to_search_interpreted() -> None:
    class Unready(Subtraction):
        """Its first state is made in a way that does not compile, but no search asks for it."""

        compiled = True

        def initial_state(self) -> Pile:
            return Pile(**{"left": 9, "turn": 0})

    report = check(Unready())
    assert report.ok, str(report)
    assert report.compiled
    assert all("pickled" in note for note in report.notes)  # it is a class of this function
    assert runs_compiled(Unready())


@pytest.mark.nightly
def test_what_one_search_alone_asks_is_no_reason_for_others_to_run_interpreted() -> None:
    class Mirrored(Subtraction):
        """Its symmetric states are listed in a way that does not compile."""

        compiled = None

        def symmetries(self, state: Pile) -> tuple[Pile, ...]:
            return (state, Pile(int(Fraction(state.left)), state.turn))

    game = Mirrored()
    report = check(game)
    assert report.ok, str(report)
    assert report.compiled
    assert "symmetries() does not compile" in "".join(report.notes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MCTS(game).search(limit=Limit(simulations=10))
    assert runs_compiled(game)
    with pytest.warns(UserWarning, match=r"symmetries\(\) does not compile"):  # now it does matter
        AlphaBeta(game).search(limit=Limit(depth=1))
    assert not runs_compiled(game)


class Doors(Game):
    """A game whose actions are tuples, and whose rules open a door in the game itself."""

    def __init__(self) -> None:
        self.open = [False, False]

    def initial_state(self) -> tuple[int, int]:
        return 0, 0

    def to_move(self, state: tuple[int, int]) -> int:
        return state[1]

    def actions(self, state: tuple[int, int]) -> list[tuple[int, int]]:
        return [(1, 0), (1, 0)] if state[0] == 3 else [(1, 0), (2, int(self.open[state[1]]))]

    def result(self, state: tuple[int, int], action: tuple[int, int]) -> tuple[int, int]:
        self.open[state[1]] = True
        return state[0] + action[0], 1 - state[1]

    def is_terminal(self, state: tuple[int, int]) -> bool:
        return state[0] >= 5

    def utility(self, state: tuple[int, int], player: int) -> int:
        return 1 if player == state[1] else -1


def test_rules_that_change_the_game_are_found_where_actions_are_tuples() -> None:
    report = check_game(Doors(), playouts=20)
    shown = str(report)
    assert "The attributes of a game never change after __init__" in shown
    assert "[False, False]" in shown


def test_actions_are_shown_as_the_rules_write_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Doors, "result", lambda self, state, action: (state[0] + action[0], 1 - state[1]))
    shown = str(check_game(Doors(), playouts=20))
    assert "No action is listed twice" in shown
    assert "got [(1, 0), (1, 0)]" in shown


class Pads(Game):
    """In turn, free a cell; whoever frees the last one has lost. A state is a tuple of cells."""

    def initial_state(self):
        return (1, 1, 0)

    def to_move(self, state):
        return state.count(0) % 2

    def actions(self, state):
        return [cell for cell in range(3) if state[cell]]

    def result(self, state, cell):
        return tuple(0 if at == cell else there for at, there in enumerate(state))

    def is_terminal(self, state):
        return 1 not in state

    def utility(self, state, player):
        return 1 if player == self.to_move(state) else -1

    def symmetries(self, state):
        return state, tuple(state[2 - cell] for cell in range(3))


@pytest.mark.compiled
def test_states_made_of_tuples_of_any_length_come_back_to_python() -> None:
    """Without a way to box them, compiled symmetries ended the process."""
    game = Pads()
    assert ask_symmetries.prepare(game, (1, 1, 0))(game, (1, 1, 0)) == ((1, 1, 0), (0, 1, 1))
    assert runs_compiled(game)


# -- before compiling -------------------------------------------------------------------------------------------------

PILE_IN_LETTERS = PILE.replace("return s[1]", "return 'A'").replace("compiled = False", "compiled = None")


def refuse_to_compile(*_: Any) -> None:
    raise AssertionError("compiled")


@pytest.mark.parametrize(
    ("rules", "law", "found"),
    [
        (PILE_IN_LETTERS, "The player to move is one of 0 to 1.", "got A"),
        (
            PILE.replace("compiled = False", "compiled = None").replace("return -1 if", "value = -1 if"),
            "utility returns a value.",
            "got None; is a return missing in utility (",
        ),
    ],
)
def test_a_law_that_needs_no_compiling_is_tried_before(
    rules: str, law: str, found: str, fresh: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outplay.check.laws.game.compile_rules", refuse_to_compile)
    module = fresh(pile=rules)
    report = check_game(module.Pile(), playouts=20)
    [failure] = report.failures
    assert failure.law == law
    assert failure.detail.startswith(found)
    assert not report.compiled
    assert "not compiled, since laws are broken in the first game already" in report.notes
    line = next(number for number, text in enumerate(rules.splitlines(), 1) if "def utility" in text)
    assert ("None" not in found) or failure.detail.endswith(f"pile.py:{line})?")


def test_a_rule_that_returns_nothing_at_times_is_told_once() -> None:
    """Compiled, it raises an error without a name."""

    def sometimes(self: Any, state: Any, player: int) -> Any:
        if state.turn == player:
            return -1.0
        return None

    report = check(changed(Subtraction, utility=sometimes), playouts=5)
    assert [failure.law for failure in report.failures] == ["utility returns a value."]


def test_a_method_that_looks_like_a_rule_is_noted() -> None:
    report = check(changed(Subtraction, evalute=lambda self, s, p: 0.0), playouts=5)
    assert report.ok
    assert any(note.startswith("evalute (") and note.endswith("did you mean evaluate?") for note in report.notes)


@pytest.mark.parametrize("words", [["check"], ["check", "--compile"], ["analyse"], ["solve"]], ids=" ".join)
@pytest.mark.parametrize(
    ("right", "wrong", "law"),
    [
        ("return s[1]", "return 'A'", "The player to move is one of 0 to 1."),
        ("return -1 if", "value = -1 if", "utility returns a value."),
        ("return range", "range", "actions returns a value."),
    ],
)
def test_nothing_is_compiled_for_what_the_first_game_decides(
    words: list[str], right: str, wrong: str, law: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pile.py"
    path.write_text(PILE.replace("compiled = False", "compiled = None").replace(right, wrong))
    monkeypatch.undo()  # the rules would be compiled
    monkeypatch.setattr("outplay.compile.kernels.compiler", refuse_to_compile)
    monkeypatch.setattr("outplay.compile.report.compiler", refuse_to_compile)
    result = CliRunner().invoke(app, [*words, str(path)])
    assert law in " ".join(result.output.split())
    assert result.exit_code == (1 if words[0] == "check" else 2)
    if "--compile" in words:
        result = CliRunner().invoke(app, [*words, str(path), "--no-check"])
        assert "compiled" in result.output
        assert law not in result.output


# -- time -------------------------------------------------------------------------------------------------------------


class Clock:
    """A clock that only slow rules move."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def slow(base: type[Game], clock: Clock, seconds: float, *rules: str) -> Game:
    def slowed(rule: str) -> Any:
        def answer(self: Any, *args: Any) -> Any:
            clock.now += seconds
            return getattr(base, rule)(self, *args)

        return answer

    return changed(base, **{rule: slowed(rule) for rule in rules})


class EndlessPile(Subtraction):
    def is_terminal(self, state: Pile) -> bool:
        return False

    def actions(self, state: Pile) -> list[int]:
        return [1]

    def result(self, state: Pile, action: int) -> Pile:
        return Pile(state.left + 1, 1 - state.turn)


@pytest.mark.parametrize(
    ("base", "seconds", "rules"),
    [
        (Subtraction, 0.5, ["result"]),
        (Subtraction, 0.5, ["initial_state", "is_terminal", "to_move", "actions", "result", "utility"]),
        (Complete, 0.5, ["is_terminal", "result"]),  # with hints and symmetries, whose laws search
        (Complete, 0.3, ["action_name"]),
        (Bluff, 0.5, ["information", "result"]),
        (EndlessPile, 0.01, ["result"]),
    ],
)
def test_a_check_ends_in_its_time_however_slow_the_rules(
    base: type[Game], seconds: float, rules: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    for module in ("checker", "full", "laws.game"):
        monkeypatch.setattr(f"outplay.check.{module}.perf_counter", clock)
    report = check_game(slow(base, clock, seconds, *rules), seconds=10)
    assert 10 < clock.now < 12
    assert report.ok
    assert report.states
    assert report.seconds == round(clock.now, 3)


def test_a_check_goes_on_interpreted_if_compiling_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: Any) -> None:
        raise Late

    monkeypatch.setattr("outplay.check.laws.game.compile_rules", late)
    report = check(Subtraction(), playouts=7)
    assert (report.ok, report.compiled, report.playouts) == (True, False, 7)
    assert any(
        note.startswith("not compared with compiled rules, since compiling took more than") for note in report.notes
    )


def test_a_check_without_time_says_that_nothing_was_tried() -> None:
    assert "no law was tried" in str(check(Subtraction(), seconds=1e-9))


# -- states that are objects ------------------------------------------------------------------------------------------


class Men:
    """Objects that lead in circles, compare by identity, and have a number of their own each."""

    def __init__(self, owners: list[int | None]) -> None:
        self.board = Board()
        self.board.men = self
        self.board.cells = [None if owner is None else Man(self, owner) for owner in owners]
        self.all = {man for man in self.board.cells if man}


class Board:
    men: Any
    cells: list[Any]


class Man:
    made = count()

    def __init__(self, men: Men, owner: int) -> None:
        self.men, self.owner, self.number = men, owner, next(self.made)


def owners(men: Men) -> list[int | None]:
    return [man and man.owner for man in men.board.cells]


class Circular(Game):
    """Two players put men on three cells; the last one wins."""

    compiled = False

    def initial_state(self) -> Men:
        return Men([None] * 3)

    def is_terminal(self, state: Men) -> bool:
        return None not in owners(state)

    def to_move(self, state: Men) -> int:
        return owners(state).count(None) % 2

    def actions(self, state: Men) -> list[int]:
        return [cell for cell, owner in enumerate(owners(state)) if owner is None]

    def result(self, state: Men, action: int) -> Men:
        now = owners(state)
        now[action] = self.to_move(state)
        return Men(now)

    def utility(self, state: Men, player: int) -> int:
        return 1 if player == 1 else -1


class Keyed(Circular):
    def key(self, state: Men) -> tuple[int | None, ...]:
        return tuple(owners(state))


class Turning(Keyed):
    def actions(self, state: Men) -> list[int]:
        for man in state.all:
            man.owner = 1 - man.owner
        return super().actions(state)


class Changing(Keyed):
    turns = count()

    def result(self, state: Men, action: int) -> Men:
        made = super().result(state, action)
        made.board.cells[action].owner = next(self.turns) % 2
        return made


def test_states_with_the_same_key_are_the_same() -> None:
    assert check(Keyed(), playouts=5).ok
    check_rules(Keyed())


def test_objects_are_shown_by_what_differs() -> None:
    (failure,) = check(Turning()).failures
    assert failure.law == "actions does not change the state it is given."
    assert re.fullmatch(r"board\.cells\[\d\]\.owner: 1 → 0", failure.detail)
    assert " at 0x" not in failure.state
    assert "Man(" in failure.state
    (failure,) = check(Changing()).failures
    assert failure.law == "result returns the same each time."
    assert re.match(r"board\.cells\[\d\]\.owner: 0 → 1, ", failure.detail)
    with pytest.raises(RulesError, match=r"board\.cells\[\d\]\.owner: "):
        check_rules(Changing())


def test_states_without_a_key_that_lead_in_circles_are_no_crash() -> None:
    (failure,) = check(Circular()).failures
    assert "define key(state)" in failure.detail
    assert len(str(failure)) < 1000
    check_rules(Circular())  # a search that needs keys says so
