"""What all ways to compute an equilibrium have in common: limits, progress, the curve, files, and what comes out.

A solver is used again and again: `solve` goes on where it stopped, in this process or, with `save` and `load`, in
another. Start at `Solver.solve`.
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

from outplay.engine.runner import SearchRunner
from outplay.engine.stopping import StopReason
from outplay.equilibrium.best_response import behaviour_of, gains_of_plan, plan_of, values_of_plan
from outplay.equilibrium.files import load_arrays, save_arrays
from outplay.equilibrium.strategy import Strategy, tree_of
from outplay.equilibrium.tree import (
    GameTree,
)
from outplay.rules.arguments import is_number, is_whole
from outplay.rules.errors import StrategyError
from outplay.rules.game import Game
from outplay.system import files

ITERATION, STOP = 0, 1
"""Cells that a kernel shares with the calling thread: how many iterations are done; whether to stop."""
AT_ONCE, BETWEEN = 1, 2
"""Values of STOP: as soon as possible; between two iterations, so that what follows is as if it had not stopped."""
SAVING_PAUSE = 9
"""The time between two saves is at least so many times what the last one took."""
FORMAT = "outplay solver 2"
"""The version of the files."""
STEP = 1.15
"""How far apart on the curve the iterations are at which the exploitability is measured."""


class Point(NamedTuple):
    """A place on the way to an equilibrium."""

    iterations: int
    seconds: float
    exploitability: float


@dataclass(frozen=True, kw_only=True)
class Solution:
    """What a solver has found.

    Attributes:
        strategy: the strategy of all players.
        values: what each player gets on average where all play it.
        exploitability: what each could gain by a best response, on average over the players: 0 in an equilibrium.
        solver: how it was found.
        iterations: how many there were, those of earlier calls among them.
        seconds: the time for them.
        curve: how the exploitability fell.
        stopped: why it ended: "iterations", "seconds", "exploitability" or "interrupted"; "": the answer is exact.
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
        """What all players together could gain by best responses."""
        return self.exploitability * len(self.values)

    def as_dict(self) -> dict[str, Any]:
        """What was found as plain values, for JSON, None for what is not known; `Strategy.save` writes the strategy."""
        found = {name: value for name, value in vars(self).items() if name != "strategy"}
        found["curve"] = [point._asdict() for point in self.curve]
        for entry in found, *found["curve"]:
            if math.isnan(entry["exploitability"]):
                entry["exploitability"] = None
        return {"game": repr(self.strategy.game), **found}

    def __str__(self) -> str:
        got = ", ".join(f"{value:+.6f}" for value in self.values)
        far = "not known" if math.isnan(self.exploitability) else f"{self.exploitability:.3g}"
        why = f", stopped: {self.stopped}" if self.stopped == StopReason.INTERRUPTED else ""
        return (
            f"values {got}; exploitability {far}\n"
            f"{self.solver}: {self.iterations:,} iterations in {self.seconds:.2f} s{why}"
        )


Progress = Callable[[Point], None]


