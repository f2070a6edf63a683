"""Values as ints that sort as the values do, for the cells of a workspace or a table; nothing is rounded."""

import numpy as np


def to_score(value: float) -> int:
    """The score of `value`.

    >>> to_score(-2.5) < to_score(-0.1) < to_score(0.0) < to_score(0.25)
    True
    """
    pattern = int(np.float64(abs(value)).view(np.int64))
    return pattern if value >= 0 else -pattern


def to_value(score: int) -> float:
    """The value of `score`.

    >>> to_value(to_score(-0.1))
    -0.1
    """
    value = float(np.int64(abs(score)).view(np.float64))
    return value if score >= 0 else -value
