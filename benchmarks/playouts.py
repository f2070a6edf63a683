"""Random games of Connect Four and of Go to the end, every legal action equally likely."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.common import Disagreement, Plan, Row, compare
from benchmarks.peers import Interpreted, OpenSpiel
from outplay import Game, kernel, legal_actions
from outplay.games import ConnectFour, Go

SEED = 20_260_101
LONGEST = 42
"""The most actions of a game of Connect Four."""
LONG = 300
"""The actions of a game of Go on 9 x 9 points that hardly any exceeds."""
GO = "go(board_size=9,max_game_length=2000)"  # it would stop after 162

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
    play(game, 1)  # compiles
    row = Row(what="random games of Connect Four", unit="games/s")
    interpreted = playouts.interpreted
    yield compare(
        plan, row, lambda: play(game, many), Interpreted, lambda _: play(game, few, interpreted), alike, amount
    )
    yield compare(
        plan,
        row,
        lambda: play(game, many),
        OpenSpiel,
        lambda spiel: spiel.playouts("connect_four", few, SEED),
        alike,
        amount,
    )

    go = Go(9)
    many, few = (3_000, 300) if plan.quick else (50_000, 3_000)
    play(go, 1)  # compiles
    yield compare(
        plan,
        Row(what="random games of Go, 9 x 9", unit="games/s"),
        lambda: play(go, many),
        OpenSpiel,
        lambda spiel: spiel.playouts(GO, few, SEED),
        lambda ours, theirs: alike(ours, theirs, LONG),
        amount,
    )


def play(game: Game, games: int, run: Callable[..., None] = playouts) -> Played:
    """Random games from the start."""
    totals = np.zeros(2, np.int64)
    run(game, game.initial_state(), games, SEED, totals)
    return games, int(totals[0]), int(totals[1])


def amount(played: Played) -> float:
    """The games."""
    return played[0]


def alike(ours: Played, theirs: Played, longest: int = LONGEST) -> str:
    """The same mean length and mean result, as far as chance allows: five standard errors and more."""
    doubt = 5 / math.sqrt(min(ours[0], theirs[0]))
    for what, place, spread in (("actions a game", 1, longest / 4), ("mean result", 2, 1)):
        mine, other = ours[place] / ours[0], theirs[place] / theirs[0]
        if abs(mine - other) > doubt * spread:
            raise Disagreement(f"{what}: outplay {mine:.3f}, the other {other:.3f}")
    return f"{theirs[1] / theirs[0]:.1f} actions a game ({ours[1] / ours[0]:.1f})"
