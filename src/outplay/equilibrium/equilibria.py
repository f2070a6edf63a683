"""Nash equilibria of matrix games from specialized libraries, and pure equilibria without any.

    pure_equilibria        any number of players       checks every cell of the table
    lemke_howson           two players                 one equilibrium, fast (quantecon)
    support_enumeration    two players                 all equilibria of a nondegenerate game (quantecon)
    vertex_enumeration     two players                 all, or all extreme ones, of small games in exact numbers
    exact_equilibria       any number of players       in exact numbers for two players (Gambit)

`all_equilibria` chooses among these. quantecon comes with `pip install 'outplay[equilibrium]'`, Gambit with
`pip install 'outplay[gambit]'`.
"""

from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np

from outplay.equilibrium.matrix_game import MatrixGame, whole_number
from outplay.equilibrium.mixed_equilibrium import INFINITELY_MANY, MixedEquilibria, MixedEquilibrium, is_infinite
from outplay.equilibrium.payoff_tables import best_cells, fraction, probabilities_from
from outplay.equilibrium.vertex_enumeration import is_degenerate, vertex_enumeration
from outplay.rules.errors import OutplayError, UnsuitableGame


def all_equilibria(game: MatrixGame) -> MixedEquilibria:
    """Return all equilibria: for two players by `vertex_enumeration`, else by `exact_equilibria`, with Gambit.

    >>> len(all_equilibria(MatrixGame([[(2, 2), (0, 0)], [(0, 0), (1, 1)]])))
    3
    """
    return vertex_enumeration(game) if game.number_of_players == 2 else exact_equilibria(game)


def pure_equilibria(game: MatrixGame) -> MixedEquilibria:
    """Return all equilibria in pure strategies, for any number of players; there may be none.

    >>> dilemma = MatrixGame([[(3, 3), (0, 5)], [(5, 0), (1, 1)]], actions=[["cooperate", "defect"]] * 2)
    >>> print(pure_equilibria(dilemma)[0])
    player 0: defect 1; expects 1
    player 1: defect 1; expects 1
    regret 0; by looking at every cell
    """
    best = best_cells(game.payoffs).all(axis=0)
    method = "looking at every cell"
    items = [MixedEquilibrium(game, game.profile([int(a) for a in cell]), method=method) for cell in np.argwhere(best)]
    return MixedEquilibria(tuple(items), method=method, complete="these are all pure ones")


def lemke_howson(game: MatrixGame, *, label: int = 0, steps: int = 1_000_000) -> MixedEquilibrium:
    """Return one equilibrium of a two-player game, by complementary pivoting (Lemke & Howson 1964; quantecon).

    Ties are broken lexicographically, so that it also terminates on degenerate games. `degenerate` of the result is
    True if the equilibrium found shows it, else None: the rest of the game is not examined.

    Args:
        game: a game with two players, zero-sum or not.
        label: the action that is dropped first, counting those of player 0 and then those of player 1; another label
            may lead to another equilibrium.
        steps: the maximum number of pivots.

    Raises `UnsuitableGame` if there are not two players, and `OutplayError` if quantecon is not installed, the label is
    invalid, or the steps are not enough.

    >>> battle = MatrixGame([[(3, 2), (0, 0)], [(0, 0), (2, 3)]])
    >>> lemke_howson(battle), lemke_howson(battle, label=1)
    (<MixedEquilibrium [1.0, 0.0], [1.0, 0.0] by Lemke-Howson (quantecon)>, \
<MixedEquilibrium [0.0, 1.0], [0.0, 1.0] by Lemke-Howson (quantecon)>)
    """
    library, theirs = _quantecon(game, "Lemke-Howson")
    label, steps = whole_number("label", label, 0, sum(game.shape) - 1), whole_number("steps", steps, 1, 10**12)
    profile, report = library.lemke_howson(theirs, init_pivot=label, max_iter=steps, full_output=True)
    if not report.converged:
        raise OutplayError(f"Lemke-Howson found no equilibrium within steps={steps}: allow more, or try another label")
    cleaned_profile = probabilities_from(profile[0]), probabilities_from(profile[1])
    mixed = MixedEquilibrium(game, cleaned_profile, method="Lemke-Howson (quantecon)")
    more = any(len(game.best_responses(cleaned_profile, 1 - player)) > len(mixed.supports[player]) for player in (0, 1))
    return MixedEquilibrium(game, cleaned_profile, method=mixed.method, degenerate=True if more else None)


