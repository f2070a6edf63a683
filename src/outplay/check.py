"""`check_game`: every law of a game, tried in the states of random playouts.

A law is a sentence. It stands where it is tried, in a `require(what must hold, rule, law, detail, state, action)`.

Reading order: `check_game`, then `_Check.playout` (one random game), `_Check.visit` (all laws of one state) and the
laws, from the rules that every game has to the optional ones. What a law finds is a `Failure`, all of it a `Report`.
"""

import math
import os
import pickle
import sysconfig
import traceback
import warnings
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from itertools import islice
from operator import index
from random import Random
from time import perf_counter
from typing import Any

import numpy as np

from outplay.errors import IllegalAction
from outplay.game import CHANCE, Game, defines, legal_actions
from outplay.kernels import gate, kernel, runs_compiled
from outplay.keys import SEED, mix, state_key

LONGEST = 5000
"""The plies after which a playout counts as endless."""
MOST_ACTIONS = 100_000
"""The actions after which a list of them counts as endless."""
TRIED = 8
"""So many actions of a state, chosen at random, are played, named and ordered."""
SMALL = 500
"""A subtree of at most so many states is small enough to be solved."""
TOLERANCE = 1e-9
"""The relative difference that rounding may make."""


# -- what is answered -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A law that does not hold: the rule that breaks it, in which state, for which action, and what was found."""

    law: str
    rule: str
    state: str
    action: str
    detail: str

    def __str__(self) -> str:
        parts = [f"law: {self.law}", f"{self.rule}: {self.detail}" if self.rule else self.detail]
        if self.state:
            parts.append("state:" + (" " if "\n" not in self.state else "\n") + self.state)
        if self.action:
            parts.append(f"action: {self.action}")
        return "\n".join(parts).replace("\n", "\n    ")


@dataclass(frozen=True, kw_only=True)
class Report:
    """What `check_game` found.

    Attributes:
        game: the game, as it prints.
        failures: each law that is broken, once, in the earliest state that was found to break it.
        notes: what is likely a mistake, or good to know, but breaks no law.
        playouts: random games played to the end.
        states: different states tried.
        longest: plies of the longest playout.
        branching: legal actions of a state, on average over the playouts.
        average: the utility of each player, on average over the playouts: does it favour the one that you expect?
        compiled: whether the rules run as native code.
    """

    game: str
    failures: tuple[Failure, ...]
    notes: tuple[str, ...]
    playouts: int
    states: int
    longest: int
    branching: float
    average: tuple[float, ...]
    compiled: bool
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether no law is broken."""
        return not self.failures

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values, for JSON."""
        return {"ok": self.ok, **asdict(self)}

    def __str__(self) -> str:
        broken = len(self.failures)
        verdict = "every law holds" if self.ok else f"{broken} law{'s' * (broken > 1)} broken"
        lines = [f"{self.game}: {verdict}", *map(str, self.failures)]
        lines.append(
            f"{self.playouts:,} playouts, {self.states:,} states, at most {self.longest:,} plies,"
            f" {self.branching:.1f} actions a state, average utility {' '.join(f'{x:+.2f}' for x in self.average) or '?'},"
            f" {'compiled' if self.compiled else 'interpreted'}, {self.seconds:.1f} s"
        )
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


def check_game(
    game: Game,
    *,
    playouts: int = 1000,
    seconds: float = 10.0,
    seed: int = 0,
    progress: Callable[[Report], None] | None = None,
) -> Report:
    """Try every law of `game` in the states of random playouts.

    A mistake in the rules is reported, never raised. What no law can know is who should have won: see
    `Report.average`, and play a few games with known ends.

    Args:
        game: what to check.
        playouts: how many random games to play.
        seconds: when to stop playing even so; compiling the rules comes before.
        seed: the same seed gives the same playouts.
        progress: called with the report so far, about ten times a second.

    >>> from outplay.games import ConnectFour
    >>> report = check_game(ConnectFour(), playouts=5)
    >>> report.ok, report.playouts, report.compiled
    (True, 5, True)
    """
    if not isinstance(game, Game):
        hint = f": a class; did you mean {game.__name__}()?" if isinstance(game, type) else " is not a Game"
        raise TypeError(f"check_game({game!r}){hint}")
    if isinstance(playouts, bool) or not isinstance(playouts, int) or playouts < 1:
        raise ValueError(f"check_game(playouts={playouts!r}): a whole number from 1 on")
    if not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
        raise ValueError(f"check_game(seconds={seconds!r}): a number above 0")

    started = shown = perf_counter()
    check = _Check(game, Random(seed))  # noqa: S311 - not for secrets
    if check.attempt(check.declarations) and check.attempt(check.start):
        deadline = perf_counter() + seconds
        for _ in range(playouts):
            check.attempt(check.playout, deadline)
            now = perf_counter()
            if now > deadline or check.is_hopeless:
                break
            if progress is not None and now - shown > 0.1:
                shown = now
                progress(check.report(now - started))
    return check.report(perf_counter() - started)


