"""The laws of a game that every search tries before it starts, in milliseconds: a quick form of `check_game`.

Wrong rules give wrong answers, which a search would call exact. So the initial state, the state to be searched and a
few random games are tried, by the interpreter, once for each game; a law that does not hold is a `RulesError`. What
can be found in a few states is found; `check_game` tries more laws, in more states.

Start at `check_rules`.
"""

from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from random import Random
from time import thread_time
from typing import Any

from outplay.check.full import MOST_ACTIONS, SAME_KEY, Broken, Place, _Check, _no_error, _told, same
from outplay.compile.fingerprint import whole
from outplay.rules.errors import RulesError
from outplay.rules.game import Game, defines, is_mask, listed
from outplay.rules.keys import content_key, state_key

STATES = 60
"""So many states are tried at most, from each start."""
SECONDS = 0.008
"""Processor time after which no more states are tried; slow rules get as far as they do, the first state at least."""
TRIED = 8
"""So many actions of the first state are played."""
MOST_BITS = 64
"""Of a bit mask."""
_found_right: set[str] = set()
"""The fingerprints of games that keep the laws."""


def check_rules(game: Game, state: Any = None) -> None:
    """Raise `RulesError` if `game` breaks a law in the initial state, in `state`, or in a few random games from there.

    A game that kept the laws is not tried again, as long as its rules are the same.

    >>> from outplay.games import TicTacToe
    >>> check_rules(TicTacToe())
    """
    if is_trusted(game):
        return
    check = QuickCheck(game)
    check.run(check.declarations)
    start = check.run(check.ask, "initial_state")
    check.run(check.from_state, start)
    if state is not None and (check.key_of(start) is None or check.run(check.key_of, state) != check.key_of(start)):
        check.run(check.from_state, state)
    _found_right.add(str(whole(game)))


def check_state(game: Game, state: Any) -> int:
    """The number of legal actions of `state`, 0 at the end of the game; `RulesError` if it breaks a law itself."""
    with suppress(Exception):  # nearly all states are such; of others the laws tell what is wrong
        over = game.is_terminal(state)
        if not over:
            answer = game.actions(state)
            actions = list(islice(listed(answer), MOST_ACTIONS))
            most = MOST_BITS if is_mask(answer) else 2**63
            are_usual = set(map(type, actions)) == {int} and 0 <= min(actions) <= max(actions) < most
            is_one = 1 <= len(set(actions)) == len(actions) < MOST_ACTIONS
            is_player = -game.has_chance <= game.to_move(state) < game.players
            if over is False and not isinstance(answer, bool) and are_usual and is_one and is_player:
                return len(actions)
    check = QuickCheck(game, once=True)
    place: Place = check.run(check.facts, state)
    return len(place.actions)


# -- which games are known --------------------------------------------------------------------------------------------


def is_trusted(game: Game) -> bool:
    """Whether the rules of `game` were tried before, or are trusted, and are the same now."""
    rules = str(whole(game))
    return rules in _found_right or rules == game._trusted


def trust(game: Game) -> None:
    """Let no search try the rules of `game`, unless they change."""
    object.__setattr__(game, "_trusted", str(whole(game)))


# -- trying the laws --------------------------------------------------------------------------------------------------


class QuickCheck(_Check):
    """The laws of `check_game`, tried with few questions: a state is compared by its key, not by a copy."""

    lets_zeros_pass = True  # searches bear them, and files of other programs have them

    def __init__(self, game: Game, *, once: bool = False) -> None:
        self.once = once
        self.before: tuple[Any, int | None] = None, None
        super().__init__(game, Random(0))  # noqa: S311 - not for secrets

    def run(self, law: Any, *args: Any) -> Any:
        """What `law` answers. Raises `RulesError` if it is broken."""
        try:
            return law(*args)
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

    def attempt(self, check: Callable[..., Any], *args: Any) -> Any:
        """What `check` answers; a law that is broken there ends all."""
        return check(*args)

    def key_of(self, value: Any) -> int | None:
        """The key of a state; None if it has none."""
        try:
            return state_key(self.game, value)
        except RulesError:  # a search that needs keys will say so
            return None
        except Exception as error:
            self.about("key", value)
            raise Broken(_no_error("key"), _told(error)) from error

    def begin(self, state: Any) -> None:
        """The next questions are about this state."""
        self.before = state, self.key_of(state)
        self.about("key", state)
        same_key = self.key_of(state) == self.before[1]
        self.law("Equal states have equal keys.", same_key, "asked again, it has another key")

    def keys(self, place: Place, twin: Place | None = None) -> None:
        """States with the same key agree in all that they show."""
        key = self.before[1]
        self.about("key", place.state)
        if defines(self.game, "key"):
            self.answer("key", place.state)
        if key is not None:
            twin = self.places.setdefault(key, place)
            self.alike(SAME_KEY, place, twin, ("over", "mover", "actions", "utilities"))

    def ask(self, rule: str, *args: Any) -> Any:
        """The answer of a rule, which is the same when asked again, and leaves the state alone."""
        state = args[0] if args else None
        self.about(rule, state, args[1] if rule in ("result", "probability") else None)
        answer = self.answer(rule, *args)
        if self.once:
            return answer
        if args:
            if self.before[0] is not state:
                self.before = state, self.key_of(state)
            law = f"{rule} does not change the state it is given."
            self.law(law, self.key_of(state) == self.before[1], "it has another key now: copy it, or define key(state)")
        law = f"{rule} answers the same each time."
        again = self.answer(rule, *args)
        self.law(law, self.alike_in_content(answer, again), "first", answer, "and then", again)
        if rule in ("initial_state", "result"):
            same_key = self.key_of(answer) == self.key_of(again)
            self.law("Equal states have equal keys.", same_key, "asked again, the state has another key")
        return answer

    def alike_in_content(self, one: Any, other: Any) -> bool:
        """Whether two answers have the same content."""
        if self.rule in ("initial_state", "result", "information"):
            with suppress(RulesError):  # it has no content, or cannot be copied
                return content_key(one) == content_key(other)
            return True
        return same(one, other)

    def from_state(self, start: Any) -> None:
        """Try the laws in `start` and in random games from there."""
        began, states = thread_time(), 0
        while states < STATES:
            state = start
            for self.ply in range(STATES):
                self.begin(state)
                place = self.facts(state)
                states += 1
                if place.over:
                    self.utilities(place)
                self.keys(place)
                if place.over:
                    break
                if states == 1:
                    for action in place.actions[:TRIED]:
                        self.ask("result", state, action)
                if self.game.hidden_information:
                    for player in range(self.game.players):
                        self.ask("information", state, player)
                if thread_time() - began > SECONDS or states >= STATES:
                    return
                action = self.random.choices(place.actions, place.probabilities or None)[0]
                state = self.ask("result", state, action)
            if thread_time() - began > SECONDS or self.ply == 0:
                return
