"""Monte Carlo tree search against the perfect player in Connect Four: does the first player hold the win?

    python -m benchmarks perfect --games 20 --seconds 1
    python -m benchmarks perfect exploration=0.5

On the usual board of 7 by 6 the first player wins by force, and only from the middle (Allen 1988; Allis 1988). Here the
first player is Monte Carlo tree search, and one error costs the win: from seven discs on, the second player solves
every position exactly and takes the best action, or the longest loss. Earlier moves of the second player are random,
because solving those positions takes minutes, and to make the games differ. A random move may give back a win that was
lost in the first three moves; every later error shows in the result.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import typer

from benchmarks.common import Plan
from benchmarks.match import Match, Side, settings, side
from outplay import AlphaBeta, Limit
from outplay.games import ConnectFour
from outplay.rules.repetition import playable

GAMES, QUICK_GAMES = 20, 1
SECONDS, QUICK_SECONDS = 1.0, 0.2
SOLVED_FROM, QUICK_SOLVED_FROM = 7, 13
"""The number of discs from which the second player solves positions; this takes some seconds at first, later less."""
TABLE_MB = 512


@dataclass
class PerfectPlayer:
    """Plays at random at first, then exactly; solved positions are remembered from one game to the next."""

    solver: AlphaBeta
    solved_from: int
    dice: Random

    def choose(self, states: Sequence[Any]) -> tuple[int, int]:
        """The best action in the last of `states`, one with the longest resistance if all lose."""
        if len(states) - 1 < self.solved_from:
            return self.dice.choice(playable(self.solver.game, states)), 0
        found = self.solver.search(states[-1])
        if found.stopped == "interrupted":
            raise KeyboardInterrupt
        assert found.exact
        assert found.action is not None
        return found.action, 0


def matches(plan: Plan, words: Sequence[str], game: ConnectFour | None = None) -> list[Match]:
    """The match against the perfect player; settings of the first player may follow `perfect`."""
    if len(words) > 1:
        raise typer.BadParameter(f"after perfect, give the settings of at most one player, not {len(words)}")
    game = game or ConnectFour()
    solved_from = QUICK_SOLVED_FROM if plan.quick else SOLVED_FROM
    seconds = plan.seconds or (QUICK_SECONDS if plan.quick else SECONDS)
    solver = AlphaBeta(game, reuse_table=True, table_mb=TABLE_MB)
    return [
        Match(
            game=game,
            first=side(game, settings(words[0] if words else ""), Limit(seconds=seconds)),
            second=Side(
                name=f"exact from disc {solved_from + 1} on",
                player=lambda seed: PerfectPlayer(solver, solved_from, Random(seed)),
                compile=lambda: solver.search(limit=Limit(depth=1)),
            ),
            games=plan.games or (QUICK_GAMES if plan.quick else GAMES),
            moves=0,
            seats=(0,),
            draw=0.0,  # the win is lost
            note=f"{seconds:g} s a move",
        )
    ]
