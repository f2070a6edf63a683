"""`Solver`: the exact value of a state, by whichever method suits the game.

Alpha-beta is tried first, for a moment. If it does not end, the game is measured (`survey.py`), and methods take turns,
the most promising one first. Each turn is twice as long as the last. Alpha-beta, df-pn and the searches for chance and
many players keep their tables between turns; a table of all states and value iteration begin again, so they run only in
a turn that they are expected to finish. So a wrong choice costs about as much time again as the right one.
"""

# ruff: noqa: PLC0415 - searches are imported when they are needed

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from outplay.engine.analysis import Analysis
from outplay.engine.limits import UNLIMITED, Limit
from outplay.engine.stopping import StopReason
from outplay.rules.errors import OutplayError, RulesError
from outplay.rules.game import Game
from outplay.session.algorithms import suited

if TYPE_CHECKING:
    from outplay.engine.searcher import Progress, Searcher
    from outplay.session.survey import Survey

FIRST = 0.2
"""The seconds of the first turn, before the game is measured."""
DEPTH_FACTOR = 8
"""The growth of depth of alpha-beta, as in a search without a limit."""
STATE_SECONDS, STATE_BYTES, EDGE_BYTES = 1e-6, 80, 8
"""About what a state of a table and each of its actions take."""
NODE_SECONDS, EXPONENT = 2e-7, 0.75
"""Alpha-beta visits about so many nodes: the number of states to this power."""
PATIENCE = 4
"""How many times the expected time a method gets in its first turn, if it is the first choice."""
LEAST_SHARE, LARGEST_SHARE = 8.0, 100.0
"""The share of a table that is the first choice: its kernels compile in its first turn."""
WORDS = ((1, "less than a second"), (60, "less than a minute"), (3600, "less than an hour"), (1e5, "hours"))


class _Late(Exception):
    """The turn is over."""


@dataclass
class Method:
    """A way to solve a state.

    Attributes:
        name: its name.
        run: `run(seconds)` searches for so long, without a limit if that is None; None if it found no answer.
        share: its part of each turn.
        expected: the seconds that it is expected to take, if it cannot be continued; else 0.
    """

    name: str
    run: Callable[[float | None], Analysis | None]
    share: float = 1.0
    expected: float = 0.0


@dataclass(frozen=True)
class Solved:
    """The answer of a `Solver`.

    Attributes:
        analysis: the answer; `exact` unless it was stopped, and `nodes` and `seconds` are those of the method that
            found it.
        reasons: why the methods were chosen, a line for each choice.
        seconds: the time that all methods took, with compiling.
    """

    analysis: Analysis
    reasons: tuple[str, ...]
    seconds: float


class Solver:
    """Finds exact values, and picks the method: alpha-beta, df-pn, a table of all states, value iteration or others.

    Args:
        game: the game.
        first: the searcher to begin with; by default, the one that suits the game.
        memory_mb: the maximum size of a table of all states, in megabytes.

    Raises `UnsuitableGame` for a game with hidden information.

    >>> from outplay.games import TicTacToe
    >>> Solver(TicTacToe()).solve().analysis.verdict
    'draw'
    """

    def __init__(self, game: Game, *, first: "Searcher | None" = None, memory_mb: float = 2048) -> None:
        self.game, self.memory_mb = game, memory_mb
        self.first = first or self._made(suited(game, solving=True))
        if hasattr(self.first, "reuse_table"):
            self.first.reuse_table = True
        if getattr(self.first, "depth_factor", 0) is None:
            self.first.depth_factor = DEPTH_FACTOR  # type: ignore[attr-defined]

    def _made(self, algorithm: str) -> "Searcher":
        from outplay.session.algorithms import searcher_class

        if algorithm == "ismcts":
            algorithm = "alpha-beta"  # which refuses hidden information
        return searcher_class(algorithm)(self.game)

    def solve(
        self,
        state: Any = None,
        *,
        previous_states: Sequence[Any] = (),
        progress: "Progress | None" = None,
        explain: Callable[[str], None] | None = None,
        turns: int | None = None,
    ) -> Solved:
        """Find the exact value of a state. Ctrl-C stops it and keeps the best answer so far.

        Args:
            state: the state; None for the initial state.
            previous_states: the earlier states of the game, as in `Searcher.search`.
            progress: called with the analysis so far, ten times a second.
            explain: called with each reason for a choice, in words.
            turns: the maximum number of turns of each method; None to go on until the value is exact.

        Raises `RulesError` if the rules are wrong.
        """
        return _Run(self, state, tuple(previous_states), progress, explain).solve(turns)


