"""The rows of the table, the measurement of time, and the check that both did the same work before a ratio is shown.

Reading order: `Row` (one line of the table), `compare` (the same work in outplay and in a peer), `best_of` (the clock).
"""

import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

INSTALL = "not installed: pip install 'outplay[benchmarks]'"
BRIEF, PATIENCE = 1.0, 20.0
"""Seconds: work that has taken less than the first in total is repeated more often; work that has taken more than the
second is not repeated again."""
ROOT = Path(__file__).resolve().parents[1]
"""The repository."""

T = TypeVar("T")
P = TypeVar("P", bound="Peer")


class Disagreement(Exception):
    """Outplay and a peer found different results, so they did not do the same work, and there is no ratio to show."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The amount of work to do.

    Attributes:
        quick: less work, for a first look; the bars are meant for the full work.
        repeat: the minimum number of times each piece of work is done; the best time counts.
        positions: files for `solve` instead of the usual one.
        lines: the maximum number of lines of each of them, and of `suite`.
        solver: Pascal Pons' program, to compare with.
        suite: a file of chess problems for `wac` instead of the usual one.
        seconds: the time per problem, and in matches per move; None: the usual time of each benchmark.
        simulations: the number of simulations per move in matches; None: as many as there is time for.
        games: the number of games in each match; None: the usual number of each benchmark.
    """

    quick: bool = False
    repeat: int = 3
    positions: tuple[Path, ...] = ()
    lines: int | None = None
    solver: Path | None = None
    suite: Path | None = None
    seconds: float | None = None
    simulations: int | None = None
    games: int | None = None


@dataclass(frozen=True)
class Bar:
    """A promise of outplay: its own figure, or the ratio to the peer, is at least or less than `mark`."""

    subject: Literal["figure", "ratio"]
    sign: Literal["≥", "<"]
    mark: float


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table: the same work in outplay and in a peer.

    Attributes:
        what: the work.
        unit: the unit of both figures. For "s" and "nodes" less is better, for everything else more.
        ours: outplay's figure; None if it could not be measured.
        peer, theirs: the other program with its version, and its figure.
        agree: the result that both found.
        note: a remark for readers.
        bars: what outplay promises here.
    """

    what: str
    unit: str = "s"
    ours: float | None = None
    peer: str = ""
    theirs: float | None = None
    agree: str = ""
    note: str = ""
    bars: tuple[Bar, ...] = ()

    @property
    def ratio(self) -> float | None:
        """How many times better outplay is."""
        if not self.ours or not self.theirs:
            return None
        return self.theirs / self.ours if self.unit in ("s", "nodes") else self.ours / self.theirs

    def met(self, bar: Bar) -> bool | None:
        """Whether outplay keeps the promise; None if it could not be measured."""
        value = self.ours if bar.subject == "figure" else self.ratio
        if value is None:
            return None
        return value >= bar.mark if bar.sign == "≥" else value < bar.mark

    def as_dict(self) -> dict[str, Any]:
        """The row as plain values, for JSON."""
        bars = [{"of": bar.subject, "sign": bar.sign, "mark": bar.mark, "met": self.met(bar)} for bar in self.bars]
        names = ("what", "unit", "ours", "peer", "theirs", "ratio", "agree", "note")
        return {**{name: getattr(self, name) for name in names}, "bars": bars}


class Peer:
    """Another program that can do the work. Making one imports it, and raises `ImportError` if it is missing."""

    name: ClassVar[str]
    distribution: ClassVar[str] = ""
    install: ClassVar[str] = INSTALL
    """What to do if it is missing."""

    @classmethod
    def label(cls) -> str:
        """Name and version."""
        return f"{cls.name} {installed(cls.distribution)}".strip() if cls.distribution else cls.name


@dataclass
class Timed:
    """The least seconds that a piece of work took, and what it returned."""

    seconds: float = float("inf")
    total: float = 0.0
    outcome: Any = None


def best_of(plan: Plan, *works: Callable[[], Any]) -> list[Timed]:
    """Do each of the works at least `plan.repeat` times, in turn, so that other load on the machine affects all alike.

    The best time counts, since it is the least disturbed.
    """
    timings = [Timed() for _ in works]
    most = plan.repeat if plan.quick else 10 * plan.repeat
    for turn in range(most):
        for work, timing in zip(works, timings, strict=True):
            enough = BRIEF if turn >= plan.repeat else PATIENCE
            if turn == 0 or timing.total < enough:
                started = time.perf_counter()
                timing.outcome = work()
                seconds = time.perf_counter() - started
                timing.seconds = min(timing.seconds, seconds)
                timing.total += seconds
    return timings


def measure(plan: Plan, row: Row, ours: Callable[[], T], amount: Callable[[T], float] | None = None) -> tuple[Row, T]:
    """`row` with only outplay's figure, and what the work returned."""
    (timing,) = best_of(plan, ours)
    return replace(row, ours=_figure(timing, amount)), timing.outcome


def compare(
    plan: Plan,
    row: Row,
    ours: Callable[[], T],
    peer: type[P],
    theirs: Callable[[P], T],
    agree: Callable[[T, T], str],
    amount: Callable[[T], float] | None = None,
) -> Row:
    """`row` with the figures of both, if `agree` finds that they did the same work.

    Args:
        plan: how often to do the work.
        row: the known part of the row: the work, its unit, the bars.
        ours: the work in outplay, already compiled.
        peer: the other program. If it is not installed, the row says how to install it.
        theirs: the work in the peer.
        agree: returns the common result in words; raises `Disagreement` (see `same`) if the results differ.
        amount: the amount of work done, so that the figure is a rate per second; without it, the figure is in seconds.
    """
    try:
        rival = peer()
    except ImportError:
        own_row, _ = measure(plan, row, ours, amount)
        return replace(own_row, peer=peer.name, note="; ".join(filter(None, [row.note, peer.install])))
    our_timing, their_timing = best_of(plan, ours, lambda: theirs(rival))
    agreement = agree(our_timing.outcome, their_timing.outcome)
    return replace(
        row, ours=_figure(our_timing, amount), peer=peer.label(), theirs=_figure(their_timing, amount), agree=agreement
    )


def _figure(timed: Timed, amount: Callable[[Any], float] | None) -> float:
    return timed.seconds if amount is None else amount(timed.outcome) / timed.seconds


def same(ours: object, theirs: object, words: str) -> str:
    """`words`, if outplay and the peer found the same; raises `Disagreement` if not.

    >>> same(0, 0.0, "value 0")
    'value 0'
    """
    if ours != theirs:
        raise Disagreement(f"{words}: outplay found {ours}, the other {theirs}")
    return words


def installed(distribution: str) -> str:
    """The version of an installed package, or "" if it is not installed."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


def machine() -> dict[str, str]:
    """The environment of the measurement: the machine, the system, and the versions of all programs."""
    cores = f"{os.cpu_count()} cores"
    load = f"load {os.getloadavg()[0]:.2f} before the run" if hasattr(os, "getloadavg") else ""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    system = f"{platform.system()} {platform.machine()}"
    distributions = ("outplay", "numba", "numpy", "open_spiel", "easyAI", "aima3", "chess", "pgx", "mctx", "jax")
    return {
        "machine": ", ".join(filter(None, [_processor(), cores, load, system])),
        "versions": ", ".join([python, *(f"{name} {installed(name) or 'not installed'}" for name in distributions)]),
    }


def _processor() -> str:
    """The processor's name, as the system reports it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
