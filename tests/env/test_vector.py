import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv

from env.test_zoo import Loop, Pairs
from env.twins import legal_numbers
from outplay.env import VectorGame
from outplay.env.observation import observer_of
from outplay.games import ConnectFour, Go, KuhnPoker, TicTacToe
from outplay.rules.errors import OutplayError, UnsuitableGame
from outplay.rules.game import CHANCE, legal_actions
from outplay.rules.repetition import final, worst
from outplay.session.load import load_game

GAMES = ("tic-tac-toe", "connect-four", "pig", "many-player-mnk", "kalah", "english-draughts", "othello", "hex(3)",
         "go(3)", "nim", pytest.param("2048", marks=pytest.mark.nightly))  # fmt: skip


def choices(masks, random):
    """A random legal action of each game."""
    return (masks * (1 + random.random(masks.shape))).argmax(1)


def after_chance(game, states):
    """All lines of states that may follow when chance has decided, with what has come of it."""
    utilities = final(game, states)
    if utilities is None and game.to_move(states[-1]) == CHANCE:
        for outcome in legal_actions(game, states[-1]):
            if game.probability(states[-1], outcome) > 0:
                yield from after_chance(game, [*states, game.result(states[-1], outcome)])
    else:
        yield states, utilities


@pytest.mark.parametrize("name", GAMES)
def test_a_hundred_random_games_in_step_with_the_rules(name):
    """The twin plays each game by its rules, and looks among what chance may draw for what the environment shows."""
    game, number = load_game(name), 10
    games, random, observer = VectorGame(game, number), np.random.default_rng(1), observer_of(load_game(name))
    seen, infos = games.reset(seed=1)
    lines, finished = [None] * number, 0
    starts = list(after_chance(game, [game.initial_state()]))
    while finished < 100:
        for index in range(number):
            lines[index] = [states for states, utilities in lines[index] or starts
                            if utilities is None and same(games, observer, states[-1], index)]  # fmt: skip
            assert lines[index]
            assert {infos["player"][index]} == {game.to_move(states[-1]) for states in lines[index]}
        actions, players = choices(infos["action_mask"], random), infos["player"].copy()
        seen, rewards, over, cut_off, infos = games.step(actions)
        assert not cut_off.any()
        for index in range(number):
            legal = legal_numbers(game, lines[index][0][-1], games.single_action_space.n, games._numbers.by_place)
            action = legal[actions[index]]
            after = [line for states in lines[index]
                     for line in after_chance(game, [*states, game.result(states[-1], action)])]  # fmt: skip
            if not over[index]:
                lines[index] = after
                assert rewards[index] == 0 == np.abs(infos["utilities"][index]).sum()
                continue
            finished += 1
            lines[index] = None
            ends = {utilities for _, utilities in after if utilities is not None}
            assert tuple(infos["utilities"][index]) in ends
            assert rewards[index] == infos["utilities"][index][players[index]]
            assert infos["_final_obs"][index]
            assert any(
                np.array_equal(infos["final_obs"][index], observer.observe(states[-1], players[index]))
                for states, utilities in after
                if utilities is not None
            )
    assert seen.shape == (number, *observer.shape)


def same(games, observer, state, index):
    """Whether the environment shows this state."""
    game, player = games.game, games.game.to_move(state)
    legal = legal_numbers(game, state, games.single_action_space.n, games._numbers.by_place)
    return np.array_equal(games._obs_view[index], observer.observe(state, player)) and (
        np.flatnonzero(games._masks[index]).tolist() == sorted(legal)
    )


def record(game, steps, number=5, **options):
    """All that an environment returns in random games."""
    games, random, rows = VectorGame(game, number, **options), np.random.default_rng(2), []
    seen, infos = games.reset(seed=3)
    for _ in range(steps):
        rows.append((seen.copy(), infos["action_mask"].copy(), infos["player"].copy()))
        seen, rewards, over, cut_off, infos = games.step(choices(infos["action_mask"], random))
        rows.append((rewards.copy(), over.copy(), cut_off.copy(), infos["utilities"].copy(), infos["final_obs"].copy()))
    return games, rows


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("connect-four", {"opponent": "random", "seat": "random"}),
        ("tic-tac-toe", {}),  # its states hold arrays
        ("pig", {"opponent": "random"}),
        ("english-draughts", {"most_plies": 30}),  # it has a rule of repetition, and paths for actions
    ],
)
def test_compiled_and_interpreted_are_the_same(name, options, monkeypatch):
    games, rows = record(load_game(name), 120, **options)
    assert isinstance(games._space, np.ndarray)
    monkeypatch.setattr("outplay.rules.base.Rules.compiled", False)
    monkeypatch.setattr("outplay.env.vector.native_type", lambda rules: None)
    twin, others = record(load_game(name), 120, **options)
    assert isinstance(twin._space, list)
    for row, other in zip(rows, others, strict=True):
        for array, its_twin in zip(row, other, strict=True):
            assert np.array_equal(array, its_twin)


