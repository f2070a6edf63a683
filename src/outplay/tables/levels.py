"""Levels: the numbers of utilities, in the order in which they are met."""

from typing import Any

import numpy as np

from outplay.compile.kernels import kernel
from outplay.engine.stopping import NO_UTILITY


@kernel
def level_of(utility: float, memory: Any) -> int:
    """The number of a utility; -1 if it is new."""
    if not abs(utility) < np.inf:
        memory.why = NO_UTILITY
        return 0
    for level in range(memory.levels):
        if memory.utility[level] == utility:
            return level
    return -1
