"""2048: the share of games in which a search reaches a tile of 2048, 4096 or 8192.

    python -m benchmarks 2048 --games 100 --seconds 0.02

The number of the game is the seed of its chance events. The course of a game also depends on the moves, and these on
the time.

Reading order: `rows` (the shares and their intervals), `play` (one game).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from benchmarks.common import Bar, Plan, Row
from benchmarks.match import by_chance
from outplay import Expectiminimax, Limit, legal_actions
from outplay.games import TwentyFortyEight
from outplay.montecarlo.answer import wilson
from outplay.rules.game import CHANCE

GAMES, QUICK_GAMES = 100, 1
SECONDS, QUICK_SECONDS = 0.02, 0.002
TILES = (2048, 4096, 8192)
BARS = {2048: (Bar("figure", "≥", 95),)}

Searcher = Any
"""An object with `search(state, limit)`, which returns an analysis with an `action`."""


def expectiminimax(game: TwentyFortyEight, _seed: int) -> Searcher:
    """Expectiminimax, with its table kept from move to move."""
    return Expectiminimax(game, reuse_table=True)


@dataclass(frozen=True)
class Result:
    """The result of one game."""

    score: int
    tile: int  # the greatest
    moves: int


def rows(plan: Plan, searcher: Callable[[TwentyFortyEight, int], Searcher] = expectiminimax) -> Iterator[Row]:
    """The share of games that reach each tile, and the mean score; `searcher(game, seed)` makes the player."""
    game = TwentyFortyEight()
    games = plan.games or (QUICK_GAMES if plan.quick else GAMES)
    seconds = plan.seconds or (QUICK_SECONDS if plan.quick else SECONDS)
    limit, name = Limit(seconds=seconds), type(searcher(game, 0)).__name__
    searcher(game, 0).search(game.parse_state("2,2,0,0/0,0,0,0/0,0,0,0/0,0,0,0"), limit)  # compiles
    results = [play(game, searcher(game, number), limit, Random(number)) for number in range(games)]
    row = Row(what="", unit="%", note=f"{games} games, {seconds:g} s a move, {name}")
    for tile in TILES:
        reached = sum(result.tile >= tile for result in results)
        low, high = wilson(reached, games)
        note = f"{100 * low:.0f} to {100 * high:.0f} % with 95 %; {row.note}"
        yield replace(row, what=f"tile {tile}", ours=100 * reached / games, bars=BARS.get(tile, ()), note=note)
    mean = sum(result.score for result in results) / games
    yield replace(row, what="mean score", unit="points", ours=mean)


def play(game: TwentyFortyEight, search: Searcher, limit: Limit, dice: Random) -> Result:
    """Play one game; chance draws from `dice`."""
    states, moves = [game.initial_state()], 0
    while not game.is_terminal(states[-1]):
        if game.to_move(states[-1]) == CHANCE:
            action = by_chance(game, states, dice)
        else:
            found = search.search(states[-1], limit)
            if found.stopped == "interrupted":
                raise KeyboardInterrupt
            moves += 1
            action = next(iter(legal_actions(game, states[-1]))) if found.action is None else found.action
        states = [game.result(states[-1], action)]
    board = states[-1]
    return Result(board.score, max(max(row) for row in game.numbers(board)), moves)
