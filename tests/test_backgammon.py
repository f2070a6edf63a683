"""Backgammon against an obvious twin, OpenSpiel, GNU Backgammon's texts and the openings that players recommend."""

import random
from re import search

import pytest

from outplay import CHANCE, legal_actions
from outplay.games import Backgammon
from outplay.games.backgammon import BAR, ROLLS, men_on
from outplay.kernels import kernel

GAME = Backgammon()


@kernel
def listed(game, position):
    """The actions, as an array."""
    return game.actions(position)


@kernel
def played(game, position, action):
    return game.result(position, action)


ACTIONS = listed.prepare(GAME, GAME.initial_state())
PLAY = played.prepare(GAME, GAME.initial_state(), 0)


def board(position):
    """The men of each player on the own points from 1 on, and on the bar."""
    return tuple(
        tuple(men_on(position.near[player], position.far[player], point) for point in range(25)) for player in (0, 1)
    )


# -- OpenSpiel --------------------------------------------------------------------------------------------------------


def their_board(state):
    """The same in OpenSpiel, where player 0 moves up and 100 is the bar."""
    return tuple(
        (*(state.board(player, 23 - point if player == 0 else point) for point in range(24)), state.board(player, 100))
        for player in (0, 1)
    )


def their_turns(state):
    """The positions after a whole turn, each with the actions that lead there; a double is played in two halves there.

    Only turns with as many steps as can be: the first half of a double may cut the second one short there.
    """
    player, found = state.current_player(), {}

    def follow(state, steps, way):
        for action in state.legal_actions():
            after = state.child(action)
            more = steps + sum(step.pos >= 0 for step in state.spiel_move_to_checker_moves(player, action))
            if after.current_player() == player:
                follow(after, more, (*way, action))
            else:
                found.setdefault(more, {})[their_board(after)] = (*way, action)

    follow(state, 0, ())
    return found[max(found)]


def against_openspiel(games, seed):
    theirs = pytest.importorskip("pyspiel").load_game("backgammon(scoring_type=full_scoring)")
    dice, utilities = random.Random(seed), set()
    for _ in range(games):
        state, position = theirs.new_initial_state(), GAME.initial_state()
        while not state.is_terminal():
            assert not GAME.is_terminal(position)
            assert board(position) == their_board(state)
            assert GAME.to_move(position) == state.current_player()
            if GAME.to_move(position) == CHANCE:
                outcomes, chances = {}, dict.fromkeys(legal_actions(GAME, position), 0)
                for outcome, chance in state.chance_outcomes():
                    text = state.action_to_string(CHANCE, outcome)
                    small, great = sorted(search(r"roll: (\d)(\d)", text).groups())
                    name = f"{small}-{great}" if "O starts" in text else f"{great}-{small}"
                    action = GAME.parse_action(position, name)
                    outcomes[action] = outcome  # 3-1 and 1-3 are two there
                    chances[action] += chance
                for action, chance in chances.items():
                    assert GAME.probability(position, action) == pytest.approx(chance)
                action = dice.choice(sorted(outcomes))
                way = (outcomes[action],)
            else:
                turns = their_turns(state)
                ours = {board(PLAY(GAME, position, action)): action for action in ACTIONS(GAME, position).tolist()}
                assert set(ours) == set(turns)
                assert len(ours) == len(ACTIONS(GAME, position))
                action = ours[chosen := dice.choice(sorted(ours))]
                way = turns[chosen]
            position = PLAY(GAME, position, action)
            for part in way:
                state.apply_action(part)
        assert GAME.is_terminal(position)
        assert board(position) == their_board(state)
        assert state.returns() == [GAME.utility(position, player) for player in (0, 1)]
        utilities.add(GAME.utility(position, 0))
    return utilities


def test_openspiel():
    assert len(against_openspiel(3, 1)) > 1


@pytest.mark.slow
def test_openspiel_hundreds_of_games():
    assert against_openspiel(200, 2) == {-3, -2, -1, 1, 2, 3}
