"""The sequence form: an exact equilibrium of a two-player game of constant sum as one linear program.

    maximize over plans x of player 0 the minimum over plans y of player 1:  max over x, min over y of  xᵀ A y

Plans are the solutions of linear equations (the plans of a set's sequences sum to that of the sequence before it). By
linear programming duality, the inner minimum therefore becomes part of one program, which is as large as the game tree
rather than the set of pure strategies (Romanovskii 1962; von Stengel 1996; Koller, Megiddo & von Stengel 1996):

    maximize q₀   over x ≥ 0 and q   where  E x = e  and  Fᵀ q ≤ Aᵀ x

If players err, their plans are x = M z: z ≥ 0 is what they mean to do, and M adds their errors, see `with_errors`.

q is the value that player 1's sets leave to player 0. The dual values of the last inequalities are player 1's plan.
"""

import time
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from outplay.engine.stopping import StopReason
from outplay.equilibrium.best_response import behaviour_of, gains_of_plan, plan_of, values_of_plan
from outplay.equilibrium.linear_program import Program, linear_program
from outplay.equilibrium.solver import Solution
from outplay.equilibrium.strategy import Strategy, tree_of
from outplay.equilibrium.tree import GameTree
from outplay.rules.arguments import is_number
from outplay.rules.errors import UnsuitableGame
from outplay.rules.game import Game


@dataclass(eq=False)
class SequenceForm:
    """The exact equilibrium of a two-player game of constant sum, such as 0, by linear programming (SciPy's HiGHS).

    Args:
        game: the game, or its `GameTree`.
        method: the method of HiGHS: "highs-ipm" (interior point, the fastest on large games), "highs-ds" (simplex)
            or "highs" (automatic).
        trembles: the probability with which a player errs at each information set, and takes any action there, all
            equally likely. With it play gets everywhere, so that the strategy is good everywhere, as far as errors
            are small (Selten 1975); it includes the errors.

    Raises `UnsuitableGame` for other games, which `CFR` accepts.

    >>> from outplay.games import KuhnPoker
    >>> solution = SequenceForm(KuhnPoker()).solve()
    >>> round(18 * solution.values[0], 9), solution.exploitability < 1e-9
    (-1.0, True)
    """

    game: Game | GameTree
    _: KW_ONLY
    method: str = "highs-ipm"
    trembles: float = 0.0
    check: bool = True
    options: ClassVar[tuple[str, ...]] = ("method", "trembles")

    def __post_init__(self) -> None:
        if self.method not in {"highs", "highs-ds", "highs-ipm"}:
            raise ValueError(f"SequenceForm(method={self.method!r}): must be 'highs', 'highs-ds' or 'highs-ipm'")
        if not is_number(self.trembles) or not 0 <= self.trembles < 1:
            raise ValueError(f"SequenceForm(trembles={self.trembles!r}): must be a number from 0 to less than 1")
        self.tree = tree_of(self.game, type(self).__name__, check=self.check)
        game = self.tree.game
        self._scale = float(np.abs(self.tree.payoffs.values).max()) or 1.0  # constraints may be off by 1e-10 of this
        if not self.tree.has_constant_sum:
            raise UnsuitableGame(
                f"{game!r}: SequenceForm needs two players whose utilities have a constant sum, such as 0; use CFR,"
                " which accepts any game"
            )

    def solve(self, *, seconds: float | None = None) -> Solution:
        """Return the equilibrium. Raises `OutplayError` if it is not found within `seconds`."""
        if seconds is not None and not (is_number(seconds) and seconds > 0):
            raise ValueError(f"solve(seconds={seconds!r}): must be a number greater than 0")
        from scipy.sparse import bmat, coo_matrix, csr_matrix  # noqa: PLC0415 - SciPy is imported when first needed

        tree, started = self.tree, time.perf_counter()
        payoffs, (_, middle, end) = tree.payoffs, tree.first_sequence.tolist()
        size = middle, end - middle
        rows, columns = payoffs.sequences[:, 0], payoffs.sequences[:, 1] - middle
        matrix = coo_matrix((payoffs.values[:, 0] / self._scale, (rows, columns)), shape=size).tocsr()
        mine, theirs = (flow(tree, player) for player in (0, 1))
        erring = [with_errors(tree, player, self.trembles) for player in (0, 1)]
        matrix, mine, theirs = erring[0].T @ matrix @ erring[1], mine @ erring[0], theirs @ erring[1]
        program = Program(
            -np.eye(1, size[0] + theirs.shape[0], size[0])[0],  # q of the empty sequence
            bmat([[-matrix.T, theirs.T]], format="csr"),
            np.zeros(size[1]),
            bmat([[mine, csr_matrix((mine.shape[0], theirs.shape[0]))]], format="csr"),
            np.eye(1, mine.shape[0])[0],
            free=theirs.shape[0],
        )
        solved = linear_program(tree.game, program, method=self.method, seconds=seconds)
        plan = np.concatenate([erring[0] @ solved.x[: size[0]], erring[1] @ -solved.ineqlin.marginals])
        behaviour = behaviour_of(tree, np.maximum(plan, 0.0))
        plan = plan_of(tree, behaviour)
        return Solution(
            strategy=Strategy.on(tree, behaviour),
            values=values_of_plan(tree, plan),
            exploitability=sum(gains_of_plan(tree, plan)) / 2,
            solver=f"linear program of the sequence form ({self.method})",
            iterations=int(solved.nit),
            seconds=time.perf_counter() - started,
            curve=(),
            stopped=StopReason.COMPLETE,
        )


def flow(tree: GameTree, player: int) -> Any:
    """Return the equations that plans of `player` satisfy, as a sparse matrix [1 + sets, sequences].

    Its product with a plan is 1 for the empty sequence and 0 for each set.
    """
    from scipy.sparse import coo_matrix  # noqa: PLC0415

    (first_set, end_set), (start, end) = (
        [int(number) for number in bounds[player : player + 2]] for bounds in (tree.first_set, tree.first_sequence)
    )
    sets = end_set - first_set
    before = tree.before[first_set:end_set] - start
    mine = np.arange(1, end - start)
    rows = np.concatenate([[0], 1 + np.arange(sets), 1 + tree.set_of[start + 1 : end] - first_set])
    columns = np.concatenate([[0], before, mine])
    signs = np.concatenate([[1.0], -np.ones(sets), np.ones(len(mine))])
    return coo_matrix((signs, (rows, columns)), shape=(1 + sets, end - start)).tocsr()


def with_errors(tree: GameTree, player: int, share: float) -> Any:
    """Return the M with which M z are the plans of a player who errs with probability `share`: [sequences, sequences].

    A sequence has its part of z, and its part of the errors at its set: x = z + T x, T x being `share` times the
    plan of the sequence before, divided by the number of actions. So M = 1 + T + T² + … up to the longest sequence.
    """
    from scipy.sparse import coo_matrix, identity  # noqa: PLC0415

    start, end = (int(number) for number in tree.first_sequence[player : player + 2])
    sets = tree.set_of[start + 1 : end]
    places = np.arange(1, end - start), tree.before[sets] - start
    error = coo_matrix((share / tree.number[sets], places), shape=(end - start, end - start)).tocsr()
    error.eliminate_zeros()
    whole = power = identity(end - start, format="csr")
    while (power := power @ error).nnz:
        whole = whole + power
    return whole