@dataclass(eq=False, repr=False)
class Solver(ABC):
    """The common part. Derived classes say what to remember (`_start`), how to iterate (`_work`) and what to play."""

    options: ClassVar[tuple[str, ...]] = ()
    """The names of the attributes that are options, which a file keeps."""
    game: Game | GameTree
    check: bool = field(default=True, kw_only=True)
    """Whether to try the laws of the game before anything else."""
    arrays: dict[str, NDArray[Any]] = field(init=False, default_factory=dict)
    curve: list[Point] = field(init=False, default_factory=list)
    iterations: int = field(init=False, default=0)
    seconds: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self.arrays = self._start()

    # -- what a solver is ---------------------------------------------------------------------------------------------

    @abstractmethod
    def _start(self) -> dict[str, NDArray[Any]]:
        """What is remembered from one iteration to the next, before the first one."""

    @abstractmethod
    def _work(self, cells: NDArray[np.int64], until: int) -> Callable[[], Any]:
        """What runs iterations until ITERATION is `until` or STOP is set."""

    @abstractmethod
    def _strategy(self) -> Strategy:
        """What to play after the iterations so far."""

    @abstractmethod
    def _measure(self) -> tuple[tuple[float, ...], float]:
        """The values of that, and how exploitable it is; nan where that is not known."""

    # -- use ----------------------------------------------------------------------------------------------------------

    def solve(
        self,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        exploitability: float | None = None,
        progress: Progress | None = None,
        save_to: str | PathLike[str] | None = None,
    ) -> Solution:
        """Go on until one of the limits is reached; Ctrl-C stops too, and what was found so far comes back.

        Args:
            iterations: so many more than there were.
            seconds: for so long.
            exploitability: until it is at most so much. It is looked at every 15 % more iterations.
            progress: called ten times a second with how far it is, and the exploitability when it was last measured.
            save_to: a file to `save` to every minute on the way, but not at the end. Warns if that fails.

        Raises `ValueError` for no limit at all, and for one that is negative or not a number.
        """
        self._check(iterations, seconds, exploitability)
        until = math.inf if iterations is None else self.iterations + iterations
        cells = np.array([self.iterations, 0])
        self._work(cells, self.iterations)  # compiles, before the clock runs; a warning can tell whose line it is
        self._measure()
        done, started = self.seconds, time.perf_counter()
        stopping = False
        next_save = started + files.SAVE_EVERY if save_to is not None else math.inf

        def stop(_: int) -> None:
            nonlocal stopping
            stopping = True  # before STOP, which `go` clears after it has saved
            cells[STOP] = AT_ONCE

        def show() -> None:
            if time.perf_counter() >= next_save and not stopping:
                cells[STOP] = BETWEEN
            if progress is not None:
                far = self.curve[-1].exploitability if self.curve else math.inf
                progress(Point(int(cells[ITERATION]), done + time.perf_counter() - started, far))

        def save() -> None:
            nonlocal next_save
            before = time.perf_counter()
            try:
                self.save(str(save_to))
            except StrategyError as error:
                warn(f"{error}; this is tried again", stacklevel=2)
            now = time.perf_counter()
            next_save = now + max(files.SAVE_EVERY, SAVING_PAUSE * (now - before))

        def go() -> tuple[tuple[float, ...], float, str]:
            while True:
                target = max(self.iterations + 1, math.floor(self.iterations * STEP))
                end = int(min(target, until)) if self.iterations < until else self.iterations
                while True:
                    self._work(cells, end)()
                    self.iterations = int(cells[ITERATION])
                    self.seconds = done + time.perf_counter() - started
                    if stopping or not cells[STOP]:
                        break
                    save()
                    cells[STOP] = 0
                    if stopping:  # since just now
                        cells[STOP] = AT_ONCE
                values, far = self._measure()
                if not self.curve or self.curve[-1].iterations < self.iterations:
                    self.curve.append(Point(self.iterations, self.seconds, far))
                if stopping:
                    return values, far, ""  # the watch will tell why
                if exploitability is not None and far <= exploitability:
                    return values, far, StopReason.EXPLOITABILITY
                if self.iterations >= until:
                    return values, far, StopReason.ITERATIONS

        watch = SearchRunner(seconds, lambda: 1, stop, show)
        values, far, stopped = watch.run(go)
        return Solution(
            strategy=self._strategy(), values=values, exploitability=far, solver=repr(self),
            iterations=self.iterations, seconds=self.seconds, curve=tuple(self.curve),
            stopped=stopped or watch.stopped,
        )  # fmt: skip

    def _check(self, iterations: int | None, seconds: float | None, exploitability: float | None) -> None:
        given = {"iterations": iterations, "seconds": seconds, "exploitability": exploitability}
        if all(value is None for value in given.values()):
            raise ValueError("solve() without a limit would never end: give iterations, seconds or exploitability")
        for name, value in given.items():
            fits = is_whole(value) if name == "iterations" else is_number(value)
            if value is not None and not (fits and 0 <= value < 2**62):
                wanted = "whole number" if name == "iterations" else "number"
                raise ValueError(f"solve({name}={value!r}): a {wanted} from 0 on")

    # -- files --------------------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write all that is needed to go on later to a file, which `load` reads.

        Raises `StrategyError` if it cannot be written; an older file is then as it was.
        """
        content: dict[str, Any] = {
            "about": np.array([repr(self), repr(self._game)]),
            "curve": np.array(self.curve, np.float64).reshape(-1, 3),
            "progress": np.array([self.iterations, self.seconds]),
        }
        save_arrays(path, FORMAT, content | self._kept())

    def load(self, path: str | PathLike[str]) -> Self:
        """Go on from a file that `save` wrote, of the same game with the same options.

        Raises `StrategyError` for a file that is damaged, of another game or of other options.
        """
        content = load_arrays(path, FORMAT, "what a solver saved")
        about = content.pop("about", np.array(["", ""])).tolist()
        if about != [repr(self), repr(self._game)]:
            raise StrategyError(f"{path}: saved by {about[0]} for {about[1]}, not by {self!r} for {self._game!r}")
        try:
            iterations, seconds = int(content["progress"][0]), float(content["progress"][1])
            curve = [Point(int(row[0]), float(row[1]), float(row[2])) for row in content["curve"]]
            self._restore(content)
        except (KeyError, IndexError, ValueError) as error:
            raise StrategyError(f"{path}: damaged: {error}") from error
        self.iterations, self.seconds, self.curve = iterations, seconds, curve
        return self

    def _kept(self) -> dict[str, NDArray[Any]]:
        """What a file keeps of `arrays`."""
        return self.arrays

    def _restore(self, content: dict[str, NDArray[Any]]) -> None:
        """Take `arrays` from what `_kept` gave. Raises `ValueError` or `KeyError` if they do not fit."""
        shapes = {name: (array.shape, array.dtype) for name, array in self.arrays.items()}
        if {name: (content[name].shape, content[name].dtype) for name in shapes} != shapes:
            raise StrategyError(f"its arrays are not those of {self._game!r}: the rules have changed")
        self.arrays = {name: content[name] for name in shapes}

    @property
    def _game(self) -> Game:
        return self.game.game if isinstance(self.game, GameTree) else self.game

    def __repr__(self) -> str:
        usual = {name: getattr(type(self), name, None) for name in self.options}
        given = [f"{name}={value!r}" for name in self.options if (value := getattr(self, name)) != usual[name]]
        return f"{type(self).__name__}({', '.join(given)})"


class TreeSolver(Solver):
    """A solver on an unrolled game, whose answer is an average of plans."""

    @abstractmethod
    def _average(self) -> NDArray[np.float64]:
        """The sum of the plans played, with their weights: float64 [sequences]."""

    def __post_init__(self) -> None:
        self.tree = tree_of(self.game, type(self).__name__, check=self.check)
        super().__post_init__()

    def _strategy(self) -> Strategy:
        return Strategy.on(self.tree, behaviour_of(self.tree, self._average()))

    def _measure(self) -> tuple[tuple[float, ...], float]:
        plan = plan_of(self.tree, behaviour_of(self.tree, self._average()))
        return values_of_plan(self.tree, plan), sum(gains_of_plan(self.tree, plan)) / self.tree.players
