"""`Solver`: the exact value of a state, by whichever method suits the game.

Alpha-beta is tried first, for a moment. If it does not end, the game is measured (`survey.py`), and methods take turns,
the most promising one first. Each turn is twice as long as the last. The first measurement is as short as the first
turn, so that it does not double the time of a small game; before the next turns it is made again, for longer, until it
takes as long as it needs to be good, and the choice may change. Alpha-beta, df-pn and the searches for chance and
many players keep their tables between turns; a table of all states and value iteration begin again, so they run only in
a turn that they are expected to finish. So a wrong choice costs about as much time again as the right one.

With `save_to`, all of this is written to a file every minute (`saving.py`), and another process can go on from there.
"""

# ruff: noqa: PLC0415 - searches are imported when they are needed

import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from outplay.engine.analysis import Analysis
from outplay.engine.limits import UNLIMITED, Limit
from outplay.engine.stopping import StopReason
from outplay.rules.errors import OutplayError, RulesError
from outplay.rules.game import Game
from outplay.session.algorithms import suited
from outplay.system import files
from outplay.system.memory import megabytes_of_machine
from outplay.system.uninterrupted import is_busy

if TYPE_CHECKING:
    from outplay.engine.searcher import Searcher
    from outplay.rules.arguments import Progress
    from outplay.session.saving import SavedSolve, Table
    from outplay.session.survey import Survey

