"""2048: the share of games in which a search reaches a tile of 2048, 4096 or 8192.

    python -m benchmarks 2048 --games 100 --seconds 0.02

The number of the game is the seed of its chance events. The course of a game also depends on the moves, and these on
the time.

Reading order: `rows` (the shares and their intervals), `play` (one game).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from benchmarks.common import Bar, Plan, Row
from outplay import Expectiminimax, Limit
from outplay.arena import GameRecord, Player, Terms, play_game
from outplay.games import TwentyFortyEight
from outplay.montecarlo.answer import wilson
from outplay.session.players import SearchPlayer

GAMES, QUICK_GAMES = 100, 1
SECONDS, QUICK_SECONDS = 0.02, 0.002
TILES = (2048, 4096, 8192)
BARS = {2048: (Bar("figure", "≥", 95),)}
ENDLESS = Terms(max_plies=10_000_000)


def expectiminimax(limit: Limit, game: TwentyFortyEight) -> Player:
    """Expectiminimax, with its table kept from move to move."""
    return SearchPlayer(Expectiminimax(game, reuse_table=True), limit)


@dataclass(frozen=True)
class Result:
    """The result of one game."""

    score: int
    tile: int  # the greatest
    moves: int


def rows(plan: Plan, make: Callable[[TwentyFortyEight], Player] | None = None) -> Iterator[Row]:
    """The share of games that reach each tile, and the mean score; `make` makes the player, else expectiminimax."""
    game = TwentyFortyEight()
    games = plan.games or (QUICK_GAMES if plan.quick else GAMES)
    seconds = plan.seconds or (QUICK_SECONDS if plan.quick else SECONDS)
    player = (make or partial(expectiminimax, Limit(seconds=seconds)))(game)
    results = [play(game, player, number) for number in range(games)]
    row = Row(
        what="", unit="%", note=f"{games} games, {seconds:g} s a move, {'expectiminimax' if make is None else make}"
    )
    for tile in TILES:
        successes = sum(result.tile >= tile for result in results)
        low, high = wilson(successes, games)
        note = f"{100 * low:.0f} to {100 * high:.0f} % with 95 %; {row.note}"
        yield replace(row, what=f"tile {tile}", ours=100 * successes / games, bars=BARS.get(tile, ()), note=note)
    mean = sum(result.score for result in results) / games
    yield replace(row, what="mean score", unit="points", ours=mean)


def play(game: TwentyFortyEight, player: Player, luck: int) -> Result:
    """Play one game; `luck` is the seed of chance."""
    board = game.initial_state()

    def watch(_: GameRecord, states: Sequence[Any]) -> None:
        nonlocal board
        board = states[-1]

    record = play_game(game, [player], ["outplay"], terms=ENDLESS, luck=luck, watch=watch)
    tile = max(max(row) for row in game.numbers(board))
    return Result(int(record.utilities[0]), tile, sum(ply.player == 0 for ply in record.plies))
