"""Steps of environments: many games of Connect Four in one call, against PettingZoo's own Connect Four.

Both play the same recorded random games, with observations and masks of legal actions after each step. PettingZoo's
environment plays one game, here without the wrappers that check its user. A step is an action in one game.

Reading order: `rows`, `replay` (outplay), `PettingZoo`.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import Peer, Plan, Row, compare, same
from outplay.env import VectorGame
from outplay.games import ConnectFour

NUMBERS = (1, 64, 1024)
"""The numbers of games at once."""
STEPS, QUICK_STEPS = 1_000_000, 2_000
"""The steps in all games together, and at least `LEAST` in each."""
LEAST = 300
THEIRS = 3000
"""The steps that PettingZoo's environment makes."""
Actions = NDArray[np.int64]
Played = tuple[int, list[float]]
"""The number of steps, and the result of each finished game for player 0, of the first game at a time."""


class PettingZoo(Peer):
    """Environments of many agents in Python (Terry et al. 2021)."""

    name, distribution = "PettingZoo", "pettingzoo"

    def __init__(self) -> None:
        self.env: Any = import_module("pettingzoo.classic.connect_four.connect_four").raw_env()

    def replay(self, actions: Actions) -> Played:
        """Play the actions, in games one after the other."""
        env, results = self.env, list[float]()
        env.reset(seed=1)
        for action in actions.tolist():
            env.step(action)
            env.last()
            if any(env.terminations.values()):
                results.append(float(env.rewards["player_0"]))
                env.reset()
        return len(actions), results


def recorded(number: int, steps: int) -> Actions:
    """Random legal actions of so many games at a time: int64 [steps, number]."""
    games, random = VectorGame(ConnectFour(), number), np.random.default_rng(1)
    _, infos = games.reset(seed=1)
    actions = np.zeros((steps, number), np.int64)
    for step in range(steps):
        mask = infos["action_mask"]
        actions[step] = (mask * (1 + random.random(mask.shape))).argmax(1)
        infos = games.step(actions[step])[-1]
    return actions


def replay(games: VectorGame, actions: Actions) -> Played:
    """Play the actions, and note the results of the first game at a time."""
    results = list[float]()
    games.reset(seed=1)
    for row in actions:
        _, _, over, _, infos = games.step(row)
        if over[0]:
            results.append(float(infos["utilities"][0, 0]))
    return actions.size, results


def agree(ours: Played, theirs: Played) -> str:
    """The results of the games that both have played."""
    number = min(len(ours[1]), len(theirs[1]))
    return same(ours[1][:number], theirs[1][:number], f"the results of {number} games")


def rows(plan: Plan) -> Iterator[Row]:
    """The steps per second of each number of games."""
    for number in NUMBERS:
        steps = max(LEAST, (QUICK_STEPS if plan.quick else STEPS) // number)
        actions, games = recorded(number, steps), VectorGame(ConnectFour(), number)
        theirs = actions[:THEIRS, 0]
        yield compare(
            plan,
            Row(what=f"environment of {number:,} {'game' if number == 1 else 'games'} of Connect Four", unit="steps/s"),
            lambda games=games, actions=actions: replay(games, actions),  # type: ignore[misc]
            PettingZoo,
            lambda peer, theirs=theirs: peer.replay(theirs),  # type: ignore[misc]
            agree,
            amount=lambda played: played[0],
        )
