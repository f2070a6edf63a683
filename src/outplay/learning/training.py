"""From the rules of a game to a player that has won a match against what there was before. Start at `learn`.

1. Random games show what states consist of (`plan.py`).
2. A first form of tables learns by self-play. If both players' tables agree, they become one.
3. Other groups of locations learn for as long, and meet in a knock-out; the winner goes on.
4. It learns for the rest of the time. At times it meets the best player so far, which it replaces only if a sequential
   test says that it is stronger.
"""

import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from io import BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.arena.sequential import SequentialTest
from outplay.engine.limits import Limit
from outplay.evaluation.patterns import (
    CONTRADICTION,
    ENTRIES,
    LearnedEvaluation,
    Tables,
    check_form,
    form_from,
    form_of,
    head_of,
    padded,
)
from outplay.learning.groups import Choice
from outplay.learning.plan import Plan
from outplay.learning.rivals import Comparison, compare, player_of
from outplay.learning.self_play import Learner, Snapshot
from outplay.rules.arguments import check_type, is_number, is_whole
from outplay.rules.errors import EvaluationError, OutplayError
from outplay.rules.game import Game
from outplay.rules.wording import shown
from outplay.system.arrays import arrays_in
from outplay.system.files import read_file, why_not_writable, write_file


class Form(NamedTuple):
    """A form of tables.

    Attributes:
        choice: how groups are chosen.
        copies: about how many there are, with their images.
        bare: whether it does without the game's own evaluation and features.
    """

    choice: Choice
    copies: int
    bare: bool = False

    def __str__(self) -> str:
        text = "each location alone" if self.choice == "single" else f"{self.copies} patterns, {self.choice}"
        return text + ", without the game's own terms" * self.bare


SLICE = 0.5
"""About so many seconds pass between two looks at the clock."""
AGREE = 0.8
"""Tables of two players that correlate by so much become one."""
FIRST, TRIAL = 0.04, 0.02
"""The shares of the time in which a form learns before it is tried, and in which it meets the best one."""
CHECKS = (1 / 8, 1 / 3, 2 / 3, 1.0)
"""The parts of the rest after which the player meets others."""
MATCH, LAST_MATCH = 0.04, 0.12
"""All matches of a check take at most this share of the time, those of the last one more."""
SAVED = 60.0
"""The state of learning is written to disk after so many seconds."""
TESTED, UNTESTED = 400, 20
"""The most games of a match with a sequential test, and without."""
ARRAYS, NUMBERS = ("weights", "sums", "sizes"), ("most", "seconds", "games")
"""The arrays and the numbers in a state of learning."""
FIRST_FORM = Form("mixed", 64)
FORMS = (Form("mixed", 64, bare=True), Form("mixed", 96), Form("random", 64), Form("single", 0), Form("mixed", 32))
"""What is tried besides the first form."""
OWN, BEST = "the search as it was", "the last accepted"
"""The names of rivals: with the game's own evaluation if it has one, and with the best one learned so far."""


@dataclass
class Budget:
    """How long to learn.

    Attributes:
        total: the seconds, or the games.
        in_games: whether games are counted, so that all is the same every time.
        began: when the time began.
    """

    total: float
    in_games: bool = False
    began: float = field(default_factory=time.monotonic)

    def used(self, games: int) -> float:
        """How much is used after so many games."""
        return games if self.in_games else time.monotonic() - self.began

    @property
    def look(self) -> float:
        """For how many seconds games are looked at."""
        return math.inf if self.in_games else min(10.0, 0.1 * self.total)

    @property
    def allows_a_second_look(self) -> bool:
        """Whether better games are looked at, besides random ones."""
        return self.total >= (1000 if self.in_games else 60)

    @property
    def allows_trials(self) -> bool:
        """Whether several forms are tried."""
        return self.total >= (200_000 if self.in_games else 600)

    def end_of_match(self, share: float) -> float:
        """When a match that may take this share of the time must end."""
        return math.inf if self.in_games else time.monotonic() + share * self.total

    def next_batch(self, batch: int, took: float) -> int:
        """How many games a worker plays without a look at the clock, if so many took so long."""
        if self.in_games:
            return max(1, min(100, int(self.total / 100)))
        return max(1, int(batch * min(4.0, SLICE / took)))


