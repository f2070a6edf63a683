"""`Checker`: asks the rules of a game, tries laws and keeps the failures.

A law is a function of the checker and a `Place`. It asks rules by `check.ask("utility", state, player)` and states
what must hold, as a sentence, by `check.law("Utilities are finite numbers.", holds, "got", utilities)`. The sentence is
about the rule that was asked last; `check.about` changes that.
"""

import math
import os
import traceback
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from itertools import islice
from operator import index
from random import Random
from time import perf_counter
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from outplay.check.differences import ADDRESS, Apart, described, is_bool, same
from outplay.check.report import Failure
from outplay.check.run_memory import Memory
from outplay.compile.random_numbers import new_random
from outplay.rules.action_codec import Unnumbered
from outplay.rules.actions import is_mask, listed
from outplay.rules.base import attributes
from outplay.rules.game import Game, defines
from outplay.rules.numbered import ARE_ACTIONS, Numbered, numbered
from outplay.rules.user_code import is_users, line_of
from outplay.rules.wording import excerpt
from outplay.system.uninterrupted import Late

MAX_ACTIONS = 100_000
"""A longer list of actions counts as endless."""
MAX_SAMPLED_ACTIONS = 8
"""The maximum number of actions of a state that are played, named and ordered; they are chosen at random."""
ACTION_RULES = ("result", "probability", "order", "action_name", "action_cells")
"""The rules whose second argument is an action."""
STATE_RULES = (
    "initial_state",
    "result",
    "null_move_state",
    "passed_state",
    "determinize",
    "parse_state",
    "indexed_state",
)
"""The rules that return a state."""

P = ParamSpec("P")
R = TypeVar("R")


class Broken(Exception):
    """A broken law, and what was found."""


class Fatal(Broken):
    """A broken law after which the others mean nothing, or would take too long."""


