"""`check_game`: every law of a game, tried in the states of random playouts.

Reading order: `check_game`, then `random_games.py` (random games and the states they visit), `laws/__init__.py` (the
list of laws) and the laws by topic. `checker.py` asks the rules and keeps failures; `report.py` is what comes out.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random
from time import perf_counter
from typing import Any

import numpy as np

from outplay.check.checker import Checker, Fatal
from outplay.check.laws import HIDDEN_LAWS
from outplay.check.laws.game import compiling, declarations, pickling, start
from outplay.check.laws.hidden import MIN_PLAYOUTS
from outplay.check.random_games import playout
from outplay.check.report import Report
from outplay.check.run_memory import Memory
from outplay.rules.action_codec import Unnumbered
from outplay.rules.arguments import check_type
from outplay.rules.base import misspelt
from outplay.rules.game import CHANCE, Game
from outplay.rules.numbered import number_by_table
from outplay.system.uninterrupted import Late

SECONDS = 10.0
"""The time to play, unless it is given: not counting the time to compile the rules."""
FIRST_SECONDS, FIRST_PART = 1.0, 0.25
"""The maximum time of the game that is played before the rules are compiled, and its maximum part of the whole."""


def check_game(
    game: Game,
    *,
    playouts: int = 1000,
    seconds: float | None = None,
    seed: int = 0,
    progress: Callable[[Report], None] | None = None,
) -> Report:
    """Try every law of `game` in the states of random playouts.

    Mistakes in the rules are reported, never raised. No law can know who should have won: look at `Report.average`,
    and play a few games whose outcome you know.

    Args:
        game: the game to check.
        playouts: the number of random games to play.
        seconds: stop after this many seconds, or when the rule that is being asked then has answered. Compiling counts;
            if it takes most of the time, the rules are checked by the interpreter alone. By default, the rules are
            compiled, however long it takes, and then played for 10 seconds.
        seed: the same seed gives the same playouts.
        progress: called with the report so far, about ten times a second.

    >>> from outplay.games import ConnectFour
    >>> report = check_game(ConnectFour(), playouts=5, seconds=600)
    >>> report.ok, report.playouts, report.compiled
    (True, 5, True)
    """
    check_type(game, Game, "check_game({})", "TicTacToe()")
    if isinstance(playouts, bool) or not isinstance(playouts, int) or playouts < 1:
        raise ValueError(f"check_game(playouts={playouts!r}): a whole number, at least 1")
    if seconds is not None and (not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf):
        raise ValueError(f"check_game(seconds={seconds!r}): a number above 0")

    return _checked(game, playouts, math.inf if seconds is None else seconds, seed, progress)


def first_report(game: Game, *, seed: int = 0) -> Report:
    """The report of one random game, played by the interpreter: what it decides needs no compiling."""
    return _checked(game, 0, FIRST_SECONDS / FIRST_PART, seed, None)


def _checked(game: Game, playouts: int, seconds: float, seed: int, progress: Callable[[Report], None] | None) -> Report:
    """The report of a first game, which is played by the interpreter, and of so many random games after it."""
    started = perf_counter()
    check = Checker(game, Random(seed), started + seconds)  # noqa: S311 - not for secrets

    def report() -> Report:
        return _report(check, perf_counter() - started)

    try:
        with suppress(Fatal, Late):
            check.attempt(pickling)
            if check.attempt(declarations) and check.attempt(start):
                check.until = started + min(FIRST_SECONDS, FIRST_PART * seconds)
                with suppress(Late):
                    check.attempt(playout)
                check.until = started + seconds
                if playouts:
                    _play(check, playouts, seed, lambda: progress and progress(report()))
    except Unnumbered:
        return _checked(number_by_table(game), playouts, seconds, seed, progress)
    return report()


def _play(check: Checker, playouts: int, seed: int, progress: Callable[[], Any]) -> None:
    """Compile the rules, unless they are wrong, and try all laws in random games."""
    if check.failures:
        check.notes["not compiled, since laws are broken in the first game already"] = None
    else:
        compiling(check)
    if check.until == math.inf:
        check.until = perf_counter() + SECONDS
    if check.compiled:  # now all laws again, for the compiled rules
        check.memory, check.random = Memory(), Random(seed)  # noqa: S311 - not for secrets
    reported = perf_counter()
    for _ in range(playouts - len(check.memory.ends)):
        check.attempt(playout)
        now = perf_counter()
        if now > check.until or not check.memory.places:  # not even the initial state could be tried
            break
        if now - reported > 0.1:
            reported = now
            progress()
    if check.game.hidden_information and len(check.memory.ends) >= MIN_PLAYOUTS:
        for law in HIDDEN_LAWS:
            check.attempt(law)


def _report(check: Checker, seconds: float) -> Report:
    """What was found so far."""
    memory = check.memory
    return Report(
        game=check.attempt(lambda check: repr(check.game)) or type(check.game).__name__,
        failures=tuple(failure for _, failure in check.failures.values()),
        notes=(*check.notes, *_advice(check)),
        playouts=len(memory.ends),
        states=len(memory.places),
        longest=memory.longest,
        branching=memory.choices / max(1, memory.visits),
        average=tuple(np.mean(memory.ends, axis=0).tolist()) if memory.ends else (),
        compiled=check.compiled,
        seconds=round(seconds, 3),
    )


def _advice(check: Checker) -> Iterator[str]:
    """What is likely a mistake, though it breaks no law."""
    game, memory = check.game, check.memory
    for rule, method in misspelt(type(check.rules)).items():
        yield f"{method} is no rule; did you mean {rule}?"
    if memory.repeated:
        played = len(memory.ends) + memory.circles
        cut = f", and {memory.circles:,} of them were cut off" if memory.circles else ""
        yield (
            f"a puzzle with circles: {memory.repeated:,} of {played:,} random games repeated a state{cut}."
            " ValueIteration finds exact values if all states fit into memory; AlphaBeta needs a limit of depth or time"
        )
    if not memory.ends and memory.circles:
        yield "no random game reached the end, so no utility was tried: is there a way to it?"
    if not memory.ends and not check.failures and not memory.circles:
        yield f"no playout reached the end of the game, within {memory.visits:,} plies: give more seconds"
    if not memory.ends:
        return
    if game.has_chance and CHANCE not in memory.movers:
        yield "has_chance is set, but chance never moved"
    for player in sorted(set(range(game.players)) - memory.movers):
        yield f"player {player} never moved"
    if memory.blind and len(memory.ends) >= MIN_PLAYOUTS:
        for player in sorted(memory.seeing.keys() - memory.blind):
            yield f"nothing is hidden from player {player}: they saw all that the others did, and chance"
    if game.utilities is None and game.players <= 2:
        least, greatest = np.min(memory.ends), np.max(memory.ends)
        yield f"utilities = ({least:g}, {greatest:g})? Where the range is declared, a search stops at a sure win"
    forecasts = np.array([pair for pair in memory.forecasts if not math.isnan(pair[0])])
    if len(forecasts) >= 100 and forecasts.std(axis=0).all():
        correlation = np.corrcoef(forecasts.T)[0, 1]
        if correlation < -0.2:
            yield f"evaluate() looks upside down: its correlation with the utility at the end is {correlation:.2f}"
