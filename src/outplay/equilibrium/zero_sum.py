"""The value of a two-player zero-sum game and optimal strategies, by linear programming.

    max over x of  min over columns j of  sum over rows i of  x_i A[i, j]      what the row player can guarantee
    = min over y of  max over rows i of  sum over columns j of  A[i, j] y_j    the most the column player must concede

The minimax theorem (von Neumann 1928) states that the two are equal. With payoffs shifted and scaled to between 1 and 2
the value v is positive, and y = v z for the z of the linear program (Dantzig 1951)

    max  sum z    such that    A z ≤ 1,   z ≥ 0        with 1 / v as its optimum;   x = v times the dual variables

so one program gives both strategies.
"""

import numpy as np

from outplay.equilibrium.linear_program import Program, linear_program
from outplay.equilibrium.matrix_game import MatrixGame
from outplay.equilibrium.mixed_equilibrium import MixedEquilibrium
from outplay.equilibrium.payoff_tables import probabilities_from
from outplay.rules.errors import UnsuitableGame


def solve_zero_sum(game: MatrixGame) -> MixedEquilibrium:
    """Return an equilibrium of a two-player game whose payoffs have a constant sum, such as 0, and its value.

    `value` of the result is the expected utility of player 0, and `regret` bounds its error.

    Raises `UnsuitableGame` if there are not two players, or if their payoffs do not have a constant sum.

    >>> payoffs = [[0, -1, 2], [1, 0, -1], [-2, 1, 0]]                # rock, paper, scissors; rock wins 2
    >>> print(solve_zero_sum(MatrixGame(payoffs, actions=[["rock", "paper", "scissors"]] * 2)))
    player 0: rock 0.25, paper 0.5, scissors 0.25; expects 0
    player 1: rock 0.25, paper 0.5, scissors 0.25; expects 0
    regret 0; by linear programming (HiGHS)
    """
    if game.number_of_players != 2:
        raise UnsuitableGame(f"linear programming solves games of two players, not of {game.number_of_players}")
    if game.total is None:
        raise UnsuitableGame(
            "the payoffs of the two players do not have a constant sum: lemke_howson() finds an equilibrium of such a"
            " game, vertex_enumeration() all of them"
        )
    payoffs = game.payoffs[0]
    scaled = (payoffs - payoffs.min()) / (np.ptp(payoffs) or 1.0) + 1.0
    rows, columns = payoffs.shape
    # Presolving would look for zeros and the like; in a matrix without any, that only takes time.
    solved = linear_program(game, Program(-np.ones(columns), scaled, np.ones(rows)), presolve=False)
    profile = probabilities_from(-solved.ineqlin.marginals), probabilities_from(solved.x)
    return MixedEquilibrium(game, profile, method="linear programming (HiGHS)")