# -- the compiled rules -----------------------------------------------------------------------------------------------


@kernel
def ask_all(game: Any, state: Any, actions: Any, orders: Any, payoffs: Any, estimates: Any) -> tuple[Any, ...]:
    """Each rule that a search asks, once: in the arrays, and as (over, player to move, number of actions, quiet, key)."""
    over, mover, number, quiet = game.is_terminal(state), 0, 0, True
    if over:
        for player in range(game.players):
            payoffs[player] = game.utility(state, player)
    else:
        mover = game.to_move(state)
        for action in legal_actions(game, state):
            if number < len(actions):
                actions[number] = action
                if mover >= 0:
                    orders[number] = game.order(state, action)
            number += 1
        quiet = game.is_quiet(state)
        for player in range(game.players):
            estimates[player] = game.evaluate(state, player)
    return over, mover, number, quiet, state_key(game, state)


@kernel
def ask_initial_state(game: Any) -> Any:
    """The initial state, compiled."""
    return game.initial_state()


@kernel
def ask_result(game: Any, state: Any, action: int) -> Any:
    """The next state, compiled."""
    return game.result(state, action)


@kernel
def ask_probability(game: Any, state: Any, action: int) -> float:
    """The probability of one outcome, compiled; only games with chance have it."""
    return game.probability(state, action)  # type: ignore[no-any-return]


@kernel
def ask_symmetries(game: Any, state: Any) -> Any:
    """The symmetric states, compiled."""
    return game.symmetries(state)


# -- trying the laws --------------------------------------------------------------------------------------------------


class Broken(Exception):
    """A law that does not hold."""

    def __init__(self, rule: str, law: str, detail: str, state: Any, action: int | None) -> None:
        super().__init__(law)
        self.rule, self.law, self.detail, self.state, self.action = rule, law, detail, state, action


def require(holds: bool, rule: str, law: str, detail: str, state: Any, action: int | None = None) -> None:
    """Raise `Broken` unless the law holds."""
    if not holds:
        raise Broken(rule, law, detail, state, action)


NOWHERE: Any = object()
"""The state of a failure that is not about a state."""


@dataclass(eq=False)
class Place:
    """A state that was visited, and what the rules say of it."""

    state: Any
    ply: int
    over: bool
    mover: int = CHANCE
    actions: list[int] = field(default_factory=list)
    utilities: tuple[float, ...] = ()  # at the end of the game
    probabilities: tuple[float, ...] = ()  # where chance moves
    estimate: float = math.nan  # for player 0
    equals: list[tuple[str, Any]] = field(default_factory=list)  # (rule, state): what must have the same value


