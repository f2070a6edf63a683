"""Slow, obvious twins of environments: a game played by its rules alone."""

import time

from outplay.rules.game import CHANCE, legal_actions
from outplay.rules.numbered import encoded, numbered
from outplay.rules.repetition import final

GAMES, SECONDS = 1000, 120
"""How many random games of each built-in game are played at night; slow ones as many as there is time for."""


def at_night():
    """The numbers of the games that are played at night."""
    began = time.monotonic()
    for number in range(GAMES):
        if number and time.monotonic() - began > SECONDS:
            break
        yield number
    print(f"{number + 1} games")


def legal_numbers(game, state, size, by_place):
    """The numbers of the legal actions, each with its action."""
    legal = list(legal_actions(game, state))
    if by_place:
        return dict(enumerate(legal[:size]))
    return {encoded(numbered(game), action): action for action in legal}


def follow(game, states, actions, mover):
    """Check actions that an environment has added since `states`: one of `mover`, then such that chance may draw."""
    for place, action in enumerate(actions):
        state = states[-1]
        assert action in list(legal_actions(game, state))
        if place == 0:
            assert game.to_move(state) == mover
        else:
            assert game.to_move(state) == CHANCE
            assert game.probability(state, action) > 0
        states.append(game.result(state, action))
    utilities = final(game, states)
    assert utilities is not None or game.to_move(states[-1]) != CHANCE
    return utilities
