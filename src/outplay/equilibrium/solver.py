"""The common part of all iterative solvers: limits, progress, the curve, files and the solution.

A solver can be used repeatedly: `solve` continues where it stopped, in this process or, with `save` and `load`, in
another. Start at `EquilibriumSolver.solve`.
"""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, ClassVar, NamedTuple, Self
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from outplay.compile.records import Record, layout, new_record
from outplay.engine.rules_mark import RulesMark
from outplay.engine.runner import SearchRunner
from outplay.engine.stopping import StopReason
from outplay.engine.trace import Trace
from outplay.equilibrium.best_response import behaviour_of, gains_of_plan, plan_of, values_of_plan
from outplay.equilibrium.curves import plot_solution
from outplay.equilibrium.files import load_arrays, save_arrays
from outplay.equilibrium.notebook import solution_html
from outplay.equilibrium.strategy import Strategy, tree_of
from outplay.equilibrium.tree import GameTree
from outplay.rules.arguments import Progress, is_number, is_whole
from outplay.rules.errors import StrategyError
from outplay.rules.game import Game
from outplay.system import files

COUNTERS = layout(
    ("iteration", int),  # the number of iterations done
    ("stop", int),  # 0, AT_ONCE or BETWEEN
)
"""What a kernel shares with the calling thread."""
AT_ONCE, BETWEEN = 1, 2
"""Stop as soon as possible; stop between two iterations, so that continuing is as if it had not stopped."""
SAVING_PAUSE = 9
"""The minimum time between two saves, as a multiple of the time that the last one took."""
FORMAT = "outplay solver 2"
"""The version of the files."""
MOST_ITERATIONS = 1 << 62
"""More than any solver can count."""
STEP = 1.15
"""The ratio between successive iterations at which the exploitability is measured."""


def new_counters(iteration: int) -> Record:
    """Return counters for a kernel that continues after `iteration`."""
    counters = new_record(COUNTERS)
    counters.iteration = iteration
    return counters


class Point(NamedTuple):
    """A point on the curve towards an equilibrium."""

    iterations: int
    seconds: float
    exploitability: float


