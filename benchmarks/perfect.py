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

import typer

from benchmarks.common import Plan
from benchmarks.match import Contest, mcts, seated, settings
from outplay import AlphaBeta, Clock, Game, Limit
from outplay.arena import Player, Reply, View
from outplay.games import ConnectFour
from outplay.session.players import BasePlayer

GAMES, QUICK_GAMES = 20, 1
SECONDS, QUICK_SECONDS = 1.0, 0.2
SOLVED_FROM, QUICK_SOLVED_FROM = 7, 13
"""The number of discs from which the second player solves positions; this takes some seconds at first, later less."""
TABLE_MB = 512


class PerfectPlayer(BasePlayer):
    """Plays at random at first, then exactly; solved positions are remembered from one game to the next."""

    def __init__(self, solver: AlphaBeta, solved_from: int) -> None:
        self.solver, self.solved_from = solver, solved_from

    def choose(self, view: View, clock: Clock | None) -> Reply:
        """The best action, one with the longest resistance if all lose."""
        if len(view.actions) < self.solved_from:
            return Reply(self.random.choice(view.legal))
        analysis = self.solver.search(view.state)
        if analysis.stopped == "interrupted":
            raise KeyboardInterrupt
        assert analysis.exact
        return Reply(analysis.action, analysis.value, exact=True, nodes=analysis.nodes)


@dataclass(frozen=True)
class Perfect:
    """Makes the perfect player."""

    solved_from: int

    def __call__(self, game: Game) -> Player:
        """Make the player."""
        return PerfectPlayer(AlphaBeta(game, reuse_table=True, table_mb=TABLE_MB), self.solved_from)

    def __repr__(self) -> str:
        return f"exact from disc {self.solved_from + 1} on"


def contests(plan: Plan, words: Sequence[str], game: ConnectFour | None = None) -> list[Contest]:
    """The match against the perfect player; settings of the first player may follow `perfect`."""
    if len(words) > 1:
        raise typer.BadParameter(f"after perfect, give the settings of at most one player, not {len(words)}")
    game = game or ConnectFour()
    seconds = plan.seconds or (QUICK_SECONDS if plan.quick else SECONDS)
    first = mcts(game, settings(words[0] if words else ""), Limit(seconds=seconds))
    second = Perfect(QUICK_SOLVED_FROM if plan.quick else SOLVED_FROM)
    match = seated(plan, game, (first, second), (GAMES, QUICK_GAMES), seat=0)
    return [Contest(match, draw=0.0, note=f"{seconds:g} s a move")]  # with a draw, the win is lost
