"""A small network above tables: an entry of a table is a row of numbers, and their sum goes through two more layers.

    first   =  bias + sum of the rows                  int16 [width], in units of `unit`
            +  values of the terms @ inputs
    second  =  softsign(first) @ second + second_bias       float32 [units]
    total   =  softsign(second) @ last + last_bias          float64 [outputs]
            +  values of the terms @ terms

    softsign(x)  =  x / (1 + |x|)

The total is the estimate, before it is squeezed to between a loss and a win. A game that can end in several ways, such
as a plain win, a gammon or a backgammon, has an output for each instead:

    chances  =  softmax(softsign(second) @ last + last_bias + outcomes * (values of the terms @ terms))
    total    =  chances @ outcomes

All of it is computed anew for each state: with 64 and 32 numbers that takes about as long as to find the rows. This is
the form of the networks of chess programs (Nasu, "Efficiently Updatable Neural-Network-based Evaluation Functions for
Computer Shogi", 2018), without their updates. They cut numbers to between 0 and 1; those at the ends learn nothing
more, and in backgammon, after a million games, 91 % of the first layer were there.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import local_float32, local_int16, local_int64, pointer
from outplay.rules.errors import EvaluationError

AT_ONCE = 4
"""So many numbers of a layer are read in one pass over the next; `width` and `units` are multiples of it."""
MAX_WIDTH = 1024
"""A layer has at most this many numbers."""
MAX_OUTCOMES = 16
"""A network tells at most so many outcomes apart."""
Floats = NDArray[np.float32]


class Network(NamedTuple):
    """The layers above the tables.

    Attributes:
        bias: int16 [width]: what the sum of rows begins with, in units of `unit`, as the rows are.
        inputs: float32 [terms, width]: what the terms of the tables add to the first layer.
        second: float32 [width, units].
        second_bias: float32 [units].
        last: float32 [units, outputs].
        last_bias: float64 [outputs].
        terms: float64 [terms]: what the terms add to the total.
        outcomes: float64 [outputs]: the ends of the game that outputs tell apart: what the player wins, in ascending
            order, where the estimate is one for 1. Empty: there is one output, the estimate itself.
    """

    bias: NDArray[np.int16]
    inputs: Floats
    second: Floats
    second_bias: Floats
    last: Floats
    last_bias: NDArray[np.float64]
    terms: NDArray[np.float64]
    outcomes: NDArray[np.float64]

    @property
    def width(self) -> int:
        """The numbers of a row."""
        return len(self.bias)

    def rounded(self, unit: float) -> "Network":
        """The same in units that are so many times as large."""
        return self._replace(bias=np.rint(self.bias / unit).astype(np.int16))

    def total(self, rows: NDArray[Any], unit: float, values: NDArray[np.float64], sign: int = 1) -> float:
        """What the layers make of a sum of rows and the values of terms; for people, not for searches.

        Where there are outcomes, it is the number that `tanh` turns into the estimate, so that all totals are alike.
        """
        first = (self.bias + rows) * unit + sign * values @ self.inputs
        second = softsign(first) @ self.second + self.second_bias
        outputs, of_terms = softsign(second) @ self.last + self.last_bias, float(values @ self.terms)
        if not len(self.outcomes):
            return sign * float(outputs[0]) + of_terms
        chances = np.exp(outputs + self.outcomes * of_terms - outputs.max())
        estimate = float(chances @ self.outcomes / chances.sum())
        return math.atanh(min(max(estimate, -CERTAIN), CERTAIN))

    def check(self, terms: int, may_have_outcomes: bool) -> None:
        """Raise `EvaluationError` unless the shapes fit together, and each number is one."""
        width, units = self.second.shape if self.second.ndim == 2 else (0, 0)
        outputs = max(self.outcomes.size, 1)
        shapes = [(width,), (terms, width), (width, units), (units,), (units, outputs), (outputs,), (terms,)]
        fits = (
            [array.shape for array in self] == [*shapes, (self.outcomes.size,)]
            and all(0 < size <= MAX_WIDTH and size % AT_ONCE == 0 for size in (width, units))
            and [array.dtype for array in self] == [np.int16, *4 * [np.float32], *3 * [np.float64]]
            and all(np.isfinite(array).all() for array in self)
            and (self.outcomes.size == 0 or (may_have_outcomes and 1 < outputs <= MAX_OUTCOMES))
        )
        if not fits:
            raise EvaluationError("the layers of the network do not fit together: it is damaged; learn it anew")

    def lines(self, rows: list[str], values: list[str], sign: str, unit: float) -> tuple[list[str], dict[str, Any]]:
        """Python that computes `total`, with the names that it uses; `weights` are the rows.

        Args:
            rows: the source of the number of each row.
            values: the source of the value of each term.
            sign: the source of what all but the terms is multiplied by.
            unit: of the first layer.
        """
        arrays = {f"{name}_": flat(getattr(self, name)) for name in LAYERS}
        lines = [
            f"{', '.join(LAYERS)} = {', '.join(f'pointer({name})' for name in arrays)}",
            *network_lines(
                len(self.last),
                len(self.last_bias),
                self.width,
                rows,
                values,
                sign,
                self.outcomes.tolist(),
                "local_int16",
            ),
        ]
        return lines, {"pointer": pointer, **arrays, **network_names(unit)}


CERTAIN = 1 - 1e-6
"""An estimate counts as at most this share of a win when it is explained."""
LAYERS = Network._fields[:-1]
"""The names of the arrays that `network_lines` reads."""


def softsign(numbers: NDArray[Any]) -> NDArray[Any]:
    """Each number between -1 and 1, as small ones are."""
    return numbers / (1 + np.abs(numbers))  # type: ignore[no-any-return]


def flat(numbers: NDArray[Any]) -> NDArray[Any]:
    """The numbers one after the other, a view; a 0 if there are none, since there is no pointer to nothing."""
    return numbers.ravel() if numbers.size else np.zeros(1, numbers.dtype)


def network_lines(
    units: int, outputs: int, width: int, rows: list[str], values: list[str], sign: str, outcomes: Sequence[float],
    space: str,
) -> list[str]:  # fmt: skip
    """Python that computes `total` from `weights`, which are the rows, and `LAYERS`, all of them flat.

    With outcomes, `chances[k] / sum_of_chances` is the chance of each.

    Args:
        units: the numbers of the second layer.
        outputs: those of the last layer.
        width: those of the first layer, and of a row.
        rows: the source of the number of each row.
        values: the source of the value of each term.
        sign: the source of what all but the terms is multiplied by.
        outcomes: what each output is the chance of; empty: there is one output.
        space: what makes room for the first layer.
    """
    passes = " + ".join(f"soft[i + {one}] * second[{units} * (i + {one}) + j]" for one in range(AT_ONCE))
    inputs = "".join(f" + t{term} * inputs[{width * term} + i]" for term in range(len(values)))
    of_terms = [f"float(terms[{term}]) * value{term}" for term in range(len(values))]
    lines = [
        *(f"value{term} = {value}" for term, value in enumerate(values)),
        *(f"t{term} = float32({sign} * value{term})" for term in range(len(values))),
        f"places, first = local_int64({len(rows)}), {space}({width})",
        *(f"places[{number}] = ({row}) * {width}" for number, row in enumerate(rows)),
        *f"""\