@dataclass(frozen=True, kw_only=True)
class Solution:
    """The result of a solver.

    Attributes:
        strategy: the strategy of all players.
        values: the expected utility of each player where all play it.
        exploitability: the gain from a best response, averaged over the players: 0 in an equilibrium.
        solver: the solver that found it.
        iterations: the number of iterations, including those of earlier calls.
        seconds: the time they took.
        curve: the exploitability over time.
        stopped: why it ended: "iterations", "seconds", "exploitability" or "interrupted"; "" if the result is exact.
    """

    strategy: Strategy
    values: tuple[float, ...]
    exploitability: float
    solver: str
    iterations: int
    seconds: float
    curve: tuple[Point, ...]
    stopped: StopReason

    @property
    def nash_conv(self) -> float:
        """The sum of all players' gains from best responses."""
        return self.exploitability * len(self.values)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, None for unknown ones; the strategy is left to `Strategy.save`."""
        content = {name: value for name, value in vars(self).items() if name != "strategy"}
        content["curve"] = [point._asdict() for point in self.curve]
        for entry in content, *content["curve"]:
            if math.isnan(entry["exploitability"]):
                entry["exploitability"] = None
        return {"game": repr(self.strategy.game), **content}

    def plot(self, ax: Any = None) -> Any:
        """Draw the exploitability over the iterations, on logarithmic scales, and return the axes.

        Args:
            ax: the `Axes` of matplotlib to draw on, for instance to compare solvers; None for a new figure.

        Raises `OutplayError` if matplotlib is not installed (`pip install 'outplay[plot]'`), `WrongType` if `ax` is
        anything else, and `ValueError` if the solver has no curve.
        """
        return plot_solution(self, ax)

    def _repr_html_(self) -> str:
        return solution_html(self)

    def __str__(self) -> str:
        values_text = ", ".join(f"{value:+.6f}" for value in self.values)
        far = "not known" if math.isnan(self.exploitability) else f"{self.exploitability:.3g}"
        end = f", stopped: {self.stopped}" if self.stopped == StopReason.INTERRUPTED else ""
        return (
            f"values {values_text}; exploitability {far}\n"
            f"{self.solver}: {self.iterations:,} iterations in {self.seconds:.2f} s{end}"
        )


@dataclass(eq=False, repr=False)
class EquilibriumSolver(ABC):
    """The common part. Subclasses define the initial arrays (`_start`), the iteration (`_work`) and the result."""

    options: ClassVar[tuple[str, ...]] = ()
    """The names of the attributes that are options; files record them."""
    game: Game | GameTree
    check: bool = field(default=True, kw_only=True)
    """Whether to test the laws of the game first."""
    arrays: dict[str, NDArray[Any]] = field(init=False, default_factory=dict)
    curve: list[Point] = field(init=False, default_factory=list)
    iterations: int = field(init=False, default=0)
    seconds: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self.arrays = self._start()

    # -- for subclasses -----------------------------------------------------------------------------------------------

    @abstractmethod
    def _start(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that iterations update, as they are before the first one."""

    @abstractmethod
    def _work(self, counters: Record, until: int) -> Callable[[], Any]:
        """Return a function that runs iterations until `counters.iteration` is `until` or `counters.stop` is set."""

    @abstractmethod
    def _strategy(self) -> Strategy:
        """Return the strategy after the iterations so far."""

    @abstractmethod
    def _measure(self) -> tuple[tuple[float, ...], float]:
        """Return the values of that strategy and its exploitability, nan if unknown."""

    # -- use ----------------------------------------------------------------------------------------------------------

    def solve(
        self,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        exploitability: float | None = None,
        progress: Progress[Point] | None = None,
        save_to: str | PathLike[str] | None = None,
        trace: Trace | None = None,
    ) -> Solution:
        """Iterate until one of the limits is reached, or until Ctrl-C, and return the solution so far.

        Args:
            iterations: the maximum number of further iterations.
            seconds: the maximum time.
            exploitability: stop once it is at most this. It is measured each time iterations have grown by 15 %.
            progress: called ten times a second with the iterations, the time and the last measured exploitability.
            save_to: a file to `save` to every minute until the end, when you save it yourself. Warns if saving fails.
            trace: a `Trace` to be filled with the regrets and strategies after each iteration, by `CFR` alone.

        Raises `ValueError` if there is no limit, or one that is negative or not a number, or for a trace with a solver
        other than `CFR`.
        """
        self._check(iterations, seconds, exploitability)
        recording = self._recording(trace)
        until = math.inf if iterations is None else self.iterations + iterations
        counters = new_counters(self.iterations)
        self._work(counters, self.iterations)  # compiles before the clock starts; warnings show the caller's line
        self._measure()
        done, started = self.seconds, time.perf_counter()
        stopping = False
        next_save = started + files.SAVE_EVERY if save_to is not None else math.inf

        def stop(_: int) -> None:
            nonlocal stopping
            stopping = True  # before `stop`, which `go` clears after saving
            counters.stop = AT_ONCE

        def show() -> None:
            if time.perf_counter() >= next_save and not stopping:
                counters.stop = BETWEEN
            if progress is not None:
                far = self.curve[-1].exploitability if self.curve else math.inf
                progress(Point(int(counters.iteration), done + time.perf_counter() - started, far))

        def save() -> None:
            nonlocal next_save
            before = time.perf_counter()
            try:
                self.save(str(save_to))
            except StrategyError as error:
                warn(f"{error}; this will be tried again", stacklevel=2)
            now = time.perf_counter()
            next_save = now + max(files.SAVE_EVERY, SAVING_PAUSE * (now - before))

        def go() -> tuple[tuple[float, ...], float, str]:
            while True:
                target = max(self.iterations + 1, math.floor(self.iterations * STEP))
                if recording is not None and not recording.is_full:
                    target = self.iterations + 1
                end = int(min(target, until)) if self.iterations < until else self.iterations
                while True:
                    self._work(counters, end)()
                    self.iterations = int(counters.iteration)
                    self.seconds = done + time.perf_counter() - started
                    if stopping or not counters.stop:
                        break
                    save()
                    counters.stop = 0
                    if stopping:  # set while saving
                        counters.stop = AT_ONCE
                if recording is not None:
                    recording.add(self.iterations, self.arrays)
                values, far = self._measure()
                if not self.curve or self.curve[-1].iterations < self.iterations:
                    self.curve.append(Point(self.iterations, self.seconds, far))
                if stopping:
                    return values, far, ""  # `watch` knows why
                if exploitability is not None and far <= exploitability:
                    return values, far, StopReason.EXPLOITABILITY
                if self.iterations >= until:
                    return values, far, StopReason.ITERATIONS

        watch = SearchRunner(seconds, lambda: 1, stop, show)
        values, far, stopped = watch.run(go)
        return Solution(
            strategy=self._strategy(), values=values, exploitability=far, solver=repr(self),
            iterations=self.iterations, seconds=self.seconds, curve=tuple(self.curve),
            stopped=watch.reason(stopped or watch.stopped),
        )  # fmt: skip

    def _recording(self, trace: Trace | None) -> Any:
        """Where to record the iterations; None without a trace."""
        if trace is None:
            return None
        kind = type(self).__name__
        if not isinstance(trace, Trace):
            raise ValueError(f"{kind}.solve(trace={trace!r}): a Trace, as in trace = Trace()")
        raise ValueError(f"{kind}.solve(trace=…): {kind} cannot record a trace; CFR can")

    def _check(self, iterations: int | None, seconds: float | None, exploitability: float | None) -> None:
        limits = {"iterations": iterations, "seconds": seconds, "exploitability": exploitability}
        if all(value is None for value in limits.values()):
            raise ValueError("solve() without a limit would never end: give iterations, seconds or exploitability")
        for name, value in limits.items():
            fits = is_whole(value) if name == "iterations" else is_number(value)
            if value is not None and not (fits and 0 <= value < MOST_ITERATIONS):
                kind = "whole number" if name == "iterations" else "number"
                raise ValueError(f"solve({name}={value!r}): must be a {kind}, at least 0")

    # -- files --------------------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write everything needed to continue later to a file that `load` reads.

        Raises `StrategyError` if it cannot be written; an existing file is then unchanged.
        """
        content: dict[str, Any] = {
            "about": np.array([repr(self), repr(self._game), RulesMark(self._game).text()]),
            "curve": np.array(self.curve, np.float64).reshape(-1, 3),
            "progress": np.array([self.iterations, self.seconds]),
        }
        save_arrays(path, FORMAT, content | self._arrays_to_save())

    def load(self, path: str | PathLike[str]) -> Self:
        """Continue from a file that `save` wrote for the same game with the same options.

        Raises `StrategyError` for a file that is damaged, or saved for another game, other rules or with other options.
        """
        content = load_arrays(path, FORMAT, "what a solver saved")
        origin = content.pop("about", np.array("")).ravel().tolist()
        if origin[:2] != [repr(self), repr(self._game)]:
            saved_by, saved_for = [*origin, "", ""][:2]
            raise StrategyError(f"{path}: saved by {saved_by} for {saved_for}, not by {self!r} for {self._game!r}")
        if origin[2:] != [RulesMark(self._game).text()]:
            raise StrategyError(
                f"the rules of {self._game!r} have changed since {path} was saved: name another file, or undo the edit"
                " (each version of Python counts as one)"
            )
        try:
            iterations, seconds = int(content["progress"][0]), float(content["progress"][1])
            if not (0 <= iterations < MOST_ITERATIONS and 0 <= seconds < math.inf):
                raise ValueError(f"{iterations} iterations in {seconds} s")
            curve = [Point(int(row[0]), float(row[1]), float(row[2])) for row in content["curve"]]
            self._restore(content)
        except (KeyError, IndexError, ValueError, TypeError, OverflowError) as error:
            raise StrategyError(f"{path}: damaged: {error}") from error
        self.iterations, self.seconds, self.curve = iterations, seconds, curve
        return self

    def _arrays_to_save(self) -> dict[str, NDArray[Any]]:
        """Return what a file stores of `arrays`."""
        return self.arrays

    def _restore(self, content: dict[str, NDArray[Any]]) -> None:
        """Set `arrays` from what `_kept` returned. Raises `ValueError` or `KeyError` if they do not fit."""
        shapes = {name: (array.shape, array.dtype) for name, array in self.arrays.items()}
        if {name: (content[name].shape, content[name].dtype) for name in shapes} != shapes:
            raise StrategyError(f"its arrays do not fit {self._game!r}: the rules have changed")
        self.arrays = {name: content[name] for name in shapes}

    @property
    def _game(self) -> Game:
        return self.game.game if isinstance(self.game, GameTree) else self.game

    def __repr__(self) -> str:
        usual = {name: getattr(type(self), name, None) for name in self.options}
        options = [f"{name}={value!r}" for name in self.options if (value := getattr(self, name)) != usual[name]]
        return f"{type(self).__name__}({', '.join(options)})"


class TreeSolver(EquilibriumSolver):
    """A solver on an unrolled game whose result is an average of plans."""

    @abstractmethod
    def _average(self) -> NDArray[np.float64]:
        """Return the weighted sum of the plans played: float64 [sequences]."""

    def __post_init__(self) -> None:
        self.tree = tree_of(self.game, type(self).__name__, check=self.check)
        super().__post_init__()

    def _strategy(self) -> Strategy:
        return Strategy.on(self.tree, behaviour_of(self.tree, self._average()))

    def _measure(self) -> tuple[tuple[float, ...], float]:
        plan = plan_of(self.tree, behaviour_of(self.tree, self._average()))
        return values_of_plan(self.tree, plan), sum(gains_of_plan(self.tree, plan)) / self.tree.players
