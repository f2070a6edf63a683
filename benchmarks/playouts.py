"""Random games of Connect Four to the end, every legal action equally likely."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.common import Disagreement, Plan, Row, compare
from benchmarks.peers import Interpreted, OpenSpiel
from outplay import kernel, legal_actions
from outplay.games import ConnectFour

SEED = 20_260_101
LONGEST = 42
"""The most actions of a game."""

Played = tuple[int, int, int]
"""Games, actions in all of them, and wins of player 0 less wins of player 1."""


@kernel
def playouts(game: Any, state: Any, games: int, seed: int, totals: Any) -> None:
    """Play `games` games from `state`; adds the actions to `totals[0]` and the utility of player 0 to `totals[1]`.

    The legal actions come one by one, and number n replaces the chosen one with probability 1 / n.
    """
    random = seed
    for _ in range(games):
        now = state
        while not game.is_terminal(now):
            chosen = 0
            for seen, action in enumerate(legal_actions(game, now), 1):
                random = (random * 1_103_515_245 + 12_345) & 0x7FFF_FFFF  # linear congruential, ANSI C's numbers
                if random * seen >> 31 == 0:  # by the high bits; the low ones are not random
                    chosen = action
            now = game.result(now, chosen)
            totals[0] += 1
        totals[1] += int(game.utility(now, 0))


def rows(plan: Plan) -> Iterator[Row]:
    """Against the same source interpreted, and against OpenSpiel."""
    game = ConnectFour()
    many, few = (20_000, 300) if plan.quick else (500_000, 5_000)

    def play(games: int, run: Callable[..., None] = playouts) -> Played:
        totals = np.zeros(2, np.int64)
        run(game, game.initial_state(), games, SEED, totals)
        return games, int(totals[0]), int(totals[1])

    def amount(played: Played) -> float:
        return played[0]

    play(1)  # compiles
    row = Row(what="random games of Connect Four", unit="games/s")
    interpreted = playouts.interpreted
    yield compare(plan, row, lambda: play(many), Interpreted, lambda _: play(few, interpreted), alike, amount)
    yield compare(
        plan, row, lambda: play(many), OpenSpiel, lambda spiel: spiel.playouts("connect_four", few, SEED), alike, amount
    )


def alike(ours: Played, theirs: Played) -> str:
    """The same mean length and mean result, as far as chance allows: five standard errors and more."""
    doubt = 5 / math.sqrt(min(ours[0], theirs[0]))
    for what, place, spread in (("actions a game", 1, LONGEST / 4), ("mean result", 2, 1)):
        mine, other = ours[place] / ours[0], theirs[place] / theirs[0]
        if abs(mine - other) > doubt * spread:
            raise Disagreement(f"{what}: outplay {mine:.3f}, the other {other:.3f}")
    return f"{theirs[1] / theirs[0]:.1f} actions a game ({ours[1] / ours[0]:.1f})"
