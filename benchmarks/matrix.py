"""Matrix games: the time that outplay adds to the libraries that it calls, and a comparison with Nashpy.

Zero-sum games of 500 × 500 are compared with HiGHS alone, which gets the same linear program ready made, and with the
textbook's linear program by scipy; one equilibrium of 10 × 10 games with quantecon, which does the work, and Nashpy;
all equilibria with quantecon, and in smaller games with Nashpy.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.common import Bar, Peer, Plan, Row, compare, same
from outplay.equilibrium.equilibria import lemke_howson
from outplay.equilibrium.matrix_game import MatrixGame
from outplay.equilibrium.vertex_enumeration import vertex_enumeration
from outplay.equilibrium.zero_sum import solve_zero_sum

SEED = 7
GAMES = 5
"""The number of games solved for one equilibrium; in one game of twenty Nashpy may never end."""


def rows(plan: Plan) -> Iterator[Row]:
    """Rows for zero-sum games, for one equilibrium, and for all."""
    dice = np.random.default_rng(SEED)
    size, small, large = (100, 4, 6) if plan.quick else (500, 6, 10)
    game = MatrixGame(dice.standard_normal((size, size)))
    zero_sum = Row(what=f"zero-sum, {size} × {size}")
    with_bar = replace(zero_sum, bars=(Bar("ratio", "≥", round(1 / 1.1, 3)),))

    def value() -> float:
        return solve_zero_sum(game).value

    yield compare(plan, with_bar, value, Highs, lambda highs: highs.value(game), _values)
    yield compare(plan, zero_sum, value, Linprog, lambda scipy: scipy.value(game), _values)

    dice = np.random.default_rng(SEED + 2)
    games = [MatrixGame(*dice.random((2, large, large))) for _ in range(GAMES)]
    row = Row(what=f"one equilibrium of {large} × {large}, {GAMES} games")
    lemke_howson(games[0])  # compiles
    yield compare(plan, row, lambda: _own_regret(games), Quantecon, lambda rival: rival.regret(games), _regrets)
    yield compare(plan, row, lambda: _own_regret(games), Nashpy, lambda rival: rival.regret(games), _regrets)

    large_game, small_game = games[0], MatrixGame(*dice.random((2, small, small)))
    row = Row(what=f"all equilibria of {large} × {large}")
    yield compare(plan, row, lambda: _own_count(large_game), Quantecon, lambda rival: rival.count(large_game), _counts)
    row = Row(what=f"all equilibria of {small} × {small}")
    yield compare(plan, row, lambda: _own_count(small_game), Nashpy, lambda rival: rival.count(small_game), _counts)


class Highs(Peer):
    """HiGHS with the linear program that outplay makes; only its own work is timed."""

    name = "HiGHS alone"

    def __init__(self) -> None:
        self.core = import_module("scipy.optimize._highspy._core")
        self.programs: dict[MatrixGame, Any] = {}

    def value(self, game: MatrixGame) -> float:
        """The value of the game."""
        payoffs = game.payoffs[0]
        if game not in self.programs:  # in the first run only; the best run counts
            self.programs[game] = self.program((payoffs - payoffs.min()) / np.ptp(payoffs) + 1)
        solver, options = self.core._Highs(), self.core.HighsOptions()
        options.output_flag = options.log_to_console = False
        solver.passOptions(options)
        solver.passModel(self.programs[game])
        solver.run()
        return float((-1 / solver.getInfo().objective_function_value - 1) * np.ptp(payoffs) + payoffs.min())

    def program(self, scaled: Any) -> Any:
        """Max sum z such that scaled z ≤ 1 and z ≥ 0, column by column."""
        rows, columns = scaled.shape
        program = self.core.HighsLp()
        program.num_col_, program.num_row_ = columns, rows
        program.a_matrix_.num_col_, program.a_matrix_.num_row_ = columns, rows
        program.a_matrix_.format_ = self.core.MatrixFormat.kColwise
        program.col_cost_, program.col_lower_, program.col_upper_ = (
            -np.ones(columns),
            np.zeros(columns),
            np.full(columns, np.inf),
        )
        program.row_lower_, program.row_upper_ = np.full(rows, -np.inf), np.ones(rows)
        program.a_matrix_.start_ = np.arange(0, scaled.size + 1, rows)
        program.a_matrix_.index_ = np.tile(np.arange(rows), columns)
        program.a_matrix_.value_ = scaled.T.ravel()
        return program


class Linprog(Peer):
    """The least v such that no row brings more, by scipy, in the obvious way."""

    name = "scipy"
    distribution = "scipy"

    def __init__(self) -> None:
        self.linprog = import_module("scipy.optimize").linprog

    def value(self, game: MatrixGame) -> float:
        """The value of the game."""
        payoffs = game.payoffs[0]
        rows, columns = payoffs.shape
        solution = self.linprog(
            [*[0.0] * columns, 1.0], A_ub=np.hstack([payoffs, -np.ones((rows, 1))]), b_ub=np.zeros(rows),
            A_eq=[[*[1.0] * columns, 0.0]], b_eq=[1.0], bounds=[(0, None)] * columns + [(None, None)],
        )  # fmt: skip
        return float(solution.fun)


class Quantecon(Peer):
    """Lemke-Howson and vertex enumeration, compiled by Numba; its games are made beforehand."""

    name = "quantecon"
    distribution = "quantecon"

    def __init__(self) -> None:
        self.theory = import_module("quantecon.game_theory")
        self.games: dict[MatrixGame, Any] = {}
        self.count(MatrixGame([[1, -1], [-1, 1]]))  # compiles

    def game(self, game: MatrixGame) -> Any:
        """The same game for quantecon."""
        if game not in self.games:
            tables = game.payoffs[0].copy(), game.payoffs[1].T.copy()
            self.games[game] = self.theory.NormalFormGame([self.theory.Player(table) for table in tables])
        return self.games[game]

    def regret(self, games: Sequence[MatrixGame]) -> float:
        """The greatest regret in one equilibrium of each game."""
        return max(game.regret(self.theory.lemke_howson(self.game(game))) for game in games)

    def count(self, game: MatrixGame) -> int:
        """How many equilibria there are."""
        return len(self.theory.vertex_enumeration(self.game(game)))


class Nashpy(Peer):
    """Plain Python and NumPy."""

    name = "Nashpy"
    distribution = "nashpy"

    def __init__(self) -> None:
        self.nashpy = import_module("nashpy")

    def regret(self, games: Sequence[MatrixGame]) -> float:
        """The greatest regret in one equilibrium of each game."""
        with np.errstate(all="ignore"):  # Nashpy divides by zero
            profiles = [self.nashpy.Game(*game.payoffs).lemke_howson(initial_dropped_label=0) for game in games]
        return max(game.regret(profile) for game, profile in zip(games, profiles, strict=True))

    def count(self, game: MatrixGame) -> int:
        """How many equilibria there are."""
        return len(list(self.nashpy.Game(*game.payoffs).vertex_enumeration()))


def _own_regret(games: Sequence[MatrixGame]) -> float:
    return max(lemke_howson(game).regret for game in games)


def _own_count(game: MatrixGame) -> int:
    return len(vertex_enumeration(game))


def _values(ours: float, theirs: float) -> str:
    return same(round(ours, 6) + 0.0, round(theirs, 6) + 0.0, f"value {ours:.6f}")


def _regrets(ours: float, theirs: float) -> str:
    return same(ours < 1e-8, theirs < 1e-8, "no regret")


def _counts(ours: int, theirs: int) -> str:
    return same(ours, theirs, f"{ours} equilibria")
