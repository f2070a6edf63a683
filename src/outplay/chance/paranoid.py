"""Paranoid search: all other players are treated as one enemy (Sturtevant & Korf 2000).

    value(s) = max over a of  value(result(s, a))    if the player to move at the root, or a teammate, is to move
             = min over a of  value(result(s, a))    if another player is to move

A game of many players becomes a game of two sides, which alpha-beta prunes deeply, while max^n can hardly prune. The
assumption is false, since the others want to win themselves, but in many games it is safer to overestimate them.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from outplay.chance.base import IterativeDeepeningSearcher
from outplay.chance.expectiminimax import Expectiminimax
from outplay.rules.constant_sum import has_constant_sum, team_members


@dataclass(eq=False, repr=False)
class Paranoid(Expectiminimax):
    """Alpha-beta for any number of players, with or without chance, as if all others played together against one.

    A value is the utility that the player to move at the root is sure to get. The utilities of the others are not
    searched; they are nan in `Analysis.values` unless they follow from that value. The options are those of
    `Expectiminimax`.

    >>> from outplay.games import ExplicitTree
    >>> leaves = [{"utility": [1, 1, 7]}, {"utility": [3, 2, 5]}, {"utility": [2, 4, 1]}, {"utility": [2, 3, 4]}]
    >>> Paranoid(ExplicitTree([leaves[:2], leaves[2:]])).search().value
    2.0
    """

    textbook_form: ClassVar[Any] = None

    def _check_game(self) -> None:
        IterativeDeepeningSearcher._check_game(self)  # any number of sides is allowed

    def _values(self, player: int, value: float) -> tuple[float, ...]:
        if len(team_members(self.game)) <= 2 and has_constant_sum(self.game):
            return super()._values(player, value)
        teams = self.game.teams or range(self.game.players)
        return tuple(value if team == teams[player] else math.nan for team in teams)
