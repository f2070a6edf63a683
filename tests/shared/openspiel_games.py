"""Random games played by outplay and by OpenSpiel, move by move: one loop for every game that both have."""

import random

import numpy as np
import pytest

from outplay import kernel, legal_actions


@kernel
def look(game, position):
    """Who is to move, whether the game is over, and if not, all actions."""
    over = game.is_terminal(position)
    number = 0
    if not over:
        for _ in legal_actions(game, position):
            number += 1
    actions = np.empty(number, np.int64)
    place = 0
    if not over:
        for action in legal_actions(game, position):
            actions[place] = action
            place += 1
    return game.to_move(position), over, actions


@kernel
def play(game, position, action):
    return game.result(position, action)


def numbers(state):
    """What can be played in OpenSpiel's `state`, where its actions have the same numbers as ours."""
    return {action: (action,) for action in state.legal_actions()}


def named(number):
    """The same where they have other numbers: `number(player, name)` is our action for what OpenSpiel calls `name`."""
    known = {}

    def moves(state):
        found, player = {}, state.current_player()
        for action in state.legal_actions():
            if (player, action) not in known:
                known[player, action] = number(player, state.action_to_string(player, action))
            found[known[player, action]] = (action,)
        return found

    return moves


def agree(
    game, name, games, *, seed=1, moves=numbers, payoff=np.sign, same=None, prefer=None, early=None, native=False
):
    """Play random games of `game` and of OpenSpiel's game `name`; they must agree at every step and in the result.

    - `moves(state)`: all that can be played in OpenSpiel's state, by our actions; of each, the actions there, one or
      more, that make the same move.
    - `payoff`: makes their payoff of ours.
    - `same(state, position)`: whether they agree in more.
    - `prefer(action)`: whether to play such an action where there is one.
    - `early(position)`: their result where their game is over and ours goes on. One game in ten at least must go on to
      the end of ours.
    - `native`: by compiled rules.
    """
    theirs, dice, ends = pytest.importorskip("pyspiel").load_game(name), random.Random(seed), 0
    start = game.initial_state()
    looked, played = look.interpreted, play.interpreted
    if native:
        looked, played = look.prepare(game, start), play.prepare(game, start, 0)
    for _ in range(games):
        state, position = theirs.new_initial_state(), start
        while not state.is_terminal():
            turn, over, actions = looked(game, position)
            found = moves(state)
            assert not over
            assert turn == state.current_player()
            assert sorted(actions.tolist()) == sorted(found)
            assert same is None or same(state, position)
            preferred = [action for action in found if prefer(action)] if prefer else ()
            action = dice.choice(preferred or list(found))
            position = played(game, position, action)
            for part in found[action]:
                assert state.current_player() == turn
                state.apply_action(part)
        if early is None or game.is_terminal(position):
            assert game.is_terminal(position)
            assert state.returns() == [payoff(game.utility(position, player)) for player in range(game.players)]
            ends += 1
        else:
            assert state.returns() == early(position)
    assert ends > games // 10
