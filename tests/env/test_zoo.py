import warnings
from random import Random

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from env.twins import at_night, follow, legal_numbers
from outplay import Game, IllegalAction
from outplay.env import aec_env, parallel_env
from outplay.games import BUILT_IN, Goofspiel, TicTacToe
from outplay.rules.errors import OutplayError
from outplay.rules.game import CHANCE, legal_actions
from outplay.rules.repetition import final, worst

ALL = [name for name in BUILT_IN if name != "explicit-tree"]
QUICK = ("tic-tac-toe", "connect-four", "kuhn-poker", "goofspiel", "rock-paper-scissors", "pig", "2048",
         "many-player-mnk", "kalah", "english-draughts")  # fmt: skip
"""Games of different kinds, whose observations are found within a second or two."""
OURS = (  # observations with masks are dicts, as in PettingZoo's own classic environments; an empty board is all zeros
    "Observation numpy array is all zeros",
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
)


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for text in OURS:
            warnings.filterwarnings("ignore", message=text)
        yield


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.nightly)
                                            for name in ALL if name not in QUICK)])  # fmt: skip
def test_the_laws_of_pettingzoo(name):
    api_test(aec_env(name), num_cycles=50)
    seed_test(lambda: aec_env(name), num_cycles=20)
    parallel_api_test(parallel_env(name), num_cycles=50)
    parallel_seed_test(lambda: parallel_env(name), num_cycles=20)


def play_in_step(name, seeds):
    """Play a random game with each seed, in the environment and by the rules."""
    env, random = aec_env(name), Random(1)
    game, numbers = env.game, env.play.numbers
    for number in seeds:
        env.reset(seed=number)
        states = [game.initial_state()]
        opening = follow_chance(game, states, env.play.actions)
        utilities, done = final(game, states), len(opening)
        while utilities is None:
            mover = game.to_move(states[-1])
            assert env.agent_selection == f"player_{mover}"
            observation, reward, over, cut_off, _ = env.last()
            assert (reward, over, cut_off) == (0, False, False)
            legal = legal_numbers(game, states[-1], numbers.size, numbers.by_place)
            assert np.flatnonzero(observation["action_mask"]).tolist() == sorted(legal)
            for other, agent in enumerate(env.agents):
                if other != mover:
                    assert not env.observe(agent)["action_mask"].any()
            choice = random.choice(sorted(legal))
            env.step(choice)
            assert env.play.actions[done] == legal[choice]
            utilities = follow(game, states, env.play.actions[done:], mover)
            done = len(env.play.actions)
        assert env.rewards == {f"player_{player}": utility for player, utility in enumerate(utilities)}
        assert all(env.terminations.values())
        while env.agents:
            env.step(None)


@pytest.mark.parametrize("name", QUICK)
def test_a_hundred_random_games_in_step_with_the_rules(name):
    play_in_step(name, range(100))


@pytest.mark.nightly
@pytest.mark.parametrize("name", ALL)
def test_random_games_of_every_game_in_step_with_the_rules(name):
    play_in_step(name, at_night())


def follow_chance(game, states, actions):
    """Check what chance has drawn before the first decision."""
    for action in actions:
        assert game.to_move(states[-1]) == CHANCE
        assert action in list(legal_actions(game, states[-1]))
        states.append(game.result(states[-1], action))
    return actions


def test_all_choose_at_once_where_the_rules_hide_choices():
    env = parallel_env("rock-paper-scissors")
    observations, _ = env.reset(seed=1)
    assert [observation["action_mask"].tolist() for observation in observations.values()] == [[1, 1, 1]] * 2
    _, rewards, over, _, _ = env.step({"player_0": 1, "player_1": 0})
    assert rewards == {"player_0": 1.0, "player_1": -1.0}
    assert env.agents == []
    assert all(over.values())


def test_random_games_at_once_in_step_with_the_rules():
    env, random, game = parallel_env(Goofspiel()), Random(2), Goofspiel()
    for number in range(50):
        observations, _ = env.reset(seed=number)
        state = game.initial_state()
        done = 0
        while env.agents:
            for action in env.play.actions[done:]:
                state = game.result(state, action)
            done = len(env.play.actions)
            actions, chosen, place = {}, [], state
            for player, agent in enumerate(env.agents):
                legal = list(legal_actions(game, place))
                assert np.flatnonzero(observations[agent]["action_mask"]).tolist() == legal
                actions[agent] = random.choice(legal)
                chosen.append(actions[agent])
                assert game.to_move(place) == player
                place = game.result(place, actions[agent])
            observations, rewards, _, _, _ = env.step(actions)
            assert env.play.actions[done : done + 2] == chosen
        for action in env.play.actions[done:]:
            state = game.result(state, action)
        assert list(rewards.values()) == [game.utility(state, player) for player in range(2)]


def test_in_other_games_one_acts_in_a_step():
    env = parallel_env(TicTacToe())
    observations, _ = env.reset()
    assert [observation["action_mask"].sum() for observation in observations.values()] == [9, 0]
    observations, _, _, _, _ = env.step({"player_0": 4, "player_1": 4})
    assert [observation["action_mask"].sum() for observation in observations.values()] == [0, 8]
    with pytest.raises(OutplayError, match="player_1 is to move, and has no action"):
        env.step({"player_0": 0})


def test_an_illegal_action_loses_or_is_an_error():
    env = aec_env(TicTacToe())
    env.reset()
    env.step(4)
    env.step(4)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert env.infos["player_1"] == {"illegal_action": True}
    assert worst(env.game) == -1
    strict = aec_env(TicTacToe(), illegal="error")
    strict.reset()
    strict.step(4)
    with pytest.raises(IllegalAction, match=r"4 is not the number of a legal action of TicTacToe\(\) here; legal: \[0"):
        strict.step(4)
    strict.step(0)
    with pytest.raises(OutplayError, match="illegal='skip': 'loss' or 'error'"):
        aec_env(TicTacToe(), illegal="skip")


def test_a_name_of_a_game_or_a_game():
    assert aec_env("tic-tac-toe").game == TicTacToe()
    with pytest.raises(OutplayError, match="did you mean tic-tac-toe"):
        aec_env("tic-tac-to")
    with pytest.raises(OutplayError, match="3 is not a game"):
        aec_env(3)


class Loop(Game):
    """A step to the left or to the right; a repetition is a draw."""

    repetition = "draw"

    def initial_state(self):
        return (0, 0)

    def to_move(self, state):
        return state[1]

    def actions(self, state):
        return (0, 1)

    def result(self, state, right):
        return (state[0] + 2 * right - 1, 1 - state[1])

    def is_terminal(self, state):
        return abs(state[0]) == 3

    def utility(self, state, player):
        return -1 if state[1] == player else 1


def test_a_repetition_ends_the_game():
    env = aec_env(Loop())
    env.reset()
    env.step(0)
    env.step(1)
    assert env.rewards == {"player_0": 0.0, "player_1": 0.0}
    assert all(env.terminations.values())


class Pairs(TicTacToe):
    """The same with pairs for actions."""

    def actions(self, board):
        return [divmod(int(square), 3) for square in super().actions(board)]

    def result(self, board, pair):
        return super().result(board, pair[0] * 3 + pair[1])


def test_actions_of_any_kind():
    env = aec_env(Pairs())
    env.reset()
    size = env.action_space("player_0").n
    mask = env.last()[0]["action_mask"]
    assert (mask.sum(), len(mask)) == (9, size)
    env.step(int(np.flatnonzero(mask)[4]))
    assert env.play.actions == [(1, 1)]
