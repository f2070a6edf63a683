"""`compile_report`: what keeps a game from compiling, and what compiling brings, measured on the game itself.

If the rules compile, random games are played at both speeds. If they do not, the time of each rule is measured; those
rules that compile by themselves are measured at both speeds.
"""

from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from dataclasses import asdict, dataclass
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from outplay.compile.kernels import compiler, kernel, native_type, pack, pointer, unpack
from outplay.compile.obstacles import Obstacle
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import NONE, new_random
from outplay.rules.arguments import check_type
from outplay.rules.errors import RulesError
from outplay.rules.game import Game, legal_actions, listed
from outplay.rules.numbered import Numbered, numbered, why_by_table
from outplay.rules.problem import Problem
from outplay.rules.user_code import describe_error

MAX_PLIES = 1000
"""Random games are cut off here."""
SECONDS = 0.4
"""The time of each measurement."""
STATES = 200
"""The most states in which the rules are timed."""
COPIES = 4000
"""The most states that a compiled rule answers in one call."""
MEASURED = ("is_terminal", "to_move", "actions", "result")
"""The rules that a random game asks at each ply."""


@dataclass(frozen=True, kw_only=True)
class CompileReport:
    """What `compile_report` found.

    Attributes:
        game: the game, as it prints.
        obstacles: the lines that do not compile, in the order in which to start. None: the rules compile.
        notes: other reasons why searches run interpreted.
        interpreted: plies of random games per second, run by Python.
        compiled: the same for the compiled rules; 0 if they do not compile.
        shares: the part of the time of an interpreted random game that each rule takes.
        factors: how many times as fast a rule is compiled, for rules that compile by themselves.
        failure: the error that a random game raised, if it did; then nothing is measured.
    """

    game: str
    obstacles: tuple[Obstacle, ...]
    notes: tuple[str, ...]
    interpreted: float
    compiled: float
    shares: dict[str, float]
    factors: dict[str, float]
    failure: str = ""

    @property
    def ok(self) -> bool:
        """Whether searches run compiled."""
        return not self.obstacles and not self.notes

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values, for JSON."""
        values = {"ok": self.ok, **asdict(self)}
        values["obstacles"] = [each.as_dict() for each in self.obstacles]
        return values

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, details: bool = False) -> list[str]:
        """The report for people; with `details`, also what the compiler said."""
        number = len(self.obstacles)
        if self.ok:
            return [f"{self.game}: the rules compile", *self._gain(), *self._failed()]
        lines = [f"{self.game} runs interpreted" + (f": {number} {_lines(number)}" if number else "")]
        for each in self.obstacles:
            lines += ["", str(each)]
            if details and each.details:
                lines += [f"    | {line}" for line in each.details.splitlines()]
        lines += ["", *self.notes] if self.notes else [""]
        if self.obstacles:
            lines.append("In a function, only the first such line is known: look again when it is changed.")
        return [*lines, *self._parts(), *self._failed()]

    def _failed(self) -> list[str]:
        return [f"A random game failed: {self.failure}; outplay check GAME shows where"] if self.failure else []

    def _gain(self) -> list[str]:
        if not self.interpreted or not self.compiled:
            return []
        factor = self.compiled / self.interpreted
        times = f"{factor:.0f}" if factor >= 10 else f"{factor:.1f}"
        speeds = f"{self.compiled:,.0f} plies a second compiled, {self.interpreted:,.0f} interpreted"
        return [f"Random games, measured here: {speeds}: {times} times as fast"]

    def _parts(self) -> list[str]:
        if not self.interpreted:
            return []
        lines = [f"Random games: {self.interpreted:,.0f} plies a second. Of that time, measured here:"]
        for rule, share in self.shares.items():
            gain = f", {self.factors[rule]:.0f} times as fast compiled" if rule in self.factors else ""
            waits = (
                " (does not compile yet)" if rule in {rule for each in self.obstacles for rule in each.rules} else ""
            )
            lines.append(f"  {rule:<12} {share:4.0%}{gain}{waits}")
        rest = 1 - sum(self.shares.values())
        if rest > 0.005:
            lines.append(f"  {'the play':<12} {rest:4.0%}, which is compiled with the rules")
        return lines


def _lines(number: int) -> str:
    return "line does not compile" if number == 1 else "lines do not compile"


def compile_report(game: Game | Problem) -> CompileReport:
    """Say whether the rules of `game` compile; if not, list all lines that do not, with what to write instead.

    It also measures random games at both speeds, which takes some seconds. The rules need not be right, but if they
    raise errors nothing is measured.

    >>> from outplay.games import Nim
    >>> report = compile_report(Nim())
    >>> report.ok, report.compiled > report.interpreted
    (True, True)
    """
    check_type(game, (Game, Problem), "compile_report({})", "TicTacToe()")
    with redirect_stdout(None):  # rules may print
        return _report(game)


def _report(game: Game | Problem) -> CompileReport:
    seen = numbered(game) if isinstance(game, Game) else game
    notes = []
    if game.compiled is False:
        notes.append(_why_interpreted(game))
    elif isinstance(seen, Numbered) and seen.compiled is False:
        notes.append(why_by_table(seen.rules))
    elif (losses := compiler().losses).NATIVE in losses.lost:
        notes.append(f"this Numba lacks something, so that nothing compiles; known to work: Numba {losses.KNOWN}")
    found: dict[str, Any] = {"interpreted": 0.0, "compiled": 0.0, "shares": {}, "factors": {}}
    obstacles = () if notes else compiler().obstacles(seen)
    if isinstance(seen, Game):
        try:
            found |= _measured(seen, not obstacles and not notes, bool(notes))
        except Exception as error:  # rules may raise anything
            found["failure"] = describe_error(error)
    return CompileReport(game=repr(game), obstacles=obstacles, notes=tuple(notes), **found)


def _why_interpreted(game: Game | Problem) -> str:
    """Why a game is never compiled that says `compiled = False`."""
    name = type(game).__name__
    if type(game).compiled is None:
        return f"this {name} is so small that it is quicker without being compiled"
    return getattr(
        game, "why_interpreted", f"{name} says compiled = False, so its rules are never compiled: take it out"
    )


# -- measurements -----------------------------------------------------------------------------------------------------


@kernel
def play(game: Any, state: Any, random: Any, games: int) -> int:
    """Play random games from `state`; return the number of plies."""
    numbers, plies = pointer(random), 0
    for _ in range(games):
        now = state
        for _ in range(MAX_PLIES):
            if game.is_terminal(now):
                break
            game.to_move(now)
            action = random_action(game, now, numbers)
            if action == NONE:
                break
            now = game.result(now, action)
            plies += 1
    return plies


@kernel
def read(game: Any, states: Any, actions: Any) -> int:
    """The sum of all actions; it only reads the states."""
    number = 0
    for index in range(len(actions)):
        unpack(game, states, index)
        number += actions[index]
    return number


@kernel
def ask_is_terminal(game: Any, states: Any, actions: Any) -> int:
    """The number of states in which the game is over."""
    number = 0
    for index in range(len(actions)):
        if game.is_terminal(unpack(game, states, index)):
            number += 1
    return number


@kernel
def ask_to_move(game: Any, states: Any, actions: Any) -> int:
    """The sum of the players to move."""
    number = 0
    for index in range(len(actions)):
        number += game.to_move(unpack(game, states, index))
    return number


@kernel
def ask_actions(game: Any, states: Any, actions: Any) -> int:
    """The sum of all actions."""
    number = 0
    for index in range(len(actions)):
        for action in legal_actions(game, unpack(game, states, index)):
            number ^= action
    return number


@kernel
def ask_result(game: Any, states: Any, actions: Any) -> int:
    """The number of next states in which the game is over."""
    number = 0
    for index in range(len(actions)):
        if game.is_terminal(game.result(unpack(game, states, index), actions[index])):
            number += 1
    return number


ASKED = {"is_terminal": ask_is_terminal, "to_move": ask_to_move, "actions": ask_actions, "result": ask_result}


def _measured(game: Game, compiles: bool, never: bool) -> dict[str, Any]:
    if compiles:
        state, random = game.initial_state(), new_random(1)
        interpreted = _speed(lambda games: play.interpreted(game, state, random, games))
        run = play.prepare(game, state, random, 1)
        compiled = 0.0 if run is play.interpreted else _speed(lambda games: run(game, state, random, games))
        return {"interpreted": interpreted, "compiled": compiled}
    sample = _sample(game)
    shares = {rule: time / sample.spent for rule, time in sample.seconds.items()}
    factors = {} if never else _factors(game, sample)
    return {"interpreted": sample.plies / sample.spent, "shares": shares, "factors": factors}


def _speed(play: Callable[[int], int]) -> float:
    """Plies per second."""
    games, plies, start = 1, 0, perf_counter()
    while (spent := perf_counter() - start) < SECONDS:
        plies += play(games)
        games = min(2 * games, 1 << 16)
    return plies / spent


class _Sample(NamedTuple):
    """States of random games that are not over, an action of each, and what the rules of all plies took in seconds."""

    states: list[Any]
    actions: list[int]
    seconds: dict[str, float]
    plies: int
    spent: float


def _sample(game: Game) -> _Sample:
    random = Random(0)  # noqa: S311 - not for secrets
    seconds = dict.fromkeys(MEASURED, 0.0)
    states: list[Any] = []
    actions: list[int] = []

    def ask(rule: str, *args: Any) -> Any:
        start = perf_counter()
        found = getattr(game, rule)(*args)
        if rule == "actions":
            found = list(listed(found))
        seconds[rule] += perf_counter() - start
        return found

    state, start, plies = game.initial_state(), perf_counter(), 0
    while (spent := perf_counter() - start) < SECONDS or plies == 0:
        ask("to_move", state)
        action = random.choice(ask("actions", state))
        if len(states) < STATES:
            states.append(state)
            actions.append(action)
        state = ask("result", state, action)
        plies += 1
        if ask("is_terminal", state):
            state = game.initial_state()
    return _Sample(states, actions, seconds, plies, spent)


def _factors(game: Game, sample: _Sample) -> dict[str, float]:
    """How many times as fast each rule is compiled, if it compiles by itself, and takes longer than to read a state."""
    with suppress(RulesError):
        native_type(game)
    typ = game._native.typ
    found: dict[str, float] = {}
    packing = _timed(lambda: pack(game, sample.states))
    copies = max(1, min(COPIES // len(sample.states), int(SECONDS / packing)))
    many, numbers = pack(game, sample.states * copies), np.array(sample.actions * copies)

    def seconds(ask: Any) -> float:
        run = ask.prepare(game, many, numbers)
        if run is ask.interpreted or native_type(game) is None:
            raise RulesError("it does not compile")
        return min(_timed(lambda: run(game, many, numbers)) for _ in range(5)) / len(numbers)

    for rule, ask in ASKED.items():
        with suppress(Exception), compiler().unrefused(typ):
            reading = seconds(read)
            native = seconds(ask) - reading
            if native > reading / 4:
                found[rule] = sample.seconds[rule] / sample.plies / native
    return found


def _timed(work: Callable[[], Any]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start