def test_it_is_a_vector_environment():
    games = VectorGame("tic-tac-toe", 3)
    assert isinstance(games, VectorEnv)
    assert games.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    seen, infos = games.reset(seed=1)
    assert games.observation_space.contains(seen)
    for _ in range(30):
        seen, rewards, over, cut_off, infos = games.step(choices(infos["action_mask"], np.random.default_rng(1)))
        assert games.observation_space.contains(seen)
        assert (rewards.dtype, over.dtype, cut_off.dtype) == (np.float64, bool, bool)
        assert all(array.shape == (3,) for array in (rewards, over, cut_off))
    games.close()
    assert games.closed


def test_arrays_are_written_in_place():
    games = VectorGame("tic-tac-toe", 3)
    games.reset(seed=1)
    first = games.step([0, 1, 2])
    second = games.step([4, 4, 4])
    for one, other in zip(first[:4], second[:4], strict=True):
        assert one is other
    assert np.shares_memory(first[4]["action_mask"], games.reset()[1]["action_mask"])
    assert np.from_dlpack(first[0]).shape == (3, 3, 3, 3)


def test_the_seed_decides():
    def played(seed):
        return [row[1] for row in record(load_game("pig"), 30)[1]] if seed is None else start(seed)

    def start(seed):
        games = VectorGame("2048", 20)
        return games.reset(seed=seed)[0].tobytes()

    assert played(1) == played(1) != played(2)


def test_an_opponent_at_random_and_a_seat():
    for seat in (0, 1):
        _, rows = record(ConnectFour(), 60, opponent="random", seat=seat)
        assert all((row[2] == seat).all() for row in rows[::2])
    _, rows = record(ConnectFour(), 60, number=20, opponent="random", seat="random")
    assert {player for row in rows[::2] for player in row[2].tolist()} == {0, 1}
    wins = sum(reward for row in rows[1::2] for reward in row[0].tolist())
    assert abs(wins) < 40


def test_an_illegal_action_loses():
    games = VectorGame("tic-tac-toe", 4)
    games.reset(seed=1)
    games.step([4] * 4)
    _, rewards, over, _, infos = games.step([4, -1, 9, 0])
    assert rewards.tolist() == [worst(TicTacToe())] * 3 + [0]
    assert over.tolist() == [True] * 3 + [False]
    assert infos["utilities"].tolist() == [[1, -1]] * 3 + [[0, 0]]
    assert infos["player"].tolist() == [0, 0, 0, 0]
    assert infos["action_mask"].sum(1).tolist() == [9, 9, 9, 7]


def test_long_games_are_cut_off():
    games = VectorGame(ConnectFour(), 2, most_plies=5)
    games.reset(seed=1)
    for ply in range(5):
        _, rewards, over, cut_off, infos = games.step([ply, ply])
        assert cut_off.tolist() == [ply == 4] * 2
        assert not over.any()
        assert not rewards.any()
    assert infos["_final_obs"].all()
    assert infos["action_mask"].all()
    assert np.array_equal(infos["final_obs"][0][:2].sum((1, 2)), [3, 2])


def test_a_repetition_ends_the_game():
    games = VectorGame(Loop(), 1)
    games.reset()
    games.step([0])
    _, rewards, over, _, _ = games.step([1])
    assert (rewards.tolist(), over.tolist()) == ([0], [True])

    class Losing(Loop):
        repetition = "loss"

    games = VectorGame(Losing(), 1)
    games.reset()
    games.step([0])
    assert games.step([1])[4]["utilities"].tolist() == [[1, -1]]


def test_actions_of_any_kind():
    games = VectorGame(Pairs(), 2)
    _, infos = games.reset()
    number = int(np.flatnonzero(infos["action_mask"][0])[4])
    assert games.step([number, number])[4]["action_mask"].sum(1).tolist() == [8, 8]


def test_what_it_refuses():
    with pytest.raises(
        UnsuitableGame, match=r"VectorGame cannot play KuhnPoker\(\): it has hidden information; define"
    ):
        VectorGame(KuhnPoker(), 2)
    with pytest.raises(OutplayError, match="opponent='mcts': None or 'random'; GymEnv has all other players"):
        VectorGame("pig", 2, opponent="mcts")
    with pytest.raises(OutplayError, match="seat=5: 'random' or a player from 0 to 1"):
        VectorGame("pig", 2, seat=5)
    for number in (0, 1.5, True):
        with pytest.raises(OutplayError, match=r"VectorGame\(num_envs="):
            VectorGame("pig", number)

    class Forbidding(Loop):
        repetition = "forbidden"

    with pytest.raises(UnsuitableGame, match="it forbids repetition; GymEnv can"):
        VectorGame(Forbidding(), 1)


class Seeing(KuhnPoker):
    """A player sees the own card."""

    def observation(self, table, player):
        return (self.card(table, player), player)


def test_hidden_games_with_an_observation_of_their_own():
    games = VectorGame(Seeing(), 50)
    seen, infos = games.reset(seed=1)
    assert {0, 1, 2} == set(seen[:, 0].astype(int).tolist())
    seen, _, _, _, infos = games.step(choices(infos["action_mask"], np.random.default_rng(1)))
    assert (seen[:, 1] == infos["player"]).all()


def test_go_is_drawn_by_repetition_or_ends():
    """Random games to the end, with a board of a size for which cycles are frequent."""
    _, rows = record(Go(2, komi=0.5), 400, number=8)
    assert sum(row[1].sum() for row in rows[1::2]) > 50