class Checker:
    """One game under test: its rules, the laws that failed, and what was seen.

    Attributes:
        game: the game that is played: `rules`, with numbers for actions.
        zero_probabilities: whether an outcome may have probability 0.
        until: when to stop, by `perf_counter`; `in_time` raises `Late` then.
        native: the kernels that compile.
        twin: the game, compiled with checks.
        rule: the rule that was asked last, in `state`, with `action`; `other` is a second state that the law is about.
    """

    zero_probabilities = False

    def __init__(self, rules: Game, random: Random, until: float = math.inf) -> None:
        self.notes: dict[str, None] = {}  # a set that keeps its order
        self.rules = rules.rules if isinstance(rules, Numbered) else rules
        self.attributes = self.copy(attributes(self.rules))  # before anything is played
        self.game = game = numbered(rules)
        self.random = random
        self.until = until
        self.compiled = False
        self.native: set[Any] = set()
        self.twin = game
        self.failures: dict[str, tuple[int, Failure]] = {}  # by law; with the ply
        self.memory = Memory()
        self.ply = 0
        self.rule = ""
        self.state: Any = None
        self.action: int | None = None
        self.other: Any = None

    def in_time(self) -> None:
        """Raise `Late` if the time is over. It is asked before each rule."""
        if perf_counter() > self.until:
            raise Late

    # -- trying laws --------------------------------------------------------------------------------------------------

    def attempt(self, check: Callable[Concatenate[Self, P], R], *args: P.args, **keywords: P.kwargs) -> R | None:
        """What `check` returns; None if a law is broken there, which is kept as a failure."""
        try:
            return check(self, *args, **keywords)
        except Fatal as broken:
            self.fail(*broken.args)
            raise
        except Unnumbered:
            raise
        except Broken as broken:
            self.fail(*broken.args)
        except Exception as error:
            self.rule = next((frame.name for frame in user_frames(error) if hasattr(Game, frame.name)), self.rule)
            self.fail(no_error(self.rule), describe(error))
        return None

    def about(self, rule: str, state: Any = None, action: int | None = None) -> None:
        """Set what the next laws are about."""
        self.rule, self.state, self.action, self.other = rule, state, action, None

    def law(self, law: str, holds: bool, *evidence: Any, broken: type[Broken] = Broken) -> None:
        """Raise `broken` unless the law holds. What was found is a series of words and values."""
        if not holds:
            raise broken(
                law, " ".join(str(part) if isinstance(part, (str, Apart)) else described(part) for part in evidence)
            )

    def fail(self, law: str, detail: str) -> None:
        """Keep a failure, unless the same law was broken at this ply or an earlier one before."""
        if law not in self.failures or self.ply < self.failures[law][0]:
            state, other = self.picture(self.state), self.picture(self.other)
            failure = Failure(law=law, rule=self.rule, state=state, action=self.label(), detail=detail, other=other)
            self.failures[law] = self.ply, failure

    def picture(self, state: Any) -> str:
        """A state as the game draws it, or as Python prints it."""
        if state is None:
            return ""
        with suppress(Exception):  # that is a failure of its own
            drawing = str(self.game.render(self.copy(state)))
            return described(state) if ADDRESS in drawing else excerpt(drawing)
        return described(state)

    def label(self) -> str:
        """The action with its name."""
        if self.action is None:
            return ""
        with suppress(Exception):  # that is a failure of its own
            name = str(self.game.action_name(self.copy(self.state), self.action))
            return name if name == str(self.action) else f"{name} (action {self.action})"
        return str(self.action)

    def in_rules(self, actions: list[int]) -> list[Any]:
        """Actions as the rules write them."""
        return [self.game.decode(action) for action in actions] if isinstance(self.game, Numbered) else actions

    # -- asking rules -------------------------------------------------------------------------------------------------

    def ask(self, rule: str, *args: Any) -> Any:
        """The answer of a rule, which must be the same when asked again and leave the state unchanged.

        `playout_action` and `determinize` get their random numbers from a seed, the last of `args`.
        """
        state = args[0] if args else None
        self.about(rule, self.copy(state), args[1] if rule in ACTION_RULES else None)
        answers = []
        for _ in range(2):
            answers.append(self.answer(rule, *args))
            law, alike = f"{rule} does not change the state it is given.", same if rule == "key" else self.same_state
            self.law(law, alike(state, self.state), Apart("before", self.state, "and after", state), broken=Fatal)
        law, alike = f"{rule} returns the same each time.", self.same_state if rule in STATE_RULES else same
        parts = Apart("first", answers[0], "and then", answers[1]), *at_random(rule)
        self.law(law, alike(*answers), *parts, broken=Fatal)
        return answers[0]

    def same_state(self, one: Any, other: Any) -> bool:
        """Whether two states have the same content or, if the game defines `key`, the same key."""
        if same(one, other) or not defines(self.game, "key"):
            return same(one, other)
        return same(*(self.answer("key", self.copy(state)) for state in (one, other)))

    def answer(self, rule: str, *args: Any) -> Any:
        """The answer of a rule, asked once; actions as a list."""
        self.in_time()
        try:
            arguments = (*args[:-1], new_random(args[-1])) if rule in ("playout_action", "determinize") else args
            answer = getattr(self.game, rule)(*arguments)
            if rule in ("actions", "candidates", "noisy") and answer is not None:
                self.law(ARE_ACTIONS, not is_bool(answer), "got", answer)
                is_wide = is_mask(answer) and not -(2**63) <= index(answer) < 2**64
                self.law("A bit mask of actions has at most 64 bits.", not is_wide, "got", answer)
                answer = list(islice(listed(answer), MAX_ACTIONS))
        except (Broken, Unnumbered):
            raise
        except Exception as error:
            raise Broken(no_error(rule), describe(error)) from error
        missing = f"got None; is a return missing in {line_of(self.rules, rule)}?"
        self.law(f"{rule} returns a value.", answer is not None, missing)
        return answer

    def number(self, rule: str, *args: Any) -> float:
        """The answer of a rule that returns a number."""
        answer = self.ask(rule, *args)
        try:
            return float(answer)
        except (TypeError, ValueError, OverflowError) as error:
            raise Broken(no_error(rule), describe(error)) from error

    def copy(self, value: Any) -> Any:
        """A deep copy, so that a change of the original can be seen."""
        try:
            return deepcopy(value)
        except Exception as error:  # perhaps an object of an extension
            self.notes[f"a {type(value).__name__} cannot be copied, so changes in it are not seen: {error}"] = None
            return value

    def some(self, actions: list[int]) -> list[int]:
        """A few of the actions, chosen at random."""
        return self.random.sample(actions, min(MAX_SAMPLED_ACTIONS, len(actions)))


def at_random(rule: str) -> list[str]:
    """What to do if a rule that makes states draws random numbers."""
    advice = "(if rules draw random numbers: outplay.random_as_chance makes chance of them)"
    return [advice] if rule in ("initial_state", "result") else []


# -- exceptions in rules ----------------------------------------------------------------------------------------------


def no_error(rule: str) -> str:
    """The law that a rule raises no exception."""
    accepts = "result accepts every action that actions lists."
    return accepts if rule == "result" else f"{rule or 'A rule'} raises no error."


def user_frames(error: Exception) -> list[traceback.FrameSummary]:
    """The frames of an exception that are in the user's code or a built-in game, outermost first."""
    return [frame for frame in traceback.extract_tb(error.__traceback__) if is_users(frame.filename)]


def describe(error: Exception) -> str:
    """An exception with the line of the user's code that raised it."""
    frames = user_frames(error)
    place = f" ({os.path.relpath(frames[-1].filename)}:{frames[-1].lineno}: {frames[-1].line})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"