soft, after = local_float32({width}), local_float32({units})
for i in range({width}):
    first[i] = bias[i]
for number in range({len(rows)}):
    for i in range({width}):
        first[i] += weights[places[number] + i]
for i in range({width}):
    number_here = float32(first[i]) * unit{inputs}
    soft[i] = number_here / (one + max(number_here, -number_here))
for j in range({units}):
    after[j] = second_bias[j]
for i in range(0, {width}, {AT_ONCE}):
    for j in range({units}):
        after[j] += {passes}""".splitlines(),
    ]
    if not outcomes:
        sums = [f"(after[{j}] + after[{j + 1}] + (after[{j + 2}] + after[{j + 3}]))" for j in range(0, units, AT_ONCE)]
        total = " + ".join([f"{sign} * (float({' + '.join(sums)}) + float(last_bias[0]))", *of_terms])
        return [
            *lines,
            f"for j in range({units}):",
            "    after[j] = after[j] / (one + max(after[j], -after[j])) * last[j]",
            f"total = {total}",
        ]
    return [
        *lines,
        *f"""\
chances = local_float32({outputs})
for k in range({outputs}):
    chances[k] = float32(last_bias[k])
for j in range({units}):
    after[j] = after[j] / (one + max(after[j], -after[j]))
    for k in range({outputs}):
        chances[k] += after[j] * last[{outputs} * j + k]
of_terms = {" + ".join(of_terms or ["0.0"])}""".splitlines(),
        *(f"chances[{k}] += float32({outcome!r} * of_terms)" for k, outcome in enumerate(outcomes)),
        *f"""\
greatest_output, sum_of_chances = chances[0], 0.0
for k in range(1, {outputs}):
    greatest_output = max(greatest_output, chances[k])
for k in range({outputs}):
    chances[k] = float32(exp(float(chances[k] - greatest_output)))
    sum_of_chances += float(chances[k])""".splitlines(),
        "total = ("
        + " + ".join(f"{outcome!r} * float(chances[{k}])" for k, outcome in enumerate(outcomes))
        + ") / sum_of_chances",
    ]


def network_names(unit: float) -> dict[str, Any]:
    """The names that `network_lines` use, for a first layer in this unit."""
    return {
        "unit": np.float32(unit), "one": np.float32(1), "float32": np.float32,
        "exp": math.exp, "local_int64": local_int64, "local_int16": local_int16, "local_float32": local_float32,
    }  # fmt: skip
