"""Many games at once as a vector environment of Gymnasium, all stepped in one call of native code."""

from typing import Any

import numpy as np

from outplay.compile.kernels import compiler, native_type
from outplay.compile.random_numbers import new_random
from outplay.compile.state_cells import space_for_states
from outplay.env.action_numbers import action_numbers_of
from outplay.env.observation import observer_of
from outplay.env.play import game_of
from outplay.env.requirement import required_module
from outplay.env.spaces import action_space, observation_space
from outplay.env.vector_kernels import (
    ALL_SEATS,
    NO_TURN,
    PAST,
    RANDOM_SEAT,
    TOO_MANY_CELLS,
    UNKNOWN_ACTION,
    Arrays,
    Settings,
    begin_games,
    step_games,
)
from outplay.rules.arguments import is_whole
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import OutplayError, RulesError, UnsuitableGame
from outplay.rules.game import Game
from outplay.rules.repetition import defeat

vector = required_module("gymnasium.vector")
Base: Any = vector.VectorEnv
OPPONENTS = (None, "random")


class VectorGame(Base):
    """Many games as a vector environment of Gymnasium, all stepped in one call of native code.

    Without an opponent, the agent plays all seats: an observation is what the player to move sees, and the reward is
    that of the player who has acted. A game that is over begins again in the same step (`AutoresetMode.SAME_STEP`). An
    action that is not legal loses the game.

    **All arrays are written in place**: `step` returns the same arrays each time, and makes none. Copy what must stay.
    These are in `infos`:

        action_mask   int8 [games, actions]: 1 for each legal action
        player        int64 [games]: the player to move
        utilities     float64 [games, players]: what each player got in a game that is over, else 0
        final_obs     float32 [games, …]: in a game that is over, what the player who has acted saw at its end
        _final_obs    bool [games]: which games are over

    Args:
        game: the game, or its name, such as "connect-four". It must not have hidden information, unless it defines
            `observation`, and must not forbid repetition.
        num_envs: the number of games.
        opponent: None: the agent plays all seats. "random": the others play at random.
        seat: the player that the agent is if there is an opponent, or "random".
        most_plies: a game of so many plies is cut off.

    >>> from outplay.env import VectorGame
    >>> games = VectorGame("tic-tac-toe", 64)
    >>> observations, infos = games.reset(seed=1)
    >>> observations.shape, infos["action_mask"].shape
    ((64, 3, 3, 3), (64, 9))
    >>> observations, rewards, terminations, truncations, infos = games.step([4] * 64)
    >>> infos["player"][:3].tolist(), infos["action_mask"][0].tolist()
    ([1, 1, 1], [1, 1, 1, 1, 0, 1, 1, 1, 1])
    """

    metadata = {"autoreset_mode": vector.AutoresetMode.SAME_STEP}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1,
        *,
        opponent: str | None = None,
        seat: int | str = 0,
        most_plies: int = 1000,
    ) -> None:
        for name, value in (("num_envs", num_envs), ("most_plies", most_plies)):
            if not is_whole(value) or value < 1:
                raise OutplayError(f"VectorGame({name}={value!r}): a whole number from 1")
        self.game, self.num_envs, self.most_plies = game_of(game), int(num_envs), int(most_plies)
        if opponent not in OPPONENTS:
            raise OutplayError(f"opponent={opponent!r}: None or 'random'; GymEnv has all other players")
        if seat != "random" and seat not in range(self.game.players):
            raise OutplayError(f"seat={seat!r}: 'random' or a player from 0 to {self.game.players - 1}")
        if self.game.repetition == "forbidden":
            raise UnsuitableGame(f"VectorGame cannot play {self.game!r}: it forbids repetition; GymEnv can")
        self._observer, self._numbers = observer_of(self.game), action_numbers_of(self.game)
        if not self._observer.is_native:
            raise UnsuitableGame(
                f"VectorGame cannot play {self.game!r}: it has hidden information; define observation(state, player),"
                " or use GymEnv"
            )
        self.single_observation_space = observation_space(self._observer, self._numbers, with_mask=False)
        self.single_action_space = action_space(self._numbers)
        self.observation_space = vector.utils.batch_space(self.single_observation_space, self.num_envs)
        self.action_space = vector.utils.batch_space(self.single_action_space, self.num_envs)
        self._make_arrays(ALL_SEATS if opponent is None else RANDOM_SEAT if seat == "random" else int(seat))
        self._prepare()

    def _make_arrays(self, seat: int) -> None:
        game, number, shape = self.game, self.num_envs, self._observer.shape
        inputs = int(np.prod(shape))
        repetitions = game.repetitions if game.repetition else 0
        settings = Settings(
            inputs, self._numbers.size, self._numbers.by_place, self.most_plies, seat, repetitions,
            game.repetition == "loss",
        )  # fmt: skip
        loss = defeat(game, 0)
        self._actions = np.zeros(number, np.int64)
        self._observations, self._finals = (np.zeros((number, inputs), np.float32) for _ in range(2))
        self._masks = np.zeros((number, self._numbers.size), np.int8)
        self._arrays = Arrays(
            rewards=np.zeros(number),
            gains=np.zeros(number * game.players),
            terminations=np.zeros(number, np.uint8),
            truncations=np.zeros(number, np.uint8),
            finished=np.zeros(number, np.uint8),
            players=np.zeros(number, np.int64),
            seats=np.zeros(number, np.int64),
            plies=np.zeros(number, np.int64),
            keys=np.zeros(number * PAST if repetitions else 1, np.int64),
            settings=np.array(settings, np.int64),
            losses=np.array([loss[0], loss[-1], draw_utility(game)], np.float64),
            random=new_random(0),
            problem=np.zeros(2, np.int64),
        )
        arrays, infos = self._arrays, {"action_mask": self._masks, "player": self._arrays.players}
        self._obs_view = self._observations.reshape(number, *shape)
        self._begun: dict[str, Any] = infos
        self._stepped = (
            self._obs_view, arrays.rewards, arrays.terminations.view(np.bool_), arrays.truncations.view(np.bool_),
            {**infos, "utilities": arrays.gains.reshape(number, game.players),
             "final_obs": self._finals.reshape(number, *shape), "_final_obs": arrays.finished.view(np.bool_)},
        )  # fmt: skip

    def _prepare(self) -> None:
        """Compile the kernels, or find that the rules do not compile."""
        rules: Any = self._observer.game
        typ = native_type(rules)
        for _ in range(2):
            self._space = space_for_states(rules, self.num_envs)
            self._begin_arguments = (rules, self._space, self._observations, self._masks, self._arrays)
            self._step_arguments = (
                rules, self._space, self._actions, self._observations, self._finals, self._masks, self._arrays,
            )  # fmt: skip
            self._begin_games = begin_games.prepare(*self._begin_arguments)
            self._step_games = step_games.prepare_calls(*self._step_arguments)
            if typ is None or compiler().still_compiles(typ):
                return

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin all games; it returns what the players to move see, and infos."""
        super().reset(seed=seed)
        self._arrays.random[:] = new_random(int(self.np_random.integers(1 << 62)))
        self._begin_games(*self._begin_arguments)
        self._check()
        return self._obs_view, self._begun

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play an action in each game; it returns what the players to move see, the rewards of those who have acted,
        which games are over, which were cut off, and infos.
        """
        self._actions[:] = actions
        self._step_games(*self._step_arguments)
        if self._arrays.problem[0]:
            self._check()
        return self._stepped

    def _check(self) -> None:
        """Raise an error if something went wrong."""
        problem, number = self._arrays.problem.tolist()
        if problem == TOO_MANY_CELLS:
            raise UnsuitableGame(f"VectorGame cannot play {self.game!r}: a state consists of too many numbers")
        if problem == UNKNOWN_ACTION:
            raise RulesError(
                f"{self.game!r} has an action with the number {number}, but random games have shown numbers below"
                f" {self._numbers.size} only: define action_limit(), which returns a number above those of all actions"
            )
        if problem == NO_TURN:
            raise OutplayError(f"{self.game!r}: many games were over before the agent was to move")
