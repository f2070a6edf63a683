"""Games of constant sum: what one side gets, the other loses, as in a zero-sum game, but the sum need not be 0.

In chess a win is worth 1, a draw 1/2 and a loss 0, so the utilities of both players always sum to 1. Searches take an
equal share of the sum, the utility of a draw, here 1/2, from each utility:

    win  1 - 1/2 = 1/2        draw  1/2 - 1/2 = 0        loss  0 - 1/2 = -1/2

What is left sums to 0, so that a value changes its sign with the player, as searches of zero-sum games have it. Kernels
subtract this `draw_utility` where they ask for a utility, an estimate or a forced result; it is added again to
whatever a search returns (`engine/searcher.py`, `engine/trace.py`). In zero-sum games and in games without a constant
sum it is 0; compiled code of these games does not contain it.

Start at `total`.
"""

from typing import Any


def total(game: Any) -> float | None:
    """The sum of the utilities of all sides at every end of the game; None if it varies.

    >>> from outplay.games import TicTacToe, TwentyFortyEight
    >>> total(TicTacToe()), total(TwentyFortyEight())
    (0.0, None)
    """
    if game.constant_sum is not None:
        return float(game.constant_sum)
    return 0.0 if game.zero_sum else None


def has_constant_sum(game: Any) -> bool:
    """Whether the utilities of all sides always have the same sum, such as 0."""
    return bool(game.zero_sum) or game.constant_sum is not None


def is_opposed(game: Any) -> bool:
    """Whether there is one player, or two sides with opposed interests, so that one number is the value for both.

    >>> from outplay.games import ConnectFour, ManyPlayerMNK
    >>> is_opposed(ConnectFour()), is_opposed(ManyPlayerMNK())
    (True, False)
    """
    return len(set(game.teams) or range(game.players)) <= 2 and (game.players == 1 or has_constant_sum(game))


def is_opposed_pair(game: Any) -> bool:
    """Whether there is one player, or two with opposed interests: then no one shares a utility with a team."""
    return bool(game.players <= 2 and is_opposed(game))


def draw_utility(game: Any) -> float:
    """The share of each side in the constant sum: the utility of a draw. 0 without such a sum. A constant in kernels.

    >>> from outplay.games import TicTacToe
    >>> draw_utility(TicTacToe())
    0.0
    """
    if not game.constant_sum:
        return 0.0
    sides = len(set(game.teams)) or game.players
    return float(game.constant_sum / sides) if sides > 1 else 0.0


def range_of(game: Any) -> tuple[float, float] | None:
    """The `utilities` of the game, less the utility of a draw."""
    if game.utilities is None or not game.constant_sum:
        return game.utilities  # type: ignore[no-any-return]
    least, greatest = game.utilities
    return least - draw_utility(game), greatest - draw_utility(game)


def team_members(game: Any) -> list[list[int]]:
    """The players of each team. Without teams, every player is a team of one.

    >>> from outplay.games import TicTacToe
    >>> team_members(TicTacToe())
    [[0], [1]]
    """
    teams = game.teams or range(game.players)
    return [[player for player, its in enumerate(teams) if its == team] for team in sorted(set(teams))]


def friends_of(game: Any) -> int:
    """The players on the side of player 0, a bit each.

    >>> from outplay.games import TicTacToe
    >>> friends_of(TicTacToe())
    1
    """
    teams = game.teams or range(game.players)
    return sum(1 << player for player, team in enumerate(teams) if team == teams[0])
