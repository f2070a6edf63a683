"""Fits an evaluation to positions whose values are known: the sum of tables, or a network above them.

The error is the mean square of the difference between estimate and goal, in units of a win, and Adam (Kingma and Ba
2014) makes it small: it keeps a mean of each gradient and of its square, and moves each number by their ratio. Where a
network tells outcomes apart, goals are their chances, and the cross entropy becomes small instead. Start at `fit`; for
what is computed see `evaluation/network.py`.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel
from outplay.evaluation.learned import LearnedEvaluation
from outplay.evaluation.network import Network
from outplay.evaluation.patterns import Tables
from outplay.learning.labelling import LabelledPositions
from outplay.learning.plan import Plan

BATCH = 256
"""Positions between two steps."""
RATE, LAST_RATE = 3e-3, 3e-5
"""The size of the first and of the last step."""
FULL = 32000
"""The greatest whole number in a table, and in the sum of its rows; rounding must not lead beyond 16 bits."""
MEAN, MEAN_OF_SQUARES, TINY = 0.9, 0.999, 1e-8
"""How much of each mean stays after a step, and what keeps the ratio finite."""
HELD_OUT = 10
"""The positions of one in so many games are not learned from: they measure the error."""


Data = tuple[NDArray[Any], NDArray[np.float32], NDArray[np.float32]]
"""The places and terms of positions, see `LabelledPositions`, and their goals: float32 [positions, outputs]."""


def rate_at(share: float, first: float = RATE, last: float = LAST_RATE) -> float:
    """The size of a step after this share of them."""
    return float(first * (last / first) ** share)


class Model(NamedTuple):
    """The numbers that are fitted, all float32; `units` may be 0, and `width` is 1 then.

    Attributes:
        rows: [weights, width]: what an entry of a table adds to each number of the first layer.
        bias: [width]: what it begins with.
        inputs: [terms, width]: what the terms add to it; empty without units.
        second: [width, units]: from the softsign of the first layer to the second.
        second_bias: [units].
        last: [units, outputs]: from the softsign of that to the sum.
        last_bias: [outputs].
        terms: [terms]: the weights of the terms in the sum.
    """

    rows: NDArray[np.float32]
    bias: NDArray[np.float32]
    inputs: NDArray[np.float32]
    second: NDArray[np.float32]
    second_bias: NDArray[np.float32]
    last: NDArray[np.float32]
    last_bias: NDArray[np.float32]
    terms: NDArray[np.float32]

    @classmethod
    def new(cls, tables: Tables, width: int, units: int, seed: int, outputs: int = 1) -> "Model":
        """A model that says what the game's own evaluation says."""
        rng, terms = np.random.default_rng(seed), len(tables.terms)
        shapes = (
            (tables.weights, width), (width,), (terms if units else 0, width), (width, units), (units,),
            (units, outputs), (outputs,), (terms,),
        )  # fmt: skip
        model = cls(*(np.zeros(shape, np.float32) for shape in shapes))
        if units:
            model.rows[:] = rng.normal(0, 0.5 / np.sqrt(max(tables.copies, 1)), model.rows.shape)
            model.second[:] = rng.normal(0, 1 / np.sqrt(width), model.second.shape)
        if tables.own:
            model.terms[0] = tables.own
        return model

    def zeros(self) -> "Model":
        """A model of this form, all 0."""
        return Model(*map(np.zeros_like, self))

    def evaluation(self, plan: Plan, tables: Tables, origin: dict[str, Any]) -> LearnedEvaluation:
        """The same with whole numbers in the tables, for a search."""
        network = None
        rows, terms, last_bias = (array.astype(float) for array in (self.rows, self.terms, self.last_bias))
        if len(self.last):
            unit = max(self.reach(tables), float(abs(rows).max()), 1e-9) / FULL  # odd states read any row
            bias = np.rint(self.bias / unit).astype(np.int16)
            outcomes = np.array(plan.outcomes if len(last_bias) > 1 else (), float)
            network = Network(
                bias, self.inputs, self.second, self.second_bias, self.last, last_bias, terms, outcomes
            )  # fmt: skip
        else:
            per_stage = rows.reshape(-1, tables.size)  # a view
            size = sum(tables.lengths)
            per_stage[:, size:] = terms
            if tables.groups:  # the constant goes to the first table
                per_stage[:, : tables.lengths[0]] += float(last_bias[0] + self.bias[0]) / len(tables.layout.images)
            unit = max(float(abs(rows).max()), 1e-9) / FULL
        weights = np.rint(rows / unit).astype(np.int16).ravel()
        return LearnedEvaluation(repr(plan.game), tables, weights, unit, plan.most, plan.bounded, origin, network)

    def reach(self, tables: Tables) -> float:
        """The greatest size that a number of the first layer can have."""
        rows = np.abs(self.rows).reshape(-1, tables.size, self.rows.shape[1])
        starts = np.cumsum([0, *tables.lengths])
        copies = len(tables.layout.images)
        most = [rows[:, first:last].max((0, 1)) for first, last in pairwise(starts)]
        return float(np.max(np.abs(self.bias) + copies * np.sum(most, 0)))


