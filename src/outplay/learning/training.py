"""What all ways to learn have in common: checks in matches, the best player so far, and a state to go on from."""

import json
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from outplay.arena.sequential import SequentialTest
from outplay.engine.limits import Limit
from outplay.evaluation.learned import LearnedEvaluation
from outplay.evaluation.table_form import CONTRADICTION, check_form, form_from, form_of, head_of
from outplay.evaluation.variant import Evaluation
from outplay.learning.plan import Plan
from outplay.learning.progress import Budget, Check, Learned, Progress, Watch
from outplay.learning.rivals import Comparison, compare, player_of
from outplay.rules.constant_sum import is_opposed_pair
from outplay.rules.errors import EvaluationError, OutplayError, UnsuitableGame
from outplay.rules.game import Game
from outplay.rules.wording import shown
from outplay.system.arrays import arrays_in
from outplay.system.files import read_file, write_file

if TYPE_CHECKING:
    from outplay.evaluation.patterns import Tables

NODES = 1000
"""The nodes for a move in matches, if no other number is given."""
CHECKS = (1 / 8, 1 / 3, 2 / 3, 1.0)
"""The parts of the time after which the player meets others."""
MATCH, LAST_MATCH = 0.04, 0.12
"""All matches of a check take at most this share of the time, those of the last one more."""
SAVED = 60.0
"""The state of learning is written to disk after so many seconds."""
TESTED, UNTESTED = 400, 20
"""The most games of a match with a sequential test, and without."""
OWN, BEST = "the search as it was", "the last accepted"
"""The names of rivals: with the game's own evaluation if it has one, and with the best one learned so far."""


