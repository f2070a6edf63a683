"""The spaces of Gymnasium for a game."""

from typing import Any

import numpy as np

from outplay.env.action_numbers import ActionNumbers
from outplay.env.observation import Observer
from outplay.env.requirement import required_module
from outplay.rules.errors import OutplayError

spaces = required_module("gymnasium.spaces")
ILLEGAL = ("loss", "error")
"""What may happen after an action that is not legal."""


def observation_space(observer: Observer, numbers: ActionNumbers, with_mask: bool) -> Any:
    """The space of observations, which are dicts if they have the mask of legal actions too."""
    least, greatest = observer.bounds
    box = spaces.Box(least, greatest, observer.shape, np.float32)
    if not with_mask:
        return box
    return spaces.Dict({"observation": box, "action_mask": spaces.Box(0, 1, (numbers.size,), np.int8)})


def action_space(numbers: ActionNumbers) -> Any:
    """The space of actions."""
    return spaces.Discrete(numbers.size)


def check_illegal(illegal: str) -> str:
    """The value of the option `illegal`. Raises `OutplayError` if it is none."""
    if illegal not in ILLEGAL:
        raise OutplayError(f"illegal={illegal!r}: {' or '.join(map(repr, ILLEGAL))}")
    return illegal
