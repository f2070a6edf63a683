"""`check_game`: every law of a game, tried in the states of random playouts.

A law is a sentence and stands where it is tried: `self.law("No action is listed twice.", holds, found)`. It is about
the rule that was asked last.

Reading order: `check_game`, then `_Check.playout` (one random game), `_Check.visit` (all laws of one state) and the
laws, from the rules that every game defines to the optional ones. A broken law is a `Failure`, all of it a `Report`.
"""

import math
import os
import pickle
import sysconfig
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from itertools import islice
from numbers import Real
from operator import index
from random import Random
from time import perf_counter
from typing import Any

import numpy as np

from outplay.compile.kernels import cast_state, kernel, pointer, runs_compiled
from outplay.compile.random_numbers import new_random
from outplay.rules.arguments import MOST_PLAYERS, check_type, is_whole
from outplay.rules.base import attributes, checked
from outplay.rules.errors import IllegalAction, RulesError
from outplay.rules.game import (
    CHANCE,
    Game,
    defines,
    forced_result_depths,
    is_mask,
    legal_actions,
    listed,
    noisy_actions,
    team_members,
)
from outplay.rules.keys import SEED, mix, state_key
from outplay.rules.repetition import final, playable

LONGEST = 5000
"""The plies after which a playout counts as endless."""
MOST_ACTIONS = 100_000
"""The actions after which a list of them counts as endless."""
TRIED = 8
"""So many actions of a state, chosen at random, are played, named and ordered."""
SMALL = 500
"""A subtree of at most so many states is small enough to be solved."""
TOLERANCE = 1e-9
"""The difference that rounding may make."""
LOOKED_AHEAD = 2
"""How many plies what `forced_result` and `candidates` say is looked into."""
MOST_LOOKED_AT = 12
"""In states with more actions it is not."""
OF_ACTIONS = ("result", "probability", "order", "action_name")
"""The rules that are asked about an action."""
ARE_ACTIONS = "Actions are whole numbers from 0 on, not True and False."
SAME_KEY = "States with the same key are the same for the rest of the game."
SYMMETRIC = "Symmetric states are worth the same."
RECALL = "What a player knows tells all that they knew and did before (perfect recall)."
HIDDEN = "Something is hidden from some player."
ALL_WORLDS = "determinize draws all states that look the same."
ENOUGH = 10
"""So many playouts show whether anything is hidden."""
DRAWN = 40
"""So often `determinize` may give the true state before it seems to know it."""


