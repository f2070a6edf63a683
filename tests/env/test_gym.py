import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from env.test_zoo import ALL, QUICK
from env.twins import at_night, legal_numbers
from outplay import IllegalAction
from outplay.env import GymEnv, register_games
from outplay.games import ConnectFour, TicTacToe
from outplay.rules.errors import OutplayError
from outplay.rules.game import CHANCE, legal_actions
from outplay.rules.repetition import final


@pytest.mark.filterwarnings("ignore:.*A Box observation space.*:UserWarning")  # games with observations of their own
@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.nightly)
                                            for name in ALL if name not in QUICK)])  # fmt: skip
def test_the_laws_of_gymnasium(name):
    check_env(GymEnv(name), skip_render_check=True)
    check_env(GymEnv(name, seat="random", mask=True), skip_render_check=True)


def test_rendering_follows_the_laws_of_gymnasium():
    register_games()
    for mode in ("ansi", "svg", "rgb_array"):
        env = gymnasium.make("outplay/tic-tac-toe-v0", render_mode=mode).unwrapped
        env.reset(seed=1)
        env.step(4)
        picture = env.render()
        if mode == "rgb_array":
            assert (picture.dtype, picture.ndim) == (np.uint8, 3)
        else:
            assert ("<svg" if mode == "svg" else "X") in picture
    with pytest.raises(OutplayError, match="render_mode='human': one of ansi, svg, rgb_array"):
        GymEnv("tic-tac-toe", render_mode="human")


def play_in_step(name, seeds):
    """Play a random game with each seed, in the environment and by the rules."""
    env = GymEnv(name, seat="random")
    game, numbers, choices = env.game, env.play.numbers, np.random.default_rng(3)
    seats = set()
    for number in seeds:
        _, info = env.reset(seed=number)
        seats.add(info["player"])
        states, done, over, reward = [game.initial_state()], 0, False, 0.0
        while not over:
            for action in env.play.actions[done:]:
                assert action in list(legal_actions(game, states[-1]))
                assert game.to_move(states[-1]) != env.player
                states.append(game.result(states[-1], action))
            assert game.to_move(states[-1]) == env.player
            assert reward == 0
            legal = legal_numbers(game, states[-1], numbers.size, numbers.by_place)
            assert np.flatnonzero(info["action_mask"]).tolist() == sorted(legal)
            choice = choices.choice(sorted(legal))
            states.append(game.result(states[-1], legal[choice]))
            done = len(states) - 1
            _, reward, over, cut_off, info = env.step(choice)
            assert not cut_off
            assert env.play.actions[done - 1] == legal[choice]
        for action in env.play.actions[done:]:
            states.append(game.result(states[-1], action))
        assert reward == final(game, states)[env.player]
        assert not info["action_mask"].any()
    return game, seats


@pytest.mark.parametrize("name", QUICK)
def test_a_hundred_random_games_in_step_with_the_rules(name):
    game, seats = play_in_step(name, range(100))
    assert seats == set(range(game.players))


@pytest.mark.nightly
@pytest.mark.parametrize("name", ALL)
def test_random_games_of_every_game_in_step_with_the_rules(name):
    play_in_step(name, at_night())


def test_the_seed_decides_for_chance_and_opponents():
    def played(seed):
        env = GymEnv("pig")
        env.reset(seed=seed)
        for _ in range(8):
            if env.play.mover >= 0:
                env.step(0)
        return env.play.actions

    assert played(1) == played(1) != played(2)


def test_an_opponent_of_the_arena():
    env = GymEnv(TicTacToe(), opponent="alpha-beta(depth=9)")
    for number in range(5):
        _, info = env.reset(seed=number)
        over = False
        while not over:
            action = np.random.default_rng(number).choice(np.flatnonzero(info["action_mask"]))
            _, reward, over, _, info = env.step(action)
        assert reward <= 0  # it never loses
    with pytest.raises(OutplayError, match="no player is called 'alpha-bet'; did you mean alpha-beta"):
        GymEnv(TicTacToe(), opponent="alpha-bet")


def test_an_opponent_without_a_limit_gets_one():
    [player] = GymEnv(TicTacToe(), opponent="mcts").opponents
    assert player.limit.seconds == 0.1


class Resigns:
    def new_game(self, game, player, seed):
        pass

    def choose(self, view, clock):
        return None


class Cheats(Resigns):
    def choose(self, view, clock):
        return 77


def test_opponents_that_resign_or_cheat():
    env = GymEnv(TicTacToe(), opponent=lambda game: Resigns())
    env.reset()
    assert env.step(0)[1:3] == (1.0, True)
    env = GymEnv(TicTacToe(), opponent=lambda game: Cheats())
    env.reset()
    with pytest.raises(IllegalAction, match="the opponent has played 77, which is not legal here"):
        env.step(0)


def test_illegal_actions_and_wrong_options():
    env = GymEnv(TicTacToe())
    env.reset(seed=1)
    env.step(4)
    _, reward, over, _, info = env.step(4)
    assert (reward, over, info["illegal_action"]) == (-1.0, True, True)
    with pytest.raises(OutplayError, match="call reset"):
        env.step(0)
    strict = GymEnv(TicTacToe(), illegal="error")
    strict.reset(seed=1)
    with pytest.raises(IllegalAction):
        strict.step(9)
    for seat in (2, "first", -1):
        with pytest.raises(OutplayError, match="seat="):
            GymEnv(TicTacToe(), seat=seat)


def test_masks_are_in_observations_if_asked():
    env = GymEnv(ConnectFour(), mask=True)
    observation, info = env.reset()
    assert observation["action_mask"].tolist() == info["action_mask"].tolist() == [1] * 7
    assert env.observation_space.contains(observation)


def test_every_built_in_game_is_registered():
    register_games()
    register_games()
    assert {f"outplay/{name}-v0" for name in ALL} <= set(gymnasium.registry)
    env = gymnasium.make("outplay/connect-four-v0", opponent="random", seat=1)
    assert env.reset(seed=3)[1]["player"] == 1
    several = gymnasium.make_vec("outplay/tic-tac-toe-v0", 3, vectorization_mode="vector_entry_point")
    assert several.reset(seed=1)[0].shape == (3, 3, 3, 3)


@pytest.mark.parametrize(
    "lines",
    [
        "import gymnasium, outplay.env; print(gymnasium.make('outplay/pig-v0').action_space)",
        "import gymnasium; print(gymnasium.make('outplay.env:outplay/pig-v0').action_space)",
        "import outplay.env, gymnasium; print(gymnasium.make('outplay/pig-v0').action_space)",
        "import outplay.env, gymnasium; gymnasium.register_envs(outplay.env);"
        " print(gymnasium.make('outplay/pig-v0').action_space)",
    ],
)
def test_ways_to_register(lines, python):
    assert python("-W", "error", "-c", lines) == "Discrete(2)"


def test_what_is_imported_when_it_is_used(python):
    lines = "import sys, outplay.env; print({'numba', 'pettingzoo', 'pyspiel'} & {*sys.modules})"
    assert python("-c", lines) == "set()"


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "outplay.env.gym")
    with pytest.raises(OutplayError, match=r"environments need gymnasium: pip install 'outplay\[env\]'"):
        import outplay.env.gym  # noqa: F401


def test_chance_moves_before_the_first_decision():
    env = GymEnv("kuhn-poker", seat=1)
    env.reset(seed=5)
    assert [env.game.to_move(state) for state in env.play.states[:2]] == [CHANCE, CHANCE]
