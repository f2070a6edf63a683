"""Steps of environments: many games in one call, against pgx and against PettingZoo's own Connect Four.

All play the same recorded random games, with observations and masks of legal actions after each step, and begin anew
where one is over; they agree on the steps at which the first game at a time was over. pgx (Koyamada et al. 2023) is
compiled by JAX for the processor, its calls are not waited for one by one, and both have one thread; for one core, run
`taskset -c 0 python -m benchmarks environments`. PettingZoo's environment plays one game, here without the wrappers
that check its user. A step is an action in one game.

Reading order: `rows`, `replay` (outplay), `Pgx`, `PettingZoo`.
"""

import functools
import os
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import Peer, Plan, Row, compare, same
from outplay import Game
from outplay.env import VectorGame
from outplay.games import ConnectFour, Go

NUMBERS = (1, 64, 1024)
"""The numbers of games at once."""
LEAST, MOST = 300, 2000
"""The steps in each game."""
THEIRS = 100
"""The steps in each game of pgx, and of PettingZoo in its only one `MOST`."""
Actions = NDArray[np.int64]
Played = tuple[int, list[int]]
"""The number of steps, and the steps at which the first game at a time was over."""
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


class Task(NamedTuple):
    """A game: what it is called, its rules, its name in pgx, and the plies after which pgx ends it."""

    name: str
    game: Game
    pgx: str
    most_plies: int
    steps: int


TASKS = (
    Task("Connect Four", ConnectFour(), "connect_four", 42, 1_000_000),
    Task("Go 9 x 9", Go(9), "go_9x9", 162, 200_000),
)


class Pgx(Peer):
    """Environments in JAX (Koyamada et al. 2023)."""

    name, distribution = "pgx", "pgx"

    def __init__(self) -> None:
        os.environ |= {"XLA_FLAGS": ONE_THREAD, "JAX_PLATFORMS": "cpu"}
        self.jax: Any = import_module("jax")
        self.library: Any = import_module("pgx")
        self.auto_reset: Any = import_module("pgx.experimental").auto_reset

    @functools.cache  # noqa: B019 - there are few
    def compiled(self, name: str, number: int) -> tuple[Any, Any]:
        """What begins games, and what plays an action in each, compiled."""
        jax, env = self.jax, self.library.make(name)
        begin = jax.jit(jax.vmap(env.init))
        step = jax.jit(jax.vmap(self.auto_reset(env.step, env.init)))
        keys = jax.random.split(jax.random.PRNGKey(0), number)
        jax.block_until_ready(step(begin(keys), jax.numpy.zeros(number, "int32"), keys))
        return begin, step

    def replay(self, name: str, actions: Actions) -> Played:
        """Play the actions in all games at once."""
        jax, number = self.jax, actions.shape[1]
        begin, step = self.compiled(name, number)
        keys = jax.random.split(jax.random.PRNGKey(0), number)
        state, over = begin(keys), []
        for row in actions:
            state = step(state, jax.numpy.asarray(row, "int32"), keys)
            over.append((state.terminated, state.truncated))
        jax.block_until_ready(state)
        return actions.size, [step for step, ended in enumerate(over) if any(bool(each[0]) for each in ended)]


class PettingZoo(Peer):
    """Environments of many agents in Python (Terry et al. 2021)."""

    name, distribution = "PettingZoo", "pettingzoo"

    def __init__(self) -> None:
        self.env: Any = import_module("pettingzoo.classic.connect_four.connect_four").raw_env()

    def replay(self, name: str, actions: Actions) -> Played:
        """Play the actions of the first game at a time."""
        env, over = self.env, list[int]()
        env.reset(seed=1)
        for step, action in enumerate(actions[:, 0].tolist()):
            env.step(action)
            env.last()
            if any(env.terminations.values()):
                over.append(step)
                env.reset()
        return len(actions), over


def recorded(games: VectorGame, steps: int) -> Actions:
    """Random legal actions of so many games at a time: int64 [steps, games]."""
    random = np.random.default_rng(1)
    _, infos = games.reset(seed=1)
    actions = np.zeros((steps, games.num_envs), np.int64)
    for step in range(steps):
        mask = infos["action_mask"]
        actions[step] = (mask * (1 + random.random(mask.shape))).argmax(1)
        infos = games.step(actions[step])[-1]
    return actions


def replay(games: VectorGame, actions: Actions) -> Played:
    """Play the actions in all games at once."""
    over = list[int]()
    games.reset(seed=1)
    for step, row in enumerate(actions):
        _, _, ended, cut_off, _ = games.step(row)
        if ended[0] or cut_off[0]:
            over.append(step)
    return actions.size, over


def agree(ours: Played, theirs: Played) -> str:
    """Where the games were over that both have played."""
    number = min(len(ours[1]), len(theirs[1]))
    return same(ours[1][:number], theirs[1][:number], f"where {number} games ended")


def rows(plan: Plan) -> Iterator[Row]:
    """The steps per second of each game, and of each number of games."""
    for task in TASKS:
        for number in NUMBERS:
            steps = LEAST if plan.quick else max(LEAST, min(MOST, task.steps // number))
            games = VectorGame(task.game, number, most_plies=task.most_plies)
            actions = recorded(games, steps)
            peers: list[Any] = [Pgx]
            peers += [PettingZoo] if task.pgx == "connect_four" and number == 1 else []
            for peer in peers:
                theirs = actions if peer is PettingZoo else actions[:THEIRS]
                yield compare(
                    plan,
                    Row(what=f"{number:,} {'game' if number == 1 else 'games'} of {task.name}", unit="steps/s"),
                    functools.partial(replay, games, actions),
                    peer,
                    functools.partial(peer.replay, name=task.pgx, actions=theirs),
                    agree,
                    amount=lambda played: played[0],
                )