@dataclass(frozen=True)
class Check:
    """How strong the player was at some time.

    Attributes:
        seconds: the time learned until then.
        games: the games played until then.
        error: the root of the mean squared error of values in games that it did not learn from, in units of a win.
        rivals: how it did against each other player.
        accepted: whether it became the best player so far.
    """

    seconds: float
    games: int
    error: float
    rivals: dict[str, Comparison]
    accepted: bool

    def as_dict(self) -> dict[str, Any]:
        """The check as plain values, for JSON."""
        return {**vars(self), "rivals": {name: rival.as_dict() for name, rival in self.rivals.items()}}


@dataclass
class Progress:
    """What goes on, for a display.

    Attributes:
        stage: what is done now.
        seconds: the time used so far.
        done: the share of the time, or of the games, that is over.
        games: the games played so far.
        games_a_second: how many a second, lately.
        error: the root of the mean squared error of values, lately, in units of a win.
        checks: how strong the player was at times.
    """

    stage: str = "looking at random games"
    seconds: float = 0.0
    done: float = 0.0
    games: int = 0
    games_a_second: float = 0.0
    error: float = math.nan
    checks: list[Check] = field(default_factory=list)


Watch = Callable[[Progress], object]


@dataclass(frozen=True)
class Learned:
    """What was learned.

    Attributes:
        evaluation: the evaluation of the best player; None if it was not stronger than what there was before.
        last: what was learned until the end, stronger or not; None if it was interrupted before.
        checks: how strong the player was at times.
        plan: what was found out about the game before.
        games: the games played.
        seconds: the time that it took.
        interrupted: whether Ctrl-C ended it.
        problem: why the file could not be written; empty if it was, or if there is nothing to write.
    """

    evaluation: LearnedEvaluation | None
    last: LearnedEvaluation | None
    checks: tuple[Check, ...]
    plan: Plan | None
    games: int
    seconds: float
    interrupted: bool = False
    problem: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The result as plain values, for JSON."""
        return {
            "accepted": self.evaluation is not None,
            "games": self.games,
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "layout": None if self.plan is None else self.plan.describe(),
            "checks": [
                check.as_dict() for check in self.checks
            ],
        }  # fmt: skip

    def picture(self) -> str:
        """The strength over time as SVG, against each rival."""
        from outplay.pictures.chart import Series, Value, curve  # noqa: PLC0415 - only people need it

        names = dict.fromkeys(name for check in self.checks for name in check.rivals)
        lines = []
        for colour, name in enumerate(names):
            points = [
                Value(check.seconds, max(-1000.0, min(1000.0, rival.strength.elo)))
                for check in self.checks
                if (rival := check.rivals.get(name)) is not None and rival.strength is not None
            ]
            if points:
                lines.append(Series(name, points, colour))
        return curve(lines, "strength in Elo while learning", "seconds")

    def _repr_html_(self) -> str:
        return self.picture() if any(check.rivals for check in self.checks) else repr(self)


def learn(
    game: Game,
    *,
    minutes: float = 60.0,
    games: int | None = None,
    to: str | PathLike[str] | None = None,
    workers: int = 1,
    seed: int = 1,
    nodes: int = 1000,
    kilobytes: float | None = None,
    resume: bool = False,
    watch: Watch | None = None,
) -> Learned:
    """Learn an evaluation of a game from its rules alone.

    Args:
        game: the game: for one player, for two with opposed interests, or for more; without hidden information.
        minutes: how long to learn.
        games: learn from so many games, whatever the time.
        to: the file to write: whole, and only if what was learned is stronger than what there was before.
        workers: the number of threads that play. With one, `seed` and `games` give the same player every time.
        seed: of all random choices.
        nodes: the nodes for a move in the matches that decide.
        kilobytes: rounds the weights of the file until it has at most this size.
        resume: goes on from `to` + ".training", which is written every minute.
        watch: called with the `Progress`, about twice a second.

    Raises `UnsuitableGame` for games that cannot be learned, and `EvaluationError` for a file that cannot be written
    or, with `resume`, read. If there is no room for it later, `problem` of the result says so, and nothing is lost.

    >>> from outplay.games import Breakthrough
    >>> found = learn(Breakthrough(4, 4), minutes=0.02, nodes=10)
    >>> found.games > 0
    True
    """
    check_type(game, Game, "learn({})", "Breakthrough()")
    counts: dict[str, tuple[Any, int]] = {"workers": (workers, 1), "nodes": (nodes, 1), "seed": (seed, 0)}
    counts |= {} if games is None else {"games": (games, 1)}
    for name, (count, least) in counts.items():
        if not (is_whole(count) and count >= least):
            raise OutplayError(f"{name}={count!r}: give a whole number from {least} up")
    amounts: dict[str, Any] = {"minutes": minutes} | ({} if kilobytes is None else {"kilobytes": kilobytes})
    for name, amount in amounts.items():
        if not (is_number(amount) and 0 < amount < math.inf):
            raise OutplayError(f"{name}={amount!r}: give a number above 0")
    if to is not None and (problem := why_not_writable(to)):
        raise EvaluationError(f"{to} cannot be written: {problem}")
    budget = Budget(60.0 * minutes) if games is None else Budget(games, in_games=True)
    training = Training(game, budget, None if to is None else fspath(to), workers, seed, nodes, watch)
    training.kilobytes = kilobytes
    if resume:
        training.read()
    return training.run()


class Training:
    """The learning of one game; see `learn` for the arguments."""

    def __init__(
        self, game: Game, budget: Budget, to: str | None, workers: int, seed: int, nodes: int, watch: Watch | None
    ) -> None:
        self.game, self.budget, self.to, self.workers, self.seed = game, budget, to, workers, seed
        self.limit, self.watch = Limit(nodes=nodes), watch
        self.progress = Progress()
        self.saved = time.monotonic()
        self.kilobytes: float | None = None
        self.best: LearnedEvaluation | None = None
        self.plan: Plan | None = None
        self.learner: Learner | None = None
        self.tables: Tables | None = None
        self.arrays: dict[str, Any] = {}
        self.most = 0.0
        self.challenger: Snapshot
        self.champion: Snapshot
        self.batch = budget.next_batch(1, SLICE)

    @property
    def spent(self) -> float:
        """The seconds used so far."""
        return time.monotonic() - self.budget.began

    def run(self) -> Learned:
        """Do all of it; Ctrl-C ends it early."""
        interrupted = False
        try:
            self._say()
            self.plan = Plan.of(self.game, self.seed, seconds=self.budget.look)
            self.learner = self._resumed() or self._form()
            self._rest()
        except KeyboardInterrupt:
            interrupted = True
            self._write_state()
        problem, progress = self._save_best(), self.progress
        if problem:
            self._write_state()
        elif not interrupted and self.to is not None:
            with suppress(OSError):
                Path(self._state_file).unlink(missing_ok=True)
        last = None if self.learner is None else self.learner.evaluation(self._made(self.learner))
        return Learned(
            self.best, last, tuple(progress.checks), self.plan, progress.games, self.spent, interrupted, problem
        )

    # -- the form ------------------------------------------------------------------------------------------------------

    def _learner(self, tables: Tables) -> Learner:
        assert self.plan is not None
        plan = self.plan
        return Learner(self.game, tables, plan.most, plan.bounded, self.seed, self.workers, plan.plies)

    def _form(self) -> Learner:
        """The learner with the best form of tables."""
        assert self.plan is not None
        best = self._learner(self._tables(FIRST_FORM, self.seed))
        self._play(best, FIRST, "learning a first form")
        if self.budget.allows_a_second_look:  # better games show more: higher tiles, later stages
            self.progress.stage = "looking at better games"
            self._say()
            self.plan = Plan.of(self.game, self.seed, seconds=self.budget.look, games=best.games())
            best = self._learner(self._tables(FIRST_FORM, self.seed))
            self._play(best, FIRST, "learning a form for better games")
        by_mover = not _agree(best)
        if by_mover != best.tables.by_mover:
            best = self._learner(replace(best.tables, by_mover=by_mover))
            self._play(best, FIRST, "learning one table for both players")
        if not self.budget.allows_trials or not self.plan.compiled:
            return best
        for number, form in enumerate(FORMS, 1):
            if form.bare and not (self.plan.own or self.plan.features):
                continue
            other = self._learner(replace(self._tables(form, self.seed + number), by_mover=by_mover))
            self._play(other, FIRST, f"trying {form}")
            self.progress.stage = f"matching {form}"
            self._say()
            new, old = (player_of(Snapshot(learner), self.limit) for learner in (other, best))
            until = self.budget.end_of_match(TRIAL)
            if compare(self.game, new, old, 60, self.seed, until).better:
                best = other
        return best

    def _tables(self, form: Form, seed: int) -> Tables:
        assert self.plan is not None
        plan = self.plan.bare() if form.bare else self.plan
        return plan.tables(form.copies, form.choice, seed=seed)

    # -- playing -------------------------------------------------------------------------------------------------------

    def _play(self, learner: Learner, share: float, stage: str = "learning") -> None:
        """Learn for this share of the budget."""
        progress, budget = self.progress, self.budget
        progress.stage = stage
        self._say()
        until = budget.used(progress.games) + share * budget.total
        while budget.used(progress.games) < until:
            began = time.monotonic()
            report = learner.play(self.batch)
            took = max(time.monotonic() - began, 1e-6)
            progress.games += self.batch * self.workers
            progress.games_a_second = self.batch * self.workers / took
            progress.error = _error(report)
            if not math.isfinite(progress.error):
                raise EvaluationError(f"{self.game!r}: a value is no number: see its utility() and evaluate()")
            self.batch = budget.next_batch(self.batch, took)
            self._say()
            if time.monotonic() - self.saved >= SAVED:
                self._write_state()

    def _rest(self) -> None:
        """Learn with the form that was chosen, and meet the best player at times."""
        assert self.learner is not None
        self.challenger, self.champion = Snapshot(self.learner), Snapshot(self.learner)
        if self.best is not None:  # of an earlier run, with the same form
            self.champion.set(padded(self.best.weights * self.best.scale))
        left = max(1 - self.budget.used(self.progress.games) / self.budget.total, 0.0)
        matches = 0.0 if self.budget.in_games else (len(CHECKS) - 1) * MATCH + LAST_MATCH
        learning, done = max(left - matches, 0.25 * left), 0.0
        for check in CHECKS:
            self._play(self.learner, (check - done) * learning)
            done = check
            self._check(self.learner, LAST_MATCH if check == 1 else MATCH)

    def _check(self, learner: Learner, share: float) -> None:
        """Let the player meet others, and keep it if it is stronger than the best one.

        All matches together take this share of the budget.
        """
        self.challenger.set(learner.weights)
        report = learner.play(max(1, self.batch // 4), learns=False)
        rivals: dict[str, Comparison] = {}
        for name, rival, part, test in self._rivals():
            self.progress.stage = f"playing against {name}"
            self._say()
            until, games = self.budget.end_of_match(part * share), TESTED if test else UNTESTED
            rivals[name] = compare(
                self.game, player_of(self.challenger, self.limit), rival, games, self.seed, until, test
            )
        accepted = rivals[BEST if BEST in rivals else OWN].better is True
        if accepted:
            self.best = learner.evaluation(self._made(learner))
            self.champion.set(learner.weights)
            self._save_best()
        self.progress.checks.append(Check(self.spent, self.progress.games, _error(report), rivals, accepted))
        self._say()

    def _rivals(self) -> Iterator[tuple[str, Any, float, SequentialTest | None]]:
        """The rivals, each with its share of the time, and the test that decides, if it may be replaced."""
        own = player_of(None, self.limit)
        if self.game.players == 2:
            yield "random moves", "random", 0.1, None
        if self.best is None:
            yield OWN, own, 0.9, SequentialTest(0, 100)
        else:
            yield OWN, own, 0.2, None
            yield BEST, player_of(self.champion, self.limit), 0.7, SequentialTest(0, 50)

    def _made(self, learner: Learner) -> dict[str, Any]:
        spent = {} if self.budget.in_games else {"minutes": round(self.spent / 60, 1)}
        return {**spent, "games": self.progress.games, "seed": self.seed,
                "workers": self.workers, "patterns": learner.tables.copies}  # fmt: skip

    def _say(self) -> None:
        self.progress.seconds = self.spent
        self.progress.done = min(self.budget.used(self.progress.games) / self.budget.total, 1.0)
        if self.watch is not None:
            self.watch(self.progress)

    def _save_best(self) -> str:
        """Write the best player to its file. Returns why that failed, or an empty text."""
        if self.best is None or self.to is None:
            return ""
        try:
            (self.best if self.kilobytes is None else self.best.packed(self.kilobytes)).save(self.to)
        except EvaluationError as error:  # there may be room later
            return str(error)
        return ""

    # -- going on later ------------------------------------------------------------------------------------------------

    @property
    def _state_file(self) -> str:
        return f"{self.to}.training"

    def _write_state(self) -> None:
        """Write all that it takes to go on."""
        self.saved = time.monotonic()
        if self.to is None or self.learner is None:
            return
        learner = self.learner
        head = {"game": repr(self.game), "seconds": self.spent, "games": self.progress.games, "seed": self.seed,
                "form": form_of(learner.tables), "most": learner.most, "best": self.best is not None}  # fmt: skip
        archive = BytesIO()
        arrays = {name: getattr(learner, name) for name in ARRAYS}
        np.savez(archive, head=np.array(json.dumps(head)), **arrays)
        with suppress(EvaluationError):  # there may be room next time
            write_file(self._state_file, archive.getvalue(), EvaluationError)

    def read(self) -> None:
        """Read what `_write_state` wrote. Raises `EvaluationError` for anything else."""
        if self.to is None:
            raise OutplayError("resume=True: name the file with to=")
        content = read_file(self._state_file, EvaluationError)
        try:
            arrays = arrays_in(content)
            head = head_of(arrays)
            if head["game"] != repr(self.game):
                raise EvaluationError(f"it learned {shown(head['game'])}, not {self.game!r}")
            tables = form_from(head["form"])
            check_form(tables)
            self.most, seconds, games = (float(head[name]) for name in NUMBERS)
            self.arrays = {name: arrays[name] for name in ARRAYS}
            length = tables.weights + ENTRIES
            if not (
                tables.suits(self.game)
                and all(array.dtype == float and array.shape == (length,) for array in self.arrays.values())
                and all(np.isfinite(array).all() for array in [*self.arrays.values(), self.most, seconds, games])
                and min(self.most, seconds, games) >= 0 < self.most
            ):
                raise EvaluationError(CONTRADICTION)
        except OutplayError as error:
            raise EvaluationError(f"{self._state_file}: {error}") from None
        except Exception as error:  # whatever zipfile, zlib, json and NumPy make of damaged bytes
            raise EvaluationError(f"{self._state_file}: not a whole state of learning ({shown(error)})") from None
        if head.get("best") and Path(self.to).exists():
            self.best = LearnedEvaluation.load(self.to, self.game)
            if json.dumps(form_of(self.best.tables)) != json.dumps(form_of(tables)):
                raise EvaluationError(f"{self.to} is not the player of {self._state_file}: name another file with to=")
        self.tables, self.progress.games = tables, int(games)
        self.budget.began -= seconds

    def _resumed(self) -> Learner | None:
        """The learner of an earlier run."""
        if self.tables is None or self.plan is None:
            return None
        tables = self.tables
        self.plan = replace(self.plan, layout=tables.layout, score=tables.score, most=self.most)
        learner = self._learner(tables)
        for name, numbers in self.arrays.items():
            setattr(learner, name, numbers)
        return learner


def _error(report: NDArray[np.float64]) -> float:
    """The root of the mean squared error in a report of `self_play`."""
    return float(math.sqrt(report[1] / max(report[2], 1)))


def _agree(learner: Learner) -> bool:
    """Whether the tables of both players say the same, so that one will do."""
    tables = learner.tables
    if not tables.by_mover or tables.movers != 2 or tables.players > 1 or learner.rules.players != 2:
        return not tables.by_mover
    weights, sizes = (array[: tables.weights].reshape(2, -1) for array in (learner.weights, learner.sizes))
    trust = np.sqrt(np.minimum(*sizes))
    if not trust.any():
        return False
    first, second = weights
    overlap = float(np.sum(trust * first * second))
    norm = math.sqrt(float(np.sum(trust * first**2)) * float(np.sum(trust * second**2)))
    return norm > 0 and overlap / norm > AGREE
