"""Paranoid search: all others are taken for one enemy (Sturtevant & Korf 2000).

    value(s) = max over a of  value(result(s, a))    if the player to move at the root, or one of his team, is to move
             = min over a of  value(result(s, a))    if another one is

So a game of many players becomes one of two sides, and alpha-beta prunes it as deeply: the better half of the tree that
max^n cannot leave out. What it supposes is false, as the others would rather win themselves; but in many games it is
safer to think too badly of them.
"""

import math
from dataclasses import dataclass

from outplay.chance.base import (
    IterativeDeepeningSearcher,
)
from outplay.chance.expectiminimax import Expectiminimax
from outplay.rules.game import team_members


@dataclass(eq=False, repr=False)
class Paranoid(Expectiminimax):
    """Alpha-beta for any number of players, with or without chance, as if all others had joined against the mover.

    Values are the utility that the player to move at the root gets at least; those of the others are not looked at,
    and stand as nan in `Analysis.values` where they do not follow. The options are those of `Expectiminimax`.

    >>> from outplay.games import ExplicitTree
    >>> leaves = [{"utility": [1, 1, 7]}, {"utility": [3, 2, 5]}, {"utility": [2, 4, 1]}, {"utility": [2, 3, 4]}]
    >>> Paranoid(ExplicitTree([leaves[:2], leaves[2:]])).search().value
    2.0
    """

    def _check_game(self) -> None:
        IterativeDeepeningSearcher._check_game(self)  # any number of sides will do

    def _values(self, player: int, value: float) -> tuple[float, ...]:
        if len(team_members(self.game)) <= 2 and self.game.zero_sum:
            return super()._values(player, value)
        teams = self.game.teams or range(self.game.players)
        return tuple(value if team == teams[player] else math.nan for team in teams)
