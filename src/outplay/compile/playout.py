"""Random play: draw a random action of a state; all legal actions are equally likely.

Start at `random_action`. The random numbers are those of `random_numbers.py`.
"""

from typing import Any

from outplay.compile.kernels import inlined, kernel, replaced
from outplay.compile.random_numbers import LISTED, NONE, random_below
from outplay.compile.rejection_sampling import by_trial
from outplay.rules.bits import count, nth
from outplay.rules.game import candidate_actions, gathered_actions, legal_actions


@replaced
def tried_action(game: Any, state: Any, random: Any) -> int:
    """A legal action found by trial, all equally likely; `NONE` if none was found or the game does not allow it."""
    if not game.by_trial:
        return NONE
    rule = game.actions  # the method of the class, unless an attribute hides it
    trial = by_trial(rule.__func__) if getattr(rule, "__self__", None) is game else None
    return NONE if trial is None else int(trial(game, state, random))


@kernel
def masked_action(game: Any, state: Any, random: Any) -> int:
    """A random action of a bit mask, the same as `random_action` draws from a list; `NONE` if none is legal."""
    board = game.actions(state)
    number = count(board)
    return nth(board, random_below(random, number)) if number > 0 else NONE


@kernel
@inlined
def random_action(game: Any, state: Any, random: Any) -> int:
    """A random legal action of `state`, all equally likely; `NONE` if there is none.

    `random` is the result of `new_random`, or a `pointer` to it.

    >>> from outplay.compile.random_numbers import new_random
    >>> from outplay.games import ConnectFour
    >>> game, random = ConnectFour(), new_random(7)
    >>> [random_action(game, game.initial_state(), random) for _ in range(8)]
    [4, 1, 1, 1, 2, 0, 1, 4]
    """
    trial = tried_action(game, state, random)
    if trial != NONE:
        return trial
    actions, number = gathered_actions(game, state, random, LISTED)
    if number == 0:
        return NONE
    index = random_below(random, number)
    if index < LISTED:
        return int(actions[index])
    for action in legal_actions(game, state):
        if index == 0:
            return action
        index -= 1
    return NONE  # unreachable: there are more actions than `index`


@kernel
def gathered_candidates(game: Any, state: Any, space: Any) -> int:
    """Put the first `LISTED` of the game's `candidates` into `space`; return their number."""
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
    return int(random[random_below(random, number)]) if number > 0 else NONE
