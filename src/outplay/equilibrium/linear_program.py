"""Linear programs, solved by HiGHS (Huangfu & Hall 2018) through SciPy."""

from typing import Any, NamedTuple

from outplay.rules.errors import OutplayError

TOLERANCES = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
"""By how much constraints may be violated, the minimum that HiGHS accepts. Payoffs are scaled to differ by about 1."""


class Program(NamedTuple):
    """Find the x ≥ 0 with the least `objective @ x` such that `at_most @ x ≤ limits` and `totals @ x = sums`.

    Matrices may be sparse. The last `free` entries of x may also be below 0.
    """

    objective: Any
    at_most: Any
    limits: Any
    totals: Any = None
    sums: Any = None
    free: int = 0


def linear_program(
    game: object, program: Program, *, method: str = "highs", presolve: bool = True, seconds: float | None = None
) -> Any:
    """Solve a linear program and return the result of SciPy's `linprog`.

    Raises `OutplayError`, which names the `game` of the program, if it was not solved, for example within `seconds`.

    >>> linear_program("a test", Program([-1, -2], [[1, 1]], [4])).x.tolist()
    [0.0, 4.0]
    """
    from scipy.optimize import linprog  # noqa: PLC0415 - SciPy is imported when first needed

    options = {**TOLERANCES, "presolve": presolve} | ({} if seconds is None else {"time_limit": seconds})
    objective, at_most, limits, totals, sums, free = program
    bounds = [(0, None)] * (len(objective) - free) + [(None, None)] * free
    solved = linprog(objective, at_most, limits, totals, sums, bounds, method, options=options)
    if solved.status != 0:
        raise OutplayError(f"HiGHS did not solve the linear program of {game!r}: {solved.message}")
    return solved
