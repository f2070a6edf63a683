"""Learns from games between searches: what stands where, fitted to their values and results, or a network above that.

Each round plays games with the best player so far, fits anew to all positions until now, and is checked in matches. For
features that is Texel's way to tune; for games with many kinds of pieces, where tables of patterns would be too large.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from outplay.evaluation.learned import LearnedEvaluation
from outplay.evaluation.patterns import Tables
from outplay.learning.fitting import Model, fit
from outplay.learning.labelling import LabelledPositions, Labeller
from outplay.learning.plan import Plan
from outplay.learning.training import Training
from outplay.rules.constant_sum import is_opposed_pair
from outplay.rules.errors import EvaluationError, UnsuitableGame

NODES, INTERPRETED_NODES = 200, 50
"""The nodes of the searches whose games are learned from."""
EPOCHS = 6
"""How often each position is learned from."""
MAX_POSITIONS = 4_000_000
"""The last so many positions are kept."""
FEWEST = 100
"""Nothing is fitted to fewer positions."""


class SearchTraining(Training):
    """Learning from games between searches; see `learn` for the arguments."""

    width, units = 1, 0
    ridge = 3000.0
    """See `fit`: moves that look good by what few positions say lose games, although the errors are small."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.positions: LabelledPositions | None = None
        self.candidate: LearnedEvaluation | None = None

    def form(self, plan: Plan) -> Tables:
        """The form of the tables."""
        return plan.tables(0, "single")

    def learn(self, plan: Plan) -> None:
        """Play games, fit, and meet the best player, in turn."""
        if self.game.players > 1 and not is_opposed_pair(self.game):
            raise UnsuitableGame(
                f"{self.game!r}: the learner {self.learner!r} is for at most two players: use patterns"
            )
        if self.tables is not None:  # of an earlier run
            plan = self.plan = replace(plan, layout=self.tables.layout, score=self.tables.score, most=self.most)
        tables = self.tables = self.tables or self.form(plan)
        self.most = plan.most
        nodes = NODES if plan.compiled else INTERPRETED_NODES
        # a different seed for each worker, and for each part of a run that is resumed
        first_seed = 1000 * self.seed + self.progress.games * self.workers
        labellers = [Labeller(plan, tables, nodes, first_seed + worker) for worker in range(self.workers)]
        for share, match in self.checks():
            for labeller in labellers:
                labeller.use(self.best)
            self._play(labellers, share)
            error = self._fit(plan, tables)
            if self.candidate is not None:
                self.check(self.candidate, error, match)

    def _play(self, labellers: list[Labeller], share: float) -> None:
        """Play games for this share of the budget."""
        progress, budget = self.progress, self.budget
        self.begin("playing games between searches")
        until, batches = budget.used(progress.games) + share * budget.total, list[LabelledPositions]()
        earlier, began, before = self.positions, time.monotonic(), progress.games
        with ThreadPoolExecutor(len(labellers)) as pool:
            while budget.used(progress.games) < until:
                numbers = range(progress.games, progress.games + len(labellers))
                batches += pool.map(lambda labeller, number: labeller.play(number), labellers, numbers)
                progress.games += len(labellers)
                progress.games_a_second = (progress.games - before) / max(time.monotonic() - began, 1e-6)
                self.positions = earlier = _joined(earlier, batches) if len(batches) >= 100 else earlier
                batches = batches if len(batches) < 100 else []
                self.say()
        self.positions = _joined(earlier, batches)

    def _fit(self, plan: Plan, tables: Tables) -> float:
        """Fit to all positions. Returns the error in games that were held out."""
        positions = self.positions
        if positions is None or len(positions.games) < FEWEST:
            return float("nan")
        self.begin("fitting")

        def show(epoch: int, learned: float, held_out: float) -> None:
            self.progress.error = held_out
            self.begin(f"fitting, {epoch + 1} of {EPOCHS}")

        model = Model.new(tables, self.width, self.units, self.seed)
        fitted = fit(tables, positions, model, EPOCHS, self.seed, plan.bounded, self.ridge, show)
        error = min(held_out for _, held_out in fitted.errors)
        if not np.isfinite(error):
            raise EvaluationError(f"{self.game!r}: a value is no number: see its utility() and evaluate()")
        self.candidate = self.packed(fitted.model.evaluation(plan, tables, {"learner": self.learner, **self.origin()}))
        return error

    def last(self) -> LearnedEvaluation | None:
        """See `Training`."""
        return self.candidate

    def arrays(self) -> dict[str, Any]:
        """See `Training`."""
        return {} if self.positions is None else self.positions._asdict()

    def take(self, arrays: dict[str, Any]) -> bool:
        """See `Training`."""
        assert self.tables is not None
        positions = self.positions = LabelledPositions(*(arrays[name] for name in LabelledPositions._fields))
        number, sizes = len(positions.games), np.array(self.tables.layout.sizes)
        kinds = [np.uint8, np.int64, np.int64, np.float32, np.float32, np.int64]
        shapes = [(number, len(sizes)), (number,), (number,), (number, len(self.tables.terms)), (number,), (number,)]
        return (
            [array.dtype for array in positions] == kinds
            and [array.shape for array in positions] == shapes
            and bool((positions.symbols < sizes).all())
            and bool((positions.stages >= 0).all())
            and bool(((positions.movers >= 0) & (positions.movers < self.tables.movers)).all())
            and all(np.isfinite(array).all() for array in (positions.terms, positions.goals))
        )


class FeatureTraining(SearchTraining):
    """Fits a sum: the game's own evaluation, its features, and what stands on each location, by stage of the game."""

    learner = "features"


class NetworkTraining(SearchTraining):
    """Fits a network: a row of numbers for what stands on each location, and two layers above their sum."""

    learner = "network"
    width, units = 64, 32
    ridge = 100.0

    def form(self, plan: Plan) -> Tables:
        """See `SearchTraining`."""
        return network_tables(plan)


def network_tables(plan: Plan) -> Tables:
    """One group for each location, and one stage: what the stages would say, the layers say."""
    locations = range(len(plan.layout.locations))
    layout = replace(plan.layout, images=plan.layout.images[:1], clock=(), edges=())
    return replace(plan.tables(0, "single"), layout=layout, groups=tuple((place,) for place in locations))


def _joined(positions: LabelledPositions | None, batches: list[LabelledPositions]) -> LabelledPositions | None:
    """The positions and those of more games, at most so many, the last ones."""
    parts: Any = zip(*([] if positions is None else [positions]), *batches, strict=True)
    arrays = [np.concatenate(part)[-MAX_POSITIONS:] for part in parts]
    return LabelledPositions(*arrays) if arrays else None
