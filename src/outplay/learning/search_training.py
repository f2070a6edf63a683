"""Learns from games between searches: what stands where, fitted to their values and results, or a network above that.

Each round plays games with the best player so far, fits anew to all positions until now, and is checked in matches. It
is for games with many kinds of pieces, where tables of patterns would be too large.

Texel's chess program tuned its weights by the results of games. Here results count for little but near the end: those
of games between players that err say more about the errors than about the positions. In Xiangqi, with 30 % of the
result in each goal, what was learned lost 89 Elo (28 to 151) against the search without it; with λ = 0.5 it won 78 (24
to 133). Searches are deep for the same reason: 400,000 positions with 200 nodes each lost 101 Elo (45 to 158) at 0.02 s
a move, 55,000 with 2,000 nodes each won 23 (-24 to 70), and 41,000 with 10,000 nodes each 53 (-4 to 111).

Both players share what is summed, if it suits both. With numbers for each, an estimate shakes with each move, which a
search takes for gains: in the last case it won only 9 (-39 to 58). (Matches of 120 games each, beside other work.)
"""

import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.engine.limits import Limit
from outplay.evaluation.learned import LearnedEvaluation
from outplay.evaluation.patterns import Sides, Tables
from outplay.learning.fitting import Model, fit
from outplay.learning.labelling import LabelledPositions, Labeller, join, kind_of_places, with_sides
from outplay.learning.plan import Plan
from outplay.learning.progress import SLICE
from outplay.learning.training import Training
from outplay.rules.errors import EvaluationError, UnsuitableGame

NODES, DEEP_NODES, INTERPRETED_NODES = 2000, 10_000, 50
"""The nodes of the searches whose games are learned from, with little time and with more: deep ones say more than many.
"""
EPOCHS = 6
"""How often each position is learned from."""
MAX_BYTES = 1 << 29
"""The last positions are kept, up to this size in memory, and a quarter more."""
LEAST = 0.003
"""A location is left out if what stands on it changes a value by less than this part of a win."""
LEAST_TERM = 0.02
"""So is a feature of the game if its standard deviation changes a value by less."""
SAME = 1.01
"""One table for both players may err by so many times more than one for each: it does not shake with each move."""
FEWEST = 100
"""Nothing is fitted to fewer positions."""


