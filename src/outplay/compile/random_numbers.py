"""Random numbers, the same in compiled and interpreted code: the hash of `keys.py`, applied repeatedly.

Start at `new_random`, which makes the generator: an int64 array [`LISTED` + 1]. Its last number is the state of the
generator; the others are space for a list of actions.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.rules.keys import SEED, mix

LISTED = 1024
"""The maximum number of actions that are listed; with more, the rules are run a second time."""
NONE = -1 << 62
"""Stands for an action that does not exist."""


def new_random(seed: int) -> NDArray[np.int64]:
    """A random number generator with space for a list of actions; the same seed gives the same numbers.

    >>> random = new_random(7)
    >>> [random_below(random, 6) for _ in range(8)]
    [3, 0, 1, 1, 1, 0, 1, 3]
    """
    random = np.zeros(LISTED + 1, np.int64)
    random[LISTED] = mix(mix(SEED, seed), 0)
    return random


def random_below(random: Any, number: int) -> int:
    """A random int from 0 to `number` - 1; `number` must be below 2**31. Rules may call it in `playout_action`."""
    drawn = mix(int(random[LISTED]), 1)
    random[LISTED] = drawn
    return (drawn >> 32 & 0xFFFF_FFFF) * number >> 32  # from the high bits, which are the most random