class _Run:
    """One call of `solve`."""

    def __init__(
        self, solver: Solver, state: Any, previous: tuple[Any, ...], progress: "Progress | None", explain: Any
    ) -> None:
        self.solver, self.game = solver, solver.game
        self.state = self.game.initial_state() if state is None else state
        self.previous, self.progress, self.explain = previous, progress, explain
        self.reasons: list[str] = []
        self.best: Analysis | None = None
        self.spent: dict[str, tuple[float, int]] = {}  # seconds and nodes of each method

    def solve(self, turns: int | None) -> Solved:
        started = perf_counter()
        alone = type(self.solver.first).__name__ not in ("AlphaBeta", "ValueIteration")  # no other method is exact
        first = self._search(self.solver.first, None if alone else FIRST)
        if not first.exact and not alone and first.stopped != StopReason.INTERRUPTED:
            self._take_turns(turns)
        assert self.best is not None
        return Solved(self.best, tuple(self.reasons), perf_counter() - started)

    def _take_turns(self, turns: int | None) -> None:
        from outplay.rules.numbered import numbered
        from outplay.session.survey import survey

        try:
            methods = self._methods(survey(numbered(self.game), self.state))
        except KeyboardInterrupt:
            self._interrupted()
            return
        seconds, turn = 2 * FIRST, 0
        while methods and (turns is None or turn < turns):
            for method in list(methods):
                given = method.share * seconds if len(methods) > 1 or turns is not None else None
                if given is not None and method.expected > given:
                    continue
                try:
                    found = method.run(given)
                except OutplayError as error:
                    if len(methods) == 1 or (isinstance(error, RulesError) and method.run == self._first):
                        raise
                    self._say(f"not {method.name}: {error}")
                    methods.remove(method)
                    continue
                except KeyboardInterrupt:
                    self._interrupted()
                    return
                if found is not None and (found.exact or found.stopped == StopReason.INTERRUPTED):
                    self.best = found if found.exact or self.best is None else self.best
                    if not found.exact:
                        self._interrupted()
                    elif found.method != methods[0].name:
                        self._say(f"{found.method} was faster")
                    return
                if found is not None and found.stopped != StopReason.SECONDS:  # it ended without an answer
                    self._say(f"not {method.name}: it ended without an answer")
                    methods.remove(method)
            seconds, turn = 2 * seconds, turn + 1

    def _interrupted(self) -> None:
        assert self.best is not None
        self.best = replace(self.best, stopped=StopReason.INTERRUPTED)

    def _say(self, reason: str) -> None:
        self.reasons.append(reason)
        if self.explain is not None:
            self.explain(reason)

    # -- methods ------------------------------------------------------------------------------------------------------

    def _methods(self, known: "Survey") -> list[Method]:
        """The methods for a game, the most promising one first; and why."""
        own = Method(type(self.solver.first).__name__, self._first)
        table = Method("Tablebase", self._table, 0.5, STATE_SECONDS * known.states)
        sweeps = Method("ValueIteration", self._again("value-iteration"), 0.5, 4 * table.expected)
        size = known.states * (STATE_BYTES + EDGE_BYTES * known.branching)
        fits = size < self.solver.memory_mb * 1e6 or not known.complete  # an estimate may be wrong
        methods, expected = [own], NODE_SECONDS * known.states**EXPONENT
        if own.name == "ValueIteration":
            if not known.in_circles:
                methods.append(Method("Expectiminimax", self._again("expectiminimax"), 0.5))
            expected = sweeps.expected
        elif own.name == "AlphaBeta":
            if self.game.repetition and self.previous:
                fits = False  # a table does not know the path
            if known.in_circles and fits:
                expected = table.expected
                methods = [
                    replace(table, share=min(max(LEAST_SHARE, PATIENCE * expected / FIRST), LARGEST_SHARE)),
                    own,
                    sweeps,
                ]
            else:
                proof = Method("ProofNumber", self._again("proof-number"), 0.5 if known.utilities == 2 else 0.25)
                methods += [proof] * (not known.in_circles) + [table] * fits
        self._say(f"{methods[0].name}: {known}; {in_words(expected)} expected")
        return methods

    def _again(self, algorithm: str) -> Callable[[float | None], Analysis]:
        """A search that is made when it is first run, and keeps its table."""
        made: list[Searcher] = []

        def run(seconds: float | None) -> Analysis:
            if not made:
                made.append(self.solver._made(algorithm))
                made[0].check = False
                if hasattr(made[0], "reuse_table"):
                    made[0].reuse_table = True
            return self._search(made[0], seconds)

        return run

    def _first(self, seconds: float | None) -> Analysis:
        return self._search(self.solver.first, seconds)

    def _search(self, searcher: "Searcher", seconds: float | None) -> Analysis:
        name = type(searcher).__name__
        before, nodes = self.spent.get(name, (0.0, 0))

        def whole(part: Analysis) -> Analysis:
            return replace(part, seconds=part.seconds + before, nodes=part.nodes + nodes, limit=UNLIMITED)

        shown = self.progress
        found = whole(
            searcher.search(
                self.state,
                Limit(seconds=seconds),
                previous_states=self.previous,
                progress=None if shown is None else lambda part: shown(whole(part)),
            )
        )
        self.spent[name] = found.seconds, found.nodes
        if self.best is None or found.exact or searcher is self.solver.first:
            self.best = found
        return found

    def _table(self, seconds: float | None) -> Analysis | None:
        """The table of all states; None if it takes longer."""
        from outplay.tables.tablebase import Tablebase

        until: list[float] = []  # from the first report on: compiling does not count

        def progress(_: str, __: int, found: int) -> None:
            now = perf_counter()
            if not until:
                until.append(now + (math.inf if seconds is None else seconds))
            if self.progress is not None and self.best is not None:
                self.progress(replace(self.best, nodes=found, seconds=now - started))
            if now > until[0]:
                raise _Late

        started = perf_counter()
        try:
            table = Tablebase.make(
                self.game, [self.state], memory_mb=self.solver.memory_mb, progress=progress, check=False
            )
        except _Late:
            return None
        if table is None:
            raise KeyboardInterrupt
        analysis = table.analyse(self.state)
        return replace(analysis, seconds=perf_counter() - started, nodes=len(table))


def in_words(seconds: float) -> str:
    """An expected time in words.

    >>> in_words(0.1), in_words(30), in_words(1e9)
    ('less than a second', 'less than a minute', 'days or more')
    """
    return next((words for most, words in WORDS if seconds < most), "days or more")
