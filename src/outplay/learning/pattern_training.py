"""Learns tables of patterns by self-play: which groups of locations, in trials, and then their numbers.

1. A first form of tables learns by self-play. If both players' tables agree, they become one.
2. Other groups of locations learn for as long, and meet in a knock-out; the winner goes on.
3. It learns for the rest of the time, and is checked at times.
"""

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.engine.limits import Limit
from outplay.evaluation.learned import LearnedEvaluation
from outplay.evaluation.patterns import PADDING, Sides, Tables, padded
from outplay.learning.groups import Choice
from outplay.learning.plan import Plan
from outplay.learning.rivals import Comparison, compare, player_of
from outplay.learning.self_play import FULL_STEP, STEP, Learner, Snapshot
from outplay.learning.self_play_training import FIRST, SelfPlayTraining


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


SMALL, LARGE, HUGE = 6561, 1 << 16, 1 << 19
"""The most entries of a table: of two players, and of one against chance, for less or more time."""
EXPLORE = 100
"""How many actions in a thousand are random where nothing else is."""
AGREE = 0.8
"""Tables of two players that correlate by so much become one.

Those that say the opposite do not: patterns know what it is worth to be to move. After 200,000 games, one table for
both lost 21 Elo (-14 to 56) in Breakthrough, and in Kalah, after 700,000, 37 (18 to 58).
"""
TRIAL = 0.02
"""The share of the time in which a form meets the best one."""
ARRAYS = "weights", "mean", "sums", "sizes"
"""The arrays of a `Learner`, of which a state of learning consists."""
NODE = 64
"""A node of a search takes about as long as so many patterns: 64 of them make a search half as fast."""
SMALLER = 4
"""A form with so many times fewer weights than another is small."""
FIRST_FORM = Form("mixed", 64)
FORMS = (Form("mixed", 64, bare=True), Form("mixed", 96), Form("random", 64), Form("single", 0), Form("mixed", 32))
"""What is tried besides the first form."""


class PatternTraining(SelfPlayTraining[Learner]):
    """Learning of tables; see `learn` for the arguments."""

    learner = "patterns"

    def learn(self, plan: Plan) -> None:
        """Find a form, and learn for the rest of the time; meet the best player at times."""
        player = self.player = self._resumed(plan) or self._form(plan)
        self.tables, self.most = player.tables, player.most
        challenger, champion = Snapshot(player), Snapshot(player)
        if self.best is not None:  # of an earlier run, with the same form
            champion.set(padded(self.best.weights * self.best.scale))
        self.champion = champion
        self._candidate(player)  # raises if its form alone is too large for a file
        for share, match in self.checks():
            self.play(player, share)
            candidate = self._candidate(player)
            challenger.set(padded(candidate.weights * candidate.scale))
            error = _error(player.play(max(1, self.batch // 4), learns=False))
            if self.check(challenger, error, match):
                champion.set(challenger.weights)

    def last(self) -> LearnedEvaluation | None:
        """See `Training`."""
        return None if self.player is None else self._candidate(self.player)

    def _candidate(self, player: Learner) -> LearnedEvaluation:
        evaluation = player.evaluation({**self.origin(), "patterns": player.tables.copies})
        return self.packed(evaluation, player.sizes[: player.tables.weights])

    def arrays(self) -> dict[str, Any]:
        """See `Training`."""
        if self.player is None:
            return {}
        return {name: getattr(self.player, name) for name in ARRAYS}

    def take(self, arrays: dict[str, Any]) -> bool:
        """See `Training`."""
        assert self.tables is not None
        self.resumed, length = {name: arrays[name] for name in ARRAYS}, self.tables.weights + PADDING
        return all(
            array.dtype == float and array.shape == (length,) and np.isfinite(array).all()
            for array in self.resumed.values()
        )

    def _resumed(self, plan: Plan) -> Learner | None:
        """The learner of an earlier run."""
        if self.tables is None:
            return None
        self.plan = self.resumed_plan(plan, self.tables)
        learner = self._learner(self.plan, self.tables)
        for name, numbers in self.resumed.items():
            setattr(learner, name, numbers)
        return learner

    # -- the form ------------------------------------------------------------------------------------------------------

    def _learner(self, plan: Plan, tables: Tables) -> Learner:
        explore = 0 if self.game.has_chance else EXPLORE  # where chance decides, it brings variety
        step = FULL_STEP if self._is_alone else STEP
        return Learner(self.game, tables, plan.most, plan.bounded, self.seed, self.workers, plan.plies, explore, step)

    @property
    def _is_alone(self) -> bool:
        """Whether one player plays against chance: such games are long, and what a state is worth varies less."""
        return self.game.players == 1 and self.game.has_chance

    def _tables(self, plan: Plan, form: Form, seed: int) -> Tables:
        entries = SMALL if not self._is_alone else HUGE if self.budget.allows_large_tables else LARGE
        return (plan.bare() if form.bare else plan).tables(form.copies, form.choice, entries, seed)

    def _form(self, plan: Plan) -> Learner:
        """The learner with the best form of tables."""
        plan, best = self.first_player(
            plan, lambda plan: self._learner(plan, self._tables(plan, FIRST_FORM, self.seed))
        )  # fmt: skip
        sides: Sides = "equal" if _agree(best) else "apart"
        if sides != best.tables.sides:
            best = self._learner(plan, replace(best.tables, sides=sides))
            self.play(best, FIRST, "learning one table for both players")
        if not self.budget.allows_trials or not plan.compiled:
            return best
        for number, form in enumerate(FORMS, 1):
            if form.bare and not (plan.own or plan.features):
                continue
            other = self._learner(plan, replace(self._tables(plan, form, self.seed + number), sides=sides))
            self.play(other, FIRST, f"trying {form}")
            self.begin(f"matching {form}")
            new, old = (player_of(Snapshot(learner), self._equal_time(learner.tables)) for learner in (other, best))
            until = self.budget.end_of_match(TRIAL)
            if _is_chosen(compare(self.game, new, old, 60, self.seed, until), other.tables, best.tables):
                best = other
        return best

    def _equal_time(self, tables: Tables) -> Limit:
        """A limit on nodes that takes about as long with tables of any form, and the same on any machine."""
        return Limit(nodes=max(1, round(self.nodes * 2 * NODE / (NODE + tables.copies))))

    def play_part(self, player: Learner) -> tuple[int, float]:
        """See `SelfPlayTraining`."""
        return self.batch * self.workers, _error(player.play(self.batch))


def _is_chosen(result: Comparison, new: Tables, old: Tables) -> bool:
    """Whether a form is better than the best one. Small ones must win clearly: they only learn faster at first."""
    small = SMALLER * new.weights < old.weights
    return result.better is True and not (small and result.strength is not None and result.strength.low <= 0)


def _error(report: NDArray[np.float64]) -> float:
    """The root of the mean squared error in a report of `self_play`."""
    return float(math.sqrt(report[1] / max(report[2], 1)))


def _agree(learner: Learner) -> bool:
    """Whether the tables of both players say the same, so that one will do."""
    tables = learner.tables
    if tables.sides != "apart" or tables.movers != 2 or tables.players > 1 or learner.rules.players != 2:
        return tables.sides == "equal"
    weights, sizes = (array[: tables.weights].reshape(2, -1) for array in (learner.weights, learner.sizes))
    trust = np.sqrt(np.minimum(*sizes))
    first, second = weights
    overlap = float(np.sum(trust * first * second))
    norm = math.sqrt(float(np.sum(trust * first**2)) * float(np.sum(trust * second**2)))
    return norm > 0 and overlap / norm > AGREE