# -- what is answered -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A law that does not hold: the rule that breaks it, in which state, for which action, and what was found.

    Where two states together break it, as when they look the same to a player and should not, `other` is the second.
    """

    law: str
    rule: str
    state: str
    action: str
    detail: str
    other: str = ""

    def __str__(self) -> str:
        parts = [f"law: {self.law}", f"{self.rule}: {self.detail}" if self.rule else self.detail]
        for name, state in (("state", self.state), ("other state", self.other)):
            if state:
                parts.append(f"{name}:" + (" " if "\n" not in state else "\n") + state)
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
        average = " ".join(f"{utility:+.2f}" for utility in self.average) or "unknown"
        numbers = (
            f"{self.playouts:,} playouts, {self.states:,} states, {'compiled' if self.compiled else 'interpreted'}",
            f"at most {self.longest:,} plies, {self.branching:.1f} actions a state",
            f"average utility {average}, {self.seconds:.1f} s",
        )
        verdict = f"{broken} {'law is' if broken == 1 else 'laws are'} broken" if broken else "every law holds"
        lines = [f"{self.game}: {verdict}", *map(str, self.failures), ", ".join(numbers)]
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
    check_type(game, Game, "check_game({})", "TicTacToe()")
    if isinstance(playouts, bool) or not isinstance(playouts, int) or playouts < 1:
        raise ValueError(f"check_game(playouts={playouts!r}): a whole number from 1 on")
    if not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
        raise ValueError(f"check_game(seconds={seconds!r}): a number above 0")

    started = shown = perf_counter()
    check = _Check(game, Random(seed))  # noqa: S311 - not for secrets
    with suppress(Fatal):
        can_play = check.attempt(check.declarations)
        check.attempt(check.pickling)
        can_play = can_play and check.attempt(check.start)
        deadline = perf_counter() + seconds
        for _ in range(playouts if can_play else 0):
            check.attempt(check.playout, deadline)
            now = perf_counter()
            if now > deadline or not check.places:  # not even the initial state could be tried
                break
            if progress is not None and now - shown > 0.1:
                shown = now
                progress(check.report(now - started))
        if can_play and game.hidden_information and len(check.ends) >= ENOUGH:
            check.attempt(check.secrets)
            check.attempt(check.worlds)
    return check.report(perf_counter() - started)


# -- the compiled rules -----------------------------------------------------------------------------------------------


@kernel
def ask_all(game: Any, state: Any, arrays: Any) -> tuple[bool, int, int, bool, bool, int]:
    """Each rule that a search asks: over, player to move, number of actions, quiet, urgent, key; more in `arrays`."""
    actions, orders, payoffs, estimates, noisy = arrays
    over, mover, number, quiet, urgent = game.is_terminal(state), 0, 0, True, False
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
        quiet, urgent = game.is_quiet(state), game.needs_extension(state)
        if defines(game, "noisy"):
            for place, action in enumerate(noisy_actions(game, state)):
                if place < len(noisy):
                    noisy[place] = action
        for player in range(game.players):
            estimates[player] = game.evaluate(state, player)
    return over, mover, number, quiet, urgent, state_key(game, state)


@kernel
def ask_initial_state(game: Any) -> Any:
    """The initial state, compiled."""
    return game.initial_state()


@kernel
def ask_result(game: Any, state: Any, action: int) -> Any:
    """The next state, compiled."""
    return game.result(state, action)


@kernel
def ask_null_move_state(game: Any, state: Any) -> Any:
    """The state after a pass, compiled."""
    return game.null_move_state(state)


@kernel
def ask_playout_action(game: Any, state: Any, last: int, random: Any) -> int:
    """What a playout plays, compiled."""
    return game.playout_action(state, last, pointer(random))  # type: ignore[no-any-return]


@kernel
def ask_information(game: Any, state: Any, player: int) -> Any:
    """What a player knows, and its hash, compiled; only games with hidden information have it."""
    information = game.information(state, player)
    return information, mix(SEED, information)


@kernel
def ask_determinize(game: Any, state: Any, player: int, random: Any) -> Any:
    """A state that looks the same, compiled."""
    return game.determinize(state, player, pointer(random))


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
    """A law that does not hold, and what was found instead."""


class Fatal(Broken):
    """A broken law without which the others mean nothing, or would take too long."""


@dataclass(eq=False)
class Place:
    """A state that was visited, and what the rules say of it."""

    state: Any
    over: bool
    mover: int = CHANCE
    actions: list[int] = field(default_factory=list)
    utilities: list[float] = field(default_factory=list)  # at the end of the game
    probabilities: list[float] = field(default_factory=list)  # where chance moves
    estimate: float = math.nan  # for player 0
    children: list[Any] = field(default_factory=list)  # some of the states that follow
    known: list[int] = field(default_factory=list)  # what each player knows, hashed
    equals: list[tuple[str, Any]] = field(default_factory=list)  # (rule, state): states that must have the same value


@dataclass(eq=False)
class RecallRecord:
    """Something that a player knew: where that was first, and what they knew and did last before then."""

    place: Place
    past: tuple[int, int] | None  # (information, action)
    story: str
    twin: Place | None = None  # another state where they knew the same


def settled(
    game: Game, state: Any, player: int, depth: int, actions: list[int] | None = None
) -> tuple[float, int] | None:
    """The utility of `player` and the plies to the end, if that is sure within `depth` plies; else None."""
    if game.is_terminal(state):
        return float(game.utility(state, player)), 0
    if depth == 0:
        return None
    mover = game.to_move(state)
    children = [game.result(state, action) for action in actions or legal_actions(game, state)]
    found = [settled(game, child, mover, depth - 1) for child in children]
    known = [(utility, plies + 1) for utility, plies in (one for one in found if one is not None)]
    wins = [plies for utility, plies in known if game.utilities and utility == game.utilities[1]]
    if wins:
        best = float(game.utilities[1]), min(wins)  # type: ignore[index]
    elif len(known) == len(found):
        most = max(utility for utility, _ in known)
        plies = [plies for utility, plies in known if utility == most]
        best = most, min(plies) if most > 0 else max(plies)
    else:
        return None
    return best if mover == player else (-best[0], best[1])


class _Check:
    """One run of `check_game`."""

    lets_zeros_pass = False  # whether an outcome may have probability 0

    def __init__(self, game: Game, random: Random) -> None:
        self.game = game
        self.random = random
        self.compiled = False
        self.native: set[Any] = set()  # the kernels that compile
        self.twin = game  # compiled with checks
        self.failures: dict[str, tuple[int, Failure]] = {}  # by law; with the ply
        self.notes: dict[str, None] = {}  # a set that keeps its order
        self.attributes = self.copy(attributes(game))

        self.ply = 0
        self.rule = ""  # asked last
        self.state: Any = None  # asked about
        self.action: int | None = None  # asked about
        self.other: Any = None  # a second state that the law is about
        self.places: dict[int, Place] = {}  # by key
        self.known: dict[tuple[int, int], RecallRecord] = {}  # by (player, information)
        self.told: dict[tuple[int, int], tuple[str, Any]] = {}  # (text, state) by (player, information)
        self.blind: set[int] = set()  # the players who were seen not to see something
        self.seeing: dict[int, tuple[Any, Any]] = {}  # two states that differ in what a player saw somebody else do
        self.names: list[str] = []  # of the actions in the state before

        self.longest = self.visits = self.choices = 0
        self.movers: set[int] = set()
        self.ends: list[list[float]] = []  # the utilities at the end of each playout
        self.forecasts: list[tuple[float, float]] = []  # (estimate, utility at the end) of player 0

    def attempt(self, check: Callable[..., Any], *args: Any) -> Any:
        """What `check` answers, or None if a law is broken there."""
        try:
            return check(*args)
        except Fatal as broken:
            self.fail(*broken.args)
            raise
        except Broken as broken:
            self.fail(*broken.args)
        except Exception as error:
            if isinstance(error, RulesError) and traceback.extract_tb(error.__traceback__)[-1].filename == __file__:
                self.fail(_agreement(self.rule), str(error))  # compiled rules, which are checked, raised it
                return None
            self.rule = next((frame.name for frame in _frames(error) if hasattr(Game, frame.name)), self.rule)
            self.fail(_no_error(self.rule), _told(error))
        return None

    def fail(self, law: str, detail: str) -> None:
        """Keep the failure, unless the same law was broken as early before."""
        if law not in self.failures or self.ply < self.failures[law][0]:
            state, other = self.picture(self.state), self.picture(self.other)
            failure = Failure(law=law, rule=self.rule, state=state, action=self.label(), detail=detail, other=other)
            self.failures[law] = self.ply, failure

    def picture(self, state: Any) -> str:
        """A state as the game draws it, or as Python prints it."""
        if state is None:
            return ""
        with suppress(Exception):  # that is a failure of its own
            return str(self.game.render(self.copy(state)))
        with suppress(Exception):
            return repr(state)
        return f"a {type(state).__name__}"

    def label(self) -> str:
        """The action with its name."""
        if self.action is None:
            return ""
        with suppress(Exception):  # that is a failure of its own
            name = str(self.game.action_name(self.copy(self.state), self.action))
            return name if name == str(self.action) else f"{name} (action {self.action})"
        return str(self.action)

    def copy(self, value: Any) -> Any:
        """A copy that shares nothing, so that a change can be seen."""
        try:
            return deepcopy(value)
        except Exception as error:  # perhaps an object of an extension
            self.notes[f"a {type(value).__name__} cannot be copied, so changes in it are not seen: {error}"] = None
            return value

    def about(self, rule: str, state: Any = None, action: int | None = None) -> None:
        """What the next laws are about."""
        self.rule, self.state, self.action, self.other = rule, state, action, None

    def law(self, law: str, holds: bool, *found: Any, broken: type[Broken] = Broken) -> None:
        """Raise `Broken` unless the law holds. What was found is words and values."""
        if not holds:
            raise broken(law, " ".join(part if isinstance(part, str) else repr(part) for part in found))

    def law_of_two(self, law: str, holds: bool, state: Any, other: Any, *found: Any) -> None:
        """The same for a law that two states break together."""
        self.about("information", state)
        self.other = other
        self.law(law, holds, *found)

    def ask(self, rule: str, *args: Any) -> Any:
        """The answer of a rule, which is the same when asked again, and leaves the state alone.

        `playout_action` and `determinize` get their random numbers by a seed, the last of `args`.
        """
        state = args[0] if args else None
        self.about(rule, self.copy(state), args[1] if rule in OF_ACTIONS else None)
        answers = []
        for _ in range(2):
            answers.append(self.answer(rule, *args))
            law = f"{rule} does not change the state it is given."
            self.law(law, same(state, self.state), "before", self.state, "and after", state, broken=Fatal)
        law = f"{rule} answers the same each time."
        self.law(law, same(*answers), "first", answers[0], "and then", answers[1], broken=Fatal)
        return answers[0]

    def answer(self, rule: str, *args: Any) -> Any:
        """The answer of a rule, which is asked once; actions as a list."""
        try:
            told = (*args[:-1], new_random(args[-1])) if rule in ("playout_action", "determinize") else args
            answer = getattr(self.game, rule)(*told)
            if rule in ("actions", "candidates", "noisy") and answer is not None:
                self.law(ARE_ACTIONS, not _is_truth(answer), "got", answer)
                is_wide = is_mask(answer) and not -(2**63) <= index(answer) < 2**64
                self.law("A bit mask of actions has at most 64 bits.", not is_wide, "got", answer)
                answer = list(islice(listed(answer), MOST_ACTIONS))
        except Broken:
            raise
        except Exception as error:
            raise Broken(_no_error(rule), _told(error)) from error
        self.law(f"{rule} answers something.", answer is not None, "got None; is a return missing?")
        return answer

    def number(self, rule: str, *args: Any) -> float:
        """The answer of a rule that answers a number."""
        answer = self.ask(rule, *args)
        try:
            return float(answer)
        except (TypeError, ValueError, OverflowError) as error:
            raise Broken(_no_error(rule), _told(error)) from error

    # -- the game as a whole ------------------------------------------------------------------------------------------

    def declarations(self) -> bool:
        """The class attributes make sense."""
        game, known = self.game, self.game.utilities
        is_number = is_whole(game.players) and 1 <= game.players <= MOST_PLAYERS
        self.law(f"players is a whole number from 1 to {MOST_PLAYERS}.", is_number, "got", game.players)
        is_row = isinstance(game.teams, (tuple, list)) and len(game.teams) == game.players
        are_teams = not game.teams or (is_row and all(map(_is_whole, game.teams)))
        self.law("teams is empty, or has a number for each player.", are_teams, "got", game.teams)
        is_pair = isinstance(known, (tuple, list)) and len(known) == 2
        is_range = known is None or (is_pair and _are_finite(known) and known[0] <= known[1])
        self.law("utilities is None, or (least, greatest).", is_range, "got", known)
        for flag in ("zero_sum", "has_chance", "hidden_information", "by_trial"):
            self.law(f"{flag} is True or False.", isinstance(getattr(game, flag), bool), "got", getattr(game, flag))
        for flag, rule in (("has_chance", "probability"), ("hidden_information", "information")):
            law = f"A game with {flag} defines {rule}."
            self.law(law, not getattr(game, flag) or defines(game, rule), rule, "is not defined")
        return True

    def pickling(self) -> None:
        """A pickled game is the same game."""
        game = self.game
        try:
            data = pickle.dumps(game)
        except Exception as error:  # a class made inside a function, a parameter that is a function
            self.notes[f"cannot be pickled, so it cannot be sent to other processes: {error}"] = None
        else:
            copy = pickle.loads(data)  # noqa: S301 - our own
            law = "A pickled game is the same game."
            self.law(law, copy == game and repr(copy) == repr(game), game, "came back as", copy)

    def start(self) -> bool:
        """The game starts in the same state each time; its rules compile, or a note says why not."""
        state = self.ask("initial_state")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.attempt(self.compile, state)
        self.notes |= dict.fromkeys(str(warning.message).splitlines()[0] for warning in caught)
        if not (self.compiled or caught or self.failures) and type(self.game).compiled is None:
            self.notes["runs interpreted; a warning said why when that was found out"] = None
        return True

    def compile(self, state: Any) -> None:
        """Compile the kernels that the rules have. One that fails is no reason to search interpreted."""
        self.twin = game = checked(self.game)
        try:
            if runs_compiled(game):
                gated = cast_state(game, state)
                self.try_kernel(ask_all, gated, _arrays(game, 1))
                self.try_kernel(ask_result, gated, 0)
                if game.has_chance:
                    self.try_kernel(ask_probability, gated, 0)
                if game.hidden_information:
                    self.try_kernel(ask_information, gated, 0)
                if defines(game, "determinize"):
                    self.try_kernel(ask_determinize, gated, 0, new_random(0))
                if defines(game, "symmetries"):
                    self.try_kernel(ask_symmetries, gated)
                if defines(game, "null_move_state"):
                    self.try_kernel(ask_null_move_state, gated)
                if defines(game, "playout_action"):
                    self.try_kernel(ask_playout_action, gated, -1, new_random(0))
                if game.hidden_information and not defines(game, "determinize"):  # else no search asks it
                    self.try_kernel(ask_initial_state)
                else:
                    with warnings.catch_warnings(), suppress(RulesError):
                        warnings.simplefilter("ignore")
                        self.try_kernel(ask_initial_state)
            self.compiled = {ask_all, ask_result} <= self.native
        except Exception as error:
            raise Broken("The rules compile, or run interpreted.", str(error)) from error
        if ask_initial_state in self.native:
            self.agree("initial_state", state, ask_initial_state.dispatcher(game))

    def try_kernel(self, kernel: Any, *arguments: Any) -> None:
        """Compile one kernel, if it compiles."""
        from outplay.compile.native.refusal import on_trial  # noqa: PLC0415 - it imports Numba

        with on_trial(self.twin):
            kernel.prepare(self.twin, *arguments)
            if runs_compiled(self.twin):
                self.native.add(kernel)

    # -- one random game ----------------------------------------------------------------------------------------------

    def playout(self, deadline: float) -> None:
        """Play at random to the end, and try the laws in each state on the way."""
        path: list[Place] = []
        ended: tuple[float, ...] | None = None  # by repetition
        memory: dict[int, tuple[int, int]] = {}  # each player's last information and action
        story: dict[int, str] = {}  # the same in words
        state, last = self.game.initial_state(), -1
        while not path or not path[-1].over:
            self.ply = len(path)
            if self.ply > LONGEST:
                self.about("is_terminal", state)
                remedy = "end it after so many plies, or at a repetition"
                raise Fatal("Every game ends.", f"a random playout is not over after {LONGEST} plies; {remedy}")
            place = self.visit(state, last)
            path.append(place)
            if perf_counter() > deadline:
                return
            states = [past.state for past in path]
            ended = final(self.game, states) if self.game.repetition and not place.over else None
            if ended is not None:
                break
            if not place.over:
                self.visits += 1
                self.choices += len(place.actions)
                self.movers.add(place.mover)
                if self.game.repetition == "forbidden":
                    action = self.random.choice(playable(self.game, states))
                else:
                    action = self.random.choices(place.actions, place.probabilities or None)[0]
                if place.mover != CHANCE and place.known:
                    for player in range(self.game.players):
                        self.attempt(self.recall, place, player, memory, story)
                    memory[place.mover] = place.known[place.mover], action
                    story[place.mover] = self.words(place, action)
                state, last = self.ask("result", place.state, action), action
        utilities = list(ended or place.utilities)
        if not utilities:
            return
        self.longest = max(self.longest, self.ply)
        self.ends.append(utilities)
        self.forecasts += [(past.estimate, utilities[0]) for past in path[:-1]]
        self.ply = LONGEST  # nearest to the end is simplest here
        for place in reversed(path) if not self.game.repetition else ():  # a value may rest on the past
            if self.attempt(self.values, place) is False:
                break

    def visit(self, state: Any, last: int) -> Place:
        """The place of `state`, to which action `last` has led. A new one is tried by every law."""
        self.about("key", state)
        key = state_key(self.game, self.copy(state))
        twin = self.places.get(key)
        if twin is not None and same(twin.state, state):
            return twin
        self.about("result", state)
        self.form(state)
        place = self.facts(state)
        self.places.setdefault(key, place)
        laws = [self.utilities] if place.over else [self.results, self.names_of_actions, self.estimates, self.hints]
        for law in (
            *laws,
            self.pictures,
            self.texts,
            self.features,
            self.symmetries,
            self.compiled_rules,
            self.constants,
        ):
            self.attempt(law, place)
        if self.game.hidden_information and not place.over:
            for law in (self.information, self.siblings, self.guesses):
                self.attempt(law, place)
        self.attempt(self.keys, place, twin)
        if defines(self.game, "playout_action") and not place.over and place.mover != CHANCE:
            self.attempt(self.playing, place, last)
        return place

    def form(self, state: Any) -> None:
        """Compiled rules can take the state as it is."""
        if self.compiled:
            law = "Every state has the form of the initial state."
            try:
                gated = cast_state(self.game, state)
            except RulesError as error:
                raise Broken(law, str(error)) from error
            self.law(law, same(gated, state), "in that form it would be", gated)

    def facts(self, state: Any) -> Place:
        """What a playout needs to go on."""
        chance, players = self.game.has_chance, self.game.players
        over = self.ask("is_terminal", state)
        self.law("is_terminal answers True or False.", isinstance(over, (int, np.generic)), "got", over)
        place = Place(self.copy(state), bool(over))
        if over:
            return place
        mover = self.ask("to_move", state)
        law = f"The player to move is {'CHANCE (-1) or ' * chance}one of 0 to {players - 1}."
        self.law(law, _is_whole(mover) and -chance <= mover < players, "got", mover)
        actions = self.ask("actions", state)
        self.law("A state that is not terminal has a legal action.", len(actions) > 0, "got", actions)
        self.law("The list of actions ends.", len(actions) < MOST_ACTIONS, "got more than", MOST_ACTIONS)
        are_actions = all(_is_whole(action) and not _is_truth(action) and 0 <= action < 2**63 for action in actions)
        self.law(ARE_ACTIONS, are_actions, "got", actions)
        self.law("No action is listed twice.", len(set(actions)) == len(actions), "got", actions)
        place.mover, place.actions = int(mover), list(map(index, actions))
        if place.mover == CHANCE:
            self.attempt(self.chances, place)
        return place

    # -- the rules that every game defines ----------------------------------------------------------------------------

    def utilities(self, place: Place) -> None:
        """Utilities are numbers in the range that the game declares, and sum to zero if it says so."""
        game = self.game
        utilities = [self.number("utility", place.state, player) for player in range(game.players)]
        self.law("Utilities are finite numbers.", _are_finite(utilities), "got", utilities)
        teams = team_members(game)
        if game.zero_sum and len(teams) > 1:
            is_zero = abs(math.fsum(utilities[team[0]] for team in teams)) <= TOLERANCE * max(map(abs, utilities))
            self.law(
                f"The utilities of all {'teams' if game.teams else 'players'} sum to zero.", is_zero, "got", utilities
            )
        is_one = all(len({utilities[player] for player in team}) == 1 for team in teams)
        self.law("Players of a team have the same utility.", is_one, "got", utilities)
        self.law(f"Utilities lie in the range {game.utilities}.", self.in_range(utilities), "got", utilities)
        place.utilities = utilities

    def in_range(self, utilities: list[float]) -> bool:
        """Whether these lie within `Game.utilities`, where that is declared."""
        least, greatest = self.game.utilities or (-math.inf, math.inf)
        return all(least - TOLERANCE <= utility <= greatest + TOLERANCE for utility in utilities)

    def chances(self, place: Place) -> None:
        """Probabilities are positive and sum to one."""
        chances = [self.number("probability", place.state, action) for action in place.actions]
        self.action = None
        are_chances = _are_finite(chances) and (min(chances) > 0 or (self.lets_zeros_pass and min(chances) == 0))
        is_one = are_chances and math.isclose(math.fsum(chances), 1, rel_tol=TOLERANCE)
        self.law("Probabilities are positive and sum to 1.", is_one, "got", chances)
        place.probabilities = chances
        if ask_probability in self.native:
            gated = cast_state(self.game, place.state)
            self.agree("probability", chances, [ask_probability.dispatcher(self.twin, gated, a) for a in place.actions])

    def results(self, place: Place) -> None:
        """Every listed action can be played; compiled, it leads to the same state."""
        for action in self.some(place.actions):
            child = self.ask("result", place.state, action)
            if self.game.hidden_information:
                place.children.append(child)
            if self.compiled:
                gated = cast_state(self.game, place.state)
                self.agree("result", child, ask_result.dispatcher(self.twin, gated, action))

    def some(self, actions: list[int]) -> list[int]:
        """A few of the actions, chosen at random."""
        return self.random.sample(actions, min(TRIED, len(actions)))

    def compiled_rules(self, place: Place) -> None:
        """Compiled rules answer as they do interpreted."""
        if self.compiled:
            self.about("", cast_state(self.game, place.state))
            plain = self.answers(ask_all.interpreted, len(place.actions), self.game)
            native = self.answers(ask_all.dispatcher, len(place.actions), self.twin)
            for self.rule, answer in plain.items():
                self.attempt(self.agree, self.rule, answer, native[self.rule])

    def answers(self, run: Callable[..., Any], number: int, game: Game) -> dict[str, Any]:
        """The answer of each rule, by rule."""
        actions, orders, payoffs, estimates, noisy = arrays = _arrays(game, number)
        over, mover, count, quiet, urgent, key = run(game, self.state, arrays)
        return {
            "is_terminal": bool(over),
            "to_move": int(mover),
            "actions": (int(count), actions.tolist()),
            "order": orders.tolist(),
            "utility": payoffs.tolist(),
            "evaluate": estimates.tolist(),
            "is_quiet": bool(quiet),
            "needs_extension": bool(urgent),
            "noisy": noisy.tolist(),
            "key": int(key),
        }

    def agree(self, rule: str, plain: Any, native: Any) -> None:
        """Compiled and interpreted answers are the same."""
        remedy = "- does an int outgrow its bits?"
        self.law(_agreement(rule), same(plain, native), "interpreted", plain, "but compiled", native, remedy)

    def constants(self, place: Place) -> None:
        """Rules do not change the attributes of the game."""
        for name, value in self.attributes.items():
            self.about(name, place.state)
            now = getattr(self.game, name, None)
            law = "The attributes of a game never change after __init__."
            self.law(law, same(now, value), name, "was", value, "and is", now, broken=Fatal)

    # -- hidden information -------------------------------------------------------------------------------------------

    def information(self, place: Place) -> None:
        """What each player knows can be hashed, and reads the same where it is the same."""
        known = []
        for player in range(self.game.players):
            information = self.ask("information", place.state, player)
            known.append(mix(SEED, information))
            if ask_information in self.native:
                native = ask_information.dispatcher(self.twin, cast_state(self.game, place.state), player)
                self.agree("information", (information, known[-1]), native)
        place.known = known
        if defines(self.game, "information_text"):
            for player, information in enumerate(known):
                self.reading(place.state, player, information)

    def reading(self, state: Any, player: int, information: int) -> None:
        """`information_text` tells no more than `information`."""
        text = self.ask("information_text", state, player)
        self.law("information_text answers text.", isinstance(text, str), "got", text)
        first, other = self.told.setdefault((player, information), (text, state))
        self.other = other
        law = "States that look the same to a player read the same to them."
        self.law(law, text == first, "to player", player, repr(text), "here, but", repr(first), "in the other state")

    def recall(self, place: Place, player: int, memory: dict[int, tuple[int, int]], story: dict[int, str]) -> None:
        """What players know tells them whether and what they may do, and all that they knew and did before."""
        past, told = memory.get(player), story.get(player, "nothing")
        first = self.known.setdefault((player, place.known[player]), RecallRecord(place, past, told))
        other = first.place
        if other is not place and not same(other.state, place.state):
            first.twin = place
        same_to = f"both states look the same to player {player}, who"
        waiting = "is to move in one of them alone"
        law = "Whoever is to move is told so."
        both = (place.state, other.state)
        self.law_of_two(law, (other.mover == player) == (place.mover == player), *both, same_to, waiting)
        if place.mover == player:
            law = "States that look the same to the player to move have the same legal actions."
            mine, its = sorted(place.actions), sorted(other.actions)
            self.law_of_two(law, mine == its, *both, same_to, "can play", mine, "here, but", its, "in the other state")
        before = "this follows on", told, "of theirs, the other state on", first.story
        self.law_of_two(
            RECALL, first.past == past, *both, f"both states look the same to player {player}, but", *before
        )

    def words(self, place: Place, action: int) -> str:
        """What the player to move knew and did, for people."""
        with suppress(Exception):  # that is a failure of its own
            knew = self.game.information_text(place.state, place.mover)
            return f"{self.game.action_name(place.state, action)!r} after {knew!r}"
        return f"action {action}"

    def siblings(self, place: Place) -> None:
        """Players remember what they have just done; what others have just done, or chance, they see or not."""
        children = [child for child in place.children if not self.game.is_terminal(child)]
        place.children = []  # as many states again, and not needed any more
        for player in reversed(range(self.game.players)):  # cards are dealt to player 0 first: who sees them too?
            first: dict[int, Any] = {}  # by what the player knows
            for child in children:
                self.about("information", child)
                other = first.setdefault(mix(SEED, self.game.information(child, player)), child)
                if player == place.mover:
                    found = f"two actions of player {player} led here, and both states look the same to them"
                    self.law_of_two(RECALL, other is child or same(other, child), child, other, found)
                elif other is not child and not same(other, child):
                    self.blind.add(player)
            if player != place.mover and len(first) > 1:
                self.seeing.setdefault(player, tuple(first.values())[:2])

    def secrets(self) -> None:
        """Some player does not see something that others do, or chance."""
        if self.seeing and not self.blind:
            player, pair = next(iter(self.seeing.items()))  # the earliest
            found = "whatever chance or a player did, all others saw it; these two states look different to player"
            self.law_of_two(HIDDEN, False, *pair, found, player)

    def guesses(self, place: Place) -> None:
        """What `determinize` deals is a state of the game that looks the same."""
        if not defines(self.game, "determinize") or not place.known:
            return
        player, seed = self.random.randrange(self.game.players), self.random.randrange(1 << 31)
        guess = self.ask("determinize", place.state, player, seed)
        if ask_determinize in self.native:
            native = ask_determinize.dispatcher(self.twin, cast_state(self.game, place.state), player, new_random(seed))
            self.agree("determinize", guess, native)
        self.form(guess)
        other = self.facts(guess)
        information = mix(SEED, self.ask("information", guess, player))
        self.about("determinize", place.state)
        self.other = guess
        law = "determinize answers a state that looks the same."
        self.law(law, information == place.known[player], "it looks different to player", player)
        self.law(law, not other.over, "there the game is over, but player", player, "knows that it is not")
        if player == place.mover:
            self.law(law, other.mover == player, "there player", player, "is not to move, but knows to be")
            is_same = set(other.actions) == set(place.actions)
            self.law(law, is_same, "there player", player, "can play", other.actions, "and not", place.actions)
        if defines(self.game, "information_text"):
            self.reading(guess, player, information)

    def worlds(self) -> None:
        """`determinize` does not know the true state: it gives others too, where others look the same."""
        if not defines(self.game, "determinize"):
            return
        for player in range(self.game.players):
            doubtful = [known for (who, _), known in self.known.items() if who == player and known.twin is not None]
            seeds = range(DRAWN)
            for known in doubtful[:ENOUGH]:
                drawn = (self.game.determinize(known.place.state, player, new_random(seed)) for seed in seeds)
                if not all(same(state, known.place.state) for state in drawn):
                    break
            else:
                for known in doubtful[:1]:
                    self.about("determinize", known.place.state)
                    self.other = known.twin.state if known.twin else None
                    found = f"always got the given state for player {player}, to whom the other one looks the same"
                    self.law(ALL_WORLDS, False, found)

    # -- optional rules -----------------------------------------------------------------------------------------------

    def keys(self, place: Place, twin: Place | None) -> None:
        """Two states have the same key exactly when they are the same for the rest of the game."""
        self.ask("key", place.state)
        is_same = state_key(self.game, place.state) == state_key(self.game, self.copy(place.state))
        remedy = "a copy has another key; define key(state)"
        self.law("Equal states have equal keys.", is_same, remedy)
        if twin is not None:
            law = "Different states have different keys."
            self.law(law, defines(self.game, "key"), twin.state, "has the same key; define key(state)")
            self.alike(SAME_KEY, place, twin, ("over", "mover", "actions", "utilities"))
            place.equals.append(("key", twin.state))

    def symmetries(self, place: Place) -> None:
        """Symmetric states differ in nothing that can be counted; `values` compares what they are worth."""
        if defines(self.game, "symmetries"):
            images = self.ask("symmetries", place.state)
            self.law(
                "symmetries answers a tuple of states.", isinstance(images, tuple) and len(images) > 0, "got", images
            )
            if ask_symmetries in self.native:
                self.agree(
                    "symmetries", images, ask_symmetries.dispatcher(self.twin, cast_state(self.game, place.state))
                )
            for image in images:
                self.form(image)
                other = self.facts(image)
                if other.over:
                    self.utilities(other)
                self.about("symmetries", place.state)
                self.alike(SYMMETRIC, place, other, ("over", "mover", "utilities"))
                number, others = len(place.actions), len(other.actions)
                self.law(SYMMETRIC, number == others, number, "actions here, but", others, "in", image)
            law = "The state itself is among its symmetries."
            self.law(law, any(same(image, place.state) for image in images), "got", images)
            place.equals.append(("symmetries", self.random.choice(images)))

    def alike(self, law: str, place: Place, other: Place, facts: Iterable[str]) -> None:
        """Two places agree in these facts."""
        for fact in facts:
            mine, its = getattr(place, fact), getattr(other, fact)
            self.law(law, same(mine, its), fact, mine, "here, but", its, "in", other.state)

    def values(self, place: Place) -> bool:
        """States that should have the same value have; False if there are too many states to know."""
        game, equals = self.game, place.equals
        place.equals = []
        if not equals or game.players > 2 or (game.players == 2 and not game.zero_sum):
            return True
        value = small_value(game, place.state, [SMALL])
        if math.isnan(value):
            return False
        for rule, other in equals:
            self.about(rule, place.state)
            found = small_value(game, other, [SMALL])
            is_same = math.isnan(found) or same(value, found)
            law = SAME_KEY if rule == "key" else SYMMETRIC
            self.law(law, is_same, value, "is the value for player 0 here, but", found, "in", other)
        return True

    def estimates(self, place: Place) -> None:
        """Estimates and orders are finite numbers, estimates in the range of utilities."""
        game, state = self.game, place.state
        if defines(game, "evaluate"):
            estimates = [float(self.ask("evaluate", state, player)) for player in range(game.players)]
            self.law("Estimates are finite numbers.", _are_finite(estimates), "got", estimates)
            self.law(f"Estimates lie in the range {game.utilities}.", self.in_range(estimates), "got", estimates)
            place.estimate = estimates[0]
            if game.players == 2 and game.zero_sum and abs(sum(estimates)) > TOLERANCE * max(map(abs, estimates)):
                self.notes["evaluate() of the two players does not sum to zero, as their utilities do"] = None
        if defines(game, "is_quiet"):
            quiet = self.ask("is_quiet", state)
            self.law("is_quiet answers True or False.", isinstance(quiet, (int, np.generic)), "got", quiet)
        if defines(game, "needs_extension"):
            urgent = self.ask("needs_extension", state)
            self.law("needs_extension answers True or False.", isinstance(urgent, (int, np.generic)), "got", urgent)
        if defines(game, "noisy"):
            noisy = self.ask("noisy", state)
            is_part = len(set(noisy)) == len(noisy) and set(noisy) <= set(place.actions)
            self.law("noisy lists some of the legal actions, each once.", is_part, "got", noisy, "of", place.actions)
        if defines(game, "null_move_state") and place.mover != CHANCE:
            self.passing(place)
        if defines(game, "order") and place.mover != CHANCE:
            for action in self.some(place.actions):
                order = float(self.ask("order", state, action))
                self.law("Orders are finite numbers.", math.isfinite(order), "got", order)

    def passing(self, place: Place) -> None:
        """After a pass the other player is to move."""
        passed = self.ask("null_move_state", place.state)
        self.form(passed)
        self.about("null_move_state", place.state)
        law = "null_move_state hands the move to the other player, or answers the state itself."
        mover = None if self.game.is_terminal(passed) else self.game.to_move(passed)
        hands = mover != place.mover or same(passed, cast_state(self.game, place.state))
        self.law(law, hands, "player", mover, "is to move in", passed)
        if ask_null_move_state in self.native:
            self.agree(
                "null_move_state", passed, ask_null_move_state.dispatcher(self.twin, cast_state(self.game, place.state))
            )

    def playing(self, place: Place, last: int) -> None:
        """What a playout plays is a legal action, whether the action before is known or not."""
        for before in sorted({-1, last}):
            seed = self.random.randrange(1 << 31)
            action = self.ask("playout_action", place.state, before, seed)
            law = "playout_action answers a legal action."
            is_legal = _is_whole(action) and action in place.actions
            self.law(law, is_legal, "got", action, "after action", before, "of", place.actions)
            if ask_playout_action in self.native:
                gated = cast_state(self.game, place.state)
                native = ask_playout_action.dispatcher(self.twin, gated, before, new_random(seed))
                self.agree("playout_action", int(action), native)

    def hints(self, place: Place) -> None:
        """What `forced_result` and `candidates` say holds, as far as a look of two plies shows."""
        game, state, mover = self.game, place.state, place.mover
        is_hinted = defines(game, "forced_result") or defines(game, "candidates")
        is_plain = mover != CHANCE and not game.hidden_information and game.players <= 2
        if not is_hinted or not is_plain or len(place.actions) > MOST_LOOKED_AT:
            return
        try:
            found = settled(game, state, mover, LOOKED_AHEAD)
        except Exception:  # the laws of the rule that fails will tell
            return
        plies, told = 0, (0.0, 0)
        if defines(game, "forced_result"):
            told = self.ask("forced_result", state)
            law = "forced_result answers a pair: a utility and in how many plies, or (0, 0)."
            is_pair = isinstance(told, tuple) and len(told) == 2 and _is_whole(told[1]) and told[1] >= 0
            self.law(law, is_pair, "got", told)
            plies = told[1]
            if 0 < plies <= LOOKED_AHEAD:
                self.law("What forced_result knows is so.", found == (told[0], plies), "got", told, "but it is", found)
            elif plies == 0 and game.forced_result_depth and game.utilities:
                wins, losses = forced_result_depths(game)
                is_open = found is None or found[0] not in game.utilities or found[1] > (losses, wins)[found[0] > 0]
                law = "forced_result misses no win and no loss within forced_result_depth plies."
                self.law(law, is_open, "got", told, "but it is", found)
        if defines(game, "candidates") and plies == 0:
            chosen = self.ask("candidates", state)
            law = "candidates are some of the legal actions, at least one, each once."
            is_part = len(set(chosen)) == len(chosen) > 0 and set(chosen) <= set(place.actions)
            self.law(law, is_part, "got", chosen, "of", place.actions)
            rest = settled(game, state, mover, LOOKED_AHEAD, chosen)
            law = "No action that candidates leaves out is better than the best of those left."
            self.law(law, found is None or rest == found, "got", chosen, "worth", rest, "of actions worth", found)

    def features(self, place: Place) -> None:
        """Features are finite numbers, and each has a name."""
        features = np.asarray(self.ask("features", place.state)).ravel().tolist()
        self.law("Features are finite numbers.", _are_finite(features), "got", features)
        names = self.game.feature_names
        law = "feature_names holds a name for each feature."
        self.law(law, len(names) == len(features), "got", len(features), "features for the names", names)
        law = "feature_names are different texts without blanks and #."
        are_words = all(isinstance(name, str) and name.split() == [name] and "#" not in name for name in names)
        self.law(law, are_words and len(set(names)) == len(names), "got", names)

    def pictures(self, place: Place) -> None:
        """A picture is text."""
        picture = self.ask("render", place.state)
        self.law("render answers text.", isinstance(picture, str), "got", picture)

    def texts(self, place: Place) -> None:
        """A state can be written as text, and read again."""
        if not (defines(self.game, "state_text") and defines(self.game, "parse_state")):
            return
        text = self.ask("state_text", place.state)
        self.law("state_text answers text.", isinstance(text, str), "got", text)
        read = self.ask("parse_state", text)
        self.form(read)
        self.about("parse_state", place.state)
        is_same = state_key(self.game, self.copy(read)) == state_key(self.game, self.copy(place.state))
        self.law("parse_state reads what state_text writes.", is_same, repr(text), "was read as", read)
        law = "parse_state refuses with RulesError what is no state."
        try:
            read = self.game.parse_state("no such state")
        except RulesError:
            return
        except Exception as error:
            raise Broken(law, f"'no such state' gave {_told(error)}") from error
        self.law(law, False, "'no such state' was read as", read)

    def names_of_actions(self, place: Place) -> None:
        """Every action has a name of its own; parse_action is its inverse and refuses everything else."""
        game, state = self.game, place.state
        names = [game.action_name(state, action) for action in place.actions]
        for action in self.some(place.actions)[:3]:
            name = self.ask("action_name", state, action)
            self.law("action_name answers text.", isinstance(name, str), "got", name)
            twins = [other for other in place.actions if names[place.actions.index(other)] == name]
            self.law("Every legal action has a name of its own.", twins == [action], f"{name!r} names", twins)
            parsed = self.ask("parse_action", state, name)
            law = "parse_action finds an action by its name."
            self.law(law, parsed == action, f"{name!r} is {action}, got", parsed)
        illegal = [name for name in self.names if name not in names][:1]
        self.names = names
        for text in ("no such action", *illegal):
            law = "parse_action refuses with IllegalAction what is not legal."
            try:
                parsed = game.parse_action(state, text)
            except IllegalAction:
                continue
            except Exception as error:
                raise Broken(law, f"{text!r} gave {_told(error)}") from error
            self.law(law, text in illegal and parsed in place.actions, f"{text!r} was understood as", parsed)

    # -- what was found -----------------------------------------------------------------------------------------------

    def report(self, seconds: float) -> Report:
        """What was found so far."""
        return Report(
            game=self.attempt(repr, self.game) or type(self.game).__name__,
            failures=tuple(failure for _, failure in self.failures.values()),
            notes=(*self.notes, *self.advice()),
            playouts=len(self.ends),
            states=len(self.places),
            longest=self.longest,
            branching=self.choices / max(1, self.visits),
            average=tuple(np.mean(self.ends, axis=0).tolist()) if self.ends else (),
            compiled=self.compiled,
            seconds=round(seconds, 3),
        )

    def advice(self) -> Iterator[str]:
        """What is likely a mistake, though it breaks no law."""
        game = self.game
        if not self.ends and not self.failures:
            yield "no playout came to its end: give more seconds"
        if not self.ends:
            return
        if game.has_chance and CHANCE not in self.movers:
            yield "has_chance is set, but chance never moved"
        for player in sorted(set(range(game.players)) - self.movers):
            yield f"player {player} never moved"
        if self.blind and len(self.ends) >= ENOUGH:
            for player in sorted(self.seeing.keys() - self.blind):
                yield f"nothing is hidden from player {player}: they saw all that the others did, and chance"
        if game.utilities is None and game.players <= 2:
            least, greatest = np.min(self.ends), np.max(self.ends)
            yield f"utilities = ({least:g}, {greatest:g})? Where the range is declared, a search stops at a sure win"
        forecasts = np.array([pair for pair in self.forecasts if not math.isnan(pair[0])])
        if len(forecasts) >= 100 and forecasts.std(axis=0).all():
            correlation = np.corrcoef(forecasts.T)[0, 1]
            if correlation < -0.2:
                yield f"evaluate() looks upside down: its correlation with the utility at the end is {correlation:.2f}"


# -- small things -----------------------------------------------------------------------------------------------------


def same(a: Any, b: Any) -> bool:
    """Whether two states or answers have the same content, numbers up to rounding."""
    identity: Any = object.__eq__
    if a is b:
        return True
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        is_float = "f" in (a.dtype.kind, b.dtype.kind)
        return np.array_equal(a, b) or (is_float and a.shape == b.shape and np.allclose(a, b, TOLERANCE, 0, True))
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE) or (math.isnan(a) and math.isnan(b))
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    if type(a) is type(b) and is_dataclass(a):
        return all(same(getattr(a, part.name), getattr(b, part.name)) for part in fields(a))
    if type(a) is type(b) and type(a).__eq__ is identity:  # == would ask whether they are one object: look inside
        return same(a.__reduce_ex__(2)[1:3], b.__reduce_ex__(2)[1:3])
    return bool(a == b)


def small_value(game: Game, state: Any, left: list[int]) -> float:
    """The value of `state` for player 0, by minimax; nan if its subtree has more than `left[0]` states."""
    left[0] -= 1
    if left[0] < 0:
        return math.nan
    if game.is_terminal(state):
        return float(game.utility(state, 0))
    mover, values = game.to_move(state), []
    for action in legal_actions(game, state):
        value = small_value(game, game.result(state, action), left)
        if math.isnan(value):
            return math.nan
        values.append(value * game.probability(state, action) if mover == CHANCE else value)
    return math.fsum(values) if mover == CHANCE else max(values) if mover == 0 else min(values)


def _arrays(game: Game, number: int) -> tuple[Any, ...]:
    """What `ask_all` fills: actions, orders, payoffs, estimates, noisy.

    Actions and noisy are int64 [number], orders float64 [number], payoffs and estimates float64 [players].
    """
    players = game.players
    return (
        np.zeros(number, np.int64),
        np.zeros(number),
        np.zeros(players),
        np.zeros(players),
        np.zeros(number, np.int64),
    )


def _is_whole(number: Any) -> bool:
    return hasattr(number, "__index__") and not hasattr(number, "__len__")


def _is_truth(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))


def _are_finite(numbers: Iterable[Any]) -> bool:
    return all(isinstance(number, Real) and math.isfinite(number) for number in numbers)


_PACKAGE = os.path.dirname(os.path.dirname(__file__))
_GAMES = os.path.join(_PACKAGE, "games", "")
_LIBRARIES = (os.path.join(_PACKAGE, ""), *map(sysconfig.get_path, ("stdlib", "platlib")), "<frozen")


def _no_error(rule: str) -> str:
    accepts = "result accepts every action that actions lists."
    return accepts if rule == "result" else f"{rule} answers without an error."


def _agreement(rule: str) -> str:
    return f"{rule or 'Every rule'} answers the same compiled and interpreted."


def _frames(error: Exception) -> list[traceback.FrameSummary]:
    """Where an exception passed through code of the user's; the rule that was asked comes first."""
    frames = traceback.extract_tb(error.__traceback__)
    return [frame for frame in frames if frame.filename.startswith(_GAMES) or not frame.filename.startswith(_LIBRARIES)]


def _told(error: Exception) -> str:
    """An exception with the line of the user's code where it arose."""
    frames = _frames(error)
    place = f" ({os.path.relpath(frames[-1].filename)}:{frames[-1].lineno}: {frames[-1].line})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"
