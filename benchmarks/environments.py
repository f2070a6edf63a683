"""Steps of environments: many games in one call, against pgx, PettingZoo's own games, and our own random games.

All play the same recorded random games, with observations and masks of legal actions after each step, and begin anew
where one is over; they agree on the steps at which the first game at a time was over. pgx (Koyamada et al. 2023) is
compiled by JAX for the processor, its calls are not waited for one by one, and both have one thread; for one core, run
`taskset -c 0 python -m benchmarks environments`. PettingZoo's environments play one game, here without the wrappers
that check their users. The last row of each game shows what observations, masks and NumPy cost: random games by the
compiled rules alone, without any of them. A step is an action in one game.

Reading order: `rows`, `replay` (outplay), `Pgx`, `PettingZoo`, `Playouts`.
"""

import functools
import os
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import Peer, Plan, Row, compare, same
from benchmarks.playouts import play
from outplay import Game
from outplay.env import VectorGame
from outplay.env.action_numbers import action_numbers_of
from outplay.games import Chess, ConnectFour, Go
from outplay.rules.game import legal_actions

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
    """A game: what it is called, its rules, the plies after which it is cut off, and its names in the peers, if any."""

    name: str
    game: Game
    most_plies: int
    steps: int
    pgx: str = ""
    zoo: str = ""


TASKS = (
    Task("Connect Four", ConnectFour(), 42, 1_000_000, pgx="connect_four", zoo="connect_four"),
    Task("Go 9 x 9", Go(9), 162, 200_000, pgx="go_9x9"),
    Task("chess", Chess(), 60, 200_000, zoo="chess"),  # later, PettingZoo's ends by claims of a draw
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
        return actions.size, [step for step, ends in enumerate(over) if any(bool(flags[0]) for flags in ends)]


class PettingZoo(Peer):
    """Environments of many agents in Python (Terry et al. 2021)."""

    name, distribution = "PettingZoo", "pettingzoo"

    def __init__(self) -> None:
        names = [task.zoo for task in TASKS if task.zoo]
        self.envs: dict[str, Any] = {
            name: import_module(f"pettingzoo.classic.{name}.{name}").raw_env() for name in names
        }

    def replay(self, name: str, most_plies: int, actions: list[int]) -> Played:
        """Play the actions of one game at a time."""
        env, over, plies = self.envs[name], list[int](), 0
        env.reset(seed=1)
        for step, action in enumerate(actions):
            env.step(action)
            env.last()
            plies += 1
            if any(env.terminations.values()) or plies == most_plies:
                over.append(step)
                env.reset()
                plies = 0
        return len(actions), over


class Playouts(Peer):
    """Random games by the compiled rules, without observations."""

    name = "outplay's playouts"


def in_their_words(task: Task, actions: Actions, over: list[int]) -> list[int]:
    """The actions of the first game at a time, as PettingZoo numbers them."""
    if task.zoo != "chess":
        return [int(action) for action in actions[:, 0]]
    chess, utils = import_module("chess"), import_module("pettingzoo.classic.chess.chess_utils")
    game, board, theirs = task.game, chess.Board(), list[int]()
    state, numbers, ends = game.initial_state(), action_numbers_of(game), set(over)
    for step, number in enumerate(actions[:, 0]):
        action = numbers.action(list(legal_actions(game, state)), number)
        move = board.parse_san(game.action_name(state, action))
        uci = (move if board.turn else utils.mirror_move(move)).uci()
        utils.make_move_mapping(uci)
        theirs.append(utils.moves_to_actions[uci])
        board.push(move)
        state = game.result(state, action)
        if step in ends:
            state, board = game.initial_state(), chess.Board()
    return theirs


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
            row = Row(what=f"{number:,} {'game' if number == 1 else 'games'} of {task.name}", unit="steps/s")
            ours = functools.partial(replay, games, actions)
            against = functools.partial(compare, plan, row, ours, amount=lambda result: result[0])
            if task.pgx:
                yield against(Pgx, functools.partial(Pgx.replay, name=task.pgx, actions=actions[:THEIRS]), agree)
            if task.zoo and number == 1:
                theirs = list[int]()
                with suppress(ImportError):  # the peer says so
                    theirs = in_their_words(task, actions, ours()[1])
                most_plies = task.most_plies
                yield against(PettingZoo, lambda peer: peer.replay(task.zoo, most_plies, theirs), agree)  # noqa: B023
        random_games(task, 1)  # compiles
        yield against(Playouts, lambda _: random_games(task, 20 if plan.quick else 500), same_rules)  # noqa: B023


def same_rules(ours: Played, theirs: Played) -> str:
    """What both have in common: random games are not the recorded ones."""
    return "the rules"


def random_games(task: Task, number: int) -> Played:
    """Play games by the compiled rules, on one thread."""
    return play(task.game, number)[1], []
