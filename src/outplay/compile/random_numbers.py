"""Random numbers that compiled and interpreted code draw alike: the hash of `keys.py`, applied again and again.

Start at `new_random`, which makes what the others work with: an int64 array [`LISTED` + 1], whose last number is the
state of the generator, and whose first ones are room to list actions in.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.rules.keys import SEED, mix

LISTED = 1024
"""So many actions can be listed; a state with more is gone through twice."""
NONE = -1 << 62
"""In place of an action: there is none."""


def new_random(seed: int) -> NDArray[np.int64]:
    """A generator of random numbers, with room to list actions in; the same seed gives the same numbers.

    >>> random = new_random(7)
    >>> [random_below(random, 6) for _ in range(8)]
    [3, 0, 1, 1, 1, 0, 1, 3]
    """
    random = np.zeros(LISTED + 1, np.int64)
    random[LISTED] = mix(mix(SEED, seed), 0)
    return random


def random_below(random: Any, number: int) -> int:
    """A random int from 0 to `number` - 1; `number` must be below 2**31. Rules too may draw, in `playout_action`."""
    drawn = mix(int(random[LISTED]), 1)
    random[LISTED] = drawn
    return (drawn >> 32 & 0xFFFF_FFFF) * number >> 32  # by the high bits, which are the best
