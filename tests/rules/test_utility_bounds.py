"""`utility_bounds`: what the rules say can still be reached, against a search that does not ask them."""

from random import Random

import pytest

from outplay import AlphaBeta, Game, legal_actions
from outplay.engine.score import at_least, at_most, encode, in_plies
from outplay.games import ConnectFour, Kalah

GAMES = (ConnectFour(4, 4), ConnectFour(5, 4), ConnectFour(4, 5), ConnectFour(5, 3, length=3), Kalah(3, 2), Kalah(2, 3))


def random_states(game, count, seed):
    """States of random games, none of them terminal."""
    random, found = Random(seed), []
    while len(found) < count:
        state = game.initial_state()
        for _ in range(random.randint(4, 14)):
            if game.is_terminal(state):
                break
            state = game.result(state, random.choice(list(legal_actions(game, state))))
        if not game.is_terminal(state):
            found.append(state)
    return found


@pytest.mark.sample(1)
@pytest.mark.compiled
@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_bounds_hold_and_change_no_answer(game):
    """The values of a search without hints lie within the bounds, and a search with bounds finds the same."""
    states = random_states(game, 100, seed=3)
    slow, fast = AlphaBeta(game, hints=False).search_many(states), AlphaBeta(game).search_many(states)
    tight = 0
    for state, wanted, found in zip(states, slow, fast, strict=True):
        assert (wanted.value, wanted.distance, True) == (found.value, found.distance, found.exact)
        low, high = game.utility_bounds(state)
        assert low <= wanted.value <= high
        tight += (low, high) != game.utilities
    assert tight > 0


class Unbounded(ConnectFour):
    """The same without bounds."""

    utility_bounds = Game.utility_bounds


@pytest.mark.nightly
def test_bounds_save_nodes_and_lines_are_still_complete():
    """A drawn board takes fewer nodes with bounds, and its line still goes on to the end of the game."""
    bounded, plain = AlphaBeta(ConnectFour(5, 4)).search(), AlphaBeta(Unbounded(5, 4)).search()
    assert bounded.value == plain.value == 0
    assert bounded.nodes < 0.9 * plain.nodes
    assert len(bounded.line) == len(plain.line) == 20


def test_scores_of_bounds():
    """A bound on a utility says nothing about the distance."""
    win, loss = encode(1.0), encode(-1.0)
    assert at_least(1.0) < in_plies(win, 1000) < win == at_most(1.0)
    assert at_least(-1.0) == loss < in_plies(loss, 1000) < at_most(-1.0) < 0
    assert at_least(0.0) == at_most(0.0) == 0
