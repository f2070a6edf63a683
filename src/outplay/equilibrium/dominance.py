"""Iterated elimination of dominated actions; `dominated.py` says which these are."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from outplay.equilibrium.dominated import SLACK, Removal, removals
from outplay.equilibrium.matrix_game import MatrixGame
from outplay.equilibrium.nfg import Numbers


@dataclass(frozen=True, eq=False, repr=False)
class Elimination:
    """The remainder of a game, and what was removed.

    Attributes:
        whole: the original game.
        game: the remaining game.
        kept: the numbers of each player's remaining actions.
        removals: the removed actions, in order.
    """

    whole: MatrixGame
    game: MatrixGame
    kept: tuple[tuple[int, ...], ...]
    removals: tuple[Removal, ...]

    def lifted(self, strategies: Sequence[Sequence[float]]) -> tuple[Numbers, ...]:
        """Convert a profile of the remaining game into one of the whole game."""
        lifted = tuple(np.zeros(number) for number in self.whole.shape)
        for mixed, actions_kept, small in zip(lifted, self.kept, self.game.profile(strategies), strict=True):
            mixed[list(actions_kept)] = small
        return lifted

    def __str__(self) -> str:
        lines = []
        for removal in self.removals:
            name, names = self.whole.players[removal.player], self.whole.actions[removal.player]
            parts = [(chance, names[action]) for action, chance in enumerate(removal.by) if chance > SLACK]
            by = parts[0][1] if len(parts) == 1 else " + ".join(f"{chance:.4g} {name}" for chance, name in parts)
            kind = "strictly" if removal.strictly else "weakly"
            lines.append(f"round {removal.round}: {names[removal.action]} of {name} is {kind} dominated by {by}")
        return "\n".join([*(lines or ["nothing is dominated"]), str(self.game)])

    def __repr__(self) -> str:
        return f"<Elimination: {len(self.removals)} actions of {self.whole!r}>"


def eliminate_dominated(game: MatrixGame, *, weakly: bool = False, mixed: bool = True) -> Elimination:
    """Remove dominated actions, round by round, until there are none.

    Args:
        game: a game with any number of players.
        weakly: also remove actions that are only weakly dominated.
        mixed: also look for dominating mixtures, not only for single actions.

    >>> table = [[(3, 0), (0, 1)], [(0, 0), (3, 1)], [(1, 1), (1, 0)]]
    >>> print(eliminate_dominated(MatrixGame(table, actions=[["up", "down", "out"], ["l", "r"]])))
    round 1: out of player 0 is strictly dominated by 0.5 up + 0.5 down
    round 2: l of player 1 is strictly dominated by r
    round 3: up of player 0 is strictly dominated by down
    player 0 in rows, player 1 in columns
             r
    down  3, 1
    """
    removed = tuple(removals(game.payoffs, weakly=weakly, mixed=mixed))
    removed_pairs = {(strategy.player, strategy.action) for strategy in removed}
    actions_kept = tuple(
        tuple(action for action in range(number) if (player, action) not in removed_pairs)
        for player, number in enumerate(game.shape)
    )
    return Elimination(game, game.restricted(actions_kept) if removed else game, actions_kept, removed)
