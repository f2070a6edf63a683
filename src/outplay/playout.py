"""Random play: an action of a state drawn at random, every legal one equally likely.

The numbers come from the hash of `keys.py` applied again and again; compiled and interpreted code draw the same ones.
Start at `new_random`, which makes what the kernels here work with: an int64 array [`LISTED` + 1], whose last number is
the state of the generator, and whose first ones are room to list actions in.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.bits import count, nth
from outplay.game import candidate_actions, gathered_actions, legal_actions
from outplay.kernels import inlined, kernel
from outplay.keys import SEED, mix

LISTED = 1024
"""So many actions can be listed; a state with more is gone through twice."""
NONE = -1 << 62
"""In place of an action: there is none."""


def new_random(seed: int) -> NDArray[np.int64]:
    """A generator of random numbers, with room to list actions in; the same seed gives the same numbers.

    >>> random = new_random(7)
    >>> [draw(random, 6) for _ in range(8)]
    [3, 0, 1, 1, 1, 0, 1, 3]
    """
    random = np.zeros(LISTED + 1, np.int64)
    random[LISTED] = mix(mix(SEED, seed), 0)
    return random


def draw(random: Any, number: int) -> int:
    """A random int from 0 to `number` - 1; `number` must be below 2**31. Rules too may draw, in `playout_action`."""
    drawn = mix(int(random[LISTED]), 1)
    random[LISTED] = drawn
    return (drawn >> 32 & 0xFFFF_FFFF) * number >> 32  # by the high bits, which are the best


def tried_action(game: Any, state: Any, random: Any) -> int:
    """A legal action found by trial, every one equally likely; `NONE` if none was found, or cannot be in this game."""
    from outplay.trial import by_trial  # noqa: PLC0415 - it draws with what stands here

    if not game.by_trial:
        return NONE
    rule = game.actions  # that of the class, unless an attribute of the game takes its place
    trial = by_trial(rule.__func__) if getattr(rule, "__self__", None) is game else None
    return NONE if trial is None else int(trial(game, state, random))


@kernel
def masked_action(game: Any, state: Any, random: Any) -> int:
    """What `random_action` draws from the list of a bit mask, without listing it; `NONE` if no action is legal."""
    board = game.actions(state)
    number = count(board)
    return nth(board, draw(random, number)) if number > 0 else NONE


@kernel
@inlined
def random_action(game: Any, state: Any, random: Any) -> int:
    """A legal action of `state`, every one equally likely; `NONE` if there is none.

    `random` is what `new_random` makes, or a `raw` pointer to it.

    >>> from outplay.games import ConnectFour
    >>> game, random = ConnectFour(), new_random(7)
    >>> [random_action(game, game.initial_state(), random) for _ in range(8)]
    [4, 1, 1, 1, 2, 0, 1, 4]
    """
    tried = tried_action(game, state, random)
    if tried != NONE:
        return tried
    actions, number = gathered_actions(game, state, random, LISTED)
    if number == 0:
        return NONE
    index = draw(random, number)
    if index < LISTED:
        return int(actions[index])
    for action in legal_actions(game, state):
        if index == 0:
            return action
        index -= 1
    return NONE  # never: there are more actions than `index`


@kernel
def gathered_candidates(game: Any, state: Any, space: Any) -> int:
    """Put the first `LISTED` of the game's `candidates` into `space`; how many there are."""
    number = 0
    for action in candidate_actions(game, state):
        if number < LISTED:
            space[number] = action
            number += 1
    return number


@kernel
def random_candidate(game: Any, state: Any, random: Any) -> int:
    """One of the first `LISTED` of the game's `candidates`, each equally likely; `NONE` if there is none."""
    number = gathered_candidates(game, state, random)
    return int(random[draw(random, number)]) if number > 0 else NONE