class SearchTraining(Training):
    """Learning from games between searches; see `learn` for the arguments."""

    width, units = 1, 0
    ridge = 300.0
    """See `fit`: moves that look good by what few positions say lose games, although the errors are small."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.positions: list[LabelledPositions] = []  # in parts
        self.batch = self.budget.next_batch(1, SLICE)
        self.candidate: LearnedEvaluation | None = None
        self.sides: Sides | None = None  # not known yet

    def form(self, plan: Plan) -> Tables:
        """The form of the tables."""
        return plan.tables(0, "single")

    def finished(self, model: Model, tables: Tables) -> tuple[Model, Tables]:
        """What was fitted, as it will be searched with."""
        return model, tables

    def learn(self, plan: Plan) -> None:
        """Play games, fit, and meet the best player, in turn."""
        self.check_players()
        if self.game.has_chance:
            raise UnsuitableGame(
                f"{self.game!r}: the learner {self.learner!r} is for games without chance: use {plan.learner}"
            )
        if self.tables is not None:  # of an earlier run
            plan = self.plan = replace(plan, layout=self.tables.layout, score=self.tables.score, most=self.most)
        tables = self.tables = self.tables or self.form(plan)
        self.most = plan.most
        deep = DEEP_NODES if self.budget.allows_deep_searches else NODES
        nodes = deep if plan.compiled else INTERPRETED_NODES
        if not self.has_given_nodes:  # what gains in short searches may lose in long ones
            self.limit = Limit(nodes=max(nodes, self.nodes))
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
        until = budget.used(progress.games) + share * budget.total
        began, first, begun = time.monotonic(), progress.games, progress.games
        playing: dict[Future[LabelledPositions], tuple[Labeller, int, float]] = {}
        with ThreadPoolExecutor(len(labellers)) as pool:
            idle = list(labellers)
            while True:
                while idle and budget.used(begun) < until:
                    labeller, games = idle.pop(0), range(begun, begun + self.batch)
                    playing[pool.submit(labeller.play, games)] = labeller, len(games), time.monotonic()
                    begun += len(games)
                if not playing:
                    break
                for done in wait(playing, return_when=FIRST_COMPLETED).done:
                    labeller, number, start = playing.pop(done)
                    idle.append(labeller)
                    self.positions.append(done.result())
                    self.batch = budget.next_batch(number, max(time.monotonic() - start, 1e-6))
                    progress.games += number
                progress.games_a_second = (progress.games - first) / max(time.monotonic() - began, 1e-6)
                if _size(self.positions) > 1.25 * MAX_BYTES:
                    self._join()
                self.say()
        self._join()

    def _join(self) -> LabelledPositions | None:
        """All positions as one part, None if there are none; the oldest are forgotten if there are too many."""
        if not self.positions:
            return None
        size = _size(self.positions)
        number = sum(len(part.games) for part in self.positions)
        positions = join(self.positions, int(number * MAX_BYTES / size) if size > MAX_BYTES else None)
        self.positions = [positions]
        return positions

    def _fit(self, plan: Plan, tables: Tables) -> float:
        """Fit to all positions. Returns the error in games that were held out."""
        positions = self._join()
        if positions is None or len(positions.games) < FEWEST:
            return float("nan")
        self.begin("fitting")

        def show(epoch: int, learned: float, held_out: float) -> None:
            self.progress.error = held_out
            self.begin(f"fitting, {epoch + 1} of {EPOCHS}")

        fits: dict[Sides, tuple[float, Model, Tables]] = {}
        for sides in [self.sides] if self.sides else sides_of(tables):
            form, data = replace(tables, sides=sides), with_sides(positions, tables, sides)
            model = Model.new(form, self.width, self.units, self.seed)
            fitted = fit(form, data, model, EPOCHS, self.seed, plan.bounded, self.ridge, show)
            error = min(held_out for _, held_out in fitted.errors)
            if not np.isfinite(error):
                raise EvaluationError(f"{self.game!r}: a value is no number: see its utility() and evaluate()")
            fits[sides] = error, fitted.model, form
        least = min(error for error, *_ in fits.values())
        self.sides = chosen = next(sides for sides, (error, *_) in fits.items() if error <= SAME * least)
        error, model, form = fits[chosen]
        model, form = self.finished(model, form)
        self.candidate = self.packed(model.evaluation(plan, form, {"learner": self.learner, **self.origin()}))
        return error

    def last(self) -> LearnedEvaluation | None:
        """See `Training`."""
        return self.candidate

    def continues(self, best: LearnedEvaluation) -> bool:
        """See `Training`."""
        assert self.tables is not None
        return best.tables.layout.locations == self.tables.layout.locations

    def arrays(self) -> dict[str, Any]:
        """See `Training`."""
        positions = self._join()
        return {} if positions is None else positions._asdict()

    def take(self, arrays: dict[str, Any]) -> bool:
        """See `Training`."""
        assert self.tables is not None
        tables, positions = self.tables, LabelledPositions(*(arrays[name] for name in LabelledPositions._fields))
        self.positions, number = [positions], len(positions.games)
        kinds = [kind_of_places(tables), np.float32, np.float32, np.int64]
        shapes = [(number, tables.copies), (number, len(tables.terms)), (number,), (number,)]
        return (
            [array.dtype for array in positions] == kinds
            and [array.shape for array in positions] == shapes
            and bool((positions.places < tables.weights).all())
            and all(np.isfinite(array).all() for array in (positions.terms, positions.goals))
        )


class FeatureTraining(SearchTraining):
    """Fits a sum: the game's own evaluation, its features, and what stands on each location, by stage of the game."""

    learner = "features"

    def finished(self, model: Model, tables: Tables) -> tuple[Model, Tables]:
        """See `SearchTraining`."""
        return folded(model, tables)


def sides_of(tables: Tables) -> list[Sides]:
    """The kinds of tables that may suit both players, the simplest first."""
    has_opponents = (tables.players, tables.movers) == (1, 2) and tables.copies > 0
    return ["opposite", "equal", "apart"] if has_opponents else [tables.sides]


def folded(model: Model, tables: Tables) -> tuple[Model, Tables]:
    """The same sum of single locations without images, which is quicker: each location has a group of its own.

    Locations and features that hardly matter are left out.
    """
    layout, sums = tables.layout, dict[int, NDArray[np.float32]]()
    per_stage, starts = model.rows.reshape(-1, tables.size), np.cumsum([0, *tables.lengths])
    for group, (place,) in enumerate(tables.groups):
        of_group = per_stage[:, starts[group] : starts[group + 1]]
        for image in layout.images:
            sums[image[place]] = sums.get(image[place], np.float32(0)) + of_group
    spread = {place: float(np.ptp(numbers, axis=1).max()) for place, numbers in sums.items()}
    least = min(LEAST, max(spread.values(), default=0.0))
    kept = sorted(place for place in sums if spread[place] >= least)
    for place in sorted(sums.keys() - kept):
        sums[kept[0]] = sums[kept[0]] + sums[place].mean(axis=1, keepdims=True)
    terms = [
        place for place, (feature, _) in enumerate(tables.terms) if feature < 0 or abs(model.terms[place]) >= LEAST_TERM
    ]
    used = {tables.terms[place][0] for place in terms}
    rows = np.concatenate([*(sums[place] for place in kept), per_stage[:, starts[-1] :][:, terms]], axis=1)
    new = replace(
        tables,
        layout=replace(layout, images=layout.images[:1]),
        groups=tuple((place,) for place in kept),
        features=tuple(unit if feature in used else 0.0 for feature, unit in enumerate(tables.features)),
    )
    return model._replace(rows=rows.reshape(-1, 1), terms=model.terms[terms]), new


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


def _size(parts: list[LabelledPositions]) -> int:
    """The bytes of these positions."""
    return sum(array.nbytes for part in parts for array in part)
