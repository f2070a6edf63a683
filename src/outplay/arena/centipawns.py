"""What a lead in hundredths of a pawn is worth, as programs and records of chess write values."""

import math

from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import Game

STEEPNESS = 0.00368208
"""A lead of c centipawns is worth 2 / (1 + exp(-STEEPNESS · c)) - 1 = tanh(STEEPNESS · c / 2): what Lichess has found
in games of people."""


def worth(game: Game, centipawns: float) -> float:
    """The utility that a lead is worth.

    >>> from outplay.games import Chess
    >>> round(worth(Chess(), 100), 2), worth(Chess(), -10_000_000)
    (0.18, -1.0)
    """
    level = draw_utility(game)
    best = game.utilities[1] if game.utilities else level + 1
    return level + (best - level) * share_of_win(centipawns)


def share_of_win(centipawns: float) -> float:
    """What a lead is worth, from -1, a loss, to 1."""
    return math.tanh(STEEPNESS * centipawns / 2)


def lead_of(share: float) -> float:
    """The lead in centipawns that is worth a share of a win: the inverse of `share_of_win`.

    >>> round(lead_of(share_of_win(120)))
    120
    """
    return 2 / STEEPNESS * math.atanh(max(-0.999999, min(0.999999, share)))