def support_enumeration(game: MatrixGame) -> MixedEquilibria:
    """Return the equilibria of a two-player game in which both mix the same number of actions (quantecon).

    These are all equilibria, unless the game is degenerate.

    Raises `UnsuitableGame` if there are not two players, and `OutplayError` if quantecon is not installed.

    >>> len(support_enumeration(MatrixGame([[(3, 2), (0, 0)], [(0, 0), (2, 3)]])))
    3
    """
    library, theirs = _quantecon(game, "support enumeration")
    degenerate, method = is_degenerate(game), "support enumeration (quantecon)"
    profiles = [(probabilities_from(x), probabilities_from(y)) for x, y in library.support_enumeration(theirs)]
    items = (MixedEquilibrium(game, profile, method=method, degenerate=degenerate) for profile in profiles)
    complete = "there may be more, see vertex_enumeration()" if degenerate else "these are all"
    return MixedEquilibria(tuple(items), method=method, degenerate=degenerate, complete=complete)


def exact_equilibria(game: MatrixGame) -> MixedEquilibria:
    """Return all equilibria by Gambit: for two players the extreme ones, in exact numbers; for more, by polynomials.

    Payoffs are read as the simplest fractions that round to them: 0.1 is 1/10. With three or more players the numbers
    are not exact, and equilibria that are not isolated may be missed.

    Raises `OutplayError` if pygambit is not installed.
    """
    try:
        gambit: Any = import_module("pygambit")
    except ImportError:
        raise OutplayError("exact equilibria need Gambit: pip install 'outplay[gambit]'") from None
    exact = np.vectorize(fraction, otypes=[object])(game.payoffs)
    theirs = gambit.Game.from_dict({str(player): table for player, table in enumerate(exact, start=1)})
    two = game.number_of_players == 2
    solved = gambit.nash.enummixed_solve(theirs) if two else gambit.nash.enumpoly_solve(theirs)
    method = f"{'vertex enumeration in exact numbers' if two else 'systems of polynomials'} (Gambit)"
    degenerate, items = is_degenerate(game) if two else None, []
    for solution in solved.equilibria:
        mixed = [[solution[player.label][action.label] for action in player.strategies] for player in theirs.players]
        fractions = (
            tuple(tuple(Fraction(int(p.numerator), int(p.denominator)) for p in line) for line in mixed)
            if two
            else None
        )
        profile = tuple(probabilities_from([float(chance) for chance in line]) for line in mixed)
        items.append(MixedEquilibrium(game, profile, method=method, degenerate=degenerate, fractions=fractions))
    infinite = is_infinite(items) if two else None
    complete = (
        INFINITELY_MANY if infinite else "these are all" if two else "these are all, unless some are not isolated"
    )
    return MixedEquilibria(tuple(items), method=method, degenerate=degenerate, infinite=infinite, complete=complete)


def _quantecon(game: MatrixGame, name: str) -> tuple[Any, Any]:
    """Return the game theory module of quantecon, and the game in its form."""
    if game.number_of_players != 2:
        raise UnsuitableGame(
            f"{name} is for games of two players, not of {game.number_of_players}: exact_equilibria() takes any number"
        )
    try:
        library: Any = import_module("quantecon.game_theory")
    except ImportError:
        raise OutplayError(f"{name} needs quantecon: pip install 'outplay[equilibrium]'") from None
    own = game.payoffs[0].copy(), game.payoffs[1].T.copy()  # [own actions, actions of the other], not read-only
    scaled = map(np.ldexp, own, -np.frexp(game.spreads)[1])  # exact; quantecon has tolerances of its own
    return library, library.NormalFormGame([library.Player(table) for table in scaled])