@kernel
def backward(
    model: Any, slopes: Any, places: Any, terms: Any, goals: Any, batch: Any, space: Any, outcomes: Any, bounded: bool,
    learns: bool,
) -> float:  # fmt: skip
    """Add the slopes of the errors of some positions to `slopes`. Returns the sum of the squared errors of estimates.

    Without outcomes, the slopes are those of half of the sum; with outcomes, of the cross entropies.

    Args:
        model: the `Model`.
        slopes: a `Model`, to which is added.
        places: uint16 or uint32 [positions, copies].
        terms: float32 [positions, terms].
        goals: float32 [positions, outputs].
        batch: int64 [n]: which positions.
        space: float32 [6, most of width, units and outputs]: space.
        outcomes: float32 [outputs]: what each output is the chance of; empty: there is one output.
        bounded: whether the estimate is squeezed to between -1 and 1.
        learns: False: leave the slopes alone.
    """
    width, units, term_columns, outputs = len(model.bias), len(model.last), terms.shape[1], len(model.last_bias)
    first, second, last, up_first, up_second, up_last = space[0], space[1], space[2], space[3], space[4], space[5]
    errors = 0.0
    for position in batch:
        for i in range(width):
            first[i] = model.bias[i]
        for place in places[position]:
            for i in range(width):
                first[i] += model.rows[place, i]
        of_terms = np.float32(0)
        for term in range(term_columns):
            of_terms += model.terms[term] * terms[position, term]
        for j in range(units):
            second[j] = model.second_bias[j]
        if units > 0:
            for term in range(term_columns):
                for i in range(width):
                    first[i] += model.inputs[term, i] * terms[position, term]
            for i in range(width):
                first[i] = first[i] / (np.float32(1) + abs(first[i]))
                for j in range(units):
                    second[j] += first[i] * model.second[i, j]
        for k in range(outputs):
            last[k] = model.last_bias[k] + (outcomes[k] if len(outcomes) > 0 else np.float32(1)) * of_terms
        if units == 0:
            last[0] += first[0]
        for j in range(units):
            second[j] = second[j] / (np.float32(1) + abs(second[j]))
            for k in range(outputs):
                last[k] += second[j] * model.last[j, k]
        if len(outcomes) > 0:
            greatest, sum_of_chances, error, of_terms = last[0], np.float32(0), np.float32(0), np.float32(0)
            for k in range(1, outputs):
                greatest = max(greatest, last[k])
            for k in range(outputs):
                last[k] = np.exp(last[k] - greatest)
                sum_of_chances += last[k]
            for k in range(outputs):
                up_last[k] = last[k] / sum_of_chances - goals[position, k]
                error += outcomes[k] * up_last[k]
            slope = error
        else:
            value = np.tanh(last[0]) if bounded else last[0]
            error = value - goals[position, 0]
            slope = error * (1 - value * value) if bounded else error
            up_last[0] = slope
        errors += float(error * error)
        if not learns:
            continue
        for k in range(outputs):
            slopes.last_bias[k] += up_last[k]
        for term in range(term_columns):
            slopes.terms[term] += slope * terms[position, term]
        if units == 0:
            up_first[0] = slope
        for j in range(units):
            up = np.float32(0)
            for k in range(outputs):
                slopes.last[j, k] += up_last[k] * second[j]
                up += up_last[k] * model.last[j, k]
            up_second[j] = up * (np.float32(1) - abs(second[j])) ** 2
            slopes.second_bias[j] += up_second[j]
        if units > 0:
            for i in range(width):
                up = np.float32(0)
                for j in range(units):
                    up += up_second[j] * model.second[i, j]
                    slopes.second[i, j] += first[i] * up_second[j]
                up_first[i] = up * (np.float32(1) - abs(first[i])) ** 2
        for i in range(width):
            slopes.bias[i] += up_first[i]
        if units > 0:
            for term in range(term_columns):
                for i in range(width):
                    slopes.inputs[term, i] += up_first[i] * terms[position, term]
        for place in places[position]:
            for i in range(width):
                slopes.rows[place, i] += up_first[i]
    return errors