FIRST = 0.08
"""The seconds of the first turn, before the game is measured; both together take a tenth of a second."""
MEASURING = 0.125
"""The part of a turn that the measurement before it takes at most."""
DEPTH_FACTOR = 8
"""The growth of depth of alpha-beta, as in a search without a limit."""
STATE_SECONDS, STATE_BYTES, EDGE_BYTES = 1e-6, 80, 8
"""About what a state of a table and each of its actions take."""
NODE_SECONDS, EXPONENT = 2e-7, 0.75
"""Alpha-beta visits about so many nodes: the number of states to this power."""
PATIENCE = 4
"""How many times the expected time a method gets in its first turn, if it is the first choice."""
LEAST_SHARE, LARGEST_SHARE = 10.0, 100.0
"""The share of a table that is the first choice: its kernels are loaded in its first turn."""
MOST_TURNS, MOST_SEARCHES = 1000, 1 << 31
"""More than any file has: each turn takes twice as long as the one before."""
MEMORY_MB = 2048
"""The maximum size of a table or a graph in megabytes, unless the machine has less than twice as much."""
SAVING_PAUSE = 20
"""The least pause between two saves, in times that the last one took."""
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
        seconds: the time that all methods took, with compiling, in all runs that went on from each other.
        not_saved: why the last state could not be saved; empty if it was, or need not be.
    """

    analysis: Analysis
    reasons: tuple[str, ...]
    seconds: float
    not_saved: str = ""


class Solver:
    """Finds exact values, and picks the method: alpha-beta, df-pn, a table of all states, value iteration or others.

    Args:
        game: the game.
        first: the searcher to begin with; by default, the one that suits the game.
        memory_mb: the maximum size of a table or a graph of all states, in megabytes; by default 2048, or half of what
            the machine has.
        alone: whether `first` is the only method.

    A game with hidden information is solved by `EquilibriumSearch`, whose errors it raises.

    >>> from outplay.games import TicTacToe
    >>> Solver(TicTacToe()).solve().analysis.verdict
    'draw'
    """

    def __init__(
        self, game: Game, *, first: "Searcher | None" = None, memory_mb: float | None = None, alone: bool = False
    ) -> None:
        self.game, self.alone = game, alone
        self.memory_mb = min(MEMORY_MB, megabytes_of_machine() / 2) if memory_mb is None else memory_mb
        self.first = first or self._searcher(suited(game, solving=True))
        if hasattr(self.first, "reuse_table"):
            self.first.reuse_table = True
        if getattr(self.first, "depth_factor", 0) is None:
            self.first.depth_factor = DEPTH_FACTOR  # type: ignore[attr-defined]

    def _searcher(self, algorithm: str) -> "Searcher":
        from outplay.session.algorithms import searcher_class

        return searcher_class(algorithm)(self.game)

    def solve(
        self,
        state: Any = None,
        *,
        previous_states: Sequence[Any] = (),
        progress: "Progress[Analysis] | None" = None,
        explain: Callable[[str], None] | None = None,
        turns: int | None = None,
        save_to: str | os.PathLike[str] | None = None,
        resume: bool = False,
    ) -> Solved:
        """Find the exact value of a state. Ctrl-C stops it and keeps the best answer so far.

        Args:
            state: the state; None for the initial state.
            previous_states: the earlier states of the game, as in `Searcher.search`.
            progress: called with the analysis so far, ten times a second.
            explain: called with each reason for a choice, in words.
            turns: the maximum number of turns of each method; None to go on until the value is exact.
            save_to: a file to save to every minute, and when the search is stopped. A table of all states has files
                of its own beside it. They remain when the answer is found.
            resume: go on from that file, if there is one.

        Raises `RulesError` if the rules are wrong. Raises `OutplayError` for a file that exists (without `resume`, or
        where the table would be), that is damaged, or that belongs to another game, state, search or version, and for a
        search that cannot be saved: alpha-beta and df-pn can, without books, and with earlier states only if these do
        not matter.
        """
        run = _Run(self, state, tuple(previous_states), progress, explain)
        if save_to is None:
            return run.solve(turns)
        with files.in_use(save_to):
            run.begin_saving(save_to, resume=resume)
            return run.solve(turns)


class _Run:
    """One call of `solve`."""

    def __init__(
        self, solver: Solver, state: Any, previous: tuple[Any, ...], progress: "Progress[Analysis] | None", explain: Any
    ) -> None:
        self.solver, self.game = solver, solver.game
        self.state = self.game.initial_state() if state is None else state
        self.previous, self.progress, self.explain = previous, progress, explain
        self.reasons: list[str] = []
        self.best: Analysis | None = None
        self.spent: dict[str, tuple[float, int]] = {}  # seconds and nodes of each method
        self.searchers = {type(solver.first).__name__: solver.first}
        self.started = perf_counter()
        # What is saved besides:
        self.survey: Survey | None = None
        self.measured = 0.0  # the seconds of each part of the survey
        self.turn, self.at = 0, ""  # the number of the turn, and the method at work
        self.left_out: list[str] = []
        self.favoured = ""  # the first choice
        # With a file:
        self.saved: SavedSolve | None = None
        self.tables: dict[str, tuple[Table, int]] = {}  # read from it, for searchers that are not made yet
        self.save_at = math.inf

    def solve(self, turns: int | None) -> Solved:
        first = self.solver.first
        alone = self.solver.alone or type(first).__name__ not in ("AlphaBeta", "ValueIteration")  # no other is exact
        analysis = self._search(first, None if alone else FIRST)
        if not analysis.exact and not alone and analysis.stopped != StopReason.INTERRUPTED:
            self._take_turns(turns)
        assert self.best is not None
        not_saved = ""
        if self.saved is not None and not self.best.exact:
            try:
                self._save()
            except OutplayError as error:
                not_saved = str(error)
        return Solved(self.best, tuple(self.reasons), perf_counter() - self.started, not_saved)

    def _take_turns(self, turns: int | None) -> None:
        goes_on = bool(self.at)
        while turns is None or self.turn < turns:
            seconds = 2 * FIRST * 2**self.turn
            try:
                self._measure(MEASURING / 2 * seconds)
            except KeyboardInterrupt:
                self._interrupted()
                return
            assert self.survey is not None
            methods = [method for method in self._methods(self.survey) if method.name not in self.left_out]
            goes_on = goes_on and any(method.name == self.at for method in methods)
            if not methods:
                return
            for method in list(methods):
                if goes_on and method.name != self.at:
                    continue  # it had its turn before the state was saved
                goes_on, self.at = False, method.name
                turn_seconds = method.share * seconds if len(methods) > 1 or turns is not None else None
                if turn_seconds is not None and method.expected > turn_seconds:
                    continue
                try:
                    analysis = method.run(turn_seconds)
                except OutplayError as error:
                    if len(methods) == 1 or (isinstance(error, RulesError) and method.run == self._first):
                        raise
                    self._leave_out(methods, method, str(error))
                    continue
                except KeyboardInterrupt:
                    self._interrupted()
                    return
                if analysis is not None and (analysis.exact or analysis.stopped == StopReason.INTERRUPTED):
                    self.best = analysis if analysis.exact or self.best is None else self.best
                    if not analysis.exact:
                        self._interrupted()
                    elif analysis.method != methods[0].name:
                        self._say(f"{analysis.method} was faster")
                    return
                if analysis is not None and analysis.stopped != StopReason.SECONDS:
                    is_full = analysis.stopped == StopReason.MEMORY_FULL
                    reason = f"{analysis.nodes:,} actions fill the memory" if is_full else "it ended without an answer"
                    self._leave_out(methods, method, reason)
            self.turn += 1

    def _measure(self, patience: float) -> None:
        """Measure the game, unless that was done as well before."""
        from outplay.rules.numbered import numbered
        from outplay.session import survey

        done = self.survey is not None and (self.survey.complete or self.measured >= survey.PATIENCE)
        if not done:
            self.measured = min(patience, survey.PATIENCE)
            self.survey = survey.survey(numbered(self.game), self.state, self.measured)

    def _leave_out(self, methods: list[Method], method: Method, reason: str) -> None:
        self._say(f"not {method.name}: {reason}")
        methods.remove(method)
        self.left_out.append(method.name)
        if self.survey is not None and self.survey.in_circles and [method.run for method in methods] == [self._first]:
            self._say(f"{methods[0].name} goes on, perhaps without end, as play goes in circles: Ctrl-C ends it")

    def _interrupted(self) -> None:
        assert self.best is not None
        self.best = replace(self.best, stopped=StopReason.INTERRUPTED)

    def _say(self, reason: str) -> None:
        self.reasons.append(reason)
        if self.explain is not None:
            self.explain(reason)

    # -- methods ------------------------------------------------------------------------------------------------------

    def _methods(self, survey: "Survey") -> list[Method]:
        """The methods for a game, the most promising one first; and why."""
        own = Method(type(self.solver.first).__name__, self._first)
        table = Method("Tablebase", self._table, 0.5, STATE_SECONDS * survey.states)
        sweeps = self._method("ValueIteration", "value-iteration", 0.5, 4 * table.expected)
        size = survey.states * (STATE_BYTES + EDGE_BYTES * survey.branching)
        fits = size < self.solver.memory_mb * 1e6 or not survey.complete  # an estimate may be wrong
        methods, expected = [own], NODE_SECONDS * survey.states**EXPONENT
        if own.name == "ValueIteration":
            if not survey.in_circles:
                methods.append(self._method("Expectiminimax", "expectiminimax", 0.5))
            expected = sweeps.expected
        elif own.name == "AlphaBeta":
            if self.game.repetition and self.previous:
                fits = False  # a table does not know the path
            if survey.in_circles and fits:
                expected = table.expected
                methods = [
                    replace(table, share=min(max(LEAST_SHARE, PATIENCE * expected / FIRST), LARGEST_SHARE)),
                    own,
                    sweeps,
                ]
            else:
                proof = self._method("ProofNumber", "proof-number", 0.5 if survey.utilities == 2 else 0.25)
                methods += [proof] * (not survey.in_circles) + [table] * fits
        if methods[0].name != self.favoured:
            self.favoured = methods[0].name
            note = "" if survey.complete else ", longer if there are more"
            self._say(f"{self.favoured}: {survey}; {in_words(expected)} expected{note}")
        return methods

    def _method(self, name: str, algorithm: str, share: float, expected: float = 0.0) -> Method:
        """A search that is made when it is first run, and keeps its table."""

        def run(seconds: float | None) -> Analysis:
            if name not in self.searchers:
                searcher = self.searchers[name] = self.solver._searcher(algorithm)
                searcher.check = False
                if hasattr(searcher, "reuse_table"):
                    searcher.reuse_table = True
                self._restore(name)
            return self._search(self.searchers[name], seconds)

        return Method(name, run, share, expected)

    def _first(self, seconds: float | None) -> Analysis:
        return self._search(self.solver.first, seconds)

    def _search(self, searcher: "Searcher", seconds: float | None) -> Analysis:
        name = type(searcher).__name__
        if name == "ValueIteration" and not self.solver.alone:
            searcher.memory_mb = self.solver.memory_mb  # type: ignore[attr-defined]
        before, nodes = self.spent.get(name, (0.0, 0))

        def whole(part: Analysis) -> Analysis:
            return replace(part, seconds=part.seconds + before, nodes=part.nodes + nodes, limit=UNLIMITED)

        def progress(part: Analysis) -> None:
            part = whole(part)
            self.spent[name] = part.seconds, part.nodes
            self._report(part)

        watched = self.progress is not None or self.saved is not None
        limit = Limit(seconds=seconds)
        analysis = whole(
            searcher.search(
                self.state, limit, previous_states=self.previous, progress=progress if watched else None
            )
        )  # fmt: skip
        self.spent[name] = analysis.seconds, analysis.nodes
        if self.best is None or analysis.exact or searcher is self.solver.first:
            self.best = analysis
        return analysis

    def _table(self, seconds: float | None) -> Analysis | None:
        """The table of all states; None if it takes longer."""
        from outplay.tables.request import NotWritten
        from outplay.tables.tablebase import Tablebase

        worked, reported = 0.0, math.inf

        def progress(_: str, __: int, states: int) -> None:
            nonlocal worked, reported
            now = perf_counter()
            if not is_busy():  # compiling does not count
                worked += max(now - reported, 0.0)
            reported = now
            if self.best is not None:
                self._report(replace(self.best, nodes=states, seconds=now - started))
            if seconds is not None and worked > seconds:
                raise _Late

        started, memory = perf_counter(), self.solver.memory_mb
        file = None if self.saved is None else self.saved.table_path
        if self.saved is not None and not self.saved.path.exists():
            try:
                self._save()  # first: without it, nobody can tell whose table that is
            except OutplayError as error:
                file = None
                self._say(f"not saved: {error}; this will be tried again")
        try:
            if file is not None and file.exists():
                table: Tablebase | None = Tablebase.load(file, self.game)
            else:
                table = Tablebase.make(
                    self.game, [self.state], memory_mb=memory, disk_mb=memory, file=file, resume=file is not None,
                    progress=progress, check=False,
                )  # fmt: skip
        except _Late:
            return None
        except NotWritten as error:
            table = error.table
        if table is None:
            raise KeyboardInterrupt
        analysis = table.analyse(self.state)
        return replace(analysis, seconds=perf_counter() - started, nodes=len(table))

    # -- the file -----------------------------------------------------------------------------------------------------

    def begin_saving(self, path: str | os.PathLike[str], *, resume: bool) -> None:
        """Save to a file from now on; with `resume`, go on from it if it exists."""
        from outplay.session.saving import UNSOUND, SavedSolve, check_free

        self.saved = SavedSolve(path, self.solver.first, self.state, self.previous)
        self.save_at = perf_counter() + files.SAVE_EVERY
        if not os.path.lexists(path):
            check_free(path)
            return
        if not resume:
            raise OutplayError(f"{path} exists: resume it (resume=True, --resume), delete it, or name another file")
        facts, tables = self.saved.load()
        try:
            self._go_on(facts, tables)
        except UNSOUND as error:
            raise self.saved.damaged() from error
        nodes = sum(nodes for _, nodes in self.spent.values())
        self._say(f"going on from {path}, after {facts['seconds']:,.0f} s and {nodes:,} nodes")

    def _go_on(self, facts: dict[str, Any], tables: dict[str, "Table"]) -> None:
        """Take over what a file says; its values may be anything."""
        from outplay.session.survey import Survey

        if facts["known"] is not None:
            self.survey = Survey(**{name: _amount(value) for name, value in facts["known"].items()})
            _amount(self.survey.states - 1)
        self.measured, self.turn, self.at = (
            _amount(facts["measured"]),
            _amount(facts["turn"], MOST_TURNS),
            str(facts["at"]),
        )
        self.left_out = list(map(str, facts["left_out"]))
        self.spent = {name: (_amount(seconds), _amount(nodes)) for name, (seconds, nodes) in facts["spent"].items()}
        self.started -= _amount(facts["seconds"])
        self.tables = {name: (table, _amount(facts["searches"][name], MOST_SEARCHES)) for name, table in tables.items()}
        self._restore(type(self.solver.first).__name__)

    def _restore(self, name: str) -> None:
        """Give a searcher the table that was saved."""
        from outplay.session.saving import restore

        if name in self.tables:
            assert self.saved is not None
            try:
                restore(self.searchers[name], *self.tables.pop(name))
            except ValueError as error:
                raise self.saved.damaged() from error

    def _report(self, part: Analysis) -> None:
        """Show how far the work is, and save it if a minute is over."""
        if self.progress is not None:
            self.progress(part)
        before = perf_counter()
        if before >= self.save_at:
            try:
                self._save()
            except OutplayError as error:
                self._say(f"not saved: {error}; this will be tried again")
            now = perf_counter()
            self.save_at = now + max(files.SAVE_EVERY, SAVING_PAUSE * (now - before))

    def _save(self) -> None:
        from outplay.session.saving import is_saved

        assert self.saved is not None
        searchers: Any = {name: searcher for name, searcher in self.searchers.items() if is_saved(searcher)}
        tables = self.tables | {
            name: (owner._table, owner._searches) for name, owner in searchers.items() if owner._table is not None
        }
        facts = {
            "known": None if self.survey is None else asdict(self.survey), "measured": self.measured,
            "turn": self.turn, "at": self.at,
            "left_out": self.left_out, "spent": self.spent, "seconds": perf_counter() - self.started,
            "searches": {name: searches for name, (_, searches) in tables.items()},
        }  # fmt: skip
        self.saved.save(facts, {name: table for name, (table, _) in tables.items()})


def _amount(value: Any, most: int = 0) -> Any:
    """A number from a file, from 0 on; with `most`, an int up to that. Raises `ValueError` for anything else."""
    if not isinstance(value, int if most else int | float) or not 0 <= value <= (most or sys.float_info.max):
        raise ValueError(f"{value!r} is not such an amount")
    return value


def in_words(seconds: float) -> str:
    """An expected time in words.

    >>> in_words(0.1), in_words(30), in_words(1e9)
    ('less than a second', 'less than a minute', 'days or more')
    """
    return next((words for most, words in WORDS if seconds < most), "days or more")
