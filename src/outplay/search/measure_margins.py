"""`measure_margins`: the margins of futility pruning and ProbCut for one game; see `margins.py`."""

from outplay.compile.kernels import rules_key
from outplay.rules.arguments import check_is_game
from outplay.rules.game import Game
from outplay.rules.numbered import numbered
from outplay.search.alpha_beta import AlphaBeta
from outplay.search.margins import CONFIDENCE, POSITIONS, Margins, measured


def measure_margins(
    game: Game, *, positions: int = POSITIONS, seed: int = 0, confidence: float = CONFIDENCE
) -> Margins:
    """Measure margins that are large enough in most positions of random games.

    A margin is infinite if too few positions could be used. The same seed gives the same margins. They are cached, so a
    second call is fast.

    Args:
        game: the game, with its `evaluate`.
        positions: the number of positions to search.
        seed: the seed of the random games.
        confidence: the fraction of the positions in which a margin is large enough, from 0 to 1.

    Raises `ValueError` for numbers out of range, and `UnsuitableGame` for a game that `AlphaBeta` cannot search.

    >>> from outplay.games import ConnectFour
    >>> margins = measure_margins(ConnectFour())
    >>> 0 < margins.futility[0] < 0.2
    True
    """
    check_is_game(game, "measure_margins")
    game = numbered(game)
    if isinstance(positions, bool) or not isinstance(positions, int) or positions < 1:
        raise ValueError(f"measure_margins(positions={positions!r}): a whole number from 1 on")
    if isinstance(confidence, (bool, str)) or not 0 <= confidence <= 1:
        raise ValueError(f"measure_margins(confidence={confidence!r}): a number from 0 to 1")
    return measured(AlphaBeta, game, rules_key(game), positions, seed, confidence)