@kernel
def step(numbers: Any, slopes: Any, means: Any, squares: Any, rate: float, count: int, ridge: float) -> None:
    """One step of Adam for flat arrays; the slopes are 0 afterwards. `ridge` draws numbers towards 0."""
    for i in range(len(numbers)):
        slope = slopes[i] / count + ridge * numbers[i]
        means[i] = MEAN * means[i] + (1 - MEAN) * slope
        squares[i] = MEAN_OF_SQUARES * squares[i] + (1 - MEAN_OF_SQUARES) * slope * slope
        numbers[i] -= rate * means[i] / (np.sqrt(squares[i]) + TINY)
        slopes[i] = 0


class Adam:
    """Moves the numbers of a model so that its errors become smaller.

    Args:
        model: it is changed.
        bounded: whether the estimate is squeezed to between -1 and 1.
        outcomes: what each output is the chance of, if there are several.
    """

    def __init__(self, model: Model, bounded: bool, outcomes: Sequence[float] = ()) -> None:
        self.model, self.bounded, self.steps = model, bounded, 0
        self.outcomes = np.array(outcomes if len(model.last_bias) > 1 else (), np.float32)
        self.slopes, self.means, self.squares = model.zeros(), model.zeros(), model.zeros()
        self.space = np.zeros((6, max(*model.second.shape, *model.last.shape)), np.float32)

    def errors(self, data: Data, batch: NDArray[np.int64], learns: bool = False) -> float:
        """The sum of the squared errors of some positions."""
        return float(backward(self.model, self.slopes, *data, batch, self.space, self.outcomes, self.bounded, learns))

    def learn(self, data: Data, order: NDArray[np.int64], rate: Callable[[int], float], ridge: float = 0.0) -> float:
        """Learn from positions in this order, at a `rate` of each step. Returns the sum of their squared errors.

        `ridge` draws the numbers in tables towards 0.
        """
        total = 0.0
        for first in range(0, len(order), BATCH):
            batch = order[first : first + BATCH]
            total += self.errors(data, batch, learns=True)
            self.steps += 1
            size = rate(self.steps)
            size *= math.sqrt(1 - MEAN_OF_SQUARES**self.steps) / (1 - MEAN**self.steps)  # the means begin at 0
            for numbers, slopes, means, squares in zip(self.model, self.slopes, self.means, self.squares, strict=True):
                decay = ridge if numbers is self.model.rows else 0.0
                step(numbers.ravel(), slopes.ravel(), means.ravel(), squares.ravel(), size, len(batch), decay)
        return total


class Fit(NamedTuple):
    """What `fit` found.

    Attributes:
        model: the one with the least error in games that were held out.
        errors: the roots of the mean squared errors after each epoch: in games that it learned from, and in others.
    """

    model: Model
    errors: list[tuple[float, float]]


def fit(
    tables: Tables,
    positions: LabelledPositions,
    model: Model,
    epochs: int,
    seed: int = 1,
    bounded: bool = True,
    ridge: float = 0.0,
    watch: Callable[[int, float, float], object] | None = None,
) -> Fit:
    """Fit a model to positions.

    Args:
        tables: the form of its tables.
        positions: what it is fitted to.
        model: where it begins; it is changed.
        epochs: how often each position is learned from.
        seed: of the order of the positions.
        bounded: whether estimates are squeezed to between -1 and 1.
        ridge: how many positions it takes until an entry of a table counts half: fewer, and it says little.
        watch: called with each epoch and its two errors.
    """
    rng = np.random.default_rng(seed)
    held_out = np.flatnonzero(positions.games % HELD_OUT == 0)
    learned = np.flatnonzero(positions.games % HELD_OUT)
    adam, data = Adam(model, bounded), (positions.places, positions.terms, positions.goals[:, None])
    steps = epochs * -(-len(learned) // BATCH)
    best, errors = model, list[tuple[float, float]]()
    for epoch in range(epochs):
        total = adam.learn(
            data, rng.permutation(learned), lambda number: rate_at(number / steps), ridge / max(len(learned), 1)
        )
        test = adam.errors(data, held_out)
        pair = float(np.sqrt(total / max(len(learned), 1))), float(np.sqrt(test / max(len(held_out), 1)))
        if not errors or pair[1] <= min(error for _, error in errors):
            best = Model(*(array.copy() for array in model))
        errors.append(pair)
        if watch is not None:
            watch(epoch, *pair)
    return Fit(best, errors)
