"""What the picture of a matrix game shows; `outplay.pictures.matrix` draws it."""

from typing import Any

from outplay.equilibrium.dominated import removals
from outplay.equilibrium.payoff_tables import best_cells
from outplay.pictures.matrix import Cell, Grid, MatrixPicture

MAX_ACTIONS = 12
"""The maximum number of rows, and of columns, that are drawn."""
WIDEST = 7
"""The maximum number of characters of a payoff with more than four digits."""


def matrix_picture(game: Any) -> MatrixPicture:
    """Return the picture of `game`, a `MatrixGame`; see `MatrixGame.picture`."""
    if game.number_of_players != 2 or max(game.shape) > MAX_ACTIONS:
        return MatrixPicture(str(game), game.title)
    best, out = best_cells(game.payoffs), removals(game.payoffs)
    payoffs_shown = game.payoffs[: 1 if game.zero_sum else 2]
    cells = [
        [
            Cell(
                [payoff(value) for value in payoffs_shown[:, row, column]],
                (bool(best[0, row, column]), bool(best[1, row, column])),
            )
            for column in range(game.shape[1])
        ]
        for row in range(game.shape[0])
    ]
    dominated = tuple(frozenset(removal.action for removal in out if removal.player == player) for player in (0, 1))
    return MatrixPicture(Grid(game.players, game.actions, cells, (dominated[0], dominated[1])), game.title)


def payoff(value: float) -> str:
    """Return a payoff, with four digits if six would be too wide.

    >>> payoff(-12345.0), payoff(1 / 3), payoff(-0.125)
    ('−12345', '0.3333', '−0.125')
    """
    text = number(value)
    return text if len(text) <= WIDEST else number(float(f"{value:.4g}"))


def number(value: float) -> str:
    """Return a number with a true minus sign.

    >>> number(-2.0), number(0.5), number(-0.0)
    ('−2', '0.5', '0')
    """
    return f"{value + 0.0:.6g}".replace("-", "−")