class Training(ABC):
    """The learning of one game; see `learn` for the arguments."""

    learner = ""
    """The name of this way to learn."""

    def __init__(
        self,
        game: Game,
        budget: Budget,
        to: str | None,
        workers: int,
        seed: int,
        nodes: int | None,
        watch: Watch | None,
    ) -> None:
        self.game, self.budget, self.to, self.workers, self.seed = game, budget, to, workers, seed
        self.nodes, self.has_given_nodes, self.watch = nodes or NODES, nodes is not None, watch
        self.limit = Limit(nodes=self.nodes)
        self.progress = Progress()
        self.saved = time.monotonic()
        self.kilobytes: float | None = None
        self.best: LearnedEvaluation | None = None
        self.champion: Evaluation | None = None  # the same player in a form that takes no new compiling
        self.plan: Plan | None = None
        self.tables: Tables | None = None
        self.most = 0.0

    @abstractmethod
    def learn(self, plan: Plan) -> None:
        """Learn until the budget is used, with checks."""

    @abstractmethod
    def last(self) -> LearnedEvaluation | None:
        """What was learned until now, stronger or not."""

    @abstractmethod
    def arrays(self) -> dict[str, Any]:
        """What it takes to go on later; empty if there is nothing yet."""

    @abstractmethod
    def take(self, arrays: dict[str, Any]) -> bool:
        """Go on from what `arrays` gave, with `tables` and `most`. Returns whether they suit."""

    def continues(self, best: LearnedEvaluation) -> bool:
        """Whether the best player of an earlier run can be that of this state of learning."""
        assert self.tables is not None
        return json.dumps(form_of(best.tables)) == json.dumps(form_of(self.tables))

    def check_players(self) -> None:
        """Raise `UnsuitableGame` if there are more players than some ways to learn know."""
        if self.game.players > 1 and not is_opposed_pair(self.game):
            raise UnsuitableGame(
                f"{self.game!r}: the learner {self.learner!r} is for at most two players: use patterns"
            )

    @property
    def spent(self) -> float:
        """The seconds used so far."""
        return time.monotonic() - self.budget.began

    def run(self, plan: Plan | None = None) -> Learned:
        """Do all of it; Ctrl-C ends it early."""
        interrupted = False
        try:
            self.begin("looking at random games")
            self.plan = plan or Plan.of(self.game, self.seed, seconds=self.budget.look)
            self.learn(self.plan)
        except KeyboardInterrupt:
            interrupted = True
            self.write_state()
        problem, progress = self._save_best(), self.progress
        if problem:
            self.write_state()
        elif not interrupted and self.to is not None:
            with suppress(OSError):
                Path(self._state_file).unlink(missing_ok=True)
        return Learned(
            self.best, self.last(), tuple(progress.checks), self.plan, progress.games, self.spent, interrupted, problem
        )

    def begin(self, stage: str) -> None:
        """Say what is done now."""
        self.progress.stage = stage
        self.say()

    def checks(self) -> Iterator[tuple[float, float]]:
        """When to meet others: what share of the budget to learn before, and what share the matches may take.

        Time that a match leaves, decided early, goes to what is learned after it.
        """
        learning, done = 0.0, 0.0
        for number, check in enumerate(CHECKS):
            if number == 0 or not self.budget.in_games:
                matches = 0.0 if self.budget.in_games else (len(CHECKS) - 1 - number) * MATCH + LAST_MATCH
                left = max(1 - self.budget.used(self.progress.games) / self.budget.total, 0.0)
                learning = max(left - matches, 0.25 * left) / (1 - done)
            yield (check - done) * learning, LAST_MATCH if check == 1 else MATCH
            done = check

    def check(self, player: Evaluation, error: float, share: float) -> bool:
        """Let a player meet others, and keep it if it is stronger than the best one.

        All matches together take this share of the budget. Returns whether it is the best one now.
        """
        rivals: dict[str, Comparison] = {}
        for name, rival, part, test in self._rivals():
            self.begin(f"playing against {name}")
            until, games = self.budget.end_of_match(part * share), TESTED if test else UNTESTED
            rivals[name] = compare(self.game, player_of(player, self.limit), rival, games, self.seed, until, test)
        accepted = rivals[BEST if BEST in rivals else OWN].better is True
        if accepted:
            self.best = self.last()
            self._save_best()
        self.progress.checks.append(Check(self.spent, self.progress.games, error, rivals, accepted))
        self.say()
        return accepted

    def packed(self, evaluation: LearnedEvaluation, use: NDArray[np.float64] | None = None) -> LearnedEvaluation:
        """An evaluation as it will be in the file, which may be limited in size."""
        return evaluation if self.kilobytes is None else evaluation.packed(self.kilobytes, use)

    def _rivals(self) -> Iterator[tuple[str, Any, float, SequentialTest | None]]:
        """The rivals, each with its share of the time, and the test that decides, if it may be replaced."""
        own = player_of(None, self.limit)
        if self.game.players == 2:
            yield "random moves", "random", 0.1, None
        if self.best is None:
            yield OWN, own, 0.9, SequentialTest(0, 100)
        else:
            yield OWN, own, 0.2, None
            yield BEST, player_of(self.champion or self.best, self.limit), 0.7, SequentialTest(0, 50)

    def origin(self) -> dict[str, Any]:
        """How it was learned, for people."""
        spent = {} if self.budget.in_games else {"minutes": round(self.spent / 60, 1)}
        return {**spent, "games": self.progress.games, "seed": self.seed, "workers": self.workers}

    def say(self) -> None:
        """Tell `watch` what goes on, and save now and then."""
        if time.monotonic() - self.saved >= SAVED:
            self.write_state()
        self.progress.seconds = self.spent
        self.progress.done = min(self.budget.used(self.progress.games) / self.budget.total, 1.0)
        if self.watch is not None:
            self.watch(self.progress)

    def _save_best(self) -> str:
        """Write the best player to its file. Returns why that failed, or an empty text."""
        if self.best is None or self.to is None:
            return ""
        try:
            self.best.save(self.to)
        except EvaluationError as error:  # there may be room later
            return str(error)
        return ""

    # -- going on later ------------------------------------------------------------------------------------------------

    @property
    def _state_file(self) -> str:
        return f"{self.to}.training"

    def write_state(self) -> None:
        """Write all that it takes to go on."""
        self.saved = time.monotonic()
        arrays = self.arrays()
        if self.to is None or not arrays or self.tables is None:
            return
        head = {"learner": self.learner, "game": repr(self.game), "seconds": self.spent, "games": self.progress.games,
                "seed": self.seed, "form": form_of(self.tables), "most": self.most,
                "best": self.best is not None}  # fmt: skip
        archive = BytesIO()
        np.savez(archive, head=np.array(json.dumps(head)), **arrays)
        with suppress(EvaluationError):  # there may be room next time
            write_file(self._state_file, archive.getvalue(), EvaluationError)

    def read(self) -> None:
        """Read what `write_state` wrote. Raises `EvaluationError` for anything else."""
        assert self.to is not None
        content = read_file(self._state_file, EvaluationError)
        try:
            arrays = arrays_in(content)
            head = head_of(arrays)
            if head["game"] != repr(self.game):
                raise EvaluationError(f"it learned {shown(head['game'])}, not {self.game!r}")
            if head["learner"] != self.learner:
                raise EvaluationError(f"it was begun with the learner {shown(head['learner'])}, not {self.learner!r}")
            self.tables = form_from(head["form"])
            check_form(self.tables)
            self.most, seconds, games = (float(head[name]) for name in ("most", "seconds", "games"))
            if not (
                self.tables.suits(self.game)
                and all(math.isfinite(number) and number >= 0 for number in (self.most, seconds, games))
                and self.most > 0
                and self.take(arrays)
            ):
                raise EvaluationError(CONTRADICTION)
        except OutplayError as error:
            raise EvaluationError(f"{self._state_file}: {error}") from None
        except Exception as error:  # whatever zipfile, zlib, json and NumPy make of damaged bytes
            raise EvaluationError(f"{self._state_file}: not a whole state of learning ({shown(error)})") from None
        if head.get("best") and Path(self.to).exists():
            self.best = LearnedEvaluation.load(self.to, self.game)
            if not self.continues(self.best):
                raise EvaluationError(f"{self.to} is not the player of {self._state_file}: name another file with to=")
        self.progress.games = int(games)
        self.budget.began -= seconds