class _Check:
    """One run of `check_game`."""

    def __init__(self, game: Game, random: Random) -> None:
        self.game = game
        self.random = random
        self.compiled = False
        self.parameters = deepcopy(vars(game))
        self.failures: dict[str, tuple[int, Failure]] = {}  # by law, with the ply
        self.is_hopeless = False  # the rules are not functions: nothing else can be said of them
        self.notes: dict[str, None] = {}
        self.ply = 0
        self.places: dict[int, Place] = {}  # by key
        self.known: dict[Any, tuple[Any, ...]] = {}  # what each information says, by player and information
        self.names: list[str] = []  # of the actions in the state before
        self.features: int | None = None
        self.playouts = self.longest = self.visits = self.choices = 0
        self.movers: set[int] = set()
        self.totals = [0.0] * game.players if isinstance(game.players, int) else []
        self.forecasts: list[tuple[float, float]] = []  # (estimate, utility at the end) of player 0

    # -- the frame ----------------------------------------------------------------------------------------------------

    def attempt(self, check: Callable[..., Any], *args: Any) -> Any:
        """What `check` answers, or None if a law is broken there."""
        try:
            return check(*args)
        except Broken as broken:
            self.fail(broken)
        except Exception as error:  # noqa: BLE001 - whatever a rule raises is a failure of that rule
            rule = next((frame.name for frame in _frames(error)), "")
            self.fail(Broken(rule, f"{rule} answers without an error.", _told(error), NOWHERE, None))
        return None

    def fail(self, broken: Broken) -> None:
        """Keep the failure, unless the same law was broken at an earlier ply."""
        if broken.law in self.failures and self.failures[broken.law][0] <= self.ply:
            return
        state = "" if broken.state is NOWHERE else self.picture(broken.state)
        action = "" if broken.action is None else self.label(broken.state, broken.action)
        found = Failure(law=broken.law, rule=broken.rule, state=state, action=action, detail=broken.detail)
        self.failures[broken.law] = self.ply, found

    def picture(self, state: Any) -> str:
        """The state as `render` draws it, or as Python prints it."""
        try:
            return str(self.game.render(deepcopy(state))) if defines(self.game, "render") else repr(state)
        except Exception:  # noqa: BLE001 - that is a failure of its own
            return repr(state)

    def label(self, state: Any, action: int) -> str:
        """The action with its name."""
        try:
            name = str(self.game.action_name(deepcopy(state), action))
        except Exception:  # noqa: BLE001 - that is a failure of its own
            name = str(action)
        return name if name == str(action) else f"{name} ({action})"

    def report(self, seconds: float) -> Report:
        """What was found so far."""
        return Report(
            game=repr(self.game),
            failures=tuple(failure for _, failure in self.failures.values()),
            notes=(*self.notes, *self.advice()),
            playouts=self.playouts,
            states=len(self.places),
            longest=self.longest,
            branching=self.choices / max(1, self.visits),
            average=tuple(total / self.playouts for total in self.totals) if self.playouts else (),
            compiled=self.compiled,
            seconds=round(seconds, 3),
        )

    def ask(self, rule: str, state: Any, *args: Any) -> Any:
        """The answer of a rule: twice the same, and the state is left alone."""
        action = args[0] if args and rule in ("result", "probability", "order", "action_name") else None
        law = f"{rule} answers without an error."
        if rule == "result":
            law = "result accepts every action that actions lists."
        before, answers = deepcopy(state), []
        for _ in range(2):
            try:
                answer = getattr(self.game, rule)(state, *args)
                if rule == "actions" and answer is not None:
                    answer = list(islice(legal_actions(self.game, state), MOST_ACTIONS))
            except Exception as error:  # noqa: BLE001 - whatever a rule raises is a failure of that rule
                raise Broken(rule, law, _told(error), before, action) from error
            require(answer is not None, rule, law, "answered None; is a return missing?", before, action)
            if not same(state, before):
                self.is_hopeless = True
                detail = f"the state was {before!r} before and is {state!r} after; change a copy"
                raise Broken(rule, f"{rule} does not change the state it is given.", detail, before, action)
            answers.append(answer)
        if not same(*answers):
            self.is_hopeless = True
            detail = f"first {answers[0]!r}, then {answers[1]!r}; what is random belongs into a chance node"
            raise Broken(rule, f"{rule} answers the same each time.", detail, before, action)
        return answers[0]

    # -- the game as a whole ------------------------------------------------------------------------------------------

    def declarations(self) -> bool:
        """Whether the class attributes and parameters make sense."""
        game, law = self.game, "A game declares what it is."
        known = game.utilities
        require(_is_whole(game.players) and game.players >= 1, "players", law, f"{game.players!r}: 1 or more", NOWHERE)
        if known is not None:
            is_pair = isinstance(known, (tuple, list)) and len(known) == 2 and all(map(_is_finite, known))
            detail = f"{known!r}: None, or the least and the greatest utility of any player"
            require(is_pair and known[0] <= known[1], "utilities", law, detail, NOWHERE)
        for declared, rule in (("has_chance", "probability"), ("hidden_information", "information")):
            is_told = not getattr(game, declared) or defines(game, rule)
            require(is_told, declared, law, f"{declared} is set, so the game must define {rule}()", NOWHERE)
        self.attempt(self.pickling)
        return True

    def pickling(self) -> None:
        """A pickled game is the same game."""
        try:
            data = pickle.dumps(self.game)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            self.notes[f"cannot be pickled, so it stays in one process: {error}"] = None
            return
        copy = pickle.loads(data)  # noqa: S301 - our own
        is_same = copy == self.game and repr(copy) == repr(self.game)
        law = "A pickled game is the same game."
        require(is_same, "__init__", law, f"{self.game!r} came back as {copy!r}", NOWHERE)

    def start(self) -> bool:
        """Whether the game can start; compiles its rules if they compile."""
        first, second = (self.game.initial_state() for _ in range(2))
        law = "initial_state answers the same each time."
        require(first is not None, "initial_state", law, "answered None; is a return missing?", NOWHERE)
        detail = f"first {first!r}, then {second!r}; what is random belongs into a chance node"
        require(same(first, second), "initial_state", law, detail, NOWHERE)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.attempt(self.prepare, first)
        for warning in caught:
            self.notes[str(warning.message).splitlines()[0]] = None
        if not self.compiled and not self.failures and not caught and type(self.game).compiled is None:
            self.notes["runs interpreted, as a warning has said before"] = None
        return True

    def prepare(self, state: Any) -> None:
        """Compile all kernels, which tells whether the rules run compiled."""
        game, law = self.game, "The rules compile, or run interpreted."
        try:
            if not runs_compiled(game):
                return
            state = gate(game, state)
            ask_all.prepare(game, state, *_arrays(game, 1))
            ask_result.prepare(game, state, 0)
            ask_initial_state.prepare(game)
            if game.has_chance:
                ask_probability.prepare(game, state, 0)
            self.compiled = runs_compiled(game)
        except Exception as error:  # noqa: BLE001 - whatever the compiler raises
            raise Broken("compiled", law, str(error), NOWHERE, None) from error
        if self.compiled:
            first, native = game.initial_state(), ask_initial_state.dispatcher(game)
            law = "Compiled, initial_state answers as it does interpreted."
            require(same(first, native), "initial_state", law, f"interpreted {first!r}, compiled {native!r}", NOWHERE)

    # -- one random game ----------------------------------------------------------------------------------------------

    def playout(self, deadline: float) -> None:
        """Play at random to the end and try all laws on the way; stop at a rule that fails."""
        path: list[Place] = []
        memory: dict[int, Any] = {}  # what each player knew and did last
        state = self.game.initial_state()
        while not path or not path[-1].over:
            self.ply = len(path)
            if self.ply > LONGEST:
                detail = f"a random playout still went on after {LONGEST} plies; count moves or repetitions in the state"
                raise Broken("is_terminal", "Every game ends.", detail, state, None)
            place = self.visit(state)
            path.append(place)
            if perf_counter() > deadline:
                return
            if not place.over:
                weights = place.probabilities if place.mover == CHANCE else None
                action = self.random.choices(place.actions, weights)[0]
                if self.game.hidden_information and place.mover != CHANCE:
                    self.attempt(self.memory, place, memory, action)
                state = self.ask("result", deepcopy(place.state), action)
                self.visits += 1
                self.choices += len(place.actions)
                self.movers.add(place.mover)
        self.playouts += 1
        self.longest = max(self.longest, len(path) - 1)
        utilities = path[-1].utilities
        for player, utility in enumerate(utilities):
            self.totals[player] += utility
        self.forecasts += [(place.estimate, utilities[0]) for place in path if utilities and not place.over]
        for place in reversed(path):
            self.ply = place.ply
            if self.attempt(self.values, place) == math.inf:  # too large, and so are all before
                break

    def visit(self, state: Any) -> Place:
        """The place of this state; new ones are tried by every law."""
        game = self.game
        law = "Every state can be hashed to a key."
        try:
            key = state_key(game, state)
        except Exception as error:
            raise Broken("key", law, _told(error), state, None) from error
        twin = self.places.get(key)
        if twin is not None and same(twin.state, state):
            return twin
        self.form(state)
        place = self.facts(deepcopy(state), len(self.places))
        self.places.setdefault(key, place)
        self.attempt(self.keys, place, key, twin)
        laws = [self.pictures]
        laws += [self.utilities] if place.over else [self.actions, self.names_of_actions, self.results]
        if place.mover == CHANCE and not place.over:
            laws.append(self.chances)
        elif not place.over and defines(game, "order"):
            laws.append(self.orders)
        if defines(game, "evaluate") and not place.over:
            laws.append(self.evaluations)
        if defines(game, "symmetries"):
            laws.append(self.symmetries)
        if defines(game, "features"):
            laws.append(self.lengths)
        if self.compiled:
            laws.append(self.agreement)
        for check in [*laws, self.constants]:
            self.attempt(check, place)
        return place
