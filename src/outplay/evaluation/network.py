"""A small network above tables: an entry of a table is a row of numbers, and their sum goes through two more layers.

    first   =  bias + sum of the rows                  int16 [width], in units of `unit`
    second  =  cut(first) @ second + second_bias       float32 [units]
    total   =  cut(second) @ last + a constant + weights of the terms @ their values
    cut(x)  =  x, but at least 0 and at most 1

All of it is computed anew for each state: with 64 and 32 numbers that takes about as long as to find the rows. This is
the form of the networks of chess programs (Nasu, "Efficiently Updatable Neural-Network-based Evaluation Functions for
Computer Shogi", 2018), without their updates.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import local_float32, local_int16, local_int64, pointer
from outplay.rules.errors import EvaluationError

AT_ONCE = 4
"""So many numbers of a layer are read in one pass over the next; `width` and `units` are multiples of it."""
MAX_WIDTH = 1024
"""A layer has at most this many numbers."""
Floats = NDArray[np.float32]


class Network(NamedTuple):
    """The layers above the tables.

    Attributes:
        bias: int16 [width]: what the sum of rows begins with, in units of `unit`, as the rows are.
        second: float32 [width, units].
        second_bias: float32 [units].
        last: float32 [units].
        terms: float64 [terms + 1]: the weights of the terms of the tables, and a constant.
    """

    bias: NDArray[np.int16]
    second: Floats
    second_bias: Floats
    last: Floats
    terms: NDArray[np.float64]

    @property
    def width(self) -> int:
        """The numbers of a row."""
        return len(self.bias)

    def rounded(self, unit: float) -> "Network":
        """The same in units that are so many times as large."""
        return self._replace(bias=np.rint(self.bias / unit).astype(np.int16))

    def total(self, rows: NDArray[Any], unit: float) -> float:
        """What the layers make of a sum of rows, without the terms; for people, not for searches."""
        first = (self.bias + rows) * unit
        second = first.clip(0, 1) @ self.second + self.second_bias
        return float(second.clip(0, 1) @ self.last + self.terms[-1])

    def check(self, terms: int) -> None:
        """Raise `EvaluationError` unless the shapes fit together, and each number is one."""
        width, units = self.second.shape if self.second.ndim == 2 else (0, 0)
        fits = (
            self.bias.shape == (width,)
            and self.second_bias.shape == self.last.shape == (units,)
            and self.terms.shape == (terms + 1,)
            and all(0 < size <= MAX_WIDTH and size % AT_ONCE == 0 for size in (width, units))
            and [array.dtype for array in self] == [np.int16, *3 * [np.float32], np.float64]
            and all(np.isfinite(array).all() for array in self)
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
        weights = [repr(float(weight)) for weight in self.terms]
        arrays = (
            "bias, second, second_bias, last = pointer(bias_), pointer(second_), pointer(second_bias_), pointer(last_)"
        )
        lines = [arrays, *network_lines(self.width, len(self.last), rows, weights, values, sign, "local_int16")]
        names = {
            "bias_": self.bias, "second_": self.second.ravel(), "second_bias_": self.second_bias, "last_": self.last,
            "pointer": pointer, **network_names(unit),
        }  # fmt: skip
        return lines, names


def network_lines(
    width: int, units: int, rows: list[str], weights: list[str], values: list[str], sign: str, space: str
) -> list[str]:
    """Python that computes `total` from `weights`, which are the rows, `bias`, `second`, `second_bias` and `last`.

    Args:
        width: the numbers of a row.
        units: the numbers of the second layer.
        rows: the source of the number of each row.
        weights: the source of the weight of each term, and of the constant.
        values: the source of the value of each term.
        sign: the source of what all but the terms is multiplied by.
        space: what makes room for the first layer.
    """
    passes = " + ".join(f"cut[i + {one}] * second[{units} * (i + {one}) + j]" for one in range(AT_ONCE))
    sums = [f"(after[{j}] + after[{j + 1}] + (after[{j + 2}] + after[{j + 3}]))" for j in range(0, units, AT_ONCE)]
    terms = [f"{weight} * {value}" for weight, value in zip(weights[:-1], values, strict=True)]
    return [
        f"places, first = local_int64({len(rows)}), {space}({width})",
        *(f"places[{number}] = ({row}) * {width}" for number, row in enumerate(rows)),
        *f"""\
cut, after = local_float32({width}), local_float32({units})
for i in range({width}):
    first[i] = bias[i]
for number in range({len(rows)}):
    for i in range({width}):
        first[i] += weights[places[number] + i]
for i in range({width}):
    cut[i] = min(max(float32(first[i]) * unit, nothing), one)
for j in range({units}):
    after[j] = second_bias[j]
for i in range(0, {width}, {AT_ONCE}):
    for j in range({units}):
        after[j] += {passes}
for j in range({units}):
    after[j] = min(max(after[j], nothing), one) * last[j]
total = {" + ".join([f"{sign} * (float({' + '.join(sums)}) + {weights[-1]})", *terms])}""".splitlines(),
    ]


def network_names(unit: float) -> dict[str, Any]:
    """The names that `network_lines` use, for a first layer in this unit."""
    return {
        "unit": np.float32(unit), "nothing": np.float32(0), "one": np.float32(1), "float32": np.float32,
        "local_int64": local_int64, "local_int16": local_int16, "local_float32": local_float32,
    }  # fmt: skip
