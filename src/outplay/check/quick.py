"""A quick form of `check_game`, which every search runs before it starts; it takes milliseconds.

Wrong rules give wrong answers, which a search would call exact. So the initial state, the state to be searched and a
few random games are tried, by the interpreter, once for each game; a broken law is a `RulesError`. `check_game` tries
more laws, in more states.

Start at `check_rules`.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import islice
from random import Random
from time import thread_time
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from outplay.check.checker import MAX_ACTIONS, STATE_RULES, Broken, Checker, at_random, describe, no_error
from outplay.check.differences import Apart, same
from outplay.check.laws.game import declarations
from outplay.check.laws.hidden import examined
from outplay.check.laws.numbers import utilities
from outplay.check.laws.states import SAME_KEY, alike, facts
from outplay.check.run_memory import Place
from outplay.compile.fingerprint import fingerprint_of_game
from outplay.compile.watch import look_again
from outplay.rules.actions import is_mask, listed
from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, Game, defines
from outplay.rules.keys import content_key, state_key
from outplay.rules.numbered import numbered

MAX_STATES = 60
"""The maximum number of states that are tried from each start."""
SECONDS, SECONDS_TO_AN_END = 0.008, 0.1
"""Processor time after which no further state is tried, once a game has ended and before: utilities show only there. At
least one state always is, however slow the rules are."""
MAX_FIRST_ACTIONS = 8
"""The maximum number of actions of the first state that are played."""
MASK_BITS = 64
"""Bits of a mask of actions."""

P = ParamSpec("P")
R = TypeVar("R")

_found_right: set[str] = set()
"""The fingerprints of games that keep the laws."""


def check_rules(game: Game, state: Any = None) -> None:
    """Raise `RulesError` if `game` breaks a law in the initial state, in `state`, or in a few random games from there.

    A game that kept the laws is not tried again, as long as its rules are the same.

    >>> from outplay.games import TicTacToe
    >>> check_rules(TicTacToe())
    """
    game = numbered(game)
    if is_trusted(game):
        return
    check = QuickCheck(game)
    check.run(declarations)
    start = check.run(QuickCheck.ask, "initial_state")
    check.run(try_from, start)
    if state is not None and (key_of(check, start) is None or check.run(key_of, state) != key_of(check, start)):
        check.run(try_from, state)
    look_again()
    _found_right.add(str(fingerprint_of_game(game)))


def check_state(game: Game, state: Any) -> int:
    """The number of legal actions of `state`, 0 at the end. Raises `RulesError` if the state breaks a law."""
    game = numbered(game)
    with suppress(Exception):  # this passes nearly every state; for the others, the laws below say what is wrong
        over = game.is_terminal(state)
        if not over:
            answer = game.actions(state)
            actions = list(islice(listed(answer), MAX_ACTIONS))
            most = MASK_BITS if is_mask(answer) else 2**63
            are_usual = set(map(type, actions)) == {int} and 0 <= min(actions) <= max(actions) < most
            is_one = 1 <= len(set(actions)) == len(actions) < MAX_ACTIONS
            is_player = -game.has_chance <= game.to_move(state) < game.players
            if over is False and not isinstance(answer, bool) and are_usual and is_one and is_player:
                return len(actions)
    check = QuickCheck(game, once=True)
    return len(check.run(facts, state).actions)


def starts_of(game: Game, states: Iterable[Any], *, check: bool) -> list[Any]:
    """The states where a table starts, by default the initial one; with `check`, after checks of the rules and of each.

    Raises `RulesError` if the rules or a state break a law.
    """
    starts = list(states) or [game.initial_state()]
    if check:
        check_rules(game, starts[0])
        for state in starts:
            check_state(game, state)
    return starts


# -- which games are known --------------------------------------------------------------------------------------------


def is_trusted(game: Game) -> bool:
    """Whether the rules of `game` were tried before or are trusted, and have not changed since."""
    rules = str(fingerprint_of_game(game))
    return rules in _found_right or rules == game._trusted


def trust(game: Game) -> None:
    """Let searches skip the check of `game`, until its rules change."""
    for form in (game, numbered(game)):
        object.__setattr__(form, "_trusted", str(fingerprint_of_game(form)))


# -- trying the laws --------------------------------------------------------------------------------------------------


class QuickCheck(Checker):
    """A `Checker` that asks few questions: it compares a state by its key, not by a copy.

    `once`: whether to ask each rule only once.
    """

    zero_probabilities = True  # searches cope with them, and files of other programs have them

    def __init__(self, game: Game, *, once: bool = False) -> None:
        self.once = once
        self.before: tuple[Any, int | None] = None, None  # a state and its key
        super().__init__(game, Random(0))  # noqa: S311 - not for secrets

    def run(self, law: Callable[Concatenate[Self, P], R], *args: P.args, **keywords: P.kwargs) -> R:
        """What `law` returns. Raises `RulesError` if it is broken."""
        try:
            return law(self, *args, **keywords)
        except Broken as broken:
            self.fail(*broken.args)
            (_, failure), *_ = self.failures.values()
            name = type(self.game).__name__
            raise RulesError(
                f"{name} breaks a law of games, so no search of it can be right:\n{failure}\n"
                "check_game(game), or outplay check, says more; check=False, or --no-check, searches even so"
            ) from broken

    def copy(self, value: Any) -> Any:
        """The value itself: states are compared by their keys."""
        return value

    def attempt(self, check: Callable[Concatenate[Self, P], R], *args: P.args, **keywords: P.kwargs) -> R:
        """What `check` returns. A law that is broken there ends the check."""
        return check(self, *args, **keywords)

    def ask(self, rule: str, *args: Any) -> Any:
        """The answer of a rule, which must be the same when asked again and leave the state unchanged."""
        state = args[0] if args else None
        self.about(rule, state, args[1] if rule in ("result", "probability") else None)
        answer = self.answer(rule, *args)
        if self.once:
            return answer
        if args:
            if self.before[0] is not state:
                self.before = state, key_of(self, state)
            law = f"{rule} does not change the state it is given."
            self.law(
                law, key_of(self, state) == self.before[1], "it has another key now: copy it, or define key(state)"
            )
        law = f"{rule} returns the same each time."
        again = self.answer(rule, *args)
        parts = Apart("first", answer, "and then", again), *at_random(rule)
        self.law(law, same_content(self, rule, answer, again), *parts)
        if rule in ("initial_state", "result"):
            same_key = key_of(self, answer) == key_of(self, again)
            self.law("Equal states have equal keys.", same_key, "asked again, the state has another key")
        return answer


def key_of(check: QuickCheck, value: Any) -> int | None:
    """The key of a state; None if it has none."""
    try:
        return state_key(check.game, value)
    except RulesError:  # a search that needs keys will say so
        return None
    except Exception as error:
        check.about("key", value)
        raise Broken(no_error("key"), describe(error)) from error


def same_content(check: QuickCheck, rule: str, one: Any, other: Any) -> bool:
    """Whether two answers of a rule have the same content; for states the same key will do, if the game defines it."""
    if rule in STATE_RULES and defines(check.game, "key") and key_of(check, one) == key_of(check, other):
        return True
    if rule in (*STATE_RULES, "information"):
        with suppress(RulesError):  # it has no content
            return content_key(one) == content_key(other)
        return not defines(check.game, "key") or same(one, other)
    return same(one, other)


def stable_key(check: QuickCheck, state: Any) -> None:
    """A state has the same key when asked again. The next questions are about this state."""
    check.before = state, key_of(check, state)
    check.about("key", state)
    same_key = key_of(check, state) == check.before[1]
    check.law("Equal states have equal keys.", same_key, "asked again, it has another key")


def keys(check: QuickCheck, place: Place) -> None:
    """States with the same key agree in all that they show."""
    key = check.before[1]
    check.about("key", place.state)
    if defines(check.game, "key"):
        check.answer("key", place.state)
    if key is not None:
        twin = check.memory.places.setdefault(key, place)
        alike(check, SAME_KEY, place, twin, ("over", "mover", "actions", "utilities"))


def try_from(check: QuickCheck, start: Any) -> None:
    """Try the laws in `start` and in random games from there."""
    began, patience, states = thread_time(), SECONDS_TO_AN_END, 0
    while states < MAX_STATES:
        state = start
        for check.ply in range(MAX_STATES):
            stable_key(check, state)
            place = facts(check, state)
            states += 1
            utilities(check, place)
            keys(check, place)
            if place.over:
                patience = SECONDS
                break
            if states == 1:
                for action in place.actions[:MAX_FIRST_ACTIONS]:
                    check.ask("result", state, action)
            if check.game.hidden_information:
                for player in range(check.game.players):
                    check.ask("information", state, player)
                if defines(check.game, "determinize") and place.mover != CHANCE:
                    examined(check, place, check.ask("determinize", state, place.mover, states), place.mover)
            if thread_time() - began > patience or states >= MAX_STATES:
                return
            action = check.random.choices(place.actions, place.probabilities or None)[0]
            state = check.ask("result", state, action)
        if thread_time() - began > patience or check.ply == 0:
            return
