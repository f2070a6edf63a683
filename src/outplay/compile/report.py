"""`compile_report`: what keeps a game from compiling, and what compiling brings, measured on the game itself.

If the rules compile, random games are played at both speeds. If they do not, the time of each rule is measured.
"""

from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from random import Random
from time import perf_counter
from typing import Any

from outplay.compile.kernels import compiler, kernel, pointer
from outplay.compile.obstacles import Obstacle
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import NONE, new_random
from outplay.rules.action_codec import Unnumbered
from outplay.rules.actions import listed
from outplay.rules.arguments import check_type
from outplay.rules.game import Game
from outplay.rules.numbered import Numbered, numbered, why_by_table
from outplay.rules.problem import Problem
from outplay.rules.user_code import describe_error

MAX_PLIES = 1000
"""Random games are cut off here."""
SECONDS = 0.4
"""The time of each measurement."""
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
        failure: the error that a random game raised, if it did; then nothing is measured.
    """

    game: str
    obstacles: tuple[Obstacle, ...]
    notes: tuple[str, ...]
    interpreted: float
    compiled: float
    shares: dict[str, float]
    failure: str = ""

    @property
    def ok(self) -> bool:
        """Whether searches run compiled."""
        return not self.obstacles and not self.notes

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values, for JSON."""
        values = {"ok": self.ok, **asdict(self)}
        values["obstacles"] = [obstacle.as_dict() for obstacle in self.obstacles]
        return values

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, details: bool = False) -> list[str]:
        """The report for people; with `details`, also what the compiler said."""
        number = len(self.obstacles)
        if self.ok:
            return [f"{self.game}: the rules compile", *self._gain(), *self._failed()]
        how_many = "1 line does" if number == 1 else f"{number} lines do"
        lines = [f"{self.game} runs interpreted" + (f": {how_many} not compile" if number else "")]
        for obstacle in self.obstacles:
            lines += ["", str(obstacle)]
            if details and obstacle.details:
                lines += [f"    | {line}" for line in obstacle.details.splitlines()]
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
        waiting = {rule for obstacle in self.obstacles for rule in obstacle.rules}
        for rule, share in self.shares.items():
            waits = " (does not compile yet)" if rule in waiting else ""
            lines.append(f"  {rule:<12} {share:4.0%}{waits}")
        share_left = 1 - sum(self.shares.values())
        if share_left > 0.005:
            lines.append(f"  {'the play':<12} {share_left:4.0%}, which is compiled with the rules")
        return lines


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
    compiled_game = numbered(game) if isinstance(game, Game) else game
    notes = []
    if game.compiled is False:
        notes.append(_why_interpreted(game))
    elif isinstance(compiled_game, Numbered) and compiled_game.compiled is False:
        notes.append(why_by_table(compiled_game.rules))
    elif (losses := compiler().losses).NATIVE in losses.lost:
        notes.append(f"this Numba lacks something, so that nothing compiles; known to work: Numba {losses.KNOWN}")
    figures: dict[str, Any] = {"interpreted": 0.0, "compiled": 0.0, "shares": {}}
    is_by_table = isinstance(compiled_game, Numbered) and compiled_game.has_table
    obstacles = compiler().obstacles(compiled_game) if is_by_table or not notes else ()
    if isinstance(compiled_game, Game):
        try:
            figures |= _timed(compiled_game) if obstacles or notes else _at_both_speeds(compiled_game)
        except Unnumbered as error:
            notes.append(f"{error}, more than in random games: write ints or members of an enumeration in actions")
        except Exception as error:  # rules may raise anything
            figures["failure"] = describe_error(error)
    return CompileReport(game=repr(game), obstacles=obstacles, notes=tuple(notes), **figures)


def _why_interpreted(game: Game | Problem) -> str:
    """Why a game is never compiled that says `compiled = False`."""
    name = type(game).__name__
    if type(game).compiled is None:
        return f"this {name} is so small that it is quicker without being compiled"
    usual = f"{name} says compiled = False, so its rules are never compiled: take it out"
    return getattr(game, "why_interpreted", usual)


@kernel
def play(game: Any, state: Any, random: Any, games: int) -> int:
    """Play random games from `state`; return the number of plies."""
    numbers, plies = pointer(random), 0
    for _ in range(games):
        current = state
        for _ in range(MAX_PLIES):
            if game.is_terminal(current):
                break
            game.to_move(current)
            action = random_action(game, current, numbers)
            if action == NONE:
                break
            current = game.result(current, action)
            plies += 1
    return plies


def _at_both_speeds(game: Game) -> dict[str, Any]:
    state, random = game.initial_state(), new_random(1)
    interpreted = _speed(lambda games: play.interpreted(game, state, random, games))
    run = play.prepare(game, state, random, 1)
    compiled = 0.0 if run is play.interpreted else _speed(lambda games: run(game, state, random, games))
    return {"interpreted": interpreted, "compiled": compiled}


def _speed(play: Callable[[int], int]) -> float:
    """Plies per second."""
    games, plies, start = 1, 0, perf_counter()
    while (spent := perf_counter() - start) < SECONDS:
        plies += play(games)
        games = min(2 * games, 1 << 16)
    return plies / spent


def _timed(game: Game) -> dict[str, Any]:
    """Plies of random games per second, and the part of the time that each rule takes."""
    random = Random(0)  # noqa: S311 - not for secrets
    seconds = dict.fromkeys(MEASURED, 0.0)

    def ask(rule: str, *args: Any) -> Any:
        start = perf_counter()
        answer = getattr(game, rule)(*args)
        if rule == "actions":
            answer = list(listed(answer))
        seconds[rule] += perf_counter() - start
        return answer

    state, start, plies = game.initial_state(), perf_counter(), 0
    while (spent := perf_counter() - start) < SECONDS or plies == 0:
        ask("to_move", state)
        state = ask("result", state, random.choice(ask("actions", state)))
        plies += 1
        if ask("is_terminal", state):
            state = game.initial_state()
    return {"interpreted": plies / spent, "shares": {rule: time / spent for rule, time in seconds.items()}}
